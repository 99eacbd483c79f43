-- Running a scan: which of the kernels of kernels/array/scan.cu is taken, and its call.
--
-- How elements are combined depends on their number alone (scan.cu); what is decided here, from how the arrays lie in
-- memory and how many lines there are, is only which thread does it.

local core = require "cudalua.core"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local gathered = require "cudalua.gpuarray.reduce.axes"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local plan = require "cudalua.gpuarray.core.plan"
local runs = require "cudalua.gpuarray.core.run"
local scan_cells = require "cudalua.gpuarray.reduce.scan_cells"
local scan_code = require "cudalua.gpuarray.reduce.scan_code"
local storage = require "cudalua.gpuarray.core.storage"
local sub = require("cudalua.base.tables").sub
local waiting = require "cudalua.gpuarray.core.waiting"
local write = require "cudalua.gpuarray.core.write"

local ceil, max, min = math.ceil, math.max, math.min
local AGAIN = runs.AGAIN
local exponent, operand_of = gathered.exponent, gathered.operand_of

local M = {}

local WARP, LOG_WARP, WARPS = scan_code.WARP, 5, scan_code.WARPS
local MANY = 1024 -- lines of up to a tile that make enough work for a warp each

---Lines side by side are done by a block for some of them each where that makes so many blocks; else by blocks that
---have a part of some lines.
M.ENOUGH = 264

---So many of them at least, as a power of two, where there are so many: a sector of memory with 4 bytes of each.
M.LOG_WIDTH = 3

---How a scan is done.
---@class cudalua.gpuarray.ScanPlan : cudalua.gpuarray.Split
---@field blocks integer
---@field number integer     for the kernel: it depends on its form
---@field parts integer      of a line that blocks have
---@field together? integer  of these make a tile, or so many tiles a group
---@field count integer      numbers for the kernel: extents and strides

-- ---- the plan -------------------------------------------------------------------------------------------------------

-- The kernel's form, the number of blocks, a number for the kernel, in how many parts blocks have a line, and how many
-- of these make a tile, or tiles a group.
local function schedule(kind, lines, n, beside)
  local run, rows = scan_code.sizes(kind.result.itemsize, kind.acc.itemsize)
  local row = WARP * run
  local tiles = ceil(n / (WARPS * rows * row))
  if beside and n > 1 then
    local log_width = lines <= 4 and 2 or M.LOG_WIDTH
    while log_width < LOG_WARP and ceil(lines / 2 ^ (log_width + 1)) >= M.ENOUGH do log_width = log_width + 1 end
    local groups = ceil(lines / 2 ^ log_width)
    if groups >= M.ENOUGH then return "columns", groups, log_width, 1 end
    -- Wide ones where that leaves many groups: few groups are in many parts, and wait the longer the wider they are.
    log_width = lines <= 4 and 2 or max(M.LOG_WIDTH, min(exponent(lines / WARP), LOG_WARP))
    groups = ceil(lines / 2 ^ log_width)
    local together = rows * WARPS * 2 ^ (log_width - LOG_WARP)
    local parts = ceil(n / (row * 2 ^ (LOG_WARP - log_width)))
    if parts == 1 then return "columns", groups, log_width, 1 end
    return "columns_split", groups * parts, log_width, parts, together
  end
  if n <= row then
    local log_lanes = exponent(ceil(n / run))
    return "short", ceil(lines / (WARPS * rows * 2 ^ (LOG_WARP - log_lanes))), log_lanes, 1
  end
  if tiles == 1 then
    if lines >= MANY then return "rows", ceil(lines / WARPS), 0, 1 end
    return "tile", lines, 1, 1
  end
  return "tiles", lines * tiles, tiles, tiles, WARP
end

local endings = {} -- kind -> form, ranks and width -> token

local function ending(kind, form, p, vector)
  local known = sub(endings, kind)
  local key = ("%s %d %d %s %s"):format(form, p.kept_rank, p.gone_rank, p.wide, vector)
  if not known[key] then
    known[key] = { kind = "end", scan = kind, form = form, kept = p.kept_rank, gone = p.gone_rank, wide = p.wide,
      vector = vector }
  end
  return known[key]
end

-- Can every run, of `length` elements, be read and written at once?
local function in_runs(w, length, out, p)
  local operand = 0
  local function fits(l)
    operand = operand + 1
    local bytes = length * l.dtype.itemsize
    if #p.gone[operand] ~= 1 or p.gone[operand][1] ~= 1 or not l.aligned or bytes > 16 then return false end
    for _, stride in ipairs(p.kept[operand]) do
      if stride * l.dtype.itemsize % bytes ~= 0 then return false end
    end
    return true
  end
  if not fits(out) then return false end
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" and not fits(w.leaves[i]) then return false end
  end
  return true
end

---What is scanned, and where it goes.
---@class cudalua.gpuarray.Scan
---@field kind cudalua.gpuarray.ReductionKind
---@field x cudalua.gpuarray.Array|cudalua.gpuarray.Operand
---@field axis? integer              along which; nil: all elements in C order, to an array of one axis
---@field to? cudalua.gpuarray.Array  of the result's shape and dtype, to be written; nil: a new one
---@field ours? table<table, boolean>  expressions that are not shared: x, and its operands
---@field pending? boolean           the new result is the value of a pending array
---@field store? table               storage of a new result

