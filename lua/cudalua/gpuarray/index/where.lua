-- where, nonzero and their kin: elements for which something is true.

local arguments = require "cudalua.gpuarray.index.arguments"
local calls = require "cudalua.gpuarray.core.calls"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local index = require "cudalua.gpuarray.index.slice"
local layout = require "cudalua.base.layout"
local mask = require "cudalua.gpuarray.index.mask"
local move = require "cudalua.gpuarray.index.move"
local ops = require "cudalua.gpuarray.kernel.ops"
local resolve = require "cudalua.gpuarray.index.resolve"
local run = require "cudalua.gpuarray.core.run"
local view = require "cudalua.gpuarray.core.view"
local write = require "cudalua.gpuarray.core.write"

local refuse = layout.refuse
local check_array, any_mask, until_done = arguments.check_array, arguments.any_mask, run.until_done
local delivered, values_for = arguments.delivered, arguments.values_for

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

---where(c, a, b) selects elements of a where c is true (not 0), and of b elsewhere; all three broadcast. where(c) is
---nonzero(c).
---@param c cudalua.gpuarray.Array  the condition
---@param a? any  an array or a number, for elements where c is true
---@param b? any  an array or a number, for all other elements
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array ...
---@raise LogicError if shapes or types do not fit
define("where", function(c, a, b, options)
  if a == nil and b == nil and options == nil then return M.nonzero(c) end
  return functions.apply(ops.where, options, c, a, b)
end)

---Returns the positions of the elements that are not 0 (true): one array of positions for each axis, in C order.
---`a[{gpuarray.nonzero(m)}]` selects these elements. The program waits for the array.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array ...  one for each axis of a; 1-D, int64
---@raise LogicError for a 0-d array
define("nonzero", function(a, options)
  local what = "gpuarray.nonzero"
  errors.options(what, options, calls.PLACED)
  check_array(what, "a", a)
  if a._ndim == 0 then refuse(what, "a 0-d array has no positions") end
  if a._ndim == 1 then return mask.positions(mask.of(a), what) end
  local all, rows = mask.positions(mask.of(a), what, a._shape, true), {}
  local count = all._shape[2]
  for k = 1, a._ndim do rows[k] = view.of(all, (k - 1) * 8 * count, { count }, { 8 }) end
  return unpack(rows)
end)

---Returns the positions of the elements that are not 0 as rows, with one column for each axis. The program waits for
---the array.
---@param a cudalua.gpuarray.Array  the array
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  int64, with the shape (count, axes)
function M.argwhere(a, options)
  local what = "gpuarray.argwhere"
  errors.options(what, options, calls.PLACED)
  check_array(what, "a", a)
  return mask.positions(mask.of(a), what, a._shape, false)
end

---Returns the positions of the elements that are not 0 among all elements in C order. The program waits for the array.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  1-D, int64
function M.flatnonzero(a, options)
  local what = "gpuarray.flatnonzero"
  errors.options(what, options, calls.PLACED)
  check_array(what, "a", a)
  return mask.positions(mask.of(a), what)
end

-- The elements of an array, in C order, for which a condition is true that has no more elements.
local function chosen(since, what, condition, a)
  local c, leaf = mask.of(condition), evaluate(a)
  if leaf.dense then return mask.chosen(c, what, leaf, since) end
  local sel = resolve.flat(what, a, mask.positions(c, what), "condition")
  sel.groups[1].sure = true
  return move.gather(sel, nil, since)
end

-- The parts along an axis, or without one the elements of the whole array.
local function chosen_parts(since, what, condition, a, axis)
  local list = mask.positions(mask.of(condition), what)
  local sel = axis and resolve.axis(what, a, axis, list, "condition") or resolve.flat(what, a, list, "condition")
  sel.groups[1].sure = condition._size <= sel.groups[1].extent
  return move.gather(sel, nil, since)
end

local compress_options = { axis = true, out = true, stream = true, allocator = true }

local function compress(condition, a, options)
  local what = "gpuarray.compress"
  check_array(what, "a", a)
  local o, c = errors.options(what, options, compress_options), any_mask(what, "condition", condition)
  if c._ndim ~= 1 then refuse(what, "condition must have one axis, but has the shape " .. layout.text(c._shape)) end
  local axis = o.axis ~= nil and layout.axis(what, o.axis, a._ndim) or nil
  local whole = (not axis or a._ndim == 1) and c._size <= a._size
  return delivered(what, until_done(whole and chosen or chosen_parts, what, c, a, axis), o.out)
