-- The elements of an array in another shape: views, and a copy only where memory allows no view.

local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local object = require "cudalua.gpuarray.core.object"
local view = require "cudalua.gpuarray.core.view"

local refuse, check_self = layout.refuse, object.check_self

---@class cudalua.gpuarray.Array
local Array = object.Array

---@class cudalua.gpuarray
local M = {}

-- An order, checked.
local function order_of(what, options, known)
  local order = options
  if type(options) == "table" then order = errors.options(what, options, known or { order = true }).order end
  if order == nil then return "C" end
  if order ~= "C" and order ~= "F" and order ~= "A" and order ~= "K" then
    refuse(what, "order must be 'C', 'F', 'A' or 'K', got " .. errors.text(order))
  end
  return order
end

-- "A" and "K" of an array that is copied: "F" where it lies in F order alone.
local function settled(x, order)
  if order ~= "A" and order ~= "K" then return order end
  local c, f = layout.density(x._shape, view.strides(x), x._dtype.itemsize)
  return f and not c and "F" or "C"
end

-- ---- another shape --------------------------------------------------------------------------------------------------

---Returns the same elements with another shape: as a view if the layout allows it, else as a copy.
---@param ... any  the extents, or one list of them; one may be -1 and is computed from the others. A last argument
---  {order = "F"} takes the elements with the first axis changing fastest. Default "C": the last axis does; "A": "F" if
---  the array lies in F order alone, else "C"
---@return cudalua.gpuarray.Array
---@raise LogicError if the sizes differ
function Array:reshape(...)
  local what = "gpuarray:reshape"
  check_self(self, what)
  local n, extents, order = select("#", ...), { ... }, "C"
  if n > 1 and type(extents[n]) == "table" then
    order = settled(self, order_of(what, extents[n]))
    extents[n], n = nil, n - 1
  end
  if n == 1 and type(extents[1]) == "table" then extents = extents[1] end
  return view.reshape(self, layout.reshape(what, extents, self._size, self._dtype.itemsize), order)
end

---Returns all elements as a 1-D array: as a view if the layout allows it, else as a copy.
---@param order? "C"|"F"|"A"|"K"  the order of the elements. "C" (default): the last axis changes fastest; "F": the
---  first axis does. "A": "F" if the array lies in F order alone, else "C". "K": as they lie in memory
---@return cudalua.gpuarray.Array
function Array:ravel(order)
  local what = "gpuarray:ravel"
  check_self(self, what)
  order = order_of(what, order)
  local x = self
  if order == "K" then
    local axes = layout.memory_order(view.strides(self))
    if #axes > 0 then x, order = view.transpose(what, self, axes), "C" end
  end
  return view.reshape(x, { self._size }, settled(x, order))
end

local flatten_options = { order = true, stream = true, allocator = true }

---Returns a copy of all elements as a 1-D array.
---@param options? any  {order: "C"|"F"|"A"|"K", stream: cudalua.Stream, allocator: function}, or the order, or the
---  stream. order: as for ravel
---@return cudalua.gpuarray.Array
function Array:flatten(options)
  local what = "gpuarray:flatten"
  check_self(self, what)
  local x = self:ravel(order_of(what, options, flatten_options))
  return x._store == self._store and view.copy(x, "C") or x
end

---Removes axes of one element and returns a view.
---@param axes? integer|integer[]  the axes to remove; default: all axes that have one element
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range or does not have exactly one element
function Array:squeeze(axes)
  local what = "gpuarray:squeeze"
  check_self(self, what)
  return view.of(self, 0, layout.squeeze(what, self._shape, view.strides(self), axes))
end

---Adds axes of one element and returns a view.
---@param axes integer|integer[]  the positions of the new axes in the new shape; -1: the last one
---@return cudalua.gpuarray.Array
---@raise LogicError for positions that the new shape does not have
function Array:expand_dims(axes)
  local what = "gpuarray:expand_dims"
  check_self(self, what)
  return view.of(self, 0, layout.expand_dims(what, self._shape, view.strides(self), axes))
end

-- ---- axes in another order ------------------------------------------------------------------------------------------

