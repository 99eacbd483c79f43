-- Structs as text: their fields with their names.

local M = {}

-- Calls fn for each element of a field's value, which is nested lists for a fixed array; puts what it returns together.
local function text_of(value, extents, axis, fn)
  if axis > #extents then return fn(value) end
  local parts = {}
  for i = 1, extents[axis] do parts[i] = text_of(value[i], extents, axis + 1, fn) end
  return "[" .. table.concat(parts, " ") .. "]"
end

---A function that writes any of these structs, fields below one another.
---@param dtype cudalua.dtype.DType
---@param values table[]  as tables of their fields
---@param writer fun(dtype: cudalua.dtype.DType, values: any[]): fun(x: any): string  for the fields
---@return fun(x: table): string
function M.writer(dtype, values, writer)
  local writers = {}
  for k, f in ipairs(dtype._fields) do
    local all = {}
    for _, v in ipairs(values) do
      text_of(v[f.name], f.extents or {}, 1, function(x)
        all[#all + 1] = x
        return ""
      end)
    end
    writers[k] = writer(f.dtype, all)
  end
  return function(v)
    local parts = {}
    for k, f in ipairs(dtype._fields) do
      parts[k] = f.name .. " = " .. text_of(v[f.name], f.extents or {}, 1, writers[k]):gsub(" +$", "")
    end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
end

return M
