-- Written by ./dev generate from rows, calls of define() and methods in lua/cudalua/gpuarray/; change these.
---@meta

---@class cudalua.gpuarray
local gpuarray = {}

---@class cudalua.gpuarray.Array
local Array = {}

---The same elements with another shape: a view if the layout allows it, else a copy.
---@param a any  array, or host data, which is copied to the device
---@param ... any  extents, or one list of them, one of which may be -1 (what is left); last {order = "F"} to count
---  elements with the first axis fastest (default "C": the last one; "A": F for an array that lies in F order alone)
---@return cudalua.gpuarray.Array
---@raise LogicError if the sizes differ
function gpuarray.reshape(a, ...) end

---All elements along one axis: a view if the layout allows it, else a copy.
---@param a any  array, or host data, which is copied to the device
---@param order? "C"|"F"|"A"|"K"  in which they are counted; default C: the last axis fastest; K: as they lie in memory
---@return cudalua.gpuarray.Array
function gpuarray.ravel(a, order) end

---The same elements without axes of one element, as a view.
---@param a any  array, or host data, which is copied to the device
---@param axes? integer|integer[]  default: all axes that have one element
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range, or has not one element
function gpuarray.squeeze(a, axes) end

---The same elements with more axes, of one element each, as a view.
---@param a any  array, or host data, which is copied to the device
---@param axes integer|integer[]  where these are in the new shape; -1: the last one
---@return cudalua.gpuarray.Array
---@raise LogicError for places that the new shape does not have
function gpuarray.expand_dims(a, axes) end

---The same elements with the axes in another order, as a view.
---@param a any  array, or host data, which is copied to the device
---@param ... any  axes, or one list of them; none: the reverse
---@return cudalua.gpuarray.Array
---@raise LogicError if they do not name each axis once
function gpuarray.transpose(a, ...) end

---Two axes exchanged, as a view.
---@param a any  array, or host data, which is copied to the device
---@param axis1 integer
---@param axis2 integer
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range
function gpuarray.swapaxes(a, axis1, axis2) end

---Axes moved to other places, as a view; the others stay in their order.
---@param a any  array, or host data, which is copied to the device
---@param source integer|integer[]
---@param destination integer|integer[]  as many places
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis or a position is out of range
function gpuarray.moveaxis(a, source, destination) end

---The same elements backwards, as a view.
---@param a any  array, or host data, which is copied to the device
---@param axes? integer|integer[]  default: all
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range
function gpuarray.flip(a, axes) end

---The second axis backwards, as a view.
---@param a any  array, or host data, which is copied to the device
---@return cudalua.gpuarray.Array
---@raise LogicError for an array of fewer than two axes
function gpuarray.fliplr(a) end

---The first axis backwards, as a view.
---@param a any  array, or host data, which is copied to the device
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array
function gpuarray.flipud(a) end

---Turned by quarters of a circle in the plane of two axes, from the first towards the second, as a view.
---@param a any  array, or host data, which is copied to the device
---@param k? integer       how many quarters; default: 1; negative: the other way
---@param axes? integer[]  two; default: {1, 2}
---@return cudalua.gpuarray.Array
---@raise LogicError if the two axes do not exist
function gpuarray.rot90(a, k, axes) end

---A copy of the elements in reversed order, as PyCUDA's reverse().
---@param a any  array, or host data, which is copied to the device
---@param options? {stream: cudalua.Stream, allocator: function}|cudalua.Stream
---@return cudalua.gpuarray.Array
function gpuarray.reverse(a, options) end

---The same elements repeated along axes that have one element, or that are new before the first, as a view, which
---cannot
---be written to.
---@param a any  array, or host data, which is copied to the device
---@param ... any  extents, or one list of them
---@return cudalua.gpuarray.Array
---@raise LogicError if the array's shape does not broadcast to that one
function gpuarray.broadcast_to(a, ...) end

---The elements on a diagonal of two axes, as a view; the diagonal is its last axis.
---@param a any  array, or host data, which is copied to the device
---@param k? integer      0 (default): the main diagonal; above it positive, below negative
---@param axis1? integer  default: 1
---@param axis2? integer  default: 2
---@return cudalua.gpuarray.Array
---@raise LogicError if the two axes do not exist
function gpuarray.diagonal(a, k, axis1, axis2) end

