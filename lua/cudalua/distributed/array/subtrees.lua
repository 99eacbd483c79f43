-- Reductions whose elements several ranks have, with the bits of one device.
--
-- The order of combinations is a binary tree over the positions of all elements (kernels/array/reduce.cu). A rank has a
-- range of positions, which consists of whole subtrees: the largest ones that begin at a multiple of their size. It
-- combines each of them by itself. All ranks get the values of all these subtrees, which are few: about 62 for each 32
-- times more elements, or 2 for each 2 times more. Then each rank combines them up to the root.

local calls = require "cudalua.distributed.calls"
local gpuarray = require "cudalua.gpuarray"
local pairs_of = require "cudalua.base.pairs_of"
local pieces = require "cudalua.distributed.array.pieces"
local reduce = require "cudalua.gpuarray.reduce.run"
local view = require "cudalua.gpuarray.core.view"

local ceil, floor, min = math.ceil, math.floor, math.min

local M = {}

---Subtrees have sizes that are powers of 2^5, which takes few launches; or of 2, if there are more outputs than this,
---which takes fewer values.
M.MANY = 1024

---Neighbouring subtrees of one size.
---@class cudalua.distributed.Run
---@field unit integer   elements of each; the last one of all may have fewer
---@field first integer  number of the first one: it begins at position first * unit
---@field past integer   number behind the last one

