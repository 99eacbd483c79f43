-- Sorting and running sums of distributed arrays. Lines that one rank has are left to it. If the divided axis is not
-- the only one, the array is divided along another one meanwhile.

local blocks = require "cudalua.distributed.blocks"
local calls = require "cudalua.distributed.calls"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local move = require "cudalua.distributed.move"
local pieces = require "cudalua.distributed.pieces"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local sharded = require "cudalua.distributed.sharded"
local subtrees = require "cudalua.distributed.subtrees"
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
local function by_lines(x, axis, f)
  if x._axis ~= axis then return sharded.new(x._group, f(x._block), x._shape, x._axis) end
  local other = longest_other(x, axis)
  if not other then return nil end
  local turned = move.redistributed(x, other)
  return move.redistributed(sharded.new(x._group, f(turned._block), x._shape, other), axis)
end

-- ---- sorting --------------------------------------------------------------------------------------------------------

-- The neighbours whose blocks are not in order yet: the numbers of the left ones among `ranks`.
local function unordered(x, block, ranks, descending)
  local own = block._size > 0 and pieces.joined({ pieces.cut(block, 1, 0, 1),
    pieces.cut(block, 1, block._size - 1, block._size) }, 1) or gpuarray.empty({ 2 }, block._dtype)
  local edges = subtrees.of_ranks(x._group, own, blocks.bounds(x._shape[1], x._group.size))
  local flat = pieces.cut(view.reshape(edges, { 2 * #ranks }, "C"), 1, 1, 2 * #ranks - 1)
  local first = view.reshape(flat, { #ranks - 1, 2 }, "C"):argsort { axis = 2, descending = descending }:get()
  local list = {}
  for k = 1, #ranks - 1 do
    if first[{ k, 1 }] == 2 then list[#list + 1] = k end
  end
  return list
end

-- Two neighbours have their elements in order: the left one keeps as many of the first ones as it had.
local function in_order(group, block, left, right, size, descending)
  local is_left = group.rank == left
  local other = gpuarray.empty({ size }, block._dtype)
  if is_left then group:send(block, { to = right }) end
  group:recv(other, { from = is_left and right or left, out = other })
  if not is_left then group:send(block, { to = left }) end
  local both = pieces.joined(is_left and { block, other } or { other, block }, 1):sort { descending = descending }
  if is_left then return view.copy(pieces.cut(both, 1, 0, block._size), "C") end
  return view.copy(pieces.cut(both, 1, size, both._size), "C")
end

-- Every other pair of neighbours exchanges its blocks in each step, until all of them are in order.
local function sorted(x, descending)
  local group, bounds, ranks = x._group, blocks.bounds(x._shape[1], x._group.size), {}
  for r = 0, group.size - 1 do
    if bounds[r + 2] > bounds[r + 1] then ranks[#ranks + 1] = r end
  end
  local block, turn = x._block:sort { descending = descending }, 0
  while #ranks > 1 do
    local list = unordered(x, block, ranks, descending)
    if #list == 0 then break end
    local some = false
    for _, k in ipairs(list) do some = some or k % 2 == turn end
    if not some then turn = 1 - turn end
    for _, k in ipairs(list) do
      local left, right = ranks[k], ranks[k + 1]
      local other = group.rank == left and right or left
      if k % 2 == turn and (group.rank == left or group.rank == right) then
        block = in_order(group, block, left, right, bounds[other + 2] - bounds[other + 1], descending)
      end
    end
    turn = 1 - turn
  end
  return sharded.new(group, block, x._shape, 1)
end

local SORT = { axis = true, descending = true }

---Returns the elements sorted along an axis, as gpuarray.sort: equal elements keep their order, and NaNs are greater
---than everything. A vector is sorted by exchanges of blocks between neighbours.
---@param options? any  {axis, descending}, or the axis: the last one by default. descending: sort in descending order;
---  default: false
---@return cudalua.distributed.Array  divided as this array
---@raise LogicError for a 0-d array, an axis out of range or structs, or if the calls of the ranks differ. RuntimeError
---  if a rank ends, fails or does not come in time
function Array:sort(options)
  local what = "sort"
  sharded.check_self(self, what)
  local axis, descending
  calls.prepared(self._group, what, function()
    local o
    o, axis = read(what, self, options, SORT, -1)
    descending = layout.flag(what, o, "descending")
    if self._block._dtype.kind == "struct" then refuse(what, "not defined for %s", self._block._dtype.name) end
  end)
  sharded.agree(what, self, ("axis %d%s"):format(axis, descending and ", descending" or ""))
  return by_lines(self, axis, function(block) return block:sort { axis = axis, descending = descending } end) or
    sorted(self, descending)
end

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
  local totals = move.all(group, view.reshape(pieces.cut(lines, 2, tile - 1, tile), { own }, "C"), 1, counts)
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
  local done = by_lines(self, axis, local_sums)
  if done then return done end
  if self._shape[1] > M.FEW then return tiled(self, kind) end
  local all = local_sums(move.redistributed(self, nil)._block)
  return move.redistributed(sharded.new(self._group, all, self._shape, nil), 1)
end

return M