---A copy without gaps, in the array's own layout, as PyCUDA's copy and astype().
---@param a any  array, or host data, which is copied to the device
---@param options? any  {order: "C"|"F"|"A"|"K", stream: cudalua.Stream, allocator: function}, or the order, or the
---  stream. K (default): axes lie in the order of the array's; A: F of an array that lies in F order alone, else C
---@return cudalua.gpuarray.Array
---@raise LogicError for another order
function gpuarray.copy(a, options) end

---Parts along an axis, as views.
---@param a any  array, or host data, which is copied to the device
---@param parts integer|integer[]  how many, all of one size; or the positions at which all but the last one end
---@param axis? integer            default: 1
---@return cudalua.gpuarray.Array[]
---@raise LogicError if the axis has no such parts
function gpuarray.split(a, parts, axis) end

---As split; if the axis cannot be split equally, the first parts have one element more.
---@param a any  array, or host data, which is copied to the device
---@param parts integer|integer[]  as for split
---@param axis? integer            default: 1
---@return cudalua.gpuarray.Array[]
---@raise LogicError if positions are beyond the axis
function gpuarray.array_split(a, parts, axis) end

---The parts along an axis as a list of views, without that axis, as unstack of the array API standard: what stack()
---joins.
---@param a any  array, or host data, which is copied to the device
---@param axis? integer  default: 1
---@return cudalua.gpuarray.Array[]
---@raise LogicError for a 0-d array, and if an axis is out of range
function gpuarray.unstack(a, axis) end

