-- Type promotion of operations: the dtypes that operands are converted to, and the result's dtype.
--
-- A rule is called with the operation and the operands' dtypes, and gives the result's dtype and then, for each
-- operand, the dtype that it is converted to; nothing where the operation is not defined.

local dtype = require "cudalua.dtype"

local M = {}

local promote = dtype.promote
local bool, int8, int32, int64 = dtype.bool, dtype.int8, dtype.int32, dtype.int64
local real_part = { [dtype.complex64] = dtype.float32, [dtype.complex128] = dtype.float64 }

-- What the type of the values is where integers are taken as floats.
local function floating(t)
  if t.kind == "float" or t.kind == "complex" then return t end
  return dtype.default_float()
end

-- Both operands, or the only one, in the common type; the result, too. Where there is nothing for bool, int8, as NumPy.
function M.same(op, a, b, c)
  local t = a
  if b then t = promote(t, b) end
  if c then t = promote(t, c) end
  if t == bool and not op:has(bool) and op:has(int8) and not op.row.no_bool then t = int8 end
  return t, t, t, t
end

-- As same, with integers as the default float.
function M.float(_, a, b, c)
  local t = a
  if b then t = promote(t, b) end
  if c then t = promote(t, c) end
  t = floating(t)
  return t, t, t, t
end

-- A part of a number: of the same type, real for complex ones.
function M.part(_, a)
  return real_part[a] or a, a
end

-- A part of a float.
function M.float_part(_, a)
  local t = floating(a)
  return real_part[t] or t, t
end

function M.predicate(_, a) return bool, a end

-- Of floats, an integer.
function M.exponent(_, a)
  return int32, floating(a)
end

-- Of two values that are converted to one type, but for a 64-bit integer with the other: no type holds both, and the
-- comparisons are of the values.
function M.compare(_, a, b)
  local t = promote(a, b)
  if a.kind ~= b.kind and t.kind == "float" and a.kind:find "int" and b.kind:find "int" then
    return bool, a.kind == "int" and int64 or a, b.kind == "int" and int64 or b
  end
  return bool, t, t
end

function M.logic() return bool, bool, bool end

-- A condition, and two values in their common type.
function M.select(_, _, b, c)
  local t = promote(b, c)
  return t, bool, t, t
end

function M.select_positive(_, a, b, c)
  if a.kind == "complex" then return nil end
  local t = promote(b, c)
  return t, a, t, t
end

-- A float and an exponent. An integer is taken as int32, or in 64 bits if it may not fit; a float as the integer
-- towards 0, as by PyCUDA.
function M.scale(_, a, b)
  if b.kind == "complex" then return nil end
  local t = floating(a)
  if b.kind == "float" then return t, t, int32 end
  return t, t, b.itemsize < 4 and int32 or b == dtype.uint32 and int64 or b
end

-- Two real numbers, and the complex one that they are the parts of.
function M.parts(_, a, b)
  local t = floating(promote(a, b))
  if t.kind == "complex" then return nil end
  if t == dtype.float64 then return dtype.complex128, t, t end
  return dtype.complex64, dtype.float32, dtype.float32
end

-- An order and a float.
function M.order(_, a, b)
  if a.kind ~= "int" and a.kind ~= "uint" and a.kind ~= "bool" then return nil end
  local t = floating(b)
  return t, int32, t
end

return M
