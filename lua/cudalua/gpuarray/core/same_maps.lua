-- Compares index maps and masks (map.lua) with those of an expression that came before.

local same = require("cudalua.gpuarray.kernel.maps").same

local M = {}

---@param a cudalua.gpuarray.Map
---@param b cudalua.gpuarray.Map
---@return boolean
function M.same(a, b)
  if a == b then return true end
  local n = #a.of
  if a.ndim ~= b.ndim or #b.of ~= n then return false end
  for k = 1, n do
    if a.of[k] ~= b.of[k] or not same(a.links[k], b.links[k]) then return false end
  end
  return true
end

---@param a table  a mask
---@param b table
---@return boolean
function M.same_masks(a, b)
  if a == b then return true end
  if a.ndim ~= b.ndim then return false end
  for k = 1, a.ndim do
    local x, y = a.ranges[k], b.ranges[k]
    if x ~= y and not (x and y and x[1] == y[1] and x[2] == y[2]) then return false end
  end
  return true
end

return M
