-- Writing to arrays that exist, so that everything written down before sees the old values.
--
-- A pending array holds the buffers it will read. Where a whole storage is written and somebody still has to read it,
-- or what is written is computed from it in another order, the new values go to a new buffer, which takes the place of
-- the old one: views follow, pending arrays keep the old one. If a part is written, the readers are computed first, the
-- storage moves to a copy, or one kernel writes the whole to a new buffer (whole.lua), whichever moves fewer bytes.

local core = require "cudalua.core"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local marks = require "cudalua.gpuarray.core.marks"
local object = require "cudalua.gpuarray.core.object"
local pairs_of = require "cudalua.base.pairs_of"
local results = require "cudalua.gpuarray.core.results"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local waiting = require "cudalua.gpuarray.core.waiting"
local whole = require "cudalua.gpuarray.core.whole"

local number_from = marks.number_from

local M = {}

-- Do these elements fill their storage, each byte once?
local function is_whole(leaf, size)
  if size * leaf.dtype.itemsize ~= leaf.store.bytes then return false end
  local c, f = layout.density(leaf.shape, leaf.strides, leaf.dtype.itemsize)
  if c or f then return true end
  local axes = {} -- any order of the axes will do
  for k = 1, #leaf.shape do
    if leaf.shape[k] ~= 1 then axes[#axes + 1] = k end
  end
  table.sort(axes, function(a, b) return leaf.strides[a] < leaf.strides[b] end)
  local step = leaf.dtype.itemsize
  for _, k in ipairs(axes) do
    if leaf.strides[k] ~= step then return false end
    step = step * leaf.shape[k]
  end
  return true
end

-- Do two leaves over memory whose addresses others know share bytes? Each may have an object of its own for them.
local function overlap(a, b)
  local a_low, a_high = layout.extent(a.shape, a.strides, a.dtype.itemsize)
  local b_low, b_high = layout.extent(b.shape, b.strides, b.dtype.itemsize)
  local pa, pb = a.buf and a.buf:ptr() + a.off or 0, b.buf and b.buf:ptr() + b.off or 0
  return pa + a_low < pb + b_high and pb + b_low < pa + a_high
end

local function are_same_elements(a, b)
  return a.buf == b.buf and a.off == b.off and a.dtype == b.dtype and layout.same(a.shape, b.shape) and
    layout.same(a.strides, b.strides)
end

-- What was looked at has one of these marks. What is below an index map may read any place.
local SEEN, SEEN_BELOW = 1, 2

-- Does an expression read the buffer in any other place than where its result goes? `start`: of the marks.
local function find_clash(x, out, start, below)
  if type(x) ~= "table" or x._sig == nil then return false end
  x = object.leaf_of(x) or x
  local seen = number_from(start, x)
  if seen == SEEN_BELOW or seen and not below then return false end
  local sig, a, b, c = x._sig, x._a, x._b, x._c -- a finalizer may compute x on the way
  if b == x then
    x._mark = start + (below and SEEN_BELOW or SEEN)
    if x.buf ~= out.buf then return x._low < 0 and out._low < 0 and overlap(x, out) end
    return below or not are_same_elements(x, out)
  end
  if not sig then return false end
  below = below or sig.maps
  x._mark = start + (below and SEEN_BELOW or SEEN)
  return find_clash(a, out, start, below) or find_clash(b, out, start, below) or find_clash(c, out, start, below)
end

local function clashes(x, out)
  local start = marks.begin()
  local found = find_clash(x, out, start, false)
  marks.finish(start, SEEN_BELOW)
  return found
end

-- The storage gets a buffer of its own with the same contents; who holds the old one keeps it. False: something was
-- written to arrays since then, and nothing was done.
local function move_to_copy(store, since)
  local bytes = { store.bytes }
  local dtypes = require "cudalua.dtype"
  local buf, context = storage.buffer(store.bytes)
  local old = storage.new_leaf(store, 0, dtypes.uint8, bytes, { 1 })
  local new = storage.new_leaf(storage.bare_store(buf, store.bytes, context), 0, dtypes.uint8, bytes, { 1 })
  return evaluate.store(old, new, store.bytes, since) and storage.swap(store, buf, since)
end

-- The same, and the array that is written does not keep the old buffer.
local function swap(dst, store, buf, since)
  if not storage.swap(store, buf, since) then return false end
  storage.leaf_of(dst)
  return true
end

local function operand_of(source)
  if object.is_array(source) then return source._sig and source or storage.leaf_of(source) end
  return source
end

local none = {} -- readers

local LAUNCH = run.LAUNCH

-- Of computing an array.
local function cost_of(x) return LAUNCH + 2 * x._size * x._dtype.itemsize end

-- Computes an array that reads what is written to next. One that cannot be computed is in nobody's way: it was to have
-- the old values, so that it never will have any.
local function compute_reader(r)
  local failure = r._sig and evaluate.attempt(r)
  if failure and r._sig then storage.drop(r, failure) end
end

local function compute_readers(readers)
  results.together(readers)
  for _, r in ipairs(readers) do compute_reader(r) end
end

-- The same before a part is written. Returns what is written, which may be a reader: then its value, or if there is no
-- memory for that, its expression.
local function compute_before(readers, x)
  local own = object.is_array(x) and x._sig and graph.same_expression(x)
  compute_readers(readers)
  if not own or x._sig then return x end
  return x._leaf and x._leaf.store.failure and own or storage.leaf_of(x)
end

-- A new leaf that takes the place of a whole storage's.
local function replacement(store, out)
  local buf, context = storage.buffer(store.bytes)
  local fresh = storage.bare_store(buf, store.bytes, context)
  return storage.new_leaf(fresh, out.off, out.dtype, out.shape, out.strides), buf
end

-- An attempt to write: false where a finalizer wrote to arrays since then, so that what is where has to be seen anew.
local function attempt(dst, source, ours, since)
  local out, size, store = storage.leaf_of(dst), dst._size, dst._store
  local x = operand_of(source)
  local clash = clashes(x, out)
  local read = storage.has_readers(store, ours and x or nil)
  if not read and not clash then return evaluate.store(x, out, size, since) end
  -- A graph that is being recorded writes where it reads the next time it is launched.
  local keeps = store.pinned or core.array_ready(store.buf)
  if is_whole(out, size) and not keeps then
    local to, buf = replacement(store, out)
    return evaluate.store(x, to, size, since) and swap(dst, store, buf, since)
  end
  -- For those that still have to read, and the source if it reads what it overwrites. Other code may have the source,
  -- too, and read it later.
  local copy = LAUNCH + 2 * store.bytes
  local more, patch = nil, nil
  if not keeps then more, patch = whole.cost(x, out, size) end
  -- Either of them costs a launch, so mostly the readers need not be counted.
  if more and more < LAUNCH then
    local fresh = whole.write(x, out, patch, since)
    if fresh ~= nil then return fresh and swap(dst, store, fresh, since) end
    more = nil
  end
  local cost = clash and LAUNCH + 3 * size * dst._dtype.itemsize or 0
  local readers = read and storage.readers(store, ours and { [x] = true } or nil) or none
  for _, r in ipairs(readers) do cost = cost + cost_of(r) end
  if more and more < math.min(cost, copy) then
    local fresh = whole.write(x, out, patch, since)
    if fresh ~= nil then return fresh and swap(dst, store, fresh, since) end
  end
  if cost > copy and not keeps then
    if not move_to_copy(store, since) then return false end
  else
    x = compute_before(readers, x)
    if clash and object.is_array(source) then
      x = source._sig and evaluate.evaluate(source) or storage.leaf_of(source)
      if x.buf == out.buf or x.store.exported then x = require("cudalua.gpuarray.core.view").copy(source, "C")._leaf end
    end
  end
  return evaluate.store(x, storage.leaf_of(dst), size, since)
end

-- Does a group read some of what it would write to, and not just each element before it writes to its place? Memory
-- whose address others know is never among what a pending expression reads.
local function overwrites(group, out)
  for leaf in pairs_of(group.seen) do
    if object.is_leaf(leaf) and leaf.buf == out.buf and not are_same_elements(leaf, out) and overlap(leaf, out) then
      return true
    end
  end
  return false
end

-- As attempt(), where one kernel can compute the expression with reductions that it is made of. Nil: it cannot, and
-- nothing was written.
local function attempt_group(dst, source, ours, since, group)
  local out, size, store, except = storage.leaf_of(dst), dst._size, dst._store, {}
  for x in pairs_of(group.members) do except[x] = true end
  if ours then except[source] = true end
  local clash = overwrites(group, out)
  if not clash and #storage.readers(store, except) == 0 then return waiting.write_group(group, out, since) end
  if is_whole(out, size) and not (store.pinned or core.array_ready(store.buf)) then
    local to, buf = replacement(store, out)
    local done = waiting.write_group(group, to, since)
    if done then return swap(dst, store, buf, since) end
    storage.give_back(buf)
    return done
  end
  if clash then return nil end
  return waiting.write_group(group, M.prepare(dst, except), since)
end

local function note(leaf)
  if leaf.buf then storage.note_written(leaf.buf) end
end

-- Starts what waits, but for what one kernel may compute with the expression that is written, which is returned. What
-- masks choose (since) is made of no such reductions.
local function start_waiting(dst, source, since)
  if not since and object.is_array(source) and source._sig and layout.same(source._shape, dst._shape) then
    return waiting.start_others(source)
  end
  waiting.start()
end

---Writes an expression to an array, element by element.
---@param dst cudalua.gpuarray.Array
---@param source any  array or prepared scalar, of dst's dtype, that broadcasts to dst's shape
---@param ours? boolean  no other code has the source, so it need not be computed separately
---@param what? string   function, for an error
---@param since? integer  storage.writes before the expression was written down; default: it means what it means
---@return boolean done  false: a finalizer wrote to arrays since then, and nothing was written
function M.write(dst, source, ours, what, since)
  local out = evaluate.evaluate(dst)
  if dst._size == 0 then return true end
  if not out.dense and layout.repeats(out.shape, out.strides, out.dtype.itemsize) then
    layout.refuse(what or "gpuarray", "%s is a view with repeated elements and cannot be written to; copy it with " ..
      "copy()",
      graph.describe(dst))
  end
  -- They would read what is written below a map, so that memory for a second array were needed.
  local group = waiting.list and start_waiting(dst, source, since)
  repeat
    storage.writes = storage.writes + 1
    if since then
      since = since + 1
      if since ~= storage.writes then return false end
    end
    local done
    if group then
      done = attempt_group(dst, source, ours, storage.writes, group)
      if not done then waiting.run_group(group) end
      group = nil
    end
    if done == nil then done = attempt(dst, source, ours, since or storage.writes) end
  until done
  if storage.note_written then note(storage.leaf_of(dst)) end
  return true
end

---Before other code may write to a storage: computes what still has to read it.
---@param store table
---@param ours? table<cudalua.gpuarray.Array, boolean>  but for these, which no other code has
function M.settle(store, ours)
  if not store.buf or not storage.has_readers(store) then return end
  compute_readers(storage.readers(store, ours))
end

---Before a part of an array is written by something else than an expression: what still has to read the storage is
---computed, or the storage moves to a copy, whatever moves fewer bytes.
---@param dst cudalua.gpuarray.Array
---@param ours? table<cudalua.gpuarray.Array, boolean>  expressions that are written, and no other code has
---@return table leaf  where to write
function M.prepare(dst, ours)
  local out, store = evaluate.evaluate(dst), dst._store
  if not out.buf then return out end
  local cost = 0
  for _, r in ipairs(storage.readers(out.store, ours)) do cost = cost + cost_of(r) end
  local keeps = store.pinned or core.array_ready(out.buf)
  if cost <= LAUNCH + 2 * store.bytes or keeps or not move_to_copy(store, storage.writes) then M.settle(store, ours) end
  local leaf = storage.leaf_of(dst)
  if storage.note_written then note(leaf) end
  return leaf
end

-- ---- results that kernels write to an array at once -----------------------------------------------------------------

---May kernels write to memory while they read other memory?
---@param leaf table
---@param other table
---@return boolean
function M.is_apart(leaf, other)
  return leaf.store ~= other.store and not (leaf.store.exported and other.store.exported)
end

---The memory of an array, if a result can be written to it at once. If not, the result is copied there, which follows
---all rules of writes.
---@param out any
---@param dtype cudalua.dtype.DType  of the result
---@param shape integer[]            of the result
---@param sources table[]            leaves that kernels read meanwhile
---@return table? leaf
function M.at_once(out, dtype, shape, sources)
  if not object.is_array(out) or out._sig and out._sig.placeholder or out._dtype ~= dtype or
    not layout.same(out._shape, shape) or out._size == 0 then
    return nil
  end
  local leaf = evaluate.evaluate(out)
  if layout.repeats(leaf.shape, leaf.strides, leaf.dtype.itemsize) then return nil end
  for _, x in ipairs(sources) do
    if not M.is_apart(leaf, x) or x.buf and x.store.context ~= leaf.store.context then return nil end
  end
  if storage.note_written then note(leaf) end
  return leaf
end

---The same for kernels that write elements in C order, side by side.
---@param out any
---@param dtype cudalua.dtype.DType
---@param shape integer[]
---@param sources table[]
---@return boolean
function M.dense_at_once(out, dtype, shape, sources)
  local leaf = out ~= nil and M.at_once(out, dtype, shape, sources)
  return leaf and leaf.dense and leaf.aligned or false
end

---Was something changed since prepare() gave an array's memory? Whoever gets other memory may do that.
---@param dst cudalua.gpuarray.Array
---@param leaf table
---@return boolean
function M.is_moved(dst, leaf)
  return storage.leaf_of(dst).buf ~= leaf.buf or #storage.readers(leaf.store) > 0
end

---The address is given away: from now on the contents may change at any time, so nothing waits to be computed.
---@param x cudalua.gpuarray.Array
---@return table leaf
function M.export(x)
  evaluate.evaluate(x)
  x._store.exported, x._store.pinned = true, true
  storage.writes = storage.writes + 1 -- what has looked at this memory and is not launched yet looks again
  M.settle(x._store)
  return storage.leaf_of(x)
end

return M
