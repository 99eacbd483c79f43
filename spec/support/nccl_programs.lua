-- Programs of several ranks whose arrays move by NCCL: the library itself on GPUs, its stand-in on the software device
-- (nccl_shim.c).
local built = require "spec.support.built"
local gpu = require "spec.support.gpu"
local ranks = require "spec.support.ranks"

local M = {}

---The environment of such programs. checks: the ranks compare their calls.
---@param checks boolean
---@param more? string
function M.environment(checks, more)
  local text = "CUDALUA_DIST_BACKEND=nccl CUDALUA_DIST_CHECK=" .. (checks and 1 or 0)
  if gpu.soft then
    text = ("%s CUDALUA_SOFT_STREAMS=background CUDALUA_NCCL=%s NCCL_SHIM_DRIVER=%s"):format(text,
      built "cudalua-nccl-shim", gpu.cuda.driver_info().path)
  end
  return text .. " " .. (more or "")
end

---Runs a program with so many ranks.
---@param n integer
---@param code string
---@param o? {checks: boolean, environment: string, arguments: string}
---@return string out
---@return integer status
function M.run(n, code, o)
  o = o or {}
  return ranks.run(n, ranks.prelude .. code, { environment = M.environment(o.checks ~= false, o.environment),
    arguments = o.arguments })
end

---The same; each rank has to reach its end.
function M.all_fine(n, code, o)
  local out, status = M.run(n, code .. '\nprint "fine"', o)
  assert(status == 0 and select(2, out:gsub("%] fine\n", "")) == n, ("status %d: %s"):format(status, out))
  return out
end

local outputs = {}

---Has each of n ranks passed this check of rank_checks.lua?
function M.passes(n, checks, name)
  local key = n .. tostring(checks)
  if not outputs[key] then
    local command = "%s CUDALUA_DIST_TIMEOUT=60 %s sh bin/cudalua run -n %d spec/support/rank_checks.lua %d nccl"
    local out, status = ranks.command(command:format(gpu.driver, M.environment(checks), n, n))
    outputs[key] = { text = out, status = status }
  end
  local o = outputs[key]
  for rank = 0, n - 1 do
    assert(o.text:find(("[%d] passed %s\n"):format(rank, name), 1, true), ("rank %d of %d did not pass %s:\n%s"):format(
      rank, n, name, o.text))
  end
  assert(o.status == 0, o.text)
end

---The checks, and what each proves.
M.checks = {
  world = "init returns a world whose transport is NCCL",
  barrier = "Group:barrier",
  all_reduce = "Group:all_reduce of all dtypes and operations that NCCL has, new and in place; others raise",
  extremes = "Group:all_reduce keeps infinities and wraps",
  short_floats = "Group:all_reduce of every 16-bit float",
  complex = "Group:all_reduce of complex numbers",
  reduce = "Group:reduce gives the result to root alone",
  broadcast = "Group:broadcast, with and without arrays on the other ranks",
  all_gather = "Group:all_gather",
  gather = "Group:gather",
  scatter = "Group:scatter",
  reduce_scatter = "Group:reduce_scatter",
  all_to_all = "Group:all_to_all, new and in place",
  send_recv = "Group:send and Group:recv in a ring",
  broadcast_object = "Group:broadcast_object",
  split = "Group:split: calls of several groups in turn",
  group = "Group:group of a list of ranks",
  close = "Group:close",
  large = "large arrays",
  layouts = "views, transposed and pending arrays",
  structs = "structs",
}

return M
