-- luv's event loop: it sleeps until the kernel's completion wakes it. On the software device, too: work runs in the
-- background for a program that asks for completion_fd().
--     luajit examples/embedding/luv.lua
local uv = require "luv"
local cuda = require "cudalua"

local spin = cuda.SourceModule([[
__global__ void spin(float *a, int n) {
  float x = a[threadIdx.x];
  for (int i = 0; i < n; i++) x = x * 0.999f + 1.0f;
  a[threadIdx.x] = x;
}]]):get_function "spin"
local a = cuda.gpuarray.zeros({ 32 }, "float32")
local stream = cuda.Stream()
local watch, timer, limit = uv.new_poll(cuda.completion_fd()), uv.new_timer(), uv.new_timer()
spin(a, 1000, { block = 32, stream = stream }) -- loads what the first launch loads
stream:synchronize()

local ticks, wakes, done = 0, 0, false
timer:start(1, 1, function() ticks = ticks + 1 end) -- the rest of the program, which makes no call of CUDA
limit:start(60000, 0, function() -- no function is called behind a kernel that failed
  stream:synchronize() -- raises its error
  error "the completion did not wake the loop"
end)
watch:start("r", function(err)
  assert(not err, err)
  wakes = wakes + 1
  cuda.poll() -- calls the function below
  if not done then return end
  watch:close()
  timer:close()
  limit:close()
end)

spin(a, 3000000, { block = 32, stream = stream })
stream:on_complete(function() done = true end)
assert(not done)
uv.run()
assert(done and wakes == 1, "woken " .. wakes .. " times")
assert(ticks > 0, "the timer did not run")
assert(math.abs(a:get()[1] - 1000) < 1)
print(("luv: woken once by the completion; the timer ran %d times before"):format(ticks))
