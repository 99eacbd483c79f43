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

  it("metamethods take any object", function()
    local text = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local fn = cuda.SourceModule("__global__ void k(int *a) {}"):get_function "k"
      local objects = { fn, cuda.Device(0), ctx, cuda.mem_alloc(16), cuda.int32(4), io.stdout, 5, {} }
      for i = 1, 5 do
        for name, f in pairs(debug.getmetatable(objects[i])) do
          if type(f) == "function" and name ~= "__gc" then
            for _, x in ipairs(objects) do pcall(f, x, "num_regs") end
          end
        end
      end
      for i = 1, 5 do pcall(debug.getmetatable(objects[i]).__gc, io.stdout) end
      debug.getmetatable(fn).__gc(fn)
      print(tostring(cuda.Device(0)), tostring(fn))
    ]], gpu.driver)
    assert.equal("cudalua.Device(0)\tcudalua.Function (closed)\n", text)
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
