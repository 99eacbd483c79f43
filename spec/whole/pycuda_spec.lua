-- Programs for PyCUDA: their kernels compile unchanged, with the options that they give nvcc, and its names are here.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local translate = require("cudalua.compiler.nvcc_options").translate

-- What f says to cuda.on_notice.
local function notices(f)
  local told, on_notice = {}, cuda.on_notice
  cuda.on_notice = function(text) told[#told + 1] = text end
  local ok, err = pcall(f)
  cuda.on_notice = on_notice
  if not ok then error(err, 0) end
  return told
end

local function close(a, b, tolerance)
  assert.is_true(math.abs(a - b) <= (tolerance or 1e-6) * math.max(1, math.abs(b)), ("%g, not %g"):format(a, b))
end

describe("a kernel of a program for PyCUDA compiles unchanged:", function()
  before_each(gpu.context)
  local G = cuda.gpuarray

  it("doubling an array of 4 x 4", function()
    local a = G.arange(16, "float32")
    cuda.SourceModule [[
    __global__ void doublify(float *a)
    {
      int idx = threadIdx.x + threadIdx.y*4;
      a[idx] *= 2;
    }
    ]]:get_function "doublify"(a, { block = { 4, 4, 1 } })
    assert.equal(240, a:sum():item())
  end)

  it("a product of matrices in tiles, with uint", function()
    local n = 32
    local source = [[
    __global__ void MatrixMulKernel(float *A, float *B, float *C)
    {
      const uint wA = %(MATRIX_SIZE)s;
      const uint wB = %(MATRIX_SIZE)s;
      const uint bx = blockIdx.x, by = blockIdx.y;
      const uint tx = threadIdx.x, ty = threadIdx.y;
      const uint aBegin = wA * %(BLOCK_SIZE)s * by;
      const uint aEnd = aBegin + wA - 1;
      float Csub = 0;
      for (int a = aBegin, b = %(BLOCK_SIZE)s * bx; a <= aEnd; a += %(BLOCK_SIZE)s, b += %(BLOCK_SIZE)s * wB)
      {
        __shared__ float As[%(BLOCK_SIZE)s][%(BLOCK_SIZE)s];
        __shared__ float Bs[%(BLOCK_SIZE)s][%(BLOCK_SIZE)s];
        As[ty][tx] = A[a + wA * ty + tx];
        Bs[ty][tx] = B[b + wB * ty + tx];
        __syncthreads();
        for (int k = 0; k < %(BLOCK_SIZE)s; ++k)
          Csub += As[ty][k] * Bs[k][tx];
        __syncthreads();
      }
      C[wB * %(BLOCK_SIZE)s * by + %(BLOCK_SIZE)s * bx + wB * ty + tx] = Csub;
    }
    ]]
    source = source:gsub("%%%((%u+_%u+)%)s", { MATRIX_SIZE = n, BLOCK_SIZE = 8 })
    local a, b, c = G.arange(n * n, "float32"):reshape(n, n) / 100, G.eye(n) * 2 + 1, G.empty { n, n }
    cuda.SourceModule(source, { options = { "-O3" } }):get_function "MatrixMulKernel"(a, b, c,
      { block = { 8, 8 }, grid = { n / 8, n / 8 } })
    -- (2 I + ones): twice the element and the sum of its row
    local x, row = a:get(), 0
    for k = 1, n do row = row + x[{ 3, k }] end
    close(c:get()[{ 3, 5 }], 2 * x[{ 3, 5 }] + row)
  end)

  it("the Mandelbrot set by pycuda-complex.hpp in an ElementwiseKernel and in a module", function()
    local body = [[
      int count = 0;
      pycuda::complex<float> z(0, 0);
      while (count < max_iter && norm(z) <= 4.0f) { z = z * z + q[i]; ++count; }
      out[i] = count;
    ]]
    local elementwise = cuda.elementwise.ElementwiseKernel("pycuda::complex<float> *q, int *out, int max_iter", body,
      "mandel", { preamble = "#include <pycuda-complex.hpp>" })
    local module = cuda.SourceModule("#include <pycuda-complex.hpp>\n#include <pycuda-helpers.hpp>\n" ..
      "__global__ void mandel(pycuda::complex<float> *q, int32_t *out, int max_iter, uint n)\n{\n" ..
      "  uint i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n" .. body .. "}\n")
      :get_function "mandel"
    local q = G.to_gpu({ 0, 1, -1, ffi.new("complex", 0.3, 0.5), ffi.new("complex", 0.5, 0.5) }, "complex64")
    local first, second = G.zeros(5, "int32"), G.zeros(5, "int32")
    elementwise(q, first, 50)
    module(q, second, 50, 5, { block = 32 })
    assert.equal("[50  3 50 50  5]", tostring(first))
    assert.equal(tostring(first), tostring(second))
  end)

  it("transposing in shared memory, with macros", function()
    local w, h = 32, 48
    local fn = cuda.SourceModule [[
    #define BLOCK_SIZE 16
    #define A_BLOCK_STRIDE (BLOCK_SIZE * a_width)
    __global__ void transpose(float *A_t, float *A, int a_width, int a_height)
    {
      __shared__ float A_shared[BLOCK_SIZE][BLOCK_SIZE+1];
      int base_a = blockIdx.x * BLOCK_SIZE + blockIdx.y * A_BLOCK_STRIDE;
      int base_a_t = blockIdx.y * BLOCK_SIZE + blockIdx.x * BLOCK_SIZE * a_height;
      A_shared[threadIdx.y][threadIdx.x] = A[base_a + threadIdx.y * a_width + threadIdx.x];
      __syncthreads();
      A_t[base_a_t + threadIdx.y * a_height + threadIdx.x] = A_shared[threadIdx.x][threadIdx.y];
    }
    ]]:get_function "transpose"
    local a, t = G.arange(w * h, "float32"):reshape(h, w), G.empty { w, h }
    fn(t, a, w, h, { block = { 16, 16 }, grid = { w / 16, h / 16 } })
    assert.is_true(t:eq(a.T):all():item())
  end)

  it("a separable convolution with constant memory", function()
    local mod = cuda.SourceModule([[
    #define KERNEL_RADIUS RADIUS
    #define KERNEL_W (2 * KERNEL_RADIUS + 1)
    #define IMUL(a, b) __mul24(a, b)
    __device__ __constant__ float d_Kernel[KERNEL_W];
    __global__ void convolutionRow(float *d_Result, float *d_Data, int dataW)
    {
      const int x = IMUL(blockIdx.x, blockDim.x) + threadIdx.x;
      if (x >= dataW) return;
      float sum = 0;
      for (int k = -KERNEL_RADIUS; k <= KERNEL_RADIUS; k++) {
        int d = min(max(x + k, 0), dataW - 1);
        sum += d_Data[d] * d_Kernel[KERNEL_RADIUS - k];
      }
      d_Result[x] = sum;
    }
    ]], { options = { "-DRADIUS=1", "-Xcompiler=-fPIC", "--compiler-options=-Wall" } })
    local pointer, bytes = mod:get_global "d_Kernel"
    assert.equal(12, bytes)
    cuda.memcpy_htod(pointer, ffi.new("float[3]", 0.25, 0.5, 0.25))
    local x, y = G.to_gpu { 4, 8, 0, 4 }, G.zeros(4)
    mod:get_function "convolutionRow"(y, x, 4, { block = 32 })
    assert.equal("[5. 5. 3. 3.]", tostring(y))
  end)

  it("Conway's life with uint8_t and ushort", function()
    local step = cuda.SourceModule [[
    __global__ void step(uint8_t *C, const uint8_t *M, ushort n)
    {
      int n_x = blockDim.x * gridDim.x;
      int i = threadIdx.x + blockDim.x * blockIdx.x;
      int j = threadIdx.y + blockDim.y * blockIdx.y;
      if (i >= n || j >= n) return;
      int alive = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (dx || dy) alive += M[(j + dy + n) % n * n + (i + dx + n) % n];
      C[j * n + i] = (uint8_t)(alive == 3 || (alive == 2 && M[j * n + i]) ? 1 : 0 * n_x);
    }
    ]]:get_function "step"
    local blinker = G.zeros({ 5, 5 }, "uint8")
    for column = 2, 4 do blinker[{ 3, column }] = 1 end
    local next_one = G.zeros({ 5, 5 }, "uint8")
    step(next_one, blinker, 5, { block = { 8, 8 } })
    assert.is_true(next_one:eq(blinker.T):all():item())
  end)

  it("a histogram by atomics, a reduction with FLT_MAX, and a wave with M_PI", function()
    local mod = cuda.SourceModule [[
    #define NBINS 4
    __global__ void histogram(const uint *values, uint *bins, const uint64_t n)
    {
      __shared__ uint local[NBINS];
      if (threadIdx.x < NBINS) local[threadIdx.x] = 0;
      __syncthreads();
      for (size_t i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&local[values[i] % NBINS], 1u);
      __syncthreads();
      if (threadIdx.x < NBINS) bins[threadIdx.x] = local[threadIdx.x];
    }
    __global__ void extremes(const float *x, float *out, int n)
    {
      float low = FLT_MAX, high = -FLT_MAX, first = INFINITY;
      for (int i = 0; i < n; i++) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
        if (!isnan(x[i])) first = fminf(first, x[i]);
      }
      out[0] = low; out[1] = high; out[2] = n ? first : NAN; out[3] = (float)INT_MAX;
    }
    __global__ void wave(double *y, int n)
    {
      int i = threadIdx.x;
      if (i < n) y[i] = sin(2.0 * M_PI * i / n) + M_PI_2 * 0;
    }
    ]]
    local bins, out, y = G.zeros(4, "uint32"), G.zeros(4), G.zeros(4, "float64")
    mod:get_function "histogram"(G.arange(10, "uint32"), bins, 10, { block = 32 })
    assert.equal("[3 3 2 2]", tostring(bins))
    mod:get_function "extremes"(G.to_gpu { 3, -2, 5 }, out, 3, { block = 1 })
    assert.same({ -2, 5, -2, 2147483648 }, out:tolist())
    mod:get_function "wave"(y, 4, { block = 4 })
    for i, value in ipairs { 0, 1, 0, -1 } do close(y[i], value, 1e-12) end
  end)

  it("a struct that points to arrays", function()
    local fn = cuda.SourceModule [[
    struct DoubleOperation {
      int datalen, __padding; // so 64-bit ptrs can be aligned
      float *ptr;
    };
    __global__ void double_array(DoubleOperation *a)
    {
      a = &a[blockIdx.x];
      for (int idx = threadIdx.x; idx < a->datalen; idx += blockDim.x) a->ptr[idx] *= 2;
    }
    ]]:get_function "double_array"
    local first, second = G.to_gpu { 1, 2, 3 }, G.to_gpu { 0, 4 }
    ffi.cdef "typedef struct { int32_t datalen, padding; uint64_t ptr; } cl_spec_double_operation;"
    local structs = ffi.new("cl_spec_double_operation[2]", { { 3, 0, first.ptr }, { 2, 0, second.ptr } })
    local memory = cuda.to_device(structs)
    fn(memory, { block = 32, grid = 2 })
    assert.equal("[2. 4. 6.] [0. 8.]", tostring(first) .. " " .. tostring(second))
  end)

  it("a random walk with curand_kernel.h and a Monte Carlo estimate by M_PI", function()
    local source = [[
    #include <curand_kernel.h>
    extern "C" __global__ void circle(uint *hits, uint n)
    {
      curandState state;
      curand_init(1234, threadIdx.x, 0, &state);
      uint mine = 0;
      for (uint i = 0; i < n; i++) {
        float x = curand_uniform(&state), y = curand_uniform(&state);
        mine += x * x + y * y <= 1.0f;
      }
      hits[threadIdx.x] = mine;
    }
    extern "C" __global__ void error_of(const uint *hits, float *o, uint n)
    {
      float all = 0;
      for (int i = 0; i < blockDim.x; i++) all += hits[i];
      if (threadIdx.x == 0) *o = fabsf(4.0f * all / (n * blockDim.x) - (float)M_PI);
    }
    ]]
    local ok, mod = pcall(cuda.SourceModule, source, { no_extern_c = true })
    if not ok then -- cuRAND's headers are a package of their own
      assert.truthy(mod.hint:find("curand_kernel.h was not found in", 1, true), tostring(mod))
      return
    end
    local hits, o = G.zeros(64, "uint32"), G.zeros(1)
    mod:get_function "circle"(hits, 200, { block = 64 })
    mod:get_function "error_of"(hits, o, 200, { block = 64 })
    assert.is_true(o[1] < 0.1)
  end)
end)

