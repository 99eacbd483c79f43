-- average: the mean of elements that have weights.

local arguments = require "cudalua.gpuarray.index.arguments"
local call = require "cudalua.gpuarray.reduce.call"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

local known = { axis = true, weights = true, keepdims = true, returned = true, out = true, stream = true,
  allocator = true }

-- Weights as an array that broadcasts with a: of its shape, or with one for each place on the axes that go, in the
-- order in which these are named.
local function spread(what, a, weights, axis)
  if layout.same(weights._shape, a._shape) then return weights end
  local function mismatch()
    refuse(what, ("the weights have the shape %s; expected the array's shape, %s%s"):format(layout.text(weights._shape),
      layout.text(a._shape), axis == nil and "" or ", or the shape of the reduced axes"))
  end
  if axis == nil then mismatch() end
  local list = layout.numbers(what, "axis", axis, -2 ^ 53)
  if weights._ndim ~= #list then mismatch() end
  local shape, places = {}, {}
  for k = 1, a._ndim do shape[k] = 1 end
  for i, k in ipairs(list) do
    local at = layout.axis(what, k, a._ndim)
    if weights._shape[i] ~= a._shape[at] then mismatch() end
    shape[at], places[i] = a._shape[at], { axis = at, from = i }
  end
  table.sort(places, function(x, y) return x.axis < y.axis end)
  local order = {}
  for k, place in ipairs(places) do order[k] = place.from end
  return view.reshape(view.transpose(what, weights, order), shape, "C")
end

-- The type of sums, and the result's: integers of 32 and 64 bits need float64, 16-bit floats float32.
local function types_of(what, a, weights)
  if a._dtype.kind == "struct" or weights._dtype.kind == "struct" then refuse(what, "not defined for structs") end
  local dt = dtypes.promote(a._dtype, weights._dtype)
  local result = (dt.kind == "float" or dt.kind == "complex") and dt or dtypes.default_float()
  local computed = result.kind == "float" and dtypes.promote(result, dtypes.float32) or result
  for _, x in ipairs { a, weights } do
    if x._dtype.kind:find "int" and x._dtype.itemsize >= 4 then computed = dtypes.promote(computed, dtypes.float64) end
  end
  return computed, result
end

-- The average, and the sum of the weights, which broadcasts to its shape.
local function weighted(what, a, weights, axes, keepdims)
  local computed, result = types_of(what, a, weights)
  local values, x = call.converted(a, computed)
  local w = graph.as_type(weights, computed)
  values[#values + 1] = graph.binary(ops.mul, x, w)
  local sum = call.reduced(what, reductions.sum, values, axes, keepdims)
  local own = { unpack(w._shape) }
  local total = call.reduce(what, reductions.sum, w, axes, keepdims)
  if not layout.same(own, a._shape) then -- the kept axes have one element
    local shape = {}
    for k = 1, total._ndim do shape[k] = 1 end
    total = total:reshape(shape)
  end
  return graph.as_type(graph.binary(ops.div, sum, total), result), graph.as_type(total, result)
end

local function average(what, a, o)
  object.check_array(what, a)
  local keepdims, returned = layout.flag(what, o, "keepdims"), layout.flag(what, o, "returned")
  local axes, weights = call.axes_of(what, a, o.axis), o.weights
  local mean, total
  if weights ~= nil then
    weights = spread(what, a, arguments.any_array(what, "weights", weights), o.axis)
    mean, total = weighted(what, a, weights, axes, keepdims)
  else
    mean = call.reduce(what, reductions.mean, a, axes, keepdims)
    total = mean._size > 0 and a._size / mean._size or 0
  end
  local x = arguments.delivered(what, mean, o.out)
  if not returned then return x end
  local sums = storage.empty(mean._dtype, mean._shape, mean._size)
  sums:set(total)
  return x, sums
end

---The weighted mean of the elements, as NumPy's average: sum(a * weights) / sum(weights). If the weights add up to 0,
---the result is NaN or infinite, whereas NumPy raises an error.
---@param a cudalua.gpuarray.Array  the array to average, of any shape
---@param options? any  {axis, weights, keepdims, returned, out, stream, allocator}. The axis can also come before this
---  table. axis: an integer or a list of integers; default: all axes. weights: an array with a's shape or that of the
---  averaged axes; default: equal weights. returned: return the sum of the weights, too
---@return cudalua.gpuarray.Array  of the promoted dtype of a and the weights; for integers the default float
---@return cudalua.gpuarray.Array?  the sums of the weights, with the same shape
---@raise LogicError if the shape of the weights does not fit, and as gpuarray.mean
define("average", function(a, options)
  local what = "gpuarray.average"
  if type(options) == "number" or type(options) == "table" and #options > 0 then options = { axis = options } end
  local o = errors.options(what, options, known)
  return errors.within(what, average, what, a, o)
end)

return require("cudalua.gpuarray.core.calls").install(M)
