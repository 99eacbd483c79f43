-- gradient, trapezoid and unwrap: NumPy's results (spec/data/golden/signals.lua), properties, all types, options and
-- what is refused.
local gpu = require "spec.support.gpu"
local turn = require "spec.support.turn"
local dtype = require "cudalua.dtype"
local gpuarray = require "cudalua.gpuarray"
local own_kernels = require "spec.support.own_kernels"
local products = require "spec.support.products"
local signals = require "spec.support.signals"
local storage = require "cudalua.gpuarray.core.storage"
local cuda = gpu.cuda

setup(own_kernels.choose)
teardown(own_kernels.restore)

local function random(shape, t, seed) return products.random(shape, t, products.numbers(seed)) end

describe("Slopes, areas and angles as NumPy has them:", function()
  setup(gpu.context)
  before_each(function() dtype.default_float "float64" end)
  after_each(function() dtype.default_float "float32" end)

  it("gpuarray.gradient and gpuarray.Array:gradient", function()
    assert.is_true(signals.check("gradient", 16) > 50)
  end)

  it("gpuarray.trapezoid and gpuarray.Array:trapezoid", function()
    assert.is_true(signals.check("trapezoid", 16) > 25)
  end)

  it("gpuarray.unwrap and gpuarray.Array:unwrap", function() assert.is_true(signals.check("unwrap", 32) > 35) end)
end)

