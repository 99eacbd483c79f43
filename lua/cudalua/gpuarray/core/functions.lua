-- The operations of ops.lua as functions of the module, gpuarray.hypot(a, b), and as methods, a:hypot(b); with `out`,
-- and in place.

local calls = require "cudalua.gpuarray.core.calls"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local write = require "cudalua.gpuarray.core.write"
local pairs_of = require "cudalua.base.pairs_of"

local getmetatable = getmetatable
local TAG, Array, refuse = object.TAG, object.Array, layout.refuse

local M = {}

local known = { out = true, stream = true, allocator = true }

---For an error: a result does not fit into the array that is given for it.
---@param dtype cudalua.dtype.DType  the result's
---@param shape integer[]
---@param out cudalua.gpuarray.Array
---@return string
function M.misfit(dtype, shape, out)
  local extents = #shape > 0 and "{" .. table.concat(shape, ", ") .. "}" or "{}"
  return ("the result has the shape %s, but the output array has %s; create one with gpuarray.empty(%s, '%s')"):format(
    layout.text(shape), layout.text(out._shape), extents, dtype.name)
end

-- Writes a result, which only this call refers to, into an existing array.
local function deliver(what, x, out)
  if getmetatable(out) ~= TAG then refuse(what, "out must be a gpuarray, got " .. element.describe(out)) end
  if x._shape ~= out._shape and not layout.same(x._shape, out._shape) then
    refuse(what, M.misfit(x._dtype, x._shape, out))
  end
  write.write(out, graph.stored(x, out._dtype, what), true, what)
  return out
end

local function node(op, a, b, c)
  if op.arity == 1 then return graph.unary(op, a) end
  if op.arity == 2 then return graph.binary(op, a, b) end
  return graph.ternary(op, a, b, c)
end

---An operation on arrays and numbers.
---@param op table      a row of ops.lua
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  out: gets the result,
---  in place of a new array
---@param a any
---@param b? any
---@param c? any
---@return cudalua.gpuarray.Array
function M.apply(op, options, a, b, c)
  if options == nil then return node(op, a, b, c) end
  local out = errors.options(op.name, options, known).out
  local x = node(op, a, b, c)
  return out ~= nil and deliver(op.name, x, out) or x
end
local apply = M.apply

-- The exponent decides about the operation.
local function power(a, b, options)
  local x = object.power(a, b)
  local out = options ~= nil and errors.options("pow", options, known).out or nil
  return out ~= nil and deliver("pow", x, out) or x
end

local by_arity = {
  function(op) return function(a, options) return apply(op, options, a) end end,
  function(op) return function(a, b, options) return apply(op, options, a, b) end end,
  function(op) return function(a, b, c, options) return apply(op, options, a, b, c) end end,
}

---The operations as functions, by name. The rows of ops.lua have their documentation; what is not just an operation has
---it here, in annotations that ./dev generate reads.
local functions = {}
M.functions = functions
for _, op in ipairs(ops.list) do functions[op.name] = by_arity[op.arity](op) end
functions.pow = power

local pair_options = { stream = true, allocator = true }

---The functions of two results, by name: the operation of the first one.
---@type table<string, cudalua.gpuarray.Op>
M.pairs = {}

local function pair(name, first, second)
  M.pairs[name] = ops[first]
  local f, g = functions[first], functions[second]
  functions[first], functions[second] = nil, nil
  return function(a, options)
    errors.options(name, options, pair_options)
    if not object.is_array(a) then
      refuse(name, "expected an array, got " .. element.describe(a) .. object.colon(name, a))
    end
    return f(a), g(a)
  end
end

---Splits numbers into mantissa * 2^exponent with 0.5 <= |mantissa| < 1. For 0, infinities and NaN the mantissa is the
---number and the exponent is 0.
---@param a cudalua.gpuarray.Array  the numbers
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array mantissa  of a's dtype, or the default float
---@return cudalua.gpuarray.Array exponent  int32
---@raise LogicError for complex numbers
functions.frexp = pair("frexp", "frexp_mantissa", "frexp_exponent")

---Splits numbers into a fractional and an integral part, both with the sign of the number.
---@param a cudalua.gpuarray.Array  the numbers
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array fraction  with an absolute value less than 1
---@return cudalua.gpuarray.Array whole
---@raise LogicError for complex numbers
functions.modf = pair("modf", "modf_fraction", "modf_integer")

