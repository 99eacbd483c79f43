-- Running a reduction: which of the kernels of kernels/array/reduce.cu is taken, and its call.
--
-- How an output's elements are combined depends on their number alone (reduce.cu); what is decided here, from how the
-- arrays lie in memory and how many outputs there are, is only which thread does it.

local core = require "cudalua.core"
local codegen = require "cudalua.gpuarray.codegen"
local evaluate = require "cudalua.gpuarray.evaluate"
local graph = require "cudalua.gpuarray.graph"
local layout = require "cudalua.layout"
local plan = require "cudalua.gpuarray.plan"
local reduce_code = require "cudalua.gpuarray.reduce_code"
local storage = require "cudalua.gpuarray.storage"

local abs, ceil, min, max = math.abs, math.ceil, math.min, math.max

local BLOCK, UNIT = 256, 1024 -- threads of a block, elements of a unit: see reduce.cu
local MOST_UNITS = 256        -- that a block has of an output: one value of each in shared memory
local BLOCKS = 2048           -- that keep any GPU busy: fewer outputs than these are shared by blocks

-- The exponent of the smallest power of two that is not less.
local function exponent(n)
  local e = 0
  while 2 ^ e < n do e = e + 1 end
  return e
end

-- ---- the plan -------------------------------------------------------------------------------------------------------

-- What decides about the order of the axes: the first array that is not broadcast.
local function main_operand(w, operands)
  local n = 1
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then
      n = n + 1
      if layout.same(w.leaves[i].shape, w.shape) then return operands[n] end
    end
  end
  return operands[2] or operands[1]
end

-- Bytes of memory traffic for each element where neighbouring threads are so many elements apart.
local function traffic(stride, itemsize) return min(abs(stride) * itemsize, 32) end

