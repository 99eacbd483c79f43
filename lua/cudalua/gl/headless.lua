-- An OpenGL context without a window and a framebuffer, with the few helpers that a program needs to draw and
-- to look at what it drew.

local ffi = require "ffi"
local core = require "cudalua.core"
local egl = require "cudalua.gl.egl"
local errors = require "cudalua.base.errors"
local gl = require "cudalua.gl.functions"
local host = require "cudalua.base.ffi"
local ndarray = require "cudalua.ndarray"

---An OpenGL context without a window, created by gl.headless(). It has its own framebuffer with 8-bit colours and
---depth.
---@class cudalua.gl.Headless
---@field width integer  the width in pixels
---@field height integer  the height in pixels
---@field gl cudalua.gl.functions  OpenGL: `window.gl.DrawArrays(window.gl.POINTS, 0, n)`
---@field renderer string  the renderer, as reported by OpenGL
---@field version string  the version of OpenGL
---@field platform string  the platform of EGL: "device" or "surfaceless"
local Headless = {}
local class = { __index = Headless, __name = "cudalua.gl.Headless" }

function class:__tostring()
  return ("cudalua.gl.Headless(%d x %d, %s)"):format(self.width, self.height, self.made and self.renderer or "closed")
end

local function check(self, where)
  if type(self) ~= "table" or getmetatable(self) ~= class then
    errors.raise("LogicError", ("%s: expected a Headless (call the method with a colon), got %s"):format(where,
      errors.text(self)))
  end
  if not self.made then errors.raise("LogicError", ("%s: this Headless was closed"):format(where)) end
  return self.made
end

local function check_current(self, where)
  if not egl.is_current(check(self, where)) then
    errors.raise("LogicError", ("%s: the context is not current in this thread; call make_current()"):format(where))
  end
end

local function one(generate)
  local name = ffi.new "unsigned[1]"
  generate(1, name)
  return name[0]
end

local function renderbuffer(format, width, height)
  local name = one(gl.GenRenderbuffers)
  gl.BindRenderbuffer(gl.RENDERBUFFER, name)
  gl.RenderbufferStorage(gl.RENDERBUFFER, format, width, height)
  return name
end

local function make_framebuffer(self)
  self.framebuffer = one(gl.GenFramebuffers)
  gl.BindFramebuffer(gl.FRAMEBUFFER, self.framebuffer)
  gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER,
    renderbuffer(gl.RGBA8, self.width, self.height))
  gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER,
    renderbuffer(gl.DEPTH_COMPONENT24, self.width, self.height))
  gl.BindRenderbuffer(gl.RENDERBUFFER, 0)
  if gl.CheckFramebufferStatus(gl.FRAMEBUFFER) ~= gl.FRAMEBUFFER_COMPLETE then
    errors.raise("RuntimeError", ("gl.headless: OpenGL cannot create a framebuffer of %d x %d " ..
      "pixels"):format(self.width,
      self.height))
  end
  gl.Viewport(0, 0, self.width, self.height)
end

local options_known = { width = true, height = true, device = true, version = true }

local function check_extent(where, key, value)
  if type(value) ~= "number" or value < 1 or value > 16384 or value ~= math.floor(value) then
    errors.raise("LogicError", ("%s: %s must be an integer from 1 to 16384, got %s"):format(where, key,
      errors.text(value)))
  end
  return value
end

local function extent(options, key, default)
  return check_extent("gl.headless", key, options[key] == nil and default or options[key])
end

local function version_of(options)
  local version = options.version or { 3, 3 }
  local major, minor = type(version) == "table" and version[1], type(version) == "table" and version[2]
  if type(major) ~= "number" or type(minor) ~= "number" or major < 3 then
    errors.raise("LogicError", ("gl.headless: version must be {major, minor} of at least {3, 2}, got %s"):format(
      errors.text(version)))
  end
  return major, minor
end

-- The number of the GPU that CUDA uses; nil on the software device.
local function gpu_of(options)
  local device = options.device
  if device ~= nil and core.kind(device) ~= "Device" then
    errors.raise("LogicError", ("gl.headless: device must be a Device, got %s"):format(errors.text(device)))
  end
  device = device or require("cudalua.driver.context").get_device() -- which starts the driver where nothing has yet
  return not core.driver_info().soft and device:ordinal() or nil
end

local M = {}

function M.headless(options)
  options = errors.options("gl.headless", options, options_known)
  local self = { width = extent(options, "width", 640), height = extent(options, "height", 480), gl = gl }
  local major, minor = version_of(options)
  self.made = egl.create(gpu_of(options), major, minor)
  self.platform = self.made.platform
  setmetatable(self, class):make_current()
  self.renderer, self.version = ffi.string(gl.GetString(gl.RENDERER)), ffi.string(gl.GetString(gl.VERSION))
  make_framebuffer(self)
  return self
