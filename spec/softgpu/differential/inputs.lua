-- What the kernels of the corpus read: one buffer of rows, N words each, the same for every kernel. A row holds
-- operands of one kind; the first 1024 lanes of rows 0 and 1 of a kind are every pair of its edge values.
--
--   W 32-bit words   F float   H pairs of halves   B pairs of bfloat16   X 64-bit words   D double
--   S shift counts   M, E float and double from the domains of mathematical functions
local bit, ffi = require "bit", require "ffi"
local Random = require "spec.softgpu.differential.random"

local M = { N = 2048 }
local N = M.N

-- kind -> first row, words of an element, how many operands
M.rows = {
  W = { 0, 1, 4 }, F = { 4, 1, 4 }, H = { 8, 1, 4 }, B = { 12, 1, 4 }, X = { 16, 2, 4 }, D = { 24, 2, 4 },
  S = { 32, 1, 4 }, M = { 36, 1, 2 }, E = { 38, 2, 2 },
}
M.row_count = 42

local edges = {}
edges.W = { 0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x7fffff,
  0x800000, 0xffffff, 0x1000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x12345678 }
-- zeros, subnormal and the smallest normal numbers, ones and their neighbours, halves, the limits of integers, the
-- largest, infinities, quiet and signalling NaN with payloads
edges.F = { 0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x3f800000, 0xbf800000,
  0x3f800001, 0x3f7fffff, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0600000, 0x4b000000, 0x4b7fffff, 0x4effffff,
  0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000001, 0x5f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
  0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345 }
edges.H = { 0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x3800, 0x3e00, 0x4100,
  0xc300, 0x6400, 0x67ff, 0x5bf8, 0x5c00, 0x5bff, 0x7800, 0xf800, 0x7801, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
  0xfe12, 0x7c01, 0xd800 }
edges.B = { 0, 0x8000, 1, 0x8001, 0x7f, 0x807f, 0x80, 0x8080, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x3f00, 0x3fc0, 0x4020,
  0xc060, 0x4300, 0x437f, 0x4380, 0x4700, 0xc700, 0x4780, 0x4f00, 0xcf00, 0x5f00, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
  0x7fc0, 0xffc5, 0x7f81 }
edges.X = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 0, 3 }, { 0, 31 }, { 0, 32 }, { 0, 63 }, { 0, 64 }, { 0, 255 },
  { 0, 65535 }, { 0, 65536 }, { 0, 0xffffff }, { 0, 0x7fffffff }, { 0, 0x80000000 }, { 0, 0xffffffff }, { 1, 0 },
  { 1, 1 }, { 0x1ff, 0xffffffff }, { 0x200000, 0 }, { 0x7fffffff, 0xffffffff }, { 0x80000000, 0 }, { 0x80000000, 1 },
  { 0x7fffffff, 0xfffffffe }, { 0xffffffff, 0xffffffff }, { 0xffffffff, 0xfffffffe }, { 0xffffffff, 0x80000000 },
  { 0xffffffff, 0x7fffffff }, { 0xffffffff, 0xffff8000 }, { 0xfffffffe, 0 }, { 0x12345678, 0x9abcdef0 },
  { 0xfedcba98, 0x76543210 }, { 0x5555aaaa, 0xaaaa5555 } }
edges.D = { { 0, 0 }, { 0x80000000, 0 }, { 0, 1 }, { 0x80000000, 1 }, { 0xfffff, 0xffffffff },
  { 0x800fffff, 0xffffffff }, { 0x100000, 0 }, { 0x80100000, 0 }, { 0x3ff00000, 0 }, { 0xbff00000, 0 },
  { 0x3ff00000, 1 }, { 0x3fefffff, 0xffffffff }, { 0x3fe00000, 0 }, { 0x3ff80000, 0 }, { 0x40040000, 0 },
  { 0xc00c0000, 0 }, { 0x43300000, 1 }, { 0x433fffff, 0xffffffff }, { 0x41dfffff, 0xffc00000 }, { 0x41e00000, 0 },
  { 0xc1e00000, 0x200000 }, { 0x41f00000, 0 }, { 0x43e00000, 0 }, { 0xc3e00000, 1 }, { 0x43f00000, 0 },
  { 0x47efffff, 0xf0000000 }, { 0x7fefffff, 0xffffffff }, { 0x7ff00000, 0 }, { 0xfff00000, 0 }, { 0x7ff80000, 0 },
  { 0xfff81234, 0x56789abc }, { 0x7ff01234, 0x56789abc } }
edges.S = {}
for i = 0, 31 do edges.S[i + 1] = i * 2 + 1 end
for i, value in ipairs { 0, 2, 16, 24, 31, 32, 33, 64, 65, 128, 255, 256, 257, 0x7fffffff, 0x80000000, 0xffffffff } do
  edges.S[2 * i] = value
