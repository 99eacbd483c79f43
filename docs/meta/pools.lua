---@meta cudalua
-- Annotations of the pools' methods that are written in C.

---Device memory of a DeviceMemoryPool. Use it like a DeviceAllocation: `#a` is the requested size, `a + bytes` a
---DevicePointer with that offset.
---@class cudalua.PooledDeviceAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local PooledDeviceAllocation = {}

---Returns the block to its pool. Does not wait, unless the pool was closed or no longer holds blocks.
---@raise LogicError if it was already freed
function PooledDeviceAllocation:free() end

---As free().
---@raise LogicError if it was already freed
function PooledDeviceAllocation:close() end

---Returns the CUdeviceptr.
---@return number  the device address
---@raise LogicError if it was freed
function PooledDeviceAllocation:ptr() end

---@class cudalua.DeviceMemoryPool
local DeviceMemoryPool = {}

---Returns the bin of a size. A block has the size of the largest member of its bin.
---@param size integer  the size in bytes
---@return integer  there are 16 bins for each power of two: 16 times the exponent of 2, plus the next four bits
---@raise LogicError if it is not a size
function DeviceMemoryPool:bin_number(size) end

---Returns the size of the blocks in a bin.
---@param bin integer  the number of a bin, as returned by bin_number()
---@return integer  bytes
---@raise LogicError if it is not a bin
function DeviceMemoryPool:alloc_size(bin) end

---cuMemFree of all unused blocks that the pool holds.
---@raise LogicError if the pool was closed
function DeviceMemoryPool:free_held() end

---Stops holding blocks: frees the unused blocks now, and every other block when it is returned.
---@raise LogicError if the pool was closed
function DeviceMemoryPool:stop_holding() end

---Closes the pool. Blocks in use stay valid until they are freed.
---@raise LogicError if it was already closed
function DeviceMemoryPool:close() end

---@class cudalua.PageLockedMemoryPool
local PageLockedMemoryPool = {}

---Returns the bin of a size, as DeviceMemoryPool:bin_number.
---@param size integer  the size in bytes
---@return integer
---@raise LogicError if it is not a size
function PageLockedMemoryPool:bin_number(size) end

---Returns the size of the blocks in a bin, as DeviceMemoryPool:alloc_size.
---@param bin integer  the number of a bin, as returned by bin_number()
---@return integer  bytes
---@raise LogicError if it is not a bin
function PageLockedMemoryPool:alloc_size(bin) end

---cuMemFreeHost of all unused blocks that the pool holds.
---@raise LogicError if the pool was closed
function PageLockedMemoryPool:free_held() end

---Stops holding blocks: frees the unused blocks now, and every other block when it is returned.
---@raise LogicError if the pool was closed
function PageLockedMemoryPool:stop_holding() end

---Closes the pool. Blocks in use stay valid until they are freed.
---@raise LogicError if it was already closed
function PageLockedMemoryPool:close() end

---Page-locked memory of a PageLockedMemoryPool: the base of the host arrays that the pool allocates. `#a` is its size
---in bytes.
---@class cudalua.PooledHostAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local PooledHostAllocation = {}

---Returns the block to its pool, after copies that use it. You can no longer use its array.
---@raise LogicError if it was already freed
function PooledHostAllocation:free() end

---As free().
---@raise LogicError if it was already freed
function PooledHostAllocation:close() end

---cuMemHostGetDevicePointer.
---@return number  the address on the device
---@raise LogicError if it was freed
function PooledHostAllocation:ptr() end

---cuMemHostGetDevicePointer.
---@return cudalua.DevicePointer  a pointer that keeps the memory alive
---@raise LogicError if it was freed, and if the device cannot access it
function PooledHostAllocation:get_device_pointer() end

---@class cudalua.MemoryPool
local MemoryPool = {}

---cuMemAllocFromPoolAsync: as cuda.mem_alloc_async(), with memory of this pool.
---@param bytes integer  the size in bytes, at least 1
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.DeviceAllocation
---@raise MemoryError, LogicError as mem_alloc_async
function MemoryPool:alloc(bytes, stream) end

---cuMemPoolGetAttribute.
---@param attribute integer|string  cuda.mempool_attribute, or its name: "used_mem_current", "reserved_mem_high" ...
---@return integer|boolean  bytes (math.huge for no limit), or a boolean for reuse_...
---@raise LogicError for another name
function MemoryPool:get_attribute(attribute) end

---cuMemPoolSetAttribute.
---@param attribute integer|string  cuda.mempool_attribute, or its name: "release_threshold", "reuse_..."; "..._high"
---  can be set to 0
---@param value integer|boolean  bytes (math.huge for no limit), or a boolean for reuse_...
---@return cudalua.MemoryPool self
---@raise LogicError for a read-only attribute or an invalid value
function MemoryPool:set_attribute(attribute, value) end

---cuMemPoolTrimTo: returns unused memory to the device.
---@param bytes? integer  the number of bytes to keep; default 0
---@return cudalua.MemoryPool self
---@raise LogicError if it is not a size
function MemoryPool:trim_to(bytes) end

---cuDeviceSetMemPool: mem_alloc_async() allocates from this pool from now on, on its device. A pool of another location
---becomes the current one of that location (cuMemSetMemPool).
---@return cudalua.MemoryPool self
---@raise LogicError if the pool was closed
function MemoryPool:make_current() end

---cuMemPoolSetAccess: sets whether another device may use memory of this pool.
---@param device cudalua.Device|integer  the other device, or its ordinal
---@param access? "read_write"|"none"  default "read_write"
---@return cudalua.MemoryPool self
---@raise LogicError for a device that does not support it
function MemoryPool:set_access(device, access) end

---cuMemPoolExportToShareableHandle: returns a file descriptor for cuda.import_mempool() in another process. Pass it
---through a socket or by inheritance.
---@return integer descriptor  a file descriptor, which you have to close
---@raise LogicError if the pool was not created with `shareable = true`
function MemoryPool:export() end

---cuMemPoolExportPointer: returns the data for import_pointer() in another process. The pool must be shareable.
---@param memory cudalua.DeviceAllocation  memory of this pool, in use
---@return string data  64 bytes
---@raise LogicError for other memory, and for memory of a pool that is not shareable
function MemoryPool:export_pointer(memory) end

---cuMemPoolImportPointer: returns memory of the process that exported this pool. Free it before that process does.
---@param data string  the 64 bytes of export_pointer()
---@return cudalua.DeviceAllocation
---@raise LogicError if it is not such data, for memory of another pool, for memory that is already imported and not
---  freed, and for a pool that was not imported
function MemoryPool:import_pointer(data) end

---Returns the device of the pool.
---@return cudalua.Device  the device that has the memory, or that has access to it
function MemoryPool:get_device() end

---The driver's handle.
---@return number  the CUmemoryPool as a number, for other libraries
function MemoryPool:handle() end

---cuMemPoolDestroy. Memory that is in use stays valid until it is freed.
---@raise LogicError if it was already closed, and for the default pool of a device
function MemoryPool:close() end
