-- The side of calls between ranks of one process (together.lua): arrays are copied from device to device. Nothing waits
-- on the host. The streams of the ranks wait for each other's events instead.

local Context = require "cudalua.driver.context"
local Event = require "cudalua.driver.event"
local core = require "cudalua.core"
local device_memory = require "cudalua.distributed.transport.device_memory"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local pieces = require "cudalua.distributed.array.pieces"
local storage = require "cudalua.gpuarray.core.storage"
local together = require "cudalua.distributed.process.together"

local size_of = object.size_of

local M = {}

local function flat(a) return a:reshape(a.size) end

---Makes a call ready: evaluates its arrays, and makes those that it needs.
---@param p cudalua.distributed.Planned
function M.prepare(p)
  p.count = size_of(p.part)
  p.bytes = p.count * p.dtype.itemsize
  p.input = p.x and flat(device_memory.packed(p.x)) or nil
  if p.input and storage.leaf_of(p.input).store.context ~= core.context_id() then
    layout.refuse(p.where, "the array is on the device of another rank; make it in the function of cuda.devices(), or "
      .. "copy it: local h = a:get() outside, then gpuarray.to_gpu(h) in the function")
  end
  p.result = p.gets and storage.empty(p.dtype, p.result_shape, size_of(p.result_shape)) or nil
  p.target = p.result and flat(p.result) or nil
end

-- ---- copies between devices -----------------------------------------------------------------------------------------

local function address(a)
  local leaf = storage.leaf_of(a)
  return leaf.off == 0 and leaf.buf or leaf.buf + leaf.off
end

-- Runs f for a rank, with its context current and in its stream.
local function as(p, f, ...)
  if p.context == Context.get_current() then return p.stream:use(f, ...) end
  return p.context:with(p.stream.use, p.stream, f, ...)
end

-- One event a rank and group is enough: a wait is for what it had recorded then.
local function record(p)
  local side = p.side
  if not side.event then side.event = Event { "disable_timing" } end
  return side.event:record(p.stream)
end

local function wait_for(p, event) p.stream:wait_for_event(event) end

-- What other ranks have done so far comes before what these ranks do next.
local function meet(all)
  local events = {}
  for k, p in ipairs(all) do events[k] = as(p, record, p) end
  for k, p in ipairs(all) do
    for j, event in ipairs(events) do
      if j ~= k then as(p, wait_for, p, event) end
    end
  end
end

-- Elements from place `at` on of a rank's flat array, to place `to` of another's.
local function copy(from, a, at, p, b, to, n)
  local size = p.dtype.itemsize
  if n > 0 then
    as(p, core.memcpy_peer, address(b) + to * size, address(a) + at * size, n * size, p.context, from.context, true,
      p.stream, true)
  end
end

-- After meet(): what others have read is free for later work of this rank.
local function read(p)
  for _, a in ipairs { p.input or p.lent, p.lent } do as(p, core.memory_used, address(a), p.stream) end
end

local function part(a, at, n) return pieces.cut(a, 1, at, at + n) end

-- ---- combining ------------------------------------------------------------------------------------------------------

local WIDE = { float16 = "float32", bfloat16 = "float32", bool = "uint8" }

local ops = {
  sum = function(a, b) return a + b end,
  prod = function(a, b) return a * b end,
  min = function(a, b) return a:minimum(b) end,
  max = function(a, b) return a:maximum(b) end,
}
ops.mean = ops.sum

