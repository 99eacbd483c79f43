-- A picture through textures: rotated, where the hardware filters between pixels and gives black outside of them, and
-- its edges by Sobel's operator, where it repeats the edge. Both are compared, pixel by pixel, with a loop in Lua.
-- cuda.image.rotate and cuda.image.separable do the same without textures (docs/filters.md).
--   luajit examples/21_rotate_sobel.lua [IN.ppm [OUT.pgm]]
-- Without a picture make_image.lua makes one. OUT.pgm gets the results side by side.
local cuda = require "cudalua"
local ffi = require "ffi"

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local here = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$" or "."
local bytes, width, height = dofile(here .. "/make_image.lua").read(arg[1], soft and 160 or 1280, soft and 107 or 853)
local ANGLE = 0.4

-- The luminance, computed on the device and copied into a CUDA array of bytes.
local rgb = cuda.gpuarray.to_gpu(bytes, "uint8", { shape = { height, width, 3 } }):astype "int32"
local gray = (77 * rgb[{ {}, {}, 1 }] + 150 * rgb[{ {}, {}, 2 }] + 29 * rgb[{ {}, {}, 3 }]):floordiv(256):astype "uint8"
local array = cuda.gpuarray_to_array(gray)

local mod = cuda.SourceModule [[
#define PLACE \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; \
  if (x >= width || y >= height) return;

__global__ void rotate(unsigned char *out, int width, int height, cudaTextureObject_t picture, float cosine, float sine)
{
  PLACE
  float u = x + 0.5f - width * 0.5f, v = y + 0.5f - height * 0.5f;
  float light = tex2D<float>(picture, u * cosine + v * sine + width * 0.5f, v * cosine - u * sine + height * 0.5f);
  out[y * width + x] = (unsigned char)(255 * light + 0.5f);
}

__global__ void sobel(unsigned char *out, int width, int height, cudaTextureObject_t picture)
{
  PLACE
  int right = 0, down = 0;
  for (int k = -1; k <= 1; k++) {
    int weight = k ? 1 : 2;
    right += weight * (tex2D<unsigned char>(picture, x + 1, y + k) - tex2D<unsigned char>(picture, x - 1, y + k));
    down += weight * (tex2D<unsigned char>(picture, x + k, y + 1) - tex2D<unsigned char>(picture, x + k, y - 1));
  }
  out[y * width + x] = (unsigned char)min(255, (int)sqrtf(right * right + down * down));
}
]]

-- The same array, read in two ways.
local smooth = cuda.TextureObject { array = array, read = "normalized", filter = "linear", address = "border" }
local exact = cuda.TextureObject { array = array, address = "clamp" }

local rotated = cuda.gpuarray.zeros({ height, width }, "uint8")
local edges = cuda.gpuarray.zeros({ height, width }, "uint8")
local shape = { block = { 16, 16 }, grid = { math.ceil(width / 16), math.ceil(height / 16) } }
local start, stop = cuda.Event(), cuda.Event()
start:record()
mod:get_function "rotate"(rotated, width, height, smooth, math.cos(ANGLE), math.sin(ANGLE), shape)
mod:get_function "sobel"(edges, width, height, exact, shape)
stop:record()

-- The same, one pixel at a time.
local light = ffi.new("int32_t[?]", width * height)
for i = 0, width * height - 1 do
  local r, g, b = bytes:byte(3 * i + 1, 3 * i + 3)
  light[i] = math.floor((77 * r + 150 * g + 29 * b) / 256)
end
local function outside(x, y) return x < 0 or y < 0 or x >= width or y >= height end
local function bordered(x, y) return outside(x, y) and 0 or light[y * width + x] end
local function clamped(x, y)
  return light[math.max(0, math.min(y, height - 1)) * width + math.max(0, math.min(x, width - 1))]
end

local cosine, sine = math.cos(ANGLE), math.sin(ANGLE)
local function filtered(x, y)
  local u, v = x + 0.5 - width / 2, y + 0.5 - height / 2
  local fx, fy = u * cosine + v * sine + width / 2 - 0.5, v * cosine - u * sine + height / 2 - 0.5
  local i, j = math.floor(fx), math.floor(fy)
  local a, b = fx - i, fy - j
  return (1 - b) * ((1 - a) * bordered(i, j) + a * bordered(i + 1, j))
    + b * ((1 - a) * bordered(i, j + 1) + a * bordered(i + 1, j + 1))
end
local function slope(x, y)
  local right, down = 0, 0
  for k = -1, 1 do
    right = right + (2 - math.abs(k)) * (clamped(x + 1, y + k) - clamped(x - 1, y + k))
    down = down + (2 - math.abs(k)) * (clamped(x + k, y + 1) - clamped(x + k, y - 1))
  end
  return math.min(255, math.floor(math.sqrt(right * right + down * down)))
end

-- Textures filter with fractions of 1/256: half a step along each axis, between texels that are 255 apart at most.
local got_rotated, got_edges = rotated:get(), edges:get()
local worst = 0
for y = 0, height - 1 do
  for x = 0, width - 1 do
    local seen, want = got_rotated[y + 1][x + 1], filtered(x, y)
    worst = math.max(worst, math.abs(seen - want))
    if math.abs(seen - want) > 2 then
      error(("rotated: pixel (%d, %d) is %d, the loop says %.2f"):format(x, y, seen, want))
    end
    local a, b = got_edges[y + 1][x + 1], slope(x, y)
    if a ~= b then error(("Sobel: pixel (%d, %d) is %d, the loop says %d"):format(x, y, a, b)) end
  end
end

if arg[2] then
  local both = cuda.gpuarray.hstack { rotated, edges }
  cuda.io.save_image(arg[2], both)
end
print(("%d x %d pixels on %s: rotated within %.1f levels, and the edges exactly, in %.2f %s, all as in the Lua loops")
  :format(width, height, ctx:get_device():name(), worst, stop:time_since(start), soft and "simulated ms" or "ms"))
