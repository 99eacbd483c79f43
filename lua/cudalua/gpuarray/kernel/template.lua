-- Texts in kernels/array and other folders of kernels/: files of CUDA C, in parts that begin with a line "//: name".

local devicecode = require "cudalua.base.devicecode"

local M = {}

local files = {}

---The parts of a file.
---@param name string  without .cu; of another folder than array: "random/states"
---@return table<string, string>
function M.parts(name)
  local parts = files[name]
  if not parts then
    parts = {}
    local text, at = devicecode.file(name:match "^(.*)/" or "array", name:match "[^/]*$" .. ".cu"), 1
    while true do
      local _, first, part = text:find("//: ([%w_]+)\n", at)
      if not first then break end
      local last = text:find("\n//: ", first, true) or #text
      parts[part] = text:sub(first + 1, last)
      at = last
    end
    files[name] = parts
  end
  return parts
end

---A part with its fields, @name@, filled in; a line that is nothing but an empty field goes.
---@param name string
---@param part string
---@param fields table<string, any>
---@return string
function M.fill(name, part, fields)
  local text = M.parts(name)[part]
  text = ("\n" .. text):gsub("\n@([%w_]+)@%f[\n]", function(field) return fields[field] == "" and "" or nil end)
  return (text:gsub("@([%w_]+)@", function(field)
    local value = fields[field]
    if value == nil then error(("kernels/array/%s.cu: unknown field %s"):format(name, field)) end
    return tostring(value)
  end)):sub(2)
end

return M
