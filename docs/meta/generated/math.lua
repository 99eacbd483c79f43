-- Written by ./dev generate from the rows in gpuarray/kernel/ops/ and from core/functions.lua; change these.
---@meta cudalua.math

---Mathematical functions of arrays, element by element. Integers and bool are taken as the default float, where
---a function has floats only; float16 and bfloat16 are computed as float32. These are there for complex
---numbers, too:
---abs acos acosh angle asin asinh atan atanh conj cos cosh cube exp expm1 imag isfinite isinf isnan log log10 log1p
---log2 pow real reciprocal rint round sign sin sinc sinh sqrt square tan tanh.
---@class cudalua.math
local math = {}

---The absolute value. For a complex number, its magnitude as a float. The lowest integer of a signed type stays as it
---is; bool is supported.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.abs(a, options) end

---The inverse of cos.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.acos(a, options) end

---The inverse of cosh.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.acosh(a, options) end

---The angle of a complex number, from -pi to pi; 0 or pi for a real number.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.angle(a, options) end

---The inverse of sin.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.asin(a, options) end

---The inverse of sinh.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.asinh(a, options) end

---The inverse of tan.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.atan(a, options) end

---The angle of the point (b, a), from -pi to pi.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.atan2(a, b, options) end

---The inverse of tanh.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.atanh(a, options) end

---The cube root.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.cbrt(a, options) end

---Rounds up.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.ceil(a, options) end

---minimum(maximum(a, low), high), as NumPy's clip. A bound that is nil does not limit that side.
---@param a cudalua.gpuarray.Array|number  the values to limit
---@param low? cudalua.gpuarray.Array|number  the lower bound
---@param high? cudalua.gpuarray.Array|number  the upper bound
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers, or if all are numbers
function math.clip(a, low, high, options) end

---The complex conjugate; real numbers are unchanged.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.conj(a, options) end

---The absolute value of a with the sign of b.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.copysign(a, b, options) end

---Cosine of an angle in radians.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.cos(a, options) end

---Hyperbolic cosine.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.cosh(a, options) end

---cos(pi * a).
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.cospi(a, options) end

---a * a * a.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.cube(a, options) end

---Modified Bessel function of the first kind, order 0.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.cyl_bessel_i0(a, options) end

---Modified Bessel function of the first kind, order 1.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.cyl_bessel_i1(a, options) end

---Converts radians to degrees.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.degrees(a, options) end

---The error function.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.erf(a, options) end

---1 - erf(a), accurate for large numbers.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.erfc(a, options) end

---The inverse of erfc.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.erfcinv(a, options) end

---exp(a^2) * erfc(a).
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.erfcx(a, options) end

---The inverse of erf.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.erfinv(a, options) end

---e^a.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.exp(a, options) end

---10^a.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.exp10(a, options) end

---2^a.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.exp2(a, options) end

---e^a - 1, accurate near 0.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.expm1(a, options) end

---The absolute value, as a float.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.fabs(a, options) end

---a - b if that is positive, else 0.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.fdim(a, b, options) end

---Rounds down.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.floor(a, options) end

---The quotient rounded down. Integer division by 0 gives 0.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.floordiv(a, b, options) end

---a * b + c, rounded once.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param c cudalua.gpuarray.Array|number  the third operand; as the second one
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers, or if all are numbers
function math.fma(a, b, c, options) end

---The larger of two numbers; if one is NaN, the other one.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.fmax(a, b, options) end

---The smaller of two numbers; if one is NaN, the other one.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.fmin(a, b, options) end

---The remainder of a division rounded towards 0, with the sign of a. For integers, the remainder of division by 0 is
---0.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.fmod(a, b, options) end

---Splits numbers into mantissa * 2^exponent with 0.5 <= |mantissa| < 1. For 0, infinities and NaN the mantissa is the
---number and the exponent is 0.
---@param a cudalua.gpuarray.Array  the numbers
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array mantissa  of a's dtype, or the default float
---@return cudalua.gpuarray.Array exponent  int32
---@raise LogicError for complex numbers
function math.frexp(a, options) end

---0 if a is negative, 1 if it is positive, b if it is 0.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.heaviside(a, b, options) end

---sqrt(a*a + b*b), without intermediate overflow.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.hypot(a, b, options) end

---The remainder of a division rounded to the nearest integer; halves round to even.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.ieee_remainder(a, b, options) end

---The base-2 exponent, as int32; the lowest int32 for 0 and NaN, the highest for infinities.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.ilogb(a, options) end

---The imaginary part; 0 for real numbers.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.imag(a, options) end

