-- What a launch costs: prepared_call() and fn(...), each with all its checks, beside the same loop in C, interleaved in
-- one process, and beside Python's cuda.core and CuPy, where they are, in processes of their own that take turns.
--   ./dev bench launch [ROUNDS]
-- A round is 40 batches of 256 launches, each batch followed by a wait that is not counted. Host time only.
local cuda = require "cudalua"
local ffi = require "ffi"

local rounds, batches, batch = tonumber(arg[1] or 9), 40, 256
local goals = { prepared = { on = 1.05, off = 1.15 }, call = { on = 1.15, off = 1.15 } }

ffi.cdef [[
double bench_now(void);
int bench_open(const char *driver, const char *image);
void *bench_function(const char *name);
double bench_loop(void *function, int nargs, unsigned long long address, int launches);
]]
local C = ffi.load(dofile "bench/common/compiled.lua".path "launch")

cuda.init()
local soft = cuda.driver_info().soft
local dev = cuda.Device(0)
local ctx = dev:make_context()
local file = assert(io.open "bench/launch.cu")
local source = file:read "*a"
file:close()
assert(C.bench_open(cuda.driver_info().path, (cuda.compile(source))) == 0, "the C side cannot load the module")
local mod = cuda.SourceModule(source)
local a = cuda.mem_alloc(4096)

-- ---- the loops ----------------------------------------------------------------------------------------------

local counts = { 0, 1, 3, 8, 16 }
local formats = { [0] = "", "P", [3] = "Pfi", [8] = "4P2i2f", [16] = "8P4i4f" }
local k = {}
for _, nargs in ipairs(counts) do
  k[nargs] = mod:get_function("k" .. nargs):prepare(formats[nargs], { block = 32 })
end
local k0, k1, k3, k8, k16 = k[0], k[1], k[3], k[8], k[16]
local options, grid = { block = 32 }, { 1, 1 }

local loops = {
  prepared = {
    [0] = function(n) for _ = 1, n do k0:prepared_call(grid) end end,
    [1] = function(n) for _ = 1, n do k1:prepared_call(grid, a) end end,
    [3] = function(n) for i = 1, n do k3:prepared_call(grid, a, 2.5, i) end end,
    [8] = function(n) for i = 1, n do k8:prepared_call(grid, a, a, a, a, i, 9, 2.5, 3.5) end end,
    [16] = function(n)
      for i = 1, n do k16:prepared_call(grid, a, a, a, a, a, a, a, a, i, 9, i, 9, 2.5, 3.5, 2.5, 3.5) end
    end,
  },
  call = {
    [0] = function(n) for _ = 1, n do k0(options) end end,
    [1] = function(n) for _ = 1, n do k1(a, options) end end,
    [3] = function(n) for i = 1, n do k3(a, 2.5, i, options) end end,
    [8] = function(n) for i = 1, n do k8(a, a, a, a, i, 9, 2.5, 3.5, options) end end,
    [16] = function(n)
      for i = 1, n do k16(a, a, a, a, a, a, a, a, i, 9, i, 9, 2.5, 3.5, 2.5, 3.5, options) end
    end,
  },
}

local function lua_loop(loop)
  local start = C.bench_now()
  loop(batch)
  local stop = C.bench_now()
  ctx:synchronize()
  return stop - start
end

-- Microseconds a launch.
local function round(f)
  local sum = 0
  for _ = 1, batches do
    local us = f()
    assert(us >= 0, "a launch failed in C")
    sum = sum + us
  end
  return sum / (batches * batch)
end

local function launch_often(loop)
  for _ = 1, 100 do
    loop(1000)
    ctx:synchronize()
  end
end

-- KiB of garbage that 100,000 launches leave.
local function garbage(loop)
  launch_often(loop) -- what is compiled on the way is none
  collectgarbage()
  collectgarbage()
  collectgarbage "stop"
  local before = collectgarbage "count"
  launch_often(loop)
  local grown = collectgarbage "count" - before
  collectgarbage "restart"
  return grown
