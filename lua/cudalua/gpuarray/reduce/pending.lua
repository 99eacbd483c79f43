-- Reductions along axes and scans as pending arrays, which wait until they are started (core/waiting.lua). Reductions
-- of one operand along the same axes are computed by one kernel (joint.lua).

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local gathered = require "cudalua.gpuarray.reduce.axes"
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local joint = require "cudalua.gpuarray.reduce.joint"
local layout = require "cudalua.base.layout"
local map = require "cudalua.gpuarray.core.map"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local planning = require "cudalua.gpuarray.core.planning"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local row = require "cudalua.gpuarray.reduce.row"
local run = require "cudalua.gpuarray.reduce.run"
local scan_run = require "cudalua.gpuarray.reduce.scan_run"
local storage = require "cudalua.gpuarray.core.storage"
local sub = require("cudalua.base.tables").sub
local waiting = require "cudalua.gpuarray.core.waiting"

local M = {}

-- ---- writing --------------------------------------------------------------------------------------------------------

local count = 0

-- The signature of a kind's pending arrays. Nothing is computed below it: see mapped.lua. `known`: where it is kept.
local function signature(known, kind, name, scans)
  local sig = known.signature
  if not sig then
    count = count + 1
    sig = { op = { id = "reduce" .. count, name = name }, result = kind.result, maps = true, reduces = kind,
      scans = scans, number = 10000 + count }
    known.signature = sig
  end
  return sig
end

---Records that a function that is looked at (fuse.lua) reduces or scans an array.
---@param a cudalua.gpuarray.Array
function M.note(a) graph.reduces_traced = graph.reduces_traced or object.is_traced(a, {}) end

-- A pending array of this shape, which waits; nil: it has to start now. `to`: the axes.
local function node(sig, a, to, shape)
  if graph.limits_lifted() then
    M.note(a)
    return nil
  end
  if core.current_stream():is_capturing() then return nil end
  local context = core.context_id()
  local operand, bytes
  repeat -- making room may compute the operand
    operand = graph.operand(a)
    bytes = waiting.admit(operand, context)
  until object.is_leaf(operand) or operand._sig
  if not bytes then return nil end
  local x = graph.finish(sig, shape, operand, to, false, operand._low)
  if hooks.profiling and not graph.is_traced() then storage.set_line(x, core.here() or false) end
  if x._sig then waiting.wait(x, operand, bytes, not sig.scans and row.may_fit(a, to)) end
  return x
end

---Writes down a reduction.
---@param kind cudalua.gpuarray.ReductionKind
---@param a cudalua.gpuarray.Array  has elements
---@param to cudalua.gpuarray.Reduced
---@param drops? cudalua.gpuarray.Array[]  expressions that are of no use once it has its value
---@return cudalua.gpuarray.Array?  nil: it has to start now
function M.written(kind, a, to, drops)
  to.drops = drops
  return node(signature(kind, kind, kind.row.name, false), a, to, to.shape)
end

---Writes down a scan.
---@param scan table    a row of scans.lua
---@param kind cudalua.gpuarray.ReductionKind
---@param a cudalua.gpuarray.Array  has elements
---@param axis? integer
---@param shape integer[]  of the result
---@return cudalua.gpuarray.Array?  nil: it has to start now
function M.scanned(scan, kind, a, axis, shape)
  return node(signature(sub(scan, kind), kind, scan[1], true), a, { axis = axis }, shape)
end

-- ---- computing ------------------------------------------------------------------------------------------------------

-- Finalizers may compute a pending reduction at any time, which then has no operand: what is read of it is read in one
-- statement.

-- What stands for the operand of a pending reduction: see run.lua.
local function operand_of(o)
  if not object.is_leaf(o) then
    return { _operand = o, _shape = o._shape, _size = o._size, _dtype = o._dtype, _born = o._born, _low = o._low }
  end
  return { _operand = o, _shape = o.shape, _size = graph.size_of(o.shape), _dtype = o.dtype, _born = 0,
    _low = math.huge }
end

-- ---- variances in two kernels ---------------------------------------------------------------------------------------

