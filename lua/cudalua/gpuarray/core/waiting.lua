-- Reductions and scans that were written and have not started. They start before anything else is computed, so the
-- reductions of one array that a program writes one after the other become one kernel (reduce/joint.lua). All of them
-- start in the order of writing, at the latest
--   before the next evaluation, whichever array it computes
--   before a stream:use() begins and before it ends, before a capture, an event, and a wait of the host
--   before operands are freed or dropped (map.lua), and when memory is short
--   when AFTER operations were written since the first one
--   when they keep more than BYTES of memory alive. If the first one keeps more than that by itself, the others may
--   keep BYTES besides, and all start when something is written that is not a reduction or scan. They wait on if it
--   reads no memory but theirs. If it may become part of a row kernel with them (reduce/row.lua), it may read as much
--   again
--
-- They have the values of their time as all pending arrays have: whoever writes to an operand computes its readers
-- first, or leaves them the old memory.

local core = require "cudalua.core"
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local object = require "cudalua.gpuarray.core.object"
local planning = require "cudalua.gpuarray.core.planning"
local storage = require "cudalua.gpuarray.core.storage"

local is_ours = storage.is_ours

local M = {}

M.BYTES, M.AFTER = 64 * 2 ^ 20, 64

-- Expressions with more nodes are not looked through: their reductions start when they are written.
local NODES = 64

---Those that wait, in the order of writing; see storage.add(). False: there are none.
M.list = false

---Do reductions of whole arrays wait, too? Otherwise they start when they are written, as the next line may read them.
M.whole = false

local calls = 0 -- of with_whole() that have not returned; coroutines may return in any order

local function leave(ok, ...)
  calls = calls - 1
  M.whole = calls > 0
  if not ok then error((...), 0) end
  return ...
end

---As f(...), and reductions of whole arrays that it writes wait.
---@param f function
---@param ... any
---@return any ...
function M.with_whole(f, ...)
  calls, M.whole = calls + 1, true
  return leave(pcall(f, ...))
end

local bytes, large = 0, false -- that they keep alive; is the first one's operand left out, as it exceeds BYTES?
local rows, last = false, 0 -- may they become part of a row kernel? the last operation that they wait for then
local most = M.BYTES -- of `bytes`
local counted = false -- the storages of these bytes, weakly; false until they are needed
local due = math.huge

local function set_due(born)
  due = born
  graph.set_due(born)
end

planning.keeps(function()
  local list, n, above, may, to, limit, stores, at, make_room = M.list, bytes, large, rows, last, most, counted, due,
    storage.make_room
  return function()
    M.list, bytes, large, rows, last, most, counted = list, n, above, may, to, limit, stores
    storage.make_room = make_room
    set_due(at)
  end
end)

---Computes a list of them; pending.lua puts its function here.
---@param list {n: integer, [integer]: cudalua.gpuarray.Array}  has holes
---@param asked? cudalua.gpuarray.Array
---@param wanted? cudalua.gpuarray.Array[]
function M.run(list, asked, wanted) end -- luacheck: ignore list asked wanted

---Computes one of them; pending.lua puts its function here.
---@param x cudalua.gpuarray.Array
---@return table leaf
function M.compute(x) return storage.leaf_of(x) end

---The value of a reduction that a kernel is just computing; reduce/row.lua puts its function here.
---@param x cudalua.gpuarray.Array
---@return table? leaf
function M.landed(x) end -- luacheck: ignore x

---Of an expression that is written to an array: what one kernel can compute with it; reduce/row.lua puts its functions
---here.
---@param list {n: integer, [integer]: cudalua.gpuarray.Array}
---@param x cudalua.gpuarray.Array
---@return cudalua.gpuarray.RowGroup?
function M.group(list, x) end -- luacheck: ignore list x

---@param group cudalua.gpuarray.RowGroup
---@param out table
---@param since integer
---@return boolean? done
function M.write_group(group, out, since) end -- luacheck: ignore group out since

---@param group cudalua.gpuarray.RowGroup
function M.run_group(group) end -- luacheck: ignore group

---A reduction has its value. Expressions that only it was made of, and that only the library knows, are forgotten.
---@param x cudalua.gpuarray.Array
---@param leaf table
function M.take(x, leaf)
  local drops = x._sig and x._b.drops
  M.settle(x, leaf)
  for i = 1, drops and #drops or 0 do
    if drops[i]._sig then storage.drop(drops[i]) end
  end
end

---Gives an array its value; evaluate.lua puts its function here.
---@param x cudalua.gpuarray.Array
---@param leaf table
function M.settle(x, leaf) end -- luacheck: ignore x leaf

-- Takes the list of what waits.
local function take_list()
  local list = M.list
  storage.make_room = nil
  if not list then return nil end
  M.list, bytes, large, rows, counted = false, 0, false, false, false
  set_due(math.huge)
  return list
end

