-- Where a mask is true: the positions, in C order. How many there are has to be known before there is memory for them,
-- so the program waits for the mask.

local ffi = require "ffi"
local dtypes = require "cudalua.dtype"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local host = require "cudalua.base.ffi"
local kernels = require "cudalua.gpuarray.index.kernels"
local layout = require "cudalua.base.layout"
local move = require "cudalua.gpuarray.index.move"
local ops = require "cudalua.gpuarray.kernel.ops"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"

local TILE = 8192 -- bytes of a block

local M = {}

---An array as a mask: true where it is not 0.
---@param x cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.of(x)
  if x._dtype == dtypes.bool then return x end
  return graph.binary(ops.ne, x, 0)
end

local function part(name, fields) return template.fill("index", name, fields or {}) end

local function counting() return "mask_count", part "mask" .. part "mask_sum" .. part "mask_count" end
local function adding_up() return "mask_offsets", part "mask_sum" .. part "mask_offsets" end

local function writing(name, item, fields)
  fields.name = name
  return name, item .. part "mask" .. part "mask_sum" .. part("mask_write", fields)
end

local function listing()
  return writing("mask_positions", "", { item = "long long", params = "", value = "(long long)i + 1" })
end

-- By bytes of an element.
local function selecting(bytes)
  return writing("mask_select", kernels.item(bytes), { item = "Item", params = ", const Item *from",
    value = "from[i]" })
end

---A mask that was counted.
---@class cudalua.gpuarray.MaskPlaces
---@field n integer      elements of the mask
---@field count integer  of them are true
---@field leaf? table    where the mask is; nil if it has no elements
---@field counts? table  where the kernel left how many are true before each tile
---@field since? integer storage.writes when they were counted
---@field what string    for messages

-- Counts where the mask is true. Who uses the count looks whether arrays were written to since then.
local function count_in(since, p)
  local leaf, n, counts, tiles = p.leaf, p.n, p.counts, math.ceil(p.n / TILE)
  local done, captured = run.sequence { since = since, leaves = { leaf }, writes = {},
    { kernel = kernels.get("mask_count", counting), blocks = tiles,
      arguments = { leaf.buf, leaf.off, n, counts.buf, 0 } },
    { kernel = kernels.get("mask_offsets", adding_up), blocks = 1, arguments = { counts.buf, 0, tiles } } }
  if captured then
    layout.refuse(p.what, "inside a capture, the number of elements that a mask selects is not known")
  end
  if not done then return run.AGAIN end
  local total = ffi.new "int64_t[1]" -- its own each time: a finalizer may use masks, too
  local slot, nbytes, anchor = host.host_buffer("mask", total, 8, true)
  transfer.download(counts, 8 * tiles, slot, nbytes, anchor)
  p.count, p.since = tonumber(total[0]), since
end

local function places(leaf, mask, what)
  if not (leaf.dense and leaf.aligned) then leaf = view.copy(mask, "C")._leaf end
  local n = mask._size
  if n == 0 then return { n = 0, count = 0, what = what } end
  local tiles = math.ceil(n / TILE)
  local counts = storage.empty(dtypes.int64, { tiles + 1 }, tiles + 1)._leaf
  local p = { n = n, count = 0, leaf = leaf, counts = counts, what = what }
  run.until_done(count_in, p)
  return p
end

---What is known of a mask once the program has waited for it.
---@param mask cudalua.gpuarray.Array  of bool
---@param what string                  for messages
---@return cudalua.gpuarray.MaskPlaces
function M.places(mask, what)
  local leaf = evaluate.evaluate(mask)
  return move.inside(leaf, places, leaf, mask, what)
end

-- The mask is counted again if arrays were written to since: it may be another one now.
local function attempt(since, p, dtype, k, from)
  if since ~= p.since then
    count_in(since, p)
    return run.AGAIN
  end
  local out = storage.empty(dtype, { p.count }, p.count)
  if p.count == 0 then return out end
  local list = { p.leaf.buf, p.leaf.off, p.n, p.counts.buf, 0, out._leaf.buf, 0 }
  if from then list[8], list[9] = from.buf, from.off end
  return run.kernel { kernel = k, blocks = math.ceil(p.n / TILE), arguments = list, since = since,
    leaves = { p.leaf, from }, writes = { out._leaf } } and out or run.AGAIN