-- Ends the program of a scan, whose results go to the leaf `out`.
local function close(w, scan, out)
  local kind, x, axis, shape = scan.kind, scan.x, scan.axis, w.shape
  local n = axis and shape[axis] or x._size
  local lines, operands = x._size / n, {}
  operands[1] = axis and plan.along(out, shape) or layout.dense_strides(shape, out.strides[1] / out.dtype.itemsize, "C")
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then operands[#operands + 1] = plan.along(w.leaves[i], shape) end
  end
  local stay, go = {}, {}
  for _, k in ipairs(plan.ordered(shape, operands[2] or operands[1])) do
    if axis and k ~= axis then stay[#stay + 1] = k end
  end
  for k = 1, #shape do
    if not axis or k == axis then go[#go + 1] = k end
  end
  local p = gathered.split({ outputs = lines, n = n }, shape, operands, stay, go)
  local beside = p.kept_rank > 0 and gathered.side_by_side(w, p, kind.result.itemsize)
  local form
  form, p.blocks, p.number, p.parts, p.together = schedule(kind, lines, n, beside)
  local length = scan_code.sizes(kind.result.itemsize, kind.acc.itemsize)
  local vector = not beside and length > 1 and in_runs(w, length, out, p)
  if not vector and (beside or length > 1) then vector = "striped" end

  local from = x._dtype
  for _, dt in ipairs(kind.through) do
    if dt ~= from then plan.step(w, graph.conversion(dt)) end
    from = dt
  end
  plan.step(w, ending(kind, form, p, vector))
  local numbers = w.numbers
  local count = gathered.put_extents(numbers, p)
  for i = 1, #operands do
    local token = plan.steps[p.gone[i][p.gone_rank]] or plan.steps.any
    plan.step(w, token)
    count = gathered.put_operand(numbers, count, p, i, token.step ~= nil)
  end
  p.count = count
  return p
end

-- ---- one kernel -----------------------------------------------------------------------------------------------------

-- What the kernel is called with.
local function gather(w, p, out, cells)
  local list, at = w.arguments, 3
  list[1], list[2], list[3] = p.outputs, p.n, p.number
  if cells then
    list[4], list[5], list[6], list[7], list[8], list[9] = cells.counter, 0, cells.buf, cells.off, cells.line,
      cells.stamp
    at = 9
  end
  gathered.put_program(w, at, out, p.count)
end

local compute

-- Where an array lies that the kernel can write to directly: nobody else knows its memory, and what the kernel reads
-- there is the element that it writes; else nil.
local function place_of(to, w)
  local leaf = storage.leaf_of(to)
  if leaf._low < 0 or not leaf.dense and layout.repeats(leaf.shape, leaf.strides, leaf.dtype.itemsize) then
    return nil
  end
  for i = 1, w.nleaves do
    local l = w.leaves[i]
    if l.buf == leaf.buf and not (l.off == leaf.off and l.dtype == leaf.dtype and layout.same(l.shape, leaf.shape) and
      layout.same(l.strides, leaf.strides)) then
      return nil
    end
  end
  if w.context and w.context ~= leaf.store.context then return nil end
  return leaf
end

-- An attempt in the context of the result.
local function attempt(since, scan, context)
  local kind, x, axis, to, size = scan.kind, scan.x, scan.axis, scan.to, scan.x._size
  if to then write.prepare(to, scan.ours) end
  local w, operand = plan.begin(x._shape, false), operand_of(x)
  plan.walk(w, operand)
  if w.context and w.context ~= context then
    local inside = w.home or w.leaves[1].buf
    plan.finish(w, false)
    return gathered.elsewhere(compute, inside, scan)
  end
  local again = plan.computed_before(w)
  local out, p
  if not again then
    if to then
      out = place_of(to, w)
      if not out then
        plan.finish(w, false)
        return nil
      end
    else
      local shape = axis and x._shape or { size }
      local strides = axis and plan.kept_order(w, operand, kind.result.itemsize)
      out = storage.new_leaf(scan.store, 0, kind.result, shape,
        strides or storage.dense_strides(shape, kind.result.itemsize))
    end
    p = close(w, scan, out)
    if not gathered.fits(w, p) and operand._sig then again = operand end
  end
  if again then
    plan.finish(w, false)
    evaluate.evaluate(again)
    return AGAIN
  end
  local k = gathered.kernel_of(w.state, scan_code.kernel)
  local cells = p.parts > 1 and scan_cells.take(context, p.outputs, p.parts, k.acc_bytes, p.together)
  gather(w, p, out, cells)
  w.kernel, w.blocks, w.since, w.changes, w.scratch = k, p.blocks, since, to ~= nil, cells and cells.scratch
  w.writes[1], w.nwrites = out, 1
  local done = runs.kernel(w)
  plan.finish(w, done)
  if not done then return AGAIN end
  return to or scan.pending and out or storage.array_of(out)
end

---Scans an array that has elements.
---@param scan cudalua.gpuarray.Scan
---@return any  a new array, or its leaf for a pending one, or `to`; nil if that cannot be written directly
function compute(scan)
  if waiting.list then waiting.start() end
  evaluate.fit(scan.x._operand or scan.x)
  if scan.to then return (runs.until_done(attempt, scan, core.context_id())) end
  local bytes = scan.x._size * scan.kind.result.itemsize
  local buf, context = storage.buffer(bytes)
  scan.store = (scan.pending and storage.bare_store or storage.new_store)(buf, bytes, context)
  return (runs.until_done(attempt, scan, context))
end
M.compute = compute

return M
