-- Functions of higher rooms that lower ones call: a room puts its own here when it is loaded. Until then there is
-- nothing to do, as no program can have what they are about.

---@class cudalua.hooks
local M = {}

---The dtype that a value names, or nil (dtype.lua).
---@param x any
---@return cudalua.dtype.DType?
function M.dtype_of(x) return nil end -- luacheck: ignore x

---Whether lines of expressions are remembered may have changed (gpuarray/core/graph.lua).
function M.trace_lines() end

---Computes what was written down and not computed (gpuarray.lua).
function M.compute_pending() end

---A function of stream:use() begins (gpuarray/core/inside.lua).
---@return boolean entered  leave_stream() is told
function M.enter_stream() return false end

---It has ended; the stream is still the current one.
---@param entered boolean  what enter_stream() gave
---@param ok boolean       the function returned
---@param ... any          what it returned
function M.leave_stream(entered, ok, ...) end -- luacheck: ignore entered ok ...

---Puts addresses in the places of arrays among a kernel's arguments (gpuarray/core/argument.lua).
---@param fn cudalua.Function
---@param args any[]
---@param arrays integer[]          their places
---@param stream? cudalua.Stream    of the call
function M.take_arrays(fn, args, arrays, stream) end -- luacheck: ignore fn args arrays stream

return M
