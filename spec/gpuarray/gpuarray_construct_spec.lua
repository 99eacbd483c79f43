-- Arrays made from shapes, ranges, other arrays, host data, functions, files and memory that is there; copies in the
-- order of streams; text. Ranges have NumPy's bits (written by spec/data/golden/make_gpuarray.py).
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = require "cudalua.gpuarray"
local dtype = require "cudalua.dtype"
local ndarray = require "cudalua.ndarray"

local soft = gpu.soft and require "cudalua.softgpu"

local function same(expected, a) return assert.same(expected, a:tolist()) end

local function hex(a)
  local p, n = a:buffer()
  return (ffi.string(p, n):gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

-- Bytes that calls of the driver copied to the host since the log was cleared.
local function copied_to_host(f)
  soft.log "on"
  soft.log "clear"
  f()
  local bytes = 0
  for _, call in ipairs(soft.calls()) do
    if call.symbol:find "^cuMemcpyDtoH" then
      bytes = bytes + tonumber(call.text:match "(%d+)%D*$")
    end
  end
  soft.log "off"
  return bytes
end

describe("Fresh arrays:", function()
  setup(gpu.context)

  it("gpuarray.empty, gpuarray.zeros, gpuarray.ones, gpuarray.full of every dtype", function()
    for _, t in ipairs(dtype.list) do
      for _, shape in ipairs { {}, { 5 }, { 0 }, { 3, 4 }, { 2, 0, 3 }, { 300 } } do
        local e, z, o, f = gpuarray.empty(shape, t), gpuarray.zeros(shape, t), gpuarray.ones(shape, t.name),
          gpuarray.full(shape, 1, t)
        for _, a in ipairs { e, z, o, f } do
          assert.same(shape, a.shape)
          assert.equal(t, a.dtype)
          assert.equal(ndarray.empty(shape, t).nbytes, a.nbytes)
        end
        assert.is_true(ndarray.equal(ndarray.zeros(shape, t), z:get()))
        assert.is_true(ndarray.equal(ndarray.ones(shape, t), o:get()))
        assert.is_true(ndarray.equal(o:get(), f:get()))
      end
    end
    for _, value in ipairs { 1.25, -0.0, 1e-3, 3e38, 0 / 0, 1 / 0 } do
      for _, t in ipairs { "float16", "bfloat16", "float32", "float64", "complex64", "complex128" } do
        assert.equal(hex(ndarray.full(7, value, t)), hex(gpuarray.full(7, value, t):get()))
      end
    end
    for _, row in ipairs { { "int8", -7 }, { "int16", -30001 }, { "int32", -123456789 }, { "int64", 123456789012LL },
      { "uint64", 2 ^ 53 }, { "uint16", 0x1212 } } do
      assert.equal(hex(ndarray.full(9, row[2], row[1])), hex(gpuarray.full(9, row[2], row[1]):get()))
    end
  end)

  it("gpuarray.full has the value's type, or repeats an array", function()
    assert.equal(dtype.float32, gpuarray.full(2, 1).dtype)
    assert.equal(dtype.bool, gpuarray.full(2, true).dtype)
    assert.equal(dtype.int64, gpuarray.full(2, 1LL).dtype)
    assert.equal(dtype.complex128, gpuarray.full(2, ffi.new("complex", 1, 2)).dtype)
    same({ { 1, 2 }, { 1, 2 } }, gpuarray.full({ 2, 2 }, gpuarray.to_gpu { 1, 2 }))
    gpu.raises("LogicError", "gpuarray.full: 300 is out of the range of uint8", gpuarray.full, 2, 300, "uint8")
    gpu.raises("LogicError", "expected a number", gpuarray.full, 2, "x")
    for _, t in ipairs { false, "float32" } do
      gpu.raises("LogicError", "the shape comes first: full({2, 3}, 7)", gpuarray.full, 7, { 2, 3 }, t or nil)
    end
  end)

  it("gpuarray.is_array, gpuarray.Array, gpuarray.newaxis, gpuarray.Array:len, gpuarray.Array:tolist and "
    .. "gpuarray.Array:fill", function()
    local a = gpuarray.zeros { 2, 3 }
    assert.is_true(gpuarray.is_array(a))
    for _, x in ipairs { 5, {}, ndarray.zeros(2), "x", gpuarray, false } do assert.is_false(gpuarray.is_array(x)) end
    assert.equal(gpuarray.Array.fill, a.fill)
    assert.same({ 1, 2, 3 }, a[{ gpuarray.newaxis }].shape)
    assert.equal(2, a:len())
    assert.equal(a, a:fill(7))
    assert.same({ { 7, 7, 7 }, { 7, 7, 7 } }, a:tolist())
    a[{ {}, 2 }]:fill(-1)
    assert.same({ { 7, -1, 7 }, { 7, -1, 7 } }, a:tolist())
    gpu.raises("LogicError", "a 0-d array has no length", a.len, gpuarray.scalar(1))
    gpu.raises("LogicError", "is out of the range", a.fill, a:astype "uint8", -1)
    gpu.refuses_nonsense(function(v) a:fill(v) end, { number = true, boolean = true })
  end)

  it("gpuarray.zeros in either order, and what is no shape", function()
    assert.same({ 4, 12 }, gpuarray.zeros({ 3, 2 }, nil, { order = "F" }).strides)
    assert.same({ 8, 4 }, gpuarray.zeros({ 3, 2 }, nil, { order = "C" }).strides)
    for _, name in ipairs { "empty", "zeros", "ones" } do
      gpu.raises("LogicError", "order must be 'C' or 'F'", gpuarray[name], 2, nil, { order = "K" })
      gpu.raises("LogicError", "unknown option", gpuarray[name], 2, nil, { oder = "C" })
      gpu.raises("LogicError", "shape[1] must be a non-negative integer, got -1", gpuarray[name], -1)
      gpu.raises("LogicError", "too many elements", gpuarray[name], { 2 ^ 30, 2 ^ 30 })
      gpu.raises("LogicError", "unknown dtype 'float31'", gpuarray[name], 2, "float31")
      gpu.error_of("MemoryError", gpuarray[name], 2 ^ 45, "int8")
    end
  end)

  it("gpuarray.scalar has a type that counts", function()
    local a = gpuarray.to_gpu({ 1, 2 }, "int8")
    assert.equal(dtype.int8, (a + 1).dtype)
    assert.equal(dtype.int32, (a + gpuarray.scalar(1, "int32")).dtype)
    assert.equal(dtype.float64, (a * gpuarray.scalar(2, "float64")).dtype)
    assert.same({}, gpuarray.scalar(2).shape)
    assert.equal(2, gpuarray.scalar(2):item())
    gpu.raises("LogicError", "is not an integer", gpuarray.scalar, 1.5, "int8")
  end)

  it("gpuarray.empty_like, gpuarray.zeros_like, gpuarray.ones_like, gpuarray.full_like keep the layout", function()
    local a = gpuarray.arange(24, "int16"):reshape(2, 3, 4):transpose(3, 1, 2)
    local rows = { empty_like = { gpuarray.empty_like }, zeros_like = { gpuarray.zeros_like, 0 },
      ones_like = { gpuarray.ones_like, 1 },
      full_like = { function(x, ...) return gpuarray.full_like(x, 5, ...) end, 5 } }
    for _, row in pairs(rows) do
      local f, value = row[1], row[2]
      local x = f(a)
      assert.same({ 4, 2, 3 }, x.shape)
      assert.equal(dtype.int16, x.dtype)
      assert.same({ 2, 24, 8 }, x.strides)
      assert.same({ 4, 48, 16 }, f(a, "float32").strides)
      assert.same({ 12, 6, 2 }, f(a, nil, { order = "C" }).strides)
      assert.same({ 2, 8, 16 }, f(a, nil, { order = "F" }).strides)
      assert.same({ 12, 6, 2 }, f(a, nil, { order = "A" }).strides)
      assert.same({ 2, 4 }, f(gpuarray.empty({ 2, 3 }, "int16", { order = "F" }), nil, { order = "A" }).strides)
      assert.same({ 5, 6 }, f(a, nil, { shape = { 5, 6 } }).shape)
      assert.same({ 2, 16, 8 }, f(a, nil, { shape = { 4, 1, 2 } }).strides)
      if value then
        local values = x:get():reshape(-1)
        for i = 1, 24 do assert.equal(value, values[i]) end
      end
      local host = f(ndarray.zeros({ 2, 3 }, "float64"))
      assert.same({ 2, 3 }, host.shape)
      assert.equal(dtype.float64, host.dtype)
      gpu.raises("LogicError", "expected an array, got 5", f, 5)
      gpu.raises("LogicError", "order must be", f, a, nil, { order = "Q" })
      gpu.raises("LogicError", "order must be", f, a, nil, { order = {} })
    end
    gpu.raises("LogicError", "is not an integer", gpuarray.full_like, a, 1.5)
  end)

  it("gpuarray.empty and others take memory from an allocator", function()
    local pool, bytes = cuda.DeviceMemoryPool(), {}
    local function allocator(n)
      bytes[#bytes + 1] = n
      return pool:allocate(n)
    end
    local o = { allocator = allocator }
    same({ 0, 0, 0 }, gpuarray.zeros(3, nil, o))
    same({ 1, 1 }, gpuarray.ones(2, "int8", o))
    same({ 7, 7 }, gpuarray.full(2, 7, nil, o))
    same({ 0, 1, 2 }, gpuarray.arange(3, nil, nil, "int16", o))
    same({ 0, 0.5, 1 }, gpuarray.linspace(0, 1, 3, nil, o))
    same({ { 1, 0 }, { 0, 1 } }, gpuarray.eye(2, "int8", o))
    same({ 1, 2 }, gpuarray.to_gpu({ 1, 2 }, nil, o))
    same({ 1, 1 }, gpuarray.ones_like(gpuarray.empty(2), nil, o))
    assert.equal(8, gpuarray.empty(2, nil, o).nbytes)
    assert.same({ 12, 2, 8, 6, 12, 4, 8, 8, 8 }, bytes)
    gpuarray.empty(0, nil, o)
    assert.equal(9, #bytes)

    local managed = gpuarray.to_gpu({ 1, 2, 3 }, nil, { allocator = function(n)
      return cuda.managed_empty(n, "uint8").base
    end })
    local pending = managed + 1
    local before = managed._store.buf
    managed:fill(9) -- stays where it is, and computes who reads it
    assert.equal(before, managed._store.buf)
    same({ 2, 3, 4 }, pending)
    same({ 9, 9, 9 }, managed)

    local mem = cuda.mem_alloc(64)
    gpu.raises("LogicError", "the allocator returned 64 bytes instead of the requested 80", gpuarray.empty, 20, nil,
      { allocator = function() return mem end })
    gpu.raises("LogicError", "not aligned to the 8 bytes of float64", gpuarray.empty, 1, "float64",
      { allocator = function() return mem + 4 end })
    gpu.raises("LogicError", "the allocator returned nil, not device memory", gpuarray.empty, 1, nil,
      { allocator = function() end })
    gpu.raises("LogicError", "expected a function of a number of bytes, got", gpuarray.empty, 1, nil, { allocator = 5 })
    local ok, err = pcall(gpuarray.empty, 1, nil, { allocator = function() error("mine", 0) end })
    assert.same({ false, "mine" }, { ok, err })
  end)
end)

describe("Ranges:", function()
  setup(gpu.context)

  it("gpuarray.arange, gpuarray.linspace have NumPy's bits; ndarray.arange, ndarray.linspace, too", function()
    for _, row in ipairs(dofile "spec/data/golden/ranges.lua") do
      local a = assert(loadstring("return (...)." .. row[1]))(gpuarray):get()
      if hex(a) ~= row[2] then
        error(("%s: expected %s, got %s = %s"):format(row[1], row[2], hex(a), tostring(a)))
      end
      local b = assert(loadstring("return (...)." .. row[1]))(ndarray)
      if hex(b) ~= row[2] then error(("ndarray.%s: expected %s, got %s"):format(row[1], row[2], hex(b))) end
    end
    assert.equal("0000", hex(gpuarray.arange(1, "int16"):get()))
  end)

  -- Written out; NumPy has the same of these integers.
  it("gpuarray.arange and ndarray.arange take 64-bit integers beyond 2^53", function()
    local big, least, most = 1152921504606846976LL, -9223372036854775807LL - 1, 18446744073709551615ULL
    for _, m in ipairs { gpuarray, ndarray } do
      local function is(expected, t, ...)
        local a = m.arange(...)
        assert.equal(t, a.dtype.name)
        local texts = {}
        for i = 1, a.size do texts[i] = tostring(a[i]):gsub("U?LL$", "") end
        assert.equal(expected, table.concat(texts, " "))
      end
      is("1152921504606846976 1152921504606846977 1152921504606846978", "int64", big, big + 3)
      is("1152921504606846978 1152921504606846976", "int64", big + 2, big - 1, -2)
      is("0", "int64", 0, 1, 9007199254740994LL)
      is("18446744073709551615 18446744073709551613", "uint64", most, most - 3, -2)
      is("0 18446744073709551614", "uint64", 0, most, most - 1)
      is("-9223372036854775808 -1 9223372036854775806", "int64", least, 9223372036854775807LL, 9223372036854775807LL)
      is("1152921504606846976 1152921504606846977", "uint64", big, big + 2, 1, "uint64")
      is("0 1 2", "int64", 3LL)
      assert.same({ 2 ^ 60, 2 ^ 60 }, m.arange(big, big + 2, 1, "float64"):tolist())
      gpu.raises("LogicError", "[1]: 1152921504606846976 is out of the range of int32", m.arange, big, big + 2, 1,
        "int32")
      gpu.raises("LogicError", "too many elements", m.arange, 0, big)
      gpu.raises("LogicError", "the step cannot be 0", m.arange, 0, big, 0)
      gpu.raises("LogicError", "-1 and 18446744073709551615 have no common integer type", m.arange, -1, most, big)
    end
  end)

  it("gpuarray.arange excludes its end, gives int64 for whole numbers, and many elements", function()
    same({ 0, 1, 2 }, gpuarray.arange(3))
    same({ 2, 3, 4 }, gpuarray.arange(2, 5))
    same({ 5, 3, 1 }, gpuarray.arange(5, 0, -2))
    same({ 0, 0.5, 1, 1.5 }, gpuarray.arange(0, 2, 0.5))
    same({}, gpuarray.arange(5, 2))
    assert.equal(dtype.int64, gpuarray.arange(3).dtype)
    assert.equal(dtype.float32, gpuarray.arange(3.5).dtype)
    assert.equal(dtype.int8, gpuarray.arange(3, "int8").dtype)
    assert.equal(dtype.uint16, gpuarray.arange(0, 3, nil, "uint16").dtype)
    local n = 5003
    for _, t in ipairs { "int64", "float32", "uint16" } do
      assert.is_true(ndarray.equal(ndarray.arange(n, t), gpuarray.arange(n, t):get()))
    end
    gpu.raises("LogicError", "gpuarray.arange: the step cannot be 0", gpuarray.arange, 1, 2, 0)
    gpu.raises("LogicError", "finite numbers, got NaN", gpuarray.arange, 0 / 0)
    gpu.raises("LogicError", "[300]: 299 is out of the range of uint8", gpuarray.arange, 300, "uint8")
    gpu.raises("LogicError", "[1]: -1 is out of the range of uint8", gpuarray.arange, -1, 3, nil, "uint8")
    gpu.raises("LogicError", "[2]: 0.5 is not an integer", gpuarray.arange, 0, 1, 0.5, "int8")
    gpu.raises("LogicError", "expected true or false, got 2", gpuarray.arange, 3, "bool")
    gpu.raises("LogicError", "start must be a number, got a string", gpuarray.arange, "x")
    gpu.raises("LogicError", "too many elements", gpuarray.arange, 1e300)
  end)

  it("gpuarray.linspace ends exactly at its end", function()
    for _, t in ipairs { "float32", "float64" } do
      local a = gpuarray.linspace(0.1, 0.7, 1234, t):get()
      assert.equal(ndarray.full(1, 0.1, t)[1], a[1])
      assert.equal(ndarray.full(1, 0.7, t)[1], a[-1])
    end
    same({ 2 }, gpuarray.linspace(2, 5, 1))
    same({}, gpuarray.linspace(2, 5, 0))
    assert.same({ 50 }, gpuarray.linspace(0, 1).shape)
    gpu.raises("LogicError", "num must be a non-negative integer, got 1.5", gpuarray.linspace, 0, 1, 1.5)
    gpu.raises("LogicError", "[5]: 1000 is out of the range of int8", gpuarray.linspace, 0, 1000, 5, "int8")
    gpu.raises("LogicError", "endpoint must be true or false", gpuarray.linspace, 0, 1, 5, nil, { endpoint = 1 })
    gpu.raises("LogicError", "stop must be a number", gpuarray.linspace, 0)
  end)

  it("gpuarray.logspace", function()
    local a = gpuarray.logspace(0, 3, 4, "float64")
    assert.is_true(ndarray.allclose(a:get(), { 1, 10, 100, 1000 }, { rtol = 1e-14 }))
    assert.is_true(ndarray.allclose(gpuarray.logspace(-1, 2, 4, nil, { base = 2 }):get(), { 0.5, 1, 2, 4 }))
    same({ 1, 10 }, gpuarray.logspace(0, 2, 2, "int32", { endpoint = false }))
    gpu.raises("LogicError", "base must be a number", gpuarray.logspace, 0, 1, 5, nil, { base = "x" })
  end)

  it("gpuarray.eye, gpuarray.identity, gpuarray.tri, gpuarray.tril, gpuarray.triu, gpuarray.diag, gpuarray.meshgrid",
    function()
      same({ { 0, 1, 0 }, { 0, 0, 1 } }, gpuarray.eye(2, 3, 1, "int8"))
      same({ { 1, 0 }, { 0, 1 } }, gpuarray.identity(2))
      assert.same({ 4, 12 }, gpuarray.eye(3, nil, nil, nil, { order = "F" }).strides)
      same({ { true, false }, { true, true } }, gpuarray.tri(2, "bool"))
      local a = gpuarray.arange(1, 9):reshape(2, 2, 2)
      same({ { { 1, 0 }, { 3, 4 } }, { { 5, 0 }, { 7, 8 } } }, gpuarray.tril(a))
      same({ { { 0, 2 }, { 0, 0 } }, { { 0, 6 }, { 0, 0 } } }, gpuarray.triu(a, 1))
      assert.equal(dtype.int64, gpuarray.tril(a).dtype)
      assert.equal(dtype.bool, gpuarray.triu(gpuarray.ones({ 2, 2 }, "bool")).dtype)
      same({ { 0, 1, 0 }, { 0, 0, 2 }, { 0, 0, 0 } }, gpuarray.diag({ 1, 2 }, 1))
      local d = gpuarray.diag(a[1])
      d:fill(0)
      same({ { 0, 2 }, { 3, 0 } }, a[1])
      local x, y = gpuarray.meshgrid({ 1, 2, 3 }, { 4, 5 })
      same({ { 1, 2, 3 }, { 1, 2, 3 } }, x)
      same({ { 4, 4, 4 }, { 5, 5, 5 } }, y)
      x:fill(0)
      local v = gpuarray.meshgrid({ 1, 2 }, { 4, 5 }, { copy = false })
      gpu.raises("LogicError", "repeated elements and", v.fill, v, 0)
      gpu.raises("LogicError", "indexing must be 'xy' or 'ij'", gpuarray.meshgrid, { 1 }, { indexing = "yx" })
      gpu.raises("LogicError", "array 2 has 2 axes, not one", gpuarray.meshgrid, { 1 }, { { 1 } })
      gpu.raises("LogicError", "a 0-d array has no triangles", gpuarray.tril, 5)
      gpu.raises("LogicError", "expected an array of one or two axes", gpuarray.diag, a)
      gpu.raises("LogicError", "k must be an integer, got 0.5", gpuarray.triu, a, 0.5)
      gpu.raises("LogicError", "shape[1] must be a non-negative integer", gpuarray.eye, -1)
    end)
end)

describe("Host data:", function()
  setup(gpu.context)

  it("gpuarray.to_gpu takes tables, host arrays, FFI data, strings, functions and arrays", function()
    same({ { 1, 2 }, { 3, 4 } }, gpuarray.to_gpu { { 1, 2 }, { 3, 4 } })
    local host = ndarray.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "int16")
    local t = gpuarray.to_gpu(host.T)
    assert.same({ 2, 6 }, t.strides)
    assert.same({ 4, 2 }, gpuarray.to_gpu(host.T, nil, { order = "C" }).strides)
    assert.same({ 2, 4 }, gpuarray.to_gpu(host, nil, { order = "F" }).strides)
    same({ { 1, 2, 3 }, { 4, 5, 6 } }, gpuarray.to_gpu(host, "float64", { order = "F" }))
    same({ { 3, 1 }, { 6, 4 } }, gpuarray.to_gpu(host:slice({}, { 3, 1, -2 })))

    local m = ffi.new("int[2][3]", { { 1, 2, 3 }, { 4, 5, 6 } })
    local a = gpuarray.to_gpu(m)
    assert.equal(dtype.int32, a.dtype)
    same({ { 1, 2, 3 }, { 4, 5, 6 } }, a)
    same({ { 1, 2, 3 }, { 4, 5, 6 } }, gpuarray.to_gpu(m, "float32"))
    same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, gpuarray.to_gpu(m, nil, { shape = { 3, 2 } }))
    same({ 1, 2 }, gpuarray.to_gpu(ffi.cast("const int *", m), nil, { shape = 2 }))
    same({ 0.5, 1.5 }, gpuarray.to_gpu(ffi.new("double[2]", 0.5, 1.5)))
    same({ 1, 2, 3 }, gpuarray.to_gpu(ffi.new("const int[3]", 1, 2, 3)))
    same({ 1, 2, 3 }, gpuarray.to_gpu(ffi.new("const int[3]", 1, 2, 3), "int8"))
    same({ 1, 2 }, gpuarray.to_gpu({ ptr = ffi.cast("int *", m), nbytes = 8 }, "int32"))
    same({ 0x61, 0x62, 0x63 }, gpuarray.to_gpu("abc", "uint8"))
    same({ 0x6261, 0x6463 }, gpuarray.to_gpu("abcd", "uint16"))
    same({ { 1, 2 }, { 2, 4 } }, gpuarray.to_gpu(function(i, j) return i * j end, nil, { shape = { 2, 2 } }))
    same(5, gpuarray.to_gpu(5))
    same(true, gpuarray.to_gpu(true))
    same(7, gpuarray.to_gpu(7LL))

    local copy = gpuarray.to_gpu(t, "float32")
    t:fill(0)
    same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, copy)
    assert.same({ 4, 12 }, copy.strides)

    gpu.raises("LogicError", "a function needs a shape", gpuarray.to_gpu, function() end)
    gpu.raises("LogicError", "only buffers and functions take a shape", gpuarray.to_gpu, { 1 }, nil, { shape = 1 })
    gpu.raises("LogicError", "pass a dtype", gpuarray.to_gpu, "abc")
    gpu.raises("LogicError", "not a multiple of the size of uint16", gpuarray.to_gpu, "abc", "uint16")
    gpu.raises("LogicError", "[2] has 1 elements, but others have 2", gpuarray.to_gpu, { { 1, 2 }, { 3 } })
    gpu.refuses_nonsense(gpuarray.to_gpu, { number = true, boolean = true, table = true, cdata = true })
  end)

  it("gpuarray.from_function", function()
    same({ { 11, 12 }, { 21, 22 } }, gpuarray.from_function({ 2, 2 }, function(i, j) return 10 * i + j end, "int32"))
    assert.same({ 4, 8 }, gpuarray.from_function({ 2, 2 }, function() return 1 end, nil, { order = "F" }).strides)
    gpu.raises("LogicError", "[1]: 300 is out of the range", gpuarray.from_function, 1, function() return 300 end,
      "int8")
  end)

  it("gpuarray.Array:get of a 0-d array is its value, {array = true} a host array", function()
    assert.equal(5, gpuarray.scalar(5):get())
    assert.equal(3, gpuarray.arange(3):sum():get())
    assert.equal(2.5, gpuarray.scalar(2.5, "float16"):get())
    assert.is_true(gpuarray.scalar(true):get())
    assert.equal(9007199254740993LL, gpuarray.scalar(9007199254740993LL, "int64"):get())
    assert.equal(18446744073709551615ULL, gpuarray.scalar(18446744073709551615ULL, "uint64"):get())
    local z = gpuarray.scalar(ffi.new("complex", 1, 2), "complex64"):get()
    assert.same({ 1, 2 }, { z.re, z.im })
    assert.equal(7, gpuarray.zeros({}, gpuarray.vec.float2):fill(gpuarray.vec.make_float2(7, 8)):get().x)
    local host = gpuarray.scalar(5, "int16"):get { array = true }
    assert.is_true(ndarray.is_array(host))
    assert.same({ 0, 5, dtype.int16 }, { host.ndim, host:item(), host.dtype })
    local to = ndarray.zeros({}, "int16")
    assert.equal(to, gpuarray.scalar(5, "int16"):get(to))
    assert.equal(to, gpuarray.scalar(6, "int16"):get { to = to })
    assert.equal(6, to:item())
    assert.same({ 5 }, gpuarray.to_gpu({ 5 }):get():tolist()) -- of one axis
    local s = cuda.Stream()
    assert.same({ 0, 1 }, gpuarray.arange(2):get({ stream = s }):tolist())
    gpu.raises("LogicError", "unknown option 'arry'", gpuarray.scalar(1).get, gpuarray.scalar(1), { arry = true })
  end)

  it("gpuarray.Array:get into host arrays of any strides", function()
    local a = gpuarray.arange(6, "float32"):reshape(2, 3)
    for _, order in ipairs { "C", "F" } do
      for _, x in ipairs { a, a:copy "F", a.T:copy("C").T } do
        local to = ndarray.zeros({ 2, 3 }, nil, { order = order })
        assert.equal(to, x:get(to))
        assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, to:tolist())
      end
    end
    local wide = ndarray.zeros({ 2, 7 })
    a:get(wide:slice({}, { 6, 2, -2 }))
    assert.same({ 0, 2, 0, 1, 0, 0, 0 }, wide[1]:tolist())
    gpu.raises("LogicError", "float32(2, 3) cannot be copied to a host array of float32(3, 2)", a.get, a,
      ndarray.zeros { 3, 2 })
    gpu.raises("LogicError", "cannot be copied to a host array of int8(2, 3)", a.get, a,
      ndarray.zeros({ 2, 3 }, "int8"))
    gpu.raises("LogicError", "expected a host array", a.get, a, 5)
  end)

  it("gpuarray.Array:set from every kind of host data; who read before sees the old values", function()
    local a = gpuarray.zeros({ 2, 2 }, "int32")
    local old = a + 0
    a:set { { 1, 2 }, { 3, 4 } }
    same({ { 0, 0 }, { 0, 0 } }, old)
    same({ { 1, 2 }, { 3, 4 } }, a)
    assert.equal(0, gpu.kernels(function()
      a:set(ndarray.array({ { 5, 6 }, { 7, 8 } }, "int32")) -- goes there straight
    end))
    a:set(ffi.new("int[4]", 1, 2, 3, 4))
    same({ { 1, 2 }, { 3, 4 } }, a)
    a:set(ffi.new("int8_t[2][2]", { { 9, 8 }, { 7, 6 } }))
    same({ { 9, 8 }, { 7, 6 } }, a)
    a[1]:set(ndarray.array({ 1, 2 }, "int64"))
    same({ { 1, 2 }, { 7, 6 } }, a)
    a.T:set { { 1, 2 }, { 3, 4 } }
    same({ { 1, 3 }, { 2, 4 } }, a)
    a:set { 5, 6 }
    same({ { 5, 6 }, { 5, 6 } }, a)
    a:set(("\1\0\0\0"):rep(4))
    same({ { 1, 1 }, { 1, 1 } }, a)
    gpu.raises("LogicError", "the shape (2, 2) needs 16 bytes", a.set, a, "abc")
    gpu.raises("LogicError", "cannot be broadcast together", a.set, a, { 1, 2, 3 })
    gpu.raises("LogicError", "is not an integer", a.set, a, { 1.5, 2 })
    same({ { 1, 1 }, { 1, 1 } }, a)
  end)

  it("gpuarray.to_gpu_async, gpuarray.Array:get_async, gpuarray.Array:set_async work in a stream's order", function()
    local stream = cuda.Stream "non_blocking"
    local host = ndarray.arange(1000, "float32", { pinned = true })
    local a = gpuarray.to_gpu_async(host, stream)
    local back = stream:use(function() return (a * 2):get_async(stream) end)
    local other = a:get_async(stream, ndarray.zeros(1000))
    stream:synchronize()
    assert.is_true(ndarray.equal(host, other))
    assert.equal(1998, back[1000])
    assert.is_true(cuda.PagelockedHostAllocation ~= nil and back.base ~= nil)
    host:fill(5)
    assert.equal(a, a:set_async(host, stream))
    stream:synchronize()
    assert.equal(5, a[1000])
    a:set_async(gpuarray.arange(1000), stream)
    assert.equal(7, a[8])
    a:set_async(3, stream)
    assert.equal(3, a[8])
    same({ 1, 2 }, gpuarray.to_gpu_async({ 1, 2 }))
    same({ 1, 2 }, gpuarray.to_gpu_async({ 1, 2 }, stream, { dtype = "int8" }))
    assert.equal(0, gpuarray.empty(0):get_async(stream).size)
    gpu.raises("LogicError", "expected a Stream, got 5", gpuarray.to_gpu_async, { 1 }, 5)
    gpu.raises("LogicError", "expected a Stream, got 5", a.get_async, a, 5)
    gpu.raises("LogicError", "is not contiguous", a.get_async, a, stream,
      ndarray.zeros(2000):slice { 1, 2000, 2 })
    local closed = cuda.Stream()
    closed:close()
    gpu.error_of("LogicError", gpuarray.to_gpu_async, { 1 }, closed)
  end)

  it("gpuarray.full, gpuarray.arange, gpuarray.Array:set_async and gpuarray.Array:get_async can be captured", function()
    local stream = cuda.Stream "non_blocking"
    local from = ndarray.full(10, 3, "float32", { pinned = true })
    local to = ndarray.zeros(10, "float32", { pinned = true })
    local a = stream:use(gpuarray.zeros, 10)
    local graph = stream:capture(function()
      a:set_async(from, stream)
      local b = gpuarray.full(10, 2) * gpuarray.arange(10, "float32") + gpuarray.zeros(10)
      ;(a + b):get_async(stream, to)
    end)
    local exec = graph:instantiate()
    assert.equal(0, to[1])
    for _, value in ipairs { 3, 7 } do
      from:fill(value)
      exec:launch(stream)
      stream:synchronize()
      for i = 1, 10 do assert.equal(value + 2 * (i - 1), to[i]) end
      assert.equal(value, a[1])
    end
  end)

  it("gpuarray.save, gpuarray.load: .npy and .npz files", function()
    local path = os.tmpname()
    local a = gpuarray.arange(6, "int16"):reshape(2, 3)
    for _, x in ipairs { a, a.T, a:flip(), gpuarray.scalar(3), gpuarray.empty { 0, 2 }, a + 1 } do
      gpuarray.save(path, x)
      local y = gpuarray.load(path)
      assert.same(x.shape, y.shape)
      assert.equal(x.dtype, y.dtype)
      assert.is_true(ndarray.equal(x:get(), y:get()))
      assert.is_true(ndarray.equal(x:get(), ndarray.load(path)))
    end
    gpu.raises("LogicError", "a .npy file holds one array; names are for .npz files", gpuarray.load, path, "a")
    ndarray.savez(path, { a = { 1, 2 }, b = ndarray.array(true) })
    local all = gpuarray.load(path)
    same({ 1, 2 }, all.a)
    same(true, all.b)
    same({ 1, 2 }, gpuarray.load(path, "a"))
    gpu.error_of("LogicError", gpuarray.load, path, "c")
    os.remove(path)
    gpu.error_of("RuntimeError", gpuarray.load, path)
    gpu.raises("LogicError", "expected a gpuarray", gpuarray.save, path, { 1 })
  end)
