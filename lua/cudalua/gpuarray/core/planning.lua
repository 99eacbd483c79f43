-- What the planner tells gpuarray.explain(), and state of the planner that a plan alone must not change.

local M = {}

---Receives the planner's decisions while an evaluation is only planned (dry_run.lua); otherwise false.
M.notes = false ---@type cudalua.gpuarray.Notes|false

local savers = {}

---Registers state of the planner: a function that returns a function that restores it.
---@param save fun(): fun()
function M.keeps(save) savers[#savers + 1] = save end

---Saves the planner's state.
---@return fun() restore
function M.save()
  local list = {}
  for i = 1, #savers do list[i] = savers[i]() end
  return function()
    for i = 1, #list do list[i]() end
  end
end

return M
