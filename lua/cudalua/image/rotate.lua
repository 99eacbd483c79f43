-- Rotated pictures: kernels/image/rotate.cu.

local arguments = require "cudalua.image.arguments"
local code = require "cudalua.image.code"
local launch = require "cudalua.image.launch"
local resize = require "cudalua.image.resize"
local storage = require "cudalua.gpuarray.core.storage"

local abs, floor, max = math.abs, math.floor, math.max

local M = {}

M.FILTERS = { "nearest", "linear", "cubic" }

local THREADS, TILE = 256, 32

-- The extents of a picture that holds the rotated one, as SciPy rounds them.
local function around(p, cosine, sine)
  return floor(abs(cosine) * p.height + abs(sine) * p.width + 0.5),
    floor(abs(sine) * p.height + abs(cosine) * p.width + 0.5)
end

---How to rotate.
---@class cudalua.image.Rotation
---@field cosine number
---@field sine number
---@field filter string
---@field reshape boolean              the result holds the whole picture
---@field fill any                     nil for 0
---@field value cudalua.dtype.DType?   what is computed with; "nearest" needs none

---A rotated picture; its context is the current one.
---@param what string
---@param a cudalua.gpuarray.Array
---@param p cudalua.image.Picture
---@param r cudalua.image.Rotation
---@return cudalua.gpuarray.Array  a new one
function M.rotate(what, a, p, r)
  local height, width, dtype = p.height, p.width, a._dtype
  if r.reshape then height, width = around(p, r.cosine, r.sine) end
  local shape, size = arguments.resized(what, a, p, height, width)
  local nearest = r.filter == "nearest"
  local given = r.fill
  if nearest and given == nil then given = dtype.kind == "struct" and dtype() or 0 end
  local fill = arguments.fill(what, dtype, given)
  if a._size == 0 or size == 0 then return launch.filled(what, dtype, shape, size, given) end
  local from, out = launch.dense(a), storage.empty(dtype, shape, size)
  local down, across = resize.blocks(height, width * p.inner)
  local form = { index = code.index(4 * max(p.outer, 1) * (max(p.height, height) + TILE) *
    (max(p.width, width) + TILE) * p.inner), one = p.inner == 1, fields = {} }
  local behind = { r.cosine, r.sine, p.height, p.width, p.inner, height, width, down, across }
  local outside = fill and fill._leaf or from
  local list = { from.buf, from.off, out._leaf.buf, out._leaf.off, outside.buf, outside.off }
  local k
  if nearest then
    form.parts = { "rotate turn", "rotate nearest" }
    k = code.mover("array_image_turn", dtype.itemsize, form)
  else
    form.source, form.result, form.value = dtype, dtype, r.value
    form.parts = { "pixels " .. r.filter, "rotate turn", "rotate sample" }
    k = code.kernel("array_image_rotate", form)
    list[7] = fill and 1 or 0
  end
  return launch.run(out, { from, fill and fill._leaf }, function(steps)
    local all = { unpack(list) } -- the launch takes the memory out of its list
    for _, x in ipairs(behind) do all[#all + 1] = x end
    steps[1] = { kernel = k, threads = THREADS, blocks = p.outer * down * across, arguments = all }
  end)
end

return M
