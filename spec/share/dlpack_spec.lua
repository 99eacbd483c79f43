-- DLPack: tensors of a library of the specs as arrays, and arrays as tensors that it gives back.
local gpu = require "spec.support.gpu"
local dlpack = require "spec.support.dlpack"
local ffi = require "ffi"
local cuda = gpu.cuda
local core = require "cudalua.core"
local gpuarray, ndarray, interop = cuda.gpuarray, cuda.ndarray, cuda.interop

local function collect()
  collectgarbage()
  collectgarbage()
  cuda.Context.synchronize()
  core.drain()
end

-- code and bits of each dtype
local types = { bool = { 6, 8 }, int8 = { 0, 8 }, uint8 = { 1, 8 }, int16 = { 0, 16 }, uint16 = { 1, 16 },
  int32 = { 0, 32 }, uint32 = { 1, 32 }, int64 = { 0, 64 }, uint64 = { 1, 64 }, float16 = { 2, 16 },
  bfloat16 = { 4, 16 }, float32 = { 2, 32 }, float64 = { 2, 64 }, complex64 = { 5, 64 }, complex128 = { 5, 128 } }

local function values(name)
  return ndarray.from_function({ 2, 3 }, function(i, j)
    if name == "bool" then return i == j end
    return 10 * i + j
  end, name)
end

before_each(function()
  gpu.context()
  collect()
end)

