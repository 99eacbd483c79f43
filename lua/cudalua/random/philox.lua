-- Philox4x32-10 on the host, for what is better done there: small permutations, keys made of keys.

local bit = require "bit"
local ffi = require "ffi"

local bxor, tobit = bit.bxor, bit.tobit
local floor = math.floor

local M = {}

-- The high and the low word of a product of two numbers below 2^32.
local function product(a, b)
  local high = floor(a / 65536)
  local low = a % 65536
  local upper, lower = high * b, low * b             -- both below 2^48
  local middle = upper % 65536 * 65536 + lower
  return floor(upper / 65536) + floor(middle / 2 ^ 32), middle % 2 ^ 32
end

local function unsigned(x) return x % 2 ^ 32 end

---The four words that belong to a counter of four words and a key of two.
---@param c0 integer  all of them 0 to 2^32 - 1
---@param c1 integer
---@param c2 integer
---@param c3 integer
---@param k0 integer
---@param k1 integer
---@return integer
---@return integer
---@return integer
---@return integer
function M.block(c0, c1, c2, c3, k0, k1)
  for _ = 1, 10 do
    local a_high, a_low = product(c0, 0xd2511f53)
    local b_high, b_low = product(c2, 0xcd9e8d57)
    c0, c1, c2, c3 = unsigned(bxor(bxor(tobit(b_high), tobit(c1)), tobit(k0))), b_low,
      unsigned(bxor(bxor(tobit(a_high), tobit(c3)), tobit(k1))), a_low
    k0, k1 = (k0 + 0x9e3779b9) % 2 ^ 32, (k1 + 0xbb67ae85) % 2 ^ 32
  end
  return c0, c1, c2, c3
end

---A source of words below 2^32: those of the blocks from a counter on.
---@param seed ffi.cdata*  uint64_t
---@param position integer
---@return fun(): integer
function M.words(seed, position)
  local k0, k1 = tonumber(seed % 2 ^ 32), tonumber(seed / 2 ^ 32)
  local words, at = {}, 4
  return function()
    at = at + 1
    if at > 4 then
      words[1], words[2], words[3], words[4] = M.block(position % 2 ^ 32, floor(position / 2 ^ 32), 0, 0, k0, k1)
      position, at = position + 1, 1
    end
    return words[at]
  end
end

local new_box = ffi.typeof "union { uint64_t bits[2]; double parts[2]; }"

local recent, recent_position -- the last state that was made

---A generator's state as kernels take it: see kernels/random/philox.cuh.
---@param seed ffi.cdata*  uint64_t
---@param position integer
---@return ffi.cdata*  complex: the bits of both
function M.state(seed, position)
  local box, value = new_box(), ffi.new "complex[1]"
  box.bits[0], box.bits[1] = seed, position
  ffi.copy(value, box, 16)
  local state = value[0]
  recent, recent_position = state, position
  return state
end

---The state after a number of further blocks.
---@param state ffi.cdata*
---@param blocks integer
---@return ffi.cdata*
function M.later(state, blocks)
  local box, value = new_box(), ffi.new "complex[1]"
  value[0] = state -- as a Lua number, bits of a NaN would be another value
  ffi.copy(box, value, 16)
  return M.state(box.bits[0], tonumber(box.bits[1]) + blocks)
end

---The position in such a state.
---@param state ffi.cdata*
---@return integer
function M.position(state)
  if rawequal(state, recent) then return recent_position end
  local box = new_box()
  box.parts[1] = state.im
  return tonumber(box.bits[1])
end

return M
