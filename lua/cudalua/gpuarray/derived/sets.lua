-- Arrays as sets: isin, intersect1d, union1d, setdiff1d and setxor1d. They sort, and compare neighbours. A NaN is in no
-- set, as it equals nothing, but stays in what is taken from one.

local arguments = require "cudalua.gpuarray.index.arguments"
local calls = require "cudalua.gpuarray.core.calls"
local choose = require "cudalua.gpuarray.index.choose"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local index_take = require "cudalua.gpuarray.index.take"
local join = require "cudalua.gpuarray.make.join"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local sort = require "cudalua.gpuarray.order.sort"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"
local where = require "cudalua.gpuarray.index.where"

local flag, flattened, take = layout.flag, arguments.flattened, index_take.take
local f, concatenate, compress = functions.functions, join.concatenate, where.compress
local unique, argsort = sort.functions.unique, sort.functions.argsort

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

local CLIP, RAW = { mode = "clip" }, { mode = "wrap" } -- neither waits for the kernel

local function part(x, first, last) return view.slice("gpuarray.sets", x, 1, { { first, last } }) end

-- Two arrays as lists of elements of one type.
local function lists_of(what, a, b)
  if not object.is_array(a) then
    arguments.check_array(what, "b", b)
    a = arguments.values_of(what, "a", a, b._dtype)
  else
    b = arguments.values_of(what, "b", b, a._dtype)
  end
  sort.plain(what, a)
  sort.plain(what, b)
  local dt = dtypes.promote(a._dtype, b._dtype)
  return graph.as_type(flattened(a), dt), graph.as_type(flattened(b), dt)
end

-- Sorted elements: is one the same as the next?
local function repeated(x)
  local n = x._size
  return f.eq(part(x, 2, n), part(x, 1, n - 1))
end

-- ---- is it there? ---------------------------------------------------------------------------------------------------

-- For each element of a list: is it in another, which is not empty? By a search in the sorted one.
local function searched(list, set)
  local sorted = sort.functions.sort(set)
  local found = take(sorted, choose.searchsorted(sorted, list), CLIP)
  return f.eq(found, list)
end

-- The same for complex numbers, which cannot be searched for: what comes again among the sorted ones of both lists, in
-- each of which it comes once.
local function paired(list, set)
  local values, inverse = unique(list, { inverse = true })
  local all = concatenate { values, (unique(set)) }
  local order, n = argsort(all), all._size
  local again = storage.empty(dtypes.bool, { n }, n)
  again:fill(false)
  if n > 1 then index_take.put(again, part(order, 1, n - 1), repeated(take(all, order, RAW)), RAW) end
  return take(part(again, 1, values._size), inverse, RAW)
end

local function contained(list, set)
  if list._size == 0 or set._size == 0 then
    local x = storage.empty(dtypes.bool, { list._size }, list._size)
    x:fill(false)
    return x
  end
  return (list._dtype.kind == "complex" and paired or searched)(list, set)
end

local isin_options = { invert = true, assume_unique = true, out = true, stream = true, allocator = true }

