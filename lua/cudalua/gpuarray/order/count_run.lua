-- Counting elements by bins: the kernels of kernels/array/histogram.cu, and their launches.
--
-- Bins: { n, kind, edge, list, params = {...} }
--   n      how many                    kind   "values": an integer is the number of its bin, from 1
--   edge   the type of the edges                "uniform", "edges": between which edges an element is
--   list   the edges, as numbers       edges  a leaf of them, on the device

local core = require "cudalua.core"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local dtypes = require "cudalua.dtype"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local host = require "cudalua.base.ffi"
local kernels = require "cudalua.gpuarray.index.kernels"
local ndarray = require "cudalua.ndarray"
local runs = require "cudalua.gpuarray.core.run"
local sort = require "cudalua.gpuarray.order.sort_run"
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"

local ceil, min, max, abs = math.ceil, math.min, math.max, math.abs

local M = {}

M.WORDS = 8192        -- counters of a block
local EACH = 4 * runs.BLOCK -- packs of 16 bytes that a block takes at a time
M.PER_SM = 3          -- blocks
local FLOAT_MAX = (2 - 2 ^ -23) * 2 ^ 127
M.FLOAT_MAX = FLOAT_MAX
local EXACT = 2 ^ 20  -- more bins than these are found by their edges alone

---For so many multiprocessors grids are made; false: for those of the device. The results do not depend on it.
M.multiprocessors = false

local blocks_of = {} -- by context

local function multiprocessors(leaf)
  if M.multiprocessors then return M.multiprocessors end
  local id = core.context_id()
  if not blocks_of[id] then
    local device = core.memory_context(leaf.buf):get_device()
    blocks_of[id] = device:get_attribute "multiprocessor_count"
  end
  return blocks_of[id]
end

local function blocks_for(leaf, n)
  return min(max(ceil(n * leaf.dtype.itemsize / (16 * EACH)), 1), M.PER_SM * multiprocessors(leaf))
end

-- ---- bins -----------------------------------------------------------------------------------------------------------

---Bins that integers are numbers of, from 1.
---@param n integer
---@return table
function M.numbered(n) return { n = n, kind = "values" } end

-- A host array on the device, as a leaf of memory that belongs to no scope.
local function uploaded(a)
  local slot, nbytes, anchor = host.host_buffer("histogram", a)
  local buf, context = storage.buffer(nbytes)
  local store = { buf = buf, bytes = nbytes, context = context, exported = false, pinned = true, skew = 0,
    released = false, readers = false, origin = false }
  local leaf = storage.new_leaf(store, 0, a.dtype, a.shape, a.strides)
  transfer.upload(leaf, slot, nbytes, anchor)
  return leaf
end

local function with_edges(bins)
  local a = ndarray.empty(bins.n + 1, bins.edge)
  for i, x in ipairs(bins.list) do a[i] = x end
  bins.edges = uploaded(a)
  for i = 1, bins.n + 1 do bins.list[i] = tonumber(a[i]) end
  return bins
end

