-- What is said to those who come from NumPy, PyTorch and PyCUDA: messages that say what to write instead.
local gpu = require "spec.support.gpu"
local ffi = require "ffi"
local cuda = gpu.cuda
local gpuarray, ndarray = cuda.gpuarray, cuda.ndarray

local function says(text, f, ...) gpu.raises("LogicError", text, f, ...) end

describe("Messages that say what to write", function()
  local a, h, one
  setup(gpu.context)
  before_each(function()
    a, h = gpuarray.ones { 2, 3 }, ndarray.ones { 2, 3 }
    one = ndarray.full({}, 1)
  end)

  it("a method that is called with a dot", function()
    local memory, stream, event, device = cuda.mem_alloc(4), cuda.Stream(), cuda.Event(), cuda.Device(0)
    local graph = stream:capture(function() end)
    for _, case in ipairs {
      { "free", "DeviceAllocation", function() memory.free() end },
      { "synchronize", "Stream", function() stream.synchronize() end },
      { "record", "Event", function() event.record() end },
      { "nodes", "Graph", function() graph.nodes() end },
      { "total_memory", "Device", function() device.total_memory() end },
    } do
      says(("%s: self: expected %s, got nothing; a method is called with a colon, object:%s()"):format(case[1], case[2],
        case[1]), case[3])
    end
    says("synchronize: self: expected Stream, got number 5; a method is called with a colon", function()
      stream.synchronize(5)
    end)
    says("self: expected device memory, got nothing; a method is called with a colon", function()
      memory.ptr()
    end)
  end)

  it("an array where device memory was expected", function()
    local text = "expected device memory (DeviceAllocation, DevicePointer ..., gpudata of an array), got "
    says("memcpy_dtoh: src: " .. text .. "cudalua.gpuarray", cuda.memcpy_dtoh, h, a)
    says("memcpy_htod: dest: " .. text .. "cudalua.gpuarray", cuda.memcpy_htod, a, h)
    says(text .. "table", cuda.memcpy_dtoh, h, {})
    cuda.memcpy_dtoh(h, a.gpudata)
    assert.equal(1, h:get(2, 3))
  end)

  it("a list or an array of the device where a host buffer was expected", function()
    says("got table; ndarray.array(list) makes one of a list", cuda.to_device, { 1, 2 })
    says("ndarray.array(list) makes one of a list", cuda.In, { 1, 2 })
    says("got an array; a:get() copies it to the host", cuda.In, a)
    says("got an array; a:get() copies it to the host", cuda.memcpy_htod, a.gpudata, a)
    says("expected a host buffer (host array, FFI array or struct, {ptr =, nbytes =}), got table", cuda.Out, {})
  end)

  it("a shape in several arguments", function()
    for _, f in ipairs { gpuarray.zeros, gpuarray.ones, gpuarray.empty, ndarray.zeros } do
      says("got 3; a shape is one list, {2, 3}", f, 2, 3)
    end
    says("got 7; a shape is one list", gpuarray.full, 2, 3, 7)
  end)

  it("the function that makes a kernel's argument, where a dtype was expected", function()
    says("got a function; cuda.float32() makes an argument of a kernel, the dtype is cuda.dtype.float32",
      gpuarray.zeros, 10, cuda.float32)
    says("the dtype is cuda.dtype.int64", a.astype, a, cuda.int64)
    says("expected a name, a dtype or an FFI ctype, got a function", gpuarray.zeros, 10, print)
  end)

  it("what that function makes, as an operand", function()
    local text = "mul: expected an array or a number, got a Scalar; gpuarray.scalar(value, dtype) is a number with " ..
      "a type"
    says(text, function() return cuda.float32(2) * a end)
    says(text, function() return a * cuda.float32(2) end)
    assert.equal(2, (gpuarray.scalar(2, "float32") * a)[1][1])
  end)

  it("a host array as an operand", function()
    local copy = "gpuarray.to_gpu() copies it to the device"
    for name, f in pairs {
      add = function(x) return x + 1 end, sub = function(x) return 1 - x end, mul = function(x) return x * x end,
      div = function(x) return x / 2 end, mod = function(x) return x % 2 end, pow = function(x) return x ^ 2 end,
      neg = function(x) return -x end,
    } do
      says(name .. ": one operand is an array in host memory; " .. copy, f, h)
      says(name .. ": one operand is an array in host memory; :item() is its number, " .. copy, f, one)
    end
    for _, f in ipairs { function() return h + a end, function() return a + h end } do
      says("add: one operand is an array in host memory; " .. copy, f)
    end
    says("div: one operand is an array in host memory; :item() is its number, gpuarray.to_gpu()", function()
      return a / one
    end)
    assert.equal(2, one:item() + 1)
  end)

  it("a position of 0 in a range", function()
    for _, x in ipairs { a, h } do
      says("the range {0, 2} is not within the axis, which has 2 elements; positions count from 1", function()
        return x[{ { 0, 2 } }]
      end)
      says("positions count from 1", function() return x[{ { -1, 0, -1 } }] end)
      local err = gpu.error_of("LogicError", function() return x[{ { 1, 5 } }] end)
      assert.is_nil(err.message:find("count from", 1, true))
    end
  end)

  it("two arrays for a reduction", function()
    says("gpuarray.max: expected an axis or options behind the array, got an array; gpuarray.maximum(a, b) compares " ..
      "two arrays", gpuarray.max, a, a)
    says("gpuarray.minimum(a, b) compares two arrays", a.min, a, a)
    local err = gpu.error_of("LogicError", gpuarray.sum, a, a)
    assert.truthy(err.message:find("expected an axis or options", 1, true))
    assert.is_nil(err.message:find("imum", 1, true))
  end)

  it("matrices for dot", function()
    says("examples/09_matmul.lua multiplies matrices", a.dot, a, a)
    says("expected two arrays of one axis", gpuarray.dot, gpuarray.ones(2), gpuarray.ones(3))
  end)

  it("the dtype as the second argument of from_buffer", function()
    says("ndarray.from_buffer: shape must be a list, got a string; the dtype comes third: from_buffer(buf, nil, " ..
      "'uint8')", ndarray.from_buffer, "abcd", "uint8")
    says("the dtype comes third", ndarray.from_buffer, ffi.new "char[4]", cuda.dtype.uint8)
    assert.same({ 97, 98 }, ndarray.from_buffer("ab", nil, "uint8"):tolist())
  end)
end)
