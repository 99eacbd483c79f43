local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"

local function bytes(n)
  local b = ffi.new("uint8_t[?]", n)
  for i = 0, n - 1 do b[i] = math.random(0, 255) end
  return b
end

describe("device memory", function()
  before_each(gpu.context)

  it("cuda.mem_alloc gives memory of that size, cuda.DeviceAllocation:free gives it back", function()
    local a = cuda.mem_alloc(1600)
    assert.equal(1600, #a)
    assert.is_true(a:ptr() > 0)
    assert.truthy(tostring(a):find "1600 bytes")
    a:free()
    gpu.raises("LogicError", "was freed", a.free, a)
    gpu.raises("LogicError", "was freed", a.ptr, a)
    gpu.raises("LogicError", "was freed", function() return #a end)
    gpu.raises("LogicError", "was freed", function() return a + 4 end)
    assert.equal("cudalua.DeviceAllocation (freed)", tostring(a))
  end)

  it("cuda.DeviceAllocation:close is free by another name", function()
    local a = cuda.mem_alloc(4)
    a:close()
    gpu.raises("LogicError", "was freed", a.ptr, a)
  end)

  it("cuda.mem_alloc refuses sizes that are none", function()
    gpu.refuses_nonsense(cuda.mem_alloc, { })
    gpu.raises("LogicError", "0 bytes", cuda.mem_alloc, 0)
    assert.equal(8, #cuda.mem_alloc(8LL))
  end)

  it("cuda.mem_alloc of more than there is: a MemoryError that says how much", function()
    local before = select(2, cuda.mem_get_info())
    local err = gpu.error_of("MemoryError", cuda.mem_alloc, 2 ^ 45)
    assert.equal(2, err.code)
    assert.equal(2 ^ 45, err.requested)
    assert.equal(before, err.total)
    assert.is_true(err.free <= err.total)
    assert.truthy(tostring(err):find "requested 35184372088832 bytes")
    assert.equal(16, #cuda.mem_alloc(16)) -- and life goes on
  end)

  it("cuda.mem_get_info counts", function()
    local free, total = cuda.mem_get_info()
    assert.is_true(free > 0 and free <= total)
  end)

  it("cuda.DeviceAllocation:ptr and views by +", function()
    local a = cuda.mem_alloc(64)
    local view = a + 16
    assert.equal(a:ptr() + 16, view:ptr())
    assert.equal(48, #view)
    assert.equal(a:ptr() + 24, (8 + view):ptr())
    assert.equal(0, #(a + 64))
    gpu.raises("LogicError", "past the end", function() return a + 65 end)
    gpu.raises("LogicError", "offset", function() return a + 1.5 end)
    gpu.raises("LogicError", "offset", function() return a + -1 end)
    gpu.raises("LogicError", "offset", function() return a + a end)
    gpu.refuses_nonsense(cuda.DeviceAllocation.ptr)
    gpu.refuses_nonsense(cuda.DeviceAllocation.free)
  end)

  it("cuda.DevicePointer:ptr: a view holds the allocation, and dies with it", function()
    local view
    do
      local a = cuda.mem_alloc(64)
      cuda.memcpy_htod(a, ("x"):rep(64))
      view = a + 32
    end
    collectgarbage() collectgarbage()
    local back = ffi.new "char[32]"
    cuda.memcpy_dtoh(back, view)
    assert.equal(("x"):rep(32), ffi.string(back, 32))
    local b = cuda.mem_alloc(8)
    local dead = b + 4
    b:free()
    gpu.raises("LogicError", "is gone", dead.ptr, dead)
    gpu.raises("LogicError", "is gone", cuda.memcpy_htod, dead, "abcd")
  end)

  it("cuda.pointer is a bare address", function()
    local a = cuda.mem_alloc(16)
    cuda.memcpy_htod(a, "0123456789abcdef")
    local back = ffi.new "char[16]"
    cuda.memcpy_dtoh(back, cuda.pointer(a:ptr()))
    assert.equal("0123456789abcdef", ffi.string(back, 16))
    assert.equal(a:ptr() + 8, (cuda.pointer(a:ptr()) + 8):ptr())
    gpu.refuses_nonsense(cuda.pointer)
  end)
end)

describe("copies", function()
  before_each(gpu.context)

  it("cuda.memcpy_htod and cuda.memcpy_dtoh bring the same bytes back", function()
    for _, n in ipairs { 1, 3, 4096, 100003 } do
      local a, src, back = cuda.mem_alloc(n), bytes(n), ffi.new("uint8_t[?]", n)
      cuda.memcpy_htod(a, src)
      cuda.memcpy_dtoh(back, a)
      assert.equal(ffi.string(src, n), ffi.string(back, n))
    end
  end)

  it("take strings, structs, references, {ptr, nbytes}, objects with buffer(), numbers as addresses", function()
    ffi.cdef "typedef struct { int id; float at[3]; } cudalua_spec_particle;"
    local p = ffi.new("cudalua_spec_particle", { 7, { 1, 2, 3 } })
    local a, q = cuda.mem_alloc(16), ffi.new "cudalua_spec_particle"
    cuda.memcpy_htod(a, p)
    cuda.memcpy_dtoh(q, a:ptr())
    assert.same({ 7, 3 }, { q.id, q.at[2] })
    cuda.memcpy_htod(a:ptr(), "abcdefghijklmnop")
    local back = ffi.new "char[16]"
    cuda.memcpy_dtoh({ ptr = ffi.cast("char *", back), nbytes = 16 }, a)
    assert.equal("abcdefghijklmnop", ffi.string(back, 16))
    cuda.memcpy_htod(a + 4, p.at) -- a reference to an array inside the struct
    cuda.memcpy_dtoh(q.at, a + 4)
    assert.equal(2, q.at[1])
    local object = { buffer = function() return ffi.cast("void *", back), 16 end }
    cuda.memcpy_dtoh(object, a)
    assert.equal("abcd", ffi.string(back, 4))
    cuda.memcpy_dtoh(ffi.cast("void *", back), a, { nbytes = 2 })
  end)

  it("cuda.memcpy_dtoh writes only nbytes", function()
    local a, back = cuda.to_device "ABCDEFGH", ffi.new("char[8]", ".......")
    cuda.memcpy_dtoh(back, a, { nbytes = 3 })
    assert.equal("ABC....", ffi.string(back, 7))
  end)

  it("cuda.to_device allocates and copies", function()
    local src = bytes(1000)
    local a, back = cuda.to_device(src), ffi.new "uint8_t[1000]"
    assert.equal(1000, #a)
    cuda.memcpy_dtoh(back, a)
    assert.equal(ffi.string(src, 1000), ffi.string(back, 1000))
    gpu.refuses_nonsense(cuda.to_device, { string = true, cdata = true })
    gpu.raises("LogicError", "0 bytes", cuda.to_device, "")
  end)

  it("cuda.memcpy_dtod copies on the device", function()
    local a, b = cuda.to_device "0123456789abcdef", cuda.to_device(("-"):rep(16))
    cuda.memcpy_dtod(b + 4, a + 8, 6)
    local back = ffi.new "char[16]"
    cuda.memcpy_dtoh(back, b)
    assert.equal("----89abcd------", ffi.string(back, 16))
    gpu.raises("LogicError", "do not fit", cuda.memcpy_dtod, b, a, 17)
    gpu.raises("LogicError", "do not fit", cuda.memcpy_dtod, b, a + 8, 9)
    gpu.refuses_nonsense(function(v) cuda.memcpy_dtod(v, a, 4) end)
    gpu.refuses_nonsense(function(v) cuda.memcpy_dtod(b, v, 4) end)
    gpu.refuses_nonsense(function(v) cuda.memcpy_dtod(b, a, v) end)
  end)

  it("what does not fit is refused before anything is copied", function()
    local a, back = cuda.to_device "12345678", ffi.new("char[16]", "unchanged")
    gpu.raises("LogicError", "16 bytes do not fit in 8 bytes", cuda.memcpy_dtoh, back, a)
    assert.equal("unchanged", ffi.string(back))
    gpu.raises("LogicError", "9 bytes do not fit in 8", cuda.memcpy_htod, a, "123456789")
    gpu.raises("LogicError", "do not fit", cuda.memcpy_htod, a + 4, "12345")
    gpu.raises("LogicError", "nbytes is 17, but the host buffer has only " ..
      "16", cuda.memcpy_dtoh, back, a, { nbytes = 17 })
  end)

  it("bad buffers and bad options are refused", function()
    local a = cuda.mem_alloc(16)
    gpu.raises("LogicError", "cannot be written to", cuda.memcpy_dtoh, "string", a)
    gpu.raises("LogicError", "pass nbytes", cuda.memcpy_htod, a, ffi.cast("char *", ffi.new "char[4]"))
    gpu.raises("LogicError", "NULL", cuda.memcpy_htod, a, ffi.cast("char *", nil), { nbytes = 4 })
    gpu.raises("LogicError", "has no address", cuda.memcpy_htod, a, 5LL)
    gpu.raises("LogicError", "unknown option 'bytes'", cuda.memcpy_htod, a, "x", { bytes = 1 })
    gpu.refuses_nonsense(function(v) cuda.memcpy_htod(a, v) end, { string = true, cdata = true })
    gpu.refuses_nonsense(function(v) cuda.memcpy_htod(v, "x") end)
    gpu.refuses_nonsense(function(v) cuda.memcpy_dtoh(v, a) end, { cdata = true })
    gpu.refuses_nonsense(function(v) cuda.memcpy_dtoh(ffi.new "char[4]", v) end)
    gpu.refuses_nonsense(function(v) cuda.memcpy_htod(a, "x", { nbytes = v }) end, { ["nil"] = true })
    gpu.refuses_nonsense(function(v) cuda.memcpy_htod(a, "x", v) end, { ["nil"] = true, table = true })
  end)

  it("a ctype is not a number, a const pointer is a pointer, const memory is not written", function()
    local a = cuda.mem_alloc(16)
    gpu.error_of("LogicError", cuda.mem_alloc, ffi.typeof "int")
    gpu.error_of("LogicError", cuda.mem_alloc, ffi.new("complex", 1, 2))
    local s = ffi.new("struct { int *const p; }", { ffi.cast("int *", ffi.new "int[4]") })
    gpu.raises("LogicError", "pass nbytes", cuda.memcpy_htod, a, s.p)
    local text = "abcdefgh"
    gpu.raises("LogicError", "const memory", cuda.memcpy_dtoh, ffi.cast("const char *", text), a, { nbytes = 4 })
    gpu.raises("LogicError", "const memory", cuda.Out, ffi.cast("const char *", text), 4)
    assert.equal("abcdefgh", text)
  end)

  it("a type where a buffer is expected is told from one", function()
    local text = "the type ctype<float [?]>"
    for _, t in ipairs { ffi.typeof "float[?]", ffi.typeof "float[4]", ffi.typeof "float *", ffi.typeof "int" } do
      for _, f in ipairs { cuda.to_device, cuda.In, cuda.Out, cuda.InOut, cuda.mem_alloc_like,
        cuda.register_host_memory, cuda.gpuarray.to_gpu, cuda.ndarray.array, cuda.ndarray.from_buffer } do
        gpu.raises("LogicError", "got the type " .. tostring(t), f, t)
      end
    end
    local t, memory, copy = ffi.typeof "float[?]", cuda.mem_alloc(4), cuda.Memcpy2D()
    gpu.raises("LogicError", text, cuda.memcpy_dtoh, t, memory)
    gpu.raises("LogicError", text, cuda.memcpy_htod, memory, t)
    gpu.raises("LogicError", text, copy.set_src_host, copy, t)
    gpu.raises("LogicError", text, copy.set_dst_host, copy, t)
    gpu.raises("LogicError", text, cuda.gpuarray.to_gpu, t, "float32")
  end)

  it("an address that is nobody's is the driver's error, and the library works afterwards", function()
    gpu.error_of("LogicError", cuda.memcpy_htod, 64, "abcd")
    assert.has_no_error(function() cuda.to_device "abcd" end)
  end)
end)
