-- Rows on chip: one kernel for reductions along the same axes and for what is made of them and the same rows again,
-- such as softmax and norms. It reads each row once. See docs/rows.md.
--
-- Nothing here has to succeed. If a row kernel cannot compute a group, the reductions start one by one (pending.lua).

local again = require "cudalua.gpuarray.core.again"
local ends = require "cudalua.gpuarray.core.ends"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local gathered = require "cudalua.gpuarray.reduce.axes"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local mapped = require "cudalua.gpuarray.core.mapped"
local number_from = require("cudalua.gpuarray.core.marks").number_from
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local plan = require "cudalua.gpuarray.core.plan"
local planning = require "cudalua.gpuarray.core.planning"
local reduce_run = require "cudalua.gpuarray.reduce.run"
local row_code = require "cudalua.gpuarray.reduce.row_code"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local waiting = require "cudalua.gpuarray.core.waiting"
local pairs_of = require "cudalua.base.pairs_of"

local ceil = math.ceil
local same, same_axes, AGAIN = layout.same, gathered.same_axes, run.AGAIN

local M = {}

---For tests: false turns row kernels off.
M.enabled = true

---Words of 4 bytes in registers of a thread, and the cost of the operations on all of its elements, at most: loops are
---unrolled, and compiling them takes time.
M.WORDS, M.COST = 64, 1024

---Packs that a lane gets before a row gets more warps.
M.PACKS = 4

---If no more words of a thread's elements are in registers then, arrays that only later phases use, such as the weights
---of a norm, are loaded with the others. They come while the row is reduced.
M.EARLY = 48

---Reductions and results of a kernel, at most.
M.REDUCTIONS, M.RESULTS = 8, 8

local BLOCK, WARP, WARPS, MOST_PACKS = 256, 32, 8, 16

-- Of rows that lie across memory, such as the columns of a matrix in C order, a block has at least NARROW that are
-- neighbours, and WIDE while that is possible. A thread has at most MOST elements of one.
local NARROW, WIDE, MOST = 8, 32, 64

-- Bytes of a row, at most: what registers of a block hold.
local BYTES = 4 * M.WORDS * BLOCK

---May a reduction become part of a row kernel? Only if its rows are not too long.
---@param a cudalua.gpuarray.Array
---@param to cudalua.gpuarray.Reduced
---@return boolean
function M.may_fit(a, to)
  local shape, axes, kept, most = a._shape, to.axes, false, BYTES
  for k = #shape, 1, -1 do
    if shape[k] > 1 then
      if not axes[k] then kept = true elseif kept then most = BYTES / NARROW end
    end
  end
  return a._size / to.outputs * a._dtype.itemsize <= most
end

-- ---- groups ---------------------------------------------------------------------------------------------------------

---Reductions and results that one kernel computes.
---@class cudalua.gpuarray.RowGroup
---@field shape integer[]
---@field size integer
---@field axes table<integer, boolean>  those that are reduced
---@field to cudalua.gpuarray.Reduced   of the reductions
---@field members table<cudalua.gpuarray.Array, boolean>  the reductions
---@field count integer       of them
---@field results cudalua.gpuarray.Array[]   arrays of the shape
---@field list cudalua.gpuarray.Array[]      the results, and then the reductions
---@field order (cudalua.gpuarray.Array|false)[]  reductions in the order of the program; false: the mean of a variance
---@field divisors number[]   of the variances among them
---@field seen table          the operations and arrays that were visited
---@field buffers table<cudalua.gpuarray.Array, userdata>
---@field context integer|false
---@field launching boolean
---@field launched boolean    nothing runs between the launch and this, not even a finalizer
---@field target cudalua.gpuarray.Array|false  the result that is written to an array: it gets no value
---@field into table|false    the leaf of that array
---@field limit table|false  why rows do not fit: for explain()

local function shape_of(o) return object.is_leaf(o) and o.shape or o._shape end

