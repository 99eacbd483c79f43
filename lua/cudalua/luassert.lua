-- `require "cudalua.luassert"` lets luassert, and with it busted, show arrays, dtypes and errors in a failed assertion,
-- where it shows addresses and fields otherwise.

local assert = require "luassert"
local errors = require "cudalua.base.errors"

---@class cudalua.luassert
local M = {}

-- What getmetatable says of a value -> what is printed before its text. Nothing is loaded for a type of which there can
-- be no value.
local kinds = { ["cudalua.gpuarray"] = "array", ["cudalua.ndarray"] = "host array", ["cudalua.dtype"] = "dtype" }

---Returns the text of a value for a failed assertion: for an array its kind, dtype, shape and elements.
---@param value any  any value
---@return string?  nil for values of types that are not of this library
function M.text(value)
  if type(value) ~= "table" then return nil end
  if errors.is_error(value) then return ("(%s) %s"):format(value.class, tostring(value)) end
  local kind = kinds[getmetatable(value)]
  if not kind then return nil end
  if kind == "dtype" then return ("(dtype) %s"):format(value.name) end
  local ok, text = pcall(tostring, value) -- of memory that was released, an error
  return ("(%s %s%s)\n%s"):format(kind, value.dtype.name, tostring(value.shape), ok and text or tostring(text))
end

assert:add_formatter(M.text)

return M
