local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local compiler = require "cudalua.compiler"
local core = require "cudalua.core"
local nvjitlink = require "cudalua.compiler.nvjitlink"
local dynamic = require "cudalua.compiler.dynamic"

local caller = [[
  extern __device__ int triple(int);
  extern __device__ int counter;
  __global__ void k(int *p, int add) { *p = triple(*p) + add; counter = *p; }
]]
local callee = [[
  __device__ int counter = 7;
  __device__ int triple(int x) { return 3 * x; }
  __global__ void read_counter(int *p, int add) { *p = counter + add; }
]]

local function run(fn, value, ...)
  local p = ffi.new("int[1]", value)
  local args = { ... }
  args[#args + 1] = { block = 1 }
  fn(cuda.InOut { ptr = p, nbytes = 4 }, unpack(args)) -- some store a short to it
  return p[0]
end

local function temporary(bytes)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
  return path
end

local function rdc_ptx(source)
  return (cuda.compile(source, { arch = "compute_80", options = { "-rdc=true" } }))
end

describe("modules of several pieces", function()
  before_each(gpu.context)

  it("cuda.DynamicModule: functions and variables of one source are used in another", function()
    local mod = cuda.DynamicModule()
    assert.truthy(tostring(mod):find "not linked yet")
    assert.equal(mod, mod:add_source(caller))
    assert.equal(mod, mod:add_source(callee))
    assert.equal(mod, mod:link())
    assert.truthy(tostring(mod):find "cudalua.Module")
    assert.equal("Module", core.kind(mod.module))
    -- Plain numbers in both kernels: their signatures came along.
    assert.equal(47, run(mod:get_function "k", 14, 5))
    assert.equal(50, run(mod:get_function "read_counter", 0, 3))
    assert.equal(mod:get_function "k", mod:get_function "k")
  end)

  it("cuda.DynamicModule:get_function and cuda.DynamicModule:get_global find what any piece has", function()
    local mod = cuda.DynamicModule():add_source(callee):add_source(caller):link()
    local p, bytes = mod:get_global "counter"
    assert.equal(4, bytes)
    local value = ffi.new "int[1]"
    cuda.memcpy_dtoh(value, p)
    assert.equal(7, value[0])
    run(mod:get_function "k", 1, 1)
    cuda.memcpy_dtoh(value, p)
    assert.equal(4, value[0])
    assert.equal(500, gpu.error_of("LogicError", mod.get_function, mod, "nothing").code)
    assert.equal(500, gpu.error_of("LogicError", mod.get_global, mod, "nothing").code)
    gpu.raises("LogicError", "int add", run, mod:get_function "k", 1, "text")
  end)

  it("cuda.DynamicModule:add_source takes options of its own and has the module's", function()
    local mod = cuda.DynamicModule{ headers = { ["value.h"] = "#define VALUE 40" }, no_extern_c = true }
    mod:add_source([[
      #include "value.h"
      template<class T> __global__ void put(T *p) { *p = VALUE + OTHER; }
    ]], { options = { "-DOTHER=2" }, name_expressions = { "put<int>", "put<short>" } })
    local on_notice = cuda.on_notice
    cuda.on_notice = function() end
    mod:add_source([[
      #include "value.h"
      extern "C" __global__ void plain(int *p) { int unused; *p = VALUE; }
    ]], { name = "second.cu" })
    mod:link()
    cuda.on_notice = on_notice
    assert.equal(42, run(mod:get_function "put<int>", 0))
    assert.equal(42, run(mod:get_function "put< int >", 0))
    assert.equal(-65536 + 42, run(mod:get_function "put<short>", -1))
    assert.equal(40, run(mod:get_function "plain", 0))
    assert.truthy(mod.log:find("second.cu(2): warning", 1, true), mod.log)
    local err = gpu.error_of("CompileError", function()
      cuda.DynamicModule():add_source("__global__ void a() {}"):add_source "__global__ void b() { nope; }"
    end)
    assert.truthy(err.log:find("kernel2.cu(1): error", 1, true), err.log)
    gpu.raises("LogicError", "target", function() cuda.DynamicModule():add_source("", { target = "ptx" }) end)
  end)

  it("cuda.DynamicModule:add_data and cuda.DynamicModule:add_file add images", function()
    local path = temporary(rdc_ptx(callee))
    local mod = cuda.DynamicModule():add_file(path, "ptx"):add_data(rdc_ptx(caller), cuda.jit_input_type.PTX, "caller")
    assert.equal(47, run(mod:link():get_function "k", 14, cuda.int32(5)))
    mod = cuda.DynamicModule():add_source(caller):add_data(rdc_ptx(callee), "ptx"):link()
    assert.equal(47, run(mod:get_function "k", 14, 5))
    os.remove(path)
    mod = cuda.DynamicModule()
    assert.equal(301, gpu.error_of("RuntimeError", mod.add_file, mod, path, "ptx").code)
    gpu.raises("LogicError", "input_type", mod.add_data, mod, "x", "elf64")
  end)

  it("cuda.DynamicModule:link says what is missing, and hands it to message_handler", function()
    local heard
    local function handler(...) heard = { ... } end
    local mod = cuda.DynamicModule{ message_handler = handler }:add_source(caller, { name = "caller.cu" })
    local err = gpu.error_of("CompileError", mod.link, mod)
    assert.truthy(err.log:find "Undefined reference to 'triple' in 'caller.cu'", err.log)
    assert.truthy(err.log:find "Undefined reference to 'counter' in 'caller.cu'")
    assert.is_nil(err.hint)
    assert.is_false(heard[1])
    assert.equal(err.log, heard[3])
    assert.is_nil(mod.module)
    mod = cuda.DynamicModule{ message_handler = handler, log_verbose = true, link_options = { max_registers = 32 } }
    mod:add_source(callee):add_source(caller):link()
    assert.is_true(heard[1])
    assert.equal(47, run(mod:get_function "k", 14, 5))
    local twice = cuda.DynamicModule():add_source(callee, { name = "one.cu" })
    err = gpu.error_of("CompileError", twice.add_source, twice, callee, { name = "two.cu" })
    assert.truthy(err.log:find "Multiple definition of '%w+' in 'two.cu', first defined in 'one.cu'", err.log)
    gpu.error_of("CompileError", twice.link, twice)
  end)

  it("before and after linking", function()
    local mod = cuda.DynamicModule():add_source(callee)
    gpu.raises("LogicError", "not linked yet", mod.get_function, mod, "read_counter")
    gpu.raises("LogicError", "not linked yet", mod.get_global, mod, "counter")
    mod:link()
    gpu.raises("LogicError", "already linked", mod.link, mod)
    gpu.raises("LogicError", "already linked", mod.add_source, mod, caller)
    gpu.raises("LogicError", "already linked", mod.add_data, mod, "x", "ptx")
    gpu.raises("LogicError", "already linked", mod.add_file, mod, "x", "ptx")
    gpu.raises("LogicError", "already linked", mod.add_stdlib, mod, "cudadevrt")
    assert.equal(8, run(mod:get_function "read_counter", 0, 1))
    mod = cuda.DynamicModule():link() -- of nothing: a module without kernels, as the driver has it
    gpu.error_of("LogicError", mod.get_function, mod, "k")
    mod.module:close()
    gpu.raises("LogicError", "closed", mod.get_function, mod, "k")
  end)

  it("cuda.DynamicModule:add_stdlib finds the toolkit's libraries", function()
    local path = dynamic.find_stdlib "cudadevrt"
    local mod = cuda.DynamicModule():add_source(callee)
    if path or gpu.soft then
      assert.equal(mod, mod:add_stdlib "cudadevrt")
    else
      gpu.raises("RuntimeError", "libcudadevrt.a was not found", mod.add_stdlib, mod, "cudadevrt")
    end
    assert.equal(8, run(mod:link():get_function "read_counter", 0, 1))
    mod = cuda.DynamicModule{ library_dirs = { "/nowhere" } }
    local err = gpu.raises("RuntimeError", "libnothing.a was not found", mod.add_stdlib, mod, "nothing")
    assert.truthy(err.detail:find("^/nowhere/libnothing.a\n"))
    gpu.raises("LogicError", "name of a library", mod.add_stdlib, mod, "../cudadevrt")
    gpu.refuses_nonsense(function(v) mod:add_stdlib(v) end)
  end)

  it("cuda.DynamicSourceModule: kernels launch kernels on a GPU; the software device says that it cannot", function()
    local mod = cuda.DynamicSourceModule("__global__ void k(int *p, int n) { *p = n; }")
    assert.equal(42, run(mod:get_function "k", 0, 42))
    local parent = [[
      __global__ void child(int *p, int n) { p[threadIdx.x] += n; }
      __global__ void k(int *p, int n) { p[0] = 1; child<<<1, 1>>>(p, n); }
    ]]
    if gpu.soft or not dynamic.find_stdlib "cudadevrt" then
      local err = gpu.error_of("CompileError", cuda.DynamicSourceModule, parent)
      assert.truthy(err.log:find("__cudaCDP2LaunchDeviceV2", 1, true))
      assert.truthy(err.hint:find(gpu.soft and "software device" or "cudadevrt", 1, true))
    else
      assert.equal(42, run(cuda.DynamicSourceModule(parent):get_function "k", 0, 41))
      local mod2 = cuda.DynamicModule():add_source(parent)
      assert.truthy(gpu.error_of("CompileError", mod2.link, mod2).hint:find("cudadevrt", 1, true))
    end
  end)

  it("cuda.DynamicModule with lto: nvJitLink optimises across the pieces", function()
    local mod = cuda.DynamicModule{ lto = true }:add_source(caller):add_source(callee)
    if not nvjitlink.library() then
      assert.is_nil(os.getenv "CI")
      gpu.raises("RuntimeError", "nvJitLink", mod.link, mod)
      return
    end
    mod:link()
    assert.equal(47, run(mod:get_function "k", 14, 5))
    assert.equal(50, run(mod:get_function "read_counter", 0, 3))
    local heard
    mod = cuda.DynamicModule{ lto = true, log_verbose = true, link_options = { "-maxrregcount=32" },
      message_handler = function(...) heard = { ... } end }
    mod:add_source(caller, { name = "caller.cu" })
    local err = gpu.error_of("CompileError", mod.link, mod)
    assert.truthy(err.log:find("triple", 1, true) or err.info_log:find("triple", 1, true), tostring(err))
    assert.is_false(heard[1])
    local ltoir = cuda.compile(callee, { target = "ltoir", options = { "-rdc=true" } })
    mod:add_data(ltoir, "LTOIR", "callee"):link()
    assert.is_true(heard[1])
    assert.equal(47, run(mod:get_function "k", 14, 5))
    local path = temporary(ltoir)
    mod = cuda.DynamicModule{ lto = true }:add_file(path, "ltoir"):add_source(caller):link()
    os.remove(path)
    assert.equal(47, run(mod:get_function "k", 14, 5))
    mod = cuda.DynamicModule{ lto = true }
    gpu.raises("LogicError", "the list of images is empty", mod.link, mod)
    gpu.raises("LogicError", "input_type", mod.add_data, mod, "x", "elf64")
    gpu.refuses_nonsense(function(v) mod:add_data(v, "ptx") end, { string = true })
    gpu.refuses_nonsense(function(v) mod:add_file(v, "ptx") end)
    gpu.refuses_nonsense(function(v) mod:add_data(ltoir, v) end)
    gpu.raises("LogicError", "options[1]", cuda.DynamicModule, { lto = true, link_options = { 1 } })
  end)

  it("bad input", function()
    gpu.raises("LogicError", "lto must be a boolean", cuda.DynamicModule, { lto = 1 })
    gpu.raises("LogicError", "message_handler must be a function", cuda.DynamicModule, { message_handler = 1 })
    gpu.raises("LogicError", "library_dirs[1]", cuda.DynamicModule, { library_dirs = { 1 } })
    gpu.refuses_nonsense(cuda.DynamicModule, { ["nil"] = true, table = true })
    gpu.raises("LogicError", "unknown option 'verbose'", function()
      cuda.DynamicModule{ verbose = true }:add_source(callee)
    end)
    local mod = cuda.DynamicModule()
    gpu.refuses_nonsense(function(v) mod:add_source(v) end, { string = true })
    gpu.refuses_nonsense(function(v) mod:add_source(callee, v) end, { ["nil"] = true, table = true })
    gpu.refuses_nonsense(function(v) mod:add_data(v, "ptx") end, { string = true })
    gpu.refuses_nonsense(function(v) mod:add_file(v, "ptx") end)
    for _, method in ipairs{ "add_source", "add_data", "add_file", "add_stdlib", "link", "get_function",
      "get_global" } do
      gpu.raises("LogicError", "mod:" .. method, mod[method], "not the module")
      gpu.raises("LogicError", "mod:" .. method, mod[method])
    end
    gpu.refuses_nonsense(function(v) cuda.DynamicSourceModule(v) end, { string = true })
    assert.equal(compiler.DynamicModule, cuda.DynamicModule)
    assert.equal(compiler.DynamicSourceModule, cuda.DynamicSourceModule)
  end)
end)
