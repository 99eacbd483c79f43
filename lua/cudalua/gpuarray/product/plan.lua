-- How a product is computed: the order of its sums, which is a function of the extents alone, and the tile, which no
-- bit depends on.

local core = require "cudalua.core"

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min

local M = {}

-- Of matrices.
local BLOCKS = 64     -- tiles of 64 x 64; products that have as many are one chunk
local LEAST = 256     -- terms of a chunk, about
local MOST = 32       -- chunks
local MULTIPLE = 32   -- of terms

M.VECTOR_CHUNK = 4096 -- terms, of a matrix and a vector

---The chunks that the terms of each sum are in.
---@param r {m: integer, n: integer, k: integer, batches: integer}
---@return integer terms  of a chunk
---@return integer chunks
function M.chunks(r)
  local k = r.k
  if r.m == 1 or r.n == 1 then return M.VECTOR_CHUNK, max(ceil(k / M.VECTOR_CHUNK), 1) end
  local tiles = ceil(r.m / 64) * ceil(r.n / 64) * r.batches
  if tiles >= BLOCKS or k < 2 * LEAST then return max(k, 1), 1 end
  local wanted = min(MOST, floor(k / LEAST), ceil(BLOCKS / tiles))
  local terms = MULTIPLE * ceil(k / (MULTIPLE * wanted))
  return terms, ceil(k / terms)
end

---For so many multiprocessors tiles are chosen; false: for those of the device. The results do not depend on it.
M.multiprocessors = false

local known = {} -- by context

local function multiprocessors()
  if M.multiprocessors then return M.multiprocessors end
  local id = core.context_id()
  if not known[id] then
    known[id] = core.classes.Context.get_device():get_attribute "multiprocessor_count"
  end
  return known[id]
end
M.multiprocessors_of_context = multiprocessors

-- By bytes of a value: the most results of a thread along a side of its tile.
local largest = { [4] = 8, [8] = 4, [16] = 2 }

---A tile for all products, in place of the chosen one: 1, 2, 4 or 8. For specs.
M.forced = false

---How many results a thread has along each side of a tile of 16 times as many.
---@param r {m: integer, n: integer, batches: integer}
---@param itemsize integer  bytes of a value
---@param chunks integer
---@return integer
function M.tile(r, itemsize, chunks)
  local t = largest[itemsize]
  if M.forced then return min(M.forced, t) end
  local count = multiprocessors()
  while t > 1 do
    local side = 16 * t
    if min(r.m, r.n) > side / 2 and ceil(r.m / side) * ceil(r.n / side) * r.batches * chunks >= count then break end
    t = t / 2
  end
  return t
end

return M
