-- Arrays that show a part of another one's memory, or all of it in another shape.

local core = require "cudalua.core"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local storage = require "cudalua.gpuarray.core.storage"
local evaluate = require "cudalua.gpuarray.core.evaluate"

local M = {}

local function is_placeholder(x) return x._sig and x._sig.placeholder end

local same = layout.same

local KEPT = 16 -- views of an array that are known

-- The leaf of an equal view that was made before, or a new one. A loop that slices the same array in each turn reads
-- one array, and its kernel has one argument for it. If the array's memory changes, so does its leaf `l`
-- (storage.leaf_of).
local function leaf_at(store, l, offset, dtype, shape, strides)
  local views = l.views
  if views then
    for k = 1, #views do
      local v = views[k]
      if v.off == offset and v.dtype == dtype and same(v.shape, shape) and same(v.strides, strides) then return v end
    end
  end
  local leaf = storage.new_leaf(store, offset, dtype, shape, strides)
  if not views then
    l.views = { leaf, next = 1 }
  else
    views.next = views.next % KEPT + 1
    views[views.next] = leaf
  end
  return leaf
end

-- ---- views of pending arrays ----------------------------------------------------------------------------------------

---What explain() says about an array that was computed because a view of it was made.
---@class cudalua.gpuarray.EarlyView
---@field line string|false  of the view
---@field reduces boolean    is the array the result of a reduction or scan?
---@field viewed boolean     false: so far only its strides were read

-- By storage, while lines are traced.
local early = setmetatable({}, { __mode = "k" }) ---@type table<table, cudalua.gpuarray.EarlyView>

-- Computes an array before a view of it is made. The strides of its value may have been read earlier.
local function computed(x)
  local sig = x._sig -- a finalizer may compute x between two looks
  if not sig or not graph.is_traced() then return evaluate.evaluate(x) end
  local reduces = sig.reduces ~= nil
  local leaf = evaluate.evaluate(x)
  early[leaf.store] = { line = core.here() or false, reduces = reduces, viewed = false }
  return leaf
end

---@param store table  the storage of an array
---@return cudalua.gpuarray.EarlyView?
function M.early(store)
  local made = early[store]
  return made and made.viewed and made or nil
end

---A view: the same storage from another element on, in another shape.
---@param x cudalua.gpuarray.Array
---@param offset integer     bytes from x's first element
---@param shape integer[]    given away
---@param strides integer[]  bytes; given away
---@param dtype? cudalua.dtype.DType  default: x's
---@return cudalua.gpuarray.Array
function M.of(x, offset, shape, strides, dtype)
  if is_placeholder(x) then return x._part(x, offset, shape, strides, dtype or x._dtype) end
  local l = computed(x)
  if early[l.store] then early[l.store].viewed = true end
  local leaf = leaf_at(l.store, l, l.off + offset, dtype or x._dtype, shape, strides)
  return storage.array_of(leaf)
end

---The strides of an array in bytes; it is evaluated.
---@param x cudalua.gpuarray.Array
---@return integer[]
function M.strides(x)
  if is_placeholder(x) then return x._real.strides end
  return computed(x).strides
end

---@param what string
---@param x cudalua.gpuarray.Array
---@param n integer
---@param items any[]  numbers, ranges, newaxis
---@return cudalua.gpuarray.Array
function M.slice(what, x, n, items)
  return M.of(x, layout.slice(what, x._shape, M.strides(x), n, items))
end

---@param what string
---@param x cudalua.gpuarray.Array
---@param axes? any
---@return cudalua.gpuarray.Array
function M.transpose(what, x, axes)
  local order, shape, strides, old = layout.permutation(what, x._ndim, axes), {}, {}, M.strides(x)
  for k, axis in ipairs(order) do shape[k], strides[k] = x._shape[axis], old[axis] end
  return M.of(x, 0, shape, strides)
end

---A view in a new shape, or a copy if the layout does not allow a view.
---@param x cudalua.gpuarray.Array
---@param shape integer[]  of as many elements
---@param order "C"|"F"
---@return cudalua.gpuarray.Array
function M.reshape(x, shape, order)
  local strides = layout.reshape_strides(x._shape, M.strides(x), shape, x._dtype.itemsize, order)
  if strides then return M.of(x, 0, shape, strides) end
  return M.of(M.copy(x, order), 0, shape, layout.dense_strides(shape, x._dtype.itemsize, order))
end

---A copy without gaps.
---@param x cudalua.gpuarray.Array
---@param order "C"|"F"|"K"  K: axes lie in the order of x's
---@return cudalua.gpuarray.Array
function M.copy(x, order)
  local dt = x._dtype
  local to = storage.empty(dt, x._shape, x._size, order == "K" and
    layout.kept_strides(x._shape, M.strides(x), dt.itemsize) or layout.dense_strides(x._shape, dt.itemsize, order))
  evaluate.store(x._sig and x or storage.leaf_of(x), to._leaf, x._size)
  return to
end

return M
