---@meta cudalua
-- Annotations of memory written in C: host and managed memory, memory of other processes, arrays, structured copies.
-- Semantics follow the CUDA driver API (the function named in each entry) and PyCUDA's driver module.

---@class cudalua.DeviceAllocation
local DeviceAllocation = {}

---Returns the memory as a host array of uint8 without a copy, if the host can access it.
---@param nbytes integer  the number of bytes
---@param offset? integer  bytes from the start of the memory, default 0
---@return cudalua.ndarray.Array  an array whose base is this memory
---@raise LogicError for plain device memory, which the host cannot access, and beyond the end
function DeviceAllocation:as_buffer(nbytes, offset) end

---@class cudalua.DevicePointer
local DevicePointer = {}

---Returns the memory as a host array of uint8 without a copy, if the host can access it.
---@param nbytes integer  the number of bytes
---@param offset? integer  bytes from the address, default 0
---@return cudalua.ndarray.Array  an array whose base is this pointer
---@raise LogicError for plain device memory, which the host cannot access, for a bare address, and beyond the end
function DevicePointer:as_buffer(nbytes, offset) end

---Page-locked host memory: the base of arrays of pagelocked_empty. You can pass it wherever device memory is accepted.
---`#a` is its size in bytes, `a + bytes` a DevicePointer with that offset.
---@class cudalua.HostAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local HostAllocation = {}

---cuMemFreeHost: frees the memory after copies that use it and after running kernels. You can no longer use arrays over
---it.
---@raise LogicError if it was already freed
function HostAllocation:free() end

---As free().
---@raise LogicError if it was already freed
function HostAllocation:close() end

---Returns the device address of the memory.
---@return number
---@raise LogicError if it was freed
function HostAllocation:ptr() end

---cuMemHostGetDevicePointer.
---@return cudalua.DevicePointer  a pointer that keeps this memory alive
---@raise LogicError if it was freed, or does not have an address on the device
function HostAllocation:get_device_pointer() end

---cuMemHostGetFlags.
---@return integer  bits of cuda.host_alloc_flags
---@raise LogicError if it was freed
function HostAllocation:get_flags() end

---Returns the memory as a host array of uint8 without a copy.
---@param nbytes integer  the number of bytes
---@param offset? integer  bytes from the start of the memory, default 0
---@return cudalua.ndarray.Array  an array whose base is this memory
---@raise LogicError beyond the end
function HostAllocation:as_buffer(nbytes, offset) end

---Plain host memory aligned to a power of two: the base of arrays of aligned_empty.
---@class cudalua.AlignedHostAllocation
local AlignedHostAllocation = {}

---Frees the memory as soon as no pending copy, registration or graph uses it. You can no longer use arrays over it.
---@raise LogicError if it was already freed
function AlignedHostAllocation:free() end

---As free().
---@raise LogicError if it was already freed
function AlignedHostAllocation:close() end

---Page-locked memory of the program: the base of arrays of register_host_memory. You can pass it wherever device memory
---is accepted.
---@class cudalua.RegisteredHostMemory
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
---@field base any  the argument of register_host_memory
local RegisteredHostMemory = {}

---cuMemHostUnregister: waits for copies that use the memory. You can no longer use the array over it, but you can use
---the object that it was created from.
---@raise LogicError if it was already unregistered
function RegisteredHostMemory:unregister() end

---As unregister().
---@raise LogicError if it was already unregistered
function RegisteredHostMemory:close() end

---Returns the device address of the memory.
---@return number
---@raise LogicError if it was unregistered
function RegisteredHostMemory:ptr() end

---cuMemHostGetDevicePointer.
---@return cudalua.DevicePointer  a pointer that keeps this memory alive
---@raise LogicError if it was unregistered, or does not have an address on the device
function RegisteredHostMemory:get_device_pointer() end

---Returns the memory as a host array of uint8 without a copy.
---@param nbytes integer  the number of bytes
---@param offset? integer  bytes from the start of the memory, default 0
---@return cudalua.ndarray.Array  an array whose base is this memory
---@raise LogicError beyond the end
function RegisteredHostMemory:as_buffer(nbytes, offset) end

---Memory that host and device share: the base of arrays of managed_empty. You can pass it wherever device memory is
---accepted.
---@class cudalua.ManagedAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local ManagedAllocation = {}

---cuMemFree: frees the memory after copies that use it and after running kernels. You can no longer use arrays over it.
---@raise LogicError if it was already freed
function ManagedAllocation:free() end

---As free().
---@raise LogicError if it was already freed
function ManagedAllocation:close() end

---Returns its address, which is the same on host and device.
---@return number
---@raise LogicError if it was freed
function ManagedAllocation:ptr() end

---Returns its address as a DevicePointer.
---@return cudalua.DevicePointer  a pointer that keeps this memory alive
---@raise LogicError if it was freed
function ManagedAllocation:get_device_pointer() end

---cuStreamAttachMemAsync: sets, in stream order, who may use the memory from now on. "global": every stream; "host": no
---stream, and the program may access it while kernels run; "single": only kernels of this stream.
---@param flags integer|string  cuda.mem_attach_flags, or its name
---@param stream? cudalua.Stream  default: the current stream; "single" needs a stream that is not the default stream
---@raise LogicError if it was freed, for other flags, and in a stream that is being captured
function ManagedAllocation:attach(flags, stream) end