-- Has each use of a reduction's result the row of the element?
local function is_aligned(to, shape)
  local axes, own, n = to.axes, to.shape, #shape
  for k = 1, n do
    local extent = axes[k] and 1 or shape[k]
    if (own[k - n + #own] or 1) ~= extent then return false end
  end
  return true
end

-- Are the rows of a reduction those of the group? The first one decides.
local function same_rows(g, shape, to)
  if not g.shape then g.shape, g.axes, g.to = shape, to.axes, to end
  return not to.pieces and same(shape, g.shape) and same_axes(to.axes, g.axes, #shape)
end

-- Looks through an expression for reductions, which have to fit into the group. Returns false if one does not.
local function look(g, x)
  if type(x) ~= "table" or g.seen[x] then return true end
  g.seen[x] = true
  local sig, a, b, c = x._sig, x._a, x._b, x._c -- a finalizer may compute x on the way
  if not sig then
    local leaf = object.leaf_of(x)
    if leaf then g.seen[leaf] = true end
    return true
  end
  if sig.maps and not sig.reduces or sig.scans then return false end
  if not sig.reduces then return look(g, a) and look(g, b) and look(g, c) end
  local shape = shape_of(a)
  if not same_rows(g, shape, b) or not is_aligned(b, shape) or not look(g, a) then return false end
  g.members[x], g.count = true, g.count + 1
  return true
end

local function new_group(like)
  like = like or { shape = false, axes = false, to = false }
  return { shape = like.shape, size = 0, axes = like.axes, to = like.to, members = {},
    count = 0, results = {}, list = {}, order = {}, divisors = {}, seen = {}, buffers = {}, context = false,
    launching = false, launched = false, target = false, into = false, limit = false }
end

-- Adds the reductions that were found to a group.
local function merge(g, found)
  g.shape, g.axes, g.to = found.shape, found.axes, found.to
  for x in pairs_of(found.members) do
    if not g.members[x] then g.members[x], g.count = true, g.count + 1 end
  end
  for x in pairs_of(found.seen) do g.seen[x] = true end
end

-- Adds an array that is computed next, if it is made of reductions of the group's rows.
local function add_result(g, x)
  local sig = x._sig
  if not sig or sig.reduces then return end
  local found = new_group(g)
  if look(found, x) and found.count > 0 and same(x._shape, found.shape) then
    merge(g, found)
    g.results[#g.results + 1] = x
  end
end

-- Without results: the last reduction that is made of another one.
local function add_linked(g, list)
  for i = list.n, 1, -1 do
    local x, found = list[i], new_group()
    if x then
      local sig, o, to = x._sig, x._a, x._b -- a finalizer may compute x on the way
      if sig and sig.reduces and not sig.scans and type(o) == "table" and same_rows(found, shape_of(o), to) and
        look(found, o) and found.count > 0 then
        merge(g, found)
        return
      end
    end
  end
end

-- Do two groups have an array or a value of the rows' shape in common?
local function shares(g, found)
  for x in pairs_of(found.seen) do
    if g.seen[x] and same(shape_of(x), g.shape) then return true end
  end
  return false
end

-- Adds a reduction of values that the kernel has, or of what is made of them.
local function add_reduction(g, x)
  local sig, o, to = x._sig, x._a, x._b -- a finalizer may compute x on the way
  if not sig or not sig.reduces or sig.scans or type(o) ~= "table" then return end
  local found = new_group(g)
  if same_rows(found, shape_of(o), to) and look(found, o) and shares(g, found) and
    g.count + found.count < M.REDUCTIONS then
    merge(g, found)
    g.members[x], g.count = true, g.count + 1
  end
end

-- Adds other reductions that wait, and lists all. Returns false if a kernel cannot compute them.
local function complete(g, list)
  for i = 1, list.n do
    local x = list[i]
    if x and not g.members[x] then add_reduction(g, x) end
  end
  g.size, g.list = graph.size_of(g.shape), { unpack(g.results) }
  for i = 1, list.n do
    if list[i] and g.members[list[i]] then g.list[#g.list + 1] = list[i] end
  end
  local n = #g.list - #g.results -- fewer than there are: one of them does not wait
  return n == g.count and n <= M.REDUCTIONS and #g.results <= M.RESULTS
end

-- ---- the plan -------------------------------------------------------------------------------------------------------

local reduce_tokens, middle_tokens, end_tokens = {}, {}, {}

local function reduce_token(list, kind)
  local token = list[kind]
  if not token then
    token = { kind = "reduce", reduction = kind, middle = list == middle_tokens }
    list[kind] = token
  end
  return token
end

local function value(w, token)
  w.values = w.values + 1
  plan.step(w, token)
  return w.values
end

local function converted(w, from, list, number)
  for _, dt in ipairs(list) do
    if dt ~= from then number = value(w, graph.conversion(dt)) end
    from = dt
  end
  return number
end

-- A reduction that a walk meets: a part of the program. A variance is two.
local function walk(w, x, sig, a, to)
  local g, kind = w.rows, sig.reduces
  if not g.members[x] then return mapped.needs(w, x, sig) end
  local values, from = w.values, object.is_leaf(a) and a.dtype or a._dtype
  plan.walk(w, a)
  -- Not what the operand says: a finalizer's walk may have passed by it.
  local number = w.values > values and w.values or w.repeats[w.nrepeats]
  if kind.middle then
    local t = kind.finished
    number = converted(w, from, kind.middle.values, number)
    plan.step(w, number)
    value(w, reduce_token(middle_tokens, kind.middle))
    g.order[#g.order + 1] = false
    number = value(w, graph.binary_signature(ops.sub, t, t))
    plan.step(w, number)
    value(w, graph.binary_signature(ops.mul, t, t))
    value(w, reduce_token(reduce_tokens, kind.spread))
  else
    converted(w, from, kind.values, number)
    value(w, reduce_token(reduce_tokens, kind))
  end
  g.order[#g.order + 1], g.divisors[#g.divisors + 1] = x, (kind.middle or kind.divides) and to.divisor or nil
  x._mark = w.start + w.values
end

local function fits(phases, elements)
  return elements * phases.words <= M.WORDS and elements * phases.cost <= M.COST
end

-- For explain(): how long rows are, and how long they may be.
local function limit_of(phases, n, width, across)
  local packs, most = 1, across and MOST or MOST_PACKS
  while packs < most and fits(phases, 2 * packs * width) do packs = 2 * packs end
  local threads = across and BLOCK / NARROW or WARP * WARPS
  return { across = across, elements = n, most = fits(phases, width) and packs * width * threads or 0 }
end

-- How many threads have a row that lies across memory, and how many elements each of them; nil: it does not fit.
local function arrange_across(p, phases, n)
  if phases.moments then return nil end -- variances of so few elements take two passes
  local packs, threads = 1, 1
  while packs < M.PACKS and packs * threads < n do packs = packs * 2 end
  while threads < BLOCK / WIDE and packs * threads < n do threads = threads * 2 end
  while packs < MOST and packs * threads < n and fits(phases, 2 * packs) do packs = packs * 2 end
  while threads < BLOCK / NARROW and packs * threads < n do threads = threads * 2 end
  if packs * threads < n or not fits(phases, packs) then return nil end
  p.form, p.lanes, p.warps, p.turns, p.width = "across", 1, threads, packs, 1
  return p
end

-- How many lanes, warps and packs a row has; nil: it does not fit.
local function arrange(p, phases, n, width)
  local packs, lanes, warps = 1, WARP, 1
  while lanes > 1 and lanes / 2 * width >= n do lanes = lanes / 2 end
  while packs < M.PACKS and WARP * width * packs * warps < n do packs = packs * 2 end
  while warps < WARPS and WARP * width * packs * warps < n do warps = warps * 2 end
  while packs < MOST_PACKS and WARP * width * packs * warps < n do packs = packs * 2 end
  local elements = width * packs
  if WARP * elements * warps < n or not fits(phases, elements) then return nil end
  p.form, p.lanes, p.warps, p.turns, p.width = "rows", lanes, warps, packs, width
  return p
end

local function end_token(p)
  local arrangement = ((p.width * 128 + p.turns) * 64 + p.lanes) * 64 + p.warps
  local key = ((p.kept_rank * 32 + p.gone_rank) * 2 ^ 24 + arrangement) * 32 + (p.form == "across" and 8 or 0) +
    (p.early and 16 or 0) + (p.joint and 4 or 0) + (p.full and 2 or 0) + (p.wide and 1 or 0)
  local token = end_tokens[key]
  if not token then
    token = { kind = "end", class = "row", kept = p.kept_rank, gone = p.gone_rank, wide = p.wide, width = p.width,
      turns = p.turns, lanes = p.lanes, warps = p.warps, joint = p.joint, full = p.full, form = p.form,
      early = p.early }
    end_tokens[key] = token
  end
  return token
end

-- How arrays lie for which a program has been planned.
local function circumstances(w, g)
  return { shape = g.shape, axes = g.axes, packs = M.PACKS, early = M.EARLY, lying = ends.lying(w) }
end

local function are_those(c, w, g)
  return c.packs == M.PACKS and c.early == M.EARLY and same(c.shape, g.shape) and
    same_axes(c.axes, g.axes, #g.shape) and ends.lie_alike(c.lying, w)
end

-- Do results lie as they did?
local function same_order(c, stored)
  for i = 1, #stored do
    if not same(c.out[i], stored[i].strides) or c.skews[i] ~= ends.skew_of(stored[i]) then return false end
  end
  return true
end

-- Are there arrays that tiles would be faster for?
local function reads_across(w, shape)
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" and mapped.is_across(w.leaves[i], shape) then return true end
  end
end

-- Ends the program. Nil: a kernel of this kind cannot compute it.
local function plan_of(w, g, stored)
  local shape, axes, outputs, parts = g.shape, g.axes, g.to.outputs, reduce_run.parts
  local n = g.size / outputs
  if w.below or w.drawn or w.first or reduce_run.crossing(w, axes) then return nil end
  local state = w.state
  local phases = state.phases
  if not phases then
    phases = row_code.phases(plan.tokens(state))
    state.phases = phases
  end
  if not phases.reread and 4 * g.size > run.LAUNCH then return nil end -- it reads no fewer bytes
  local operands = { g.to.strides }
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then operands[#operands + 1] = plan.along(w.leaves[i], shape) end
  end
  local first = #operands
  for i, leaf in ipairs(stored) do operands[first + i] = plan.along(leaf, shape) end
  local stay, go = {}, {}
  for axis = 1, #shape do
    local list = axes[axis] and go or stay
    list[#list + 1] = axis
  end
  local p = gathered.split(parts.new_plan(outputs, n), shape, operands, stay, go)
  local across, width = p.kept_rank > 0 and n > 1 and gathered.side_by_side(w, p), 1
  if not across then
    if reads_across(w, shape) then return nil end
    width = parts.widest(w)
    for i = 1, #stored do width = math.min(width, 16 / stored[i].dtype.itemsize) end
    if width > 1 and n < width then width = 2 ^ gathered.exponent(n) end
  end
  local _, joint = parts.tokens_of(w, width, p.gone_extents, p.gone, p.kept, p.lying)
  p.joint = joint
  if not (across and arrange_across(p, phases, n) or not across and arrange(p, phases, n, width)) then
    g.limit = planning.notes and limit_of(phases, n, width, across) or false
    return nil
  end
  local elements = p.width * p.turns -- of a thread
  p.full = p.lanes * p.warps * elements == n
  p.early = phases.early > 0 and elements * phases.early <= M.EARLY
  p.blocks = ceil(outputs / (BLOCK / (p.lanes * p.warps)))
  plan.step(w, end_token(p))
  local numbers = w.numbers
  local count = gathered.put_extents(numbers, p)
  count = gathered.put(numbers, count, p.kept[1], p.kept_rank)
  for i = 2, #operands do
    local token = i > first and parts.stored_token(stored[i - first], p, i) or parts.lying[p.lying[i]]
    plan.step(w, token)
    count = gathered.put_operand(numbers, count, p, i, token.along ~= "any")
  end
  p.count = count
  return p
end

-- The same. The last plans of a program are kept, for arrays that lie alike.
local function close(w, g, stored)
  local before = w.state
  local known = not w.below and not w.drawn and not w.first and before.rows
  for k = 1, known and #known or 0 do
    local last = known[k]
    if are_those(last, w, g) and same_order(last, stored) then
      w.state = last.state
      for i = 1, last.plan.count do w.numbers[i] = last.numbers[i] end
      return last.plan
    end
  end
  local p = plan_of(w, g, stored)
  if p then
    local last = circumstances(w, g)
    last.plan, last.state, last.numbers, last.out, last.skews = p, w.state, { unpack(w.numbers, 1, p.count) }, {}, {}
    for i = 1, #stored do last.out[i], last.skews[i] = stored[i].strides, ends.skew_of(stored[i]) end
    ends.put(before, "rows", last)
  end
  return p
end

-- ---- computing ------------------------------------------------------------------------------------------------------

-- Memory for an array that the kernel stores; false: a finalizer changed the current context.
local function take_memory(g, x)
  local buf, context = storage.buffer(x._size * x._dtype.itemsize)
  g.buffers[x] = buf
  if g.context and context ~= g.context then return false end
  g.context = context
  return true
end

local function take_all(g)
  for _, x in ipairs(g.list) do
    if x ~= g.target and not take_memory(g, x) then return false end
  end
  return not g.into or g.into.store.context == g.context
end

local function give_back(g)
  for _, x in ipairs(g.list) do
    local buf = g.buffers[x]
    g.buffers[x] = nil
    if buf then storage.give_back(buf) end
  end
end

-- Has a finalizer computed one of them meanwhile, or released it?
local function is_changed(g)
  for _, x in ipairs(g.list) do
    if not x._sig then return true end
  end
  return false
end

local function is_listed(g, x)
  for i = 1, #g.list do
    if g.list[i] == x then return true end
  end
  return false
end

-- Stores a value that other kernels have computed before, too. False: this kernel cannot.
local function store_too(g, x)
  if #g.results >= M.RESULTS or not same(x._shape, g.shape) or not take_memory(g, x) then return false end
  g.results[#g.results + 1], g.list[#g.list + 1] = x, x
  return true
end

-- What the kernel is called with; a pointer takes two places.
local function gather(w, p, g)
  local list, at = w.arguments, 3
  list[1], list[2], list[3] = p.outputs, p.n, p.n
  local function put(x)
    if x == g.target then
      list[at + 1], list[at + 2] = g.into.buf, g.into.off
    else
      list[at + 1], list[at + 2] = g.buffers[x], 0
    end
    at = at + 2
  end
  for i = 1, #g.order do
    if g.order[i] then put(g.order[i]) end
  end
  for i = 1, #g.results do put(g.results[i]) end
  for i = 1, #g.divisors do list[at + i] = g.divisors[i] end
  at = at + #g.divisors
  gathered.put_operands(w, at, p.count)
end

-- The strides that a result has alone.
local function strides_of(w, g, x)
  local itemsize = x._dtype.itemsize
  return plan.kept_order(w, x, itemsize) or storage.dense_strides(g.shape, itemsize)
end

-- Where a result goes.
local function leaf_of(w, g, x)
  if x == g.target then return g.into end
  local itemsize, buf = x._dtype.itemsize, g.buffers[x]
  local store = storage.bare_store(buf, x._size * itemsize, g.context)
  if g.members[x] then return storage.fresh_leaf(store, x._dtype, x._shape) end
  return storage.new_leaf(store, 0, x._dtype, g.shape, strides_of(w, g, x))
end

-- Does the array that is written have the order of axes that a new one would have, and neighbours side by side?
local function lies_alike(w, g)
  local strides, own, shape, least = strides_of(w, g, g.target), g.into.strides, g.shape, math.huge
  for k = 1, #shape do
    if shape[k] > 1 then
      if own[k] <= 0 then return false end
      for i = 1, k - 1 do
        if shape[i] > 1 and (strides[i] < strides[k]) ~= (own[i] < own[k]) then return false end
      end
      least = math.min(least, own[k])
    end
  end
  return least == g.into.dtype.itemsize or least == math.huge
end

-- While a kernel is launched that overwrites what its reductions read: reduction -> group. Their values are known from
-- then on, and a finalizer must not compute them once more.
local landing = {}

local function land(g, leaves)
  for i, x in ipairs(g.list) do
    if g.members[x] then landing[x] = { group = g, leaf = leaves[i] } end
  end
end

local function forget_landing(g)
  for x in pairs_of(g.members) do
    if landing[x] and landing[x].group == g then landing[x] = nil end
  end
end

---The value of a reduction whose kernel was launched, and that has not got it yet.
---@param x cudalua.gpuarray.Array
---@return table? leaf
function waiting.landed(x)
  local l = landing[x]
  return l and l.group.launched and l.leaf or nil
end

local function attempt(since, g)
  if is_changed(g) then return false end
  local w = plan.begin(g.shape, false)
  w.rows, g.order, g.divisors = g, {}, {}
  for _, x in ipairs(g.results) do
    w.root = x
    plan.walk(w, x, x._dtype)
    plan.step(w, plan.store_tokens[x._dtype])
  end
  for _, x in ipairs(g.list) do
    if g.members[x] and not number_from(w.start, x) then plan.walk(w, x) end
  end
  local before = w.nagain > 0 and again.choose(w, is_listed, g)
  if before then
    plan.finish(w, false)
    return store_too(g, before) and AGAIN
  end
  local stored, leaves = {}, {}
  for i, x in ipairs(g.results) do
    stored[i] = leaf_of(w, g, x)
    stored[x] = stored[i]
  end
  local p = (not w.context or w.context == g.context) and (not g.into or lies_alike(w, g)) and close(w, g, stored)
  if not p or not gathered.fits(w, p) then
    plan.finish(w, false)
    return false
  end
  local k = w.state.kernel
  if not k then
    k = row_code.kernel(plan.tokens(w.state))
    k.loaded = {}
    w.state.kernel = k
  end
  gather(w, p, g)
  for i, x in ipairs(g.list) do
    leaves[i] = g.members[x] and leaf_of(w, g, x) or stored[x]
    w.writes[i] = leaves[i]
  end
  if g.into then land(g, leaves) end
  w.kernel, w.blocks, w.since, w.nwrites, g.launching = k, p.blocks, since, #leaves, true
  local done, captured = run.kernel(w)
  plan.finish(w, done)
  g.launching = done
  if not done then return AGAIN end
  for i = 1, captured and #leaves or 0 do run.captured(leaves[i]) end
  return leaves
end

local function note_limit(g)
  for x in pairs_of(g.limit and planning.notes and g.members or {}) do planning.notes:row_limit(x, g.limit) end
end

-- What the kernel has computed.
local function take(g, leaves)
  for x in pairs_of(planning.notes and g.members or {}) do planning.notes:rows(x) end
  for i, x in ipairs(g.list) do
    if x ~= g.target then (g.members[x] and waiting or evaluate).take(x, leaves[i]) end
  end
end

---Computes waiting reductions and arrays that are made of them in one kernel, where that is possible.
---@param list {n: integer, [integer]: cudalua.gpuarray.Array}  what waits; has holes
---@param asked? cudalua.gpuarray.Array     is computed next
---@param wanted? cudalua.gpuarray.Array[]  or these
---@raise an interruption, and what ends the device
function M.try(list, asked, wanted)
  if not M.enabled then return end
  local g = new_group()
  if asked then add_result(g, asked) end
  for _, x in ipairs(wanted or {}) do add_result(g, x) end
  if #g.results == 0 then add_linked(g, list) end
  if g.count == 0 or not complete(g, list) then return end
  local ok, leaves = pcall(take_all, g)
  if ok and leaves then
    ok, leaves = pcall(run.until_done, attempt, g)
  end
  if (not ok or not leaves) and not g.launching then give_back(g) end
  if not ok then
    if evaluate.is_final(leaves) then error(leaves, 0) end
    return
  end
  if not leaves then return note_limit(g) end
  take(g, leaves)
end

-- ---- what is written to an array ------------------------------------------------------------------------------------

-- Is an expression made of one of these reductions?
local function is_made_of(x, members, seen)
  if type(x) ~= "table" or seen[x] then return false end
  seen[x] = true
  if members[x] then return true end
  local sig, a, b, c = x._sig, x._a, x._b, x._c -- a finalizer may compute x on the way
  if not sig then return false end
  return is_made_of(a, members, seen) or is_made_of(b, members, seen) or is_made_of(c, members, seen)
end

---The group of an expression that is written to an array, if one kernel may compute it with its reductions. The others
---that wait start before. Where one of them is made of the group's, there is no group.
---@param list {n: integer, [integer]: cudalua.gpuarray.Array}  what waits; has holes
---@param x cudalua.gpuarray.Array
---@return cudalua.gpuarray.RowGroup?
function waiting.group(list, x)
  if not M.enabled then return nil end
  local g, seen = new_group(), {}
  add_result(g, x)
  if g.count == 0 or not complete(g, list) then return nil end
  for i = 1, list.n do
    if list[i] and not g.members[list[i]] and is_made_of(list[i], g.members, seen) then return nil end
  end
  g.target = x
  return g
end

-- As run.until_done(), for what means its expression as of a write.
local function until_written(since, g)
  local leaves
  repeat leaves = attempt(since, g) until leaves ~= AGAIN or since ~= storage.writes
  return leaves
end

---Writes the expression of a group to a leaf. The reductions get their values, and the expression does not. It is the
---caller's business who else still has to read the leaf. The expression and the reductions may read the same elements:
---a thread loads those that it stores, and does so before that. A group is for one call.
---@param g cudalua.gpuarray.RowGroup
---@param out table  of the expression's shape and dtype
---@param since integer  of storage.writes: nothing is written if there were others since then
---@return boolean? done  false: there were other writes; nil: one kernel cannot do it. Nothing was done in both cases
---@raise an interruption, what ends the device, and errors of the launch
function waiting.write_group(g, out, since)
  g.into = out
  local ok, leaves = pcall(take_all, g)
  if ok and leaves then
    ok, leaves = pcall(until_written, since, g)
  end
  local done = ok and leaves and leaves ~= AGAIN
  if not done and not g.launching then give_back(g) end
  if done then take(g, leaves) end
  local final = not ok and evaluate.is_final(leaves)
  if not final then forget_landing(g) end -- an interruption may have come behind the launch
  if not ok and (g.launching or final) then error(leaves, 0) end
  if done then
    again.computed(g.target)
    return true
  end
  if leaves == AGAIN then return false end
  note_limit(g)
end

---Computes the reductions of a group that has no kernel.
---@param g cudalua.gpuarray.RowGroup
function waiting.run_group(g)
  local list = { n = 0 }
  for _, x in ipairs(g.list) do
    if g.members[x] and x._sig then list.n, list[list.n + 1] = list.n + 1, x end
  end
  waiting.run(list)
end

plan.walk_reduction = walk

return M