---The array repeated as a tile along each axis.
---@param a any  array, or host data, which is copied to the device
---@param ... any  how often along each axis, or one list; fewer than the axes: for the last ones; more: the array gets
---  axes before its first; last {stream = cudalua.Stream, allocator = function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a value that is not a non-negative integer
function gpuarray.tile(a, ...) end

---Each element several times, one after the other. The name has a line because `repeat` is a word of Lua's.
---@param a any  array, or host data, which is copied to the device
---@param times integer|integer[]  how often; a list: for each position of the axis
---@param axis? integer            default: the elements of the whole array along one axis
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a value that is not a non-negative integer, or a list of another length
function gpuarray.repeat_(a, times, axis, options) end

---The elements shifted along axes; what leaves at one end comes in at the other.
---@param a any  array, or host data, which is copied to the device
---@param shift integer|integer[]  by how many positions; towards the end if positive
---@param axes? integer|integer[]  default: the elements of the whole array, in C order
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range, or not one shift or as many as axes
function gpuarray.roll(a, shift, axes, options) end

---The array with a border around it.
---@param a any  array, or host data, which is copied to the device
---@param width any     how many elements: a number, {before, after} for all axes, or a list of such for each axis
---@param mode? string  what the border holds: "constant" (default), "edge": the nearest element, "reflect": mirrored at
---  the outermost elements, "symmetric": mirrored behind them, "wrap": the elements from the other end, "empty":
---  anything
---@param options? {constant_values: any, stream: cudalua.Stream, allocator: function}  constant_values: of constant:
---  the value, default 0
---@return cudalua.gpuarray.Array
---@raise LogicError for bad widths or modes, and if an axis has no elements to take a border from
function gpuarray.pad(a, width, mode, options) end

---Is no element 0? NaN is not. Of none: true.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or given twice, or out does not fit
function gpuarray.all(a, options) end

---Is no element 0? NaN is not. Of none: true.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or given twice, or out does not fit
function Array:all(options) end

---Is any element not 0? NaN is not. Of none: false.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or given twice, or out does not fit
function gpuarray.any(a, options) end

---Is any element not 0? NaN is not. Of none: false.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or given twice, or out does not fit
function Array:any(options) end

---The position of the greatest element, from 1, or of the first NaN; of several, the first. Along all axes: counted
---in C order.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function gpuarray.argmax(a, options) end

---The position of the greatest element, from 1, or of the first NaN; of several, the first. Along all axes: counted
---in C order.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function Array:argmax(options) end

---The position of the least element, from 1, or of the first NaN; of several, the first. Along all axes: counted in C
---order.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function gpuarray.argmin(a, options) end

---The position of the least element, from 1, or of the first NaN; of several, the first. Along all axes: counted in C
---order.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function Array:argmin(options) end

---How many elements are not 0, as int64.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if an axis is out of range or given twice, or out does not fit
function gpuarray.count_nonzero(a, options) end

---How many elements are not 0, as int64.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if an axis is out of range or given twice, or out does not fit
function Array:count_nonzero(options) end

---The sum of the products of two vectors' elements, in one kernel: integers in 64 bits, float16 and bfloat16 as
---float32, rounded once.
---@param a cudalua.gpuarray.Array  of one axis
---@param b cudalua.gpuarray.Array  as long
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: of
---  the result; elements are converted to it first
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if these are not vectors of one length, the dtype is not supported, or out does not fit
function gpuarray.dot(a, b, options) end

---The sum of the products of two vectors' elements, in one kernel: integers in 64 bits, float16 and bfloat16 as
---float32, rounded once.
---@param b cudalua.gpuarray.Array  as long
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: of
---  the result; elements are converted to it first
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if these are not vectors of one length, the dtype is not supported, or out does not fit
function Array:dot(b, options) end

---The greatest element; NaN if there is one.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function gpuarray.max(a, options) end

---The greatest element; NaN if there is one.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function Array:max(options) end

---The mean of the elements: of integers, the default float. Of none: NaN.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result;
---  elements are converted to it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
function gpuarray.mean(a, options) end

---The mean of the elements: of integers, the default float. Of none: NaN.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result;
---  elements are converted to it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
function Array:mean(options) end

---The least element; NaN if there is one.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function gpuarray.min(a, options) end

---The least element; NaN if there is one.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function Array:min(options) end

---The position of the greatest element that is a number, from 1; of several, the first. 0 if all are NaN.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function gpuarray.nanargmax(a, options) end

---The position of the greatest element that is a number, from 1; of several, the first. 0 if all are NaN.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function Array:nanargmax(options) end

---The position of the least element that is a number, from 1; of several, the first. 0 if all are NaN.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function gpuarray.nanargmin(a, options) end

---The position of the least element that is a number, from 1; of several, the first. 0 if all are NaN.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function Array:nanargmin(options) end

---The greatest element that is a number; NaN if none is.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function gpuarray.nanmax(a, options) end

---The greatest element that is a number; NaN if none is.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function Array:nanmax(options) end

---The least element that is a number; NaN if none is.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function gpuarray.nanmin(a, options) end

---The least element that is a number; NaN if none is.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones
---  from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---  does not fit
function Array:nanmin(options) end

---The product of the elements, in the types of sum(). Of none: 1.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result;
---  elements are converted to it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
function gpuarray.prod(a, options) end

---The product of the elements, in the types of sum(). Of none: 1.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result;
---  elements are converted to it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
function Array:prod(options) end

---The greatest element less the least one.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis, as for max
---@return cudalua.gpuarray.Array
---@raise LogicError as max, and for bool, which has no difference
function gpuarray.ptp(a, options) end

---The greatest element less the least one.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis, as for max
---@return cudalua.gpuarray.Array
---@raise LogicError as max, and for bool, which has no difference
function Array:ptp(options) end

---The standard deviation: the square root of the variance.
---@param a cudalua.gpuarray.Array
---@param options? any  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
function gpuarray.std(a, options) end

---The standard deviation: the square root of the variance.
---@param options? any  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
function Array:std(options) end

---The sum of the elements: integers in 64 bits, float16 and bfloat16 as float32, rounded once. Of none: 0.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result;
---  elements are converted to it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
function gpuarray.sum(a, options) end

---The sum of the elements: integers in 64 bits, float16 and bfloat16 as float32, rounded once. Of none: 0.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result;
---  elements are converted to it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
function Array:sum(options) end

---The variance: the mean of the squared distances from the mean. Of integers, the default float; those of 32 and 64
---bits have float64 intermediates.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for mean. ddof: the
---  squares' sum is divided by the number of elements less this; default 0
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
function gpuarray.var(a, options) end

---The variance: the mean of the squared distances from the mean. Of integers, the default float; those of 32 and 64
---bits have float64 intermediates.
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for mean. ddof: the
---  squares' sum is divided by the number of elements less this; default 0
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
function Array:var(options) end

---The dot product with the first operand's complex conjugate, of all elements of two arrays in C order.
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array  of as many elements
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for dot
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if the numbers of elements differ, the dtype is not supported, or out does not fit
function gpuarray.vdot(a, b, options) end

---The dot product with the first operand's complex conjugate, of all elements of two arrays in C order.
---@param b cudalua.gpuarray.Array  of as many elements
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for dot
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if the numbers of elements differ, the dtype is not supported, or out does not fit
function Array:vdot(b, options) end

---The logarithm of the sum of the elements' exponentials, without intermediate overflow. Of no elements: -inf.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative
---  ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, an axis is out of range or given twice, or out does not fit
function gpuarray.logsumexp(a, options) end

---The logarithm of the sum of the elements' exponentials, without intermediate overflow. Of no elements: -inf.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative
---  ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, an axis is out of range or given twice, or out does not fit
function Array:logsumexp(options) end

---The mean of the elements that are numbers; NaN if none is.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.mean
function gpuarray.nanmean(a, options) end

---The mean of the elements that are numbers; NaN if none is.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.mean
function Array:nanmean(options) end

---The product of the elements that are numbers, as prod(); NaN counts as 1.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.prod
function gpuarray.nanprod(a, options) end

---The product of the elements that are numbers, as prod(); NaN counts as 1.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.prod
function Array:nanprod(options) end

---The square root of nanvar().
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis: a number or a list, from
---  1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  ddof: as for var. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
function gpuarray.nanstd(a, options) end

---The square root of nanvar().
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis: a number or a list, from
---  1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  ddof: as for var. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
function Array:nanstd(options) end

---The sum of the elements that are numbers, as sum(); NaN counts as 0.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.sum
function gpuarray.nansum(a, options) end

---The sum of the elements that are numbers, as sum(); NaN counts as 0.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.sum
function Array:nansum(options) end

---The variance of the elements that are numbers; NaN if at most ddof are left.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis: a number or a list, from
---  1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  ddof: as for var. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
function gpuarray.nanvar(a, options) end

---The variance of the elements that are numbers; NaN if at most ddof are left.
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis: a number or a list, from
---  1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result.
---  ddof: as for var. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
function Array:nanvar(options) end

---The norm of the elements, taken for a vector: the root of the sum of the squares. Of integers, the default float; of
---complex numbers, that of their absolute values.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, ord, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. ord: another one: the
---  ord-th root of the sum of the ord-th powers; 0: how many are not 0; math.huge: the greatest absolute value,
---  -math.huge the least. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if ord is not a number, an axis is out of range or given twice, or out does not fit
function gpuarray.norm(a, options) end

---The norm of the elements, taken for a vector: the root of the sum of the squares. Of integers, the default float; of
---complex numbers, that of their absolute values.
---@param options? any  {axis, keepdims, ord, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. ord: another one: the
---  ord-th root of the sum of the ord-th powers; 0: how many are not 0; math.huge: the greatest absolute value,
---  -math.huge the least. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if ord is not a number, an axis is out of range or given twice, or out does not fit
function Array:norm(options) end

---The greatest of the elements up to each one; from the first NaN on, NaN.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, out, stream, allocator}, or the axis: a number from 1, negative ones from the last;
---  default: all elements in C order, to an array of one axis. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out does not fit
function gpuarray.cummax(a, options) end

---The greatest of the elements up to each one; from the first NaN on, NaN.
---@param options? any  {axis, out, stream, allocator}, or the axis: a number from 1, negative ones from the last;
---  default: all elements in C order, to an array of one axis. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out does not fit
function Array:cummax(options) end

---The least of the elements up to each one; from the first NaN on, NaN.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, out, stream, allocator}, or the axis: a number from 1, negative ones from the last;
---  default: all elements in C order, to an array of one axis. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out does not fit
function gpuarray.cummin(a, options) end

