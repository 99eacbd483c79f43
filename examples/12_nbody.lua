-- Bodies that attract each other. The forces of all pairs are an n x n expression, which is summed up as it is
-- computed; and, for comparison, a kernel written in CUDA C takes the same arrays.
--   luajit examples/12_nbody.lua [n [steps]]      default: 4096 bodies, 100 steps; on the software device 64 and 20
local cuda = require "cudalua"
local gpuarray = cuda.gpuarray

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local n = math.floor(tonumber(arg and arg[1]) or (soft and 64 or 4096))
local steps = math.floor(tonumber(arg and arg[2]) or (soft and 20 or 100))
local dt, softening = 0.002, 0.1
assert(n >= 2, "one body has nobody to attract it")

-- A ball of bodies at rest. Rows of the matrices are x, y and z.
local function in_ball()
  repeat
    local x, y, z = math.random() * 2 - 1, math.random() * 2 - 1, math.random() * 2 - 1
    if x * x + y * y + z * z <= 1 then return { x, y, z } end
  until false
end
local points = {}
for k = 1, n do points[k] = in_ball() end
local pos = gpuarray.to_gpu(points).T:copy "C"
local vel = gpuarray.zeros_like(pos)
local mass = gpuarray.full(n, 1 / n)

-- From each body (a row) to each other (a column): three n x n matrices and the inverse distance.
local function pairs_of(p)
  local d, square = {}, softening ^ 2
  for k = 1, 3 do
    d[k] = p[k] - p[k]:reshape(n, 1)
    square = square + d[k] ^ 2
  end
  return d, square:rsqrt()
end

local function acceleration(p)
  local d, inverse = pairs_of(p)
  local weight = mass * inverse ^ 3
  return gpuarray.stack { (weight * d[1]):sum(2), (weight * d[2]):sum(2), (weight * d[3]):sum(2) }
end

local function energy()
  local _, inverse = pairs_of(pos)
  local kinetic = (0.5 * mass * vel ^ 2):sum { dtype = "float64" }
  local pairs_sum = (mass * mass:reshape(n, 1) * inverse):sum { dtype = "float64" }
  local selves = (mass ^ 2 / softening):sum { dtype = "float64" }
  return (kinetic - 0.5 * (pairs_sum - selves)):item()
end

-- Arrays are arguments of kernels as they are.
local by_hand = cuda.SourceModule([[
__global__ void accelerate(float *acc, const float *pos, const float *mass, int n, float softening)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = pos[i], y = pos[n + i], z = pos[2 * n + i], ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float dx = pos[j] - x, dy = pos[n + j] - y, dz = pos[2 * n + j] - z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening * softening);
    float weight = mass[j] * inverse * inverse * inverse;
    ax += weight * dx, ay += weight * dy, az += weight * dz;
  }
  acc[i] = ax, acc[n + i] = ay, acc[2 * n + i] = az;
}
]]):get_function "accelerate"
local other = gpuarray.empty_like(pos)
by_hand(other, pos, mass, n, softening, { block = 128, grid = math.ceil(n / 128) })
local first = acceleration(pos)
assert(cuda.ndarray.allclose(first:get(), other:get(), { rtol = 1e-3, atol = 1e-5 }), "the kernel says something else")

-- Leapfrog: half a step of the velocity, a step of the position, and the other half.
local before = energy()
local start, stop = cuda.Event(), cuda.Event()
start:record()
local acc = first
for _ = 1, steps do
  vel = vel + 0.5 * dt * acc
  pos = pos + dt * vel
  acc = acceleration(pos)
  vel = vel + 0.5 * dt * acc
end
gpuarray.eval(pos, vel)
stop:record()
stop:synchronize()

local change = math.abs(energy() / before - 1)
local momentum = (mass * vel):sum(2):abs():max():item()
assert(change < 1e-4, ("the energy changed by %.2g of itself"):format(change))
assert(momentum < 1e-5, ("the bodies' momentum became %.2g"):format(momentum))
print(("%d bodies, %d steps on %s: %.3f %s a step"):format(n, steps, ctx:get_device():name(),
  stop:time_since(start) / steps, soft and "simulated ms" or "ms"))
print(("energy %.6f, changed by %.1g of itself; momentum below %.0e; all as expected"):format(before, change, 1e-5))
