-- Numbers at equal distances: what the arguments of arange, linspace and eye say, on the host and on the device, and
-- NumPy's formulas for the elements, so that both give the same bits.

local ffi = require "ffi"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local float16 = require "cudalua.base.float16"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local pairs_of = require "cudalua.base.pairs_of"

local ceil, huge, refuse = math.ceil, math.huge, layout.refuse

local M = {}

local int64_t, uint64_t = ffi.typeof "int64_t", ffi.typeof "uint64_t"

-- A number; a 64-bit integer beyond 2^53 as int64_t or uint64_t. Nil for anything else.
local function number_of(x)
  x = element.scalar(x)
  if type(x) == "cdata" then
    if element.is_complex(x) then return nil end
    x = host.plain_number(x)
  end
  return type(x) ~= "boolean" and x or nil
end

-- As numbers_first; 64-bit integers beyond 2^53 stay what they are.
local function exact_numbers_first(what, names, least, ...)
  local given, numbers, at = { ... }, {}, 1
  while at <= #names do -- nil has its default: eye(3, nil, 1), arange(10, nil, nil, "int8")
    numbers[at] = number_of(given[at])
    if numbers[at] == nil and given[at] ~= nil then break end
    at = at + 1
  end
  for k = 1, least do
    if numbers[k] == nil then
      refuse(what, ("%s must be a number, got %s%s"):format(names[k], element.describe(given[k]),
        k == 1 and layout.dot(what, given[k]) or ""))
    end
  end
  for k = at + 2, 5 do
    if given[k] ~= nil then
      refuse(what, ("%s must be a number, got %s"):format(names[at] or "stop", element.describe(given[at])))
    end
  end
  return numbers, dtypes._or_options(given[at], given[at + 1])
end

---The numbers that an argument list begins with, then a dtype and options: five arguments, some nil.
---@param what string
---@param names string[]   of the numbers
---@param least integer    how many there must be
---@param ... any
---@return number[]
---@return any dtype
---@return any options
function M.numbers_first(what, names, least, ...)
  local numbers, dtype, options = exact_numbers_first(what, names, least, ...)
  for k = 1, #names do numbers[k] = tonumber(numbers[k]) end
  return numbers, dtype, options
end

local function is_finite(x) return x == x and x ~= huge and x ~= -huge end

local function all_whole(numbers)
  for _, x in pairs_of(numbers) do
    if not layout.whole(x) then return false end
  end
  return true
end

local float_t = ffi.typeof "float"
local function single(x) return tonumber(float_t(x)) end
local function double(x) return x end

-- dtype -> what it makes of a number, and the precision that its ranges are computed in.
local rounding = {
  float16 = { function(x) return float16.unpack_float16(float16.pack_float16(x)) end, single },
  bfloat16 = { function(x) return float16.unpack_bfloat16(float16.pack_bfloat16(x)) end, single },
  float32 = { single, single }, complex64 = { single, single },
  float64 = { double, double }, complex128 = { double, double },
}

---@class cudalua.ranges.Arange
---@field n integer        how many numbers
---@field dtype cudalua.dtype.DType
---@field first any        as the dtype has it; an int64_t if a Lua number may not hold it, of uint64 with its bits
---@field second number    of floats: the one after it, as the dtype has it
---@field delta any        the distance of these two; an int64_t as `first`
---@field at fun(i: integer): any  the number at a position from 0, before it is rounded to the dtype

local INT64_MAX = 0x7fffffffffffffffULL

-- A range of 64-bit integers, of which a Lua number does not hold some; nil if one is not an integer. Signed, or
-- unsigned where one end is beyond the signed ones.
local function exact_range(what, start, stop, step, dtype)
  local unsigned = false
  for _, x in ipairs { start, stop, step } do
    if type(x) ~= "cdata" and not layout.whole(x) then return nil end
  end
  for _, x in ipairs { start, stop } do
    unsigned = unsigned or ffi.istype(uint64_t, x) and x > INT64_MAX
  end
  local down = not ffi.istype(uint64_t, step) and step < 0
  for _, x in ipairs { start, stop } do
    if unsigned and not ffi.istype(uint64_t, x) and x < 0 then
      refuse(what, ("%s and %s have no common integer type"):format(element.describe(start),
        element.describe(stop)))
    end
  end
  local number_t = unsigned and uint64_t or int64_t
  local first, last = number_t(start), number_t(stop)
  local n = 0
  if down and first > last or not down and first < last then
    local span = down and uint64_t(first) - uint64_t(last) or uint64_t(last) - uint64_t(first)
    local stride = down and 0ULL - uint64_t(int64_t(step)) or uint64_t(step)
    n = (span - 1) / stride + 1
    if n > 2ULL ^ 53 then refuse(what, "too many elements") end
    n = tonumber(n)
  end
  local delta = ffi.istype(uint64_t, step) and ffi.cast(int64_t, step) or int64_t(step)
  return { n = n, dtype = dtype or unsigned and dtypes.uint64 or dtypes.int64, first = ffi.cast(int64_t, first),
    delta = delta, at = function(i) return first + ffi.cast(number_t, delta) * ffi.cast(number_t, i) end }
