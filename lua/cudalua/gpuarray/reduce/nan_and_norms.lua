-- Reductions that are made of others: those that leave out NaN, norms, the logarithm of a sum of exponentials.

local call = require "cudalua.gpuarray.reduce.call"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local ops = require "cudalua.gpuarray.kernel.ops"
local reductions = require "cudalua.gpuarray.reduce.reductions"

local refuse = layout.refuse
local converted, read, reduce, reduced = call.converted, call.read, call.reduce, call.reduced
local types_of, has_nan, without_nan = call.types_of, call.has_nan, call.without_nan

-- ---- parts ----------------------------------------------------------------------------------------------------------

local function finish(what, x, t, out)
  x = graph.as_type(x, t)
  return out ~= nil and functions.deliver(what, x, out) or x
end

local function number_of(a, axes)
  local n = 1
  for k = 1, a._ndim do n = axes[k] and n * a._shape[k] or n end
  return n
end

-- ---- leaving out NaN -----------------------------------------------------------------------------------------------

local function cleaned(what, row, neutral, a, options)
  local axes, keepdims, asked, out = read(what, a, options, call.known_options)
  local x
  if has_nan(a._dtype) then
    x = reduced(what, row, without_nan({}, a, neutral, a), axes, keepdims, asked, out == nil)
  else
    x = reduce(what, row, a, axes, keepdims, asked, out == nil)
  end
  return out ~= nil and functions.deliver(what, x, out) or x
end

-- How many elements are numbers.
local function count(what, a, axes, keepdims, later)
  local n = number_of(a, axes)
  if not has_nan(a._dtype) then return n end
  return n - reduced(what, reductions.count_nonzero, { graph.unary(ops.isnan, a) }, axes, keepdims, nil, later)
end

-- The mean as type t.
local function mean(what, a, t, axes, keepdims, numbers, later)
  local list, x = converted(a, t)
  return reduced(what, reductions.sum, without_nan(list, x, 0, a), axes, keepdims, nil, later) / numbers
end

local function nanmean(what, a, options)
  local axes, keepdims, asked, out = read(what, a, options, call.known_options)
  local t, result = types_of(what, a, asked)
  if not has_nan(a._dtype) then
    return finish(what, reduce(what, reductions.mean, a, axes, keepdims, asked, out == nil), result, out)
  end
  local numbers = count(what, a, axes, keepdims, out == nil)
  return finish(what, mean(what, a, t, axes, keepdims, numbers, out == nil), result, out)
end

