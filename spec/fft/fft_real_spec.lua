-- cuda.fft of real numbers: NumPy's results, the complex transforms, errors.
local gpu = require "spec.support.gpu"
local ffi = require "ffi"
local fft = require "cudalua.fft"
local gpuarray = require "cudalua.gpuarray"
local knob = require "spec.support.knob"
local passes = require "cudalua.fft.passes"
local reference = require "spec.support.fft_reference"

local input, check = reference.input, reference.check
local every = os.getenv "CUDALUA_ALL" == "1"
local few = { [1] = true, [2] = true, [8] = true, [13] = true, [30] = true, [1000] = true, [1021] = true }
local lengths = {}
for n = 1, 32 do lengths[n] = n end
for _, n in ipairs { 49, 97, 100, 128, 243, 1000, 1021, 4096, 8192 } do lengths[#lengths + 1] = n end

local function near(a, b, n)
  local far = reference.distance(a:get { array = true }, b:get { array = true })
  assert.is_true(far <= reference.bound(a.dtype, n), ("%g from it, n = %d"):format(far, n))
end

local SHAPE = { 6, 5, 8 }

describe("fft.rfft", function()
  setup(function() gpu.context() end)

  it("gives NumPy's results for lengths of all kinds", function()
    for _, n in ipairs(lengths) do
      check("rfft_" .. n, fft.rfft(input(n, n, "float64")), n)
      if every or few[n] then check("rfft_" .. n, fft.rfft(input(n, n, "float32")), n) end
    end
  end)

  it("takes the axis, n and the norm", function()
    for axis = 1, 3 do check("rfft_axis_" .. axis, fft.rfft(input(SHAPE, 7, "float64"), { axis = axis }), 8) end
    for _, n in ipairs { 1, 7, 11, 20, 33 } do
      check("rfft_12_to_" .. n, fft.rfft(input(12, 12, "float64"), { n = n }), n)
    end
    for _, norm in ipairs { "backward", "ortho", "forward" } do
      check("rfft_12_" .. norm, fft.rfft(input(12, 12, "float64"), { norm = norm }), 12)
      check("rfft_13_" .. norm, fft.rfft(input(13, 13, "float64"), { norm = norm }), 13)
    end
  end)

  it("is the first half of the complex transform, whatever lies in memory", function()
    local all = input({ 4, 41 }, 3, "float64")
    for _, part in ipairs { all[{ {}, { 2, 21 } }], all[{ { 1, -1, 2 }, { 1, 40 } }], all, all.T } do
      local n = part.shape[2]
      near(fft.rfft(part), fft.fft(part)[{ {}, { 1, math.floor(n / 2) + 1 } }]:copy "C", n * n)
    end
    local odd = gpuarray.wrap(gpu.cuda.pointer(all.ptr + 8), { 40 }, "float64") -- not aligned for pairs
    near(fft.rfft(odd), fft.fft(odd)[{ { 1, 21 } }]:copy "C", 1600)
    assert.equal("complex64", tostring(fft.rfft(gpuarray.to_gpu({ 1, 2, 3 }, "int16")).dtype))
  end)

  it("has no imaginary part where there is none", function()
    for _, n in ipairs { 2, 10, 1000, 96 } do
      local y = fft.rfft(input({ n }, n + 1, "float64")):imag()
      assert.equal(0, y[1])
      assert.equal(0, y[n / 2 + 1])
    end
  end)

  it("writes to `out`, and refuses what is not real", function()
    local out = gpuarray.zeros(7, "complex128")
    assert.equal(out, fft.rfft(input(12, 12, "float64"), { out = out }))
    check("rfft_12_backward", out, 12)
    gpu.raises("LogicError", "fft.rfft: complex64 is not real; fft.fft transforms complex numbers", fft.rfft,
      input(4, 4, "complex64"))
    gpu.raises("LogicError", "fft.rfft: n must be a positive integer, got 0", fft.rfft, out:real(), { n = 0 })
    gpu.raises("LogicError", "Fourier transforms of bfloat16 are not supported", fft.rfft, out:real():astype "bfloat16")
    gpu.refuses_nonsense(function(x) return fft.rfft(x) end)
  end)
end)

describe("fft.irfft", function()
  setup(function() gpu.context() end)

  it("gives NumPy's results for lengths of all kinds", function()
    for _, n in ipairs(lengths) do
      local m = math.floor(n / 2) + 1
      check("irfft_" .. n, fft.irfft(input(m, n), { n = n }), n)
      if every or few[n] then check("irfft_" .. n, fft.irfft(input(m, n, "complex64"), { n = n }), n) end
    end
  end)

  it("takes the axis, n and the norm", function()
    for axis = 1, 3 do
      check("irfft_axis_" .. axis, fft.irfft(input(SHAPE, 7), { axis = axis }), 14)
      check(("irfft_axis_%d_to_7"):format(axis), fft.irfft(input(SHAPE, 7), { axis = axis, n = 7 }), 7)
    end
    for _, n in ipairs { 1, 7, 11, 20, 33 } do check("irfft_7_to_" .. n, fft.irfft(input(7, 12), { n = n }), n) end
    for _, norm in ipairs { "backward", "ortho", "forward" } do
      check("irfft_12_" .. norm, fft.irfft(input(7, 12), { n = 12, norm = norm }), 12)
      check("irfft_13_" .. norm, fft.irfft(input(7, 13), { n = 13, norm = norm }), 13)
    end
  end)

  it("ignores imaginary parts that a transform of real numbers lacks", function()
    for _, n in ipairs { 8, 9 } do
      local x = fft.rfft(input(n, n, "float64"))
      local expected = fft.irfft(x, { n = n })
      x[1] = ffi.new("complex double", x[1].re, 7)
      if n == 8 then x[5] = ffi.new("complex double", x[5].re, 0 / 0) end
      assert.is_true(fft.irfft(x, { n = n }):eq(expected):all():item())
    end
  end)

  it("is the inverse at random lengths, of several axes, and with 64-bit places", function()
    for round = 1, every and 30 or 4 do
      if round == 4 then finally(knob(passes, "NARROW", 0)) end
      local n, shape = math.random(1, 300), { 2, 3, 2 }
      local axis = round % 3 + 1
      shape[axis] = n
      local t = round % 2 == 0 and "float32" or "float64"
      local x = input(shape, round, t)
      local y = fft.irfft(fft.rfft(x, { axis = axis }), { axis = axis, n = n })
      assert.equal(t, tostring(y.dtype))
      near(y, x, n * n)
    end
  end)

  it("refuses a result without elements", function()
    local a = gpuarray.zeros({ 2, 1 }, "complex64")
    gpu.raises("LogicError", "axis 2 has 1 element; without the option n, the result would have none", fft.irfft, a)
    assert.same({ 2, 1 }, { unpack(fft.irfft(a, { n = 1 }).shape) })
    assert.equal("float32", tostring(fft.irfft(gpuarray.zeros(3)).dtype))
    gpu.refuses_nonsense(function(x) return fft.irfft(x) end)
  end)
end)
