-- Finalizers at the worst moment: in compiled code, in the wrong order, at the end of the state, with the driver
-- failing. Each case is a process of its own.
local gpu = require "spec.support.gpu"

local function fine(code, environment)
  code = "local cuda = require 'cudalua' cuda.init()\n" .. code
  local out, ok = gpu.child(code, gpu.driver .. " " .. (environment or ""))
  assert.equal("fine\n", out)
  assert.is_true(ok)
end

describe("lifetimes", function()
  it("everything alive at the end of the state, in both orders of creation", function()
    for _, order in ipairs { "ctx, mem, mod, fn", "fn, mod, mem, ctx" } do
      fine(([[
        %s = nil, nil, nil, nil
        local function make()
          ctx = cuda.Device(0):make_context()
          mem = cuda.mem_alloc(1024)
          mod = cuda.SourceModule "__global__ void k(int *p) { *p = 1; }"
          fn = mod:get_function "k"
          fn(mem, { block = 1 })
        end
        make()
        print "fine"
        os.exit(0, true)
      ]]):format(order))
    end
  end)

  it("os.exit without closing the state", function()
    -- Nothing is finalized then; the leak sanitizer would report just that.
    fine([[ local ctx = cuda.Device(0):make_context() a = cuda.mem_alloc(16) print "fine" os.exit(0) ]],
      "ASAN_OPTIONS=detect_leaks=0")
  end)

  it("temporaries dropped in compiled code are freed", function()
    fine [[
      local ctx = cuda.Device(0):make_context()
      for i = 1, 20000 do
        local a = cuda.mem_alloc(4096)
        if i % 100 == 0 then collectgarbage() end
      end
      cuda.collect()
      local core = require "cudalua.core"
      assert(core.failed_destroys() == 0)
      if core.driver_info().soft then
        assert(require("cudalua.softgpu").stats().live_allocs == 0)
      end
      print "fine"
    ]]
  end)

  it("the collector is asked before memory is said to be out", function()
    if not gpu.soft then return pending "needs a small device" end
    fine([[
      local ctx = cuda.Device(0):make_context()
      collectgarbage "stop"
      for i = 1, 64 do local a = cuda.mem_alloc(16 * 2 ^ 20) end -- 1 GiB through a device of 256 MiB
      print "fine"
    ]], "CUDALUA_SOFT_MEMORY=268435456")
  end)

  it("objects outlive their context without touching it", function()
    fine [[
      local ctx = cuda.Device(0):make_context()
      local list = {}
      for i = 1, 100 do list[i] = cuda.mem_alloc(64) end
      ctx:detach()
      local ctx2 = cuda.Device(0):make_context() -- the driver gives out the same handles and addresses again
      local mine = cuda.to_device "precious"
      list = nil
      cuda.collect()
      local back = require("ffi").new "char[8]"
      cuda.memcpy_dtoh(back, mine)
      assert(require("ffi").string(back, 8) == "precious")
      assert(require("cudalua.core").failed_destroys() == 0)
      if cuda.driver_info().soft then assert(require("cudalua.softgpu").stats().stale == 0) end
      print "fine"
    ]]
  end)

  it("a destroy that the driver refuses is counted, never raised", function()
    if not gpu.soft then return pending "needs failures made to order" end
    fine [[
      local soft, core = require "cudalua.softgpu", require "cudalua.core"
      local ctx = cuda.Device(0):make_context()
      for _ = 1, 50 do
        soft.fail("cuMemFree_v2", 1, 999)
        local a = cuda.mem_alloc(16)
        a = nil
        cuda.collect()
      end
      assert(core.failed_destroys() == 50, core.failed_destroys())
      print "fine"
    ]]
  end)

  it("what destroys need besides may fail once: the context's push, a texture's wait", function()
    if not gpu.soft then return pending "needs failures made to order" end
    fine [[
      local soft, core = require "cudalua.softgpu", require "cudalua.core"
      local ctx = cuda.Device(0):make_context()
      local array = cuda.Array(cuda.ArrayDescriptor { width = 4, height = 4 })
      local made = { Stream = cuda.Stream, TextureObject = function() return cuda.TextureObject { array = array } end }
      for name, make in pairs(made) do
        for _, symbol in ipairs { "cuCtxPushCurrent_v2", "cuCtxSynchronize" } do
          for _, code in ipairs { 2, 999 } do
            cuda.collect()
            local before = #soft.leaks()
            coroutine.wrap(function() make() end)()
            assert(#soft.leaks() == before + 1, name)
            soft.fail(symbol, 1, code)
            cuda.collect()
            soft.fail_clear()
            assert(#soft.leaks() == before, name .. " stays where " .. symbol .. " fails once")
          end
        end
      end
      assert(core.failed_destroys() == 0)
      print "fine"
    ]]
  end)

  it("a stream whose work on a block is over is not kept by the block", function()
    if not gpu.soft then return pending "needs the list of what is alive" end
    fine [[
      local soft = require "cudalua.softgpu"
      local ctx = cuda.Device(0):make_context()
      for _, a in ipairs { cuda.DeviceMemoryPool():allocate(16), (cuda.mem_alloc_async(16)) } do
        cuda.Context.synchronize()
        for _ = 1, 20 do
          local s = cuda.Stream "non_blocking"
          cuda.memset_d8_async(a, 1, 16, s)
          s:synchronize()
        end
        cuda.collect()
        local stats = soft.stats()
        assert(stats.live_streams <= 2, stats.live_streams)
        assert(stats.live_events <= 4, stats.live_events)
      end
      print "fine"
    ]]
  end)

  it("finalizers of other objects that run after ours at the end of the state find closed objects", function()
    local text, ok = gpu.child([[
      local early = newproxy(true)
      local cuda = require "cudalua"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local fn = cuda.SourceModule("__global__ void k(int *a) {}"):get_function "k"
      local a = cuda.mem_alloc(64)
      getmetatable(early).__gc = function()
        io.write(tostring(fn), "|", tostring(a), "|", tostring(pcall(a.ptr, a)), "|",
          tostring(pcall(cuda.Device(0).make_context, cuda.Device(0))))
      end
      KEEP = { early, ctx, fn, a }
    ]], gpu.driver)
    assert.is_true(ok, text)
    assert.equal("cudalua.Function (closed)|cudalua.DeviceAllocation (freed)|false|false", text)
  end)

  it("contexts that are current survive a reload of the C module", function()
    local text = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      cuda.Device(0):make_context()
      package.loaded["cudalua.core"] = nil
      require "cudalua.core"
      cuda.collect()
      print(#cuda.mem_alloc(16))
    ]], gpu.driver)
    assert.equal("16\n", text)
  end)

  it("an object that was finalized and is seen again is dead, not dangerous", function()
    fine [[
      local ctx = cuda.Device(0):make_context()
      local said = 0
      do
        local proxy, mem = newproxy(true), cuda.mem_alloc(64)
        local view = mem + 8
        getmetatable(proxy).__gc = function() -- may run after the finalizers of mem and view
          for _, f in ipairs { mem.ptr, function(m) return m + 4 end, function(m) cuda.memcpy_htod(m, "x") end } do
            for _, m in ipairs { mem, view } do
              local ok, err = pcall(f, m)
              if not ok then assert(cuda.is_error(err, "LogicError")) end
            end
          end
          said = said + 1
        end
      end
      cuda.collect() collectgarbage()
      assert(said == 1)
      print "fine"
    ]]
  end)

  -- An object of every class in a table: one of each word of spec/support/values.lua.
  local every_class = [[
    local values, core = require "spec.support.values", require "cudalua.core"
    local soft = cuda.driver_info().soft and require "cudalua.softgpu"
    local words = {}
    for word in pairs(values.owned) do words[#words + 1] = word end
    table.sort(words)
    local function one_of_each(backwards)
      local objects = {}
      coroutine.wrap(function() -- on a stack of its own: what is left in its slots keeps nothing alive
        for i = 1, #words do
          local word = words[backwards and #words + 1 - i or i]
          objects[word] = values.make[word]()
        end
      end)()
      return objects
    end
    local function all_is_well()
      assert(core.failed_destroys() == 0, core.failed_destroys())
      if soft then assert(soft.stats().stale == 0) end
    end
  ]]

  it("every class, at the end of the state, in both orders of creation", function()
    for _, backwards in ipairs { "false", "true" } do
      local out, ok = gpu.child(([[
        local last = newproxy(true)
        local cuda = require "cudalua"
        cuda.init()
        %s
        getmetatable(last).__gc = function() -- after all the others
          all_is_well()
          io.write("well")
          if soft then io.write(core.softgpu_control "leaks") end
        end
        KEEP = { last, one_of_each(%s) }
      ]]):format(every_class, backwards), gpu.driver)
      assert.equal("well", out)
      assert.is_true(ok)
    end
  end)

  it("every class, after its context is gone", function()
    fine(every_class .. [[
      local ctx = values.dev:make_context()
      local objects = one_of_each()
      ctx:detach()
      local other = values.dev:make_context() -- where the same handles and addresses come again
      local mine = one_of_each()
      objects = nil
      cuda.collect()
      all_is_well()
      assert(mine.stream:is_done() and #mine.memory == 64 and mine.graph:instantiate())
      other:detach()
      print "fine"
    ]])
  end)

  it("every class, during a capture", function()
    fine(every_class .. [[
      local objects = one_of_each()
      local memory = cuda.mem_alloc(64)
      for _, mode in ipairs { "global", "thread_local", "relaxed" } do
        local s = cuda.Stream "non_blocking"
        local g = s:capture(function()
          cuda.memset_d8_async(memory, 7, 64, s)
          objects = nil
          jit.flush()
          cuda.collect()
        end, { mode = mode })
        g:instantiate():launch(s)
        s:synchronize()
        all_is_well()
        objects = one_of_each()
      end
      local back = require("ffi").new "char[64]"
      cuda.memcpy_dtoh(back, memory)
      assert(back[63] == 7)
      print "fine"
    ]])
  end)

  it("every class, after the device is lost", function()
    fine(every_class .. [[
      local objects = one_of_each()
      local fn = cuda.SourceModule("__global__ void k(int *p) { *p = 1; }"):get_function "k"
      fn(nil, { block = 1 })
      local ok, err = pcall(cuda.Context.synchronize)
      assert(not ok and err.sticky, tostring(err))
      for word, object in pairs(objects) do
        local close = values.owned[word]
        if close then
          ok, err = pcall(object[close], object)
          assert(ok or cuda.is_error(err), tostring(err))
        end
      end
      objects = one_of_each and nil
      cuda.collect()
      all_is_well()
      assert(values.base:is_poisoned() and cuda.device_error() == cuda.result.ILLEGAL_ADDRESS)
      ok, err = pcall(cuda.mem_alloc, 16)
      assert(not ok and err.sticky and tostring(err):find "restart the process")
      print "fine"
    ]], "CUDALUA_SOFT_REPORT=off")
  end)

  it("every class, in code that is compiled", function()
    fine(every_class .. [[
      jit.opt.start("hotloop=2", "hotexit=2")
      local made = 0
      for _, word in ipairs(words) do
        local make = word ~= "add" and word ~= "module" and values.make[word] or values.make.event
        for i = 1, 30 do
          local o = make()
          made = made + (o and 1 or 0)
          if i % 10 == 0 then collectgarbage() end
        end
      end
      assert(made == 30 * #words)
      jit.flush()
      cuda.Context.synchronize()
      cuda.collect()
      all_is_well()
      print "fine"
    ]])
  end)

  it("every class, in a library that was loaded anew", function()
    fine(every_class .. [[
      local objects = one_of_each()
      for name in pairs(package.loaded) do
        if name:find "^cudalua" then package.loaded[name] = nil end
      end
      local again = require "cudalua"
      assert(again ~= cuda)
      again.init()
      assert(again.Context.get_current() == values.base) -- the state is the same
      again.memcpy_htod(objects.memory, "precious")
      local back = require("ffi").new "char[8]"
      cuda.memcpy_dtoh(back, objects.memory)
      assert(require("ffi").string(back, 8) == "precious")
      local ok, err = pcall(again.mem_alloc, -1)
      assert(not ok and again.is_error(err) and cuda.is_error(err) and cuda.is_error(err, again.LogicError))
      objects.stream:use(function() assert(again.current_stream() == objects.stream) end)
      objects.add(again.mem_alloc(64), again.int32(16), again.int32(1), { block = 32, stream = objects.stream })
      again.Context.synchronize()
      objects = nil
      again.collect()
      all_is_well()
      print "fine"
    ]])
  end)

  it("metamethods take any object", function()
    fine(every_class .. [[
      local objects = one_of_each()
      objects.dev, objects.context, objects.scalar = values.dev, values.base, cuda.int32(4)
      local others = { io.stdout, 5, {}, newproxy(true) }
      for _, object in pairs(objects) do others[#others + 1] = object end
      for _, v in ipairs(values.nonsense) do others[#others + 1] = v[2] end
      for _, object in pairs(objects) do
        for name, f in pairs(debug.getmetatable(object)) do
          if type(f) == "function" and name ~= "__gc" then
            for _, x in ipairs(others) do
              for _, key in ipairs { "num_regs", "base", 3 } do pcall(f, x, key) end
              pcall(f, object, x)
              pcall(f, x)
            end
          end
        end
      end
      for _, object in pairs(objects) do
        local gc = debug.getmetatable(object).__gc
        pcall(gc, io.stdout)
        pcall(gc, nil)
        pcall(gc, cuda.legacy_stream)
        gc(object)
        gc(object)
        tostring(object)
      end
      assert(tostring(objects.memory) == "cudalua.DeviceAllocation (freed)")
      cuda.collect()
      all_is_well()
      assert(#cuda.mem_alloc(16) == 16)
      print "fine"
    ]])
  end)

  it("every class, after fork", function()
    fine(every_class .. [[
      local ffi = require "ffi"
      ffi.cdef "int fork(void); int waitpid(int, int *, int); void _exit(int);"
      local samples = require "spec.support.samples"
      local objects = one_of_each()
      local calls = 0
      local pid = ffi.C.fork()
      if pid == 0 then
        for name, sample in pairs(samples) do -- every method whose self is one of the objects
          local class, method = name:match "^cuda%.(%w+):([%w_]+)$"
          local self = objects[sample:match "^%S+"]
          if class and self ~= nil and core.kind(self) and method ~= "bin_number" and method ~= "alloc_size" then
            local ok, err = pcall(self[method], self)
            if not cuda.is_error(err) and core.kind(self) ~= "AlignedHostAllocation" then
              io.stderr:write(name, " ", tostring(ok), " ", tostring(err))
              ffi.C._exit(1)
            end
            if tostring(err):find "after fork" then calls = calls + 1 end
          end
        end
        objects = nil
        jit.flush()
        cuda.collect()
        if core.failed_destroys() ~= 0 or calls < 70 then
          io.stderr:write("failed destroys ", core.failed_destroys(), ", calls ", calls)
          ffi.C._exit(2)
        end
        ffi.C._exit(0)
      end
      local status = ffi.new "int[1]"
      ffi.C.waitpid(pid, status, 0)
      assert(status[0] == 0, status[0])
      assert(#objects.memory == 64)
      cuda.memcpy_htod(objects.memory, "x")
      objects = nil
      cuda.collect()
      all_is_well()
      print "fine"
    ]])
  end)

  it("after fork every call says the same", function()
    fine [[
      local ffi = require "ffi"
      ffi.cdef "int fork(void); int waitpid(int, int *, int); void _exit(int);"
      local ctx, device, stream = cuda.Device(0):make_context(), cuda.Device(0), cuda.Stream()
      local memory, g = cuda.mem_alloc(16), cuda.gpuarray
      local a, locked = g.ones(4):eval(), cuda.pagelocked_zeros(4)
      local k = cuda.SourceModule "__global__ void k() {}":get_function "k"
      local calls = {
        cuda.init, cuda.Stream, cuda.Event, cuda.mem_get_info, cuda.get_driver_version, cuda.Context.synchronize,
        cuda.Context.get_current, cuda.Context.pop, cuda.Device.count,
        function() return cuda.Device(0) end,
        function() return device:name() end,
        function() return device:make_context() end,
        function() return cuda.mem_alloc(4) end,
        function() return cuda.memcpy_htod(memory, "x") end,
        function() return memory:ptr() end,
        function() return cuda.pagelocked_zeros(3) end,
        function() return locked[1] end,
        function() return cuda.SourceModule "__global__ void other() {}" end,
        function() return k { block = 1 } end,
        function() return stream:synchronize() end,
        function() return g.arange(3):get() end,
        function() return (a + 1):get() end,
        function() return a[1] end,
        function() return g.sum(a):item() end,
        function() return require "cudalua.autoinit" end,
        function() if cuda.driver_info().soft then return cuda.softgpu.check "off" else return cuda.init() end end,
      }
      local pid = ffi.C.fork()
      if pid == 0 then
        for i, call in ipairs(calls) do
          local ok, err = pcall(call)
          if ok or not cuda.is_error(err) or not tostring(err.message):find("^[^:]*:? ?CUDA cannot be used after fork: "
            .. "the parent process had already started it$") then
            io.stderr:write(i, " ", tostring(ok), " ", tostring(err))
            ffi.C._exit(1)
          end
        end
        ffi.C._exit(0)
      end
      local status = ffi.new "int[1]"
      ffi.C.waitpid(pid, status, 0)
      assert(status[0] == 0, status[0])
      assert(g.sum(a):item() == 4 and #calls == 26)
      print "fine"
    ]]
  end)

  it("after fork it is said where the host program, and not the library, had started CUDA", function()
    local path = gpu.cuda.driver_info().path
    local text, ok = gpu.child(([[
      local ffi = require "ffi"
      ffi.cdef "int cuInit(unsigned); int fork(void); int waitpid(int, int *, int); void _exit(int);"
      ffi.cdef "void *dlopen(const char *, int);"
      local path, now, no_delete = %q, 2, 0x1000
      assert(ffi.C.dlopen(path, now + no_delete) ~= nil) -- a driver stays until the process ends
      local driver = ffi.load(path)
      assert(driver.cuInit(0) == 0)
      local pid = ffi.C.fork()
      if pid == 0 then
        local cuda = require "cudalua"
        local ok, err = pcall(cuda.init)
        local said = not ok and err.message:find("CUDA cannot be used after fork", 1, true)
        if not said then io.stderr:write(tostring(err)) end
        ffi.C._exit(said and 0 or 1)
      end
      local status = ffi.new "int[1]"
      ffi.C.waitpid(pid, status, 0)
      assert(status[0] == 0, status[0])
      print "fine"]]):format(path), gpu.driver)
    assert.equal("fine\n", text)
    assert.is_true(ok)
  end)

  it("what machine code refers to is let go of before memory is said to be out", function()
    if not gpu.soft then return pending "needs a small device" end
    fine([[
      local ctx = cuda.Device(0):make_context()
      local function often(f) for i = 1, 1000 do f(i) end end -- its machine code holds what it was compiled for
      for round = 1, 3 do
        local n = 0
        do
          local memory = cuda.mem_alloc(150 * 2 ^ 20)
          often(function(i) if memory then n = n + i end end)
        end
        assert(n == 500500)
      end
      print "fine"
    ]], "CUDALUA_SOFT_MEMORY=268435456")
  end)

  it("after fork the child is told, and its finalizers do nothing", function()
    fine [[
      local ffi = require "ffi"
      ffi.cdef "int fork(void); int waitpid(int, int *, int); void _exit(int);"
      local ctx = cuda.Device(0):make_context()
      local a = cuda.mem_alloc(16)
      local pid = ffi.C.fork()
      if pid == 0 then
        local ok, err = pcall(a.ptr, a)
        local ok2, err2 = pcall(cuda.mem_alloc, 16)
        local good = not ok and err.message:find("after fork", 1, true) and not ok2 and cuda.is_error(err2)
        a, ctx = nil, nil
        cuda.collect()
        ffi.C._exit(good and 0 or 1)
      end
      local status = ffi.new "int[1]"
      ffi.C.waitpid(pid, status, 0)
      assert(status[0] == 0, status[0])
      assert(a:ptr() > 0)
      a:free()
      print "fine"
    ]]
  end)
end)
