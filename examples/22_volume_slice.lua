-- A slice through a volume: a kernel looks up points of a plane in a 3D texture, which filters between the eight
-- neighbours of each. The slice is compared with the same rule in Lua, and with the function that filled the volume.
--   luajit examples/22_volume_slice.lua [n [OUT.pgm]]
-- n points along each axis of the volume; default: 256, on the software device 32. OUT.pgm gets the slice.
local cuda = require "cudalua"

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local n = math.floor(tonumber(arg[1]) or (soft and 32 or 256))
assert(n >= 4, "a volume has at least 4 points along each axis")
local side = 2 * n -- pixels of the slice

-- Shells around the middle: a smooth function of the distance, from 0 to 1.
local function shells(x, y, z)
  local r = math.sqrt((x - 0.5) ^ 2 + (y - 0.5) ^ 2 + (z - 0.5) ^ 2)
  return 0.5 + 0.5 * math.cos(4 * math.pi * r)
end

local gpuarray = cuda.gpuarray
local points = (gpuarray.arange(n, "float32") + 0.5) / n -- the middles of the texels
local x, y, z = points:reshape(1, 1, n), points:reshape(1, n, 1), points:reshape(n, 1, 1)
local r = ((x - 0.5) ^ 2 + (y - 0.5) ^ 2 + (z - 0.5) ^ 2):sqrt()
local volume = (0.5 + 0.5 * gpuarray.cos(4 * math.pi * r)):eval()

-- The last axis is x. Coordinates go from 0 to 1, and what lies outside is black.
local texture = cuda.TextureObject { array = cuda.gpuarray_to_array(volume), filter = "linear", normalized = true,
  address = "border" }

local slice = cuda.kernel [[
struct Plane { float3 corner, right, down; };

__global__ void slice(float *out, int side, cudaTextureObject_t volume, Plane p)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= side || j >= side) return;
  float a = (i + 0.5f) / side, b = (j + 0.5f) / side;
  out[j * side + i] = tex3D<float>(volume, p.corner.x + a * p.right.x + b * p.down.x,
    p.corner.y + a * p.right.y + b * p.down.y, p.corner.z + a * p.right.z + b * p.down.z);
}
]]

-- A plane that leans, and sticks out of the volume at its corners.
local vector = cuda.dtype.struct({ { "x", "float32" }, { "y", "float32" }, { "z", "float32" } }, { name = "Vector" })
local Plane = cuda.dtype.struct({ { "corner", vector }, { "right", vector }, { "down", vector } }, { name = "Plane" })
local corner, right, down = { -0.05, 0.1, 0.2 }, { 1.1, 0.1, 0.3 }, { 0.05, 0.8, 0.4 }
local out = gpuarray.zeros({ side, side }, "float32")
local start, stop = cuda.Event(), cuda.Event()
start:record()
slice(out, side, texture, Plane.ctype(corner, right, down), { block = { 16, 16 },
  grid = { math.ceil(side / 16), math.ceil(side / 16) } })
stop:record()

-- The same in Lua: the weights of the eight texels around a point.
local texels = volume:get()
local function texel(i, j, k)
  if i < 0 or j < 0 or k < 0 or i >= n or j >= n or k >= n then return 0 end
  return texels:get(k + 1, j + 1, i + 1)
end
local function filtered(px, py, pz)
  px, py, pz = px * n - 0.5, py * n - 0.5, pz * n - 0.5
  local i, j, k = math.floor(px), math.floor(py), math.floor(pz)
  local a, b, c = px - i, py - j, pz - k
  local sum = 0
  for dk = 0, 1 do
    for dj = 0, 1 do
      for di = 0, 1 do
        local weight = (di == 1 and a or 1 - a) * (dj == 1 and b or 1 - b) * (dk == 1 and c or 1 - c)
        sum = sum + weight * texel(i + di, j + dj, k + dk)
      end
    end
  end
  return sum
end

local got = out:get()
local inside, worst = 0, 0
for j = 0, side - 1 do
  for i = 0, side - 1 do
    local a, b = (i + 0.5) / side, (j + 0.5) / side
    local p = {}
    for k = 1, 3 do p[k] = corner[k] + a * right[k] + b * down[k] end
    local value, want = got:get(j + 1, i + 1), filtered(p[1], p[2], p[3])
    if math.abs(value - want) > 3 / 256 then -- fractions of 1/256 along each axis
      error(("pixel (%d, %d) is %g, the rule says %g"):format(i, j, value, want))
    end
    local margin = 1 / n -- within the middles of the outer texels
    if math.min(p[1], p[2], p[3]) > margin and math.max(p[1], p[2], p[3]) < 1 - margin then
      inside = inside + 1
      worst = math.max(worst, math.abs(value - shells(p[1], p[2], p[3])))
    end
  end
end
-- Between texels h apart a linear rule is off by an eighth of the second derivative times h^2, for each axis.
assert(worst < 3 / 256 + 3 / 8 * 0.5 * (4 * math.pi / n) ^ 2, worst)

if arg[2] then cuda.io.save_image(arg[2], (out * 255):round():astype "uint8") end
print(("a slice of %d x %d through %d^3 texels on %s in %.2f %s: %d points inside, off by %.4f at most, all as " ..
  "expected"):format(side, side, n, ctx:get_device():name(), stop:time_since(start), soft and "simulated ms" or "ms",
  inside, worst))
