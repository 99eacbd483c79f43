-- `require "cudalua.gl.autoinit"` makes a context for the current OpenGL context: on the default device
-- (tools.make_default_context), and makes it current. It is destroyed when the Lua state closes.

local cuda = require "cudalua"
local gl = require "cudalua.gl"
local tools = require "cudalua.tools"

cuda.init()

---@class cudalua.gl.autoinit
local M = {}

---The context that was made.
---@type cudalua.Context
M.context = tools.make_default_context(function(device) return gl.make_context(device) end)

---Its device.
---@type cudalua.Device
M.device = M.context:get_device()

return M
