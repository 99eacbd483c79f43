-- OpenGL: registered buffers and images, their mappings, contexts without a window. Most tests need an OpenGL
-- (spec/support/opengl.lua); what is refused without one is tested everywhere.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda, core = gpu.cuda, require "cudalua.core"
local gl = require "cudalua.gl"
local opengl = require "spec.support.opengl"

local double = [[
__global__ void twice(float *p) { p[threadIdx.x] *= 2; }
__global__ void slow(float *p, int n)
{
  float x = p[threadIdx.x];
  for (int i = 0; i < n; i++) x = x * 0.5f + 1.0f;
  p[threadIdx.x] = x > 0 ? 77.0f : x;
}
]]
local function kernel(name) return cuda.SourceModule(double):get_function(name) end

local function floats_of(w, name, n)
  local text = opengl.bytes(w, name, 4 * n)
  local list, p = {}, ffi.cast("const float *", text)
  for i = 0, n - 1 do list[i + 1] = p[i] end
  return list
end

-- A test that has a window current, as f(window, window.gl).
local function drawing(name, f)
  it(name, function()
    if not opengl.there then return pending "needs OpenGL without a window" end
    opengl.with({ width = 32, height = 24 }, f)
  end)
end

local function without_context() return not opengl.there or core.gl_current() == nil end

describe("Without an OpenGL context", function()
  setup(gpu.context)

  it("gl.have_gl_ext says that the driver has its functions", function() assert.is_true(gl.have_gl_ext()) end)

  it("gl.graphics_register_flags and gl.graphics_map_flags are cuda.h's", function()
    assert.same({ 0, 1, 2, 4, 8 }, { gl.graphics_register_flags.NONE, gl.graphics_register_flags.READ_ONLY,
      gl.graphics_register_flags.WRITE_DISCARD, gl.graphics_register_flags.SURFACE_LDST,
      gl.graphics_register_flags.TEXTURE_GATHER })
    assert.same({ 0, 1, 2 }, { gl.graphics_map_flags.NONE, gl.graphics_map_flags.READ_ONLY,
      gl.graphics_map_flags.WRITE_DISCARD })
  end)

  it("gl.init, gl.devices, gl.make_context, gl.RegisteredBuffer, gl.RegisteredImage, gl.BufferObject say so", function()
    assert.is_true(without_context())
    for _, f in ipairs { gl.init, gl.devices, function() gl.make_context(cuda.Device(0)) end,
      function() gl.RegisteredBuffer(1) end, function() gl.RegisteredImage(1) end,
      function() gl.BufferObject(1) end } do
      local err = gpu.error_of("LogicError", f)
      assert.equal(219, err.code)
      assert.truthy(err.hint:find "no OpenGL context is current in this thread")
    end
  end)

  it("arguments are checked first", function()
    gpu.raises("LogicError", "expected 'all', 'current_frame' or 'next_frame', got 'frame'", gl.devices, "frame")
    gpu.raises("LogicError", "gl.make_context: expected a Device, got 0", gl.make_context, 0)
    gpu.raises("LogicError", "target must be GL_TEXTURE_2D,", gl.RegisteredImage, 1, "GL_TEXTURE_1D")
    gpu.raises("LogicError", "bufobj", gl.RegisteredBuffer, -1)
    gpu.raises("LogicError", "flags", gl.RegisteredBuffer, 1, "surface")
    gpu.refuses_nonsense(function(x) gl.RegisteredBuffer(x) end)
  end)

  -- The methods by their names, so that none is missed.
  local methods = {
    RegisteredBuffer = "gl.RegisteredBuffer:gl_handle gl.RegisteredBuffer:set_map_flags gl.RegisteredBuffer:map "
      .. "gl.RegisteredBuffer:unregister gl.RegisteredBuffer:close",
    RegisteredImage = "gl.RegisteredImage:gl_handle gl.RegisteredImage:set_map_flags gl.RegisteredImage:map "
      .. "gl.RegisteredImage:unregister gl.RegisteredImage:close",
    RegisteredMapping = "gl.RegisteredMapping gl.RegisteredMapping:device_ptr_and_size gl.RegisteredMapping:array "
      .. "gl.RegisteredMapping:unmap gl.RegisteredMapping:close",
    BufferObject = "gl.BufferObject:handle gl.BufferObject:map gl.BufferObject:unregister",
    BufferObjectMapping = "gl.BufferObjectMapping gl.BufferObjectMapping:unmap gl.BufferObjectMapping:device_ptr "
      .. "gl.BufferObjectMapping:size",
    Headless = "gl.Headless gl.Headless:make_current gl.Headless:release gl.Headless:close gl.Headless:buffer "
      .. "gl.Headless:texture gl.Headless:program gl.Headless:read_pixels",
  }
  for class, names in pairs(methods) do
    it(names .. " refuse what is not theirs", function()
      for name in names:gmatch ":([%w_]+)" do
        for _, self in ipairs { false, cuda.Stream(), {}, 5 } do
          gpu.raises("LogicError", "call the method with a colon", gl[class][name], self or nil)
        end
      end
    end)
  end

  it("gl.headless checks its options, and says what to install", function()
    gpu.raises("LogicError", "unknown option 'widht'", gl.headless, { widht = 3 })
    gpu.raises("LogicError", "width must be an integer from 1 to 16384, got 0", gl.headless, { width = 0 })
    gpu.raises("LogicError", "height must be an integer from 1 to 16384, got 1.5", gl.headless, { height = 1.5 })
    gpu.raises("LogicError", "device must be a Device, got 0", gl.headless, { device = 0 })
    gpu.raises("LogicError", "version must be {major, minor}", gl.headless, { version = 3 })
    if not opengl.there then
      local err = gpu.error_of("RuntimeError", gl.headless)
      assert.truthy(err.hint:find "libegl1" or err.hint:find "libnvidia%-gl")
    end
  end)
end)

