-- The side of calls whose transport moves data in host memory: arrays on the device are copied there and back.

local core = require "cudalua.core"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.distributed.operands"

local M = {}

-- A graph cannot wait for other ranks on the host.
local function check_capture(p, transport)
  local on_device = p.x and p.x.on_device or p.gets and (p.out or p).on_device
  if not on_device or not core.current_stream():is_capturing() then return end
  layout.refuse(p.where, "arrays move through host memory ('%s'), so the call cannot be captured; make it before or "
    .. "after the capture, or use a GPU for each rank and init { backend = 'nccl' }", transport)
end

---Makes a call ready: all that may fail.
---@param p cudalua.distributed.Planned
---@param group cudalua.distributed.Group
function M.prepare(p, group)
  check_capture(p, group._data.name)
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
