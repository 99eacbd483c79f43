-- Host memory that the device reaches: page-locked, registered, managed; aligned host memory.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"
local soft = gpu.soft and require "cudalua.softgpu"

-- The driver calls that f makes, on the software device; elsewhere it is only called.
local function calls_of(f)
  if soft then
    soft.log "on"
    soft.log "clear"
  end
  f()
  if not soft then return {} end
  local list = soft.calls()
  soft.log "off"
  return list
end

local function text_of(list, symbol)
  for _, call in ipairs(list) do
    if call.symbol == symbol then return call.text end
  end
end

local function address(ary) return tonumber(ffi.cast("uintptr_t", ary:data())) end

local kinds = {
  pagelocked = { class = "HostAllocation", call = "cuMemHostAlloc", free = "free" },
  managed = { class = "ManagedAllocation", call = "cuMemAllocManaged", free = "free" },
  aligned = { class = "AlignedHostAllocation", free = "free" },
}

for name, kind in pairs(kinds) do
  describe(name .. " arrays", function()
    before_each(gpu.context)
    local empty, zeros = cuda[name .. "_empty"], cuda[name .. "_zeros"]
    local empty_like, zeros_like = cuda[name .. "_empty_like"], cuda[name .. "_zeros_like"]

    it(("cuda.%s_empty and cuda.%s_zeros take shape, dtype and order; the base is the allocation"):format(name, name),
      function()
        for _, dtype in ipairs { "bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64",
          "complex64", "complex128" } do
          for _, shape in ipairs { 7, { 3 }, { 2, 5 }, { 2, 3, 4 }, {} } do
            for _, order in ipairs { "C", "F" } do
              local a, z = empty(shape, dtype, { order = order }), zeros(shape, dtype, { order = order })
              local like = cuda.ndarray.zeros(shape, dtype, { order = order })
              assert.same(like.shape, a.shape)
              assert.same(like.strides, a.strides)
              assert.equal(like.dtype, z.dtype)
              assert.is_true(cuda.ndarray.equal(like, z))
              assert.equal(("\0"):rep(z.nbytes), ffi.string(z:data(), z.nbytes))
              assert.equal(kind.class, core.kind(a.base))
              assert.is_true(cuda.ndarray.is_array(a))
              if kind.call then assert.equal(a.nbytes, #a.base) end
            end
          end
        end
        assert.equal("float32", empty(3).dtype.name)
        local a = empty({ 2, 3 }, "int32")
        a:assign { { 1, 2, 3 }, { 4, 5, 6 } }
        assert.equal(6, a:get(2, 3))
        assert.same({ 2, 5 }, a:slice({}, 2):tolist())
        assert.equal(a, a:slice({}, 2).base)
      end)

    it(("cuda.%s_empty of no elements works, and has a base"):format(name), function()
      for _, shape in ipairs { 0, { 0, 3 }, { 2, 0, 4 } } do
        local a = empty(shape, "float64")
        assert.equal(0, a.nbytes)
        assert.equal(kind.class, core.kind(a.base))
        assert.equal(0, zeros(shape).size)
        a.base:free()
        gpu.raises("LogicError", "was freed at", a.tolist, a)
      end
    end)

    it(("cuda.%s_empty_like and cuda.%s_zeros_like take shape, dtype and order from another array"):format(name, name),
      function()
        local c, f = cuda.ndarray.ones({ 2, 3 }, "int16"), cuda.ndarray.ones({ 2, 3 }, "float64", { order = "F" })
        local a, b, z = empty_like(c), empty_like(f), zeros_like(f)
        assert.same({ c.shape, c.strides, c.dtype.name }, { a.shape, a.strides, a.dtype.name })
        assert.same({ f.shape, f.strides, f.dtype.name }, { b.shape, b.strides, b.dtype.name })
        assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, z:tolist())
        assert.equal("C", zeros_like(f, { order = "C" }).order)
        assert.equal("C", empty_like(cuda.ndarray.ones { 4, 4 }:slice({ 1, 4, 2 }, { 1, 4, 2 })).order)
        assert.equal(kind.class, core.kind(z.base))
        gpu.refuses_nonsense(empty_like)
        gpu.refuses_nonsense(zeros_like)
        gpu.refuses_nonsense(function(v) empty_like(c, v) end, { ["nil"] = true, table = true })
        gpu.raises("LogicError", "unknown option", zeros_like, c, { base = 1 })
      end)

    it(("cuda.%s_empty refuses bad shapes, types and options"):format(name), function()
      for _, make in ipairs { empty, zeros } do
        gpu.refuses_nonsense(function(v) make(v, "int32") end, { table = true })
        gpu.refuses_nonsense(function(v) make({ 2, v }, "int32") end, { ["nil"] = true })
        gpu.refuses_nonsense(function(v) make(3, v) end, { ["nil"] = true, cdata = true })
        gpu.refuses_nonsense(function(v) make(3, "int32", v) end, { ["nil"] = true, table = true })
        gpu.raises("LogicError", "order must be", make, 3, "int32", { order = "K" })
        gpu.raises("LogicError", "unknown option 'flags'", make, 3, "int32", { flags = 0 })
        gpu.raises("LogicError", "dtype is passed twice, as argument 2 and as an option: 'int32' and 'int16'", make, 3,
          "int32", { dtype = "int16" })
        gpu.raises("LogicError", "too many elements", make, { 2 ^ 30, 2 ^ 30 }, "int32")
      end
    end)

    it(("an allocation of %s that is freed is dead: cuda.%s:free, cuda.%s:close"):format(name, kind.class, kind.class),
      function()
        for _, method in ipairs { "free", "close" } do
          local a = zeros({ 2, 2 }, "int32")
          local base, part = a.base, a:slice(1)
          local held = cuda.mem_alloc(16)
          assert.is_nil(base[method](base))
          local calls = calls_of(function()
            for key, f in pairs(core.classes[kind.class]) do
              if key ~= "describe" then
                local err = gpu.error_of("LogicError", f, base, 1, 0)
                assert.matches("was freed at [^ ]*hostmem_spec.lua", err.message)
              end
            end
            for _, x in ipairs { a, part } do
              for _, f in ipairs { "tolist", "data", "buffer", "copy", "get_pointer" } do
                gpu.raises("LogicError", "was freed at", x[f], x)
              end
              for _, f in ipairs { "get", "set", "fill" } do gpu.raises("LogicError", "was freed at", x[f], x, 1) end
              gpu.raises("LogicError", "was freed at", cuda.memcpy_htod, held, x)
              gpu.raises("LogicError", "was freed at", cuda.memcpy_dtoh, x, held)
              gpu.raises("LogicError", "was freed at", cuda.memcpy_dtod, held, x, 4)
              gpu.raises("LogicError", "was freed at", cuda.register_host_memory, x)
              gpu.raises("LogicError", "was freed at", cuda.to_device, x)
            end
            gpu.raises("LogicError", "was freed at", function() return part[1] end)
            gpu.raises("LogicError", "was freed at", function() part[1] = 1 end)
            assert.equal("cudalua.ndarray (freed)", tostring(a))
            assert.equal(("cudalua.%s (freed)"):format(kind.class), tostring(base))
          end)
          assert.same({}, calls)
        end
      end)

    it(("what is dropped of %s is given back"):format(name), function()
      cuda.collect()
      local before = cuda.mem_stats()
      local class = name == "pagelocked" and "pinned" or name
      local a = zeros(1000, "float64")
      assert.equal(before[class].bytes + 8000, cuda.mem_stats()[class].bytes)
      a.base:free()
      assert.equal(before[class].bytes, cuda.mem_stats()[class].bytes)
      a = nil -- luacheck: ignore
      for _ = 1, 10 do zeros(1000, "float64") end
      cuda.collect()
      assert.is_true(cuda.mem_stats()[class].bytes <= before[class].bytes)
    end)
  end)
