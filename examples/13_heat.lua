-- Heat in a plate whose edges are kept cold: each step adds a tenth of the Laplacian, written with views of the array
-- that is written to. A sine wave keeps its shape and decays, and how fast is known.
--   luajit examples/13_heat.lua [n [steps]]
-- n x n points; default: 1024 and 20000 steps, on the software device 64 and 200
local cuda = require "cudalua"
local gpuarray = cuda.gpuarray

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local n = math.floor(tonumber(arg and arg[1]) or (soft and 64 or 1024))
local steps = math.floor(tonumber(arg and arg[2]) or (soft and 200 or 20000))

assert(n >= 4, "a plate has edges and something between them")

-- The slowest mode: half a wave along each axis, 0 at the edges.
local wave = gpuarray.linspace(0, math.pi, n, "float64"):sin()
local plate = wave * wave:reshape(n, 1)
local first = plate:copy()

-- Views, made once: what is not at an edge, and its neighbours.
local u = plate[{ { 2, -2 }, { 2, -2 } }]
local up, down = plate[{ { 1, -3 }, { 2, -2 } }], plate[{ { 3, -1 }, { 2, -2 } }]
local left, right = plate[{ { 2, -2 }, { 1, -3 } }], plate[{ { 2, -2 }, { 3, -1 } }]

-- How many kernels were launched: the software device keeps count.
local function launches()
  if not soft then return 0 end
  return tonumber((cuda.softgpu.control("calls cuLaunchKernel"):match "%d+"))
end

local function step()
  local lap = up + down + left + right - 4 * u
  u:set(u + 0.1 * lap)
end

local before = launches()
local start, stop = cuda.Event(), cuda.Event()
start:record()
for _ = 1, steps do step() end
stop:record()
stop:synchronize()
local kernels = launches() - before
assert(kernels <= 2 * steps, ("%d kernels for %d steps"):format(kernels, steps))

-- The wave is a mode of the differences, too: in exact arithmetic, each step multiplies it by the same factor.
local factor = 1 - 0.1 * 8 * math.sin(math.pi / (2 * (n - 1))) ^ 2
local difference = (plate - factor ^ steps * first):abs():max():item()
assert(difference <= 1e-15 * steps, ("the plate differs by %g"):format(difference))

-- The differential equation's solution decays by exp(-2 pi^2 t), and the differences approach it.
local h = 1 / (n - 1)
local analytic = math.exp(-2 * math.pi ^ 2 * 0.1 * h ^ 2 * steps)
local highest = plate:max():item() / first:max():item()
assert(math.abs(highest / analytic - 1) < 20 * h ^ 2, "the decay is not that of the equation")

print(("%d x %d points, %d steps on %s: %.3f %s a step%s"):format(n, n, steps, ctx:get_device():name(),
  stop:time_since(start) / steps, soft and "simulated ms" or "ms",
  soft and (", %.2f kernels a step"):format(kernels / steps) or ""))
print(("the wave decayed to %.6f, the equation says %.6f; all as expected"):format(highest, analytic))
