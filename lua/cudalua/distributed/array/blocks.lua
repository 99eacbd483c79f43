-- Which positions of an axis each rank has: a block of neighbours, whose bounds follow from the extent and the number
-- of ranks.
--
-- Bounds are multiples of a power of two, so that a block consists of few whole subtrees of the reductions' tree
-- (subtrees.lua). Blocks differ by one such unit at most, which is less than 1/64 of a block of 64 or more positions.

local tables = require "cudalua.base.tables"

local M = {}

local floor, min = math.floor, math.min

local UNITS = 64 -- that a block has at least, if it has that many positions

---What all bounds but the last one are multiples of, a power of two. That of more ranks divides that of fewer ones.
---@param n integer     the extent
---@param ranks integer
---@return integer
function M.unit(n, ranks)
  local unit = 1
  while 2 * unit * UNITS * ranks <= n do unit = 2 * unit end
  return unit
end

local known = {} -- ranks -> extent -> bounds
local MOST = 256 -- extents that are known for a number of ranks

---The bounds of all blocks: rank r has the positions from bounds[r + 1] to bounds[r + 2] - 1, counted from 0.
---@param n integer     the extent
---@param ranks integer
---@return integer[] bounds  not to be changed
function M.bounds(n, ranks)
  local by_ranks = tables.memo(known, ranks, MOST)
  if by_ranks[n] then return by_ranks[n] end
  local unit = M.unit(n, ranks)
  local units, bounds = math.ceil(n / unit), {}
  for r = 0, ranks do bounds[r + 1] = min(n, unit * floor(r * units / ranks)) end
  return tables.remember(by_ranks, n, bounds)
end

---The positions of one rank, counted from 0.
---@param n integer
---@param ranks integer
---@param rank integer  from 0
---@return integer first
---@return integer past  one past the last
function M.of(n, ranks, rank)
  local bounds = M.bounds(n, ranks)
  return bounds[rank + 1], bounds[rank + 2]
end

---The most positions that a rank has.
---@param n integer
---@param ranks integer
---@return integer
function M.most(n, ranks)
  local bounds, most = M.bounds(n, ranks), 0
  for r = 1, ranks do most = math.max(most, bounds[r + 1] - bounds[r]) end
  return most
end

return M
