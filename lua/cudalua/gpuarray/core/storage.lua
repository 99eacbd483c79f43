-- Memory of arrays: buffers from a pool for each context, the leaves that arrays and pending operations hold, and
-- the rules by which something is written where others still have to read.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local pairs_of = require "cudalua.base.pairs_of"
local planning = require "cudalua.gpuarray.core.planning"
local new_table = require "table.new"
local tables = require "cudalua.base.tables"

local density, context_id, max = layout.density, core.context_id, math.max
local is_leaf, mt, size_of, sub, weak_table = object.is_leaf, object.mt, object.size_of, tables.sub, tables.weak

local M = {}

-- ---- buffers --------------------------------------------------------------------------------------------------

local pools = {} -- by context
M.pools = pools
local recent, recent_id = false, 0 -- where memory was allocated last
local allocate = core.array_allocate

-- While lines are traced, by memory: the program's line that wrote what is there.
local traced, memory_lines = false, false
local here = core.here

---Sets whether the lines that made arrays are kept.
---@param on boolean
function M.trace_lines(on) traced, memory_lines = on, on and (memory_lines or setmetatable({}, { __mode = "k" })) end

---@param buf userdata|false
---@param line string|false|nil
function M.set_memory_line(buf, line)
  if buf and line and memory_lines then memory_lines[buf] = line end
end

---@param buf userdata
---@return string|nil line  that wrote the array that has this memory, or made room for it
function M.memory_line(buf) return memory_lines and memory_lines[buf] or nil end

---Calls f(...) with the context of this memory.
---@param buf userdata
---@param f function
---@param ... any
---@return any ...
function M.with_context(buf, f, ...) return core.memory_context(buf):with(f, ...) end

local function new_buffer(bytes)
  local id = recent_id
  local buf = recent and allocate(recent, bytes)
  if buf then
    if traced then M.set_memory_line(buf, here()) end
    return buf, id
  end
  id = context_id()
  local pool = pools[id]
  if not pool then
    -- The software device looks after each array's ends, so that there each has memory of its own.
    pool = core.device_pool(not core.driver_info().soft)
    pools[id] = pool
  end
  recent, recent_id = pool, id
  buf = allocate(pool, bytes) or errors.raise("LogicError",
    "gpuarray: a finalizer that ran during this allocation changed the current context")
  if traced then M.set_memory_line(buf, here()) end
  return buf, id
end

function hooks.free_held()
  for _, pool in pairs_of(pools) do pcall(pool.free_held, pool) end -- a context may be gone
end

---Starts what keeps memory alive only because it waits (waiting.lua); nil: nothing waits.
---@type function?
M.make_room = nil

---Memory in the current context, from the pool that arrays share.
---@param bytes integer
---@return userdata|false buf  false for none at all
---@return integer context     which context: core.context_id()
function M.buffer(bytes)
  if bytes == 0 then return false, context_id() end
  if not M.make_room then return new_buffer(bytes) end
  local ok, buf, id = pcall(new_buffer, bytes)
  if ok then return buf, id end
  if not errors.is_error(buf, "MemoryError") then error(buf, 0) end
  if M.make_room then M.make_room() end
  return new_buffer(bytes)
end

local strides_by_size = {} -- itemsize -> shape -> strides, of shapes that are alive

---Strides of an array in C order; one list for a shape, which is not written.
---@param shape integer[]
---@param itemsize integer
---@return integer[]
local function dense_strides(shape, itemsize)
  local known = strides_by_size[itemsize] or weak_table(strides_by_size, itemsize)
  local strides = known[shape]
  if not strides then
    strides = layout.dense_strides(shape, itemsize, "C")
    known[shape] = strides
  end
  return strides
end
M.dense_strides = dense_strides

---While calls between ranks may end without all of their data: notes that something on the device writes to memory that
---was there before. Otherwise false.
---@type (fun(buf: userdata))|false
M.note_written = false

