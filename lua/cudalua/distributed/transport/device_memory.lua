-- The side of calls whose transport moves data in device memory, in the order of the current stream. The host does not
-- wait; arrays in host memory are copied to the device and back.

local aside = require "cudalua.distributed.transport.aside"
local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"
local waiting = require "cudalua.gpuarray.core.waiting"
local write = require "cudalua.gpuarray.core.write"

local size_of = object.size_of

---The transport compares no signatures: if the ranks are to, they do it before.
local M = { compares = true }

---An operand as an array on the device, whose elements lie in C order, side by side.
---@param x cudalua.distributed.Operand
---@return cudalua.gpuarray.Array
local function packed(x)
  if not x.on_device then return transfer.to_gpu(x.array.flags.c_contiguous and x.array or x.array:copy "C") end
  local leaf = evaluate.evaluate(x.array)
  return leaf.dense and x.array or view.copy(x.array, "C")
end

M.packed = packed

-- Do two leaves in C order share no memory? Addresses tell of memory that others know, which may have several owners.
local function is_apart(a, b)
  if write.is_apart(a, b) then return true end
  if not a.buf or not b.buf then return true end
  local from, to = run.address(a), run.address(b)
  return from + size_of(a.shape) * a.dtype.itemsize <= to or to + size_of(b.shape) * b.dtype.itemsize <= from
end

-- Calls that may write where they read: each element's result comes to its own place.
local in_place = { all_reduce = true, reduce = true, broadcast = true }

-- May the call write to an array at once?
local function is_direct(p, input)
  local out = p.out
  if not out or not out.on_device then return false end
  local leaf = evaluate.evaluate(out.array)
  if not leaf.dense or layout.repeats(leaf.shape, leaf.strides, leaf.dtype.itemsize) then return false end
  local from = input and storage.leaf_of(input)
  if not from or is_apart(leaf, from) then return true end
  return in_place[p.kind] and from.buf == leaf.buf and from.off == leaf.off or false
end

---Makes a call ready: evaluates its arrays, and makes those that it needs.
---@param p cudalua.distributed.Planned
function M.prepare(p)
  if p.async and core.current_stream():is_capturing() then
    layout.refuse(p.where, "async is not possible while the current stream is being captured; leave it out, so that "
      .. "the call becomes a part of the graph")
  end
  local input = p.x and packed(p.x)
  p.input, p.bytes = input, size_of(p.part) * p.dtype.itemsize
  if not p.gets then return end
  p.direct = is_direct(p, input)
  p.result = p.direct and p.out.array or storage.empty(p.dtype, p.result_shape, size_of(p.result_shape))
end

-- Whoever still has to read what the call writes to comes first.
local function clear_target(p)
  local result = p.direct and p.result
  if result and (result._sig or storage.has_readers(storage.leaf_of(result).store)) then write.prepare(result) end
end

-- The check and the call, with nothing between them that may run a finalizer: on one line, as a launch's.
local function at(since, communicator, p, from, to, count, type, op)
  if since == storage.writes then return true, communicator:run(p.where, p.kind, from and from.buf, from and from.off, to and to.buf, to and to.off, count, p.bytes, type, op, p.root, p.async) else return false end -- luacheck: ignore 631
end

-- False: a finalizer wrote to arrays meanwhile, and nothing was done.
local function attempt(group, p, count, type, op)
  local result, direct = p.result, p.direct
  clear_target(p)
  local from, to = p.input and evaluate.evaluate(p.input), result and evaluate.evaluate(result)
  local since = storage.writes
  if from then from = storage.leaf_of(p.input) end
  if to then to = storage.leaf_of(result) end
  if direct and storage.has_readers(to.store) then return false end
  if since ~= storage.writes then return false end
  storage.writes, since = since + 1, since + 1
  local done, captured, number = at(since, group._data_handle, p, from, to, count, type, op)
  p.number = number
  if captured then
    if from then from.store.pinned = true end
    if to then run.captured(to) end
  end
  return done
end

---Makes the call.
---@param group cudalua.distributed.Group
---@param p cudalua.distributed.Planned  is ready
function M.run(group, p)
  if p.bytes == 0 then return end
  if waiting.list then waiting.start() end
  local size = size_of(p.part)
  local count, type, op = group._data.counted(p.bytes, size, p.dtype, p.op)
  repeat until attempt(group, p, count, type, op)
end

---@param p cudalua.distributed.Planned
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|nil
function M.finish(p)
  local result, out = p.result, p.out
  if not result then return nil end
  if p.direct then return result end
  if out and out.on_device then return out.array:set(result) end
  if not out and p.on_device then return result end
  local host = transfer.get(p.where, result, ndarray.empty(p.result_shape, p.dtype))
  return out and out.array:assign(host) or host
end

-- ---- calls beside the current stream --------------------------------------------------------------------------------

---Makes the call in the group's own stream.
---@param group cudalua.distributed.Group
---@param p cudalua.distributed.Planned  is ready
---@return cudalua.distributed.Work? work  nil: nothing is to be moved, and finish() gives the result
function M.start(group, p)
  if p.bytes == 0 then return nil end
  clear_target(p)
  local out = p.out
  local in_host = p.result ~= nil and not (out and out.on_device or not out and p.on_device)
  return aside.start(group, p, function() M.run(group, p) end, function() return M.finish(p) end, in_host)
end

-- ---- parts of many arrays -------------------------------------------------------------------------------------------

---What goes to another rank, or comes from one.
---@class cudalua.distributed.Transfer
---@field rank integer                  the other one, in the group
---@field array cudalua.gpuarray.Array  has an element at least

local FIELDS = 5 -- of a part, in the list that C gets

