-- Writes the reference manual: one page in docs/reference/ for each module of docs/contract.lua, from the
-- annotations in lua/ and docs/meta/. Run from the project's root, as ./dev docs does.
package.path = "./?.lua;" .. package.path
local contract = require "tools.check_contract"
local entries = require("tools.annotations").load()

-- A function that is a method, too, has the object as its first parameter.
local function is_self(row, entry, i, name)
  return name == "self" or i == 1 and row.name:find ":" and not entry.name:find ":"
end

local function heading(row, entry)
  if not entry or entry.kind ~= "function" then return row.name end
  local names = {}
  for i, name in ipairs(entry.arguments) do
    if not is_self(row, entry, i, name) then names[#names + 1] = name end
  end
  return ("%s(%s)"):format(row.name, table.concat(names, ", "))
end

local function describe(out, row)
  local entry = entries[contract.annotated_name(row)]
  out[#out + 1] = ("## `%s`\n"):format(heading(row, entry))
  if not entry then return end
  if #entry.text > 0 then out[#out + 1] = table.concat(entry.text, "\n") .. "\n" end
  for _, text in ipairs(entry.overloads) do out[#out + 1] = "- called as " .. text end
  for i, param in ipairs(entry.params) do
    if not is_self(row, entry, i, param.name) then
      out[#out + 1] = ("- `%s`%s %s"):format(param.name, param.optional and " (optional)" or "", param.type)
    end
  end
  for _, text in ipairs(entry.returns) do out[#out + 1] = "- returns " .. text end
  for _, text in ipairs(entry.raises) do out[#out + 1] = "- raises " .. text end
  if #entry.overloads + #entry.params + #entry.returns + #entry.raises > 0 then out[#out + 1] = "" end
end

local pages = {} -- prefix -> lines, in the order of the names
local rows = contract.rows(dofile "docs/contract.lua")
for _, row in ipairs(rows) do
  if not row.later then
    local page = pages[row.prefix]
    if not page then
      page = { ("# %s\n\nGenerated from the annotations in the source.\n"):format(row.prefix) }
      pages[row.prefix] = page
    end
    describe(page, row)
  end
end

os.execute "mkdir -p docs/reference"
for prefix, lines in pairs(pages) do
  local path = ("docs/reference/%s.md"):format(prefix)
  local out = assert(io.open(path, "w"))
  out:write((table.concat(lines, "\n"):gsub("\n+$", "")), "\n")
  out:close()
  print(path)
end