---Says that memory is the library's own, such as counters that are at 0 again behind each kernel.
---@param buf userdata
---@return userdata buf
function M.lasting(buf)
  if M.note_written then core.memory_lasting(buf) end
  return buf
end

-- ---- leaves ---------------------------------------------------------------------------------------------------

---@param store table
---@param offset integer    bytes
---@param dtype cudalua.dtype.DType
---@param shape integer[]
---@param strides integer[]
---@return table
local function new_leaf(store, offset, dtype, shape, strides)
  local known = strides_by_size[dtype.itemsize]
  local dense = known and strides == known[shape] or density(shape, strides, dtype.itemsize)
  local leaf = { buf = store.buf, off = offset, dtype = dtype, shape = shape, strides = strides, dense = dense,
    aligned = (store.skew + offset) % 16 == 0, store = store, places = false, views = false, _leaf = true, _sig = false,
    _b = false, _low = store.exported and -math.huge or math.huge, _mark = 0, _counted = -1 }
  leaf._b = leaf
  return leaf
end
M.new_leaf = new_leaf

---Memory that other code may change or free without telling this library.
---@param store table
---@return boolean?
local function is_open(store) return store.exported or store.pinned or store.owner or store.unordered end
M.is_open = is_open

---May an array's memory be read later? Not if it is open, released, or of another context.
---@param leaf table
---@param context integer
---@return boolean
function M.is_ours(leaf, context)
  local store = leaf.store
  return not (leaf.places or is_open(store) or store.released and store.buf == leaf.buf) and store.context == context
end

---Bytes of a leaf's elements; 0 if it has no memory because they are their own places.
---@param leaf table
---@return integer
function M.bytes_of(leaf)
  local bytes = leaf.places and 0 or leaf.dtype.itemsize
  for k = 1, #leaf.shape do bytes = bytes * leaf.shape[k] end
  return bytes
end

local weak = { __mode = "v" }

-- Lists of pending arrays or storages, which keep nothing alive. Finalizers may add to them at any time: a list is
-- replaced by a shorter one only if nothing was added meanwhile.

local function new_list() return setmetatable({ n = 0, limit = 20 }, weak) end

-- A set that keeps nothing alive.
local function new_set() return setmetatable({}, { __mode = "k" }) end

-- What was not computed, released or collected yet.
local function compacted(list)
  local new = new_list()
  new.born = list.born
  for i = 1, list.n do
    local x = list[i]
    if x and (x._sig or rawget(x, "released") == false) then
      new.n = new.n + 1
      new[new.n] = x
    end
  end
  new.limit = 2 * new.n + 20
  return new
end

---Adds a pending array or a storage to the list t[field], or begins one.
---@param t table
---@param field any
---@param x table
local function add(t, field, x)
  local before = t[field]
  local list = before or new_list()
  local n = list.n
  if n >= list.limit then
    list = compacted(list)
    if before.n ~= n or t[field] ~= before then return add(t, field, x) end
  end
  if t[field] ~= before then return add(t, field, x) end
  t[field], list.n, list[list.n + 1] = list, list.n + 1, x
end
M.add = add

---Are there arrays of several contexts?
M.several = false
local first -- the context of the first storage

-- A storage over a buffer. Eight fields make a table of half the size of nine: `pinned` and `owner` come where they are
-- true.
local function bare_store(buf, bytes, context)
  if context ~= first and context then
    M.several, first = first ~= nil, first or context
  end
  return { buf = buf, bytes = bytes, context = context, exported = false, skew = 0, released = false, readers = false,
    origin = false }
end

M.bare_store = bare_store

---Stands for the storage of a new array whose memory is still to come, in plans.
M.NEW = { skew = 0 }

-- ---- scopes ---------------------------------------------------------------------------------------------------

-- An array belongs to the scope that its coroutine had open when the array was made: as an expression or with a value.
-- The storage that it gets when it is computed belongs there, too, wherever that happens.
--
-- A scope has `pending`, the expressions, and `stores`, both lists that keep nothing alive. `replaced` is a set of the
-- buffers that its storages had before they got others, which keeps nothing alive, either. `kept` are the storages that
-- outlive it, `outer` the scope around it.
-- While fuse.lua looks at a function, notes are taken in the same two lists. Records are lists of expressions.

