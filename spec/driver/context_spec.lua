local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local bit = require "bit"
local ffi = require "ffi"
local softgpu = require "cudalua.softgpu"

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

  it("cuda.Device:make_context and cuda.Context take flags: a number, a name, a list", function()
    local dev = cuda.Device(0)
    local function made(make, flags, want)
      if gpu.soft then softgpu.log "on" end
      local ctx = make(dev, flags)
      if gpu.soft then
        softgpu.log "off"
        local calls = softgpu.calls()
        local last = calls[#calls]
        assert.truthy(last.symbol:find "^cuCtxCreate")
        assert.equal(want, tonumber(last.text:match "flags=(%d+)"))
        softgpu.log "clear"
      end
      assert.equal(ctx, cuda.Context.get_current())
      assert.equal(want, bit.band(ctx:get_flags(), cuda.ctx_flags.SCHED_MASK + cuda.ctx_flags.LMEM_RESIZE_TO_MAX))
      ctx:detach()
    end
    made(dev.make_context, nil, 0)
    made(dev.make_context, 1, 1)
    made(dev.make_context, "sched_blocking_sync", 4)
    made(dev.make_context, { "sched_yield", cuda.ctx_flags.LMEM_RESIZE_TO_MAX }, 18)
    made(cuda.Context, "SCHED_SPIN", 1)
    made(cuda.Context, {}, 0)
  end)

  it("cuda.Device:make_context and cuda.Context refuse bad flags", function()
    local dev = cuda.Device(0)
    local function make(v) return dev:make_context(v) end
    gpu.refuses_nonsense(make, { ["nil"] = true, table = true })
    gpu.refuses_nonsense(function(v) return cuda.Context(dev, v) end, { ["nil"] = true, table = true })
    gpu.refuses_nonsense(cuda.Context)
    gpu.raises("LogicError", "within 0xff", make, 256)
    gpu.raises("LogicError", "(sched_spin)", make, "sched_spinn")
    gpu.error_of("LogicError", make, { "sched_spin", "sched_yield" }) -- the driver takes one of them
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

  it("cuda.Context:detach takes the context off the stack, wherever it stands", function()
    local lower, upper = cuda.Device(0):make_context(), cuda.Device(0):make_context()
    lower:push()
    lower:detach()
    assert.equal(upper, cuda.Context.get_current())
    assert.equal(upper, cuda.Context.pop())
    assert.equal(base, cuda.Context.get_current())
    upper:detach()
  end)

  it("cuda.Context.pop skips destroyed contexts, cuda.Context.get_current does not show them", function()
    ffi.cdef "int cuCtxPushCurrent_v2(void *);"
    local driver = ffi.load(cuda.driver_info().path)
    local ctx = cuda.Device(0):make_context()
    driver.cuCtxPushCurrent_v2(ffi.cast("void *", ctx:handle())) -- as other code may
    driver.cuCtxPushCurrent_v2(ffi.cast("void *", ctx:handle()))
    ctx:detach()
    assert.is_nil(cuda.Context.get_current())
    assert.equal(base, cuda.Context.pop())
    assert.is_nil(cuda.Context.get_current())
    base:push()
  end)

  it("cuda.Context.pop on an empty stack is error 201", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local ok, err = pcall(cuda.Context.pop)
      assert(cuda.Context.get_current() == nil)
      cuda.mem_alloc(4)
      cuda.Context.pop()
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
    for _, method in ipairs { "set_limit", "get_limit", "set_cache_config", "set_shared_config", "enable_peer_access",
      "disable_peer_access" } do gpu.refuses_nonsense(cuda.Context[method]) end
    gpu.refuses_nonsense(cuda.Context.attach, { ["nil"] = true })
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
    for _, f in ipairs { 1, true, "f", coroutine.create(function() end) } do
      gpu.raises("LogicError", "expected a function", ctx.with, ctx, f)
    end
    gpu.raises("LogicError", "expected a function", ctx.with, ctx)
    assert.equal(base, cuda.Context.get_current())
    ctx:detach()
  end)

  it("what lives in a detached context is dead, and says so", function()
    local ctx = cuda.Device(0):make_context()
    local mem = cuda.mem_alloc(64)
    local mod = cuda.SourceModule "__global__ void k() {}"
    local fn = mod:get_function "k"
    local a = cuda.gpuarray.ones(3)
    a:sum():get() -- its kernel is there
    ctx:detach()
    gpu.raises("LogicError", "), with its arrays, memory and kernels", a.sum, a)
    gpu.raises("LogicError", "its Context is gone", mem.ptr, mem)
    gpu.raises("LogicError", "its Context is gone", mem.free, mem)
    gpu.raises("LogicError", "its Context is gone", mod.get_function, mod, "k")
    gpu.raises("LogicError", "can no longer be used", fn, { block = 1 })
    assert.equal("cudalua.DeviceAllocation (freed)", tostring(mem))
  end)

  it("cuda.Context:attach takes one more cuda.Context:detach", function()
    local ctx = cuda.Device(0):make_context()
    assert.equal(ctx, cuda.Context.attach())
    assert.equal(ctx, ctx:attach(0))
    ctx:detach()
    ctx:detach()
    assert.equal(ctx, cuda.Context.get_current())
    ctx:synchronize()
    ctx:detach()
    assert.equal(base, cuda.Context.get_current())
    gpu.raises("LogicError", "was detached", ctx.attach, ctx)
    gpu.raises("LogicError", "flags", cuda.Context.attach, 1)
  end)

  -- A context that is not the current one: what its methods do must not touch the current one.
  local function aside()
    local ctx = cuda.Device(0):make_context()
    assert.equal(ctx, cuda.Context.pop())
    return ctx
  end

  it("cuda.Context:get_limit and cuda.Context:set_limit, of a context or of the current one", function()
    local ctx = aside()
    local before = cuda.Context.get_limit "stack_size"
    assert.is_true(before > 0)
    assert.equal(before, base:get_limit(cuda.limit.STACK_SIZE))
    ctx:set_limit("stack_size", 4 * before)
    assert.is_true(ctx:get_limit "stack_size" >= 4 * before)
    assert.equal(before, cuda.Context.get_limit "STACK_SIZE")
    assert.equal(base, cuda.Context.get_current())
    ctx:with(function()
      cuda.Context.set_limit("stack_size", 2 * before)
      assert.is_true(ctx:get_limit(0) >= 2 * before and ctx:get_limit(0) < 4 * before)
    end)
    local err = gpu.raises("LogicError", "limit", ctx.set_limit, ctx, "dev_runtime_sync_depth", 2)
    assert.equal(215, err.code)
    assert.equal(base, cuda.Context.get_current())
    gpu.raises("LogicError", "(stack_size)", ctx.get_limit, ctx, "stak_size")
    gpu.error_of("LogicError", ctx.get_limit, ctx, 9999)
    gpu.refuses_nonsense(function(v) return ctx:get_limit(v) end)
    gpu.refuses_nonsense(function(v) return ctx:set_limit("stack_size", v) end)
    ctx:detach()
    gpu.raises("LogicError", "was detached", ctx.get_limit, ctx, "stack_size")
  end)

  it("cuda.Context:get_cache_config and cuda.Context:set_cache_config", function()
    local ctx = aside()
    ctx:set_cache_config "prefer_l1"
    assert.equal(cuda.func_cache.PREFER_L1, ctx:get_cache_config())
    ctx:with(function() cuda.Context.set_cache_config(cuda.func_cache.PREFER_SHARED) end)
    assert.equal(cuda.func_cache.PREFER_SHARED, ctx:get_cache_config())
    assert.equal(base:get_cache_config(), cuda.Context.get_cache_config())
    gpu.raises("LogicError", "(prefer_l1)", ctx.set_cache_config, ctx, "prefer_l2")
    gpu.raises("LogicError", "got number 4", ctx.set_cache_config, ctx, 4)
    gpu.refuses_nonsense(function(v) return ctx:set_cache_config(v) end)
    ctx:detach()
  end)

  it("cuda.Context:get_shared_config and cuda.Context:set_shared_config, where a driver still has them", function()
    local ctx = aside()
    for _, name in ipairs { "four_byte_bank_size", "default_bank_size" } do
      assert.has_no_error(function() ctx:set_shared_config(name) end)
    end
    assert.is_true(ctx:get_shared_config() <= 2)
    assert.equal("number", type(cuda.Context.get_shared_config()))
    gpu.error_of("LogicError", ctx.set_shared_config, ctx, 3)
    gpu.refuses_nonsense(function(v) return ctx:set_shared_config(v) end)
    ctx:detach()
  end)

  it("cuda.Context:get_api_version and cuda.Context:get_flags, of a context or of the current one", function()
    local ctx = cuda.Device(0):make_context "sched_spin"
    cuda.Context.pop()
    assert.is_true(ctx:get_api_version() >= 3020)
    assert.equal(base:get_api_version(), cuda.Context.get_api_version())
    assert.equal(1, bit.band(ctx:get_flags(), 7))
    assert.equal(base:get_flags(), cuda.Context.get_flags())
    ctx:detach()
    for _, method in ipairs { "get_api_version", "get_flags", "is_poisoned" } do
      gpu.raises("LogicError", "was detached", ctx[method], ctx)
    end
  end)

  it("cuda.Context:synchronize calls the driver's own form, where there is one", function()
    local code = [[
      local cuda, softgpu = require "cudalua", require "cudalua.softgpu"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      cuda.Context.pop()
      softgpu.log "on"
      ctx:synchronize()
      local symbols = {}
      for _, call in ipairs(softgpu.calls()) do
        if call.symbol:find "Synchronize" then symbols[#symbols + 1] = call.symbol end
      end
      io.write(table.concat(symbols, " "), " ", tostring(cuda.Context.get_current()))
    ]]
    assert.equal("cuCtxSynchronize_v2 nil", (gpu.child(code, "CUDALUA_DRIVER=soft CUDALUA_SOFT_VERSION=13000")))
    assert.equal("cuCtxSynchronize nil", (gpu.child(code, "CUDALUA_DRIVER=soft CUDALUA_SOFT_VERSION=12090")))
  end)

  it("cuda.Context:enable_peer_access and cuda.Context:disable_peer_access", function()
    local err = gpu.error_of("LogicError", base.enable_peer_access, base, base)
    assert.equal(217, err.code)
    assert.equal(217, gpu.error_of("LogicError", cuda.Context.enable_peer_access, base).code)
    for _, method in ipairs { "enable_peer_access", "disable_peer_access" } do
      gpu.refuses_nonsense(function(v) return base[method](base, v) end, { number = true })
    end
    gpu.raises("LogicError", "flags", base.enable_peer_access, base, base, 1)
    local out = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local b = cuda.Device(1):make_context()
      local a = cuda.Device(0):make_context()
      local function code(f, ...)
        local ok, e = pcall(f, ...)
        return ok and 0 or e.code
      end
      local function row(...) io.write(table.concat({ ... }, " "), "\n") end
      row(code(a.disable_peer_access, a, b), code(a.enable_peer_access, a, b), code(a.enable_peer_access, a, b))
      row(code(cuda.Context.enable_peer_access, b), code(b.enable_peer_access, b, a, 0))
      row(code(cuda.Context.disable_peer_access, b), code(a.disable_peer_access, a, b))
      row(tostring(cuda.Context.get_current() == a))
      b:detach()
      row(tostring(pcall(a.enable_peer_access, a, b)))
    ]], "CUDALUA_DRIVER=soft CUDALUA_SOFT_DEVICES=2")
    assert.equal("705 0 704\n704 0\n0 705\ntrue\nfalse\n", out)
  end)

  it("cuda.Context:is_poisoned and cuda.device_error tell that a device is lost", function()
    assert.is_false(base:is_poisoned())
    assert.is_false(cuda.Context.is_poisoned())
    assert.is_nil(cuda.device_error())
    assert.is_nil(cuda.device_error(cuda.Device(0)))
    gpu.refuses_nonsense(cuda.device_error, { ["nil"] = true })
    local out = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local dev = cuda.Device(0)
      local other = dev:make_context()
      local ctx = dev:make_context()
      local mod = cuda.SourceModule "__global__ void k(int *p) { *p = 1; }"
      mod:get_function "k"(nil, { block = 1 })
      cuda.Context.pop()
      cuda.Context.pop()
      assert(not ctx:is_poisoned())
      local ok, err = pcall(ctx.synchronize, ctx) -- with no context current
      assert(not ok and err.sticky and cuda.Context.get_current() == nil, tostring(err))
      local code, name = cuda.device_error(dev)
      print(ctx:is_poisoned(), other:is_poisoned(), code == err.code, name == err.name, err.kernel)
      print(dev.warp_size)
    ]], gpu.driver .. " CUDALUA_SOFT_REPORT=off")
    assert.equal("true\ttrue\ttrue\ttrue\tk\n32\n", out)
  end)

  it("cuda.wrap_context stands for a context of other code", function()
    assert.equal(base, cuda.wrap_context(base:handle()))
    gpu.refuses_nonsense(cuda.wrap_context)
    gpu.error_of("LogicError", cuda.wrap_context, 0)
    local gone = cuda.Device(0):make_context()
    local handle = gone:handle()
    gone:detach()
    gpu.raises("LogicError", "was detached", cuda.wrap_context, handle)
    local out, ok = gpu.child([[
      local cuda, ffi = require "cudalua", require "ffi"
      cuda.init()
      ffi.cdef "int cuCtxCreate_v2(void **, unsigned, int); int cuCtxPopCurrent_v2(void **);"
      ffi.cdef "int cuCtxDestroy_v2(void *);"
      local driver, handle = ffi.load(cuda.driver_info().path), ffi.new "void *[1]"
      assert(driver.cuCtxCreate_v2(handle, 0, 0) == 0)
      assert(driver.cuCtxPopCurrent_v2(handle) == 0)
      local ctx = cuda.wrap_context(ffi.cast("uintptr_t", handle[0]))
      assert(cuda.Context.get_current() == nil and ctx:get_device() == cuda.Device(0))
      assert(cuda.wrap_context(ctx:handle()) == ctx)
      ctx:synchronize()
      assert(#ctx:with(cuda.mem_alloc, 16) == 16)
      ctx:detach()
      ctx = nil
      collectgarbage() collectgarbage()
      assert(driver.cuCtxDestroy_v2(handle[0]) == 0)
      io.write "fine"
    ]], gpu.driver)
    assert.equal("fine", out)
    assert.is_true(ok)
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

describe("a fault that a program does not wait for", function()
  local function ended(before, after)
    return (gpu.child(([[
      local cuda = require "cudalua"
      cuda.on_notice = false
      %s
      local memory = cuda.mem_alloc(64)
      local bad = cuda.SourceModule("__global__ void bad(float *p) { p[1ull << 40] = 1; }"):get_function "bad"
      %s
    ]]):format(before, after), gpu.driver .. " CUDALUA_SOFT_REPORT=off"))
  end
  local make, launch = "cuda.init() local ctx = cuda.Device(0):make_context()", "bad(memory, { block = 1 })"

  it("is told when its context goes, once, with the kernel's name", function()
    for _, out in ipairs { ended("", launch), ended(make, launch .. " ctx:detach()") } do
      assert.truthy(out:find("a kernel failed that the program did not wait for", 1, true), out)
      assert.truthy(out:find("illegal address (CUDA_ERROR_ILLEGAL_ADDRESS)", 1, true), out)
      assert.truthy(out:find("kernel bad, ", 1, true) or out:find("probably bad: ", 1, true), out)
      assert.equal(1, select(2, out:gsub("a kernel failed", "")))
      if gpu.soft then assert.truthy(out:find("kernel bad, kernel.cu:1", 1, true), out) end
    end
  end)

  it("goes to cuda.on_notice where detach() closes the context", function()
    local notice = "cuda.on_notice = function(text) print('<' .. text:match '^[^:]*' .. '>') end "
    local out = ended(notice .. make, launch .. " ctx:detach()")
    assert.truthy(out:find("^<a kernel failed that the program did not wait for[^>]*>\n$"), out)
    out = ended("cuda.on_notice = function() error('refused', 0) end " .. make,
      launch .. " print(select(2, pcall(ctx.detach, ctx)))")
    assert.equal("refused\n", out)
  end)

  it("is not told again after an error, and not without a fault", function()
    assert.equal("", ended("", launch .. " pcall(cuda.Context.synchronize)"))
    assert.equal("", ended("", "bad = nil"))
  end)
end)