describe("options of nvcc", function()
  before_each(gpu.context)

  local function translated(...)
    local given, list = { ... }, nil
    local told = notices(function() list = translate("f", given) end)
    return table.concat(list, " | "), told
  end

  it("that mean nothing here are left out, with a notice for each of them once", function()
    local list, told = translated("-O1", "-g", "-m64", "-Xcompiler=-fpic", "--compiler-options", "-Wall,-O2",
      "-lcudadevrt", "-L/usr/lib", "-ccbin", "gcc", "-t4", "--threads=2", "-use_fast_math", "--cudart=static", "-O 2",
      "-gencode", "arch=compute_75,code=sm_75", "--expt-relaxed-constexpr", "-x cu", "-v")
    assert.equal("-use_fast_math", list)
    assert.equal(1, #told)
    for _, part in ipairs { "f: ignored options", "-O1", "-Xcompiler=-fpic", "--compiler-options -Wall,-O2",
      "-lcudadevrt", "-ccbin gcc", "-gencode arch=compute_75,code=sm_75" } do
      assert.truthy(told[1]:find(part, 1, true), part)
    end
    list, told = translated("-O1", "-g", "-Xlinker -s")
    assert.equal("", list)
    assert.equal(1, #told)
    assert.is_nil(told[1]:find("-O1", 1, true))
    assert.truthy(told[1]:find("-Xlinker -s", 1, true))
  end)

  it("that mean something to NVRTC are passed on in its words", function()
    assert.equal("--ptxas-options=-v | --ptxas-options=-v | --ptxas-options=-O1 | --ptxas-options=-v",
      (translated("-Xptxas -v", "-Xptxas", "-v", "-Xptxas=-O1", "--resource-usage")))
    assert.equal("-std | c++14 | -maxrregcount | 32 | -I/x/y | --diag-suppress=177 | -D | N=3",
      (translated("-std c++14", "-maxrregcount 32", "-isystem /x/y", "-Xcudafe", "--diag_suppress=177", "-D N=3")))
    -- As they are, blanks in values included.
    local same = { "--use_fast_math", "-arch=sm_75", "-I/my folder", "-DTEXT=a b", "-include", "a b.h", "-dlto",
      "-time=-", "-lineinfo", "--ftz=true", "-rdc=true", "-G", "-w", "--maxrregcount=8", "-foo", "-foo=1", "-g=3", "" }
    assert.equal(table.concat(same, " | "), (translated(unpack(same))))
    assert.equal("-lineinfo | --ptxas-options=-v", (translated "-O3 -lineinfo -g -Xptxas -v"))
  end)

  it("that ask for another kind of output say what to write", function()
    for option, hint in pairs { ["-ptx"] = "target", ["--cubin"] = "target", ["-o"] = "target", ["-c"] = "target",
      ["-code=sm_90"] = "code =", ["--gpu-code sm_90"] = "code =", ["-m32"] = "64-bit" } do
      local err = gpu.raises("LogicError", "SourceModule: nvcc's option '" .. option, cuda.SourceModule, "",
        { options = { option } })
      assert.truthy(err.hint:find(hint, 1, true), option)
    end
    for _, option in ipairs { "-Xcompiler", "-ccbin", "-L" } do
      gpu.raises("LogicError", "has no value", cuda.SourceModule, "", { options = { option } })
    end
    local err = gpu.error_of("CompileError", cuda.SourceModule, "", { options = { "-foo" } })
    assert.truthy(err.hint:find('backend = "nvcc"', 1, true))
  end)

  it("work in every place that compiles, and are told of once a process", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      local told = {}
      function cuda.on_notice(text) if not text:find "no GPU" then told[#told + 1] = text end end
      local options = { "-O3", "-Xptxas -v", "-lcudadevrt" }
      for _ = 1, 2 do
        cuda.SourceModule("__global__ void f() {}", { options = options, cache_dir = false })
        cuda.DynamicModule { options = options }:add_source "__global__ void f() {}" : link()
        cuda.elementwise.ElementwiseKernel("float *x", "x[i] = 1", "one", { options = options })(cuda.gpuarray.zeros(1))
        cuda.kernel("__global__ void f() {}", { options = options })
      end
      local left = 0
      for _, text in ipairs(told) do left = left + (text:find "ignored options" and 1 or 0) end
      print(left, told[1])
    ]], gpu.driver .. " CUDALUA_DEFAULT_FLAGS=")
    assert.matches("^1\tSourceModule: ignored options that only nvcc uses: %-O3, %-lcudadevrt\n", out)
  end)
end)

