-- Elements at positions of an axis. If the axis is not divided, each rank takes from its block. Otherwise a rank tells
-- the owners which positions it wants, each of them once, and receives their elements.

local arguments = require "cudalua.gpuarray.index.arguments"
local blocks = require "cudalua.distributed.array.blocks"
local calls = require "cudalua.distributed.calls"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local index_move = require "cudalua.gpuarray.index.move"
local layout = require "cudalua.base.layout"
local move = require "cudalua.distributed.array.move"
local operands = require "cudalua.distributed.operands"
local pairwise = require "cudalua.distributed.array.pairwise"
local pieces = require "cudalua.distributed.array.pieces"
local resolve = require "cudalua.gpuarray.index.resolve"
local sharded = require "cudalua.distributed.array.sharded"

local cut, refuse = pieces.cut, layout.refuse

---@class cudalua.distributed.Array
local Array = sharded.Array

-- ---- arguments ------------------------------------------------------------------------------------------------------

local OPTIONS = { axis = true, mode = true }

---What a rank takes.
---@class cudalua.distributed.Taken
---@field axis integer     of the array
---@field mode string
---@field captured boolean  the current stream is being captured
---@field shape integer[]  of all positions
---@field list cudalua.gpuarray.Array  those of this rank
---@field ours? cudalua.distributed.Array  the positions, if they are divided and each rank needs all of them
---@field kept? integer    the divided axis of the result
---@field text string      what the ranks have to have in common

local function read_axis(what, x, axis)
  local ndim = #x._shape
  if ndim == 0 then refuse(what, "a 0-d array has no axis") end
  if axis == nil and ndim > 1 then
    refuse(what, "axis is missing: positions in the whole array are for vectors; pass { axis = 1 }")
  end
  return layout.axis(what, axis == nil and 1 or axis, ndim)
end

-- Positions that all ranks pass. Those of the divided axis are divided, too, unless it is only one.
local function read_given(what, x, t, indices)
  local given = arguments.array_of(what, "indices", indices, dtypes.int64)
  local own = operands.of(what, "indices", given)
  t.shape = own.shape
  t.text = operands.text(own.dtype, own.shape)
  -- If ranks pass different positions, their results belong to different arrays.
  if x._group._checks and x._group.size > 1 and not t.captured then
    t.text = ("%s, checksum %08x"):format(t.text, operands.checksum(what, operands.to_host(what, own)))
  end
  local n, from = #t.shape, x._axis
  local first = 0
  if from == t.axis and n > 0 then
    local past
    first, past = blocks.of(t.shape[1], x._group.size, x._group.rank)
    if own.on_device then
      given = cut(given, 1, first, past)
    else
      given = given[pieces.items(1, first, past)]
    end
    t.kept = t.axis
  elseif from and from ~= t.axis then
    t.kept = from < t.axis and from or from + n - 1
  end
  t.list = arguments.positions_of(what, given)
  return { first }
end

-- Positions that are a distributed array. The result is divided as they are, unless the array is divided along another
-- axis.
local function read_ours(what, x, t, indices)
  if indices._group ~= x._group then refuse(what, "the arrays belong to different groups of ranks") end
  local n, from, along = #indices._shape, x._axis, indices._axis
  t.shape, t.text = indices._shape, sharded.describe(indices)
  t.list = arguments.positions_of(what, indices._block)
  if from and from ~= t.axis then
    t.kept = from < t.axis and from or from + n - 1
    t.ours = along and indices or nil
  elseif along then
    t.kept = t.axis - 1 + along
  end
  local before = {}
  for k = 1, n do before[k] = k == along and indices._first or 0 end
  return before
end

