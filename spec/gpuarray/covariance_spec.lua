-- cov and corrcoef: NumPy's results (spec/data/golden/signals.lua), properties of random arrays, 16-bit floats, options
-- and what is refused.
local gpu = require "spec.support.gpu"
local dtype = require "cudalua.dtype"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local own_kernels = require "spec.support.own_kernels"
local products = require "spec.support.products"
local signals = require "spec.support.signals"
local cuda = gpu.cuda

setup(own_kernels.choose)
teardown(own_kernels.restore)

local function random(shape, t, seed) return products.random(shape, t, products.numbers(seed)) end

describe("Covariances as NumPy has them:", function()
  setup(gpu.context)
  before_each(function() dtype.default_float "float64" end)
  after_each(function() dtype.default_float "float32" end)

  -- Sums of 7 to 9 products, and means that are taken off before.
  it("gpuarray.cov and gpuarray.Array:cov", function() assert.is_true(signals.check("cov", 16) > 60) end)

  it("gpuarray.corrcoef and gpuarray.Array:corrcoef", function()
    assert.is_true(signals.check("corrcoef", 16) > 30)
  end)
end)

describe("gpuarray.cov and gpuarray.corrcoef", function()
  setup(gpu.context)

  it("agree with variances, whatever the size", function()
    for seed, shape in ipairs { { 1, 2 }, { 5, 33 }, { 3, 1000 }, { 40, 17 } } do
      local a = random(shape, "float32", seed)
      local c = a:cov()
      local variances = a:var { axis = 2, ddof = 1 }
      if shape[1] == 1 then c = c:reshape(1, 1) end
      assert.is_true(c:diagonal():allclose(variances, { rtol = 1e-4 }))
      assert.is_true(c:array_equal(c.T)) -- products commute
      local r = a:corrcoef()
      if shape[1] == 1 then r = r:reshape(1, 1) end
      assert.is_true(r:diagonal():allclose(1))
      assert.is_true((r:abs():max():item() <= 1))
      local d = variances:sqrt()
      assert.is_true((r * d * d:reshape(shape[1], 1)):allclose(c, { rtol = 1e-4, atol = 1e-5 }))
    end
  end)

  it("compute 16-bit floats as float32, and keep the dtype of floats", function()
    for _, t in ipairs { "float16", "bfloat16" } do
      local a = random({ 3, 40 }, "float32", 5):astype(t)
      local want = a:astype "float32":cov()
      assert.is_true(a:cov():array_equal(want:astype(t)), t)
      assert.is_true(a:cov { dtype = "float32" }:array_equal(want), t)
      assert.is_true(a:corrcoef():array_equal(a:astype "float32":corrcoef():astype(t)), t)
    end
    assert.equal("float32", gpuarray.arange(6):cov().dtype.name)
    assert.equal("float64", gpuarray.arange(6):cov { dtype = "float64" }.dtype.name)
    assert.equal("complex64", gpuarray.zeros({ 2, 3 }):cov { y = gpuarray.zeros({ 3 }, "complex64") }.dtype.name)
    -- float32 does not hold these.
    local big = gpuarray.to_gpu({ 2 ^ 30, 2 ^ 30 + 1, 2 ^ 30 + 2 }, "int32")
    assert.equal(1, big:cov():item())
    assert.equal(1, big:cov { fweights = { 1, 1, 1 } }:item())
  end)

  it("count a weight as so many observations", function()
    local a = random({ 3, 4 }, "float64", 6)
    local counts = { 2, 1, 3, 1 }
    local repeated = a[{ {}, gpuarray.to_gpu({ 1, 1, 2, 3, 3, 3, 4 }, "int64") }]
    assert.is_true(a:cov { fweights = counts }:allclose(repeated:cov()))
    assert.is_true(a:cov { fweights = gpuarray.to_gpu(counts, "uint8") }:allclose(repeated:cov()))
    assert.is_true(a:cov { aweights = counts, bias = true }:allclose(repeated:cov { bias = true }))
    assert.is_true(a:cov { aweights = ndarray.array(counts) }:allclose(a:cov { aweights = { 4, 2, 6, 2 } }))
  end)

  it("leave no NaN out, and divide by nothing as NumPy", function()
    assert.equal("nan", tostring(gpuarray.to_gpu({ 3 }):cov()))
    assert.equal("nan", tostring(gpuarray.zeros(0):cov()))
    assert.same({ 0, 0 }, { unpack(gpuarray.zeros({ 0, 3 }):cov().shape) })
    assert.equal("inf", tostring(gpuarray.to_gpu({ 3, 4 }):cov { ddof = 2 }))
    local r = gpuarray.to_gpu { { 1, 1, 1 }, { 1, 2, 3 } }:corrcoef():tolist()
    assert.is_true(r[1][1] ~= r[1][1] and r[1][2] ~= r[1][2] and r[2][2] == 1)
  end)

  it("take y from the host, have out, stream and allocator, and compute pending arrays", function()
    local a = random({ 2, 5 }, "float32", 7)
    local want = a:cov()
    assert.is_true((a * 1):cov():array_equal(want))
    assert.same({ 3, 3 }, { unpack(a:cov { y = { 1, 2, 3, 4, 6 } }.shape) })
    local out = gpuarray.zeros({ 2, 2 }, "float64")
    assert.equal(out, gpuarray.cov(a, { out = out }))
    assert.is_true(out:astype "float32":array_equal(want))
    assert.equal(out, a:corrcoef { out = out })
    local s, asked = cuda.Stream "non_blocking", nil
    local x = a:cov { stream = s, allocator = function(n)
      asked = n
      return cuda.mem_alloc(n)
    end }
    s:synchronize()
    assert.equal(16, asked)
    assert.is_true(x:array_equal(want))
    s:close()
  end)

  it("say what does not fit", function()
    local a = gpuarray.zeros { 2, 5 }
    local function says(text, ...) gpu.raises("LogicError", "gpuarray.cov: " .. text, gpuarray.cov, ...) end
    says("m has the shape (1, 2, 2); expected at most two axes", gpuarray.zeros { 1, 2, 2 })
    says("y has the shape (1, 2, 2)", a, { y = gpuarray.zeros { 1, 2, 2 } })
    says("shapes (2, 5) and (4,) do not fit: m has 5 observations of each variable, y has 4", a, { y = { 1, 2, 3, 4 } })
    says("ddof must be an integer, got 1.5", a, { ddof = 1.5 })
    says("bias must be true or false", a, { bias = 1 })
    says("rowvar must be true or false", a, { rowvar = "no" })
    says("dtype int32: the result has floats", a, { dtype = "int32" })
    says("dtype float32: complex64 cannot be stored in float32", a:astype "complex64", { dtype = "float32" })
    says("fweights has the shape (4,); expected one for each of the 5 observations", a, { fweights = { 1, 2, 3, 4 } })
    says("fweights must have integers that are not negative, got 0.5 at [2]", a, { fweights = { 1, 0.5, 1, 1, 1 } })
    says("aweights must have numbers that are not negative, got -2 at [1]", a, { aweights = { -2, 1, 1, 1, 1 } })
    says("fweights must be integers, got an array of float32", a, { fweights = gpuarray.ones(5) })
    says("aweights must be real, got an array of complex64", a, { aweights = gpuarray.ones({ 5 }, "complex64") })
    says("aweights must have numbers that are not negative, got NaN at [5]", a, { aweights = { 1, 1, 1, 1, 0 / 0 } })
    says("aweights has the shape (1,); expected one for each", a, { aweights = { false } })
    says("expected a gpuarray, got 3", 3)
    says("expected a table of options, got", a, a)
    says("unknown option 'axis'", a, { axis = 1 })
    says("the result has the shape (2, 2)", a, { out = gpuarray.zeros(3) })
    gpu.raises("LogicError", "write {y = ...}", gpuarray.cov, a, a)
    gpu.raises("LogicError", "gpuarray:corrcoef: unknown option 'bias'", a.corrcoef, a, { bias = true })
    local pair = dtype.struct({ { "x", "float32" } }, { name = "spec_covariance_pair" })
    gpu.raises("LogicError", "spec_covariance_pair is a struct", gpuarray.cov, gpuarray.empty({ 3 }, pair))
  end)
end)
