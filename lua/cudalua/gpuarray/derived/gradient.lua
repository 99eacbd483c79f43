-- gradient and trapezoid: slopes of a function that is known at some places, and the area under it.

local arguments = require "cudalua.gpuarray.index.arguments"
local call = require "cudalua.gpuarray.reduce.call"
local compute = require "cudalua.gpuarray.product.compute"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local float_types = require "cudalua.gpuarray.derived.float_types"
local graph = require "cudalua.gpuarray.core.graph"
local join = require "cudalua.gpuarray.make.join"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local temporary = require "cudalua.gpuarray.derived.temporary"
local view = require "cudalua.gpuarray.core.view"

local refuse, is_array = layout.refuse, object.is_array

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

-- Elements along an axis, from 1.
local function part(what, x, axis, first, last)
  local items = {}
  for k = 1, x._ndim do items[k] = k == axis and { first, last } or {} end
  return view.slice(what, x, x._ndim, items)
end

-- A vector along an axis of an array of n axes.
local function along(x, axis, n)
  local shape = {}
  for k = 1, n do shape[k] = k == axis and x._size or 1 end
  return view.reshape(x, shape, "C")
end

local function is_number(x) return type(x) == "number" and x == x end

-- ---- gradient -------------------------------------------------------------------------------------------------------

local gradient_options = { spacing = true, axis = true, edge_order = true, out = true, stream = true, allocator = true }

-- The spacing along one axis: a number, a 0-d array, or an array of the places.
local function spacing_of(what, x, f, axis)
  local value = element.scalar(x)
  if type(value) == "number" then
    if not is_number(value) then refuse(what, "spacing must be a number, got NaN") end
    return value
  end
  local places = arguments.any_array(what, "spacing", x)
  if places._dtype.kind == "complex" or places._dtype.kind == "struct" then
    refuse(what, "spacing must be real, got an array of %s", places._dtype.name)
  end
  if places._ndim == 0 then return places end
  if places._ndim ~= 1 or places._size ~= f._shape[axis] then
    refuse(what, "spacing has the shape %s; axis %d needs a number or its %.0f places", layout.text(places._shape),
      axis, f._shape[axis])
  end
  return places
end

local function is_list(x) return type(x) == "table" and type(getmetatable(x)) ~= "string" end

