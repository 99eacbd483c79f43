-- Fused functions: one kernel computes all results of a function of arrays. The first call traces the function with
-- arguments that have a dtype and a shape but no values. Later calls with such arguments run the kernel without calling
-- the function.

local core = require "cudalua.core"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local dry_run = require "cudalua.gpuarray.core.dry_run"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local names = require "cudalua.base.names"
local object = require "cudalua.gpuarray.core.object"
local plan = require "cudalua.gpuarray.core.plan"
local planning = require "cudalua.gpuarray.core.planning"
local results_of = require "cudalua.gpuarray.core.results"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local strides_of = require "cudalua.gpuarray.core.strides"
local view = require "cudalua.gpuarray.core.view"
local waiting = require "cudalua.gpuarray.core.waiting"
local pairs_of = require "cudalua.base.pairs_of"

local ceil = math.ceil
local context_id = core.context_id
local same, is_array = layout.same, object.is_array

---@class cudalua.gpuarray
local M = {}

local MAX_RECORDS = 32 -- kinds of arguments that a function remembers its programs for
local MAX_POINTERS = 64 -- of one kernel
local MAX_OPS = 2000 -- of one kernel: what compilers and walks that call themselves can take

-- ---- kinds of arguments ---------------------------------------------------------------------------------------------

local function same_value(a, b)
  if type(a) ~= type(b) then return false end
  if type(a) == "number" then return a == b and (a ~= 0 or 1 / a == 1 / b) end -- NaN is not found again
  if type(a) ~= "cdata" then return rawequal(a, b) end
  local x, y = host.value_bytes(a), host.value_bytes(b)
  return x ~= nil and x == y and select(2, host.value_bytes(a)) == select(2, host.value_bytes(b))
end

local function skew_of(leaf) return (leaf.store.skew + leaf.off) % 16 end

-- What a program depends on: types, shapes, steps and alignments of arrays, which of them are the same one, and the
-- values of all else.
local function describe_arguments(n, args)
  local list = { n = n, float = dtypes.default_float() }
  for k = 1, n do
    local x = args[k]
    if is_array(x) then
      local leaf = evaluate.evaluate(x)
      local first = k
      for j = 1, k - 1 do
        if list[j].leaf == leaf then first = j break end
      end
      list[k] = { leaf = leaf, dtype = leaf.dtype, shape = leaf.shape, strides = leaf.strides, skew = skew_of(leaf),
        first = first, exists = leaf.buf ~= false }
    else
      list[k] = { value = x }
    end
  end
  return list
end

local function fits(known, n, args)
  if known.n ~= n or known.float ~= dtypes.default_float() then return false end
  for k = 1, n do
    local a, x = known[k], args[k]
    if not a.dtype then
      if is_array(x) or not same_value(a.value, x) then return false end
    else
      if not is_array(x) or a.dtype ~= x._dtype or not (a.shape == x._shape or same(a.shape, x._shape)) then
        return false
      end
      local leaf = evaluate.evaluate(x)
      if not (a.strides == leaf.strides or same(a.strides, leaf.strides)) or a.skew ~= skew_of(leaf) or
        a.exists ~= (leaf.buf ~= false) then
        return false
      end
      for j = 1, k do -- the first argument that is this array
        if is_array(args[j]) and evaluate.evaluate(args[j]) == leaf then
          if a.first ~= j then return false end
          break
        end
      end
    end
  end
  return true
end

-- ---- looking at the function ----------------------------------------------------------------------------------------

local placeholder = object.placeholder

local function stand_in(known, k, real, places)
  local function part(_, offset, shape, strides, dtype)
    return stand_in(known, k, storage.new_leaf(real.store, real.off + offset, dtype, shape, strides), places)
  end
  local x = setmetatable({ _shape = real.shape, _sig = placeholder(real.dtype), _a = false, _b = false, _born = 0,
    _low = math.huge, _used = 0, _mark = 0, _real = real, _part = part }, object.mt)
  places[x] = { argument = k, offset = real.off - known[k].leaf.off }
  return x
