-- nanmedian, nanquantile and nanpercentile: as sort_quantile.lua, of those elements of a line that are numbers. Sorted,
-- they come first; how many they are differs from line to line, so that their places are computed on the device.

local dtypes = require "cudalua.dtype"
local functions = require "cudalua.gpuarray.functions"
local graph = require "cudalua.gpuarray.graph"
local layout = require "cudalua.layout"
local move = require "cudalua.gpuarray.index.move"
local object = require "cudalua.gpuarray.object"
local quantiles = require "cudalua.gpuarray.sort_quantile"
local resolve = require "cudalua.gpuarray.index.resolve"
local sort = require "cudalua.gpuarray.sort"
local storage = require "cudalua.gpuarray.storage"
local view = require "cudalua.gpuarray.view"

local f = functions.functions

---@class cudalua.gpuarray
local M = {}

---@class cudalua.gpuarray.Array
local Array = object.Array

-- From the places in question, which lie between elements counted from 0, to the elements before and behind them, and
-- how far they are from the first of them to the second; nil for no way.
local methods = {
  linear = function(x) return f.floor(x), f.ceil(x), x - f.floor(x) end,
  lower = function(x) return f.floor(x) end,
  higher = function(x) return f.ceil(x) end,
  nearest = function(x) return f.rint(x) end,
  midpoint = function(x) return f.floor(x), f.ceil(x), f.where(f.eq(x, f.floor(x)), 0 * x, 0.5) end,
}

-- The elements of sorted lines at these places, one of each line.
local function at(keys, places)
  local list = graph.convert(places + 1, dtypes.int64)
  return move.gather(resolve.along("gpuarray.nanquantile", keys, keys._ndim, list, "indices"), "clip")
end

-- What lies between two elements, as in sort_quantile.lua.
local function between(a, b, t)
  local difference, dt = b - a, a._dtype
  local x = f.where(f.lt(t, 0.5), a + difference * graph.as_type(t, dt), b - difference * graph.as_type(1 - t, dt))
  return f.where(f.eq(a, b), a, x)
end

-- Sorted lines, how many numbers are in each as float64, and the shape of the result; NaN where there are no lines.
local function lines_of(what, a, o)
  local x, n, shape = quantiles.lined_up(what, a, o.axis, o.keepdims)
  local keys = n > 0 and quantiles.prepared(x, quantiles.wide(a._dtype)) or nil
  local numbers = keys and f.logical_not(f.isnan(keys)):count_nonzero { axis = -1, keepdims = true }
  return keys, numbers and graph.convert(numbers, dtypes.float64):eval(), shape
end

local function shaped(x, shape) return layout.same(x._shape, shape) and x or view.reshape(x, { unpack(shape) }, "C") end

local function quantile(what, a, q, whole, o)
  local method = quantiles.method_of(what, o.method, methods)
  local list, q_shape = quantiles.fractions(what, q, whole)
  local keys, numbers, shape = lines_of(what, a, o)
  local function one(fraction)
    local low, high, t = method((numbers - 1) * fraction)
    local value = at(keys, low)
    return graph.as_type(t and between(value, at(keys, high), t) or value, a._dtype)
  end
  local full = { unpack(q_shape) }
  for k = 1, #shape do full[#full + 1] = shape[k] end
  local each = graph.size_of(shape)
  local all = storage.empty(a._dtype, full, each * #list)
  for k, fraction in ipairs(list) do
    local part = view.of(all, each > 0 and (k - 1) * each * a._dtype.itemsize or 0, { unpack(shape) },
      layout.dense_strides(shape, a._dtype.itemsize, "C"))
    if keys then part:set(shaped(one(fraction), shape)) else part:fill(0 / 0) end
  end
  return quantiles.deliver(what, all, full, o.out)
end

local function called(what, a, q, whole, options)
  local o = quantiles.options_of(what, options, quantiles.quantile_options)
  quantiles.checked(what, a, o)
  return sort.inside(a, a._dtype.kind == "float" and quantile or quantiles.quantile, what, a, q, whole, o)
end

---The elements below which a fraction q of the others lies, of those that are numbers, as NumPy's nanquantile; NaN
---where none is.
---@param a cudalua.gpuarray.Array
---@param q any  from 0 to 1, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers, and for a q that is out of its range
function M.nanquantile(a, q, options) return called("gpuarray.nanquantile", a, q, 1, options) end

---As gpuarray.nanquantile.
---@param q any
---@param options? any
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.nanquantile
function Array:nanquantile(q, options) return called("gpuarray:nanquantile", self, q, 1, options) end

---As nanquantile, with q in percent, from 0 to 100.
---@param a cudalua.gpuarray.Array
---@param q any
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as nanquantile
function M.nanpercentile(a, q, options) return called("gpuarray.nanpercentile", a, q, 100, options) end

---As gpuarray.nanpercentile.
---@param q any
---@param options? any
---@return cudalua.gpuarray.Array
---@raise LogicError as nanquantile
function Array:nanpercentile(q, options) return called("gpuarray:nanpercentile", self, q, 100, options) end

local function median(what, a, o)
  local keys, numbers, shape = lines_of(what, a, o)
  local value
  if keys then
    local low, high = f.floor((numbers - 1) / 2), f.floor(numbers / 2)
    local first, second = at(keys, low), at(keys, high)
    value = shaped(graph.as_type(f.where(f.eq(low, high), first, (first + second) / 2), a._dtype), shape)
  else
    value = storage.empty(a._dtype, shape, graph.size_of(shape)):fill(0 / 0)
  end
  return quantiles.deliver(what, value, shape, o.out)
end

local function called_median(what, a, options)
  local o = quantiles.options_of(what, options, quantiles.median_options)
  quantiles.checked(what, a, o)
  return sort.inside(a, a._dtype.kind == "float" and median or quantiles.median, what, a, o)
end

---The element in the middle of those that are numbers, or the mean of the two there, as NumPy's nanmedian; NaN where
---none is. Integers give the default float.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out}, or the axis: a number or a list; default: all
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers
function M.nanmedian(a, options) return called_median("gpuarray.nanmedian", a, options) end

---As gpuarray.nanmedian.
---@param options? any
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.nanmedian
function Array:nanmedian(options) return called_median("gpuarray:nanmedian", self, options) end

return { functions = require("cudalua.gpuarray.calls").install(M) }
