-- Written by ./dev generate from rows, calls of define() and methods in lua/cudalua/gpuarray/; change these.
---@meta

---@class cudalua.gpuarray
local gpuarray = {}

---@class cudalua.gpuarray.Array
local Array = {}

---Returns the same elements with another shape: as a view if the layout allows it, else as a copy.
---@param a any  an array, or host data, which is copied to the device
---@param ... any  the extents, or one list of them; one may be -1 and is computed from the others. A last argument
---  {order = "F"} takes the elements with the first axis changing fastest. Default "C": the last axis does; "A": "F" if
---  the array lies in F order alone, else "C"
---@return cudalua.gpuarray.Array
---@raise LogicError if the sizes differ
function gpuarray.reshape(a, ...) end

---Returns all elements as a 1-D array: as a view if the layout allows it, else as a copy.
---@param a any  an array, or host data, which is copied to the device
---@param order? "C"|"F"|"A"|"K"  the order of the elements; default "C": the last axis changes fastest; "F": the first
---  axis does; "A": "F" if the array lies in F order alone, else "C"; "K": as they lie in memory
---@return cudalua.gpuarray.Array
function gpuarray.ravel(a, order) end

---Removes axes of one element and returns a view.
---@param a any  an array, or host data, which is copied to the device
---@param axes? integer|integer[]  the axes to remove; default: all axes that have one element
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range or does not have exactly one element
function gpuarray.squeeze(a, axes) end

---Adds axes of one element and returns a view.
---@param a any  an array, or host data, which is copied to the device
---@param axes integer|integer[]  the positions of the new axes in the new shape; -1: the last one
---@return cudalua.gpuarray.Array
---@raise LogicError for positions that the new shape does not have
function gpuarray.expand_dims(a, axes) end

---Permutes the axes and returns a view.
---@param a any  an array, or host data, which is copied to the device
---@param ... any  the axes in their new order, or one list of them; default: the reverse order
---@return cudalua.gpuarray.Array
---@raise LogicError if each axis does not appear exactly once
function gpuarray.transpose(a, ...) end

---Exchanges two axes and returns a view.
---@param a any  an array, or host data, which is copied to the device
---@param axis1 integer  the first axis
---@param axis2 integer  the second axis
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range
function gpuarray.swapaxes(a, axis1, axis2) end

---Moves axes to other positions and returns a view. The other axes keep their order.
---@param a any  an array, or host data, which is copied to the device
---@param source integer|integer[]  the axes to move
---@param destination integer|integer[]  their new positions, one for each axis
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis or a position is out of range
function gpuarray.moveaxis(a, source, destination) end

---Reverses the order of the elements along axes and returns a view.
---@param a any  an array, or host data, which is copied to the device
---@param axes? integer|integer[]  the axes; default: all
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range
function gpuarray.flip(a, axes) end

---Reverses the second axis and returns a view.
---@param a any  an array, or host data, which is copied to the device
---@return cudalua.gpuarray.Array
---@raise LogicError for an array with fewer than two axes
function gpuarray.fliplr(a) end

---Reverses the first axis and returns a view.
---@param a any  an array, or host data, which is copied to the device
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array
function gpuarray.flipud(a) end

---Rotates the array by multiples of 90 degrees in the plane of two axes, from the first towards the second, and returns
---a view.
---@param a any  an array, or host data, which is copied to the device
---@param k? integer       the number of quarter turns; default: 1; negative: the other way
---@param axes? integer[]  the two axes; default: {1, 2}
---@return cudalua.gpuarray.Array
---@raise LogicError if the two axes do not exist
function gpuarray.rot90(a, k, axes) end

---Returns a copy of the elements in reversed order, as PyCUDA's reverse() does.
---@param a any  an array, or host data, which is copied to the device
---@param options? {stream: cudalua.Stream, allocator: function}|cudalua.Stream
---@return cudalua.gpuarray.Array
function gpuarray.reverse(a, options) end

---Repeats the elements along axes that have one element, and along new axes before the first. Returns a view, which
---cannot be written to.
---@param a any  an array, or host data, which is copied to the device
---@param ... any  the extents, or one list of them
---@return cudalua.gpuarray.Array
---@raise LogicError if the array's shape does not broadcast to that shape
function gpuarray.broadcast_to(a, ...) end

---Returns the elements on a diagonal of two axes as a view. The diagonal is its last axis.
---@param a any  an array, or host data, which is copied to the device
---@param k? integer      the diagonal: 0 (default) the main one, positive above it, negative below it
---@param axis1? integer  the first axis; default: 1
---@param axis2? integer  the second axis; default: 2
---@return cudalua.gpuarray.Array
---@raise LogicError if the two axes do not exist
function gpuarray.diagonal(a, k, axis1, axis2) end

---Returns a contiguous copy in the array's own layout, as PyCUDA's copy and astype() do.
---@param a any  an array, or host data, which is copied to the device
---@param options? any  {order: "C"|"F"|"A"|"K", stream: cudalua.Stream, allocator: function}, or the order, or the
---  stream. order: K (default) keeps the array's order of axes; C: the last axis changes fastest; F: the first axis
---  does; A: F if the array lies in F order alone, else C
---@return cudalua.gpuarray.Array
---@raise LogicError for another order
function gpuarray.copy(a, options) end

---Splits an array along an axis and returns the parts as views.
---@param a any  an array, or host data, which is copied to the device
---@param parts integer|integer[]  the number of parts of equal size; or the positions at which all parts but the last
---  end
---@param axis? integer            the axis; default: 1
---@return cudalua.gpuarray.Array[]
---@raise LogicError if the axis cannot be split so
function gpuarray.split(a, parts, axis) end

---As split; if the axis cannot be split equally, the first parts have one element more.
---@param a any  an array, or host data, which is copied to the device
---@param parts integer|integer[]  as for split
---@param axis? integer            the axis; default: 1
---@return cudalua.gpuarray.Array[]
---@raise LogicError if positions are beyond the axis
function gpuarray.array_split(a, parts, axis) end

