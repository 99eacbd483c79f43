-- Names that there are not: what the error says, what asks without one, what is left alone. And shapes, as they print.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray, ndarray = cuda.gpuarray, cuda.ndarray
local names = require "cudalua.base.names"
local other_names = require "cudalua.base.other_names"

-- The modules whose fields users read, and one object of each class.
local modules = { cuda = cuda, gpuarray = gpuarray, ndarray = ndarray, dtype = cuda.dtype, math = cuda.math,
  random = cuda.random, elementwise = cuda.elementwise, reduction = cuda.reduction, scan = cuda.scan,
  tools = cuda.tools, characterize = cuda.characterize, vec = cuda.vec, softgpu = cuda.softgpu,
  compiler = require "cudalua.compiler" }

local function objects()
  local stream, event, memory = cuda.Stream(), cuda.Event(), cuda.mem_alloc(64)
  local mod = cuda.SourceModule "__global__ void k(int *a) { *a = 1; }"
  local host = cuda.register_host_memory(cuda.aligned_zeros(16))
  return {
    array = gpuarray.ones(3), view = gpuarray.ones { 2, 3 }[1], pending = gpuarray.ones(3) + 1,
    host_array = ndarray.ones(3), dtype = cuda.dtype.float32, struct = cuda.vec.float4,
    Device = cuda.Device(0), Context = cuda.Context.get_current(), Stream = stream, Event = event,
    Graph = stream:capture(function() end), DeviceAllocation = memory, DevicePointer = memory + 16,
    PooledDeviceAllocation = cuda.DeviceMemoryPool():allocate(64), DeviceMemoryPool = cuda.DeviceMemoryPool(),
    PageLockedMemoryPool = cuda.PageLockedMemoryPool(), HostAllocation = cuda.pagelocked_empty(4).base,
    AlignedHostAllocation = cuda.aligned_zeros(4).base, RegisteredHostMemory = host.base,
    ManagedAllocation = cuda.managed_zeros(4).base, Array = cuda.Array(cuda.ArrayDescriptor { width = 4 }),
    SourceModule = mod, Module = mod.module, Function = mod:get_function "k", Scalar = cuda.float32(1),
    Linker = cuda.Linker(), DynamicModule = cuda.DynamicModule(), Memcpy2D = cuda.Memcpy2D(),
    ArrayDescriptor = cuda.ArrayDescriptor(), Generator = cuda.random.default(),
    StateGenerator = cuda.random.XORWOWRandomNumberGenerator(nil, 0, { generators = 64 }),
    ElementwiseKernel = cuda.elementwise.ElementwiseKernel("float *x", "x[i] = 1"),
    ReductionKernel = cuda.reduction.ReductionKernel("float32", "0", "a + b", "x[i]", "const float *x"),
    InclusiveScanKernel = cuda.scan.InclusiveScanKernel("int32", "a + b"),
    Fused = gpuarray.fuse(function(x) return x end), VectorArg = cuda.tools.VectorArg("float32", "x"),
  }
end

local function read(t, key) return function() return t[key] end end

-- What the errors for names of t say behind "owner has no field 'name'".
local function says(owner, t, remedies)
  for key, remedy in pairs(remedies) do
    local err = gpu.error_of("LogicError", read(t, key))
    assert.equal(("%s has no field '%s'%s"):format(owner, key, remedy), err.message)
  end
end