-- An array of what a reduction reads, which nobody else writes to.
local function array_of(x)
  local o = x._operand
  if not o then return x end
  if o._sig then return o end
  local leaf = object.leaf_of(o)
  local store = storage.bare_store(leaf.buf, leaf.store.bytes, leaf.store.context)
  store.skew = leaf.store.skew
  return storage.array_of(storage.new_leaf(store, leaf.off, leaf.dtype, leaf.shape, leaf.strides))
end

-- The mean in the type that variances are computed in, with all axes.
local function mean_of(t, values, to, shape)
  return run.leaf(reductions.kind(reductions.mean, t), values, { axes = to.axes, shape = shape, strides = to.strides,
    outputs = to.outputs })
end

-- The mean, unless it is known, and then the mean of the squared distances from it.
local function in_two(kind, x, to, mean)
  local t, axes, shape = kind.finished, to.axes, {}
  for k = 1, #x._shape do shape[k] = axes[k] and 1 or x._shape[k] end
  local a, list = array_of(x), {}
  local values = a
  if a._dtype ~= t then
    values = graph.convert(a, t)
    list[1] = values
  end
  mean = mean and storage.new_leaf(mean.store, 0, t, shape, storage.dense_strides(shape, t.itemsize)) or
    mean_of(t, values, to, shape)
  local distance = graph.binary(ops.sub, values, storage.array_of(mean))
  local square = graph.binary(ops.mul, distance, distance)
  list[#list + 1], list[#list + 2] = distance, square
  local leaf = run.leaf(kind.spread, square, { axes = axes, shape = to.shape, strides = to.strides,
    outputs = to.outputs, count = to.divisor })
  for i = 1, #list do
    if list[i]._sig then storage.drop(list[i]) end
  end
  return leaf
end

-- What a reduction's kernel divides by.
local function divided(kind, to)
  if kind.divides then to.count = to.divisor end
  return to
end

-- The leaf of a reduction that is computed by itself.
local function compute(kind, x, to)
  if not kind.middle then return run.leaf(kind, x, divided(kind, to)) end
  local leaves = joint.compute({ { kind = kind, to = to } }, x)
  return leaves and leaves[1] or in_two(kind, x, to)
end

---Computes a variance at once.
---@param kind cudalua.gpuarray.SpreadKind|cudalua.gpuarray.ReductionKind
---@param a cudalua.gpuarray.Array  has elements
---@param to cudalua.gpuarray.Reduced
---@return cudalua.gpuarray.Array
function M.spread(kind, a, to)
  if not kind.middle then return run.compute(kind, a, divided(kind, to)) end
  waiting.start()
  local leaf = compute(kind, a, to)
  local store = storage.new_store(leaf.buf, leaf.store.bytes, leaf.store.context)
  store.exported, store.pinned = leaf.store.exported, leaf.store.pinned
  return storage.array_of(storage.fresh_leaf(store, kind.result, to.shape))
end

-- ---- what waits -----------------------------------------------------------------------------------------------------

local function leaf_of(x)
  local sig, operand, to = x._sig, x._a, x._b
  if not sig then return storage.leaf_of(x) end
  local values = operand_of(operand)
  if sig.scans then return scan_run.compute { kind = sig.reduces, x = values, axis = to.axis, pending = true } end
  return compute(sig.reduces, values, to)
end

-- As f(x), where lines are traced: errors tell where it was written.
local function traced(f, x)
  if graph.is_traced() then return evaluate.traced(f, x) end
  return f(x)
end

function waiting.compute(x)
  local leaf = waiting.landed(x) or traced(leaf_of, x)
  waiting.take(x, leaf)
  return x._a == leaf and leaf or storage.leaf_of(x)
end

-- The variances of a group, by themselves. They share the mean, which may be a member of the group.
local function take_spreads(spreads, x, mean, written)
  for _, member in ipairs(spreads) do
    local leaf = in_two(member.kind, x, member.to, written == storage.writes and mean or nil)
    -- A finalizer may have written to the mean, which is an array of the program's.
    if mean and written ~= storage.writes then leaf = in_two(member.kind, x, member.to) end
    waiting.take(member.array, leaf)
  end
end

-- What a kernel has computed.
local function take(members, leaves)
  for i = 1, #members do waiting.take(members[i].array, leaves[i]) end
  if leaves.stored then evaluate.take(members.stored, leaves.stored) end
end

-- The values of several, and of their operand if that is stored, by one kernel; false: that cannot do it.
local function joined(members, x, stored)
  return (stored or #members > 1) and joint.compute(members, x, stored) or
    stored and #members > 1 and joint.compute(members, x)
end

-- Computes several pending reductions of one operand in as few kernels as possible, and stores the operand if that is
-- needed, too.
local function together(members)
  local x, rest, spreads = operand_of(members.operand), {}, {}
  for i, member in ipairs(members) do
    local list = member.kind.middle and spreads or rest
    list[#list + 1] = members[i]
  end
  local stored = members.stored
  local leaves = joined(members, x, stored)
  if leaves then return take(members, leaves) end
  if #spreads == 0 or #rest == 0 then return end
  local written, mean = storage.writes, nil
  leaves = joined(rest, x, stored)
  if leaves and leaves.stored then evaluate.take(stored, leaves.stored) end
  for i, member in ipairs(rest) do
    local leaf = leaves and leaves[i] or compute(member.kind, x, member.to)
    waiting.take(member.array, leaf)
    if joint.is_middle(spreads[1].kind, member.kind) then mean = leaf end
  end
  take_spreads(spreads, x, mean, written)
end

-- The i-th of a list, with those behind it that one kernel can compute as well; nil: it has a value. A scan is alone.
local function group_of(list, i)
  local x = list[i]
  if not x then return nil end
  local sig, operand, to = x._sig, x._a, x._b
  if not sig then return nil end
  local group = { { kind = sig.reduces, to = to, array = x }, operand = operand, scans = sig.scans }
  local kinds = { sig.reduces }
  local axes, rank = to.axes, #(object.is_leaf(operand) and operand.shape or operand._shape)
  for k = i + 1, sig.scans and 0 or list.n do
    local y = list[k]
    if y then
      local other, of, along = y._sig, y._a, y._b
      if other and of == operand and not other.scans and gathered.same_axes(along.axes, axes, rank) and
        joint.fits(kinds, other.reduces) then
        group[#group + 1] = { kind = other.reduces, to = along, array = y }
        kinds[#kinds + 1] = other.reduces
      end
    end
  end
  return group
end

-- The operand of a group, if the caller computes it next by a kernel of its own: storing it here moves fewer bytes, as
-- what it is made of is read once. A kernel that computes other results as well reads that anyway.
local function stored_by(group, asked, wanted)
  local x = group.operand
  local sig = x._sig
  if not sig or sig.reduces or group.scans then return nil end
  if x == asked then return x end
  local found
  for _, y in ipairs(wanted or {}) do
    local own = y._sig
    if y == x then
      found = x
    elseif own and not own.reduces and layout.same(y._shape, x._shape) then
      return nil
    end
  end
  return found
end

-- Later uses of what fails raise the error.
local function attempt(f, x)
  local ok, failure = pcall(f, x)
  if not ok and x._sig then map.watch(x) end
  if not ok and (not errors.is_error(failure) or errors.is_error(failure, "InterruptError")) then error(failure, 0) end
end

function waiting.run(list, asked, wanted)
  row.try(list, asked, wanted)
  for i = 1, list.n do
    local group = group_of(list, i)
    if group then
      if hooks.profiling then core.profile_line(storage.line_of(group[1].array) or nil) end
      for k = 1, planning.notes and #group or 0 do planning.notes:starts(group[k].array) end
      group.stored = stored_by(group, asked, wanted)
      if #group > 1 or group.stored then attempt(together, group) end
      for k = 1, #group do
        local x = group[k].array
        if x._sig then attempt(waiting.compute, x) end
      end
      if hooks.profiling then core.profile_line(nil) end
    end
  end
end

return M
