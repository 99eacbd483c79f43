-- The index that help() reads: what is said of every public name (public_names.lua).
-- lua/cudalua/help/entries.lua describes its format.
local annotations = require "tools.annotations"
local contract = require "tools.check_contract"
local help_options = require "tools.help_options"
local public_names = require "tools.public_names"

local M = {}

local shown = public_names.shown

local function sorted(set, before)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list, before)
  return list
end

-- ---- an entry -------------------------------------------------------------------------------------------------------

-- The function that a method is, too: with the same text and one parameter more.
local function twin_of(found, name)
  local short = name.full:match "^cudalua%.gpuarray%.Array:([%w_]+)$" or name.full:match "^cudalua%.math%.([%w_]+)$"
  local other = short and found["cudalua.gpuarray." .. short]
  if not other or other.entry.kind ~= "function" then return nil end
  local a, b = name.entry, other.entry
  if a == b then return other end
  local same = table.concat(a.text, "\n") == table.concat(b.text, "\n") and #a.params + 1 == #b.params
  return same and other or nil
end

local function heading(found, name)
  local entry, full = name.entry, shown(name.full)
  if entry.kind ~= "function" then
    local is_module = entry.kind == "class" and name.full:find "^cudalua%.?%l*$"
    return ("= %s %s"):format(full, is_module and "module" or entry.kind)
  end
  local twin = twin_of(found, name)
  local arguments = {}
  for i, argument in ipairs(entry.arguments) do
    local is_object = argument == "self" or twin and twin.entry == entry and i == 1 and full:find ":"
    if not is_object then arguments[#arguments + 1] = argument end
  end
  return ("= %s(%s)%s"):format(full, table.concat(arguments, ", "), twin and " = " .. shown(twin.full) or "")
end

local function fold(out, tag, text)
  out[#out + 1] = ("@%s %s"):format(tag, (shown(text):gsub("%s*$", "")))
end

local function options_line(options)
  local list = {}
  for i, option in ipairs(sorted(options)) do
    local strings = options[option]
    list[i] = strings == true and option or option .. "=" .. strings
  end
  return table.concat(list, " ")
end

local function describe(out, found, name, fields, options_of)
  local entry = name.entry
  local head = heading(found, name)
  out[#out + 1] = head
  if head:find(" = ", 1, true) then return end
  local lines = entry.text
  if entry.place then -- a field, which begins with its type
    local type, text = lines[1]:match "^(.-)%s%s+(.*)$"
    fold(out, "type", type or lines[1])
    lines = { text }
  end
  for _, line in ipairs(lines) do
    if line:find "^[=#@]" then error(name.full .. ": a sentence begins with a sign of the index: " .. line, 0) end
    out[#out + 1] = shown(line)
  end
  for _, call in ipairs(entry.overloads) do fold(out, "call", call) end
  for _, param in ipairs(entry.params) do
    fold(out, "param", ("%s%s %s"):format(param.name, param.optional and "?" or "", param.type))
  end
  for _, text in ipairs(entry.returns) do fold(out, "return", text) end
  for _, text in ipairs(entry.raises) do fold(out, "raise", text) end
  if head:find " class$" then
    for _, field in ipairs(fields[name.full] or {}) do
      fold(out, "field", ("%s%s %s"):format(field.name, field.optional and "?" or "", field.type))
    end
  end
  local options = options_line(options_of(name.full))
  if options ~= "" then fold(out, "options", options) end
end

---The lines of lua/cudalua/help/index.lua.
---@return string[]
function M.lines()
  local entries = annotations.load()
  local rows = contract.rows(dofile "docs/contract.lua")
  local fields = public_names.fields_by_class(entries)
  local found = public_names.find(entries, rows)
  local options_of = help_options.reader(entries, fields)
  local out = { "-- Written by ./dev generate from the annotations: what help() says of each name (help/entries.lua).",
    "return [==[" }
  local page
  for _, full in ipairs(sorted(found, function(a, b)
    a, b = found[a], found[b]
    if a.page ~= b.page then return a.page < b.page end
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.full < b.full
  end)) do
    local name = found[full]
    if name.page ~= page then
      page = name.page
      out[#out + 1] = "# " .. page
    end
    describe(out, found, name, fields, options_of)
  end
  out[#out + 1] = "]==]"
  return out
end

return M
