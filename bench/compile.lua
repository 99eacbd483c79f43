-- What compiling costs: warm from the disk cache beside loading the same image, cold beside NVRTC alone.
--   ./dev bench compile [SPAWNS]
-- Everything is measured in one run, interleaved, in milliseconds of wall-clock time; figures are medians.
local cuda = require "cudalua"
local core = require "cudalua.core"
local ffi = require "ffi"
local toolchain = require "cudalua.compiler.toolchain"

local spawns, loads = tonumber(arg[1] or 25), 101

ffi.cdef [[
int bench_open(const char *driver);
double bench_now(void);
double bench_load(const void *image);
double bench_nvrtc(const char *path, const char *source, const char *name, int n, const char **options);
double bench_spawn(const char *const argv[]);
int setenv(const char *name, const char *value, int overwrite);
]]
local compiled = dofile "bench/common/compiled.lua"
local lib = compiled.path("compile", "-D_GNU_SOURCE -shared -fPIC")
local program = compiled.path("compile", "-D_GNU_SOURCE -DPROGRAM", "")
local C = ffi.load(lib)

local folder = os.tmpname()
os.remove(folder)
ffi.C.setenv("CUDALUA_CACHE_DIR", folder, 1) -- read by the processes started here; this one gives it as an option

cuda.init()
local dev = cuda.Device(0)
dev:retain_primary_context():push()
local soft = cuda.driver_info().soft
assert(C.bench_open(cuda.driver_info().path) == 0, "the C side cannot open the driver")

local plain = [[
__global__ void fill(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i * n;
}
]]
local with_cub = [[
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void total(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
]]
local options = { cache_dir = folder }
local cub_options = { cache_dir = folder, no_extern_c = true }

local function median(list)
  table.sort(list)
  return list[math.floor(#list / 2) + 1]
end

local function save(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- Two kinds of runs, in turns; each returns milliseconds.
local function beside(rounds, base, ours)
  local b, o = {}, {}
  base(0)
  ours(0)
  for i = 1, rounds do
    b[i], o[i] = base(i), ours(i)
    assert(b[i] >= 0, "a run without cudalua failed")
    assert(o[i] >= 0, "a run with cudalua failed")
  end
  return median(b), median(o)
end

local missed = 0
local function row(what, base, ours, goal, limit)
  local verdict = soft and "(software device: no goal)" or ours <= limit and "met" or "MISSED"
  if verdict == "MISSED" then missed = missed + 1 end
  print(("%-46s  %8.2f  %8.2f  %+8.2f  %-16s %s"):format(what, base, ours, ours - base, goal, verdict))
end

print(("%s, driver %d, %s, NVRTC %s"):format(dev:name(), cuda.get_driver_version(), jit.version,
  toolchain.open().major .. "." .. toolchain.open().minor))
print(("%-46s  %8s  %8s  %8s  %-16s"):format("milliseconds, median", "without", "cudalua", "beyond", "goal"))

-- Process start to the first kernel's result.
local script, image_file = folder .. ".lua", folder .. ".image"
save(script, ([==[
  local cuda = require "cudalua"
  local ffi = require "ffi"
  cuda.init()
  cuda.Device(0):retain_primary_context():push()
  local mod = cuda.SourceModule [[%s]]
  local out = cuda.mem_alloc(1024)
  mod:get_function "fill"(out, 256, { block = 256 })
  local host = ffi.new("int[256]")
  cuda.memcpy_dtoh(host, out)
  io.stdout:write(host[255] == 256 * 255 and "1" or "0")
  io.stdout:flush()
]==]):format(plain))
local image = cuda.compile(plain, options)
save(image_file, image)
local function process(...)
  local n = select("#", ...)
  local argv = ffi.new("const char *[?]", n + 1, { ... })
  argv[n] = nil -- arrays of variable length are not filled up with zeros
  return function() return C.bench_spawn(argv) end
end
local driver = cuda.driver_info().path
local base, ours = beside(spawns, process(program, driver, image_file), process(arg[-1] or "luajit", script))
row("process start to a kernel's result, warm", base, ours, "C + 20", base + 20)

-- A module from the cache.
for _, case in ipairs {
  { "warm SourceModule, no includes", plain, options, 1 },
  { "warm SourceModule, cub/block/block_reduce.cuh", with_cub, cub_options, 10 },
} do
  local what, source, opts, beyond = unpack(case)
  local data = cuda.compile(source, opts)
  cuda.SourceModule(source, opts)
  base, ours = beside(loads, function() return C.bench_load(data) end, function()
    local start = C.bench_now()
    local mod = cuda.SourceModule(source, opts)
    local ms = C.bench_now() - start
    mod.module:close()
    return ms
  end)
  row(what, base, ours, "load + " .. beyond, base + beyond)
end

-- The options that the library gives to NVRTC, for NVRTC alone.
local seen
local compile = core.nvrtc_compile
core.nvrtc_compile = function(text, name, list, ...)
  seen = list
  return compile(text, name, list, ...)
end

-- A source of its own for each run: NVRTC has a cache as well.
local serial = os.time() % 100000 * 1000
local function fresh(source)
  serial = serial + 1
  return (source:gsub("%f[%w]in%[", ("%d + in["):format(serial)):gsub("i %* n", "i * n + " .. serial))
end

for _, case in ipairs {
  { "cold SourceModule, no includes", plain, options, 15 },
  { "cold SourceModule, cub/block/block_reduce.cuh", with_cub, cub_options, 3 }, -- seconds each
} do
  local what, source, opts, compiles = unpack(case)
  local function in_lua()
    local text = fresh(source)
    assert(text ~= source)
    local start = C.bench_now()
    local mod = cuda.SourceModule(text, opts)
    local ms = C.bench_now() - start
    mod.module:close()
    return ms
  end
  in_lua()
  local list = ffi.new("const char *[?]", #seen, seen)
  base, ours = beside(compiles, function()
    local text = fresh(source)
    if opts ~= cub_options then text = 'extern "C" {\n' .. text .. "}\n" end
    return C.bench_nvrtc(toolchain.open().path, text, "kernel.cu", #seen, list)
  end, in_lua)
  row(what, base, ours, "NVRTC * 1.1 + 2", base * 1.1 + 2)
end

os.execute("rm -rf " .. folder .. " " .. script .. " " .. image_file)
if missed > 0 then print(missed .. " missed") end