---Starts all that wait. Those that fail stay pending, and raise their errors when they are used.
---@param asked? cudalua.gpuarray.Array  the caller computes this one
---@param wanted? cudalua.gpuarray.Array[]  or these
---@raise an interruption, and what ends the device
function M.start(asked, wanted)
  local list = take_list()
  if not list then return end
  if list.n > 1 or list[1] ~= asked then M.run(list, asked, wanted) end
end
local start = M.start

hooks.start_waiting = start

---Starts all that wait before an expression is written to an array, but for the reductions that one kernel can compute
---with it. These are the caller's: it calls write_group() or run_group().
---@param x cudalua.gpuarray.Array  the expression
---@return cudalua.gpuarray.RowGroup? group  nil: all were started
---@raise an interruption, and what ends the device
function M.start_others(x)
  local list = take_list()
  if not list then return nil end
  local group, others = M.group(list, x), { n = 0 }
  if not group then
    M.run(list)
    return nil
  end
  for i = 1, list.n do
    local y = list[i]
    if y and not group.members[y] then others.n, others[others.n + 1] = others.n + 1, y end
  end
  if others.n > 0 then M.run(others) end
  return group
end

-- Calls each(store) for the memory that an operand reads, each once. Returns false if it cannot be read later.
local function look(x, context, seen, each)
  if type(x) ~= "table" or seen[x] then return true end
  seen[x], seen.n = true, seen.n + 1
  if seen.n > NODES then return false end
  local leaf = object.leaf_of(x)
  if leaf then
    if not is_ours(leaf, context) then return false end
    local store = leaf.store
    if not seen[store] then
      seen[store] = true
      each(store)
    end
    return true
  end
  local sig, a, b, c = x._sig, x._a, x._b, x._c
  if sig == false then return look(storage.leaf_of(x), context, seen, each) end
  if not sig then return true end
  return look(a, context, seen, each) and look(b, context, seen, each) and look(c, context, seen, each)
end

local function count(store) counted[store] = true end

-- The storages that are counted.
local function counted_stores(context)
  if counted then return counted end
  counted = setmetatable({}, { __mode = "k" })
  local list = M.list
  for i = 1, list and list.n or 0 do
    if list[i] then look(list[i]._a, context, { n = 0 }, count) end
  end
  return counted
end

-- The bytes that an operand keeps alive besides those that are counted; nil: it cannot wait.
local function bytes_of(operand, context)
  local known = M.list and counted_stores(context)
  if object.is_leaf(operand) then
    local store = operand.store
    return is_ours(operand, context) and (known and known[store] and 0 or store.bytes) or nil
  end
  local sum = 0
  local function add(store)
    if not (known and known[store]) then sum = sum + store.bytes end
  end
  return look(operand, context, { n = 0 }, add) and sum or nil
end

---Looks whether a reduction of this operand may wait, and makes room for it.
---@param operand table  pending array or leaf
---@param context integer
---@return number? bytes  for wait(); nil: it has to start when it is written
function M.admit(operand, context)
  local new = bytes_of(operand, context)
  if not new then return nil end
  if M.list and bytes + new > most then
    start()
    return M.admit(operand, context)
  end
  if large then set_due(math.huge) end -- this one belongs to them
  return new
end

---Lets a reduction wait.
---@param x cudalua.gpuarray.Array
---@param operand table
---@param new number        what admit() returned
---@param in_rows boolean   it may become part of a row kernel
function M.wait(x, operand, new, in_rows)
  if not M.list then
    large, rows, last = new > M.BYTES, in_rows, x._born + M.AFTER
    most = large and in_rows and new or M.BYTES
  end
  bytes, rows = bytes + (M.list and new or large and 0 or new), rows and in_rows
  if counted then look(operand, core.context_id(), { n = 0 }, count) end
  storage.add(M, "list", x)
  storage.make_room = start
  local list = M.list
  if not list then return end -- a finalizer has started it
  if large then
    set_due(x._born)
  elseif list.n == 1 then
    set_due(last)
  end
end

---An operation was written for which what waits should start. If it keeps no more memory alive, or may become part of
---a row kernel, what waits goes on waiting.
---@param x cudalua.gpuarray.Array
---@return boolean waits
function graph.pass_waiting(x)
  local sig, a, b, c = x._sig, x._a, x._b, x._c
  if not large or x._born > last or not sig or sig.maps then
    start()
    return false
  end
  local context, new, seen, list = core.context_id(), 0, { n = 0 }, {}
  local known = counted_stores(context)
  local function add(store)
    if not known[store] then new, list[#list + 1] = new + store.bytes, store end
  end
  if not (look(a, context, seen, add) and look(b, context, seen, add) and look(c, context, seen, add)) or
    new > 0 and (not rows or bytes + new > most) then
    start()
    return false
  end
  bytes = bytes + new
  for i = 1, #list do known[list[i] ] = true end
  set_due(x._born)
  return M.list ~= false
end

return M
