-- Pictures of another size: kernels/image/resize.cu.

local arguments = require "cudalua.image.arguments"
local code = require "cudalua.image.code"
local launch = require "cudalua.image.launch"
local layout = require "cudalua.base.layout"
local storage = require "cudalua.gpuarray.core.storage"

local ceil, max = math.ceil, math.max

local M = {}

M.FILTERS = { "nearest", "linear", "cubic", "area" }

local LANES, LINES, ROWS, THREADS = 32, 8, 4, 256 -- of a block: columns, and rows that a thread has; or elements

---How many blocks a result takes, downwards and across.
---@param height integer
---@param elements integer  of a row
---@return integer down
---@return integer across
function M.blocks(height, elements) return ceil(height / (LINES * ROWS)), ceil(elements / LANES) end

-- Places are counted in the picture and in the result, and a tile beyond it.
local function index_of(p, height, width)
  return code.index(2 * max(p.outer, 1) * (max(p.height, height) + LINES * ROWS) *
    (max(p.width, width) + LANES) * p.inner)
end

-- A kernel with a tile of the result for each block.
local function tiled(p, height, width, from, to, kernel)
  local down, across = M.blocks(height, width * p.inner)
  return { kernel = kernel, threads = LANES * LINES, blocks = p.outer * down * across, arguments = { from.buf, from.off,
    to.buf, to.off, p.height, p.width, p.inner, height, width, down, across } }
end

local function wide_of(p, height, width)
  local down, across = code.wide(p.height, height), code.wide(p.width, width)
  return #down > #across and down or across
end

local function nearest(p, height, width, from, out)
  local k = code.mover("array_image_nearest", out._dtype.itemsize, { index = index_of(p, height, width),
    one = p.inner == 1, parts = { "resize nearest" }, fields = { wide = wide_of(p, height, width) } })
  return { tiled(p, height, width, from, out._leaf, k) }
end

local function sampled(p, height, width, from, out, value, filter)
  local k = code.kernel("array_image_resize", { source = out._dtype, result = out._dtype, value = value,
    index = index_of(p, height, width), one = p.inner == 1,
    parts = { "pixels " .. filter, "resize position", "resize sample" },
    fields = { wide = wide_of(p, height, width) } })
  return { tiled(p, height, width, from, out._leaf, k) }
end

local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

-- Means along one axis: `all` elements of a result with m along it, of a source with n.
local function means(source, result, value, from, to, job)
  local k = code.kernel("array_image_area", { source = source, result = result, value = value, one = job.inner == 1,
    index = code.index(max(job.all, job.all / job.m * job.n) + THREADS), parts = { "resize area" },
    fields = { wide = code.wide(job.n, job.m) } })
  local both = gcd(job.n, job.m)
  return { kernel = k, threads = THREADS, blocks = ceil(job.all / THREADS), arguments = { from.buf, from.off, to.buf,
    to.off, job.all, job.n, job.m, job.n / both, job.m / both, job.inner } }
end

-- Down the columns, where neighbours are read side by side, and then along the rows.
local function area(p, height, width, from, out, value, steps)
  local between = p.outer * height * p.width * p.inner
  local middle = launch.scratch(steps, between * value.itemsize)
  local dtype = out._dtype
  return { means(dtype, value, value, from, middle,
      { all = between, n = p.height, m = height, inner = p.width * p.inner }),
    means(value, dtype, value, middle, out._leaf,
      { all = p.outer * height * width * p.inner, n = p.width, m = width, inner = p.inner }) }
end

---A picture of another size; its context is the current one.
---@param what string
---@param a cudalua.gpuarray.Array
---@param p cudalua.image.Picture
---@param size {[1]: integer, [2]: integer}  rows and columns
---@param filter string
---@param value cudalua.dtype.DType?  what is computed with; "nearest" needs none
---@return cudalua.gpuarray.Array  a new one
function M.resize(what, a, p, size, filter, value)
  local height, width = size[1], size[2]
  local out = storage.empty(a._dtype, arguments.resized(what, a, p, height, width))
  if out._size == 0 then return out end
  if a._size == 0 then
    layout.refuse(what, ("a picture of %.0f x %.0f pixels cannot be resized to %.0f x %.0f pixels"):format(p.height,
      p.width, height, width))
  end
  local from = launch.dense(a)
  return launch.run(out, { from }, function(steps)
    local list
    if filter == "nearest" then
      list = nearest(p, height, width, from, out)
    elseif filter == "area" then
      list = area(p, height, width, from, out, value, steps)
    else
      list = sampled(p, height, width, from, out, value, filter)
    end
    for i, step in ipairs(list) do steps[i] = step end
  end)
end

return M
