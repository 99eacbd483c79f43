-- Computes several arrays of one shape in one kernel. Common subexpressions are computed once, and each result has the
-- bits, the strides and the owner that it would have if it were computed alone.
--
-- Callers first try this, and then compute one array after the other, which skips arrays that have a value by then. So
-- nothing here has to succeed. If a kernel cannot compute all results, or anything fails, callers compute the rest,
-- raise the same errors in the same order, and need less memory.

local again = require "cudalua.gpuarray.core.again"
local core = require "cudalua.core"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local marks = require "cudalua.gpuarray.core.marks"
local object = require "cudalua.gpuarray.core.object"
local plan = require "cudalua.gpuarray.core.plan"
local planning = require "cudalua.gpuarray.core.planning"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local strides = require "cudalua.gpuarray.core.strides"
local waiting = require "cudalua.gpuarray.core.waiting"

local ceil, max, min = math.ceil, math.max, math.min
local dtype_of, same, AGAIN = object.dtype_of, layout.same, run.AGAIN

local M = {}

---A kernel has at most MOST results, OPERATIONS operations, and LEAVES arrays that it reads. In addition, it may store
---MORE values that were computed before.
M.MOST, M.OPERATIONS, M.LEAVES, M.MORE = 16, 160, 48, 4

-- ---- groups -----------------------------------------------------------------------------------------------------

---A leaf with memory that an expression reads.
---@param x any
---@param known table<any, table|false>  of expressions that were looked at
---@return table|false leaf  false: none
local function home_of(x, known)
  if type(x) ~= "table" then return false end
  local leaf = object.leaf_of(x)
  if leaf then return leaf.buf and leaf end
  if not x._sig then return false end
  local found = known[x]
  if found == nil then
    found = home_of(x._a, known) or home_of(x._b, known) or home_of(x._c, known)
    known[x] = found
  end
  return found
end

M.home_of = home_of

---Results of one shape and one context, which become one kernel or several.
---@class cudalua.gpuarray.Group
---@field shape integer[]
---@field context integer
---@field home table|false     a leaf of that context, if it is not the current one
---@field whole? boolean       they are cut already
---@field [integer] cudalua.gpuarray.Array

-- Sorts results by age, so that the order of the arguments does not change the kernel.
local function sort(list)
  for i = 2, #list do
    local x, k = list[i], i
    while k > 1 and list[k - 1]._born > x._born do
      list[k] = list[k - 1]
      k = k - 1
    end
    list[k] = x
  end
end