end

describe("page-locked memory", function()
  before_each(gpu.context)

  it("arrays in page-locked, aligned and managed memory take their dtype as an option, too", function()
    for _, name in ipairs { "pagelocked", "aligned", "managed" } do
      local empty, zeros, like = cuda[name .. "_empty"], cuda[name .. "_zeros"], cuda[name .. "_zeros_like"]
      assert.equal("int16", empty({ 4 }, { dtype = "int16" }).dtype.name)
      assert.same({ 0, 0 }, zeros(2, { dtype = "int16", order = "F" }):tolist())
      gpu.raises("LogicError", "unknown option 'dtype'", like, zeros(2), { dtype = "int16" })
    end
  end)

  it("cuda.pagelocked_empty gives mem_flags to the driver, cuda.HostAllocation:get_flags asks for them", function()
    for flags, number in pairs { portable = 1, DEVICEMAP = 2, writecombined = 4 } do
      local a -- what the driver tells: every page is mapped, and portable is not kept
      local text = text_of(calls_of(function()
        a = cuda.pagelocked_empty(4, "int32", { mem_flags = flags })
      end), "cuMemHostAlloc")
      if soft then assert.matches("flags=" .. number .. "$", text) end
      assert.equal(number == 4 and 6 or 2, bit.band(a.base:get_flags(), 6))
    end
    local a = cuda.pagelocked_zeros(4, "int32", { mem_flags = { "portable", cuda.host_alloc_flags.WRITECOMBINED } })
    assert.equal(4, bit.band(a.base:get_flags(), 4))
    gpu.raises("LogicError", "mem_flags", cuda.pagelocked_empty, 4, "int32", { mem_flags = "portabel" })
    gpu.raises("LogicError", "mem_flags", cuda.pagelocked_empty, 4, "int32", { mem_flags = 8 })
    gpu.refuses_nonsense(function(v) cuda.pagelocked_empty(4, "int32", { mem_flags = v }) end,
      { ["nil"] = true, table = true })
  end)

  it("cuda.HostAllocation is the class; cuda.PagelockedHostAllocation is another name of it", function()
    assert.equal(cuda.HostAllocation, cuda.PagelockedHostAllocation)
    assert.equal(core.classes.HostAllocation.free, cuda.HostAllocation.free)
    gpu.refuses_nonsense(cuda.HostAllocation.free)
    gpu.refuses_nonsense(cuda.HostAllocation.get_flags)
    gpu.refuses_nonsense(cuda.HostAllocation.get_device_pointer)
  end)

  it("cuda.HostAllocation:ptr, cuda.HostAllocation:get_device_pointer: where the device has it", function()
    local a = cuda.pagelocked_empty(8, "int32")
    a:fill(5)
    local p = a.base:get_device_pointer()
    assert.equal("DevicePointer", core.kind(p))
    assert.equal(a.base:ptr(), p:ptr())
    assert.equal(32, #p)
    assert.equal(24, #(a.base + 8))
    assert.same({ 5, 5 }, cuda.from_device(p + 24, 2, "int32"):tolist())
    a.base:free()
    gpu.raises("LogicError", "its HostAllocation is gone", p.ptr, p)
  end)

  it("cuda.HostAllocation:as_buffer is a view of its bytes", function()
    local a = cuda.pagelocked_zeros(4, "int32")
    local view = a.base:as_buffer(8, 4)
    view:fill(1)
    assert.same({ 0, 0x01010101, 0x01010101, 0 }, a:tolist())
    assert.equal(a.base, view.base)
    gpu.raises("LogicError", "do not fit", a.base.as_buffer, a.base, 17)
    gpu.raises("LogicError", "do not fit", a.base.as_buffer, a.base, 1, 16)
    gpu.refuses_nonsense(function(v) a.base:as_buffer(v) end)
    gpu.refuses_nonsense(function(v) a.base:as_buffer(1, v) end, { ["nil"] = true })
    a.base:free()
    gpu.raises("LogicError", "was freed at", view.tolist, view)
  end)

  it("is not allocated where the driver has none", function()
    gpu.error_of("MemoryError", cuda.pagelocked_empty, 2 ^ 50, "float32")
    gpu.error_of("MemoryError", cuda.aligned_empty, 2 ^ 50, "float32")
    if not soft then return end
    cuda.collect()
    local live = soft.stats().live_allocs
    soft.fail("cuMemHostAlloc", 1, 2)
    assert.equal(4, cuda.pagelocked_zeros(4).size) -- a second try, after a collection
    soft.fail("cuMemHostAlloc", 1, 2)
    soft.fail("cuMemHostAlloc", 2, 2)
    local err = gpu.error_of("MemoryError", cuda.pagelocked_empty, 4, "float32")
    assert.equal(16, err.requested)
    assert.matches("requested 16 bytes", tostring(err))
    soft.fail("cuMemHostAlloc", 1, 999)
    gpu.error_of("Error", cuda.pagelocked_empty, 4, "float32")
    soft.fail("cuMemAllocManaged", 1, 801)
    gpu.error_of("LogicError", cuda.managed_empty, 4, "float32")
    soft.fail("cuMemHostGetDevicePointer_v2", 1, 1)
    local a = cuda.pagelocked_zeros(4, "int32") -- no address on the device: still host memory
    gpu.raises("LogicError", "no address on the device", a.base.get_device_pointer, a.base)
    gpu.raises("LogicError", "no address on the device", a.get_pointer, a)
    gpu.raises("LogicError", "no address on the device", cuda.memcpy_dtod, a.base, cuda.mem_alloc(16), 16)
    local other = cuda.mem_alloc(16)
    cuda.memcpy_htod(other, a)
    a, other = nil, nil -- luacheck: ignore
    cuda.collect()
    assert.equal(live, soft.stats().live_allocs)
  end)
end)

describe("aligned memory", function()
  it("cuda.aligned_empty begins at a multiple of the alignment; cuda.AlignedHostAllocation is its base", function()
    for _, alignment in ipairs { 1, 2, 64, 4096, 2 ^ 16, 2 ^ 21 } do
      local a = cuda.aligned_zeros({ 3, 5 }, "float32", { alignment = alignment })
      assert.equal(0, address(a) % alignment)
      assert.equal(cuda.AlignedHostAllocation.free, a.base.free)
    end
    assert.equal(0, address(cuda.aligned_empty(1)) % 4096)
    assert.equal(0, address(cuda.aligned_empty(1, "int8", { alignment = 128LL })) % 128)
    for _, bad in ipairs { 0, 3, 4097, 1.5, -4096, 2 ^ 31, 0 / 0, "4096", true, {} } do
      gpu.raises("LogicError", "alignment", cuda.aligned_empty, 1, "int8", { alignment = bad })
    end
  end)

  it("needs no driver and no context", function()
    local out = gpu.child [[
      local cuda = require "cudalua"
      local a = cuda.aligned_zeros({ 2, 2 }, "int32", { alignment = 64 })
      a:fill(7)
      print(a:get(2, 2), cuda.driver_info().open)
    ]]
    assert.equal("7\tfalse\n", out)
  end)
end)

describe("registered memory", function()
  before_each(gpu.context)

  it("cuda.register_host_memory takes arrays and other buffers; a cuda.RegisteredHostMemory is the base", function()
    local c = cuda.aligned_zeros({ 2, 3 }, "int32")
    local r = cuda.register_host_memory(c)
    assert.same({ { 2, 3 }, c.strides, "int32" }, { r.shape, r.strides, r.dtype.name })
    r:fill(4)
    assert.same({ { 4, 4, 4 }, { 4, 4, 4 } }, c:tolist())
    assert.equal("RegisteredHostMemory", core.kind(r.base))
    assert.equal(cuda.RegisteredHostMemory.unregister, r.base.unregister)
    assert.equal(24, #r.base)
    assert.equal(c, r.base.base)
    local f = cuda.aligned_zeros({ 2, 3 }, "float64", { order = "F" })
    local rf = cuda.register_host_memory(f, "portable")
    assert.same({ f.strides, "F" }, { rf.strides, rf.order })
    local cells = ffi.new "int[4096]"
    local rc = cuda.register_host_memory(cells)
    rc[5] = 1
    assert.same({ { 16384 }, "uint8", 1 }, { rc.shape, rc.dtype.name, cells[1] })
    assert.equal(cells, rc.base.base)
    local block = ffi.new "uint8_t[8192]"
    local rp = cuda.register_host_memory { ptr = ffi.cast("void *", block), nbytes = 4096 }
    assert.equal(4096, rp.size)
    local holder = { buffer = function() return block + 4096, 4096 end }
    local rh = cuda.register_host_memory(holder, { "portable", "devicemap" })
    assert.equal(holder, rh.base.base)
    local rows = cuda.aligned_zeros({ 4, 1024 }, "float32")
    assert.same({ 2, 1024 }, cuda.register_host_memory(rows:slice { 2, 3 }).shape)
    for _, x in ipairs { r, rf, rc, rp, rh } do x.base:unregister() end
  end)

  it("cuda.register_host_memory refuses what cannot be registered", function()
    gpu.refuses_nonsense(cuda.register_host_memory, { cdata = true })
    gpu.raises("LogicError", "string cannot be written", cuda.register_host_memory, ("x"):rep(4096))
    gpu.raises("LogicError", "const memory", cuda.register_host_memory,
      { ptr = ffi.cast("const char *", ("x"):rep(4096)), nbytes = 4096 })
    gpu.raises("LogicError", "0 bytes", cuda.register_host_memory, cuda.aligned_empty(0))
    gpu.raises("LogicError", "is not contiguous", cuda.register_host_memory,
      cuda.ndarray.ones { 64, 64 }:slice({}, { 1, 10 }))
    local a = cuda.aligned_zeros(1024)
    gpu.refuses_nonsense(function(v) cuda.register_host_memory(a, v) end, { ["nil"] = true, table = true })
    gpu.raises("LogicError", "flags", cuda.register_host_memory, a, 16)
    gpu.raises("LogicError", "", cuda.register_host_memory, { ptr = ffi.cast("char *", 64), nbytes = 4096 })
    local r = cuda.register_host_memory(a)
    local err = gpu.error_of("LogicError", cuda.register_host_memory, a)
    assert.equal(712, err.code)
    assert.matches("already page%-locked", tostring(err))
    gpu.error_of("LogicError", cuda.register_host_memory, cuda.pagelocked_empty(1024))
    r.base:unregister()
    if not soft then return end
    cuda.collect()
    local live = soft.stats().live_registered
    for _, code in ipairs { 1, 2, 999 } do
      soft.fail("cuMemHostRegister_v2", 1, code)
      soft.fail("cuMemHostRegister_v2", 2, code)
      local why = gpu.error_of("Error", cuda.register_host_memory, a)
      if code == 1 then assert.matches("4096", tostring(why)) end
      soft.fail_clear()
    end
    cuda.collect()
    assert.equal(live, soft.stats().live_registered)
  end)

  it("cuda.RegisteredHostMemory:unregister and cuda.RegisteredHostMemory:close end it, not the memory", function()
    for _, method in ipairs { "unregister", "close" } do
      local a = cuda.aligned_zeros(4, "int32")
      local r = cuda.register_host_memory(a)
      local base = r.base
      assert.equal(cuda.RegisteredHostMemory.unregister, base.unregister)
      r[1] = 9
      assert.is_nil(base[method](base))
      local calls = calls_of(function()
        for _, f in pairs(core.classes.RegisteredHostMemory) do
          gpu.raises("LogicError", "was unregistered at", f, base, 1, 0)
        end
        gpu.raises("LogicError", "was unregistered at", r.tolist, r)
        gpu.raises("LogicError", "was unregistered at", function() r[1] = 1 end)
        gpu.raises("LogicError", "was unregistered at", cuda.memcpy_htod, 64, r)
        assert.equal("cudalua.RegisteredHostMemory (unregistered)", tostring(base))
        assert.is_nil(base.base)
      end)
      assert.same({}, calls)
      assert.same({ 9, 0, 0, 0 }, a:tolist())
      cuda.register_host_memory(a).base:unregister()
      a.base:free()
    end
  end)

  it("cuda.RegisteredHostMemory:ptr, cuda.RegisteredHostMemory:get_device_pointer, " ..
    "cuda.RegisteredHostMemory:as_buffer", function()
      local a = cuda.aligned_zeros(4, "int32")
      local r = cuda.register_host_memory(a)
      local p = r.base:get_device_pointer()
      assert.same({ r.base:ptr(), 16 }, { p:ptr(), #p })
      assert.equal(12, #(r.base + 4))
      cuda.memset_d32(p + 8, 3, 1)
      cuda.Context.synchronize()
      assert.same({ 0, 0, 3, 0 }, a:tolist())
      assert.same({ 3, 0, 0, 0 }, r.base:as_buffer(4, 8):tolist())
      r.base:unregister()
      gpu.raises("LogicError", "is gone", p.ptr, p)
    end)

  it("outlives a free() of the memory", function()
    cuda.collect()
    local before = cuda.mem_stats().registered.bytes
    local a = cuda.aligned_zeros(1024, "int32")
    local r = cuda.register_host_memory(a)
    assert.equal(before + 4096, cuda.mem_stats().registered.bytes)
    a.base:free()
    gpu.raises("LogicError", "was freed at", a.tolist, a)
    r:fill(3)
    assert.equal(3, r[1024])
    r.base:unregister()
    assert.equal(before, cuda.mem_stats().registered.bytes)
  end)
end)

describe("managed memory", function()
  before_each(gpu.context)

  it("cuda.managed_empty makes a cuda.ManagedAllocation, of all streams unless it is told otherwise", function()
    assert.equal(cuda.ManagedAllocation.attach, cuda.managed_empty(1).base.attach)
    for _, case in ipairs { { nil, 1 }, { "global", 1 }, { "host", 2 }, { 1, 1 }, { { "host" }, 2 } } do
      local text = text_of(calls_of(function()
        cuda.managed_zeros(4, "int32", { mem_flags = case[1] })
      end), "cuMemAllocManaged")
      if soft then assert.matches("flags=" .. case[2] .. "$", text) end
    end
    for _, bad in ipairs { 0, 4, 3, "single", { "global", "host" }, 1.5, "x" } do
      gpu.raises("LogicError", "mem_flags", cuda.managed_empty, 4, "int32", { mem_flags = bad })
    end
  end)

  it("cuda.ManagedAllocation:ptr, cuda.ManagedAllocation:get_device_pointer, cuda.ManagedAllocation:as_buffer: " ..
    "one address for both", function()
      local a = cuda.managed_zeros(4, "int32")
      assert.equal(address(a), a.base:ptr())
      assert.equal(cuda.ManagedAllocation.attach, a.base.attach)
      local p = a.base:get_device_pointer()
      assert.same({ a.base:ptr(), 16 }, { p:ptr(), #p })
      local view = a.base:as_buffer(4, 12)
      view:fill(1)
      assert.same({ 0, 0, 0, 0x01010101 }, a:tolist())
      assert.same({ 1, 1 }, (a.base + 12):as_buffer(2, 1):tolist())
      gpu.raises("LogicError", "do not fit", a.base.as_buffer, a.base, 5, 12)
      gpu.raises("LogicError", "do not fit", p.as_buffer, p + 12, 5)
      gpu.refuses_nonsense(function(v) a.base:as_buffer(v) end)
      gpu.refuses_nonsense(a.base.as_buffer)
      a.base:free()
      gpu.raises("LogicError", "was freed at", view.tolist, view)
    end)

  it("cuda.ManagedAllocation:attach", function()
    local a, s = cuda.managed_zeros(4, "int32"), cuda.Stream()
    local text = text_of(calls_of(function()
      a.base:attach("single", s)
      s:synchronize()
    end), "cuStreamAttachMemAsync")
    if soft then assert.matches("bytes=0 flags=4$", text) end
    a.base:attach(cuda.mem_attach_flags.HOST, s)
    s:synchronize()
    a:fill(2)
    a.base:attach "global"
    cuda.Context.synchronize()
    assert.same({ 2, 2, 2, 2 }, a:tolist())
    gpu.raises("LogicError", "default stream", a.base.attach, a.base, "single")
    gpu.raises("LogicError", "flags", a.base.attach, a.base, "all")
    gpu.refuses_nonsense(function(v) a.base:attach(v) end)
    gpu.refuses_nonsense(function(v) a.base:attach("global", v) end, { ["nil"] = true })
    gpu.refuses_nonsense(a.base.attach)
    gpu.raises("LogicError", "being captured", s.capture, s, function() a.base:attach("global", s) end)
    s:close()
    gpu.raises("LogicError", "was closed at", a.base.attach, a.base, "global", s)
    local other = cuda.Device(0):make_context()
    gpu.raises("LogicError", "context is not current", a.base.attach, a.base, "global")
    gpu.raises("LogicError", "another context", a.base.attach, a.base, "global", cuda.Stream())
    other:detach()
  end)
end)

describe("arrays that the device reaches", function()
  before_each(gpu.context)

  local function made()
    return {
      cuda.pagelocked_zeros(16, "int32"), cuda.managed_zeros(16, "int32"),
      cuda.register_host_memory(cuda.aligned_zeros(16, "int32")), cuda.PageLockedMemoryPool():allocate(16, "int32"),
    }
  end

  it("are kernel arguments, and so are their views", function()
    local fn = cuda.SourceModule [[ __global__ void count(int *p, int n, int first) {
      int i = threadIdx.x;
      if (i < n) p[i] = first + i;
    } ]]:get_function "count"
    for _, a in ipairs(made()) do
      fn(a, 16, 1, { block = 32 })
      fn(a:slice { 5, 8 }, 4, 100, { block = 32 })
      fn { a[{ { 16 } }], 1, 7, block = 32 }
      fn(a.base:get_device_pointer() + 4, 1, 50, { block = 1 })
      fn(core.kind(a.base) == "PooledHostAllocation" and a or a.base, 1, 40, { block = 1 })
      cuda.Context.synchronize()
      assert.same({ 40, 50, 3, 4, 100, 101, 102, 103, 9, 10, 11, 12, 13, 14, 15, 7 }, a:tolist())
    end
    local plain = cuda.ndarray.zeros(4, "int32")
    for _, bad in ipairs { plain, plain:slice { 2, 3 }, cuda.aligned_zeros(4, "int32"), cuda.ndarray.from_buffer(
      ffi.new "int[4]") } do
      local err = gpu.raises("LogicError", "with In, Out or InOut", fn, bad, 4, 1, { block = 32 })
      assert.same({ "count", 1, "int *p" }, { err.kernel, err.arg, err.param })
    end
    fn(cuda.Out(plain), 4, 1, { block = 32 })
    assert.same({ 1, 2, 3, 4 }, plain:tolist())
    local freed = cuda.pagelocked_zeros(4, "int32")
    freed.base:free()
    gpu.raises("LogicError", "its HostAllocation was freed at", fn, freed, 4, 1, { block = 32 })
    gpu.raises("LogicError", "argument 2", fn, cuda.Out(plain), plain, 1, { block = 32 })
  end)

  it("are the device's side of copies and fills", function()
    for _, a in ipairs(made()) do
      local mem = cuda.to_device(cuda.ndarray.full(16, 5, "int32"))
      cuda.memcpy_dtod(a, mem, 64)
      cuda.Context.synchronize()
      assert.equal(5, a[16])
      cuda.memset_d32(a:slice { 3, 4 }, 9, 2)
      cuda.memcpy_htod(a:slice { 5, 6 }, ffi.new("int[2]", { 1, 2 }))
      cuda.memcpy_dtod(mem, a, 64)
      assert.same({ 5, 5, 9, 9, 1, 2, 5 }, cuda.from_device(mem, 7, "int32"):tolist())
      gpu.raises("LogicError", "do not fit", cuda.memset_d32, a:slice { 16, 16 }, 1, 2)
    end
    gpu.raises("LogicError", "the device cannot access", cuda.memcpy_dtod, cuda.ndarray.zeros(4),
      cuda.mem_alloc(4), 4)
  end)

  it("ndarray.Array:get_pointer is the device's address of the first element", function()
    for _, a in ipairs(made()) do
      local p = a:get_pointer()
      assert.same({ "DevicePointer", 64 }, { core.kind(p), #p })
      assert.same({ p:ptr() + 12, 52 }, { a:slice { 4, 16 }:get_pointer():ptr(), #a:slice { 4, 16 }:get_pointer() })
      assert.equal(p:ptr() + 60, a:slice { 16, 1, -1 }:get_pointer():ptr())
    end
    local whole = cuda.managed_zeros(8, "uint8")
    assert.equal(whole.base:ptr() + 3, whole.base:as_buffer(4, 2):slice { 2, 3 }:get_pointer():ptr())
    gpu.raises("LogicError", "which the device cannot access", cuda.ndarray.zeros(3).get_pointer, cuda.ndarray.zeros(3))
    gpu.refuses_nonsense(whole.get_pointer)
  end)

  it("are of every context, but for managed ones", function()
    local pinned, managed = cuda.pagelocked_zeros(4, "int32"), cuda.managed_zeros(4, "int32")
    local other = cuda.Device(0):make_context()
    local mem = cuda.to_device(cuda.ndarray.full(4, 3, "int32"))
    cuda.memcpy_dtod(pinned, mem, 16)
    cuda.Context.synchronize()
    assert.same({ 3, 3, 3, 3 }, pinned:tolist())
    gpu.raises("LogicError", "another context", cuda.memcpy_dtod, managed, mem, 16)
    cuda.memcpy_dtoh(managed, mem)
    assert.same({ 3, 3, 3, 3 }, managed:tolist())
    other:detach()
  end)
end)

describe("captures", function()
  before_each(gpu.context)

  it("refuse to allocate and to register, and stay intact", function()
    local s, mem = cuda.Stream(), cuda.mem_alloc(16)
    local host = cuda.aligned_zeros(4, "int32")
    local graph = s:capture(function()
      gpu.raises("LogicError", "being captured", cuda.pagelocked_empty, 4)
      gpu.raises("LogicError", "being captured", cuda.managed_empty, 4)
      gpu.raises("LogicError", "being captured", cuda.register_host_memory, host)
      cuda.memset_d32_async(mem, 7, 4)
    end)
    graph:instantiate():launch()
    assert.same({ 7, 7, 7, 7 }, cuda.from_device(mem, 4, "int32"):tolist())
  end)

  it("keep what their copies use; freed, the graph cannot be launched", function()
    local s, mem = cuda.Stream(), cuda.mem_alloc(16)
    for _, make in ipairs { cuda.pagelocked_zeros, cuda.managed_zeros, cuda.aligned_zeros, function(...)
      return cuda.register_host_memory(cuda.aligned_zeros(...))
    end } do
      local a = make(4, "int32")
      local base = a.base
      a:fill(6)
      local exec = s:capture(function() cuda.memcpy_htod_async(mem, a) end):instantiate()
      a, base = nil, setmetatable({ base }, { __mode = "v" })
      collectgarbage()
      collectgarbage()
      cuda.memset_d8(mem, 0, 16)
      cuda.Context.synchronize()
      exec:launch(s)
      s:synchronize()
      assert.same({ 6, 6, 6, 6 }, cuda.from_device(mem, 4, "int32"):tolist())
      if base[1] then
        (base[1].free or base[1].unregister)(base[1])
        gpu.raises("LogicError", "that the graph uses was freed or closed", exec.launch, exec, s)
      end
      exec = nil -- luacheck: ignore
    end
    local a = cuda.pagelocked_zeros(4, "int32")
    local exec = s:capture(function() cuda.memcpy_dtoh_async(a, mem) end):instantiate()
    a.base:free()
    gpu.raises("LogicError", "that the graph uses was freed or closed", exec.launch, exec, s)
    s:synchronize()
    cuda.collect()
    if soft then assert.equal(0, soft.stats().live_registered) end
  end)
end)

describe("host memory in copies", function()
  before_each(gpu.context)

  it("free() and unregister() wait for what is under way", function()
    local s, mem = cuda.Stream "non_blocking", cuda.mem_alloc(64)
    for _, make in ipairs { cuda.pagelocked_zeros, cuda.managed_zeros, cuda.aligned_zeros, function(...)
      return cuda.register_host_memory(cuda.aligned_zeros(...))
    end } do
      local a = make(16, "int32")
      local base = a.base
      a:fill(8)
      cuda.memcpy_htod_async(mem, a, s)
      if core.kind(base) == "RegisteredHostMemory" then base:unregister() else base:free() end
      s:synchronize()
      assert.same({ 8, 8 }, cuda.from_device(mem, 2, "int32"):tolist())
      cuda.memset_d8(mem, 0, 64)
      cuda.Context.synchronize()
    end
  end)

  it("aligned memory that is registered: free() of it waits for nothing, and takes nothing away", function()
    local s, mem = cuda.Stream "non_blocking", cuda.mem_alloc(64)
    local a = cuda.aligned_zeros(16, "int32")
    local r = cuda.register_host_memory(a)
    r:fill(8)
    cuda.memcpy_htod_async(mem, r, s)
    local calls = calls_of(function() a.base:free() end)
    assert.same({}, calls)
    s:synchronize()
    assert.same({ 8, 8 }, cuda.from_device(mem, 2, "int32"):tolist())
  end)

  it("plain copies from and to managed arrays are done when they return", function()
    local a, mem = cuda.managed_zeros(16, "int32"), cuda.mem_alloc(64)
    a:fill(1)
    cuda.memcpy_htod(mem, a)
    a:fill(2)
    assert.same({ 1, 1 }, cuda.from_device(mem, 2, "int32"):tolist())
    cuda.memcpy_dtoh(a, mem)
    assert.equal(1, a[16])
    local made = cuda.to_device(a)
    a:fill(3)
    assert.same({ 1, 1 }, cuda.from_device(made, 2, "int32"):tolist())
  end)
end)
