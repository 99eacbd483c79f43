-- interp: values between points of a function, on straight lines from each point to the next.

local arguments = require "cudalua.gpuarray.index.arguments"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local join = require "cudalua.gpuarray.make.join"
local layout = require "cudalua.base.layout"
local searchsorted = require("cudalua.gpuarray.index.choose").searchsorted
local sort = require "cudalua.gpuarray.order.sort"
local take = require("cudalua.gpuarray.index.take").take
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse
local f = functions.functions

---@class cudalua.gpuarray
local M = {}

local known = { left = true, right = true, period = true, out = true, stream = true, allocator = true }
local CLIP = { mode = "clip" }
local of_parts = { complex64 = dtypes.float32, complex128 = dtypes.float64 }

local function floating(dt)
  return (dt.kind == "float" or dt.kind == "complex") and dt or dtypes.default_float()
end

local function number(what, o, name, dt)
  if o[name] == nil then return nil end
  local x, why = dt._check(element.scalar(o[name]))
  if why then refuse(what, ("%s: %s"):format(name, why)) end
  return x
end

-- Points of one period, in order, with the last one of the period before and the first of the next.
local function periodic(what, x, xp, fp, period)
  if period == 0 then refuse(what, "period must not be 0") end
  period = math.abs(period)
  x, xp = f.mod(x, period), f.mod(xp, period)
  local n = xp._size
  local order = sort.functions.argsort(xp)
  xp, fp = take(xp, order), take(fp, order)
  local function ends(a, before, behind)
    return join.concatenate({ a[{ { n } }] + before, a, a[{ { 1 } }] + behind })
  end
  return x, ends(xp, -period, period), ends(fp, 0, 0)
end

-- Elements of points at positions, those that are not there at the first or the last one.
local function at(points, positions) return take(points, positions, CLIP) end

local function end_of(x, i) return view.slice("gpuarray.interp", x, 1, { i }) end

---Where the values of x are looked up: all arrays are of x's shape, but for the points.
---@class cudalua.gpuarray.Between
---@field points cudalua.gpuarray.Array  1-D, ascending
---@field below cudalua.gpuarray.Array   the last point that is not beyond x, or 0
---@field above cudalua.gpuarray.Array   the next one, or one more than there are

-- The values of x on the lines between real values at the points.
local function lines(x, between, fp, left, right)
  local xp, below, above = between.points, between.below, between.above
  local n = xp._size
  local x0, y0, x1, y1 = at(xp, below), at(fp, below), at(xp, above), at(fp, above)
  local slope = (y1 - y0) / (x1 - x0)
  local y = slope * (x - x0) + y0
  y = f.where(f.isnan(y), slope * (x - x1) + y1, y) -- an infinity on one side makes a NaN
  y = f.where(f.logical_and(f.isnan(y), f.eq(y0, y1)), y0, y)
  y = f.where(f.logical_or(f.eq(x, x0), f.ge(below, n)), y0, y)
  if right ~= nil then y = f.where(f.gt(x, end_of(xp, n)), right, y) end
  y = f.where(f.eq(below, 0), left == nil and end_of(fp, 1) or left, y)
  return f.where(f.isnan(x), x, y)
end

local function part(x, name)
  if x == nil or type(x) == "number" then return name == "re" and x or x and 0 end
  return x[name]
end

local function interpolated(x, xp, fp, left, right)
  local above = searchsorted(xp, x, { side = "right" })
  local between = { points = xp, below = (above - 1):eval(), above = above }
  if fp._dtype.kind ~= "complex" then return lines(x, between, fp, left, right) end
  return f.complex(lines(x, between, f.real(fp), part(left, "re"), part(right, "re")),
    lines(x, between, f.imag(fp), part(left, "im"), part(right, "im")))
end

---Piecewise linear interpolation of a function with known values at some points, as NumPy's interp.
---@param x any  the coordinates to evaluate: an array, nested lists or a number
---@param xp any  the coordinates of the points: 1-D and ascending
---@param fp any  the values at the points: 1-D, of the same length; may be complex
---@param options? {left: any, right: any, period: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  left: the value for x below the first point; default: the first value; right: the value for x
---  above the last point; default: the last value. period: the period of the coordinates; the points may then be
---  unsorted, and left and right are ignored
---@return cudalua.gpuarray.Array  with x's shape, of the promoted dtype of all three; for integers the default float
---@raise LogicError if xp and fp are not 1-D arrays of one length, if they are empty, or if x or xp is complex
function M.interp(x, xp, fp, options)
  local what = "gpuarray.interp"
  local o = errors.options(what, options, known)
  x, xp = arguments.any_array(what, "x", x), arguments.any_array(what, "xp", xp)
  fp = arguments.any_array(what, "fp", fp)
  if xp._ndim ~= 1 or fp._ndim ~= 1 or xp._size ~= fp._size or xp._size == 0 then
    refuse(what, ("xp and fp must have one axis and the same number of elements, at least one; got the shapes %s " ..
      "and %s"):format(
      layout.text(xp._shape), layout.text(fp._shape)))
  end
  local points = errors.within(what, dtypes.promote, x._dtype, xp._dtype)
  if points.kind == "complex" then refuse(what, "x and xp must be real") end
  local result = floating(errors.within(what, dtypes.promote, points, fp._dtype))
  local computed = result.kind == "float" and result.itemsize == 2 and dtypes.float32 or result
  local real = of_parts[computed.name] or computed
  local left, right = number(what, o, "left", computed), number(what, o, "right", computed)
  x, xp, fp = graph.as_type(x, real), graph.as_type(xp, real), graph.as_type(fp, computed)
  if o.period ~= nil then
    local period = element.scalar(o.period)
    if type(period) ~= "number" or period ~= period or math.abs(period) == math.huge then
      refuse(what, "period must be a number, got " .. element.describe(o.period))
    end
    x, xp, fp = periodic(what, x, xp, fp, period)
    left, right = nil, nil
  end
  local y = errors.within(what, interpolated, x, xp, fp, left, right)
  return arguments.delivered(what, graph.as_type(y, result), o.out)
end

return require("cudalua.gpuarray.core.calls").install(M)
