-- cuda.image.convolve2d and separable: SciPy's results, properties, errors.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local code = require "cudalua.image.code"
local convolve = require "cudalua.image.convolve"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local image = require "cudalua.image"
local knob = require "spec.support.knob"
local reference = require "spec.support.image_reference"
local turn = require "spec.support.turn"

local check, input, near, pixels = reference.check, reference.input, reference.near, reference.pixels
local every = os.getenv "CUDALUA_ALL" == "1"

local KERNELS = { { 1, 1 }, { 3, 3 }, { 2, 4 }, { 1, 5 }, { 5, 1 }, { 7, 9 }, { 9, 12 }, { 20, 3 }, { 3, 70 },
  { 35, 34 } }
local MODES = { "full", "same", "valid" }
local BOUNDARIES = { "edge", "reflect", "symmetric", "wrap" }

local function has(name)
  local ok, h = pcall(reference.golden.get, reference.golden, name)
  return ok and h ~= nil
end

-- Of the file's results those of one kernel; how many there were.
local function compare(a, h, w, bound)
  local k, count = input(("k_%d_%d"):format(h, w)), 0
  for _, mode in ipairs(MODES) do
    local name = ("conv_%d_%d_%s_"):format(h, w, mode)
    local function with(suffix, options)
      if not has(name .. suffix) then return end
      count = count + 1
      options.mode = mode
      check(image.convolve2d(a, k, options), name .. suffix, bound)
    end
    with("constant", {})
    with("fill", { fill = 1.5 })
    for _, boundary in ipairs(BOUNDARIES) do with(boundary, { boundary = boundary }) end
  end
  return count
end

