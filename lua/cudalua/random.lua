-- Random numbers. What PyCUDA calls curandom.
--   random/generator   the generator that programs use, Philox4x32-10   draw   its numbers as expressions
--   philox             the same on the host
--   states, jump       XORWOW and MRG32k3a   sobol, directions   quasi-random sequences   fills   what these share

local generator = require "cudalua.random.generator"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local gpuarray = require "cudalua.gpuarray"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local names = require "cudalua.base.names"
local surplus = require "cudalua.base.surplus"

local refuse = layout.refuse

---@class cudalua.random
local M = {}

local new = surplus.wrap("random.Generator", generator.new)

---A generator of random numbers: `random.Generator(seed)`. Two of the same seed give the same numbers, on every device.
---@class cudalua.random.GeneratorClass
---@overload fun(seed?: integer|ffi.cdata*): cudalua.random.Generator
M.Generator = setmetatable({}, {
  __index = generator.Generator,
  __call = function(_, ...) return new(...) end,
  __metatable = "cudalua.random.GeneratorClass",
})

local default

---Returns the generator that the functions of the module use. Initially it has an unpredictable seed.
---@return cudalua.random.Generator
function M.default()
  if not default then
    local new_one = generator.new()
    default = default or new_one -- a finalizer may have used it meanwhile
  end
  return default
end

---Sets the seed of the generator that the functions of the module use.
---@param seed? integer|ffi.cdata*  a non-negative integer; default: unpredictable
---@raise LogicError if the seed is not a non-negative integer
function M.seed(seed) M.default():seed(seed) end

-- What the generator can do, of the module's own: random.normal(1000).
for name in ([[uniform normal log_normal exponential gamma beta poisson binomial integers permutation choice]])
  :gmatch "%S+" do
  M[name] = function(...) return generator.Generator[name](M.default(), ...) end
end

---Uniformly distributed numbers from the module's generator, as PyCUDA's rand: floats from 0 up to 1, which is
---excluded, integers over their whole range.
---@param shape integer|integer[]  as for gpuarray.empty
---@param dtype? any              a floating-point type, or integers of 32 or 64 bits; default: dtype.default_float()
---@param stream? cudalua.Stream  computes the numbers now; default: the stream that first needs them
---@return cudalua.gpuarray.Array
---@raise LogicError for other types and invalid shapes
function M.rand(shape, dtype, stream)
  if shape == nil then refuse("random.rand", "the shape is missing") end
  dtype = dtype == nil and dtypes.default_float() or dtypes._of("random.rand", dtype, shape)
  local x = dtype.kind == "float" and M.default():uniform(shape, 0, 1, dtype)
    or generator.uniform_as("random.rand", M.default(), shape, dtype)
  if stream ~= nil then make.stream("random.rand", stream):use(function() x:eval() end) end
  return x
end

-- ---- seeds, as PyCUDA has them --------------------------------------------------------------------------------------

local function seed_count(what, n)
  local count = layout.whole(n)
  if not count or count < 0 then refuse(what, "expected a non-negative integer, got " .. element.describe(n)) end
  return count
end

---Returns equal seeds for generators, drawn from the module's generator.
---@param n integer  the number of seeds
---@return cudalua.gpuarray.Array  int32
---@raise LogicError if n is not a non-negative integer
function M.seed_getter_uniform(n)
  local count = seed_count("random.seed_getter_uniform", n)
  return gpuarray.full(count, M.default():integers({}, -2 ^ 31, 2 ^ 31 - 1, "int32"):item(), "int32")
end

---Returns different seeds for generators, drawn from the module's generator.
---@param n integer  the number of seeds
---@return cudalua.gpuarray.Array  int32
---@raise LogicError if n is not an integer from 0 to 2^32
function M.seed_getter_unique(n)
  local count = seed_count("random.seed_getter_unique", n)
  if count > 2 ^ 32 then
    refuse("random.seed_getter_unique", "expected at most 2^32, the number of different seeds, got %.0f", count)
  end
  local first = M.default():integers({}, -2 ^ 31, 2 ^ 31 - 1, "int32"):item()
  return gpuarray.arange(count, "uint32"):astype "int32" * -1640531535 + first -- odd: all products differ
end

-- ---- generators with states -----------------------------------------------------------------------------------------

-- A class whose file is loaded when a method is first asked for.
local function later(file)
  return setmetatable({}, { __index = function(_, name) return require("cudalua.random." .. file).Methods[name] end })
end

---The methods of XORWOWRandomNumberGenerator and MRG32k3aRandomNumberGenerator.
M.StateGenerator = later "states"

---The methods of Sobol32RandomNumberGenerator and its relatives.
M.SobolGenerator = later "sobol"

