-- References of old sources: texture<float, 2> t; and surface<void, 2> s; programs as PyCUDA's users wrote them, what a
-- reference can be told, and in which order launches in several streams and graphs see it.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local reentry = require "spec.support.reentry"
local textures = require "spec.support.textures"
local cuda = gpu.cuda
local core = require "cudalua.core"
local gpuarray, ndarray = cuda.gpuarray, cuda.ndarray
local soft = gpu.soft and require "cudalua.softgpu"

local function floats(list) return textures.floats_as_bytes(list) end

local function row(...)
  local list = { ... }
  return textures.array({ width = #list, height = 1 }, floats(list))
end

-- A module that reads texel (i, 0) of t, and one kernel of it.
local source = [[
  texture<float, 2> t;
  __global__ void read(float *out, int n)
  {
    for (int i = 0; i < n; i++) out[i] = tex2D(t, i + 0.5f, 0.5f);
  }
  __global__ void slow(float *out, int n)
  {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += tex2D(t, 0.5f, 0.5f);
    *out = sum / n;
  }
]]

local function module()
  local mod = cuda.SourceModule(source)
  return mod, mod:get_function "read", mod:get_texref "t"
end

local function read(fn, n, options)
  local out = gpuarray.zeros(n):eval()
  options = options or {}
  options.block = 1
  fn(out, n, options)
  local list, host = {}, out:get()
  for i = 1, n do list[i] = host[i] end
  return list
end

describe("References of old sources", function()
  before_each(gpu.context)

  it("rotate a picture by a texture", function()
    local mod = cuda.SourceModule [[
      texture<unsigned char, 2, cudaReadModeNormalizedFloat> picture;
      __global__ void rotate(float *out, int w, int h, float angle)
      {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= w || y >= h) return;
        float u = x + 0.5f - w / 2.f, v = y + 0.5f - h / 2.f;
        out[y * w + x] = tex2D(picture, u * cosf(angle) - v * sinf(angle) + w / 2.f,
                               u * sinf(angle) + v * cosf(angle) + h / 2.f);
      }
    ]]
    local n = 16
    local image = ndarray.from_function({ n, n }, function(y, x) return (x * 7 + y * 13) % 256 end, "uint8")
    local t = mod:get_texref "picture"
    cuda.matrix_to_texref(image, t, "C")
    t:set_address_mode(0, cuda.address_mode.CLAMP)
    t:set_address_mode(1, cuda.address_mode.CLAMP)
    local out = gpuarray.zeros({ n, n }, "float32")
    mod:get_function "rotate"(out, n, n, math.pi / 2, { block = { 16, 16 }, texrefs = { t } })
    local got = out:get()
    for y = 1, n do
      for x = 1, n do assert.near(image[x][n + 1 - y] / 255, got[y][x], 1e-6) end
    end
  end)

  it("cuda.matrix_to_texref: scale a matrix through tex2D, in both orders", function()
    local mod = cuda.SourceModule [[
      texture<float, 2> mtx_tex;
      __global__ void copy_texture(float *dest)
      {
        int row = threadIdx.x, col = threadIdx.y;
        dest[row * blockDim.y + col] = 2 * tex2D(mtx_tex, row, col);
      }
    ]]
    local copy, t = mod:get_function "copy_texture", mod:get_texref "mtx_tex"
    local a = ndarray.from_function({ 3, 5 }, function(i, j) return 10 * i + j end, "float32")
    cuda.matrix_to_texref(a, t, "F")
    local dest = ndarray.zeros({ 3, 5 }, "float32")
    copy(cuda.Out(dest), { block = { 3, 5, 1 }, texrefs = { t } })
    for i = 1, 3 do
      for j = 1, 5 do assert.equal(2 * a[i][j], dest[i][j]) end
    end
  end)

  it("cuda.bind_array_to_texref: read several channels", function()
    local mod = cuda.SourceModule [[
      texture<float4, 2, cudaReadModeElementType> colors;
      __global__ void copy(float4 *dest, int w)
      {
        dest[threadIdx.y * w + threadIdx.x] = tex2D(colors, threadIdx.x, threadIdx.y);
      }
    ]]
    local a = ndarray.from_function({ 4, 3, 4 }, function(y, x, c) return 100 * y + 10 * x + c end, "float32")
    local t = mod:get_texref "colors"
    assert.same({ cuda.array_format.FLOAT, 4 }, { t:get_format() })
    cuda.bind_array_to_texref(cuda.make_multichannel_2d_array(a, "C"), t)
    local dest = ndarray.zeros({ 4, 3, 4 }, "float32")
    mod:get_function "copy"(cuda.Out(dest), 3, { block = { 3, 4, 1 }, texrefs = { t } })
    assert.equal(tostring(a), tostring(dest))
  end)

  it("read 3D, layered and cube textures, and write layered surfaces", function()
    local mod = cuda.SourceModule [[
      #include <pycuda-helpers.hpp>
      texture<fp_tex_double, 3, cudaReadModeElementType> volume;
      texture<float, cudaTextureType2DLayered> layers;
      texture<float, cudaTextureTypeCubemap> cube;
      surface<void, cudaSurfaceType2DLayered> out;
      __global__ void k(double *d, float *f)
      {
        int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, i = (z * 4 + y) * 5 + x;
        d[i] = fp_tex3D(volume, x, y, z);
        f[i] = tex2DLayered(layers, x, y, z) + (i == 0 ? texCubemap(cube, 0, 0, -1) : 0);
        fp_surf2DLayeredwrite(2 * d[i], out, x, y, z, cudaBoundaryModeTrap);
      }
    ]]
    local volume = ndarray.from_function({ 3, 4, 5 }, function(z, y, x) return z + y / 8 + x / 1024 end, "float64")
    mod:get_texref "volume":set_array(cuda.np_to_array(volume, "C"))
    local list = {}
    for i = 1, 60 do list[i] = i end
    mod:get_texref "layers":set_array(textures.array({ width = 5, height = 4, depth = 3, flags = "layered" },
      floats(list)))
    mod:get_texref "cube":set_array(textures.array({ width = 1, height = 1, depth = 6, flags = "cubemap" },
      floats { 0, 0, 0, 0, 0, 500 }))
    local target = cuda.Array(cuda.ArrayDescriptor3D { width = 5, height = 4, depth = 3, format = "signed_int32",
      num_channels = 2, flags = { "layered", "surface_ldst" } })
    mod:get_surfref "out":set_array(target)
    local d, f = gpuarray.zeros({ 3, 4, 5 }, "float64"), gpuarray.zeros({ 3, 4, 5 }, "float32")
    mod:get_function "k"(d, f, { block = { 5, 4, 3 } })
    assert.equal(tostring(volume), tostring(d:get()))
    assert.same({ 501, 2, 60 }, { f:get()[1][1][1], f:get()[1][1][2], f:get()[3][4][5] })
    local words = ffi.new "double[60]"
    ffi.copy(words, textures.contents(target, 8), 480)
    local flat = volume:reshape(60)
    for i = 0, 59 do assert.equal(2 * flat[i + 1], words[i]) end
  end)

  it("read linear memory: gpuarray.Array:bind_to_texref and gpuarray.Array:bind_to_texref_ext", function()
    local mod = cuda.SourceModule [[
      #include <pycuda-helpers.hpp>
      texture<float, 1, cudaReadModeElementType> f;
      texture<fp_tex_double, 1> d;
      texture<fp_tex_cfloat, 1> c;
      texture<fp_tex_cdouble, 1> z;
      texture<uchar4, 1> u;
      __global__ void k(float *out, int offset)
      {
        int i = threadIdx.x;
        out[i] = tex1Dfetch(f, i + offset) + (float)fp_tex1Dfetch(d, i) + fp_tex1Dfetch(c, i).imag()
          + (float)fp_tex1Dfetch(z, i).real() + tex1Dfetch(u, i).w;
      }
    ]]
    local function ramp(n, dtype) return gpuarray.arange(n, "float32"):astype(dtype) end
    local f = ramp(8, "float32")
    assert.equal(0, f:bind_to_texref(mod:get_texref "f"))
    assert.equal(0, (ramp(8, "float64") * 10):bind_to_texref_ext(mod:get_texref "d", { allow_double_hack = true }))
    local i = gpuarray.scalar(ffi.new("complex", 0, 100), "complex64")
    assert.equal(0, (ramp(8, "complex64") * i):bind_to_texref_ext(mod:get_texref "c", { allow_complex_hack = true }))
    local z = ramp(8, "complex128") * 1000
    assert.equal(0, z:bind_to_texref_ext(mod:get_texref "z", { allow_complex_hack = true }))
    assert.equal(0, ramp(32, "uint8"):bind_to_texref_ext(mod:get_texref "u", { channels = 4 }))
    local out = gpuarray.zeros(8)
    local fn = mod:get_function "k"
    fn(out, 0, { block = 8 })
    for k = 0, 7 do assert.equal(1111 * k + 4 * k + 3, out:get()[k + 1]) end
    local part = f[{ { 4, 8 } }]
    gpu.raises("LogicError", "allow_offset", part.bind_to_texref, part, mod:get_texref "f")
    local offset = part:bind_to_texref(mod:get_texref "f", true)
    assert.equal(3, offset)
    fn(out, offset, { block = 5 })
    for k = 0, 4 do assert.equal(k + 3 + 1110 * k + 4 * k + 3, out:get()[k + 1]) end
    assert.equal(3, part:bind_to_texref_ext(mod:get_texref "f", { allow_offset = true }))
    local t = mod:get_texref "f"
    gpu.raises("LogicError", "allow_double_hack", gpuarray.zeros(4, "float64").bind_to_texref_ext, gpuarray.zeros(4,
      "float64"), t)
    gpu.raises("LogicError", "allow_complex_hack", function()
      gpuarray.zeros(4, "complex64"):bind_to_texref_ext(t, { allow_double_hack = true })
    end)
    local longs = gpuarray.zeros(4, "int64")
    gpu.raises("LogicError", "textures cannot read int64", longs.bind_to_texref_ext, longs, t)
    gpu.raises("LogicError", "with copy()", function() gpuarray.zeros { 4, 4 }[{ {}, { 1, 2 } }]:bind_to_texref(t) end)
    gpu.raises("LogicError", "num_channels", function() gpuarray.zeros(4):bind_to_texref_ext(t, { channels = 3 }) end)
    gpu.raises("LogicError", "no elements", function() gpuarray.zeros(0):bind_to_texref(t) end)
    for _, method in ipairs { "bind_to_texref", "bind_to_texref_ext" } do
      gpu.refuses_nonsense(function(v) f[method](f, v) end)
      gpu.refuses_nonsense(function(v) f[method](v, t) end)
      gpu.refuses_nonsense(function(v) f[method](f, t, v) end, { ["nil"] = true, table = true, boolean = true })
    end
  end)

  it("are functions' parameters, found in namespaces and headers, and in code alone", function()
    local mod = cuda.SourceModule([[
      #include "refs.cuh"
      // texture<float, 7> comment; texture<int> another;
      namespace a { namespace b { texture<int, 1> inner; } }
      static __device__ float help(texture<float, 2> from, int x) { return tex2D(from, x, 0); }
      __global__ void k(float *out)
      {
        const char *text = "surface<void, 9>";
        out[0] = help(outer, 1) + tex1Dfetch(a::b::inner, 0) + text[0] * 0;
      }
    ]], { headers = { ["refs.cuh"] = "texture<float, 2> outer;\n" }, no_extern_c = true })
    mod:get_texref "outer":set_array(row(1, 2))
    local words = cuda.to_device(ffi.new("int[1]", 40))
    local inner = mod:get_texref "a::b::inner"
    assert.equal(cuda.TRSF_READ_AS_INTEGER, inner:get_flags())
    inner:set_address(words, 4)
    local out = gpuarray.zeros(1)
    mod:get_function "k"(out, { block = 1 })
    assert.equal(42, out:item())
    -- The reference stands in the header alone: the source itself has no texture<.
    local only = cuda.SourceModule([[
      #include "refs.cuh"
      __global__ void k(float *out) { *out = tex2D(outer, 0.5f, 0.5f); }
    ]], { headers = { ["refs.cuh"] = "texture<float, 2> outer;\n" } })
    only:get_texref "outer":set_array(row(5))
    only:get_function "k"(out, { block = 1 })
    assert.equal(5, out:item())
    -- A program's own template of that name stays its own.
    local own = cuda.SourceModule([[
      template <class T> struct texture { T value; };
      extern "C" __global__ void k(float *out) { texture<float> t = {3}; *out = t.value; }
    ]], { no_extern_c = true })
    own:get_function "k"(out, { block = 1 })
    assert.equal(3, out:item())
  end)

  it("compile with default_device = false, lines of errors as in the source, other languages' versions", function()
    for _, std in ipairs { "c++11", "c++14", "c++17", "c++20" } do
      local mod = cuda.SourceModule(source, { std = std, default_device = false })
      mod:get_texref "t":set_array(row(1, 2))
      assert.same({ 1, 2 }, read(mod:get_function "read", 2))
    end
    local err = gpu.error_of("CompileError", cuda.compile, "texture<float, 2> t;\n\n__global__ void k() { oops(); }")
    assert.matches("line 3: ", err.message)
    gpu.raises("LogicError", "option minimal leaves out", cuda.compile, source,
      { minimal = true })
    gpu.raises("LogicError", "nvcc has not supported them since CUDA", cuda.compile, source,
      { backend = "nvcc", nvcc = "/bin/true" })
    gpu.raises("LogicError", "option minimal", cuda.compile, '#include "r.cuh"\n', { minimal = true,
      headers = { ["r.cuh"] = "texture<float> t;\n" } })
    gpu.error_of("CompileError", cuda.compile,
      "texture<float, 2> t;\n__global__ void k(float *o) { *o = tex3D(t, 1, 2, 3); }")
  end)

  it("cuda.DynamicModule:get_texref, cuda.DynamicModule:get_surfref, cuda.SourceModule:get_texref, " ..
    "cuda.SourceModule:get_surfref", function()
    local mod = cuda.DynamicModule()
    mod:add_source [[
      texture<float, 2> t;
      surface<void, 1> s;
      __device__ float helper(int x)
      {
        surf1Dwrite(tex2D(t, x + 0.5f, 0.5f), s, 4 * x);
        return surf1Dread<float>(s, 4 * x);
      }
    ]]
    mod:add_source "extern __device__ float helper(int x); __global__ void k(float *o) { *o = helper(1); }"
    gpu.raises("LogicError", "not linked yet", mod.get_texref, mod, "t")
    gpu.raises("LogicError", "not linked yet", mod.get_surfref, mod, "s")
    mod:link()
    mod:get_texref "t":set_array(row(3, 4))
    mod:get_surfref "s":set_array(cuda.np_to_array(ndarray.zeros(4), "C", { allow_surface_bind = true }))
    local out = gpuarray.zeros(1)
    mod:get_function "k"(out, { block = 1 })
    assert.equal(4, out:item())
    local plain = module()
    for _, m in ipairs { mod, plain } do
      for _, method in ipairs { "get_texref", "get_surfref" } do
        gpu.refuses_nonsense(function(v) m[method](m, v) end)
        gpu.refuses_nonsense(function(v) m[method](v, "t") end)
      end
    end
    local err = gpu.raises("LogicError", "get_texref: no texture reference named 'u'", plain.get_texref, plain, "u")
    assert.equal(cuda.result.NOT_FOUND, err.code)
    assert.matches("texture<...> u;", err.hint, 1, true)
    gpu.raises("LogicError", "no surface reference named 'u'", plain.get_surfref, plain, "u")
  end)

  it("cuda.Module:get_texref and cuda.Module:get_surfref also find handles that the source declares itself", function()
    local mod = cuda.SourceModule [[
      __device__ cudaTextureObject_t t;
      __device__ cudaSurfaceObject_t s;
      __device__ double number[3] = {1, 2, 3};
      __device__ int four;
      texture<float, 2> list[2];
      texture<float, 2> ref;
      surface<void, 2> sref;
      __global__ void k(float *out)
      {
        surf1Dwrite(tex2D<float>(t, 1.5f, 0.5f) + (float)number[0] + four, s, 0);
        *out = surf1Dread<float>(s, 0) + tex2D(ref, 0, 0) + tex2D(list[0], 0, 0) * 0 + surf2Dread<float>(sref, 0, 0);
      }
    ]].module
    mod:get_texref "t":set_array(row(1, 2))
    mod:get_surfref "s":set_array(cuda.np_to_array(ndarray.zeros(4), "C", { allow_surface_bind = true }))
    assert.is_true(mod:get_texref "t" == mod:get_texref "t" and mod:get_surfref "s" == mod:get_surfref "s")
    gpu.raises("LogicError", "'number' is a variable, not a reference", mod.get_texref, mod, "number")
    gpu.raises("LogicError", "'four' is a variable of 4 bytes, not a reference", mod.get_texref, mod, "four")
    gpu.raises("LogicError", "is an array of references", mod.get_texref, mod, "list")
    gpu.raises("LogicError", "'ref' is a texture reference: get_texref() gives it", mod.get_surfref, mod, "ref")
    gpu.raises("LogicError", "'sref' is a surface reference: get_surfref() gives it", mod.get_texref, mod, "sref")
    gpu.raises("LogicError", "'t' is in use as a TextureReference", mod.get_surfref, mod, "t")
    for _, method in ipairs { "get_texref", "get_surfref" } do
      gpu.refuses_nonsense(function(v) mod[method](mod, v) end)
      gpu.refuses_nonsense(function(v) mod[method](v, "t") end)
    end
    mod:close()
    gpu.raises("LogicError", "was closed", mod.get_texref, mod, "t")
  end)

  it("can be described before a module has them: cuda.TextureReference, cuda.SurfaceReference", function()
    local t, s = cuda.TextureReference(), cuda.SurfaceReference()
    assert.same({ cuda.array_format.FLOAT, 1 }, { t:get_format() })
    assert.same({ 0, cuda.filter_mode.POINT }, { t:get_flags(), t:get_filter_mode() })
    assert.is_nil(t:get_array())
    assert.is_nil(s:get_array())
    t:set_filter_mode "linear"
    t:set_format("UNSIGNED_INT8", 4)
    assert.equal(cuda.filter_mode.LINEAR, t:get_filter_mode())
    assert.same({ cuda.array_format.UNSIGNED_INT8, 4 }, { t:get_format() })
    local other = cuda.TextureReference()
    assert.equal(cuda.filter_mode.POINT, other:get_filter_mode())
  end)

  it("keep what they read: cuda.TextureReference:set_array, cuda.TextureReference:get_array", function()
    local mod, fn, t = module()
    assert.is_nil(t:get_array())
    assert.is_nil(t:get_address())
    gpu.apart(function() t:set_array(row(1, 2)) end)
    cuda.collect()
    assert.same({ 1, 2 }, read(fn, 2))
    local array = row(3, 4)
    t:set_array(array)
    assert.is_true(array == t:get_array())
    assert.same({ 3, 4 }, read(fn, 2))
    array:free()
    gpu.raises("LogicError", "reference t of the module: this TextureObject can no longer be used: its Array was " ..
      "freed at", read, fn, 2)
    gpu.raises("LogicError", "was freed", t.set_array, t, array)
    t:set_array(row(5, 6))
    assert.same({ 5, 6 }, read(fn, 2))
    t = nil -- luacheck: ignore
    gpu.apart(function() mod:get_texref "t":set_array(row(7, 8)) end)
    cuda.collect()
    assert.same({ 7, 8 }, read(fn, 2))
    mod, fn = nil, nil -- luacheck: ignore
    cuda.collect()
    assert.equal(0, core.failed_destroys())
  end)

  it("cuda.TextureReference:set_address, cuda.TextureReference:set_address_2d, cuda.TextureReference:get_address, " ..
    "cuda.TextureReference:set_format, cuda.TextureReference:get_format", function()
    local mod = cuda.SourceModule [[
      texture<int, 1> ints;
      texture<float, 2> rows;
      __global__ void k(float *out) { out[threadIdx.x] = tex1Dfetch(ints, threadIdx.x) + tex2D(rows, threadIdx.x, 1); }
    ]]
    local ints, rows = mod:get_texref "ints", mod:get_texref "rows"
    assert.same({ cuda.array_format.SIGNED_INT32, 1 }, { ints:get_format() })
    local words = cuda.to_device(ffi.new("int[4]", { 1, 2, 3, 4 }))
    assert.equal(0, ints:set_address(words, 16))
    assert.is_true(words == ints:get_address())
    local memory, pitch = cuda.mem_alloc_pitch(16, 2, 4)
    cuda.memcpy_htod(memory, floats { 0, 0, 0, 0 })
    cuda.memcpy_htod(memory + pitch, floats { 10, 20, 30, 40 })
    local descriptor = cuda.ArrayDescriptor { width = 4, height = 2 }
    rows:set_address_2d(memory, descriptor, pitch)
    local out = gpuarray.zeros(4)
    local fn = mod:get_function "k"
    fn(out, { block = 4 })
    assert.equal("[11. 22. 33. 44.]", tostring(out))
    ints:set_address(words:ptr(), 16) -- an address that nobody looks after
    ints:set_format("unsigned_int8", 4)
    assert.same({ cuda.array_format.UNSIGNED_INT8, 4 }, { ints:get_format() })
    fn(out, { block = 4 })
    assert.equal("[11. 22. 33. 44.]", tostring(out)) -- the first of four bytes
    gpu.raises("LogicError", "17 bytes do not fit in the 16", ints.set_address, ints, words, 17)
    gpu.raises("LogicError", "with allow_offset = true", ints.set_address, ints, words + 4, 12)
    assert.equal(4, ints:set_address(words + 4, 12, true))
    gpu.raises("LogicError", "multiple of 32", rows.set_address_2d, rows, memory, descriptor, pitch + 4)
    gpu.raises("LogicError", "texture_alignment", rows.set_address_2d, rows, memory + 4, descriptor, pitch)
    local larger = cuda.ArrayDescriptor { width = 4, height = 9 }
    gpu.raises("LogicError", "do not fit", rows.set_address_2d, rows, memory, larger, pitch)
    gpu.raises("LogicError", "expected an ArrayDescriptor", rows.set_address_2d, rows, memory, { 4, 2 }, pitch)
    gpu.raises("LogicError", "declares a 2D texture, which cannot read a 1D array", rows.set_address, rows, words, 16)
    gpu.raises("LogicError", "declares a 1D texture, which cannot read a 2D array", ints.set_address_2d, ints, memory,
      descriptor, pitch)
    gpu.raises("LogicError", "num_channels must be 1, 2 or 4, got 3", ints.set_format, ints, "float", 3)
    rows:set_array(row(1, 2))
    gpu.raises("LogicError", "have 8 bytes, but the array's have 4", rows.set_format, rows, "float", 2)
    rows:set_format("float", 1)
    words:free()
    gpu.raises("LogicError", "its DeviceAllocation is gone (freed at", fn, out, { block = 4 })
  end)

  it("cuda.TextureReference:set_address_mode, cuda.TextureReference:get_address_mode, " ..
    "cuda.TextureReference:set_filter_mode, cuda.TextureReference:get_filter_mode, cuda.TextureReference:set_flags, " ..
    "cuda.TextureReference:get_flags", function()
    local mod = cuda.SourceModule [[
      texture<float, 2> t;
      texture<float, 2> preset(1, cudaFilterModeLinear, cudaAddressModeWrap);
      __global__ void k(float *out, float x) { out[0] = tex2D(t, x, 0.5f); out[1] = tex2D(preset, x, 0.5f); }
    ]]
    local t, preset = mod:get_texref "t", mod:get_texref "preset"
    assert.same({ 1, 1, 1, 0, 0 }, { t:get_address_mode(0), t:get_address_mode(1), t:get_address_mode(2),
      t:get_filter_mode(), t:get_flags() })
    assert.same({ cuda.address_mode.WRAP, cuda.filter_mode.LINEAR, cuda.TRSF_NORMALIZED_COORDINATES },
      { preset:get_address_mode(1), preset:get_filter_mode(), preset:get_flags() })
    t:set_array(row(1, 2, 3, 4))
    preset:set_array(row(1, 2, 3, 4))
    local out = gpuarray.zeros(2)
    local function at(x)
      mod:get_function "k"(out, x, { block = 1 })
      return out:get()[1], out:get()[2]
    end
    assert.same({ 2, 2 }, { (at(1)), select(2, at(1.375)) })
    t:set_filter_mode "linear"
    assert.equal(2, (at(1.5)))
    assert.near(1.5, (at(1)), 1 / 64)
    t:set_address_mode(0, "border")
    assert.equal(cuda.address_mode.BORDER, t:get_address_mode(0))
    assert.equal(0, (at(-3)))
    t:set_flags(cuda.TRSF_NORMALIZED_COORDINATES)
    t:set_address_mode(0, cuda.address_mode.MIRROR)
    t:set_filter_mode(cuda.filter_mode.POINT)
    assert.equal(4, (at(1.125)))
    for _, f in ipairs { function(v) t:set_address_mode(v, "wrap") end, function(v) t:get_address_mode(v) end } do
      gpu.refuses_nonsense(f)
    end
    gpu.refuses_nonsense(function(v) t:set_address_mode(0, v) end)
    gpu.refuses_nonsense(function(v) t:set_filter_mode(v) end)
    gpu.refuses_nonsense(function(v) t:set_flags(v) end)
    gpu.raises("LogicError", "expected a sum of cuda.TRSF_READ_AS_INTEGER", t.set_flags, t, 4)
    t:set_flags(0)
    local bytes = cuda.SourceModule [[
      texture<unsigned char, 2> raw;
      texture<unsigned char, 2, cudaReadModeNormalizedFloat> part;
      __global__ void k(float *out) { out[0] = tex2D(raw, 0, 0); out[1] = tex2D(part, 0, 0); }
    ]]
    local raw, part = bytes:get_texref "raw", bytes:get_texref "part"
    assert.same({ cuda.TRSF_READ_AS_INTEGER, 0 }, { raw:get_flags(), part:get_flags() })
    local array = textures.array({ width = 1, height = 1, format = "unsigned_int8" }, "\51")
    raw:set_array(array)
    part:set_array(array)
    bytes:get_function "k"(out, { block = 1 })
    assert.same({ 51, 0.2 }, { out:get()[1], math.floor(out:get()[2] * 1e6 + 0.5) / 1e6 })
    raw:set_filter_mode "linear"
    gpu.raises("LogicError", "TextureReference 'raw': filter = \"linear\" needs texels that are read as floats",
      bytes:get_function "k", out, { block = 1 })
    gpu.raises("LogicError", "TextureReference 'raw'", bytes:get_function "k", out, { block = 1 })
    raw:set_filter_mode "point"
    bytes:get_function "k"(out, { block = 1 })
  end)

  it("cuda.SurfaceReference:set_array, cuda.SurfaceReference:get_array", function()
    local mod = cuda.SourceModule [[
      surface<void, 2> s;
      __global__ void k(float *out)
      {
        float v;
        surf2Dread(&v, s, 4, 0);
        surf2Dwrite(v + 1, s, 4, 0);
        *out = surf2Dread<float>(s, 4, 0, cudaBoundaryModeClamp);
      }
    ]]
    local s, fn, out = mod:get_surfref "s", mod:get_function "k", gpuarray.zeros(1)
    assert.is_nil(s:get_array())
    local array = cuda.np_to_array(ndarray.zeros { 2, 2 }, "C", { allow_surface_bind = true })
    s:set_array(array, 0)
    assert.is_true(array == s:get_array())
    for i = 1, 3 do
      fn(out, { block = 1 })
      assert.equal(i, out:item())
    end
    gpu.raises("LogicError", "SurfaceReference 's':set_array: surfaces need an array", s.set_array, s, row(1))
    gpu.raises("LogicError", "declares a 2D texture", s.set_array, s, cuda.np_to_array(ndarray.zeros(2), "C",
      { allow_surface_bind = true }))
    gpu.raises("LogicError", "flags must be 0, got 1", s.set_array, s, array, 1)
    gpu.refuses_nonsense(function(v) s:set_array(v) end)
    array:free()
    gpu.raises("LogicError", "reference s of the module", fn, out, { block = 1 })
  end)

  it("are named by launches, prepared calls and cuda.Function:param_set_texref", function()
    local _, fn, t = module()
    local _, _, other = module()
    t:set_array(row(1, 2))
    assert.same({ 1, 2 }, read(fn, 2, { texrefs = { t } }))
    assert.same({ 1 }, read(fn, 1, { texrefs = {} }))
    local out = gpuarray.zeros(2)
    fn:prepare("Pi", { block = 1, texrefs = { t } })
    t:set_array(row(3, 4))
    fn:prepared_call(1, out, 2)
    assert.equal("[3. 4.]", tostring(out))
    fn:param_set_texref(t)
    fn:param_set(out, 2)
    fn:set_block_shape(1)
    t:set_array(row(5, 6))
    fn:launch()
    assert.equal("[5. 6.]", tostring(out))
    local lone = cuda.TextureReference()
    lone:set_array(row(1))
    assert.same({ cuda.array_format.FLOAT, 1 }, { lone:get_format() })
    for _, f in ipairs { function(v) fn(out, 2, { block = 1, texrefs = { v } }) end,
      function(v) fn:prepare("Pi", { block = 1, texrefs = { v } }) end, function(v) fn:param_set_texref(v) end } do
      gpu.raises("LogicError", "belongs to another module", f, other)
      gpu.raises("LogicError", "belongs to no module", f, lone)
      gpu.refuses_nonsense(f, { ["nil"] = true })
    end
    gpu.raises("LogicError", "write {t}", fn, out, 2, { block = 1, texrefs = t })
    gpu.refuses_nonsense(function(v) fn(out, 2, { block = 1, texrefs = v }) end, { ["nil"] = true, table = true })
    gpu.refuses_nonsense(function(v) fn.param_set_texref(v, t) end)
    gpu.error_of("LogicError", fn.param_set_texref, fn)
    local methods = { set_array = { row(1) }, set_address = { cuda.mem_alloc(4), 4 }, set_format = { "float", 1 },
      set_address_mode = { 0, "clamp" }, set_filter_mode = { "point" }, set_flags = { 0 } }
    for name, arguments in pairs(methods) do
      gpu.refuses_nonsense(function(v) t[name](v, unpack(arguments)) end)
    end
    gpu.refuses_nonsense(function(v) t:set_array(v) end)
    gpu.refuses_nonsense(function(v) lone:set_address(v, 4) end)
    gpu.refuses_nonsense(function(v) lone:set_address(cuda.mem_alloc(4), v) end)
    gpu.refuses_nonsense(function(v) lone:set_format(v, 1) end)
    gpu.refuses_nonsense(function(v) lone:set_format("float", v) end)
    gpu.refuses_nonsense(function(v) cuda.bind_array_to_texref(v, t) end)
    gpu.refuses_nonsense(function(v) cuda.bind_array_to_texref(row(1), v) end)
    gpu.refuses_nonsense(function(v) cuda.matrix_to_texref(v, t, "C") end)
    gpu.refuses_nonsense(function(v) cuda.matrix_to_texref(ndarray.zeros { 2, 2 }, v, "C") end)
    gpu.refuses_nonsense(function(v) cuda.matrix_to_texref(ndarray.zeros { 2, 2 }, t, v) end)
    gpu.raises("LogicError", "has no", function() return t.set_arry end)
    assert.equal("cudalua.TextureReference: t", tostring(t))
    assert.equal("cudalua.TextureReference", tostring(lone))
    assert.equal("cudalua.SurfaceReference", tostring(cuda.SurfaceReference()))
  end)

  it("a launch reads what was bound when it was called, in whatever stream", function()
    local mod, fn, t = module()
    local slow = mod:get_function "slow"
    local streams, outs = {}, {}
    for i = 1, 3 do streams[i] = cuda.Stream "non_blocking" end
    t:set_array(row(1))
    cuda.Context.synchronize()
    for i = 1, 12 do
      outs[i] = gpuarray.zeros(1):eval()
    end
    cuda.Context.synchronize()
    for i = 1, 12 do
      gpu.apart(function() t:set_array(row(i)) end)
      slow(outs[i], 300, { block = 1, stream = streams[i % 3 + 1] })
    end
    for i = 1, 3 do streams[i]:close() end
    t:set_array(row(100))
    assert.same({ 100 }, read(fn, 1))
    cuda.collect()
    for i = 1, 12 do assert.equal(i, outs[i]:item()) end
    assert.equal(0, core.failed_destroys())
  end)

  it("a graph binds what was bound when it was captured, each time it runs", function()
    local _, fn, t = module()
    local stream, out, exec = cuda.Stream(), gpuarray.zeros(1):eval(), nil
    t:set_array(row(1))
    assert.same({ 1 }, read(fn, 1))
    gpu.apart(function()
      local second, third = row(2), row(3)
      exec = stream:capture(function()
        t:set_array(second)
        fn(out.gpudata, 1, { block = 1 })
        t:set_array(third)
      end):instantiate()
    end)
    assert.same({ 3 }, read(fn, 1))
    cuda.collect()
    for i = 4, 6 do
      out:fill(0)
      exec:launch(stream)
      stream:synchronize()
      assert.equal(2, out:item())
      assert.same({ i - 1 }, read(fn, 1)) -- not what the graph has left there
      gpu.apart(function() t:set_array(row(i)) end)
      assert.same({ i }, read(fn, 1))
    end
  end)

  it("of an unbound reference a fetch is reported", function()
    if not soft then return pending "a GPU reads something" end
    local out = gpu.child([[
      local cuda = require "cudalua"
      local mod = cuda.SourceModule "texture<float, 2> t; __global__ void k(float *o) { *o = tex2D(t, 0, 0); }"
      mod:get_texref "t"
      local out = cuda.gpuarray.zeros(1)
      local ok, err = pcall(function()
        mod:get_function "k"(out, { block = 1 })
        cuda.Context.synchronize()
      end)
      print(ok, err.class, err.detail)
    ]], gpu.driver)
    assert.matches("^false\tLaunchError\t", out)
    assert.matches("no texture is bound", out)
  end)

  it("and textures mean the same whatever a finalizer does meanwhile", function()
    local mod = cuda.SourceModule [[
      texture<float, 2> t;
      texture<float, 1> line, other;
      surface<void, 2> s;
      __global__ void read(float *out, int n)
      {
        for (int i = 0; i < n; i++) out[i] = tex2D(t, i + 0.5f, 0.5f);
      }
      __global__ void look(float *out, cudaTextureObject_t list)
      {
        *out = tex1Dfetch<float>(list, 2) + tex1Dfetch(line, 1);
      }
    ]]
    local fn, look = mod:get_function "read", mod:get_function "look"
    local t, line = mod:get_texref "t", mod:get_texref "line"
    local _, second, apart = module()
    local arrays, k = { row(1, 2), row(3, 4) }, 0
    local values = gpuarray.arange(6, "float32"):eval()
    line:set_address(values, 24)
    local uses = {
      function()
        k = k + 1
        t:set_array(arrays[k % 2 + 1])
        local got = read(fn, 2, { texrefs = { t } })
        return got[1] == 1 + 2 * (k % 2) and got[2] == got[1] + 1
      end,
      function()
        local texture, out = cuda.TextureObject { linear = values * 2 + 1 }, gpuarray.zeros(1)
        look(out, texture, { block = 1 })
        texture:close()
        return out:item()
      end,
      function()
        (values + 3):bind_to_texref_ext(line)
        local out = gpuarray.zeros(1)
        look(out, cuda.TextureObject { linear = values }, { block = 1 })
        line:set_address(values, 24)
        return out:item()
      end,
      function() return textures.contents(cuda.gpuarray_to_array((values * 3):reshape(2, 3)), 4) end,
    }
    local acts = {
      function() assert(#read(fn, 2) == 2) end,
      function()
        apart:set_array(arrays[1])
        assert(read(second, 2)[2] == 2)
      end,
      function() mod:get_texref "other":set_address(values, 24) end,
      function()
        mod:get_surfref "s":set_array(cuda.np_to_array(ndarray.zeros { 2, 2 }, "C", { allow_surface_bind = true }))
      end,
      function()
        local texture = cuda.TextureObject { linear = values * 5 }
        assert(textures.fetch_all("linear", "float", texture, 1, 3, 1, 3)[3] == 10)
        texture:close()
      end,
      function() cuda.collect() end,
    }
    for i, use in ipairs(uses) do
      for j, act in ipairs(acts) do
        local wrong, places = reentry.sweep(use, act, gpu.sanitized and 5 or 40, tostring)
        assert(not wrong, ("use %d, finalizer %d: %s"):format(i, j, tostring(wrong)))
        assert.is_true(places > 0)
      end
    end
    assert.equal(0, core.failed_destroys())
  end)

  it("are recorded with a launch, and what they read", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      local mod = cuda.SourceModule [=[
        texture<float, 2> t;
        __global__ void k(float *o, cudaTextureObject_t u, cudaTextureObject_t v, cudaSurfaceObject_t s)
        {
          *o = tex2D(t, 1.5f, 0.5f) + tex1Dfetch<float>(u, 3) + tex2DLod<float>(v, 0.5f, 0.5f, 1)
            + surf1Dread<float>(s, 8);
          printf("%g\n", *o);
        }
      ]=]
      local function array(list, options) return cuda.np_to_array(cuda.ndarray.array(list, "float32"), "C", options) end
      mod:get_texref "t":set_array(array { { 1, 100 } })
      local mipmap = cuda.MipmappedArray(cuda.ArrayDescriptor { width = 2, height = 2 })
      cuda.memcpy_htoa(mipmap:level(1), 0, require "ffi".new("float[1]", 2000))
      local t = cuda.TextureObject { linear = cuda.gpuarray.arange(8, "float32") }
      local m = cuda.TextureObject { mipmap = mipmap, normalized = true }
      local s = cuda.SurfaceObject { array = array({ 0, 0, 30000 }, { allow_surface_bind = true }) }
      for _, bytes in ipairs { 2 ^ 20, 6 } do
        cuda.debug.record(true, { bytes = bytes })
        mod:get_function "k"(cuda.mem_alloc(4), t, m, s, { block = 1 })
        cuda.Context.synchronize()
        local replay = cuda.debug.replay()
        print("replay", replay.output, replay.fault, replay.text)
      end
      cuda.debug.record(true)
      cuda.elementwise.ElementwiseKernel("float *y, cudaTextureObject_t t", "y[i] = tex1Dfetch<float>(t, i); if (i) " ..
        "printf(\"%g\\n\", y[i])")(cuda.gpuarray.zeros(2), t)
      print("elements", cuda.debug.replay().output)
    ]], gpu.driver)
    assert.matches("elements\t1\n\n", out)
    assert.matches("replay\t32103\n\tfalse\t", out)
    assert.matches("replay\t0\n\tfalse\t", out)
    assert.matches("the texels of argument 2, cudaTextureObject_t u exceeded the limit of record", out)
    assert.matches("the texels of reference t exceeded", out)
  end)
end)
