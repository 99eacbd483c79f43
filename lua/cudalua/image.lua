-- Filters of pictures: cuda.image.
--   image/arguments  what functions are given           image/code    CUDA C of the kernels
--   image/convolve   convolutions                       image/launch  memory and launches
--   image/resize     pictures of another size           image/rotate  rotated ones

local arguments = require "cudalua.image.arguments"
local calls = require "cudalua.gpuarray.core.calls"
local convolve = require "cudalua.image.convolve"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local functions = require "cudalua.gpuarray.core.functions"
local layout = require "cudalua.base.layout"
local move = require "cudalua.gpuarray.index.move"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
local resizing = require "cudalua.image.resize"
local rotating = require "cudalua.image.rotate"

require "cudalua.gpuarray"

---Filters of pictures. Rows and columns are the last two axes of an array, or with channels = true the two before the
---last, as cuda.io.load_image gives them; all other axes are a batch of pictures. The result has the picture's type.
---Integers and 16-bit floats are computed in float32; integers are rounded, ties to even, and clamped to their range.
---@class cudalua.image
local M = {}

local function delivered(what, x, out) return out == nil and x or functions.deliver(what, x, out) end

-- ---- convolutions ---------------------------------------------------------------------------------------------------

local convolving = { mode = true, boundary = true, fill = true, channels = true, out = true, stream = true,
  allocator = true }

local function read(what, a, options)
  local o = errors.options(what, options, convolving)
  local picture = arguments.picture(what, a, o)
  local c = { a = a, picture = picture, mode = arguments.mode(what, o.mode),
    boundary = arguments.boundary(what, o.boundary), value = arguments.value_of(what, a._dtype) }
  if o.fill ~= nil and c.boundary ~= "constant" then
    layout.refuse(what, "fill needs boundary = 'constant', not '" .. c.boundary .. "'")
  end
  return c, o
end

-- In the picture's context, where the fill and kernels from the host are made, too.
local function compute(what, f, c, fill, kernels, ndim)
  local arrays = {}
  for i, k in ipairs(kernels) do arrays[i] = arguments.kernel(what, k.name, k[1], ndim, c.value) end
  c.fill = arguments.fill(what, c.a._dtype, fill)
  return f(what, c, arrays[1], arrays[2])
end

---The convolution of pictures with a kernel, which is flipped, as SciPy's signal.convolve2d. Without the flip, as
---PyTorch's conv2d and OpenCV's filter2D compute it, the kernel is k:flip().
---@param a cudalua.gpuarray.Array
---@param kernel any  2-D: an array, or host data; its numbers become those that are computed with
---@param options? {mode: string, boundary: string, fill: any, channels: boolean, out: cudalua.gpuarray.Array,
---  stream: cudalua.Stream, allocator: function}  mode: "full" (default): wherever the kernel meets the picture,
---  "same": of the picture's size, "valid": where the kernel lies inside; boundary: what lies outside, a mode of
---  gpuarray.pad: "constant" (default), "edge", "reflect", "symmetric", "wrap"; fill: of "constant", default 0;
---  channels: the last axis holds the channels of a pixel
---@return cudalua.gpuarray.Array
---@raise LogicError for shapes and types that do not fit, and for unknown modes and boundaries
function M.convolve2d(a, kernel, options)
  local what = "image.convolve2d"
  local c, o = read(what, a, options)
  local kernels = { { kernel, name = "kernel" } }
  return delivered(what, move.inside(evaluate(a), compute, what, convolve.whole, c, o.fill, kernels, 2), o.out)
end

---The convolution of pictures with the outer product of a column and a row: two passes, one with the column's
---length and the other one the row's. What lies between them is not rounded to the picture's type.
---@param a cudalua.gpuarray.Array
---@param column any  1-D: an array, or host data
---@param row any     1-D
---@param options? {mode: string, boundary: string, fill: any, channels: boolean, out: cudalua.gpuarray.Array,
---  stream: cudalua.Stream, allocator: function}  as for image.convolve2d
---@return cudalua.gpuarray.Array
---@raise LogicError as image.convolve2d
function M.separable(a, column, row, options)
  local what = "image.separable"
  local c, o = read(what, a, options)
  local kernels = { { column, name = "column" }, { row, name = "row" } }
  local x = move.inside(evaluate(a), compute, what, convolve.separable, c, o.fill, kernels, 1)
  return delivered(what, x, o.out)
end

-- ---- resize and rotate ----------------------------------------------------------------------------------------------

local sizing = { filter = true, channels = true, out = true, stream = true, allocator = true }
local turning = { filter = true, fill = true, reshape = true, channels = true, out = true, stream = true,
  allocator = true }

-- Nothing is computed from nearest pixels, so that they may be of any type.
local function value_of(what, dtype, filter)
  if filter == "nearest" then return nil end
  return arguments.value_of(what, dtype, "; use filter = 'nearest'" ..
    (dtype.kind == "bool" and ", or convert the picture with astype 'float32'" or ""))
end

---Pictures of another size. Centres of pixels lie at halves: pixel i of m is computed at (i - 1/2) n / m of n pixels,
---counted from the edge. No filter is widened for a smaller picture; "area" is the one that takes all pixels.
---@param a cudalua.gpuarray.Array
---@param size integer[]  { height, width }
---@param options? {filter: string, channels: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  filter: "linear" (default): between two pixels each way, "cubic": Keys' cubic, a = -1/2, of
---  four pixels, without those outside of the picture, "nearest": of any type, also bool and structs, "area": the mean
---  of the part that the pixel covers; channels: the last axis holds the channels of a pixel
---@return cudalua.gpuarray.Array
---@raise LogicError for other sizes and filters, types without that filter, and if an empty picture has to grow
function M.resize(a, size, options)
  local what = "image.resize"
  local o = errors.options(what, options, sizing)
  local picture = arguments.picture(what, a, o)
  local height, width = arguments.size(what, size)
  local filter = arguments.filter(what, o.filter, resizing.FILTERS)
  local value = value_of(what, a._dtype, filter)
  local x = move.inside(evaluate(a), resizing.resize, what, a, picture, { height, width }, filter, value)
  return delivered(what, x, o.out)
end

---Pictures turned counterclockwise about their centre, where row 1 is the top one. Outside of a picture there is the
---fill, also for the filter.
---@param a cudalua.gpuarray.Array
---@param degrees number
---@param options? {filter: string, fill: any, reshape: boolean, channels: boolean, out: cudalua.gpuarray.Array,
---  stream: cudalua.Stream, allocator: function}  filter: "linear" (default), "cubic" (a = -1/2), "nearest"; fill:
---  default 0; reshape: the result is as large as the turned picture; channels: the last axis holds the channels of a
---  pixel
---@return cudalua.gpuarray.Array
---@raise LogicError for other angles and filters, and types without that filter
function M.rotate(a, degrees, options)
  local what = "image.rotate"
  local o = errors.options(what, options, turning)
  local picture = arguments.picture(what, a, o)
  local cosine, sine = arguments.angle(what, degrees)
  local filter = arguments.filter(what, o.filter, rotating.FILTERS)
  local r = { cosine = cosine, sine = sine, filter = filter, reshape = layout.flag(what, o, "reshape"), fill = o.fill,
    value = value_of(what, a._dtype, filter) }
  return delivered(what, move.inside(evaluate(a), rotating.rotate, what, a, picture, r), o.out)
end

for name, f in pairs_of(M) do M[name] = calls.wrap("image." .. name, f) end
names.strict(M, { text = "image", kind = "module" })

return M
