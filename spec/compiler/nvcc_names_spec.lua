-- What sources need not include: names that nvcc knows by itself, and PyCUDA's headers.
local gpu = require "spec.support.gpu"
local cuda, core, ffi = gpu.cuda, require "cudalua.core", require "ffi"

-- PTX of a source, and how often NVRTC was called for it.
local function ptx_of(source, opts)
  local all = { target = "ptx", arch = "compute_75", cache_dir = false }
  for key, value in pairs(opts or {}) do all[key] = value end
  local compile, calls = core.nvrtc_compile, {}
  core.nvrtc_compile = function(...)
    calls[#calls + 1] = select(3, ...)
    return compile(...)
  end
  local ok, image, log = pcall(cuda.compile, source, all)
  core.nvrtc_compile = compile
  if not ok then error(image, 0) end
  return image, calls, log
end

local function kernel(body) return "__global__ void k(double *o)\n{\n  " .. body .. "\n}\n" end

-- A variable's initializer: "0f7F7FFFFF".
local function value_of(expression, source, opts)
  local image = ptx_of((source or "") .. "__device__ decltype(" .. expression .. ") v = " .. expression .. ";\n", opts)
  return image:match "%.global %.align %d+ %.%w+ v = ([^;]+);" or image:find "%.global [^\n]* v;" and "0"
end

describe("names that nvcc knows without an include", function()
  before_each(gpu.context)

  it("have nvcc's types and values", function()
    local lines, expected = {}, {}
    for line in io.lines "spec/data/golden/nvcc_names.txt" do
      local kind, name, variable = line:match "^(%l+) ([%w_]+) (.+)$"
      lines[#lines + 1] = kind == "constant" and ("__device__ decltype(%s + 0) n_%s = %s;"):format(name, name, name) or
        ("__device__ int n_%s = sizeof(%s) * 100 + ((%s)-1 < (%s)0) * 10 + ((%s)0.5 != (%s)0);"):gsub("%%s", name)
      expected[name] = variable
    end
    assert.is_true(#lines > 90)
    local image, calls = ptx_of(table.concat(lines, "\n"))
    assert.equal(1, #calls)
    for name, variable in pairs(expected) do
      local declared, value = image:match("%.global (%.align %d+ %.%w+) n_" .. name .. "([^;]*);")
      assert.equal(variable, ("%s = %s"):format(tostring(declared), value and value:match "= (.*)$" or "0"), name)
    end
  end)

  it("come with the rest of stdint.h, limits.h, float.h and math.h", function()
    for expression, value in pairs {
      FLT_MAX = "0f7F7FFFFF", FLT_MIN = "0f00800000", FLT_EPSILON = "0f34000000", DBL_MAX = "0d7FEFFFFFFFFFFFFF",
      DBL_EPSILON = "0d3CB0000000000000", UINT32_MAX = "-1", INT64_MAX = "9223372036854775807", INT16_MIN = "-32768",
      ["sizeof(uint64_t)"] = "8", ["(uint8_t)300"] = "44", ["sizeof(uintptr_t)"] = "8",
    } do
      assert.equal(value, value_of(expression), expression)
    end
    local o = cuda.gpuarray.zeros(1, "int32")
    cuda.kernel [[
      struct S { uint32_t a[5]; uint32_t b; };
      __global__ void f(int *o) { *o = offsetof(S, b); }
    ]](o, { block = 1 })
    assert.equal(20, o:item())
  end)

  it("cost nothing where they are not mentioned, and no second compilation where they are", function()
    local _, calls = ptx_of(kernel "*o = 2;")
    assert.equal(1, #calls)
    assert.is_nil(table.concat(calls[1], " "):find "include=")
    _, calls = ptx_of(kernel "*o = M_PI * (uint)3 + INT_MAX + FLT_MAX;")
    assert.equal(1, #calls)
    assert.equal("--pre-include=cudalua/names.h", calls[1][1])
    _, calls = ptx_of("#include <math.h>\n" .. kernel "*o = M_PI;")
    assert.is_nil(table.concat(calls[1], " "):find "include=")
  end)

  it("are the program's own where it has them", function()
    for source, value in pairs {
      ["#define M_PI 3.0\n"] = "0d4008000000000000",
      ["#ifndef M_PI\n#define M_PI 3.0\n#endif\n"] = "0d4008000000000000",
      ["const int M_PI = 3;\n"] = "3",
      ["constexpr double M_E = 2, M_PI = M_E + 1;\n"] = "0d4008000000000000",
      ["enum { M_PI = 3 };\n"] = "3",
      ["typedef double uint;\nconstexpr uint M_PI = 3;\n"] = "0d4008000000000000",
      ["typedef unsigned int uint;\nconst uint M_PI = 3;\n"] = "3",
      ["#define uint double\nconstexpr uint M_PI = 3;\n"] = "0d4008000000000000",
      ["struct uint { double x; };\n#define M_PI uint{3}.x\n"] = "0d4008000000000000",
    } do
      assert.equal(value, value_of("M_PI + 0", source, { no_extern_c = true }), source)
    end
    -- What it lacks beside its own is there nevertheless.
    assert.equal("2147483647", value_of("INT_MAX", "typedef double uint;\n"))
    assert.equal("3", value_of("M_PI", nil, { options = { "-DM_PI=3" } }))
    local _, _, log = ptx_of("#define M_PI 3.0f\n" .. kernel "*o = M_PI + INFINITY;")
    assert.is_nil(log)
    -- A parameter, a local variable, a member.
    ptx_of(kernel "double INT_MAX = 1, uint = 2; struct { float NAN; } s = { 1 }; *o = INT_MAX + uint + s.NAN;")
  end)

  it("are there in the user's headers and options", function()
    local headers = { ["mine.h"] = "__device__ double g() { return M_PI * (ushort)2; }\n" }
    assert.truthy(ptx_of("#include \"mine.h\"\n" .. kernel "*o = g();", { headers = headers }))
    assert.truthy(ptx_of(kernel "T x = V; *o = x;", { options = { "-DT=ulong", "-DV=INT_MAX" } }))
    assert.truthy(ptx_of("#if INT_MAX != 2147483647 || !defined(M_PI)\n#error no\n#endif\n" .. kernel "*o = 1;"))
  end)

  it("leave lines and errors the user's", function()
    local err = gpu.error_of("CompileError", cuda.compile, kernel "*o = (uint)M_PI * nope;", { arch = "compute_75" })
    assert.truthy(err.message:find('kernel.cu does not compile: line 3: identifier "nope" is undefined', 1, true))
    assert.is_nil(err.log:find("names.h", 1, true))
    assert.truthy(err.excerpt:find(">    3 |   *o = (uint)M_PI * nope;", 1, true))
    err = gpu.error_of("CompileError", cuda.compile, "typedef float uint;\n" .. kernel "*o = (uint)M_PI * nope;",
      { arch = "compute_75" })
    assert.truthy(err.message:find('line 4: identifier "nope" is undefined', 1, true), err.message)
    assert.equal("3", value_of("__LINE__ + 0 * sizeof(uint)", "\n\n"))
  end)

  it("go together with CUDA's and libcu++'s headers", function()
    for _, header in ipairs { "cuda/std/cmath", "cuda/std/cstdint", "cuda/std/climits", "cuda/std/limits",
      "cuda_fp16.h", "cuComplex.h", "cooperative_groups.h", "cub/block/block_reduce.cuh", "math.h", "stdint.h",
      "sys/types.h" } do
      local _, _, log = ptx_of("#include <" .. header .. ">\n" ..
        kernel "uint32_t x = INT_MAX; *o = x + M_PI + INFINITY + NAN + FLT_MAX + HUGE_VAL + (uint)3;")
      assert.is_nil(log, header)
    end
  end)

  it("are part of what the cache keeps apart", function()
    local folder = core.make_folder "/tmp/cudalua-names-"
    local told, on_notice = {}, cuda.on_notice
    local function compile()
      return cuda.compile(kernel "*o = M_PI + (uint)1;", { arch = "compute_75", target = "ptx", cache_dir = folder })
    end
    cuda.on_notice = function(text) told[#told + 1] = text end
    local first = compile()
    local before = cuda.cache_info().hits
    assert.equal(first, compile())
    assert.equal(before + 1, cuda.cache_info().hits)
    cuda.on_notice = on_notice
    assert.same({}, told)
    core.remove_folder(folder)
  end)

  it("work in signatures, templates, precompiled headers and all kernel classes", function()
    local fn = cuda.kernel "__global__ void f(uint *a, int8_t b, ulong n) { *a = b + n; }"
    assert.matches("^void f%(unsigned int %*a, %a+ ?%a* b, unsigned long ", (fn:signature()))
    local a = cuda.gpuarray.zeros(1, "uint32")
    fn(a, -1, 8, { block = 1 })
    assert.equal(7, a:item())
    cuda.kernel("template<class T> __global__ void g(T *a) { *a = sizeof(T); }", "g<uint>")(a, { block = 1 })
    assert.equal(4, a:item())
    cuda.kernel("__global__ void f(uint *a) { *a = INT_MAX; }", { pch = true })(a, { block = 1 })
    assert.equal(2147483647, a:item())
    local x = cuda.gpuarray.zeros(3)
    cuda.elementwise.ElementwiseKernel("float *x, uint m", "x[i] = M_PI * (uint)m", "names")(x, 2)
    assert.is_true(math.abs(x[1] - 2 * math.pi) < 1e-6)
    local r = cuda.reduction.ReductionKernel("float32", "-INFINITY", "fmaxf(a, b)", "x[i]", "const float *x")
    assert.equal(3, r(cuda.gpuarray.to_gpu { 1, 3, 2 }):item())
    assert.equal(math.huge * -1, r(cuda.gpuarray.zeros(0)):item())
    local s = cuda.scan.InclusiveScanKernel("int32", "a > INT_MAX - b ? INT_MAX : a + b")
    assert.same({ 1, 2147483647, 2147483647 }, s(cuda.gpuarray.to_gpu({ 1, 2147483647, 1 }, "int32"), "new"):tolist())
    local d = cuda.DynamicModule():add_source "extern \"C\" __global__ void h(uint *a) { *a = UINT_MAX; }":link()
    d:get_function "h"(a, { block = 1 })
    assert.equal(4294967295, a:item())
  end)
end)

describe("PyCUDA's headers", function()
  before_each(gpu.context)

  it("pycuda-complex.hpp has complex numbers for SourceModule", function()
    local mod = cuda.SourceModule [[
      #include <pycuda-complex.hpp>
      typedef pycuda::complex<float> cf;
      __global__ void square(cf *z, const cf *x, pycuda::complex<double> *d, int n)
      {
        int i = threadIdx.x;
        if (i >= n) return;
        z[i] = x[i] * x[i] + cf(0, 1) - 2.0f;
        d[i] = pycuda::complex<double>(abs(x[i]), real(conj(x[i]) / x[i]));
      }
    ]]
    local x = cuda.gpuarray.to_gpu({ 3, ffi.new("complex", 1, 4) }, "complex64")
    local z, d = cuda.gpuarray.zeros(2, "complex64"), cuda.gpuarray.zeros(2, "complex128")
    mod:get_function "square"(z, x, d, 2, { block = 32 })
    assert.equal("[  7.+1.i -17.+9.i]", tostring(z)) -- 9 - 2 + i; (1 + 4i)^2 - 2 + i
    assert.is_true(d:real()[1] == 3 and math.abs(d:real()[2] - math.sqrt(17)) < 1e-6)
    assert.is_true(math.abs(d:imag()[2] - (1 - 16) / 17) < 1e-6) -- conj(1 + 4i) / (1 + 4i) = (-15 - 8i) / 17
  end)

  it("pycuda-helpers.hpp has it, and the storage types of textures", function()
    local fn = cuda.kernel [[
      #include <pycuda-helpers.hpp>
      __global__ void sizes(int *o)
      {
        o[0] = sizeof(fp_tex_float); o[1] = sizeof(fp_tex_double); o[2] = sizeof(fp_tex_cfloat);
        o[3] = sizeof(fp_tex_cdouble); o[4] = sizeof(pycuda::complex<double>);
      }
    ]]
    local o = cuda.gpuarray.zeros(5, "int32")
    fn(o, { block = 1 })
    assert.equal("[ 4  8  8 16 16]", tostring(o))
  end)

  it("give way to the user's own, and are cached", function()
    local headers = { ["pycuda-complex.hpp"] = "#define OWN 5\n" }
    local o = cuda.gpuarray.zeros(1, "int32")
    cuda.kernel("#include <pycuda-complex.hpp>\n__global__ void f(int *o) { *o = OWN; }", { headers = headers })(o,
      { block = 1 })
    assert.equal(5, o:item())
    local folder = core.make_folder "/tmp/cudalua-names-"
    local source = "#include <pycuda-complex.hpp>\n__global__ void f(pycuda::complex<float> *o) { *o = 1; }"
    local options = { cache_dir = folder, arch = "compute_75", target = "ptx" }
    local first, before = cuda.compile(source, options), cuda.cache_info().hits
    assert.equal(first, (cuda.compile(source, options)))
    assert.equal(before + 1, cuda.cache_info().hits)
    core.remove_folder(folder)
  end)
end)
