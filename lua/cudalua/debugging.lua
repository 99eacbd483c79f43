-- Finding out where an error comes from.

local core = require "cudalua.core"

---@class cudalua
local M = {}

---Waits for each kernel after its launch, so that an error is raised by the call that launched it and not by whatever
---comes later. On from the start with CUDALUA_LAUNCH_BLOCKING=1. Kernels that go into a graph are not waited for.
---@param on boolean
---@return boolean before  what it was
function M.set_debugging(on) return core.launch_blocking(on and true or false) end

return M
