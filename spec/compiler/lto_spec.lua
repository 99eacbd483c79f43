-- cuda.link. Where nvJitLink is not installed, each test is that the user is told so; CI installs it.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local compiler = require "cudalua.compiler"
local core = require "cudalua.core"
local dynamic = require "cudalua.compiler.dynamic"
local nvjitlink = require "cudalua.compiler.nvjitlink"

local caller_source = [[
  extern __device__ int triple(int);
  extern "C" __global__ void k(int *p) { *p = triple(*p); }
]]
local callee_source = "__device__ int triple(int x) { return 3 * x; }"

local function compile(source, arch, target)
  return (cuda.compile(source, { arch = arch, target = target, no_extern_c = true, options = { "-rdc=true" } }))
end

-- A relocatable cubin, also where the device is the software one.
local function machine_code(source)
  compiler.nvrtc()
  return core.nvrtc_compile(source, "a.cu", { "-rdc=true", "--gpu-architecture=sm_90" }, {}, {}, {}).cubin
end

describe("link-time optimisation", function()
  local here = nvjitlink.library() ~= nil

  local function test(name, f)
    it(name, function()
      if here then return f() end
      assert.is_nil(os.getenv "CI")
      local err = gpu.raises("RuntimeError", "nvJitLink", cuda.link, { "// PTX" }, { arch = "sm_90" })
      assert.truthy(err.hint:find("nvidia-nvjitlink", 1, true))
    end)
  end

  before_each(gpu.context)

  test("cuda.link makes one image of LTO-IR, with the function of one inside the kernel of the other", function()
    local caller, callee = compile(caller_source, nil, "ltoir"), compile(callee_source, nil, "ltoir")
    local image, log = cuda.link{ caller, { data = callee, type = "ltoir", name = "callee" } }
    assert.is_nil(log)
    assert.is_nil(image:find("triple", 1, true))
    assert.truthy(image:find(gpu.soft and "\n%.version %d" or "^\127ELF"))
    local p = ffi.new("int[1]", 14)
    cuda.module_from_buffer(image):get_function "k"(cuda.InOut(p), { block = 1 })
    assert.equal(42, p[0])
  end)

  test("cuda.link needs no device where arch is given", function()
    local caller, callee = compile(caller_source, "sm_80", "ltoir"), compile(callee_source, "sm_80", "ltoir")
    for arch, head in pairs{ sm_90 = "^\127ELF", compute_90 = "\n%.target sm_90\n" } do
      assert.truthy(cuda.link({ caller, callee }, { arch = arch }):find(head))
    end
    assert.truthy(cuda.link({ caller, callee }, { arch = "sm_80", target = "ptx" }):find "\n%.target sm_80\n")
    local text, ok = gpu.child([[
      local cuda = require "cudalua"
      local ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n ret;\n}\n"
      print(cuda.link({ ptx }, { arch = "sm_90" }):sub(2, 4), cuda.driver_info().open)
      print(select(2, pcall(cuda.link, { ptx })).message)
    ]])
    assert.is_true(ok, text)
    assert.truthy(text:find("^ELF\tfalse\n"), text)
    assert.truthy(text:find("no context is current", 1, true))
  end)

  test("PTX, cubins, fatbins and files are linked as well, and mixed", function()
    -- The compute_80 compiler's PTX is for machine code of every device that there is.
    local caller, callee = compile(caller_source, "compute_80"), compile(callee_source, "compute_80")
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(callee, "\0")
    file:close()
    local lto = compile(callee_source, "sm_80", "ltoir")
    for _, inputs in ipairs{ { caller, callee }, { caller, { file = path } }, { caller, lto },
      { machine_code(caller_source), callee }, { machine_code(caller_source), lto },
      { callee, { data = caller, type = "ptx" } } } do
      local image = cuda.link(inputs, { arch = "sm_90", target = "cubin" })
      assert.equal("\127ELF", image:sub(1, 4))
      assert.truthy(image:find("\0k\0", 1, true))
    end
    os.remove(path)
    local err = gpu.error_of("RuntimeError", cuda.link, { caller, { file = path } }, { arch = "sm_90" })
    assert.equal(301, err.code)
    if not gpu.soft then
      local p = ffi.new("int[1]", 14)
      cuda.module_from_buffer(cuda.link{ caller, callee }):get_function "k"(cuda.InOut(p), { block = 1 })
      assert.equal(42, p[0])
    else
      err = gpu.raises("LogicError", "PTX only from LTO-IR", cuda.link, { caller, callee })
      assert.truthy(err.hint:find("cuda.Linker", 1, true))
    end
  end)

  test("options go to nvJitLink; what it reports is the second result", function()
    local caller, callee = compile(caller_source, "sm_80", "ltoir"), compile(callee_source, "sm_80", "ltoir")
    local _, log = cuda.link({ caller, callee }, { arch = "sm_90", options = { "-verbose", "-maxrregcount=16" } })
    assert.truthy(log:find("Compiling entry function 'k' for 'sm_90'", 1, true))
    local err = gpu.raises("CompileError", "UNRECOGNIZED_OPTION", cuda.link, { caller, callee },
      { arch = "sm_90", options = { "-nonsense" } })
    assert.truthy(err.log:find("-nonsense", 1, true))
    assert.same({ "-arch=sm_90", "-lto", "-nonsense" }, err.options)
    gpu.raises("CompileError", "UNSUPPORTED_ARCH", cuda.link, { caller, callee }, { arch = "sm_20" })
    gpu.raises("CompileError", "LTO_NOT_ENABLED", cuda.link, { caller, callee }, { arch = "sm_90", lto = false })
  end)

  test("missing symbols and architectures are CompileErrors with the log", function()
    for _, caller in ipairs{ compile(caller_source, "sm_90", "ltoir"), compile(caller_source, "compute_90"),
      machine_code(caller_source) } do
      local err = gpu.error_of("CompileError", cuda.link, { { data = caller, name = "caller" } }, { arch = "sm_90" })
      assert.truthy(err.log:find("triple", 1, true), err.log)
      assert.truthy(tostring(err):find("triple", 1, true))
    end
    local new = compile(callee_source, "sm_90", "ltoir")
    local err = gpu.raises("CompileError", "ARCH_MISMATCH", cuda.link, { new }, { arch = "sm_80" })
    assert.truthy(err.hint:find("architecture", 1, true))
  end)

  test("a symbol that is there twice is a CompileError", function()
    for _, callee in ipairs{ compile(callee_source, "sm_90", "ltoir"), compile(callee_source, "compute_80"),
      machine_code(callee_source) } do
      local err = gpu.error_of("CompileError", cuda.link, { { data = callee, name = "one" }, { data = callee,
        name = "two" } }, { arch = "sm_90" })
      assert.truthy(err.log:find "multipl" or err.log:find "Multiple", err.log)
      assert.truthy(err.log:find("triple", 1, true))
      assert.truthy(err.log:find("two", 1, true))
    end
    local twice = cuda.link({ compile("template<class T> __device__ T both; __device__ int *p() { return &both<int>; }",
      "compute_80"), compile("template<class T> __device__ T both; __device__ int *q() { return &both<int>; }",
      "compute_80") }, { arch = "sm_90" })
    assert.equal("\127ELF", twice:sub(1, 4)) -- templates may be
  end)

  test("a library of the toolkit brings what is used of it", function()
    local path = dynamic.find_stdlib("cudadevrt")
    assert.truthy(path)
    local source = [[
      extern "C" __global__ void child(int *p) { *p = 42; }
      extern "C" __global__ void k(int *p) { child<<<1, 1>>>(p); }
    ]]
    local ptx = compile(source, "compute_80")
    local err = gpu.error_of("CompileError", cuda.link, { ptx }, { arch = "sm_90" })
    assert.truthy(err.log:find("__cudaCDP2LaunchDeviceV2", 1, true))
    assert.equal("\127ELF", cuda.link({ ptx, { file = path } }, { arch = "sm_90" }):sub(1, 4))
    local file = assert(io.open(path, "rb"))
    local bytes = file:read "*a"
    file:close()
    gpu.raises("LogicError", "not a complete library", cuda.link, { ptx, bytes:sub(1, -100) }, { arch = "sm_90" })
  end)

  test("what is not an image is refused before nvJitLink can stumble over it", function()
    local ptx, opts = compile(callee_source, "compute_80"), { arch = "sm_90" }
    local cubin = cuda.link({ ptx }, opts)
    for _, bytes in ipairs{ 1, 20, 64, 500, #cubin - 1 } do
      gpu.raises("LogicError", "complete image", cuda.link, { cubin:sub(1, bytes) }, opts)
    end
    gpu.raises("LogicError", "complete image", cuda.link, { "\80\237\85\186" .. ("x"):rep(100) }, opts)
    gpu.raises("LogicError", "complete image", cuda.link, { "\0\1\2" }, opts)
    gpu.raises("LogicError", "not a complete library", cuda.link, { "!<arch>\n" .. ("x"):rep(100) }, opts)
    gpu.raises("LogicError", "is empty", cuda.link, { "" }, opts)
    gpu.raises("CompileError", "INCORRECT_INPUT_TYPE", cuda.link, { { data = ptx, type = "cubin" } }, opts)
    gpu.error_of("CompileError", cuda.link, { { data = ptx, type = "ltoir" } }, opts)
    gpu.error_of("CompileError", cuda.link, { "nonsense" }, opts)
    local lto = compile(callee_source, "sm_80", "ltoir")
    for _, bytes in ipairs{ 4, 16, 100, #lto - 1 } do
      gpu.error_of("CompileError", cuda.link, { lto:sub(1, bytes) }, opts)
    end
  end)

  test("bad input", function()
    local ptx = compile(callee_source, "compute_80")
    gpu.raises("LogicError", "link: the list of images is empty", cuda.link, {}, { arch = "sm_90" })
    gpu.raises("LogicError", "either data or file", cuda.link, { {} }, { arch = "sm_90" })
    gpu.raises("LogicError", "either data or file", cuda.link, { { data = ptx, file = "x" } }, { arch = "sm_90" })
    gpu.raises("LogicError", "valid types: cubin, ptx", cuda.link, { { data = ptx, type = "elf" } }, { arch = "sm_90" })
    gpu.raises("LogicError", "unknown option 'kind'", cuda.link, { { data = ptx, kind = "ptx" } }, { arch = "sm_90" })
    gpu.raises("LogicError", "zero byte", cuda.link, { { data = ptx, name = "a\0b" } }, { arch = "sm_90" })
    gpu.raises("LogicError", "unknown option 'code'", cuda.link, { ptx }, { code = "sm_90" })
    gpu.raises("LogicError", "target must be", cuda.link, { ptx }, { arch = "sm_90", target = "ltoir" })
    gpu.raises("LogicError", "lto must be a boolean", cuda.link, { ptx }, { arch = "sm_90", lto = 1 })
    gpu.raises("LogicError", "options[1]", cuda.link, { ptx }, { arch = "sm_90", options = { 1 } })
    gpu.raises("LogicError", "PTX only from LTO-IR", cuda.link, { ptx }, { arch = "compute_90" })
    for _, arch in ipairs{ "sm_9", "sm_9a", "sm_", "", "90", "SM_90", "sm_90 ", "sm_90\0" } do
      gpu.raises("LogicError", "arch must be an architecture such as", cuda.link, { ptx }, { arch = arch })
    end
    gpu.raises("LogicError", "option arch", cuda.link, { ptx }, { arch = "sm_90", options = { "-arch=sm_9" } })
    gpu.raises("CompileError", "_ARCH", cuda.link, { ptx }, { arch = "sm_99" })
    gpu.refuses_nonsense(function(v) cuda.link(v, { arch = "sm_90" }) end)
    gpu.refuses_nonsense(function(v) cuda.link({ v }, { arch = "sm_90" }) end)
    gpu.refuses_nonsense(function(v) cuda.link({ { data = v } }, { arch = "sm_90" }) end)
    gpu.refuses_nonsense(function(v) cuda.link({ { file = v } }, { arch = "sm_90" }) end)
    gpu.refuses_nonsense(function(v) cuda.link({ ptx }, { arch = v }) end, { ["nil"] = true })
    gpu.refuses_nonsense(function(v) cuda.link({ ptx }, v) end, { ["nil"] = true, table = true })
  end)

  it("cuda.link without the library says what to install", function()
    local text, ok = gpu.child([[
      local cuda = require "cudalua"
      local _, err = pcall(cuda.link, { ".version 8.0" }, { arch = "sm_90" })
      print(err.class, err.message)
      print(err.hint)
      print(err.detail)
    ]], "CUDALUA_NVJITLINK=/nowhere/libnvJitLink.so")
    assert.is_true(ok, text)
    assert.truthy(text:find("^RuntimeError\tlink: nvJitLink.*was not found"), text)
    assert.truthy(text:find("wheel nvidia-nvjitlink", 1, true))
    assert.truthy(text:find("/nowhere/libnvJitLink.so", 1, true))
  end)
end)
