-- The generator that arrays of random numbers come from: Philox4x32-10, whose numbers are a function of a seed and a
-- position. What it gives are expressions (draw.lua); it itself is a seed and how far it got.

local bit = require "bit"
local ffi = require "ffi"
local draw = require "cudalua.random.draw"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local gpuarray = require "cudalua.gpuarray"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local names = require "cudalua.base.names"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local philox = require "cudalua.random.philox"
local surplus = require "cudalua.base.surplus"

local abs, ceil, floor, huge = math.abs, math.ceil, math.floor, math.huge
local refuse, is_array = layout.refuse, object.is_array

---A generator of random numbers, created by random.Generator().
---@class cudalua.random.Generator
local Generator = names.class({}, "Generator")

local TAG = "cudalua.random.Generator"
local mt = { __index = Generator, __metatable = TAG, __name = TAG,
  __tostring = function(self) return ("random.Generator(%s)"):format(tostring(self._seed):gsub("ULL$", "")) end }

local M = { Generator = Generator }

---@param x any
---@return boolean
function M.is_generator(x) return type(x) == "table" and getmetatable(x) == TAG end

local function check_self(self, what)
  if not M.is_generator(self) then
    refuse(what, "expected a Generator (call it as rng:name(...)), got " .. element.describe(self))
  end
end

-- ---- seeds and positions --------------------------------------------------------------------------------------------

local uint64_t = ffi.typeof "uint64_t"

---A seed as 64 bits.
---@param what string
---@param seed any
---@return ffi.cdata*
function M.seed_bits(what, seed)
  local x = element.scalar(seed)
  if type(x) == "number" and x >= 0 and x <= 2 ^ 53 and x == floor(x) then return uint64_t(x) end
  if type(x) == "cdata" and not element.is_complex(x) and not (ffi.istype("int64_t", x) and x < 0) then
    return ffi.cast(uint64_t, x)
  end
  refuse(what, "the seed must be a non-negative integer, got " .. element.describe(seed))
end

local function entropy()
  local file = io.open("/dev/urandom", "rb")
  local bytes = file and file:read(8)
  if file then file:close() end
  if bytes and #bytes == 8 then
    local bits = ffi.new "uint64_t[1]"
    ffi.copy(bits, bytes, 8)
    return bits[0]
  end
  return uint64_t(os.time()) * 1000003ULL + uint64_t(floor(os.clock() * 1e6))
end

local MOST = 2 ^ 53 -- blocks of a seed

-- Takes so many blocks: the seed, and the first one's position. A draw takes all its blocks at once, on one line, as a
-- finalizer of the user's may draw, too: of two draws one has all its numbers before those of the other.
local function reserve(self, what, blocks)
  local seed, at = self._seed, self._position if blocks <= MOST - at then self._position = at + blocks else at = nil end
  if not at then refuse(what, "the sequence of this seed is exhausted; start another one with seed(...)") end
  return seed, at
end

-- The same for who knows the number of blocks from their words: false if the generator is elsewhere by now.
local function reserve_from(self, what, seed, at, blocks)
  if blocks > MOST - at then refuse(what, "the sequence of this seed is exhausted; start another one with " ..
    "seed(...)") end
  if self._seed == seed and self._position == at then self._position = at + blocks else return false end
  return true
end

-- Takes so many blocks: the state of the first one.
local function take(self, what, blocks) return philox.state(reserve(self, what, blocks)) end

---A generator of random numbers. Two of the same seed give the same numbers, on every device.
---@param seed? integer|ffi.cdata*  non-negative; default: unpredictable
---@return cudalua.random.Generator
---@raise LogicError if the seed is not a non-negative integer
function M.new(seed)
  local bits = seed == nil and entropy() or M.seed_bits("random.Generator", seed)
  return setmetatable({ _seed = bits, _position = 0 }, mt)
end

---Sets a seed and starts its sequence.
---@param seed? integer|ffi.cdata*  a non-negative integer; default: unpredictable
---@return cudalua.random.Generator self
---@raise LogicError if the seed is not a non-negative integer
function Generator:seed(seed)
  check_self(self, "Generator:seed")
  self._seed, self._position = seed == nil and entropy() or M.seed_bits("Generator:seed", seed), 0
  return self
end

local PREFIX = "philox4x32-10"

