-- Runs checks of distributed arrays on a rank. Arguments: files of spec/support with checks.
require "spec.support.quick"
for _, file in ipairs(arg) do
  local names = {}
  local M = dofile("spec/support/" .. file .. ".lua")
  for name in pairs(M.checks) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local begin = os.clock()
    M.checks[name]()
    print(("passed %s, %.1f s"):format(name, os.clock() - begin))
  end
end
