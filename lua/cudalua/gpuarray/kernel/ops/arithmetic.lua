-- Arithmetic, and its relatives of two and three operands.
--
-- Integers wrap. Signed ones are computed as unsigned: compilers take it that C's signed types do not overflow.
-- Integer division by 0 gives 0, and so do the remainders, as in NumPy. A negative power of an integer is 0, but of 1
-- and -1; NumPy refuses them.

-- mul_add() rounds twice, as * and + do, so that it equals them.
local function short_mul_add(x) return ("cl_%s_round($1 * $2) + $3"):format(x.name) end

return {
  -- Of bool, + is or and * is and; - is not there.
  ---a + b; integers wrap; of bool: or.
  { "add", 2, "same", code = { bool = "$1 || $2", narrow = "$1 + $2", int = "($u)$1 + ($u)$2", real = "$1 + $2",
    complex = "cl_add($1, $2)" } },
  ---a - b; integers wrap; not for bool.
  { "sub", 2, "same", no_bool = true, code = { narrow = "$1 - $2", int = "($u)$1 - ($u)$2", uint = "$1 - $2",
    float = "$1 - $2", complex = "cl_sub($1, $2)" } },
  ---a * b; integers wrap; of bool: and.
  { "mul", 2, "same", code = { bool = "$1 && $2", int8 = "$1 * $2", uint8 = "$1 * $2", int16 = "$1 * $2",
    uint16 = "1u * $1 * $2", int = "($u)$1 * ($u)$2", real = "$1 * $2", complex = "cl_mul($1, $2)" } },
  ---a / b, the true quotient: of integers the default float.
  { "div", 2, "float", code = { float = "$1 / $2", complex = "cl_div($1, $2)" } },
  ---The quotient, rounded down. Of integers by 0 it is 0.
  { "floordiv", 2, "same", math = true, code = { integer = "cl_floordiv($1, $2)",
    float = "cl_floordiv_real($1, $2)" } },
  ---The remainder that goes with floordiv, with the sign of b: a % b.
  { "mod", 2, "same", math = true, code = { integer = "cl_mod($1, $2)", float = "cl_mod_real($1, $2)" } },
  ---The remainder of a division rounded towards 0; it has the sign of a. Of integers by 0 it is 0.
  { "fmod", 2, "same", math = true, code = { integer = "cl_fmod($1, $2)", float = "fmod@($1, $2)" }, exact = true },
  ---a^b. Integers wrap; a negative power of an integer is 0, but of 1 and -1.
  { "pow", 2, "same", math = true, code = { integer = "cl_pow($1, $2)", float = "pow@($1, $2)",
    complex = "cl_cpow($1, $2)" } },

  ---The elements as they are, as a new array.
  { "pos", 1, "same", no_bool = true, code = { integer = "$1", float = "$1", complex = "$1" }, exact = true },
  ---The negative, -a; integers wrap; not for bool.
  { "neg", 1, "same", no_bool = true, code = { narrow = "-$1", integer = "0u - ($u)$1", float = "-$1",
    complex = "cl_neg($1)" }, exact = { float = true } },
  ---The absolute value; of a complex number its length, a float; also of integers, whose lowest number stays as it
  ---is, and of bool.
  { "abs", 1, "part", math = true, code = { bool = "$1", uint = "$1", int8 = "$1 < 0 ? -$1 : $1",
    int16 = "$1 < 0 ? -$1 : $1", int = "$1 < 0 ? 0u - ($u)$1 : ($u)$1", float = "fabs@($1)", complex = "cl_abs($1)" },
    exact = { bool = true, uint = true, float = true } },
  ---The sign: -1, 0 or 1; NaN of NaN; of a complex number the one of length 1 in its direction.
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
  ---The greatest common divisor, which is not negative; of integers.
  { "gcd", 2, "same", no_bool = true, code = { integer = "cl_gcd($1, $2)" } },
  ---The least common multiple, which is not negative; of integers.
  { "lcm", 2, "same", no_bool = true, code = { integer = "cl_lcm($1, $2)" } },
}