describe("Names that there are not", function()
  local a, h
  setup(gpu.context)
  before_each(function() a, h = gpuarray.ones { 2, 3 }, ndarray.ones { 2, 3 } end)

  it("raise in every module, and say which line asked", function()
    for name, module in pairs(modules) do
      local err = gpu.raises("LogicError", name .. " has no field 'frobnicate'", read(module, "frobnicate"))
      assert.truthy(err.where:find "names_spec.lua:%d+$", err.where)
    end
  end)

  it("raise for every object and class", function()
    for name, object in pairs(objects()) do
      gpu.raises("LogicError", "has no", read(object, "frobnicate"))
      assert.is_nil(object._frobnicate, name)
    end
    for name, class in pairs(require("cudalua.core").classes) do
      gpu.raises("LogicError", "has no field 'frobnicate'", read(class, "frobnicate"))
      assert.is_nil(class._frobnicate, name)
    end
    for _, class in ipairs { cuda.SourceModule, cuda.Linker, cuda.Array, cuda.DynamicModule, cuda.IPCMemoryHandle,
      cuda.elementwise.ElementwiseKernel, cuda.reduction.ReductionKernel, cuda.scan.GenericScanKernel } do
      gpu.raises("LogicError", "has no field 'frobnicate'", read(class, "frobnicate"))
    end
  end)

  it("suggest what is near", function()
    says("cuda", cuda, { gpuarry = "; did you mean 'gpuarray'?",
      frobnicate = "; cuda.has(name) checks for a name without an error" })
    says("an array", a, { shpae = "; did you mean 'shape'?" })
    says("gpuarray", gpuarray, { zeroes = "; did you mean 'zeros'?" })
    says("a host array", h, { tolits = "; did you mean 'tolist'?" })
    says("a Stream", cuda.Stream(), { sync = "; did you mean 'synchronize'?" })
    says("an Event", cuda.Event(), { wait = "" })
    says("dtype", cuda.dtype, { float128 = "; did you mean 'float16' or 'float32'?" })
    says("the dtype float32", cuda.dtype.float32, { nmae = "; did you mean 'name'?" })
    says("vec", cuda.vec, { float5 = "; did you mean 'float1', 'float2' or 'float3'?" })
    says("a DeviceMemoryPool", cuda.DeviceMemoryPool(), { held_block = "; did you mean 'held_blocks'?" })
    says("Memcpy2D", cuda.Memcpy2D(), { widht_in_bytes = "; did you mean 'width_in_bytes'?" })
    gpu.raises("LogicError", "a Device has no method or attribute 'clock_rat'; did you mean clock_rate, " ..
      "memory_clock_rate?", read(cuda.Device(0), "clock_rat"))
    gpu.raises("LogicError", "cuda.filter_mode has no 'CUBIC'; valid names: POINT, LINEAR",
      read(cuda.filter_mode, "CUBIC"))
  end)

  it("name the place that has them", function()
    says("cuda", cuda, { zeros = "; it is cuda.gpuarray.zeros", sizeof = "; it is cuda.characterize.sizeof",
      OccupancyRecord = "; it is cuda.tools.OccupancyRecord", item = "; it is a method of arrays: a:item()" })
    says("gpuarray", gpuarray, { item = "; it is a method of arrays: a:item()",
      ndim = "; it is a field of arrays: a.ndim", rand = "; it is cuda.random.rand",
      float32 = '; it is cuda.dtype.float32; write it as "float32" for a dtype, 3 for a kernel\'s argument, or ' ..
        "cuda.float32(3) if the kernel's parameters are not known", Stream = "; it is cuda.Stream" })
    says("an array", a, { zeros = "; it is a function: gpuarray.zeros(...)",
      buffer = "; host arrays have it: a:get():buffer()",
      ["1:2"] = "; an index must be a number or a list, such as a[{ { 1, 3 } }] for elements 1 to 3" })
    says("a host array", h, { zeros = "; it is a function: ndarray.zeros(...)",
      cumsum = "; computing is for arrays on the device: gpuarray.to_gpu(a)" })
    says("ndarray", ndarray, { item = "; it is a method of host arrays: a:item()" })
    for owner, x in pairs { ["an array"] = a, ["a host array"] = h } do
      says(owner, x, { show = "; it is a function: cuda.show(a)", plot = "; it is a function: cuda.plot(a)",
        save_image = "; it is a function: cuda.io.save_image(path, a)",
        savetxt = "; it is a function: cuda.io.savetxt(path, a)",
        help = "; use help(a) at the prompt of the cudalua command" })
    end
    says("gpuarray", gpuarray, { show = "; it is cuda.show", help = "; use help(gpuarray) at the prompt of the " ..
      "cudalua command" })
    says("cuda", cuda, { help = "; use help(cuda) at the prompt of the cudalua command" })
    says("dtype", cuda.dtype, { help = "; use help(cuda.dtype) at the prompt of the cudalua command" })
  end)

  it("of NumPy, PyTorch and CUDA's runtime say what to write", function()
    says("gpuarray", gpuarray, { multiply = "; use a * b, or gpuarray.mul(a, b)",
      randn = "; use cuda.random.normal(shape)" })
    says("an array", a, { permute = "; use a:transpose { 2, 1 }", numel = "; use a.size" })
    says("a host array", h, { numel = "; use a.size" })
    says("gpuarray", gpuarray, { zoom = "; use cuda.image.resize(a, { height, width })",
      rotate = "; it is cuda.image.rotate", convolve2d = "; it is cuda.image.convolve2d" })
    for _, t in ipairs { a, gpuarray, cuda, cuda.image } do
      gpu.raises("LogicError", "cuda.image.convolve2d(a, kernel:flip(),", read(t, "filter2D"))
      gpu.raises("LogicError", "cuda.image.convolve2d(a, kernel:flip(),", read(t, "conv2d"))
    end
    says("cuda", cuda, { cudaMalloc = "; use cuda.mem_alloc(bytes)",
      colormap = "; use the option map: cuda.io.save_image(path, a, { map = 'viridis' })" })
    says("gpuarray", gpuarray, { from_table = "; use gpuarray.to_gpu(values)" })
    says("an array", a, { column = "; use a[{ {}, i }]", row = "; use a[i]",
      save_png = "; it is a function: cuda.io.save_image(path, a)" })
    says("io", cuda.io, { save_png = "; use cuda.io.save_image(path, a)" })
    for _, t in ipairs { a, gpuarray, cuda } do
      gpu.raises("LogicError", "of nonsymmetric matrices are not supported; for symmetric and Hermitian matrices " ..
        "use cuda.linalg.eigh(a)", read(t, "eig"))
    end
    for _, name in ipairs { "equal", "power", "arctan2", "concat", "amax", "clamp", "unsqueeze", "array" } do
      gpu.raises("LogicError", "; use ", read(gpuarray, name))
    end
  end)

  it("of what has no counterpart, or is a method elsewhere", function()
    says("an array", a, { free = "; use a:release()", close = "; use a:release()", ln = "; use a:log()" })
    says("gpuarray", gpuarray, { ln = "; use a:log()" })
    says("a Stream", cuda.Stream(), { with = "; use stream:use(function() ... end)" })
    gpu.raises("LogicError", "use cuda.mem_get_info()", read(cuda, "mem_info"))
    gpu.raises("LogicError", "use a:trapezoid { dx = 1 }", read(gpuarray, "trapz"))
    gpu.raises("LogicError", "use a:convolve(v), or products of cuda.fft.rfft", read(gpuarray, "fftconvolve"))
    gpu.raises("LogicError", "no overlapping windows", read(gpuarray, "sliding_window_view"))
    for _, t in ipairs { gpuarray, cuda, ndarray } do
      gpu.raises("LogicError", "printing has no options", read(t, "set_printoptions"))
    end
  end)

  it("are spelled in other_names.lua as they are here", function()
    local method = gpuarray.Array
    local properties = require("cudalua.gpuarray.core.object").properties
    local checked = 0
    local function counted(exists, key, name)
      assert(exists, ("%s: %s does not exist"):format(key, name))
      checked = checked + 1
    end
    local function check(key, text)
      for mark, name in text:gmatch "%f[%w]a([:.])([%a_][%w_]*)" do
        counted(mark == ":" and method[name] or properties[name], key, "a" .. mark .. name)
      end
      for path in text:gmatch "cuda%.([%a_][%w_.]*)" do counted(cuda.has(path), key, "cuda." .. path) end
      for name in text:gmatch "%f[%w.]gpuarray%.([%a_][%w_]*)" do
        counted(names.get(gpuarray, name), key, "gpuarray." .. name)
      end
    end
    for _, list in ipairs { other_names.arrays, other_names.random, other_names.cuda, other_names.sparse,
      other_names.absent } do
      for key, text in pairs(list) do check(key, text) end
    end
    for _, list in pairs(other_names.objects) do
      for key, text in pairs(list) do check(key, text) end
    end
    local divided = cuda.distributed.arange(3)
    for key, text in pairs(other_names.objects["a distributed array"]) do
      for name in text:gmatch "x[:.]([%a_][%w_]*)" do
        counted(pcall(function() return divided[name] end), key, "x." .. name)
      end
    end
    assert.is_true(checked > 250, checked)
  end)

  it("are in other_names.lua only as long as nothing has them", function()
    for _, list in ipairs { other_names.arrays, other_names.absent } do
      for key in pairs(list) do
        assert(not gpuarray.Array[key] and not names.get(gpuarray, key), "gpuarray has " .. key)
      end
    end
    for key in pairs(other_names.sparse) do
      assert(not cuda.has("sparse." .. key) and not cuda.has("linalg." .. key), "a module has " .. key)
    end
    for key in pairs(other_names.random) do assert(not names.get(cuda.random, key), "random has " .. key) end
    for key in pairs(other_names.cuda) do assert(not cuda.has(key), "cuda has " .. key) end
    assert.is_nil(names.get(gpuarray, "multiply"))
  end)

  it("cannot be set on an array", function()
    for _, x in ipairs { a, h } do
      gpu.raises("LogicError", "cannot set 'label' of an array", function() x.label = 1 end)
      gpu.raises("LogicError", "cannot set 'shape' of an array", function() x.shape = { 6 } end)
    end
  end)
end)

