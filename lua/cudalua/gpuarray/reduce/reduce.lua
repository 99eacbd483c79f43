-- Reductions: of many elements of an array, or of an expression, one value. They run at once, in one kernel that
-- computes the expression as well. What each of them is, is in reductions.lua; reduce/call.lua reads their options,
-- reduce/run.lua runs them.

local call = require "cudalua.gpuarray.reduce.call"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"

local max, refuse = math.max, layout.refuse
local apply, axes_of, check_array, read, reduce = call.apply, call.axes_of, call.check_array, call.read, call.reduce

-- ---- functions and methods -----------------------------------------------------------------------------------------

---@class cudalua.gpuarray
local M = {}

---@class cudalua.gpuarray.Array
local Array = object.Array

---The sum of the elements: integers in 64 bits, float16 and bfloat16 as float32, rounded once. Of none: 0.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result;
---  elements are converted to it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
function M.sum(a, options) return apply("gpuarray.sum", reductions.sum, a, options) end

---The sum of the elements: integers in 64 bits, float16 and bfloat16 as float32, rounded once. Of none: 0.
---@param options? any  as for gpuarray.sum
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.sum
function Array:sum(options) return apply("gpuarray:sum", reductions.sum, self, options) end

---The product of the elements, in the types of sum(). Of none: 1.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result;
---  elements are converted to it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
function M.prod(a, options) return apply("gpuarray.prod", reductions.prod, a, options) end

---The product of the elements, in the types of sum(). Of none: 1.
---@param options? any  as for gpuarray.prod
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.prod
function Array:prod(options) return apply("gpuarray:prod", reductions.prod, self, options) end

---The mean of the elements: of integers, the default float. Of none: NaN.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, out, stream, allocator}, or the axis: a number or a list, from 1,
---  negative ones from the last; default: all. keepdims: the axes stay, with an extent of 1. dtype: of the result;
---  elements are converted to it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, an axis is out of range or given twice, or out does not fit
function M.mean(a, options) return apply("gpuarray.mean", reductions.mean, a, options) end

---The mean of the elements: of integers, the default float. Of none: NaN.
---@param options? any  as for gpuarray.mean
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.mean
function Array:mean(options) return apply("gpuarray:mean", reductions.mean, self, options) end

---The least element; NaN if there is one.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative
---  ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---does not fit
function M.min(a, options) return apply("gpuarray.min", reductions.min, a, options) end

---The least element; NaN if there is one.
---@param options? any  as for gpuarray.min
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.min
function Array:min(options) return apply("gpuarray:min", reductions.min, self, options) end

---The greatest element; NaN if there is one.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative
---  ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---does not fit
function M.max(a, options) return apply("gpuarray.max", reductions.max, a, options) end

---The greatest element; NaN if there is one.
---@param options? any  as for gpuarray.max
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.max
function Array:max(options) return apply("gpuarray:max", reductions.max, self, options) end

---The position of the least element, from 1, or of the first NaN; of several, the first. Along all axes: counted in C
---order.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative
---  ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---does not fit
function M.argmin(a, options) return apply("gpuarray.argmin", reductions.argmin, a, options) end

---The position of the least element, from 1, or of the first NaN; of several, the first. Along all axes: counted in C
---order.
---@param options? any  as for gpuarray.argmin
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError as gpuarray.argmin
function Array:argmin(options) return apply("gpuarray:argmin", reductions.argmin, self, options) end

---The position of the greatest element, from 1, or of the first NaN; of several, the first. Along all axes: counted in
---C order.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative
---  ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if there are no elements, the elements are complex, an axis is out of range or given twice, or out
---does not fit
function M.argmax(a, options) return apply("gpuarray.argmax", reductions.argmax, a, options) end

---The position of the greatest element, from 1, or of the first NaN; of several, the first. Along all axes: counted in
---C order.
---@param options? any  as for gpuarray.argmax
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError as gpuarray.argmax
function Array:argmax(options) return apply("gpuarray:argmax", reductions.argmax, self, options) end

---Is any element not 0? NaN is not. Of none: false.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative
---  ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or given twice, or out does not fit
function M.any(a, options) return apply("gpuarray.any", reductions.any, a, options) end

---Is any element not 0? NaN is not. Of none: false.
---@param options? any  as for gpuarray.any
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError as gpuarray.any
function Array:any(options) return apply("gpuarray:any", reductions.any, self, options) end

---Is no element 0? NaN is not. Of none: true.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative
---  ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if an axis is out of range or given twice, or out does not fit
function M.all(a, options) return apply("gpuarray.all", reductions.all, a, options) end

