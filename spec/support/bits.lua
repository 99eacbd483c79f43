-- Arrays as texts that are equal only if their bits, dtypes and strides are.
local ffi = require "ffi"

local M = {}

---@param x cudalua.gpuarray.Array
---@return string
function M.of(x)
  local host = x:get({ array = true }):copy "C"
  return x.dtype.name .. ffi.string(host:data(), host.nbytes) .. table.concat(x.strides, ",", 1, x.ndim)
end

---@param list cudalua.gpuarray.Array[]
---@return string
function M.all(list)
  local texts = {}
  for i, x in ipairs(list) do texts[i] = M.of(x) end
  return table.concat(texts, "|")
end

return M
