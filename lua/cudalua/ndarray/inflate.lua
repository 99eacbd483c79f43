-- Unpacks deflate (RFC 1951), the compression of zip archives and PNG files, from memory to memory.

local ffi = require "ffi"
local bit = require "bit"
local layout = require "cudalua.base.layout"
local pace = require "cudalua.base.pace"

local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift
local refuse = layout.refuse

local MAX_BITS = 15 -- of a code
local AT_ONCE = 65536 -- bytes that are unpacked between two looks at Ctrl-C, and some more

-- A code as a table: the next MAX_BITS bits or fewer of the input lead to symbol * 16 + the code's length; 0 if no
-- code begins like that.
local function new_code(bits) return { entries = ffi.new("int32_t[?]", lshift(1, bits)), mask = 0 } end

local idle = false -- tables that no call uses: finalizers may unpack data, too

local function take_tables()
  local t
  t, idle = idle, false
  return t or { literals = new_code(MAX_BITS), distances = new_code(MAX_BITS), lengths_code = new_code(7),
    lengths = ffi.new "uint8_t[320]", count = ffi.new "int32_t[16]", next_code = ffi.new "int32_t[17]" }
end

---Data while it is unpacked.
---@class cudalua.ndarray.Inflation
---@field what string       for messages
---@field input ffi.cdata*  the deflated bytes
---@field size integer      how many
---@field at integer        how many of them were taken
---@field hold integer      bits that were taken and not used yet, the next one lowest
---@field held integer      how many
---@field to ffi.cdata*     where the data goes
---@field limit integer     bytes there is room for
---@field out integer       bytes written
---@field full boolean      there is more data than room
---@field tables table      codes

-- Makes the code of n symbols whose lengths are given.
local function build(s, code, lengths, n)
  local what, count, next_code = s.what, s.tables.count, s.tables.next_code
  ffi.fill(count, ffi.sizeof(count))
  for symbol = 0, n - 1 do count[lengths[symbol]] = count[lengths[symbol]] + 1 end
  count[0] = 0
  local longest, room, used = 0, 1, 0
  next_code[1] = 0
  for bits = 1, MAX_BITS do
    room = room * 2 - count[bits]
    if room < 0 then refuse(what, "the deflated data is damaged: a code has too many symbols") end
    if count[bits] > 0 then longest = bits end
    used = used + count[bits]
    next_code[bits + 1] = (next_code[bits] + count[bits]) * 2
  end
  -- Bits that begin no code are there only where one symbol, or none, is all there is.
  if room > 0 and used > 1 then refuse(what, "the deflated data is damaged: a code has too few symbols") end
  local entries, size = code.entries, lshift(1, longest)
  ffi.fill(entries, 4 * size)
  code.mask = size - 1
  for symbol = 0, n - 1 do
    local bits = lengths[symbol]
    if bits > 0 then
      local x, first = next_code[bits], 0 -- a code's first bit is the lowest one in the input
      next_code[bits] = x + 1
      for _ = 1, bits do
        first = bor(lshift(first, 1), band(x, 1))
        x = rshift(x, 1)
      end
      for at = first, size - 1, lshift(1, bits) do entries[at] = symbol * 16 + bits end
    end
  end
end

-- ---- input --------------------------------------------------------------------------------------------------

-- `hold` has the next `held` bits of the input, the first one lowest. Behind the end come zeros, so that no step has
-- to ask; ended() tells whether any of them was used.

local function fetch(s, n)
  while s.held < n do
    s.hold = bor(s.hold, lshift(s.at < s.size and s.input[s.at] or 0, s.held))
    s.at, s.held = s.at + 1, s.held + 8
  end
end

local function bits(s, n)
  fetch(s, n)
  local x = band(s.hold, lshift(1, n) - 1)
  s.hold, s.held = rshift(s.hold, n), s.held - n
  return x
end

