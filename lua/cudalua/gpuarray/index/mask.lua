-- Where a mask is true: the elements there, or their positions, in C order. How many there are has to be known before
-- there is memory for them, so the program waits for the number.
--
-- There are two passes. The first one computes the mask's elements, which need not have been stored, and keeps a bit of
-- each and how many of each tile are true. The second one reads the bits. So what is known of a mask is of one moment,
-- whatever a finalizer writes to arrays afterwards.

local codegen = require "cudalua.gpuarray.kernel.codegen"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local kernels = require "cudalua.gpuarray.index.mask_code"
local layout = require "cudalua.base.layout"
local mailbox = require "cudalua.gpuarray.core.mailbox"
local move = require "cudalua.gpuarray.index.move"
local ops = require "cudalua.gpuarray.kernel.ops"
local plan = require "cudalua.gpuarray.core.plan"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"
local waiting = require "cudalua.gpuarray.core.waiting"

local TILE = 8192                 -- elements of a block
local WORDS = TILE / 32           -- of its bits
local OFFSET_THREADS = 1024       -- of the block that adds up the tiles

-- Where in a mask's memory, which begins with the bits, other numbers of so many tiles begin; in bytes.
local function offsets_at(tiles) return 4 * WORDS * tiles end
local function counts_at(tiles) return offsets_at(tiles) + 8 * (tiles + 1) end
local AGAIN = run.AGAIN

local M = {}

---Expressions are computed in the first pass. If false, they are stored before, for measuring.
M.FUSED = true

---An array as a mask: true where it is not 0.
---@param x cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.of(x)
  if x._dtype == dtypes.bool then return x end
  return graph.binary(ops.ne, x, 0)
end

-- ---- the first pass -------------------------------------------------------------------------------------------------

---A mask whose true elements were counted.
---@class cudalua.gpuarray.MaskPlaces
---@field what string       for messages
---@field n integer         elements of the mask
---@field count integer     of them are true
---@field tiles integer
---@field memory? userdata  a bit for each element, and how many are true before each tile; nil if there are no elements
---@field context? integer  of this memory
---@field kernel? table     that selects elements, if it is known of what

local bits_end = { kind = "end", class = "bits" }

-- What has to be in memory before: true for the mask itself.
local function stored_first(w, mask)
  local first = plan.computed_before(w)
  if first then return first end
  local all = w.strided or w.drawn or evaluate.too_many(w, 1) or not M.FUSED and mask._sig
  return all and true
end

local function kernel_of(w)
  plan.step(w, bits_end)
  local state = w.state
  if not state.kernel then state.kernel = kernels.bits(codegen.program(plan.tokens(state))) end
  return state.kernel
end

local places

---A mask that is being counted.
---@class cudalua.gpuarray.MaskCount
---@field mask cudalua.gpuarray.Array
---@field tiles integer
---@field what string        for messages
---@field context integer    of the memory for what is kept
---@field captured? boolean  a graph has the first pass
---@field memory? userdata   the bits, how many are true before each tile, how many each tile has

-- A graph would need the bits, and new memory for the elements, each time that it is launched.
local function refuse_captured(what, captured)
  if captured then layout.refuse(what, "inside a capture, the number of elements that a mask selects is not known") end
end

-- An attempt to keep the bits.
---@param since integer
---@param c cudalua.gpuarray.MaskCount
local function keep_bits(since, c)
  local mask, context = c.mask, core.context_id()
  local w = plan.begin(mask._shape, true)
  plan.walk(w, graph.operand(mask))
  if w.context and w.context ~= context then
    local inside = w.home
    plan.finish(w, false)
    return storage.with_context(inside, places, mask, c.what)
  end
  local first = stored_first(w, mask)
  if first then
    plan.finish(w, false)
    if first ~= true then
      evaluate.evaluate(first)
    elseif mask._sig then
      evaluate.evaluate(mask)
    else
      c.mask = view.copy(mask, "C")
    end
    return AGAIN
  end
  local tiles = c.tiles
  c.memory = c.memory or storage.buffer(counts_at(tiles) + 4 * tiles)
  local list, n = w.arguments, 5
  list[1], list[2], list[3], list[4], list[5] = mask._size, c.memory, 0, c.memory, counts_at(tiles)
  for i = 1, w.nleaves do
    list[n + 1], list[n + 2] = w.leaves[i].buf, w.leaves[i].off
    n = n + 2
  end
  for i = 1, w.nscalars do list[n + i] = w.scalars[i] end
  w.kernel, w.blocks, w.since, w.nwrites = kernel_of(w), tiles, since, 0
  local done, captured = run.kernel(w)
  plan.finish(w, done)
  c.captured = captured or c.captured
  return done or AGAIN
end

-- Returns true; the places, if the arrays are of another context.
local function bits_of(mask, c)
  evaluate.fit(mask)
  return (run.until_done(keep_bits, c))
end

-- An attempt to add up the tiles. Returns where the host finds how many are true: its ticket, or false.
local function add_up(since, c, box)
  local memory, tiles = c.memory, c.tiles
  local done, _, ticket = run.kernel { kernel = kernels.offsets(), blocks = 1, threads = OFFSET_THREADS, since = since,
    arguments = { memory, counts_at(tiles), memory, offsets_at(tiles), tiles, 0, 0 }, leaves = {}, mailbox = box }
  if not done then return AGAIN end
  return ticket or false
end