describe("names of PyCUDA:", function()
  before_each(gpu.context)

  it("cuda.compiler, cuda.driver and cuda.cumath are fields", function()
    assert.equal(require "cudalua.compiler", cuda.compiler)
    assert.equal(cuda, cuda.driver)
    assert.equal(cuda.math, cuda.cumath)
    assert.equal(cuda.cumath, require "cudalua.cumath")
    assert.is_function(cuda.compiler.compile)
    local out = gpu.child [[
      local cuda = require "cudalua"
      print(package.loaded["cudalua.compiler"], package.loaded["cudalua.math"], cuda.compiler.compile ~= nil)
    ]]
    assert.equal("nil\tnil\ttrue\n", out)
  end)

  it("a.__cuda_array_interface__ is a field", function()
    local a = cuda.gpuarray.arange(6, "float32"):reshape(2, 3)
    local d = a.__cuda_array_interface__
    assert.same({ 2, 3 }, { d.shape[1], d.shape[2] })
    assert.same({ "<f4", 3, a.ptr, false }, { d.typestr, d.version, d.data.ptr, d.data.readonly })
    assert.is_nil(d.strides)
    assert.same({ 4, 12 }, a.T.__cuda_array_interface__.strides)
    assert.equal(a, d.owner)
  end)

  it("options may stand in the place of a dtype", function()
    local G, N = cuda.gpuarray, cuda.ndarray
    local F, like = { order = "F" }, G.zeros { 2, 3 }
    for _, a in ipairs { G.empty({ 2, 3 }, F), G.zeros({ 2, 3 }, F), G.ones({ 2, 3 }, F), G.full({ 2, 3 }, 7, F),
      G.empty_like(like, F), G.zeros_like(like, F), G.ones_like(like, F), G.full_like(like, 7, F), G.eye(2, 3, F),
      G.to_gpu({ { 1, 2, 3 }, { 4, 5, 6 } }, F), G.from_function({ 2, 3 }, function() return 1 end, F),
      N.empty({ 2, 3 }, F), N.zeros({ 2, 3 }, F), N.ones({ 2, 3 }, F), N.full({ 2, 3 }, 7, F),
      N.zeros_like(N.zeros { 2, 3 }, F), N.array({ { 1, 2, 3 }, { 4, 5, 6 } }, F), N.eye(2, 3, F),
      N.from_function({ 2, 3 }, function() return 1 end, F), cuda.pagelocked_zeros({ 2, 3 }, F) } do
      assert.is_true(a.flags.f_contiguous and not a.flags.c_contiguous)
      assert.equal("float32", a.dtype.name)
    end
    assert.equal("float32", G.wrap(cuda.mem_alloc(24), { 2, 3 }, F).dtype.name)
    local asked = 0
    local function allocator(bytes)
      asked = asked + 1
      return cuda.mem_alloc(bytes)
    end
    assert.equal("[0 1 2]", tostring(G.arange(3, { allocator = allocator })))
    assert.equal("[0.  0.5]", tostring(G.linspace(0, 1, 2, { endpoint = false, allocator = allocator })))
    assert.equal(2, asked)
    gpu.raises("LogicError", "unknown option 'ordr'", G.zeros, 3, { ordr = "F" })
    for _, dtype in ipairs { { "float32" }, setmetatable({}, {}) } do
      gpu.raises("LogicError", "a name, a dtype or an FFI", G.zeros, 3, dtype)
    end
    gpu.raises("LogicError", "a name, a dtype or an FFI", G.zeros, 3, F, F)
  end)
end)