-- The arrays that C reads and writes: in C order, without gaps.
local function in_order(sends, receives)
  local list, n = {}, 0
  for _, part in ipairs(sends) do
    n = n + 1
    list[n] = { rank = part.rank, array = packed { on_device = true, array = part.array }, sent = 1 }
  end
  for _, part in ipairs(receives) do
    local leaf, x = evaluate.evaluate(part.array), part.array
    if not leaf.dense then x = storage.empty(x._dtype, x._shape, x._size) end
    n = n + 1
    list[n] = { rank = part.rank, array = x, sent = 0, final = x ~= part.array and part.array or nil }
  end
  return list
end

-- As attempt(). `flat` has room for all parts, so that nothing is made here.
local function attempt_all(group, where, list, flat)
  for k = 1, #list do
    local x = list[k].array
    evaluate.evaluate(x)
    if list[k].sent == 0 and storage.has_readers(storage.leaf_of(x).store) then write.prepare(x) end
  end
  local since = storage.writes
  for k = 1, #list do
    local part, leaf, place = list[k], storage.leaf_of(list[k].array), (k - 1) * FIELDS
    if part.sent == 0 and storage.has_readers(leaf.store) then return false end
    flat[place + 1], flat[place + 2], flat[place + 3] = leaf.buf, leaf.off, size_of(leaf.shape) * leaf.dtype.itemsize
    flat[place + 4], flat[place + 5] = part.rank, part.sent
  end
  if since ~= storage.writes then return false end
  storage.writes = since + 1
  local captured = group._data_handle:exchange(where, flat)
  for k = 1, captured and #list or 0 do
    local leaf = storage.leaf_of(list[k].array)
    if list[k].sent == 1 then leaf.store.pinned = true else run.captured(leaf) end
  end
  return true
end

---Sends parts to other ranks and receives parts of them, all at the same time. The ranks must know what comes.
---@param group cudalua.distributed.Group
---@param where string
---@param sends cudalua.distributed.Transfer[]
---@param receives cudalua.distributed.Transfer[]  they are written, and share no memory with others
function M.exchange(group, where, sends, receives)
  if #sends + #receives == 0 then return end
  if waiting.list then waiting.start() end
  local list, flat = in_order(sends, receives), {}
  for k = 1, #list * FIELDS do flat[k] = 0 end
  repeat until attempt_all(group, where, list, flat)
  for _, part in ipairs(list) do
    if part.final then part.final:set(part.array) end
  end
end

-- ---- the usual calls ------------------------------------------------------------------------------------------------

-- Calls take microseconds on the device, so what is usual goes without plans and tables: arrays on the device that have
-- values, lie in C order, and that nothing else waits to read.

-- How the shapes of the operand and of the result begin: with one extent for each rank, or not.
local usual = {
  all_reduce = { options = { op = true, out = true, async = true }, reduces = true },
  all_gather = { options = { out = true, async = true }, joined = true },
  reduce_scatter = { options = { op = true, out = true, async = true }, reduces = true, divided = true },
  all_to_all = { options = { out = true, async = true }, joined = true, divided = true },
}

-- Is list a from position i on what list b is from position j on?
local function same_behind(a, i, b, j)
  if #a - i ~= #b - j then return false end
  for k = i, #a do
    if a[k] ~= b[k + j - i] then return false end
  end
  return true
end

local function dense_leaf(x)
  if x._sig then return nil end
  local leaf = evaluate.evaluate(x)
  return leaf.dense and leaf.buf and leaf or nil
end

-- The result's leaf. Nil: this is not a usual call. False: the result is written to a new array.
local function target(kind, known, group, a, from, out)
  if out == nil then return kind == "all_reduce" and false or nil end
  if out == a then return kind == "all_reduce" and from or nil end
  local to = object.is_array(out) and dense_leaf(out)
  if not to or to.dtype ~= from.dtype or not is_apart(to, from) then return nil end
  local shape, own, size = to.shape, from.shape, group.size
  if known.joined and shape[1] ~= size or known.divided and own[1] ~= size then return nil end
  local fits = same_behind(shape, known.joined and 2 or 1, own, known.divided and 2 or 1)
  return fits and to or nil
end

---Makes a call if it is a usual one.
---@param group cudalua.distributed.Group
---@param where string
---@param kind string
---@param a any
---@param options any
---@return cudalua.gpuarray.Array? result  nil: it is not; nothing was done
function M.at_once(group, where, kind, a, options)
  local known = usual[kind]
  if not known or waiting.list or not object.is_array(a) then return nil end
  local from = dense_leaf(a)
  if not from or #from.shape == 0 and known.divided then return nil end
  local out, op = nil, nil
  if options ~= nil then
    local o = errors.options(where, options, known.options)
    if o.async then return nil end
    out, op = o.out, o.op
  end
  local to = target(kind, known, group, a, from, out)
  if to == nil then return nil end
  local size = size_of(from.shape)
  if to == false then
    out = storage.empty(from.dtype, from.shape, size)
    to = storage.leaf_of(out)
  elseif storage.has_readers(to.store) then
    return nil
  end
  if known.divided then size = size / group.size end
  local bytes = size * from.dtype.itemsize
  local count, type, code = group._data.counted(bytes, size, from.dtype, known.reduces and (op or "sum") or nil)
  if not count then return nil end
  local since = storage.writes
  if storage.leaf_of(a) ~= from or storage.leaf_of(out) ~= to then return nil end
  if since ~= storage.writes then return nil end
  storage.writes = since + 1
  local captured = group._data_handle:run(where, kind, from.buf, from.off, to.buf, to.off, count, bytes, type, code, 0) -- luacheck: ignore 631
  if captured then
    from.store.pinned = true
    run.captured(to)
  end
  return out
end

return M
