-- Inside of a host program, which has contexts and streams of its own, forks, and opens several Lua states.
local gpu = require "spec.support.gpu"

local prelude = [[
  jit.off()
  local ffi = require "ffi"
  local cuda = require "cudalua"
  local core = require "cudalua.core"
  cuda.init()
  local soft = cuda.driver_info().soft and require "cudalua.softgpu"
  ffi.cdef [=[
    int cuDevicePrimaryCtxRetain(void **, int), cuDevicePrimaryCtxRelease_v2(int), cuCtxSetCurrent(void *);
    int cuCtxGetCurrent(void **), cuCtxPushCurrent_v2(void *), cuCtxPopCurrent_v2(void **), cuCtxSynchronize(void);
    int cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *), cuStreamCreate(void **, unsigned);
    int cuStreamDestroy_v2(void *), cuMemAlloc_v2(uint64_t *, size_t);
  ]=]
  local host = ffi.load(cuda.driver_info().path) -- the host program, at the driver
  local box = ffi.new "void *[1]"
  local function current()
    assert(host.cuCtxGetCurrent(box) == 0)
    return box[0]
  end
  local function primary()
    assert(host.cuDevicePrimaryCtxRetain(box, 0) == 0)
    return box[0]
  end
  local function own()
    assert(host.cuCtxCreate_v2(box, 0, 0) == 0)
    return box[0]
  end
  local function number(handle) return tonumber(ffi.cast("uintptr_t", handle)) end
  local source = "__global__ void put(int *a) { *a = 5; }"
]]

local states = [[
  ffi.cdef [=[
    typedef struct lua_State lua_State;
    lua_State *luaL_newstate(void);
    void luaL_openlibs(lua_State *), lua_close(lua_State *);
    int luaL_loadstring(lua_State *, const char *), lua_pcall(lua_State *, int, int, int);
    const char *lua_tolstring(lua_State *, int, size_t *);
    int fork(void), waitpid(int, int *, int);
    void _exit(int);
  ]=]
  local function state()
    local L = ffi.C.luaL_newstate()
    ffi.C.luaL_openlibs(L)
    return L
  end
  local function run(L, code) -- nil, or the error as a string
    if ffi.C.luaL_loadstring(L, code) ~= 0 or ffi.C.lua_pcall(L, 0, 0, 0) ~= 0 then
      return ffi.string(ffi.C.lua_tolstring(L, -1, nil))
    end
  end
]]

local function fine(code)
  local out, ok = gpu.child(prelude .. code, gpu.driver)
  assert.equal("fine\n", out)
  assert.is_true(ok)
end

