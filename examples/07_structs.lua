-- Structs that Lua and kernels share: by value, in arrays, and with device pointers in them.
local cuda = require "cudalua"
local ffi = require "ffi"

cuda.init()
local ctx = cuda.Device(0):make_context()

-- LuaJIT lays structs out as the CUDA compiler does, so one declaration serves both. CUDA's vector types have a
-- stricter alignment than their members: say so, and they agree too.
local types = [[
typedef struct { float *data; int n; } Series;                    // data: device memory
typedef struct { double scale; float offset; bool square; } Op;
typedef struct { float x, y, z, w; } __attribute__((aligned(16))) Vec4;
typedef struct { Vec4 first; float lo, hi; double sum; } Summary;
]]
ffi.cdef(types)

-- What is declared once cannot drift apart, and that both compilers agree is checked at compile time.
local checks = {}
for _, name in ipairs { "Series", "Op", "Vec4", "Summary" } do
  checks[#checks + 1] = ("static_assert(sizeof(%s) == %d, \"layout\");"):format(name, ffi.sizeof(name))
end

local mod = cuda.SourceModule([[
#include "types.h"

// One block for each series.
__global__ void apply(const Series *series, Op op)
{
  Series s = series[blockIdx.x];
  for (int i = threadIdx.x; i < s.n; i += blockDim.x) {
    double v = op.scale * s.data[i] + op.offset;
    s.data[i] = op.square ? v * v : v;
  }
}

// One thread for each series.
__global__ void summarize(Summary *out, const Series *series, int count)
{
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  Series s = series[k];
  Summary sum = { { s.data[0], s.data[1], s.data[2], s.data[3] }, s.data[0], s.data[0], 0 };
  for (int i = 0; i < s.n; i++) {
    sum.lo = fminf(sum.lo, s.data[i]);
    sum.hi = fmaxf(sum.hi, s.data[i]);
    sum.sum += s.data[i];
  }
  out[k] = sum;
}
]], { headers = { ["types.h"] = types .. table.concat(checks, "\n") } })
local apply, summarize = mod:get_function "apply", mod:get_function "summarize"

-- Series of different lengths. An address in a struct keeps nothing alive: the program holds on to the memory.
local count = 5
local lengths, values, memory = {}, {}, {}
local series = ffi.new("Series[?]", count)
for k = 0, count - 1 do
  local n = 100 + 77 * k
  local v = ffi.new("float[?]", n)
  for i = 0, n - 1 do v[i] = math.random(-100, 100) end
  lengths[k], values[k], memory[k] = n, v, cuda.to_device(v)
  series[k].data = ffi.cast("float *", memory[k]:ptr())
  series[k].n = n
end
local series_gpu = cuda.to_device(series)

-- By value, a struct is any cdata of that size: made on the spot, or kept and changed between calls.
local op = ffi.new("Op", { scale = 0.5, offset = 3 })
apply(series_gpu, op, { block = 64, grid = count })
op.square = true
apply(series_gpu + 3 * ffi.sizeof "Series", op, { block = 64, grid = 2 }) -- the last two only

local summary = ffi.new("Summary[?]", count)
summarize(cuda.Out(summary), series_gpu, count, { block = 32 })

for k = 0, count - 1 do
  local s = summary[k]
  local lo, hi, sum = math.huge, -math.huge, 0
  for i = 0, lengths[k] - 1 do
    local v = 0.5 * values[k][i] + 3
    if k >= 3 then v = (0.5 * v + 3) ^ 2 end
    lo, hi, sum = math.min(lo, v), math.max(hi, v), sum + v
    if i == 2 then assert(s.first.z == v, "the third value is another one") end
  end
  -- Halves and quarters: nothing was rounded, in whatever order it was added.
  assert(s.lo == lo and s.hi == hi and s.sum == sum, ("series %d: sum %g instead of %g"):format(k, s.sum, sum))
  print(("series %d: %3d values from %7.1f to %7.1f, sum %9.1f"):format(k, lengths[k], s.lo, s.hi, s.sum))
end

-- A struct of another size never reaches the kernel.
---@type boolean, any
local ok, err = pcall(apply, series_gpu, ffi.new "Vec4[2]", { block = 64 })
assert(not ok and cuda.is_error(err, "LogicError"), err)
print("as it should be: " .. err.message)
print(("structs by value, in arrays and behind pointers on %s, all as expected"):format(ctx:get_device():name()))
