-- Computing: a pending array gets its value, or an expression is written to memory that is there.

local again = require "cudalua.gpuarray.core.again"
local core = require "cudalua.core"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local object = require "cudalua.gpuarray.core.object"
local plan = require "cudalua.gpuarray.core.plan"
local planning = require "cudalua.gpuarray.core.planning"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local waiting = require "cudalua.gpuarray.core.waiting"

local ceil = math.ceil
local context_id, run_fresh, AGAIN = core.context_id, run.fresh, run.AGAIN
local begin, walk_alone, close, finish = plan.begin, plan.walk_alone, plan.close, plan.finish
local computed_before = plan.computed_before
local pools, bare_store, fresh_leaf = storage.pools, storage.bare_store, storage.fresh_leaf
local kind_of, settle_in, size_of = storage.kind_of, storage.settle_in, object.size_of

local M = {}

---cut.lua: an expression is cut when it is evaluated if it has more than `OPERATIONS`, or reads more than `LEAVES`.
M.limits = false
local LONG = 24 -- what has fewer operations, and so at most twice as many operands, is not cut: see cut.lua

-- ---- kernels --------------------------------------------------------------------------------------------------------

-- The kernel of a program, which is not compiled.
local function kernel_of(state)
  local k = state.kernel
  if not k then
    k = codegen.elementwise(codegen.program(plan.tokens(state)))
    k.loaded, k.per_block = {}, k.elements * codegen.BLOCK
    state.kernel = k
  end
  return k
end
M.kernel_of = kernel_of

-- ---- one kernel -----------------------------------------------------------------------------------------------------

-- What the kernel is called with; see codegen.lua for the order. A pointer takes two places.
local function gather(w, out, size, count)
  local list, numbers = w.arguments, w.numbers
  list[1], list[2], list[3] = size, out.buf, out.off
  local n = 3
  local leaves, scalars = w.leaves, w.scalars
  for i = 1, w.nleaves do
    local l = leaves[i]
    list[n + 1], list[n + 2] = l.buf, l.off
    n = n + 2
  end
  for i = 1, w.nscalars do
    n = n + 1
    list[n] = scalars[i]
  end
  for i = 1, count do list[n + i] = numbers[i] end
  return list
end

-- A driver takes 4 KiB of arguments.
local ARGUMENTS = 4000

local function too_many(w, count) return 8 * (2 + w.nleaves + w.nscalars + count) > ARGUMENTS end
M.too_many = too_many

---Computes the operands of an expression that cannot be one kernel; one operation always can.
---@param x cudalua.gpuarray.Array
function M.compute_operands(x)
  for _, operand in ipairs { x._a, x._b, x._c } do
    if type(operand) == "table" and operand._sig then M.evaluate(operand) end
  end
end
local compute_operands = M.compute_operands

local compute

-- The same in the context that the arrays are of.
local function compute_elsewhere(buf, ...)
  return storage.with_context(buf, compute, ...)
end

local in_order = { dense = true, aligned = true, buf = false, off = 0 } -- how any new array in C order lies

-- The same for a program that needs to know the steps along its axes. Not dense: the result has another order.
local function new_layout(w, x, shape, dtype)
  if plan.kept_order(w, x, dtype.itemsize) then return { dense = false } end
  return { dense = true, aligned = true, buf = false, off = 0, dtype = dtype, shape = shape,
    strides = storage.dense_strides(shape, dtype.itemsize), store = storage.NEW }
end

-- The most common case: the kernel is loaded, the pool has memory, and the result is in C order. One call of C then
-- does everything. Returns the memory and the context. Returns nil if nothing was done, so that compute() goes through
-- all steps. whole: it is cut already.
local function compute_at_once(x, shape, size, dtype, whole)
  local writes, w = storage.writes, begin(shape, true)
  walk_alone(w, x, dtype)
  local context = w.context or context_id()
  local pool = pools[context]
  if pool and size > 0 and not run.fast_math and (whole or w.nleaves <= M.limits.LEAVES) and not computed_before(w) then
    local out = (w.strided or w.below) and new_layout(w, x, shape, dtype) or in_order
    local state, count
    if out.dense then state, count = close(w, out, size) end
    local k = state and state.kernel
    local fn = k and k.loaded[context]
    if fn and not too_many(w, count) then
      local bytes, list = size * dtype.itemsize, gather(w, in_order, size, count)
      local blocks = w.blocks or ceil(size / k.per_block)
      if hooks.profiling then run.say_bytes(w.leaves, w.nleaves, bytes) end
      local buf = run_fresh(writes, fn, blocks, list, pool, bytes)
      for i = 1, w.nleaves do list[2 + 2 * i] = false end -- memory must not live on here
      if buf then
        finish(w, true)
        return buf, context
      end
    end
  end
  finish(w, false)
end

