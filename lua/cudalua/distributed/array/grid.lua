-- How the ranks share the product of two matrices: as a grid of R x C ranks, R * C = P. Rank i * C + j computes one
-- block of the result, with complete sums: the rows of the blocks that the ranks of its row i of the grid have, and the
-- columns of the blocks that the ranks of its column j have. It needs these rows of a and these columns of b.

local blocks = require "cudalua.distributed.array.blocks"
local regions = require "cudalua.distributed.array.regions"

local M = {}

---A grid for all products, in place of the chosen one: { R, C }. For specs.
M.forced = false

---A product to be shared: bytes of the matrices, and their divided axes.
---@class cudalua.distributed.SharedProduct
---@field m integer
---@field k integer
---@field n integer
---@field a number         bytes of a
---@field b number         bytes of b
---@field c number         bytes of the result
---@field a_axis? integer  nil: replicated
---@field b_axis? integer
---@field axis integer     of the result

-- The bytes that a rank receives, times P, if blocks are equal. A rank needs C of the P blocks of rows of a:
--   a divided along axis 1: it has one of them         (C - 1) a
--   a divided along axis 2: it has 1/P of each         C (P - 1) / P a
-- and R of the blocks of columns of b:
--   b divided along axis 2:                            (R - 1) b
--   b divided along axis 1:                            R (P - 1) / P b
-- Replicated operands do not move. Of its block of the result
--   along axis 1, the other C - 1 ranks of its row have as much as it has     (C - 1) / C c
--   along axis 2, the other R - 1 ranks of its column have it                 (R - 1) / R c
local function received(p, rows, columns)
  local ranks = rows * columns
  local spread = (ranks - 1) / ranks
  local a = not p.a_axis and 0 or p.a_axis == 1 and columns - 1 or columns * spread
  local b = not p.b_axis and 0 or p.b_axis == 2 and rows - 1 or rows * spread
  local along = p.axis == 1 and columns or rows
  return a * p.a + b * p.b + (along - 1) / along * p.c
end

---The grid for which a rank receives the fewest bytes; of several ones, the one that is closest to a square, since
---ranks hold less of the operands then. All ranks choose the same one.
---@param p cudalua.distributed.SharedProduct
---@param ranks integer
---@return integer rows
---@return integer columns
function M.choose(p, ranks)
  if M.forced then return M.forced[1], M.forced[2] end
  local best, least = nil, math.huge
  for rows = ranks, 1, -1 do
    local columns = ranks / rows
    local bytes = ranks % rows == 0 and received(p, rows, columns) or math.huge
    if bytes < least or bytes == least and best and math.max(rows, columns) < math.max(best, ranks / best) then
      best, least = rows, bytes
    end
  end
  return best, ranks / best
end

local function all(n) return n > 0 and { { 0, n } } or {} end

---The regions that each rank has of a matrix that is divided.
---@param m integer
---@param n integer
---@param axis integer
---@param ranks integer
---@return cudalua.distributed.Region[]
function M.divided(m, n, axis, ranks)
  local bounds, list = blocks.bounds(axis == 1 and m or n, ranks), {}
  for r = 0, ranks - 1 do
    local own = regions.of_blocks(bounds, r, r)
    list[r + 1] = axis == 1 and { own, all(n) } or { all(m), own }
  end
  return list
end

---The regions that the ranks need of both operands, and those of the result that they compute.
---@param p cudalua.distributed.SharedProduct
---@param rows integer
---@param columns integer
---@return cudalua.distributed.Region[] a
---@return cudalua.distributed.Region[] b
---@return cudalua.distributed.Region[] c
function M.regions(p, rows, columns)
  local ranks = rows * columns
  local of_rows, of_columns = blocks.bounds(p.m, ranks), blocks.bounds(p.n, ranks)
  local a, b, c = {}, {}, {}
  for r = 0, ranks - 1 do
    local j = r % columns
    local own_rows = regions.of_blocks(of_rows, r - j, r - j + columns - 1)
    local own_columns = regions.of_blocks(of_columns, j, j + (rows - 1) * columns, columns)
    a[r + 1], b[r + 1], c[r + 1] = { own_rows, all(p.k) }, { all(p.k), own_columns }, { own_rows, own_columns }
  end
  return a, b, c
end

return M
