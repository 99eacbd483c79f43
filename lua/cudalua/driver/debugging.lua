-- Finding out where an error comes from.

local core = require "cudalua.core"
local hooks = require "cudalua.base.hooks"

---@class cudalua
local M = {}

local on_now = false

---For finding errors: waits for each kernel after its launch, so that an error is raised by the call that launched it
---and not by whatever comes later; and compiles for the debugger (-G -lineinfo), without the cache, keeping the
---compiler's files. Waiting alone is on from the start with CUDALUA_LAUNCH_BLOCKING=1. Kernels that go into a graph are
---not waited for.
---@param on boolean
---@return boolean before  whether launches were waited for
function M.set_debugging(on)
  on_now = on and true or false
  local before = core.launch_blocking(on_now)
  hooks.trace_lines()
  return before
end

---Is set_debugging() on?
---@return boolean
function M.is_debugging() return on_now end

return M
