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
---@param order? "C"|"F"|"A"|"K"  the order of the elements. "C" (default): the last axis changes fastest; "F": the
---  first axis does. "A": "F" if the array lies in F order alone, else "C". "K": as they lie in memory
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

---Transposes the array: permutes its axes and returns a view.
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
---@param ... any  the number of repetitions along each axis, or one list of them. If there are fewer than axes, they
---  apply to the last axes. If there are more, the array gets new axes in front. A last argument {stream =
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
---@param mode? string  what the border holds: "constant" (default); "edge": the nearest element. "reflect" mirrors at
---  the outermost elements, "symmetric" behind them. "wrap": elements from the other end; "empty": uninitialized
---  elements
---@param options? {constant_values: any, stream: cudalua.Stream, allocator: function}  constant_values: the value of a
---  constant border, default 0
---@return cudalua.gpuarray.Array
---@raise LogicError for invalid widths or modes, and if an axis has no elements to fill the border with
function gpuarray.pad(a, width, mode, options) end

---The weighted mean of the elements, as NumPy's average: sum(a * weights) / sum(weights). If the weights add up to 0,
---the result is NaN or infinite, whereas NumPy raises an error.
---@param a cudalua.gpuarray.Array  the array to average, of any shape
---@param options? any  {axis, weights, keepdims, returned, out, stream, allocator}. The axis can also come before this
---  table. axis: an integer or a list of integers; default: all axes. weights: an array with a's shape or that of the
---  averaged axes; default: equal weights. returned: return the sum of the weights, too
---@return cudalua.gpuarray.Array  of the promoted dtype of a and the weights; for integers the default float
---@return cudalua.gpuarray.Array?  the sums of the weights, with the same shape
---@raise LogicError if the shape of the weights does not fit, and as gpuarray.mean
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array, cudalua.gpuarray.Array?
function gpuarray.average(a, options) end

---The weighted mean of the elements, as NumPy's average: sum(a * weights) / sum(weights). If the weights add up to 0,
---the result is NaN or infinite, whereas NumPy raises an error.
---@param options? any  {axis, weights, keepdims, returned, out, stream, allocator}. The axis can also come before this
---  table. axis: an integer or a list of integers; default: all axes. weights: an array with a's shape or that of the
---  averaged axes; default: equal weights. returned: return the sum of the weights, too
---@return cudalua.gpuarray.Array  of the promoted dtype of a and the weights; for integers the default float
---@return cudalua.gpuarray.Array?  the sums of the weights, with the same shape
---@raise LogicError if the shape of the weights does not fit, and as gpuarray.mean
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array, cudalua.gpuarray.Array?
function Array:average(options) end

---Returns true if all elements are close, as isclose() defines it. The program waits for the result. Returns true for
---empty arrays.
---@param a cudalua.gpuarray.Array|number  an array of any numeric dtype, or a number
---@param b cudalua.gpuarray.Array|number  the reference; its shape broadcasts with a's
---@param options? {rtol: any, atol: any, equal_nan: boolean, stream: cudalua.Stream}  as for isclose
---@return boolean
---@raise LogicError as isclose
function gpuarray.allclose(a, b, options) end

---Returns true if all elements are close, as isclose() defines it. The program waits for the result. Returns true for
---empty arrays.
---@param b cudalua.gpuarray.Array|number  the reference; its shape broadcasts with a's
---@param options? {rtol: any, atol: any, equal_nan: boolean, stream: cudalua.Stream}  as for isclose
---@return boolean
---@raise LogicError as isclose
function Array:allclose(b, options) end

---Returns true if two arrays have the same shape and equal elements. Elements of different dtypes are compared by
---value. The program waits for the result.
---@param a any  an array on the device; or host data, if b is an array on the device
---@param b any  likewise
---@param options? {equal_nan: boolean, stream: cudalua.Stream}  equal_nan: count two NaNs as equal
---@return boolean
---@raise LogicError if neither is an array on the device, and for structs
function gpuarray.array_equal(a, b, options) end

---Returns true if two arrays have the same shape and equal elements. Elements of different dtypes are compared by
---value. The program waits for the result.
---@param b any  likewise
---@param options? {equal_nan: boolean, stream: cudalua.Stream}  equal_nan: count two NaNs as equal
---@return boolean
---@raise LogicError if neither is an array on the device, and for structs
function Array:array_equal(b, options) end

---Tests element by element whether |a - b| <= atol + rtol * |b|, as NumPy's isclose. Equal infinities are close;
---nothing else is close to an infinite b. 32-bit and 64-bit integers are compared in float64, 16-bit floats in float32.
---@param a cudalua.gpuarray.Array|number  an array of any numeric dtype, or a number
---@param b cudalua.gpuarray.Array|number  the reference; its shape broadcasts with a's
---@param options? {rtol: any, atol: any, equal_nan: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  rtol, atol: numbers or arrays, default 1e-5 and 1e-8; equal_nan: count two NaNs as close
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if the shapes do not broadcast, or both are numbers
function gpuarray.isclose(a, b, options) end

---Tests element by element whether |a - b| <= atol + rtol * |b|, as NumPy's isclose. Equal infinities are close;
---nothing else is close to an infinite b. 32-bit and 64-bit integers are compared in float64, 16-bit floats in float32.
---@param b cudalua.gpuarray.Array|number  the reference; its shape broadcasts with a's
---@param options? {rtol: any, atol: any, equal_nan: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  rtol, atol: numbers or arrays, default 1e-5 and 1e-8; equal_nan: count two NaNs as close
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if the shapes do not broadcast, or both are numbers
function Array:isclose(b, options) end

---The convolution of two vectors, as NumPy's convolve: element k is the sum of a[i] * v[j] over all i + j = k + 1. The
---sum runs over the elements of the shorter vector in ascending order, with one fused multiply-add each, and is rounded
---as in matmul(). The result therefore has the same bits on every device. Integers and bool are summed in 64 bits, int8
---in 32.
---@param a cudalua.gpuarray.Array  a 1-D array
---@param v any  a 1-D array, a list, a host array or a number
---@param options? {mode: string, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  mode: "full" (default): all n + m - 1 positions where the vectors overlap; "same": as many elements as the longer
---  vector has, from the middle; "valid": the positions where the shorter vector overlaps completely. dtype: as for
---  matmul
---@return cudalua.gpuarray.Array  a 1-D array
---@raise LogicError for arrays with more axes or without elements, for an unknown mode, if the dtypes are not
---  supported, or if out has another shape
function gpuarray.convolve(a, v, options) end

---The convolution of two vectors, as NumPy's convolve: element k is the sum of a[i] * v[j] over all i + j = k + 1. The
---sum runs over the elements of the shorter vector in ascending order, with one fused multiply-add each, and is rounded
---as in matmul(). The result therefore has the same bits on every device. Integers and bool are summed in 64 bits, int8
---in 32.
---@param v any  a 1-D array, a list, a host array or a number
---@param options? {mode: string, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  mode: "full" (default): all n + m - 1 positions where the vectors overlap; "same": as many elements as the longer
---  vector has, from the middle; "valid": the positions where the shorter vector overlaps completely. dtype: as for
---  matmul
---@return cudalua.gpuarray.Array  a 1-D array
---@raise LogicError for arrays with more axes or without elements, for an unknown mode, if the dtypes are not
---  supported, or if out has another shape
function Array:convolve(v, options) end

---The cross-correlation of two vectors, as NumPy's correlate: element k of "full" is the sum of a[k + j - m] times the
---conjugate of v[j], where m is the size of v. The sums are computed as in convolve().
---@param a cudalua.gpuarray.Array  a 1-D array
---@param v any  as for convolve
---@param options? any  as for convolve; mode: default "valid"
---@return cudalua.gpuarray.Array  a 1-D array
---@raise LogicError as gpuarray.convolve
function gpuarray.correlate(a, v, options) end

---The cross-correlation of two vectors, as NumPy's correlate: element k of "full" is the sum of a[k + j - m] times the
---conjugate of v[j], where m is the size of v. The sums are computed as in convolve().
---@param v any  as for convolve
---@param options? any  as for convolve; mode: default "valid"
---@return cudalua.gpuarray.Array  a 1-D array
---@raise LogicError as gpuarray.convolve
function Array:correlate(v, options) end

---The correlation coefficients of variables, as NumPy's corrcoef: the covariances divided by the standard deviations of
---both variables. NaN for a constant variable.
---@param m cudalua.gpuarray.Array  as for cov
---@param options? {y: any, rowvar: boolean, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  y: as for cov. rowvar: as for cov. dtype: as for cov
---@return cudalua.gpuarray.Array  as for cov; real and imaginary parts are from -1 to 1
---@raise LogicError as gpuarray.cov
function gpuarray.corrcoef(m, options) end

---The correlation coefficients of variables, as NumPy's corrcoef: the covariances divided by the standard deviations of
---both variables. NaN for a constant variable.
---@param options? {y: any, rowvar: boolean, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  y: as for cov. rowvar: as for cov. dtype: as for cov
---@return cudalua.gpuarray.Array  as for cov; real and imaginary parts are from -1 to 1
---@raise LogicError as gpuarray.cov
function Array:corrcoef(options) end

---The covariance matrix of variables, as NumPy's cov: element (i, j) is the covariance of variables i and j. Each row
---is a variable and holds its observations. Without degrees of freedom, for example with a single observation, the
---result is NaN. 16-bit floats are computed as float32. Unlike in NumPy, the result of float32 is float32; dtype
---changes that.
---@param m cudalua.gpuarray.Array  a 1-D array (a single variable) or a 2-D array
---@param options? {y: any, rowvar: boolean, bias: boolean, ddof: integer, fweights: any, aweights: any, dtype: any,
---  out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  y: an array with more variables. rowvar:
---  each row is a variable (default true); false: each column is one. bias: divide by the number n of observations
---  instead of n - 1; ddof: divide by n - ddof. fweights: how often each observation counts, integers; aweights: the
---  weight of each observation. Weights must not be negative, which is checked for host data only. dtype: the dtype of
---  the result
---@return cudalua.gpuarray.Array  one row and one column for each variable; 0-d for a single variable
---@raise LogicError for arrays with more axes, if y or the weights do not fit, if the dtype is not supported, or if out
---  has another shape
function gpuarray.cov(m, options) end

---The covariance matrix of variables, as NumPy's cov: element (i, j) is the covariance of variables i and j. Each row
---is a variable and holds its observations. Without degrees of freedom, for example with a single observation, the
---result is NaN. 16-bit floats are computed as float32. Unlike in NumPy, the result of float32 is float32; dtype
---changes that.
---@param options? {y: any, rowvar: boolean, bias: boolean, ddof: integer, fweights: any, aweights: any, dtype: any,
---  out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  y: an array with more variables. rowvar:
---  each row is a variable (default true); false: each column is one. bias: divide by the number n of observations
---  instead of n - 1; ddof: divide by n - ddof. fweights: how often each observation counts, integers; aweights: the
---  weight of each observation. Weights must not be negative, which is checked for host data only. dtype: the dtype of
---  the result
---@return cudalua.gpuarray.Array  one row and one column for each variable; 0-d for a single variable
---@raise LogicError for arrays with more axes, if y or the weights do not fit, if the dtype is not supported, or if out
---  has another shape
function Array:cov(options) end

---The differences of neighbours along an axis, a[i + 1] - a[i], applied n times, as NumPy's diff. Integers wrap around;
---for bool, tests whether two neighbours differ.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param n? integer  how many times to take differences, non-negative; default: 1. Optional: `a:diff { axis = 1 }`
---@param options? {n: integer, axis: integer, prepend: any, append: any, out: cudalua.gpuarray.Array, stream:
---  cudalua.Stream, allocator: function}  axis: default the last one. prepend: a number, an array or nested lists to
---  add in front of each line. append: elements to add behind each line
---@return cudalua.gpuarray.Array  with n elements fewer along the axis
---@raise LogicError for a 0-d array, an invalid n or axis, and if prepend or append have another shape
function gpuarray.diff(a, n, options) end

---The differences of neighbours along an axis, a[i + 1] - a[i], applied n times, as NumPy's diff. Integers wrap around;
---for bool, tests whether two neighbours differ.
---@param n? integer  how many times to take differences, non-negative; default: 1. Optional: `a:diff { axis = 1 }`
---@param options? {n: integer, axis: integer, prepend: any, append: any, out: cudalua.gpuarray.Array, stream:
---  cudalua.Stream, allocator: function}  axis: default the last one. prepend: a number, an array or nested lists to
---  add in front of each line. append: elements to add behind each line
---@return cudalua.gpuarray.Array  with n elements fewer along the axis
---@raise LogicError for a 0-d array, an invalid n or axis, and if prepend or append have another shape
function Array:diff(n, options) end

---The derivatives of a function along axes, computed from its values at sample points, as NumPy's gradient. Inside, the
---derivative is that of the parabola through a point and its two neighbours, at the ends that of the line through two
---points. Integers become the default float, and 16-bit floats are computed as float32.
---@param f cudalua.gpuarray.Array  the values of the function
---@param options? {spacing: any, axis: any, edge_order: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  spacing: the distance between two points, default 1; or the coordinates along an axis, as an
---  array or a list; for several axes, a list with an entry for each. axis: an integer or a list of integers; default:
---  all axes. edge_order: 2 uses the parabola through three points at the ends, too; default: 1. out: for a single axis
---  only
---@return cudalua.gpuarray.Array ...  one for each axis, with f's shape
---@raise LogicError if an axis has fewer than edge_order + 1 elements, the spacing does not fit, f is 0-d, or out has
---  another shape
function gpuarray.gradient(f, options) end

---The derivatives of a function along axes, computed from its values at sample points, as NumPy's gradient. Inside, the
---derivative is that of the parabola through a point and its two neighbours, at the ends that of the line through two
---points. Integers become the default float, and 16-bit floats are computed as float32.
---@param options? {spacing: any, axis: any, edge_order: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  spacing: the distance between two points, default 1; or the coordinates along an axis, as an
---  array or a list; for several axes, a list with an entry for each. axis: an integer or a list of integers; default:
---  all axes. edge_order: 2 uses the parabola through three points at the ends, too; default: 1. out: for a single axis
---  only
---@return cudalua.gpuarray.Array ...  one for each axis, with f's shape
---@raise LogicError if an axis has fewer than edge_order + 1 elements, the spacing does not fit, f is 0-d, or out has
---  another shape
function Array:gradient(options) end

---The integral by the trapezoidal rule, as NumPy's trapezoid: the sum of (y[i] + y[i + 1]) / 2 times the distance of
---the two points. Integers become the default float, and 16-bit floats are computed as float32.
---@param y cudalua.gpuarray.Array  the values of the function
---@param options? {x: any, dx: number, axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  x: the coordinates, one for each element of the axis, or an array with as many axes as y; dx: the
---  distance between two points, default 1; axis: default the last one
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if x does not fit, y is 0-d, or out has another shape
function gpuarray.trapezoid(y, options) end

---The integral by the trapezoidal rule, as NumPy's trapezoid: the sum of (y[i] + y[i + 1]) / 2 times the distance of
---the two points. Integers become the default float, and 16-bit floats are computed as float32.
---@param options? {x: any, dx: number, axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  x: the coordinates, one for each element of the axis, or an array with as many axes as y; dx: the
---  distance between two points, default 1; axis: default the last one
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if x does not fit, y is 0-d, or out has another shape
function Array:trapezoid(options) end

---Returns an array with one value where a mask is true, as PyTorch's masked_fill, in the array's own dtype. `{ out = a
---}` writes to the array itself.
---@param a cudalua.gpuarray.Array  the array, of any shape
---@param mask any  an array of bool or of numbers, which are true unless they are 0; broadcasts to a's shape
---@param value any  a number, or a 0-d array on the device or the host. Integers from an array wrap around
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError if the mask does not broadcast to a's shape, for a number that the dtype cannot hold, and for an
---  array of a higher kind. Convert float to integer and complex to real with astype()
function gpuarray.masked_fill(a, mask, value, options) end

---Returns an array with one value where a mask is true, as PyTorch's masked_fill, in the array's own dtype. `{ out = a
---}` writes to the array itself.
---@param mask any  an array of bool or of numbers, which are true unless they are 0; broadcasts to a's shape
---@param value any  a number, or a 0-d array on the device or the host. Integers from an array wrap around
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError if the mask does not broadcast to a's shape, for a number that the dtype cannot hold, and for an
---  array of a higher kind. Convert float to integer and complex to real with astype()
function Array:masked_fill(mask, value, options) end

---Replaces NaN and infinities with finite numbers, as NumPy's nan_to_num; in complex numbers, replaces each part.
---@param a cudalua.gpuarray.Array  the array, of any shape
---@param options? {nan: number, posinf: number, neginf: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  nan: replaces NaN; default: 0. posinf: replaces infinity; default: the largest finite number
---  of the dtype. neginf: replaces negative infinity; default: the lowest finite number
---@return cudalua.gpuarray.Array  of a's dtype
---@raise LogicError if a replacement is not a number
function gpuarray.nan_to_num(a, options) end

---Replaces NaN and infinities with finite numbers, as NumPy's nan_to_num; in complex numbers, replaces each part.
---@param options? {nan: number, posinf: number, neginf: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  nan: replaces NaN; default: 0. posinf: replaces infinity; default: the largest finite number
---  of the dtype. neginf: replaces negative infinity; default: the lowest finite number
---@return cudalua.gpuarray.Array  of a's dtype
---@raise LogicError if a replacement is not a number
function Array:nan_to_num(options) end

---Tests for each element whether it is one of the given values, as NumPy's isin. NaN never is, as it does not equal
---anything.
---@param a any  an array, or host data, if the values are an array
---@param values any  the values to look for: an array, nested lists or a number
---@param options? {invert: boolean, assume_unique: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  invert: test whether an element is not among the values; assume_unique: accepted for NumPy's
---  sake, without effect
---@return cudalua.gpuarray.Array  of bool, with a's shape
---@raise LogicError for elements of a struct type, and if neither is an array
function gpuarray.isin(a, values, options) end

---Tests for each element whether it is one of the given values, as NumPy's isin. NaN never is, as it does not equal
---anything.
---@param values any  the values to look for: an array, nested lists or a number
---@param options? {invert: boolean, assume_unique: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  invert: test whether an element is not among the values; assume_unique: accepted for NumPy's
---  sake, without effect
---@return cudalua.gpuarray.Array  of bool, with a's shape
---@raise LogicError for elements of a struct type, and if neither is an array
function Array:isin(values, options) end

---Removes jumps from angles along an axis, as NumPy's unwrap: adds whole periods so that no element is more than half a
---period from its predecessor. Floats keep their dtype; integers become int64, or the default float if the period is
---not an integer.
---@param p cudalua.gpuarray.Array  the angles, real numbers
---@param options? {discont: number, axis: integer, period: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  period: default 2 pi. discont: jumps smaller than this stay; default, and the smallest value
---  with an effect: half a period. axis: default the last one
---@return cudalua.gpuarray.Array  with p's shape
---@raise LogicError for complex numbers, a 0-d array, a period that is not positive, or if out has another shape
function gpuarray.unwrap(p, options) end

---Removes jumps from angles along an axis, as NumPy's unwrap: adds whole periods so that no element is more than half a
---period from its predecessor. Floats keep their dtype; integers become int64, or the default float if the period is
---not an integer.
---@param options? {discont: number, axis: integer, period: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  period: default 2 pi. discont: jumps smaller than this stay; default, and the smallest value
---  with an effect: half a period. axis: default the last one
---@return cudalua.gpuarray.Array  with p's shape
---@raise LogicError for complex numbers, a 0-d array, a period that is not positive, or if out has another shape
function Array:unwrap(options) end

---For each element, returns the element of the array with that number, as NumPy's choose. All arrays broadcast.
---@param numbers cudalua.gpuarray.Array  the numbers of the choices: integers from 1; negative ones count from the last
---@param choices any[]  the choices: arrays or numbers
---@param options? {mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  mode: as for take
---@return cudalua.gpuarray.Array
---@raise LogicError if a number does not have a choice
function gpuarray.choose(numbers, choices, options) end

---For each element, returns the element of the array with that number, as NumPy's choose. All arrays broadcast.
---@param choices any[]  the choices: arrays or numbers
---@param options? {mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  mode: as for take
---@return cudalua.gpuarray.Array
---@raise LogicError if a number does not have a choice
function Array:choose(choices, options) end

---The insertion positions of values in a sorted array, as NumPy's searchsorted: the position of the first element that
---is not less, or with side "right", that is greater. If no element is, the position is one more than the number of
---elements. NaNs are sorted to the end.
---@param a cudalua.gpuarray.Array  a 1-D array in ascending order
---@param values any  the values to insert: an array, nested lists or a number; they may be outside the range of a's
---  integer type
---@param options? {side: "left"|"right", stream: cudalua.Stream, allocator: function}  side: "left" (default): before
---  equal elements; "right": behind them
---@return cudalua.gpuarray.Array  int64, with the shape of values
---@raise LogicError if a is not a 1-D array, and for complex types
function gpuarray.searchsorted(a, values, options) end

---The insertion positions of values in a sorted array, as NumPy's searchsorted: the position of the first element that
---is not less, or with side "right", that is greater. If no element is, the position is one more than the number of
---elements. NaNs are sorted to the end.
---@param values any  the values to insert: an array, nested lists or a number; they may be outside the range of a's
---  integer type
---@param options? {side: "left"|"right", stream: cudalua.Stream, allocator: function}  side: "left" (default): before
---  equal elements; "right": behind them
---@return cudalua.gpuarray.Array  int64, with the shape of values
---@raise LogicError if a is not a 1-D array, and for complex types
function Array:searchsorted(values, options) end

---Writes to the elements at the given positions of the whole array in C order, as NumPy's put. If a position appears
---more than once, its last value stays.
---@param a cudalua.gpuarray.Array  the array to write to
---@param indices any  as for take
---@param values any  an array, nested lists or a number; repeated in C order if there are fewer values than positions
---@param options? {mode: "raise"|"wrap"|"clip", stream: cudalua.Stream}  mode: as for take
---@return cudalua.gpuarray.Array a
---@raise LogicError as take; in this case nothing is written
function gpuarray.put(a, indices, values, options) end

---Writes to the elements at the given positions of the whole array in C order, as NumPy's put. If a position appears
---more than once, its last value stays.
---@param indices any  as for take
---@param values any  an array, nested lists or a number; repeated in C order if there are fewer values than positions
---@param options? {mode: "raise"|"wrap"|"clip", stream: cudalua.Stream}  mode: as for take
---@return cudalua.gpuarray.Array a
---@raise LogicError as take; in this case nothing is written
function Array:put(indices, values, options) end

---Returns the elements at the given positions, along an axis or in the whole array in C order, as NumPy's take. If
---positions are checked (mode "raise"), the program waits for the kernel.
---@param a cudalua.gpuarray.Array  the array, of any shape
---@param indices any  the positions: an array of integers on the device or the host, nested lists, or a number; from 1,
---  negative ones from the end. Their shape replaces the axis
---@param options? {axis: integer, mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis: default the whole array; mode: how to treat a position out of range: "raise" (default):
---  raise an error; "wrap": count on from the other end; "clip": use the first or the last position (for negative ones
---  the first)
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, or of a type or shape that does not fit
function gpuarray.take(a, indices, options) end

---Returns the elements at the given positions, along an axis or in the whole array in C order, as NumPy's take. If
---positions are checked (mode "raise"), the program waits for the kernel.
---@param indices any  the positions: an array of integers on the device or the host, nested lists, or a number; from 1,
---  negative ones from the end. Their shape replaces the axis
---@param options? {axis: integer, mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis: default the whole array; mode: how to treat a position out of range: "raise" (default):
---  raise an error; "wrap": count on from the other end; "clip": use the first or the last position (for negative ones
---  the first)
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, or of a type or shape that does not fit
function Array:take(indices, options) end

---Returns the parts along an axis, or the elements of the whole array in C order, for which a condition is true, as
---NumPy's compress. The program waits for the condition.
---@param condition any  a 1-D array or list of booleans; it may be shorter than the axis
---@param a cudalua.gpuarray.Array  the array to select from
---@param options? {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  axis:
---  default the whole array
---@return cudalua.gpuarray.Array
---@raise LogicError if the condition is true beyond the end of the axis
function gpuarray.compress(condition, a, options) end

---Returns the parts along an axis, or the elements of the whole array in C order, for which a condition is true, as
---NumPy's compress. The program waits for the condition.
---@param condition any  a 1-D array or list of booleans; it may be shorter than the axis
---@param options? {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  axis:
---  default the whole array
---@return cudalua.gpuarray.Array
---@raise LogicError if the condition is true beyond the end of the axis
function Array:compress(condition, options) end

---Returns the positions of the elements that are not 0 (true): one array of positions for each axis, in C order.
---`a[{gpuarray.nonzero(m)}]` selects these elements. The program waits for the array.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array ...  one for each axis of a; 1-D, int64
---@raise LogicError for a 0-d array
function gpuarray.nonzero(a, options) end

---Returns the positions of the elements that are not 0 (true): one array of positions for each axis, in C order.
---`a[{gpuarray.nonzero(m)}]` selects these elements. The program waits for the array.
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array ...  one for each axis of a; 1-D, int64
---@raise LogicError for a 0-d array
function Array:nonzero(options) end

---where(c, a, b) selects elements of a where c is true (not 0), and of b elsewhere; all three broadcast. where(c) is
---nonzero(c).
---@param c cudalua.gpuarray.Array  the condition
---@param a? any  an array or a number, for elements where c is true
---@param b? any  an array or a number, for all other elements
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array ...
---@raise LogicError if shapes or types do not fit
function gpuarray.where(c, a, b, options) end

---where(c, a, b) selects elements of a where c is true (not 0), and of b elsewhere; all three broadcast. where(c) is
---nonzero(c).
---@param a? any  an array or a number, for elements where c is true
---@param b? any  an array or a number, for all other elements
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

---The median of the elements that are not NaN, as NumPy's nanmedian. This is the middle one of the sorted elements, or
---the mean of the two in the middle; NaN if all are NaN. Integers give the default float.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers; default: all axes
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanmedian(a, options) end

---The median of the elements that are not NaN, as NumPy's nanmedian. This is the middle one of the sorted elements, or
---the mean of the two in the middle; NaN if all are NaN. Integers give the default float.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers; default: all axes
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanmedian(options) end

---As nanquantile, with q as a percentage from 0 to 100.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param q any  a percentage from 0 to 100: a number, a list or an array, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as nanquantile
---@overload fun(a: any, q: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanpercentile(a, q, options) end

---As nanquantile, with q as a percentage from 0 to 100.
---@param q any  a percentage from 0 to 100: a number, a list or an array, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as nanquantile
---@overload fun(self: any, q: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanpercentile(q, options) end

---The q-quantiles of the elements that are not NaN, as NumPy's nanquantile; NaN if all are NaN.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param q any  a fraction from 0 to 1, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers, and for a q out of range
---@overload fun(a: any, q: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanquantile(a, q, options) end

---The q-quantiles of the elements that are not NaN, as NumPy's nanquantile; NaN if all are NaN.
---@param q any  a fraction from 0 to 1, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers, and for a q out of range
---@overload fun(self: any, q: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanquantile(q, options) end

---The median: the middle one of the sorted elements, or the mean of the two in the middle; NaN if an element is NaN.
---Integers give the default float.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers; default: all axes
---@return cudalua.gpuarray.Array
---@raise LogicError for an array without elements, and for complex numbers
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.median(a, options) end

---The median: the middle one of the sorted elements, or the mean of the two in the middle; NaN if an element is NaN.
---Integers give the default float.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers; default: all axes
---@return cudalua.gpuarray.Array
---@raise LogicError for an array without elements, and for complex numbers
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:median(options) end

---As quantile, with q as a percentage from 0 to 100.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param q any  a percentage from 0 to 100: a number, a list or an array, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as quantile
---@overload fun(a: any, q: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.percentile(a, q, options) end

---As quantile, with q as a percentage from 0 to 100.
---@param q any  a percentage from 0 to 100: a number, a list or an array, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as quantile
---@overload fun(self: any, q: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:percentile(q, options) end

---The q-quantiles of the elements, as NumPy's quantile; NaN if an element is NaN. Integers give the default float;
---methods that select an element keep the dtype.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param q any  a fraction from 0 to 1; or a list or array of fractions, for which the result has an additional first
---  axis
---@param options? any  {axis, keepdims, method, out, stream, allocator}. The axis can also come before this table.
---  axis: an integer or a list; default: all axes. method: for positions between two elements: "linear" (default),
---  "lower", "higher", "nearest" or "midpoint"
---@return cudalua.gpuarray.Array
---@raise LogicError for an array without elements, for complex numbers, and for a q out of range
---@overload fun(a: any, q: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.quantile(a, q, options) end

---The q-quantiles of the elements, as NumPy's quantile; NaN if an element is NaN. Integers give the default float;
---methods that select an element keep the dtype.
---@param q any  a fraction from 0 to 1; or a list or array of fractions, for which the result has an additional first
---  axis
---@param options? any  {axis, keepdims, method, out, stream, allocator}. The axis can also come before this table.
---  axis: an integer or a list; default: all axes. method: for positions between two elements: "linear" (default),
---  "lower", "higher", "nearest" or "midpoint"
---@return cudalua.gpuarray.Array
---@raise LogicError for an array without elements, for complex numbers, and for a q out of range
---@overload fun(self: any, q: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:quantile(q, options) end

---Returns the positions of the elements that partition() selects, as NumPy's argpartition.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param kth integer|integer[]  as for partition
---@param options? any  as for partition
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as gpuarray.partition
---@overload fun(a: any, kth: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.argpartition(a, kth, options) end

---Returns the positions of the elements that partition() selects, as NumPy's argpartition.
---@param kth integer|integer[]  as for partition
---@param options? any  as for partition
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as gpuarray.partition
---@overload fun(self: any, kth: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:argpartition(kth, options) end

---Returns the positions that sort the array, as NumPy's argsort: `a:take_along_axis(a:argsort())` is sorted.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? any  as for sort
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as sort
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.argsort(a, options) end

---Returns the positions that sort the array, as NumPy's argsort: `a:take_along_axis(a:argsort())` is sorted.
---@param options? any  as for sort
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as sort
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:argsort(options) end

---Partially sorts an array along an axis, as NumPy's partition. Each position in `kth` receives the element that sort()
---puts there, with no greater element before it and no smaller one behind it. The order of the others is not
---guaranteed. Currently they are sorted, which here takes no longer than a selection for several positions.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param kth integer|integer[]  positions on the axis, from 1; negative ones count from the end
---@param options? any  as for sort, without descending
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, and as sort
---@overload fun(a: any, kth: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.partition(a, kth, options) end

---Partially sorts an array along an axis, as NumPy's partition. Each position in `kth` receives the element that sort()
---puts there, with no greater element before it and no smaller one behind it. The order of the others is not
---guaranteed. Currently they are sorted, which here takes no longer than a selection for several positions.
---@param kth integer|integer[]  positions on the axis, from 1; negative ones count from the end
---@param options? any  as for sort, without descending
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, and as sort
---@overload fun(self: any, kth: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:partition(kth, options) end

---Returns the elements sorted along an axis in ascending order, as NumPy's sort. The sort is stable: equal elements
---keep their order, and -0 equals 0. NaN is greater than everything, so NaNs come last, or first with descending.
---Complex numbers are sorted by their real parts, then by their imaginary parts. `a:sort { out = a }` sorts the array
---itself.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? any  {axis: integer, descending: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}. The axis can also come before this table. axis: the last one by default. descending: sort in
---  descending order; default: false. out: an array that receives the result; it may be a
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array, an axis out of range, elements of a struct type, and if out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.sort(a, options) end

---Returns the elements sorted along an axis in ascending order, as NumPy's sort. The sort is stable: equal elements
---keep their order, and -0 equals 0. NaN is greater than everything, so NaNs come last, or first with descending.
---Complex numbers are sorted by their real parts, then by their imaginary parts. `a:sort { out = a }` sorts the array
---itself.
---@param options? any  {axis: integer, descending: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}. The axis can also come before this table. axis: the last one by default. descending: sort in
---  descending order; default: false. out: an array that receives the result; it may be a
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array, an axis out of range, elements of a struct type, and if out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:sort(options) end

---Returns the k largest elements along an axis, the largest first, and their positions; of equal elements, the first
---ones. NaN is greater than everything.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param k integer  the number of elements
---@param options? any  {axis: integer, largest: boolean, stream: cudalua.Stream, allocator: function}. The axis can
---  also come before this table. axis: the last one by default. largest = false: return the k smallest elements, the
---  smallest first
---@return cudalua.gpuarray.Array values
---@return cudalua.gpuarray.Array positions  int64, on the axis, from 1
---@raise LogicError if the axis has fewer elements, and as sort
---@overload fun(a: any, k: any, axis: any, options: table): cudalua.gpuarray.Array, cudalua.gpuarray.Array
function gpuarray.topk(a, k, options) end

---Returns the k largest elements along an axis, the largest first, and their positions; of equal elements, the first
---ones. NaN is greater than everything.
---@param k integer  the number of elements
---@param options? any  {axis: integer, largest: boolean, stream: cudalua.Stream, allocator: function}. The axis can
---  also come before this table. axis: the last one by default. largest = false: return the k smallest elements, the
---  smallest first
---@return cudalua.gpuarray.Array values
---@return cudalua.gpuarray.Array positions  int64, on the axis, from 1
---@raise LogicError if the axis has fewer elements, and as sort
---@overload fun(self: any, k: any, axis: any, options: table): cudalua.gpuarray.Array, cudalua.gpuarray.Array
function Array:topk(k, options) end

---Returns the distinct elements of an array in ascending order, as NumPy's unique; all NaNs count as one element. The
---requested additional results follow, in this order. The program waits for the number of elements.
---@param a cudalua.gpuarray.Array  an array of any shape, in C order
---@param options? {index: boolean, inverse: boolean, counts: boolean, stream: cudalua.Stream, allocator: function}
---  index: return the position of the first occurrence of each element; inverse: return, for each element of a, its
---  position in the result; counts: return the number of occurrences of each element
---@return cudalua.gpuarray.Array values  1-D
---@return cudalua.gpuarray.Array ...  int64, positions from 1; inverse has a's shape
---@raise LogicError for elements of a struct type
function gpuarray.unique(a, options) end

---Returns the distinct elements of an array in ascending order, as NumPy's unique; all NaNs count as one element. The
---requested additional results follow, in this order. The program waits for the number of elements.
---@param options? {index: boolean, inverse: boolean, counts: boolean, stream: cudalua.Stream, allocator: function}
---  index: return the position of the first occurrence of each element; inverse: return, for each element of a, its
---  position in the result; counts: return the number of occurrences of each element
---@return cudalua.gpuarray.Array values  1-D
---@return cudalua.gpuarray.Array ...  int64, positions from 1; inverse has a's shape
---@raise LogicError for elements of a struct type
function Array:unique(options) end

---Computes beta * c + alpha * (a b), where a b is the product of matmul(), rounded once: alpha times the sum, to which
---beta times c is added with one rounding. With beta = 0, c is not read.
---@param c cudalua.gpuarray.Array  an array that broadcasts to the product's shape
---@param a cudalua.gpuarray.Array  as for matmul
---@param b cudalua.gpuarray.Array  as for matmul
---@param options? {alpha: any, beta: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  alpha: the factor of the product, a number, default 1; beta: the factor of c, a number, default 1. Both must be
---  integers if the product has integers. out: may be c
---@return cudalua.gpuarray.Array  of the promoted dtype of c and the product
---@raise LogicError as gpuarray.matmul, if c does not broadcast to the product's shape, and for other factors
function gpuarray.addmm(c, a, b, options) end

---Computes beta * c + alpha * (a b), where a b is the product of matmul(), rounded once: alpha times the sum, to which
---beta times c is added with one rounding. With beta = 0, c is not read.
---@param a cudalua.gpuarray.Array  as for matmul
---@param b cudalua.gpuarray.Array  as for matmul
---@param options? {alpha: any, beta: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  alpha: the factor of the product, a number, default 1; beta: the factor of c, a number, default 1. Both must be
---  integers if the product has integers. out: may be c
---@return cudalua.gpuarray.Array  of the promoted dtype of c and the product
---@raise LogicError as gpuarray.matmul, if c does not broadcast to the product's shape, and for other factors
function Array:addmm(a, b, options) end

---The matrix product of the last two axes, as NumPy's matmul. The leading axes are a batch and broadcast. A 1-D array
---is a row as the first operand and a column as the second, and the result lacks that axis. For two 1-D arrays, matmul
---is dot(). Operands may have any layout, for example transposed or sliced. Pending operands are computed first, and
---the product is computed at once. The order of each sum depends only on the extents. Elements of float16 and bfloat16
---are summed as float32 and rounded once, int8 as int32, other integers and bool in 64 bits; integers wrap around.
---@param a cudalua.gpuarray.Array  the first operand, with the shape (..., m, k)
---@param b cudalua.gpuarray.Array  the second operand, with the shape (..., k, n)
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: the
---  dtype of the result: float32 for 16-bit floats returns the unrounded sums; for other dtypes the operands are
---  converted first
---@return cudalua.gpuarray.Array  with the shape (..., m, n)
---@raise LogicError if the shapes do not fit, an operand is 0-d, the dtype is not supported, or out has another shape
function gpuarray.matmul(a, b, options) end

---The matrix product of the last two axes, as NumPy's matmul. The leading axes are a batch and broadcast. A 1-D array
---is a row as the first operand and a column as the second, and the result lacks that axis. For two 1-D arrays, matmul
---is dot(). Operands may have any layout, for example transposed or sliced. Pending operands are computed first, and
---the product is computed at once. The order of each sum depends only on the extents. Elements of float16 and bfloat16
---are summed as float32 and rounded once, int8 as int32, other integers and bool in 64 bits; integers wrap around.
---@param b cudalua.gpuarray.Array  the second operand, with the shape (..., k, n)
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: the
---  dtype of the result: float32 for 16-bit floats returns the unrounded sums; for other dtypes the operands are
---  converted first
---@return cudalua.gpuarray.Array  with the shape (..., m, n)
---@raise LogicError if the shapes do not fit, an operand is 0-d, the dtype is not supported, or out has another shape
function Array:matmul(b, options) end

---The cross products of vectors with three elements, as NumPy's cross. The arrays broadcast.
---@param a cudalua.gpuarray.Array  an array of vectors with three elements
---@param b cudalua.gpuarray.Array  likewise
---@param options? any  {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}. The
---  axis can also come before this table. axis: of the vectors in both arrays; default: the last one
---@return cudalua.gpuarray.Array  with the vectors along the same axis
---@raise LogicError if the axis does not have three elements, the shapes do not broadcast, or out has another shape
---@overload fun(a: any, b: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.cross(a, b, options) end

---The cross products of vectors with three elements, as NumPy's cross. The arrays broadcast.
---@param b cudalua.gpuarray.Array  likewise
---@param options? any  {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}. The
---  axis can also come before this table. axis: of the vectors in both arrays; default: the last one
---@return cudalua.gpuarray.Array  with the vectors along the same axis
---@raise LogicError if the axis does not have three elements, the shapes do not broadcast, or out has another shape
---@overload fun(self: any, b: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:cross(b, options) end

---The sums of products over the last axis of both arrays, as NumPy's inner; for vectors, dot().
---@param a cudalua.gpuarray.Array  the first array
---@param b cudalua.gpuarray.Array  the second array, with the same last extent
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: as for
---  matmul
---@return cudalua.gpuarray.Array  a's other axes, then b's
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out has another shape
function gpuarray.inner(a, b, options) end

---The sums of products over the last axis of both arrays, as NumPy's inner; for vectors, dot().
---@param b cudalua.gpuarray.Array  the second array, with the same last extent
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: as for
---  matmul
---@return cudalua.gpuarray.Array  a's other axes, then b's
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out has another shape
function Array:inner(b, options) end

---The Kronecker product, as NumPy's kron: each element of a becomes a block, that element times b.
---@param a cudalua.gpuarray.Array  the first array
---@param b cudalua.gpuarray.Array  the second array; the array with fewer axes gets axes with one element in front
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  each extent is the product of the extents of a and b
---@raise LogicError for more than 32 axes, if the dtypes are not supported, or out has another shape
function gpuarray.kron(a, b, options) end

---The Kronecker product, as NumPy's kron: each element of a becomes a block, that element times b.
---@param b cudalua.gpuarray.Array  the second array; the array with fewer axes gets axes with one element in front
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  each extent is the product of the extents of a and b
---@raise LogicError for more than 32 axes, if the dtypes are not supported, or out has another shape
function Array:kron(b, options) end

---The products of each element of one array with each element of another one, as NumPy's outer, both in C order. The
---result is an expression, which is computed later.
---@param a cudalua.gpuarray.Array  the first array, of any shape
---@param b cudalua.gpuarray.Array  the second array, of any shape
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  with the shape (a.size, b.size)
---@raise LogicError if the dtypes are not supported, or out has another shape
function gpuarray.outer(a, b, options) end

---The products of each element of one array with each element of another one, as NumPy's outer, both in C order. The
---result is an expression, which is computed later.
---@param b cudalua.gpuarray.Array  the second array, of any shape
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  with the shape (a.size, b.size)
---@raise LogicError if the dtypes are not supported, or out has another shape
function Array:outer(b, options) end

---The sums of products over some axes of both arrays, as NumPy's tensordot.
---@param a cudalua.gpuarray.Array  the first array
---@param b cudalua.gpuarray.Array  the second array
---@param options? any  {axes: any, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}, or the number of axes. axes: the number of last axes of a and first axes of b; or a list of axes of
---  each; default: 2. dtype: as for matmul
---@return cudalua.gpuarray.Array  a's other axes, then b's
---@raise LogicError if the shapes do not fit, an axis is out of range or appears twice, or out has another shape
function gpuarray.tensordot(a, b, options) end

---The sums of products over some axes of both arrays, as NumPy's tensordot.
---@param b cudalua.gpuarray.Array  the second array
---@param options? any  {axes: any, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}, or the number of axes. axes: the number of last axes of a and first axes of b; or a list of axes of
---  each; default: 2. dtype: as for matmul
---@return cudalua.gpuarray.Array  a's other axes, then b's
---@raise LogicError if the shapes do not fit, an axis is out of range or appears twice, or out has another shape
function Array:tensordot(b, options) end

---The sum of the elements on a diagonal, as NumPy's trace.
---@param a cudalua.gpuarray.Array  an array with at least two axes
---@param k? integer  the diagonal: 0 (default) the main one, positive above it, negative below it
---@param options? {axis1: integer, axis2: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis1: the first axis of the matrices; default: 1. axis2: the second axis of the matrices;
---  default: 2. dtype: as for sum
---@return cudalua.gpuarray.Array  without these axes
---@raise LogicError for fewer than two axes, if the dtype is not supported, or out has another shape
function gpuarray.trace(a, k, options) end

---The sum of the elements on a diagonal, as NumPy's trace.
---@param k? integer  the diagonal: 0 (default) the main one, positive above it, negative below it
---@param options? {axis1: integer, axis2: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis1: the first axis of the matrices; default: 1. axis2: the second axis of the matrices;
---  default: 2. dtype: as for sum
---@return cudalua.gpuarray.Array  without these axes
---@raise LogicError for fewer than two axes, if the dtype is not supported, or out has another shape
function Array:trace(k, options) end

---The dot products of vectors along an axis, as NumPy's vecdot. The first operand is conjugated, and the shapes
---broadcast. float16 and bfloat16 are summed as float32 and rounded once, integers in 64 bits.
---@param a cudalua.gpuarray.Array  an array of vectors, which is conjugated
---@param b cudalua.gpuarray.Array  an array of vectors of the same length
---@param options? any  {axis: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}. The axis can also come before this table. axis: the last one by default. dtype: the dtype of the result;
---  elements are converted to it first
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if the axis has different extents, the shapes do not broadcast, or out has another shape
---@overload fun(a: any, b: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.vecdot(a, b, options) end

---The dot products of vectors along an axis, as NumPy's vecdot. The first operand is conjugated, and the shapes
---broadcast. float16 and bfloat16 are summed as float32 and rounded once, integers in 64 bits.
---@param b cudalua.gpuarray.Array  an array of vectors of the same length
---@param options? any  {axis: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}. The axis can also come before this table. axis: the last one by default. dtype: the dtype of the result;
---  elements are converted to it first
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if the axis has different extents, the shapes do not broadcast, or out has another shape
---@overload fun(self: any, b: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:vecdot(b, options) end

---The logarithm of the sum of the exponentials of the elements, without intermediate overflow; -inf for an array
---without elements.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, an axis is out of range or appears twice, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.logsumexp(a, options) end

---The logarithm of the sum of the exponentials of the elements, without intermediate overflow; -inf for an array
---without elements.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, an axis is out of range or appears twice, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:logsumexp(options) end

---The mean of the elements that are not NaN; NaN if all are.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.mean
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.mean
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanmean(a, options) end

---The mean of the elements that are not NaN; NaN if all are.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.mean
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.mean
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanmean(options) end

---The product of the elements as prod() computes it, with NaN counted as 1.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.prod
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.prod
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanprod(a, options) end

---The product of the elements as prod() computes it, with NaN counted as 1.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.prod
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.prod
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanprod(options) end

---The standard deviation of the elements that are not NaN: the square root of nanvar().
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for gpuarray.mean. ddof:
---  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanstd(a, options) end

---The standard deviation of the elements that are not NaN: the square root of nanvar().
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for gpuarray.mean. ddof:
---  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanstd(options) end

---The sum of the elements as sum() computes it, with NaN counted as 0.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.sum
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.sum
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nansum(a, options) end

---The sum of the elements as sum() computes it, with NaN counted as 0.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.sum
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.sum
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nansum(options) end

---The variance of the elements that are not NaN; NaN if at most ddof are left.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for gpuarray.mean. ddof:
---  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanvar(a, options) end

---The variance of the elements that are not NaN; NaN if at most ddof are left.
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for gpuarray.mean. ddof:
---  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanvar(options) end

---The norm of the elements as a vector: by default the square root of the sum of squares. Integers give the default
---float; complex numbers give the norm of their absolute values.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, ord, out, stream, allocator}. The axis can also come before this table. axis:
---  an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
---  keep each reduced axis, with an extent of 1. ord: another norm: the ord-th root of the sum of the ord-th powers; 0:
---  the number of elements that are not 0; math.huge: the greatest absolute value; -math.huge: the least. out: an array
---  that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if ord is not a number, an axis is out of range or appears twice, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.norm(a, options) end

---The norm of the elements as a vector: by default the square root of the sum of squares. Integers give the default
---float; complex numbers give the norm of their absolute values.
---@param options? any  {axis, keepdims, ord, out, stream, allocator}. The axis can also come before this table. axis:
---  an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
---  keep each reduced axis, with an extent of 1. ord: another norm: the ord-th root of the sum of the ord-th powers; 0:
---  the number of elements that are not 0; math.huge: the greatest absolute value; -math.huge: the least. out: an array
---  that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if ord is not a number, an axis is out of range or appears twice, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:norm(options) end

---Tests whether all elements are not 0; NaN counts as not 0. True for an array without elements.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.all(a, options) end

---Tests whether all elements are not 0; NaN counts as not 0. True for an array without elements.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:all(options) end

---Tests whether any element is not 0; NaN counts as not 0. False for an array without elements.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.any(a, options) end

---Tests whether any element is not 0; NaN counts as not 0. False for an array without elements.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:any(options) end

---The position of the largest element, from 1, or of the first NaN. Of several equal elements, the first one counts.
---Without an axis, positions count all elements in C order.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.argmax(a, options) end

---The position of the largest element, from 1, or of the first NaN. Of several equal elements, the first one counts.
---Without an axis, positions count all elements in C order.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:argmax(options) end

---The position of the smallest element, from 1, or of the first NaN. Of several equal elements, the first one counts.
---Without an axis, positions count all elements in C order.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.argmin(a, options) end

---The position of the smallest element, from 1, or of the first NaN. Of several equal elements, the first one counts.
---Without an axis, positions count all elements in C order.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:argmin(options) end

---The number of elements that are not 0, as int64.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.count_nonzero(a, options) end

---The number of elements that are not 0, as int64.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if an axis is out of range or appears twice, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:count_nonzero(options) end

---The sum of the products of two vectors' elements, computed in one kernel: integers in 64 bits, float16 and bfloat16
---as float32, rounded once. With a matrix, the product that matmul() computes.
---@param a cudalua.gpuarray.Array  a 1-D or 2-D array
---@param b cudalua.gpuarray.Array  a 1-D array of the same length; or a matrix
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: the
---  dtype of the result; elements are converted to it first
---@return cudalua.gpuarray.Array  0-d for vectors
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out has another shape
function gpuarray.dot(a, b, options) end

---The sum of the products of two vectors' elements, computed in one kernel: integers in 64 bits, float16 and bfloat16
---as float32, rounded once. With a matrix, the product that matmul() computes.
---@param b cudalua.gpuarray.Array  a 1-D array of the same length; or a matrix
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: the
---  dtype of the result; elements are converted to it first
---@return cudalua.gpuarray.Array  0-d for vectors
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out has another shape
function Array:dot(b, options) end

---The largest element; NaN if an element is NaN.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.max(a, options) end

---The largest element; NaN if an element is NaN.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:max(options) end

---The mean of the elements; integers give the default float. NaN for an array without elements.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis:
---  an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
---  keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first.
---  out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.mean(a, options) end

---The mean of the elements; integers give the default float. NaN for an array without elements.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis:
---  an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
---  keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first.
---  out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:mean(options) end

---The smallest element; NaN if an element is NaN.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.min(a, options) end

---The smallest element; NaN if an element is NaN.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:min(options) end

---The position of the largest element that is not NaN, from 1; of several, the first one. 0 if all are NaN.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanargmax(a, options) end

---The position of the largest element that is not NaN, from 1; of several, the first one. 0 if all are NaN.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanargmax(options) end

---The position of the smallest element that is not NaN, from 1; of several, the first one. 0 if all are NaN.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanargmin(a, options) end

---The position of the smallest element that is not NaN, from 1; of several, the first one. 0 if all are NaN.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanargmin(options) end

---The largest element that is not NaN; NaN if all are.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanmax(a, options) end

---The largest element that is not NaN; NaN if all are.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanmax(options) end

---The smallest element that is not NaN; NaN if all are.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nanmin(a, options) end

---The smallest element that is not NaN; NaN if all are.
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or
---  out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nanmin(options) end

---The product of the elements, computed in the types of sum(). 1 for an array without elements.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis:
---  an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
---  keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first.
---  out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.prod(a, options) end

---The product of the elements, computed in the types of sum(). 1 for an array without elements.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis:
---  an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
---  keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first.
---  out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:prod(options) end

---The largest element minus the smallest one.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis, as for max
---@return cudalua.gpuarray.Array
---@raise LogicError as max, and for bool, which does not support subtraction
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.ptp(a, options) end

---The largest element minus the smallest one.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis, as for max
---@return cudalua.gpuarray.Array
---@raise LogicError as max, and for bool, which does not support subtraction
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:ptp(options) end

---The standard deviation: the square root of the variance.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.std(a, options) end

---The standard deviation: the square root of the variance.
---@param options? any  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:std(options) end

---The sum of the elements: integers are summed in 64 bits, float16 and bfloat16 as float32, rounded once. 0 for an
---array without elements.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis:
---  an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
---  keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first.
---  out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.sum(a, options) end

---The sum of the elements: integers are summed in 64 bits, float16 and bfloat16 as float32, rounded once. 0 for an
---array without elements.
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis:
---  an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
---  keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first.
---  out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:sum(options) end

---The variance: the mean of the squared distances from the mean. Integers give the default float; 32-bit and 64-bit
---integers have float64 intermediates.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for mean. ddof: the sum
---  of squares is divided by the number of elements minus ddof; default 0
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.var(a, options) end

---The variance: the mean of the squared distances from the mean. Integers give the default float; 32-bit and 64-bit
---integers have float64 intermediates.
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for mean. ddof: the sum
---  of squares is divided by the number of elements minus ddof; default 0
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:var(options) end

---The dot product of all elements of two arrays in C order, with the complex conjugate of the first array.
---@param a cudalua.gpuarray.Array  the first array, of any shape
---@param b cudalua.gpuarray.Array  the second array, with as many elements
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: as for
---  dot
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if the numbers of elements differ, the dtype is not supported, or out has another shape
function gpuarray.vdot(a, b, options) end

---The dot product of all elements of two arrays in C order, with the complex conjugate of the first array.
---@param b cudalua.gpuarray.Array  the second array, with as many elements
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: as for
---  dot
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if the numbers of elements differ, the dtype is not supported, or out has another shape
function Array:vdot(b, options) end

---The cumulative maximum; NaN from the first NaN on.
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, out, stream, allocator}. The axis can also come before this table. axis: an integer from
---  1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. out: an
---  array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.cummax(a, options) end

---The cumulative maximum; NaN from the first NaN on.
---@param options? any  {axis, out, stream, allocator}. The axis can also come before this table. axis: an integer from
---  1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. out: an
---  array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:cummax(options) end

---The cumulative minimum; NaN from the first NaN on.
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, out, stream, allocator}. The axis can also come before this table. axis: an integer from
---  1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. out: an
---  array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.cummin(a, options) end

---The cumulative minimum; NaN from the first NaN on.
---@param options? any  {axis, out, stream, allocator}. The axis can also come before this table. axis: an integer from
---  1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. out: an
---  array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:cummin(options) end

---The cumulative product, computed in the types of cumsum().
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D
---  array. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.cumprod(a, options) end

---The cumulative product, computed in the types of cumsum().
---@param options? any  {axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D
---  array. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:cumprod(options) end

---The cumulative sum: integers are summed in 64 bits, float16 and bfloat16 as float32, each sum rounded once. The
---order of the additions depends only on the shape, the axis and the dtype.
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D
---  array. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.cumsum(a, options) end

---The cumulative sum: integers are summed in 64 bits, float16 and bfloat16 as float32, each sum rounded once. The
---order of the additions depends only on the shape, the axis and the dtype.
---@param options? any  {axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D
---  array. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:cumsum(options) end

---The cumulative sum as cumsum() computes it, with NaN counted as 0.
---@param a cudalua.gpuarray.Array  the array to scan, of any shape
---@param options? any  {axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D
---  array. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
---@overload fun(a: any, axis: any, options: table): cudalua.gpuarray.Array
function gpuarray.nancumsum(a, options) end

---The cumulative sum as cumsum() computes it, with NaN counted as 0.
---@param options? any  {axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D
---  array. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
---@overload fun(self: any, axis: any, options: table): cudalua.gpuarray.Array
function Array:nancumsum(options) end
