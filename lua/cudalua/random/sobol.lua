-- Quasi-random sequences: Sobol's, of 32 and 64 bits, plain and scrambled. Their points fill the unit cube evenly;
-- point p is a function of p, so that a generator is how far it got.

local bit = require "bit"
local ffi = require "ffi"
local compute = require "cudalua.gpuarray.evaluate"
local core = require "cudalua.core"
local draw = require "cudalua.random.draw"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.element"
local errors = require "cudalua.errors"
local functions = require "cudalua.gpuarray.functions"
local graph = require "cudalua.gpuarray.graph"
local layout = require "cudalua.layout"
local make = require "cudalua.gpuarray.make"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.object"
local philox = require "cudalua.random.philox"
local ctype = require "cudalua.gpuarray.ctype"
local storage = require "cudalua.gpuarray.storage"
local template = require "cudalua.gpuarray.template"

local bxor, rshift, lshift, band = bit.bxor, bit.rshift, bit.lshift, bit.band
local ceil = math.ceil
local is_array, leaf_of, refuse = object.is_array, storage.leaf_of, layout.refuse
local uint64_t = ffi.typeof "uint64_t"

local M = {}

-- ---- direction numbers ----------------------------------------------------------------------------------------------

---Dimensions that there are direction numbers for.
M.DIMENSIONS = 1111

local table_of -- dimension from 2 on -> {coefficients, m1, m2 ...}

