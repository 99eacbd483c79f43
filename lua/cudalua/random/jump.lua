-- How generators with a state move on by many steps at once: the linear maps that do, and their powers. A map is a list
-- of words in FFI memory, as kernels/random/states.cu takes it.

local bit = require "bit"
local ffi = require "ffi"

local band, bxor, rshift, lshift = bit.band, bit.bxor, bit.rshift, bit.lshift

local M = {}

-- ---- XORWOW: 160 images of 5 words, one for each bit ----------------------------------------------------------------

local xorwow = { words = 800 }

-- The sum of the images of those bits that x has, into y.
local function image(map, x, y)
  local y0, y1, y2, y3, y4 = 0, 0, 0, 0, 0
  for word = 0, 4 do
    local bits = x[word]
    for k = 0, 31 do
      if band(rshift(bits, k), 1) == 1 then
        local at = (word * 32 + k) * 5
        y0, y1, y2 = bxor(y0, map[at]), bxor(y1, map[at + 1]), bxor(y2, map[at + 2])
        y3, y4 = bxor(y3, map[at + 3]), bxor(y4, map[at + 4])
      end
    end
  end
  y[0], y[1], y[2], y[3], y[4] = y0, y1, y2, y3, y4
end

local function new_map() return ffi.new "int32_t[800]" end

-- First b, then a.
function xorwow.product(a, b)
  local map = new_map()
  for k = 0, 159 do image(a, b + 5 * k, map + 5 * k) end
  return map
end

function xorwow.step()
  local map = new_map()
  for k = 0, 159 do
    local s = ffi.new "int32_t[6]"
    s[math.floor(k / 32)] = lshift(1, k % 32)
    local t = bxor(s[0], rshift(s[0], 2))
    local last = bxor(bxor(s[4], lshift(s[4], 4)), bxor(t, lshift(t, 1)))
    for i = 0, 3 do map[5 * k + i] = s[i + 1] end
    map[5 * k + 4] = last
  end
  return map
end

-- ---- MRG32k3a: two matrices of 3 x 3 --------------------------------------------------------------------------------

local mrg32k3a = { words = 18 }
local moduli = { 4294967087ULL, 4294944443ULL }

function mrg32k3a.product(a, b)
  local map = ffi.new "uint32_t[18]"
  for half = 0, 1 do
    local m = moduli[half + 1]
    for i = 0, 2 do
      for j = 0, 2 do
        local sum = 0ULL
        for k = 0, 2 do
          sum = (ffi.cast("uint64_t", a[9 * half + 3 * i + k]) * b[9 * half + 3 * k + j] + sum) % m
        end
        map[9 * half + 3 * i + j] = tonumber(sum)
      end
    end
  end
  return map
end

function mrg32k3a.step()
  return ffi.new("uint32_t[18]", { 0, 1, 0, 0, 0, 1, 4294967087 - 810728, 1403580, 0,
    0, 1, 0, 0, 0, 1, 4294944443 - 1370589, 0, 527612 })
end

-- ---- powers ---------------------------------------------------------------------------------------------------------

local kinds = { XORWOW = xorwow, MRG32k3a = mrg32k3a }
local squares = { XORWOW = {}, MRG32k3a = {} } -- [k]: 2^k steps

---The map of 2^k steps.
---@param kind string
---@param k integer
---@return ffi.cdata*
function M.square(kind, k)
  local list, row = squares[kind], kinds[kind]
  list[0] = list[0] or row.step()
  for i = #list + 1, k do list[i] = row.product(list[i - 1], list[i - 1]) end
  return list[k]
end

---The map of n * 2^k steps, n being at least 1.
---@param kind string
---@param n integer
---@param k integer
---@return ffi.cdata*
function M.power(kind, n, k)
  local map
  while n > 0 do
    if n % 2 == 1 then
      local next = M.square(kind, k)
      map = map and kinds[kind].product(next, map) or next
    end
    n, k = math.floor(n / 2), k + 1
  end
  return map
end

---Words of a map.
---@param kind string
---@return integer
function M.words(kind) return kinds[kind].words end

return M
