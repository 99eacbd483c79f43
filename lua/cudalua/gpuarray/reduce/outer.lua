-- Reductions of products: expressions of operands that have only an output's row or only its column, such as squared
-- distances. A block has a tile of outputs, and the operands' slices go through shared memory. See docs/products.md.
--
-- The results have the bits of the other kernels (reduce/run.lua), which compute everything that does not fit.

local costs = require "cudalua.gpuarray.reduce.costs"
local gathered = require "cudalua.gpuarray.reduce.axes"
local plan = require "cudalua.gpuarray.core.plan"

local abs, ceil, max, min = math.abs, math.ceil, math.max, math.min
local exponent, put, reach = gathered.exponent, gathered.put, gathered.reach

local M = {}

---For tests: false turns tiles off.
M.enabled = true

---For tests: the outputs of a thread, wherever that is possible; false: those of TILES where they are expected to pay.
---@type false|{rows: integer, columns: integer}
M.tile = false

---Outputs of a thread, in the order of preference: of values of 4 bytes, and of larger ones.
M.TILES = { { rows = 4, columns = 4 }, { rows = 4, columns = 2 }, { rows = 2, columns = 2 } }
M.TILES_OF_LARGE = { M.TILES[2], M.TILES[3] }

---Reduced elements, at most.
M.MOST = 256

---Neighbours that are combined by unrolled code, at most.
M.BATCH = 16

---Blocks, and elements of an axis of the tile, at least.
M.BLOCKS, M.LEAST = 128, 16

---Words of 4 bytes of combined values in a thread's registers, the cost of the unrolled operations, and bytes of
---shared memory, at most.
M.WORDS, M.COST, M.SHARED = 112, 2048, 24576

---Blocks that fit into a multiprocessor at once; registers are limited to what that needs. false: as many as there are.
M.RESIDENT = 2

local THREADS, CHUNK, MOST_BLOCKS, MOST_SHARED = 256, 32, 2 ^ 31 - 1, 48 * 1024

---How a kernel goes through its outputs and elements.
---@class cudalua.gpuarray.Outer
---@field row integer      the kept axis of the tile's rows
---@field column integer   and of its columns
---@field rows integer     outputs of a thread
---@field columns integer
---@field across integer   threads along a row of the tile
---@field batch integer    neighbours that unrolled code combines
---@field levels integer   of the tree above them, without the root
---@field rest integer     elements of the last batch
---@field chunk integer    elements whose slices are in shared memory
---@field vector boolean   a thread's columns are neighbours in memory
---@field wide boolean     places have 64 bits
---@field extents integer[]  of the blocks: those of other kept axes, tiles along rows, tiles along columns
---@field resident integer|false  blocks that fit into a multiprocessor at once
---@field blocks integer

-- Does each operand step along one of two axes at most, and each of the axes have an operand?
local function is_pair(p, row, column)
  local of_row, of_column = false, false
  for i = 2, #p.kept do
    local along_row, along_column = p.kept[i][row] ~= 0, p.kept[i][column] ~= 0
    if along_row and along_column then return false end
    of_row, of_column = of_row or along_row, of_column or along_column
  end
  return of_row and of_column
end

-- The axes of the tile: columns where outputs are closest in memory, and the longest one of the others.
local function axes_of(p)
  local extents, steps, row, column = p.kept_extents, p.kept[1], nil, nil
  for c = 1, #extents do
    for r = 1, #extents do
      if r ~= c and extents[r] >= M.LEAST and extents[c] >= M.LEAST and is_pair(p, r, c) and
        (not column or abs(steps[c]) < abs(steps[column]) or c == column and extents[r] > extents[row]) then
        row, column = r, c
      end
    end
  end
  return row, column
end

-- Words of a combined value.
local function words_of(kind)
  local words = max(kind.acc.itemsize / 4, 1)
  return kind.row.position and words + 1 or words
end

-- The batch, and what follows from it; nil: too much is in registers or unrolled.
local function in_batches(o, kind, n, cost)
  local outputs, batch = o.rows * o.columns, min(M.BATCH, 2 ^ exponent(n))
  local function arrange()
    local before = kind.tree and ceil(n / batch) - 1 or 0
    o.batch, o.rest, o.levels = batch, n - before * batch, 0
    while 2 ^ o.levels <= before do o.levels = o.levels + 1 end
    return outputs * (cost + 1) * (batch + (kind.tree and before > 0 and o.rest or 0)) <= M.COST
  end
  while not arrange() do
    if batch == 1 then return false end
    batch = batch / 2
  end
  return outputs * words_of(kind) * (o.levels + 1) <= M.WORDS
end

-- Which axis of the tile an operand steps along.
local function class_of(p, o, operand)
  local steps = p.kept[operand]
  return steps[o.row] ~= 0 and "row" or steps[o.column] ~= 0 and "column" or "point"
end

---Elements of a row of a slice in shared memory: those of the tile, and some so that threads use different banks.
---@param extent integer
---@param itemsize integer
---@return integer
function M.pitch(extent, itemsize) return extent + max(16 / itemsize, 1) end

local function shared_bytes(w, p, o, rows, columns)
  local bytes, operand = 0, 1
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then
      operand = operand + 1
      local class, itemsize = class_of(p, o, operand), w.leaves[i].dtype.itemsize
      local extent = class == "row" and rows or columns
      bytes = bytes + ceil((class == "point" and 1 or M.pitch(extent, itemsize)) * itemsize * o.chunk / 16) * 16
    end
  end
  return bytes
end

