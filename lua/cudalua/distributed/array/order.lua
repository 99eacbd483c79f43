-- Sorting and running sums of distributed arrays. Lines that one rank has are left to it. If the divided axis is not
-- the only one, the array is divided along another one meanwhile.

local blocks = require "cudalua.distributed.array.blocks"
local calls = require "cudalua.distributed.calls"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local move = require "cudalua.distributed.array.move"
local pieces = require "cudalua.distributed.array.pieces"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local sharded = require "cudalua.distributed.array.sharded"
local splitters = require "cudalua.distributed.array.splitters"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

---@class cudalua.distributed.Array
local Array = sharded.Array

local M = {}

-- Options, or an axis; and the axis.
local function read(what, x, options, known, default)
  if type(options) == "number" then options = { axis = options } end
  local o = errors.options(what, options, known)
  local ndim = #x._shape
  if ndim == 0 then refuse(what, "a 0-d array has no axis") end
  if o.axis == nil and not default then refuse(what, "the axis is missing; pass it as x:%s(1)", what) end
  return o, layout.axis(what, o.axis == nil and default or o.axis, ndim)
end

-- The longest axis but one.
local function longest_other(x, axis)
  local longest
  for k, extent in ipairs(x._shape) do
    if k ~= axis and (not longest or extent > x._shape[longest]) then longest = k end
  end
  return longest
end

-- Applies f to complete lines along an axis. If the axis is divided, the array is divided along another one meanwhile.
-- Returns nil if there is no other axis.
local function by_lines(what, x, axis, f)
  if x._axis ~= axis then return sharded.new(x._group, f(x._block), x._shape, x._axis) end
  local other = longest_other(x, axis)
  if not other then return nil end
  local turned = move.redistributed(what, x, other)
  return move.redistributed(what, sharded.new(x._group, f(turned._block), x._shape, other), axis)
end

-- ---- sorting --------------------------------------------------------------------------------------------------------

local SORT = { axis = true, descending = true }
local IN_RANGE = { mode = "clip" } -- positions that need no check

-- What each rank gets of the sorted blocks: by rank, ranges of positions in the blocks of all ranks.
local function wanted_of(cuts, bounds)
  local wanted = {}
  for r = 1, #bounds - 1 do
    wanted[r] = {}
    for from = 1, #bounds - 1 do
      wanted[r][from] = { bounds[from] + cuts[r][from], bounds[from] + cuts[r + 1][from] }
    end
  end
  return wanted
end

-- Are all elements from one sorted block?
local function from_one(ranges)
  local count = 0
  for _, range in ipairs(ranges) do
    if range[1] < range[2] then count = count + 1 end
  end
  return count <= 1
end

-- A sorted vector, or the positions that sort it: each rank sorts its block, and cuts it. It gets what belongs in its
-- block of the result from the others, and puts that in order.
local function sorted(what, x, descending)
  local group, bounds, how = x._group, blocks.bounds(x._shape[1], x._group.size), { descending = descending }
  local order = what == "argsort" and x._block:argsort(how) or nil
  local keys = order and x._block:take(order, IN_RANGE) or x._block:sort(how)
  local wanted = wanted_of(splitters.find(what, group, keys, bounds, descending), bounds)
  local function moved(block) return move.ranges(what, sharded.new(group, block, x._shape, 1), wanted) end
  keys = moved(keys)
  local block, done = keys, from_one(wanted[group.rank + 1])
  if order then
    block = moved(order + x._first)
    if not done then block = block:take(keys:argsort(how), IN_RANGE) end
  elseif not done then
    block = keys:sort(how)
  end
  return sharded.new(group, block, x._shape, 1)
end

-- What sort() and argsort() do.
local function in_order(what, self, options)
  sharded.check_self(self, what)
  local axis, descending
  calls.prepared(self._group, what, function()
    local o
    o, axis = read(what, self, options, SORT, -1)
    descending = layout.flag(what, o, "descending")
    if self._block._dtype.kind == "struct" then refuse(what, "not defined for %s", self._block._dtype.name) end
  end)
  sharded.agree(what, self, ("axis %d%s"):format(axis, descending and ", descending" or ""))
  local how = { axis = axis, descending = descending }
  return by_lines(what, self, axis, function(block) return block[what](block, how) end) or
    sorted(what, self, descending)
