-- What programs on arrays cost the host: processes that call them with cuLaunchKernel replaced by a function that does
-- nothing. Needs no GPU, but Linux on a processor of type x86-64.
local ffi = require "ffi"

local M = {}

-- ---- one process ----------------------------------------------------------------------------------------------------

ffi.cdef [[
typedef struct { long s, ns; } cpu_time;
int cpu_clock(int id, cpu_time *t) __asm__("clock_gettime");
int mprotect(void *address, size_t length, int protection);
int sched_setaffinity(int process, size_t size, const uint64_t *mask);
]]
local time = ffi.new "cpu_time"

local function now() -- microseconds of CPU time
  ffi.C.cpu_clock(2, time)
  return tonumber(time.s) * 1e6 + tonumber(time.ns) * 1e-3
end

-- Writes `return 0` over the start of cuLaunchKernel, which is in memory already.
function M.take_out_launches()
  assert(jit.arch == "x64", "launches can only be taken out on x86-64")
  local path
  for line in io.lines "/proc/self/maps" do
    path = path or line:match "%S*/libcuda%.so%S*" or line:match "%S*softgpu[^/]*%.so%S*"
  end
  ffi.cdef "int cuLaunchKernel(void);"
  local code = ffi.cast("uint8_t *", ffi.cast("void *", ffi.load(path).cuLaunchKernel))
  local page = 4096
  local start = ffi.cast("uintptr_t", code) / page * page
  assert(ffi.C.mprotect(ffi.cast("void *", start), 2 * page, 7) == 0, "the driver's code is protected")
  ffi.copy(code, "\x31\xc0\xc3", 3) -- xor eax, eax; ret
end

local SECONDS, BARE, TIMES = 1, 50, 20

local function measure(f)
  for _ = 1, 1500 do f() end
  local start, calls, bare, bytes = now(), 0, 0, 0
  repeat
    for _ = 1, 20 do f() end
    calls = calls + 20
  until now() - start > SECONDS * 1e6
  local time_of_call = (now() - start) / calls
  for _ = 1, TIMES do
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    start = now()
    for _ = 1, BARE do f() end
    bare = bare + now() - start
    bytes = (collectgarbage "count" - before) * 1024 / BARE
    collectgarbage "restart"
  end
  return time_of_call, bare / (TIMES * BARE), bytes
end

local function measure_all(core_number, programs)
  ffi.C.sched_setaffinity(0, 8, ffi.new("uint64_t[1]", 2 ^ core_number))
  local core = require "cudalua.core"
  local cuda = require "cudalua"
  cuda.init()
  cuda.Device(0):retain_primary_context():push()
  local gpuarray = require "cudalua.gpuarray"
  -- As on a GPU: lines are not traced, and arrays share a pool, which comes with the first of them.
  local driver_info = core.driver_info
  core.driver_info = function() return { soft = false } end
  require("cudalua.gpuarray.core.graph").trace_lines()
  gpuarray.empty(1)
  core.driver_info = driver_info
  local list = programs(gpuarray)
  M.take_out_launches()
  for k = 1, #list do print(measure(list[k])) end
end

-- ---- all of them ----------------------------------------------------------------------------------------------------

local function start(script, folder, core)
  local path = folder and ("%s/?.lua;%s/?/init.lua;%s"):format(folder, folder, package.path) or package.path
  return io.popen(("LUA_PATH='%s' %s %s measure %d"):format(path, arg[-1] or "luajit", script, core))
end

-- Adds the numbers that a process prints.
local function add(sums, pipe)
  local k = 0
  for line in pipe:lines() do
    k = k + 1
    local i = 0
    for number in line:gmatch "%S+" do
      i = i + 1
      sums[k][i] = (sums[k][i] or 0) + tonumber(number)
    end
  end
  pipe:close()
  assert(k == #sums, "a process failed")
end

---Measures programs and prints a table: microseconds of CPU time a call, with the collector and without it, and bytes
---of garbage. The program's arguments are [PROCESSES [OTHER]]; OTHER is the folder lua/ of another version.
---@param title string
---@param script string  the file that calls this function; its processes run it again
---@param names string[]
---@param programs fun(gpuarray: table): function[]
function M.run(title, script, names, programs)
  if arg[1] == "measure" then return measure_all(tonumber(arg[2]), programs) end
  local processes, other = tonumber(arg[1] or 2), arg[2]
  local here, before = {}, {}
  for k = 1, #names do here[k], before[k] = {}, {} end
  for k = 1, processes do
    local first, second = other and start(script, other, k % 2), start(script, nil, k % 2)
    if first then add(before, first) end
    add(here, second)
  end
  print(("| %s |%s us | no collector |%s bytes of garbage |"):format(title, other and " other |" or "",
    other and " other: no collector |" or ""))
  for k, name in ipairs(names) do
    local row = { ("%-28s"):format(name) }
    for i, format in ipairs { "%.1f", "%.1f", "%.0f" } do
      if other then row[#row + 1] = format:format(before[k][i] / processes) end
      row[#row + 1] = format:format(here[k][i] / processes)
    end
    print("| " .. table.concat(row, " | ") .. " |")
  end
end

return M
