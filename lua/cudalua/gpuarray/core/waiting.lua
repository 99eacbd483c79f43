-- Reductions that were written and have not started. They start before anything else is computed, so the reductions of
-- one array that a program writes one after the other become one kernel (reduce/joint.lua). All of them start in the
-- order of writing, at the latest
--   before the next evaluation, whichever array it computes
--   before a stream:use() begins and before it ends, before a capture, an event, and a wait of the host
--   before operands are freed or dropped (map.lua), and when memory is short
--   when AFTER operations were written since the first one
--   when they keep more than BYTES of memory alive. An array that is larger by itself waits only until something other
--   than another reduction of it is written
--
-- They have the values of their time as all pending arrays have: whoever writes to an operand computes its readers
-- first, or leaves them the old memory.

local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local planning = require "cudalua.gpuarray.core.planning"
local storage = require "cudalua.gpuarray.core.storage"

local M = {}

M.BYTES, M.AFTER = 64 * 2 ^ 20, 64

-- Expressions with more nodes are not looked through: their reductions start when they are written.
local NODES = 64

---Those that wait, in the order of writing; see storage.add(). False: there are none.
M.list = false

local bytes, alone = 0, false -- that they keep alive; the only operand of all of them, which exceeds BYTES
local counted = setmetatable({}, { __mode = "k" }) -- the storages of these bytes
local due = math.huge

local function set_due(born)
  due = born
  graph.set_due(born)
end

planning.keeps(function()
  local list, n, only, stores, at, make_room = M.list, bytes, alone, counted, due, storage.make_room
  return function()
    M.list, bytes, alone, counted, storage.make_room = list, n, only, stores, make_room
    set_due(at)
  end
end)

---Computes a list of them; joint.lua puts its function here.
---@param list {n: integer, [integer]: cudalua.gpuarray.Array}  has holes
function M.run(list) end -- luacheck: ignore list

---Computes one of them; joint.lua puts its function here.
---@param x cudalua.gpuarray.Array
---@return table leaf
function M.compute(x) return storage.leaf_of(x) end

---Starts all that wait. Those that fail stay pending, and raise their errors when they are used.
---@raise an interruption, and what ends the device
function M.start()
  local list = M.list
  storage.make_room = nil
  if not list then return end
  if bytes > 0 then counted = setmetatable({}, { __mode = "k" }) end
  M.list, bytes, alone = false, 0, false
  set_due(math.huge)
  M.run(list)
end
local start = M.start

graph.start_waiting = start
hooks.start_waiting = start

---May an array's memory be read later? Not if other code can change or free it without telling this library.
---@param leaf table
---@param context integer
---@return boolean
function M.is_ours(leaf, context)
  local store = leaf.store
  return not (leaf.places or store.exported or store.pinned or store.owner or store.unordered or
    store.released and store.buf == leaf.buf) and store.context == context
end
local is_ours = M.is_ours

-- Adds up the bytes that an operand keeps alive. Returns false if it cannot wait.
local function look(x, found)
  if type(x) ~= "table" or found[x] then return true end
  found[x], found.nodes = true, found.nodes + 1
  if found.nodes > NODES then return false end
  local leaf = x._leaf == true and x or x._first
  if leaf then
    if not is_ours(leaf, found.context) then return false end
    local store = leaf.store
    if not counted[store] and not found[store] then
      found[store] = true
      found.stores[#found.stores + 1] = store
      found.bytes = found.bytes + store.bytes
    end
    return true
  end
  local sig, a, b, c = x._sig, x._a, x._b, x._c
  if sig == false then return look(storage.leaf_of(x), found) end
  if not sig then return true end
  return look(a, found) and look(b, found) and look(c, found)
end

---Looks whether a reduction of this operand may wait, and makes room for it.
---@param operand table  pending array or leaf
---@param context integer
---@return table? found  for wait(); nil: it has to start when it is written
function M.admit(operand, context)
  local found = { nodes = 0, bytes = 0, context = context, stores = {} }
  if not look(operand, found) then return nil end
  if alone and alone ~= operand then
    start()
    return M.admit(operand, context)
  end
  found.alone = alone or bytes + found.bytes > M.BYTES and operand
  if found.alone and not alone and M.list then
    start()
    return M.admit(operand, context)
  end
  if alone then set_due(math.huge) end -- this one belongs to them
  return found
end

---Lets a reduction wait.
---@param x cudalua.gpuarray.Array
---@param found table  what admit() returned
function M.wait(x, found)
  for i = 1, #found.stores do
    local store = found.stores[i]
    if not counted[store] then counted[store], bytes = true, bytes + store.bytes end
  end
  alone = found.alone
  storage.add(M, "list", x)
  storage.make_room = start
  local list = M.list
  if not list then return end -- a finalizer has started it
  if alone then
    set_due(x._born)
  elseif list.n == 1 then
    set_due(x._born + M.AFTER)
  end
end

return M