local function read(what, x, indices, options)
  local o = errors.options(what, options, OPTIONS)
  local t = { axis = read_axis(what, x, o.axis), mode = arguments.mode_of(what, o.mode) }
  t.captured = core.current_stream():is_capturing()
  if t.captured and t.axis == x._axis and x._group.size > 1 then
    refuse(what, "not possible while the current stream is being captured, as the positions tell what moves between "
      .. "ranks; call it before, or take along an axis that is not divided")
  end
  local before = (sharded.is(indices) and read_ours or read_given)(what, x, t, indices)
  local sel = resolve.of_ranks(what, t.list, { shape = x._shape, axis = t.axis, name = "indices", all = t.shape,
    before = before })
  index_move.inside(sel.groups[1].leaf, index_move.check, sel, t.mode)
  t.text = ("axis %d, mode %s, indices %s"):format(t.axis, t.mode, t.text)
  return t
end

-- ---- elements of other ranks ----------------------------------------------------------------------------------------

-- Positions in range need no check.
local function taken(block, axis, list) return gpuarray.take(block, list, { axis = axis, mode = "clip" }) end

-- Positions on an axis of n elements, counted from 0: as the kernels of gpuarray.take count them.
local function from_zero(list, n, mode)
  if list._dtype == dtypes.uint64 then list = mode == "wrap" and list % n + n or list:minimum(n) end
  list = graph.as_type(list, dtypes.int64)
  if mode == "clip" then return list:clip(1, n) - 1 end
  local place = list:lt(0):where(list, list - 1)
  return mode == "wrap" and place % n or place:lt(0):where(place + n, place)
end

---Which positions a rank wants.
---@class cudalua.distributed.Wishes
---@field list cudalua.gpuarray.Array     from 0
---@field values cudalua.gpuarray.Array   each of them once, in ascending order: those of one rank are neighbours
---@field inverse cudalua.gpuarray.Array  where in the values those of the list are, from 1
---@field cuts integer[]                  by rank: how many values come before those of the rank, and at the end of all

local function wishes_of(list, bounds)
  local values, inverse = gpuarray.unique(list, { inverse = true })
  local places, cuts = gpuarray.searchsorted(values, gpuarray.to_gpu(bounds, "int64")):get { array = true }, {}
  for r = 1, #bounds do cuts[r] = tonumber(places[r]) - 1 end
  return { list = list, values = values, inverse = inverse, cuts = cuts }
end

-- By rank, how many elements it wants of this rank.
local function asked_of(what, group, cuts)
  local counts, asked = {}, {}
  for r = 1, group.size do counts[r] = ("%.0f"):format(cuts[r + 1] - cuts[r]) end
  for r, text in ipairs(calls.exchange(group, what, table.concat(counts, " "))) do
    local k = 0
    for count in text:gmatch "%d+" do
      k = k + 1
      if k == group.rank + 1 then asked[r] = tonumber(count) end
    end
  end
  return asked
end

