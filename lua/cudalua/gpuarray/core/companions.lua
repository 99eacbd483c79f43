-- When a program asks for the value of an array, other results that it has written and not read yet are computed by the
-- same kernel, if they have much in common with it. So a program that reads its results one after the other needs as
-- many kernels as one that passes all of them to gpuarray.eval.
--
-- Plain Lua cannot tell whether the program will read such a result, or has dropped it already. So companions move
-- fewer bytes than the requested array. Whether they are computed changes no bits, strides, owners or errors.

local again = require "cudalua.gpuarray.core.again"
local core = require "cudalua.core"
local cut = require "cudalua.gpuarray.core.cut"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local habits = require "cudalua.gpuarray.core.habits"
local layout = require "cudalua.base.layout"
local marks = require "cudalua.gpuarray.core.marks"
local object = require "cudalua.gpuarray.core.object"
local planning = require "cudalua.gpuarray.core.planning"
local results = require "cudalua.gpuarray.core.results"
local storage = require "cudalua.gpuarray.core.storage"
local strides = require "cudalua.gpuarray.core.strides"
local waiting = require "cudalua.gpuarray.core.waiting"

local max, min = math.max, math.min
local dtype_of, leaf_of, number_from, size_of = object.dtype_of, object.leaf_of, marks.number_from, object.size_of
local bytes_of, requested, same, unread, written = storage.bytes_of, habits.requested, layout.same, storage.unread,
  graph.written

local M = {}

---So many operations back are searched for results.
M.WINDOW = 160
---A kernel with companions has at most so many operations.
M.OPERATIONS = 128
---The companions of one evaluation take up to this many bytes.
M.BUDGET = 64 * 2 ^ 20
---So many results that an evaluation did not take are remembered, and looked at by so many later evaluations.
M.LEFT, M.LOOKS = 8, 4

-- ---- what a kernel would do -------------------------------------------------------------------------------------

local start = 0 -- the marks: a companion with the number k has marked what it needs with start + 1 + k

-- What a kernel of an array and some companions does, and what one more companion would add. There is one record, as
-- searches do not nest.
---@class cudalua.gpuarray.Company
---@field number integer      of the companion; 0 for the array itself
---@field member boolean[]    by number: is it computed by the kernel?
---@field size integer        elements of the results
---@field shape integer[]
---@field context integer|false  of all arrays; false: there is only one
---@field home table|false    an array with memory
---@field operations integer
---@field bytes integer       of the arrays that are read
---@field leaves integer
---@field shared boolean      does the companion read an array or compute a value that the kernel has, of full size?
---@field fits boolean        may the companion be computed with the others?
---@field strided boolean     is an array read in another order than element by element?
---@field drawn boolean       are there random numbers?
local c = { member = { [0] = true } }

local function see_leaf(leaf)
  local store, own = leaf.store, leaf.shape == c.shape or same(leaf.shape, c.shape)
  c.leaves, c.bytes = c.leaves + 1, c.bytes + bytes_of(leaf)
  if not (own and leaf.dense) and #leaf.shape > 0 then c.strided = true end
  if leaf.places then
    c.drawn = true
    return
  end
  if c.context and store.context ~= c.context or store.released and store.buf == leaf.buf then c.fits = false end
  if leaf.buf and not c.home then c.home = leaf end
end

-- Adds what an expression needs that the kernel does not have yet.
local function see(x)
  if type(x) ~= "table" or c.operations > M.OPERATIONS then return end
  local leaf, sig = leaf_of(x), x._sig
  if not leaf and not sig then return end -- a scalar, or a finalizer computed it
  x = leaf or x
  local marked = number_from(start, x)
  if marked then
    if marked == c.number + 1 then return end
    if c.member[marked - 1] then
      if leaf and same(x.shape, c.shape) or not leaf and size_of(x._shape) == c.size then c.shared = true end
      return
    end
  end
  x._mark = start + 1 + c.number
  if leaf then return see_leaf(x) end
  c.operations = c.operations + 1
  if c.number > 0 and (sig.placeholder or sig.maps or x._used > 0 and size_of(x._shape) ~= c.size) then
    c.fits = false
    return
  end
  local a, b = x._a, x._b
  see(a)
  if b then see(b) end
  if sig.z then see(x._c) end
end

local function own_bytes(x) return size_of(x._shape) * dtype_of(x).itemsize end

-- Is one more companion computed by the kernel? It may take `left` bytes of memory and move `moved` bytes. If so, adds
-- it and returns the bytes that it moves.
local function add(x, y, number, own, left, moved)
  local operations, bytes, leaves, strided, drawn = c.operations, c.bytes, c.leaves, c.strided, c.drawn
  c.number, c.shared, c.fits = number, false, true
  see(y)
  local extra = own + c.bytes - bytes + (c.operations - operations) * c.size / again.OPERATIONS
  if c.shared and c.fits and own <= left and extra <= moved and c.operations <= M.OPERATIONS and
    c.leaves <= results.LEAVES and not (c.strided and c.drawn) and y._sig and
    (not c.strided or strides.same_order(strides.order(x), strides.order(y))) then
    c.member[number] = true
    return extra
  end
  c.operations, c.bytes, c.leaves, c.strided, c.drawn = operations, bytes, leaves, strided, drawn
end