end

---Returns the parts along an axis, or the elements of the whole array in C order, for which a condition is true, as
---NumPy's compress. The program waits for the condition.
---@param condition any  a 1-D array or list of booleans; it may be shorter than the axis
---@param a cudalua.gpuarray.Array  the array to select from
---@param options? {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  axis:
---  default the whole array
---@return cudalua.gpuarray.Array
---@raise LogicError if the condition is true beyond the end of the axis
define("compress", compress, nil, "a")

local function same_size(what, c, a)
  if c._size ~= a._size then
    refuse(what, ("the mask has the shape %s, but the array has " ..
      "%s"):format(layout.text(c._shape), layout.text(a._shape)))
  end
end

---Returns the elements for which a mask is true, in C order, as NumPy's extract. The program waits for the mask.
---@param condition any  an array or nested lists, with as many elements as a or with none
---@param a cudalua.gpuarray.Array  the array to select from
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  1-D
---@raise LogicError if the sizes differ
function M.extract(condition, a, options)
  local what = "gpuarray.extract"
  errors.options(what, options, calls.PLACED)
  check_array(what, "a", a)
  local c = any_mask(what, "condition", condition)
  if c._size > 0 then same_size(what, c, a) end
  return (until_done(chosen, what, c, a))
end

local function put_places(since, what, a, condition, values)
  local list = mask.positions(mask.of(condition), what)
  local source = values_for(what, a, values, list._size)
  if not source then return true end
  if source._size > list._size then source = view.of(source, 0, { list._size }, { source._dtype.itemsize }) end
  local sel = resolve.flat(what, a, list, "condition")
  sel.groups[1].sure, sel.unique = true, true
  return index.put(since, sel, a, source)
end

---Writes values one after the other to the elements for which a mask is true, in C order, as NumPy's place. The program
---waits for the mask.
---@param a cudalua.gpuarray.Array  the array to write to
---@param condition any  the mask: an array or nested lists, with as many elements as a
---@param values any  an array, nested lists or a number; repeated if there are too few
---@param options? {stream: cudalua.Stream}
---@return cudalua.gpuarray.Array a
---@raise LogicError if the sizes differ, or if the mask is true somewhere and there are no values
function M.place(a, condition, values, options)
  local what = "gpuarray.place"
  errors.options(what, options, calls.STREAM)
  check_array(what, "a", a)
  local c = any_mask(what, "condition", condition)
  same_size(what, c, a)
  until_done(put_places, what, a, c, index.given(what, a, values))
  return a
end

local function put_masked(since, what, a, condition, values)
  local c, source = mask.of(condition), values_for(what, a, values, a._size)
  if not source then return true end
  if source._size > a._size then source = view.of(source, 0, { a._size }, { source._dtype.itemsize }) end
  if source._size == a._size then source = view.reshape(source, a._shape, "C") end
  if not layout.same(c._shape, a._shape) then c = view.reshape(c, a._shape, "C") end
  return write.write(a, graph.ternary(ops.where, c, source, a), true, nil, since) or run.AGAIN
end

---Writes a value to each element for which a mask is true, as NumPy's putmask. The value comes from the same position
---among the values, which are repeated.
---@param a cudalua.gpuarray.Array  the array to write to
---@param condition any  the mask: an array or nested lists, with as many elements as a
---@param values any  an array, nested lists or a number
---@param options? {stream: cudalua.Stream}
---@return cudalua.gpuarray.Array a
---@raise LogicError if the sizes differ, or if there are no values
function M.putmask(a, condition, values, options)
  local what = "gpuarray.putmask"
  errors.options(what, options, calls.STREAM)
  check_array(what, "a", a)
  local c = any_mask(what, "condition", condition)
  same_size(what, c, a)
  until_done(put_masked, what, a, c, index.given(what, a, values))
  return a
end

return require "cudalua.gpuarray.core.named_errors"(M, "nonzero argwhere flatnonzero compress extract place putmask")
