-- Rotates a picture by a texture that filters. In PyCUDA:
--   texref = mod.get_texref("tex")
--   drv.matrix_to_texref(a, texref, order="C")
--   texref.set_filter_mode(drv.filter_mode.LINEAR)
--   copy_texture(drv.Out(out), numpy.float32(theta), block=(16, 16, 1), grid=(2, 2), texrefs=[texref])
local drv = require "cudalua"

local copy_texture_func = drv.SourceModule [[
texture<float, 2> tex;

__global__ void copy_texture(float *out, float theta, int w, int h)
{
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= w || row >= h) return;
  float x = column + 0.5f - w / 2.0f, y = row + 0.5f - h / 2.0f;
  out[row * w + column] = tex2D(tex, x * cosf(theta) - y * sinf(theta) + w / 2.0f,
    x * sinf(theta) + y * cosf(theta) + h / 2.0f);
}
]]
local copy_texture = copy_texture_func:get_function "copy_texture"
local texref = copy_texture_func:get_texref "tex"

local n = 24
local a = drv.ndarray.from_function({ n, n }, function(row, column) return 100 * row + column end, "float32")
drv.matrix_to_texref(a, texref, "C")
texref:set_filter_mode(drv.filter_mode.LINEAR)

local function rotated(theta)
  local out = drv.ndarray.zeros_like(a)
  copy_texture(drv.Out(out), theta, n, n, { block = { 16, 16, 1 }, grid = { 2, 2 }, texrefs = { texref } })
  return out
end

print("not rotated", drv.ndarray.equal(rotated(0), a))
print("a half turn", rotated(math.pi):get(2, 3), a:get(n - 1, n - 2))
print("a quarter turn", rotated(math.pi / 2):get(2, 3))
