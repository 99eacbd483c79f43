-- A blur from surface to surface: each round reads one array and writes the other, and then they change places. The
-- boundary mode repeats the edge. The result is compared, pixel by pixel, with the same rounds in Lua.
--   luajit examples/23_surface_blur.lua [IN.ppm [OUT.pgm]]
-- Without a picture make_image.lua makes one. OUT.pgm gets the picture before and after, side by side.
local cuda = require "cudalua"
local ffi = require "ffi"

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local here = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$" or "."
local bytes, width, height = dofile(here .. "/make_image.lua").read(arg[1], soft and 120 or 1280, soft and 80 or 853)
local ROUNDS = 4 -- each adds 4 bits to values of 8, and floats have 24

-- The light of each pixel, from 0 to 255, as a host array and in two CUDA arrays that surfaces may write to.
local light = cuda.ndarray.zeros({ height, width }, "float32")
for y = 1, height do
  for x = 1, width do
    local r, g, b = bytes:byte(3 * ((y - 1) * width + x) - 2, 3 * ((y - 1) * width + x))
    light[y][x] = math.floor((77 * r + 150 * g + 29 * b) / 256)
  end
end
local from = cuda.np_to_array(light, "C", { allow_surface_bind = true })
local to = cuda.Array(from:get_descriptor_3d())

local blur = cuda.kernel [[
__global__ void blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      int weight = (i ? 1 : 2) * (j ? 1 : 2);
      // x counts bytes.
      sum += weight * surf2Dread<float>(from, (x + i) * (int)sizeof(float), y + j, cudaBoundaryModeClamp);
    }
  surf2Dwrite(sum / 16, to, x * (int)sizeof(float), y);
}
]]

local surfaces = { cuda.SurfaceObject { array = from }, cuda.SurfaceObject { array = to } }
local start, stop = cuda.Event(), cuda.Event()
start:record()
for round = 1, ROUNDS do
  blur(surfaces[2 - round % 2], surfaces[1 + round % 2], width, height, { block = { 16, 16 },
    grid = { math.ceil(width / 16), math.ceil(height / 16) } })
end
stop:record()

-- After an even number of rounds the result is where the picture was.
local result = cuda.ndarray.zeros({ height, width }, "float32")
local copy = cuda.Memcpy2D()
copy:set_src_array(ROUNDS % 2 == 0 and from or to)
copy:set_dst_host(result)
copy.width_in_bytes, copy.height, copy.dst_pitch = 4 * width, height, 4 * width
copy()

-- The same, one pixel at a time.
local now, after = ffi.new("double[?]", width * height), ffi.new("double[?]", width * height)
for y = 0, height - 1 do
  for x = 0, width - 1 do now[y * width + x] = light[y + 1][x + 1] end
end
local function at(x, y)
  return now[math.max(0, math.min(y, height - 1)) * width + math.max(0, math.min(x, width - 1))]
end
for _ = 1, ROUNDS do
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local sum = 0
      for j = -1, 1 do
        for i = -1, 1 do sum = sum + (i == 0 and 2 or 1) * (j == 0 and 2 or 1) * at(x + i, y + j) end
      end
      after[y * width + x] = sum / 16
    end
  end
  now, after = after, now
end
for y = 0, height - 1 do
  for x = 0, width - 1 do
    local a, b = result[y + 1][x + 1], now[y * width + x]
    if a ~= b then error(("pixel (%d, %d) is %.9g, the loop says %.9g"):format(x, y, a, b)) end
  end
end

if arg[2] then
  local both = cuda.gpuarray.hstack { cuda.gpuarray.to_gpu(light), cuda.gpuarray.to_gpu(result) }
  cuda.io.save_image(arg[2], both:round():astype "uint8")
end
print(("%d x %d pixels on %s: %d rounds from surface to surface in %.2f %s, all as in the Lua loop"):format(width,
  height, ctx:get_device():name(), ROUNDS, stop:time_since(start), soft and "simulated ms" or "ms"))
