-- How this process was started: `cudalua run` and the launchers of MPI set variables of the environment.

local errors = require "cudalua.base.errors"

---@field joined? integer  the size of the world that this process has joined: the variables are gone then
local M = {}

local function env(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

-- The launchers of MPI, by their variables. The first one that has set its variable counts: mpirun starts its own
-- processes by srun, whose variables then tell of those.
local function launchers()
  return {
    { launcher = "mpirun", flavor = "openmpi", variable = "OMPI_COMM_WORLD_SIZE",
      size = env "OMPI_COMM_WORLD_SIZE", place = env "OMPI_COMM_WORLD_LOCAL_RANK" },
    { launcher = "mpirun", flavor = "hydra", variable = "PMI_SIZE",
      size = env "PMI_SIZE", place = env "MPI_LOCALRANKID" },
    { launcher = "srun", flavor = "any", variable = "SLURM_STEP_NUM_TASKS",
      size = env "SLURM_STEP_NUM_TASKS", place = env "SLURM_LOCALID" },
  }
end

---How this process was started.
---@class cudalua.distributed.Start
---@field rank integer
---@field size integer
---@field local_rank integer  among the processes of this machine
---@field local_size integer
---@field segment? integer    the descriptor of the memory that they share; nil: not started by `cudalua run`
---@field launcher? string    "mpirun" or "srun": a launcher of MPI; the ranks are known when MPI has started
---@field flavor? string      of MPI's launchers: "openmpi", "hydra" or "any"
---@field variables? string[] of MPI's launchers, which say that this process is a rank

-- A number that the launcher has set.
local function number(name, value)
  local n = value and value:match "^%d+$" and tonumber(value)
  if n then return n end
  errors.raise("RuntimeError", ("init: %s is %s, but cudalua run sets it to a non-negative integer; unset it to run "
    .. "without other ranks"):format(name, value and errors.text(value) or "not set"))
end

-- A process of a launcher of MPI; nil: it is none, or the only one. Then the launcher may have started a program
-- that is not one of MPI's.
local function of_mpi()
  local rows, variables = launchers(), {}
  for k, row in ipairs(rows) do variables[k] = row.variable end
  for _, row in ipairs(rows) do
    local size = tonumber(row.size)
    if size and (size > 1 or size == 1 and env "CUDALUA_MPI") then
      return { rank = 0, size = size, local_rank = 0, local_size = 1, launcher = row.launcher, flavor = row.flavor,
        variables = variables }
    elseif size then
      return nil
    end
  end
  return nil
end

---@return cudalua.distributed.Start
---@raise RuntimeError if the variables are incomplete
function M.read()
  local rank = env "CUDALUA_RANK"
  if rank then
    return { rank = number("CUDALUA_RANK", rank), size = number("CUDALUA_SIZE", env "CUDALUA_SIZE"),
      local_rank = number("CUDALUA_LOCAL_RANK", env "CUDALUA_LOCAL_RANK"),
      local_size = number("CUDALUA_LOCAL_SIZE", env "CUDALUA_LOCAL_SIZE"),
      segment = number("CUDALUA_SEGMENT", env "CUDALUA_SEGMENT") }
  end
  return of_mpi() or { rank = 0, size = 1, local_rank = 0, local_size = 1 }
end

---This process's number on its machine, which chooses its device; nil: no launcher has said it.
---@return integer?
function M.place()
  local own = tonumber(env "CUDALUA_LOCAL_RANK")
  if own then return own end
  for _, row in ipairs(launchers()) do
    if row.size and tonumber(row.place) then return tonumber(row.place) end
  end
  return nil
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
