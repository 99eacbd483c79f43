-- Textures: every geometry and format against the host's data, filtering against the documented rule, options that do
-- not go together, what a texture keeps, and when it ends.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local textures = require "spec.support.textures"
local cuda = gpu.cuda
local core = require "cudalua.core"
local gpuarray = cuda.gpuarray
local soft = gpu.soft and require "cudalua.softgpu"

local function floats(list) return textures.floats_as_bytes(list) end

-- A 2D array of random floats, and them.
local function grid(w, h, fields)
  local values = {}
  for i = 1, w * h do values[i] = math.random(-64, 64) end
  local all = { width = w, height = h }
  for key, value in pairs(fields or {}) do all[key] = value end
  return textures.array(all, floats(values)), values
end

local function kernel(body) return cuda.kernel("__global__ void k(" .. body) end

local fetch = [[float *out, cudaTextureObject_t t, const float *x, const float *y, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(t, x[i], y[i]);
}]]

-- tex2D at all these places.
local function sample(texture, xs, ys)
  local out = gpuarray.zeros(#xs, "float32")
  kernel(fetch)(out, texture, gpuarray.to_gpu(xs, "float32"), gpuarray.to_gpu(ys, "float32"), #xs,
    { block = 64, grid = math.ceil(#xs / 64) })
  return out:get()
end

-- Multiples of 1/32, which are exact in floats and in the hardware's fractions of 1/256.
local function places(n, low, high)
  local list = {}
  for i = 1, n do list[i] = math.random(low * 32, high * 32) / 32 end
  return list
end

describe("cuda.TextureObject", function()
  before_each(gpu.context)

  it("fetches each texel of every geometry, format and number of channels", function()
    for _, g in ipairs(textures.geometries) do
      for _, format in ipairs(textures.format_names) do
        for _, channels in ipairs { 1, 2, 4 } do
          local fields = { format = format, num_channels = channels }
          for key, value in pairs(g[2]) do fields[key] = value end
          local n = fields.width * (fields.height or 1) * (fields.depth or 1)
          local values, bytes = textures.random(format, channels, n)
          local texture = cuda.TextureObject { array = textures.array(fields, bytes) }
          assert.same(values, textures.fetch_all(g[1], textures.formats[format].read, texture, channels, fields.width,
            fields.height or 1, n), ("%s of %d x %s"):format(g[1], channels, format))
        end
      end
    end
  end)

  it("fetches each texel of linear memory and of rows with a pitch", function()
    for _, format in ipairs(textures.format_names) do
      for _, channels in ipairs { 1, 2, 4 } do
        local read = textures.formats[format].read
        local values, bytes = textures.random(format, channels, 35)
        local memory = cuda.to_device(bytes)
        local linear = cuda.TextureObject { linear = memory, format = format, num_channels = channels }
        assert.same(values, textures.fetch_all("linear", read, linear, channels, 35, 1, 35))
        local row = #bytes / 5
        local rows, pitch = cuda.mem_alloc_pitch(row, 5, 4)
        for y = 0, 4 do cuda.memcpy_htod(rows + y * pitch, bytes:sub(y * row + 1, (y + 1) * row)) end
        local texture = cuda.TextureObject { pitch2d = rows, format = format, num_channels = channels, width = 7,
          height = 5, pitch = pitch }
        assert.same(values, textures.fetch_all("2D", read, texture, channels, 7, 5, 35))
      end
    end
  end)

  it("gives integers of 8 and 16 bits as floats if they are read normalized", function()
    for format, largest in pairs { unsigned_int8 = 255, signed_int8 = 127, unsigned_int16 = 65535,
      signed_int16 = 32767 } do
      local values, bytes = textures.random(format, 4, 7)
      local texture = cuda.TextureObject { array = textures.array({ width = 7, format = format, num_channels = 4 },
        bytes), read = "normalized" }
      for i, got in ipairs(textures.fetch_all("1D", "float", texture, 4, 7, 1, 7)) do
        assert.near(math.max(values[i] / largest, -1), got, 1e-6)
      end
    end
  end)

  it("reads formats that are floats by themselves, whose bytes are counted", function()
    -- Bytes of a texel; a channel of all bits is 1, or minus the smallest step.
    for name, row in pairs {
      unorm_int8x1 = { 1, 1 }, unorm_int8x2 = { 2, 1 }, unorm_int8x4 = { 4, 1 }, snorm_int8x4 = { 4, -1 / 127 },
      unorm_int16x1 = { 2, 1 }, snorm_int16x2 = { 4, -1 / 32767 }, unorm_int16x4 = { 8, 1 },
      unorm_int_101010_2 = { 4, 1 },
    } do
      local channels = tonumber(name:match "x(%d)$") or 4
      cuda.collect() -- what others left is not to go while this counts
      local before = cuda.mem_stats().arrays.bytes
      local array = textures.array({ width = 3, height = 2, format = name, num_channels = channels },
        ("\255"):rep(6 * row[1]))
      assert.equal(before + 6 * row[1], cuda.mem_stats().arrays.bytes)
      local texture = cuda.TextureObject { array = array, filter = "linear" }
      for _, value in ipairs(textures.fetch_all("2D", "float", texture, channels, 3, 2, 6)) do
        assert.near(row[2], value, 1e-6, name)
      end
      gpu.raises("LogicError", "are always read as floats", cuda.TextureObject, { array = array, read = "element" })
      gpu.raises("LogicError", ("do not fit in the %d"):format(3 * row[1]), cuda.memcpy_htoa, array, 0,
        (" "):rep(3 * row[1] + 1))
      array:free()
      assert.equal(before, cuda.mem_stats().arrays.bytes)
    end
  end)

  it("decodes sRGB, and leaves alpha alone", function()
    local bytes = {}
    for i = 0, 255 do bytes[i + 1] = string.char(i, i, i, i) end
    local texture = cuda.TextureObject { array = textures.array({ width = 256, format = "unsigned_int8",
      num_channels = 4 }, table.concat(bytes)), srgb = true }
    local got = textures.fetch_all("1D", "float", texture, 4, 256, 1, 256)
    for i = 0, 255 do
      local v = i / 255
      local linear = v <= 0.04045 and v / 12.92 or ((v + 0.055) / 1.055) ^ 2.4
      -- A GPU has a table of them with eight digits.
      for k = 1, 3 do assert.near(linear, got[4 * i + k], math.max(linear / 256, 2 ^ -15)) end
      assert.near(v, got[4 * i + 4], 1e-6)
    end
  end)

  it("filters as documented: exact in the middle of texels, within 2^-8 of the range per axis between them", function()
    for _, mode in ipairs { "clamp", "border", "wrap", "mirror" } do
      for _, filter in ipairs { "point", "linear" } do
        for _, normalized in ipairs { false, true } do
          if normalized or mode == "clamp" or mode == "border" then
            local w, h = 8, 4
            local array, values = grid(w, h)
            local options = { array = array, filter = filter, address = mode, normalized = normalized,
              border = mode == "border" and 3 or nil }
            local texture = cuda.TextureObject(options)
            local xs, ys = places(300, -12, 20), places(300, -8, 12)
            for i = 1, w * h do xs[i], ys[i] = (i - 1) % w + 0.5, math.floor((i - 1) / w) + 0.5 end
            if filter == "point" then -- not on the edges of texels, where rounding decides
              for i = 1, #xs do xs[i], ys[i] = math.floor(xs[i]) + 0.5, math.floor(ys[i]) + 0.25 end
            end
            if normalized then
              for i = 1, #xs do xs[i], ys[i] = xs[i] / w, ys[i] / h end
            end
            local got = sample(texture, xs, ys)
            for i = 1, #xs do
              local expected = textures.sample_2d(values, w, h, xs[i], ys[i], options)
              local exact = filter == "point" or i <= w * h
              assert.near(expected, got[i], exact and 0 or 2 * 128 / 256,
                ("%s, %s, normalized %s, at %g, %g"):format(mode, filter, tostring(normalized), xs[i], ys[i]))
            end
          end
        end
      end
    end
  end)

  it("has address modes and borders for each axis and channel", function()
    local array = textures.array({ width = 4, height = 4, num_channels = 4 }, floats((function()
      local list = {}
      for i = 1, 64 do list[i] = i end
      return list
    end)()))
    local texture = cuda.TextureObject { array = array, normalized = true, address = { "wrap", "border" },
      border = { 0.5, 1.5, -2, 8 } }
    local out = ffi.new "float[8]"
    kernel [[float4 *out, cudaTextureObject_t t)
    {
      out[0] = tex2D<float4>(t, 1.125f, 0.125f);
      out[1] = tex2D<float4>(t, 0.125f, 1.125f);
    }]](cuda.Out(out), texture, { block = 1 })
    assert.same({ 1, 2, 3, 4, 0.5, 1.5, -2, 8 }, { out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7] })
  end)

  it("gathers a channel of four texels", function()
    local list = {}
    for i = 1, 32 do list[i] = i end
    local array = textures.array({ width = 4, height = 4, depth = 0, num_channels = 2, flags = "texture_gather" },
      floats(list))
    local out = ffi.new "float[8]"
    kernel [[float4 *out, cudaTextureObject_t t)
    {
      out[0] = tex2Dgather<float4>(t, 2.f, 1.f, 0);
      out[1] = tex2Dgather<float4>(t, 2.f, 3.f, 1);
    }]](cuda.Out(out), cuda.TextureObject { array = array }, { block = 1 })
    -- Texels (1, 0), (2, 0), (1, 1), (2, 1) of channel 0: 3, 5, 11, 13; the lower row comes first, then the other back.
    assert.same({ 11, 13, 5, 3 }, { out[0], out[1], out[2], out[3] })
    assert.same({ 28, 30, 22, 20 }, { out[4], out[5], out[6], out[7] })
  end)

  it("views an array in another format, and some of its layers", function()
    local array = textures.array({ width = 4, format = "unsigned_int32" }, floats { 1.5, -2, 3, 1e6 })
    local viewed = cuda.TextureObject { array = array, view = { format = "float_1x32" } }
    assert.same({ 1.5, -2, 3, 1e6 }, textures.fetch_all("1D", "float", viewed, 1, 4, 1, 4))
    local layers = textures.array({ width = 2, depth = 4, flags = "layered" }, floats { 1, 2, 3, 4, 5, 6, 7, 8 })
    local some = cuda.TextureObject { array = layers, view = { first_layer = 1, last_layer = 2 } }
    assert.same({ 3, 4, 5, 6 }, textures.fetch_all("1D layered", "float", some, 1, 2, 1, 4))
  end)

  it("views an array as it is if the view has no format, which the driver takes none without", function()
    for format, bytes in pairs { unsigned_int8 = 1, signed_int16 = 2, unsigned_int32 = 4, half = 2, float = 4 } do
      for _, channels in ipairs { 1, 2, 4 } do
        local array = textures.array({ width = 1, format = format, num_channels = channels },
          ("\1\60\2\61"):rep(4):sub(1, bytes * channels))
        local whole, viewed = cuda.TextureObject { array = array }, cuda.TextureObject { array = array, view = {} }
        local type = format:find "^unsigned" and "uint" or format:find "^signed" and "int" or "float"
        assert.same(textures.fetch_all("1D", type, whole, channels, 1, 1, 1),
          textures.fetch_all("1D", type, viewed, channels, 1, 1, 1))
        whole:close()
        cuda.TextureObject { array = array, view = { format = "none" } }:close()
      end
    end
    local norms = cuda.Array(cuda.ArrayDescriptor { width = 4, format = "unorm_int8x1", num_channels = 1 })
    gpu.raises("LogicError", "view: format: no view reads texels of unorm_int8x1", cuda.TextureObject,
      { array = norms, view = {} })
  end)

  it("views an array in its own format if the view names none, whatever the format and the channels", function()
    for _, format in ipairs(textures.format_names) do
      for _, channels in ipairs { 1, 2, 4 } do
        local values, bytes = textures.random(format, channels, 4 * 3)
        local array = textures.array({ width = 4, depth = 3, format = format, num_channels = channels,
          flags = "layered" }, bytes)
        local read = textures.formats[format].read
        for _, view in ipairs { {}, { format = "none" }, { first_layer = 1 } } do
          local from = (view.first_layer or 0) * 4 * channels
          local viewed = cuda.TextureObject { array = array, view = view }
          local got = textures.fetch_all("1D layered", read, viewed, channels, 4, 1, 12 - from / channels)
          for i = 1, #got do assert.equal(values[from + i], got[i], format) end
        end
      end
    end
  end)

  it("clamps axes that the array does not have, so that they give no border", function()
    local array = textures.array({ width = 2 }, floats { 3, 5 })
    local texture = cuda.TextureObject { array = array, filter = "linear", address = "border", border = 100 }
    local out = ffi.new "float[3]"
    cuda.kernel [[
      __global__ void f(float *out, cudaTextureObject_t t)
      {
        out[0] = tex1D<float>(t, 0.5f); out[1] = tex1D<float>(t, 1.0f); out[2] = tex1D<float>(t, 2.0f);
      }
    ]](cuda.Out(out), texture, { block = 1 })
    assert.same({ 3, 4, 52.5 }, { out[0], out[1], out[2] })
  end)

  it("reads an array of the device, with its dtype, and what is written to it later", function()
    local a = gpuarray.arange(40, "float32") * 2
    local t = cuda.TextureObject { linear = a }
    local got = textures.fetch_all("linear", "float", t, 1, 40, 1, 40)
    for i = 1, 40 do assert.equal(2 * (i - 1), got[i]) end
    a:fill(7)
    assert.same({ 7, 7, 7 }, textures.fetch_all("linear", "float", t, 1, 3, 1, 3))
    a[{ 2 }] = 5
    assert.same({ 7, 5, 7 }, textures.fetch_all("linear", "float", t, 1, 3, 1, 3))
    local z = gpuarray.to_gpu({ ffi.new("complex", 1, 2), ffi.new("complex", 3, 4) }, "complex64")
    assert.same({ 1, 2, 3, 4 }, textures.fetch_all("linear", "float", cuda.TextureObject { linear = z }, 2, 2, 1, 2))
    local v = gpuarray.zeros(3, "uchar4")
    assert.same({ 0, 0, 0, 0 }, textures.fetch_all("linear", "uint", cuda.TextureObject { linear = v }, 4, 1, 1, 1))
    local m = gpuarray.arange(64, "float32"):reshape(4, 16)
    got = textures.fetch_all("2D", "float", cuda.TextureObject { pitch2d = m }, 1, 16, 4, 64)
    for i = 1, 64 do assert.equal(i - 1, got[i]) end
    local image = gpuarray.arange(96, "uint8"):reshape(3, 8, 4)
    got = textures.fetch_all("2D", "uint", cuda.TextureObject { pitch2d = image }, 4, 8, 3, 24)
    for i = 1, 96 do assert.equal(i - 1, got[i]) end
    local doubles = gpuarray.to_gpu({ 1, 2 }, "float64")
    gpu.raises("LogicError", "read elements of the dtype", cuda.TextureObject, { linear = doubles })
    assert.same({ 0, 0x3ff00000, 0, 0x40000000 }, textures.fetch_all("linear", "int", cuda.TextureObject {
      linear = doubles, format = "signed_int32", num_channels = 2 }, 2, 2, 1, 2))
    gpu.raises("LogicError", "with copy()", cuda.TextureObject, { linear = m.T })
    gpu.raises("LogicError", "gpuarray_to_array()", cuda.TextureObject, { pitch2d = m.T })
    gpu.raises("LogicError", "multiple of 32 (texture_pitch_alignment)", cuda.TextureObject,
      { pitch2d = gpuarray.zeros { 4, 5 } })
    gpu.raises("LogicError", "texture_alignment", cuda.TextureObject, { linear = a[{ { 2, -1 } }] })
    gpu.raises("LogicError", "no elements", cuda.TextureObject, { linear = gpuarray.zeros(0) })
  end)

  it("reads small arrays of the pool, which begin where textures do", function()
    local kept = {}
    for i = 1, 40 do
      kept[i] = gpuarray.arange(i, "float32") * i
      local got = textures.fetch_all("linear", "float", cuda.TextureObject { linear = kept[i] }, 1, i, 1, i)
      assert.equal((i - 1) * i, got[i])
    end
  end)

  it("carries the memory of an array out of its scopes, and ends with an explicit release", function()
    local t, a
    gpuarray.scope(function()
      gpuarray.scope(function()
        a = gpuarray.arange(8, "float32") + 1
        t = cuda.TextureObject { linear = a }
      end)
      gpuarray.zeros(8, "float32"):fill(9):eval()
    end)
    for _ = 1, 20 do gpuarray.ones(8, "float32"):eval() end
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8 }, textures.fetch_all("linear", "float", t, 1, 8, 1, 8))
    a:release()
    gpu.raises("LogicError", "its PooledDeviceAllocation was freed", textures.fetch_all, "linear", "float", t, 1, 8, 1,
      8)
  end)

  it("is an argument of kernels of every kind of call, and for parameters of 8 bytes alone", function()
    local fn = kernel [[unsigned long long *out, cudaTextureObject_t t) { out[0] = t; out[1] += 1; }]]
    local array = grid(4, 4)
    local t = cuda.TextureObject { array = array }
    local out = gpuarray.zeros(2, "uint64")
    local function check(times)
      local got = out:get()
      assert.equal(t:handle(), tonumber(got[1]))
      assert.equal(times, tonumber(got[2]))
      out[{ 1 }] = 0
    end
    fn(out, t, { block = 1 })
    check(1)
    fn { out, t, block = 1 }
    check(2)
    fn:prepare("PQ", { block = 1 })
    fn:prepared_call(1, out, t)
    check(3)
    fn:prepared_async_call(1, cuda.Stream(), out, t)
    cuda.Context.synchronize()
    check(4)
    fn:param_set(out, t)
    fn:set_block_shape(1)
    fn:launch()
    check(5)
    local wrong = kernel "unsigned long long *out, int t, float f, void *p) {}"
    gpu.raises("LogicError", "argument 2 (int t): expected a number, got TextureObject", wrong, out, t, 1, out,
      { block = 1 })
    gpu.raises("LogicError", "argument 4 (void *p)", wrong, out, 1, 1, t, { block = 1 })
    for _, x in ipairs { out, array, "x", out.gpudata } do
      gpu.raises("LogicError", "expected a TextureObject, which cuda.TextureObject{} makes", fn, out, x, { block = 1 })
    end
    local writes = kernel "unsigned long long *out, const cudaSurfaceObject_t s) {}"
    gpu.raises("LogicError", "argument 2 (cudaSurfaceObject_t s): expected a SurfaceObject", writes, out, t,
      { block = 1 })
    local handle = t:handle()
    fn(out, handle, { block = 1 })
    t:close()
    local err = gpu.raises("LogicError", "argument 2 (cudaTextureObject_t t): this TextureObject was closed at", fn,
      out, t, { block = 1 })
    assert.equal(2, err.arg)
    gpu.raises("LogicError", "was closed", fn.launch, fn)
    assert.is_true(handle > 0)
    gpu.raises("LogicError", "was closed", t.handle, t)
    gpu.raises("LogicError", "was closed", t.close, t)
    assert.equal("cudalua.TextureObject (closed)", tostring(t))
  end)

  it("is an argument of kernels that are made from expressions, in any stream", function()
    local look_up = cuda.elementwise.ElementwiseKernel("float *y, cudaTextureObject_t t, float x",
      "y[i] = x * tex1Dfetch<float>(t, i)")
    local weigh = cuda.reduction.ReductionKernel("float32", "0", "a + b", "x[i] * tex1Dfetch<float>(t, i)",
      "const float *x, cudaTextureObject_t t")
    local scale = cuda.elementwise.ElementwiseKernel("float *y, cudaSurfaceObject_t s",
      "y[i] = surf1Dread<float>(s, 4 * (int)i)")
    local y = gpuarray.zeros(5)
    local table_of = cuda.TextureObject { linear = gpuarray.arange(5, "float32") * 2 }
    look_up(y, table_of, 10)
    assert.equal("[ 0. 20. 40. 60. 80.]", tostring(y))
    assert.equal(2 * 20 * (1 + 4 + 9 + 16), weigh(y, table_of):item())
    scale(y, cuda.SurfaceObject { array = cuda.np_to_array(cuda.ndarray.arange(5, "float32"), "C",
      { allow_surface_bind = true }) })
    assert.equal("[0. 1. 2. 3. 4.]", tostring(y))
    local stream, values = cuda.Stream "non_blocking", gpuarray.zeros(5, "float32")
    local read = cuda.TextureObject { linear = values }
    for k = 1, 5 do
      values:fill(k) -- in the default stream, which the other one does not wait for by itself
      stream:use(function() look_up(y, read, 1) end)
      assert.equal(k, y:sum():item() / 5)
    end
    table_of:close()
    gpu.raises("LogicError", "argument 2 (unsigned long long t): this TextureObject was closed", look_up, y, table_of,
      1)
    gpu.raises("LogicError", "argument 3 (float x): expected a number", look_up, y, read, read)
    gpu.raises("LogicError", "expected an array on the device", look_up, read, read, 1)
  end)

  it("holds what it reads, and says so when that was freed", function()
    local fn = kernel "float *out, cudaTextureObject_t t) { *out = tex2D<float>(t, 1.5f, 0.5f); }"
    local out = gpuarray.zeros(1)
    local t
    gpu.apart(function()
      t = cuda.TextureObject { array = textures.array({ width = 2, height = 1 }, floats { 3, 4 }) }
    end)
    cuda.collect()
    fn(out, t, { block = 1 })
    assert.equal(4, out:item())
    local array = textures.array({ width = 2, height = 1 }, floats { 5, 6 })
    t = cuda.TextureObject { array = array }
    array:free()
    gpu.raises("LogicError", "its Array was freed at", fn, out, t, { block = 1 })
    gpu.raises("LogicError", "its Array was freed at", t.handle, t)
    t:close()
    local memory = cuda.to_device(floats { 7, 8 })
    t = cuda.TextureObject { linear = memory, format = "float" }
    memory:free()
    gpu.raises("LogicError", "its DeviceAllocation was freed at", fn, out, t, { block = 1 })
    gpu.raises("LogicError", "was freed at", cuda.TextureObject, { linear = memory, format = "float" })
    gpu.raises("LogicError", "was freed at", cuda.TextureObject, { array = array })
  end)

  it("cuda.TextureObject:close and cuda.TextureObject:handle: closing while a kernel is queued waits for it", function()
    local fn = kernel [[float *out, cudaTextureObject_t t)
    {
      for (int i = 0; i < 1000; i++) *(volatile float *)out = tex2D<float>(t, 0.5f, 0.5f) + *(volatile float *)out;
    }]]
    local stream = cuda.Stream "non_blocking"
    for _, how in ipairs { "close", "collect" } do
      local out = gpuarray.zeros(1):eval()
      gpu.apart(function()
        local t = cuda.TextureObject { array = textures.array({ width = 1, height = 1 }, floats { 2 }) }
        cuda.Context.synchronize()
        fn(out, t, { block = 1, stream = stream })
        if how == "close" then t:close() end
      end)
      if how == "collect" then cuda.collect() end
      for _ = 1, 5 do
        local other = cuda.TextureObject { array = textures.array({ width = 1, height = 1 }, floats { 100 }) }
        other:close()
      end
      stream:synchronize()
      assert.equal(2000, out:item())
    end
  end)

  it("remembers the streams that read memory of a pool by it", function()
    local stream = cuda.Stream "non_blocking"
    local fn = kernel [[float *out, cudaTextureObject_t t, int n)
    {
      float sum = 0;
      for (int i = 0; i < n; i++) sum += tex1Dfetch<float>(t, i % 64);
      *out = sum;
    }]]
    for _ = 1, 3 do
      local memory = cuda.mem_alloc_async(256)
      cuda.memset_d32(memory, 0x3f800000, 64)
      cuda.Context.synchronize()
      local out = gpuarray.zeros(1):eval()
      local t = cuda.TextureObject { linear = memory, format = "float" }
      fn(out, t, 5000, { block = 1, stream = stream })
      memory:free() -- in the order of all streams that use it
      local next_one = cuda.mem_alloc_async(256)
      cuda.memset_d32_async(next_one, 0, 64)
      stream:synchronize()
      assert.equal(5000, out:item())
      next_one:free()
      t:close()
    end
  end)

  it("goes into a graph with what it reads", function()
    local fn = kernel "float *out, cudaTextureObject_t t) { *out += tex2D<float>(t, 0.5f, 0.5f); }"
    local out, stream, exec = gpuarray.zeros(1):eval(), cuda.Stream(), nil
    local array = textures.array({ width = 1, height = 1 }, floats { 3 })
    local made_inside
    gpu.apart(function()
      local t = cuda.TextureObject { array = array }
      local graph = stream:capture(function()
        fn(out.gpudata, t, { block = 1 })
        made_inside = cuda.TextureObject { array = array }
        fn(out.gpudata, made_inside, { block = 1 })
        gpu.raises("LogicError", "being captured", t.close, t)
      end)
      exec = graph:instantiate()
    end)
    cuda.collect()
    exec:launch(stream)
    exec:launch(stream)
    stream:synchronize()
    assert.equal(12, out:item())
    made_inside:close()
    gpu.raises("LogicError", "a TextureObject that the graph uses was freed or closed", exec.launch, exec, stream)
    gpu.apart(function()
      local memory = cuda.to_device(floats { 4 })
      local t = cuda.TextureObject { linear = memory, format = "float" }
      local read = kernel "float *out, cudaTextureObject_t t) { *out = tex1Dfetch<float>(t, 0); }"
      exec = stream:capture(function() read(out.gpudata, t, { block = 1 }) end):instantiate()
      gpu.kept.memory = memory
    end)
    cuda.collect()
    exec:launch(stream):launch(stream)
    stream:synchronize()
    assert.equal(4, out:item())
    gpu.kept.memory:free()
    gpu.kept.memory = nil
    gpu.raises("LogicError", "a DeviceAllocation that the graph uses was freed", exec.launch, exec, stream)
  end)

  it("collected in a capture waits until that has ended", function()
    local array, stream = grid(2, 2), cuda.Stream()
    jit.flush() -- machine code holds what it was made for
    cuda.collect()
    local before = cuda.mem_stats().textures.count
    local graph = stream:capture(function()
      gpu.apart(function() cuda.TextureObject { array = array } end)
      collectgarbage()
      collectgarbage()
      core.drain()
      assert.equal(before + 1, cuda.mem_stats().textures.count + cuda.mem_stats().queued.count)
    end)
    cuda.collect()
    assert.equal(before, cuda.mem_stats().textures.count)
    graph:close()
    assert.equal(0, core.failed_destroys())
  end)

  it("is of its context", function()
    local mine = cuda.Context.get_current()
    local other = cuda.Device(0):make_context()
    local array = grid(2, 2)
    local t = cuda.TextureObject { array = array }
    mine:push()
    gpu.raises("LogicError", "another context", cuda.TextureObject, { array = array })
    local fn = kernel "float *out, cudaTextureObject_t t) {}"
    gpu.raises("LogicError", "this TextureObject belongs to another context", fn, gpuarray.zeros(1), t, { block = 1 })
    t:close() -- from another context
    local second
    other:with(function() second = cuda.TextureObject { array = array } end)
    cuda.Context.pop()
    other:detach()
    gpu.context()
    gpu.raises("LogicError", "its Context is gone", second.close, second)
    gpu.raises("LogicError", "its Context was detached", fn, gpuarray.zeros(1), second, { block = 1 })
    assert.equal(0, core.failed_destroys())
  end)

  it("dropped ones go in time, whatever is current and at the end of the state", function()
    local out, ok = gpu.child([[
      local cuda = require "cudalua"
      local core = require "cudalua.core"
      local ctx = cuda.Device(0):make_context()
      local array = cuda.Array(cuda.ArrayDescriptor { width = 4, height = 4 })
      local most = 0
      for i = 1, 20000 do
        cuda.TextureObject { array = array }
        most = math.max(most, cuda.mem_stats().textures.count)
      end
      assert(most < 12000, most)
      local other = cuda.Device(0):make_context()
      jit.flush() -- machine code holds what it was made for
      cuda.collect()
      assert(cuda.mem_stats().textures.count == 0)
      other:detach()
      local t = cuda.TextureObject { array = array }
      ctx:detach()
      t = nil
      ctx = cuda.Device(0):make_context()
      cuda.collect()
      at_the_end = cuda.TextureObject { linear = cuda.gpuarray.arange(4, "float32") }
      local a, b = {}, {}
      a.b, b.a = b, a
      a.t = cuda.TextureObject { array = cuda.Array(cuda.ArrayDescriptor { width = 4 }) }
      assert(core.failed_destroys() == 0)
      if cuda.driver_info().soft then assert(require "cudalua.softgpu".stats().stale == 0) end
      print "fine"
      os.exit(0, true)
    ]], gpu.driver .. " CUDALUA_SOFT_LEAKS=on")
    assert.equal("fine\n", out)
    assert.is_true(ok)
  end)

  it("refuses options that do not go together", function()
    local array = grid(8, 4)
    local bytes = textures.array({ width = 8, height = 4, format = "unsigned_int8" }, ("x"):rep(32))
    local words = cuda.Array(cuda.ArrayDescriptor { width = 8, format = "signed_int32" })
    local mipmap = cuda.MipmappedArray(cuda.ArrayDescriptor { width = 8, height = 4 })
    local memory = cuda.mem_alloc(4096)
    local function try(text, options)
      local ok, err = pcall(cuda.TextureObject, options)
      assert(not ok and cuda.is_error(err, "LogicError"), text .. ": " .. tostring(err))
      assert(err.message:find(text, 1, true), ("'%s' is not in: %s"):format(text, err.message))
    end
    try("source is missing", {})
    try("array and linear", { array = array, linear = memory })
    try("unknown option 'filtre'", { array = array, filtre = "linear" })
    try("expected a cuda.Array, got DeviceAllocation", { array = memory })
    try("expected a MipmappedArray, got Array", { mipmap = array })
    try("needs texels that are read as floats, but these are integers of unsigned_int8: read = \"normalized\"",
      { array = bytes, filter = "linear" })
    try("these are integers of signed_int32", { array = words, filter = "linear" })
    try("integers of 8 or 16 bits, but the texels are of signed_int32", { array = words, read = "normalized" })
    try("the texels are of float", { array = array, read = "normalized" })
    try("read must be \"element\" or \"normalized\", got 'float'", { array = array, read = "float" })
    try("needs texels of unsigned_int8", { array = array, srgb = true })
    try("srgb decodes to floats", { array = bytes, srgb = true, read = "element" })
    try("filter", { array = array, filter = "cubic" })
    try("address", { array = array, address = "repeat" })
    try("address[2]", { array = array, address = { "wrap", "repeat" }, normalized = true })
    try("got the key 4", { array = array, address = { "clamp", "clamp", "clamp", "clamp" } })
    try("border must be a number", { array = array, border = { 1, 2, 3, 4, 5 } })
    try("border must be a number, got 'red'", { array = array, border = "red" })
    try("normalized must be true or false", { array = array, normalized = 1 })
    try("normalized = true", { mipmap = mipmap })
    try("option mip_filter applies only to mipmaps", { array = array, mip_filter = "linear" })
    try("the lowest level, 2, is above the highest, 1", { mipmap = mipmap, normalized = true, mip_clamp = { 2, 1 } })
    try("mip_clamp must be a list", { mipmap = mipmap, normalized = true, mip_clamp = 1 })
    try("only cube maps have seams", { array = array, seamless = true })
    try("from 1 to 16, got 17", { array = array, max_anisotropy = 17 })
    try("of the memory is", { linear = memory })
    try("TextureObject: option format applies", { array = array, format = "float" })
    try("no effect on linear memory", { linear = memory, format = "float", filter = "point" })
    try("linear memory has no rows", { linear = memory, format = "float", pitch = 512 })
    try("num_channels must be 1, 2 or 4, got 3", { linear = memory, format = "float", num_channels = 3 })
    try("memory cannot have the format", { linear = memory, format = "bc1_unorm" })
    try("4 bytes past a multiple", { linear = memory + 4, format = "float" })
    try("expected a gpuarray, device memory", { linear = "0123" })
    try("got the key 'size'", { linear = { ptr = memory, size = 4 }, format = "float" })
    try("linear.bytes: 4097 bytes do not fit in 4096", { linear = { ptr = memory, bytes = 4097 }, format = "float" })
    try("the size of a bare address is not known", { linear = cuda.pointer(memory:ptr()), format = "float" })
    try("number of rows and of texels", { pitch2d = memory, format = "float" })
    try("5 rows of 32 bytes, 1024 bytes apart, do not fit in 4096",
      { pitch2d = memory, format = "float", width = 8, height = 5, pitch = 1024 })
    try("is less than a row", { pitch2d = memory, format = "float", width = 64, height = 2, pitch = 128 })
    try("multiple of 32 (texture_pitch_alignment); allocate it with mem_alloc_pitch()",
      { pitch2d = memory, format = "float", width = 9, height = 2 })
    try("memory has no views", { linear = memory, format = "float", view = { format = "float_1x32" } })
    try("have 8 bytes, but the array's have 4", { array = array, view = { format = "float_2x32" } })
    try("width must be the array's, 8, got 9", { array = array, view = { width = 9 } })
    local norm = cuda.Array(cuda.ArrayDescriptor { width = 8, format = "unorm_int8x1", num_channels = 1 })
    try("no view reads texels of unorm_int8x1", { array = norm, view = { first_level = 0 } })
    try("layers 0 to 1 are not among those of the array, 0 to 0", { array = array, view = { last_layer = 1 } })
    try("levels 0 to 4 are not among those of the array, 0 to 3",
      { mipmap = mipmap, normalized = true, view = { last_level = 4 } })
    try("unknown option 'fomat'", { array = array, view = { fomat = "float_1x32" } })
    gpu.refuses_nonsense(cuda.TextureObject, { ["nil"] = true, table = true })
    gpu.error_of("LogicError", cuda.TextureObject)
    for _, key in ipairs { "array", "mipmap", "linear", "pitch2d" } do
      gpu.refuses_nonsense(function(v) cuda.TextureObject { [key] = v, format = "float", width = 2, height = 2 } end)
    end
    for _, key in ipairs { "filter", "address", "border", "normalized", "read", "srgb", "max_anisotropy", "seamless",
      "trilinear", "view" } do
      gpu.refuses_nonsense(function(v) cuda.TextureObject { array = array, [key] = v } end,
        { ["nil"] = true, number = key == "border", boolean = key == "normalized" or key == "trilinear",
          table = key == "view" or key == "border" or key == "address" })
    end
    for _, method in ipairs { "close", "handle" } do
      gpu.refuses_nonsense(core.classes.TextureObject[method])
    end
  end)

  it("notices wrap and mirror without normalized coordinates, once", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      local array = cuda.Array(cuda.ArrayDescriptor { width = 4 })
      cuda.on_notice = function(text) print(text) end
      for _ = 1, 2 do cuda.TextureObject { array = array, address = "wrap" } end
      cuda.TextureObject { array = array, address = "mirror", normalized = true }
    ]], gpu.driver)
    assert.equal(1, select(2, out:gsub('address = "wrap" works only with normalized coordinates', "")), out)
  end)

  it("reports what the driver refuses, and leaves nothing behind", function()
    if not soft then return pending "makes calls of the driver fail" end
    local array = grid(2, 2)
    jit.flush() -- machine code holds what it was made for
    cuda.collect()
    local before = cuda.mem_stats().textures.count
    soft.fail("cuTexObjectCreate", 1, 1)
    local err = gpu.error_of("LogicError", cuda.TextureObject, { array = array })
    assert.equal("cuTexObjectCreate", err.call)
    soft.fail("cuTexObjectCreate", 1, 2)
    cuda.TextureObject { array = array }:close() -- after a collection
    soft.fail("cuTexObjectCreate", 1, 2)
    soft.fail("cuTexObjectCreate", 2, 2)
    gpu.error_of("MemoryError", cuda.TextureObject, { array = array })
    soft.fail_clear()
    cuda.collect()
    assert.equal(before, cuda.mem_stats().textures.count)
    local t = cuda.TextureObject { array = array }
    soft.fail("cuTexObjectDestroy", 1, 1)
    gpu.error_of("LogicError", t.close, t)
    soft.fail_clear()
  end)