end

local function write(p, dtype, k, from, since)
  if p.n == 0 then return storage.empty(dtype, { 0 }, 0) end
  if since then return since == p.since and attempt(since, p, dtype, k, from) or run.AGAIN end
  return (run.until_done(attempt, p, dtype, k, from))
end

local function listed(p)
  return write(p, dtypes.int64, kernels.get("mask_positions", listing))
end

local function selected(p, x, since)
  local bytes = x.dtype.itemsize
  return write(p, x.dtype, kernels.get("mask_select " .. bytes, function() return selecting(bytes) end), x, since)
end

---The positions where a mask is true.
---@param p cudalua.gpuarray.MaskPlaces
---@return cudalua.gpuarray.Array  1-D, int64, from 1
function M.listed(p) return p.count == 0 and storage.empty(dtypes.int64, { 0 }, 0) or move.inside(p.leaf, listed, p) end

---The elements where a mask is true.
---@param p cudalua.gpuarray.MaskPlaces
---@param leaf table  without gaps, in C order, of as many elements as the mask or more
---@param since? integer  storage.writes before the mask and the leaf were looked at; nil: the leaf is not shared
---@return cudalua.gpuarray.Array result  1-D; run.AGAIN: a finalizer wrote to arrays since then
function M.selected(p, leaf, since)
  return move.inside(leaf, selected, p, leaf, since)
end

---Where a mask is true, as positions in C order, from 1.
---@param mask cudalua.gpuarray.Array  of bool
---@param what string                  for messages
---@return cudalua.gpuarray.Array  1-D, int64
function M.positions(mask, what) return M.listed(M.places(mask, what)) end

-- A kernel that takes positions in C order apart, for so many axes.
local function unravel_kernel(ndim)
  return kernels.get("unravel " .. ndim, function()
    local params, lines = {}, {}
    for axis = ndim, 1, -1 do
      if axis > 1 then
        table.insert(params, 1, (", const unsigned long long e%d"):format(axis))
        lines[#lines + 1] = ("  at[%d * along] = rest %% e%d + 1;"):format(axis - 1, axis)
        lines[#lines + 1] = ("  rest /= e%d;"):format(axis)
      else
        lines[#lines + 1] = "  at[0] = rest + 1;"
      end
    end
    return "unravel", template.fill("index", "unravel", { params = table.concat(params),
      lines = table.concat(lines, "\n") })
  end)
end

local function take_apart(since, leaf, count, shape, by_axis, out)
  local ndim = #shape
  local list = { count, leaf.buf, leaf.off, out.buf, 0, by_axis and 1 or ndim, by_axis and count or 1 }
  for axis = 2, ndim do list[#list + 1] = shape[axis] end
  return run.kernel { kernel = unravel_kernel(ndim), blocks = math.ceil(count / run.BLOCK), arguments = list,
    since = since, leaves = { leaf }, writes = { out } } or run.AGAIN
end

local function unravel(leaf, count, shape, by_axis)
  local ndim = #shape
  local out = storage.empty(dtypes.int64, by_axis and { ndim, count } or { count, ndim }, ndim * count)
  if count > 0 and ndim > 0 then run.until_done(take_apart, leaf, count, shape, by_axis, out._leaf) end
  return out
end

---Positions in C order as positions on each axis.
---@param list cudalua.gpuarray.Array  as positions() gives them
---@param shape integer[]
---@param by_axis boolean  true: of the shape (axes, count); false: (count, axes)
---@return cudalua.gpuarray.Array
function M.unravel(list, shape, by_axis)
  local leaf = evaluate.evaluate(list)
  return move.inside(leaf, unravel, leaf, list._size, shape, by_axis)
end

return M
