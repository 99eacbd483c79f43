-- One computation in three ways, timed: a kernel, an ElementwiseKernel, and arrays. In PyCUDA:
--   start.record()
--   gpusin(drv.Out(dest), drv.In(a), numpy.int32(n_iter), grid=(blocks, 1), block=(block_size, 1, 1))
--   end.record()
--   end.synchronize()
--   seconds = start.time_till(end) * 1e-3
--   for i in range(n_iter):
--       a_gpu = cumath.sin(a_gpu)
local drv = require "cudalua"
local gpuarray, cumath = drv.gpuarray, drv.cumath
local ElementwiseKernel = drv.elementwise.ElementwiseKernel

local blocks, block_size, n_iter = 8, 64, 5
local count = blocks * block_size
local start, stop = drv.Event(), drv.Event()
local a = gpuarray.linspace(0.1, 3, count)

local function timed(name, f)
  start:record()
  local result = f()
  stop:record()
  stop:synchronize()
  local seconds = start:time_till(stop) * 1e-3
  print("time of " .. name .. " is positive", seconds > 0)
  return result
end

local gpusin = drv.SourceModule [[
__global__ void gpusin(float *dest, float *a, int n_iter)
{
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  float x = a[i];
  for (int n = 0; n < n_iter; n++) x = sin(x);
  dest[i] = x;
}
]]:get_function "gpusin"

local by_kernel = timed("SourceModule", function()
  local dest = drv.ndarray.zeros(count, "float32")
  gpusin(drv.Out(dest), drv.In(a:get()), n_iter, { grid = { blocks, 1 }, block = { block_size, 1, 1 } })
  return gpuarray.to_gpu(dest)
end)

local by_elementwise = timed("ElementwiseKernel", function()
  local kernel = ElementwiseKernel("float *a, int n_iter", "for (int n = 0; n < n_iter; n++) a[i] = sin(a[i])",
    "gpusin")
  local x = a:copy()
  kernel(x, n_iter)
  return x
end)

local by_arrays = timed("gpuarray", function()
  local x = a
  for _ = 1, n_iter do x = cumath.sin(x) end
  return x:eval()
end)

print("first", by_kernel[1])
print("differences", (by_kernel - by_elementwise):abs():max():get(), (by_kernel - by_arrays):abs():max():get())