end)

describe("Memory that is there:", function()
  setup(gpu.context)

  it("gpuarray.wrap shows memory, and writes to it", function()
    local mem = cuda.to_device(ffi.new("float[8]", 0, 1, 2, 3, 4, 5, 6, 7))
    local a = gpuarray.wrap(mem, { 2, 4 })
    same({ { 0, 1, 2, 3 }, { 4, 5, 6, 7 } }, a)
    same({ 2, 3 }, gpuarray.wrap(mem, 2, "float32", { offset = 8 }))
    same({ 2, 3 }, gpuarray.wrap(mem + 8, 2, "float32"))
    same({ 7, 5, 3 }, gpuarray.wrap(mem, 3, "float32", { offset = 28, strides = { -8 } }))
    same({ { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 } }, gpuarray.wrap(mem, { 4, 2 }, nil, { strides = { 4, 16 } }))
    same({ { 0, 2 }, { 1, 3 } }, gpuarray.wrap(mem, { 2, 2 }, nil, { order = "F" }))
    assert.equal(mem:ptr(), a.ptr)
    assert.equal(mem:ptr() + 16, a[2].ptr)

    -- Others may write to the memory: nothing waits.
    local pending = a + 1
    cuda.memset_d8(mem, 0, 32)
    same({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, pending)
    same({ { 0, 0, 0, 0 }, { 0, 0, 0, 0 } }, a)
    a:set(gpuarray.arange(4))
    local host = ndarray.empty(8)
    cuda.memcpy_dtoh(host, mem)
    assert.same({ 0, 1, 2, 3, 0, 1, 2, 3 }, host:tolist())
  end)

  it("gpuarray.wrap twice over the same bytes: a write reads what was there before", function()
    local mem = cuda.to_device(ffi.new("int[6]", 1, 2, 3, 4, 5, 6))
    local from, to = gpuarray.wrap(mem, 5, "int32"), gpuarray.wrap(mem + 4, 5, "int32")
    to:set(from)
    same({ 1, 1, 2, 3, 4, 5 }, gpuarray.wrap(mem, 6, "int32"))
    local x = gpuarray.arange(6, "int32")
    local y = gpuarray.wrap(x.ptr + 4, 5, "int32", { base = x })
    y:set(x[{ { 1, 5 } }])
    same({ 0, 0, 1, 2, 3, 4 }, x)
    local all = gpuarray.wrap(mem, 6, "int32")
    all:set(gpuarray.wrap(mem, 6, "int32"):flip() * 10)
    same({ 50, 40, 30, 20, 10, 10 }, all)
  end)

  it("gpuarray.wrap takes every kind of memory", function()
    for _, mem in ipairs { cuda.DeviceMemoryPool():allocate(16), cuda.managed_empty(4, "float32").base,
      cuda.pagelocked_empty(4, "float32", { mem_flags = "devicemap" }), cuda.mem_alloc(16) + 0 } do
      local a = gpuarray.wrap(mem, 4)
      a:fill(2)
      same({ 2, 2, 2, 2 }, a)
    end
    local mem = cuda.mem_alloc(16)
    local a = gpuarray.wrap(mem:ptr(), 4)
    a:set { 1, 2, 3, 4 }
    same({ 1, 2, 3, 4 }, a)
    same({ 2, 4, 6, 8 }, gpuarray.wrap(cuda.pointer(mem:ptr()), 4) * 2)
    assert.same({ 0 }, gpuarray.wrap(0, 0).shape)
  end)

  it("gpuarray.wrap leaves the memory to its owner; what an allocator gave goes with the array", function()
    local mem = cuda.to_device(ffi.new("float[4]", 1, 2, 3, 4))
    local a = gpuarray.wrap(mem, 4)
    a:release()
    gpu.raises("LogicError", "was released", a.get, a)
    gpuarray.scope(function() gpuarray.wrap(mem + 4, 2):fill(7) end)
    same({ 1, 7, 7, 4 }, gpuarray.wrap(mem, 4))
    local own = cuda.mem_alloc(16)
    gpuarray.empty(4, nil, { allocator = function() return own end }):release()
    gpu.error_of("LogicError", own.ptr, own)
    gpuarray.empty(4, nil, { allocator = function() return mem + 0 end }):release()
    assert.is_true(mem:ptr() > 0)
    -- The owner is kept for as long as the array.
    local base = setmetatable({}, { __mode = "k" })
    local function kept() return next(base) ~= nil end
    local held = {}
    gpu.apart(function()
      local owner = {}
      base[owner] = true
      held.w = gpuarray.wrap(mem, 4, nil, { base = owner }):reshape(2, 2)
    end)
    collectgarbage()
    collectgarbage()
    assert.is_true(kept())
    assert.equal(7, held.w:item(3))
    held.w = nil
    collectgarbage()
    collectgarbage()
    assert.is_false(kept())
  end)

  it("gpuarray.wrap checks bounds and alignment", function()
    local mem = cuda.mem_alloc(64)
    gpu.raises("LogicError", "the array spans bytes 0 to 68, but the memory has 64", gpuarray.wrap, mem, 17)
    gpu.raises("LogicError", "the array spans bytes 60 to", gpuarray.wrap, mem, 2, nil, { offset = 60 })
    gpu.raises("LogicError", "the array spans bytes -4 to", gpuarray.wrap, mem, 2, nil, { strides = { -4 } })
    gpu.raises("LogicError", "the memory has 48", gpuarray.wrap, mem + 16, 16)
    gpu.raises("LogicError", "not a multiple of the 8 bytes of float64", gpuarray.wrap, mem + 4, 1, "float64")
    gpu.raises("LogicError", "not a multiple of the 16 bytes of complex128", gpuarray.wrap, mem, 1, "complex128",
      { offset = 8 })
    gpu.raises("LogicError", "strides[1] is 6, which is not a multiple of the 4 bytes of float32", gpuarray.wrap, mem,
      2, nil, { strides = { 6 } })
    gpu.raises("LogicError", "1 strides for 2 axes", gpuarray.wrap, mem, { 2, 2 }, nil, { strides = { 4 } })
    gpu.raises("LogicError", "offset must be a non-negative integer", gpuarray.wrap, mem, 2, nil, { offset = -4 })
    gpu.raises("LogicError", "NULL pointer", gpuarray.wrap, 0, 2)
    gpu.raises("LogicError", "the memory has 64", gpuarray.wrap, mem:ptr(), 17)
    gpu.raises("LogicError", "order must be", gpuarray.wrap, mem, 2, nil, { order = "K" })
    gpu.refuses_nonsense(function(v) return gpuarray.wrap(v, 2) end)
    local w = gpuarray.wrap(mem, { 3, 2 }, nil, { strides = { 4, 4 } })
    gpu.raises("LogicError", "repeated elements and", w.fill, w, 0)
    mem:free()
    gpu.error_of("LogicError", gpuarray.wrap, mem, 2)
    gpu.error_of("LogicError", function() return gpuarray.wrap(mem, 2) + 1 end)
    gpu.error_of("LogicError", w.get, w)
  end)
end)

describe("Text:", function()
  setup(gpu.context)

  it("gpuarray.Array as a string looks like the host array, from the elements that are shown", function()
    local cases = { gpuarray.arange(5), gpuarray.arange(1001), gpuarray.arange(2000, "float64"):reshape(40, 50) / 7,
      gpuarray.arange(3000):reshape(3, 1000), gpuarray.arange(3000):reshape(1000, 3).T,
      gpuarray.arange(2400):reshape(2, 3, 4, 10, 10), gpuarray.arange(1200):reshape(8, 5, 30):flip(),
      gpuarray.zeros({ 0, 5 }), gpuarray.scalar(1.5), gpuarray.full(1200, true),
      gpuarray.linspace(0, 1, 1500, "complex64"), gpuarray.arange(1001):broadcast_to(4, 1001),
      gpuarray.arange(2 ^ 11, "float16"):reshape(4, 8, 8, 8) }
    for _, a in ipairs(cases) do assert.equal(tostring(a:get()), tostring(a)) end
    local a = gpuarray.arange(1e6, "float32"):reshape(1000, 1000)
    assert.equal(tostring(a:get()), "" .. a)
    if soft then
      local bytes = copied_to_host(function() tostring(a) end)
      assert.equal(36 * 4, bytes)
    end
  end)
end)

describe("gpuarray.Array", function()
  setup(gpu.context)

  it("has properties: shape, strides, nbytes, flags, ptr", function()
    local a = gpuarray.arange(24, "int16"):reshape(2, 3, 4)
    local v = a[{ {}, { 2, 3 }, { 4, 1, -2 } }]
    assert.same({ 2, 2, 2 }, v.shape)
    assert.same({ 24, 8, -4 }, v.strides)
    assert.equal(16, v.nbytes)
    assert.same({ c_contiguous = false, f_contiguous = false, forc = false }, v.flags)
    assert.same({ c_contiguous = true, f_contiguous = false, forc = true }, a.flags)
    assert.same({ c_contiguous = false, f_contiguous = true, forc = true }, a.T.flags)
    assert.equal("{ c_contiguous = false, f_contiguous = true, forc = true }", tostring(a.T.flags))
    assert.equal("{ c_contiguous = true, f_contiguous = false }", tostring(a:get().flags))
    assert.equal(a.ptr + 8 + 6, v.ptr)
    assert.equal(2, a:len())
    assert.equal(0, gpuarray.empty(0).ptr)
    local p = gpuarray.arange(4) + 1
    local value = ndarray.empty(4, "int64")
    cuda.memcpy_dtoh(value, cuda.pointer(p.ptr))
    assert.same({ 1, 2, 3, 4 }, value:tolist())
    -- From then on nothing waits to be computed from or for it.
    local later = p * 2
    cuda.memset_d8(cuda.pointer(p.ptr), 0, 32)
    same({ 2, 4, 6, 8 }, later)
    same({ 0, 0, 0, 0 }, p)
  end)
end)