describe("image.convolve2d", function()
  setup(function() gpu.context() end)

  it("gives SciPy's results for kernels of all sizes, modes and boundaries", function()
    local count = 0
    for _, size in ipairs(KERNELS) do
      count = count + compare(input "a", size[1], size[2], 1e-12)
      if every then compare(input("a", "float32"), size[1], size[2], 1e-3) end
    end
    local there = 0
    for _, name in ipairs(reference.golden:names()) do there = there + (name:find "^conv_" and 1 or 0) end
    assert.equal(there, count)
    assert.is_true(count > 100)
  end)

  it("flips the kernel, so that a point becomes the kernel", function()
    local a = gpuarray.zeros { 5, 6 }
    a[{ 3, 4 }] = 1
    local k = gpuarray.to_gpu { { 1, 2, 3 }, { 4, 5, 6 } }
    local y = image.convolve2d(a, k, { mode = "same" })
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, y[{ { 3, 4 }, { 3, 5 } }]:tolist())
    assert.equal(21, y:sum():item())
    local correlated = image.convolve2d(a, k:flip(), { mode = "valid" })
    assert.same({ 0, 6, 5, 4 }, correlated[{ 2, {} }]:tolist())
  end)

  it("computes complex numbers, and 16-bit floats in float32", function()
    check(image.convolve2d(input "c", input "q"), "complex")
    check(image.convolve2d(input("c", "complex64"), input "q"), "complex")
    local a = input("a", "float16")
    for _, t in ipairs { "float16", "bfloat16" } do
      local x = a:astype(t)
      local y = image.convolve2d(x, input "k_3_3", { boundary = "reflect" })
      assert.equal(t, tostring(y.dtype))
      local wide = image.convolve2d(x:astype "float32", input "k_3_3", { boundary = "reflect" })
      near(y, wide:astype(t))
    end
  end)

  it("rounds integers to even and clamps them", function()
    check(image.convolve2d(input "b", input "sharp", { mode = "same", boundary = "symmetric" }), "bytes")
    local a = gpuarray.to_gpu({ { 1, 3, 5, -7 } }, "int8")
    assert.same({ { 0, 2, 2, -4 } }, image.convolve2d(a, { { 0.5 } }):tolist())
    assert.same({ { 100, 127, 127, -128 } }, image.convolve2d(a, { { 100 } }):tolist())
    for _, t in ipairs { "uint16", "int16", "int32", "uint32", "int64", "uint64" } do
      local x = pixels({ 3, 40 }, t, 5)
      local y = image.convolve2d(x, { { -1, 3 } }, { mode = "valid" })
      assert.equal(t, tostring(y.dtype))
      local wide = x:astype "int64"
      local expected = wide[{ {}, { 1, -2 } }] * 3 - wide[{ {}, { 2, -1 } }]
      if t:sub(1, 1) == "u" then expected = expected:maximum(0) end
      assert.is_true(y:astype("int64"):eq(expected):all():item())
    end
    assert.same({ { 0 } }, image.convolve2d(gpuarray.to_gpu({ { 7 } }, "int32"), { { 0 / 0 } }):tolist())
  end)

  it("takes batches, and channels as the last axis", function()
    local k = input "k_2_4"
    for _, channels in ipairs { 1, 3, 7, 70 } do
      local a = pixels({ 2, 5, 37, channels }, "float64", channels)
      local y = image.convolve2d(a, k, { channels = true, boundary = "reflect" })
      local apart = image.convolve2d(a:transpose { 1, 4, 2, 3 }:copy "C", k, { boundary = "reflect" })
      near(y, apart:transpose { 1, 3, 4, 2 }, "channels", 1e-10)
      assert.same({ 2, 6, 40, channels }, { unpack(y.shape) })
      near(apart[{ 2, channels, {}, {} }], image.convolve2d(a[{ 2, {}, {}, channels }], k, { boundary = "reflect" }))
    end
    local a = pixels({ 4, 30, 3 }, "uint8", 1)
    local wide = image.convolve2d(a, gpuarray.ones { 3, 40 } / 120, { channels = true, mode = "same" })
    near(wide, image.convolve2d(a:moveaxis(3, 1), gpuarray.ones { 3, 40 } / 120, { mode = "same" }):moveaxis(1, 3))
  end)

  it("convolves pictures of many tiles as padded ones", function()
    for round, size in ipairs { { 70, 150 }, { 33, 64 }, { 1, 200 }, { 200, 1 } } do
      local a = pixels(size, round % 2 == 0 and "float32" or "float64", round)
      for _, k in ipairs { { 3, 3 }, { 17, 19 } } do
        local kernel = pixels(k, "float64", 9)
        local padded = a:pad({ { k[1] - 1, k[1] - 1 }, { k[2] - 1, k[2] - 1 } }, "symmetric")
        local y = image.convolve2d(a, kernel, { boundary = "symmetric" })
        assert.is_true(gpuarray.array_equal(y, image.convolve2d(padded, kernel, { mode = "valid" })))
        -- Whole numbers: every sum is exact.
        local by_hand = 0
        if k[1] == 3 then
          for r = 1, 3 do
            for c = 1, 3 do
              local part = padded[{ { 4 - r, -r }, { 4 - c, -c } }]
              by_hand = by_hand + part * kernel[{ r, c }]
            end
          end
          assert.is_true(gpuarray.array_equal(y, by_hand))
        end
      end
    end
  end)

  it("takes views, pending arrays and kernels from the host", function()
    local a, k = input "a", input "k_3_3"
    local list = k:get { array = true }:tolist()
    check(image.convolve2d((a * 2) / 2, k * 1, { mode = "same" }), "conv_3_3_same_constant")
    check(image.convolve2d(a.T:copy().T, list, { mode = "same" }), "conv_3_3_same_constant")
    check(image.convolve2d(a, k.T:copy().T, { mode = "same" }), "conv_3_3_same_constant")
    local framed = a:pad(2)
    check(image.convolve2d(framed[{ { 3, -3 }, { 3, -3 } }], k, { mode = "same" }), "conv_3_3_same_constant")
  end)

  it("writes to `out`, which may be the picture, in streams and with allocators", function()
    local a, stream = input "a", cuda.Stream()
    assert.equal(a, image.convolve2d(a, input "k_3_3", { mode = "same", out = a, stream = stream }))
    stream:synchronize()
    check(a, "conv_3_3_same_constant")
    local taken = 0
    image.convolve2d(input "a", input "k_3_3", { allocator = function(bytes)
      taken = taken + bytes
      return cuda.mem_alloc(bytes)
    end })
    assert.equal(9 * 11 * 8, taken)
    gpu.raises("LogicError", "the result has the shape (9, 11)", image.convolve2d, input "a", input "k_3_3",
      { out = a })
  end)

  it("gives the results again when a captured graph is launched", function()
    local a, k, out = input "a", input "k_7_9", gpuarray.zeros({ 7, 9 }, "float64")
    local fill = { mode = "same", fill = 1.5, out = out }
    image.convolve2d(a, k, fill) -- compiled before
    out:fill(0)
    local stream = cuda.Stream "non_blocking"
    local graph = stream:capture(function() image.convolve2d(a, k, fill) end)
    local exec = graph:instantiate()
    for _ = 1, 2 do
      out:fill(0)
      collectgarbage()
      collectgarbage()
      for value = 1, 5 do gpuarray.full(value, 99, "float64"):release() end -- in memory that was free
      cuda.Context.synchronize(cuda.Context.get_current())
      exec:launch(stream)
      stream:synchronize()
      check(out, "conv_7_9_same_fill")
    end
  end)

  it("computes in the context of the picture", function()
    local other = cuda.Device(0):make_context()
    local a = input "a"
    cuda.Context.pop()
    local y = image.convolve2d(a, { { 2 } }, { fill = 1, mode = "same" })
    assert.is_true(gpuarray.array_equal(y, a * 2))
    assert.is_true(gpuarray.array_equal(image.separable(a, { 2 }, { 3 }), a * 6))
    assert.is_true(gpuarray.array_equal(image.rotate(a, 180, { fill = 1 }), a:flip()))
    other:detach()
  end)

  it("gives empty results of empty pictures", function()
    for _, shape in ipairs { { 0, 5 }, { 5, 0 }, { 0, 3, 4 }, { 0, 0 } } do
      for _, mode in ipairs { "full", "same" } do
        assert.equal(0, image.convolve2d(gpuarray.zeros(shape), { { 1, 2 } }, { mode = mode }).size)
      end
    end
    assert.same({ 0, 6 }, { unpack(image.convolve2d(gpuarray.zeros { 0, 5 }, { { 1, 2 } }).shape) })
    near(image.convolve2d(gpuarray.full({ 1, 1 }, 3), { { 1, 2, 3 } }, { boundary = "reflect" }), gpuarray.to_gpu {
      { 18, 18, 18 } })
  end)

  it("keeps NaN to the pixels that it meets", function()
    local a = gpuarray.ones { 6, 6 }
    a[{ 2, 2 }] = 0 / 0
    local y = image.convolve2d(a, gpuarray.ones { 3, 3 }, { mode = "same" })
    assert.equal(9, y:isnan():count_nonzero():item())
  end)

  it("is the same with 64-bit places", function()
    finally(knob(code, "NARROW", 0))
    compare(input "a", 3, 3, 1e-12)
    local a = pixels({ 2, 5, 37, 3 }, "float64", 4)
    local y = image.convolve2d(a, input "k_2_4", { channels = true, boundary = "wrap" })
    near(y[{ 2, {}, {}, 3 }], image.convolve2d(a[{ 2, {}, {}, 3 }], input "k_2_4", { boundary = "wrap" }))
  end)

  it("has the same bits with less shared memory", function()
    local a, k = pixels({ 40, 90 }, "float32", 7) / 7, pixels({ 8, 14 }, "float32", 8) / 11
    local y = image.convolve2d(a, k)
    finally(knob(convolve, "SMALL", { chunk = 8, span = 4 }))
    assert.is_true(gpuarray.array_equal(y, image.convolve2d(a, k)))
  end)

  it("has the same bits for rows by a kernel of their own and by the one for all", function()
    local list, form = {}, convolve.ROW
    for _, t in ipairs { "float32", "uint8", "float64", "complex64", "float16" } do
      for _, channels in ipairs { 1, 2, 3, 8, 9 } do
        for _, width in ipairs { 4, 30, 150 } do list[#list + 1] = { t, channels, width } end
      end
    end
    finally(knob(convolve, "ROW", form))
    for _, case in ipairs(turn.share(list)) do
      local t, channels, width = unpack(case)
      local a = pixels({ 2, 34, 100, channels }, t == "complex64" and "float32" or t, channels) % 31
      if t ~= "uint8" then a = a:astype(t) / 7 end
      local k = pixels({ 1, width }, "float64", width) / (width * 250)
      local o = { channels = true, fill = 1, mode = "same" }
      convolve.ROW = form
      local y = image.convolve2d(a, k, o)
      convolve.ROW = { shortest = math.huge }
      assert.is_true(gpuarray.array_equal(y, image.convolve2d(a, k, o)), table.concat(case, " "))
    end
  end)

  it("refuses what does not fit", function()
    local a = gpuarray.zeros { 4, 5 }
    local function raises(text, ...) gpu.raises("LogicError", text, image.convolve2d, ...) end
    raises("image.convolve2d: a must be a gpuarray, got nil", nil, { { 1 } })
    raises("a picture has rows and columns, the array has 1 axis", gpuarray.zeros(4), { { 1 } })
    raises("the array has 2 axes", a, { { 1 } }, { channels = true })
    raises("kernel must have 2 axes", a, { 1, 2 })
    raises("kernel has no elements", a, gpuarray.zeros { 0, 3 })
    raises("mode must be 'full', 'same' or 'valid', got 'vald'; did you mean 'valid'?", a, { { 1 } },
      { mode = "vald" })
    raises("boundary must be 'constant', 'edge', 'reflect', 'symmetric' or 'wrap', got 'mirror'", a, { { 1 } },
      { boundary = "mirror" })
    raises("fill needs boundary", a, { { 1 } }, { boundary = "edge", fill = 1 })
    raises("fill:", gpuarray.zeros({ 4, 5 }, "uint8"), { { 1 } }, { fill = 256 })
    raises("fill:", a, { { 1 } }, { fill = "black" })
    raises("the kernel has 6 columns, but the picture has 5; mode 'valid' needs a smaller " ..
      "kernel", a, gpuarray.ones { 2, 6 },
      { mode = "valid" })
    raises("complex64 cannot be stored in float32", a, gpuarray.ones({ 2, 2 }, "complex64"))
    raises("pictures of bool cannot be filtered", gpuarray.zeros({ 4, 5 }, "bool"), { { 1 } })
    raises("channels must be true or false", a, { { 1 } }, { channels = 3 })
    raises("unknown option", a, { { 1 } }, { padding = 1 })
    raises("fill: expected a number, got a cdata", a, { { 1 } }, { fill = ffi.new "int[2]" })
  end)
end)

