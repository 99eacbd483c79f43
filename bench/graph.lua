-- What a replay of a graph of 100 small kernels costs: of one made by hand, of a captured one and of cuda.graph(fn),
-- beside the same graph launched from C, in turns in one process.
--   ./dev bench graph [ROUNDS]
-- "whole" is the time of a replay with a wait behind it, for which the goal on a GPU is 1.1 times C's; "host" the time
-- of the calls alone, the waits left out.
local cuda = require "cudalua"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local report = require "bench.common.report"

local rounds, NODES, N = tonumber(arg[1] or 9), 100, 64
local GOAL = 1.1

ffi.cdef [[
double bench_now(void);
int bench_open(const char *driver);
void *bench_graph(const char *image, unsigned long long address, int n, int nodes);
double bench_replay(void *exec, unsigned long long stream, int launches, int waits);
]]
local C = ffi.load(dofile "bench/common/compiled.lua".path "graph")

local soft = (function() cuda.init() return cuda.driver_info().soft end)()
local ctx = cuda.Device(0):make_context()
local source = [[
  extern "C" __global__ void step(float *x, float k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 0.5f + k;
  }
]]
local step = cuda.SourceModule(source):get_function "step"
local a = gpuarray.zeros(N, "float32")
local memory = a.gpudata
local s = cuda.Stream "non_blocking"

-- ---- the graphs ---------------------------------------------------------------------------------------------

assert(C.bench_open(cuda.driver_info().path) == 0, "the C side cannot open the driver")
local in_c = C.bench_graph((cuda.compile(source)), memory:ptr(), N, NODES)
assert(in_c ~= nil, "the C side cannot make the graph")

local by_hand = cuda.Graph()
local before
for _ = 1, NODES do
  before = by_hand:add_kernel{ step, args = { memory, 1, N }, block = 64, after = before }
end
local hand = by_hand:instantiate()
local captured = s:capture(function()
  for _ = 1, NODES do step(memory, 1, N, { block = 64 }) end
end):instantiate()
local call = cuda.graph(function(x)
  for _ = 1, NODES do step(x, 1, N, { block = 64 }) end
  return x
end, { static = true })
call(a)

local function lua_replays(f)
  return function(n, waits)
    local start = C.bench_now()
    for _ = 1, n do
      f()
      if waits then s:synchronize() end
    end
    local stop = C.bench_now()
    s:synchronize()
    return stop - start
  end
end

local handle = s:handle()
local forms = {
  { "C", function(n, waits) return C.bench_replay(in_c, handle, n, waits and 1 or 0) end },
  { "by hand", lua_replays(function() hand:launch(s) end) },
  { "captured", lua_replays(function() captured:launch(s) end) },
  { "cuda.graph(fn)", lua_replays(function() call(a) end), inside = true },
}

-- ---- rounds -------------------------------------------------------------------------------------------------

local function measure(waits)
  local batches, batch = waits and 1 or 20, soft and 8 or 64
  local turns = {}
  for i, form in ipairs(forms) do
    local function once()
      local sum = 0
      for _ = 1, batches do
        local us = form[2](batch, waits)
        assert(us >= 0, "a launch failed in C")
        sum = sum + us
      end
      return sum / (batches * batch)
    end
    turns[i] = { form[1], form.inside and function() return s:use(once) end or once }
  end
  local times = report.turns(rounds, turns)
  for _, form in ipairs(forms) do
    local middle, least = report.median(times[form[1]])
    local ratio = report.ratio(times[form[1]], times.C)
    local verdict = (form[1] == "C" or soft or not waits) and "" or ratio <= GOAL and "met" or "MISSED"
    print(("%-6s %-15s %9.3f / %9.3f  %6.3f  %s"):format(waits and "whole" or "host", form[1], least, middle, ratio,
      verdict))
  end
end

print(("%s, %d kernels, %d rounds"):format(cuda.Device(0):name(), NODES, rounds))
print("       graph           us: least /    median  /C")
measure(false)
measure(true)
ctx:detach()
