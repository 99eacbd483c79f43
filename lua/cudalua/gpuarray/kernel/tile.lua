-- Blocks of work for arrays that lie otherwise than the output. Where neighbours in the output are far apart in an
-- operand, and that operand has its own neighbours along another axis of the output, a block of threads reads a tile of
-- both axes along the operand's, into shared memory, and computes it along the output's. Both sides then move whole
-- lines of memory.

local abs, ceil, max, min = math.abs, math.ceil, math.max, math.min

local M = {}

---The two axes have at least so many elements together: what is less is in the caches anyway.
M.FROM = 512

-- Bytes of shared memory that the tiles of a block take at most.
local SHARED = 48 * 1024

---Elements of a tile along the output's fast axis and along the other one, by the largest element. Rows of the output
---that do not begin at whole lines of memory want long pieces.
M.sizes = { [1] = { 128, 32 }, [2] = { 128, 32 }, [4] = { 128, 32 }, [8] = { 64, 32 }, [16] = { 32, 32 } }

---The same of elements that are read and written so many together, as words of 4 bytes.
M.word_sizes = { [2] = { 64, 128 }, [4] = { 64, 128 } }

---With more arrays than that a tile is smaller, for the sake of the registers.
M.MANY = 6

local function power_above(n)
  local p = 1
  while p < n do p = 2 * p end
  return p
end

---Words in a row of a tile in shared memory: threads side by side on either axis find themselves in different banks.
---@param t {across: integer, along: integer, pack: integer}
---@return integer
function M.pitch(t)
  local words, rows = t.along / t.pack, t.across / t.pack
  return words + (rows < 32 and words >= 32 and 32 / rows or 1)
end

-- The axis that an operand would best be read along: the one with its least step, where that is far less than its step
-- along the last axis.
local function own_axis(extents, strides, rank)
  local last = abs(strides[rank])
  if last < 2 then return nil end
  local best, least = nil, last
  for axis = 1, rank - 1 do
    local s = abs(strides[axis])
    if s > 0 and s < least then best, least = axis, s end
  end
  if best and extents[best] * extents[rank] >= M.FROM then return best end
end

-- Are an operand's elements in words of `pack` that begin at multiples of their size, along this axis?
local function in_words(leaf, strides, axis, pack)
  local bytes = pack * leaf.dtype.itemsize
  if not leaf.aligned and (leaf.store.skew + leaf.off) % bytes ~= 0 then return false end
  for k = 1, #strides do
    if k == axis then
      if strides[k] ~= 1 then return false end
    elseif strides[k] % pack ~= 0 then
      return false
    end
  end
  return true
end
M.in_words = in_words

-- As few elements of an axis as a tile needs; the other axis gets the room.
local function fit(across, along, extent_across, extent_along)
  local size, a, b = across * along, power_above(extent_across), power_above(extent_along)
  if a < across then return a, min(b, size / a) end
  if b < along then return min(a, size / b), b end
  return across, along
end

---What a tile is chosen for. Operands are counted from the output's, the first one.
---@class cudalua.gpuarray.Tiled
---@field extents integer[]
---@field operands integer[][]  strides along the axes, in elements
---@field leaves table[]        where the operands lie
---@field whole table[]         arrays that lie as the output does
---@field largest integer       bytes of an element of any of the arrays
---@field axes table<integer, integer>  by operand: the axis that it would best be read along, if that is another one
---@field axis integer          the tile's, beside the output's last one

-- Can all the arrays be read and written in words of `pack` elements?
local function all_in_words(o, pack)
  local extents, operands, leaves, axes, axis = o.extents, o.operands, o.leaves, o.axes, o.axis
  local rank = #extents
  if extents[rank] % pack ~= 0 or extents[axis] % pack ~= 0 then return false end
  for i = 1, #operands do
    if not (i > 1 and operands[i][rank] == 0) and
      not in_words(leaves[i], operands[i], axes[i] == axis and axis or rank, pack) then
      return false
    end
  end
  for _, leaf in ipairs(o.whole) do
    if not in_words(leaf, {}, 0, pack) then return false end
  end
  return true
end

---@class cudalua.gpuarray.Tile
---@field axis integer     of the output, beside its last one
---@field across integer   elements along the output's last axis
---@field along integer    and along the other one; both are powers of 2
---@field pack integer     elements that are read and written together
---@field thin boolean     no tile is full of elements
---@field blocks integer
---@field tiled table<integer, boolean>  the operands that are read so, by their number

-- A tile of words of `pack` elements; the operands that have no room in shared memory are read as they lie.
local function make(o, pack)
  local extents, operands, leaves, axes, axis = o.extents, o.operands, o.leaves, o.axes, o.axis
  local rank = #extents
  local sizes = pack > 1 and M.word_sizes[pack] or M.sizes[o.largest]
  local across, along = sizes[1], sizes[2]
  if #operands + #o.whole > M.MANY and pack == 1 then across, along = 32, 32 end
  across, along = fit(across, along, extents[rank], extents[axis])
  local tile = { axis = axis, across = max(across, pack), along = max(along, pack), pack = pack, tiled = {} }
  tile.thin = extents[rank] < tile.across or extents[axis] < tile.along
  local room, all = SHARED, true
  for i = 2, #operands do
    if axes[i] == axis then
      room = room - tile.across * M.pitch(tile) * pack * leaves[i].dtype.itemsize
      if room >= 0 then tile.tiled[i] = true else all = false end
    end
  end
  local counts, blocks = M.counts(tile, extents), 1
  for k = 1, rank do blocks = blocks * counts[k] end
  tile.blocks = blocks
  return tile.blocks < 2 ^ 31 and tile or nil, all
end

---How many blocks lie along each axis: the first axes that a block has one element of, then the tile's other axis, then
---the last one. Blocks are counted along the last one first.
---@param t cudalua.gpuarray.Tile
---@param extents integer[]
---@return integer[]
function M.counts(t, extents)
  local counts, rank, n = {}, #extents, 0
  for k = 1, rank - 1 do
    if k ~= t.axis then
      n = n + 1
      counts[n] = extents[k]
    end
  end
  counts[n + 1] = ceil(extents[t.axis] / t.along)
  counts[n + 2] = ceil(extents[rank] / t.across)
  return counts
end

---The tile for these operands, if any of them gains by it.
---@param extents integer[]
---@param operands integer[][]  strides along the axes, in elements; the output's come first
---@param leaves table[]        where the operands lie
---@param whole table[]         arrays that lie as the output does
---@param largest integer       bytes of an element of any of the arrays
---@param single? boolean       each element by itself, never in words
---@return cudalua.gpuarray.Tile?
function M.choose(extents, operands, leaves, whole, largest, single)
  local rank = #extents
  local votes, axis, axes = {}, nil, {}
  for i = 2, #operands do
    local own = own_axis(extents, operands[i], rank)
    if own then
      axes[i] = own
      votes[own] = (votes[own] or 0) + leaves[i].dtype.itemsize
      if not axis or votes[own] > votes[axis] then axis = own end
    end
  end
  if not axis then return nil end
  local pack = largest <= 2 and not single and 4 / largest or 1
  local o = { extents = extents, operands = operands, leaves = leaves, whole = whole, largest = largest, axes = axes,
    axis = axis }
  if pack > 1 and all_in_words(o, pack) then
    local tile, all = make(o, pack)
    if all then return tile end
  end
  return (make(o, 1))
end

return M