describe("image.separable", function()
  setup(function() gpu.context() end)

  it("gives the results of convolve2d with the outer product", function()
    local a, column, row = input "a", input "column", input "row"
    for _, mode in ipairs { "full", "same" } do
      check(image.separable(a, column, row, { mode = mode, fill = -0.5 }), "sep_" .. mode .. "_fill")
    end
    check(image.separable(a, column, row[{ { 1, 4 } }], { mode = "valid" }), "sep_valid_constant")
    local outer = gpuarray.outer(column, row)
    for _, boundary in ipairs(BOUNDARIES) do
      for _, mode in ipairs { "full", "same" } do
        near(image.separable(a, column, row, { mode = mode, boundary = boundary }),
          image.convolve2d(a, outer, { mode = mode, boundary = boundary }), boundary, 1e-12)
      end
    end
  end)

  it("takes batches, channels and types, and rounds integers once", function()
    local a, third = pixels({ 2, 9, 8, 3 }, "uint8", 3), { 1 / 3, 1 / 3, 1 / 3 }
    local y = image.separable(a, third, third, { channels = true, boundary = "edge", mode = "same" })
    local wide = image.separable(a:astype "float32", third, third, { channels = true, boundary = "edge",
      mode = "same" })
    assert.is_true(gpuarray.array_equal(y, wide:round():astype "uint8"))
    check(image.separable(input "c", { 1, 2 }, { 1, -1, 3 }), "complex_separable")
  end)

  it("gives the results again when a captured graph is launched", function()
    local a, out = input "a", gpuarray.zeros({ 7, 9 }, "float64")
    local o = { mode = "same", fill = -0.5, out = out }
    local column, row = input "column", input "row"
    image.separable(a, column, row, o) -- compiled before
    local stream = cuda.Stream "non_blocking"
    local exec = stream:capture(function() image.separable(a, column, row, o) end):instantiate()
    for _ = 1, 2 do
      out:fill(0)
      collectgarbage()
      gpuarray.full({ 7, 26 }, 99, "float64"):release() -- the size of what is between the passes
      cuda.Context.synchronize(cuda.Context.get_current())
      exec:launch(stream)
      stream:synchronize()
      check(out, "sep_same_fill")
    end
  end)

  it("takes `out`, and gives empty results", function()
    local out = gpuarray.zeros({ 7, 9 }, "float64")
    assert.equal(out, image.separable(input "a", input "column", input "row", { mode = "same", out = out,
      fill = -0.5, stream = cuda.Stream() }))
    check(out, "sep_same_fill")
    assert.same({ 0, 4 }, { unpack(image.separable(gpuarray.zeros { 0, 4 }, { 1, 2 }, { 1 }).shape) })
  end)

  it("refuses what does not fit", function()
    local a = gpuarray.zeros { 4, 5 }
    gpu.raises("LogicError", "column must have 1 axis", image.separable, a, { { 1 } }, { 1 })
    gpu.raises("LogicError", "row must be an array, a list or a number, got nil", image.separable, a, { 1 })
    gpu.raises("LogicError", "row must have 1 axis, got an array with 0", image.separable, a, { 1 }, 3)
    gpu.raises("LogicError", "the kernel has 5 rows", image.separable, a, { 1, 2, 3, 4, 5 }, { 1 },
      { mode = "valid" })
  end)
end)