---Is no element 0? NaN is not. Of none: true.
---@param options? any  as for gpuarray.all
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError as gpuarray.all
function Array:all(options) return apply("gpuarray:all", reductions.all, self, options) end

---How many elements are not 0, as int64.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis: a number or a list, from 1, negative
---  ones from the last; default: all. keepdims: the axes stay, with an extent of 1. out: an array that gets the result
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError if an axis is out of range or given twice, or out does not fit
function M.count_nonzero(a, options) return apply("gpuarray.count_nonzero", reductions.count_nonzero, a, options) end

---How many elements are not 0, as int64.
---@param options? any  as for gpuarray.count_nonzero
---@return cudalua.gpuarray.Array  of int64
---@raise LogicError as gpuarray.count_nonzero
function Array:count_nonzero(options)
  return apply("gpuarray:count_nonzero", reductions.count_nonzero, self, options)
end

local function extremes(what, a, options)
  local axes, keepdims, _, out = read(what, a, options, call.plain_options)
  local x = reduce(what, reductions.max, a, axes, keepdims) - reduce(what, reductions.min, a, axes, keepdims)
  return out ~= nil and functions.deliver(what, x, out) or x
end

---The greatest element less the least one.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis, as for max
---@return cudalua.gpuarray.Array
---@raise LogicError as max, and for bool, which has no difference
function M.ptp(a, options) return extremes("gpuarray.ptp", a, options) end

---The greatest element less the least one.
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis, as for max
---@return cudalua.gpuarray.Array
---@raise LogicError as max, and for bool, which has no difference
function Array:ptp(options) return extremes("gpuarray:ptp", self, options) end

-- ---- variance ------------------------------------------------------------------------------------------------------

