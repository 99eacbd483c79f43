-- cuda.image.resize: the results of Pillow and OpenCV, properties, errors.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local code = require "cudalua.image.code"
local dtype = require "cudalua.dtype"
local gpuarray = require "cudalua.gpuarray"
local image = require "cudalua.image"
local knob = require "spec.support.knob"
local reference = require "spec.support.image_reference"

local check, input, near, pixels = reference.check, reference.input, reference.near, reference.pixels

local SIZES = { { 10, 13 }, { 20, 26 }, { 17, 31 }, { 11, 13 }, { 33, 14 }, { 5, 6 }, { 3, 4 }, { 10, 1 }, { 1, 29 },
  { 7, 20 }, { 23, 5 } }
local FILTERS = { "nearest", "linear", "cubic", "area" }

local function compare(a, bound)
  for _, filter in ipairs(FILTERS) do
    for _, size in ipairs(SIZES) do
      check(image.resize(a, size, { filter = filter }), ("%s_%d_%d"):format(filter, size[1], size[2]), bound)
    end
  end
end

describe("image.resize", function()
  setup(function() gpu.context() end)

  it("gives the results of Pillow and OpenCV, larger and smaller, by every filter", function()
    compare(input "f", 3e-6)
    compare(input("f", "float64"), 1e-13)
  end)

  it("is linear if no filter is named", function() check(image.resize(input "f", { 17, 31 }), "linear_17_31") end)

  it("rounds bytes once, and clamps what the cubic filter overshoots", function()
    local photo = input "photo"
    check(image.resize(photo, { 5, 13 }, { channels = true }), "photo_linear", 0.5001)
    check(image.resize(photo, { 14, 11 }, { channels = true, filter = "cubic" }), "photo_cubic", 0.5001)
    local step = gpuarray.to_gpu({ { 0, 0, 255, 255 } }, "uint8")
    local y = image.resize(step, { 1, 8 }, { filter = "cubic" }):tolist()[1]
    assert.equal(0, y[3])
    assert.equal(255, y[6])
    assert.same({ { 2 } }, image.resize(gpuarray.to_gpu({ { 2, 3 } }, "int32"), { 1, 1 }, { filter = "area" }):tolist())
    assert.same({ { 4 } }, image.resize(gpuarray.to_gpu({ { 4, 3 } }, "uint16"), { 1, 1 }):tolist())
  end)

  it("leaves pictures of the same size as they are, also with NaN and infinities", function()
    local a = input "f"
    a[{ 3, 4 }], a[{ 5, 5 }] = 0 / 0, 1 / 0
    for _, filter in ipairs(FILTERS) do
      local y = image.resize(a, { 10, 13 }, { filter = filter })
      assert.is_true(gpuarray.array_equal(y, a, { equal_nan = true }), filter)
    end
  end)

  it("treats both sides of a picture alike", function()
    local a = pixels({ 9, 40 }, "float64", 3)
    for _, filter in ipairs(FILTERS) do
      for _, size in ipairs { { 4, 70 }, { 21, 13 } } do
        local y = image.resize(a, size, { filter = filter })
        -- Nearest pixels: of two that are equally near, the one behind.
        if filter ~= "nearest" then near(image.resize(a:flip(), size, { filter = filter }):flip(), y, filter, 1e-11) end
        near(image.resize(a.T, { size[2], size[1] }, { filter = filter }).T, y, filter, 1e-11)
      end
    end
  end)

  it("keeps constant pictures, and means with area", function()
    for _, filter in ipairs(FILTERS) do
      local y = image.resize(gpuarray.full({ 7, 5 }, 0.75), { 11, 3 }, { filter = filter })
      near(y, gpuarray.full({ 11, 3 }, 0.75), filter, 1e-6)
    end
    local a = pixels({ 30, 42 }, "float64", 11)
    local y = image.resize(a, { 4, 9 }, { filter = "area" })
    assert.is_true(math.abs(y:mean():item() - a:mean():item()) < 1e-10)
    local blocks = image.resize(a, { 10, 14 }, { filter = "area" })
    near(blocks, a:reshape(10, 3, 14, 3):mean { 2, 4 }, "blocks", 1e-10)
  end)

  it("takes batches and channels", function()
    for _, channels in ipairs { 1, 3, 40 } do
      local a = pixels({ 2, 9, 7, channels }, "float32", channels)
      for _, filter in ipairs(FILTERS) do
        local y = image.resize(a, { 13, 34 }, { filter = filter, channels = true })
        assert.same({ 2, 13, 34, channels }, { unpack(y.shape) })
        local apart = image.resize(a:moveaxis(4, 2), { 13, 34 }, { filter = filter })
        assert.is_true(gpuarray.array_equal(y, apart:moveaxis(2, 4)))
        local one = image.resize(a[{ 2, {}, {}, channels }], { 13, 34 }, { filter = filter })
        assert.is_true(gpuarray.array_equal(apart[{ 2, channels }], one))
      end
    end
  end)

  it("takes every dtype, nearest pixels also of bool, 64-bit integers and structs", function()
    for _, t in ipairs { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
      "bfloat16", "float32", "float64" } do
      local a = pixels({ 4, 5 }, t, 2) % 100
      local y = image.resize(a, { 8, 10 })
      assert.equal(t, tostring(y.dtype))
      local wide = image.resize(a:astype "float64", { 8, 10 })
      local whole = y.dtype.kind ~= "float"
      near(y, (whole and wide:round() or wide):astype(t), t, t == "float16" and 0.05 or t == "bfloat16" and 0.5 or 1e-4)
      near(image.resize(a, { 8, 10 }, { filter = "area" }), image.resize(a, { 8, 10 }, { filter = "nearest" }))
    end
    for _, t in ipairs { "complex64", "complex128" } do
      local a = input("c", t)
      for _, filter in ipairs { "linear", "cubic", "area" } do
        local y = image.resize(a, { 4, 9 }, { filter = filter })
        near(y:real(), image.resize(a:real(), { 4, 9 }, { filter = filter }))
        near(y:imag(), image.resize(a:imag(), { 4, 9 }, { filter = filter }))
      end
    end
    local mask = gpuarray.to_gpu({ { true, false } }, "bool")
    assert.same({ { true, true, false, false } }, image.resize(mask, { 1, 4 }, { filter = "nearest" }):tolist())
    local big = gpuarray.to_gpu({ { 2 ^ 53, 1 } }, "int64") + 1
    assert.is_true(gpuarray.array_equal(image.resize(big, { 1, 4 }, { filter = "nearest" })[{ {}, { 1, -1, 2 } }],
      big))
    local point = dtype.struct({ { "x", "float32" }, { "z", "int8" } }, { name = "resize_point" })
    local points = gpuarray.zeros({ 2, 3 }, point)
    assert.same({ 4, 2 }, { unpack(image.resize(points, { 4, 2 }, { filter = "nearest" }).shape) })
  end)

  it("takes views and pending arrays, `out`, streams and allocators", function()
    local a = input "f"
    check(image.resize((a * 2) / 2, { 5, 6 }), "linear_5_6")
    check(image.resize(a:pad(1)[{ { 2, -2 }, { 2, -2 } }], { 5, 6 }, { filter = "area" }), "area_5_6", 2e-6)
    local out, stream = gpuarray.zeros({ 20, 26 }, "float64"), cuda.Stream()
    assert.equal(out, image.resize(a, { 20, 26 }, { out = out, stream = stream, filter = "cubic" }))
    stream:synchronize()
    check(out, "cubic_20_26", 2e-6)
    local taken = 0
    image.resize(a, { 2, 3 }, { filter = "area", allocator = function(bytes)
      taken = taken + bytes
      return cuda.mem_alloc(bytes)
    end })
    assert.equal(24, taken)
    gpu.raises("LogicError", "the result has the shape (2, 3)", image.resize, a, { 2, 3 }, { out = a })
  end)

  it("gives empty results", function()
    assert.same({ 0, 5 }, { unpack(image.resize(input "f", { 0, 5 }).shape) })
    assert.same({ 0, 3, 2 }, { unpack(image.resize(gpuarray.zeros { 0, 7, 7 }, { 3, 2 }).shape) })
    assert.same({ 0, 0 }, { unpack(image.resize(gpuarray.zeros { 4, 0 }, { 0, 0 }, { filter = "area" }).shape) })
    near(image.resize(gpuarray.full({ 1, 1 }, 3), { 4, 2 }, { filter = "cubic" }), gpuarray.full({ 4, 2 }, 3))
  end)

  it("is the same with 64-bit places", function()
    finally(knob(code, "NARROW", 0))
    compare(input "f", 3e-6)
  end)

  it("refuses what does not fit", function()
    local a = gpuarray.zeros { 4, 5 }
    local function raises(text, ...) gpu.raises("LogicError", text, image.resize, ...) end
    raises("size must be a list { height, width }, got nil", a)
    raises("size must be a list { height, width }, got 3", a, 3)
    raises("got 3 numbers", a, { 1, 2, 3 })
    raises("size[2] must be", a, { 3, -1 })
    raises("size[1] must be", a, { 2.5, 1 })
    raises("filter must be 'nearest', 'linear', 'cubic' or 'area', got 'bilinear'", a, { 3, 3 },
      { filter = "bilinear" })
    raises("a picture has rows and columns, the array has 1 axis", gpuarray.zeros(4), { 3, 3 })
    raises("a picture of 0 x 5 pixels cannot be resized to 3 x 3 pixels", gpuarray.zeros { 0, 5 }, { 3, 3 })
    raises("too many elements", a, { 2 ^ 40, 2 ^ 40 })
    raises("use filter = 'nearest'", gpuarray.zeros({ 4, 5 }, "bool"), { 3, 3 })
    raises("unknown option", a, { 3, 3 }, { mode = "linear" })
  end)
end)