-- Tells each rank which of its positions this one wants, counted from 1 in its block; returns what others want of this.
local function requested(what, group, w, bounds, asked)
  local dtype = bounds[#bounds] < 2 ^ 31 and dtypes.int32 or dtypes.int64
  local sends, receives, wanted = {}, {}, {}
  for r = 1, group.size do
    local first, past = w.cuts[r], w.cuts[r + 1]
    if r ~= group.rank + 1 and first < past then
      local list = cut(w.values, 1, first, past) - (bounds[r] - 1)
      sends[#sends + 1] = { rank = r - 1, array = graph.as_type(list, dtype) }
    end
    if r ~= group.rank + 1 and asked[r] > 0 then
      wanted[r] = gpuarray.empty({ asked[r] }, dtype)
      receives[#receives + 1] = { rank = r - 1, array = wanted[r] }
    end
  end
  pairwise.exchange(group, what, sends, receives)
  return wanted
end

-- The elements of this rank's positions, along the divided axis.
local function exchanged(what, x, t, w, bounds)
  local group, axis, me = x._group, t.axis, x._group.rank + 1
  local asked = asked_of(what, group, w.cuts)
  local wanted = requested(what, group, w, bounds, asked)
  local count, sends, receives = w.values._size, {}, {}
  local is_own = w.cuts[me + 1] - w.cuts[me] == count -- nothing is to be put in order
  local shape = { unpack(x._shape) }
  shape[axis] = count
  local target = not is_own and gpuarray.empty(shape, x._block._dtype) or nil
  evaluate.evaluate(x._block) -- once, for all parts
  for r = 1, group.size do
    if wanted[r] then sends[#sends + 1] = { rank = r - 1, array = taken(x._block, axis, wanted[r]) } end
    if r ~= me and w.cuts[r] < w.cuts[r + 1] then
      receives[#receives + 1] = { rank = r - 1, array = cut(target, axis, w.cuts[r], w.cuts[r + 1]) }
    end
  end
  pairwise.exchange(group, what, sends, receives)
  if is_own then return taken(x._block, axis, w.list - (x._first - 1)) end
  if w.cuts[me] < w.cuts[me + 1] then
    local own = cut(w.values, 1, w.cuts[me], w.cuts[me + 1]) - (x._first - 1)
    cut(target, axis, w.cuts[me], w.cuts[me + 1]):set(taken(x._block, axis, own))
  end
  return taken(target, axis, w.inverse)
end

local function across(what, x, t)
  local bounds = blocks.bounds(x._shape[t.axis], x._group.size)
  local w = calls.prepared(x._group, what, function()
    return wishes_of(from_zero(t.list, bounds[#bounds], t.mode), bounds)
  end)
  return exchanged(what, x, t, w, bounds)
end

-- ---- elements of this rank ------------------------------------------------------------------------------------------

local function of_block(what, x, t)
  local list = t.ours and move.redistributed(what, t.ours, nil)._block or t.list
  return gpuarray.take(x._block, list, { axis = t.axis, mode = t.mode == "raise" and "wrap" or t.mode })
end

local function of_nothing(_, x, t, shape)
  return gpuarray.empty(sharded.block_shape(shape, t.kept, x._group), x._block._dtype)
end

-- The positions' shape replaces the axis.
local function shape_of(x, t)
  local shape = { unpack(x._shape, 1, t.axis - 1) }
  for _, extent in ipairs(t.shape) do shape[#shape + 1] = extent end
  for k = t.axis + 1, #x._shape do shape[#shape + 1] = x._shape[k] end
  return shape
end

-- ---- take -----------------------------------------------------------------------------------------------------------

---Returns the elements at positions of an axis, as gpuarray.take. Along an axis that is not divided, each rank takes
---from its block. Along the divided axis, each rank receives the elements that it wants, each of them once.
---@param indices any  the positions, from 1, negative ones from the end. Either a distributed array of integers, or
---  what all ranks pass equal: an array of integers, nested lists or a number. Their shape replaces the axis
---@param options? {axis: integer, mode: "raise"|"wrap"|"clip"}  axis: only vectors have a default; mode: how to treat a
---  position out of range, as for gpuarray.take
---@return cudalua.distributed.Array  along the divided axis: divided as the indices, or along the first axis of those
---  that all ranks pass. Otherwise divided as this array, or as the indices if it is replicated
---@raise LogicError as gpuarray.take, on all ranks; if the axis is missing, or if the calls of the ranks differ.
---  RuntimeError if a rank ends, fails or does not come in time
function Array:take(indices, options)
  local what = "take"
  sharded.check_self(self, what)
  local t = calls.prepared(self._group, what, read, what, self, indices, options)
  sharded.agree(what, self, t.text, sharded.is(indices) and indices or nil)
  local shape = shape_of(self, t)
  local group = self._group
  local take = (t.axis ~= self._axis or group.size == 1) and of_block or graph.size_of(shape) == 0 and of_nothing or
    across
  return sharded.new(group, take(what, self, t, shape), shape, t.kept)
end

return {}
