-- Pending arrays that rearrange the elements of another array (index maps), or choose between two arrays by position.
-- The kernel that uses such an array reads the elements from the original one (mapped.lua).
--
-- The result must be the same as that of a copy made when the node was written. So the copy is made immediately if the
-- memory can change or be freed unnoticed: user-provided memory, memory whose address is known to other code, and
-- during captures. It is also made if the memory is much larger than the result. Before release() or the end of a scope
-- frees memory, the nodes that read it are computed (storage.before_release).

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local mapped = require "cudalua.gpuarray.core.mapped"
local object = require "cudalua.gpuarray.core.object"
local plan = require "cudalua.gpuarray.core.plan"
local reductions = require "cudalua.gpuarray.core.waiting"
local storage = require "cudalua.gpuarray.core.storage"
local sub = require("cudalua.base.tables").sub
local view = require "cudalua.gpuarray.core.view"

local size_of = graph.size_of

local M = {}

-- ---- maps -----------------------------------------------------------------------------------------------------------

---Maps positions of a result to positions of an operand. By axis of the result: `of` is the operand's axis, 0 for none;
---`links` give the position (kernel/maps.lua).
---@class cudalua.gpuarray.Map
---@field ndim integer        of the operand
---@field of integer[]
---@field links cudalua.gpuarray.Link[][]
---@field identity boolean    each element is where it was

local none = {}

---@param ndim integer   of the operand
---@param of integer[]   by axis of the result; default: the same axes
---@param links table<integer, cudalua.gpuarray.Link>  by axis of the result
---@return cudalua.gpuarray.Map
function M.of(ndim, of, links)
  local map = { ndim = ndim, of = {}, links = {}, identity = not of }
  for k = 1, of and #of or ndim do
    map.of[k] = of and of[k] or k
    map.links[k] = links[k] and { links[k] } or none
    map.identity = map.identity and not links[k]
  end
  return map
end

local nowhere = core.pointer(0)

---The condition of a choice: is an element within these ranges of the axes?
---@param ndim integer  of the result
---@param ranges table<integer, cudalua.gpuarray.Link>  by axis
---@return table
function M.mask(ndim, ranges)
  return { ndim = ndim, ranges = ranges, leaf = { mask = true, buf = nowhere, off = 0, dtype = dtypes.bool, shape = {},
    strides = {}, store = false } }
end

-- ---- signatures -----------------------------------------------------------------------------------------------------

local signatures = {} -- dtype -> key -> signature

---The signature of a node. `maps`: its operands are read at other positions. `selects`: it has two operands and a mask.
---`part`: it is used by one other node only, is never visible to programs, and is in no list of pending arrays.
---@param name string
---@param dtype cudalua.dtype.DType
---@param selects boolean
---@param part boolean
---@return table
local function signature(name, dtype, selects, part)
  local list = sub(signatures, dtype)
  local key = name .. (selects and " selects" or "") .. (part and " part" or "")
  local sig = list[key]
  if not sig then
    sig = { op = { id = key, name = name }, result = dtype, x = dtype, y = selects and dtype or nil,
      z = selects and dtypes.bool or nil, maps = true, selects = selects, part = part }
    list[key] = sig
  end
  return sig
end

-- ---- may it wait? ---------------------------------------------------------------------------------------------------

-- A pending node keeps at most this many times its own bytes alive: in an array, and in all arrays of an expression.
local LEAF, EXPRESSION = 2, 4

-- Can an expression be computed later, in any kernel? Adds up the bytes that it keeps alive, and the cost of computing
-- it: the bytes of the arrays and maps that it reads, and its operations.
---@param x any
---@param found table  and what was looked at
---@param below? boolean  below a map, whose bytes were added
---@return boolean
local function can_wait(x, found, below)
  if type(x) ~= "table" or found[x] then return true end
  found[x] = true
  local leaf = object.leaf_of(x)
  if leaf then
    if not storage.is_ours(leaf, found.context) then return false end
    local store = leaf.store
    if not found[store] then
      found[store], found.holds = true, found.holds + store.bytes
    end
    if not below then found.bytes = found.bytes + storage.bytes_of(leaf) end
    found.across = found.across or mapped.is_across(leaf, leaf.shape)
    return true
  end
  local sig, a, b, c = x._sig, x._a, x._b, x._c
  if sig and sig.placeholder then return false end
  if sig == false then return can_wait(storage.leaf_of(x), found, below) end
  if not sig then return true end
  if not below then
    if sig.maps then
      found.bytes = found.bytes + x._size * sig.result.itemsize
    else
      found.operations = found.operations + 1
    end
  end
  below = below or sig.maps
  return can_wait(a, found, below) and can_wait(b, found, below) and can_wait(c, found, below)
