---@meta cudalua
-- Annotations of memory written in C: host and managed memory, memory of other processes, arrays, structured copies.
-- Semantics follow the CUDA driver API (the function named in each entry) and PyCUDA's driver module.

---@class cudalua.DeviceAllocation
local DeviceAllocation = {}

---The memory as a host array of uint8, if the host can reach it. Nothing is copied.
---@param nbytes integer
---@param offset? integer  bytes from the start, default 0
---@return cudalua.ndarray.Array  its base is this memory
---@raise LogicError for plain device memory, which the host does not reach, and past the end
function DeviceAllocation:as_buffer(nbytes, offset) end

---@class cudalua.DevicePointer
local DevicePointer = {}

---The memory as a host array of uint8, if the host can reach it. Nothing is copied.
---@param nbytes integer
---@param offset? integer  bytes from its address, default 0
---@return cudalua.ndarray.Array  its base is this pointer
---@raise LogicError for plain device memory, which the host does not reach, for a bare address, and past the end
function DevicePointer:as_buffer(nbytes, offset) end

---Page-locked host memory: the base of pagelocked_empty's arrays. Taken wherever device memory is; `#a` is its size in
---bytes, `a + bytes` a DevicePointer to what follows.
---@class cudalua.HostAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local HostAllocation = {}

---cuMemFreeHost: waits for copies from and to it, and for running kernels. Arrays over it cannot be used any more.
---@raise LogicError if it was already freed
function HostAllocation:free() end

---The same as free().
---@raise LogicError if it was already freed
function HostAllocation:close() end

---The device's address of it.
---@return number
---@raise LogicError if it was freed
function HostAllocation:ptr() end

---cuMemHostGetDevicePointer.
---@return cudalua.DevicePointer  holds this memory
---@raise LogicError if it was freed, or has no address on the device
function HostAllocation:get_device_pointer() end

---cuMemHostGetFlags.
---@return integer  bits of cuda.host_alloc_flags
---@raise LogicError if it was freed
function HostAllocation:get_flags() end

---The memory as a host array of uint8. Nothing is copied.
---@param nbytes integer
---@param offset? integer  bytes from the start, default 0
---@return cudalua.ndarray.Array  its base is this memory
---@raise LogicError past the end
function HostAllocation:as_buffer(nbytes, offset) end

---Plain host memory that begins at a multiple of a power of two: the base of aligned_empty's arrays.
---@class cudalua.AlignedHostAllocation
local AlignedHostAllocation = {}

---Gives the memory back as soon as no copy under way, no registration and no graph uses it. Arrays over it cannot be
---used any more.
---@raise LogicError if it was already freed
function AlignedHostAllocation:free() end

---The same as free().
---@raise LogicError if it was already freed
function AlignedHostAllocation:close() end

---Memory of the program's that is page-locked: the base of register_host_memory's arrays. Taken wherever device memory
---is.
---@class cudalua.RegisteredHostMemory
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
---@field base any  what register_host_memory was given
local RegisteredHostMemory = {}

---cuMemHostUnregister: waits for copies from and to it. The array over it cannot be used any more; what it was made of
---can.
---@raise LogicError if it was already unregistered
function RegisteredHostMemory:unregister() end

---The same as unregister().
---@raise LogicError if it was already unregistered
function RegisteredHostMemory:close() end

---The device's address of it.
---@return number
---@raise LogicError if it was unregistered
function RegisteredHostMemory:ptr() end

---cuMemHostGetDevicePointer.
---@return cudalua.DevicePointer  holds this memory
---@raise LogicError if it was unregistered, or has no address on the device
function RegisteredHostMemory:get_device_pointer() end

---The memory as a host array of uint8. Nothing is copied.
---@param nbytes integer
---@param offset? integer  bytes from the start, default 0
---@return cudalua.ndarray.Array  its base is this memory
---@raise LogicError past the end
function RegisteredHostMemory:as_buffer(nbytes, offset) end

---Memory that host and device share: the base of managed_empty's arrays. Taken wherever device memory is.
---@class cudalua.ManagedAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local ManagedAllocation = {}

---cuMemFree: waits for copies from and to it, and for running kernels. Arrays over it cannot be used any more.
---@raise LogicError if it was already freed
function ManagedAllocation:free() end

---The same as free().
---@raise LogicError if it was already freed
function ManagedAllocation:close() end

---Its address, the same for host and device.
---@return number
---@raise LogicError if it was freed
function ManagedAllocation:ptr() end

---Its address as a view.
---@return cudalua.DevicePointer  holds this memory
---@raise LogicError if it was freed
function ManagedAllocation:get_device_pointer() end

---cuStreamAttachMemAsync: what may use it from now on, in the order of a stream. "global": every stream; "host": none,
---and the program may touch it while kernels run; "single": kernels of this stream alone.
---@param flags integer|string  cuda.mem_attach_flags, or its name
---@param stream? cudalua.Stream  default: the current one; "single" needs one that is not the default stream
---@raise LogicError if it was freed, for other flags, and in a stream that is being captured
function ManagedAllocation:attach(flags, stream) end

