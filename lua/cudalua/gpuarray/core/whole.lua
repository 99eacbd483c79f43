-- Writes a part of an array by writing the whole array to a new buffer: the new values where the part is, and the old
-- elements elsewhere. The new buffer then replaces the old one. Pending arrays that read the old buffer keep it, so
-- nothing has to be computed for them first, and the new values may read what they overwrite.

local core = require "cudalua.core"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local map = require "cudalua.gpuarray.core.map"
local mapped = require "cudalua.gpuarray.core.mapped"
local maps = require "cudalua.gpuarray.kernel.maps"
local marks = require "cudalua.gpuarray.core.marks"
local object = require "cudalua.gpuarray.core.object"
local storage = require "cudalua.gpuarray.core.storage"

local floor = math.floor
local number_from, same = marks.number_from, layout.same

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
-- kernel that writes a whole array cannot compute it well. `start`: of the marks of what was looked at.
local function add_cost(x, cost, start)
  if type(x) ~= "table" or x._sig == nil or number_from(start, x) then return true end
  local leaf = object.leaf_of(x)
  if leaf then
    if number_from(start, leaf) then return true end
    leaf._mark = start + 1
    cost.bytes = cost.bytes + storage.bytes_of(leaf)
    return not leaf.places and not mapped.is_across(leaf, leaf.shape)
  end
  local sig, a, b, c = x._sig, x._a, x._b, x._c -- a finalizer may compute x on the way
  if not sig then return true end
  x._mark = start + 1
  if sig.placeholder then return false end
  cost.operations = cost.operations + 1
  return add_cost(a, cost, start) and add_cost(b, cost, start) and add_cost(c, cost, start)
end

local function cost_of(x)
  local start, cost = marks.begin(), { bytes = 0, operations = 0 }
  local can = add_cost(x, cost, start)
  marks.finish(start, 1)
  return can and cost or nil
end

-- ---- patches --------------------------------------------------------------------------------------------------------

---How a part is written. It depends only on where the part lies, so the last ones are kept.
---@class cudalua.gpuarray.Patch
---@field bytes integer      of the storage
---@field off integer        as of the part's leaf,
---@field dtype cudalua.dtype.DType
---@field shape integer[]
---@field strides integer[]
---@field box cudalua.gpuarray.Box|false  false: it is not a box
---@field all integer[]      strides of the whole array
---@field map table          from the whole array to the part
---@field mask table         where the part is

---How many patches are kept.
M.KEPT = 8

local kept, turn = {}, 0

local function new_patch(out)
  local box = M.box_of(out) or false
  local p = { bytes = out.store.bytes, off = out.off, dtype = out.dtype, shape = out.shape, strides = out.strides,
    box = box }
  if not box then return p end
  local links, ranges = {}, {}
  for k = 1, #box.shape do
    if box.count[k] ~= box.shape[k] then
      ranges[k] = maps.range(box.first[k], box.count[k])
      links[k] = box.of[k] > 0 and maps.edge(box.first[k], box.count[k]) or nil
    end
  end
  p.all = layout.dense_strides(box.shape, out.dtype.itemsize, "C")
  p.map, p.mask = map.of(#out.shape, box.of, links), map.mask(#box.shape, ranges)
  return p
end

-- The patch of a part.
local function patch_of(out)
  for i = 1, #kept do
    local p = kept[i]
    if p.off == out.off and p.bytes == out.store.bytes and p.dtype == out.dtype and same(p.shape, out.shape) and
      same(p.strides, out.strides) then
      return p
    end
  end
  local p = new_patch(out)
  turn = turn % M.KEPT + 1
  kept[turn] = p
  return p
end

---The bytes that writing the whole array moves beyond those of the part.
---@param x any        what is written
---@param out table    leaf of the part
---@param size integer  of the part
---@return number? bytes  nil: it cannot be done by one kernel
---@return cudalua.gpuarray.Patch? patch
function M.cost(x, out, size)
  local kind = out.dtype.kind
  if kind == "struct" or kind == "bool" or graph.is_eager() or graph.limits_lifted() or
    out.store.context ~= core.context_id() then
    return nil
  end
  local patch = patch_of(out)
  local box, cost = patch.box, cost_of(x)
  if not box or not cost then return nil end
  -- Elsewhere, the kernel computes elements of x that nobody needs. If they are many, it would store x first.
  local itemsize = out.dtype.itemsize
  if mapped.is_dear(box.size / size, cost.bytes / size, cost.operations, itemsize) then return nil end
  return 2 * (box.size - size) * itemsize, patch
end

local function expression(x, out, patch)
  local box = patch.box
  local making = { name = "set", dtype = out.dtype, shape = box.shape, size = box.size }
  return map.patch(making, x, patch.map, patch.mask, storage.new_leaf(out.store, 0, out.dtype, box.shape, patch.all))
end

---Writes the whole array to a new buffer.
---@param x any        array, leaf, or value, of the part's dtype and a shape that it broadcasts to the part's
---@param out table    leaf of the part
---@param patch cudalua.gpuarray.Patch  of the part
---@param since integer  of storage.writes: nothing is written if there were others since then
---@return userdata|false|nil buf  false: there were other writes; nil: there is no memory for it
function M.write(x, out, patch, since)
  local store, box = out.store, patch.box
  evaluate.fit(x)
  if type(x) == "table" and x._sig == false and not object.is_leaf(x) then x = storage.leaf_of(x) end
  local ok, buf, context = pcall(storage.buffer, store.bytes)
  if not ok then
    if evaluate.is_final(buf) then error(buf, 0) end
    return nil
  end
  local to = storage.new_leaf(storage.bare_store(buf, store.bytes, context), 0, out.dtype, box.shape,
    patch.all)
  return evaluate.store(expression(x, out, patch), to, box.size, since) and buf
end

return M
