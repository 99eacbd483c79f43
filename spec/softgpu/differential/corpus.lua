-- All kernels of the comparison. A kernel is a table:
--
--   name     what it covers          group    the file it is from
--   code     CUDA C of its body, which reads lane i's operands with W(k), F(k) ... (inputs.lua) and writes OUT(row, v)
--   before   CUDA C outside of it    rows     its results: {label=, type=, bound=, operands=}, or "label:type ..."
--   lanes, block                     threads of all blocks (default 2048) and of one (256)
--   fill     what the results hold before (default 0xa5a5a5a5)
--   arch, headers, options           what it is compiled with; kernels that agree share a module
--   attributes                       of the kernel, with a blank behind them
--
-- Types of rows: w word, x 64-bit word, f float, d double, H half, B bfloat16, J and K pairs of these. A row without
-- a bound has to be the same bit for bit.
local inputs = require "spec.softgpu.differential.inputs"

local M = { list = {}, by_name = {} }

local wide = { x = true, d = true }

local prelude = [[
typedef unsigned u32; typedef unsigned short u16; typedef unsigned char u8; typedef unsigned long long u64;
typedef int s32; typedef short s16; typedef signed char s8; typedef long long s64;
#define N ]] .. inputs.N .. "\n" .. [[
#define W(k) in[(0 + (k)) * N + i]
#define F(k) __uint_as_float(in[(4 + (k)) * N + i])
#define H(k) in[(8 + (k)) * N + i]
#define B(k) in[(12 + (k)) * N + i]
#define X(k) (((const u64 *)(in + (16 + 2 * (k)) * N))[i])
#define D(k) (((const double *)(in + (24 + 2 * (k)) * N))[i])
#define S(k) in[(32 + (k)) * N + i]
#define M(k) __uint_as_float(in[(36 + (k)) * N + i])
#define E(k) (((const double *)(in + (38 + 2 * (k)) * N))[i])
__device__ __forceinline__ void store(u32 *p, int i, u32 v) { p[i] = v; }
__device__ __forceinline__ void store(u32 *p, int i, int v) { p[i] = v; }
__device__ __forceinline__ void store(u32 *p, int i, u16 v) { p[i] = v; }
__device__ __forceinline__ void store(u32 *p, int i, bool v) { p[i] = v; }
__device__ __forceinline__ void store(u32 *p, int i, float v) { p[i] = __float_as_uint(v); }
__device__ __forceinline__ void store(u32 *p, int i, u64 v) { ((u64 *)p)[i] = v; }
__device__ __forceinline__ void store(u32 *p, int i, s64 v) { ((s64 *)p)[i] = v; }
__device__ __forceinline__ void store(u32 *p, int i, double v) { ((double *)p)[i] = v; }
// A NaN's payload depends on the order of operands, which a compiler is free to choose.
__device__ __forceinline__ float plain(float v) { return v != v ? __uint_as_float(0x7fffffff) : v; }
__device__ __forceinline__ double plain(double v) {
  return v != v ? __longlong_as_double(0x7fffffffffffffffll) : v;
}
__device__ __forceinline__ u32 rotate(u32 v, int k) { return v << (k & 31) | v >> (-k & 31); }
#define OUT(row, v) store(out + R##row * n, i, v)
#define LANE const int i = blockIdx.x * blockDim.x + threadIdx.x
]]