---Returns the parts along an axis as a list of views without that axis, as unstack of the array API standard does. The
---inverse of stack().
---@param a any  an array, or host data, which is copied to the device
---@param axis? integer  the axis; default: 1
---@return cudalua.gpuarray.Array[]
---@raise LogicError for a 0-d array, and if an axis is out of range
function gpuarray.unstack(a, axis) end

---Repeats the array as a tile along each axis.
---@param a any  an array, or host data, which is copied to the device
---@param ... any  the number of repetitions along each axis, or one list of them; if there are fewer than axes, they
---  apply to the last axes; if there are more, the array gets new axes in front; a last argument {stream =
---  cudalua.Stream, allocator = function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a value that is not a non-negative integer
function gpuarray.tile(a, ...) end

---Repeats each element several times in a row. The name ends with an underscore because `repeat` is a keyword of Lua.
---@param a any  an array, or host data, which is copied to the device
---@param times integer|integer[]  the number of repetitions; a list has one for each position of the axis
---@param axis? integer            the axis; default: repeat the elements of the whole array along one axis
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a value that is not a non-negative integer, or a list of another length
function gpuarray.repeat_(a, times, axis, options) end

---Shifts the elements along axes. Elements that leave at one end come back at the other.
---@param a any  an array, or host data, which is copied to the device
---@param shift integer|integer[]  the number of positions; positive shifts towards the end
---@param axes? integer|integer[]  the axes; default: shift the elements of the whole array in C order
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range, or there is neither one shift nor one for each axis
function gpuarray.roll(a, shift, axes, options) end

---Returns the array with a border around it.
---@param a any  an array, or host data, which is copied to the device
---@param width any     the number of elements to add: a number, {before, after} for all axes, or a list of these for
---  each axis
---@param mode? string  what the border holds: "constant" (default); "edge": the nearest element; "reflect": elements
---  mirrored at the outermost ones; "symmetric": elements mirrored behind the outermost ones; "wrap": elements from the
---  other end; "empty": uninitialized elements
---@param options? {constant_values: any, stream: cudalua.Stream, allocator: function}  constant_values: the value of a
---  constant border, default 0
---@return cudalua.gpuarray.Array
---@raise LogicError for invalid widths or modes, and if an axis has no elements to fill the border with
function gpuarray.pad(a, width, mode, options) end

---The mean of the elements, each as often as its weight says, as NumPy's average: sum(a * weights) / sum(weights).
---Where the weights add up to 0 it is NaN or infinite; NumPy raises there.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, weights, keepdims, returned, out, stream, allocator}, or the axis: a number or a list;
---  default: all. weights: of a's shape, or of that of the axes that go; default: all the same. returned: the sum of
---  the weights follows
---@return cudalua.gpuarray.Array  of a's and the weights' dtype together, of integers the default float
---@return cudalua.gpuarray.Array?  the sums of weights, of the same shape
---@raise LogicError if the weights do not fit, and as gpuarray.mean
function gpuarray.average(a, options) end

---The mean of the elements, each as often as its weight says, as NumPy's average: sum(a * weights) / sum(weights).
---Where the weights add up to 0 it is NaN or infinite; NumPy raises there.
---@param options? any  {axis, weights, keepdims, returned, out, stream, allocator}, or the axis: a number or a list;
---  default: all. weights: of a's shape, or of that of the axes that go; default: all the same. returned: the sum of
---  the weights follows
---@return cudalua.gpuarray.Array  of a's and the weights' dtype together, of integers the default float
---@return cudalua.gpuarray.Array?  the sums of weights, of the same shape
---@raise LogicError if the weights do not fit, and as gpuarray.mean
function Array:average(options) end

---Are all elements close, as isclose() says? The program waits for the answer. Of no elements: true.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number  the reference; broadcasts with a
---@param options? {rtol: any, atol: any, equal_nan: boolean, stream: cudalua.Stream}  as for isclose
---@return boolean
---@raise LogicError as isclose
function gpuarray.allclose(a, b, options) end

---Are all elements close, as isclose() says? The program waits for the answer. Of no elements: true.
---@param b cudalua.gpuarray.Array|number  the reference; broadcasts with a
---@param options? {rtol: any, atol: any, equal_nan: boolean, stream: cudalua.Stream}  as for isclose
---@return boolean
---@raise LogicError as isclose
function Array:allclose(b, options) end

---Have two arrays one shape, and are all their elements equal? Types may differ: values are compared. The program waits
---for the answer.
---@param a any  array on the device; or host data, if b is an array on the device
---@param b any
---@param options? {equal_nan: boolean, stream: cudalua.Stream}  NaN equals NaN
---@return boolean
---@raise LogicError if neither is an array on the device, and for structs
function gpuarray.array_equal(a, b, options) end

---Have two arrays one shape, and are all their elements equal? Types may differ: values are compared. The program waits
---for the answer.
---@param b any
---@param options? {equal_nan: boolean, stream: cudalua.Stream}  NaN equals NaN
---@return boolean
---@raise LogicError if neither is an array on the device, and for structs
function Array:array_equal(b, options) end

