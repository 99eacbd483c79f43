-- What memory costs: copies and allocations beside the same loops in C, interleaved in one process; loops that leave
-- the freeing to the collector, and what they hold; loading the library.
--   ./dev bench memory [ROUNDS]
-- On the software device sizes and counts are small, and nothing has a goal.
local cuda = require "cudalua"
local ffi = require "ffi"

local rounds = tonumber(arg[1] or 9)
local MiB = 2 ^ 20

ffi.cdef [[
double bench_now(void);
int bench_open(const char *driver);
double bench_copy(int direction, void *host, unsigned long long a, unsigned long long b, size_t bytes, int times);
double bench_pairs(int ordered, size_t bytes, int times);
]]
local C = ffi.load(dofile "bench/common/compiled.lua".path "memory")

cuda.init()
local soft = cuda.driver_info().soft
local dev = cuda.Device(0)
local ctx = dev:make_context()
assert(C.bench_open(cuda.driver_info().path) == 0, "the C side cannot open the driver")

local function median(list)
  local sorted = { unpack(list) }
  table.sort(sorted)
  return sorted[math.floor(#sorted / 2) + 1], sorted[1]
end

local function verdict(ok) return soft and "(software device: no goal)" or ok and "met" or "MISSED" end

-- Runs both in turn; the median and least time of each, and the median of the ratios C / Lua.
local function compare(in_c, in_lua)
  in_c()
  in_lua()
  local c, lua, ratio = {}, {}, {}
  for r = 1, rounds do
    c[r], lua[r] = in_c(), in_lua()
    assert(c[r] >= 0, "a call failed in C")
    ratio[r] = c[r] / lua[r]
  end
  local cm, c0 = median(c)
  local lm, l0 = median(lua)
  return cm, c0, lm, l0, median(ratio)
end

local function timed(f, n)
  local start = C.bench_now()
  f(n)
  return C.bench_now() - start
end

print(("%s, driver %d, %s, %d rounds"):format(dev:name(), cuda.get_driver_version(), jit.version, rounds))

-- Copies ---------------------------------------------------------------------------------------------------------

local size, large = soft and 4 * MiB or 64 * MiB, soft and 4 * MiB or 1024 * MiB
local a, b = cuda.mem_alloc(large), cuda.mem_alloc(large)
local pinned = cuda.PageLockedMemoryPool():allocate(size, "uint8")
local pageable = ffi.new("uint8_t[?]", size)
ffi.fill(pageable, size, 1)
pinned:fill(1)
cuda.memcpy_htod(a, pinned)
cuda.memcpy_dtod(b, a, large)

print "\ncopy                      MiB   C GB/s median   Lua GB/s median   ratio of medians   goal 0.99"
local function copies(name, direction, host, bytes, times, lua, traffic)
  local pointer = host == pinned and ffi.cast("void *", (pinned:buffer())) or host
  local function in_c() return C.bench_copy(direction, pointer, a:ptr(), b:ptr(), bytes, times) end
  local function in_lua()
    return timed(function()
      for _ = 1, times do lua() end
      cuda.Context.synchronize()
    end)
  end
  local cm, _, lm, _, ratio = compare(in_c, in_lua)
  local gb = traffic * bytes * times / 1e3
  print(("%-22s %6d   %13.2f   %15.2f   %16.3f   %s"):format(name, bytes / MiB, gb / cm, gb / lm, ratio,
    verdict(ratio >= 0.99)))
end
copies("host to device, pinned", 0, pinned, size, 10, function() cuda.memcpy_htod(a, pinned) end, 1)
copies("device to host, pinned", 1, pinned, size, 10, function() cuda.memcpy_dtoh(pinned, a) end, 1)
copies("host to device", 0, pageable, size, 5, function() cuda.memcpy_htod(a, pageable) end, 1)
copies("device to host", 1, pageable, size, 5, function() cuda.memcpy_dtoh(pageable, a) end, 1)
copies("on the device (r + w)", 2, nil, large, 10, function() cuda.memcpy_dtod(b, a, large) end, 2)
a:free()
b:free()
pinned.base:free()

-- Allocating and freeing -------------------------------------------------------------------------------------------

print "\nallocate and free 4 MiB          C us min/median   Lua us min/median   goal"
local bytes = 4 * MiB
local function pairs_of(name, ordered, times, lua, goal)
  local function in_c() return C.bench_pairs(ordered, bytes, times) / times end
  local function in_lua()
    local us = timed(lua, times) / times
    cuda.Context.synchronize()
    return us
  end
  local cm, c0, lm, l0 = compare(in_c, in_lua)
  print(("%-30s %7.3f / %7.3f   %8.3f / %7.3f   %s"):format(name, c0, cm, l0, lm,
    goal and ("%.1f %s"):format(goal, verdict(lm <= goal)) or "-"))
end
local mem_alloc, mem_alloc_async, pool = cuda.mem_alloc, cuda.mem_alloc_async, cuda.DeviceMemoryPool()
pairs_of("mem_alloc_async, default pool", 1, 10000, function(n)
  for _ = 1, n do
    local block = mem_alloc_async(bytes)
    block:free()
  end
end, 1.0)
pairs_of("DeviceMemoryPool", 1, 10000, function(n)
  for _ = 1, n do
    local block = pool:allocate(bytes)
    block:free()
  end
end)
pairs_of("mem_alloc", 0, soft and 10000 or 500, function(n)
  for _ = 1, n do
    local block = mem_alloc(bytes)
    block:free()
  end
end)

-- Leaving it to the collector --------------------------------------------------------------------------------------

local iterations = 20000
print(("\ndropping 4 MiB an iteration            us an iteration   MiB held   collections of ms   goal"):format())
local function drops(name, alloc, held, us_goal, mib_goal)
  cuda.collect()
  cuda.Context.synchronize()
  held(true)
  local before = cuda.mem_stats()
  local us = {}
  for r = 1, 3 do
    us[r] = timed(function(n)
      for _ = 1, n do alloc(bytes) end
    end, iterations) / iterations
  end
  local after, most = cuda.mem_stats(), held() / MiB
  local n = after.collections - before.collections
  local goal = "-"
  if us_goal then
    goal = ("%d us, %d MiB %s"):format(us_goal, mib_goal, verdict(median(us) <= us_goal and most <= mib_goal))
  end
  print(("%-36s %17.3f   %8.0f   %11d   %5.2f   %s"):format(name, median(us), most, n,
    n > 0 and (after.collect_seconds - before.collect_seconds) / n * 1e3 or 0, goal))
end

-- The most that the default pool had reserved, from reset on.
local function reserved(reset)
  local default = cuda.default_mempool()
  if reset then
    default:trim_to(0)
    default:set_attribute("reserved_mem_high", 0)
  end
  return default:get_attribute "reserved_mem_high"
end
local function managed(reset)
  if reset then pool:free_held() end
  return pool.managed_bytes
end
local function allocate(n) return pool:allocate(n) end

drops("mem_alloc_async", mem_alloc_async, reserved, 12, 300)
drops("DeviceMemoryPool", allocate, managed)
local ballast = {}
for i = 1, 300000 do ballast[i] = { i } end
local heap = collectgarbage "count" / 1024
drops(("mem_alloc_async, %.0f MiB of Lua objects"):format(heap), mem_alloc_async, reserved, 20, 8192)
drops(("DeviceMemoryPool, %.0f MiB of Lua objects"):format(heap), allocate, managed)
assert(#ballast == 300000)

-- Loading ------------------------------------------------------------------------------------------------------------

local ms = {}
for r = 1, rounds do
  local out = io.popen [[luajit -e "local t = os.clock() require 'cudalua' print((os.clock() - t) * 1000)"]]
  ms[r] = tonumber(out:read "*a")
  out:close()
end
local mm, m0 = median(ms)
print(("\nrequire \"cudalua\": %.2f / %.2f ms min/median, goal 5 %s"):format(m0, mm, mm < 5 and "met" or "MISSED"))
ctx:detach()