-- Groups the pending arrays of a list, without duplicates.
local function groups_of(list)
  local groups, known, here, start = {}, storage.several and {}, core.context_id(), marks.begin()
  for i = 1, #list do
    local x = list[i]
    local sig = x._sig
    if sig and not sig.placeholder and not sig.reduces and x._mark ~= start + 1 then
      x._mark = start + 1
      local home = known and home_of(x, known)
      local context, shape, group = home and home.store.context or here, x._shape, nil
      for k = 1, #groups do
        local each = groups[k]
        if each.context == context and (each.shape == shape or same(each.shape, shape)) then group = each end
      end
      if not group then
        group = { shape = shape, context = context, home = context ~= here and home }
        groups[#groups + 1] = group
      end
      group[#group + 1] = x
    end
  end
  marks.finish(start, 1)
  return groups
end

-- ---- one kernel -------------------------------------------------------------------------------------------------

---The results of one kernel.
---@class cudalua.gpuarray.Results
---@field n integer
---@field list cudalua.gpuarray.Array[]
---@field buffers (userdata|false)[]
---@field later cudalua.gpuarray.Array[]  those that other kernels compute
---@field shape integer[]
---@field size integer
---@field context integer
---@field whole boolean        they are cut already
---@field many boolean         one of them reads too many arrays
---@field launching boolean    the kernel may have been launched
---@field asked cudalua.gpuarray.Array|false  one kernel computes this array and all others, or none is computed

-- Removes the i-th result. `later`: another kernel computes it.
local function take_out(r, i, later)
  if later then r.later[#r.later + 1] = r.list[i] end
  local buf = r.buffers[i]
  table.remove(r.list, i)
  table.remove(r.buffers, i)
  r.n = r.n - 1
  if buf then storage.give_back(buf) end
end

-- Leaves all results after the first n to another kernel.
local function leave(r, n)
  local later = r.later
  r.later = {}
  for i = n + 1, r.n do r.later[#r.later + 1] = r.list[i] end
  for i = 1, #later do r.later[#r.later + 1] = later[i] end
  for _ = n + 1, r.n do take_out(r, r.n) end
end

local function is_result(r, x)
  for i = 1, r.n do
    if r.list[i] == x then return true end
  end
  return false
end

-- Stores an intermediate value that was computed before: by this kernel if possible.
local function store_too(r, x)
  if r.n >= M.MOST + M.MORE or not same(x._shape, r.shape) or not strides.same_order(strides.order(x),
    strides.order(r.list[1])) then
    evaluate.evaluate(x)
    return
  end
  local buf, context = storage.buffer(r.size * dtype_of(x).itemsize)
  if context ~= r.context or not x._sig then
    if buf then storage.give_back(buf) end
    evaluate.evaluate(x)
    return
  end
  local i = 1
  while i <= r.n and r.list[i]._born < x._born do i = i + 1 end
  table.insert(r.list, i, x)
  table.insert(r.buffers, i, buf)
  r.n = r.n + 1
end

-- Walks over the results, and returns how many of them fit into one kernel.
local function walk_all(w, r)
  for i = 1, r.n do
    local x = r.list[i]
    local itemsize = dtype_of(x).itemsize
    w.root, w.largest, w.bytes = x, max(w.largest, itemsize), w.bytes + itemsize
    plan.walk(w, x, dtype_of(x))
    if i > 1 and (w.ninner + i > M.OPERATIONS or w.nleaves > M.LEAVES) then return i - 1 end
    if not r.whole and w.nleaves > evaluate.limits.LEAVES then
      r.many = true
      return 0
    end
    plan.step(w, plan.store_tokens[dtype_of(x)])
  end
  return r.n
end

-- Keeps the results whose axes have the order of the first one. Returns the order, and whether all results have it.
local function order_of(w, r)
  if not w.strided or not strides.may_differ(w.leaves, w.nleaves, r.shape) then return false, true end
  local first, all = strides.order(r.list[1]), true
  for i = r.n, 2, -1 do
    if not strides.same_order(first, strides.order(r.list[i])) then
      if planning.notes then planning.notes:strides(r.list[i], r.list[1]) end
      table.insert(r.later, 1, r.list[i])
      take_out(r, i)
      all = false
    end
  end
  return first, all
end

-- Where a result goes.
local function leaf_of(r, i, order)
  local dtype = dtype_of(r.list[i])
  local store = storage.bare_store(r.buffers[i], r.size * dtype.itemsize, r.context)
  if not order then return storage.fresh_leaf(store, dtype, r.shape) end
  return storage.new_leaf(store, 0, dtype, r.shape, strides.strides_in(order, r.shape, dtype.itemsize))
end

local in_order = { dense = true, aligned = true, buf = false, off = 0 } -- how any new array in C order lies

-- For the bytes in a profile, and for plans.
local function say_writes(w, r)
  for i = 1, r.n do w.writes[i] = leaf_of(r, i, false) end
  w.nwrites = r.n
end

-- A result has its value. In C order, its leaf is made when somebody needs it, as by evaluate.force().
local function settle(r, i, order, captured)
  local x, buf, context = r.list[i], r.buffers[i], r.context
  if not order and not captured and buf and not (storage.is_scoped() or planning.notes) then
    if x._born > storage.evaluated then storage.evaluated = x._born end
    if storage.settle_in(x, buf, storage.kind_of(dtype_of(x), context)) then return end
  end
  local leaf = leaf_of(r, i, order)
  if captured then run.captured(leaf) end
  evaluate.take(x, leaf)
end

-- What the kernel is called with; see codegen.lua for the order. A pointer takes two places.
local function gather(w, r, count)
  local list, n = w.arguments, 1
  list[1] = r.size
  for i = 1, r.n do
    list[n + 1], list[n + 2] = r.buffers[i], 0
    n = n + 2
  end
  for i = 1, w.nleaves do
    list[n + 1], list[n + 2] = w.leaves[i].buf, w.leaves[i].off
    n = n + 2
  end
  for i = 1, w.nscalars do list[n + i] = w.scalars[i] end
  n = n + w.nscalars
  for i = 1, count do list[n + i] = w.numbers[i] end
end

-- Removes results that a finalizer has computed or released in the meantime.
local function look_again(r)
  for i = r.n, 1, -1 do
    if not r.list[i]._sig then take_out(r, i) end
  end
end

-- Leaves all results to the caller.
local function give_up(r)
  while r.n > 0 do take_out(r, r.n) end
  return false
end

-- Tries to compute the results that have no value yet. Returns false if that is left to the caller.
local function attempt(since, r)
  look_again(r)
  if r.n < 2 or r.asked and not is_result(r, r.asked) then return give_up(r) end
  local w = plan.begin(r.shape, true)
  w.maps = true
  local fitting = walk_all(w, r)
  local drawn = w.drawn and (w.misfit or w.strided)
  if fitting < r.n or drawn or w.context and w.context ~= r.context then
    local n = (drawn or w.context ~= r.context) and 0 or fitting
    if planning.notes then planning.notes:limit(r, n, drawn and "drawn" or w.nleaves > M.LEAVES and "arrays") end
    plan.finish(w, false)
    if r.asked then return give_up(r) end
    leave(r, n)
    return AGAIN
  end
  local first = plan.stored_first(w)
  if first then
    if planning.notes then planning.notes:first(w, first) end
    plan.finish(w, false)
    evaluate.evaluate(first)
    return AGAIN
  end
  local before = w.nagain > 0 and again.choose(w, is_result, r)
  if before then
    if planning.notes then planning.notes:again(before, again.total(w, before)) end
    plan.finish(w, false)
    store_too(r, before)
    return AGAIN
  end
  local order, all = order_of(w, r)
  if not all then
    plan.finish(w, false)
    if r.asked then return give_up(r) end
    return AGAIN
  end
  w.dense = not order
  local launched, captured = true, false
  if r.size > 0 then
    local out = (order or w.strided or w.below) and leaf_of(r, 1, order) or in_order
    local state, count = plan.close(w, out, r.size)
    if evaluate.too_many(w, count + r.n - 1) then
      if planning.notes then planning.notes:limit(r, ceil(r.n / 2), "arguments") end
      plan.finish(w, false)
      if r.asked then return give_up(r) end
      leave(r, ceil(r.n / 2))
      return AGAIN
    end
    local k = state.kernel or evaluate.kernel_of(state)
    gather(w, r, count)
    w.kernel, w.blocks, w.since = k, w.blocks or ceil(r.size / k.per_block), since
    if hooks.profiling or planning.notes then say_writes(w, r) end
    r.launching = true
    launched, captured = run.kernel(w)
  end
  plan.finish(w, launched)
  r.launching = launched
  if not launched then return AGAIN end
  for i = 1, r.n do settle(r, i, order, captured) end
  return true
end

local function give_back(r)
  for i = 1, r.n do
    if r.buffers[i] then storage.give_back(r.buffers[i]) end
  end
end

-- Memory for the first results of a list; false: a finalizer changed the current context.
local function take_memory(r, list)
  for i = 1, min(#list, M.MOST) do
    local x = list[i]
    local buf, context = storage.buffer(r.size * dtype_of(x).itemsize)
    r.n, r.list[i], r.buffers[i] = i, x, buf
    if context ~= r.context then return false end
  end
  return true
end

local none = {}
local spare = false -- results that are computed; a finalizer that computes some meanwhile begins others

-- The spare results must not keep arrays or memory alive.
local function forget(r)
  for i = r.n, 1, -1 do r.list[i], r.buffers[i] = nil, nil end
  r.asked, spare = false, r
end

-- Computes the first results of a list in one kernel; returns those that are left, and whether one of them has to be
-- cut.
local function compute_some(list, group, asked)
  local r
  r, spare = spare, false
  r = r or { list = {}, buffers = {}, later = {} }
  r.n, r.shape, r.size, r.context = 0, group.shape, graph.size_of(group.shape), group.context
  r.launching, r.asked, r.whole, r.many = false, asked or false, group.whole or false, false
  local ok, taken = pcall(take_memory, r, list)
  if not ok or not taken then
    give_back(r)
    if not ok then error(taken, 0) end
    return list
  end
  for i = r.n + 1, #list do r.later[#r.later + 1] = list[i] end
  if planning.notes and #list > r.n then planning.notes:limit({ list = list, n = #list }, r.n, "results") end
  local done, failure = pcall(run.until_done, attempt, r)
  if not done then
    if not r.launching then give_back(r) end
    error(failure, 0)
  end
  if #r.later > 0 then return r.later, r.many end
  forget(r)
  return none, r.many
end

local function compute(group)
  local list = group
  for i = 1, group.whole and 0 or #list do evaluate.fit_operations(list[i]) end
  while #list > 1 do
    local left, many = compute_some(list, group)
    if #left >= #list then
      if not many then return end
      for i = 1, #list do evaluate.fit(list[i]) end
      group.whole = true
    end
    list = left
  end
end

local function compute_there(group)
  if group.home then return storage.with_context(group.home.buf, compute, group) end
  compute(group)
end

-- ---- asked for ----------------------------------------------------------------------------------------------------

---Computes arrays together where possible. The caller then computes each of them, in order.
---@param list cudalua.gpuarray.Array[]
---@param whole? boolean  they are cut already: see cut.lua
---@raise an interruption, and what ends the device
function M.together(list, whole)
  if #list < 2 or graph.is_eager() or graph.limits_lifted() then return end
  if waiting.list then waiting.start(nil, list) end
  for _, group in ipairs(groups_of(list)) do
    if #group > 1 then
      sort(group)
      group.whole = whole
      local ok, failure
      if graph.is_traced() then
        ok, failure = pcall(evaluate.traced, compute_there, group)
      else
        ok, failure = pcall(compute_there, group)
      end
      if not ok then
        if evaluate.is_final(failure) then error(failure, 0) end
        return -- the caller raises the error, or needs less memory
      end
    end
  end
end

---Computes an array and others in one kernel. If that is impossible, computes none of them.
---@param x cudalua.gpuarray.Array
---@param list cudalua.gpuarray.Array[]  x and the others, of its shape and of the current context
---@raise errors of the kernel, and if memory is short
function M.beside(x, list)
  sort(list)
  compute_some(list, { shape = x._shape, context = core.context_id() }, x)
end

-- Computes the arrays among what a function returned.
local function computed(...)
  local list = {}
  for k = 1, select("#", ...) do
    local x = select(k, ...)
    if object.is_array(x) then list[#list + 1] = x end
  end
  M.together(list)
  for k = 1, #list do evaluate.force(list[k]) end
  return ...
end

---Calls a function and computes the arrays that it returns. Reductions of whole arrays wait meanwhile.
---@param fn function
---@param ... any
---@return any ...
function M.of_call(fn, ...) return computed(waiting.with_whole(fn, ...)) end

evaluate.together = M.together

return M
