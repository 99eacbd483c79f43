-- Tarantool: a fiber waits for a kernel while other fibers go on. On the software device, too: work runs in the
-- background for a program that asks for completion_fd().
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
local fd = cuda.completion_fd()
spin(a, 1000, { block = 32, stream = stream }) -- loads what the first launch loads
stream:synchronize()

-- Waits in this fiber alone, for at most so many seconds.
local wakes = 0
local function wait(s, seconds)
  local done, last = false, fiber.time() + seconds
  s:on_complete(function() done = true end)
  while not done do
    if socket.iowait(fd, "R", last - fiber.time()) == "R" then wakes = wakes + 1 end
    cuda.poll() -- calls the function above, and those of other fibers
    if not done and fiber.time() >= last then
      s:synchronize() -- no function is called behind a kernel that failed: raises its error
      error "the completion did not wake the fiber"
    end
  end
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
wait(stream, 60)
finished = true
local during = count
other:join()
assert(wakes == 1, "woken " .. wakes .. " times")
assert(during > 1, "the other fiber did not run during the wait")
assert(math.abs(a:get()[1] - 1000) < 1)
print(("tarantool: woken once by the completion; the other fiber counted to %d before"):format(during))
os.exit(0)
