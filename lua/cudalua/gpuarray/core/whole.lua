-- Writes a part of an array by writing the whole array to a new buffer: the new values where the part is, and the old
-- elements elsewhere. The new buffer then replaces the old one. Pending arrays that read the old buffer keep it, so
-- nothing has to be computed for them first, and the new values may read what they overwrite.

local core = require "cudalua.core"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local map = require "cudalua.gpuarray.core.map"
local mapped = require "cudalua.gpuarray.core.mapped"
local maps = require "cudalua.gpuarray.kernel.maps"
local object = require "cudalua.gpuarray.core.object"
local storage = require "cudalua.gpuarray.core.storage"

local floor = math.floor

local M = {}

---Where a part of a storage lies, as a box in an array that fills the storage.
---@class cudalua.gpuarray.Box
---@field shape integer[]  of the array in C order
---@field first integer[]  the part's first position on each axis, from 0
---@field count integer[]  how many positions it has
---@field of integer[]     the part's own axis; 0: none
---@field size integer     elements of the array

-- Adds the axis of a box that is behind the others, whose elements are `step` bytes apart.
local function add_axis(box, above, step, offset, count, axis)
  local extent, first = above / step, floor(offset / step)
  if extent % 1 ~= 0 or first + count > extent then return nil end
  local n = #box.shape + 1
  box.shape[n], box.first[n], box.count[n], box.of[n], box.size = extent, first, count, axis, box.size * extent
  return offset - first * step
end

---@param leaf table
---@return cudalua.gpuarray.Box?  nil: the part is not a box, or its axes are not in the order of memory
function M.box_of(leaf)
  local box, above, rest = { shape = {}, first = {}, count = {}, of = {}, size = 1 }, leaf.store.bytes, leaf.off
  for k = 1, #leaf.shape do
    local step = leaf.strides[k]
    if leaf.shape[k] ~= 1 then
      if step <= 0 or step > above then return nil end
      rest = add_axis(box, above, step, rest, leaf.shape[k], k)
      if not rest then return nil end
      above = step
    end
  end
  local itemsize = leaf.dtype.itemsize
  if above > itemsize then
    rest = add_axis(box, above, itemsize, rest, 1, 0)
  end
  return rest == 0 and box or nil
end

-- Adds up what computing an element of an expression costs: the bytes of its arrays, and its operations. False: a
-- kernel that writes a whole array cannot compute it well.
local function add_cost(x, cost)
  if type(x) ~= "table" or cost[x] then return true end
  cost[x] = true
  local leaf = object.leaf_of(x)
  if leaf then
    cost.bytes = cost.bytes + storage.bytes_of(leaf)
    return not leaf.places and not mapped.is_across(leaf, leaf.shape)
  end
  local sig = x._sig
  if not sig then return true end
  if sig.placeholder then return false end
  cost.operations = cost.operations + 1
  return add_cost(x._a, cost) and add_cost(x._b, cost) and add_cost(x._c, cost)
end

---The bytes that writing the whole array moves beyond those of the part.
---@param x any        what is written
---@param out table    leaf of the part
---@param size integer  of the part
---@return number? bytes  nil: it cannot be done by one kernel
---@return cudalua.gpuarray.Box? box
function M.cost(x, out, size)
  local kind = out.dtype.kind
  if kind == "struct" or kind == "bool" or graph.is_eager() or graph.limits_lifted() or
    out.store.context ~= core.context_id() then
    return nil
  end
  local box = M.box_of(out)
  local cost = { bytes = 0, operations = 0 }
  if not box or not add_cost(x, cost) then return nil end
  -- Elsewhere, the kernel computes elements of x that nobody needs. If they are many, it would store x first.
  local itemsize = out.dtype.itemsize
  if mapped.is_dear(box.size / size, cost.bytes / size, cost.operations, itemsize) then return nil end
  return 2 * (box.size - size) * itemsize, box
end

local function expression(x, out, box)
  local making = { name = "set", dtype = out.dtype, shape = box.shape, size = box.size }
  local n, links, ranges = #out.shape, {}, {}
  for k = 1, #box.shape do
    if box.count[k] ~= box.shape[k] then
      ranges[k] = maps.range(box.first[k], box.count[k])
      links[k] = box.of[k] > 0 and maps.edge(box.first[k], box.count[k]) or nil
    end
  end
  local old = storage.new_leaf(out.store, 0, out.dtype, box.shape, storage.dense_strides(box.shape,
    out.dtype.itemsize))
  return map.patch(making, x, map.of(n, box.of, links), map.mask(#box.shape, ranges), old)
end

---Writes the whole array to a new buffer.
---@param x any        array, leaf, or value, of the part's dtype and a shape that it broadcasts to the part's
---@param out table    leaf of the part
---@param box cudalua.gpuarray.Box
---@param since integer  of storage.writes: nothing is written if there were others since then
---@return userdata|false|nil buf  false: there were other writes; nil: there is no memory for it
function M.write(x, out, box, since)
  local store = out.store
  evaluate.fit(x)
  if type(x) == "table" and x._sig == false and not object.is_leaf(x) then x = storage.leaf_of(x) end
  local ok, buf, context = pcall(storage.buffer, store.bytes)
  if not ok then
    if evaluate.is_final(buf) then error(buf, 0) end
    return nil
  end
  local to = storage.new_leaf(storage.bare_store(buf, store.bytes, context), 0, out.dtype, box.shape,
    storage.dense_strides(box.shape, out.dtype.itemsize))
  return evaluate.store(expression(x, out, box), to, box.size, since) and buf
end

return M
