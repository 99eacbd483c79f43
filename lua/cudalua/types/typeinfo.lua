-- What element types hold, and which one several of them are converted to: finfo, iinfo, can_cast and result_type of
-- the array API standard, by this library's table of promotion.

local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"

---@class cudalua.dtype
local M = {}

local function refuse(what, text) errors.raise("LogicError", what .. ": " .. text) end

local arrays = { ["cudalua.gpuarray"] = true, ["cudalua.ndarray"] = true }

-- Of an array, or a dtype by one of its names.
local function dtype_of(what, x)
  if type(x) == "table" and arrays[getmetatable(x)] then return x.dtype end
  return dtypes._of(what, x)
end

-- Bits of the significand, the hidden one included, and the greatest exponent.
local formats = { float16 = { 11, 15 }, bfloat16 = { 8, 127 }, float32 = { 24, 127 }, float64 = { 53, 1023 } }
local parts = { complex64 = dtypes.float32, complex128 = dtypes.float64 }

---The limits of a float type.
---@class cudalua.dtype.FloatInfo
---@field dtype cudalua.dtype.DType  for a complex type, the dtype of its parts
---@field bits integer  the number of bits of a float
---@field nmant integer  the number of stored bits of the significand
---@field eps number  the difference between 1 and the next number
---@field epsneg number  the difference between 1 and the previous number
---@field max number               the largest finite number
---@field min number               -max
---@field smallest_normal number  the smallest positive number with full precision; also called `tiny`
---@field tiny number  another name of smallest_normal
---@field smallest_subnormal number  the smallest positive number
---@field precision integer  the number of decimal digits that are preserved
---@field resolution number        10^-precision

---The limits of a float type, as NumPy's finfo.
---@param x any  as for dtype.of, or an array; for a complex type, its parts count
---@return cudalua.dtype.FloatInfo  a new table
---@raise LogicError for other types
function M.finfo(x)
  local dt = dtype_of("dtype.finfo", x)
  dt = parts[dt.name] or dt
  local format = formats[dt.name]
  if not format then refuse("dtype.finfo", ("%s is not a float type; iinfo() is for integers"):format(dt.name)) end
  local digits, top = format[1], format[2]
  local eps, normal, most = 2 ^ (1 - digits), 2 ^ (1 - top), (2 - 2 ^ (1 - digits)) * 2 ^ top
  local precision = math.floor((digits - 1) * math.log10(2))
  return { dtype = dt, bits = 8 * dt.itemsize, nmant = digits - 1, eps = eps, epsneg = eps / 2, max = most,
    min = -most, smallest_normal = normal, tiny = normal, smallest_subnormal = normal * eps, precision = precision,
    resolution = 10 ^ -precision }
end

---The limits of an integer type.
---@class cudalua.dtype.IntegerInfo
---@field dtype cudalua.dtype.DType  the integer type
---@field bits integer  the number of bits
---@field min integer|ffi.cdata*  the smallest integer; int64_t cdata for int64
---@field max integer|ffi.cdata*  the largest integer; int64_t cdata for int64, uint64_t cdata for uint64

---The limits of an integer type, as NumPy's iinfo.
---@param x any  as for dtype.of, or an array
---@return cudalua.dtype.IntegerInfo  a new table
---@raise LogicError for other types
function M.iinfo(x)
  local dt = dtype_of("dtype.iinfo", x)
  if dt.kind ~= "int" and dt.kind ~= "uint" then
    refuse("dtype.iinfo", ("%s is not an integer type%s"):format(dt.name,
      (dt.kind == "float" or dt.kind == "complex") and "; finfo() is for floats" or ""))
  end
  local bits, signed = 8 * dt.itemsize, dt.kind == "int"
  local low, high = signed and -2 ^ (bits - 1) or 0, 2 ^ (signed and bits - 1 or bits) - 1
  if bits == 64 and signed then low, high = -0x7fffffffffffffffLL - 1, 0x7fffffffffffffffLL end
  if bits == 64 and not signed then high = 0xffffffffffffffffULL end
  return { dtype = dt, bits = bits, min = low, max = high }
end

---Returns true if promotion converts one type to another, that is, if promoting both gives `to`. For example, int64 and
---float32 give float32.
---@param from any  the type to convert, as for dtype.of, or an array
---@param to any  the target type, as for dtype.of
---@return boolean
---@raise LogicError if an argument is not a dtype
function M.can_cast(from, to)
  local a, b = dtype_of("dtype.can_cast", from), dtypes._of("dtype.can_cast", to)
  if a == b then return true end
  if a.kind == "struct" or b.kind == "struct" then return false end
  return dtypes.promote(a, b) == b
end

local ranks = { bool = 0, int = 1, uint = 1, float = 2, complex = 3 }

---Returns the dtype of an operation on all arguments together. Their order does not matter: types of the highest kind
---decide first, and plain numbers, which are weak, last.
---@param ... any  arrays; dtypes, as for dtype.of; booleans, numbers, integer and complex cdata
---@return cudalua.dtype.DType
---@raise LogicError without arguments, for structs, and if an integer type cannot hold a number
function M.result_type(...)
  local what, n = "dtype.result_type", select("#", ...)
  if n == 0 then refuse(what, "expected arrays, dtypes or numbers") end
  local types, values = {}, {}
  for i = 1, n do
    local x = select(i, ...)
    local value = element.scalar(x)
    if value ~= nil then
      values[#values + 1] = value
    else
      local dt = dtype_of(what, x)
      if dt.kind == "struct" then refuse(what, dt.name .. " is a struct, not a number") end
      types[#types + 1] = dt
    end
  end
  table.sort(types, function(a, b) return ranks[a.kind] > ranks[b.kind] end)
  local result
  for _, dt in ipairs(types) do result = result and dtypes.promote(result, dt) or dt end
  for _, value in ipairs(values) do
    local dt, why = dtypes._beside(types[1] and result or dtypes.bool, value)
    if not dt then refuse(what, why) end
    result = result and dtypes.promote(result, dt) or dt
  end
  return result
end

return M