-- In two steps, the mean and then the squares of the distances from it.
local function spread(what, a, options, root)
  local axes, keepdims, asked, out, ddof = call.read_spread(what, a, options)
  local x, t = call.types_of(what, a, asked)
  local temporary, values = call.converted(a, x)
  local n = 1
  for k = 1, a._ndim do n = axes[k] and n * a._shape[k] or n end
  local distance = values - reduce(what, reductions.mean, values, axes, true)
  temporary[#temporary + 1] = distance
  call.squares(temporary, distance)
  local result = call.reduced(what, reductions.sum, temporary, axes, keepdims) / max(n - ddof, 0)
  if root then result = result:sqrt() end
  local part = t.kind == "complex" and result._dtype or t
  result = graph.as_type(result, part)
  return out ~= nil and functions.deliver(what, result, out) or result
end

---The variance: the mean of the squared distances from the mean. Of integers, the default float; those of 32 and 64
---bits have float64 intermediates.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for mean. ddof: the
---  squares' sum is divided by the number of elements less this; default 0
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
function M.var(a, options) return spread("gpuarray.var", a, options, false) end

---The variance: the mean of the squared distances from the mean. Of integers, the default float; those of 32 and 64
---bits have float64 intermediates.
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for mean. ddof: the
---  squares' sum is divided by the number of elements less this; default 0
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
function Array:var(options) return spread("gpuarray:var", self, options, false) end

---The standard deviation: the square root of the variance.
---@param a cudalua.gpuarray.Array
---@param options? any  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
function M.std(a, options) return spread("gpuarray.std", a, options, true) end

---The standard deviation: the square root of the variance.
---@param options? any  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
function Array:std(options) return spread("gpuarray:std", self, options, true) end

-- ---- products of vectors -------------------------------------------------------------------------------------------

local dot_options = { dtype = true, out = true, stream = true, allocator = true }

-- The sum of the products, all of them in the type in which sum() of the operands' common type is computed.
local function products(what, a, b, options)
  local o = errors.options(what, options, dot_options)
  local out, asked = o.out, o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
  local common = a._dtype.kind ~= "struct" and b._dtype.kind ~= "struct" and dtypes.promote(a._dtype, b._dtype)
  local kind = common and reductions.kind(reductions.sum, common, asked)
  if not kind then
    refuse(what, ("not defined for %s and %s%s"):format(a._dtype.name, b._dtype.name,
      asked and " as " .. asked.name or ""))
  end
  local temporary = {}
  local function convert(x)
    for _, dt in ipairs(kind.through) do
      if x._dtype ~= dt then
        x = graph.convert(x, dt)
        temporary[#temporary + 1] = x
      end
    end
    return x
  end
  local product = graph.binary(ops.mul, convert(a), convert(b))
  temporary[#temporary + 1] = product
  local result
  if product._size == 0 then
    result = reduce(what, reductions.sum, product, axes_of(what, product, nil), false, kind.result)
  else
    result = call.whole(kind, product)
  end
  for _, x in ipairs(temporary) do
    if x._sig then storage.drop(x) end
  end
  return out ~= nil and functions.deliver(what, result, out) or result
end

local function dot(what, a, b, options)
  check_array(what, a)
  check_array(what, b)
  if a._ndim ~= 1 or b._ndim ~= 1 or a._size ~= b._size then
    refuse(what, ("expected two arrays of one axis and the same length, got the shapes %s and %s%s"):format(
      layout.text(a._shape), layout.text(b._shape), (a._size == b._size and "; vdot() takes all elements" or "") ..
      (a._ndim == 2 and "; examples/09_matmul.lua multiplies matrices" or "")))
  end
  return products(what, a, b, options)
end

---The sum of the products of two vectors' elements, in one kernel: integers in 64 bits, float16 and bfloat16 as
---float32, rounded once.
---@param a cudalua.gpuarray.Array  of one axis
---@param b cudalua.gpuarray.Array  as long
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: of
---  the result; elements are converted to it first
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if these are not vectors of one length, the dtype is not supported, or out does not fit
function M.dot(a, b, options) return dot("gpuarray.dot", a, b, options) end

---The sum of the products of two vectors' elements, in one kernel: integers in 64 bits, float16 and bfloat16 as
---float32, rounded once.
---@param b cudalua.gpuarray.Array  as long as this one, which has one axis
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: of
---  the result; elements are converted to it first
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if these are not vectors of one length, the dtype is not supported, or out does not fit
function Array:dot(b, options) return dot("gpuarray:dot", self, b, options) end

local function vdot(what, a, b, options)
  check_array(what, a)
  check_array(what, b)
  if a._size ~= b._size then
    refuse(what, ("the shapes %s and %s have different numbers of elements"):format(layout.text(a._shape),
      layout.text(b._shape)))
  end
  if not layout.same(a._shape, b._shape) then
    a, b = view.reshape(a, { a._size }, "C"), view.reshape(b, { b._size }, "C")
  end
  local conjugate = a._dtype.kind == "complex" and graph.unary(ops.conj, a)
  local result = products(what, conjugate or a, b, options)
  if conjugate and conjugate._sig then storage.drop(conjugate) end
  return result
end

---The dot product with the first operand's complex conjugate, of all elements of two arrays in C order.
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array  of as many elements
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for dot
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if the numbers of elements differ, the dtype is not supported, or out does not fit
function M.vdot(a, b, options) return vdot("gpuarray.vdot", a, b, options) end

---The dot product with this one's complex conjugate, of all elements of two arrays in C order.
---@param b cudalua.gpuarray.Array  of as many elements
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for dot
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if the numbers of elements differ, the dtype is not supported, or out does not fit
function Array:vdot(b, options) return vdot("gpuarray:vdot", self, b, options) end

-- ---- of some elements ----------------------------------------------------------------------------------------------

local function take(a, subset) return require("cudalua.gpuarray.index.take").take(a, subset) end

---PyCUDA's sum of the elements at these positions.
---@param subset any                array of integers, here or on the host, or a list: positions in C order, from 1
---@param a cudalua.gpuarray.Array
---@param options? any              as for gpuarray.sum, of the array of elements that are taken
---@return cudalua.gpuarray.Array
---@raise LogicError for positions that are not there, and as gpuarray.sum
function M.subset_sum(subset, a, options) return M.sum(take(a, subset), options) end

---PyCUDA's least element of those at these positions.
---@param subset any                as for gpuarray.subset_sum
---@param a cudalua.gpuarray.Array
---@param options? any              as for gpuarray.min, of the array of elements that are taken
---@return cudalua.gpuarray.Array
---@raise LogicError for positions that are not there, and as gpuarray.min
function M.subset_min(subset, a, options) return M.min(take(a, subset), options) end

---PyCUDA's greatest element of those at these positions.
---@param subset any                as for gpuarray.subset_sum
---@param a cudalua.gpuarray.Array
---@param options? any              as for gpuarray.max, of the array of elements that are taken
---@return cudalua.gpuarray.Array
---@raise LogicError for positions that are not there, and as gpuarray.max
function M.subset_max(subset, a, options) return M.max(take(a, subset), options) end

---PyCUDA's sum of the products of the elements at these positions.
---@param subset any                as for gpuarray.subset_sum
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for dot
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError for positions that are not there, and as gpuarray.dot
function M.subset_dot(subset, a, b, options)
  return products("gpuarray.subset_dot", take(a, subset), take(b, subset), options)
end

return require "cudalua.gpuarray.core.named_errors"(M, "subset_sum subset_min subset_max subset_dot var std dot vdot")
