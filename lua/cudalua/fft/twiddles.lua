-- Roots of unity, w(n)^k = cos(2 pi k / n) - i sin(2 pi k / n), computed without the C library's functions, so that
-- they have the same bits everywhere. Angles are brought to the first octant in exact integers; sine and cosine are
-- Taylor series there, in double-double arithmetic: a number is the sum of two doubles, high and low.

local ffi = require "ffi"

local M = {}

-- ---- double-double arithmetic ---------------------------------------------------------------------------------------

local SPLIT = 2 ^ 27 + 1

-- a * b exactly, as two doubles (Dekker).
local function product(a, b)
  local p = a * b
  local ta, tb = SPLIT * a, SPLIT * b
  local ah, bh = ta - (ta - a), tb - (tb - b)
  local al, bl = a - ah, b - bh
  return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl
end

-- The sum of a larger and a smaller double, exactly.
local function quick_sum(a, b)
  local s = a + b
  return s, b - (s - a)
end

local function sum(a, b)
  local s = a + b
  local t = s - a
  return s, (a - (s - t)) + (b - t)
end

local function add(ah, al, bh, bl)
  local s, e = sum(ah, bh)
  local t, f = sum(al, bl)
  s, e = quick_sum(s, e + t)
  return quick_sum(s, e + f)
end

local function multiply(ah, al, bh, bl)
  local p, e = product(ah, bh)
  return quick_sum(p, e + (ah * bl + al * bh))
end

-- a / b of a double-double and a double.
local function divide(ah, al, b)
  local q = ah / b
  local p, e = product(q, b)
  local r, f = sum(ah, -p)
  return quick_sum(q, (r + (f - e + al)) / b)
end

local TAU_HIGH, TAU_LOW = 6.283185307179586, 2.4492935982947064e-16 -- 2 pi, as double-double

-- 1 / k!, for k from 0 to the first term that does not count below pi / 4.
local TERMS = 28
local high, low = { [0] = 1 }, { [0] = 0 }
for k = 1, TERMS do high[k], low[k] = divide(high[k - 1], low[k - 1], k) end

-- x^first / first! - x^(first + 2) / (first + 2)! + ..., for x^2 = q, without the factor x^first.
local function series(first, last, qh, ql)
  local sh, sl = high[last], low[last]
  for k = last - 2, first, -2 do
    sh, sl = multiply(sh, sl, qh, ql)
    sh, sl = add(high[k], low[k], -sh, -sl)
  end
  return sh, sl
end

-- Cosine and sine of 2 pi k / n, from 0 to an eighth of a turn.
local function first_octant(k, n)
  if k == 0 then return 1, 0, 0, 0 end
  local th, tl = divide(k, 0, n)
  th, tl = multiply(TAU_HIGH, TAU_LOW, th, tl)
  local qh, ql = multiply(th, tl, th, tl)
  local ch, cl = series(0, TERMS, qh, ql)
  local sh, sl = series(1, TERMS - 1, qh, ql)
  return ch, cl, multiply(sh, sl, th, tl)
end

-- ---- roots ----------------------------------------------------------------------------------------------------------

---The k-th power of the n-th root of unity, as four doubles.
---@param k integer  0 to n - 1
---@param n integer  below 2^50
---@return number real
---@return number real_low        of the real part: what the first one lacks
---@return number imaginary
---@return number imaginary_low
function M.root(k, n)
  local eighths = 8 * k
  local octant = math.floor(eighths / n)
  -- In units of 1 / (8 n) of a turn: from the beginning of the octant, or, in odd ones, from its end.
  local rest = eighths - octant * n
  local odd = octant % 2 == 1
  if odd then rest = n - rest end
  local ch, cl, sh, sl = first_octant(rest, 8 * n)
  if octant % 4 == 1 or octant % 4 == 2 then ch, cl, sh, sl = sh, sl, ch, cl end
  if octant >= 2 and octant < 6 then ch, cl = -ch, -cl end
  if octant < 4 then sh, sl = -sh, -sl end
  return ch + 0, cl + 0, sh + 0, sl + 0 -- no -0
end

local bits = ffi.new "union { double number; uint64_t bits; }"

---The float that is nearest to a double-double, as a double: rounded once.
---@param h number
---@param l number
---@return number
function M.to_float(h, l)
  if l ~= 0 then -- the last bit of the double says that there is more, so that no tie is seen where there is none
    bits.number = h
    if (l < 0) ~= (h < 0) then bits.bits = bits.bits - 1 end
    if bits.bits % 2 == 0 then bits.bits = bits.bits + 1 end
    h = bits.number
  end
  return tonumber(ffi.new("float[1]", h)[0])
end

---The powers 0 to n - 1 of the n-th root, as pairs of real and imaginary parts.
---@param n integer
---@param double boolean  of doubles, not floats
---@return ffi.cdata* list
---@return integer bytes
function M.list(n, double)
  local list = ffi.new(double and "double[?]" or "float[?]", 2 * n)
  for k = 0, n - 1 do
    local ch, cl, sh, sl = M.root(k, n)
    if not double then ch, sh = M.to_float(ch, cl), M.to_float(sh, sl) end
    list[2 * k], list[2 * k + 1] = ch, sh
  end
  return list, ffi.sizeof(list)
end

---Two tables whose products are the powers of the n-th root: the powers 0 to 2^bits - 1, and behind them the
---multiples of 2^bits. Each has four doubles, the parts with their low parts.
---@param n integer
---@return ffi.cdata* list
---@return integer bytes  of the list
---@return integer shift  half of the bits that an exponent has
function M.tables(n)
  local shift = 0
  while 4 ^ shift < n do shift = shift + 1 end
  local step = 2 ^ shift
  local few, more = math.min(step, n), math.ceil(n / step)
  local list = ffi.new("double[?]", 4 * (step + more))
  for k = 0, few + more - 1 do
    local power = k < few and k or (k - few) * step
    local at = 4 * (k < few and k or step + k - few)
    list[at], list[at + 2], list[at + 1], list[at + 3] = M.root(power, n)
  end
  return list, ffi.sizeof(list), shift
end

return M
