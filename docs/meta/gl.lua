---@meta cudalua.gl
-- Annotations of OpenGL's registered buffers and images, which are written in C (src/cudalua/memory/graphics.c).
-- Semantics follow the CUDA driver API, in the functions named, and PyCUDA's gl module.

---@class cudalua.gl.RegisteredBuffer
local RegisteredBuffer = {}

---@return integer  the buffer's name in OpenGL
---@raise LogicError after unregister()
function RegisteredBuffer:gl_handle() end

---cuGraphicsResourceSetMapFlags: how CUDA is going to use it, from the next map() on.
---@param flags any  gl.graphics_map_flags: "none", "read_only", "write_discard"
---@raise LogicError (208) while it is mapped, (219) if no OpenGL context is current, after unregister()
function RegisteredBuffer:set_map_flags(flags) end

---cuGraphicsMapResources: from now on CUDA may use the buffer, and OpenGL may not, until unmap(). What OpenGL was told
---to draw comes before the work that is put in the stream afterwards.
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.gl.RegisteredMapping
---@raise LogicError (208) if it is mapped already, (219) if no OpenGL context is current; with another context
--- current, for a stream that is being captured, after unregister()
function RegisteredBuffer:map(stream) end

---cuGraphicsUnregisterResource: gives the buffer back to OpenGL alone. A mapped one is unmapped before.
---@raise LogicError (219) if no OpenGL context is current, with another context current, if it was unregistered already
function RegisteredBuffer:unregister() end

---The same as unregister().
---@raise LogicError as unregister()
function RegisteredBuffer:close() end

---@class cudalua.gl.RegisteredImage
local RegisteredImage = {}

---@return integer  the image's name in OpenGL
---@raise LogicError after unregister()
function RegisteredImage:gl_handle() end

---cuGraphicsResourceSetMapFlags: how CUDA is going to use it, from the next map() on.
---@param flags any  gl.graphics_map_flags: "none", "read_only", "write_discard"
---@raise LogicError (208) while it is mapped, (219) if no OpenGL context is current, after unregister()
function RegisteredImage:set_map_flags(flags) end

---cuGraphicsMapResources: from now on CUDA may use the image, and OpenGL may not, until unmap().
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.gl.RegisteredMapping
---@raise LogicError (208) if it is mapped already, (219) if no OpenGL context is current; with another context
--- current, for a stream that is being captured, after unregister()
function RegisteredImage:map(stream) end

---cuGraphicsUnregisterResource: gives the image back to OpenGL alone. A mapped one is unmapped before.
---@raise LogicError (219) if no OpenGL context is current, with another context current, if it was unregistered already
function RegisteredImage:unregister() end

---The same as unregister().
---@raise LogicError as unregister()
function RegisteredImage:close() end

---@class cudalua.gl.RegisteredMapping
local RegisteredMapping = {}

---cuGraphicsResourceGetMappedPointer: the memory of a mapped buffer. It cannot be used any more after unmap().
---@return cudalua.DevicePointer
---@return integer  bytes
---@raise LogicError (213) for an image, after unmap()
function RegisteredMapping:device_ptr_and_size() end

---cuGraphicsSubResourceGetMappedArray: the texels of a mapped image. The array cannot be used any more after unmap().
---@param index? integer  face of a cube map, layer of GL_TEXTURE_2D_ARRAY, from 0; default 0
---@param level? integer  of mipmaps, from 0; default 0
---@return cudalua.Array  of the driver's; its free() does nothing but end this view
---@raise LogicError (212) for a buffer, (1) for a part or level that the image lacks, after unmap()
function RegisteredMapping:array(index, level) end

---cuGraphicsUnmapResources: gives the memory back to OpenGL. What was put in the stream before, and in other streams
---that used the mapped memory, comes before what OpenGL is told to draw from now on. Pointers and arrays of the mapping
---cannot be used any more.
---@param stream? cudalua.Stream  default: the one that it was mapped in
---@raise LogicError (219) if no OpenGL context is current, with another context current, for a stream that is being
--- captured, if it was unmapped already
function RegisteredMapping:unmap(stream) end

---The same as unmap().
---@param stream? cudalua.Stream  default: the one that it was mapped in
---@raise LogicError as unmap()
function RegisteredMapping:close(stream) end
