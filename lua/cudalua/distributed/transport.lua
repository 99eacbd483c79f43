-- Transports move data between ranks. A group has two: `control` carries short texts and knows which ranks are alive,
-- `data` moves arrays. Both use host memory.

local M = {}

---A way between ranks, as a record of functions. A handle is what open() and split() give: one of each group.
---@class cudalua.distributed.Transport
---@field name string
---@field memory "host"|"device"  what the memory in calls is
---@field takes fun(dtype: string, op: string): boolean  can it combine elements of this dtype?
---@field open fun(start: cudalua.distributed.Start, timeout: number): any  the handle of all ranks
---@field split fun(handle: any, where: string, members?: cudalua.distributed.Members): any  called by all members of
---  the handle; the handle of the new group, or nil for ranks without `members`
---@field close fun(handle: any)  local: tells the other ranks nothing that they wait for
---@field exchange fun(handle: any, where: string, text: string): string[]  the text of each member, of up to 4000 bytes
---@field refuse fun(handle: any, where: string, text: string)  takes part in the members' next call by a text that is
---  no call's, and does not wait for them
---@field run fun(handle: any, call: cudalua.distributed.Call): string[]?  nil: it is done. Otherwise the signatures
---  differ, nothing was written, and here they are; of send and recv, the sender's and the receiver's

---The members of a group to be.
---@class cudalua.distributed.Members
---@field ranks integer[]  in the world, in the group's order
---@field leader integer   where the first of them is in the former group, from 1
---@field leads boolean    this rank is the first of them

---One rank's side of a call.
---@class cudalua.distributed.Call
---@field kind string       "all_reduce", ...
---@field where string      for messages
---@field signature string  all ranks must have the same
---@field input any         host: as base/ffi.host_buffer() gives memory; nil: this rank gives nothing
---@field output any        the same for what it gets
---@field bytes integer     of one part: what one rank gives to one other
---@field root integer      the member that has or gets everything; of send and recv, the other one
---@field op? string        of reductions: "sum", "prod", "min", "max" or "mean"
---@field dtype? string     of reductions

---The transports of a world.
---@param _ cudalua.distributed.Start
---@return cudalua.distributed.Transport control
---@return cudalua.distributed.Transport data
function M.choose(_)
  local shm = require "cudalua.distributed.shm"
  return shm, shm
end

return M
