-- cuda.fft along several axes, shifts and frequencies: NumPy's results, errors.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local fft = require "cudalua.fft"
local gpuarray = require "cudalua.gpuarray"
local reference = require "spec.support.fft_reference"

local input, check = reference.input, reference.check
local SHAPE = { 6, 5, 8 }

local function same(expected, a) assert.same(expected, a:get():tolist()) end

-- The function's golden values with all options, in both types.
local function golden(name)
  for _, t in ipairs { "complex128", "complex64" } do
    local a = input(SHAPE, 7, t)
    check(name, fft[name](a), 240)
    check(name .. "_ortho", fft[name](a, { norm = "ortho" }), 240)
    check(name .. "_axes", fft[name](a, { axes = { 1, 3 } }), 48)
    check(name .. "_axes", fft[name](a, { axes = { -3, -1 } }), 48)
    check(name .. "_s", fft[name](a, { s = { 4, 9 }, axes = { 1, 2 } }), 36)
  end
  local a = input(SHAPE, 7)
  assert.equal(a, fft[name](a, { out = a, stream = cuda.Stream() }))
  check(name, a, 240)
end

describe("transforms along several axes:", function()
  setup(function() gpu.context() end)

  it("fft.fft2", function()
    golden "fft2"
    gpu.raises("LogicError", "fft.fft2: it transforms 2 axes; the array has 1", fft.fft2, gpuarray.zeros(3))
    gpu.refuses_nonsense(function(x) return fft.fft2(x) end)
  end)
  it("fft.ifft2", function() golden "ifft2" end)
  it("fft.fftn", function()
    golden "fftn"
    local a = input(SHAPE, 7)
    check("fft_axis_3_to_11", fft.fftn(a, { s = { 11 } }), 11)
    check("fft_axis_1", fft.fftn(a, { axes = 1 }), 6)
  end)
  it("fft.ifftn", function() golden "ifftn" end)

  it("refuse axes and extents that do not fit", function()
    local a = gpuarray.zeros(SHAPE)
    gpu.raises("LogicError", "fft.fftn: axis 4: the array has 3 axes", fft.fftn, a, { axes = { 1, 4 } })
    gpu.raises("LogicError", "axis -1 appears twice", fft.fftn, a, { axes = { 3, -1 } })
    gpu.raises("LogicError", "s has 1 extents for 2 axes", fft.fftn, a, { s = { 4 }, axes = { 1, 2 } })
    gpu.raises("LogicError", "s has 4 extents; the array has 3 axes", fft.fftn, a, { s = { 4, 4, 4, 4 } })
    gpu.raises("LogicError", "expected a table of options, got a list; write { s = ... }", fft.fftn, a, { 4, 4 })
    gpu.raises("LogicError", "got 4; write { s = { 4 } }", fft.ifft2, a, 4)
    gpu.raises("LogicError", "axes is an empty list", fft.fftn, a, { axes = {} })
    gpu.raises("LogicError", "fft.ifftn: s", fft.ifftn, a, { s = { 0, 1 } })
    gpu.raises("LogicError", "without the option s, the extent of axis 1 must be a positive integer", fft.fftn,
      gpuarray.zeros { 0, 3 })
    gpu.raises("LogicError", "did you mean 'forward'?", fft.ifft2, a, { norm = "forwards" })
  end)

  it("give back the memory between axes", function()
    local a = input({ 16, 16, 16 }, 1)
    fft.fftn(a, { out = a })
    cuda.collect()
    collectgarbage "stop" -- finalizers would give it back, too
    local before = cuda.mem_stats().live
    local list = {}
    for i = 1, 3 do list[i] = fft.fftn(a) end
    local after = cuda.mem_stats().live
    assert.equal(3, #list)
    collectgarbage "restart"
    assert.is_true(after - before < 4 * 16 * 16 ^ 3, after - before) -- three arrays, and not nine
  end)
end)

describe("shifts of transforms:", function()
  setup(function() gpu.context() end)

  it("fft.fftshift", function()
    same({ 4, 5, 1, 2, 3 }, fft.fftshift(gpuarray.to_gpu { 1, 2, 3, 4, 5 }))
    same({ 3, 4, 1, 2 }, fft.fftshift(gpuarray.to_gpu({ 1, 2, 3, 4 }, "int8")))
    local m = gpuarray.arange(6):reshape(2, 3)
    same({ { 5, 3, 4 }, { 2, 0, 1 } }, fft.fftshift(m))
    same({ { 2, 0, 1 }, { 5, 3, 4 } }, fft.fftshift(m, 2))
    same({ { 3, 4, 5 }, { 0, 1, 2 } }, fft.fftshift(m, { -2 }))
    same({ { 3, 4, 5 }, { 0, 1, 2 } }, fft.fftshift(m, { axes = 1 }))
    same({ { 5, 3, 4 }, { 2, 0, 1 } }, fft.fftshift(m, {}))
    local out = gpuarray.zeros({ 2, 3 }, "int64")
    assert.equal(out, fft.fftshift(m, { axes = { 1, 2 }, out = out }))
    same({ { 5, 3, 4 }, { 2, 0, 1 } }, out)
    gpu.raises("LogicError", "fft.fftshift: axis 3: the array has 2 axes", fft.fftshift, m, 3)
    gpu.raises("LogicError", "fft.fftshift: a must be a gpuarray", fft.fftshift, { 1 })
  end)

  it("fft.ifftshift", function()
    same({ 3, 4, 5, 1, 2 }, fft.ifftshift(gpuarray.to_gpu { 1, 2, 3, 4, 5 }))
    local a = input({ 5, 4, 3 }, 2)
    assert.is_true(fft.ifftshift(fft.fftshift(a)):eq(a):all():item())
    assert.is_true(fft.ifftshift(fft.fftshift(a, { 1, 3 }), { 1, 3 }):eq(a):all():item())
    gpu.raises("LogicError", "fft.ifftshift: axis 0", fft.ifftshift, a, 0)
  end)
end)

describe("frequencies of transforms:", function()
  setup(function() gpu.context() end)

  it("fft.fftfreq", function()
    same({ 0, 0.125, 0.25, 0.375, -0.5, -0.375, -0.25, -0.125 }, fft.fftfreq(8))
    local wanted = {}
    for i, k in ipairs { 0, 1, 2, 3, -3, -2, -1 } do wanted[i] = k * (1 / (7 * 0.1)) end
    same(wanted, fft.fftfreq(7, 0.1, { dtype = "float64" }))
    assert.equal("float64", tostring(fft.fftfreq(7, { dtype = "float64" }).dtype))
    assert.equal("float32", tostring(fft.fftfreq(7).dtype))
    same({ 0 }, fft.fftfreq(1))
    for _, n in ipairs { 0, -1, 1.5, "x" } do
      gpu.raises("LogicError", "fft.fftfreq: n must be a positive integer", fft.fftfreq, n)
    end
    for _, d in ipairs { 0, 0 / 0, 1 / 0, "x" } do
      gpu.raises("LogicError", "d must be a finite number and not 0", fft.fftfreq, 4, d)
    end
    gpu.raises("LogicError", "frequencies are floating-point numbers, not int32", fft.fftfreq, 4, { dtype = "int32" })
  end)

  it("fft.rfftfreq", function()
    same({ 0, 0.125, 0.25, 0.375, 0.5 }, fft.rfftfreq(8))
    same({ 0, 0.5, 1 }, fft.rfftfreq(5, 0.4))
    local out = gpuarray.zeros(3, "float64")
    assert.equal(out, fft.rfftfreq(4, 0.25, { out = out }))
    same({ 0, 1, 2 }, out)
    gpu.raises("LogicError", "fft.rfftfreq: n must be a positive integer, got 0", fft.rfftfreq, 0)
  end)
end)