end

---Makes the context current in this thread, instead of the current one.
---@return cudalua.gl.Headless self
---@raise LogicError after close(); RuntimeError if it is current in another thread
function Headless:make_current()
  if not egl.make_current(check(self, "make_current")) then
    errors.raise("RuntimeError", "make_current: EGL refused; the context may be current in another thread")
  end
  return self
end

---Releases the context from this thread if it is current.
---@raise LogicError after close()
function Headless:release()
  local made = check(self, "release")
  if egl.is_current(made) then egl.release(made) end
end

---Destroys the context. Unregister its buffers and images first. A second call does nothing.
function Headless:close()
  if type(self) == "table" and getmetatable(self) == class and not self.made then return end
  local made = check(self, "close")
  if egl.is_current(made) then
    core.gl_fetch_left()
    egl.release(made)
  end
  self.made = nil
  egl.destroy(made)
end

---Creates an OpenGL buffer.
---@param data integer|any  a number of bytes with undefined contents, or a host buffer that is copied: a host array,
---  FFI memory, a string
---@param usage? integer  default window.gl.DYNAMIC_DRAW
---@return integer name     an argument for gl.RegisteredBuffer and window.gl.BindBuffer
---@raise LogicError for other data, if the context is not current, and after close()
function Headless:buffer(data, usage)
  check_current(self, "buffer")
  local bytes, from = data, nil
  if type(data) ~= "number" then
    local slot, n = host.host_buffer("buffer: data", data)
    bytes, from = n, type(slot) == "string" and ffi.cast("const char *", slot) or slot[0]
  elseif bytes < 1 or bytes ~= math.floor(bytes) or bytes > 2 ^ 40 then
    errors.raise("LogicError", ("buffer: the size must be a positive integer, got %s"):format(errors.text(data)))
  end
  if usage == nil then usage = gl.DYNAMIC_DRAW end
  if type(usage) ~= "number" or usage < gl.STREAM_DRAW or usage > gl.DYNAMIC_DRAW + 2 then
    errors.raise("LogicError", ("buffer: usage must be one of OpenGL's, such as STATIC_DRAW, got %s"):format(
      errors.text(usage)))
  end
  local before = ffi.new "int[1]"
  gl.GetIntegerv(gl.ARRAY_BUFFER_BINDING, before)
  local name = one(gl.GenBuffers)
  gl.BindBuffer(gl.ARRAY_BUFFER, name)
  gl.BufferData(gl.ARRAY_BUFFER, bytes, from, usage)
  gl.BindBuffer(gl.ARRAY_BUFFER, before[0])
  return name
end

local texture_options = { width = true, height = true, format = true, data = true }
local texel_kinds = { -- internal format, format, type, bytes
  r8 = { "R8", "RED", "UNSIGNED_BYTE", 1 }, rgba8 = { "RGBA8", "RGBA", "UNSIGNED_BYTE", 4 },
  r32f = { "R32F", "RED", "FLOAT", 4 }, rgba32f = { "RGBA32F", "RGBA", "FLOAT", 16 },
  r32i = { "R32I", "RED_INTEGER", "INT", 4 }, r32ui = { "R32UI", "RED_INTEGER", "UNSIGNED_INT", 4 },
}