local function decode(s, code)
  fetch(s, MAX_BITS)
  local entry = code.entries[band(s.hold, code.mask)]
  if entry == 0 then refuse(s.what, "the deflated data is damaged: a code is unknown") end
  s.hold, s.held = rshift(s.hold, band(entry, 15)), s.held - band(entry, 15)
  return rshift(entry, 4)
end

local function check_input(s)
  if s.at - rshift(s.held, 3) > s.size then refuse(s.what, "the deflated data is truncated") end
end

-- ---- blocks ---------------------------------------------------------------------------------------------------

local length_base, length_bits, distance_base, distance_bits = ffi.new "int32_t[32]", ffi.new "int32_t[32]",
  ffi.new "int32_t[32]", ffi.new "int32_t[32]" -- 0: there is no such symbol
for symbol = 0, 28 do
  local extra = math.max(math.floor(symbol / 4) - 1, 0)
  length_bits[symbol] = extra
  length_base[symbol] = symbol < 8 and symbol + 3 or (4 + symbol % 4) * 2 ^ extra + 3
end
length_bits[28], length_base[28] = 0, 258
for symbol = 0, 29 do
  local extra = math.max(math.floor(symbol / 2) - 1, 0)
  distance_bits[symbol] = extra
  distance_base[symbol] = symbol < 4 and symbol + 1 or (2 + symbol % 2) * 2 ^ extra + 1
end

-- The symbols of a block, by the codes for literals and distances, until its end or until the output is full: true. Or
-- until some bytes were written: false.
local function symbols(s)
  local what, p, n, to, limit = s.what, s.input, s.size, s.to, s.limit
  local at, hold, held, out = s.at, s.hold, s.held, s.out
  local literals, distances = s.tables.literals, s.tables.distances
  local entries, mask, far_entries, far_mask = literals.entries, literals.mask, distances.entries, distances.mask
  local pause, over = out + AT_ONCE, true
  while true do
    if out >= pause then
      over = false
      break
    end
    while held <= 24 do
      hold = bor(hold, lshift(at < n and p[at] or 0, held))
      at, held = at + 1, held + 8
    end
    local entry = entries[band(hold, mask)]
    local used, symbol = band(entry, 15), rshift(entry, 4)
    hold, held = rshift(hold, used), held - used
    if symbol < 256 then
      if used == 0 then refuse(what, "the deflated data is damaged: a code is unknown") end
      if out == limit then
        s.full = true
        break
      end
      to[out] = symbol
      out = out + 1
    elseif symbol == 256 then
      break
    else
      local extra, length = length_bits[symbol - 257], length_base[symbol - 257]
      length = length > 0 and length + band(hold, lshift(1, extra) - 1) or 0
      hold, held = rshift(hold, extra), held - extra
      while held <= 24 do
        hold = bor(hold, lshift(at < n and p[at] or 0, held))
        at, held = at + 1, held + 8
      end
      entry = far_entries[band(hold, far_mask)]
      used, symbol = band(entry, 15), rshift(entry, 4)
      hold, held = rshift(hold, used), held - used
      while held <= 24 do
        hold = bor(hold, lshift(at < n and p[at] or 0, held))
        at, held = at + 1, held + 8
      end
      extra = distance_bits[symbol]
      local distance = distance_base[symbol] + band(hold, lshift(1, extra) - 1)
      hold, held = rshift(hold, extra), held - extra
      if used == 0 or length == 0 or distance_base[symbol] == 0 then
        refuse(what, "the deflated data is damaged: a code is unknown")
      end
      if distance > out then refuse(what, "the deflated data is damaged: it refers to bytes before its beginning") end
      local stop = math.min(out + length, limit)
      for i = out, stop - 1 do to[i] = to[i - distance] end
      if stop < out + length then s.full = true end
      out = stop
      if s.full then break end
    end
  end
  s.at, s.hold, s.held, s.out = at, hold, held, out
  check_input(s)
  return over
