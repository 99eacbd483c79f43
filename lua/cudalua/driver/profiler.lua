-- The switches of a profiler that this program runs under.

local core = require "cudalua.core"

---@class cudalua
local M = {}

---cuProfilerStart: Nsight Systems (--capture-range=cudaProfilerApi) and Nsight Compute (--profile-from-start off)
---record from this point on.
---@raise LogicError (201) without a current context
function M.start_profiler() return core.start_profiler() end

---cuProfilerStop: stops their recording.
---@raise LogicError (201) without a current context
function M.stop_profiler() return core.stop_profiler() end

---cuProfilerInitialize, for a profiler that no longer exists: kept for programs that call it.
---@param config_file string  the configuration file
---@param output_file string  the output file
---@param output_mode integer|string  cuda.profiler_output_mode: "csv", "key_value_pair"
---@raise LogicError (801) with current drivers: run the program under nsys or ncu instead
function M.initialize_profiler(config_file, output_file, output_mode)
  return core.initialize_profiler(config_file, output_file, output_mode)
end

return M
