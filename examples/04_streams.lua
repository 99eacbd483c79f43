-- More data than one buffer holds, through the device in chunks: while one chunk is computed, the next one is copied in
-- and the last one out. Three streams take turns; page-locked memory lets the copies run by themselves.
--   luajit examples/04_streams.lua [millions of numbers, default 2]
local cuda = require "cudalua"

cuda.init()
local ctx = cuda.Device(0):make_context()

local n = math.floor((tonumber(arg and arg[1]) or 2) * 2 ^ 20)
local chunk, nstreams = 2 ^ 18, 3
assert(n > chunk, "there should be more than one chunk")

local mod = cuda.SourceModule [[
// Enough arithmetic for the kernel to take about as long as a copy.
__global__ void iterate(float *x, int n, int rounds)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < rounds; k++) v = v * 0.5f + 1.0f;
  x[i] = v;
}
]]
local iterate = mod:get_function "iterate"
local rounds = 16

local input = cuda.pagelocked_empty(n, "float32")
local output = cuda.pagelocked_empty(n, "float32")
local x, y = input:data(), output:data()
for i = 0, n - 1 do x[i] = i % 1000 end

-- Each stream has a buffer of its own; the order inside of a stream is all the synchronisation there is.
local streams, buffers = {}, {}
for i = 1, nstreams do
  streams[i] = cuda.Stream "non_blocking"
  buffers[i] = cuda.mem_alloc(chunk * 4)
end

local function run(used)
  local start, stop = cuda.Event(), cuda.Event()
  start:record(streams[1])
  for i = 2, used do streams[i]:wait_for_event(start) end
  local turn = 0
  for first = 0, n - 1, chunk do
    local count = math.min(chunk, n - first)
    local s, buffer = streams[turn % used + 1], buffers[turn % used + 1]
    cuda.memcpy_htod_async(buffer, input[{ { first + 1, first + count } }], s)
    iterate(buffer, count, rounds, { block = 256, grid = math.ceil(count / 256), stream = s })
    cuda.memcpy_dtoh_async(output[{ { first + 1, first + count } }], buffer, s)
    turn = turn + 1
  end
  for i = 2, used do streams[1]:wait_for_event(cuda.Event():record(streams[i])) end
  stop:record(streams[1])
  stop:synchronize()
  return stop:time_since(start)
end

run(1) -- the first run pays for loading the kernel
local one, three = run(1), run(nstreams)

for i = 0, n - 1, 997 do
  local v = i % 1000
  for _ = 1, rounds do v = v * 0.5 + 1 end
  assert(math.abs(y[i] - v) <= 1e-6 * v + 1e-6, "element " .. i .. " is wrong")
end
print(("%.1f MB in %d chunks on %s"):format(n * 4 / 1e6, math.ceil(n / chunk), ctx:get_device():name()))
local unit = cuda.driver_info().soft and "simulated ms" or "ms"
print(("one stream:    %8.3f %s"):format(one, unit))
print(("three streams: %8.3f %s, %.2f times as fast; all as expected"):format(three, unit, one / three))