end

-- ---- the peers ----------------------------------------------------------------------------------------------

-- bench/peers.py reads "NAME ARGUMENTS BATCHES BATCH" and writes microseconds a launch, so that rounds take turns.
local peers = { names = {} }

function peers.start()
  local pipe = os.tmpname()
  os.remove(pipe)
  if os.execute(("mkfifo %s"):format(pipe)) ~= 0 then return end
  peers.ask = io.popen(("python3 bench/peers.py bench/launch.cu >%s 2>/dev/null"):format(pipe), "w")
  peers.answer = io.open(pipe)
  os.remove(pipe)
  for name, version in (peers.answer:read "*l" or ""):gmatch "(%S+)=(%S+)" do
    if version == "absent" then
      print(name .. " is absent")
    else
      print(name .. " " .. version)
      peers.names[#peers.names + 1] = name
    end
  end
end

function peers.round(name, nargs)
  peers.ask:write(("%s %d %d %d\n"):format(name, nargs, batches, batch))
  peers.ask:flush()
  return tonumber(peers.answer:read "*l") or 0 / 0
end

function peers.stop()
  if peers.ask then peers.ask:close() end
  if peers.answer then peers.answer:close() end
end

-- ---- rounds -------------------------------------------------------------------------------------------------

local function median(list)
  local sorted = { unpack(list) }
  table.sort(sorted)
  return sorted[math.floor(#sorted / 2) + 1], sorted[1]
end

local function print_row(nargs, mode, name, times, c, goal, note)
  local ratios = {}
  for r = 1, #c do ratios[r] = times[r] / c[r] end
  local middle, least = median(times)
  local ratio = median(ratios)
  local verdict = not goal and "" or soft and "no goal" or ratio <= goal and "met" or "MISSED"
  print(("%9d  %-4s %-10s %9.3f / %7.3f  %7.3f  %5s  %-7s %s"):format(nargs, mode, name, least, middle, ratio,
    goal or "", verdict, note or ""))
end

local function compare(nargs, mode)
  local fn = C.bench_function("k" .. nargs)
  local address = a:ptr()
  local forms = {
    { name = "C", run = function() return round(function() return C.bench_loop(fn, nargs, address, batch) end) end },
  }
  for _, form in ipairs { "prepared", "call" } do
    local loop = loops[form][nargs]
    jit[mode](loop, true)
    forms[#forms + 1] = { name = form == "call" and "fn(...)" or form, goal = goals[form][mode], loop = loop,
      run = function() return round(function() return lua_loop(loop) end) end }
  end
  if mode == "on" then
    for _, name in ipairs(peers.names) do
      forms[#forms + 1] = { name = name, run = function() return peers.round(name, nargs) end }
    end
  end
  for _, form in ipairs(forms) do
    form.run()
    form.times = {}
  end
  for r = 1, rounds do
    for _, form in ipairs(forms) do form.times[r] = form.run() end
  end
  for _, form in ipairs(forms) do
    local note
    if form.loop then
      local kib = garbage(form.loop)
      note = kib == 0 and "no garbage" or ("%.2f KiB of garbage in 1e5 launches"):format(kib)
    end
    print_row(nargs, mode, form.name, form.times, forms[1].times, form.goal, note)
  end
end

print(("%s, driver %d, %s, %d rounds of %d launches"):format(dev:name(), cuda.get_driver_version(), jit.version, rounds,
  batches * batch))
if soft then
  print "the software device: what follows says nothing about a GPU"
  print "peers are left out: they need a GPU"
else
  peers.start()
end
print "arguments  JIT  form        us min / median    ratio   goal"
for _, mode in ipairs { "on", "off" } do
  for _, nargs in ipairs(counts) do compare(nargs, mode) end
end
peers.stop()
