---@meta cudalua.gl
-- Annotations of OpenGL's registered buffers and images, which are written in C (src/cudalua/memory/graphics.c).
-- Semantics follow the CUDA driver API, in the functions named, and PyCUDA's gl module.

---@class cudalua.gl.RegisteredBuffer
local RegisteredBuffer = {}

---@return integer  the buffer's name in OpenGL
---@raise LogicError after unregister()
function RegisteredBuffer:gl_handle() end

---cuGraphicsResourceSetMapFlags: declares how CUDA will use it, from the next map() on.
---@param flags any  gl.graphics_map_flags: "none", "read_only", "write_discard"
---@raise LogicError (208) while it is mapped, (219) if no OpenGL context is current, after unregister()
function RegisteredBuffer:set_map_flags(flags) end

---cuGraphicsMapResources: lets CUDA, and no longer OpenGL, use the buffer until unmap(). Earlier OpenGL commands
---complete before later work in the stream.
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.gl.RegisteredMapping
---@raise LogicError (208) if it is already mapped, (219) if no OpenGL context is current; with another context current,
---  for a stream that is being captured, after unregister()
function RegisteredBuffer:map(stream) end

---cuGraphicsUnregisterResource: unregisters the buffer from CUDA. A mapped buffer is unmapped first.
---@raise LogicError (219) if no OpenGL context is current, with another context current, if it was already unregistered
function RegisteredBuffer:unregister() end

---As unregister().
---@raise LogicError as unregister()
function RegisteredBuffer:close() end

---@class cudalua.gl.RegisteredImage
local RegisteredImage = {}

---@return integer  the image's name in OpenGL
---@raise LogicError after unregister()
function RegisteredImage:gl_handle() end

---cuGraphicsResourceSetMapFlags: declares how CUDA will use it, from the next map() on.
---@param flags any  gl.graphics_map_flags: "none", "read_only", "write_discard"
---@raise LogicError (208) while it is mapped, (219) if no OpenGL context is current, after unregister()
function RegisteredImage:set_map_flags(flags) end

---cuGraphicsMapResources: lets CUDA, and no longer OpenGL, use the image until unmap().
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.gl.RegisteredMapping
---@raise LogicError (208) if it is already mapped, (219) if no OpenGL context is current; with another context current,
---  for a stream that is being captured, after unregister()
function RegisteredImage:map(stream) end

---cuGraphicsUnregisterResource: unregisters the image from CUDA. A mapped image is unmapped first.
---@raise LogicError (219) if no OpenGL context is current, with another context current, if it was already unregistered
function RegisteredImage:unregister() end

---As unregister().
---@raise LogicError as unregister()
function RegisteredImage:close() end

---@class cudalua.gl.RegisteredMapping
local RegisteredMapping = {}

---cuGraphicsResourceGetMappedPointer: returns the memory of a mapped buffer. You can no longer use it after unmap().
---@return cudalua.DevicePointer
---@return integer  bytes
---@raise LogicError (213) for an image, after unmap()
function RegisteredMapping:device_ptr_and_size() end

---cuGraphicsSubResourceGetMappedArray: returns the texels of a mapped image. You can no longer use the array after
---unmap().
---@param index? integer  the face of a cube map, or the layer of GL_TEXTURE_2D_ARRAY, from 0; default 0
---@param level? integer  the level of mipmaps, from 0; default 0
---@return cudalua.Array  the driver's array; its free() only ends this view
---@raise LogicError (212) for a buffer, (1) for a part or level that the image does not have, after unmap()
function RegisteredMapping:array(index, level) end

---cuGraphicsUnmapResources: returns the memory to OpenGL. Earlier work in the stream, and in other streams that used
---the mapped memory, completes before later OpenGL commands. You can no longer use pointers and arrays of the mapping.
---@param stream? cudalua.Stream  default: the stream that it was mapped in
---@raise LogicError (219) if no OpenGL context is current, with another context current, for a stream that is being
---  captured, if it was already unmapped
function RegisteredMapping:unmap(stream) end

---As unmap().
---@param stream? cudalua.Stream  default: the stream that it was mapped in
---@raise LogicError as unmap()
function RegisteredMapping:close(stream) end