---Returns the memory as a host array of uint8 without a copy.
---@param nbytes integer  the number of bytes
---@param offset? integer  bytes from the start of the memory, default 0
---@return cudalua.ndarray.Array  an array whose base is this memory
---@raise LogicError beyond the end
function ManagedAllocation:as_buffer(nbytes, offset) end

---@class cudalua.IPCMemoryHandle
local IPCMemoryHandle = {}

---cuIpcCloseMemHandle. The other process keeps its memory.
---@raise LogicError if it was already closed
function IPCMemoryHandle:close() end

---Returns the device address in this process.
---@return number
---@raise LogicError if it was closed
function IPCMemoryHandle:ptr() end

---@class cudalua.Array
local Array = {}

---cuArrayDestroy: waits for running work.
---@raise LogicError if it was already freed
function Array:free() end

---As free().
---@raise LogicError if it was already freed
function Array:close() end

---The driver's handle.
---@return number  the CUarray as a number, for other libraries
function Array:handle() end

---@class cudalua.MipmappedArray
local MipmappedArray = {}

---Returns one of its levels: an array that you can copy to and from, and bind to a texture or a surface. The level
---keeps the mipmapped array alive and does not own memory: freeing it has no effect.
---@param level integer  the level; 0 is the largest
---@return cudalua.Array  the same object each time
---@raise LogicError if the level does not exist, and after free()
function MipmappedArray:level(level) end

---@return integer  the number of levels
---@raise LogicError after free()
function MipmappedArray:levels() end

---cuMipmappedArrayDestroy: waits for running work. You can no longer use its levels, and textures of it.
---@raise LogicError if it was already freed
function MipmappedArray:free() end

---As free().
---@raise LogicError if it was already freed
function MipmappedArray:close() end

---The driver's handle.
---@return number  the CUmipmappedArray as a number, for other libraries
---@raise LogicError after free()
function MipmappedArray:handle() end

---@class cudalua.TextureObject
local TextureObject = {}

---cuTexObjectDestroy, after all work of the context, as kernels may still read through it.
---@raise LogicError if it was already closed, and while a stream of its context is being captured
function TextureObject:close() end

---Returns the driver's handle, for structs and tables on the device. A kernel that receives the handle this way does
---not keep the texture alive.
---@return number  the cudaTextureObject_t as a number
---@raise LogicError if it was closed, or if the memory that it reads was freed
function TextureObject:handle() end

---@class cudalua.SurfaceObject
local SurfaceObject = {}

---cuSurfObjectDestroy, after all work of the context, as kernels may still use it.
---@raise LogicError if it was already closed, and while a stream of its context is being captured
function SurfaceObject:close() end

---Returns the driver's handle, for structs and tables on the device. A kernel that receives the handle this way does
---not keep the surface alive.
---@return number  the cudaSurfaceObject_t as a number
---@raise LogicError if it was closed, or its array was freed
function SurfaceObject:handle() end

---@class cudalua.Memcpy2D
local Memcpy2D = {}

---Sets a host buffer as the source of the copy.
---@param buf any  a string, an FFI array or struct, a contiguous host array, {ptr =, nbytes =}, or an object with
---  :buffer()
---@raise LogicError if buf is not a host buffer
function Memcpy2D:set_src_host(buf) end

---Sets a host buffer as the destination of the copy.
---@param buf any  as for set_src_host, except strings
---@raise LogicError if buf is not a host buffer, or is read-only
function Memcpy2D:set_dst_host(buf) end

---Sets device memory as the source of the copy.
---@param memory cudalua.DeviceAllocation|cudalua.DevicePointer|integer  or anything else that is accepted as device
---  memory
---@raise LogicError if memory is not device memory
function Memcpy2D:set_src_device(memory) end

---Sets device memory as the destination of the copy.
---@param memory cudalua.DeviceAllocation|cudalua.DevicePointer|integer  or anything else that is accepted as device
---  memory
---@raise LogicError if memory is not device memory
function Memcpy2D:set_dst_device(memory) end

---Sets a CUDA array as the source of the copy.
---@param array cudalua.Array  the array to read
---@raise LogicError if array is not an Array
function Memcpy2D:set_src_array(array) end

---Sets a CUDA array as the destination of the copy.
---@param array cudalua.Array  the array to write
---@raise LogicError if array is not an Array
function Memcpy2D:set_dst_array(array) end

---Sets memory as the source of the copy whose address tells whether it is on the host or the device.
---@param memory any  as for set_src_device or set_src_host
---@raise LogicError if memory is neither device memory nor a host buffer
function Memcpy2D:set_src_unified(memory) end

---Sets memory as the destination of the copy whose address tells whether it is on the host or the device.
---@param memory any  as for set_dst_device or set_dst_host
---@raise LogicError if memory is neither device memory nor a host buffer
function Memcpy2D:set_dst_unified(memory) end

---@class cudalua.Memcpy3D : cudalua.Memcpy2D
local Memcpy3D = {}

---@class cudalua.Memcpy3DPeer : cudalua.Memcpy2D
local Memcpy3DPeer = {}

---Sets the context of the source memory.
---@param context cudalua.Context  the context whose memory the copy reads
---@raise LogicError if context is not a Context
function Memcpy3DPeer:set_src_context(context) end

---Sets the context of the destination memory.
---@param context cudalua.Context  the context whose memory the copy writes
---@raise LogicError if context is not a Context
function Memcpy3DPeer:set_dst_context(context) end
