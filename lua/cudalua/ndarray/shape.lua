-- Other shapes for the elements of a host array: views, and a copy where reshape() has no other way.

local arrays = require "cudalua.ndarray.array"
local layout = require "cudalua.base.layout"

local check_self, view = arrays.check_self, arrays.view

---@class cudalua.ndarray.Array
local Array = arrays.Array

---Permutes the axes and returns a view.
---@param ... integer  the axes in their new order, or one list of them; default: the reverse order
---@return cudalua.ndarray.Array
---@raise LogicError if each axis does not appear exactly once
function Array:transpose(...)
  local what = "ndarray:transpose"
  check_self(self, what)
  local axes = ...
  if select("#", ...) > 1 or type(axes) == "number" then axes = { ... } end
  local order, shape, strides = layout.permutation(what, self._ndim, axes), {}, {}
  for k, axis in ipairs(order) do shape[k], strides[k] = self._shape[axis], self._strides[axis] end
  return view(self, 0, shape, strides, self._size)
end

---Returns the same elements with another shape: as a view if the layout allows it, else as a copy.
---@param ... any  the extents, or one list of them; one may be -1 and is computed from the others. A last argument
---  {order = "F"} takes the elements with the first axis changing fastest. Default "C": the last axis does
---@return cudalua.ndarray.Array
---@raise LogicError if the sizes differ
function Array:reshape(...)
  local what = "ndarray:reshape"
  check_self(self, what)
  local n, extents, order = select("#", ...), { ... }, "C"
  if n > 1 and type(extents[n]) == "table" then
    order = arrays.order_of(what, extents[n])
    extents[n], n = nil, n - 1
  end
  if n == 1 and type(extents[1]) == "table" then extents = extents[1] end
  local itemsize = self._dtype.itemsize
  local shape = layout.reshape(what, extents, self._size, itemsize)
  local strides = layout.reshape_strides(self._shape, self._strides, shape, itemsize, order)
  if strides then return view(self, 0, shape, strides, self._size) end
  local a = self:copy(order)
  return arrays.new(a._dtype, a._p, shape, layout.dense_strides(shape, itemsize, order), a._size, a._memory)
end

---Removes axes of one element and returns a view.
---@param axes? integer|integer[]  the axes to remove; default: all axes that have one element
---@return cudalua.ndarray.Array
---@raise LogicError if an axis is out of range or does not have exactly one element
function Array:squeeze(axes)
  local what = "ndarray:squeeze"
  check_self(self, what)
  local shape, strides = layout.squeeze(what, self._shape, self._strides, axes)
  return view(self, 0, shape, strides, self._size)
end

---Adds axes of one element and returns a view.
---@param axes integer|integer[]  the positions of the new axes in the new shape; -1: the last one
---@return cudalua.ndarray.Array
---@raise LogicError for positions that the new shape does not have
function Array:expand_dims(axes)
  local what = "ndarray:expand_dims"
  check_self(self, what)
  local shape, strides = layout.expand_dims(what, self._shape, self._strides, axes)
  return view(self, 0, shape, strides, self._size)
end

---Reverses the order of the elements along axes and returns a view.
---@param axes? integer|integer[]  the axes; default: all
---@return cudalua.ndarray.Array
---@raise LogicError if an axis is out of range
function Array:flip(axes)
  local what = "ndarray:flip"
  check_self(self, what)
  local offset, strides = layout.flip(what, self._shape, self._strides, axes)
  return view(self, offset, self.shape, strides, self._size)
end

---Repeats the elements along axes that have one element, and along new axes before the first, as NumPy's broadcast_to.
---Returns a view with stride 0 on these axes. Writing to an element of it writes to all its repetitions.
---@param ... any  the extents, or one list of them
---@return cudalua.ndarray.Array
---@raise LogicError if the array's shape does not broadcast to that shape
function Array:broadcast_to(...)
  local what = "ndarray:broadcast_to"
  check_self(self, what)
  local extents = ...
  if select("#", ...) > 1 or type(extents) ~= "table" then extents = { ... } end
  local shape = layout.numbers(what, "shape", extents, 0)
  if not layout.broadcasts(self._shape, shape) then
    layout.refuse(what, "the shape %s cannot be broadcast to %s", layout.text(self._shape), layout.text(shape))
  end
  local size = layout.size(what, shape, self._dtype.itemsize)
  return view(self, 0, shape, layout.broadcast_strides(self._shape, self._strides, shape), size)
end

return Array
