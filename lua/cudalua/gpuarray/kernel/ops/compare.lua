-- Comparison, logic, minimum and maximum, choice.

local function comparison(name, symbol, complex)
  local plain = ("$1 %s $2"):format(symbol)
  local wide = ("cl_%s($1, $2)"):format(name) -- also of a signed with an unsigned value
  return { name, 2, "compare", exact = true, beyond = "compare",
    code = { int64 = wide, uint64 = wide, real = plain, complex = complex } }
end

-- NaN wins; -0 is less than 0.
local function extremum(name, symbol, logic)
  local integer = ("$1 %s $2 ? $1 : $2"):format(symbol)
  return { name .. "imum", 2, "same", exact = true,
    code = { bool = logic, integer = integer, float32 = ("cl_%s_nan($1, $2)"):format(name),
      float = ("$1 != $1 || $2 != $2 ? $1 + $2 : f%s@($1, $2)"):format(name) } },
    -- NaN only where both are.
    { "f" .. name, 2, "same", exact = true, code = { bool = logic, integer = integer,
      float = ("f%s@($1, $2)"):format(name) } }
end

local minimum, fmin = extremum("min", "<", "$1 && $2")
local maximum, fmax = extremum("max", ">", "$1 || $2")

return {
  comparison("lt", "<"),
  comparison("le", "<="),
  comparison("gt", ">"),
  comparison("ge", ">="),
  comparison("eq", "==", "$1.x == $2.x && $1.y == $2.y"),
  comparison("ne", "!=", "$1.x != $2.x || $1.y != $2.y"),

  { "logical_and", 2, "logic", code = { any = "$1 && $2" }, exact = true },
  { "logical_or", 2, "logic", code = { any = "$1 || $2" }, exact = true },
  { "logical_xor", 2, "logic", code = { any = "$1 != $2" }, exact = true },
  { "logical_not", 1, "logic", code = { any = "!$1" }, exact = true },

  minimum, maximum, fmin, fmax,
  -- The upper bound wins over the lower one; NaN wins over all.
  { "clip", 3, "same", exact = true, beyond = "clip", code = { bool = "($1 || $2) && $3",
    integer = "$3 < ($1 < $2 ? $2 : $1) ? $3 : $1 < $2 ? $2 : $1",
    float = "$1 != $1 || $2 != $2 || $3 != $3 ? $1 + $2 + $3 : fmin@(fmax@($1, $2), $3)" } },

  { "where", 3, "select", values = 2, weak = { "bool" }, code = { any = "$1 ? $2 : $3" }, exact = true },
  { "if_positive", 3, "select_positive", values = 2, weak = { "bool" }, code = { any = "$1 > 0 ? $2 : $3" },
    exact = true },
}
