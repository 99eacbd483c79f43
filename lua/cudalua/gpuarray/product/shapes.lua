-- Products that are made of others: outer, kron and cross of element-wise ones; vecdot and trace, which are sums; inner
-- and tensordot, which are views and one product.

local call = require "cudalua.gpuarray.reduce.call"
local compute = require "cudalua.gpuarray.product.compute"
local contract = require "cudalua.gpuarray.product.contract"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local join = require "cudalua.gpuarray.make.join"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.gpuarray.product.operands"
local ops = require "cudalua.gpuarray.kernel.ops"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local view = require "cudalua.gpuarray.core.view"

local check_array, refuse = object.check_array, layout.refuse

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

local plain_options = { out = true, stream = true, allocator = true }

local function pair_of(what, a, b)
  check_array(what, a, "a")
  check_array(what, b, "b")
end

local function delivered(what, x, out) return out ~= nil and functions.deliver(what, x, out) or x end

-- ---- element by element ---------------------------------------------------------------------------------------------

---The products of each element of one array with each element of another one, as NumPy's outer, both in C order. The
---result is an expression, which is computed later.
---@param a cudalua.gpuarray.Array  the first array, of any shape
---@param b cudalua.gpuarray.Array  the second array, of any shape
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  with the shape (a.size, b.size)
---@raise LogicError if the dtypes are not supported, or out has another shape
define("outer", function(what, a, b, options)
  pair_of(what, a, b)
  local o = errors.options(what, options, plain_options)
  local x = errors.within(what, compute.of_one_moment, { a, b }, function()
    return graph.binary(ops.mul, view.reshape(a, { a._size, 1 }, "C"), view.reshape(b, { 1, b._size }, "C"))
  end)
  return delivered(what, x, o.out)
end)

---The Kronecker product, as NumPy's kron: each element of a becomes a block, that element times b.
---@param a cudalua.gpuarray.Array  the first array
---@param b cudalua.gpuarray.Array  the second array; the array with fewer axes gets axes with one element in front
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  each extent is the product of the extents of a and b
---@raise LogicError for more than 32 axes, if the dtypes are not supported, or out has another shape
define("kron", function(what, a, b, options)
  pair_of(what, a, b)
  local o = errors.options(what, options, plain_options)
  local n = math.max(a._ndim, b._ndim)
  if 2 * n > layout.MAX_AXES then
    refuse(what, "an array of %d axes is too large; the limit is %d", n, layout.MAX_AXES / 2)
  end
  local of_a, of_b, shape = {}, {}, {}
  for k = 1, n do
    local x, y = a._shape[k - n + a._ndim] or 1, b._shape[k - n + b._ndim] or 1
    of_a[2 * k - 1], of_a[2 * k], of_b[2 * k - 1], of_b[2 * k], shape[k] = x, 1, 1, y, x * y
  end
  local x = errors.within(what, compute.of_one_moment, { a, b }, function()
    local all = graph.binary(ops.mul, view.reshape(a, of_a, "C"), view.reshape(b, of_b, "C"))
    return view.reshape(all, { unpack(shape) }, "C")
  end)
  return delivered(what, x, o.out)
end)

local cross_options = { axis = true, out = true, stream = true, allocator = true }

---The cross products of vectors with three elements, as NumPy's cross. The arrays broadcast.
---@param a cudalua.gpuarray.Array  an array of vectors with three elements
---@param b cudalua.gpuarray.Array  likewise
---@param options? any  {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}. The
---  axis can also come before this table. axis: of the vectors in both arrays; default: the last one
---@return cudalua.gpuarray.Array  with the vectors along the same axis
---@raise LogicError if the axis does not have three elements, the shapes do not broadcast, or out has another shape
define("cross", function(what, a, b, options)
  pair_of(what, a, b)
  if type(options) == "number" then options = { axis = options } end
  local o = errors.options(what, options, cross_options)
  local axis = o.axis == nil and -1 or o.axis
  local function axis_of(x, name)
    if x._ndim == 0 then refuse(what, "%s has no axes; a vector has three elements", name) end
    local at = layout.axis(what, axis, x._ndim)
    if x._shape[at] ~= 3 then
      refuse(what, "%s has the shape %s; expected three elements along axis %d", name, layout.text(x._shape), at)
    end
    return at
  end
  local i, j = axis_of(a, "a"), axis_of(b, "b")
  local x = errors.within(what, compute.of_one_moment, { a, b }, function()
    local left = graph.binary(ops.mul, join.roll(a, -1, i), join.roll(b, -2, j))
    return graph.binary(ops.sub, left, graph.binary(ops.mul, join.roll(a, -2, i), join.roll(b, -1, j)))
  end)
  return delivered(what, x, o.out)
end)

