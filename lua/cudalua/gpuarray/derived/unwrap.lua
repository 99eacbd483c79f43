-- unwrap: angles that jump by whole periods, without the jumps.

local arguments = require "cudalua.gpuarray.index.arguments"
local compute = require "cudalua.gpuarray.product.compute"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local float_types = require "cudalua.gpuarray.derived.float_types"
local graph = require "cudalua.gpuarray.core.graph"
local join = require "cudalua.gpuarray.make.join"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local scan = require "cudalua.gpuarray.reduce.scan"
local temporary = require "cudalua.gpuarray.derived.temporary"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

local known = { discont = true, axis = true, period = true, out = true, stream = true, allocator = true }

local function part(what, x, axis, first, last)
  local items = {}
  for k = 1, x._ndim do items[k] = k == axis and { first, last } or {} end
  return view.slice(what, x, x._ndim, items)
end

-- Integers stay integers if the period is one.
local function is_whole(p, period)
  local kind = p._dtype.kind
  return (kind == "int" or kind == "uint") and period % 1 == 0
end

-- How many periods less each element than the one before jumps: the difference is brought to half a period at most, the
-- sign of one that is half a period is kept, and differences below `discont` stay.
local function periods(t, difference, period, discont, whole)
  local half = whole and math.floor(period / 2) or period / 2
  local rest = t:binary(ops.sub, t:binary(ops.mod, t:binary(ops.add, difference, half), period), half)
  if period % 2 == 0 or not whole then
    local is_end = t:binary(ops.logical_and, t:binary(ops.eq, rest, -half), t:binary(ops.gt, difference, 0))
    rest = t:ternary(ops.where, is_end, half, rest)
  end
  local jump = t:binary(ops.sub, rest, difference)
  local limit = whole and math.ceil(discont) or discont
  jump = t:ternary(ops.where, t:binary(ops.lt, t:unary(ops.abs, difference), limit), 0, jump)
  if whole then return jump end
  return t:unary(ops.rint, t:binary(ops.div, jump, period))
end

local function unwrapped(what, p, axis, period, discont)
  local whole, n = is_whole(p, period), p._shape[axis]
  local computed, result = dtypes.int64, dtypes.int64
  if not whole then computed, result = float_types.of(what, { p }) end
  if n < 2 then return graph.as_type(join.concatenate({ p }, axis), result) end
  local t = temporary()
  local function at(i, j) return t:as_type(part(what, p, axis, i, j), computed) end
  local before = periods(t, t:binary(ops.sub, at(2, n), at(1, n - 1)), period, discont, whole)
  local all = scan.cumsum(before, { axis = axis })
  local moved = t:binary(ops.add, at(2, n), whole and all or t:binary(ops.mul, all, period))
  local x = join.concatenate({ at(1, 1), moved }, axis, { dtype = result })
  evaluate(x)
  t:forget()
  return x
end

-- A number that is positive, or any with `any`.
local function number(what, name, x, default, any)
  if x == nil then return default end
  local value = element.scalar(x)
  if type(value) == "cdata" then value = tonumber(value) end
  if type(value) ~= "number" or not (any and value == value or value > 0 and value < math.huge) then
    refuse(what, "%s must be a %snumber, got %s", name, any and "" or "positive ", element.describe(x))
  end
  return value
end

---Removes jumps from angles along an axis, as NumPy's unwrap: adds whole periods so that no element is more than half a
---period from its predecessor. Floats keep their dtype; integers become int64, or the default float if the period is
---not an integer.
---@param p cudalua.gpuarray.Array  the angles, real numbers
---@param options? {discont: number, axis: integer, period: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  period: default 2 pi. discont: jumps smaller than this stay; default, and the smallest value
---  with an effect: half a period. axis: default the last one
---@return cudalua.gpuarray.Array  with p's shape
---@raise LogicError for complex numbers, a 0-d array, a period that is not positive, or if out has another shape
define("unwrap", function(what, p, options)
  object.check_array(what, p)
  local o = errors.options(what, options, known)
  if p._dtype.kind == "complex" then refuse(what, "p must be real, got an array of %s", p._dtype.name) end
  if p._dtype.kind == "struct" then refuse(what, "%s is a struct, not a number", p._dtype.name) end
  if p._ndim == 0 then refuse(what, "a 0-d array has no axis") end
  local axis = layout.axis(what, o.axis == nil and -1 or o.axis, p._ndim)
  local period = number(what, "period", o.period, 2 * math.pi)
  local discont = number(what, "discont", o.discont, period / 2, true)
  local x = errors.within(what, compute.of_one_moment, { p }, unwrapped, what, p, axis, period, discont)
  return arguments.delivered(what, x, o.out)
end)

return require("cudalua.gpuarray.core.calls").install(M)
