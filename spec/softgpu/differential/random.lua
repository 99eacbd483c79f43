-- Pseudo-random numbers that are the same everywhere and for ever: xorshift, 32 bits.
local bit = require "bit"

local Random = {}
Random.__index = Random

---@param seed integer
function Random.new(seed)
  local self = setmetatable({ state = bit.bxor(seed * 2 + 1, 0x2545f491) }, Random)
  for _ = 1, 8 do self:bits() end
  return self
end

---32 random bits, as a number from 0 on.
function Random:bits()
  local x = self.state
  x = bit.bxor(x, bit.lshift(x, 13))
  x = bit.bxor(x, bit.rshift(x, 17))
  x = bit.bxor(x, bit.lshift(x, 5))
  self.state = x
  return x % 2 ^ 32
end

---An integer from low to high.
function Random:int(low, high) return low + math.floor(self:bits() / 2 ^ 32 * (high - low + 1)) end

---A number from 0 to below 1.
function Random:unit() return self:bits() / 2 ^ 32 end

---@return boolean  true with that probability
function Random:chance(p) return self:unit() < p end

function Random:pick(list) return list[self:int(1, #list)] end

return Random
