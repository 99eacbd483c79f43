-- What starts by itself: the driver, and a context in a thread that never had one. Each case is a process of its own.
local gpu = require "spec.support.gpu"

local prelude = [==[
  local cuda = require "cudalua"
  local ffi = require "ffi"
  assert(not cuda.driver_info().open and cuda.Context.get_current() == nil and not cuda.driver_info().open)
  local function primary(n) return cuda.Device(n or 0):retain_primary_context() end
  local function code_of(f, ...)
    local ok, err = pcall(f, ...)
    assert(not ok, "it raised nothing")
    assert(cuda.is_error(err), tostring(err))
    return err.code
  end
  local function alloc() return cuda.mem_alloc(16) end
]==]

local function child(code, environment)
  return gpu.child(prelude .. code, (environment or "") .. " " .. gpu.driver)
end

local function fine(code, environment)
  local out, ok = child(code .. "\nio.write 'fine'", environment or "CUDA_DEVICE=0")
  assert.equal("fine", out)
  assert.is_true(ok)
end

local function each(cases, code)
  for _, case in ipairs(cases) do fine((code:gsub("CASE", function() return case end))) end
end

describe("what starts by itself", function()
  it("starts the default device's primary context for the first call that needs one", function()
    each({
      "cuda.mem_alloc(16)", "cuda.mem_alloc_async(16)", "cuda.mem_alloc_pitch(16, 16, 4)", "cuda.to_device 'text'",
      "cuda.pagelocked_empty(4, 'int32')", "cuda.managed_empty(4, 'int32')", "cuda.mem_get_info()",
      "cuda.register_host_memory(ffi.new 'char[4096]')", "cuda.DeviceMemoryPool():allocate(64)",
      "cuda.PageLockedMemoryPool():allocate(4, 'int32')", "cuda.MemoryPool()", "cuda.default_mempool()",
      "cuda.Array(cuda.ArrayDescriptor { width = 8, height = 8 })", "cuda.Stream()", "cuda.Event():record()",
      "cuda.legacy_stream:synchronize()", "cuda.legacy_stream:is_done()", "cuda.Stream.priority_range()",
      "cuda.Context.synchronize()", "cuda.Context.get_device()", "cuda.Context.get_limit 'stack_size'",
      "cuda.Context.get_flags()", "cuda.Context.get_api_version()", "cuda.start_profiler()",
      "cuda.SourceModule '__global__ void f() {}' : get_function 'f' { block = 1 }",
      "cuda.module_from_buffer(cuda.compile('__global__ void f() {}', { arch = 'compute_75' }))",
      "cuda.DynamicModule():add_source '__global__ void f() {}' : link()",
      "cuda.tools.context_dependent_memoize(function() end)()",
      "cuda.gpuarray.zeros(3)", "cuda.gpuarray.to_gpu({ 1, 2 }):sum():item()",
      "assert(tostring(cuda.gpuarray.arange(3) * 2) == '[0 2 4]')", "cuda.random.rand(4):get()",
      "cuda.elementwise.ElementwiseKernel('float *x', 'x[i] = i')(cuda.gpuarray.empty(4))",
    }, "CASE\nassert(cuda.Context.get_current() == primary())")
  end)

  it("compiles for the device of the context that starts", function()
    fine [[
      local major, minor = 0, 0
      local f = cuda.SourceModule("__global__ void f(int *o) { *o = __CUDA_ARCH__; }"):get_function "f"
      local o = ffi.new "int[1]"
      f(cuda.Out(o), { block = 1 })
      major, minor = cuda.Device(0):compute_capability()
      assert(o[0] == major * 100 + minor * 10, o[0])
    ]]
  end)

  it("opens the driver alone for what needs no context", function()
    each({ "cuda.Device.count()", "cuda.Device(0)", "cuda.Device(0):name()", "cuda.init()", "cuda.default_mempool(0)",
      "cuda.Device(0):retain_primary_context()" },
      "CASE\nassert(cuda.driver_info().open and cuda.Context.get_current() == nil)")
  end)

  it("starts nothing for what only asks, and for what takes a context off", function()
    fine [[
      assert(cuda.Context.get_current() == nil and cuda.get_driver_version() > 0 and not cuda.softgpu.active())
      for _, f in ipairs { cuda.Context.pop, cuda.device_error, cuda.Context.is_poisoned, cuda.Context.attach } do
        assert(code_of(f) == 3 and not cuda.driver_info().open)
      end
      cuda.init()
      for _, f in ipairs { cuda.Context.pop, cuda.device_error, cuda.Context.is_poisoned, cuda.Context.attach } do
        assert(code_of(f) == 201 and cuda.Context.get_current() == nil)
      end
      alloc()
      assert(cuda.Context.get_current() == primary())
    ]]
  end)

  it("raises 201 where a context was popped, closed or left", function()
    each({ "alloc() cuda.Context.pop()", "alloc() cuda.Context.get_current():detach()",
      "cuda.Device(0):make_context() cuda.Context.pop()", "cuda.Device(0):make_context():detach()",
      "primary():push() cuda.Context.pop()", "primary():push():detach()", "primary():with(alloc)",
      "alloc() cuda.Device(0):make_context() cuda.Context.pop() cuda.Context.pop()",
      "require('cudalua.autoinit').context:detach()", "require('cudalua.autoprimaryctx').context:detach()",
      "coroutine.wrap(function() alloc() cuda.Context.pop() end)()",
    }, [[
      CASE
      assert(cuda.Context.get_current() == nil)
      for _, f in ipairs { alloc, function() return cuda.gpuarray.zeros(3) + 1 end, cuda.Context.synchronize,
        cuda.Stream, cuda.mem_get_info, function() cuda.SourceModule "__global__ void f() {}" end } do
        assert(code_of(f) == 201)
      end
      primary():push()
      alloc()
    ]])
  end)

  it("makes way for other contexts and is there again when they go", function()
    fine [[
      local a = cuda.gpuarray.arange(3)
      local first = cuda.Context.get_current()
      local own = cuda.Device(0):make_context()
      assert(cuda.Context.get_current() == own and own ~= first)
      assert(cuda.gpuarray.arange(4):sum():item() == 6)
      cuda.Context.pop()
      assert(cuda.Context.get_current() == first and a:sum():item() == 3)
      own:with(function() assert(cuda.gpuarray.arange(5):sum():item() == 10) end)
      local auto = require "cudalua.autoinit"
      assert(cuda.Context.get_current() == auto.context and auto.context ~= first)
      auto.context:detach()
      assert(cuda.Context.get_current() == first and require("cudalua.autoprimaryctx").context == first)
      cuda.Context.pop()
      assert(cuda.Context.get_current() == first)
      cuda.Context.pop()
      assert(code_of(alloc) == 201)
    ]]
  end)

  it("is on the device that CUDA_DEVICE or ~/.cuda_device names, as autoinit is", function()
    local home = os.tmpname()
    os.remove(home)
    os.execute("mkdir " .. home .. " && echo 1 > " .. home .. "/.cuda_device")
    local soft = "CUDALUA_SOFT_DEVICES=3 CUDALUA_DRIVER=soft "
    local ask = "alloc() print(cuda.Context.get_device():ordinal())"
    assert.equal("2\n", (gpu.child(prelude .. ask, soft .. "CUDA_DEVICE=2")))
    assert.equal("1\n", (gpu.child(prelude .. ask, soft .. "HOME=" .. home)))
    assert.equal("0\n", (gpu.child(prelude .. ask, soft .. "CUDA_DEVICE=0 HOME=" .. home)))
    os.execute("rm -r " .. home)
    ask = [[
      local ok, err = pcall(alloc)
      io.write(tostring(ok), " ", err.class, " ", err.message)
      assert(cuda.Context.get_current() == nil)
    ]]
    assert.equal("false LogicError CUDA_DEVICE is 'x': it must be the number of a device",
      (gpu.child(prelude .. ask, soft .. "CUDA_DEVICE=x")))
    assert.matches("^false LogicError cuDeviceGet failed: invalid device",
      (gpu.child(prelude .. ask, soft .. "CUDA_DEVICE=3")))
  end)

  it("says what is missing, at the caller's line, and tries again the next time", function()
    local out = gpu.child(prelude .. "print(select(2, pcall(alloc)))", "CUDALUA_DRIVER=/nowhere/libcuda.so.1")
    assert.matches("^[^\n]-:%d+: no CUDA driver: [^\n]*/nowhere/libcuda%.so%.1", out)
    out = gpu.child(prelude .. [[
      local ok, err = pcall(alloc)
      print(ok, err.class, err.message)
      alloc()
      print(cuda.Context.get_current() == primary())
    ]], "CUDALUA_DRIVER=soft CUDALUA_SOFT_FAIL=cuDevicePrimaryCtxRetain:1:2 CUDALUA_SOFT_DEVICES=1")
    assert.matches("^false\tRuntimeError\t[^\n]*none of the 1 devices gave a context %(device 0: [^\n]*memory", out)
    assert.matches("\ntrue\n$", out)
  end)

  it("tells cuda.on_notice once that the software device stands in", function()
    local out = gpu.child(prelude .. [[
      local told = 0
      function cuda.on_notice() told = told + 1 end
      alloc()
      cuda.init()
      alloc()
      print(told == (cuda.driver_info().soft and 1 or 0))
    ]], "CUDALUA_DRIVER=auto")
    assert.equal("true\n", out)
  end)

  it("leaves the collector as it was, and calls no finalizer meanwhile", function()
    fine [[
      local calls, inside = 0, false
      local on_start = require("cudalua.tools").make_default_context
      require("cudalua.tools").make_default_context = function(...)
        inside = true
        for _ = 1, 1000 do local _ = newproxy(true), ("x"):rep(1000) end
        local context = on_start(...)
        inside = false
        return context
      end
      for _ = 1, 100 do getmetatable(newproxy(true)).__gc = function() calls = calls + (inside and 1 or 0) end end
      alloc()
      assert(calls == 0 and collectgarbage "isrunning")
    ]]
    fine "collectgarbage 'stop' alloc() assert(not collectgarbage 'isrunning')"
  end)

  it("works in coroutines, captures and streams", function()
    fine [[
      local s = coroutine.wrap(function() return cuda.Stream() end)()
      assert(cuda.Context.get_current() == primary())
      local a = cuda.gpuarray.zeros(4)
      local g = s:capture(function() a:iadd(1) end):instantiate()
      g:launch(s)
      g:launch(s)
      s:synchronize()
      assert(a:sum():item() == 8)
    ]]
    fine [[
      local a
      cuda.per_thread_stream:use(function() a = cuda.gpuarray.arange(4) + 1 end)
      assert(a:sum():item() == 10)
    ]]
  end)

  it("starts in a forked child whose parent had not started, and in no other", function()
    local fork = [[
      ffi.cdef "int fork(void), waitpid(int, int *, int); void _exit(int);"
      local function in_child(f)
        local pid = ffi.C.fork()
        if pid == 0 then ffi.C._exit(pcall(f) and 0 or 1) end
        local status = ffi.new "int[1]"
        assert(ffi.C.waitpid(pid, status, 0) == pid)
        return status[0] == 0
      end
    ]]
    fine(fork .. [[
      assert(in_child(function() assert(cuda.gpuarray.arange(3):sum():item() == 3) end))
      assert(not cuda.driver_info().open)
      alloc()
      assert(in_child(function()
        local ok, err = pcall(alloc)
        assert(not ok and tostring(err):find "after fork")
      end))
      assert(cuda.Context.get_current() == primary())
    ]])
  end)

  it("starts anew after the software device was reset", function()
    local out = gpu.child(prelude .. [[
      local a = cuda.gpuarray.arange(3):eval()
      cuda.softgpu.set_device_count(2)
      assert(cuda.gpuarray.arange(4):sum():item() == 6)
      assert(not pcall(a.get, a))
      io.write "fine"
    ]], "CUDALUA_DRIVER=soft")
    assert.equal("fine", out)
  end)

  it("ends with the Lua state: nothing is left, and the next state starts again", function()
    local out = gpu.child([[
      local ffi = require "ffi"
      ffi.cdef "typedef struct lua_State lua_State; lua_State *luaL_newstate(void); void luaL_openlibs(lua_State *);"
      ffi.cdef "int luaL_loadstring(lua_State *, const char *); int lua_pcall(lua_State *, int, int, int);"
      ffi.cdef "const char *lua_tolstring(lua_State *, int, size_t *); void lua_close(lua_State *);"
      ffi.cdef "int cuCtxGetCurrent(void **);"
      local cuda = require "cudalua"
      local function state()
        local L = ffi.C.luaL_newstate()
        ffi.C.luaL_openlibs(L)
        local code = "a = require('cudalua').gpuarray.arange(5) assert(a:sum():item() == 10) b = a + 1"
        local status = ffi.C.luaL_loadstring(L, code)
        if status == 0 then status = ffi.C.lua_pcall(L, 0, 0, 0) end
        if status ~= 0 then print(ffi.string(ffi.C.lua_tolstring(L, -1, nil))) end
        return L
      end
      for _ = 1, 3 do
        local L = state()
        local other = state() -- in the context that the first one has started
        ffi.C.lua_close(L)
        local again = ffi.C.luaL_loadstring(other, "assert(a:sum():item() == 10) require('cudalua').mem_alloc(4)")
        assert(again == 0 and ffi.C.lua_pcall(other, 0, 0, 0) == 0) -- it starts one itself
        ffi.C.lua_close(other)
      end
      cuda.init()
      local now = ffi.new "void *[1]"
      ffi.load(cuda.driver_info().path).cuCtxGetCurrent(now)
      local live = cuda.driver_info().soft and cuda.softgpu.stats().live_contexts or 0
      print(now[0] == nil, live, require("cudalua.core").failed_destroys())
    ]], gpu.driver .. " CUDA_DEVICE=0")
    assert.equal("true\t0\t0\n", out)
    out = gpu.child("require('cudalua').gpuarray.arange(3):sum()", "CUDALUA_DRIVER=soft CUDALUA_SOFT_LEAKS=on")
    assert.equal("", out)
  end)
end)

describe("a module of the library that is required alone", function()
  it("gets the rest with the first call that needs the driver", function()
    for _, code in ipairs { "'cudalua.gpuarray'.arange(3):tolist()", "'cudalua.random'.rand(3):get()",
      "'cudalua.compiler'.SourceModule('__global__ void f() {}')", "'cudalua.gl'.have_gl_ext()",
      "'cudalua.driver'.mem_alloc(16)", "'cudalua.elementwise'.ElementwiseKernel('float *x', 'x[i] = i')",
      "'cudalua.fft'.fft(require 'cudalua.gpuarray'.arange(4)):get()", "'cudalua.sparse'.eye(3):todense():get()",
      "'cudalua.image'.resize(require 'cudalua.gpuarray'.eye(3), { 2, 2 }):get()",
      "'cudalua.linalg'.matrix_power(require 'cudalua.gpuarray'.eye(2), 2):get()" } do
      local out, ok = gpu.child("assert(require " .. code .. ") io.write 'fine'", gpu.driver)
      assert.equal("fine", out:match "[^\n]*$", code .. ": " .. out)
      assert.is_true(ok)
    end
  end)
end)