end

-- How often the elements of a pending array would be computed if one kernel contained all of its maps written so far.
local places = setmetatable({}, { __mode = "k" })

-- Is an expression stored now? Yes if it cannot wait, or if its maps would store it anyway. The latter cuts loops of
-- stencils between their iterations.
local function is_stored(making, x, found)
  if making.now or not can_wait(x, found) or found.holds > EXPRESSION * making.size * making.dtype.itemsize then
    return true
  end
  local n = (places[x] or 0) + math.max(1, making.size / x._size)
  places[x] = n
  return mapped.is_dear(n, found.bytes / x._size, found.operations, x._dtype.itemsize)
end

---What is made of several nodes. `now`: it has to be computed when it is written.
---@class cudalua.gpuarray.Making
---@field name string
---@field dtype cudalua.dtype.DType
---@field shape integer[]
---@field size integer
---@field now boolean

---@param name string
---@param dtype cudalua.dtype.DType  of the result
---@param shape integer[]
---@return cudalua.gpuarray.Making
function M.begin(name, dtype, shape)
  return { name = name, dtype = dtype, shape = shape, size = size_of(shape),
    now = graph.limits_lifted() or core.current_stream():is_capturing() }
end

local function node(making, sig, a, b, c, low)
  return graph.finish(sig, making.shape, a, b, c, low)
end

-- What a node reads of an operand: an expression that can wait, or a leaf.
local function operand_of(making, x)
  local bytes, context = making.size * making.dtype.itemsize, core.context_id()
  if x._sig then
    local found = { holds = 0, bytes = 0, operations = 0, across = false, context = context }
    if is_stored(making, x, found) then
      evaluate.evaluate(x)
    else
      return graph.operand(found.across and view.copy(x, "C") or x)
    end
  end
  local leaf = storage.leaf_of(x)
  local store = leaf.store
  if store.context ~= context then plan.other_context(leaf) end
  making.now = making.now or storage.is_open(store) or store.bytes > LEAF * bytes
  if mapped.is_across(leaf, leaf.shape) then leaf = storage.leaf_of(view.copy(x, "C")) end
  return leaf
end

---An array at other places.
---@param making cudalua.gpuarray.Making
---@param x cudalua.gpuarray.Array  with elements
---@param map cudalua.gpuarray.Map
---@param part boolean  choose() gets it, and nothing else
---@return cudalua.gpuarray.Array
function M.map(making, x, map, part)
  local operand = operand_of(making, graph.as_type(x, making.dtype))
  -- Memory whose address others know is read at once, by the caller's finish().
  local low = operand._low < 0 and math.huge or operand._low
  return node(making, signature(making.name, making.dtype, false, part), operand, map, false, low)
end

---One of two arrays or values at each place.
---@param making cudalua.gpuarray.Making
---@param a any     of the result's dtype: array of its shape that is a part, or value
---@param b any
---@param mask table  where it is a
---@param part boolean  another choose() gets it, and nothing else
---@return cudalua.gpuarray.Array
function M.choose(making, a, b, mask, part)
  local x = object.is_array(a) and graph.operand(a) or a
  local y = object.is_array(b) and graph.operand(b) or b
  local low = math.min(type(x) == "table" and x._low or math.huge, type(y) == "table" and y._low or math.huge)
  return node(making, signature(making.name, making.dtype, true, part), x, y, mask, low)
end

