-- The driver's memory pools: what mem_alloc_async() takes memory from.

local core = require "cudalua.core"
local errors = require "cudalua.errors"
local host = require "cudalua.ffi"

---@class cudalua
local M = {}

---@class cudalua.MemoryPoolOptions
---@field device? cudalua.Device|integer  default: that of the current context
---@field release_threshold? integer      bytes that it keeps at a synchronisation; default: all of them (math.huge)
---@field max_size? integer               most bytes that it has; default: what the device has

---A pool of the driver's: memory that was freed in a stream stays with it, for the next allocation. Dropped, it goes
---when the last of its memory is freed.
---@class cudalua.MemoryPool
---@overload fun(options?: cudalua.MemoryPoolOptions): cudalua.MemoryPool
local MemoryPool = core.classes.MemoryPool
M.MemoryPool = MemoryPool

local known = { device = true, release_threshold = true, max_size = true }

getmetatable(MemoryPool).__call = function(_, options)
  if options == nil then return core.mempool() end
  options = errors.options("MemoryPool", options, known)
  return core.mempool(host.plain_number(options.device), host.plain_number(options.release_threshold),
    host.plain_number(options.max_size))
end

---cuDeviceGetDefaultMemPool: what mem_alloc_async() takes memory from unless another pool was made current. It cannot
---be closed.
---@param device? cudalua.Device|integer  default: that of the current context
---@return cudalua.MemoryPool  the same object each time, while it is alive
---@raise LogicError for a device without pools (801) or that does not exist (101); (201) without a current context
function M.default_mempool(device) return core.default_mempool(host.plain_number(device)) end

return M