---Returns the state of the generator as a string for set_state().
---@return string
function Generator:get_state()
  check_self(self, "Generator:get_state")
  local seed, position = self._seed, self._position
  return ("%s %s%s %.0f"):format(PREFIX, bit.tohex(tonumber(seed / 2 ^ 32ULL)), bit.tohex(tonumber(seed % 2 ^ 32ULL)),
    position)
end

---Restores the state that get_state() returned.
---@param state string  a string that get_state() returned
---@return cudalua.random.Generator self
---@raise LogicError if state is not such a string
function Generator:set_state(state)
  check_self(self, "Generator:set_state")
  local high, low, position
  if type(state) == "string" then
    high, low, position = state:match "^philox4x32%-10 (%x%x%x%x%x%x%x%x)(%x%x%x%x%x%x%x%x) (%d+)$"
  end
  position = tonumber(position)
  if not position or position > MOST then
    refuse("Generator:set_state", "expected a string that get_state() returned, got " .. element.describe(state))
  end
  self._seed, self._position = uint64_t(tonumber(high, 16)) * 2 ^ 32ULL + uint64_t(tonumber(low, 16)), position
  return self
end

---Skips numbers: `blocks` times four 32-bit words. Arrays with elements of up to 32 bits use one block for four
---elements, with 64 bits one for two. Distributions that draw repeatedly (gamma, beta, Poisson, binomial) use one for
---each element, beta two.
---@param blocks integer  the number of blocks, non-negative
---@return cudalua.random.Generator self
---@raise LogicError if blocks is not a non-negative integer, or the sequence ends
function Generator:skip_ahead(blocks)
  check_self(self, "Generator:skip_ahead")
  local n = layout.whole(blocks)
  if not n or n < 0 then
    refuse("Generator:skip_ahead", "expected a non-negative integer, got " .. element.describe(blocks))
  end
  reserve(self, "Generator:skip_ahead", n)
  return self
end

---Returns generators that are independent of this one and of each other, for parts of a program that run in any order.
---@param count? integer  the number of generators, from 1 to 200; default: 1
---@return cudalua.random.Generator ...  as many as requested
---@raise LogicError if count is not an integer from 1 to 200
function Generator:spawn(count)
  check_self(self, "Generator:spawn")
  local n = count == nil and 1 or layout.whole(count)
  if not n or n < 1 or n > 200 then
    refuse("Generator:spawn", "expected an integer from 1 to 200, got " .. element.describe(count))
  end
  local list, seed, first = {}, reserve(self, "Generator:spawn", n)
  local k0, k1 = tonumber(seed % 2 ^ 32ULL), tonumber(seed / 2 ^ 32ULL)
  for k = 1, n do
    local at = first + k - 1
    -- Kernels leave the last word of the counter 0.
    local low, high = philox.block(at % 2 ^ 32, floor(at / 2 ^ 32), 0, 1, k0, k1)
    list[k] = M.new(uint64_t(high) * 2 ^ 32ULL + uint64_t(low))
  end
  return unpack(list, 1, n)
end

---A generator that draws a part of each array, where this one would draw it all: for plain distributions.
---@param self cudalua.random.Generator
---@param part {axis: integer, first: integer, past: integer}  counted from 0
---@return cudalua.random.Generator
function M.of_part(self, part)
  return setmetatable({ _seed = self._seed, _position = self._position, _part = part }, mt)
end

---Moves a generator to where another one has got.
---@param self cudalua.random.Generator
---@param other cudalua.random.Generator
function M.follow(self, other) self._seed, self._position = other._seed, other._position end

-- ---- arguments ------------------------------------------------------------------------------------------------------

local function call_of(what) return require("cudalua.base.named").call_of(what, Generator[what:match "[%w_]+$"]) end

-- Other libraries take the shape last. The text for a call that may have their order.
local function order_of(what) return "the shape comes first: " .. call_of(what) end

