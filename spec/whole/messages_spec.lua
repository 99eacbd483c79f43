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
      says(("%s: self: expected %s, got nothing; call the method with a colon: object:%s()"):format(case[1], case[2],
        case[1]), case[3])
    end
    says("synchronize: self: expected Stream, got number 5; call the method with a colon", function()
      stream.synchronize(5)
    end)
    says("self: expected device memory, got nothing; call the method with a colon", function()
      memory.ptr()
    end)
  end)

  it("a function of the current context that is called with a colon", function()
    for _, name in ipairs { "synchronize", "get_flags", "attach" } do
      local text = "%s: self: got the class Context itself; call it with a dot for the current one, " ..
        "Context.%s(), or with a colon for an object"
      says(text:format(name, name), function() cuda.Context[name](cuda.Context) end)
    end
    says("call the method with a colon: object:push()", function() cuda.Context:push() end)
    says("self: expected Context, got table", function() cuda.Context.synchronize {} end)
    cuda.Context.synchronize()
    cuda.Context.get_current():synchronize()
  end)

  it("a dtype that is called, and what leads to it", function()
    says("dtype int32: a dtype cannot be called, got 3; write 3 for a kernel's argument, or " ..
      'gpuarray.scalar(3, "int32") for an array', function() return cuda.dtype.int32(3) end)
    says("write n for a kernel's argument", function() return cuda.dtype.bool() end)
    local text = "ndarray has no field 'int32'; it is cuda.dtype.int32; write it as \"int32\" for a dtype, 3 for a " ..
      "kernel's argument, or cuda.int32(3) if the kernel's parameters are not known"
    says(text, function() return ndarray.int32(3) end)
    says("write it as \"float64\" for a dtype", function() return gpuarray.float64 end)
    says("which includes high", function() return cuda.random.randint end)
  end)

  it("options, dtypes and lists where PyCUDA or SciPy take them, and what is passed in another order", function()
    local x, s = gpuarray.ones { 2, 3 }, cuda.Stream()
    says("gpuarray.sum: axes must be an integer or a list of integers, got a string; pass a dtype as an " ..
      'option: { dtype = "float64" }', gpuarray.sum, x, "float64")
    says("sum: axes must be an integer or a list of integers, got a string", gpuarray.sum, x, "rows")
    says("the stream comes before the options: to_gpu_async(values, stream, options)", gpuarray.to_gpu_async,
      ndarray.ones(3), { stream = s })
    says("linalg.norm: axis is not supported; for the norms of vectors along an axis write a:norm { axis = ... }",
      cuda.linalg.norm, x, { axis = 2 })
    says("sparse.csr: unexpected argument table; name the parts of a matrix in one table: {data =, indices =, " ..
      "indptr =, shape =}", cuda.sparse.csr, { 1 }, { 1 }, { 1 })
    says("in one table: {data =, rows =, columns =, shape =}", cuda.sparse.coo, { 1 }, { 1 }, { 1 })
    local k = cuda.kernel "__global__ void k(float *a, int n) {}"
    says("k: argument 2 is the table of options, which must be the last argument", k, x, { block = 4 }, 3)
    says("k: options are missing", k, x, 3)
    k(x, 3, { block = 4 })
  end)

  it("the base of positions, the name of an operand, and the order of a texture's array", function()
    local coo = { data = { 1, 2 }, rows = { 0, 1 }, columns = { 0, 1 }, shape = { 2, 2 } }
    says("rows[1] is 0; the matrix has 2 rows, counted from 1; add base = 0 if positions count from 0",
      cuda.sparse.coo, coo)
    says("indices[1] is 0; the matrix has 2 columns, counted from 1; add base = 0 if positions count from 0",
      cuda.sparse.csr, { data = { 1, 2 }, indices = { 0, 1 }, indptr = { 1, 2, 3 }, shape = { 2, 2 } })
    coo.base = 0
    assert.same({ { 1, 0 }, { 0, 2 } }, cuda.sparse.coo(coo):todense():tolist())
    says("add: expected an array or a number, got nil; check the operand's name, or call the method with a colon: " ..
      "a:add()", function() return gpuarray.ones(2) + nil end)
    for _, name in ipairs { "np_to_array", "matrix_to_array" } do
      says(name .. ": order must be 'C' or 'F', got table; order is an argument of its own and comes before the " ..
        "options", cuda[name], ndarray.ones { 2, 2 }, { order = "C" })
    end
    says("matrix_to_texref: order must be", cuda.matrix_to_texref, ndarray.ones { 2, 2 }, nil, { order = "C" })
  end)

  it("names that other libraries have", function()
    local x = gpuarray.ones { 4, 6 }
    says("has no field 'to_host'; use a:get()", function() return x.to_host end)
    says("has no field 'copy_to_host'; use a:get()", function() return x.copy_to_host end)
    says("use cuda.fft.fft(cuda.fft.rfft(a), { axis = -2 })", function() return cuda.fft.rfft2 end)
    says("use cuda.fft.irfft(cuda.fft.ifft(a, { axis = -2 }))", function() return cuda.fft.irfft2 end)
    local there = cuda.fft.fft(cuda.fft.rfft(x), { axis = -2 })
    assert.is_true(there:allclose(cuda.fft.fft2(x)[{ {}, { 1, 4 } }]))
    assert.is_true(cuda.fft.irfft(cuda.fft.ifft(there, { axis = -2 })):allclose(x))
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
    says("got table; convert a list with ndarray.array(list)", cuda.to_device, { 1, 2 })
    says("convert a list with ndarray.array(list)", cuda.In, { 1, 2 })
    for _, name in ipairs { "In", "Out", "InOut" } do
      says(name .. ": expected a host buffer", cuda[name], a)
      says("got an array; kernels take the array itself: pass a", cuda[name], a)
    end
    says("got an array; copy it to the host with a:get()", cuda.memcpy_htod, a.gpudata, a)
    says("expected a host buffer (host array, FFI array or struct, {ptr =, nbytes =}), got table; results go to a " ..
      "host array: local h = ndarray.array(list)", cuda.Out, { 1 })
  end)

  it("host and device memory in the wrong order", function()
    local host, memory = ndarray.zeros(3), cuda.mem_alloc(12)
    says("memcpy_htod: src: expected a host buffer", cuda.memcpy_htod, host, memory)
    says("got DeviceAllocation; write memcpy_htod(device, host); memcpy_dtod copies from", cuda.memcpy_htod, host,
      memory)
    says("write memcpy_htod_async(device, host)", cuda.memcpy_htod_async, host, memory, cuda.Stream())
    says("write memcpy_dtoh(host, device)", cuda.memcpy_dtoh, memory, host)
  end)

  it("braces around the arguments of a kernel's constructor", function()
    says("ReductionKernel: got one list of 3 values; write parentheses around arguments: " ..
      "ReductionKernel(dtype_out, ...)", cuda.reduction.ReductionKernel, { "float32", "0", "a + b" })
    says("ElementwiseKernel: got one list of 2 values", cuda.elementwise.ElementwiseKernel, { "float *x", "x[i] = 1" })
  end)

  it("a call of an array, complex numbers compared, and arrays written to host arrays by set()", function()
    local z = gpuarray.zeros({ 2, 2 }, "complex64")
    says("an array cannot be called; fields such as a.T have no ()", function() return z:T() end)
    says("gt: not defined for complex64 and complex64; compare a:abs(), a:real() or a:imag()", z.gt, z, 3)
    local host = ndarray.zeros(2)
    says("ndarray:set: an array with 1 axis takes 1 index, got 0; a[{}] = x writes all elements", host.set, host, host)
    host[{}] = ndarray.ones(2)
    assert.same({ 1, 1 }, host:tolist())
  end)

  it("a shape in several arguments", function()
    for _, f in ipairs { gpuarray.zeros, gpuarray.ones, gpuarray.empty, ndarray.zeros } do
      says("got 3; pass the shape as one list, {2, 3}", f, 2, 3)
      says("got 5; pass the shape as one list, {5, 5}", f, 5, 5)
    end
    local err = gpu.error_of("LogicError", gpuarray.arange, 3, 4, 5, 6) -- its numbers are no shape
    assert.falsy(err.message:find "shape")
    says("random.rand: dtype must be a name, a dtype or an FFI ctype, got 7; pass the shape as one list, {4, 7}",
      cuda.random.rand, 4, 7)
    for name, full in pairs { gpuarray = gpuarray.full, ndarray = ndarray.full } do
      says(name .. ".full: dtype must be a name, a dtype or an FFI ctype, got 7; pass the shape as one list: " ..
        "full({2, 3}, 7)", full, 2, 3, 7)
    end
  end)

  it("a number where the dtype belongs, behind a list", function()
    for name, m in pairs { gpuarray = gpuarray, ndarray = ndarray } do
      says(name .. '.full: the value comes before the dtype; write full({2, 3}, 7, "int32")', m.full, { 2, 3 }, "int32",
        7)
      says('the value comes before the dtype; write full({4}, 0.5, "float32")', m.full, 4, "float32", 0.5)
      says('got 7; write full({2, 3}, 8, "float32")', m.full, { 2, 3 }, 8, 7)
      says(name .. ".ones: dtype must be a name, a dtype or an FFI ctype, got 7; the dtype is a name such as " ..
        '"float32"; full({2, 3}, 7) fills an array with a number', m.ones, { 2, 3 }, 7)
      for _, shape in ipairs { { {}, {} }, { "a", "b" }, gpuarray.ones(3), {} } do
        gpu.error_of("LogicError", m.ones, shape, 7)
        gpu.error_of("LogicError", m.full, shape, 8, 7)
      end
      local err = gpu.error_of("LogicError", m.full, gpuarray.ones(3), 8, 7)
      assert.is_nil(err.message:find("full({", 1, true), err.message)
    end
  end)

  it("the shapes of three operands that do not broadcast", function()
    local c, x = gpuarray.ones({ 3, 4 }):gt(0), gpuarray.ones(3)
    says("where: the shapes of bool(3, 4) and float32(3,) cannot be broadcast together", gpuarray.where, c, x, 0)
    says("where: the shapes of bool(3, 4) and float32(3,) cannot be broadcast together", gpuarray.where, c, 0, x)
    says("where: the shapes of float32(4,) and float32(3,) cannot", gpuarray.where, true, gpuarray.ones(4), x)
  end)

  it("options that PyTorch and mpi4py call otherwise", function()
    local world = cuda.distributed.init()
    says("broadcast: unknown option 'src'; did you mean 'root'?", world.broadcast, world, a, { src = 0 })
    says("broadcast: expected a table of options, got 0; write {root = 0}", world.broadcast, world, a, 0)
    for _, name in ipairs { "reduce", "gather" } do
      says(name .. ": unknown option 'dst'; did you mean 'root'?", world[name], world, a, { dst = 0 })
    end
    for key, meant in pairs { dst = "to", dest = "to" } do
      says(("send: unknown option '%s'; did you mean '%s'?"):format(key, meant), world.send, world, a, { [key] = 0 })
    end
    for key, meant in pairs { src = "from", source = "from" } do
      says(("recv: unknown option '%s'; did you mean '%s'?"):format(key, meant), world.recv, world, a, { [key] = 0 })
    end
    says("send: expected a table of options, got 1; write {to = 1}", world.send, world, a, 1)
    says('all_reduce: expected a table of options, got \'max\'; write {op = "max"}', world.all_reduce, world, a, "max")
  end)

  it("the function that makes a kernel's argument, where a dtype was expected", function()
    says("got a function; cuda.float32() creates a kernel argument; the dtype is cuda.dtype.float32",
      gpuarray.zeros, 10, cuda.float32)
    says("the dtype is cuda.dtype.int64", a.astype, a, cuda.int64)
    says("dtype must be a name, a dtype or an FFI ctype, got a function", gpuarray.zeros, 10, print)
  end)

  it("what that function makes, as an operand", function()
    local text = "mul: expected an array or a number, got a Scalar; for a number with a type use " ..
      "gpuarray.scalar(value, dtype)"
    says(text, function() return cuda.float32(2) * a end)
    says(text, function() return a * cuda.float32(2) end)
    assert.equal(2, (gpuarray.scalar(2, "float32") * a)[1][1])
  end)

  it("a host array as an operand", function()
    local copy = "copy it to the device with gpuarray.to_gpu()"
    for name, f in pairs {
      add = function(x) return x + 1 end, sub = function(x) return 1 - x end, mul = function(x) return x * x end,
      div = function(x) return x / 2 end, mod = function(x) return x % 2 end, pow = function(x) return x ^ 2 end,
      neg = function(x) return -x end,
    } do
      says(name .. ": one operand is a host array; " .. copy, f, h)
      says(name .. ": one operand is a host array; read its number with :item(), or " .. copy, f, one)
    end
    for _, f in ipairs { function() return h + a end, function() return a + h end } do
      says("add: one operand is a host array; " .. copy, f)
    end
    says("div: one operand is a host array; read its number with :item()", function()
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
    says("gpuarray.max: expected an axis or options after the array, got an array; compare two arrays with " ..
      "gpuarray.maximum(a, b)", gpuarray.max, a, a)
    says("compare two arrays with gpuarray.minimum(a, b)", a.min, a, a)
    local err = gpu.error_of("LogicError", gpuarray.sum, a, a)
    assert.truthy(err.message:find("expected an axis or options", 1, true))
    assert.is_nil(err.message:find("imum", 1, true))
  end)

  it("matrices for dot", function()
    says("shapes (2, 3) and (2, 3) do not match", a.dot, a, a)
    says("expected two arrays of one axis", gpuarray.dot, gpuarray.ones(2), gpuarray.ones(3))
  end)

  it("the dtype as the second argument of from_buffer", function()
    says("ndarray.from_buffer: shape must be a list, got a string; the dtype comes third: from_buffer(buf, nil, " ..
      "'uint8')", ndarray.from_buffer, "abcd", "uint8")
    says("the dtype comes third", ndarray.from_buffer, ffi.new "char[4]", cuda.dtype.uint8)
    assert.same({ 97, 98 }, ndarray.from_buffer("ab", nil, "uint8"):tolist())
  end)

  it("a method of arrays that is called with a dot", function()
    local calls = { {}, { 3 }, { { axis = 1 } } }
    local count = 0
    for name, method in pairs(gpuarray.Array) do
      -- Of two operands, one may be a number, and a list is one that is not on the device.
      for k = 1, type(method) == "function" and name:byte() ~= 95 and #calls or 0 do
        local ok, err = pcall(method, unpack(calls[k]))
        local text = ok and "it was called" or tostring(err.message)
        assert(text:find("call the method with a colon", 1, true) or k > 1 and text:find("got nil", 1, true) or
          k == 3 and text:find("convert a list with gpuarray.to_gpu(list)", 1, true), name .. ": " .. text)
        count = count + 1
      end
    end
    assert.is_true(count > 600)
    says("gpuarray:sum: expected a gpuarray, got nil; call the method with a colon: a:sum()", function() a.sum() end)
    says("got a table; call the method with a colon: a:sum()", function() a.sum { axis = 1 } end)
    says("exp: expected an array, got nil; call the method with a colon: a:exp()", function() a.exp() end)
    says("a must be a gpuarray, got nil; call the method with a colon: a:sort()", function() a.sort() end)
    says("modf: expected an array, got nil; call the method with a colon: a:modf()", function() a.modf() end)
  end)

  it("a function of a module that is called with a colon", function()
    says("start must be a number, got a table; call it with a dot: gpuarray.arange(...)", function()
      gpuarray:arange(5)
    end)
    says("call it with a dot: ndarray.arange(...)", function() ndarray:arange(5) end)
  end)

  it("a list with holes or names", function()
    says("the list is not a list: element 2 is nil, element 3 is not; write a value for each", gpuarray.to_gpu,
      { 1, nil, 3 })
    says("the list is not a list: it has the key 'x'; write only values, {1, 2, 3}", gpuarray.to_gpu, { 1, 2, x = 3 })
    says("[2] is not a list: element 3 is nil, element 4 is not", ndarray.array, { { 1, 2 }, { 1, 2, [4] = 3 } })
  end)

  it("numbers where a range was meant", function()
    local v = gpuarray.arange(8)
    local text = "too many indices: the array has 1 axis; a range is a list inside the index: a[{ {1, 7} }]"
    says(text, function() return v[{ 1, 7 }] end)
    says(text, v.slice, v, 1, 7)
    says(text, function() return v:get()[{ 1, 7 }] end)
    assert.same({ 0, 1, 2, 3, 4, 5, 6 }, v[{ { 1, 7 } }]:tolist())
    local err = gpu.error_of("LogicError", function() return a[{ 1, 1, 1 }] end)
    assert.is_nil(err.message:find("inside", 1, true))
  end)

  it("a host array to compare with", function()
    says("gpuarray.allclose: b must be a gpuarray or a number, got a host array; copy it to the device with " ..
      "gpuarray.to_gpu()", a.allclose, a, h)
  end)

  it("an array of another shape for the result", function()
    says("the result has the shape (), but the output array has (1,); create one with gpuarray.empty", a.max,
      a, { out = gpuarray.empty(1) })
    says("gpuarray.empty({4, 3}, 'float32')", gpuarray.concatenate, { a, a }, 1, { out = gpuarray.empty(1) })
    assert.equal(1, a:max({ out = gpuarray.empty({}, "float32") }):item())
  end)

  it("shapes that do not broadcast", function()
    says("sub: the shapes of float32(2, 3) and float32(2,) cannot be broadcast together; axes are compared from the " ..
      "last one: reshape the second one to {2, 1}, or reduce with {keepdims = " ..
      "true}", function() return a - a:mean(2) end)
    says("reshape the first one to {2, 1}", function() return a:mean(2) - a end)
    says("their extents must be equal or 1; see reshape, T and newaxis", function()
      return a + gpuarray.ones { 3, 2 }
    end)
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, (a - a:mean(2):reshape { 2, 1 }):tolist())
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, (a - a:mean { axis = 2, keepdims = true }):tolist())
  end)

  it("options of a launch", function()
    local kernel = cuda.kernel "__global__ void set(float *x) { x[threadIdx.x] = 1; }"
    local x = gpuarray.zeros(4)
    says("set: unknown option 'Block'; did you mean 'block'? valid options: block, grid, shared, stream, " ..
      "cooperative, cluster, priority, pdl, carveout, time_kernel", kernel, x, { Block = 4, grid = 1 })
    says("set: unknown option 'zzz'; valid options: block", kernel, x, { zzz = 4, grid = 1 })
    local text = "set: option grid: expected 1 to 3 positive integers, got number 1.42578125; round it up with " ..
      "math.ceil()"
    says(text, kernel, x, { block = 4, grid = 365 / 256 })
    says(text, kernel, x, { block = 4, grid = { 1, 365 / 256 } })
    local err = gpu.error_of("LogicError", kernel, x, { block = 4, grid = -1 })
    assert.is_nil(err.message:find("math.ceil", 1, true))
  end)

  it("a source without a kernel, and the name of a file", function()
    local err = gpu.error_of("LogicError", cuda.kernel, "__device__ void f(float *x) { }")
    assert.equal("kernel: the source has no __global__ function", err.message)
    assert.truthy(err.hint:find("__global__", 1, true))
    says("kernel: expected the text of a source, got 'k.cu', the name of a file; read it with io.open('k.cu'):read " ..
      "\"*a\"",
      cuda.kernel, "k.cu")
    says("SourceModule: expected the text of a source, got 'no/such/k.cuh'", cuda.SourceModule, "no/such/k.cuh")
    says("got 'spec/whole/messages_spec.lua', the name of a file", cuda.SourceModule, "spec/whole/messages_spec.lua")
    assert.truthy(cuda.SourceModule "// nothing of k.cu")
  end)

  it("the option that PyTorch has another name for", function()
    for _, name in ipairs { "cmap", "colormap" } do
      says(("show: unknown option '%s'; did you mean 'map'?"):format(name), function()
        cuda.show(gpuarray.ones(3), { [name] = "gray" })
      end)
    end
    says("sum: unknown option 'dim'; did you mean 'axis'?", function() gpuarray.ones(3):sum { dim = 1 } end)
    says("sum: unknown option 'keepdim'; did you mean 'keepdims'?", function()
      gpuarray.ones(3):sum { keepdim = true }
    end)
  end)

  it("a dot where a module came as the first argument", function()
    for _, name in ipairs { "zeros", "empty", "ones", "arange" } do
      local ok, err = pcall(gpuarray[name], gpuarray, 3)
      assert.is_false(ok)
      assert.truthy(err.message:find(("; call it with a dot: gpuarray.%s(...)"):format(name), 1, true), err.message)
    end
  end)

  it("names of functions where none is at the place of the call", function()
    says("mem_alloc: bytes: expected an integer from 1 to 2^53, got string", cuda.mem_alloc, "x")
    says("on_complete: fn: expected a function, got number 3", cuda.Stream().on_complete, cuda.Stream(), 3)
    says("wait_for_event: event: expected an Event, got number 3", cuda.Stream().wait_for_event, cuda.Stream(), 3)
    says("Device: device: expected an ordinal as a number, 0, or a PCI bus id, \"0000:3b:00.0\", got string \"0\"",
      cuda.Device, "0")
    says("Device: ordinal: expected an integer from 0 to 1048576, got number 0.5", cuda.Device, 0.5)
    assert.equal(cuda.Device(0), cuda.Device(cuda.Device(0):pci_bus_id()))
  end)

  it("what the program called, where that waits in a capture", function()
    local s = cuda.Stream()
    local x = gpuarray.arange(4):eval()
    says(":item() is not possible while a stream is being captured", function()
      s:capture(function() return (x:sum():item()) end)
    end)
    says(":get() is not possible while a stream is being captured", function()
      s:capture(function() local h2 = x:get() return h2 end)
    end)
    says("Stream:synchronize is not possible while", function() s:capture(function() s:synchronize() end) end)
    for _, name in ipairs { "item", "get", "tolist" } do -- a tail call hides the name
      says("waiting for the device, as item(), get() and synchronize() do, is not possible while a stream is being " ..
        "captured", function()
        s:capture(function()
          local y = x:sum()
          return y[name](y)
        end)
      end)
    end
    says("waiting for the device, as item(), get() and synchronize() do, is not possible in the function of " ..
      "cuda.graph()", cuda.graph(function(y) return y:sum():item() end), x)
  end)

  it("an axis that is inserted, and masks that are not bool", function()
    for name, of in pairs { gpuarray = a, ndarray = h } do
      says(("%s[{}]: index 2 must be an integer, got nil; {} selects all of an axis, and {first, last} a part; " ..
        "%s.newaxis inserts an axis"):format(name, name), function() return of[{ {}, nil, {} }] end)
    end
    local err = gpu.error_of("LogicError", function() return a[{ {}, ":" }] end)
    assert.is_nil(err.message:find("newaxis", 1, true))
    local x, remedy = gpuarray.arange(3), '; a mask must be bool: convert it with astype "bool"'
    local mask = x:gt(0):astype "uint8"
    says("index 1 has 0 at [1]; axis 1 of the shape (3,) has 3 elements, counted from 1" .. remedy, function()
      return x[mask]
    end)
    says(remedy, function() x[mask] = 5 end)
    says("index 1 has 0 at [1][1]; axis 1 of the shape (2, 3) has 2 elements, counted from 1" .. remedy, function()
      return a[a:gt(1):astype "int32"]
    end)
    says("index 2 has 0 at [1]; axis 2 of the shape (2, 3) has 3 elements, counted from 1" .. remedy, function()
      return a[{ {}, mask }]
    end)
    says(remedy, function() return a[{ { 1, 0 }, mask }] end) -- nothing is selected
    assert.same({ 1, 2 }, x[mask:astype "bool"]:tolist())
    for _, positions in ipairs { { 0, 1 }, { { 1, 2, 0 } }, { 1, 2, 4 } } do
      err = gpu.error_of("LogicError", function() return x[gpuarray.to_gpu(positions, "int32")] end)
      assert.is_nil(err.message:find("mask", 1, true))
    end
  end)

  it("arrays in a list, or a function, where arrays are arguments of their own", function()
    says("gpuarray.eval: expected an array, got a table; pass the arrays as separate arguments: gpuarray.eval(a, b)",
      gpuarray.eval, { a, a })
    says("gpuarray.explain: expected a gpuarray, got a table; pass the arrays as separate arguments: " ..
      "gpuarray.explain(a, b)", gpuarray.explain, { a + 1, a + 2 })
    says("gpuarray.explain: expected a gpuarray, got a function; call the function and pass the arrays that it " ..
      "returns, or pass a function of gpuarray.fuse() and its arguments", gpuarray.explain, function() return a end)
    says("gpuarray:eval: unexpected argument an array; it takes no arguments; gpuarray.eval(a, b) computes several " ..
      "arrays", a.eval, a, a)
    says("concatenate: expected a list of arrays, got one array; write gpuarray.concatenate { a, b }",
      gpuarray.concatenate, a, a)
    local err = gpu.error_of("LogicError", gpuarray.eval, { 1, 2 })
    assert.is_nil(err.message:find("separate", 1, true))
  end)

  it("axes of a result, and operands that are missing", function()
    says("gpuarray:expand_dims: axis 0: the result has 3 axes, counted from 1", a.expand_dims, a, 0)
    says("gpuarray.stack: axis 4: the result has 3 axes", gpuarray.stack, { a, a }, 4)
    says("where: expected an array or a number, got nil; where takes 3 operands: write gpuarray.where(a, b, c), or " ..
      "call the method with a colon, as in a:where(b, c)", gpuarray.where, a:gt(0), a)
    says("gpuarray.mean: expected a gpuarray, got 3; pass the array first: gpuarray.mean(a), or call the method " ..
      "with a colon: a:mean()", gpuarray.mean, 3)
    says("gpuarray:roll: shift must be an integer or a list of integers, got nil", a.roll, a)
  end)

  it("options without a name, and those that are a value here", function()
    says("gpuarray:max: the axis among other options needs its name; write { axis = 2, keepdims = true }", a.max, a,
      { 2, keepdims = true })
    says("write { axis = { 1, 2 }, dtype = \"float64\" }", a.sum, a, { 1, 2, dtype = "float64" })
    assert.same({ 1, 1 }, a:max({ 2 }):tolist())
    for _, name in ipairs { "unbiased", "correction" } do
      says(("gpuarray:var: unknown option '%s'; write ddof = 1; valid options: allocator, axis, ddof"):format(name),
        a.var, a, { [name] = 1 })
    end
    says("sum: unknown option 'unbiased'; valid options", a.sum, a, { unbiased = true })
    says("use (a - a:mean { axis = -1, keepdims = true }) / (a:var { axis = -1, keepdims = true } + 1e-5):sqrt()",
      function() return a.layer_norm end)
  end)

  it("ranges that run the other way, and strings as values", function()
    local x = gpuarray.arange(6)
    says("index 1: the range {5, 3} runs backwards, but its step is 1; write {5, 3, -1}", function()
      return x[{ { 5, 3 } }]
    end)
    says("index 1: the range {2, 6} runs forwards, but its step is -2; write {2, 6, 2}", function()
      return x[{ { 2, 6, -2 } }]
    end)
    assert.same({ 4, 3, 2 }, x[{ { 5, 3, -1 } }]:tolist())
    says("gpuarray:set: the shape (2,) needs 16 bytes of int64, but the buffer has 1; a string is the bytes of " ..
      "elements, not a value", function() x[{ { 1, 2 } }] = "a" end)
  end)
end)
