-- cuda.image.rotate: SciPy's results, quarters of a turn, errors.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local code = require "cudalua.image.code"
local dtype = require "cudalua.dtype"
local gpuarray = require "cudalua.gpuarray"
local image = require "cudalua.image"
local knob = require "spec.support.knob"
local reference = require "spec.support.image_reference"

local check, input, near, pixels = reference.check, reference.input, reference.near, reference.pixels

local FILTERS = { "nearest", "linear", "cubic" }

local function compare(t, bound)
  local a, count = input("f", t), 0
  for _, name in ipairs(reference.golden:names()) do
    local filter, degrees, reshape, fill = name:match "^turn_(%a+)_([^_]+)_(%d)_(%d)$"
    if filter then
      check(image.rotate(a, tonumber(degrees), { filter = filter, reshape = reshape == "1", fill = tonumber(fill) }),
        name, bound)
      count = count + 1
    end
  end
  return count
end

describe("image.rotate", function()
  setup(function() gpu.context() end)

  it("gives SciPy's results by every filter, with fills, in the same size and in a larger one", function()
    assert.equal(36, compare("float64", 1e-12))
    assert.equal(36, compare("float32", 1e-5))
  end)

  it("turns counterclockwise, by quarters exactly", function()
    local a = pixels({ 2, 5, 8 }, "float32", 3)
    for _, filter in ipairs(FILTERS) do
      for quarters = -3, 4 do
        local y = image.rotate(a, 90 * quarters, { filter = filter, reshape = true })
        assert.is_true(gpuarray.array_equal(y, gpuarray.rot90(a, quarters % 4, { 2, 3 })), filter .. quarters)
      end
    end
    assert.same({ { 2, 4 }, { 1, 3 } }, image.rotate(gpuarray.to_gpu { { 1, 2 }, { 3, 4 } }, 90):tolist())
    assert.is_true(gpuarray.array_equal(image.rotate(a, 360), a))
    local whole = image.rotate(a, 1e12 * 360 + 90, { reshape = true })
    assert.same({ 2, 8, 5 }, { unpack(whole.shape) })
  end)

  it("is linear, in the same size, with zeros outside by default", function()
    check(image.rotate(input("f", "float64"), 30), "turn_linear_30_0_0", 1e-12)
  end)

  it("takes batches and channels", function()
    local a = pixels({ 2, 9, 37, 3 }, "uint8", 5)
    for _, filter in ipairs(FILTERS) do
      local y = image.rotate(a, -20, { filter = filter, channels = true, fill = 9, reshape = true })
      local apart = image.rotate(a:moveaxis(4, 2), -20, { filter = filter, fill = 9, reshape = true })
      assert.is_true(gpuarray.array_equal(y, apart:moveaxis(2, 4)))
      local one = image.rotate(a[{ 2, {}, {}, 3 }], -20, { filter = filter, fill = 9, reshape = true })
      assert.is_true(gpuarray.array_equal(apart[{ 2, 3 }], one))
      assert.equal(9, y[{ 1, 1, 1, 1 }]:item())
    end
  end)

  it("takes every dtype, nearest pixels also of bool and structs", function()
    for _, t in ipairs { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
      "bfloat16" } do
      local a = pixels({ 6, 7 }, t, 2) % 100
      local y = image.rotate(a, 10, { fill = 3 })
      assert.equal(t, tostring(y.dtype))
      local wide = image.rotate(a:astype "float32", 10, { fill = 3 })
      near(y, (y.dtype.kind == "float" and wide or wide:round()):astype(t), t)
    end
    local c = input("c", "complex64")
    near(image.rotate(c, 33):imag(), image.rotate(c:imag(), 33))
    local mask = gpuarray.to_gpu({ { true, false }, { true, true } }, "bool")
    assert.same({ { false, true }, { true, true } }, image.rotate(mask, 90, { filter = "nearest" }):tolist())
    assert.equal(true, image.rotate(mask, 45, { filter = "nearest", fill = true, reshape = true })[{ 1, 1 }]:item())
    local point = dtype.struct({ { "x", "float32" }, { "y", "int8" } }, { name = "rotate_point" })
    assert.same({ 3, 2 }, { unpack(image.rotate(gpuarray.zeros({ 2, 3 }, point), 90, { filter = "nearest",
      reshape = true }).shape) })
  end)

  it("takes views and pending arrays, `out`, streams and allocators", function()
    local a = input("f", "float64")
    check(image.rotate((a * 2) / 2, 30), "turn_linear_30_0_0", 1e-12)
    check(image.rotate(a.T:copy().T, 30), "turn_linear_30_0_0", 1e-12)
    local stream = cuda.Stream()
    assert.equal(a, image.rotate(a, 30, { out = a, stream = stream }))
    stream:synchronize()
    check(a, "turn_linear_30_0_0", 1e-12)
    local taken = 0
    image.rotate(a, 30, { allocator = function(bytes)
      taken = taken + bytes
      return cuda.mem_alloc(bytes)
    end })
    assert.equal(1040, taken)
  end)

  it("fills what empty pictures become", function()
    assert.same({ 0, 5 }, { unpack(image.rotate(gpuarray.zeros { 0, 5 }, 180).shape) })
    assert.same({ 5, 0 }, { unpack(image.rotate(gpuarray.zeros { 0, 5 }, 90, { reshape = true }).shape) })
    local y = image.rotate(gpuarray.zeros { 0, 5 }, 45, { reshape = true, fill = 2 })
    near(y, gpuarray.full({ 4, 4 }, 2))
    near(image.rotate(gpuarray.full({ 1, 1 }, 3), 71, { filter = "cubic" }), gpuarray.full({ 1, 1 }, 3))
  end)

  it("is the same with 64-bit places", function()
    finally(knob(code, "NARROW", 0))
    assert.equal(36, compare("float32", 1e-5))
  end)

  it("refuses what does not fit", function()
    local a = gpuarray.zeros { 4, 5 }
    local function raises(text, ...) gpu.raises("LogicError", text, image.rotate, ...) end
    raises("degrees must be a finite number, got nil", a)
    raises("degrees must be a finite number, got NaN", a, 0 / 0)
    raises("degrees must be a finite number, got inf", a, 1 / 0)
    raises("degrees must be a finite number", a, "90")
    raises("filter must be 'nearest', 'linear' or 'cubic', got 'area'", a, 30, { filter = "area" })
    raises("fill:", gpuarray.zeros({ 4, 5 }, "uint8"), 30, { fill = -1 })
    raises("reshape must be true or false", a, 30, { reshape = 1 })
    raises("a picture has rows and columns, the array has 1 axis", gpuarray.zeros(4), 30)
    raises("use filter = 'nearest'", gpuarray.zeros({ 4, 5 }, "bool"), 30)
    raises("unknown option", a, 30, { boundary = "edge" })
  end)
end)