end)

describe("cuda.gpuarray_to_array", function()
  before_each(gpu.context)

  it("copies arrays of one to three axes, in both orders, of any layout", function()
    for _, shape in ipairs { { 7 }, { 3, 5 }, { 2, 3, 5 } } do
      for _, dtype in ipairs { "float32", "uint8", "complex64", "float64" } do
        for _, order in ipairs { "C", "F" } do
          local n = 1
          for _, extent in ipairs(shape) do n = n * extent end
          local a = (gpuarray.arange(n, dtype) + 1):reshape(shape)
          for _, x in ipairs { a, #shape == 2 and a.T or nil } do
            local got = cuda.gpuarray_to_array(x, order)
            local expected = cuda.np_to_array(x:get(), order)
            assert.equal(textures.contents(expected, x.dtype.itemsize), textures.contents(got, x.dtype.itemsize))
            assert.same({ expected:get_descriptor_3d().width, expected:get_descriptor_3d().height },
              { got:get_descriptor_3d().width, got:get_descriptor_3d().height })
          end
        end
      end
    end
    local m = gpuarray.arange(12, "float32"):reshape(3, 4)
    assert.equal(textures.contents(cuda.matrix_to_array(m:get(), "C"), 4),
      textures.contents(cuda.matrix_to_array(m, "C"), 4))
    local image = gpuarray.arange(24, "uint8"):reshape(3, 4, 2)
    assert.equal(textures.contents(cuda.make_multichannel_2d_array(image:get(), "C"), 2),
      textures.contents(cuda.make_multichannel_2d_array(image, "C"), 2))
    local for_surfaces = cuda.gpuarray_to_array(m, nil, { allow_surface_bind = true })
    assert.equal(cuda.array3d_flags.SURFACE_LDST, for_surfaces:get_descriptor_3d().flags)
  end)

  it("goes into the current stream, and refuses what it does not take", function()
    local stream = cuda.Stream()
    local array = stream:use(function() return cuda.gpuarray_to_array(gpuarray.arange(5, "float32") * 3) end)
    stream:synchronize()
    assert.equal(floats { 0, 3, 6, 9, 12 }, textures.contents(array, 4))
    gpu.raises("LogicError", "expected a gpuarray, got a host array", cuda.gpuarray_to_array, cuda.ndarray.zeros(3))
    gpu.raises("LogicError", "1 to 3 axes, got 4", cuda.gpuarray_to_array, gpuarray.zeros { 2, 2, 2, 2 })
    gpu.raises("LogicError", "allow_double_hack", cuda.gpuarray_to_array, gpuarray.zeros(2, "float64"), "C",
      { allow_double_hack = false })
    gpu.raises("LogicError", "do not support the dtype int64", cuda.gpuarray_to_array, gpuarray.zeros(2, "int64"))
    gpu.refuses_nonsense(cuda.gpuarray_to_array)
    local a = gpuarray.zeros(4)
    gpu.refuses_nonsense(function(v) cuda.gpuarray_to_array(a, v) end, { ["nil"] = true })
    a:release()
    gpu.raises("LogicError", "was released", cuda.gpuarray_to_array, a)
  end)
end)