-- A plain number is positive or not; as an operand it would be true unless it is 0.
local if_positive = functions.if_positive
function functions.if_positive(criterion, a, b, options)
  local x = element.scalar(criterion)
  if element.is_complex(x) then refuse("if_positive", "a complex number is neither positive nor negative") end
  if type(x) ~= "nil" and type(x) ~= "boolean" then criterion = x > 0 end
  return if_positive(criterion, a, b, options)
end

-- A number of decimals may stand before the options.
local round = functions.round

---Rounds to the given number of decimals, as NumPy's round does; halves round to even. Integers are exact. 16-bit
---floats are computed as float32. A number whose scaled value would overflow is unchanged.
---@param a cudalua.gpuarray.Array  the numbers
---@param decimals? integer  the number of decimals; default: 0; -2 rounds to hundreds. You can omit it: `a:round { out
---  = b }`
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array  of a's dtype
---@raise LogicError if decimals is not an integer
function functions.round(a, decimals, options)
  local numeric = type(decimals) == "number" or type(decimals) == "cdata"
  if decimals == nil or numeric and not object.is_array(a) then return round(a, options) end
  if not numeric then return round(a, decimals, options) end
  local out = errors.options("round", options, known).out
  local x = require "cudalua.gpuarray.core.decimals"("round", a, decimals)
  return out ~= nil and deliver("round", x, out) or x
end

-- One bound may be missing, or both.
local clip = functions.clip

---minimum(maximum(a, low), high), as NumPy's clip. A bound that is nil does not limit that side.
---@param a cudalua.gpuarray.Array|number  the values to limit
---@param low? cudalua.gpuarray.Array|number  the lower bound
---@param high? cudalua.gpuarray.Array|number  the upper bound
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError for complex numbers, or if all are numbers
function functions.clip(a, low, high, options)
  if low ~= nil and high ~= nil then return clip(a, low, high, options) end
  local out = errors.options("clip", options, known).out
  local x
  local kind = object.is_array(a) and a._dtype.kind
  if (kind == "int" or kind == "uint") and low ~= high then -- a bound may be beyond the type
    x = graph.ternary(ops.clip, a, low == nil and -math.huge or low, high == nil and math.huge or high)
  elseif low ~= nil then
    x = errors.within("clip", graph.binary, ops.maximum, a, low)
  elseif high ~= nil then
    x = errors.within("clip", graph.binary, ops.minimum, a, high)
  elseif object.is_array(a) then
    x = graph.convert(a, a._dtype, "clip")
  else
    refuse("clip", "expected an array, got " .. element.describe(a) .. object.colon("clip", a))
  end
  return out ~= nil and deliver("clip", x, out) or x
end

local function check_term(what, x, factor)
  if not object.is_array(x) then
    refuse(what, "expected an array, got " .. element.describe(x) .. object.colon(what, x))
  end
  if not (object.is_array(factor) or graph.is_value(factor)) then
    refuse(what, "expected a factor, an array or a number, got " .. element.describe(factor))
  end
end

-- The operation of this name is the sum of a product and a third operand.

---a * selffac + other * otherfac; as in PyCUDA.
---@param a cudalua.gpuarray.Array  the first array
---@param selffac cudalua.gpuarray.Array|number  the factor of a
---@param other cudalua.gpuarray.Array  the second array
---@param otherfac cudalua.gpuarray.Array|number  the factor of other
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, or the shapes do not broadcast
function functions.mul_add(a, selffac, other, otherfac, options)
  local what = "mul_add"
  check_term(what, a, selffac)
  check_term(what, other, otherfac)
  local x = errors.within(what, function() return a * selffac + other * otherfac end)
  local out = options ~= nil and errors.options(what, options, known).out or nil
  return out ~= nil and deliver(what, x, out) or x
end

for name, f in pairs_of(functions) do
  functions[name] = calls.wrap(name, f)
  Array[name] = Array[name] or functions[name]
end

---The complex conjugate: another name of conj, as in PyCUDA.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
functions.conjugate = functions.conj
Array.conjugate = functions.conj

-- a:iadd(b) and so on: a = a + b, in a's own memory where nobody else reads it.
for name, op in pairs_of { iadd = "add", isub = "sub", imul = "mul", idiv = "div", imod = "mod", ipow = "pow",
  ifloordiv = "floordiv" } do
  local f = functions[op]
  Array[name] = function(self, b)
    object.check_self(self, "gpuarray:" .. name)
    return deliver("gpuarray:" .. name, f(self, b), self)
  end
end

M.deliver = deliver

return M
