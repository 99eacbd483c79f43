-- What people who know NumPy, SciPy or PyTorch write first with linear algebra: the error says what to write.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray, linalg, sparse, fft = cuda.gpuarray, cuda.linalg, cuda.sparse, cuda.fft

local function raises(text, f, ...) return gpu.raises("LogicError", text, f, ...) end

describe("First programs of linear algebra", function()
  setup(gpu.context)

  it("are told where the dtype of random numbers and of sparse.eye goes", function()
    local rng = cuda.random.Generator(1)
    raises("Generator:normal: mean must be a number or an array, got 'float64'; write normal(shape, mean, sigma, "
      .. "dtype), or {dtype = ...} behind the shape", rng.normal, rng, { 2, 2 }, "float64")
    raises("low must be a number or an array, got a dtype; write uniform(shape, low, high, dtype)", rng.uniform, rng, 3,
      cuda.dtype.float64)
    raises("mean must be a number or an array, got a string", rng.normal, rng, 3, "frobnicate")
    assert.equal("float64", rng:normal({ 2, 2 }, 0, 1, "float64").dtype.name)
    assert.equal("float64", rng:normal({ 2, 2 }, { dtype = "float64" }).dtype.name)
    raises("sparse.eye: m must be an integer, got 'float64'; pass the dtype as an option: {dtype = ...}", sparse.eye, 3,
      "float64")
    assert.equal("float64", sparse.eye(3, { dtype = "float64" }).dtype.name)
  end)

  it("are told which option a value stands for", function()
    local x, w, b = gpuarray.ones { 2, 3 }, gpuarray.ones { 4, 3 }, gpuarray.ones(4)
    raises("linalg.linear: expected a table of options, got an array; write {bias = ...}", linalg.linear, x, w, b)
    raises('linalg.linear: unexpected argument \'relu\'; pass it as an option: {activation = "relu"}', linalg.linear, x,
      w, b, "relu")
    raises("gpuarray.cov: expected a table of options, got an array; write {y = ...}", gpuarray.cov, x, x)
    raises("linalg.svd: expected a table of options, got false; write {full_matrices = false}", linalg.svd, x, false)
    raises('linalg.norm: expected a table of options, got \'fro\'; write {ord = "fro"}', linalg.norm, x, "fro")
    raises("linalg.pinv: expected a table of options, got 0.001; write {rcond = 0.001}", linalg.pinv, x, 1e-3)
    raises("gpuarray.allclose: expected a table of options, got 0.001; write {rtol = 0.001}", gpuarray.allclose, x, x,
      1e-3)
    raises("expected a table of options, got an array; write {x0 = ...}", sparse.cg, sparse.eye(4), b, b)
  end)

  it("are told that options are a table with names, and what it has in place of one", function()
    local x, w = gpuarray.ones { 2, 3 }, gpuarray.ones { 4, 3 }
    raises("linalg.linear: expected a table of options, got a list of 4 values; valid options: activation, allocator, "
      .. "bias, out, stream", linalg.linear, x, w, { 1, 2, 3, 4 })
    raises("linalg.linear: the options have a value without a name, an array; write bias = ...; valid options: ",
      linalg.linear, x, w, { gpuarray.ones(4), activation = "relu" })
    raises("linalg.solve: expected a table of options, got a list of 1 value; valid options", linalg.solve,
      gpuarray.eye(2), gpuarray.ones(2), { false })
    raises("gpuarray.unwrap: expected a table of options, got a list of 2 values; write {axis = ...}; valid options: ",
      gpuarray.unwrap, x, { 1, 2 })
    raises("unknown option true", linalg.solve, gpuarray.eye(2), gpuarray.ones(2), { [true] = 1 })
  end)

  it("get the frequencies for the distance that NumPy calls d", function()
    for _, f in ipairs { fft.fftfreq, fft.rfftfreq } do
      assert.same(f(8, 0.1):tolist(), f(8, { d = 0.1 }):tolist())
      assert.equal("float64", f(8, { d = 0.1, dtype = "float64" }).dtype.name)
      raises("d is passed twice", f, 8, 0.1, { d = 0.1 })
      raises("d must be a finite number and not 0", f, 8, { d = 0 })
    end
  end)

  it("find the options of SciPy", function()
    local a = gpuarray.eye(2)
    raises("did you mean 'rtol'?", sparse.cg, sparse.eye(2), gpuarray.ones(2), { tol = 1e-3 })
    raises("did you mean 'columns'?", sparse.coo, { data = { 1 }, rows = { 1 }, cols = { 1 }, shape = { 1, 1 } })
    raises("did you mean 'upper'?", linalg.eigh, a, { UPLO = "U" })
    raises("did you mean 'rcond'?", linalg.pinv, a, { rtol = 1e-3 })
  end)

  it("are told to copy lists to the device", function()
    raises("linalg.solve: a must be a gpuarray, got a table; copy a list to the device with gpuarray.to_gpu()",
      linalg.solve, { { 1, 2 }, { 3, 4 } }, { 1, 2 })
    raises("linalg.solve: b must be a gpuarray, got a table; copy a list to the device with gpuarray.to_gpu()",
      linalg.solve, gpuarray.eye(2), { 1, 2 })
    raises("linalg.inv: expected a gpuarray, got a table; copy a list", linalg.inv, { { 1, 2 }, { 3, 4 } })
    local err = raises("expected a gpuarray, got a table", linalg.inv, {})
    assert.is_nil(err.message:find("list", 1, true))
  end)
end)
