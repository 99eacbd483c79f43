-- What the software device reports of the wrong use of textures and surfaces, which a GPU mostly lets pass.
local gpu = require "spec.support.gpu"

-- In front of each script: a device that is there again after each error, and report(f): nil, or the error's detail.
local support = [[
  local cuda, ffi = require "cudalua", require "ffi"
  local softgpu = require "cudalua.softgpu"
  local core = require "cudalua.core"
  cuda.init()
  local context
  local function restart()
    softgpu.set_device_count(1)
    context = cuda.Device(0):make_context()
  end
  local code
  local function report(f)
    local ok, err = pcall(function()
      f()
      cuda.Context.synchronize()
    end)
    if ok then return nil end
    assert(cuda.is_error(err, "LaunchError"), tostring(err))
    code = err.code
    restart()
    return err.detail
  end
  local function expect(want, f, ...)
    local detail = report(f)
    assert(detail, "no error where one of code " .. want .. " was expected")
    assert(code == want, ("code %d: %s"):format(code, detail))
    for _, text in ipairs { ... } do assert(detail:find(text, 1, true), text .. "\nis not in\n" .. detail) end
  end
  local function surface_array(width, height, depth, more)
    local d = cuda.ArrayDescriptor3D { width = width, height = height or 0, depth = depth or 0, format = "float",
      num_channels = 1, flags = "surface_ldst" }
    for key, value in pairs(more or {}) do d[key] = value end
    return cuda.Array(d)
  end
  local function fill(array, value)
    local d = array:get_descriptor_3d()
    local n = d.width * math.max(d.height, 1) * math.max(d.depth, 1)
    local host = ffi.new("float[?]", n)
    for i = 0, n - 1 do host[i] = value or i end
    local copy = cuda.Memcpy3D()
    copy:set_src_host(host)
    copy:set_dst_array(array)
    copy.src_pitch, copy.src_height = 4 * d.width, math.max(d.height, 1)
    copy.width_in_bytes, copy.height, copy.depth = 4 * d.width, math.max(d.height, 1), math.max(d.depth, 1)
    copy()
    return array
  end
  local function kernel(text) return cuda.SourceModule(text, { name = "image.cu" }):get_function "k" end
  -- The handle as a number, which the library does not look at.
  local function raw(handle) return ffi.new("uint64_t[1]", handle) end
  restart()
]]

local function fine(script, environment)
  local text = gpu.child(support .. script .. "\nprint 'fine'", "CUDALUA_DRIVER=soft CUDALUA_SOFT_REPORT=off " ..
    (environment or ""))
  assert.equal("fine\n", text)
end

