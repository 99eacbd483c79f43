-- luv's event loop: a completion wakes it. The timer asks for errors; on the software device, which runs kernels inside
-- of calls only, its is_done() also runs the kernel.
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
spin(a, 1000, { block = 32, stream = stream }) -- loads what the first launch loads
stream:synchronize()

local ticks, wakes, done = 0, 0, false
local timer, watch = uv.new_timer(), uv.new_poll(cuda.completion_fd())

local function finish()
  timer:close()
  watch:close()
end

timer:start(5, 5, function()
  ticks = ticks + 1
  if not done and stream:is_done() then return end -- raises what a kernel failed with, whose function is not called
end)
watch:start("r", function(err)
  assert(not err, err)
  wakes = wakes + 1
  cuda.poll() -- calls the function below
  if done then finish() end
end)

spin(a, 3000000, { block = 32, stream = stream })
stream:on_complete(function() done = true end)
assert(not done)
uv.run()
assert(done and wakes == 1, "woken " .. wakes .. " times")
assert(ticks > 0, "the timer did not run")
assert(math.abs(a:get()[1] - 1000) < 1)
print(("luv: woken once by the completion; the timer ran %d times before"):format(ticks))