---The least of the elements up to each one; from the first NaN on, NaN.
---@param options? any  {axis, out, stream, allocator}, or the axis: a number from 1, negative ones from the last;
---  default: all elements in C order, to an array of one axis. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out does not fit
function Array:cummin(options) end

---The products of the elements up to each one, in the types of cumsum().
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the
---  last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to it
---  first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
function gpuarray.cumprod(a, options) end

---The products of the elements up to each one, in the types of cumsum().
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the
---  last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to it
---  first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
function Array:cumprod(options) end

---The sums of the elements up to each one: integers in 64 bits, float16 and bfloat16 as float32, each sum rounded
---once. The order of the additions follows from the shape, the axis and the dtype alone.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the
---  last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to it
---  first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
function gpuarray.cumsum(a, options) end

---The sums of the elements up to each one: integers in 64 bits, float16 and bfloat16 as float32, each sum rounded
---once. The order of the additions follows from the shape, the axis and the dtype alone.
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the
---  last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to it
---  first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
function Array:cumsum(options) end

---The sums of the elements up to each one, as cumsum(); NaN counts as 0.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the
---  last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to it
---  first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
function gpuarray.nancumsum(a, options) end

---The sums of the elements up to each one, as cumsum(); NaN counts as 0.
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the
---  last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to it
---  first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
function Array:nancumsum(options) end

