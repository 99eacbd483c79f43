-- Whole numbers out of floats, the parts of a float, and what kind of number it is.

-- What does nothing to an integer.
local function whole(name, f, complex, internal)
  return { name, 1, "same", code = { bool = "$1", integer = "$1", float = f .. "@($1)", complex = complex },
    exact = true, internal = internal }
end

local function predicate(name, float, complex, integer)
  return { name, 1, "predicate", code = { bool = integer, integer = integer, float = float, complex = complex },
    exact = true }
end

return {
  math = true,

  whole("round", "rint", "cl_rint($1)", true), -- ties to even; functions.lua has the decimals
  ---Rounds to the nearest integer; halves round to even.
  whole("rint", "rint", "cl_rint($1)"),
  ---Rounds towards 0.
  whole("trunc", "trunc"),
  ---Rounds up.
  whole("ceil", "ceil"),
  ---Rounds down.
  whole("floor", "floor"),
  ---Rounds to the nearest integer; halves round away from 0, as C's round() does.
  whole("round_away", "round"), -- ties away from 0, as C's round
  ---The absolute value, as a float.
  { "fabs", 1, "float", code = { float = "fabs@($1)" }, exact = true },

  -- modf() and frexp() give both of their parts.
  { "modf_fraction", 1, "float", code = { float = "cl_modf_fraction($1)" }, exact = true, internal = true },
  { "modf_integer", 1, "float", code = { float = "trunc@($1)" }, exact = true, internal = true },
  -- x = mantissa * 2^exponent, 0.5 <= |mantissa| < 1; for 0, inf and NaN the mantissa is x, the exponent 0.
  { "frexp_mantissa", 1, "float", code = { float = "cl_frexp_mantissa($1)" }, exact = true,
    internal = true },
  { "frexp_exponent", 1, "exponent", code = { float = "cl_frexp_exponent($1)" }, exact = true,
    internal = true },
  ---a * 2^b. Float exponents are converted to integers by rounding towards 0, as in PyCUDA.
  ---@param a cudalua.gpuarray.Array|number  the numbers to scale
  ---@param b cudalua.gpuarray.Array|integer  the exponents: an array of integers or floats, or an integer
  { "ldexp", 2, "scale", weak = { [2] = "int32" }, code = { float = "cl_ldexp($1, $2)" } },
  ---The base-2 exponent, as a float.
  { "logb", 1, "float", code = { float = "logb@($1)" } },
  ---The base-2 exponent, as int32; the lowest int32 for 0 and NaN, the highest for infinities.
  { "ilogb", 1, "exponent", code = { float = "ilogb@($1)" }, exact = true },

  ---The absolute value of a with the sign of b.
  { "copysign", 2, "float", code = { float = "copysign@($1, $2)" }, exact = true },
  ---The next number of this dtype after a, in the direction of b.
  { "nextafter", 2, "float", code = { float16 = "cl_float16_next($1, $2)", bfloat16 = "cl_bfloat16_next($1, $2)",
    float = "nextafter@($1, $2)" }, exact = true },

  ---Tests for NaN.
  predicate("isnan", "$1 != $1", "$1.x != $1.x || $1.y != $1.y", "cl_false($1)"),
  ---Tests for infinity.
  predicate("isinf", "isinf($1)", "isinf($1.x) || isinf($1.y)", "cl_false($1)"),
  ---Tests whether an element is neither infinite nor NaN.
  predicate("isfinite", "isfinite($1)", "isfinite($1.x) && isfinite($1.y)", "!cl_false($1)"),
  ---Tests whether the sign is negative; true for -0, too.
  { "signbit", 1, "predicate", code = { int = "$1 < 0", uint = "cl_false($1)", bool = "cl_false($1)",
    float = "signbit($1)" }, exact = true },
}