---The largest subtrees in a range of positions.
---@param first integer
---@param past integer
---@param n integer      positions of all ranks; beyond them nothing follows
---@param radix integer  sizes are its powers
---@return cudalua.distributed.Run[]
local function runs(first, past, n, radix)
  local list, open, unit = {}, past == n, 1
  if first == past then return list end
  local a, b = first, past
  while true do
    local up_a, up_b = ceil(a / radix), open and ceil(b / radix) or floor(b / radix)
    if up_a >= up_b or b - a == 1 then
      list[#list + 1] = { unit = unit, first = a, past = b }
      return list
    end
    if a < up_a * radix then list[#list + 1] = { unit = unit, first = a, past = up_a * radix } end
    if not open and up_b * radix < b then list[#list + 1] = { unit = unit, first = up_b * radix, past = b } end
    a, b, unit = up_a, up_b, unit * radix
  end
end
M.runs = runs

-- ---- one rank -------------------------------------------------------------------------------------------------------

-- All elements of a block at once, also those of a pending one: (1, outputs).
local function whole_value(kind, block, axes)
  local strides, outputs = {}, 1
  for k = block._ndim, 1, -1 do
    strides[k] = axes[k] and 0 or outputs
    if not axes[k] then outputs = outputs * block._shape[k] end
  end
  return reduce.compute(kind, block, { axes = axes, shape = { 1, outputs }, strides = strides, outputs = outputs })
end

-- The block with the shape (before, positions, behind). The positions are reduced, and the outputs are in C order.
local function in_three_axes(block, axes)
  local kept, gone, before, n, behind = {}, {}, 1, 1, 1
  local first, last
  for k, extent in ipairs(block._shape) do
    if axes[k] then
      first, last, gone[#gone + 1], n = first or k, k, k, n * extent
    else
      kept[#kept + 1] = k
      if first then behind = behind * extent else before = before * extent end
    end
  end
  if last - first + 1 > #gone then -- others lie between them
    for _, k in ipairs(gone) do kept[#kept + 1] = k end
    block, before, behind = view.transpose("reduce", block, kept), before * behind, 1
  end
  return view.reshape(block, { before, n, behind }, "C")
end

-- The values of neighbouring subtrees of one size, at positions of a block of three axes.
local function values(kind, x, first, count, unit)
  local before, behind = x._shape[1], x._shape[3]
  local y = view.reshape(pieces.cut(x, 2, first, first + count * unit), { before, count, unit, behind }, "C")
  local outputs = before * behind
  return reduce.compute(kind, y, { axes = { false, false, true, false }, shape = { count, outputs },
    strides = { behind, outputs, 0, 1 }, outputs = count * outputs })
end

-- The values of this rank's subtrees: (subtrees, outputs). The block begins at position `begin` of n.
local function own_values(kind, block, axes, list, begin, n)
  local run = list[1]
  if #list == 1 and run.past - run.first == 1 then return whole_value(kind, block, axes) end
  local x, all = in_three_axes(block, axes), {}
  for k = 1, #list do
    run = list[k]
    local unit = run.unit
    local whole = min(run.past, floor(n / unit)) -- the last one of all may have fewer elements
    if whole > run.first then
      all[#all + 1] = values(kind, x, run.first * unit - begin, whole - run.first, unit)
    end
    if run.past > whole then all[#all + 1] = values(kind, x, whole * unit - begin, 1, n - whole * unit) end
  end
  return pieces.joined(all, 1)
end

-- ---- all ranks ------------------------------------------------------------------------------------------------------

-- Combines groups of neighbours: rows of a table by their numbers, `count` for each group.
local function combined(kind, rows, list, count, outputs)
  local taken = gpuarray.take(rows, gpuarray.to_gpu(list, "int64"), { axis = 1 })
  local groups = #list / count
  return reduce.compute(kind, view.reshape(taken, { groups, count, outputs }, "C"), { axes = { false, true, false },
    shape = { groups, outputs }, strides = { outputs, 0, 1 }, outputs = groups * outputs })
end

-- The number of the row of the root, and the table that it is in. nodes: by size, numbers of rows by the subtree's.
local function root_of(kind, rows, nodes, n, radix, outputs)
  local unit = 1
  while true do
    local level = nodes[unit] or {}
    if unit >= n then return level[0], rows end
    local up = nodes[unit * radix] or {}
    nodes[unit * radix] = up
    local list, parents, last, rest = {}, {}, floor((ceil(n / unit) - 1) / radix), nil
    for number in pairs_of(level) do
      local parent = floor(number / radix)
      if number % radix == 0 and parent < last then parents[#parents + 1] = parent end
      if parent == last then rest = parent end
    end
    table.sort(parents)
    for _, parent in ipairs(parents) do
      for k = 0, radix - 1 do list[#list + 1] = level[parent * radix + k] end
    end
    local made, count = {}, rows._shape[1]
    if #parents > 0 then
      made[1] = combined(kind, rows, list, radix, outputs)
      for k, parent in ipairs(parents) do up[parent] = count + k end
      count = count + #parents
    end
    if rest then
      local own = {}
      for number = rest * radix, ceil(n / unit) - 1 do own[#own + 1] = level[number] end
      if #own == 1 then
        up[rest] = own[1]
      else
        made[#made + 1] = combined(kind, rows, own, #own, outputs)
        up[rest] = count + 1
      end
    end
    if #made > 0 then rows = pieces.joined({ rows, unpack(made) }, 1) end
    unit = unit * radix
  end
end

-- The result of rows of values as they are combined.
local function finish(kind, rows, to)
  return reduce.compute(kind, rows, { axes = { true, false }, shape = to.shape, strides = { 0, 1 },
    outputs = to.outputs, count = to.count })
end

---Where the outputs go.
---@class cudalua.distributed.Outputs
---@field shape integer[]
---@field outputs integer  how many
---@field count integer    what a mean is divided by

---Reduces ranges of positions that the ranks have, in the order of the tree.
---@param where string  for messages
---@param group cudalua.distributed.Group
---@param kind cudalua.gpuarray.ReductionKind
---@param block cudalua.gpuarray.Array  of this rank; the axes that are reduced begin with the one that is divided
---@param axes table<integer, boolean>
---@param bounds integer[]  by rank: the number of its first element of an output, and at the end of all of them
---@param to cudalua.distributed.Outputs
---@return cudalua.gpuarray.Array  the same on all ranks
function M.reduce(where, group, kind, block, axes, bounds, to)
  local first, second, middle = reduce.stages(kind)
  local n, radix = bounds[group.size + 1], to.outputs > M.MANY and 2 or 32
  local nodes, lists, most = {}, {}, 0
  for r = 1, group.size do
    local count = 0
    lists[r] = runs(bounds[r], bounds[r + 1], n, radix)
    for _, run in ipairs(lists[r]) do count = count + run.past - run.first end
    most = math.max(most, count)
  end
  for r = 1, group.size do
    local row = (r - 1) * most
    for _, run in ipairs(lists[r]) do
      nodes[run.unit] = nodes[run.unit] or {}
      for number = run.first, run.past - 1 do
        row = row + 1
        nodes[run.unit][number] = row
      end
    end
  end
  local list = lists[group.rank + 1]
  local own = #list > 0 and own_values(first, block, axes, list, bounds[group.rank + 1], n) or
    gpuarray.empty({ 0, to.outputs }, kind.acc)
  local all = calls.from_all(group, "all_gather", pieces.padded(own, 1, most), nil, where)
  local rows = view.reshape(all, { group.size * most, to.outputs }, "C")
  local root, table_of = root_of(middle, rows, nodes, n, radix, to.outputs)
  return finish(second, pieces.cut(table_of, 1, root - 1, root), to)
end

---Reduces what ranks have in an order that does not matter, as that of a maximum.
---@param where string
---@param group cudalua.distributed.Group
---@param kind cudalua.gpuarray.ReductionKind
---@param block cudalua.gpuarray.Array
---@param axes table<integer, boolean>
---@param bounds integer[]
---@param to cudalua.distributed.Outputs
---@return cudalua.gpuarray.Array
function M.reduce_freely(where, group, kind, block, axes, bounds, to)
  local first, second = reduce.stages(kind)
  local own = block._size > 0 and whole_value(first, block, axes) or gpuarray.empty({ 1, to.outputs }, kind.acc)
  local all = M.of_ranks(where, group, own, bounds)
  return finish(second, view.reshape(all, { all._shape[1], to.outputs }, "C"), to)
end

---The values of all ranks that have elements: (ranks, ...).
---@param where string
---@param group cudalua.distributed.Group
---@param own cudalua.gpuarray.Array
---@param bounds integer[]
---@return cudalua.gpuarray.Array
function M.of_ranks(where, group, own, bounds)
  local all, list = calls.from_all(group, "all_gather", own, nil, where), {}
  for r = 1, group.size do
    if bounds[r + 1] > bounds[r] then list[#list + 1] = r end
  end
  if #list == group.size then return all end
  return gpuarray.take(all, gpuarray.to_gpu(list, "int64"), { axis = 1 })
end

return M