---PyCUDA's XORWOW generator: 65536 generators side by side, 2^67 numbers apart. It computes Marsaglia's numbers, with
---this library's own seeding, so they differ from those of cuRAND.
---@param seed_getter? any  a function that takes the number of seeds and returns an array of int32; or such an array;
---  or a number. Default: random.seed_getter_uniform
---@param offset? integer  how many numbers each generator skips first
---@param options? {generators: integer}  generators: the number of generators; default 65536
---@return cudalua.random.StateGenerator
---@raise LogicError for invalid seeds and numbers
function M.XORWOWRandomNumberGenerator(seed_getter, offset, options)
  return require("cudalua.random.states").new("XORWOW", M.seed_getter_uniform, seed_getter, offset, options)
end

---PyCUDA's MRG32k3a generator: 65536 generators side by side, 2^76 numbers apart. It computes L'Ecuyer's numbers, with
---this library's own seeding, so they differ from those of cuRAND.
---@param seed_getter? any  as for XORWOWRandomNumberGenerator
---@param offset? integer  how many numbers each generator skips first
---@param options? {generators: integer}  generators: the number of generators; default 65536
---@return cudalua.random.StateGenerator
---@raise LogicError for invalid seeds and numbers
function M.MRG32k3aRandomNumberGenerator(seed_getter, offset, options)
  return require("cudalua.random.states").new("MRG32k3a", M.seed_getter_uniform, seed_getter, offset, options)
end

-- ---- quasi-random sequences -----------------------------------------------------------------------------------------

for _, name in ipairs { "generate_direction_vectors", "generate_scramble_constants32",
  "generate_scramble_constants64" } do
  M[name] = function(...) return require("cudalua.random.sobol")[name](...) end
end

---PyCUDA's names for the kinds of direction vectors.
---@type table<string, string>
M.direction_vector_set = { VECTOR_32 = "VECTOR_32", SCRAMBLED_VECTOR_32 = "SCRAMBLED_VECTOR_32",
  VECTOR_64 = "VECTOR_64", SCRAMBLED_VECTOR_64 = "SCRAMBLED_VECTOR_64" }

---PyCUDA's generator of 32-bit Sobol sequences, in one or more dimensions.
---@param dir_vector? any  direction vectors, uint32, a row of 32 for each dimension; default: Joe and Kuo's
---@param offset? integer  the first point, from 0
---@param options? {dimensions: integer}  dimensions: the number of dimensions if you pass no vectors: 1 (default) to
---  1111
---@return cudalua.random.SobolGenerator
---@raise LogicError for invalid vectors and numbers
function M.Sobol32RandomNumberGenerator(dir_vector, offset, options)
  return require("cudalua.random.sobol").new("Sobol32", dir_vector, nil, offset, options)
end

---PyCUDA's generator of 64-bit Sobol sequences.
---@param dir_vector? any   direction vectors, uint64, a row of 64 for each dimension; default: Joe and Kuo's
---@param offset? integer   the first point, from 0
---@param options? {dimensions: integer}  dimensions: the number of dimensions if you pass no vectors: 1 (default) to
---  1111
---@return cudalua.random.SobolGenerator
---@raise LogicError for invalid vectors and numbers
function M.Sobol64RandomNumberGenerator(dir_vector, offset, options)
  return require("cudalua.random.sobol").new("Sobol64", dir_vector, nil, offset, options)
end

---PyCUDA's generator of 32-bit scrambled Sobol sequences: as uniform as Sobol sequences, and different for each seed.
---@param dir_vector? any  scrambled direction vectors, uint32; default: generated from the seed
---@param scramble_vector? any  a constant of uint32 for each dimension; default: generated from the seed
---@param offset? integer       the first point, from 0
---@param options? {dimensions: integer, seed: integer}  dimensions: the number of dimensions if you pass no vectors: 1
---  (default) to 1111; seed: default 0
---@return cudalua.random.SobolGenerator
---@raise LogicError for invalid vectors and numbers
function M.ScrambledSobol32RandomNumberGenerator(dir_vector, scramble_vector, offset, options)
  return require("cudalua.random.sobol").new("ScrambledSobol32", dir_vector, scramble_vector, offset, options)
end

---PyCUDA's generator of 64-bit scrambled Sobol sequences.
---@param dir_vector? any  scrambled direction vectors, uint64; default: generated from the seed
---@param scramble_vector? any  a constant of uint64 for each dimension; default: generated from the seed
---@param offset? integer       the first point, from 0
---@param options? {dimensions: integer, seed: integer}  dimensions: the number of dimensions if you pass no vectors: 1
---  (default) to 1111; seed: default 0
---@return cudalua.random.SobolGenerator
---@raise LogicError for invalid vectors and numbers
function M.ScrambledSobol64RandomNumberGenerator(dir_vector, scramble_vector, offset, options)
  return require("cudalua.random.sobol").new("ScrambledSobol64", dir_vector, scramble_vector, offset, options)
end

surplus.install("random.", M)
names.strict(M, { text = "random", kind = "module" })

return M
