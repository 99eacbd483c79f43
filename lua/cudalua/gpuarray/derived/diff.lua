-- diff: differences of neighbours along an axis.

local arguments = require "cudalua.gpuarray.index.arguments"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local join = require "cudalua.gpuarray.make.join"
local layout = require "cudalua.base.layout"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse
local f = functions.functions

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

local known = { n = true, axis = true, prepend = true, append = true, out = true, stream = true, allocator = true }

-- What stands before or behind an array: of as many axes; a single value once for each line.
local function border(what, name, x, a, axis)
  x = arguments.values_of(what, name, x, a._dtype)
  if x._ndim == 0 then
    local shape = { unpack(a._shape) }
    shape[axis] = 1
    return x:broadcast_to(shape)
  end
  return x
end

local function part(what, x, axis, first, last)
  local items = {}
  for k = 1, x._ndim do items[k] = k == axis and { first, last } or {} end
  return view.slice(what, x, x._ndim, items)
end

local function differences(what, x, axis)
  local n = x._shape[axis]
  if n == 0 then return x end
  local subtract = x._dtype == dtypes.bool and f.ne or f.sub
  return subtract(part(what, x, axis, 2, n), part(what, x, axis, 1, n - 1))
end

---The differences of neighbours along an axis, a[i + 1] - a[i], applied n times, as NumPy's diff. Integers wrap around;
---for bool, tests whether two neighbours differ.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param n? integer  how many times to take differences, non-negative; default: 1. Optional: `a:diff { axis = 1 }`
---@param options? {n: integer, axis: integer, prepend: any, append: any, out: cudalua.gpuarray.Array, stream:
---  cudalua.Stream, allocator: function}  axis: default the last one. prepend: a number, an array or nested lists to
---  add in front of each line. append: elements to add behind each line
---@return cudalua.gpuarray.Array  with n elements fewer along the axis
---@raise LogicError for a 0-d array, an invalid n or axis, and if prepend or append have another shape
define("diff", function(a, n, options)
  local what = "gpuarray.diff"
  arguments.check_array(what, "a", a)
  if type(n) == "table" and options == nil then n, options = nil, n end
  local o = errors.options(what, options, known)
  if n == nil then n = o.n elseif o.n ~= nil then refuse(what, "n is passed twice") end
  local times = layout.whole(n == nil and 1 or n)
  if not times or times < 0 then
    refuse(what, "n must be a non-negative integer, got " .. element.describe(n))
  end
  if a._ndim == 0 then refuse(what, "a 0-d array has no axis to take differences along") end
  local axis = layout.axis(what, o.axis == nil and -1 or o.axis, a._ndim)
  local list = { a }
  if o.prepend ~= nil then table.insert(list, 1, border(what, "prepend", o.prepend, a, axis)) end
  if o.append ~= nil then list[#list + 1] = border(what, "append", o.append, a, axis) end
  local x = #list > 1 and errors.within(what, join.concatenate, list, axis) or a
  for _ = 1, math.min(times, x._shape[axis]) do x = errors.within(what, differences, what, x, axis) end
  return arguments.delivered(what, x, o.out)
end)

return require("cudalua.gpuarray.core.calls").install(M)
