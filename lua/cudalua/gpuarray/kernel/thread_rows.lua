-- How much a thread of a kernel does, and blocks of work for arrays of rows: the threads that share a row find it once,
-- and step along it.

local ceil, floor = math.ceil, math.floor

local M = {}

---Threads of a block, in all kernels of arrays.
M.BLOCK = 256
local BLOCK, WARP = M.BLOCK, 32

---Bytes that a thread reads and writes at least: without gaps or element by element, and in packs of rows; and how many
---values it holds at most for that.
M.DENSE_BYTES, M.BYTES, M.VALUES = 32, 48, 64

---So much of the work may be none, at the ends of rows.
M.WASTE = 1.13

---How many packs a thread reads before it uses the first.
---@param pack integer     elements of a pack
---@param largest integer  bytes of an element of the largest array
---@param sum integer      of one element of all arrays together
---@param read integer     arrays that are read
---@param bytes integer    that a thread moves at least
---@return integer
function M.chunks(pack, largest, sum, read, bytes)
  local n = 1
  while n < 16 and (n * pack * sum < bytes or n * pack * largest < 16) do n = 2 * n end
  while n > 1 and n * pack * read > M.VALUES do n = n / 2 end
  return n
end

---@class cudalua.gpuarray.Rows
---@field threads integer  of a row: a power of 2, up to 256
---@field chunks integer   packs of a thread
---@field parts integer    blocks along a row
---@field blocks integer

---@param count integer   rows
---@param packs integer   of a row
---@param chunks integer  packs of a thread, if that suits; or half of it
---@return cudalua.gpuarray.Rows?  nil if rows are too short
function M.choose(count, packs, chunks)
  for _ = 1, chunks > 1 and 2 or 1 do
    local threads = BLOCK
    while threads >= WARP do
      local per_row, rows = threads * chunks, BLOCK / threads
      local parts, blocks = ceil(packs / per_row), ceil(count / rows)
      if parts * per_row <= M.WASTE * packs and rows <= count and parts * blocks < 2 ^ 31 then
        return { threads = threads, chunks = chunks, parts = parts, blocks = parts * blocks }
      end
      threads = threads / 2
    end
    chunks = floor(chunks / 2)
  end
end

return M