describe("Names that nobody means", function()
  setup(gpu.context)

  it("are nil: those with a leading underscore", function()
    for name, module in pairs(modules) do
      assert.is_nil(module._NAME, name)
      assert.is_nil(module.__index, name)
    end
    assert.is_nil(cuda.limit.__name)
  end)

  it("are nil in modules: keys that are no strings", function()
    for name, module in pairs(modules) do
      for _, key in ipairs { 1, 0, true, print, {}, io.stdout } do assert.is_nil(module[key], name) end
    end
    assert.is_nil(gpuarray.ones(3)[true])
    assert.is_nil(cuda.Stream()[1])
  end)

  it("leave arrays to be indexed as they are", function()
    local a = gpuarray.arange(3)
    assert.equal(2, a[3])
    assert.equal(2, a[-1])
    assert.equal(1, a[2LL])
    gpu.raises("LogicError", "index 0 of axis 1 is out of range; the axis has 3 elements; indices start at 1",
      read(a, 0))
  end)

  it("are optional fields: the notice hook, what a compilation may leave, the fields of a struct", function()
    local hook = cuda.on_notice
    cuda.on_notice = nil
    assert.is_nil(cuda.on_notice)
    require "cudalua.base.notice" "nobody hears it"
    cuda.on_notice = hook
    gpu.raises("LogicError", "on_notice: expected the text of a notice, got a function; write cuda.on_notice = f",
      hook, print)
    local mod = cuda.SourceModule "__global__ void k(int *a) { *a = 1; }"
    assert.is_nil(mod.log)
    assert.is_nil(mod.timing)
    assert.is_nil(mod.keep_dir)
    assert.is_nil(cuda.DynamicModule().link_log)
    assert.is_nil(cuda.dtype.float32.fields)
    assert.equal(4, #cuda.vec.float4.fields)
  end)

  it("are asked for by printers and comparisons, which go through", function()
    local deepcompare = require("luassert.util").deepcompare
    local function walk(x, seen) -- as table printers do
      if type(x) ~= "table" or seen[x] then return 0 end
      seen[x] = true
      local n = 0
      for k, v in pairs(x) do n = n + 1 + walk(k, seen) + walk(v, seen) end
      return n + #tostring(x) + (x.__jsontype and 1 or 0)
    end
    for _, module in pairs(modules) do assert.is_true(walk(module, {}) > 0) end
    for _, x in pairs(objects()) do walk(x, {}) end
    assert.is_false((deepcompare({ 1, 2, 3 }, gpuarray.ones(3))))
    assert.is_false((deepcompare(gpuarray.ones(3), gpuarray.ones(3))))
    assert.is_false((deepcompare(gpuarray.ones(3), ndarray.ones(3))))
    assert.is_true((deepcompare({ 2, 3 }, gpuarray.ones({ 2, 3 }).shape)))
    assert.is_true((deepcompare(gpuarray.ones({ 2, 3 }).shape, ndarray.ones({ 2, 3 }).shape)))
  end)
end)

describe("Asking for names", function()
  setup(gpu.context)

  it("cuda.has finds every name that is promised", function()
    local n = 0
    for _, row in ipairs(require("tools.check_contract").rows(dofile "docs/contract.lua")) do
      local path = row.name:match "^cuda%.(.*)$"
      if not path and names.has(cuda, row.prefix) then path = row.name end
      if path and not row.later then
        n = n + 1
        assert(cuda.has(path), row.name)
      end
    end
    assert.is_true(n > 800, n)
  end)

  it("cuda.has says no without an error", function()
    for _, name in ipairs { "frobnicate", "gpuarray.frobnicate", "Stream:frobnicate", "gpuarray.sort.x", "VERSION.x.y",
      "limit.STAK_SIZE", "Device.name.x", "_frobnicate" } do
      assert.is_false(cuda.has(name), name)
    end
    assert.is_true(cuda.has "limit.STACK_SIZE")
    assert.is_true(cuda.has "Device:name")
    for _, value in ipairs(gpu.nonsense) do gpu.raises("LogicError", "has: expected a name", cuda.has, value) end
    gpu.raises("LogicError", "has: expected a name, got nil", cuda.has)
  end)

  it("gpuarray.is tells arrays of the device from all else", function()
    local a = gpuarray.ones(3)
    assert.is_true(gpuarray.is(a))
    assert.is_true(gpuarray.is(a + 1))
    assert.is_true(gpuarray.is(a[{ { 1, 2 } }]))
    for _, x in ipairs { ndarray.ones(3), {}, 5, "a", cuda.mem_alloc(4), gpuarray, cuda.dtype.int8 } do
      assert.is_false(gpuarray.is(x))
    end
    assert.is_false(gpuarray.is(nil))
  end)

  it("costs nothing where the name is there: suggestions are loaded by the first error", function()
    local out, ok = gpu.child([[
      local cuda = require "cudalua"
      require "cudalua.autoinit"
      local a = cuda.gpuarray.ones(3)
      assert(cuda.has "gpuarray.sort" and not cuda.has "nothing" and a.shape[1] == 3 and a._x == nil)
      local stream = cuda.Stream()
      stream:synchronize()
      assert(not package.loaded["cudalua.base.suggest"] and not package.loaded["cudalua.base.other_names"])
      assert(not pcall(function() return a.shpae end) and package.loaded["cudalua.base.suggest"])
      print "fine"
    ]], gpu.driver)
    assert.equal("fine\n", out)
    assert.is_true(ok)
  end)

  it("needs no array library for the error of a host array", function()
    local out, ok = gpu.child([[
      local ndarray = require "cudalua.ndarray"
      print(select(2, pcall(function() return ndarray.zeros(3).shpae end)).message)
      print(select(2, pcall(function() return ndarray.zeros(3).sum end)).message)
      require "cudalua"
      print(select(2, pcall(function() return ndarray.zeros(3).sum end)).message)
    ]], gpu.driver)
    assert.equal("a host array has no field 'shpae'; did you mean 'shape'?\n" ..
      "a host array has no field 'sum'\n" ..
      "a host array has no field 'sum'; computing is for arrays on the device: gpuarray.to_gpu(a)\n", out)
    assert.is_true(ok)
  end)
end)

describe("A shape", function()
  local a, h
  setup(gpu.context)
  before_each(function() a, h = gpuarray.ones { 2, 3 }, ndarray.ones { 2, 3 } end)

  it("prints its numbers, and strides theirs", function()
    for _, x in ipairs { a, a + 1, h } do
      assert.equal("(2, 3)", tostring(x.shape))
      assert.equal("(12, 4)", tostring(x.strides))
      assert.equal("of (2, 3) there are", "of " .. x.shape .. " there are")
    end
    assert.equal("(3,)", tostring(gpuarray.ones(3).shape))
    assert.equal("()", tostring(gpuarray.scalar(1).shape))
  end)

  it("equals a shape of the same numbers", function()
    assert.is_true(a.shape == h.shape)
    assert.is_true(a.shape == gpuarray.zeros({ 2, 3 }).shape)
    assert.is_false(a.shape == a.T.shape)
    assert.is_false(a.shape == gpuarray.ones(2).shape)
    assert.is_false(a.shape == a.strides)
  end)

  it("is a plain list in all else", function()
    local shape = a.shape
    assert.same({ 2, 3 }, shape)
    assert.equal(2, #shape)
    assert.same({ 2, 3 }, { unpack(shape) })
    local seen = {}
    for i, extent in ipairs(shape) do seen[i] = extent end
    assert.same({ 2, 3 }, seen)
    assert.equal("2 x 3", table.concat(shape, " x "))
    assert.is_nil(shape[0])
    assert.is_nil(shape[3])
    assert.is_nil(shape.x)
    local c = require("ffi").new("int[2]", shape)
    assert.same({ 2, 3 }, { c[0], c[1] })
    shape[3] = 4
    table.insert(shape, 1, 5)
    assert.equal("(5, 2, 3, 4)", tostring(shape))
    assert.equal("(2, 3)", tostring(a.shape)) -- each is a fresh one
    for _, make in ipairs { gpuarray.zeros, ndarray.zeros, cuda.pagelocked_zeros, cuda.random.rand } do
      assert.equal("(2, 3)", tostring(make(a.shape).shape))
    end
    assert.equal("(3, 2)", tostring(gpuarray.arange(6):reshape(a.T.shape).shape))
    assert.same({ 2, 3 }, gpuarray.to_gpu(a.shape):tolist())
    assert.equal("(4, 2, 3)", tostring(a:broadcast_to({ 4, unpack(a.shape) }).shape))
  end)
end)