---Transposes the array: permutes its axes and returns a view.
---@param ... any  the axes in their new order, or one list of them; default: the reverse order
---@return cudalua.gpuarray.Array
---@raise LogicError if each axis does not appear exactly once
function Array:transpose(...)
  local what = "gpuarray:transpose"
  check_self(self, what)
  local axes = ...
  if select("#", ...) > 1 or type(axes) == "number" then axes = { ... } end
  return view.transpose(what, self, axes)
end

---Exchanges two axes and returns a view.
---@param axis1 integer  the first axis
---@param axis2 integer  the second axis
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range
function Array:swapaxes(axis1, axis2)
  local what = "gpuarray:swapaxes"
  check_self(self, what)
  local i, j = layout.axis(what, axis1, self._ndim), layout.axis(what, axis2, self._ndim)
  local axes = {}
  for k = 1, self._ndim do axes[k] = k end
  axes[i], axes[j] = j, i
  return view.transpose(what, self, axes)
end

-- Axes as a list, from 1.
local function axis_list(what, axes, n)
  local out, seen = layout.numbers(what, "axes", axes, -2 ^ 53), {}
  for k, axis in ipairs(out) do
    out[k] = layout.axis(what, axis, n)
    if seen[out[k]] then refuse(what, "axis %.0f appears twice", axis) end
    seen[out[k]] = true
  end
  return out, seen
end

---Moves axes to other positions and returns a view. The other axes keep their order.
---@param source integer|integer[]  the axes to move
---@param destination integer|integer[]  their new positions, one for each axis
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis or a position is out of range
function Array:moveaxis(source, destination)
  local what = "gpuarray:moveaxis"
  check_self(self, what)
  local from, moved = axis_list(what, source, self._ndim)
  local to = axis_list(what, destination, self._ndim)
  if #from ~= #to then refuse(what, "%d axes to move, but %d positions", #from, #to) end
  local order, rest = {}, 1
  for i, axis in ipairs(from) do order[to[i]] = axis end
  for k = 1, self._ndim do
    if not order[k] then
      while moved[rest] do rest = rest + 1 end
      order[k], rest = rest, rest + 1
    end
  end
  return view.transpose(what, self, order)
end

-- ---- backwards ------------------------------------------------------------------------------------------------------

local function flipped(what, x, axes)
  local offset, strides = layout.flip(what, x._shape, view.strides(x), axes)
  return view.of(x, offset, { unpack(x._shape, 1, x._ndim) }, strides)
end

---Reverses the order of the elements along axes and returns a view.
---@param axes? integer|integer[]  the axes; default: all
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range
function Array:flip(axes)
  check_self(self, "gpuarray:flip")
  return flipped("gpuarray:flip", self, axes)
end

---Reverses the second axis and returns a view.
---@return cudalua.gpuarray.Array
---@raise LogicError for an array with fewer than two axes
function Array:fliplr()
  check_self(self, "gpuarray:fliplr")
  return flipped("gpuarray:fliplr", self, 2)
end

---Reverses the first axis and returns a view.
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array
function Array:flipud()
  check_self(self, "gpuarray:flipud")
  return flipped("gpuarray:flipud", self, 1)
end

local reverse_options = { stream = true, allocator = true } -- see calls.lua

---Returns a copy of the elements in reversed order, as PyCUDA's reverse() does.
---@param options? {stream: cudalua.Stream, allocator: function}|cudalua.Stream
---@return cudalua.gpuarray.Array
function Array:reverse(options)
  check_self(self, "gpuarray:reverse")
  errors.options("gpuarray:reverse", options, reverse_options)
  return view.copy(flipped("gpuarray:reverse", self), "C")
end

