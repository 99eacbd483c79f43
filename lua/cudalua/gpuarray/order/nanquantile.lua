-- nanmedian, nanquantile and nanpercentile: as quantile.lua, of those elements of a line that are numbers. Sorted,
-- they come first; how many they are differs from line to line, so that their places are computed on the device.

local dtypes = require "cudalua.dtype"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local places = require "cudalua.gpuarray.order.places"
local quantiles = require "cudalua.gpuarray.order.quantile"
local sort = require "cudalua.gpuarray.order.sort"
local storage = require "cudalua.gpuarray.core.storage"

local f = functions.functions

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

-- Sorted lines, how many numbers are in each as float64, and the shape of the result; NaN if there are no lines.
local function lines_of(what, a, o)
  local x, n, shape = quantiles.lined_up(what, a, o.axis, o.keepdims)
  local keys = n > 0 and quantiles.prepared(x, quantiles.wide(a._dtype)) or nil
  local numbers = keys and f.logical_not(f.isnan(keys)):count_nonzero { axis = -1, keepdims = true }
  return keys, numbers and graph.convert(numbers, dtypes.float64):eval(), shape
end

local function nans(dtype, shape) return storage.empty(dtype, shape, graph.size_of(shape)):fill(0 / 0) end

local function quantile(what, a, q, whole, o)
  local method = quantiles.method_of(what, o.method, places.methods)
  local list, q_shape = quantiles.fractions(what, q, whole)
  local keys, numbers, shape = lines_of(what, a, o)
  local full = { unpack(q_shape) }
  for k = 1, #shape do full[#full + 1] = shape[k] end
  local x = keys and graph.as_type(places.counted(keys, numbers, method, list), a._dtype) or nans(a._dtype, full)
  return quantiles.deliver(what, x, full, o.out)
end

local function called(what, a, q, whole, options)
  local o = quantiles.options_of(what, options, quantiles.quantile_options)
  quantiles.checked(what, a, o)
  return sort.inside(a, a._dtype.kind == "float" and quantile or quantiles.quantile, what, a, q, whole, o)
end

---The q-quantiles of the elements that are not NaN, as NumPy's nanquantile; NaN if all are NaN.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param q any  a fraction from 0 to 1, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers, and for a q out of range
define("nanquantile", function(what, a, q, options) return called(what, a, q, 1, options) end)

---As nanquantile, with q as a percentage from 0 to 100.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param q any  a percentage from 0 to 100: a number, a list or an array, as for quantile
---@param options? any  as for quantile
---@return cudalua.gpuarray.Array
---@raise LogicError as nanquantile
define("nanpercentile", function(what, a, q, options) return called(what, a, q, 100, options) end)

local function median(what, a, o)
  local keys, numbers, shape = lines_of(what, a, o)
  if not keys then return quantiles.deliver(what, nans(a._dtype, shape), shape, o.out) end
  return quantiles.deliver(what, graph.as_type(places.middle(keys, numbers), a._dtype), shape, o.out)
end

local function called_median(what, a, options)
  local o = quantiles.options_of(what, options, quantiles.median_options)
  quantiles.checked(what, a, o)
  return sort.inside(a, a._dtype.kind == "float" and median or quantiles.median, what, a, o)
end

---The median of the elements that are not NaN, as NumPy's nanmedian. This is the middle one of the sorted elements, or
---the mean of the two in the middle; NaN if all are NaN. Integers give the default float.
---@param a cudalua.gpuarray.Array  an array of real numbers
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers; default: all axes
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers
define("nanmedian", called_median)

return { functions = require("cudalua.gpuarray.core.calls").install(M) }
