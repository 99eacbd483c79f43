-- Reductions: of many elements of an array, or of an expression, one value, in one kernel that computes the expression
-- as well. Those of several results wait (pending.lua). What each of them is, is in reductions.lua; reduce/call.lua
-- reads their options, reduce/run.lua runs them.

local call = require "cudalua.gpuarray.reduce.call"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local joint = require "cudalua.gpuarray.reduce.joint"
local layout = require "cudalua.base.layout"
local ops = require "cudalua.gpuarray.kernel.ops"
local object = require "cudalua.gpuarray.core.object"
local pending = require "cudalua.gpuarray.reduce.pending"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"
local waiting = require "cudalua.gpuarray.core.waiting"

local max, refuse = math.max, layout.refuse
local axes_of, check_array, read, reduce = call.axes_of, object.check_array, call.read, call.reduce

-- ---- functions and methods -----------------------------------------------------------------------------------------

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

for _, row in ipairs(reductions.list) do define(row.name, call.apply, row) end

local function extremes(what, a, options)
  local axes, keepdims, _, out = read(what, a, options, call.plain_options)
  local later = out == nil
  local most = reduce(what, reductions.max, a, axes, keepdims, nil, later)
  local x = most - reduce(what, reductions.min, a, axes, keepdims, nil, later)
  return out ~= nil and functions.deliver(what, x, out) or x
end

---The largest element minus the smallest one.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, out, stream, allocator}, or the axis, as for max
---@return cudalua.gpuarray.Array
---@raise LogicError as max, and for bool, which does not support subtraction
define("ptp", extremes)

-- ---- variance ------------------------------------------------------------------------------------------------------

-- In two steps, the mean and then the squares of the distances from it: complex numbers and no numbers at all.
local function in_steps(what, a, x, t, axes, keepdims, divisor, root)
  local temporary, values = call.converted(a, x)
  local distance = values - reduce(what, reductions.mean, values, axes, true)
  temporary[#temporary + 1] = distance
  call.squares(temporary, distance)
  local result = call.reduced(what, reductions.sum, temporary, axes, keepdims) / divisor
  if root then result = result:sqrt() end
  return graph.as_type(result, t.kind == "complex" and result._dtype or t)
end

local function spread(what, a, options, root)
  local axes, keepdims, asked, out, ddof = call.read_spread(what, a, options)
  local x, t = call.types_of(what, a, asked)
  local n = 1
  for k = 1, a._ndim do n = axes[k] and n * a._shape[k] or n end
  local divisor = max(n - ddof, 0)
  local result
  if a._size == 0 or a._dtype.kind == "complex" or t.kind == "complex" then
    result = in_steps(what, a, x, t, axes, keepdims, divisor, root)
  else
    local kind = joint.spread(root and "std" or "var", a._dtype, x, t, n)
    local to = call.reduced_along(a._shape, axes, keepdims)
    to.divisor = divisor
    local later = out == nil and (to.outputs > 1 or waiting.whole)
    result = later and pending.written(kind, a, to) or pending.spread(kind, a, to)
  end
  return out ~= nil and functions.deliver(what, result, out) or result
end

---The variance: the mean of the squared distances from the mean. Integers give the default float; 32-bit and 64-bit
---integers have float64 intermediates.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  {axis, keepdims, dtype, ddof, out, stream, allocator}, or the axis, as for mean. ddof: the sum
---  of squares is divided by the number of elements minus ddof; default 0
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
define("var", function(what, a, options) return spread(what, a, options, false) end)

---The standard deviation: the square root of the variance.
---@param a cudalua.gpuarray.Array  the array to reduce, of any shape
---@param options? any  as for var
---@return cudalua.gpuarray.Array
---@raise LogicError as mean
define("std", function(what, a, options) return spread(what, a, options, true) end)

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
  if graph.limits_lifted() then pending.note(product) end
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
  if a._ndim > 0 and b._ndim > 0 and a._ndim + b._ndim > 2 then
    if a._ndim <= 2 and b._ndim <= 2 then return hooks.matrix_product(what, a, b, options) end
    refuse(what, ("expected vectors or matrices, got the shapes %s and %s; matmul() multiplies batches of matrices, " ..
      "tensordot() contracts axes"):format(layout.text(a._shape), layout.text(b._shape)))
  end
  if a._ndim ~= 1 or b._ndim ~= 1 or a._size ~= b._size then
    refuse(what, ("expected two arrays of one axis and the same length, got the shapes %s and %s%s"):format(
      layout.text(a._shape), layout.text(b._shape), a._size == b._size and "; vdot() takes all elements" or ""))
  end
  return products(what, a, b, options)
end

---The sum of the products of two vectors' elements, computed in one kernel: integers in 64 bits, float16 and bfloat16
---as float32, rounded once. With a matrix, the product that matmul() computes.
---@param a cudalua.gpuarray.Array  a 1-D or 2-D array
---@param b cudalua.gpuarray.Array  a 1-D array of the same length; or a matrix
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: the
---  dtype of the result; elements are converted to it first
---@return cudalua.gpuarray.Array  0-d for vectors
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out has another shape
define("dot", dot)

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

---The dot product of all elements of two arrays in C order, with the complex conjugate of the first array.
---@param a cudalua.gpuarray.Array  the first array, of any shape
---@param b cudalua.gpuarray.Array  the second array, with as many elements
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: as for
---  dot
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError if the numbers of elements differ, the dtype is not supported, or out has another shape
define("vdot", vdot)

-- ---- of some elements ----------------------------------------------------------------------------------------------

local function take(a, subset) return require("cudalua.gpuarray.index.take").take(a, subset) end

---PyCUDA's subset_sum: the sum of the elements at the given positions.
---@param subset any  an array of integers on the device or the host, or a list: positions in C order, from 1
---@param a cudalua.gpuarray.Array  the array, of any shape
---@param options? any  as for gpuarray.sum, applied to the array of selected elements
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, and as gpuarray.sum
function M.subset_sum(subset, a, options) return M.sum(take(a, subset), options) end

---PyCUDA's subset_min: the smallest element at the given positions.
---@param subset any                as for gpuarray.subset_sum
---@param a cudalua.gpuarray.Array  the array, of any shape
---@param options? any  as for gpuarray.min, applied to the array of selected elements
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, and as gpuarray.min
function M.subset_min(subset, a, options) return M.min(take(a, subset), options) end

---PyCUDA's subset_max: the largest element at the given positions.
---@param subset any                as for gpuarray.subset_sum
---@param a cudalua.gpuarray.Array  the array, of any shape
---@param options? any  as for gpuarray.max, applied to the array of selected elements
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, and as gpuarray.max
function M.subset_max(subset, a, options) return M.max(take(a, subset), options) end

---PyCUDA's subset_dot: the sum of the products of the elements at the given positions.
---@param subset any                as for gpuarray.subset_sum
---@param a cudalua.gpuarray.Array  the first array, of any shape
---@param b cudalua.gpuarray.Array  the second array, of any shape
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: as for
---  dot
---@return cudalua.gpuarray.Array  0-d
---@raise LogicError for positions out of range, and as gpuarray.dot
function M.subset_dot(subset, a, b, options)
  return products("gpuarray.subset_dot", take(a, subset), take(b, subset), options)
end

return require "cudalua.gpuarray.core.named_errors"(M, "subset_sum subset_min subset_max subset_dot var std dot vdot")
