-- Device memory of other processes. Events of other processes: event.lua.

local core = require "cudalua.core"
local host = require "cudalua.base.ffi"

---@class cudalua
local M = {}

---cuIpcGetMemHandle: lets other processes on this machine use memory of mem_alloc(). Before you free it here, the other
---processes must finish their work with it and close it.
---@param memory cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the start of the memory
---@return string handle  64 bytes, for IPCMemoryHandle in another process
---@raise LogicError for memory of a pool, host and managed memory, and for an address that is not the start of an
---  allocation
function M.mem_get_ipc_handle(memory) return core.mem_get_ipc_handle(host.device(memory)) end

---Memory of another process: `cuda.IPCMemoryHandle(handle, flags)` opens a handle that mem_get_ipc_handle() returned
---there. You can pass it wherever device memory is accepted.
---@class cudalua.IPCMemoryHandle
---@overload fun(handle: string, flags?: any): cudalua.IPCMemoryHandle  flags: cuda.ipc_mem_flags, default
---  "lazy_enable_peer_access", the only one. Raises a LogicError if handle is not a string of 64 bytes, (201) for a
---  handle of this process, and the driver's error if the memory or its process no longer exists.
M.IPCMemoryHandle = setmetatable({}, {
  __index = core.classes.IPCMemoryHandle,
  __call = function(_, handle, flags) return core.ipc_open(handle, flags) end,
})

return M