end
for _, list in pairs(edges) do assert(#list == 32) end

local pun = ffi.new "union { float f; double d; uint32_t w[2]; }"
local function float_bits(x)
  pun.f = x
  return pun.w[0]
end
local function double_bits(x)
  pun.d = x
  return { pun.w[1], pun.w[0] }
end

-- Random elements: of all bits, or numbers of a size at which operations interact.
local some = {}
function some.W(r) return r:chance(0.3) and bit.rshift(r:bits(), r:int(0, 31)) % 2 ^ 32 or r:bits() end
function some.X(r) return { some.W(r), r:bits() } end
function some.S(r) return r:int(0, 70) end
function some.F(r)
  if r:chance(0.4) then return r:bits() end
  return r:int(0, 1) * 2 ^ 31 + r:int(117, 137) * 2 ^ 23 + r:int(0, 2 ^ 23 - 1)
end
function some.D(r)
  if r:chance(0.3) then return { r:bits(), r:bits() } end
  if r:chance(0.3) then return double_bits((r:unit() - 0.5) * 2 ^ r:int(-150, 160)) end -- around the limits of float
  return { r:int(0, 1) * 2 ^ 31 + r:int(1003, 1043) * 2 ^ 20 + r:int(0, 2 ^ 20 - 1), r:bits() }
end
function some.H(r)
  if r:chance(0.4) then return r:int(0, 65535) end
  return r:int(0, 1) * 2 ^ 15 + r:int(10, 20) * 1024 + r:int(0, 1023)
end
function some.B(r)
  if r:chance(0.4) then return r:int(0, 65535) end
  return r:int(0, 1) * 2 ^ 15 + r:int(117, 137) * 128 + r:int(0, 127)
end

-- Arguments of mathematical functions, in turns of 256 lanes so that 256 of them are enough.
local function argument(r, i, edge, from_number)
  local k = i % 256
  if k < 32 then return edge[k + 1] end
  local x
  if k < 48 then x = (k - 40) * math.pi / 4
  elseif k < 128 then x = (r:chance(0.5) and 1 or -1) * (1 + r:unit()) * 2 ^ r:int(-30, 30)
  elseif k < 144 then x = (1 + r:unit()) * 2 ^ r:int(-126, 126)
  elseif k < 192 then x = (r:unit() - 0.5) * 20
  elseif k < 224 then x = (r:unit() - 0.5) * 2
  elseif k < 232 then x = 1 + (r:unit() - 0.5) * 2 ^ -r:int(2, 20)
  elseif k < 240 then x = r:int(-20, 60) / 2
  else x = (r:unit() - 0.5) * 400 end
  return from_number(x)
end

local function pairs_of(kind, row, i)
  if i >= 1024 or row > 1 then return nil end
  return edges[kind][(row == 0 and i % 32 or math.floor(i / 32)) + 1]
end

local function element(r, kind, row, i)
  if kind == "M" or kind == "E" then
    local from = kind == "M" and float_bits or double_bits
    -- A function's second argument meets the first ones in another order.
    return argument(r, row == 0 and i or i * 37 + 11 + math.floor(i / 256), edges[kind == "M" and "F" or "D"], from)
  end
  local value = pairs_of(kind, row, i) or (row >= 2 and r:chance(0.5) and r:pick(edges[kind])) or some[kind](r)
  if kind ~= "H" and kind ~= "B" then return value end
  return value + 65536 * (r:chance(0.5) and r:pick(edges[kind]) or some[kind](r)) -- the other one of a pair
end

-- Where the third operand nearly cancels the product of the others.
local function cancel(words)
  local f, d = ffi.cast("float *", words), ffi.cast("double *", words)
  local F, D = M.rows.F[1] * N, M.rows.D[1] * N / 2
  for i = 1024, N - 1, 3 do
    f[F + 2 * N + i] = -(f[F + i] * f[F + N + i])
    d[D + 2 * N + i] = -(d[D + i] * d[D + N + i])
  end
end

local made

---The buffer: a uint32_t array of M.bytes bytes.
function M.words()
  if made then return made end
  made = ffi.new("uint32_t[?]", M.row_count * N)
  local kinds = {}
  for kind in pairs(M.rows) do kinds[#kinds + 1] = kind end
  table.sort(kinds)
  for _, kind in ipairs(kinds) do
    local first, words, count = unpack(M.rows[kind])
    local r = Random.new(kind:byte())
    for row = 0, count - 1 do
      local at = (first + row * words) * N
      for i = 0, N - 1 do
        local value = element(r, kind, row, i)
        if words == 2 then made[at + 2 * i + 1], made[at + 2 * i] = value[1], value[2]
        else made[at + i] = value end
      end
    end
  end
  cancel(made)
  return made
end
M.bytes = M.row_count * N * 4

---The operand that lane i has, in hexadecimal: M.show("F1", 17)
function M.show(operand, i)
  local kind, row = operand:match "^(%u)(%d)$"
  local first, words = unpack(M.rows[kind])
  local at = (first + row * words) * N + words * i
  local w = M.words()
  if words == 2 then return ("%08x%08x"):format(w[at + 1], w[at]) end
  return ("%08x"):format(w[at])
end

return M