-- The kernel that selects elements of a leaf.
local function selecting(leaf, n) return kernels.select(leaf.dtype.itemsize, leaf.aligned, n) end

-- How many are true, and the kernel that selects elements of the leaf, which is made ready while the device is busy.
local function true_elements(c, box, leaf)
  local ticket = run.until_done(add_up, c, box)
  local k = leaf and selecting(leaf, c.mask._size)
  local count = ticket and core.array_told(box, ticket, mailbox.types[dtypes.int64])
  if count then return count, k end
  local sums = { buf = c.memory, off = offsets_at(c.tiles), dtype = dtypes.int64, store = { context = c.context } }
  return tonumber(transfer.element(sums, 8 * c.tiles)), k
end

-- See M.places.
function places(mask, what, leaf)
  if waiting.list then waiting.start() end
  local n = mask._size
  if n == 0 then
    evaluate.evaluate(mask)
    return { what = what, n = 0, count = 0, tiles = 0 }
  end
  local c = { mask = mask, tiles = math.ceil(n / TILE), what = what, context = core.context_id() }
  local elsewhere = graph.is_traced() and evaluate.traced(bits_of, mask, c) or bits_of(mask, c)
  if elsewhere ~= true then return elsewhere end
  refuse_captured(what, c.captured)
  local context = c.context
  local box = mailbox.of(context) and mailbox.watched[context]
  local count, k = true_elements(c, box, leaf)
  return { what = what, n = n, count = count, tiles = c.tiles, memory = c.memory, context = context, kernel = k }
end

---What is known of a mask once the program has waited for it. Memory for its bits is kept until free().
---@param mask cudalua.gpuarray.Array  of bool
---@param what string                  for messages
---@return cudalua.gpuarray.MaskPlaces
function M.places(mask, what) return places(mask, what) end

---Frees the memory of a mask that was counted: what it selects has been written.
---@param p cudalua.gpuarray.MaskPlaces
function M.free(p)
  if p.memory then p.memory:free() end
  p.memory = nil
end

-- ---- the second pass ------------------------------------------------------------------------------------------------

local function launch(since, p, k, out, more, from)
  local list, n = { p.memory, 0, p.memory, offsets_at(p.tiles), out.buf, 0 }, 6
  for i = 1, #more do list[n + i] = more[i] end
  local done, captured = run.kernel { kernel = k, blocks = p.tiles, arguments = list, since = since,
    leaves = { from }, writes = { out } }
  refuse_captured(p.what, captured)
  return done or AGAIN
end

local function in_context(p, f, ...)
  if not p.memory or p.context == core.context_id() then return f(p, ...) end
  return storage.with_context(p.memory, f, p, ...)
end

local function listed(p, shape, by_axis)
  local ndim, count = shape and #shape or 1, p.count
  local extents = not shape and { count } or by_axis and { ndim, count } or { count, ndim }
  local out = storage.empty(dtypes.int64, extents, ndim * count)
  if ndim * count == 0 then return out end
  local more = { count }
  for axis = ndim, 2, -1 do more[#more + 1] = shape[axis] end
  run.until_done(launch, p, kernels.positions(ndim, by_axis, p.n), out._leaf, more)
  return out
end

---The positions where a mask is true.
---@param p cudalua.gpuarray.MaskPlaces
---@param shape? integer[]   of the mask: positions on each axis; default: in C order
---@param by_axis? boolean   true: of the shape (axes, count); false: (count, axes)
---@return cudalua.gpuarray.Array  int64, from 1; without a shape 1-D
function M.listed(p, shape, by_axis) return in_context(p, listed, shape, by_axis or false) end

local function selected(p, leaf, since)
  local out = storage.empty(leaf.dtype, { p.count }, p.count)
  if p.count == 0 then return out end
  local size = math.min(p.n, graph.size_of(leaf.shape)) -- a mask may be longer where it is false
  local k, more = p.kernel or selecting(leaf, p.n), { leaf.buf, leaf.off, size }
  if not since then
    run.until_done(launch, p, k, out._leaf, more, leaf)
    return out
  end
  return launch(since, p, k, out._leaf, more, leaf) == AGAIN and AGAIN or out
end

---The elements where a mask is true.
---@param p cudalua.gpuarray.MaskPlaces
---@param leaf table  without gaps, in C order, of as many elements as the mask or more
---@param since? integer  storage.writes before the mask and the leaf were looked at; nil: the leaf is not shared
---@return cudalua.gpuarray.Array result  1-D; run.AGAIN: a finalizer wrote to arrays since then
function M.selected(p, leaf, since) return move.inside(leaf, selected, p, leaf, since) end

---The elements of a leaf where a mask is true, as selected().
---@param mask cudalua.gpuarray.Array  of bool
---@param what string                  for messages
---@param leaf table
---@param since? integer
---@return cudalua.gpuarray.Array
function M.chosen(mask, what, leaf, since)
  local p = places(mask, what, leaf)
  local x = M.selected(p, leaf, since)
  M.free(p)
  return x
end

---The positions where a mask is true, as listed().
---@param mask cudalua.gpuarray.Array  of bool
---@param what string                  for messages
---@param shape? integer[]
---@param by_axis? boolean
---@return cudalua.gpuarray.Array
function M.positions(mask, what, shape, by_axis)
  local p = places(mask, what)
  local x = M.listed(p, shape, by_axis)
  M.free(p)
  return x
end

return M
