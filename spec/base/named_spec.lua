-- Parameters that a table names, as NumPy's keyword arguments: stack(list, {axis = 2}).
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray, ndarray, dtype = cuda.gpuarray, cuda.ndarray, cuda.dtype

describe("Arguments by name", function()
  setup(gpu.context)

  local function is(type_name, values, x)
    assert.equal(dtype[type_name], x.dtype)
    assert.same(values, x:tolist())
  end

  it("name the dtype of device arrays", function()
    local o = { dtype = "int8" }
    is("int8", { 0, 0 }, gpuarray.zeros(2, o))
    is("int8", { 1, 1 }, gpuarray.ones(2, o))
    is("int8", { 7, 7 }, gpuarray.full(2, 7, o))
    is("int8", { 0, 1, 2 }, gpuarray.arange(3, o))
    is("int8", { 0, 5, 10 }, gpuarray.linspace(0, 10, 3, o))
    is("int8", { { 1, 0 }, { 0, 1 } }, gpuarray.eye(2, o))
    is("int8", { { 1, 0 }, { 0, 1 } }, gpuarray.identity(2, o))
    is("int8", { 1, 2 }, gpuarray.to_gpu({ 1, 2 }, o))
    is("int8", { 2, 4 }, gpuarray.from_function(2, function(i) return 2 * i end, o))
    is("int8", { 0, 0 }, gpuarray.zeros_like(gpuarray.ones(2), o))
    is("int8", { 3, 3 }, gpuarray.full_like(gpuarray.ones(2), 3, o))
    assert.equal(dtype.int8, gpuarray.empty(2, o).dtype)
    assert.same({ dtype = "int8" }, o)
  end)

  it("name the dtype of host arrays", function()
    local o = { dtype = "int16" }
    is("int16", { 0, 0 }, ndarray.zeros(2, o))
    is("int16", { 1, 1 }, ndarray.ones(2, o))
    is("int16", { 7, 7 }, ndarray.full(2, 7, o))
    is("int16", { 1, 2 }, ndarray.array({ 1, 2 }, o))
    is("int16", { 0, 1 }, ndarray.arange(2, o))
    is("int16", { 0, 5, 10 }, ndarray.linspace(0, 10, 3, o))
    is("int16", { 1, 1 }, ndarray.ones_like(ndarray.zeros(2), o))
    is("int16", { 513 }, ndarray.from_buffer("\1\2", { dtype = "int16" }))
  end)

  it("may stand among options", function()
    local x = gpuarray.zeros({ 2, 3 }, { order = "F", dtype = "int8" })
    assert.same({ 1, 2 }, { unpack(x.strides) })
    assert.equal(dtype.int8, x.dtype)
    assert.is_true(ndarray.zeros({ 2, 3 }, nil, { order = "F", dtype = "int8" }).flags.f_contiguous)
    local s = cuda.Stream()
    is("float64", { 0, 0 }, gpuarray.zeros(2, { dtype = "float64", stream = s }))
  end)

  it("name what ranges and diagonals consist of", function()
    is("int64", { 0, 2, 4 }, gpuarray.arange(5, { step = 2 }))
    is("int8", { 1, 3 }, gpuarray.arange(1, 5, { step = 2, dtype = "int8" }))
    is("float32", { 0, 0.5, 1 }, gpuarray.linspace(0, 1, { num = 3 }))
    is("float32", { { 0, 1 }, { 0, 0 } }, gpuarray.eye(2, { k = 1 }))
    is("int64", { 0, 2, 4 }, ndarray.arange(5, { step = 2 }))
  end)

  it("name an axis", function()
    local a, b = gpuarray.to_gpu({ { 1, 2 } }, "int8"), gpuarray.to_gpu({ { 3, 4 } }, "int8")
    local m = gpuarray.to_gpu({ { 1, 2 }, { 3, 4 } }, "int8")
    local o = { axis = 2 }
    is("int8", { { 1, 2, 3, 4 } }, gpuarray.concatenate({ a, b }, o))
    is("int16", { { 1, 2, 3, 4 } }, gpuarray.concatenate({ a, b }, { axis = 2, dtype = "int16" }))
    is("int8", { { { 1, 2 }, { 3, 4 } } }, gpuarray.stack({ a, b }, o))
    is("int8", { { 1 }, { 3 } }, (m:split(2, o))[1])
    is("int8", { { 1 }, { 3 } }, (m:array_split(2, o))[1])
    is("int8", { 1, 3 }, (m:unstack(o))[1])
    is("int8", { { 1, 1, 2, 2 }, { 3, 3, 4, 4 } }, m:repeat_(2, o))
    is("int8", { { 2, 1 }, { 4, 3 } }, m:roll(1, o))
    is("int8", { { 2, 1 }, { 4, 3 } }, m:flip(o))
    is("int8", { 1, 2 }, a:squeeze { axis = 1 })
    assert.same({ 2, 1, 2 }, { unpack(m:expand_dims(o).shape) })
    local host = ndarray.array { { 1, 2 } }
    assert.same({ 2 }, { unpack(host:squeeze({ axis = 1 }).shape) })
    is("int8", { { 2 }, { 4 } }, gpuarray.take_along_axis(m, gpuarray.full({ 2, 1 }, 2, "int64"), o))
  end)

  it("name the bins of a histogram", function()
    local a = gpuarray.arange(6)
    is("int64", { 2, 2, 2 }, (gpuarray.histogram(a, { bins = 3 })))
    is("int64", { 2, 3 }, (gpuarray.histogram(a, { bins = 2, range = { 0, 4 } })))
    is("float32", { 0, 2, 4 }, gpuarray.histogram_bin_edges(a, { bins = 2, range = { 0, 4 } }):astype "float32")
  end)

  it("name what generators take, and draw the same numbers", function()
    local function rng() return cuda.random.Generator(7) end
    assert.same(rng():exponential({ 3 }, 0.3, "float64"):tolist(),
      rng():exponential({ shape = { 3 }, scale = 0.3, dtype = "float64" }):tolist())
    assert.same(rng():normal({ 3 }, 0, 2):tolist(), rng():normal({ 3 }, { sigma = 2 }):tolist())
    assert.same(rng():integers({ 3 }, 1, 6, "int32"):tolist(),
      rng():integers({ 3 }, 1, 6, { dtype = "int32" }):tolist())
    assert.equal(dtype.float64, rng():uniform(3, { dtype = "float64" }).dtype)
    assert.equal(dtype.float64, cuda.random.rand(3, { dtype = "float64" }).dtype)
    assert.same(rng():choice(5, 3, { replace = false }):tolist(),
      rng():choice(5, { shape = 3, replace = false }):tolist())
    assert.same(rng():choice(5, nil, { replace = false }):tolist(), rng():choice(5, { replace = false }):tolist())
  end)

  it("are refused if they are given twice and differ", function()
    gpu.raises("LogicError", "gpuarray.zeros: dtype is passed twice, as argument 2 and as an option: 'int8' and " ..
      "'int16'",
      gpuarray.zeros, 3, "int8", { dtype = "int16" })
    gpu.raises("LogicError", "ndarray.zeros: dtype is passed twice", ndarray.zeros, 3, "int8", { dtype = "int16" })
    gpu.raises("LogicError", "gpuarray.arange: dtype is passed twice", gpuarray.arange, 3, "int8", { dtype = "int16" })
    gpu.raises("LogicError", "gpuarray.stack: axis is passed twice, as argument 2 and as an option: 1 and 2",
      gpuarray.stack, { gpuarray.ones(2) }, 1, { axis = 2 })
    gpu.raises("LogicError", "Generator:normal: sigma is passed twice", cuda.random.normal, 3, 0, 1, { sigma = 2 })
    is("int8", { 0, 0 }, gpuarray.zeros(2, "int8", { dtype = dtype.int8 }))
  end)

  it("that are unknown are refused with those that there are", function()
    gpu.raises("LogicError", "gpuarray.zeros: unknown option 'dtipe'; did you mean 'dtype'? valid options: " ..
      "allocator, dtype, order, stream", gpuarray.zeros, 3, { dtipe = "int8" })
    gpu.raises("LogicError", "ndarray.zeros: unknown option 'dtipe'; did you mean 'dtype'? valid options: dtype, " ..
      "managed, order, pinned", ndarray.zeros, 3, { dtipe = "int8" })
    gpu.raises("LogicError", "gpuarray:sum: unknown option 'Axis'; did you mean 'axis'?", function()
      gpuarray.ones(2):sum { Axis = 1 }
    end)
    gpu.raises("LogicError", "Generator:exponential: unknown option 'scael'; did you mean 'scale'? valid options: " ..
      "dtype, scale, shape", cuda.random.exponential, { scael = 2 })
    gpu.raises("LogicError", "got a table; the shape comes first: exponential(shape, scale, dtype)",
      cuda.random.exponential, 0.3, { 3, 4 })
  end)

  it("may follow the axis of reductions, scans and what sorts", function()
    local a = gpuarray.to_gpu { { 3, 1, 2 }, { 4, 6, 5 } }
    local function same(name, options, ...)
      local first, named = { ... }, { axis = 2 }
      for key, value in pairs(options) do named[key] = value end
      first[#first + 1] = named
      local want = a[name](a, unpack(first))
      first[#first], first[#first + 1] = 2, options
      local found, by_function = a[name](a, unpack(first)), gpuarray[name](a, unpack(first))
      assert.same({ want.shape, want.dtype, want:tolist() }, { found.shape, found.dtype, found:tolist() }, name)
      assert.same(want:tolist(), by_function:tolist(), name)
    end
    for name in ("max ptp logsumexp norm any median sum"):gmatch "%a+" do same(name, { keepdims = true }) end
    same("mean", { keepdims = true, dtype = "float64" })
    same("var", { ddof = 1, stream = cuda.Stream() })
    same("cumsum", { dtype = "float64" })
    same("sort", { descending = true })
    same("percentile", { keepdims = true }, 95)
    same("max", {})
    assert.same({ { 21 } }, a:sum({ 1, 2 }, { keepdims = true }):tolist())
    assert.same({ { 21 } }, a:sum(nil, { keepdims = true }):tolist())
    local options = { keepdims = true }
    a:sum(1, options)
    assert.same({ keepdims = true }, options)
    assert.same({ 3, 6, 9 }, cuda.sparse.csr(gpuarray.diag({ 3, 6, 9 })):sum(1, { stream = cuda.Stream() }):tolist())
    gpu.raises("LogicError", "gpuarray:sum: axis is passed twice, as an argument and as an option: 1 and 2", a.sum, a,
      1, { axis = 2 })
    gpu.raises("LogicError", "gpuarray:sum: unknown option 'keepdim'; did you mean 'keepdims'?", a.sum, a, 1,
      { keepdim = true })
    gpu.error_of("LogicError", a.sum, a, 1, { keepdims = true }, 2)
    gpu.error_of("LogicError", a.sum, a, { keepdims = true }, { keepdims = true })
    gpu.error_of("LogicError", a.sum, a, "x", { keepdims = true })
  end)
end)