describe("interop.from_dlpack", function()
  for _, versioned in ipairs { false, true } do
    local kind = versioned and "DLManagedTensorVersioned" or "DLManagedTensor"

    it("takes memory of the device as it is, of every dtype: " .. kind, function()
      local before = dlpack.out()
      local count = 0
      for name, t in pairs(types) do
        local mine = gpuarray.to_gpu(values(name))
        local address = dlpack.make(mine.ptr, { 2, 3 }, { code = t[1], bits = t[2], versioned = versioned })
        local a = interop.from_dlpack(address, { versioned = versioned })
        assert.equal(mine.ptr, a.ptr)
        assert.equal(name, a.dtype.name)
        assert.is_true(ndarray.equal(values(name), a:get()), name)
        a:fill(1)
        assert.is_true(ndarray.equal(mine:get(), ndarray.full({ 2, 3 }, 1, name)), name)
        count = count + 1
      end
      assert.equal(15, count)
      collect()
      assert.equal(before, dlpack.out())
    end)

    it("takes memory of the host as it is: " .. kind, function()
      local before = dlpack.out()
      gpu.apart(function()
        for name, t in pairs(types) do
          local mine = values(name)
          local address = dlpack.make(tonumber(ffi.cast("uintptr_t", mine:data())), { 2, 3 },
            { device_type = name == "int8" and 3 or 1, code = t[1], bits = t[2], versioned = versioned })
          local a = interop.from_dlpack(address, { versioned = versioned })
          assert.is_true(ndarray.is_array(a))
          assert.equal(name, a.dtype.name)
          assert.is_true(ndarray.equal(mine, a), name)
          a:set(1, 1, 1)
          assert.is_true(ndarray.equal(mine, a), name)
        end
      end)
      collect()
      assert.equal(before, dlpack.out())
    end)
  end

  it("reads strides in elements, negative and zero ones too, and a byte offset", function()
    local mine = gpuarray.arange(0, 24, 1, "float32")
    local host = mine:get()
    local at = tonumber(ffi.cast("uintptr_t", host:data()))
    local function both(shape, options, expected)
      assert.same(expected, interop.from_dlpack(dlpack.make(mine.ptr, shape, options)):tolist())
      options.device_type = 1
      assert.same(expected, interop.from_dlpack(dlpack.make(at, shape, options)):tolist())
    end
    both({ 2, 2 }, { strides = { 1, 6 } }, { { 0, 6 }, { 1, 7 } })
    both({ 3 }, { strides = { -2 }, byte_offset = 40 }, { 10, 8, 6 })
    both({ 2, 3 }, { strides = { 0, 1 }, byte_offset = 4 }, { { 1, 2, 3 }, { 1, 2, 3 } })
    both({ 2, 1 }, { strides = { 1, 2 ^ 40 } }, { { 0 }, { 1 } })
    both({ 4 }, { byte_offset = 80 }, { 20, 21, 22, 23 })
    assert.equal(3, interop.from_dlpack(dlpack.make(mine.ptr, {}, { byte_offset = 12 })):item())
  end)

  it("takes tensors without elements, whose deleter is called at once", function()
    local before = dlpack.C.dlpack_deleted()
    for _, device in ipairs { 1, 2, 13 } do
      local a = interop.from_dlpack(dlpack.make(0, { 2, 0, 3 }, { device_type = device }))
      assert.is_true(a.shape == (gpuarray.empty { 2, 0, 3 }).shape)
    end
    assert.equal(before + 3, dlpack.C.dlpack_deleted())
  end)

  it("copies a tensor that is read-only", function()
    local mine = gpuarray.to_gpu({ 1, 2, 3 }, "float32")
    local host = mine:get()
    local before = dlpack.out()
    local a = interop.from_dlpack(dlpack.make(mine.ptr, { 3 }, { versioned = true, read_only = true }),
      { versioned = true })
    local b = interop.from_dlpack(dlpack.make(tonumber(ffi.cast("uintptr_t", host:data())), { 3 },
      { versioned = true, read_only = true, device_type = 1 }), { versioned = true })
    assert.not_equal(mine.ptr, a.ptr)
    a:fill(9)
    b:fill(9)
    assert.same({ 1, 2, 3 }, mine:tolist())
    assert.same({ 1, 2, 3 }, host:tolist())
    collect()
    assert.equal(before, dlpack.out())
  end)

  it("calls the deleter once, from the queue, when no view is left", function()
    local mine = gpuarray.arange(0, 8, 1, "float32")
    local before = dlpack.out()
    local view
    gpu.apart(function() view = interop.from_dlpack(dlpack.make(mine.ptr, { 8 })):slice { 3, 4 } end)
    collect()
    assert.equal(before + 1, dlpack.out())
    assert.same({ 2, 3 }, view:tolist())
    view = nil
    collectgarbage()
    collectgarbage()
    assert.equal(before + 1, dlpack.out()) -- not by the finalizer
    core.drain()
    assert.equal(before, dlpack.out())
    assert.is_nil(view)
  end)

  it("keeps the tensor while a stream is captured, and for its graph", function()
    local mine = gpuarray.arange(0, 8, 1, "float32")
    local out = gpuarray.empty(8, "float32")
    local before = dlpack.out()
    local s = cuda.Stream()
    local graph
    gpu.apart(function()
      local a = interop.from_dlpack(dlpack.make(mine.ptr, { 8 }))
      cuda.memcpy_dtod(out.gpudata, a.gpudata, 32)
      graph = s:capture(function() cuda.memcpy_dtod_async(out.gpudata, a.gpudata, 32, s) end)
    end)
    collect()
    assert.equal(before + 1, dlpack.out())
    local exec = graph:instantiate()
    out:fill(0)
    exec:launch(s)
    s:synchronize()
    assert.equal(7, out:item(8))
    graph, exec = nil, nil
    collect()
    assert.equal(before, dlpack.out())
    assert.is_nil(graph or exec)
  end)

  it("takes a tensor without a deleter", function()
    local mine = gpuarray.to_gpu({ 1, 2 }, "float32")
    for _, device in ipairs { 2, 1 } do
      local host = mine:get()
      local data = device == 2 and mine.ptr or tonumber(ffi.cast("uintptr_t", host:data()))
      local t = ffi.new "struct { spec_Tensor tensor; void *manager; void *deleter; }"
      local shape = ffi.new("int64_t[1]", 2)
      t.tensor.data, t.tensor.device_type, t.tensor.ndim, t.tensor.code = data, device, 1, 2
      t.tensor.bits, t.tensor.lanes, t.tensor.shape = 32, 1, shape
      gpu.apart(function() assert.same({ 1, 2 }, interop.from_dlpack(ffi.cast("void *", t)):tolist()) end)
      collect()
      assert.same({ 1, 2 }, mine:tolist())
    end
  end)

  it("refuses other devices, types, lanes and versions, and leaves the tensor to the caller", function()
    local mine = gpuarray.zeros(8, "float32")
    local before = dlpack.C.dlpack_deleted()
    local function wrong(text, shape, options)
      local address = dlpack.make(mine.ptr, shape, options)
      gpu.raises("LogicError", text, interop.from_dlpack, address, { versioned = options.versioned })
      collect()
      assert.equal(before, dlpack.C.dlpack_deleted())
      dlpack.delete(address, options.versioned)
      before = before + 1
    end
    wrong("a device of type 10 (ROCm), which is not supported", { 8 }, { device_type = 10 })
    wrong("a device of type 99 (unknown)", { 8 }, { device_type = 99 })
    wrong("a device of type 0", { 8 }, { device_type = 0 })
    wrong("elements of 4 lanes (float of 32 bits)", { 2 }, { lanes = 4 })
    wrong("elements of 0 lanes", { 2 }, { lanes = 0 })
    wrong("elements of float8_e4m3fn of 8 bits", { 8 }, { code = 10, bits = 8 })
    wrong("elements of int of 4 bits", { 8 }, { code = 0, bits = 4 })
    wrong("elements of float of 128 bits", { 1 }, { bits = 128 })
    wrong("elements of handle of 64 bits", { 1 }, { code = 3, bits = 64 })
    wrong("elements of type code 200 of 8 bits", { 1 }, { code = 200, bits = 8 })
    wrong("DLPack's version 2.0; version 1 is supported", { 8 }, { versioned = true, major = 2 })
    wrong("the tensor's shape[1] is -1, which is not supported", { -1 }, {})
    wrong("has too many elements", { 2 ^ 40, 2 ^ 40 }, {})
    wrong("the tensor has 65 axes", { 1 }, { ndim = 65 })
    wrong("the tensor has -1 axes", { 1 }, { ndim = -1 })
    wrong("multiple of the 4 bytes of float32", { 1 }, { byte_offset = 2 })
    wrong("multiple of the 4 bytes of float32", { 1 }, { byte_offset = 2, device_type = 1 })
    local address = dlpack.make(mine.ptr, { 1 })
    for _, at in ipairs { 0, 4, 2 ^ 46 } do
      local shape = dlpack.tensor(address).shape
      dlpack.tensor(address).shape = ffi.cast("int64_t *", at)
      gpu.raises("LogicError", "the tensor has no shape", interop.from_dlpack, address)
      dlpack.tensor(address).shape = shape
    end
    dlpack.delete(address)
  end)

  it("refuses memory that is not the current context's, and that the driver does not know", function()
    local mine = gpuarray.zeros(8, "float32")
    local host = ffi.new "float[64]"
    local before = dlpack.C.dlpack_deleted()
    local function wrong(text, data, shape, options)
      local address = dlpack.make(data, shape, options)
      local err = gpu.error_of("LogicError", interop.from_dlpack, address)
      assert.is_truthy(err.message:find(text, 1, true), err.message)
      dlpack.delete(address)
    end
    wrong("the driver does not know the memory at the tensor's address", tonumber(ffi.cast("uintptr_t", host)), { 8 })
    wrong("the tensor has no memory for 8 elements", 0, { 8 })
    wrong("", mine.ptr, { 2 ^ 40 })
    local other = cuda.Device(0):make_context()
    wrong("does not belong to the current context", mine.ptr, { 8 })
    other:detach()
    collect()
    assert.equal(before + 4, dlpack.C.dlpack_deleted())
  end)

  it("gives the tensor back when its context is gone before", function()
    local before = dlpack.out()
    local other = cuda.Device(0):make_context()
    local a
    do
      local mine = cuda.mem_alloc(32)
      a = interop.from_dlpack(dlpack.make(mine:ptr(), { 8 }))
    end
    other:detach()
    gpu.error_of("LogicError", a.get, a)
    a = nil
    collect()
    collect()
    assert.equal(before, dlpack.out())
    assert.is_nil(a)
  end)

  it("refuses what is not an address", function()
    for _, x in ipairs { 0, -8, 12, 8, 2 ^ 46, 2 ^ 53, 2 ^ 62, 0 / 0, "x", {}, true, io.stdout, print } do
      gpu.error_of("LogicError", interop.from_dlpack, x)
    end
    gpu.error_of("LogicError", interop.from_dlpack)
    gpu.error_of("LogicError", interop.from_dlpack, ffi.cast("void *", nil))
    gpu.raises("LogicError", "versioned must be true or false", interop.from_dlpack, 8, { versioned = 1 })
    gpu.raises("LogicError", "unknown option", interop.from_dlpack, 8, { colour = 1 })
  end)
end)

