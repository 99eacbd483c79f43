-- The types of functions whose results are floats or complex numbers: 16-bit floats are computed as float32 and rounded
-- once, integers become the default float and, where float32 does not hold them, are computed as float64.

local dtypes = require "cudalua.dtype"
local layout = require "cudalua.base.layout"

local M = {}

---The type to compute in, and the type of the result.
---@param what string  the function, for messages
---@param arrays cudalua.gpuarray.Array[]  at least one
---@param asked? cudalua.dtype.DType       for the result
---@return cudalua.dtype.DType computed
---@return cudalua.dtype.DType result
function M.of(what, arrays, asked)
  local result
  for _, x in ipairs(arrays) do
    if x._dtype.kind == "struct" then layout.refuse(what, "%s is a struct, not a number", x._dtype.name) end
    result = result and dtypes.promote(result, x._dtype) or x._dtype
  end
  if result.kind ~= "float" and result.kind ~= "complex" then result = dtypes.default_float() end
  if asked then
    local why = dtypes._unstorable(result, asked)
    if asked.kind ~= "float" and asked.kind ~= "complex" then why = "the result has floats or complex numbers" end
    if why then layout.refuse(what, "dtype %s: %s", asked.name, why) end
    result = asked
  end
  local computed = result.kind == "float" and dtypes.promote(result, dtypes.float32) or result
  for _, x in ipairs(arrays) do
    local dt = x._dtype
    if not asked and (dt.kind == "int" or dt.kind == "uint") and dt.itemsize >= 4 then
      computed = dtypes.promote(computed, dtypes.float64)
    end
  end
  return computed, result
end

local parts = { complex64 = dtypes.float32, complex128 = dtypes.float64 }

---The type of the parts of complex numbers; of real ones their own.
---@param dtype cudalua.dtype.DType
---@return cudalua.dtype.DType
function M.real(dtype) return parts[dtype.name] or dtype end

return M