---@param kernel table
function M:add(kernel)
  assert(not self.by_name[kernel.name], kernel.name)
  if type(kernel.rows) == "string" then
    local rows = {}
    for label, type, bound in kernel.rows:gmatch "(%S+):(%a)~?(%S*)" do
      rows[#rows + 1] = { label = label, type = type, bound = bound ~= "" and bound or nil }
    end
    kernel.rows = rows
  end
  local approximate = false
  for _, row in ipairs(kernel.rows) do approximate = approximate or row.bound ~= nil end
  -- Results within a bound are stored in full.
  kernel.lanes = kernel.lanes or approximate and 256 or inputs.N
  kernel.block = kernel.block or math.min(256, kernel.lanes)
  kernel.fill = kernel.fill or 0xa5a5a5a5
  kernel.arch = kernel.arch or "compute_80"
  kernel.headers = kernel.headers or ""
  kernel.options = kernel.options or {}
  kernel.group = self.group
  local at, enum = 0, {}
  for k, row in ipairs(kernel.rows) do
    row.at, row.words = at, wide[row.type] and 2 or 1
    enum[k] = ("R%d = %d"):format(k - 1, at)
    at = at + row.words
  end
  kernel.words = at * kernel.lanes
  kernel.source = ([[
%s
extern "C" __global__ %svoid %s(const u32 *%s in, u32 *out, int n)
{
  LANE; enum { %s };
%s
}
]]):format(kernel.before or "", kernel.attributes or "", kernel.name, kernel.group == "memory" and "" or "__restrict__",
      table.concat(enum, ", "), kernel.code)
  self.list[#self.list + 1] = kernel
  self.by_name[kernel.name] = kernel
end

M.groups = { "integers", "floats", "halves", "conversions", "approximate", "functions", "flow", "warps", "memory",
  "blocks", "generated", "modern" }

---Kernels the software device cannot run yet, with the reason: not counted, not compared.
M.pending = {}

-- The driver's assembler (13.0, sm_90) executes testp in all lanes, also where its guard is false, and there a set
-- with a float result replaces what is in its destination by the magnitude of that, taken for an integer, as a float.
-- With PTX changed to say just that, the software device gives the GPU's bits, but for f3 of random_ptx_22, where two
-- such instructions follow each other. What PTX says is what the software device does.
local guard = "the driver's assembler loses the guard of testp, and of set with a float result"
-- 16-bit results: the upper half of the register that they are extended to should be zero.
local halves = "the driver's assembler leaves a second result in the upper half of the register"

---Results known to differ, with the reason: kernel -> label of the row -> reason. They are not compared, but the
---software device has to differ, so that a row that has become equal is noticed.
M.differs = {
  random_ptx_05 = { w2 = guard, w3 = guard, f1 = guard, f3 = guard },
  random_ptx_09 = { f1 = guard, f3 = guard },
  random_ptx_12 = { w0 = guard, w1 = guard, w2 = guard },
  random_ptx_20 = { w3 = guard },
  random_ptx_22 = { w2 = guard, f0 = guard, f1 = guard, f2 = guard, f3 = guard },
  f16_compare_2 = { ["set.eq.f16.f16"] = halves, ["set.lt.f16.f16"] = halves },
  bf16_operators_90 = { pair = "the driver's assembler fuses a product and a sum of bf16x2 that have no .rn" },
}

---All kernels, made at the first call.
---@return table[]
function M.kernels()
  if #M.list == 0 then
    for _, group in ipairs(M.groups) do
      M.group = group
      require("spec.softgpu.differential." .. group)(M)
    end
    local list = {}
    for _, kernel in ipairs(M.list) do
      kernel.pending = M.pending[kernel.name]
      local reasons = M.differs[kernel.name]
      for _, row in ipairs(kernel.rows) do row.differs = reasons and reasons[row.label] end
      if not kernel.pending then list[#list + 1] = kernel end
    end
    M.list = list
  end
  return M.list
end

---The kernels in modules of at most 64, with the source of each.
---@return {name: string, source: string, arch: string, options: string[], kernels: table[]}[]
function M.modules()
  local modules, open = {}, {}
  for _, kernel in ipairs(M.kernels()) do
    local key = table.concat({ kernel.group, kernel.arch, kernel.headers, unpack(kernel.options) }, "\n")
    local module = open[key]
    if not module or #module.kernels == 64 then
      local options = { "--fmad=false", "-w", unpack(kernel.options) }
      module = { name = ("%s_%d"):format(kernel.group, #modules + 1), arch = kernel.arch, options = options,
        kernels = {}, parts = { kernel.headers, prelude } }
      open[key] = module
      modules[#modules + 1] = module
    end
    table.insert(module.kernels, kernel)
    table.insert(module.parts, kernel.source)
    kernel.module = module
  end
  for _, module in ipairs(modules) do
    module.source = table.concat(module.parts, "\n")
    module.parts = nil
  end
  return modules
end

return M
