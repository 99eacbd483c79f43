-- Written by ./dev generate from the annotations: what help() says of each name (help/entries.lua).
return [==[
# docs/arrays.md
= cuda.BindOptions class
@field channels? integer            as many elements are one texel; default 1
@field allow_double_hack? boolean   float64 as two channels of 32 bits, for fp_tex1Dfetch() of pycuda-helpers.hpp
@field allow_complex_hack? boolean  complex64 as two, complex128 as four channels of 32 bits
@field allow_offset? boolean        the array may begin anywhere, and kernels add what is returned
= cuda.gpuarray module
Arrays in device memory.
= cuda.gpuarray.Array class
An array in device memory, of any number of axes. Axes and positions count from 1, negative ones from the end.
`a + b` writes an operation down; it is computed, with all others of the expression in one kernel, when the value is
needed. `a[i]` reads an element of a 1-D array, `a[{...}]` is a part of an array, as a view, or where arrays of
positions and masks are in the list, a new array of these elements; assigning to it writes.
`a < b` and `#a` cannot be had in Lua: `a:lt(b)`, `a:len()`.
@field shape integer[]    extents; a fresh list, which prints as (2, 3) and equals the shape of other arrays of these extents
@field strides integer[]  bytes from one element to the next on each axis; a fresh list, as shape
@field dtype cuda.dtype.DType
@field size integer       number of elements
@field nbytes integer     size * dtype.itemsize
@field itemsize integer   dtype.itemsize
@field ndim integer       number of axes
@field flags {c_contiguous: boolean, f_contiguous: boolean, forc: boolean}
@field T cuda.gpuarray.Array  view with the axes reversed
@field ptr integer        address of the first element; reading it computes the array, and all pending work on it
@field gpudata userdata   memory from the first element on, for functions that take memory; nil without elements
@field mem_size integer   number of elements, as PyCUDA calls it
= cuda.gpuarray.Array:abs(options) = cuda.gpuarray.abs
= cuda.gpuarray.Array:acos(options) = cuda.gpuarray.acos
= cuda.gpuarray.Array:acosh(options) = cuda.gpuarray.acosh
= cuda.gpuarray.Array:add(b, options) = cuda.gpuarray.add
= cuda.gpuarray.Array:addmm(a, b, options) = cuda.gpuarray.addmm
= cuda.gpuarray.Array:all(options) = cuda.gpuarray.all
= cuda.gpuarray.Array:allclose(b, options) = cuda.gpuarray.allclose
= cuda.gpuarray.Array:angle(options) = cuda.gpuarray.angle
= cuda.gpuarray.Array:any(options) = cuda.gpuarray.any
= cuda.gpuarray.Array:argmax(options) = cuda.gpuarray.argmax
= cuda.gpuarray.Array:argmin(options) = cuda.gpuarray.argmin
= cuda.gpuarray.Array:argpartition(kth, options) = cuda.gpuarray.argpartition
= cuda.gpuarray.Array:argsort(options) = cuda.gpuarray.argsort
= cuda.gpuarray.Array:array_equal(b, options) = cuda.gpuarray.array_equal
= cuda.gpuarray.Array:array_split(parts, axis) = cuda.gpuarray.array_split
= cuda.gpuarray.Array:asin(options) = cuda.gpuarray.asin
= cuda.gpuarray.Array:asinh(options) = cuda.gpuarray.asinh
= cuda.gpuarray.Array:astype(dtype, options)
The same elements as another type, converted as by NumPy's astype.
@param dtype any  as for dtype.of
@param options? {copy: boolean, stream: cuda.Stream, allocator: function}  copy = false: an array that has this type is returned itself; default true
@return cuda.gpuarray.Array
@raise LogicError if the type is unknown
@options allocator copy dtype stream
= cuda.gpuarray.Array:atan(options) = cuda.gpuarray.atan
= cuda.gpuarray.Array:atan2(b, options) = cuda.gpuarray.atan2
= cuda.gpuarray.Array:atanh(options) = cuda.gpuarray.atanh
= cuda.gpuarray.Array:average(options) = cuda.gpuarray.average
= cuda.gpuarray.Array:bind_to_texref(reference, options)
Lets a texture reference read the array by number: tex1Dfetch(t, i) is its i-th element in memory. PyCUDA's
GPUArray.bind_to_texref.
@param reference cuda.TextureReference
@param options? {allow_offset: boolean?}  allow_offset: the array may begin anywhere, and kernels add what this returns
@return integer offset  elements from the texture's begin to the array's
@raise LogicError if the array has gaps, or no texture begins at its address and allow_offset is not given
@options allow_offset
= cuda.gpuarray.Array:bind_to_texref_ext(reference, options)
The same, and the reference gets the format of the array's dtype. PyCUDA's GPUArray.bind_to_texref_ext.
@param reference cuda.TextureReference
@param options? cuda.BindOptions
@return integer offset  elements from the texture's begin to the array's
@raise LogicError as bind_to_texref, and if textures do not read the dtype
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
= cuda.gpuarray.Array:convolve(v, options) = cuda.gpuarray.convolve
= cuda.gpuarray.Array:copy(options) = cuda.gpuarray.copy
= cuda.gpuarray.Array:copysign(b, options) = cuda.gpuarray.copysign
= cuda.gpuarray.Array:corrcoef(options) = cuda.gpuarray.corrcoef
= cuda.gpuarray.Array:correlate(v, options) = cuda.gpuarray.correlate
= cuda.gpuarray.Array:cos(options) = cuda.gpuarray.cos
= cuda.gpuarray.Array:cosh(options) = cuda.gpuarray.cosh
= cuda.gpuarray.Array:cospi(options) = cuda.gpuarray.cospi
= cuda.gpuarray.Array:count_nonzero(options) = cuda.gpuarray.count_nonzero
= cuda.gpuarray.Array:cov(options) = cuda.gpuarray.cov
= cuda.gpuarray.Array:cross(b, options) = cuda.gpuarray.cross
= cuda.gpuarray.Array:cube(options) = cuda.gpuarray.cube
= cuda.gpuarray.Array:cuda_array_interface()
Describes the array to code outside of this library: version 3 of Numba's CUDA Array Interface. As
with `ptr`, this computes the array, and all pending work on it. The memory lives as long as the array or this table.
@return table description shape, typestr ("<f4"), version; data: {ptr, readonly}, ptr is 0 if there are no elements; strides: in bytes, nil for C order; descr: of structs, {name, typestr or descr, shape?} for each field, with unnamed ones for gaps; stream: the current one, 1 for the legacy and 2 for the per-thread default stream, otherwise the handle: work in it may use the array; owner: the array
@raise LogicError if the memory was released; what the kernels raise that compute the value
= cuda.gpuarray.Array:cummax(options) = cuda.gpuarray.cummax
= cuda.gpuarray.Array:cummin(options) = cuda.gpuarray.cummin
= cuda.gpuarray.Array:cumprod(options) = cuda.gpuarray.cumprod
= cuda.gpuarray.Array:cumsum(options) = cuda.gpuarray.cumsum
= cuda.gpuarray.Array:cyl_bessel_i0(options) = cuda.gpuarray.cyl_bessel_i0
= cuda.gpuarray.Array:cyl_bessel_i1(options) = cuda.gpuarray.cyl_bessel_i1
= cuda.gpuarray.Array:degrees(options) = cuda.gpuarray.degrees
= cuda.gpuarray.Array:diagonal(k, axis1, axis2) = cuda.gpuarray.diagonal
= cuda.gpuarray.Array:diff(n, options) = cuda.gpuarray.diff
= cuda.gpuarray.Array:div(b, options) = cuda.gpuarray.div
= cuda.gpuarray.Array:dot(b, options) = cuda.gpuarray.dot
= cuda.gpuarray.Array:eq(b, options) = cuda.gpuarray.eq
= cuda.gpuarray.Array:erf(options) = cuda.gpuarray.erf
= cuda.gpuarray.Array:erfc(options) = cuda.gpuarray.erfc
= cuda.gpuarray.Array:erfcinv(options) = cuda.gpuarray.erfcinv
= cuda.gpuarray.Array:erfcx(options) = cuda.gpuarray.erfcx
= cuda.gpuarray.Array:erfinv(options) = cuda.gpuarray.erfinv
= cuda.gpuarray.Array:eval()
Computes the array now, if it was not before.
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
@param value any  number, or array of no axes
@param options? {stream: cuda.Stream}|cuda.Stream  stream: default the current one
@return cuda.gpuarray.Array self
@raise LogicError if the dtype cannot hold it
@options stream
= cuda.gpuarray.Array:flatten(options)
A copy of all elements along one axis.
@param options? any  {order: "C"|"F"|"A"|"K", stream: cuda.Stream, allocator: function}, or the order, or the stream; order as for ravel
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
Copies the elements to the host: to a host array, or, of a 0-d array, as the value.
@param options? any  {array: boolean, to: cuda.ndarray.Array, stream: cuda.Stream}, or `to`, or the stream. array: a host array also of a 0-d array; to: gets the elements, of the same shape and dtype, in place of a new host array; stream: default the current one, which the program waits for
@return cuda.ndarray.Array|boolean|number|ffi.cdata*  of a 0-d array without `to` and `array` what item() gives: a number, a boolean, an int64_t, uint64_t or complex
@raise LogicError if `to` does not fit; what the kernels raise that compute the value
@options array stream to
= cuda.gpuarray.Array:get_async(stream, to)
Copies the elements to the host in the order of a stream, and returns at once; they are there when the stream is
done.
@param stream? cuda.Stream    default: the current one
@param to? cuda.ndarray.Array  gets them: of the same shape and dtype, without gaps, in page-locked memory (for other memory the call waits); default: a new one
@return cuda.ndarray.Array
@raise LogicError if `to` does not fit; what the kernels raise that compute the value
= cuda.gpuarray.Array:gradient(options) = cuda.gpuarray.gradient
= cuda.gpuarray.Array:gt(b, options) = cuda.gpuarray.gt
= cuda.gpuarray.Array:heaviside(b, options) = cuda.gpuarray.heaviside
= cuda.gpuarray.Array:hypot(b, options) = cuda.gpuarray.hypot
= cuda.gpuarray.Array:iadd(b)
a + b, written to a itself, and so to what it is a view of.
@param b cuda.gpuarray.Array|number
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:idiv(b)
a / b, written to a itself, and so to what it is a view of.
@param b cuda.gpuarray.Array|number
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:ieee_remainder(b, options) = cuda.gpuarray.ieee_remainder
= cuda.gpuarray.Array:if_positive(a, b, options) = cuda.gpuarray.if_positive
= cuda.gpuarray.Array:ifloordiv(b)
a:floordiv(b), written to a itself, and so to what it is a view of.
@param b cuda.gpuarray.Array|number
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:ilogb(options) = cuda.gpuarray.ilogb
= cuda.gpuarray.Array:imag(options) = cuda.gpuarray.imag
= cuda.gpuarray.Array:imod(b)
a % b, written to a itself, and so to what it is a view of.
@param b cuda.gpuarray.Array|number
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:imul(b)
a * b, written to a itself, and so to what it is a view of.
@param b cuda.gpuarray.Array|number
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:inner(b, options) = cuda.gpuarray.inner
= cuda.gpuarray.Array:ipow(b)
a ^ b, written to a itself, and so to what it is a view of.
@param b cuda.gpuarray.Array|number
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:isclose(b, options) = cuda.gpuarray.isclose
= cuda.gpuarray.Array:isfinite(options) = cuda.gpuarray.isfinite
= cuda.gpuarray.Array:isin(values, options) = cuda.gpuarray.isin
= cuda.gpuarray.Array:isinf(options) = cuda.gpuarray.isinf
= cuda.gpuarray.Array:isnan(options) = cuda.gpuarray.isnan
= cuda.gpuarray.Array:isub(b)
a - b, written to a itself, and so to what it is a view of.
@param b cuda.gpuarray.Array|number
@return cuda.gpuarray.Array self
@raise LogicError if a cannot hold the result's shape or dtype
= cuda.gpuarray.Array:item(...)
The value of an element, or of an array of one element.
@param ... integer  as many positions as the array has axes; one: among all elements, in C order; none: the only one
@return boolean|number|ffi.cdata*
@raise LogicError if a position is out of range, or positions are missing and the array has not one element
= cuda.gpuarray.Array:j0(options) = cuda.gpuarray.j0
= cuda.gpuarray.Array:j1(options) = cuda.gpuarray.j1
= cuda.gpuarray.Array:jn(a, options) = cuda.gpuarray.jn
= cuda.gpuarray.Array:kron(b, options) = cuda.gpuarray.kron
= cuda.gpuarray.Array:lcm(b, options) = cuda.gpuarray.lcm
= cuda.gpuarray.Array:ldexp(b, options) = cuda.gpuarray.ldexp
= cuda.gpuarray.Array:le(b, options) = cuda.gpuarray.le
= cuda.gpuarray.Array:left_shift(b, options) = cuda.gpuarray.left_shift
= cuda.gpuarray.Array:len()
The length of the first axis.
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
= cuda.gpuarray.Array:logsumexp(options) = cuda.gpuarray.logsumexp
= cuda.gpuarray.Array:lt(b, options) = cuda.gpuarray.lt
= cuda.gpuarray.Array:masked_fill(mask, value, options) = cuda.gpuarray.masked_fill
= cuda.gpuarray.Array:matmul(b, options) = cuda.gpuarray.matmul
= cuda.gpuarray.Array:max(options) = cuda.gpuarray.max
= cuda.gpuarray.Array:maximum(b, options) = cuda.gpuarray.maximum
= cuda.gpuarray.Array:mean(options) = cuda.gpuarray.mean
= cuda.gpuarray.Array:median(options) = cuda.gpuarray.median
= cuda.gpuarray.Array:min(options) = cuda.gpuarray.min
= cuda.gpuarray.Array:minimum(b, options) = cuda.gpuarray.minimum
= cuda.gpuarray.Array:mod(b, options) = cuda.gpuarray.mod
= cuda.gpuarray.Array:modf(options) = cuda.gpuarray.modf
= cuda.gpuarray.Array:moveaxis(source, destination) = cuda.gpuarray.moveaxis
= cuda.gpuarray.Array:mul(b, options) = cuda.gpuarray.mul
= cuda.gpuarray.Array:mul_add(selffac, other, otherfac, options) = cuda.gpuarray.mul_add
= cuda.gpuarray.Array:nan_to_num(options) = cuda.gpuarray.nan_to_num
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
= cuda.gpuarray.Array:ne(b, options) = cuda.gpuarray.ne
= cuda.gpuarray.Array:neg(options) = cuda.gpuarray.neg
= cuda.gpuarray.Array:nextafter(b, options) = cuda.gpuarray.nextafter
= cuda.gpuarray.Array:nonzero(options) = cuda.gpuarray.nonzero
= cuda.gpuarray.Array:norm(options) = cuda.gpuarray.norm
= cuda.gpuarray.Array:normcdf(options) = cuda.gpuarray.normcdf
= cuda.gpuarray.Array:normcdfinv(options) = cuda.gpuarray.normcdfinv
= cuda.gpuarray.Array:outer(b, options) = cuda.gpuarray.outer
= cuda.gpuarray.Array:pad(width, mode, options) = cuda.gpuarray.pad
= cuda.gpuarray.Array:partition(kth, options) = cuda.gpuarray.partition
= cuda.gpuarray.Array:percentile(q, options) = cuda.gpuarray.percentile
= cuda.gpuarray.Array:pos(options) = cuda.gpuarray.pos
= cuda.gpuarray.Array:pow(b, options) = cuda.gpuarray.pow
= cuda.gpuarray.Array:prod(options) = cuda.gpuarray.prod
= cuda.gpuarray.Array:ptp(options) = cuda.gpuarray.ptp
= cuda.gpuarray.Array:put(indices, values, options) = cuda.gpuarray.put
= cuda.gpuarray.Array:quantile(q, options) = cuda.gpuarray.quantile
= cuda.gpuarray.Array:radians(options) = cuda.gpuarray.radians
= cuda.gpuarray.Array:ravel(order) = cuda.gpuarray.ravel
= cuda.gpuarray.Array:rcbrt(options) = cuda.gpuarray.rcbrt
= cuda.gpuarray.Array:real(options) = cuda.gpuarray.real
= cuda.gpuarray.Array:reciprocal(options) = cuda.gpuarray.reciprocal
= cuda.gpuarray.Array:release()
Gives the memory back to the pool now. Views of the array lose it as well, and so do expressions that use the
array and are not computed yet. Using any of them afterwards is an error.
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
Sets the elements: to those of an array that broadcasts to this one's shape, or all to one number. What was written
down with this array before still means the old values.
@param values any  array on the device; host data, as to_gpu takes it; or a number. Integers wrap and floats are rounded to the dtype
@param options? {stream: cuda.Stream}|cuda.Stream  stream: default the current one. Waits for data of the host
@return cuda.gpuarray.Array self
@raise LogicError if shapes do not fit, for arrays of a higher kind (float to integer, complex to real: astype() converts), and if the dtype cannot hold a number
@options stream
= cuda.gpuarray.Array:set_async(values, stream)
The same in the order of a stream: returns at once if the data is on the device or in page-locked memory, which
must
not be changed before the stream is done with it.
@param values any  as for set
@param stream? cuda.Stream  default: the current one
@return cuda.gpuarray.Array self
@raise LogicError as set
= cuda.gpuarray.Array:sign(options) = cuda.gpuarray.sign
= cuda.gpuarray.Array:signbit(options) = cuda.gpuarray.signbit
= cuda.gpuarray.Array:sin(options) = cuda.gpuarray.sin
= cuda.gpuarray.Array:sinc(options) = cuda.gpuarray.sinc
= cuda.gpuarray.Array:sinh(options) = cuda.gpuarray.sinh
= cuda.gpuarray.Array:sinpi(options) = cuda.gpuarray.sinpi
= cuda.gpuarray.Array:slice(...)
A part of the array: one item for each axis, from the first; axes without one are taken whole. Without arrays among
the items it is a view, else a new array, as by NumPy's advanced indexing; then the program waits until the kernel
has looked at the positions.
@param ... any  i drops its axis; {i} keeps it with extent 1; {lo, hi} and {lo, hi, step} are ranges, both ends included, {lo, lo - 1} is empty, a negative step runs backwards; {} is all; gpuarray.newaxis adds an axis; an array of integers, on the device or the host, takes the elements at these positions; one of booleans, of the shape of one axis or several, those where it is true. The arrays of an index broadcast to one shape; its axes come where the arrays stand side by side (numbers among them), else first.
@return cuda.gpuarray.Array
@raise LogicError for what lies outside an axis, too many items, and shapes or types that do not fit
= cuda.gpuarray.Array:sort(options) = cuda.gpuarray.sort
= cuda.gpuarray.Array:split(parts, axis) = cuda.gpuarray.split
= cuda.gpuarray.Array:sqrt(options) = cuda.gpuarray.sqrt
= cuda.gpuarray.Array:square(options) = cuda.gpuarray.square
= cuda.gpuarray.Array:squeeze(axes) = cuda.gpuarray.squeeze
= cuda.gpuarray.Array:std(options) = cuda.gpuarray.std
= cuda.gpuarray.Array:sub(b, options) = cuda.gpuarray.sub
= cuda.gpuarray.Array:sum(options) = cuda.gpuarray.sum
= cuda.gpuarray.Array:swapaxes(axis1, axis2) = cuda.gpuarray.swapaxes
= cuda.gpuarray.Array:take(indices, options) = cuda.gpuarray.take
= cuda.gpuarray.Array:tan(options) = cuda.gpuarray.tan
= cuda.gpuarray.Array:tanh(options) = cuda.gpuarray.tanh
= cuda.gpuarray.Array:tensordot(b, options) = cuda.gpuarray.tensordot
= cuda.gpuarray.Array:tgamma(options) = cuda.gpuarray.tgamma
= cuda.gpuarray.Array:tile(...) = cuda.gpuarray.tile
= cuda.gpuarray.Array:tolist()
The elements as nested tables; of a 0-d array, the value.
@return any
= cuda.gpuarray.Array:topk(k, options) = cuda.gpuarray.topk
= cuda.gpuarray.Array:trace(k, options) = cuda.gpuarray.trace
= cuda.gpuarray.Array:transpose(...) = cuda.gpuarray.transpose
= cuda.gpuarray.Array:trapezoid(options) = cuda.gpuarray.trapezoid
= cuda.gpuarray.Array:tril(k, options) = cuda.gpuarray.tril
= cuda.gpuarray.Array:triu(k, options) = cuda.gpuarray.triu
= cuda.gpuarray.Array:trunc(options) = cuda.gpuarray.trunc
= cuda.gpuarray.Array:unique(options) = cuda.gpuarray.unique
= cuda.gpuarray.Array:unstack(axis) = cuda.gpuarray.unstack
= cuda.gpuarray.Array:unwrap(options) = cuda.gpuarray.unwrap
= cuda.gpuarray.Array:var(options) = cuda.gpuarray.var
= cuda.gpuarray.Array:vdot(b, options) = cuda.gpuarray.vdot
= cuda.gpuarray.Array:vecdot(b, options) = cuda.gpuarray.vecdot
= cuda.gpuarray.Array:view(dtype)
The same bytes as elements of another type, as a view. Where the types differ in size the last axis has to lie
without
gaps, and gets more elements or fewer.
@param dtype? any  as for dtype.of; default: the array's own
@return cuda.gpuarray.Array
@raise LogicError if the bytes of the last axis are not a multiple of the element size, or these are not aligned
@options dtype
= cuda.gpuarray.Array:where(a, b, options) = cuda.gpuarray.where
= cuda.gpuarray.Array:y0(options) = cuda.gpuarray.y0
= cuda.gpuarray.Array:y1(options) = cuda.gpuarray.y1
= cuda.gpuarray.Array:yn(a, options) = cuda.gpuarray.yn
= cuda.gpuarray.Fused class
A function that runs as one kernel: gpuarray.fuse() makes it.
@call fun(...: any): ...  the results of the function
= cuda.gpuarray.Fused:source(...)
The CUDA C of a call with these arguments; nothing is run.
@param ... any  arguments as in a call
@return string  of all kernels, if there are several: for results of different shapes
@raise LogicError if the function does too much for one kernel, and what the function raises
= cuda.gpuarray.abs(a, options)
The absolute value; of a complex number its length, a float; also of integers, whose lowest number stays as it
is, and of bool.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.acos(a, options)
The inverse of cos.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.acosh(a, options)
The inverse of cosh.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.add(a, b, options)
a + b; integers wrap; of bool: or.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.addmm(c, a, b, options)
beta * c + alpha * (a b), a b being matmul()'s product, rounded once: alpha times the sum, then beta times c is added
with one rounding. With beta = 0, c is not read.
@param c cuda.gpuarray.Array  broadcasts to the product's shape
@param a cuda.gpuarray.Array  as for matmul
@param b cuda.gpuarray.Array  as for matmul
@param options? {alpha: any, beta: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function} alpha, beta: numbers, default 1; integers if the product has integers. out: may be c
@return cuda.gpuarray.Array  of the dtype of c and the product together
@raise LogicError as gpuarray.matmul, if c does not broadcast to the product's shape, and for other factors
@options allocator alpha beta out stream
= cuda.gpuarray.all(a, options)
Is no element 0? NaN is not. Of none: true.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array  of bool
@raise LogicError if an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.allclose(a, b, options)
Are all elements close, as isclose() says? The program waits for the answer. Of no elements: true.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number  the reference; broadcasts with a
@param options? {rtol: any, atol: any, equal_nan: boolean, stream: cuda.Stream}  as for isclose
@return boolean
@raise LogicError as isclose
@options atol equal_nan rtol stream
= cuda.gpuarray.angle(a, options)
The angle of a complex number, from -pi to pi; of a real one 0 or pi.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.any(a, options)
Is any element not 0? NaN is not. Of none: false.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array  of bool
@raise LogicError if an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.arange(start, stop, step, dtype, options)
The numbers from start to before stop, as NumPy's: arange(stop), arange(start, stop) or arange(start, stop, step),
then, if wanted, a dtype and options.
@call fun(stop: number|ffi.cdata*, dtype?: any, options?: table): cuda.gpuarray.Array
@param start number|ffi.cdata*  default: 0; integers beyond 2^53 as int64_t or uint64_t
@param stop number|ffi.cdata*   the end, which is excluded
@param step? number|ffi.cdata*  default: 1
@param dtype? any    as for dtype.of; default: int64 for integers, uint64 if only that holds them, else dtype.default_float()
@param options? {dtype: any, allocator: function, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError for a step of 0, numbers that are not finite, and those that the dtype cannot hold; MemoryError
@options allocator dtype step stream
= cuda.gpuarray.argmax(a, options)
The position of the greatest element, from 1, or of the first NaN; of several, the first. Along all axes: counted
in C order.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.argmin(a, options)
The position of the least element, from 1, or of the first NaN; of several, the first. Along all axes: counted in C
order.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.argpartition(a, kth, options)
Where the elements are that partition() puts in their places, as NumPy's argpartition.
@param a cuda.gpuarray.Array
@param kth integer|integer[]  as for partition
@param options? any  as for partition
@return cuda.gpuarray.Array  int64, positions on the axis from 1
@raise LogicError as gpuarray.partition
@options allocator axis out stream
= cuda.gpuarray.argsort(a, options)
Where the elements are that sort() takes one after the other, as NumPy's argsort: `a:take_along_axis(a:argsort())` is
sorted.
@param a cuda.gpuarray.Array
@param options? any  as for sort
@return cuda.gpuarray.Array  int64, positions on the axis from 1
@raise LogicError as sort
@options allocator axis descending out stream
= cuda.gpuarray.argwhere(a, options)
Where an array is not 0, element by element: its positions on all axes. The program waits for the array.
@param a cuda.gpuarray.Array
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  int64, of the shape (count, axes)
@options allocator stream
= cuda.gpuarray.array_equal(a, b, options)
Have two arrays one shape, and are all their elements equal? Types may differ: values are compared. The program waits
for the answer.
@param a any  array on the device; or host data, if b is an array on the device
@param b any
@param options? {equal_nan: boolean, stream: cuda.Stream}  NaN equals NaN
@return boolean
@raise LogicError if neither is an array on the device, and for structs
@options equal_nan stream
= cuda.gpuarray.array_split(a, parts, axis)
As split; if the axis cannot be split equally, the first parts have one element more.
@param a any  array, or host data, which is copied to the device
@param parts integer|integer[]  as for split
@param axis? integer            default: 1
@return cuda.gpuarray.Array[]
@raise LogicError if positions are beyond the axis
@options axis
= cuda.gpuarray.asin(a, options)
The inverse of sin.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.asinh(a, options)
The inverse of sinh.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.atan(a, options)
The inverse of tan.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.atan2(a, b, options)
The angle of the point (b, a), from -pi to pi.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.atanh(a, options)
The inverse of tanh.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.atleast_1d(...)
Arrays with at least one axis; views.
@param ... any  arrays
@return cuda.gpuarray.Array ...  as many
= cuda.gpuarray.atleast_2d(...)
Arrays with at least two axes: new ones come first. Views.
@param ... any  arrays
@return cuda.gpuarray.Array ...  as many
= cuda.gpuarray.atleast_3d(...)
Arrays with at least three axes: those of a 1-D array get one before and one behind, 2-D ones get one behind. Views.
@param ... any  arrays
@return cuda.gpuarray.Array ...  as many
= cuda.gpuarray.average(a, options)
The mean of the elements, each as often as its weight says, as NumPy's average: sum(a * weights) / sum(weights).
Where the weights add up to 0 it is NaN or infinite; NumPy raises there.
@param a cuda.gpuarray.Array
@param options? any  {axis, weights, keepdims, returned, out, stream, allocator}, or the axis: a number or a list; default: all. weights: of a's shape, or of that of the axes that go; default: all the same. returned: the sum of the weights follows
@return cuda.gpuarray.Array  of a's and the weights' dtype together, of integers the default float
@return cuda.gpuarray.Array?  the sums of weights, of the same shape
@raise LogicError if the weights do not fit, and as gpuarray.mean
@options allocator axis keepdims out returned stream weights
= cuda.gpuarray.bincount(a, options)
How often each integer comes: element v of the result belongs to the number v, from 1 to the greatest one. So
it counts positions, and what argmin(), unique() and digitize() give; for what begins with 0 add 1. The program waits
until the greatest element is known.
@param a cuda.gpuarray.Array  1-D, of integers from 1
@param options? {weights: any, minlength: integer, stream: cuda.Stream, allocator: function}  weights: an array of a's shape, whose elements are added up in place of ones; minlength: the result has so many elements at least
@return cuda.gpuarray.Array  int64; with weights, float64
@raise LogicError if an element is less than 1, and if types or shapes do not fit
@options allocator minlength stream weights
= cuda.gpuarray.bitwise_and(a, b, options)
The bits that are set in both; of integers and bool.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.bitwise_not(a, options)
The bits that are not set; of integers and bool.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.bitwise_or(a, b, options)
The bits that are set in one or both; of integers and bool.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.bitwise_xor(a, b, options)
The bits that are set in just one of the two; of integers and bool.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.broadcast_arrays(...)
Views of arrays in the shape that they have together, which cannot be written to if elements are repeated.
@param ... any  arrays, or one list of them
@return cuda.gpuarray.Array ...  as many
@raise LogicError if the shapes do not broadcast
= cuda.gpuarray.broadcast_to(a, ...)
The same elements repeated along axes that have one element, or that are new before the first, as a view, which
cannot
be written to.
@param a any  array, or host data, which is copied to the device
@param ... any  extents, or one list of them
@return cuda.gpuarray.Array
@raise LogicError if the array's shape does not broadcast to that one
= cuda.gpuarray.can_cast(from, to)
As dtype.can_cast: does promotion convert one type to another?
@param from any  a dtype, or an array
@param to any    a dtype
@return boolean
@raise LogicError if one is not a dtype
= cuda.gpuarray.cbrt(a, options)
The cube root.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.ceil(a, options)
The next integer up.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.choose(numbers, choices, options)
For each element that one of the arrays whose number it is, as NumPy's choose; all broadcast.
@param numbers cuda.gpuarray.Array  integers from 1, negative ones from the last
@param choices any[]    arrays or numbers
@param options? {mode: "raise"|"wrap"|"clip", out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  mode: as for take
@return cuda.gpuarray.Array
@raise LogicError if a number has no choice
@options allocator mode="raise"|"wrap"|"clip" out stream
= cuda.gpuarray.clip(a, low, high, options)
minimum(maximum(a, low), high), as NumPy's clip. Without a bound, nil, that side is open.
@param a cuda.gpuarray.Array|number
@param low? cuda.gpuarray.Array|number
@param high? cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError for complex numbers, or if all are numbers
@options allocator out stream
= cuda.gpuarray.complex(a, b, options)
The complex numbers with these real and imaginary parts, as torch.complex: complex64, of float64 complex128.
@param a cuda.gpuarray.Array|number  real parts
@param b cuda.gpuarray.Array|number  imaginary parts
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if one is complex, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.compress(condition, a, options)
The parts along an axis, or the elements of the whole array in C order, for which a condition is true, as NumPy's
compress. The program waits for the condition.
@param condition any  1-D: array or list of booleans; may be shorter than the axis
@param a cuda.gpuarray.Array
@param options? {axis: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  axis: default the whole array
@return cuda.gpuarray.Array
@raise LogicError if the condition is true beyond the axis
@options allocator axis out stream
= cuda.gpuarray.concatenate(arrays, axis, options)
Arrays one after the other along an axis.
@param arrays any      list of arrays, of one shape but for this axis; dtypes are promoted
@param axis? integer   default: 1
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: of the result; out: gets it, in place of a new array
@return cuda.gpuarray.Array
@raise LogicError for no arrays, and if their shapes do not fit together
@options allocator axis dtype out stream
= cuda.gpuarray.conj(a, options)
The complex conjugate; a real number as it is.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.conjugate(a, options)
The complex conjugate: conj under its other name, as in PyCUDA.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.convolve(a, v, options)
The convolution of two vectors, as NumPy's convolve: element k is the sum of a[i] * v[j] over all i + j = k + 1. The
sum goes over the shorter vector's elements in ascending order, one fused multiplication and addition each, and is
rounded as matmul()'s; so the result has the same bits on every device. Integers and bool are added up in 64 bits,
int8 in 32.
@param a cuda.gpuarray.Array  of one axis
@param v any  likewise; or a list, a host array or a number
@param options? {mode: string, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function} mode: "full" (default), all places where the two meet: n + m - 1; "same", as many as the longer one has, from the middle; "valid", those where all of the shorter one meets. dtype: as for matmul
@return cuda.gpuarray.Array  of one axis
@raise LogicError for more axes and for no elements, an unknown mode, if the dtypes are not supported, or out does not fit
@options allocator dtype mode out stream
= cuda.gpuarray.copy(a, options)
A copy without gaps, in the array's own layout, as PyCUDA's copy and astype().
@param a any  array, or host data, which is copied to the device
@param options? any  {order: "C"|"F"|"A"|"K", stream: cuda.Stream, allocator: function}, or the order, or the stream. K (default): axes lie in the order of the array's; A: F of an array that lies in F order alone, else C
@return cuda.gpuarray.Array
@raise LogicError for another order
@options allocator order="C"|"F"|"A"|"K" stream
= cuda.gpuarray.copysign(a, b, options)
The absolute value of a with the sign of b.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.corrcoef(m, options)
The correlation coefficients of variables, as NumPy's corrcoef: the covariances, divided by the standard deviations
of both variables. NaN for a variable that does not vary.
@param m cuda.gpuarray.Array  as for cov
@param options? {y: any, rowvar: boolean, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for cov
@return cuda.gpuarray.Array  as cov; its parts are from -1 to 1
@raise LogicError as gpuarray.cov
@options allocator dtype out rowvar stream y
= cuda.gpuarray.correlate(a, v, options)
The cross-correlation of two vectors, as NumPy's correlate: element k of "full" is the sum of a[k + j - m] times the
conjugate of v[j], m being v's size. The sums are as convolve()'s.
@param a cuda.gpuarray.Array  of one axis
@param v any  as for convolve
@param options? any  as for convolve; mode: default "valid"
@return cuda.gpuarray.Array  of one axis
@raise LogicError as gpuarray.convolve
@options allocator dtype mode out stream
= cuda.gpuarray.cos(a, options)
Cosine, of radians.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.cosh(a, options)
Hyperbolic cosine.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.cospi(a, options)
cos(pi * a).
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.count_nonzero(a, options)
How many elements are not 0, as int64.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.cov(m, options)
The covariances of variables, as NumPy's cov: element (i, j) is that of variables i and j. A variable is a row, and
its observations are along it. Without degrees of freedom, as of a single observation, they are NaN. 16-bit floats
are computed as float32. Unlike NumPy's, the result of float32 is float32; dtype changes that.
@param m cuda.gpuarray.Array  of at most two axes; one axis is one variable
@param options? {y: any, rowvar: boolean, bias: boolean, ddof: integer, fweights: any, aweights: any, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  y: more variables. rowvar = false: variables are columns. bias: divide by the number n of observations, default by n - 1; ddof: by n - ddof. fweights: how often each observation counts, integers; aweights: its weight; neither may be negative, which is looked at on the host alone. dtype: of the result
@return cuda.gpuarray.Array  of as many rows and columns as there are variables; of one variable 0-d
@raise LogicError for more axes, if y or weights do not fit, the dtype is not supported, or out does not fit
@options allocator aweights bias ddof dtype fweights out rowvar stream y
= cuda.gpuarray.cross(a, b, options)
The cross products of vectors with three elements, which broadcast, as NumPy's cross.
@param a cuda.gpuarray.Array
@param b cuda.gpuarray.Array
@param options? any  {axis: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the axis of the vectors in both arrays; default: the last one
@return cuda.gpuarray.Array  with the vectors along the same axis
@raise LogicError if the axis has not three elements, the shapes do not broadcast, or out does not fit
@options allocator axis out stream
= cuda.gpuarray.cube(a, options)
a * a * a.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.cummax(a, options)
The greatest of the elements up to each one; from the first NaN on, NaN.
@param a cuda.gpuarray.Array
@param options? any  {axis, out, stream, allocator}, or the axis: a number from 1, negative ones from the last; default: all elements in C order, to an array of one axis. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if the elements are complex, the axis is out of range, or out does not fit
@options allocator axis out stream
= cuda.gpuarray.cummin(a, options)
The least of the elements up to each one; from the first NaN on, NaN.
@param a cuda.gpuarray.Array
@param options? any  {axis, out, stream, allocator}, or the axis: a number from 1, negative ones from the last; default: all elements in C order, to an array of one axis. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if the elements are complex, the axis is out of range, or out does not fit
@options allocator axis out stream
= cuda.gpuarray.cumprod(a, options)
The products of the elements up to each one, in the types of cumsum().
@param a cuda.gpuarray.Array
@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to it first. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
@options allocator axis dtype out stream
= cuda.gpuarray.cumsum(a, options)
The sums of the elements up to each one: integers in 64 bits, float16 and bfloat16 as float32, each sum rounded
once. The order of the additions follows from the shape, the axis and the dtype alone.
@param a cuda.gpuarray.Array
@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to it first. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
@options allocator axis dtype out stream
= cuda.gpuarray.cyl_bessel_i0(a, options)
Modified Bessel function of the first kind, order 0.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.cyl_bessel_i1(a, options)
Modified Bessel function of the first kind, order 1.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.degrees(a, options)
From radians to degrees.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.diag(a, k, options)
Of a 1-D array a square one with its elements on a diagonal and zeros elsewhere; of a 2-D array its diagonal, as a
view.
@param a any  array
@param k? integer  the diagonal, as for eye
@param options? {stream: cuda.Stream, allocator: function}  allocator: a copy, also of a diagonal
@return cuda.gpuarray.Array
@raise LogicError for an array of other than one or two axes
@options allocator k stream
= cuda.gpuarray.diagonal(a, k, axis1, axis2)
The elements on a diagonal of two axes, as a view; the diagonal is its last axis.
@param a any  array, or host data, which is copied to the device
@param k? integer      0 (default): the main diagonal; above it positive, below negative
@param axis1? integer  default: 1
@param axis2? integer  default: 2
@return cuda.gpuarray.Array
@raise LogicError if the two axes do not exist
@options k
= cuda.gpuarray.diff(a, n, options)
Differences of neighbours along an axis, a[i + 1] - a[i], n times over, as NumPy's diff. Integers wrap; of bool:
whether the two differ.
@param a cuda.gpuarray.Array
@param n? integer  how often, non-negative; default: 1. Optional: `a:diff { axis = 1 }`
@param options? {n: integer, axis: integer, prepend: any, append: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  axis: default the last one; prepend, append: what stands before and behind each line first: a number, an array or nested lists
@return cuda.gpuarray.Array  with n elements fewer along the axis
@raise LogicError for a 0-d array, a bad n or axis, and if what is joined does not fit
@options allocator append axis n out prepend stream
= cuda.gpuarray.digitize(a, edges, options)
Between which edges elements lie: 1 below the first one, 2 from the first one to the second, and so on, to one more
than there are edges from the last one on; so bincount() counts it. An element on an edge is above it. NaN is
greater than every edge.
@param a cuda.gpuarray.Array
@param edges any  ascending or descending list or array
@param options? {right: boolean, stream: cuda.Stream, allocator: function}  right: an element on an edge is below it
@return cuda.gpuarray.Array  int64, of a's shape
@raise LogicError if the edges are not in order
@options allocator right stream
= cuda.gpuarray.div(a, b, options)
a / b, the true quotient: of integers the default float.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.dot(a, b, options)
The sum of the products of two vectors' elements, in one kernel: integers in 64 bits, float16 and bfloat16 as
float32, rounded once. With a matrix, the product that matmul() computes.
@param a cuda.gpuarray.Array  of one axis, or two
@param b cuda.gpuarray.Array  as long; or a matrix
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: of the result; elements are converted to it first
@return cuda.gpuarray.Array  of vectors 0-d
@raise LogicError if the shapes do not fit, the dtype is not supported, or out does not fit
@options allocator dtype out stream
= cuda.gpuarray.dstack(arrays, options)
Arrays behind each other: along the third axis, which those of fewer axes get.
@param arrays any  list of arrays
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for concatenate
@return cuda.gpuarray.Array
@raise LogicError as concatenate
@options allocator dtype out stream
= cuda.gpuarray.eager(on)
Computes each operation at once, instead of whole expressions: for finding out which one fails.
@param on? boolean  sets it
@return boolean    how it is
@raise LogicError for anything else
= cuda.gpuarray.einsum(subscripts, ...)
Sums of products by the letters of axes, as NumPy's einsum: "ij,jk->ik" is the matrix product. A letter that the
result does not have is summed over; without "->" the result has the letters that come once, in alphabetical order. A
letter twice in an operand is its diagonal; "..." stands for all other axes, which broadcast. Letters of one operand
alone are summed first; then always the two operands are multiplied whose product has the fewest elements.
@param subscripts string
@param ... any  an array for each part; last {dtype = any, out = cuda.gpuarray.Array, stream = cuda.Stream, allocator = function}: as for matmul
@return cuda.gpuarray.Array  a new array; sums and products have the types of matmul
@raise LogicError if the subscripts do not fit the arrays, the dtype is not supported, or out does not fit
@options allocator dtype out stream
= cuda.gpuarray.empty(shape, dtype, options)
An array whose elements are not set to anything.
@param shape integer|integer[]  extents; {} for a 0-d array, a number for a 1-D one
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  order C (default): the last axis is dense; F: the first one; allocator: gives the memory, in place of the pool that arrays share: any device memory of this library, such as cuda.mem_alloc, pool:allocate in a function, managed memory; stream: the elements are set in it, default the current one
@return cuda.gpuarray.Array
@raise LogicError for a bad shape, dtype or option, or memory that does not fit; MemoryError; what the allocator raises
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.empty_like(other, dtype, options)
An array of the shape, dtype and layout of another one, whose elements are not set to anything.
@param other cuda.gpuarray.Array|cuda.ndarray.Array
@param dtype? any  as for dtype.of; default: the other's
@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream}  order K (default): the other's order of axes, without gaps; A: F if the other lies in F order alone, else C; shape: default the other's; allocator: as for empty
@return cuda.gpuarray.Array
@raise LogicError if it is not an array, and as empty
@options allocator dtype order="C"|"F"|"A"|"K" shape stream
= cuda.gpuarray.eq(a, b, options)
Is a equal to b? As bool; NaN equals nothing.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.erf(a, options)
The error function.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.erfc(a, options)
1 - erf(a), accurate for large numbers.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.erfcinv(a, options)
The inverse of erfc.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.erfcx(a, options)
exp(a^2) * erfc(a).
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.erfinv(a, options)
The inverse of erf.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.eval(...)
Computes the given arrays, or without arguments everything that was written down and not computed. Then an
expression that cannot be computed is skipped, and raises its error when it is used.
@param ... cuda.gpuarray.Array
@raise LogicError if it is not an array; what the kernels raise that compute the given arrays
= cuda.gpuarray.exp(a, options)
e^a.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.exp10(a, options)
10^a.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.exp2(a, options)
2^a.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.expand_dims(a, axes)
The same elements with more axes, of one element each, as a view.
@param a any  array, or host data, which is copied to the device
@param axes integer|integer[]  where these are in the new shape; -1: the last one
@return cuda.gpuarray.Array
@raise LogicError for places that the new shape does not have
@options axis
= cuda.gpuarray.expm1(a, options)
e^a - 1, accurate near 0.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.extract(condition, a, options)
The elements for which a mask is true, in C order, as NumPy's extract. The program waits for the mask.
@param condition any  array or nested lists, of as many elements as a, or of none
@param a cuda.gpuarray.Array
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  1-D
@raise LogicError if the sizes differ
@options allocator stream
= cuda.gpuarray.eye(rows, columns, k, dtype, options)
Ones on a diagonal, zeros elsewhere, as NumPy's: eye(rows), eye(rows, columns) or eye(rows, columns, k), then, if
wanted, a dtype and options.
@call fun(rows: integer, dtype?: any, options?: table): cuda.gpuarray.Array
@param rows integer
@param columns? integer  default: rows
@param k? integer        the diagonal: 0 (default) the main one, above it positive, below negative
@param dtype? any        as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: function, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError for extents that are not non-negative integers; MemoryError
@options allocator dtype k order="C"|"F" stream
= cuda.gpuarray.fabs(a, options)
The absolute value, as a float.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.fast_math(on)
Makes later operations faster and less exact: products and sums may be fused into one rounding,
denormals count as 0, and divisions, roots and functions come from faster, coarser approximations, as with nvcc's
use_fast_math. What was written down before is computed first, as it was meant. Kernels of your own are not
concerned: they have options.
@param on? boolean  sets it; at first it is off
@return boolean    how it is
@raise LogicError for anything else; what the kernels raise that compute what was written down
= cuda.gpuarray.fdim(a, b, options)
a - b if that is positive, else 0.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.finfo(x)
As dtype.finfo: the limits of a float type.
@param x any  a dtype, or an array
@return cuda.dtype.FloatInfo
@raise LogicError for other types
= cuda.gpuarray.flatnonzero(a, options)
Where an array is not 0: the positions in C order of the whole. The program waits for the array.
@param a cuda.gpuarray.Array
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  1-D, int64
@options allocator stream
= cuda.gpuarray.flip(a, axes)
The same elements backwards, as a view.
@param a any  array, or host data, which is copied to the device
@param axes? integer|integer[]  default: all
@return cuda.gpuarray.Array
@raise LogicError if an axis is out of range
@options axis
= cuda.gpuarray.fliplr(a)
The second axis backwards, as a view.
@param a any  array, or host data, which is copied to the device
@return cuda.gpuarray.Array
@raise LogicError for an array of fewer than two axes
= cuda.gpuarray.flipud(a)
The first axis backwards, as a view.
@param a any  array, or host data, which is copied to the device
@return cuda.gpuarray.Array
@raise LogicError for a 0-d array
= cuda.gpuarray.floor(a, options)
The next integer down.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.floordiv(a, b, options)
The quotient, rounded down. Of integers by 0 it is 0.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.fma(a, b, c, options)
a * b + c, rounded once.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param c cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError for complex numbers, or if all are numbers
@options allocator out stream
= cuda.gpuarray.fmax(a, b, options)
The larger one, of a number and NaN the number.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.fmin(a, b, options)
The smaller one, of a number and NaN the number.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.fmod(a, b, options)
The remainder of a division rounded towards 0; it has the sign of a. Of integers by 0 it is 0.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.frexp(a, options)
Numbers as mantissa * 2^exponent with 0.5 <= |mantissa| < 1. For 0, infinities and NaN the mantissa is the number,
and the exponent 0.
@param a cuda.gpuarray.Array
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array mantissa
@return cuda.gpuarray.Array exponent  int32
@raise LogicError for complex numbers
@options allocator stream
= cuda.gpuarray.from_function(shape, fn, dtype, options)
An array of what a function makes of the indices.
@param shape integer|integer[]  as for empty
@param fn fun(...: integer): any  is given one position for each axis, from 1; called in C order
@param dtype? any  as for dtype.of; default: as to_gpu has it for such values
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError naming the element if the type cannot hold what fn returned; what fn raises; else as empty
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.full(shape, value, dtype, options)
An array of one value.
@param shape integer|integer[]  as for empty
@param value any                boolean, number, 64-bit integer or complex cdata; or an array, which is repeated
@param dtype? any               as for dtype.of; default: the default float, for booleans, cdata and arrays their own
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError if the type cannot hold the value, and as empty
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.full_like(other, value, dtype, options)
An array of one value with the shape, dtype and layout of another one.
@param other cuda.gpuarray.Array|cuda.ndarray.Array
@param value any   as for full
@param dtype? any  as for dtype.of; default: the other's
@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty_like
@return cuda.gpuarray.Array
@raise LogicError if the type cannot hold the value, and as empty_like
@options allocator dtype order="C"|"F"|"A"|"K" shape stream
= cuda.gpuarray.fuse(fn)
A function whose operations run as one kernel, however many they are, and with all the arrays that it returns (those
of one shape): more than plain expressions can. When it is called with arrays of new types, shapes or layouts, or
other values besides, fn is called with arrays that have no values; what it does element by element becomes the
kernel, and what else it uses is taken as it is then: arrays of its own are read as they are when the kernel runs.
Conditions on values are not possible. Results are computed when the call returns, and equal those of fn itself bit
for bit. Where one kernel cannot have it all (64 arrays, 2,000 operations), fn runs as it would without fuse().
@param fn function  of arrays and values; returns arrays and values
@return cuda.gpuarray.Fused
@raise LogicError unless fn is a function; calls raise what fn raises, and LogicError if it asks for values
= cuda.gpuarray.gcd(a, b, options)
The greatest common divisor, which is not negative; of integers.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.ge(a, b, options)
a >= b, as bool. Integers of different types are compared by their values. Not for complex numbers.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.gradient(f, options)
The slopes of a function along axes, from its values at places, as NumPy's gradient: in between of the parabola
through a place and its two neighbours, at the ends of the line through two places. Integers become the default
float, and 16-bit floats are computed as float32.
@param f cuda.gpuarray.Array
@param options? {spacing: any, axis: any, edge_order: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  spacing: the distance of two places, default 1; or the places along an axis, an array or a list; of several axes a list with an entry for each. axis: a number or a list; default: all. edge_order: 2 has the slope of the parabola through three places at the ends, too; default: 1. out: only of one axis
@return cuda.gpuarray.Array ...  one for each axis, of f's shape
@raise LogicError if an axis has not edge_order + 1 elements, the spacing does not fit, f is 0-d, or out does not fit
@options allocator axis edge_order out spacing stream
= cuda.gpuarray.gt(a, b, options)
a > b, as bool. Integers of different types are compared by their values. Not for complex numbers.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.heaviside(a, b, options)
0 if a is negative, 1 if it is positive, b if it is 0.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.histogram(a, bins, options)
How many elements lie between edges, as NumPy's histogram: a bin includes its lower edge, and the last bin both.
Elements outside and NaNs are in no bin. Without a range the program waits for the least and the greatest element.
@param a cuda.gpuarray.Array  of any shape
@param bins? any  how many, of one width, default 10; or the edges, an ascending list or array of one more number
@param options? {range: number[], weights: any, density: boolean, stream: cuda.Stream, allocator: function} range: {low, high} of the bins, default the least and the greatest element; weights: an array of a's shape, whose elements are added up in place of ones; density: divided by the sum and the widths, so that the integral is 1
@return cuda.gpuarray.Array counts  int64; with weights or density, float64
@return cuda.gpuarray.Array edges   float32 for elements of a float type of up to 32 bits; else, and where a list of edges was given, float64
@raise LogicError if the range is not finite, edges descend, and if types or shapes do not fit
@options allocator bins density high low range stream weights
= cuda.gpuarray.histogram_bin_edges(a, bins, options)
The edges that histogram() uses.
@param a cuda.gpuarray.Array
@param bins? any  as for histogram
@param options? {range: number[], stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError as histogram
@options allocator bins range stream
= cuda.gpuarray.hstack(arrays, options)
Arrays side by side: along the second axis, 1-D ones along their only one.
@param arrays any  list of arrays
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for concatenate
@return cuda.gpuarray.Array
@raise LogicError as concatenate
@options allocator dtype out stream
= cuda.gpuarray.hypot(a, b, options)
sqrt(a*a + b*b), without overflow on the way.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.identity(n, dtype, options)
The square array with ones on the main diagonal.
@param n integer
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: function, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as eye
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.ieee_remainder(a, b, options)
The remainder of a division rounded to the nearest integer, of two the even one.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.if_positive(criterion, a, b, options)
a if the criterion is greater than 0, else b; as in PyCUDA.
@param criterion cuda.gpuarray.Array|number
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError for a complex criterion, if the shapes do not broadcast, or all are numbers
@options allocator out stream
= cuda.gpuarray.iinfo(x)
As dtype.iinfo: the limits of an integer type.
@param x any  a dtype, or an array
@return cuda.dtype.IntegerInfo
@raise LogicError for other types
= cuda.gpuarray.ilogb(a, options)
The exponent to base 2, as int32; the lowest int32 for 0 and NaN, the highest for infinities.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.imag(a, options)
The imaginary part, which is 0 for real numbers.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.inner(a, b, options)
The sums of products over the last axis of both arrays, as NumPy's inner; of vectors, dot().
@param a cuda.gpuarray.Array
@param b cuda.gpuarray.Array
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for matmul
@return cuda.gpuarray.Array  of a's other axes, then b's
@raise LogicError if the shapes do not fit, the dtype is not supported, or out does not fit
@options allocator dtype out stream
= cuda.gpuarray.interp(x, xp, fp, options)
Values of a function that is known at some points, on the straight lines between these, as NumPy's interp.
@param x any   where: array, nested lists or a number
@param xp any  1-D, ascending: the points
@param fp any  1-D, as long: the values there; also complex
@param options? {left: any, right: any, period: number, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  left, right: the value for x below the first and above the last point; default: the first and the last value. period: the points repeat, in any order; left and right have no meaning then
@return cuda.gpuarray.Array  of x's shape; the dtype of all three together, of integers the default float
@raise LogicError if xp and fp are not 1-D of one length, are empty, or x or xp is complex
@options allocator left out period right stream
= cuda.gpuarray.intersect1d(a, b, options)
The elements that are in both arrays, each once and in ascending order, as NumPy's intersect1d. The program waits
for the number of elements.
@param a any  array of any shape; one of both may be nested lists or a host array
@param b any
@param options? {assume_unique: boolean, indices: boolean, stream: cuda.Stream, allocator: function} assume_unique: neither array has an element twice, which spares a step; indices: where the elements come first in a and in b follows
@return cuda.gpuarray.Array values  1-D
@return cuda.gpuarray.Array ...     with indices: positions in a and in b, in C order, from 1; int64
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator assume_unique indices stream
= cuda.gpuarray.is(x)
Is it an array of this module? The short name of is_array, for asking before a name of an array is used.
@param x any
@return boolean
= cuda.gpuarray.is_array(x)
Is it an array of this module?
@param x any
@return boolean
= cuda.gpuarray.isclose(a, b, options)
For each element: is |a - b| at most atol + rtol * |b|? As NumPy's isclose. Equal infinities are close, and nothing
else is close to an infinite b. Integers of 32 and 64 bits are compared in float64, 16-bit floats in float32.
@param a cuda.gpuarray.Array|number  of any numeric dtype
@param b cuda.gpuarray.Array|number  the reference; broadcasts with a
@param options? {rtol: any, atol: any, equal_nan: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  rtol, atol: numbers or arrays, default 1e-5 and 1e-8; equal_nan: NaN is close to NaN
@return cuda.gpuarray.Array  of bool
@raise LogicError if the shapes do not broadcast, or both are numbers
@options allocator atol equal_nan out rtol stream
= cuda.gpuarray.isfinite(a, options)
Is it neither infinite nor NaN?
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.isin(a, values, options)
For each element: is it among some values? As NumPy's isin. NaN is not, as it equals nothing.
@param a any     array, or host data, if the values are an array
@param values any  array, nested lists or a number
@param options? {invert: boolean, assume_unique: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  invert: is it not among them? assume_unique: taken as NumPy's, makes no difference
@return cuda.gpuarray.Array  of bool, of a's shape
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator assume_unique invert out stream
= cuda.gpuarray.isinf(a, options)
Is it infinite?
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.isnan(a, options)
Is it NaN?
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.j0(a, options)
Bessel function of the first kind, order 0.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.j1(a, options)
Bessel function of the first kind, order 1.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.jn(n, a, options)
Bessel function of the first kind.
@param n cuda.gpuarray.Array|integer  the order, an integer
@param a cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.kron(a, b, options)
The Kronecker product, as NumPy's kron: each element of a becomes a block, that element times b.
@param a cuda.gpuarray.Array
@param b cuda.gpuarray.Array  if one has fewer axes, those that it lacks come first and have one element
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  whose extents are the products of a's and b's
@raise LogicError for more than 32 axes, if the dtypes are not supported, or out does not fit
@options allocator out stream
= cuda.gpuarray.lcm(a, b, options)
The least common multiple, which is not negative; of integers.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.ldexp(a, b, options)
a * 2^b. Exponents that are floats are taken as integers, towards 0, as by PyCUDA.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|integer  an array of integers or floats, or an integer
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.le(a, b, options)
a <= b, as bool. Integers of different types are compared by their values. Not for complex numbers.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.left_shift(a, b, options)
The bits of a, b places higher; 0 if b is not less than the number of bits, or is negative.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.lgamma(a, options)
The logarithm of the absolute value of the gamma function.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.linspace(start, stop, num, dtype, options)
`num` numbers at equal distances, as NumPy's: computed in float64, the last one exactly `stop`.
@param start number  the first
@param stop number   the last; excluded if endpoint is false
@param num? integer  default: 50
@param dtype? any    as for dtype.of; default: dtype.default_float(); integers are rounded down
@param options? {dtype: any, endpoint: boolean, allocator: function, stream: cuda.Stream}  endpoint: default true; allocator: as for empty
@return cuda.gpuarray.Array
@raise LogicError for numbers that are not finite, and those that the dtype cannot hold; MemoryError
@options allocator dtype endpoint num stream
= cuda.gpuarray.load(path, name)
The array of a .npy file, or those of an .npz file, on the device.
@param path string
@param name? string  of an .npz file: the one that is wanted; default: all of them, in a table by name
@return cuda.gpuarray.Array|table<string, cuda.gpuarray.Array>
@raise LogicError if it is not such a file, RuntimeError if it cannot be read
= cuda.gpuarray.log(a, options)
The natural logarithm.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.log10(a, options)
The logarithm to base 10.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.log1p(a, options)
log(1 + a), accurate near 0.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.log2(a, options)
The logarithm to base 2.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.logaddexp(a, b, options)
log(exp(a) + exp(b)).
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logaddexp2(a, b, options)
log2(2^a + 2^b).
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logb(a, options)
The exponent to base 2, as a float.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.logical_and(a, b, options)
Are both true? As bool; what is not 0 is true, also NaN.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logical_not(a, options)
Is it false? As bool; 0 is false.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.logical_or(a, b, options)
Is one of the two true? As bool; what is not 0 is true, also NaN.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logical_xor(a, b, options)
Is just one of the two true? As bool; what is not 0 is true, also NaN.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.logspace(start, stop, num, dtype, options)
`num` numbers from base ^ start to base ^ stop, at equal distances of the exponents, as NumPy's.
@param start number  the first exponent
@param stop number   the last one, as for linspace
@param num? integer  default: 50
@param dtype? any    as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, endpoint: boolean, base: number, stream: cuda.Stream, allocator: function}  base: default 10
@return cuda.gpuarray.Array
@raise LogicError for numbers that are not finite; MemoryError
@options allocator base dtype endpoint num stream
= cuda.gpuarray.logsumexp(a, options)
The logarithm of the sum of the elements' exponentials, without intermediate overflow. Of no elements: -inf.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if the elements are complex, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.lt(a, b, options)
a < b, as bool. Integers of different types are compared by their values. Not for complex numbers.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.masked_fill(a, mask, value, options)
An array with one value where a mask is true, as PyTorch's masked_fill: of the array's own dtype. `{ out = a }`
writes to the array itself.
@param a cuda.gpuarray.Array
@param mask any   array of bool, or whatever is true where it is not 0; broadcasts to a's shape
@param value any  number, or 0-d array here or on the host. Of an array, integers wrap
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError if the mask does not broadcast to a's shape, for a number that the dtype cannot hold, and for an array of a higher kind (float for integer, complex for real: astype() converts)
@options allocator out stream
= cuda.gpuarray.matmul(a, b, options)
The matrix product, as NumPy's matmul: of the last two axes, with the leading axes as a batch that broadcasts. A 1-D
array is a row as the first operand and a column as the second, and the result loses that axis; of two it is dot().
The operands may lie in memory in any way, transposed or sliced; pending ones are computed first, and the product is
computed at once. Each sum has one order, which depends on the extents alone. float16 and bfloat16 are added up as
float32 and rounded once, int8 as int32, other integers and bool in 64 bits; integers wrap.
@param a cuda.gpuarray.Array  (..., m, k)
@param b cuda.gpuarray.Array  (..., k, n)
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: of the result: float32 of 16-bit floats gives the sums unrounded; to other types the operands are converted first
@return cuda.gpuarray.Array  (..., m, n)
@raise LogicError if the shapes do not fit, an operand is 0-d, the dtype is not supported, or out does not fit
@options allocator dtype out stream
= cuda.gpuarray.max(a, options)
The greatest element; NaN if there is one.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.maximum(a, b, options)
The larger one; NaN if one is NaN; -0 is less than 0.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.mean(a, options)
The mean of the elements: of integers, the default float. Of none: NaN.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result; elements are converted to it first. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.median(a, options)
The element in the middle of the sorted ones, or the mean of the two there; NaN if there is a NaN. Integers give
the default float.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list; default: all
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, and for complex numbers
@options allocator axis keepdims out stream
= cuda.gpuarray.meshgrid(...)
An array for each of the given ones: their elements over the grid that they span together, as NumPy's.
@param ... any  arrays of one axis (0-d ones count as such); last {indexing = "xy"|"ij", sparse = boolean, copy = boolean, stream = cuda.Stream, allocator = function}: xy (default), the first array goes along the second axis; sparse: axes of the others have one element; copy = false: views, whose elements are repeated and cannot be written to; allocator: copies
@return cuda.gpuarray.Array ...  as many as there are arrays
@raise LogicError for arrays of more axes
@options allocator copy indexing="xy"|"ij" sparse stream
= cuda.gpuarray.min(a, options)
The least element; NaN if there is one.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.minimum(a, b, options)
The smaller one; NaN if one is NaN; -0 is less than 0.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.mod(a, b, options)
The remainder that goes with floordiv, with the sign of b: a % b.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.modf(a, options)
Numbers as the sum of two of their sign, the second of them whole.
@param a cuda.gpuarray.Array
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array fraction  its absolute value is less than 1
@return cuda.gpuarray.Array whole
@raise LogicError for complex numbers
@options allocator stream
= cuda.gpuarray.moveaxis(a, source, destination)
Axes moved to other places, as a view; the others stay in their order.
@param a any  array, or host data, which is copied to the device
@param source integer|integer[]
@param destination integer|integer[]  as many places
@return cuda.gpuarray.Array
@raise LogicError if an axis or a position is out of range
= cuda.gpuarray.mul(a, b, options)
a * b; integers wrap; of bool: and.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.mul_add(a, selffac, other, otherfac, options)
a * selffac + other * otherfac; as in PyCUDA.
@param a cuda.gpuarray.Array
@param selffac cuda.gpuarray.Array|number
@param other cuda.gpuarray.Array
@param otherfac cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, or the shapes do not broadcast
@options allocator out stream
= cuda.gpuarray.multi_put(arrays, dest_indices, options)
PyCUDA's multi_put: writes the elements of several arrays to the same positions of as many others. Of several
elements with one position the last one stays.
@param arrays cuda.gpuarray.Array[]
@param dest_indices any  positions as for take; as many as each array has elements
@param options? {dest_shape: integer|integer[], out: cuda.gpuarray.Array[]}  out: what is written to; else new arrays of this shape, 0 where nothing is written
@return cuda.gpuarray.Array[]
@raise LogicError as put; then nothing is written
@options dest_shape out
= cuda.gpuarray.multi_take(arrays, indices, options)
PyCUDA's multi_take: of several arrays the elements at the same positions.
@param arrays cuda.gpuarray.Array[]
@param indices any  positions as for take, of the whole array in C order
@param options? {out: cuda.gpuarray.Array[]}  out: get the elements
@return cuda.gpuarray.Array[]
@raise LogicError as take
@options out
= cuda.gpuarray.multi_take_put(arrays, dest_indices, src_indices, options)
PyCUDA's multi_take_put: out[k][dest_indices] = arrays[k][src_indices + src_offsets[k]].
@param arrays cuda.gpuarray.Array[]
@param dest_indices any  positions as for take
@param src_indices any   as many positions
@param options? {dest_shape: integer|integer[], out: cuda.gpuarray.Array[], src_offsets: integer[]}  dest_shape, out: as for multi_put; src_offsets: a number for each array, added to src_indices
@return cuda.gpuarray.Array[]
@raise LogicError as take and put; then nothing is written
@options dest_shape out src_offsets
= cuda.gpuarray.nan_to_num(a, options)
An array with numbers in place of NaN and infinities, as NumPy's nan_to_num; of complex numbers in each part.
@param a cuda.gpuarray.Array
@param options? {nan: number, posinf: number, neginf: number, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  default: 0, and the greatest and the least finite number of the dtype
@return cuda.gpuarray.Array  of a's dtype
@raise LogicError if it is not a number
@options allocator nan neginf out posinf stream
= cuda.gpuarray.nanargmax(a, options)
The position of the greatest element that is a number, from 1; of several, the first. 0 if all are NaN.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.nanargmin(a, options)
The position of the least element that is a number, from 1; of several, the first. 0 if all are NaN.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array  of int64
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.nancumsum(a, options)
The sums of the elements up to each one, as cumsum(); NaN counts as 0.
@param a cuda.gpuarray.Array
@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to it first. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
@options allocator axis dtype out stream
= cuda.gpuarray.nanmax(a, options)
The greatest element that is a number; NaN if none is.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.nanmean(a, options)
The mean of the elements that are numbers; NaN if none is.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.mean
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.nanmedian(a, options)
The element in the middle of those that are numbers, or the mean of the two there, as NumPy's nanmedian; NaN where
none is. Integers give the default float.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list; default: all
@return cuda.gpuarray.Array
@raise LogicError for complex numbers
@options allocator axis keepdims out stream
= cuda.gpuarray.nanmin(a, options)
The least element that is a number; NaN if none is.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims out stream
= cuda.gpuarray.nanpercentile(a, q, options)
As nanquantile, with q in percent, from 0 to 100.
@param a cuda.gpuarray.Array
@param q any
@param options? any  as for quantile
@return cuda.gpuarray.Array
@raise LogicError as nanquantile
@options allocator axis keepdims method out stream
= cuda.gpuarray.nanprod(a, options)
The product of the elements that are numbers, as prod(); NaN counts as 1.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.prod
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.nanquantile(a, q, options)
The elements below which a fraction q of the others lies, of those that are numbers, as NumPy's nanquantile; NaN
where none is.
@param a cuda.gpuarray.Array
@param q any  from 0 to 1, as for quantile
@param options? any  as for quantile
@return cuda.gpuarray.Array
@raise LogicError for complex numbers, and for a q out of range
@options allocator axis keepdims method out stream
= cuda.gpuarray.nanstd(a, options)
The square root of nanvar().
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result. ddof: as for var. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.var
@options allocator axis ddof dtype keepdims out stream
= cuda.gpuarray.nansum(a, options)
The sum of the elements that are numbers, as sum(); NaN counts as 0.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.sum
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.nanvar(a, options)
The variance of the elements that are numbers; NaN if at most ddof are left.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result. ddof: as for var. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError as gpuarray.var
@options allocator axis ddof dtype keepdims out stream
= cuda.gpuarray.ne(a, b, options)
Is a different from b? As bool; NaN is different from everything.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.neg(a, options)
The negative, -a; integers wrap; not for bool.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.newaxis field
@type any
in an index: a new axis of extent 1
= cuda.gpuarray.nextafter(a, b, options)
The next number of this dtype after a, towards b.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.nonzero(a, options)
Where an array is not 0 (true): for each axis the positions on it, in C order; `a[{gpuarray.nonzero(m)}]` are these
elements. The program waits for the array.
@param a cuda.gpuarray.Array
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array ...  as many as a has axes; 1-D, int64
@raise LogicError for a 0-d array
@options allocator stream
= cuda.gpuarray.norm(a, options)
The norm of the elements, taken for a vector: the root of the sum of the squares. Of integers, the default float; of
complex numbers, that of their absolute values.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, ord, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. ord: another one: the ord-th root of the sum of the ord-th powers; 0: how many are not 0; math.huge: the greatest absolute value, -math.huge the least. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if ord is not a number, an axis is out of range or given twice, or out does not fit
@options allocator axis keepdims ord out stream
= cuda.gpuarray.normcdf(a, options)
The cumulative standard normal distribution.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.normcdfinv(a, options)
The inverse of normcdf.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.ones(shape, dtype, options)
An array of ones (of true).
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as empty
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.ones_like(other, dtype, options)
An array of ones (of true) with the shape, dtype and layout of another one.
@param other cuda.gpuarray.Array|cuda.ndarray.Array
@param dtype? any  as for dtype.of; default: the other's
@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty_like
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as empty_like
@options allocator dtype order="C"|"F"|"A"|"K" shape stream
= cuda.gpuarray.outer(a, b, options)
The products of each element of one array with each element of another one, as NumPy's outer: both in C order. An
expression, which is computed later.
@param a cuda.gpuarray.Array
@param b cuda.gpuarray.Array
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  (a.size, b.size)
@raise LogicError if the dtypes are not supported, or out does not fit
@options allocator out stream
= cuda.gpuarray.pad(a, width, mode, options)
The array with a border around it.
@param a any  array, or host data, which is copied to the device
@param width any     how many elements: a number, {before, after} for all axes, or a list of such for each axis
@param mode? string  what the border holds: "constant" (default), "edge": the nearest element, "reflect": mirrored at the outermost elements, "symmetric": mirrored behind them, "wrap": the elements from the other end, "empty": anything
@param options? {constant_values: any, stream: cuda.Stream, allocator: function}  constant_values: of constant: the value, default 0
@return cuda.gpuarray.Array
@raise LogicError for bad widths or modes, and if an axis has no elements to take a border from
@options allocator constant_values stream
= cuda.gpuarray.partition(a, kth, options)
The elements along an axis so that each place of `kth` has the element that sort() puts there, with none before it
that is greater and none behind it that is less, as NumPy's partition. The order of the others is not promised; they
are sorted, which takes no longer here than a selection for several places.
@param a cuda.gpuarray.Array
@param kth integer|integer[]  places on the axis, from 1, negative ones from the end
@param options? any  as for sort, without descending
@return cuda.gpuarray.Array
@raise LogicError for places that are not there, and as sort
@options allocator axis out stream
= cuda.gpuarray.percentile(a, q, options)
As quantile, with q in percent, from 0 to 100.
@param a cuda.gpuarray.Array
@param q any
@param options? any  as for quantile
@return cuda.gpuarray.Array
@raise LogicError as quantile
@options allocator axis keepdims method out stream
= cuda.gpuarray.place(a, condition, values, options)
Writes values one after the other to the elements for which a mask is true, in C order, as NumPy's place. The program
waits for the mask.
@param a cuda.gpuarray.Array  written to
@param condition any  mask: array or nested lists, of as many elements as a
@param values any     array, nested lists or a number; repeated if they are fewer
@param options? {stream: cuda.Stream}
@return cuda.gpuarray.Array a
@raise LogicError if the sizes differ, or there are no values and something is true
@options stream
= cuda.gpuarray.pos(a, options)
The elements as they are, as a new array.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.pow(a, b, options)
a^b. Integers wrap; a negative power of an integer is 0, but of 1 and -1.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.prod(a, options)
The product of the elements, in the types of sum(). Of none: 1.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result; elements are converted to it first. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.ptp(a, options)
The greatest element less the least one.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, out, stream, allocator}, or the axis, as for max
@return cuda.gpuarray.Array
@raise LogicError as max, and for bool, which has no difference
@options allocator axis keepdims out stream
= cuda.gpuarray.put(a, indices, values, options)
Writes to the elements at these positions of the whole array in C order, as NumPy's put. Where a position comes more
than once, its last value stays.
@param a cuda.gpuarray.Array  written to
@param indices any  as for take
@param values any   array, nested lists or a number; repeated, in C order, if they are fewer than the positions
@param options? {mode: "raise"|"wrap"|"clip", stream: cuda.Stream}  as for take
@return cuda.gpuarray.Array a
@raise LogicError as take; then nothing is written
@options mode="raise"|"wrap"|"clip" stream
= cuda.gpuarray.put_along_axis(a, indices, values, axis, options)
Writes to elements of each line along an axis, at positions of its own, as NumPy's put_along_axis.
@param a cuda.gpuarray.Array  written to
@param indices any    as for take_along_axis
@param values any     array, nested lists or a number, that broadcasts to the shape of indices
@param axis? integer  default: the last one
@param options? {stream: cuda.Stream}
@return cuda.gpuarray.Array a
@raise LogicError as take; then nothing is written
@options axis stream
= cuda.gpuarray.putmask(a, condition, values, options)
Writes to each element for which a mask is true the value at its own place among the values, which are repeated, as
NumPy's putmask.
@param a cuda.gpuarray.Array  written to
@param condition any  mask: array or nested lists, of as many elements as a
@param values any     array, nested lists or a number
@param options? {stream: cuda.Stream}
@return cuda.gpuarray.Array a
@raise LogicError if the sizes differ, or there are no values
@options stream
= cuda.gpuarray.quantile(a, q, options)
The elements below which a fraction q of the others lies, as NumPy's quantile; NaN if there is a NaN. Integers
give the default float, or with a method that takes an element, themselves.
@param a cuda.gpuarray.Array
@param q any  from 0 to 1: a number; or a list or an array of numbers, then the result has a first axis for them
@param options? any  {axis, keepdims, method, out, stream, allocator}, or the axis: a number or a list; default: all. method, for places between two elements: "linear" (default), "lower", "higher", "nearest", "midpoint"
@return cuda.gpuarray.Array
@raise LogicError if there are no elements, for complex numbers, and for a q out of range
@options allocator axis keepdims method out stream
= cuda.gpuarray.radians(a, options)
From degrees to radians.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.ravel(a, order)
All elements along one axis: a view if the layout allows it, else a copy.
@param a any  array, or host data, which is copied to the device
@param order? "C"|"F"|"A"|"K"  order of the elements; default "C": the last axis changes fastest; "K": as they lie in memory
@return cuda.gpuarray.Array
= cuda.gpuarray.ravel_multi_index(indices, shape, options)
Positions on each axis of a shape as positions among all its elements, as NumPy's ravel_multi_index.
@param indices any[]  for each axis an array of integers, nested lists or a number, as for unravel_index; broadcast
@param shape integer|integer[]
@param options? {mode: "raise"|"wrap"|"clip", order: "C"|"F", stream: cuda.Stream, allocator: function}  mode: as for take; "raise" (default) waits for the check
@return cuda.gpuarray.Array  int64, from 1
@raise LogicError if positions are out of range, or an axis has no array
@options allocator mode="raise"|"wrap"|"clip" order="C"|"F" stream
= cuda.gpuarray.rcbrt(a, options)
1 / cbrt(a).
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.real(a, options)
The real part.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.reciprocal(a, options)
1 / a.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.repeat_(a, times, axis, options)
Each element several times, one after the other. The name has a line because `repeat` is a word of Lua's.
@param a any  array, or host data, which is copied to the device
@param times integer|integer[]  how often; a list: for each position of the axis
@param axis? integer            default: the elements of the whole array along one axis
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for a value that is not a non-negative integer, or a list of another length
@options allocator axis stream
= cuda.gpuarray.reshape(a, ...)
The same elements with another shape: a view if the layout allows it, else a copy.
@param a any  array, or host data, which is copied to the device
@param ... any  extents, or one list of them; one may be -1, and is computed from the others. A last argument {order = "F"} takes the elements with the first axis changing fastest. Default "C": the last axis; "A": "F" if the array lies in F order alone, else "C"
@return cuda.gpuarray.Array
@raise LogicError if the sizes differ
@options order="F"
= cuda.gpuarray.result_type(...)
As dtype.result_type: the dtype that an operation on all of these together has.
@param ... any  arrays, dtypes, numbers
@return cuda.dtype.DType
@raise LogicError for nothing, for structs, and if an integer type does not hold a number
= cuda.gpuarray.reverse(a, options)
A copy of the elements in reversed order, as PyCUDA's reverse().
@param a any  array, or host data, which is copied to the device
@param options? {stream: cuda.Stream, allocator: function}|cuda.Stream
@return cuda.gpuarray.Array
@options allocator stream
= cuda.gpuarray.rhypot(a, b, options)
1 / hypot(a, b).
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.right_shift(a, b, options)
The bits of a, b places lower; the sign if b is not less than the number of bits, or is negative.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.rint(a, options)
The nearest integer, of two the even one.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.roll(a, shift, axes, options)
The elements shifted along axes; what leaves at one end comes in at the other.
@param a any  array, or host data, which is copied to the device
@param shift integer|integer[]  by how many positions; towards the end if positive
@param axes? integer|integer[]  default: the elements of the whole array, in C order
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError if an axis is out of range, or not one shift or as many as axes
@options allocator axis stream
= cuda.gpuarray.rot90(a, k, axes)
Turned by quarters of a circle in the plane of two axes, from the first towards the second, as a view.
@param a any  array, or host data, which is copied to the device
@param k? integer       how many quarters; default: 1; negative: the other way
@param axes? integer[]  two; default: {1, 2}
@return cuda.gpuarray.Array
@raise LogicError if the two axes do not exist
@options axis k
= cuda.gpuarray.round(a, decimals, options)
The nearest number with so many decimals, as NumPy's round; halves go to the even digit. Integers are exact. 16-bit
floats are computed as float32; what would overflow stays as it is.
@param a cuda.gpuarray.Array
@param decimals? integer  default: 0; -2: to hundreds. May be left out: `a:round { out = b }`
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array  of a's dtype
@raise LogicError if decimals is not an integer
@options allocator out stream
= cuda.gpuarray.round_away(a, options)
The nearest integer, of two the one that is further from 0, as C's round().
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.rsqrt(a, options)
1 / sqrt(a).
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.save(path, a)
Writes an array to a .npy file.
@param path string
@param a any  array
@raise LogicError if a is not an array, RuntimeError if the file cannot be written
= cuda.gpuarray.scalar(value, dtype)
A 0-d array of one value. Unlike a plain number it has a type, which promotion counts.
@param value any   boolean, number, 64-bit integer or complex cdata
@param dtype? any  as for dtype.of; default: as for full
@return cuda.gpuarray.Array
@raise LogicError if the type cannot hold the value
@options dtype
= cuda.gpuarray.scope(fn, ...)
Calls fn(...). What it returns is computed and stays: arrays, and arrays in tables. The memory of all other arrays
that were made inside is freed, and using one of those later is an error. An array is made where it is written,
whoever computes it; one that was made outside stays. A coroutine that fn resumes has scopes of its own.
@param fn function
@param ... any  arguments of fn
@return any ...  what fn returns
@raise what fn raises, and what the kernels raise that compute what it returns; the arrays that it made are gone then
= cuda.gpuarray.searchsorted(a, values, options)
The insertion positions of values in a sorted array, as NumPy's searchsorted: the position of the first element that
is not less, or with side "right" of the first one that is greater; one more than the number of elements if none is.
NaNs are sorted to the end.
@param a cuda.gpuarray.Array  1-D, ascending
@param values any  array, nested lists or a number; numbers that a's integer type does not hold may be among them
@param options? {side: "left"|"right", stream: cuda.Stream, allocator: function}  default: left
@return cuda.gpuarray.Array  int64, of the shape of the values
@raise LogicError if a has not one axis, or for complex types
@options allocator side="left"|"right" stream
= cuda.gpuarray.select(conditions, choices, default, options)
For each element the choice that belongs to the first condition that is true, as NumPy's select; one expression.
@param conditions cuda.gpuarray.Array[]  of bool
@param choices any[]   as many arrays or numbers; all broadcast
@param default? any    array or number, where no condition is true; default: 0
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError if the lists are not of one length, or empty, and if types or shapes do not fit
@options allocator stream
= cuda.gpuarray.setdiff1d(a, b, options)
The elements of an array that are not in another, each once and in ascending order, as NumPy's setdiff1d. The program
waits for the number of elements.
@param a any  array of any shape; one of both may be nested lists or a host array
@param b any
@param options? {assume_unique: boolean, stream: cuda.Stream, allocator: function}  assume_unique: neither array has an element twice: those of a stay in their order
@return cuda.gpuarray.Array  1-D
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator assume_unique stream
= cuda.gpuarray.setxor1d(a, b, options)
The elements that are in just one of two arrays, each once and in ascending order, as NumPy's setxor1d. The program
waits for the number of elements.
@param a any  array of any shape; one of both may be nested lists or a host array
@param b any
@param options? {assume_unique: boolean, stream: cuda.Stream, allocator: function}  assume_unique: neither array has an element twice, which spares a step
@return cuda.gpuarray.Array  1-D
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator assume_unique stream
= cuda.gpuarray.sign(a, options)
The sign: -1, 0 or 1; NaN of NaN; of a complex number the one of length 1 in its direction.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.signbit(a, options)
Is it negative? Also of -0.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.sin(a, options)
Sine, of radians.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.sinc(a, options)
sin(pi * a) / (pi * a), and 1 at 0, as NumPy's sinc; exactly 0 at the other integers.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.sinh(a, options)
Hyperbolic sine.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.sinpi(a, options)
sin(pi * a).
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.sort(a, options)
The elements along an axis in ascending order, as a new array, as NumPy's sort. It is stable: equal elements, and -0
and 0 are equal, keep their order. NaNs come last, being greater than everything; so with descending they come first.
Complex numbers go by their real parts, then by the imaginary ones. `a:sort { out = a }` sorts the array itself.
@param a cuda.gpuarray.Array
@param options? any  {axis: integer, descending: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the axis; default: the last one. out: gets the result, and may be a
@return cuda.gpuarray.Array
@raise LogicError for a 0-d array, an axis out of range, elements of a struct type, and if out does not fit
@options allocator axis descending out stream
= cuda.gpuarray.source(x)
The CUDA C of the kernel that computes an expression; nothing is run.
@param x cuda.gpuarray.Array  that is not computed yet
@return string
@raise LogicError for an array that has its value
= cuda.gpuarray.splay(n, dev)
A grid for n elements, as PyCUDA has it, for kernels whose threads go on to the element that is as many further as
there are threads: as many blocks as the device runs at once, or fewer.
@param n integer  elements
@param dev? cuda.Device  default: that of the current context
@return integer grid   blocks
@return integer block  threads of each
@raise LogicError if n is not a non-negative integer
= cuda.gpuarray.split(a, parts, axis)
Parts along an axis, as views.
@param a any  array, or host data, which is copied to the device
@param parts integer|integer[]  how many, all of one size; or the positions at which all but the last one end
@param axis? integer            default: 1
@return cuda.gpuarray.Array[]
@raise LogicError if the axis has no such parts
@options axis
= cuda.gpuarray.sqrt(a, options)
The square root; of a negative number NaN.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.square(a, options)
a * a.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.squeeze(a, axes)
The same elements without axes of one element, as a view.
@param a any  array, or host data, which is copied to the device
@param axes? integer|integer[]  default: all axes that have one element
@return cuda.gpuarray.Array
@raise LogicError if an axis is out of range, or has not one element
@options axis
= cuda.gpuarray.stack(arrays, axis, options)
Arrays along a new axis.
@param arrays any      list of arrays of one shape; dtypes are promoted
@param axis? integer   where the new axis is in the result; default: 1
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for concatenate
@return cuda.gpuarray.Array
@raise LogicError for no arrays, and if their shapes differ
@options allocator axis dtype out stream
= cuda.gpuarray.std(a, options)
The standard deviation: the square root of the variance.
@param a cuda.gpuarray.Array
@param options? any  as for var
@return cuda.gpuarray.Array
@raise LogicError as mean
@options allocator axis ddof dtype keepdims out stream
= cuda.gpuarray.sub(a, b, options)
a - b; integers wrap; not for bool.
@param a cuda.gpuarray.Array|number
@param b cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.subset_dot(subset, a, b, options)
PyCUDA's sum of the products of the elements at these positions.
@param subset any                as for gpuarray.subset_sum
@param a cuda.gpuarray.Array
@param b cuda.gpuarray.Array
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for dot
@return cuda.gpuarray.Array  0-d
@raise LogicError for positions that are not there, and as gpuarray.dot
@options allocator dtype out stream
= cuda.gpuarray.subset_max(subset, a, options)
PyCUDA's greatest element of those at these positions.
@param subset any                as for gpuarray.subset_sum
@param a cuda.gpuarray.Array
@param options? any              as for gpuarray.max, of the array of elements that are taken
@return cuda.gpuarray.Array
@raise LogicError for positions that are not there, and as gpuarray.max
@options allocator axis keepdims out stream
= cuda.gpuarray.subset_min(subset, a, options)
PyCUDA's least element of those at these positions.
@param subset any                as for gpuarray.subset_sum
@param a cuda.gpuarray.Array
@param options? any              as for gpuarray.min, of the array of elements that are taken
@return cuda.gpuarray.Array
@raise LogicError for positions that are not there, and as gpuarray.min
@options allocator axis keepdims out stream
= cuda.gpuarray.subset_sum(subset, a, options)
PyCUDA's sum of the elements at these positions.
@param subset any                array of integers, here or on the host, or a list: positions in C order, from 1
@param a cuda.gpuarray.Array
@param options? any              as for gpuarray.sum, of the array of elements that are taken
@return cuda.gpuarray.Array
@raise LogicError for positions that are not there, and as gpuarray.sum
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.sum(a, options)
The sum of the elements: integers in 64 bits, float16 and bfloat16 as float32, rounded once. Of none: 0.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1, negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result; elements are converted to it first. out: an array that gets the result
@return cuda.gpuarray.Array
@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
@options allocator axis dtype keepdims out stream
= cuda.gpuarray.swapaxes(a, axis1, axis2)
Two axes exchanged, as a view.
@param a any  array, or host data, which is copied to the device
@param axis1 integer
@param axis2 integer
@return cuda.gpuarray.Array
@raise LogicError if an axis is out of range
= cuda.gpuarray.take(a, indices, options)
The elements at these positions, along an axis or of the whole array in C order, as NumPy's take. Where positions are
checked (mode "raise"), the program waits for the kernel.
@param a cuda.gpuarray.Array
@param indices any  array of integers, here or on the host, nested lists, or a number; positions from 1, negative ones from the end; their shape takes the axis' place
@param options? {axis: integer, mode: "raise"|"wrap"|"clip", out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  axis: default the whole array; mode: how to treat a position out of range: an error (default), it goes round, or it becomes the first or the last one (negative ones the first one)
@return cuda.gpuarray.Array
@raise LogicError for positions that are not there, or of a type or shape that does not fit
@options allocator axis mode="raise"|"wrap"|"clip" out stream
= cuda.gpuarray.take_along_axis(a, indices, axis, options)
Of each line along an axis the elements at positions of its own, as NumPy's take_along_axis: what argsort and argmin
give.
@param a cuda.gpuarray.Array
@param indices any     positions as for take, of as many axes as a; broadcast to a's shape but for the axis
@param axis? integer   default: the last one
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError as take
@options allocator axis stream
= cuda.gpuarray.tan(a, options)
Tangent, of radians.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.tanh(a, options)
Hyperbolic tangent.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.tensordot(a, b, options)
The sums of products over some axes of both arrays, as NumPy's tensordot.
@param a cuda.gpuarray.Array
@param b cuda.gpuarray.Array
@param options? any  {axes: any, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the number of axes. axes: so many of a's last and b's first axes; or a list of axes of each; default: 2
@return cuda.gpuarray.Array  of a's other axes, then b's
@raise LogicError if the shapes do not fit, an axis is out of range or given twice, or out does not fit
@options allocator axes dtype out stream
= cuda.gpuarray.tgamma(a, options)
The gamma function.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.tile(a, ...)
The array repeated as a tile along each axis.
@param a any  array, or host data, which is copied to the device
@param ... any  how often along each axis, or one list; fewer than the axes: for the last ones; more: the array gets axes before its first; last {stream = cuda.Stream, allocator = function}
@return cuda.gpuarray.Array
@raise LogicError for a value that is not a non-negative integer
@options allocator stream
= cuda.gpuarray.to_gpu(values, dtype, options)
A copy of host data on the device.
@param values any  host array, nested tables, a value (0-d); FFI array or struct, string, {ptr =, nbytes =} or object with :buffer(): its bytes, FFI elements of another type are converted; a function of the position, as for from_function; or an array of this module, which is copied
@param dtype? any  as for dtype.of; default: the data's own, for numbers dtype.default_float()
@param options? {dtype: any, order: "C"|"F", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream} order: default the data's own; shape: of buffers and functions; allocator: as for empty
@return cuda.gpuarray.Array
@raise LogicError if it is not array data, MemoryError
@options allocator dtype order="C"|"F" shape stream
= cuda.gpuarray.to_gpu_async(values, stream, options)
A copy of host data on the device, in the order of a stream: returns at once if the data is in page-locked memory,
which must not be changed before the stream is done with it.
@param values any  as for to_gpu
@param stream? cuda.Stream  default: the current one
@param options? {dtype: any, order: "C"|"F", shape: integer[], allocator: fun(bytes: integer): any}  as for to_gpu
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as to_gpu
@options allocator dtype order="C"|"F" shape
= cuda.gpuarray.topk(a, k, options)
The k greatest elements along an axis, the greatest first, and where they are; of equal ones the first. NaNs are
greater than everything.
@param a cuda.gpuarray.Array
@param k integer
@param options? any  {axis: integer, largest: boolean, stream: cuda.Stream, allocator: function}, or the axis; default: the last one. largest = false: the k least elements, the least first
@return cuda.gpuarray.Array values
@return cuda.gpuarray.Array positions  int64, on the axis, from 1
@raise LogicError if the axis has fewer elements, and as sort
@options allocator axis k largest stream
= cuda.gpuarray.trace(a, k, options)
The sum of a diagonal, as NumPy's trace.
@param a cuda.gpuarray.Array
@param k? integer    the diagonal: 0 (default) the main one, above it positive, below negative
@param options? {axis1: integer, axis2: integer, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  axis1, axis2: of the matrices; default: 1 and 2. dtype: as for sum
@return cuda.gpuarray.Array  without these axes
@raise LogicError for fewer than two axes, if the dtype is not supported, or out does not fit
@options allocator axis1 axis2 dtype k out stream
= cuda.gpuarray.transpose(a, ...)
The same elements with the axes in another order, as a view.
@param a any  array, or host data, which is copied to the device
@param ... any  axes, or one list of them; none: the reverse
@return cuda.gpuarray.Array
@raise LogicError if they do not name each axis once
= cuda.gpuarray.trapezoid(y, options)
The area under a line through points, as NumPy's trapezoid: the sum of (y[i] + y[i + 1]) / 2 times the distance of
both places. Integers become the default float, and 16-bit floats are computed as float32.
@param y cuda.gpuarray.Array  the values
@param options? {x: any, dx: number, axis: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  x: the places, one for each element of the axis, or of as many axes as y; dx: their distance, default 1; axis: default the last one
@return cuda.gpuarray.Array  without that axis
@raise LogicError if x does not fit, y is 0-d, or out does not fit
@options allocator axis dx out stream x
= cuda.gpuarray.tri(rows, columns, k, dtype, options)
Ones on and below a diagonal, zeros above it.
@param rows integer
@param columns? integer  default: rows
@param k? integer        the diagonal, as for eye
@param dtype? any        as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for extents that are not non-negative integers; MemoryError
@options allocator dtype k stream
= cuda.gpuarray.tril(a, k, options)
The elements on and below a diagonal of the last two axes, zeros above it.
@param a any  array
@param k? integer  the diagonal, as for eye
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for a 0-d array
@options allocator k stream
= cuda.gpuarray.triu(a, k, options)
The elements on and above a diagonal of the last two axes, zeros below it.
@param a any  array
@param k? integer  the diagonal, as for eye
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for a 0-d array
@options allocator k stream
= cuda.gpuarray.trunc(a, options)
The next integer towards 0.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.union1d(a, b, options)
The elements that are in one of two arrays or in both, each once and in ascending order, as NumPy's union1d. The
program waits for the number of elements.
@param a any  array of any shape; one of both may be nested lists or a host array
@param b any
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  1-D
@raise LogicError for elements of a struct type, and if neither is an array
@options allocator stream
= cuda.gpuarray.unique(a, options)
The elements of an array that differ, in ascending order, as NumPy's unique: all NaNs are one element. What was asked
for follows, in this order; the program waits for the number of elements.
@param a cuda.gpuarray.Array  of any shape, in C order
@param options? {index: boolean, inverse: boolean, counts: boolean, stream: cuda.Stream, allocator: function} index: where each comes first; inverse: which of them each element of a is; counts: how often each comes
@return cuda.gpuarray.Array values  1-D
@return cuda.gpuarray.Array ...     int64; positions from 1; inverse has a's shape
@raise LogicError for elements of a struct type
@options allocator counts index inverse stream
= cuda.gpuarray.unravel_index(indices, shape, options)
Positions among all elements of a shape as positions on each axis, as NumPy's unravel_index: what argmin of a whole
array gives. The program waits for the check of the positions.
@param indices any  array of integers, here or on the host, nested lists, or a number; from 1, negative ones from the end
@param shape integer|integer[]
@param options? {order: "C"|"F", stream: cuda.Stream, allocator: function}  order "F": the first axis counts fastest
@return cuda.gpuarray.Array ...  one for each axis: int64, from 1, of the shape of indices
@raise LogicError for positions that are not there, and for a bad shape
@options allocator order="C"|"F" stream
= cuda.gpuarray.unstack(a, axis)
The parts along an axis as a list of views, without that axis, as unstack of the array API standard: what stack()
joins.
@param a any  array, or host data, which is copied to the device
@param axis? integer  default: 1
@return cuda.gpuarray.Array[]
@raise LogicError for a 0-d array, and if an axis is out of range
@options axis
= cuda.gpuarray.unwrap(p, options)
Angles along an axis without jumps, as NumPy's unwrap: whole periods are added so that no element is further than
half a period from the one before. Floats keep their dtype; integers become int64, or the default float if the period
is not an integer.
@param p cuda.gpuarray.Array  of real numbers
@param options? {discont: number, axis: integer, period: number, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  period: default 2 pi. discont: jumps below it stay; default, and the least that counts: half a period. axis: default the last one
@return cuda.gpuarray.Array  of p's shape
@raise LogicError for complex numbers, a 0-d array, a period that is not positive, or if out does not fit
@options allocator axis discont out period stream
= cuda.gpuarray.var(a, options)
The variance: the mean of the squared distances from the mean. Of integers, the default float; those of 32 and 64
bits have float64 intermediates.
@param a cuda.gpuarray.Array
@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for mean. ddof: the squares' sum is divided by the number of elements less this; default 0
@return cuda.gpuarray.Array
@raise LogicError as mean
@options allocator axis ddof dtype keepdims out stream
= cuda.gpuarray.vdot(a, b, options)
The dot product with the first operand's complex conjugate, of all elements of two arrays in C order.
@param a cuda.gpuarray.Array
@param b cuda.gpuarray.Array  of as many elements
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for dot
@return cuda.gpuarray.Array  0-d
@raise LogicError if the numbers of elements differ, the dtype is not supported, or out does not fit
@options allocator dtype out stream
= cuda.gpuarray.vec field
@type cuda.vec
CUDA's vectors, as element types
= cuda.gpuarray.vecdot(a, b, options)
The dot products of vectors along an axis, as NumPy's vecdot: the first operand is conjugated, and the shapes
broadcast. float16 and bfloat16 are added up as float32 and rounded once, integers in 64 bits.
@param a cuda.gpuarray.Array
@param b cuda.gpuarray.Array
@param options? any  {axis: integer, dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the axis; default: the last one. dtype: of the result; elements are converted to it first
@return cuda.gpuarray.Array  without that axis
@raise LogicError if the axis has different extents, the shapes do not broadcast, or out does not fit
@options allocator axis dtype out stream
= cuda.gpuarray.vstack(arrays, options)
Arrays below each other: along the first axis, 1-D ones as rows.
@param arrays any  list of arrays
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for concatenate
@return cuda.gpuarray.Array
@raise LogicError as concatenate
@options allocator dtype out stream
= cuda.gpuarray.where(c, a, b, options)
where(c, a, b): elements of a where c is true (not 0), of b elsewhere; all three broadcast. where(c): nonzero(c).
@param c cuda.gpuarray.Array
@param a? any  array or number
@param b? any  array or number
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array ...
@raise LogicError if shapes or types do not fit
@options allocator out stream
= cuda.gpuarray.wrap(memory, shape, dtype, options)
An array over device memory that other code owns, without a copy. Writes go to this memory, and as others may
write to it at any time, operations on the array are computed at once.
@param memory any  memory of this library (mem_alloc, pools, managed or page-locked), a DevicePointer, an address as a number, or an object with get_pointer()
@param shape integer|integer[]  as for empty
@param dtype? any  as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, strides: integer[], order: "C"|"F", offset: integer, base: any}  strides: bytes for each axis, in place of order; offset: bytes from the memory's beginning to the first element, default 0; base: kept alive with the array
@return cuda.gpuarray.Array
@raise LogicError if the array reaches beyond the memory, as far as its size is known, or is not aligned to its elements
@options base dtype offset order="C"|"F" strides
= cuda.gpuarray.y0(a, options)
Bessel function of the second kind, order 0.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.y1(a, options)
Bessel function of the second kind, order 1.
@param a cuda.gpuarray.Array
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if a's dtype is not supported
@options allocator out stream
= cuda.gpuarray.yn(n, a, options)
Bessel function of the second kind.
@param n cuda.gpuarray.Array|integer  the order, an integer
@param a cuda.gpuarray.Array|number
@param options? cuda.operation_options  out, stream, allocator
@return cuda.gpuarray.Array
@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
@options allocator out stream
= cuda.gpuarray.zeros(shape, dtype, options)
An array of zeros (of false).
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as empty
@options allocator dtype order="C"|"F" stream
= cuda.gpuarray.zeros_like(other, dtype, options)
An array of zeros (of false) with the shape, dtype and layout of another one.
@param other cuda.gpuarray.Array|cuda.ndarray.Array
@param dtype? any  as for dtype.of; default: the other's
@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream: cuda.Stream}  as for empty_like
@return cuda.gpuarray.Array
@raise LogicError, MemoryError as empty_like
@options allocator dtype order="C"|"F"|"A"|"K" shape stream
= cuda.operation_options class
Options of operations. A stream may stand in the place of the table.
@field out? cuda.gpuarray.Array  gets the result, in place of a new array
@field stream? cuda.Stream  the result is computed in it, at once
@field allocator? fun(bytes: integer): any  gives the memory of the result, as for gpuarray.empty
= cuda.DebugMemoryPool class
A DeviceMemoryPool that says where memory is asked for: each time it needs more from the driver, it writes what is in
use, by the place of the allocation.
@call fun(options?: {interactive: boolean, logfile: file*}): cuda.DebugMemoryPool  interactive: wait for the Enter key after each report, default false; logfile: anything with :write(), default io.stderr
@options interactive logfile
= cuda.DebugMemoryPool:allocate(bytes, stream)
Device memory from the pool; writes a report if the pool had to ask the driver for it.
@param bytes integer  at least 1
@param stream? cuda.Stream  default: the current stream
@return cuda.PooledDeviceAllocation
@raise MemoryError, LogicError as DeviceMemoryPool:allocate
= cuda.DebugMemoryPool:histogram()
What is in use now, by the places where it was allocated.
@return {place: string, count: integer, bytes: integer}[]  most bytes first; place: "file:line" of the callers, the nearest first
= cuda.DebugMemoryPool:report()
Writes the histogram to the log.
= cuda.DeviceAllocation:free_async(stream)
cuMemFreeAsync: gives memory of mem_alloc_async() or of a MemoryPool back in the order of a stream, which waits for
the
work of all others with it.
@param stream? cuda.Stream  default: the one that it was allocated in
@raise LogicError if it was already freed, for other memory, and in a stream that is being captured
= cuda.DeviceMemoryPool class
Keeps blocks of mem_alloc() by their size, of the context that is current when it is made. A block that was freed is
handed out again at once, unless other streams than the one that it is handed out for have work to do on it.
@call fun(): cuda.DeviceMemoryPool
@field held_blocks integer    free blocks that it keeps
@field held_bytes integer     of them
@field active_blocks integer  blocks in use
@field active_bytes integer   bytes that were asked for, of the blocks in use
@field managed_bytes integer  of all its blocks, free or in use
= cuda.DeviceMemoryPool:alloc_size(bin)
The size of the blocks in a bin.
@param bin integer  of bin_number()
@return integer  bytes
@raise LogicError if it is not a bin
= cuda.DeviceMemoryPool:allocate(bytes, stream)
Device memory for work in a stream; work in other streams has to wait for that one's earlier work.
@param bytes integer  at least 1
@param stream? cuda.Stream  default: the current stream
@return cuda.PooledDeviceAllocation
@raise MemoryError as mem_alloc, after everything that the pool held was given back; LogicError unless the pool's context is current
= cuda.DeviceMemoryPool:bin_number(size)
The bin of a size. A block has the size of the largest member of its bin.
@param size integer  bytes
@return integer  16 bins to an octave: 16 times the exponent of 2, and the next four bits
@raise LogicError if it is not a size
= cuda.DeviceMemoryPool:close()
Ends the pool. Blocks in use stay until they are freed.
@raise LogicError if it was already closed
= cuda.DeviceMemoryPool:free_held()
cuMemFree of all blocks that the pool holds and that are not in use.
@raise LogicError if the pool was closed
= cuda.DeviceMemoryPool:stop_holding()
Holds nothing any more: frees what is held, and from here on each block as it comes back.
@raise LogicError if the pool was closed
= cuda.HostAllocator class
How a PageLockedMemoryPool gets its memory.
@field flags integer  cuda.host_alloc_flags
= cuda.MemoryPool class
A pool of the driver's: memory that was freed in a stream stays with it, for the next allocation. Dropped, it goes
when the last of its memory is freed. Locations besides "device" need a driver of CUDA 13.0.
@call fun(options?: cuda.MemoryPoolOptions): cuda.MemoryPool
@options device location="device"|"host"|"host_numa"|"none"|"device"|"host"|"host_numa"|"none" managed max_size numa_node="host_numa" release_threshold shareable="device"|"host_numa"
= cuda.MemoryPool:alloc(bytes, stream)
cuMemAllocFromPoolAsync: as cuda.mem_alloc_async(), from this pool.
@param bytes integer  at least 1
@param stream? cuda.Stream  default: the current stream
@return cuda.DeviceAllocation
@raise MemoryError, LogicError as mem_alloc_async
= cuda.MemoryPool:close()
cuMemPoolDestroy. Memory of it that is in use stays until it is freed.
@raise LogicError if it was already closed, and for the default pool of a device
= cuda.MemoryPool:get_attribute(attribute)
cuMemPoolGetAttribute.
@param attribute integer|string  cuda.mempool_attribute, or its name: "used_mem_current", "reserved_mem_high" ...
@return integer|boolean  bytes (math.huge for all of them), or for reuse_... a boolean
@raise LogicError for another name
= cuda.MemoryPool:get_device()
The one that it was made for.
@return cuda.Device  whose memory it is, or which was given access to it
= cuda.MemoryPool:handle()
The driver's handle.
@return number  the CUmemoryPool as a number, for other libraries
= cuda.MemoryPool:make_current()
cuDeviceSetMemPool: mem_alloc_async() takes memory from this pool from here on, on its device. A pool of another
location becomes the current one there (cuMemSetMemPool).
@return cuda.MemoryPool self
@raise LogicError if the pool was closed
= cuda.MemoryPool:set_access(device, access)
cuMemPoolSetAccess: whether another device may use memory of this pool.
@param device cuda.Device|integer
@param access? "read_write"|"none"  default "read_write"
@return cuda.MemoryPool self
@raise LogicError for a device that cannot
= cuda.MemoryPool:set_attribute(attribute, value)
cuMemPoolSetAttribute.
@param attribute integer|string  cuda.mempool_attribute, or its name: "release_threshold", "reuse_..."; "..._high" may be set to 0
@param value integer|boolean  bytes (math.huge for all of them), or for reuse_... a boolean
@return cuda.MemoryPool self
@raise LogicError for what cannot be set
= cuda.MemoryPool:trim_to(bytes)
cuMemPoolTrimTo: gives memory that is not in use back to the device.
@param bytes? integer  what it may keep; default 0
@return cuda.MemoryPool self
@raise LogicError if it is not a size
= cuda.MemoryPoolOptions class
@field device? cuda.Device|integer  whose memory it is, or which may use it; default: that of the current context
@field release_threshold? integer      bytes that it keeps at a synchronisation; default: all of them (math.huge)
@field max_size? integer               most bytes that it has; default: no limit
@field location? "device"|"host"|"host_numa"|"none"  where its memory is; default "device". "host" and "host_numa": page-locked memory that the host and `device` use at its address (`a:ptr()`). "none": of managed memory, anywhere
@field numa_node? integer              of "host_numa"; default 0
@field managed? boolean                true: managed memory, whose preferred location is `location`
@field shareable? boolean              true: other processes may import it; for "device" and "host_numa"
= cuda.MemoryStats class
@field plain cuda.MemoryCount        of mem_alloc, mem_alloc_pitch, to_device ...
@field async cuda.MemoryCount        of mem_alloc_async and MemoryPool:alloc
@field pooled cuda.MemoryCount       blocks of DeviceMemoryPools in use
@field managed cuda.MemoryCount      of managed_empty ...
@field arrays cuda.MemoryCount       of Array
@field textures cuda.MemoryCount     of TextureObject and SurfaceObject, each counted as 16 KiB
@field pinned cuda.MemoryCount       page-locked host memory
@field registered cuda.MemoryCount   host memory of register_host_memory
@field aligned cuda.MemoryCount      plain host memory of aligned_empty ...
@field held cuda.MemoryCount         free blocks that DeviceMemoryPools keep
@field pinned_held cuda.MemoryCount  free blocks that PageLockedMemoryPools keep
@field queued cuda.MemoryCount       of the device memory above: collected, and not yet given back
@field live integer              bytes of device memory that objects of the program have
@field collections integer       that allocations of this Lua state ran
@field collect_seconds number    spent in them
@field budget number             bytes: a collection runs when so many more are alive than after the last one
@field finalizer_errors integer  errors of other finalizers in these collections
@field failed_destroys integer   what the driver refused to give back in finalizers
= cuda.PageLockedAllocator(flags)
Page-locked host memory with these flags, for a PageLockedMemoryPool.
@param flags? integer|string|(integer|string)[]  cuda.host_alloc_flags: "portable", "devicemap", "writecombined"
@return cuda.HostAllocator
@raise LogicError for other flags
= cuda.PageLockedMemoryPool class
Keeps blocks of page-locked host memory by their size. Its statistics are those of a DeviceMemoryPool.
@call fun(allocator?: cuda.HostAllocator): cuda.PageLockedMemoryPool
@field held_blocks integer
@field held_bytes integer
@field active_blocks integer
@field active_bytes integer
@field managed_bytes integer
= cuda.PageLockedMemoryPool:alloc_size(bin)
The size of the blocks in a bin, as DeviceMemoryPool:alloc_size.
@param bin integer  of bin_number()
@return integer  bytes
@raise LogicError if it is not a bin
= cuda.PageLockedMemoryPool:allocate(shape, dtype, order)
A host array in page-locked memory. Its base is the PooledHostAllocation; when both are dropped, or the base is
freed, the block goes back to the pool, after asynchronous copies that use it.
@param shape integer|integer[]  extents; {} for a 0-d array, a number for a 1-D one
@param dtype any
@param order? "C"|"F"  default "C"
@return cuda.ndarray.Array
@raise MemoryError; LogicError for a bad shape, dtype or order, and unless the pool's context is current
= cuda.PageLockedMemoryPool:bin_number(size)
The bin of a size, as DeviceMemoryPool:bin_number.
@param size integer  bytes
@return integer
@raise LogicError if it is not a size
= cuda.PageLockedMemoryPool:close()
Ends the pool. Blocks in use stay until they are freed.
@raise LogicError if it was already closed
= cuda.PageLockedMemoryPool:free_held()
cuMemFreeHost of all blocks that the pool holds and that are not in use.
@raise LogicError if the pool was closed
= cuda.PageLockedMemoryPool:stop_holding()
Holds nothing any more: frees what is held, and from here on each block as it comes back.
@raise LogicError if the pool was closed
= cuda.PooledDeviceAllocation class
Device memory of a DeviceMemoryPool. It is used as a DeviceAllocation is: `#a` is the size that was asked for, `a +
bytes`
a DevicePointer to what follows.
= cuda.PooledDeviceAllocation:close()
The same as free().
@raise LogicError if it was already freed
= cuda.PooledDeviceAllocation:free()
Gives the block back to its pool. Waits for nothing, unless the pool was closed or holds nothing any more.
@raise LogicError if it was already freed
= cuda.PooledDeviceAllocation:ptr()
CUdeviceptr.
@return number  the device address
@raise LogicError if it was freed
= cuda.PooledHostAllocation class
Page-locked memory of a PageLockedMemoryPool: the base of the host arrays that it allocates. `#a` is its size in
bytes.
= cuda.PooledHostAllocation:close()
The same as free().
@raise LogicError if it was already freed
= cuda.PooledHostAllocation:free()
Gives the block back to its pool, after copies that use it. Its array cannot be used any more.
@raise LogicError if it was already freed
= cuda.PooledHostAllocation:get_device_pointer()
cuMemHostGetDevicePointer.
@return cuda.DevicePointer  to it, which keeps it alive
@raise LogicError if it was freed, and if the device does not reach it
= cuda.PooledHostAllocation:ptr()
cuMemHostGetDevicePointer.
@return number  its address on the device
@raise LogicError if it was freed
= cuda.collect()
Runs Lua's garbage collector and gives everything that it finds back to the driver. Finalizers themselves never
wait, so what would wait for running kernels is otherwise done by the next allocation or synchronisation.
= cuda.default_mempool(device)
cuDeviceGetDefaultMemPool: what mem_alloc_async() takes memory from unless another pool was made current. It cannot
be closed.
@param device? cuda.Device|integer  default: that of the current context
@return cuda.MemoryPool  the same object each time, while it is alive
@raise LogicError for a device without pools (801) or that does not exist (101); (201) without a current context
= cuda.gc_budget(budget)
How many bytes of device and page-locked memory may become garbage before an allocation runs Lua's collector, which
cannot see them. "auto": 64 MiB, more if a collection takes long or finds nothing, less if the device has
little to spare. The environment variable CUDALUA_GC_BUDGET sets it at the start. For this Lua state.
@param budget? integer|string|boolean  "auto", bytes ("256M" is a number too), "off" or false; nil: only ask
@return integer|string budget  what it was: "auto", "off" or bytes
@raise LogicError for anything else
= cuda.mem_alloc_async(bytes, stream)
cuMemAllocAsync: device memory from the device's current pool, in the order of a stream: work submitted to that
stream from now on may use it, work in other streams has to wait for it (Event). :free() gives it back in the same
order, after the work that other streams were given with it, and waits for nothing; nor does the collector. So a pair
of both takes a microsecond; mem_alloc takes fifty. The default pool keeps what is freed from the first use on
(its release_threshold is raised if it was 0); default_mempool():trim_to(0) gives it back.
@param bytes integer  at least 1
@param stream? cuda.Stream  default: the current stream
@return cuda.DeviceAllocation
@raise MemoryError as mem_alloc; LogicError (201) without a current context, for a stream that is closed, of another context or being captured, and (801) for a device without memory pools
= cuda.mem_alloc_like(buf)
Device memory of the size of something else; nothing is copied.
@param buf any  memory, host array, FFI array or struct, string, {ptr =, nbytes =}, object with :buffer()
@return cuda.DeviceAllocation
@raise MemoryError as mem_alloc; LogicError if the size is 0 or not known
= cuda.mem_stats()
The memory in use, by kind. tostring() and print() list the kinds that were ever used.
@return cuda.MemoryStats
= cuda.CacheState class
@field folders string[]  exported folders in use, the first one first
@field exported integer  kernels that this process took from them
= cuda.ExportReport class
What cuda.cache.export wrote. tostring() gives it as text.
@field dir string
@field archs string[]   "sm_80": machine code, "compute_80": PTX
@field nvrtc string     version of the compiler
@field driver string    which driver the images need
@field kernels {name: string, file: string, archs: string[], bytes: integer}[]
@field bytes integer
@field refused string[]  sources that the compiler refused, in the run as now
@field failed {name: string, arch: string, message: string}[]  images that could not be made
@field left {name: string, why: string}[]  compilations that cannot be exported
@field notes string[]   what else to know
= cuda.cache module
Compiled kernels that outlive the process.
= cuda.cache.clear()
Removes every entry of the disk cache, as cuda.clear_cache. Exported folders stay as they are.
@return integer entries  how many there were
= cuda.cache.export(dir, archs)
Writes the kernels that this process has asked for so far into a folder, compiled for named devices. A program that
uses the folder runs without NVRTC. Another export into the same folder adds to it.
@param dir string       made if it does not exist
@param archs? string[]  "sm_90": machine code for compute capability 9.0; "compute_90": PTX, which newer devices compile. PTX for the oldest one is always written. Default: the current device's; on the software device compute_80
@return cuda.ExportReport report  what was written and what could not be
@raise LogicError for architectures that NVRTC does not know; RuntimeError if NVRTC is not found, or if the folder cannot be written or has something else in it
= cuda.cache.info()
The disk cache of compiled kernels, exported folders in use, and what this process had of both.
@return cuda.CacheState
= cuda.cache.use(dir)
Takes kernels from an exported folder from now on, before the disk cache and NVRTC. Kernels that are loaded stay as
they are. The folder that was named last is looked at first; CUDALUA_KERNELS names others, with colons between them.
@param dir string
@raise RuntimeError if the folder does not exist, was not exported, or is of another version of this library
= cuda.characterize module
What PyCUDA's characterize tells of a device and of its compiler.
= cuda.characterize.has_double_support()
Whether kernels can compute with doubles: on the devices of today they can.
@return boolean
@raise LogicError (201) without a current context
= cuda.characterize.has_stack()
Whether functions of kernels can call each other and themselves: the devices of today can.
@return boolean
@raise LogicError (201) without a current context
= cuda.characterize.platform_bits()
How many bits the program's pointers have.
@return integer  64: there is no other CUDA
= cuda.characterize.sizeof(type_name, preamble)
How many bytes a type has in kernels: a kernel tells.
@param type_name string  "float3", "long", "struct node"
@param preamble? string  CUDA C before it that declares the type: includes, structs
@return integer
@raise CompileError if there is no such type; LogicError for anything but strings, (201) without a current context, and while a stream is being captured
= cuda.debug module
Recording launches, and repeating them on the software device.
= cuda.debug.Replay class
What a replay found. Prints as its text.
@field fault boolean    the kernel failed, or a check found something
@field text string      for people
@field kernel string
@field kind string?     as softgpu.report "json" has it: "out_of_bounds", "race" ...; nil without a fault
@field file string?     of the source
@field line integer?    in it
@field block integer[]? {x, y, z}
@field thread integer[]?
@field output string    what the kernel printed
= cuda.debug.record(on, options)
Records launches, or stops it. Before each launch the kernel's arguments and the allocations that they point into are
copied to the host, and what its textures and surfaces read. The last launch is kept, also after record(false). A
fault is then raised by the next launch or wait, while the recording is still that of the kernel at fault. Each
launch waits for all work before it, so programs get much slower. Pointers inside memory are not followed; pointers
in structs that are passed by value are. Launches of graphs and into captures are not recorded. Other Lua states
record for themselves.
@param on boolean
@param options? {bytes: integer}  bytes: most bytes of memory that are kept, default 256 MiB. Of allocations beyond it only the size is kept
@return boolean before  whether launches were recorded
@raise LogicError for other arguments
@options bytes
= cuda.debug.replay(path)
Repeats a recorded launch on the software device with all of its checks, in a child process. Works after the GPU is
lost to this process. Prints as a text that names the access, the line of the source, block and thread.
@param path? string  a file of save(); default: the last recorded launch
@return cuda.debug.Replay
@raise LogicError if nothing is recorded or the file is no recording; RuntimeError if luajit is not found (CUDALUA_LUAJIT names it), if the kernel came as machine code or if the software device does not take it
= cuda.debug.save(path)
Writes the recorded launch to a file, for replay() on another machine. The kernel is compiled for the software device
first, so NVRTC is needed if the program runs on a GPU.
@param path string
@raise LogicError if nothing is recorded, RuntimeError if the file cannot be written or if the kernel came as machine code
= cuda.dtype module
`dtype(x)` is `dtype.of(x)`.
@call fun(x: any): cuda.dtype.DType
= cuda.dtype.DType class
An element type. There is one object for each, so that == compares them. Read only.
@field name string        "float32"
@field kind string        "bool", "int", "uint", "float", "complex" or "struct"
@field itemsize integer   bytes
@field alignment integer  bytes
@field ctype ffi.ctype*   an element as FFI sees it
@field code string        NumPy's code: "<f4"; "<V2" for bfloat16, "|V12" for a struct of 12 bytes
@field fields cuda.dtype.Field[]?  of structs; a fresh list
= cuda.dtype.FloatInfo class
The limits of a float type.
@field dtype cuda.dtype.DType  of a complex type, that of its parts
@field bits integer             of a number
@field nmant integer            bits of the significand that are stored
@field eps number               from 1 to the next number
@field epsneg number            from the number before 1 to 1
@field max number               the greatest finite number
@field min number               -max
@field smallest_normal number   the least positive number of full precision; `tiny` is another name
@field tiny number
@field smallest_subnormal number  the least positive number
@field precision integer        decimal digits that it keeps
@field resolution number        10^-precision
= cuda.dtype.IntegerInfo class
The limits of an integer type.
@field dtype cuda.dtype.DType
@field bits integer
@field min integer|ffi.cdata*  int64_t cdata of int64
@field max integer|ffi.cdata*  int64_t cdata of int64, uint64_t cdata of uint64
= cuda.dtype.bfloat16 field
@type cuda.dtype.DType
the upper half of a float32; as ctype the bits, uint16_t
= cuda.dtype.bool field
@type cuda.dtype.DType
true and false, a byte each
= cuda.dtype.can_cast(from, to)
Does promotion convert one type to another? That is, do both together give `to`: int64 and float32 give float32.
@param from any  as for dtype.of, or an array
@param to any    as for dtype.of
@return boolean
@raise LogicError if one is not a dtype
= cuda.dtype.complex128 field
@type cuda.dtype.DType
two float64; values are FFI's complex numbers, with .re and .im
= cuda.dtype.complex64 field
@type cuda.dtype.DType
two float32; values are FFI's complex numbers, with .re and .im
= cuda.dtype.default_float(dt)
The default float type: float32 until it is set, for the whole Lua state.
@param dt? any  float16, bfloat16, float32 or float64, as for dtype.of: sets it
@return cuda.dtype.DType
@raise LogicError for any other type
= cuda.dtype.finfo(x)
The limits of a float type, as NumPy's finfo.
@param x any  as for dtype.of, or an array; of a complex type the parts count
@return cuda.dtype.FloatInfo  a fresh table
@raise LogicError for other types
= cuda.dtype.float16 field
@type cuda.dtype.DType
IEEE half precision; as ctype the bits, uint16_t
= cuda.dtype.float32 field
@type cuda.dtype.DType
single precision, C's float
= cuda.dtype.float64 field
@type cuda.dtype.DType
double precision
= cuda.dtype.iinfo(x)
The limits of an integer type, as NumPy's iinfo.
@param x any  as for dtype.of, or an array
@return cuda.dtype.IntegerInfo  a fresh table
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
Is it a dtype?
@param x any
@return boolean
= cuda.dtype.list field
@type cuda.dtype.DType[]
all of them, in the order of this list
= cuda.dtype.of(x)
The dtype of that name or C type.
@param x any  a dtype; a name ("float32"), a C or CUDA name ("unsigned int", "half"; "float" is C's, 32 bits), one of CUDA's vectors ("float4") or a struct that tools.get_or_register_dtype() made known; NumPy's code ("<f4", "f4", "f"); or an FFI ctype
@return cuda.dtype.DType
@raise LogicError if no dtype has it
= cuda.dtype.pack_bfloat16(x)
The bits of the bfloat16 that is nearest to a number, ties to even; 0x7fc0 for NaN.
@param x number
@return integer bits  0 to 65535
@raise LogicError if it is not a number
= cuda.dtype.pack_float16(x)
The bits of the float16 that is nearest to a number, ties to even; 0x7e00 for NaN.
@param x number
@return integer bits  0 to 65535
@raise LogicError if it is not a number
= cuda.dtype.promote(a, b)
The dtype that an operation on two arrays computes in. bool < integer < float < complex: the higher kind decides
(int64 and float16 give float16), but no float loses precision to a complex type (float64 and complex64 give
complex128). Within a kind the larger; if neither holds the other, the smallest that holds both (int8 and
uint8 give int16, float16 and bfloat16 float32), and the default float for a signed type with uint64.
@param a any  as for dtype.of
@param b any  as for dtype.of
@return cuda.dtype.DType
@raise LogicError if one is not a dtype
= cuda.dtype.promote_value(a, value)
The dtype that an operation on an array and a plain value computes in. A value is weak: it has a kind, but no
size. An integer leaves integers as they are, a number leaves floats and complex types as they are; a fraction
turns integers into the default float. With bool, an integer gives int64.
@param a any      dtype of the array, as for dtype.of
@param value any  boolean, number, or int64_t, uint64_t or complex cdata
@return cuda.dtype.DType
@raise LogicError if an integer type cannot hold the integer, or the value is none of these
= cuda.dtype.result_type(...)
The dtype that an operation on all of these together has. Their order does not count: types of the highest kind
decide first, and plain numbers, which are weak, last.
@param ... any  arrays; dtypes, as for dtype.of; booleans, numbers, integer and complex cdata
@return cuda.dtype.DType
@raise LogicError for nothing, for structs, and if an integer type does not hold a number
= cuda.dtype.struct(fields, options)
A struct as C lays it out. Its elements are FFI structs with these fields; the dtype itself makes them when it is
called: `particle(1, 2)` by position, `particle { x = 1 }` by name, the rest is zero. In an FFI struct a float16 or
bfloat16 is its bits and a pointer an address; a:field() and a:tolist() of arrays give numbers. The same description
gives the same object.
@param fields any[]  { name, type } or { name, type, extents } for each field; type: as for dtype.of, another struct included, or a pointer ("float *": an address on the device, a uint64); extents of a fixed array: a number or a list
@param options? {name: string, align: boolean|integer}  name: what C calls it; without one it has to be registered before kernels can be generated from it; align: true (default) for C's own padding, false for none (packed), a power of two for a struct that is aligned at least so (__align__(16))
@return cuda.dtype.DType
@raise LogicError naming the field that is not right
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
The value of a bfloat16.
@param bits integer  0 to 65535
@return number
@raise LogicError if these are not 16 bits
= cuda.dtype.unpack_float16(bits)
The value of a float16.
@param bits integer  0 to 65535
@return number
@raise LogicError if these are not 16 bits
= cuda.elementwise module
Kernels made of one statement of the user's, which is done for each element of some arrays.
= cuda.elementwise.ElementwiseKernel class
A kernel that does a statement of CUDA C for each element: `ElementwiseKernel("float a, float *x, float *y",
"y[i] = a * x[i]", "scale")`. `i` is the number of the element, from 0, in C order whatever the arrays' layouts, and
`n` how many there are, both long long. A bare type like "half" is what CUDA's headers declare for the dtype; complex
numbers are objects of cuda::complex<float> or <double> (also: complex64, complex128, pycuda::complex), with
operators and the functions of C++'s <complex>, unless another class is named.

Calling it: k(arguments in their order, options). Arrays that are used only at [i] may be of any layout, and
broadcast to one shape, which those that are written have; others are the statement's own to index, and passed whole.
DeviceAllocations may stand for arrays without gaps. What is read sees the values from before the call, where it
overlaps in memory with what is written, too. options: range or slice, {first, last} or {first, last, step}, which
elements (positions from 1, inclusive, negative ones from the end); n, the number of elements, if no array
gives it; stream, default: the current one.

The constructor's arguments may have their names, as in PyCUDA, in the table of options: `{ arguments = "float *x",
operation = "x[i] = 1", name = "ones" }`.
@call fun(arguments: string|any[], operation: string, name?: string, options?: cuda.elementwise.Options): cuda.elementwise.ElementwiseKernel
@field name string      of the kernel in the compiled module
@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
@options after_loop arguments keep loop_prep name operation options preamble
= cuda.elementwise.ElementwiseKernel:source()
The CUDA C of the kernel, in the form for arrays that lie alike and without gaps.
@return string
= cuda.elementwise.Options class
@field preamble string?    CUDA C before the kernel: functions, types, #include
@field loop_prep string?   statements that each thread does before its first element
@field after_loop string?  and after its last one
@field options string[]?   for the compiler, which keeps its default of joining products and sums
@field keep boolean?       true: the compiler's files stay in a folder, keep_dir
@field arguments any        this and what follows: arguments that are not given by their place
@field operation string?
@field name string?
= cuda.fft module
Fourier transforms of arrays.
= cuda.fft.clear_plans()
Forgets all plans; their memory is free as soon as the collector has run.
= cuda.fft.fft(a, options)
The discrete Fourier transform along an axis, as NumPy's: element k is the sum of a[j] exp(-2 pi i (j - 1) (k - 1) /
n). Any length is computed in a time that grows with n log n. float16 and bfloat16 have no transform.
@param a cuda.gpuarray.Array
@param options? {n: integer, axis: integer, norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  n: elements that are transformed, the extent of the axis by default: others are left out, or are 0; axis: the last one by default; norm: "backward" (default): the inverse is divided by n, "ortho": both by its root, "forward": this one
@return cuda.gpuarray.Array  complex64; complex128 of float64 and complex128
@raise LogicError for a 0-d array, an axis out of range, n < 1, an unknown norm, and dtypes without a transform
@options allocator axis n norm out stream
= cuda.fft.fft2(a, options)
The transform along the last two axes, as NumPy's fft2.
@param a cuda.gpuarray.Array
@param options? {s: integer[], axes: integer[], norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for fft.fftn; axes: default the last two
@return cuda.gpuarray.Array  complex64; complex128 of float64 and complex128
@raise LogicError as fft.fftn
@options allocator axes norm out s stream
= cuda.fft.fftfreq(n, d, options)
The frequencies of the elements of fft(), as NumPy's fftfreq: 0, 1, ... (n - 1) / 2, -n / 2, ... -1, over n d. They
are computed as float64 and then rounded.
@param n integer   elements of the transform
@param d? number   distance of the samples; default 1
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  dtype: a float type, default dtype.default_float(). They may stand in the place of d
@return cuda.gpuarray.Array
@raise LogicError unless n is a positive integer and d a number other than 0
@options allocator dtype out stream
= cuda.fft.fftn(a, options)
The transform along several axes, as NumPy's fftn: along each of them, one after the other.
@param a cuda.gpuarray.Array
@param options? {s: integer[], axes: integer[], norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  s: elements that are transformed along each axis, as n of fft.fft; axes: default all, or the last ones, as many as s has; the others as for fft.fft
@return cuda.gpuarray.Array  complex64; complex128 of float64 and complex128
@raise LogicError for axes that are not there or come twice, if s does not fit, and as fft.fft
@options allocator axes norm out s stream
= cuda.fft.fftshift(a, options)
Brings the element of frequency 0 from the first place to the middle, as NumPy's fftshift: the two halves of each
axis change places.
@param a cuda.gpuarray.Array  of any type
@param options? any  {axes: integer[], out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the axes: a number or a list; default: all
@return cuda.gpuarray.Array
@raise LogicError for an axis out of range
@options allocator axes out stream
= cuda.fft.ifft(a, options)
The inverse of fft(), as NumPy's: element j is the sum of a[k] exp(2 pi i (j - 1) (k - 1) / n), divided by n.
@param a cuda.gpuarray.Array
@param options? {n: integer, axis: integer, norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for fft.fft
@return cuda.gpuarray.Array  complex64; complex128 of float64 and complex128
@raise LogicError as fft.fft
@options allocator axis n norm out stream
= cuda.fft.ifft2(a, options)
The inverse of fft2(), as NumPy's.
@param a cuda.gpuarray.Array
@param options? {s: integer[], axes: integer[], norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for fft.fft2
@return cuda.gpuarray.Array  complex64; complex128 of float64 and complex128
@raise LogicError as fft.fftn
@options allocator axes norm out s stream
= cuda.fft.ifftn(a, options)
The inverse of fftn(), as NumPy's.
@param a cuda.gpuarray.Array
@param options? {s: integer[], axes: integer[], norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for fft.fftn
@return cuda.gpuarray.Array  complex64; complex128 of float64 and complex128
@raise LogicError as fft.fftn
@options allocator axes norm out s stream
= cuda.fft.ifftshift(a, options)
The inverse of fftshift(); another one only if an extent is odd.
@param a cuda.gpuarray.Array  of any type
@param options? any  {axes: integer[], out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the axes: a number or a list; default: all
@return cuda.gpuarray.Array
@raise LogicError for an axis out of range
@options allocator axes out stream
= cuda.fft.irfft(a, options)
The inverse of rfft(), as NumPy's irfft: real numbers from the first half of their transform. The imaginary part of
the first element, and of an even n of element n / 2 + 1, does not count.
@param a cuda.gpuarray.Array  floor(n / 2) + 1 elements along the axis; others are left out, or are 0
@param options? {n: integer, axis: integer, norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  n: of the result; 2 (m - 1) of m elements by default, so that an odd n has to be given
@return cuda.gpuarray.Array  float32, or float64
@raise LogicError as fft.fft, and for one element without n
@options allocator axis n norm out stream
= cuda.fft.plan_limit(n)
How many plans each context keeps, 16 at first: tables in device memory for a length, a dtype and a layout, or a plan
of cuFFT's (linalg.backend). The one that was not used for the longest time goes.
@param n? integer  keeps so many from now on
@return integer
@raise LogicError unless n is a non-negative integer
= cuda.fft.rfft(a, options)
The transform of real numbers along an axis, as NumPy's rfft: the elements 1 to n / 2 + 1 of what fft() gives; the
others are their conjugates. It takes half the time and memory; of an odd n less is saved.
@param a cuda.gpuarray.Array  real or integers
@param options? {n: integer, axis: integer, norm: string, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for fft.fft
@return cuda.gpuarray.Array  with floor(n / 2) + 1 elements along the axis
@raise LogicError for complex numbers, and as fft.fft
@options allocator axis n norm out stream
= cuda.fft.rfftfreq(n, d, options)
The frequencies of the elements of rfft(), as NumPy's rfftfreq: 0, 1, ... n / 2, over n d.
@param n integer   elements of the real array
@param d? number   distance of the samples; default 1
@param options? {dtype: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for fft.fftfreq
@return cuda.gpuarray.Array  floor(n / 2) + 1 elements
@raise LogicError as fft.fftfreq
@options allocator dtype out stream
= cuda.gl module
Memory that OpenGL and CUDA share.
= cuda.gl.BufferObject class
A buffer of OpenGL as CUDA had it before version 3: `gl.BufferObject(name)`. Use RegisteredBuffer in new programs.
@call fun(bufobj: integer): cuda.gl.BufferObject
= cuda.gl.BufferObject:handle()
@return integer  the buffer's name in OpenGL
@raise LogicError after unregister()
= cuda.gl.BufferObject:map()
Maps the buffer.
@return cuda.gl.BufferObjectMapping
@raise LogicError as RegisteredBuffer:map()
= cuda.gl.BufferObject:unregister()
Gives the buffer back to OpenGL alone.
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
An OpenGL context without a window, of gl.headless(). It draws into a framebuffer of its own, with colours of 8 bits
and depth.
@field width integer     pixels
@field height integer    pixels
@field gl cuda.gl.functions  OpenGL: `window.gl.DrawArrays(window.gl.POINTS, 0, n)`
@field renderer string   what draws, as OpenGL says
@field version string    OpenGL's
@field platform string   of EGL: "device" or "surfaceless"
= cuda.gl.Headless:buffer(data, usage)
A new buffer of OpenGL.
@param data integer|any  bytes of undefined contents, or a host buffer that is copied: a host array, FFI memory, a string
@param usage? integer    default window.gl.DYNAMIC_DRAW
@return integer name     for gl.RegisteredBuffer and window.gl.BindBuffer
@raise LogicError for another value, if the context is not current, and after close()
= cuda.gl.Headless:close()
Destroys the context. Unregister its buffers and images before. A second call does nothing.
= cuda.gl.Headless:make_current()
Makes the context current in this thread, in place of the one that is.
@return cuda.gl.Headless self
@raise LogicError after close(); RuntimeError if it is current in another thread
= cuda.gl.Headless:program(sources)
A program of OpenGL of two shaders.
@param sources {vertex: string, fragment: string}  in GLSL
@return integer name  for window.gl.UseProgram
@raise CompileError with the compiler's log; LogicError if a source is missing, the context is not current, and after close()
@options fragment vertex
= cuda.gl.Headless:read_pixels()
What was drawn.
@return cuda.ndarray.Array  uint8, shape {height, width, 4}: RGBA, top row first
@raise LogicError if the context is not current, and after close()
= cuda.gl.Headless:release()
No context is current in this thread any more, if this one was.
@raise LogicError after close()
= cuda.gl.Headless:texture(options)
A new 2D texture of OpenGL, without mipmaps, whose texels are read as they are.
@param options {width: integer, height: integer, format: string, data: any}  width and height in texels; format: "rgba8" (default), "r8", "r32f", "rgba32f", "r32i" or "r32ui"; data: a host buffer of all texels, lowest row first
@return integer name  for gl.RegisteredImage and window.gl.BindTexture
@raise LogicError for bad options, if the context is not current, and after close()
@options data format height width
= cuda.gl.RegisteredBuffer class
A buffer of OpenGL that CUDA may use: `gl.RegisteredBuffer(name, flags)`. Its memory is CUDA's between map() and
unmap(), OpenGL's otherwise.
@call fun(bufobj: integer, flags?: any): cuda.gl.RegisteredBuffer  flags: gl.graphics_register_flags, default none. Raises a LogicError (219) if no OpenGL context is current, (400) if it has no buffer of that name.
= cuda.gl.RegisteredBuffer:close()
The same as unregister().
@raise LogicError as unregister()
= cuda.gl.RegisteredBuffer:gl_handle()
@return integer  the buffer's name in OpenGL
@raise LogicError after unregister()
= cuda.gl.RegisteredBuffer:map(stream)
cuGraphicsMapResources: from now on CUDA may use the buffer, and OpenGL may not, until unmap(). What OpenGL was told
to draw comes before the work that is put in the stream afterwards.
@param stream? cuda.Stream  default: the current stream
@return cuda.gl.RegisteredMapping
@raise LogicError (208) if it is mapped already, (219) if no OpenGL context is current; with another context current, for a stream that is being captured, after unregister()
= cuda.gl.RegisteredBuffer:set_map_flags(flags)
cuGraphicsResourceSetMapFlags: how CUDA is going to use it, from the next map() on.
@param flags any  gl.graphics_map_flags: "none", "read_only", "write_discard"
@raise LogicError (208) while it is mapped, (219) if no OpenGL context is current, after unregister()
= cuda.gl.RegisteredBuffer:unregister()
cuGraphicsUnregisterResource: gives the buffer back to OpenGL alone. A mapped one is unmapped before.
@raise LogicError (219) if no OpenGL context is current, with another context current, if it was unregistered already
= cuda.gl.RegisteredImage class
A texture or renderbuffer of OpenGL that CUDA may use: `gl.RegisteredImage(name, target, flags)`.
@call fun(image: integer, target?: any, flags?: any): cuda.gl.RegisteredImage  target: OpenGL's number or its name, default "GL_TEXTURE_2D"; also GL_TEXTURE_RECTANGLE, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY, GL_RENDERBUFFER. flags: gl.graphics_register_flags, default none; SURFACE_LDST for surfaces. Raises a LogicError (219) if no OpenGL context is current, (400) if it has no such image, (1) for a format that CUDA does not take.
= cuda.gl.RegisteredImage:close()
The same as unregister().
@raise LogicError as unregister()
= cuda.gl.RegisteredImage:gl_handle()
@return integer  the image's name in OpenGL
@raise LogicError after unregister()
= cuda.gl.RegisteredImage:map(stream)
cuGraphicsMapResources: from now on CUDA may use the image, and OpenGL may not, until unmap().
@param stream? cuda.Stream  default: the current stream
@return cuda.gl.RegisteredMapping
@raise LogicError (208) if it is mapped already, (219) if no OpenGL context is current; with another context current, for a stream that is being captured, after unregister()
= cuda.gl.RegisteredImage:set_map_flags(flags)
cuGraphicsResourceSetMapFlags: how CUDA is going to use it, from the next map() on.
@param flags any  gl.graphics_map_flags: "none", "read_only", "write_discard"
@raise LogicError (208) while it is mapped, (219) if no OpenGL context is current, after unregister()
= cuda.gl.RegisteredImage:unregister()
cuGraphicsUnregisterResource: gives the image back to OpenGL alone. A mapped one is unmapped before.
@raise LogicError (219) if no OpenGL context is current, with another context current, if it was unregistered already
= cuda.gl.RegisteredMapping class
What a registered buffer or image is between map() and unmap(): memory of CUDA.
= cuda.gl.RegisteredMapping:array(index, level)
cuGraphicsSubResourceGetMappedArray: the texels of a mapped image. The array cannot be used any more after unmap().
@param index? integer  face of a cube map, layer of GL_TEXTURE_2D_ARRAY, from 0; default 0
@param level? integer  of mipmaps, from 0; default 0
@return cuda.Array  of the driver's; its free() does nothing but end this view
@raise LogicError (212) for a buffer, (1) for a part or level that the image lacks, after unmap()
= cuda.gl.RegisteredMapping:close(stream)
The same as unmap().
@param stream? cuda.Stream  default: the one that it was mapped in
@raise LogicError as unmap()
= cuda.gl.RegisteredMapping:device_ptr_and_size()
cuGraphicsResourceGetMappedPointer: the memory of a mapped buffer. It cannot be used any more after unmap().
@return cuda.DevicePointer
@return integer  bytes
@raise LogicError (213) for an image, after unmap()
= cuda.gl.RegisteredMapping:unmap(stream)
cuGraphicsUnmapResources: gives the memory back to OpenGL. What was put in the stream before, and in other streams
that used the mapped memory, comes before what OpenGL is told to draw from now on. Pointers and arrays of the mapping
cannot be used any more.
@param stream? cuda.Stream  default: the one that it was mapped in
@raise LogicError (219) if no OpenGL context is current, with another context current, for a stream that is being captured, if it was unmapped already
= cuda.gl.devices(which)
cuGLGetDevices: the devices of the current OpenGL context.
@param which? "all"|"current_frame"|"next_frame"  default "all"; of several GPUs that draw in turn, a frame's
@return cuda.Device[]
@raise LogicError (219) if no OpenGL context is current
= cuda.gl.graphics_map_flags field
@type table<string, integer>
NONE, READ_ONLY, WRITE_DISCARD
= cuda.gl.graphics_register_flags field
@type table<string, integer>
NONE, READ_ONLY, WRITE_DISCARD, SURFACE_LDST, TEXTURE_GATHER
= cuda.gl.have_gl_ext()
Does the driver have its functions for OpenGL?
@return boolean
= cuda.gl.headless(options)
Makes an OpenGL context without a window, and makes it current in this thread. On a GPU it is one of the GPU that
CUDA uses; on the software device it is Mesa's renderer. It lives until close(), or until the process ends.
@param options? {width: integer, height: integer, device: cuda.Device, version: integer[]}  width and height in pixels, default 640 and 480; device: CUDA's, default that of the current context; version: OpenGL's, default {3, 3}
@return cuda.gl.Headless
@raise RuntimeError if EGL, or a renderer for it, is not installed; LogicError for bad options
@options device height version width
= cuda.gl.init()
Checks that an OpenGL context is current. Older CUDA needed this call before resources could be registered.
@raise LogicError (219) if none is
= cuda.gl.make_context(device, flags)
Makes a context on a device, as device:make_context() does, once it is clear that an OpenGL context is current.
@param device cuda.Device
@param flags? any  as for Device:make_context()
@return cuda.Context  the current one
@raise LogicError (219) if no OpenGL context is current
= cuda.image module
Filters of pictures. Rows and columns are the last two axes of an array, or with channels = true the two before the
last, as cuda.io.load_image gives them; all other axes are a batch of pictures. The result has the picture's type.
Integers and 16-bit floats are computed in float32; integers are rounded, ties to even, and clamped to their range.
= cuda.image.convolve2d(a, kernel, options)
The convolution of pictures with a kernel, which is flipped, as SciPy's signal.convolve2d. Without the flip, as
PyTorch's conv2d and OpenCV's filter2D compute it, the kernel is k:flip().
@param a cuda.gpuarray.Array
@param kernel any  2-D: an array, or host data; its numbers become those that are computed with
@param options? {mode: string, boundary: string, fill: any, channels: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  mode: "full" (default): wherever the kernel meets the picture, "same": of the picture's size, "valid": where the kernel lies inside; boundary: what lies outside, a mode of gpuarray.pad: "constant" (default), "edge", "reflect", "symmetric", "wrap"; fill: of "constant", default 0; channels: the last axis holds the channels of a pixel
@return cuda.gpuarray.Array
@raise LogicError for shapes and types that do not fit, and for unknown modes and boundaries
@options allocator boundary channels fill mode out stream
= cuda.image.resize(a, size, options)
Pictures of another size. Centres of pixels lie at halves: pixel i of m is computed at (i - 1/2) n / m of n pixels,
counted from the edge. No filter is widened for a smaller picture; "area" is the one that takes all pixels.
@param a cuda.gpuarray.Array
@param size integer[]  { height, width }
@param options? {filter: string, channels: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  filter: "linear" (default): between two pixels each way, "cubic": Keys' cubic, a = -1/2, of four pixels, without those outside of the picture, "nearest": of any type, also bool and structs, "area": the mean of the part that the pixel covers; channels: the last axis holds the channels of a pixel
@return cuda.gpuarray.Array
@raise LogicError for other sizes and filters, types without that filter, and if an empty picture has to grow
@options allocator channels filter out stream
= cuda.image.rotate(a, degrees, options)
Pictures turned counterclockwise about their centre, where row 1 is the top one. Outside of a picture there is the
fill, also for the filter.
@param a cuda.gpuarray.Array
@param degrees number
@param options? {filter: string, fill: any, reshape: boolean, channels: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  filter: "linear" (default), "cubic" (a = -1/2), "nearest"; fill: default 0; reshape: the result is as large as the turned picture; channels: the last axis holds the channels of a pixel
@return cuda.gpuarray.Array
@raise LogicError for other angles and filters, and types without that filter
@options allocator channels fill filter out reshape stream
= cuda.image.separable(a, column, row, options)
The convolution of pictures with the outer product of a column and a row: two passes, one with the column's
length and the other one the row's. What lies between them is not rounded to the picture's type.
@param a cuda.gpuarray.Array
@param column any  1-D: an array, or host data
@param row any     1-D
@param options? {mode: string, boundary: string, fill: any, channels: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  as for image.convolve2d
@return cuda.gpuarray.Array
@raise LogicError as image.convolve2d
@options allocator boundary channels fill mode out stream
= cuda.interop module
Arrays that other libraries of this process made, or take, without a copy.
= cuda.interop.from_dlpack(address, options)
An array over the memory of another library's tensor, without a copy; DLPack's consumer. The tensor is taken: its
deleter is called once, when nothing refers to the array and its views any more, and all work of the context that
may use it is done. If from_dlpack raises, the tensor still belongs to the caller.
@param address integer|ffi.cdata*  of a DLManagedTensor, or a pointer to it
@param options? {versioned: boolean, stream: cuda.Stream}  versioned: the address is that of a DLManagedTensorVersioned; default: false. The tensor's elements have to be there for work in the current stream, or the given one
@return cuda.gpuarray.Array|cuda.ndarray.Array a  of the device's or managed memory a gpuarray, of the host's a host array; a copy if the tensor is read-only
@raise LogicError if no tensor is at the address, its version, device or element type is not supported, its memory belongs to another context than the current one, or it is one of interop.to_dlpack that was taken before
@options stream versioned
= cuda.interop.from_python(object)
An array over the memory of an object of Python, without a copy: of PyTorch, CuPy, JAX, NumPy and others that have
`__dlpack__` or `__cuda_array_interface__`. The object's memory is kept with the array. Work that was put into the
object's stream before comes before work in the current stream.
@param object userdata  as lupa hands it to Lua
@return cuda.gpuarray.Array|cuda.ndarray.Array a  a host array if the object's elements are in host memory; a copy if the object is read-only
@raise LogicError if it is no such object, no Python runs this program, what from_dlpack raises, and with the text of an exception of Python
= cuda.interop.to_dlpack(a, options)
The address of a managed tensor for another library, DLPack's consumer. An array on the device is computed and lent
without a copy: the tensor keeps its memory until the consumer calls the deleter, which it may do in any thread,
also when this Lua state is gone. Operations on a lent array are computed at once, as the consumer may change it. A
host array is copied.
@param a cuda.gpuarray.Array|cuda.ndarray.Array
@param options? {versioned: boolean, stream: cuda.Stream}  versioned: a DLManagedTensorVersioned (version 1.0); default: a DLManagedTensor. stream: work in it may use the elements; default: the current one
@return integer address  to be given to one consumer, which calls the deleter
@raise LogicError if it is not an array, or has elements that DLPack does not have; what the kernels raise that compute the value; MemoryError
@options stream versioned
= cuda.interop.to_python(a)
The array as an object of Python: torch.from_dlpack(o), cupy.from_dlpack(o) and numpy.from_dlpack(o) take it. The
object has `__dlpack__` and `__dlpack_device__`, and for an array on the device `__cuda_array_interface__`. It keeps
the array. Elements on the device are not copied; those of host arrays are, in each call of `__dlpack__`.
@param a cuda.gpuarray.Array|cuda.ndarray.Array
@return userdata object  as lupa hands it to Python
@raise LogicError if it is not an array, has elements that DLPack does not have, or no Python runs this program
= cuda.linalg module
Linear algebra: functions of matrices.
= cuda.linalg.backend(name)
Which kernels compute products and factors of matrices, Fourier transforms and products of sparse matrices in this
Lua state. "own", the default: the kernels of this library, which give the same bits on every device. "vendor":
NVIDIA's libraries; a call raises where its library is missing or cannot compute it. "auto": these on a GPU where
they are there and can compute the call; otherwise own kernels, with one notice for each library that is missing.
@param name? "auto"|"own"|"vendor"  default: leaves it as it is
@return "auto"|"own"|"vendor" name  as it is now
@raise LogicError for another name
= cuda.linalg.cholesky(a, options)
Factorises positive definite matrices: a = l l', l lower triangular, l' its adjoint. Only the lower triangle of a is
read; its diagonal counts as real.
@param a cuda.gpuarray.Array  (..., n, n)
@param options? {upper: boolean, check: boolean, out: any, stream: cuda.Stream, allocator: function}  upper: a = u' u, from the upper triangle; check = false: does not wait; the results of other matrices are NaN
@return cuda.gpuarray.Array
@raise RuntimeError if a matrix is not positive definite: which, and the order of the first minor that is not positive
@raise LogicError for matrices that are not square, 16-bit floats, inside a capture without check = false, and if out does not fit
@options allocator check out stream upper
= cuda.linalg.cond(a, options)
The condition numbers of matrices; infinity of singular ones.
@param a cuda.gpuarray.Array  (..., m, n); square for other norms than 2 and -2
@param options? {ord: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  ord: of linalg.norm; default: 2, the greatest singular value divided by the least
@return cuda.gpuarray.Array  (...): real
@raise LogicError for empty matrices, ones that are not square where they have to be, other values of ord, 16-bit floats, and if out does not fit
@options allocator ord out stream
= cuda.linalg.det(a, options)
The determinants of square matrices; 0 of singular ones. slogdet() does not overflow.
@param a cuda.gpuarray.Array  (..., n, n)
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  (...)
@raise LogicError for matrices that are not square, 16-bit floats, and if out does not fit
@options allocator out stream
= cuda.linalg.eigh(a, options)
Eigenvalues and eigenvectors of symmetric or Hermitian matrices: a v = v diag(w). Only the lower triangle is read.
The largest component of each vector is real and positive. NaN and infinities give NaN.
@param a cuda.gpuarray.Array  (..., n, n)
@param options? {upper: boolean, stream: cuda.Stream, allocator: function}  upper: reads the upper triangle
@return cuda.gpuarray.Array w  (..., n): real, the least first
@return cuda.gpuarray.Array v  (..., n, n): orthonormal columns
@raise LogicError for matrices that are not square and 16-bit floats; RuntimeError without convergence
@options allocator stream upper
= cuda.linalg.eigvalsh(a, options)
The eigenvalues of symmetric or Hermitian matrices. Only the lower triangle is read.
@param a cuda.gpuarray.Array  (..., n, n)
@param options? {upper: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  upper: reads the upper triangle
@return cuda.gpuarray.Array  (..., n): real, the least first
@raise LogicError as linalg.eigh, and if out does not fit; RuntimeError without convergence
@options allocator out stream upper
= cuda.linalg.expm(a, options)
The exponentials of square matrices, by scaling and squaring with Padé's approximations. A batch is computed with the
degree that its largest matrix needs. Waits for the norms.
@param a cuda.gpuarray.Array  (..., n, n)
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array
@raise LogicError for matrices that are not square, 16-bit floats, inside a capture, and if out does not fit
@options allocator out stream
= cuda.linalg.inv(a, options)
The inverses of square matrices. linalg.solve() is faster and more exact than a product with an inverse.
@param a cuda.gpuarray.Array  (..., n, n)
@param options? {check: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  check = false: does not wait; the results of singular matrices are NaN
@return cuda.gpuarray.Array
@raise RuntimeError if a matrix is singular: which, and which pivot is 0
@raise LogicError for matrices that are not square, 16-bit floats, inside a capture without check = false, and if out does not fit
@options allocator check out stream
= cuda.linalg.libraries()
NVIDIA's libraries as they were found: cuBLASLt, cuSOLVER, cuSPARSE and cuFFT. Opens those that are there.
@return {name: string, path: string?, version: string?, why: string?}[] libraries  why: what was tried, where a library is not there
= cuda.linalg.linear(x, w, options)
A linear layer: activation(x w' + bias). Bias and activation are applied to the unrounded sums, and the result is
rounded once. gelu is the form with tanh. NVIDIA's cuBLASLt, where linalg.backend chooses it, computes all of it in
one kernel, if it has one for these types.
@param x cuda.gpuarray.Array  (..., k)
@param w cuda.gpuarray.Array  (n, k): the weights
@param options? {bias: any, activation: any, out: any, stream: cuda.Stream, allocator: function} bias: an array of n elements; activation: "relu" or "gelu"
@return cuda.gpuarray.Array  (..., n)
@raise LogicError if the shapes do not fit, for other activations, and for gelu of integers
@options activation allocator bias out stream
= cuda.linalg.lstsq(a, b, options)
The x with the least |b - a x|, and of several the one with the least |x|, as NumPy's lstsq, by singular values.
@param a cuda.gpuarray.Array  (..., m, n)
@param b cuda.gpuarray.Array  (m,), or (..., m, k): batches broadcast
@param options? {rcond: any, stream: cuda.Stream, allocator: function}  rcond: singular values up to so many times the largest one count as 0; default: eps * max(m, n)
@return cuda.gpuarray.Array x          (..., n), or (..., n, k)
@return cuda.gpuarray.Array residuals  (...), or (..., k): the sum of the squares of b - a x, whatever the rank
@return cuda.gpuarray.Array rank       (...): int64
@return cuda.gpuarray.Array s          (..., min(m, n)): the singular values of a
@raise LogicError if the shapes do not fit, for 16-bit floats and other values of rcond; RuntimeError without convergence
@options allocator rcond stream
= cuda.linalg.lu(a, options)
Factorises matrices by elimination with partial pivoting: a[p] = l u.
@param a cuda.gpuarray.Array  (..., m, n)
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array p  (..., m), int64: which row of a stands where, from 1
@return cuda.gpuarray.Array l  (..., m, k), k the smaller of m and n, with ones on its diagonal
@return cuda.gpuarray.Array u  (..., k, n)
@raise LogicError for arrays of fewer than two axes and for 16-bit floats
@options allocator stream
= cuda.linalg.matrix_power(a, n, options)
A square matrix to a power, by repeated squaring, as NumPy's matrix_power; of more than two axes each of the matrices
on the last two.
@param a cuda.gpuarray.Array
@param n integer  0 gives the unit matrix; negative ones powers of the inverse, as linalg.inv() gives it
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  in the type that matmul() has
@raise RuntimeError for singular matrices and a negative exponent
@raise LogicError for matrices that are not square, other exponents, and if out does not fit
@options allocator out stream
= cuda.linalg.matrix_rank(a, options)
The ranks of matrices: how many singular values do not count as 0.
@param a cuda.gpuarray.Array  (..., m, n)
@param options? {rcond: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  rcond: as for linalg.lstsq
@return cuda.gpuarray.Array  (...): int64
@raise LogicError as linalg.pinv; RuntimeError without convergence
@options allocator out rcond stream
= cuda.linalg.multi_dot(arrays, options)
The product of several matrices, in the order that needs the fewest multiplications, as NumPy's multi_dot. The first
and the last array may be vectors.
@param arrays cuda.gpuarray.Array[]  two or more
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  in the type that matmul() has for all of them
@raise LogicError if it is not a list of two or more, if shapes do not fit, or out does not fit
@options allocator out stream
= cuda.linalg.norm(a, options)
Norms: without ord that of all elements as one vector. With ord those of the matrices on the last two axes: "fro" the
root of the sum of the squares, "nuc" the sum of the singular values, 2 and -2 the greatest and least singular value,
1 and -1 the greatest and least sum of a column's absolute values, math.huge (or "inf") and -math.huge that of a
row's. Of one axis, ord is that of gpuarray.norm().
@param a cuda.gpuarray.Array
@param options? {ord: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  real
@raise LogicError for other values of ord, 16-bit floats, and if out does not fit
@options allocator ord out stream
= cuda.linalg.pinv(a, options)
The pseudoinverses of matrices, after Moore and Penrose.
@param a cuda.gpuarray.Array  (..., m, n)
@param options? {rcond: any, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  rcond: as for linalg.lstsq
@return cuda.gpuarray.Array  (..., n, m)
@raise LogicError for arrays of fewer than two axes, 16-bit floats, other values of rcond, and if out does not fit; RuntimeError without convergence
@options allocator out rcond stream
= cuda.linalg.precision(name)
How exact products have to be. "full", the default: float32 operands are multiplied with all their digits. "tensor":
tensor cores may round them to TF32 first, which has three digits, and own products of 16-bit floats use tensor
cores.
@param name? "full"|"tensor"  default: leaves it as it is
@return "full"|"tensor" name  as it is now
@raise LogicError for another name
= cuda.linalg.qr(a, options)
Factorises matrices by Householder's reflections: a = q r, with orthonormal columns in q and the upper triangle r.
@param a cuda.gpuarray.Array  (..., m, n)
@param options? {mode: any, stream: cuda.Stream, allocator: function}  mode: "reduced", the default: q is (..., m, k) and r (..., k, n), k the smaller of m and n; "complete": (..., m, m) and (..., m, n); "r": r alone
@return cuda.gpuarray.Array q  in the mode "r": r
@return cuda.gpuarray.Array r  in the mode "r": nil
@raise LogicError for arrays of fewer than two axes, 16-bit floats and other modes
@options allocator mode stream
= cuda.linalg.slogdet(a, options)
The determinants of square matrices as a sign and a logarithm: det = sign * exp(logabs).
@param a cuda.gpuarray.Array  (..., n, n)
@param options? {stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array sign    (...): 1, -1, or 0 of a singular matrix; of complex ones a number of length 1
@return cuda.gpuarray.Array logabs  (...): real; -inf of a singular matrix
@raise LogicError for matrices that are not square, and 16-bit floats
@options allocator stream
= cuda.linalg.solve(a, b, options)
Solves systems of linear equations, a x = b, by elimination with partial pivoting, as NumPy's solve.
@param a cuda.gpuarray.Array  (..., n, n)
@param b cuda.gpuarray.Array  (n,), or (..., n, k): batches broadcast
@param options? {check: boolean, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  check = false: does not wait; the results of singular matrices are NaN
@return cuda.gpuarray.Array x
@raise RuntimeError if a matrix is singular: which, and which pivot is 0
@raise LogicError for matrices that are not square, shapes that do not fit, 16-bit floats, inside a capture without check = false, and if out does not fit
@options allocator check out stream
= cuda.linalg.solve_triangular(a, b, options)
Solves systems of equations whose matrices are triangles: a x = b. Only one triangle of a is read. A diagonal with 0
gives infinities and NaN.
@param a cuda.gpuarray.Array  (..., n, n)
@param b cuda.gpuarray.Array  (n,), or (..., n, k): batches broadcast
@param options? {lower: boolean, unit_diagonal: boolean, trans: any, out: any, stream: any, allocator: any} lower: the lower triangle, default the upper one; unit_diagonal: the diagonal is not read and counts as 1; trans: "T" solves with the transpose of a, "C" with its conjugate
@return cuda.gpuarray.Array x
@raise LogicError for matrices that are not square, shapes that do not fit, 16-bit floats, and if out does not fit
@options allocator lower out stream trans unit_diagonal
= cuda.linalg.svd(a, options)
Singular values with their vectors: a = u diag(s) vh, as NumPy's svd. The largest component of each row of vh is real
and positive. NaN and infinities give NaN.
@param a cuda.gpuarray.Array  (..., m, n)
@param options? {full_matrices: boolean, stream: cuda.Stream, allocator: function}  full_matrices = false: u is (..., m, k) and vh (..., k, n), k the smaller of m and n; default: (..., m, m) and (..., n, n)
@return cuda.gpuarray.Array u
@return cuda.gpuarray.Array s   (..., k): real, the largest first
@return cuda.gpuarray.Array vh
@raise LogicError for arrays of fewer than two axes and 16-bit floats; RuntimeError without convergence
@options allocator full_matrices stream
= cuda.linalg.svdvals(a, options)
The singular values of matrices.
@param a cuda.gpuarray.Array  (..., m, n)
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  (..., k), k the smaller of m and n: real, the largest first
@raise LogicError as linalg.svd, and if out does not fit; RuntimeError without convergence
@options allocator out stream
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
= cuda.ndarray module
Arrays in host memory.
= cuda.ndarray.Array class
An array in host memory. Positions count from 1, negative ones from the end. `a[i]` reads and `a[i] = v` writes
an element of a 1-D array; with more axes it is the part at position i of the first. `a[{...}]` is
`a:slice(...)`, or the element if every axis has a number; assigning to it assigns all elements of the part.
`#a` does not work on a Lua table: `a:len()`.
@field shape integer[]    extents; a fresh list, as an array keeps its shape; prints as (2, 3), equals the shape of other arrays of these extents
@field strides integer[]  bytes from one element to the next on each axis; a fresh list, as shape
@field dtype cuda.dtype.DType
@field size integer       number of elements
@field nbytes integer     bytes of the elements: size * dtype.itemsize
@field ndim integer       number of axes
@field order string?      "C" or "F": the elements lie without gaps in that order ("C" where in both); else nil
@field flags table        c_contiguous, f_contiguous: booleans
@field base any           for a view, the array whose memory it shows; for foreign memory, its owner
@field T cuda.ndarray.Array  view with the axes reversed
= cuda.ndarray.Array:allclose(other, options)
Are all elements close to another array's, |a - b| <= atol + rtol * |b|? As NumPy's allclose: an infinity is close to
itself alone.
@param other any  array, nested tables or value, of the same shape or 0-d
@param options? {rtol: number, atol: number, equal_nan: boolean}  default: 1e-5, 1e-8, false
@return boolean
@return string? difference  the first one
@raise LogicError if the shapes differ
@options atol equal_nan rtol
= cuda.ndarray.Array:assign(values)
Sets the elements to those of another array or of nested tables, repeated along axes as by broadcast_to(), or all to
one value. The two may share memory.
@param values any  array, whose integers wrap and whose floats are rounded to the dtype; nested tables; or a value
@return cuda.ndarray.Array self
@raise LogicError if the shapes do not broadcast, for an array of a higher kind (float to integer, complex to real: astype() converts), or if the dtype cannot hold a value of a table
= cuda.ndarray.Array:astype(dtype, order)
A copy of another type, converted as in NumPy: integers wrap around, floats lose their fraction, complex
numbers their imaginary part, what is not zero is true; floats round to nearest, ties to even.
@param dtype any       as for dtype.of
@param order? "C"|"F"  default: F for an array that lies in F order alone, else C
@return cuda.ndarray.Array
@raise LogicError naming the element, if a float (NaN, too large) has no counterpart among the integers
= cuda.ndarray.Array:broadcast_to(...)
The same elements repeated along axes that have one element, or that are new before the first, as NumPy's; a view
with stride 0 on those. What is written to an element of it is written to all that are repetitions of it.
@param ... any  extents, or one list of them
@return cuda.ndarray.Array
@raise LogicError if the array's shape does not broadcast to that one
= cuda.ndarray.Array:buffer()
The memory as bytes, in whichever order it lies: how the copying functions take an array.
@return ffi.cdata* pointer  uint8_t *
@return integer nbytes
@return any owner  for foreign memory, the object that keeps it alive, as `base`
@raise LogicError if the elements do not lie without gaps, or the memory was freed
= cuda.ndarray.Array:copy(order)
A copy without gaps, in memory of its own.
@param order? "C"|"F"  default: C
@return cuda.ndarray.Array
= cuda.ndarray.Array:data()
The first element as a typed FFI pointer: `p[0]` is the first element, with the strides of the array from there;
float16 and bfloat16 are uint16_t, their bits. Nothing is checked, and the pointer does not keep the memory
alive: hold the array for as long. LuaJIT takes some NaNs that are read so for values of other types and may crash on
them: where memory may hold any bits (fresh from a device, say), read with get() or a[i], which know them.
@return ffi.cdata*
@raise LogicError if the memory was freed
= cuda.ndarray.Array:equal(other)
Has another array the same shape and equal elements? Types may differ; NaN equals nothing.
@param other any  array, nested tables or value
@return boolean
@return string? difference  the first one, or the two shapes
= cuda.ndarray.Array:expand_dims(axes)
The same elements with more axes, of one element each, as a view.
@param axes integer|integer[]  where these are in the new shape; -1: the last one
@return cuda.ndarray.Array
@raise LogicError for places that the new shape does not have
= cuda.ndarray.Array:field(name)
One field of all structs, as a view of the field's type. A fixed array in the structs adds its axes behind those of
the array.
@param name string
@return cuda.ndarray.Array
@raise LogicError if the elements are not structs, or have no such field
= cuda.ndarray.Array:fill(value)
Sets every element.
@param value any  boolean, number, 64-bit integer or complex cdata
@return cuda.ndarray.Array self
@raise LogicError if the dtype cannot hold it
= cuda.ndarray.Array:flip(axes)
The same elements backwards, as a view.
@param axes? integer|integer[]  default: all
@return cuda.ndarray.Array
@raise LogicError if an axis is out of range
= cuda.ndarray.Array:get(...)
Reads an element.
@param ... integer  as many positions as the array has axes; none for a 0-d array
@return boolean|number|ffi.cdata* value  int64_t or uint64_t cdata beyond 2^53, complex cdata for complex types; a struct's value is a copy, an FFI struct that cannot be written to: its dtype makes one that can, particle(a[1])
@raise LogicError for an index out of range, or if the memory was freed
= cuda.ndarray.Array:get_pointer()
The device's address of the first element, if the device can reach the memory: page-locked, registered or managed.
So these arrays are taken wherever device memory is.
@return cuda.DevicePointer
@raise LogicError if the device does not reach the memory, or it was freed
= cuda.ndarray.Array:item()
The value of an array of one element, whatever its shape.
@return boolean|number|ffi.cdata* value  as get() gives it
@raise LogicError if it has not one element, or the memory was freed
= cuda.ndarray.Array:len()
The extent of the first axis.
@return integer
@raise LogicError for a 0-d array
= cuda.ndarray.Array:reshape(...)
The same elements with another shape: a view if the layout allows it, else a copy.
@param ... any  extents, or one list of them; one may be -1, and is computed from the others. A last argument {order = "F"} takes the elements with the first axis changing fastest. Default "C": the last axis
@return cuda.ndarray.Array
@raise LogicError if the sizes differ
@options order="F"
= cuda.ndarray.Array:set(...)
Writes an element: a:set(i, j, value).
@param ... any  as many positions as the array has axes, then the value: boolean, number, 64-bit integer or complex cdata
@raise LogicError for an index out of range, a value that the dtype cannot hold, or if the memory was freed
= cuda.ndarray.Array:slice(...)
A part, as a view: one item for each axis, from the first; axes without one are taken whole.
@param ... any  i drops its axis; {i} keeps it with extent 1; {lo, hi} and {lo, hi, step} are ranges, both ends included, {lo, lo - 1} is empty, a negative step runs backwards; {} is all; ndarray.newaxis adds an axis
@return cuda.ndarray.Array
@raise LogicError for what lies outside an axis, or too many items
= cuda.ndarray.Array:squeeze(axes)
The same elements without axes of one element, as a view.
@param axes? integer|integer[]  default: all axes that have one element
@return cuda.ndarray.Array
@raise LogicError if an axis is out of range, or has not one element
= cuda.ndarray.Array:tolist()
The elements as nested tables; of a 0-d array, the value. A struct is a table of its fields.
@return any
= cuda.ndarray.Array:transpose(...)
The same elements with the axes in another order, as a view.
@param ... integer  axes, or one list of them; none: the reverse
@return cuda.ndarray.Array
@raise LogicError if they do not name each axis once
= cuda.ndarray.Npz class
The arrays of an .npz file, each read when it is asked for. `z.name` is z:get "name", or nil if there is none and
for the names of the methods.
= cuda.ndarray.Npz:close()
Closes the file. Its arrays stay.
= cuda.ndarray.Npz:get(name, options)
Reads an array.
@param name string
@param options? {pinned: boolean, managed: boolean}  as for ndarray.empty
@return cuda.ndarray.Array  a new one each time
@raise LogicError if no array has that name, or the file is damaged or was closed; MemoryError
@options managed pinned
= cuda.ndarray.Npz:names()
The names of the arrays, in the order of the file.
@return string[]
@raise LogicError if the file was closed
= cuda.ndarray.allclose(a, b, options)
Are all elements close, |a - b| <= atol + rtol * |b|? As NumPy's allclose: an infinity is close to itself alone.
@param a any  array, nested tables or value
@param b any  likewise, of the same shape or 0-d
@param options? {rtol: number, atol: number, equal_nan: boolean}  default: 1e-5, 1e-8, false
@return boolean
@return string? difference  the first one
@raise LogicError if the shapes differ
@options atol equal_nan rtol
= cuda.ndarray.arange(start, stop, step, dtype, options)
The numbers from start to before stop, as NumPy's: arange(stop), arange(start, stop) or arange(start, stop, step),
then, if wanted, a dtype and options.
@call fun(stop: number|ffi.cdata*, dtype?: any, options?: table): cuda.ndarray.Array
@param start number|ffi.cdata*  default: 0; integers beyond 2^53 as int64_t or uint64_t
@param stop number|ffi.cdata*   the end, which is excluded
@param step? number|ffi.cdata*  default: 1
@param dtype? any    as for dtype.of; default: int64 for integers, uint64 if only that holds them, else dtype.default_float()
@param options? {dtype: any, pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError for a step of 0, numbers that are not finite, and those that the dtype cannot hold
@options dtype managed pinned
= cuda.ndarray.array(values, dtype, options)
An array from nested tables, one value, or another array; always a copy.
@param values any  nested lists of one length on each level; a boolean, number or cdata scalar (0-d); an array
@param dtype? any  as for dtype.of; default: an array's own; for booleans, 64-bit integer and complex cdata their own type; for numbers dtype.default_float(), whole or not
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty; order of an array: default its own
@return cuda.ndarray.Array
@raise LogicError naming the place if lists are ragged or a value does not fit, and as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.dumps(a, options)
The bytes of the .npy file that save would write.
@param a any  array, nested tables, or a value
@param options? {version: 1|2|3}
@return string
@raise LogicError if it is not an array, or has 2 GiB or more
@options version
= cuda.ndarray.dumpsz(members, options)
The bytes of the .npz file that savez would write.
@param members table<string, any>
@param options? {version: 1|2|3}
@return string
@raise LogicError if it is not a table of arrays, or has 2 GiB or more
@options version
= cuda.ndarray.empty(shape, dtype, options)
An array whose elements are not set to anything.
@param shape integer|integer[]  extents; {} for a 0-d array, a number for a 1-D one
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  order C (default): the last axis is dense; F: the first one; pinned: in page-locked memory, as cuda.pagelocked_empty; managed: as cuda.managed_empty
@return cuda.ndarray.Array
@raise LogicError for a bad shape, dtype or option, and for pinned or managed without a current context; MemoryError if memory is exhausted
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.empty_like(other, dtype, options)
An array of the shape and order of another one, whose elements are not set to anything.
@param other cuda.ndarray.Array
@param dtype? any  as for dtype.of; default: the other's
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  order: default F if the other is in F order alone, else C; the rest as for empty
@return cuda.ndarray.Array
@raise LogicError if it is not a host array, and as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.equal(a, b)
Have two arrays the same shape and equal elements? Types may differ; NaN equals nothing.
@param a any  array, nested tables or value
@param b any  likewise
@return boolean
@return string? difference  the first one, or the two shapes
= cuda.ndarray.eye(rows, columns, k, dtype, options)
Ones on a diagonal, zeros elsewhere, as NumPy's: eye(rows), eye(rows, columns) or eye(rows, columns, k), then, if
wanted, a dtype and options.
@call fun(rows: integer, dtype?: any, options?: table): cuda.ndarray.Array
@param rows integer
@param columns? integer  default: rows
@param k? integer        the diagonal: 0 (default) the main one, above it positive, below negative
@param dtype? any        as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError for extents that are not non-negative integers; MemoryError
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.from_buffer(buf, shape, dtype, options)
An array over a host buffer, which it keeps alive. Nothing is copied, except from a string.
@param buf any            FFI array, struct or pointer, string, {ptr =, nbytes =}, object with :buffer()
@param shape? integer|integer[]  default: an FFI array's own, else all of it on one axis; needed for a pointer
@param dtype? any         as for dtype.of; default: the type of the FFI array's or pointer's elements
@param options? {dtype: any, order: "C"|"F"}
@return cuda.ndarray.Array
@raise LogicError if the buffer is const, too small, not a multiple of the element size, or its type is not known
@options dtype order="C"|"F"
= cuda.ndarray.from_function(shape, fn, dtype, options)
An array of what a function makes of the indices.
@param shape integer|integer[]  as for empty
@param fn fun(...: integer): any  is given one position for each axis, from 1; called in C order
@param dtype? any  as for dtype.of; default: as ndarray.array has it for such values
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError naming the element if the type cannot hold what fn returned; what fn raises; else as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.full(shape, value, dtype, options)
An array of one value.
@param shape integer|integer[]  as for empty
@param value any                boolean, number, 64-bit integer or complex cdata
@param dtype? any               as for dtype.of; default: the default float, for booleans and cdata their own type
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError if the type cannot hold the value, and as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.full_like(other, value, dtype, options)
An array of one value with the shape and order of another one.
@param other cuda.ndarray.Array
@param value any   boolean, number, 64-bit integer or complex cdata
@param dtype? any  as for dtype.of; default: the other's
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty_like
@return cuda.ndarray.Array
@raise LogicError if the type cannot hold the value, and as empty_like
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.is_array(x)
Is it an array of this module?
@param x any
@return boolean
= cuda.ndarray.linspace(start, stop, num, dtype, options)
`num` numbers at equal distances, as NumPy's.
@param start number  the first
@param stop number   the last; excluded if endpoint is false
@param num? integer  default: 50
@param dtype? any    as for dtype.of; default: dtype.default_float(); integers are rounded down
@param options? {dtype: any, endpoint: boolean, pinned: boolean, managed: boolean}  endpoint: default true; the rest as for empty
@return cuda.ndarray.Array
@raise LogicError for numbers that are not finite, and those that the dtype cannot hold
@options dtype endpoint managed pinned
= cuda.ndarray.load(path, options)
Loads what NumPy's save, savez or savez_compressed wrote, or save and savez here.
@param path string
@param options? {pinned: boolean, managed: boolean}  of an .npy: as for empty
@return cuda.ndarray.Array|cuda.ndarray.Npz  of an .npy file the array, in the order that it has there; of an .npz file an object that reads its arrays when they are asked for
@raise RuntimeError if the file cannot be opened; LogicError if it is not an .npy or .npz file, is damaged or truncated, or has elements of a type that is not a dtype (nothing in a file is ever executed); MemoryError
@options managed pinned
= cuda.ndarray.loads(bytes, options)
As load, from the bytes of such a file.
@param bytes string
@param options? {pinned: boolean, managed: boolean}
@return cuda.ndarray.Array|cuda.ndarray.Npz
@raise LogicError, MemoryError as load
@options managed pinned
= cuda.ndarray.newaxis field
@type any
in an index: a new axis of extent 1
= cuda.ndarray.ones(shape, dtype, options)
An array of ones (of true).
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError, MemoryError as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.ones_like(other, dtype, options)
An array of ones (of true) with the shape and order of another one.
@param other cuda.ndarray.Array
@param dtype? any  as for dtype.of; default: the other's
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty_like
@return cuda.ndarray.Array
@raise LogicError, MemoryError as empty_like
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.save(path, a, options)
Writes an array to an .npy file, which NumPy's load reads; bfloat16 as "<V2", raw bytes to NumPy. An array in F order
is written so, a view with gaps in C order.
@param path string  as it is: no ".npy" is added
@param a any        array, nested tables, or a value
@param options? {version: 1|2|3}  of the format, default: 1
@raise LogicError if it is not an array; RuntimeError if the file cannot be written: it may then be there in part
@options version
= cuda.ndarray.savez(path, members, options)
Writes arrays to an .npz file, not compressed, in the order of their names.
@param path string  as it is: no ".npz" is added
@param members table<string, any>  by name: arrays, nested tables, or values
@param options? {version: 1|2|3}  of the .npy format
@raise LogicError if it is not a table of arrays; RuntimeError if the file cannot be written: it may then be there in part
@options version
= cuda.ndarray.wrap(pointer, shape, dtype, options)
An array over memory that other code owns, without a copy. For the parts of this library: what is behind a
pointer cannot be checked.
@param pointer ffi.cdata*       the first element; of an FFI array the size is checked
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", strides: integer[], base: any, alive: fun(token: any): boolean, string?, token: any} strides: bytes for each axis, instead of order; base: the owner, kept alive; alive: asked before every access whether the memory is still there, and if not, why; is given the token
@return cuda.ndarray.Array
@raise LogicError for a bad pointer, shape, dtype or strides
@options alive base dtype order="C"|"F" strides string token
= cuda.ndarray.zeros(shape, dtype, options)
An array of zeros (of false).
@param shape integer|integer[]  as for empty
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
@return cuda.ndarray.Array
@raise LogicError, MemoryError as empty
@options dtype managed order="C"|"F" pinned
= cuda.ndarray.zeros_like(other, dtype, options)
An array of zeros (of false) with the shape and order of another one.
@param other cuda.ndarray.Array
@param dtype? any  as for dtype.of; default: the other's
@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty_like
@return cuda.ndarray.Array
@raise LogicError, MemoryError as empty_like
@options dtype managed order="C"|"F" pinned
= cuda.reduction module
Kernels that make one value of the elements of arrays, from the user's expressions.
= cuda.reduction.Options class
@field preamble string?    CUDA C before the kernel: functions, types, #include
@field options string[]?   for the compiler, which keeps its default of joining products and sums
@field keep boolean?       true: the compiler's files stay in a folder, keep_dir
@field neutral any          this and what follows: arguments that are not given by their place
@field reduce_expr any
@field map_expr any
@field arguments any
@field name string?
= cuda.reduction.ReductionKernel class
A reduction of arrays: `ReductionKernel("float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")` is
the dot product. map_expr is computed for each element, `i` being its number, from 0, in C order whatever the arrays'
layouts, and `n` how many there are; reduce_expr combines two values, `a` and `b`, and must be associative;
neutral is the value that changes no other one. map_expr may be nil: the first array's element. Values are combined
in an order that depends on their number alone, so that results are the same on every device.

neutral is CUDA C, or a number, which an integer dtype has to hold. dtype_out may be a struct, whose type is
registered or declared in the preamble; or a list, with as many neutrals, reduce_exprs and map_exprs: then one pass
over the arrays gives several values. From any of them on the arguments may have their names, as in PyCUDA, in the
table of options: `ReductionKernel("float32", { neutral = "0", reduce_expr = "a+b", arguments = "const float *x" })`.

Calling it: k(arguments in their order, options) gives a new array of no axes, one for each result. Arrays that are
used only at [i] may be of any layout, and broadcast to one shape; others are map_expr's own to index, and passed
whole. DeviceAllocations may stand for arrays without gaps. options: out, an array of one element, or a list, that
gets the result; range or slice, {first, last} or {first, last, step}, which elements (positions from 1, inclusive,
negative ones from the end); n, the number of elements, if no array gives it; stream, default: the
current one; allocator, a function that gives the result's memory for a number of bytes.
@call fun(dtype_out: any, neutral: any, reduce_expr: any, map_expr: any, arguments: string|any[], name?: string, options?: cuda.reduction.Options): cuda.reduction.ReductionKernel
@field name string      of the kernel in the compiled module
@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
@options arguments keep map_expr name neutral options preamble reduce_expr
= cuda.reduction.ReductionKernel:source()
The CUDA C of the kernel, in the form for long arrays that lie alike and without gaps.
@return string
= cuda.scan module
Kernels that scan with an operation of the user's.
= cuda.scan.ExclusiveScanKernel class
A kernel that replaces each element by all elements before it, combined; the first one, and the first one of each
segment, by `neutral`: CUDA C, or a number. As InclusiveScanKernel in everything else.
@call fun(dtype: any, scan_expr: string, neutral: string|number|boolean, options?: cuda.scan.Options): cuda.scan.ExclusiveScanKernel
@field name string      of the kernel in the compiled module
@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
@options dtype keep name_prefix="scan" neutral options preamble scan_expr
= cuda.scan.ExclusiveScanKernel:source()
The CUDA C of the kernel, in the form for a few elements.
@return string
= cuda.scan.GenericOptions class
@field is_segment_start_expr string?  CUDA C: does a segment begin at element i?
@field arguments any                  this and what follows: arguments that are not given by their place
@field input_expr string?
@field output_statement string?
= cuda.scan.GenericScanKernel class
A kernel that computes a value for each element from arrays, scans these values, and does a statement with each:
PyOpenCL's GenericScanKernel. Here, the elements of x that are greater than 0 are written to y, one after the other:

   k = GenericScanKernel("int32", "const float *x, float *y, int *count", "x[i] > 0", "a + b", 0,
     "if (item > prev_item) y[prev_item] = x[i]; if (i + 1 == N) count[0] = item;")

`dtype` is that of the values. `input_expr` and `output_statement` are CUDA C of the arguments, of i, the number of
the element, from 0, and n or N, how many there are; the statement has `item`, the value of the elements up to this
one, and `prev_item`, that of those before it, which is `neutral` if it is the first. Option
is_segment_start_expr: true where a new segment begins, before which nothing is counted.

Calling it: k(arguments in their order, options). Arrays are passed whole, without gaps, as elements in C order; the
first one says how many elements there are, or option n, and those that are used at [i] alone have as many at least;
option stream. Statements run in any order, and an input may
be computed more than once: what one statement writes, the input of another one must not need.
@call fun(dtype: any, arguments: string|any[], input_expr: string, scan_expr: string, neutral: string|number|boolean|nil, output_statement: string, options?: cuda.scan.GenericOptions): cuda.scan.GenericScanKernel
@field name string      of the kernel in the compiled module
@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
@options arguments input_expr is_segment_start_expr output_statement
= cuda.scan.GenericScanKernel:source()
The CUDA C of the kernel, in the form for a few elements.
@return string
= cuda.scan.InclusiveScanKernel class
A kernel that replaces each element by all elements up to it, combined by an associative operation:
`InclusiveScanKernel("int32", "a + b")`. `scan_expr` is CUDA C of `a` and `b`, where `a` comes first. It need not be
commutative. The dtype may be any one, structs, vectors and complex numbers among them.

Calling it: k(input, output, options), which returns the output. Without one, the input is overwritten; "new" makes a
new array. Arrays of any shape and layout are taken as their elements in C order. options: out, as output; n, the
number of elements, from the first one on, default all; flags, an array of as many elements that is true where a new
segment begins, before which nothing is counted; stream, default the current one; allocator, for a new array.

Which elements are combined with which is a matter of their number and the dtype alone: the same on every device.

A third argument, PyCUDA's neutral, is taken and not needed. Arguments may have their names, in the table of options:
{ dtype = "int32", scan_expr = "a + b" }.
@call fun(dtype: any, scan_expr: string, options?: cuda.scan.Options): cuda.scan.InclusiveScanKernel
@call fun(dtype: any, scan_expr: string, neutral: any, options?: cuda.scan.Options): cuda.scan.InclusiveScanKernel
@field name string      of the kernel in the compiled module
@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
@options dtype keep name_prefix="scan" neutral options preamble scan_expr
= cuda.scan.InclusiveScanKernel:source()
The CUDA C of the kernel, in the form for a few elements.
@return string
= cuda.scan.Options class
@field name_prefix string? of the kernel; default "scan"
@field preamble string?    CUDA C before the kernel: functions, types, #include, #define
@field options string[]?   for the compiler
@field keep boolean?       true: the compiler's files stay in a folder, keep_dir
@field dtype any           this and what follows: arguments that are not given by their place
@field scan_expr string?
@field neutral any
= cuda.sparse module
Sparse matrices: compressed rows and columns, products, iterative solvers.
= cuda.sparse.Matrix class
A sparse matrix: sparse.csr(), csc(), coo() and others make it. Where its elements are does not change; their values
may be written, `m.data:fill(0)`.
@field shape integer[]  rows and columns; a fresh list, which prints as (2, 3)
@field dtype cuda.dtype.DType
@field nnz integer      number of stored elements
@field format "csr"|"csc"|"coo"|"packed"
@field base 0|1         what positions count from that the matrix gives
@field data cuda.gpuarray.Array     the values, of one axis; writing to it changes the matrix. packed: in an order of its own, with gaps that are not read
@field indices cuda.gpuarray.Array  csr: the columns of the elements, csc: the rows; a fresh array
@field indptr cuda.gpuarray.Array   csr: where each row begins in indices and data, csc: each column; and the end
@field rows cuda.gpuarray.Array     coo: the rows of the elements, ascending; a fresh array
@field columns cuda.gpuarray.Array  coo: the columns
@field T cuda.sparse.Matrix         the transposed matrix
= cuda.sparse.Matrix:astype(dtype)
The matrix with values of another type.
@param dtype any  as for dtype.of
@return cuda.sparse.Matrix  a new matrix, with values of its own
@raise LogicError for types that sparse matrices do not have
= cuda.sparse.Matrix:diagonal(k, options)
The elements of a diagonal, with 0 where none is stored.
@param k? integer  default: 0; 1: the one above the main diagonal, -1: the one below
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}
@return cuda.gpuarray.Array  1-D
@raise LogicError if k is not an integer, and if out does not fit
@options allocator out stream
= cuda.sparse.Matrix:eliminate_zeros()
The matrix without elements whose value is 0. The program waits for their number.
@return cuda.sparse.Matrix  a new matrix, with values of its own
@raise LogicError inside a capture
= cuda.sparse.Matrix:matmul(x, options)
The product with a vector, with a dense matrix, or with a sparse one. Every sum has the same order on every device,
unless linalg.backend has cuSPARSE compute it; float16 and bfloat16 are summed as float32, integers as int64.
@param x any  an array of one axis or two, also a host array or a list; or a sparse matrix
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  out: gets a dense result
@return any  an array; of two sparse matrices a sparse one, csr, or csc if both are csc
@raise LogicError if the shapes do not fit, if out does not fit, and for two sparse matrices inside a capture
@options allocator out stream
= cuda.sparse.Matrix:sum(options)
The sum of all elements, or of each column or row. Integers are summed as int64.
@param options? any  {axis: integer, out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}, or the axis. axis: 1: one sum for each column, 2: one for each row; default: the sum of all
@return cuda.gpuarray.Array  0-d, or 1-D
@raise LogicError for another axis, and if out does not fit
@options allocator axis out stream
= cuda.sparse.Matrix:to(format)
The matrix in another format. Where the format has the elements in the same order, as csr and coo, both matrices have
the same values in the same memory.
@param format "csr"|"csc"|"coo"|"packed"
@return cuda.sparse.Matrix  self if that is its format
@raise LogicError for other formats
= cuda.sparse.Matrix:todense(options)
The matrix as a dense array.
@param options? {out: cuda.gpuarray.Array, stream: cuda.Stream, allocator: function}  out: gets the result
@return cuda.gpuarray.Array
@raise LogicError if out does not fit, MemoryError
@options allocator out stream
= cuda.sparse.Matrix:transpose()
The matrix with its rows as columns. Of a csr matrix that is a csc one and the other way round, with the same values
in the same memory; a coo matrix gets a copy of them.
@return cuda.sparse.Matrix
= cuda.sparse.bicgstab(A, b, options)
Solves A x = b by stabilized biconjugate gradients, for any square matrix.
@param A any  as for cg
@param b any
@param options? {x0: any, rtol: number, atol: number, maxiter: integer, M: any, callback: function, check: integer, stream: cuda.Stream, allocator: function}  as for cg; a step multiplies by A twice
@return cuda.gpuarray.Array x
@return integer info  as cg
@raise LogicError as cg
@options M allocator atol callback check maxiter rtol stream x0
= cuda.sparse.cg(A, b, options)
Solves A x = b by conjugate gradients, for a matrix that is symmetric, or Hermitian, and positive definite.
@param A any  a sparse matrix, an array of two axes, or a function that gives A v for a vector v
@param b any  an array of one axis, also a host array or a list
@param options? {x0: any, rtol: number, atol: number, maxiter: integer, M: any, callback: function, check: integer, stream: cuda.Stream, allocator: function}  x0: where to begin; default 0. It ends when the norm of b - A x is at most rtol (default 1e-5) times the norm of b, or atol (0); which is looked at every `check` steps (10). maxiter: default 10 for each element of b. M: an approximate inverse of A, a matrix, a function, or "jacobi" for the inverse of A's diagonal. callback: called as callback(x, step) behind each step; x changes with the next
@return cuda.gpuarray.Array x
@return integer info  0: solved; positive: steps that were not enough; negative: the method broke down, and was seen to have at this step
@raise LogicError if shapes do not fit, for 16-bit floats, and for a 0 on the diagonal under "jacobi"
@options M allocator atol callback check maxiter rtol stream x0
= cuda.sparse.coo(x, options)
A matrix that knows the row and the column of each element, in the order of rows. It computes as a csr matrix does.
@param x any  {data =, rows =, columns =, shape =}, and what else csr takes, but for indices and indptr
@param options? {dtype: any, stream: cuda.Stream}
@return cuda.sparse.Matrix
@raise LogicError as csr
@options dtype stream
= cuda.sparse.csc(x, options)
A matrix in compressed columns.
@param x any  as for csr; indices are the rows of the elements column by column, indptr is where each column begins
@param options? {dtype: any, stream: cuda.Stream}
@return cuda.sparse.Matrix
@raise LogicError as csr
@options dtype stream
= cuda.sparse.csr(x, options)
A matrix in compressed rows. Values of one place are added in the order in which they are given.
@param x any  {data =, indices =, indptr =, shape =} with the columns of the elements row by row and where each row begins; {data =, rows =, columns =, shape =}; {shape =} for one without elements; besides `base` (0 or 1, default 1: what positions count from) and `dtype`; or a dense array, also a host array or nested lists; or a sparse matrix
@param options? {dtype: any, stream: cuda.Stream}  dtype: of the values of dense and sparse x
@return cuda.sparse.Matrix  of new values, unless x is a sparse matrix that has its elements in this order
@raise LogicError for positions out of range, lengths that do not fit, and inside a capture
@options dtype stream
= cuda.sparse.diags(diagonals, offsets, options)
A matrix of diagonals: `sparse.diags({{1, 2}, {4, 5, 6}}, {1, 0})`.
@param diagonals any[]     lists, arrays of one axis, and numbers for diagonals of one value
@param offsets? integer[]  where each is: 0 the main diagonal, 1 above it, -1 below; default for one: 0
@param options? {shape: integer[], dtype: any, format: "csr"|"csc"|"coo"|"packed", stream: cuda.Stream}  shape: default: the square that the first diagonal fits; format: default csr
@return cuda.sparse.Matrix
@raise LogicError for lengths that do not fit the shape, and if an offset is given twice
@options dtype format="csr"|"csc"|"coo"|"packed" shape stream
= cuda.sparse.eye(n, m, k, options)
A matrix with ones on a diagonal.
@param n integer   rows
@param m? integer  columns; default: n
@param k? integer  which diagonal: default 0, the main one; 1 above it, -1 below
@param options? {dtype: any, format: "csr"|"csc"|"coo"|"packed", stream: cuda.Stream}
@return cuda.sparse.Matrix
@raise LogicError for other numbers
@options dtype format="csr"|"csc"|"coo"|"packed" stream
= cuda.sparse.from_dense(x, options)
The elements of a dense array that are not 0. The program waits for their number.
@param x any  an array of two axes, also a host array or nested lists
@param options? {dtype: any, format: "csr"|"csc"|"coo"|"packed", stream: cuda.Stream}  default format: csr
@return cuda.sparse.Matrix
@raise LogicError for other numbers of axes and inside a capture
@options dtype format="csr"|"csc"|"coo"|"packed" stream
= cuda.sparse.gmres(A, b, options)
Solves A x = b by the generalized minimal residual method, for any square matrix. It begins anew after `restart`
steps, and looks at the residual then.
@param A any  as for cg
@param b any
@param options? {x0: any, rtol: number, atol: number, maxiter: integer, restart: integer, M: any, callback: function, stream: cuda.Stream, allocator: function}  as for cg; restart: default 20, that many vectors are kept; M is applied on the right, so that the residual is that of the system; callback(x, step) is called behind each restart
@return cuda.gpuarray.Array x
@return integer info  as cg; maxiter and info count the steps inside of restarts
@raise LogicError as cg
@options M allocator atol callback maxiter restart rtol stream x0
= cuda.sparse.jacobi(A, b, options)
Solves A x = b by Jacobi's iteration, x + omega (b - A x) / diagonal: for matrices whose diagonal dominates, and as a
smoother.
@param A any  a sparse matrix or an array of two axes
@param b any
@param options? {x0: any, rtol: number, atol: number, maxiter: integer, omega: number, callback: function, check: integer, stream: cuda.Stream, allocator: function}  as for cg; omega: the weight of a step, default 1
@return cuda.gpuarray.Array x
@return integer info  as cg
@raise LogicError as cg, and if A is a function
@options allocator atol callback check maxiter omega rtol stream x0
= cuda.sparse.packed(x, options)
A matrix in packets of rows that read their part of a vector through shared memory: PyCUDA's PacketedSpMV. It is for
many products with vectors, of matrices whose rows share columns with their neighbours, such as those of grids. The
rows are put into packets on the host, which takes a while. For other uses than products with a vector it is
converted to csr each time.
@param x any  as for csr
@param options? {dtype: any, stream: cuda.Stream}
@return cuda.sparse.Matrix
@raise LogicError as csr
@options dtype stream
= cuda.vec module
CUDA's built-in vectors. Each is a dtype with the fields x, y, z, w and CUDA's alignment; make_... makes a value of
it, an FFI struct that is an argument of kernels and an element of arrays.
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
= cuda.vec.make_char2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_char3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_char4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_double1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_double2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_double3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_double4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_double4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_double4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_float1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_float2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_float3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_float4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_int1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_int2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_int3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_int4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_long1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_long2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_long3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_long4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_long4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_long4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_longlong1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_longlong2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_longlong3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_longlong4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_longlong4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_longlong4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_short1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_short2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_short3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_short4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_uchar1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_uchar2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_uchar3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_uchar4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_uint1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_uint2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_uint3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_uint4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_ulong1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_ulong2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_ulong3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_ulong4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_ulong4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_ulong4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_ulonglong1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_ulonglong2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_ulonglong3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_ulonglong4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_ulonglong4_16a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_ulonglong4_32a field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
= cuda.vec.make_ushort1 field
@type fun(x: number): ffi.cdata*
= cuda.vec.make_ushort2 field
@type fun(x: number, y: number): ffi.cdata*
= cuda.vec.make_ushort3 field
@type fun(x: number, y: number, z: number): ffi.cdata*
= cuda.vec.make_ushort4 field
@type fun(x: number, y: number, z: number, w: number): ffi.cdata*
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
# docs/compiling.md
= cuda.CacheInfo class
@field dir string?       the folder; nil: nothing is cached
@field why string?       why not
@field entries integer
@field bytes integer     of all entries
@field limit integer     bytes; beyond that, the entries used longest ago are removed
@field hits integer      of this process
@field misses integer    of this process
@field stores integer    of this process
= cuda.DynamicModule class
Begins a module of several pieces: `cuda.DynamicModule{...}:add_source(a):add_source(b):link()`.
@call fun(opts?: cuda.DynamicOptions): cuda.DynamicModule
@field module cuda.Module?  once it is linked
@field log string?             the compiler's warnings
@field link_log string?        what the linker reported
@options library_dirs link_options log_verbose lto message_handler
= cuda.DynamicModule:add_data(data, input_type, name)
Adds an image.
@param data string               its bytes
@param input_type integer|string  of cuda.jit_input_type: "cubin", "ptx", "fatbinary", "object", "library"; with `lto` also "ltoir"
@param name? string              what it is called in messages; default "unknown"
@return cuda.DynamicModule self
@raise CompileError (218, 300 ...; log) if the linker refuses it, LogicError for bad arguments or after link()
= cuda.DynamicModule:add_file(path, input_type)
Adds an image that is in a file.
@param path string
@param input_type integer|string  as in add_data
@return cuda.DynamicModule self
@raise RuntimeError (301) if it cannot be read, else as add_data
= cuda.DynamicModule:add_source(source, opts)
Compiles a source and adds it.
@param source string
@param opts? cuda.CompileOptions  in the place of those that the module has
@return cuda.DynamicModule self
@raise what cuda.compile raises, and CompileError (218, 300 ...; log) if the linker refuses it, LogicError after link()
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.DynamicModule:add_stdlib(name)
Adds a library of the CUDA toolkit: "cudadevrt", with which kernels launch kernels. On the software device, which
has no such launches, "cudadevrt" adds nothing.
@param name string  lib<name>.a in library_dirs, or beside the toolkit's other libraries
@return cuda.DynamicModule self
@raise RuntimeError if it is not found, else as add_file
= cuda.DynamicModule:get_function(name, opts)
@param name string  kernel's name, or one of name_expressions
@param opts? {args: any[]}  as Module:get_function takes them
@return cuda.Function  the same one each time
@raise LogicError (500) that lists the module's kernels, and before link().
@options args
= cuda.DynamicModule:get_global(name)
@param name string  a __device__ or __constant__ variable
@return cuda.DevicePointer pointer  holds the module
@return integer bytes
@raise LogicError (500), and before link().
= cuda.DynamicModule:link()
Links what was added and loads it into the current context.
@return cuda.DynamicModule self
@raise CompileError (log) if symbols are missing or defined twice, LogicError if it is linked already
= cuda.DynamicOptions class
Options of cuda.DynamicModule. All others are those of cuda.SourceModule, for each source that is added.
@field lto boolean?              true: optimise across the pieces, by nvJitLink; default: the driver's linker
@field link_options table?       of the linker: as `options` of cuda.Linker, or of cuda.link with `lto`
@field message_handler function? called as f(ok, info_log, error_log) after linking, also when it failed
@field log_verbose boolean?      the linker reports more
@field library_dirs string[]?    where add_stdlib looks first
= cuda.DynamicSourceModule class
Compiles a source as relocatable code, links it with CUDA's device runtime if that is installed, and loads it:
`cuda.DynamicSourceModule(source, opts)`, for kernels that launch kernels.
@call fun(source: string, opts?: cuda.DynamicOptions): cuda.DynamicModule
@options library_dirs link_options log_verbose lto message_handler
= cuda.LinkOptions class
Options of cuda.link.
@field arch string?       "sm_90"; default: the current device's
@field lto boolean?       optimise across the borders of the inputs; default: if LTO-IR is among them
@field target string?     "cubin" or "ptx"; default: a cubin, and PTX for "compute_90" and the software device
@field options string[]?  of nvJitLink: "-maxrregcount=32", "-lineinfo", "-verbose", "-kernels-used=name" ...
= cuda.Linker class
The driver's linker: several images become one module. `cuda.Linker{message_handler =, options =, log_verbose =}`.
= cuda.Linker:add_data(data, input_type, name)
Adds an image.
@param data string             its bytes
@param input_type integer|string  of cuda.jit_input_type: "cubin", "ptx", "fatbinary", "object", "library"
@param name? string            what it is called in messages; default "unknown"
@return cuda.Linker self
@raise CompileError (218, 300 ...; log) if the linker refuses it, LogicError for bad arguments or after link_module()
= cuda.Linker:add_file(path, input_type)
Adds an image that is in a file.
@param path string
@param input_type integer|string  as in add_data
@return cuda.Linker self
@raise RuntimeError (301) if it cannot be read, else as add_data
= cuda.Linker:close()
Gives the linker up without linking.
@raise LogicError if it was closed already, also by link_module()
= cuda.Linker:link_module()
Links what was added and loads it into the current context. The linker is closed by it.
@return cuda.Module  its `jit` holds what the linker reported
@raise CompileError (log) if symbols are missing or defined twice
= cuda.Module class
Code on the device.
= cuda.Module:close()
cuModuleUnload. Its functions and pointers are dead from then on.
@raise LogicError if it was already closed
= cuda.Module:get_function(name, opts)
cuModuleGetFunction.
@param name string
@param opts? {args: any[]}  args: the types of its parameters, if nothing else tells them: as in C ("float *", "unsigned int"), dtypes ("int32"), FFI ctypes, {bytes = 24, align = 8}
@return cuda.Function  the same object each time
@raise LogicError (500) that lists the module's kernels; LogicError for args that the kernel has not
@options align args bytes
= cuda.Module:get_global(name)
cuModuleGetGlobal.
@param name string  a __device__ or __constant__ variable
@return cuda.DevicePointer pointer  holds the module
@return number bytes
@raise LogicError (500)
= cuda.ModuleOptions class
@field options table?            of the driver's JIT: {max_registers = 32, wall_time = true} or {{option, value}, ...}; names as in cuda.jit_option, in lower case; values are numbers, booleans, or names for target and fallback_strategy
@field message_handler function? called as f(ok, info_log, error_log) after loading, also when it failed
= cuda.SourceModule class
Compiles CUDA C and loads it into the current context: `cuda.SourceModule(source, options)`.
@call fun(source: string, opts?: cuda.CompileOptions): cuda.SourceModule
@field module cuda.Module
@field log string?       the compiler's warnings
@field timing {phase: string, ms: number}[]?  how long the compiler's phases took; with `time = true`
@field keep_dir string?  the folder with the compiler's files; with `keep = true`
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.SourceModule:get_function(name, opts)
@param name string  kernel's name, or one of name_expressions
@param opts? {args: any[]}  as Module:get_function takes them
@return cuda.Function  the same one each time
@raise LogicError (500) that lists the module's kernels.
@options args
= cuda.SourceModule:get_global(name)
@param name string  a __device__ or __constant__ variable, or one of name_expressions
@return cuda.DevicePointer pointer  holds the module
@return integer bytes
@raise LogicError (500).
= cuda.cache_info()
The disk cache of compiled kernels, and what this process had of it.
@return cuda.CacheInfo info
= cuda.clear_cache()
Removes every entry of the disk cache. Programs that run meanwhile go on; they compile anew.
@return integer entries  how many there were
= cuda.compile(source, opts)
Compiles CUDA C without loading it.
@param source string
@param opts? cuda.CompileOptions
@return string image, string? log
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.is_debugging()
Is set_debugging() on?
@return boolean
= cuda.kernel(source, name, opts)
Compiles CUDA C, loads it and gets one kernel of it: `cuda.kernel(source)(x, n, { block = 256 })`.
@param source string
@param name? string|cuda.CompileOptions  the kernel's; optional if the source has one kernel. "fill<float>" is an instance of a template: name_expressions and no_extern_c are given by themselves
@param opts? cuda.CompileOptions  may stand in the place of the name
@return cuda.Function
@raise LogicError (500) that lists the kernels if none has that name, LogicError if the name is missing and the source has several or none; what SourceModule raises
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.link(inputs, opts)
Links images by nvJitLink, without loading the result: no device is needed if `arch` is given.
@param inputs (string|{data?: string, file?: string, type?: string, name?: string})[]  images: LTO-IR of cuda.compile(source, {target = "ltoir"}), relocatable PTX or cubins, fatbins, object files, libraries. `type` is found out by their first bytes: "ltoir", "ptx", "cubin", "fatbinary", "object", "library"
@param opts? cuda.LinkOptions
@return string image  for cuda.module_from_buffer
@return string? log   what nvJitLink reported
@raise CompileError (log, info_log, options) if symbols are missing or defined twice, and for bad images, RuntimeError if nvJitLink is not found, or a file (301), LogicError for bad arguments.
@options arch="sm_90" lto options="-maxrregcount=32"|"-lineinfo"|"-verbose"|"-kernels-used=name" target="ltoir"
= cuda.module_from_buffer(image, opts)
Loads a module from an image: cubin, PTX or fatbin. With options, `mod.jit` holds what the JIT reported: info_log,
error_log, and wall_time (ms) or threads_per_block if requested. The driver keeps what it compiled: an
image that it has seen before takes no time, and has an empty info_log.
@param image string
@param opts? cuda.ModuleOptions
@return cuda.Module
@raise CompileError (218, 222 ...; log, info_log) for bad PTX, RuntimeError (209) for another architecture's code, LogicError if it is not an image and for bad options.
@options message_handler options
= cuda.module_from_file(path, opts)
Loads a module from a file.
@param path string  file that holds a cubin, PTX or a fatbin
@param opts? cuda.ModuleOptions
@return cuda.Module
@raise RuntimeError (301) if it cannot be read, else as module_from_buffer.
@options message_handler options
= cuda.CompileOptions class
@field options string[]?         further options of the compiler, one each; default compiler.DEFAULT_NVRTC_FLAGS
@field arch string|integer[]?    "sm_90", "sm_90a", "compute_80" (PTX) or {9, 0}; default: the current device's
@field code string|integer[]?    as nvcc's -code: the real architecture, if `arch` is the virtual one
@field no_extern_c boolean?      true: the source is not wrapped in extern "C" (templates need that)
@field include_dirs string[]?    searched for headers before CUDA's own
@field headers table<string, string>?  headers by name that are not files; they come before all others
@field name string?              the source's file name in messages; default "kernel.cu". `#include "x.h"` looks in its folder first
@field name_expressions string[]?  names to be found as get_function(expression): "tk<float, 3>"
@field default_device boolean?   false: functions without __device__ are an error, as NVRTC has it; default true
@field std string?               "c++17" (default), "c++20" ...
@field lineinfo boolean?         true: line numbers for profilers (-lineinfo)
@field debug boolean?            true: code for cuda-gdb (-G -lineinfo); not cached
@field minimal boolean?          true: without vector, texture and surface types; compiles faster
@field pch boolean?              true: headers are kept compiled for the rest of the process; not cached
@field time boolean?             true: `timing` says how long the compiler's phases took; not cached
@field keep boolean?             true: source, PTX, cubin, options and log stay in a folder, `keep_dir`; not cached
@field cache_dir string|false?   folder of the cache of compiled kernels; false: not cached; default: the user's own
@field target string?            "cubin", "ptx" or "ltoir"; default: what the device loads
@field backend string?           "nvrtc" (default) or "nvcc"
@field nvcc string?              path of nvcc, if backend is "nvcc"
= cuda.compiler module
Compiles CUDA C at run time: CUDA C -> image -> module.
= cuda.compiler.DEFAULT_NVRTC_FLAGS field
Options used when `options` is not given; CUDALUA_DEFAULT_FLAGS (blank separated) sets them.
= cuda.compiler.SourceModule(source, opts)
@param source string  CUDA C
@param opts? cuda.CompileOptions
@return cuda.SourceModule
@raise CompileError, and what module_from_buffer raises
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.compiler.compile(source, opts)
Compiles CUDA C without loading it. Needs no device if `arch` is given. Warnings also go to cuda.on_notice.
@param source string
@param opts? cuda.CompileOptions
@return string image  a cubin, or PTX for "compute_NN" and the software device; `target` says otherwise
@return string? log   warnings
@raise CompileError (log, source, options, command_line, stdout, stderr, msg; excerpt: the lines around the first error; keep_dir), LogicError for bad arguments, RuntimeError if NVRTC is not found.
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.compiler.kernel(source, name, opts)
As cuda.kernel.
@param source string
@param name? string|cuda.CompileOptions
@param opts? cuda.CompileOptions
@return cuda.Function
@raise as cuda.kernel
@options arch="sm_90"|"sm_90a"|"compute_80" backend="nvrtc"|"nvcc" cache_dir code debug default_device headers include_dirs keep lineinfo minimal name="kernel.cu"|"x.h" name_expressions no_extern_c="C" nvcc="nvcc" options pch std="c++17"|"c++20" target="cubin"|"ptx"|"ltoir" time
= cuda.compiler.nvrtc()
NVRTC's library, opened at the first call.
@return {path: string, major: integer, minor: integer, archs: integer[]}? info  nil: not found
@return string? why  what was tried, one line each
# docs/embedding.md
= cuda.VERSION field
This library's version, {major, minor, patch}. Two lists with its metatable can be compared; against plain
numbers there is version_at_least().
= cuda.VERSION_STATUS field
What stands behind the numbers of a version that is not a release: "rc1"; "" for a release.
= cuda.VERSION_TEXT field
The version as text: "0.1.0".
= cuda.driver_info()
Which driver is in use.
@return {open: boolean, soft: boolean?, version: integer?, path: string?}
= cuda.get_driver_version()
CUDA version of the driver in use (cuDriverGetVersion); before cuda.init(), of the one that CUDALUA_DRIVER
names or that it would try first.
@return integer  13000 for 13.0
@raise RuntimeError if there is no driver
= cuda.get_version()
CUDA version of the headers that this library was built with. Works before cuda.init().
@return integer major, integer minor, integer patch
= cuda.init(options)
Opens the driver; every call after the first does nothing. A call that needs the driver opens it by itself: init()
is for choosing another one, and for an error at a place of your own.
@param options? integer|{driver?: string, flags?: integer}  flags must be 0; driver: "auto" (default, or CUDALUA_DRIVER), "cuda", "soft" (the software CUDA device), or the path of a driver library
@raise RuntimeError if there is no driver or no device (100), LogicError for bad options. "auto" falls back to the software device, with a notice, if no GPU is found.
@options driver flags
= cuda.interrupt()
Interrupts the Lua state that has interrupts on, as Ctrl-C does. From another thread than that state's it ends waits
and not Lua code. Does nothing if no state has interrupts on.
= cuda.interrupts(on)
Lets Ctrl-C interrupt this Lua state. With interrupts on, SIGINT and cuda.interrupt() raise an InterruptError: in
interpreted Lua code of yours, in waits for the device and the compiler, and in kernels of the software device, which
end there. No array is lost. A GPU's kernel goes on by itself. Loops that LuaJIT has compiled are not stopped:
`jit.off()` is for those. A second press within two seconds raises in every function that catches the error, until
interrupts(true) is called again. A SIGINT handler that the program has set stays; it may call cuda.interrupt().
@param on? boolean  omitted: only asks
@return boolean before  whether they were on in this state
@raise LogicError if another Lua state of the process has them on, or `on` is not a boolean
= cuda.on_notice(text)
Called with the text of a notice, such as a compiler's warnings; a notice is not an error. Assign another
function, or nil for silence.
@param text string
= cuda.text_errors(fn, options)
A function that calls fn and raises text if fn raises an error of this library: for host programs that show
strings alone, such as nginx, and C that calls lua_tostring().
@param fn function  an entry point of the program
@param options? {traceback: boolean}  traceback: the text ends with the stack of the error; default false
@return function  takes the arguments of fn, and returns what it returns; other errors than the library's pass as they are
@raise LogicError if fn cannot be called
@options traceback
= cuda.version_at_least(major, minor, patch)
Is this library of that version or newer?
@param major integer
@param minor? integer  default 0
@param patch? integer  default 0
@return boolean
@raise LogicError unless they are non-negative integers
= cudalua.luassert module
`require "cudalua.luassert"` lets luassert, and with it busted, show arrays, dtypes and errors in a failed assertion, where it shows addresses and fields otherwise.
= cudalua.luassert.text(value)
What a failed assertion shows of a value: of an array its kind, dtype, shape and elements.
@param value any
@return string?  nil for values of no type of this library
# docs/from-pycuda.md
= cudalua.autoinit module
`require "cudalua.autoinit"` opens the driver and makes a context on the default device (tools.make_default_context), current from then on.
= cudalua.autoinit.context field
The context that was made.
= cudalua.autoinit.device field
Its device.
= cudalua.autoprimaryctx module
`require "cudalua.autoprimaryctx"` opens the driver and makes the primary context of the default device current: the one that the CUDA runtime and other libraries in this process use.
= cudalua.autoprimaryctx.context field
The device's primary context.
= cudalua.autoprimaryctx.device field
Its device.
= cuda.tools module
Helpers after PyCUDA's tools: which device a program uses by default, results that are kept for each context, and what generated kernels call types and arguments.
= cuda.tools.Arg class
An argument of a kernel. Read only.
@field name string
@field dtype cuda.dtype.DType  of the value, or of an element
@field is_vector boolean          true: a pointer to elements
@field is_const boolean           "const" stands before its type: the kernel does not write the elements
@field ctype string               the type of the value or of an element in CUDA C
= cuda.tools.Arg:declarator()
How C declares the argument.
@return string  "const float *x"
= cuda.tools.DeviceData class
`DeviceData(dev)`: what PyCUDA's tools know of a device, with the numbers of devices of today. Read only.
@call fun(dev?: cuda.Device): cuda.tools.DeviceData  default: the device of the current context. Raises a LogicError for anything else, and (201) without a current context
@field max_threads integer             threads of a block
@field warp_size integer               threads of a warp
@field warps_per_mp integer            warps that an SM holds at a time
@field thread_blocks_per_mp integer    blocks that an SM holds at a time
@field registers integer               32-bit registers that a block can have
@field registers_per_mp integer        registers of an SM
@field register_allocation_unit string "warp": registers are given to warps
@field register_granularity integer    as many at a time
@field shared_memory integer           bytes of shared memory that a block has without opting in to more
@field shared_memory_optin integer     bytes that it can have
@field shared_memory_per_mp integer    bytes of shared memory of an SM
@field shared_memory_reserved integer  bytes of it that each block gives to the system
@field smem_granularity integer        threads whose accesses to shared memory are served together: its banks
@field smem_alloc_granularity integer  bytes of the smallest piece of shared memory
= cuda.tools.DeviceData.make_valid_tex_channel_count(size, ...)
How many channels the elements of a texture have, if they have to have so many at least.
@param size integer  1 to 4
@param ... integer  size, if it is called as a method
@return integer channels  1, 2 or 4
@raise LogicError for other numbers
= cuda.tools.DeviceData:align(bytes, word_size)
Rounds a length up to where the next row can begin.
@param bytes integer
@param word_size? integer  as for align_bytes
@return integer bytes
@raise LogicError for what is no length, and another size
= cuda.tools.DeviceData:align_bytes(word_size)
Where rows of memory should begin so that the accesses of a warp to them are as few as can be.
@param word_size? integer  bytes that each thread accesses: 1, 2, 4 (default), 8 or 16
@return integer bytes  rows begin at multiples of it: 128, the size of a cache line
@raise LogicError for another size
= cuda.tools.DeviceData:align_dtype(elements, dtype_size)
Rounds a number of elements up, so that the next row can begin behind them.
@param elements integer
@param dtype_size integer  bytes of each: 1, 2, 4, 8 or 16
@return integer elements
@raise LogicError for what is no number of elements, and another size
= cuda.tools.DeviceData:align_words(word_size)
align_bytes() in words.
@param word_size integer  as for align_bytes
@return integer words
@raise LogicError for another size
= cuda.tools.DeviceData:coalesce(thread_count)
Rounds a number of threads up to whole warps.
@param thread_count integer
@return integer threads
@raise LogicError for what is no number of threads
= cuda.tools.OccupancyRecord class
`OccupancyRecord(devdata, threads, shared_mem, registers)`: how many blocks of a kernel an SM holds at a time. Each
block has so many threads and bytes of shared memory (default 0), each thread so many 32-bit registers (default 0: as
few as it takes). fn:max_active_blocks(block, shared) asks the driver about an existing kernel.
@call fun(devdata: cuda.tools.DeviceData|table<string, integer>, threads: integer, shared_mem?: integer, registers?: integer): cuda.tools.OccupancyRecord  devdata: or a table with the fields of one, for a device that is not here. Raises a LogicError for more of anything than a block or a thread can have
@field tb_per_mp integer     blocks that an SM holds at a time; 0: not one
@field limited_by string     what there would have to be more of: "device" (blocks), "warps", "regs", "smem"
@field warps_per_mp integer  warps that an SM holds at a time
@field occupancy number      0 to 1: these, of the warps that it can hold
= cuda.tools.ScalarArg(dtype, name, options)
An argument that is one value.
@param dtype any    as for dtype.of
@param name string
@param options? {const: boolean}  const: as C's; default false
@return cuda.tools.Arg
@raise LogicError as VectorArg
@options const
= cuda.tools.VectorArg(dtype, name, options)
An argument that is a pointer to elements.
@param dtype any    as for dtype.of
@param name string
@param options? {const: boolean}  const: the kernel does not write them; default false
@return cuda.tools.Arg
@raise LogicError if there is no such dtype, it has no name in C, or the argument cannot have that name
@options const
= cuda.tools.bitlog2(n)
The logarithm to base 2 of an integer, rounded down, as PyCUDA's bitlog2.
@param n integer  1 to 2^53
@return integer
@raise LogicError for anything else
= cuda.tools.c_declarations(types, source)
What a source needs before it uses element types: #include lines, the class of complex numbers, and the declarations
of structs, those inside of others first. Each declaration checks that the compiler lays the struct out as the dtype
says.
@param types any[]     dtypes, as for dtype.of, or arguments of parse_arguments()
@param source? string  structs that are declared in there are left out
@return string
@raise LogicError for structs without a name, and for two that have the same name
= cuda.tools.clear_context_caches()
Forgets all that functions of context_dependent_memoize() have remembered.
= cuda.tools.context_dependent_memoize(f)
Returns a function that calls f once for each list of arguments and each context, and remembers what it returned:
for compiled kernels and the like. Arguments are the same if they are equal as table keys. What is remembered
keeps its context alive until detach() or clear_context_caches().
@param f function
@return function
@raise LogicError unless f can be called; its calls raise what f raises, and LogicError (201) without a context
= cuda.tools.dtype_to_ctype(dtype)
What CUDA C calls an element: "float"; "__half" and "__nv_bfloat16" of CUDA's headers; "cuda::complex<float>", a
class with the operators and functions of C++'s std::complex; a struct by the name that it was registered or made
with. c_declarations() gives what a source needs besides.
@param dtype any  as for dtype.of
@return string
@raise LogicError for a struct that has no name
= cuda.tools.get_default_device(default)
The device that the environment variable CUDA_DEVICE or the file ~/.cuda_device names.
@param default? integer  the device's number if neither names one; default 0
@return cuda.Device
@raise LogicError (101) if the device does not exist, and if a setting is not a number
= cuda.tools.get_or_register_dtype(c_names, dtype)
The dtype that C calls so. With a dtype: makes the names known for it, for arguments ("particle *p"), for dtype.of()
and for signatures.
@param c_names string|string[]  names in C
@param dtype? any               as for dtype.of; a struct, or a type that gets further names
@return cuda.dtype.DType     the dtype already registered for the names, if any
@raise LogicError if a name stands for something else already, or there is no dtype of that name
= cuda.tools.is_arg(x)
Is it an argument of this module?
@param x any
@return boolean
= cuda.tools.make_default_context(maker)
Makes a context on the device that CUDA_DEVICE or ~/.cuda_device names; without them, on the first device that
gives one.
@param maker? fun(device: cuda.Device): cuda.Context  default: device:make_context()
@return cuda.Context  what maker returns
@raise RuntimeError that says what each device answered, if none gives a context
= cuda.tools.match_dtype_to_c_struct(name, dtype)
A struct as C declares it, under a name: PyOpenCL's match_dtype_to_c_struct. Structs inside stand there by their
names, if they have one; c_declarations() declares those, too.
@param name string   its name in C
@param dtype any     a struct of dtype.struct()
@return cuda.dtype.DType dtype  the struct with that name: the same one, if it was made with it
@return string declaration
@raise LogicError if it is not a struct, or the name is not valid in C
= cuda.tools.parse_arguments(arguments)
The arguments of a kernel from a list of declarations, as ElementwiseKernel takes them.
@param arguments string|any[]  "float a, const float *x, unsigned int n", or a list of declarations and arguments
@return cuda.tools.Arg[]
@raise LogicError naming the argument and what is wrong with it, for two of one name and for none
= cuda.tools.parse_c_arg(c_arg)
An argument from its declaration in C.
@param c_arg string  "const float *x", "unsigned int n", "float4 *v", "particle p"
@return cuda.tools.Arg
@raise LogicError naming the declaration and what is wrong with it
= cuda.tools.register_dtype(dtype, c_names)
Makes names in C known for a dtype: get_or_register_dtype() with its arguments the other way round.
@param dtype any                as for dtype.of
@param c_names string|string[]
@return cuda.dtype.DType
@raise LogicError if a name stands for something else already
# docs/looking.md
= cuda.PlotOptions class
@field x? any  the numbers by name, also of a series: {x = a, y = b}
@field y? any  of a histogram one of the two
@field kind? "line"|"scatter"|"hist"|"bars"  default: "line"; "hist" of one array of any shape; the x of "bars" may be a list of strings
@field label? string  of a series: what the legend says
@field title? string
@field xlabel? string
@field ylabel? string
@field log? "x"|"y"|"xy"  axes that are logarithmic
@field xlim? number[]  {low, high}; default: all values
@field ylim? number[]  {low, high}; default: all values
@field bins? integer|number[]  of histograms: how many, or a list of edges; default 2 n^(1/3), at most 64, from the least to the greatest finite value
@field file? string  the name of an SVG file
@field to? file*|fun(text: string)  as for show
@field colour? 24|8|0  as for show
@field width? integer  characters, default the terminal's; of a file pixels, default 640
@field height? integer  lines, default the terminal's; of a file pixels, default 400
= cuda.plot(options)
Draws lines, points, histograms or bars, in the terminal or to an SVG file. The list part of the table is {y}, {x, y}
or series, {{x, y, label = "a"}, {y, label = "b", kind = "scatter"}}; x is 1, 2, 3 ... by default. Numbers are arrays
of the device or the host, or lists. Not finite ones leave gaps, and on logarithmic axes those that are not positive.
The device counts histograms of its arrays. If more than 65,536 values of lines and points are on the device, it
reduces them to extremes and to cells that have points; lines only if their x ascends and no part of 4,096 would be
seen.
@param options cuda.PlotOptions|cuda.gpuarray.Array|cuda.ndarray.Array
@raise LogicError for data that are not real numbers or not of one length, and for bad options; RuntimeError if the file cannot be written
@options bins colour file height kind="line"|"scatter"|"hist"|"bars"|"line"|"hist"|"bars" label log="x"|"y"|"xy" title to width x xlabel xlim y ylabel ylim
= cuda.show(a, options)
Shows an array: one of 2 axes as a picture, two rows of pixels in a line of text; one of 3 axes (h, w, 3) or
(h, w, 4) as a picture in its own colours; one of 1 axis as bars; one of 0 axes as its value. One of up to 12 or 12 x
12 elements is a table, unless options ask for a picture. The picture is as large as the terminal allows. Each pixel
of a larger array is the mean of a box of elements, which the device computes, and NaN if an element is. Complex
elements are shown by their magnitude. Below stand dtype, shape, and the values of the first and last colour.
@param a cuda.gpuarray.Array|cuda.ndarray.Array
@param options? {map: string, vmin: number, vmax: number, to: file*|fun(text: string), colour: 24|8|0, width: integer, height: integer, aspect: "equal"|"auto"} map: "viridis" (default), "magma", "inferno", "plasma", "gray" (default of bool), "coolwarm"; with "_r" at its end it is reversed. vmin, vmax: values of the first and last colour; default: the least and greatest that are shown. Of pictures in colours floats are 0 to 1, uint16 0 to 65535, other integers 0 to 255. NaN is magenta. to: default io.stdout. colour: bits; default: what the terminal says that it shows, elsewhere 0, characters without escape codes. width, height: characters and lines, default the terminal's, elsewhere 80 x 22. aspect: "equal" for square elements, "auto" for a picture that fills width and height, as in matplotlib's imshow; default: "equal", but an axis that would have fewer than 8 pixels for more elements gets up to 32
@raise LogicError if it is not an array, for other shapes, and for bad options
@options aspect="equal"|"auto" colour height map to vmax vmin width
= cuda.io module
Pictures, tables of text and safetensors as files.
= cuda.io.load_image(path, options)
Reads a picture: a PNG file of any kind, or a PGM or PPM file (P2, P3, P5, P6). The first bytes tell the format.
Samples of less than 8 bits are scaled to 0 to 255, a palette is replaced by its colours, and transparency becomes
an alpha channel. Gamma and colour profiles are not applied.
@param path string
@param options? {max_pixels: integer}  a larger picture is an error; default: 2^28
@return cuda.ndarray.Array  uint8, or uint16 for files of 16 bits; (h, w) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB, (h, w, 4) RGBA; the first row is the top one
@raise RuntimeError if the file cannot be opened; LogicError that names the file if it is damaged or of another format; MemoryError
@options max_pixels
= cuda.io.load_safetensors(path, options)
Reads a safetensors file. The file is mapped into memory; its header is checked before any array is made. While host
arrays of it are in use, no other program may shorten the file.
@param path string
@param options? {names: string[], device: boolean, stream: cuda.Stream, allocator: fun(bytes: integer): any} names: only these tensors; default: all. device: false gives host arrays over the mapped file, whose elements are read when they are used; writing to them does not change the file; default: true. stream, allocator: as for gpuarray.to_gpu
@return table<string, cuda.gpuarray.Array|cuda.ndarray.Array> tensors  by name
@return table<string, string> metadata  the texts of `__metadata__`; {} without them
@raise RuntimeError if the file cannot be opened; LogicError that names the file if it is damaged, has a dtype that is not supported (F8 and smaller types), or has no tensor of a name; MemoryError
@options allocator device names stream
= cuda.io.loadtxt(path, options)
Reads numbers from text, as NumPy's loadtxt: a line is a row; blank lines and comments are passed over. Axes of one
element are left out, so one column gives a 1-D array. A file without numbers gives an array of shape (0,).
@param path string
@param options? {dtype: any, delimiter: string, comments: string|string[]|false, skip_rows: integer, use_cols: integer|integer[], max_rows: integer, ndmin: 0|1|2} dtype: default float64; integers have to be written as integers. delimiter: between values, default white space. comments: what begins one, default "#"; false: nothing does. skip_rows: lines that are passed over first, default 0. use_cols: columns that are read, from 1, negative ones from the last. max_rows: rows that are read at most. ndmin: axes that the array has at least, default 0
@return cuda.ndarray.Array
@raise RuntimeError if the file cannot be opened; LogicError that names file, line, column and value if a word is not a number of the dtype or a line has another number of columns
@options comments delimiter dtype max_rows ndmin skip_rows use_cols
= cuda.io.save_image(path, a, options)
Writes a picture. The name's ending says the format: .png, .pgm (gray), .ppm (RGB), .pnm (either).
@param path string
@param a cuda.gpuarray.Array|cuda.ndarray.Array  (h, w) or (h, w, 1) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB, (h, w, 4) RGBA; uint8 and uint16 as they are; floats from 0 to 1 for the whole range, clipped with a notice (cuda.on_notice), NaN as 0; bool as black and white
@param options? {bits: 8|16, map: string, vmin: number, vmax: number}  bits: of floats and booleans; default: 8. map: a colour map of cuda.show, for (h, w) of real numbers; NaN is magenta. vmin, vmax: values of its first and last colour, without a map of black and white; default, if one of the three is given: the least and the greatest
@raise LogicError for another ending, shape or dtype; RuntimeError if the file cannot be written: it may then be there in part
@options bits map vmax vmin
= cuda.io.save_safetensors(path, tensors, options)
Writes a safetensors file as a whole: a reader sees the old file or the new one, and nothing is left if writing
fails. Arrays whose elements do not lie in C order are copied.
@param path string
@param tensors table<string, cuda.gpuarray.Array|cuda.ndarray.Array>
@param options? {metadata: table<string, string>}  metadata: texts that go into `__metadata__`
@raise LogicError for names that are not UTF-8, for what is not an array, and for complex128 and structs; RuntimeError if the file cannot be written; what the kernels raise that compute a value
@options metadata
= cuda.io.savetxt(path, a, options)
Writes an array as text, as NumPy's savetxt: a row of a 2-D array is a line, and so is each element of a 1-D array.
@param path string
@param a cuda.gpuarray.Array|cuda.ndarray.Array|table  of one or two axes; nested tables of numbers, too
@param options? {fmt: string|string[], delimiter: string, newline: string, header: string, footer: string, comments: string} fmt: of each value, default "%.18e", which leads back to the same float64; a list has one for each column; one string with as many formats as there are columns is the whole row. %s is the shortest text that leads back. Complex values are " (re+imj)" with the format for both parts. delimiter: between values, default " "; newline: default "\n"; header, footer: text before and after, each of its lines after comments, default "# "
@raise LogicError for arrays of other shapes and structs, and for bad formats; RuntimeError if the file cannot be written: it may then be there in part
@options comments delimiter fmt footer header newline
# docs/profiling.md
= cuda.Profile class
What cuda.profile() returns. Times are in seconds.
@field rows cuda.profile.Row[]  by GPU time, the longest first
@field activities cuda.profile.Activity[]  in the order in which they were started
@field wall number         seconds from the beginning to the end, waiting for the device included
@field busy number         seconds in which the device did anything
@field waited number       seconds in which the host waited; on the software device without the work that it did then
@field compiled number     seconds of compilations and of loading modules
@field gap? {begin: number, time: number, line: string?}  the longest time in which the device had nothing to do between two activities; line: where the host was by its end
@field clock "cupti"|"events"|"machine"|"none"  whose times they are; none: the device was not used
@field cupti_version? integer  of CUPTI, if it has the times
@field no_cupti? string    why CUPTI has not
@field dropped integer     activities that found no room; 0 but for millions
@field untimed integer     activities without times, as during captures
@field copy_speed? number  bytes a second that this device copies from itself to itself, read and written
@field empty_pair number   seconds that two events around nothing take
@field unfinished boolean  waiting for the device was interrupted
= cuda.Range class
A part of the program with a name, until close(). What is started meanwhile belongs to it in profiles.
= cuda.profile(f, options)
What the device and the host did while a function ran: a table of kernels, copies, fills and graphs by GPU time,
with the lines of the program that started them. It is printed, and returned as data; `tostring()` gives the text.

On a GPU the times are the device's own, by CUPTI, if its library can be opened; else those between two events
around each activity. These include up to a few microseconds that an empty pair of events takes; the last line says
how much. On the software device they are its own, of this machine.
What the function returns is dropped. An error in it is raised again as it is, without a table.
@param f fun()  is called once; the profile waits for its work
@param options? {trace?: string, print?: boolean, counters?: boolean, clock?: "cupti"|"events"} trace: a file for Perfetto; print: write the table to standard output, default true; counters: instructions, bytes and branches of kernels on the software device, default true; clock: where a GPU's times come from, default CUPTI if it opens, else events
@return cuda.Profile
@raise LogicError within another profile, during a capture, or for bad options; what f raises; RuntimeError if the trace cannot be written
@options clock="cupti"|"events" counters print trace
= cuda.range(name, f, ...)
Names a part of the program: `cuda.range("load", f, ...)` calls f in it; `local r = cuda.range "load"` begins one
that ends with `r:close()`. Ranges may stand in each other. They are in the traces of cuda.profile(), and tools that
read NVTX, such as Nsight Systems, show them. Without either a range costs less than a microsecond.
@param name string
@param f? function  is called with the other arguments; the range ends with it, also by an error
@param ... any
@return any  what f returns; without f a cuda.Range
@raise LogicError for a name that is no string; what f raises
# docs/prompt.md
= cuda.progress(n, opts)
A loop that shows how far it is, in one line of the terminal: the part that is done, the count, the time taken, the
time left and the rate. `for i in cuda.progress(n) do ... end`. The line is drawn at most ten times a second, and
stays when the loop is done. Within another such loop the line shows both counts, and the outer loop goes on with it.
What the loop prints begins on a line of its own. Nothing is shown if the file is no terminal, TERM is dumb, or
CUDALUA_PROGRESS is 0.
@param n integer|table  iterations; or a list, whose positions and items the loop gets, as from ipairs()
@param opts? {text?: string, file?: file*}  text: stands before the line; file: the terminal, default io.stderr
@return fun(loop: table, i: integer): integer?, any
@return table loop
@return integer first  0
@raise LogicError if n is not a count or a list, or for bad options
@options file text
= cuda.show_progress(on)
Lets compilations that take over a second, and kernels of the software device that take over two, say how far they
are, in a line on standard error that is erased when they are done. It is on in the `cuda` command, and off
elsewhere. CUDALUA_PROGRESS=1 turns it on everywhere, 0 off. Nothing is shown if standard error is no terminal.
@param on? boolean  omitted: only asks
@return boolean before  whether it was on
@raise LogicError if `on` is not a boolean
= cudalua.repl module
The prompt for any program: `require("cudalua.repl").run()`.
= cudalua.repl.Options class
What a prompt reads and writes. Unknown options are errors.
@field env? table  globals of the chunks; default _G. Chunks assign to it, and find `cuda`, `help` and `_` besides it
@field input? file*|fun(prompt: string): string?  a file, or a function that returns the next line without its line feed, nil at the end; default io.stdin. A terminal that can move its cursor is edited on
@field output? file*|fun(text: string)  where prompts, values and errors go; default io.stdout
@field banner? string  the first line; default: none
= cudalua.repl.run(options)
Runs a prompt until the end of its input or `:quit`. A top-level `local` stays one in later chunks.
@param options? cudalua.repl.Options
@raise LogicError for unknown options, an env that is no table, and an input or output that is neither an open file nor a function
@options banner env input output
# docs/random.md
= cuda.random module
Random numbers.
= cuda.random.Generator class
A generator of random numbers: random.Generator() makes it.
= cuda.random.Generator:beta(shape, a, b, dtype)
Beta-distributed numbers, between 0 and 1: of the density x^(a - 1) (1 - x)^(b - 1), but for a factor.
@param shape? integer|integer[]  as for uniform
@param a any       above 0: number or array
@param b any       above 0: number or array
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as uniform, and for an a or b that is not above 0
@options a b dtype shape
= cuda.random.Generator:binomial(shape, n, p, dtype)
How many of n tries succeed, each with probability p.
@param shape? integer|integer[]  as for uniform
@param n any       non-negative integer, or array; if an element is not one, the result is 0
@param p any       number or array, from 0 to 1; the same
@param dtype? any  an integer type, in which what it does not hold wraps around; default: int64
@return cuda.gpuarray.Array  pending
@raise LogicError for other types, numbers out of range, and shapes that do not fit together
@options dtype n p shape
= cuda.random.Generator:choice(of, shape, options)
A sample: of the positions 1 to n, or of the parts of an array along its first axis.
@param of integer|cuda.gpuarray.Array  n, or the array
@param shape? integer|integer[]  of the sample; default: one
@param options? {replace: boolean, p: any}  replace: default true; false: each at most once; p: a probability for each (they are divided by their sum); without replacement, of those that are left
@return cuda.gpuarray.Array  int64, or as the array
@raise LogicError if it is neither, for an array without elements, bad probabilities, and more than there are where replace is false
@options of p replace shape
= cuda.random.Generator:exponential(shape, scale, dtype)
Exponentially distributed numbers.
@param shape? integer|integer[]  as for uniform
@param scale? any  their mean, number or array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as uniform, and for a negative scale
@options dtype scale shape
= cuda.random.Generator:fill_log_normal(a, mean, sigma, stream)
Sets an array to numbers whose logarithms are normally distributed.
@param a cuda.gpuarray.Array  of floats
@param mean? any   of the logarithm, as for log_normal
@param sigma? any
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError for other arrays
@options a mean sigma stream
= cuda.random.Generator:fill_normal(a, stream)
Sets an array to normally distributed numbers of mean 0 and standard deviation 1.
@param a cuda.gpuarray.Array  of floats
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError for other arrays
@options a stream
= cuda.random.Generator:fill_poisson(a, mean, stream)
Sets an array to numbers of events. Without a mean, each element is the mean of what replaces it.
@param a cuda.gpuarray.Array  of integers; without a mean, of floats, too
@param mean? any                 number or array
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError for other arrays, and as poisson
@options a mean stream
= cuda.random.Generator:fill_uniform(a, stream)
Sets an array to uniform numbers: floats in (0, 1], as PyCUDA's; integers of all values.
@param a cuda.gpuarray.Array  float32, float64, int32, uint32, int64 or uint64
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError for other arrays
@options a stream
= cuda.random.Generator:gamma(shape, k, scale, dtype)
Gamma-distributed numbers: of the density x^(k - 1) exp(-x / scale), but for a factor.
@param shape? integer|integer[]  as for uniform
@param k any       the distribution's shape, above 0: number or array; elements below 0 give NaN
@param scale? any  number or array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as uniform, and for a k or scale that is not above 0
@options dtype k scale shape
= cuda.random.Generator:gen_log_normal(shape, dtype, mean, sigma, stream)
Numbers whose logarithms are normally distributed.
@param shape integer|integer[]
@param dtype? any   a floating-point type; default: the default float
@param mean? any    of the logarithm, as for log_normal
@param sigma? any
@param stream? cuda.Stream   as for gen_uniform
@return cuda.gpuarray.Array
@raise LogicError for other types and bad shapes
@options dtype mean shape sigma stream
= cuda.random.Generator:gen_normal(shape, dtype, stream)
Normally distributed numbers of mean 0 and standard deviation 1.
@param shape integer|integer[]
@param dtype? any               a floating-point type; default: the default float
@param stream? cuda.Stream   as for gen_uniform
@return cuda.gpuarray.Array
@raise LogicError for other types and bad shapes
@options dtype shape stream
= cuda.random.Generator:gen_poisson(shape, dtype, mean, stream)
Numbers of events.
@param shape integer|integer[]
@param dtype any    an integer type; nil: uint32, as PyCUDA's
@param mean any     number or array
@param stream? cuda.Stream   as for gen_uniform
@return cuda.gpuarray.Array
@raise LogicError for other types and bad shapes
@options dtype mean shape stream
= cuda.random.Generator:gen_uniform(shape, dtype, stream)
Uniform numbers: floats in (0, 1], as PyCUDA's; integers of all values.
@param shape integer|integer[]
@param dtype? any               float32, float64, int32, uint32, int64 or uint64; default: the default float
@param stream? cuda.Stream   computes them now; default: the stream that first needs them
@return cuda.gpuarray.Array
@raise LogicError for other types and bad shapes
@options dtype shape stream
= cuda.random.Generator:get_state()
What the generator will give, as a text for set_state().
@return string
= cuda.random.Generator:integers(shape, low, high, dtype)
Whole numbers from low to high, both included, each as likely as all others.
@param shape? integer|integer[]  as for uniform
@param low any     integer, or array of integers
@param high any    integer not below low, or array of integers; if it is below, the result is low
@param dtype? any  an integer type; default: int64
@return cuda.gpuarray.Array  pending
@raise LogicError for other types, numbers that the type does not hold, a high below low, and shapes that do not fit together
@options dtype high low shape
= cuda.random.Generator:log_normal(shape, mean, sigma, dtype)
Numbers whose logarithms are normally distributed.
@param shape? integer|integer[]  as for uniform
@param mean? any   of the logarithm: number or array, default 0
@param sigma? any  its standard deviation, number or array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as normal
@options dtype mean shape sigma
= cuda.random.Generator:normal(shape, mean, sigma, dtype)
Normally distributed numbers.
@param shape? integer|integer[]  as for uniform
@param mean? any   number or array, default 0
@param sigma? any  the standard deviation, number or array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as uniform, and for a negative sigma
@options dtype mean shape sigma
= cuda.random.Generator:permutation(x)
The positions 1 to n in random order, or the parts of an array along its first axis.
@param x integer|cuda.gpuarray.Array
@return cuda.gpuarray.Array  int64, or as the array
@raise LogicError if x is neither, and for an array without axes
@options x
= cuda.random.Generator:poisson(shape, mean, dtype)
Numbers of events, of which `mean` are expected (Poisson's distribution).
@param shape? integer|integer[]  as for uniform
@param mean any    number or array, from 0 to 2^60; if an element is negative or NaN, the result is 0
@param dtype? any  an integer type, in which what it does not hold wraps around; default: int64
@return cuda.gpuarray.Array  pending
@raise LogicError for other types, a mean out of its range, and shapes that do not fit together
@options dtype mean shape
= cuda.random.Generator:seed(seed)
Begins the sequence of another seed.
@param seed? integer|ffi.cdata*  non-negative; default: unpredictable
@return cuda.random.Generator self
@raise LogicError if the seed is not a non-negative integer
@options seed
= cuda.random.Generator:set_state(state)
Moves to the position that a generator had when it gave this state.
@param state string  of get_state()
@return cuda.random.Generator self
@raise LogicError if it is not such a text
@options state
= cuda.random.Generator:skip_ahead(blocks)
Leaves numbers out: `blocks` times four words of 32 bits. Arrays of up to 32 bits an element take one block for four
elements, of 64 bits one for two; distributions that try again and again (gamma, beta, poisson, binomial) one for
each, beta two.
@param blocks integer  non-negative
@return cuda.random.Generator self
@raise LogicError if blocks is not a non-negative integer, or the sequence ends
@options blocks
= cuda.random.Generator:spawn(count)
Generators that are independent of this one and of each other, for parts of a program that run in any order.
@param count? integer  default: 1
@return cuda.random.Generator ...  as many as asked for
@raise LogicError unless it is an integer from 1 to 200
@options count
= cuda.random.Generator:uniform(shape, low, high, dtype)
Numbers from low to below high, all as likely: of 24 random bits in float32, 53 in float64, 11 in float16, 8 in
bfloat16. (low + u * (high - low) may round to high.)
@param shape? integer|integer[]  as for gpuarray.empty; default: that of the parameters
@param low? any   number or array, default 0
@param high? any  number or array, default 1
@param dtype? any a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending: the kernel that needs the numbers makes them
@raise LogicError for other types, and shapes that do not fit together
@options dtype high low shape
= cuda.random.MRG32k3aRandomNumberGenerator(seed_getter, offset, options)
PyCUDA's MRG32k3a generator: 65536 of them side by side, 2^76 numbers apart. L'Ecuyer's numbers; the seeding is this
library's, so that the numbers are not those of cuRAND.
@param seed_getter? any  as for XORWOWRandomNumberGenerator
@param offset? integer   how many numbers to leave out in each
@param options? {generators: integer}  how many; default 65536
@return cuda.random.StateGenerator
@raise LogicError for other seeds and numbers
@options generators
= cuda.random.ScrambledSobol32RandomNumberGenerator(dir_vector, scramble_vector, offset, options)
PyCUDA's generator of scrambled Sobol sequences of 32 bits: as even, and different for each seed.
@param dir_vector? any       scrambled direction vectors, uint32; default: made from the seed
@param scramble_vector? any  a constant of uint32 for each dimension; default: made from the seed
@param offset? integer       the first point, from 0
@param options? {dimensions: integer, seed: integer}  dimensions: without vectors, 1 (default) to 1111; seed: default 0
@return cuda.random.SobolGenerator
@raise LogicError for other vectors and numbers
@options dimensions seed
= cuda.random.ScrambledSobol64RandomNumberGenerator(dir_vector, scramble_vector, offset, options)
PyCUDA's generator of scrambled Sobol sequences of 64 bits.
@param dir_vector? any       scrambled direction vectors, uint64; default: made from the seed
@param scramble_vector? any  a constant of uint64 for each dimension; default: made from the seed
@param offset? integer       the first point, from 0
@param options? {dimensions: integer, seed: integer}  as for ScrambledSobol32RandomNumberGenerator
@return cuda.random.SobolGenerator
@raise LogicError for other vectors and numbers
@options dimensions seed
= cuda.random.Sobol32RandomNumberGenerator(dir_vector, offset, options)
PyCUDA's generator of Sobol sequences of 32 bits, in one dimension or many.
@param dir_vector? any   direction vectors, uint32, a row of 32 for each dimension; default: Joe and Kuo's
@param offset? integer   the first point, from 0
@param options? {dimensions: integer}  without vectors: 1 (default) to 1111
@return cuda.random.SobolGenerator
@raise LogicError for other vectors and numbers
@options dimensions
= cuda.random.Sobol64RandomNumberGenerator(dir_vector, offset, options)
PyCUDA's generator of Sobol sequences of 64 bits.
@param dir_vector? any   direction vectors, uint64, a row of 64 for each dimension; default: Joe and Kuo's
@param offset? integer   the first point, from 0
@param options? {dimensions: integer}  without vectors: 1 (default) to 1111
@return cuda.random.SobolGenerator
@raise LogicError for other vectors and numbers
@options dimensions
= cuda.random.SobolGenerator class
A quasi-random generator as PyCUDA has them: Sobol32RandomNumberGenerator and its three relatives.
@field dimensions integer
@field position integer   the next point, from 0
= cuda.random.SobolGenerator:call_skip_ahead(n, stream)
Leaves points out.
@param n integer               non-negative
@param stream? cuda.Stream  as PyCUDA's; the generator's position does not depend on it
@return cuda.random.SobolGenerator self
@raise LogicError if it is not such a number, and if the sequence ends
= cuda.random.SobolGenerator:call_skip_ahead_array(n, stream)
Leaves points out, in each dimension by itself. The program waits for the numbers.
@param n cuda.gpuarray.Array  of non-negative integers, one for each dimension
@param stream? cuda.Stream    as PyCUDA's; the generator's position does not depend on it
@return cuda.random.SobolGenerator self
@raise LogicError if it is not such an array, and if the sequence ends
= cuda.random.SobolGenerator:fill_log_normal(a, mean, sigma, stream)
Sets an array to numbers whose logarithms are normally distributed.
@param a cuda.gpuarray.Array  of floats
@param mean? number              of the logarithm, default 0
@param sigma? number             its standard deviation, default 1
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.SobolGenerator:fill_normal(a, stream)
Sets an array to normally distributed numbers of mean 0 and standard deviation 1.
@param a cuda.gpuarray.Array  of floats
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.SobolGenerator:fill_poisson(a, mean, stream)
Sets an array to numbers of events. Without a mean, each element is the mean of what replaces it.
@param a cuda.gpuarray.Array  of integers; without a mean, of floats, too
@param mean? any                 a number, or an array of a's shape
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.SobolGenerator:fill_uniform(a, stream)
Sets an array to uniform numbers: floats in (0, 1], integers of all values.
@param a cuda.gpuarray.Array  float32, float64, or integers of 32 or 64 bits; of Sobol generators of 32 bits no integers of 64 bits
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError for other arrays, and if a Sobol sequence ends
= cuda.random.SobolGenerator:gen_log_normal(shape, dtype, mean, sigma, stream)
Numbers whose logarithms are normally distributed.
@param shape integer|integer[]  as for gen_uniform
@param dtype? any               a floating-point type; default: the default float
@param mean? number             of the logarithm, default 0
@param sigma? number            its standard deviation, default 1
@param stream? cuda.Stream   default: the current one
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.SobolGenerator:gen_normal(shape, dtype, stream)
Normally distributed numbers of mean 0 and standard deviation 1.
@param shape integer|integer[]  as for gen_uniform
@param dtype? any               a floating-point type; default: the default float
@param stream? cuda.Stream   default: the current one
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.SobolGenerator:gen_poisson(shape, dtype, mean, stream)
Numbers of events.
@param shape integer|integer[]  as for gen_uniform
@param dtype any                an integer type; nil: uint32
@param mean any                 a number, or an array of that shape
@param stream? cuda.Stream   default: the current one
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.SobolGenerator:gen_uniform(shape, dtype, stream)
Uniform numbers: floats in (0, 1], integers of all values.
@param shape integer|integer[]  of Sobol generators (points, dimensions), or a number: how many points
@param dtype? any               as for fill_uniform; default: the default float
@param stream? cuda.Stream   default: the current one
@return cuda.gpuarray.Array
@raise LogicError for other types and bad shapes, and if a Sobol sequence ends
= cuda.random.SobolGenerator:get_state()
Where the generator is, as a text for set_state(); the direction numbers are not part of it.
@return string
= cuda.random.SobolGenerator:set_state(state)
Moves to the position of a generator of the same kind and dimensions when it gave this state.
@param state string
@return cuda.random.SobolGenerator self
@raise LogicError for another generator's state
= cuda.random.StateGenerator class
A generator as PyCUDA has them: XORWOWRandomNumberGenerator or MRG32k3aRandomNumberGenerator.
@field generators integer                how many there are side by side
@field state cuda.gpuarray.Array      their states, uint32; 6 rows of as many columns
= cuda.random.StateGenerator:call_skip_ahead(n, stream)
Leaves numbers out, in each of the generators.
@param n integer|cuda.gpuarray.Array  32-bit words, non-negative; or an array, one for each generator
@param stream? cuda.Stream            default: the current one
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array
= cuda.random.StateGenerator:call_skip_ahead_array(n, stream)
Leaves numbers out, in each of the generators: the same as call_skip_ahead.
@param n integer|cuda.gpuarray.Array  non-negative; or an array of them, one for each generator
@param stream? cuda.Stream            default: the current one
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array
= cuda.random.StateGenerator:call_skip_ahead_sequence(n, stream)
Leaves whole sequences out, in each of the generators: of 2^67 numbers, for MRG32k3a of 2^127.
@param n integer|cuda.gpuarray.Array  non-negative; or an array of them, one for each generator
@param stream? cuda.Stream            default: the current one
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array
= cuda.random.StateGenerator:call_skip_ahead_sequence_array(n, stream)
Leaves whole sequences out, in each of the generators: the same as call_skip_ahead_sequence.
@param n integer|cuda.gpuarray.Array  non-negative; or an array of them, one for each generator
@param stream? cuda.Stream            default: the current one
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array
= cuda.random.StateGenerator:call_skip_ahead_subsequence(n, stream)
Leaves subsequences of 2^76 numbers out, in each of the generators: for MRG32k3a only.
@param n integer|cuda.gpuarray.Array  non-negative; or an array of them, one for each generator
@param stream? cuda.Stream            default: the current one
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array, and for XORWOW
= cuda.random.StateGenerator:call_skip_ahead_subsequence_array(n, stream)
Leaves subsequences out, in each of the generators: the same as call_skip_ahead_subsequence.
@param n integer|cuda.gpuarray.Array  non-negative; or an array of them, one for each generator
@param stream? cuda.Stream            default: the current one
@return cuda.random.StateGenerator self
@raise LogicError if n is neither an integer nor such an array, and for XORWOW
= cuda.random.StateGenerator:fill_log_normal(a, mean, sigma, stream)
Sets an array to numbers whose logarithms are normally distributed.
@param a cuda.gpuarray.Array  of floats
@param mean? number              of the logarithm, default 0
@param sigma? number             its standard deviation, default 1
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.StateGenerator:fill_normal(a, stream)
Sets an array to normally distributed numbers of mean 0 and standard deviation 1.
@param a cuda.gpuarray.Array  of floats
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.StateGenerator:fill_poisson(a, mean, stream)
Sets an array to numbers of events. Without a mean, each element is the mean of what replaces it.
@param a cuda.gpuarray.Array  of integers; without a mean, of floats, too
@param mean? any                 a number, or an array of a's shape
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError as fill_uniform
= cuda.random.StateGenerator:fill_uniform(a, stream)
Sets an array to uniform numbers: floats in (0, 1], integers of all values.
@param a cuda.gpuarray.Array  float32, float64, or integers of 32 or 64 bits; of Sobol generators of 32 bits no integers of 64 bits
@param stream? cuda.Stream    default: the current one
@return cuda.gpuarray.Array a
@raise LogicError for other arrays, and if a Sobol sequence ends
= cuda.random.StateGenerator:gen_log_normal(shape, dtype, mean, sigma, stream)
Numbers whose logarithms are normally distributed.
@param shape integer|integer[]  as for gen_uniform
@param dtype? any               a floating-point type; default: the default float
@param mean? number             of the logarithm, default 0
@param sigma? number            its standard deviation, default 1
@param stream? cuda.Stream   default: the current one
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.StateGenerator:gen_normal(shape, dtype, stream)
Normally distributed numbers of mean 0 and standard deviation 1.
@param shape integer|integer[]  as for gen_uniform
@param dtype? any               a floating-point type; default: the default float
@param stream? cuda.Stream   default: the current one
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.StateGenerator:gen_poisson(shape, dtype, mean, stream)
Numbers of events.
@param shape integer|integer[]  as for gen_uniform
@param dtype any                an integer type; nil: uint32
@param mean any                 a number, or an array of that shape
@param stream? cuda.Stream   default: the current one
@return cuda.gpuarray.Array
@raise LogicError as gen_uniform
= cuda.random.StateGenerator:gen_uniform(shape, dtype, stream)
Uniform numbers: floats in (0, 1], integers of all values.
@param shape integer|integer[]  of Sobol generators (points, dimensions), or a number: how many points
@param dtype? any               as for fill_uniform; default: the default float
@param stream? cuda.Stream   default: the current one
@return cuda.gpuarray.Array
@raise LogicError for other types and bad shapes, and if a Sobol sequence ends
= cuda.random.StateGenerator:get_state()
The states as a text for set_state().
@return string
= cuda.random.StateGenerator:set_state(state)
Moves to the position of a generator of the same kind and number when it gave this state.
@param state string
@return cuda.random.StateGenerator self
@raise LogicError for another generator's state
= cuda.random.XORWOWRandomNumberGenerator(seed_getter, offset, options)
PyCUDA's XORWOW generator: 65536 of them side by side, 2^67 numbers apart. Marsaglia's numbers; the seeding is this
library's, so that the numbers are not those of cuRAND.
@param seed_getter? any  a function that is told how many seeds are wanted and gives an array of int32; such an array; or a number. Default: random.seed_getter_uniform
@param offset? integer   how many numbers to leave out in each
@param options? {generators: integer}  how many; default 65536
@return cuda.random.StateGenerator
@raise LogicError for other seeds and numbers
@options generators
= cuda.random.beta(shape, a, b, dtype)
Beta-distributed numbers of the module's generator: as Generator:beta.
@param shape? integer|integer[]
@param a any       number or array, above 0
@param b any       number or array, above 0
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as Generator:beta
@options a b dtype shape
= cuda.random.binomial(shape, n, p, dtype)
How many of n tries succeed, of the module's generator: as Generator:binomial.
@param shape? integer|integer[]
@param n any       number or array, from 0
@param p any       number or array, from 0 to 1
@param dtype? any  an integer type; default: int64
@return cuda.gpuarray.Array  pending
@raise LogicError as Generator:binomial
@options dtype n p shape
= cuda.random.choice(of, shape, options)
A sample of the positions 1 to n, or of the parts of an array: as Generator:choice.
@param of integer|cuda.gpuarray.Array
@param shape? integer|integer[]
@param options? {replace: boolean, p: any}
@return cuda.gpuarray.Array
@raise LogicError as Generator:choice
@options of p replace shape
= cuda.random.default()
The generator that the functions of the module use; at first with a seed that cannot be predicted.
@return cuda.random.Generator
= cuda.random.direction_vector_set field
PyCUDA's names for the kinds of direction vectors.
= cuda.random.exponential(shape, scale, dtype)
Exponentially distributed numbers of the module's generator: as Generator:exponential.
@param shape? integer|integer[]
@param scale? any  number or array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as Generator:exponential
@options dtype scale shape
= cuda.random.gamma(shape, k, scale, dtype)
Gamma-distributed numbers of the module's generator: as Generator:gamma.
@param shape? integer|integer[]
@param k any       number or array, above 0
@param scale? any  number or array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as Generator:gamma
@options dtype k scale shape
= cuda.random.generate_direction_vectors(count, set, seed)
Direction numbers of Sobol sequences: Joe and Kuo's.
@param count integer  of dimensions, 1 to 1111
@param set? string    of random.direction_vector_set; default VECTOR_32
@param seed? integer  of the scrambled ones, default 0
@return cuda.ndarray.Array  uint32 or uint64: a row of 32 or 64 for each dimension
@raise LogicError for other counts, sets and seeds
= cuda.random.generate_scramble_constants32(count, seed)
What the numbers of scrambled sequences are added to, without carry: one for each dimension.
@param count integer  1 to 1111
@param seed? integer  default 0
@return cuda.ndarray.Array  uint32
@raise LogicError for other counts and seeds
= cuda.random.generate_scramble_constants64(count, seed)
What the numbers of scrambled sequences of 64 bits are added to, without carry: one for each dimension.
@param count integer  1 to 1111
@param seed? integer  default 0
@return cuda.ndarray.Array  uint64
@raise LogicError for other counts and seeds
= cuda.random.integers(shape, low, high, dtype)
Whole numbers from low to high, both included, of the module's generator: as Generator:integers.
@param shape? integer|integer[]
@param low integer|ffi.cdata*
@param high integer|ffi.cdata*
@param dtype? any  an integer type; default: int64
@return cuda.gpuarray.Array  pending
@raise LogicError as Generator:integers
@options dtype high low shape
= cuda.random.log_normal(shape, mean, sigma, dtype)
Numbers whose logarithms are normally distributed, of the module's generator: as Generator:log_normal.
@param shape? integer|integer[]
@param mean? any   number or array, default 0
@param sigma? any  number or array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as Generator:log_normal
@options dtype mean shape sigma
= cuda.random.normal(shape, mean, sigma, dtype)
Normally distributed numbers of the module's generator: as Generator:normal.
@param shape? integer|integer[]
@param mean? any   number or array, default 0
@param sigma? any  number or array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as Generator:normal
@options dtype mean shape sigma
= cuda.random.permutation(x)
The positions 1 to n in random order, or the parts of an array: as Generator:permutation.
@param x integer|cuda.gpuarray.Array
@return cuda.gpuarray.Array
@raise LogicError as Generator:permutation
@options x
= cuda.random.poisson(shape, mean, dtype)
Numbers of events, of the module's generator: as Generator:poisson.
@param shape? integer|integer[]
@param mean any    number or array, from 0
@param dtype? any  an integer type; default: int64
@return cuda.gpuarray.Array  pending
@raise LogicError as Generator:poisson
@options dtype mean shape
= cuda.random.rand(shape, dtype, stream)
Uniform numbers of the module's generator, as PyCUDA's rand: floats from 0 to below 1, integers of all values.
@param shape integer|integer[]
@param dtype? any              a floating-point type, or integers of 32 or 64 bits; default: dtype.default_float()
@param stream? cuda.Stream  computes them now; default: the stream that first needs them
@return cuda.gpuarray.Array
@raise LogicError for other types and bad shapes
= cuda.random.seed(seed)
Begins the sequence of another seed in the generator that the functions of the module use.
@param seed? integer|ffi.cdata*  non-negative; default: unpredictable
@raise LogicError if the seed is not a non-negative integer
@options seed
= cuda.random.seed_getter_uniform(n)
Seeds for generators: all the same, drawn from the module's generator.
@param n integer  how many
@return cuda.gpuarray.Array  int32
@raise LogicError unless it is a non-negative integer
= cuda.random.seed_getter_unique(n)
Seeds for generators: all different, drawn from the module's generator.
@param n integer  how many
@return cuda.gpuarray.Array  int32
@raise LogicError unless it is an integer between 0 and 2^32
= cuda.random.uniform(shape, low, high, dtype)
Numbers from low to below high, all as likely, of the module's generator: as Generator:uniform.
@param shape? integer|integer[]  as for gpuarray.empty; default: that of the parameters
@param low? any    number or array, default 0
@param high? any   number or array, default 1
@param dtype? any  a floating-point type; default: dtype.default_float()
@return cuda.gpuarray.Array  pending
@raise LogicError as Generator:uniform
@options dtype high low shape
# docs/softgpu.md
= cuda.softgpu module
The software CUDA device's switches, at run time: its log of driver calls, failures made to order, the number of
devices. Every function raises a LogicError if another driver is in use.
= cuda.softgpu.Call class
@field serial integer
@field symbol string   "cuMemAlloc_v2"
@field result integer  CUresult
@field text string     context and arguments
= cuda.softgpu.Run class
@field number integer  place in the order in which all work was submitted; the same for all nodes of a launched graph
@field name string     "launch", "copy", "fill", "host", "record", "wait", "free" ...
@field stream number   as Stream:handle() tells it; 1 and 2 are the default streams
@field node? integer   of a graph, from 0, in the order in which they were added
= cuda.softgpu.active()
Is the software device the driver in use?
@return boolean
= cuda.softgpu.calls()
The calls logged since log("on") or log("clear"), oldest first.
@return cuda.softgpu.Call[]
= cuda.softgpu.check(what)
What kernels are checked for from now on, beside the bounds of their accesses; and what was set, where nothing is
given. Memory that is there already counts as written. A kernel in which something is found ends with a LaunchError
whose detail names kernel, source line, block, thread and memory.

   races          accesses of shared and global memory that nothing orders
   uninitialised  loads of memory that nobody has written
   barriers       __syncthreads() that not all threads come to at one place
   shuffles       values of lanes that do not take part, where they are used
   arrays         accesses of shared memory beyond the variable whose address they are made from
   leaks          memory of kernels' malloc and of the program that is there at the end, on stderr
@param what? table<string, boolean>|string  {races = true, leaks = true}: these and no others; or "all", "off", "races,leaks"
@return table<string, boolean> checks  by name
@raise LogicError for other names
@options leaks races
= cuda.softgpu.control(command)
Sends one command of the device's text protocol (docs/architecture.md lists them).
@param command string
@return string reply
= cuda.softgpu.fail(symbol, nth, code)
Makes the nth next call of a driver function fail, once.
@param symbol string    "cuMemAlloc_v2"
@param nth? integer     default 1
@param code? integer|string  CUresult or its name without CUDA_ERROR_; default 999
= cuda.softgpu.fail_clear()
Takes back every failure that has not happened yet.
= cuda.softgpu.leaks()
@return string[]  one line per object that is still alive
= cuda.softgpu.log(what)
Starts, stops or clears the log of driver calls.
@param what "on"|"off"|"clear"
= cuda.softgpu.report(form)
The report of the last fault, or "".
@param form? "text"|"json"  json: an object on one line, for tools; "" if it is not a kernel's fault
@return string
= cuda.softgpu.runs()
The operations that have run since log("on") or log("clear"), in the order in which they did. Of the calls that
submitted them, calls() tells.
@return cuda.softgpu.Run[]
= cuda.softgpu.schedule(what)
How kernels are run from now on. What a key is not given for stays.

   threads  how many run a kernel. "auto": as many as there are processors, where the blocks of the kernel are
            independent and there is enough to do; "auto:2": no more than two. A number: so many for every kernel,
            also where blocks depend on each other, so that results may come out in another order each time
   order    in which blocks begin: "forward", "reverse", "random:SEED"
   gang     threads of a block that execute together, 32 to 1024
   timeout  seconds until a kernel is stopped with LAUNCH_TIMEOUT; 0 or "off": none is
@param what? {threads?: integer|string, order?: string, gang?: integer, timeout?: number|string}
@return {threads: integer|string, order: string, gang: integer, timeout: number} schedule  from now on
@raise LogicError for other keys and values
@options gang order threads timeout
= cuda.softgpu.set_device_count(n)
Sets the number of devices. Everything on the device is dropped first; objects that are still held answer
as those of a destroyed context do.
@param n integer  1 to 8
= cuda.softgpu.stats()
@return table<string, number>  live_allocs, live_bytes, live_contexts, live_modules, stale, calls ...; spare_bytes: host memory that kernels keep for their next launches
= cuda.softgpu.streams(mode)
When work in streams runs, from now on; returns the setting if nothing is given.

   deferred     when somebody waits for it, and then only what that depends on: what a program forgets to wait for
                is never done in time
   eager        in the call that submits it
   random:SEED  in any order that the streams, events and default streams of the program allow, some of it before
                anybody waits; each seed, 0 to 2147483647, stands for one order, which comes again with it
@param mode? string  "deferred", "eager", "random:7"
@return string mode
@raise LogicError for other modes
# docs/textures.md
= cuda.DynamicModule:get_surfref(name)
A surface reference of one of the sources.
@param name string
@return cuda.SurfaceReference  the same one each time
@raise LogicError (500) if there is none of that name, and before link().
= cuda.DynamicModule:get_texref(name)
A texture reference of one of the sources.
@param name string
@return cuda.TextureReference  the same one each time
@raise LogicError (500) if there is none of that name, and before link().
= cuda.Function:param_set_texref(reference)
The launches to come read a texture reference of the kernel's module, as all launches of its kernels do: this checks
that it is one.
@param reference cuda.TextureReference  of mod:get_texref()
@raise LogicError if it is another module's, or no reference
= cuda.MipmappedArray class
An array with smaller ones of half its extents each, its levels, for textures that are read at several sizes:
`cuda.MipmappedArray(descriptor, levels)` makes one, undefined inside. `levels` is cut to what the extents allow,
down to one texel; absent: all of them. Raises a LogicError as Array does.
@call fun(descriptor: cuda.ArrayDescriptor3D, levels?: integer): cuda.MipmappedArray
= cuda.MipmappedArray:close()
The same as free().
@raise LogicError if it was already freed
= cuda.MipmappedArray:free()
cuMipmappedArrayDestroy: waits for running work. Its levels, and textures of it, cannot be used any more.
@raise LogicError if it was already freed
= cuda.MipmappedArray:get_descriptor_3d()
What it was made from.
@return cuda.ArrayDescriptor3D  of level 0
@raise LogicError after free()
= cuda.MipmappedArray:handle()
The driver's handle.
@return number  the CUmipmappedArray as a number, for other libraries
@raise LogicError after free()
= cuda.MipmappedArray:level(level)
One of its levels, an array that can be copied to and from, and read by a texture or a surface. It keeps the
mipmapped array, and has no memory of its own: freeing it frees nothing.
@param level integer  0 is the largest
@return cuda.Array  the same one each time
@raise LogicError if there is no such level, and after free()
= cuda.MipmappedArray:levels()
@return integer  how many levels it has
@raise LogicError after free()
= cuda.Module:get_surfref(name)
A surface that the module's kernels use by name: `surface<void, 2> s;` in the source, or a `__device__
cudaSurfaceObject_t s`.
@param name string
@return cuda.SurfaceReference  the same one each time
@raise LogicError (500) if there is none of that name
= cuda.Module:get_texref(name)
A texture that the module's kernels read by name: `texture<float, 2> t;` in the source, or a `__device__
cudaTextureObject_t t`.
@param name string
@return cuda.TextureReference  the same one each time
@raise LogicError (500) if there is none of that name
= cuda.SourceModule:get_surfref(name)
A surface reference of the source, `surface<void, 2> s;`.
@param name string
@return cuda.SurfaceReference  the same one each time
@raise LogicError (500) if there is none of that name
= cuda.SourceModule:get_texref(name)
A texture reference of the source, `texture<float, 2> t;`.
@param name string
@return cuda.TextureReference  the same one each time
@raise LogicError (500) if there is none of that name
= cuda.SurfaceObject class
A surface that kernels take as a cudaSurfaceObject_t, to read and write the texels of an array made with the flag
"surface_ldst": `cuda.SurfaceObject{ array = a }`. It keeps the array. Raises a LogicError for other arrays.
@call fun(options: {array: cuda.Array}): cuda.SurfaceObject
@options array
= cuda.SurfaceObject:close()
cuSurfObjectDestroy, once all work of the context is done: kernels may still use it.
@raise LogicError if it was already closed, and while a stream of its context is being captured
= cuda.SurfaceObject:handle()
The driver's handle, for structs and tables on the device. A kernel that gets it in this way keeps nothing alive.
@return number  the cudaSurfaceObject_t as a number
@raise LogicError if it was closed, or its array was freed
= cuda.SurfaceReference class
A surface that kernels read and write by the name of a variable. `mod:get_surfref(name)` gives it.
@call fun(): cuda.SurfaceReference  one that belongs to no module
= cuda.SurfaceReference:get_array()
@return cuda.Array? array  nil: there is none
= cuda.SurfaceReference:set_array(array, flags)
The surface is that array, which it keeps.
@param array cuda.Array  made with the flag "surface_ldst"
@param flags? integer       0
@raise LogicError for other arrays
= cuda.TextureObject class
A texture that kernels take as a cudaTextureObject_t: `cuda.TextureObject{ array = a, filter = "linear" }`. It keeps
what it reads. Raises a LogicError for options that do not go together, for unaligned memory, and for what has been
freed.
@call fun(options: cuda.TextureOptions): cuda.TextureObject
@options address="clamp"|"border"|"wrap"|"mirror" array border="border" filter="point"|"linear"|"point" format="float" height linear max_anisotropy mip_bias mip_clamp mip_filter="point"|"linear" mipmap normalized num_channels pitch pitch2d read="element"|"normalized" seamless srgb trilinear view width
= cuda.TextureObject:close()
cuTexObjectDestroy, once all work of the context is done: kernels may still read through it.
@raise LogicError if it was already closed, and while a stream of its context is being captured
= cuda.TextureObject:handle()
The driver's handle, for structs and tables on the device. A kernel that gets it in this way keeps nothing alive.
@return number  the cudaTextureObject_t as a number
@raise LogicError if it was closed, or what it reads was freed
= cuda.TextureOptions class
@field array? cuda.Array            what it reads: a CUDA array,
@field mipmap? cuda.MipmappedArray  or a mipmapped one,
@field linear? any                     or linear memory, by number: a gpuarray, device memory, {ptr =, bytes =}
@field pitch2d? any                    or rows in memory: a gpuarray of two axes (or three, the last one the channels), device memory, {ptr =, bytes =}
@field format? integer|string          of memory, as in cuda.array_format: "float"; a gpuarray brings its own
@field num_channels? integer           of memory: 1, 2 or 4; default 1
@field width? integer                  of pitch2d: texels of a row
@field height? integer                 of pitch2d: rows
@field pitch? integer                  of pitch2d: bytes from row to row; default: no gaps
@field filter? "point"|"linear"        default "point"
@field address? string|string[]        outside of the array: "clamp" (default), "border", and with normalized coordinates "wrap" and "mirror"; one for all axes, or a list {x, y, z}
@field border? number|number[]         what "border" gives, one for all channels or a list; default 0
@field normalized? boolean             true: coordinates from 0 to 1; default: in texels
@field read? "element"|"normalized"    normalized: integers of 8 and 16 bits as floats from 0 or -1 to 1
@field srgb? boolean                   true: decodes sRGB of 8-bit channels, alpha left out
@field max_anisotropy? integer         1 to 16
@field mip_filter? "point"|"linear"    between levels
@field mip_bias? number                added to the level
@field mip_clamp? number[]             {lowest, highest} level that is read
@field seamless? boolean               true: filters over the edges of a cube map's faces
@field trilinear? boolean              false: no optimisation of trilinear filtering
@field view? cuda.TextureView      the array in another format, or a part of its levels and layers
= cuda.TextureReference class
A texture that kernels read by the name of a variable. `mod:get_texref(name)` gives it; its methods say what is read
and how, and the next launch of one of the module's kernels reads that. PyCUDA's TextureReference.
@call fun(): cuda.TextureReference  one that belongs to no module
= cuda.TextureReference:get_address()
@return any? memory  as it was given to set_address() or set_address_2d(); nil: it reads none
= cuda.TextureReference:get_address_mode(dim)
@param dim integer  0 for x, 1 for y, 2 for z
@return integer mode  of cuda.address_mode
@raise LogicError for another dim
= cuda.TextureReference:get_array()
@return cuda.Array? array  that it reads; nil: it reads none
= cuda.TextureReference:get_filter_mode()
@return integer mode  of cuda.filter_mode
= cuda.TextureReference:get_flags()
@return integer flags  the sum of cuda.TRSF_READ_AS_INTEGER ...
= cuda.TextureReference:get_format()
@return integer format  of cuda.array_format
@return integer num_components
= cuda.TextureReference:set_address(memory, bytes, allow_offset)
The texture reads linear memory, by number: tex1Dfetch(t, i). Textures begin at multiples of the device's
texture_alignment; from another address on the texture begins before it, at the multiple, and kernels add the offset.
@param memory any  device memory, whose owner it keeps, or an address
@param bytes integer
@param allow_offset? boolean  true: the address may be any
@return integer offset  bytes from the texture's begin to the address
@raise LogicError if the offset is not 0 and not allowed, or the memory has fewer bytes
= cuda.TextureReference:set_address_2d(memory, descriptor, pitch)
The texture reads rows in device memory.
@param memory any  device memory, whose owner it keeps, or an address; a multiple of texture_alignment
@param descriptor cuda.ArrayDescriptor  width, height, format, num_channels
@param pitch integer  bytes from row to row, a multiple of texture_pitch_alignment
@raise LogicError for other addresses and pitches, and if the rows do not fit
= cuda.TextureReference:set_address_mode(dim, mode)
What is read outside of the array.
@param dim integer          0 for x, 1 for y, 2 for z
@param mode integer|string  of cuda.address_mode; wrap and mirror need normalized coordinates
@raise LogicError for others
= cuda.TextureReference:set_array(array)
The texture reads an array, and keeps it.
@param array cuda.Array
@raise LogicError if it is no array, was freed, or has other dimensions than the source declares
= cuda.TextureReference:set_filter_mode(mode)
What is read between texels.
@param mode integer|string  of cuda.filter_mode; linear needs texels that are read as floats
@raise LogicError for others
= cuda.TextureReference:set_flags(flags)
How coordinates and integers are read.
@param flags integer  the sum of cuda.TRSF_READ_AS_INTEGER, TRSF_NORMALIZED_COORDINATES ...; at first TRSF_READ_AS_INTEGER if the source declares integers that are read as such, else 0
@raise LogicError for other bits
= cuda.TextureReference:set_format(format, num_components)
How elements of linear memory are read; of an array it has to be the array's format.
@param format integer|string  of cuda.array_format
@param num_components integer  1, 2 or 4
@raise LogicError for others, and for another format than the bound array's
= cuda.bind_array_to_texref(array, reference)
The texture reads an array, clamped, point by point. PyCUDA's bind_array_to_texref.
@param array cuda.Array
@param reference cuda.TextureReference
@raise LogicError as TextureReference:set_array
= cuda.gpuarray_to_array(ary, order, opts)
An array of one, two or three dimensions with the elements of an array of the device, copied there in the current
stream. The array is computed and stays where it is, as with `gpudata`.
@param ary cuda.gpuarray.Array  1 to 3 axes
@param order? "C"|"F"              C: the last axis is x (default); F: the first one
@param opts? {allow_surface_bind: boolean?, allow_double_hack: boolean?}  allow_surface_bind: for surfaces, too; allow_double_hack: float64 and complex128 as int32 channels, two for each double; default true
@return cuda.Array
@raise LogicError for another rank or dtype, and if the memory was released
@options allow_double_hack allow_surface_bind
= cuda.matrix_to_texref(matrix, reference, order)
The texture reads a new array with the elements of a host array of two axes. PyCUDA's matrix_to_texref.
@param matrix cuda.ndarray.Array|cuda.gpuarray.Array
@param reference cuda.TextureReference
@param order "C"|"F"  C: tex2D(x, y) is matrix[y][x]; F: it is matrix[x][y] (0-based)
@raise LogicError as matrix_to_array and TextureReference:set_array
# docs/traps.md
= cuda.Error class
@field class string          "LogicError", ...
@field message string        one sentence
@field code integer?         CUresult, if the driver reported it
@field name string?          "CUDA_ERROR_INVALID_VALUE"
@field call string?          driver function that reported it
@field kernel string?        kernel concerned: launched, or launched last before a late report
@field arg integer?          1-based number of the kernel argument that was refused
@field param string?         that parameter as declared: "int n"
@field detail string?        the driver's own explanation
@field hint string?          what to do next
@field log string?           compiler's or JIT's log
@field source string?        source that did not compile
@field excerpt string?       its lines around the first error, with a mark
@field sticky boolean?       true: every later call on the device fails, the process must restart
@field requested number?     MemoryError: bytes asked for
@field free number?          MemoryError: bytes free on the device
@field total number?         MemoryError: bytes the device has
@field live number?          MemoryError: bytes of device memory that objects of this program have
@field pooled number?        MemoryError: bytes that pools keep for later
@field queued number?        MemoryError: bytes that were collected and not yet given back
@field expression string[]?  arrays: the operations that were computed, with the lines that wrote them
@field where string?         "script.lua:12", the caller's line
@field traceback string      stack at the time of the error
= cuda.Error:is(class)
Is this error of that class (or of one of its subclasses)?
@param class table|string  a class, such as cuda.MemoryError, or its name
@return boolean
= cuda.has(name)
Whether a name exists. Using an unknown name is an error.
@param name string  from `cuda` on, of a module, a class or a function: "gpuarray", "gpuarray.sort", "Stream:use"
@return boolean
@raise LogicError if it is not a string
= cuda.is_error(value, class)
Is `value` an error of this library, and of that class? Safe for anything that pcall returns.
@param value any
@param class? table|string  a class, such as cuda.MemoryError, or its name
@return boolean
= cuda.result field
The driver's codes by name, CUDA_ERROR_ left out: `err.code == cuda.result.OUT_OF_MEMORY`.
= cuda.set_debugging(on)
For finding errors: waits for each kernel after its launch, so that an error is raised by the call that launched it
and not by whatever comes later; and compiles for the debugger (-G -lineinfo), without the cache, keeping the
compiler's files. Waiting alone is on from the start with CUDALUA_LAUNCH_BLOCKING=1. Kernels that go into a graph are
not waited for.
@param on boolean
@return boolean before  whether launches were waited for
# docs/tutorial.md
= cuda module
CUDA for LuaJIT: devices, streams, memory and kernels; arrays and more in the modules.
= cuda.AlignedHostAllocation class
Plain host memory that begins at a multiple of a power of two: the base of aligned_empty's arrays.
= cuda.AlignedHostAllocation:close()
The same as free().
@raise LogicError if it was already freed
= cuda.AlignedHostAllocation:free()
Gives the memory back as soon as no copy under way, no registration and no graph uses it. Arrays over it cannot be
used any more.
@raise LogicError if it was already freed
= cuda.ArgumentHandler class
Argument of a kernel that is a host buffer: device memory for the time of the call, and copies.
Own handlers are objects with get_device_alloc(stream), pre_call(stream) and post_call(stream); stream is nil if
the call was given none, and everything has to be done when it returns.
= cuda.Array class
Memory in a layout of the driver's own, for textures and surfaces: `cuda.Array(descriptor)` makes one, undefined
inside. Copies go through Memcpy2D, Memcpy3D, or by bytes of its first row through memcpy_htoa and its like. Raises a
LogicError for extents that do not go together, or are above the device's limits.
@call fun(descriptor: cuda.ArrayDescriptor|cuda.ArrayDescriptor3D): cuda.Array
= cuda.Array:close()
The same as free().
@raise LogicError if it was already freed
= cuda.Array:free()
cuArrayDestroy: waits for running work.
@raise LogicError if it was already freed
= cuda.Array:get()
Its texels as a new host array, after all work of the legacy stream: the last axis is x, before it y and z or layers,
as far as the array has them; texels of several channels have one more axis behind x.
@return cuda.ndarray.Array  of the format's dtype
@raise LogicError after free(), and for formats that no dtype has, such as unorm_int8
= cuda.Array:get_descriptor()
cuArrayGetDescriptor.
@return cuda.ArrayDescriptor  what the driver says it is
@raise LogicError after free()
= cuda.Array:get_descriptor_3d()
cuArray3DGetDescriptor.
@return cuda.ArrayDescriptor3D  what the driver says it is
@raise LogicError after free()
= cuda.Array:handle()
The driver's handle.
@return number  the CUarray as a number, for other libraries
= cuda.ArrayDescriptor class
What a 1D or 2D array is like: `cuda.ArrayDescriptor{width = 4, height = 4, format = "float", num_channels = 1}`.
height 0: 1D; width and height in elements; format as in cuda.array_format; num_channels 1, 2 or 4. Fields can be set
later. Raises a LogicError for unknown fields and bad values.
@call fun(fields?: table): cuda.ArrayDescriptor
@field width integer         in elements
@field height integer        in elements; 0: 1D
@field format integer|string  cuda.array_format, or its name: "float"
@field num_channels integer  1, 2 or 4
= cuda.ArrayDescriptor3D class
What an array of up to 3 dimensions is like: as ArrayDescriptor, and depth (0: not a 3D array; layers of a layered
one, six faces of a cubemap) and flags as in cuda.array3d_flags.
@call fun(fields?: table): cuda.ArrayDescriptor3D
@field width integer         in elements
@field height integer        in elements; 0: 1D
@field depth integer         0: not a 3D array; layers, or faces
@field format integer|string  cuda.array_format, or its name: "float"
@field num_channels integer  1, 2 or 4
@field flags integer         cuda.array3d_flags
= cuda.ConditionalNode class
What Graph:add_conditional takes. The kind may be the first value, without a name.
@field kind "if"|"while"|"switch"|nil  or the first element of the list
@field condition cuda.Scalar     of Graph:condition()
@field bodies integer?              how many; default 1
@field after cuda.GraphNode|cuda.GraphNode[]|nil
= cuda.Context class
A CUDA context. Collected only when nothing that lives in it is left; detach() ends it at once.
@call fun(device: cuda.Device, flags?: integer|string|(integer|string)[]): cuda.Context
= cuda.Context.get_current()
cuCtxGetCurrent.
@return cuda.Context?
= cuda.Context.pop()
cuCtxPopCurrent: Context.pop() takes the current context off; destroyed ones under it are skipped.
@return cuda.Context
@raise LogicError (201) if no context is current
= cuda.Context:attach(flags)
Counts one more use of this context; Context.attach() of the current one. It then takes one more detach() to end it.
@param flags? integer  0
@return cuda.Context
@raise LogicError (201) if no context is current, and for other flags
= cuda.Context:detach()
cuCtxDestroy or cuDevicePrimaryCtxRelease, when it was called as often as the context was made or retained.
You can no longer use what belongs to the context; if other code keeps the context in use, these objects are freed
first. A current context is taken off the stack.
@raise LogicError for a detached context
= cuda.Context:disable_peer_access(peer)
cuCtxDisablePeerAccess: takes enable_peer_access() back.
@param peer cuda.Context
@raise LogicError (705) if it was not enabled
= cuda.Context:enable_peer_access(peer, flags)
cuCtxEnablePeerAccess: kernels of this context may use the peer's memory of mem_alloc() from now on;
Context.enable_peer_access(peer) is for the current one. One direction: the peer has to be asked for the other.
@param peer cuda.Context  a context on another device
@param flags? integer  0
@raise LogicError if that is not possible (217), and if it was already enabled (704)
= cuda.Context:get_api_version()
cuCtxGetApiVersion: of this context; Context.get_api_version() of the current one.
@return integer  3020 with all drivers so far
@raise LogicError (201) if no context is current
= cuda.Context:get_cache_config()
cuCtxGetCacheConfig: of this context; Context.get_cache_config() of the current one.
@return integer  one of cuda.func_cache
@raise LogicError (201) if no context is current
= cuda.Context:get_device()
cuCtxGetDevice: of this context; Context.get_device() of the current one.
@call fun(): cuda.Device
@return cuda.Device
@raise LogicError (201) if no context is current
= cuda.Context:get_flags()
cuCtxGetFlags: of this context; Context.get_flags() of the current one.
@return integer  bits of cuda.ctx_flags
@raise LogicError (201) if no context is current
= cuda.Context:get_limit(limit)
cuCtxGetLimit: of this context; Context.get_limit(limit) of the current one.
@param limit integer|string  cuda.limit, or its name: "stack_size"
@return number  bytes, or a count
@raise LogicError (215) for a limit that the device does not have
= cuda.Context:get_shared_config()
cuCtxGetSharedMemConfig: of this context; Context.get_shared_config() of the current one.
@return integer  one of cuda.shared_config
@raise LogicError (201) if no context is current
= cuda.Context:handle()
The driver's handle.
@return number  the CUcontext as a number, for other libraries
= cuda.Context:is_poisoned()
Has a sticky error (an illegal address ...) ended this context's device for the process? Context.is_poisoned() asks
for the current one. See also cuda.device_error().
@return boolean
@raise LogicError (201) if no context is current
= cuda.Context:push()
cuCtxPushCurrent: makes it current on this thread.
@return cuda.Context self
@raise LogicError for a detached context
= cuda.Context:set_cache_config(config)
cuCtxSetCacheConfig: what kernels prefer that say nothing themselves, a hint. Of this context;
Context.set_cache_config(config) of the current one.
@param config integer|string  cuda.func_cache, or its name: "prefer_l1"
@raise LogicError for any other value
= cuda.Context:set_limit(limit, value)
cuCtxSetLimit: of this context; Context.set_limit(limit, value) of the current one. The driver may round.
@param limit integer|string  cuda.limit, or its name: "stack_size"
@param value integer  bytes, or a count
@raise LogicError for a limit that the device does not have (215), and for a value out of range
= cuda.Context:set_shared_config(config)
cuCtxSetSharedMemConfig: has no effect on today's GPUs. Of this context; Context.set_shared_config(config) of the
current one.
@param config integer|string  cuda.shared_config, or its name: "four_byte_bank_size"
@raise LogicError for any other value
= cuda.Context:synchronize()
cuCtxSynchronize: waits for all work of this context; Context.synchronize() of the current one.
@call fun()
@raise what kernels failed with
= cuda.Context:with(f, ...)
Makes the context current, calls f(...) and takes it off again, also when f raises.
@param f function
@param ... any  arguments of f
@return any ...  what f returns
@raise what f raises, and LogicError if f left another context on top of the stack.
= cuda.Device class
A GPU, by its ordinal (0-based, as CUDA numbers them). One object per ordinal: works as a table key.
@call fun(device: integer|string): cuda.Device  ordinal from 0, or PCI bus id: "0000:3b:00.0"
= cuda.Device.count()
cuDeviceGetCount.
@return integer  number of devices
@raise RuntimeError if there is no driver
= cuda.Device.get_device(device)
The same as cuda.Device(device).
@param device integer|string  0 to Device.count() - 1, or a PCI bus id
@return cuda.Device
@raise LogicError (101) for a device that there is not
= cuda.Device:can_access_peer(other)
cuDeviceCanAccessPeer: can kernels on this device use memory of the other? To be switched on by
Context:enable_peer_access().
@param other cuda.Device
@return boolean  false for the device itself
@raise LogicError unless other is a Device
= cuda.Device:compute_cabability()
The same, as PyCUDA's first documents spell it.
@return integer major
@return integer minor
= cuda.Device:compute_capability()
cuDeviceGetAttribute 75 and 76.
@return integer major
@return integer minor
= cuda.Device:get_attribute(attribute)
cuDeviceGetAttribute. An attribute can also be read as a field: `dev.clock_rate`.
@param attribute integer|string  cuda.device_attribute, or its name: "clock_rate"
@return integer  in the driver's unit: bytes, kHz, 0 or 1 ...
@raise LogicError if the name is unknown, or a number that the driver does not know
= cuda.Device:get_attributes(options)
cuDeviceGetAttribute, for every attribute of cuda.h. Left out are those that this driver does not know.
@param options? {names: boolean}  names = true: keyed by lower-case name
@return table<integer|string, integer>  keyed by number
@raise LogicError for other options
@options names
= cuda.Device:make_context(flags)
cuCtxCreate: a new context, made current. `cuda.Context(dev, flags)` does the same.
@param flags? integer|string|(integer|string)[]  cuda.ctx_flags: "sched_spin", or several in a list
@return cuda.Context
@raise MemoryError, LogicError for bad flags
= cuda.Device:name()
cuDeviceGetName.
@return string
= cuda.Device:ordinal()
cuDeviceGet's ordinal.
@return integer  the 0-based number it was made with
= cuda.Device:p2p_attribute(other, attribute)
cuDeviceGetP2PAttribute: what the way from this device to the other is like.
@param other cuda.Device
@param attribute integer|string  cuda.p2p_attribute, or its name: "performance_rank"
@return integer
@raise LogicError if other is the same device
= cuda.Device:pci_bus_id()
cuDeviceGetPCIBusId. (The numeric attribute of that name: get_attribute "pci_bus_id".)
@return string  domain:bus:device.function, "0000:3b:00.0"; cuda.Device() takes it
= cuda.Device:retain_primary_context()
cuDevicePrimaryCtxRetain: the context that the CUDA runtime and other libraries share. Not made current.
@return cuda.Context  the same object each time, while it is alive; that of the host program, if it is known
= cuda.Device:total_memory()
cuDeviceTotalMem.
@return number  bytes
= cuda.Device:uuid()
cuDeviceGetUuid: names this GPU on any machine. nvidia-smi writes GPU- (of a part of a GPU MIG-) before it.
@return string  36 characters: "0a1b2c3d-..."
@raise RuntimeError if the driver is older than 11.4
= cuda.DeviceAllocation class
Device memory that it owns. `#a` is its size in bytes, `a + bytes` a DevicePointer to what follows.
= cuda.DeviceAllocation:as_buffer(nbytes, offset)
The memory as a host array of uint8, if the host can reach it. Nothing is copied.
@param nbytes integer
@param offset? integer  bytes from the start, default 0
@return cuda.ndarray.Array  its base is this memory
@raise LogicError for plain device memory, which the host does not reach, and past the end
= cuda.DeviceAllocation:close()
The same as free().
@raise LogicError if it was already freed
= cuda.DeviceAllocation:free()
cuMemFree: gives the memory back now. Waits for kernels that run. Memory of mem_alloc_async() and of a MemoryPool:
cuMemFreeAsync in the order of its stream, after the work of other streams; that waits for nothing.
@raise LogicError if it was already freed, and in a stream that is being captured
= cuda.DeviceAllocation:ptr()
The device address.
@return number
@raise LogicError if it was freed
= cuda.DevicePointer class
A view into an allocation or a module's variable, which it holds; or a bare address.
= cuda.DevicePointer:as_buffer(nbytes, offset)
The memory as a host array of uint8, if the host can reach it. Nothing is copied.
@param nbytes integer
@param offset? integer  bytes from its address, default 0
@return cuda.ndarray.Array  its base is this pointer
@raise LogicError for plain device memory, which the host does not reach, for a bare address, and past the end
= cuda.DevicePointer:ptr()
The device address.
@return number
@raise LogicError if what it points into was freed
= cuda.Event class
A mark in a stream: to wait for, to ask whether it was passed, and to measure the time between two of them.
@call fun(flags?: integer|string|(integer|string)[]|{flags: any}): cuda.Event  of cuda.event_flags: "blocking_sync", "disable_timing" (cheaper), "interprocess" (needs "disable_timing")
= cuda.Event.from_ipc_handle(handle)
cuIpcOpenEventHandle: an event that another process made with {"interprocess", "disable_timing"}, in the current
context, which is to be one of the same device. Streams of other devices can wait for it.
@param handle string  the 64 bytes that Event:ipc_handle() gave there
@return cuda.Event  closing it leaves the other process's event alone
@raise LogicError for another length, and in the process that made it
= cuda.Event:close()
cuEventDestroy: gives it back now; this does not wait.
@raise LogicError if it was already closed
= cuda.Event:context()
The only one whose streams it can be recorded in.
@return cuda.Context  the context it was made in
= cuda.Event:handle()
The driver's handle.
@return number  the CUevent as a number, for other libraries
= cuda.Event:ipc_handle()
cuIpcGetEventHandle.
@return string  64 bytes, for cuda.Event.from_ipc_handle() in another process
@raise LogicError unless it was made with {"interprocess", "disable_timing"}
= cuda.Event:query()
cuEventQuery: was it passed? Never waits. True for one that was never recorded.
@return boolean
@raise what kernels failed with
= cuda.Event:record(stream)
cuEventRecord: puts the mark behind the work that is in the stream now. A mark before is forgotten.
@param stream? cuda.Stream  default: the current stream
@return cuda.Event self
@raise LogicError for a stream of another context, and while the event is a mark in another capture
= cuda.Event:synchronize()
cuEventSynchronize: waits until it is passed. At once for one that was never recorded.
@return cuda.Event self
@raise what kernels failed with
= cuda.Event:time_since(event)
cuEventElapsedTime from start to this event.
@param event cuda.Event  the start
@return number  milliseconds, to about half a microsecond; negative if this event came first
@raise RuntimeError (600) until both are passed; LogicError (400) if one was never recorded or made with "disable_timing"
= cuda.Event:time_till(event)
cuEventElapsedTime from this event to stop.
@param event cuda.Event  the stop
@return number  milliseconds, as time_since()
@raise as time_since()
= cuda.Function class
A kernel. Call it: `fn(a, b, n, {block = 256, grid = 10})`, or `fn{a, b, n, block = 256}`. Numbers and
booleans are converted to the parameter's own type; memory is DeviceAllocation, DevicePointer, In, Out, InOut,
or an object with get_pointer(); structs are FFI structs or strings of their bytes; nil is a null pointer.
Also attributes as fields: `fn.num_regs`.
@call fun(..., options: cuda.LaunchOptions): number?  the seconds, with time_kernel
@options block carveout cluster cooperative grid pdl priority shared stream time_kernel
= cuda.Function:available_shared(blocks, block)
cuOccupancyAvailableDynamicSMemPerBlock: the dynamic shared memory that each of so many blocks on an SM can have.
@param blocks integer            on an SM at a time
@param block integer|integer[]   threads of a block
@return integer bytes
@raise LaunchError if so many do not fit even without, LogicError if its context is not current
= cuda.Function:get_attribute(attribute)
cuFuncGetAttribute. An attribute can also be read as a field: `fn.num_regs`; PyCUDA's first names are registers, smem
and lmem.
@param attribute string|integer  cuda.function_attribute, or its name: "num_regs", "local_size_bytes" ...
@return integer
@raise LogicError if it is unknown
= cuda.Function:launch()
Launches one block, with what is set, in the current stream.
@raise LogicError if the shape or parameters are missing, or memory among them was freed; LaunchError for what is beyond the limits
= cuda.Function:launch_grid(width, height)
Launches a grid of blocks, with what is set, in the current stream.
@param width integer
@param height integer
@raise LogicError, LaunchError as launch
= cuda.Function:launch_grid_async(width, height, stream)
The same in a stream.
@param width integer
@param height integer
@param stream? cuda.Stream  nil: the current one
@raise LogicError, LaunchError as launch
= cuda.Function:max_active_blocks(block, shared, flags)
cuOccupancyMaxActiveBlocksPerMultiprocessor: how many blocks of this kernel an SM has at a time.
@param block integer|integer[]     threads of a block
@param shared? integer             bytes of dynamic shared memory of a block; default 0
@param flags? integer|string       cuda.occupancy_flags
@return integer blocks             0: such a block does not fit
@raise LogicError if its context is not current
= cuda.Function:max_active_clusters(options)
cuOccupancyMaxActiveClusters: how many clusters of this kernel the device has at a time.
@param options cuda.LaunchOptions  block and cluster, and shared
@return integer clusters              0: none fits, or the device has no clusters
@raise LogicError if its context is not current
@options block carveout cluster cooperative grid pdl priority shared stream time_kernel
= cuda.Function:max_cluster_size(options)
cuOccupancyMaxPotentialClusterSize: the largest cluster that fits.
@param options cuda.LaunchOptions  block, and shared
@return integer blocks                of the cluster; 1 if the device has none, 0 if no block fits
@raise LogicError if its context is not current
@options block carveout cluster cooperative grid pdl priority shared stream time_kernel
= cuda.Function:name()
The kernel's name.
@return string  as in the module: mangled for templates
= cuda.Function:param_set(...)
Sets all parameters for the launches to come. Memory is kept alive until they are set again.
@param ... any  as fn(...) takes them; In, Out and InOut do their copies at each launch
@raise LogicError for what does not fit; then nothing is changed
= cuda.Function:param_set_size(bytes)
Says how many bytes of parameters were set. param_set() does it by itself.
@param bytes integer  the end of the last parameter, or what C's sizeof makes of it. A launch raises where this leaves one out.
@raise LogicError if it is not a number of bytes
= cuda.Function:param_setf(offset, value)
Writes a float into the parameters, whatever their types are.
@param offset integer  bytes, from 0
@param value number
@raise LogicError if it overflows, or reaches behind the last parameter
= cuda.Function:param_seti(offset, value)
Writes a 32-bit integer into the parameters, whatever their types are.
@param offset integer  bytes, from 0
@param value integer   from -2^31 to 2^32 - 1
@raise LogicError if it is out of range, or reaches behind the last parameter
= cuda.Function:param_setv(offset, bytes)
Writes bytes into the parameters, whatever their types are: memory whose address is in them is not kept alive.
@param offset integer  bytes, from 0
@param bytes any       string, FFI array or struct, {ptr =, nbytes =}, object with :buffer()
@raise LogicError if they reach behind the last parameter
= cuda.Function:prepare(arg_types, options)
Settles the types of the parameters and the shape of the block for prepared_call(). Where the kernel's own signature
is known, the types have to go with it, and it decides how values are checked; else they are the signature from here
on, for fn(...) too. PyCUDA's Function.prepare.
@param arg_types string|any[]  characters of Python's struct module ("PPif", native sizes; F and D are complex float and double, 8s is 8 bytes), or a list of types: such a character, a type as in C ("float *", "unsigned int"), a dtype ("int32"), an FFI ctype, {bytes = 24}
@param options? {block: integer|integer[], shared: integer, texrefs: table}  block: threads; absent: what set_block_shape() said, or prepared_call() is given one; shared: bytes of dynamic shared memory
@return cuda.Function self
@raise LogicError for types that the parameters cannot have, bad formats and options
@options block bytes shared texrefs
= cuda.Function:prepared_async_call(grid, ...)
The same in a stream.
@param grid integer|integer[]  blocks: up to 3 extents
@param ... any  the block, if need be, as for prepared_call(); the Stream, nil for the current one; the arguments
@raise LogicError, LaunchError as prepared_call
= cuda.Function:prepared_call(grid, ...)
Launches what prepare() settled, in the current stream: the fastest way to launch, and checked as fn(...) is.
@param grid integer|integer[]  blocks: up to 3 extents
@param ... any  a list of the block's extents, needed if prepare() was given no block; then the arguments, as fn(...) takes them; behind them, if need be, {shared_size = bytes}
@raise LogicError for arguments that do not fit, and if prepare() was not called; LaunchError for a grid or a block beyond the limits
@options shared_size
= cuda.Function:prepared_timed_call(grid, ...)
A prepared call between two events.
@param grid integer|integer[]  blocks
@param ... any                 as for prepared_call
@return fun(): number  the seconds that the kernel took on the device; waits for its end
@raise LogicError, LaunchError as prepared_call
= cuda.Function:set_attribute(attribute, value)
cuFuncSetAttribute.
@param attribute string|integer  "max_dynamic_shared_size_bytes", "preferred_shared_memory_carveout" (percent), "non_portable_cluster_size_allowed" ...; most are only for reading
@param value integer
@raise LogicError if the attribute cannot be set, or not to this value
= cuda.Function:set_block_shape(x, y, z)
The threads of a block, for launch() and its like, and for prepared_call().
@param x integer
@param y? integer  default 1
@param z? integer  default 1
@raise LogicError for values that are not positive integers
= cuda.Function:set_cache_config(config)
cuFuncSetCacheConfig, a hint: what the memory that L1 cache and shared memory have in common should rather be.
@param config integer|string  cuda.func_cache: "prefer_none", "prefer_shared", "prefer_l1", "prefer_equal"
@raise LogicError if it is not a cache configuration
= cuda.Function:set_shared_config(config)
cuFuncSetSharedMemConfig: the width of shared memory's banks. Does nothing on GPUs of today.
@param config integer|string  cuda.shared_config: "default_bank_size", "four_byte_bank_size", ...
@raise LogicError if it is not a bank size
= cuda.Function:set_shared_size(bytes)
The dynamic shared memory of a block, for launch() and its like, and for prepared_call().
@param bytes integer
@raise LogicError if it is not a number of bytes
= cuda.Function:signature()
The kernel's C signature: "void add(float *dest, const float *a, int n)".
@return string
@return {source: string, warnings: string[], params: table[]?} about  source: the origin of the types, "args" of get_function(), the "compiler", a "mangled name", "PTX" or the "driver", which knows only sizes; "nowhere" with drivers before 12.4; warnings: contradictions between the sources; params: of each type, size, offset and text
@raise LogicError if it is closed
= cuda.Function:suggest_block(options)
cuOccupancyMaxPotentialBlockSize: the block that keeps the device busiest.
@param options? {shared: integer|fun(threads: integer): integer, limit: integer}  shared: bytes of dynamic shared memory of a block, or a function that gives them for a number of threads; limit: most threads of a block
@return integer block    threads
@return integer min_grid fewest blocks that fill the device
@raise LaunchError if no block fits, LogicError for bad options and if its context is not current
@options limit shared
= cuda.Graph class
Work that runs as a whole, with the order it depends on: recorded by Stream:capture(), or put together from nodes
that are added to `cuda.Graph()`. It keeps what the work uses.
@call fun(): cuda.Graph
= cuda.Graph:add_child(record)
Adds a copy of another graph as a node: `g:add_child{ other }`. What is added to the other one later is not in it.
@param record {graph: cuda.Graph, after: cuda.GraphNode|cuda.GraphNode[]|nil}
@return cuda.GraphNode
@raise LogicError for a graph of another context or with conditional nodes
@options after graph
= cuda.Graph:add_conditional(record)
Adds a conditional node: `g:add_conditional{ "while", condition = c }`. Its bodies are graphs that are filled
afterwards, as `node.bodies[1]`: "if" has one that runs if the value is not 0, and perhaps a second one that runs if
it is; "while" has one that runs again and again as long as the value is not 0; of "switch" the body number value + 1
runs, if there is one.
@param record cuda.ConditionalNode
@return cuda.GraphNode  with the field bodies
@raise LogicError for another graph's condition, or one that has a node
= cuda.Graph:add_empty(record)
Adds a node that does nothing, for others to come after: `g:add_empty{ after = { a, b } }`.
@param record? {after: cuda.GraphNode|cuda.GraphNode[]|nil}
@return cuda.GraphNode
@raise LogicError for other graphs' nodes
@options after
= cuda.Graph:add_event_record(record)
Adds a node that records an event each time it runs: `g:add_event_record{ event }`.
@param record {event: cuda.Event, after: cuda.GraphNode|cuda.GraphNode[]|nil}
@return cuda.GraphNode
@raise LogicError if it is not an event of the graph's context, and in the body of a conditional node
@options after event
= cuda.Graph:add_event_wait(record)
Adds a node that waits for an event, as it was recorded last when the graph is launched: `g:add_event_wait{ event }`.
@param record {event: cuda.Event, after: cuda.GraphNode|cuda.GraphNode[]|nil}
@return cuda.GraphNode
@raise LogicError if it is not an event of the graph's context, and in the body of a conditional node
@options after event
= cuda.Graph:add_host(record)
Adds a host function: `g:add_host{ fn }`. A Lua function is called once for each time that the node runs, by the next
`cuda.poll()` or synchronisation: the graph does not wait for it, and later nodes do not see what it does. A C
function, `void (*)(void *)`, with its data is called by the driver in a thread of its own, and the graph waits; it
must not call CUDA or Lua. A Lua function that refers to its own graph keeps it until close().
@param record {fn: function|ffi.cdata*, data: ffi.cdata*?, after: cuda.GraphNode|cuda.GraphNode[]|nil}
@return cuda.GraphNode
@raise LogicError for what cannot be called, and in the body of a conditional node
@options after data fn
= cuda.Graph:add_kernel(record)
Adds a kernel: `g:add_kernel{ fn, args = { d, n }, grid = 4, block = 256, after = node }`. Other keys are the options
of a launch. The arguments are converted and checked as a launch's; the graph keeps what they stand for.
@param record cuda.KernelNode
@return cuda.GraphNode
@raise what a launch raises; LogicError for In, Out and InOut, whose memory lasts for one call
= cuda.Graph:add_memcpy(record)
Adds a copy between device memory, or device and host memory: `g:add_memcpy{ dst = d, src = h, bytes = n }`. Host
memory is read and written each time that the graph runs, and the graph keeps it.
@param record cuda.MemcpyNode
@return cuda.GraphNode
@raise LogicError as memcpy_htod_async and its like
= cuda.Graph:add_memset(record)
Adds a fill: `g:add_memset{ dst = d, value = 0, count = n }`, or a rectangle with pitch, width and height.
@param record cuda.MemsetNode
@return cuda.GraphNode
@raise LogicError as memset_d8_async and its like
= cuda.Graph:close()
cuGraphDestroy. Those made by instantiate() live on.
@raise LogicError if it was already closed
= cuda.Graph:condition(options)
Makes the value that a conditional node looks at. Pass it to a kernel, as an argument of type
`cudaGraphConditionalHandle`, which calls `cudaGraphSetConditional(handle, value)`.
@param options? {default: integer}  what it is when a launch of the graph begins; without one it is what the kernel sets, and not determined before
@return cuda.Scalar  for kernels of this graph and add_conditional
@raise LogicError if the default is no integer from 0 to 2^32 - 1
@options default
= cuda.Graph:dot(path, flags)
cuGraphDebugDotPrint: writes it as text in the DOT language, for Graphviz.
@param path string
@param flags? integer|string|(integer|string)[]  cuda.graph_debug_dot_flags: "verbose" ...
@return cuda.Graph self
@raise LogicError or RuntimeError if the file cannot be written
= cuda.Graph:handle()
The driver's handle.
@return number  the CUgraph as a number, for other libraries
= cuda.Graph:instantiate()
cuGraphInstantiate: makes it ready to run.
@return cuda.GraphExec  does not need the graph any more
@raise LogicError if something that the work uses was freed
= cuda.Graph:node_list()
cuGraphGetNodes: the nodes themselves, the same objects each time.
@return cuda.GraphNode[]
@raise LogicError for a closed graph
= cuda.Graph:nodes()
cuGraphGetNodes, cuGraphNodeGetType.
@return string[]  "kernel", "memcpy", "memset", "host", "graph", "empty" ... for each node
@raise LogicError for a closed graph
= cuda.GraphCall class
What cuda.graph(fn) returns: call it like fn.
@call fun(...: any): any
= cuda.GraphCall:close()
Drops its graphs. Results that a program has stay what they are; later calls are errors.
@raise LogicError if it is not called with a colon
= cuda.GraphCall:info()
How often it was captured and replayed, how many graphs it has now, and how many nodes the one used last has.
@return {captures: integer, replays: integer, graphs: integer, nodes: integer}
@raise LogicError if it is not called with a colon
= cuda.GraphExec class
A graph that is ready to run, as often as wanted. It keeps what its work uses.
= cuda.GraphExec:close()
cuGraphExecDestroy. One that runs is ended first; this does not wait for it.
@raise LogicError if it was already closed
= cuda.GraphExec:enable(node, on)
Turns a kernel, copy or fill off, and on again: a node that is off does nothing.
@param node cuda.GraphNode
@param on? boolean  default true
@return cuda.GraphExec self
@raise LogicError for nodes of other kinds
= cuda.GraphExec:handle()
The driver's handle.
@return number  the CUgraphExec as a number, for other libraries
= cuda.GraphExec:launch(stream)
cuGraphLaunch: puts the whole graph into a stream. Launches of one GraphExec run one after the other, in whatever
streams. May be closed or dropped while it runs. Returns at once, unless the graph has a copy to pageable memory:
then
when it is done. Not possible in a stream that is being captured.
@param stream? cuda.Stream  default: the current stream
@return cuda.GraphExec self
@raise LogicError if something that the work uses was freed, the graph's context is not the current one, or the stream is being captured
= cuda.GraphExec:set_child(node, graph)
Gives a child graph's nodes what the nodes of another graph of the same shape do.
@param node cuda.GraphNode
@param graph cuda.Graph
@return cuda.GraphExec self
@raise LogicError if the shapes differ, or as add_child
= cuda.GraphExec:set_event(node, event)
Changes the event that a node records or waits for.
@param node cuda.GraphNode
@param event cuda.Event
@return cuda.GraphExec self
@raise LogicError if it is not an event of the graph's context
= cuda.GraphExec:set_host(node, record)
Changes the function of a host node: `x:set_host(node, { fn })`.
@param node cuda.GraphNode
@param record {fn: function|ffi.cdata*, data: ffi.cdata*?}
@return cuda.GraphExec self
@raise as add_host
@options data fn
= cuda.GraphExec:set_kernel(node, record)
Changes what a kernel node does when this executable graph is launched next:
`x:set_kernel(node, { args = { d, m } })`. What is not given stays. Launches under way keep what they were given.
@param node cuda.GraphNode  of the graph that this was made from
@param record cuda.KernelNode  fn, args, grid, block and shared
@return cuda.GraphExec self
@raise as add_kernel; LogicError for other graphs' nodes, for nodes that came later, and where a node of a capture is not given all of it
= cuda.GraphExec:set_memcpy(node, record)
Changes what a copy copies: addresses, and the bytes of copies in one piece; `x:set_memcpy(node, { src = other })`.
@param node cuda.GraphNode
@param record cuda.MemcpyNode
@return cuda.GraphExec self
@raise as add_memcpy; LogicError if the driver cannot change it like this
= cuda.GraphExec:set_memset(node, record)
Changes what a fill fills, and with what; `x:set_memset(node, { value = 7 })`.
@param node cuda.GraphNode
@param record cuda.MemsetNode
@return cuda.GraphExec self
@raise as add_memset; LogicError if the driver cannot change it like this
= cuda.GraphExec:update(graph)
cuGraphExecUpdate: takes over the parameters (pointers, numbers, extents) of a graph of the same form. Launches that
are under way keep the old ones.
@param graph cuda.Graph
@return boolean ok
@return string? reason  if not ok: "topology_changed", "node_type_changed", "parameters_changed" ...; nothing is changed then
@raise LogicError for a graph of another context
= cuda.GraphExec:upload(stream)
cuGraphUpload: does now, in the stream, what the first launch would have to prepare.
@param stream? cuda.Stream  default: the current stream
@return cuda.GraphExec self
@raise LogicError as launch()
= cuda.GraphNode class
A node of a graph. It holds its graph, and names it in calls that add others or change what it does.
@field kind string                   "kernel", "memcpy", "memset", "host", "graph", "empty", "wait_event", "event_record", "conditional"
@field graph cuda.Graph
@field after cuda.GraphNode[]     what it comes after
@field params table                  what it was added with; of a captured one what the driver tells
@field bodies cuda.Graph[]?       of a conditional node
= cuda.GraphNode:handle()
The driver's handle.
@return number  the CUgraphNode as a number, for other libraries
= cuda.HostAllocation class
Page-locked host memory: the base of pagelocked_empty's arrays. Taken wherever device memory is; `#a` is its size in
bytes, `a + bytes` a DevicePointer to what follows.
= cuda.HostAllocation:as_buffer(nbytes, offset)
The memory as a host array of uint8. Nothing is copied.
@param nbytes integer
@param offset? integer  bytes from the start, default 0
@return cuda.ndarray.Array  its base is this memory
@raise LogicError past the end
= cuda.HostAllocation:close()
The same as free().
@raise LogicError if it was already freed
= cuda.HostAllocation:free()
cuMemFreeHost: waits for copies from and to it, and for running kernels. Arrays over it cannot be used any more.
@raise LogicError if it was already freed
= cuda.HostAllocation:get_device_pointer()
cuMemHostGetDevicePointer.
@return cuda.DevicePointer  holds this memory
@raise LogicError if it was freed, or has no address on the device
= cuda.HostAllocation:get_flags()
cuMemHostGetFlags.
@return integer  bits of cuda.host_alloc_flags
@raise LogicError if it was freed
= cuda.HostAllocation:ptr()
The device's address of it.
@return number
@raise LogicError if it was freed
= cuda.IPCMemoryHandle class
Memory of another process: `cuda.IPCMemoryHandle(handle, flags)` opens what mem_get_ipc_handle() gave there. It is
taken wherever device memory is.
@call fun(handle: string, flags?: any): cuda.IPCMemoryHandle  flags: cuda.ipc_mem_flags, default "lazy_enable_peer_access", the only one. Raises a LogicError if handle is not a string of 64 bytes, (201) for a handle of this process, and the driver's error if the memory or its process is gone.
= cuda.IPCMemoryHandle:close()
cuIpcCloseMemHandle. The other process's memory stays.
@raise LogicError if it was already closed
= cuda.IPCMemoryHandle:ptr()
The device address in this process.
@return number
@raise LogicError if it was closed
= cuda.In(buf, nbytes)
Kernel argument: device memory for the time of the call, filled from a host buffer before it. The call raises a
LogicError if the buffer's elements are known not to be those of the parameter.
@param buf any           string, FFI array or struct, {ptr =, nbytes =}, object with :buffer()
@param nbytes? integer   how much of it; default: all
@return cuda.ArgumentHandler
@raise LogicError if it is not a host buffer
= cuda.InOut(buf, nbytes)
Kernel argument: as In and Out together.
@param buf any           FFI array or struct, {ptr =, nbytes =}, object with :buffer()
@param nbytes? integer   how much of it; default: all
@return cuda.ArgumentHandler
@raise LogicError if it is not a host buffer, or a Lua string
= cuda.KernelNode class
What Graph:add_kernel takes; other keys are options of a launch. The kernel may be the first value, without a name.
@field fn cuda.Function?         or the first element of the list
@field args any[]?                  args.n: how many, if there are nils among them
@field grid integer|integer[]?
@field block integer|integer[]?     has to be there for a new node
@field shared integer?
@field after cuda.GraphNode|cuda.GraphNode[]|nil
= cuda.LaunchOptions class
@field block integer|integer[]   threads of a block: up to 3 extents; required
@field grid? integer|integer[]   blocks of the grid; default 1
@field shared? integer           bytes of dynamic shared memory; default 0. More than 48 KiB is asked for by itself
@field stream? cuda.Stream    default: the current stream
@field cooperative? boolean      true: all blocks are on the device at once, and can wait for each other
@field cluster? integer|integer[] blocks of a thread block cluster (compute capability 9.0); the grid is a multiple
@field priority? integer         within Stream.priority_range(): the smaller, the more urgent
@field pdl? boolean              true: may begin before the kernel before it in the stream has ended, and then has to wait by cudaGridDependencySynchronize() (compute capability 9.0)
@field carveout? integer|string  percent of an SM's memory that should be shared memory, or cuda.shared_carveout (the default is what the function's attribute says)
@field time_kernel? boolean      true: waits for the context before and after, and returns the seconds it took; takes no stream
= cuda.ManagedAllocation class
Memory that host and device share: the base of managed_empty's arrays. Taken wherever device memory is.
= cuda.ManagedAllocation:as_buffer(nbytes, offset)
The memory as a host array of uint8. Nothing is copied.
@param nbytes integer
@param offset? integer  bytes from the start, default 0
@return cuda.ndarray.Array  its base is this memory
@raise LogicError past the end
= cuda.ManagedAllocation:attach(flags, stream)
cuStreamAttachMemAsync: what may use it from now on, in the order of a stream. "global": every stream; "host": none,
and the program may touch it while kernels run; "single": kernels of this stream alone.
@param flags integer|string  cuda.mem_attach_flags, or its name
@param stream? cuda.Stream  default: the current one; "single" needs one that is not the default stream
@raise LogicError if it was freed, for other flags, and in a stream that is being captured
= cuda.ManagedAllocation:close()
The same as free().
@raise LogicError if it was already freed
= cuda.ManagedAllocation:free()
cuMemFree: waits for copies from and to it, and for running kernels. Arrays over it cannot be used any more.
@raise LogicError if it was already freed
= cuda.ManagedAllocation:get_device_pointer()
Its address as a view.
@return cuda.DevicePointer  holds this memory
@raise LogicError if it was freed
= cuda.ManagedAllocation:ptr()
Its address, the same for host and device.
@return number
@raise LogicError if it was freed
= cuda.Memcpy2D class
A copy of a rectangle: `local c = cuda.Memcpy2D()`. Fields, all 0 at first: src_x_in_bytes, src_y, src_pitch,
dst_x_in_bytes, dst_y, dst_pitch, width_in_bytes, height; the last two have to be set. A pitch is the bytes from row
to row, 0: rows without gaps; arrays have none. The ends are set by set_src_host(buf), set_src_device(memory),
set_src_array(array), set_src_unified(memory or buffer) and set_dst_...; the copy holds them, and src_host,
src_device ... give them back. `c()` copies, and waits if host memory is involved, `c{aligned = false}` (or
`c(false)`) takes any pitch, `c(stream)` copies in the order of a stream and holds both ends until it is done. Raises
a LogicError for unknown fields, for memory of another context than the current one, and if the rectangle leaves
the memory.
@call fun(): cuda.Memcpy2D
@field src_x_in_bytes integer
@field src_y integer
@field src_pitch integer  bytes from row to row
@field dst_x_in_bytes integer
@field dst_y integer
@field dst_pitch integer  bytes from row to row
@field width_in_bytes integer  has to be set
@field height integer  rows; has to be set
= cuda.Memcpy2D:set_dst_array(array)
The copy writes an array.
@param array cuda.Array
@raise LogicError if it is not an Array
= cuda.Memcpy2D:set_dst_device(memory)
The copy writes device memory.
@param memory cuda.DeviceAllocation|cuda.DevicePointer|integer  or anything else that stands for device memory
@raise LogicError if it is not device memory
= cuda.Memcpy2D:set_dst_host(buf)
The copy writes a host buffer.
@param buf any  as for set_src_host, but no string
@raise LogicError if it is not a host buffer, or cannot be written to
= cuda.Memcpy2D:set_dst_unified(memory)
The copy writes memory whose address says what it is.
@param memory any  as for set_dst_device or set_dst_host
@raise LogicError if it is neither device memory nor a host buffer
= cuda.Memcpy2D:set_src_array(array)
The copy reads an array.
@param array cuda.Array
@raise LogicError if it is not an Array
= cuda.Memcpy2D:set_src_device(memory)
The copy reads device memory.
@param memory cuda.DeviceAllocation|cuda.DevicePointer|integer  or anything else that stands for device memory
@raise LogicError if it is not device memory
= cuda.Memcpy2D:set_src_host(buf)
The copy reads a host buffer.
@param buf any  string, FFI array or struct, host array without gaps, {ptr =, nbytes =}, object with :buffer()
@raise LogicError if it is not a host buffer
= cuda.Memcpy2D:set_src_unified(memory)
The copy reads memory whose address says what it is.
@param memory any  as for set_src_device or set_src_host
@raise LogicError if it is neither device memory nor a host buffer
= cuda.Memcpy3D class
A copy of a box: as Memcpy2D, and src_z, src_height (rows from slice to slice, 0: slices without gaps; not for
arrays), src_lod, dst_z, dst_height, dst_lod, depth (has to be set). `c()` or `c(stream)`.
@call fun(): cuda.Memcpy3D
@field src_x_in_bytes integer
@field src_y integer
@field src_z integer
@field src_lod integer  level of a mipmapped array
@field src_pitch integer  bytes from row to row
@field src_height integer  rows from slice to slice
@field dst_x_in_bytes integer
@field dst_y integer
@field dst_z integer
@field dst_lod integer  level of a mipmapped array
@field dst_pitch integer  bytes from row to row
@field dst_height integer  rows from slice to slice
@field width_in_bytes integer  has to be set
@field height integer  rows; has to be set
@field depth integer  slices; has to be set
= cuda.Memcpy3DPeer class
A copy of a box between two contexts: as Memcpy3D, and set_src_context(ctx), set_dst_context(ctx). One that is not
set is the current one; memory must be of the context of its side.
@call fun(): cuda.Memcpy3DPeer
@field src_x_in_bytes integer
@field src_y integer
@field src_z integer
@field src_lod integer  level of a mipmapped array
@field src_pitch integer  bytes from row to row
@field src_height integer  rows from slice to slice
@field dst_x_in_bytes integer
@field dst_y integer
@field dst_z integer
@field dst_lod integer  level of a mipmapped array
@field dst_pitch integer  bytes from row to row
@field dst_height integer  rows from slice to slice
@field width_in_bytes integer  has to be set
@field height integer  rows; has to be set
@field depth integer  slices; has to be set
= cuda.Memcpy3DPeer:set_dst_context(context)
The context whose memory the copy writes.
@param context cuda.Context
@raise LogicError if it is not a context
= cuda.Memcpy3DPeer:set_src_context(context)
The context whose memory the copy reads.
@param context cuda.Context
@raise LogicError if it is not a context
= cuda.MemcpyNode class
What Graph:add_memcpy takes.
@field dst any
@field src any
@field bytes integer?               default: all of the host buffer, or of what has a size
@field copy cuda.Memcpy2D|cuda.Memcpy3D|nil  in the place of the other three
@field after cuda.GraphNode|cuda.GraphNode[]|nil
= cuda.MemoryPool:export()
cuMemPoolExportToShareableHandle: a descriptor for cuda.import_mempool() in another process, which it reaches through
a socket or by inheritance.
@return integer descriptor  of a file; yours to close
@raise LogicError unless the pool was made with `shareable = true`
= cuda.MemoryPool:export_pointer(memory)
cuMemPoolExportPointer: what import_pointer() of another process takes. The pool has to be shareable.
@param memory cuda.DeviceAllocation  of this pool, in use
@return string data  64 bytes
@raise LogicError for other memory, and for memory of a pool that is not shareable
= cuda.MemoryPool:import_pointer(data)
cuMemPoolImportPointer: memory of the process that exported this pool. Free it before that process does.
@param data string  64 bytes of export_pointer()
@return cuda.DeviceAllocation
@raise LogicError if it is not such data, for memory of another pool, for memory that is imported already and not freed, and for a pool that was not imported
= cuda.MemsetNode class
What Graph:add_memset takes.
@field dst any
@field value integer?               default 0
@field count integer?               elements; default: all
@field bits integer?                of an element: 8 (the default), 16 or 32
@field pitch integer?               of a rectangle, in the place of count: bytes from row to row,
@field width integer?               elements of a row,
@field height integer?              and rows
@field after cuda.GraphNode|cuda.GraphNode[]|nil
= cuda.Out(buf, nbytes)
Kernel argument: device memory for the time of the call, copied to a host buffer after it. What the kernel
leaves unwritten is undefined.
@param buf any           FFI array or struct, {ptr =, nbytes =}, object with :buffer()
@param nbytes? integer   how much of it; default: all
@return cuda.ArgumentHandler
@raise LogicError if it is not a host buffer, or a Lua string
= cuda.PagelockedHostAllocation field
Another name of HostAllocation, PyCUDA's.
= cuda.RegisteredHostMemory class
Memory of the program's that is page-locked: the base of register_host_memory's arrays. Taken wherever device memory
is.
@field base any  what register_host_memory was given
= cuda.RegisteredHostMemory:as_buffer(nbytes, offset)
The memory as a host array of uint8. Nothing is copied.
@param nbytes integer
@param offset? integer  bytes from the start, default 0
@return cuda.ndarray.Array  its base is this memory
@raise LogicError past the end
= cuda.RegisteredHostMemory:close()
The same as unregister().
@raise LogicError if it was already unregistered
= cuda.RegisteredHostMemory:get_device_pointer()
cuMemHostGetDevicePointer.
@return cuda.DevicePointer  holds this memory
@raise LogicError if it was unregistered, or has no address on the device
= cuda.RegisteredHostMemory:ptr()
The device's address of it.
@return number
@raise LogicError if it was unregistered
= cuda.RegisteredHostMemory:unregister()
cuMemHostUnregister: waits for copies from and to it. The array over it cannot be used any more; what it was made of
can.
@raise LogicError if it was already unregistered
= cuda.Scalar class
A scalar with a type of its own, for a kernel whose parameter types are not known.
= cuda.Stream class
A queue of work on the device. Work in one stream runs in order; streams run beside each other. Dropped with work
pending, it ends that work first; this does not wait for it.
@call fun(options?: integer|string|(integer|string)[]|{flags: any, priority: integer}): cuda.Stream  flags of cuda.stream_flags ("non_blocking": does not wait for the legacy stream), or a table of options
@options flags priority
= cuda.Stream.priority_range()
cuCtxGetStreamPriorityRange of the current context: the smaller number is the greater priority. Priorities outside
of the range are taken for its nearer end.
@return integer least     0 on all GPUs so far
@return integer greatest  -5, say
@raise LogicError (201) without a current context
= cuda.Stream:begin_capture(options)
cuStreamBeginCapture: records what is put into this stream from now on, instead of running it. Until end_capture()
it is the current stream. A stream:use() that is around the call puts the stream before back at its end; the capture
goes on. Inside, all is as in capture(): what cannot be recorded raises first, and after an error of another kind the
capture goes on. A capture that is not wanted is ended, too.
@param options? {mode: string|integer}|string|integer  the mode, or a table with it, as for capture()
@return cuda.Stream self
@raise LogicError for the legacy stream and a stream that is being captured
@options mode
= cuda.Stream:capture(fn, options)
cuStreamBeginCapture, cuStreamEndCapture: calls fn(self) with this as the current stream, and records what it puts
in instead of running it. Other streams join by waiting for an event recorded in this one, and have to be joined by
waiting for an event recorded in them. Everything used inside is kept alive by the graph. What cannot be recorded
(waiting, allocating, plain copies, the legacy stream) raises before it breaks the capture.
@param fn fun(stream: cuda.Stream)
@param options? {mode: string|integer, into: cuda.Graph, after: cuda.GraphNode|cuda.GraphNode[]} mode: of cuda.stream_capture_mode: "thread_local" (default); "global": such calls of other threads are errors too; "relaxed": allocating and loading are allowed; into: a graph to add the work to, behind the nodes of it in after
@return cuda.Graph  a new one, or that of option into
@raise what fn raises, with nothing left of the graph; LogicError (901, 904 ...) if the capture was broken or a stream was not joined again
@options after into mode
= cuda.Stream:close()
cuStreamDestroy: gives it back now. Its pending work still runs; the call does not wait for it.
@raise LogicError if it was already closed, and for the default streams
= cuda.Stream:context()
The context it was made in; of the default streams, the current one.
@return cuda.Context
@raise LogicError (201) for a default stream without a current context
= cuda.Stream:end_capture()
cuStreamEndCapture: the current stream is what it was before begin_capture().
@return cuda.Graph  of what was put in; it keeps what its work uses
@raise LogicError if the stream is not being captured, or by Stream:capture(), or if the capture began outside of a Stream:use() that is under way: these change nothing. LogicError (901, 904 ...) if the capture was broken or a stream was not joined again: the capture is over then. LogicError (908) in another thread than the one that began it, unless the mode is "relaxed": it goes on
= cuda.Stream:flags()
What it was made with.
@return integer  cuda.stream_flags: 0, or NON_BLOCKING
@raise LogicError for a closed stream
= cuda.Stream:handle()
The driver's handle.
@return number  the CUstream as a number, for other libraries and cuda.wrap_stream(); 1 and 2: the default streams
= cuda.Stream:is_capturing()
cuStreamIsCapturing: is it being captured, by whomever? A stream that joined the capture of another one is, too.
@return boolean
@return string? status  "invalidated" if the capture was broken and only its end is missing
@raise LogicError for a closed stream
= cuda.Stream:is_done()
cuStreamQuery: has all its work been done? Never waits.
@return boolean
@raise what kernels failed with; LogicError while it is being captured
= cuda.Stream:on_complete(fn)
cuLaunchHostFunc: fn() is called after all work that is in the stream now, by the first of cuda.poll(),
Stream:synchronize() and Event:synchronize() after that; never on the driver's own thread.
@param fn fun()
@return cuda.Stream self
@raise LogicError while the stream is being captured
= cuda.Stream:priority()
cuStreamGetPriority.
@return integer  as clamped to Stream.priority_range()
@raise LogicError for a closed stream; for the legacy stream, while a blocking stream is being captured
= cuda.Stream:synchronize()
cuStreamSynchronize: waits for all work in it. Functions given to on_complete() are called then.
@return cuda.Stream self
@raise what kernels failed with; LogicError while it is being captured
= cuda.Stream:use(fn, ...)
Calls fn(...) with this as the current stream: kernels, copies and all else that is given no stream go into it.
Calls nest; the previous stream becomes current again, also if fn raises. fn cannot yield to a coroutine outside of
it. Before use() returns, it computes the pending array expressions that fn created: those that fn returns, and those
that no other expression uses.
@param fn function
@param ... any  arguments of fn
@return any ...  what fn returns
@raise what fn raises
= cuda.Stream:wait_for_event(event)
cuStreamWaitEvent: work put in from now on waits on the device until the event is passed, as it was last recorded.
The event may be of another device. An event recorded in a stream that is being captured makes this stream join the
capture; to be joined again before the capture ends.
@param event cuda.Event
@return cuda.Stream self
@raise LogicError for a mix of captured and not captured work
= cuda.TRSA_OVERRIDE_FORMAT field
Flag of texture references: the array's format does not count.
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
A host array in plain memory that begins at a multiple of `alignment`, for register_host_memory. Its base is the
AlignedHostAllocation. Needs no driver.
@param shape integer|integer[]  as for pagelocked_empty
@param dtype? any
@param options? {order: "C"|"F", alignment: integer}  alignment: bytes, a power of two, default 4096
@return cuda.ndarray.Array  with undefined elements
@raise MemoryError; LogicError for a bad shape, dtype or option
@options alignment order="C"|"F"
= cuda.aligned_empty_like(other, options)
An aligned array of the shape, dtype and, unless given, order of another host array.
@param other cuda.ndarray.Array
@param options? {order: "C"|"F", alignment: integer}
@return cuda.ndarray.Array  with undefined elements
@raise MemoryError, LogicError as aligned_empty
@options alignment order="C"|"F"
= cuda.aligned_zeros(shape, dtype, options)
As aligned_empty, with zeros (false) as elements.
@param shape integer|integer[]
@param dtype? any
@param options? {order: "C"|"F", alignment: integer}
@return cuda.ndarray.Array
@raise MemoryError, LogicError as aligned_empty
@options alignment order="C"|"F"
= cuda.aligned_zeros_like(other, options)
As aligned_empty_like, with zeros (false) as elements.
@param other cuda.ndarray.Array
@param options? {order: "C"|"F", alignment: integer}
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
The upper half of a binary32.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value overflows
= cuda.bool(value)
One byte, 0 or 1.
@param value number|boolean|ffi.cdata*
@return cuda.Scalar
= cuda.completion_fd()
A file descriptor that is readable while functions given to Stream:on_complete(), or to host nodes of graphs, wait
to be called: for an event loop, which calls cuda.poll() then. Each Lua state has its own. The loop must not read,
write or close it; it is closed with the state. Programs that it starts do not get it. If a kernel fails, the driver
may call no function behind it: give the wait a time limit, and call Stream:is_done() then, which raises the error.
@return integer fd  the same in each call
@raise RuntimeError after a fork, or if the process has no descriptor left
= cuda.compute_mode field
CUcomputemode: which processes may use a device; dev.compute_mode is one. EXCLUSIVE is of old drivers; none gives it
any more.
= cuda.ctx_flags field
CUctx_flags: how a context waits (SCHED_*) and what it provides; for Device:make_context().
= cuda.current_stream()
The stream of whatever is given none: that of the innermost Stream:use(), Stream:capture() or
Stream:begin_capture(), else the legacy stream.
@return cuda.Stream
= cuda.device_attribute field
CUdevice_attribute: for Device:get_attribute().
= cuda.device_error(device)
The device's lasting error: after one, every call on the device fails in this process, which must restart.
@param device? cuda.Device  default: that of the current context
@return integer? code  or nil
@return string? name  "CUDA_ERROR_ILLEGAL_ADDRESS"
@raise LogicError (201) without an argument if no context is current
= cuda.dtype_to_array_format(dtype)
The array format whose elements are of a dtype.
@param dtype any  as for dtype.of
@return integer   of cuda.array_format
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
IEEE binary16.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value overflows
= cuda.float32(value)
IEEE binary32.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value overflows
= cuda.float64(value)
IEEE binary64.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value overflows
= cuda.from_device(src, shape, dtype, order)
A host array with a copy of device memory.
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer
@param shape integer|integer[]
@param dtype any
@param order? "C"|"F"  default "C"
@return cuda.ndarray.Array
@raise LogicError if the memory is smaller than that
= cuda.from_device_like(src, other)
A host array with a copy of device memory, of the shape, dtype and order of another host array.
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer
@param other cuda.ndarray.Array
@return cuda.ndarray.Array
@raise LogicError as from_device
= cuda.func_cache field
CUfunc_cache: for Context:set_cache_config(), and for kernels.
= cuda.function_attribute field
CUfunction_attribute: for Function:get_attribute(). MAX counts the others; no driver takes it.
= cuda.graph(fn, options)
A function that is captured as a graph at its first call with arguments of a kind, and replayed at later calls:
`local step = cuda.graph(function(x, y) ... end)`. Arrays among the arguments are copied to arrays of its own; their
dtypes, shapes and strides and the values of all other arguments tell kinds apart, and the 16 used last are kept.
Each call for a kind returns the same arrays, which the next call overwrites: copy() what you keep. In the first call
fn runs once, and is called a second time to be captured.
@param fn function  returns arrays, or anything that stays what it was in the first call
@param options? {static: boolean}  static: arrays are not copied, and other ones are other arguments: fn may write to them; default false
@return cuda.GraphCall
@raise LogicError for bad options; a call raises what fn raises, and what cannot be captured
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
cuMemPoolImportFromShareableHandle: the pool of another process, from the descriptor that MemoryPool:export() gave
there and that reached this process through a socket or by inheritance. `import_pointer` opens its memory; it
allocates none. The descriptor may be closed afterwards.
@param descriptor integer  a file descriptor of this process
@param device? cuda.Device|integer  default: that of the current context
@return cuda.MemoryPool
@raise LogicError for a descriptor that is not of a pool; (201) without a context
= cuda.initialize_profiler(config_file, output_file, output_mode)
cuProfilerInitialize, of a profiler that is no more: kept for programs that call it.
@param config_file string
@param output_file string
@param output_mode integer|string  cuda.profiler_output_mode: "csv", "key_value_pair"
@raise LogicError (801) with drivers of today: run the program under nsys or ncu instead
= cuda.int16(value)
A 16-bit signed integer.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.int32(value)
A 32-bit signed integer.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.int64(value)
A 64-bit signed integer; beyond 2^53 as cdata, 5LL.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.int8(value)
An 8-bit signed integer.
@param value number|ffi.cdata*
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
= cuda.legacy_stream field
CU_STREAM_LEGACY: the default stream. It waits for all streams but "non_blocking" ones, and they wait for it.
= cuda.limit field
CUlimit: for Context:get_limit() and Context:set_limit().
= cuda.make_multichannel_2d_array(ary, order)
A 2D array of several channels with the elements of a host array of three axes.
@param ary cuda.ndarray.Array|cuda.gpuarray.Array
@param order "C"|"F"  C: shape {height, width, channels}; F: shape {channels, width, height}
@return cuda.Array
@raise LogicError for another rank or dtype, or other than 1, 2 or 4 channels
= cuda.managed_empty(shape, dtype, options)
cuMemAllocManaged: a host array in memory that host and device share; kernels take it as an argument. What a kernel
wrote is there after a synchronisation. On a device whose attribute concurrent_managed_access is 0, touching it while
a kernel runs ends the process, unless it is attached to another stream or to the host (ManagedAllocation:attach).
Its base is the ManagedAllocation.
@param shape integer|integer[]  as for pagelocked_empty
@param dtype? any
@param options? {order: "C"|"F", mem_flags: any}  mem_flags: "global" (default) or "host", whom it is attached to
@return cuda.ndarray.Array  with undefined elements
@raise MemoryError; LogicError for a bad shape, dtype or option, without a current context (201), during a capture, and (801) on a device without managed memory
@options mem_flags order="C"|"F"
= cuda.managed_empty_like(other, options)
A managed array of the shape, dtype and, unless given, order of another host array.
@param other cuda.ndarray.Array
@param options? {order: "C"|"F", mem_flags: any}
@return cuda.ndarray.Array  with undefined elements
@raise MemoryError, LogicError as managed_empty
@options mem_flags order="C"|"F"
= cuda.managed_zeros(shape, dtype, options)
As managed_empty, with zeros (false) as elements.
@param shape integer|integer[]
@param dtype? any
@param options? {order: "C"|"F", mem_flags: any}
@return cuda.ndarray.Array
@raise MemoryError, LogicError as managed_empty
@options mem_flags order="C"|"F"
= cuda.managed_zeros_like(other, options)
As managed_empty_like, with zeros (false) as elements.
@param other cuda.ndarray.Array
@param options? {order: "C"|"F", mem_flags: any}
@return cuda.ndarray.Array
@raise MemoryError, LogicError as managed_empty
@options mem_flags order="C"|"F"
= cuda.matrix_to_array(matrix, order, opts)
A 2D array with the elements of a host array of two axes.
@param matrix cuda.ndarray.Array|cuda.gpuarray.Array
@param order "C"|"F"  C: tex2D(x, y) is matrix[y][x]; F: it is matrix[x][y] (0-based)
@param opts? {allow_double_hack: boolean?}  float64 and complex128 as int32 channels, two for each double
@return cuda.Array
@raise LogicError for another rank or dtype
@options allow_double_hack
= cuda.mem_access_flags field
CUmemAccess_flags: what a device may do with memory of a pool or a virtual range.
= cuda.mem_advise field
CUmem_advise: advice about managed memory.
= cuda.mem_alloc(bytes)
cuMemAlloc: device memory in the current context. Freed by :free(), which waits for kernels that run, or after it was
collected, by the next allocation or synchronisation.
@param bytes integer  at least 1
@return cuda.DeviceAllocation
@raise MemoryError (requested, free, total, live, pooled, queued: bytes) if there is no memory even after a garbage collection; LogicError (201) without a current context, and while a stream is being captured
= cuda.mem_alloc_pitch(width, height, access_size)
cuMemAllocPitch: device memory for `height` rows of `width` bytes, each at an address that suits accesses of
`access_size` bytes.
@param width integer        bytes of a row
@param height integer       rows
@param access_size integer  4, 8 or 16: the largest element that kernels read or write at once
@return cuda.DeviceAllocation
@return integer pitch  bytes from row to row
@raise MemoryError as mem_alloc; LogicError for a size of 0, another access_size, without a current context (201), and during a capture
= cuda.mem_allocation_type field
CUmemAllocationType: kinds of memory that pools and virtual ranges take.
= cuda.mem_attach_flags field
CUmemAttach_flags: which streams may use managed memory.
= cuda.mem_get_address_range(p)
cuMemGetAddressRange: the allocation that an address lies in.
@param p cuda.DeviceAllocation|cuda.DevicePointer|integer
@return integer base
@return integer size  bytes, as they were asked for
@raise LogicError (500) if no allocation holds it
= cuda.mem_get_info()
@return integer free, integer total  bytes on the current device
@raise LogicError (201) without a current context
= cuda.mem_get_ipc_handle(memory)
cuIpcGetMemHandle: lets other processes on this machine use memory of mem_alloc(). They have to be done with it, and
it has to be theirs no more, before it is freed here.
@param memory cuda.DeviceAllocation|cuda.DevicePointer|integer  its start
@return string handle  64 bytes, for IPCMemoryHandle in another process
@raise LogicError for memory of a pool, host and managed memory, and for an address that is not an allocation's start
= cuda.mem_handle_type field
CUmemAllocationHandleType: how memory of pools and virtual ranges is given to other processes.
= cuda.mem_host_register_flags field
CU_MEMHOSTREGISTER_*: for memory of the program's own that is page-locked later.
= cuda.mem_location_type field
CUmemLocationType: where memory is.
= cuda.mem_range_attribute field
CUmem_range_attribute: what the driver knows about a range of managed memory.
= cuda.memcpy_atoa(dest, dest_index, src, src_index, len)
Copies between arrays.
@param dest cuda.Array
@param dest_index integer  byte offset in its first row
@param src cuda.Array
@param src_index integer   byte offset in its first row
@param len integer         bytes
@raise LogicError if it does not fit
= cuda.memcpy_atod(dest, ary, index, len)
Copies from an array into device memory.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param ary cuda.Array
@param index integer  byte offset in its first row
@param len integer    bytes
@raise LogicError if it does not fit
= cuda.memcpy_atoh(dest, ary, index)
Fills a host buffer from an array.
@param dest any       as for memcpy_dtoh
@param ary cuda.Array
@param index integer  byte offset in its first row
@raise LogicError if it does not fit
= cuda.memcpy_dtoa(ary, index, src, len)
Copies device memory into an array.
@param ary cuda.Array
@param index integer  byte offset in its first row
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer
@param len integer    bytes
@raise LogicError if it does not fit
= cuda.memcpy_dtod(dest, src, nbytes)
Copies within device memory. May return before the copy is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer
@param nbytes integer
@raise LogicError if it does not fit.
= cuda.memcpy_dtod_async(dest, src, nbytes, stream)
Copies within device memory in the order of a stream.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer
@param nbytes integer
@param stream? cuda.Stream  default: the current one
@raise LogicError if it does not fit
= cuda.memcpy_dtoh(dest, src, opts)
Copies device memory to the host, after all earlier work of the default and the blocking streams; returns when the
data is there.
@param dest any  FFI array or struct, host array, {ptr =, nbytes =}, object with :buffer()
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer
@param opts? {nbytes: integer}  default: the whole host buffer
@raise LogicError if it does not fit; errors of kernels that ran before show here too.
@options nbytes
= cuda.memcpy_dtoh_async(dest, src, stream, opts)
Copies device memory to the host in the order of a stream. The buffer is kept alive until the copy is done; what it
holds before the stream is synchronised is undefined. For memory that is not page-locked the call itself waits.
@param dest any              as for memcpy_dtoh
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer
@param stream? cuda.Stream  default: the current one
@param opts? {nbytes: integer}
@raise LogicError if it does not fit
@options nbytes
= cuda.memcpy_htoa(ary, index, src)
Copies a host buffer into an array.
@param ary cuda.Array
@param index integer  byte offset in its first row
@param src any        as for memcpy_htod
@raise LogicError if it does not fit
= cuda.memcpy_htod(dest, src, opts)
Copies host memory to the device, after all earlier work of the default and the blocking streams; returns when the
host buffer may be reused.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param src any  string, FFI array or struct, host array, {ptr =, nbytes =}, object with :buffer()
@param opts? {nbytes: integer}  default: the whole host buffer
@raise LogicError if it does not fit.
@options nbytes
= cuda.memcpy_htod_async(dest, src, stream, opts)
Copies host memory to the device in the order of a stream. The buffer is kept alive until the copy is done;
page-locked
memory is read when the copy runs, so it must not be changed before that.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param src any               as for memcpy_htod
@param stream? cuda.Stream  default: the current one
@param opts? {nbytes: integer}
@raise LogicError if it does not fit
@options nbytes
= cuda.memcpy_peer(dest, src, size, opts)
Copies between the memory of two contexts, of one device or two.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer
@param size integer  bytes
@param opts? {dest_context: cuda.Context?, src_context: cuda.Context?, stream: cuda.Stream?}  a context that is not given is the current one; with a stream the copy is asynchronous
@raise LogicError if it does not fit, or memory is of another context
@options dest_context src_context stream
= cuda.memcpy_peer_async(dest, src, size, opts)
The same in the order of a stream: opts.stream, default the current one.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param src cuda.DeviceAllocation|cuda.DevicePointer|integer
@param size integer  bytes
@param opts? {dest_context: cuda.Context?, src_context: cuda.Context?, stream: cuda.Stream?}
@raise LogicError as memcpy_peer
@options dest_context src_context stream
= cuda.memory_type field
CUmemorytype: what an address belongs to; the ends of a copy.
= cuda.mempool_attribute field
CUmemPool_attribute: for memory pools.
= cuda.memset_d16(dest, data, count)
Fills device memory with a 16-bit value. May return before it is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  a multiple of 2
@param data integer   0 to 65535
@param count integer  elements, of two bytes
@raise LogicError if it does not fit, data is out of range or the address is not aligned
= cuda.memset_d16_async(dest, data, count, stream)
As memset_d16, in the order of a stream.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  a multiple of 2
@param data integer   0 to 65535
@param count integer  elements, of two bytes
@param stream? cuda.Stream  default: the current one
@raise LogicError as memset_d16
= cuda.memset_d2d16(dest, pitch, data, width, height)
Fills a rectangle of device memory with a 16-bit value. May return before it is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  a multiple of 2
@param pitch integer   bytes from row to row, a multiple of 2
@param data integer    0 to 65535
@param width integer   elements of a row, of two bytes
@param height integer  rows
@raise LogicError if it does not fit, data is out of range, address or pitch are not aligned
= cuda.memset_d2d16_async(dest, pitch, data, width, height, stream)
As memset_d2d16, in the order of a stream.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  a multiple of 2
@param pitch integer   bytes from row to row, a multiple of 2
@param data integer    0 to 65535
@param width integer   elements of a row, of two bytes
@param height integer  rows
@param stream? cuda.Stream  default: the current one
@raise LogicError as memset_d2d16
= cuda.memset_d2d32(dest, pitch, data, width, height)
Fills a rectangle of device memory with a 32-bit value. May return before it is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  a multiple of 4
@param pitch integer   bytes from row to row, a multiple of 4
@param data integer    0 to 2^32 - 1
@param width integer   elements of a row, of four bytes
@param height integer  rows
@raise LogicError if it does not fit, data is out of range, address or pitch are not aligned
= cuda.memset_d2d32_async(dest, pitch, data, width, height, stream)
As memset_d2d32, in the order of a stream.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  a multiple of 4
@param pitch integer   bytes from row to row, a multiple of 4
@param data integer    0 to 2^32 - 1
@param width integer   elements of a row, of four bytes
@param height integer  rows
@param stream? cuda.Stream  default: the current one
@raise LogicError as memset_d2d32
= cuda.memset_d2d8(dest, pitch, data, width, height)
Fills a rectangle of device memory with a byte. May return before it is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param pitch integer   bytes from row to row
@param data integer    0 to 255
@param width integer   elements of a row, of one byte
@param height integer  rows
@raise LogicError if it does not fit or data is out of range
= cuda.memset_d2d8_async(dest, pitch, data, width, height, stream)
As memset_d2d8, in the order of a stream.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param pitch integer   bytes from row to row
@param data integer    0 to 255
@param width integer   elements of a row, of one byte
@param height integer  rows
@param stream? cuda.Stream  default: the current one
@raise LogicError as memset_d2d8
= cuda.memset_d32(dest, data, count)
Fills device memory with a 32-bit value. May return before it is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  a multiple of 4
@param data integer   0 to 2^32 - 1
@param count integer  elements, of four bytes
@raise LogicError if it does not fit, data is out of range or the address is not aligned
= cuda.memset_d32_async(dest, data, count, stream)
As memset_d32, in the order of a stream.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer  a multiple of 4
@param data integer   0 to 2^32 - 1
@param count integer  elements, of four bytes
@param stream? cuda.Stream  default: the current one
@raise LogicError as memset_d32
= cuda.memset_d8(dest, data, count)
Fills device memory with a byte. May return before it is done.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param data integer   0 to 255
@param count integer  elements, of one byte
@raise LogicError if it does not fit or data is out of range
= cuda.memset_d8_async(dest, data, count, stream)
As memset_d8, in the order of a stream.
@param dest cuda.DeviceAllocation|cuda.DevicePointer|integer
@param data integer   0 to 255
@param count integer  elements, of one byte
@param stream? cuda.Stream  default: the current one
@raise LogicError as memset_d8
= cuda.np_to_array(ary, order, opts)
An array of one, two or three dimensions with the elements of a host array.
@param ary cuda.ndarray.Array|cuda.gpuarray.Array  1 to 3 axes
@param order "C"|"F"              C: the last axis is x; F: the first one
@param opts? {allow_surface_bind: boolean?, allow_double_hack: boolean?}
@return cuda.Array
@raise LogicError for another rank or dtype
@options allow_double_hack allow_surface_bind
= cuda.null field
A null pointer, for the list of arguments in fn{a, cuda.null, b, block = ...}, where nil would end it.
= cuda.occupancy_flags field
CUoccupancy_flags.
= cuda.p2p_attribute field
CUdevice_P2PAttribute: for Device:p2p_attribute().
= cuda.pagelocked_empty(shape, dtype, options)
cuMemHostAlloc: a host array in page-locked memory, which copies from and to at full speed, and which asynchronous
copies read and write while the program goes on. Kernels take it as an argument. Its base is the HostAllocation.
@param shape integer|integer[]  extents; {} for a 0-d array, a number for a 1-D one; may hold zeros
@param dtype? any               as for dtype.of; default: dtype.default_float()
@param options? {order: "C"|"F", mem_flags: any}  mem_flags: cuda.host_alloc_flags, "portable", "devicemap", "writecombined" (slow to read), or a list
@return cuda.ndarray.Array  with undefined elements
@raise MemoryError; LogicError for a bad shape, dtype or option, without a current context (201), during a capture
@options mem_flags order="C"|"F"
= cuda.pagelocked_empty_like(other, options)
A page-locked array of the shape, dtype and, unless given, order of another host array.
@param other cuda.ndarray.Array
@param options? {order: "C"|"F", mem_flags: any}
@return cuda.ndarray.Array  with undefined elements
@raise MemoryError, LogicError as pagelocked_empty
@options mem_flags order="C"|"F"
= cuda.pagelocked_zeros(shape, dtype, options)
As pagelocked_empty, with zeros (false) as elements.
@param shape integer|integer[]
@param dtype? any
@param options? {order: "C"|"F", mem_flags: any}
@return cuda.ndarray.Array
@raise MemoryError, LogicError as pagelocked_empty
@options mem_flags order="C"|"F"
= cuda.pagelocked_zeros_like(other, options)
As pagelocked_empty_like, with zeros (false) as elements.
@param other cuda.ndarray.Array
@param options? {order: "C"|"F", mem_flags: any}
@return cuda.ndarray.Array
@raise MemoryError, LogicError as pagelocked_empty
@options mem_flags order="C"|"F"
= cuda.per_thread_stream field
CU_STREAM_PER_THREAD: each thread's own default stream, which waits for the legacy stream and is waited for by it.
= cuda.pointer(address)
A device address that the caller vouches for: no owner, no bounds.
@param address integer|ffi.cdata*
@return cuda.DevicePointer
= cuda.pointer_attribute field
CUpointer_attribute: what the driver knows about an address.
= cuda.poll()
Calls the functions given to Stream:on_complete() whose time has come, and lets go of buffers that copies have
done with. Waits for nothing.
@return integer  how many functions were called
@raise what they raise; the others are called by the next poll() or synchronize()
= cuda.profiler_output_mode field
CUoutput_mode of cudaProfiler.h. Of interest to old profilers only.
= cuda.register_host_memory(ary, flags)
cuMemHostRegister: page-locks memory that the program has already. What comes back is an array over the same memory
whose base is the RegisteredHostMemory; it stays page-locked until base:unregister(), or until nothing refers to it
and no copy uses it. For so long the value that it was made of is kept; memory behind a bare pointer must stay. At
the end of a program LuaJIT runs the finalizers of ffi.gc() first: unregister such memory before.
@param ary any     host array without gaps, FFI array or struct, {ptr =, nbytes =}, object with :buffer(); no string
@param flags? any  cuda.mem_host_register_flags, "portable", "devicemap", "iomemory", "read_only", or a list
@return cuda.ndarray.Array  of the shape, dtype and order of a host array; of other buffers, their bytes
@raise LogicError (712) if it is page-locked already, (1) if the driver cannot lock it, for an empty or const buffer, a string, and during a capture; MemoryError
= cuda.resource_view_format field
CUresourceViewFormat: what a view of an array reads its texels as.
= cuda.shared_carveout field
CUshared_carveout: values of the function attribute PREFERRED_SHARED_MEMORY_CARVEOUT.
= cuda.shared_config field
CUsharedconfig: for Context:set_shared_config().
= cuda.start_profiler()
cuProfilerStart: Nsight Systems (--capture-range=cudaProfilerApi) and Nsight Compute (--profile-from-start off)
record from here on.
@raise LogicError (201) without a current context
= cuda.stop_profiler()
cuProfilerStop: and until here.
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
Device memory with a copy of a host buffer.
@param buf any  string, FFI array or struct, host array, {ptr =, nbytes =}, object with :buffer()
@return cuda.DeviceAllocation
@raise MemoryError, LogicError if it is not a host buffer or holds nothing
= cuda.uint16(value)
A 16-bit unsigned integer.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.uint32(value)
A 32-bit unsigned integer.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.uint64(value)
A 64-bit unsigned integer; beyond 2^53 as cdata, 5ULL.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.uint8(value)
An 8-bit unsigned integer.
@param value number|ffi.cdata*
@return cuda.Scalar
@raise LogicError if the value is not an integer or is out of range
= cuda.wrap_context(handle)
The Context that stands for a CUcontext which other code in this process made and keeps owning: detach() lets go
of it and destroys nothing. An invalid handle may crash the driver.
@param handle integer|ffi.cdata*  the CUcontext as a number
@return cuda.Context  the same object each time
@raise LogicError for 0, and for the handle of a Context that was detached
= cuda.wrap_stream(handle)
cuStreamGetCtx, cuStreamGetFlags: the Stream that stands for a CUstream of other code in this process, which keeps
owning it: close() lets go of it and destroys nothing. Other code has to keep it alive. An invalid handle may
crash the driver.
@param handle integer|ffi.cdata*  the CUstream as a number; 0 and 1 are the legacy stream, 2 the per-thread one
@return cuda.Stream
@raise LogicError for what cannot be a handle
]==]
