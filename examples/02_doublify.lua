-- The steps of docs/kernels.md one by one: allocate device memory, copy to it, run a kernel, copy back; then the
-- same with InOut, which does all that around the call.
local cuda = require "cudalua"
local ffi = require "ffi"

cuda.init()
assert(cuda.Device.count() >= 1)
local ctx = cuda.Device(0):make_context()

-- A 4x4 matrix of random numbers, row by row.
local a = ffi.new "float[16]"
for i = 0, 15 do a[i] = math.random() * 4 - 2 end

local a_gpu = cuda.mem_alloc(ffi.sizeof(a))
cuda.memcpy_htod(a_gpu, a)

local mod = cuda.SourceModule [[
__global__ void doublify(float *a)
{
  int idx = threadIdx.x + threadIdx.y * 4;
  a[idx] *= 2;
}
]]
local doublify = mod:get_function "doublify"
doublify(a_gpu, { block = { 4, 4, 1 } })

local a_doubled = ffi.new "float[16]"
cuda.memcpy_dtoh(a_doubled, a_gpu)

local function show(title, m)
  print(title)
  for row = 0, 3 do
    local texts = {}
    for col = 0, 3 do texts[col + 1] = ("%9.5f"):format(m[row * 4 + col]) end
    print("  " .. table.concat(texts, " "))
  end
end
show("original", a)
show("doubled", a_doubled)
for i = 0, 15 do assert(a_doubled[i] == 2 * a[i], "the device computed something else") end

-- The same in one line. Memory that is no longer needed can be given back at once, or left to the collector.
doublify(cuda.InOut(a_doubled), { block = { 4, 4, 1 } })
for i = 0, 15 do assert(a_doubled[i] == 4 * a[i], "InOut brought back something else") end
a_gpu:free()
print(("doubled twice on %s, all as expected"):format(ctx:get_device():name()))
