local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local softgpu = require "cudalua.softgpu"

-- What f makes the driver do, as a list of calls (software device only).
local function calls_of(f)
  softgpu.log "on"
  softgpu.log "clear"
  local ok, err = pcall(f)
  local calls = softgpu.calls()
  softgpu.log "off"
  if not ok then error(err, 0) end
  return calls
end

local function find(calls, symbol)
  for i, call in ipairs(calls) do
    if call.symbol == symbol then return call, i end
  end
end

local function symbols(calls)
  local list = {}
  for _, call in ipairs(calls) do list[#list + 1] = call.symbol end
  return table.concat(list, " ")
end

local function address(n) return ("0x%x"):format(n) end

local function fine(code, environment)
  code = "local cuda = require 'cudalua' cuda.init() local ffi = require 'ffi'\n" .. code
  local out, ok = gpu.child(code, gpu.driver .. " " .. (environment or ""))
  assert.equal("fine\n", out)
  assert.is_true(ok)
end

describe("stream order", function()
  before_each(gpu.context)

  it("cuda.mem_alloc_async gives memory that copies and kernels take", function()
    local s = cuda.Stream "non_blocking"
    local a = cuda.mem_alloc_async(64, s)
    assert.equal(64, #a)
    assert.is_true(a:ptr() > 0)
    assert.truthy(tostring(a):find "DeviceAllocation.*64 bytes")
    local back = ffi.new "char[64]"
    cuda.memcpy_htod_async(a, ("ab"):rep(32), s)
    cuda.memcpy_dtoh_async(back, a + 1, s, { nbytes = 63 })
    s:synchronize()
    assert.equal("ba", ffi.string(back, 2))
    local mod = cuda.SourceModule "__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }"
    mod:get_function "fill"(a, 7, { block = 16, stream = s })
    local ints = ffi.new "int[16]"
    cuda.memcpy_dtoh_async(ints, a, s)
    s:synchronize()
    assert.equal(7, ints[15])
    a:free()
    gpu.raises("LogicError", "was freed at", a.ptr, a)
    gpu.raises("LogicError", "was freed at", a.free, a)
    assert.equal(8, #cuda.mem_alloc_async(8LL))
  end)

  it("cuda.mem_alloc_async refuses sizes and streams that are none", function()
    gpu.refuses_nonsense(cuda.mem_alloc_async)
    gpu.raises("LogicError", "0 bytes", cuda.mem_alloc_async, 0)
    for _, bad in ipairs { 1, "legacy", true, {} } do
      gpu.raises("LogicError", "expected a Stream", cuda.mem_alloc_async, 64, bad)
    end
    local closed = cuda.Stream()
    closed:close()
    gpu.raises("LogicError", "closed", cuda.mem_alloc_async, 64, closed)
    local err = gpu.error_of("MemoryError", cuda.mem_alloc_async, 2 ^ 45)
    assert.equal(2 ^ 45, err.requested)
    assert.is_true(err.live >= 0 and err.pooled >= 0 and err.queued >= 0)
    assert.equal(16, #cuda.mem_alloc_async(16))
  end)

  it("cuda.mem_alloc_async takes the current stream where it is given none", function()
    if not gpu.soft then return pending "needs the log of the software device" end
    local s = cuda.Stream()
    local calls = calls_of(function()
      s:use(function() cuda.mem_alloc_async(64):free() end)
    end)
    assert.truthy(find(calls, "cuMemAllocAsync").text:find("stream=" .. address(s:handle()), 1, true))
    assert.truthy(find(calls, "cuMemFreeAsync").text:find("stream=" .. address(s:handle()), 1, true))
  end)

  it("a stream of another context is refused", function()
    local other = cuda.Device(0):make_context()
    local foreign = cuda.Stream()
    cuda.Context.pop()
    gpu.raises("LogicError", "another context", cuda.mem_alloc_async, 64, foreign)
    other:detach()
  end)

  it("free goes to the home stream and waits for nothing", function()
    if not gpu.soft then return pending "needs the log of the software device" end
    local s = cuda.Stream "non_blocking"
    local a = cuda.mem_alloc_async(4096, s)
    assert.equal("cuCtxGetCurrent cuMemFreeAsync", symbols(calls_of(function() a:free() end)))
  end)

  it("work in another stream comes before the free", function()
    local home, other = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local before, after = ("x"):rep(4096), ("y"):rep(4096)
    for _ = 1, 20 do
      local a = cuda.mem_alloc_async(4096, home)
      cuda.memcpy_htod_async(a, before, home)
      home:synchronize()
      local back = ffi.new "char[4096]"
      cuda.memcpy_dtoh_async(back, a, other)
      a:free()
      local b = cuda.mem_alloc_async(4096, home) -- the same block again
      cuda.memcpy_htod_async(b, after, home)
      home:synchronize()
      other:synchronize()
      assert.equal(before, ffi.string(back, 4096))
      b:free()
    end
  end)

  it("one event stands for each of the streams that used it", function()
    if not gpu.soft then return pending "needs the log of the software device" end
    local home, s, t = cuda.Stream "non_blocking", cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    cuda.collect()
    local live = softgpu.stats().live_events
    local a, back = cuda.mem_alloc_async(64, home), ffi.new "char[64]"
    cuda.memcpy_htod_async(a, ("z"):rep(64), home)
    home:synchronize()
    for _ = 1, 3 do cuda.memcpy_dtoh_async(back, a, s) end
    cuda.memcpy_dtoh_async(back, a, t)
    cuda.Context.synchronize() -- lets go of the events of the copies' anchors
    assert.equal(live + 2, softgpu.stats().live_events)
    local calls = calls_of(function() a:free() end)
    assert.truthy(symbols(calls):find("^cuCtxGetCurrent cuStreamWaitEvent cuStreamWaitEvent cuMemFreeAsync"))
    for i = 2, 4 do assert.truthy(calls[i].text:find("stream=" .. address(home:handle()), 1, true)) end
    assert.equal(live, softgpu.stats().live_events)
  end)

  it("streams that the default stream orders need no events", function()
    if not gpu.soft then return pending "needs the log of the software device" end
    local blocking = cuda.Stream()
    local a, back = cuda.mem_alloc_async(64), ffi.new "char[64]"
    cuda.memcpy_htod(a, ("z"):rep(64))
    cuda.memcpy_dtoh_async(back, a, blocking)
    assert.equal("cuCtxGetCurrent cuMemFreeAsync", symbols(calls_of(function() a:free() end)))
    blocking:synchronize()
  end)

  it("an event that cannot be had is replaced by waiting", function()
    if not gpu.soft then return pending "needs failures made to order" end
    local home, other = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local a, b = cuda.mem_alloc_async(64, home), cuda.mem_alloc(64)
    cuda.memcpy_htod_async(a, ("q"):rep(64), home)
    home:synchronize()
    softgpu.fail("cuEventCreate", 1, "OUT_OF_MEMORY")
    local calls = calls_of(function() cuda.memcpy_dtod_async(b, a, 64, other) end)
    softgpu.fail_clear()
    assert.truthy(find(calls, "cuStreamSynchronize"))
    assert.equal("cuCtxGetCurrent cuMemFreeAsync", symbols(calls_of(function() a:free() end)))
    local back = ffi.new "char[64]"
    cuda.memcpy_dtoh(back, b)
    assert.equal(("q"):rep(64), ffi.string(back, 64))
  end)

  it("a wait or a free that fails is replaced by waiting here", function()
    if not gpu.soft then return pending "needs failures made to order" end
    local home, other = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local live = softgpu.stats().live_allocs
    for _, symbol in ipairs { "cuStreamWaitEvent", "cuMemFreeAsync" } do
      local a, back = cuda.mem_alloc_async(64, home), ffi.new "char[64]"
      cuda.memcpy_htod_async(a, ("q"):rep(64), home)
      home:synchronize()
      cuda.memcpy_dtoh_async(back, a, other)
      softgpu.fail(symbol, 1, "INVALID_HANDLE")
      local calls = calls_of(function() a:free() end)
      softgpu.fail_clear()
      local _, wait = find(calls, "cuCtxSynchronize")
      local _, free = find(calls, "cuMemFree_v2")
      assert.is_true(wait < free)
      assert.equal(("q"):rep(64), ffi.string(back, 64))
    end
    assert.equal(live, softgpu.stats().live_allocs)
  end)

  it("the collector frees at once, in order, without waiting", function()
    if not gpu.soft then return pending "needs the log of the software device" end
    local home, other = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    cuda.collect()
    local live, back = softgpu.stats().live_allocs, ffi.new "char[64]"
    gpu.apart(function()
      local a = cuda.mem_alloc_async(64, home)
      cuda.memcpy_htod_async(a, ("c"):rep(64), home)
      home:synchronize()
      cuda.memcpy_dtoh_async(back, a, other)
    end)
    other:synchronize() -- lets go of the copy's anchors
    local calls = calls_of(function()
      collectgarbage()
      collectgarbage()
    end)
    local _, wait = find(calls, "cuStreamWaitEvent")
    local _, free = find(calls, "cuMemFreeAsync")
    assert.is_true(wait < free)
    assert.is_nil(find(calls, "cuStreamSynchronize") or find(calls, "cuCtxSynchronize"))
    home:synchronize()
    assert.equal(live, softgpu.stats().live_allocs)
  end)

  it("a home stream that was closed: what it did comes before the free", function()
    local back = ffi.new "char[4096]"
    local home = cuda.Stream "non_blocking"
    local a, source = cuda.mem_alloc_async(4096, home), ("h"):rep(4096)
    cuda.memcpy_htod_async(a, source, home)
    home:synchronize()
    cuda.memcpy_dtoh_async(back, a, home)
    home:close()
    assert.equal(4096, #a)
    a:free()
    local b = cuda.mem_alloc_async(4096)
    cuda.memcpy_htod(b, ("!"):rep(4096))
    cuda.Context.synchronize()
    assert.equal(source, ffi.string(back, 4096))
    local c = cuda.mem_alloc_async(64, cuda.Stream()) -- a stream that nothing else holds
    collectgarbage()
    collectgarbage()
    cuda.memcpy_htod(c, ("c"):rep(64))
    c:free()
  end)

  it("a home stream closed without an event: the queue waits", function()
    if not gpu.soft then return pending "needs failures made to order" end
    cuda.collect()
    cuda.Context.synchronize()
    local live = softgpu.stats().live_allocs
    gpu.apart(function()
      local home = cuda.Stream "non_blocking"
      local a = cuda.mem_alloc_async(4096, home)
      softgpu.fail("cuEventCreate", 1, "OUT_OF_MEMORY")
      home:close()
      softgpu.fail_clear()
      assert.equal(4096, #a)
    end)
    local calls = calls_of(function()
      collectgarbage()
      collectgarbage()
    end)
    assert.is_nil(find(calls, "cuCtxSynchronize") or find(calls, "cuMemFree_v2"))
    assert.equal(4096, cuda.mem_stats().queued.bytes)
    calls = calls_of(cuda.collect)
    local _, wait = find(calls, "cuCtxSynchronize")
    local _, free = find(calls, "cuMemFree_v2")
    assert.is_true(wait < free)
    assert.equal(live, softgpu.stats().live_allocs)
    assert.equal(0, cuda.mem_stats().queued.bytes)
  end)

  it("cuda.DeviceAllocation:free_async frees in another stream's order, behind everything", function()
    local home, other = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local source, back = ("f"):rep(4096), ffi.new "char[4096]"
    local a = cuda.mem_alloc_async(4096, home)
    cuda.memcpy_htod_async(a, source, home)
    home:synchronize()
    cuda.memcpy_dtoh_async(back, a, home)
    a:free_async(other)
    gpu.raises("LogicError", "was freed", a.ptr, a)
    local b = cuda.mem_alloc_async(4096, other)
    cuda.memcpy_htod_async(b, ("g"):rep(4096), other)
    other:synchronize()
    home:synchronize()
    assert.equal(source, ffi.string(back, 4096))
    b:free_async()
    local plain = cuda.mem_alloc(64)
    gpu.raises("LogicError", "mem_alloc_async", plain.free_async, plain, other)
    local c = cuda.mem_alloc_async(64)
    for _, bad in ipairs { 1, "x", true, {} } do gpu.raises("LogicError", "expected a Stream", c.free_async, c, bad) end
    gpu.refuses_nonsense(cuda.DeviceAllocation.free_async)
    c:free_async(cuda.legacy_stream)
  end)

  it("a context that is detached gives its memory back, and its objects call nothing any more", function()
    cuda.collect()
    local ctx = cuda.Device(0):make_context()
    local a, b = cuda.mem_alloc_async(2 ^ 20), cuda.mem_alloc_async(2 ^ 20, cuda.Stream "non_blocking")
    local bytes = cuda.mem_stats().async.bytes
    local function detach() ctx:detach() end
    if gpu.soft then
      local calls = calls_of(detach)
      local _, freed = find(calls, "cuMemFreeAsync")
      local _, gone = find(calls, "cuCtxDestroy_v2")
      assert.is_true(freed < gone)
    else
      detach()
    end
    assert.equal(bytes - 2 ^ 21, cuda.mem_stats().async.bytes)
    gpu.raises("LogicError", "its Context is gone", a.free, a)
    gpu.raises("LogicError", "its Context is gone", b.free_async, b)
    local function drop()
      a, b = nil, nil -- luacheck: ignore
      cuda.collect()
    end
    if gpu.soft then assert.is_nil(find(calls_of(drop), "cuMemFreeAsync")) else drop() end
    assert.equal(bytes - 2 ^ 21, cuda.mem_stats().async.bytes)
  end)

  it("after a sticky error nothing is called any more", function()
    if not gpu.soft then return pending "needs failures made to order" end
    fine [[
      local softgpu = require "cudalua.softgpu"
      local ctx = cuda.Device(0):make_context()
      local a, b = cuda.mem_alloc_async(64), cuda.mem_alloc_async(64)
      softgpu.fail("cuCtxSynchronize", 1, 700)
      assert(not pcall(cuda.Context.synchronize))
      softgpu.log "on"
      a:free()
      b = nil
      cuda.collect()
      ctx:detach()
      for _, call in ipairs(softgpu.calls()) do assert(not call.symbol:find "Mem", call.symbol) end
      assert(cuda.mem_stats().async.bytes == 0)
      assert(require("cudalua.core").failed_destroys() == 0)
      print "fine"
    ]]
  end)

  it("a capture: no allocation and no free in its stream, and finalizers put theirs off", function()
    local s, other = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local a, c = cuda.mem_alloc_async(64, s), cuda.mem_alloc_async(64, other)
    local kept = gpu.kept
    gpu.apart(function() kept.b = cuda.mem_alloc_async(64, s) end)
    cuda.collect()
    local bytes = cuda.mem_stats().async.bytes
    local graph = s:capture(function()
      gpu.raises("LogicError", "captured", cuda.mem_alloc_async, 64, s)
      gpu.raises("LogicError", "captured", cuda.mem_alloc_async, 64, other)
      gpu.raises("LogicError", "captured", a.free, a)
      gpu.raises("LogicError", "captured", a.free_async, a)
      assert.equal(64, #a)
      kept.b = nil
      collectgarbage()
      collectgarbage()
      assert.equal(64, cuda.mem_stats().queued.bytes)
      c:free() -- other streams go on
      assert.equal(64, cuda.mem_stats().queued.bytes)
      cuda.memset_d8_async(a, 5, 64, s)
    end)
    assert.same({ "memset" }, graph:nodes())
    cuda.collect()
    assert.equal(0, cuda.mem_stats().queued.bytes)
    assert.equal(bytes - 128, cuda.mem_stats().async.bytes)
    assert.same({}, s:capture(function()
      cuda.mem_alloc_async(64, other):free()
      gpu.raises("LogicError", "captured", cuda.mem_alloc_async, 64, s)
    end, { mode = "relaxed" }):nodes())
    graph:instantiate():launch(s)
    a:free() -- waits for graphs
    gpu.raises("LogicError", "freed", function() graph:instantiate():launch(s) end)
  end)

  it("what was freed says where, however many places there are", function()
    local lines = { "return function(alloc, keep)" }
    for _ = 2, 700 do lines[#lines + 1] = "keep(alloc(64)):free()" end
    lines[#lines + 1] = "end"
    local list = {}
    local function keep(a)
      list[#list + 1] = a
      return a
    end
    local run = loadstring(table.concat(lines, "\n"), "=places")()
    run(cuda.mem_alloc_async, keep)
    run(cuda.mem_alloc, keep)
    cuda.collect()
    for i, a in ipairs(list) do
      gpu.raises("LogicError", ("was freed at places:%d "):format((i - 1) % 699 + 2), a.ptr, a)
    end
    local a = cuda.mem_alloc_async(64)
    local view = a + 8 -- keeps the record
    a:free()
    collectgarbage()
    gpu.raises("LogicError", "its DeviceAllocation is gone (freed at", view.ptr, view)
    gpu.raises("LogicError", "was freed at", a.ptr, a)
  end)

  it("the device's pool keeps freed memory, unless somebody said how much", function()
    fine [[
      local ctx = cuda.Device(0):make_context()
      cuda.mem_alloc_async(64):free()
      assert(cuda.default_mempool():get_attribute "release_threshold" == math.huge)
      print "fine"
    ]]
    fine [[
      local ctx = cuda.Device(0):make_context()
      cuda.default_mempool():set_attribute("release_threshold", 4096)
      cuda.mem_alloc_async(64):free()
      assert(cuda.default_mempool():get_attribute "release_threshold" == 4096)
      print "fine"
    ]]
  end)

  it("everything alive at the end of the state", function()
    fine [[
      local ctx = cuda.Device(0):make_context()
      local s = cuda.Stream "non_blocking"
      a, b = cuda.mem_alloc_async(64), cuda.mem_alloc_async(64, s)
      pool = cuda.MemoryPool()
      c = pool:alloc(64, s)
      cuda.memcpy_htod_async(b, ("x"):rep(64), s)
      print "fine"
      os.exit(0, true)
    ]]
  end)
end)

describe("pools of the driver", function()
  before_each(gpu.context)

  it("cuda.MemoryPool:alloc takes memory from the pool, which counts it", function()
    local pool = cuda.MemoryPool { release_threshold = 2 ^ 30 }
    assert.equal(2 ^ 30, pool:get_attribute "release_threshold")
    assert.equal(0, pool:get_attribute "used_mem_current")
    local s = cuda.Stream "non_blocking"
    local a = pool:alloc(2 ^ 20, s)
    assert.equal(2 ^ 20, #a)
    assert.is_true(pool:get_attribute "used_mem_current" >= 2 ^ 20)
    assert.is_true(pool:get_attribute "reserved_mem_current" >= 2 ^ 20)
    cuda.memcpy_htod_async(a, ("p"):rep(2 ^ 20), s)
    a:free()
    s:synchronize()
    assert.equal(0, pool:get_attribute "used_mem_current")
    assert.is_true(pool:get_attribute "used_mem_high" >= 2 ^ 20)
    assert.is_true(pool:get_attribute "reserved_mem_high" >= 2 ^ 20)
    gpu.raises("LogicError", "0 bytes", pool.alloc, pool, 0)
    gpu.refuses_nonsense(function(v) pool:alloc(v) end)
    gpu.refuses_nonsense(cuda.MemoryPool.alloc)
    gpu.raises("LogicError", "expected a Stream", pool.alloc, pool, 64, true)
  end)

  it("cuda.MemoryPool:trim_to gives memory back", function()
    local pool = cuda.MemoryPool()
    assert.equal(math.huge, pool:get_attribute "release_threshold")
    pool:alloc(2 ^ 20):free()
    cuda.Context.synchronize()
    assert.is_true(pool:get_attribute "reserved_mem_current" >= 2 ^ 20)
    assert.equal(pool, pool:trim_to(0))
    assert.equal(0, pool:get_attribute "reserved_mem_current")
    pool:trim_to()
    gpu.refuses_nonsense(function(v) pool:trim_to(v) end, { ["nil"] = true })
  end)

  it("cuda.MemoryPool:set_attribute and cuda.MemoryPool:get_attribute", function()
    local pool = cuda.MemoryPool()
    assert.is_true(pool:get_attribute "reuse_allow_opportunistic")
    assert.equal(pool, pool:set_attribute("reuse_allow_opportunistic", false))
    assert.is_false(pool:get_attribute "reuse_allow_opportunistic")
    assert.is_true(pool:get_attribute(cuda.mempool_attribute.REUSE_ALLOW_INTERNAL_DEPENDENCIES))
    pool:set_attribute("release_threshold", math.huge)
    assert.equal(math.huge, pool:get_attribute "release_threshold")
    pool:alloc(4096):free()
    pool:set_attribute("used_mem_high", 0)
    gpu.error_of("LogicError", pool.set_attribute, pool, "used_mem_high", 5)
    gpu.error_of("LogicError", pool.set_attribute, pool, "used_mem_current", 0)
    gpu.raises("LogicError", "a boolean", pool.set_attribute, pool, "reuse_allow_opportunistic", 1)
    gpu.raises("LogicError", "release_threshold", pool.get_attribute, pool, "release_treshold")
    gpu.refuses_nonsense(function(v) pool:get_attribute(v) end)
    gpu.refuses_nonsense(function(v) pool:set_attribute("release_threshold", v) end, { number = true })
    gpu.refuses_nonsense(cuda.MemoryPool.get_attribute)
  end)

  it("cuda.MemoryPool:make_current: mem_alloc_async takes from it", function()
    local pool = cuda.MemoryPool()
    assert.equal(pool, pool:make_current())
    local a = cuda.mem_alloc_async(2 ^ 20)
    assert.is_true(pool:get_attribute "used_mem_current" >= 2 ^ 20)
    cuda.default_mempool():make_current()
    local before = pool:get_attribute "used_mem_current"
    local b = cuda.mem_alloc_async(2 ^ 20)
    assert.equal(before, pool:get_attribute "used_mem_current")
    a:free()
    b:free()
  end)

  it("cuda.MemoryPool:close: memory that is in use stays until it is freed", function()
    cuda.collect()
    local pools = gpu.soft and softgpu.stats().live_pools
    local pool = cuda.MemoryPool()
    local a, back = pool:alloc(64), ffi.new "char[64]"
    cuda.memcpy_htod(a, ("m"):rep(64))
    pool:close()
    gpu.raises("LogicError", "was closed at", pool.alloc, pool, 64)
    gpu.raises("LogicError", "was closed at", pool.close, pool)
    cuda.memcpy_dtoh(back, a)
    assert.equal(("m"):rep(64), ffi.string(back, 64))
    a:free()
    cuda.Context.synchronize()
    cuda.collect()
    if gpu.soft then
      gpu.apart(function() cuda.MemoryPool() end) -- the other one goes now
      cuda.collect()
      assert.equal(pools, softgpu.stats().live_pools)
    end
  end)

  it("cuda.default_mempool is one object, and the driver's", function()
    local pool = cuda.default_mempool()
    assert.is_true(pool == cuda.default_mempool(0))
    assert.is_true(pool == cuda.default_mempool(cuda.Device(0)))
    gpu.raises("LogicError", "cannot be closed", pool.close, pool)
    gpu.error_of("LogicError", cuda.default_mempool, 63)
    gpu.refuses_nonsense(cuda.default_mempool, { ["nil"] = true })
    assert.equal(64, #pool:alloc(64))
  end)

  it("cuda.MemoryPool: cuda.MemoryPool:get_device, cuda.MemoryPool:handle, options and nonsense", function()
    local pool = cuda.MemoryPool { device = cuda.Device(0) }
    assert.equal(cuda.Device(0), pool:get_device())
    assert.is_true(pool:handle() > 0)
    assert.equal(cuda.Device(0), cuda.MemoryPool({ device = 0 }):get_device())
    gpu.raises("LogicError", "unknown option 'threshold'", cuda.MemoryPool, { threshold = 1 })
    gpu.raises("LogicError", "table of options", cuda.MemoryPool, 5)
    gpu.refuses_nonsense(function(v) cuda.MemoryPool { device = v } end, { ["nil"] = true })
    gpu.refuses_nonsense(function(v) cuda.MemoryPool { release_threshold = v } end, { ["nil"] = true, number = true })
    gpu.refuses_nonsense(function(v) cuda.MemoryPool { max_size = v } end, { ["nil"] = true })
    gpu.refuses_nonsense(cuda.MemoryPool.handle)
    gpu.refuses_nonsense(cuda.MemoryPool.get_device)
  end)

  it("a pool with a greatest size gives no more", function()
    local pool = cuda.MemoryPool { max_size = 64 * 2 ^ 20 }
    local a = pool:alloc(2 ^ 20)
    local err = gpu.error_of("MemoryError", pool.alloc, pool, 2 ^ 30)
    assert.equal(2 ^ 30, err.requested)
    a:free()
  end)

  it("cuda.MemoryPool:set_access", function()
    local pool = cuda.MemoryPool()
    gpu.refuses_nonsense(function(v) pool:set_access(v) end)
    gpu.raises("LogicError", "read_write", pool.set_access, pool, 0, "write")
    assert.equal(pool, pool:set_access(0))
    if cuda.Device.count() > 1 and cuda.Device(1):can_access_peer(cuda.Device(0)) then
      pool:set_access(1, "read_write")
      pool:set_access(cuda.Device(1), "none")
    end
  end)
end)
