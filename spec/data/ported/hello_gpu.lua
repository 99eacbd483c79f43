-- Multiplies two vectors, copied to the kernel and back by the call. In PyCUDA:
--   a = numpy.random.randn(400).astype(numpy.float32)
--   b = numpy.random.randn(400).astype(numpy.float32)
--   dest = numpy.zeros_like(a)
--   multiply(drv.Out(dest), drv.In(a), drv.In(b), block=(400, 1, 1), grid=(1, 1))
--   print(abs(dest - a * b).max())
local drv = require "cudalua"
local gpuarray = drv.gpuarray

local mod = drv.SourceModule [[
__global__ void multiply(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
]]
local multiply = mod:get_function "multiply"

drv.random.seed(1)
local a = drv.random.normal(400):get()
local b = drv.random.normal(400):get()
local dest = drv.ndarray.zeros_like(a)
multiply(drv.Out(dest), drv.In(a), drv.In(b), { block = { 400, 1, 1 }, grid = { 1, 1 } })

local difference = gpuarray.to_gpu(dest) - gpuarray.to_gpu(a) * gpuarray.to_gpu(b)
print("largest difference", difference:abs():max():get())
print("elements that are not 0", gpuarray.to_gpu(dest):count_nonzero():get())
