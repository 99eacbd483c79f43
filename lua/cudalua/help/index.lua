-- Written by ./dev generate from the annotations: what help() says of each name (help/entries.lua).
return [==[
# docs/arrays.md
= cuda.BindOptions class
@field channels? integer  the number of elements in one texel; default 1
@field allow_double_hack? boolean  read float64 as two 32-bit channels, for fp_tex1Dfetch() of pycuda-helpers.hpp
@field allow_complex_hack? boolean  read complex64 as two 32-bit channels, complex128 as four
@field allow_offset? boolean  the array may begin at any address, and kernels add the returned offset
= cuda.gpuarray module
Arrays in device memory.
= cuda.gpuarray.Array class
An array in device memory with any number of axes. Axes and positions count from 1; negative numbers count from the
end. Operations such as `a + b` are recorded and computed when the value is needed, all operations of an expression
in one kernel. `a[i]` reads an element of a 1-D array. `a[{...}]` selects a part of an array as a view; if the list
has arrays of positions or masks, it returns a new array with these elements. Assigning to an index writes to the
array. Lua does not support `a < b` and `#a` for arrays; use `a:lt(b)` and `a:len()`.
@field shape integer[]    the extents; a new list, which prints as (2, 3) and equals the shape of other arrays with these extents
@field strides integer[]  bytes from one element to the next on each axis; a new list, as shape
@field dtype cuda.dtype.DType  the element type
@field size integer       the number of elements
@field nbytes integer     the size of all elements in bytes: size * dtype.itemsize
@field itemsize integer   the size of an element in bytes: dtype.itemsize
@field ndim integer       the number of axes
@field flags {c_contiguous: boolean, f_contiguous: boolean, forc: boolean}  the memory layout: C order, Fortran order, or either
@field T cuda.gpuarray.Array  a view with the axes reversed
@field ptr integer        the address of the first element; reading it computes the array and all pending operations on it
@field gpudata userdata   the memory from the first element on, for functions that take memory; nil for an array without elements
@field mem_size integer   the number of elements, as PyCUDA calls it
= cuda.gpuarray.Array:abs(options) = cuda.gpuarray.abs
= cuda.gpuarray.Array:acos(options) = cuda.gpuarray.acos
= cuda.gpuarray.Array:acosh(options) = cuda.gpuarray.acosh
= cuda.gpuarray.Array:add(b, options) = cuda.gpuarray.add
= cuda.gpuarray.Array:allclose(b, options) = cuda.gpuarray.allclose
= cuda.gpuarray.Array:angle(options) = cuda.gpuarray.angle
= cuda.gpuarray.Array:array_equal(b, options) = cuda.gpuarray.array_equal
= cuda.gpuarray.Array:array_split(parts, axis) = cuda.gpuarray.array_split
= cuda.gpuarray.Array:asin(options) = cuda.gpuarray.asin
= cuda.gpuarray.Array:asinh(options) = cuda.gpuarray.asinh
= cuda.gpuarray.Array:astype(dtype, options)
Returns the elements converted to another dtype, as NumPy's astype does.
@param dtype any  the new dtype, as for dtype.of
@param options? {copy: boolean, stream: cuda.Stream, allocator: function}  copy = false: return the array itself if it already has this dtype; default true
@return cuda.gpuarray.Array
@raise LogicError if the dtype is unknown
@options allocator copy dtype stream
= cuda.gpuarray.Array:atan(options) = cuda.gpuarray.atan
= cuda.gpuarray.Array:atan2(b, options) = cuda.gpuarray.atan2
= cuda.gpuarray.Array:atanh(options) = cuda.gpuarray.atanh
= cuda.gpuarray.Array:average(options) = cuda.gpuarray.average
= cuda.gpuarray.Array:bind_to_texref(reference, options)
Binds the array to a texture reference, so that tex1Dfetch(t, i) reads its i-th element in memory. PyCUDA's
GPUArray.bind_to_texref.
@param reference cuda.TextureReference  the texture reference
@param options? {allow_offset: boolean?}  allow_offset: the array may begin at any address, and kernels add the returned offset
@return integer offset  elements from the start of the texture to the array
@raise LogicError if the array is not contiguous, or no texture can begin at its address and allow_offset is not set
@options allow_offset
= cuda.gpuarray.Array:bind_to_texref_ext(reference, options)
As bind_to_texref, and sets the format of the reference to the array's dtype. PyCUDA's GPUArray.bind_to_texref_ext.
@param reference cuda.TextureReference  the texture reference
@param options? cuda.BindOptions  channels and the hacks for double and complex
@return integer offset  elements from the start of the texture to the array
@raise LogicError as bind_to_texref, and if textures do not support the dtype
@options allow_complex_hack allow_double_hack allow_offset channels
= cuda.gpuarray.Array:bitwise_and(b, options) = cuda.gpuarray.bitwise_and
= cuda.gpuarray.Array:bitwise_not(options) = cuda.gpuarray.bitwise_not
= cuda.gpuarray.Array:bitwise_or(b, options) = cuda.gpuarray.bitwise_or
= cuda.gpuarray.Array:bitwise_xor(b, options) = cuda.gpuarray.bitwise_xor
= cuda.gpuarray.Array:broadcast_to(...) = cuda.gpuarray.broadcast_to
= cuda.gpuarray.Array:cbrt(options) = cuda.gpuarray.cbrt
= cuda.gpuarray.Array:ceil(options) = cuda.gpuarray.ceil
= cuda.gpuarray.Array:choose(choices, options) = cuda.gpuarray.choose
= cuda.gpuarray.Array:clip(low, high, options) = cuda.gpuarray.clip
= cuda.gpuarray.Array:complex(b, options) = cuda.gpuarray.complex
= cuda.gpuarray.Array:compress(condition, options) = cuda.gpuarray.compress
= cuda.gpuarray.Array:conj(options) = cuda.gpuarray.conj
= cuda.gpuarray.Array:conjugate(options) = cuda.gpuarray.conjugate
= cuda.gpuarray.Array:copy(options) = cuda.gpuarray.copy
= cuda.gpuarray.Array:copysign(b, options) = cuda.gpuarray.copysign
= cuda.gpuarray.Array:corrcoef(options) = cuda.gpuarray.corrcoef
= cuda.gpuarray.Array:cos(options) = cuda.gpuarray.cos
= cuda.gpuarray.Array:cosh(options) = cuda.gpuarray.cosh
= cuda.gpuarray.Array:cospi(options) = cuda.gpuarray.cospi
= cuda.gpuarray.Array:cov(options) = cuda.gpuarray.cov
= cuda.gpuarray.Array:cube(options) = cuda.gpuarray.cube
= cuda.gpuarray.Array:cuda_array_interface()
Describes the array to other libraries: version 3 of Numba's CUDA Array Interface. As with `ptr`, this computes the
array and all pending operations on it. The memory lives as long as the array or this table.
@return table description  fields: shape, typestr ("<f4") and version; data: {ptr, readonly}, where ptr is 0 for an array without elements; strides: in bytes, nil for C order; descr: for structs, {name, typestr or descr, shape?} for each field, with unnamed ones for gaps; stream: the current stream, as 1 for the legacy default stream, 2 for the per-thread default stream, otherwise its handle; work in it may use the array; owner: the array
@raise LogicError if the memory was released; errors of the kernels that compute the value
= cuda.gpuarray.Array:cyl_bessel_i0(options) = cuda.gpuarray.cyl_bessel_i0
= cuda.gpuarray.Array:cyl_bessel_i1(options) = cuda.gpuarray.cyl_bessel_i1
= cuda.gpuarray.Array:degrees(options) = cuda.gpuarray.degrees
= cuda.gpuarray.Array:diagonal(k, axis1, axis2) = cuda.gpuarray.diagonal
= cuda.gpuarray.Array:diff(n, options) = cuda.gpuarray.diff
= cuda.gpuarray.Array:div(b, options) = cuda.gpuarray.div
= cuda.gpuarray.Array:eq(b, options) = cuda.gpuarray.eq
= cuda.gpuarray.Array:erf(options) = cuda.gpuarray.erf
= cuda.gpuarray.Array:erfc(options) = cuda.gpuarray.erfc
= cuda.gpuarray.Array:erfcinv(options) = cuda.gpuarray.erfcinv
= cuda.gpuarray.Array:erfcx(options) = cuda.gpuarray.erfcx
= cuda.gpuarray.Array:erfinv(options) = cuda.gpuarray.erfinv
= cuda.gpuarray.Array:eval()
Computes the array now, if it is pending.
@return cuda.gpuarray.Array self
= cuda.gpuarray.Array:exp(options) = cuda.gpuarray.exp
= cuda.gpuarray.Array:exp10(options) = cuda.gpuarray.exp10
= cuda.gpuarray.Array:exp2(options) = cuda.gpuarray.exp2
= cuda.gpuarray.Array:expand_dims(axes) = cuda.gpuarray.expand_dims
= cuda.gpuarray.Array:expm1(options) = cuda.gpuarray.expm1
= cuda.gpuarray.Array:fabs(options) = cuda.gpuarray.fabs
= cuda.gpuarray.Array:fdim(b, options) = cuda.gpuarray.fdim
= cuda.gpuarray.Array:fill(value, options)
Sets every element to one number.
@param value any  a number or a 0-d array
@param options? {stream: cuda.Stream}|cuda.Stream  stream: default the current stream
@return cuda.gpuarray.Array self
@raise LogicError if the dtype cannot hold the value
@options stream
= cuda.gpuarray.Array:flatten(options)
Returns a copy of all elements as a 1-D array.
@param options? any  {order: "C"|"F"|"A"|"K", stream: cuda.Stream, allocator: function}, or the order, or the stream. order: as for ravel
@return cuda.gpuarray.Array
@options allocator order="C"|"F"|"A"|"K" stream
= cuda.gpuarray.Array:flip(axes) = cuda.gpuarray.flip
= cuda.gpuarray.Array:fliplr() = cuda.gpuarray.fliplr
= cuda.gpuarray.Array:flipud() = cuda.gpuarray.flipud
= cuda.gpuarray.Array:floor(options) = cuda.gpuarray.floor
= cuda.gpuarray.Array:floordiv(b, options) = cuda.gpuarray.floordiv
= cuda.gpuarray.Array:fma(b, c, options) = cuda.gpuarray.fma
= cuda.gpuarray.Array:fmax(b, options) = cuda.gpuarray.fmax
= cuda.gpuarray.Array:fmin(b, options) = cuda.gpuarray.fmin
= cuda.gpuarray.Array:fmod(b, options) = cuda.gpuarray.fmod
= cuda.gpuarray.Array:frexp(options) = cuda.gpuarray.frexp
= cuda.gpuarray.Array:gcd(b, options) = cuda.gpuarray.gcd
= cuda.gpuarray.Array:ge(b, options) = cuda.gpuarray.ge
= cuda.gpuarray.Array:get(options)
Copies the elements to the host and returns them as a host array. Returns the value of a 0-d array.
@param options? any  {array: boolean, to: cuda.ndarray.Array, stream: cuda.Stream}, or `to`, or the stream. array: return a host array for a 0-d array, too; to: a host array that receives the elements, with the same shape and dtype, instead of a new one; stream: default the current stream, which the program waits for
@return cuda.ndarray.Array|boolean|number|ffi.cdata*  a host array; for a 0-d array without `to` and `array`, what item() returns: a number, a boolean, an int64_t, uint64_t or complex
@raise LogicError if `to` has another shape or dtype; errors of the kernels that compute the value
@options array stream to
= cuda.gpuarray.Array:get_async(stream, to)
Starts copying the elements to the host in stream order and returns at once. The elements are valid when the stream
has finished the copy.
@param stream? cuda.Stream    default: the current stream
@param to? cuda.ndarray.Array  a contiguous host array of the same shape and dtype that receives the elements, in page-locked memory (for other memory the call waits); default: a new one
@return cuda.ndarray.Array
@raise LogicError if `to` has another shape or dtype; errors of the kernels that compute the value
= cuda.gpuarray.Array:gt(b, options) = cuda.gpuarray.gt
= cuda.gpuarray.Array:heaviside(b, options) = cuda.gpuarray.heaviside
= cuda.gpuarray.Array:hypot(b, options) = cuda.gpuarray.hypot
= cuda.gpuarray.Array:iadd(b)
Writes a + b to a itself, and so to the array that a is a view of.
@param b cuda.gpuarray.Array|number  the second operand; it broadcasts to a's shape
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:idiv(b)
Writes a / b to a itself, and so to the array that a is a view of.
@param b cuda.gpuarray.Array|number  the second operand; it broadcasts to a's shape
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:ieee_remainder(b, options) = cuda.gpuarray.ieee_remainder
= cuda.gpuarray.Array:if_positive(a, b, options) = cuda.gpuarray.if_positive
= cuda.gpuarray.Array:ifloordiv(b)
Writes a:floordiv(b) to a itself, and so to the array that a is a view of.
@param b cuda.gpuarray.Array|number  the second operand; it broadcasts to a's shape
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:ilogb(options) = cuda.gpuarray.ilogb
= cuda.gpuarray.Array:imag(options) = cuda.gpuarray.imag
= cuda.gpuarray.Array:imod(b)
Writes a % b to a itself, and so to the array that a is a view of.
@param b cuda.gpuarray.Array|number  the second operand; it broadcasts to a's shape
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:imul(b)
Writes a * b to a itself, and so to the array that a is a view of.
@param b cuda.gpuarray.Array|number  the second operand; it broadcasts to a's shape
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:ipow(b)
Writes a ^ b to a itself, and so to the array that a is a view of.
@param b cuda.gpuarray.Array|number  the second operand; it broadcasts to a's shape
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:isclose(b, options) = cuda.gpuarray.isclose
= cuda.gpuarray.Array:isfinite(options) = cuda.gpuarray.isfinite
= cuda.gpuarray.Array:isin(values, options) = cuda.gpuarray.isin
= cuda.gpuarray.Array:isinf(options) = cuda.gpuarray.isinf
= cuda.gpuarray.Array:isnan(options) = cuda.gpuarray.isnan
= cuda.gpuarray.Array:isub(b)
Writes a - b to a itself, and so to the array that a is a view of.
@param b cuda.gpuarray.Array|number  the second operand; it broadcasts to a's shape
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:item(...)
Returns the value of an element, or of an array with one element.
@param ... integer  one position for each axis; or a single position among all elements in C order; or none, for an array with one element
@return boolean|number|ffi.cdata*
@raise LogicError if a position is out of range, or positions are missing and the array does not have exactly one element
= cuda.gpuarray.Array:j0(options) = cuda.gpuarray.j0
= cuda.gpuarray.Array:j1(options) = cuda.gpuarray.j1
= cuda.gpuarray.Array:jn(a, options) = cuda.gpuarray.jn
= cuda.gpuarray.Array:lcm(b, options) = cuda.gpuarray.lcm
= cuda.gpuarray.Array:ldexp(b, options) = cuda.gpuarray.ldexp
= cuda.gpuarray.Array:le(b, options) = cuda.gpuarray.le
= cuda.gpuarray.Array:left_shift(b, options) = cuda.gpuarray.left_shift
= cuda.gpuarray.Array:len()
Returns the length of the first axis.
@return integer
@raise LogicError for a 0-d array
= cuda.gpuarray.Array:lgamma(options) = cuda.gpuarray.lgamma
= cuda.gpuarray.Array:log(options) = cuda.gpuarray.log
= cuda.gpuarray.Array:log10(options) = cuda.gpuarray.log10
= cuda.gpuarray.Array:log1p(options) = cuda.gpuarray.log1p
= cuda.gpuarray.Array:log2(options) = cuda.gpuarray.log2
= cuda.gpuarray.Array:logaddexp(b, options) = cuda.gpuarray.logaddexp
= cuda.gpuarray.Array:logaddexp2(b, options) = cuda.gpuarray.logaddexp2
= cuda.gpuarray.Array:logb(options) = cuda.gpuarray.logb
= cuda.gpuarray.Array:logical_and(b, options) = cuda.gpuarray.logical_and
= cuda.gpuarray.Array:logical_not(options) = cuda.gpuarray.logical_not
= cuda.gpuarray.Array:logical_or(b, options) = cuda.gpuarray.logical_or
= cuda.gpuarray.Array:logical_xor(b, options) = cuda.gpuarray.logical_xor
= cuda.gpuarray.Array:lt(b, options) = cuda.gpuarray.lt
= cuda.gpuarray.Array:masked_fill(mask, value, options) = cuda.gpuarray.masked_fill
= cuda.gpuarray.Array:maximum(b, options) = cuda.gpuarray.maximum
= cuda.gpuarray.Array:minimum(b, options) = cuda.gpuarray.minimum
= cuda.gpuarray.Array:mod(b, options) = cuda.gpuarray.mod
= cuda.gpuarray.Array:modf(options) = cuda.gpuarray.modf
= cuda.gpuarray.Array:moveaxis(source, destination) = cuda.gpuarray.moveaxis
= cuda.gpuarray.Array:mul(b, options) = cuda.gpuarray.mul
= cuda.gpuarray.Array:mul_add(selffac, other, otherfac, options) = cuda.gpuarray.mul_add
= cuda.gpuarray.Array:nan_to_num(options) = cuda.gpuarray.nan_to_num
= cuda.gpuarray.Array:ne(b, options) = cuda.gpuarray.ne
= cuda.gpuarray.Array:neg(options) = cuda.gpuarray.neg
= cuda.gpuarray.Array:nextafter(b, options) = cuda.gpuarray.nextafter
= cuda.gpuarray.Array:nonzero(options) = cuda.gpuarray.nonzero
= cuda.gpuarray.Array:normcdf(options) = cuda.gpuarray.normcdf
= cuda.gpuarray.Array:normcdfinv(options) = cuda.gpuarray.normcdfinv
= cuda.gpuarray.Array:pad(width, mode, options) = cuda.gpuarray.pad
= cuda.gpuarray.Array:pos(options) = cuda.gpuarray.pos
= cuda.gpuarray.Array:pow(b, options) = cuda.gpuarray.pow
= cuda.gpuarray.Array:put(indices, values, options) = cuda.gpuarray.put
= cuda.gpuarray.Array:radians(options) = cuda.gpuarray.radians
= cuda.gpuarray.Array:ravel(order) = cuda.gpuarray.ravel
= cuda.gpuarray.Array:rcbrt(options) = cuda.gpuarray.rcbrt
= cuda.gpuarray.Array:real(options) = cuda.gpuarray.real
= cuda.gpuarray.Array:reciprocal(options) = cuda.gpuarray.reciprocal
= cuda.gpuarray.Array:release()
Returns the memory to the pool now. Views of the array and pending expressions that use it lose the memory, too.
Using any of them afterwards is an error.
= cuda.gpuarray.Array:repeat_(times, axis, options) = cuda.gpuarray.repeat_
= cuda.gpuarray.Array:reshape(...) = cuda.gpuarray.reshape
= cuda.gpuarray.Array:reverse(options) = cuda.gpuarray.reverse
= cuda.gpuarray.Array:rhypot(b, options) = cuda.gpuarray.rhypot
= cuda.gpuarray.Array:right_shift(b, options) = cuda.gpuarray.right_shift
= cuda.gpuarray.Array:rint(options) = cuda.gpuarray.rint
= cuda.gpuarray.Array:roll(shift, axes, options) = cuda.gpuarray.roll
= cuda.gpuarray.Array:rot90(k, axes) = cuda.gpuarray.rot90
= cuda.gpuarray.Array:round(decimals, options) = cuda.gpuarray.round
= cuda.gpuarray.Array:round_away(options) = cuda.gpuarray.round_away
= cuda.gpuarray.Array:rsqrt(options) = cuda.gpuarray.rsqrt
= cuda.gpuarray.Array:searchsorted(values, options) = cuda.gpuarray.searchsorted
= cuda.gpuarray.Array:set(values, options)
Sets the elements to those of an array that broadcasts to this shape, or all to one number. Operations recorded with
this array before still use the old values.
@param values any  an array on the device; host data, as for to_gpu; or a number. Integers wrap and floats are rounded to the dtype
@param options? {stream: cuda.Stream}|cuda.Stream  stream: default the current stream. For host data the call waits
@return cuda.gpuarray.Array self
@raise LogicError if the shapes do not fit, if the values have a higher kind (convert float to integer and complex to real with astype()), and if the dtype cannot hold a number
@options stream
= cuda.gpuarray.Array:set_async(values, stream)
As set, in stream order. Returns at once if the data is on the device or in page-locked memory. Do not change the
data before the stream has finished the copy.
@param values any  the new elements, as for set
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array self
@raise LogicError as set
= cuda.gpuarray.Array:sign(options) = cuda.gpuarray.sign
= cuda.gpuarray.Array:signbit(options) = cuda.gpuarray.signbit
= cuda.gpuarray.Array:sin(options) = cuda.gpuarray.sin
= cuda.gpuarray.Array:sinc(options) = cuda.gpuarray.sinc
= cuda.gpuarray.Array:sinh(options) = cuda.gpuarray.sinh
= cuda.gpuarray.Array:sinpi(options) = cuda.gpuarray.sinpi
= cuda.gpuarray.Array:slice(...)
Returns a part of the array. Each item belongs to an axis, from the first; axes without an item are taken whole.
Without arrays among the items the result is a view. Otherwise it is a new array, as in NumPy's advanced indexing,
and the program waits until the kernel has checked the positions.
@param ... any  the items. i removes its axis; {i} keeps it with extent 1. {lo, hi} and {lo, hi, step} are ranges that include both ends; {lo, lo - 1} is empty, and a negative step runs backwards. {} is the whole axis; gpuarray.newaxis adds an axis. An array of integers, on the device or the host, selects the elements at these positions. An array of booleans, with the shape of one or more axes, selects the elements where it is true. The arrays of an index broadcast to one shape. Its axes take the place of the arrays if these are adjacent (with numbers among them), else they come first.
@return cuda.gpuarray.Array
@raise LogicError for positions out of range, too many items, and shapes or types that do not fit
= cuda.gpuarray.Array:split(parts, axis) = cuda.gpuarray.split
= cuda.gpuarray.Array:sqrt(options) = cuda.gpuarray.sqrt
= cuda.gpuarray.Array:square(options) = cuda.gpuarray.square
= cuda.gpuarray.Array:squeeze(axes) = cuda.gpuarray.squeeze
= cuda.gpuarray.Array:sub(b, options) = cuda.gpuarray.sub
= cuda.gpuarray.Array:swapaxes(axis1, axis2) = cuda.gpuarray.swapaxes
= cuda.gpuarray.Array:take(indices, options) = cuda.gpuarray.take
= cuda.gpuarray.Array:tan(options) = cuda.gpuarray.tan
= cuda.gpuarray.Array:tanh(options) = cuda.gpuarray.tanh
= cuda.gpuarray.Array:tgamma(options) = cuda.gpuarray.tgamma
= cuda.gpuarray.Array:tile(...) = cuda.gpuarray.tile
= cuda.gpuarray.Array:tolist()
Returns the elements as nested tables; for a 0-d array, the value.
@return any
= cuda.gpuarray.Array:transpose(...) = cuda.gpuarray.transpose
= cuda.gpuarray.Array:trunc(options) = cuda.gpuarray.trunc
= cuda.gpuarray.Array:unstack(axis) = cuda.gpuarray.unstack
= cuda.gpuarray.Array:view(dtype)
Reinterprets the bytes as elements of another dtype and returns a view. If the element sizes differ, the last axis
must be contiguous and gets more or fewer elements.
@param dtype? any  as for dtype.of; default: the array's own dtype
@return cuda.gpuarray.Array
@raise LogicError if the bytes of the last axis are not a multiple of the element size, or are not aligned to it
@options dtype
= cuda.gpuarray.Array:where(a, b, options) = cuda.gpuarray.where
= cuda.gpuarray.Array:y0(options) = cuda.gpuarray.y0
= cuda.gpuarray.Array:y1(options) = cuda.gpuarray.y1
= cuda.gpuarray.Array:yn(a, options) = cuda.gpuarray.yn
= cuda.gpuarray.Fused class
A function that runs as one kernel, created by gpuarray.fuse().
@call fun(...: any): ...  the results of the function
= cuda.gpuarray.Fused:source(...)
Returns the CUDA C source for a call with these arguments, without running it.
@param ... any  the arguments, as in a call
@return string  the source of all kernels, if results of different shapes need several
@raise LogicError if the function does too much for one kernel; errors of the function
= cuda.gpuarray.abs(a, options)
The absolute value. For a complex number, its magnitude as a float. The lowest integer of a signed type stays as it
is; bool is supported.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.acos(a, options)
The inverse of cos.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.acosh(a, options)
The inverse of cosh.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.add(a, b, options)
a + b. Integers wrap around; for bool, a or b.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.allclose(a, b, options)
Returns true if all elements are close, as isclose() defines it. The program waits for the result. Returns true for
empty arrays.
@param a cuda.gpuarray.Array|number  an array of any numeric dtype, or a number
@param b cuda.gpuarray.Array|number  the reference; its shape broadcasts with a's
@param options? {rtol: any, atol: any, equal_nan: boolean, stream: cuda.Stream}  as for isclose
@return boolean
@raise LogicError as isclose
@options atol equal_nan rtol stream
= cuda.gpuarray.angle(a, options)
The angle of a complex number, from -pi to pi; 0 or pi for a real number.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.arange(start, stop, step, dtype, options)
Returns the numbers from start up to stop, which is excluded, as NumPy's arange does: arange(stop), arange(start,
stop) or arange(start, stop, step), optionally followed by a dtype and options.
@call fun(stop: number|ffi.cdata*, dtype?: any, options?: table): cuda.gpuarray.Array
@param start number|ffi.cdata*  the first number; default: 0; pass integers beyond 2^53 as int64_t or uint64_t
@param stop number|ffi.cdata*   the end, which is excluded
@param step? number|ffi.cdata*  the difference between two numbers; default: 1
@param dtype? any    as for dtype.of; default: int64 for integers, uint64 if they need it, else dtype.default_float()
@param options? {dtype: any, allocator: function, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError for a step of 0, for numbers that are not finite, and for those that the dtype cannot hold; MemoryError
@options allocator dtype step stream
= cuda.gpuarray.argwhere(a, options)
Returns the positions of the elements that are not 0 as rows, with one column for each axis. The program waits for
the array.
@param a cuda.gpuarray.Array  the array
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  int64, with the shape (count, axes)
@options allocator stream
= cuda.gpuarray.array_equal(a, b, options)
Returns true if two arrays have the same shape and equal elements. Elements of different dtypes are compared by
value. The program waits for the result.
@param a any  an array on the device; or host data, if b is an array on the device
@param b any  likewise
@param options? {equal_nan: boolean, stream: cuda.Stream}  equal_nan: count two NaNs as equal
@return boolean
@raise LogicError if neither is an array on the device, and for structs
@options equal_nan stream
= cuda.gpuarray.array_split(a, parts, axis)
As split; if the axis cannot be split equally, the first parts have one element more.
@param a any  an array, or host data, which is copied to the device
@param parts integer|integer[]  as for split
@param axis? integer            the axis; default: 1
@return cuda.gpuarray.Array[]
@raise LogicError if positions are beyond the axis
@options axis
= cuda.gpuarray.asin(a, options)
The inverse of sin.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.asinh(a, options)
The inverse of sinh.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.atan(a, options)
The inverse of tan.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.atan2(a, b, options)
The angle of the point (b, a), from -pi to pi.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.atanh(a, options)
The inverse of tanh.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.atleast_1d(...)
Returns views of arrays with at least one axis.
@param ... any  arrays
@return cuda.gpuarray.Array ...  one for each array
= cuda.gpuarray.atleast_2d(...)
Returns views of arrays with at least two axes. New axes come first.
@param ... any  arrays
@return cuda.gpuarray.Array ...  one for each array
= cuda.gpuarray.atleast_3d(...)
Returns views of arrays with at least three axes. A 1-D array gets a new axis on each side, a 2-D array gets one at
the end.
@param ... any  arrays
@return cuda.gpuarray.Array ...  one for each array
= cuda.gpuarray.average(a, options)
The weighted mean of the elements, as NumPy's average: sum(a * weights) / sum(weights). If the weights add up to 0,
the result is NaN or infinite, whereas NumPy raises an error.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array, cuda.gpuarray.Array?
@param a cuda.gpuarray.Array  the array to average, of any shape
@param options? any  {axis, weights, keepdims, returned, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers; default: all axes. weights: an array with a's shape or that of the averaged axes; default: equal weights. returned: return the sum of the weights, too
@return cuda.gpuarray.Array  of the promoted dtype of a and the weights; for integers the default float
@return cuda.gpuarray.Array?  the sums of the weights, with the same shape
@raise LogicError if the shape of the weights does not fit, and as gpuarray.mean
@options allocator axis keepdims out returned stream weights
= cuda.gpuarray.bitwise_and(a, b, options)
Bitwise and of integers and bool.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.bitwise_not(a, options)
Inverts all bits of integers and bool.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.bitwise_or(a, b, options)
Bitwise or of integers and bool.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.bitwise_xor(a, b, options)
Bitwise exclusive or of integers and bool.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.broadcast_arrays(...)
Broadcasts arrays against each other and returns views. Views with repeated elements cannot be written to.
@param ... any  arrays, or one list of them
@return cuda.gpuarray.Array ...  one for each array
@raise LogicError if the shapes do not broadcast
= cuda.gpuarray.broadcast_to(a, ...)
Repeats the elements along axes that have one element, and along new axes before the first. Returns a view, which
cannot be written to.
@param a any  an array, or host data, which is copied to the device
@param ... any  the extents, or one list of them
@return cuda.gpuarray.Array
@raise LogicError if the array's shape does not broadcast to that shape
= cuda.gpuarray.can_cast(from, to)
As dtype.can_cast: returns true if promotion converts one type to another.
@param from any  a dtype or an array
@param to any  a dtype
@return boolean
@raise LogicError if an argument is not a dtype
= cuda.gpuarray.cbrt(a, options)
The cube root.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.ceil(a, options)
Rounds up.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.choose(numbers, choices, options)
For each element, returns the element of the array with that number, as NumPy's choose. All arrays broadcast.
@param numbers cuda.gpuarray.Array  the numbers of the choices: integers from 1; negative ones count from the last
@param choices any[]  the choices: arrays or numbers
@param options? {mode: "raise"|"wrap"|"clip", out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  mode: as for take
@return cuda.gpuarray.Array
@raise LogicError if a number does not have a choice
@options allocator mode="raise"|"wrap"|"clip" out stream
= cuda.gpuarray.clip(a, low, high, options)
minimum(maximum(a, low), high), as NumPy's clip. A bound that is nil does not limit that side.
@param a cuda.gpuarray.Array|number  the values to limit
@param low? cuda.gpuarray.Array|number  the lower bound
@param high? cuda.gpuarray.Array|number  the upper bound
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError for complex numbers, or if all are numbers
@options allocator out stream
= cuda.gpuarray.complex(a, b, options)
Complex numbers with these real and imaginary parts, as torch.complex does: complex64, or complex128 for float64.
@param a cuda.gpuarray.Array|number  the real parts
@param b cuda.gpuarray.Array|number  the imaginary parts
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if one is complex, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.compress(condition, a, options)
Returns the parts along an axis, or the elements of the whole array in C order, for which a condition is true, as
NumPy's compress. The program waits for the condition.
@param condition any  a 1-D array or list of booleans; it may be shorter than the axis
@param a cuda.gpuarray.Array  the array to select from
@param options? {axis: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  axis: default the whole array
@return cuda.gpuarray.Array
@raise LogicError if the condition is true beyond the end of the axis
@options allocator axis out stream
= cuda.gpuarray.concatenate(arrays, axis, options)
Joins arrays along an existing axis.
@param arrays any      a list of arrays with equal shapes, except along the axis; dtypes are promoted
@param axis? integer   the axis, from 1; negative numbers count from the last; default: 1
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: the dtype of the result; out: an array that receives the result, instead of a new one
@return cuda.gpuarray.Array
@raise LogicError for an empty list, and if the shapes do not fit together
@options allocator axis dtype out stream
= cuda.gpuarray.conj(a, options)
The complex conjugate; real numbers are unchanged.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.conjugate(a, options)
The complex conjugate: another name of conj, as in PyCUDA.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.copy(a, options)
Returns a contiguous copy in the array's own layout, as PyCUDA's copy and astype() do.
@param a any  an array, or host data, which is copied to the device
@param options? any  {order: "C"|"F"|"A"|"K", stream: cuda.Stream, allocator: function}, or the order, or the stream. order: K (default) keeps the array's order of axes; C: the last axis changes fastest; F: the first axis does; A: F if the array lies in F order alone, else C
@return cuda.gpuarray.Array
@raise LogicError for another order
@options allocator order="C"|"F"|"A"|"K" stream
= cuda.gpuarray.copysign(a, b, options)
The absolute value of a with the sign of b.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.corrcoef(m, options)
The correlation coefficients of variables, as NumPy's corrcoef: the covariances divided by the standard deviations of
both variables. NaN for a constant variable.
@param m cuda.gpuarray.Array  as for cov
@param options? {y: any, rowvar: boolean, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  y: as for cov. rowvar: as for cov. dtype: as for cov
@return cuda.gpuarray.Array  as for cov; real and imaginary parts are from -1 to 1
@raise LogicError as gpuarray.cov
@options allocator dtype out rowvar stream y
= cuda.gpuarray.cos(a, options)
Cosine of an angle in radians.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.cosh(a, options)
Hyperbolic cosine.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.cospi(a, options)
cos(pi * a).
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.cov(m, options)
The covariance matrix of variables, as NumPy's cov: element (i, j) is the covariance of variables i and j. Each row
is a variable and holds its observations. Without degrees of freedom, for example with a single observation, the
result is NaN. 16-bit floats are computed as float32. Unlike in NumPy, the result of float32 is float32; dtype
changes that.
@param m cuda.gpuarray.Array  a 1-D array (a single variable) or a 2-D array
@param options? {y: any, rowvar: boolean, bias: boolean, ddof: integer, fweights: any, aweights: any, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  y: an array with more variables. rowvar: each row is a variable (default true); false: each column is one. bias: divide by the number n of observations instead of n - 1; ddof: divide by n - ddof. fweights: how often each observation counts, integers; aweights: the weight of each observation. Weights must not be negative, which is checked for host data only. dtype: the dtype of the result
@return cuda.gpuarray.Array  one row and one column for each variable; 0-d for a single variable
@raise LogicError for arrays with more axes, if y or the weights do not fit, if the dtype is not supported, or if out has another shape
@options allocator aweights bias ddof dtype fweights out rowvar stream y
= cuda.gpuarray.cube(a, options)
a * a * a.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.cyl_bessel_i0(a, options)
Modified Bessel function of the first kind, order 0.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.cyl_bessel_i1(a, options)
Modified Bessel function of the first kind, order 1.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.degrees(a, options)
Converts radians to degrees.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.diag(a, k, options)
For a 1-D array, returns a square array with its elements on a diagonal and zeros elsewhere. For a 2-D array, returns
its diagonal as a view.
@param a any  a 1-D or 2-D array
@param k? integer  the diagonal, as for eye
@param options? {stream: cuda.Stream, allocator: function}  allocator: return a copy of a diagonal, too
@return cuda.gpuarray.Array
@raise LogicError for an array that does not have one or two axes
@options allocator k stream
= cuda.gpuarray.diagonal(a, k, axis1, axis2)
Returns the elements on a diagonal of two axes as a view. The diagonal is its last axis.
@param a any  an array, or host data, which is copied to the device
@param k? integer      the diagonal: 0 (default) the main one, positive above it, negative below it
@param axis1? integer  the first axis; default: 1
@param axis2? integer  the second axis; default: 2
@return cuda.gpuarray.Array
@raise LogicError if the two axes do not exist
@options k
= cuda.gpuarray.diff(a, n, options)
The differences of neighbours along an axis, a[i + 1] - a[i], applied n times, as NumPy's diff. Integers wrap around;
for bool, tests whether two neighbours differ.
@param a cuda.gpuarray.Array  an array with at least one axis
@param n? integer  how many times to take differences, non-negative; default: 1. Optional: `a:diff { axis = 1 }`
@param options? {n: integer, axis: integer, prepend: any, append: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  axis: default the last one. prepend: a number, an array or nested lists to add in front of each line. append: elements to add behind each line
@return cuda.gpuarray.Array  with n elements fewer along the axis
@raise LogicError for a 0-d array, an invalid n or axis, and if prepend or append have another shape
@options allocator append axis n out prepend stream
= cuda.gpuarray.div(a, b, options)
a / b, true division: the result for integers is the default float.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.dstack(arrays, options)
Joins arrays along the third axis, which is added to arrays with fewer axes.
@param arrays any  a list of arrays
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for concatenate
@return cuda.gpuarray.Array
@raise LogicError as concatenate
@options allocator dtype out stream
= cuda.gpuarray.eager(on)
Turns eager mode on or off. In eager mode each operation is computed at once instead of whole expressions, which
shows the operation that fails.
@param on? boolean  the new setting; default: leave it unchanged
@return boolean    the setting now
@raise LogicError for anything else
= cuda.gpuarray.empty(shape, dtype, options)
Returns an array with uninitialized elements.
@param shape integer|integer[]  the extents: a list, a number for a 1-D array, or {} for a 0-d array
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  order: C (default): the last axis is contiguous; F: the first axis is; allocator: a function that allocates the memory, instead of the pool that arrays share: it returns any device memory of this library, such as cuda.mem_alloc, pool:allocate in a function, managed memory; stream: the stream that sets the elements; default: the current stream
@return cuda.gpuarray.Array
@raise LogicError for an invalid shape, dtype or option, or memory that is too small; MemoryError; errors of the allocator
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.empty_like(other, dtype, options)
Returns an array with the shape, dtype and layout of another one and with uninitialized elements.
@param other cuda.gpuarray.Array|cuda.ndarray.Array  the array whose shape, dtype and layout are used
@param dtype? any  as for dtype.of; default: the dtype of other
@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream}  order: K (default): the order of axes of other, contiguous; A: F if other lies in F order alone, else C; shape: default: the shape of other; allocator: as for empty
@return cuda.gpuarray.Array
@raise LogicError if other is not an array, and as empty
@options allocator dtype order="C"|"F"|"A"|"K" shape stream
= cuda.gpuarray.eq(a, b, options)
Tests whether a equals b, as bool. NaN does not equal anything.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.erf(a, options)
The error function.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.erfc(a, options)
1 - erf(a), accurate for large numbers.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.erfcinv(a, options)
The inverse of erfc.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.erfcx(a, options)
exp(a^2) * erfc(a).
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.erfinv(a, options)
The inverse of erf.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.eval(...)
Computes the given arrays and returns them, or without arguments computes all pending expressions. One kernel
computes arrays of one shape, and what they share once; each has the values and strides that it has alone. Without
arguments, an expression that cannot be computed is skipped and raises its error when it is used. Of a function,
calls it, computes the arrays that it returns, and returns its results. Inside, reductions of whole arrays wait, so
that one kernel computes several of one array.
@param ... any  the arrays to compute; default: all pending ones. Or a function and its arguments
@return any ...  the arrays in the order of the arguments, or the results of the function
@raise LogicError if an argument is not an array; errors of the function, and of the kernels that compute the given arrays
= cuda.gpuarray.exp(a, options)
e^a.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.exp10(a, options)
10^a.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.exp2(a, options)
2^a.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.expand_dims(a, axes)
Adds axes of one element and returns a view.
@param a any  an array, or host data, which is copied to the device
@param axes integer|integer[]  the positions of the new axes in the new shape; -1: the last one
@return cuda.gpuarray.Array
@raise LogicError for positions that the new shape does not have
@options axis
= cuda.gpuarray.expm1(a, options)
e^a - 1, accurate near 0.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.extract(condition, a, options)
Returns the elements for which a mask is true, in C order, as NumPy's extract. The program waits for the mask.
@param condition any  an array or nested lists, with as many elements as a or with none
@param a cuda.gpuarray.Array  the array to select from
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  1-D
@raise LogicError if the sizes differ
@options allocator stream
= cuda.gpuarray.eye(rows, columns, k, dtype, options)
Returns an array with ones on a diagonal and zeros elsewhere, as NumPy's eye does: eye(rows), eye(rows, columns) or
eye(rows, columns, k), optionally followed by a dtype and options.
@call fun(rows: integer, dtype?: any, options?: table): cuda.gpuarray.Array
@param rows integer  the number of rows
@param columns? integer  the number of columns; default: rows
@param k? integer        the diagonal: 0 (default) the main one, positive above it, negative below it
@param dtype? any        as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: function, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError for extents that are not non-negative integers; MemoryError
@options allocator dtype k order="C"|"F" stream
= cuda.gpuarray.fabs(a, options)
The absolute value, as a float.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.fast_math(on)
Makes later operations faster and less exact, like nvcc's --use_fast_math. Products and sums may be fused into one
rounding, denormals count as 0, and divisions, roots and functions use faster, coarser approximations. Pending
operations are computed first, with the old setting. Kernels of your own are not affected: they have options.
@param on? boolean  the new setting; default: leave it unchanged. Initially it is off
@return boolean    the setting now
@raise LogicError for anything else; errors of the kernels that compute pending operations
= cuda.gpuarray.fdim(a, b, options)
a - b if that is positive, else 0.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.finfo(x)
As dtype.finfo: the limits of a float type.
@param x any  a dtype or an array
@return cuda.dtype.FloatInfo
@raise LogicError for other types
= cuda.gpuarray.flatnonzero(a, options)
Returns the positions of the elements that are not 0 among all elements in C order. The program waits for the array.
@param a cuda.gpuarray.Array  an array of any shape
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  1-D, int64
@options allocator stream
= cuda.gpuarray.flip(a, axes)
Reverses the order of the elements along axes and returns a view.
@param a any  an array, or host data, which is copied to the device
@param axes? integer|integer[]  the axes; default: all
@return cuda.gpuarray.Array
@raise LogicError if an axis is out of range
@options axis
= cuda.gpuarray.fliplr(a)
Reverses the second axis and returns a view.
@param a any  an array, or host data, which is copied to the device
@return cuda.gpuarray.Array
@raise LogicError for an array with fewer than two axes
= cuda.gpuarray.flipud(a)
Reverses the first axis and returns a view.
@param a any  an array, or host data, which is copied to the device
@return cuda.gpuarray.Array
@raise LogicError for a 0-d array
= cuda.gpuarray.floor(a, options)
Rounds down.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.floordiv(a, b, options)
The quotient rounded down. Integer division by 0 gives 0.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.fma(a, b, c, options)
a * b + c, rounded once.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param c cuda.gpuarray.Array|number  the third operand; as the second one
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError for complex numbers, or if all are numbers
@options allocator out stream
= cuda.gpuarray.fmax(a, b, options)
The larger of two numbers; if one is NaN, the other one.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.fmin(a, b, options)
The smaller of two numbers; if one is NaN, the other one.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.fmod(a, b, options)
The remainder of a division rounded towards 0, with the sign of a. For integers, the remainder of division by 0 is
0.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.frexp(a, options)
Splits numbers into mantissa * 2^exponent with 0.5 <= |mantissa| < 1. For 0, infinities and NaN the mantissa is the
number and the exponent is 0.
@param a cuda.gpuarray.Array  the numbers
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array mantissa  of a's dtype, or the default float
@return cuda.gpuarray.Array exponent  int32
@raise LogicError for complex numbers
@options allocator stream
= cuda.gpuarray.from_function(shape, fn, dtype, options)
Returns an array with the values of a function of the indices.
@param shape integer|integer[]  as for empty
@param fn fun(...: integer): any  receives one position for each axis, from 1; called in C order
@param dtype? any  as for dtype.of; default: the dtype that to_gpu chooses for such values
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError that names the element if the dtype cannot hold what fn returned; errors of fn; else as empty
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.full(shape, value, dtype, options)
Returns an array filled with one value.
@param shape integer|integer[]  as for empty
@param value any                a boolean, number, 64-bit integer or complex cdata; or an array, which is broadcast to the shape
@param dtype? any               as for dtype.of; default: the default float for numbers, else the value's own dtype
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError if the dtype cannot hold the value, and as empty
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.full_like(other, value, dtype, options)
Returns an array filled with one value, with the shape, dtype and layout of another one.
@param other cuda.gpuarray.Array|cuda.ndarray.Array  as for empty_like
@param value any   as for full
@param dtype? any  as for dtype.of; default: the dtype of other
@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty_like
@return cuda.gpuarray.Array
@raise LogicError if the dtype cannot hold the value, and as empty_like
@options allocator dtype order="C"|"F"|"A"|"K" shape stream
= cuda.gpuarray.fuse(fn)
Returns a function whose operations run as one kernel, even if there are many, and with all arrays of one shape that
it returns. Plain expressions cannot do that. When you call it with arrays of new dtypes, shapes or layouts, or with
other values, fn is called with arrays that have no values. Its element-wise operations become the kernel. Everything
else that it uses is taken as it is at that time; its own arrays are read when the kernel runs. Conditions on values
are not possible. Results are computed when the call returns, and equal those of fn itself bit for bit. If one kernel
cannot hold all of it (64 arrays, 2,000 operations, no reductions or scans), fn runs as in gpuarray.eval(fn, ...).
@param fn function  a function of arrays and values that returns arrays and values
@return cuda.gpuarray.Fused
@raise LogicError if fn is not a function; calls raise errors of fn, and LogicError if fn needs the value of an array
= cuda.gpuarray.gcd(a, b, options)
The greatest common divisor of integers, which is not negative.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.ge(a, b, options)
a >= b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.gt(a, b, options)
a > b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.heaviside(a, b, options)
0 if a is negative, 1 if it is positive, b if it is 0.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.hstack(arrays, options)
Joins arrays side by side: along the second axis, 1-D arrays along their only axis.
@param arrays any  a list of arrays
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for concatenate
@return cuda.gpuarray.Array
@raise LogicError as concatenate
@options allocator dtype out stream
= cuda.gpuarray.hypot(a, b, options)
sqrt(a*a + b*b), without intermediate overflow.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.identity(n, dtype, options)
Returns a square array with ones on the main diagonal.
@param n integer  the number of rows and columns
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: function, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as eye
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.ieee_remainder(a, b, options)
The remainder of a division rounded to the nearest integer; halves round to even.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.if_positive(criterion, a, b, options)
a if the criterion is greater than 0, else b; as in PyCUDA.
@param criterion cuda.gpuarray.Array|number  an array or a number; it is compared with 0
@param a cuda.gpuarray.Array|number  the value if the criterion is greater than 0
@param b cuda.gpuarray.Array|number  the value otherwise
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError for a complex criterion, if the shapes do not broadcast, or all are numbers
@options allocator out stream
= cuda.gpuarray.iinfo(x)
As dtype.iinfo: the limits of an integer type.
@param x any  a dtype or an array
@return cuda.dtype.IntegerInfo
@raise LogicError for other types
= cuda.gpuarray.ilogb(a, options)
The base-2 exponent, as int32; the lowest int32 for 0 and NaN, the highest for infinities.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.imag(a, options)
The imaginary part; 0 for real numbers.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.interp(x, xp, fp, options)
Piecewise linear interpolation of a function with known values at some points, as NumPy's interp.
@param x any  the coordinates to evaluate: an array, nested lists or a number
@param xp any  the coordinates of the points: 1-D and ascending
@param fp any  the values at the points: 1-D, of the same length; may be complex
@param options? {left: any, right: any, period: number, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  left: the value for x below the first point; default: the first value; right: the value for x above the last point; default: the last value. period: the period of the coordinates; the points may then be unsorted, and left and right are ignored
@return cuda.gpuarray.Array  with x's shape, of the promoted dtype of all three; for integers the default float
@raise LogicError if xp and fp are not 1-D arrays of one length, if they are empty, or if x or xp is complex
@options allocator left out period right stream
= cuda.gpuarray.intersect1d(a, b, options)
The elements that are in both arrays, without duplicates and in ascending order, as NumPy's intersect1d. The program
waits for the number of elements.
@param a any  an array of any shape; one of the two may be nested lists or a host array
@param b any  likewise
@param options? {assume_unique: boolean, indices: boolean, stream: cuda.Stream, allocator: function} assume_unique: neither array has duplicates, which saves a step; indices: return the positions of the first occurrences in a and b, too
@return cuda.gpuarray.Array values  1-D
@return cuda.gpuarray.Array ...  with indices: the positions in a and in b, in C order, from 1; int64
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator assume_unique indices stream
= cuda.gpuarray.is(x)
Returns true if x is an array in device memory. A short name of is_array, for testing a value before you call a
method of an array.
@param x any  any value
@return boolean
= cuda.gpuarray.is_array(x)
Returns true if x is an array in device memory.
@param x any  any value
@return boolean
= cuda.gpuarray.isclose(a, b, options)
Tests element by element whether |a - b| <= atol + rtol * |b|, as NumPy's isclose. Equal infinities are close;
nothing else is close to an infinite b. 32-bit and 64-bit integers are compared in float64, 16-bit floats in float32.
@param a cuda.gpuarray.Array|number  an array of any numeric dtype, or a number
@param b cuda.gpuarray.Array|number  the reference; its shape broadcasts with a's
@param options? {rtol: any, atol: any, equal_nan: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  rtol, atol: numbers or arrays, default 1e-5 and 1e-8; equal_nan: count two NaNs as close
@return cuda.gpuarray.Array  of bool
@raise LogicError if the shapes do not broadcast, or both are numbers
@options allocator atol equal_nan out rtol stream
= cuda.gpuarray.isfinite(a, options)
Tests whether an element is neither infinite nor NaN.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.isin(a, values, options)
Tests for each element whether it is one of the given values, as NumPy's isin. NaN never is, as it does not equal
anything.
@param a any  an array, or host data, if the values are an array
@param values any  the values to look for: an array, nested lists or a number
@param options? {invert: boolean, assume_unique: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  invert: test whether an element is not among the values; assume_unique: accepted for NumPy's sake, without effect
@return cuda.gpuarray.Array  of bool, with a's shape
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator assume_unique invert out stream
= cuda.gpuarray.isinf(a, options)
Tests for infinity.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.isnan(a, options)
Tests for NaN.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.j0(a, options)
Bessel function of the first kind, order 0.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.j1(a, options)
Bessel function of the first kind, order 1.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.jn(n, a, options)
Bessel function of the first kind, order n.
@param n cuda.gpuarray.Array|integer  the order, an integer
@param a cuda.gpuarray.Array|number  the argument of the function
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.lcm(a, b, options)
The least common multiple of integers, which is not negative.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.ldexp(a, b, options)
a * 2^b. Float exponents are converted to integers by rounding towards 0, as in PyCUDA.
@param a cuda.gpuarray.Array|number  the numbers to scale
@param b cuda.gpuarray.Array|integer  the exponents: an array of integers or floats, or an integer
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.le(a, b, options)
a <= b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.left_shift(a, b, options)
Shifts the bits of a left by b places; 0 if b is negative or at least the number of bits.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.lgamma(a, options)
The logarithm of the absolute value of the gamma function.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.linspace(start, stop, num, dtype, options)
Returns `num` evenly spaced numbers, as NumPy's linspace does: computed in float64, the last one exactly `stop`.
@param start number  the first number
@param stop number   the last number; excluded if endpoint is false
@param num? integer  the number of elements; default: 50
@param dtype? any    as for dtype.of; default: dtype.default_float(); for integers, numbers are rounded down
@param options? {dtype: any, endpoint: boolean, allocator: function, stream: cuda.Stream}  endpoint: include `stop`; default true; allocator: as for empty
@return cuda.gpuarray.Array
@raise LogicError for numbers that are not finite, and for those that the dtype cannot hold; MemoryError
@options allocator dtype endpoint num stream
= cuda.gpuarray.load(path, name)
Loads the array of a .npy file, or the arrays of an .npz file, to the device.
@param path string  the file
@param name? string  for an .npz file: the array to load; default: all, in a table by name
@return cuda.gpuarray.Array|table<string, cuda.gpuarray.Array>
@raise LogicError if the file has another format, RuntimeError if it cannot be read
= cuda.gpuarray.log(a, options)
The natural logarithm.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.log10(a, options)
The base-10 logarithm.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.log1p(a, options)
log(1 + a), accurate near 0.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.log2(a, options)
The base-2 logarithm.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.logaddexp(a, b, options)
log(exp(a) + exp(b)).
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logaddexp2(a, b, options)
log2(2^a + 2^b).
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logb(a, options)
The base-2 exponent, as a float.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.logical_and(a, b, options)
Tests whether both are true, as bool. Every value but 0 is true, NaN too.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logical_not(a, options)
Tests whether an element is false, as bool. Only 0 is false.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.logical_or(a, b, options)
Tests whether at least one is true, as bool. Every value but 0 is true, NaN too.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logical_xor(a, b, options)
Tests whether exactly one is true, as bool. Every value but 0 is true, NaN too.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logspace(start, stop, num, dtype, options)
Returns `num` numbers from base ^ start to base ^ stop with evenly spaced exponents, as NumPy's logspace does.
@param start number  the first exponent
@param stop number   the last exponent, as for linspace
@param num? integer  the number of elements; default: 50
@param dtype? any    as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, endpoint: boolean, base: number, stream: cuda.Stream, allocator: function}  endpoint: as for linspace; base: default 10
@return cuda.gpuarray.Array
@raise LogicError for numbers that are not finite; MemoryError
@options allocator base dtype endpoint num stream
= cuda.gpuarray.lt(a, b, options)
a < b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.masked_fill(a, mask, value, options)
Returns an array with one value where a mask is true, as PyTorch's masked_fill, in the array's own dtype. `{ out = a
}` writes to the array itself.
@param a cuda.gpuarray.Array  the array, of any shape
@param mask any  an array of bool or of numbers, which are true unless they are 0; broadcasts to a's shape
@param value any  a number, or a 0-d array on the device or the host. Integers from an array wrap around
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError if the mask does not broadcast to a's shape, for a number that the dtype cannot hold, and for an array of a higher kind. Convert float to integer and complex to real with astype()
@options allocator out stream
= cuda.gpuarray.maximum(a, b, options)
The larger of two numbers; NaN if one is NaN; -0 is less than 0.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.meshgrid(...)
Returns one array for each argument, with its elements repeated over the grid that all of them span, as NumPy's
meshgrid does.
@param ... any  1-D arrays (0-d arrays count as 1-D); a last argument {indexing = "xy"|"ij", sparse = boolean, copy = boolean, stream = cuda.Stream, allocator = function}: xy (default): the first array varies along the second axis; sparse: give the axes of the other arrays an extent of 1; copy = false: return views with repeated elements, which cannot be written to; allocator: return copies
@return cuda.gpuarray.Array ...  one for each array
@raise LogicError for arrays with more axes
@options allocator copy indexing="xy"|"ij" sparse stream
= cuda.gpuarray.minimum(a, b, options)
The smaller of two numbers; NaN if one is NaN; -0 is less than 0.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.mod(a, b, options)
The remainder of floordiv, with the sign of b: a % b.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.modf(a, options)
Splits numbers into a fractional and an integral part, both with the sign of the number.
@param a cuda.gpuarray.Array  the numbers
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array fraction  with an absolute value less than 1
@return cuda.gpuarray.Array whole
@raise LogicError for complex numbers
@options allocator stream
= cuda.gpuarray.moveaxis(a, source, destination)
Moves axes to other positions and returns a view. The other axes keep their order.
@param a any  an array, or host data, which is copied to the device
@param source integer|integer[]  the axes to move
@param destination integer|integer[]  their new positions, one for each axis
@return cuda.gpuarray.Array
@raise LogicError if an axis or a position is out of range
= cuda.gpuarray.mul(a, b, options)
a * b. Integers wrap around; for bool, a and b.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.mul_add(a, selffac, other, otherfac, options)
a * selffac + other * otherfac; as in PyCUDA.
@param a cuda.gpuarray.Array  the first array
@param selffac cuda.gpuarray.Array|number  the factor of a
@param other cuda.gpuarray.Array  the second array
@param otherfac cuda.gpuarray.Array|number  the factor of other
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, or the shapes do not broadcast
@options allocator out stream
= cuda.gpuarray.multi_put(arrays, dest_indices, options)
PyCUDA's multi_put: writes the elements of several arrays to the same positions of as many other arrays. If a
position appears more than once, the last element stays.
@param arrays cuda.gpuarray.Array[]  a list of arrays with the elements to write
@param dest_indices any  positions as for take, one for each element of an array
@param options? {dest_shape: integer|integer[], out: cuda.gpuarray.Array[]}  dest_shape: the shape of new arrays, which are 0 where nothing is written; out: a list of arrays to write to, instead of new ones
@return cuda.gpuarray.Array[]
@raise LogicError as put; in this case nothing is written
@options dest_shape out
= cuda.gpuarray.multi_take(arrays, indices, options)
PyCUDA's multi_take: returns the elements at the same positions of several arrays.
@param arrays cuda.gpuarray.Array[]  a list of arrays
@param indices any  positions as for take, of the whole array in C order
@param options? {out: cuda.gpuarray.Array[]}  out: a list of arrays that receive the elements
@return cuda.gpuarray.Array[]
@raise LogicError as take
@options out
= cuda.gpuarray.multi_take_put(arrays, dest_indices, src_indices, options)
PyCUDA's multi_take_put: out[k][dest_indices] = arrays[k][src_indices + src_offsets[k]].
@param arrays cuda.gpuarray.Array[]  a list of arrays
@param dest_indices any  positions as for take
@param src_indices any  positions as for take, one for each of dest_indices
@param options? {dest_shape: integer|integer[], out: cuda.gpuarray.Array[], src_offsets: integer[]}  dest_shape: as for multi_put; out: as for multi_put; src_offsets: a number for each array, which is added to src_indices
@return cuda.gpuarray.Array[]
@raise LogicError as take and put; in this case nothing is written
@options dest_shape out src_offsets
= cuda.gpuarray.nan_to_num(a, options)
Replaces NaN and infinities with finite numbers, as NumPy's nan_to_num; in complex numbers, replaces each part.
@param a cuda.gpuarray.Array  the array, of any shape
@param options? {nan: number, posinf: number, neginf: number, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  nan: replaces NaN; default: 0. posinf: replaces infinity; default: the largest finite number of the dtype. neginf: replaces negative infinity; default: the lowest finite number
@return cuda.gpuarray.Array  of a's dtype
@raise LogicError if a replacement is not a number
@options allocator nan neginf out posinf stream
= cuda.gpuarray.ne(a, b, options)
Tests whether a differs from b, as bool. NaN differs from everything.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.neg(a, options)
a. Integers wrap around; bool is not supported.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.newaxis field
@type any
used in an index, adds an axis of extent 1
= cuda.gpuarray.nextafter(a, b, options)
The next number of this dtype after a, in the direction of b.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.nonzero(a, options)
Returns the positions of the elements that are not 0 (true): one array of positions for each axis, in C order.
`a[{gpuarray.nonzero(m)}]` selects these elements. The program waits for the array.
@param a cuda.gpuarray.Array  an array with at least one axis
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array ...  one for each axis of a; 1-D, int64
@raise LogicError for a 0-d array
@options allocator stream
= cuda.gpuarray.normcdf(a, options)
The cumulative standard normal distribution.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.normcdfinv(a, options)
The inverse of normcdf.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.ones(shape, dtype, options)
Returns an array of ones (of true for bool).
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as empty
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.ones_like(other, dtype, options)
Returns an array of ones (of true for bool) with the shape, dtype and layout of another one.
@param other cuda.gpuarray.Array|cuda.ndarray.Array  as for empty_like
@param dtype? any  as for dtype.of; default: the dtype of other
@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty_like
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as empty_like
@options allocator dtype order="C"|"F"|"A"|"K" shape stream
= cuda.gpuarray.pad(a, width, mode, options)
Returns the array with a border around it.
@param a any  an array, or host data, which is copied to the device
@param width any     the number of elements to add: a number, {before, after} for all axes, or a list of these for each axis
@param mode? string  what the border holds: "constant" (default); "edge": the nearest element. "reflect" mirrors at the outermost elements, "symmetric" behind them. "wrap": elements from the other end; "empty": uninitialized elements
@param options? {constant_values: any, stream: cuda.Stream, allocator: function}  constant_values: the value of a constant border, default 0
@return cuda.gpuarray.Array
@raise LogicError for invalid widths or modes, and if an axis has no elements to fill the border with
@options allocator constant_values stream
= cuda.gpuarray.place(a, condition, values, options)
Writes values one after the other to the elements for which a mask is true, in C order, as NumPy's place. The program
waits for the mask.
@param a cuda.gpuarray.Array  the array to write to
@param condition any  the mask: an array or nested lists, with as many elements as a
@param values any  an array, nested lists or a number; repeated if there are too few
@param options? {stream: cuda.Stream}
@return cuda.gpuarray.Array a
@raise LogicError if the sizes differ, or if the mask is true somewhere and there are no values
@options stream
= cuda.gpuarray.pos(a, options)
A copy of the elements, unchanged.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.pow(a, b, options)
a^b. Integers wrap around; a negative power of an integer is 0, except for 1 and -1.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.put(a, indices, values, options)
Writes to the elements at the given positions of the whole array in C order, as NumPy's put. If a position appears
more than once, its last value stays.
@param a cuda.gpuarray.Array  the array to write to
@param indices any  as for take
@param values any  an array, nested lists or a number; repeated in C order if there are fewer values than positions
@param options? {mode: "raise"|"wrap"|"clip", stream: cuda.Stream}  mode: as for take
@return cuda.gpuarray.Array a
@raise LogicError as take; in this case nothing is written
@options mode="raise"|"wrap"|"clip" stream
= cuda.gpuarray.put_along_axis(a, indices, values, axis, options)
Writes to elements of each line along an axis, at separate positions for each line, as NumPy's put_along_axis.
@param a cuda.gpuarray.Array  the array to write to
@param indices any    as for take_along_axis
@param values any  an array, nested lists or a number that broadcasts to the shape of indices
@param axis? integer  the axis; default: the last one
@param options? {stream: cuda.Stream}
@return cuda.gpuarray.Array a
@raise LogicError as take; in this case nothing is written
@options axis stream
= cuda.gpuarray.putmask(a, condition, values, options)
Writes a value to each element for which a mask is true, as NumPy's putmask. The value comes from the same position
among the values, which are repeated.
@param a cuda.gpuarray.Array  the array to write to
@param condition any  the mask: an array or nested lists, with as many elements as a
@param values any  an array, nested lists or a number
@param options? {stream: cuda.Stream}
@return cuda.gpuarray.Array a
@raise LogicError if the sizes differ, or if there are no values
@options stream
= cuda.gpuarray.radians(a, options)
Converts degrees to radians.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.ravel(a, order)
Returns all elements as a 1-D array: as a view if the layout allows it, else as a copy.
@param a any  an array, or host data, which is copied to the device
@param order? "C"|"F"|"A"|"K"  the order of the elements. "C" (default): the last axis changes fastest; "F": the first axis does. "A": "F" if the array lies in F order alone, else "C". "K": as they lie in memory
@return cuda.gpuarray.Array
= cuda.gpuarray.ravel_multi_index(indices, shape, options)
Converts positions on each axis of a shape to positions among all its elements, as NumPy's ravel_multi_index.
@param indices any[]  for each axis, an array of integers, nested lists or a number, as for unravel_index; they broadcast
@param shape integer|integer[]  the shape that the positions refer to
@param options? {mode: "raise"|"wrap"|"clip", order: "C"|"F", stream: cuda.Stream, allocator: function}  mode: as for take; "raise" (default) waits for the check. order: as for unravel_index
@return cuda.gpuarray.Array  int64, from 1
@raise LogicError if positions are out of range, or an axis has no positions
@options allocator mode="raise"|"wrap"|"clip" order="C"|"F" stream
= cuda.gpuarray.rcbrt(a, options)
1 / cbrt(a).
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.real(a, options)
The real part.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.reciprocal(a, options)
1 / a.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.repeat_(a, times, axis, options)
Repeats each element several times in a row. The name ends with an underscore because `repeat` is a keyword of Lua.
@param a any  an array, or host data, which is copied to the device
@param times integer|integer[]  the number of repetitions; a list has one for each position of the axis
@param axis? integer            the axis; default: repeat the elements of the whole array along one axis
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for a value that is not a non-negative integer, or a list of another length
@options allocator axis stream
= cuda.gpuarray.reshape(a, ...)
Returns the same elements with another shape: as a view if the layout allows it, else as a copy.
@param a any  an array, or host data, which is copied to the device
@param ... any  the extents, or one list of them; one may be -1 and is computed from the others. A last argument {order = "F"} takes the elements with the first axis changing fastest. Default "C": the last axis does; "A": "F" if the array lies in F order alone, else "C"
@return cuda.gpuarray.Array
@raise LogicError if the sizes differ
@options order="F"
= cuda.gpuarray.result_type(...)
As dtype.result_type: the dtype of an operation on all arguments together.
@param ... any  arrays, dtypes or numbers
@return cuda.dtype.DType
@raise LogicError without arguments, for struct types, and if an integer type cannot hold a number
= cuda.gpuarray.reverse(a, options)
Returns a copy of the elements in reversed order, as PyCUDA's reverse() does.
@param a any  an array, or host data, which is copied to the device
@param options? {stream: cuda.Stream, allocator: function}|cuda.Stream
@return cuda.gpuarray.Array
@options allocator stream
= cuda.gpuarray.rhypot(a, b, options)
1 / hypot(a, b).
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.right_shift(a, b, options)
Shifts the bits of a right by b places. If b is negative or at least the number of bits, all bits are the sign.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.rint(a, options)
Rounds to the nearest integer; halves round to even.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.roll(a, shift, axes, options)
Shifts the elements along axes. Elements that leave at one end come back at the other.
@param a any  an array, or host data, which is copied to the device
@param shift integer|integer[]  the number of positions; positive shifts towards the end
@param axes? integer|integer[]  the axes; default: shift the elements of the whole array in C order
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError if an axis is out of range, or there is neither one shift nor one for each axis
@options allocator axis stream
= cuda.gpuarray.rot90(a, k, axes)
Rotates the array by multiples of 90 degrees in the plane of two axes, from the first towards the second, and returns
a view.
@param a any  an array, or host data, which is copied to the device
@param k? integer       the number of quarter turns; default: 1; negative: the other way
@param axes? integer[]  the two axes; default: {1, 2}
@return cuda.gpuarray.Array
@raise LogicError if the two axes do not exist
@options axis k
= cuda.gpuarray.round(a, decimals, options)
Rounds to the given number of decimals, as NumPy's round does; halves round to even. Integers are exact. 16-bit
floats are computed as float32. A number whose scaled value would overflow is unchanged.
@param a cuda.gpuarray.Array  the numbers
@param decimals? integer  the number of decimals; default: 0; -2 rounds to hundreds. You can omit it: `a:round { out = b }`
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array  of a's dtype
@raise LogicError if decimals is not an integer
@options allocator out stream
= cuda.gpuarray.round_away(a, options)
Rounds to the nearest integer; halves round away from 0, as C's round() does.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.rsqrt(a, options)
1 / sqrt(a).
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.save(path, a)
Saves an array to a .npy file.
@param path string  the file
@param a any  an array
@raise LogicError if a is not an array, RuntimeError if the file cannot be written
= cuda.gpuarray.scalar(value, dtype)
Returns a 0-d array with one value. Unlike a plain number it has a dtype that takes part in promotion.
@param value any   a boolean, number, 64-bit integer or complex cdata
@param dtype? any  as for dtype.of; default: as for full
@return cuda.gpuarray.Array
@raise LogicError if the dtype cannot hold the value
@options dtype
= cuda.gpuarray.scope(fn, ...)
Calls fn(...) and frees the memory of the arrays made inside, except for those that it returns. Returned arrays, and
arrays in returned tables, are computed and stay valid. Using another array of the scope afterwards is an error. An
array belongs to the scope where its expression is written, even if it is computed elsewhere; arrays made outside
stay valid. A coroutine that fn resumes has its own scopes.
@param fn function  the function to call
@param ... any  the arguments of fn
@return any ...  the results of fn
@raise errors of fn, and of the kernels that compute its results; the arrays that it made are then freed, too
= cuda.gpuarray.searchsorted(a, values, options)
The insertion positions of values in a sorted array, as NumPy's searchsorted: the position of the first element that
is not less, or with side "right", that is greater. If no element is, the position is one more than the number of
elements. NaNs are sorted to the end.
@param a cuda.gpuarray.Array  a 1-D array in ascending order
@param values any  the values to insert: an array, nested lists or a number; they may be outside the range of a's integer type
@param options? {side: "left"|"right", stream: cuda.Stream, allocator: function}  side: "left" (default): before equal elements; "right": behind them
@return cuda.gpuarray.Array  int64, with the shape of values
@raise LogicError if a is not a 1-D array, and for complex types
@options allocator side="left"|"right" stream
= cuda.gpuarray.select(conditions, choices, default, options)
For each element, returns the choice of the first condition that is true, as NumPy's select. The result is one
expression.
@param conditions cuda.gpuarray.Array[]  a list of arrays of bool
@param choices any[]  a list of as many arrays or numbers; all of them broadcast
@param default? any  an array or a number, for elements where no condition is true; default: 0
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError if the lists are empty or have different lengths, and if dtypes or shapes do not fit
@options allocator stream
= cuda.gpuarray.setdiff1d(a, b, options)
The elements of an array that are not in another one, without duplicates and in ascending order, as NumPy's
setdiff1d. The program waits for the number of elements.
@param a any  an array of any shape; one of the two may be nested lists or a host array
@param b any  likewise
@param options? {assume_unique: boolean, stream: cuda.Stream, allocator: function}  assume_unique: neither array has duplicates; the elements of a keep their order
@return cuda.gpuarray.Array  1-D
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator assume_unique stream
= cuda.gpuarray.setxor1d(a, b, options)
The elements that are in exactly one of two arrays, without duplicates and in ascending order, as NumPy's setxor1d.
The program waits for the number of elements.
@param a any  an array of any shape; one of the two may be nested lists or a host array
@param b any  likewise
@param options? {assume_unique: boolean, stream: cuda.Stream, allocator: function}  assume_unique: neither array has duplicates, which saves a step
@return cuda.gpuarray.Array  1-D
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator assume_unique stream
= cuda.gpuarray.sign(a, options)
The sign: -1, 0 or 1; NaN for NaN. For a complex number, the number of magnitude 1 with the same angle.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.signbit(a, options)
Tests whether the sign is negative; true for -0, too.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.sin(a, options)
Sine of an angle in radians.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.sinc(a, options)
sin(pi * a) / (pi * a), and 1 at 0, as NumPy's sinc; exactly 0 at the other integers.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.sinh(a, options)
Hyperbolic sine.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.sinpi(a, options)
sin(pi * a).
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.source(x)
Returns the CUDA C source of the kernel that computes an expression alone, without running it.
@param x cuda.gpuarray.Array  an array that is not computed yet
@return string
@raise LogicError for an array that is already computed; errors of its evaluation
= cuda.gpuarray.splay(n, dev)
Returns a grid for n elements, as PyCUDA's splay does, for kernels with a grid-stride loop: as many blocks as the
device runs at once, or fewer.
@param n integer  the number of elements
@param dev? cuda.Device  default: the device of the current context
@return integer grid   the number of blocks
@return integer block  threads in each block
@raise LogicError if n is not a non-negative integer
= cuda.gpuarray.split(a, parts, axis)
Splits an array along an axis and returns the parts as views.
@param a any  an array, or host data, which is copied to the device
@param parts integer|integer[]  the number of parts of equal size; or the positions at which all parts but the last end
@param axis? integer            the axis; default: 1
@return cuda.gpuarray.Array[]
@raise LogicError if the axis cannot be split so
@options axis
= cuda.gpuarray.sqrt(a, options)
The square root; NaN for a negative real number.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.square(a, options)
a * a.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.squeeze(a, axes)
Removes axes of one element and returns a view.
@param a any  an array, or host data, which is copied to the device
@param axes? integer|integer[]  the axes to remove; default: all axes that have one element
@return cuda.gpuarray.Array
@raise LogicError if an axis is out of range or does not have exactly one element
@options axis
= cuda.gpuarray.stack(arrays, axis, options)
Joins arrays along a new axis.
@param arrays any      a list of arrays of one shape; dtypes are promoted
@param axis? integer   the position of the new axis in the result; default: 1
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for concatenate
@return cuda.gpuarray.Array
@raise LogicError for an empty list, and if the shapes differ
@options allocator axis dtype out stream
= cuda.gpuarray.sub(a, b, options)
a - b. Integers wrap around; bool is not supported.
@param a cuda.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
@param b cuda.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.swapaxes(a, axis1, axis2)
Exchanges two axes and returns a view.
@param a any  an array, or host data, which is copied to the device
@param axis1 integer  the first axis
@param axis2 integer  the second axis
@return cuda.gpuarray.Array
@raise LogicError if an axis is out of range
= cuda.gpuarray.take(a, indices, options)
Returns the elements at the given positions, along an axis or in the whole array in C order, as NumPy's take. If
positions are checked (mode "raise"), the program waits for the kernel.
@param a cuda.gpuarray.Array  the array, of any shape
@param indices any  the positions: an array of integers on the device or the host, nested lists, or a number; from 1, negative ones from the end. Their shape replaces the axis
@param options? {axis: integer, mode: "raise"|"wrap"|"clip", out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  axis: default the whole array; mode: how to treat a position out of range: "raise" (default): raise an error; "wrap": count on from the other end; "clip": use the first or the last position (for negative ones the first)
@return cuda.gpuarray.Array
@raise LogicError for positions out of range, or of a type or shape that does not fit
@options allocator axis mode="raise"|"wrap"|"clip" out stream
= cuda.gpuarray.take_along_axis(a, indices, axis, options)
Returns elements of each line along an axis, at separate positions for each line, as NumPy's take_along_axis. Use it
with the result of argsort or argmin.
@param a cuda.gpuarray.Array  the array, with at least one axis
@param indices any  positions as for take, with as many axes as a; broadcast to a's shape except along the axis
@param axis? integer  the axis; default: the last one
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError as take
@options allocator axis stream
= cuda.gpuarray.tan(a, options)
Tangent of an angle in radians.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.tanh(a, options)
Hyperbolic tangent.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.tgamma(a, options)
The gamma function.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.tile(a, ...)
Repeats the array as a tile along each axis.
@param a any  an array, or host data, which is copied to the device
@param ... any  the number of repetitions along each axis, or one list of them. If there are fewer than axes, they apply to the last axes. If there are more, the array gets new axes in front. A last argument {stream = cuda.Stream, allocator = function}
@return cuda.gpuarray.Array
@raise LogicError for a value that is not a non-negative integer
@options allocator stream
= cuda.gpuarray.to_gpu(values, dtype, options)
Copies host data to the device and returns it as an array.
@param values any  a host array, nested tables or a value (0-d); an FFI array or struct, a string, {ptr =, nbytes =} or an object with :buffer(), whose bytes are taken (FFI elements of another type are converted); a function of the position, as for from_function; or a device array, which is copied
@param dtype? any  as for dtype.of; default: the dtype of the data, for numbers dtype.default_float()
@param options? {dtype: any, order: "C"|"F", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream}  order: default: the order of the data; shape: the shape of data from buffers and functions; allocator: as for empty
@return cuda.gpuarray.Array
@raise LogicError if values are not array data; MemoryError
@options allocator dtype order="C"|"F" shape stream
= cuda.gpuarray.to_gpu_async(values, stream, options)
Copies host data to the device in stream order and returns an array. Returns at once if the data is in page-locked
memory. Do not change the data before the stream has finished the copy.
@param values any  as for to_gpu
@param stream? cuda.Stream  default: the current stream
@param options? {dtype: any, order: "C"|"F", shape: integer[], allocator: fun(bytes: integer): any}  as for to_gpu
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as to_gpu
@options allocator dtype order="C"|"F" shape
= cuda.gpuarray.transpose(a, ...)
Transposes the array: permutes its axes and returns a view.
@param a any  an array, or host data, which is copied to the device
@param ... any  the axes in their new order, or one list of them; default: the reverse order
@return cuda.gpuarray.Array
@raise LogicError if each axis does not appear exactly once
= cuda.gpuarray.tri(rows, columns, k, dtype, options)
Returns an array with ones on and below a diagonal and zeros above it.
@param rows integer  the number of rows
@param columns? integer  the number of columns; default: rows
@param k? integer        the diagonal, as for eye
@param dtype? any        as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for extents that are not non-negative integers; MemoryError
@options allocator dtype k stream
= cuda.gpuarray.trunc(a, options)
Rounds towards 0.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.union1d(a, b, options)
The elements that are in at least one of two arrays, without duplicates and in ascending order, as NumPy's union1d.
The program waits for the number of elements.
@param a any  an array of any shape; one of the two may be nested lists or a host array
@param b any  likewise
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  1-D
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator stream
= cuda.gpuarray.unravel_index(indices, shape, options)
Converts positions among all elements of a shape to positions on each axis, as NumPy's unravel_index. Use it with the
result of argmin of a whole array. The program waits for the check of the positions.
@param indices any  an array of integers on the device or the host, nested lists, or a number; from 1, negative ones from the end
@param shape integer|integer[]  the shape that the positions refer to
@param options? {order: "C"|"F", stream: cuda.Stream, allocator: function}  order: "C" (default): the last axis changes fastest; "F": the first axis does
@return cuda.gpuarray.Array ...  one for each axis: int64, from 1, with the shape of indices
@raise LogicError for positions out of range, and for an invalid shape
@options allocator order="C"|"F" stream
= cuda.gpuarray.unstack(a, axis)
Returns the parts along an axis as a list of views without that axis, as unstack of the array API standard does. The
inverse of stack().
@param a any  an array, or host data, which is copied to the device
@param axis? integer  the axis; default: 1
@return cuda.gpuarray.Array[]
@raise LogicError for a 0-d array, and if an axis is out of range
@options axis
= cuda.gpuarray.vec field
@type cuda.vec
CUDA's vector types, as element types
= cuda.gpuarray.vstack(arrays, options)
Joins arrays below each other: along the first axis, 1-D arrays as rows.
@param arrays any  a list of arrays
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for concatenate
@return cuda.gpuarray.Array
@raise LogicError as concatenate
@options allocator dtype out stream
= cuda.gpuarray.where(c, a, b, options)
where(c, a, b) selects elements of a where c is true (not 0), and of b elsewhere; all three broadcast. where(c) is
nonzero(c).
@param c cuda.gpuarray.Array  the condition
@param a? any  an array or a number, for elements where c is true
@param b? any  an array or a number, for all other elements
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array ...
@raise LogicError if shapes or types do not fit
@options allocator out stream
= cuda.gpuarray.wrap(memory, shape, dtype, options)
Wraps device memory that other code owns in an array, without a copy. Writes go to this memory. As other code may
write to it at any time, operations on the array are computed at once.
@param memory any  memory of this library (mem_alloc, pools, managed or page-locked), a DevicePointer, an address as a number, or an object with get_pointer()
@param shape integer|integer[]  as for empty
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, strides: integer[], order: "C"|"F", offset: integer, base: any}  strides: bytes from one element to the next on each axis, instead of order; offset: bytes from the start of the memory to the first element, default 0; base: an object kept alive with the array
@return cuda.gpuarray.Array
@raise LogicError if the array extends beyond the memory, if its size is known, or is not aligned to its elements
@options base dtype offset order="C"|"F" strides
= cuda.gpuarray.y0(a, options)
Bessel function of the second kind, order 0.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.y1(a, options)
Bessel function of the second kind, order 1.
@param a cuda.gpuarray.Array  an array of any shape
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.yn(n, a, options)
Bessel function of the second kind, order n.
@param n cuda.gpuarray.Array|integer  the order, an integer
@param a cuda.gpuarray.Array|number  the argument of the function
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.zeros(shape, dtype, options)
Returns an array of zeros (of false for bool).
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as empty
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.zeros_like(other, dtype, options)
Returns an array of zeros (of false for bool) with the shape, dtype and layout of another one.
@param other cuda.gpuarray.Array|cuda.ndarray.Array  as for empty_like
@param dtype? any  as for dtype.of; default: the dtype of other
@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty_like
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as empty_like
@options allocator dtype order="C"|"F"|"A"|"K" shape stream
= cuda.operation_options class
Options of operations. You can pass a stream instead of the table.
@field out? cuda.gpuarray.Array  an array that receives the result, instead of a new one
@field stream? cuda.Stream  the stream to compute the result in, at once
@field allocator? fun(bytes: integer): any  allocates the memory of the result, as for gpuarray.empty
= cuda.DebugMemoryPool class
A DeviceMemoryPool that shows where memory is allocated: each time it requests more memory from the driver, it writes
the memory in use, by the place of the allocation.
@call fun(options?: {interactive: boolean, logfile: file*}): cuda.DebugMemoryPool  interactive: wait for the Enter key after each report, default false; logfile: any object with :write(), default io.stderr
@options interactive logfile
= cuda.DebugMemoryPool:allocate(bytes, stream)
Allocates device memory from the pool, and writes a report if the pool had to request it from the driver.
@param bytes integer  the size in bytes, at least 1
@param stream? cuda.Stream  default: the current stream
@return cuda.PooledDeviceAllocation
@raise MemoryError, LogicError as DeviceMemoryPool:allocate
= cuda.DebugMemoryPool:histogram()
Returns the memory in use by the places where it was allocated.
@return {place: string, count: integer, bytes: integer}[]  most bytes first; place: "file:line" of the callers, the nearest first
= cuda.DebugMemoryPool:report()
Writes the histogram to the log.
= cuda.DeviceAllocation:free_async(stream)
cuMemFreeAsync: frees memory of mem_alloc_async() or of a MemoryPool in stream order. The stream first waits for the
work of all other streams with this memory.
@param stream? cuda.Stream  default: the stream of the allocation
@raise LogicError if it was already freed, for other memory, and in a stream that is being captured
= cuda.DeviceMemoryPool class
Keeps freed blocks of mem_alloc() by size. It belongs to the context that is current when you create it. A freed
block is reused at once, unless streams other than the one that requests it have pending work with it.
@call fun(): cuda.DeviceMemoryPool
@field held_blocks integer  free blocks that the pool holds
@field held_bytes integer  bytes in the free blocks
@field active_blocks integer  blocks in use
@field active_bytes integer  requested bytes of the blocks in use
@field managed_bytes integer  bytes of all blocks, free or in use
= cuda.DeviceMemoryPool:alloc_size(bin)
Returns the size of the blocks in a bin.
@param bin integer  the number of a bin, as returned by bin_number()
@return integer  bytes
@raise LogicError if it is not a bin
= cuda.DeviceMemoryPool:allocate(bytes, stream)
Allocates device memory for work in a stream. Work in other streams has to wait for that stream's earlier work.
@param bytes integer  the size in bytes, at least 1
@param stream? cuda.Stream  default: the current stream
@return cuda.PooledDeviceAllocation
@raise MemoryError as mem_alloc, after the pool has released all its free blocks; LogicError if the pool's context is not current
= cuda.DeviceMemoryPool:bin_number(size)
Returns the bin of a size. A block has the size of the largest member of its bin.
@param size integer  the size in bytes
@return integer  there are 16 bins for each power of two: 16 times the exponent of 2, plus the next four bits
@raise LogicError if it is not a size
= cuda.DeviceMemoryPool:close()
Closes the pool. Blocks in use stay valid until they are freed.
@raise LogicError if it was already closed
= cuda.DeviceMemoryPool:free_held()
cuMemFree of all unused blocks that the pool holds.
@raise LogicError if the pool was closed
= cuda.DeviceMemoryPool:stop_holding()
Stops holding blocks: frees the unused blocks now, and every other block when it is returned.
@raise LogicError if the pool was closed
= cuda.HostAllocator class
Allocates the memory of a PageLockedMemoryPool.
@field flags integer  flags of cuda.host_alloc_flags
= cuda.MemoryPool class
A memory pool of the driver: memory that is freed in a stream stays in the pool for later allocations. A dropped pool
is destroyed when the last of its memory is freed. Locations other than "device" require a driver of CUDA 13.0.
@call fun(options?: cuda.MemoryPoolOptions): cuda.MemoryPool
@options device location="device"|"host"|"host_numa"|"none"|"device"|"host"|"host_numa"|"none" managed max_size numa_node="host_numa" release_threshold shareable="device"|"host_numa"
= cuda.MemoryPool:alloc(bytes, stream)
cuMemAllocFromPoolAsync: as cuda.mem_alloc_async(), with memory of this pool.
@param bytes integer  the size in bytes, at least 1
@param stream? cuda.Stream  default: the current stream
@return cuda.DeviceAllocation
@raise MemoryError, LogicError as mem_alloc_async
= cuda.MemoryPool:close()
cuMemPoolDestroy. Memory that is in use stays valid until it is freed.
@raise LogicError if it was already closed, and for the default pool of a device
= cuda.MemoryPool:get_attribute(attribute)
cuMemPoolGetAttribute.
@param attribute integer|string  cuda.mempool_attribute, or its name: "used_mem_current", "reserved_mem_high" ...
@return integer|boolean  bytes (math.huge for no limit), or a boolean for reuse_...
@raise LogicError for another name
= cuda.MemoryPool:get_device()
Returns the device of the pool.
@return cuda.Device  the device that has the memory, or that has access to it
= cuda.MemoryPool:handle()
The driver's handle.
@return number  the CUmemoryPool as a number, for other libraries
= cuda.MemoryPool:make_current()
cuDeviceSetMemPool: mem_alloc_async() allocates from this pool from now on, on its device. A pool of another location
becomes the current one of that location (cuMemSetMemPool).
@return cuda.MemoryPool self
@raise LogicError if the pool was closed
= cuda.MemoryPool:set_access(device, access)
cuMemPoolSetAccess: sets whether another device may use memory of this pool.
@param device cuda.Device|integer  the other device, or its ordinal
@param access? "read_write"|"none"  default "read_write"
@return cuda.MemoryPool self
@raise LogicError for a device that does not support it
= cuda.MemoryPool:set_attribute(attribute, value)
cuMemPoolSetAttribute.
@param attribute integer|string  cuda.mempool_attribute, or its name: "release_threshold", "reuse_..."; "..._high" can be set to 0
@param value integer|boolean  bytes (math.huge for no limit), or a boolean for reuse_...
@return cuda.MemoryPool self
@raise LogicError for a read-only attribute or an invalid value
= cuda.MemoryPool:trim_to(bytes)
cuMemPoolTrimTo: returns unused memory to the device.
@param bytes? integer  the number of bytes to keep; default 0
@return cuda.MemoryPool self
@raise LogicError if it is not a size
= cuda.MemoryPoolOptions class
@field device? cuda.Device|integer  the device with the memory, or that uses it; default: the device of the current context
@field release_threshold? integer  bytes that the pool keeps at a synchronisation; default: all of them (math.huge)
@field max_size? integer  the maximum size in bytes; default: no limit
@field location? "device"|"host"|"host_numa"|"none"  the location of the memory; default "device". "host" and "host_numa": page-locked memory that the host and `device` use at its address (`a:ptr()`). "none": anywhere, for managed memory
@field numa_node? integer  for "host_numa": the NUMA node; default 0
@field managed? boolean  true: managed memory with the preferred location `location`
@field shareable? boolean  true: other processes may import it; for "device" and "host_numa"
= cuda.PageLockedAllocator(flags)
Returns an allocator of page-locked host memory with these flags, for a PageLockedMemoryPool.
@param flags? integer|string|(integer|string)[]  flags of cuda.host_alloc_flags: "portable", "devicemap", "writecombined"
@return cuda.HostAllocator
@raise LogicError for other flags
= cuda.PageLockedMemoryPool class
Keeps freed blocks of page-locked host memory by size. It has the statistics of a DeviceMemoryPool.
@call fun(allocator?: cuda.HostAllocator): cuda.PageLockedMemoryPool
@field held_blocks integer  free blocks that the pool holds
@field held_bytes integer  bytes in the free blocks
@field active_blocks integer  blocks in use
@field active_bytes integer  requested bytes of the blocks in use
@field managed_bytes integer  bytes of all blocks, free or in use
= cuda.PageLockedMemoryPool:alloc_size(bin)
Returns the size of the blocks in a bin, as DeviceMemoryPool:alloc_size.
@param bin integer  the number of a bin, as returned by bin_number()
@return integer  bytes
@raise LogicError if it is not a bin
= cuda.PageLockedMemoryPool:allocate(shape, dtype, order)
Returns a host array in page-locked memory. Its base is the PooledHostAllocation. When both are dropped, or the base
is freed, the block returns to the pool after asynchronous copies that use it.
@param shape integer|integer[]  the extents: a list, a number for a 1-D array, or {} for a 0-d array
@param dtype any  the dtype of the array, as for dtype.of
@param order? "C"|"F"  the order of the elements; default "C"
@return cuda.ndarray.Array
@raise MemoryError; LogicError for an invalid shape, dtype or order, and if the pool's context is not current
= cuda.PageLockedMemoryPool:bin_number(size)
Returns the bin of a size, as DeviceMemoryPool:bin_number.
@param size integer  the size in bytes
@return integer
@raise LogicError if it is not a size
= cuda.PageLockedMemoryPool:close()
Closes the pool. Blocks in use stay valid until they are freed.
@raise LogicError if it was already closed
= cuda.PageLockedMemoryPool:free_held()
cuMemFreeHost of all unused blocks that the pool holds.
@raise LogicError if the pool was closed
= cuda.PageLockedMemoryPool:stop_holding()
Stops holding blocks: frees the unused blocks now, and every other block when it is returned.
@raise LogicError if the pool was closed
= cuda.PooledDeviceAllocation class
Device memory of a DeviceMemoryPool. Use it like a DeviceAllocation: `#a` is the requested size, `a + bytes` a
DevicePointer with that offset.
= cuda.PooledDeviceAllocation:close()
As free().
@raise LogicError if it was already freed
= cuda.PooledDeviceAllocation:free()
Returns the block to its pool. Does not wait, unless the pool was closed or no longer holds blocks.
@raise LogicError if it was already freed
= cuda.PooledDeviceAllocation:ptr()
Returns the CUdeviceptr.
@return number  the device address
@raise LogicError if it was freed
= cuda.PooledHostAllocation class
Page-locked memory of a PageLockedMemoryPool: the base of the host arrays that the pool allocates. `#a` is its size
in bytes.
= cuda.PooledHostAllocation:close()
As free().
@raise LogicError if it was already freed
= cuda.PooledHostAllocation:free()
Returns the block to its pool, after copies that use it. You can no longer use its array.
@raise LogicError if it was already freed
= cuda.PooledHostAllocation:get_device_pointer()
cuMemHostGetDevicePointer.
@return cuda.DevicePointer  a pointer that keeps the memory alive
@raise LogicError if it was freed, and if the device cannot access it
= cuda.PooledHostAllocation:ptr()
cuMemHostGetDevicePointer.
@return number  the address on the device
@raise LogicError if it was freed
= cuda.default_mempool(device)
cuDeviceGetDefaultMemPool: returns the pool that mem_alloc_async() uses unless another pool was made current. You
cannot close it.
@param device? cuda.Device|integer  default: the device of the current context
@return cuda.MemoryPool  the same object each time, while it is alive
@raise LogicError for a device without pools (801) or a device that does not exist (101); (201) without a current context
= cuda.gc_budget(budget)
Sets how many bytes of device and page-locked memory may become garbage before an allocation runs Lua's collector,
which does not see this memory. With "auto" it is 64 MiB, more if a collection takes long or finds nothing, less if
the device is short of memory. The environment variable CUDALUA_GC_BUDGET sets it at the start. It applies to this
Lua state.
@param budget? integer|string|boolean  "auto", a number of bytes ("256M" is a number, too), "off" or false; nil: leave it unchanged
@return integer|string budget  the previous value: "auto", "off" or bytes
@raise LogicError for anything else
= cuda.mem_alloc_async(bytes, stream)
cuMemAllocAsync: allocates device memory from the device's current pool, in stream order. Later work in that stream
may use the memory. Work in other streams has to wait for it (Event). The method free() frees it in the same order,
after work with it in other streams, and does not wait; nor does the collector. An allocation with its free() takes a
microsecond, compared with fifty for mem_alloc. From the first use on, the default pool keeps freed memory (its
release_threshold is raised if it was 0); default_mempool():trim_to(0) releases it.
@param bytes integer  the size in bytes, at least 1
@param stream? cuda.Stream  default: the current stream
@return cuda.DeviceAllocation
@raise MemoryError as mem_alloc; LogicError for a stream that is closed, belongs to another context or is being captured, (201) without a current context, (801) without memory pools
= cuda.mem_alloc_like(buf)
Allocates device memory with the size of another object, without copying it.
@param buf any  memory, a host array, an FFI array or struct, a string, {ptr =, nbytes =}, or an object with :buffer()
@return cuda.DeviceAllocation
@raise MemoryError as mem_alloc; LogicError if the size is 0 or not known
= cuda.CacheState class
@field folders string[]  exported folders in use, in the order of the search
@field exported integer  kernels that this process loaded from them
= cuda.ExportReport class
The report of cuda.cache.export. tostring() returns it as text.
@field dir string  the folder
@field archs string[]   "sm_80": machine code, "compute_80": PTX
@field nvrtc string  the version of the compiler
@field driver string  the driver that the images require
@field kernels {name: string, file: string, archs: string[], bytes: integer}[]  the exported kernels
@field bytes integer  the size of all images
@field refused string[]  sources that the compiler rejected, in the run and in the export
@field failed {name: string, arch: string, message: string}[]  images that could not be created
@field left {name: string, why: string}[]  compilations that cannot be exported
@field notes string[]  other remarks
= cuda.cache module
Compiled kernels that outlive the process.
= cuda.cache.clear()
Removes every entry of the disk cache, as cuda.clear_cache. Exported folders are not changed.
@return integer entries  the number of removed entries
= cuda.cache.export(dir, archs)
Writes the kernels that this process has used so far to a folder, compiled for the given devices. A program that uses
the folder runs without NVRTC. Another export to the same folder adds to it.
@param dir string  the folder; it is created if it does not exist
@param archs? string[]  "sm_90": machine code for compute capability 9.0; "compute_90": PTX, which newer devices compile. PTX for the oldest architecture is always written. Default: the architecture of the current device; compute_80 on the software device
@return cuda.ExportReport report  the kernels that were written, and those that could not be
@raise LogicError for architectures that NVRTC does not know; RuntimeError if NVRTC is not found, or if the folder cannot be written or contains other files
= cuda.cache.info()
Returns information about the disk cache of compiled kernels, exported folders in use, and this process's use of
both.
@return cuda.CacheState
= cuda.cache.use(dir)
Loads kernels from an exported folder from now on, in preference to the disk cache and NVRTC. Kernels that are
already loaded are not affected. The folder that was named last is searched first. CUDALUA_KERNELS names more
folders, separated by colons.
@param dir string  the exported folder
@raise RuntimeError if the folder does not exist, was not exported, or belongs to another version of this library
= cuda.characterize module
What PyCUDA's characterize tells of a device and of its compiler.
= cuda.characterize.has_double_support()
Returns true if kernels can compute with doubles. Current devices support this.
@return boolean
@raise LogicError (201) without a current context
= cuda.characterize.has_stack()
Returns true if device functions can call each other and themselves. Current devices support this.
@return boolean
@raise LogicError (201) without a current context
= cuda.characterize.platform_bits()
Returns the number of bits of the program's pointers.
@return integer  64: CUDA does not support others
= cuda.characterize.sizeof(type_name, preamble)
Returns the size of a type in kernels in bytes, which a kernel determines.
@param type_name string  "float3", "long", "struct node"
@param preamble? string  CUDA C that declares the type: includes, structs
@return integer
@raise CompileError if the type does not exist; LogicError if an argument is not a string, (201) without a current context, and while a stream is being captured
= cuda.dtype module
`dtype(x)` is `dtype.of(x)`.
@call fun(x: any): cuda.dtype.DType
= cuda.dtype.DType class
An element type. Each type has one object, so you can compare types with ==. Read-only.
@field name string        "float32"
@field kind string        "bool", "int", "uint", "float", "complex" or "struct"
@field itemsize integer  the size of an element in bytes
@field alignment integer  the alignment in bytes
@field ctype ffi.ctype*  the FFI type of an element
@field code string        NumPy's code: "<f4"; "<V2" for bfloat16, "|V12" for a struct of 12 bytes
@field fields cuda.dtype.Field[]?  for structs: the fields, in a new list
= cuda.dtype.FloatInfo class
The limits of a float type.
@field dtype cuda.dtype.DType  for a complex type, the dtype of its parts
@field bits integer  the number of bits of a float
@field nmant integer  the number of stored bits of the significand
@field eps number  the difference between 1 and the next number
@field epsneg number  the difference between 1 and the previous number
@field max number               the largest finite number
@field min number               -max
@field smallest_normal number  the smallest positive number with full precision; also called `tiny`
@field tiny number  another name of smallest_normal
@field smallest_subnormal number  the smallest positive number
@field precision integer  the number of decimal digits that are preserved
@field resolution number        10^-precision
= cuda.dtype.IntegerInfo class
The limits of an integer type.
@field dtype cuda.dtype.DType  the integer type
@field bits integer  the number of bits
@field min integer|ffi.cdata*  the smallest integer; int64_t cdata for int64
@field max integer|ffi.cdata*  the largest integer; int64_t cdata for int64, uint64_t cdata for uint64
= cuda.dtype.bfloat16 field
@type cuda.dtype.DType
the upper half of a float32; its ctype is uint16_t with the bits
= cuda.dtype.bool field
@type cuda.dtype.DType
true and false, one byte each
= cuda.dtype.can_cast(from, to)
Returns true if promotion converts one type to another, that is, if promoting both gives `to`. For example, int64 and
float32 give float32.
@param from any  the type to convert, as for dtype.of, or an array
@param to any  the target type, as for dtype.of
@return boolean
@raise LogicError if an argument is not a dtype
= cuda.dtype.complex128 field
@type cuda.dtype.DType
two float64; values are FFI's complex numbers, with .re and .im
= cuda.dtype.complex64 field
@type cuda.dtype.DType
two float32; values are FFI's complex numbers, with .re and .im
= cuda.dtype.default_float(dt)
Returns the default float type, and optionally sets it. It is float32 until you set it, for the whole Lua state.
@param dt? any  the new default: float16, bfloat16, float32 or float64, as for dtype.of
@return cuda.dtype.DType
@raise LogicError for any other type
= cuda.dtype.finfo(x)
The limits of a float type, as NumPy's finfo.
@param x any  as for dtype.of, or an array; for a complex type, its parts count
@return cuda.dtype.FloatInfo  a new table
@raise LogicError for other types
= cuda.dtype.float16 field
@type cuda.dtype.DType
IEEE half precision; its ctype is uint16_t with the bits
= cuda.dtype.float32 field
@type cuda.dtype.DType
single precision, C's float
= cuda.dtype.float64 field
@type cuda.dtype.DType
double precision
= cuda.dtype.iinfo(x)
The limits of an integer type, as NumPy's iinfo.
@param x any  as for dtype.of, or an array
@return cuda.dtype.IntegerInfo  a new table
@raise LogicError for other types
= cuda.dtype.int16 field
@type cuda.dtype.DType
2 bytes
= cuda.dtype.int32 field
@type cuda.dtype.DType
4 bytes
= cuda.dtype.int64 field
@type cuda.dtype.DType
8 bytes; values beyond 2^53 are int64_t cdata
= cuda.dtype.int8 field
@type cuda.dtype.DType
1 byte
= cuda.dtype.is_dtype(x)
Returns true if x is a dtype.
@param x any  any value
@return boolean
= cuda.dtype.list field
@type cuda.dtype.DType[]
all of these, in this order
= cuda.dtype.of(x)
Returns the dtype with this name or C type.
@param x any  a dtype; a name ("float32"), a C or CUDA name ("unsigned int", "half"; "float" is C's, 32 bits), one of CUDA's vectors ("float4") or a struct that tools.get_or_register_dtype() made known; NumPy's code ("<f4", "f4", "f"); or an FFI ctype
@return cuda.dtype.DType
@raise LogicError if no dtype has this name or type
= cuda.dtype.pack_bfloat16(x)
Returns the bits of the bfloat16 nearest to a number, with ties to even; 0x7fc0 for NaN.
@param x number  the number
@return integer bits  0 to 65535
@raise LogicError if it is not a number
= cuda.dtype.pack_float16(x)
Returns the bits of the float16 nearest to a number, with ties to even; 0x7e00 for NaN.
@param x number  the number
@return integer bits  0 to 65535
@raise LogicError if it is not a number
= cuda.dtype.promote(a, b)
Returns the dtype of an operation on two arrays. In the order bool < integer < float < complex, the higher kind
decides (int64 and float16 give float16), but no float loses precision to a complex type (float64 and complex64 give
complex128). Within a kind, the larger type is used. If neither holds the other, the result is the smallest type that
holds both (int8 and uint8 give int16, float16 and bfloat16 give float32). A signed type with uint64 gives the
default float.
@param a any  as for dtype.of
@param b any  as for dtype.of
@return cuda.dtype.DType
@raise LogicError if an argument is not a dtype
= cuda.dtype.promote_value(a, value)
Returns the dtype of an operation on an array and a plain value. A value is weak: it has a kind, but no size. An
integer does not change integer types, and a number does not change float and complex types. A fraction converts
integers to the default float. With bool, an integer gives int64.
@param a any  the dtype of the array, as for dtype.of
@param value any  boolean, number, or int64_t, uint64_t or complex cdata
@return cuda.dtype.DType
@raise LogicError if an integer type cannot hold the integer, or the value is none of these
= cuda.dtype.result_type(...)
Returns the dtype of an operation on all arguments together. Their order does not matter: types of the highest kind
decide first, and plain numbers, which are weak, last.
@param ... any  arrays; dtypes, as for dtype.of; booleans, numbers, integer and complex cdata
@return cuda.dtype.DType
@raise LogicError without arguments, for structs, and if an integer type cannot hold a number
= cuda.dtype.struct(fields, options)
Returns a struct with the layout of C. Its elements are FFI structs with these fields. Call the dtype to create them:
`particle(1, 2)` by position, `particle { x = 1 }` by name; other fields are zero. In an FFI struct a float16 or
bfloat16 is its bits and a pointer is an address; a:field() and a:tolist() of arrays return numbers. The same
description returns the same object.
@param fields any[]  { name, type } or { name, type, extents } for each field; type: as for dtype.of, including other structs, or a pointer ("float *": an address on the device, a uint64); extents of a fixed array: a number or a list
@param options? {name: string, align: boolean|integer}  name: the name in C; without one you have to register the struct before kernels can be generated from it; align: true (default) for C's own padding, false for none (packed), or a power of two as the minimum alignment of the struct (__align__(16))
@return cuda.dtype.DType
@raise LogicError that names the invalid field
@options align name
= cuda.dtype.uint16 field
@type cuda.dtype.DType
2 bytes
= cuda.dtype.uint32 field
@type cuda.dtype.DType
4 bytes
= cuda.dtype.uint64 field
@type cuda.dtype.DType
8 bytes; values beyond 2^53 are uint64_t cdata
= cuda.dtype.uint8 field
@type cuda.dtype.DType
1 byte
= cuda.dtype.unpack_bfloat16(bits)
Returns the value of a bfloat16.
@param bits integer  from 0 to 65535
@return number
@raise LogicError if it is not a 16-bit integer
= cuda.dtype.unpack_float16(bits)
Returns the value of a float16.
@param bits integer  from 0 to 65535
@return number
@raise LogicError if it is not a 16-bit integer
= cuda.elementwise module
Kernels that run one statement of CUDA C, which you write, for each element of some arrays.
= cuda.elementwise.ElementwiseKernel class
A kernel that runs a statement of CUDA C for each element: `ElementwiseKernel("float a, float *x, float *y", "y[i] =
a * x[i]", "scale")`. `i` is the number of the element, from 0, in C order for any layout, and `n` is the number of
elements; both are long long. A bare type like "half" is the type that CUDA's headers declare for the dtype. Complex
numbers are objects of cuda::complex<float> or <double> (also: complex64, complex128, pycuda::complex), with
operators and the functions of C++'s <complex>, unless you name another class.

Call it as k(arguments in their order, options). Arrays that are only used at [i] may have any layout, and broadcast
to one shape; written arrays must have that shape. Arrays that the statement indexes in other ways are passed whole.
You can pass DeviceAllocations instead of contiguous arrays. If read and written memory overlaps, reads see the
values from before the call. options: range or slice, {first, last} or {first, last, step}: the elements to process
(positions from 1, inclusive, negative ones from the end); n: the number of elements, if no array determines it;
stream: default the current stream.

You can name the constructor's arguments in the table of options, as in PyCUDA: `{ arguments = "float *x",
operation = "x[i] = 1", name = "ones" }`.
@call fun(arguments: string|any[], operation: string, name?: string, options?: cuda.elementwise.Options): cuda.elementwise.ElementwiseKernel
@field name string  the kernel's name in the compiled module
@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
@options after_loop arguments keep loop_prep name operation options preamble
= cuda.elementwise.ElementwiseKernel:source()
Returns the CUDA C source of the kernel, in the variant for contiguous arrays with the same layout.
@return string
= cuda.elementwise.Options class
@field preamble string?    CUDA C before the kernel: functions, types, #include
@field loop_prep string?  statements that each thread runs before its first element
@field after_loop string?  statements that each thread runs after its last element
@field options string[]?  options of the compiler, which by default fuses products and sums
@field keep boolean?  true: keep the compiler's files in a folder, keep_dir
@field arguments any  this and the following fields: arguments that you did not pass by position
@field operation string?  the statement, as an argument of ElementwiseKernel
@field name string?  the kernel's name, as an argument of ElementwiseKernel
= cuda.interop module
Exchanging arrays with other libraries of this process, without a copy.
= cuda.interop.from_dlpack(address, options)
Returns an array over the memory of another library's tensor, without a copy, as a consumer of DLPack. It takes
ownership of the tensor. The tensor's deleter is called once, when nothing refers to the array and its views any
more, and all work of the context that may use it is done. If from_dlpack raises an error, the tensor still belongs
to the caller.
@param address integer|ffi.cdata*  the address of a DLManagedTensor, or a pointer to it
@param options? {versioned: boolean, stream: cuda.Stream}  versioned: the address is that of a DLManagedTensorVersioned; default: false. stream: the elements must be valid for work in this stream; default: the current stream
@return cuda.gpuarray.Array|cuda.ndarray.Array a  a gpuarray for device or managed memory, a host array for host memory; a copy if the tensor is read-only
@raise LogicError if there is not a tensor at the address; if its version, device or element type is not supported; if its memory belongs to another context than the current one; or if it came from interop.to_dlpack and was consumed before
@options stream versioned
= cuda.interop.from_python(object)
Returns an array over the memory of a Python object, without a copy. PyTorch, CuPy, JAX, NumPy and other libraries
with `__dlpack__` or `__cuda_array_interface__` are supported. The array keeps the object's memory alive. Work that
is already in the object's stream comes before later work in the current stream.
@param object userdata  as lupa passes it to Lua
@return cuda.gpuarray.Array|cuda.ndarray.Array a  a host array if the object's elements are in host memory; a copy if the object is read-only
@raise LogicError if it is not such an object, or this program does not run in Python; errors of from_dlpack; and exceptions of Python, with their text
= cuda.interop.to_dlpack(a, options)
Returns the address of a managed tensor for another library, a consumer of DLPack. An array on the device is computed
and exported without a copy. The tensor keeps its memory alive until the consumer calls the deleter, in any thread
and even after this Lua state has ended. Operations on an exported array are computed at once, as the consumer may
change it. A host array is copied.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  the array to export
@param options? {versioned: boolean, stream: cuda.Stream}  versioned: return a DLManagedTensorVersioned (version 1.0); default: a DLManagedTensor. stream: the stream whose work may use the elements; default: the current stream
@return integer address  pass it to one consumer, which calls the deleter
@raise LogicError if a is not an array, or has elements that DLPack does not support; errors of the kernels that compute the value; MemoryError
@options stream versioned
= cuda.interop.to_python(a)
Returns the array as a Python object for torch.from_dlpack(o), cupy.from_dlpack(o) and numpy.from_dlpack(o). The
object has `__dlpack__` and `__dlpack_device__`, and for an array on the device `__cuda_array_interface__`. It keeps
the array alive. Elements on the device are not copied; elements of host arrays are copied in each call of
`__dlpack__`.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  the array to export
@return userdata object  as lupa passes it to Python
@raise LogicError if a is not an array, has elements that DLPack does not support, or this program does not run in Python
= cuda.math module
Mathematical functions of arrays, element by element. Integers and bool are taken as the default float, where
a function has floats only; float16 and bfloat16 are computed as float32. These are there for complex
numbers, too:
abs acos acosh angle asin asinh atan atanh conj cos cosh cube exp expm1 imag isfinite isinf isnan log log10 log1p
log2 pow real reciprocal rint round sign sin sinc sinh sqrt square tan tanh.
= cuda.math.abs(a, options) = cuda.gpuarray.abs
= cuda.math.acos(a, options) = cuda.gpuarray.acos
= cuda.math.acosh(a, options) = cuda.gpuarray.acosh
= cuda.math.angle(a, options) = cuda.gpuarray.angle
= cuda.math.asin(a, options) = cuda.gpuarray.asin
= cuda.math.asinh(a, options) = cuda.gpuarray.asinh
= cuda.math.atan(a, options) = cuda.gpuarray.atan
= cuda.math.atan2(a, b, options) = cuda.gpuarray.atan2
= cuda.math.atanh(a, options) = cuda.gpuarray.atanh
= cuda.math.cbrt(a, options) = cuda.gpuarray.cbrt
= cuda.math.ceil(a, options) = cuda.gpuarray.ceil
= cuda.math.clip(a, low, high, options) = cuda.gpuarray.clip
= cuda.math.conj(a, options) = cuda.gpuarray.conj
= cuda.math.copysign(a, b, options) = cuda.gpuarray.copysign
= cuda.math.cos(a, options) = cuda.gpuarray.cos
= cuda.math.cosh(a, options) = cuda.gpuarray.cosh
= cuda.math.cospi(a, options) = cuda.gpuarray.cospi
= cuda.math.cube(a, options) = cuda.gpuarray.cube
= cuda.math.cyl_bessel_i0(a, options) = cuda.gpuarray.cyl_bessel_i0
= cuda.math.cyl_bessel_i1(a, options) = cuda.gpuarray.cyl_bessel_i1
= cuda.math.degrees(a, options) = cuda.gpuarray.degrees
= cuda.math.erf(a, options) = cuda.gpuarray.erf
= cuda.math.erfc(a, options) = cuda.gpuarray.erfc
= cuda.math.erfcinv(a, options) = cuda.gpuarray.erfcinv
= cuda.math.erfcx(a, options) = cuda.gpuarray.erfcx
= cuda.math.erfinv(a, options) = cuda.gpuarray.erfinv
= cuda.math.exp(a, options) = cuda.gpuarray.exp
= cuda.math.exp10(a, options) = cuda.gpuarray.exp10
= cuda.math.exp2(a, options) = cuda.gpuarray.exp2
= cuda.math.expm1(a, options) = cuda.gpuarray.expm1
= cuda.math.fabs(a, options) = cuda.gpuarray.fabs
= cuda.math.fdim(a, b, options) = cuda.gpuarray.fdim
= cuda.math.floor(a, options) = cuda.gpuarray.floor
= cuda.math.floordiv(a, b, options) = cuda.gpuarray.floordiv
= cuda.math.fma(a, b, c, options) = cuda.gpuarray.fma
= cuda.math.fmax(a, b, options) = cuda.gpuarray.fmax
= cuda.math.fmin(a, b, options) = cuda.gpuarray.fmin
= cuda.math.fmod(a, b, options) = cuda.gpuarray.fmod
= cuda.math.frexp(a, options) = cuda.gpuarray.frexp
= cuda.math.heaviside(a, b, options) = cuda.gpuarray.heaviside
= cuda.math.hypot(a, b, options) = cuda.gpuarray.hypot
= cuda.math.ieee_remainder(a, b, options) = cuda.gpuarray.ieee_remainder
= cuda.math.ilogb(a, options) = cuda.gpuarray.ilogb
= cuda.math.imag(a, options) = cuda.gpuarray.imag
= cuda.math.isfinite(a, options) = cuda.gpuarray.isfinite
= cuda.math.isinf(a, options) = cuda.gpuarray.isinf
= cuda.math.isnan(a, options) = cuda.gpuarray.isnan
= cuda.math.j0(a, options) = cuda.gpuarray.j0
= cuda.math.j1(a, options) = cuda.gpuarray.j1
= cuda.math.jn(n, a, options) = cuda.gpuarray.jn
= cuda.math.ldexp(a, b, options) = cuda.gpuarray.ldexp
= cuda.math.lgamma(a, options) = cuda.gpuarray.lgamma
= cuda.math.log(a, options) = cuda.gpuarray.log
= cuda.math.log10(a, options) = cuda.gpuarray.log10
= cuda.math.log1p(a, options) = cuda.gpuarray.log1p
= cuda.math.log2(a, options) = cuda.gpuarray.log2
= cuda.math.logaddexp(a, b, options) = cuda.gpuarray.logaddexp
= cuda.math.logaddexp2(a, b, options) = cuda.gpuarray.logaddexp2
= cuda.math.logb(a, options) = cuda.gpuarray.logb
= cuda.math.maximum(a, b, options) = cuda.gpuarray.maximum
= cuda.math.minimum(a, b, options) = cuda.gpuarray.minimum
= cuda.math.mod(a, b, options) = cuda.gpuarray.mod
= cuda.math.modf(a, options) = cuda.gpuarray.modf
= cuda.math.nextafter(a, b, options) = cuda.gpuarray.nextafter
= cuda.math.normcdf(a, options) = cuda.gpuarray.normcdf
= cuda.math.normcdfinv(a, options) = cuda.gpuarray.normcdfinv
= cuda.math.pow(a, b, options) = cuda.gpuarray.pow
= cuda.math.radians(a, options) = cuda.gpuarray.radians
= cuda.math.rcbrt(a, options) = cuda.gpuarray.rcbrt
= cuda.math.real(a, options) = cuda.gpuarray.real
= cuda.math.reciprocal(a, options) = cuda.gpuarray.reciprocal
= cuda.math.rhypot(a, b, options) = cuda.gpuarray.rhypot
= cuda.math.rint(a, options) = cuda.gpuarray.rint
= cuda.math.round(a, decimals, options) = cuda.gpuarray.round
= cuda.math.round_away(a, options) = cuda.gpuarray.round_away
= cuda.math.rsqrt(a, options) = cuda.gpuarray.rsqrt
= cuda.math.sign(a, options) = cuda.gpuarray.sign
= cuda.math.signbit(a, options) = cuda.gpuarray.signbit
= cuda.math.sin(a, options) = cuda.gpuarray.sin
= cuda.math.sinc(a, options) = cuda.gpuarray.sinc
= cuda.math.sinh(a, options) = cuda.gpuarray.sinh
= cuda.math.sinpi(a, options) = cuda.gpuarray.sinpi
= cuda.math.sqrt(a, options) = cuda.gpuarray.sqrt
= cuda.math.square(a, options) = cuda.gpuarray.square
= cuda.math.tan(a, options) = cuda.gpuarray.tan
= cuda.math.tanh(a, options) = cuda.gpuarray.tanh
= cuda.math.tgamma(a, options) = cuda.gpuarray.tgamma
= cuda.math.trunc(a, options) = cuda.gpuarray.trunc
= cuda.math.y0(a, options) = cuda.gpuarray.y0
= cuda.math.y1(a, options) = cuda.gpuarray.y1
= cuda.math.yn(n, a, options) = cuda.gpuarray.yn
= cuda.reduction module
Kernels that make one value of the elements of arrays, from expressions that you write.
= cuda.reduction.Options class
@field preamble string?    CUDA C before the kernel: functions, types, #include
@field options string[]?  options of the compiler, which by default fuses products and sums
@field keep boolean?  true: keep the compiler's files in a folder, keep_dir
@field neutral any  this and the following fields: arguments that you did not pass by position
@field reduce_expr any  the expression that combines two values, as an argument of ReductionKernel
@field map_expr any  the expression for each element, as an argument of ReductionKernel
@field arguments any  the declarations, as an argument of ReductionKernel
@field name string?  the kernel's name, as an argument of ReductionKernel
= cuda.reduction.ReductionKernel class
A reduction of arrays: `ReductionKernel("float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")` is
the dot product. map_expr is computed for each element; `i` is its number, from 0, in C order for any layout, and `n`
is the number of elements. reduce_expr combines two values, `a` and `b`, and must be associative. neutral is the
value that does not change another one. map_expr may be nil, which means the element of the first array. The order in
which values are combined depends only on their number, so results are the same on every device.

neutral is CUDA C, or a number that an integer dtype must be able to hold. dtype_out may be a struct with a type that
is registered or declared in the preamble. It may also be a list, with as many neutrals, reduce_exprs and map_exprs:
then one pass over the arrays returns several values. From any argument on, you can name the arguments in the table
of options, as in PyCUDA: `ReductionKernel("float32", { neutral = "0", reduce_expr = "a+b", arguments = "const float
*x" })`.

Call it as k(arguments in their order, options). It returns a new 0-d array for each result. Arrays that are only
used at [i] may have any layout, and broadcast to one shape. Arrays that map_expr indexes in other ways are passed
whole. You can pass DeviceAllocations instead of contiguous arrays. options: out: an array of one element, or a list,
that receives the result; range or slice, {first, last} or {first, last, step}: the elements to process (positions
from 1, inclusive, negative ones from the end); n: the number of elements, if no array determines it; stream: default
the current stream; allocator: a function that allocates the result and takes a number of bytes.
@call fun(dtype_out: any, neutral: any, reduce_expr: any, map_expr: any, arguments: string|any[], name?: string, options?: cuda.reduction.Options): cuda.reduction.ReductionKernel
@field name string  the kernel's name in the compiled module
@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
@options arguments keep map_expr name neutral options preamble reduce_expr
= cuda.reduction.ReductionKernel:source()
Returns the CUDA C source of the kernel, in the variant for long contiguous arrays with the same layout.
@return string
= cuda.scan module
Kernels that scan with an operation of the user's.
= cuda.scan.ExclusiveScanKernel class
A kernel that replaces each element with the combination of all elements before it. The first element, and the first
one of each segment, becomes `neutral`: CUDA C, or a number. As InclusiveScanKernel otherwise.
@call fun(dtype: any, scan_expr: string, neutral: string|number|boolean, options?: cuda.scan.Options): cuda.scan.ExclusiveScanKernel
@field name string  the kernel's name in the compiled module
@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
@options dtype keep name_prefix="scan" neutral options preamble scan_expr
= cuda.scan.ExclusiveScanKernel:source()
Returns the CUDA C source of the kernel, in the variant for few elements.
@return string
= cuda.scan.GenericOptions class
@field is_segment_start_expr string?  a CUDA C expression that is true if a segment begins at element i
@field arguments any  this and the following fields: arguments that you did not pass by position
@field input_expr string?  the expression for the values, as an argument of GenericScanKernel
@field output_statement string?  the statement, as an argument of GenericScanKernel
= cuda.scan.GenericScanKernel class
A kernel that computes a value for each element from arrays, scans these values, and runs a statement for each:
PyOpenCL's GenericScanKernel. In this example, the elements of x that are greater than 0 are written to y, one after
the other:

   k = GenericScanKernel("int32", "const float *x, float *y, int *count", "x[i] > 0", "a + b", 0,
     "if (item > prev_item) y[prev_item] = x[i]; if (i + 1 == N) count[0] = item;")

`dtype` is the dtype of the values. `input_expr` and `output_statement` are CUDA C with the arguments, the number i
of the element, from 0, and the number of elements, n or N. The statement also has `item`, the value of the elements
up to this one, and `prev_item`, the value of those before it, which is `neutral` for the first one. Option
is_segment_start_expr is true where a new segment begins; elements before a segment are not counted in it.

Call it as k(arguments in their order, options). Arrays are passed whole and must be contiguous; their elements are
in C order. The first array, or option n, determines the number of elements; arrays that are only used at [i] must
have at least as many. The other option is stream. Statements run in any order, and an input may be computed more
than once. So a statement must not write what the input of another one needs.
@call fun(dtype: any, arguments: string|any[], input_expr: string, scan_expr: string, neutral: string|number|boolean|nil, output_statement: string, options?: cuda.scan.GenericOptions): cuda.scan.GenericScanKernel
@field name string  the kernel's name in the compiled module
@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
@options arguments input_expr is_segment_start_expr output_statement
= cuda.scan.GenericScanKernel:source()
Returns the CUDA C source of the kernel, in the variant for few elements.
@return string
= cuda.scan.InclusiveScanKernel class
A kernel that replaces each element with the combination of all elements up to it by an associative operation:
`InclusiveScanKernel("int32", "a + b")`. `scan_expr` is CUDA C with `a` and `b`, where `a` comes first. It need not
be commutative. All dtypes are supported, including structs, vectors and complex numbers.

Call it as k(input, output, options); it returns the output. Without an output, the input is overwritten; "new"
creates a new array. Arrays of any shape and layout are processed as their elements in C order. options: out: as
output; n: the number of elements, from the first one on, default all; flags: an array with as many elements that is
true where a new segment begins; elements before a segment are not counted in it; stream: default the current stream;
allocator: for a new array.

How elements are combined depends only on their number and the dtype: it is the same on every device.

A third argument, PyCUDA's neutral, is accepted and ignored. You can name arguments in the table of options: {
dtype = "int32", scan_expr = "a + b" }.
@call fun(dtype: any, scan_expr: string, options?: cuda.scan.Options): cuda.scan.InclusiveScanKernel
@call fun(dtype: any, scan_expr: string, neutral: any, options?: cuda.scan.Options): cuda.scan.InclusiveScanKernel
@field name string  the kernel's name in the compiled module
@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
@options dtype keep name_prefix="scan" neutral options preamble scan_expr
= cuda.scan.InclusiveScanKernel:source()
Returns the CUDA C source of the kernel, in the variant for few elements.
@return string
= cuda.scan.Options class
@field name_prefix string?  the start of the kernel's name; default "scan"
@field preamble string?    CUDA C before the kernel: functions, types, #include, #define
@field options string[]?  options of the compiler
@field keep boolean?  true: keep the compiler's files in a folder, keep_dir
@field dtype any  this and the following fields: arguments that you did not pass by position
@field scan_expr string?  the operation, as an argument of InclusiveScanKernel
@field neutral any  the neutral value, as an argument of ExclusiveScanKernel
= cuda.vec module
CUDA's built-in vectors. Each is a dtype with the fields x, y, z, w and CUDA's alignment. make_... creates a value of
it: an FFI struct, which can be an argument of kernels and an element of arrays.
= cuda.vec.char1 field
@type cuda.dtype.DType
1 int8; 1 bytes, aligned to 1
= cuda.vec.char2 field
@type cuda.dtype.DType
2 int8; 2 bytes, aligned to 2
= cuda.vec.char3 field
@type cuda.dtype.DType
3 int8; 3 bytes, aligned to 1
= cuda.vec.char4 field
@type cuda.dtype.DType
4 int8; 4 bytes, aligned to 4
= cuda.vec.double1 field
@type cuda.dtype.DType
1 float64; 8 bytes, aligned to 8
= cuda.vec.double2 field
@type cuda.dtype.DType
2 float64; 16 bytes, aligned to 16
= cuda.vec.double3 field
@type cuda.dtype.DType
3 float64; 24 bytes, aligned to 8
= cuda.vec.double4 field
@type cuda.dtype.DType
4 float64; 32 bytes, aligned to 16
= cuda.vec.double4_16a field
@type cuda.dtype.DType
4 float64; 32 bytes, aligned to 16
= cuda.vec.double4_32a field
@type cuda.dtype.DType
4 float64; 32 bytes, aligned to 32
= cuda.vec.float1 field
@type cuda.dtype.DType
1 float32; 4 bytes, aligned to 4
= cuda.vec.float2 field
@type cuda.dtype.DType
2 float32; 8 bytes, aligned to 8
= cuda.vec.float3 field
@type cuda.dtype.DType
3 float32; 12 bytes, aligned to 4
= cuda.vec.float4 field
@type cuda.dtype.DType
4 float32; 16 bytes, aligned to 16
= cuda.vec.int1 field
@type cuda.dtype.DType
1 int32; 4 bytes, aligned to 4
= cuda.vec.int2 field
@type cuda.dtype.DType
2 int32; 8 bytes, aligned to 8
= cuda.vec.int3 field
@type cuda.dtype.DType
3 int32; 12 bytes, aligned to 4
= cuda.vec.int4 field
@type cuda.dtype.DType
4 int32; 16 bytes, aligned to 16
= cuda.vec.long1 field
@type cuda.dtype.DType
1 int64; 8 bytes, aligned to 8
= cuda.vec.long2 field
@type cuda.dtype.DType
2 int64; 16 bytes, aligned to 16
= cuda.vec.long3 field
@type cuda.dtype.DType
3 int64; 24 bytes, aligned to 8
= cuda.vec.long4 field
@type cuda.dtype.DType
4 int64; 32 bytes, aligned to 16
= cuda.vec.long4_16a field
@type cuda.dtype.DType
4 int64; 32 bytes, aligned to 16
= cuda.vec.long4_32a field
@type cuda.dtype.DType
4 int64; 32 bytes, aligned to 32
= cuda.vec.longlong1 field
@type cuda.dtype.DType
1 int64; 8 bytes, aligned to 8
= cuda.vec.longlong2 field
@type cuda.dtype.DType
2 int64; 16 bytes, aligned to 16
= cuda.vec.longlong3 field
@type cuda.dtype.DType
3 int64; 24 bytes, aligned to 8
= cuda.vec.longlong4 field
@type cuda.dtype.DType
4 int64; 32 bytes, aligned to 16
= cuda.vec.longlong4_16a field
@type cuda.dtype.DType
4 int64; 32 bytes, aligned to 16
= cuda.vec.longlong4_32a field
@type cuda.dtype.DType
4 int64; 32 bytes, aligned to 32
= cuda.vec.make_char1 field
@type fun(x: number): ffi.cdata*
a value of vec.char1
= cuda.vec.make_char2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.char2
= cuda.vec.make_char3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.char3
= cuda.vec.make_char4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.char4
= cuda.vec.make_double1 field
@type fun(x: number): ffi.cdata*
a value of vec.double1
= cuda.vec.make_double2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.double2
= cuda.vec.make_double3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.double3
= cuda.vec.make_double4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.double4
= cuda.vec.make_double4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.double4_16a
= cuda.vec.make_double4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.double4_32a
= cuda.vec.make_float1 field
@type fun(x: number): ffi.cdata*
a value of vec.float1
= cuda.vec.make_float2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.float2
= cuda.vec.make_float3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.float3
= cuda.vec.make_float4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.float4
= cuda.vec.make_int1 field
@type fun(x: number): ffi.cdata*
a value of vec.int1
= cuda.vec.make_int2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.int2
= cuda.vec.make_int3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.int3
= cuda.vec.make_int4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.int4
= cuda.vec.make_long1 field
@type fun(x: number): ffi.cdata*
a value of vec.long1
= cuda.vec.make_long2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.long2
= cuda.vec.make_long3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.long3
= cuda.vec.make_long4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.long4
= cuda.vec.make_long4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.long4_16a
= cuda.vec.make_long4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.long4_32a
= cuda.vec.make_longlong1 field
@type fun(x: number): ffi.cdata*
a value of vec.longlong1
= cuda.vec.make_longlong2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.longlong2
= cuda.vec.make_longlong3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.longlong3
= cuda.vec.make_longlong4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.longlong4
= cuda.vec.make_longlong4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.longlong4_16a
= cuda.vec.make_longlong4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.longlong4_32a
= cuda.vec.make_short1 field
@type fun(x: number): ffi.cdata*
a value of vec.short1
= cuda.vec.make_short2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.short2
= cuda.vec.make_short3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.short3
= cuda.vec.make_short4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.short4
= cuda.vec.make_uchar1 field
@type fun(x: number): ffi.cdata*
a value of vec.uchar1
= cuda.vec.make_uchar2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.uchar2
= cuda.vec.make_uchar3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.uchar3
= cuda.vec.make_uchar4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.uchar4
= cuda.vec.make_uint1 field
@type fun(x: number): ffi.cdata*
a value of vec.uint1
= cuda.vec.make_uint2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.uint2
= cuda.vec.make_uint3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.uint3
= cuda.vec.make_uint4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.uint4
= cuda.vec.make_ulong1 field
@type fun(x: number): ffi.cdata*
a value of vec.ulong1
= cuda.vec.make_ulong2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.ulong2
= cuda.vec.make_ulong3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.ulong3
= cuda.vec.make_ulong4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.ulong4
= cuda.vec.make_ulong4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.ulong4_16a
= cuda.vec.make_ulong4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.ulong4_32a
= cuda.vec.make_ulonglong1 field
@type fun(x: number): ffi.cdata*
a value of vec.ulonglong1
= cuda.vec.make_ulonglong2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.ulonglong2
= cuda.vec.make_ulonglong3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.ulonglong3
= cuda.vec.make_ulonglong4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.ulonglong4
= cuda.vec.make_ulonglong4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.ulonglong4_16a
= cuda.vec.make_ulonglong4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.ulonglong4_32a
= cuda.vec.make_ushort1 field
@type fun(x: number): ffi.cdata*
a value of vec.ushort1
= cuda.vec.make_ushort2 field
@type fun(x: number, y: number): ffi.cdata*
a value of vec.ushort2
= cuda.vec.make_ushort3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
a value of vec.ushort3
= cuda.vec.make_ushort4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
a value of vec.ushort4
= cuda.vec.short1 field
@type cuda.dtype.DType
1 int16; 2 bytes, aligned to 2
= cuda.vec.short2 field
@type cuda.dtype.DType
2 int16; 4 bytes, aligned to 4
= cuda.vec.short3 field
@type cuda.dtype.DType
3 int16; 6 bytes, aligned to 2
= cuda.vec.short4 field
@type cuda.dtype.DType
4 int16; 8 bytes, aligned to 8
= cuda.vec.uchar1 field
@type cuda.dtype.DType
1 uint8; 1 bytes, aligned to 1
= cuda.vec.uchar2 field
@type cuda.dtype.DType
2 uint8; 2 bytes, aligned to 2
= cuda.vec.uchar3 field
@type cuda.dtype.DType
3 uint8; 3 bytes, aligned to 1
= cuda.vec.uchar4 field
@type cuda.dtype.DType
4 uint8; 4 bytes, aligned to 4
= cuda.vec.uint1 field
@type cuda.dtype.DType
1 uint32; 4 bytes, aligned to 4
= cuda.vec.uint2 field
@type cuda.dtype.DType
2 uint32; 8 bytes, aligned to 8
= cuda.vec.uint3 field
@type cuda.dtype.DType
3 uint32; 12 bytes, aligned to 4
= cuda.vec.uint4 field
@type cuda.dtype.DType
4 uint32; 16 bytes, aligned to 16
= cuda.vec.ulong1 field
@type cuda.dtype.DType
1 uint64; 8 bytes, aligned to 8
= cuda.vec.ulong2 field
@type cuda.dtype.DType
2 uint64; 16 bytes, aligned to 16
= cuda.vec.ulong3 field
@type cuda.dtype.DType
3 uint64; 24 bytes, aligned to 8
= cuda.vec.ulong4 field
@type cuda.dtype.DType
4 uint64; 32 bytes, aligned to 16
= cuda.vec.ulong4_16a field
@type cuda.dtype.DType
4 uint64; 32 bytes, aligned to 16
= cuda.vec.ulong4_32a field
@type cuda.dtype.DType
4 uint64; 32 bytes, aligned to 32
= cuda.vec.ulonglong1 field
@type cuda.dtype.DType
1 uint64; 8 bytes, aligned to 8
= cuda.vec.ulonglong2 field
@type cuda.dtype.DType
2 uint64; 16 bytes, aligned to 16
= cuda.vec.ulonglong3 field
@type cuda.dtype.DType
3 uint64; 24 bytes, aligned to 8
= cuda.vec.ulonglong4 field
@type cuda.dtype.DType
4 uint64; 32 bytes, aligned to 16
= cuda.vec.ulonglong4_16a field
@type cuda.dtype.DType
4 uint64; 32 bytes, aligned to 16
= cuda.vec.ulonglong4_32a field
@type cuda.dtype.DType
4 uint64; 32 bytes, aligned to 32
= cuda.vec.ushort1 field
@type cuda.dtype.DType
1 uint16; 2 bytes, aligned to 2
= cuda.vec.ushort2 field
@type cuda.dtype.DType
2 uint16; 4 bytes, aligned to 4
= cuda.vec.ushort3 field
@type cuda.dtype.DType
3 uint16; 6 bytes, aligned to 2
= cuda.vec.ushort4 field
@type cuda.dtype.DType
4 uint16; 8 bytes, aligned to 8
# docs/backends.md
= cuda.linalg.backend(name)
Selects the kernels for products and factorizations of matrices, Fourier transforms and products of sparse matrices
in this Lua state. "auto", the default: NVIDIA's libraries on a GPU if they are installed and support the call,
otherwise own kernels, with one notice for each missing library. "own": kernels of this library, with the same bits
on every device unless linalg.precision is "tensor". "vendor": NVIDIA's libraries; a call raises an error if its
library is missing or does not support it.
@param name? "auto"|"own"|"vendor"  the new setting; default: leave it unchanged
@return "auto"|"own"|"vendor" name  the setting now
@raise LogicError for another name
= cuda.linalg.libraries()
Returns which of NVIDIA's libraries were found: cuBLASLt, cuSOLVER, cuSPARSE and cuFFT. Opens them.
@return {name: string, path: string?, version: string?, why: string?}[] libraries  why: what was tried, for a missing library
= cuda.linalg.linear(x, w, options)
A linear layer: activation(x w' + bias). Bias and activation are applied to the unrounded sums, and the result is
rounded once. gelu is the variant with tanh. If linalg.backend selects NVIDIA's cuBLASLt, it computes everything in
one kernel, if it has one for these types.
@param x cuda.gpuarray.Array  the input, (..., k)
@param w cuda.gpuarray.Array  the weights, (n, k)
@param options? {bias: any, activation: any, out: any, stream: cuda.Stream, allocator: function} bias: an array of n elements; activation: "relu" or "gelu"
@return cuda.gpuarray.Array  (..., n)
@raise LogicError if the shapes do not fit, for other activations, and for gelu of integers
@options activation allocator bias out stream
# docs/compiling.md
= cuda.CacheInfo class
@field dir string?  the folder; nil: caching is off
@field why string?  the reason if caching is off
@field entries integer  the number of cached kernels
@field bytes integer  the size of all entries
@field limit integer  the maximum size in bytes; if it is exceeded, the least recently used entries are removed
@field hits integer  kernels that this process found in the cache
@field misses integer  kernels that this process did not find in the cache
@field stores integer  kernels that this process added to the cache
= cuda.DynamicModule class
Creates a module of several pieces: `cuda.DynamicModule{...}:add_source(a):add_source(b):link()`.
@call fun(opts?: cuda.DynamicOptions): cuda.DynamicModule
@field module cuda.Module?  the module after linking
@field log string?             the compiler's warnings
@field link_log string?  the linker's report
@options library_dirs link_options log_verbose lto message_handler
= cuda.DynamicModule:add_data(data, input_type, name)
Adds an image.
@param data string  the bytes of the image
@param input_type integer|string  a value of cuda.jit_input_type: "cubin", "ptx", "fatbinary", "object", "library"; with `lto` also "ltoir"
@param name? string  its name in messages; default "unknown"
@return cuda.DynamicModule self
@raise CompileError (218, 300 ...; log) if the linker rejects it, LogicError for invalid arguments or after link()
= cuda.DynamicModule:add_file(path, input_type)
Adds an image from a file.
@param path string  the file
@param input_type integer|string  as for add_data
@return cuda.DynamicModule self
@raise RuntimeError (301) if the file cannot be read, otherwise as add_data
= cuda.DynamicModule:add_source(source, opts)
Compiles a source and adds it.
@param source string  the CUDA C source
@param opts? cuda.CompileOptions  instead of the module's own options
@return cuda.DynamicModule self
@raise errors of cuda.compile, CompileError (218, 300 ...; log) if the linker rejects it, LogicError after link()
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.DynamicModule:add_stdlib(name)
Adds a library of the CUDA toolkit: "cudadevrt", which lets kernels launch kernels. The software device does not
support this, and "cudadevrt" adds nothing there.
@param name string  finds lib<name>.a in library_dirs, or next to the toolkit's other libraries
@return cuda.DynamicModule self
@raise RuntimeError if the library is not found, otherwise as add_file
= cuda.DynamicModule:get_function(name, opts)
@param name string  the kernel's name, or one of name_expressions
@param opts? {args: any[]}  args: as for Module:get_function
@return cuda.Function  the same object each time
@raise LogicError (500) that lists the module's kernels, and before link().
@options args
= cuda.DynamicModule:get_global(name)
@param name string  the name of a __device__ or __constant__ variable
@return cuda.DevicePointer pointer  it keeps the module alive
@return integer bytes
@raise LogicError (500) if the module does not have this variable, and before link().
= cuda.DynamicModule:link()
Links the added pieces and loads the module into the current context.
@return cuda.DynamicModule self
@raise CompileError (log) if symbols are missing or defined twice, LogicError if it is already linked
= cuda.DynamicOptions class
Options of cuda.DynamicModule. All others are those of cuda.SourceModule, for each source that you add.
@field lto boolean?  true: optimise across the pieces with nvJitLink; default: the driver's linker
@field link_options table?  options of the linker: as `options` of cuda.Linker, or of cuda.link with `lto`
@field message_handler function?  called as f(ok, info_log, error_log) after linking, even if it failed
@field log_verbose boolean?  true: the linker reports more details
@field library_dirs string[]?  folders that add_stdlib searches first
= cuda.DynamicSourceModule class
Compiles a source as relocatable code, links it with CUDA's device runtime if that is installed, and loads it:
`cuda.DynamicSourceModule(source, opts)`, for kernels that launch kernels.
@call fun(source: string, opts?: cuda.DynamicOptions): cuda.DynamicModule
@options library_dirs link_options log_verbose lto message_handler
= cuda.LinkOptions class
Options of cuda.link.
@field arch string?  "sm_90"; default: that of the current device
@field lto boolean?  optimise across the inputs; default: if there is LTO-IR among them
@field target string?     "cubin" or "ptx"; default: a cubin, and PTX for "compute_90" and the software device
@field options string[]?  options of nvJitLink: "-maxrregcount=32", "-lineinfo", "-verbose", "-kernels-used=name" ...
= cuda.Linker class
The driver's linker, which combines several images into one module: `cuda.Linker{message_handler =, options =,
log_verbose =}`.
= cuda.Linker:add_data(data, input_type, name)
Adds an image.
@param data string  the bytes of the image
@param input_type integer|string  a value of cuda.jit_input_type: "cubin", "ptx", "fatbinary", "object", "library"
@param name? string  its name in messages; default "unknown"
@return cuda.Linker self
@raise CompileError (218, 300 ...; log) if the linker rejects it, LogicError for invalid arguments or after link_module()
= cuda.Linker:add_file(path, input_type)
Adds an image from a file.
@param path string  the file
@param input_type integer|string  as for add_data
@return cuda.Linker self
@raise RuntimeError (301) if the file cannot be read, otherwise as add_data
= cuda.Linker:close()
Closes the linker without linking.
@raise LogicError if it was already closed, also by link_module()
= cuda.Linker:link_module()
Links the added images, loads the module into the current context, and closes the linker.
@return cuda.Module  its `jit` holds the linker's report
@raise CompileError (log) if symbols are missing or defined twice
= cuda.Module class
Compiled code on the device.
= cuda.Module:close()
cuModuleUnload. You can no longer use its functions and pointers.
@raise LogicError if it was already closed
= cuda.Module:get_function(name, opts)
cuModuleGetFunction: returns a kernel of the module.
@param name string  the name of the kernel
@param opts? {args: any[]}  args: the types of its parameters, if they are not known otherwise: as in C ("float *", "unsigned int"), dtypes ("int32"), FFI ctypes, {bytes = 24, align = 8}
@return cuda.Function  the same object each time
@raise LogicError (500) that lists the module's kernels; LogicError for args that the kernel does not have
@options args
= cuda.Module:get_global(name)
cuModuleGetGlobal.
@param name string  the name of a __device__ or __constant__ variable
@return cuda.DevicePointer pointer  it keeps the module alive
@return number bytes
@raise LogicError (500) if the module does not have this variable
= cuda.ModuleOptions class
@field options table?  options of the driver's JIT: {max_registers = 32, wall_time = true} or {{option, value}, ...}; names as in cuda.jit_option, in lower case; values are numbers, booleans, or names for target and fallback_strategy
@field message_handler function?  called as f(ok, info_log, error_log) after loading, even if it failed
= cuda.SourceModule class
Compiles CUDA C and loads it into the current context: `cuda.SourceModule(source, options)`.
@call fun(source: string, opts?: cuda.CompileOptions): cuda.SourceModule
@field module cuda.Module  the loaded module
@field log string?       the compiler's warnings
@field timing {phase: string, ms: number}[]?  the duration of each phase of the compiler; with `time = true`
@field keep_dir string?  the folder with the compiler's files; with `keep = true`
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.SourceModule:get_function(name, opts)
@param name string  the kernel's name, or one of name_expressions
@param opts? {args: any[]}  args: as for Module:get_function
@return cuda.Function  the same object each time
@raise LogicError (500) that lists the module's kernels.
@options args
= cuda.SourceModule:get_global(name)
@param name string  the name of a __device__ or __constant__ variable, or one of name_expressions
@return cuda.DevicePointer pointer  it keeps the module alive
@return integer bytes
@raise LogicError (500) if the module does not have this variable.
= cuda.cache_info()
Returns information about the disk cache of compiled kernels, and this process's use of it.
@return cuda.CacheInfo info
= cuda.clear_cache()
Removes every entry of the disk cache. Running programs continue, and compile again.
@return integer entries  the number of removed entries
= cuda.compile(source, opts)
Compiles CUDA C without loading it.
@param source string  the CUDA C source
@param opts? cuda.CompileOptions  the compiler's options
@return string image, string? log
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.is_debugging()
Returns true if set_debugging() is on.
@return boolean
= cuda.kernel(source, name, opts)
Compiles CUDA C, loads it and returns one of its kernels: `cuda.kernel(source)(x, n, { block = 256 })`.
@param source string  the CUDA C source
@param name? string|cuda.CompileOptions  the name of the kernel; optional if the source has one kernel. For an instance of a template, "fill<float>", name_expressions and no_extern_c are set automatically
@param opts? cuda.CompileOptions  the compiler's options; you can pass them instead of the name
@return cuda.Function
@raise LogicError (500) that lists the kernels if none has that name, LogicError if the name is missing and the source has several kernels or none; errors of SourceModule
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.link(inputs, opts)
Links images with nvJitLink, without loading the result. If you pass `arch`, it does not need a device.
@param inputs (string|{data?: string, file?: string, type?: string, name?: string})[]  the images: LTO-IR of cuda.compile(source, {target = "ltoir"}), relocatable PTX or cubins, fatbins, object files, libraries. `type` is "ltoir", "ptx", "cubin", "fatbinary", "object" or "library"; default: detected from the first bytes
@param opts? cuda.LinkOptions  the linker's options
@return string image  an argument for cuda.module_from_buffer
@return string? log   the report of nvJitLink
@raise CompileError (log, info_log, options) if symbols are missing or defined twice, and for invalid images, RuntimeError if nvJitLink or a file (301) is not found, LogicError for invalid arguments.
@options arch="sm_90" lto options="-maxrregcount=32"|"-lineinfo"|"-verbose"|"-kernels-used=name" target="ltoir"
= cuda.module_from_buffer(image, opts)
Loads a module from an image: cubin, PTX or fatbin. With options, `mod.jit` holds the JIT's report: info_log,
error_log, and wall_time (ms) or threads_per_block if requested. The driver caches compiled code, so an image that it
has seen before takes no time and has an empty info_log.
@param image string  the bytes of the image
@param opts? cuda.ModuleOptions  options of the JIT and a message handler
@return cuda.Module
@raise CompileError (218, 222 ...; log, info_log) for invalid PTX, RuntimeError (209) for code of another architecture, LogicError if it is not an image and for invalid options.
@options message_handler options
= cuda.module_from_file(path, opts)
Loads a module from a file.
@param path string  a file with a cubin, PTX or a fatbin
@param opts? cuda.ModuleOptions  as for module_from_buffer
@return cuda.Module
@raise RuntimeError (301) if the file cannot be read, otherwise as module_from_buffer.
@options message_handler options
= cuda.CompileOptions class
@field options string[]?  further compiler options, one in each element; default compiler.DEFAULT_NVRTC_FLAGS
@field arch string|integer[]?  "sm_90", "sm_90a", "compute_80" (PTX) or {9, 0}; default: that of the current device
@field code string|integer[]?    as nvcc's -code: the real architecture, if `arch` is the virtual one
@field no_extern_c boolean?  true: do not wrap the source in extern "C" (required for templates)
@field include_dirs string[]?  folders that are searched for headers before CUDA's own
@field headers table<string, string>?  headers by name that are not files; they take precedence over all others
@field name string?  the source's file name in messages; default "kernel.cu". `#include "x.h"` searches its folder first
@field name_expressions string[]?  names that you can pass to get_function(expression): "tk<float, 3>"
@field default_device boolean?  false: functions without __device__ are an error, as in NVRTC; default true
@field std string?               "c++17" (default), "c++20" ...
@field lineinfo boolean?  true: generate line numbers for profilers (-lineinfo)
@field debug boolean?  true: generate code for cuda-gdb (-G -lineinfo); not cached
@field minimal boolean?  true: omit vector, texture and surface types, which compiles faster
@field pch boolean?  true: keep compiled headers for the rest of the process; not cached
@field time boolean?  true: report the duration of the compiler's phases as `timing`; not cached
@field keep boolean?  true: keep source, PTX, cubin, options and log in a folder, `keep_dir`; not cached
@field cache_dir string|false?  the folder of the cache of compiled kernels; false: do not cache; default: the user's cache
@field target string?  "cubin", "ptx" or "ltoir"; default: the format that the device loads
@field backend string?           "nvrtc" (default) or "nvcc"
@field nvcc string?  the path of nvcc, if backend is "nvcc"
= cuda.compiler module
Compiles CUDA C at run time: CUDA C -> image -> module.
= cuda.compiler.DEFAULT_NVRTC_FLAGS field
The options that are used if you do not pass `options`. CUDALUA_DEFAULT_FLAGS (separated by blanks) sets them.
= cuda.compiler.SourceModule(source, opts)
@param source string  the CUDA C source
@param opts? cuda.CompileOptions  the compiler's options
@return cuda.SourceModule
@raise CompileError, and errors of module_from_buffer
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.compiler.compile(source, opts)
Compiles CUDA C without loading it. If you pass `arch`, it does not need a device. Warnings also go to
cuda.on_notice.
@param source string  the CUDA C source
@param opts? cuda.CompileOptions  the compiler's options
@return string image  a cubin, or PTX for "compute_NN" and the software device; option `target` changes this
@return string? log   warnings
@raise CompileError (log, source, options, command_line, stdout, stderr, msg; excerpt: the lines around the first error; keep_dir), LogicError for invalid arguments, RuntimeError if NVRTC is not found.
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.compiler.kernel(source, name, opts)
As cuda.kernel.
@param source string  the CUDA C source
@param name? string|cuda.CompileOptions  as for cuda.kernel
@param opts? cuda.CompileOptions  as for cuda.kernel
@return cuda.Function
@raise as cuda.kernel
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.compiler.nvrtc()
Returns information about NVRTC's library, which the first call opens.
@return {path: string, major: integer, minor: integer, archs: integer[]}? info  nil if it was not found
@return string? why  the places that were tried, one on each line
# docs/debugging.md
= cuda.debug module
Recording launches and replaying them on the software device.
= cuda.debug.Replay class
The result of a replay. It prints as its text.
@field fault boolean  true if the kernel failed, or a check found something
@field text string  a report for people
@field kernel string  the name of the kernel
@field kind string?  as in softgpu.report "json": "out_of_bounds", "race" ...; nil without a fault
@field file string?  the source file
@field line integer?  the line in the source
@field block integer[]?  the block of the fault, {x, y, z}
@field thread integer[]?  the thread of the fault, {x, y, z}
@field output string  the output that the kernel printed
= cuda.debug.record(on, options)
Turns the recording of launches on or off. Before each launch, the kernel's arguments, the allocations that they
point into, and the memory of its textures and surfaces are copied to the host. The last launch is kept, even after
record(false). The next launch or wait raises an error of a kernel while the recording is still that of the failed
kernel. Each launch waits for all work before it, so programs get much slower. Pointers inside memory are not
followed; pointers in structs passed by value are. Launches of graphs and into captures are not recorded. Each Lua
state records its own launches.
@param on boolean  the new setting
@param options? {bytes: integer}  bytes: the maximum size of the recorded memory in bytes, default 256 MiB. For allocations beyond it only the size is recorded
@return boolean before  true if launches were recorded before
@raise LogicError for other arguments
@options bytes
= cuda.debug.replay(path)
Replays a recorded launch on the software device with all of its checks, in a child process. It works even after this
process has lost the GPU. When printed, the result names the access, the source line, the block and the thread.
@param path? string  a file that save() wrote; default: the last recorded launch
@return cuda.debug.Replay
@raise LogicError if no launch is recorded or the file is not a recording; RuntimeError if luajit is not found (set CUDALUA_LUAJIT), if the kernel was loaded as machine code, or if the software device does not support it
= cuda.debug.save(path)
Saves the recorded launch to a file, for replay() on another machine. It first compiles the kernel for the software
device, so it needs NVRTC if the program runs on a GPU.
@param path string  the file
@raise LogicError if no launch is recorded, RuntimeError if the file cannot be written or if the kernel was loaded as machine code
# docs/devices.md
= cuda.Context class
A CUDA context. It is collected only after everything that lives in it; detach() ends it at once.
@call fun(device: cuda.Device, flags?: integer|string|(integer|string)[]): cuda.Context
= cuda.Context.get_current()
cuCtxGetCurrent.
@return cuda.Context?
= cuda.Context.pop()
cuCtxPopCurrent: Context.pop() removes the current context from the stack and skips destroyed contexts below it.
@return cuda.Context
@raise LogicError (201) if no context is current
= cuda.Context:attach(flags)
Counts one more use of this context, so that one more detach() is needed to end it; Context.attach() uses the current
one.
@param flags? integer  must be 0
@return cuda.Context
@raise LogicError (201) if no context is current, and for other flags
= cuda.Context:detach()
cuCtxDestroy or cuDevicePrimaryCtxRelease, once it is called as often as the context was created or retained. You can
no longer use objects of the context; if other code keeps the context in use, they are freed first. If the context is
current, it is removed from the stack.
@raise LogicError for a detached context
= cuda.Context:disable_peer_access(peer)
cuCtxDisablePeerAccess: undoes enable_peer_access().
@param peer cuda.Context  the context that was passed to enable_peer_access()
@raise LogicError (705) if it was not enabled
= cuda.Context:enable_peer_access(peer, flags)
cuCtxEnablePeerAccess: lets kernels of this context use memory that the peer allocated with mem_alloc().
Context.enable_peer_access(peer) does so for the current context. It enables one direction only; call it on the peer
for the other one.
@param peer cuda.Context  a context on another device
@param flags? integer  must be 0
@raise LogicError if the devices do not support it (217), and if it is already enabled (704)
= cuda.Context:get_api_version()
cuCtxGetApiVersion: returns the version of this context; Context.get_api_version() that of the current one.
@return integer  3020 with all drivers so far
@raise LogicError (201) if no context is current
= cuda.Context:get_cache_config()
cuCtxGetCacheConfig: returns the setting of this context; Context.get_cache_config() that of the current one.
@return integer  one of cuda.func_cache
@raise LogicError (201) if no context is current
= cuda.Context:get_device()
cuCtxGetDevice: returns the device of this context; Context.get_device() that of the current one.
@call fun(): cuda.Device
@return cuda.Device
@raise LogicError (201) if no context is current
= cuda.Context:get_flags()
cuCtxGetFlags: returns the flags of this context; Context.get_flags() those of the current one.
@return integer  bits of cuda.ctx_flags
@raise LogicError (201) if no context is current
= cuda.Context:get_limit(limit)
cuCtxGetLimit: returns a limit of this context; Context.get_limit(limit) of the current one.
@param limit integer|string  cuda.limit, or its name: "stack_size"
@return number  bytes, or a count
@raise LogicError (215) if the device does not have this limit
= cuda.Context:get_shared_config()
cuCtxGetSharedMemConfig: returns the setting of this context; Context.get_shared_config() that of the current one.
@return integer  one of cuda.shared_config
@raise LogicError (201) if no context is current
= cuda.Context:handle()
The driver's handle.
@return number  the CUcontext as a number, for other libraries
= cuda.Context:is_poisoned()
Returns true if a sticky error (an illegal address ...) made this context's device unusable for the process.
Context.is_poisoned() tests the current context. See also cuda.device_error().
@return boolean
@raise LogicError (201) if no context is current
= cuda.Context:push()
cuCtxPushCurrent: makes the context current on this thread.
@return cuda.Context self
@raise LogicError for a detached context
= cuda.Context:set_cache_config(config)
cuCtxSetCacheConfig: the preference of kernels that do not set their own, a hint. Sets it for this context;
Context.set_cache_config(config) for the current one.
@param config integer|string  cuda.func_cache, or its name: "prefer_l1"
@raise LogicError for any other value
= cuda.Context:set_limit(limit, value)
cuCtxSetLimit: sets a limit of this context; Context.set_limit(limit, value) of the current one. The driver may round
the value.
@param limit integer|string  cuda.limit, or its name: "stack_size"
@param value integer  the new limit: bytes, or a count
@raise LogicError (215) if the device does not have this limit, and for a value out of range
= cuda.Context:set_shared_config(config)
cuCtxSetSharedMemConfig: has no effect on current GPUs. Sets it for this context; Context.set_shared_config(config)
for the current one.
@param config integer|string  cuda.shared_config, or its name: "four_byte_bank_size"
@raise LogicError for any other value
= cuda.Context:synchronize()
cuCtxSynchronize: waits for all work of this context; Context.synchronize() waits for the current one.
@call fun()
@raise errors of kernels
= cuda.Context:with(f, ...)
Makes the context current, calls f(...) and removes the context from the stack again, even if f raises an error.
@param f function  the function to call
@param ... any  the arguments of f
@return any ...  the results of f
@raise errors of f, and LogicError if f left another context on top of the stack.
= cuda.Device class
A GPU, identified by its ordinal (0-based, as in CUDA). Each ordinal has one object, which you can use as a table
key.
@call fun(device: integer|string): cuda.Device  ordinal from 0, or PCI bus id: "0000:3b:00.0"
= cuda.Device.count()
cuDeviceGetCount: returns the number of devices.
@return integer  number of devices
@raise RuntimeError if the driver is missing
= cuda.Device.get_device(device)
As cuda.Device(device).
@param device integer|string  0 to Device.count() - 1, or a PCI bus id
@return cuda.Device
@raise LogicError (101) if the device does not exist
= cuda.Device:can_access_peer(other)
cuDeviceCanAccessPeer: returns true if kernels on this device can use the memory of the other device. Enable it with
Context:enable_peer_access().
@param other cuda.Device  the device whose memory is used
@return boolean  false for the device itself
@raise LogicError if other is not a Device
= cuda.Device:compute_cabability()
As compute_capability(), spelled as in PyCUDA's early documentation.
@return integer major
@return integer minor
= cuda.Device:compute_capability()
cuDeviceGetAttribute 75 and 76.
@return integer major
@return integer minor
= cuda.Device:get_attribute(attribute)
cuDeviceGetAttribute. You can also read an attribute as a field: `dev.clock_rate`.
@param attribute integer|string  cuda.device_attribute, or its name: "clock_rate"
@return integer  the value in the driver's unit: bytes, kHz, 0 or 1 ...
@raise LogicError for an unknown name, or a number that the driver does not know
= cuda.Device:get_attributes(options)
cuDeviceGetAttribute, for every attribute of cuda.h that this driver knows.
@param options? {names: boolean}  names = true: use lower-case names as keys
@return table<integer|string, integer>  keyed by number, or by name
@raise LogicError for other options
@options names
= cuda.Device:make_context(flags)
cuCtxCreate: creates a context and makes it current. `cuda.Context(dev, flags)` does the same.
@param flags? integer|string|(integer|string)[]  cuda.ctx_flags: "sched_spin", or several in a list
@return cuda.Context
@raise MemoryError, LogicError for invalid flags
= cuda.Device:name()
cuDeviceGetName.
@return string
= cuda.Device:ordinal()
cuDeviceGet's ordinal.
@return integer  the 0-based number of the device
= cuda.Device:p2p_attribute(other, attribute)
cuDeviceGetP2PAttribute: an attribute of the link from this device to the other.
@param other cuda.Device  the device at the other end of the link
@param attribute integer|string  cuda.p2p_attribute, or its name: "performance_rank"
@return integer
@raise LogicError if other is the same device
= cuda.Device:pci_bus_id()
cuDeviceGetPCIBusId. (For the numeric attribute with this name, use get_attribute "pci_bus_id".)
@return string  domain:bus:device.function, "0000:3b:00.0"; cuda.Device() takes it
= cuda.Device:retain_primary_context()
cuDevicePrimaryCtxRetain: returns the context that the CUDA runtime and other libraries share. Does not make it
current.
@return cuda.Context  the same object each time, while it is alive; the host program's object, if it is known
= cuda.Device:total_memory()
cuDeviceTotalMem.
@return number  bytes
= cuda.Device:uuid()
cuDeviceGetUuid: identifies this GPU on any machine. nvidia-smi prefixes it with GPU- (with MIG- for a part of a
GPU).
@return string  36 characters: "0a1b2c3d-..."
@raise RuntimeError if the driver is older than 11.4
= cuda.device_error(device)
Returns the device's sticky error. After such an error every call on the device fails in this process, which must
restart.
@param device? cuda.Device  default: the device of the current context
@return integer? code  nil without such an error
@return string? name  "CUDA_ERROR_ILLEGAL_ADDRESS"
@raise LogicError (201) if no context is current and you pass no device
= cuda.devices(f, options)
Runs a function once for each device of this process, with the device's primary context current. The calls take
turns: one runs until it waits for the others in a call between ranks, such as all_reduce(), or until it returns.
Kernels of all devices run at the same time, because launches do not wait.
@param f fun(world: cuda.distributed.Group): any  gets the group of all devices, which cuda.distributed.init() returns, too; world.rank counts them from 0
@param options? {devices: integer[]}  devices: the numbers of the devices to use; default all
@return any[] results  the first result of each call, at position rank + 1
@raise LogicError for invalid options, inside another call of devices(), and in one of several processes of cudalua run. The error of the first call that fails, with its rank; the others raise it in their next call between ranks
@options devices
= cuda.wrap_context(handle)
Returns a Context for a CUcontext that other code in this process owns. detach() releases it without destroying the
CUcontext. An invalid handle may crash the driver.
@param handle integer|ffi.cdata*  the CUcontext as a number
@return cuda.Context  the same object each time
@raise LogicError for 0, and for the handle of a Context that was detached
# docs/distributed.md
= cuda.distributed module
Several processes that compute together. Start them with `cudalua run -n 4 script.lua`, or with mpirun or srun.
= cuda.distributed.Array class
An array that is distributed among the ranks of a group. Each rank has a block of neighbouring positions along one
axis. If the array is replicated, each rank has all of it. Operators and element-wise methods such as `a:exp()`
compute on the blocks, without a call between ranks. All ranks must call the other methods together.
@field shape integer[]   the extents of the whole array
@field dtype cuda.dtype.DType  the element type
@field ndim integer      the number of axes
@field size integer      the number of elements of the whole array
@field axis? integer     the axis that is divided among the ranks, from 1; nil if the array is replicated
@field T cuda.distributed.Array  a view with the axes reversed
@field block cuda.gpuarray.Array  the part of this rank, which the program may read and write
@field first integer     the first position of the block on the divided axis, from 1
@field last integer      its last position; first - 1 if the block is empty
@field group cuda.distributed.Group  the ranks that have the array
= cuda.distributed.Array:all(options)
Tests whether all elements are not 0.
@param options? any  {axis, keepdims}, or the axis, as for gpuarray.all
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError, RuntimeError as min
@options axis keepdims
= cuda.distributed.Array:any(options)
Tests whether any element is not 0.
@param options? any  {axis, keepdims}, or the axis, as for gpuarray.any
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError, RuntimeError as min
@options axis keepdims
= cuda.distributed.Array:argmax(options)
Returns the position of the largest element, as argmin.
@param options? any  {axis, keepdims}, or the axis, as for gpuarray.argmax
@return cuda.distributed.Array  int64, replicated if the divided axis is reduced
@raise LogicError, RuntimeError as min
@options axis keepdims
= cuda.distributed.Array:argmin(options)
Returns the position of the smallest element, from 1, or of the first NaN. Of several equal elements, the first one
counts. Without an axis, positions count all elements in C order.
@param options? any  {axis, keepdims}, or the axis, as for gpuarray.argmin
@return cuda.distributed.Array  int64, replicated if the divided axis is reduced
@raise LogicError, RuntimeError as min
@options axis keepdims
= cuda.distributed.Array:argsort(options)
Returns the positions that sort the array along an axis, as gpuarray.argsort.
@param options? any  as for sort
@return cuda.distributed.Array  int64, positions on the axis of the whole array, from 1; divided as this array
@raise LogicError and RuntimeError as sort
@options axis descending
= cuda.distributed.Array:astype(dtype)
Returns the elements converted to another dtype.
@param dtype any  the new dtype, as for dtype.of
@return cuda.distributed.Array
@raise LogicError if the dtype is unknown
= cuda.distributed.Array:copy()
Returns a copy.
@return cuda.distributed.Array
= cuda.distributed.Array:count_nonzero(options)
Returns the number of elements that are not 0, as int64.
@param options? any  {axis, keepdims}, or the axis, as for gpuarray.count_nonzero
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError, RuntimeError as min
@options axis keepdims
= cuda.distributed.Array:cumsum(options)
Returns the running sums along an axis, in the types of gpuarray.cumsum. They have the bits of one device, except for
floats and complex numbers in vectors of more than 4,194,304 elements. Those have the same bits for up to 64 ranks,
but one device computes other ones.
@param options? any  {axis, dtype}, or the axis; only vectors have a default. dtype: the dtype of the result
@return cuda.distributed.Array  divided as this array
@raise LogicError if the axis is missing or out of range, or the dtype is not supported, or if the calls of the ranks differ; RuntimeError as sort
@options axis dtype
= cuda.distributed.Array:dot(b)
Returns the sum of the products of two vectors' elements, with the bits of one device.
@param b cuda.distributed.Array  a vector of the same length, divided as this one
@return cuda.distributed.Array  0-d, replicated
@raise LogicError if the arrays are not vectors of one length, or are divided differently; RuntimeError as sum
= cuda.distributed.Array:eval()
Computes the block now, if it is pending.
@return cuda.distributed.Array self
= cuda.distributed.Array:gather()
Returns the whole array, on all ranks.
@return cuda.gpuarray.Array  a new array, which has nothing to do with the blocks any more
@raise LogicError if the calls of the ranks differ; RuntimeError if a rank ends, fails or does not come in time
= cuda.distributed.Array:halo(width, options)
Returns the block of this rank together with the positions beside it on the divided axis, which belong to other
ranks: what a stencil reads. At the ends of the axis the block has no neighbours, so the result has fewer positions
there, unless you pass `fill` or `periodic`. An empty block gets the positions on both sides, too, so the result of
`fill` and `periodic` always has 2 * width positions more than the block.
@param width integer  how many positions on each side: 0 to the extent of the axis
@param options? {fill: any, periodic: boolean}  fill: the value of positions beyond the ends; periodic: the axis is a ring, whose first and last positions are neighbours; default false
@return cuda.gpuarray.Array  a new array
@raise LogicError for a replicated array or another width, or if the calls of the ranks differ; RuntimeError as gather
@options fill periodic
= cuda.distributed.Array:item()
Returns the value of a replicated array of one element, such as a sum.
@return boolean|number|ffi.cdata*
@raise LogicError if the array is divided among ranks or has more elements
= cuda.distributed.Array:matmul(b, options)
Returns the matrix product, for operands that are divided along any axes. If this array is divided along axis 1, so
is the result. Columns of this array, with rows of `b` or with a vector, give a replicated array. It adds up a
product of each rank, so its bits depend on the number of ranks. All other products have the bits of one device if
the library's own kernels compute them.
@param b cuda.distributed.Array  a matrix or vector, with as many rows as this array has columns
@param options? {dtype: any}  dtype: the dtype of the result, as for gpuarray.matmul
@return cuda.distributed.Array
@raise LogicError if the shapes do not fit, or if the calls of the ranks differ; RuntimeError if a rank ends, fails or does not come in time
@options dtype
= cuda.distributed.Array:max(options)
Returns the largest element; NaN if an element is NaN.
@param options? any  {axis, keepdims}, or the axis, as for gpuarray.max
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError, RuntimeError as min
@options axis keepdims
= cuda.distributed.Array:mean(options)
Returns the mean of the elements, with the bits of one device.
@param options? any  {axis, keepdims, dtype}, or the axis, as for gpuarray.mean
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError, RuntimeError as sum
@options axis dtype keepdims
= cuda.distributed.Array:min(options)
Returns the smallest element; NaN if an element is NaN.
@param options? any  {axis, keepdims}, or the axis, as for gpuarray.min
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError as gpuarray.min, or if the calls of the ranks differ; RuntimeError as sum
@options axis keepdims
= cuda.distributed.Array:norm(options)
Returns the norm of the elements as a vector: the square root of the sum of their squared absolute values, with the
bits of one device.
@param options? any  {axis, keepdims}, or the axis, as for gpuarray.norm
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError, RuntimeError as sum
@options axis keepdims
= cuda.distributed.Array:prod(options)
Returns the product of the elements, with the bits of one device.
@param options? any  {axis, keepdims, dtype}, or the axis, as for gpuarray.prod
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError, RuntimeError as sum
@options axis dtype keepdims
= cuda.distributed.Array:redistribute(axis)
Returns the array divided along another axis, or whole on each rank.
@param axis? integer  the axis to divide, from 1, where negative numbers count from the end; nil: none, so that each rank has the whole array
@return cuda.distributed.Array  the array itself if it is divided so already
@raise LogicError if the axis is out of range, or if the calls of the ranks differ; RuntimeError as gather
= cuda.distributed.Array:reshape(...)
Returns the same elements with another shape. The divided axis stays as it is: other axes can be split, joined or
added. A view of the blocks if their layout allows it, else a copy.
@param ... any  the extents, or one list of them; one may be -1 and is computed from the others
@return cuda.distributed.Array
@raise LogicError if the sizes differ, or no axis of the new shape is the divided one
= cuda.distributed.Array:sort(options)
Returns the elements sorted along an axis, as gpuarray.sort: equal elements keep their order, and NaNs are greater
than everything. Elements of a vector move to another rank at most once.
@param options? any  {axis, descending}, or the axis: the last one by default. descending: sort in descending order; default: false
@return cuda.distributed.Array  divided as this array
@raise LogicError for a 0-d array, an axis out of range or structs, or if the calls of the ranks differ. RuntimeError if a rank ends, fails or does not come in time
@options axis descending
= cuda.distributed.Array:std(options)
Returns the standard deviation: the square root of the variance, in the same way as var.
@param options? any  {axis, keepdims, dtype, ddof}, or the axis, as for gpuarray.std. ddof: as for var
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError, RuntimeError as sum
@options axis ddof dtype keepdims
= cuda.distributed.Array:sum(options)
Returns the sum of the elements, in the types of gpuarray.sum. The order of additions is that of one device, so the
result has the same bits for any number of ranks.
@param options? any  {axis, keepdims, dtype}, or the axis, as for gpuarray.sum
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError as gpuarray.sum, or if the calls of the ranks differ; RuntimeError if a rank ends, fails or does not come in time
@options axis dtype keepdims
= cuda.distributed.Array:take(indices, options)
Returns the elements at positions of an axis, as gpuarray.take. Along an axis that is not divided, each rank takes
from its block. Along the divided axis, each rank receives the elements that it wants, each of them once.
@param indices any  the positions, from 1, negative ones from the end. Either a distributed array of integers, or what all ranks pass equal: an array of integers, nested lists or a number. Their shape replaces the axis
@param options? {axis: integer, mode: "raise"|"wrap"|"clip"}  axis: only vectors have a default; mode: how to treat a position out of range, as for gpuarray.take
@return cuda.distributed.Array  along the divided axis: divided as the indices, or along the first axis of those that all ranks pass. Otherwise divided as this array, or as the indices if it is replicated
@raise LogicError as gpuarray.take, on all ranks; if the axis is missing, or if the calls of the ranks differ. RuntimeError if a rank ends, fails or does not come in time
@options axis mode="raise"|"wrap"|"clip"
= cuda.distributed.Array:transpose()
Returns a view with the axes reversed.
@return cuda.distributed.Array
= cuda.distributed.Array:var(options)
Returns the variance: the mean of the squared distances from the mean. It takes two passes over the elements, so it
has the bits of one device for up to 16,384 elements of each result. For more elements, the bits are the same for any
number of ranks, but one device computes other ones.
@param options? any  {axis, keepdims, dtype, ddof}, or the axis, as for gpuarray.var. ddof: what is subtracted from the number of elements to get the divisor; default 0
@return cuda.distributed.Array  replicated if the divided axis is reduced
@raise LogicError, RuntimeError as sum
@options axis ddof dtype keepdims
= cuda.distributed.Array:with_block(block)
Returns an array that has other blocks, divided as this one: for blocks that the program computed by itself.
@param block cuda.gpuarray.Array  the new block of this rank. It has as many axes as this array, and as many positions on the divided axis; the other extents may differ, but must be the same on all ranks
@return cuda.distributed.Array
@raise LogicError if the block has another number of axes or of positions
= cuda.distributed.Group class
A group of ranks. All of its ranks must make the same calls in the same order, with the same shapes and dtypes;
otherwise all of them raise an error. Ranks count from 0. Arrays may be on the device or in host memory, and the
result is on the same side. Without `out` it is a new array; with `out = a` a call works in place. With
`async = true`, calls that move arrays return a Handle, whose wait() returns the result.
@field rank integer        this process's number in the group, from 0
@field size integer        the number of ranks
@field ranks integer[]     their numbers in the world, in the group's order
@field local_rank integer  this process's number among those of this machine
@field local_size integer  the number of processes on this machine
@field device cuda.Device  the device of this process
@field transport string    what moves arrays: "shm", memory that the processes share, "mpi", "nccl", or "process" between the ranks of cuda.devices()
= cuda.distributed.Group:all_gather(a, options)
Gives the arrays of all ranks to all.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  of the same shape and dtype on all ranks
@param options? {out: any, async: boolean}  out: an array for the result; async: as for all_reduce
@return cuda.gpuarray.Array|cuda.ndarray.Array|cuda.distributed.Handle  of shape (size, ...): position r + 1 of the first axis has the array of rank r
@raise LogicError if the calls of the ranks differ, or if out has another shape or dtype; RuntimeError as all_reduce
@options async out
= cuda.distributed.Group:all_reduce(a, options)
Combines the arrays of all ranks element by element, and gives the result to all. All ranks get the same bits, and
the order of the combination depends on the number of ranks alone. float16 and bfloat16 are combined in float32.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  of the same shape and dtype on all ranks
@param options? {op: string, out: any, async: boolean}  op: "sum" (default), "prod", "min", "max" or "mean"; integers wrap, "mean" takes floats and complex numbers; out: an array for the result, which may be `a`; async: return a Handle
@return cuda.gpuarray.Array|cuda.ndarray.Array|cuda.distributed.Handle
@raise LogicError if the calls of the ranks differ; if op is not defined for the dtype; if out has another shape or dtype. RuntimeError if a rank ends, fails or does not come in time
@options async op out
= cuda.distributed.Group:all_to_all(a, options)
Gives a part of each rank's array to each other rank: rank r gets position r + 1 of the first axis of all arrays.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  of shape (size, ...), the same on all ranks
@param options? {out: any, async: boolean}  out: an array for the result, which may be `a`; async: as for all_reduce
@return cuda.gpuarray.Array|cuda.ndarray.Array|cuda.distributed.Handle  of the same shape: position r + 1 is what rank r gave
@raise LogicError if the first axis does not have `size` positions, and as all_gather; RuntimeError as all_reduce
@options async out
= cuda.distributed.Group:barrier()
Waits until all ranks have called it.
@raise LogicError if other ranks make another call; RuntimeError if a rank ends, fails or does not come in time
= cuda.distributed.Group:broadcast(a, options)
Gives the array of one rank to all.
@param a? cuda.gpuarray.Array|cuda.ndarray.Array  root's array; the other ranks may pass nil, or an array of the same shape and dtype that says where the result belongs: on the device or in host memory
@param options? {root: integer, out: any, async: boolean}  root: the rank whose array it is, default 0; out: an array for the result; async: as for all_reduce
@return cuda.gpuarray.Array|cuda.ndarray.Array|cuda.distributed.Handle
@raise LogicError if the calls of the ranks differ, or if out has another shape or dtype; RuntimeError as all_reduce
@options async out root
= cuda.distributed.Group:broadcast_object(value, options)
Gives a Lua value of one rank to all: nil, a boolean, a number, a string, a 64-bit integer, a host array, or a table
of these.
@param value any  root's value; the others' are ignored
@param options? {root: integer}  root: the rank whose value it is, default 0
@return any  root's own value on root, copies on the other ranks
@raise LogicError if the value contains anything else, or if the calls of the ranks differ; RuntimeError as all_reduce
@options root
= cuda.distributed.Group:close()
Leaves a group that split() or group() created. The collector does this, too. Ranks do not wait for each other here,
except with NCCL: there all ranks of the group must call it, and what the collector leaves ends with the process.
@raise LogicError for the world, which lasts as long as the process
= cuda.distributed.Group:gather(a, options)
Gives the arrays of all ranks to one.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  of the same shape and dtype on all ranks
@param options? {root: integer, out: any, async: boolean}  root: the rank that gets the result, default 0; out: an array for the result, only on root; async: as for all_reduce
@return cuda.gpuarray.Array|cuda.ndarray.Array|cuda.distributed.Handle?  of shape (size, ...), as for all_gather; nil on the other ranks
@raise LogicError as all_gather, and if root is not a rank; RuntimeError as all_reduce
@options async out root
= cuda.distributed.Group:group(ranks)
Creates a group of some ranks. All ranks of this group must call it with the same list.
@param ranks integer[]  in the order that they have in the new group
@return cuda.distributed.Group?  nil on ranks that are not in the list
@raise LogicError if the list contains other values or a rank twice, if the lists of the ranks differ, or if 255 groups exist; RuntimeError as all_reduce
= cuda.distributed.Group:recv(a, options)
Receives an array from another rank.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  has the shape and the dtype of what is sent; it is not changed unless it is `out`
@param options {from: integer, out: any, async: boolean}  from: the rank that sends it; out: an array for the result; async: as for all_reduce
@return cuda.gpuarray.Array|cuda.ndarray.Array|cuda.distributed.Handle
@raise LogicError if `from` is not another rank, or if that sends another shape or dtype; RuntimeError as send
@options async from out
= cuda.distributed.Group:reduce(a, options)
As all_reduce, but gives the result to one rank.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  of the same shape and dtype on all ranks
@param options? {op: string, root: integer, out: any, async: boolean}  root: the rank that gets the result, default 0; op, out, async: as for all_reduce, and out only on root
@return cuda.gpuarray.Array|cuda.ndarray.Array|cuda.distributed.Handle?  nil on the other ranks
@raise LogicError as all_reduce, and if root is not a rank; RuntimeError as all_reduce
@options async op out root
= cuda.distributed.Group:reduce_scatter(a, options)
Combines the arrays of all ranks, and divides the result among them.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  of shape (size, ...), the same on all ranks
@param options? {op: string, out: any, async: boolean}  as for all_reduce
@return cuda.gpuarray.Array|cuda.ndarray.Array|cuda.distributed.Handle  rank r gets position r + 1 of the first axis
@raise LogicError if the first axis does not have `size` positions, and as all_reduce; RuntimeError as all_reduce
@options async op out
= cuda.distributed.Group:scatter(a, options)
Divides the array of one rank among all.
@param a? cuda.gpuarray.Array|cuda.ndarray.Array  root's array of shape (size, ...); the other ranks may pass nil
@param options? {root: integer, out: any, async: boolean}  root: the rank whose array it is, default 0; out: an array for the result; async: as for all_reduce
@return cuda.gpuarray.Array|cuda.ndarray.Array|cuda.distributed.Handle  rank r gets position r + 1 of the first axis
@raise LogicError if the first axis does not have `size` positions, and as broadcast; RuntimeError as all_reduce
@options async out root
= cuda.distributed.Group:send(a, options)
Sends an array to another rank, and waits until that has it.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  the array to send, of any shape and layout
@param options {to: integer, async: boolean}  to: the rank that receives it; async: as for all_reduce
@return cuda.distributed.Handle?  only with async
@raise LogicError if `to` is not another rank, or if that expects another shape or dtype; RuntimeError as all_reduce, and if the two ranks wait for each other
@options async to
= cuda.distributed.Group:split(options)
Divides the group: ranks with the same color form a new group. All ranks of this group must call it.
@param options {color: integer|false, key: integer}  color: false for no group; key: ranks of the new group are in the order of their keys (default 0), and then of their ranks here
@return cuda.distributed.Group?  nil for color = false
@raise LogicError if color or key is not an integer, or if 255 groups exist; RuntimeError as all_reduce
@options color key
= cuda.distributed.Handle class
A call between ranks that was made with `async = true`. With NCCL it goes on while the program computes. With other
transports it is done when you get the handle.
= cuda.distributed.Handle:is_done()
Whether the call has ended. Does not wait.
@return boolean  also true if it has ended because another rank failed; wait() then raises the error
= cuda.distributed.Handle:wait()
Returns the result of the call. With NCCL, the current stream waits for the call. The host only waits for a result in
host memory. You can call it again.
@return cuda.gpuarray.Array|cuda.ndarray.Array?  what the call returns without `async`: nil for send, and on ranks that get no result
@raise RuntimeError if another rank has ended or failed before the call was complete; LogicError while the current stream is being captured
= cuda.distributed.arange(start, stop, step, dtype, options)
Returns the numbers of gpuarray.arange with the same arguments, divided among ranks, with the same bits:
arange(stop), arange(start, stop) or arange(start, stop, step). A dtype and options may follow.
@call fun(stop: number|ffi.cdata*, dtype?: any, options?: table): cuda.distributed.Array
@param start number|ffi.cdata*  the first number; default: 0
@param stop number|ffi.cdata*   the end, which is excluded
@param step? number|ffi.cdata*  the difference between two numbers; default: 1
@param dtype? any  as for gpuarray.arange
@param options? {dtype: any, axis: integer|false, group: cuda.distributed.Group}  as for zeros
@return cuda.distributed.Array
@raise LogicError as gpuarray.arange
@options axis dtype group
= cuda.distributed.checkpoint(path, state, options)
Saves the state of a program as a folder `path.N`, where N is one more than in the newest one. All ranks must call
it. The folder appears when it is complete and on the disk. The two newest are kept.
@param path string  of the folders, without the number; a file system that all ranks see
@param state table  of nil, booleans, numbers, strings, 64-bit integers, arrays, and tables of these. Arrays on the device and in host memory must be the same on all ranks; distributed arrays have a block on each. Other values are those of rank 0
@param options? {group: cuda.distributed.Group, own: any}  own: a value of each rank for itself, with host arrays alone; group: the ranks that save it, default all
@return string folder
@raise LogicError if state contains other values, or if the ranks have different arrays; RuntimeError on all ranks if one cannot write
@options group own
= cuda.distributed.full(shape, value, dtype, options)
Returns an array of one value that is divided among ranks.
@param shape integer|integer[]  as for zeros
@param value any  a boolean, number, 64-bit integer or complex cdata; the same on all ranks
@param dtype? any  as for zeros; default: the default float for numbers, else the value's own dtype
@param options? {dtype: any, axis: integer|false, group: cuda.distributed.Group}  as for zeros
@return cuda.distributed.Array
@raise LogicError if the dtype cannot hold the value, and as zeros
@options axis dtype group
= cuda.distributed.halo(a, width, options)
As Array:halo: returns the block of this rank together with the positions beside it on the divided axis.
@param a cuda.distributed.Array  a divided array
@param width integer  how many positions on each side
@param options? {fill: any, periodic: boolean}  fill: the value of positions beyond the ends; periodic: the axis is a ring; default false
@return cuda.gpuarray.Array
@raise LogicError, RuntimeError as Array:halo
@options fill periodic
= cuda.distributed.init(options)
Joins the ranks that `cudalua run`, mpirun or srun has started, and returns the group of all of them. A process that
was started alone is the only rank of its world. Makes the primary context of the process's device current, unless a
context is current: ranks of one machine take its devices in turn. Later calls return the same group.
@param options? {timeout: number, backend: string}  timeout: seconds that a call may wait for another rank; default CUDALUA_DIST_TIMEOUT, else 600. backend: "nccl" (between GPUs), "shm" or "mpi" (host memory) moves arrays. Default CUDALUA_DIST_BACKEND, else NCCL if each of several ranks has a GPU of its own
@return cuda.distributed.Group
@raise LogicError for invalid options, for different backends, and in a program that a rank has started. RuntimeError if the driver, a device, the requested backend or the launcher's MPI library is missing
@options backend timeout
= cuda.distributed.linspace(start, stop, num, dtype, options)
Returns `num` evenly spaced numbers, divided among ranks: as gpuarray.linspace, with the same bits.
@param start number  the first number
@param stop number   the last number; excluded if endpoint is false
@param num? integer  the number of elements of the whole array; default: 50
@param dtype? any    as for gpuarray.linspace
@param options? {dtype: any, axis: integer|false, group: cuda.distributed.Group, endpoint: boolean}  endpoint: include `stop`; default true; the others as for zeros
@return cuda.distributed.Array
@raise LogicError as gpuarray.linspace
@options axis dtype endpoint group
= cuda.distributed.load(path, options)
Loads an array from a .npy file on all ranks. With `axis` each rank reads its block alone. All ranks must call it.
@param path string  the file's; any .npy file, also of NumPy
@param options? {axis: integer, group: cuda.distributed.Group}  axis: the axis to divide among the ranks, from 1; without it, each rank gets the whole array. group: the ranks that load it, default all
@return any  an array on the device; with `axis` a distributed array
@raise LogicError if the file is not a .npy file, or has no such axis; RuntimeError on all ranks if one cannot read it
@options axis group
= cuda.distributed.ones(shape, dtype, options)
Returns an array of ones (of true for bool) that is divided among ranks.
@param shape integer|integer[]  as for zeros
@param dtype? any  as for zeros
@param options? {dtype: any, axis: integer|false, group: cuda.distributed.Group}  as for zeros
@return cuda.distributed.Array
@raise LogicError, MemoryError as zeros
@options axis dtype group
= cuda.distributed.random(shape, dtype, options)
Returns random numbers that are divided among ranks: for any number of ranks those that the generator gives one
device.
@param shape integer|integer[]  the extents of the whole array
@param dtype? any  a floating-point type; default: dtype.default_float()
@param options? {dtype: any, axis: integer|false, group: cuda.distributed.Group, generator: any, distribution: string}  generator: has the same state on all ranks. Default: random.default() of rank 0. distribution: "uniform" (default), from 0 up to 1; "normal", with mean 0 and standard deviation 1; "exponential", with mean 1. axis, group: as for zeros
@return cuda.distributed.Array
@raise LogicError for other types and distributions, if the states of the generators differ, or if the calls of the ranks differ; RuntimeError as shard
@options axis distribution dtype generator group
= cuda.distributed.replicate(a, options)
Gives the array of one rank to all, as a replicated array, which can be an operand beside arrays that are divided.
@param a? cuda.gpuarray.Array|cuda.ndarray.Array  the array of root; the other ranks may pass nil, or an array of the same shape and dtype, which is ignored
@param options? {group: cuda.distributed.Group, root: integer}  group: as for shard; root: the rank whose array it is, default 0
@return cuda.distributed.Array
@raise LogicError, RuntimeError as Group:broadcast
@options group root
= cuda.distributed.restore(path, options)
Reads the newest checkpoint that is not damaged, on any number of ranks. All ranks must call it. If a checkpoint is
damaged, it calls cuda.on_notice and reads the one before.
@param path string  as for checkpoint
@param options? {group: cuda.distributed.Group}  group: the ranks that read it, default all
@return table? state  nil if there is no checkpoint; arrays are on the side where they were, and distributed arrays have a block on each rank
@return any own  what this rank passed for itself; nil if the checkpoint is of another number of ranks
@raise RuntimeError on all ranks if no checkpoint can be read by all of them
@options group
= cuda.distributed.save(path, a, options)
Saves an array as one .npy file, which all ranks write at once. All ranks must call it. The file appears when it is
complete and on the disk; an older one is replaced then.
@param path string  the file's; a file system that all ranks see
@param a any  a distributed array, or an array that is the same on all ranks
@param options? {group: cuda.distributed.Group}  group: the ranks that save it, default all
@raise LogicError if the ranks pass different arrays; RuntimeError on all ranks if one cannot write
@options group
= cuda.distributed.shard(a, axis, options)
Divides an array among ranks along an axis: each rank keeps a copy of its block. Each rank passes the whole array; or
one rank passes it, with `root`, and sends the blocks.
@param a? cuda.gpuarray.Array|cuda.ndarray.Array  the whole array, with the same elements on all ranks. With `root`, the other ranks pass nil
@param axis? integer  the axis to divide, from 1, where negative numbers count from the end; default: 1
@param options? {group: cuda.distributed.Group, root: integer}  group: the ranks; default: the world, which is joined by init() if necessary. root: the rank that has the array; default: all have it
@return cuda.distributed.Array
@raise LogicError if the axis is out of range, or if the calls of the ranks differ; RuntimeError if a rank ends, fails or does not come in time
@options group root
= cuda.distributed.zeros(shape, dtype, options)
Returns an array of zeros (of false for bool) that is divided among ranks.
@param shape integer|integer[]  the extents of the whole array, as for gpuarray.zeros
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, axis: integer|false, group: cuda.distributed.Group}  axis: the axis to divide; default: 1; false: replicated; group: as for shard
@return cuda.distributed.Array
@raise LogicError for an invalid shape, dtype or option; MemoryError
@options axis dtype group
# docs/embedding.md
= cuda.VERSION field
The version of this library, {major, minor, patch}. You can compare two lists with its metatable; to compare with
plain numbers, use version_at_least().
= cuda.VERSION_STATUS field
The suffix of a version that is not a release: "rc1"; "" for a release.
= cuda.VERSION_TEXT field
The version as text: "0.1.0".
= cuda.driver_info()
Returns the driver in use.
@return {open: boolean, soft: boolean?, version: integer?, path: string?}  open: true if the driver is open; soft: true for the software device; version: the driver's CUDA version; path: the driver's library
= cuda.get_driver_version()
Returns the CUDA version of the driver in use (cuDriverGetVersion). Before cuda.init(), returns the version of the
driver that CUDALUA_DRIVER names or that is tried first.
@return integer  13000 for 13.0
@raise RuntimeError if the driver is missing
= cuda.get_version()
Returns the CUDA version of the headers that this library was built with. Works before cuda.init().
@return integer major, integer minor, integer patch
= cuda.init(options)
Opens the driver. Calls that need the driver open it automatically. Use init() to choose another driver, or to get
errors at this point of the program. Later calls do nothing, but raise an error if they name another driver.
@param options? integer|{driver?: string, flags?: integer}  flags: must be 0; driver: "auto" (default, or CUDALUA_DRIVER), "cuda", "soft" (the software CUDA device), or the path of a driver library
@raise RuntimeError if the driver or a device is missing (100), LogicError for invalid options, and if the process uses another driver. If no GPU is found, "auto" falls back to the software device, with a notice.
@options driver flags
= cuda.interrupt()
Interrupts the Lua state that has interrupts on, as Ctrl-C does. If called from another thread than that state's, it
ends waits but does not interrupt Lua code. Does nothing if no state has interrupts on.
= cuda.interrupts(on)
Lets Ctrl-C interrupt this Lua state. With interrupts on, SIGINT and cuda.interrupt() raise an InterruptError in your
interpreted Lua code, in waits for the device and the compiler, and in kernels of the software device, which they
end. No array is lost. A kernel on a GPU goes on. Loops that LuaJIT has compiled are not interrupted; use `jit.off()`
for those. A second press within two seconds raises the error again in every function that catches it, until
interrupts(true) is called again. A SIGINT handler of the program stays installed; it may call cuda.interrupt().
@param on? boolean  the new setting; default: leave it unchanged
@return boolean before  true if they were on in this state
@raise LogicError if interrupts are on in another Lua state of the process, or `on` is not a boolean
= cuda.on_notice(text)
Called with the text of a notice, such as a compiler's warnings; a notice is not an error. Assign another function,
or nil to suppress notices.
@param text string  the text of the notice
@raise LogicError if a function is passed: assign it instead
= cuda.text_errors(fn, options)
Returns a function that calls fn and converts errors of this library to strings: for host programs that show only
strings, such as nginx, and C that calls lua_tostring().
@param fn function  an entry point of the program
@param options? {traceback: boolean}  traceback: append the stack of the error to the text; default false
@return function  takes the arguments of fn and returns its results; errors of other code pass unchanged
@raise LogicError if fn is not callable
@options traceback
= cuda.version_at_least(major, minor, patch)
Returns true if this library has the given version or a newer one.
@param major integer  the major version
@param minor? integer  the minor version; default 0
@param patch? integer  the patch version; default 0
@return boolean
@raise LogicError if they are not non-negative integers
= cudalua.luassert module
`require "cudalua.luassert"` lets luassert, and with it busted, show arrays, dtypes and errors in a failed assertion, where it shows addresses and fields otherwise.
= cudalua.luassert.text(value)
Returns the text of a value for a failed assertion: for an array its kind, dtype, shape and elements.
@param value any  any value
@return string?  nil for values of types that are not of this library
# docs/filters.md
= cuda.image module
Image filters. Rows and columns are the last two axes of an array, or with channels = true the two before the last,
as cuda.io.load_image returns them. All other axes are a batch of images. The result has the image's dtype. Integers
and 16-bit floats are computed in float32; integer results are rounded, with ties to even, and clamped to their
range.
= cuda.image.convolve2d(a, kernel, options)
The convolution of images with a kernel, which is flipped, as in SciPy's signal.convolve2d. Without the flip, as in
PyTorch's conv2d and OpenCV's filter2D, pass k:flip().
@param a cuda.gpuarray.Array  the images, (..., height, width), or with channels (..., height, width, channels)
@param kernel any  a 2-D array, or host data; its numbers are converted to the dtype of the computation
@param options? {mode: string, boundary: string, fill: any, channels: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  mode: "full" (default): all positions where the kernel overlaps the image; "same": the image's size; "valid": positions where the kernel lies inside; boundary: the values outside the image, a mode of gpuarray.pad: "constant" (default), "edge", "reflect", "symmetric", "wrap"; fill: the value of "constant", default 0; channels: the last axis holds the channels of a pixel
@return cuda.gpuarray.Array
@raise LogicError for unsupported shapes and dtypes, and for unknown modes and boundaries
@options allocator boundary channels fill mode out stream
= cuda.image.resize(a, size, options)
Resizes images. The centres of pixels lie at halves: for m of n pixels, pixel i is computed at (i - 1/2) n / m,
counted from the edge. Filters are not widened for a smaller image; "area" is the filter that uses all pixels.
@param a cuda.gpuarray.Array  the images, as for image.convolve2d
@param size integer[]  { height, width }
@param options? {filter: string, channels: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  filter: "linear" (default): between two pixels on each axis; "cubic": Keys' cubic with a = -1/2, between four pixels, without those outside the image; "nearest": for any dtype, also bool and structs; "area": the mean of the part that a pixel covers; channels: the last axis holds the channels of a pixel
@return cuda.gpuarray.Array
@raise LogicError for invalid sizes and filters, dtypes that the filter does not support, and for enlarging an empty image
@options allocator channels filter out stream
= cuda.image.rotate(a, degrees, options)
Rotates images counterclockwise about their centre; row 1 is at the top. Outside an image the filter uses the fill
value.
@param a cuda.gpuarray.Array  the images, as for image.convolve2d
@param degrees number  the angle in degrees
@param options? {filter: string, fill: any, reshape: boolean, channels: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  filter: "linear" (default), "cubic" (a = -1/2), "nearest"; fill: default 0; reshape: enlarge the result so that it holds the rotated image; channels: the last axis holds the channels of a pixel
@return cuda.gpuarray.Array
@raise LogicError for invalid angles and filters, and dtypes that the filter does not support
@options allocator channels fill filter out reshape stream
= cuda.image.separable(a, column, row, options)
The convolution of images with the outer product of a column and a row, in two passes, along the columns and along
the rows. The intermediate result is not rounded to the image's dtype.
@param a cuda.gpuarray.Array  the images, as for image.convolve2d
@param column any  a 1-D array, or host data
@param row any  a 1-D array, or host data
@param options? {mode: string, boundary: string, fill: any, channels: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  mode: as for image.convolve2d; boundary: as for image.convolve2d; fill: as for image.convolve2d; channels: as for image.convolve2d
@return cuda.gpuarray.Array
@raise LogicError as image.convolve2d
@options allocator boundary channels fill mode out stream
# docs/fourier.md
= cuda.fft module
Fourier transforms of arrays.
= cuda.fft.clear_plans()
Drops all plans; their memory is freed when the collector has run.
= cuda.fft.fft(a, options)
The discrete Fourier transform along an axis, as NumPy's fft: element k is the sum of a[j] exp(-2 pi i (j - 1) (k -
1) / n). The time for any length is proportional to n log n. float16 and bfloat16 are not supported.
@param a cuda.gpuarray.Array  an array with at least one axis
@param options? {n: integer, axis: integer, norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  n: the number of elements to transform; default: the extent of the axis; the axis is cut or padded with zeros; axis: default the last one; norm: "backward" (default): divide the inverse by n; "ortho": divide both by the root of n; "forward": divide this one by n
@return cuda.gpuarray.Array  complex64; complex128 for float64 and complex128
@raise LogicError for a 0-d array, an axis out of range, n < 1, an unknown norm, and unsupported dtypes
@options allocator axis n norm out stream
= cuda.fft.fft2(a, options)
The transform along the last two axes, as NumPy's fft2.
@param a cuda.gpuarray.Array  an array with at least two axes
@param options? {s: integer[], axes: integer[], norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  s: as for fft.fftn; axes: default the last two; norm: as for fft.fft
@return cuda.gpuarray.Array  complex64; complex128 for float64 and complex128
@raise LogicError as fft.fftn
@options allocator axes norm out s stream
= cuda.fft.fftfreq(n, d, options)
The frequencies of the elements of fft(), as NumPy's fftfreq: 0, 1, ... (n - 1) / 2, -n / 2, ... -1, divided by n d.
They are computed as float64 and then rounded.
@param n integer  the number of elements of the transform
@param d? number  the distance between two samples; default 1
@param options? {d: number, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  d: in place of the argument. dtype: a float type, default dtype.default_float(). You can pass the options instead of d
@return cuda.gpuarray.Array
@raise LogicError if n is not a positive integer, or if d is 0 or not a number
@options allocator d dtype out stream
= cuda.fft.fftn(a, options)
The transform along several axes, as NumPy's fftn: along one axis after the other.
@param a cuda.gpuarray.Array  an array with at least one axis
@param options? {s: integer[], axes: integer[], norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  s: the number of elements to transform along each axis, as n of fft.fft; axes: default: all, or the last ones, as many as s has; norm: as for fft.fft
@return cuda.gpuarray.Array  complex64; complex128 for float64 and complex128
@raise LogicError for axes that are out of range or appear twice, if s does not fit, and as fft.fft
@options allocator axes norm out s stream
= cuda.fft.fftshift(a, options)
Moves the element of frequency 0 from the first position to the middle, as NumPy's fftshift, by exchanging the two
halves of each axis.
@param a cuda.gpuarray.Array  an array of any dtype
@param options? any  {axes: integer[], out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the axes: an integer or a list of integers; default: all
@return cuda.gpuarray.Array
@raise LogicError for an axis out of range
@options allocator axes out stream
= cuda.fft.ifft(a, options)
The inverse of fft(), as NumPy's ifft: element j is the sum of a[k] exp(2 pi i (j - 1) (k - 1) / n), divided by n.
@param a cuda.gpuarray.Array  an array with at least one axis
@param options? {n: integer, axis: integer, norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  n: as for fft.fft; norm: as for fft.fft
@return cuda.gpuarray.Array  complex64; complex128 for float64 and complex128
@raise LogicError as fft.fft
@options allocator axis n norm out stream
= cuda.fft.ifft2(a, options)
The inverse of fft2(), as NumPy's ifft2.
@param a cuda.gpuarray.Array  an array with at least two axes
@param options? {s: integer[], axes: integer[], norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  s: as for fft.fftn; axes: default the last two; norm: as for fft.fft
@return cuda.gpuarray.Array  complex64; complex128 for float64 and complex128
@raise LogicError as fft.fftn
@options allocator axes norm out s stream
= cuda.fft.ifftn(a, options)
The inverse of fftn(), as NumPy's ifftn.
@param a cuda.gpuarray.Array  an array with at least one axis
@param options? {s: integer[], axes: integer[], norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  s: as for fft.fftn; axes: as for fft.fftn; norm: as for fft.fft
@return cuda.gpuarray.Array  complex64; complex128 for float64 and complex128
@raise LogicError as fft.fftn
@options allocator axes norm out s stream
= cuda.fft.ifftshift(a, options)
The inverse of fftshift(). It differs from fftshift() only if an extent is odd.
@param a cuda.gpuarray.Array  an array of any dtype
@param options? any  {axes: integer[], out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the axes: an integer or a list of integers; default: all
@return cuda.gpuarray.Array
@raise LogicError for an axis out of range
@options allocator axes out stream
= cuda.fft.irfft(a, options)
The inverse of rfft(), as NumPy's irfft: real numbers from the first half of their transform. The imaginary part of
the first element is ignored, and for an even n that of element n / 2 + 1, too.
@param a cuda.gpuarray.Array  floor(n / 2) + 1 elements along the axis; the axis is cut or padded with zeros
@param options? {n: integer, axis: integer, norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  n: the number of elements of the result; default: 2 (m - 1) for m elements, so you have to pass an odd n; norm: as for fft.fft
@return cuda.gpuarray.Array  float32, or float64
@raise LogicError as fft.fft, and for one element without n
@options allocator axis n norm out stream
= cuda.fft.plan_limit(n)
Returns how many plans each context keeps, initially 16, and optionally sets it. A plan is a set of tables in device
memory for a length, a dtype and a layout, or a plan of cuFFT (linalg.backend). The least recently used plan is
dropped.
@param n? integer  the new number of plans; default: leave it unchanged
@return integer
@raise LogicError if n is not a non-negative integer
= cuda.fft.rfft(a, options)
The transform of real numbers along an axis, as NumPy's rfft: elements 1 to n / 2 + 1 of the result of fft(); the
others are their conjugates. It takes half the time and memory; an odd n saves less.
@param a cuda.gpuarray.Array  an array of real numbers or integers
@param options? {n: integer, axis: integer, norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  n: as for fft.fft; norm: as for fft.fft
@return cuda.gpuarray.Array  with floor(n / 2) + 1 elements along the axis
@raise LogicError for complex numbers, and as fft.fft
@options allocator axis n norm out stream
= cuda.fft.rfftfreq(n, d, options)
The frequencies of the elements of rfft(), as NumPy's rfftfreq: 0, 1, ... n / 2, divided by n d.
@param n integer  the number of elements of the real array
@param d? number  the distance between two samples; default 1
@param options? {d: number, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  d: as for fft.fftfreq; dtype: as for fft.fftfreq
@return cuda.gpuarray.Array  floor(n / 2) + 1 elements
@raise LogicError as fft.fftfreq
@options allocator d dtype out stream
# docs/from-pycuda.md
= cudalua.autoinit module
`require "cudalua.autoinit"` opens the driver and makes a context on the default device (tools.make_default_context), current from then on.
= cudalua.autoinit.context field
The context that was created.
= cudalua.autoinit.device field
The device of the context.
= cudalua.autoprimaryctx module
`require "cudalua.autoprimaryctx"` opens the driver and makes the primary context of the default device current: the one that the CUDA runtime and other libraries in this process use.
= cudalua.autoprimaryctx.context field
The device's primary context.
= cudalua.autoprimaryctx.device field
The device of the context.
= cuda.tools module
Helpers after PyCUDA's tools: which device a program uses by default, results that are kept for each context, and what generated kernels call types and arguments.
= cuda.tools.Arg class
An argument of a kernel. Read-only.
@field name string  the name of the parameter
@field dtype cuda.dtype.DType  the dtype of the value, or of an element
@field is_vector boolean          true: a pointer to elements
@field is_const boolean  true: its type begins with "const", so the kernel does not write the elements
@field ctype string               the type of the value or of an element in CUDA C
= cuda.tools.Arg:declarator()
Returns the declaration of the argument in C.
@return string  "const float *x"
= cuda.tools.DeviceData class
`DeviceData(dev)`: PyCUDA's data on a device, with the values of current devices. Read-only.
@call fun(dev?: cuda.Device): cuda.tools.DeviceData  default: the device of the current context. Raises a LogicError for anything else, and (201) without a current context
@field max_threads integer  threads in a block
@field warp_size integer  threads in a warp
@field warps_per_mp integer  warps on an SM at a time
@field thread_blocks_per_mp integer  blocks on an SM at a time
@field registers integer  32-bit registers available to a block
@field registers_per_mp integer  32-bit registers of an SM
@field register_allocation_unit string  "warp": registers are allocated for whole warps
@field register_granularity integer  registers in one unit of allocation
@field shared_memory integer  shared memory in bytes that a block can use without opting in to more
@field shared_memory_optin integer  shared memory in bytes that a block can use with opting in
@field shared_memory_per_mp integer  shared memory of an SM in bytes
@field shared_memory_reserved integer  shared memory in bytes that each block gives to the system
@field smem_granularity integer  threads whose accesses to shared memory are served together: the number of its banks
@field smem_alloc_granularity integer  bytes in one unit of allocation of shared memory
= cuda.tools.DeviceData.make_valid_tex_channel_count(size, ...)
Returns the smallest valid number of texture channels that is at least `size`.
@param size integer  the number of channels, from 1 to 4
@param ... integer  size, if you call it as a method
@return integer channels  1, 2 or 4
@raise LogicError for other numbers
= cuda.tools.DeviceData:align(bytes, word_size)
Rounds a length up to the alignment of rows.
@param bytes integer  the length in bytes
@param word_size? integer  as for align_bytes
@return integer bytes
@raise LogicError for an invalid length or word size
= cuda.tools.DeviceData:align_bytes(word_size)
Returns the alignment of rows in memory for which a warp needs the fewest memory accesses.
@param word_size? integer  bytes that each thread accesses: 1, 2, 4 (default), 8 or 16
@return integer bytes  the alignment of rows: 128, the size of a cache line
@raise LogicError for another size
= cuda.tools.DeviceData:align_dtype(elements, dtype_size)
Rounds a number of elements up to the alignment of rows.
@param elements integer  the number of elements
@param dtype_size integer  bytes of an element: 1, 2, 4, 8 or 16
@return integer elements
@raise LogicError for an invalid number of elements or element size
= cuda.tools.DeviceData:align_words(word_size)
Returns align_bytes() in words.
@param word_size integer  as for align_bytes
@return integer words
@raise LogicError for another size
= cuda.tools.DeviceData:coalesce(thread_count)
Rounds a number of threads up to whole warps.
@param thread_count integer  the number of threads
@return integer threads
@raise LogicError for an invalid number of threads
= cuda.tools.OccupancyRecord class
`OccupancyRecord(devdata, threads, shared_mem, registers)`: how many blocks of a kernel run on an SM at a time.
threads and shared_mem (in bytes, default 0) are for each block; registers is the number of 32-bit registers of each
thread (default 0: as few as possible). fn:max_active_blocks(block, shared) asks the driver about an existing kernel.
@call fun(devdata: cuda.tools.DeviceData|table<string, integer>, threads: integer, shared_mem?: integer, registers?: integer): cuda.tools.OccupancyRecord  devdata: or a table with its fields, for a device that is not present. Raises a LogicError for values beyond the limits of a block or a thread
@field tb_per_mp integer  blocks on an SM at a time; 0: not even one fits
@field limited_by string  the resource that limits the number of blocks: "device" (blocks), "warps", "regs" or "smem"
@field warps_per_mp integer  warps on an SM at a time
@field occupancy number  from 0 to 1: the ratio of warps_per_mp to the maximum number of warps on an SM
= cuda.tools.ScalarArg(dtype, name, options)
An argument that is a single value.
@param dtype any    as for dtype.of
@param name string  the name of the parameter
@param options? {const: boolean}  const: as in C; default false
@return cuda.tools.Arg
@raise LogicError as VectorArg
@options const
= cuda.tools.VectorArg(dtype, name, options)
An argument that is a pointer to elements.
@param dtype any    as for dtype.of
@param name string  the name of the parameter
@param options? {const: boolean}  const: the kernel does not write the elements; default false
@return cuda.tools.Arg
@raise LogicError if the dtype does not exist or does not have a name in C, or if the name is not valid
@options const
= cuda.tools.bitlog2(n)
Returns the base-2 logarithm of an integer, rounded down, as PyCUDA's bitlog2.
@param n integer  an integer from 1 to 2^53
@return integer
@raise LogicError for anything else
= cuda.tools.c_declarations(types, source)
Returns the declarations that a source needs to use element types: #include lines, the class of complex numbers, and
the declarations of structs, nested ones first. Each declaration checks that the compiler's layout of the struct is
that of the dtype.
@param types any[]     dtypes, as for dtype.of, or arguments of parse_arguments()
@param source? string  structs that this source declares are omitted
@return string
@raise LogicError for structs without a name, and for two with the same name
= cuda.tools.clear_context_caches()
Clears the results that functions of context_dependent_memoize() have remembered.
= cuda.tools.context_dependent_memoize(f)
Returns a function that calls f once for each list of arguments and each context, and remembers the result: for
example for compiled kernels. Arguments are the same if they are equal as table keys. Results keep their context
alive until detach() or clear_context_caches().
@param f function  the function to call
@return function
@raise LogicError if f is not callable; calls raise errors of f, and LogicError (201) without a context
= cuda.tools.dtype_to_ctype(dtype)
Returns the type of an element in CUDA C: "float"; "__half" and "__nv_bfloat16" of CUDA's headers;
"cuda::complex<float>", a class with the operators and functions of C++'s std::complex; for a struct, the name
that it was registered or created with. c_declarations() returns the declarations that a source needs for it.
@param dtype any  as for dtype.of
@return string
@raise LogicError for a struct without a name
= cuda.tools.get_default_device(default)
Returns the device that the environment variable CUDA_DEVICE or the file ~/.cuda_device names.
@param default? integer  the device's number if neither is set; default 0
@return cuda.Device
@raise LogicError (101) if the device does not exist, and if a setting is not a number
= cuda.tools.get_or_register_dtype(c_names, dtype)
Returns the dtype that has this name in C. With a dtype, it registers the names for it, for arguments ("particle
*p"), for dtype.of() and for signatures.
@param c_names string|string[]  one or more names in C
@param dtype? any  as for dtype.of: a struct, or a type that gets more names
@return cuda.dtype.DType     the dtype already registered for the names, if any
@raise LogicError if a name already belongs to another type, or no dtype has that name
= cuda.tools.is_arg(x)
Returns true if x is an argument of this module.
@param x any  any value
@return boolean
= cuda.tools.make_default_context(maker)
Creates a context on the device that CUDA_DEVICE or ~/.cuda_device names. If neither is set, uses the first device on
which a context can be created.
@param maker? fun(device: cuda.Device): cuda.Context  default: device:make_context()
@return cuda.Context  the result of maker
@raise RuntimeError that lists the error of each device, if none works
= cuda.tools.match_dtype_to_c_struct(name, dtype)
Returns the C declaration of a struct under a name: PyOpenCL's match_dtype_to_c_struct. Nested structs appear with
their names, if they have one; c_declarations() declares those, too.
@param name string   its name in C
@param dtype any     a struct of dtype.struct()
@return cuda.dtype.DType dtype  the struct with that name: the same object, if it was created with it
@return string declaration  the declaration in C
@raise LogicError if dtype is not a struct, or the name is not valid in C
= cuda.tools.parse_arguments(arguments)
Returns the arguments of a kernel from a list of declarations, as for ElementwiseKernel.
@param arguments string|any[]  "float a, const float *x, unsigned int n", or a list of declarations and arguments
@return cuda.tools.Arg[]
@raise LogicError that names the argument and the problem, for duplicate names and for an empty list
= cuda.tools.parse_c_arg(c_arg)
Returns the argument that a declaration in C describes.
@param c_arg string  "const float *x", "unsigned int n", "float4 *v", "particle p"
@return cuda.tools.Arg
@raise LogicError that names the declaration and the problem
= cuda.tools.register_dtype(dtype, c_names)
Registers names in C for a dtype: get_or_register_dtype() with its arguments in the opposite order.
@param dtype any                as for dtype.of
@param c_names string|string[]  one or more names in C
@return cuda.dtype.DType
@raise LogicError if a name already belongs to another type
# docs/fusion.md
= cuda.gpuarray.explain(...)
Returns a text about the kernels that would compute the given arrays, or without arguments all pending ones. It says
what each kernel reads and writes in bytes, why values are stored or recomputed, and where a limit cuts an
expression. Nothing is computed or compiled, and later evaluations are not affected. Each array has a number, its
operation, dtype and shape. If lines are traced, the line that wrote it follows: on the software device, and after
set_debugging(true). The text contains the error that the evaluation would raise. Of a function of gpuarray.fuse(),
the text is about a call. It is made without memory, so values that the function asks for are errors.
@param ... any  the arrays, as passed to eval(); default: all pending ones. Or a function of fuse() and its arguments
@return string text
@raise LogicError if an argument is not an array; errors of the function that are not this library's
# docs/graphs.md
= cuda.Graph class
A graph of work with dependencies that runs as a whole. Record it with Stream:capture(), or add nodes to
`cuda.Graph()`. It keeps what its work uses alive.
@call fun(): cuda.Graph
= cuda.Graph:close()
cuGraphDestroy. Graphs created by instantiate() stay valid.
@raise LogicError if it was already closed
= cuda.Graph:dot(path, flags)
cuGraphDebugDotPrint: writes the graph to a file in the DOT language, for Graphviz.
@param path string  the file
@param flags? integer|string|(integer|string)[]  cuda.graph_debug_dot_flags: "verbose" ...
@return cuda.Graph self
@raise LogicError or RuntimeError if the file cannot be written
= cuda.Graph:handle()
The driver's handle.
@return number  the CUgraph as a number, for other libraries
= cuda.Graph:instantiate()
cuGraphInstantiate: returns an executable graph.
@return cuda.GraphExec  it does not need this graph any more
@raise LogicError if memory or an object that the work uses was freed
= cuda.Graph:nodes()
cuGraphGetNodes, cuGraphNodeGetType: returns the kinds of the nodes.
@return string[]  "kernel", "memcpy", "memset", "host", "graph", "empty" ... for each node
@raise LogicError for a closed graph
= cuda.GraphExec class
An executable graph, which you can launch any number of times. It keeps what its work uses alive.
= cuda.GraphExec:close()
cuGraphExecDestroy. If it is running, the graph still completes first; the call does not wait for it.
@raise LogicError if it was already closed
= cuda.GraphExec:handle()
The driver's handle.
@return number  the CUgraphExec as a number, for other libraries
= cuda.GraphExec:launch(stream)
cuGraphLaunch: launches the whole graph in a stream. Launches of one GraphExec run one after the other, even in
different streams. You can close or drop it while it runs. The call returns at once, unless the graph has a copy to
pageable memory: then it returns when the graph is done. A stream that is being captured cannot launch a graph.
@param stream? cuda.Stream  default: the current stream
@return cuda.GraphExec self
@raise LogicError if memory or an object that the work uses was freed, the graph's context is not current, or the stream is being captured
= cuda.GraphExec:update(graph)
cuGraphExecUpdate: takes over the parameters (pointers, numbers, extents) of a graph with the same structure. Running
launches keep the old ones.
@param graph cuda.Graph  a graph with the same structure and new parameters
@return boolean ok
@return string? reason  if not ok: "topology_changed", "node_type_changed", "parameters_changed" ...; in this case nothing is changed
@raise LogicError for a graph of another context
= cuda.GraphExec:upload(stream)
cuGraphUpload: prepares the first launch now, in the stream.
@param stream? cuda.Stream  default: the current stream
@return cuda.GraphExec self
@raise LogicError as launch()
= cuda.Stream:capture(fn, options)
cuStreamBeginCapture, cuStreamEndCapture: calls fn(self) with this as the current stream, and records its work
instead of running it. To join the capture, another stream waits for an event recorded in this stream; at the end,
this stream must wait for an event recorded in the other one. The graph keeps everything that it uses alive.
Operations that cannot be recorded (waiting, allocating, plain copies, the legacy stream) raise an error before they
break the capture.
@param fn fun(stream: cuda.Stream)  the function whose work is recorded
@param options? {mode: string|integer, into: cuda.Graph, after: cuda.GraphNode|cuda.GraphNode[]}  mode: a value of cuda.stream_capture_mode: "thread_local" (default); "global": operations that cannot be recorded are errors in other threads, too; "relaxed": allocating and loading are allowed; into: a graph to add the work to; after: the nodes of that graph that the work runs after
@return cuda.Graph  a new graph, or the one of option into
@raise errors of fn, after which nothing is left of the graph; LogicError (901, 904 ...) if the capture was broken or a stream was not joined again
@options after into mode
# docs/host-arrays.md
= cuda.ndarray module
Arrays in host memory.
= cuda.ndarray.Array class
An array in host memory. Positions count from 1; negative ones count from the end. `a[i]` reads and `a[i] = v` writes
an element of a 1-D array; with more axes it is the part at position i of the first axis. `a[{...}]` is
`a:slice(...)`, or the element if every axis has a number; assigning to it assigns all elements of the part. Lua does
not support `#a`; use `a:len()`.
@field shape integer[]  the extents; a new list, which prints as (2, 3) and equals the shape of other arrays with these extents. The shape of an array cannot change
@field strides integer[]  bytes from one element to the next on each axis; a new list, as shape
@field dtype cuda.dtype.DType  the element type
@field size integer  the number of elements
@field nbytes integer  the size of all elements in bytes: size * dtype.itemsize
@field ndim integer  the number of axes
@field order string?  "C" or "F" if the elements are contiguous in that order ("C" if in both); else nil
@field flags table  c_contiguous, f_contiguous: booleans
@field base any  for a view, the array that owns the memory; for foreign memory, its owner
@field T cuda.ndarray.Array  a view with the axes reversed
= cuda.ndarray.Array:allclose(other, options)
Returns true if all elements are close to those of another array, |a - b| <= atol + rtol * |b|, as NumPy's allclose.
An infinity is close only to itself.
@param other any  an array, nested tables or a value, of the same shape or 0-d
@param options? {rtol: number, atol: number, equal_nan: boolean}  rtol: the relative tolerance, default 1e-5; atol: the absolute tolerance, default 1e-8; equal_nan: count two NaNs as close, default false
@return boolean
@return string? difference  the first difference
@raise LogicError if the shapes differ
@options atol equal_nan rtol
= cuda.ndarray.Array:assign(values)
Sets the elements to those of another array or of nested tables, which broadcast as in broadcast_to(), or all to one
value. The two arrays may share memory.
@param values any  an array, whose integers wrap around and whose floats are rounded to the dtype; nested tables; or a value
@return cuda.ndarray.Array self
@raise LogicError if the shapes do not broadcast, for an array of a higher kind (convert float to integer and complex to real with astype()), or if the dtype cannot hold a value of a table
= cuda.ndarray.Array:astype(dtype, order)
Returns a copy converted to another dtype, as in NumPy. Integers wrap around, floats lose their fraction and complex
numbers their imaginary part, and everything that is not zero is true. Floats are rounded to nearest, with ties to
even.
@param dtype any  the new dtype, as for dtype.of
@param order? "C"|"F"  default: F for an array that is in F order alone, else C
@return cuda.ndarray.Array
@raise LogicError that names the element, if a float (NaN, too large) cannot be converted to the integer type
= cuda.ndarray.Array:broadcast_to(...)
Repeats the elements along axes that have one element, and along new axes before the first, as NumPy's broadcast_to.
Returns a view with stride 0 on these axes. Writing to an element of it writes to all its repetitions.
@param ... any  the extents, or one list of them
@return cuda.ndarray.Array
@raise LogicError if the array's shape does not broadcast to that shape
= cuda.ndarray.Array:buffer()
Returns the memory as bytes, in any order: the form in which copying functions use an array.
@return ffi.cdata* pointer  uint8_t *
@return integer nbytes
@return any owner  for foreign memory, the object that keeps it alive, as in `base`
@raise LogicError if the elements are not contiguous, or the memory was freed
= cuda.ndarray.Array:copy(order)
Returns a contiguous copy with its own memory.
@param order? "C"|"F"  the order of the elements; default: C
@return cuda.ndarray.Array
= cuda.ndarray.Array:data()
Returns the first element as a typed FFI pointer: `p[0]` is the first element, and the others follow with the strides
of the array. float16 and bfloat16 are uint16_t with their bits. Nothing is checked, and the pointer does not keep
the memory alive: keep the array while you use it. LuaJIT interprets some NaNs that are read through it as values of
other types and may crash on them. If memory may hold any bits (for example from a device), read with get() or a[i],
which handle such NaNs.
@return ffi.cdata*
@raise LogicError if the memory was freed
= cuda.ndarray.Array:equal(other)
Returns true if another array has the same shape and equal elements. Elements of different dtypes are compared by
value; NaN does not equal anything.
@param other any  an array, nested tables or a value
@return boolean
@return string? difference  the first difference, or the two shapes
= cuda.ndarray.Array:expand_dims(axes)
Adds axes of one element and returns a view.
@param axes integer|integer[]  the positions of the new axes in the new shape; -1: the last one
@return cuda.ndarray.Array
@raise LogicError for positions that the new shape does not have
= cuda.ndarray.Array:field(name)
Returns one field of all structs, as a view with the field's dtype. If the field is a fixed array, its axes come
after those of the array.
@param name string  the name of the field
@return cuda.ndarray.Array
@raise LogicError if the elements are not structs, or do not have this field
= cuda.ndarray.Array:fill(value)
Sets every element to one value.
@param value any  a boolean, number, 64-bit integer or complex cdata
@return cuda.ndarray.Array self
@raise LogicError if the dtype cannot hold the value
= cuda.ndarray.Array:flip(axes)
Reverses the order of the elements along axes and returns a view.
@param axes? integer|integer[]  the axes; default: all
@return cuda.ndarray.Array
@raise LogicError if an axis is out of range
= cuda.ndarray.Array:get(...)
Reads an element.
@param ... integer  one position for each axis; none for a 0-d array
@return boolean|number|ffi.cdata* value  int64_t or uint64_t cdata beyond 2^53, complex cdata for complex types; for a struct a read-only copy, an FFI struct. Call its dtype for a copy that you can write to: particle(a[1])
@raise LogicError for an index out of range, or if the memory was freed
= cuda.ndarray.Array:get_pointer()
Returns the device address of the first element, if the device can access the memory because it is page-locked,
registered or managed. These arrays are therefore accepted wherever device memory is.
@return cuda.DevicePointer
@raise LogicError if the device cannot access the memory, or it was freed
= cuda.ndarray.Array:item()
Returns the value of an array with one element, of any shape.
@return boolean|number|ffi.cdata* value  as returned by get()
@raise LogicError if it does not have exactly one element, or the memory was freed
= cuda.ndarray.Array:len()
Returns the extent of the first axis.
@return integer
@raise LogicError for a 0-d array
= cuda.ndarray.Array:reshape(...)
Returns the same elements with another shape: as a view if the layout allows it, else as a copy.
@param ... any  the extents, or one list of them; one may be -1 and is computed from the others. A last argument {order = "F"} takes the elements with the first axis changing fastest. Default "C": the last axis does
@return cuda.ndarray.Array
@raise LogicError if the sizes differ
@options order="F"
= cuda.ndarray.Array:set(...)
Writes an element: a:set(i, j, value).
@param ... any  one position for each axis, then the value: a boolean, number, 64-bit integer or complex cdata
@raise LogicError for an index out of range, a value that the dtype cannot hold, or if the memory was freed
= cuda.ndarray.Array:slice(...)
Returns a part of the array as a view. Each item belongs to an axis, from the first; axes without an item are taken
whole.
@param ... any  the items. i removes its axis; {i} keeps it with extent 1. {lo, hi} and {lo, hi, step} are ranges that include both ends; {lo, lo - 1} is empty, and a negative step runs backwards. {} is the whole axis; ndarray.newaxis adds an axis
@return cuda.ndarray.Array
@raise LogicError for positions out of range, or too many items
= cuda.ndarray.Array:squeeze(axes)
Removes axes of one element and returns a view.
@param axes? integer|integer[]  the axes to remove; default: all axes that have one element
@return cuda.ndarray.Array
@raise LogicError if an axis is out of range or does not have exactly one element
= cuda.ndarray.Array:tolist()
Returns the elements as nested tables; for a 0-d array, the value. A struct is a table of its fields.
@return any
= cuda.ndarray.Array:transpose(...)
Permutes the axes and returns a view.
@param ... integer  the axes in their new order, or one list of them; default: the reverse order
@return cuda.ndarray.Array
@raise LogicError if each axis does not appear exactly once
= cuda.ndarray.Npz class
The arrays of an .npz file, each read when you access it. `z.name` is z:get "name"; it is nil if the file does not
contain the array, and a method if it is the name of a method.
= cuda.ndarray.Npz:close()
Closes the file. Arrays that were read stay valid.
= cuda.ndarray.Npz:get(name, options)
Reads an array.
@param name string  the name of the array
@param options? {pinned: boolean, managed: boolean}  as for ndarray.empty
@return cuda.ndarray.Array  a new array each time
@raise LogicError if the file does not contain the array, is damaged or was closed; MemoryError
@options managed pinned
= cuda.ndarray.Npz:names()
Returns the names of the arrays, in the order of the file.
@return string[]
@raise LogicError if the file was closed
= cuda.ndarray.allclose(a, b, options)
Returns true if all elements are close, |a - b| <= atol + rtol * |b|, as NumPy's allclose. An infinity is close only
to itself.
@param a any  an array, nested tables or a value
@param b any  an array, nested tables or a value, of the same shape or 0-d
@param options? {rtol: number, atol: number, equal_nan: boolean}  rtol: the relative tolerance, default 1e-5; atol: the absolute tolerance, default 1e-8; equal_nan: count two NaNs as close, default false
@return boolean
@return string? difference  the first difference
@raise LogicError if the shapes differ
@options atol equal_nan rtol
= cuda.ndarray.arange(start, stop, step, dtype, options)
Returns the numbers from start up to stop, which is excluded, as NumPy's arange: arange(stop), arange(start, stop) or
arange(start, stop, step), optionally followed by a dtype and options.
@call fun(stop: number|ffi.cdata*, dtype?: any, options?: table): cuda.ndarray.Array
@param start number|ffi.cdata*  the first number; default: 0; pass integers beyond 2^53 as int64_t or uint64_t
@param stop number|ffi.cdata*   the end, which is excluded
@param step? number|ffi.cdata*  the difference between two numbers; default: 1
@param dtype? any  as for dtype.of; default: int64 for integers, uint64 if they need it, else dtype.default_float()
@param options? {dtype: any, pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError for a step of 0, numbers that are not finite, and those that the dtype cannot hold
@options dtype managed pinned
= cuda.ndarray.array(values, dtype, options)
Returns a new array with the elements of nested tables, a single value, or another array. It is always a copy.
@param values any  nested lists of one length on each level; a boolean, number or cdata scalar (0-d); or an array
@param dtype? any  as for dtype.of; default: an array's own dtype; for booleans, 64-bit integer and complex cdata their own dtype; for numbers, integral or not, dtype.default_float()
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  order: default C, for an array its own order; the rest as for empty
@return cuda.ndarray.Array
@raise LogicError that names the position if lists are ragged or a value does not fit, and as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.dumps(a, options)
Returns the bytes of the .npy file that save would write.
@param a any  an array, nested tables, or a value
@param options? {version: 1|2|3}  version: as for save
@return string
@raise LogicError if a is not an array, or has 2 GiB or more
@options version
= cuda.ndarray.dumpsz(members, options)
Returns the bytes of the .npz file that savez would write.
@param members table<string, any>  as for savez
@param options? {version: 1|2|3}  version: as for save
@return string
@raise LogicError if members is not a table of arrays, or has 2 GiB or more
@options version
= cuda.ndarray.empty(shape, dtype, options)
Returns an array with uninitialized elements.
@param shape integer|integer[]  the extents: a list, a number for a 1-D array, or {} for a 0-d array
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  order: C (default): the last axis is contiguous; F: the first axis is; pinned: allocate page-locked memory, as cuda.pagelocked_empty does; managed: allocate managed memory, as cuda.managed_empty does
@return cuda.ndarray.Array
@raise LogicError for an invalid shape, dtype or option, and for pinned or managed without a current context; MemoryError if memory is exhausted
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.empty_like(other, dtype, options)
Returns an array with the shape and order of another one and with uninitialized elements.
@param other cuda.ndarray.Array  the array whose shape and order are used
@param dtype? any  as for dtype.of; default: the dtype of other
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  order: default F if other is in F order alone, else C; the rest as for empty
@return cuda.ndarray.Array
@raise LogicError if other is not a host array, and as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.equal(a, b)
Returns true if two arrays have the same shape and equal elements. Elements of different dtypes are compared by
value; NaN does not equal anything.
@param a any  an array, nested tables or a value
@param b any  an array, nested tables or a value
@return boolean
@return string? difference  the first difference, or the two shapes
= cuda.ndarray.eye(rows, columns, k, dtype, options)
Returns an array with ones on a diagonal and zeros elsewhere, as NumPy's eye: eye(rows), eye(rows, columns) or
eye(rows, columns, k), optionally followed by a dtype and options.
@call fun(rows: integer, dtype?: any, options?: table): cuda.ndarray.Array
@param rows integer  the number of rows
@param columns? integer  the number of columns; default: rows
@param k? integer  the diagonal: 0 (default) the main one, positive above it, negative below it
@param dtype? any        as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError for extents that are not non-negative integers; MemoryError
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.from_buffer(buf, shape, dtype, options)
Returns an array over a host buffer, which it keeps alive. Nothing is copied, except from a string.
@param buf any  an FFI array, struct or pointer, a string, {ptr =, nbytes =}, or an object with :buffer()
@param shape? integer|integer[]  default: the shape of an FFI array, otherwise all elements on one axis; required for a pointer
@param dtype? any  as for dtype.of; default: the element type of the FFI array or pointer
@param options? {dtype: any, order: "C"|"F"}
@return cuda.ndarray.Array
@raise LogicError if the buffer is const, too small, not a multiple of the element size, or its type is not known
@options dtype order="C"|"F"
= cuda.ndarray.from_function(shape, fn, dtype, options)
Returns an array with the values of a function of the indices.
@param shape integer|integer[]  as for empty
@param fn fun(...: integer): any  receives one position for each axis, from 1; called in C order
@param dtype? any  as for dtype.of; default: the dtype that ndarray.array chooses for such values
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError that names the element if the dtype cannot hold what fn returned; errors of fn; else as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.full(shape, value, dtype, options)
An array of one value.
@param shape integer|integer[]  as for empty
@param value any                boolean, number, 64-bit integer or complex cdata
@param dtype? any  as for dtype.of; default: the default float for numbers, else the value's own dtype
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError if the dtype cannot hold the value, and as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.full_like(other, value, dtype, options)
Returns an array filled with one value, with the shape and order of another one.
@param other cuda.ndarray.Array  as for empty_like
@param value any  a boolean, number, 64-bit integer or complex cdata
@param dtype? any  as for dtype.of; default: the dtype of other
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty_like
@return cuda.ndarray.Array
@raise LogicError if the dtype cannot hold the value, and as empty_like
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.is_array(x)
Returns true if x is an array in host memory.
@param x any  any value
@return boolean
= cuda.ndarray.linspace(start, stop, num, dtype, options)
Returns `num` evenly spaced numbers, as NumPy's linspace does.
@param start number  the first number
@param stop number  the last number; excluded if endpoint is false
@param num? integer  the number of elements; default: 50
@param dtype? any  as for dtype.of; default: dtype.default_float(); for integers, numbers are rounded down
@param options? {dtype: any, endpoint: boolean, pinned: boolean, managed: boolean}  endpoint: include `stop`; default true; the rest as for empty
@return cuda.ndarray.Array
@raise LogicError for numbers that are not finite, and those that the dtype cannot hold
@options dtype endpoint managed pinned
= cuda.ndarray.load(path, options)
Loads a file that NumPy's save, savez or savez_compressed wrote, or save and savez of this module.
@param path string  the file
@param options? {pinned: boolean, managed: boolean}  for an .npy file: as for empty
@return cuda.ndarray.Array|cuda.ndarray.Npz  for an .npy file the array, in the order of the file; for an .npz file an object that reads its arrays when you access them
@raise RuntimeError if the file cannot be opened; LogicError if it is not an .npy or .npz file, is damaged or truncated, or has elements of an unsupported type (code in a file is never executed); MemoryError
@options managed pinned
= cuda.ndarray.loads(bytes, options)
As load, from a string with the bytes of such a file.
@param bytes string  the bytes of an .npy or .npz file
@param options? {pinned: boolean, managed: boolean}
@return cuda.ndarray.Array|cuda.ndarray.Npz
@raise LogicError, MemoryError as load
@options managed pinned
= cuda.ndarray.newaxis field
@type any
used in an index, adds an axis of extent 1
= cuda.ndarray.ones(shape, dtype, options)
An array of ones (of true).
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError, MemoryError as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.ones_like(other, dtype, options)
Returns an array of ones (of true for bool) with the shape and order of another one.
@param other cuda.ndarray.Array  as for empty_like
@param dtype? any  as for dtype.of; default: the dtype of other
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty_like
@return cuda.ndarray.Array
@raise LogicError, MemoryError as empty_like
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.save(path, a, options)
Writes an array to an .npy file, which NumPy's load reads; bfloat16 is written as "<V2", raw bytes for NumPy. An
array in F order is written in F order, a view with gaps in C order.
@param path string  the file; ".npy" is not added
@param a any  an array, nested tables, or a value
@param options? {version: 1|2|3}  version: the version of the format, default: 1
@raise LogicError if a is not an array; RuntimeError if the file cannot be written: it may then be incomplete
@options version
= cuda.ndarray.savez(path, members, options)
Writes arrays to an .npz file without compression, in the order of their names.
@param path string  the file; ".npz" is not added
@param members table<string, any>  by name: arrays, nested tables, or values
@param options? {version: 1|2|3}  version: as for save
@raise LogicError if members is not a table of arrays; RuntimeError if the file cannot be written: it may then be incomplete
@options version
= cuda.ndarray.wrap(pointer, shape, dtype, options)
Wraps memory that other code owns in an array, without a copy. It is meant for parts of this library: what a pointer
refers to cannot be checked.
@param pointer ffi.cdata*  the first element; for an FFI array the size is checked
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", strides: integer[], base: any, alive: fun(token: any): boolean, token: any}  strides: bytes from one element to the next on each axis, instead of order; base: the owner, which is kept alive; alive: a function that is called with the token before every access; it returns whether the memory is still valid, and if not, why; token: the argument of alive
@return cuda.ndarray.Array
@raise LogicError for an invalid pointer, shape, dtype or strides
@options alive base dtype order="C"|"F" strides token
= cuda.ndarray.zeros(shape, dtype, options)
Returns an array of zeros (of false for bool).
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError, MemoryError as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.zeros_like(other, dtype, options)
Returns an array of zeros (of false for bool) with the shape and order of another one.
@param other cuda.ndarray.Array  as for empty_like
@param dtype? any  as for dtype.of; default: the dtype of other
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty_like
@return cuda.ndarray.Array
@raise LogicError, MemoryError as empty_like
@options dtype managed order="C"|"F" pinned
# docs/kernels.md
= cuda module
CUDA for LuaJIT: devices, streams, memory and kernels, with arrays and more in its modules.
= cuda.AlignedHostAllocation class
Plain host memory aligned to a power of two: the base of arrays of aligned_empty.
= cuda.AlignedHostAllocation:close()
As free().
@raise LogicError if it was already freed
= cuda.AlignedHostAllocation:free()
Frees the memory as soon as no pending copy, registration or graph uses it. You can no longer use arrays over it.
@raise LogicError if it was already freed
= cuda.ArgumentHandler class
A kernel argument that is a host buffer: allocates device memory for the call, and copies. Your own handlers are
objects with get_device_alloc(stream), pre_call(stream) and post_call(stream). If the call did not pass a stream, it
is nil, and all work must be done when the method returns.
= cuda.Array class
Memory in the driver's own layout, for textures and surfaces. `cuda.Array(descriptor)` allocates an array with
undefined contents. Copy with Memcpy2D or Memcpy3D, or copy bytes of its first row with memcpy_htoa and related
functions. Raises a LogicError for extents that do not fit together or exceed the device's limits.
@call fun(descriptor: cuda.ArrayDescriptor|cuda.ArrayDescriptor3D): cuda.Array
= cuda.Array:close()
As free().
@raise LogicError if it was already freed
= cuda.Array:free()
cuArrayDestroy: waits for running work.
@raise LogicError if it was already freed
= cuda.Array:get()
Returns its texels as a new host array, after all work of the legacy stream. The last axis is x, preceded by y and z
or layers if the array has them. For several channels there is one more axis after x.
@return cuda.ndarray.Array  of the format's dtype
@raise LogicError after free(), and for formats without a dtype, such as unorm_int8
= cuda.Array:get_descriptor()
cuArrayGetDescriptor.
@return cuda.ArrayDescriptor  the description by the driver
@raise LogicError after free()
= cuda.Array:get_descriptor_3d()
cuArray3DGetDescriptor.
@return cuda.ArrayDescriptor3D  the description by the driver
@raise LogicError after free()
= cuda.Array:handle()
The driver's handle.
@return number  the CUarray as a number, for other libraries
= cuda.ArrayDescriptor class
Describes a 1D or 2D CUDA array: `cuda.ArrayDescriptor{width = 4, height = 4, format = "float", num_channels = 1}`. A
height of 0 means 1D; width and height are in elements; format is a value of cuda.array_format; num_channels is 1, 2
or 4. You can set fields later. Raises a LogicError for unknown fields and invalid values.
@call fun(fields?: table): cuda.ArrayDescriptor
@field width integer  the width in elements
@field height integer  the height in elements; 0: 1D
@field format integer|string  cuda.array_format, or its name: "float"
@field num_channels integer  1, 2 or 4
= cuda.ArrayDescriptor3D class
Describes a CUDA array of up to 3 dimensions: as ArrayDescriptor, with depth (0: not a 3D array; the number of layers
of a layered array, six faces for a cubemap) and flags of cuda.array3d_flags.
@call fun(fields?: table): cuda.ArrayDescriptor3D
@field width integer  the width in elements
@field height integer  the height in elements; 0: 1D
@field depth integer  0: not a 3D array; otherwise the depth, or the number of layers or faces
@field format integer|string  cuda.array_format, or its name: "float"
@field num_channels integer  1, 2 or 4
@field flags integer         cuda.array3d_flags
= cuda.ConditionalNode class
The argument of Graph:add_conditional. You can pass the kind as the first value, without a name.
@field kind "if"|"while"|"switch"|nil  the kind; or pass it as the first element of the list
@field condition cuda.Scalar  the value returned by Graph:condition()
@field bodies integer?  the number of bodies; default 1
@field after cuda.GraphNode|cuda.GraphNode[]|nil  the nodes that this node runs after
= cuda.DeviceAllocation class
Device memory that belongs to this object. `#a` is its size in bytes, `a + bytes` a DevicePointer with that offset.
= cuda.DeviceAllocation:as_buffer(nbytes, offset)
Returns the memory as a host array of uint8 without a copy, if the host can access it.
@param nbytes integer  the number of bytes
@param offset? integer  bytes from the start of the memory, default 0
@return cuda.ndarray.Array  an array whose base is this memory
@raise LogicError for plain device memory, which the host cannot access, and beyond the end
= cuda.DeviceAllocation:close()
As free().
@raise LogicError if it was already freed
= cuda.DeviceAllocation:free()
cuMemFree: frees the memory now, after running kernels. Memory of mem_alloc_async() and of a MemoryPool is freed by
cuMemFreeAsync in the order of its stream, after the work of other streams, and the call does not wait.
@raise LogicError if it was already freed, and in a stream that is being captured
= cuda.DeviceAllocation:ptr()
The device address.
@return number
@raise LogicError if it was freed
= cuda.DevicePointer class
A position in an allocation or in a module's variable, which it keeps alive; or a bare address.
= cuda.DevicePointer:as_buffer(nbytes, offset)
Returns the memory as a host array of uint8 without a copy, if the host can access it.
@param nbytes integer  the number of bytes
@param offset? integer  bytes from the address, default 0
@return cuda.ndarray.Array  an array whose base is this pointer
@raise LogicError for plain device memory, which the host cannot access, for a bare address, and beyond the end
= cuda.DevicePointer:ptr()
The device address.
@return number
@raise LogicError if the memory that it points to was freed
= cuda.Function class
A kernel. Call it: `fn(a, b, n, {block = 256, grid = 10})`, or `fn{a, b, n, block = 256}`. Numbers and booleans are
converted to the type of the parameter. Memory is a DeviceAllocation, DevicePointer, In, Out, InOut, or an object
with get_pointer(). Structs are FFI structs or strings with their bytes; nil is a null pointer. You can also read
attributes as fields: `fn.num_regs`.
@call fun(..., options: cuda.LaunchOptions): number?  returns the seconds with time_kernel
@options block carveout cluster cooperative grid pdl priority shared stream time_kernel
= cuda.Function:available_shared(blocks, block)
cuOccupancyAvailableDynamicSMemPerBlock: returns the dynamic shared memory available to each block if the given
number of blocks runs on an SM.
@param blocks integer  the number of blocks on an SM
@param block integer|integer[]  threads in a block: up to 3 extents
@return integer bytes
@raise LaunchError if that many blocks do not fit even without shared memory, LogicError if its context is not current
= cuda.Function:get_attribute(attribute)
cuFuncGetAttribute. You can also read an attribute as a field: `fn.num_regs`. PyCUDA's early names are registers,
smem and lmem.
@param attribute string|integer  cuda.function_attribute, or its name: "num_regs", "local_size_bytes" ...
@return integer
@raise LogicError if it is unknown
= cuda.Function:launch()
Launches one block with the current settings, in the current stream.
@raise LogicError if the shape or parameters are missing, or if memory among them was freed; LaunchError if a limit is exceeded
= cuda.Function:launch_grid(width, height)
Launches a grid of blocks with the current settings, in the current stream.
@param width integer  the first extent of the grid
@param height integer  the second extent of the grid
@raise LogicError, LaunchError as launch
= cuda.Function:launch_grid_async(width, height, stream)
As launch_grid, in a stream.
@param width integer  the first extent of the grid
@param height integer  the second extent of the grid
@param stream? cuda.Stream  nil: the current stream
@raise LogicError, LaunchError as launch
= cuda.Function:max_active_blocks(block, shared, flags)
cuOccupancyMaxActiveBlocksPerMultiprocessor: returns how many blocks of this kernel fit on an SM at the same time.
@param block integer|integer[]  threads in a block: up to 3 extents
@param shared? integer  dynamic shared memory of a block in bytes; default 0
@param flags? integer|string       cuda.occupancy_flags
@return integer blocks             0 if the block does not fit
@raise LogicError if its context is not current
= cuda.Function:max_active_clusters(options)
cuOccupancyMaxActiveClusters: returns how many clusters of this kernel fit on the device at the same time.
@param options cuda.LaunchOptions  block and cluster, and shared
@return integer clusters              0 if none fits, or if the device does not support clusters
@raise LogicError if its context is not current
@options block carveout cluster cooperative grid pdl priority shared stream time_kernel
= cuda.Function:max_cluster_size(options)
cuOccupancyMaxPotentialClusterSize: returns the largest cluster that fits.
@param options cuda.LaunchOptions  block, and shared
@return integer blocks                blocks in the cluster; 1 if the device does not support clusters, 0 if no block fits
@raise LogicError if its context is not current
@options block carveout cluster cooperative grid pdl priority shared stream time_kernel
= cuda.Function:name()
The kernel's name.
@return string  as in the module; mangled for templates
= cuda.Function:param_set(...)
Sets all parameters for later launches. Memory is kept alive until they are set again.
@param ... any  the arguments, as in fn(...); In, Out and InOut copy at each launch
@raise LogicError for arguments that do not fit; in this case nothing is changed
= cuda.Function:param_set_size(bytes)
Sets the total size of the parameters. param_set() does this automatically.
@param bytes integer  the end of the last parameter in bytes, or C's sizeof of all parameters. A launch raises an error if this leaves one out
@raise LogicError if it is not a number of bytes
= cuda.Function:param_setf(offset, value)
Writes a float to the parameters, regardless of their types.
@param offset integer  the position in bytes, from 0
@param value number  the number
@raise LogicError if it overflows, or extends beyond the last parameter
= cuda.Function:param_seti(offset, value)
Writes a 32-bit integer to the parameters, regardless of their types.
@param offset integer  the position in bytes, from 0
@param value integer  an integer from -2^31 to 2^32 - 1
@raise LogicError if it is out of range, or extends beyond the last parameter
= cuda.Function:param_setv(offset, bytes)
Writes bytes to the parameters, regardless of their types. Memory whose address is among them is not kept alive.
@param offset integer  the position in bytes, from 0
@param bytes any  a string, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer()
@raise LogicError if they extend beyond the last parameter
= cuda.Function:prepare(arg_types, options)
Sets the types of the parameters and the shape of the block for prepared_call(). If the kernel's own signature is
known, the types must agree with it, and it determines how values are checked. Otherwise the types become its
signature, for fn(...) too. PyCUDA's Function.prepare.
@param arg_types string|any[]  a string with characters of Python's struct module ("PPif", native sizes; F and D are complex float and double, 8s is 8 bytes), or a list of types: such a character, a type as in C ("float *", "unsigned int"), a dtype ("int32"), an FFI ctype, or a table with the field bytes
@param options? {block: integer|integer[], shared: integer, texrefs: table}  block: the threads; default: as set by set_block_shape(), or else an argument of prepared_call(); shared: dynamic shared memory in bytes; texrefs: a list of texture references of the kernel's module, which are checked
@return cuda.Function self
@raise LogicError for types that the parameters cannot have, invalid formats and options
@options block shared texrefs
= cuda.Function:prepared_async_call(grid, ...)
As prepared_call(), in a stream.
@param grid integer|integer[]  blocks in the grid: up to 3 extents
@param ... any  the block, if required, as for prepared_call(); a Stream, or nil for the current one; the arguments
@raise LogicError, LaunchError as prepared_call
= cuda.Function:prepared_call(grid, ...)
Launches the kernel in the current stream with the settings of prepare(). The fastest way to launch, with the same
checks as fn(...).
@param grid integer|integer[]  blocks in the grid: up to 3 extents
@param ... any  a list with the block's extents, required if prepare() did not receive a block; then the arguments, as in fn(...); then optionally {shared_size = bytes}
@raise LogicError for arguments that do not fit, and if prepare() was not called; LaunchError for a grid or a block beyond the limits
@options shared_size
= cuda.Function:prepared_timed_call(grid, ...)
Runs a prepared call between two events.
@param grid integer|integer[]  blocks in the grid: up to 3 extents
@param ... any                 as for prepared_call
@return fun(): number  returns the seconds that the kernel took on the device; waits for its end
@raise LogicError, LaunchError as prepared_call
= cuda.Function:set_attribute(attribute, value)
cuFuncSetAttribute.
@param attribute string|integer  "max_dynamic_shared_size_bytes", "preferred_shared_memory_carveout" (percent), "non_portable_cluster_size_allowed" ...; most attributes are read-only
@param value integer  the new value
@raise LogicError if the attribute is read-only, or does not accept this value
= cuda.Function:set_block_shape(x, y, z)
Sets the threads of a block for launch() and related methods, and for prepared_call().
@param x integer  the first extent
@param y? integer  the second extent; default 1
@param z? integer  the third extent; default 1
@raise LogicError for values that are not positive integers
= cuda.Function:set_cache_config(config)
cuFuncSetCacheConfig, a hint: how to divide the memory that L1 cache and shared memory have in common.
@param config integer|string  cuda.func_cache: "prefer_none", "prefer_shared", "prefer_l1", "prefer_equal"
@raise LogicError if config is not a cache configuration
= cuda.Function:set_shared_config(config)
cuFuncSetSharedMemConfig: sets the width of the shared memory banks. Has no effect on current GPUs.
@param config integer|string  cuda.shared_config: "default_bank_size", "four_byte_bank_size", ...
@raise LogicError if config is not a bank size
= cuda.Function:set_shared_size(bytes)
Sets the dynamic shared memory of a block for launch() and related methods, and for prepared_call().
@param bytes integer  the size in bytes
@raise LogicError if it is not a number of bytes
= cuda.Function:signature()
Returns the kernel's C signature: "void add(float *dest, const float *a, int n)".
@return string
@return {source: string, warnings: string[], params: table[]?} about  source: the origin of the types, "args" of get_function(), the "compiler", a "mangled name", "PTX" or the "driver", which knows only sizes; "nowhere" with drivers before 12.4; warnings: contradictions between the sources; params: of each type, size, offset and text
@raise LogicError if it is closed
= cuda.Function:suggest_block(options)
cuOccupancyMaxPotentialBlockSize: returns the block size with the highest occupancy.
@param options? {shared: integer|fun(threads: integer): integer, limit: integer}  shared: the dynamic shared memory of a block in bytes, or a function that returns it for a number of threads; limit: the maximum number of threads in a block
@return integer block    the number of threads
@return integer min_grid  the smallest number of blocks that fills the device
@raise LaunchError if no block fits, LogicError for invalid options and if its context is not current
@options limit shared
= cuda.Graph:add_child(record)
Adds a copy of another graph as a node: `g:add_child{ other }`. Nodes that you add to the other graph later are not
in the copy.
@param record {graph: cuda.Graph, after: cuda.GraphNode|cuda.GraphNode[]|nil}  graph: the other graph; after: the nodes that this node runs after
@return cuda.GraphNode
@raise LogicError for a graph of another context or with conditional nodes
@options after graph
= cuda.Graph:add_conditional(record)
Adds a conditional node: `g:add_conditional{ "while", condition = c }`. Its bodies are graphs that you fill
afterwards: `node.bodies[1]`. "if" has one body that runs if the value is not 0, and optionally a second one that
runs if it is 0. "while" has one body that runs repeatedly as long as the value is not 0. For "switch", body number
value + 1 runs, if it exists.
@param record cuda.ConditionalNode  the kind, the condition and the number of bodies
@return cuda.GraphNode  a node with the field bodies
@raise LogicError for another graph's condition, or a condition that is already used by a node
= cuda.Graph:add_empty(record)
Adds a node that does nothing, as a dependency of other nodes: `g:add_empty{ after = { a, b } }`.
@param record? {after: cuda.GraphNode|cuda.GraphNode[]|nil}  after: the nodes that this node runs after
@return cuda.GraphNode
@raise LogicError for nodes of other graphs
@options after
= cuda.Graph:add_event_record(record)
Adds a node that records an event each time it runs: `g:add_event_record{ event }`.
@param record {event: cuda.Event, after: cuda.GraphNode|cuda.GraphNode[]|nil}  event: the event; after: the nodes that this node runs after
@return cuda.GraphNode
@raise LogicError if it is not an event of the graph's context, and in the body of a conditional node
@options after event
= cuda.Graph:add_event_wait(record)
Adds a node that waits for an event, as it was last recorded when the graph is launched: `g:add_event_wait{ event }`.
@param record {event: cuda.Event, after: cuda.GraphNode|cuda.GraphNode[]|nil}  event: the event; after: the nodes that this node runs after
@return cuda.GraphNode
@raise LogicError if it is not an event of the graph's context, and in the body of a conditional node
@options after event
= cuda.Graph:add_host(record)
Adds a host function: `g:add_host{ fn }`. A Lua function is called once for each run of the node, by the next
`cuda.poll()` or synchronisation. The graph does not wait for it, so later nodes do not see its effects. A C
function, `void (*)(void *)`, is called with its data by the driver in a thread of its own, and the graph waits; it
must not call CUDA or Lua. A Lua function that refers to its own graph keeps the graph alive until close().
@param record {fn: function|ffi.cdata*, data: ffi.cdata*?, after: cuda.GraphNode|cuda.GraphNode[]|nil}  fn: the function; data: the argument of a C function; after: the nodes that this node runs after
@return cuda.GraphNode
@raise LogicError for a value that cannot be called, and in the body of a conditional node
@options after data fn
= cuda.Graph:add_kernel(record)
Adds a kernel: `g:add_kernel{ fn, args = { d, n }, grid = 4, block = 256, after = node }`. Other keys are launch
options. Arguments are converted and checked as in a launch; the graph keeps the objects that they refer to alive.
@param record cuda.KernelNode  the kernel, its arguments and launch options
@return cuda.GraphNode
@raise errors of a launch; LogicError for In, Out and InOut, whose memory lasts for one call
= cuda.Graph:add_memcpy(record)
Adds a copy between device memory, or between device and host memory: `g:add_memcpy{ dst = d, src = h, bytes = n }`.
Host memory is read or written each time the graph runs, and the graph keeps it alive.
@param record cuda.MemcpyNode  the memory to copy
@return cuda.GraphNode
@raise LogicError as memcpy_htod_async and related functions
= cuda.Graph:add_memset(record)
Adds a fill: `g:add_memset{ dst = d, value = 0, count = n }`, or of a rectangle with pitch, width and height.
@param record cuda.MemsetNode  the memory to fill, and the value
@return cuda.GraphNode
@raise LogicError as memset_d8_async and related functions
= cuda.Graph:condition(options)
Creates the value that a conditional node tests. Pass it to a kernel as an argument of type
`cudaGraphConditionalHandle`; the kernel calls `cudaGraphSetConditional(handle, value)`.
@param options? {default: integer}  default: the value at the start of each launch of the graph; without a default the value is undetermined until a kernel sets it
@return cuda.Scalar  an argument for kernels of this graph and for add_conditional
@raise LogicError if the default is not an integer from 0 to 2^32 - 1
@options default
= cuda.Graph:node_list()
cuGraphGetNodes: returns the nodes, the same objects each time.
@return cuda.GraphNode[]
@raise LogicError for a closed graph
= cuda.GraphCall class
The result of cuda.graph(fn). Call it like fn.
@call fun(...: any): any
= cuda.GraphCall:close()
Frees its graphs. Results that you already have stay valid; later calls raise an error.
@raise LogicError if you do not call it with a colon
= cuda.GraphCall:info()
Returns how often the function was captured and replayed, the number of its graphs, and the number of nodes of the
last used graph.
@return {captures: integer, replays: integer, graphs: integer, nodes: integer}
@raise LogicError if you do not call it with a colon
= cuda.GraphExec:enable(node, on)
Disables a kernel, copy or fill, or enables it again. A disabled node does nothing.
@param node cuda.GraphNode  a node of the graph that this was created from
@param on? boolean  true: enable it; false: disable it; default true
@return cuda.GraphExec self
@raise LogicError for nodes of other kinds
= cuda.GraphExec:set_child(node, graph)
Updates the nodes of a child graph with those of another graph with the same structure.
@param node cuda.GraphNode  a node of the graph that this was created from
@param graph cuda.Graph  a graph with the same structure
@return cuda.GraphExec self
@raise LogicError if the structures differ, or as add_child
= cuda.GraphExec:set_event(node, event)
Changes the event that a node records or waits for.
@param node cuda.GraphNode  a node of the graph that this was created from
@param event cuda.Event  the new event
@return cuda.GraphExec self
@raise LogicError if it is not an event of the graph's context
= cuda.GraphExec:set_host(node, record)
Changes the function of a host node: `x:set_host(node, { fn })`.
@param node cuda.GraphNode  a node of the graph that this was created from
@param record {fn: function|ffi.cdata*, data: ffi.cdata*?}  fn: the function; data: the argument of a C function
@return cuda.GraphExec self
@raise as add_host
@options data fn
= cuda.GraphExec:set_kernel(node, record)
Changes a kernel node of this executable graph for later launches: `x:set_kernel(node, { args = { d, m } })`. Fields
that you omit keep their values. Running launches are not affected.
@param node cuda.GraphNode  a node of the graph that this was created from
@param record cuda.KernelNode  the fields fn, args, grid, block and shared
@return cuda.GraphExec self
@raise as add_kernel; LogicError for nodes of other graphs, for nodes added later, and if you do not pass all fields for a captured node
= cuda.GraphExec:set_memcpy(node, record)
Changes the addresses of a copy, and the number of bytes of a contiguous copy: `x:set_memcpy(node, { src = other })`.
@param node cuda.GraphNode  a node of the graph that this was created from
@param record cuda.MemcpyNode  the fields to change
@return cuda.GraphExec self
@raise as add_memcpy; LogicError if the driver does not support the change
= cuda.GraphExec:set_memset(node, record)
Changes the memory and the value of a fill: `x:set_memset(node, { value = 7 })`.
@param node cuda.GraphNode  a node of the graph that this was created from
@param record cuda.MemsetNode  the fields to change
@return cuda.GraphExec self
@raise as add_memset; LogicError if the driver does not support the change
= cuda.GraphNode class
A node of a graph. It keeps its graph alive. Pass it to calls that add other nodes or change this one.
@field kind string  the kind of node: "kernel", "memcpy", "memset", "host", "graph", "empty", "wait_event", "event_record", "conditional"
@field graph cuda.Graph  the graph that it belongs to
@field after cuda.GraphNode[]  the nodes that it runs after
@field params table  the parameters that it was added with; for a captured node, those that the driver reports
@field bodies cuda.Graph[]?  the bodies of a conditional node
= cuda.GraphNode:handle()
The driver's handle.
@return number  the CUgraphNode as a number, for other libraries
= cuda.HostAllocation class
Page-locked host memory: the base of arrays of pagelocked_empty. You can pass it wherever device memory is accepted.
`#a` is its size in bytes, `a + bytes` a DevicePointer with that offset.
= cuda.HostAllocation:as_buffer(nbytes, offset)
Returns the memory as a host array of uint8 without a copy.
@param nbytes integer  the number of bytes
@param offset? integer  bytes from the start of the memory, default 0
@return cuda.ndarray.Array  an array whose base is this memory
@raise LogicError beyond the end
= cuda.HostAllocation:close()
As free().
@raise LogicError if it was already freed
= cuda.HostAllocation:free()
cuMemFreeHost: frees the memory after copies that use it and after running kernels. You can no longer use arrays over
it.
@raise LogicError if it was already freed
= cuda.HostAllocation:get_device_pointer()
cuMemHostGetDevicePointer.
@return cuda.DevicePointer  a pointer that keeps this memory alive
@raise LogicError if it was freed, or does not have an address on the device
= cuda.HostAllocation:get_flags()
cuMemHostGetFlags.
@return integer  bits of cuda.host_alloc_flags
@raise LogicError if it was freed
= cuda.HostAllocation:ptr()
Returns the device address of the memory.
@return number
@raise LogicError if it was freed
= cuda.IPCMemoryHandle class
Memory of another process: `cuda.IPCMemoryHandle(handle, flags)` opens a handle that mem_get_ipc_handle() returned
there. You can pass it wherever device memory is accepted.
@call fun(handle: string, flags?: any): cuda.IPCMemoryHandle  flags: cuda.ipc_mem_flags, default "lazy_enable_peer_access", the only one. Raises a LogicError if handle is not a string of 64 bytes, (201) for a handle of this process, and the driver's error if the memory or its process no longer exists.
= cuda.IPCMemoryHandle:close()
cuIpcCloseMemHandle. The other process keeps its memory.
@raise LogicError if it was already closed
= cuda.IPCMemoryHandle:ptr()
Returns the device address in this process.
@return number
@raise LogicError if it was closed
= cuda.In(buf, nbytes)
A kernel argument: device memory for the duration of the call, filled from a host buffer before it. The call raises a
LogicError if the elements of the buffer are known and differ from those of the parameter.
@param buf any  a host array, a string, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer()
@param nbytes? integer  the number of bytes to copy; default: all
@return cuda.ArgumentHandler
@raise LogicError if buf is not a host buffer
= cuda.InOut(buf, nbytes)
A kernel argument that combines In and Out.
@param buf any  a host array, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer()
@param nbytes? integer  the number of bytes to copy; default: all
@return cuda.ArgumentHandler
@raise LogicError if buf is not a host buffer, or is a Lua string
= cuda.KernelNode class
The argument of Graph:add_kernel; other keys are launch options. You can pass the kernel as the first value, without
a name.
@field fn cuda.Function?  the kernel; or pass it as the first element of the list
@field args any[]?  the kernel's arguments; args.n: their number, if some are nil
@field grid integer|integer[]?  blocks in the grid: up to 3 extents; default 1
@field block integer|integer[]?  threads in each block: up to 3 extents; required for a new node
@field shared integer?  dynamic shared memory of each block in bytes; default 0
@field after cuda.GraphNode|cuda.GraphNode[]|nil  the nodes that this node runs after
= cuda.LaunchOptions class
@field block integer|integer[]  threads in each block: up to 3 extents; required
@field grid? integer|integer[]  blocks in the grid: up to 3 extents; default 1
@field shared? integer  dynamic shared memory of each block in bytes; default 0. The function attribute that more than 48 KiB needs is set automatically
@field stream? cuda.Stream    default: the current stream
@field cooperative? boolean  true: all blocks run at the same time and can wait for each other
@field cluster? integer|integer[]  blocks in a thread block cluster (compute capability 9.0); the grid must be a multiple of it
@field priority? integer  within Stream.priority_range(); a lower number means a higher priority
@field pdl? boolean  true: the kernel may start before the preceding kernel in the stream has ended, and then has to wait with cudaGridDependencySynchronize() (compute capability 9.0)
@field carveout? integer|string  the preferred share of an SM's memory for shared memory in percent, or cuda.shared_carveout (the default is the function's attribute)
@field time_kernel? boolean  true: wait for the context before and after the launch, and return its duration in seconds; the stream option is then not allowed
= cuda.ManagedAllocation class
Memory that host and device share: the base of arrays of managed_empty. You can pass it wherever device memory is
accepted.
= cuda.ManagedAllocation:as_buffer(nbytes, offset)
Returns the memory as a host array of uint8 without a copy.
@param nbytes integer  the number of bytes
@param offset? integer  bytes from the start of the memory, default 0
@return cuda.ndarray.Array  an array whose base is this memory
@raise LogicError beyond the end
= cuda.ManagedAllocation:attach(flags, stream)
cuStreamAttachMemAsync: sets, in stream order, who may use the memory from now on. "global": every stream; "host": no
stream, and the program may access it while kernels run; "single": only kernels of this stream.
@param flags integer|string  cuda.mem_attach_flags, or its name
@param stream? cuda.Stream  default: the current stream; "single" needs a stream that is not the default stream
@raise LogicError if it was freed, for other flags, and in a stream that is being captured
= cuda.ManagedAllocation:close()
As free().
@raise LogicError if it was already freed
= cuda.ManagedAllocation:free()
cuMemFree: frees the memory after copies that use it and after running kernels. You can no longer use arrays over it.
@raise LogicError if it was already freed
= cuda.ManagedAllocation:get_device_pointer()
Returns its address as a DevicePointer.
@return cuda.DevicePointer  a pointer that keeps this memory alive
@raise LogicError if it was freed
= cuda.ManagedAllocation:ptr()
Returns its address, which is the same on host and device.
@return number
@raise LogicError if it was freed
= cuda.Memcpy2D class
A copy of a rectangle: `local c = cuda.Memcpy2D()`. Its fields, initially 0, are src_x_in_bytes, src_y, src_pitch,
dst_x_in_bytes, dst_y, dst_pitch, width_in_bytes and height; you must set the last two. A pitch is the number of
bytes from one row to the next. A pitch of 0 means contiguous rows; arrays do not have a pitch. Set the source with
set_src_host(buf), set_src_device(memory), set_src_array(array) or set_src_unified(memory or buffer), and the
destination with set_dst_... in the same way. The copy keeps both alive, and returns them as src_host, src_device ...
`c()` copies, and waits if host memory is involved. `c{aligned = false}` (or `c(false)`) accepts any pitch.
`c(stream)` copies in stream order and keeps source and destination alive until it is done. Raises a LogicError for
unknown fields, for memory of another context than the current one, and if the rectangle exceeds the memory.
@call fun(): cuda.Memcpy2D
@field src_x_in_bytes integer  the first byte of each row in the source
@field src_y integer  the first row in the source
@field src_pitch integer  bytes from one row to the next
@field dst_x_in_bytes integer  the first byte of each row in the destination
@field dst_y integer  the first row in the destination
@field dst_pitch integer  bytes from one row to the next
@field width_in_bytes integer  bytes in each row; required
@field height integer  the number of rows; required
= cuda.Memcpy2D:set_dst_array(array)
Sets a CUDA array as the destination of the copy.
@param array cuda.Array  the array to write
@raise LogicError if array is not an Array
= cuda.Memcpy2D:set_dst_device(memory)
Sets device memory as the destination of the copy.
@param memory cuda.DeviceAllocation|cuda.DevicePointer|integer  or anything else that is accepted as device memory
@raise LogicError if memory is not device memory
= cuda.Memcpy2D:set_dst_host(buf)
Sets a host buffer as the destination of the copy.
@param buf any  as for set_src_host, except strings
@raise LogicError if buf is not a host buffer, or is read-only
= cuda.Memcpy2D:set_dst_unified(memory)
Sets memory as the destination of the copy whose address tells whether it is on the host or the device.
@param memory any  as for set_dst_device or set_dst_host
@raise LogicError if memory is neither device memory nor a host buffer
= cuda.Memcpy2D:set_src_array(array)
Sets a CUDA array as the source of the copy.
@param array cuda.Array  the array to read
@raise LogicError if array is not an Array
= cuda.Memcpy2D:set_src_device(memory)
Sets device memory as the source of the copy.
@param memory cuda.DeviceAllocation|cuda.DevicePointer|integer  or anything else that is accepted as device memory
@raise LogicError if memory is not device memory
= cuda.Memcpy2D:set_src_host(buf)
Sets a host buffer as the source of the copy.
@param buf any  a string, an FFI array or struct, a contiguous host array, {ptr =, nbytes =}, or an object with :buffer()
@raise LogicError if buf is not a host buffer
= cuda.Memcpy2D:set_src_unified(memory)
Sets memory as the source of the copy whose address tells whether it is on the host or the device.
@param memory any  as for set_src_device or set_src_host
@raise LogicError if memory is neither device memory nor a host buffer
= cuda.Memcpy3D class
A copy of a box: as Memcpy2D, with src_z, src_height (rows from one slice to the next; 0: contiguous slices; not for
arrays), src_lod, dst_z, dst_height, dst_lod and depth (required). Call `c()` or `c(stream)`.
@call fun(): cuda.Memcpy3D
@field src_x_in_bytes integer  as for Memcpy2D
@field src_y integer  as for Memcpy2D
@field src_z integer  the first slice in the source
@field src_lod integer  the level of a mipmapped array
@field src_pitch integer  bytes from one row to the next
@field src_height integer  rows from one slice to the next
@field dst_x_in_bytes integer  as for Memcpy2D
@field dst_y integer  as for Memcpy2D
@field dst_z integer  the first slice in the destination
@field dst_lod integer  the level of a mipmapped array
@field dst_pitch integer  bytes from one row to the next
@field dst_height integer  rows from one slice to the next
@field width_in_bytes integer  bytes in each row; required
@field height integer  the number of rows; required
@field depth integer  the number of slices; required
= cuda.Memcpy3DPeer class
A copy of a box between two contexts: as Memcpy3D, with set_src_context(ctx) and set_dst_context(ctx). The default of
both is the current context. Memory must belong to the context of its side.
@call fun(): cuda.Memcpy3DPeer
@field src_x_in_bytes integer  as for Memcpy3D
@field src_y integer  as for Memcpy3D
@field src_z integer  as for Memcpy3D
@field src_lod integer  the level of a mipmapped array
@field src_pitch integer  bytes from one row to the next
@field src_height integer  rows from one slice to the next
@field dst_x_in_bytes integer  as for Memcpy3D
@field dst_y integer  as for Memcpy3D
@field dst_z integer  as for Memcpy3D
@field dst_lod integer  the level of a mipmapped array
@field dst_pitch integer  bytes from one row to the next
@field dst_height integer  rows from one slice to the next
@field width_in_bytes integer  bytes in each row; required
@field height integer  the number of rows; required
@field depth integer  the number of slices; required
= cuda.Memcpy3DPeer:set_dst_context(context)
Sets the context of the destination memory.
@param context cuda.Context  the context whose memory the copy writes
@raise LogicError if context is not a Context
= cuda.Memcpy3DPeer:set_src_context(context)
Sets the context of the source memory.
@param context cuda.Context  the context whose memory the copy reads
@raise LogicError if context is not a Context
= cuda.MemcpyNode class
The argument of Graph:add_memcpy.
@field dst any  the destination: device memory or a host buffer
@field src any  the source: device memory or a host buffer
@field bytes integer?  the number of bytes; default: the whole host buffer, or all of the memory if its size is known
@field copy cuda.Memcpy2D|cuda.Memcpy3D|nil  a rectangular copy, instead of the other three fields
@field after cuda.GraphNode|cuda.GraphNode[]|nil  the nodes that this node runs after
= cuda.MemoryPool:export()
cuMemPoolExportToShareableHandle: returns a file descriptor for cuda.import_mempool() in another process. Pass it
through a socket or by inheritance.
@return integer descriptor  a file descriptor, which you have to close
@raise LogicError if the pool was not created with `shareable = true`
= cuda.MemoryPool:export_pointer(memory)
cuMemPoolExportPointer: returns the data for import_pointer() in another process. The pool must be shareable.
@param memory cuda.DeviceAllocation  memory of this pool, in use
@return string data  64 bytes
@raise LogicError for other memory, and for memory of a pool that is not shareable
= cuda.MemoryPool:import_pointer(data)
cuMemPoolImportPointer: returns memory of the process that exported this pool. Free it before that process does.
@param data string  the 64 bytes of export_pointer()
@return cuda.DeviceAllocation
@raise LogicError if it is not such data, for memory of another pool, for memory that is already imported and not freed, and for a pool that was not imported
= cuda.MemsetNode class
The argument of Graph:add_memset.
@field dst any  the device memory to fill
@field value integer?  the value of each element; default 0
@field count integer?  the number of elements; default: all
@field bits integer?  bits of an element: 8 (the default), 16 or 32
@field pitch integer?  for a rectangle, instead of count: bytes from one row to the next
@field width integer?  for a rectangle: elements in each row
@field height integer?  for a rectangle: the number of rows
@field after cuda.GraphNode|cuda.GraphNode[]|nil  the nodes that this node runs after
= cuda.Out(buf, nbytes)
A kernel argument: device memory for the duration of the call, copied to a host buffer after it. Elements that the
kernel does not write are undefined.
@param buf any  a host array, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer()
@param nbytes? integer  the number of bytes to copy; default: all
@return cuda.ArgumentHandler
@raise LogicError if buf is not a host buffer, or is a Lua string
= cuda.PagelockedHostAllocation field
PyCUDA's name of HostAllocation.
= cuda.RegisteredHostMemory class
Page-locked memory of the program: the base of arrays of register_host_memory. You can pass it wherever device memory
is accepted.
@field base any  the argument of register_host_memory
= cuda.RegisteredHostMemory:as_buffer(nbytes, offset)
Returns the memory as a host array of uint8 without a copy.
@param nbytes integer  the number of bytes
@param offset? integer  bytes from the start of the memory, default 0
@return cuda.ndarray.Array  an array whose base is this memory
@raise LogicError beyond the end
= cuda.RegisteredHostMemory:close()
As unregister().
@raise LogicError if it was already unregistered
= cuda.RegisteredHostMemory:get_device_pointer()
cuMemHostGetDevicePointer.
@return cuda.DevicePointer  a pointer that keeps this memory alive
@raise LogicError if it was unregistered, or does not have an address on the device
= cuda.RegisteredHostMemory:ptr()
Returns the device address of the memory.
@return number
@raise LogicError if it was unregistered
= cuda.RegisteredHostMemory:unregister()
cuMemHostUnregister: waits for copies that use the memory. You can no longer use the array over it, but you can use
the object that it was created from.
@raise LogicError if it was already unregistered
= cuda.Scalar class
A typed scalar, for a kernel with unknown parameter types.
= cuda.Stream:begin_capture(options)
cuStreamBeginCapture: records later work of this stream instead of running it. It is the current stream until
end_capture(). When an enclosing stream:use() ends, the previous stream becomes current again and the capture goes
on. The rules of capture() apply: operations that cannot be recorded raise an error first, and after other errors the
capture goes on. End a capture even if you do not need its graph.
@param options? {mode: string|integer}|string|integer  the mode, or a table with it. mode: as for capture()
@return cuda.Stream self
@raise LogicError for the legacy stream and a stream that is being captured
@options mode
= cuda.Stream:end_capture()
cuStreamEndCapture: ends the capture. The stream that was current before begin_capture() becomes current again.
@return cuda.Graph  the recorded work; the graph keeps what its work uses alive
@raise LogicError if the stream is not being captured, if it is captured by Stream:capture(), or if the capture began outside a Stream:use() that has not ended: these change nothing. LogicError (901, 904 ...) if the capture was broken or a stream was not joined again: the capture is then over. LogicError (908) in another thread than the one that began it, unless the mode is "relaxed": the capture goes on
= cuda.Stream:is_capturing()
cuStreamIsCapturing: returns true if the stream is being captured, by any code. This includes a stream that joined
the capture of another one.
@return boolean
@return string? status  "invalidated" if the capture was broken and has not ended yet
@raise LogicError for a closed stream
= cuda.TRSA_OVERRIDE_FORMAT field
Flag of texture references: overrides the array's format.
= cuda.TRSF_DISABLE_TRILINEAR_OPTIMIZATION field
Flag of texture references: filtering between levels is not simplified.
= cuda.TRSF_NORMALIZED_COORDINATES field
Flag of texture references: coordinates run from 0 to 1.
= cuda.TRSF_READ_AS_INTEGER field
Flag of texture references: integers are not turned into floats from 0 to 1.
= cuda.TRSF_SEAMLESS_CUBEMAP field
Flag of texture references: filtering goes across the edges of a cubemap's faces.
= cuda.TRSF_SRGB field
Flag of texture references: sRGB is made linear.
= cuda.TR_DEFAULT field
A texture reference's unit, as the driver chooses it.
= cuda.address_mode field
CUaddress_mode: what a texture gives outside its bounds.
= cuda.aligned_empty(shape, dtype, options)
Returns a host array in plain memory whose address is a multiple of `alignment`, for register_host_memory. Its base
is the AlignedHostAllocation. Does not need a driver.
@param shape integer|integer[]  as for pagelocked_empty
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", alignment: integer}  dtype: as the parameter; alignment: in bytes, a power of two, default 4096
@return cuda.ndarray.Array  an array with undefined elements
@raise MemoryError; LogicError for an invalid shape, dtype or option
@options alignment dtype order="C"|"F"
= cuda.aligned_empty_like(other, options)
Returns an aligned array with the shape, dtype and (by default) order of another host array.
@param other cuda.ndarray.Array  as for pagelocked_empty_like
@param options? {order: "C"|"F", alignment: integer}  alignment: as for aligned_empty
@return cuda.ndarray.Array  an array with undefined elements
@raise MemoryError, LogicError as aligned_empty
@options alignment order="C"|"F"
= cuda.aligned_zeros(shape, dtype, options)
As aligned_empty, with zeros (false for bool) as elements.
@param shape integer|integer[]  as for pagelocked_empty
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", alignment: integer}  dtype: as the parameter; alignment: as for aligned_empty
@return cuda.ndarray.Array
@raise MemoryError, LogicError as aligned_empty
@options alignment dtype order="C"|"F"
= cuda.aligned_zeros_like(other, options)
As aligned_empty_like, with zeros (false for bool) as elements.
@param other cuda.ndarray.Array  as for pagelocked_empty_like
@param options? {order: "C"|"F", alignment: integer}  alignment: as for aligned_empty
@return cuda.ndarray.Array
@raise MemoryError, LogicError as aligned_empty
@options alignment order="C"|"F"
= cuda.array3d_flags field
CUDA_ARRAY3D_*: kinds of arrays. Each also with the prefix: ARRAY3D_LAYERED is LAYERED.
= cuda.array_cubemap_face field
CUarray_cubemap_face.
= cuda.array_format field
CUarray_format: element types of arrays and textures.
= cuda.bfloat16(value)
A 16-bit float with the range of float32: the upper half of a binary32.
@param value number|ffi.cdata*  the number; it is rounded to the nearest bfloat16
@return cuda.Scalar
@raise LogicError if the value overflows
= cuda.bool(value)
One byte, 0 or 1.
@param value number|boolean|ffi.cdata*  true, false, 1 or 0
@return cuda.Scalar
= cuda.compute_mode field
CUcomputemode: which processes may use a device; dev.compute_mode is one. EXCLUSIVE is of old drivers; none gives it
any more.
= cuda.ctx_flags field
CUctx_flags: how a context waits (SCHED_*) and what it provides; for Device:make_context().
= cuda.device_attribute field
CUdevice_attribute: for Device:get_attribute().
= cuda.dtype_to_array_format(dtype)
Returns the array format for elements of a dtype.
@param dtype any  as for dtype.of
@return integer  a value of cuda.array_format
@raise LogicError if no format has such elements
= cuda.event_flags field
CUevent_flags: for cuda.Event().
= cuda.event_record_flags field
CUevent_record_flags.
= cuda.event_wait_flags field
CUevent_wait_flags.
= cuda.filter_mode field
CUfilter_mode: what a texture gives between its elements.
= cuda.float16(value)
A 16-bit float, IEEE binary16.
@param value number|ffi.cdata*  the number; it is rounded to the nearest float16
@return cuda.Scalar
@raise LogicError if the value overflows
= cuda.float32(value)
A 32-bit float, IEEE binary32.
@param value number|ffi.cdata*  the number; it is rounded to the nearest float32
@return cuda.Scalar
@raise LogicError if the value overflows
= cuda.float64(value)
A 64-bit float, IEEE binary64.
@param value number|ffi.cdata*  the number
@return cuda.Scalar
@raise LogicError if the value overflows
= cuda.from_device(src, shape, dtype, order)
Copies device memory to a new host array.
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer  the source
@param shape integer|integer[]  the extents of the array: a list, or a number for a 1-D array
@param dtype any  the dtype of the array, as for dtype.of
@param order? "C"|"F"  the order of the elements; default "C"
@return cuda.ndarray.Array
@raise LogicError if the memory is smaller than the array
= cuda.from_device_like(src, other)
Copies device memory to a new host array with the shape, dtype and order of another host array.
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer  the source
@param other cuda.ndarray.Array  the array whose shape, dtype and order are used
@return cuda.ndarray.Array
@raise LogicError as from_device
= cuda.func_cache field
CUfunc_cache: for Context:set_cache_config(), and for kernels.
= cuda.function_attribute field
CUfunction_attribute: for Function:get_attribute(). MAX counts the others; no driver takes it.
= cuda.graph(fn, options)
Returns a function that is captured as a graph at its first call with arguments of a kind, and replayed at later
calls: `local step = cuda.graph(function(x, y) ... end)`. Array arguments are copied to arrays of its own. The
dtypes, shapes and strides of arrays and the values of all other arguments determine the kind; the 16 kinds used last
are kept. Each call for a kind returns the same arrays, which the next call overwrites: copy() what you want to keep.
The first call runs fn once, and calls it a second time to capture it.
@param fn function  a function that returns arrays, or anything that does not change after the first call
@param options? {static: boolean}  static: do not copy arrays; other arrays then count as other arguments, and fn may write to them; default false
@return cuda.GraphCall
@raise LogicError for invalid options; a call raises the errors of fn, and an error if something cannot be captured
@options static
= cuda.graph_debug_dot_flags field
CUgraphDebugDot_flags: what a drawing of a graph shows.
= cuda.graph_exec_update_result field
CUgraphExecUpdateResult: why a graph could not be updated.
= cuda.graph_instantiate_flags field
CUgraphInstantiate_flags.
= cuda.graph_node_type field
CUgraphNodeType.
= cuda.graphics_map_flags field
CUgraphicsMapResourceFlags: how a mapped resource of OpenGL is used.
= cuda.graphics_register_flags field
CUgraphicsRegisterFlags: how a resource of OpenGL is used.
= cuda.host_alloc_flags field
CU_MEMHOSTALLOC_*: for page-locked memory.
= cuda.import_mempool(descriptor, device)
cuMemPoolImportFromShareableHandle: returns the pool of another process. The descriptor comes from
MemoryPool:export() in that process, through a socket or by inheritance. `import_pointer` opens memory of the pool;
you cannot allocate from it. You may close the descriptor afterwards.
@param descriptor integer  a file descriptor of this process
@param device? cuda.Device|integer  default: the device of the current context
@return cuda.MemoryPool
@raise LogicError if the descriptor does not belong to a pool; (201) without a context
= cuda.initialize_profiler(config_file, output_file, output_mode)
cuProfilerInitialize, for a profiler that no longer exists: kept for programs that call it.
@param config_file string  the configuration file
@param output_file string  the output file
@param output_mode integer|string  cuda.profiler_output_mode: "csv", "key_value_pair"
@raise LogicError (801) with current drivers: run the program under nsys or ncu instead
= cuda.int16(value)
A 16-bit signed integer.
@param value number|ffi.cdata*  an integer from -32768 to 32767
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.int32(value)
A 32-bit signed integer.
@param value number|ffi.cdata*  an integer from -2^31 to 2^31 - 1
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.int64(value)
A 64-bit signed integer. Pass integers beyond 2^53 as cdata: 5LL.
@param value number|ffi.cdata*  an integer from -2^63 to 2^63 - 1
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.int8(value)
An 8-bit signed integer.
@param value number|ffi.cdata*  an integer from -128 to 127
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.ipc_mem_flags field
CUipcMem_flags: for memory of another process.
= cuda.jit_cache_mode field
CUjit_cacheMode: values of the option CACHE_MODE.
= cuda.jit_fallback field
CUjit_fallback: values of the option FALLBACK_STRATEGY.
= cuda.jit_input_type field
CUjitInputType: what a linker is given.
= cuda.jit_option field
CUjit_option: for cuda.module_from_buffer().
= cuda.jit_target field
CUjit_target: values of the option TARGET. COMPUTE_10 to COMPUTE_21 are there by name only: using one raises.
= cuda.limit field
CUlimit: for Context:get_limit() and Context:set_limit().
= cuda.make_multichannel_2d_array(ary, order)
Returns a 2D CUDA array with several channels and the elements of an array with three axes.
@param ary cuda.ndarray.Array|cuda.gpuarray.Array  an array with three axes
@param order "C"|"F"  C: shape {height, width, channels}; F: shape {channels, width, height}
@return cuda.Array
@raise LogicError for another rank or dtype, or if there are not 1, 2 or 4 channels
= cuda.managed_empty(shape, dtype, options)
cuMemAllocManaged: returns a host array in memory that host and device share. You can pass it to kernels, and read
their results after a synchronisation. On a device whose attribute concurrent_managed_access is 0, accessing it while
a kernel runs ends the process, unless the memory is attached to another stream or to the host
(ManagedAllocation:attach). Its base is the ManagedAllocation.
@param shape integer|integer[]  as for pagelocked_empty
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", mem_flags: any}  dtype: as the parameter; mem_flags: what it is attached to: "global" (default) or "host"
@return cuda.ndarray.Array  an array with undefined elements
@raise MemoryError; LogicError for an invalid shape, dtype or option, without a current context (201), during a capture, and (801) on a device without managed memory
@options dtype mem_flags order="C"|"F"
= cuda.managed_empty_like(other, options)
Returns a managed array with the shape, dtype and (by default) order of another host array.
@param other cuda.ndarray.Array  as for pagelocked_empty_like
@param options? {order: "C"|"F", mem_flags: any}  mem_flags: as for managed_empty
@return cuda.ndarray.Array  an array with undefined elements
@raise MemoryError, LogicError as managed_empty
@options mem_flags order="C"|"F"
= cuda.managed_zeros(shape, dtype, options)
As managed_empty, with zeros (false for bool) as elements.
@param shape integer|integer[]  as for pagelocked_empty
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", mem_flags: any}  dtype: as the parameter; mem_flags: as for managed_empty
@return cuda.ndarray.Array
@raise MemoryError, LogicError as managed_empty
@options dtype mem_flags order="C"|"F"
= cuda.managed_zeros_like(other, options)
As managed_empty_like, with zeros (false for bool) as elements.
@param other cuda.ndarray.Array  as for pagelocked_empty_like
@param options? {order: "C"|"F", mem_flags: any}  mem_flags: as for managed_empty
@return cuda.ndarray.Array
@raise MemoryError, LogicError as managed_empty
@options mem_flags order="C"|"F"
= cuda.matrix_to_array(matrix, order, opts)
Returns a 2D CUDA array with the elements of an array with two axes.
@param matrix cuda.ndarray.Array|cuda.gpuarray.Array  an array with two axes
@param order "C"|"F"  C: tex2D(x, y) is matrix[y][x]; F: it is matrix[x][y] (0-based)
@param opts? {allow_double_hack: boolean?}  allow_double_hack: store float64 and complex128 as int32 channels, two for each double
@return cuda.Array
@raise LogicError for another rank or dtype
@options allow_double_hack
= cuda.mem_access_flags field
CUmemAccess_flags: what a device may do with memory of a pool or a virtual range.
= cuda.mem_advise field
CUmem_advise: advice about managed memory.
= cuda.mem_alloc(bytes)
cuMemAlloc: allocates device memory in the current context. It is freed by :free(), which waits for running kernels,
or, after it was collected, by the next allocation or synchronisation.
@param bytes integer  the size in bytes, at least 1
@return cuda.DeviceAllocation
@raise MemoryError (requested, free, total, live, pooled, queued: bytes) if the device is out of memory even after a garbage collection; LogicError (201) without a current context, and while a stream is being captured
= cuda.mem_alloc_pitch(width, height, access_size)
cuMemAllocPitch: allocates device memory for `height` rows of `width` bytes, each aligned for accesses of
`access_size` bytes.
@param width integer  bytes in each row
@param height integer  the number of rows
@param access_size integer  4, 8 or 16: the size of the largest element that kernels read or write at once
@return cuda.DeviceAllocation
@return integer pitch  bytes from one row to the next
@raise MemoryError as mem_alloc; LogicError for a size of 0, another access_size, without a current context (201), and during a capture
= cuda.mem_allocation_type field
CUmemAllocationType: kinds of memory that pools and virtual ranges take.
= cuda.mem_attach_flags field
CUmemAttach_flags: which streams may use managed memory.
= cuda.mem_get_address_range(p)
cuMemGetAddressRange: returns the allocation that contains an address.
@param p cuda.DeviceAllocation|cuda.DevicePointer|integer  an address in the allocation
@return integer base  the start of the allocation
@return integer size  the requested size in bytes
@raise LogicError (500) if no allocation contains it
= cuda.mem_get_ipc_handle(memory)
cuIpcGetMemHandle: lets other processes on this machine use memory of mem_alloc(). Before you free it here, the other
processes must finish their work with it and close it.
@param memory cuda.DeviceAllocation|cuda.DevicePointer|integer  the start of the memory
@return string handle  64 bytes, for IPCMemoryHandle in another process
@raise LogicError for memory of a pool, host and managed memory, and for an address that is not the start of an allocation
= cuda.mem_handle_type field
CUmemAllocationHandleType: how memory of pools and virtual ranges is given to other processes.
= cuda.mem_host_register_flags field
CU_MEMHOSTREGISTER_*: for memory that your program allocated and that is page-locked later.
= cuda.mem_location_type field
CUmemLocationType: where memory is.
= cuda.mem_range_attribute field
CUmem_range_attribute: what the driver knows about a range of managed memory.
= cuda.memcpy_atoa(dest, dest_index, src, src_index, len)
Copies between arrays.
@param dest cuda.Array  the destination array
@param dest_index integer  byte offset in its first row
@param src cuda.Array  the source array
@param src_index integer   byte offset in its first row
@param len integer  the number of bytes
@raise LogicError if the range exceeds the memory
= cuda.memcpy_atod(dest, ary, index, len)
Copies from an array into device memory.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the destination
@param ary cuda.Array  the source array
@param index integer  byte offset in its first row
@param len integer  the number of bytes
@raise LogicError if the range exceeds the memory
= cuda.memcpy_atoh(dest, ary, index)
Fills a host buffer from a CUDA array.
@param dest any       as for memcpy_dtoh
@param ary cuda.Array  the source array
@param index integer  byte offset in its first row
@raise LogicError if the range exceeds the memory
= cuda.memcpy_dtoa(ary, index, src, len)
Copies device memory into an array.
@param ary cuda.Array  the destination array
@param index integer  byte offset in its first row
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer  the source
@param len integer  the number of bytes
@raise LogicError if the range exceeds the memory
= cuda.memcpy_dtod(dest, src, nbytes)
Copies within device memory. May return before the copy is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the destination
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer  the source
@param nbytes integer  the number of bytes
@raise LogicError if the memory is too small.
= cuda.memcpy_dtod_async(dest, src, nbytes, stream)
Copies within device memory in stream order.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the destination
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer  the source
@param nbytes integer  the number of bytes
@param stream? cuda.Stream  default: the current stream
@raise LogicError if the memory is too small
= cuda.memcpy_dtoh(dest, src, opts)
Copies device memory to the host, after all earlier work of the default and the blocking streams. Returns when the
data has arrived.
@param dest any  an FFI array or struct, a host array, {ptr =, nbytes =}, or an object with :buffer()
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer  the source
@param opts? {nbytes: integer}  nbytes: the number of bytes; default: the whole host buffer
@raise LogicError if the buffers are too small; errors of earlier kernels are raised here, too.
@options nbytes
= cuda.memcpy_dtoh_async(dest, src, stream, opts)
Copies device memory to the host in stream order. The buffer is kept alive until the copy is done. Its contents are
undefined until you synchronise the stream. For memory that is not page-locked the call itself waits.
@param dest any              as for memcpy_dtoh
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer  the source
@param stream? cuda.Stream  default: the current stream
@param opts? {nbytes: integer}  nbytes: as for memcpy_dtoh
@raise LogicError if the buffers are too small
@options nbytes
= cuda.memcpy_htoa(ary, index, src)
Copies a host buffer into an array.
@param ary cuda.Array  the destination array
@param index integer  byte offset in its first row
@param src any        as for memcpy_htod
@raise LogicError if the range exceeds the memory
= cuda.memcpy_htod(dest, src, opts)
Copies host memory to the device, after all earlier work of the default and the blocking streams. Returns when you
may reuse the host buffer.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the destination
@param src any  a string, an FFI array or struct, a host array, {ptr =, nbytes =}, or an object with :buffer()
@param opts? {nbytes: integer}  nbytes: the number of bytes; default: the whole host buffer
@raise LogicError if the destination is too small.
@options nbytes
= cuda.memcpy_htod_async(dest, src, stream, opts)
Copies host memory to the device in stream order. The buffer is kept alive until the copy is done. Page-locked memory
is read when the copy runs, so do not change it before.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the destination
@param src any               as for memcpy_htod
@param stream? cuda.Stream  default: the current stream
@param opts? {nbytes: integer}  nbytes: as for memcpy_htod
@raise LogicError if the destination is too small
@options nbytes
= cuda.memcpy_peer(dest, src, size, opts)
Copies between the memory of two contexts, on one device or two.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the destination
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer  the source
@param size integer  the number of bytes
@param opts? {dest_context: cuda.Context?, src_context: cuda.Context?, stream: cuda.Stream?}  dest_context: the context of the destination; default: the current context; src_context: the context of the source; default: the current context; stream: with a stream the copy is asynchronous
@raise LogicError if the memory is too small or belongs to another context
@options dest_context src_context stream
= cuda.memcpy_peer_async(dest, src, size, opts)
As memcpy_peer, in the order of the stream opts.stream; default: the current stream.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the destination
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer  the source
@param size integer  the number of bytes
@param opts? {dest_context: cuda.Context?, src_context: cuda.Context?, stream: cuda.Stream?}  dest_context: as for memcpy_peer; src_context: as for memcpy_peer
@raise LogicError as memcpy_peer
@options dest_context src_context stream
= cuda.memory_type field
CUmemorytype: what an address belongs to; the ends of a copy.
= cuda.mempool_attribute field
CUmemPool_attribute: for memory pools.
= cuda.memset_d16(dest, data, count)
Fills device memory with a 16-bit value. May return before the fill is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the memory to fill, aligned to 2 bytes
@param data integer  a value from 0 to 65535
@param count integer  the number of elements, of two bytes each
@raise LogicError if the memory is too small or not aligned, or data is out of range
= cuda.memset_d16_async(dest, data, count, stream)
As memset_d16, in stream order.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the memory to fill, aligned to 2 bytes
@param data integer  a value from 0 to 65535
@param count integer  the number of elements, of two bytes each
@param stream? cuda.Stream  default: the current stream
@raise LogicError as memset_d16
= cuda.memset_d2d16(dest, pitch, data, width, height)
Fills a rectangle of device memory with a 16-bit value. May return before the fill is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the first row of the rectangle, aligned to 2 bytes
@param pitch integer  bytes from one row to the next, a multiple of 2
@param data integer  a value from 0 to 65535
@param width integer  elements in each row, of two bytes each
@param height integer  the number of rows
@raise LogicError if the memory is too small, if data is out of range, or if the address or the pitch is not aligned
= cuda.memset_d2d16_async(dest, pitch, data, width, height, stream)
As memset_d2d16, in stream order.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  as for memset_d2d16
@param pitch integer  bytes from one row to the next, a multiple of 2
@param data integer  a value from 0 to 65535
@param width integer  elements in each row, of two bytes each
@param height integer  the number of rows
@param stream? cuda.Stream  default: the current stream
@raise LogicError as memset_d2d16
= cuda.memset_d2d32(dest, pitch, data, width, height)
Fills a rectangle of device memory with a 32-bit value. May return before the fill is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the first row of the rectangle, aligned to 4 bytes
@param pitch integer  bytes from one row to the next, a multiple of 4
@param data integer  a value from 0 to 2^32 - 1
@param width integer  elements in each row, of four bytes each
@param height integer  the number of rows
@raise LogicError if the memory is too small, if data is out of range, or if the address or the pitch is not aligned
= cuda.memset_d2d32_async(dest, pitch, data, width, height, stream)
As memset_d2d32, in stream order.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  as for memset_d2d32
@param pitch integer  bytes from one row to the next, a multiple of 4
@param data integer  a value from 0 to 2^32 - 1
@param width integer  elements in each row, of four bytes each
@param height integer  the number of rows
@param stream? cuda.Stream  default: the current stream
@raise LogicError as memset_d2d32
= cuda.memset_d2d8(dest, pitch, data, width, height)
Fills a rectangle of device memory with a byte. May return before the fill is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the first row of the rectangle
@param pitch integer  bytes from one row to the next
@param data integer  a value from 0 to 255
@param width integer  elements in each row, of one byte each
@param height integer  the number of rows
@raise LogicError if the memory is too small or data is out of range
= cuda.memset_d2d8_async(dest, pitch, data, width, height, stream)
As memset_d2d8, in stream order.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  as for memset_d2d8
@param pitch integer  bytes from one row to the next
@param data integer  a value from 0 to 255
@param width integer  elements in each row, of one byte each
@param height integer  the number of rows
@param stream? cuda.Stream  default: the current stream
@raise LogicError as memset_d2d8
= cuda.memset_d32(dest, data, count)
Fills device memory with a 32-bit value. May return before the fill is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the memory to fill, aligned to 4 bytes
@param data integer  a value from 0 to 2^32 - 1
@param count integer  the number of elements, of four bytes each
@raise LogicError if the memory is too small or not aligned, or data is out of range
= cuda.memset_d32_async(dest, data, count, stream)
As memset_d32, in stream order.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the memory to fill, aligned to 4 bytes
@param data integer  a value from 0 to 2^32 - 1
@param count integer  the number of elements, of four bytes each
@param stream? cuda.Stream  default: the current stream
@raise LogicError as memset_d32
= cuda.memset_d8(dest, data, count)
Fills device memory with a byte. May return before the fill is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  the memory to fill
@param data integer  a value from 0 to 255
@param count integer  the number of elements, of one byte each
@raise LogicError if the memory is too small or data is out of range
= cuda.memset_d8_async(dest, data, count, stream)
As memset_d8, in stream order.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  as for memset_d8
@param data integer  a value from 0 to 255
@param count integer  the number of elements, of one byte each
@param stream? cuda.Stream  default: the current stream
@raise LogicError as memset_d8
= cuda.np_to_array(ary, order, opts)
Returns a 1D, 2D or 3D CUDA array with the elements of an array.
@param ary cuda.ndarray.Array|cuda.gpuarray.Array  an array with 1 to 3 axes
@param order "C"|"F"  C: the last axis is x; F: the first axis is x
@param opts? {allow_surface_bind: boolean?, allow_double_hack: boolean?}  allow_surface_bind: as for gpuarray_to_array; allow_double_hack: as for gpuarray_to_array
@return cuda.Array
@raise LogicError for another rank or dtype
@options allow_double_hack allow_surface_bind
= cuda.null field
A null pointer for the list of arguments in fn{a, cuda.null, b, block = ...}, where nil would end the list.
= cuda.occupancy_flags field
CUoccupancy_flags.
= cuda.p2p_attribute field
CUdevice_P2PAttribute: for Device:p2p_attribute().
= cuda.pagelocked_empty(shape, dtype, options)
cuMemHostAlloc: returns a host array in page-locked memory. Copies use it at full speed, and asynchronous copies
access it while the program goes on. You can pass it to kernels. Its base is the HostAllocation.
@param shape integer|integer[]  the extents: a list, a number for a 1-D array, or {} for a 0-d array; extents may be 0
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", mem_flags: any}  dtype: as the parameter; mem_flags: flags of cuda.host_alloc_flags: "portable", "devicemap", "writecombined" (slow to read), or a list
@return cuda.ndarray.Array  an array with undefined elements
@raise MemoryError; LogicError for an invalid shape, dtype or option, without a current context (201), and during a capture
@options dtype mem_flags order="C"|"F"
= cuda.pagelocked_empty_like(other, options)
Returns a page-locked array with the shape, dtype and (by default) order of another host array.
@param other cuda.ndarray.Array  the array whose shape, dtype and order are used
@param options? {order: "C"|"F", mem_flags: any}  mem_flags: as for pagelocked_empty
@return cuda.ndarray.Array  an array with undefined elements
@raise MemoryError, LogicError as pagelocked_empty
@options mem_flags order="C"|"F"
= cuda.pagelocked_zeros(shape, dtype, options)
As pagelocked_empty, with zeros (false for bool) as elements.
@param shape integer|integer[]  as for pagelocked_empty
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", mem_flags: any}  dtype: as the parameter; mem_flags: as for pagelocked_empty
@return cuda.ndarray.Array
@raise MemoryError, LogicError as pagelocked_empty
@options dtype mem_flags order="C"|"F"
= cuda.pagelocked_zeros_like(other, options)
As pagelocked_empty_like, with zeros (false for bool) as elements.
@param other cuda.ndarray.Array  as for pagelocked_empty_like
@param options? {order: "C"|"F", mem_flags: any}  mem_flags: as for pagelocked_empty
@return cuda.ndarray.Array
@raise MemoryError, LogicError as pagelocked_empty
@options mem_flags order="C"|"F"
= cuda.pointer(address)
Returns a pointer to a device address that you guarantee to be valid. It has no owner and no bounds.
@param address integer|ffi.cdata*  the device address
@return cuda.DevicePointer
= cuda.pointer_attribute field
CUpointer_attribute: what the driver knows about an address.
= cuda.profiler_output_mode field
CUoutput_mode of cudaProfiler.h. Of interest to old profilers only.
= cuda.register_host_memory(ary, flags)
cuMemHostRegister: page-locks memory that the program already has. Returns an array over this memory whose base is
the RegisteredHostMemory. The memory stays page-locked until base:unregister(), or until nothing refers to the base
and no copy uses it. The value that you passed is kept alive for that time; memory behind a bare pointer must stay
valid. At the end of a program LuaJIT runs the finalizers of ffi.gc() first, so unregister such memory before.
@param ary any  a contiguous host array, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer(), but not a string
@param flags? any  flags of cuda.mem_host_register_flags: "portable", "devicemap", "iomemory", "read_only", or a list
@return cuda.ndarray.Array  with the shape, dtype and order of a host array; for other buffers, their bytes
@raise LogicError (712) if the memory is already page-locked, (1) if the driver cannot lock it, for an empty or const buffer, a string, and during a capture; MemoryError
= cuda.resource_view_format field
CUresourceViewFormat: what a view of an array reads its texels as.
= cuda.shared_carveout field
CUshared_carveout: values of the function attribute PREFERRED_SHARED_MEMORY_CARVEOUT.
= cuda.shared_config field
CUsharedconfig: for Context:set_shared_config().
= cuda.start_profiler()
cuProfilerStart: Nsight Systems (--capture-range=cudaProfilerApi) and Nsight Compute (--profile-from-start off)
record from this point on.
@raise LogicError (201) without a current context
= cuda.stop_profiler()
cuProfilerStop: stops their recording.
@raise LogicError (201) without a current context
= cuda.stream_capture_mode field
CUstreamCaptureMode: which calls may break a capture.
= cuda.stream_capture_status field
CUstreamCaptureStatus.
= cuda.stream_flags field
CUstream_flags: for cuda.Stream().
= cuda.stream_wait_value_flags field
CUstreamWaitValue_flags: how a wait compares.
= cuda.stream_write_value_flags field
CUstreamWriteValue_flags.
= cuda.to_device(buf)
Allocates device memory and copies a host buffer to it.
@param buf any  a string, an FFI array or struct, a host array, {ptr =, nbytes =}, or an object with :buffer()
@return cuda.DeviceAllocation
@raise MemoryError, LogicError if buf is not a host buffer or is empty
= cuda.uint16(value)
A 16-bit unsigned integer.
@param value number|ffi.cdata*  an integer from 0 to 65535
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.uint32(value)
A 32-bit unsigned integer.
@param value number|ffi.cdata*  an integer from 0 to 2^32 - 1
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.uint64(value)
A 64-bit unsigned integer. Pass integers beyond 2^53 as cdata: 5ULL.
@param value number|ffi.cdata*  an integer from 0 to 2^64 - 1
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.uint8(value)
An 8-bit unsigned integer.
@param value number|ffi.cdata*  an integer from 0 to 255
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
# docs/looking.md
= cuda.PlotOptions class
@field x? any  the x values, by name; also in a series: {x = a, y = b}
@field y? any  the y values, by name; a histogram has either x or y
@field kind? "line"|"scatter"|"hist"|"bars"  the kind of plot, default: "line"; "hist" takes one array of any shape; the x of "bars" may be a list of strings
@field label? string  the text of a series in the legend
@field title? string  the title of the plot
@field xlabel? string  the text below the x axis
@field ylabel? string  the text beside the y axis
@field log? "x"|"y"|"xy"  the logarithmic axes
@field xlim? number[]  {low, high}, the range of the x axis; default: all values
@field ylim? number[]  {low, high}, the range of the y axis; default: all values
@field bins? integer|number[]  for histograms: the number of bins, or a list of edges; default 2 n^(1/3), at most 64, from the smallest to the largest finite value
@field file? string  the name of an SVG file to write
@field to? file*|fun(text: string)  as for show
@field colour? 24|8|0  as for show
@field width? integer  the width in characters, default the terminal's; for a file in pixels, default 640
@field height? integer  the height in lines, default the terminal's; for a file in pixels, default 400
= cuda.plot(options)
Draws lines, points, histograms or bars, in the terminal or to an SVG file. The list part of the table is {y}, {x, y}
or series, {{x, y, label = "a"}, {y, label = "b", kind = "scatter"}}; x is 1, 2, 3 ... by default. Numbers are arrays
on the device or the host, or lists. Numbers that are not finite leave gaps, and on logarithmic axes also those that
are not positive. The device counts histograms of its arrays. If more than 65,536 values of lines and points are on
the device, it reduces them to extremes and to cells that have points. It does so for lines only if their x ascends
and no part of 4,096 would be seen.
@param options cuda.PlotOptions|cuda.gpuarray.Array|cuda.ndarray.Array  data and options, or the y values alone
@raise LogicError for data that are not real numbers or differ in length, and for invalid options; RuntimeError if the file cannot be written
@options bins colour file height kind="line"|"scatter"|"hist"|"bars"|"line"|"hist"|"bars" label log="x"|"y"|"xy" title to width x xlabel xlim y ylabel ylim
= cuda.show(a, options)
Shows an array. A 2-D array is an image, with two rows of pixels in each line of text. A 3-D array (h, w, 3) or (h,
w, 4) is an image in its own colours, a 1-D array is shown as bars, and a 0-d array as its value. An array with up to
12 or 12 x 12 elements is a table, unless options request an image. The image is as large as the terminal allows.
Each pixel of a larger array is the mean of a box of elements, which the device computes, and NaN if an element is.
Complex elements are shown by their magnitude. Below the image are the dtype, the shape, and the values of the first
and last colour.
@param a cuda.gpuarray.Array|cuda.ndarray.Array  the array, with up to 3 axes
@param options? {map: string, vmin: number, vmax: number, to: file*|fun(text: string), colour: 24|8|0, width: integer, height: integer, aspect: "equal"|"auto"}  map: "viridis" (default), "magma", "inferno", "plasma", "gray" (default for bool), "coolwarm"; a name that ends with "_r" reverses it. vmin: the value of the first colour; default: the least shown value. vmax: the value of the last colour; default: the greatest shown value. For images in colours, floats are 0 to 1, uint16 0 to 65535, other integers 0 to 255. NaN is magenta. to: default io.stdout. colour: bits; default: what the terminal supports, elsewhere 0, characters without escape codes. width: in characters, default the terminal's, elsewhere 80. height: in lines, default the terminal's, elsewhere 22. aspect: "equal" for square elements, "auto" for an image that fills width and height, as in matplotlib's imshow; default: "equal", but an axis that would have fewer than 8 pixels for more elements gets up to 32
@raise LogicError if a is not an array, for other shapes, and for invalid options
@options aspect="equal"|"auto" colour height map to vmax vmin width
= cuda.io module
Reading and writing files: images, text tables and safetensors.
= cuda.io.load_image(path, options)
Reads an image: a PNG file of any kind, or a PGM or PPM file (P2, P3, P5, P6). The first bytes determine the format.
Samples with less than 8 bits are scaled to 0 to 255, palette indices are replaced with their colours, and
transparency becomes an alpha channel. Gamma and colour profiles are not applied.
@param path string  the file
@param options? {max_pixels: integer}  max_pixels: the maximum number of pixels; a larger image is an error; default: 2^28
@return cuda.ndarray.Array  uint8, or uint16 for files with 16 bits; (h, w) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB, (h, w, 4) RGBA; the first row is the top one
@raise RuntimeError if the file cannot be opened; LogicError that names the file if it is damaged or has another format; MemoryError
@options max_pixels
= cuda.io.loadtxt(path, options)
Reads numbers from a text file, as NumPy's loadtxt. Each line is a row; blank lines and comments are skipped. Axes of
one element are removed, so one column gives a 1-D array. A file without numbers gives an array of shape (0,).
@param path string  the file
@param options? {dtype: any, delimiter: string, comments: string|string[]|false, skip_rows: integer, use_cols: integer|integer[], max_rows: integer, ndmin: 0|1|2}  dtype: default float64; integers must be written as integers. delimiter: between values, default white space. comments: what begins a comment, default "#"; false: no comments. skip_rows: the number of lines to skip first, default 0. use_cols: the columns to read, from 1; negative numbers count from the last. max_rows: the maximum number of rows to read. ndmin: the minimum number of axes of the array, default 0
@return cuda.ndarray.Array
@raise RuntimeError if the file cannot be opened; LogicError that names file, line, column and value if a word is not a number of the dtype or a line has another number of columns
@options comments delimiter dtype max_rows ndmin skip_rows use_cols
= cuda.io.save_image(path, a, options)
Writes an image. The file's extension determines the format: .png, .pgm (gray), .ppm (RGB), .pnm (either).
@param path string  the file
@param a cuda.gpuarray.Array|cuda.ndarray.Array  (h, w) or (h, w, 1) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB, (h, w, 4) RGBA; uint8 and uint16 are written unchanged. Floats from 0 to 1 cover the whole range; others are clipped with a notice (cuda.on_notice), and NaN is 0. bool is black and white
@param options? {bits: 8|16, map: string, vmin: number, vmax: number}  bits: for floats and booleans; default: 8. map: a colour map of cuda.show, for (h, w) of real numbers; NaN is magenta. vmin: the value of its first colour, without a map of black; default, if one of the three is set: the least value. vmax: the value of its last colour, without a map of white; default: the greatest value
@raise LogicError for another extension, shape or dtype; RuntimeError if the file cannot be written: it may then be incomplete
@options bits map vmax vmin
= cuda.io.savetxt(path, a, options)
Writes an array as text, as NumPy's savetxt. Each row of a 2-D array is a line, and so is each element of a 1-D
array.
@param path string  the file
@param a cuda.gpuarray.Array|cuda.ndarray.Array|table  a 1-D or 2-D array, or nested tables of numbers
@param options? {fmt: string|string[], delimiter: string, newline: string, header: string, footer: string, comments: string}  fmt: of each value, default "%.18e", which preserves every float64. It can be a list with one for each column, or a string with as many formats as columns. The format %s is the shortest text that preserves the value. Complex values are " (re+imj)". Both parts have the format. delimiter: between values, default " ". newline: default "\n". header: text before the values. footer: text after them. comments: the start of their lines, default "# "
@raise LogicError for arrays with other shapes and structs, and for invalid formats; RuntimeError if the file cannot be written: it may then be incomplete
@options comments delimiter fmt footer header newline
# docs/matrices.md
= cuda.gpuarray.Array:addmm(a, b, options) = cuda.gpuarray.addmm
= cuda.gpuarray.Array:cross(b, options) = cuda.gpuarray.cross
= cuda.gpuarray.Array:inner(b, options) = cuda.gpuarray.inner
= cuda.gpuarray.Array:kron(b, options) = cuda.gpuarray.kron
= cuda.gpuarray.Array:matmul(b, options) = cuda.gpuarray.matmul
= cuda.gpuarray.Array:outer(b, options) = cuda.gpuarray.outer
= cuda.gpuarray.Array:tensordot(b, options) = cuda.gpuarray.tensordot
= cuda.gpuarray.Array:trace(k, options) = cuda.gpuarray.trace
= cuda.gpuarray.Array:tril(k, options) = cuda.gpuarray.tril
= cuda.gpuarray.Array:triu(k, options) = cuda.gpuarray.triu
= cuda.gpuarray.Array:vecdot(b, options) = cuda.gpuarray.vecdot
= cuda.gpuarray.addmm(c, a, b, options)
Computes beta * c + alpha * (a b), where a b is the product of matmul(), rounded once: alpha times the sum, to which
beta times c is added with one rounding. With beta = 0, c is not read.
@param c cuda.gpuarray.Array  an array that broadcasts to the product's shape
@param a cuda.gpuarray.Array  as for matmul
@param b cuda.gpuarray.Array  as for matmul
@param options? {alpha: any, beta: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function} alpha: the factor of the product, a number, default 1; beta: the factor of c, a number, default 1. Both must be integers if the product has integers. out: may be c
@return cuda.gpuarray.Array  of the promoted dtype of c and the product
@raise LogicError as gpuarray.matmul, if c does not broadcast to the product's shape, and for other factors
@options allocator alpha beta out stream
= cuda.gpuarray.cross(a, b, options)
The cross products of vectors with three elements, as NumPy's cross. The arrays broadcast.
@call fun(a: any, b: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array of vectors with three elements
@param b cuda.gpuarray.Array  likewise
@param options? any  {axis: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}. The axis can also come before this table. axis: of the vectors in both arrays; default: the last one
@return cuda.gpuarray.Array  with the vectors along the same axis
@raise LogicError if the axis does not have three elements, the shapes do not broadcast, or out has another shape
@options allocator axis out stream
= cuda.gpuarray.einsum(subscripts, ...)
Sums of products in Einstein notation, as NumPy's einsum: "ij,jk->ik" is the matrix product. A letter that is not in
the result is summed over. Without "->" the result has the letters that appear once, in alphabetical order. A letter
that appears twice in an operand selects its diagonal. "..." stands for all other axes, which broadcast. Letters of a
single operand are summed first; then the two operands whose product has the fewest elements are multiplied, until
one is left.
@param subscripts string  the letters of the axes: operands separated by commas, then optionally "->" and the result
@param ... any  one array for each operand; a last argument {dtype = any, out = cuda.gpuarray.Array, stream = cuda.Stream, allocator = function}: as for matmul
@return cuda.gpuarray.Array  a new array; sums and products have the types of matmul
@raise LogicError if the subscripts do not fit the arrays, the dtype is not supported, or out has another shape
@options allocator dtype out stream
= cuda.gpuarray.inner(a, b, options)
The sums of products over the last axis of both arrays, as NumPy's inner; for vectors, dot().
@param a cuda.gpuarray.Array  the first array
@param b cuda.gpuarray.Array  the second array, with the same last extent
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: as for matmul
@return cuda.gpuarray.Array  a's other axes, then b's
@raise LogicError if the shapes do not fit, the dtype is not supported, or out has another shape
@options allocator dtype out stream
= cuda.gpuarray.kron(a, b, options)
The Kronecker product, as NumPy's kron: each element of a becomes a block, that element times b.
@param a cuda.gpuarray.Array  the first array
@param b cuda.gpuarray.Array  the second array; the array with fewer axes gets axes with one element in front
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  each extent is the product of the extents of a and b
@raise LogicError for more than 32 axes, if the dtypes are not supported, or out has another shape
@options allocator out stream
= cuda.gpuarray.matmul(a, b, options)
The matrix product of the last two axes, as NumPy's matmul. The leading axes are a batch and broadcast. A 1-D array
is a row as the first operand and a column as the second, and the result lacks that axis. For two 1-D arrays, matmul
is dot(). Operands may have any layout, for example transposed or sliced. Pending operands are computed first, and
the product is computed at once. The order of each sum depends only on the extents. Elements of float16 and bfloat16
are summed as float32 and rounded once, int8 as int32, other integers and bool in 64 bits; integers wrap around.
@param a cuda.gpuarray.Array  the first operand, with the shape (..., m, k)
@param b cuda.gpuarray.Array  the second operand, with the shape (..., k, n)
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: the dtype of the result: float32 for 16-bit floats returns the unrounded sums; for other dtypes the operands are converted first
@return cuda.gpuarray.Array  with the shape (..., m, n)
@raise LogicError if the shapes do not fit, an operand is 0-d, the dtype is not supported, or out has another shape
@options allocator dtype out stream
= cuda.gpuarray.outer(a, b, options)
The products of each element of one array with each element of another one, as NumPy's outer, both in C order. The
result is an expression, which is computed later.
@param a cuda.gpuarray.Array  the first array, of any shape
@param b cuda.gpuarray.Array  the second array, of any shape
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  with the shape (a.size, b.size)
@raise LogicError if the dtypes are not supported, or out has another shape
@options allocator out stream
= cuda.gpuarray.tensordot(a, b, options)
The sums of products over some axes of both arrays, as NumPy's tensordot.
@param a cuda.gpuarray.Array  the first array
@param b cuda.gpuarray.Array  the second array
@param options? any  {axes: any, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the number of axes. axes: the number of last axes of a and first axes of b; or a list of axes of each; default: 2. dtype: as for matmul
@return cuda.gpuarray.Array  a's other axes, then b's
@raise LogicError if the shapes do not fit, an axis is out of range or appears twice, or out has another shape
@options allocator axes dtype out stream
= cuda.gpuarray.trace(a, k, options)
The sum of the elements on a diagonal, as NumPy's trace.
@param a cuda.gpuarray.Array  an array with at least two axes
@param k? integer  the diagonal: 0 (default) the main one, positive above it, negative below it
@param options? {axis1: integer, axis2: integer, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  axis1: the first axis of the matrices; default: 1. axis2: the second axis of the matrices; default: 2. dtype: as for sum
@return cuda.gpuarray.Array  without these axes
@raise LogicError for fewer than two axes, if the dtype is not supported, or out has another shape
@options allocator axis1 axis2 dtype k out stream
= cuda.gpuarray.tril(a, k, options)
Returns the elements on and below a diagonal of the last two axes, with zeros above it.
@param a any  an array
@param k? integer  the diagonal, as for eye
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for a 0-d array
@options allocator k stream
= cuda.gpuarray.triu(a, k, options)
Returns the elements on and above a diagonal of the last two axes, with zeros below it.
@param a any  an array
@param k? integer  the diagonal, as for eye
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for a 0-d array
@options allocator k stream
= cuda.gpuarray.vecdot(a, b, options)
The dot products of vectors along an axis, as NumPy's vecdot. The first operand is conjugated, and the shapes
broadcast. float16 and bfloat16 are summed as float32 and rounded once, integers in 64 bits.
@call fun(a: any, b: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array of vectors, which is conjugated
@param b cuda.gpuarray.Array  an array of vectors of the same length
@param options? any  {axis: integer, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}. The axis can also come before this table. axis: the last one by default. dtype: the dtype of the result; elements are converted to it first
@return cuda.gpuarray.Array  without that axis
@raise LogicError if the axis has different extents, the shapes do not broadcast, or out has another shape
@options allocator axis dtype out stream
= cuda.linalg module
Linear algebra: functions of matrices.
= cuda.linalg.cholesky(a, options)
Cholesky factorization of positive definite matrices: a = l l', where l is lower triangular and l' is its adjoint.
Only the lower triangle of a is read; its diagonal is taken as real.
@param a cuda.gpuarray.Array  the matrices, (..., n, n)
@param options? {upper: boolean, check: boolean, out: any, stream: cuda.Stream, allocator: function}  upper: compute a = u' u from the upper triangle. check: wait and raise an error if a matrix is not positive definite; default true; false: return NaN
@return cuda.gpuarray.Array
@raise LinAlgError if a matrix is not positive definite; its fields are `matrix`, `matrices` and `pivot`, the order of the first leading minor that is not positive
@raise LogicError for matrices that are not square, 16-bit floats, inside a capture without check = false, and if out has another shape
@options allocator check out stream upper
= cuda.linalg.cond(a, options)
The condition numbers of matrices; infinity for singular matrices.
@param a cuda.gpuarray.Array  the matrices, (..., m, n); they must be square for norms other than 2 and -2
@param options? {ord: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  ord: as for linalg.norm; default: 2, the largest singular value divided by the smallest one
@return cuda.gpuarray.Array  (...): real
@raise LogicError for empty matrices, for matrices that have to be square and are not, other values of ord, 16-bit floats, and if out has another shape
@options allocator ord out stream
= cuda.linalg.det(a, options)
The determinants of square matrices; 0 for singular matrices. slogdet() does not overflow.
@param a cuda.gpuarray.Array  the matrices, (..., n, n)
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  (...)
@raise LogicError for matrices that are not square, 16-bit floats, and if out has another shape
@options allocator out stream
= cuda.linalg.eigh(a, options)
Eigenvalues and eigenvectors of symmetric or Hermitian matrices: a v = v diag(w). The lower triangle is
read, or with `upper` the upper one.
The largest component of each vector is real and positive. NaN and infinities give NaN.
@param a cuda.gpuarray.Array  the matrices, (..., n, n)
@param options? {upper: boolean, stream: cuda.Stream, allocator: function}  upper: read the upper triangle
@return cuda.gpuarray.Array w  (..., n): real, in ascending order
@return cuda.gpuarray.Array v  (..., n, n): orthonormal columns
@raise LogicError for matrices that are not square and 16-bit floats; LinAlgError if the iteration does not converge
@options allocator stream upper
= cuda.linalg.eigvalsh(a, options)
The eigenvalues of symmetric or Hermitian matrices. The lower triangle is read, or with `upper` the upper one.
@param a cuda.gpuarray.Array  the matrices, (..., n, n)
@param options? {upper: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  upper: read the upper triangle
@return cuda.gpuarray.Array  (..., n): real, in ascending order
@raise LogicError as linalg.eigh, and if out has another shape; LinAlgError if the iteration does not converge
@options allocator out stream upper
= cuda.linalg.expm(a, options)
The exponentials of square matrices, by scaling and squaring with Padé approximations. A batch is computed with the
degree that its largest matrix needs. The program waits for the norms.
@param a cuda.gpuarray.Array  the matrices, (..., n, n)
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for matrices that are not square, 16-bit floats, inside a capture, and if out has another shape
@options allocator out stream
= cuda.linalg.inv(a, options)
The inverses of square matrices. linalg.solve() is faster and more accurate than a product with an inverse.
@param a cuda.gpuarray.Array  the matrices, (..., n, n)
@param options? {check: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  check: as for linalg.solve
@return cuda.gpuarray.Array
@raise LinAlgError if a matrix is singular; its fields are `matrix`, `pivot` and `matrices`
@raise LogicError for matrices that are not square, 16-bit floats, inside a capture without check = false, and if out has another shape
@options allocator check out stream
= cuda.linalg.lstsq(a, b, options)
Least-squares solution of a x = b: the x with the least |b - a x|, and of several the one with the least |x|, as
NumPy's lstsq. It uses singular values.
@param a cuda.gpuarray.Array  the matrices, (..., m, n)
@param b cuda.gpuarray.Array  the right-hand sides, (m,), or (..., m, k): batches broadcast
@param options? {rcond: any, stream: cuda.Stream, allocator: function}  rcond: singular values count as 0 if they are at most rcond times the largest one; default: eps * max(m, n)
@return cuda.gpuarray.Array x          (..., n), or (..., n, k)
@return cuda.gpuarray.Array residuals  (...), or (..., k): the sum of the squares of b - a x, for any rank
@return cuda.gpuarray.Array rank       (...): int64
@return cuda.gpuarray.Array s          (..., min(m, n)): the singular values of a
@raise LogicError if the shapes do not fit, for 16-bit floats and other values of rcond; RuntimeError if the iteration does not converge
@options allocator rcond stream
= cuda.linalg.lu(a, options)
LU factorization of matrices with partial pivoting: a[p] = l u.
@param a cuda.gpuarray.Array  the matrices, (..., m, n)
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array p  (..., m), int64: the row of a at each position, from 1
@return cuda.gpuarray.Array l  (..., m, k), where k is the smaller of m and n, with ones on its diagonal
@return cuda.gpuarray.Array u  (..., k, n)
@raise LogicError for arrays with fewer than two axes and for 16-bit floats
@options allocator stream
= cuda.linalg.matrix_power(a, n, options)
Raises a square matrix to a power by repeated squaring, as NumPy's matrix_power. For more than two axes, this applies
to each matrix on the last two axes.
@param a cuda.gpuarray.Array  an array of square matrices, (..., n, n)
@param n integer  0 gives the identity matrix; negative exponents give powers of linalg.inv()
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  of the dtype that matmul() computes
@raise LinAlgError for a singular matrix and a negative exponent
@raise LogicError for matrices that are not square, other exponents, and if out has another shape
@options allocator out stream
= cuda.linalg.matrix_rank(a, options)
The ranks of matrices: the number of singular values that do not count as 0.
@param a cuda.gpuarray.Array  the matrices, (..., m, n)
@param options? {rcond: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  rcond: as for linalg.lstsq
@return cuda.gpuarray.Array  (...): int64
@raise LogicError as linalg.pinv; RuntimeError if the iteration does not converge
@options allocator out rcond stream
= cuda.linalg.multi_dot(arrays, options)
The product of several matrices, in the order that needs the fewest multiplications, as NumPy's multi_dot. The first
and the last array may be vectors.
@param arrays cuda.gpuarray.Array[]  a list of two or more arrays
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  of the dtype that matmul() computes for all of them
@raise LogicError if arrays is not such a list, if the shapes do not fit, or if out has another shape
@options allocator out stream
= cuda.linalg.norm(a, options)
The norm of all elements as one vector, or with ord the norms of the matrices on the last two axes. "fro" is the root
of the sum of squares, "nuc" the sum of the singular values, 2 and -2 are the largest and smallest singular value. 1
and -1 are the largest and smallest sum of the absolute values in a column; math.huge (or "inf") and -math.huge those
in a row. For a 1-D array, ord is that of gpuarray.norm().
@param a cuda.gpuarray.Array  an array of any shape
@param options? {ord: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  ord: the kind of norm, see above
@return cuda.gpuarray.Array  real
@raise LogicError for other values of ord, 16-bit floats, and if out has another shape
@options allocator ord out stream
= cuda.linalg.pinv(a, options)
The Moore-Penrose pseudoinverses of matrices.
@param a cuda.gpuarray.Array  the matrices, (..., m, n)
@param options? {rcond: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  rcond: as for linalg.lstsq
@return cuda.gpuarray.Array  (..., n, m)
@raise LogicError for arrays with fewer than two axes, 16-bit floats, other values of rcond, and if out has another shape; RuntimeError if the iteration does not converge
@options allocator out rcond stream
= cuda.linalg.precision(name)
Selects the precision of matrix products. "full", the default: operands are multiplied with all their digits, and own
kernels give the same bits on every device. "tensor": products of float16, bfloat16 and float32 are computed on
tensor cores, by own kernels from compute capability 8.0 on. float32 is rounded to TF32, which has three digits. Sums
are float32, and their last bits depend on the generation of the GPU. Products of int8 use tensor cores under both,
with the same bits. Products of a matrix and a vector, and factorizations by own kernels, are "full" under both.
@param name? "full"|"tensor"  the new setting; default: leave it unchanged
@return "full"|"tensor" name  the setting now
@raise LogicError for another name
= cuda.linalg.qr(a, options)
QR factorization of matrices by Householder reflections: a = q r, where q has orthonormal columns and r is upper
triangular.
@param a cuda.gpuarray.Array  the matrices, (..., m, n)
@param options? {mode: any, stream: cuda.Stream, allocator: function}  mode: "reduced" (default): q is (..., m, k) and r (..., k, n), where k is the smaller of m and n; "complete": (..., m, m) and (..., m, n); "r": r alone
@return cuda.gpuarray.Array q  in the mode "r": r
@return cuda.gpuarray.Array r  in the mode "r": nil
@raise LogicError for arrays with fewer than two axes, 16-bit floats and other modes
@options allocator mode stream
= cuda.linalg.slogdet(a, options)
The determinants of square matrices as a sign and a logarithm: det = sign * exp(logabs).
@param a cuda.gpuarray.Array  the matrices, (..., n, n)
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array sign    (...): 1, -1, or 0 for a singular matrix; for complex matrices a number of magnitude 1
@return cuda.gpuarray.Array logabs  (...): real; -inf for a singular matrix
@raise LogicError for matrices that are not square, and 16-bit floats
@options allocator stream
= cuda.linalg.solve(a, b, options)
Solves systems of linear equations a x = b by elimination with partial pivoting, as NumPy's solve.
@param a cuda.gpuarray.Array  the matrices, (..., n, n)
@param b cuda.gpuarray.Array  the right-hand sides, (n,), or (..., n, k): batches broadcast
@param options? {check: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  check: wait and raise an error for a singular matrix; default true; false: return NaN
@return cuda.gpuarray.Array x
@raise LinAlgError if a matrix is singular; its fields are `matrix`, `pivot` and `matrices`
@raise LogicError for matrices that are not square, shapes that do not fit, 16-bit floats, inside a capture without check = false, and if out has another shape
@options allocator check out stream
= cuda.linalg.solve_triangular(a, b, options)
Solves systems of linear equations with triangular matrices: a x = b. Only one triangle of a is read. A 0 on the
diagonal gives infinities and NaN.
@param a cuda.gpuarray.Array  the matrices, (..., n, n)
@param b cuda.gpuarray.Array  the right-hand sides, (n,), or (..., n, k): batches broadcast
@param options? {lower: boolean, unit_diagonal: boolean, trans: any, out: any, stream: any, allocator: any}  lower: use the lower triangle, default the upper one. unit_diagonal: take the diagonal as 1 without reading it. trans: "T" solves with the transpose of a, "C" with its conjugate transpose
@return cuda.gpuarray.Array x
@raise LogicError for matrices that are not square, shapes that do not fit, 16-bit floats, and if out has another shape
@options allocator lower out stream trans unit_diagonal
= cuda.linalg.svd(a, options)
Singular value decomposition: a = u diag(s) vh, as NumPy's svd. The largest component of each row of vh is real and
positive. NaN and infinities give NaN.
@param a cuda.gpuarray.Array  the matrices, (..., m, n)
@param options? {full_matrices: boolean, stream: cuda.Stream, allocator: function}  full_matrices = false: u is (..., m, k) and vh (..., k, n), where k is the smaller of m and n; default: (..., m, m) and (..., n, n)
@return cuda.gpuarray.Array u
@return cuda.gpuarray.Array s   (..., k): real, in descending order
@return cuda.gpuarray.Array vh
@raise LogicError for arrays with fewer than two axes and 16-bit floats; LinAlgError if the iteration does not converge
@options allocator full_matrices stream
= cuda.linalg.svdvals(a, options)
The singular values of matrices.
@param a cuda.gpuarray.Array  the matrices, (..., m, n)
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  (..., k), where k is the smaller of m and n: real, in descending order
@raise LogicError as linalg.svd, and if out has another shape; LinAlgError if the iteration does not converge
@options allocator out stream
# docs/memory.md
= cuda.MemoryStats class
@field plain cuda.MemoryCount  mem_alloc, mem_alloc_pitch, to_device ...
@field async cuda.MemoryCount  mem_alloc_async and MemoryPool:alloc
@field pooled cuda.MemoryCount  blocks of DeviceMemoryPools in use
@field managed cuda.MemoryCount  managed_empty ...
@field arrays cuda.MemoryCount  CUDA arrays (Array)
@field textures cuda.MemoryCount  TextureObject and SurfaceObject, each counted as 16 KiB
@field pinned cuda.MemoryCount       page-locked host memory
@field registered cuda.MemoryCount   host memory of register_host_memory
@field aligned cuda.MemoryCount  plain host memory of aligned_empty ...
@field held cuda.MemoryCount  free blocks that DeviceMemoryPools hold
@field pinned_held cuda.MemoryCount  free blocks that PageLockedMemoryPools hold
@field queued cuda.MemoryCount  the part of the device memory above that was collected and is not freed yet
@field live integer  bytes of device memory in use by objects of the program
@field collections integer  the number of collections that allocations of this Lua state ran
@field collect_seconds number  the time spent in these collections
@field budget number  in bytes: a collection runs when the live memory has grown by this amount since the last one
@field finalizer_errors integer  errors of other finalizers in these collections
@field failed_destroys integer  objects that the driver refused to free in finalizers
= cuda.collect()
Runs Lua's garbage collector and returns the memory of garbage to the driver, including the unused blocks of the
pools that arrays share. Finalizers never wait, so memory whose release has to wait for running kernels is otherwise
freed by the next allocation or synchronisation.
= cuda.mem_get_info()
@return integer free, integer total  bytes on the current device
@raise LogicError (201) without a current context
= cuda.mem_stats()
Returns the memory in use, by kind. tostring() and print() list the kinds that were used at least once.
@return cuda.MemoryStats
# docs/opengl.md
= cuda.gl module
Memory that OpenGL and CUDA share.
= cuda.gl.BufferObject class
An OpenGL buffer with CUDA's interface before version 3: `gl.BufferObject(name)`. Use RegisteredBuffer in new
programs.
@call fun(bufobj: integer): cuda.gl.BufferObject
= cuda.gl.BufferObject:handle()
@return integer  the buffer's name in OpenGL
@raise LogicError after unregister()
= cuda.gl.BufferObject:map()
Maps the buffer.
@return cuda.gl.BufferObjectMapping
@raise LogicError as RegisteredBuffer:map()
= cuda.gl.BufferObject:unregister()
Unregisters the buffer from CUDA.
@raise LogicError as RegisteredBuffer:unregister()
= cuda.gl.BufferObjectMapping class
A mapped BufferObject.
= cuda.gl.BufferObjectMapping:device_ptr()
@return cuda.DevicePointer  the buffer's memory, until unmap()
= cuda.gl.BufferObjectMapping:size()
@return integer  bytes
= cuda.gl.BufferObjectMapping:unmap()
Ends the mapping.
@raise LogicError as RegisteredMapping:unmap()
= cuda.gl.Headless class
An OpenGL context without a window, created by gl.headless(). It has its own framebuffer with 8-bit colours and
depth.
@field width integer  the width in pixels
@field height integer  the height in pixels
@field gl cuda.gl.functions  OpenGL: `window.gl.DrawArrays(window.gl.POINTS, 0, n)`
@field renderer string  the renderer, as reported by OpenGL
@field version string  the version of OpenGL
@field platform string  the platform of EGL: "device" or "surfaceless"
= cuda.gl.Headless:buffer(data, usage)
Creates an OpenGL buffer.
@param data integer|any  a number of bytes with undefined contents, or a host buffer that is copied: a host array, FFI memory, a string
@param usage? integer  default window.gl.DYNAMIC_DRAW
@return integer name     an argument for gl.RegisteredBuffer and window.gl.BindBuffer
@raise LogicError for other data, if the context is not current, and after close()
= cuda.gl.Headless:close()
Destroys the context. Unregister its buffers and images first. A second call does nothing.
= cuda.gl.Headless:make_current()
Makes the context current in this thread, instead of the current one.
@return cuda.gl.Headless self
@raise LogicError after close(); RuntimeError if it is current in another thread
= cuda.gl.Headless:program(sources)
Creates an OpenGL program of two shaders.
@param sources {vertex: string, fragment: string}  vertex: the vertex shader in GLSL; fragment: the fragment shader in GLSL
@return integer name  an argument for window.gl.UseProgram
@raise CompileError with the compiler's log; LogicError if a source is missing, the context is not current, and after close()
@options fragment vertex
= cuda.gl.Headless:read_pixels()
Returns the rendered image.
@return cuda.ndarray.Array  uint8, shape {height, width, 4}: RGBA, top row first
@raise LogicError if the context is not current, and after close()
= cuda.gl.Headless:release()
Releases the context from this thread if it is current.
@raise LogicError after close()
= cuda.gl.Headless:texture(options)
Creates a 2D OpenGL texture without mipmaps, whose texels are read without filtering.
@param options {width: integer, height: integer, format: string, data: any}  width: in texels; height: in texels; format: "rgba8" (default), "r8", "r32f", "rgba32f", "r32i" or "r32ui"; data: a host buffer with all texels, lowest row first
@return integer name  an argument for gl.RegisteredImage and window.gl.BindTexture
@raise LogicError for invalid options, if the context is not current, and after close()
@options data format height width
= cuda.gl.RegisteredBuffer class
An OpenGL buffer registered with CUDA: `gl.RegisteredBuffer(name, flags)`. CUDA may use its memory between map() and
unmap(), and OpenGL at other times.
@call fun(bufobj: integer, flags?: any): cuda.gl.RegisteredBuffer  flags: gl.graphics_register_flags, default none. Raises a LogicError (219) if no OpenGL context is current, (400) if the context does not have this buffer.
= cuda.gl.RegisteredBuffer:close()
As unregister().
@raise LogicError as unregister()
= cuda.gl.RegisteredBuffer:gl_handle()
@return integer  the buffer's name in OpenGL
@raise LogicError after unregister()
= cuda.gl.RegisteredBuffer:map(stream)
cuGraphicsMapResources: lets CUDA, and no longer OpenGL, use the buffer until unmap(). Earlier OpenGL commands
complete before later work in the stream.
@param stream? cuda.Stream  default: the current stream
@return cuda.gl.RegisteredMapping
@raise LogicError (208) if it is already mapped, (219) if no OpenGL context is current; with another context current, for a stream that is being captured, after unregister()
= cuda.gl.RegisteredBuffer:set_map_flags(flags)
cuGraphicsResourceSetMapFlags: declares how CUDA will use it, from the next map() on.
@param flags any  gl.graphics_map_flags: "none", "read_only", "write_discard"
@raise LogicError (208) while it is mapped, (219) if no OpenGL context is current, after unregister()
= cuda.gl.RegisteredBuffer:unregister()
cuGraphicsUnregisterResource: unregisters the buffer from CUDA. A mapped buffer is unmapped first.
@raise LogicError (219) if no OpenGL context is current, with another context current, if it was already unregistered
= cuda.gl.RegisteredImage class
An OpenGL texture or renderbuffer registered with CUDA: `gl.RegisteredImage(name, target, flags)`.
@call fun(image: integer, target?: any, flags?: any): cuda.gl.RegisteredImage  target: OpenGL's number or its name, default "GL_TEXTURE_2D"; also GL_TEXTURE_RECTANGLE, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY, GL_RENDERBUFFER. flags: gl.graphics_register_flags, default none; SURFACE_LDST for surfaces. Raises a LogicError (219) if no OpenGL context is current, (400) if the context does not have this image, (1) for a format that CUDA does not support.
= cuda.gl.RegisteredImage:close()
As unregister().
@raise LogicError as unregister()
= cuda.gl.RegisteredImage:gl_handle()
@return integer  the image's name in OpenGL
@raise LogicError after unregister()
= cuda.gl.RegisteredImage:map(stream)
cuGraphicsMapResources: lets CUDA, and no longer OpenGL, use the image until unmap().
@param stream? cuda.Stream  default: the current stream
@return cuda.gl.RegisteredMapping
@raise LogicError (208) if it is already mapped, (219) if no OpenGL context is current; with another context current, for a stream that is being captured, after unregister()
= cuda.gl.RegisteredImage:set_map_flags(flags)
cuGraphicsResourceSetMapFlags: declares how CUDA will use it, from the next map() on.
@param flags any  gl.graphics_map_flags: "none", "read_only", "write_discard"
@raise LogicError (208) while it is mapped, (219) if no OpenGL context is current, after unregister()
= cuda.gl.RegisteredImage:unregister()
cuGraphicsUnregisterResource: unregisters the image from CUDA. A mapped image is unmapped first.
@raise LogicError (219) if no OpenGL context is current, with another context current, if it was already unregistered
= cuda.gl.RegisteredMapping class
A registered buffer or image between map() and unmap(), as CUDA memory.
= cuda.gl.RegisteredMapping:array(index, level)
cuGraphicsSubResourceGetMappedArray: returns the texels of a mapped image. You can no longer use the array after
unmap().
@param index? integer  the face of a cube map, or the layer of GL_TEXTURE_2D_ARRAY, from 0; default 0
@param level? integer  the level of mipmaps, from 0; default 0
@return cuda.Array  the driver's array; its free() only ends this view
@raise LogicError (212) for a buffer, (1) for a part or level that the image does not have, after unmap()
= cuda.gl.RegisteredMapping:close(stream)
As unmap().
@param stream? cuda.Stream  default: the stream that it was mapped in
@raise LogicError as unmap()
= cuda.gl.RegisteredMapping:device_ptr_and_size()
cuGraphicsResourceGetMappedPointer: returns the memory of a mapped buffer. You can no longer use it after unmap().
@return cuda.DevicePointer
@return integer  bytes
@raise LogicError (213) for an image, after unmap()
= cuda.gl.RegisteredMapping:unmap(stream)
cuGraphicsUnmapResources: returns the memory to OpenGL. Earlier work in the stream, and in other streams that used
the mapped memory, completes before later OpenGL commands. You can no longer use pointers and arrays of the mapping.
@param stream? cuda.Stream  default: the stream that it was mapped in
@raise LogicError (219) if no OpenGL context is current, with another context current, for a stream that is being captured, if it was already unmapped
= cuda.gl.devices(which)
cuGLGetDevices: returns the devices of the current OpenGL context.
@param which? "all"|"current_frame"|"next_frame"  default "all"; if several GPUs render alternate frames, the device of a frame
@return cuda.Device[]
@raise LogicError (219) if no OpenGL context is current
= cuda.gl.graphics_map_flags field
@type table<string, integer>
NONE, READ_ONLY, WRITE_DISCARD
= cuda.gl.graphics_register_flags field
@type table<string, integer>
NONE, READ_ONLY, WRITE_DISCARD, SURFACE_LDST, TEXTURE_GATHER
= cuda.gl.have_gl_ext()
Returns true if the driver has its functions for OpenGL.
@return boolean
= cuda.gl.headless(options)
Creates an OpenGL context without a window and makes it current in this thread. On a GPU, the GPU that CUDA uses
renders; on the software device, Mesa's renderer does. The context exists until close(), or until the process ends.
@param options? {width: integer, height: integer, device: cuda.Device, version: integer[]}  width: in pixels, default 640; height: in pixels, default 480; device: CUDA's device, default that of the current context; version: OpenGL's version, default {3, 3}
@return cuda.gl.Headless
@raise RuntimeError if EGL, or a renderer for it, is not installed; LogicError for invalid options
@options device height version width
= cuda.gl.init()
Checks that an OpenGL context is current. Older versions of CUDA required this call before resources could be
registered.
@raise LogicError (219) if no OpenGL context is current
= cuda.gl.make_context(device, flags)
Creates a context on a device, as device:make_context() does, after checking that an OpenGL context is current.
@param device cuda.Device  the device
@param flags? any  as for Device:make_context()
@return cuda.Context  the new context, which is current
@raise LogicError (219) if no OpenGL context is current
# docs/profiling.md
= cuda.Profile class
The result of cuda.profile(). Times are in seconds.
@field rows cuda.profile.Row[]  by GPU time, the longest first
@field activities cuda.profile.Activity[]  in the order in which they were started
@field wall number  the duration in seconds, including waiting for the device
@field busy number  seconds in which the device was busy
@field waited number  seconds in which the host waited; on the software device without the work that it did in that time
@field compiled number  seconds of compilations and of loading modules
@field gap? {begin: number, time: number, line: string?}  the longest time in which the device was idle between two activities; line: where the host was at its end
@field clock "cupti"|"events"|"machine"|"none"  the source of the times; none: the device was not used
@field cupti_version? integer  the version of CUPTI, if it measured the times
@field no_cupti? string  the reason why CUPTI did not measure the times
@field dropped integer  activities for which there was no space; 0 except for millions of activities
@field untimed integer  activities without times, for example during captures
@field copy_speed? number  bytes per second of copies within this device, read and written
@field empty_pair number  seconds between two events with nothing between them
@field unfinished boolean  true if waiting for the device was interrupted
= cuda.Range class
A named part of the program, up to close(). Work that is started in it belongs to it in profiles.
= cuda.profile(f, options)
Measures what the device and the host do while a function runs: a table of kernels, copies, fills and graphs by GPU
time, with the lines of the program that started them. The table is printed, and returned as data; `tostring()`
returns the text.

On a GPU the device measures the times, with CUPTI if its library can be opened. Otherwise they are the times between
two events around each activity. These include up to a few microseconds for an empty pair of events; the last line
shows how much. On the software device they are measured on this machine. The results of the function are dropped. If
it raises an error, the error is raised again without a table.
@param f fun()  the function, which is called once; the profile waits for its work
@param options? {trace?: string, print?: boolean, counters?: boolean, clock?: "cupti"|"events"}  trace: a file for Perfetto; print: write the table to standard output, default true; counters: count instructions, bytes and branches of kernels on the software device, default true; clock: the source of a GPU's times, default CUPTI if it can be opened, else events
@return cuda.Profile
@raise LogicError inside another profile, during a capture, or for invalid options; errors of f; RuntimeError if the trace cannot be written
@options clock="cupti"|"events" counters print trace
= cuda.range(name, f, ...)
Names a part of the program: `cuda.range("load", f, ...)` calls f in it; `local r = cuda.range "load"` starts a range
that ends with `r:close()`. You can nest ranges. They appear in traces of cuda.profile(), and in tools that read
NVTX, such as Nsight Systems. Without either a range costs less than a microsecond.
@param name string  the name of the range
@param f? function  the function to call with the other arguments; the range ends when it returns or raises an error
@param ... any  the arguments of f
@return any  the results of f; without f a cuda.Range
@raise LogicError if the name is not a string; errors of f
# docs/prompt.md
= cuda.progress(n, opts)
A loop that shows its progress in one line of the terminal: the part that is done, the count, the elapsed and the
remaining time, and the rate. `for i in cuda.progress(n) do ... end`. The line is drawn at most ten times a second,
and stays when the loop is done. In nested loops the line shows both counts, and the outer loop then continues with
it. Output of the loop body begins on a line of its own. Nothing is shown if the file is not a terminal, TERM is
dumb, or CUDALUA_PROGRESS is 0.
@param n integer|table  the number of iterations; or a list, whose positions and items the loop receives, as from ipairs()
@param opts? {text?: string, file?: file*}  text: the start of the line; file: the terminal, default io.stderr
@return fun(loop: table, i: integer): integer?, any
@return table loop
@return integer first  0
@raise LogicError if n is not a count or a list, and for invalid options
@options file text
= cuda.show_progress(on)
Shows the progress of compilations that take over a second, and of kernels of the software device that take over two.
It is a line on standard error that is erased when they are done. It is on in the `cudalua` command, and off
elsewhere. CUDALUA_PROGRESS=1 turns it on everywhere, 0 turns it off. Nothing is shown if standard error is not a
terminal.
@param on? boolean  the new setting; default: leave it unchanged
@return boolean before  true if it was on
@raise LogicError if `on` is not a boolean
= cudalua.repl module
The prompt for any program: `require("cudalua.repl").run()`.
= cudalua.repl.Options class
The input and output of a prompt. Unknown options are errors.
@field env? table  the globals of the chunks; default _G. Chunks assign to it; `cuda`, `help` and `_` are available, too
@field input? file*|fun(prompt: string): string?  a file, or a function that returns the next line without its line feed, and nil at the end; default io.stdin. A terminal that can move its cursor has line editing
@field output? file*|fun(text: string)  receives prompts, values and errors; default io.stdout
@field banner? string  the first line; default: none
= cudalua.repl.run(options)
Runs a prompt until the end of its input or `:quit`. A top-level `local` is visible in later chunks.
@param options? cudalua.repl.Options  input, output, environment and banner
@raise LogicError for unknown options, an env that is not a table, and an input or output that is neither an open file nor a function
@options banner env input output
# docs/random.md
= cuda.random module
Random numbers.
= cuda.random.Generator class
A generator of random numbers, created by random.Generator().
= cuda.random.Generator:beta(shape, a, b, dtype)
Beta-distributed numbers, between 0 and 1. The density is proportional to x^(a - 1) (1 - x)^(b - 1).
@param shape? integer|integer[]  as for uniform
@param a any  a positive number or an array
@param b any  a positive number or an array
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as uniform, and for an a or b that is not positive
@options a b dtype shape
= cuda.random.Generator:binomial(shape, n, p, dtype)
Binomially distributed numbers: the successes in n trials, each with probability p.
@param shape? integer|integer[]  as for uniform
@param n any  a non-negative integer or an array; if an element is not one, the result is 0
@param p any  a number from 0 to 1 or an array; if an element is out of range, the result is 0
@param dtype? any  an integer type; values out of its range wrap around; default: int64
@return cuda.gpuarray.Array  a pending array
@raise LogicError for other types, numbers out of range, and shapes that do not broadcast
@options dtype n p shape
= cuda.random.Generator:choice(of, shape, options)
Returns a random sample of the positions 1 to n, or of the parts of an array along its first axis.
@param of integer|cuda.gpuarray.Array  n, or the array
@param shape? integer|integer[]  the shape of the sample; default: a single element
@param options? {replace: boolean, p: any}  replace: draw with replacement; default true; false: draw each at most once; p: a probability for each (they are divided by their sum); without replacement, for those that are left
@return cuda.gpuarray.Array  int64, or the dtype of the array
@raise LogicError if of is neither, for an array without elements, invalid probabilities, and a sample that is too large if replace is false
@options of p replace shape
= cuda.random.Generator:exponential(shape, scale, dtype)
Exponentially distributed numbers.
@param shape? integer|integer[]  as for uniform
@param scale? any  the mean, a number or an array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as uniform, and for a negative scale
@options dtype scale shape
= cuda.random.Generator:fill_log_normal(a, mean, sigma, stream)
Fills an array with log-normally distributed numbers.
@param a cuda.gpuarray.Array  an array of floats
@param mean? any  the mean of the logarithms, as for log_normal
@param sigma? any  the standard deviation of the logarithms, as for log_normal
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError for other arrays
@options a mean sigma stream
= cuda.random.Generator:fill_normal(a, stream)
Fills an array with normally distributed numbers with mean 0 and standard deviation 1.
@param a cuda.gpuarray.Array  an array of floats
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError for other arrays
@options a stream
= cuda.random.Generator:fill_poisson(a, mean, stream)
Fills an array with Poisson-distributed numbers. Without a mean, each element is the mean of the number that replaces
it.
@param a cuda.gpuarray.Array  an array of integers; without a mean, also of floats
@param mean? any  a number or an array
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError for other arrays, and as poisson
@options a mean stream
= cuda.random.Generator:fill_uniform(a, stream)
Fills an array with uniformly distributed numbers: floats in (0, 1], as PyCUDA's; integers over their whole range.
@param a cuda.gpuarray.Array  an array of float32, float64, int32, uint32, int64 or uint64
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError for other arrays
@options a stream
= cuda.random.Generator:gamma(shape, k, scale, dtype)
Gamma-distributed numbers. The density is proportional to x^(k - 1) exp(-x / scale).
@param shape? integer|integer[]  as for uniform
@param k any  the shape parameter of the distribution, positive: a number or an array; elements below 0 give NaN
@param scale? any  a number or an array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as uniform, and for a k or scale that is not positive
@options dtype k scale shape
= cuda.random.Generator:gen_log_normal(shape, dtype, mean, sigma, stream)
Log-normally distributed numbers.
@param shape integer|integer[]  as for gpuarray.empty
@param dtype? any   a floating-point type; default: the default float
@param mean? any  the mean of the logarithms, as for log_normal
@param sigma? any  the standard deviation of the logarithms, as for log_normal
@param stream? cuda.Stream   as for gen_uniform
@return cuda.gpuarray.Array
@raise LogicError for other types and invalid shapes
@options dtype mean shape sigma stream
= cuda.random.Generator:gen_normal(shape, dtype, stream)
Normally distributed numbers with mean 0 and standard deviation 1.
@param shape integer|integer[]  as for gpuarray.empty
@param dtype? any               a floating-point type; default: the default float
@param stream? cuda.Stream   as for gen_uniform
@return cuda.gpuarray.Array
@raise LogicError for other types and invalid shapes
@options dtype shape stream
= cuda.random.Generator:gen_poisson(shape, dtype, mean, stream)
Poisson-distributed numbers.
@param shape integer|integer[]  as for gpuarray.empty
@param dtype any    an integer type; nil: uint32, as PyCUDA's
@param mean any  a number or an array
@param stream? cuda.Stream   as for gen_uniform
@return cuda.gpuarray.Array
@raise LogicError for other types and invalid shapes
@options dtype mean shape stream
= cuda.random.Generator:gen_uniform(shape, dtype, stream)
Uniformly distributed numbers: floats in (0, 1], as PyCUDA's; integers over their whole range.
@param shape integer|integer[]  as for gpuarray.empty
@param dtype? any               float32, float64, int32, uint32, int64 or uint64; default: the default float
@param stream? cuda.Stream  computes the numbers now; default: the stream that first needs them
@return cuda.gpuarray.Array
@raise LogicError for other types and invalid shapes
@options dtype shape stream
= cuda.random.Generator:get_state()
Returns the state of the generator as a string for set_state().
@return string
= cuda.random.Generator:integers(shape, low, high, dtype)
Uniformly distributed integers from low to high, both included.
@param shape? integer|integer[]  as for uniform
@param low any  an integer or an array of integers
@param high any  an integer that is at least low, or an array of integers; for elements below low, the result is low
@param dtype? any  an integer type; default: int64
@return cuda.gpuarray.Array  a pending array
@raise LogicError for other types, numbers that the type cannot hold, a high below low, and shapes that do not broadcast
@options dtype high low shape
= cuda.random.Generator:log_normal(shape, mean, sigma, dtype)
Log-normally distributed numbers.
@param shape? integer|integer[]  as for uniform
@param mean? any  the mean of the logarithms: a number or an array, default 0
@param sigma? any  the standard deviation of the logarithms: a number or an array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as normal
@options dtype mean shape sigma
= cuda.random.Generator:normal(shape, mean, sigma, dtype)
Normally distributed numbers.
@param shape? integer|integer[]  as for uniform
@param mean? any  a number or an array, default 0
@param sigma? any  the standard deviation, a number or an array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as uniform, and for a negative sigma
@options dtype mean shape sigma
= cuda.random.Generator:permutation(x)
Returns the positions 1 to n in random order, or the parts of an array along its first axis.
@param x integer|cuda.gpuarray.Array  the number of positions, or an array
@return cuda.gpuarray.Array  int64, or the dtype of the array
@raise LogicError if x is neither, and for an array without axes
@options x
= cuda.random.Generator:poisson(shape, mean, dtype)
Poisson-distributed numbers with the expected value `mean`.
@param shape? integer|integer[]  as for uniform
@param mean any  a number or an array, from 0 to 2^60; if an element is negative or NaN, the result is 0
@param dtype? any  an integer type; values out of its range wrap around; default: int64
@return cuda.gpuarray.Array  a pending array
@raise LogicError for other types, a mean out of range, and shapes that do not broadcast
@options dtype mean shape
= cuda.random.Generator:seed(seed)
Sets a seed and starts its sequence.
@param seed? integer|ffi.cdata*  a non-negative integer; default: unpredictable
@return cuda.random.Generator self
@raise LogicError if the seed is not a non-negative integer
@options seed
= cuda.random.Generator:set_state(state)
Restores the state that get_state() returned.
@param state string  a string that get_state() returned
@return cuda.random.Generator self
@raise LogicError if state is not such a string
@options state
= cuda.random.Generator:skip_ahead(blocks)
Skips numbers: `blocks` times four 32-bit words. Arrays with elements of up to 32 bits use one block for four
elements, with 64 bits one for two. Distributions that draw repeatedly (gamma, beta, Poisson, binomial) use one for
each element, beta two.
@param blocks integer  the number of blocks, non-negative
@return cuda.random.Generator self
@raise LogicError if blocks is not a non-negative integer, or the sequence ends
@options blocks
= cuda.random.Generator:spawn(count)
Returns generators that are independent of this one and of each other, for parts of a program that run in any order.
@param count? integer  the number of generators, from 1 to 200; default: 1
@return cuda.random.Generator ...  as many as requested
@raise LogicError if count is not an integer from 1 to 200
@options count
= cuda.random.Generator:uniform(shape, low, high, dtype)
Uniformly distributed numbers from low up to high, which is excluded. They have 24 random bits for float32, 53 for
float64, 11 for float16, and 8 for bfloat16. (low + u * (high - low) may round to high.)
@param shape? integer|integer[]  as for gpuarray.empty; default: the shape of the parameters
@param low? any  a number or an array, default 0
@param high? any  a number or an array, default 1
@param dtype? any a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array: the kernel that needs the numbers generates them
@raise LogicError for other types, and shapes that do not broadcast
@options dtype high low shape
= cuda.random.MRG32k3aRandomNumberGenerator(seed_getter, offset, options)
PyCUDA's MRG32k3a generator: 65536 generators side by side, 2^76 numbers apart. It computes L'Ecuyer's numbers, with
this library's own seeding, so they differ from those of cuRAND.
@param seed_getter? any  as for XORWOWRandomNumberGenerator
@param offset? integer  how many numbers each generator skips first
@param options? {generators: integer}  generators: the number of generators; default 65536
@return cuda.random.StateGenerator
@raise LogicError for invalid seeds and numbers
@options generators
= cuda.random.ScrambledSobol32RandomNumberGenerator(dir_vector, scramble_vector, offset, options)
PyCUDA's generator of 32-bit scrambled Sobol sequences: as uniform as Sobol sequences, and different for each seed.
@param dir_vector? any  scrambled direction vectors, uint32; default: generated from the seed
@param scramble_vector? any  a constant of uint32 for each dimension; default: generated from the seed
@param offset? integer       the first point, from 0
@param options? {dimensions: integer, seed: integer}  dimensions: the number of dimensions if you pass no vectors: 1 (default) to 1111; seed: default 0
@return cuda.random.SobolGenerator
@raise LogicError for invalid vectors and numbers
@options dimensions seed
= cuda.random.ScrambledSobol64RandomNumberGenerator(dir_vector, scramble_vector, offset, options)
PyCUDA's generator of 64-bit scrambled Sobol sequences.
@param dir_vector? any  scrambled direction vectors, uint64; default: generated from the seed
@param scramble_vector? any  a constant of uint64 for each dimension; default: generated from the seed
@param offset? integer       the first point, from 0
@param options? {dimensions: integer, seed: integer}  dimensions: the number of dimensions if you pass no vectors: 1 (default) to 1111; seed: default 0
@return cuda.random.SobolGenerator
@raise LogicError for invalid vectors and numbers
@options dimensions seed
= cuda.random.Sobol32RandomNumberGenerator(dir_vector, offset, options)
PyCUDA's generator of 32-bit Sobol sequences, in one or more dimensions.
@param dir_vector? any  direction vectors, uint32, a row of 32 for each dimension; default: Joe and Kuo's
@param offset? integer  the first point, from 0
@param options? {dimensions: integer}  dimensions: the number of dimensions if you pass no vectors: 1 (default) to 1111
@return cuda.random.SobolGenerator
@raise LogicError for invalid vectors and numbers
@options dimensions
= cuda.random.Sobol64RandomNumberGenerator(dir_vector, offset, options)
PyCUDA's generator of 64-bit Sobol sequences.
@param dir_vector? any   direction vectors, uint64, a row of 64 for each dimension; default: Joe and Kuo's
@param offset? integer   the first point, from 0
@param options? {dimensions: integer}  dimensions: the number of dimensions if you pass no vectors: 1 (default) to 1111
@return cuda.random.SobolGenerator
@raise LogicError for invalid vectors and numbers
@options dimensions
= cuda.random.SobolGenerator class
A quasi-random generator as in PyCUDA: Sobol32RandomNumberGenerator and its three relatives.
@field dimensions integer  the number of dimensions
@field position integer   the next point, from 0
= cuda.random.SobolGenerator:call_skip_ahead(n, stream)
Skips points.
@param n integer  the number of points, non-negative
@param stream? cuda.Stream  accepted as in PyCUDA; the generator's position does not depend on it
@return cuda.random.SobolGenerator self
@raise LogicError if n is not such a number, and at the end of the sequence
= cuda.random.SobolGenerator:call_skip_ahead_array(n, stream)
Skips points, in each dimension separately. The program waits for the numbers.
@param n cuda.gpuarray.Array  an array of non-negative integers, one for each dimension
@param stream? cuda.Stream  accepted as in PyCUDA; the generator's position does not depend on it
@return cuda.random.SobolGenerator self
@raise LogicError if n is not such an array, and at the end of the sequence
= cuda.random.SobolGenerator:fill_log_normal(a, mean, sigma, stream)
Fills an array with log-normally distributed numbers.
@param a cuda.gpuarray.Array  an array of floats
@param mean? number  the mean of the logarithms, default 0
@param sigma? number  the standard deviation of the logarithms, default 1
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.SobolGenerator:fill_normal(a, stream)
Fills an array with normally distributed numbers with mean 0 and standard deviation 1.
@param a cuda.gpuarray.Array  an array of floats
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.SobolGenerator:fill_poisson(a, mean, stream)
Fills an array with Poisson-distributed numbers. Without a mean, each element is the mean of the number that
replaces it.
@param a cuda.gpuarray.Array  an array of integers; without a mean, also of floats
@param mean? any  a number, or an array with a's shape
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.SobolGenerator:fill_uniform(a, stream)
Fills an array with uniformly distributed numbers: floats in (0, 1], integers over their whole range.
@param a cuda.gpuarray.Array  an array of float32, float64, or 32-bit or 64-bit integers; 32-bit Sobol generators do not support 64-bit integers
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError for other arrays, and at the end of a Sobol sequence
= cuda.random.SobolGenerator:gen_log_normal(shape, dtype, mean, sigma, stream)
Log-normally distributed numbers.
@param shape integer|integer[]  as for gen_uniform
@param dtype? any               a floating-point type; default: the default float
@param mean? number  the mean of the logarithms, default 0
@param sigma? number  the standard deviation of the logarithms, default 1
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.SobolGenerator:gen_normal(shape, dtype, stream)
Normally distributed numbers with mean 0 and standard deviation 1.
@param shape integer|integer[]  as for gen_uniform
@param dtype? any               a floating-point type; default: the default float
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.SobolGenerator:gen_poisson(shape, dtype, mean, stream)
Poisson-distributed numbers.
@param shape integer|integer[]  as for gen_uniform
@param dtype any                an integer type; nil: uint32
@param mean any  a number, or an array of that shape
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.SobolGenerator:gen_uniform(shape, dtype, stream)
Uniformly distributed numbers: floats in (0, 1], integers over their whole range.
@param shape integer|integer[]  as for gpuarray.empty; for Sobol generators (points, dimensions), or the number of points
@param dtype? any               as for fill_uniform; default: the default float
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array
@raise LogicError for other types and invalid shapes, and at the end of a Sobol sequence
= cuda.random.SobolGenerator:get_state()
Returns the position of the generator as a string for set_state(); the direction numbers are not part of it.
@return string
= cuda.random.SobolGenerator:set_state(state)
Moves to the position that get_state() of a generator of the same kind and dimensions returned.
@param state string  a string that get_state() returned
@return cuda.random.SobolGenerator self
@raise LogicError for another generator's state
= cuda.random.StateGenerator class
A generator as in PyCUDA: XORWOWRandomNumberGenerator or MRG32k3aRandomNumberGenerator.
@field generators integer  the number of generators side by side
@field state cuda.gpuarray.Array  their states, uint32, in 6 rows with one column for each generator
= cuda.random.StateGenerator:call_skip_ahead(n, stream)
Skips numbers in each of the generators.
@param n integer|cuda.gpuarray.Array  the number of 32-bit words, non-negative; or an array with one for each generator
@param stream? cuda.Stream  default: the current stream
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array
= cuda.random.StateGenerator:call_skip_ahead_array(n, stream)
Skips numbers in each of the generators: as call_skip_ahead.
@param n integer|cuda.gpuarray.Array  a non-negative integer, or an array with one for each generator
@param stream? cuda.Stream  default: the current stream
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array
= cuda.random.StateGenerator:call_skip_ahead_sequence(n, stream)
Skips whole sequences in each of the generators. A sequence has 2^67 numbers, for MRG32k3a 2^127.
@param n integer|cuda.gpuarray.Array  a non-negative integer, or an array with one for each generator
@param stream? cuda.Stream  default: the current stream
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array
= cuda.random.StateGenerator:call_skip_ahead_sequence_array(n, stream)
Skips whole sequences in each of the generators: as call_skip_ahead_sequence.
@param n integer|cuda.gpuarray.Array  a non-negative integer, or an array with one for each generator
@param stream? cuda.Stream  default: the current stream
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array
= cuda.random.StateGenerator:call_skip_ahead_subsequence(n, stream)
Skips subsequences of 2^76 numbers in each of the generators; for MRG32k3a only.
@param n integer|cuda.gpuarray.Array  a non-negative integer, or an array with one for each generator
@param stream? cuda.Stream  default: the current stream
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array, and for XORWOW
= cuda.random.StateGenerator:call_skip_ahead_subsequence_array(n, stream)
Skips subsequences in each of the generators: as call_skip_ahead_subsequence.
@param n integer|cuda.gpuarray.Array  a non-negative integer, or an array with one for each generator
@param stream? cuda.Stream  default: the current stream
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array, and for XORWOW
= cuda.random.StateGenerator:fill_log_normal(a, mean, sigma, stream)
Fills an array with log-normally distributed numbers.
@param a cuda.gpuarray.Array  an array of floats
@param mean? number  the mean of the logarithms, default 0
@param sigma? number  the standard deviation of the logarithms, default 1
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.StateGenerator:fill_normal(a, stream)
Fills an array with normally distributed numbers with mean 0 and standard deviation 1.
@param a cuda.gpuarray.Array  an array of floats
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.StateGenerator:fill_poisson(a, mean, stream)
Fills an array with Poisson-distributed numbers. Without a mean, each element is the mean of the number that
replaces it.
@param a cuda.gpuarray.Array  an array of integers; without a mean, also of floats
@param mean? any  a number, or an array with a's shape
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.StateGenerator:fill_uniform(a, stream)
Fills an array with uniformly distributed numbers: floats in (0, 1], integers over their whole range.
@param a cuda.gpuarray.Array  an array of float32, float64, or 32-bit or 64-bit integers; 32-bit Sobol generators do not support 64-bit integers
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array a
@raise LogicError for other arrays, and at the end of a Sobol sequence
= cuda.random.StateGenerator:gen_log_normal(shape, dtype, mean, sigma, stream)
Log-normally distributed numbers.
@param shape integer|integer[]  as for gen_uniform
@param dtype? any               a floating-point type; default: the default float
@param mean? number  the mean of the logarithms, default 0
@param sigma? number  the standard deviation of the logarithms, default 1
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.StateGenerator:gen_normal(shape, dtype, stream)
Normally distributed numbers with mean 0 and standard deviation 1.
@param shape integer|integer[]  as for gen_uniform
@param dtype? any               a floating-point type; default: the default float
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.StateGenerator:gen_poisson(shape, dtype, mean, stream)
Poisson-distributed numbers.
@param shape integer|integer[]  as for gen_uniform
@param dtype any                an integer type; nil: uint32
@param mean any  a number, or an array of that shape
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.StateGenerator:gen_uniform(shape, dtype, stream)
Uniformly distributed numbers: floats in (0, 1], integers over their whole range.
@param shape integer|integer[]  as for gpuarray.empty; for Sobol generators (points, dimensions), or the number of points
@param dtype? any               as for fill_uniform; default: the default float
@param stream? cuda.Stream  default: the current stream
@return cuda.gpuarray.Array
@raise LogicError for other types and invalid shapes, and at the end of a Sobol sequence
= cuda.random.StateGenerator:get_state()
Returns the states as a string for set_state().
@return string
= cuda.random.StateGenerator:set_state(state)
Restores the states that get_state() of a generator of the same kind and number returned.
@param state string  a string that get_state() returned
@return cuda.random.StateGenerator self
@raise LogicError for another generator's state
= cuda.random.XORWOWRandomNumberGenerator(seed_getter, offset, options)
PyCUDA's XORWOW generator: 65536 generators side by side, 2^67 numbers apart. It computes Marsaglia's numbers, with
this library's own seeding, so they differ from those of cuRAND.
@param seed_getter? any  a function that takes the number of seeds and returns an array of int32; or such an array; or a number. Default: random.seed_getter_uniform
@param offset? integer  how many numbers each generator skips first
@param options? {generators: integer}  generators: the number of generators; default 65536
@return cuda.random.StateGenerator
@raise LogicError for invalid seeds and numbers
@options generators
= cuda.random.beta(shape, a, b, dtype)
Beta-distributed numbers from the module's generator: as Generator:beta.
@param shape? integer|integer[]  as for random.uniform
@param a any  a positive number or an array of these
@param b any  a positive number or an array of these
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as Generator:beta
@options a b dtype shape
= cuda.random.binomial(shape, n, p, dtype)
Binomially distributed numbers, the successes in n trials, from the module's generator: as Generator:binomial.
@param shape? integer|integer[]  as for random.uniform
@param n any  the number of trials: a non-negative number or an array of these
@param p any  the probability of success: a number from 0 to 1 or an array of these
@param dtype? any  an integer type; default: int64
@return cuda.gpuarray.Array  a pending array
@raise LogicError as Generator:binomial
@options dtype n p shape
= cuda.random.choice(of, shape, options)
A random sample of the positions 1 to n, or of the parts of an array: as Generator:choice.
@param of integer|cuda.gpuarray.Array  the number of positions, or an array
@param shape? integer|integer[]  as for random.uniform
@param options? {replace: boolean, p: any}  replace: as for Generator:choice; p: as for Generator:choice
@return cuda.gpuarray.Array
@raise LogicError as Generator:choice
@options of p replace shape
= cuda.random.default()
Returns the generator that the functions of the module use. Initially it has an unpredictable seed.
@return cuda.random.Generator
= cuda.random.direction_vector_set field
PyCUDA's names for the kinds of direction vectors.
= cuda.random.exponential(shape, scale, dtype)
Exponentially distributed numbers from the module's generator: as Generator:exponential.
@param shape? integer|integer[]  as for random.uniform
@param scale? any  a number or an array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as Generator:exponential
@options dtype scale shape
= cuda.random.gamma(shape, k, scale, dtype)
Gamma-distributed numbers from the module's generator: as Generator:gamma.
@param shape? integer|integer[]  as for random.uniform
@param k any  a positive number or an array of these
@param scale? any  a number or an array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as Generator:gamma
@options dtype k scale shape
= cuda.random.generate_direction_vectors(count, set, seed)
Returns Joe and Kuo's direction numbers of Sobol sequences.
@param count integer  the number of dimensions, from 1 to 1111
@param set? string  a value of random.direction_vector_set; default VECTOR_32
@param seed? integer  the seed of scrambled sequences, default 0
@return cuda.ndarray.Array  uint32 or uint64: a row of 32 or 64 numbers for each dimension
@raise LogicError for other counts, sets and seeds
= cuda.random.generate_scramble_constants32(count, seed)
Returns the constants to which the numbers of scrambled sequences are added without carry: one for each dimension.
@param count integer  the number of dimensions, from 1 to 1111
@param seed? integer  the seed; default 0
@return cuda.ndarray.Array  uint32
@raise LogicError for other counts and seeds
= cuda.random.generate_scramble_constants64(count, seed)
Returns the constants to which the numbers of 64-bit scrambled sequences are added without carry: one for each
dimension.
@param count integer  the number of dimensions, from 1 to 1111
@param seed? integer  the seed; default 0
@return cuda.ndarray.Array  uint64
@raise LogicError for other counts and seeds
= cuda.random.integers(shape, low, high, dtype)
Random integers from low to high, both included, from the module's generator: as Generator:integers.
@param shape? integer|integer[]  as for random.uniform
@param low integer|ffi.cdata*  the smallest integer
@param high integer|ffi.cdata*  the largest integer
@param dtype? any  an integer type; default: int64
@return cuda.gpuarray.Array  a pending array
@raise LogicError as Generator:integers
@options dtype high low shape
= cuda.random.log_normal(shape, mean, sigma, dtype)
Log-normally distributed numbers from the module's generator: as Generator:log_normal.
@param shape? integer|integer[]  as for random.uniform
@param mean? any  the mean of the logarithms: a number or an array, default 0
@param sigma? any  the standard deviation of the logarithms: a number or an array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as Generator:log_normal
@options dtype mean shape sigma
= cuda.random.normal(shape, mean, sigma, dtype)
Normally distributed numbers from the module's generator: as Generator:normal.
@param shape? integer|integer[]  as for random.uniform
@param mean? any  a number or an array, default 0
@param sigma? any  a number or an array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as Generator:normal
@options dtype mean shape sigma
= cuda.random.permutation(x)
The positions 1 to n in random order, or the parts of an array along its first axis: as Generator:permutation.
@param x integer|cuda.gpuarray.Array  the number of positions, or an array
@return cuda.gpuarray.Array
@raise LogicError as Generator:permutation
@options x
= cuda.random.poisson(shape, mean, dtype)
Poisson-distributed numbers from the module's generator: as Generator:poisson.
@param shape? integer|integer[]  as for random.uniform
@param mean any  a non-negative number or an array of these
@param dtype? any  an integer type; default: int64
@return cuda.gpuarray.Array  a pending array
@raise LogicError as Generator:poisson
@options dtype mean shape
= cuda.random.rand(shape, dtype, stream)
Uniformly distributed numbers from the module's generator, as PyCUDA's rand: floats from 0 up to 1, which is
excluded, integers over their whole range.
@param shape integer|integer[]  as for gpuarray.empty
@param dtype? any              a floating-point type, or integers of 32 or 64 bits; default: dtype.default_float()
@param stream? cuda.Stream  computes the numbers now; default: the stream that first needs them
@return cuda.gpuarray.Array
@raise LogicError for other types and invalid shapes
= cuda.random.seed(seed)
Sets the seed of the generator that the functions of the module use.
@param seed? integer|ffi.cdata*  a non-negative integer; default: unpredictable
@raise LogicError if the seed is not a non-negative integer
@options seed
= cuda.random.seed_getter_uniform(n)
Returns equal seeds for generators, drawn from the module's generator.
@param n integer  the number of seeds
@return cuda.gpuarray.Array  int32
@raise LogicError if n is not a non-negative integer
= cuda.random.seed_getter_unique(n)
Returns different seeds for generators, drawn from the module's generator.
@param n integer  the number of seeds
@return cuda.gpuarray.Array  int32
@raise LogicError if n is not an integer from 0 to 2^32
= cuda.random.uniform(shape, low, high, dtype)
Uniformly distributed numbers from low up to high, which is excluded, from the module's generator: as
Generator:uniform.
@param shape? integer|integer[]  as for gpuarray.empty; default: the shape of the parameters
@param low? any  a number or an array, default 0
@param high? any  a number or an array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  a pending array
@raise LogicError as Generator:uniform
@options dtype high low shape
# docs/reductions.md
= cuda.gpuarray.Array:all(options) = cuda.gpuarray.all
= cuda.gpuarray.Array:any(options) = cuda.gpuarray.any
= cuda.gpuarray.Array:argmax(options) = cuda.gpuarray.argmax
= cuda.gpuarray.Array:argmin(options) = cuda.gpuarray.argmin
= cuda.gpuarray.Array:argpartition(kth, options) = cuda.gpuarray.argpartition
= cuda.gpuarray.Array:argsort(options) = cuda.gpuarray.argsort
= cuda.gpuarray.Array:count_nonzero(options) = cuda.gpuarray.count_nonzero
= cuda.gpuarray.Array:cummax(options) = cuda.gpuarray.cummax
= cuda.gpuarray.Array:cummin(options) = cuda.gpuarray.cummin
= cuda.gpuarray.Array:cumprod(options) = cuda.gpuarray.cumprod
= cuda.gpuarray.Array:cumsum(options) = cuda.gpuarray.cumsum
= cuda.gpuarray.Array:dot(b, options) = cuda.gpuarray.dot
= cuda.gpuarray.Array:logsumexp(options) = cuda.gpuarray.logsumexp
= cuda.gpuarray.Array:max(options) = cuda.gpuarray.max
= cuda.gpuarray.Array:mean(options) = cuda.gpuarray.mean
= cuda.gpuarray.Array:median(options) = cuda.gpuarray.median
= cuda.gpuarray.Array:min(options) = cuda.gpuarray.min
= cuda.gpuarray.Array:nanargmax(options) = cuda.gpuarray.nanargmax
= cuda.gpuarray.Array:nanargmin(options) = cuda.gpuarray.nanargmin
= cuda.gpuarray.Array:nancumsum(options) = cuda.gpuarray.nancumsum
= cuda.gpuarray.Array:nanmax(options) = cuda.gpuarray.nanmax
= cuda.gpuarray.Array:nanmean(options) = cuda.gpuarray.nanmean
= cuda.gpuarray.Array:nanmedian(options) = cuda.gpuarray.nanmedian
= cuda.gpuarray.Array:nanmin(options) = cuda.gpuarray.nanmin
= cuda.gpuarray.Array:nanpercentile(q, options) = cuda.gpuarray.nanpercentile
= cuda.gpuarray.Array:nanprod(options) = cuda.gpuarray.nanprod
= cuda.gpuarray.Array:nanquantile(q, options) = cuda.gpuarray.nanquantile
= cuda.gpuarray.Array:nanstd(options) = cuda.gpuarray.nanstd
= cuda.gpuarray.Array:nansum(options) = cuda.gpuarray.nansum
= cuda.gpuarray.Array:nanvar(options) = cuda.gpuarray.nanvar
= cuda.gpuarray.Array:norm(options) = cuda.gpuarray.norm
= cuda.gpuarray.Array:partition(kth, options) = cuda.gpuarray.partition
= cuda.gpuarray.Array:percentile(q, options) = cuda.gpuarray.percentile
= cuda.gpuarray.Array:prod(options) = cuda.gpuarray.prod
= cuda.gpuarray.Array:ptp(options) = cuda.gpuarray.ptp
= cuda.gpuarray.Array:quantile(q, options) = cuda.gpuarray.quantile
= cuda.gpuarray.Array:sort(options) = cuda.gpuarray.sort
= cuda.gpuarray.Array:std(options) = cuda.gpuarray.std
= cuda.gpuarray.Array:sum(options) = cuda.gpuarray.sum
= cuda.gpuarray.Array:topk(k, options) = cuda.gpuarray.topk
= cuda.gpuarray.Array:unique(options) = cuda.gpuarray.unique
= cuda.gpuarray.Array:var(options) = cuda.gpuarray.var
= cuda.gpuarray.Array:vdot(b, options) = cuda.gpuarray.vdot
= cuda.gpuarray.all(a, options)
Tests whether all elements are not 0; NaN counts as not 0. True for an array without elements.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array  of bool
@raise LogicError if an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.any(a, options)
Tests whether any element is not 0; NaN counts as not 0. False for an array without elements.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array  of bool
@raise LogicError if an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.argmax(a, options)
The position of the largest element, from 1, or of the first NaN. Of several equal elements, the first one counts.
Without an axis, positions count all elements in C order.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.argmin(a, options)
The position of the smallest element, from 1, or of the first NaN. Of several equal elements, the first one counts.
Without an axis, positions count all elements in C order.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.argpartition(a, kth, options)
Returns the positions of the elements that partition() selects, as NumPy's argpartition.
@call fun(a: any, kth: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array with at least one axis
@param kth integer|integer[]  as for partition
@param options? any  as for partition
@return cuda.gpuarray.Array  int64, positions on the axis from 1
@raise LogicError as gpuarray.partition
@options allocator axis out stream
= cuda.gpuarray.argsort(a, options)
Returns the positions that sort the array, as NumPy's argsort: `a:take_along_axis(a:argsort())` is sorted.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array with at least one axis
@param options? any  as for sort
@return cuda.gpuarray.Array  int64, positions on the axis from 1
@raise LogicError as sort
@options allocator axis descending out stream
= cuda.gpuarray.bincount(a, options)
Counts the integers from 1 to the largest element: element v of the result is the count of the number v. So it
counts positions and the results of argmin(), unique() and digitize(). Add 1 to numbers that begin with 0. The
program waits until the largest element is known.
@param a cuda.gpuarray.Array  a 1-D array of integers from 1
@param options? {weights: any, minlength: integer, stream: cuda.Stream, allocator: function}  weights: an array with a's shape, whose elements are summed instead of ones; minlength: the minimum number of elements of the result
@return cuda.gpuarray.Array  int64; with weights, float64
@raise LogicError if an element is less than 1, and if types or shapes do not fit
@options allocator minlength stream weights
= cuda.gpuarray.count_nonzero(a, options)
The number of elements that are not 0, as int64.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.cummax(a, options)
The cumulative maximum; NaN from the first NaN on.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to scan, of any shape
@param options? any  {axis, out, stream, allocator}. The axis can also come before this table. axis: an integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
@options allocator axis out stream
= cuda.gpuarray.cummin(a, options)
The cumulative minimum; NaN from the first NaN on.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to scan, of any shape
@param options? any  {axis, out, stream, allocator}. The axis can also come before this table. axis: an integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if the elements are complex, the axis is out of range, or out has another shape
@options allocator axis out stream
= cuda.gpuarray.cumprod(a, options)
The cumulative product, computed in the types of cumsum().
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to scan, of any shape
@param options? any  {axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
@options allocator axis dtype out stream
= cuda.gpuarray.cumsum(a, options)
The cumulative sum: integers are summed in 64 bits, float16 and bfloat16 as float32, each sum rounded once. The
order of the additions depends only on the shape, the axis and the dtype.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to scan, of any shape
@param options? any  {axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
@options allocator axis dtype out stream
= cuda.gpuarray.digitize(a, edges, options)
Finds the interval of each element between edges: 1 below the first edge, 2 from the first to the second one, and so
on, up to the number of edges plus 1 from the last edge on. bincount() counts the result. An element on an edge
counts as above it. NaN is greater than every edge.
@param a cuda.gpuarray.Array  an array of any shape
@param edges any  an ascending or descending list or array
@param options? {right: boolean, stream: cuda.Stream, allocator: function}  right: an element on an edge counts as below it
@return cuda.gpuarray.Array  int64, with a's shape
@raise LogicError if the edges are not sorted
@options allocator right stream
= cuda.gpuarray.dot(a, b, options)
The sum of the products of two vectors' elements, computed in one kernel: integers in 64 bits, float16 and bfloat16
as float32, rounded once. With a matrix, the product that matmul() computes.
@param a cuda.gpuarray.Array  a 1-D or 2-D array
@param b cuda.gpuarray.Array  a 1-D array of the same length; or a matrix
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: the dtype of the result; elements are converted to it first
@return cuda.gpuarray.Array  0-d for vectors
@raise LogicError if the shapes do not fit, the dtype is not supported, or out has another shape
@options allocator dtype out stream
= cuda.gpuarray.histogram(a, bins, options)
Counts the elements between edges, as NumPy's histogram. A bin includes its lower edge, and the last bin includes
both edges. Elements outside and NaNs are not counted. Without a range the program waits for the smallest and the
largest element.
@param a cuda.gpuarray.Array  an array of any shape
@param bins? any  the number of bins of equal width, default 10; or the edges, an ascending list or array with one more element
@param options? {range: number[], weights: any, density: boolean, stream: cuda.Stream, allocator: function} range: {low, high}, the range of the bins; default: from the smallest to the largest element; weights: an array with a's shape, whose elements are summed instead of ones; density: divide by the sum and the widths, so that the integral is 1
@return cuda.gpuarray.Array counts  int64; with weights or density, float64
@return cuda.gpuarray.Array edges  float32 for floats with at most 32 bits; otherwise, and if you pass a list of edges, float64
@raise LogicError if the range is not finite, if the edges descend, and if types or shapes do not fit
@options allocator bins density range stream weights
= cuda.gpuarray.histogram_bin_edges(a, bins, options)
Returns the edges that histogram() uses.
@param a cuda.gpuarray.Array  an array of any shape
@param bins? any  as for histogram
@param options? {range: number[], stream: cuda.Stream, allocator: function}  range: as for histogram
@return cuda.gpuarray.Array
@raise LogicError as histogram
@options allocator bins range stream
= cuda.gpuarray.logsumexp(a, options)
The logarithm of the sum of the exponentials of the elements, without intermediate overflow; -inf for an array
without elements.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if the elements are complex, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.max(a, options)
The largest element; NaN if an element is NaN.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.mean(a, options)
The mean of the elements; integers give the default float. NaN for an array without elements.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.median(a, options)
The median: the middle one of the sorted elements, or the mean of the two in the middle; NaN if an element is NaN.
Integers give the default float.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array of real numbers
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers; default: all axes
@return cuda.gpuarray.Array
@raise LogicError for an array without elements, and for complex numbers
@options allocator axis keepdims out stream
= cuda.gpuarray.min(a, options)
The smallest element; NaN if an element is NaN.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.nanargmax(a, options)
The position of the largest element that is not NaN, from 1; of several, the first one. 0 if all are NaN.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.nanargmin(a, options)
The position of the smallest element that is not NaN, from 1; of several, the first one. 0 if all are NaN.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.nancumsum(a, options)
The cumulative sum as cumsum() computes it, with NaN counted as 0.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to scan, of any shape
@param options? any  {axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an integer from 1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, the axis is out of range, or out has another shape
@options allocator axis dtype out stream
= cuda.gpuarray.nanmax(a, options)
The largest element that is not NaN; NaN if all are.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.nanmean(a, options)
The mean of the elements that are not NaN; NaN if all are.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.mean
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.mean
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.nanmedian(a, options)
The median of the elements that are not NaN, as NumPy's nanmedian. This is the middle one of the sorted elements, or
the mean of the two in the middle; NaN if all are NaN. Integers give the default float.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array of real numbers
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers; default: all axes
@return cuda.gpuarray.Array
@raise LogicError for complex numbers
@options allocator axis keepdims out stream
= cuda.gpuarray.nanmin(a, options)
The smallest element that is not NaN; NaN if all are.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims out stream
= cuda.gpuarray.nanpercentile(a, q, options)
As nanquantile, with q as a percentage from 0 to 100.
@call fun(a: any, q: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array of real numbers
@param q any  a percentage from 0 to 100: a number, a list or an array, as for quantile
@param options? any  as for quantile
@return cuda.gpuarray.Array
@raise LogicError as nanquantile
@options allocator axis keepdims method out stream
= cuda.gpuarray.nanprod(a, options)
The product of the elements as prod() computes it, with NaN counted as 1.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.prod
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.prod
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.nanquantile(a, q, options)
The q-quantiles of the elements that are not NaN, as NumPy's nanquantile; NaN if all are NaN.
@call fun(a: any, q: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array of real numbers
@param q any  a fraction from 0 to 1, as for quantile
@param options? any  as for quantile
@return cuda.gpuarray.Array
@raise LogicError for complex numbers, and for a q out of range
@options allocator axis keepdims method out stream
= cuda.gpuarray.nanstd(a, options)
The standard deviation of the elements that are not NaN: the square root of nanvar().
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for gpuarray.mean. ddof: as for var
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.var
@options allocator axis ddof dtype keepdims out stream
= cuda.gpuarray.nansum(a, options)
The sum of the elements as sum() computes it, with NaN counted as 0.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.sum
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.sum
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.nanvar(a, options)
The variance of the elements that are not NaN; NaN if at most ddof are left.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for gpuarray.mean. ddof: as for var
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.var
@options allocator axis ddof dtype keepdims out stream
= cuda.gpuarray.norm(a, options)
The norm of the elements as a vector: by default the square root of the sum of squares. Integers give the default
float; complex numbers give the norm of their absolute values.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, ord, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. ord: another norm: the ord-th root of the sum of the ord-th powers; 0: the number of elements that are not 0; math.huge: the greatest absolute value; -math.huge: the least. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if ord is not a number, an axis is out of range or appears twice, or out has another shape
@options allocator axis keepdims ord out stream
= cuda.gpuarray.partition(a, kth, options)
Partially sorts an array along an axis, as NumPy's partition. Each position in `kth` receives the element that sort()
puts there, with no greater element before it and no smaller one behind it. The order of the others is not
guaranteed. Currently they are sorted, which here takes no longer than a selection for several positions.
@call fun(a: any, kth: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array with at least one axis
@param kth integer|integer[]  positions on the axis, from 1; negative ones count from the end
@param options? any  as for sort, without descending
@return cuda.gpuarray.Array
@raise LogicError for positions out of range, and as sort
@options allocator axis out stream
= cuda.gpuarray.percentile(a, q, options)
As quantile, with q as a percentage from 0 to 100.
@call fun(a: any, q: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array of real numbers
@param q any  a percentage from 0 to 100: a number, a list or an array, as for quantile
@param options? any  as for quantile
@return cuda.gpuarray.Array
@raise LogicError as quantile
@options allocator axis keepdims method out stream
= cuda.gpuarray.prod(a, options)
The product of the elements, computed in the types of sum(). 1 for an array without elements.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.ptp(a, options)
The largest element minus the smallest one.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis, as for max
@return cuda.gpuarray.Array
@raise LogicError as max, and for bool, which does not support subtraction
@options allocator axis keepdims out stream
= cuda.gpuarray.quantile(a, q, options)
The q-quantiles of the elements, as NumPy's quantile; NaN if an element is NaN. Integers give the default float;
methods that select an element keep the dtype.
@call fun(a: any, q: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array of real numbers
@param q any  a fraction from 0 to 1; or a list or array of fractions, for which the result has an additional first axis
@param options? any  {axis, keepdims, method, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list; default: all axes. method: for positions between two elements: "linear" (default), "lower", "higher", "nearest" or "midpoint"
@return cuda.gpuarray.Array
@raise LogicError for an array without elements, for complex numbers, and for a q out of range
@options allocator axis keepdims method out stream
= cuda.gpuarray.sort(a, options)
Returns the elements sorted along an axis in ascending order, as NumPy's sort. The sort is stable: equal elements
keep their order, and -0 equals 0. NaN is greater than everything, so NaNs come last, or first with descending.
Complex numbers are sorted by their real parts, then by their imaginary parts. `a:sort { out = a }` sorts the array
itself.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array with at least one axis
@param options? any  {axis: integer, descending: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}. The axis can also come before this table. axis: the last one by default. descending: sort in descending order; default: false. out: an array that receives the result; it may be a
@return cuda.gpuarray.Array
@raise LogicError for a 0-d array, an axis out of range, elements of a struct type, and if out has another shape
@options allocator axis descending out stream
= cuda.gpuarray.std(a, options)
The standard deviation: the square root of the variance.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  as for var
@return cuda.gpuarray.Array
@raise LogicError as mean
@options allocator axis ddof dtype keepdims out stream
= cuda.gpuarray.subset_dot(subset, a, b, options)
PyCUDA's subset_dot: the sum of the products of the elements at the given positions.
@param subset any                as for gpuarray.subset_sum
@param a cuda.gpuarray.Array  the first array, of any shape
@param b cuda.gpuarray.Array  the second array, of any shape
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: as for dot
@return cuda.gpuarray.Array  0-d
@raise LogicError for positions out of range, and as gpuarray.dot
@options allocator dtype out stream
= cuda.gpuarray.subset_max(subset, a, options)
PyCUDA's subset_max: the largest element at the given positions.
@param subset any                as for gpuarray.subset_sum
@param a cuda.gpuarray.Array  the array, of any shape
@param options? any  as for gpuarray.max, applied to the array of selected elements
@return cuda.gpuarray.Array
@raise LogicError for positions out of range, and as gpuarray.max
@options allocator axis keepdims out stream
= cuda.gpuarray.subset_min(subset, a, options)
PyCUDA's subset_min: the smallest element at the given positions.
@param subset any                as for gpuarray.subset_sum
@param a cuda.gpuarray.Array  the array, of any shape
@param options? any  as for gpuarray.min, applied to the array of selected elements
@return cuda.gpuarray.Array
@raise LogicError for positions out of range, and as gpuarray.min
@options allocator axis keepdims out stream
= cuda.gpuarray.subset_sum(subset, a, options)
PyCUDA's subset_sum: the sum of the elements at the given positions.
@param subset any  an array of integers on the device or the host, or a list: positions in C order, from 1
@param a cuda.gpuarray.Array  the array, of any shape
@param options? any  as for gpuarray.sum, applied to the array of selected elements
@return cuda.gpuarray.Array
@raise LogicError for positions out of range, and as gpuarray.sum
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.sum(a, options)
The sum of the elements: integers are summed in 64 bits, float16 and bfloat16 as float32, rounded once. 0 for an
array without elements.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis: an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, an axis is out of range or appears twice, or out has another shape
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.topk(a, k, options)
Returns the k largest elements along an axis, the largest first, and their positions; of equal elements, the first
ones. NaN is greater than everything.
@call fun(a: any, k: any, axis: any, options: table): cuda.gpuarray.Array, cuda.gpuarray.Array
@param a cuda.gpuarray.Array  an array with at least one axis
@param k integer  the number of elements
@param options? any  {axis: integer, largest: boolean, stream: cuda.Stream, allocator: function}. The axis can also come before this table. axis: the last one by default. largest = false: return the k smallest elements, the smallest first
@return cuda.gpuarray.Array values
@return cuda.gpuarray.Array positions  int64, on the axis, from 1
@raise LogicError if the axis has fewer elements, and as sort
@options allocator axis k largest stream
= cuda.gpuarray.unique(a, options)
Returns the distinct elements of an array in ascending order, as NumPy's unique; all NaNs count as one element. The
requested additional results follow, in this order. The program waits for the number of elements.
@param a cuda.gpuarray.Array  an array of any shape, in C order
@param options? {index: boolean, inverse: boolean, counts: boolean, stream: cuda.Stream, allocator: function} index: return the position of the first occurrence of each element; inverse: return, for each element of a, its position in the result; counts: return the number of occurrences of each element
@return cuda.gpuarray.Array values  1-D
@return cuda.gpuarray.Array ...  int64, positions from 1; inverse has a's shape
@raise LogicError for elements of a struct type
@options allocator counts index inverse stream
= cuda.gpuarray.var(a, options)
The variance: the mean of the squared distances from the mean. Integers give the default float; 32-bit and 64-bit
integers have float64 intermediates.
@call fun(a: any, axis: any, options: table): cuda.gpuarray.Array
@param a cuda.gpuarray.Array  the array to reduce, of any shape
@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for mean. ddof: the sum of squares is divided by the number of elements minus ddof; default 0
@return cuda.gpuarray.Array
@raise LogicError as mean
@options allocator axis ddof dtype keepdims out stream
= cuda.gpuarray.vdot(a, b, options)
The dot product of all elements of two arrays in C order, with the complex conjugate of the first array.
@param a cuda.gpuarray.Array  the first array, of any shape
@param b cuda.gpuarray.Array  the second array, with as many elements
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: as for dot
@return cuda.gpuarray.Array  0-d
@raise LogicError if the numbers of elements differ, the dtype is not supported, or out has another shape
@options allocator dtype out stream
# docs/sharing.md
= cuda.io.load_safetensors(path, options)
Reads a safetensors file. The file is mapped into memory; its header is checked before any array is created. While
host arrays over the file are in use, other programs must not shorten the file.
@param path string  the file
@param options? {names: string[], device: boolean, stream: cuda.Stream, allocator: fun(bytes: integer): any} names: the tensors to read; default: all. device: false returns host arrays over the mapped file, whose elements are read when they are used; writing to them does not change the file; default: true. stream: as for gpuarray.to_gpu. allocator: as for gpuarray.to_gpu
@return table<string, cuda.gpuarray.Array|cuda.ndarray.Array> tensors  the arrays by name
@return table<string, string> metadata  the strings of `__metadata__`; {} if the file has none
@raise RuntimeError if the file cannot be opened; LogicError that names the file if it is damaged, has an unsupported dtype (F8 and smaller types), or does not contain a requested tensor; MemoryError
@options allocator device names stream
= cuda.io.save_safetensors(path, tensors, options)
Writes a safetensors file atomically: a reader sees the old file or the new one, and nothing is left if writing
fails. Arrays that are not in C order are copied.
@param path string  the file
@param tensors table<string, cuda.gpuarray.Array|cuda.ndarray.Array>  the arrays by name
@param options? {metadata: table<string, string>}  metadata: strings for `__metadata__`
@raise LogicError for names that are not UTF-8, for values that are not arrays, and for complex128 and structs; RuntimeError if the file cannot be written; errors of the kernels that compute a value
@options metadata
# docs/signals.md
= cuda.gpuarray.Array:convolve(v, options) = cuda.gpuarray.convolve
= cuda.gpuarray.Array:correlate(v, options) = cuda.gpuarray.correlate
= cuda.gpuarray.Array:gradient(options) = cuda.gpuarray.gradient
= cuda.gpuarray.Array:trapezoid(options) = cuda.gpuarray.trapezoid
= cuda.gpuarray.Array:unwrap(options) = cuda.gpuarray.unwrap
= cuda.gpuarray.convolve(a, v, options)
The convolution of two vectors, as NumPy's convolve: element k is the sum of a[i] * v[j] over all i + j = k + 1. The
sum runs over the elements of the shorter vector in ascending order, with one fused multiply-add each, and is rounded
as in matmul(). The result therefore has the same bits on every device. Integers and bool are summed in 64 bits, int8
in 32.
@param a cuda.gpuarray.Array  a 1-D array
@param v any  a 1-D array, a list, a host array or a number
@param options? {mode: string, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function} mode: "full" (default): all n + m - 1 positions where the vectors overlap; "same": as many elements as the longer vector has, from the middle; "valid": the positions where the shorter vector overlaps completely. dtype: as for matmul
@return cuda.gpuarray.Array  a 1-D array
@raise LogicError for arrays with more axes or without elements, for an unknown mode, if the dtypes are not supported, or if out has another shape
@options allocator dtype mode out stream
= cuda.gpuarray.correlate(a, v, options)
The cross-correlation of two vectors, as NumPy's correlate: element k of "full" is the sum of a[k + j - m] times the
conjugate of v[j], where m is the size of v. The sums are computed as in convolve().
@param a cuda.gpuarray.Array  a 1-D array
@param v any  as for convolve
@param options? any  as for convolve; mode: default "valid"
@return cuda.gpuarray.Array  a 1-D array
@raise LogicError as gpuarray.convolve
@options allocator dtype mode out stream
= cuda.gpuarray.gradient(f, options)
The derivatives of a function along axes, computed from its values at sample points, as NumPy's gradient. Inside, the
derivative is that of the parabola through a point and its two neighbours, at the ends that of the line through two
points. Integers become the default float, and 16-bit floats are computed as float32.
@param f cuda.gpuarray.Array  the values of the function
@param options? {spacing: any, axis: any, edge_order: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  spacing: the distance between two points, default 1; or the coordinates along an axis, as an array or a list; for several axes, a list with an entry for each. axis: an integer or a list of integers; default: all axes. edge_order: 2 uses the parabola through three points at the ends, too; default: 1. out: for a single axis only
@return cuda.gpuarray.Array ...  one for each axis, with f's shape
@raise LogicError if an axis has fewer than edge_order + 1 elements, the spacing does not fit, f is 0-d, or out has another shape
@options allocator axis edge_order out spacing stream
= cuda.gpuarray.trapezoid(y, options)
The integral by the trapezoidal rule, as NumPy's trapezoid: the sum of (y[i] + y[i + 1]) / 2 times the distance of
the two points. Integers become the default float, and 16-bit floats are computed as float32.
@param y cuda.gpuarray.Array  the values of the function
@param options? {x: any, dx: number, axis: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  x: the coordinates, one for each element of the axis, or an array with as many axes as y; dx: the distance between two points, default 1; axis: default the last one
@return cuda.gpuarray.Array  without that axis
@raise LogicError if x does not fit, y is 0-d, or out has another shape
@options allocator axis dx out stream x
= cuda.gpuarray.unwrap(p, options)
Removes jumps from angles along an axis, as NumPy's unwrap: adds whole periods so that no element is more than half a
period from its predecessor. Floats keep their dtype; integers become int64, or the default float if the period is
not an integer.
@param p cuda.gpuarray.Array  the angles, real numbers
@param options? {discont: number, axis: integer, period: number, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  period: default 2 pi. discont: jumps smaller than this stay; default, and the smallest value with an effect: half a period. axis: default the last one
@return cuda.gpuarray.Array  with p's shape
@raise LogicError for complex numbers, a 0-d array, a period that is not positive, or if out has another shape
@options allocator axis discont out period stream
# docs/softgpu.md
= cuda.softgpu module
Settings of the software CUDA device at run time: a log of driver calls, injected failures, the number of devices.
Every function raises a LogicError if another driver is in use.
= cuda.softgpu.Call class
@field serial integer  the number of the call
@field symbol string   "cuMemAlloc_v2"
@field result integer  the CUresult
@field text string  the context and the arguments
= cuda.softgpu.Run class
@field number integer  the position in the order of submission; the same for all nodes of a launched graph
@field name string     "launch", "copy", "fill", "host", "record", "wait", "free" ...
@field stream number  as returned by Stream:handle(); 1 and 2 are the default streams
@field node? integer  for a graph: the number of the node, from 0, in the order of adding
= cuda.softgpu.active()
Returns true if the software device is the driver in use.
@return boolean
= cuda.softgpu.calls()
Returns the calls logged since log("on") or log("clear"), oldest first.
@return cuda.softgpu.Call[]
= cuda.softgpu.check(what)
Sets which checks kernels run from now on, in addition to the bounds of their accesses; without an argument, returns
the setting. Existing memory counts as written. If a check finds something in a kernel, it ends with a LaunchError
whose detail names the kernel, source line, block, thread and memory.

   races          accesses of shared and global memory that nothing orders
   uninitialised  loads of memory that was never written
   barriers       __syncthreads() that not all threads come to at one place
   shuffles       values of lanes that do not take part, where they are used
   arrays         accesses of shared memory beyond the variable whose address they are made from
   leaks          memory of kernels' malloc and of the program that is there at the end, on stderr
@param what? table<string, boolean>|string  {races = true, leaks = true}: these and no others; or "all", "off", "races,leaks"
@return table<string, boolean> checks  by name
@raise LogicError for other names
@options leaks races
= cuda.softgpu.control(command)
Sends a command of the device's text protocol (docs/architecture.md lists them).
@param command string  the command
@return string reply
= cuda.softgpu.fail(symbol, nth, code)
Makes the nth next call of a driver function fail, once.
@param symbol string    "cuMemAlloc_v2"
@param nth? integer  counted from the next call; default 1
@param code? integer|string  a CUresult or its name without CUDA_ERROR_; default 999
= cuda.softgpu.fail_clear()
Cancels every failure that has not happened yet.
= cuda.softgpu.leaks()
@return string[]  one line for each object that is still alive
= cuda.softgpu.log(what)
Starts, stops or clears the log of driver calls.
@param what "on"|"off"|"clear"  "on" starts the log, "off" stops it, "clear" empties it
= cuda.softgpu.report(form)
Returns the report of the last fault, or "".
@param form? "text"|"json"  json: an object on one line, for tools; "" if the fault was not in a kernel
@return string
= cuda.softgpu.runs()
Returns the operations that have run since log("on") or log("clear"), in their order. calls() returns
the calls that submitted them.
@return cuda.softgpu.Run[]
= cuda.softgpu.schedule(what)
Sets how kernels run from now on. Keys that you omit keep their values.

   threads  how many run a kernel. "auto": as many as there are processors, where the blocks of the kernel are
            independent and there is enough to do; "auto:2": no more than two. A number: so many for every kernel,
            also where blocks depend on each other, so that results may come out in another order each time
   order    in which blocks begin: "forward", "reverse", "random:SEED"
   gang     threads of a block that execute together, 32 to 1024
   timeout  seconds until a kernel is stopped with LAUNCH_TIMEOUT; 0 or "off": none is
@param what? {threads?: integer|string, order?: string, gang?: integer, timeout?: number|string}  the settings to change
@return {threads: integer|string, order: string, gang: integer, timeout: number} schedule  the settings now
@raise LogicError for other keys and values
@options gang order threads timeout
= cuda.softgpu.set_device_count(n)
Sets the number of devices. Everything on the devices is dropped first; objects that you still hold behave as those
of a destroyed context.
@param n integer  from 1 to 8
= cuda.softgpu.stats()
@return table<string, number>  live_allocs, live_bytes, live_contexts, live_modules, stale, calls ...; spare_bytes: host memory that kernels keep for later launches
= cuda.softgpu.streams(mode)
Sets when work in streams runs from now on; without an argument, returns the setting.

   deferred     when the program waits for it, with what that depends on: what a program forgets to wait for
                is never done in time
   eager        in the call that submits it
   random:SEED  in any order that the streams, events and default streams of the program allow, some of it before
                anybody waits; each seed, 0 to 2147483647, stands for one order, which comes again with it
   background   on a thread of the device, in the order of submission, while the program does something else
@param mode? string  "deferred", "eager", "random:7", "background"
@return string mode
@raise LogicError for other modes
# docs/sparse.md
= cuda.sparse module
Sparse matrices: compressed rows and columns, products, iterative solvers.
= cuda.sparse.Matrix class
A sparse matrix, created by sparse.csr(), csc(), coo() and others. The positions of its elements do not change; you
can write to their values, `m.data:fill(0)`.
@field shape integer[]  the numbers of rows and columns; a new list, which prints as (2, 3)
@field dtype cuda.dtype.DType  the dtype of the values
@field nnz integer  the number of stored elements
@field format "csr"|"csc"|"coo"|"packed"  the storage format
@field base 0|1  the first position in the arrays of positions that the matrix returns
@field data cuda.gpuarray.Array  the values, as a 1-D array; writing to it changes the matrix. For packed: in its own order, with gaps that are not read
@field indices cuda.gpuarray.Array  csr: the columns of the elements, csc: the rows; a new array
@field indptr cuda.gpuarray.Array  csr: the start of each row in indices and data, csc: of each column; and the end
@field rows cuda.gpuarray.Array  coo: the rows of the elements, ascending; a new array
@field columns cuda.gpuarray.Array  coo: the columns of the elements; a new array
@field T cuda.sparse.Matrix         the transposed matrix
= cuda.sparse.Matrix:astype(dtype)
Returns the matrix with its values converted to another dtype.
@param dtype any  the new dtype, as for dtype.of
@return cuda.sparse.Matrix  a new matrix with its own values
@raise LogicError for dtypes that sparse matrices do not support
= cuda.sparse.Matrix:diagonal(k, options)
Returns the elements of a diagonal, with 0 for elements that are not stored.
@param k? integer  the diagonal: 0 (default) is the main diagonal, 1 above it, -1 below it
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  1-D
@raise LogicError if k is not an integer, and if out has another shape
@options allocator out stream
= cuda.sparse.Matrix:eliminate_zeros()
Returns the matrix without stored elements with the value 0. The program waits for their number.
@return cuda.sparse.Matrix  a new matrix with its own values
@raise LogicError inside a capture
= cuda.sparse.Matrix:matmul(x, options)
The product with a vector, a dense matrix or a sparse matrix. Every sum has the same order on every device, unless
linalg.backend selects cuSPARSE. float16 and bfloat16 are summed as float32, integers as int64.
@param x any  a 1-D or 2-D array, also a host array or a list; or a sparse matrix
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  out: an array that receives a dense result
@return any  an array; for two sparse matrices a sparse matrix: csr, or csc if both are csc
@raise LogicError if the shapes do not fit, if out has another shape, and for two sparse matrices inside a capture
@options allocator out stream
= cuda.sparse.Matrix:sum(options)
The sum of all elements, or of each column or row. Integers are summed as int64.
@call fun(self: any, axis: integer?, options: table): cuda.gpuarray.Array
@param options? any  {axis: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}. The axis can also come before this table. axis: 1: one sum for each column, 2: one for each row; default: the sum of all elements
@return cuda.gpuarray.Array  0-d, or 1-D
@raise LogicError for another axis, and if out has another shape
@options allocator axis out stream
= cuda.sparse.Matrix:to(format)
Returns the matrix in another format. If both formats have the elements in the same order, such as csr and coo, both
matrices share the memory of the values.
@param format "csr"|"csc"|"coo"|"packed"  the new format
@return cuda.sparse.Matrix  the matrix itself if it already has that format
@raise LogicError for other formats
= cuda.sparse.Matrix:todense(options)
Returns the matrix as a dense array.
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  out: an array that receives the result
@return cuda.gpuarray.Array
@raise LogicError if out has another shape, MemoryError
@options allocator out stream
= cuda.sparse.Matrix:transpose()
Returns the transposed matrix. For a csr matrix it is a csc matrix and vice versa, which shares the memory of the
values. A coo matrix is copied.
@return cuda.sparse.Matrix
= cuda.sparse.bicgstab(A, b, options)
Solves A x = b by the stabilized biconjugate gradient method, for any square matrix. Each step multiplies by A twice.
@param A any  as for cg
@param b any  a 1-D array, as for cg
@param options? {x0: any, rtol: number, atol: number, maxiter: integer, M: any, callback: function, check: integer, stream: cuda.Stream, allocator: function}  x0: as for cg; maxiter: as for cg; M: as for cg; callback: as for cg; check: as for cg
@return cuda.gpuarray.Array x
@return integer info  as cg
@return integer steps  as cg
@return number residual  as cg
@raise LogicError as cg
@options M allocator atol callback check maxiter rtol stream x0
= cuda.sparse.cg(A, b, options)
Solves A x = b by the conjugate gradient method, for a symmetric or Hermitian, positive definite matrix.
@param A any  a sparse matrix, an array with two axes, or a function that returns A v for a vector v
@param b any  a 1-D array, also a host array or a list
@param options? {x0: any, rtol: number, atol: number, maxiter: integer, M: any, callback: function, check: integer, stream: cuda.Stream, allocator: function}  x0: the initial vector; default 0. rtol: default 1e-5; the iteration ends when the norm of b - A x is at most rtol times the norm of b, or at most atol. atol: default 0. check: the number of steps between two tests of this; default 10. maxiter: the maximum number of steps; default 10 for each element of b. M: an approximate inverse of A: a matrix, a function, or "jacobi" for the inverse of A's diagonal. callback: called as callback(x, step) after each step; the next step changes x
@return cuda.gpuarray.Array x
@return integer info  0: solved; positive: the number of steps, which was not enough; negative: the method broke down, which was noticed at this step
@return integer steps  the number of steps that were made
@return number residual  the norm of b - A x, as the method updates it
@raise LogicError if shapes do not fit, and for 16-bit floats; LinAlgError for a 0 on the diagonal with "jacobi": its field `pivot` is the row
@options M allocator atol callback check maxiter rtol stream x0
= cuda.sparse.coo(x, options)
Creates a matrix that stores the row and the column of each element, in the order of rows. It computes as a csr
matrix does.
@param x any  {data =, rows =, columns =, shape =}, which may also have `base` (0 or 1, default 1: the first position) and `dtype`; or {shape =}, an array, nested lists or a sparse matrix, as for csr
@param options? {dtype: any, stream: cuda.Stream}  dtype: as for csr
@return cuda.sparse.Matrix
@raise LogicError as csr
@options dtype stream
= cuda.sparse.csc(x, options)
Creates a matrix in compressed sparse column format.
@param x any  as for csr; indices are the rows of the elements column by column, indptr is the start of each column
@param options? {dtype: any, stream: cuda.Stream}  dtype: as for csr
@return cuda.sparse.Matrix
@raise LogicError as csr
@options dtype stream
= cuda.sparse.csr(x, options)
Creates a matrix in compressed sparse row format. Duplicate elements are summed, in their order.
@param x any  {data =, indices =, indptr =, shape =}, with the columns of the elements row by row and the start of each row; {data =, rows =, columns =, shape =}; or {shape =} for a matrix without elements. Each may also have `base` (0 or 1, default 1: the first position) and `dtype`. Or a dense array, also a host array or nested lists; or a sparse matrix
@param options? {dtype: any, stream: cuda.Stream}  dtype: the dtype of the values if x is dense or sparse
@return cuda.sparse.Matrix  with new values, unless x is a sparse matrix with its elements in this order
@raise LogicError for positions out of range, lengths that do not match, and inside a capture
@options dtype stream
= cuda.sparse.diags(diagonals, offsets, options)
Creates a matrix with the given diagonals: `sparse.diags({{1, 2}, {4, 5, 6}}, {1, 0})`.
@param diagonals any[]  lists, 1-D arrays, or numbers for diagonals with a single value
@param offsets? integer[]  the position of each diagonal: 0 is the main diagonal, 1 above it, -1 below it; default for one diagonal: 0
@param options? {shape: integer[], dtype: any, format: "csr"|"csc"|"coo"|"packed", stream: cuda.Stream}  shape: default: the square matrix that the first diagonal fits; dtype: as for csr; format: default csr
@return cuda.sparse.Matrix
@raise LogicError for lengths that do not fit the shape, and if an offset appears twice
@options dtype format="csr"|"csc"|"coo"|"packed" shape stream
= cuda.sparse.eye(n, m, k, options)
Creates a matrix with ones on a diagonal.
@param n integer  the number of rows
@param m? integer  the number of columns; default: n
@param k? integer  the diagonal: 0 (default) is the main diagonal, 1 above it, -1 below it
@param options? {dtype: any, format: "csr"|"csc"|"coo"|"packed", stream: cuda.Stream}  dtype: as for csr; format: default csr
@return cuda.sparse.Matrix
@raise LogicError for other numbers
@options dtype format="csr"|"csc"|"coo"|"packed" stream
= cuda.sparse.from_dense(x, options)
Creates a sparse matrix of the elements of a dense array that are not 0. The program waits for their number.
@param x any  an array with two axes, also a host array or nested lists
@param options? {dtype: any, format: "csr"|"csc"|"coo"|"packed", stream: cuda.Stream}  dtype: as for csr; format: default csr
@return cuda.sparse.Matrix
@raise LogicError if x does not have two axes, and inside a capture
@options dtype format="csr"|"csc"|"coo"|"packed" stream
= cuda.sparse.gmres(A, b, options)
Solves A x = b by the generalized minimal residual method, for any square matrix. It restarts after `restart` steps,
and tests the residual at each restart.
@param A any  as for cg
@param b any  a 1-D array, as for cg
@param options? {x0: any, rtol: number, atol: number, maxiter: integer, restart: integer, M: any, callback: function, stream: cuda.Stream, allocator: function}  x0: as for cg; maxiter: as for cg, counted inside restarts, too; restart: default 20; as many vectors are kept; M: as for cg, applied on the right, so that the residual is that of the system; callback: called as callback(x, step) after each restart
@return cuda.gpuarray.Array x
@return integer info  as for cg; maxiter and info count the steps inside restarts
@return integer steps  as for cg, counted inside restarts, too
@return number residual  the norm of b - A x
@raise LogicError as cg
@options M allocator atol callback maxiter restart rtol stream x0
= cuda.sparse.jacobi(A, b, options)
Solves A x = b by the Jacobi iteration, x + omega (b - A x) / diagonal: for diagonally dominant matrices, and as a
smoother.
@param A any  a sparse matrix or an array with two axes
@param b any  a 1-D array, as for cg
@param options? {x0: any, rtol: number, atol: number, maxiter: integer, omega: number, callback: function, check: integer, stream: cuda.Stream, allocator: function}  x0: as for cg; maxiter: as for cg; omega: the weight of a step, default 1; callback: as for cg; check: as for cg
@return cuda.gpuarray.Array x
@return integer info  as cg
@return integer steps  as cg
@return number residual  as cg
@raise LogicError as cg, and if A is a function
@options allocator atol callback check maxiter omega rtol stream x0
= cuda.sparse.packed(x, options)
Creates a matrix in packets of rows that read their part of a vector through shared memory: PyCUDA's PacketedSpMV.
Use it for many products with vectors, if neighbouring rows share columns, as in matrices of grids. Creating the
packets on the host takes some time. For operations other than products with a vector it is converted to csr each
time.
@param x any  as for csr
@param options? {dtype: any, stream: cuda.Stream}  dtype: as for csr
@return cuda.sparse.Matrix
@raise LogicError as csr
@options dtype stream
# docs/streams.md
= cuda.Event class
An event marks a point in a stream. You can wait for it, query it, and measure the time between two events.
@call fun(flags?: integer|string|(integer|string)[]|{flags: any}): cuda.Event  flags of cuda.event_flags: "blocking_sync", "disable_timing" (cheaper), "interprocess" (requires "disable_timing")
= cuda.Event.from_ipc_handle(handle)
cuIpcOpenEventHandle: opens an event that another process created with {"interprocess", "disable_timing"}, in the
current context, which must be on the same device. Streams of other devices can wait for it.
@param handle string  the 64 bytes that Event:ipc_handle() returned in the other process
@return cuda.Event  closing it does not affect the other process's event
@raise LogicError for another length, and in the process that created the event
= cuda.Event:close()
cuEventDestroy: destroys the event now, without waiting.
@raise LogicError if it was already closed
= cuda.Event:context()
Returns its context, the only one whose streams can record the event.
@return cuda.Context  the context that the event was created in
= cuda.Event:handle()
The driver's handle.
@return number  the CUevent as a number, for other libraries
= cuda.Event:ipc_handle()
cuIpcGetEventHandle.
@return string  64 bytes, for cuda.Event.from_ipc_handle() in another process
@raise LogicError if it was not created with {"interprocess", "disable_timing"}
= cuda.Event:query()
cuEventQuery: returns true if the recorded work is done. Does not wait. True if the event was never recorded.
@return boolean
@raise errors of kernels
= cuda.Event:record(stream)
cuEventRecord: records the event after the work that is in the stream now. Replaces an earlier recording.
@param stream? cuda.Stream  default: the current stream
@return cuda.Event self
@raise LogicError for a stream of another context, and while the event is recorded in another capture
= cuda.Event:synchronize()
cuEventSynchronize: waits for the recorded work. Returns at once if the event was never recorded.
@return cuda.Event self
@raise errors of kernels
= cuda.Event:time_since(event)
cuEventElapsedTime from a start event to this event.
@param event cuda.Event  the start
@return number  milliseconds, with a resolution of about half a microsecond; negative if this event came first
@raise RuntimeError (600) until the work of both is done; LogicError (400) if an event was never recorded or was created with "disable_timing"
= cuda.Event:time_till(event)
cuEventElapsedTime from this event to an end event.
@param event cuda.Event  the end
@return number  milliseconds, as for time_since()
@raise as time_since()
= cuda.Stream class
A queue of work on the device. Work in a stream runs in order; different streams run concurrently. If you drop a
stream with pending work, that work is still done, and dropping does not wait for it.
@call fun(options?: integer|string|(integer|string)[]|{flags: any, priority: integer}): cuda.Stream  flags of cuda.stream_flags ("non_blocking": does not wait for the legacy stream), or a table of options
@options flags priority
= cuda.Stream.priority_range()
cuCtxGetStreamPriorityRange of the current context. A lower number means a higher priority. Priorities outside the
range are clamped to it.
@return integer least     0 on all GPUs so far
@return integer greatest  for example -5
@raise LogicError (201) without a current context
= cuda.Stream:close()
cuStreamDestroy: destroys the stream now. Its pending work still runs; the call does not wait for it.
@raise LogicError if it was already closed, and for the default streams
= cuda.Stream:context()
Returns the context that the stream was created in; for the default streams, the current context.
@return cuda.Context
@raise LogicError (201) for a default stream without a current context
= cuda.Stream:flags()
Returns the flags that the stream was created with.
@return integer  cuda.stream_flags: 0, or NON_BLOCKING
@raise LogicError for a closed stream
= cuda.Stream:handle()
The driver's handle.
@return number  the CUstream as a number, for other libraries and cuda.wrap_stream(); 1 and 2 are the default streams
= cuda.Stream:is_done()
cuStreamQuery: returns true if all its work is done. Does not wait.
@return boolean
@raise errors of kernels; LogicError while the stream is being captured
= cuda.Stream:on_complete(fn)
cuLaunchHostFunc: calls fn() after all work that is in the stream now. The next call of cuda.poll(),
Stream:synchronize() or Event:synchronize() after that work calls it, never the driver's own thread. Behind a kernel
that failed it is never called: it is released when a call raises the fault, or when the context is destroyed. Then
cuda.poll() raises the fault once.
@param fn fun()  the function to call
@return cuda.Stream self
@raise LogicError while the stream is being captured
= cuda.Stream:priority()
cuStreamGetPriority.
@return integer  clamped to Stream.priority_range()
@raise LogicError for a closed stream; for the legacy stream, while a blocking stream is being captured
= cuda.Stream:synchronize()
cuStreamSynchronize: waits for all work in the stream. Then calls the functions passed to on_complete().
@return cuda.Stream self
@raise errors of kernels; LogicError while the stream is being captured
= cuda.Stream:use(fn, ...)
Calls fn(...) with this as the current stream, so kernels, copies and other operations without a stream argument run
in it. You can nest calls; the previous stream becomes current again, even if fn raises an error. fn cannot yield to
a coroutine outside. Before use() returns, it computes the pending array expressions that fn created: those that fn
returns, and those that no other expression uses.
@param fn function  the function to call
@param ... any  the arguments of fn
@return any ...  the results of fn
@raise errors of fn
= cuda.Stream:wait_for_event(event)
cuStreamWaitEvent: makes later work of this stream wait on the device for the event, as it was last recorded. The
event may be on another device. If the event was recorded in a stream that is being captured, this stream joins the
capture; join it again before the capture ends.
@param event cuda.Event  the event to wait for
@return cuda.Stream self
@raise LogicError for a mix of captured and not captured work
= cuda.completion_fd()
Returns a file descriptor for an event loop. It is readable while functions passed to Stream:on_complete(), or to
host nodes of graphs, are ready; the loop then calls cuda.poll(). Each Lua state has its own descriptor. The loop
must not read, write or close it; it is closed with the state, and programs that the loop starts do not inherit it.
Behind a failed kernel the driver calls no function, and the descriptor does not become readable. So set a time limit
for the wait, and then call Stream:is_done(), which raises the error. If another call has raised it, the descriptor
is readable and poll() raises.
@return integer fd  the same in each call
@raise RuntimeError after a fork, or if the process has run out of descriptors
= cuda.current_stream()
Returns the stream of operations without a stream argument: that of the innermost Stream:use(), Stream:capture() or
Stream:begin_capture(), otherwise the legacy stream.
@return cuda.Stream
= cuda.legacy_stream field
CU_STREAM_LEGACY: the default stream. It waits for all streams except "non_blocking" ones, and they wait for it.
= cuda.per_thread_stream field
CU_STREAM_PER_THREAD: each thread's own default stream. It waits for the legacy stream, and the legacy stream waits
for it.
= cuda.poll()
Calls the functions passed to Stream:on_complete() whose work is done, and releases buffers of completed copies. Does
not wait.
@return integer  the number of functions called
@raise their errors; the remaining functions are called by the next poll() or synchronize(). LaunchError, once, if functions are not called because a kernel before them failed
= cuda.wrap_stream(handle)
cuStreamGetCtx, cuStreamGetFlags: returns a Stream for a CUstream that other code in this process owns. close()
releases it without destroying the CUstream. The other code has to keep it alive. An invalid handle may crash the
driver.
@param handle integer|ffi.cdata*  the CUstream as a number; 0 and 1 are the legacy stream, 2 the per-thread one
@return cuda.Stream
@raise LogicError for a value that cannot be a handle
# docs/textures.md
= cuda.DynamicModule:get_surfref(name)
Returns a surface reference of one of the sources.
@param name string  the name of the variable
@return cuda.SurfaceReference  the same object each time
@raise LogicError (500) if the module does not have this surface, and before link().
= cuda.DynamicModule:get_texref(name)
Returns a texture reference of one of the sources.
@param name string  the name of the variable
@return cuda.TextureReference  the same object each time
@raise LogicError (500) if the module does not have this texture, and before link().
= cuda.Function:param_set_texref(reference)
Makes later launches read a texture reference of the kernel's module. All launches of its kernels do so anyway, so
this only checks that it is one.
@param reference cuda.TextureReference  a reference that mod:get_texref() returned
@raise LogicError if it belongs to another module, or is not a texture reference
= cuda.MipmappedArray class
An array with smaller arrays, its levels, each with half the extents of the previous one, for textures that are read
at several sizes. `cuda.MipmappedArray(descriptor, levels)` allocates one with undefined contents. `levels` is
limited to what the extents allow, down to one texel; default: all levels. Raises a LogicError as Array does.
@call fun(descriptor: cuda.ArrayDescriptor3D, levels?: integer): cuda.MipmappedArray
= cuda.MipmappedArray:close()
As free().
@raise LogicError if it was already freed
= cuda.MipmappedArray:free()
cuMipmappedArrayDestroy: waits for running work. You can no longer use its levels, and textures of it.
@raise LogicError if it was already freed
= cuda.MipmappedArray:get_descriptor_3d()
Returns the descriptor that it was created from.
@return cuda.ArrayDescriptor3D  of level 0
@raise LogicError after free()
= cuda.MipmappedArray:handle()
The driver's handle.
@return number  the CUmipmappedArray as a number, for other libraries
@raise LogicError after free()
= cuda.MipmappedArray:level(level)
Returns one of its levels: an array that you can copy to and from, and bind to a texture or a surface. The level
keeps the mipmapped array alive and does not own memory: freeing it has no effect.
@param level integer  the level; 0 is the largest
@return cuda.Array  the same object each time
@raise LogicError if the level does not exist, and after free()
= cuda.MipmappedArray:levels()
@return integer  the number of levels
@raise LogicError after free()
= cuda.Module:get_surfref(name)
Returns a surface that the module's kernels access by name: `surface<void, 2> s;` in the source, or a `__device__
cudaSurfaceObject_t s`.
@param name string  the name of the variable
@return cuda.SurfaceReference  the same object each time
@raise LogicError (500) if the module does not have this surface
= cuda.Module:get_texref(name)
Returns a texture that the module's kernels access by name: `texture<float, 2> t;` in the source, or a `__device__
cudaTextureObject_t t`.
@param name string  the name of the variable
@return cuda.TextureReference  the same object each time
@raise LogicError (500) if the module does not have this texture
= cuda.SourceModule:get_surfref(name)
Returns a surface reference of the source, `surface<void, 2> s;`.
@param name string  the name of the variable
@return cuda.SurfaceReference  the same object each time
@raise LogicError (500) if the module does not have this surface
= cuda.SourceModule:get_texref(name)
Returns a texture reference of the source, `texture<float, 2> t;`.
@param name string  the name of the variable
@return cuda.TextureReference  the same object each time
@raise LogicError (500) if the module does not have this texture
= cuda.SurfaceObject class
A surface, which kernels receive as a cudaSurfaceObject_t to read and write the texels of an array created with the
flag "surface_ldst": `cuda.SurfaceObject{ array = a }`. It keeps the array alive. Raises a LogicError for other
arrays.
@call fun(options: {array: cuda.Array}): cuda.SurfaceObject
@options array
= cuda.SurfaceObject:close()
cuSurfObjectDestroy, after all work of the context, as kernels may still use it.
@raise LogicError if it was already closed, and while a stream of its context is being captured
= cuda.SurfaceObject:handle()
Returns the driver's handle, for structs and tables on the device. A kernel that receives the handle this way does
not keep the surface alive.
@return number  the cudaSurfaceObject_t as a number
@raise LogicError if it was closed, or its array was freed
= cuda.SurfaceReference class
A surface that kernels access by the name of a variable. `mod:get_surfref(name)` returns it.
@call fun(): cuda.SurfaceReference  a reference that does not belong to a module
= cuda.SurfaceReference:get_array()
@return cuda.Array? array  the bound array; nil: none
= cuda.SurfaceReference:set_array(array, flags)
Binds the surface to an array, which it keeps alive.
@param array cuda.Array  an array created with the flag "surface_ldst"
@param flags? integer  must be 0
@raise LogicError for other arrays
= cuda.TextureObject class
A texture, which kernels receive as a cudaTextureObject_t: `cuda.TextureObject{ array = a, filter = "linear" }`. It
keeps its memory alive. Raises a LogicError for options that contradict each other, for unaligned memory, and for
freed memory.
@call fun(options: cuda.TextureOptions): cuda.TextureObject
@options address="clamp"|"border"|"wrap"|"mirror" array border="border" filter="point"|"linear"|"point" format="float" height linear max_anisotropy mip_bias mip_clamp mip_filter="point"|"linear" mipmap normalized num_channels pitch pitch2d read="element"|"normalized"|"normalized" seamless srgb trilinear view width
= cuda.TextureObject:close()
cuTexObjectDestroy, after all work of the context, as kernels may still read through it.
@raise LogicError if it was already closed, and while a stream of its context is being captured
= cuda.TextureObject:handle()
Returns the driver's handle, for structs and tables on the device. A kernel that receives the handle this way does
not keep the texture alive.
@return number  the cudaTextureObject_t as a number
@raise LogicError if it was closed, or if the memory that it reads was freed
= cuda.TextureOptions class
@field array? cuda.Array  what it reads: a CUDA array
@field mipmap? cuda.MipmappedArray  or a mipmapped array
@field linear? any  or linear memory, indexed by element: a gpuarray, device memory, {ptr =, bytes =}
@field pitch2d? any  or rows in memory: a gpuarray with two axes (or three, the last one for channels), device memory, {ptr =, bytes =}
@field format? integer|string  for memory: a value of cuda.array_format, "float"; a gpuarray has its own format
@field num_channels? integer  for memory: the number of channels, 1, 2 or 4; default 1
@field width? integer  for pitch2d: texels in each row
@field height? integer  for pitch2d: the number of rows
@field pitch? integer  for pitch2d: bytes from one row to the next; default: contiguous rows
@field filter? "point"|"linear"  the result between texels; default "point"
@field address? string|string[]  reads outside the array: "clamp" (default), "border", and with normalized coordinates "wrap" and "mirror"; one for all axes, or a list {x, y, z}
@field border? number|number[]  the value of "border", a number for all channels or a list; default 0
@field normalized? boolean  true: coordinates from 0 to 1; default: coordinates in texels
@field read? "element"|"normalized"  "normalized": read 8-bit and 16-bit integers as floats from 0 to 1, or -1 to 1 if signed
@field srgb? boolean  true: decode sRGB values of 8-bit channels, except alpha
@field max_anisotropy? integer  the maximum anisotropy, from 1 to 16
@field mip_filter? "point"|"linear"  the filter between levels
@field mip_bias? number  a number that is added to the level
@field mip_clamp? number[]  {lowest, highest}, the range of levels that are read
@field seamless? boolean  true: filter across the edges of a cube map's faces
@field trilinear? boolean  false: do not optimise trilinear filtering
@field view? cuda.TextureView  a view of the array with another format, or with a part of its levels and layers
= cuda.TextureReference class
A texture that kernels access by the name of a variable. `mod:get_texref(name)` returns it. Its methods set the
memory and how it is read, from the next launch of one of the module's kernels on. PyCUDA's TextureReference.
@call fun(): cuda.TextureReference  a reference that does not belong to a module
= cuda.TextureReference:get_address()
@return any? memory  the argument of set_address() or set_address_2d(); nil: none
= cuda.TextureReference:get_address_mode(dim)
@param dim integer  0 for x, 1 for y, 2 for z
@return integer mode  a value of cuda.address_mode
@raise LogicError for another dim
= cuda.TextureReference:get_array()
@return cuda.Array? array  the bound array; nil: none
= cuda.TextureReference:get_filter_mode()
@return integer mode  a value of cuda.filter_mode
= cuda.TextureReference:get_flags()
@return integer flags  the sum of cuda.TRSF_READ_AS_INTEGER ...
= cuda.TextureReference:get_format()
@return integer format  a value of cuda.array_format
@return integer num_components
= cuda.TextureReference:set_address(memory, bytes, allow_offset)
Binds the texture to linear memory, which kernels read by number: tex1Dfetch(t, i). Textures begin at multiples of
the device's texture_alignment. For another address the texture begins at the preceding multiple, and kernels add the
offset.
@param memory any  device memory, which it keeps alive, or an address
@param bytes integer  the size in bytes
@param allow_offset? boolean  true: accept any address
@return integer offset  bytes from the start of the texture to the address
@raise LogicError if the offset is not 0 and not allowed, or the memory is smaller
= cuda.TextureReference:set_address_2d(memory, descriptor, pitch)
Binds the texture to rows in device memory.
@param memory any  device memory, which it keeps alive, or an address; a multiple of texture_alignment
@param descriptor cuda.ArrayDescriptor  width, height, format, num_channels
@param pitch integer  bytes from one row to the next, a multiple of texture_pitch_alignment
@raise LogicError for other addresses and pitches, and if the rows exceed the memory
= cuda.TextureReference:set_address_mode(dim, mode)
Sets how reads outside the array are handled.
@param dim integer          0 for x, 1 for y, 2 for z
@param mode integer|string  a value of cuda.address_mode; wrap and mirror require normalized coordinates
@raise LogicError for other values
= cuda.TextureReference:set_array(array)
Binds the texture to an array, which it keeps alive.
@param array cuda.Array  the array to read
@raise LogicError if array is not an array, was freed, or has other dimensions than the source declares
= cuda.TextureReference:set_filter_mode(mode)
Sets how reads between texels are handled.
@param mode integer|string  a value of cuda.filter_mode; linear requires texels that are read as floats
@raise LogicError for other values
= cuda.TextureReference:set_flags(flags)
Sets how coordinates and integers are interpreted.
@param flags integer  the sum of cuda.TRSF_READ_AS_INTEGER, TRSF_NORMALIZED_COORDINATES ...; initially TRSF_READ_AS_INTEGER if the source declares integers that are read as integers, otherwise 0
@raise LogicError for other bits
= cuda.TextureReference:set_format(format, num_components)
Sets the element format of linear memory; for an array it must be the array's format.
@param format integer|string  a value of cuda.array_format
@param num_components integer  1, 2 or 4
@raise LogicError for other values, and for another format than the bound array's
= cuda.bind_array_to_texref(array, reference)
Binds a texture to an array, with clamped addresses and point filtering. PyCUDA's bind_array_to_texref.
@param array cuda.Array  the array to read
@param reference cuda.TextureReference  the texture to bind
@raise LogicError as TextureReference:set_array
= cuda.gpuarray_to_array(ary, order, opts)
Returns a 1D, 2D or 3D CUDA array with the elements of an array on the device, copied in the current stream. The
device array is computed and keeps its memory, as with `gpudata`.
@param ary cuda.gpuarray.Array  an array with 1 to 3 axes
@param order? "C"|"F"  C (default): the last axis is x; F: the first axis is x
@param opts? {allow_surface_bind: boolean?, allow_double_hack: boolean?}  allow_surface_bind: make the array usable for surfaces, too; allow_double_hack: store float64 and complex128 as int32 channels, two for each double; default true
@return cuda.Array
@raise LogicError for another rank or dtype, and if the memory was released
@options allow_double_hack allow_surface_bind
= cuda.matrix_to_texref(matrix, reference, order)
Binds a texture to a new CUDA array with the elements of an array with two axes. PyCUDA's matrix_to_texref.
@param matrix cuda.ndarray.Array|cuda.gpuarray.Array  an array with two axes
@param reference cuda.TextureReference  the texture to bind
@param order "C"|"F"  C: tex2D(x, y) is matrix[y][x]; F: it is matrix[x][y] (0-based)
@raise LogicError as matrix_to_array and TextureReference:set_array
# docs/traps.md
= cuda.Error class
@field class string  the name of the class: "LogicError", ...
@field message string  the message, one sentence
@field code integer?  the CUresult, if the driver reported the error
@field name string?          "CUDA_ERROR_INVALID_VALUE"
@field call string?  the driver function that reported it
@field kernel string?  the kernel: the launched one, the one that failed, or if that is not known the one that was launched last
@field arg integer?  the number of the rejected kernel argument, from 1
@field param string?  the declaration of its parameter: "int n"
@field detail string?  the driver's own explanation
@field hint string?          what to do next
@field log string?  the log of the compiler or the JIT
@field source string?  the source that did not compile
@field excerpt string?  the lines of the source around the first error, or around a kernel's fault on the software device, with a mark
@field sticky boolean?  true: every later call on the device fails, and the process must restart
@field requested number?  MemoryError: requested bytes
@field free number?  MemoryError: free bytes on the device
@field total number?  MemoryError: bytes of device memory
@field live number?  MemoryError: bytes of device memory in use by objects of this program
@field pooled number?  MemoryError: bytes that pools hold for later use
@field queued number?  MemoryError: bytes that were collected and are not freed yet
@field rank integer?  cuda.distributed: the rank that failed, or that refused the call
@field matrix integer[]?  LinAlgError: the position of the first matrix that failed, in a batch
@field pivot integer?  LinAlgError: the number of its pivot that is 0, or the order of its leading minor that is not positive; nil without convergence
@field matrices {matrix: integer[]?, pivot: integer?}[]?  LinAlgError: all matrices that failed
@field expression string[]?  for arrays: the computed operations, with the lines that wrote them
@field where string?         "script.lua:12", the caller's line
@field traceback string  the stack at the time of the error
= cuda.Error:is(class)
Returns true if the error has this class or one of its subclasses.
@param class table|string  a class, such as cuda.MemoryError, or its name
@return boolean
= cuda.has(name)
Returns true if a name exists. Using an unknown name is an error.
@param name string  a name relative to `cuda`, of a module, a class or a function: "gpuarray", "gpuarray.sort", "Stream:use"
@return boolean
@raise LogicError if name is not a string
= cuda.is_error(value, class)
Returns true if `value` is an error of this library, and of the given class. Accepts anything that pcall returns.
@param value any  any value
@param class? table|string  a class, such as cuda.MemoryError, or its name
@return boolean
= cuda.result field
The driver's error codes by name, without CUDA_ERROR_: `err.code == cuda.result.OUT_OF_MEMORY`.
= cuda.set_debugging(on)
Turns debugging on or off. It waits for each kernel after its launch, so that the call that launched a failing kernel
raises the error, and not a later one. It also compiles for the debugger (-G -lineinfo), without the cache, and keeps
the compiler's files. CUDALUA_LAUNCH_BLOCKING=1 turns on the waiting alone from the start. Kernels that are added to
a graph are not waited for.
@param on boolean  the new setting
@return boolean before  true if launches were waited for before
]==]
