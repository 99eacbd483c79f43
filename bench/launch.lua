-- What a launch costs: fn(...) with all its checks beside the same loop in C, interleaved in one process.
--   ./dev bench launch [ROUNDS]
-- A round is 40 batches of 256 launches, each batch followed by a wait that is not counted. Host time only.
local cuda = require "cudalua"
local ffi = require "ffi"

local rounds, batches, batch = tonumber(arg[1] or 9), 40, 256
local goal = 1.15

ffi.cdef [[
double bench_now(void);
int bench_open(const char *driver, const char *image);
void *bench_function(const char *name);
double bench_loop(void *function, int nargs, unsigned long long address, int launches);
]]
local lib = (os.getenv "CUDALUA_BUILD" or "build") .. "/bench_launch.so"
local home = os.getenv "CUDA_HOME" or "/usr/local/cuda"
assert(os.execute(("%s -O2 -shared -fPIC -I%s/include bench/launch.c -o %s -ldl"):format(os.getenv "CC" or "cc", home,
  lib)) == 0, "bench/launch.c does not compile")
local C = ffi.load(lib)

cuda.init()
local dev = cuda.Device(0)
local ctx = dev:make_context()
local source = [[
__global__ void k0() {}
__global__ void k1(float *p) {}
__global__ void k3(float *p, float a, int n) {}
__global__ void k8(float *a, float *b, float *c, float *d, int e, int f, float g, float h) {}
]]
assert(C.bench_open(cuda.driver_info().path, (cuda.compile(source))) == 0, "the C side cannot load the module")
local mod = cuda.SourceModule(source)
local a = cuda.mem_alloc(4096)
local options = { block = 32 }

local k0, k1, k3, k8 = mod:get_function "k0", mod:get_function "k1", mod:get_function "k3", mod:get_function "k8"
local loops = {
  [0] = function(n) for _ = 1, n do k0(options) end end,
  [1] = function(n) for _ = 1, n do k1(a, options) end end,
  [3] = function(n) for i = 1, n do k3(a, 2.5, i, options) end end,
  [8] = function(n) for i = 1, n do k8(a, a, a, a, i, 9, 2.5, 3.5, options) end end,
}

local function lua_loop(loop, n)
  local start = C.bench_now()
  loop(n)
  local stop = C.bench_now()
  ctx:synchronize()
  return stop - start
end

local function round(f)
  local sum = 0
  for _ = 1, batches do
    local us = f()
    assert(us >= 0, "a launch failed in C")
    sum = sum + us
  end
  return sum / (batches * batch)
end

local function median(list)
  local sorted = { unpack(list) }
  table.sort(sorted)
  return sorted[math.floor(#sorted / 2) + 1], sorted[1]
end

local function measure(nargs, loop)
  local fn = C.bench_function("k" .. nargs)
  local address = a:ptr()
  local in_c = function() return C.bench_loop(fn, nargs, address, batch) end
  local in_lua = function() return lua_loop(loop, batch) end
  round(in_c)
  round(in_lua)
  local c, lua, ratio = {}, {}, {}
  for r = 1, rounds do
    c[r], lua[r] = round(in_c), round(in_lua)
    ratio[r] = lua[r] / c[r]
  end
  return c, lua, ratio
end

print(("%s, driver %d, %s, %d rounds of %d launches"):format(dev:name(), cuda.get_driver_version(), jit.version, rounds,
  batches * batch))
print("arguments  JIT   C us min/median   fn(...) us min/median   ratio of medians   goal")
for _, on in ipairs { true, false } do
  for _, nargs in ipairs { 0, 1, 3, 8 } do
    local loop = loops[nargs]
    if not on then jit.off(loop, true) end
    local c, lua, ratio = measure(nargs, loop)
    local cm, c0 = median(c)
    local lm, l0 = median(lua)
    local r = median(ratio)
    local verdict = cuda.driver_info().soft and "(software device: no goal)" or r <= goal and "met" or "MISSED"
    print(("%9d  %-3s  %7.3f / %7.3f   %11.3f / %7.3f   %16.3f   %s"):format(nargs, on and "on" or "off", c0, cm,
      l0, lm, r, verdict))
  end
end