-- Are results of neighbouring columns stored together?
local function in_vectors(p, o)
  for k, step in ipairs(p.kept[1]) do
    if k == o.column and (step ~= 1 or p.kept_extents[k] % o.columns ~= 0) or k ~= o.column and step % o.columns ~= 0
    then
      return false
    end
  end
  return true
end

-- A tile with so many outputs of a thread; nil: it does not fit.
local function make(w, p, kind, tile, row, column, cost)
  local o = { row = row, column = column, rows = tile.rows, columns = tile.columns }
  if not in_batches(o, kind, p.n, cost) then return nil end
  local along = p.kept_extents[row]
  o.across = min(16, 2 ^ exponent(p.kept_extents[column] / o.columns))
  while THREADS / o.across * o.rows / 2 >= along and o.across < THREADS do o.across = o.across * 2 end
  local rows, columns = THREADS / o.across * o.rows, o.across * o.columns
  o.chunk = max(min(CHUNK, 2 ^ exponent(p.n)), o.batch)
  while o.chunk > o.batch and shared_bytes(w, p, o, rows, columns) > M.SHARED do o.chunk = o.chunk / 2 end
  if shared_bytes(w, p, o, rows, columns) > MOST_SHARED then return nil end
  o.extents, o.blocks = {}, 1
  for k, extent in ipairs(p.kept_extents) do
    if k ~= row and k ~= column then o.extents[#o.extents + 1] = extent end
  end
  o.extents[#o.extents + 1] = ceil(along / rows)
  o.extents[#o.extents + 1] = ceil(p.kept_extents[column] / columns)
  for _, extent in ipairs(o.extents) do o.blocks = o.blocks * extent end
  if o.blocks > MOST_BLOCKS or not M.tile and o.blocks < M.BLOCKS then return nil end
  o.vector, o.wide, o.resident = in_vectors(p, o), plan.always_wide, M.RESIDENT
  for i = 1, #p.kept do
    o.wide = o.wide or reach(p.kept_extents, p.kept[i]) + reach(p.gone_extents, p.gone[i]) >= plan.LIMIT
  end
  return o
end

---What plans depend on, besides programs and how arrays lie.
---@return boolean|table
function M.choice() return M.enabled and (M.tile or true) end

---How a reduction is computed in tiles; nil: it is not.
---@param w cudalua.gpuarray.Walk
---@param p cudalua.gpuarray.ReductionPlan  how elements lie
---@param kind cudalua.gpuarray.ReductionKind
---@return cudalua.gpuarray.Outer?
function M.plan(w, p, kind)
  if not M.enabled or kind.members or p.kept_rank < 2 or p.n < 2 or p.n > M.MOST then return nil end
  for i = 1, w.nleaves do
    if w.leaves[i].places then return nil end
  end
  local row, column = axes_of(p)
  if not row then return nil end
  local cost = costs.sum(plan.tokens(w.state))
  local tiles = kind.acc.itemsize > 4 and M.TILES_OF_LARGE or M.TILES
  for _, tile in ipairs(M.tile and { M.tile } or tiles) do
    local o = make(w, p, kind, tile, row, column, cost)
    if o then return o end
  end
end

-- ---- the end of the program -----------------------------------------------------------------------------------------

local endings, steps = {}, {}

-- The token that ends a program.
---@param kind cudalua.gpuarray.ReductionKind
---@param p cudalua.gpuarray.ReductionPlan
---@param o cudalua.gpuarray.Outer
---@return table
function M.ending(kind, p, o)
  local known = endings[kind]
  if not known then
    known = {}
    endings[kind] = known
  end
  local key = table.concat({ p.kept_rank, p.gone_rank, o.row, o.column, o.rows, o.columns, o.across, o.batch, o.levels,
    o.rest, o.chunk, o.vector and 1 or 0, o.wide and 1 or 0, o.resident or 0 }, " ")
  local token = known[key]
  if not token then
    token = { kind = "end", reduction = kind, form = "outer", kept = p.kept_rank, gone = p.gone_rank, wide = o.wide,
      row = o.row, column = o.column, rows = o.rows, columns = o.columns, across = o.across, batch = o.batch,
      levels = o.levels, rest = o.rest, chunk = o.chunk, vector = o.vector, resident = o.resident }
    known[key] = token
  end
  return token
end

-- How an operand is loaded: by its class, neighbouring threads taking neighbours along the reduced axes or not.
local function step_token(class, along)
  local key = class .. (along and " along" or "")
  local token = steps[key]
  if not token then
    token = { kind = "step", class = class, along = along }
    steps[key] = token
  end
  return token
end

---Adds how operands lie to the program, and the numbers of the kernel.
---@param w cudalua.gpuarray.Walk
---@param p cudalua.gpuarray.ReductionPlan
---@param o cudalua.gpuarray.Outer
---@return integer count
function M.close(w, p, o)
  local numbers, count = w.numbers, 0
  count = plan.put_extents(numbers, count, o.extents, #o.extents, false)
  numbers[count + 1], numbers[count + 2] = p.kept_extents[o.row], p.kept_extents[o.column]
  count = plan.put_extents(numbers, count + 2, p.gone_extents, p.gone_rank, o.wide)
  count = put(numbers, count, p.kept[1], p.kept_rank)
  for i = 2, #p.kept do
    local class, last = class_of(p, o, i), abs(p.gone[i][p.gone_rank])
    local kept = class == "point" and math.huge or abs(p.kept[i][o[class]])
    plan.step(w, step_token(class, last ~= 0 and last <= kept))
    count = put(numbers, put(numbers, count, p.kept[i], p.kept_rank), p.gone[i], p.gone_rank)
  end
  return count
end

return M