end

local function stored(s)
  s.at = s.at - rshift(s.held, 3) -- whole bytes go back
  s.hold, s.held = 0, 0
  if s.at + 4 > s.size then refuse(s.what, "the deflated data is truncated") end
  local length, check = bits(s, 16), bits(s, 16)
  if length + check ~= 0xffff then refuse(s.what, "the deflated data is damaged: a stored block has no length") end
  if s.at + length > s.size then refuse(s.what, "the deflated data is truncated") end
  local fits = math.min(length, s.limit - s.out)
  ffi.copy(s.to + s.out, s.input + s.at, fits)
  s.out, s.at = s.out + fits, s.at + length
  if fits < length then s.full = true end
end

local function fixed(s)
  local lengths = s.tables.lengths
  for symbol = 0, 287 do
    lengths[symbol] = symbol < 144 and 8 or symbol < 256 and 9 or symbol < 280 and 7 or 8
  end
  build(s, s.tables.literals, lengths, 288)
  for symbol = 0, 31 do lengths[symbol] = 5 end
  build(s, s.tables.distances, lengths, 32)
end

local ORDER = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 }

local function dynamic(s)
  local n_literals, n_distances, n = bits(s, 5) + 257, bits(s, 5) + 1, bits(s, 4) + 4
  if n_literals > 286 or n_distances > 30 then
    refuse(s.what, "the deflated data is damaged: a block has too many codes")
  end
  local lengths, lengths_code = s.tables.lengths, s.tables.lengths_code
  ffi.fill(lengths, ffi.sizeof(lengths))
  for i = 1, n do lengths[ORDER[i]] = bits(s, 3) end
  build(s, lengths_code, lengths, 19)
  local all, i = n_literals + n_distances, 0
  while i < all do
    local symbol = decode(s, lengths_code)
    local value, times = symbol, 1
    if symbol == 16 then
      if i == 0 then refuse(s.what, "the deflated data is damaged: nothing can be repeated") end
      value, times = lengths[i - 1], 3 + bits(s, 2)
    elseif symbol > 16 then
      value, times = 0, symbol == 17 and 3 + bits(s, 3) or 11 + bits(s, 7)
    end
    if i + times > all then refuse(s.what, "the deflated data is damaged: a block has too many codes") end
    for k = i, i + times - 1 do lengths[k] = value end
    i = i + times
  end
  if lengths[256] == 0 then refuse(s.what, "the deflated data is damaged: a block has no end") end
  build(s, s.tables.literals, lengths, n_literals)
  build(s, s.tables.distances, lengths + n_literals, n_distances)
end

---Unpacks deflated data.
---@param what string         for messages
---@param p ffi.cdata*        const uint8_t *, the deflated bytes
---@param n integer           how many
---@param to ffi.cdata*       uint8_t *
---@param limit integer       bytes there is room for
---@param beginning? boolean  true: stop if the buffer is full; else more data than fits is an error
---@return integer out        bytes written
---@return integer used       bytes of the input up to where it stopped
---@raise LogicError for damaged data
return function(what, p, n, to, limit, beginning)
  local s = { what = what, input = p, size = n, at = 0, hold = 0, held = 0, to = to, limit = limit, out = 0,
    full = false, tables = take_tables() }
  repeat
    local last, kind = bits(s, 1), bits(s, 2)
    check_input(s)
    if kind == 0 then
      stored(s)
    elseif kind == 3 then
      refuse(what, "the deflated data is damaged: a block has an unknown type")
    else
      if kind == 1 then fixed(s) else dynamic(s) end
      repeat pace(AT_ONCE) until symbols(s)
    end
    if s.full and not beginning then refuse(what, "the deflated data is longer than it should be") end
  until last == 1 or s.full or beginning and s.out == limit
  idle = s.tables
  return s.out, s.at - rshift(s.held, 3)
end