describe("interop.to_dlpack", function()
  for _, versioned in ipairs { false, true } do
    local o = { versioned = versioned }
    local kind = versioned and "DLManagedTensorVersioned" or "DLManagedTensor"

    it("lends arrays of the device without a copy, of every dtype: " .. kind, function()
      for name, code in pairs(types) do
        local a = gpuarray.to_gpu(values(name))
        local address = interop.to_dlpack(a, o)
        local t = dlpack.tensor(address, versioned)
        assert.equal(a.ptr, tonumber(t.data))
        assert.same({ 2, 0, 2, code[1], code[2], 1, 0 }, { t.device_type, t.device_id, t.ndim, t.code, t.bits, t.lanes,
          tonumber(t.byte_offset) })
        assert.same({ 2, 3, 3, 1 }, { tonumber(t.shape[0]), tonumber(t.shape[1]), tonumber(t.strides[0]),
          tonumber(t.strides[1]) })
        if versioned then
          local v = ffi.cast("spec_Versioned *", address)
          assert.same({ 1, 0, 0 }, { v.major, v.minor, tonumber(v.flags) })
        end
        assert.is_true(ndarray.equal(values(name), interop.from_dlpack(address, o):get()), name)
      end
    end)

    it("copies host arrays: " .. kind, function()
      for name, code in pairs(types) do
        local a = values(name).T
        local address = interop.to_dlpack(a, o)
        local t = dlpack.tensor(address, versioned)
        assert.same({ 1, 2, code[1], code[2], 1 }, { t.device_type, t.ndim, t.code, t.bits, t.lanes })
        assert.equal(0, tonumber(t.data % 64))
        if versioned then assert.equal(2, tonumber(ffi.cast("spec_Versioned *", address).flags)) end
        local b = interop.from_dlpack(address, o)
        assert.is_true(ndarray.equal(a, b), name)
        if name == "float32" then
          b:fill(0)
          assert.equal(11, a:get(1, 1))
        end
      end
    end)
  end

  it("computes what is pending, and what is done to a lent array is seen at once", function()
    local a = gpuarray.arange(0, 4, 1, "float32") * 2
    local b = interop.from_dlpack(interop.to_dlpack(a))
    assert.same({ 0, 2, 4, 6 }, b:tolist())
    a:iadd(1)
    assert.same({ 1, 3, 5, 7 }, b:tolist())
    b:fill(4)
    assert.same({ 4, 4, 4, 4 }, a:tolist())
  end)

  it("gives strides in elements, and arrays without elements", function()
    local a = gpuarray.arange(0, 6, 1, "float32"):reshape(2, 3)
    local t = interop.to_dlpack(a.T)
    local seen = dlpack.tensor(t)
    assert.same({ 1, 3 }, { tonumber(seen.strides[0]), tonumber(seen.strides[1]) })
    assert.same(a.T:tolist(), interop.from_dlpack(t):tolist())
    local backwards = interop.to_dlpack(a:flip(2))
    assert.same({ { 2, 1, 0 }, { 5, 4, 3 } }, interop.from_dlpack(backwards):tolist())
    for _, x in ipairs { gpuarray.zeros { 0, 2 }, ndarray.zeros { 0, 2 } } do
      local empty = interop.to_dlpack(x)
      assert.equal(0, tonumber(dlpack.tensor(empty).shape[0]))
      assert.is_true(x.shape == interop.from_dlpack(empty).shape)
    end
    assert.equal(5, interop.from_dlpack(interop.to_dlpack(gpuarray.scalar(5))):item())
  end)

  it("keeps the memory until the deleter is called", function()
    local address
    local function live() return gpu.soft and cuda.softgpu.stats().live_bytes or 0 end
    collect()
    local before = live()
    gpu.apart(function()
      address = interop.to_dlpack(gpuarray.full(1e5, 3, "float64", { allocator = cuda.mem_alloc }))
    end)
    collect()
    if gpu.soft then assert.is_true(live() >= before + 8e5) end
    for _ = 1, 20 do gpuarray.full(1e5, 7, "float64"):eval() end -- which would get that memory
    local back = ffi.new "double[1]"
    cuda.memcpy_dtoh(back, cuda.pointer(dlpack.tensor(address).data))
    assert.equal(3, back[0])
    local lent = live()
    dlpack.delete(address)
    assert.equal(lent, live()) -- the consumer's thread frees nothing
    core.drain()
    if gpu.soft then assert.is_true(live() <= lent - 8e5) end
    assert.equal(0, core.failed_destroys())
  end)

  it("gives addresses that interop.from_dlpack takes once, and knows while they are out and after they came back",
    function()
      for _, make in ipairs { gpuarray.zeros, ndarray.zeros } do
        for _, versioned in ipairs { false, true } do
          local o = { versioned = versioned }
          local address = interop.to_dlpack(make({ 2, 3 }, "float32"), o)
          gpu.apart(function()
            local a = interop.from_dlpack(address, o)
            gpu.raises("LogicError", ("the tensor at the address %.0f was taken already; an address that "
              .. "interop.to_dlpack gave goes to one consumer, once"):format(address), interop.from_dlpack, address, o)
            gpu.raises("LogicError", "was taken already", interop.from_dlpack, address, { versioned = not versioned })
            a:fill(2)
            assert.same({ { 2, 2, 2 }, { 2, 2, 2 } }, a:tolist())
          end)
          collect()
          gpu.raises("LogicError", "was given back already", interop.from_dlpack, address, o)
          address = interop.to_dlpack(make({ 2, 3 }, "float32"), o)
          dlpack.delete(address, versioned)
          gpu.raises("LogicError", "was given back already", interop.from_dlpack, address, o) -- before the queue
          collect()
          gpu.raises("LogicError", "was given back already", interop.from_dlpack, address, o)
        end
      end
      local empty = interop.to_dlpack(gpuarray.zeros(0))
      interop.from_dlpack(empty)
      gpu.raises("LogicError", "was given back already", interop.from_dlpack, empty)
    end)

  it("leaves a tensor that interop.from_dlpack refused to the caller", function()
    local address = interop.to_dlpack(gpuarray.full(4, 3, "float32"))
    local other = cuda.Device(0):make_context()
    gpu.raises("LogicError", "does not belong to the current context", interop.from_dlpack, address)
    other:detach()
    assert.equal("out", core.tensor_state(address))
    assert.same({ 3, 3, 3, 3 }, interop.from_dlpack(address):tolist())
    assert.equal("taken", core.tensor_state(address))
    for _, x in ipairs { 8, 4096, 2 ^ 46 } do assert.is_nil(core.tensor_state(x)) end
  end)

  it("takes a deleter's second call for nothing, in many threads too", function()
    for _, x in ipairs { gpuarray.full(8, 3, "float32"), ndarray.full(8, 3, "float32") } do
      local address = interop.to_dlpack(x)
      dlpack.delete(address)
      dlpack.delete(address)
      collect()
      dlpack.delete(address)
      for _ = 1, 4 do dlpack.in_thread(address) end
      dlpack.C.dlpack_join()
      collect()
      assert.equal("back", core.tensor_state(address))
      assert.same({ 3, 3, 3, 3, 3, 3, 3, 3 }, x:tolist())
    end
    assert.equal(0, core.failed_destroys())
  end)

  it("remembers the last addresses that came back, not all", function()
    local a, seen, back = gpuarray.zeros(4, "float32"):eval(), {}, 0
    for _ = 1, 300 do
      local address = interop.to_dlpack(a)
      seen[address] = true
      dlpack.delete(address)
      core.drain()
    end
    for address in pairs(seen) do back = back + (core.tensor_state(address) == "back" and 1 or 0) end
    assert.equal(64, back)
  end)

  it("takes deleters in any thread, many at once", function()
    local out = {}
    for round = 1, 8 do
      for i = 1, 16 do
        local versioned = i % 2 == 0
        local x = i % 3 == 0 and ndarray.full(100, i) or gpuarray.full(100, i)
        out[i] = { interop.to_dlpack(x, { versioned = versioned }), versioned }
      end
      for i = 1, 16 do
        dlpack.in_thread(unpack(out[i]))
        if i % 4 == 0 then assert.equal(round, gpuarray.full(10, round):item(1)) end
      end
      collect()
    end
    dlpack.C.dlpack_join()
    collect()
    assert.equal(0, core.failed_destroys())
  end)

  it("takes a deleter when the Lua state is gone", function()
    local output = gpu.child [[
      local cuda = require "cudalua"
      local dlpack = require "spec.support.dlpack"
      cuda.init()
      dlpack.later(cuda.interop.to_dlpack(cuda.gpuarray.full(100, 2)))
      print "fine"
    ]]
    assert.equal("fine\n", output)
  end)

  it("takes a deleter in a capture, and gives the memory back behind it", function()
    local address = interop.to_dlpack(gpuarray.full(8, 3, "float32"))
    local a = gpuarray.zeros(8, "float32")
    local memory = a.gpudata
    local s = cuda.Stream()
    local graph = s:capture(function()
      cuda.memset_d32_async(memory, 1, 8, s)
      dlpack.delete(address)
      core.drain()
    end)
    graph:instantiate():launch(s)
    s:synchronize()
    assert.equal(1, a:view("int32"):get()[1])
    collect()
  end)

  it("refuses structs, and what is not an array", function()
    local records = ndarray.zeros(2, cuda.dtype.struct { { "x", "float32" } })
    gpu.raises("LogicError", "DLPack has no elements of", interop.to_dlpack, records)
    gpu.raises("LogicError", "DLPack has no elements of", interop.to_dlpack, gpuarray.to_gpu(records))
    gpu.raises("LogicError", "expected an array, got", interop.to_dlpack, { 1, 2 })
    gpu.refuses_nonsense(interop.to_dlpack)
    local gone = gpuarray.zeros(2)
    gone:release()
    gpu.error_of("LogicError", interop.to_dlpack, gone)
  end)
end)
