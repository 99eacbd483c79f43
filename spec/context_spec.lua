local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

describe("contexts", function()
  local base
  before_each(function() base = gpu.context() end)

  it("cuda.Device:make_context makes it current, cuda.Context:detach takes it away", function()
    local ctx = cuda.Device(0):make_context()
    assert.equal(ctx, cuda.Context.get_current())
    assert.are_not.equal(base, ctx)
    ctx:detach()
    assert.equal(base, cuda.Context.get_current())
    gpu.raises("LogicError", "was detached", ctx.detach, ctx)
    gpu.raises("LogicError", "was detached", ctx.push, ctx)
    gpu.raises("LogicError", "was detached", ctx.synchronize, ctx)
    assert.equal("cudalua.Context (detached)", tostring(ctx))
  end)

  it("cuda.Device:make_context refuses bad flags", function()
    local dev = cuda.Device(0)
    gpu.refuses_nonsense(function(v) return dev:make_context(v) end, { ["nil"] = true })
    assert.equal(base, cuda.Context.get_current())
  end)

  it("cuda.Device:retain_primary_context gives the same context, counted", function()
    local again = cuda.Device(0):retain_primary_context()
    assert.equal(base, again)
    again:detach()
    assert.has_no_error(function() base:synchronize() end)
  end)

  it("cuda.Context:push and cuda.Context.pop keep a stack", function()
    local ctx = cuda.Device(0):make_context()
    assert.equal(ctx, cuda.Context.pop())
    assert.equal(base, cuda.Context.get_current())
    assert.equal(ctx, ctx:push())
    assert.equal(ctx, cuda.Context.get_current())
    assert.equal(ctx, cuda.Context.pop())
    ctx:detach()
  end)

  it("cuda.Context.pop skips destroyed contexts, cuda.Context.get_current does not show them", function()
    local lower, upper = cuda.Device(0):make_context(), cuda.Device(0):make_context()
    lower:detach() -- not on top: its entry stays on the driver's stack
    assert.equal(upper, cuda.Context.pop())
    assert.is_nil(cuda.Context.get_current())
    assert.equal(base, cuda.Context.pop())
    upper:detach()
    base:push()
  end)

  it("cuda.Context.pop on an empty stack is error 201", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local ok, err = pcall(cuda.Context.pop)
      assert(cuda.Context.get_current() == nil)
      for _, f in ipairs { function() cuda.mem_alloc(4) end, cuda.Context.get_device, cuda.Context.synchronize } do
        local fine, e = pcall(f)
        assert(not fine and e.code == 201, tostring(e))
      end
      print(ok, err.code, err.class)
    ]], gpu.driver)
    assert.equal("false\t201\tLogicError\n", out)
  end)

  it("cuda.Context:get_device, cuda.Context:handle, cuda.Context:synchronize", function()
    assert.equal(cuda.Device(0), base:get_device())
    assert.equal(cuda.Device(0), cuda.Context.get_device())
    assert.is_true(base:handle() > 0)
    assert.has_no_error(function() base:synchronize() cuda.Context.synchronize() end)
    for _, method in ipairs { "push", "detach", "handle", "with" } do gpu.refuses_nonsense(cuda.Context[method]) end
    for _, method in ipairs { "synchronize", "get_device" } do
      gpu.refuses_nonsense(cuda.Context[method], { ["nil"] = true })
    end
  end)

  it("cuda.Context:with makes it current for one call, also when that fails", function()
    local ctx = cuda.Device(0):make_context()
    cuda.Context.pop()
    assert.same({ 1, nil, 3 }, { ctx:with(function(a, b, c)
      assert.equal(ctx, cuda.Context.get_current())
      return a, b, c
    end, 1, nil, 3) })
    assert.equal(base, cuda.Context.get_current())
    local ok, err = pcall(ctx.with, ctx, function() error({ mine = true }) end)
    assert.is_false(ok)
    assert.is_true(err.mine)
    assert.equal(base, cuda.Context.get_current())
    gpu.raises("LogicError", "left another context on top", ctx.with, ctx, function() base:push() end)
    assert.equal(base, cuda.Context.get_current())
    assert.is_false(pcall(ctx.with, ctx, function() base:push() ctx:push() error "mine" end))
    assert.equal(base, cuda.Context.get_current())
    gpu.raises("LogicError", "had not pushed", ctx.with, ctx, function() cuda.Context.pop() end)
    assert.equal(base, cuda.Context.get_current())
    ctx:detach()
  end)

  it("what lives in a detached context is dead, and says so", function()
    local ctx = cuda.Device(0):make_context()
    local mem = cuda.mem_alloc(64)
    local mod = cuda.SourceModule "__global__ void k() {}"
    local fn = mod:get_function "k"
    ctx:detach()
    gpu.raises("LogicError", "its Context is gone", mem.ptr, mem)
    gpu.raises("LogicError", "its Context is gone", mem.free, mem)
    gpu.raises("LogicError", "its Context is gone", mod.get_function, mod, "k")
    gpu.raises("LogicError", "cannot be used any more", fn, { block = 1 })
    assert.equal("cudalua.DeviceAllocation (freed)", tostring(mem))
  end)

  it("leaves the host program's own primary context where it is", function()
    local text, ok = gpu.child([[
      local ffi = require "ffi"
      ffi.cdef "int cuDevicePrimaryCtxRetain(void **, int); int cuCtxPushCurrent_v2(void *);"
      ffi.cdef "int cuCtxGetCurrent(void **);"
      local cuda = require "cudalua"
      cuda.init()
      local lib, p, now = ffi.load(cuda.driver_info().path), ffi.new "void *[1]", ffi.new "void *[1]"
      lib.cuDevicePrimaryCtxRetain(p, 0)
      lib.cuCtxPushCurrent_v2(p[0])
      local ctx = cuda.Device(0):retain_primary_context()
      ctx = nil
      collectgarbage()
      collectgarbage()
      lib.cuCtxGetCurrent(now)
      io.write(tostring(now[0] == p[0]))
    ]], gpu.driver)
    assert.is_true(ok, text)
    assert.equal("true", text)
  end)

  it("a context of the host program is used as it is, and never destroyed", function()
    local out = gpu.child([[
      local cuda, ffi = require "cudalua", require "ffi"
      cuda.init()
      ffi.cdef "int cuCtxCreate_v2(void **, unsigned, int); int cuCtxDestroy_v2(void *); int cuCtxGetCurrent(void **);"
      local driver, handle, now = ffi.load(cuda.driver_info().path), ffi.new "void *[1]", ffi.new "void *[1]"
      assert(driver.cuCtxCreate_v2(handle, 0, 0) == 0)
      do
        local ctx = cuda.Context.get_current()
        assert(ctx:handle() == tonumber(ffi.cast("uintptr_t", handle[0])))
        assert(cuda.mem_alloc(16):ptr() > 0)
        assert(cuda.Context.pop() == ctx and cuda.Context.get_current() == nil)
        ctx:push()
        ctx:detach() -- not ours to destroy
        assert(not pcall(ctx.push, ctx))
      end
      collectgarbage() collectgarbage()
      assert(driver.cuCtxGetCurrent(now) == 0 and now[0] == handle[0])
      assert(driver.cuCtxDestroy_v2(handle[0]) == 0)
      print(require("cudalua.core").failed_destroys())
    ]], gpu.driver)
    assert.equal("0\n", out)
  end)

  it("a context that nobody refers to any more is destroyed after what lives in it", function()
    local out, ok = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      do
        local ctx = cuda.Device(0):make_context()
        cuda.Context.pop()
        local mem = ctx:with(cuda.mem_alloc, 1024)
        ctx = nil
        collectgarbage() collectgarbage()
        assert(mem:ptr() > 0)
      end
      cuda.collect()
      local core = require "cudalua.core"
      print(core.failed_destroys(), core.driver_info().soft and require("cudalua.softgpu").stats().live_contexts or 0)
    ]], gpu.driver)
    assert.equal("0\t0\n", out)
    assert.is_true(ok)
  end)
end)
