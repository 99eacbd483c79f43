-- OpenGL's buffers and textures as memory of CUDA, after PyCUDA's gl module; and an OpenGL context without a window.
-- Loaded by `require "cudalua.gl"`. The resources themselves: src/cudalua/memory/graphics.c.
--   gl/headless   contexts without a window     gl/egl, gl/library, gl/functions   EGL and OpenGL through the FFI
--   gl/autoinit   a context when it is required gl/buffer_object                   the calls before graphics resources

local core = require "cudalua.core"
local constants = require "cudalua.base.constants"
local errors = require "cudalua.base.errors"
local headless = require "cudalua.gl.headless"
local names = require "cudalua.base.names"
local notice = require "cudalua.base.notice"
local pairs_of = require "cudalua.base.pairs_of"
require "cudalua.driver.array" -- the methods of what RegisteredMapping:array() gives

---Memory that OpenGL and CUDA share.
---@class cudalua.gl
---@field graphics_register_flags table<string, integer>  NONE, READ_ONLY, WRITE_DISCARD, SURFACE_LDST, TEXTURE_GATHER
---@field graphics_map_flags table<string, integer>       NONE, READ_ONLY, WRITE_DISCARD
local M = {
  graphics_register_flags = constants.lookup "graphics_register_flags",
  graphics_map_flags = constants.lookup "graphics_map_flags",
}

-- Image targets by name.
local targets = { GL_TEXTURE_2D = 0xde1, GL_TEXTURE_RECTANGLE = 0x84f5, GL_TEXTURE_CUBE_MAP = 0x8513,
  GL_TEXTURE_3D = 0x806f, GL_TEXTURE_2D_ARRAY = 0x8c1a, GL_RENDERBUFFER = 0x8d41 }
local known = {}
for _, value in pairs_of(targets) do known[value] = true end

local function target_of(target)
  if target == nil then target = "GL_TEXTURE_2D" end
  local value = target
  if type(target) == "string" then value = targets[target] or targets["GL_" .. target:upper()] end
  if not known[value] then
    errors.raise("LogicError", ("RegisteredImage: target must be GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE, "
      .. "GL_TEXTURE_CUBE_MAP, GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY or GL_RENDERBUFFER, got %s"):format(
      errors.text(target)))
  end
  return value
end

-- On the software device a mapping is a copy.
local told

local function tell()
  if told or not core.driver_info().soft then return end
  told = true
  notice("the software device shares no memory with OpenGL: map() copies the buffer or image from OpenGL, unmap() "
    .. "copies it back")
end

for _, name in ipairs { "RegisteredBuffer", "RegisteredImage" } do
  local class = core.classes[name]
  local map = class.map
  function class:map(stream)
    local mapping = map(self, stream)
    tell()
    return mapping
  end
end

---An OpenGL buffer registered with CUDA: `gl.RegisteredBuffer(name, flags)`. CUDA may use its memory between map() and
---unmap(), and OpenGL at other times.
---@class cudalua.gl.RegisteredBuffer
---@overload fun(bufobj: integer, flags?: any): cudalua.gl.RegisteredBuffer  flags: gl.graphics_register_flags, default
---  none. Raises a LogicError (219) if no OpenGL context is current, (400) if the context does not have this buffer.
M.RegisteredBuffer = setmetatable({}, {
  __index = core.classes.RegisteredBuffer,
  __call = function(_, bufobj, flags) return core.gl_register_buffer(bufobj, flags) end,
})

---An OpenGL texture or renderbuffer registered with CUDA: `gl.RegisteredImage(name, target, flags)`.
---@class cudalua.gl.RegisteredImage
---@overload fun(image: integer, target?: any, flags?: any): cudalua.gl.RegisteredImage  target: OpenGL's number or its
---  name, default "GL_TEXTURE_2D"; also GL_TEXTURE_RECTANGLE, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY,
---  GL_RENDERBUFFER. flags: gl.graphics_register_flags, default none; SURFACE_LDST for surfaces. Raises a LogicError
---  (219) if no OpenGL context is current, (400) if the context does not have this image, (1) for a format that CUDA
---  does not support.
M.RegisteredImage = setmetatable({}, {
  __index = core.classes.RegisteredImage,
  __call = function(_, image, target, flags) return core.gl_register_image(image, target_of(target), flags) end,
})

---A registered buffer or image between map() and unmap(), as CUDA memory.
---@class cudalua.gl.RegisteredMapping
M.RegisteredMapping = core.classes.RegisteredMapping

local buffer_object = require "cudalua.gl.buffer_object"
M.BufferObject = buffer_object.class(M.RegisteredBuffer)
M.BufferObjectMapping = buffer_object.BufferObjectMapping
M.Headless = headless.Headless

local lists = { all = 1, current_frame = 2, next_frame = 3 }

---cuGLGetDevices: returns the devices of the current OpenGL context.
---@param which? "all"|"current_frame"|"next_frame"  default "all"; if several GPUs render alternate frames, the device
---  of a frame
---@return cudalua.Device[]
---@raise LogicError (219) if no OpenGL context is current
function M.devices(which)
  if which == nil then which = "all" end
  if not lists[which] then
    errors.raise("LogicError", ("gl.devices: expected 'all', 'current_frame' or 'next_frame', got %s"):format(
      errors.text(which)))
  end
  return core.gl_devices(lists[which])
end

---Checks that an OpenGL context is current. Older versions of CUDA required this call before resources could be
---registered.
---@raise LogicError (219) if no OpenGL context is current
function M.init() core.gl_devices(1) end

---Creates a context on a device, as device:make_context() does, after checking that an OpenGL context is current.
---@param device cudalua.Device  the device
---@param flags? any  as for Device:make_context()
---@return cudalua.Context  the new context, which is current
---@raise LogicError (219) if no OpenGL context is current
function M.make_context(device, flags)
  if core.kind(device) ~= "Device" then
    errors.raise("LogicError", ("gl.make_context: expected a Device, got %s"):format(errors.text(device)))
  end
  M.init()
  return device:make_context(flags)
end

---Returns true if the driver has its functions for OpenGL.
---@return boolean
function M.have_gl_ext() return core.gl_present() end

---Creates an OpenGL context without a window and makes it current in this thread. On a GPU, the GPU that CUDA uses
---renders; on the software device, Mesa's renderer does. The context exists until close(), or until the process ends.
---@param options? {width: integer, height: integer, device: cudalua.Device, version: integer[]}  width: in pixels,
---  default 640; height: in pixels, default 480; device: CUDA's device, default that of the current context; version:
---  OpenGL's version, default {3, 3}
---@return cudalua.gl.Headless
---@raise RuntimeError if EGL, or a renderer for it, is not installed; LogicError for invalid options
function M.headless(options) return headless.headless(options) end

names.strict(M, { text = "gl", kind = "module" })

return M
