-- How this process was started. `cudalua run` sets variables of the environment; other launchers are refused.

local errors = require "cudalua.base.errors"

---@field joined? integer  the size of the world that this process has joined: the variables are gone then
local M = {}

local function env(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

-- How many processes other launchers have started; CUDALUA_RANK comes before them.
local function others()
  local mpi = tonumber(env "OMPI_COMM_WORLD_SIZE" or env "PMI_SIZE" or "1") or 1
  local slurm = tonumber(env "SLURM_STEP_NUM_TASKS" or "1") or 1
  return math.max(mpi, slurm), mpi > 1 and "mpirun" or "srun"
end

---How this process was started.
---@class cudalua.distributed.Start
---@field rank integer
---@field size integer
---@field local_rank integer  among the processes of this machine
---@field local_size integer
---@field segment? integer    the descriptor of the memory that they share; nil: started alone

-- A number that the launcher has set.
local function number(name, value)
  local n = value and value:match "^%d+$" and tonumber(value)
  if n then return n end
  errors.raise("RuntimeError", ("init: %s is %s, but cudalua run sets it to a non-negative integer; unset it to run "
    .. "without other ranks"):format(name, value and errors.text(value) or "not set"))
end

---@return cudalua.distributed.Start
---@raise RuntimeError if the variables are incomplete, and under launchers that are not supported
function M.read()
  local rank = env "CUDALUA_RANK"
  if rank then
    return { rank = number("CUDALUA_RANK", rank), size = number("CUDALUA_SIZE", env "CUDALUA_SIZE"),
      local_rank = number("CUDALUA_LOCAL_RANK", env "CUDALUA_LOCAL_RANK"),
      local_size = number("CUDALUA_LOCAL_SIZE", env "CUDALUA_LOCAL_SIZE"),
      segment = number("CUDALUA_SEGMENT", env "CUDALUA_SEGMENT") }
  end
  local count, launcher = others()
  if count > 1 then
    errors.raise("RuntimeError", ("init: %s started %d processes, but cudalua does not support it; start the program "
      .. "with: cudalua run -n %d script.lua"):format(launcher, count, count))
  end
  return { rank = 0, size = 1, local_rank = 0, local_size = 1 }
end

---How long a wait for another rank may take.
---@return number seconds
---@raise LogicError if the variable is not a positive number
function M.timeout()
  local text = env "CUDALUA_DIST_TIMEOUT"
  local seconds = tonumber(text or "600")
  if seconds and seconds > 0 and seconds < math.huge then return seconds end
  errors.raise("LogicError", ("init: CUDALUA_DIST_TIMEOUT must be a positive number of seconds, got %s"):format(
    errors.text(text)))
end

return M
