-- How a product is computed: the order of its sums, which is a function of the extents alone, the tile, which no bit
-- depends on, and whether tensor cores compute it.

local choice = require "cudalua.vendor.choice"
local core = require "cudalua.core"

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min

local M = {}

-- Of matrices.
local BLOCKS = 64     -- tiles of 64 x 64; products that have as many are one chunk
local LEAST = 256     -- terms of a chunk, about
local MOST = 32       -- chunks of sums that are not very long,
local LONG = 2048     -- and terms of a chunk of those that are,
local MANY = 1024     -- as long as tiles and chunks are no more than these
local MULTIPLE = 32   -- of terms

M.VECTOR_CHUNK = 4096 -- terms, of a matrix and a vector

---Is it a product of a matrix and a vector, or a block of one? A block of one row of other products is not.
---@param r cudalua.gpuarray.ProductRecord
---@return boolean
function M.is_vector(r)
  local whole = r.whole or r
  return whole.m == 1 or whole.n == 1
end

---The chunks that the terms of each sum are in.
---@param r {m: integer, n: integer, k: integer, batches: integer, whole: {m: integer, n: integer}?}
---@return integer terms  of a chunk
---@return integer chunks
function M.chunks(r)
  local k, whole = r.k, r.whole or r
  if M.is_vector(r) then return M.VECTOR_CHUNK, max(ceil(k / M.VECTOR_CHUNK), 1) end
  local tiles = ceil(whole.m / 64) * ceil(whole.n / 64) * r.batches
  if tiles >= BLOCKS or k < 2 * LEAST then return max(k, 1), 1 end
  local wanted = min(MOST, floor(k / LEAST), ceil(BLOCKS / tiles))
  wanted = max(wanted, min(ceil(k / LONG), floor(MANY / tiles)))
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

-- ---- tensor cores ---------------------------------------------------------------------------------------------------

local on_tensor_cores = { int8 = true, float16 = true, bfloat16 = true, float32 = true } -- operands
local majors = {} -- of the compute capability, by context

---The major number of the compute capability that decides; false: the device's. For specs.
M.major = false

local function has_tensor_cores()
  if M.major then return M.major >= 8 end
  local id = core.context_id()
  majors[id] = majors[id] or core.classes.Context.get_device():compute_capability()
  return majors[id] >= 8
end

---Do tensor cores compute the product? int8 gives the same bits with them as without, other types do not. The software
---device computes what tensor cores do, but slowly: with "tensor" alone.
---@param r {m: integer, n: integer, k: integer, dtype: cudalua.dtype.DType}
---@return "native"|"emulated"|nil
function M.tensor(r)
  if not on_tensor_cores[r.dtype.name] or M.is_vector(r) or r.k == 0 then return nil end
  local wanted = choice.precision() == "tensor"
  if not wanted and r.dtype.kind ~= "int" then return nil end
  if core.driver_info().soft then return wanted and "emulated" or nil end
  return has_tensor_cores() and "native" or nil
end

---A tile on tensor cores, and the part of it that a warp computes.
---@class cudalua.gpuarray.TensorTile
---@field side integer
---@field high integer
---@field wide integer

M.tensor_tiles = { { side = 64, high = 32, wide = 32 }, { side = 128, high = 64, wide = 64 } }

---A tile for all products on tensor cores, in place of the chosen one: a number of the list above. For specs.
M.forced_tensor = false

---@param r {m: integer, n: integer, batches: integer}
---@param chunks integer
---@return cudalua.gpuarray.TensorTile
function M.tensor_tile(r, chunks)
  if M.forced_tensor then return M.tensor_tiles[M.forced_tensor] end
  local large = M.tensor_tiles[2]
  local tiles = ceil(r.m / large.side) * ceil(r.n / large.side) * r.batches * chunks
  local fits = min(r.m, r.n) > large.side / 2 and tiles >= multiprocessors()
  return fits and large or M.tensor_tiles[1]
end

return M