-- A number, or an array of numbers; `valid` says which numbers are.
local function parameter(what, name, x, default, valid, must)
  if x == nil and default ~= nil then return default end
  if is_array(x) then
    if x._dtype.kind == "complex" or x._dtype.kind == "struct" then
      refuse(what, "%s is an array of %s, not of real numbers", name, x._dtype.name)
    end
    return x
  end
  local v = element.scalar(x)
  if type(v) == "cdata" and not element.is_complex(v) then v = tonumber(v) end
  if type(v) ~= "number" or v ~= v or v == math.huge or v == -math.huge then
    local is_dtype = hooks.dtype_of(x) ~= nil
    local plain_table = type(x) == "table" and not getmetatable(x)
    local text = plain_table and x[1] ~= nil and "; " .. order_of(what)
      or (is_dtype or plain_table) and "; write " .. call_of(what) or ""
    if is_dtype then text = text .. ", or {dtype = ...} behind the shape" end
    refuse(what, "%s must be a number or an array, got %s%s", name,
      is_dtype and errors.text(x) or element.describe(x), text)
  end
  if valid and not valid(v) then refuse(what, "%s must be %s, got %s", name, must, element.describe(x)) end
  return v
end

local function at_least_0(x) return x >= 0 end
local function expectation(x) return x >= 0 and x <= 2 ^ 60 end
local function tries(x) return x >= 0 and x == floor(x) and x < 2 ^ 63 end
local function above_0(x) return x > 0 end
local function probability(x) return x >= 0 and x <= 1 end

local function check_fits(what, x, shape)
  local own, before = x._shape, #shape - x._ndim
  for k = x._ndim, 1, -1 do
    if before < 0 or own[k] ~= 1 and own[k] ~= shape[before + k] then
      refuse(what, "an array of parameters has the shape %s, which cannot be broadcast to %s", layout.text(own),
        layout.text(shape))
    end
  end
end

