local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"

describe("compiling", function()
  before_each(gpu.context)

  it("cuda.SourceModule compiles, loads and finds kernels by name", function()
    local mod = cuda.SourceModule "__global__ void one(int *p) { *p = 1; }"
    local p = ffi.new "int[1]"
    mod:get_function "one"(cuda.Out(p), { block = 1 })
    assert.equal(1, p[0])
    assert.truthy(tostring(mod):find "cudalua.SourceModule")
  end)

  it("cuda.SourceModule:get_function and cuda.SourceModule:get_global", function()
    local mod = cuda.SourceModule [[
      __device__ int seven = 7;
      __global__ void k(int *p) { *p = seven; }
    ]]
    assert.equal(mod:get_function "k", mod:get_function "k")
    local pointer, n = mod:get_global "seven"
    assert.equal(4, n)
    local p = ffi.new "int[1]"
    cuda.memcpy_dtoh(p, pointer)
    assert.equal(7, p[0])
    assert.equal(7, cuda.from_device(pointer, 1, "int32")[1])
    for _, memory in ipairs { pointer, cuda.mem_alloc(8) } do
      gpu.raises("LogicError", "cuda.from_device(memory, shape, dtype)", function() return memory[0] end)
      assert.is_nil(memory[true])
    end
    gpu.raises("LogicError", "no kernel named 'j'", mod.get_function, mod, "j")
    gpu.raises("LogicError", "call it as", mod.get_function, "k")
    gpu.raises("LogicError", "call it as", mod.get_global, nil, "k")
    gpu.refuses_nonsense(function(v) return mod:get_function(v) end)
    gpu.refuses_nonsense(function(v) return mod:get_global(v) end)
  end)

  it("cuda.compile gives PTX for a virtual architecture", function()
    local image, log = cuda.compile("__global__ void k() {}", { arch = "compute_80" })
    assert.truthy(image:find(".target sm_80", 1, true))
    assert.is_nil(log)
  end)

  it("a compiler error shows the log and the user's own line", function()
    local err = gpu.error_of("CompileError", cuda.SourceModule, [[
__global__ void k(float *a)
{
  a[0] = undefined_thing;
}
]])
    assert.truthy(err.log:find('kernel.cu(3): error: identifier "undefined_thing" is undefined', 1, true))
    local text = tostring(err)
    assert.truthy(text:find(">    3 |   a[0] = undefined_thing;", 1, true))
    assert.equal("nvrtc", err.command_line[1])
    assert.equal(err.log, err.stderr)
  end)

  it("a compiler error has a hint for a kernel named as a function of CUDA's", function()
    for _, name in ipairs { "norm", "sin" } do
      local source = ("__global__ void %s(float *a, int n) {}"):format(name)
      local err = gpu.error_of("CompileError", cuda.SourceModule, source)
      assert.equal(name .. " is a function of CUDA's own; give yours another name", err.hint)
    end
  end)

  it("a compiler error has a hint for a Lua string that ]] has cut off", function()
    local source = "__global__ void pick(float *y, const float *x, const int *idx)\n{\n  int i = threadIdx.x;\n" ..
      "  y[i] = x[idx[i"
    local err = gpu.error_of("CompileError", cuda.SourceModule, source)
    local hint = "]] ends a Lua string that began with [[; write [=[ and ]=] around the source"
    assert.truthy(err.hint:find(hint, 1, true), err.hint)
    err = gpu.error_of("CompileError", cuda.SourceModule, "__global__ void pick(float *y) { y[0 = 1; }")
    assert.is_nil(tostring(err.hint):find("[=[", 1, true))
  end)

  it("a compiler error has a hint for what shaders, C++ and Python have and CUDA C does not", function()
    for expression, hint in pairs {
      ["clamp(x, 0, 1)"] = "CUDA C does not have clamp; write fminf(fmaxf(x, low), high)",
      ["lerp(x, 1, 2)"] = "CUDA C does not have lerp; write a + t * (b - a)",
      ["maxf(x, 1)"] = "CUDA C does not have maxf; write fmaxf(x, y)",
      ["math.sqrt(x)"] = "CUDA C does not have math; write sqrtf(x)",
      ["min(x, 1)"] = "min is ambiguous for arguments of these types; for floats, write fminf, which converts all",
      ["pow(i, 2)"] = "pow is ambiguous for arguments of these types; for floats, write powf",
      ["x ^ 2"] = "powf(x, y) for a power",
      ["x % 2"] = "for floats, write fmodf(x, y)",
      ["x ** 2"] = "CUDA C does not have the operator **",
      ["(make_float3(1, 2, 3) + make_float3(1, 2, 3)).x"] = "types such as float3 do not have operators",
      ["std::min(x, 1.f)"] = "without std::",
    } do
      local err = gpu.error_of("CompileError", cuda.SourceModule,
        ("__global__ void k(float *a, float x, int i) { a[0] = %s; }"):format(expression))
      assert.truthy(err.hint and err.hint:find(hint, 1, true), expression .. ": " .. tostring(err.hint))
    end
    assert.is_nil(gpu.error_of("CompileError", cuda.SourceModule, "__global__ void k(int *a) { *a = frob(1); }").hint)
  end)

  it("line numbers stay the user's behind an #include", function()
    local err = gpu.error_of("CompileError", cuda.compile,
      '#include "mine.h"\n\n__global__ void k(int *p) { *p = MINE + nope; }\n',
      { headers = { ["mine.h"] = "#define MINE 1\n" }, name = "own.cu" })
    assert.truthy(err.log:find("own.cu(3): error", 1, true))
  end)

  it("leaves alone what only looks like an #include, and keeps the user's lines", function()
    local function error_line(source, options)
      local err = gpu.error_of("CompileError", cuda.compile, source, options)
      return err.log:match "%((%d+)%): error"
    end
    assert.equal("4", error_line "#if 0\n#include <cuda_fp16.h>\n#endif\n__global__ void k(int *p) { *p = nope; }\n")
    assert.equal("3", error_line "/*\n#include <no.h>\n*/ __global__ void k(int *p) { *p = nope; }\n")
    assert.equal("2", error_line "/* x */ #include <cuda_fp16.h>\n__global__ void k(int *p) { *p = nope; }")
    assert.equal("3",
      error_line "#include <cuda_fp16.h> /* opens\n closes */\n__global__ void k(int *p) { *p = nope; }")
    for _, source in ipairs {
      "\239\187\191__global__ void k(int *p) { *p = 1; }",
      "__global__ void k(int *p) { *p = 1; } // ends so \\",
      "__global__ void k(int *p)\r\n{\r\n *p = 1;\r\n}\r\n",
      'const char *s = R"x(\n#include <no.h>\n)x";\n__global__ void k(int *p) { *p = s[0] == 10; }',
      "#define A \\\n1\n__global__ void k(int *p) { *p = A; }",
    } do
      local p = ffi.new "int[1]"
      cuda.SourceModule(source):get_function "k"(cuda.Out(p), { block = 1 })
      assert.equal(1, p[0], source)
    end
    local p = ffi.new "int[1]"
    cuda.SourceModule(
      "__device__ const int t[] = {\n#include \"data.inc\"\n};\n__global__ void k(int *p) { *p = t[1]; }",
      { headers = { ["data.inc"] = "4, 5, 6" } }):get_function "k"(cuda.Out(p), { block = 1 })
    assert.equal(5, p[0])
  end)

  it("a kernel that cannot be named does not cost the others their types", function()
    local mod = cuda.SourceModule [[
      #if 0
      __global__ void absent(int a) {}
      #endif
      #define MAKE(n) \
        __global__ void n(int a) {}
      namespace inner { __global__ void hidden(float f) {} }
      __global__ void k(int *p, int n) { *p = n; }
    ]]
    local p = ffi.new "int[1]"
    mod:get_function "k"(cuda.Out(p), 7, { block = 1 })
    assert.equal(7, p[0])
  end)

  local function line_of(source, opts)
    return tonumber(gpu.error_of("CompileError", cuda.compile, source, opts).log:match "%((%d+)%): error")
  end

  it("keeps line numbers past includes that are left out", function()
    assert.equal(5, line_of "#ifdef NO\n#include <no.h>\n#endif\n\nerr;\n")
    assert.equal(5, line_of "/*\n#include <no.h>\n*/\n\nerr;\n")
    assert.equal(7, line_of "#if 0\n#if 1\n#include <no.h>\n#endif\n#else\n\nerr;\n#endif\n")
    assert.equal(4, line_of "#include <cuda_fp16.h>\n#define A \\\n  1\nerr;\n")
    assert.equal(101, line_of "#line 100\n#include <cuda_fp16.h>\nerr;\n")
    assert.equal(3, line_of "#include <cuda_fp16.h>\r\n\r\nerr;\r\n")
  end)

  it("wraps whatever is a source", function()
    local k = "__global__ void k(int a) {}"
    for _, source in ipairs {
      "\239\187\191#include <cuda_fp16.h>\n" .. k,
      k .. "\n// end \\",
      k .. "// end",
      k .. "\n#define X",
      "#include \\\n<cuda_fp16.h>\n" .. k,
      "/* x */ #include <cuda_fp16.h>\n" .. k,
      "#include <cuda_fp16.h> /* a\n b */\n" .. k,
      "__device__ float t[] = {\n#include \"t.inc\"\n};\n" .. k,
      "namespace q { extern \"C++\" {\n#include <cuda_fp16.h>\n} }\n" .. k,
      "#define A \\\n#include <no>\n" .. k,
      "__device__ const char *s = R\"x(\n#include <no>\n\" )\" )x\";\n" .. k,
      "extern \"C\" {\n#include <cuda_fp16.h>\n" .. k .. "\n}\n",
    } do
      local fn = cuda.SourceModule(source, { headers = { ["t.inc"] = "1, 2\n" } }):get_function "k"
      fn(3, { block = 1 })
      gpu.raises("LogicError", "int a", fn, 1.5, { block = 1 })
    end
  end)

  it("finds headers beside the source and in the working directory, and says where one is missing", function()
    local dir = os.tmpname()
    os.remove(dir)
    assert(os.execute("mkdir " .. dir) == 0)
    local file = assert(io.open(dir .. "/h.h", "w"))
    file:write "template<class T> struct H { T t; };\n"
    file:close()
    cuda.compile('#include "h.h"\n__global__ void k() {}', { name = dir .. "/k.cu" })
    cuda.compile('#include "../' .. dir:match "[^/]*$" .. '/h.h"\n__global__ void k() {}', { name = dir .. "/k.cu" })
    cuda.compile('namespace n {\n#include "h.h"\n}\n#define HDR "h.h"\n#include HDR\n', { name = dir .. "/k.cu" })
    os.execute("rm -r " .. dir)
    local err = gpu.error_of("CompileError", cuda.compile, "\n#include <nope.h>\n")
    assert.matches("kernel.cu%(2%)", err.log)
  end)

  it("headers of CUDA are found, and are not inside extern \"C\"", function()
    local mod = cuda.SourceModule [[
      #include <cuda_fp16.h>
      __global__ void half_of(float *out, const float *in) {
        out[threadIdx.x] = __half2float(__float2half(in[threadIdx.x]));
      }
    ]]
    local a, b = gpu.floats(1, 0.5, 2048.5), gpu.floats(0, 0, 0)
    mod:get_function "half_of"(cuda.Out(b), cuda.In(a), { block = 3 })
    assert.same({ 1, 0.5, 2048 }, { b[0], b[1], b[2] })
  end)

  it("options: include_dirs, options, name_expressions, no_extern_c", function()
    local mod = cuda.SourceModule("template<class T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v + ADD; }",
      { no_extern_c = true, options = { "-DADD=2" }, name_expressions = { "fill<float>", "fill<short>" } })
    local f, s = gpu.floats(0, 0), ffi.new "int16_t[2]"
    mod:get_function "fill<float>"(cuda.Out(f), 1.5, { block = 2 })
    mod:get_function "fill<short>"(cuda.Out(s), -7, { block = 2 })
    assert.same({ 3.5, 3.5, -5, -5 }, { f[0], f[1], s[0], s[1] })
    gpu.error_of("CompileError", cuda.compile, "#include <not_there.h>", { include_dirs = { "/nowhere" } })
    local err = gpu.error_of("CompileError", cuda.compile, "template<class T> __global__ void f(T *p) {}")
    assert.truthy(err.hint:find("no_extern_c", 1, true))
  end)

  it("bad input is refused before the compiler sees it", function()
    gpu.refuses_nonsense(cuda.compile, { string = true })
    gpu.refuses_nonsense(cuda.SourceModule, { string = true })
    gpu.raises("LogicError", "unknown option 'fast'", cuda.SourceModule, "", { fast = true })
    gpu.raises("LogicError", "options must be a list", cuda.compile, "", { options = "-G" })
    gpu.raises("LogicError", "without holes", cuda.compile, "", { options = { define = "X" } })
    gpu.raises("LogicError", "options[2] must be a string", cuda.compile, "", { options = { "-G", 1 } })
    gpu.raises("LogicError", "include_dirs must be a list", cuda.compile, "", { include_dirs = 1 })
    gpu.raises("LogicError", "headers must be a table", cuda.compile, "", { headers = { "x" } })
    gpu.raises("LogicError", "option arch must be a string", cuda.compile, "", { arch = 90 })
    gpu.raises("LogicError", "'sm_90' (machine code)", cuda.compile, "", { arch = "90" })
    gpu.raises("LogicError", "{major, minor}", cuda.compile, "", { arch = { 9 } })
    gpu.raises("LogicError", "{major, minor}", cuda.compile, "", { code = { 9, 0 / 0 } })
    gpu.raises("LogicError", "older than arch", cuda.compile, "", { arch = "compute_90", code = "sm_80" })
    gpu.raises("LogicError", "needs a real architecture", cuda.compile, "", { arch = "compute_90", target = "cubin" })
    gpu.raises("LogicError", "compile: option target must", cuda.compile, "", { target = "fatbin" })
    gpu.raises("LogicError", "LTO-IR cannot be loaded", cuda.SourceModule, "", { target = "ltoir" })
    gpu.raises("LogicError", "compile: option std must", cuda.compile, "", { std = "17" })
    gpu.raises("LogicError", "compile: option backend must", cuda.compile, "", { backend = "gcc" })
    gpu.raises("LogicError", "option name is empty", cuda.compile, "", { name = "" })
    gpu.raises("LogicError", "a folder's path or false", cuda.compile, "", { cache_dir = true })
    gpu.raises("LogicError", "a header has an empty name", cuda.compile, "", { headers = { [""] = "" } })
    gpu.raises("LogicError", "zero byte", cuda.compile, "", { headers = { a = "\0" } })
    gpu.raises("LogicError", "a name expression is empty", cuda.compile, "", { name_expressions = { " " } })
    for _, name in ipairs { "no_extern_c", "default_device", "lineinfo", "debug", "minimal", "pch", "time", "keep" } do
      gpu.raises("LogicError", "option " .. name .. " must be true or false", cuda.compile, "", { [name] = 1 })
    end
    for _, name in ipairs { "options", "arch", "code", "no_extern_c", "include_dirs", "headers", "name",
      "name_expressions", "default_device", "std", "lineinfo", "debug", "minimal", "pch", "time", "keep", "cache_dir",
      "target", "backend" } do
      gpu.refuses_nonsense(function(v) return cuda.compile("nope", { arch = "compute_80", [name] = v }) end,
        { boolean = name == "keep", string = name == "cache_dir" }) -- a string would make that folder
    end
    gpu.raises("LogicError", "zero byte", cuda.compile, "int a;\0int b;")
    gpu.raises("LogicError", "expected a table of options", cuda.compile, "", "-G")
  end)

  it("an architecture that NVRTC does not know comes with those that it knows", function()
    local err = gpu.raises("CompileError", "does not compile for sm_10", cuda.compile, "", { arch = "sm_10" })
    assert.matches("75, 80", err.hint)
    gpu.raises("CompileError", "for compute_999", cuda.compile, "", { arch = "compute_999" })
  end)

  it("NVRTC that is not there is a RuntimeError that says what to do", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      local ok, err = pcall(cuda.compile, "", { arch = "compute_80" })
      assert(not ok and cuda.is_error(err, "RuntimeError"), tostring(err))
      assert(err.detail:find("/nowhere/libnvrtc.so", 1, true))
      print(err.hint)
    ]], "CUDALUA_NVRTC=/nowhere/libnvrtc.so")
    assert.truthy(out:find("CUDA_HOME", 1, true))
  end)
end)