local function read_table()
  if table_of then return table_of end
  table_of = { false }
  for row in require("cudalua.random.directions"):gmatch "[^;\n]+" do
    local list = {}
    for x in row:gmatch "%d+" do list[#list + 1] = tonumber(x) end
    table_of[#table_of + 1] = list
  end
  return table_of
end

-- The 64 direction numbers of a dimension from 1 on, as uint64_t. Those of 32 bits are their high words.
local function directions(dimension)
  local v = ffi.new "uint64_t[64]"
  if dimension == 1 then
    for k = 0, 63 do v[k] = lshift(1ULL, 63 - k) end
    return v
  end
  local row = read_table()[dimension]
  local coefficients, degree = row[1], #row - 1
  for k = 1, 64 do
    if k <= degree then
      v[k - 1] = lshift(uint64_t(row[k + 1]), 64 - k)
    else
      local x = bxor(v[k - 1 - degree], rshift(v[k - 1 - degree], degree))
      for i = 1, degree - 1 do
        if band(rshift(coefficients, degree - 1 - i), 1) == 1 then x = bxor(x, v[k - 1 - i]) end
      end
      v[k - 1] = x
    end
  end
  return v
end

-- The same, scrambled (Matousek, On the L2-discrepancy for anchored boxes, 1998): multiplied by a random lower
-- triangular matrix over the field of two elements, with ones on its diagonal.
local function scramble(v, word, bits)
  local rows = {}
  for i = 0, bits - 1 do -- bit i of the result, from the highest, takes bits 0 to i
    local x = lshift(uint64_t(word()), 32) + word()
    x = i == 63 and x or band(x, bit.bnot(rshift(bit.bnot(0ULL), i + 1)))
    rows[i] = bit.bor(band(x, bit.bnot(lshift(1ULL, 63 - i))), lshift(1ULL, 63 - i))
  end
  for k = 0, bits - 1 do
    local y = 0ULL
    for i = 0, bits - 1 do
      local x = band(rows[i], v[k])
      x = bxor(x, rshift(x, 32))
      x = bxor(x, rshift(x, 16))
      x = bxor(x, rshift(x, 8))
      x = bxor(x, rshift(x, 4))
      x = bxor(x, rshift(x, 2))
      x = bxor(x, rshift(x, 1))
      y = y + lshift(band(x, 1ULL), 63 - i)
    end
    v[k] = y
  end
end

local sets = { VECTOR_32 = { 32 }, SCRAMBLED_VECTOR_32 = { 32, true }, VECTOR_64 = { 64 },
  SCRAMBLED_VECTOR_64 = { 64, true } }

---PyCUDA's names for the kinds of direction vectors.
M.direction_vector_set = {}
for name in pairs(sets) do M.direction_vector_set[name] = name end

local function count_of(what, name, count, most)
  local n = layout.whole(count)
  if not n or n < 1 or n > most then
    refuse(what, "%s must be a whole number from 1 to %d, got %s", name, most, element.describe(count))
  end
  return n
end

local function words_of(seed, dimension) return philox.words(uint64_t(seed), (dimension - 1) * 2 ^ 20) end

---Direction numbers of Sobol sequences: Joe and Kuo's.
---@param count integer  of dimensions, 1 to 1111
---@param set? string    of random.direction_vector_set; default VECTOR_32
---@param seed? integer  of the scrambled ones, default 0
---@return cudalua.ndarray.Array  uint32 or uint64: a row of 32 or 64 for each dimension
---@raise LogicError for other counts and sets
function M.generate_direction_vectors(count, set, seed)
  local what = "random.generate_direction_vectors"
  local n = count_of(what, "count", count, M.DIMENSIONS)
  local kind = sets[set == nil and "VECTOR_32" or set]
  if not kind then refuse(what, "expected a name of random.direction_vector_set, got " .. errors.text(set)) end
  seed = seed == nil and 0 or seed
  if not layout.whole(seed) or seed < 0 then
    refuse(what, "seed must be a whole number from 0, got " .. element.describe(seed))
  end
  local bits, scrambled = kind[1], kind[2]
  local out = ndarray.empty({ n, bits }, bits == 32 and "uint32" or "uint64")
  local p = out:data()
  for d = 1, n do
    local v = directions(d)
    if scrambled then scramble(v, words_of(seed, d), bits) end
    for k = 0, bits - 1 do p[(d - 1) * bits + k] = bits == 32 and rshift(v[k], 32) or v[k] end
  end
  return out
end

local function constants(what, count, seed, dtype)
  local n = count_of(what, "count", count, M.DIMENSIONS)
  seed = seed == nil and 0 or seed
  if not layout.whole(seed) or seed < 0 then
    refuse(what, "seed must be a whole number from 0, got " .. element.describe(seed))
  end
  local out = ndarray.empty(n, dtype)
  local p = out:data()
  for d = 1, n do
    local word = philox.words(uint64_t(seed), (d - 1) * 2 ^ 20 + 2 ^ 19)
    local high, low = word(), word()
    p[d - 1] = dtype == "uint32" and high or lshift(uint64_t(high), 32) + low
  end
  return out
end

---What the numbers of scrambled sequences are added to, without carry: one for each dimension.
---@param count integer  1 to 1111
---@param seed? integer  default 0
---@return cudalua.ndarray.Array  uint32
---@raise LogicError for other counts
function M.generate_scramble_constants32(count, seed)
  return constants("random.generate_scramble_constants32", count, seed, "uint32")
end

---What the numbers of scrambled sequences of 64 bits are added to, without carry: one for each dimension.
---@param count integer  1 to 1111
---@param seed? integer  default 0
---@return cudalua.ndarray.Array  uint64
---@raise LogicError for other counts
function M.generate_scramble_constants64(count, seed)
  return constants("random.generate_scramble_constants64", count, seed, "uint64")
end

-- ---- kernels --------------------------------------------------------------------------------------------------------

-- What becomes of a word x: for each distribution and type, of 32 and of 64 bits; u is in (0, 1].
local middle = {
  [32] = "__fma_rn(__uint2double_rn(x), 0x1p-32, 0x1p-33)",
  [64] = "__fma_rn(__ull2double_rn(x), 0x1p-64, 0x1p-65)",
}
-- Below 1 also in double precision.
local inside = { [32] = middle[32], [64] = "__fma_rn(__ull2double_rn(x >> 11), 0x1p-53, 0x1p-54)" }
local values = {
  uniform_float32 = { "float32", "(float)" .. "%s", middle },
  uniform_float64 = { "float64", "%s", middle },
  bits = { nil, "x", {} },
  normal_float32 = { "float32", "(float)cl_random_normal_quantile(%s)", inside, "quantile" },
  normal_float64 = { "float64", "cl_random_normal_quantile(%s)", inside, "quantile" },
  poisson = { "int64", "cl_random_poisson_quantile(%s, mean)", inside, "quantile", ", const double mean" },
  poisson_of = { "int64", "cl_random_poisson_quantile(%s, means[i])", inside, "quantile", ", const double *means" },
}

local RUN, SPAN, BLOCK = 16, 256, 256 -- see kernels/random/sobol.cu

local kernels = {}

local function kernel(g, name)
  local key = ("sobol%d_%s"):format(g.bits, name)
  local k = kernels[key]
  if not k then
    local row = values[name]
    local word = dtypes["uint" .. g.bits]
    local dtype = row[1] and dtypes[row[1]] or word
    k = { pieces = row[4] and { [row[4]] = true } or {}, device = "", name = key, loaded = {}, dtype = dtype,
      kernel = template.fill("random/sobol", "fill", { name = key, memory = ctype.memory(dtype),
        word = ctype.memory(word), bits = g.bits, params = row[5] or "",
        value = row[2]:format(row[3][g.bits] or "") }) }
    kernels[key] = k
  end
  return k
end

-- ---- the class ------------------------------------------------------------------------------------------------------

---A quasi-random generator as PyCUDA has them: Sobol32RandomNumberGenerator and its three relatives.
---@class cudalua.random.SobolGenerator
---@field dimensions integer
---@field position integer   the next point, from 0
local Methods = {}

local TAG = "cudalua.random.SobolGenerator"

local function inner(self, what)
  local mt = debug.getmetatable(self)
  if type(mt) ~= "table" or mt.__metatable ~= TAG then
    refuse(what, "expected a Sobol generator (rng:name(...), with a colon), got " .. element.describe(self))
  end
  return mt._g
end

local MOST = { [32] = 2 ^ 32, [64] = 2 ^ 53 } -- points

local function fill(g, what, name, shape, more)
  if core.context_id() ~= g.context then refuse(what, "the generator belongs to another context") end
  local size = graph.size_of(shape)
  if size % g.dimensions ~= 0 then
    refuse(what, "%.0f elements are no whole points of %d dimensions", size, g.dimensions)
  end
  local points = size / g.dimensions
  if g.position + points > MOST[g.bits] then refuse(what, "the sequence has 2^%d points", g.bits == 32 and 32 or 53) end
  local k = kernel(g, name)
  local x = make.fresh(what, shape, k.dtype, "C")
  if size == 0 then return x end
  local to, v, shifts = leaf_of(x), leaf_of(g.vectors), g.shifts and leaf_of(g.shifts)
  local list = { size, to.buf, to.off, v.buf, v.off, shifts and shifts.buf or core.pointer(0),
    shifts and shifts.off or 0, g.dimensions, g.position }
  if is_array(more) then
    local means = compute.evaluate(graph.convert(more, dtypes.float64):copy "C")
    list[10], list[11] = means.buf, means.off
  elseif more then
    list[10] = more
  end
  local threads = ceil(points / (RUN * SPAN)) * SPAN * g.dimensions
  if core.array_run(compute.load(k, core.context_id()), ceil(threads / BLOCK), list) then
    to.store.exported, to.store.pinned, v.store.pinned = true, true, true
    if shifts then shifts.store.pinned = true end
  end
  g.position = g.position + points
  return x
end

local function converted(x, dtype) return x._dtype == dtype and x or graph.convert(x, dtype) end

local function check_float(what, dtype)
  if dtype.kind ~= "float" then refuse(what, "%s is no floating-point type", dtype.name) end
  return dtype.itemsize == 8 and "float64" or "float32"
end

local function number_of(what, name, x, default)
  if x == nil then return default end
  local v = element.scalar(x)
  if type(v) ~= "number" or v ~= v or v == math.huge or v == -math.huge then
    refuse(what, "%s must be a number, got %s", name, element.describe(x))
  end
  return v
end

local make_numbers = {}

function make_numbers.uniform(g, what, shape, dtype)
  if dtype == dtypes.float32 or dtype == dtypes.float64 then return fill(g, what, "uniform_" .. dtype.name, shape) end
  if dtype.itemsize == g.bits / 8 and (dtype.kind == "int" or dtype.kind == "uint") then
    return converted(fill(g, what, "bits", shape), dtype)
  end
  refuse(what, "uniform numbers are float32, float64, or integers of %d bits, not %s", g.bits, dtype.name)
end

function make_numbers.normal(g, what, shape, dtype)
  return converted(fill(g, what, "normal_" .. check_float(what, dtype), shape), dtype)
end

function make_numbers.log_normal(g, what, shape, dtype, mean, sigma)
  mean, sigma = number_of(what, "mean", mean, 0), number_of(what, "sigma", sigma, 1)
  local t = check_float(what, dtype)
  return converted(graph.unary(draw.exp[t], fill(g, what, "normal_" .. t, shape) * sigma + mean), dtype)
end

function make_numbers.poisson(g, what, shape, dtype, mean)
  if dtype.kind ~= "int" and dtype.kind ~= "uint" then refuse(what, "%s is no integer type", dtype.name) end
  if is_array(mean) then
    if not layout.same(mean._shape, shape) then
      refuse(what, "the means have the shape %s, not %s", layout.text(mean._shape), layout.text(shape))
    end
    return converted(fill(g, what, "poisson_of", shape, mean), dtype)
  end
  mean = number_of(what, "mean", mean)
  if mean == nil or mean < 0 then refuse(what, "mean must be a number from 0, got " .. element.describe(mean)) end
  return converted(fill(g, what, "poisson", shape, mean), dtype)
end

local function any_type(dtype) return dtype == nil and dtypes.default_float() or dtypes.of(dtype) end

-- A number is one of points: an axis of the dimensions comes with it where there are several.
local function shape_of(g, what, shape, dtype)
  if shape == nil then refuse(what, "a shape is missing") end
  local alone = type(shape) ~= "table"
  shape = layout.numbers(what, "shape", shape, 0)
  if alone and g.dimensions > 1 then shape[2] = g.dimensions end
  layout.size(what, shape, math.max(dtype.itemsize, 8))
  return shape
end

local function filled(self, what, name, a, stream, ...)
  local g = inner(self, what)
  if not is_array(a) then refuse(what, "expected a gpuarray, got " .. element.describe(a)) end
  local first, second = ...
  make.stream(what, stream):use(function()
    functions.deliver(what, make_numbers[name](g, what, a._shape, a._dtype, first, second), a)
  end)
  return a
end

local function generated(self, what, name, shape, dtype, stream, ...)
  local g = inner(self, what)
  local first, second = ...
  return make.stream(what, stream):use(function()
    local x = make_numbers[name](g, what, shape_of(g, what, shape, dtype), dtype, first, second)
    compute.evaluate(x)
    return x
  end)
end

---Sets an array to uniform numbers: floats in (0, 1], integers of all values. Its last axis, or last axes together, are
---the dimensions of points.
---@param a cudalua.gpuarray.Array  float32, float64, or integers of as many bits as the generator has
---@param stream? cudalua.Stream    default: the current one
---@return cudalua.gpuarray.Array a
---@raise LogicError for other arrays, and where the sequence ends
function Methods:fill_uniform(a, stream) return filled(self, "SobolGenerator:fill_uniform", "uniform", a, stream) end

---Sets an array to normally distributed numbers of mean 0 and standard deviation 1: by the inverse of the distribution
---function, which keeps the order.
---@param a cudalua.gpuarray.Array  of floats
---@param stream? cudalua.Stream    default: the current one
---@return cudalua.gpuarray.Array a
---@raise LogicError as fill_uniform
function Methods:fill_normal(a, stream) return filled(self, "SobolGenerator:fill_normal", "normal", a, stream) end

---Sets an array to numbers whose logarithms are normally distributed.
---@param a cudalua.gpuarray.Array  of floats
---@param mean? number              of the logarithm, default 0
---@param sigma? number             its standard deviation, default 1
---@param stream? cudalua.Stream    default: the current one
---@return cudalua.gpuarray.Array a
---@raise LogicError as fill_uniform
function Methods:fill_log_normal(a, mean, sigma, stream)
  return filled(self, "SobolGenerator:fill_log_normal", "log_normal", a, stream, mean, sigma)
end

---Sets an array to numbers of events, by the inverse of the distribution function. Without a mean, each element is the
---mean of what replaces it.
---@param a cudalua.gpuarray.Array  of integers; without a mean, of floats, too
---@param mean? any                 a number, or an array of a's shape
---@param stream? cudalua.Stream    default: the current one
---@return cudalua.gpuarray.Array a
---@raise LogicError as fill_uniform
function Methods:fill_poisson(a, mean, stream)
  local what = "SobolGenerator:fill_poisson"
  local g = inner(self, what)
  if not is_array(a) then refuse(what, "expected a gpuarray, got " .. element.describe(a)) end
  make.stream(what, stream):use(function()
    local float = mean == nil and a._dtype.kind == "float"
    local x = make_numbers.poisson(g, what, a._shape, float and dtypes.int64 or a._dtype, mean == nil and a or mean)
    functions.deliver(what, converted(x, a._dtype), a)
  end)
  return a
end

---Uniform numbers: floats in (0, 1], integers of all values. Of (points, dimensions).
---@param shape integer|integer[]  a number is how many points
---@param dtype? any               as for fill_uniform; default: the default float
---@param stream? cudalua.Stream   default: the current one
---@return cudalua.gpuarray.Array
---@raise LogicError for other types and shapes, and where the sequence ends
function Methods:gen_uniform(shape, dtype, stream)
  return generated(self, "SobolGenerator:gen_uniform", "uniform", shape, any_type(dtype), stream)
end

---Normally distributed numbers of mean 0 and standard deviation 1.
---@param shape integer|integer[]  as for gen_uniform
---@param dtype? any               a floating-point type; default: the default float
---@param stream? cudalua.Stream   default: the current one
---@return cudalua.gpuarray.Array
---@raise LogicError as gen_uniform
function Methods:gen_normal(shape, dtype, stream)
  return generated(self, "SobolGenerator:gen_normal", "normal", shape, any_type(dtype), stream)
end

---Numbers whose logarithms are normally distributed.
---@param shape integer|integer[]  as for gen_uniform
---@param dtype? any               a floating-point type; default: the default float
---@param mean? number             of the logarithm, default 0
---@param sigma? number            its standard deviation, default 1
---@param stream? cudalua.Stream   default: the current one
---@return cudalua.gpuarray.Array
---@raise LogicError as gen_uniform
function Methods:gen_log_normal(shape, dtype, mean, sigma, stream)
  return generated(self, "SobolGenerator:gen_log_normal", "log_normal", shape, any_type(dtype), stream, mean, sigma)
end

---Numbers of events.
---@param shape integer|integer[]  as for gen_uniform
---@param dtype any                an integer type; nil: uint32
---@param mean any                 a number, or an array of that shape
---@param stream? cudalua.Stream   default: the current one
---@return cudalua.gpuarray.Array
---@raise LogicError as gen_uniform
function Methods:gen_poisson(shape, dtype, mean, stream)
  return generated(self, "SobolGenerator:gen_poisson", "poisson", shape,
    dtype == nil and dtypes.uint32 or dtypes.of(dtype), stream, mean)
end

---Leaves points out.
---@param n integer  from 0
---@return cudalua.random.SobolGenerator self
---@raise LogicError for what is no such number, and where the sequence ends
function Methods:call_skip_ahead(n)
  local what = "SobolGenerator:call_skip_ahead"
  local g = inner(self, what)
  local points = layout.whole(n)
  if not points or points < 0 or g.position + points > MOST[g.bits] then
    refuse(what, "expected a number of points that are left, got " .. element.describe(n))
  end
  g.position = g.position + points
  return self
end

---The next point, as a text for set_state(); the direction numbers are not part of it.
---@return string
function Methods:get_state()
  local g = inner(self, "SobolGenerator:get_state")
  return ("%s %d %.0f"):format(g.name, g.dimensions, g.position)
end

---Goes to where a generator of the same kind and dimensions was when it gave this state.
---@param state string
---@return cudalua.random.SobolGenerator self
---@raise LogicError for another generator's state
function Methods:set_state(state)
  local g = inner(self, "SobolGenerator:set_state")
  local head = ("%s %d "):format(g.name, g.dimensions)
  local position = type(state) == "string" and state:sub(1, #head) == head and tonumber(state:match " (%d+)$")
  if not position or position > MOST[g.bits] then
    refuse("SobolGenerator:set_state", "expected a text that get_state() of such a generator gave, got " ..
      element.describe(state))
  end
  g.position = position
  return self
end

-- ---- making one -----------------------------------------------------------------------------------------------------

-- Vectors, or constants, of the caller's: an array of the right type and shape on the device.
local function given(what, name, x, dtype, columns)
  local a = make.device_array(what, x)
  if a._dtype ~= dtype or a._ndim ~= (columns and 2 or 1) or columns and a._shape[2] ~= columns or a._size == 0 then
    refuse(what, "%s must be an array of %s%s, got %s", name, dtype.name,
      columns and (" with rows of %d"):format(columns) or "", graph.describe(a))
  end
  return a:copy "C"
end

local known_options = { dimensions = true, seed = true }

---Makes a generator.
---@param name string
---@param bits integer
---@param scrambled boolean
---@param vectors? any
---@param shifts? any
---@param offset? integer
---@param options? {dimensions: integer, seed: integer}
---@return cudalua.random.SobolGenerator
function M.new(name, bits, scrambled, vectors, shifts, offset, options)
  local what = name .. "RandomNumberGenerator"
  local o = errors.options(what, options, known_options)
  if vectors ~= nil and o.dimensions ~= nil then refuse(what, "the vectors say how many dimensions there are") end
  local word = dtypes["uint" .. bits]
  local g = { name = name, bits = bits, context = core.context_id(), position = 0 }
  if vectors == nil then
    vectors = M.generate_direction_vectors(count_of(what, "dimensions", o.dimensions == nil and 1 or o.dimensions,
      M.DIMENSIONS), (scrambled and "SCRAMBLED_VECTOR_" or "VECTOR_") .. bits, o.seed)
  end
  g.vectors = given(what, "the direction vectors", vectors, word, bits)
  g.dimensions = g.vectors._shape[1]
  if scrambled then
    shifts = shifts == nil and M["generate_scramble_constants" .. bits](math.min(g.dimensions, M.DIMENSIONS), o.seed)
      or shifts
    g.shifts = given(what, "the scramble constants", shifts, word)
    if g.shifts._size ~= g.dimensions then
      refuse(what, "%d scramble constants for %d dimensions", g.shifts._size, g.dimensions)
    end
  end
  compute.evaluate(g.vectors)
  if g.shifts then compute.evaluate(g.shifts) end
  local self = setmetatable({}, { __metatable = TAG, _g = g,
    __index = function(_, key)
      local value = Methods[key]
      if value ~= nil then return value end
      if key == "dimensions" or key == "position" then return g[key] end
    end,
    __newindex = function() errors.raise("LogicError", what .. ": it is read only") end,
    __tostring = function() return ("%s(%d)"):format(what, g.dimensions) end })
  if offset ~= nil then self:call_skip_ahead(offset) end
  return self
end

M.Methods = Methods

return M
