-- Ctrl-C in scripts and hosts: waits that end with an InterruptError.

local core = require "cudalua.core"

---@class cudalua
local M = {}

---Lets Ctrl-C interrupt this Lua state. With interrupts on, SIGINT and cuda.interrupt() raise an InterruptError: in
---interpreted Lua code of yours, in waits for the device and the compiler, and in kernels of the software device, which
---end there. No array is lost. A GPU's kernel goes on by itself. Loops that LuaJIT has compiled are not stopped:
---`jit.off()` is for those. A second press within two seconds raises in every function that catches the error, until
---interrupts(true) is called again. A SIGINT handler that the program has set stays; it may call cuda.interrupt().
---@param on? boolean  omitted: only asks
---@return boolean before  whether they were on in this state
---@raise LogicError if another Lua state of the process has them on, or `on` is not a boolean
function M.interrupts(on) return core.interrupts(on) end

---Interrupts the Lua state that has interrupts on, as Ctrl-C does. From another thread than that state's it ends waits
---and not Lua code. Does nothing if no state has interrupts on.
function M.interrupt() core.interrupt() end

return M
