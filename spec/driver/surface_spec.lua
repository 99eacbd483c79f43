-- Surfaces: reads and writes of every geometry against the host's data, boundary modes, what they need and keep.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local textures = require "spec.support.textures"
local cuda = gpu.cuda
local core = require "cudalua.core"
local gpuarray = cuda.gpuarray
local soft = gpu.soft and require "cudalua.softgpu"

local function kernel(body) return cuda.kernel("__global__ void k(" .. body) end

-- name, fields of the array, and the coordinates behind x of surf...read and surf...write
local geometries = {
  { "surf1D", { width = 7, depth = 0, flags = "surface_ldst" }, "" },
  { "surf2D", { width = 7, height = 5, depth = 0, flags = "surface_ldst" }, ", y" },
  { "surf3D", { width = 7, height = 5, depth = 3, flags = "surface_ldst" }, ", y, z" },
  { "surf1DLayered", { width = 7, depth = 3, flags = { "layered", "surface_ldst" } }, ", z" },
  { "surf2DLayered", { width = 7, height = 5, depth = 3, flags = { "layered", "surface_ldst" } }, ", y, z" },
  { "surfCubemap", { width = 6, height = 6, depth = 6, flags = { "cubemap", "surface_ldst" } }, ", y, z" },
  { "surfCubemapLayered", { width = 4, height = 4, depth = 12, flags = { "cubemap", "layered", "surface_ldst" } },
    ", y, z" },
}

-- C type of a texel: format and channels. Texels are moved as they are, whatever the format means.
local texels = {
  { "unsigned char", "unsigned_int8", 1 }, { "short", "signed_int16", 1 }, { "unsigned int", "unsigned_int32", 1 },
  { "float", "float", 1 }, { "uchar4", "unsigned_int8", 4 }, { "short2", "signed_int16", 2 }, { "float2", "float", 2 },
  { "int4", "signed_int32", 4 }, { "float4", "float", 4 },
}

local invert = [[
__device__ inline unsigned char inverted(unsigned char v) { return ~v; }
template <class T> __device__ T inverted(T v)
{
  unsigned char *bytes = (unsigned char *)&v;
  for (int i = 0; i < sizeof v; i++) bytes[i] = ~bytes[i];
  return v;
}
template <class T, class From, class To> __device__ void each(int w, int h, int n, From from, To to)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to(i % w, i / w % h, i / w / h, inverted(from(i % w, i / w % h, i / w / h)));
}
]]

