-- CRC-32 as zip archives have it, eight bytes at a step.

local ffi = require "ffi"
local bit = require "bit"
local pace = require "cudalua.base.pace"

local band, bxor, rshift = bit.band, bit.bxor, bit.rshift
local words_t = ffi.typeof "const int32_t *"
local POLYNOMIAL = 0xedb88320
local AT_ONCE = 2 ^ 20 -- bytes between two looks at Ctrl-C

-- tables[k][b]: what the byte b becomes when k more bytes follow.
local tables = {}
for k = 0, 7 do tables[k] = ffi.new "int32_t[256]" end
for b = 0, 255 do
  local c = b
  for _ = 1, 8 do c = bxor(rshift(c, 1), band(c, 1) == 1 and POLYNOMIAL or 0) end
  tables[0][b] = c
end
for k = 1, 7 do
  for b = 0, 255 do
    local c = tables[k - 1][b]
    tables[k][b] = bxor(rshift(c, 8), tables[0][band(c, 255)])
  end
end
local t0, t1, t2, t3, t4, t5, t6, t7 = tables[0], tables[1], tables[2], tables[3], tables[4], tables[5], tables[6],
  tables[7]

---The checksum of bytes, or of what was looked at before and these.
---@param p ffi.cdata*   const uint8_t *
---@param n integer      bytes
---@param before? integer  what the bytes before them gave; default: 0
---@return integer       0 to 2^32 - 1
return function(p, n, before)
  local c = bit.bnot(before or 0)
  local i = 0
  while i + 8 <= n do
    local stop = math.min(n, i + AT_ONCE)
    while i + 8 <= stop do
      local words = ffi.cast(words_t, p + i)
      local a, b = bxor(c, words[0]), words[1]
      c = bxor(bxor(bxor(t7[band(a, 255)], t6[band(rshift(a, 8), 255)]), bxor(t5[band(rshift(a, 16), 255)],
        t4[rshift(a, 24)])), bxor(bxor(t3[band(b, 255)], t2[band(rshift(b, 8), 255)]),
        bxor(t1[band(rshift(b, 16), 255)], t0[rshift(b, 24)])))
      i = i + 8
    end
    pace(stop)
  end
  while i < n do
    c = bxor(rshift(c, 8), t0[band(bxor(c, p[i]), 255)])
    i = i + 1
  end
  return bit.bnot(c) % 2 ^ 32
end