describe("the software device reports", function()
  if not gpu.soft then
    pending "a GPU does not look"
    return
  end

  it("surface accesses outside of their array, with the place, the extents and the line", function()
    fine [[
      local store = [=[
        __global__ void k(cudaSurfaceObject_t s, int x, int y)
        {
          surf2Dwrite(1.0f, s, x, y);
        }
      ]=]
      for _, at in ipairs { { 256, 3, "element 64), y = 3" }, { 0, 32, "element 0), y = 32" },
        { -4, 0, "x = -4 bytes (element -1), y = 0" }, { 0, -1, "y = -1" } } do
        local s = cuda.SurfaceObject { array = surface_array(64, 32) }
        local k = kernel(store)
        assert(report(function() k(s, 252, 31, { block = 1 }) end) == nil)
        expect(700, function() k(s, at[1], at[2], { block = 1 }) end, "image.cu:3",
          "surface store of 4 bytes at x = " .. at[1] .. " bytes", at[3],
          "outside surface object 0x", "(a 2D array of 64 x 32 elements of 4 bytes")
      end
    ]]
  end)

  it("layers, faces and slices outside, and leaves clamped and zero accesses alone", function()
    fine [[
      local k = kernel [=[
        __global__ void k(float *o, cudaSurfaceObject_t s, int what, int mode)
        {
          float v = -1;
          cudaSurfaceBoundaryMode m = (cudaSurfaceBoundaryMode)mode;
          if (what == 0) surf2DLayeredread(&v, s, 0, 0, 9, m);
          if (what == 1) surf3Dread(&v, s, 0, 0, 9, m);
          if (what == 2) surf1Dread(&v, s, 4000, m);
          o[0] = v;
        }
      ]=]
      local out = ffi.new "float[1]"
      local arrays = { [0] = { surface_array(8, 8, 3, { flags = { "surface_ldst", "layered" } }), 2 * 64, "layer 9" },
        { surface_array(8, 8, 3), 2 * 64, "z = 9" }, { surface_array(8), 7, "x = 4000 bytes (element 1000)" } }
      for what, row in pairs(arrays) do
        local s = cuda.SurfaceObject { array = fill(row[1]) }
        k(cuda.Out(out), s, what, 1, { block = 1 }) -- cudaBoundaryModeClamp
        assert(out[0] == row[2], out[0])
        k(cuda.Out(out), s, what, 0, { block = 1 }) -- cudaBoundaryModeZero
        assert(out[0] == 0)
      end
      for what = 0, 2 do
        local again = ({ [0] = { 8, 8, 3, { flags = { "surface_ldst", "layered" } } }, { 8, 8, 3 }, { 8 } })[what]
        local k = kernel [=[
          __global__ void k(float *o, cudaSurfaceObject_t s, int what)
          {
            if (what == 0) surf2DLayeredread(o, s, 0, 0, 9);
            if (what == 1) surf3Dread(o, s, 0, 0, 9);
            if (what == 2) surf1Dread(o, s, 4000);
          }
        ]=]
        local s = cuda.SurfaceObject { array = surface_array(unpack(again)) }
        expect(700, function() k(cuda.Out(out), s, what, { block = 1 }) end, "surface load of 4 bytes", arrays[what][3])
      end
    ]]
  end)

  it("coordinates of surfaces that are no multiple of the access", function()
    fine [[
      local k = kernel "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 2, 0); }"
      expect(716, function() k(cuda.SurfaceObject { array = surface_array(8, 8) }, { block = 1 }) end,
        "surface store of 4 bytes at x = 2 bytes, which is not a multiple of 4", "counts bytes")
    ]]
  end)

  it("handles of nothing, of the wrong kind, destroyed ones and those of other contexts", function()
    fine [[
      local read = [=[
        __global__ void k(float *o, unsigned long long t) { o[0] = tex2D<float>((cudaTextureObject_t)t, 0, 0); }
      ]=]
      local out = ffi.new "float[1]"
      local k = kernel(read)
      local function run(handle) return function() k(cuda.Out(out), handle, { block = 1 }) end end
      expect(700, run(0), "texture read through handle 0x0: no texture is bound")
      k = kernel(read)
      expect(700, run(12345), "texture read through handle 0x3039: the kernel's context has no such texture object")
      k = kernel(read)
      expect(700, run(2 ^ 52 + 1), "has no such texture object")
      k = kernel(read)
      local s = cuda.SurfaceObject { array = surface_array(8, 8) }
      expect(700, run(s:handle()), "texture read through surface object 0x", "which is no texture object")
      k = kernel(read)
      local t = cuda.TextureObject { array = fill(surface_array(8, 8), 5) }
      local number = t:handle()
      run(number)()
      assert(out[0] == 5)
      t:close()
      expect(700, run(number), "this texture object was destroyed before the kernel ran")
      local here = cuda.TextureObject { array = fill(surface_array(8, 8), 5) }
      number = here:handle()
      local other = cuda.Device(0):make_context()
      k = kernel(read)
      expect(700, run(number), "this texture object is another context's")
    ]]
  end)

  it("instructions that do not fit the array", function()
    fine [[
      local out = ffi.new "float[1]"
      local reads = { { "tex1D<float>(t, 0)", { 8, 8 }, "a texture read of a 1D array through", "a 2D array of 8 x 8" },
        { "tex2D<float>(t, 0, 0)", { 8 }, "a texture read of a 2D array through", "a 1D array of 8 elements" },
        { "tex2D<float>(t, 0, 0)", { 8, 8, 3 }, "a texture read of a 2D array", "a 3D array of 8 x 8 x 3 elements" },
        { "tex3D<float>(t, 0, 0, 0)", { 8, 8 }, "of a 3D array", "a 2D array" },
        { "tex2DLayered<float>(t, 0, 0, 0)", { 8, 8 }, "of a layered 2D array", "a 2D array" },
        { "texCubemap<float>(t, 1, 0, 0)", { 8, 8 }, "of a cube map", "a 2D array" },
        { "tex2Dgather<float4>(t, 0, 0, 0).x", { 8, 8 }, "a texture gather", "without CUDA_ARRAY3D_TEXTURE_GATHER" } }
      for _, row in ipairs(reads) do
        local k = kernel("__global__ void k(float *o, cudaTextureObject_t t) { o[0] = " .. row[1] .. "; }")
        local t = cuda.TextureObject { array = fill(surface_array(unpack(row[2]))) }
        expect(719, function() k(cuda.Out(out), t, { block = 1 }) end, row[3], row[4])
      end
      local k = kernel "__global__ void k(float *o, cudaTextureObject_t t) { o[0] = tex1D<float>(t, 0); }"
      local t = cuda.TextureObject { linear = cuda.to_device(ffi.new "float[8]"), format = "float" }
      expect(719, function() k(cuda.Out(out), t, { block = 1 }) end, "linear memory is read at integer coordinates")
      local k = kernel "__global__ void k(cudaSurfaceObject_t s) { surf1Dwrite(1.0f, s, 0); }"
      local s = cuda.SurfaceObject { array = surface_array(8, 8) }
      expect(719, function() k(s, { block = 1 }) end, "a surface store of a 1D array through")
    ]]
  end)

  it("texture reads of what the same kernel wrote, which surfaces may read", function()
    fine [[
      local text = [=[
        __global__ void k(float *o, cudaSurfaceObject_t s, cudaTextureObject_t t, int what)
        {
          surf2Dwrite(7.0f, s, 4 * threadIdx.x, 0);
          __syncthreads();
          if (what == 0) o[threadIdx.x] = surf2Dread<float>(s, 4 * threadIdx.x, 0);
          if (what == 1) o[threadIdx.x] = tex2D<float>(t, threadIdx.x, 1);
          if (what == 2) o[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0);
        }
      ]=]
      local array = fill(surface_array(8, 8))
      local s, t = cuda.SurfaceObject { array = array }, cuda.TextureObject { array = array }
      local out = ffi.new "float[8]"
      local k = kernel(text)
      k(cuda.Out(out), s, t, 0, { block = 8 })
      assert(out[3] == 7)
      k(cuda.Out(out), s, t, 1, { block = 8 })
      assert(out[3] == 11)
      expect(719, function() k(cuda.Out(out), s, t, 2, { block = 8 }) end, "texture read of the texel at x = 0, y = 0",
        "which the same kernel has written")
      -- The next launch reads it.
      array = fill(surface_array(8, 8))
      s, t = cuda.SurfaceObject { array = array }, cuda.TextureObject { array = array }
      kernel "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(9.0f, s, 4 * threadIdx.x, 0); }"(s, { block = 8 })
      kernel "__global__ void k(float *o, cudaTextureObject_t t) { o[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); }"(
        cuda.Out(out), t, { block = 8 })
      assert(out[5] == 9)
    ]]
  end)

  it("texture reads beyond the memory, and of memory that was freed", function()
    fine [[
      local text = "__global__ void k(float *o, cudaTextureObject_t t, int i) { o[0] = tex1Dfetch<float>(t, i); }"
      local out = ffi.new "float[1]"
      local memory = cuda.mem_alloc(64)
      cuda.memset_d32(memory, 0, 16)
      local k = kernel(text)
      local t = cuda.TextureObject { linear = { ptr = tonumber(memory:ptr()), bytes = 128 }, format = "float" }
      k(cuda.Out(out), t, 15, { block = 1 })
      k(cuda.Out(out), t, 99, { block = 1 })
      assert(out[0] == 0)
      expect(700, function() k(cuda.Out(out), t, 16, { block = 1 }) end, "texture read of the texel at x = 16",
        "which reaches beyond the end of allocation", "(64 bytes at")
      memory = cuda.mem_alloc(64)
      k = kernel(text)
      t = cuda.TextureObject { linear = { ptr = tonumber(memory:ptr()), bytes = 64 }, format = "float" }
      memory:free()
      expect(700, function() k(cuda.Out(out), t, 1, { block = 1 }) end, "whose memory was freed")
    ]]
  end)

  it("as objects for programs, too", function()
    local text = gpu.child(support .. [[
      local k = kernel "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 64, 1); }"
      report(function() k(cuda.SurfaceObject { array = surface_array(8, 4) }, { block = 1 }) end)
    ]], "CUDALUA_DRIVER=soft CUDALUA_SOFT_REPORT=json 2>&1")
    local line = assert(text:match '{"kind":"image"[^\n]*}', text)
    for _, part in ipairs { '"code":700', '"access":"store"', '"object":"surface"', '"shape":"a 2D array"',
      '"extents":[8,4,1]', '"texel_bytes":4', '"at":[64,1,0]' } do
      assert(line:find(part, 1, true), part .. " is not in " .. line)
    end
  end)

  it("with the check for uninitialised memory: texels that nobody wrote", function()
    fine([[
      local text = [=[
        __global__ void k(float *o, cudaTextureObject_t t, float x, float y) { o[0] = tex2D<float>(t, x, y); }
      ]=]
      local out = ffi.new "float[1]"
      local function half_filled()
        local array = surface_array(8, 8)
        local copy = cuda.Memcpy2D()
        copy:set_src_host(ffi.new("float[32]"))
        copy:set_dst_array(array)
        copy.src_pitch, copy.width_in_bytes, copy.height = 32, 32, 4
        copy(true)
        return array
      end
      local k = kernel(text)
      local t = cuda.TextureObject { array = half_filled(), filter = "linear" }
      k(cuda.Out(out), t, 1, 3.5, { block = 1 }) -- the texels below have weight 0
      expect(719, function() k(cuda.Out(out), t, 1, 3.75, { block = 1 }) end,
        "texture read of 4 bytes at x = 0, y = 4", "were never written")
      -- Surface stores and copies between arrays count.
      local array = half_filled()
      local s = cuda.SurfaceObject { array = array }
      kernel "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(2.0f, s, 4 * threadIdx.x, 4); }"(s, { block = 8 })
      local copied = surface_array(8, 8)
      local copy = cuda.Memcpy2D()
      copy:set_src_array(array)
      copy:set_dst_array(copied)
      copy.width_in_bytes, copy.height = 32, 8
      copy(true)
      k = kernel(text)
      t = cuda.TextureObject { array = copied }
      k(cuda.Out(out), t, 3, 4, { block = 1 })
      assert(out[0] == 2)
      expect(719, function() k(cuda.Out(out), t, 3, 5, { block = 1 }) end, "at x = 3, y = 5", "were never written")
      k = kernel "__global__ void k(float *o, cudaSurfaceObject_t s) { o[0] = surf2Dread<float>(s, 0, 0); }"
      expect(719, function() k(cuda.Out(out), cuda.SurfaceObject { array = surface_array(8, 8) }, { block = 1 }) end,
        "surface load of 4 bytes at x = 0", "were never written")
    ]], "CUDALUA_SOFT_CHECK=uninitialised")
  end)

  it("with the check for races: threads that write one texel, and reads of what global stores wrote", function()
    fine([[
      local text = "__global__ void k(cudaSurfaceObject_t s, int n) { surf2Dwrite((float)threadIdx.x, s, " ..
        "4 * (threadIdx.x % n), 0); }"
      local k = kernel(text)
      k(cuda.SurfaceObject { array = surface_array(64, 8) }, 64, { block = 64 })
      expect(719, function() k(cuda.SurfaceObject { array = surface_array(64, 8) }, 32, { block = 64 }) end,
        "race: the surface store of 4 bytes at x = ", "and the store of thread", "are not ordered")
      -- A barrier puts loads and stores in order.
      kernel [=[
        __global__ void k(cudaSurfaceObject_t s)
        {
          surf2Dwrite(1.0f, s, 4 * threadIdx.x, 0);
          __syncthreads();
          float v = surf2Dread<float>(s, 4 * (63 - threadIdx.x), 0);
          __syncthreads();
          surf2Dwrite(v + threadIdx.x, s, 4 * threadIdx.x, 0);
        }
      ]=](cuda.SurfaceObject { array = surface_array(64, 8) }, { block = 64 })
      k = kernel [=[
        __global__ void k(float *m, float *o, cudaTextureObject_t t)
        {
          m[threadIdx.x] = 1;
          o[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
        }
      ]=]
      local memory, out = cuda.to_device(ffi.new "float[8]"), ffi.new "float[8]"
      local t = cuda.TextureObject { linear = memory, format = "float" }
      expect(719, function() k(memory, cuda.Out(out), t, { block = 8 }) end, "which the same kernel has written")
    ]], "CUDALUA_SOFT_CHECK=races")
  end)

  it("textures, surfaces and mipmapped arrays that nobody destroyed", function()
    local text = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local context = cuda.Device(0):make_context()
      local d = cuda.ArrayDescriptor3D { width = 8, height = 8, format = "float", num_channels = 1,
        flags = "surface_ldst" }
      local array, mipmap = cuda.Array(d), cuda.MipmappedArray(d, 2)
      kept = { array, mipmap, mipmap:level(1), cuda.TextureObject { array = array },
        cuda.SurfaceObject { array = array } }
      for _, leak in ipairs(require("cudalua.softgpu").leaks()) do print((leak:match "^%S+")) end
    ]], "CUDALUA_DRIVER=soft")
    for _, name in ipairs { "array", "mipmap", "texture", "surface" } do
      assert(select(2, text:gsub("%f[%w_]" .. name .. "%f[^%w_]", "")) == 1, name .. " once in\n" .. text)
    end
  end)

  it("nothing of handles if they are small: the next texture has the number of the last one", function()
    fine([[
      local array = fill(surface_array(8, 8), 3)
      local a = cuda.TextureObject { array = array }
      local b = cuda.SurfaceObject { array = array }
      assert(a:handle() == 1 and b:handle() == 2, a:handle())
      a:close()
      local c = cuda.TextureObject { array = array }
      assert(c:handle() == 1)
      local other = cuda.Device(0):make_context()
      assert(cuda.TextureObject { array = cuda.Array(array:get_descriptor_3d()) }:handle() == 1)
    ]], "CUDALUA_SOFT_HANDLES=small")
  end)
end)