---Chooses companions of an array.
---@param x cudalua.gpuarray.Array
---@param list cudalua.gpuarray.Array[]
---@param n integer
---@param sure boolean[]  the program is going to read it, as it did the last time: it moves no bytes in vain
---@return boolean[] chosen  by number in the list
---@return integer count
function M.choose(x, list, n, sure)
  local member, several = c.member, storage.several
  local alike = false
  for k = 1, n do
    local shape = list[k]._shape
    member[k], alike = false, alike or shape == x._shape or same(shape, x._shape)
  end
  if not (alike and x._sig) then return member, 0 end
  start = marks.begin()
  c.number, c.size, c.shape, c.context, c.home = 0, size_of(x._shape), x._shape, several and core.context_id(), false
  c.operations, c.bytes, c.leaves, c.shared, c.fits, c.strided, c.drawn = 0, 0, 0, false, true, false, false
  see(x)
  local moved, count = c.bytes + own_bytes(x), 0
  local left = min(M.BUDGET, moved)
  for k = 1, c.fits and n or 0 do
    local y = list[k]
    local own = own_bytes(y)
    local extra = count + 1 < results.MOST and (y._shape == c.shape or same(y._shape, c.shape)) and
      add(x, y, k, own, left, sure[k] and math.huge or moved)
    if extra then count, moved, left = count + 1, sure[k] and moved or moved - extra, left - own end
  end
  marks.finish(start, n + 1)
  local home = c.home
  c.home, c.shape = false, false -- nothing is kept alive
  if count > 0 and not (home and cut.may_have_companions(home)) then return member, 0 end
  return member, count
end

-- ---- requests --------------------------------------------------------------------------------------------------

local looked = 0 -- operations up to this one have been searched
local left, looks, nleft = setmetatable({}, { __mode = "v" }), {}, 0 -- results that were not taken, and how often
local found, seen, sure, nfound = {}, {}, {}, 0 -- candidates, how often they were not taken; are they going to be read?
local busy = false
local short = setmetatable({}, { __mode = "v" }) -- has an element from when memory is short until the next collection

planning.keeps(function()
  local before, n, list, times = looked, nleft, { unpack(left, 1, nleft) }, { unpack(looks, 1, nleft) }
  return function()
    looked, nleft = before, n
    for i = 1, n do left[i], looks[i] = list[i], times[i] end
  end
end)

---No companions are taken until the next collection: memory is short.
function M.spare_memory() short[1] = {} end

-- The results that may be companions: those that were written since the last evaluation, those that were left, and what
-- the program read after the array before.
local function gather(x, from, h)
  local inside, born = storage.recorded_from(), x._born
  nfound = unread(x, from, M.WINDOW, found)
  for k = 1, nfound do seen[k], sure[k] = 0, false end
  for i = 1, nleft do
    local y = left[i]
    if y and y ~= x and y._sig and y._used < 0 and y._born > inside then
      nfound = nfound + 1
      found[nfound], seen[nfound], sure[nfound] = y, looks[i], false
    end
  end
  if not h then return end
  local n = 0
  for k = 1, nfound do
    local y = found[k]
    local wanted, known = habits.is_wanted(h, y._born - born)
    if wanted then
      n = n + 1
      found[n], seen[n], sure[n] = y, seen[k], known
    end
  end
  for k = n + 1, nfound do found[k] = false end
  nfound = n
  for i = 1, h.n do
    local y = h.patience[i] > 0 and storage.written_as(born + h.distance[i], habits.FAR)
    if y and y ~= x and y._sig and y._used >= 0 and y._born > inside then
      nfound = nfound + 1
      found[nfound], seen[nfound], sure[nfound] = y, M.LOOKS, h.read[i]
    end
  end
end

-- Remembers what was not computed along, and forgets the list. A finalizer that computes an array forgets it earlier.
local function remember()
  nleft = 0
  for k = 1, nfound do
    local y = found[k]
    found[k] = false
    if y and y._sig and seen[k] < M.LOOKS and nleft < M.LEFT then
      nleft = nleft + 1
      left[nleft], looks[nleft] = y, seen[k] + 1
    end
  end
  nfound = 0
end

---Does the program itself request an array? The collector does not run while a finalizer does. Old versions of LuaJIT
---do not tell.
---@return boolean
function M.is_program()
  local ok, on = pcall(collectgarbage, "isrunning")
  return not ok or on
end

local function attempt(x, from, key, h)
  looked = written()
  if h then habits.review(h) end
  gather(x, from, h)
  evaluate.fit(x)
  local member, count = M.choose(x, found, nfound, sure)
  if count == 0 or not M.is_program() then return end
  local list = { x }
  for k = 1, nfound do
    if member[k] then list[#list + 1] = found[k] end
  end
  results.beside(x, list)
  for k = 1, #list do
    local y = list[k]
    if y ~= x and not x._sig and not y._sig then
      habits.took(key, x, y)
      if planning.notes then planning.notes:along(y) end
    end
  end
end

local function search(x, from, key, h)
  -- On one line, as an interruption may come before any other one.
  busy = true local ok, failure = pcall(attempt, x, from, key, h) busy = false -- luacheck: ignore
  remember()
  if ok then return end
  if evaluate.is_final(failure) then error(failure, 0) end
  if errors.is_error(failure, "MemoryError") then M.spare_memory() end
end

---Called before a pending array is computed because the program needs its value on the host or calls eval(). Computes
---it with its companions, if it has some. Otherwise, and if anything fails, the caller computes the array alone.
---@param x cudalua.gpuarray.Array
---@raise an interruption, and what ends the device
function M.before(x)
  if busy or graph.limits_lifted() then return end
  if waiting.list then waiting.start(x) end
  local sig = x._sig
  if not sig or sig.reduces then return end
  local key, h = requested(x)
  local from, now = max(looked, storage.recorded_from()), written()
  if not h and nleft == 0 and (now - from == 1 or unread(x, from, M.WINDOW) == 0) then
    looked = now
  elseif not (short[1] or graph.is_eager()) then
    search(x, from, key, h)
  end
end

return M