local running = coroutine.running
local MAIN = {} -- stands for the main coroutine
local innermost = setmetatable({}, { __mode = "k" }) -- coroutine -> scope
local owner = setmetatable({}, { __mode = "k" }) -- pending array or storage -> its scope
local open, notes = 0, false -- how many scopes; the innermost notes
local records, depth = {}, 0 -- of stream:use(), the innermost one last
local scoped = false -- is any scope or list of notes there?
local noting = false -- or any record?

local function note(field, x)
  if notes then add(notes, field, x) end
  if depth > 0 and field == "pending" then add(records, depth, x) end
  local scope = open > 0 and innermost[running() or MAIN]
  if scope then
    owner[x] = scope
    add(scope, field, x)
  end
end

---A storage of an array that is new.
---@param buf userdata|false
---@param bytes integer
---@param context integer
---@return table
function M.new_store(buf, bytes, context)
  local store = bare_store(buf, bytes, context)
  if scoped then note("stores", store) end
  return store
end

---The storage of an array that was pending until now.
---@param x cudalua.gpuarray.Array
---@param store table
function M.adopt(x, store)
  if not scoped then return end
  if notes then add(notes, "stores", store) end
  local scope = owner[x]
  if scope then
    owner[store] = scope
    add(scope, "stores", store)
  end
end

---Is any scope open, or are notes taken?
---@return boolean
function M.is_scoped() return scoped end

local function see()
  scoped = open > 0 or notes ~= false
  noting = scoped or depth > 0
end

---Begins a scope of the running coroutine: the arrays that it makes from here on belong to it.
---@return table scope
function M.enter()
  local thread = running() or MAIN
  local scope = { thread = thread, outer = innermost[thread] or false, stores = new_list(), pending = new_list(),
    replaced = new_set(), kept = {} }
  innermost[thread], open, scoped, noting = scope, open + 1, true, true
  return scope
end

---A storage that outlives a scope; it belongs to the next outer one.
---@param scope table
---@param store table
function M.keep(scope, store) scope.kept[store] = true end

---A storage that outlives all the scopes that are open.
---@param store table
function M.keep_always(store)
  local scope = owner[store]
  while scope do
    scope.kept[store] = true
    scope = scope.outer
  end
end

---Takes notes of what is made from here on, which belongs to no scope that is open.
---@return table notes  their lists stay when they end
function M.begin_notes()
  local thread = running() or MAIN
  notes = { outer = notes, thread = thread, scope = innermost[thread], stores = new_list(), pending = new_list() }
  innermost[thread], scoped, noting = nil, true, true
  return notes
end

---Ends the innermost notes.
---@param n table
function M.end_notes(n)
  notes, innermost[n.thread] = n.outer, n.scope
  see()
end

---Records which arrays are written down from here on, until record_end(). Records nest; the innermost one has them.
---@param born integer  graph.written()
function M.record(born)
  local list = new_list()
  list.born = born
  depth, records[depth + 1], noting = depth + 1, list, true
end

---@return integer born  graph.written() when the innermost record began; 0: there is none
function M.recorded_from() return depth > 0 and records[depth].born or 0 end

---@return table list  those that are pending still, in the order of their making
function M.record_end()
  local list = records[depth]
  records[depth], depth = nil, depth - 1
  see()
  return compacted(list)
end

---The leaf of a whole new array in C order.
---@param store table
---@param dtype cudalua.dtype.DType
---@param shape integer[]
---@return table
local function fresh_leaf(store, dtype, shape)
  local leaf = { buf = store.buf, off = 0, dtype = dtype, shape = shape,
    strides = dense_strides(shape, dtype.itemsize), dense = true, aligned = true, store = store, places = false,
    views = false, _leaf = true, _sig = false, _b = false, _low = math.huge, _mark = 0, _counted = -1 }
  leaf._b = leaf
  return leaf
