-- Functions of higher rooms that lower ones call: a room puts its own here when it is loaded. Until then there is
-- nothing to do, as no program can have what they are about.

local core = require "cudalua.core"

---@class cudalua.hooks
local M = {}

---What to write in place of a name that is not where a program looks for it (help/elsewhere.lua, by init.lua).
---@param owner cudalua.Names
---@param key string
---@return string?
function M.elsewhere(owner, key) end -- luacheck: ignore owner key

---A host array of zeros in page-locked or managed memory (driver/hostmem.lua, by driver/memory.lua).
---@param what string                 the function, for messages
---@param backing "pinned"|"managed"
---@param shape integer[]
---@param dtype cudalua.dtype.DType
---@param order "C"|"F"
---@return cudalua.ndarray.Array
function M.host_zeros(what, backing, shape, dtype, order) -- luacheck: ignore shape dtype order
  core.raise("LogicError", ("%s: %s memory comes from the driver; load the module cudalua first"):format(what, backing))
end

---The dtype that a value names, or nil (dtype.lua).
---@param x any
---@return cudalua.dtype.DType?
function M.dtype_of(x) return nil end -- luacheck: ignore x

---Whether lines of expressions are remembered may have changed (gpuarray/core/graph.lua).
function M.trace_lines() end

---Frees the unused blocks of the pools that arrays share (gpuarray/core/storage.lua).
function M.free_held() end

---Computes what was written down and not computed (gpuarray.lua).
function M.compute_pending() end

---Starts the reductions that wait (gpuarray/core/waiting.lua).
function M.start_waiting() end

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

---The memory of an array for a texture, which sees all later writes to it (gpuarray/core/interface.lua).
---@param what string  the function, for messages
---@param x any
---@return table? memory  buf, dtype, shape, strides, dense; nil: x is not an array
function M.array_memory(what, x) end -- luacheck: ignore what x

---The product of two arrays, for dot() (gpuarray.lua), if one of them has more than one axis.
---@param what string  the function, for messages
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param options? table  of dot()
---@return cudalua.gpuarray.Array
function M.matrix_product(what, a, b, options) -- luacheck: ignore a b options
  core.raise("LogicError", what .. ": load the module cudalua.gpuarray first")
end

---How many arrays of random numbers were written down (random/draw.lua): a graph that is captured draws them again.
M.draws = 0

---A profile is under way: whoever launches kernels of arrays says how many bytes they use (gpuarray/core/run.lua).
M.profiling = false

return M
