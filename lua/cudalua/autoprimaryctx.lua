-- `require "cudalua.autoprimaryctx"` opens the driver and makes the primary context of the default device current: the
-- one that the CUDA runtime and other libraries in this process use. It is released when the Lua state closes.

local cuda = require "cudalua"
local tools = require "cudalua.tools"

cuda.init()

---@class cudalua.autoprimaryctx
local M = {}

---The device's primary context.
---@type cudalua.Context
M.context = tools.make_default_context(function(device) return device:retain_primary_context():push() end)

---The device of the context.
---@type cudalua.Device
M.device = M.context:get_device()

return M
