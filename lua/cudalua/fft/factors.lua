-- How a length is divided: into passes, and these into radices.

local M = {}

---The most elements that a pass over several columns has: four neighbours of float2 fill 32 KiB of shared memory.
M.MOST = 1024

---The most elements that one pass over rows without gaps has.
---@param double boolean
---@return integer
function M.most_of_row(double) return double and 2048 or 4096 end

---The radices of one pass, in the order in which they come.
---@param n integer
---@return integer[]?  nil: it has a prime factor above 7
function M.radices(n)
  local list = {}
  for _, radix in ipairs { 7, 5, 3, 8, 4, 2 } do
    while n % radix == 0 and not (radix == 8 and n == 16) do -- 16 is 4 times 4
      list[#list + 1] = radix
      n = n / radix
    end
  end
  return n == 1 and list or nil
end

-- The divisors that a pass may have, in ascending order.
local function divisors(n)
  local list = {}
  for d = 2, math.min(n, M.MOST) do
    if n % d == 0 then list[#list + 1] = d end
  end
  return list
end

-- n as a product of so many of the divisors, the greatest of which is as small as possible.
local function split(n, count, list)
  if count == 1 then return n <= M.MOST and { n } or nil end
  local best
  for i = #list, 1, -1 do
    local d = list[i]
    if n % d == 0 and d ^ count >= n then -- the greatest one
      local rest = split(n / d, count - 1, list)
      if rest and rest[1] <= d and (not best or d < best[1]) then
        best = rest
        table.insert(best, 1, d)
      end
    end
  end
  return best
end

---The lengths of the passes of a transform, the longest first: as few and as equal as possible.
---@param n integer    from 2, without prime factors above 7
---@param row integer  a single pass may have so many
---@return integer[]?  nil: more than four would be needed
function M.passes(n, row)
  if n <= row then return { n } end
  local list = divisors(n)
  for count = 2, 4 do
    local lengths = split(n, count, list)
    if lengths then return lengths end
  end
end

---The least power of two that Bluestein's algorithm can use.
---@param n integer
---@return integer
function M.padded(n)
  local m = 1
  while m < 2 * n - 1 do m = 2 * m end
  return m
end

return M