-- As a binary tree over the ranks, as combine.c does it between processes.
local function tree(op, list)
  while #list > 1 do
    local next_list = {}
    for k = 1, #list, 2 do
      next_list[#next_list + 1] = list[k + 1] and op(list[k], list[k + 1]) or list[k]
    end
    list = next_list
  end
  return list[1]
end

local function combine(p, parts, target)
  local wide, list = WIDE[p.dtype.name], {}
  for k, a in ipairs(parts) do list[k] = wide and a:astype(wide) or a end
  local x = tree(ops[p.op], list)
  if p.op == "mean" then x = x / #parts end
  target:set(x.dtype == p.dtype and x or x:astype(p.dtype))
end

-- Combines these elements of all ranks' arrays, into a target of rank r.
local function combine_at(all, r, at, n, target)
  local p = all[r]
  local parts = {}
  for k, from in ipairs(all) do
    if k == r then
      parts[k] = as(p, part, from.input, at, n)
    else
      parts[k] = as(p, storage.empty, p.dtype, { n }, n)
      copy(from, from.input, at, p, parts[k], 0, n)
    end
  end
  as(p, combine, p, parts, target)
  for k, temporary in ipairs(parts) do -- the next call takes the memory again, in the same stream
    if k ~= r then as(p, temporary.release, temporary) end
  end
end

local SMALL = 2 ^ 16 -- bytes; another round costs more than that each rank combines everything

-- Each rank combines a slice for all that get the result.
local function all_reduce(all)
  local n = all[1].count
  if all[1].bytes <= SMALL then
    for r, p in ipairs(all) do
      if p.target then combine_at(all, r, 0, n, p.target) end
    end
    return
  end
  local slice = math.ceil(n / #all)
  local slices = {}
  for r, p in ipairs(all) do
    local at = (r - 1) * slice
    local m = math.min(slice, n - at)
    if m > 0 then
      local target = p.target and as(p, part, p.target, at, m) or as(p, storage.empty, p.dtype, { m }, m)
      slices[r], p.lent = { at = at, n = m, target = target }, target
      combine_at(all, r, at, m, target)
    end
  end
  meet(all)
  for r, p in ipairs(all) do
    for k, s in ipairs(slices) do
      if k ~= r and p.target then copy(all[k], s.target, 0, p, p.target, s.at, s.n) end
    end
  end
end

local function all_gather(all)
  for _, p in ipairs(all) do
    for k, from in ipairs(all) do
      if p.target then copy(from, from.input, 0, p, p.target, (k - 1) * p.count, p.count) end
    end
  end
end

local movers = {
  all_reduce = all_reduce, reduce = all_reduce,
  all_gather = all_gather, gather = all_gather,
  broadcast = function(all)
    local root = all[all[1].root + 1]
    for _, p in ipairs(all) do copy(root, root.input, 0, p, p.target, 0, p.count) end
  end,
  scatter = function(all)
    local root = all[all[1].root + 1]
    for k, p in ipairs(all) do copy(root, root.input, (k - 1) * p.count, p, p.target, 0, p.count) end
  end,
  reduce_scatter = function(all)
    for k, p in ipairs(all) do combine_at(all, k, (k - 1) * p.count, p.count, p.target) end
  end,
  all_to_all = function(all)
    for k, p in ipairs(all) do
      for j, from in ipairs(all) do
        copy(from, from.input, (k - 1) * p.count, p, p.target, (j - 1) * p.count, p.count)
      end
    end
  end,
}

-- Copies wait until the operands of all ranks are computed. Later work of a rank waits until the others have read its
-- operand.
local function move(all)
  if all[1].count == 0 then return end
  meet(all)
  movers[all[1].kind](all)
  meet(all)
  for _, p in ipairs(all) do read(p) end
end

-- ---- calls ----------------------------------------------------------------------------------------------------------

local function copy_pair(from, to)
  if from.count == 0 then return end
  meet { from, to }
  copy(from, from.input, 0, to, to.target, 0, from.count)
  meet { from, to }
  read(from)
end

---Makes the call.
---@param group cudalua.distributed.Group
---@param p cudalua.distributed.Planned  is ready
---@return string[]? differing  signatures
function M.run(group, p)
  p.stream, p.context, p.side = core.current_stream(), Context.get_current(), group._data_handle
  if p.kind == "send" or p.kind == "recv" then return together.pair(group._data_handle, p, copy_pair) end
  return together.together(group._data_handle, p.where, p.signature, p, move)
end

---@param p cudalua.distributed.Planned
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|nil
function M.finish(p)
  local x = device_memory.finish(p)
  if p.result and x ~= p.result then p.result:release() end
  return x
end

return M
