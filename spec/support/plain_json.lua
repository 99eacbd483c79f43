-- JSON as plain Lua tables: for talking to programs. null is nil; an empty table is written as an object.
local json = require "cudalua.files.json"

local M = {}

local function plain(value)
  if value == json.null then return nil end
  if type(value) ~= "table" then return value end
  local out = {}
  if value.kind == "array" then
    for i = 1, value.count do out[i] = plain(value[i]) end
  else
    for key, one in pairs(value.values) do out[key] = plain(one) end
  end
  return out
end

local function record(value)
  if type(value) ~= "table" then return value end
  if value == json.null then return value end
  local list = {}
  if #value > 0 or value.array then
    for i = 1, #value do list[i] = record(value[i]) end
    return json.array(list)
  end
  for key, one in pairs(value) do
    list[#list + 1] = key
    list[#list + 1] = record(one)
  end
  return json.object(list)
end

M.null = json.null

---@param text string
---@return any
function M.decode(text) return plain(json.decode(text, function(why) error("JSON: " .. why, 0) end)) end

---@param value any
---@return string
function M.encode(value) return json.encode(record(value)) end

return M
