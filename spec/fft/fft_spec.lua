-- cuda.fft along one axis: NumPy's results, properties, errors.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local ffi = require "ffi"
local factors = require "cudalua.fft.factors"
local fft = require "cudalua.fft"
local gpuarray = require "cudalua.gpuarray"
local knob = require "spec.support.knob"
local passes = require "cudalua.fft.passes"
local reference = require "spec.support.fft_reference"

local input, check = reference.input, reference.check
local every = os.getenv "CUDALUA_ALL" == "1"

-- Lengths of kernels that are compiled for complex64, too, if not all are.
local few = { [1] = true, [8] = true, [13] = true, [15] = true, [28] = true, [100] = true, [1000] = true,
  [1021] = true, [4096] = true, [8192] = true }

local lengths = {}
for n = 1, 32 do lengths[n] = n end
for _, n in ipairs { 49, 97, 100, 128, 243, 1000, 1021, 4096, 8192 } do lengths[#lengths + 1] = n end

local function near(a, b, n)
  local far = reference.distance(a:get { array = true }, b:get { array = true })
  assert.is_true(far <= reference.bound(a.dtype, n), ("%g from it, n = %d"):format(far, n))
end

describe("fft.fft", function()
  setup(function() gpu.context() end)

  it("gives NumPy's results for lengths of all kinds", function()
    for _, n in ipairs(lengths) do
      check("fft_" .. n, fft.fft(input(n, n)), n)
      if every or few[n] then check("fft_" .. n, fft.fft(input(n, n, "complex64")), n) end
    end
  end)

  it("takes the axis, n and the norm", function()
    for axis = 1, 3 do
      check("fft_axis_" .. axis, fft.fft(input({ 6, 5, 8 }, 7), { axis = axis }), 8)
      check("fft_axis_" .. axis, fft.fft(input({ 6, 5, 8 }, 7), { axis = axis - 4 }), 8)
      check(("fft_axis_%d_to_11"):format(axis), fft.fft(input({ 6, 5, 8 }, 7), { axis = axis, n = 11 }), 11)
    end
    for _, n in ipairs { 1, 7, 11, 20, 33 } do check("fft_12_to_" .. n, fft.fft(input(12, 12), { n = n }), n) end
    for _, norm in ipairs { "backward", "ortho", "forward" } do
      check("fft_12_" .. norm, fft.fft(input(12, 12), { norm = norm }), 12)
      check("fft_13_" .. norm, fft.fft(input(13, 13), { norm = norm }), 13)
    end
  end)

  it("takes views, pending arrays, and real numbers of any type", function()
    local a = input({ 6, 5, 8 }, 7)
    check("fft_axis_1", fft.fft(a:transpose { 3, 2, 1 }, { axis = 3 }):transpose { 3, 2, 1 }:copy "C", 6)
    check("fft_axis_3", fft.fft((a * 2) / 2), 8)
    local part = input({ 3, 20 }, 5)
    near(fft.fft(part[{ {}, { 4, 15 } }]), fft.fft(part[{ {}, { 4, 15 } }]:copy "C"), 12)
    for _, t in ipairs { "float32", "int32", "bool", "uint8" } do
      local x = gpuarray.to_gpu({ 1, 0, 1, 1, 0 }, t)
      local y = fft.fft(x)
      assert.equal("complex64", tostring(y.dtype))
      near(y, fft.fft(gpuarray.to_gpu({ 1, 0, 1, 1, 0 }, "complex64")), 5)
    end
    assert.equal("complex128", tostring(fft.fft(gpuarray.to_gpu({ 1, 2 }, "float64")).dtype))
  end)

  it("writes to `out`, which may be the input, in streams and with allocators", function()
    local a = input(12, 12)
    local stream = cuda.Stream()
    assert.equal(a, fft.fft(a, { out = a, stream = stream }))
    stream:synchronize()
    check("fft_12", a, 12)
    local taken = 0
    local b = fft.fft(input(12, 12), { allocator = function(bytes)
      taken = taken + bytes
      return cuda.mem_alloc(bytes)
    end })
    check("fft_12", b, 12)
    assert.equal(192, taken)
    gpu.raises("LogicError", "the result has the shape (12,)", fft.fft, input(12, 12), { out = b[{ { 1, 5 } }] })
  end)

  it("gives empty and zero results", function()
    assert.same({ 0, 4 }, { unpack(fft.fft(gpuarray.zeros({ 0, 4 }, "complex64")).shape) })
    assert.same({ 0, 7 }, { unpack(fft.fft(gpuarray.zeros({ 0, 4 }), { n = 7 }).shape) })
    local x = fft.fft(gpuarray.zeros({ 2, 0 }), { n = 3 })
    assert.same({ 2, 3 }, { unpack(x.shape) })
    assert.equal(0, x:abs():max():item())
  end)

  it("keeps infinities and NaN out of other rows", function()
    local a = input({ 3, 12 }, 5)
    a[{ 2, 5 }] = 0 / 0
    local y = fft.fft(a)
    assert.is_true(y[2]:isnan():all():item())
    assert.is_false(y[1]:isnan():any():item() or y[3]:isnan():any():item())
  end)

  it("splits long ones into several passes", function()
    assert.same({ 1024, 1024 }, factors.passes(2 ^ 20, 4096))
    assert.same({ 512, 512, 512 }, factors.passes(2 ^ 27, 4096))
    assert.same({ 343, 343, 49, 49 }, factors.passes(7 ^ 10, 2048))
    assert.is_nil(factors.radices(2 * 11))
    -- The same by passes of few elements.
    local most, row = knob(factors, "MOST", 12), knob(factors, "most_of_row", function() return 12 end)
    finally(function()
      most()
      row()
      fft.clear_plans()
    end)
    fft.clear_plans()
    check("fft_100", fft.fft(input(100, 100)), 100)
    check("fft_1000", fft.fft(input(1000, 1000)), 1000) -- three passes
    check("fft_4096", fft.fft(input(4096, 4096)), 4096) -- four
    check("fft_axis_1_to_11", fft.fft(input({ 6, 5, 8 }, 7), { axis = 1, n = 11 }), 11)
  end)

  it("is the same with 64-bit places", function()
    finally(knob(passes, "NARROW", 0))
    for _, n in ipairs { 1, 12, 13, 8192 } do check("fft_" .. n, fft.fft(input(n, n)), n) end
    check("fft_axis_2", fft.fft(input({ 6, 5, 8 }, 7), { axis = 2 }), 8)
  end)

  it("has the properties of a transform at random lengths", function()
    local function length() return math.random(1, every and 5000 or 400) end
    for round = 1, every and 40 or 4 do
      local n, rows = length(), math.random(1, 3)
      local t = round % 2 == 0 and "complex64" or "complex128"
      local a, b = input({ rows, n }, round, t), input({ rows, n }, round + 1000, t)
      local fa, fb = fft.fft(a), fft.fft(b)
      near(fft.ifft(fa), a, n * n) -- two transforms
      near(fft.fft(a * 2 + b), fa * 2 + fb, n * n)
      local energy = (fa:abs() ^ 2):sum():item() / n
      assert.is_true(math.abs(energy / (a:abs() ^ 2):sum():item() - 1) < 4 * reference.bound(t, n), "n = " .. n)
      -- Shifted input: turned results.
      local k = math.random(0, n - 1)
      local turn = gpuarray.arange(n, "float64") * k % n * (-2 * math.pi / n)
      near(fft.fft(a:roll(k, 2)), fa * (turn:cos() + turn:sin() * ffi.new("complex double", 0, 1)):astype(t), n * n)
    end
  end)

  it("transforms millions of elements", function()
    for _, n in ipairs(every and { 2 ^ 20, 10 ^ 6, 2 ^ 24 } or { 2 ^ 16 }) do
      -- A few frequencies: the results are known.
      local j = gpuarray.arange(n, "float64")
      local x = gpuarray.zeros(n, "float64")
      local wanted = { [1] = 3, [5] = 0.5, [n / 2] = -0.25, [n - 77] = 2 }
      for k, amplitude in pairs(wanted) do
        if k <= n / 2 then x = x + amplitude * (j * k % n * (2 * math.pi / n)):cos() end
        if k > n / 2 then x = x + amplitude * (j * (n - k) % n * (2 * math.pi / n)):cos() end
      end
      local y = fft.fft(x, { norm = "forward" }):abs()
      local expected = gpuarray.zeros(n, "float64")
      for k, amplitude in pairs(wanted) do
        for _, at in ipairs { k, n - k } do
          expected[at + 1] = expected[at + 1] + math.abs(amplitude) / 2
        end
      end
      assert.is_true((y - expected):abs():max():item() < 1e-12)
      near(fft.ifft(fft.fft(x)), x:astype "complex128", n * n)
    end
  end)

  it("refuses what it cannot transform", function()
    local a = gpuarray.zeros({ 3, 4 })
    gpu.raises("LogicError", "fft.fft: axis 3: the array has 2 axes", fft.fft, a, { axis = 3 })
    gpu.raises("LogicError", "axis 0: the array has 2 axes, counted from 1", fft.fft, a, { axis = 0 })
    gpu.raises("LogicError", "n must be a positive integer, got 0", fft.fft, a, { n = 0 })
    gpu.raises("LogicError", "n must be a positive integer, got -3", fft.fft, a, { n = -3 })
    gpu.raises("LogicError", "n must be a positive integer, got 2.5", fft.fft, a, { n = 2.5 })
    gpu.raises("LogicError", "without the option n, the extent of axis 2 must be a positive integer, got 0", fft.fft,
      gpuarray.zeros { 3, 0 })
    gpu.raises("LogicError", "norm must be 'backward', 'ortho' or 'forward', got 'orthos'; did you mean 'ortho'?",
      fft.fft, a, { norm = "orthos" })
    gpu.raises("LogicError", "norm must be 'backward', 'ortho' or 'forward', got 3", fft.fft, a, { norm = 3 })
    gpu.raises("LogicError", "Fourier transforms of float16 are not supported; convert the array with astype " ..
      "'float32'", fft.fft,
      a:astype "float16")
    gpu.raises("LogicError", "a 0-d array has no axis to transform", fft.fft, a:sum())
    gpu.raises("LogicError", "in host memory; copy it to the device with " ..
      "gpuarray.to_gpu()", fft.fft, cuda.ndarray.zeros(3))
    gpu.raises("LogicError", "a must be a gpuarray, got", fft.fft, { 1, 2 })
    gpu.raises("LogicError", "unknown option 'axes'", fft.fft, a, { axes = 1 })
    gpu.raises("LogicError", "expected a table of options, got 512; write { n = 512 }", fft.fft, a, 512)
    gpu.refuses_nonsense(function(x) return fft.fft(x) end)
  end)
end)

describe("fft.ifft", function()
  setup(function() gpu.context() end)

  it("gives NumPy's results", function()
    for _, n in ipairs { 12, 13, 97, 128 } do
      check("ifft_" .. n, fft.ifft(input(n, n)), n)
      check("ifft_" .. n, fft.ifft(input(n, n, "complex64")), n)
    end
    for _, norm in ipairs { "backward", "ortho", "forward" } do
      check("ifft_12_" .. norm, fft.ifft(input(12, 12), { norm = norm }), 12)
      check("ifft_13_" .. norm, fft.ifft(input(13, 13), { norm = norm }), 13)
    end
    for _, n in ipairs { 1, 7, 11, 20, 33 } do check("ifft_12_to_" .. n, fft.ifft(input(12, 12), { n = n }), n) end
  end)

  it("is the inverse along each axis", function()
    local a = input({ 6, 5, 8 }, 7)
    for axis = 1, 3 do near(fft.ifft(fft.fft(a, { axis = axis }), { axis = axis }), a, 64) end
    gpu.raises("LogicError", "fft.ifft: n must be a positive integer, got 0", fft.ifft, a, { n = 0 })
  end)
end)
