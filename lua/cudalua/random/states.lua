-- PyCUDA's pseudo-random generators, XORWOW and MRG32k3a: many of them side by side, each with a state in device
-- memory, which its numbers move on. How many there are does not depend on the device, and so neither do the numbers.

local ffi = require "ffi"
local compute = require "cudalua.gpuarray.core.evaluate"
local core = require "cudalua.core"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local fills = require "cudalua.random.fills"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local jump = require "cudalua.random.jump"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"

local ceil = math.ceil
local is_array, leaf_of, refuse = object.is_array, storage.leaf_of, layout.refuse

local M = {}

local BLOCK = 256     -- threads
local COUNT = 2 ^ 16  -- generators, where nothing else is asked for
local WORDS = 6       -- of a state

-- Steps from one generator's beginning to that of the next one, and of what else can be left out: exponents of 2.
local kinds = {
  XORWOW = { part = "xorwow", apart = 67, sequence = 67 },
  MRG32k3a = { part = "mrg32k3a", apart = 76, subsequence = 76, sequence = 127 },
}

-- ---- kernels --------------------------------------------------------------------------------------------------------

local kernels = {}

local function kernel(kind, name, part, fields, pieces)
  local key = kind.part .. "_" .. name
  local k = kernels[key]
  if not k then
    fields.name = key
    local set = { philox = true }
    for _, piece in ipairs(pieces or {}) do set[piece] = true end
    k = { pieces = set, device = template.fill("random/states", kind.part, {}) ..
      template.fill("random/states", "common", {}), kernel = template.fill("random/states", part, fields), name = key,
      loaded = {} }
    kernels[key] = k
  end
  return k
end

-- The states are read and written. Their numbers move on behind the program's back, so that expressions that read them
-- are not computed before: the count of writes stays.
local function run(since, k, blocks, list, read, ...)
  local launch = { kernel = k, blocks = blocks, arguments = list, since = since, leaves = read, writes = { ... } }
  return runs.kernel(launch) or runs.AGAIN
end

-- What the kernels make, each a part of states.cu: the type, the elements of a pack, the pieces that it needs, and
-- parameters.
local draws = {
  uniform_float32 = { "float32", 4, {} },
  uniform_float64 = { "float64", 2, {} },
  bits_uint32 = { "uint32", 4, {} },
  bits_uint64 = { "uint64", 2, {} },
  normal_float32 = { "float32", 4, { "normal" } },
  normal_float64 = { "float64", 2, { "normal" } },
  poisson = { "int64", 2, { "counts" }, ", const double mean" },
  poisson_of = { "int64", 2, { "counts" }, ", const double *means" },
}

-- ---- the class ------------------------------------------------------------------------------------------------------

local function draw(since, g, k, x, busy, mean)
  local to, states = leaf_of(x), leaf_of(g.states)
  local list = { x._size, to.buf, to.off, states.buf, states.off, g.count }
  return run(since, k, ceil(busy / BLOCK), list, fills.add_mean(list, mean), to, states)
end

local function fill(g, what, name, shape, mean)
  fills.check_context(g, what)
  local row = draws[name]
  local dtype = dtypes[row[1]]
  local k = kernel(g.kind, name, "fill", { memory = ctype.memory(dtype), pack = row[2],
    params = row[4] or "", draw = template.fill("random/states", "draw_" .. name, {}) }, row[3])
  local x = make.fresh(what, shape, dtype, "C")
  if x._size == 0 then return x end
  runs.until_done(draw, g, k, x, math.min(g.count, ceil(x._size / row[2])), fills.mean_of(mean))
  return x
end

local of_words = { [4] = "bits_uint32", [8] = "bits_uint64" }

local class = { name = "RandomNumberGenerator", expected = "a generator", tag = "cudalua.random.StateGenerator",
  integers = function() return "integers of 32 or 64 bits" end, most = 60, fill = fill,
  words = function(_, dtype) return of_words[dtype.itemsize] end }

---A generator as in PyCUDA: XORWOWRandomNumberGenerator or MRG32k3aRandomNumberGenerator.
---@class cudalua.random.StateGenerator: cudalua.random.FillGenerator
---@field generators integer  the number of generators side by side
---@field state cudalua.gpuarray.Array  their states, uint32, in 6 rows with one column for each generator
local Methods = fills.methods(class)