-- ---- sums -----------------------------------------------------------------------------------------------------------

local vecdot_options = { axis = true, dtype = true, out = true, stream = true, allocator = true }

---The dot products of vectors along an axis, as NumPy's vecdot. The first operand is conjugated, and the shapes
---broadcast. float16 and bfloat16 are summed as float32 and rounded once, integers in 64 bits.
---@param a cudalua.gpuarray.Array  an array of vectors, which is conjugated
---@param b cudalua.gpuarray.Array  an array of vectors of the same length
---@param options? any  {axis: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}. The axis can also come before this table. axis: the last one by default. dtype: the dtype of the result;
---  elements are converted to it first
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if the axis has different extents, the shapes do not broadcast, or out has another shape
define("vecdot", function(what, a, b, options)
  pair_of(what, a, b)
  if type(options) == "number" then options = { axis = options } end
  local o = errors.options(what, options, vecdot_options)
  local axis = o.axis == nil and -1 or o.axis
  if a._ndim == 0 or b._ndim == 0 then refuse(what, "a 0-d array has no axis of vectors") end
  local i, j = layout.axis(what, axis, a._ndim), layout.axis(what, axis, b._ndim)
  if a._shape[i] ~= b._shape[j] then
    refuse(what, "shapes %s and %s do not match: the axes of the vectors have %.0f and %.0f elements",
      layout.text(a._shape), layout.text(b._shape), a._shape[i], b._shape[j])
  end
  local shape = layout.broadcast(what, a._shape, b._shape)
  local asked = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
  local common = a._dtype.kind ~= "struct" and b._dtype.kind ~= "struct" and dtypes.promote(a._dtype, b._dtype)
  local kind = common and reductions.kind(reductions.sum, common, asked)
  if not kind then refuse(what, "not defined for %s and %s", a._dtype.name, b._dtype.name) end
  local temporary = {}
  local function kept(x)
    temporary[#temporary + 1] = x
    return x
  end
  local function converted(x)
    for _, dt in ipairs(kind.through) do x = x._dtype == dt and x or kept(graph.convert(x, dt)) end
    return x
  end
  local x = converted(a)
  if x._dtype.kind == "complex" then x = kept(graph.unary(ops.conj, x)) end
  local along = #shape - (a._ndim >= b._ndim and a._ndim - i or b._ndim - j)
  kept(graph.binary(ops.mul, x, converted(b)))
  local sum = call.reduced(what, reductions.sum, temporary, { [along] = true }, false)
  return delivered(what, graph.as_type(sum, kind.result), o.out)
end)

local trace_options = { axis1 = true, axis2 = true, dtype = true, out = true, stream = true, allocator = true }

---The sum of the elements on a diagonal, as NumPy's trace.
---@param a cudalua.gpuarray.Array  an array with at least two axes
---@param k? integer  the diagonal: 0 (default) the main one, positive above it, negative below it
---@param options? {axis1: integer, axis2: integer, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis1: the first axis of the matrices; default: 1. axis2: the second axis of the matrices;
---  default: 2. dtype: as for sum
---@return cudalua.gpuarray.Array  without these axes
---@raise LogicError for fewer than two axes, if the dtype is not supported, or out has another shape
define("trace", function(what, a, k, options)
  check_array(what, a)
  local o = errors.options(what, options, trace_options)
  return errors.within(what, function()
    local x = a:diagonal(k, o.axis1, o.axis2)
    return x:sum { axis = -1, dtype = o.dtype, out = o.out }
  end)
end)

-- ---- one product ----------------------------------------------------------------------------------------------------

local product_options = { dtype = true, out = true, stream = true, allocator = true }
local tensordot_options = { axes = true, dtype = true, out = true, stream = true, allocator = true }

-- Names for axes: the i-th of each list has the same one.
local function lettered(what, a, b, axes_a, axes_b)
  local x, y = { array = a, letters = {} }, { array = b, letters = {} }
  for k = 1, a._ndim do x.letters[k] = "a" .. k end
  for k = 1, b._ndim do y.letters[k] = "b" .. k end
  for i = 1, #axes_a do
    local p, q = axes_a[i], axes_b[i]
    if a._shape[p] ~= b._shape[q] then
      refuse(what, "shapes %s and %s do not match: axis %d of the first has %.0f element%s, axis %d of the second %.0f",
        layout.text(a._shape), layout.text(b._shape), p, a._shape[p], a._shape[p] == 1 and "" or "s", q, b._shape[q])
    end
    y.letters[q] = x.letters[p]
  end
  return x, y
end

local none = {}

local function contracted(what, a, b, axes_a, axes_b, o)
  local asked = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
  local _, _, result = operands.types(what, a._dtype, b._dtype, asked)
  local x, y = lettered(what, a, b, axes_a, axes_b)
  local product = compute.of_one_moment({ a, b }, function() return contract.pair(what, x, y, none, result).array end)
  return delivered(what, product, o.out)
end

---The sums of products over the last axis of both arrays, as NumPy's inner; for vectors, dot().
---@param a cudalua.gpuarray.Array  the first array
---@param b cudalua.gpuarray.Array  the second array, with the same last extent
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: as for
---  matmul
---@return cudalua.gpuarray.Array  a's other axes, then b's
---@raise LogicError if the shapes do not fit, the dtype is not supported, or out has another shape
define("inner", function(what, a, b, options)
  pair_of(what, a, b)
  local o = errors.options(what, options, product_options)
  if a._ndim == 0 or b._ndim == 0 then return contracted(what, a, b, none, none, o) end
  return contracted(what, a, b, { a._ndim }, { b._ndim }, o)
end)

-- The axes of an option: a number of them, or a list for each array.
local function tensor_axes(what, a, b, axes)
  local count = layout.whole(axes == nil and 2 or axes)
  if count then
    if count < 0 or count > a._ndim or count > b._ndim then
      refuse(what, "axes is %.0f; the arrays have %d and %d axes", count, a._ndim, b._ndim)
    end
    local of_a, of_b = {}, {}
    for k = 1, count do of_a[k], of_b[k] = a._ndim - count + k, k end
    return of_a, of_b
  end
  if type(axes) ~= "table" or type(getmetatable(axes)) == "string" or #axes ~= 2 then
    refuse(what, "axes must be a number of axes, or two lists of axes, got %s", element.describe(axes))
  end
  local lists = {}
  for i, x in ipairs { a, b } do
    local list, seen = layout.numbers(what, "axes", axes[i], -2 ^ 53), {}
    for k, axis in ipairs(list) do
      list[k] = layout.axis(what, axis, x._ndim)
      if seen[list[k]] then refuse(what, "axis %.0f appears twice", axis) end
      seen[list[k]] = true
    end
    lists[i] = list
  end
  if #lists[1] ~= #lists[2] then refuse(what, "axes has %d and %d axes", #lists[1], #lists[2]) end
  return lists[1], lists[2]
end

---The sums of products over some axes of both arrays, as NumPy's tensordot.
---@param a cudalua.gpuarray.Array  the first array
---@param b cudalua.gpuarray.Array  the second array
---@param options? any  {axes: any, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}, or the number of axes. axes: the number of last axes of a and first axes of b; or a list of axes of
---  each; default: 2. dtype: as for matmul
---@return cudalua.gpuarray.Array  a's other axes, then b's
---@raise LogicError if the shapes do not fit, an axis is out of range or appears twice, or out has another shape
define("tensordot", function(what, a, b, options)
  pair_of(what, a, b)
  if type(options) == "number" then options = { axes = options } end
  local o = errors.options(what, options, tensordot_options)
  local of_a, of_b = tensor_axes(what, a, b, o.axes)
  return contracted(what, a, b, of_a, of_b, o)
end)

return require("cudalua.gpuarray.core.calls").install(M)
