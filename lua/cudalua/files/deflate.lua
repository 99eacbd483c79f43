-- Packs bytes as zlib data (RFC 1950, 1951): repeated bytes are found through hash chains, symbols have the fixed code.
-- ndarray/inflate.lua unpacks.

local ffi = require "ffi"
local bit = require "bit"
local pace = require "cudalua.base.pace"

local band, bor, bxor, lshift, rshift = bit.band, bit.bor, bit.bxor, bit.lshift, bit.rshift

local M = {}

---The checksum of zlib data.
---@param p ffi.cdata*  const uint8_t *
---@param n integer     bytes
---@return integer      0 to 2^32 - 1
function M.adler32(p, n)
  local a, b, i = 1, 0, 0
  while i < n do
    local stop = math.min(i + 5552, n) -- so many bytes keep the sums below 2^32
    for k = i, stop - 1 do
      a = a + p[k]
      b = b + a
    end
    pace(stop - i)
    a, b, i = a % 65521, b % 65521, stop
  end
  return b * 65536 + a
end

-- ---- the fixed code -------------------------------------------------------------------------------------------------

-- Codes are sent from their highest bit on, everything else from its lowest.
local function reversed(x, bits)
  local out = 0
  for _ = 1, bits do
    out = bor(lshift(out, 1), band(x, 1))
    x = rshift(x, 1)
  end
  return out
end

local symbol_code, symbol_bits = ffi.new "uint16_t[288]", ffi.new "uint8_t[288]"
for symbol = 0, 287 do
  local code, bits
  if symbol < 144 then
    code, bits = 0x30 + symbol, 8
  elseif symbol < 256 then
    code, bits = 0x190 + symbol - 144, 9
  elseif symbol < 280 then
    code, bits = symbol - 256, 7
  else
    code, bits = 0xc0 + symbol - 280, 8
  end
  symbol_code[symbol], symbol_bits[symbol] = reversed(code, bits), bits
end

-- By length: its symbol, and by symbol the first length and the bits that follow. The same for distances.
local length_symbol = ffi.new "uint16_t[259]"
local length_base, length_extra = ffi.new "uint16_t[288]", ffi.new "uint8_t[288]"
for symbol = 257, 284 do
  local k = symbol - 257
  local extra = math.max(math.floor(k / 4) - 1, 0)
  local base = k < 8 and k + 3 or (4 + k % 4) * 2 ^ extra + 3
  length_base[symbol], length_extra[symbol] = base, extra
  for length = base, base + 2 ^ extra - 1 do length_symbol[length] = symbol end
end
length_symbol[258], length_base[285], length_extra[285] = 285, 258, 0

local distance_base, distance_extra, distance_code = ffi.new "uint16_t[30]", ffi.new "uint8_t[30]",
  ffi.new "uint8_t[30]"
local near, far = ffi.new "uint8_t[257]", ffi.new "uint8_t[256]" -- symbols of distances to 256, and of 128 each
for symbol = 0, 29 do
  local extra = math.max(math.floor(symbol / 2) - 1, 0)
  local base = symbol < 4 and symbol + 1 or (2 + symbol % 2) * 2 ^ extra + 1
  distance_base[symbol], distance_extra[symbol], distance_code[symbol] = base, extra, reversed(symbol, 5)
  for d = base, math.min(base + 2 ^ extra - 1, 256) do near[d] = symbol end
  if base > 256 then
    for block = (base - 1) / 128, (base - 1 + 2 ^ extra) / 128 - 1 do far[block] = symbol end
  end
end

-- ---- packing --------------------------------------------------------------------------------------------------------

local HASH_BITS, WINDOW, PROBES = 15, 32768, 16
local LEAST, MOST = 3, 258 -- bytes of a match
local AT_ONCE = 65536 -- bytes that are packed between two looks at Ctrl-C, and some more

-- The longest repetition that begins at i, among the last positions with the same hash: length, distance.
local function longest(p, n, i, candidate, before)
  local best, distance = 0, 0
  local limit, oldest = math.min(MOST, n - i), i - WINDOW
  for _ = 1, PROBES do
    if candidate < 0 or candidate <= oldest then break end
    if best == 0 or p[candidate + best] == p[i + best] then
      local length = 0
      while length < limit and p[candidate + length] == p[i + length] do length = length + 1 end
      if length > best then
        best, distance = length, i - candidate
        if length == limit then break end
      end
    end
    candidate = before[band(candidate, WINDOW - 1)]
  end
  return best, distance
end

-- All bytes as one block; the number of bytes that it took.
local function block(p, n, to)
  local head, before = ffi.new("int32_t[?]", 2 ^ HASH_BITS), ffi.new("int32_t[?]", WINDOW)
  ffi.fill(head, ffi.sizeof(head), 255) -- -1: nowhere
  local hold, held, out = 3, 3, 0 -- the last block, of the fixed code
  local function put(x, bits)
    hold = bor(hold, lshift(x, held))
    held = held + bits
    while held >= 8 do
      to[out] = band(hold, 255)
      out, hold, held = out + 1, rshift(hold, 8), held - 8
    end
  end
  local function hash(i)
    return band(bxor(lshift(p[i], 10), bxor(lshift(p[i + 1], 5), p[i + 2])), 2 ^ HASH_BITS - 1)
  end
  local i = 0
  local pause = AT_ONCE
  while i < n do
    if i >= pause then
      pace(AT_ONCE)
      pause = i + AT_ONCE
    end
    local length, distance = 0, 0
    if i + LEAST <= n then
      local h = hash(i)
      length, distance = longest(p, n, i, head[h], before)
      before[band(i, WINDOW - 1)], head[h] = head[h], i
    end
    if length < LEAST then
      put(symbol_code[p[i]], symbol_bits[p[i]])
      i = i + 1
    else
      local symbol = length_symbol[length]
      put(symbol_code[symbol], symbol_bits[symbol])
      put(length - length_base[symbol], length_extra[symbol])
      local d = distance <= 256 and near[distance] or far[rshift(distance - 1, 7)]
      put(distance_code[d], 5)
      put(distance - distance_base[d], distance_extra[d])
      for k = i + 1, math.min(i + length, n - LEAST + 1) - 1 do
        local h = hash(k)
        before[band(k, WINDOW - 1)], head[h] = head[h], k
      end
      i = i + length
    end
  end
  put(symbol_code[256], symbol_bits[256])
  if held > 0 then put(0, 8 - held) end
  return out
end

---Packs bytes.
---@param p ffi.cdata*  const uint8_t *
---@param n integer     bytes
---@return string       zlib data
function M.pack(p, n)
  local to = ffi.new("uint8_t[?]", n + math.ceil(n / 8) + 16) -- a byte takes 9 bits at most
  local size = block(p, n, to)
  local sum = M.adler32(p, n)
  return "\120\1" .. ffi.string(to, size) .. string.char(math.floor(sum / 2 ^ 24), math.floor(sum / 2 ^ 16) % 256,
    math.floor(sum / 256) % 256, sum % 256)
end

return M
