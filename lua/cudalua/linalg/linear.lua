-- linalg.linear: the layer of a neural network, a product with a bias and an activation behind it.

local compute = require "cudalua.gpuarray.product.compute"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local gpuarray = require "cudalua.gpuarray"
local layout = require "cudalua.base.layout"
local lt = require "cudalua.gpuarray.product.lt"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.gpuarray.product.operands"
local runs = require "cudalua.gpuarray.core.run"

local check_array, refuse = object.check_array, layout.refuse

---@class cudalua.linalg
local M = {}

local WHAT = "linalg.linear"
local known = { bias = true, activation = true, out = true, stream = true, allocator = true }
local activations = { relu = true, gelu = true }

local function check_shapes(x, w, bias)
  if x._ndim == 0 then refuse(WHAT, "x has no axes; its last one must be that of the weights") end
  if w._ndim ~= 2 then refuse(WHAT, "w must be a matrix, n x k, got the shape %s", layout.text(w._shape)) end
  local n, k = w._shape[1], w._shape[2]
  if x._shape[x._ndim] ~= k then
    refuse(WHAT, "the last axis of x, of shape %s, must have the %.0f elements of a row of w, of shape %s",
      layout.text(x._shape), k, layout.text(w._shape))
  end
  if bias and (bias._ndim ~= 1 or bias._shape[1] ~= n) then
    refuse(WHAT, "bias must have one element for each row of w, the shape (%.0f,), got the shape %s", n,
      layout.text(bias._shape))
  end
end

-- The type of the result, nil for that of the product.
local function asked_type(x, w, bias)
  for _, a in ipairs { x, w, bias } do
    if a._dtype.kind == "struct" then refuse(WHAT, "%s is a struct, not a number", a._dtype.name) end
  end
  local _, _, natural = operands.types(WHAT, x._dtype, w._dtype)
  local common = bias and dtypes.promote(natural, bias._dtype) or natural
  return common ~= natural and common or nil, common
end

local function check_activation(activation, dtype)
  if activation == nil then return end
  if type(activation) ~= "string" or not activations[activation] then
    refuse(WHAT, 'activation must be "relu" or "gelu", got %s', errors.text(activation))
  end
  if dtype.kind == "complex" then refuse(WHAT, "%s of complex numbers is not defined", activation) end
  if activation == "gelu" and dtype.kind ~= "float" then
    refuse(WHAT, "gelu needs a float type, got %s; convert the operands with astype()", dtype.name)
  end
end

-- sqrt(2 / pi), and the factor of the cube: gelu by tanh.
local SLOPE, CUBE = 0.7978845608028654, 0.044715

local function activated(y, activation)
  if activation == "relu" then return gpuarray.maximum(y, 0) end
  if activation ~= "gelu" then return y end
  return y * 0.5 * (((y + y * y * y * CUBE) * SLOPE):tanh() + 1)
end

-- A product that gives sums with all their digits, and one expression that rounds once.
local function in_two_steps(record, x, w, bias, activation)
  local y = compute.of(WHAT, x, w, record.accumulator)
  if bias then y = y + bias:astype(record.accumulator) end
  return activated(y, activation):astype(record.result):eval()
end

local function attempt(since, x, w, asked, bias, activation)
  local record = operands.of(WHAT, x, w, asked)
  local dense = bias and bias:astype(record.result):copy "C"
  local epilogue = { bias = dense, activation = activation }
  return operands.inside(record, lt.attempt, since, record, nil, nil, nil, epilogue) or nil, record
end

---A linear layer: activation(x w' + bias). Bias and activation are applied to the unrounded sums, and the result is
---rounded once. gelu is the variant with tanh. If linalg.backend selects NVIDIA's cuBLASLt, it computes everything in
---one kernel, if it has one for these types.
---@param x cudalua.gpuarray.Array  the input, (..., k)
---@param w cudalua.gpuarray.Array  the weights, (n, k)
---@param options? {bias: any, activation: any, out: any, stream: cudalua.Stream, allocator: function}
---  bias: an array of n elements; activation: "relu" or "gelu"
---@return cudalua.gpuarray.Array  (..., n)
---@raise LogicError if the shapes do not fit, for other activations, and for gelu of integers
function M.linear(x, w, options)
  check_array(WHAT, x, "x")
  check_array(WHAT, w, "w")
  local o = errors.options(WHAT, options, known)
  local bias, activation = o.bias, o.activation
  if bias ~= nil then check_array(WHAT, bias, "bias") end
  check_shapes(x, w, bias)
  local asked, result = asked_type(x, w, bias)
  check_activation(activation, result)
  local n, k, shape = w._shape[1], w._shape[2], { unpack(x._shape) }
  shape[#shape] = n
  local rows = k > 0 and x._size / k or 1
  for axis = 1, k == 0 and x._ndim - 1 or 0 do rows = rows * x._shape[axis] end
  local matrix, turned = x:reshape(rows, k), w:transpose()
  local y, record = runs.until_done(attempt, matrix, turned, asked, bias, activation)
  y = (y or in_two_steps(record, matrix, turned, bias, activation)):reshape(shape)
  return o.out ~= nil and functions.deliver(WHAT, y, o.out) or y
end

return M