end

---Returns the elements sorted along an axis, as gpuarray.sort: equal elements keep their order, and NaNs are greater
---than everything. Elements of a vector move to another rank at most once.
---@param options? any  {axis, descending}, or the axis: the last one by default. descending: sort in descending order;
---  default: false
---@return cudalua.distributed.Array  divided as this array
---@raise LogicError for a 0-d array, an axis out of range or structs, or if the calls of the ranks differ. RuntimeError
---  if a rank ends, fails or does not come in time
function Array:sort(options) return in_order("sort", self, options) end

---Returns the positions that sort the array along an axis, as gpuarray.argsort.
---@param options? any  as for sort
---@return cudalua.distributed.Array  int64, positions on the axis of the whole array, from 1; divided as this array
---@raise LogicError and RuntimeError as sort
function Array:argsort(options) return in_order("argsort", self, options) end

-- ---- running sums ---------------------------------------------------------------------------------------------------

---Vectors with at most this many elements are gathered, so that running sums have the bits of one device.
M.FEW = 2 ^ 22

local MOST_RANKS = 64

-- Sums within tiles, which do not depend on the number of ranks, and then what comes before each tile.
local function tiled(x, kind)
  local group, n, t = x._group, x._shape[1], kind.acc
  local tile = math.min(blocks.unit(n, MOST_RANKS), blocks.unit(n, group.size))
  local bounds, counts = blocks.bounds(n, group.size), {}
  for r = 1, group.size do counts[r] = math.ceil((bounds[r + 1] - bounds[r]) / tile) end
  local block = x._block
  for _, dtype in ipairs(kind.through) do block = graph.as_type(block, dtype) end
  local own = counts[group.rank + 1]
  local lines = view.reshape(pieces.padded(block, 1, own * tile), { own, tile }, "C"):cumsum { axis = 2, dtype = t }
  local totals = move.all("cumsum", group, view.reshape(pieces.cut(lines, 2, tile - 1, tile), { own }, "C"), 1, counts)
  local first = bounds[group.rank + 1] / tile
  local nothing = gpuarray.full({ 1 }, (t.kind == "float" or t.kind == "complex") and -0.0 or 0, t)
  local before = pieces.joined({ nothing, totals:cumsum { dtype = t } }, 1)
  local y = lines + view.reshape(pieces.cut(before, 1, first, first + own), { own, 1 }, "C")
  y = pieces.cut(view.reshape(y, { own * tile }, "C"), 1, 0, x._past - x._first)
  return sharded.new(group, graph.as_type(y, kind.result), x._shape, 1)
end

local CUMSUM = { axis = true, dtype = true }

---Returns the running sums along an axis, in the types of gpuarray.cumsum. They have the bits of one device, except for
---floats and complex numbers in vectors of more than 4,194,304 elements. Those have the same bits for up to 64 ranks,
---but one device computes other ones.
---@param options? any  {axis, dtype}, or the axis; only vectors have a default. dtype: the dtype of the result
---@return cudalua.distributed.Array  divided as this array
---@raise LogicError if the axis is missing or out of range, or the dtype is not supported, or if the calls of the ranks
---  differ; RuntimeError as sort
function Array:cumsum(options)
  local what = "cumsum"
  sharded.check_self(self, what)
  local axis, asked, kind
  calls.prepared(self._group, what, function()
    local o
    o, axis = read(what, self, options, CUMSUM, #self._shape == 1 and 1 or nil)
    local t = self._block._dtype
    asked = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
    kind = t.kind ~= "struct" and reductions.kind(reductions.sum, t, asked)
    if not kind then refuse(what, "not defined for %s%s", t.name, asked and " as " .. asked.name or "") end
  end)
  sharded.agree(what, self, ("axis %d as %s"):format(axis, kind.result.name))
  local function local_sums(block) return block:cumsum { axis = axis, dtype = asked } end
  local done = by_lines(what, self, axis, local_sums)
  if done then return done end
  if self._shape[1] > M.FEW then return tiled(self, kind) end
  local all = local_sums(move.redistributed(what, self, nil)._block)
  return move.redistributed(what, sharded.new(self._group, all, self._shape, nil), 1)
end

return M
