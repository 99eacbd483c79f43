-- BufferObject and BufferObjectMapping, which CUDA had before graphics resources, on top of those.

local errors = require "cudalua.base.errors"
local notice = require "cudalua.base.notice"

local M = {}

---An OpenGL buffer with CUDA's interface before version 3: `gl.BufferObject(name)`. Use RegisteredBuffer in new
---programs.
---@class cudalua.gl.BufferObject
---@overload fun(bufobj: integer): cudalua.gl.BufferObject
local BufferObject = {}
local class = { __index = BufferObject, __name = "cudalua.gl.BufferObject" }

---A mapped BufferObject.
---@class cudalua.gl.BufferObjectMapping
local BufferObjectMapping = {}
local mapping_class = { __index = BufferObjectMapping, __name = "cudalua.gl.BufferObjectMapping" }

function class:__tostring() return ("cudalua.gl.BufferObject(%d)"):format(self.name) end
function mapping_class.__tostring() return "cudalua.gl.BufferObjectMapping" end

local function check(self, expected, where)
  if type(self) ~= "table" or getmetatable(self) ~= expected then
    errors.raise("LogicError", ("%s: expected a %s (call the method with a colon), got %s"):format(where,
      expected.__name:match "[^.]+$", errors.text(self)))
  end
  return self
end

---@return integer  the buffer's name in OpenGL
---@raise LogicError after unregister()
function BufferObject:handle() return check(self, class, "handle").buffer:gl_handle() end

---Maps the buffer.
---@return cudalua.gl.BufferObjectMapping
---@raise LogicError as RegisteredBuffer:map()
function BufferObject:map()
  local mapping = check(self, class, "map").buffer:map()
  local pointer, size = mapping:device_ptr_and_size()
  return setmetatable({ mapping = mapping, pointer = pointer, bytes = size }, mapping_class)
end

---Unregisters the buffer from CUDA.
---@raise LogicError as RegisteredBuffer:unregister()
function BufferObject:unregister() check(self, class, "unregister").buffer:unregister() end

---Ends the mapping.
---@raise LogicError as RegisteredMapping:unmap()
function BufferObjectMapping:unmap() check(self, mapping_class, "unmap").mapping:unmap() end

---@return cudalua.DevicePointer  the buffer's memory, until unmap()
function BufferObjectMapping:device_ptr() return check(self, mapping_class, "device_ptr").pointer end

---@return integer  bytes
function BufferObjectMapping:size() return check(self, mapping_class, "size").bytes end

local told

---@param RegisteredBuffer table
---@return table
function M.class(RegisteredBuffer)
  return setmetatable({}, { __index = BufferObject, __call = function(_, bufobj)
    local buffer = RegisteredBuffer(bufobj)
    if not told then
      told = true
      notice "gl.BufferObject is deprecated, like the CUDA functions behind it; use gl.RegisteredBuffer"
    end
    return setmetatable({ buffer = buffer, name = bufobj }, class)
  end })
end

M.BufferObjectMapping = BufferObjectMapping

return M
