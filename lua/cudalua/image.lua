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

---Image filters. Rows and columns are the last two axes of an array, or with channels = true the two before the last,
---as cuda.io.load_image returns them. All other axes are a batch of images. The result has the image's dtype. Integers
---and 16-bit floats are computed in float32; integer results are rounded, with ties to even, and clamped to their
---range.
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

---The convolution of images with a kernel, which is flipped, as in SciPy's signal.convolve2d. Without the flip, as in
---PyTorch's conv2d and OpenCV's filter2D, pass k:flip().
---@param a cudalua.gpuarray.Array  the images, (..., height, width), or with channels (..., height, width, channels)
---@param kernel any  a 2-D array, or host data; its numbers are converted to the dtype of the computation
---@param options? {mode: string, boundary: string, fill: any, channels: boolean, out: cudalua.gpuarray.Array, stream:
---  cudalua.Stream, allocator: function}  mode: "full" (default): all positions where the kernel overlaps the image;
---  "same": the image's size; "valid": positions where the kernel lies inside; boundary: the values outside the image,
---  a mode of gpuarray.pad: "constant" (default), "edge", "reflect", "symmetric", "wrap"; fill: the value of
---  "constant", default 0; channels: the last axis holds the channels of a pixel
---@return cudalua.gpuarray.Array
---@raise LogicError for unsupported shapes and dtypes, and for unknown modes and boundaries
function M.convolve2d(a, kernel, options)
  local what = "image.convolve2d"
  local c, o = read(what, a, options)
  local kernels = { { kernel, name = "kernel" } }
  return delivered(what, move.inside(evaluate(a), compute, what, convolve.whole, c, o.fill, kernels, 2), o.out)
end

---The convolution of images with the outer product of a column and a row, in two passes, along the columns and along
---the rows. The intermediate result is not rounded to the image's dtype.
---@param a cudalua.gpuarray.Array  the images, as for image.convolve2d
---@param column any  a 1-D array, or host data
---@param row any  a 1-D array, or host data
---@param options? {mode: string, boundary: string, fill: any, channels: boolean, out: cudalua.gpuarray.Array, stream:
---  cudalua.Stream, allocator: function}  mode: as for image.convolve2d; boundary: as for image.convolve2d; fill: as
---  for image.convolve2d; channels: as for image.convolve2d
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

---Resizes images. The centres of pixels lie at halves: for m of n pixels, pixel i is computed at (i - 1/2) n / m,
---counted from the edge. Filters are not widened for a smaller image; "area" is the filter that uses all pixels.
---@param a cudalua.gpuarray.Array  the images, as for image.convolve2d
---@param size integer[]  { height, width }
---@param options? {filter: string, channels: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  filter: "linear" (default): between two pixels on each axis; "cubic": Keys' cubic with a = -1/2, between
---  four pixels, without those outside the image; "nearest": for any dtype, also bool and structs; "area": the mean of
---  the part that a pixel covers; channels: the last axis holds the channels of a pixel
---@return cudalua.gpuarray.Array
---@raise LogicError for invalid sizes and filters, dtypes that the filter does not support, and for enlarging an empty
---  image
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

---Rotates images counterclockwise about their centre; row 1 is at the top. Outside an image the filter uses the fill
---value.
---@param a cudalua.gpuarray.Array  the images, as for image.convolve2d
---@param degrees number  the angle in degrees
---@param options? {filter: string, fill: any, reshape: boolean, channels: boolean, out: cudalua.gpuarray.Array, stream:
---  cudalua.Stream, allocator: function}  filter: "linear" (default), "cubic" (a = -1/2), "nearest"; fill: default 0;
---  reshape: enlarge the result so that it holds the rotated image; channels: the last axis holds the channels of a
---  pixel
---@return cudalua.gpuarray.Array
---@raise LogicError for invalid angles and filters, and dtypes that the filter does not support
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
