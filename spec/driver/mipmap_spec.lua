-- Mipmapped arrays: their levels, textures of them, what belongs to whom.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local textures = require "spec.support.textures"
local cuda = gpu.cuda
local core = require "cudalua.core"
local soft = gpu.soft and require "cudalua.softgpu"

local function floats(list) return textures.floats_as_bytes(list) end

local function constant(n, value)
  local list = {}
  for i = 1, n do list[i] = value end
  return floats(list)
end

-- A 2D array of 8 x 4 whose level l holds 10 l everywhere.
local function leveled()
  local mipmap = cuda.MipmappedArray(cuda.ArrayDescriptor { width = 8, height = 4 })
  for l = 0, mipmap:levels() - 1 do
    local d = mipmap:level(l):get_descriptor_3d()
    textures.fill(mipmap:level(l), constant(d.width * d.height, 10 * l))
  end
  return mipmap
end

-- tex2DLod in the middle, at these levels.
local function at_levels(texture, levels)
  local out = ffi.new("float[?]", #levels)
  cuda.kernel [[
    __global__ void k(float *out, const float *levels, cudaTextureObject_t t, int n)
    {
      if (threadIdx.x < n) out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, levels[threadIdx.x]);
    }
  ]](cuda.Out(out), cuda.In(ffi.new("float[?]", #levels, levels)), texture, #levels, { block = 32 })
  local list = {}
  for i = 1, #levels do list[i] = out[i - 1] end
  return list
end

describe("cuda.MipmappedArray", function()
  before_each(gpu.context)

  it("has levels of half the extents each, down to one texel: cuda.MipmappedArray:level, " ..
    "cuda.MipmappedArray:levels, cuda.MipmappedArray:get_descriptor_3d", function()
    local shapes = {
      { { width = 8 }, { { 8, 0, 0 }, { 4, 0, 0 }, { 2, 0, 0 }, { 1, 0, 0 } } },
      { { width = 5, height = 9 }, { { 5, 9, 0 }, { 2, 4, 0 }, { 1, 2, 0 }, { 1, 1, 0 } } },
      { { width = 4, height = 2, depth = 8 }, { { 4, 2, 8 }, { 2, 1, 4 }, { 1, 1, 2 }, { 1, 1, 1 } } },
      { { width = 4, height = 4, depth = 3, flags = "layered" }, { { 4, 4, 3 }, { 2, 2, 3 }, { 1, 1, 3 } } },
      { { width = 4, height = 4, depth = 6, flags = "cubemap" }, { { 4, 4, 6 }, { 2, 2, 6 }, { 1, 1, 6 } } },
    }
    for _, shape in ipairs(shapes) do
      local fields, extents = shape[1], shape[2]
      local d = fields.depth and cuda.ArrayDescriptor3D(fields) or cuda.ArrayDescriptor(fields)
      for asked = 1, 6 do
        local mipmap = cuda.MipmappedArray(d, asked)
        assert.equal(math.min(asked, #extents), mipmap:levels())
        local own = mipmap:get_descriptor_3d()
        assert.same({ fields.width, fields.height or 0, fields.depth or 0 }, { own.width, own.height, own.depth })
        for l = 0, mipmap:levels() - 1 do
          local level = mipmap:level(l)
          local got = level:get_descriptor_3d()
          assert.same(extents[l + 1], { got.width, got.height, got.depth })
          assert.is_true(level == mipmap:level(l))
        end
        mipmap:free()
      end
      assert.equal(#extents, cuda.MipmappedArray(d):levels())
    end
  end)

  it("levels take copies like arrays", function()
    local mipmap = cuda.MipmappedArray(cuda.ArrayDescriptor { width = 4, height = 4 })
    local _, bytes = textures.random("float", 1, 4)
    textures.fill(mipmap:level(1), bytes)
    assert.equal(bytes, textures.contents(mipmap:level(1), 4))
    local row = cuda.MipmappedArray(cuda.ArrayDescriptor { width = 4 })
    cuda.memcpy_htoa(row:level(1), 0, floats { 1, 2 })
    gpu.raises("LogicError", "do not fit in the 8 bytes", cuda.memcpy_htoa, row:level(1), 0, floats { 1, 2, 3 })
    local out = ffi.new "float[2]"
    cuda.memcpy_atoh(out, row:level(1), 0)
    assert.same({ 1, 2 }, { out[0], out[1] })
  end)

  it("textures choose a level, go between two, and are biased and clamped", function()
    local mipmap = leveled()
    local function try(expected, options, levels)
      options.mipmap, options.normalized = mipmap, true
      local got = at_levels(cuda.TextureObject(options), levels)
      for i = 1, #levels do assert.near(expected[i], got[i], 40 / 256, "level " .. levels[i]) end
    end
    try({ 0, 10, 20, 30, 30, 0 }, {}, { 0, 1, 2, 3, 9, -4 })
    try({ 0, 5, 10, 22.5, 30 }, { mip_filter = "linear" }, { 0, 0.5, 1, 2.25, 3 })
    try({ 5, 15 }, { mip_filter = "linear", mip_bias = 0.5 }, { 0, 1 })
    try({ 10, 15, 20 }, { mip_filter = "linear", mip_clamp = { 1, 2 } }, { 0, 1.5, 3 })
    try({ 10, 20 }, { view = { first_level = 1, last_level = 2 } }, { 0, 1 })
  end)

  it("textures choose the level by gradients", function()
    local out = ffi.new "float[3]"
    cuda.kernel [[
      __global__ void k(float *out, cudaTextureObject_t t)
      {
        for (int i = 0; i < 3; i++) {
          float step = (1 << i) / 8.f;
          out[i] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(step, 0), make_float2(0, step / 4));
        }
      }
    ]](cuda.Out(out), cuda.TextureObject { mipmap = leveled(), normalized = true, mip_filter = "linear" },
      { block = 1 })
    for i = 0, 2 do assert.near(10 * i, out[i], 10 / 64) end
  end)

  it("a level is a surface, too, and a texture of its own", function()
    local mipmap = cuda.MipmappedArray(cuda.ArrayDescriptor3D { width = 4, height = 4, flags = "surface_ldst" })
    textures.fill(mipmap:level(0), constant(16, 0))
    cuda.kernel [[
      __global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1.f + threadIdx.x, s, threadIdx.x * 4, threadIdx.y); }
    ]](cuda.SurfaceObject { array = mipmap:level(1) }, { block = { 2, 2 } })
    assert.equal(floats { 1, 2, 1, 2 }, textures.contents(mipmap:level(1), 4))
    local texture = cuda.TextureObject { array = mipmap:level(1) }
    assert.same({ 1, 2, 1, 2 }, textures.fetch_all("2D", "float", texture, 1, 2, 2, 4))
  end)

  it("cuda.MipmappedArray:free, cuda.MipmappedArray:close, cuda.MipmappedArray:handle: its levels and textures end " ..
    "with it, and it stays as long as they do", function()
    local level, texture
    gpu.apart(function()
      local mipmap = leveled()
      assert.is_true(mipmap:handle() > 0)
      level = mipmap:level(1)
    end)
    cuda.collect()
    assert.equal(constant(8, 10), textures.contents(level, 4))
    gpu.apart(function() texture = cuda.TextureObject { mipmap = leveled(), normalized = true } end)
    cuda.collect()
    assert.same({ 20 }, at_levels(texture, { 2 }))
    for _, method in ipairs { "free", "close" } do
      local mipmap = leveled()
      level, texture = mipmap:level(0), cuda.TextureObject { mipmap = mipmap, normalized = true }
      assert.is_nil(mipmap[method](mipmap))
      gpu.raises("LogicError", "its MipmappedArray is gone (freed at", level.get_descriptor, level)
      gpu.raises("LogicError", "its MipmappedArray is gone", textures.contents, level, 4)
      gpu.raises("LogicError", "its MipmappedArray was freed at", at_levels, texture, { 0 })
      for _, name in ipairs { "free", "close", "handle", "level", "levels", "get_descriptor_3d" } do
        gpu.raises("LogicError", "was freed", mipmap[name], mipmap, 0)
      end
      assert.equal("cudalua.MipmappedArray (freed)", tostring(mipmap))
      level, texture = nil, nil -- luacheck: ignore
    end
    local mipmap = leveled()
    mipmap:level(2):free() -- the object alone
    assert.equal(constant(2, 20), textures.contents(mipmap:level(2), 4))
    cuda.collect()
    assert.equal(0, core.failed_destroys())
    local bytes = cuda.mem_stats().arrays.bytes
    local counted = cuda.MipmappedArray(cuda.ArrayDescriptor { width = 4, height = 4 })
    assert.equal(bytes + 4 * (16 + 4 + 1), cuda.mem_stats().arrays.bytes)
    counted:free()
    assert.equal(bytes, cuda.mem_stats().arrays.bytes)
  end)

  it("refuses what there is not", function()
    local d = cuda.ArrayDescriptor { width = 8 }
    local mipmap = cuda.MipmappedArray(d)
    gpu.raises("LogicError", "MipmappedArray: expected an ArrayDescriptor", cuda.MipmappedArray, { width = 8 })
    gpu.raises("LogicError", "MipmappedArray: the width is 0", cuda.MipmappedArray, cuda.ArrayDescriptor())
    gpu.raises("LogicError", "levels", cuda.MipmappedArray, d, 0)
    gpu.refuses_nonsense(cuda.MipmappedArray)
    gpu.refuses_nonsense(function(v) cuda.MipmappedArray(d, v) end, { ["nil"] = true })
    gpu.raises("LogicError", "expected an integer from 0 to 3, got number 4", mipmap.level, mipmap, 4)
    gpu.refuses_nonsense(function(v) mipmap:level(v) end)
    for _, method in pairs(core.classes.MipmappedArray) do gpu.refuses_nonsense(method) end
    gpu.raises("LogicError", "expected a cuda.Array", cuda.TextureObject, { array = mipmap })
    cuda.Stream():capture(function() gpu.raises("LogicError", "being captured", cuda.MipmappedArray, d) end)
    if not soft then return end
    jit.flush() -- machine code holds what it was made for, and goes where memory is short
    cuda.collect()
    local live = cuda.mem_stats().arrays.count
    soft.fail("cuMipmappedArrayCreate", 1, 2)
    soft.fail("cuMipmappedArrayCreate", 2, 2)
    assert.equal(60, gpu.error_of("MemoryError", cuda.MipmappedArray, d).requested)
    soft.fail("cuMipmappedArrayGetLevel", 1, 1)
    gpu.error_of("LogicError", mipmap.level, mipmap, 1)
    soft.fail_clear()
    cuda.collect()
    assert.equal(live, cuda.mem_stats().arrays.count)
  end)

  it("ends with its context", function()
    local ctx = cuda.Device(0):make_context()
    local mipmap = leveled()
    local level = mipmap:level(0)
    ctx:detach()
    gpu.context()
    gpu.raises("LogicError", "its Context is gone", mipmap.level, mipmap, 0)
    gpu.raises("LogicError", "Context is gone", level.get_descriptor, level)
    mipmap, level = nil, nil -- luacheck: ignore
    cuda.collect()
    assert.equal(0, core.failed_destroys())
  end)
end)