---Creates a 2D OpenGL texture without mipmaps, whose texels are read without filtering.
---@param options {width: integer, height: integer, format: string, data: any}  width: in texels; height: in texels;
---  format: "rgba8" (default), "r8", "r32f", "rgba32f", "r32i" or "r32ui"; data: a host buffer with all texels, lowest
---  row first
---@return integer name  an argument for gl.RegisteredImage and window.gl.BindTexture
---@raise LogicError for invalid options, if the context is not current, and after close()
function Headless:texture(options)
  check_current(self, "texture")
  options = errors.options("texture", options, texture_options)
  local width, height, kind = options.width, options.height, texel_kinds[options.format or "rgba8"]
  check_extent("texture", "width", width)
  check_extent("texture", "height", height)
  if not kind then
    errors.raise("LogicError", ("texture: unknown format %s; valid formats: r8, r32f, r32i, r32ui, rgba32f, rgba8")
      :format(errors.text(options.format)))
  end
  local from
  if options.data ~= nil then
    local slot, n = host.host_buffer("texture: data", options.data)
    if n ~= width * height * kind[4] then
      errors.raise("LogicError", ("texture: data has %d bytes, but %d x %d texels need %d"):format(n, width, height,
        width * height * kind[4]))
    end
    from = type(slot) == "string" and ffi.cast("const char *", slot) or slot[0]
  end
  local before, alignment = ffi.new "int[1]", ffi.new "int[1]"
  gl.GetIntegerv(gl.TEXTURE_BINDING_2D, before)
  gl.GetIntegerv(gl.UNPACK_ALIGNMENT, alignment)
  local name = one(gl.GenTextures)
  gl.BindTexture(gl.TEXTURE_2D, name)
  gl.PixelStorei(gl.UNPACK_ALIGNMENT, 1)
  gl.TexImage2D(gl.TEXTURE_2D, 0, gl[kind[1]], width, height, 0, gl[kind[2]], gl[kind[3]], from)
  gl.PixelStorei(gl.UNPACK_ALIGNMENT, alignment[0])
  for _, filter in ipairs { "TEXTURE_MIN_FILTER", "TEXTURE_MAG_FILTER" } do
    gl.TexParameteri(gl.TEXTURE_2D, gl[filter], gl.NEAREST)
  end
  gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAX_LEVEL, 0)
  gl.BindTexture(gl.TEXTURE_2D, before[0])
  return name
end

-- The log of a shader or a program, where it failed.
local function log_of(object, get, get_log, status)
  local value, text, length = ffi.new "int[1]", ffi.new("char[?]", 8192), ffi.new "int[1]"
  get(object, status, value)
  if value[0] ~= 0 then return nil end
  get_log(object, 8192, length, text)
  return ffi.string(text, length[0])
end

local function shader(kind, name, text)
  if type(text) ~= "string" then
    errors.raise("LogicError", ("program: %s must be GLSL source, got %s"):format(name, errors.text(text)))
  end
  local object = gl.CreateShader(kind)
  gl.ShaderSource(object, 1, ffi.new("const char *[1]", { text }), ffi.new("int[1]", #text))
  gl.CompileShader(object)
  local log = log_of(object, gl.GetShaderiv, gl.GetShaderInfoLog, gl.COMPILE_STATUS)
  if log then
    gl.DeleteShader(object)
    errors.raise("CompileError", ("program: the %s shader does not compile"):format(name), { log = log })
  end
  return object
end

---Creates an OpenGL program of two shaders.
---@param sources {vertex: string, fragment: string}  vertex: the vertex shader in GLSL; fragment: the fragment shader
---  in GLSL
---@return integer name  an argument for window.gl.UseProgram
---@raise CompileError with the compiler's log; LogicError if a source is missing, the context is not current, and after
--- close()
function Headless:program(sources)
  check_current(self, "program")
  sources = errors.options("program", sources, { vertex = true, fragment = true })
  local vertex = shader(gl.VERTEX_SHADER, "vertex", sources.vertex)
  local fragment = shader(gl.FRAGMENT_SHADER, "fragment", sources.fragment)
  local program = gl.CreateProgram()
  gl.AttachShader(program, vertex)
  gl.AttachShader(program, fragment)
  gl.LinkProgram(program)
  gl.DeleteShader(vertex)
  gl.DeleteShader(fragment)
  local log = log_of(program, gl.GetProgramiv, gl.GetProgramInfoLog, gl.LINK_STATUS)
  if log then
    gl.DeleteProgram(program)
    errors.raise("CompileError", "program: the shaders do not link", { log = log })
  end
  return program
end

---Returns the rendered image.
---@return cudalua.ndarray.Array  uint8, shape {height, width, 4}: RGBA, top row first
---@raise LogicError if the context is not current, and after close()
function Headless:read_pixels()
  check_current(self, "read_pixels")
  local pixels = ndarray.empty({ self.height, self.width, 4 }, "uint8")
  local read, pack = ffi.new "int[1]", ffi.new "int[1]"
  gl.GetIntegerv(gl.READ_FRAMEBUFFER_BINDING, read)
  gl.GetIntegerv(gl.PIXEL_PACK_BUFFER_BINDING, pack)
  gl.BindFramebuffer(gl.READ_FRAMEBUFFER, self.framebuffer)
  gl.BindBuffer(gl.PIXEL_PACK_BUFFER, 0)
  gl.ReadPixels(0, 0, self.width, self.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels:data())
  gl.BindBuffer(gl.PIXEL_PACK_BUFFER, pack[0])
  gl.BindFramebuffer(gl.READ_FRAMEBUFFER, read[0])
  return pixels:flip(1):copy() -- OpenGL's first row is the lowest
end

M.Headless = Headless

return M
