-- The driver's memory pools: what mem_alloc_async() takes memory from.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua
local M = {}

---@class cudalua.MemoryPoolOptions
---@field device? cudalua.Device|integer  the device with the memory, or that uses it; default: the device of the
---  current context
---@field release_threshold? integer  bytes that the pool keeps at a synchronisation; default: all of them (math.huge)
---@field max_size? integer  the maximum size in bytes; default: no limit
---@field location? "device"|"host"|"host_numa"|"none"  the location of the memory; default "device". "host" and
---  "host_numa": page-locked memory that the host and `device` use at its address (`a:ptr()`). "none": anywhere, for
---  managed memory
---@field numa_node? integer  for "host_numa": the NUMA node; default 0
---@field managed? boolean  true: managed memory with the preferred location `location`
---@field shareable? boolean  true: other processes may import it; for "device" and "host_numa"

---A memory pool of the driver: memory that is freed in a stream stays in the pool for later allocations. A dropped pool
---is destroyed when the last of its memory is freed. Locations other than "device" require a driver of CUDA 13.0.
---@class cudalua.MemoryPool
---@overload fun(options?: cudalua.MemoryPoolOptions): cudalua.MemoryPool
local MemoryPool = core.classes.MemoryPool
M.MemoryPool = MemoryPool

local known = { device = true, release_threshold = true, max_size = true, location = true, numa_node = true,
  managed = true, shareable = true }

getmetatable(MemoryPool).__call = function(_, options)
  if options == nil then return core.mempool() end
  options = errors.options("MemoryPool", options, known)
  local plain = {}
  for name, value in pairs_of(options) do plain[name] = host.plain_number(value) end
  return core.mempool(plain)
end

---cuDeviceGetDefaultMemPool: returns the pool that mem_alloc_async() uses unless another pool was made current. You
---cannot close it.
---@param device? cudalua.Device|integer  default: the device of the current context
---@return cudalua.MemoryPool  the same object each time, while it is alive
---@raise LogicError for a device without pools (801) or a device that does not exist (101); (201) without a current
---  context
function M.default_mempool(device) return core.default_mempool(host.plain_number(device)) end

---cuMemPoolImportFromShareableHandle: returns the pool of another process. The descriptor comes from
---MemoryPool:export() in that process, through a socket or by inheritance. `import_pointer` opens memory of the pool;
---you cannot allocate from it. You may close the descriptor afterwards.
---@param descriptor integer  a file descriptor of this process
---@param device? cudalua.Device|integer  default: the device of the current context
---@return cudalua.MemoryPool
---@raise LogicError if the descriptor does not belong to a pool; (201) without a context
function M.import_mempool(descriptor, device)
  return core.import_mempool(host.plain_number(descriptor), host.plain_number(device))
end

return M
