-- Calls by NCCL in a stream of the group's own, so that later kernels of the current stream do not wait for them.
-- Memory remembers which streams use it: what uses the arrays of a call comes after the call, in any stream.

local core = require "cudalua.core"
local layout = require "cudalua.base.layout"
local storage = require "cudalua.gpuarray.core.storage"

local M = {}

---A call that is under way.
---@class cudalua.distributed.Work
---@field where string
---@field number integer         of the call, for core.nccl_lost()
---@field event cudalua.Event    behind its work
---@field result any
---@field fetch? fun(): any      gives the result if that is in host memory
---@field done boolean           it is known to have ended
local Work = {}
Work.__index = Work

function Work:wait()
  core.nccl_lost(self.number, self.where)
  local stream = core.current_stream()
  if stream:is_capturing() then
    layout.refuse("wait", "the current stream is being captured; call wait() before the capture")
  end
  stream:wait_for_event(self.event)
  if self.fetch then self.result, self.fetch = self.fetch(), nil end
  return self.result
end

function Work:is_done()
  if self.done or core.nccl_lost(self.number) then return true end
  local ok, answer = pcall(self.event.query, self.event)
  if not ok then
    if core.nccl_lost(self.number) then return true end -- it has failed meanwhile
    error(answer, 0)
  end
  self.done = answer
  return answer
end

-- ---- the stream -----------------------------------------------------------------------------------------------------

-- Only memory of pools remembers its streams.
local function remembers(array)
  return not array or core.kind(storage.leaf_of(array).buf) == "PooledDeviceAllocation"
end

-- Calls of other memory stay in the current stream.
local function stream_for(group, p)
  local out = p.out and p.out.on_device and p.out.array
  if not (remembers(p.input) and remembers(p.result) and remembers(out)) then return core.current_stream() end
  local context = core.context_id()
  group._streams = group._streams or {}
  group._streams[context] = group._streams[context] or core.stream "non_blocking"
  return group._streams[context]
end

---Makes a call.
---@param group cudalua.distributed.Group
---@param p cudalua.distributed.Planned  is ready, and all that it reads is evaluated
---@param run fun()         puts the call into the current stream, and sets p.number
---@param finish fun(): any gives the result
---@param in_host boolean   the result is in host memory
---@return cudalua.distributed.Work
function M.start(group, p, run, finish, in_host)
  local stream = stream_for(group, p)
  local work = setmetatable({ where = p.where, event = core.event "disable_timing", done = false }, Work)
  stream:use(function()
    run()
    work.number = p.number
    if in_host then work.fetch = finish else work.result = finish() end
    work.event:record()
  end)
  return work
end

return M
