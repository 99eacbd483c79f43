-- Tarantool: a fiber waits for a kernel while other fibers go on.
--     tarantool examples/embedding/tarantool.lua
local fiber = require "fiber"
local socket = require "socket"
local cuda = require "cudalua"

local spin = cuda.SourceModule([[
__global__ void spin(float *a, int n) {
  float x = a[threadIdx.x];
  for (int i = 0; i < n; i++) x = x * 0.999f + 1.0f;
  a[threadIdx.x] = x;
}]]):get_function "spin"
local a = cuda.gpuarray.zeros({ 32 }, "float32")
local stream = cuda.Stream()
spin(a, 1000, { block = 32, stream = stream })
stream:synchronize()

-- Waits in this fiber alone. is_done() raises what a kernel failed with, which has no function called behind it. The
-- software device runs kernels inside of such calls only, so there the kernel itself does hold the other fibers up.
local function wait(s)
  local done = false
  s:on_complete(function() done = true end)
  repeat
    socket.iowait(cuda.completion_fd(), "R", 0.05)
    cuda.poll()
  until done or s:is_done()
end

local count, finished = 0, false
local other = fiber.new(function()
  while not finished do
    count = count + 1
    fiber.sleep(0.001)
  end
end)
other:set_joinable(true)

spin(a, 3000000, { block = 32, stream = stream })
wait(stream)
finished = true
other:join()
assert(count > 1, "the other fiber did not run during the wait")
assert(math.abs(a:get()[1] - 1000) < 1)
print(("tarantool: the other fiber counted to %d during the wait"):format(count))
os.exit(0)