---Rotates the array by multiples of 90 degrees in the plane of two axes, from the first towards the second, and returns
---a view.
---@param k? integer       the number of quarter turns; default: 1; negative: the other way
---@param axes? integer[]  the two axes; default: {1, 2}
---@return cudalua.gpuarray.Array
---@raise LogicError if the two axes do not exist
function Array:rot90(k, axes)
  local what = "gpuarray:rot90"
  check_self(self, what)
  local turns = layout.whole(k == nil and 1 or k)
  if not turns then refuse(what, "k must be an integer, got " .. element.describe(k)) end
  local plane = axis_list(what, axes == nil and { 1, 2 } or axes, self._ndim)
  if #plane ~= 2 then refuse(what, "a plane has two axes, got %d", #plane) end
  turns = turns % 4
  if turns == 0 then return view.of(self, 0, self.shape, self.strides) end
  if turns == 2 then return flipped(what, self, plane) end
  if turns == 1 then return flipped(what, self, plane[2]):swapaxes(plane[1], plane[2]) end
  return flipped(what, self:swapaxes(plane[1], plane[2]), plane[2])
end

-- ---- repeated, and parts --------------------------------------------------------------------------------------------

local function broadcast_to(what, x, shape)
  if not layout.broadcasts(x._shape, shape) then
    refuse(what, "the shape %s cannot be broadcast to %s", layout.text(x._shape), layout.text(shape))
  end
  layout.size(what, shape, x._dtype.itemsize)
  return view.of(x, 0, shape, layout.broadcast_strides(x._shape, view.strides(x), shape))
end

---Repeats the elements along axes that have one element, and along new axes before the first. Returns a view, which
---cannot be written to.
---@param ... any  the extents, or one list of them
---@return cudalua.gpuarray.Array
---@raise LogicError if the array's shape does not broadcast to that shape
function Array:broadcast_to(...)
  local what = "gpuarray:broadcast_to"
  check_self(self, what)
  local extents = ...
  if select("#", ...) > 1 or type(extents) ~= "table" then extents = { ... } end
  return broadcast_to(what, self, layout.numbers(what, "shape", extents, 0))
end