---Bins between edges.
---@param list number[]  not descending; given away
---@param edge cudalua.dtype.DType  float32 or float64
---@return table
function M.between(list, edge) return with_edges { n = #list - 1, kind = "edges", edge = edge, list = list } end

local function uniform(n, low, high, edge)
  local list, step = {}, (high - low) / n
  for i = 0, n - 1 do list[i + 1] = i * step + low end
  list[n + 1] = high
  local bins = with_edges { n = n, kind = n > EXACT and "edges" or "uniform", edge = edge, list = list }
  low, high = bins.list[1], bins.list[n + 1]
  local epsilon = edge == dtypes.float32 and 2 ^ -23 or 2 ^ -52
  bins.scale = n / (high - low)
  bins.near = 4 * epsilon * n * (1 + max(abs(low), abs(high)) / (high - low))
  local large = edge == dtypes.float32 and max(bins.scale, high - low) > FLOAT_MAX
  if large or bins.near ~= bins.near or bins.near > 0.25 then bins.kind = "edges" end
  return bins
end

-- Bins that were used lately, with their edges on the device.
local MOST_KEPT, LARGEST_KEPT = 32, 8192
local kept, count_kept = {}, 0

---Bins of one width.
---@param n integer
---@param low number
---@param high number
---@param edge cudalua.dtype.DType  float32 or float64
---@return table
function M.uniform(n, low, high, edge)
  if n > LARGEST_KEPT then return uniform(n, low, high, edge) end
  local key = ("%d %.17g %.17g %s %d"):format(n, low, high, edge.name, core.context_id())
  local bins = kept[key]
  if not bins then
    if count_kept == MOST_KEPT then kept, count_kept = {}, 0 end
    bins = uniform(n, low, high, edge)
    kept[key], count_kept = bins, count_kept + 1
  end
  return bins
end

---The edges as an array of their own.
---@param bins table
---@return cudalua.gpuarray.Array
function M.edges(bins)
  local out = storage.empty(bins.edge, { bins.n + 1 }, bins.n + 1)
  evaluate.store(bins.edges, out._leaf, bins.n + 1)
  return out
end

-- The number of the bin, from 0, of each value of 8 bits, by its bits.
local function bytes_table(bins, dt)
  local tables = bins.tables or {}
  bins.tables = tables
  if tables[dt] then return tables[dt] end
  local list, edges, n = ndarray.empty(256, dtypes.int32), bins.list, bins.n
  for bits = 0, 255 do
    local x = dt.kind == "bool" and min(bits, 1) or dt.kind == "int" and bits > 127 and bits - 256 or bits
    local bin = -1
    if bins.kind == "values" then
      if x >= 1 and x <= n then bin = x - 1 end
    elseif x >= edges[1] and x <= edges[n + 1] then
      local low, high = 1, n
      while low < high do
        local middle = ceil((low + high) / 2)
        if edges[middle] <= x then low = middle else high = middle - 1 end
      end
      bin = low - 1
    end
    list[bits + 1] = bin
  end
  tables[dt] = uploaded(list)
  return tables[dt]
end

-- ---- kernels --------------------------------------------------------------------------------------------------------

local function kernel(name, part, bins, dt)
  return kernels.get(("%s %s %s %s"):format(name, bins.kind, bins.edge and bins.edge.name or "", dt.name), function()
    local set = {}
    for _, piece in ipairs(ctype.pieces(dt)) do set[piece] = true end
    local edge = bins.edge == dtypes.float32 and "float" or "double"
    local fields = { type = ctype.register(dt), memory = ctype.memory(dt), load = ctype.load(dt, "raw"), params = "",
      arguments = "", copy = "" }
    if bins.kind == "uniform" then
      fields.params = ", const Edge low, const Edge scale, const Edge near, const Edge *edges"
      fields.arguments = ", low, scale, near, edges"
      fields.magic = edge == "float" and "12582912.0f" or "6755399441055744.0"
      fields.down = edge == "float" and "__fadd_rd" or "__dadd_rd"
      fields.nearest = edge == "float" and "__float2int_rn" or "__double2int_rn"
      fields.whole = edge == "float" and "__float_as_int(down) - 0x4b400000" or "__double2loint(down)"
    elseif bins.kind == "edges" then
      fields.params, fields.arguments = ", const Edge *edges", ", edges"
    end
    if bins.edge and part == "count" then
      fields.copy = template.fill("histogram", "copy", {})
      fields.arguments = fields.arguments:gsub("edges$", "close_edges")
    end
    return name, template.fill("histogram", "tools", { edge = edge, per = 16 / dt.itemsize }) ..
      template.fill("histogram", bins.kind, fields) .. template.fill("histogram", part, fields), set
  end)
end

local function append(list, bins)
  local m = #list
  if bins.kind == "uniform" then
    list[m + 1], list[m + 2], list[m + 3] = bins.list[1], bins.scale, bins.near
    m = m + 3
  end
  if bins.edges then list[m + 1], list[m + 2] = bins.edges.buf, bins.edges.off end
  return list
end

-- ---- counting -------------------------------------------------------------------------------------------------------

---A leaf as kernels of histogram.cu read it: without gaps, from a multiple of 16 bytes on.
---@param x cudalua.gpuarray.Array
---@return table
function M.packed(x)
  local leaf = evaluate.evaluate(x)
  if leaf.dense and leaf.aligned then return leaf end
  return view.copy(x, "C")._leaf
end

-- The kernel that counts, how many blocks it has, its arguments, and a table that it reads.
local function counting(leaf, n, bins, to)
  local dt = leaf.dtype
  if dt.itemsize == 1 then
    local lut = bytes_table(bins, dt)
    local k = kernels.get("array_count_bytes", function()
      return "array_count_bytes", template.fill("histogram", "tools", { edge = "double", per = 16 }) ..
        template.fill("histogram", "bytes", {})
    end)
    return k, blocks_for(leaf, n), { n, leaf.buf, leaf.off, to.buf, 0, lut.buf, 0 }, lut
  end
  local log_columns = 5
  while log_columns >= 0 and bins.n * 2 ^ log_columns > M.WORDS do log_columns = log_columns - 1 end
  if log_columns < 0 then
    return kernel("array_count_many", "many", bins, dt), min(ceil(n / runs.BLOCK), 8 * multiprocessors(leaf)),
      append({ n, leaf.buf, leaf.off, to.buf, 0, bins.n }, bins)
  end
  return kernel("array_count", "count", bins, dt), blocks_for(leaf, n),
    append({ n, leaf.buf, leaf.off, to.buf, 0, bins.n, log_columns }, bins)
end

-- Counts add up, so that they begin at 0 for each attempt.
local function count(since, leaf, n, bins, to)
  local k, blocks, list, lut = counting(leaf, n, bins, to)
  return runs.sequence { since = since, leaves = { leaf, lut }, writes = { to },
    { fill = to.buf, words = 2 * bins.n }, { kernel = k, blocks = blocks, arguments = list } } or runs.AGAIN
end

---How many elements fall into each bin.
---@param leaf table  as packed() gives it; its context is current
---@param n integer
---@param bins table
---@return cudalua.gpuarray.Array  int64
function M.count(leaf, n, bins)
  local out = storage.empty(dtypes.int64, { bins.n }, bins.n)
  if bins.n == 0 then return out end
  if n == 0 then
    out:fill(0)
  else
    runs.until_done(count, leaf, n, bins, out._leaf)
  end
  return out
end

---What is weighed; arrays are leaves.
---@class cudalua.gpuarray.Weighing
---@field leaf table     whose elements are in bins
---@field n integer      elements
---@field bins table
---@field weights table
---@field parts integer  sums of each bin
---@field of table       memory for the bins of the elements
---@field to table       memory for the sums

-- If a finalizer writes to an array on the way, all of it is done again: values and weights may be one array.
---@param since integer
---@param weighing cudalua.gpuarray.Weighing
local function weigh(since, weighing)
  local leaf, n, bins, weights = weighing.leaf, weighing.n, weighing.bins, weighing.weights
  local parts, of, to = weighing.parts, weighing.of, weighing.to
  local list = append({ n, leaf.buf, leaf.off, of.buf, 0, bins.n }, bins)
  if not runs.kernel { kernel = kernel("array_count_bins", "bins", bins, leaf.dtype), blocks = ceil(n / runs.BLOCK),
    arguments = list, since = since, leaves = { leaf }, writes = { of } } then return runs.AGAIN end
  local sorted, values = sort.sort_pairs(of, weights, n)
  local k = kernels.get("array_count_sums " .. weights.dtype.name, function()
    return "array_count_sums", template.fill("histogram", "sums", { weight = ctype.memory(weights.dtype) })
  end)
  local outputs = bins.n * parts
  return runs.kernel { kernel = k, blocks = ceil(outputs / 8), since = since, leaves = { sorted, values },
    arguments = { n, sorted.buf, 0, values.buf, 0, to.buf, 0, outputs, parts }, writes = { to } } or runs.AGAIN
end

---The sum of the weights of the elements in each bin, in float64: they are sorted by bins, keeping their order, and
---added in an order that depends on how many there are.
---@param leaf table     as packed() gives it; its context is current
---@param n integer
---@param bins table
---@param weights table  leaf of as many elements of float32 or float64, without gaps
---@return cudalua.gpuarray.Array  float64
function M.weigh(leaf, n, bins, weights)
  local parts = max(min(ceil(65536 / max(bins.n, 1)), ceil(n / 1024)), 1)
  local outputs = bins.n * parts
  local out = storage.empty(dtypes.float64, { bins.n, parts }, outputs)
  if outputs == 0 then return out:sum(2) end
  local to = out._leaf
  if n == 0 then
    out:fill(0)
    return out:sum(2)
  end
  local of = storage.empty(dtypes.uint32, { n }, n)._leaf
  runs.until_done(weigh, { leaf = leaf, n = n, bins = bins, weights = weights, parts = parts, of = of, to = to })
  return out:sum(2)
end

return M
