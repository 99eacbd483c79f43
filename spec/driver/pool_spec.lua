local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local softgpu = require "cudalua.softgpu"

local function count_of(symbol, f)
  softgpu.log "on"
  softgpu.log "clear"
  local ok, err = pcall(f)
  local n = 0
  for _, call in ipairs(softgpu.calls()) do
    if call.symbol == symbol then n = n + 1 end
  end
  softgpu.log "off"
  if not ok then error(err, 0) end
  return n
end

local function fine(code, environment)
  code = "local cuda = require 'cudalua' cuda.init()\n" .. code
  local out, ok = gpu.child(code, gpu.driver .. " " .. (environment or ""))
  assert.equal("fine\n", out)
  assert.is_true(ok)
end

-- What a pool says of itself: held blocks, active blocks, active bytes, managed bytes.
local function state(pool) return { pool.held_blocks, pool.active_blocks, pool.active_bytes, pool.managed_bytes } end

describe("bins", function()
  before_each(gpu.context)

  it("cuda.DeviceMemoryPool:bin_number and cuda.DeviceMemoryPool:alloc_size: 16 to an octave", function()
    local pool = cuda.DeviceMemoryPool()
    -- size, number of its bin, size of a block in it
    for _, row in ipairs { { 1, 0, 1 }, { 2, 16, 2 }, { 3, 24, 3 }, { 15, 62, 15 }, { 16, 64, 16 }, { 31, 79, 31 },
      { 32, 80, 33 }, { 33, 80, 33 }, { 34, 81, 35 }, { 1000, 159, 1023 }, { 1023, 159, 1023 }, { 1024, 160, 1087 },
      { 4194304, 352, 4456447 }, { 2 ^ 33, 528, 2 ^ 33 + 2 ^ 29 - 1 } } do
      assert.equal(row[2], pool:bin_number(row[1]))
      assert.equal(row[2], cuda.DeviceMemoryPool.bin_number(row[1]))
      assert.equal(row[3], pool:alloc_size(row[2]))
    end
    for _ = 1, 2000 do
      local n = math.floor(2 ^ (4 + math.random() * 46))
      local bin = pool:bin_number(n)
      local size = pool:alloc_size(bin)
      assert.is_true(size >= n and size <= n + n / 16)
      assert.equal(bin, pool:bin_number(size))
      assert.equal(bin + 1, pool:bin_number(size + 1))
    end
    gpu.refuses_nonsense(cuda.DeviceMemoryPool.bin_number)
    gpu.refuses_nonsense(cuda.DeviceMemoryPool.alloc_size)
  end)
end)

