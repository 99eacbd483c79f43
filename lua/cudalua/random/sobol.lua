-- Quasi-random sequences: Sobol's, of 32 and 64 bits, plain and scrambled. Their points fill the unit cube evenly;
-- point p is a function of p, so that a generator is how far it got.

local bit = require "bit"
local ffi = require "ffi"
local compute = require "cudalua.gpuarray.core.evaluate"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"
local fills = require "cudalua.random.fills"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local philox = require "cudalua.random.philox"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local surplus = require "cudalua.base.surplus"
local template = require "cudalua.gpuarray.kernel.template"

local bxor, rshift, lshift, band = bit.bxor, bit.rshift, bit.lshift, bit.band
local ceil = math.ceil
local leaf_of, refuse = storage.leaf_of, layout.refuse
local uint64_t = ffi.typeof "uint64_t"

local M = {}

-- ---- direction numbers ----------------------------------------------------------------------------------------------

---Dimensions that have direction numbers.
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
for name in pairs_of(sets) do M.direction_vector_set[name] = name end

local function count_of(what, name, count, most)
  local n = layout.whole(count)
  if not n or n < 1 or n > most then
    refuse(what, "%s must be an integer from 1 to %d, got %s", name, most, element.describe(count))
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
    refuse(what, "seed must be a non-negative integer, got " .. element.describe(seed))
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
    refuse(what, "seed must be a non-negative integer, got " .. element.describe(seed))
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
  high = { "uint32", "(unsigned)(x >> 32)", {} }, -- of 64 bits those that Sobol32 has
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

local MOST = { [32] = 2 ^ 32, [64] = 2 ^ 53 } -- points
local null = core.pointer(0)

-- How far dimensions are ahead of the generator's position. It is replaced, never changed.
---@class cudalua.random.SobolLead
---@field furthest integer  the most points
---@field steps? integer[]  of each dimension
---@field array? cudalua.gpuarray.Array  the same, for kernels

local level = { furthest = 0 }

-- Takes so many points: the first one, and the lead; nil if the sequence ends before. On one line, as a finalizer of
-- the user's may draw, too: of two draws one has all its points before those of the other.
local function take(g, points)
  local most = MOST[g.bits] - points
  local at, lead = g.position, g.lead if at + lead.furthest <= most then g.position = at + points else at = nil end
  return at, lead
end

---Points that were taken from a sequence.
---@class cudalua.random.SobolPoints
---@field count integer
---@field position integer  the first one
---@field lead table        how far each dimension is ahead
---@field mean any          of fills.mean_of()