---Returns the elements on a diagonal of two axes as a view. The diagonal is its last axis.
---@param k? integer      the diagonal: 0 (default) the main one, positive above it, negative below it
---@param axis1? integer  the first axis; default: 1
---@param axis2? integer  the second axis; default: 2
---@return cudalua.gpuarray.Array
---@raise LogicError if the two axes do not exist
function Array:diagonal(k, axis1, axis2)
  local what = "gpuarray:diagonal"
  check_self(self, what)
  local at = layout.whole(k == nil and 0 or k)
  if not at then refuse(what, "k must be an integer, got " .. element.describe(k)) end
  if self._ndim < 2 then refuse(what, "an array of shape %s has no diagonal", layout.text(self._shape)) end
  local i = layout.axis(what, axis1 == nil and 1 or axis1, self._ndim)
  local j = layout.axis(what, axis2 == nil and 2 or axis2, self._ndim)
  if i == j then refuse(what, "axis %d appears twice", i) end
  local old, shape, strides = view.strides(self), {}, {}
  for axis = 1, self._ndim do
    if axis ~= i and axis ~= j then
      shape[#shape + 1], strides[#strides + 1] = self._shape[axis], old[axis]
    end
  end
  local n = math.max(math.min(self._shape[i] + math.min(at, 0), self._shape[j] - math.max(at, 0)), 0)
  shape[#shape + 1], strides[#strides + 1] = n, old[i] + old[j]
  return view.of(self, n == 0 and 0 or at < 0 and -at * old[i] or at * old[j], shape, strides)
end

---Reinterprets the bytes as elements of another dtype and returns a view. If the element sizes differ, the last axis
---must be contiguous and gets more or fewer elements.
---@param dtype? any  as for dtype.of; default: the array's own dtype
---@return cudalua.gpuarray.Array
---@raise LogicError if the bytes of the last axis are not a multiple of the element size, or are not aligned to it
function Array:view(dtype)
  local what = "gpuarray:view"
  check_self(self, what)
  if type(dtype) == "number" then -- PyTorch's view(-1)
    refuse(what, "dtype must be a name, a dtype or an FFI ctype, got %s; a:reshape(shape) changes the shape", dtype)
  end
  local old, leaf = self._dtype, evaluate(self)
  local new = dtype == nil and old or dtypes._of(what, dtype)
  local shape, strides, n = self.shape, self.strides, self._ndim
  if new.itemsize ~= old.itemsize then
    if n == 0 then
      refuse(what, "a 0-d array of %s cannot be viewed as %s, which has a different size", old.name, new.name)
    end
    if shape[n] > 1 and strides[n] ~= old.itemsize then
      refuse(what, "the last axis of %s%s has gaps and cannot be viewed as %s, which has a different size", old.name,
        layout.text(shape), new.name)
    end
    local bytes = shape[n] * old.itemsize
    if bytes % new.itemsize ~= 0 then
      refuse(what, "the last axis of %s%s has %.0f bytes, not a multiple of the size of %s", old.name,
        layout.text(shape), bytes, new.name)
    end
    shape[n], strides[n] = bytes / new.itemsize, new.itemsize
  end
  local alignment = make.alignment(new)
  local aligned = self._size == 0 or (leaf.store.skew + leaf.off) % alignment == 0
  for k = 1, n do
    if shape[k] > 1 and (strides[k] % alignment ~= 0 or strides[k] % new.itemsize ~= 0) then aligned = false end
    if shape[k] <= 1 then strides[k] = new.itemsize end -- of no consequence, but a multiple of the element size
  end
  if not aligned then
    refuse(what, "elements of %s%s are not aligned to the %d bytes of %s", old.name, layout.text(self._shape),
      new.itemsize, new.name)
  end
  return view.of(self, 0, shape, strides, new)
end

-- ---- several arrays -------------------------------------------------------------------------------------------------

-- The arrays among arguments, or in one list.
local function arrays_of(what, ...)
  local n, given = select("#", ...), { ... }
  if n == 1 and type(given[1]) == "table" and not object.is_array(given[1]) and
    type(getmetatable(given[1])) ~= "string" and object.is_array(rawget(given[1], 1)) then
    given, n = given[1], #given[1]
  end
  local out = {}
  for i = 1, n do out[i] = make.device_array(what, given[i]) end
  return out, n
end
---Broadcasts arrays against each other and returns views. Views with repeated elements cannot be written to.
---@param ... any  arrays, or one list of them
---@return cudalua.gpuarray.Array ...  one for each array
---@raise LogicError if the shapes do not broadcast
function M.broadcast_arrays(...)
  local what = "gpuarray.broadcast_arrays"
  local list, n = arrays_of(what, ...)
  local shape = {}
  for i = 1, n do shape = layout.broadcast(what, shape, list[i]._shape) end
  for i = 1, n do list[i] = broadcast_to(what, list[i], { unpack(shape, 1, #shape) }) end
  return unpack(list, 1, n)
end

-- Each array with at least so many axes: shape(x) gives the new one.
local function at_least(what, axes, shape, ...)
  local list, n = arrays_of(what, ...)
  for i = 1, n do
    if list[i]._ndim < axes then list[i] = view.reshape(list[i], shape(list[i]._shape), "C") end
  end
  return unpack(list, 1, n)
end

---Returns views of arrays with at least one axis.
---@param ... any  arrays
---@return cudalua.gpuarray.Array ...  one for each array
function M.atleast_1d(...) return at_least("gpuarray.atleast_1d", 1, function() return { 1 } end, ...) end

---Returns views of arrays with at least two axes. New axes come first.
---@param ... any  arrays
---@return cudalua.gpuarray.Array ...  one for each array
function M.atleast_2d(...)
  return at_least("gpuarray.atleast_2d", 2, function(s) return { 1, s[1] or 1 } end, ...)
end

---Returns views of arrays with at least three axes. A 1-D array gets a new axis on each side, a 2-D array gets one at
---the end.
---@param ... any  arrays
---@return cudalua.gpuarray.Array ...  one for each array
function M.atleast_3d(...)
  return at_least("gpuarray.atleast_3d", 3, function(s)
    if #s == 2 then return { s[1], s[2], 1 } end
    return { 1, s[1] or 1, 1 }
  end, ...)
end

-- The methods as functions of the module, for arrays and for host data.
for _, name in ipairs { "reshape", "ravel", "squeeze", "expand_dims", "transpose", "swapaxes", "moveaxis", "flip",
  "fliplr", "flipud", "rot90", "reverse", "broadcast_to", "diagonal", "copy" } do
  M[name] = function(a, ...) return Array[name](make.device_array("gpuarray." .. name, a), ...) end
end

return M