describe("pools of device memory", function()
  before_each(gpu.context)

  it("cuda.DeviceMemoryPool keeps count: cuda.DeviceMemoryPool:allocate, cuda.PooledDeviceAllocation:free", function()
    local pool = cuda.DeviceMemoryPool()
    assert.same({ 0, 0, 0, 0 }, state(pool))
    local a = pool:allocate(1000)
    assert.equal(1000, #a)
    assert.same({ 0, 1, 1000, 1023 }, state(pool))
    local kept = gpu.kept
    gpu.apart(function() kept.b = pool:allocate(5000) end)
    assert.same({ 0, 2, 6000, 1023 + 5119 }, state(pool))
    a:free()
    assert.same({ 1, 1, 5000, 1023 + 5119 }, state(pool))
    assert.equal(1023, pool.held_bytes)
    gpu.apart(function() kept.c = pool:allocate(1010) end)
    assert.same({ 0, 2, 6010, 1023 + 5119 }, state(pool))
    kept.b, kept.c = nil, nil
    cuda.collect()
    assert.same({ 2, 0, 0, 1023 + 5119 }, state(pool))
    pool:free_held()
    assert.same({ 0, 0, 0, 0 }, state(pool))
    gpu.raises("LogicError", "a DeviceMemoryPool has no field 'held_block'; did you mean 'held_blocks'?", function()
      return pool.held_block
    end)
  end)

  it("a block is the same memory again, and the driver is not asked", function()
    local pool = cuda.DeviceMemoryPool()
    local a = pool:allocate(2 ^ 20)
    local address = a:ptr()
    a:free()
    local function again()
      for _ = 1, 100 do
        local b = pool:allocate(2 ^ 20)
        assert.equal(address, b:ptr())
        b:free()
      end
    end
    if gpu.soft then
      assert.equal(0, count_of("cuMemAlloc_v2", again))
      assert.equal(0, count_of("cuMemFree_v2", again))
    else
      again()
    end
  end)

  it("cuda.PooledDeviceAllocation:ptr: a cuda.PooledDeviceAllocation is device memory", function()
    local pool = cuda.DeviceMemoryPool()
    local a, back = pool:allocate(64), ffi.new "int[16]"
    local mod = cuda.SourceModule "__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }"
    mod:get_function "fill"(a, 9, { block = 16 })
    cuda.memcpy_dtoh(back, a)
    assert.equal(9, back[15])
    cuda.memcpy_htod(a + 4, ffi.new("int[1]", 77))
    cuda.memcpy_dtoh(back, a)
    assert.same({ 9, 77 }, { back[0], back[1] })
    assert.equal(a:ptr() + 4, (a + 4):ptr())
    gpu.raises("LogicError", "do not fit", cuda.memcpy_htod, a, ("x"):rep(65))
    gpu.raises("LogicError", "past the end", function() return a + 65 end)
    local view = a + 8
    a:free()
    gpu.raises("LogicError", "was freed at", a.free, a)
    gpu.raises("LogicError", "was freed at", a.ptr, a)
    gpu.raises("LogicError", "is gone", view.ptr, view)
    gpu.raises("LogicError", "freed", mod:get_function "fill", a, 9, { block = 16 })
    assert.truthy(tostring(a):find "PooledDeviceAllocation %(freed%)")
    gpu.refuses_nonsense(cuda.PooledDeviceAllocation.free)
    gpu.refuses_nonsense(cuda.PooledDeviceAllocation.ptr)
  end)

  it("cuda.PooledDeviceAllocation:close is free by another name", function()
    local a = cuda.DeviceMemoryPool():allocate(4)
    a:close()
    gpu.raises("LogicError", "was freed", a.ptr, a)
  end)

  it("cuda.DeviceMemoryPool:allocate refuses sizes and streams that are none", function()
    local pool = cuda.DeviceMemoryPool()
    gpu.refuses_nonsense(function(v) pool:allocate(v) end)
    gpu.refuses_nonsense(cuda.DeviceMemoryPool.allocate)
    gpu.raises("LogicError", "0 bytes", pool.allocate, pool, 0)
    gpu.raises("LogicError", "expected a Stream", pool.allocate, pool, 4, 1)
    local err = gpu.error_of("MemoryError", pool.allocate, pool, 2 ^ 45)
    assert.equal(2 ^ 45, err.requested)
    assert.same({ 0, 0, 0, 0 }, state(pool))
    assert.equal(8, #pool:allocate(8LL))
  end)

  it("cuda.DeviceMemoryPool:stop_holding: what comes back goes to the driver", function()
    local pool = cuda.DeviceMemoryPool()
    local a, b = pool:allocate(100), pool:allocate(200)
    a:free()
    pool:stop_holding()
    assert.same({ 0, 1, 200, 207 }, state(pool))
    b:free()
    assert.same({ 0, 0, 0, 0 }, state(pool))
    local kept = gpu.kept
    gpu.apart(function() kept.c = pool:allocate(300) end)
    assert.same({ 0, 1, 300, 303 }, state(pool))
    kept.c = nil
    collectgarbage()
    collectgarbage()
    cuda.collect() -- giving it back waits, so a finalizer leaves it to the queue
    assert.same({ 0, 0, 0, 0 }, state(pool))
  end)

  it("cuda.DeviceMemoryPool:free_held", function()
    local pool = cuda.tools.DeviceMemoryPool() -- where PyCUDA has it
    local list = {}
    for i = 1, 10 do list[i] = pool:allocate(i * 1000) end
    for i = 1, 10 do list[i]:free() end
    assert.equal(10, pool.held_blocks)
    if gpu.soft then
      assert.equal(10, count_of("cuMemFree_v2", function() pool:free_held() end))
    else
      pool:free_held()
    end
    assert.same({ 0, 0, 0, 0 }, state(pool))
    gpu.refuses_nonsense(cuda.DeviceMemoryPool.free_held)
    gpu.refuses_nonsense(cuda.DeviceMemoryPool.stop_holding)
  end)

  it("cuda.DeviceMemoryPool:close with blocks in use: they stay until they are freed", function()
    local pool = cuda.DeviceMemoryPool()
    local a, b, back = pool:allocate(64), pool:allocate(64), ffi.new "char[64]"
    b:free()
    cuda.memcpy_htod(a, ("k"):rep(64))
    cuda.collect()
    local held = cuda.mem_stats().held.bytes
    pool:close()
    assert.equal(held - 67, cuda.mem_stats().held.bytes)
    gpu.raises("LogicError", "was closed at", pool.allocate, pool, 64)
    gpu.raises("LogicError", "was closed at", function() return pool.held_blocks end)
    gpu.raises("LogicError", "was closed at", pool.close, pool)
    cuda.memcpy_dtoh(back, a)
    assert.equal(("k"):rep(64), ffi.string(back, 64))
    a:free()
    assert.equal(held - 67, cuda.mem_stats().held.bytes)
  end)

  it("a pool that was collected with blocks in use: they stay, and go to the driver", function()
    cuda.collect()
    local before = gpu.soft and softgpu.stats().live_allocs
    local kept, back = gpu.kept, ffi.new "char[64]"
    gpu.apart(function()
      kept.a = cuda.DeviceMemoryPool():allocate(64)
      cuda.DeviceMemoryPool():allocate(64):free()
    end)
    cuda.collect()
    gpu.apart(function()
      cuda.memcpy_htod(kept.a, ("k"):rep(64))
      cuda.memcpy_dtoh(back, kept.a)
    end)
    assert.equal(("k"):rep(64), ffi.string(back, 64))
    kept.a = nil
    cuda.collect()
    cuda.collect()
    if before then assert.equal(before, softgpu.stats().live_allocs) end
  end)

  it("a block that another stream works on is not handed out before that is done", function()
    local pool, other = cuda.DeviceMemoryPool(), cuda.Stream "non_blocking"
    local source, back = ("s"):rep(2 ^ 16), cuda.pagelocked_empty and cuda.pagelocked_empty(2 ^ 16, "uint8")
      or ffi.new "char[65536]"
    for _ = 1, 20 do
      local a = pool:allocate(2 ^ 16)
      cuda.memcpy_htod(a, source)
      cuda.Context.synchronize()
      cuda.memcpy_dtoh_async(back, a, other)
      a:free()
      local b = pool:allocate(2 ^ 16)
      cuda.memset_d8(b, 33, 2 ^ 16)
      cuda.Context.synchronize()
      local host = type(back) == "cdata" and back or ffi.cast("char *", (back:buffer()))
      assert.equal(source, ffi.string(host, 2 ^ 16))
      b:free()
    end
    assert.is_true(pool.held_blocks >= 1 and pool.held_blocks <= 21)
  end)

  it("a block is handed out at once in its stream, later in another", function()
    if not gpu.soft then return pending "needs work that has not run yet" end
    local s, t = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local pool = cuda.DeviceMemoryPool()
    local a = pool:allocate(1000, s)
    local first = a:ptr()
    cuda.memset_d8_async(a, 1, 1000, s)
    a:free()
    local b = pool:allocate(1000, s)
    assert.equal(first, b:ptr())
    cuda.memset_d8_async(b, 2, 1000, s)
    b:free()
    local c = pool:allocate(1000, t)
    assert.is_true(c:ptr() ~= first) -- s has not done its work
    s:synchronize()
    local d = pool:allocate(1000, t)
    assert.equal(first, d:ptr())
    d:free()
    c:free()
    t:synchronize()
    s:close()
    t:close()
    assert.is_true(#pool:allocate(1000) == 1000) -- homes that were closed
  end)

  it("a pool works in its context only", function()
    cuda.collect()
    local pool = cuda.DeviceMemoryPool()
    local other = cuda.Device(0):make_context()
    gpu.raises("LogicError", "is not current", pool.allocate, pool, 64)
    local theirs = cuda.DeviceMemoryPool()
    local a, b = theirs:allocate(64), theirs:allocate(128)
    b:free()
    local stats = cuda.mem_stats()
    other:detach()
    local after = cuda.mem_stats()
    assert.equal(stats.pooled.bytes - 67, after.pooled.bytes)
    assert.equal(stats.held.bytes - 135, after.held.bytes)
    gpu.raises("LogicError", "its Context is gone", a.free, a)
    gpu.raises("LogicError", "its Context is gone", theirs.allocate, theirs, 64)
    gpu.raises("LogicError", "its Context is gone", function() return theirs.held_blocks end)
    local function drop()
      a, b, theirs = nil, nil, nil -- luacheck: ignore
      cuda.collect()
    end
    if gpu.soft then assert.equal(0, count_of("cuMemFree_v2", drop)) else drop() end
    assert.equal(after.held.bytes, cuda.mem_stats().held.bytes)
  end)

  it("out of memory: what the pool holds goes first, the largest before the others", function()
    if not gpu.soft then return pending "needs a small device" end
    fine([[
      local softgpu = require "cudalua.softgpu"
      local ctx = cuda.Device(0):make_context()
      local pool = cuda.DeviceMemoryPool()
      local M = 2 ^ 20
      local small, middle, large = pool:allocate(8 * M), pool:allocate(16 * M), pool:allocate(24 * M)
      small:free() middle:free() large:free()
      assert(pool.held_blocks == 3)
      local a = pool:allocate(28 * M) -- needs one of them back
      assert(pool.held_blocks == 2 and pool.held_bytes < 26 * M, pool.held_blocks)
      a:free()
      local b = pool:allocate(56 * M) -- needs all of them
      assert(pool.held_blocks == 0)
      assert(not pcall(pool.allocate, pool, 56 * M))
      b = nil
      local c = pool:allocate(55 * M) -- needs the collector
      local other = cuda.DeviceMemoryPool()
      c:free()
      assert(pool.held_blocks == 1)
      cuda.mem_alloc(40 * M) -- what pools hold goes for everybody
      assert(pool.held_blocks == 0)
      print "fine"
    ]], "CUDALUA_SOFT_MEMORY=64M")
  end)

  it("out of memory for good: the driver, which takes long to say so, is asked a few times", function()
    local pool, blocks = cuda.DeviceMemoryPool(), {}
    for i = 1, 100 do blocks[i] = pool:allocate(64 * i) end
    for i = 1, 100 do blocks[i]:free() end
    local function f() gpu.error_of("MemoryError", pool.allocate, pool, 2 ^ 45) end
    if not gpu.soft then return f() end
    local asked = count_of("cuMemAlloc_v2", f)
    assert.equal(4, asked) -- at first, without the largest block, without all, after a collection
    assert.equal(0, pool.held_blocks)
  end)

  it("no block is handed out while a stream is being captured", function()
    local pool, s = cuda.DeviceMemoryPool(), cuda.Stream "non_blocking"
    pool:allocate(64):free()
    s:capture(function() gpu.raises("LogicError", "captured", pool.allocate, pool, 64) end)
    s:capture(function()
      local a = pool:allocate(64)
      assert.equal(1, pool.held_blocks)
      a:free()
    end, { mode = "relaxed" })
    assert.equal(2, pool.held_blocks)
  end)

  it("everything alive at the end of the state, in both orders", function()
    for _, order in ipairs { "pool, a, b, host, ary", "ary, host, b, a, pool" } do
      fine(([[
        %s = nil, nil, nil, nil, nil
        local ctx = cuda.Device(0):make_context()
        pool, host = cuda.DeviceMemoryPool(), cuda.PageLockedMemoryPool()
        a, b = pool:allocate(64), pool:allocate(64)
        a:free()
        ary = host:allocate(16, "float32")
        cuda.memcpy_htod_async(b, ary, cuda.Stream())
        print "fine"
        os.exit(0, true)
      ]]):format(order))
    end
  end)
end)

describe("pools and a device that starts again", function()
  it("are dead", function()
    if not gpu.soft then return pending "needs the software device" end
    fine [[
      local softgpu = require "cudalua.softgpu"
      local ctx = cuda.Device(0):make_context()
      local pool, driver, default = cuda.DeviceMemoryPool(), cuda.MemoryPool(), cuda.default_mempool()
      local a, b = pool:allocate(64), pool:allocate(64)
      b:free()
      local c = driver:alloc(64)
      softgpu.set_device_count(2)
      for _, f in ipairs { a.free, b.free, c.free, pool.close, driver.close, default.handle } do
        for _, object in ipairs { a, b, c, pool, driver, default } do
          local ok, err = pcall(f, object)
          assert(not ok and cuda.is_error(err, "LogicError"), tostring(err))
        end
      end
      local other = cuda.Device(1):make_context()
      assert(cuda.default_mempool(0):handle() > 0)
      a, b, c, pool, driver = nil
      cuda.collect()
      assert(softgpu.stats().stale == 0)
      local stats = cuda.mem_stats()
      assert(stats.live == 0 and stats.held.bytes == 0, stats.held.bytes)
      local p1 = cuda.MemoryPool { device = 1 }
      p1:set_access(0)
      print "fine"
    ]]
  end)
end)

describe("pools of page-locked memory", function()
  before_each(gpu.context)

  it("cuda.PageLockedMemoryPool: cuda.PageLockedMemoryPool:allocate gives host arrays", function()
    local pool = cuda.PageLockedMemoryPool()
    local back, shape, address, bytes = ffi.new "float[100]", nil, nil, nil
    gpu.apart(function()
      local a = pool:allocate({ 4, 25 }, "float32")
      a:fill(2)
      cuda.memcpy_dtoh(back, cuda.to_device(a))
      shape, address, bytes = a.shape, a.base:ptr(), #a.base
    end)
    assert.same({ 0, 1, 400, 415 }, state(pool))
    assert.same({ 4, 25 }, shape)
    assert.equal(2, back[99])
    assert.is_true(address > 0)
    assert.equal(400, bytes)
    cuda.collect()
    assert.same({ 1, 0, 0, 415 }, state(pool))
    local b = pool:allocate(100, "int32", "F")
    assert.equal(address, b.base:ptr())
    assert.same({ 0, 1, 400, 415 }, state(pool))
    assert.equal(0, pool:allocate({ 0, 3 }, "float64").size)
    assert.equal("F", pool:allocate({ 2, 3 }, "float64", "F").order)
  end)

  it("cuda.PooledHostAllocation: cuda.PooledHostAllocation:free, cuda.PooledHostAllocation:close and " ..
    "cuda.PooledHostAllocation:ptr", function()
    local pool = cuda.PageLockedMemoryPool()
    local a = pool:allocate(10, "float64")
    a[1] = 5
    a.base:free()
    gpu.raises("LogicError", "was freed at", function() return a[1] end)
    gpu.raises("LogicError", "was freed at", cuda.to_device, a)
    gpu.raises("LogicError", "was freed at", a.base.free, a.base)
    assert.equal(1, pool.held_blocks)
    gpu.refuses_nonsense(cuda.PooledHostAllocation.free)
    gpu.refuses_nonsense(cuda.PooledHostAllocation.ptr)
    local b = pool:allocate(10, "float64")
    b.base:close()
    gpu.raises("LogicError", "was freed at", b.base.ptr, b.base)
  end)

  it("a block is handed out again after the copies that use it", function()
    local pool, s = cuda.PageLockedMemoryPool(), cuda.Stream "non_blocking"
    local d, back = cuda.mem_alloc(4096), ffi.new "uint8_t[4096]"
    for k = 1, 10 do
      local a = pool:allocate(4096, "uint8")
      a:fill(k)
      cuda.memcpy_htod_async(d, a, s)
      if k % 2 == 0 then a.base:free() end
      a = nil -- luacheck: ignore
      collectgarbage()
      collectgarbage()
      pool:allocate(4096, "uint8"):fill(200)
      s:synchronize()
      cuda.memcpy_dtoh(back, d)
      assert.equal(k, back[4095])
    end
  end)

  it("cuda.PooledHostAllocation:get_device_pointer and cuda.PageLockedAllocator", function()
    local pool = cuda.PageLockedMemoryPool(cuda.PageLockedAllocator { "portable", "devicemap" })
    local a = pool:allocate(16, "int32")
    local p = a.base:get_device_pointer()
    assert.equal(64, #p)
    assert.equal(p:ptr(), a.base:ptr())
    local mod = cuda.SourceModule "__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }"
    mod:get_function "fill"(p, { block = 16 })
    cuda.Context.synchronize()
    assert.equal(15, a[16])
    a.base:free()
    gpu.raises("LogicError", "is gone", p.ptr, p)
    assert.equal(3, cuda.PageLockedAllocator(3).flags)
    gpu.raises("LogicError", "devicemap", cuda.PageLockedAllocator, "devicemapp")
    gpu.refuses_nonsense(cuda.PageLockedAllocator, { ["nil"] = true, table = true })
    gpu.refuses_nonsense(cuda.PageLockedMemoryPool, { ["nil"] = true })
    gpu.refuses_nonsense(cuda.PooledHostAllocation.get_device_pointer)
  end)

  it("cuda.PageLockedMemoryPool:allocate refuses bad shapes, types and orders", function()
    local pool = cuda.PageLockedMemoryPool()
    gpu.refuses_nonsense(function(v) pool:allocate(v, "float32") end, { table = true })
    gpu.error_of("LogicError", pool.allocate, pool, { 2 ^ 40, 2 ^ 40 }, "float64")
    gpu.error_of("LogicError", pool.allocate, pool, { 1, -1 }, "float64")
    gpu.error_of("LogicError", pool.allocate, pool, 4, "float33")
    gpu.error_of("LogicError", pool.allocate, pool, 4, "float32", "D")
    assert.same({ 0, 0, 0, 0 }, state(pool))
    gpu.refuses_nonsense(function(v) cuda.PageLockedMemoryPool.allocate(v, 4, "float32") end)
  end)

  it("cuda.PageLockedMemoryPool:free_held, cuda.PageLockedMemoryPool:stop_holding, cuda.PageLockedMemoryPool:close, " ..
    "cuda.PageLockedMemoryPool:bin_number, cuda.PageLockedMemoryPool:alloc_size",
    function()
      local pool = cuda.PageLockedMemoryPool()
      local a, b = pool:allocate(100, "uint8"), pool:allocate(100, "uint8")
      a.base:free()
      assert.same({ 1, 1, 100, 206 }, state(pool))
      pool:free_held()
      assert.same({ 0, 1, 100, 103 }, state(pool))
      pool:stop_holding()
      b.base:free()
      assert.same({ 0, 0, 0, 0 }, state(pool))
      local c = pool:allocate(100, "uint8")
      pool:close()
      gpu.raises("LogicError", "was closed at", pool.allocate, pool, 4, "uint8")
      c:fill(1)
      assert.equal(1, c[100])
      c.base:free()
      assert.equal(159, cuda.PageLockedMemoryPool.bin_number(1000))
      assert.equal(1023, cuda.PageLockedMemoryPool.alloc_size(159))
    end)
end)

describe("pools that tell", function()
  before_each(gpu.context)

  local function log()
    local lines = {}
    return lines, { write = function(_, text) lines[#lines + 1] = text end }
  end

  it("cuda.DebugMemoryPool tells: cuda.DebugMemoryPool:allocate reports when the driver is asked", function()
    local lines, file = log()
    local pool = cuda.DebugMemoryPool { logfile = file }
    local a = pool:allocate(1000)
    assert.truthy(lines[1]:find "1023 bytes more from the driver, for 1000 bytes at .*pool_spec%.lua:%d+", lines[1])
    local n = #lines
    a:free()
    a = pool:allocate(1001)
    assert.equal(n, #lines)
    assert.equal(1, pool.active_blocks)
    assert.equal(1001, pool.active_bytes)
    assert.equal(159, pool:bin_number(1000))
    assert.equal(1001, #a)
  end)

  it("cuda.DebugMemoryPool:histogram counts what is in use by place", function()
    local _, file = log()
    local pool = cuda.DebugMemoryPool { logfile = file }
    local list = {}
    for i = 1, 3 do list[i] = pool:allocate(500) end
    local other = pool:allocate(4000)
    local histogram = pool:histogram()
    assert.equal(2, #histogram)
    assert.same({ 1, 4000 }, { histogram[1].count, histogram[1].bytes })
    assert.same({ 3, 1500 }, { histogram[2].count, histogram[2].bytes })
    assert.truthy(histogram[2].place:find "pool_spec.lua:%d+")
    other:free()
    list[2]:free()
    histogram = pool:histogram()
    assert.equal(1, #histogram)
    assert.same({ 2, 1000 }, { histogram[1].count, histogram[1].bytes })
  end)

  it("cuda.DebugMemoryPool:report writes it", function()
    local lines, file = log()
    local pool = cuda.DebugMemoryPool { logfile = file }
    local a = pool:allocate(64)
    for i = #lines, 1, -1 do lines[i] = nil end
    pool:report()
    assert.truthy(lines[1]:find "in use: 1 blocks, 64 bytes; held: 0 blocks; managed: 67 bytes")
    assert.truthy(lines[2]:find "1 x +64 bytes .*pool_spec.lua:%d+")
    a:free()
    gpu.raises("LogicError", "unknown option 'log'", cuda.DebugMemoryPool, { log = 1 })
    gpu.raises("LogicError", "logfile", cuda.DebugMemoryPool, { logfile = 5 })
    gpu.raises("LogicError", "table of options", cuda.DebugMemoryPool, 5)
    pool:stop_holding()
    assert.equal(0, pool.held_blocks)
  end)
end)
