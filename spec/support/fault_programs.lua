-- What spec/whole/fault_sweep_spec.lua has driver calls fail in: ways to reduce, scan, sort, count and draw random
-- numbers, and textures. What comes out is checked: an error or the right answer, and nothing else. arg[1] says which
-- one runs, in a context of its own; without it the file gives all of them, as functions of an array of 1, 2, 3 ...
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local random = require "cudalua.random"

local N = 20000

local programs = {}

function programs.reduction(a)
  assert(((a - 1) * 2):sum():item() == 2 * (N * (N - 1) / 2), "sum")
  assert(a:reshape(N / 10, 10):argmax(1)[3] == N / 10, "argmax")
end

function programs.scan(a)
  local s = a:cumsum()
  assert(s[N] == N * (N + 1) / 2 and s[100] == 5050, "cumsum")
end

function programs.sort(a)
  local down = (N - a):sort()
  assert(down[1] == 0 and down[N] == N - 1, "sort")
  assert(a[{ { 1, 100 } }]:argsort { descending = true }[1] == 100, "argsort")
end

function programs.unique(a)
  local values, counts = (a % 7):unique { counts = true }
  assert(values.size == 7 and counts:sum():item() == N, "unique")
end

function programs.counting(a)
  local counts = gpuarray.histogram(a, 10)
  assert(counts.size == 10 and counts[1] == N / 10, "histogram")
  local weighed = gpuarray.histogram(a, 4, { range = { 1, N }, weights = a })
  assert(weighed:sum():item() == N * (N + 1) / 2, "weights")
end

function programs.random()
  local g = random.Generator(3)
  local u = g:uniform(N):eval()
  assert(u:min():item() >= 0 and u:max():item() < 1, "uniform")
  assert(g:fill_normal(gpuarray.empty(100)):isfinite():all():item(), "fill")
  local sobol = random.Sobol32RandomNumberGenerator()
  assert(sobol:gen_uniform(100):max():item() <= 1, "Sobol")
  assert(g:permutation(1000):sum():item() == 500500, "permutation")
end

local kernels

function programs.kernels(a)
  kernels = kernels or {
    cuda.reduction.ReductionKernel({ "float64", "int32" }, { "0", "0" }, { "a + b", "a + b" }, { "x[i]", "1" },
      "const float *x"),
    cuda.scan.ExclusiveScanKernel("float32", "a + b", 0),
    cuda.scan.GenericScanKernel("int32", "const float *x, int *y", "x[i] > 3", "a + b", 0, "y[i] = item"),
  }
  local sum, count = kernels[1](a)
  assert(sum:item() == N * (N + 1) / 2 and count:item() == N, "ReductionKernel")
  assert(kernels[2](a, "new")[N] == N * (N - 1) / 2, "ExclusiveScanKernel")
  local y = gpuarray.zeros(N, "int32")
  kernels[3](a, y)
  assert(y[N] == N - 3, "GenericScanKernel")
end

local referring

-- Objects, references and surfaces, in two streams.
function programs.textures(a)
  referring = referring or cuda.SourceModule [[
    texture<float, 2> t;
    surface<void, 2> s;
    __global__ void copy(int n)
    {
      for (int i = 0; i < n; i++) surf2Dwrite(tex2D(t, i, 0) + 1, s, 4 * i, 0);
    }
    __global__ void read(float *out, cudaTextureObject_t rows, cudaTextureObject_t list, cudaTextureObject_t small)
    {
      *out = tex2D<float>(rows, 7.5f, 0.5f) + tex1Dfetch<float>(list, 99) + tex2DLod<float>(small, 0.5f, 0.5f, 1);
    }
  ]]
  local mod, streams = referring, { cuda.Stream(), cuda.Stream "non_blocking" }
  local copy, read = mod:get_function "copy", mod:get_function "read"
  local part = cuda.gpuarray_to_array(a[{ { 1, 8 } }]:reshape(1, 8), "C", { allow_surface_bind = true })
  local list = cuda.TextureObject { linear = a }
  for i = 1, 4 do
    local target = cuda.np_to_array(cuda.ndarray.zeros { 1, 8 }, "C", { allow_surface_bind = true })
    mod:get_texref "t":set_array(part)
    mod:get_surfref "s":set_array(target)
    cuda.Context.synchronize()
    copy(8, { block = 1, stream = streams[i % 2 + 1] })
    local mipmap = cuda.MipmappedArray(cuda.ArrayDescriptor { width = 2, height = 2 }, 2)
    cuda.memcpy_htoa(mipmap:level(1), 0, require "ffi".new("float[1]", 1000))
    local out = gpuarray.zeros(1):eval()
    cuda.Context.synchronize()
    read(out, cuda.TextureObject { array = target }, list, cuda.TextureObject { mipmap = mipmap, normalized = true },
      { block = 1, stream = streams[(i + 1) % 2 + 1] })
    cuda.Context.synchronize()
    assert(out:item() == 8 + i + 100 + 1000, "textures")
    part = target
  end
  list:close()
end

local function input() return gpuarray.arange(1, N + 1, 1, "float32") end
if not arg[1] then return programs, input end

local ctx = cuda.Device(0):make_context()
local ok, err = pcall(function() programs[arg[1]](input()) end)
ctx:detach()
if not ok then error(err, 0) end
