-- Comparison, logic, minimum and maximum, choice.

local function comparison(name, symbol, complex)
  local plain = ("$1 %s $2"):format(symbol)
  local wide = ("cl_%s($1, $2)"):format(name) -- also of a signed with an unsigned value
  return { name, 2, "compare", exact = true, beyond = "compare",
    code = { int64 = wide, uint64 = wide, real = plain, complex = complex } }
end

local function integer(symbol) return ("$1 %s $2 ? $1 : $2"):format(symbol) end

-- Minimum and maximum, of which `name` is the part in CUDA's names.
local function extremum(operation, name, symbol, logic)
  return { operation, 2, "same", math = true, exact = true,
    code = { bool = logic, integer = integer(symbol), float32 = ("cl_%s_nan($1, $2)"):format(name),
      float = ("$1 != $1 || $2 != $2 ? $1 + $2 : f%s@($1, $2)"):format(name) } }
end

-- NaN only where both are.
local function number_extremum(operation, symbol, logic)
  return { operation, 2, "same", math = true, exact = true,
    code = { bool = logic, integer = integer(symbol), float = operation .. "@($1, $2)" } }
end

return {
  ---a < b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
  comparison("lt", "<"),
  ---a <= b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
  comparison("le", "<="),
  ---a > b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
  comparison("gt", ">"),
  ---a >= b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
  comparison("ge", ">="),
  ---Tests whether a equals b, as bool. NaN does not equal anything.
  comparison("eq", "==", "$1.x == $2.x && $1.y == $2.y"),
  ---Tests whether a differs from b, as bool. NaN differs from everything.
  comparison("ne", "!=", "$1.x != $2.x || $1.y != $2.y"),

  ---Tests whether both are true, as bool. Every value but 0 is true, NaN too.
  { "logical_and", 2, "logic", code = { any = "$1 && $2" }, exact = true },
  ---Tests whether at least one is true, as bool. Every value but 0 is true, NaN too.
  { "logical_or", 2, "logic", code = { any = "$1 || $2" }, exact = true },
  ---Tests whether exactly one is true, as bool. Every value but 0 is true, NaN too.
  { "logical_xor", 2, "logic", code = { any = "$1 != $2" }, exact = true },
  ---Tests whether an element is false, as bool. Only 0 is false.
  { "logical_not", 1, "logic", code = { any = "!$1" }, exact = true },

  ---The smaller of two numbers; NaN if one is NaN; -0 is less than 0.
  extremum("minimum", "min", "<", "$1 && $2"),
  ---The larger of two numbers; NaN if one is NaN; -0 is less than 0.
  extremum("maximum", "max", ">", "$1 || $2"),
  ---The smaller of two numbers; if one is NaN, the other one.
  number_extremum("fmin", "<", "$1 && $2"),
  ---The larger of two numbers; if one is NaN, the other one.
  number_extremum("fmax", ">", "$1 || $2"),
  -- The upper bound wins over the lower one; NaN wins over all.
  { "clip", 3, "same", math = true, internal = true, exact = true, beyond = "clip", code = { bool = "($1 || $2) && $3",
    integer = "$3 < ($1 < $2 ? $2 : $1) ? $3 : $1 < $2 ? $2 : $1",
    float = "$1 != $1 || $2 != $2 || $3 != $3 ? $1 + $2 + $3 : fmin@(fmax@($1, $2), $3)" } },

  { "where", 3, "select", internal = true, values = 2, weak = { "bool" }, code = { any = "$1 ? $2 : $3" },
    exact = true },
  ---a if the criterion is greater than 0, else b; as in PyCUDA.
  ---@param criterion cudalua.gpuarray.Array|number  an array or a number; it is compared with 0
  ---@param a cudalua.gpuarray.Array|number  the value if the criterion is greater than 0
  ---@param b cudalua.gpuarray.Array|number  the value otherwise
  ---@raise LogicError for a complex criterion, if the shapes do not broadcast, or all are numbers
  { "if_positive", 3, "select_positive", values = 2, weak = { "bool" }, code = { any = "$1 > 0 ? $2 : $3" },
    exact = true },
}