-- ---- moving on ------------------------------------------------------------------------------------------------------

local null = core.pointer(0)

-- Maps in device memory, one behind the other.
local function upload(kind_name, maps)
  local words = jump.words(kind_name)
  local host = ndarray.empty(#maps * words, "uint32")
  for i, map in ipairs(maps) do ffi.copy(host:data() + (i - 1) * words, map, 4 * words) end
  return gpuarray.to_gpu(host)
end

---How far generators jump.
---@class cudalua.random.Jump
---@field maps cudalua.gpuarray.Array      of upload()
---@field numbers? cudalua.gpuarray.Array  how often for each generator, of uint64; nil: once
---@field own boolean?                     as often as each generator's own number says
---@field steps integer                    32-bit words that this leaves out, as far as that matters

---@param since integer
---@param g table
---@param k table
---@param j cudalua.random.Jump
local function jump_ahead(since, g, k, j)
  local leaf, from = leaf_of(g.states), compute.evaluate(j.maps)
  local list = j.numbers and compute.evaluate(j.numbers)
  return run(since, k, ceil(g.count / BLOCK), { g.count, leaf.buf, leaf.off, from.buf, from.off,
    j.maps._size / jump.words(g.name), list and list.buf or null, list and list.off or 0, j.own and 1 or 0, j.steps },
    { from, list }, leaf)
end

local function apply(g, j) runs.until_done(jump_ahead, g, kernel(g.kind, "jump", "jump", {}), j) end

local function move(self, what, exponent, n, stream)
  local g = fills.inner(class, self, what)
  fills.check_context(g, what)
  make.stream(what, stream):use(function()
    if is_array(n) then
      if n._ndim ~= 1 or n._size ~= g.count or n._dtype.kind ~= "int" and n._dtype.kind ~= "uint" then
        refuse(what, "expected an array of %d integers, one for each generator, got %s", g.count, graph.describe(n))
      end
      local maps = {}
      for k = 1, math.min(64, 8 * n._dtype.itemsize) do maps[k] = jump.square(g.name, exponent + k - 1) end
      local numbers = graph.convert(n, dtypes.uint64):copy "C"
      apply(g, { maps = upload(g.name, maps), numbers = numbers, steps = exponent == 0 and 1 or 0 })
      return
    end
    local steps = layout.whole(n)
    if not steps or steps < 0 then refuse(what, "expected a non-negative integer, got " .. element.describe(n)) end
    if steps > 0 then
      apply(g, { maps = upload(g.name, { jump.power(g.name, steps, exponent) }),
        steps = exponent == 0 and steps % 2 ^ 32 or 0 })
    end
  end)
  return self
end

---Skips numbers in each of the generators.
---@param n integer|cudalua.gpuarray.Array  the number of 32-bit words, non-negative; or an array with one for each
---  generator
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.random.StateGenerator self
---@raise LogicError if n is neither an integer nor such an array
function Methods:call_skip_ahead(n, stream) return move(self, "RandomNumberGenerator:call_skip_ahead", 0, n, stream) end

---Skips whole sequences in each of the generators. A sequence has 2^67 numbers, for MRG32k3a 2^127.
---@param n integer|cudalua.gpuarray.Array  a non-negative integer, or an array with one for each generator
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.random.StateGenerator self
---@raise LogicError if n is neither an integer nor such an array
function Methods:call_skip_ahead_sequence(n, stream)
  local what = "RandomNumberGenerator:call_skip_ahead_sequence"
  return move(self, what, fills.inner(class, self, what).kind.sequence, n, stream)
end

---Skips subsequences of 2^76 numbers in each of the generators; for MRG32k3a only.
---@param n integer|cudalua.gpuarray.Array  a non-negative integer, or an array with one for each generator
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.random.StateGenerator self
---@raise LogicError if n is neither an integer nor such an array, and for XORWOW
function Methods:call_skip_ahead_subsequence(n, stream)
  local what = "RandomNumberGenerator:call_skip_ahead_subsequence"
  local exponent = fills.inner(class, self, what).kind.subsequence
  if not exponent then refuse(what, "XORWOW has sequences, of 2^67 numbers, and no subsequences") end
  return move(self, what, exponent, n, stream)
end

Methods.call_skip_ahead_array = Methods.call_skip_ahead
Methods.call_skip_ahead_sequence_array = Methods.call_skip_ahead_sequence
Methods.call_skip_ahead_subsequence_array = Methods.call_skip_ahead_subsequence

---Returns the states as a string for set_state().
---@return string
function Methods:get_state()
  local g = fills.inner(class, self, "RandomNumberGenerator:get_state")
  local host = g.states:get()
  return ("%s %d\n"):format(g.name, g.count) .. ffi.string(host:data(), host.nbytes)
end

---Restores the states that get_state() of a generator of the same kind and number returned.
---@param state string  a string that get_state() returned
---@return cudalua.random.StateGenerator self
---@raise LogicError for another generator's state
function Methods:set_state(state)
  local what = "RandomNumberGenerator:set_state"
  local g = fills.inner(class, self, what)
  local head = ("%s %d\n"):format(g.name, g.count)
  if type(state) ~= "string" or state:sub(1, #head) ~= head or #state ~= #head + 4 * WORDS * g.count then
    refuse(what, "expected a string that get_state() of such a generator returned, got " .. element.describe(state))
  end
  local host = ndarray.empty({ WORDS, g.count }, "uint32")
  ffi.copy(host:data(), state:sub(#head + 1), 4 * WORDS * g.count)
  g.states:set(host)
  return self
end

-- ---- making one -----------------------------------------------------------------------------------------------------

local known_options = { generators = true }

local function begin(since, g, k, seeds)
  local leaf, from = leaf_of(g.states), compute.evaluate(seeds)
  return run(since, k, ceil(g.count / BLOCK), { g.count, leaf.buf, 0, from.buf, from.off }, { from }, leaf)
end

-- The seeds, an array of int32: of a function that is told how many are wanted, a number, or an array.
local function seeds_of(what, getter, count)
  if type(getter) == "function" then getter = getter(count) end
  if is_array(getter) then
    if getter._size ~= count or getter._dtype.itemsize ~= 4 or getter._dtype.kind ~= "int" and
      getter._dtype.kind ~= "uint" then
      refuse(what, "expected %d seeds of int32, got %s", count, graph.describe(getter))
    end
    return graph.convert(getter, dtypes.int32):copy "C":ravel()
  end
  local seed = layout.whole(getter)
  if not seed or seed < -2 ^ 31 or seed >= 2 ^ 32 then
    refuse(what, "expected a function that returns seeds, an array of int32, or a number of 32 bits, got " ..
      element.describe(getter))
  end
  return gpuarray.full(count, seed % 2 ^ 32, "uint32"):astype "int32"
end

---Makes a generator.
---@param name string  "XORWOW" or "MRG32k3a"
---@param default fun(count: integer): cudalua.gpuarray.Array
---@param seed_getter? any
---@param offset? integer
---@param options? {generators: integer}
---@return cudalua.random.StateGenerator
function M.new(name, default, seed_getter, offset, options)
  local what = name .. "RandomNumberGenerator"
  local o = errors.options(what, options, known_options)
  local count = o.generators == nil and COUNT or layout.whole(o.generators)
  if not count or count < 1 or count > 2 ^ 24 then
    refuse(what, "generators must be an integer from 1 to 2^24, got " .. element.describe(o.generators))
  end
  local kind = kinds[name]
  local g = { name = name, kind = kind, count = count, context = core.context_id() }
  local seeds = seeds_of(what, seed_getter == nil and default or seed_getter, count)
  g.states = make.fresh(what, { WORDS, count }, dtypes.uint32, "C")
  runs.until_done(begin, g, kernel(kind, "begin", "begin", {}), seeds)
  local maps = {}
  while 2 ^ #maps < count do maps[#maps + 1] = jump.square(name, kind.apart + #maps) end
  if #maps > 0 then apply(g, { maps = upload(name, maps), own = true, steps = 0 }) end
  local fields = { generators = count, state = g.states }
  local self = fills.object(class, Methods, g, what, count, function(key) return fields[key] end)
  if offset ~= nil then self:call_skip_ahead(offset) end
  return self
end

M.Methods = require("cudalua.base.surplus").install(class.name .. ":", Methods)

return M
