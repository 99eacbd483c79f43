-- Linear device memory: rows of a pitch, and what lies at an address.

local core = require "cudalua.core"
local host = require "cudalua.base.ffi"

---@class cudalua
local M = {}

---cuMemAllocPitch: allocates device memory for `height` rows of `width` bytes, each aligned for accesses of
---`access_size` bytes.
---@param width integer  bytes in each row
---@param height integer  the number of rows
---@param access_size integer  4, 8 or 16: the size of the largest element that kernels read or write at once
---@return cudalua.DeviceAllocation
---@return integer pitch  bytes from one row to the next
---@raise MemoryError as mem_alloc; LogicError for a size of 0, another access_size, without a current context (201),
--- and during a capture
function M.mem_alloc_pitch(width, height, access_size)
  return core.mem_alloc_pitch(host.plain_number(width), host.plain_number(height), host.plain_number(access_size))
end

---cuMemGetAddressRange: returns the allocation that contains an address.
---@param p cudalua.DeviceAllocation|cudalua.DevicePointer|integer  an address in the allocation
---@return integer base  the start of the allocation
---@return integer size  the requested size in bytes
---@raise LogicError (500) if no allocation contains it
function M.mem_get_address_range(p) return core.mem_get_address_range(host.device(p)) end

return M