-- For each axis its spacing.
local function spacings(what, given, f, axes)
  local out = {}
  if given == nil then given = 1 end
  local list = { given }
  if is_list(given) and (#axes > 1 or #given == 1) then
    if #given ~= #axes then
      refuse(what, "spacing has %d entries for %d axes", #given, #axes)
    end
    list = given
  elseif #axes > 1 then
    if not graph.is_value(given) and not (is_array(given) and given._ndim == 0) then
      refuse(what, "spacing must be a number, or a list with an entry for each of %d axes, got %s", #axes,
        is_array(given) and "an array" or element.describe(given))
    end
    for i = 2, #axes do list[i] = given end
  end
  for i, axis in ipairs(axes) do out[i] = spacing_of(what, list[i], f, axis) end
  return out
end

-- The three parts of the gradient for places at one distance.
local function even(t, at, n, h, edge_order)
  local function mul(x, y) return t:binary(ops.mul, x, y) end
  local function slope(above, below, distance) return t:binary(ops.div, t:binary(ops.sub, above, below), distance) end
  local middle = slope(at(3, n), at(1, n - 2), is_array(h) and mul(h, 2) or 2 * h)
  if edge_order == 1 then return slope(at(2, 2), at(1, 1), h), middle, slope(at(n, n), at(n - 1, n - 1), h) end
  -- The slope at an end of the parabola through the three elements there.
  local function parabola(x, y, z, sign)
    local sum = t:binary(ops.sub, t:binary(ops.sub, mul(at(y, y), 4), mul(at(x, x), 3)), at(z, z))
    return t:binary(ops.div, sum, is_array(h) and mul(h, 2 * sign) or 2 * sign * h)
  end
  return parabola(1, 2, 3, 1), middle, parabola(n, n - 1, n - 2, -1)
end

-- The same for places at distances of their own: d(i, j) are those behind places i to j.
local function uneven(t, at, n, d, edge_order)
  local function mul(x, y) return t:binary(ops.mul, x, y) end
  local function div(x, y) return t:binary(ops.div, x, y) end
  local function add(x, y) return t:binary(ops.add, x, y) end
  local function sub(x, y) return t:binary(ops.sub, x, y) end
  local function slope(i, j) return div(sub(at(i + 1, j + 1), at(i, j)), d(i, j)) end
  local middle
  if n > 2 then -- each slope counts as much as the other one's distance
    local before, behind = d(1, n - 2), d(2, n - 1)
    middle = div(add(mul(behind, slope(1, n - 2)), mul(before, slope(2, n - 1))), add(before, behind))
  else
    middle = at(2, 1)
  end
  if edge_order == 1 then return slope(1, 1), middle, slope(n - 1, n - 1) end
  -- The parabola's slope at an end: that of the outer two, and by how much it changes from there to the inner two.
  local function parabola(outer, inner)
    local near, far = slope(outer, outer), slope(inner, inner)
    local a, b = d(outer, outer), d(inner, inner)
    return add(near, div(mul(sub(near, far), a), add(a, b)))
  end
  return parabola(1, 2), middle, parabola(n - 1, n - 2)
end

local function along_axis(what, f, axis, spacing, edge_order)
  local arrays, n, t = { f }, f._shape[axis], temporary()
  local is_places = is_array(spacing) and spacing._ndim == 1
  local _, result = float_types.of(what, arrays)
  if is_array(spacing) then arrays[2] = spacing end
  local computed = float_types.of(what, arrays)
  local function at(i, j) return t:as_type(part(what, f, axis, i, j), computed) end
  local first, middle, last
  if is_places then
    local x = graph.as_type(spacing, float_types.real(computed))
    local function d(i, j)
      local step = t:binary(ops.sub, part(what, x, 1, i + 1, j + 1), part(what, x, 1, i, j))
      return along(step, axis, f._ndim)
    end
    first, middle, last = uneven(t, at, n, d, edge_order)
  else
    local h = is_array(spacing) and t:as_type(spacing, float_types.real(computed)) or spacing
    first, middle, last = even(t, at, n, h, edge_order)
  end
  local x = join.concatenate({ first, middle, last }, axis, { dtype = result })
  evaluate(x)
  t:forget()
  return x
end

---The derivatives of a function along axes, computed from its values at sample points, as NumPy's gradient. Inside, the
---derivative is that of the parabola through a point and its two neighbours, at the ends that of the line through two
---points. Integers become the default float, and 16-bit floats are computed as float32.
---@param f cudalua.gpuarray.Array  the values of the function
---@param options? {spacing: any, axis: any, edge_order: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  spacing: the distance between two points, default 1; or the coordinates along an axis, as an
---  array or a list; for several axes, a list with an entry for each. axis: an integer or a list of integers; default:
---  all axes. edge_order: 2 uses the parabola through three points at the ends, too; default: 1. out: for a single axis
---  only
---@return cudalua.gpuarray.Array ...  one for each axis, with f's shape
---@raise LogicError if an axis has fewer than edge_order + 1 elements, the spacing does not fit, f is 0-d, or out has
---  another shape
define("gradient", function(what, f, options)
  object.check_array(what, f)
  local o = errors.options(what, options, gradient_options)
  if f._ndim == 0 then refuse(what, "a 0-d array has no axes") end
  local axes, edge_order = {}, o.edge_order == nil and 1 or layout.whole(o.edge_order)
  if o.axis == nil then
    for k = 1, f._ndim do axes[k] = k end
  else
    layout.axes(what, f._ndim, o.axis)
    for k, axis in ipairs(layout.numbers(what, "axis", o.axis, -2 ^ 53)) do
      axes[k] = layout.axis(what, axis, f._ndim)
    end
  end
  if edge_order ~= 1 and edge_order ~= 2 then
    refuse(what, "edge_order must be 1 or 2, got %s", element.describe(o.edge_order))
  end
  for _, axis in ipairs(axes) do
    if f._shape[axis] < edge_order + 1 then
      refuse(what, "axis %d has %.0f element%s; edge_order %d needs at least %d", axis, f._shape[axis],
        f._shape[axis] == 1 and "" or "s", edge_order, edge_order + 1)
    end
  end
  if o.out ~= nil and #axes ~= 1 then
    refuse(what, "out takes one result, but %d axes have %d: name one axis", #axes, #axes)
  end
  local given, reads = spacings(what, o.spacing, f, axes), { f }
  for _, x in ipairs(given) do reads[#reads + 1] = is_array(x) and x or nil end
  local out = errors.within(what, compute.of_one_moment, reads, function()
    local list = {}
    for i, axis in ipairs(axes) do list[i] = along_axis(what, f, axis, given[i], edge_order) end
    return list
  end)
  if o.out ~= nil then return arguments.delivered(what, out[1], o.out) end
  return unpack(out, 1, #axes)
end)

-- ---- trapezoid ------------------------------------------------------------------------------------------------------

local trapezoid_options = { x = true, dx = true, axis = true, out = true, stream = true, allocator = true }

-- Places as an array that broadcasts with y: one for each along the axis, or as many axes as y.
local function places_of(what, x, y, axis)
  x = arguments.any_array(what, "x", x)
  local n = y._shape[axis]
  if x._ndim == 1 and x._size == n then return along(x, axis, y._ndim) end
  if x._ndim ~= y._ndim or x._shape[axis] ~= n or not layout.broadcasts(x._shape, y._shape) then
    refuse(what, "x has the shape %s; expected that of y, %s, or the %.0f places of axis %d", layout.text(x._shape),
      layout.text(y._shape), n, axis)
  end
  return x
end

local function area(what, y, x, dx, axis)
  local computed, result = float_types.of(what, { y, x })
  local n, t = y._shape[axis], temporary()
  local function neighbours(op, a, dtype)
    local function at(i, j) return t:as_type(part(what, a, axis, i, j), dtype) end
    return t:binary(op, at(2, n), at(1, n - 1))
  end
  local sums = neighbours(ops.add, y, computed)
  if x then
    local type_of_x = x._dtype.kind == "complex" and computed or float_types.real(computed)
    t:binary(ops.mul, t:binary(ops.mul, neighbours(ops.sub, x, type_of_x), sums), 0.5)
  else
    t:binary(ops.mul, sums, 0.5 * dx)
  end
  local sum = call.reduced(what, reductions.sum, t, { [axis] = true }, false)
  return graph.as_type(sum, result)
end

-- The area between fewer than two places.
local function nothing(what, y, x, axis)
  local _, result = float_types.of(what, { y, x })
  local shape = { unpack(y._shape) }
  table.remove(shape, axis)
  return make.fresh(what, shape, result, "C"):fill(0)
end

---The integral by the trapezoidal rule, as NumPy's trapezoid: the sum of (y[i] + y[i + 1]) / 2 times the distance of
---the two points. Integers become the default float, and 16-bit floats are computed as float32.
---@param y cudalua.gpuarray.Array  the values of the function
---@param options? {x: any, dx: number, axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  x: the coordinates, one for each element of the axis, or an array with as many axes as y; dx: the
---  distance between two points, default 1; axis: default the last one
---@return cudalua.gpuarray.Array  without that axis
---@raise LogicError if x does not fit, y is 0-d, or out has another shape
define("trapezoid", function(what, y, options)
  object.check_array(what, y)
  local o = errors.options(what, options, trapezoid_options)
  if y._ndim == 0 then refuse(what, "a 0-d array has no axis") end
  local axis = layout.axis(what, o.axis == nil and -1 or o.axis, y._ndim)
  local dx = o.dx == nil and 1 or element.scalar(o.dx)
  if not is_number(dx) then refuse(what, "dx must be a number, got %s", element.describe(o.dx)) end
  if o.x ~= nil and o.dx ~= nil then refuse(what, "x and dx both say where the values are; give one of them") end
  local x = o.x ~= nil and places_of(what, o.x, y, axis) or nil
  local sum
  if y._shape[axis] < 2 then
    sum = nothing(what, y, x, axis)
  else
    sum = errors.within(what, compute.of_one_moment, { y, x }, area, what, y, x, dx, axis)
  end
  return arguments.delivered(what, sum, o.out)
end)

return require("cudalua.gpuarray.core.calls").install(M)
