-- The functions of CUDA's math library, and a few made of them. Integers are taken as the default float; 16-bit floats
-- are computed as float32.

-- The names of the library's functions of one float. The second list has those that are there for complex numbers, too.
local unary = [[
  cbrt cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx erfinv exp10 exp2 j0 j1 lgamma normcdf normcdfinv rcbrt
  rsqrt sinpi tgamma y0 y1
]]
local complex = [[
  acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sin sinh sqrt tan tanh
]]

local rows = {
  { "atan2", 2, "float", code = { float = "atan2@($1, $2)" } },
  { "hypot", 2, "float", code = { float = "hypot@($1, $2)" } },
  { "rhypot", 2, "float", code = { float = "rhypot@($1, $2)" } },
  { "fdim", 2, "float", code = { float = "fdim@($1, $2)" } },
  { "ieee_remainder", 2, "float", code = { float = "remainder@($1, $2)" }, exact = true },
  { "jn", 2, "order", values = 2, weak = { "int32" }, code = { float = "jn@($1, $2)" } },
  { "yn", 2, "order", values = 2, weak = { "int32" }, code = { float = "yn@($1, $2)" } },
  { "degrees", 1, "float", code = { float = "$1 * 57.29577951308232@" } },
  { "radians", 1, "float", code = { float = "$1 * 0.017453292519943295@" } },
  { "logaddexp", 2, "float", code = { float = "cl_logaddexp($1, $2)" } },
  { "logaddexp2", 2, "float", code = { float = "cl_logaddexp2($1, $2)" } },
  { "heaviside", 2, "float", code = { float = "$1 > 0 ? 1 : $1 < 0 ? 0 : $1 == 0 ? $2 : $1" }, exact = true },
}

for name in unary:gmatch "%S+" do rows[#rows + 1] = { name, 1, "float", code = { float = name .. "@($1)" } } end
for name in complex:gmatch "%S+" do
  rows[#rows + 1] = { name, 1, "float", code = { float = name .. "@($1)", complex = ("cl_%s($1)"):format(name) } }
end

return rows