---@param since integer
---@param g table
---@param k table
---@param x cudalua.gpuarray.Array
---@param points cudalua.random.SobolPoints
local function draw(since, g, k, x, points)
  local lead = points.lead
  local to, v, shifts = leaf_of(x), leaf_of(g.vectors), g.shifts and leaf_of(g.shifts)
  local ahead = lead.array and leaf_of(lead.array)
  local list = { x._size, to.buf, to.off, v.buf, v.off, shifts and shifts.buf or null, shifts and shifts.off or 0,
    ahead and ahead.buf or null, ahead and ahead.off or 0, g.dimensions, points.position }
  local read = fills.add_mean(list, points.mean)
  for _, leaf in ipairs { v, shifts or v, ahead or v } do read[#read + 1] = leaf end
  local threads = ceil(points.count / (RUN * SPAN)) * SPAN * g.dimensions
  return run.kernel { kernel = k, blocks = ceil(threads / BLOCK), arguments = list, since = since, leaves = read,
    writes = { to } } or run.AGAIN
end

local function check_left(g, what, left)
  if not left then refuse(what, "the numbers go beyond the 2^%d points of the sequence", g.bits == 32 and 32 or 53) end
end

local function fill(g, what, name, shape, mean)
  fills.check_context(g, what)
  local size = graph.size_of(shape)
  if size % g.dimensions ~= 0 then
    refuse(what, "the number of elements, %.0f, is not a multiple of the %d dimensions", size, g.dimensions)
  end
  local points = size / g.dimensions
  check_left(g, what, g.position + g.lead.furthest + points <= MOST[g.bits])
  local k = kernel(g, name)
  local x = make.fresh(what, shape, k.dtype, "C")
  if size == 0 then return x end
  mean = fills.mean_of(mean)
  local position, lead = take(g, points)
  check_left(g, what, position)
  run.until_done(draw, g, k, x, { count = points, position = position, lead = lead, mean = mean })
  return x
end

local class = { name = "SobolGenerator", expected = "a Sobol generator", tag = "cudalua.random.SobolGenerator",
  most = 30, fill = fill,
  integers = function(g) return g.bits == 64 and "integers of 32 or 64 bits" or "integers of 32 bits" end,
  words = function(g, dtype)
    if dtype.itemsize == g.bits / 8 then return "bits" end
    return dtype.itemsize == 4 and "high" or nil
  end,
  -- A number is one of points: an axis of the dimensions comes with it where there are several.
  points = function(g, shape) if g.dimensions > 1 then shape[2] = g.dimensions end end }

---A quasi-random generator as in PyCUDA: Sobol32RandomNumberGenerator and its three relatives.
---@class cudalua.random.SobolGenerator: cudalua.random.FillGenerator
---@field dimensions integer  the number of dimensions
---@field position integer   the next point, from 0
local Methods = fills.methods(class)

local function nothing() end -- done in a stream, it tells whether the stream is one

---Skips points.
---@param n integer  the number of points, non-negative
---@param stream? cudalua.Stream  accepted as in PyCUDA; the generator's position does not depend on it
---@return cudalua.random.SobolGenerator self
---@raise LogicError if n is not such a number, and at the end of the sequence
function Methods:call_skip_ahead(n, stream)
  local what = "SobolGenerator:call_skip_ahead"
  local g = fills.inner(class, self, what)
  if stream ~= nil then make.stream(what, stream):use(nothing) end
  local points = layout.whole(n)
  if not points or points < 0 or not take(g, points) then
    refuse(what, "expected a number of points that are left, got " .. element.describe(n))
  end
  return self
end

-- The lead of these steps of each dimension; nil for none.
local function lead_of(g, what, list)
  fills.check_context(g, what)
  local furthest = list and math.max(unpack(list)) or 0
  if furthest == 0 then return level end
  return { furthest = furthest, steps = list, array = make.device_array(what, ndarray.array(list, "uint64")) }
end

-- False if the generator is elsewhere by now.
local function move_ahead(g, position, lead, new)
  if g.position == position and g.lead == lead then g.lead = new else return false end
  return true
end

---Skips points, in each dimension separately. The program waits for the numbers.
---@param n cudalua.gpuarray.Array  an array of non-negative integers, one for each dimension
---@param stream? cudalua.Stream  accepted as in PyCUDA; the generator's position does not depend on it
---@return cudalua.random.SobolGenerator self
---@raise LogicError if n is not such an array, and at the end of the sequence
function Methods:call_skip_ahead_array(n, stream)
  local what = "SobolGenerator:call_skip_ahead_array"
  local g = fills.inner(class, self, what)
  if stream ~= nil then make.stream(what, stream):use(nothing) end
  if not object.is_array(n) or n._ndim ~= 1 or n._size ~= g.dimensions or not n._dtype.name:find "int" then
    refuse(what, "expected an array of %d integers, one for each dimension, got %s", g.dimensions, graph.describe(n))
  end
  local host = n:get()
  repeat -- a finalizer may leave points out, too
    local position, lead, list = g.position, g.lead, {}
    for d = 1, g.dimensions do
      local points = tonumber(host[d])
      list[d] = (lead.steps and lead.steps[d] or 0) + points
      if points < 0 or position + list[d] > MOST[g.bits] then
        refuse(what, "[%d]: expected a number of points that are left, got %.0f", d, points)
      end
    end
  until move_ahead(g, position, lead, lead_of(g, what, list))
  return self
end

---Returns the position of the generator as a string for set_state(); the direction numbers are not part of it.
---@return string
function Methods:get_state()
  local g = fills.inner(class, self, "SobolGenerator:get_state")
  local position, lead = g.position, g.lead
  local out = { ("%s %d %.0f"):format(g.name, g.dimensions, position) }
  for d, steps in ipairs(lead.steps or {}) do out[d + 1] = ("%.0f"):format(steps) end
  return table.concat(out, " ")
end

---Moves to the position that get_state() of a generator of the same kind and dimensions returned.
---@param state string  a string that get_state() returned
---@return cudalua.random.SobolGenerator self
---@raise LogicError for another generator's state
function Methods:set_state(state)
  local g = fills.inner(class, self, "SobolGenerator:set_state")
  local head = ("%s %d "):format(g.name, g.dimensions)
  local list, furthest = {}, 0
  local numbers = type(state) == "string" and state:sub(1, #head) == head and state:sub(#head):match "^[ %d]+$" or ""
  for x in numbers:gmatch " (%d+)" do list[#list + 1] = tonumber(x) end
  local position = table.remove(list, 1)
  for _, steps in ipairs(list) do furthest = math.max(furthest, steps) end
  if not position or position + furthest > MOST[g.bits] or #list > 0 and #list ~= g.dimensions then
    refuse("SobolGenerator:set_state", "expected a string that get_state() of such a generator returned, got " ..
      element.describe(state))
  end
  local lead = level
  if #list > 0 or g.lead.steps then lead = lead_of(g, "SobolGenerator:set_state", list[1] and list) end
  g.position, g.lead = position, lead
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

local kinds = {
  Sobol32 = { bits = 32, scrambled = false }, ScrambledSobol32 = { bits = 32, scrambled = true },
  Sobol64 = { bits = 64, scrambled = false }, ScrambledSobol64 = { bits = 64, scrambled = true },
}

---Makes a generator.
---@param name "Sobol32"|"Sobol64"|"ScrambledSobol32"|"ScrambledSobol64"
---@param vectors? any
---@param shifts? any
---@param offset? integer
---@param options? {dimensions: integer, seed: integer}
---@return cudalua.random.SobolGenerator
function M.new(name, vectors, shifts, offset, options)
  local what, bits, scrambled = name .. "RandomNumberGenerator", kinds[name].bits, kinds[name].scrambled
  local o = errors.options(what, options, known_options)
  if vectors ~= nil and o.dimensions ~= nil then
    refuse(what, "direction vectors set the dimensions; omit option dimensions")
  end
  local word = dtypes["uint" .. bits]
  local g = { name = name, bits = bits, context = core.context_id(), position = 0, lead = level }
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
  local self = fills.object(class, Methods, g, what, g.dimensions,
    function(key) if key == "dimensions" or key == "position" then return g[key] end end)
  if offset ~= nil then self:call_skip_ahead(offset) end
  return self
end

M.Methods = surplus.install(class.name .. ":", Methods)
for _, name in ipairs { "generate_direction_vectors", "generate_scramble_constants32",
  "generate_scramble_constants64" } do
  M[name] = surplus.wrap("random." .. name, M[name])
end

return M
