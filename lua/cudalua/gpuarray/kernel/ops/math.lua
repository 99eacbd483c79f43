-- The functions of CUDA's math library, and a few made of them. Integers are taken as the default float; 16-bit floats
-- are computed as float32.

local PI = "3.141592653589793@"

-- A function of the library of one float; and one that is there for complex numbers, too.
local function real(name, sign) return { name, 1, "float", sign = sign, code = { float = name .. "@($1)" } } end

local function complex(name, sign)
  return { name, 1, "float", sign = sign, code = { float = name .. "@($1)", complex = ("cl_%s($1)"):format(name) } }
end

-- By sinpi() and cospi(), so that it is 0 at integers. As near to 0 as this it is 1 in every type, and the quotient of
-- denormals is not.
local function complex_sinc(make)
  return ("fabs@($1.x) + fabs@($1.y) < 1e-9@ ? %s(1, 0) : cl_div(%s(sinpi@($1.x) * cosh@(%s * $1.y), " ..
    "cospi@($1.x) * sinh@(%s * $1.y)), %s(%s * $1.x, %s * $1.y))"):format(make, make, PI, PI, make, PI, PI)
end

return {
  math = true,

  ---The angle of the point (b, a), from -pi to pi.
  { "atan2", 2, "float", code = { float = "atan2@($1, $2)" } },
  ---sqrt(a*a + b*b), without intermediate overflow.
  { "hypot", 2, "float", code = { float = "hypot@($1, $2)" } },
  ---1 / hypot(a, b).
  { "rhypot", 2, "float", code = { float = "rhypot@($1, $2)" } },
  ---a - b if that is positive, else 0.
  { "fdim", 2, "float", code = { float = "fdim@($1, $2)" } },
  ---The remainder of a division rounded to the nearest integer; halves round to even.
  { "ieee_remainder", 2, "float", code = { float = "remainder@($1, $2)" }, exact = true },
  ---Bessel function of the first kind, order n.
  ---@param n cudalua.gpuarray.Array|integer  the order, an integer
  ---@param a cudalua.gpuarray.Array|number  the argument of the function
  { "jn", 2, "order", values = 2, weak = { "int32" }, code = { float = "jn@($1, $2)" } },
  ---Bessel function of the second kind, order n.
  ---@param n cudalua.gpuarray.Array|integer  the order, an integer
  ---@param a cudalua.gpuarray.Array|number  the argument of the function
  { "yn", 2, "order", values = 2, weak = { "int32" }, code = { float = "yn@($1, $2)" } },
  ---Converts radians to degrees.
  { "degrees", 1, "float", code = { float = "$1 * 57.29577951308232@" } },
  ---Converts degrees to radians.
  { "radians", 1, "float", code = { float = "$1 * 0.017453292519943295@" } },
  ---sin(pi * a) / (pi * a), and 1 at 0, as NumPy's sinc; exactly 0 at the other integers.
  { "sinc", 1, "float", code = { float = ("fabs@($1) < 1e-9@ ? 1 : sinpi@($1) / (%s * $1)"):format(PI),
    complex64 = complex_sinc "make_float2", complex128 = complex_sinc "make_double2" } },
  ---log(exp(a) + exp(b)).
  { "logaddexp", 2, "float", code = { float = "cl_logaddexp($1, $2)" } },
  ---log2(2^a + 2^b).
  { "logaddexp2", 2, "float", code = { float = "cl_logaddexp2($1, $2)" } },
  ---0 if a is negative, 1 if it is positive, b if it is 0.
  { "heaviside", 2, "float", code = { float = "$1 > 0 ? 1 : $1 < 0 ? 0 : $1 == 0 ? $2 : $1" }, exact = true },

  ---The cube root.
  real("cbrt", "odd"),
  ---cos(pi * a).
  real "cospi",
  ---Modified Bessel function of the first kind, order 0.
  real "cyl_bessel_i0",
  ---Modified Bessel function of the first kind, order 1.
  real "cyl_bessel_i1",
  ---The error function.
  real("erf", "odd"),
  ---1 - erf(a), accurate for large numbers.
  real "erfc",
  ---The inverse of erfc.
  real "erfcinv",
  ---exp(a^2) * erfc(a).
  real "erfcx",
  ---The inverse of erf.
  real("erfinv", "odd"),
  ---10^a.
  real "exp10",
  ---2^a.
  real "exp2",
  ---Bessel function of the first kind, order 0.
  real "j0",
  ---Bessel function of the first kind, order 1.
  real "j1",
  ---The logarithm of the absolute value of the gamma function.
  real "lgamma",
  ---The cumulative standard normal distribution.
  real "normcdf",
  ---The inverse of normcdf.
  real "normcdfinv",
  ---1 / cbrt(a).
  real "rcbrt",
  ---1 / sqrt(a).
  real "rsqrt",
  ---sin(pi * a).
  real("sinpi", "odd"),
  ---The gamma function.
  real "tgamma",
  ---Bessel function of the second kind, order 0.
  real "y0",
  ---Bessel function of the second kind, order 1.
  real "y1",
  ---The inverse of cos.
  complex "acos",
  ---The inverse of cosh.
  complex "acosh",
  ---The inverse of sin.
  complex("asin", "odd"),
  ---The inverse of sinh.
  complex("asinh", "odd"),
  ---The inverse of tan.
  complex("atan", "odd"),
  ---The inverse of tanh.
  complex("atanh", "odd"),
  ---Cosine of an angle in radians.
  complex "cos",
  ---Hyperbolic cosine.
  complex "cosh",
  ---e^a.
  complex "exp",
  ---e^a - 1, accurate near 0.
  complex "expm1",
  ---The natural logarithm.
  complex "log",
  ---The base-10 logarithm.
  complex "log10",
  ---log(1 + a), accurate near 0.
  complex "log1p",
  ---The base-2 logarithm.
  complex "log2",
  ---Sine of an angle in radians.
  complex("sin", "odd"),
  ---Hyperbolic sine.
  complex("sinh", "odd"),
  ---The square root; NaN for a negative real number.
  complex "sqrt",
  ---Tangent of an angle in radians.
  complex("tan", "odd"),
  ---Hyperbolic tangent.
  complex("tanh", "odd"),
}
