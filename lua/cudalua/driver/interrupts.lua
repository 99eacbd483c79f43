-- Ctrl-C in scripts and hosts: waits that end with an InterruptError.

local core = require "cudalua.core"

---@class cudalua
local M = {}

---Lets Ctrl-C interrupt this Lua state. With interrupts on, SIGINT and cuda.interrupt() raise an InterruptError in your
---interpreted Lua code, in waits for the device and the compiler, and in kernels of the software device, which they
---end. No array is lost. A kernel on a GPU goes on. Loops that LuaJIT has compiled are not interrupted; use `jit.off()`
---for those. A second press within two seconds raises the error again in every function that catches it, until
---interrupts(true) is called again. A SIGINT handler of the program stays installed; it may call cuda.interrupt().
---@param on? boolean  the new setting; default: leave it unchanged
---@return boolean before  true if they were on in this state
---@raise LogicError if interrupts are on in another Lua state of the process, or `on` is not a boolean
function M.interrupts(on) return core.interrupts(on) end

---Interrupts the Lua state that has interrupts on, as Ctrl-C does. If called from another thread than that state's, it
---ends waits but does not interrupt Lua code. Does nothing if no state has interrupts on.
function M.interrupt() core.interrupt() end

return M
