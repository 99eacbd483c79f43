-- Elements that go from one rank to another: gather(), redistribute(), ranges of positions, and halos.

local blocks = require "cudalua.distributed.array.blocks"
local calls = require "cudalua.distributed.calls"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local pairwise = require "cudalua.distributed.array.pairwise"
local pieces = require "cudalua.distributed.array.pieces"
local sharded = require "cudalua.distributed.array.sharded"
local tables = require "cudalua.base.tables"
local view = require "cudalua.gpuarray.core.view"

local cut, refuse = pieces.cut, layout.refuse

---@class cudalua.distributed.Array
local Array = sharded.Array

local M = {}

-- ---- all of it ------------------------------------------------------------------------------------------------------

---The blocks of all ranks, joined; they differ in their extent along the axis alone.
---@param where string  for messages
---@param group cudalua.distributed.Group
---@param block cudalua.gpuarray.Array
---@param axis integer
---@param counts integer[]  of positions, by rank
---@return cudalua.gpuarray.Array  a new one, or `block`
function M.all(where, group, block, axis, counts)
  if group.size == 1 then return block end
  local most, shape = 0, { unpack(block._shape) }
  shape[axis] = 0
  for _, count in ipairs(counts) do most, shape[axis] = math.max(most, count), shape[axis] + count end
  if graph.size_of(shape) == 0 then return gpuarray.empty(shape, block._dtype) end
  local all, list = calls.from_all(group, "all_gather", pieces.padded(block, axis, most), nil, where), {}
  for r, count in ipairs(counts) do
    if count > 0 then list[#list + 1] = cut(view.slice("gather", all, 1, { r }), axis, 0, count) end
  end
  return pieces.joined(list, axis)
end

local function counts_of(n, ranks)
  local bounds, counts = blocks.bounds(n, ranks), {}
  for r = 1, ranks do counts[r] = bounds[r + 1] - bounds[r] end
  return counts
end

-- The whole array, which may be the block itself.
local function whole(where, x)
  if not x._axis then return x._block end
  return M.all(where, x._group, x._block, x._axis, counts_of(x._shape[x._axis], x._group.size))
end

---Returns the whole array, on all ranks.
---@return cudalua.gpuarray.Array  a new array, which has nothing to do with the blocks any more
---@raise LogicError if the calls of the ranks differ; RuntimeError if a rank ends, fails or does not come in time
function Array:gather()
  sharded.check_self(self, "gather")
  sharded.agree("gather", self)
  local x = whole("gather", self)
  return x == self._block and view.copy(x, "C") or x
end

-- ---- another axis ---------------------------------------------------------------------------------------------------

-- Each rank cuts its block along the new axis, and gets a part of each other block. Parts are padded to one size.
local function exchanged(where, x, axis)
  local group, from, shape = x._group, x._axis, x._shape
  local n = group.size
  local old, new = blocks.bounds(shape[from], n), blocks.bounds(shape[axis], n)
  local extents = { n, unpack(shape) }
  extents[from + 1], extents[axis + 1] = blocks.most(shape[from], n), blocks.most(shape[axis], n)
  local parts = gpuarray.empty(extents, x._block._dtype)
  for r = 1, n do
    local part = cut(x._block, axis, new[r], new[r + 1])
    if part._size > 0 then
      local to = view.slice("redistribute", parts, 1, { r })
      cut(cut(to, from, 0, part._shape[from]), axis, 0, part._shape[axis]):set(part)
    end
  end
  calls.from_all(group, "all_to_all", parts, { out = parts }, where)
  local list, own = {}, new[group.rank + 2] - new[group.rank + 1]
  for r = 1, n do
    local part = view.slice("redistribute", parts, 1, { r })
    list[r] = cut(cut(part, from, 0, old[r + 1] - old[r]), axis, 0, own)
  end
  return pieces.joined(list, from)
end

---The same array, divided along another axis.
---@param where string  for messages
---@param x cudalua.distributed.Array
---@param axis? integer  nil: replicated
---@return cudalua.distributed.Array  may be x
function M.redistributed(where, x, axis)
  if axis == x._axis then return x end
  local group, shape = x._group, x._shape
  local block
  if not axis then
    block = whole(where, x)
  elseif not x._axis then
    block = view.copy(cut(x._block, axis, blocks.of(shape[axis], group.size, group.rank)), "C")
  elseif graph.size_of(shape) == 0 then
    block = gpuarray.empty(sharded.block_shape(shape, axis, group), x._block._dtype)
  else
    block = exchanged(where, x, axis)
  end
  if block == x._block then block = view.copy(block, "C") end
  return sharded.new(group, block, shape, axis)
end

---Returns the array divided along another axis, or whole on each rank.
---@param axis? integer  the axis to divide, from 1, where negative numbers count from the end; nil: none, so that each
---  rank has the whole array
---@return cudalua.distributed.Array  the array itself if it is divided so already
---@raise LogicError if the axis is out of range, or if the calls of the ranks differ; RuntimeError as gather
function Array:redistribute(axis)
  local what = "redistribute"
  sharded.check_self(self, what)
  local to = calls.prepared(self._group, what, function()
    return axis ~= nil and layout.axis(what, axis, #self._shape) or nil
  end)
  sharded.agree(what, self, to and "to axis " .. to or "to all ranks")
  return M.redistributed(what, self, to)
end

-- ---- ranges of positions --------------------------------------------------------------------------------------------

local function length(ranges)
  local count = 0
  for _, range in ipairs(ranges) do count = count + range[2] - range[1] end
  return count
end

-- The parts of ranges that lie within a block, as {first, past, place among the positions of all ranges}.
local function overlaps(ranges, first, past)
  local list, before = {}, 0
  for _, range in ipairs(ranges) do
    local a, b = math.max(range[1], first), math.min(range[2], past)
    if a < b then list[#list + 1] = { a, b, before + a - range[1] } end
    before = before + range[2] - range[1]
  end
  return list
end

---What a rank does so that each rank gets the ranges that it wants. Positions of the block count from 0.
---@class cudalua.distributed.Ranges.Plan
---@field count integer        positions of the result
---@field is_block boolean     the result is the block
---@field sends integer[][]    {rank, first, past} of the block
---@field receives integer[][] {rank, first, past} of the result
---@field stays integer[][]    {first, past, first of the result}

---@param n integer      the extent of the divided axis
---@param group cudalua.distributed.Group
---@param wanted integer[][][]  by rank, from 1: ranges, each of its first position and the one past its last, from 0
---@param before? integer  positions of the result in front of the ranges, which are not written; default: 0
---@param behind? integer  likewise behind them
---@return cudalua.distributed.Ranges.Plan
local function plan_of(n, group, wanted, before, behind)
  local me, bounds = group.rank + 1, blocks.bounds(n, group.size)
  local first, past = bounds[me], bounds[me + 1]
  before = before or 0
  local sends, receives, stays, count = {}, {}, {}, before + length(wanted[me]) + (behind or 0)
  for r = 1, group.size do
    if r ~= me then
      for _, part in ipairs(overlaps(wanted[r], first, past)) do
        sends[#sends + 1] = { r - 1, part[1] - first, part[2] - first }
      end
    end
    for _, part in ipairs(overlaps(wanted[me], bounds[r], bounds[r + 1])) do
      local to = before + part[3]
      if r == me then
        stays[#stays + 1] = { part[1] - first, part[2] - first, to }
      else
        receives[#receives + 1] = { r - 1, to, to + part[2] - part[1] }
      end
    end
  end
  local only = stays[1]
  return { count = count, sends = sends, receives = receives, stays = stays,
    is_block = only ~= nil and count == past - first and only[2] - only[1] == count }
end

-- Carries out a plan.
local function moved(where, x, plan)
  local axis, block = x._axis, x._block
  local shape = { unpack(x._shape) }
  shape[axis] = plan.count
  local target = plan.is_block and block or gpuarray.empty(shape, block._dtype)
  if graph.size_of(x._shape) == 0 then return target end
  evaluate.evaluate(block) -- once, for all parts
  local sends, receives = {}, {}
  for k, part in ipairs(plan.sends) do sends[k] = { rank = part[1], array = cut(block, axis, part[2], part[3]) } end
  for k, part in ipairs(plan.receives) do
    receives[k] = { rank = part[1], array = cut(target, axis, part[2], part[3]) }
  end
  pairwise.exchange(x._group, where, sends, receives)
  for _, part in ipairs(plan.is_block and {} or plan.stays) do
    cut(target, axis, part[3], part[3] + part[2] - part[1]):set(cut(block, axis, part[1], part[2]))
  end
  return target
end

---Elements of ranges of positions along the divided axis, for each rank those that it wants.
---@param where string
---@param x cudalua.distributed.Array  divided
---@param wanted integer[][][]  by rank, from 1: ranges, each of its first position and the one past its last, from 0
---@return cudalua.gpuarray.Array  this rank's ranges, joined; it may be the block
function M.ranges(where, x, wanted) return moved(where, x, plan_of(x._shape[x._axis], x._group, wanted)) end

-- ---- halos ----------------------------------------------------------------------------------------------------------

local HALO = { periodic = true, fill = true }

-- The ranges of a rank's block with `width` more positions at both ends, and how many of these do not exist.
local function with_halo(n, first, past, width, periodic)
  local a, b = first - width, past + width
  if not periodic then return { { math.max(a, 0), math.min(b, n) } }, math.max(-a, 0), math.max(b - n, 0) end
  local ranges = { { math.max(a, 0), math.min(b, n) } }
  if a < 0 then table.insert(ranges, 1, { a + n, n }) end
  if b > n then ranges[#ranges + 1] = { 0, b - n } end
  return ranges, 0, 0
end

---@class cudalua.distributed.Halo
---@field plan cudalua.distributed.Ranges.Plan
---@field before integer  positions of the result in front of the axis
---@field behind integer  and behind it

local MOST_HALOS = 64 -- that a group remembers

-- A halo of all arrays with this extent. `fills`: positions that do not exist have room in the result.
local function halo_of(group, n, width, periodic, fills)
  local key = ("%.0f %.0f %s %s"):format(n, width, tostring(periodic), tostring(fills))
  local known = tables.memo(group, "_halos", MOST_HALOS)
  if known[key] then return known[key] end
  local bounds, wanted, before, behind = blocks.bounds(n, group.size), {}, 0, 0
  for r = 1, group.size do
    local a, b
    wanted[r], a, b = with_halo(n, bounds[r], bounds[r + 1], width, periodic)
    if fills and r == group.rank + 1 then before, behind = a, b end
  end
  return tables.remember(known, key,
    { plan = plan_of(n, group, wanted, before, behind), before = before, behind = behind })
end

---Returns the block of this rank together with the positions beside it on the divided axis, which belong to other
---ranks: what a stencil reads. At the ends of the axis the block has no neighbours, so the result has fewer positions
---there, unless you pass `fill` or `periodic`. An empty block gets the positions on both sides, too, so the result of
---`fill` and `periodic` always has 2 * width positions more than the block.
---@param width integer  how many positions on each side: 0 to the extent of the axis
---@param options? {fill: any, periodic: boolean}  fill: the value of positions beyond the ends; periodic: the axis is
---  a ring, whose first and last positions are neighbours; default false
---@return cudalua.gpuarray.Array  a new array
---@raise LogicError for a replicated array or another width, or if the calls of the ranks differ; RuntimeError as
---  gather
function Array:halo(width, options)
  local what = "halo"
  sharded.check_self(self, what)
  local group, axis = self._group, self._axis
  local o = calls.prepared(group, what, function()
    if not axis then refuse(what, "the array is replicated, so no rank has neighbours; call redistribute(axis)") end
    local w = layout.whole(width)
    if not w or w < 0 or w > self._shape[axis] then
      refuse(what, "width must be an integer from 0 to %.0f, the extent of the axis, got %s", self._shape[axis],
        element.describe(width))
    end
    local given = errors.options(what, options, HALO)
    local periodic = layout.flag(what, given, "periodic")
    if periodic and given.fill ~= nil then refuse(what, "fill is for axes that are not periodic; leave out one") end
    local _, why = self._block._dtype._check(given.fill == nil and 0 or given.fill)
    if given.fill ~= nil and why then refuse(what, "fill: %s", why) end
    return { width = w, periodic = periodic, fill = given.fill }
  end)
  sharded.agree(what, self, ("width %.0f%s"):format(o.width, o.periodic and ", periodic" or ""))
  local halo = halo_of(group, self._shape[axis], o.width, o.periodic, o.fill ~= nil)
  local x = moved(what, self, halo.plan)
  if x == self._block then return view.copy(x, "C") end
  local before, past = halo.before, halo.plan.count - halo.behind
  if before > 0 then cut(x, axis, 0, before):fill(o.fill) end
  if halo.behind > 0 then cut(x, axis, past, halo.plan.count):fill(o.fill) end
  return x
end

return M