describe("gpuarray.gradient", function()
  setup(gpu.context)

  it("is exact for parabolas, at places of any distance", function()
    local x = random({ 60 }, "float64", 1):abs():cumsum()
    local y = 3 * x * x - 2 * x + 1
    local slope = 6 * x - 2
    local inner = { { 2, 59 } }
    assert.is_true(y:gradient { spacing = x }[inner]:allclose(slope[inner], { rtol = 1e-9 }))
    assert.is_true(y:gradient { spacing = x, edge_order = 2 }:allclose(slope, { rtol = 1e-9 }))
    local t = gpuarray.arange(9, "float64") * 0.5
    assert.is_true((t * t):gradient { spacing = 0.5, edge_order = 2 }:allclose(2 * t))
  end)

  it("gives one array for each axis", function()
    local a = random({ 3, 4, 5 }, "float32", 2)
    local results = { a:gradient() }
    assert.equal(3, #results)
    for axis, x in ipairs(results) do
      assert.is_true(x:array_equal(a:gradient { axis = axis }))
      assert.is_true(x:array_equal(a:moveaxis(axis, 1):gradient { axis = 1 }:moveaxis(1, axis)))
    end
    assert.equal(2, select("#", a:gradient { axis = { 3, 1 } }))
  end)

  it("has floats of the array's dtype, and the default float of integers", function()
    for _, t in ipairs(dtype.list) do
      if t.kind ~= "struct" then
        local a = gpuarray.to_gpu({ 0, 1, 1, 0 }):astype(t)
        local x = a:gradient()
        local is_float = t.kind == "float" or t.kind == "complex"
        assert.equal(is_float and t.name or "float32", x.dtype.name)
        assert.is_true(x:array_equal(gpuarray.to_gpu { 1, 0.5, -0.5, -1 }), t.name)
      end
    end
    -- float32 does not hold these, and int8 not their difference.
    assert.same({ 1, 1 }, gpuarray.to_gpu({ 2 ^ 30, 2 ^ 30 + 1 }, "int32"):gradient():tolist())
    assert.same({ -255, -255 }, gpuarray.to_gpu({ 127, -128 }, "int8"):gradient():tolist())
    -- float16 holds neither the sum nor the steps between.
    local h = gpuarray.to_gpu({ 60000, -60000, 0 }, "float16")
    assert.is_true(h:gradient { spacing = 100 }:array_equal(
      h:astype "float32":gradient { spacing = 100 }:astype "float16"))
  end)

  it("reads what an array was, and writes to out, which may be the array", function()
    local a = random({ 4, 6 }, "float32", 3)
    local want = a:gradient { axis = 2 }
    assert.is_true((a * 1):gradient { axis = 2 }:array_equal(want))
    local first = a:gradient { axis = 1 }
    assert.equal(a, a:gradient { axis = 2, out = a })
    assert.is_true(a:array_equal(want))
    assert.is_false(first:array_equal(a:gradient { axis = 1 }))
    local s, count = cuda.Stream "non_blocking", 0
    local down, across = first:gradient { stream = s, allocator = function(n)
      count = count + n
      return cuda.mem_alloc(n)
    end }
    s:synchronize()
    assert.equal(2 * 96, count)
    assert.is_true(down:array_equal(first:gradient { axis = 1 }) and across:array_equal(first:gradient { axis = 2 }))
    s:close()
  end)

  it("leaves nothing pending that reads the array", function()
    local a = random({ 4, 6 }, "float32", 8)
    local function readers() return #storage.readers(a._leaf.store) end
    collectgarbage() -- it would forget them, too
    collectgarbage "stop"
    local results = { a:gradient { edge_order = 2 } }
    results[3], results[4] = a:gradient { axis = 2, spacing = { 0, 1, 3, 4, 7, 8 } }, a:unwrap { period = 2 }
    results[5], results[6], results[7] = a:trapezoid(), a:cov { aweights = a[1]:abs() }, a:corrcoef()
    local left = readers()
    local pending = a + 1
    local more = readers()
    collectgarbage "restart"
    pending:eval()
    assert.equal(7, #results)
    assert.same({ 0, 1 }, { left, more })
  end)

  it("says what does not fit", function()
    local a = gpuarray.zeros { 2, 5 }
    local function says(text, ...) gpu.raises("LogicError", "gpuarray.gradient: " .. text, gpuarray.gradient, ...) end
    says("a 0-d array has no axes", gpuarray.zeros {})
    says("axis 1 has 2 elements; edge_order 2 needs at least 3", a, { edge_order = 2 })
    says("axis 1 has 1 element; edge_order 1 needs at least 2", gpuarray.zeros(1))
    says("edge_order must be 1 or 2, got 3", a, { edge_order = 3 })
    says("axis 3: the array has 2 axes", a, { axis = 3 })
    says("axis -1 appears twice", a, { axis = { 2, -1 } })
    says("spacing has 1 entries for 2 axes", a, { spacing = { 1 } })
    says("spacing must be a number, or a list with an entry for each of 2 axes", a, { spacing = gpuarray.zeros(5) })
    says("spacing has the shape (2,); axis 2 needs a number or its 5 places", a, { spacing = { 1, { 1, 2 } } })
    says("spacing must be a number, got NaN", a, { spacing = 0 / 0 })
    says("spacing must be real, got an array of complex64", a[1], { spacing = gpuarray.zeros({ 5 }, "complex64") })
    says("spacing must be an array, a list or a number", a[1], { spacing = "wide" })
    says("out takes one result, but 2 axes have 2: name one axis", a, { out = a })
    says("the result has the shape (2, 5)", a, { axis = 1, out = gpuarray.zeros(3) })
    says("expected a table of options, got 2; write {spacing = 2}", a, 2)
    says("expected a gpuarray, got 3", 3)
    local pair = dtype.struct({ { "x", "float32" } }, { name = "spec_gradient_pair" })
    says("spec_gradient_pair is a struct", gpuarray.empty({ 3 }, pair))
  end)
end)

describe("gpuarray.trapezoid", function()
  setup(gpu.context)

  it("is exact for lines, and the sum of parts", function()
    local x = random({ 50 }, "float64", 4):abs():cumsum()
    local area = (2 * x + 1):trapezoid { x = x }:item()
    local a, b = x[1], x[50]
    assert.is_true(math.abs(area - (b * b + b - a * a - a)) < 1e-9 * area)
    local y = random({ 3, 41 }, "float32", 5)
    local parts = y[{ {}, { 1, 21 } }]:trapezoid() + y[{ {}, { 21, 41 } }]:trapezoid()
    assert.is_true(parts:allclose(y:trapezoid(), { rtol = 1e-4, atol = 1e-4 }))
    assert.is_true(y.T:trapezoid { axis = 1 }:array_equal(y:trapezoid()))
  end)

  it("counts all types", function()
    for _, t in ipairs(dtype.list) do
      if t.kind ~= "struct" then
        local x = gpuarray.to_gpu({ 1, 1, 0 }):astype(t):trapezoid()
        local is_float = t.kind == "float" or t.kind == "complex"
        assert.equal(is_float and t.name or "float32", x.dtype.name)
        assert.is_true(x:array_equal(gpuarray.scalar(1.5)), t.name)
        assert.equal(0, gpuarray.zeros({ 0 }, t):trapezoid():real():item())
      end
    end
    local h = gpuarray.full({ 3 }, 40000, "float16")
    assert.equal("float32", h:trapezoid { x = gpuarray.to_gpu({ 0, 0.5, 1 }, "float32") }.dtype.name)
    assert.equal(40000, h:trapezoid { dx = 0.5 }:item())
  end)

  it("has out, stream and allocator, and computes pending arrays", function()
    local y = random({ 3, 4 }, "float32", 6)
    local want = y:trapezoid()
    assert.is_true((y * 1):trapezoid { x = gpuarray.arange(4) * 1 }:allclose(want))
    local out = gpuarray.zeros(3)
    assert.equal(out, y:trapezoid { out = out })
    assert.is_true(out:array_equal(want))
    local s, asked = cuda.Stream "non_blocking", nil
    local x = y:trapezoid { stream = s, allocator = function(n)
      asked = n
      return cuda.mem_alloc(n)
    end }
    s:synchronize()
    assert.equal(12, asked)
    assert.is_true(x:array_equal(want))
    s:close()
  end)

  it("says what does not fit", function()
    local y = gpuarray.zeros { 2, 5 }
    local function says(text, ...) gpu.raises("LogicError", "gpuarray.trapezoid: " .. text, gpuarray.trapezoid, ...) end
    says("a 0-d array has no axis", gpuarray.zeros {})
    says("x has the shape (4,); expected that of y, (2, 5), or the 5 places of axis 2", y, { x = { 1, 2, 3, 4 } })
    says("x has the shape (3, 5)", y, { x = gpuarray.zeros { 3, 5 } })
    says("dx must be a number, got a string", y, { dx = "1" })
    says("dx must be a number, got NaN", y, { dx = 0 / 0 })
    says("x and dx both say where the values are; give one of them", y, { x = { 1, 2, 3, 4, 5 }, dx = 1 })
    says("axis 0: the array has 2 axes, counted from 1", y, { axis = 0 })
    says("expected a table of options, got 2; write {dx = 2}", y, 2)
    says("the result has the shape (2,)", y, { out = y })
    gpu.raises("LogicError", "write {x = ...}", y.trapezoid, y, gpuarray.zeros(5))
  end)
end)

describe("gpuarray.unwrap", function()
  setup(gpu.context)

  it("finds what was wrapped", function()
    for _, t in ipairs { "float32", "float64" } do
      local slow = (random({ 5, 2000 }, t, 7) * 0.5):clip(-3, 3):cumsum(2)
      local wrapped = (slow + math.pi) % (2 * math.pi) - math.pi
      local got = wrapped:unwrap()
      local offset = got[{ {}, { 1 } }] - slow[{ {}, { 1 } }]
      local limit = t == "float32" and 1e-3 or 1e-11
      assert.is_true((got - offset - slow):abs():max():item() < limit, t)
      assert.is_true(wrapped.T:unwrap { axis = 1 }.T:array_equal(got))
    end
    local counter = gpuarray.arange(1000):astype "int64" * 37
    local x = (counter % 256):astype "uint8":unwrap { period = 256 }
    assert.equal("int64", x.dtype.name)
    assert.is_true(x:array_equal(counter))
  end)

  it("leaves what has no jumps, in all types", function()
    for _, t in ipairs(turn.share(dtype.list, 4)) do
      if t.kind ~= "struct" and t.kind ~= "complex" then
        local a = gpuarray.to_gpu({ 0, 1, 1, 0 }):astype(t)
        assert.equal(t.kind == "float" and t.name or "float32", a:unwrap().dtype.name)
        assert.is_true(a:unwrap():array_equal(a), t.name)
        assert.equal((t.kind == "int" or t.kind == "uint") and "int64" or a:unwrap().dtype.name,
          a:unwrap { period = 8 }.dtype.name)
        assert.same({ 0 }, { unpack(gpuarray.zeros({ 0 }, t):unwrap().shape) })
      end
    end
    local h = gpuarray.to_gpu({ 0, 3, -3, 0 }, "float16")
    assert.is_true(h:unwrap():array_equal(h:astype "float32":unwrap():astype "float16"))
  end)

  it("gives a new array, has out, stream and allocator", function()
    local a = gpuarray.to_gpu { 0, 3, -3, 0 }
    local want = a:unwrap()
    assert.is_true((a * 1):unwrap():array_equal(want))
    local one = a[{ { 1 } }]
    local x = one:unwrap()
    one:fill(9)
    assert.equal(0, x[1])
    a:set { 0, 3, -3, 0 }
    assert.equal(a, a:unwrap { out = a })
    assert.is_true(a:array_equal(want))
    local s, asked = cuda.Stream "non_blocking", nil
    x = gpuarray.unwrap(want, { stream = s, allocator = function(n)
      asked = n
      return cuda.mem_alloc(n)
    end })
    s:synchronize()
    assert.equal(16, asked)
    assert.is_true(x:array_equal(want))
    s:close()
  end)

  it("says what does not fit", function()
    local a = gpuarray.zeros { 2, 5 }
    local function says(text, ...) gpu.raises("LogicError", "gpuarray.unwrap: " .. text, gpuarray.unwrap, ...) end
    says("a 0-d array has no axis", gpuarray.zeros {})
    says("p must be real, got an array of complex64", a:astype "complex64")
    says("period must be a positive number, got 0", a, { period = 0 })
    says("period must be a positive number, got -1", a, { period = -1 })
    says("period must be a positive number, got inf", a, { period = math.huge })
    says("period must be a positive number, got a string", a, { period = "2 pi" })
    says("discont must be a number, got NaN", a, { discont = 0 / 0 })
    says("axis -3: the array has 2 axes", a, { axis = -3 })
    says("expected a table of options, got 6; write {discont = 6}", a, 6)
    says("the result has the shape (2, 5)", a, { out = gpuarray.zeros(3) })
    says("expected a gpuarray, got a string", "x")
  end)
end)
