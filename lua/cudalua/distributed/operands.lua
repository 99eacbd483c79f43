-- Arrays as operands of calls between ranks: checks, and host memory with their elements in C order.

local crc32 = require "cudalua.ndarray.crc32"
local element = require "cudalua.base.element"
local ffi = require "ffi"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local transfer = require "cudalua.gpuarray.core.transfer"

local refuse = layout.refuse

local M = {}

---An array, with the fields that calls use.
---@class cudalua.distributed.Operand
---@field array cudalua.gpuarray.Array|cudalua.ndarray.Array
---@field dtype cudalua.dtype.DType
---@field shape integer[]
---@field on_device boolean

---@param where string
---@param name string  the argument's, for the message
---@param x any
---@return cudalua.distributed.Operand
---@raise LogicError if it is not an array
function M.of(where, name, x)
  if object.is_array(x) then return { array = x, dtype = x._dtype, shape = x._shape, on_device = true } end
  if ndarray.is_array(x) then return { array = x, dtype = x.dtype, shape = x.shape, on_device = false } end
  if getmetatable(x) == "cudalua.distributed.Array" then
    refuse(where, "%s must be an array of this rank, got a distributed array; pass its block, a.block, or use its own "
      .. "methods such as a:sum() and a:gather()", name)
  end
  refuse(where, "%s must be an array, got %s; convert numbers and lists with gpuarray.to_gpu() or ndarray.array(), "
    .. "and send other values with broadcast_object()", name, element.describe(x))
end

---"float32 (3, 4)"
---@param dtype cudalua.dtype.DType
---@param shape integer[]
---@return string
function M.text(dtype, shape) return dtype.name .. " " .. layout.text(shape) end

---Its elements in host memory, in C order; other code does not change them while the call runs.
---@param where string
---@param x cudalua.distributed.Operand
---@return cudalua.ndarray.Array
function M.to_host(where, x)
  if x.on_device then return transfer.get(where, x.array, ndarray.empty(x.shape, x.dtype)) end
  if x.array.flags.c_contiguous then return x.array end
  return x.array:copy "C"
end

---Memory of a host array, for a call.
---@param where string
---@param a cudalua.ndarray.Array
---@param writable? boolean
---@return any slot  nil if it has no elements
function M.memory(where, a, writable)
  if a.size == 0 then return nil end
  return (host.host_buffer(where, a, nil, writable))
end

---The checksum of a host array in C order.
---@param where string
---@param a cudalua.ndarray.Array
---@return integer
function M.checksum(where, a)
  if a.size == 0 then return 0 end
  return crc32(ffi.cast("const uint8_t *", M.memory(where, a)[0]), a.nbytes)
end

---Copies a result to its destination: to `out`, or to a new array on the same side as the operand.
---@param result cudalua.ndarray.Array
---@param out? cudalua.distributed.Operand
---@param on_device boolean
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array
function M.deliver(result, out, on_device)
  if not out then return on_device and transfer.to_gpu(result) or result end
  if out.on_device then return out.array:set(result) end
  return out.array:assign(result)
end

return M
