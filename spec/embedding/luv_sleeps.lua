-- For luv_spec.lua: nothing but the descriptor is in the loop, so only the completion can end its sleep. On the
-- software device the log of calls shows that none was made meanwhile.
local uv = require "luv"
local cuda = require "cudalua"
local soft = arg[1] == "soft" and require "cudalua.softgpu"

local count = cuda.SourceModule([[
__global__ void count(unsigned *a, unsigned n) {
  volatile unsigned *p = a;
  for (unsigned i = 0; i < n; i++) *p = *p + 1;
}]]):get_function "count"
local a = cuda.gpuarray.zeros({ 1 }, "uint32")
local stream = cuda.Stream()
count(a, 1, { block = 1, stream = stream })
stream:synchronize()

local watch, wakes, done, before = uv.new_poll(cuda.completion_fd()), 0, false
local function calls() return soft and #soft.calls() or 0 end
watch:start("r", function(err)
  assert(not err, err)
  wakes = wakes + 1
  assert(calls() == before, "the loop made calls of the driver")
  cuda.poll()
  watch:close()
end)
if soft then soft.log "on" end
-- Is the kernel still at work when the loop begins? On a busy machine a longer one may be.
local n, total = 4000000, 1
local function start()
  count(a, n, { block = 1, stream = stream })
  stream:on_complete(function() done = true end)
  total, before = total + n, calls()
  return not done and not stream:is_done()
end
while not start() do
  stream:synchronize()
  cuda.poll()
  assert(done and n < 2 ^ 30)
  n, done = 2 * n, false
end
before = calls()
uv.run()
assert(done and wakes == 1, "woken " .. wakes .. " times")
stream:synchronize() -- what woke the loop runs in the stream, which ends a moment later
assert(a:get()[1] == total)
print "slept, woken once"
