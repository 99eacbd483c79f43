-- The driver's memory pools: what mem_alloc_async() takes memory from.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua
local M = {}

---@class cudalua.MemoryPoolOptions
---@field device? cudalua.Device|integer  whose memory it is, or which may use it; default: that of the current context
---@field release_threshold? integer      bytes that it keeps at a synchronisation; default: all of them (math.huge)
---@field max_size? integer               most bytes that it has; default: no limit
---@field location? "device"|"host"|"host_numa"|"none"  where its memory is; default "device". "host" and "host_numa":
---  page-locked memory that the host and `device` use at its address (`a:ptr()`). "none": of managed memory, anywhere
---@field numa_node? integer              of "host_numa"; default 0
---@field managed? boolean                true: managed memory, whose preferred location is `location`
---@field shareable? boolean              true: other processes may import it; for "device" and "host_numa"

---A pool of the driver's: memory that was freed in a stream stays with it, for the next allocation. Dropped, it goes
---when the last of its memory is freed. Locations besides "device" need a driver of CUDA 13.0.
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

---cuDeviceGetDefaultMemPool: what mem_alloc_async() takes memory from unless another pool was made current. It cannot
---be closed.
---@param device? cudalua.Device|integer  default: that of the current context
---@return cudalua.MemoryPool  the same object each time, while it is alive
---@raise LogicError for a device without pools (801) or that does not exist (101); (201) without a current context
function M.default_mempool(device) return core.default_mempool(host.plain_number(device)) end

---cuMemPoolImportFromShareableHandle: the pool of another process, from the descriptor that MemoryPool:export() gave
---there and that reached this process through a socket or by inheritance. `import_pointer` opens its memory; it
---allocates none. The descriptor may be closed afterwards.
---@param descriptor integer  a file descriptor of this process
---@param device? cudalua.Device|integer  default: that of the current context
---@return cudalua.MemoryPool
---@raise LogicError for a descriptor that is not of a pool; (201) without a context
function M.import_mempool(descriptor, device)
  return core.import_mempool(host.plain_number(descriptor), host.plain_number(device))
end

return M
