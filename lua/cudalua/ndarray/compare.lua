-- Comparing two host arrays element by element, exactly or within a tolerance.

local ffi = require "ffi"
local element = require "cudalua.base.element"
local layout = require "cudalua.base.layout"
local pace = require "cudalua.base.pace"

local abs, floor, huge, sqrt = math.abs, math.floor, math.huge, math.sqrt
local int64_t, uint64_t = ffi.typeof "int64_t", ffi.typeof "uint64_t"
local AT_ONCE = 65536 -- elements between two looks at Ctrl-C

local M = {}

local function parts(x)
  if type(x) == "number" then return x, 0 end
  if type(x) == "boolean" then return x and 1 or 0, 0 end
  if element.is_complex(x) then return tonumber(x.re), tonumber(x.im) end
  return tonumber(x), 0
end

local function is_integer(x) return type(x) == "cdata" and (ffi.istype(int64_t, x) or ffi.istype(uint64_t, x)) end

-- A 64-bit integer and a number or another one, exactly.
local function same_integer(x, y)
  local signed = ffi.istype(int64_t, x)
  if type(y) == "number" then
    if y ~= floor(y) or y < (signed and -2 ^ 63 or 0) or y >= (signed and 2 ^ 63 or 2 ^ 64) then return false end
    return x == (signed and int64_t or uint64_t)(y)
  end
  if signed ~= ffi.istype(int64_t, y) and (signed and x or y) < 0 then return false end
  return x == y
end

local function same(x, y)
  if type(x) == "number" and type(y) == "number" then return x == y end
  if is_integer(x) and (type(y) == "number" or is_integer(y)) then return same_integer(x, y) end
  if is_integer(y) and type(x) == "number" then return same_integer(y, x) end
  local a, b = parts(x)
  local c, d = parts(y)
  return a == c and b == d
end

local function near(x, y, rtol, atol, equal_nan)
  if same(x, y) then return true end
  local a, b = parts(x)
  local c, d = parts(y)
  if a ~= a or b ~= b or c ~= c or d ~= d then
    return equal_nan and (a ~= a or b ~= b) and (c ~= c or d ~= d)
  end
  if b == 0 and d == 0 then
    if abs(a) == huge or abs(c) == huge then return false end
    return abs(a - c) <= atol + rtol * abs(c)
  end
  if abs(a) == huge or abs(b) == huge or abs(c) == huge or abs(d) == huge then return false end
  return sqrt((a - c) ^ 2 + (b - d) ^ 2) <= atol + rtol * sqrt(c * c + d * d)
end

local rows = {} -- [dtype of the one][dtype of the other]

local function row_comparison(a, b)
  local of_a = rows[a] or {}
  rows[a] = of_a
  of_a[b] = of_a[b] or element.specialise([[
    local load_a, load_b, near, same = ...
    return function(p, q, n, step_p, step_q, rtol, atol, equal_nan)
      for i = 0, n - 1 do
        local x, y = load_a(p, i * step_p), load_b(q, i * step_q)
        if rtol then
          if not near(x, y, rtol, atol, equal_nan) then return i, x, y end
        elseif not same(x, y) then
          return i, x, y
        end
      end
    end]], a._load, b._load, near, same)
  return of_a[b]
end

---The first element in C order that differs between two arrays of one shape.
---@param a cudalua.ndarray.Array
---@param b cudalua.ndarray.Array
---@param tolerance? {rtol: number, atol: number, equal_nan: boolean}  none: exactly
---@return integer? i     its number, from 0; nil if all are equal
---@return string? text   the two values
function M.first_difference(a, b, tolerance)
  local compare, p, q = row_comparison(a._dtype, b._dtype), a._p, b._p
  local t = tolerance or {}
  local where, x, y
  layout.each_row(a._shape, a._strides, b._strides, function(i, to, from, n, step_p, step_q)
    for first = 0, n - 1, AT_ONCE do
      local count = math.min(AT_ONCE, n - first)
      where, x, y = compare(p + (to + first * step_p), q + (from + first * step_q), count, step_p, step_q, t.rtol,
        t.atol, t.equal_nan)
      if where then
        where = i + first + where
        return true
      end
      pace(count)
    end
  end)
  if where then return where, ("%s and %s"):format(tostring(x), tostring(y)) end
end

return M
