-- A program of several ranks that makes checkpoints: arg has their path, and optionally the rank that is killed and
-- the number of microseconds after which that happens. At its end it saves its weights, and rank 0 prints the time.
local cuda, ffi = require "cudalua", require "ffi"
local dist, gpuarray = cuda.distributed, cuda.gpuarray
local world = dist.init()
local path, victim, delay = arg[1], tonumber(arg[2]), tonumber(arg[3])

ffi.cdef [[
  int fork(void); int getpid(void); int kill(int pid, int number); int usleep(unsigned us); void _exit(int status);
  typedef struct { int64_t seconds, nanoseconds; } clock_now; int clock_gettime(int clock, clock_now *now);
]]

local function now()
  local t = ffi.new "clock_now"
  ffi.C.clock_gettime(1, t)
  return tonumber(t.seconds) + tonumber(t.nanoseconds) * 1e-9
end

world:barrier()
local began, own = now(), ffi.C.getpid()
if world.rank == victim and ffi.C.fork() == 0 then
  ffi.C.usleep(delay)
  ffi.C.kill(own, 9)
  ffi.C._exit(0)
end

local state = dist.restore(path) or { step = 0, weights = gpuarray.zeros { 40, 100 },
  moments = { gpuarray.ones(50000) }, random = cuda.random.Generator(1):get_state() }
local generator = cuda.random.Generator(0):set_state(state.random)
while state.step < 8 do
  local gradient = world:all_reduce(generator:normal { 40, 100 } * (world.rank + 1), { op = "mean" })
  state.weights = (state.weights * 0.9 + gradient):eval()
  state.moments[1] = (state.moments[1] * 0.99 + generator:uniform { 50000 }):eval()
  state.step, state.random = state.step + 1, generator:get_state()
  dist.checkpoint(path, state)
end
dist.save(path .. ".weights.npy", state.weights)
dist.save(path .. ".moments.npy", state.moments[1])
if world.rank == 0 then print(("%.6f"):format(now() - began)) end
