-- The 16-bit floats, float16 and bfloat16, as bits: LuaJIT's FFI has no type for them. Every conversion rounds
-- once, to nearest with ties to even, from the Lua number itself.

local ffi = require "ffi"
local band, rshift, abs = bit.band, bit.rshift, math.abs

local words = ffi.new "union { double number; int32_t word[2]; }" -- little endian: word[1] has sign and exponent
local NAN = 0 / 0

-- A format of `mantissa` stored bits and `exponent` bits: a function to bits and one from bits.
local function format(mantissa, exponent)
  local bias = 2 ^ (exponent - 1) - 1
  local lowest = 1 - bias -- exponent of the smallest normal number, and of every subnormal one
  local one = 2 ^ mantissa -- a step of the exponent field; the implicit bit
  local infinity = (2 ^ exponent - 1) * one
  local nan = infinity + one / 2

  -- 2 to the power of the last place of a number, by its exponent less `lowest`, and the reverse.
  local ulp, per_ulp = {}, {}
  for i = 0, bias - lowest do
    ulp[i] = 2 ^ (lowest + i - mantissa)
    per_ulp[i] = 1 / ulp[i]
  end

  local function pack(x)
    if x ~= x then return nan end
    words.number = x
    local high = words.word[1]
    local sign = high < 0 and 0x8000 or 0
    local i = rshift(band(high, 0x7fffffff), 20) - 1023 - lowest
    if i > bias - lowest then return sign + infinity end
    if i < 0 then i = 0 end
    -- The scaling is exact, and below 2^52 a sum with 2^52 is rounded to an integer, ties to even. A carry
    -- out of the mantissa goes to the exponent field, from the last exponent to infinity.
    local units = (abs(x) * per_ulp[i] + 2 ^ 52) - 2 ^ 52
    return sign + units + i * one
  end

  local function unpack(bits)
    local magnitude = band(bits, 0x7fff)
    local x
    if magnitude >= infinity then
      if magnitude > infinity then return NAN end
      x = math.huge
    elseif magnitude < one then
      x = magnitude * ulp[0]
    else
      x = (band(magnitude, one - 1) + one) * ulp[rshift(magnitude, mantissa) - 1]
    end
    if band(bits, 0x8000) ~= 0 then return -x end
    return x
  end

  return pack, unpack
end

local M = {}
M.pack_float16, M.unpack_float16 = format(10, 5)
M.pack_bfloat16, M.unpack_bfloat16 = format(7, 8)
return M