end
M.fresh_leaf = fresh_leaf

---An array that has a value.
---@param leaf table
---@return cudalua.gpuarray.Array
function M.array_of(leaf)
  return setmetatable({ _shape = leaf.shape, _sig = false, _a = leaf, _b = false, _born = 0, _low = math.huge,
    _used = 0, _mark = 0 }, mt)
end

local kinds, recent_kind = {}, {} -- context -> dtype -> record; the last one

---What is known of an array that has memory and no leaf.
---@param dtype cudalua.dtype.DType
---@param context integer
---@return {dtype: cudalua.dtype.DType, context: integer}
local function kind_of(dtype, context)
  local kind = recent_kind
  if kind.dtype == dtype and kind.context == context then return kind end
  local known = sub(kinds, context)
  kind = known[dtype] or { dtype = dtype, context = context }
  known[dtype], recent_kind = kind, kind
  return kind
end
M.kind_of = kind_of

---A new array of what was computed.
---@param buf userdata|false
---@param context integer
---@param dtype cudalua.dtype.DType
---@param shape integer[]
---@param size integer
---@param strides? integer[]  default: C order
---@param ticket? integer     the kernel left the value in a cell, see mailbox.lua
---@return cudalua.gpuarray.Array
function M.array_in(buf, context, dtype, shape, size, strides, ticket)
  if strides or scoped or not buf or planning.notes then
    local store = M.new_store(buf, size * dtype.itemsize, context)
    return M.array_of(new_leaf(store, 0, dtype, shape, strides or dense_strides(shape, dtype.itemsize)))
  end
  -- leaf_of() makes the rest when somebody asks.
  local kind = kind_of(dtype, context)
  if ticket then
    return setmetatable({ _shape = shape, _sig = false, _a = buf, _b = kind, _c = ticket, _born = 0, _low = math.huge,
      _used = 0, _mark = 0 }, mt)
  end
  return setmetatable({ _shape = shape, _sig = false, _a = buf, _b = kind, _born = 0, _low = math.huge, _used = 0,
    _mark = 0 }, mt)
end

---An array whose elements are not set to anything, in C order or with the given strides.
---@param dtype cudalua.dtype.DType
---@param shape integer[]
---@param size integer
---@param strides? integer[]  of an array without gaps
---@return cudalua.gpuarray.Array
function M.empty(dtype, shape, size, strides)
  local bytes = size * dtype.itemsize
  local buf, context = M.buffer(bytes)
  strides = strides or dense_strides(shape, dtype.itemsize)
  return M.array_of(new_leaf(M.new_store(buf, bytes, context), 0, dtype, shape, strides))
end

---How an array that has a value lies in memory now.
---@param x cudalua.gpuarray.Array
---@return table leaf
function M.leaf_of(x)
  local l, kind = x._a, x._b
  if type(l) == "userdata" then -- it belongs to no scope
    local store = bare_store(l, size_of(x._shape) * kind.dtype.itemsize, kind.context)
    local new = fresh_leaf(store, kind.dtype, x._shape)
    if x._a == l then x._a, x._b = new, false return new end -- otherwise a finalizer used it meanwhile
    l = x._a
  end
  local store = l.store
  if store.released then
    if store.failure then error(store.failure, 0) end
    errors.raise("LogicError", "gpuarray: the memory of this array was released")
  end
  if l.buf ~= store.buf or store.exported ~= (l._low < 0) then
    l = new_leaf(store, l.off, l.dtype, l.shape, l.strides)
    x._a = l
  end
  return l
end

-- ---- pending arrays -------------------------------------------------------------------------------------------

-- In the order of their making. The first `listed` of them are among the readers of the storages that they read; for
-- the others nobody asked yet, and most arrays are computed before anybody does.
local ROOM = 1000 -- for new ones
local pending, count, listed, limit = setmetatable(new_table(ROOM, 0), weak), 0, 0, ROOM
local lines, lined = {}, false -- by _born; there are some