end

-- The arrays of before that the function used and that are not computed yet: they are not part of what it does.
local function compute_others(x, inside, seen)
  if type(x) ~= "table" or seen[x] or not x._sig or x._sig.placeholder then return end
  seen[x] = true
  if not inside[x] then
    evaluate.evaluate(x)
    return
  end
  compute_others(x._a, inside, seen)
  compute_others(x._b, inside, seen)
  compute_others(x._c, inside, seen)
end

-- One kernel for results of one shape, whose axes lie in one order; nil if they are too much for one.
local function make_group(results, shape, order, sources)
  local w = plan.begin(shape, not order)
  for k, x in ipairs(results) do
    w.root, w.largest, w.bytes = x, math.max(w.largest, x._dtype.itemsize), w.bytes + x._dtype.itemsize
    plan.walk(w, x, x._dtype)
    if #results > 1 then plan.step(w, plan.store_tokens[x._dtype]) end
    results[k] = { dtype = x._dtype, strides = order and strides_of.strides_in(order, shape, x._dtype.itemsize) or nil }
  end
  local size = graph.size_of(shape)
  local first = results[1]
  local out = { dense = not first.strides, aligned = true, shape = shape, dtype = first.dtype, off = 0, buf = false,
    strides = first.strides or storage.dense_strides(shape, first.dtype.itemsize), store = storage.NEW }
  local state, count = plan.close(w, out, math.max(size, 1))
  local group = { results = results, shape = shape, size = size, state = state, leaves = {}, scalars = {},
    numbers = {}, launch = false, operations = w.ninner + #results }
  for k = 1, w.nleaves do
    local leaf = w.leaves[k]
    group.leaves[k] = sources[leaf] or { leaf = leaf, skew = skew_of(leaf) }
  end
  for k = 1, w.nscalars do group.scalars[k] = w.scalars[k] end
  for k = 1, count do group.numbers[k] = w.numbers[k] end
  group.blocks = w.blocks
  local fits_in = w.nleaves + #results <= MAX_POINTERS and not evaluate.too_many(w, count + #results)
  plan.finish(w, false)
  return fits_in and group or nil
end

-- From what the function returned to what a call will return.
-- `n`: how many results the function has.
local function make_record(known, n, made, places, inside, fresh)
  local record = { known = known, results = n, outputs = {}, groups = {} }
  local by_array, lists = {}, {}
  local seen, sources = {}, {}
  for k = 1, n do compute_others(made[k], inside, seen) end
  for x, place in pairs_of(places) do
    x._sig, x._a, x._b = false, x._real, x._real -- its value, while the kernels are planned
    sources[x._real] = place
  end
  for k = 1, n do
    local x = made[k]
    if not is_array(x) then
      if type(x) == "table" or type(x) == "function" or type(x) == "userdata" then
        errors.raise("LogicError", ("gpuarray.fuse: result %d is a %s; the function may return only arrays and " ..
          "plain values")
          :format(k, type(x)))
      end
      record.outputs[k] = { value = x }
    elseif places[x] then
      local place, whole = places[x], x._real == known[places[x].argument].leaf
      record.outputs[k] = { argument = place.argument, offset = place.offset, whole = whole, shape = x._shape,
        strides = x._real.strides, dtype = x._dtype }
    elseif not x._sig then
      record.outputs[k] = { array = x, copy = fresh[x._store] }
    elseif by_array[x] then
      record.outputs[k] = by_array[x]
    else
      local list, order = nil, strides_of.order(x)
      for _, each in ipairs(lists) do
        if same(each.shape, x._shape) and strides_of.same_order(each.order, order) then list = each end
      end
      if not list then
        list = { shape = x._shape, order = order }
        lists[#lists + 1] = list
      end
      list[#list + 1] = x
      by_array[x] = { group = list, at = #list }
      record.outputs[k] = by_array[x]
    end
  end
  for k, list in ipairs(lists) do
    local group = make_group(list, list.shape, list.order, sources)
    if not group then return nil end
    record.groups[k], list.number = group, k
  end
  return record
end

local looking = false

local function pack(...) return select("#", ...), { ... } end

-- The program for arguments of this kind; nil if the function does too much for one kernel.
local function look(fn, n, args)
  local known = describe_arguments(n, args)
  local places, given = {}, {}
  for k = 1, n do
    local a = known[k]
    if not a.dtype then
      given[k] = a.value
    elseif a.first < k then
      given[k] = given[a.first]
    else
      given[k] = stand_in(known, k, a.leaf, places)
    end
  end
  local notes = storage.begin_notes()
  local restore = graph.lift_limits()
  local outer, reduced = looking, graph.reduces_traced
  looking, graph.reduces_traced = true, false
  local count, made = pack(pcall(waiting.with_whole, fn, unpack(given, 1, n)))
  looking, graph.reduces_traced, reduced = outer, reduced, graph.reduces_traced
  restore()
  storage.end_notes(notes)
  local ok, record = made[1], made[2]
  if reduced then -- whatever became of the error
    ok, record = true, nil
  elseif ok then
    local operations, inside, fresh = 0, {}, {}
    for k = 1, notes.pending.n do
      local x = notes.pending[k]
      if x and x._sig then operations, inside[x] = operations + 1, true end
    end
    for k = 1, notes.stores.n do fresh[notes.stores[k] or 0] = true end
    table.remove(made, 1)
    if operations > MAX_OPS then
      record = nil
    else
      ok, record = pcall(make_record, known, count - 1, made, places, inside, fresh)
    end
  end
  for x in pairs_of(places) do x._sig, x._a, x._b = placeholder(x._real.dtype), false, false end
  -- What is made of arguments is gone from here on; all else may be used by the kernel, or by others.
  local without_value = {}
  for k = 1, notes.pending.n do
    local x = notes.pending[k]
    if x and object.is_traced(x, without_value) then storage.drop(x) end
  end
  if not ok then error(record, 0) end
  for k = 1, n do known[k].leaf = nil end -- memory must not live on here
  return record, known
end

-- ---- running --------------------------------------------------------------------------------------------------------

-- What the launch needs but its outputs, which are not arrays yet; nil if the arrays' layout differs from the one that
-- the program was made for.
local function gather(group, buffers, args)
  -- Nobody else has the record meanwhile: finalizers may call the function.
  local launch = group.launch or { arguments = {}, leaves = {}, nleaves = #group.leaves, nwrites = 0 }
  group.launch = false
  local list, read, n, leaves, scalars, numbers = launch.arguments, launch.leaves, 1, group.leaves, group.scalars,
    group.numbers
  list[1] = group.size
  for k = 1, #buffers do
    list[n + 1], list[n + 2] = buffers[k], 0
    n = n + 2
  end
  for k = 1, #leaves do
    local source = leaves[k]
    local buf, off
    if source.argument then
      local leaf = storage.leaf_of(args[source.argument])
      buf, off, read[k] = leaf.buf, leaf.off + source.offset, leaf
    else
      local leaf, store = source.leaf, source.leaf.store
      if store.released then
        errors.raise("LogicError", "gpuarray.fuse: an array that the function uses was released")
      end
      if skew_of(leaf) ~= source.skew then return nil end
      buf, off, read[k] = store.buf, leaf.off, leaf
    end
    list[n + 1], list[n + 2] = buf, off
    n = n + 2
  end
  for k = 1, #scalars do list[n + k] = scalars[k] end
  n = n + #scalars
  for k = 1, #numbers do list[n + k] = numbers[k] end
  return launch
end

-- For gpuarray.explain().
local function note_writes(launch, group, outs, context)
  local writes, shape = {}, group.shape
  for k, r in ipairs(group.results) do
    local bytes = group.size * r.dtype.itemsize
    writes[k] = storage.new_leaf(storage.bare_store(outs[k], bytes, context), 0, r.dtype, shape,
      r.strides or storage.dense_strides(shape, r.dtype.itemsize))
  end
  launch.writes, launch.nwrites, launch.shape, launch.operations = writes, #writes, shape, group.operations
end

-- The results of a group; nil if the arrays' layout differs; AGAIN if a finalizer wrote to arrays.
local function run_group(since, group, args)
  local outs, results, size, context = {}, group.results, group.size, nil
  for k = 1, #results do outs[k], context = storage.buffer(size * results[k].dtype.itemsize) end
  local captured = false
  if size > 0 then
    local k = group.state.kernel or evaluate.kernel_of(group.state)
    local launch = gather(group, outs, args)
    if not launch then return nil end
    local launched
    launch.kernel, launch.blocks, launch.since = k, group.blocks or ceil(size / k.per_block), since
    if planning.notes then note_writes(launch, group, outs, context) end
    launched, captured = run.kernel(launch)
    for i = 1, launch.nleaves do launch.leaves[i] = false end -- memory must not live on here
    launch.writes, launch.nwrites = nil, 0
    group.launch = launch
    if not launched then return run.AGAIN end
  end
  for k = 1, #results do
    local r = results[k]
    outs[k] = storage.array_in(outs[k], context, r.dtype, group.shape, size, r.strides)
  end
  if captured then -- a graph has these addresses
    for _, x in ipairs(outs) do run.captured(storage.leaf_of(x)) end
  end
  return outs
end

local function run_record(since, record, args)
  local made = {}
  for k, group in ipairs(record.groups) do
    made[k] = run_group(since, group, args)
    if not made[k] or made[k] == run.AGAIN then return made[k] end
  end
  local results = {}
  for k = 1, record.results do
    local o = record.outputs[k]
    if o.group then
      results[k] = made[o.group.number][o.at]
    elseif o.whole then
      results[k] = args[o.argument]
    elseif o.argument then
      results[k] = view.of(args[o.argument], o.offset, o.shape, o.strides, o.dtype)
    elseif o.array then
      results[k] = o.copy and view.copy(o.array, "K") or o.array
    else
      results[k] = o.value
    end
  end
  return results
end

-- ---- the fused function ---------------------------------------------------------------------------------------------

-- The context of the arrays, by memory that is in it; raises where there are two.
local function memory_of(n, args)
  local found
  for k = 1, n do
    if is_array(args[k]) then
      local leaf = evaluate.evaluate(args[k])
      if found and leaf.store.context ~= found.store.context then plan.other_context(leaf) end
      if not found or not found.buf then found = leaf end
    end
  end
  return found
end

-- The record of such a call, and storage.writes when it was looked for: the function itself may write to arrays.
local function find(f, n, args)
  local since = storage.writes
  for _, record in ipairs(f.records) do
    if fits(record.known, n, args) then return record, since end
  end
  local record, known = look(f.fn, n, args)
  record = record or { known = known, plain = true }
  f.at = f.at % MAX_RECORDS + 1
  f.records[f.at] = record
  return record, storage.writes
end

local function forget(f, record)
  for k, each in ipairs(f.records) do
    if each == record then table.remove(f.records, k) end
  end
  f.at = #f.records % MAX_RECORDS
end

local function call(f, n, args)
  while true do
    local record, since = find(f, n, args)
    if record.plain then return results_of.of_call(f.fn, unpack(args, 1, n)) end
    local results = run_record(since, record, args)
    if not results then
      forget(f, record)
    elseif results ~= run.AGAIN then
      return unpack(results, 1, record.results)
    end
  end
end

---A function that runs as one kernel, created by gpuarray.fuse().
---@class cudalua.gpuarray.Fused
---@overload fun(...: any): ...  the results of the function
local Fused = names.strict({}, { text = "a fused function" })

local TAG = "cudalua.gpuarray.Fused"

local function inner(self, method)
  local mt = debug.getmetatable(self)
  if type(mt) ~= "table" or mt.__metatable ~= TAG then
    errors.raise("LogicError", ("%s: expected a function of gpuarray.fuse(), got %s"):format(method, errors.text(self)))
  end
  return mt._f
end

local function has_pending(n, args)
  for k = 1, n do
    if is_array(args[k]) and args[k]._sig then return true end
  end
  return false
end

local function call_fused(self, ...)
  local f = inner(self, "gpuarray.fuse")
  local n, args = pack(...)
  -- A part of another function that is looked at is a part of its kernel.
  if looking and has_pending(n, args) or graph.is_eager() then return f.fn(...) end
  local leaf = memory_of(n, args)
  if leaf and leaf.buf and leaf.store.context ~= context_id() then
    return core.memory_context(leaf.buf):with(call, f, n, args)
  end
  return call(f, n, args)
end

-- Plans a call for gpuarray.explain(), and returns what describe() makes of the plan. What the function makes has
-- imagined memory, and is gone afterwards.
local function planned(describe, self, ...)
  local f, n, args = inner(self, "gpuarray.explain"), pack(...)
  local records, at, made = { unpack(f.records) }, f.at, nil
  local function noted() -- while no finalizer runs, whose arrays would be noted as well
    made = storage.begin_notes()
    local ok, failure = pcall(call_fused, self, unpack(args, 1, n))
    storage.end_notes(made)
    if not ok then error(failure, 0) end
  end
  local ok, text = pcall(function() return describe(dry_run.plan({}, true, false, noted)) end)
  f.records, f.at = records, at
  for k = 1, made and made.pending.n or 0 do
    if made.pending[k] then storage.drop(made.pending[k]) end
  end
  for k = 1, made and made.stores.n or 0 do
    if made.stores[k] then made.stores[k].released = true end
  end
  if not ok then error(text, 0) end
  return text
end

---Returns the CUDA C source for a call with these arguments, without running it.
---@param ... any  the arguments, as in a call
---@return string  the source of all kernels, if results of different shapes need several
---@raise LogicError if the function does too much for one kernel; errors of the function
function Fused:source(...)
  local f = inner(self, "gpuarray.Fused:source")
  local n, args = pack(...)
  local record = find(f, n, args)
  if record.plain then
    errors.raise("LogicError", "gpuarray.Fused:source: the function needs several kernels, so it has no single source")
  end
  local texts = {}
  for k, group in ipairs(record.groups) do texts[k] = codegen.source(evaluate.kernel_of(group.state)) end
  return table.concat(texts, "\n")
end

---Returns a function whose operations run as one kernel, even if there are many, and with all arrays of one shape that
---it returns. Plain expressions cannot do that. When you call it with arrays of new dtypes, shapes or layouts, or with
---other values, fn is called with arrays that have no values. Its element-wise operations become the kernel. Everything
---else that it uses is taken as it is at that time; its own arrays are read when the kernel runs. Conditions on values
---are not possible. Results are computed when the call returns, and equal those of fn itself bit for bit. If one kernel
---cannot hold all of it (64 arrays, 2,000 operations, no reductions or scans), fn runs as in gpuarray.eval(fn, ...).
---@param fn function  a function of arrays and values that returns arrays and values
---@return cudalua.gpuarray.Fused
---@raise LogicError if fn is not a function; calls raise errors of fn, and LogicError if fn needs the value of an array
function M.fuse(fn)
  errors.check_callable("gpuarray.fuse", fn)
  local f = { fn = fn, records = {}, at = 0 }
  return setmetatable({}, { __index = Fused, __call = call_fused, __metatable = TAG, _f = f,
    __newindex = function() errors.raise("LogicError", "gpuarray.Fused: it is read-only") end,
    __tostring = function() return "cudalua.gpuarray.Fused" end })
end

-- Of explain.lua.
local function is_fused(x)
  local mt = debug.getmetatable(x)
  return type(mt) == "table" and mt.__metatable == TAG
end

return { fuse = M.fuse, Fused = Fused, is_fused = is_fused, planned = planned }