---Where the elements are that partition() puts in their places, as NumPy's argpartition.
---@param a cudalua.gpuarray.Array
---@param kth integer|integer[]  as for partition
---@param options? any  as for partition
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as gpuarray.partition
function gpuarray.argpartition(a, kth, options) end

---Where the elements are that partition() puts in their places, as NumPy's argpartition.
---@param kth integer|integer[]  as for partition
---@param options? any  as for partition
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as gpuarray.partition
function Array:argpartition(kth, options) end

---Where the elements are that sort() takes one after the other, as NumPy's argsort: `a:take_along_axis(a:argsort())` is
---sorted.
---@param a cudalua.gpuarray.Array
---@param options? any  as for sort
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as sort
function gpuarray.argsort(a, options) end

---Where the elements are that sort() takes one after the other, as NumPy's argsort: `a:take_along_axis(a:argsort())` is
---sorted.
---@param options? any  as for sort
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as sort
function Array:argsort(options) end

---The elements along an axis so that each place of `kth` has the element that sort() puts there, with none before it
---that is greater and none behind it that is less, as NumPy's partition. The order of the others is not promised; they
---are sorted, which takes no longer here than a selection for several places.
---@param a cudalua.gpuarray.Array
---@param kth integer|integer[]  places on the axis, from 1, negative ones from the end
---@param options? any  as for sort, without descending
---@return cudalua.gpuarray.Array
---@raise LogicError for places that are not there, and as sort
function gpuarray.partition(a, kth, options) end

---The elements along an axis so that each place of `kth` has the element that sort() puts there, with none before it
---that is greater and none behind it that is less, as NumPy's partition. The order of the others is not promised; they
---are sorted, which takes no longer here than a selection for several places.
---@param kth integer|integer[]  places on the axis, from 1, negative ones from the end
---@param options? any  as for sort, without descending
---@return cudalua.gpuarray.Array
---@raise LogicError for places that are not there, and as sort
function Array:partition(kth, options) end

---The elements along an axis in ascending order, as a new array, as NumPy's sort. It is stable: equal elements, and -0
---and 0 are equal, keep their order. NaNs come last, being greater than everything; so with descending they come first.
---Complex numbers go by their real parts, then by the imaginary ones. `a:sort { out = a }` sorts the array itself.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis: integer, descending: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}, or the axis; default: the last one. out: gets the result, and may be a
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array, an axis out of range, elements of a struct type, and if out does not fit
function gpuarray.sort(a, options) end

---The elements along an axis in ascending order, as a new array, as NumPy's sort. It is stable: equal elements, and -0
---and 0 are equal, keep their order. NaNs come last, being greater than everything; so with descending they come first.
---Complex numbers go by their real parts, then by the imaginary ones. `a:sort { out = a }` sorts the array itself.
---@param options? any  {axis: integer, descending: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}, or the axis; default: the last one. out: gets the result, and may be a
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array, an axis out of range, elements of a struct type, and if out does not fit
function Array:sort(options) end

---The k greatest elements along an axis, the greatest first, and where they are; of equal ones the first. NaNs are
---greater than everything.
---@param a cudalua.gpuarray.Array
---@param k integer
---@param options? any  {axis: integer, largest: boolean, stream: cudalua.Stream, allocator: function}, or the axis;
---  default: the last one. largest = false: the k least elements, the least first
---@return cudalua.gpuarray.Array values
---@return cudalua.gpuarray.Array positions  int64, on the axis, from 1
---@raise LogicError if the axis has fewer elements, and as sort
function gpuarray.topk(a, k, options) end

---The k greatest elements along an axis, the greatest first, and where they are; of equal ones the first. NaNs are
---greater than everything.
---@param k integer
---@param options? any  {axis: integer, largest: boolean, stream: cudalua.Stream, allocator: function}, or the axis;
---  default: the last one. largest = false: the k least elements, the least first
---@return cudalua.gpuarray.Array values
---@return cudalua.gpuarray.Array positions  int64, on the axis, from 1
---@raise LogicError if the axis has fewer elements, and as sort
function Array:topk(k, options) end

