-- `require "cudalua.autoinit"` opens the driver and makes a context on the default device (tools.make_default_context),
-- current from then on. It is destroyed when the Lua state closes.

local cuda = require "cudalua"
local tools = require "cudalua.tools"

cuda.init()

---@class cudalua.autoinit
local M = {}

---The context that was created.
---@type cudalua.Context
M.context = tools.make_default_context()

---The device of the context.
---@type cudalua.Device
M.device = M.context:get_device()

return M
