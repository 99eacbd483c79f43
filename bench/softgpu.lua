-- How far the software device is from plain C on one core: builds bench/softgpu/ and runs it.
--   ./dev bench softgpu
-- A C program that uses the driver API alone loads PTX that NVRTC makes here; its results are compared with the loops'.
local compiler = require "cudalua.compiler"

local build = os.getenv "CUDALUA_BUILD" or "build"
local home = os.getenv "CUDA_HOME" or "/usr/local/cuda"
local cc = os.getenv "CC" or "cc"

local function run(command) assert(os.execute(command) == 0, "this failed: " .. command) end

local function write(name, source, options)
  options.arch, options.name = "compute_80", name .. ".cu"
  local path = ("%s/bench_%s.ptx"):format(build, name)
  local out = assert(io.open(path, "wb"))
  out:write((compiler.compile(source, options)))
  out:close()
  return path
end

local file = assert(io.open "bench/softgpu/kernels.cu")
local kernels = write("softgpu", file:read "*a", { no_extern_c = true })
file:close()

-- Two modules to load: one whose headers bring more than a thousand small variables, and one that is all code.
local cub = write("cub", [[
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
extern "C" __global__ void total(const int *x, int *sum) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage room;
  int s = Reduce(room).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) *sum = s;
}
extern "C" __global__ void scan(int *x) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage room;
  Scan(room).InclusiveSum(x[threadIdx.x], x[threadIdx.x]);
}]], { no_extern_c = true, std = "c++17" })

local functions = {}
for name in ([[sin cos tan sinpi cospi exp exp2 exp10 expm1 log log2 log10 log1p sqrt rsqrt cbrt rcbrt asin acos
atan sinh cosh tanh asinh acosh atanh erf erfc erfinv erfcinv erfcx normcdf normcdfinv tgamma lgamma j0 j1 y0
y1]]):gmatch "%w+" do
  for type, suffix in pairs { float = "f", double = "" } do
    functions[#functions + 1] = ("__global__ void k_%s%s(%s *x) { x[threadIdx.x] = %s%s(x[threadIdx.x]); }"):format(
      name, suffix, type, name, suffix)
  end
end
table.sort(functions)
local math = write("math", table.concat(functions, "\n"), {})

-- The C side is scalar code at -O2, as most people's loops are.
local no_vectors = io.popen(cc .. " --version"):read "*l":find "clang" and " -fno-vectorize" or ""
local sources = "bench/softgpu/bench.c bench/softgpu/driver.c bench/softgpu/loops.c"
run(("%s -O2%s -D_GNU_SOURCE= -isystem %s/include %s -o %s/bench_softgpu -lm -ldl"):format(cc, no_vectors, home,
  sources, build))
run(("%s/bench_softgpu %s/src/softgpu/libcudalua-softgpu.so %s %s %s"):format(build, build, kernels, cub, math))
