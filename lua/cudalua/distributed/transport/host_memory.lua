-- The side of calls whose transport moves data in host memory: arrays on the device are copied there and back.

local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.distributed.operands"

local M = {}

---Makes a call ready: all that may fail.
---@param p cudalua.distributed.Planned
function M.prepare(p)
  local input = p.x and operands.to_host(p.where, p.x)
  local result = p.gets and ndarray.empty(p.result_shape, p.dtype) or nil
  p.call = { kind = p.kind, where = p.where, signature = p.signature, input = input and operands.memory(p.where, input),
    output = result and operands.memory(p.where, result, true), bytes = object.size_of(p.part) * p.dtype.itemsize,
    root = p.root, op = p.op, dtype = p.op and p.dtype.name }
  p.result, p.keep = result, input
end

---Makes the call.
---@param group cudalua.distributed.Group
---@param p cudalua.distributed.Planned  is ready
---@return string[]? differing  signatures
function M.run(group, p) return group._data.run(group._data_handle, p.call) end

---@param p cudalua.distributed.Planned
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|nil
function M.finish(p) return p.result and operands.deliver(p.result, p.out, p.on_device) or nil end

return M
