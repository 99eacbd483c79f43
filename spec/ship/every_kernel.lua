-- A program that uses kernels of every kind once, and prints what they compute. Its first argument, if there is one, is
-- a folder that it exports its kernels to.
local cuda = require "cudalua"
local ffi = require "ffi"
local gpuarray = cuda.gpuarray

local folder = os.getenv "SPEC_HEADERS"

local function show(name, ...)
  local texts = { ... }
  for i, value in ipairs(texts) do texts[i] = tostring(value) end
  print(name, table.concat(texts, " "))
end

-- Kernels of the program's own.
local x = ffi.new("float[4]", { 1, 2, 3, 4 })
cuda.kernel "__global__ void twice(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }"(cuda.InOut(x), 4,
  { block = 4 })
show("kernel", x[0], x[3])

local mod = cuda.SourceModule([[
#include "factor.h"
#include "shift.h"
__constant__ float scale = 2;
template <class T, int n> __global__ void both(T *x) { x[threadIdx.x] = x[threadIdx.x] * FACTOR + SHIFT + n * scale; }
]], {
  name = "both.cu", no_extern_c = true, name_expressions = { "both<float, 3>", "&scale" }, include_dirs = { folder },
  headers = { ["shift.h"] = "#define SHIFT 100" }, options = { "-DUNUSED=1" }, std = "c++20",
})
local pointer, bytes = mod:get_global "&scale"
cuda.memcpy_htod(pointer, ffi.new("float[1]", 10))
mod:get_function "both<float,3>"(cuda.InOut(x), { block = 4 })
show("templates, headers, includes, constants", x[0], x[3], bytes)
show("signature", (mod:get_function("both<float, 3>"):signature()))

local ok, err = pcall(cuda.kernel, "__global__ void wrong(float *x) { x[0] = undefined_name; }")
show("refused", ok, cuda.is_error(err, "CompileError"), err.message, err.excerpt)

local dynamic = cuda.DynamicModule()
dynamic:add_source 'extern "C" __device__ float add_one(float x) { return x + 1; }'
dynamic:add_source [[
extern "C" __device__ float add_one(float x);
extern "C" __global__ void calls(float *x) { x[threadIdx.x] = add_one(x[threadIdx.x]); }]]
dynamic:link():get_function "calls"(cuda.InOut(x), { block = 4 })
show("pieces", x[0], x[3])
show("compile", (cuda.compile("__global__ void k(int *x) { *x = 7; }", { target = "ptx", arch = "compute_80" })
  :match "%.entry (%w+)"))

-- Kernels of arrays.
local a = gpuarray.arange(12):reshape(3, 4)
show("expression", a * 2 + gpuarray.sin(a):round(3))
show("reductions", a:sum(), a:max(1), a:argmin(2), (a:astype "float64"):var())
show("scans", a:cumsum(2))
show("sort", (-a):ravel():sort(), (-a):ravel():argsort())
show("index", a[a:gt(5)], a:take({ 3, 1 }, { axis = 1 }), a.T:copy())
show("unique", (a % 3):ravel():unique(), gpuarray.bincount((a % 3 + 1):ravel()))
show("complex", gpuarray.complex(a:astype "float32", 1):exp():abs():sum())
show("half", a:astype("float16"):sum(), a:astype("bfloat16") * 2)
cuda.random.seed(7)
show("random", cuda.random.rand({ 3 }), cuda.random.default():normal { shape = { 2 } })
show("fused", gpuarray.fuse(function(p, q) return p * q + 1 end)(a, a), gpuarray.where(a:gt(3), a, -a))

-- Kernels of a user's expressions.
local elementwise = require "cudalua.elementwise"
local axpy = elementwise.ElementwiseKernel("float a, float *x, float *y", "y[i] = a * x[i] + y[i]", "axpy")
local u, v = gpuarray.arange(5):astype "float32", gpuarray.ones(5):astype "float32"
axpy(3, u, v)
show("elementwise", v)
local dot = require("cudalua.reduction").ReductionKernel("float32", "0", "a+b", "x[i]*y[i]", "float *x, float *y")
show("reduction", dot(u, v))
local scan = require("cudalua.scan").InclusiveScanKernel("int32", "a+b")
show("scan", scan(gpuarray.ones(6):astype "int32"))

if arg[1] then
  local archs = arg[2] and { arg[2], arg[3] } or nil
  print(cuda.cache.export(arg[1], archs))
else
  local info = cuda.cache.info()
  print(("%d from %d folder"):format(info.exported, #info.folders))
end
