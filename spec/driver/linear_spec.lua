-- Linear device memory: rows of a pitch, address ranges, views with bounds, memory as a host buffer.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"
local soft = gpu.soft and require "cudalua.softgpu"

describe("linear memory", function()
  before_each(gpu.context)

  it("cuda.mem_alloc_pitch gives rows at addresses of their own", function()
    for _, access in ipairs { 4, 8, 16 } do
      for _, width in ipairs { 1, 100, 512, 513, 5000 } do
        local height = math.random(1, 9)
        local mem, pitch = cuda.mem_alloc_pitch(width, height, access)
        assert.is_true(pitch >= width and pitch % access == 0)
        if width == 100 then assert.equal(512, pitch) end
        assert.equal("DeviceAllocation", core.kind(mem))
        assert.equal(pitch * height, #mem)
        assert.equal(0, mem:ptr() % access)
        cuda.memset_d8(mem, 9, pitch * height)
        cuda.memset_d2d8(mem, pitch, 5, width, height)
        local rows = cuda.from_device(mem, { height, pitch }, "uint8")
        for i = 1, height do
          assert.same({ 5, 5 }, { rows:get(i, 1), rows:get(i, width) })
          if pitch > width then assert.equal(9, rows:get(i, width + 1)) end
        end
        mem:free()
        gpu.raises("LogicError", "was freed at", mem.ptr, mem)
      end
    end
    local mem, pitch = cuda.mem_alloc_pitch(100LL, 2LL, 4LL)
    assert.equal(2 * pitch, #mem)
  end)

  it("cuda.mem_alloc_pitch refuses what makes no sense, and says how much there is", function()
    for _, access in ipairs { 0, 1, 2, 3, 12, 17, 32 } do
      gpu.raises("LogicError", "access_size", cuda.mem_alloc_pitch, 100, 2, access)
    end
    gpu.raises("LogicError", "0", cuda.mem_alloc_pitch, 0, 2, 4)
    gpu.raises("LogicError", "0", cuda.mem_alloc_pitch, 2, 0, 4)
    gpu.refuses_nonsense(function(v) cuda.mem_alloc_pitch(v, 2, 4) end)
    gpu.refuses_nonsense(function(v) cuda.mem_alloc_pitch(2, v, 4) end)
    gpu.refuses_nonsense(function(v) cuda.mem_alloc_pitch(2, 2, v) end)
    gpu.error_of("Error", cuda.mem_alloc_pitch, 2 ^ 30, 2 ^ 30, 4)
    gpu.error_of("Error", cuda.mem_alloc_pitch, 2 ^ 52, 2 ^ 52, 4)
    local s = cuda.Stream()
    s:capture(function() gpu.raises("LogicError", "being captured", cuda.mem_alloc_pitch, 16, 2, 4) end)
    if not soft then return end
    local live = soft.stats().live_allocs
    for _ = 1, 2 do
      soft.fail("cuMemAllocPitch_v2", 1, 2)
      local mem = cuda.mem_alloc_pitch(16, 2, 4) -- a second try, after a collection
      mem:free()
    end
    soft.fail("cuMemAllocPitch_v2", 1, 2)
    soft.fail("cuMemAllocPitch_v2", 2, 2)
    local err = gpu.error_of("MemoryError", cuda.mem_alloc_pitch, 16, 2, 4)
    assert.equal(32, err.requested)
    soft.fail("cuMemAllocPitch_v2", 1, 999)
    gpu.error_of("Error", cuda.mem_alloc_pitch, 16, 2, 4)
    assert.equal(live, soft.stats().live_allocs)
  end)

  it("cuda.mem_get_address_range finds the allocation", function()
    local mem = cuda.mem_alloc(1000)
    for _, p in ipairs { mem, mem + 0, mem + 999, mem:ptr() + 7, cuda.pointer(mem:ptr() + 500),
      { get_pointer = function() return mem + 5 end } } do
      local base, size = cuda.mem_get_address_range(p)
      assert.same({ mem:ptr(), 1000 }, { base, size })
    end
    local managed = cuda.managed_empty(10, "int32")
    assert.same({ managed.base:ptr(), 40 }, { cuda.mem_get_address_range(managed:slice { 3, 5 }) })
    gpu.error_of("LogicError", cuda.mem_get_address_range, 64)
    gpu.error_of("LogicError", cuda.mem_get_address_range, 0)
    gpu.refuses_nonsense(cuda.mem_get_address_range)
    local view = mem + 8
    mem:free()
    gpu.raises("LogicError", "was freed at", cuda.mem_get_address_range, mem)
    gpu.raises("LogicError", "is gone", cuda.mem_get_address_range, view)
  end)

  it("memory of the size of other memory", function()
    local pinned = cuda.pagelocked_empty(7, "int16")
    local managed = cuda.managed_empty(7, "int16")
    for _, like in ipairs { cuda.mem_alloc(14), cuda.mem_alloc(20) + 6, pinned, pinned.base, managed,
      managed.base, cuda.aligned_empty(7, "int16"), ffi.new "int16_t[7]", ("x"):rep(14) } do
      assert.equal(14, #cuda.mem_alloc_like(like))
    end
  end)

  it("views hold what they are of, and end where it ends", function()
    local view, inner
    do
      local mem = cuda.to_device "0123456789abcdef"
      view = mem + 4
      inner = 4 + view
      assert.same({ mem:ptr() + 4, mem:ptr() + 8, 12, 8 }, { view:ptr(), inner:ptr(), #view, #inner })
      assert.equal(0, #(mem + 16))
      gpu.raises("LogicError", "past the end", function() return mem + 17 end)
      gpu.raises("LogicError", "past the end", function() return view + 13 end)
      gpu.refuses_nonsense(function(v) return mem + v end)
    end
    collectgarbage()
    collectgarbage()
    cuda.collect()
    local out = ffi.new "char[8]"
    cuda.memcpy_dtoh(out, inner)
    assert.equal("89abcdef", ffi.string(out, 8))
    gpu.raises("LogicError", "9 bytes do not fit in 8", cuda.memcpy_htod, inner, "123456789")
    gpu.raises("LogicError", "9 bytes do not fit in 8", cuda.memset_d8, inner, 0, 9)
    gpu.raises("LogicError", "13 bytes do not fit in 12", cuda.memcpy_dtod, view, cuda.mem_alloc(64), 13)
  end)

  it("cuda.DeviceAllocation:as_buffer and cuda.DevicePointer:as_buffer: only where the host reaches it", function()
    local mem = cuda.mem_alloc(64)
    gpu.raises("LogicError", "plain device memory", mem.as_buffer, mem, 64)
    gpu.raises("LogicError", "plain device memory", mem.as_buffer, mem + 4, 8)
    local bare = cuda.pointer(mem:ptr())
    gpu.raises("LogicError", "bare address", bare.as_buffer, bare, 8)
    gpu.raises("LogicError", "do not fit", mem.as_buffer, mem, 65)
    gpu.refuses_nonsense(function(v) mem:as_buffer(v) end)
    gpu.refuses_nonsense(mem.as_buffer)
    local managed = cuda.managed_zeros(16, "int32")
    local view = managed.base:get_device_pointer() + 8
    local bytes = view:as_buffer(8, 4)
    bytes:fill(2)
    assert.same({ 0, 0, 0, 0x02020202, 0x02020202, 0 }, managed:slice { 1, 6 }:tolist())
    assert.equal(view, bytes.base)
    gpu.raises("LogicError", "do not fit", view.as_buffer, view, 8, 53)
    managed.base:free()
    gpu.raises("LogicError", "was freed at", bytes.tolist, bytes)
    mem:free()
    gpu.raises("LogicError", "was freed at", mem.as_buffer, mem, 8)
  end)

  it("freed memory and views of it are dead in every method, and the driver is not called", function()
    local mem = cuda.mem_alloc(64)
    local view, host = mem + 8, ffi.new "char[8]"
    mem:free()
    if soft then
      soft.log "on"
      soft.log "clear"
    end
    for _, f in pairs(core.classes.DeviceAllocation) do gpu.raises("LogicError", "was freed at", f, mem, 1) end
    for _, f in pairs(core.classes.DevicePointer) do
      gpu.raises("LogicError", "its DeviceAllocation is gone", f, view, 1)
    end
    for _, p in ipairs { mem, view } do
      for _, f in ipairs { function() return #p end, function() return p + 1 end,
        function() cuda.memcpy_htod(p, host) end, function() cuda.memcpy_dtoh(host, p) end,
        function() cuda.memcpy_dtod(p, p, 4) end,
        function() cuda.memset_d8(p, 0, 4) end, function() cuda.memset_d2d8(p, 4, 0, 4, 1) end,
        function() cuda.mem_get_address_range(p) end, function() cuda.mem_get_ipc_handle(p) end,
        function() cuda.from_device(p, 2, "int32") end } do
        gpu.error_of("LogicError", f)
      end
    end
    if soft then
      assert.same({}, soft.calls())
      soft.log "off"
    end
    assert.equal("cudalua.DeviceAllocation (freed)", tostring(mem))
  end)
end)
