local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local compiler = require "cudalua.compiler"
local core = require "cudalua.core"
local quick = require "spec.support.quick"
local toolchain = require "cudalua.compiler.toolchain"

-- What f told cuda.on_notice.
local function notices(f)
  local before, texts = cuda.on_notice, {}
  cuda.on_notice = function(text) texts[#texts + 1] = text end
  local ok, err = pcall(f)
  cuda.on_notice = before
  if not ok then error(err, 0) end
  return table.concat(texts, "\n"), #texts
end

local function ptx(source, opts)
  opts = opts or {}
  opts.target = "ptx"
  return (cuda.compile(source, opts))
end

local function folder_with(files)
  local dir = assert(core.make_folder((os.getenv "TMPDIR" or "/tmp") .. "/cudalua-spec-"))
  for name, text in pairs(files) do
    local file = assert(io.open(dir .. "/" .. name, "w"))
    file:write(text)
    file:close()
  end
  return dir
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

-- What the kernel `k(int *p)` of a source stores.
local function value_of(source, opts)
  local p = ffi.new "int[1]"
  cuda.SourceModule(source, opts):get_function "k"(cuda.Out(p), { block = 1 })
  return p[0]
end

local plain = "__global__ void k(int *p) { *p = 1; }"

describe("compiler options", function()
  before_each(gpu.context)

  it("arch: machine code, PTX, a pair of numbers, with letters", function()
    for arch, target in pairs { sm_90 = "sm_90", compute_80 = "sm_80", sm_90a = "sm_90a", compute_100f = "sm_100f" } do
      assert.matches("%.target " .. target .. "%f[^%w]", ptx(plain, { arch = arch }))
    end
    assert.matches("%.target sm_86", ptx(plain, { arch = { 8, 6 } }))
    assert.equal("\127ELF", cuda.compile(plain, { arch = "sm_90", target = "cubin" }):sub(1, 4))
  end)

  it("code decides where both are given, and the user's own -arch where neither is", function()
    assert.matches("%.target sm_90", ptx(plain, { arch = "compute_80", code = "sm_90" }))
    assert.matches("%.target sm_89", ptx(plain, { code = "compute_89" }))
    local image, log = cuda.compile(plain, { options = { "-arch=compute_87" }, target = "ptx" })
    assert.matches("%.target sm_87", image)
    assert.is_nil(log)
  end)

  it("without arch the image is for the current device", function()
    local image = cuda.compile(plain)
    local major, minor = cuda.Device(0):compute_capability()
    if gpu.soft then
      assert.matches("%.target sm_" .. major .. minor, image)
    else
      assert.equal("\127ELF", image:sub(1, 4))
    end
    assert.matches("%.target sm_" .. major .. minor, ptx(plain))
  end)

  it("target: cubin, ptx and ltoir", function()
    assert.equal("\127ELF", cuda.compile(plain, { target = "cubin" }):sub(1, 4))
    assert.matches("%.version", ptx(plain))
    local ir = cuda.compile(plain, { target = "ltoir" })
    assert.is_true(#ir > 100)
    assert.is_nil(ir:find("ELF", 1, true))
    assert.is_nil(ir:find(".target", 1, true))
    assert.equal(1, value_of(plain, { target = "ptx" }))
  end)

  it("options are handed on in order, with their arguments", function()
    assert.equal(7, value_of("__global__ void k(int *p) { *p = A + B; }", { options = { "-DA=3", "-D", "B=4" } }))
    local dir = folder_with { ["x.h"] = "#define X 9\n" }
    assert.equal(9, value_of('#include <x.h>\n__global__ void k(int *p) { *p = X; }', { options = { "-I", dir } }))
    core.remove_folder(dir)
    local err = gpu.raises("CompileError", "unrecognized option --hello", cuda.compile, plain,
      { options = { "--hello" } })
    assert.equal("nvrtc", err.command_line[1])
    assert.equal("kernel.cu", err.command_line[#err.command_line])
  end)

  it("compiler.compile and compiler.SourceModule are cuda.compile and cuda.SourceModule", function()
    assert.equal(cuda.compile(plain), (compiler.compile(plain)))
    compiler.SourceModule(plain):get_function "k"
  end)

  it("compiler.nvrtc tells which compiler it is", function()
    local info = compiler.nvrtc()
    assert.is_string(info.path)
    assert.is_true(info.major >= 12 and #info.archs > 3)
  end)

  it("compiler.DEFAULT_NVRTC_FLAGS stand in for options, CUDALUA_DEFAULT_FLAGS for them", function()
    local before = compiler.DEFAULT_NVRTC_FLAGS
    compiler.DEFAULT_NVRTC_FLAGS = { "-DA=5" }
    local source = "#ifndef A\n#define A 6\n#endif\n__global__ void k(int *p) { *p = A; }"
    local ok, with, without = pcall(function() return value_of(source), value_of(source, { options = {} }) end)
    compiler.DEFAULT_NVRTC_FLAGS = "-w"
    local refused, err = pcall(cuda.compile, source)
    compiler.DEFAULT_NVRTC_FLAGS = before
    assert.is_true(ok)
    assert.is_true(not refused and cuda.is_error(err, "LogicError"))
    assert.same({ 5, 6 }, { with, without })
    assert.equal("-DA=1 -w\n", (gpu.child([[
      require "cudalua"
      print(table.concat(require("cudalua.compiler").DEFAULT_NVRTC_FLAGS, " "))
    ]], "CUDALUA_DEFAULT_FLAGS='-DA=1  -w'")))
  end)

  it("std: a newer language, and the user's own", function()
    local source = "template<class T> concept Any = true;\n" .. plain
    assert.matches("concept", gpu.error_of("CompileError", cuda.compile, source, { no_extern_c = true }).log)
    cuda.compile(source, { no_extern_c = true, std = "c++20" })
    local _, log = cuda.compile(source, { no_extern_c = true, options = { "-std=c++20" } })
    assert.is_nil(log)
    -- Where types of kernels cannot be asked for, PTX tells what it knows.
    local p = ffi.new "int[1]"
    cuda.SourceModule("__global__ void k(int *p, int n) { *p = n; }", { std = "c++11" }):get_function "k"(cuda.Out(p),
      -7, { block = 1 })
    assert.equal(-7, p[0])
    assert.equal(1, value_of(plain, { options = { "-std=c++03" } }))
  end)

  it("default_device: functions without __device__", function()
    local source = "int one() { return 1; }\nint two = 2;\n__global__ void k(int *p) { *p = one() + two; }"
    assert.equal(3, value_of(source))
    local err = gpu.error_of("CompileError", cuda.compile, source, { default_device = false })
    assert.matches("default_device", err.hint)
  end)

  it("lineinfo and debug", function()
    local source = '#include <stdint.h>\n\n__global__ void k(int *p)\n{\n  *p = 1;\n}\n'
    local text = ptx(source, { lineinfo = true })
    assert.matches("%.loc%s+1 5 3", text)
    assert.matches('%.file%s+1 "kernel%.cu"', text)
    if not gpu.soft then assert.is_nil(ptx(source):find ".loc") end
    assert.matches("%.target sm_%d+, debug", ptx(source, { debug = true }))
    assert.equal(1, value_of(source, { debug = true }))
  end)

  it("minimal is set for kernels of arrays that name no vector types: the image is the same", function()
    local function built(where, source)
      local compile, list = core.nvrtc_compile, nil
      core.nvrtc_compile = function(text, name, options, ...)
        list = " " .. table.concat(options, " ") .. " "
        return compile(text, name, options, ...)
      end
      local ok, result = pcall(quick.build, where, source, { no_extern_c = true, cache_dir = false })
      core.nvrtc_compile = compile
      assert(ok, result)
      return result.image, list:find(" --minimal ", 1, true) ~= nil
    end
    local kernel = [[__global__ void k(float *p, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) p[i] = atomicAdd(p + n, exp2(p[i])) + log1p(p[i]);
    }]]
    local image, minimal = built("compile", kernel)
    assert.is_false(minimal)
    local same, is_minimal = built("gpuarray", kernel)
    assert.equal(compiler.nvrtc().major >= 13, is_minimal)
    assert.is_true(image == same)
    for _, line in ipairs { "__device__ float4 f;", "__device__ ulonglong2 u;", "#include <cuda_fp16.h>" } do
      image, minimal = built("gpuarray", line .. "\n" .. kernel)
      assert.is_false(minimal)
      assert.is_true(#image > 0)
    end
  end)

  it("minimal: without the types that few need", function()
    local source = "__global__ void k(int *p) { *p = sizeof(cudaTextureObject_t); }"
    assert.equal(8, value_of(source))
    gpu.error_of("CompileError", cuda.compile, source, { minimal = true })
    assert.equal(1, value_of(plain, { minimal = true }))
  end)

  it("pch keeps headers compiled, and says nothing of it but in the log", function()
    local source = "#include <cuda_fp16.h>\n" .. plain
    local mod
    assert.equal("", (notices(function()
      cuda.SourceModule(source, { pch = true })
      mod = cuda.SourceModule(source .. "\n__global__ void j(half h) {}", { pch = true })
    end)))
    assert.matches("using precompiled header", mod.log)
    mod:get_function "k"
    gpu.raises("LogicError", "half h", mod:get_function "j", {}, { block = 1 })
  end)

  it("time: how long the phases took", function()
    local mod = cuda.SourceModule(plain, { time = true })
    assert.is_true(#mod.timing >= 2)
    for _, row in ipairs(mod.timing) do assert.is_true(#row.phase > 3 and row.ms >= 0) end
    assert.is_nil(mod.log)
    assert.is_nil(cuda.SourceModule(plain).timing)
  end)

  it("keep: a folder with all of it", function()
    local mod
    local told = notices(function()
      mod = cuda.SourceModule('#include "a/b.h"\n' .. plain, { keep = true, name = "my.cu", options = { "-DSEEN" },
        headers = { ["a/b.h"] = "// mine\n" } })
    end)
    assert.truthy(told:find("what was compiled from my.cu is kept in " .. mod.keep_dir, 1, true))
    assert.matches(plain:gsub("%p", "%%%0"), read(mod.keep_dir .. "/my.cu"))
    assert.matches("%.entry k", read(mod.keep_dir .. "/my.ptx"))
    assert.matches("\n%-DSEEN\n", read(mod.keep_dir .. "/options.txt"))
    assert.equal("", read(mod.keep_dir .. "/log.txt"))
    assert.equal("// mine\n", read(mod.keep_dir .. "/header-a_b.h"))
    if not gpu.soft then assert.equal("\127ELF", read(mod.keep_dir .. "/my.cubin"):sub(1, 4)) end
    core.remove_folder(mod.keep_dir)
    local err
    notices(function() err = gpu.error_of("CompileError", cuda.compile, "nope", { keep = true, name = "../x" }) end)
    assert.equal(err.log, read(err.keep_dir .. "/log.txt"))
    assert.is_truthy(core.stat(err.keep_dir .. "/x"))
    core.remove_folder(err.keep_dir)
  end)

  it("keep: a folder that cannot be made is an error", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      local ok, err = pcall(cuda.compile, "", { arch = "compute_80", keep = true })
      assert(not ok and cuda.is_error(err, "RuntimeError"), tostring(err))
      print(err.message)
    ]], "TMPDIR=/nowhere/at/all")
    assert.matches("keep: cannot make a folder /nowhere/at/all/cudalua%-", out)
  end)

  it("cuda.set_debugging and cuda.is_debugging compile for the debugger", function()
    local mod
    local told = notices(function()
      assert.is_false(cuda.is_debugging())
      cuda.set_debugging(true)
      assert.is_true(cuda.is_debugging())
      local ok, err = pcall(function() mod = cuda.SourceModule(plain) end)
      cuda.set_debugging(false)
      assert.is_true(ok, tostring(err))
    end)
    assert.matches("\n%-G\n%-lineinfo\n", read(mod.keep_dir .. "/options.txt"))
    assert.matches("is kept in", told)
    core.remove_folder(mod.keep_dir)
    assert.is_nil(cuda.SourceModule(plain).keep_dir)
  end)

  it("a compilation that is in the cache does not open NVRTC", function()
    local dir = folder_with {}
    local code = [[
      local cuda = require "cudalua"
      cuda.init()
      cuda.Device(0):retain_primary_context():push()
      local mod = cuda.SourceModule("template<class T> __global__ void t(T a) {} __global__ void k(int n) {}",
        { cache_dir = "%s", no_extern_c = true, name_expressions = { "t<float>" } })
      local ok, err = pcall(mod:get_function "k", 1.5, { block = 1 })
      print(err.param)
      mod:get_function "t<float>"
      for line in io.lines "/proc/self/maps" do
        if line:find "libnvrtc" then print "open" break end
      end
    ]]
    code = code:format(dir)
    assert.equal("int n\nopen\n", (gpu.child(code, gpu.driver)))
    assert.equal("int n\n", (gpu.child(code, gpu.driver)))
    core.remove_folder(dir)
  end)

  it("warnings are in the log, and go to the notice hook once", function()
    local source = "__global__ void k(int *p)\n{\n  int unused;\n  *p = 1;\n}"
    local mod
    local told, n = notices(function() mod = cuda.SourceModule(source, { cache_dir = false, name = "w.cu" }) end)
    assert.equal(1, n)
    assert.matches('^compiling w%.cu: w%.cu%(3%): warning .*"unused" was declared', told)
    assert.matches("w%.cu%(3%): warning", mod.log)
    assert.equal("", (notices(function() cuda.SourceModule(plain, { cache_dir = false }) end)))
    assert.equal("", (notices(function() cuda.SourceModule(source, { cache_dir = false, options = { "-w" } }) end)))
  end)
end)

describe("name expressions", function()
  before_each(gpu.context)

  it("are found with any blanks, of kernels and of variables", function()
    local mod = cuda.SourceModule([[
      template<class T, int N> __global__ void fill(T *p) { for (int i = 0; i < N; i++) p[i] = T(N); }
      namespace inner { __constant__ unsigned int table[3]; }
      __global__ void plain_one(int n) {}
      __global__ void over(int n) {}
      __global__ void over(float n) {}
    ]], { no_extern_c = true, name_expressions = { "fill<unsigned  int , 3>", "fill<float,2>", "&inner::table",
      "fill<float, 2>" } })
    local p = ffi.new "unsigned int[4]"
    mod:get_function " fill< unsigned int,3 > "(cuda.InOut(p), { block = 1 })
    assert.same({ 3, 3, 3, 0 }, { p[0], p[1], p[2], p[3] })
    assert.equal(mod:get_function "fill<float,2>", mod:get_function "fill<float, 2>")
    assert.equal(12, (select(2, mod:get_global "inner::table")))
    -- what is not extern "C" is still found by its plain name, if that is one kernel's
    gpu.raises("LogicError", "int n", mod:get_function "plain_one", 1.5, { block = 1 })
    gpu.raises("LogicError", "no kernel named 'over'", mod.get_function, mod, "over")
    local err = gpu.raises("LogicError", "one of name_expressions", mod.get_function, mod, "fill<double,1>")
    assert.matches("fill<float,2>", err.message)
    assert.matches("fill<double,1>", err.hint)
  end)

  it("that are wrong say which, and why", function()
    local source = "template<class T> __global__ void fill(T *p) {}\nint host_only;\n__global__ void k(int a) {}"
    local function try(...)
      return gpu.error_of("CompileError", cuda.compile, source, { no_extern_c = true, name_expressions = { ... } })
    end
    assert.matches("the name expression 'fill<flot>' does not name a kernel: identifier \"flot\"",
      try("fill<flot>").message)
    assert.matches("'fill<flot>' does not name a kernel", try("fill<int>", "fill<flot>", "k").message)
    assert.matches("'missing' does not name a kernel", try("missing").message)
    try("k;")
    try("1 +")
    try("k\n#error x")
    cuda.compile(source, { no_extern_c = true, name_expressions = { "k", "fill<int>" } })
  end)
end)

describe("headers", function()
  before_each(gpu.context)

  -- Old sources include what nvcc's host compiler has.
  local c_headers = { "stdio.h", "stdint.h", "math.h", "stdlib.h", "string.h", "assert.h", "limits.h", "float.h",
    "stddef.h", "stdbool.h", "inttypes.h", "time.h", "cstdio", "cstdint", "cmath", "cstdlib", "cstring", "cassert",
    "climits", "cfloat", "cstddef", "cinttypes", "ctime" }

  local function includes(list)
    local lines = {}
    for i, name in ipairs(list) do lines[i] = "#include <" .. name .. ">\n" end
    return table.concat(lines)
  end

  it("of the C library are there for old sources", function()
    local source = includes(c_headers) .. [[
      struct S { char c; int b[3]; };
      __constant__ float limits[2] = { INFINITY, -HUGE_VALF };
      __global__ void k(float *f, uint64_t *u, size_t *z)
      {
        assert(f != NULL);
        f[0] = INFINITY; f[1] = NAN; f[2] = M_PI; f[3] = FLT_MAX; f[4] = DBL_EPSILON; f[5] = limits[1];
        f[6] = std::sqrt(std::abs(-2.25f)) + sqrtf(4.0f);
        u[0] = UINT64_MAX; u[1] = (uint64_t)INT32_MIN; u[2] = UINT64_C(5) << 40; u[3] = CHAR_BIT; u[4] = LLONG_MAX;
        z[0] = offsetof(S, b); z[1] = sizeof(std::int64_t) + sizeof(uintptr_t) + sizeof(std::ptrdiff_t);
        if (f[0] < 0) printf("%" PRId64 "\n", (int64_t)1);
      }
    ]]
    local f, u, z = ffi.new "float[7]", ffi.new "uint64_t[5]", ffi.new "size_t[2]"
    cuda.SourceModule(source):get_function "k"(cuda.Out(f), cuda.Out(u), cuda.Out(z), { block = 1 })
    assert.same({ 1 / 0, false, 3.1415927410125732, 3.4028234663852886e38, 2 ^ -52, -1 / 0, 3.5 },
      { f[0], f[1] == f[1], f[2], f[3], f[4], f[5], f[6] })
    assert.same({ 2 ^ 64 - 1 + 0ULL == 0ULL, u[0] == 0xffffffffffffffffULL, u[1] == 0xffffffff80000000ULL,
      u[2] == 5ULL * 2 ^ 40, u[3] == 8ULL, u[4] == 0x7fffffffffffffffULL }, { true, true, true, true, true, true })
    assert.same({ 4, 24 }, { tonumber(z[0]), tonumber(z[1]) })
  end)

  it("of the C library go with all standards, alone and twice", function()
    for _, std in ipairs { "c++03", "c++11", "c++14", "c++20" } do
      local _, log = cuda.compile(includes(c_headers) .. includes(c_headers) .. plain, { std = std })
      assert.is_nil(log, std)
    end
    for _, name in ipairs(c_headers) do
      local _, log = cuda.compile("#include <" .. name .. ">\n" .. plain)
      assert.is_nil(log, name)
    end
    local _, log = cuda.compile(
      includes { "limits", "type_traits", "utility", "algorithm", "array", "tuple", "complex" } .. [[
        __global__ void k(int *p)
        {
          *p = std::max(std::numeric_limits<int>::max(), 1) * std::is_same<int, int>::value;
        }
      ]])
    assert.is_nil(log)
  end)

  local toolkit = { "cuda_runtime.h", "cuda.h", "math_constants.h", "cooperative_groups.h",
    "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "mma.h", "cuComplex.h", "cub/block/block_reduce.cuh",
    "cub/block/block_scan.cuh", "cuda/std/cstdint", "cuda/std/climits", "cuda/std/cmath", "cuda/std/complex",
    "cuda/std/limits", "cuda/std/tuple", "cuda/std/ctime", "cuda/atomic", "cuda/barrier" }
  -- cuRAND's headers have a wheel of their own, which ./dev does not install.
  if core.stat(toolchain.find().include .. "/curand_kernel.h") then table.insert(toolkit, "curand_kernel.h") end

  it("of CUDA compile before and after those of the C library", function()
    local cuda_first = includes(toolkit) .. includes(c_headers) .. plain
    local cuda_last = includes(c_headers) .. includes(toolkit) .. plain
    for _, source in ipairs { cuda_first, cuda_last } do
      local _, log = cuda.compile(source, { arch = "compute_80" })
      assert.is_nil(log)
    end
    for _, name in ipairs { "cuda/std/cstdint", "cuda/std/cmath", "cooperative_groups.h" } do -- and each by itself
      local _, log = cuda.compile(includes { "cmath", "cstdint", name } .. plain, { arch = "compute_80" })
      assert.is_nil(log, name)
    end
  end)

  it("of the program come before all others: in memory, then of its folders", function()
    local body = "__global__ void k(int *p) { *p = WHO * 10 + WHO_ELSE; }"
    local source = '#include <math.h>\n#include "stdio.h"\n' .. body
    local dir = folder_with { ["math.h"] = "#define WHO 1\n", ["stdio.h"] = "#define WHO_ELSE 1\n" }
    assert.equal(11, value_of(source, { include_dirs = { dir } }))
    assert.equal(21, value_of(source, { include_dirs = { dir }, headers = { ["math.h"] = "#define WHO 2\n" } }))
    assert.equal(22, value_of(source,
      { headers = { ["math.h"] = "#define WHO 2\n", ["stdio.h"] = "#define WHO_ELSE 2" } }))
    assert.equal(11, value_of('#include "math.h"\n#include "stdio.h"\n' .. body, { name = dir .. "/kernel.cu" }))
    core.remove_folder(dir)
  end)

  it("that are missing say where they were looked for", function()
    local err = gpu.error_of("CompileError", cuda.compile, '\n#include "mine.h"\n',
      { include_dirs = { "/some/where" }, headers = { ["other.h"] = "" } })
    assert.matches("line 2: .*open source file \"mine.h\"", err.message)
    for _, part in ipairs { "/some/where", "other.h", "cccl", "include_dirs = {...}" } do
      assert.truthy(err.hint:find(part, 1, true), part)
    end
    assert.matches("is a host header", gpu.error_of("CompileError", cuda.compile, "#include <vector>").hint)
  end)

  it("that include each other for ever are an error", function()
    local err = gpu.error_of("CompileError", cuda.compile, '#include "a.h"\n',
      { headers = { ["a.h"] = '#include "b.h"\n', ["b.h"] = '#include "a.h"\n' } })
    assert.matches("includes itself", err.message)
    local dir = folder_with { ["a.h"] = '#include "a.h"\n' }
    gpu.raises("CompileError", "includes itself", cuda.compile, '#include "a.h"\n', { include_dirs = { dir } })
    core.remove_folder(dir)
  end)
end)

describe("a CompileError", function()
  before_each(gpu.context)

  local function text_of(source, opts) return tostring(gpu.error_of("CompileError", cuda.compile, source, opts)) end

  it("names the first error's line and marks the place", function()
    local text = text_of "#include <stdint.h>\n__global__ void k(int *p)\n{\n\t*p = 2 * nope;\n}\n"
    assert.truthy(text:find('kernel.cu does not compile: line 4: identifier "nope" is undefined', 1, true))
    assert.truthy(text:find("     3 | {\n  >    4 | \t*p = 2 * nope;\n         | \t         ^\n       5 | }", 1, true),
      text)
  end)

  it("shows a header's lines, in memory and on disk", function()
    local text = text_of('#include "m/a.h"\n' .. plain, { headers = { ["m/a.h"] = "// one\nint a = nope;\n" } })
    assert.truthy(text:find('m/a.h(2): identifier "nope"', 1, true), text)
    assert.truthy(text:find("in m/a.h\n       1 | // one\n  >    2 | int a = nope;\n         |         ^", 1, true),
      text)
    local dir = folder_with { ["a (1).h"] = "int a = nope;\n" }
    text = text_of('#include "a (1).h"\n', { include_dirs = { dir } })
    assert.truthy(text:find("in " .. dir .. "/a (1).h\n  >    1 | int a = nope;", 1, true), text)
    core.remove_folder(dir)
  end)

  it("helps with what beginners meet", function()
    for source, hint in pairs {
      ["__global__ void k(half *p) {}"] = "#include <cuda_fp16.h>",
      ["template<class T> __global__ void k(T *p) {}"] = "no_extern_c",
      ["void f() { cudaMalloc(0, 1); }"] = "cuda.mem_alloc",
      ["__host__ void f() {}"] = "remove the host code",
      ["__global__ void j() {}\n__global__ void k() { j<<<1, 1>>>(); }"] = "DynamicSourceModule",
      ["__global__ void k() {}}"] = "one } too many",
      ["__global__ void k() {"] = "never closed",
    } do
      local err = gpu.error_of("CompileError", cuda.compile, source)
      assert.truthy(err.hint and err.hint:find(hint, 1, true), source .. ": " .. tostring(err.hint))
      assert.is_nil(err.log:find "__cudalua", source)
    end
  end)

  it("stays short where the log is long, and keeps all of it", function()
    local err = gpu.error_of("CompileError", cuda.compile, ("nope;\n"):rep(300))
    local text = tostring(err)
    assert.matches("more lines in err%.log", text)
    assert.is_true(select(2, text:gsub("\n", "")) < 60)
    assert.is_true(#err.log > #text)
    text = text_of("int a = " .. ("nope + "):rep(20000) .. "1;")
    assert.is_true(#text < 20000, #text)
    assert.matches("> +1 | int a = nope %+", text)
  end)

  it("keeps the fields of PyCUDA's, and more", function()
    local source = "__global__ void k() { nope; }"
    local err = gpu.error_of("CompileError", cuda.compile, source, { options = { "-DX" } })
    assert.equal(source, err.source)
    assert.equal("", err.stdout)
    assert.equal(err.log, err.stderr)
    assert.is_string(err.msg)
    local seen = false
    for _, option in ipairs(err.options) do seen = seen or option == "-DX" end
    assert.is_true(seen)
    assert.matches("spec/", err.where)
    assert.matches("nope", err.excerpt)
  end)
end)

describe("sources of every kind", function()
  before_each(gpu.context)

  it("deep nesting compiles or is an error, and never ends the process", function()
    local out, ok = gpu.child("local n = " .. (gpu.sanitized and 1000 or 10000) .. [[

      local cuda = require "cudalua"
      for _, source in ipairs {
        "__device__ int x = " .. ("("):rep(2 * n) .. "1" .. (")"):rep(2 * n) .. ";",
        "__device__ void f() " .. ("{"):rep(5 * n) .. ("}"):rep(5 * n),
        "__device__ int " .. ("*"):rep(10 * n) .. "a;",
        ("("):rep(10 * n),
        "__global__ void k(" .. ("("):rep(10 * n),
      } do
        local ok, err = pcall(cuda.compile, source, { arch = "compute_80", cache_dir = false })
        assert(ok or cuda.is_error(err, "CompileError"), tostring(err))
      end
      -- in a coroutine, whose C stack may be small in some hosts
      print(coroutine.wrap(function()
        return #cuda.compile("__device__ int x = " .. ("~"):rep(500) .. "1;", { arch = "compute_80" }) > 0
      end)())
    ]], "CUDALUA_DRIVER=soft")
    assert.is_true(ok, out)
    -- the end of it: AddressSanitizer has a word to say about exceptions on stacks as large as that of NVRTC's thread
    assert.equal("true\n", out:sub(-5))
  end)

  it("binary garbage, and pieces of programs", function()
    math.randomseed(11)
    local words = { "__global__", "void", "k", "(", ")", "{", "}", ";", "int", "*", "p", '"', "'", "/*", "*/", "//",
      "\n", "#include", "<", ">", "#if", "#endif", "#line", "1", "\\", "R\"(", "extern", "\"C\"", "template", "\200",
      "\1", "," }
    for _ = 1, 40 do
      local source = {}
      for i = 1, math.random(1, 40) do source[i] = words[math.random(#words)] end
      local ok, err = pcall(cuda.compile, table.concat(source, " "), { arch = "compute_80", cache_dir = false })
      assert.is_true(ok or cuda.is_error(err, "CompileError"), tostring(err))
      assert.is_string(ok and "" or tostring(err))
    end
    gpu.error_of("CompileError", cuda.compile, ("\200\1"):rep(500))
  end)

  -- What Lua does with a source beside the compiler: it may not grow faster than the source.
  it("a megabyte is read in little time", function()
    local kernels, text = require "cudalua.compiler.kernels", require "cudalua.types.source"
    for name, source in pairs {
      kernels = ("__global__ void k(float *a, const int n) { /* c */ a[n] = '\\n'; } // x \"y\n"):rep(14000),
      table = "#include <x>\n__device__ int a[] = {" .. ("1234, "):rep(170000) .. "};\n#include <y>\n",
      slashes = "#include <x>\n" .. ("/ "):rep(500000) .. "__global__ void k(int n) {}",
      quotes = "#include <x>\n" .. ("'"):rep(1000000) .. "\n__global__ void k(int n) {}",
      strings = "#include <x>\nchar *s = \"" .. ("x\\\""):rep(330000) .. "\";\n__global__ void k(int n) {}",
      words = "#include <x>\n" .. ("__global__ "):rep(90000),
      brackets = "#include <x>\n__global__ void k" .. ("("):rep(1000000),
      braces = "#include <x>\n" .. ("{"):rep(1000000) .. "\n#include <x>\n__global__ void k(int n) {}",
      name = "#include <x>\n__global__ " .. ("a"):rep(1000000) .. "(int b)",
      includes = "__global__ void k();" .. ("\n#include <x>"):rep(80000),
      continued = ("\\\n"):rep(500000) .. "#include <x>\n__global__ void k(int n) {}",
    } do
      local start = os.clock()
      text.wrap(source)
      kernels.find(source)
      assert.is_true(os.clock() - start < 8, name) -- some tenths of a second; hours if a loop were quadratic
    end
  end)

  it("a kernel at the end of a megabyte is found, with its line", function()
    local filler = ("// nothing here but text\n"):rep(40000)
    assert.equal(1, value_of(filler .. plain))
    local err = gpu.error_of("CompileError", cuda.compile, filler .. "__global__ void k() { nope; }")
    assert.matches("line 40001: ", err.message)
    assert.matches("> 40001 | __global__ void k%(%) { nope; }", tostring(err))
  end)

  it("a thousand kernels in one module", function()
    local parts = {}
    for i = 1, 1000 do parts[i] = ("__global__ void k%d(int *p, int n) { *p = n + %d; }\n"):format(i, i) end
    local mod, p = cuda.SourceModule(table.concat(parts)), ffi.new "int[1]"
    for _, i in ipairs { 1, 500, 1000 } do
      mod:get_function("k" .. i)(cuda.Out(p), 1, { block = 1 })
      assert.equal(i + 1, p[0])
    end
    gpu.raises("LogicError", "no kernel named 'k1001'", mod.get_function, mod, "k1001")
  end)
end)
