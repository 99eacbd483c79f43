-- Finding out where an error comes from.

local core = require "cudalua.core"
local hooks = require "cudalua.base.hooks"

---@class cudalua
local M = {}

local on_now = false

---Turns debugging on or off. It waits for each kernel after its launch, so that the call that launched a failing kernel
---raises the error, and not a later one. It also compiles for the debugger (-G -lineinfo), without the cache, and keeps
---the compiler's files. CUDALUA_LAUNCH_BLOCKING=1 turns on the waiting alone from the start. Kernels that are added to
---a graph are not waited for.
---@param on boolean  the new setting
---@return boolean before  true if launches were waited for before
function M.set_debugging(on)
  on_now = on and true or false
  local before = core.launch_blocking(on_now)
  hooks.trace_lines()
  return before
end

---Returns true if set_debugging() is on.
---@return boolean
function M.is_debugging() return on_now end

return M