---Tests for each element whether it is one of the given values, as NumPy's isin. NaN never is, as it does not equal
---anything.
---@param a any  an array, or host data, if the values are an array
---@param values any  the values to look for: an array, nested lists or a number
---@param options? {invert: boolean, assume_unique: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  invert: test whether an element is not among the values; assume_unique: accepted for NumPy's
---  sake, without effect
---@return cudalua.gpuarray.Array  of bool, with a's shape
---@raise LogicError for elements of a struct type, and if neither is an array
define("isin", function(a, values, options)
  local what = "gpuarray.isin"
  local o = errors.options(what, options, isin_options)
  local invert = flag(what, o, "invert")
  flag(what, o, "assume_unique")
  if not object.is_array(a) and object.is_array(values) then
    a = arguments.values_of(what, "a", a, values._dtype)
  end
  arguments.check_array(what, "a", a)
  local shape = a._shape
  local x = errors.within(what, function() return contained(lists_of(what, a, values)) end)
  if invert then x = f.logical_not(x) end
  if #shape ~= 1 then x = view.reshape(x, { unpack(shape) }, "C") end
  return arguments.delivered(what, x, o.out)
end)

-- ---- sets of two ----------------------------------------------------------------------------------------------------

local set_options = { assume_unique = true, stream = true, allocator = true }

-- Both lists without repetitions; with `index`, where their elements come first, too.
local function sets(what, a, b, o, index)
  local x, y = lists_of(what, a, b)
  if flag(what, o, "assume_unique") then return x, y end
  local at_x, at_y
  x, at_x = unique(x, { index = index })
  y, at_y = unique(y, { index = index })
  return x, y, at_x, at_y
end

local function intersection(what, a, b, o)
  local index = flag(what, o, "indices")
  local x, y, at_x, at_y = sets(what, a, b, o, index)
  local all = concatenate { x, y }
  local order, n = argsort(all), all._size
  local sorted = take(all, order, RAW)
  local again = n > 1 and repeated(sorted) or storage.empty(dtypes.bool, { 0 }, 0)
  local values = compress(again, part(sorted, 1, math.max(n - 1, 0)))
  if not index then return values end
  -- The sort is stable: the first one of a pair is x's.
  local first = compress(again, part(order, 1, math.max(n - 1, 0)))
  local second = compress(again, n > 1 and part(order, 2, n) or order) - x._size
  return values, at_x and take(at_x, first) or first, at_y and take(at_y, second) or second:eval()
end

local intersect_options = { assume_unique = true, indices = true, stream = true, allocator = true }

---The elements that are in both arrays, without duplicates and in ascending order, as NumPy's intersect1d. The program
---waits for the number of elements.
---@param a any  an array of any shape; one of the two may be nested lists or a host array
---@param b any  likewise
---@param options? {assume_unique: boolean, indices: boolean, stream: cudalua.Stream, allocator: function}
---  assume_unique: neither array has duplicates, which saves a step; indices: return the positions of the first
---  occurrences in a and b, too
---@return cudalua.gpuarray.Array values  1-D
---@return cudalua.gpuarray.Array ...  with indices: the positions in a and in b, in C order, from 1; int64
---@raise LogicError for elements of a struct type, and if neither is an array
function M.intersect1d(a, b, options)
  local what = "gpuarray.intersect1d"
  local o = errors.options(what, options, intersect_options)
  return errors.within(what, intersection, what, a, b, o)
end

---The elements that are in at least one of two arrays, without duplicates and in ascending order, as NumPy's union1d.
---The program waits for the number of elements.
---@param a any  an array of any shape; one of the two may be nested lists or a host array
---@param b any  likewise
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  1-D
---@raise LogicError for elements of a struct type, and if neither is an array
function M.union1d(a, b, options)
  local what = "gpuarray.union1d"
  errors.options(what, options, calls.PLACED)
  return errors.within(what, function() return (unique(concatenate { lists_of(what, a, b) })) end)
end

---The elements of an array that are not in another one, without duplicates and in ascending order, as NumPy's
---setdiff1d. The program waits for the number of elements.
---@param a any  an array of any shape; one of the two may be nested lists or a host array
---@param b any  likewise
---@param options? {assume_unique: boolean, stream: cudalua.Stream, allocator: function}  assume_unique: neither array
---  has duplicates; the elements of a keep their order
---@return cudalua.gpuarray.Array  1-D
---@raise LogicError for elements of a struct type, and if neither is an array
function M.setdiff1d(a, b, options)
  local what = "gpuarray.setdiff1d"
  local o = errors.options(what, options, set_options)
  return errors.within(what, function()
    local x, y = lists_of(what, a, b)
    if not flag(what, o, "assume_unique") then x = unique(x) end
    return compress(f.logical_not(contained(x, y)), x)
  end)
end

---The elements that are in exactly one of two arrays, without duplicates and in ascending order, as NumPy's setxor1d.
---The program waits for the number of elements.
---@param a any  an array of any shape; one of the two may be nested lists or a host array
---@param b any  likewise
---@param options? {assume_unique: boolean, stream: cudalua.Stream, allocator: function}  assume_unique: neither array
---  has duplicates, which saves a step
---@return cudalua.gpuarray.Array  1-D
---@raise LogicError for elements of a struct type, and if neither is an array
function M.setxor1d(a, b, options)
  local what = "gpuarray.setxor1d"
  local o = errors.options(what, options, set_options)
  return errors.within(what, function()
    local all = sort.functions.sort(concatenate { sets(what, a, b, o) })
    local n = all._size
    local alone = storage.empty(dtypes.bool, { n }, n)
    alone:fill(true)
    if n > 1 then
      local differs = f.logical_not(repeated(all))
      part(alone, 2, n):set(differs)
      part(alone, 1, n - 1):set(f.logical_and(part(alone, 1, n - 1), differs))
    end
    return compress(alone, all)
  end)
end

return calls.install(M)