describe("cuda.kernel, compiler.kernel", function()
  before_each(gpu.context)

  local function run(fn)
    local o = ffi.new "int[1]"
    fn(cuda.Out(o), { block = 1 })
    return o[0]
  end

  it("compiles a source and gets its kernel", function()
    local one = "__global__ void f(int *o) { *o = 5; }"
    assert.equal(5, run(cuda.kernel(one)))
    assert.equal(5, run(cuda.kernel(one, "f")))
    assert.equal(5, run(cuda.compiler.kernel(one, nil, {})))
    assert.equal(5, run(cuda.kernel(one, ffi.cast("void *", 0))))
    assert.equal(7, run(cuda.kernel("__global__ void f(int *o) { *o = N; }", { options = { "-DN=7" } })))
    assert.equal(8, run(cuda.kernel("__global__ void f(int *o) { *o = N; }", "f", { options = { "-DN=8" } })))
    assert.equal(2, run(cuda.kernel [[
      #if 0
      __global__ void f(int *o) {}
      #else
      __global__ void g(int *o) { *o = 2; }
      #endif
    ]]))
    local fn = cuda.kernel(one)
    collectgarbage()
    collectgarbage() -- the kernel holds its module
    assert.equal(5, run(fn))
  end)

  it("makes instances of templates", function()
    local source = "template<class T, int N> __global__ void f(T *o) { *o = N + sizeof(T); }"
    assert.equal(7, run(cuda.kernel(source, "f<int, 3>")))
    assert.equal(9, run(cuda.kernel(source, "f<int,5>", { lineinfo = true })))
    assert.equal(6, run(cuda.kernel(source, "f<int, 2>", { name_expressions = { "f<int,2>" }, no_extern_c = true })))
  end)

  it("says which kernels there are", function()
    local two = "__global__ void f(int *o) {}\n__global__ void g(int *o) {}"
    local err = gpu.raises("LogicError", "kernel: the source has 2 kernels: f, g", cuda.kernel, two)
    assert.truthy(err.hint:find('cuda.kernel(source, "f")', 1, true))
    gpu.raises("LogicError", "no kernel named 'h' in this module; it has: f, g", cuda.kernel, two, "h")
    err = gpu.raises("LogicError", "the source has no kernel", cuda.kernel,
      "template<class T> __global__ void f(T *o) {}", { no_extern_c = true })
    assert.truthy(err.hint:find("instantiates", 1, true))
    gpu.raises("LogicError", "kernel: the kernel's name must be a string, got 3", cuda.kernel, two, 3)
    gpu.raises("LogicError", "kernel: the source must be a string", cuda.kernel, nil, "f")
    gpu.raises("LogicError", "unknown option 'blok'", cuda.kernel, two, "f", { blok = 1 })
    gpu.error_of("CompileError", cuda.kernel, "__global__ void f(int *o) { nope; }")
    gpu.refuses_nonsense(cuda.kernel)
    gpu.refuses_nonsense(cuda.compiler.kernel)
  end)

  it("comes from the disk cache as SourceModule does", function()
    local folder = require("cudalua.core").make_folder "/tmp/cudalua-kernel-"
    local source = "__global__ void f(int *o) { *o = 6; }"
    local before = cuda.cache_info().hits
    assert.equal(6, run(cuda.kernel(source, { cache_dir = folder })))
    assert.equal(6, run(cuda.kernel(source, { cache_dir = folder })))
    assert.equal(before + 1, cuda.cache_info().hits)
    require("cudalua.core").remove_folder(folder)
  end)
end)