describe("embedding", function()
  it("cuda.Context:detach of a context that goes on gives back what is in it, and waits for copies", function()
    for _, make in ipairs { "primary", "own" } do
      fine(([[
        local handle, shared = %s(), %q == "primary"
        assert(host.cuCtxSetCurrent(handle) == 0)
        local ctx = shared and cuda.Device(0):retain_primary_context() or cuda.Context.get_current()
        local s, e, mem = cuda.Stream(), cuda.Event(), cuda.mem_alloc(4096)
        local mod = cuda.SourceModule(source)
        local pooled, array = cuda.mem_alloc_async(64, s), cuda.Array(cuda.ArrayDescriptor { width = 8, height = 8 })
        local buffer = ffi.new "char[4096]"
        local registered = cuda.register_host_memory(buffer)
        cuda.memset_d8_async(mem, 7, 4096, s)
        cuda.memcpy_dtoh_async(registered, mem, s)
        mod:get_function "put"(pooled, { block = 1, stream = s })
        e:record(s)
        ctx:detach()
        assert(buffer[0] == 7 and buffer[4095] == 7)
        assert(not pcall(s.synchronize, s) and not pcall(cuda.memset_d8, mem, 1, 1))
        if soft then
          local left = soft.leaks()
          assert(#left == 1 and left[1]:find "^context", table.concat(left, "\n"))
        end
        s, e, mem, mod, pooled, array, registered = nil, nil, nil, nil, nil, nil, nil
        cuda.collect()
        assert(core.failed_destroys() == 0)
        assert(host.cuCtxSetCurrent(handle) == 0 and host.cuCtxSynchronize() == 0)
        assert(cuda.Context.get_current():handle() == number(handle) and cuda.Context.get_current() ~= ctx)
        cuda.mem_alloc(16):free()
        print "fine"
      ]]):format(make, make))
    end
  end)

  it("cuda.Device:retain_primary_context where it is current already is the same Context", function()
    fine [[
      local handle = primary()
      assert(host.cuCtxSetCurrent(handle) == 0)
      local mem, s = cuda.mem_alloc(4), cuda.Stream()
      local before = cuda.Context.get_current()
      local ctx = cuda.Device(0):retain_primary_context()
      assert(ctx == before and ctx:handle() == number(handle))
      cuda.SourceModule(source):get_function "put"(mem, { block = 1, stream = s })
      local a = ffi.new "int[1]"
      s:synchronize()
      cuda.memcpy_dtoh(a, mem)
      assert(a[0] == 5)
      ctx:detach()
      assert(host.cuDevicePrimaryCtxRelease_v2(0) == 0) -- the one and only
      assert(host.cuDevicePrimaryCtxRelease_v2(0) ~= 0)
      print "fine"
    ]]
  end)

  it("cuda.wrap_stream leaves the stack of contexts as it is", function()
    fine [[
      local handle, stream = primary(), ffi.new "void *[1]"
      assert(host.cuCtxPushCurrent_v2(handle) == 0 and host.cuStreamCreate(stream, 0) == 0)
      assert(host.cuCtxPopCurrent_v2(box) == 0)
      local ctx = cuda.Device(0):retain_primary_context()
      assert(cuda.wrap_stream(number(stream[0])):context() == ctx)
      ctx:detach()
      local s = cuda.wrap_stream(number(stream[0])) -- the host program goes on with both
      assert(current() == nil and core.context_depth() == 0)
      assert(s:context() ~= ctx and s:context():handle() == number(handle))
      s:synchronize()
      print "fine"
    ]]
  end)

  it("what a finalizer copies after the end of the state is waited for", function()
    fine(states .. [[
      -- made before the library was loaded: finalized after all of its objects
      local code = [=[
        local late = newproxy(true)
        getmetatable(late).__gc = function()
          local ok, err = pcall(cuda.memcpy_htod_async, address, ("x"):rep(1000))
          if not ok then print(err) end
        end
        cuda, address, held = require "cudalua", %.0f, late
      ]=]
      own()
      local address = ffi.new "uint64_t[1]"
      assert(host.cuMemAlloc_v2(address, 1000) == 0)
      local L = state()
      assert(not run(L, code:format(tonumber(address[0]))))
      ffi.C.lua_close(L)
      local a = ffi.new "char[1000]"
      cuda.memcpy_dtoh(a, cuda.pointer(tonumber(address[0])))
      assert(a[0] == 120 and a[999] == 120)
      print "fine"
    ]])
  end)

  it("Lua states come and go in a fork", function()
    fine(states .. [[
      local L = state()
      assert(not run(L, "cuda = require 'cudalua' c = cuda.Device(0):make_context() a = cuda.mem_alloc(64)"))
      local pid = ffi.C.fork()
      if pid == 0 then
        for _ = 1, 10 do -- at the same address again, as likely as not
          ffi.C.lua_close(L)
          L = state()
          local err = run(L, [=[
            local cuda = require "cudalua"
            local a = cuda.aligned_zeros(10)
            assert(a[10] == 0 and cuda.poll() == 0)
            local ok, err = pcall(cuda.mem_alloc, 10)
            assert(not ok and tostring(err):find "fork", err)
          ]=])
          if err then
            print(err)
            io.stdout:flush()
            ffi.C._exit(1)
          end
        end
        ffi.C._exit(0)
      end
      local status = ffi.new "int[1]"
      assert(ffi.C.waitpid(pid, status, 0) == pid and status[0] == 0)
      ffi.C.lua_close(L)
      print "fine"
    ]])
  end)

  it("cuda.Stream:capture of one state takes in no work of another", function()
    fine(states .. [[
      local ctx = cuda.Device(0):make_context()
      local s = cuda.Stream()
      local L = state()
      assert(not run(L, ([=[
        cuda = require "cudalua"
        memory = cuda.mem_alloc(64)
        streams = { cuda.wrap_stream(%.0f), cuda.per_thread_stream }
        function work(i)
          local text = ("x"):rep(64)
          for _, f in ipairs {
            function() cuda.memcpy_htod_async(memory, text, streams[i]) end,
            function() cuda.memset_d8_async(memory, 1, 64, streams[i]) end,
            function() cuda.Event():record(streams[i]) end,
          } do
            local ok, err = pcall(f)
            assert(not ok and cuda.is_error(err, "LogicError") and err.message:find "captured by other code", err)
          end
        end
      ]=]):format(s:handle())))
      for i, stream in ipairs { s, cuda.per_thread_stream } do
        local mem = cuda.mem_alloc(64)
        local graph = stream:capture(function()
          assert(not run(L, "work(" .. i .. ")"))
          cuda.memset_d8_async(mem, 3, 64)
        end)
        assert(#graph:nodes() == 1)
      end
      ffi.C.lua_close(L)
      print "fine"
    ]])
  end)

  describe("with hosts that take strings only:", function()
    setup(gpu.context)
    local cuda = gpu.cuda
    local function wrong(message) cuda.gpuarray.zeros { -1 }; return message end

    it("cuda.text_errors raises the text of an error, from the line that raised it", function()
      local ok, text = pcall(cuda.text_errors(wrong), 1)
      assert.is_false(ok)
      local _, err = pcall(wrong, 1)
      assert.equal("string", type(text))
      assert.equal(tostring(err), text)
      assert.truthy(text:find "^spec/whole/embedding_spec.lua:%d+: gpuarray.zeros: shape", text)
      _, err = pcall(cuda.Device, 99)
      _, text = pcall(cuda.text_errors(cuda.Device), 99)
      assert.equal(tostring(err):match "cuDeviceGet.*", text:match "cuDeviceGet.*")
      assert.truthy(text:find("\n  hint: devices are numbered", 1, true), text)
    end)

    it("cuda.text_errors adds the stack where it is asked to", function()
      local _, text = pcall(cuda.text_errors(wrong, { traceback = true }), 1)
      local first, rest = text:match "^(.-)\n(stack traceback:\n.*)$"
      assert.truthy(first:find "^spec/whole/embedding_spec.lua:%d+: gpuarray.zeros: ", text)
      assert.truthy(rest:find("in function <spec/whole/embedding_spec.lua:", 1, true), text)
      assert.is_nil(select(2, pcall(cuda.text_errors(wrong, { traceback = false }), 1)):find "stack traceback")
    end)

    it("cuda.text_errors passes arguments and results, nil among them", function()
      local got
      local f = cuda.text_errors(function(...)
        got = { n = select("#", ...), ... }
        return nil, 2, nil, nil
      end)
      assert.equal(4, select("#", f(nil, "a", nil)))
      assert.equal(2, (select(2, f(nil, "a", nil))))
      assert.same({ n = 3, nil, "a", nil }, got)
      assert.equal(0, select("#", cuda.text_errors(function() end)()))
    end)

    it("cuda.text_errors lets other errors pass as they are", function()
      local mine = setmetatable({}, { __tostring = function() return "mine" end })
      for _, value in ipairs { mine, {}, "text", 5, true } do
        local ok, err = pcall(cuda.text_errors(error), value, 0)
        assert.is_false(ok)
        assert.equal(value, err)
      end
      local ok, err = pcall(cuda.text_errors(error))
      assert.is_false(ok)
      assert.is_nil(err)
    end)

    it("cuda.text_errors lets coroutines yield through it", function()
      local co = coroutine.wrap(cuda.text_errors(function(x)
        local y = coroutine.yield(x + 1)
        return wrong(y)
      end))
      assert.equal(6, co(5))
      local ok, text = pcall(co, 7)
      assert.is_false(ok)
      assert.equal("string", type(text))
      assert.truthy(text:find("gpuarray.zeros: shape", 1, true))
    end)

    it("cuda.text_errors refuses what cannot be called, and other options", function()
      gpu.raises("LogicError", "text_errors: expected a function, got number", cuda.text_errors, 5)
      gpu.raises("LogicError", "text_errors: expected a function, got nil", cuda.text_errors)
      gpu.raises("LogicError", "text_errors: unknown option 'stack'", cuda.text_errors, wrong, { stack = true })
      gpu.raises("LogicError", "traceback must be true or false, got 1", cuda.text_errors, wrong, { traceback = 1 })
      assert.equal(3, cuda.text_errors(setmetatable({}, { __call = function(_, x) return x + 1 end }))(2))
    end)

    it("the entry points of examples/embedding/app.lua raise texts that say what is wrong", function()
      local out, ok = gpu.child([[
        package.path = "examples/embedding/?.lua;" .. package.path
        local app = require "app"
        assert(app.total(5) == 10)
        local function text(f, ...)
          local ok, err = pcall(f, ...)
          assert(not ok and type(err) == "string")
          print(err)
        end
        text(app.total, 5, "flot32")
        text(app.reserve, 2 ^ 50)
        if require "cudalua".driver_info().soft then text(app.fill, 100, 101) end -- a GPU may not notice
      ]], gpu.driver)
      assert(ok, out)
      assert.truthy(out:find "app.lua:%d+: gpuarray.arange: unknown dtype 'flot32'; valid dtypes: bool, int8, ", out)
      assert.truthy(out:find "app.lua:%d+: cuMemAlloc failed: out of memory %(CUDA_ERROR_OUT_OF_MEMORY%)\n", out)
      if gpu.soft then
        assert.truthy(out:find "app.lua:%d+: illegal address .*\n  detail: kernel fill, [^\n]*kernel.cu:4 ", out)
        assert.truthy(out:find("thread (100,0,0): illegal store of 4 bytes", 1, true), out)
      end
    end)

    if os.execute "python3 -c '' 2>/dev/null" == 0 then
      it("tools/embedding_check.py skips a host that is not installed, which --all makes a failure", function()
        local function check(arguments)
          local python = '"$(python3 -c "import sys; print(sys.executable)")"' -- not a script that needs PATH
          local pipe = assert(io.popen(("LD_PRELOAD= PATH=/nonexistent %s tools/embedding_check.py %s 2>&1; echo $?")
            :format(python, arguments)))
          local text = pipe:read "*a"
          pipe:close()
          return text
        end
        assert.equal("neovim: skipped: nvim is not installed\n0 passed, 0 failed, 1 skipped\n0\n", check "neovim")
        assert.equal("neovim: failed: nvim is not installed\n0 passed, 1 failed, 0 skipped\n1\n", check "--all neovim")
        assert.truthy(check("emacs"):find("unknown host 'emacs'; valid hosts: c, python, nginx, ", 1, true))
      end)
    end

    it("the page shows the programs of examples/embedding", function()
      local function read(path)
        local file = assert(io.open(path))
        local text = file:read "*a"
        file:close()
        return text
      end
      local page = read "docs/embedding.md"
      local function shows(language, path, count)
        local source, n = read(path), 0
        for block in page:gmatch("```" .. language .. "\n(.-)```") do
          n = n + 1
          assert(source:find(block, 1, true), ("not in %s:\n%s"):format(path, block))
        end
        assert.equal(count, n)
      end
      shows("c", "examples/embedding/host.c", 3)
      shows("python", "examples/embedding/host.py", 1)
      shows("nginx", "examples/embedding/nginx.conf", 2)
    end)
  end)
end)
