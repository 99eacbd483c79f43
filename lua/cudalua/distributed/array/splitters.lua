-- Where sorted blocks must be cut so that each rank gets the elements that belong in its block of the sorted vector.
--
-- Elements have one order: equal ones are ordered by rank, then by place. Each bound between two ranks needs a cut in
-- each block: the elements before the cuts precede all others, and are as many as the bound says. A cut lies in a
-- window of positions, which begins as the whole block. In each round the ranks exchange samples from their windows for
-- all bounds at once, and put them in order. That tells how many elements of each block precede a sample, up to those
-- between two samples, so the windows narrow to 2 / (SAMPLES + 1) of their elements together. Nothing else of the
-- blocks is read, and equal elements make no difference.

local calls = require "cudalua.distributed.calls"
local gpuarray = require "cudalua.gpuarray"
local view = require "cudalua.gpuarray.core.view"

local floor, max, min = math.floor, math.max, math.min

local M = {}

---The most samples from a window. More mean fewer rounds, and more elements to put in order; the fewest are 2.
M.SAMPLES = 64

---The cuts that belong to one bound. Positions count from 0.
---@class cudalua.distributed.Cuts
---@field bound integer   how many elements are before the cuts
---@field low integer[]   by rank: the cut is not before this position of its block,
---@field high integer[]  and not behind this one

-- Cuts between the first rank and the last. Those before and behind all elements are known.
local function first_cuts(bounds)
  local ranks, list = #bounds - 1, {}
  local n = bounds[ranks + 1]
  for k = 1, ranks + 1 do
    local cuts = { bound = bounds[k], low = {}, high = {} }
    for r = 1, ranks do
      local own = bounds[r + 1] - bounds[r]
      cuts.low[r], cuts.high[r] = bounds[k] == n and own or 0, bounds[k] == 0 and 0 or own
    end
    list[k] = cuts
  end
  return list
end

-- The cuts that are not known yet, and the largest of their windows.
local function unknown(list)
  local open, widest = {}, 0
  for _, cuts in ipairs(list) do
    local most = 0
    for r, low in ipairs(cuts.low) do most = max(most, cuts.high[r] - low) end
    if most > 0 then open[#open + 1] = cuts end
    widest = max(widest, most)
  end
  return open, widest
end

-- The position of a sample, from 1 to count. Samples have equal distances, also from both ends.
local function place(low, high, number, count)
  return low + floor(number * (high - low - count) / (count + 1)) + number - 1
end

-- Samples of a block: (bounds, count). Windows with fewer elements repeat the last one, which other ranks leave out.
local function samples_of(block, open, rank, count)
  if block._size == 0 then return gpuarray.zeros({ #open, count }, block._dtype) end
  local list = {}
  for _, cuts in ipairs(open) do
    local low, high = cuts.low[rank], cuts.high[rank]
    local own = min(count, high - low)
    for number = 1, count do
      list[#list + 1] = own > 0 and place(low, high, min(number, own), own) + 1 or 1
    end
  end
  local samples = gpuarray.take(block, gpuarray.to_gpu(list, "int64"), { mode = "clip" })
  return view.reshape(samples, { #open, count }, "C")
end

-- Narrows the windows of one bound. number(i) says which sample is the i-th in the order: those of rank 1 come first,
-- `count` of each rank.
local function narrow(cuts, count, number)
  local low, high, ranks = cuts.low, cuts.high, #cuts.low
  local own, first, past = {}, {}, {} -- by rank: samples; how many elements precede the current sample, least and most
  local least, most = 0, 0            -- of all ranks
  cuts.low = { unpack(low) }
  for r = 1, ranks do
    own[r] = min(count, high[r] - low[r])
    first[r], past[r] = low[r], own[r] > 0 and place(low[r], high[r], 1, own[r]) or high[r]
    least, most = least + first[r], most + past[r]
  end
  for i = 1, ranks * count do
    local sample = number(i) - 1
    local r, k = floor(sample / count) + 1, sample % count + 1
    if k <= own[r] then
      local at = past[r]
      if most < cuts.bound then cuts.low[r] = at + 1 end -- the sample is before the cuts
      least = least + at + 1 - first[r]
      if least > cuts.bound then break end -- it is behind them
      first[r], past[r] = at + 1, k < own[r] and place(low[r], high[r], k + 1, own[r]) or high[r]
      most = most + past[r] - at
    end
  end
  cuts.high = past
end

---Finds the cuts of sorted blocks.
---@param where string  for messages
---@param group cudalua.distributed.Group
---@param block cudalua.gpuarray.Array  of this rank, sorted
---@param bounds integer[]              by rank: the position of the first element, and at the end how many there are
---@param descending boolean
---@return integer[][]  by bound: positions in the blocks of all ranks, from 0
function M.find(where, group, block, bounds, descending)
  local list, found = first_cuts(bounds), {}
  local open, widest = unknown(list)
  while #open > 0 do
    local count = min(M.SAMPLES, widest)
    local all = calls.from_all(group, "all_gather", samples_of(block, open, group.rank + 1, count), nil, where)
    local rows = view.reshape(view.transpose("sort", all, { 2, 1, 3 }), { #open, group.size * count }, "C")
    local order = rows:argsort { axis = 2, descending = descending }:get { array = true }
    for k, cuts in ipairs(open) do
      narrow(cuts, count, function(i) return order:get(k, i) end)
    end
    open, widest = unknown(list)
  end
  for k, cuts in ipairs(list) do found[k] = cuts.low end
  return found
end

return M