---Tests whether an element is neither infinite nor NaN.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.isfinite(a, options) end

---Tests for infinity.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.isinf(a, options) end

---Tests for NaN.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.isnan(a, options) end

---Bessel function of the first kind, order 0.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.j0(a, options) end

---Bessel function of the first kind, order 1.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.j1(a, options) end

---Bessel function of the first kind, order n.
---@param n cudalua.gpuarray.Array|integer  the order, an integer
---@param a cudalua.gpuarray.Array|number  the argument of the function
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.jn(n, a, options) end

---a * 2^b. Float exponents are converted to integers by rounding towards 0, as in PyCUDA.
---@param a cudalua.gpuarray.Array|number  the numbers to scale
---@param b cudalua.gpuarray.Array|integer  the exponents: an array of integers or floats, or an integer
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.ldexp(a, b, options) end

---The logarithm of the absolute value of the gamma function.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.lgamma(a, options) end

---The natural logarithm.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.log(a, options) end

---The base-10 logarithm.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.log10(a, options) end

---log(1 + a), accurate near 0.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.log1p(a, options) end

---The base-2 logarithm.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.log2(a, options) end

---log(exp(a) + exp(b)).
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.logaddexp(a, b, options) end

---log2(2^a + 2^b).
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.logaddexp2(a, b, options) end

---The base-2 exponent, as a float.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.logb(a, options) end

---The larger of two numbers; NaN if one is NaN; -0 is less than 0.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.maximum(a, b, options) end

---The smaller of two numbers; NaN if one is NaN; -0 is less than 0.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.minimum(a, b, options) end

---The remainder of floordiv, with the sign of b: a % b.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.mod(a, b, options) end

---Splits numbers into a fractional and an integral part, both with the sign of the number.
---@param a cudalua.gpuarray.Array  the numbers
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array fraction  with an absolute value less than 1
---@return cudalua.gpuarray.Array whole
---@raise LogicError for complex numbers
function math.modf(a, options) end

---The next number of this dtype after a, in the direction of b.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.nextafter(a, b, options) end

---The cumulative standard normal distribution.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.normcdf(a, options) end

---The inverse of normcdf.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.normcdfinv(a, options) end

---a^b. Integers wrap around; a negative power of an integer is 0, except for 1 and -1.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.pow(a, b, options) end

---Converts degrees to radians.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.radians(a, options) end

---1 / cbrt(a).
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.rcbrt(a, options) end

---The real part.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.real(a, options) end

---1 / a.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.reciprocal(a, options) end

---1 / hypot(a, b).
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.rhypot(a, b, options) end

---Rounds to the nearest integer; halves round to even.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.rint(a, options) end

---Rounds to the given number of decimals, as NumPy's round does; halves round to even. Integers are exact. 16-bit
---floats are computed as float32. A number whose scaled value would overflow is unchanged.
---@param a cudalua.gpuarray.Array  the numbers
---@param decimals? integer  the number of decimals; default: 0; -2 rounds to hundreds. You can omit it: `a:round { out
---  = b }`
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array  of a's dtype
---@raise LogicError if decimals is not an integer
function math.round(a, decimals, options) end

---Rounds to the nearest integer; halves round away from 0, as C's round() does.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.round_away(a, options) end

---1 / sqrt(a).
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.rsqrt(a, options) end

---The sign: -1, 0 or 1; NaN for NaN. For a complex number, the number of magnitude 1 with the same angle.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.sign(a, options) end

---Tests whether the sign is negative; true for -0, too.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.signbit(a, options) end

---Sine of an angle in radians.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.sin(a, options) end

---sin(pi * a) / (pi * a), and 1 at 0, as NumPy's sinc; exactly 0 at the other integers.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.sinc(a, options) end

---Hyperbolic sine.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.sinh(a, options) end

---sin(pi * a).
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.sinpi(a, options) end

---The square root; NaN for a negative real number.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.sqrt(a, options) end

---a * a.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.square(a, options) end

---Tangent of an angle in radians.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.tan(a, options) end

---Hyperbolic tangent.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.tanh(a, options) end

---The gamma function.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.tgamma(a, options) end

---Rounds towards 0.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.trunc(a, options) end

---Bessel function of the second kind, order 0.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.y0(a, options) end

---Bessel function of the second kind, order 1.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function math.y1(a, options) end

---Bessel function of the second kind, order n.
---@param n cudalua.gpuarray.Array|integer  the order, an integer
---@param a cudalua.gpuarray.Array|number  the argument of the function
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function math.yn(n, a, options) end
