---@meta cudalua
-- Annotations of the pools' methods that are written in C.

---Device memory of a DeviceMemoryPool. It is used as a DeviceAllocation is: `#a` is the size that was asked for, `a +
---bytes`
---a DevicePointer to what follows.
---@class cudalua.PooledDeviceAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local PooledDeviceAllocation = {}

---Gives the block back to its pool. Waits for nothing, unless the pool was closed or holds nothing any more.
---@raise LogicError if it was already freed
function PooledDeviceAllocation:free() end

---The same as free().
---@raise LogicError if it was already freed
function PooledDeviceAllocation:close() end

---CUdeviceptr.
---@return number  the device address
---@raise LogicError if it was freed
function PooledDeviceAllocation:ptr() end

---@class cudalua.DeviceMemoryPool
local DeviceMemoryPool = {}

---The bin of a size. A block has the size of the largest member of its bin.
---@param size integer  bytes
---@return integer  16 bins to an octave: 16 times the exponent of 2, and the next four bits
---@raise LogicError if it is not a size
function DeviceMemoryPool:bin_number(size) end

---The size of the blocks in a bin.
---@param bin integer  of bin_number()
---@return integer  bytes
---@raise LogicError if it is not a bin
function DeviceMemoryPool:alloc_size(bin) end

---cuMemFree of all blocks that the pool holds and that are not in use.
---@raise LogicError if the pool was closed
function DeviceMemoryPool:free_held() end

---Holds nothing any more: frees what is held, and from here on each block as it comes back.
---@raise LogicError if the pool was closed
function DeviceMemoryPool:stop_holding() end

---Ends the pool. Blocks in use stay until they are freed.
---@raise LogicError if it was already closed
function DeviceMemoryPool:close() end

---@class cudalua.PageLockedMemoryPool
local PageLockedMemoryPool = {}

---The bin of a size, as DeviceMemoryPool:bin_number.
---@param size integer  bytes
---@return integer
---@raise LogicError if it is not a size
function PageLockedMemoryPool:bin_number(size) end

---The size of the blocks in a bin, as DeviceMemoryPool:alloc_size.
---@param bin integer  of bin_number()
---@return integer  bytes
---@raise LogicError if it is not a bin
function PageLockedMemoryPool:alloc_size(bin) end

---cuMemFreeHost of all blocks that the pool holds and that are not in use.
---@raise LogicError if the pool was closed
function PageLockedMemoryPool:free_held() end

---Holds nothing any more: frees what is held, and from here on each block as it comes back.
---@raise LogicError if the pool was closed
function PageLockedMemoryPool:stop_holding() end

---Ends the pool. Blocks in use stay until they are freed.
---@raise LogicError if it was already closed
function PageLockedMemoryPool:close() end

---Page-locked memory of a PageLockedMemoryPool: the base of the host arrays that it allocates. `#a` is its size in
---bytes.
---@class cudalua.PooledHostAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local PooledHostAllocation = {}

---Gives the block back to its pool, after copies that use it. Its array cannot be used any more.
---@raise LogicError if it was already freed
function PooledHostAllocation:free() end

---The same as free().
---@raise LogicError if it was already freed
function PooledHostAllocation:close() end

---cuMemHostGetDevicePointer.
---@return number  its address on the device
---@raise LogicError if it was freed
function PooledHostAllocation:ptr() end

---cuMemHostGetDevicePointer.
---@return cudalua.DevicePointer  to it, which keeps it alive
---@raise LogicError if it was freed, and if the device does not reach it
function PooledHostAllocation:get_device_pointer() end

---@class cudalua.MemoryPool
local MemoryPool = {}

---cuMemAllocFromPoolAsync: as cuda.mem_alloc_async(), from this pool.
---@param bytes integer  at least 1
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.DeviceAllocation
---@raise MemoryError, LogicError as mem_alloc_async
function MemoryPool:alloc(bytes, stream) end

---cuMemPoolGetAttribute.
---@param attribute integer|string  cuda.mempool_attribute, or its name: "used_mem_current", "reserved_mem_high" ...
---@return integer|boolean  bytes (math.huge for all of them), or for reuse_... a boolean
---@raise LogicError for another name
function MemoryPool:get_attribute(attribute) end

---cuMemPoolSetAttribute.
---@param attribute integer|string  cuda.mempool_attribute, or its name: "release_threshold", "reuse_..."; "..._high"
---  may be
--- set to 0
---@param value integer|boolean  bytes (math.huge for all of them), or for reuse_... a boolean
---@return cudalua.MemoryPool self
---@raise LogicError for what cannot be set
function MemoryPool:set_attribute(attribute, value) end

---cuMemPoolTrimTo: gives memory that is not in use back to the device.
---@param bytes? integer  what it may keep; default 0
---@return cudalua.MemoryPool self
---@raise LogicError if it is not a size
function MemoryPool:trim_to(bytes) end

---cuDeviceSetMemPool: mem_alloc_async() takes memory from this pool from here on, on its device. A pool of another
---location becomes the current one there (cuMemSetMemPool).
---@return cudalua.MemoryPool self
---@raise LogicError if the pool was closed
function MemoryPool:make_current() end

---cuMemPoolSetAccess: whether another device may use memory of this pool.
---@param device cudalua.Device|integer
---@param access? "read_write"|"none"  default "read_write"
---@return cudalua.MemoryPool self
---@raise LogicError for a device that cannot
function MemoryPool:set_access(device, access) end

---cuMemPoolExportToShareableHandle: a descriptor for cuda.import_mempool() in another process, which it reaches through
---a socket or by inheritance.
---@return integer descriptor  of a file; yours to close
---@raise LogicError unless the pool was made with `shareable = true`
function MemoryPool:export() end

---cuMemPoolExportPointer: what import_pointer() of another process takes. The pool has to be shareable.
---@param memory cudalua.DeviceAllocation  of this pool, in use
---@return string data  64 bytes
---@raise LogicError for other memory, and for memory of a pool that is not shareable
function MemoryPool:export_pointer(memory) end

---cuMemPoolImportPointer: memory of the process that exported this pool. Free it before that process does.
---@param data string  64 bytes of export_pointer()
---@return cudalua.DeviceAllocation
---@raise LogicError if it is not such data, for memory of another pool, for memory that is imported already and not
---  freed, and for a pool that was not imported
function MemoryPool:import_pointer(data) end

---The one that it was made for.
---@return cudalua.Device  whose memory it is, or which was given access to it
function MemoryPool:get_device() end

---The driver's handle.
---@return number  the CUmemoryPool as a number, for other libraries
function MemoryPool:handle() end

---cuMemPoolDestroy. Memory of it that is in use stays until it is freed.
---@raise LogicError if it was already closed, and for the default pool of a device
function MemoryPool:close() end