---The elements of an array that differ, in ascending order, as NumPy's unique: all NaNs are one element. What was asked
---for follows, in this order; the program waits for the number of elements.
---@param a cudalua.gpuarray.Array  of any shape, in C order
---@param options? {index: boolean, inverse: boolean, counts: boolean, stream: cudalua.Stream, allocator: function}
---  index: where each comes first; inverse: which of them each element of a is; counts: how often each comes
---@return cudalua.gpuarray.Array values  1-D
---@return cudalua.gpuarray.Array ...     int64; positions from 1; inverse has a's shape
---@raise LogicError for elements of a struct type
function gpuarray.unique(a, options) end

---The elements of an array that differ, in ascending order, as NumPy's unique: all NaNs are one element. What was asked
---for follows, in this order; the program waits for the number of elements.
---@param options? {index: boolean, inverse: boolean, counts: boolean, stream: cudalua.Stream, allocator: function}
---  index: where each comes first; inverse: which of them each element of a is; counts: how often each comes
---@return cudalua.gpuarray.Array values  1-D
---@return cudalua.gpuarray.Array ...     int64; positions from 1; inverse has a's shape
---@raise LogicError for elements of a struct type
function Array:unique(options) end

---The element in the middle of the sorted ones, or the mean of the two there; NaN if there is a NaN. Integers give
---the default float.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list; default: all
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, and for complex numbers
function gpuarray.median(a, options) end

---The element in the middle of the sorted ones, or the mean of the two there; NaN if there is a NaN. Integers give
---the default float.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list; default: all
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, and for complex numbers
function Array:median(options) end

---As quantile, with q in percent, from 0 to 100.
---@param a cudalua.gpuarray.Array
---@param q any
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as quantile
function gpuarray.percentile(a, q, options) end

---As quantile, with q in percent, from 0 to 100.
---@param q any
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as quantile
function Array:percentile(q, options) end

---The elements below which a fraction q of the others lies, as NumPy's quantile; NaN if there is a NaN. Integers
---give the default float, or with a method that takes an element, themselves.
---@param a cudalua.gpuarray.Array
---@param q any  from 0 to 1: a number; or a list or an array of numbers, then the result has a first axis for them
---@param options? any  {axis, keepdims, method, out, stream, allocator}, or the axis: a number or a list; default:
---  all. method, for places between two elements: "linear" (default), "lower", "higher", "nearest", "midpoint"
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, for complex numbers, and for a q out of range
function gpuarray.quantile(a, q, options) end

---The elements below which a fraction q of the others lies, as NumPy's quantile; NaN if there is a NaN. Integers
---give the default float, or with a method that takes an element, themselves.
---@param q any  from 0 to 1: a number; or a list or an array of numbers, then the result has a first axis for them
---@param options? any  {axis, keepdims, method, out, stream, allocator}, or the axis: a number or a list; default:
---  all. method, for places between two elements: "linear" (default), "lower", "higher", "nearest", "midpoint"
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, for complex numbers, and for a q out of range
function Array:quantile(q, options) end

---The element in the middle of those that are numbers, or the mean of the two there, as NumPy's nanmedian; NaN where
---none is. Integers give the default float.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list; default: all
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers
function gpuarray.nanmedian(a, options) end

---The element in the middle of those that are numbers, or the mean of the two there, as NumPy's nanmedian; NaN where
---none is. Integers give the default float.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list; default: all
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers
function Array:nanmedian(options) end

---As nanquantile, with q in percent, from 0 to 100.
---@param a cudalua.gpuarray.Array
---@param q any
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as nanquantile
function gpuarray.nanpercentile(a, q, options) end

---As nanquantile, with q in percent, from 0 to 100.
---@param q any
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as nanquantile
function Array:nanpercentile(q, options) end

---The elements below which a fraction q of the others lies, of those that are numbers, as NumPy's nanquantile; NaN
---where none is.
---@param a cudalua.gpuarray.Array
---@param q any  from 0 to 1, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers, and for a q out of range
function gpuarray.nanquantile(a, q, options) end

---The elements below which a fraction q of the others lies, of those that are numbers, as NumPy's nanquantile; NaN
---where none is.
---@param q any  from 0 to 1, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers, and for a q out of range
function Array:nanquantile(q, options) end