-- An attempt to write the expression x to the leaf `out`, or to the new memory `buf`.
local function attempt(since, x, shape, size, dtype, out, buf, context)
  local w = begin(shape, not out or out.dense)
  walk_alone(w, x, dtype)
  if w.context and w.context ~= context or out and out.store.context ~= context then
    local inside = w.home or out and out.buf
    if out and w.context and out.store.context ~= w.context then plan.other_context(out) end
    if inside then
      finish(w, false)
      return compute_elsewhere(inside, x, shape, size, dtype, out, since) or AGAIN
    end
  end
  local first = plan.needed_first(w)
  if first then
    if planning.notes then planning.notes:first(w, first) end
    finish(w, false)
    M.evaluate(first)
    return AGAIN
  end
  local before = w.nagain > 0 and again.choose(w)
  if before then
    if planning.notes then planning.notes:again(before, again.total(w, before)) end
    finish(w, false)
    if not out then M.together({ before, x }, true) end
    if before._sig then M.evaluate(before) end
    if out or x._sig then return AGAIN end
    if buf then storage.give_back(buf) end
    return storage.leaf_of(x)
  end
  local to = out
  if not to then
    local strides = plan.kept_order(w, x, dtype.itemsize)
    if strides then w.dense = false end
    to = storage.new_leaf(bare_store(buf, size * dtype.itemsize, context), 0, dtype, shape,
      strides or storage.dense_strides(shape, dtype.itemsize))
  end
  if size == 0 then
    finish(w, true)
    return to
  end
  local state, count = close(w, to, size)
  if too_many(w, count) then
    if planning.notes then planning.notes:operands(x) end
    finish(w, false)
    compute_operands(x)
    return AGAIN
  end
  local k = state.kernel or kernel_of(state)
  gather(w, to, size, count)
  w.kernel, w.blocks, w.since = k, w.blocks or ceil(size / k.per_block), since
  w.writes[1], w.nwrites = to, 1
  local launched = run.kernel(w)
  finish(w, launched)
  return launched and to or AGAIN
end

-- Writes the expression x to the leaf `out`, in one kernel; or to a new array of this dtype, whose leaf is returned.
-- since: of storage.writes; nil is returned, and nothing was written, where there were others since then. whole: it is
-- cut already. tried: compute_at_once() could not do it.
function compute(x, shape, size, dtype, out, since, whole, tried)
  local buf, context
  if out then
    context = context_id()
  else
    if not tried then buf, context = compute_at_once(x, shape, size, dtype, whole) end
    if buf then return fresh_leaf(bare_store(buf, size * dtype.itemsize, context), dtype, shape) end
    if not whole then
      M.fit(x)
      if not x._sig then return storage.leaf_of(x) end
    end
    buf, context = storage.buffer(size * dtype.itemsize)
  end
  if not since then return run.until_done(attempt, x, shape, size, dtype, out, buf, context) end
  local leaf
  repeat
    leaf = attempt(since, x, shape, size, dtype, out, buf, context)
  until leaf ~= AGAIN or since ~= storage.writes
  return leaf ~= AGAIN and leaf or nil
end

-- ---- errors ---------------------------------------------------------------------------------------------------------

