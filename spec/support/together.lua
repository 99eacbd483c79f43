-- What each of several host threads does at the same time as the others, in a Lua state of its own, for the group
-- "together" of spec/c/states_test.c: loads the library, opens the device, compiles, launches, evaluates arrays. The
-- host program compares what comes back with its own arithmetic.
local number = ...
local cuda = require "cudalua"
local ffi = require "ffi"
cuda.on_notice = nil

local n, blocks, width = 4000, 96, 128

-- The number is in the source, so that each thread compiles, and in the result.
local module = cuda.SourceModule(([[
__global__ void add(int *a, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] += %d; }
__global__ void count(unsigned *sum)
{
  unsigned k = 0;
  for (int i = 0; i < 50; i++) k += (threadIdx.x + i) & 1;
  atomicAdd(sum, k);
}
]]):format(number), { arch = "compute_75" })

local a = ffi.new("int[?]", n)
for i = 0, n - 1 do a[i] = i end
module:get_function "add"(cuda.InOut(a), n, { block = width })
local added = 0
for i = 0, n - 1 do added = added + a[i] end

local sum = ffi.new "unsigned[1]"
module:get_function "count"(cuda.InOut(sum), { block = width, grid = blocks })

local x = cuda.gpuarray.arange(n, "int32")
local y = (x * number + 1):sum():item()
local sorted = cuda.gpuarray.sort((x * 7 + number) % n)
local last = cuda.gpuarray.cumsum(sorted)[-1]

-- What else the process has one of: the device's pools, counts, places and queue.
local s = cuda.Stream()
for _ = 1, 10 do
  local pool = cuda.default_mempool()
  assert(pool:handle() ~= 0 and pool:get_device() == cuda.Device(0))
  local kept = cuda.DeviceMemoryPool():allocate(100)
  local memory = cuda.mem_alloc_async(n * 4, s)
  cuda.memcpy_htod_async(memory, cuda.pagelocked_zeros(n, "int32"), s)
  cuda.memset_d8_async(memory, number, n * 4, s)
  s:on_complete(function() end)
  cuda.Event():record(s):synchronize()
  assert(not pcall(cuda.mem_alloc, -1) and cuda.mem_stats().live > 0 and #kept == 100)
  cuda.poll()
  cuda.collect()
end

return added, sum[0], y, last