local function compact()
  local old, size = pending, count
  local new, n, m = setmetatable(new_table(size + ROOM, 0), weak), 0, 0
  for i = 1, size do
    local x = old[i]
    if x and x._sig then
      n = n + 1
      new[n] = x
    end
    if i == listed then m = n end
  end
  local kept = {}
  for i = 1, lined and n or 0 do
    local x = new[i]
    if x then kept[x._born] = lines[x._born] end
  end
  if pending == old and count == size then pending, count, listed, limit, lines = new, n, m, 2 * n + ROOM, kept end
end

---The program's line that wrote an operation, while lines are traced (on the software device and while debugging).
---@param x cudalua.gpuarray.Array
---@param line string|false
function M.set_line(x, line) lines[x._born], lined = line, true end

---@param x cudalua.gpuarray.Array
---@return string|false|nil line  nil: it was not traced
function M.line_of(x) return lines[x._born] end

---What is pending from an operation on, in the order of writing.
---@param low integer  _born of the first one
---@param list cudalua.gpuarray.Array[]  is filled
---@return integer n   its length; what is behind that is of before
function M.pending_from(low, list)
  local n, from = 0, count + 1
  while from > 1 do
    local x = pending[from - 1]
    if x and x._born < low then break end
    from = from - 1
  end
  for i = from, count do
    local x = pending[i]
    if x and x._sig then
      n = n + 1
      list[n] = x
    end
  end
  return n
end

---The pending arrays that nothing has read yet, the newest first: no operation has them as an operand, and no kernel
---computed them on the way to something else.
---@param x cudalua.gpuarray.Array  is left out
---@param from integer  _born; only arrays that were written later
---@param most integer  looks at so many places of the list
---@param list? cudalua.gpuarray.Array[]  is filled; default: stops at the first array
---@return integer n   how many there are
function M.unread(x, from, most, list)
  local n = 0
  for i = count, max(count - most, 0) + 1, -1 do
    local y = pending[i]
    if y then
      if y._born <= from then break end
      if y._used < 0 and y._sig and y ~= x then
        n = n + 1
        if not list then break end
        list[n] = y
      end
    end
  end
  return n
end

---A pending array by its number in the order of writing.
---@param born integer
---@param most integer  looks at so many places of the list
---@return cudalua.gpuarray.Array?
function M.written_as(born, most)
  for i = count, max(count - most, 0) + 1, -1 do
    local y = pending[i]
    if y and y._born <= born then return y._born == born and y or nil end
  end
end

---Remembers an array that was just written down and not computed.
---@param x cudalua.gpuarray.Array
function M.remember(x)
  count, pending[count + 1] = count + 1, x
  if count > limit then compact() end
  if noting then note("pending", x) end
end

-- Is an operand a part of a choice, which belongs to it alone (map.lua)?
local function is_part(operand) return type(operand) == "table" and operand._sig and operand._sig.part end

-- A pending array will read what is in the storage of its operand, where that is a leaf of what is there now.
local function bind(operand, x)
  if type(operand) ~= "table" then return end
  if not is_leaf(operand) then
    local a, b = operand._a, operand._b
    if is_part(operand) then
      bind(a, x)
      bind(b, x)
    end
    return
  end
  local store = operand.store
  if not store or operand.buf ~= store.buf then return end
  add(store, "readers", x)
end

-- A finalizer may write down more meanwhile, bind that, or make the list shorter: an array may be bound twice, and none
-- is left out.
local function bind_all()
  while listed < count do
    local i = listed + 1
    local x = pending[i]
    local sig = x and x._sig
    if sig then
      bind(x._a, x)
      bind(x._b, x)
      if sig.z then bind(x._c, x) end
    end
    if listed == i - 1 and i <= count and pending[i] == x then listed = i end
  end
end

-- The check and the change, with nothing between them that may run a finalizer: on one line, as the launch's.
local function exchange(s, buf, since)
  if since == M.writes then s.buf, s.skew, s.readers, s.origin = buf, 0, false, false else return false end
  return true
