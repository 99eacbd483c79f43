-- Views of distributed arrays: indices, and other shapes. The divided axis stays whole, so no data moves.

local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local sharded = require "cudalua.distributed.array.sharded"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

---@class cudalua.distributed.Array
local Array = sharded.Array

-- ---- indices --------------------------------------------------------------------------------------------------------

local WHAT = "distributed.Array"

-- Does an item select all of an axis?
local function is_whole(item, k, extent)
  if type(item) ~= "table" then return false end
  local first, count, step = layout.range(WHAT, k, item, extent)
  return count == extent and (extent == 0 or first == 1) and step == 1
end

-- The axis of the result that the divided one becomes, and the place of its item, if there is one. Raises if the index
-- does not take all of it.
local function kept_axis(x, n, items)
  local axis, place = 0, 0 -- in the array, and in the result
  for k = 1, n do
    local item = items[k]
    if item ~= layout.newaxis then axis = axis + 1 end
    if item == layout.newaxis or type(item) == "table" then place = place + 1 end
    if item ~= layout.newaxis and axis == x._axis then
      if is_whole(item, k, x._shape[axis]) then return place, k end
      local given = type(item) == "table" and "a range" or element.describe(item)
      refuse(WHAT, "index %d must be {}, got %s: axis %d is divided among ranks; read a.block, or call "
        .. "a:take(positions, { axis = %d }), a:gather() or a:redistribute()", k, given, axis, axis)
    end
  end
  return place + x._axis - axis
end

-- Positions on an axis are no view.
local function check_no_array(n, items)
  local axis = 0
  for k = 1, n do
    local x = items[k]
    if x ~= layout.newaxis then axis = axis + 1 end
    if object.is_array(x) or ndarray.is_array(x) or sharded.is(x) then
      refuse(WHAT, "index %d is an array; call a:take(positions, { axis = %d }), which gives a new array", k, axis)
    end
  end
end

---What a[key] is: a view for a position or a list of positions and ranges.
---@param x cudalua.distributed.Array
---@param key any  a number or table
---@return cudalua.distributed.Array
function sharded.index(x, key)
  sharded.check_group(WHAT, x._group)
  local items, n = { key }, 1
  if type(key) == "table" and key ~= layout.newaxis then
    if getmetatable(key) then
      refuse(WHAT, "an index must be a position or a list of positions and ranges, got %s; call "
        .. "a:take(positions, { axis = 1 }), or index a.block or a:gather()", errors.text(key))
    end
    items, n = layout.items(WHAT, key)
    check_no_array(n, items)
  end
  local axis, whole = nil, nil
  if x._axis then axis, whole = kept_axis(x, n, items) end
  if whole then
    items = { unpack(items, 1, n) }
    items[whole] = {} -- the block has fewer positions
  end
  local block = view.slice(WHAT, x._block, n, items)
  local shape = { unpack(block._shape) }
  if axis then shape[axis] = x._shape[x._axis] end
  return sharded.new(x._group, block, shape, axis)
end

-- ---- other shapes ---------------------------------------------------------------------------------------------------

local function product(shape, first, last)
  local n = 1
  for k = first, last do n = n * shape[k] end
  return n
end

-- The axis of another shape that the divided one becomes: as long, and with as many elements before it and behind it.
local function same_axis(x, shape)
  local before, behind = product(x._shape, 1, x._axis - 1), product(x._shape, x._axis + 1, #x._shape)
  for k, extent in ipairs(shape) do
    local fits = product(shape, 1, k - 1) == before and product(shape, k + 1, #shape) == behind
    if fits and extent == x._shape[x._axis] then return k end
  end
end

---Returns the same elements with another shape. The divided axis stays as it is: other axes can be split, joined or
---added. A view of the blocks if their layout allows it, else a copy.
---@param ... any  the extents, or one list of them; one may be -1 and is computed from the others
---@return cudalua.distributed.Array
---@raise LogicError if the sizes differ, or no axis of the new shape is the divided one
function Array:reshape(...)
  local what = "distributed.Array:reshape"
  sharded.check_self(self, "reshape")
  local extents = { ... }
  if #extents == 1 and type(extents[1]) == "table" then extents = extents[1] end
  local shape = layout.reshape(what, extents, graph.size_of(self._shape), self._block._dtype.itemsize)
  local own, axis = { unpack(shape) }, nil
  if self._axis then
    axis = same_axis(self, shape)
    if not axis then
      refuse(what, "%s cannot become %s: the divided axis must stay an axis of its own; call redistribute(axis) or "
        .. "redistribute() before", sharded.describe(self), layout.text(shape))
    end
    own[axis] = self._past - self._first
  end
  return sharded.new(self._group, view.reshape(self._block, own, "C"), shape, axis)
end

return {}
