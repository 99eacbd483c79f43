-- Linear device memory: rows of a pitch, and what lies at an address.

local core = require "cudalua.core"
local host = require "cudalua.base.ffi"

---@class cudalua
local M = {}

---cuMemAllocPitch: device memory for `height` rows of `width` bytes, each at an address that suits accesses of
---`access_size` bytes.
---@param width integer        bytes of a row
---@param height integer       rows
---@param access_size integer  4, 8 or 16: the largest element that kernels read or write at once
---@return cudalua.DeviceAllocation
---@return integer pitch  bytes from row to row
---@raise MemoryError as mem_alloc; LogicError for a size of 0, another access_size, without a current context (201),
--- and during a capture
function M.mem_alloc_pitch(width, height, access_size)
  return core.mem_alloc_pitch(host.plain_number(width), host.plain_number(height), host.plain_number(access_size))
end

---cuMemGetAddressRange: the allocation that an address lies in.
---@param p cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@return integer base
---@return integer size  bytes, as they were asked for
---@raise LogicError (500) if no allocation holds it
function M.mem_get_address_range(p) return core.mem_get_address_range(host.device(p)) end

return M