end

---A storage gets another buffer; readers of the old one keep it. What a finalizer wrote there meanwhile would be lost.
---@param store table
---@param buf userdata
---@param since integer  M.writes before the new buffer was filled
---@return boolean done  false: there were other writes since then
function M.swap(store, buf, since)
  local scope, old = open > 0 and owner[store], store.buf
  if not exchange(store, buf, since) then return false end
  if scope then scope.replaced[old] = true end
  return true
end

-- ---- giving memory back ---------------------------------------------------------------------------------------

local gone = { buf = false, bytes = 0, context = 0, exported = false, pinned = true, skew = 0, released = true,
  readers = false, origin = false }

local release = core.array_release

---Called before memory is given back, before a scope ends, and before a pending array is forgotten: map.lua computes
---what still reads them. False: nothing does.
M.before_release, M.before_leave, M.before_drop = false, false, false

---The scope that a pending array or a storage belongs to.
---@param x table
---@return table?
function M.owner_of(x) return owner[x] end

---Gives memory of the pool back, or of a function of the user's.
---@param buf userdata
local function give_back(buf)
  if core.kind(buf) == "PooledDeviceAllocation" then release(buf) else buf:free() end
end
M.give_back = give_back

---@param store table
function M.release(store)
  if store.released or not store.buf then return end
  if M.before_release then M.before_release(store) end
  store.released = true
  if store.bytes > 0 and not store.owner then give_back(store.buf) end
end

-- The value of an array that has none any more.
local function gone_leaf(x, store)
  local leaf = fresh_leaf(store, object.dtype_of(x), x._shape)
  leaf.buf, leaf.strides = false, {}
  return leaf
end

---Gives the memory of an array back that has a value.
---@param x cudalua.gpuarray.Array
function M.release_array(x)
  local leaf = gone_leaf(x, gone)
  local own = x._a
  if type(own) == "table" then
    if not own.store.released then own = M.leaf_of(x) end -- so that it keeps no buffer of before
    return M.release(own.store)
  end
  x._a, x._b, x._used = leaf, false, 0 -- it was not used, so it has no other leaf: see leaf_of()
  give_back(own)
end

-- A check and the changes, with nothing between them that may run a finalizer: each on one line, as
-- spec/gpuarray/results_spec.lua has one run between any two.

---A pending array gets its value.
---@param x cudalua.gpuarray.Array
---@param leaf table
function M.settle(x, leaf)
  local store = leaf.store
  if x._sig then store.origin, x._sig, x._a, x._b, x._low = x._used >= 0 and x, false, leaf, x._used >= 0 and leaf, math.huge if rawget(x, "_c") then x._c = false end end -- luacheck: ignore 631
end

---The same if nothing has read it: its leaf is made later.
---@param x cudalua.gpuarray.Array
---@param buf userdata  its memory
---@param kind table    see kind_of()
---@return boolean done
function M.settle_in(x, buf, kind)
  if x._sig and x._used < 0 then x._sig, x._a, x._b, x._low = false, buf, kind, math.huge if rawget(x, "_c") then x._c = false end else return false end -- luacheck: ignore 631
  return true
end

---Forgets an expression that was not computed.
---@param x cudalua.gpuarray.Array
---@param failure? any  why it cannot be: later uses raise this error
function M.drop(x, failure)
  local store = gone
  if failure ~= nil then
    store = bare_store(false, 0, false)
    store.released, store.failure = true, failure
  end
  local leaf = gone_leaf(x, store)
  x._sig, x._a, x._b, x._low = false, leaf, leaf, math.huge
  if rawget(x, "_c") then x._c = false end
end

-- The same at the end of a scope: skips memory that is already freed or that a graph uses.
local function give_back_quietly(buf)
  if core.kind(buf) == "PooledDeviceAllocation" then release(buf, true) else pcall(buf.free, buf) end
end

