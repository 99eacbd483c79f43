-- Arithmetic, and its relatives of two and three operands.
--
-- Integers wrap. Signed ones are computed as unsigned: compilers take it that C's signed types do not overflow.
-- Integer division by 0 gives 0, and so do the remainders, as in NumPy. A negative power of an integer is 0, but of 1
-- and -1; NumPy refuses them.

-- mul_add() rounds twice, as * and + do, so that it equals them.
local function short_mul_add(x) return ("cl_%s_round($1 * $2) + $3"):format(x.name) end

return {
  -- Of bool, + is or and * is and; - is not there.
  ---a + b. Integers wrap around; for bool, a or b.
  { "add", 2, "same", code = { bool = "$1 || $2", narrow = "$1 + $2", int = "($u)$1 + ($u)$2", real = "$1 + $2",
    complex = "cl_add($1, $2)" } },
  ---a - b. Integers wrap around; bool is not supported.
  { "sub", 2, "same", no_bool = true, code = { narrow = "$1 - $2", int = "($u)$1 - ($u)$2", uint = "$1 - $2",
    float = "$1 - $2", complex = "cl_sub($1, $2)" } },
  ---a * b. Integers wrap around; for bool, a and b.
  { "mul", 2, "same", sign = "product", code = { bool = "$1 && $2", int8 = "$1 * $2", uint8 = "$1 * $2",
    int16 = "$1 * $2", uint16 = "1u * $1 * $2", int = "($u)$1 * ($u)$2", real = "$1 * $2",
    complex = "cl_mul($1, $2)" } },
  ---a / b, true division: the result for integers is the default float.
  { "div", 2, "float", sign = "product", code = { float = "$1 / $2", complex = "cl_div($1, $2)" } },
  ---The quotient rounded down. Integer division by 0 gives 0.
  { "floordiv", 2, "same", math = true, code = { integer = "cl_floordiv($1, $2)",
    float = "cl_floordiv_real($1, $2)" } },
  ---The remainder of floordiv, with the sign of b: a % b.
  { "mod", 2, "same", math = true, code = { integer = "cl_mod($1, $2)", float = "cl_mod_real($1, $2)" } },
  ---The remainder of a division rounded towards 0, with the sign of a. For integers, the remainder of division by 0 is
  ---0.
  { "fmod", 2, "same", math = true, code = { integer = "cl_fmod($1, $2)", float = "fmod@($1, $2)" }, exact = true },
  ---a^b. Integers wrap around; a negative power of an integer is 0, except for 1 and -1.
  { "pow", 2, "same", math = true, code = { integer = "cl_pow($1, $2)", float = "pow@($1, $2)",
    complex = "cl_cpow($1, $2)" } },

  ---A copy of the elements, unchanged.
  { "pos", 1, "same", no_bool = true, code = { integer = "$1", float = "$1", complex = "$1" }, exact = true },
  ----a. Integers wrap around; bool is not supported.
  { "neg", 1, "same", sign = "neg", no_bool = true, code = { narrow = "-$1", integer = "0u - ($u)$1", float = "-$1",
    complex = "cl_neg($1)" }, exact = { float = true } },
  ---The absolute value. For a complex number, its magnitude as a float. The lowest integer of a signed type stays as it
  ---is; bool is supported.
  { "abs", 1, "part", math = true, code = { bool = "$1", uint = "$1", int8 = "$1 < 0 ? -$1 : $1",
    int16 = "$1 < 0 ? -$1 : $1", int = "$1 < 0 ? 0u - ($u)$1 : ($u)$1", float = "fabs@($1)", complex = "cl_abs($1)" },
    exact = { bool = true, uint = true, float = true } },
  ---The sign: -1, 0 or 1; NaN for NaN. For a complex number, the number of magnitude 1 with the same angle.
  { "sign", 1, "same", math = true, no_bool = true, code = { uint = "$1 != 0", int = "($1 > 0) - ($1 < 0)",
    float = "$1 != $1 ? $1 : ($1 > 0) - ($1 < 0)", complex = "cl_sign($1)" }, exact = { float = true } },
  -- Exponents 2, 3 and -1. The last one of an integer is the default float, as 1 / a is.
  ---a * a.
  { "square", 1, "same", math = true, code = { int8 = "$1 * $1", uint8 = "$1 * $1", int16 = "$1 * $1",
    integer = "($u)$1 * ($u)$1", float = "$1 * $1", complex = "cl_mul($1, $1)" } },
  ---a * a * a.
  { "cube", 1, "same", math = true, code = { int8 = "$1 * $1 * $1", uint8 = "$1 * $1 * $1",
    integer = "($u)$1 * ($u)$1 * ($u)$1", float = "$1 * $1 * $1", complex = "cl_mul(cl_mul($1, $1), $1)" } },
  ---1 / a.
  { "reciprocal", 1, "float", math = true, code = { float = "1.0@ / $1", complex = "cl_reciprocal($1)" } },

  { "mul_add", 3, "same", internal = true, code = { bool = "$1 && $2 || $3", int8 = "$1 * $2 + $3",
    uint8 = "$1 * $2 + $3", integer = "($u)$1 * ($u)$2 + ($u)$3", float16 = short_mul_add, bfloat16 = short_mul_add,
    float = "$1 * $2 + $3", complex = "cl_add(cl_mul($1, $2), $3)" } },
  ---a * b + c, rounded once.
  ---@raise LogicError for complex numbers, or if all are numbers
  { "fma", 3, "float", math = true, code = { float = "fma@($1, $2, $3)" } }, -- rounds once
  ---The greatest common divisor of integers, which is not negative.
  { "gcd", 2, "same", no_bool = true, code = { integer = "cl_gcd($1, $2)" } },
  ---The least common multiple of integers, which is not negative.
  { "lcm", 2, "same", no_bool = true, code = { integer = "cl_lcm($1, $2)" } },
}
