-- Mathematical functions of arrays: those operations of gpuarray that take floats, by their names alone. What PyCUDA
-- calls cumath.

local functions = require("cudalua.gpuarray.core.functions").functions
local names = require "cudalua.base.names"

---@class cudalua.math
local M = {}

for name in ([[
  abs fabs sign ceil floor trunc rint round round_away fmod floordiv mod ieee_remainder fma fdim hypot rhypot
  sqrt rsqrt cbrt rcbrt square cube reciprocal pow exp exp2 exp10 expm1 log log2 log10 log1p logb ilogb logaddexp
  logaddexp2 sin cos tan sinpi cospi asin acos atan atan2 sinh cosh tanh asinh acosh atanh degrees radians angle
  erf erfc erfcx erfinv erfcinv normcdf normcdfinv lgamma tgamma j0 j1 jn y0 y1 yn cyl_bessel_i0 cyl_bessel_i1
  ldexp copysign nextafter heaviside minimum maximum fmin fmax clip isnan isinf isfinite signbit real imag conj
  frexp modf
]]):gmatch "%S+" do
  M[name] = functions[name]
end

names.strict(M, { text = "math", kind = "module" })

return M
