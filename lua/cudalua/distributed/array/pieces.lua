-- Parts of an array along one axis: cut out, joined, padded. Positions count from 0 here, and ranges exclude their end.

local gpuarray = require "cudalua.gpuarray"
local view = require "cudalua.gpuarray.core.view"

local M = {}

---An index for the positions from `first` to before `past` of an axis: of arrays on the device and in host memory.
---@param axis integer
---@param first integer
---@param past integer
---@return table[]
function M.items(axis, first, past)
  local items = {}
  for k = 1, axis - 1 do items[k] = {} end
  items[axis] = { first + 1, past }
  return items
end

---The positions from `first` to before `past` of an axis, as a view; all of them: the array itself, also if it waits.
---@param x cudalua.gpuarray.Array
---@param axis integer
---@param first integer
---@param past integer
---@return cudalua.gpuarray.Array
function M.cut(x, axis, first, past)
  if first == 0 and past == x._shape[axis] then return x end
  return view.slice("distributed.Array", x, axis, M.items(axis, first, past))
end

---Concatenates arrays along an axis.
---@param list cudalua.gpuarray.Array[]  one at least
---@param axis integer
---@return cudalua.gpuarray.Array
function M.joined(list, axis)
  local full, count = {}, 0
  for _, x in ipairs(list) do
    count = count + x._shape[axis]
    if x._size > 0 then full[#full + 1] = x end
  end
  if #full == 0 then
    local shape = { unpack(list[1]._shape) }
    shape[axis] = count
    return gpuarray.empty(shape, list[1]._dtype)
  end
  return #full == 1 and full[1] or gpuarray.concatenate(full, axis)
end

---Extends an array to n positions along an axis. The values of the additional positions are undefined.
---@param x cudalua.gpuarray.Array
---@param axis integer
---@param n integer
---@return cudalua.gpuarray.Array
function M.padded(x, axis, n)
  local own = x._shape[axis]
  if own == n then return x end
  local shape = { unpack(x._shape) }
  shape[axis] = n
  local all = gpuarray.empty(shape, x._dtype)
  if own > 0 then M.cut(all, axis, 0, own):set(x) end
  return all
end

return M