describe("gl.headless", function()
  drawing("draws, and gl.Headless:read_pixels has the top row first", function(w, g)
    assert.same({ 32, 24 }, { w.width, w.height })
    assert.truthy(tostring(w):find "cudalua.gl.Headless%(32 x 24, .+%)")
    g.ClearColor(0, 0, 1, 1)
    g.Clear(g.COLOR_BUFFER_BIT)
    local program = w:program { vertex = [[
      #version 330
      void main() {
        vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
        gl_Position = vec4(corner.x * 2.0 - 1.0, corner.y, 0.0, 1.0); // the upper half
      }
    ]], fragment = [[
      #version 330
      uniform float green;
      out vec4 colour;
      void main() { colour = vec4(1.0, green, 0.0, 1.0); }
    ]] }
    local array = ffi.new "unsigned[1]"
    g.GenVertexArrays(1, array)
    g.BindVertexArray(array[0])
    g.UseProgram(program)
    g.Uniform1f(g.GetUniformLocation(program, "green"), 0.2)
    g.DrawArrays(g.TRIANGLE_STRIP, 0, 4)
    local p = w:read_pixels()
    assert.equal(g.NO_ERROR, g.GetError())
    assert.same({ 24, 32, 4 }, p.shape)
    local wrong = {}
    for y = 1, 24 do
      for x = 1, 32 do
        local colour = table.concat(p[{ y, x }]:tolist(), " ")
        if colour ~= (y <= 12 and "255 51 0 255" or "0 0 255 255") then
          wrong[#wrong + 1] = ("row %d, column %d: %s"):format(y, x, colour)
        end
      end
    end
    assert.equal("", table.concat(wrong, "\n", 1, math.min(#wrong, 30)), #wrong .. " pixels are wrong")
  end)

  drawing("gl.Headless:program raises what the compiler says", function(w)
    local err = gpu.error_of("CompileError", w.program, w, { vertex = "#version 330\nvoid main() { nonsense }",
      fragment = "" })
    assert.truthy(err.message:find "vertex shader" and err.log:find "%S")
    gpu.raises("LogicError", "program: vertex must be GLSL source, got nil", w.program, w, {})
    gpu.raises("LogicError", "unknown option", w.program, w, { geometry = "" })
  end)

  drawing("gl.Headless:buffer and gl.Headless:texture check their arguments, and leave what is bound", function(w, g)
    g.BindBuffer(g.ARRAY_BUFFER, w:buffer(16))
    local bound = ffi.new "int[1]"
    g.GetIntegerv(g.ARRAY_BUFFER_BINDING, bound)
    local name = w:buffer "twelve bytes"
    assert.equal("twelve bytes", opengl.bytes(w, name, 12))
    g.BindBuffer(g.ARRAY_BUFFER, bound[0])
    w:buffer(cuda.ndarray.array { 1, 2 })
    local now = ffi.new "int[1]"
    g.GetIntegerv(g.ARRAY_BUFFER_BINDING, now)
    assert.equal(bound[0], now[0])
    gpu.raises("LogicError", "buffer: the size must be a positive integer, got 0", w.buffer, w, 0)
    gpu.raises("LogicError", "texture: width must be an integer from 1 to 16384, got nil", w.texture, w, {})
    gpu.raises("LogicError", "unknown format 'rgb9'", w.texture, w, { width = 2, height = 2, format = "rgb9" })
    gpu.raises("LogicError", "data has 3 bytes, but 2 x 2 texels need 16", w.texture, w, { width = 2, height = 2,
      data = "abc" })
    gpu.raises("LogicError", 'gl: Nonsense is not declared; gl.declare "void glNonsense', function()
      return w.gl.Nonsense
    end)
    w.gl.declare "void glHint(unsigned target, unsigned mode);\nunsigned char glIsBuffer(unsigned name);"
    assert.equal(1, w.gl.IsBuffer(w:buffer(4)))
    assert.equal(0, w.gl.IsBuffer(12345))
    for _, x in ipairs { "", "int x", 5, {} } do
      gpu.raises("LogicError", "gl.declare: expected prototypes", w.gl.declare, x)
    end
    gpu.refuses_nonsense(function(x) w:texture(x) end)
    assert.equal(g.NO_ERROR, g.GetError())
  end)

  drawing("gl.Headless:make_current, gl.Headless:release and gl.Headless:close change which one is current", function(w)
    assert.equal(1, #gl.devices())
    local other = gl.headless { width = 8, height = 8 }
    gpu.raises("LogicError", "the context is not current in this thread", w.read_pixels, w)
    assert.equal(w, w:make_current())
    w:read_pixels()
    other:close()
    other:close()
    assert.equal("cudalua.gl.Headless(8 x 8, closed)", tostring(other))
    gpu.raises("LogicError", "this Headless was closed", other.make_current, other)
    gpu.raises("LogicError", "this Headless was closed", other.buffer, other, 4)
    w:read_pixels()
    w:release()
    w:release()
    assert.is_nil(core.gl_current())
    assert.equal(219, gpu.error_of("LogicError", gl.init).code)
    w:make_current()
    gl.init()
  end)
end)

describe("gl.devices, gl.init and gl.make_context", function()
  drawing("work with a context", function()
    gl.init()
    for _, list in ipairs { "all", "current_frame", "next_frame" } do
      local devices = gl.devices(list)
      assert.is_true(#devices >= 1)
      assert.equal("Device", core.kind(devices[1]))
    end
    local ctx = gl.make_context(cuda.Device(0))
    assert.equal(ctx, cuda.Context.get_current())
    ctx:detach()
    gpu.context()
  end)
end)

describe("gl.RegisteredBuffer", function()
  drawing("is one memory for both: what CUDA writes between map and unmap, OpenGL has", function(w, g)
    local name = w:buffer(gpu.floats(1, 2, 3, 4, 5, 6, 7, 8))
    local buffer = gl.RegisteredBuffer(name)
    assert.equal(name, buffer:gl_handle())
    for _ = 1, 3 do
      local mapping = buffer:map()
      local pointer, size = mapping:device_ptr_and_size()
      assert.same({ 32, 32 }, { size, #pointer })
      kernel "twice"(pointer, { block = 8 })
      mapping:unmap()
    end
    assert.same({ 8, 16, 24, 32, 40, 48, 56, 64 }, floats_of(w, name, 8))
    g.BindBuffer(g.ARRAY_BUFFER, name)
    g.BufferSubData(g.ARRAY_BUFFER, 0, 8, gpu.floats(-1, -2))
    local mapping, out = buffer:map(), ffi.new "float[8]"
    cuda.memcpy_dtoh(out, (mapping:device_ptr_and_size()))
    assert.same({ -1, -2, 24 }, { out[0], out[1], out[2] })
    buffer:unregister()
    assert.equal(g.NO_ERROR, g.GetError())
  end)

  drawing("takes buffers of every kind of storage", function(w, g)
    local prototype = "void (*)(unsigned target, ptrdiff_t size, const void *data, unsigned flags)"
    local address = require("cudalua.gl.egl").address "glBufferStorage"
    local major, minor = w.version:match "^(%d+)%.(%d+)"
    if major * 10 + minor < 44 then return end
    local name = ffi.new "unsigned[1]"
    g.GenBuffers(1, name)
    g.BindBuffer(g.ARRAY_BUFFER, name[0])
    ffi.cast(prototype, address)(g.ARRAY_BUFFER, 16, gpu.floats(1, 2, 3, 4), 0) -- not mapped by the host
    local buffer = gl.RegisteredBuffer(name[0])
    local mapping = buffer:map()
    kernel "twice"((mapping:device_ptr_and_size()), { block = 4 })
    mapping:unmap()
    buffer:close()
    assert.same({ 2, 4, 6, 8 }, floats_of(w, name[0], 4))
    assert.equal(g.NO_ERROR, g.GetError())
  end)

  drawing("leaves OpenGL's bindings as they are", function(w, g)
    local mine, shared = w:buffer(4), w:buffer(64)
    local targets, binding = { g.ARRAY_BUFFER, g.COPY_READ_BUFFER, g.COPY_WRITE_BUFFER, g.PIXEL_PACK_BUFFER },
      { g.ARRAY_BUFFER_BINDING, g.COPY_READ_BUFFER, g.COPY_WRITE_BUFFER, g.PIXEL_PACK_BUFFER_BINDING }
    for _, target in ipairs(targets) do g.BindBuffer(target, mine) end
    local buffer = gl.RegisteredBuffer(shared)
    buffer:map():unmap()
    buffer:unregister()
    for _, name in ipairs(binding) do
      local now = ffi.new "int[1]"
      g.GetIntegerv(name, now)
      assert.equal(mine, now[0])
    end
    assert.equal(g.NO_ERROR, g.GetError())
  end)

  drawing("raises for names that are no buffers, and for buffers without storage", function(w, g)
    local err = gpu.error_of("LogicError", gl.RegisteredBuffer, 12345)
    assert.equal(400, err.code)
    assert.truthy(err.hint:find "no buffer of that name")
    local name = ffi.new "unsigned[1]"
    g.GenBuffers(1, name)
    if gpu.soft then -- not measured on a GPU
      assert.equal(400, gpu.error_of("LogicError", gl.RegisteredBuffer, name[0]).code)
      g.BindBuffer(g.ARRAY_BUFFER, name[0])
      local buffer = gl.RegisteredBuffer(name[0])
      assert.truthy(gpu.error_of(nil, buffer.map, buffer).detail:find "has no storage")
      buffer:unregister()
    end
    assert.is_true(w.made ~= nil)
  end)

  drawing("gl.RegisteredBuffer:unregister unmaps first; a second one raises", function(w)
    local buffer = gl.RegisteredBuffer(w:buffer(gpu.floats(1, 2)))
    local mapping = buffer:map()
    local pointer = mapping:device_ptr_and_size()
    kernel "twice"(pointer, { block = 2 })
    buffer:unregister()
    gpu.raises("LogicError", "this RegisteredMapping was unmapped", mapping.unmap, mapping)
    gpu.raises("LogicError", "this RegisteredBuffer was unregistered", buffer.unregister, buffer)
    gpu.raises("LogicError", "this RegisteredBuffer was unregistered", buffer.map, buffer)
    gpu.raises("LogicError", "this RegisteredBuffer was unregistered", buffer.gl_handle, buffer)
    assert.truthy(tostring(buffer):find "unregistered")
    gpu.error_of("LogicError", cuda.memcpy_dtoh, ffi.new "float[2]", pointer)
  end)

  drawing("gl.RegisteredBuffer:set_map_flags: what is only read stays, what is overwritten is not copied", function(w)
    local name = w:buffer(gpu.floats(1, 2, 3, 4))
    local buffer = gl.RegisteredBuffer(name)
    buffer:set_map_flags "read_only"
    local mapping, out = buffer:map(), ffi.new "float[4]"
    gpu.raises("LogicError", "already mapped", buffer.set_map_flags, buffer, "none")
    cuda.memcpy_dtoh(out, (mapping:device_ptr_and_size()))
    assert.equal(3, out[2])
    mapping:unmap()
    buffer:set_map_flags "write_discard"
    mapping = buffer:map()
    cuda.memcpy_htod((mapping:device_ptr_and_size()), gpu.floats(9, 8, 7, 6))
    mapping:unmap()
    assert.same({ 9, 8, 7, 6 }, floats_of(w, name, 4))
    gpu.raises("LogicError", "flags", buffer.set_map_flags, buffer, "nonsense")
    buffer:unregister()
    gl.RegisteredBuffer(name, "read_only"):unregister()
  end)
end)

describe("gl.RegisteredMapping", function()
  drawing("ends with gl.RegisteredMapping:unmap, and its pointer with it", function(w)
    local buffer = gl.RegisteredBuffer(w:buffer(gpu.floats(1, 2, 3, 4)))
    local mapping = buffer:map()
    local pointer = mapping:device_ptr_and_size()
    local part = pointer + 8
    local err = gpu.error_of("LogicError", buffer.map, buffer)
    assert.equal(208, err.code)
    assert.equal(212, gpu.error_of("LogicError", mapping.array, mapping).code)
    mapping:close()
    gpu.raises("LogicError", "this RegisteredMapping was unmapped at ", mapping.unmap, mapping)
    gpu.raises("LogicError", "this RegisteredMapping was unmapped at ", mapping.device_ptr_and_size, mapping)
    for _, p in ipairs { pointer, part } do
      gpu.raises("LogicError", "its RegisteredMapping is gone (unmapped at ", cuda.memcpy_dtoh, ffi.new "float[1]", p)
      gpu.raises("LogicError", "the mapping of this DevicePointer was unmapped", kernel "twice", p, { block = 1 })
    end
    buffer:unregister()
  end)

  drawing("is taken by arrays and copies, not by other processes", function(w)
    local name = w:buffer(gpu.floats(1, 2, 3, 4, 5, 6))
    local buffer = gl.RegisteredBuffer(name)
    local mapping = buffer:map()
    local pointer = mapping:device_ptr_and_size()
    local a = cuda.gpuarray.wrap(pointer, { 2, 3 }, "float32")
    assert.equal(21, a:sum():item())
    a:set(cuda.ndarray.array({ { 6, 5, 4 }, { 3, 2, 1 } }, "float32"))
    a:iadd(10)
    gpu.raises("LogicError", "a RegisteredMapping cannot be shared by a handle", cuda.mem_get_ipc_handle, pointer)
    mapping:unmap()
    assert.same({ 16, 15, 14, 13, 12, 11 }, floats_of(w, name, 6))
    gpu.error_of("LogicError", function() return a:get() end)
    gpu.error_of("LogicError", function() return (a + 1):get() end)
    buffer:unregister()
  end)

  drawing("waits for all streams that used it", function(w)
    local name = w:buffer(gpu.floats(1, 2, 3, 4))
    local buffer = gl.RegisteredBuffer(name)
    local home, other = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local mapping = buffer:map(home)
    kernel "slow"((mapping:device_ptr_and_size()), 20000, { block = 4, stream = other })
    mapping:unmap() -- in home
    assert.same({ 77, 77, 77, 77 }, floats_of(w, name, 4))
    mapping = buffer:map(home)
    home:close()
    kernel "twice"((mapping:device_ptr_and_size()), { block = 4 })
    mapping:unmap()
    assert.same({ 154, 154, 154, 154 }, floats_of(w, name, 4))
    mapping = buffer:map()
    kernel "twice"((mapping:device_ptr_and_size()), { block = 4, stream = other })
    mapping:unmap(other)
    assert.same({ 308, 308, 308, 308 }, floats_of(w, name, 4))
    buffer:unregister()
  end)

  drawing("takes part in no capture; a graph that worked on it cannot be launched any more", function(w)
    local buffer = gl.RegisteredBuffer(w:buffer(gpu.floats(1, 2, 3, 4)))
    local s, twice = cuda.Stream "non_blocking", kernel "twice"
    local mapping = buffer:map(s)
    local pointer = mapping:device_ptr_and_size()
    local graph = s:capture(function()
      gpu.raises("LogicError", "captured", mapping.unmap, mapping)
      twice(pointer, { block = 4, stream = s })
    end)
    local exec = graph:instantiate()
    exec:launch(s)
    mapping:unmap()
    gpu.error_of("LogicError", exec.launch, exec, s)
    s:capture(function() gpu.raises("LogicError", "captured", buffer.map, buffer, s) end)
    mapping = buffer:map()
    local out = ffi.new "float[1]"
    cuda.memcpy_dtoh(out, (mapping:device_ptr_and_size()))
    assert.equal(2, out[0])
    buffer:unregister()
  end)

  drawing("belongs to its context", function(w)
    local buffer = gl.RegisteredBuffer(w:buffer(16))
    local mapping = buffer:map()
    local other = cuda.Device(0):make_context()
    gpu.error_of("LogicError", mapping.unmap, mapping)
    gpu.error_of("LogicError", buffer.map, buffer)
    gpu.error_of("LogicError", buffer.unregister, buffer)
    local lost = gl.RegisteredBuffer(w:buffer(16))
    local there = lost:map()
    other:detach()
    gpu.context()
    gpu.raises("LogicError", "its Context is gone", there.unmap, there)
    gpu.raises("LogicError", "its Context is gone", lost.unregister, lost)
    mapping:unmap()
    buffer:unregister()
  end)

  drawing("needs an OpenGL context in each call, and goes on when there is one again", function(w)
    local name = w:buffer(gpu.floats(1, 2))
    local buffer = gl.RegisteredBuffer(name)
    local mapping = buffer:map()
    kernel "twice"((mapping:device_ptr_and_size()), { block = 2 })
    w:release()
    assert.equal(219, gpu.error_of("LogicError", mapping.unmap, mapping).code)
    assert.equal(219, gpu.error_of("LogicError", buffer.unregister, buffer).code)
    w:make_current()
    mapping:unmap()
    buffer:unregister()
    assert.same({ 2, 4 }, floats_of(w, name, 2))
  end)
end)

-- What a finalizer may not do is left to the next call with the context.
describe("Dropped buffers and mappings", function()
  local function drop(w, mapped)
    local name = w:buffer(gpu.floats(1, 2, 3, 4))
    gpu.apart(function()
      local mapping = gl.RegisteredBuffer(name):map()
      kernel "twice"((mapping:device_ptr_and_size()), { block = 4 })
      if not mapped then mapping:unmap() end
    end)
    cuda.Context.synchronize()
    return name
  end

  drawing("are given back by the next call when their OpenGL context is current", function(w)
    local names = { drop(w, true), drop(w, false) }
    w:release()
    cuda.collect()
    cuda.collect()
    assert.equal(3, core.gl_left())
    local other = gl.headless { width = 8, height = 8 }
    gl.init()
    assert.equal(3, core.gl_left())
    other:close()
    w:make_current()
    local failed = core.failed_destroys()
    gl.init()
    assert.equal(0, core.gl_left())
    assert.equal(failed, core.failed_destroys())
    assert.same({ 2, 4, 6, 8 }, floats_of(w, names[1], 4))
    if gpu.soft then assert.equal(0, require("cudalua.softgpu").stats().live_resources) end
  end)

  drawing("are forgotten when their context is gone, and call no OpenGL in a finalizer", function(w)
    local other = cuda.Device(0):make_context()
    drop(w, true)
    cuda.collect()
    cuda.collect()
    assert.equal(2, core.gl_left())
    other:detach()
    gpu.context()
    gl.init()
    assert.equal(0, core.gl_left())
  end)

  drawing("a mapping that was dropped is unmapped before the buffer is mapped again", function(w)
    local name = w:buffer(gpu.floats(1, 2, 3, 4))
    local buffer = gl.RegisteredBuffer(name)
    gpu.apart(function() kernel "twice"((buffer:map():device_ptr_and_size()), { block = 4 }) end)
    cuda.collect()
    cuda.collect()
    assert.equal(1, core.gl_left())
    local mapping, out = buffer:map(), ffi.new "float[4]"
    cuda.memcpy_dtoh(out, (mapping:device_ptr_and_size()))
    assert.same({ 2, 8 }, { out[0], out[3] })
    buffer:unregister()
  end)

  it("of a Lua state that has closed are counted, and given back by a call of another", function()
    if not opengl.there then return pending "needs OpenGL without a window" end
    local out, ok = gpu.child([[
      local ffi = require "ffi"
      ffi.cdef "typedef struct lua_State lua_State; lua_State *luaL_newstate(void); void luaL_openlibs(lua_State *);"
      ffi.cdef "int luaL_loadstring(lua_State *, const char *); int lua_pcall(lua_State *, int, int, int);"
      ffi.cdef "const char *lua_tolstring(lua_State *, int, size_t *); void lua_close(lua_State *);"
      local cuda, gl, core = require "cudalua", require "cudalua.gl", require "cudalua.core"
      local ctx = cuda.Device(0):retain_primary_context():push()
      local window = gl.headless()
      local name = window:buffer(ffi.new("float[2]", 1, 2))
      local L = ffi.C.luaL_newstate()
      ffi.C.luaL_openlibs(L)
      local status = ffi.C.luaL_loadstring(L, ([==[
        local cuda, gl = require "cudalua", require "cudalua.gl"
        cuda.on_notice = nil
        cuda.Device(0):retain_primary_context():push()
        buffer = gl.RegisteredBuffer(%d)
        mapping = buffer:map()
        cuda.memset_d32((mapping:device_ptr_and_size()), 0x40800000, 2)
      ]==]):format(name))
      if status == 0 then status = ffi.C.lua_pcall(L, 0, 0, 0) end
      if status ~= 0 then print(ffi.string(ffi.C.lua_tolstring(L, -1, nil))) end
      ffi.C.lua_close(L)
      io.write(core.gl_left(), " ")
      gl.init()
      local out = ffi.new "float[2]"
      window.gl.BindBuffer(window.gl.ARRAY_BUFFER, name)
      window.gl.GetBufferSubData(window.gl.ARRAY_BUFFER, 0, 8, out)
      io.write(core.gl_left(), " ", core.failed_destroys(), " ", out[1])
      window:close()
    ]], gpu.driver)
    assert.equal("2 0 0 4", out)
    assert.is_true(ok)
  end)

  it("gl.headless: a process that ends with all of it open ends well", function()
    if not opengl.there then return pending "needs OpenGL without a window" end
    local out, ok = gpu.child([[
      local cuda, gl = require "cudalua", require "cudalua.gl"
      cuda.on_notice = nil
      ctx = cuda.Device(0):make_context()
      window = gl.headless()
      buffer = gl.RegisteredBuffer(window:buffer(64))
      mapping = buffer:map()
      pointer = mapping:device_ptr_and_size()
      io.write "done"
    ]], gpu.driver)
    assert.equal("done", out)
    assert.is_true(ok)
  end)
end)

-- Levels of an image as OpenGL has them, by target: width, height, depth.
local function bytes_of(n, seed)
  local t = {}
  for i = 1, n do t[i] = string.char((i * 37 + seed * 11) % 251) end
  return table.concat(t)
end

local function array_bytes(array, row, height, depth, text)
  local buffer = ffi.new("uint8_t[?]", row * height * depth)
  local copy = cuda.Memcpy3D()
  if text then
    ffi.copy(buffer, text, row * height * depth)
    copy:set_src_host(buffer)
    copy:set_dst_array(array)
    copy.src_pitch, copy.src_height = row, height
  else
    copy:set_src_array(array)
    copy:set_dst_host(buffer)
    copy.dst_pitch, copy.dst_height = row, height
  end
  copy.width_in_bytes, copy.height, copy.depth = row, height, depth
  copy()
  return ffi.string(buffer, row * height * depth)
end

describe("gl.RegisteredImage", function()
  local formats = { -- internal format, format, type, bytes of a channel, channels, CUDA's format
    { "R8", "RED", "UNSIGNED_BYTE", 1, 1, "UNSIGNED_INT8" }, { "RG8", "RG", "UNSIGNED_BYTE", 1, 2, "UNSIGNED_INT8" },
    { "RGBA8", "RGBA", "UNSIGNED_BYTE", 1, 4, "UNSIGNED_INT8" },
    { "RGBA8UI", "RGBA_INTEGER", "UNSIGNED_BYTE", 1, 4, "UNSIGNED_INT8" },
    { "R32UI", "RED_INTEGER", "UNSIGNED_INT", 4, 1, "UNSIGNED_INT32" },
    { "R32I", "RED_INTEGER", "INT", 4, 1, "SIGNED_INT32" },
  }

  drawing("has the texels of 2D textures of each format, and gives them back", function(_, g)
    for i, f in ipairs(formats) do
      local internal, format, kind, size, channels = g[f[1]], g[f[2]], g[f[3]], f[4], f[5]
      local row, height, name = 7 * size * channels, 5, ffi.new "unsigned[1]"
      local before, after = bytes_of(row * height, i), bytes_of(row * height, i + 100)
      g.GenTextures(1, name)
      g.BindTexture(g.TEXTURE_2D, name[0])
      g.PixelStorei(g.UNPACK_ALIGNMENT, 1)
      g.TexImage2D(g.TEXTURE_2D, 0, internal, 7, 5, 0, format, kind, ffi.cast("const char *", before))
      g.TexParameteri(g.TEXTURE_2D, g.TEXTURE_MAX_LEVEL, 0)
      local image = gl.RegisteredImage(name[0])
      assert.equal(name[0], image:gl_handle())
      local mapping = image:map()
      assert.equal(213, gpu.error_of("LogicError", mapping.device_ptr_and_size, mapping).code)
      local array = mapping:array()
      local d = array:get_descriptor()
      assert.same({ 7, 5, cuda.array_format[f[6]], channels }, { d.width, d.height, d.format, d.num_channels })
      assert.equal(before, array_bytes(array, row, height, 1), f[1])
      array_bytes(array, row, height, 1, after)
      mapping:unmap()
      gpu.raises("LogicError", "its RegisteredMapping is gone", array.get_descriptor, array)
      local out = ffi.new("uint8_t[?]", row * height)
      g.PixelStorei(g.PACK_ALIGNMENT, 1)
      g.GetTexImage(g.TEXTURE_2D, 0, format, kind, out)
      assert.equal(after, ffi.string(out, row * height), f[1])
      image:close()
      assert.equal(g.NO_ERROR, g.GetError())
    end
  end)

  drawing("has half and whole floats as they are", function(w, g)
    local name = w:texture { width = 3, height = 2, format = "rgba32f", data = bytes_of(96, 1):gsub(".", "\0") }
    local image = gl.RegisteredImage(name, "texture_2d", "surface_ldst")
    local mapping = image:map()
    local d = mapping:array():get_descriptor_3d()
    assert.same({ cuda.array_format.FLOAT, 4 }, { d.format, d.num_channels })
    local values = ffi.new("float[24]", { 1.5, -2, 1e30, 4, 5, 6 })
    array_bytes(mapping:array(), 48, 2, 1, ffi.string(values, 96))
    mapping:unmap()
    local out = ffi.new "float[24]"
    g.BindTexture(g.TEXTURE_2D, name)
    g.GetTexImage(g.TEXTURE_2D, 0, g.RGBA, g.FLOAT, out)
    assert.same({ 1.5, -2, 6 }, { out[0], out[1], out[5] })
    image:unregister()
    local half = ffi.new "unsigned[1]"
    g.GenTextures(1, half)
    g.BindTexture(g.TEXTURE_2D, half[0])
    g.TexImage2D(g.TEXTURE_2D, 0, g.RGBA16F, 2, 1, 0, g.RGBA, g.FLOAT, gpu.floats(1, 2, 0.5, -1, 0, 0, 0, 0))
    image = gl.RegisteredImage(half[0])
    mapping = image:map()
    assert.equal(cuda.array_format.HALF, mapping:array():get_descriptor().format)
    assert.equal("\0\60\0\64\0\56\0\188", array_bytes(mapping:array(), 16, 1, 1):sub(1, 8))
    image:unregister()
  end)

  drawing("gl.RegisteredMapping:array has levels, faces, layers and slices", function(_, g)
    local name = ffi.new "unsigned[5]"
    g.GenTextures(5, name)
    g.PixelStorei(g.UNPACK_ALIGNMENT, 1)
    -- Levels of 8 x 4, 4 x 2 and 2 x 1.
    g.BindTexture(g.TEXTURE_2D, name[0])
    for level = 0, 2 do
      g.TexImage2D(g.TEXTURE_2D, level, g.R8, 8 / 2 ^ level, 4 / 2 ^ level, 0, g.RED, g.UNSIGNED_BYTE,
        ffi.cast("const char *", bytes_of(32, level)))
    end
    g.TexParameteri(g.TEXTURE_2D, g.TEXTURE_MAX_LEVEL, 2)
    local image = gl.RegisteredImage(name[0])
    local mapping = image:map()
    for level = 0, 2 do
      local width, height = 8 / 2 ^ level, 4 / 2 ^ level
      assert.equal(bytes_of(32, level):sub(1, width * height), array_bytes(mapping:array(0, level), width, height, 1))
    end
    for _, wrong in ipairs { { 0, 5 }, { 1, 0 } } do
      local err = gpu.error_of(nil, mapping.array, mapping, wrong[1], wrong[2])
      if gpu.soft then assert.equal(1, err.code) end -- not measured on a GPU
    end
    gpu.refuses_nonsense(function(x) mapping:array(x) end, { ["nil"] = true })
    array_bytes(mapping:array(0, 1), 4, 2, 1, "changed!")
    mapping:unmap()
    local out = ffi.new "uint8_t[8]"
    g.PixelStorei(g.PACK_ALIGNMENT, 1)
    g.GetTexImage(g.TEXTURE_2D, 1, g.RED, g.UNSIGNED_BYTE, out)
    assert.equal("changed!", ffi.string(out, 8))
    image:unregister()
    -- Faces.
    g.BindTexture(g.TEXTURE_CUBE_MAP, name[1])
    for face = 0, 5 do
      g.TexImage2D(g.TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, g.R8, 3, 3, 0, g.RED, g.UNSIGNED_BYTE,
        ffi.cast("const char *", bytes_of(9, face)))
    end
    g.TexParameteri(g.TEXTURE_CUBE_MAP, g.TEXTURE_MAX_LEVEL, 0)
    image = gl.RegisteredImage(name[1], "GL_TEXTURE_CUBE_MAP")
    mapping = image:map()
    for face = 0, 5 do assert.equal(bytes_of(9, face), array_bytes(mapping:array(face), 3, 3, 1)) end
    array_bytes(mapping:array(4), 3, 3, 1, "face four")
    mapping:unmap()
    out = ffi.new "uint8_t[9]"
    g.GetTexImage(g.TEXTURE_CUBE_MAP_POSITIVE_X + 4, 0, g.RED, g.UNSIGNED_BYTE, out)
    assert.equal("face four", ffi.string(out, 9))
    g.GetTexImage(g.TEXTURE_CUBE_MAP_POSITIVE_X + 3, 0, g.RED, g.UNSIGNED_BYTE, out)
    assert.equal(bytes_of(9, 3), ffi.string(out, 9))
    image:unregister()
    -- Layers, which are 2D arrays, and slices of one 3D array.
    for i, target in ipairs { g.TEXTURE_2D_ARRAY, g.TEXTURE_3D } do
      g.BindTexture(target, name[1 + i])
      g.TexImage3D(target, 0, g.R8, 4, 3, 2, 0, g.RED, g.UNSIGNED_BYTE, ffi.cast("const char *", bytes_of(24, i)))
      g.TexParameteri(target, g.TEXTURE_MAX_LEVEL, 0)
      image = gl.RegisteredImage(name[1 + i], target)
      mapping = image:map()
      local text = bytes_of(24, i + 20)
      if i == 1 then
        assert.equal(bytes_of(24, i):sub(13), array_bytes(mapping:array(1), 4, 3, 1))
        array_bytes(mapping:array(0), 4, 3, 1, text:sub(1, 12))
        array_bytes(mapping:array(1), 4, 3, 1, text:sub(13))
      else
        assert.equal(bytes_of(24, i), array_bytes(mapping:array(), 4, 3, 2))
        array_bytes(mapping:array(), 4, 3, 2, text)
      end
      mapping:unmap()
      out = ffi.new "uint8_t[24]"
      g.GetTexImage(target, 0, g.RED, g.UNSIGNED_BYTE, out)
      assert.equal(text, ffi.string(out, 24))
      image:unregister()
    end
    -- A rectangle.
    g.BindTexture(g.TEXTURE_RECTANGLE, name[4])
    g.TexImage2D(g.TEXTURE_RECTANGLE, 0, g.R8, 5, 2, 0, g.RED, g.UNSIGNED_BYTE,
      ffi.cast("const char *", bytes_of(10, 1)))
    image = gl.RegisteredImage(name[4], "texture_rectangle")
    mapping = image:map()
    assert.equal(bytes_of(10, 1), array_bytes(mapping:array(), 5, 2, 1))
    image:unregister()
    assert.equal(g.NO_ERROR, g.GetError())
  end)

  drawing("has what was drawn into a renderbuffer, and CUDA draws into it", function(w, g)
    local name, framebuffer = ffi.new "unsigned[1]", ffi.new "unsigned[1]"
    g.GenRenderbuffers(1, name)
    g.BindRenderbuffer(g.RENDERBUFFER, name[0])
    g.RenderbufferStorage(g.RENDERBUFFER, g.RGBA8, 4, 2)
    g.GenFramebuffers(1, framebuffer)
    g.BindFramebuffer(g.FRAMEBUFFER, framebuffer[0])
    g.FramebufferRenderbuffer(g.FRAMEBUFFER, g.COLOR_ATTACHMENT0, g.RENDERBUFFER, name[0])
    g.ClearColor(1, 0, 0.2, 1)
    g.Clear(g.COLOR_BUFFER_BIT)
    g.Enable(g.SCISSOR_TEST)
    local image = gl.RegisteredImage(name[0], "GL_RENDERBUFFER")
    local mapping = image:map()
    assert.equal(("\255\0\51\255"):rep(8), array_bytes(mapping:array(), 16, 2, 1))
    array_bytes(mapping:array(), 16, 2, 1, bytes_of(32, 3))
    mapping:unmap()
    local out, now = ffi.new "uint8_t[32]", ffi.new "int[1]"
    g.GetIntegerv(g.FRAMEBUFFER_BINDING, now)
    assert.equal(framebuffer[0], now[0])
    g.ReadPixels(0, 0, 4, 2, g.RGBA, g.UNSIGNED_BYTE, out)
    assert.equal(bytes_of(32, 3), ffi.string(out, 32))
    image:unregister()
    assert.equal(g.NO_ERROR, g.GetError())
    assert.is_true(w.made ~= nil)
  end)

  drawing("leaves OpenGL's bindings and pixel settings as they are", function(w, g)
    local mine = w:texture { width = 2, height = 2 }
    local shared = w:texture { width = 4, height = 4 }
    local buffer = w:buffer(1024)
    g.BindTexture(g.TEXTURE_2D, mine)
    g.BindBuffer(g.PIXEL_PACK_BUFFER, buffer)
    g.BindBuffer(g.PIXEL_UNPACK_BUFFER, buffer)
    local settings = { [g.PACK_ALIGNMENT] = 8, [g.PACK_ROW_LENGTH] = 5, [g.UNPACK_ALIGNMENT] = 2,
      [g.UNPACK_ROW_LENGTH] = 3 }
    for name, value in pairs(settings) do g.PixelStorei(name, value) end
    local image = gl.RegisteredImage(shared)
    local mapping = image:map()
    array_bytes(mapping:array(), 16, 4, 1, bytes_of(64, 5))
    image:unregister()
    local now = ffi.new "int[1]"
    for name, value in pairs(settings) do
      g.GetIntegerv(name, now)
      assert.equal(value, now[0])
      g.PixelStorei(name, name == g.PACK_ALIGNMENT and 1 or name == g.UNPACK_ALIGNMENT and 1 or 0)
    end
    g.GetIntegerv(g.PIXEL_PACK_BUFFER_BINDING, now)
    assert.equal(buffer, now[0])
    g.GetIntegerv(g.TEXTURE_BINDING_2D, now)
    assert.equal(mine, now[0])
    g.BindBuffer(g.PIXEL_PACK_BUFFER, 0)
    g.BindTexture(g.TEXTURE_2D, shared)
    local out = ffi.new "uint8_t[64]"
    g.GetTexImage(g.TEXTURE_2D, 0, g.RGBA, g.UNSIGNED_BYTE, out)
    assert.equal(bytes_of(64, 5), ffi.string(out, 64))
    assert.equal(g.NO_ERROR, g.GetError())
  end)

  drawing("raises for what CUDA does not take", function(w, g)
    assert.equal(400, gpu.error_of("LogicError", gl.RegisteredImage, 12345).code)
    local texture = w:texture { width = 2, height = 2 }
    assert.equal(g.NO_ERROR, g.GetError())
    if gpu.soft then
      local other = gpu.error_of("LogicError", gl.RegisteredImage, texture, "GL_TEXTURE_CUBE_MAP")
      assert.equal(400, other.code)
      assert.truthy(other.detail:find "does not exist, or has another target")
      assert.equal(g.NO_ERROR, g.GetError())
    end
    local rgb = ffi.new "unsigned[1]"
    g.GenTextures(1, rgb)
    g.BindTexture(g.TEXTURE_2D, rgb[0])
    g.TexImage2D(g.TEXTURE_2D, 0, g.RGB8, 2, 2, 0, g.RGB, g.UNSIGNED_BYTE, nil)
    if gpu.soft then
      assert.equal(1, gpu.error_of(nil, gl.RegisteredImage, rgb[0]).code)
    else -- an H200's driver takes three channels, which CUDA's reference does not list
      gl.RegisteredImage(rgb[0]):unregister()
    end
    local buffer = gl.RegisteredBuffer(w:buffer(4))
    gpu.error_of("LogicError", core.classes.RegisteredMapping.unmap, buffer)
    buffer:unregister()
  end)
end)

describe("gl.BufferObject", function()
  drawing("maps as before graphics resources, and says once that it is old", function(w)
    local said, before = {}, cuda.on_notice
    cuda.on_notice = function(text) said[#said + 1] = text end
    local name = w:buffer(gpu.floats(1, 2, 3, 4))
    local object = gl.BufferObject(name)
    gl.BufferObject(w:buffer(4)):unregister()
    cuda.on_notice = before
    local old = 0
    for _, text in ipairs(said) do old = old + (text:find "deprecated" and 1 or 0) end
    assert.equal(1, old)
    assert.equal(name, object:handle())
    local mapping = object:map()
    assert.equal(16, mapping:size())
    kernel "twice"(mapping:device_ptr(), { block = 4 })
    mapping:unmap()
    assert.same({ 2, 4, 6, 8 }, floats_of(w, name, 4))
    gpu.error_of("LogicError", mapping.unmap, mapping)
    gpu.error_of("LogicError", cuda.memcpy_dtoh, ffi.new "float[1]", mapping:device_ptr())
    object:unregister()
    gpu.error_of("LogicError", object.handle, object)
    gpu.error_of("LogicError", object.map, object)
  end)
end)

describe("The software device and OpenGL", function()
  it("a notice says once that mapping copies", function()
    if not opengl.there or not gpu.soft then return pending "needs the software device, and OpenGL without a window" end
    local out, ok = gpu.child([[
      local cuda, gl = require "cudalua", require "cudalua.gl"
      local said = {}
      cuda.on_notice = function(text) said[#said + 1] = text end
      cuda.Device(0):make_context()
      local w = gl.headless()
      local buffer = gl.RegisteredBuffer(w:buffer(64))
      buffer:map():unmap()
      buffer:map():unmap()
      io.write(table.concat(said, "|"))
      buffer:unregister()
      w:close()
    ]], gpu.driver)
    assert.is_true(ok)
    assert.equal("the software device shares no memory with OpenGL: map() copies the buffer or image from OpenGL, "
      .. "unmap() copies it back", out)
  end)

  it("memory that is mapped to be overwritten counts as unwritten", function()
    if not opengl.there or not gpu.soft then return pending "needs the software device, and OpenGL without a window" end
    local code = [[
      local cuda, gl = require "cudalua", require "cudalua.gl"
      cuda.on_notice = nil
      local ctx = cuda.Device(0):make_context()
      local w = gl.headless()
      local twice = cuda.SourceModule("__global__ void twice(float *p) { p[threadIdx.x] *= 2; }"):get_function "twice"
      local buffer = gl.RegisteredBuffer(w:buffer(64), FLAGS)
      local mapping = buffer:map()
      twice((mapping:device_ptr_and_size()), { block = 16 })
      print(pcall(mapping.unmap, mapping))
    ]]
    local out = gpu.child(code:gsub("FLAGS", "'write_discard'"), gpu.driver .. " CUDALUA_SOFT_CHECK=uninitialised")
    assert.truthy(out:find "uninitialised" or out:find "nothing has written" or out:find "never written", out)
    out = gpu.child(code:gsub("FLAGS", "nil"), gpu.driver .. " CUDALUA_SOFT_CHECK=uninitialised")
    assert.equal("true\n", out)
  end)

  it("each call of the driver may fail once, and works the next time", function()
    if not opengl.there or not gpu.soft then return pending "needs the software device, and OpenGL without a window" end
    local softgpu = require "cudalua.softgpu"
    opengl.with({ width = 8, height = 8 }, function(w)
      local buffer, mapping, pointer, image, array
      local steps = {
        { "cuGLGetDevices_v2", function() gl.init() end },
        { "cuGraphicsGLRegisterBuffer", function() buffer = gl.RegisteredBuffer(w:buffer(gpu.floats(1, 2))) end },
        { "cuGraphicsResourceSetMapFlags_v2", function() buffer:set_map_flags "none" end },
        { "cuGraphicsMapResources", function() mapping = buffer:map() end },
        { "cuGraphicsResourceGetMappedPointer_v2", function() pointer = mapping:device_ptr_and_size() end },
        { "cuGraphicsUnmapResources", function() mapping:unmap() end },
        { "cuGraphicsUnregisterResource", function() buffer:unregister() end },
        { "cuGraphicsGLRegisterImage", function() image = gl.RegisteredImage(w:texture { width = 2, height = 2 }) end },
        { "cuGraphicsMapResources", function() mapping = image:map() end },
        { "cuGraphicsSubResourceGetMappedArray", function() array = mapping:array() end },
        { "cuArray3DGetDescriptor_v2", function() array = mapping:array() end },
        { "cuGraphicsUnmapResources", function() image:unregister() end },
      }
      for _, step in ipairs(steps) do
        softgpu.fail(step[1], 1, "UNKNOWN")
        local err = gpu.error_of("Error", step[2])
        assert.same({ (step[1]:gsub("_v2$", "")), 999 }, { (err.call:gsub("_v2$", "")), err.code })
        softgpu.fail_clear()
        step[2]()
      end
      gpu.error_of("LogicError", cuda.memcpy_dtoh, ffi.new "float[1]", pointer)
      gpu.error_of("LogicError", array.get_descriptor, array)
      assert.equal(0, softgpu.stats().live_resources)
      -- What was dropped, and the driver refuses to take back, is counted.
      gpu.apart(function() gl.RegisteredBuffer(w:buffer(4)) end)
      cuda.collect()
      cuda.collect()
      local failed = core.failed_destroys()
      softgpu.fail("cuGraphicsUnregisterResource", 1, "UNKNOWN")
      gl.init()
      softgpu.fail_clear()
      assert.equal(failed + 1, core.failed_destroys())
    end)
  end)

  -- On a GPU it is the process's end: with a context of OpenGL it may never come (an H200, driver 580).
  it("a kernel that fails while a buffer is mapped is an error of unmap, and nothing else", function()
    if not gpu.soft then return pending "a GPU's driver may not end such a process" end
    if not opengl.there then return pending "needs OpenGL without a window" end
    local out, ok = gpu.child([[
      local cuda, gl = require "cudalua", require "cudalua.gl"
      cuda.on_notice = nil
      local ctx = cuda.Device(0):make_context()
      local w = gl.headless()
      local bad = cuda.SourceModule("__global__ void bad(float *p) { p[(1 << 28) * 4ll] = 2; }"):get_function "bad"
      local buffer = gl.RegisteredBuffer(w:buffer(64))
      local mapping = buffer:map()
      bad((mapping:device_ptr_and_size()), { block = 1 })
      local ok, err = pcall(function()
        mapping:unmap()
        cuda.Context.synchronize() -- a GPU has not come to the fault before
      end)
      print(ok, cuda.is_error(err, "LaunchError"), pcall(mapping.unmap, mapping))
      mapping = nil
      cuda.collect()
      print((pcall(buffer.unregister, buffer)))
    ]], gpu.driver .. " CUDALUA_SOFT_REPORT=off")
    assert.is_true(ok, out)
    assert.truthy(out:find "^false\ttrue\tfalse", out)
    assert.truthy(out:find "false\n$", out)
  end)
end)

describe("docs/opengl.md", function()
  it("its program with OpenGL runs", function()
    if not opengl.there then return pending "needs OpenGL without a window" end
    local code = { "require('cudalua').on_notice = nil" }
    for line in io.lines "docs/opengl.md" do code[#code + 1] = line:match "^    (.*)$" end
    assert.is_true(#code > 60)
    code[#code + 1] = "io.write(tostring(picture.shape[1]), ' ', (picture:len()))"
    local folder = os.tmpname()
    os.remove(folder)
    local out, ok = gpu.child(table.concat(code, "\n"):gsub("wave%.png", folder .. ".png"), gpu.driver)
    assert.equal("240 240", out)
    assert.is_true(ok)
    local wave = cuda.io.load_image(folder .. ".png")
    os.remove(folder .. ".png")
    assert.same({ 240, 320, 4 }, wave.shape)
    local lit = 0
    for y = 1, 240 do
      for x = 1, 320 do lit = lit + (wave:get(y, x, 1) > 0 and 1 or 0) end
    end
    assert.is_true(lit > 320 and lit < 6000, lit)
  end)
end)

describe("cudalua.gl.autoinit", function()
  it("makes a context for the OpenGL context that is current", function()
    if not opengl.there then return pending "needs OpenGL without a window" end
    local out, ok = gpu.child([[
      local cuda, gl = require "cudalua", require "cudalua.gl"
      cuda.on_notice = nil
      cuda.Device(0):retain_primary_context():push()
      local w = gl.headless()
      local auto = require "cudalua.gl.autoinit"
      assert(auto.context == cuda.Context.get_current() and auto.device == auto.context:get_device())
      local buffer = gl.RegisteredBuffer(w:buffer(64))
      buffer:unregister()
      io.write "done"
    ]], gpu.driver .. " CUDA_DEVICE=0")
    assert.equal("done", out)
    assert.is_true(ok)
    out = gpu.child([[print(pcall(require, "cudalua.gl.autoinit"))]], gpu.driver .. " CUDA_DEVICE=0")
    assert.truthy(out:find "^false\t.*invalid graphics context.*no OpenGL context is current in this thread", out)
  end)
end)
