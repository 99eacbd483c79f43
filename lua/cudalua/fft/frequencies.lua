-- The frequencies of a transform's elements, and their order: fftfreq, rfftfreq, fftshift, ifftshift.

local arguments = require "cudalua.fft.arguments"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local gpuarray = require "cudalua.gpuarray"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"

local refuse = layout.refuse

---@class cudalua.fft
local M = {}

local function delivered(what, x, out) return out == nil and x or functions.deliver(what, x, out) end

-- ---- shifts ---------------------------------------------------------------------------------------------------------

local placed = { axes = true, out = true, stream = true, allocator = true }

-- Axes instead of options: a number, or a list.
local function is_axes(x)
  return type(x) == "number" or type(x) == "table" and not getmetatable(x) and rawget(x, 1) ~= nil
end

local function shifted(what, a, options, sign)
  local o = errors.options(what, is_axes(options) and { axes = options } or options, placed)
  object.check_array(what, a, "a")
  local axes, list, shifts = o.axes, {}, {}
  if axes == nil then
    for k = 1, a._ndim do list[k] = k end
  else
    for k, axis in ipairs(layout.numbers(what, "axes", axes, -2 ^ 53)) do list[k] = layout.axis(what, axis, a._ndim) end
  end
  for k, axis in ipairs(list) do shifts[k] = sign * math.floor(a._shape[axis] / 2) end
  return delivered(what, a:roll(shifts, list), o.out)
end

---Moves the element of frequency 0 from the first position to the middle, as NumPy's fftshift, by exchanging the two
---halves of each axis.
---@param a cudalua.gpuarray.Array  an array of any dtype
---@param options? any  {axes: integer[], out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}, or
---  the axes: an integer or a list of integers; default: all
---@return cudalua.gpuarray.Array
---@raise LogicError for an axis out of range
function M.fftshift(a, options) return shifted("fft.fftshift", a, options, 1) end

---The inverse of fftshift(). It differs from fftshift() only if an extent is odd.
---@param a cudalua.gpuarray.Array  an array of any dtype
---@param options? any  {axes: integer[], out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}, or
---  the axes: an integer or a list of integers; default: all
---@return cudalua.gpuarray.Array
---@raise LogicError for an axis out of range
function M.ifftshift(a, options) return shifted("fft.ifftshift", a, options, -1) end

-- ---- frequencies ----------------------------------------------------------------------------------------------------

local made = { d = true, dtype = true, out = true, stream = true, allocator = true }

-- What frequencies are made of: their distance, and the type.
local function read(what, n, d, options)
  if type(d) == "table" and options == nil then d, options = nil, d end
  local o = errors.options(what, options, made)
  n = arguments.length(what, "n", n)
  if o.d ~= nil then
    if d ~= nil then refuse(what, "d is passed twice, as an argument and as an option") end
    d = o.d
  end
  local distance = d == nil and 1 or element.scalar(d)
  if type(distance) ~= "number" or distance ~= distance or distance == 0 or math.abs(distance) == math.huge then
    refuse(what, "d must be a finite number and not 0, got " .. element.describe(d))
  end
  local dtype = o.dtype == nil and dtypes.default_float() or dtypes.of(o.dtype)
  if dtype.kind ~= "float" then
    refuse(what, ("frequencies are floating-point numbers, not %s"):format(dtype.name))
  end
  return n, 1 / (n * distance), dtype, o.out
end

---The frequencies of the elements of fft(), as NumPy's fftfreq: 0, 1, ... (n - 1) / 2, -n / 2, ... -1, divided by n d.
---They are computed as float64 and then rounded.
---@param n integer  the number of elements of the transform
---@param d? number  the distance between two samples; default 1
---@param options? {d: number, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  d:
---  in place of the argument. dtype: a float type, default dtype.default_float(). You can pass the options instead of d
---@return cudalua.gpuarray.Array
---@raise LogicError if n is not a positive integer, or if d is 0 or not a number
function M.fftfreq(n, d, options)
  local what = "fft.fftfreq"
  local count, step, dtype, out = read(what, n, d, options)
  local k = gpuarray.arange(count, "float64")
  k = gpuarray.where(k:gt(math.floor((count - 1) / 2)), k - count, k)
  return delivered(what, (k * step):astype(dtype), out)
end

---The frequencies of the elements of rfft(), as NumPy's rfftfreq: 0, 1, ... n / 2, divided by n d.
---@param n integer  the number of elements of the real array
---@param d? number  the distance between two samples; default 1
---@param options? {d: number, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  d:
---  as for fft.fftfreq; dtype: as for fft.fftfreq
---@return cudalua.gpuarray.Array  floor(n / 2) + 1 elements
---@raise LogicError as fft.fftfreq
function M.rfftfreq(n, d, options)
  local what = "fft.rfftfreq"
  local count, step, dtype, out = read(what, n, d, options)
  return delivered(what, (gpuarray.arange(math.floor(count / 2) + 1, "float64") * step):astype(dtype), out)
end

return M