---The elements of an array or value at some places, and those of a leaf elsewhere. Only the caller has the result.
---@param making cudalua.gpuarray.Making
---@param x any       an expression, a leaf or a value
---@param map cudalua.gpuarray.Map  of the result to x
---@param mask table  where the elements of x are
---@param old table   leaf of the result's shape
---@return cudalua.gpuarray.Array
function M.patch(making, x, map, mask, old)
  local part = node(making, signature(making.name, making.dtype, false, true), x, map, false, math.huge)
  return node(making, signature(making.name, making.dtype, true, true), part, old, mask, math.huge)
end

---An array of structs at other places, computed at once.
---@param making cudalua.gpuarray.Making
---@param x cudalua.gpuarray.Array  with elements
---@param map cudalua.gpuarray.Map
---@param fill? table  leaf of one struct, which is where the mask is false
---@param mask? table
---@return cudalua.gpuarray.Array
function M.structs(making, x, map, fill, mask)
  local out = storage.empty(making.dtype, making.shape, making.size)
  local from, to = evaluate.in_words(evaluate.evaluate(x)), evaluate.in_words(out._leaf)
  local words = M.begin(making.name, to.dtype, to.shape)
  local n = #map.of + 1
  local wide = { ndim = map.ndim + 1, of = { unpack(map.of) }, links = { unpack(map.links) }, identity = map.identity }
  wide.of[n], wide.links[n] = map.ndim + 1, none
  local all = node(words, signature(words.name, words.dtype, false, true), from, wide, false, math.huge)
  if fill then all = M.choose(words, all, evaluate.in_words(fill), M.mask(n, mask.ranges), true) end
  evaluate.store(all._sig and all or storage.leaf_of(all), to, words.size)
  return out
end

-- ---- what waits -----------------------------------------------------------------------------------------------------

local waiting = { list = false } -- see storage.add

---Computes a pending array before memory that it reads is freed, or a pending operand is dropped.
---@param x cudalua.gpuarray.Array
function M.watch(x) storage.add(waiting, "list", x) end

---The result, which waits until it is needed, or is computed at once.
---@param making cudalua.gpuarray.Making
---@param x cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array x
function M.finish(making, x)
  if making.now then evaluate.evaluate(x) end
  if x._sig then M.watch(x) end
  return x
end

-- Does an expression read memory that is freed, or contain a pending array that is dropped?
local function reads(x, goes, seen)
  if type(x) ~= "table" or seen[x] then return false end
  seen[x] = true
  local leaf = object.leaf_of(x)
  if leaf then return leaf.store and goes(leaf.store, leaf.buf) end
  local sig, a, b, c = x._sig, x._a, x._b, x._c
  return sig and (goes(x) or reads(a, goes, seen) or reads(b, goes, seen) or reads(c, goes, seen))
end

local function start(x)
  local failure = x._sig and evaluate.attempt(x)
  if failure and x._sig then storage.drop(x, failure) end
end

-- A copy would have computed its operands, too.
local function start_operands(x)
  if x._sig.reduces then return end
  for _, operand in ipairs { x._a, x._b } do
    local sig = type(operand) == "table" and operand._sig
    if sig and sig.maps then
      start_operands(operand)
    elseif sig then
      start(operand)
    end
  end
end

-- Before memory is freed or an expression is dropped, computes the remaining nodes of a list that read it.
local function start_those(list, goes)
  for i = 1, list and list.n or 0 do
    local x = list[i]
    if x and x._sig and not goes(x) and reads(x, goes, {}) then
      start_operands(x)
      start(x)
    end
  end
end

local function start_readers(goes)
  start_those(waiting.list, goes)
  start_those(reductions.list, goes)
end

function storage.before_release(store)
  if waiting.list or reductions.list then start_readers(function(s, buf) return s == store and buf == store.buf end) end
end

function storage.before_drop(x)
  if waiting.list or reductions.list then start_readers(function(y) return y == x end) end
end

function storage.before_leave(scope)
  if not waiting.list and not reductions.list then return end
  local owner_of = storage.owner_of
  start_readers(function(x) return owner_of(x) == scope and not scope.kept[x] end)
end

return M
