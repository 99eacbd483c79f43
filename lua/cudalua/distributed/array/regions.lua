-- Regions of matrices that ranks have, and others that they want: the elements in some rows and some columns. Each rank
-- sends each other one what that wants of its region, without padding. Positions count from 0, and ranges exclude their
-- end.

local evaluate = require "cudalua.gpuarray.core.evaluate"
local gpuarray = require "cudalua.gpuarray"
local pairwise = require "cudalua.distributed.array.pairwise"
local pieces = require "cudalua.distributed.array.pieces"

local cut, joined, max, min = pieces.cut, pieces.joined, math.max, math.min

local M = {}

---Positions of an axis: ranges in ascending order. No range is empty. An array of a region has them side by side.
---@alias cudalua.distributed.Ranges integer[][]

---@class cudalua.distributed.Region
---@field [1] cudalua.distributed.Ranges  rows
---@field [2] cudalua.distributed.Ranges  columns

---A range that is both in one list and in the other.
---@class cudalua.distributed.Overlap
---@field at integer      its place in an array of the one
---@field to integer      its place in an array of the other
---@field count integer   of positions

---The ranges of some blocks of an axis, those of neighbours as one.
---@param bounds integer[]  of all blocks
---@param first integer     the first block, from 0
---@param last integer
---@param step? integer     from a block to the next; default 1
---@return cudalua.distributed.Ranges
function M.of_blocks(bounds, first, last, step)
  local list = {}
  for r = first, last, step or 1 do
    local a, b, before = bounds[r + 1], bounds[r + 2], list[#list]
    if before and before[2] == a then
      before[2] = b
    elseif a < b then
      list[#list + 1] = { a, b }
    end
  end
  return list
end

local function length(ranges)
  local n = 0
  for _, range in ipairs(ranges) do n = n + range[2] - range[1] end
  return n
end

local function overlaps(a, b)
  local list, i, j, before_a, before_b = {}, 1, 1, 0, 0
  while a[i] and b[j] do
    local first, past = max(a[i][1], b[j][1]), min(a[i][2], b[j][2])
    if first < past then
      list[#list + 1] = { at = before_a + first - a[i][1], to = before_b + first - b[j][1], count = past - first }
    end
    if a[i][2] < b[j][2] then
      before_a, i = before_a + a[i][2] - a[i][1], i + 1
    else
      before_b, j = before_b + b[j][2] - b[j][1], j + 1
    end
  end
  return list
end

-- What a rank with one region gives to a rank that wants another one: overlaps of rows and of columns. Nil: nothing.
local function between(has, wants)
  local rows, columns = overlaps(has[1], wants[1]), overlaps(has[2], wants[2])
  return #rows > 0 and #columns > 0 and { rows, columns } or nil
end

local function ends_of(overlap) return overlap.at, overlap.at + overlap.count end

-- The elements, of an array of the region that a rank has.
local function taken(x, piece)
  local lines = {}
  for i, row in ipairs(piece[1]) do
    local line, parts = cut(x, 1, ends_of(row)), {}
    for j, column in ipairs(piece[2]) do parts[j] = cut(line, 2, ends_of(column)) end
    lines[i] = joined(parts, 2)
  end
  return joined(lines, 1)
end

-- Calls f(target's part, first row and column in the piece) for each rectangle of a piece.
local function rectangles(target, piece, f)
  local i = 0
  for _, row in ipairs(piece[1]) do
    local line, j = cut(target, 1, row.to, row.to + row.count), 0
    for _, column in ipairs(piece[2]) do
      f(cut(line, 2, column.to, column.to + column.count), i, j)
      j = j + column.count
    end
    i = i + row.count
  end
end

local function placed(target, piece, part)
  rectangles(target, piece, function(to, i, j)
    to:set(cut(cut(part, 1, i, i + to._shape[1]), 2, j, j + to._shape[2]))
  end)
end

-- Where a piece is received: at its place, unless it has several places.
local function room_for(target, piece)
  local rows, columns, room = 0, 0, nil
  if #piece[1] == 1 and #piece[2] == 1 then
    rectangles(target, piece, function(to) room = to end)
    return room
  end
  for _, row in ipairs(piece[1]) do rows = rows + row.count end
  for _, column in ipairs(piece[2]) do columns = columns + column.count end
  return gpuarray.empty({ rows, columns }, target._dtype)
end

local function same(a, b)
  for axis = 1, 2 do
    if #a[axis] ~= #b[axis] then return false end
    for k, range in ipairs(a[axis]) do
      if range[1] ~= b[axis][k][1] or range[2] ~= b[axis][k][2] then return false end
    end
  end
  return true
end

---Moves elements between ranks: each rank gets the region that it wants.
---@param where string
---@param group cudalua.distributed.Group
---@param x cudalua.gpuarray.Array  of the region that this rank has
---@param has cudalua.distributed.Region[]    by rank, from 1; no element is in two of them
---@param wants cudalua.distributed.Region[]  by rank
---@return cudalua.gpuarray.Array  may be x
function M.moved(where, group, x, has, wants)
  local me = group.rank + 1
  local stays = same(has[me], wants[me])
  local target = stays and x or gpuarray.empty({ length(wants[me][1]), length(wants[me][2]) }, x._dtype)
  evaluate.evaluate(x) -- once, for all pieces
  local sends, receives, later = {}, {}, {}
  for r = 1, group.size do
    local gives, gets = r ~= me and between(has[me], wants[r]), r ~= me and between(has[r], wants[me])
    if gives then sends[#sends + 1] = { rank = r - 1, array = taken(x, gives) } end
    if gets then
      local room = room_for(target, gets)
      receives[#receives + 1] = { rank = r - 1, array = room }
      if #gets[1] > 1 or #gets[2] > 1 then later[#later + 1] = { piece = gets, part = room } end
    end
  end
  pairwise.exchange(group, where, sends, receives)
  for _, l in ipairs(later) do placed(target, l.piece, l.part) end
  local own = not stays and between(has[me], wants[me])
  if own then placed(target, own, taken(x, own)) end
  return target
end

---A region of an array that all ranks have.
---@param x cudalua.gpuarray.Array
---@param region cudalua.distributed.Region
---@return cudalua.gpuarray.Array  may be x
function M.cut(x, region)
  local whole = { {}, {} }
  for axis = 1, 2 do whole[axis][1] = x._shape[axis] > 0 and { 0, x._shape[axis] } or nil end
  local piece = between(whole, region)
  if piece then return taken(x, piece) end
  return gpuarray.empty({ length(region[1]), length(region[2]) }, x._dtype)
end

return M
