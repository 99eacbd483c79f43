-- The switches of a profiler that this program runs under.

local core = require "cudalua.core"

---@class cudalua
local M = {}

---cuProfilerStart: Nsight Systems (--capture-range=cudaProfilerApi) and Nsight Compute (--profile-from-start off)
---record from here on.
---@raise LogicError (201) without a current context
function M.start_profiler() return core.start_profiler() end

---cuProfilerStop: and until here.
---@raise LogicError (201) without a current context
function M.stop_profiler() return core.stop_profiler() end

---cuProfilerInitialize, of a profiler that is no more: kept for programs that call it.
---@param config_file string
---@param output_file string
---@param output_mode integer|string  cuda.profiler_output_mode: "csv", "key_value_pair"
---@raise LogicError (801) with drivers of today: run the program under nsys or ncu instead
function M.initialize_profiler(config_file, output_file, output_mode)
  return core.initialize_profiler(config_file, output_file, output_mode)
end

return M
