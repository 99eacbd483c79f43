-- Multiplies two vectors on the GPU: compile CUDA C, hand over host arrays, get the product back.
local cuda = require "cudalua"
local ffi = require "ffi"

cuda.init()
local ctx = cuda.Device(0):make_context()

local mod = cuda.SourceModule [[
__global__ void multiply_them(float *dest, const float *a, const float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
]]
local multiply_them = mod:get_function "multiply_them"

local n = 400
local a, b, dest = ffi.new("float[?]", n), ffi.new("float[?]", n), ffi.new("float[?]", n)
for i = 0, n - 1 do
  a[i], b[i] = math.random() - 0.5, math.random() - 0.5
end

-- Out and In copy the arrays to the device and back around the call.
multiply_them(cuda.Out(dest), cuda.In(a), cuda.In(b), { block = { n, 1, 1 } })

for i = 0, n - 1 do
  local expected = tonumber(ffi.new("float", a[i] * b[i]))
  assert(dest[i] == expected, ("element %d: %g instead of %g"):format(i, dest[i], expected))
end
print(("%d products computed on %s, all as expected"):format(n, ctx:get_device():name()))
