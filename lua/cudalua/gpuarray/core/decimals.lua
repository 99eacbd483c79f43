-- round(a, decimals): to a number of digits behind the decimal point, or before it, as NumPy's round.

local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local ops = require "cudalua.gpuarray.kernel.ops"

local unary, binary, ternary = graph.unary, graph.binary, graph.ternary

local MOST = { int = 18, uint = 19 } -- the power of ten that 64 bits hold
local ALL = 400 -- more digits than any float has before or behind the point
local LARGEST = { float32 = 38, float64 = 308 } -- power of ten

-- Scaled, rounded, and scaled back. What overflows on the way has no such digits.
local function real(x, decimals)
  local dt = x._dtype
  if decimals == ALL then return graph.convert(x, dt) end
  if dt.itemsize == 2 then x = graph.convert(x, dtypes.float32) end
  if -decimals > LARGEST[x._dtype.name] then -- 0 is the nearest to all but infinities
    return graph.as_type(ternary(ops.where, unary(ops.isfinite, x), binary(ops.mul, x, 0), x), dt)
  end
  local y
  if decimals >= 0 then
    local scaled = binary(ops.mul, x, 10 ^ decimals)
    y = binary(ops.div, unary(ops.rint, scaled), 10 ^ decimals)
    y = ternary(ops.where, unary(ops.isfinite, scaled), y, x)
  else
    y = binary(ops.mul, unary(ops.rint, binary(ops.div, x, 10 ^ -decimals)), 10 ^ -decimals)
  end
  return graph.as_type(y, dt)
end

-- Exact: by the quotient and the remainder of a power of ten; of two neighbours that are as near, the even multiple.
local function whole(x, digits)
  local dt = x._dtype
  local wide = dt == dtypes.uint64 and dt or dtypes.int64
  local step = wide.ctype(10) ^ digits
  x = graph.as_type(x, wide)
  local quotient = binary(ops.floordiv, x, step)
  local rest = binary(ops.sub, x, binary(ops.mul, quotient, step))
  local to_next = binary(ops.sub, step, rest)
  local odd = binary(ops.logical_and, binary(ops.eq, rest, to_next), binary(ops.bitwise_and, quotient, 1))
  local up = binary(ops.logical_or, binary(ops.gt, rest, to_next), odd)
  return graph.as_type(binary(ops.mul, binary(ops.add, quotient, up), step), dt)
end

---The nearest numbers with so many decimals; halves go to the even digit.
---@param what string
---@param a cudalua.gpuarray.Array
---@param decimals any  an integer; -2: to hundreds
---@return cudalua.gpuarray.Array  of a's dtype
return function(what, a, decimals)
  local n = layout.whole(decimals)
  if not n then
    layout.refuse(what, "decimals must be an integer, got " .. element.describe(decimals))
  end
  n = math.max(-ALL, math.min(n, ALL))
  local dt = a._dtype
  local kind = dt.kind
  if kind == "float" then return real(a, n) end
  if kind == "complex" then
    return binary(ops.complex, real(unary(ops.real, a), n), real(unary(ops.imag, a), n))
  end
  if n >= 0 or kind == "struct" then return unary(ops.round, a) end
  if kind == "bool" then return graph.convert(binary(ops.mul, a, 0), dt) end
  if -n > MOST[kind] and dt.itemsize == 8 then
    layout.refuse(what, ("%d digits before the decimal point are more than %s has"):format(-n, dt.name))
  end
  return whole(a, math.min(-n, 18))
end
