-- Mathematical functions of arrays: those operations of gpuarray that take floats, by their names alone. What PyCUDA
-- calls cumath.

local gpuarray = require "cudalua.gpuarray"
local functions = require("cudalua.gpuarray.functions").functions

---@class cudalua.math
local M = {}

for name in ([[
  abs fabs sign ceil floor trunc rint round round_away fmod floordiv mod ieee_remainder fma fdim hypot rhypot
  sqrt rsqrt cbrt rcbrt square cube reciprocal pow exp exp2 exp10 expm1 log log2 log10 log1p logb ilogb logaddexp
  logaddexp2 sin cos tan sinpi cospi asin acos atan atan2 sinh cosh tanh asinh acosh atanh degrees radians angle
  erf erfc erfcx erfinv erfcinv normcdf normcdfinv lgamma tgamma j0 j1 jn y0 y1 yn cyl_bessel_i0 cyl_bessel_i1
  ldexp copysign nextafter heaviside minimum maximum fmin fmax clip isnan isinf isfinite signbit real imag conj
]]):gmatch "%S+" do
  M[name] = functions[name]
end

---Numbers as mantissa * 2^exponent with 0.5 <= |mantissa| < 1. For 0, infinities and NaN the mantissa is the number,
---and the exponent 0.
---@param a cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array mantissa
---@return cudalua.gpuarray.Array exponent  int32
---@raise LogicError for complex numbers
function M.frexp(a) return gpuarray.frexp_mantissa(a), gpuarray.frexp_exponent(a) end

---Numbers as the sum of two of their sign, the second of them whole.
---@param a cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array fraction  its absolute value is less than 1
---@return cudalua.gpuarray.Array whole
---@raise LogicError for complex numbers
function M.modf(a) return gpuarray.modf_fraction(a), gpuarray.modf_integer(a) end

return M