-- Do neighbouring threads take neighbouring outputs, and not neighbouring elements of one?
local function side_by_side(w, kept, gone, n)
  if n == 1 then return false end
  local along_kept, along_gone, operand = 0, 0, 1
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then
      operand = operand + 1
      local itemsize = w.leaves[i].dtype.itemsize
      along_kept = along_kept + traffic(kept[operand][#kept[operand]], itemsize)
      along_gone = along_gone + traffic(gone[operand][#gone[operand]], itemsize)
    end
  end
  return along_kept < along_gone
end

-- The kernel's form, the numbers of blocks, of parts of an output, and of counters, and two numbers for the kernel.
local function schedule(outputs, n, columns)
  local units = ceil(n / UNIT)
  if columns then
    local log_y = n > 32 and 3 or max(exponent(n) - 2, 0)
    local log_x = 8 - log_y
    if units > 1 then log_x = min(max(exponent(outputs), 2), 5) end
    local groups, parts = ceil(outputs / 2 ^ log_x), ceil(units / 2 ^ (8 - log_x - log_y))
    if parts == 1 then return "columns", groups, 1, 0, log_x, log_y end
    return "columns_split", groups * parts, parts, groups, log_x, log_y
  end
  if units == 1 then
    local log_lanes = min(exponent(n), 5)
    return "rows", ceil(outputs * 2 ^ log_lanes / BLOCK), 1, 0, log_lanes, 0
  end
  local log_units = exponent(units)
  if log_units <= 5 then
    local rows = max(8 / 2 ^ log_units, 1)
    return "units", ceil(outputs / rows), 1, 0, rows, log_units
  end
  log_units = 3
  while 2 ^ log_units < min(units, MOST_UNITS) and outputs * ceil(units / 2 ^ (log_units + 1)) >= BLOCKS do
    log_units = log_units + 1
  end
  local parts = ceil(units / 2 ^ log_units)
  if parts == 1 then return "units", outputs, 1, 0, 1, log_units end
  return "units_split", outputs * parts, parts, outputs, parts, log_units
end

local endings = {} -- kind -> form, ranks and width -> token

local function ending(kind, form, kept, gone, wide)
  local known = endings[kind]
  if not known then
    known = {}
    endings[kind] = known
  end
  local key = form .. kept * 256 + gone * 2 + (wide and 1 or 0)
  if not known[key] then
    known[key] = { kind = "end", reduction = kind, form = form, kept = kept, gone = gone, wide = wide }
  end
  return known[key]
end

local function reach(extents, strides)
  local sum = 0
  for k = 1, #extents do sum = sum + (extents[k] - 1) * abs(strides[k]) end
  return sum
end

local function put_extents(numbers, count, extents, rank, wide)
  for k = 2, rank do
    count = count + 1
    numbers[count] = extents[k]
    if not wide then
      numbers[count + 1], numbers[count + 2] = plan.magic(extents[k])
      count = count + 2
    end
  end
  return count
end

local function put(numbers, count, strides, rank)
  for k = 1, rank do numbers[count + k] = strides[k] end
  return count + rank
end

-- The end of a program, but for the steps of its operands.
local function begin_end(w, from, kind, form, kept, gone, wide)
  for _, dt in ipairs(kind.through) do
    if dt ~= from then plan.step(w, graph.conversion(dt)) end
    from = dt
  end
  plan.step(w, ending(kind, form, kept, gone, wide))
end

-- One output of arrays without gaps, as is common: their elements are numbered as the output's are.
local function close_whole(w, from, kind, n)
  for i = 1, w.nleaves do
    local l = w.leaves[i]
    if w.classes[i] == "strided" and not (l.dense and layout.same(l.shape, w.shape)) then return nil end
  end
  local form, blocks, parts, counters, first, second = schedule(1, n, false)
  begin_end(w, from, kind, form, 0, 1, n >= plan.LIMIT)
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then plan.step(w, plan.steps[1]) end
  end
  return { blocks = blocks, parts = parts, counters = counters, first = first, second = second, count = 0 }
end

-- Ends the program of a reduction of elements of type `from`: out_strides are those of the result along the operand's
-- axes, in elements.
local function close(w, from, kind, axes, out_strides, outputs, n)
  local whole = outputs == 1 and close_whole(w, from, kind, n)
  if whole then return whole end
  local shape, operands = w.shape, { out_strides }
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then operands[#operands + 1] = plan.along(w.leaves[i], shape) end
  end
  local stay, go = {}, {}
  local order = plan.ordered(shape, main_operand(w, operands))
  for _, axis in ipairs(order) do
    if not axes[axis] then stay[#stay + 1] = axis elseif not kind.ordered then go[#go + 1] = axis end
  end
  for axis = 1, kind.ordered and #shape or 0 do
    if axes[axis] then go[#go + 1] = axis end
  end
  local kept_extents, kept = plan.collapse(shape, operands, stay)
  local gone_extents, gone = plan.collapse(shape, operands, go)
  local wide = outputs * n >= plan.LIMIT
  for i = 1, #operands do
    wide = wide or reach(kept_extents, kept[i]) + reach(gone_extents, gone[i]) >= plan.LIMIT
  end
  local kept_rank, gone_rank = outputs == 1 and 0 or #kept_extents, #gone_extents
  local columns = kept_rank > 0 and side_by_side(w, kept, gone, n)
  local form, blocks, parts, counters, first, second = schedule(outputs, n, columns)

  begin_end(w, from, kind, form, kept_rank, gone_rank, wide)
  local numbers = w.numbers
  local count = put_extents(numbers, 0, kept_extents, kept_rank, wide)
  count = put_extents(numbers, count, gone_extents, gone_rank, wide)
  count = put(numbers, count, kept[1], kept_rank)
  for i = 2, #operands do
    local token = plan.steps[gone[i][gone_rank]] or plan.steps.any
    plan.step(w, token)
    count = put(numbers, count, kept[i], kept_rank)
    count = put(numbers, count, gone[i], gone_rank - (token.step and 1 or 0))
  end
  return { blocks = blocks, parts = parts, counters = counters, first = first, second = second, count = count }
end

-- ---- counters -------------------------------------------------------------------------------------------------------

-- Kernels whose outputs are shared by blocks count these, and leave them at 0 for the next one: so a stream has its
-- own. By context and stream.
local counters_of = {}
local _, per_thread = core.default_streams()

local function zeros(count)
  local buf = storage.buffer(4 * count)
  core.array_ready(buf)
  core.memset(32, buf, 0, count, true, core.current_stream())
  return buf
end

-- `capturing`: the work goes into a graph, which may be launched in any stream.
local function counters(context, count, capturing)
  local stream = core.current_stream()
  if stream == per_thread or capturing then return zeros(count) end -- each thread has its own
  local known = counters_of[context]
  if not known then
    known = setmetatable({}, { __mode = "k" })
    counters_of[context] = known
  end
  local c = known[stream]
  if not c or c.count < count then
    count = max(count, 1024)
    c = { count = count, buf = zeros(count) }
    known[stream] = c
  end
  return c.buf
end

-- ---- one kernel -----------------------------------------------------------------------------------------------------

local function kernel_of(state)
  local k = state.kernel
  if not k then
    k = reduce_code.kernel(codegen.program(plan.tokens(state)))
    k.loaded = {}
    state.kernel = k
  end
  return k
end

-- What the kernel is called with; a pointer takes two places.
local function gather(w, p, out, outputs, n, partial, counting)
  local list, numbers, at = w.arguments, w.numbers, 5
  list[1], list[2], list[3], list[4], list[5] = outputs, n, n, p.first, p.second
  if partial then
    list[6], list[7], list[8], list[9], list[10] = p.parts, partial, 0, counting, 0
    at = 10
  end
  list[at + 1], list[at + 2] = out.buf, out.off
  at = at + 2
  for i = 1, w.nleaves do
    local l = w.leaves[i]
    list[at + 1], list[at + 2] = l.buf, l.off
    at = at + 2
  end
  for i = 1, w.nscalars do
    at = at + 1
    list[at] = w.scalars[i]
  end
  for i = 1, p.count do list[at + i] = numbers[i] end
end

local MOST_NUMBERS = 400 -- of the strides and extents that a kernel takes: 4 KiB hold them and 32 arrays

local compute

-- The same in the context that the arrays are of.
local function compute_elsewhere(buf, ...)
  local context = core.memory_context(buf)
  return context:with(compute, ...)
end

---Reduces an array that has elements.
---@param kind cudalua.gpuarray.ReductionKind
---@param x cudalua.gpuarray.Array
---@param axes table<integer, boolean>  those that go
---@param out_shape integer[]            given away
---@param out_strides integer[]          of the result along x's axes, in elements; 0 along those that go
---@param outputs integer                how many there are
---@param n integer                      of how many elements each is
---@return cudalua.gpuarray.Array        a new one
function compute(kind, x, axes, out_shape, out_strides, outputs, n)
  local bytes = outputs * kind.result.itemsize
  while true do
    -- First of all, for anything may happen in it: the collector's, and so finalizers of the user's.
    local buf, context = storage.buffer(bytes)
    local writes = storage.writes
    local w = plan.begin(x._shape, false)
    plan.walk(w, graph.operand(x))
    if w.context and w.context ~= context then
      local inside = w.leaves[1].buf
      plan.finish(w, false)
      return compute_elsewhere(inside, kind, x, axes, out_shape, out_strides, outputs, n)
    end
    local again = plan.computed_before(w, 1)
    local p = not again and close(w, x._dtype, kind, axes, out_strides, outputs, n)
    if p and p.count > MOST_NUMBERS and x._sig then again = x end
    if again then
      plan.finish(w, false)
      evaluate.evaluate(again, 2)
    else
      local out = storage.new_leaf(storage.new_store(buf, bytes, context), 0, kind.result, out_shape,
        storage.dense_strides(out_shape, kind.result.itemsize))
      local k = kernel_of(w.state)
      local fn = k.loaded[context]
      if not fn or evaluate.fast_math then fn = evaluate.load(k, context) end
      local partial, counting
      if p.counters > 0 then
        partial = storage.buffer(outputs * p.parts * k.acc_bytes)
        counting = counters(context, p.counters, core.array_ready(partial))
      end
      gather(w, p, out, outputs, n, partial, counting)
      local done, captured = writes == storage.writes, false
      if done and fn and core.array_run(fn, p.blocks, w.arguments) then
        captured = true
        evaluate.captured(w, out)
      end
      if partial and not captured then partial:free() end
      plan.finish(w, false)
      if done then
        -- The expression was computed once; whoever needs it again has it computed for good.
        if x._sig then x._used = x._used + 1 end
        return storage.array_of(out, outputs)
      end
      -- A finalizer wrote to arrays meanwhile: what the walk saw is not so any more.
    end
  end
end

return { compute = compute }
