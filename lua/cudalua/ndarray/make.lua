-- Host arrays that are computed: from a function of the index, ranges, the identity.

local arrays = require "cudalua.ndarray.array"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local pace = require "cudalua.base.pace"
local ranges = require "cudalua.types.ranges"

local floor, refuse = math.floor, layout.refuse

---@class cudalua.ndarray
local M = {}

-- What the elements are before their type is known goes into a Lua table, which has less room than an array.
local MAX_VALUES = 2 ^ 24

local AT_ONCE = 65536 -- elements between two looks at Ctrl-C

-- Calls put(number of the element from 1, fn(its index)) for each element, in C order.
local function each(shape, fn, put)
  local axes, n = #shape, 0
  if axes == 0 then return put(1, (fn())) end
  if axes == 1 then
    for i = 1, shape[1] do put(i, (fn(i))) end
  elseif axes == 2 then
    for i = 1, shape[1] do
      for j = 1, shape[2] do
        n = n + 1
        put(n, (fn(i, j)))
      end
    end
  else
    local index = {}
    local function walk(axis)
      for i = 1, shape[axis] do
        index[axis] = i
        if axis < axes then
          walk(axis + 1)
        else
          n = n + 1
          put(n, (fn(unpack(index, 1, axes))))
        end
      end
    end
    walk(1)
  end
end

---Returns an array with the values of a function of the indices.
---@param shape integer|integer[]  as for empty
---@param fn fun(...: integer): any  receives one position for each axis, from 1; called in C order
---@param dtype? any  as for dtype.of; default: the dtype that ndarray.array chooses for such values
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
---@return cudalua.ndarray.Array
---@raise LogicError that names the element if the dtype cannot hold what fn returned; errors of fn; else as empty
function M.from_function(shape, fn, dtype, options)
  local what = "ndarray.from_function"
  dtype, options = dtypes._or_options(dtype, options)
  errors.check_callable(what, fn)
  local order, backing = arrays.placement(what, options)
  shape = layout.numbers(what, "shape", shape, 0)
  dtype = dtype ~= nil and dtypes._of(what, dtype) or nil
  local size = layout.size(what, shape, 1)
  if not dtype then
    if size > MAX_VALUES then refuse(what, ("pass a dtype; %.0f values are too many to infer one " ..
      "from"):format(size)) end
    local values = {}
    each(shape, fn, function(i, x)
      if i % AT_ONCE == 0 then pace(AT_ONCE) end
      values[i] = x
    end)
    local a = arrays.from_list(what, nil, dtypes.default_float(), values, shape, size)
    return arrays.settled(what, a, order, backing)
  end
  local a = arrays.allocated(what, shape, dtype, "C")
  local p, check, store, itemsize = a._p, a._check, a._store, dtype.itemsize
  each(shape, fn, function(i, x)
    if i % AT_ONCE == 0 then pace(AT_ONCE) end
    local value, why = check(x)
    if why then arrays.refuse_element(what, shape, i - 1, why) end
    store(p, (i - 1) * itemsize, value)
  end)
  return arrays.settled(what, a, order, backing)
end

-- An array of n numbers, at(i) from 0.
local function ranged(what, n, dtype, backing, at)
  local a = arrays.allocated(what, { n }, dtype, "C", backing)
  local p, check, store, itemsize = a._p, a._check, a._store, dtype.itemsize
  for i = 0, n - 1 do
    local x, why = check(at(i))
    if why then arrays.refuse_element(what, { n }, i, why) end
    store(p, i * itemsize, x)
  end
  return a
end

---Returns the numbers from start up to stop, which is excluded, as NumPy's arange: arange(stop), arange(start, stop) or
---arange(start, stop, step), optionally followed by a dtype and options.
---@param start number|ffi.cdata*  the first number; default: 0; pass integers beyond 2^53 as int64_t or uint64_t
---@param stop number|ffi.cdata*   the end, which is excluded
---@param step? number|ffi.cdata*  the difference between two numbers; default: 1
---@param dtype? any  as for dtype.of; default: int64 for integers, uint64 if they need it, else dtype.default_float()
---@param options? {dtype: any, pinned: boolean, managed: boolean}  as for empty
---@return cudalua.ndarray.Array
---@raise LogicError for a step of 0, numbers that are not finite, and those that the dtype cannot hold
---@overload fun(stop: number|ffi.cdata*, dtype?: any, options?: table): cudalua.ndarray.Array
function M.arange(start, stop, step, dtype, options)
  local what = "ndarray.arange"
  local r
  r, options = ranges.arange(what, start, stop, step, dtype, options)
  local _, backing = arrays.placement(what, options)
  return ranged(what, r.n, r.dtype, backing, r.at)
end

local linspace_options = { endpoint = true, order = true, pinned = true, managed = true }

---Returns `num` evenly spaced numbers, as NumPy's linspace does.
---@param start number  the first number
---@param stop number  the last number; excluded if endpoint is false
---@param num? integer  the number of elements; default: 50
---@param dtype? any  as for dtype.of; default: dtype.default_float(); for integers, numbers are rounded down
---@param options? {dtype: any, endpoint: boolean, pinned: boolean, managed: boolean}  endpoint: include `stop`; default
---  true; the rest as for empty
---@return cudalua.ndarray.Array
---@raise LogicError for numbers that are not finite, and those that the dtype cannot hold
function M.linspace(start, stop, num, dtype, options)
  local what = "ndarray.linspace"
  local numbers
  numbers, dtype, options = ranges.numbers_first(what, { "start", "stop", "num" }, 2, start, stop, num, dtype, options)
  local _, backing, o = arrays.placement(what, options, linspace_options)
  local r = ranges.linspace(what, o.endpoint, numbers, dtype)
  local at, is_bool = r.at, r.dtype.kind == "bool"
  return ranged(what, r.n, r.dtype, backing, function(i)
    local x = at(i)
    return r.whole and floor(x) or is_bool and x ~= 0 or x
  end)
end

---Returns an array with ones on a diagonal and zeros elsewhere, as NumPy's eye: eye(rows), eye(rows, columns) or
---eye(rows, columns, k), optionally followed by a dtype and options.
---@param rows integer  the number of rows
---@param columns? integer  the number of columns; default: rows
---@param k? integer  the diagonal: 0 (default) the main one, positive above it, negative below it
---@param dtype? any        as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
---@return cudalua.ndarray.Array
---@raise LogicError for extents that are not non-negative integers; MemoryError
---@overload fun(rows: integer, dtype?: any, options?: table): cudalua.ndarray.Array
function M.eye(rows, columns, k, dtype, options)
  local what = "ndarray.eye"
  local shape
  shape, k, dtype, options = ranges.eye(what, rows, columns, k, dtype, options)
  local order, backing = arrays.placement(what, options)
  local one, why = dtype._check(1)
  if why then refuse(what, why) end
  local a = arrays.allocated(what, shape, dtype, order, backing)
  local strides = a._strides
  for i = math.max(0, -k), math.min(shape[1], shape[2] - k) - 1 do
    a._store(a._p, i * strides[1] + (i + k) * strides[2], one)
  end
  return a
end

return M
