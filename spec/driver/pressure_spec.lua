local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local core = require "cudalua.core"
local softgpu = require "cudalua.softgpu"

local MiB, GiB = 2 ^ 20, 2 ^ 30

local function child(code, environment)
  code = [[
    local cuda = require "cudalua" cuda.init()
    local core = require "cudalua.core"
    local MiB, GiB = 2 ^ 20, 2 ^ 30
    local ctx = cuda.Device(0):make_context()
  ]] .. code
  return gpu.child(code, gpu.driver .. " " .. (environment or ""))
end

local function fine(code, environment)
  local out, ok = child(code, environment)
  assert.equal("fine\n", out)
  assert.is_true(ok)
end

local function symbols_of(f)
  softgpu.log "on"
  softgpu.log "clear"
  local ok, err = pcall(f)
  local list = {}
  for _, call in ipairs(softgpu.calls()) do list[#list + 1] = call.symbol end
  softgpu.log "off"
  return " " .. table.concat(list, " ") .. " ", ok, err
end

describe("counting", function()
  before_each(gpu.context)

  it("cuda.mem_stats is a table whose text has a line for each kind and number", function()
    local memory = cuda.mem_alloc(4096)
    local stats = cuda.mem_stats()
    local text = tostring(stats)
    assert.truthy(text:find("plain +" .. ("%.0f bytes, count %.0f, peak %.0f bytes\n"):format(stats.plain.bytes,
      stats.plain.count, stats.plain.peak)))
    assert.truthy(text:find("live +" .. ("%.0f"):format(stats.live) .. "$") or text:find("live +%d+\n"))
    assert.truthy(text:find "budget +%d+\n")
    assert.equal("number", type(rawget(stats, "live")))
    memory:free()
  end)

  it("cuda.mem_stats counts by class, at once for an explicit free, in the queue after a collection", function()
    cuda.collect()
    local before = cuda.mem_stats()
    local b, kept = cuda.mem_alloc_async(5 * MiB), gpu.kept
    gpu.apart(function() kept.a = cuda.mem_alloc(3 * MiB) end)
    local pool = cuda.DeviceMemoryPool()
    local c = pool:allocate(1000)
    local host = cuda.PageLockedMemoryPool()
    local d = host:allocate(100, "uint8")
    local now = cuda.mem_stats()
    assert.equal(before.plain.bytes + 3 * MiB, now.plain.bytes)
    assert.equal(before.plain.count + 1, now.plain.count)
    assert.equal(before.async.bytes + 5 * MiB, now.async.bytes)
    assert.equal(before.pooled.bytes + 1023, now.pooled.bytes)
    assert.equal(before.pinned.bytes + 103, now.pinned.bytes)
    assert.equal(before.live + 8 * MiB + 1023, now.live)
    assert.is_true(now.async.peak >= now.async.bytes)
    c:free()
    d.base:free()
    b:free()
    now = cuda.mem_stats()
    assert.equal(before.pooled.bytes, now.pooled.bytes)
    assert.equal(before.held.bytes + 1023, now.held.bytes)
    assert.equal(before.held.count + 1, now.held.count)
    assert.equal(before.pinned_held.bytes + 103, now.pinned_held.bytes)
    assert.equal(before.async.bytes, now.async.bytes)
    kept.a = nil
    collectgarbage()
    collectgarbage()
    now = cuda.mem_stats()
    assert.equal(before.queued.bytes + 3 * MiB, now.queued.bytes)
    assert.equal(before.live, now.live)
    cuda.collect()
    now = cuda.mem_stats()
    assert.equal(before.plain.bytes, now.plain.bytes)
    assert.equal(0, now.queued.bytes)
    for _, class in ipairs { "plain", "async", "pooled", "managed", "arrays", "pinned", "aligned", "registered", "held",
      "pinned_held", "queued" } do
      for _, key in ipairs { "bytes", "count", "peak" } do assert.is_true(now[class][key] >= 0) end
    end
    for _, key in ipairs { "live", "collections", "collect_seconds", "budget", "finalizer_errors",
      "failed_destroys" } do
      assert.equal("number", type(now[key]))
    end
  end)

  it("a context that is detached takes its bytes along", function()
    cuda.collect()
    local before = cuda.mem_stats().plain.bytes
    local ctx = cuda.Device(0):make_context()
    local a, b = cuda.mem_alloc(4096), cuda.mem_alloc(8192)
    assert.equal(before + 12288, cuda.mem_stats().plain.bytes)
    a:free()
    ctx:detach()
    assert.equal(before, cuda.mem_stats().plain.bytes)
    assert.equal("cudalua.DeviceAllocation (freed)", tostring(b))
    a, b = nil, nil -- luacheck: ignore
    cuda.collect()
    assert.equal(before, cuda.mem_stats().plain.bytes)
  end)

  it("a context that others use as well goes on without our memory", function()
    if not gpu.soft then return pending "needs the software device's counts" end
    fine [[
      local softgpu, ffi = require "cudalua.softgpu", require "ffi"
      ffi.cdef "int cuDevicePrimaryCtxRetain(void **, int);"
      local driver = ffi.load(cuda.driver_info().path)
      assert(driver.cuDevicePrimaryCtxRetain(ffi.new "void *[1]", 0) == 0) -- the host program
      ctx:detach()
      local primary = cuda.Device(0):retain_primary_context()
      primary:push()
      local a, b = cuda.mem_alloc(64), cuda.mem_alloc_async(64)
      local pool, host = cuda.DeviceMemoryPool(), cuda.PageLockedMemoryPool()
      local c, d, e = pool:allocate(64), pool:allocate(64), host:allocate(64, "uint8")
      d:free()
      assert(softgpu.stats().live_allocs == 5)
      primary:detach()
      assert(softgpu.stats().live_contexts == 1)
      assert(softgpu.stats().live_allocs == 0, softgpu.stats().live_allocs)
      assert(cuda.mem_stats().live == 0 and cuda.mem_stats().held.bytes == 0)
      a, b, c, d, e, pool, host = nil
      cuda.collect()
      assert(softgpu.stats().stale == 0 and require("cudalua.core").failed_destroys() == 0)
      print "fine"
    ]]
  end)

  it("cuda.collect gives back what is garbage", function()
    cuda.collect()
    local before, used = cuda.mem_stats().live, softgpu.active() and softgpu.stats().live_allocs
    gpu.apart(function()
      for _ = 1, 50 do cuda.mem_alloc(4096) end
    end)
    cuda.collect()
    assert.equal(before, cuda.mem_stats().live)
    assert.equal(0, cuda.mem_stats().queued.bytes)
    if used then assert.equal(used, softgpu.stats().live_allocs) end
  end)

  it("cuda.collect empties the pools that arrays share, in all contexts", function()
    local other = cuda.Device(0):make_context()
    local function fill() for k = 1, 50 do cuda.gpuarray.full(1000, k):eval() end end
    gpu.apart(fill)
    cuda.Context.pop()
    gpu.apart(fill)
    collectgarbage()
    collectgarbage()
    cuda.Context.synchronize()
    assert.is_true(cuda.mem_stats().held.bytes >= 50 * 4000, cuda.mem_stats().held.bytes)
    cuda.collect()
    assert.equal(0, cuda.mem_stats().held.bytes)
    other:push()
    other:detach()
    gpu.apart(fill)
    cuda.collect()
    assert.equal(0, cuda.mem_stats().held.bytes)
  end)

  it("cuda.mem_alloc_like has the size of the other", function()
    local a = cuda.mem_alloc(100)
    assert.equal(100, #cuda.mem_alloc_like(a))
    assert.equal(60, #cuda.mem_alloc_like(a + 40))
    assert.equal(5, #cuda.mem_alloc_like "12345")
    assert.equal(40, #cuda.mem_alloc_like(ffi.new "float[10]"))
    assert.equal(12, #cuda.mem_alloc_like { ptr = ffi.cast("char *", ffi.new "char[12]"), nbytes = 12 })
    assert.equal(48, #cuda.mem_alloc_like(cuda.ndarray.zeros({ 3, 4 }, "float32")))
    assert.equal(7, #cuda.mem_alloc_like(cuda.DeviceMemoryPool():allocate(7)))
    gpu.refuses_nonsense(cuda.mem_alloc_like, { string = true, cdata = true })
    gpu.raises("LogicError", "0 bytes", cuda.mem_alloc_like, "")
    a:free()
    gpu.raises("LogicError", "was freed", cuda.mem_alloc_like, a)
  end)
end)

describe("out of memory", function()
  before_each(gpu.context)

  it("once: everything that can go goes, and the allocation is made", function()
    if not gpu.soft then return pending "needs failures made to order" end
    local pool = cuda.DeviceMemoryPool()
    pool:allocate(5000):free()
    cuda.mem_alloc_async(5000):free()
    cuda.mem_alloc(777) -- garbage
    softgpu.fail("cuMemAlloc_v2", 1, "OUT_OF_MEMORY")
    local a
    local calls = symbols_of(function() a = cuda.mem_alloc(64) end)
    softgpu.fail_clear()
    assert.equal(64, #a)
    assert.equal(0, pool.held_blocks)
    -- caches, collections and the queue, synchronise, trim, again
    local at = 1
    for _, symbol in ipairs { "cuMemAlloc_v2", "cuMemFree_v2", "cuMemFree_v2", "cuCtxSynchronize", "cuMemPoolTrimTo",
      "cuMemAlloc_v2" } do
      local _, stop = calls:find(" " .. symbol .. " ", at, true)
      assert.truthy(stop, symbol .. " is not where it should be in" .. calls)
      at = stop
    end
  end)

  it("twice: a MemoryError that says who has the memory", function()
    if not gpu.soft then return pending "needs failures made to order" end
    cuda.collect()
    local held = cuda.mem_alloc(12345)
    local stats = cuda.mem_stats()
    softgpu.fail("cuMemAlloc_v2", 1, "OUT_OF_MEMORY")
    softgpu.fail("cuMemAlloc_v2", 2, "OUT_OF_MEMORY")
    local err = gpu.error_of("MemoryError", cuda.mem_alloc, 64)
    softgpu.fail_clear()
    assert.same({ 2, 64, stats.live, 0, 0 }, { err.code, err.requested, err.live, err.pooled, err.queued })
    assert.is_true(err.free > 0 and err.free < err.total)
    local text = tostring(err)
    assert.truthy(text:find("requested 64 bytes; ", 1, true))
    assert.truthy(text:find(("objects hold %d bytes, pools keep 0, 0 are waiting"):format(stats.live), 1, true))
    assert.equal(stats.plain.count, cuda.mem_stats().plain.count)
    assert.equal(64, #cuda.mem_alloc(64))
    held:free()
  end)

  it("goes for stream-ordered allocations and for pools too", function()
    if not gpu.soft then return pending "needs failures made to order" end
    softgpu.fail("cuMemAllocAsync", 1, "OUT_OF_MEMORY")
    assert.equal(64, #cuda.mem_alloc_async(64))
    softgpu.fail("cuMemAlloc_v2", 1, "OUT_OF_MEMORY")
    assert.equal(64, #cuda.DeviceMemoryPool():allocate(64))
    softgpu.fail("cuMemHostAlloc", 1, "OUT_OF_MEMORY")
    assert.equal(64, cuda.PageLockedMemoryPool():allocate(64, "uint8").size)
    softgpu.fail("cuMemAllocAsync", 1, "OUT_OF_MEMORY")
    softgpu.fail("cuMemAllocAsync", 2, "OUT_OF_MEMORY")
    assert.equal(64, gpu.error_of("MemoryError", cuda.mem_alloc_async, 64).requested)
    softgpu.fail_clear()
  end)

  it("an unknown amount of free memory is no second error", function()
    if not gpu.soft then return pending "needs failures made to order" end
    softgpu.fail("cuMemGetInfo_v2", 1, 999)
    local err = gpu.error_of("MemoryError", cuda.mem_alloc, 2 ^ 45)
    softgpu.fail_clear()
    assert.is_nil(err.free)
    assert.truthy(tostring(err):find "requested 35184372088832 bytes\n")
  end)

  it("an error in the synchronisation is reported as what it is", function()
    if not gpu.soft then return pending "needs failures made to order" end
    fine [[
      local softgpu = require "cudalua.softgpu"
      softgpu.fail("cuMemAlloc_v2", 1, "OUT_OF_MEMORY")
      softgpu.fail("cuCtxSynchronize", 1, "ILLEGAL_ADDRESS")
      local ok, err = pcall(cuda.mem_alloc, 64)
      assert(not ok and cuda.is_error(err, "LaunchError"), tostring(err))
      print "fine"
    ]]
  end)

  it("memory that is only kept serves other allocations", function()
    if not gpu.soft then return pending "needs a small device" end
    fine([[
      cuda.mem_alloc_async(48 * MiB):free()
      cuda.Context.synchronize()
      cuda.mem_alloc(40 * MiB):free()
      local pool = cuda.MemoryPool()
      pool:alloc(48 * MiB):free()
      cuda.mem_alloc(40 * MiB):free()
      cuda.gc_budget "off"
      for _ = 1, 20 do cuda.mem_alloc_async(40 * MiB) end
      for _ = 1, 20 do cuda.mem_alloc(40 * MiB) end
      print "fine"
    ]], "CUDALUA_SOFT_MEMORY=64M")
  end)
end)

describe("pacing the collector", function()
  -- How often a loop of n dropped allocations of `size` bytes made it run.
  local function collections(n, size, alloc)
    alloc = alloc or cuda.mem_alloc_async
    collectgarbage "stop" -- only ours
    cuda.collect()
    local before = cuda.mem_stats()
    for _ = 1, n do alloc(size) end
    local after = cuda.mem_stats()
    collectgarbage "restart"
    cuda.collect()
    return after.collections - before.collections, after
  end

  before_each(gpu.context)
  after_each(function()
    core.gc_cost()
    cuda.gc_budget "auto"
  end)

  it("cuda.gc_budget: bytes that may become garbage before a collection", function()
    assert.equal("auto", cuda.gc_budget())
    assert.equal("auto", cuda.gc_budget(16 * MiB))
    assert.equal(16 * MiB, cuda.gc_budget())
    assert.equal(16 * MiB, cuda.mem_stats().budget)
    -- 17 MiB are alive when the 18th allocation looks; then one more each 17
    assert.equal(5, (collections(17 * 5 + 1, MiB)))
    assert.equal(16 * MiB, cuda.gc_budget "32M")
    assert.equal(32 * MiB, cuda.gc_budget "off")
    assert.equal("off", cuda.gc_budget())
    assert.equal(0, (collections(600, MiB)))
    assert.equal("off", cuda.gc_budget "auto")
    assert.equal("auto", cuda.gc_budget(false))
    assert.equal("off", cuda.gc_budget(4096LL))
    assert.equal(4096, cuda.gc_budget "auto")
    gpu.refuses_nonsense(cuda.gc_budget, { ["nil"] = true })
    for _, bad in ipairs { 0, "16MB", "M", "-1", "1.5G", "on" } do
      gpu.raises("LogicError", "gc_budget: expected", cuda.gc_budget, bad)
    end
    assert.equal("auto", cuda.gc_budget())
  end)

  it("follows what a collection takes", function()
    local _, total = cuda.mem_get_info()
    if total < 15 * GiB then return end
    -- what one takes, seconds from one to the next, in which 2 MiB are allocated; the budget
    for _, row in ipairs { { 0, 1, 64 * MiB }, { 0.0001, 1, 64 * MiB }, { 0.001, 1, 64 * MiB },
      { 0.004, 1, 64 * GiB / 250 }, { 5, 1, 7 * GiB }, { 0.0009, 2 ^ -16, 64 * MiB },
      { 0.002, 2 ^ -16, 128 * GiB / 500 }, { 0.001, 2 ^ -17, 256 * GiB / 1000 * 2 }, { 0.00002, 0, 64 * MiB },
      { 0.0005, 2 ^ -18, 512 * GiB / 2000 * 4 }, { 0.0001, 2 ^ -20, 2048 * GiB / 10000 * 4 },
      { 5, 1e-9, 7 * GiB } } do
      core.gc_cost(row[1], row[2])
      cuda.gc_budget(MiB)
      assert.is_true(collections(64, MiB) >= 24) -- so that all that is remembered is of this cost
      cuda.gc_budget "auto"
      assert.is_true(math.abs(cuda.mem_stats().budget - row[3]) <= 1, ("%g %g: %.0f"):format(row[1], row[2],
        cuda.mem_stats().budget))
    end
  end)

  it("is larger for programs that keep a device busy, up to an eighth of free memory", function()
    for _, row in ipairs { { 0.001, 4 }, { 0.0005, 1 } } do -- what one collection takes; GiB in that time
      core.gc_cost(row[1], 2 * MiB / (row[2] * GiB / row[1]))
      cuda.gc_budget(MiB)
      assert.is_true(collections(64, MiB) >= 24) -- the last time that the budget asks for free memory included
      cuda.gc_budget "auto"
      local most = (cuda.mem_get_info()) / 8
      local expected = math.min(7 * GiB, math.max(row[2] * GiB, math.min(most, 4 * row[2] * GiB)))
      local got = cuda.mem_stats().budget
      assert.is_true(math.abs(got - expected) <= 0.05 * expected, ("%g: %.0f, expected %.0f"):format(row[2], got,
        expected))
    end
  end)

  it("grows with each collection of a program that keeps a device busy", function()
    local _, total = cuda.mem_get_info()
    if total < 15 * GiB then return end
    local function budget(n, rate)
      core.gc_cost(0.0005, 2 * MiB / rate)
      cuda.gc_budget(MiB)
      local count = collections(n, MiB)
      cuda.gc_budget "auto"
      return cuda.mem_stats().budget / (512 * GiB / 2000), count
    end
    budget(4, GiB) -- slow
    local few, count = budget(16, 512 * GiB)
    assert.is_true(math.abs(few - (1 + count / 8)) < 0.01, few .. " " .. count)
    local many = budget(64, 512 * GiB)
    assert.is_true(math.abs(many - 4) < 0.01, many)
    budget(4, GiB)
    few, count = budget(16, 512 * GiB)
    assert.is_true(math.abs(few - (1 + count / 8)) < 0.01, few .. " " .. count)
  end)

  it("a cost that was an exception does not count", function()
    cuda.gc_budget(MiB)
    core.gc_cost(0.0001)
    assert.is_true(collections(16, MiB) >= 4)
    core.gc_cost(10)
    assert.is_true(collections(6, MiB) >= 2)
    cuda.gc_budget "auto"
    assert.is_true(cuda.mem_stats().budget <= 256 * MiB)
  end)

  it("does not count the work that memory waits for before it can be freed", function()
    fine [[
      for _ = 1, 100 do
        local m = cuda.mem_alloc(4 * MiB)
        cuda.memset_d32(m, 1, MiB)
      end
      local stats = cuda.mem_stats()
      assert(stats.collections >= 3, stats.collections)
      assert(stats.budget <= 256 * MiB, stats.budget)
      print "fine"
    ]]
  end)

  it("grows while collections find nothing, and comes back", function()
    fine [[
      core.gc_cost(0)
      local list = {}
      for i = 1, 300 do list[i] = cuda.mem_alloc_async(4 * MiB) end -- 1200 MiB in use
      local stats = cuda.mem_stats()
      assert(stats.collections == 4, stats.collections) -- after more than 64 MiB, 128, 256, and 512
      assert(stats.budget == GiB, stats.budget)
      list = nil
      collectgarbage() collectgarbage()
      for i = 1, 1000 do cuda.mem_alloc_async(4 * MiB) end
      assert(cuda.mem_stats().budget == 64 * MiB, cuda.mem_stats().budget)
      print "fine"
    ]]
  end)

  it("shrinks with free memory", function()
    if not gpu.soft then return pending "needs a small device" end
    fine([[
      core.gc_cost(0)
      assert(cuda.mem_alloc(MiB))
      assert(cuda.mem_stats().budget <= 128 * MiB)
      local most = cuda.mem_alloc(224 * MiB)
      for _ = 1, 200 do cuda.mem_alloc(MiB) end
      assert(cuda.mem_stats().budget <= 16 * MiB, cuda.mem_stats().budget)
      assert(cuda.mem_stats().plain.peak < 252 * MiB, cuda.mem_stats().plain.peak)
      most:free()
      for _ = 1, 200 do cuda.mem_alloc(MiB) end
      assert(cuda.mem_stats().budget == 64 * MiB, cuda.mem_stats().budget)
      print "fine"
    ]], "CUDALUA_SOFT_MEMORY=256M")
  end)

  it("explicit frees are no garbage", function()
    local before = cuda.mem_stats().collections
    for _ = 1, 300 do cuda.mem_alloc_async(64 * MiB):free() end
    assert.equal(before, cuda.mem_stats().collections)
  end)

  it("CUDALUA_GC_BUDGET sets the budget", function()
    fine("assert(cuda.gc_budget() == 64 * MiB) print 'fine'", "CUDALUA_GC_BUDGET=64M")
    fine("assert(cuda.gc_budget() == 'off') print 'fine'", "CUDALUA_GC_BUDGET=off")
    fine("assert(cuda.gc_budget() == 'auto') print 'fine'", "CUDALUA_GC_BUDGET=auto")
    fine("assert(cuda.gc_budget() == 'auto') print 'fine'", "CUDALUA_GC_BUDGET=")
    local out, ok = child("print 'fine'", "CUDALUA_GC_BUDGET=lots")
    assert.is_false(ok)
    assert.truthy(out:find("CUDALUA_GC_BUDGET is 'lots': it must be", 1, true))
  end)

  -- On a GPU a million of them, where the environment asks for it.
  local count = os.getenv "CUDALUA_LONG_TESTS" and not gpu.soft and 1e6 or 2e4
  for _, way in ipairs {
    { "cuda.mem_alloc", "cuda.mem_alloc(1e7)", "plain" },
    { "cuda.mem_alloc_async", "cuda.mem_alloc_async(1e7)", "async" },
    { "a stream's own", "cuda.mem_alloc_async(1e7, s)", "async" },
    { "MemoryPool:alloc", "mempool:alloc(1e7, s)", "async" },
    { "DeviceMemoryPool:allocate", "pool:allocate(1e7)", "pooled" },
    { "cuda.mem_alloc_pitch", "cuda.mem_alloc_pitch(1e5, 100, 4)", "plain" },
    { "cuda.Array", "cuda.Array(descriptor)", "arrays" },
    { "cuda.aligned_empty", "cuda.aligned_empty(1e7, 'uint8')", "aligned", false, true },
    { "cuda.pagelocked_empty", "cuda.pagelocked_empty(1e7, 'uint8')", "pinned", true },
    { "PageLockedMemoryPool:allocate", "host_pool:allocate(1e7, 'uint8')", "pinned", true },
    { "cuda.managed_empty", "cuda.managed_empty(1e7, 'uint8')", "managed", true },
  } do
    -- fewer where a GPU's driver takes milliseconds for each, or the C library's allocator does under the sanitizers
    local times = (way[4] and not gpu.soft or way[5]) and 2e3 or count
    it(("%s: %.0e dropped temporaries of 10 MB in bounded memory"):format(way[1], times), function()
      fine(([[
        core.gc_cost(0.0001, 1) -- not what this machine happens to take
        local s, mempool, pool = cuda.Stream "non_blocking", cuda.MemoryPool(), cuda.DeviceMemoryPool()
        local host_pool = cuda.PageLockedMemoryPool()
        local descriptor = cuda.ArrayDescriptor { width = 1600, height = 1563, format = "float", num_channels = 1 }
        coroutine.wrap(function() -- whose stack keeps no last one
          for _ = 1, %d do local a = %s end
        end)()
        local stats = cuda.mem_stats()
        assert(stats.%s.peak <= 300 * MiB, stats.%s.peak)
        assert(stats.collections >= %d and stats.collections <= %d, stats.collections)
        assert(pool.managed_bytes <= 300 * MiB)
        assert(mempool:get_attribute "reserved_mem_high" <= 320 * MiB, mempool:get_attribute "reserved_mem_high")
        cuda.collect()
        assert(cuda.mem_stats().live == 0)
        print "fine"
      ]]):format(times, way[2], way[3], way[3], times / 200, times / 6))
    end)
  end

  it("a heap of other objects: fewer collections, and at most 8 GiB", function()
    if select(2, cuda.mem_get_info()) < 15 * GiB then return end
    fine [[
      local ballast = {}
      for i = 1, 300000 do ballast[i] = { i } end
      for _ = 1, 6000 do cuda.mem_alloc_async(4 * MiB) end
      local stats = cuda.mem_stats()
      assert(stats.async.peak <= 8 * GiB, stats.async.peak)
      assert(stats.budget > 512 * MiB, stats.budget)
      assert(stats.collections < 60, stats.collections)
      assert(#ballast == 300000)
      print "fine"
    ]]
  end)
end)

describe("several Lua states in a process", function()
  it("each paces its own collector, and what one drops the other's queue gives back", function()
    fine [[
      local ffi = require "ffi"
      ffi.cdef "typedef struct lua_State lua_State; lua_State *luaL_newstate(void); void luaL_openlibs(lua_State *);"
      ffi.cdef "int luaL_loadstring(lua_State *, const char *); int lua_pcall(lua_State *, int, int, int);"
      ffi.cdef "const char *lua_tolstring(lua_State *, int, size_t *); void lua_close(lua_State *);"
      jit.off()
      local function run(L, code)
        if ffi.C.luaL_loadstring(L, code) ~= 0 or ffi.C.lua_pcall(L, 0, 0, 0) ~= 0 then
          error(ffi.string(ffi.C.lua_tolstring(L, -1, nil)))
        end
      end
      for _ = 1, 3 do
        local L = ffi.C.luaL_newstate()
        ffi.C.luaL_openlibs(L)
        cuda.gc_budget "off"
        local before = cuda.mem_stats().collections
        run(L, "cuda = require 'cudalua' cuda.init() cuda.gc_budget(2^20) " ..
          "for _ = 1, 100 do cuda.mem_alloc(2^20) end " ..
          "assert(cuda.mem_stats().collections > 20 and cuda.mem_stats().plain.bytes < 8 * 2^20) " ..
          "a = cuda.mem_alloc_async(4096) b = cuda.mem_alloc(4096)")
        assert(cuda.gc_budget() == "off" and cuda.mem_stats().collections == before)
        coroutine.wrap(function()
          for i = 1, 20 do cuda.mem_alloc(MiB) end
        end)()
        assert(cuda.mem_stats().collections == before)
        run(L, "assert(cuda.gc_budget() == 2^20)")
        ffi.C.lua_close(L)
        cuda.collect()
        assert(cuda.mem_stats().live == 0, cuda.mem_stats().live)
      end
      print "fine"
    ]]
  end)
end)

describe("finalizers that run in an allocation", function()
  it("may raise: told, and not the allocation's business", function()
    fine [[
      -- Newer LuaJITs tell by themselves, and raise nothing.
      getmetatable(newproxy(true)).__gc = function() error "a probe" end
      local raises = not pcall(collectgarbage)
      local told = {}
      cuda.on_notice = function(text) told[#told + 1] = text end
      cuda.gc_budget(MiB)
      for i = 1, 5 do
        local u = newproxy(true)
        getmetatable(u).__gc = function() error("number " .. i) end
      end
      for _ = 1, 40 do assert(#cuda.mem_alloc(MiB) == MiB) end
      assert(#told == (raises and 5 or 0), #told)
      assert(not raises or told[1]:find "an error in a finalizer: .*number %d", told[1])
      assert(cuda.mem_stats().finalizer_errors == #told)
      for i = 1, 3 do
        local u = newproxy(true)
        getmetatable(u).__gc = function() error {} end
      end
      cuda.on_notice = function() error "a notice that raises" end
      assert(not pcall(cuda.mem_alloc, 2 ^ 45))
      assert(cuda.mem_stats().finalizer_errors == (raises and 8 or 0))
      assert(#cuda.mem_alloc(64) == 64)
      print "fine"
    ]]
  end)

  it("may allocate, collect and free themselves", function()
    fine [[
      cuda.gc_budget(MiB)
      local made = 0
      local function trap()
        local u = newproxy(true)
        getmetatable(u).__gc = function()
          for _ = 1, 20 do cuda.mem_alloc(MiB) cuda.mem_alloc_async(MiB) end
          cuda.collect()
          made = made + 1
          pcall(cuda.mem_alloc, 2 ^ 45)
          if made < 50 then trap() end
        end
      end
      trap()
      for _ = 1, 200 do cuda.mem_alloc(MiB) end
      assert(made > 1, made)
      cuda.collect()
      cuda.collect()
      assert(cuda.mem_stats().queued.bytes == 0)
      print "fine"
    ]]
  end)

  it("may take away what the allocation needs", function()
    local environment = gpu.soft and "CUDALUA_SOFT_MEMORY=64M" or nil
    if not environment then return pending "needs a small device" end
    fine([[
      local function trap(f)
        local u = newproxy(true)
        getmetatable(u).__gc = f
      end
      local function raises(text, f, ...)
        local ok, err = pcall(f, ...)
        assert(not ok and cuda.is_error(err, "LogicError") and err.message:find(text, 1, true), tostring(err))
      end
      cuda.gc_budget "off" -- finalizers run when memory is out
      local MB = 2 ^ 20
      local full = cuda.mem_alloc(40 * MB)
      local s = cuda.Stream()
      trap(function() s:close() end)
      raises("invalid handle", cuda.mem_alloc_async, 40 * MB, s)
      s = cuda.Stream()
      local pool = cuda.DeviceMemoryPool()
      trap(function() s:close() end)
      raises("invalid handle", pool.allocate, pool, 40 * MB, s)
      trap(function() pool:close() end)
      assert(not pcall(pool.allocate, pool, 40 * MB))
      local mempool = cuda.MemoryPool()
      trap(function() mempool:close() end)
      raises("invalid handle", mempool.alloc, mempool, 40 * MB)
      local other = cuda.Device(0):make_context()
      cuda.Context.pop()
      trap(function() other:push() end)
      raises("changed the current context", cuda.mem_alloc, 40 * MB)
      cuda.Context.pop()
      trap(function() cuda.Context.pop() end)
      raises("changed the current context", cuda.mem_alloc, 40 * MB)
      ctx:push()
      cuda.gc_budget(1)
      mempool = cuda.MemoryPool()
      local keep = cuda.mem_alloc(64)
      trap(function() mempool:close() end)
      cuda.mem_alloc(64)
      raises("was closed", mempool.alloc, mempool, 64)
      assert(#keep == 64)
      cuda.gc_budget "auto"
      trap(function() ctx:detach() end)
      assert(not pcall(cuda.mem_alloc, 40 * MB))
      print "fine"
    ]], environment)
  end)

  it("run at the end of the state too, where nothing is collected any more", function()
    fine [[
      cuda.gc_budget(1)
      local u = newproxy(true)
      getmetatable(u).__gc = function()
        for _ = 1, 5 do cuda.mem_alloc(MiB) end
        pcall(cuda.mem_alloc, 2 ^ 45)
      end
      a = u
      b = cuda.mem_alloc(MiB)
      print "fine"
      os.exit(0, true)
    ]]
  end)
end)