-- The shape that is asked for, which the parameters that are arrays fit into; by default theirs.
local function shape_of(what, shape, a, b)
  local list = {}
  for _, x in ipairs { a or false, b or false } do
    if is_array(x) then list[#list + 1] = x end
  end
  if shape ~= nil then
    local number = element.scalar(shape)
    if type(number) == "number" and not (layout.whole(number) and number >= 0) then
      refuse(what, "shape must be a non-negative integer or a list of them, got %s; %s", element.describe(shape),
        order_of(what))
    end
    shape = layout.numbers(what, "shape", shape, 0)
    layout.size(what, shape, 16)
    for _, x in ipairs(list) do check_fits(what, x, shape) end
    return shape
  end
  if #list == 2 then return graph.broadcast({ name = what }, list[1], list[2]) end
  return #list == 1 and list[1]._shape or {}
end

local function float_of(what, dtype)
  dtype = dtype == nil and dtypes.default_float() or dtypes._of(what, dtype)
  if dtype.kind ~= "float" then refuse(what, "%s is not a floating-point type", dtype.name) end
  return dtype
end

local function integer_of(what, dtype)
  dtype = dtype == nil and dtypes.int64 or dtypes._of(what, dtype)
  if dtype.kind ~= "int" and dtype.kind ~= "uint" then refuse(what, "%s is not an integer type", dtype.name) end
  return dtype
end

-- float32 stands in for the short floats.
local function made_in(dtype) return dtype.itemsize == 8 and dtypes.float64 or dtypes.float32 end

-- x * factor + term, leaving out what changes nothing.
local function scaled(x, factor, term)
  if factor ~= 1 then x = x * factor end
  if term ~= 0 then x = x + term end
  return x
end

local function drawn(self, what, op, shape, each, third)
  return draw.draw(op, shape, take(self, what, ceil(graph.size_of(shape) / each)), third, self._part)
end

-- A draw of so many bits for each element.
local function plain(self, what, name, shape, dtype)
  return drawn(self, what, draw.ops[name][dtype.name], shape, dtype.itemsize == 8 and 2 or 4)
end

-- ---- continuous distributions ---------------------------------------------------------------------------------------

---Uniformly distributed numbers from low up to high, which is excluded. They have 24 random bits for float32, 53 for
---float64, 11 for float16, and 8 for bfloat16. (low + u * (high - low) may round to high.)
---@param shape? integer|integer[]  as for gpuarray.empty; default: the shape of the parameters
---@param low? any  a number or an array, default 0
---@param high? any  a number or an array, default 1
---@param dtype? any a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array: the kernel that needs the numbers generates them
---@raise LogicError for other types, and shapes that do not broadcast
function Generator:uniform(shape, low, high, dtype)
  local what = "Generator:uniform"
  check_self(self, what)
  low, high = parameter(what, "low", low, 0), parameter(what, "high", high, 1)
  dtype, shape = float_of(what, dtype), shape_of(what, shape, low, high)
  if type(low) == "number" and type(high) == "number" and abs(high - low) == huge then
    refuse(what, "high - low is not finite: %g, %g", high, low)
  end
  return graph.as_type(scaled(plain(self, what, "uniform", shape, dtype), high - low, low), dtype)
end

---Normally distributed numbers.
---@param shape? integer|integer[]  as for uniform
---@param mean? any  a number or an array, default 0
---@param sigma? any  the standard deviation, a number or an array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as uniform, and for a negative sigma
function Generator:normal(shape, mean, sigma, dtype)
  local what = "Generator:normal"
  check_self(self, what)
  mean, sigma = parameter(what, "mean", mean, 0), parameter(what, "sigma", sigma, 1, at_least_0, "at least 0")
  dtype, shape = float_of(what, dtype), shape_of(what, shape, mean, sigma)
  return graph.as_type(scaled(plain(self, what, "normal", shape, made_in(dtype)), sigma, mean), dtype)
end

---Log-normally distributed numbers.
---@param shape? integer|integer[]  as for uniform
---@param mean? any  the mean of the logarithms: a number or an array, default 0
---@param sigma? any  the standard deviation of the logarithms: a number or an array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as normal
function Generator:log_normal(shape, mean, sigma, dtype)
  local what = "Generator:log_normal"
  check_self(self, what)
  mean, sigma = parameter(what, "mean", mean, 0), parameter(what, "sigma", sigma, 1, at_least_0, "at least 0")
  dtype, shape = float_of(what, dtype), shape_of(what, shape, mean, sigma)
  local t = made_in(dtype)
  local x = graph.as_type(scaled(plain(self, what, "normal", shape, t), sigma, mean), t)
  return graph.as_type(graph.unary(draw.exp[t.name], x), dtype)
end

---Exponentially distributed numbers.
---@param shape? integer|integer[]  as for uniform
---@param scale? any  the mean, a number or an array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as uniform, and for a negative scale
function Generator:exponential(shape, scale, dtype)
  local what = "Generator:exponential"
  check_self(self, what)
  scale = parameter(what, "scale", scale, 1, at_least_0, "at least 0")
  dtype, shape = float_of(what, dtype), shape_of(what, shape, scale)
  return graph.as_type(scaled(plain(self, what, "exponential", shape, made_in(dtype)), scale, 0), dtype)
end

---Gamma-distributed numbers. The density is proportional to x^(k - 1) exp(-x / scale).
---@param shape? integer|integer[]  as for uniform
---@param k any  the shape parameter of the distribution, positive: a number or an array; elements below 0 give NaN
---@param scale? any  a number or an array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as uniform, and for a k or scale that is not positive
function Generator:gamma(shape, k, scale, dtype)
  local what = "Generator:gamma"
  check_self(self, what)
  k = parameter(what, "k", k, nil, above_0, "above 0")
  scale = parameter(what, "scale", scale, 1, at_least_0, "at least 0")
  dtype, shape = float_of(what, dtype), shape_of(what, shape, k, scale)
  return graph.as_type(scaled(drawn(self, what, draw.ops.gamma, shape, 1, k), scale, 0), dtype)
end

---Beta-distributed numbers, between 0 and 1. The density is proportional to x^(a - 1) (1 - x)^(b - 1).
---@param shape? integer|integer[]  as for uniform
---@param a any  a positive number or an array
---@param b any  a positive number or an array
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as uniform, and for an a or b that is not positive
function Generator:beta(shape, a, b, dtype)
  local what = "Generator:beta"
  check_self(self, what)
  a, b = parameter(what, "a", a, nil, above_0, "above 0"), parameter(what, "b", b, nil, above_0, "above 0")
  dtype, shape = float_of(what, dtype), shape_of(what, shape, a, b)
  local n = graph.size_of(shape)
  local seed, at = reserve(self, what, 2 * n)
  local x = draw.draw(draw.ops.log_gamma, shape, philox.state(seed, at), a)
  local y = draw.draw(draw.ops.log_gamma, shape, philox.state(seed, at + n), b)
  return graph.as_type(graph.binary(draw.ratio, x, y), dtype)
end

-- ---- discrete distributions -----------------------------------------------------------------------------------------

---Poisson-distributed numbers with the expected value `mean`.
---@param shape? integer|integer[]  as for uniform
---@param mean any  a number or an array, from 0 to 2^60; if an element is negative or NaN, the result is 0
---@param dtype? any  an integer type; values out of its range wrap around; default: int64
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError for other types, a mean out of range, and shapes that do not broadcast
function Generator:poisson(shape, mean, dtype)
  local what = "Generator:poisson"
  check_self(self, what)
  mean = parameter(what, "mean", mean, nil, expectation, "from 0 to 2^60")
  dtype, shape = integer_of(what, dtype), shape_of(what, shape, mean)
  return graph.as_type(drawn(self, what, draw.ops.poisson, shape, 1, mean), dtype)
end

---Binomially distributed numbers: the successes in n trials, each with probability p.
---@param shape? integer|integer[]  as for uniform
---@param n any  a non-negative integer or an array; if an element is not one, the result is 0
---@param p any  a number from 0 to 1 or an array; if an element is out of range, the result is 0
---@param dtype? any  an integer type; values out of its range wrap around; default: int64
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError for other types, numbers out of range, and shapes that do not broadcast
function Generator:binomial(shape, n, p, dtype)
  local what = "Generator:binomial"
  check_self(self, what)
  n = parameter(what, "n", n, nil, tries, "an integer from 0 to below 2^63")
  p = parameter(what, "p", p, nil, probability, "from 0 to 1")
  dtype, shape = integer_of(what, dtype), shape_of(what, shape, n, p)
  local of
  if is_array(n) or is_array(p) then
    of = graph.binary(draw.pair, n, p)
  else
    of = ffi.new("complex", n, p)
  end
  return graph.as_type(drawn(self, what, draw.ops.binomial, shape, 1, of), dtype)
end

-- A bound as 64 bits.
local function whole_bits(what, name, x, dtype)
  local v, why = dtype._check(x)
  if why then refuse(what, "%s: %s; %s", name, why, order_of(what)) end
  return ffi.cast("int64_t", v), v
end

-- A bound that is an array, or a number beside one.
local function bound_of(what, name, x, dtype, t)
  if is_array(x) then
    if x._dtype.kind ~= "int" and x._dtype.kind ~= "uint" then
      refuse(what, "%s is an array of %s, not of integers", name, x._dtype.name)
    end
    return graph.as_type(x, t)
  end
  local _, v = whole_bits(what, name, x, dtype)
  return gpuarray.full({}, v, t)
end

-- Between bounds of which one is an array at least: 64 bits for each, since nobody knows how large ranges are.
local function between(self, what, shape, low, high, dtype)
  local t = dtype == dtypes.uint64 and dtype or dtypes.int64
  low, high = bound_of(what, "low", low, dtype, t), bound_of(what, "high", high, dtype, t)
  local count = graph.convert(gpuarray.where(high:lt(low), 0, high - low), dtypes.uint64) + 1
  return graph.as_type(graph.convert(drawn(self, what, draw.ops.bounded64, shape, 2, count), t) + low, dtype)
end

---Uniformly distributed integers from low to high, both included.
---@param shape? integer|integer[]  as for uniform
---@param low any  an integer or an array of integers
---@param high any  an integer that is at least low, or an array of integers; for elements below low, the result is low
---@param dtype? any  an integer type; default: int64
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError for other types, numbers that the type cannot hold, a high below low, and shapes that do not
---  broadcast
function Generator:integers(shape, low, high, dtype)
  local what = "Generator:integers"
  check_self(self, what)
  dtype, shape = integer_of(what, dtype), shape_of(what, shape, low, high)
  if is_array(low) or is_array(high) then return between(self, what, shape, low, high, dtype) end
  local first, lowest = whole_bits(what, "low", low, dtype)
  local last, highest = whole_bits(what, "high", high, dtype)
  if highest < lowest then
    refuse(what, "high is below low: %s, %s; %s", tostring(high), tostring(low), order_of(what))
  end
  local count = ffi.cast(uint64_t, last - first) + 1ULL -- 0: all of 2^64
  local x
  if count ~= 0ULL and count <= 2 ^ 32ULL then
    x = drawn(self, what, draw.ops.bounded32, shape, 4, tonumber(count % 2 ^ 32ULL))
  else
    x = drawn(self, what, draw.ops.bounded64, shape, 2, count)
  end
  local t = dtype == dtypes.uint64 and dtype or dtypes.int64
  x = graph.convert(x, t)
  if first ~= 0LL then x = x + lowest end
  return graph.as_type(x, dtype)
end

-- ---- orders and samples ---------------------------------------------------------------------------------------------

local ON_THE_HOST = 2 ^ 14 -- positions

-- The positions 1 to n in random order, by Fisher and Yates, and how many words from a position on that took.
local function shuffled(seed, position, n)
  local word, words, list = philox.words(seed, position), 0, {}
  for i = 1, n do list[i] = i end
  for i = n, 2, -1 do
    local least, x = 2 ^ 32 % i
    repeat
      x = word() * i
      words = words + 1
    until x % 2 ^ 32 >= least
    local j = floor(x / 2 ^ 32) + 1
    list[i], list[j] = list[j], list[i]
  end
  return list, words
end

-- The first `count` of the positions 1 to n in random order, as int64: all orders are as likely where n is small, by
-- Fisher and Yates; where it is large, by a bijection.
local function positions(self, what, n, count)
  if n > ON_THE_HOST then
    return graph.convert(draw.draw(draw.ops.bijection, { count }, take(self, what, 6), n), dtypes.int64) + 1
  end
  local list, words
  repeat -- if a finalizer drew from this generator meanwhile, these numbers are taken
    local seed, at = self._seed, self._position
    list, words = shuffled(seed, at, n)
  until reserve_from(self, what, seed, at, ceil(words / 4))
  for i = n, count + 1, -1 do list[i] = nil end
  return gpuarray.to_gpu(list, "int64")
end

---Returns the positions 1 to n in random order, or the parts of an array along its first axis.
---@param x integer|cudalua.gpuarray.Array  the number of positions, or an array
---@return cudalua.gpuarray.Array  int64, or the dtype of the array
---@raise LogicError if x is neither, and for an array without axes
function Generator:permutation(x)
  local what = "Generator:permutation"
  check_self(self, what)
  if is_array(x) then
    if x._ndim == 0 then refuse(what, "a 0-d array has no order") end
    return gpuarray.take(x, positions(self, what, x._shape[1], x._shape[1]), { axis = 1 })
  end
  local n = layout.whole(x)
  if not n or n < 0 then refuse(what, "expected a non-negative integer or an array, got " .. element.describe(x)) end
  layout.size(what, { n }, 8)
  if n == 0 then return gpuarray.empty(0, "int64") end
  return positions(self, what, n, n)
end

-- Probabilities, which need not add up to 1, as a host array of float64; and how many are above 0.
local function probabilities(what, p, n)
  if is_array(p) then p = p:get { array = true } end
  local values = errors.within(what, ndarray.array, p, dtypes.float64)
  if values.ndim ~= 1 or values.size ~= n then refuse(what, "p must have a probability for each of %d", n) end
  local possible = 0
  for i = 1, n do
    local x = values[i]
    if x ~= x or x < 0 or x == huge then
      refuse(what, "p[%d] must be a non-negative finite number, got %s", i, tostring(x))
    end
    if x > 0 then possible = possible + 1 end
  end
  if possible == 0 then refuse(what, "p has no probability above 0") end
  return values, possible
end

-- The sums of probabilities, of which the last is 1, as an array.
local function distribution(values)
  local n = values.size
  local sums, sum = ndarray.empty(n, dtypes.float64), 0
  for i = 1, n do
    sum = sum + values[i]
    sums[i] = sum
  end
  local last = n
  while values[last] == 0 do last = last - 1 end
  for i = 1, n do sums[i] = i >= last and 1 or sums[i] / sum end
  return gpuarray.to_gpu(sums)
end

-- `size` different positions, one after the other, each with its probability among those that are left: they are in
-- the order in which events of these rates come first.
local function different(self, what, values, size)
  local rates = gpuarray.to_gpu(values)
  local times = plain(self, what, "exponential", { values.size }, dtypes.float64) / rates
  local _, at = gpuarray.where(rates:eq(0), 0 / 0, times):topk(size, { largest = false }) -- NaNs come last
  return at
end

local choice_options = { replace = true, p = true }

---Returns a random sample of the positions 1 to n, or of the parts of an array along its first axis.
---@param of integer|cudalua.gpuarray.Array  n, or the array
---@param shape? integer|integer[]  the shape of the sample; default: a single element
---@param options? {replace: boolean, p: any}  replace: draw with replacement; default true; false: draw each at most
---  once; p: a probability for each (they are divided by their sum); without replacement, for those that are left
---@return cudalua.gpuarray.Array  int64, or the dtype of the array
---@raise LogicError if of is neither, for an array without elements, invalid probabilities, and a sample that is too
---  large if replace is false
function Generator:choice(of, shape, options)
  local what = "Generator:choice"
  check_self(self, what)
  shape, options = dtypes._or_options(shape, options)
  local o = errors.options(what, options, choice_options)
  shape = shape_of(what, shape)
  local n = is_array(of) and (of._shape[1] or 0) or layout.whole(of)
  if not n or n < 1 then
    refuse(what, "expected a positive integer or an array with elements, got " .. graph.describe(of))
  end
  layout.flag(what, o, "replace")
  local size, values, possible = graph.size_of(shape), nil, nil
  if o.p ~= nil then values, possible = probabilities(what, o.p, n) end
  local at
  if o.replace == false then
    if size > (possible or n) then
      refuse(what, "cannot choose %.0f different elements of %.0f%s", size, possible or n,
        possible and possible < n and " with a probability above 0" or "")
    end
    if size == 0 then
      at = gpuarray.empty(shape, "int64")
    elseif values then
      at = different(self, what, values, size):reshape(shape)
    else
      at = positions(self, what, n, size):reshape(shape)
    end
  elseif values then
    at = gpuarray.searchsorted(distribution(values), plain(self, what, "uniform", shape, dtypes.float64),
      { side = "right" })
  else
    at = self:integers(shape, 1, n)
  end
  if not is_array(of) then return at end
  return gpuarray.take(of, at, { axis = 1 })
end

-- ---- as PyCUDA's generators -----------------------------------------------------------------------------------------

-- Numbers as PyCUDA's generators give them for a type: floats in (0, 1], integers of all values.
local function pycuda_uniform(self, what, shape, dtype)
  if dtype == dtypes.float32 or dtype == dtypes.float64 then return plain(self, what, "positive", shape, dtype) end
  if dtype.itemsize >= 4 and (dtype.kind == "int" or dtype.kind == "uint") then
    local x = plain(self, what, "bits", shape, dtype.itemsize == 4 and dtypes.uint32 or dtypes.uint64)
    return graph.as_type(x, dtype)
  end
  refuse(what, "uniform numbers must be float32, float64, or integers of 32 or 64 bits, not %s", dtype.name)
end

-- The array is written in the order of a stream.
local function fill(what, a, stream, made)
  if not is_array(a) then refuse(what, "expected a gpuarray, got " .. element.describe(a)) end
  local x = made()
  make.stream(what, stream):use(functions.deliver, what, x, a)
  return a
end

-- A new array is computed in the order of a stream, or not yet.
local function generated(what, stream, x)
  if stream ~= nil then make.stream(what, stream):use(function() x:eval() end) end
  return x
end

local function shape_and_size(what, shape)
  if shape == nil then refuse(what, "the shape is missing") end
  return shape_of(what, shape)
end

---Fills an array with uniformly distributed numbers: floats in (0, 1], as PyCUDA's; integers over their whole range.
---@param a cudalua.gpuarray.Array  an array of float32, float64, int32, uint32, int64 or uint64
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.gpuarray.Array a
---@raise LogicError for other arrays
function Generator:fill_uniform(a, stream)
  local what = "Generator:fill_uniform"
  check_self(self, what)
  return fill(what, a, stream, function() return pycuda_uniform(self, what, a._shape, a._dtype) end)
end

---Fills an array with normally distributed numbers with mean 0 and standard deviation 1.
---@param a cudalua.gpuarray.Array  an array of floats
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.gpuarray.Array a
---@raise LogicError for other arrays
function Generator:fill_normal(a, stream)
  local what = "Generator:fill_normal"
  check_self(self, what)
  return fill(what, a, stream, function() return self:normal(a._shape, 0, 1, a._dtype) end)
end

---Fills an array with log-normally distributed numbers.
---@param a cudalua.gpuarray.Array  an array of floats
---@param mean? any  the mean of the logarithms, as for log_normal
---@param sigma? any  the standard deviation of the logarithms, as for log_normal
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.gpuarray.Array a
---@raise LogicError for other arrays
function Generator:fill_log_normal(a, mean, sigma, stream)
  local what = "Generator:fill_log_normal"
  check_self(self, what)
  return fill(what, a, stream, function() return self:log_normal(a._shape, mean, sigma, a._dtype) end)
end

---Fills an array with Poisson-distributed numbers. Without a mean, each element is the mean of the number that replaces
---it.
---@param a cudalua.gpuarray.Array  an array of integers; without a mean, also of floats
---@param mean? any  a number or an array
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.gpuarray.Array a
---@raise LogicError for other arrays, and as poisson
function Generator:fill_poisson(a, mean, stream)
  local what = "Generator:fill_poisson"
  check_self(self, what)
  return fill(what, a, stream, function()
    local dtype = a._dtype
    if mean ~= nil or dtype.kind ~= "float" then return self:poisson(a._shape, mean == nil and a or mean, dtype) end
    return graph.as_type(self:poisson(a._shape, a), dtype)
  end)
end

---Uniformly distributed numbers: floats in (0, 1], as PyCUDA's; integers over their whole range.
---@param shape integer|integer[]  as for gpuarray.empty
---@param dtype? any               float32, float64, int32, uint32, int64 or uint64; default: the default float
---@param stream? cudalua.Stream  computes the numbers now; default: the stream that first needs them
---@return cudalua.gpuarray.Array
---@raise LogicError for other types and invalid shapes
function Generator:gen_uniform(shape, dtype, stream)
  local what = "Generator:gen_uniform"
  check_self(self, what)
  dtype = dtype == nil and dtypes.default_float() or dtypes._of(what, dtype, shape)
  return generated(what, stream, pycuda_uniform(self, what, shape_and_size(what, shape), dtype))
end

---Normally distributed numbers with mean 0 and standard deviation 1.
---@param shape integer|integer[]  as for gpuarray.empty
---@param dtype? any               a floating-point type; default: the default float
---@param stream? cudalua.Stream   as for gen_uniform
---@return cudalua.gpuarray.Array
---@raise LogicError for other types and invalid shapes
function Generator:gen_normal(shape, dtype, stream)
  local what = "Generator:gen_normal"
  check_self(self, what)
  return generated(what, stream, self:normal(shape_and_size(what, shape), 0, 1, dtype))
end

---Log-normally distributed numbers.
---@param shape integer|integer[]  as for gpuarray.empty
---@param dtype? any   a floating-point type; default: the default float
---@param mean? any  the mean of the logarithms, as for log_normal
---@param sigma? any  the standard deviation of the logarithms, as for log_normal
---@param stream? cudalua.Stream   as for gen_uniform
---@return cudalua.gpuarray.Array
---@raise LogicError for other types and invalid shapes
function Generator:gen_log_normal(shape, dtype, mean, sigma, stream)
  local what = "Generator:gen_log_normal"
  check_self(self, what)
  return generated(what, stream, self:log_normal(shape_and_size(what, shape), mean, sigma, dtype))
end

---Poisson-distributed numbers.
---@param shape integer|integer[]  as for gpuarray.empty
---@param dtype any    an integer type; nil: uint32, as PyCUDA's
---@param mean any  a number or an array
---@param stream? cudalua.Stream   as for gen_uniform
---@return cudalua.gpuarray.Array
---@raise LogicError for other types and invalid shapes
function Generator:gen_poisson(shape, dtype, mean, stream)
  local what = "Generator:gen_poisson"
  check_self(self, what)
  dtype = dtype == nil and dtypes.uint32 or dtype
  return generated(what, stream, self:poisson(shape_and_size(what, shape), mean, dtype))
end

---Uniform numbers as gen_uniform() gives them, for a function of another name.
---@param what string
---@param self cudalua.random.Generator
---@param shape any
---@param dtype cudalua.dtype.DType
---@return cudalua.gpuarray.Array
function M.uniform_as(what, self, shape, dtype)
  return pycuda_uniform(self, what, shape_and_size(what, shape), dtype)
end

surplus.install("Generator:", Generator, surplus.ALL)

return M
