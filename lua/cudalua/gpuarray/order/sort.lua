-- sort, argsort, topk, unique: elements in their order. sort_run.lua sorts; quantiles are in quantile.lua.

local arguments = require "cudalua.gpuarray.index.arguments"
local choose = require "cudalua.gpuarray.index.choose"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local computing = require "cudalua.gpuarray.core.evaluate"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local mask = require "cudalua.gpuarray.index.mask"
local move = require "cudalua.gpuarray.index.move"
local resolve = require "cudalua.gpuarray.index.resolve"
local run = require "cudalua.gpuarray.order.sort_run"
local runs = require "cudalua.gpuarray.core.run"
local scalar = require "cudalua.gpuarray.core.scalar"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"

local refuse, check_array, delivered = layout.refuse, arguments.check_array, arguments.delivered
local flag, evaluate, until_done, AGAIN = layout.flag, computing.evaluate, runs.until_done, runs.AGAIN
local f = functions.functions

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

-- ---- along an axis --------------------------------------------------------------------------------------------------

local function swapped(list, axis)
  local out = { unpack(list) }
  out[axis], out[#out] = out[#out], out[axis]
  return out
end

-- The array with the axis in the last place, as a view; the same brings it back.
local function swap(x, axis)
  if axis == x._ndim then return x end
  return view.of(x, 0, swapped(x._shape, axis), swapped(view.strides(x), axis))
end

local function axis_of(what, a, axis)
  if a._ndim == 0 then refuse(what, "a 0-d array has no axis to sort along") end
  return layout.axis(what, axis == nil and -1 or axis, a._ndim)
end

-- Calls f(...) in an array's context; it is evaluated.
local function inside(a, call, ...) return move.inside(evaluate(a), call, ...) end

local function plain(what, a)
  check_array(what, "a", a)
  if a._dtype.kind == "struct" then refuse(what, "elements of a struct type have no order") end
end

-- Elements without gaps in C order, as keys of the type that is sorted.
local function keys_of(x)
  if x._dtype == dtypes.bool then x = graph.convert(x, dtypes.uint8) end -- where any other byte is true, too
  local leaf = evaluate(x)
  return leaf.dense and leaf or view.copy(x, "C")._leaf
end

local function rows_of(x)
  local n = x._shape[x._ndim]
  return n > 0 and x._size / n or 0, n
end

local function shaped(leaf, shape, dtype)
  local strides = storage.dense_strides(shape, dtype.itemsize)
  return storage.array_of(storage.new_leaf(leaf.store, leaf.off, dtype, shape, strides))
end

-- The last axis of an array of real numbers in order; see M.ordered.
local function real(x, descending, with_keys, with_positions)
  local rows, n = rows_of(x)
  local keys, positions = run.sort(keys_of(x), rows, n, descending, with_keys, with_positions)
  return keys and shaped(keys, x._shape, x._dtype), positions and shaped(positions, x._shape, dtypes.int64)
end

local function along(x, positions)
  return move.gather(resolve.along("gpuarray.sort", x, x._ndim, positions, "indices"))
end

-- Complex numbers, by their real parts, of one real part by the imaginary ones; what has a NaN comes behind what has
-- none: NaN only in the imaginary part, only in the real one, in both. Three stable sorts, the last one decides. The
-- elements are read several times: all are of one moment if nothing was written to arrays meanwhile.
local function complex(since, x, descending, with_keys, with_positions)
  local re, im = f.real(x), f.imag(x)
  local class = graph.convert(f.isnan(im), dtypes.uint8) + 2 * graph.convert(f.isnan(re), dtypes.uint8)
  local order
  for _, part in ipairs { im, re, class } do
    local _, p = real(order and along(part, order) or part, descending, false, true)
    order = order and along(order, p) or p
  end
  local keys = with_keys and along(x, order)
  if since ~= storage.writes then return AGAIN end
  return keys, with_positions and order
end

-- The elements along the last axis in their order, and where they were: int64, from 1.
local function ordered(x, descending, with_keys, with_positions)
  if x._dtype.kind == "complex" and x._size > 0 then
    return until_done(complex, x, descending, with_keys, with_positions)
  end
  return real(x, descending, with_keys, with_positions)
end

-- ---- sort and argsort -----------------------------------------------------------------------------------------------

local sort_options = { axis = true, descending = true, out = true, stream = true, allocator = true }

local function read(what, a, options)
  plain(what, a)
  if type(options) == "number" then options = { axis = options } end
  local o = errors.options(what, options, sort_options)
  return axis_of(what, a, o.axis), flag(what, o, "descending"), o.out
end

---Returns the elements sorted along an axis in ascending order, as NumPy's sort. The sort is stable: equal elements
---keep their order, and -0 equals 0. NaN is greater than everything, so NaNs come last, or first with descending.
---Complex numbers are sorted by their real parts, then by their imaginary parts. `a:sort { out = a }` sorts the array
---itself.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? any  {axis: integer, descending: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}. The axis can also come before this table. axis: the last one by default. descending: sort in
---  descending order; default: false. out: an array that receives the result; it may be a
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array, an axis out of range, elements of a struct type, and if out has another shape
define("sort", function(a, options)
  local what = "gpuarray.sort"
  local axis, descending, out = read(what, a, options)
  return inside(a, function()
    local keys = ordered(swap(a, axis), descending, true, false)
    return delivered(what, swap(keys, axis), out)
  end)
end)

---Returns the positions that sort the array, as NumPy's argsort: `a:take_along_axis(a:argsort())` is sorted.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? any  as for sort
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as sort
define("argsort", function(a, options)
  local what = "gpuarray.argsort"
  local axis, descending, out = read(what, a, options)
  return inside(a, function()
    local _, positions = ordered(swap(a, axis), descending, false, true)
    return delivered(what, swap(positions, axis), out)
  end)
end)

-- ---- partition ------------------------------------------------------------------------------------------------------

local partition_options = { axis = true, out = true, stream = true, allocator = true }

local function read_partition(what, a, kth, options)
  plain(what, a)
  if type(options) == "number" then options = { axis = options } end
  local o = errors.options(what, options, partition_options)
  local axis = axis_of(what, a, o.axis)
  local n = a._shape[axis]
  for _, k in ipairs(layout.integers(what, "kth", kth, -2 ^ 53)) do
    if k == 0 or k > n or k < -n then
      refuse(what, ("kth has %.0f; axis %d has %.0f element%s%s"):format(k, axis, n, n == 1 and "" or "s",
        k == 0 and ", counted from 1" or ""))
    end
  end
  return axis, o.out
end

---Partially sorts an array along an axis, as NumPy's partition. Each position in `kth` receives the element that sort()
---puts there, with no greater element before it and no smaller one behind it. The order of the others is not
---guaranteed. Currently they are sorted, which here takes no longer than a selection for several positions.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param kth integer|integer[]  positions on the axis, from 1; negative ones count from the end
---@param options? any  as for sort, without descending
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, and as sort
define("partition", function(a, kth, options)
  local what = "gpuarray.partition"
  local axis, out = read_partition(what, a, kth, options)
  return errors.within(what, M.sort, a, { axis = axis, out = out })
end)

---Returns the positions of the elements that partition() selects, as NumPy's argpartition.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param kth integer|integer[]  as for partition
---@param options? any  as for partition
---@return cudalua.gpuarray.Array  int64, positions on the axis from 1
---@raise LogicError as gpuarray.partition
define("argpartition", function(a, kth, options)
  local what = "gpuarray.argpartition"
  local axis, out = read_partition(what, a, kth, options)
  return errors.within(what, M.argsort, a, { axis = axis, out = out })
end)

-- ---- topk -----------------------------------------------------------------------------------------------------------

-- The first few elements of a long row in their order, and where they were, without sorting the others; nil if that
-- is not worth it.
local function first_of(since, what, x, count, descending)
  local rows, n = rows_of(x)
  local dtype = x._dtype
  if rows ~= 1 or n < run.SELECT or count == 0 or count > n / 16 or dtype.kind == "complex" or dtype == dtypes.bool then
    return nil
  end
  local leaf = keys_of(x)
  local found = run.first(leaf, n, descending, count)
  local places = found and mask.places(found, what)
  if not places then return nil end
  local few = places.count <= n / 4 and mask.selected(places, leaf, since)
  local all = few and few ~= AGAIN and mask.listed(places)
  mask.free(places)
  if not all then return few or nil end
  local keys, order = ordered(few, descending, true, true)
  local positions = along(all, order)
  local shape = { unpack(x._shape) }
  shape[#shape] = places.count
  return view.reshape(keys, shape, "C"), view.reshape(positions, { unpack(shape) }, "C")
end

-- The same of many rows; nil likewise.
local function first_of_rows(x, count, descending)
  local rows, n = rows_of(x)
  if x._dtype.kind == "complex" or not run.finds_top(rows, n, count) then return nil end
  local keys, positions = run.top(keys_of(x), rows, n, descending, count)
  local shape = { unpack(x._shape) }
  shape[#shape] = count
  return shaped(keys, shape, x._dtype), shaped(positions, shape, dtypes.int64)
end

local topk_options = { axis = true, largest = true, stream = true, allocator = true }

---Returns the k largest elements along an axis, the largest first, and their positions; of equal elements, the first
---ones. NaN is greater than everything.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param k integer  the number of elements
---@param options? any  {axis: integer, largest: boolean, stream: cudalua.Stream, allocator: function}. The axis can
---  also come before this table. axis: the last one by default. largest = false: return the k smallest elements, the
---  smallest first
---@return cudalua.gpuarray.Array values
---@return cudalua.gpuarray.Array positions  int64, on the axis, from 1
---@raise LogicError if the axis has fewer elements, and as sort
define("topk", function(a, k, options)
  local what = "gpuarray.topk"
  plain(what, a)
  if type(options) == "number" then options = { axis = options } end
  local o = errors.options(what, options, topk_options)
  local axis = axis_of(what, a, o.axis)
  local largest = o.largest == nil or flag(what, o, "largest")
  local count = layout.whole(k)
  if not count or count < 0 or count > a._shape[axis] then
    refuse(what, ("k must be an integer from 0 to %.0f, the elements of axis %d; got %s"):format(a._shape[axis],
      axis, count and ("%.0f"):format(count) or element.describe(k)))
  end
  local items = {}
  for d = 1, a._ndim do items[d] = d == a._ndim and { 1, count } or {} end
  return inside(a, function()
    local x = swap(a, axis)
    local keys, positions = first_of_rows(x, count, largest)
    if keys then return swap(keys, axis), swap(positions, axis) end
    keys, positions = until_done(first_of, what, x, count, largest)
    if not keys then keys, positions = ordered(x, largest, true, true) end
    keys, positions = view.slice(what, keys, a._ndim, items), view.slice(what, positions, a._ndim, items)
    return swap(view.copy(keys, "C"), axis), swap(view.copy(positions, "C"), axis)
  end)
end)

-- ---- unique ---------------------------------------------------------------------------------------------------------

local unique_options = { index = true, inverse = true, counts = true, stream = true, allocator = true }

-- Is an element another one than the one before? NaNs are equal here; a complex number is one where a part is.
local function differ(a, b)
  if a._dtype.kind ~= "float" and a._dtype.kind ~= "complex" then return f.ne(a, b) end
  return f.logical_and(f.ne(a, b), f.logical_not(f.logical_and(f.isnan(a), f.isnan(b))))
end

local function part(x, first, last)
  return view.slice("gpuarray.unique", x, 1, { { first, last } })
end

-- Writes to an array that nobody else knows, so that it is no write that an attempt has to look out for.
local function put(x, value)
  if type(value) == "boolean" then value = scalar.operand(value, x._dtype) end
  computing.store(value, x._leaf, x._size)
end

-- See M.unique. An attempt, as the elements may be read twice.
local function unique(since, what, a, index, inverse, counts)
  local n, shape = a._size, a._shape
  local flat = arguments.flattened(a)
  local keys, positions = ordered(flat, false, true, index or inverse and a._dtype.kind == "complex")
  local begins = storage.empty(dtypes.bool, { n }, n) -- does a group begin?
  if n > 0 then
    put(part(begins, 1, 1), true)
    if n > 1 then put(part(begins, 2, n), differ(part(keys, 2, n), part(keys, 1, n - 1))) end
  end
  local places = mask.places(begins, what)
  local groups = places.count
  local results = { mask.selected(places, evaluate(keys)) }
  if index then results[#results + 1] = mask.selected(places, evaluate(positions)) end
  -- Groups that are few are found among the values faster than places are put in order with the keys.
  local search = inverse and not positions and groups <= run.SEARCHED
  if inverse and not (positions or search) then positions = select(2, ordered(flat, false, false, true)) end
  local starts = (inverse and not search or counts) and mask.listed(places)
  mask.free(places)
  if inverse then
    local x = search and choose.searchsorted(results[1], flat)
      or run.spread(evaluate(positions), evaluate(starts), n, groups)
    results[#results + 1] = view.of(x, 0, { unpack(shape) }, layout.dense_strides(shape, 8, "C"))
  end
  if counts then
    local c = storage.empty(dtypes.int64, { groups }, groups)
    if groups > 1 then put(part(c, 1, groups - 1), part(starts, 2, groups) - part(starts, 1, groups - 1)) end
    if groups > 0 then put(part(c, groups, groups), n + 1 - part(starts, groups, groups)) end
    results[#results + 1] = c
  end
  return since == storage.writes and results or AGAIN
end

---Returns the distinct elements of an array in ascending order, as NumPy's unique; all NaNs count as one element. The
---requested additional results follow, in this order. The program waits for the number of elements.
---@param a cudalua.gpuarray.Array  an array of any shape, in C order
---@param options? {index: boolean, inverse: boolean, counts: boolean, stream: cudalua.Stream, allocator: function}
---  index: return the position of the first occurrence of each element; inverse: return, for each element of a, its
---  position in the result; counts: return the number of occurrences of each element
---@return cudalua.gpuarray.Array values  1-D
---@return cudalua.gpuarray.Array ...  int64, positions from 1; inverse has a's shape
---@raise LogicError for elements of a struct type
define("unique", function(a, options)
  local what = "gpuarray.unique"
  plain(what, a)
  local o = errors.options(what, options, unique_options)
  return unpack(inside(a, until_done, unique, what, a, flag(what, o, "index"), flag(what, o, "inverse"),
    flag(what, o, "counts")))
end)

return { functions = require("cudalua.gpuarray.core.calls").install(M), inside = inside, ordered = ordered,
  plain = plain }
