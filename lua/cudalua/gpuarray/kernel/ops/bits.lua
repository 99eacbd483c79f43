-- Operations on the bits of integers; of bool, logic.

-- A shift by the width or more, and by a negative number, moves all bits out.
local function bits(x) return 8 * x.itemsize end
local function left_shift(x)
  if x.itemsize == 8 then return "(unsigned long long)$2 < 64 ? (unsigned long long)$1 << $2 : 0" end
  return ("(unsigned int)$2 < %d ? (unsigned int)$1 << $2 : 0"):format(bits(x))
end
local function right_shift(x)
  local unsigned = x.itemsize == 8 and "unsigned long long" or "unsigned int"
  if x.kind == "uint" then return ("$2 < %d ? $1 >> $2 : 0"):format(bits(x)) end
  return ("$1 >> ((%s)$2 < %d ? $2 : %d)"):format(unsigned, bits(x), bits(x) - 1)
end

return {
  ---Bitwise and of integers and bool.
  { "bitwise_and", 2, "same", code = { bool = "$1 && $2", integer = "$1 & $2" } },
  ---Bitwise or of integers and bool.
  { "bitwise_or", 2, "same", code = { bool = "$1 || $2", integer = "$1 | $2" } },
  ---Bitwise exclusive or of integers and bool.
  { "bitwise_xor", 2, "same", code = { bool = "$1 != $2", integer = "$1 ^ $2" } },
  ---Inverts all bits of integers and bool.
  { "bitwise_not", 1, "same", code = { bool = "!$1", integer = "~$1" } },
  ---Shifts the bits of a left by b places; 0 if b is negative or at least the number of bits.
  { "left_shift", 2, "same", code = { integer = left_shift } },
  ---Shifts the bits of a right by b places. If b is negative or at least the number of bits, all bits are the sign.
  { "right_shift", 2, "same", code = { integer = right_shift } },
}
