-- Several streams, each with its own copies and kernels, and a timeline of events. In PyCUDA:
--   for i in range(n):
--       events[i]["begin"].record(streams[i])
--       drv.memcpy_htod_async(x_gpu[i], x[i], streams[i])
--       grow(x_gpu[i], numpy.int32(len(x[i])), block=(128, 1, 1), grid=(8, 1), stream=streams[i])
--       drv.memcpy_dtoh_async(x[i], x_gpu[i], streams[i])
--       events[i]["end"].record(streams[i])
local drv = require "cudalua"

local grow = drv.SourceModule [[
__global__ void grow(float *x, int n)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    for (int k = 0; k < 10; k++) x[i] = 0.5f * x[i] + 1;
}
]]:get_function "grow"

local n, count = 1024, 4
local streams, x, x_gpu, events = {}, {}, {}, {}
for i = 1, count do
  streams[i] = drv.Stream()
  x[i] = drv.pagelocked_empty(n, "float32")
  x[i]:fill(100 * i)
  x_gpu[i] = drv.mem_alloc(x[i].nbytes)
  events[i] = { begin = drv.Event(), ["end"] = drv.Event() }
end

local reference = drv.Event()
reference:record()
for i = 1, count do
  events[i].begin:record(streams[i])
  drv.memcpy_htod_async(x_gpu[i], x[i], streams[i])
  grow(x_gpu[i], n, { block = { 128, 1, 1 }, grid = { 8, 1 }, stream = streams[i] })
  drv.memcpy_dtoh_async(x[i], x_gpu[i], streams[i])
  events[i]["end"]:record(streams[i])
end
drv.Context.synchronize()

local ordered = true
for i = 1, count do
  local begin, done = events[i].begin:time_since(reference), events[i]["end"]:time_since(reference)
  ordered = ordered and done > begin
  print("last of stream " .. i, x[i][n])
end
print("each ends after it begins", ordered)
print("all are done", streams[1]:is_done() and events[1]["end"]:query())
