-- median, quantile and percentile: what is in the middle, or at another place, of the sorted elements.

local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local places = require "cudalua.gpuarray.order.places"
local sort = require "cudalua.gpuarray.order.sort"
local view = require "cudalua.gpuarray.core.view"
local pairs_of = require "cudalua.base.pairs_of"

local refuse, floor, ceil, is_array = layout.refuse, math.floor, math.ceil, object.is_array
local f = functions.functions

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

-- ---- places ---------------------------------------------------------------------------------------------------------

-- Half to even.
local function nearest(x)
  local low = floor(x)
  if x - low ~= 0.5 then return floor(x + 0.5) end
  return low % 2 == 0 and low or low + 1
end

-- From a place, which lies between elements counted from 0, to the elements before and behind it, and how far it is
-- from the first of them to the second.
local methods = {
  linear = function(x) return floor(x), ceil(x), x - floor(x) end,
  lower = function(x) return floor(x), floor(x), 0 end,
  higher = function(x) return ceil(x), ceil(x), 0 end,
  nearest = function(x) return nearest(x), nearest(x), 0 end,
  midpoint = function(x) return floor(x), ceil(x), x == floor(x) and 0 or 0.5 end,
}

-- ---- the array ------------------------------------------------------------------------------------------------------

-- An array with the axes that go joined to one, the last; and the shapes of the result without and with them.
local function lined_up(what, a, axis, keepdims)
  local gone = {}
  if axis == nil then
    for k = 1, a._ndim do gone[k] = true end
  else
    gone = layout.axes(what, a._ndim, axis)
  end
  local order, n, short, full = {}, 1, {}, {}
  for k = 1, a._ndim do
    full[k] = gone[k] and 1 or a._shape[k]
    if not gone[k] then
      order[#order + 1] = k
      short[#short + 1] = a._shape[k]
    end
  end
  for k = 1, a._ndim do
    if gone[k] then
      order[#order + 1] = k
      n = n * a._shape[k]
    end
  end
  local lines = { unpack(short) }
  lines[#lines + 1] = n
  local x = a._ndim > 0 and view.reshape(view.transpose(what, a, order), lines, "C") or view.reshape(a, { 1 }, "C")
  return x, n, keepdims and full or short
end

local function at(what, x, place)
  local items = {}
  for k = 1, x._ndim do items[k] = k == x._ndim and place + 1 or {} end
  return view.slice(what, x, x._ndim, items)
end

-- The sorted lines as numbers that there is something between; NaN everywhere in a line that has one.
local function prepared(x, dtype)
  local keys = sort.ordered(x, false, true, false)
  return graph.as_type(keys, dtype)
end

local function with_nans(what, value, keys, n)
  local last = at(what, keys, n - 1)
  return f.where(f.isnan(last), last, value)
end

local function result_dtype(a)
  return a._dtype.kind == "float" and a._dtype or dtypes.default_float()
end

-- What is computed with: 16-bit floats are float32 on the way.
local function wide(dtype) return dtype.kind == "float" and dtype.itemsize == 2 and dtypes.float32 or dtype end

local function deliver(what, x, shape, out)
  if not layout.same(x._shape, shape) then x = view.reshape(x, shape, "C") end
  return out ~= nil and functions.deliver(what, x, out) or x
end

local function checked(what, a, o)
  sort.plain(what, a)
  if a._dtype.kind == "complex" then refuse(what, "complex numbers have no quantiles") end
  layout.flag(what, o, "keepdims")
end

local function options_of(what, options, known)
  if type(options) == "number" or type(options) == "table" and #options > 0 then options = { axis = options } end
  return errors.options(what, options, known)
end

-- ---- quantiles ------------------------------------------------------------------------------------------------------

local quantile_options = { axis = true, keepdims = true, method = true, out = true, stream = true, allocator = true }

-- The wanted places, as numbers from 0 to 1, and the shape that they have.
local function fractions(what, q, whole)
  local given, shape = { q }, {}
  if is_array(q) or type(q) == "table" and getmetatable(q) == "cudalua.ndarray" then
    if #q.shape > 1 then refuse(what, "q must be a number or a list of numbers") end
    local values = q:tolist()
    given, shape = type(values) == "table" and values or { values }, { q.shape[1] }
  elseif type(q) == "table" and getmetatable(q) == nil then
    for key in pairs_of(q) do
      if type(key) ~= "number" or key < 1 or key > #q or key % 1 ~= 0 then
        refuse(what, "q must be a list, but it has the field " .. errors.text(key))
      end
    end
    given, shape = q, { #q }
  end
  local list = {}
  for k = 1, shape[1] or 1 do
    local x = given[k]
    local value = element.scalar(x)
    value = type(value) == "cdata" and tonumber(value) or value
    if type(value) ~= "number" or not (value >= 0 and value <= whole) then
      refuse(what, ("q must be from 0 to %d, got %s"):format(whole, type(value) == "number" and tostring(value)
        or element.describe(x)))
    end
    list[k] = value / whole
  end
  return list, shape
end

local function method_of(what, name, list)
  local method = name == nil and list.linear or list[name]
  if not method then
    refuse(what, "method must be 'linear', 'lower', 'higher', 'nearest' or 'midpoint', got " .. errors.text(name))
  end
  return method
end

local function quantile(what, a, q, whole, o)
  local method = method_of(what, o.method, methods)
  local list, q_shape = fractions(what, q, whole)
  local x, n, shape = lined_up(what, a, o.axis, o.keepdims)
  if n == 0 then refuse(what, "the array has no elements; its shape is " .. layout.text(a._shape)) end
  local dtype = result_dtype(a)
  local exact = o.method == "lower" or o.method == "higher" or o.method == "nearest"
  if exact then dtype = a._dtype end
  local keys = prepared(x, wide(dtype))
  local value
  if #q_shape == 0 then -- parts of the array: one kernel computes the result
    local low, high, t = method(list[1] * (n - 1))
    value = at(what, keys, low)
    if t > 0 then value = places.between(value, at(what, keys, high), t) end
  else
    local low, high, t = {}, {}, {}
    for k, fraction in ipairs(list) do low[k], high[k], t[k] = method(fraction * (n - 1)) end
    value = places.listed(keys, low, high, t)
    shape = { #list, unpack(shape) }
  end
  if dtype.kind == "float" then value = with_nans(what, value, keys, n) end
  value = graph.as_type(value, dtype)
  if #q_shape == 0 and not value._sig then value = view.copy(value, "C") end
  return deliver(what, value, shape, o.out)
end

local function called(what, a, q, whole, options)
  local o = options_of(what, options, quantile_options)
  checked(what, a, o)
  return sort.inside(a, quantile, what, a, q, whole, o)
end

---The q-quantiles of the elements, as NumPy's quantile; NaN if an element is NaN. Integers give the default float;
---methods that select an element keep the dtype.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param q any  a fraction from 0 to 1; or a list or array of fractions, for which the result has an additional first
---  axis
---@param options? any  {axis, keepdims, method, out, stream, allocator}. The axis can also come before this table.
---  axis: an integer or a list; default: all axes. method: for positions between two elements: "linear" (default),
---  "lower", "higher", "nearest" or "midpoint"
---@return cudalua.gpuarray.Array
---@raise LogicError for an array without elements, for complex numbers, and for a q out of range
define("quantile", function(what, a, q, options) return called(what, a, q, 1, options) end)

---As quantile, with q as a percentage from 0 to 100.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param q any  a percentage from 0 to 100: a number, a list or an array, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as quantile
define("percentile", function(what, a, q, options) return called(what, a, q, 100, options) end)

local median_options = { axis = true, keepdims = true, out = true, stream = true, allocator = true }

local function median(what, a, o)
  local x, n, shape = lined_up(what, a, o.axis, o.keepdims)
  if n == 0 then refuse(what, "the array has no elements; its shape is " .. layout.text(a._shape)) end
  local dtype = result_dtype(a)
  local keys = prepared(x, wide(dtype))
  local value = at(what, keys, floor((n - 1) / 2))
  if n % 2 == 0 then value = (value + at(what, keys, n / 2)) / 2 end
  value = with_nans(what, value, keys, n)
  return deliver(what, graph.as_type(value, dtype), shape, o.out)
end

local function called_median(what, a, options)
  local o = options_of(what, options, median_options)
  checked(what, a, o)
  return sort.inside(a, median, what, a, o)
end

---The median: the middle one of the sorted elements, or the mean of the two in the middle; NaN if an element is NaN.
---Integers give the default float.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers; default: all axes
---@return cudalua.gpuarray.Array
---@raise LogicError for an array without elements, and for complex numbers
define("median", called_median)

return { functions = require("cudalua.gpuarray.core.calls").install(M), quantile = quantile, median = median,
  quantile_options = quantile_options, median_options = median_options, options_of = options_of, checked = checked,
  lined_up = lined_up, prepared = prepared, wide = wide, fractions = fractions, method_of = method_of,
  deliver = deliver }
