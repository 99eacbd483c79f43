-- Whole numbers out of floats, the parts of a float, and what kind of number it is.

-- What does nothing to an integer.
local function whole(name, f, complex)
  return { name, 1, "same", code = { bool = "$1", integer = "$1", float = f .. "@($1)", complex = complex },
    exact = true }
end

local function predicate(name, float, complex, integer)
  return { name, 1, "predicate", code = { bool = integer, integer = integer, float = float, complex = complex },
    exact = true }
end

return {
  whole("round", "rint", "cl_rint($1)"), -- ties to even
  whole("rint", "rint", "cl_rint($1)"),
  whole("trunc", "trunc"),
  whole("ceil", "ceil"),
  whole("floor", "floor"),
  whole("round_away", "round"), -- ties away from 0, as C's round
  { "fabs", 1, "float", code = { float = "fabs@($1)" }, exact = true },

  { "modf_fraction", 1, "float", code = { float = "cl_modf_fraction($1)" }, exact = true },
  { "modf_integer", 1, "float", code = { float = "trunc@($1)" }, exact = true },
  -- x = mantissa * 2^exponent, 0.5 <= |mantissa| < 1; for 0, inf and NaN the mantissa is x, the exponent 0.
  { "frexp_mantissa", 1, "float", code = { float = "cl_frexp_mantissa($1)" }, exact = true },
  { "frexp_exponent", 1, "exponent", code = { float = "cl_frexp_exponent($1)" }, exact = true },
  { "ldexp", 2, "scale", weak = { [2] = "int32" }, code = { float = "cl_ldexp($1, $2)" } },
  { "logb", 1, "float", code = { float = "logb@($1)" } },
  { "ilogb", 1, "exponent", code = { float = "ilogb@($1)" }, exact = true },

  { "copysign", 2, "float", code = { float = "copysign@($1, $2)" }, exact = true },
  { "nextafter", 2, "float", code = { float16 = "cl_float16_next($1, $2)", bfloat16 = "cl_bfloat16_next($1, $2)",
    float = "nextafter@($1, $2)" }, exact = true },

  predicate("isnan", "$1 != $1", "$1.x != $1.x || $1.y != $1.y", "cl_false($1)"),
  predicate("isinf", "isinf($1)", "isinf($1.x) || isinf($1.y)", "cl_false($1)"),
  predicate("isfinite", "isfinite($1)", "isfinite($1.x) && isfinite($1.y)", "!cl_false($1)"),
  { "signbit", 1, "predicate", code = { int = "$1 < 0", uint = "cl_false($1)", bool = "cl_false($1)",
    float = "signbit($1)" }, exact = true },
}