-- The operations of an expression with the lines that wrote them, in their order.
local function lines_of(x, list, seen)
  if type(x) ~= "table" or seen[x] then return list end
  local sig, a, b, c = x._sig, x._a, x._b, x._c -- a finalizer may compute x on the way
  if not sig then return list end
  seen[x] = true
  lines_of(a, list, seen)
  lines_of(b, list, seen)
  lines_of(c, list, seen)
  local line = storage.line_of(x)
  if line then list[#list + 1] = ("%s at %s"):format(sig.op.name, line) end
  return list
end

local MOST = 8 -- of them, in a message

---As f(x, ...), and an error tells where the expression was written.
---@param f function
---@param x any  an expression, or a list of them
---@param ... any
---@return any, any
function M.traced(f, x, ...)
  local lines, seen = {}, {}
  if type(x) ~= "table" or x._born then
    lines_of(x, lines, seen)
  else
    for i = 1, #x do lines_of(x[i], lines, seen) end
  end
  local ok, result, context = pcall(f, x, ...)
  if ok then return result, context end
  if errors.is_error(result) and #lines > 0 and not result.expression then
    result.expression = lines
    local shown = #lines > MOST and ("%s ... (%d operations)"):format(table.concat(lines, ", ", 1, MOST), #lines)
      or table.concat(lines, ", ")
    result.hint = (result.hint and result.hint .. "; " or "") .. "the expression was written as " .. shown
  end
  error(result, 0)
end
local traced = M.traced

---What x was computed to is its value from here on, unless a finalizer computed or released it meanwhile.
---@param x cudalua.gpuarray.Array
---@param leaf table
function M.take(x, leaf)
  if graph.is_traced() then storage.set_memory_line(leaf.buf, storage.line_of(x)) end
  local store = leaf.store
  if x._sig then storage.adopt(x, store) end
  if x._born > storage.evaluated then storage.evaluated = x._born end
  storage.settle(x, leaf)
end
local take = M.take
function waiting.settle(x, leaf) return M.take(x, leaf) end

local function settle(x, leaf)
  take(x, leaf)
  return x._a == leaf and leaf or storage.leaf_of(x)
end

---Cuts an expression that is too long for one kernel: see cut.lua.
---@param x any
function M.fit(x)
  if type(x) == "table" and x._sig and x._born - x._low >= LONG then graph.fit(x) end
end
local fit = M.fit

---The same, but the arrays that it reads are not counted: the walk does that.
---@param x cudalua.gpuarray.Array
function M.fit_operations(x)
  if x._sig and x._born - x._low >= M.limits.OPERATIONS then graph.fit(x) end
end
local fit_operations = M.fit_operations

-- `tried`: compute_at_once() could not do it.
local function evaluate(x, whole, tried)
  if x._sig and waiting.list then waiting.start(x) end
  local sig = x._sig
  if not sig then
    x._used = 0 -- it is read: see habits.lua
    return storage.leaf_of(x)
  end
  if sig.reduces then return waiting.compute(x) end
  if not whole then
    fit_operations(x)
    if not x._sig then return storage.leaf_of(x) end
  end
  local leaf
  if graph.is_traced() then
    leaf = traced(compute, x, x._shape, size_of(x._shape), sig.result, nil, nil, whole, tried)
  else
    leaf = compute(x, x._shape, size_of(x._shape), sig.result, nil, nil, whole, tried)
  end
  return settle(x, leaf)
end

---The value of a pending array: it is computed, unless it was before.
---@param x cudalua.gpuarray.Array
---@param whole? boolean  it is cut already: see cut.lua
---@return table leaf
function M.evaluate(x, whole) return evaluate(x, whole, false) end
graph.evaluate = M.evaluate

---Is an error not the expression's fault? True if the program was interrupted or the device is lost.
---@param failure any
---@return boolean
function M.is_final(failure)
  return not errors.is_error(failure) or failure.sticky or errors.is_error(failure, "InterruptError")
end

---The same for callers that do not need the value: if x cannot be computed, later uses raise the error.
---@param x cudalua.gpuarray.Array
---@return any? failure  the error; nil: x has a value
---@raise an interruption, and what ends the device
function M.attempt(x)
  local ok, failure = pcall(M.force, x)
  if ok then return nil end
  if M.is_final(failure) then error(failure, 0) end
  return failure
end

---The same for callers that do not need the value's layout, which is made when it is needed.
---@param x cudalua.gpuarray.Array
function M.force(x)
  if x._sig and waiting.list then waiting.start(x) end
  local sig = x._sig
  if sig and sig.reduces then return waiting.compute(x) end
  fit_operations(x)
  sig = x._sig
  local tried = false
  if sig and x._used < 0 and not storage.is_scoped() then
    tried = true
    local dtype, size = sig.result, size_of(x._shape)
    local buf, context
    if graph.is_traced() then
      buf, context = traced(compute_at_once, x, x._shape, size, dtype)
    else
      buf, context = compute_at_once(x, x._shape, size, dtype)
    end
    if buf and graph.is_traced() then storage.set_memory_line(buf, storage.line_of(x)) end
    if not x._sig then return end -- by a finalizer, meanwhile
    if x._born > storage.evaluated then storage.evaluated = x._born end
    if buf then
      -- Otherwise a finalizer made it an operand.
      if not settle_in(x, buf, kind_of(dtype, context)) then
        settle(x, fresh_leaf(bare_store(buf, size * dtype.itemsize, context), dtype, x._shape))
      end
      return
    end
  end
  if x._sig or type(x._a) == "table" then evaluate(x, false, tried) else x._used = 0 end
end

-- A leaf of structs as one of the words that they are made of, along one more axis.
local function in_words(l)
  local dtype = l.dtype
  local unit = math.min(dtype.alignment, 8)
  local n = #l.shape
  local shape, strides = { unpack(l.shape, 1, n) }, { unpack(l.strides, 1, n) }
  shape[n + 1], strides[n + 1] = dtype.itemsize / unit, unit
  local words = storage.new_leaf(l.store, l.off, dtypes["uint" .. 8 * unit], shape, strides)
  words.buf = l.buf
  return words
end
M.in_words = in_words

---Writes an expression to a leaf, in one kernel. Where it may still be read is the caller's business.
---@param x any          array, leaf, or value, of the leaf's dtype and a shape that it broadcasts to the leaf's
---@param out table      leaf
---@param size integer
---@param since? integer  of storage.writes: nothing is written if there were others since then
---@return boolean done
function M.store(x, out, size, since)
  if waiting.list then waiting.start() end
  fit(x)
  if out.dtype.kind == "struct" and x._leaf == true then
    size = size * out.dtype.itemsize / math.min(out.dtype.alignment, 8)
    x, out = in_words(x), in_words(out)
  end
  local done
  if graph.is_traced() then
    done = traced(compute, x, out.shape, size, out.dtype, out, since)
  else
    done = compute(x, out.shape, size, out.dtype, out, since)
  end
  if done then again.computed(x) end
  return done ~= nil
end

return M