end

---What arange(start, stop, step, dtype, options) is. Integers are first + i * step; of floats the first two numbers are
---rounded to the type, and the others follow from those two, as NumPy has it: in float32 for float32 and less.
---@param what string
---@param ... any
---@return cudalua.ranges.Arange
---@return any options
---@raise LogicError for a step of 0 and numbers that are not finite
function M.arange(what, ...)
  local numbers, dtype, options = exact_numbers_first(what, { "start", "stop", "step" }, 1, ...)
  local start, stop, step = numbers[1], numbers[2], numbers[3] or 1
  if not stop then start, stop = 0, start end
  if dtype ~= nil then dtype = dtypes._of(what, dtype) end
  if step == 0 then refuse(what, "the step cannot be 0") end
  local n
  if type(start) == "cdata" or type(stop) == "cdata" or type(step) == "cdata" then
    local r = exact_range(what, start, stop, step, dtype)
    if r and not rounding[r.dtype.name] then return r, options end
    n = r and r.n
    start, stop, step = tonumber(start), tonumber(stop), tonumber(step)
  end
  for _, x in ipairs { start, stop, step } do
    if not is_finite(x) then refuse(what, "expected finite numbers, got " .. element.describe(x)) end
  end
  if dtype == nil then
    dtype = all_whole { start, stop, step } and dtypes.int64 or dtypes.default_float()
  end
  n = n or math.max(ceil((stop - start) / step), 0)
  if n > 2 ^ 53 then refuse(what, "too many elements") end
  local round = rounding[dtype.name]
  local first, second, delta = start, start + step, step
  if not round then
    return { n = n, dtype = dtype, first = first, second = second, delta = delta,
      at = function(i) return start + i * step end }, options
  end
  local narrow
  round, narrow = round[1], round[2]
  first, second = round(first), round(second)
  delta = narrow(second - first)
  return { n = n, dtype = dtype, first = first, second = second, delta = delta, at = function(i)
    if i < 2 then return i == 0 and first or second end
    return narrow(first + narrow(narrow(i) * delta))
  end }, options
end

---@class cudalua.ranges.Linspace
---@field n integer
---@field dtype cudalua.dtype.DType
---@field start number
---@field stop number
---@field step number
---@field last integer  position from 0 of the number that is `stop`; -1 if none is
---@field at fun(i: integer): number  the number at a position from 0, in float64
---@field whole boolean  it is rounded down for the dtype

---What linspace(start, stop, num, dtype, options) is: start + i * step in float64, then as the dtype has it.
---@param what string
---@param endpoint? boolean  of the options, which the caller reads
---@param numbers number[]
---@param dtype any
---@return cudalua.ranges.Linspace
---@raise LogicError for numbers that are not finite
function M.linspace(what, endpoint, numbers, dtype)
  local start, stop, num = numbers[1], numbers[2], numbers[3] or 50
  if not is_finite(start) or not is_finite(stop) then
    refuse(what, "expected finite numbers, got " .. element.describe(is_finite(start) and stop or start))
  end
  if not layout.whole(num) or num < 0 then
    refuse(what, "num must be a non-negative integer, got " .. element.describe(num))
  end
  dtype = dtype ~= nil and dtypes._of(what, dtype) or dtypes.default_float()
  if endpoint ~= nil and type(endpoint) ~= "boolean" then
    refuse(what, "endpoint must be true or false, got " .. element.describe(endpoint))
  end
  local last = endpoint ~= false and num - 1 or -1
  local step = (stop - start) / math.max(endpoint == false and num or last, 1)
  return { n = num, dtype = dtype, start = start, stop = stop, step = step, last = last,
    whole = dtype.kind == "int" or dtype.kind == "uint",
    at = function(i) return i == last and i > 0 and stop or i * step + start end }
end

---What eye(rows, columns, k, dtype, options) is.
---@param what string
---@param ... any
---@return integer[] shape
---@return integer k
---@return cudalua.dtype.DType
---@return any options
---@raise LogicError for extents that are not non-negative integers
function M.eye(what, ...)
  local numbers, dtype, options = M.numbers_first(what, { "rows", "columns", "k" }, 1, ...)
  local shape = layout.numbers(what, "shape", { numbers[1], numbers[2] or numbers[1] }, 0)
  local k = layout.whole(numbers[3] or 0)
  if not k then refuse(what, "k must be an integer, got " .. element.describe(numbers[3])) end
  return shape, k, dtype ~= nil and dtypes._of(what, dtype) or dtypes.default_float(), options
end

return M