---The memory as a host array of uint8. Nothing is copied.
---@param nbytes integer
---@param offset? integer  bytes from the start, default 0
---@return cudalua.ndarray.Array  its base is this memory
---@raise LogicError past the end
function ManagedAllocation:as_buffer(nbytes, offset) end

---@class cudalua.IPCMemoryHandle
local IPCMemoryHandle = {}

---cuIpcCloseMemHandle. The other process's memory stays.
---@raise LogicError if it was already closed
function IPCMemoryHandle:close() end

---The device address in this process.
---@return number
---@raise LogicError if it was closed
function IPCMemoryHandle:ptr() end

---@class cudalua.Array
local Array = {}

---cuArrayDestroy: waits for running work.
---@raise LogicError if it was already freed
function Array:free() end

---The same as free().
---@raise LogicError if it was already freed
function Array:close() end

---The driver's handle.
---@return number  the CUarray as a number, for other libraries
function Array:handle() end

---@class cudalua.MipmappedArray
local MipmappedArray = {}

---One of its levels, an array that can be copied to and from, and read by a texture or a surface. It keeps the
---mipmapped array, and has no memory of its own: freeing it frees nothing.
---@param level integer  0 is the largest
---@return cudalua.Array  the same one each time
---@raise LogicError if there is no such level, and after free()
function MipmappedArray:level(level) end

---@return integer  how many levels it has
---@raise LogicError after free()
function MipmappedArray:levels() end

---cuMipmappedArrayDestroy: waits for running work. Its levels, and textures of it, cannot be used any more.
---@raise LogicError if it was already freed
function MipmappedArray:free() end

---The same as free().
---@raise LogicError if it was already freed
function MipmappedArray:close() end

---The driver's handle.
---@return number  the CUmipmappedArray as a number, for other libraries
---@raise LogicError after free()
function MipmappedArray:handle() end

---@class cudalua.TextureObject
local TextureObject = {}

---cuTexObjectDestroy, once all work of the context is done: kernels may still read through it.
---@raise LogicError if it was already closed, and while a stream of its context is being captured
function TextureObject:close() end

---The driver's handle, for structs and tables on the device. A kernel that gets it in this way keeps nothing alive.
---@return number  the cudaTextureObject_t as a number
---@raise LogicError if it was closed, or what it reads was freed
function TextureObject:handle() end

---@class cudalua.SurfaceObject
local SurfaceObject = {}

---cuSurfObjectDestroy, once all work of the context is done: kernels may still use it.
---@raise LogicError if it was already closed, and while a stream of its context is being captured
function SurfaceObject:close() end

---The driver's handle, for structs and tables on the device. A kernel that gets it in this way keeps nothing alive.
---@return number  the cudaSurfaceObject_t as a number
---@raise LogicError if it was closed, or its array was freed
function SurfaceObject:handle() end

---@class cudalua.Memcpy2D
local Memcpy2D = {}

---The copy reads a host buffer.
---@param buf any  string, FFI array or struct, host array without gaps, {ptr =, nbytes =}, object with :buffer()
---@raise LogicError if it is not a host buffer
function Memcpy2D:set_src_host(buf) end

---The copy writes a host buffer.
---@param buf any  as for set_src_host, but no string
---@raise LogicError if it is not a host buffer, or cannot be written to
function Memcpy2D:set_dst_host(buf) end

---The copy reads device memory.
---@param memory cudalua.DeviceAllocation|cudalua.DevicePointer|integer  or anything else that stands for device memory
---@raise LogicError if it is not device memory
function Memcpy2D:set_src_device(memory) end

---The copy writes device memory.
---@param memory cudalua.DeviceAllocation|cudalua.DevicePointer|integer  or anything else that stands for device memory
---@raise LogicError if it is not device memory
function Memcpy2D:set_dst_device(memory) end

---The copy reads an array.
---@param array cudalua.Array
---@raise LogicError if it is not an Array
function Memcpy2D:set_src_array(array) end

---The copy writes an array.
---@param array cudalua.Array
---@raise LogicError if it is not an Array
function Memcpy2D:set_dst_array(array) end

---The copy reads memory whose address says what it is.
---@param memory any  as for set_src_device or set_src_host
---@raise LogicError if it is neither device memory nor a host buffer
function Memcpy2D:set_src_unified(memory) end

---The copy writes memory whose address says what it is.
---@param memory any  as for set_dst_device or set_dst_host
---@raise LogicError if it is neither device memory nor a host buffer
function Memcpy2D:set_dst_unified(memory) end

---@class cudalua.Memcpy3D : cudalua.Memcpy2D
local Memcpy3D = {}

---@class cudalua.Memcpy3DPeer : cudalua.Memcpy2D
local Memcpy3DPeer = {}

---The context whose memory the copy reads.
---@param context cudalua.Context
---@raise LogicError if it is not a context
function Memcpy3DPeer:set_src_context(context) end

---The context whose memory the copy writes.
---@param context cudalua.Context
---@raise LogicError if it is not a context
function Memcpy3DPeer:set_dst_context(context) end
