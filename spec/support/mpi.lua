-- Programs of several ranks, run by the mpirun of OpenMPI and by that of MPICH.
local gpu = require "spec.support.gpu"
local ranks = require "spec.support.ranks"

-- The sanitizers' runtime is for the ranks alone, and what MPI leaves in memory is not ours.
local INSIDE = gpu.sanitized and ("env LD_PRELOAD=%s ASAN_OPTIONS=%s:detect_leaks=0 "):format(
  os.getenv "LD_PRELOAD" or "", os.getenv "ASAN_OPTIONS" or "") or ""

local M = {
  inside = INSIDE,
  commands = {
    openmpi = "env LD_PRELOAD= mpirun.openmpi --allow-run-as-root --oversubscribe",
    mpich = "env LD_PRELOAD= mpirun.mpich",
  },
}

local missing = not (os.execute "command -v mpirun.openmpi >/dev/null" == 0 and
  os.execute "command -v mpirun.mpich >/dev/null" == 0)

---Skips a test without OpenMPI and MPICH.
function M.need(pending)
  if missing then pending "OpenMPI or MPICH is not installed" end
end

---Runs a Lua program with so many ranks.
---@param flavor string  "openmpi" or "mpich"
---@param n integer
---@param code string
---@param o? {environment: string, before: string}  before: stands before luajit
---@return string out  what they printed; lines of several ranks may be mixed
---@return integer status
function M.run(flavor, n, code, o)
  o = o or {}
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(code)
  file:close()
  local out, status = ranks.command(("%s CUDALUA_DIST_TIMEOUT=20 %s timeout 100 %s -n %d %s %s luajit %s"):format(
    gpu.driver, o.environment or "", M.commands[flavor], n, INSIDE, o.before or "", path))
  os.remove(path)
  return out:gsub(path:gsub("%p", "%%%0"), "program.lua"), status
end

---Runs a program of checks with so many ranks.
---@return string out
---@return integer status
function M.check(flavor, n, arguments, environment)
  local program = "luajit spec/support/rank_checks.lua"
  return ranks.command(("%s CUDALUA_DIST_TIMEOUT=60 %s timeout 200 %s -n %d %s %s %d %s"):format(gpu.driver,
    environment or "", M.commands[flavor], n, INSIDE, program, n, arguments))
end

---Calls f(flavor) for both.
function M.each(f)
  for _, flavor in ipairs { "openmpi", "mpich" } do f(flavor) end
end

return M
