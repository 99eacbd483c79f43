-- What bench/arrays.lua measures in processes of their own: luajit bench/arrays/worker.lua LIBRARY WORK SIZE ...
--   loop SIZE HOW     x = x * 1.0001 + y; HOW: "written", "evaluated" each time, "released" as well, and "+objects"
--                     behind it for 33 MiB of other Lua objects. Answers each number of iterations with the
--                     microseconds of one, and the MiB of device memory that arrays held so far.
--   plain SIZE        a * b + c beside a loop in C: answers each number of rounds with the least microseconds, without
--                     and with release, of the loop, and how many kernels an expression with sin was
--   first SIZE        milliseconds until the first expressions of the process are computed: one, and another one
--   load IMAGE NAME   of C's until a kernel is loaded, and loaded once more
local library, work = arg[1], arg[2]

local ffi = require "ffi"
ffi.cdef [[
double bench_now(void);
int bench_open(const char *driver);
double bench_load(const char *image, const char *name);
double bench_plain(float *z, const float *a, const float *b, const float *c, int n);
]]
local C = ffi.load(library)
local cuda = require "cudalua"
cuda.init()
local context = cuda.Device(0):retain_primary_context()
context:push()
assert(C.bench_open(cuda.driver_info().path) == 0, "the C side cannot open the driver")
local gpuarray = cuda.gpuarray

local function sized(n, f) return gpuarray.to_gpu(require("cudalua.ndarray").from_function(n, f, "float32")) end

local function answer(format, ...)
  io.stdout:write(format:format(...), "\n")
  io.stdout:flush()
end

local works = {}

-- ---- the loop of temporaries --------------------------------------------------------------------------------------

local loops = {
  written = function(x, y, n)
    for _ = 1, n do x = x * 1.0001 + y end
    return x
  end,
  evaluated = function(x, y, n)
    for _ = 1, n do
      x = x * 1.0001 + y
      x:eval()
    end
    return x
  end,
  released = function(x, y, n)
    local first = x
    for _ = 1, n do
      local before = x
      x = before * 1.0001 + y
      x:eval()
      if before ~= first then before:release() end
    end
    return x
  end,
}

-- The element that starts as x, rounded after each operation.
local function expected(x, y, n)
  local f = ffi.new("float[3]", x, y, 1.0001)
  for _ = 1, n do
    f[0] = f[0] * f[2]
    f[0] = f[0] + f[1]
  end
  return f[0]
end

function works.loop(size, how)
  local n = tonumber(size)
  local x = sized(n, function(i) return i % 1000 / 1000 end)
  local y = sized(n, function(i) return i % 7 / 7000 end)
  local name, objects = how:match "^(%a+)(.*)$"
  local ballast, loop = {}, loops[name]
  if objects ~= "" then
    collectgarbage()
    local before = collectgarbage "count"
    while collectgarbage "count" < before + 33 * 1024 do
      for _ = 1, 1000 do ballast[#ballast + 1] = { #ballast } end
    end
  end
  local at = 11
  local x0, y0 = x[at], y[at]
  answer("ready")
  for line in io.lines() do
    local iterations = tonumber(line)
    cuda.Context.synchronize()
    local start = C.bench_now()
    local found = loop(x, y, iterations)[at]
    local us = (C.bench_now() - start) / iterations
    if found ~= expected(x0, y0, iterations) then error "the loop's value is wrong" end
    local stats = cuda.mem_stats()
    answer("%.4f %.1f", us, (stats.pooled.bytes + stats.held.bytes) / 2 ^ 20)
  end
  assert(#ballast >= 0)
end

-- ---- the software device ------------------------------------------------------------------------------------------

function works.plain(size)
  local n = tonumber(size)
  local a = sized(n, function(i) return i % 1000 / 1000 end)
  local b = sized(n, function(i) return i % 77 / 77 end)
  local c = sized(n, function(i) return i % 13 end)
  local function launches()
    local sum = 0
    for _, call in ipairs { "cuLaunchKernel", "cuLaunchKernelEx" } do
      sum = sum + tonumber((require("cudalua.softgpu").control("calls " .. call):match "%d+") or 0)
    end
    return sum
  end
  local before = launches()
  local z = a * b + c * 2 - a:sin()
  z:eval()
  local kernels = launches() - before
  local on_host = { a:get(), b:get(), c:get() }
  local ha, hb, hc = on_host[1]:data(), on_host[2]:data(), on_host[3]:data()
  local out = ffi.new("float[?]", n)
  local function ours(release)
    local start = C.bench_now()
    local r = a * b + c
    r:eval()
    cuda.Context.synchronize()
    if release then r:release() end
    return C.bench_now() - start, r
  end
  do
    local _, result = ours()
    C.bench_plain(out, ha, hb, hc, n)
    local host = result:get()
    for i = 1, n do assert(host[i] == out[i - 1], "the values differ") end
  end
  answer("ready")
  for line in io.lines() do
    local device, released, plain = math.huge, math.huge, math.huge
    for _ = 1, tonumber(line) do
      plain = math.min(plain, C.bench_plain(out, ha, hb, hc, n))
      device = math.min(device, (ours()))
    end
    for _ = 1, 10 do released = math.min(released, (ours(true))) end -- apart: it leaves a block to the next one
    answer("%.2f %.2f %.2f %d", device, released, plain, kernels)
  end
  assert(#on_host == 3)
end

-- ---- starting -----------------------------------------------------------------------------------------------------

function works.first(size)
  local n = tonumber(size)
  local a, b = sized(n, function(i) return i / n end), sized(n, function() return 2 end)
  cuda.Context.synchronize()
  local start = C.bench_now()
  local x = (a * 1.5 + b):sqrt() - a
  x:eval()
  local middle = C.bench_now()
  local y = a:abs():maximum(b) * 0.25
  y:eval()
  answer("%.4f %.4f", (middle - start) / 1e3, (C.bench_now() - middle) / 1e3)
end

function works.load(path, name)
  local file = assert(io.open(path, "rb"))
  local image = file:read "*a"
  file:close()
  local a, b = sized(1000, function(i) return i end), sized(1000, function() return 2 end)
  cuda.Context.synchronize()
  local first, second = C.bench_load(image, name), C.bench_load(image, name)
  assert(first >= 0 and second >= 0, "C cannot load the image")
  answer("%.4f %.4f", first / 1e3, second / 1e3)
  assert(a.size == b.size)
end

works[work](unpack(arg, 3))