---Ends a scope.
---@param scope table
function M.leave(scope)
  if M.before_leave then M.before_leave(scope) end
  local outer = scope.outer
  innermost[scope.thread], open = outer or nil, open - 1
  see()
  for i = 1, scope.pending.n do
    local x = scope.pending[i]
    if x then
      owner[x] = nil
      if x._sig then M.drop(x) end
    end
  end
  for i = 1, scope.stores.n do
    local store = scope.stores[i]
    if store and scope.kept[store] then
      owner[store] = outer or nil
      if outer then add(outer, "stores", store) end
    elseif store and not store.released then
      store.released = true
      if store.buf and store.bytes > 0 and not store.owner then give_back_quietly(store.buf) end
    end
  end
  local replaced, n = {}, 0 -- listed first, as a finalizer may write meanwhile
  for buf in pairs_of(scope.replaced) do n, replaced[n + 1] = n + 1, buf end
  for i = 1, n do give_back_quietly(replaced[i]) end
  scope.kept, scope.replaced = {}, new_set() -- what lives on may know this scope
end

---Can an expression not be computed, because the memory of an operand was released, or it stands for no value? Then
---using it is an error, and nothing else is.
---@param x any
---@param known table<any, boolean>  of those that were looked at; expressions are graphs
---@return boolean
local function is_dead(x, known)
  if type(x) ~= "table" then return false end
  local leaf = object.leaf_of(x)
  if leaf then return leaf.store.released and leaf.store.buf == leaf.buf end
  local sig = x._sig
  if not sig then return false end
  if sig.placeholder then return true end
  local dead = known[x]
  if dead == nil then
    dead = is_dead(x._a, known) or is_dead(x._b, known) or is_dead(x._c, known)
    known[x] = dead
  end
  return dead
end

M.is_dead = is_dead

local function has_operand(x, operand)
  local a, b = x._a, x._b
  return a == operand or b == operand or x._c == operand or is_part(a) and has_operand(a, operand) or
    is_part(b) and has_operand(b, operand)
end

-- Those that were written with a pending array as an operand, which has a value in this storage by now.
local function readers_of_origin(origin, except, list, n, known)
  for i = 1, count do
    local x = pending[i]
    if x and x._sig and not (except and except[x]) and has_operand(x, origin) and not is_dead(x, known) then
      n = n + 1
      list[n] = x
    end
  end
  return n
end

---The arrays that were not computed yet and will read what is in a storage now.
---@param store table
---@param except? table<cudalua.gpuarray.Array, boolean>
---@return cudalua.gpuarray.Array[]
function M.readers(store, except)
  bind_all()
  local list, n, bound, origin, known = {}, 0, store.readers, store.origin, {}
  if bound then
    for i = 1, bound.n do
      local x = bound[i]
      if x and x._sig and not (except and except[x]) and not is_dead(x, known) then
        n = n + 1
        list[n] = x
      end
    end
  end
  if origin then
    local m = readers_of_origin(origin, except, list, n, known)
    if m == n and not except then store.origin = false end -- and there will be no others
  end
  return list
end

---Are there any? Cheaper to ask than readers(), as mostly the first one tells.
---@param store table
---@param except? any
---@return boolean
function M.has_readers(store, except)
  bind_all()
  local bound = store.readers
  for i = 1, bound and bound.n or 0 do
    local x = bound[i]
    if x and x._sig and x ~= except and not is_dead(x, {}) then return true end
  end
  return store.origin and #M.readers(store, except and { [except] = true } or nil) > 0
end

-- How often something was written to an array that exists: see evaluate.lua.
M.writes = 0

-- The latest operation that was evaluated, by _born.
M.evaluated = 0

planning.keeps(function()
  local before = M.evaluated
  return function() M.evaluated = before end
end)

---All arrays that were not computed yet, and can be.
---@return cudalua.gpuarray.Array[]
function M.all_pending()
  local list, n, known = {}, 0, {}
  for i = 1, count do
    local x = pending[i]
    if x and x._sig and not is_dead(x, known) then
      n = n + 1
      list[n] = x
    end
  end
  return list
end

return M