local function nanvar(what, a, options, root)
  local axes, keepdims, asked, out, ddof = call.read_spread(what, a, options)
  local t, result = types_of(what, a, asked)
  local numbers = count(what, a, axes, true)
  local temporary, values = converted(a, t)
  temporary[#temporary + 1] = values - mean(what, a, t, axes, true, numbers)
  local list = call.squares(temporary, temporary[#temporary])
  local sum = reduced(what, reductions.sum, without_nan(list, list[#list], 0, a), axes, keepdims)
  local divisor
  if type(numbers) == "number" then
    divisor = numbers > ddof and numbers - ddof or 0 / 0
  else
    divisor = (keepdims and numbers or numbers:reshape(sum._shape)):astype(sum._dtype) - ddof
    divisor = graph.ternary(ops.where, divisor:gt(0), divisor, 0 / 0)
  end
  local x = sum / divisor
  if root then x = x:sqrt() end
  return finish(what, x, result.kind == "complex" and x._dtype or result, out)
end

-- ---- norms ---------------------------------------------------------------------------------------------------------

local norm_options = { axis = true, keepdims = true, out = true, ord = true, stream = true, allocator = true }

local function norm(what, a, options)
  local axes, keepdims, _, out = read(what, a, options, norm_options)
  local ord = type(options) == "table" and #options == 0 and options.ord or 2
  if type(ord) ~= "number" or ord ~= ord then refuse(what, "ord must be a number, got " .. element.describe(ord)) end
  local t, result = types_of(what, a)
  local list, x = converted(a, t)
  local function last(node)
    list[#list + 1] = node
    return list
  end
  local part = t.kind == "complex" and (t.itemsize == 8 and dtypes.float32 or dtypes.float64) or t
  if t.kind == "complex" then result = part end
  local y
  local function of(row, parts) return reduced(what, row, parts, axes, keepdims, nil, out == nil) end
  if ord == 2 then
    y = of(reductions.sum, call.squares(list, x)):sqrt()
  elseif ord == 0 then
    y = of(reductions.count_nonzero, last(x * 1))
  elseif ord == 1 / 0 or ord == -1 / 0 then
    y = of(ord > 0 and reductions.max or reductions.min, last(x:abs()))
  elseif ord == 1 then
    y = of(reductions.sum, last(x:abs()))
  else
    local length = last(x:abs())[#list]
    y = of(reductions.sum, last(length ^ ord)) ^ (1 / ord)
  end
  return finish(what, y, result, out)
end

local sum_options = { axis = true, keepdims = true, out = true, stream = true, allocator = true }

local function logsumexp(what, a, options)
  local axes, keepdims, _, out = read(what, a, options, sum_options)
  local t, result = types_of(what, a)
  if t.kind == "complex" then refuse(what, ("not defined for %s"):format(a._dtype.name)) end
  if number_of(a, axes) == 0 then
    return finish(what, reduce(what, reductions.sum, a, axes, keepdims, t):log(), result, out)
  end
  local later = out == nil
  local _, x = converted(a, t)
  -- Of the largest element, the others are small parts; an infinite one is not a measure.
  local function shift(keep)
    local most = reduce(what, reductions.max, x, axes, keep, nil, later)
    return graph.ternary(ops.where, graph.unary(ops.isfinite, most), most, 0)
  end
  local distance = x - shift(true)
  local y = reduced(what, reductions.sum, { distance, distance:exp() }, axes, keepdims, nil, later):log()
  return finish(what, y + shift(keepdims), result, out)
end

-- ---- functions and methods -----------------------------------------------------------------------------------------

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

---The sum of the elements as sum() computes it, with NaN counted as 0.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.sum
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.sum
define("nansum", function(what, a, options) return cleaned(what, reductions.sum, 0, a, options) end)

---The product of the elements as prod() computes it, with NaN counted as 1.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.prod
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.prod
define("nanprod", function(what, a, options) return cleaned(what, reductions.prod, 1, a, options) end)

---The mean of the elements that are not NaN; NaN if all are.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis, as for gpuarray.mean
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.mean
define("nanmean", nanmean)

---The variance of the elements that are not NaN; NaN if at most ddof are left.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for gpuarray.mean. ddof:
---  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
define("nanvar", function(what, a, options) return nanvar(what, a, options, false) end)

---The standard deviation of the elements that are not NaN: the square root of nanvar().
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for gpuarray.mean. ddof:
---  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.var
define("nanstd", function(what, a, options) return nanvar(what, a, options, true) end)

---The norm of the elements as a vector: by default the square root of the sum of squares. Integers give the default
---float; complex numbers give the norm of their absolute values.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, ord, out, stream, allocator}. The axis can also come before this table. axis:
---  an integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
---  keep each reduced axis, with an extent of 1. ord: another norm: the ord-th root of the sum of the ord-th powers; 0:
---  the number of elements that are not 0; math.huge: the greatest absolute value; -math.huge: the least. out: an array
---  that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if ord is not a number, an axis is out of range or appears twice, or out has another shape
define("norm", norm)

---The logarithm of the sum of the exponentials of the elements, without intermediate overflow; -inf for an array
---without elements.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an
---  integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep
---  each reduced axis, with an extent of 1. out: an array that receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, an axis is out of range or appears twice, or out has another shape
define("logsumexp", logsumexp)

return require("cudalua.gpuarray.core.calls").install(M)
