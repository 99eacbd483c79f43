-- Convolutions of pictures: kernels/image/convolve.cu.

local arguments = require "cudalua.image.arguments"
local code = require "cudalua.image.code"
local launch = require "cudalua.image.launch"
local layout = require "cudalua.base.layout"
local storage = require "cudalua.gpuarray.core.storage"

local ceil, floor, max = math.ceil, math.floor, math.max

local M = {}

local LANES, LINES = 32, 8 -- threads of a block

-- Small kernels take less shared memory, so that more blocks run at a time: rows of the kernel that a block has there,
-- and elements of a row beyond its own.
M.SMALL = { chunk = 8, span = 16 }
M.LARGE = { chunk = 16, span = 64 }

local function tile_of(value, rows, elements)
  local small = rows <= M.SMALL.chunk and elements <= M.SMALL.span
  local class = small and M.SMALL or M.LARGE
  local widest = value.itemsize == 16
  return { rows = value.itemsize == 4 and 4 or 2, columns = widest and 1 or 2, chunk = class.chunk,
    span = widest and not small and class.span / 2 or class.span }
end

---A pass with one kernel.
---@class cudalua.image.Pass
---@field source cudalua.dtype.DType
---@field result cudalua.dtype.DType
---@field value cudalua.dtype.DType
---@field boundary string
---@field outer integer
---@field inner integer
---@field height integer         of the picture
---@field width integer
---@field out_height integer
---@field out_width integer
---@field kernel_height integer
---@field kernel_width integer
---@field first_row integer      of the picture, from 0: the first pixel that the kernel covers; maybe outside
---@field first_column integer

-- For a row of some numbers there is another kernel: a thread goes along rows. The order of the terms is the same.
M.ROW = { shortest = 4, channels = 8, run = 8, runs = 16, span = 64 }

local function is_row(pass)
  return pass.kernel_height == 1 and pass.kernel_width >= M.ROW.shortest and pass.inner <= M.ROW.channels and
    pass.value.itemsize <= 8
end

-- A pass over the picture with the kernel in tiles of so many rows and elements, and more elements beside them.
local function index_of(pass, tall, wide)
  local down = max(pass.height, pass.out_height) + pass.kernel_height + tall
  local across = pass.inner * (max(pass.width, pass.out_width) + pass.kernel_width + wide)
  return code.index(4 * max(pass.outer, 1) * down * across)
end

local function add_row(steps, pass, from, to, weights, fill)
  local row = M.ROW
  local wide = row.run * pass.inner * floor(row.runs / pass.inner)
  local span = pass.value.itemsize == 8 and row.span / 2 or row.span
  local k = code.kernel("array_image_row", { source = pass.source, result = pass.result, value = pass.value,
    index = index_of(pass, LANES, wide + span), one = pass.inner == 1,
    parts = { "pixels " .. pass.boundary, "pixels along", "convolve row" }, fields = { span = span } })
  local down, across = ceil(pass.out_height / LANES), ceil(pass.out_width * pass.inner / wide)
  steps[#steps + 1] = { kernel = k, threads = LANES * LINES, blocks = pass.outer * down * across,
    arguments = { from.buf, from.off, to.buf, to.off, weights.buf, weights.off, fill.buf, fill.off,
      fill ~= from and 1 or 0, pass.height, pass.width, pass.inner, pass.out_height, pass.out_width * pass.inner,
      pass.kernel_width, pass.first_row, pass.first_column, wide, down, across } }
end

local function add(steps, pass, from, to, weights, fill)
  fill = fill or from
  if is_row(pass) then return add_row(steps, pass, from, to, weights, fill) end
  local tile = tile_of(pass.value, pass.kernel_height, (pass.kernel_width - 1) * pass.inner)
  local tall, wide = LINES * tile.rows, LANES * tile.columns
  local k = code.kernel("array_image_convolve", { source = pass.source, result = pass.result, value = pass.value,
    index = index_of(pass, tall, wide + tile.span), one = pass.inner == 1,
    parts = { "pixels " .. pass.boundary, "pixels along", "convolve convolve" }, fields = tile })
  local down, across = ceil(pass.out_height / tall), ceil(pass.out_width * pass.inner / wide)
  steps[#steps + 1] = { kernel = k, threads = LANES * LINES, blocks = pass.outer * down * across,
    arguments = { from.buf, from.off, to.buf, to.off, weights.buf, weights.off, fill.buf, fill.off,
      fill ~= from and 1 or 0, pass.height, pass.width, pass.inner, pass.out_height, pass.out_width * pass.inner,
      pass.kernel_height, pass.kernel_width, pass.first_row, pass.first_column, down, across } }
