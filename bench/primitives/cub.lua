-- CUB through libraries that nvcc makes of the .cu files here, and cuRAND through its host API: what is not on this
-- machine is nil.
local ffi = require "ffi"

ffi.cdef [[
int cub_version(void);
int cub_sum(const float *x, float *out, int n);
int cub_max(const float *x, float *out, int n);
int cub_argmax(const float *x, float *greatest, long *place, int n);
int cub_dot(const float *x, const float *y, float *out, int n);
int cub_distance(const float *x, const float *y, float *out, int n);
int cub_ends(const float *x, float *out, int n);
int cub_rows(const float *x, float *out, int rows, int width);
double cub_sum_read(const float *x, float *out, int n, int times);
int cub_cumsum(const float *x, float *out, int n);
int cub_cumsum_int(const int *x, int *out, int n);
int cub_exclusive(const float *x, float *out, int n);
int cub_lines(const float *x, float *out, int n);
int cub_segments(const float *x, float *out, int n, int length);
int cub_sort(const float *x, float *out, int n);
int cub_sort_int32(const int *x, int *out, int n);
int cub_sort_int64(const long long *x, long long *out, int n);
int cub_argsort(const float *x, float *out, const int *positions, int *places, int n);
int cub_unique(const int *x, int *between, int *out, int *count, int n);
int cub_histogram(const float *x, int *out, int bins, int n);
int cub_histogram_bytes(const unsigned char *x, int *out, int n);

int curandGetVersion(int *version);
int curandCreateGenerator(void **generator, int type);
int curandSetPseudoRandomGeneratorSeed(void *generator, unsigned long long seed);
int curandGenerateUniform(void *generator, float *out, size_t n);
int curandGenerateNormal(void *generator, float *out, size_t n, float mean, float deviation);
]]

local M = {}
local files = { "reduce", "scan", "sort", "count" }
local running = {}

local function library(folder, name) return ("%s/bench_cub_%s.so"):format(folder, name) end

---Starts nvcc for those of the libraries that are older than their source. Does not wait for it.
---@param home string    the CUDA toolkit's folder
---@param folder string  where the libraries go
---@param arch string    "sm_90"
function M.start(home, folder, arch)
  for _, name in ipairs(files) do
    running[#running + 1] = io.popen(([[
PATH='%s/bin':$PATH; command -v nvcc >/dev/null || exit 0
in=bench/primitives/%s.cu; out='%s'
[ "$out" -nt $in ] && [ "$out" -nt bench/primitives/cub.cuh ] || nvcc -O3 -std=c++17 -arch=%s -shared \
  -Xcompiler -fPIC,-fvisibility=hidden $in -o "$out" 2>&1]]):format(home, name, library(folder, name), arch))
  end
end

---Waits for nvcc.
---@return table<string, function>? cub  cub.sum and so on, of device addresses and numbers; they raise what
---  goes wrong; and the version
function M.connect(folder)
  for _, pipe in ipairs(running) do
    local said = pipe:read "*a"
    pipe:close()
    if said ~= "" then io.stderr:write(said) end
  end
  running = {}
  local found = {}
  for _, name in ipairs(files) do
    local ok, lib = pcall(ffi.load, library(folder, name))
    if not ok then return nil end
    found[name] = lib
  end
  local version = found.reduce.cub_version()
  local text = ("%d.%d.%d"):format(version / 1e5, version / 100 % 1000, version % 100)
  return setmetatable({ version = text }, { __index = function(cub, name)
    for _, file in ipairs(files) do
      local ok, f = pcall(function() return found[file]["cub_" .. name] end)
      if ok then
        cub[name] = function(...)
          local result = f(...)
          assert(result >= 0 and (name == "sum_read" or result == 0), ("CUB, %s: error %g"):format(name, result))
          return result
        end
        return cub[name]
      end
    end
  end })
end

local types = { Philox = 161, XORWOW = 101 } -- of curand.h

---@param home string
---@return table<string, {uniform: function, normal: function}>? generators  by name: generator.uniform(address, n); and
---  the version
function M.curand(home)
  local lib
  for _, name in ipairs { home .. "/lib64/libcurand.so.10", home .. "/lib/libcurand.so.10", "libcurand.so.10" } do
    local ok, found = pcall(ffi.load, name)
    lib = lib or ok and found
  end
  if not lib then return nil end
  local number = ffi.new "int[1]"
  assert(lib.curandGetVersion(number) == 0)
  local list = { version = ("%d.%d"):format(number[0] / 1000, number[0] / 100 % 10) }
  for name, kind in pairs(types) do
    local box = ffi.new "void *[1]"
    if lib.curandCreateGenerator(box, kind) ~= 0 then return nil end
    local g = box[0]
    assert(lib.curandSetPseudoRandomGeneratorSeed(g, 5) == 0)
    list[name] = {
      uniform = function(out, n) assert(lib.curandGenerateUniform(g, out, n) == 0, "cuRAND failed") end,
      normal = function(out, n) assert(lib.curandGenerateNormal(g, out, n, 0, 1) == 0, "cuRAND failed") end,
    }
  end
  return list
end

return M