---For each element: is |a - b| at most atol + rtol * |b|? As NumPy's isclose. Equal infinities are close, and nothing
---else is close to an infinite b. Integers of 32 and 64 bits are compared in float64, 16-bit floats in float32.
---@param a cudalua.gpuarray.Array|number  of any numeric dtype
---@param b cudalua.gpuarray.Array|number  the reference; broadcasts with a
---@param options? {rtol: any, atol: any, equal_nan: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  rtol, atol: numbers or arrays, default 1e-5 and 1e-8; equal_nan: NaN is close to NaN
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if the shapes do not broadcast, or both are numbers
function gpuarray.isclose(a, b, options) end

---For each element: is |a - b| at most atol + rtol * |b|? As NumPy's isclose. Equal infinities are close, and nothing
---else is close to an infinite b. Integers of 32 and 64 bits are compared in float64, 16-bit floats in float32.
---@param b cudalua.gpuarray.Array|number  the reference; broadcasts with a
---@param options? {rtol: any, atol: any, equal_nan: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  rtol, atol: numbers or arrays, default 1e-5 and 1e-8; equal_nan: NaN is close to NaN
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if the shapes do not broadcast, or both are numbers
function Array:isclose(b, options) end

---The convolution of two vectors, as NumPy's convolve: element k is the sum of a[i] * v[j] over all i + j = k + 1. The
---sum goes over the shorter vector's elements in ascending order, one fused multiplication and addition each, and is
---rounded as matmul()'s; so the result has the same bits on every device. Integers and bool are added up in 64 bits,
---int8 in 32.
---@param a cudalua.gpuarray.Array  of one axis
---@param v any  likewise; or a list, a host array or a number
---@param options? {mode: string, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  mode: "full" (default), all places where the two meet: n + m - 1; "same", as many as the longer one has, from the
---  middle; "valid", those where all of the shorter one meets. dtype: as for matmul
---@return cudalua.gpuarray.Array  of one axis
---@raise LogicError for more axes and for no elements, an unknown mode, if the dtypes are not supported, or out does
---  not fit
function gpuarray.convolve(a, v, options) end

---The convolution of two vectors, as NumPy's convolve: element k is the sum of a[i] * v[j] over all i + j = k + 1. The
---sum goes over the shorter vector's elements in ascending order, one fused multiplication and addition each, and is
---rounded as matmul()'s; so the result has the same bits on every device. Integers and bool are added up in 64 bits,
---int8 in 32.
---@param v any  likewise; or a list, a host array or a number
---@param options? {mode: string, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  mode: "full" (default), all places where the two meet: n + m - 1; "same", as many as the longer one has, from the
---  middle; "valid", those where all of the shorter one meets. dtype: as for matmul
---@return cudalua.gpuarray.Array  of one axis
---@raise LogicError for more axes and for no elements, an unknown mode, if the dtypes are not supported, or out does
---  not fit
function Array:convolve(v, options) end

---The cross-correlation of two vectors, as NumPy's correlate: element k of "full" is the sum of a[k + j - m] times the
---conjugate of v[j], m being v's size. The sums are as convolve()'s.
---@param a cudalua.gpuarray.Array  of one axis
---@param v any  as for convolve
---@param options? any  as for convolve; mode: default "valid"
---@return cudalua.gpuarray.Array  of one axis
---@raise LogicError as gpuarray.convolve
function gpuarray.correlate(a, v, options) end

---The cross-correlation of two vectors, as NumPy's correlate: element k of "full" is the sum of a[k + j - m] times the
---conjugate of v[j], m being v's size. The sums are as convolve()'s.
---@param v any  as for convolve
---@param options? any  as for convolve; mode: default "valid"
---@return cudalua.gpuarray.Array  of one axis
---@raise LogicError as gpuarray.convolve
function Array:correlate(v, options) end

---The correlation coefficients of variables, as NumPy's corrcoef: the covariances, divided by the standard deviations
---of both variables. NaN for a variable that does not vary.
---@param m cudalua.gpuarray.Array  as for cov
---@param options? {y: any, rowvar: boolean, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  as for cov
---@return cudalua.gpuarray.Array  as cov; its parts are from -1 to 1
---@raise LogicError as gpuarray.cov
function gpuarray.corrcoef(m, options) end

---The correlation coefficients of variables, as NumPy's corrcoef: the covariances, divided by the standard deviations
---of both variables. NaN for a variable that does not vary.
---@param options? {y: any, rowvar: boolean, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  as for cov
---@return cudalua.gpuarray.Array  as cov; its parts are from -1 to 1
---@raise LogicError as gpuarray.cov
function Array:corrcoef(options) end

---The covariances of variables, as NumPy's cov: element (i, j) is that of variables i and j. A variable is a row, and
---its observations are along it. Without degrees of freedom, as of a single observation, they are NaN. 16-bit floats
---are computed as float32. Unlike NumPy's, the result of float32 is float32; dtype changes that.
---@param m cudalua.gpuarray.Array  of at most two axes; one axis is one variable
---@param options? {y: any, rowvar: boolean, bias: boolean, ddof: integer, fweights: any, aweights: any, dtype: any,
---  out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  y: more variables. rowvar = false:
---  variables are columns. bias: divide by the number n of observations, default by n - 1; ddof: by n - ddof. fweights:
---  how often each observation counts, integers; aweights: its weight; neither may be negative, which is looked at on
---  the host alone. dtype: of the result
---@return cudalua.gpuarray.Array  of as many rows and columns as there are variables; of one variable 0-d
---@raise LogicError for more axes, if y or weights do not fit, the dtype is not supported, or out does not fit
function gpuarray.cov(m, options) end

---The covariances of variables, as NumPy's cov: element (i, j) is that of variables i and j. A variable is a row, and
---its observations are along it. Without degrees of freedom, as of a single observation, they are NaN. 16-bit floats
---are computed as float32. Unlike NumPy's, the result of float32 is float32; dtype changes that.
---@param options? {y: any, rowvar: boolean, bias: boolean, ddof: integer, fweights: any, aweights: any, dtype: any,
---  out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  y: more variables. rowvar = false:
---  variables are columns. bias: divide by the number n of observations, default by n - 1; ddof: by n - ddof. fweights:
---  how often each observation counts, integers; aweights: its weight; neither may be negative, which is looked at on
---  the host alone. dtype: of the result
---@return cudalua.gpuarray.Array  of as many rows and columns as there are variables; of one variable 0-d
---@raise LogicError for more axes, if y or weights do not fit, the dtype is not supported, or out does not fit
function Array:cov(options) end

---Differences of neighbours along an axis, a[i + 1] - a[i], n times over, as NumPy's diff. Integers wrap; of bool:
---whether the two differ.
---@param a cudalua.gpuarray.Array
---@param n? integer  how often, non-negative; default: 1. Optional: `a:diff { axis = 1 }`
---@param options? {n: integer, axis: integer, prepend: any, append: any, out: cudalua.gpuarray.Array, stream:
---  cudalua.Stream, allocator: function}  axis: default the last one; prepend, append: what stands before and behind
---  each line first: a number, an array or nested lists
---@return cudalua.gpuarray.Array  with n elements fewer along the axis
---@raise LogicError for a 0-d array, a bad n or axis, and if what is joined does not fit
function gpuarray.diff(a, n, options) end

---Differences of neighbours along an axis, a[i + 1] - a[i], n times over, as NumPy's diff. Integers wrap; of bool:
---whether the two differ.
---@param n? integer  how often, non-negative; default: 1. Optional: `a:diff { axis = 1 }`
---@param options? {n: integer, axis: integer, prepend: any, append: any, out: cudalua.gpuarray.Array, stream:
---  cudalua.Stream, allocator: function}  axis: default the last one; prepend, append: what stands before and behind
---  each line first: a number, an array or nested lists
---@return cudalua.gpuarray.Array  with n elements fewer along the axis
---@raise LogicError for a 0-d array, a bad n or axis, and if what is joined does not fit
function Array:diff(n, options) end

---The slopes of a function along axes, from its values at places, as NumPy's gradient: in between of the parabola
---through a place and its two neighbours, at the ends of the line through two places. Integers become the default
---float, and 16-bit floats are computed as float32.
---@param f cudalua.gpuarray.Array
---@param options? {spacing: any, axis: any, edge_order: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  spacing: the distance of two places, default 1; or the places along an axis, an array or a
---  list; of several axes a list with an entry for each. axis: a number or a list; default: all. edge_order: 2 has the
---  slope of the parabola through three places at the ends, too; default: 1. out: only of one axis
---@return cudalua.gpuarray.Array ...  one for each axis, of f's shape
---@raise LogicError if an axis has not edge_order + 1 elements, the spacing does not fit, f is 0-d, or out does not fit
function gpuarray.gradient(f, options) end

---The slopes of a function along axes, from its values at places, as NumPy's gradient: in between of the parabola
---through a place and its two neighbours, at the ends of the line through two places. Integers become the default
---float, and 16-bit floats are computed as float32.
---@param options? {spacing: any, axis: any, edge_order: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  spacing: the distance of two places, default 1; or the places along an axis, an array or a
---  list; of several axes a list with an entry for each. axis: a number or a list; default: all. edge_order: 2 has the
---  slope of the parabola through three places at the ends, too; default: 1. out: only of one axis
---@return cudalua.gpuarray.Array ...  one for each axis, of f's shape
---@raise LogicError if an axis has not edge_order + 1 elements, the spacing does not fit, f is 0-d, or out does not fit
function Array:gradient(options) end

---The area under a line through points, as NumPy's trapezoid: the sum of (y[i] + y[i + 1]) / 2 times the distance of
---both places. Integers become the default float, and 16-bit floats are computed as float32.
---@param y cudalua.gpuarray.Array  the values
---@param options? {x: any, dx: number, axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  x: the places, one for each element of the axis, or of as many axes as y; dx: their distance, default 1;
---  axis: default the last one
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if x does not fit, y is 0-d, or out does not fit
function gpuarray.trapezoid(y, options) end

---The area under a line through points, as NumPy's trapezoid: the sum of (y[i] + y[i + 1]) / 2 times the distance of
---both places. Integers become the default float, and 16-bit floats are computed as float32.
---@param options? {x: any, dx: number, axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  x: the places, one for each element of the axis, or of as many axes as y; dx: their distance, default 1;
---  axis: default the last one
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if x does not fit, y is 0-d, or out does not fit
function Array:trapezoid(options) end

---An array with one value where a mask is true, as PyTorch's masked_fill: of the array's own dtype. `{ out = a }`
---writes to the array itself.
---@param a cudalua.gpuarray.Array
---@param mask any   array of bool, or whatever is true where it is not 0; broadcasts to a's shape
---@param value any  number, or 0-d array here or on the host. Of an array, integers wrap
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError if the mask does not broadcast to a's shape, for a number that the dtype cannot hold, and for an
---  array of a higher kind (float for integer, complex for real: astype() converts)
function gpuarray.masked_fill(a, mask, value, options) end

---An array with one value where a mask is true, as PyTorch's masked_fill: of the array's own dtype. `{ out = a }`
---writes to the array itself.
---@param mask any   array of bool, or whatever is true where it is not 0; broadcasts to a's shape
---@param value any  number, or 0-d array here or on the host. Of an array, integers wrap
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError if the mask does not broadcast to a's shape, for a number that the dtype cannot hold, and for an
---  array of a higher kind (float for integer, complex for real: astype() converts)
function Array:masked_fill(mask, value, options) end

---An array with numbers in place of NaN and infinities, as NumPy's nan_to_num; of complex numbers in each part.
---@param a cudalua.gpuarray.Array
---@param options? {nan: number, posinf: number, neginf: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  default: 0, and the greatest and the least finite number of the dtype
---@return cudalua.gpuarray.Array  of a's dtype
---@raise LogicError if it is not a number
function gpuarray.nan_to_num(a, options) end

---An array with numbers in place of NaN and infinities, as NumPy's nan_to_num; of complex numbers in each part.
---@param options? {nan: number, posinf: number, neginf: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  default: 0, and the greatest and the least finite number of the dtype
---@return cudalua.gpuarray.Array  of a's dtype
---@raise LogicError if it is not a number
function Array:nan_to_num(options) end

---For each element: is it among some values? As NumPy's isin. NaN is not, as it equals nothing.
---@param a any     array, or host data, if the values are an array
---@param values any  array, nested lists or a number
---@param options? {invert: boolean, assume_unique: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  invert: is it not among them? assume_unique: taken as NumPy's, makes no difference
---@return cudalua.gpuarray.Array  of bool, of a's shape
---@raise LogicError for elements of a struct type, and if neither is an array
function gpuarray.isin(a, values, options) end

---For each element: is it among some values? As NumPy's isin. NaN is not, as it equals nothing.
---@param values any  array, nested lists or a number
---@param options? {invert: boolean, assume_unique: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  invert: is it not among them? assume_unique: taken as NumPy's, makes no difference
---@return cudalua.gpuarray.Array  of bool, of a's shape
---@raise LogicError for elements of a struct type, and if neither is an array
function Array:isin(values, options) end

---Angles along an axis without jumps, as NumPy's unwrap: whole periods are added so that no element is further than
---half a period from the one before. Floats keep their dtype; integers become int64, or the default float if the period
---is not an integer.
---@param p cudalua.gpuarray.Array  of real numbers
---@param options? {discont: number, axis: integer, period: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  period: default 2 pi. discont: jumps below it stay; default, and the least that counts: half
---  a period. axis: default the last one
---@return cudalua.gpuarray.Array  of p's shape
---@raise LogicError for complex numbers, a 0-d array, a period that is not positive, or if out does not fit
function gpuarray.unwrap(p, options) end

---Angles along an axis without jumps, as NumPy's unwrap: whole periods are added so that no element is further than
---half a period from the one before. Floats keep their dtype; integers become int64, or the default float if the period
---is not an integer.
---@param options? {discont: number, axis: integer, period: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  period: default 2 pi. discont: jumps below it stay; default, and the least that counts: half
---  a period. axis: default the last one
---@return cudalua.gpuarray.Array  of p's shape
---@raise LogicError for complex numbers, a 0-d array, a period that is not positive, or if out does not fit
function Array:unwrap(options) end

---For each element that one of the arrays whose number it is, as NumPy's choose; all broadcast.
---@param numbers cudalua.gpuarray.Array  integers from 1, negative ones from the last
---@param choices any[]    arrays or numbers
---@param options? {mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  mode: as for take
---@return cudalua.gpuarray.Array
---@raise LogicError if a number has no choice
function gpuarray.choose(numbers, choices, options) end

---For each element that one of the arrays whose number it is, as NumPy's choose; all broadcast.
---@param choices any[]    arrays or numbers
---@param options? {mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  mode: as for take
---@return cudalua.gpuarray.Array
---@raise LogicError if a number has no choice
function Array:choose(choices, options) end

---The insertion positions of values in a sorted array, as NumPy's searchsorted: the position of the first element that
---is not less, or with side "right" of the first one that is greater; one more than the number of elements if none is.
---NaNs are sorted to the end.
---@param a cudalua.gpuarray.Array  1-D, ascending
---@param values any  array, nested lists or a number; numbers that a's integer type does not hold may be among them
---@param options? {side: "left"|"right", stream: cudalua.Stream, allocator: function}  default: left
---@return cudalua.gpuarray.Array  int64, of the shape of the values
---@raise LogicError if a has not one axis, or for complex types
function gpuarray.searchsorted(a, values, options) end

---The insertion positions of values in a sorted array, as NumPy's searchsorted: the position of the first element that
---is not less, or with side "right" of the first one that is greater; one more than the number of elements if none is.
---NaNs are sorted to the end.
---@param values any  array, nested lists or a number; numbers that a's integer type does not hold may be among them
---@param options? {side: "left"|"right", stream: cudalua.Stream, allocator: function}  default: left
---@return cudalua.gpuarray.Array  int64, of the shape of the values
---@raise LogicError if a has not one axis, or for complex types
function Array:searchsorted(values, options) end

---Writes to the elements at these positions of the whole array in C order, as NumPy's put. Where a position comes more
---than once, its last value stays.
---@param a cudalua.gpuarray.Array  written to
---@param indices any  as for take
---@param values any   array, nested lists or a number; repeated, in C order, if they are fewer than the positions
---@param options? {mode: "raise"|"wrap"|"clip", stream: cudalua.Stream}  as for take
---@return cudalua.gpuarray.Array a
---@raise LogicError as take; then nothing is written
function gpuarray.put(a, indices, values, options) end

---Writes to the elements at these positions of the whole array in C order, as NumPy's put. Where a position comes more
---than once, its last value stays.
---@param indices any  as for take
---@param values any   array, nested lists or a number; repeated, in C order, if they are fewer than the positions
---@param options? {mode: "raise"|"wrap"|"clip", stream: cudalua.Stream}  as for take
---@return cudalua.gpuarray.Array a
---@raise LogicError as take; then nothing is written
function Array:put(indices, values, options) end

---The elements at these positions, along an axis or of the whole array in C order, as NumPy's take. Where positions are
---checked (mode "raise"), the program waits for the kernel.
---@param a cudalua.gpuarray.Array
---@param indices any  array of integers, here or on the host, nested lists, or a number; positions from 1, negative
---  ones from the end; their shape takes the axis' place
---@param options? {axis: integer, mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis: default the whole array; mode: how to treat a position out of range: an error
---  (default), it goes round, or it becomes the first or the last one (negative ones the first one)
---@return cudalua.gpuarray.Array
---@raise LogicError for positions that are not there, or of a type or shape that does not fit
function gpuarray.take(a, indices, options) end

---The elements at these positions, along an axis or of the whole array in C order, as NumPy's take. Where positions are
---checked (mode "raise"), the program waits for the kernel.
---@param indices any  array of integers, here or on the host, nested lists, or a number; positions from 1, negative
---  ones from the end; their shape takes the axis' place
---@param options? {axis: integer, mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis: default the whole array; mode: how to treat a position out of range: an error
---  (default), it goes round, or it becomes the first or the last one (negative ones the first one)
---@return cudalua.gpuarray.Array
---@raise LogicError for positions that are not there, or of a type or shape that does not fit
function Array:take(indices, options) end

---The parts along an axis, or the elements of the whole array in C order, for which a condition is true, as NumPy's
---compress. The program waits for the condition.
---@param condition any  1-D: array or list of booleans; may be shorter than the axis
---@param a cudalua.gpuarray.Array
---@param options? {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  axis:
---  default the whole array
---@return cudalua.gpuarray.Array
---@raise LogicError if the condition is true beyond the axis
function gpuarray.compress(condition, a, options) end

---The parts along an axis, or the elements of the whole array in C order, for which a condition is true, as NumPy's
---compress. The program waits for the condition.
---@param condition any  1-D: array or list of booleans; may be shorter than the axis
---@param options? {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  axis:
---  default the whole array
---@return cudalua.gpuarray.Array
---@raise LogicError if the condition is true beyond the axis
function Array:compress(condition, options) end

---Where an array is not 0 (true): for each axis the positions on it, in C order; `a[{gpuarray.nonzero(m)}]` are these
---elements. The program waits for the array.
---@param a cudalua.gpuarray.Array
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array ...  as many as a has axes; 1-D, int64
---@raise LogicError for a 0-d array
function gpuarray.nonzero(a, options) end

---Where an array is not 0 (true): for each axis the positions on it, in C order; `a[{gpuarray.nonzero(m)}]` are these
---elements. The program waits for the array.
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array ...  as many as a has axes; 1-D, int64
---@raise LogicError for a 0-d array
function Array:nonzero(options) end

---where(c, a, b): elements of a where c is true (not 0), of b elsewhere; all three broadcast. where(c): nonzero(c).
---@param c cudalua.gpuarray.Array
---@param a? any  array or number
---@param b? any  array or number
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array ...
---@raise LogicError if shapes or types do not fit
function gpuarray.where(c, a, b, options) end

---where(c, a, b): elements of a where c is true (not 0), of b elsewhere; all three broadcast. where(c): nonzero(c).
---@param a? any  array or number
---@param b? any  array or number
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array ...
---@raise LogicError if shapes or types do not fit
function Array:where(a, b, options) end

---Returns the elements on and below a diagonal of the last two axes, with zeros above it.
---@param a any  an array
---@param k? integer  the diagonal, as for eye
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array
function gpuarray.tril(a, k, options) end

---Returns the elements on and below a diagonal of the last two axes, with zeros above it.
---@param k? integer  the diagonal, as for eye
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array
function Array:tril(k, options) end

---Returns the elements on and above a diagonal of the last two axes, with zeros below it.
---@param a any  an array
---@param k? integer  the diagonal, as for eye
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array
function gpuarray.triu(a, k, options) end

---Returns the elements on and above a diagonal of the last two axes, with zeros below it.
---@param k? integer  the diagonal, as for eye
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array
function Array:triu(k, options) end

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

---beta * c + alpha * (a b), a b being matmul()'s product, rounded once: alpha times the sum, then beta times c is added
---with one rounding. With beta = 0, c is not read.
---@param c cudalua.gpuarray.Array  broadcasts to the product's shape
---@param a cudalua.gpuarray.Array  as for matmul
---@param b cudalua.gpuarray.Array  as for matmul
---@param options? {alpha: any, beta: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  alpha, beta: numbers, default 1; integers if the product has integers. out: may be c
---@return cudalua.gpuarray.Array  of the dtype of c and the product together
---@raise LogicError as gpuarray.matmul, if c does not broadcast to the product's shape, and for other factors
function gpuarray.addmm(c, a, b, options) end

---beta * c + alpha * (a b), a b being matmul()'s product, rounded once: alpha times the sum, then beta times c is added
---with one rounding. With beta = 0, c is not read.
---@param a cudalua.gpuarray.Array  as for matmul
---@param b cudalua.gpuarray.Array  as for matmul
---@param options? {alpha: any, beta: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  alpha, beta: numbers, default 1; integers if the product has integers. out: may be c
---@return cudalua.gpuarray.Array  of the dtype of c and the product together
---@raise LogicError as gpuarray.matmul, if c does not broadcast to the product's shape, and for other factors
function Array:addmm(a, b, options) end

---The matrix product, as NumPy's matmul: of the last two axes, with the leading axes as a batch that broadcasts. A 1-D
---array is a row as the first operand and a column as the second, and the result loses that axis; of two it is dot().
---The operands may lie in memory in any way, transposed or sliced; pending ones are computed first, and the product is
---computed at once. Each sum has one order, which depends on the extents alone. float16 and bfloat16 are added up as
---float32 and rounded once, int8 as int32, other integers and bool in 64 bits; integers wrap.
---@param a cudalua.gpuarray.Array  (..., m, k)
---@param b cudalua.gpuarray.Array  (..., k, n)
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: of the
---  result: float32 of 16-bit floats gives the sums unrounded; to other types the operands are converted first
---@return cudalua.gpuarray.Array  (..., m, n)
---@raise LogicError if the shapes do not fit, an operand is 0-d, the dtype is not supported, or out does not fit
function gpuarray.matmul(a, b, options) end

---The matrix product, as NumPy's matmul: of the last two axes, with the leading axes as a batch that broadcasts. A 1-D
---array is a row as the first operand and a column as the second, and the result loses that axis; of two it is dot().
---The operands may lie in memory in any way, transposed or sliced; pending ones are computed first, and the product is
---computed at once. Each sum has one order, which depends on the extents alone. float16 and bfloat16 are added up as
---float32 and rounded once, int8 as int32, other integers and bool in 64 bits; integers wrap.
---@param b cudalua.gpuarray.Array  (..., k, n)
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: of the
---  result: float32 of 16-bit floats gives the sums unrounded; to other types the operands are converted first
---@return cudalua.gpuarray.Array  (..., m, n)
---@raise LogicError if the shapes do not fit, an operand is 0-d, the dtype is not supported, or out does not fit
function Array:matmul(b, options) end

---The cross products of vectors with three elements, which broadcast, as NumPy's cross.
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param options? any  {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}, or
---  the axis of the vectors in both arrays; default: the last one
---@return cudalua.gpuarray.Array  with the vectors along the same axis
---@raise LogicError if the axis has not three elements, the shapes do not broadcast, or out does not fit
function gpuarray.cross(a, b, options) end

---The cross products of vectors with three elements, which broadcast, as NumPy's cross.
---@param b cudalua.gpuarray.Array
---@param options? any  {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}, or
---  the axis of the vectors in both arrays; default: the last one
---@return cudalua.gpuarray.Array  with the vectors along the same axis
---@raise LogicError if the axis has not three elements, the shapes do not broadcast, or out does not fit
function Array:cross(b, options) end

---The sums of products over the last axis of both arrays, as NumPy's inner; of vectors, dot().
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for matmul
---@return cudalua.gpuarray.Array  of a's other axes, then b's
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out does not fit
function gpuarray.inner(a, b, options) end

---The sums of products over the last axis of both arrays, as NumPy's inner; of vectors, dot().
---@param b cudalua.gpuarray.Array
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for matmul
---@return cudalua.gpuarray.Array  of a's other axes, then b's
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out does not fit
function Array:inner(b, options) end

---The Kronecker product, as NumPy's kron: each element of a becomes a block, that element times b.
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array  if one has fewer axes, those that it lacks come first and have one element
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  whose extents are the products of a's and b's
---@raise LogicError for more than 32 axes, if the dtypes are not supported, or out does not fit
function gpuarray.kron(a, b, options) end

---The Kronecker product, as NumPy's kron: each element of a becomes a block, that element times b.
---@param b cudalua.gpuarray.Array  if one has fewer axes, those that it lacks come first and have one element
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  whose extents are the products of a's and b's
---@raise LogicError for more than 32 axes, if the dtypes are not supported, or out does not fit
function Array:kron(b, options) end

---The products of each element of one array with each element of another one, as NumPy's outer: both in C order. An
---expression, which is computed later.
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  (a.size, b.size)
---@raise LogicError if the dtypes are not supported, or out does not fit
function gpuarray.outer(a, b, options) end

---The products of each element of one array with each element of another one, as NumPy's outer: both in C order. An
---expression, which is computed later.
---@param b cudalua.gpuarray.Array
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  (a.size, b.size)
---@raise LogicError if the dtypes are not supported, or out does not fit
function Array:outer(b, options) end

---The sums of products over some axes of both arrays, as NumPy's tensordot.
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param options? any  {axes: any, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}, or the number of axes. axes: so many of a's last and b's first axes; or a list of axes of
---  each; default: 2
---@return cudalua.gpuarray.Array  of a's other axes, then b's
---@raise LogicError if the shapes do not fit, an axis is out of range or given twice, or out does not fit
function gpuarray.tensordot(a, b, options) end

---The sums of products over some axes of both arrays, as NumPy's tensordot.
---@param b cudalua.gpuarray.Array
---@param options? any  {axes: any, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}, or the number of axes. axes: so many of a's last and b's first axes; or a list of axes of
---  each; default: 2
---@return cudalua.gpuarray.Array  of a's other axes, then b's
---@raise LogicError if the shapes do not fit, an axis is out of range or given twice, or out does not fit
function Array:tensordot(b, options) end

---The sum of a diagonal, as NumPy's trace.
---@param a cudalua.gpuarray.Array
---@param k? integer    the diagonal: 0 (default) the main one, above it positive, below negative
---@param options? {axis1: integer, axis2: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis1, axis2: of the matrices; default: 1 and 2. dtype: as for sum
---@return cudalua.gpuarray.Array  without these axes
---@raise LogicError for fewer than two axes, if the dtype is not supported, or out does not fit
function gpuarray.trace(a, k, options) end

---The sum of a diagonal, as NumPy's trace.
---@param k? integer    the diagonal: 0 (default) the main one, above it positive, below negative
---@param options? {axis1: integer, axis2: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis1, axis2: of the matrices; default: 1 and 2. dtype: as for sum
---@return cudalua.gpuarray.Array  without these axes
---@raise LogicError for fewer than two axes, if the dtype is not supported, or out does not fit
function Array:trace(k, options) end

---The dot products of vectors along an axis, as NumPy's vecdot: the first operand is conjugated, and the shapes
---broadcast. float16 and bfloat16 are added up as float32 and rounded once, integers in 64 bits.
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param options? any  {axis: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}, or the axis; default: the last one. dtype: of the result; elements are converted to it first
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if the axis has different extents, the shapes do not broadcast, or out does not fit
function gpuarray.vecdot(a, b, options) end

---The dot products of vectors along an axis, as NumPy's vecdot: the first operand is conjugated, and the shapes
---broadcast. float16 and bfloat16 are added up as float32 and rounded once, integers in 64 bits.
---@param b cudalua.gpuarray.Array
---@param options? any  {axis: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}, or the axis; default: the last one. dtype: of the result; elements are converted to it first
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if the axis has different extents, the shapes do not broadcast, or out does not fit
function Array:vecdot(b, options) end

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

---Is no element 0? NaN is not. Of none: true.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
function gpuarray.all(a, options) end

---Is no element 0? NaN is not. Of none: true.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
function Array:all(options) end

---Is any element not 0? NaN is not. Of none: false.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
function gpuarray.any(a, options) end

---Is any element not 0? NaN is not. Of none: false.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
function Array:any(options) end

---The position of the greatest element, from 1, or of the first NaN; of several, the first. Along all axes: counted
---in C order.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function gpuarray.argmax(a, options) end

---The position of the greatest element, from 1, or of the first NaN; of several, the first. Along all axes: counted
---in C order.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function Array:argmax(options) end

---The position of the least element, from 1, or of the first NaN; of several, the first. Along all axes: counted in C
---order.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function gpuarray.argmin(a, options) end

---The position of the least element, from 1, or of the first NaN; of several, the first. Along all axes: counted in C
---order.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function Array:argmin(options) end

---How many elements are not 0, as int64.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
function gpuarray.count_nonzero(a, options) end

---How many elements are not 0, as int64.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
function Array:count_nonzero(options) end

---The sum of the products of two vectors' elements, in one kernel: integers in 64 bits, float16 and bfloat16 as
---float32, rounded once. With a matrix, the product that matmul() computes.
---@param a cudalua.gpuarray.Array  of one axis, or two
---@param b cudalua.gpuarray.Array  as long; or a matrix
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: of
---  the result; elements are converted to it first
---@return cudalua.gpuarray.Array  of vectors 0-d
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out does not fit
function gpuarray.dot(a, b, options) end

---The sum of the products of two vectors' elements, in one kernel: integers in 64 bits, float16 and bfloat16 as
---float32, rounded once. With a matrix, the product that matmul() computes.
---@param b cudalua.gpuarray.Array  as long; or a matrix
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: of
---  the result; elements are converted to it first
---@return cudalua.gpuarray.Array  of vectors 0-d
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out does not fit
function Array:dot(b, options) end

---The greatest element; NaN if there is one.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function gpuarray.max(a, options) end

---The greatest element; NaN if there is one.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function Array:max(options) end

---The mean of the elements: of integers, the default float. Of none: NaN.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: an integer or a list of integers,
---  from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an
---  extent of 1. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the
---  result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
function gpuarray.mean(a, options) end

---The mean of the elements: of integers, the default float. Of none: NaN.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: an integer or a list of integers,
---  from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an
---  extent of 1. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the
---  result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
function Array:mean(options) end

---The least element; NaN if there is one.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function gpuarray.min(a, options) end

---The least element; NaN if there is one.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function Array:min(options) end

---The position of the greatest element that is a number, from 1; of several, the first. 0 if all are NaN.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function gpuarray.nanargmax(a, options) end

---The position of the greatest element that is a number, from 1; of several, the first. 0 if all are NaN.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function Array:nanargmax(options) end

---The position of the least element that is a number, from 1; of several, the first. 0 if all are NaN.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function gpuarray.nanargmin(a, options) end

---The position of the least element that is a number, from 1; of several, the first. 0 if all are NaN.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function Array:nanargmin(options) end

---The greatest element that is a number; NaN if none is.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function gpuarray.nanmax(a, options) end

---The greatest element that is a number; NaN if none is.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function Array:nanmax(options) end

---The least element that is a number; NaN if none is.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function gpuarray.nanmin(a, options) end

---The least element that is a number; NaN if none is.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: an integer or a list of integers, from 1;
---  negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of
---  1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
function Array:nanmin(options) end

---The product of the elements, in the types of sum(). Of none: 1.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: an integer or a list of integers,
---  from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an
---  extent of 1. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the
---  result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
function gpuarray.prod(a, options) end

---The product of the elements, in the types of sum(). Of none: 1.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: an integer or a list of integers,
---  from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an
---  extent of 1. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the
---  result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
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
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: an integer or a list of integers,
---  from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an
---  extent of 1. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the
---  result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
function gpuarray.sum(a, options) end

---The sum of the elements: integers in 64 bits, float16 and bfloat16 as float32, rounded once. Of none: 0.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: an integer or a list of integers,
---  from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an
---  extent of 1. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the
---  result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
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

---The greatest of the elements up to each one; from the first NaN on, NaN.
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, out, stream, allocator}, or the axis: an integer from 1; negative numbers count from the
---  last axis; default: scan all elements in C order and return a 1-D array. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
function gpuarray.cummax(a, options) end

---The greatest of the elements up to each one; from the first NaN on, NaN.
---@param options? any  {axis, out, stream, allocator}, or the axis: an integer from 1; negative numbers count from the
---  last axis; default: scan all elements in C order and return a 1-D array. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
function Array:cummax(options) end

---The least of the elements up to each one; from the first NaN on, NaN.
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, out, stream, allocator}, or the axis: an integer from 1; negative numbers count from the
---  last axis; default: scan all elements in C order and return a 1-D array. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
function gpuarray.cummin(a, options) end

---The least of the elements up to each one; from the first NaN on, NaN.
---@param options? any  {axis, out, stream, allocator}, or the axis: an integer from 1; negative numbers count from the
---  last axis; default: scan all elements in C order and return a 1-D array. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
function Array:cummin(options) end

---The products of the elements up to each one, in the types of cumsum().
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: an integer from 1; negative numbers count
---  from the last axis; default: scan all elements in C order and return a 1-D array. dtype: the dtype of the result;
---  elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
function gpuarray.cumprod(a, options) end

---The products of the elements up to each one, in the types of cumsum().
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: an integer from 1; negative numbers count
---  from the last axis; default: scan all elements in C order and return a 1-D array. dtype: the dtype of the result;
---  elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
function Array:cumprod(options) end

---The sums of the elements up to each one: integers in 64 bits, float16 and bfloat16 as float32, each sum rounded
---once. The order of the additions follows from the shape, the axis and the dtype alone.
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: an integer from 1; negative numbers count
---  from the last axis; default: scan all elements in C order and return a 1-D array. dtype: the dtype of the result;
---  elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
function gpuarray.cumsum(a, options) end

---The sums of the elements up to each one: integers in 64 bits, float16 and bfloat16 as float32, each sum rounded
---once. The order of the additions follows from the shape, the axis and the dtype alone.
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: an integer from 1; negative numbers count
---  from the last axis; default: scan all elements in C order and return a 1-D array. dtype: the dtype of the result;
---  elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
function Array:cumsum(options) end

---The sums of the elements up to each one, as cumsum(); NaN counts as 0.
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: an integer from 1; negative numbers count
---  from the last axis; default: scan all elements in C order and return a 1-D array. dtype: the dtype of the result;
---  elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
function gpuarray.nancumsum(a, options) end

---The sums of the elements up to each one, as cumsum(); NaN counts as 0.
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: an integer from 1; negative numbers count
---  from the last axis; default: scan all elements in C order and return a 1-D array. dtype: the dtype of the result;
---  elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
function Array:nancumsum(options) end