end

-- ---- extents --------------------------------------------------------------------------------------------------------

-- Of a result along an axis, and where the kernel begins.
local function along(what, name, mode, n, k)
  if n == 0 then return 0, 0 end
  if mode == "full" then return n + k - 1, 1 - k end
  if mode == "same" then return n, floor((k - 1) / 2) - (k - 1) end
  if k > n then
    layout.refuse(what, ("the kernel has %.0f %s, but the picture has %.0f; mode 'valid' needs a smaller " ..
      "kernel"):format(k, name,
      n))
  end
  return n - k + 1, 0
end

---What is to be computed.
---@class cudalua.image.Convolution
---@field a cudalua.gpuarray.Array
---@field picture cudalua.image.Picture
---@field mode string
---@field boundary string
---@field fill cudalua.gpuarray.Array?
---@field value cudalua.dtype.DType

-- The pass over the picture itself, and the result.
local function prepare(what, c, kernel_height, kernel_width)
  local p = c.picture
  local out_height, first_row = along(what, "rows", c.mode, p.height, kernel_height)
  local out_width, first_column = along(what, "columns", c.mode, p.width, kernel_width)
  local dtype = c.a._dtype
  local out = storage.empty(dtype, arguments.resized(what, c.a, p, out_height, out_width))
  return { source = dtype, result = dtype, value = c.value, boundary = c.boundary, outer = p.outer, inner = p.inner,
    height = p.height, width = p.width, out_height = out_height, out_width = out_width, kernel_height = kernel_height,
    kernel_width = kernel_width, first_row = first_row, first_column = first_column }, out
end

local function leaves_of(c, ...)
  local list = { ... }
  if c.fill then list[#list + 1] = c.fill._leaf end
  return list, c.fill and c.fill._leaf
end

-- ---- both kinds -----------------------------------------------------------------------------------------------------

---A convolution with a kernel; the picture's context is the current one.
---@param what string
---@param c cudalua.image.Convolution
---@param kernel cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array  a new one
function M.whole(what, c, kernel)
  local pass, out = prepare(what, c, kernel._shape[1], kernel._shape[2])
  if out._size == 0 then return out end
  local weights, from = launch.stored(what, kernel, c.value), launch.dense(c.a)
  local leaves, fill = leaves_of(c, from, weights)
  return launch.run(out, leaves, function(steps) add(steps, pass, from, out._leaf, weights, fill) end)
end

---A convolution with a column and then with a row. What is between them is not rounded to the picture's type, and is as
---wide as the row needs it, so that only the first pass looks beyond the edges.
---@param what string
---@param c cudalua.image.Convolution
---@param column cudalua.gpuarray.Array
---@param row cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array  a new one
function M.separable(what, c, column, row)
  local rows, columns = column._size, row._size
  local pass, out = prepare(what, c, rows, columns)
  if out._size == 0 then return out end
  local down, across = launch.stored(what, column, c.value), launch.stored(what, row, c.value)
  local from = launch.dense(c.a)
  local leaves, fill = leaves_of(c, from, down, across)
  local between = pass.out_width + columns - 1
  local function fields(more)
    return setmetatable(more, { __index = pass })
  end
  local first = fields { result = c.value, out_width = between, kernel_width = 1 }
  local second = fields { source = c.value, boundary = "edge", height = pass.out_height, width = between,
    kernel_height = 1, first_row = 0, first_column = 0 }
  return launch.run(out, leaves, function(steps)
    local middle = launch.scratch(steps, pass.outer * pass.out_height * between * pass.inner * c.value.itemsize)
    add(steps, first, from, middle, down, fill)
    add(steps, second, middle, out._leaf, across)
  end)
end

return M
