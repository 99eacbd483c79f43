-- The names in every table of constants, as tools/gen_constants.lua wrote them: `CL_TABLE(ctx_flags)`, and below it
-- `CL_CONSTANT("SCHED_SPIN", CU_CTX_SCHED_SPIN)`.
local M = {}

---A constant.
---@class constants_list.Constant
---@field name string
---@field cuda string  its name in cuda.h, or its value

---@param path string
---@return table<string, constants_list.Constant[]>  by the table's name
function M.read(path)
  local tables, current = {}, nil
  for line in io.lines(path) do
    local table_name = line:match "^CL_TABLE%(([%w_]+)%)"
    local name, value = line:match '^CL_CONSTANT%("([^"]+)", ([^%)]+)%)'
    if not name then name, value = line:match '^CL_GONE%("([^"]+)", ([^%)]+)%)' end
    if table_name then
      current = table_name
      tables[table_name] = {}
    elseif name then
      table.insert(tables[current], { name = name, cuda = value })
    end
  end
  return tables
end

return M