describe("cuda.SurfaceObject", function()
  before_each(gpu.context)

  it("reads and writes texels of every geometry", function()
    for _, g in ipairs(geometries) do
      local text, expressions = { invert }, {}
      for i, t in ipairs(texels) do
        text[#text + 1] = ([[
          extern "C" __global__ void k%d(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h, int n)
          {
            each<T>(w, h, n, [=](int x, int y, int z) { return GEOread<T>(in, x * (int)sizeof(T)COORDS); },
              [=](int x, int y, int z, T v) { GEOwrite(v, out, x * (int)sizeof(T)COORDS); });
          }
        ]]):format(i):gsub("GEO", g[1]):gsub("COORDS", g[3]):gsub("%f[%w]T%f[%W]", t[1])
        expressions[i] = "k" .. i
      end
      local mod = cuda.SourceModule(table.concat(text), { no_extern_c = true })
      for i, t in ipairs(texels) do
        local fields = { format = t[2], num_channels = t[3] }
        for key, value in pairs(g[2]) do fields[key] = value end
        local h, d = math.max(fields.height or 1, 1), math.max(fields.depth, 1)
        local n = fields.width * h * d
        local _, bytes = textures.random(t[2], t[3], n)
        local from, to = textures.array(fields, bytes), textures.array(fields, ("\0"):rep(#bytes))
        mod:get_function(expressions[i])(cuda.SurfaceObject { array = from }, cuda.SurfaceObject { array = to },
          fields.width, h, n, { block = 64, grid = math.ceil(n / 64) })
        local inverted = bytes:gsub(".", function(c) return string.char(255 - c:byte()) end)
        assert.equal(inverted, textures.contents(to, #bytes / n), g[1] .. " of " .. t[1])
        assert.equal(bytes, textures.contents(from, #bytes / n))
      end
    end
  end)

  it("clamps or gives zero outside of the array, and leaves out such writes", function()
    local fields = { width = 4, height = 2, depth = 0, flags = "surface_ldst" }
    local array = textures.array(fields, textures.floats_as_bytes { 1, 2, 3, 4, 5, 6, 7, 8 })
    local out = ffi.new "float[6]"
    kernel [[float *out, cudaSurfaceObject_t s)
    {
      out[0] = surf2Dread<float>(s, -4, 0, cudaBoundaryModeClamp);
      out[1] = surf2Dread<float>(s, 16, 1, cudaBoundaryModeClamp);
      out[2] = surf2Dread<float>(s, 4, 5, cudaBoundaryModeClamp);
      out[3] = surf2Dread<float>(s, -4, 0, cudaBoundaryModeZero);
      out[4] = surf2Dread<float>(s, 4, 2, cudaBoundaryModeZero);
      surf2Dwrite(9.f, s, 16, 0, cudaBoundaryModeZero);
      surf2Dwrite(10.f, s, 0, -1, cudaBoundaryModeZero);
      surf2Dwrite(11.f, s, 100, 1, cudaBoundaryModeClamp);
      out[5] = surf2Dread<float>(s, 12, 1);
    }]](cuda.Out(out), cuda.SurfaceObject { array = array }, { block = 1 })
    assert.same({ 1, 8, 6, 0, 0, 11 }, { out[0], out[1], out[2], out[3], out[4], out[5] })
    assert.equal(textures.floats_as_bytes { 1, 2, 3, 4, 5, 6, 7, 11 }, textures.contents(array, 4))
  end)

  it("is written by one kernel and read as a texture by the next", function()
    local array = cuda.np_to_array(cuda.ndarray.zeros { 8, 16 }, "C", { allow_surface_bind = true })
    kernel [[cudaSurfaceObject_t s)
    {
      surf2Dwrite((float)(threadIdx.y * 16 + threadIdx.x), s, threadIdx.x * 4, threadIdx.y);
    }]](cuda.SurfaceObject { array = array }, { block = { 16, 8 } })
    local got = textures.fetch_all("2D", "float", cuda.TextureObject { array = array }, 1, 16, 8, 128)
    for i = 1, 128 do assert.equal(i - 1, got[i]) end
  end)

  it("traps outside of the array", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      local array = cuda.np_to_array(cuda.ndarray.zeros { 2, 4 }, "C", { allow_surface_bind = true })
      local s = cuda.SurfaceObject { array = array }
      local write = cuda.kernel "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1.f, s, 16, 0); }"
      local ok, err = pcall(function()
        write(s, { block = 1 })
        cuda.Context.synchronize()
      end)
      print(ok, err.class, err.sticky)
      if cuda.driver_info().soft then print(err.detail) end
    ]], gpu.driver)
    assert.matches("^false\tLaunchError\ttrue\n", out)
    if soft then assert.matches("surface store of 4 bytes at x = 16 bytes", out) end
  end)

  it("cuda.SurfaceObject:close, cuda.SurfaceObject:handle; it holds its array, and says if that was freed", function()
    local fn = kernel "float *out, cudaSurfaceObject_t s) { *out = surf1Dread<float>(s, 4); }"
    local s
    gpu.apart(function()
      s = cuda.SurfaceObject { array = cuda.np_to_array(cuda.ndarray.array({ 3, 4 }, "float32"), "C",
        { allow_surface_bind = true }) }
    end)
    cuda.collect()
    local out = gpuarray.zeros(1)
    fn(out, s, { block = 1 })
    assert.equal(4, out:item())
    assert.is_true(s:handle() > 0)
    s:close()
    gpu.raises("LogicError", "argument 2 (cudaSurfaceObject_t s): this SurfaceObject was closed at", fn, out, s,
      { block = 1 })
    gpu.raises("LogicError", "was closed", s.handle, s)
    gpu.raises("LogicError", "was closed", s.close, s)
    local array = cuda.np_to_array(cuda.ndarray.zeros(4), "C", { allow_surface_bind = true })
    s = cuda.SurfaceObject { array = array }
    array:free()
    gpu.raises("LogicError", "this SurfaceObject can no longer be used: its Array was freed at", fn, out, s,
      { block = 1 })
    s:close()
    assert.equal("cudalua.SurfaceObject (closed)", tostring(s))
  end)

  it("closed while a kernel is queued that writes by it", function()
    local fn = kernel [[cudaSurfaceObject_t s, int n)
    {
      for (int i = 0; i < n; i++) surf1Dwrite(i, s, i % 4 * 4);
    }]]
    local stream = cuda.Stream "non_blocking"
    local fields = { width = 4, depth = 0, format = "signed_int32", flags = "surface_ldst" }
    for _, how in ipairs { "close", "collect" } do
      local array = textures.array(fields, ("\0"):rep(16))
      gpu.apart(function()
        local s = cuda.SurfaceObject { array = array }
        fn(s, 4000, { block = 1, stream = stream })
        if how == "close" then s:close() end
      end)
      if how == "collect" then cuda.collect() end
      cuda.SurfaceObject { array = textures.array(fields, ("\255"):rep(16)) }:close()
      stream:synchronize()
      local words = ffi.new "int32_t[4]"
      ffi.copy(words, textures.contents(array, 4), 16)
      assert.same({ 3996, 3997, 3998, 3999 }, { words[0], words[1], words[2], words[3] })
    end
  end)

  it("goes into a graph with its array", function()
    local fn = kernel "cudaSurfaceObject_t s) { surf1Dwrite(surf1Dread<float>(s, 0) + 1, s, 0); }"
    local stream, array, exec = cuda.Stream(), nil, nil
    gpu.apart(function()
      array = cuda.np_to_array(cuda.ndarray.zeros(1), "C", { allow_surface_bind = true })
      local s = cuda.SurfaceObject { array = array }
      exec = stream:capture(function() fn(s, { block = 1 }) end):instantiate()
    end)
    cuda.collect()
    exec:launch(stream):launch(stream):launch(stream)
    stream:synchronize()
    assert.equal(textures.floats_as_bytes { 3 }, textures.contents(array, 4))
    array:free()
    gpu.raises("LogicError", "an Array that the graph uses was freed", exec.launch, exec, stream)
  end)

  it("refuses what is no array for surfaces", function()
    local plain = cuda.Array(cuda.ArrayDescriptor { width = 4 })
    gpu.raises("LogicError", "made with the flag \"surface_ldst\"", cuda.SurfaceObject, { array = plain })
    gpu.raises("LogicError", "the array is missing", cuda.SurfaceObject, {})
    gpu.raises("LogicError", "the array is missing", cuda.SurfaceObject)
    gpu.raises("LogicError", "expected a cuda.Array, got DeviceAllocation", cuda.SurfaceObject,
      { array = cuda.mem_alloc(4) })
    gpu.raises("LogicError", "unknown option", cuda.SurfaceObject, { array = plain, flags = 1 })
    gpu.refuses_nonsense(function(v) cuda.SurfaceObject { array = v } end)
    gpu.refuses_nonsense(cuda.SurfaceObject, { ["nil"] = true, table = true })
    for _, method in ipairs { "close", "handle" } do gpu.refuses_nonsense(core.classes.SurfaceObject[method]) end
    gpu.refuses_nonsense(core.surface)
    plain:free()
    gpu.raises("LogicError", "was freed", cuda.SurfaceObject, { array = plain })
    if not soft then return end
    local array = cuda.np_to_array(cuda.ndarray.zeros(4), "C", { allow_surface_bind = true })
    soft.fail("cuSurfObjectCreate", 1, 1)
    assert.equal("cuSurfObjectCreate", gpu.error_of("LogicError", cuda.SurfaceObject, { array = array }).call)
    soft.fail_clear()
  end)
end)
