-- Reference entries as plain text that fits a width.

local concat, insert, ipairs, max, min = table.concat, table.insert, ipairs, math.max, math.min
local find, gmatch, gsub, match, rep, sub = string.find, string.gmatch, string.gsub, string.match, string.rep,
  string.sub
local sort = table.sort

local entries = require "cudalua.help.entries"
local pairs_of = require "cudalua.base.pairs_of"
local search = require "cudalua.help.search"

local M = {}

local LABEL = 20   -- columns of names, at most
local SHORT = 30   -- members of a class that have a line each

-- ---- laying out -----------------------------------------------------------------------------------------------------

-- Adds words in lines of at most `width` columns, the first behind `first`, the others behind as many blanks.
local function add_words(out, first, text, width)
  local line, indent, empty = first, rep(" ", #first), true
  for word in gmatch(text, "%S+") do
    if not empty and #line + 1 + #word > width then
      out[#out + 1] = line
      line, empty = indent, true
    end
    line = line .. (empty and "" or " ") .. word
    empty = false
  end
  out[#out + 1] = match(line, "^(.-)%s*$")
end

-- Adds sentences. Lines that are indented are no part of a paragraph: examples, and rows of a word and what it means.
local function add_lines(out, lines, width)
  local paragraph = {}
  local function flush()
    if #paragraph > 0 then add_words(out, "", concat(paragraph, " "), width) end
    paragraph = {}
  end
  for _, line in ipairs(lines) do
    local indent = match(line, "^%s+%S+%s%s+") or match(line, "^%s+") or line == "" and line
    if indent then
      flush()
      add_words(out, indent, sub(line, #indent + 1), width)
    else
      insert(paragraph, line)
    end
  end
  flush()
end

-- Adds rows of a label and a text, the texts below each other.
local function add_rows(out, rows, width)
  local column = 0
  for _, row in ipairs(rows) do column = max(column, min(#row[1], LABEL)) end
  for _, row in ipairs(rows) do
    local label = "  " .. row[1] .. rep(" ", column - #row[1]) .. "  "
    if #label > column + 4 then
      out[#out + 1] = match(label, "^(.-)%s*$")
      label = rep(" ", column + 4)
    end
    add_words(out, label, row[2], width)
  end
end

-- ---- entries --------------------------------------------------------------------------------------------------------

local function part_row(part)
  local kind = part.type
  if part.optional and find(kind, "?$") then kind = sub(kind, 1, -2) end
  if kind ~= "" and part.text ~= "" then kind = "(" .. kind .. ") " end
  return { part.name .. (part.optional and "?" or ""), kind .. part.text }
end

local function arguments_of(entry, text)
  local optional = {}
  for _, param in ipairs(text.param) do optional[param.name] = param.optional end
  return (gsub(entry.arguments, "[%w_]+", function(name) return name .. (optional[name] and "?" or "") end))
end

---How an entry is written: "cuda.gpuarray.sort(a, options?)".
---@param entry cudalua.help.Entry
---@param text? cudalua.help.Text
---@return string
function M.heading(entry, text)
  if not entry.arguments then return entry.name end
  return entry.name .. "(" .. arguments_of(entry, text or entries.text(entry)) .. ")"
end

-- The classes of options that parameters name.
local function option_rows(entry, text)
  local rows, seen = {}, {}
  local types = { concat(text.call, " ") }
  for _, param in ipairs(text.param) do types[#types + 1] = param.type end
  for class in gmatch(concat(types, " "), "cuda[%w_.]*ptions") do
    local of = entries.by_name[class]
    if of and of ~= entry and not seen[class] then
      seen[class] = true
      for _, field in ipairs(entries.text(of).field) do rows[#rows + 1] = part_row(field) end
    end
  end
  return rows
end

-- Names of the options, if the parameters do not list them.
local function option_names(text)
  local names = {}
  for _, param in ipairs(text.param) do
    if find(param.type .. param.text, "{", 1, true) or find(param.type, "ptions") then return {} end
  end
  for name in pairs_of(text.options) do names[#names + 1] = name end
  sort(names)
  return names
end

-- What a module or a class has, by name, but for classes of options.
local function members_of(entry)
  local list = {}
  for _, other in ipairs(entries.list) do
    local owner, name = match(other.name, "^(.*)[.:]([%w_]+)$")
    if owner == entry.name and not (other.kind == "class" and find(name, "ptions$")) then list[#list + 1] = other end
  end
  sort(list, function(a, b) return a.name < b.name end)
  return list
end

local KINDS = { module = "modules", class = "classes", ["function"] = "functions", field = "fields" }

-- The members of a module by kind, those of a class with a line each if they are few.
local function add_members(out, entry, width)
  local list, rows, of = members_of(entry), {}, {}
  local few = entry.kind == "class" and #list <= SHORT
  for _, member in ipairs(list) do
    local short = sub(member.name, #entry.name + 1)
    if few then
      rows[#rows + 1] = { short, entries.sentence(member) }
    else
      of[member.kind] = (of[member.kind] or "") .. " " .. gsub(short, "^%.", "")
    end
  end
  for _, kind in ipairs(few and {} or { "module", "class", "function", "field" }) do
    if of[kind] then rows[#rows + 1] = { entry.kind == "class" and "methods" or KINDS[kind], of[kind] } end
  end
  if #rows == 0 then return end
  out[#out + 1] = ""
  add_rows(out, rows, width)
end

local function closing_rows(entry, text, near)
  local rows = {}
  local method = match(entry.name, "^cuda%.gpuarray%.([%w_]+)$")
  method = method and entries.by_name["cuda.gpuarray.Array:" .. method]
  if entry.twin then
    local twin = entries.by_name[entry.twin]
    rows[1] = { "function", M.heading(twin) }
  elseif method and method.twin == entry.name then
    rows[1] = { "method", "a:" .. match(M.heading(method), "[%w_]+%(.*$") }
  end
  local names = option_names(text)
  if #names > 0 then rows[#rows + 1] = { "options", concat(names, ", ") } end
  local others = search.other_names(entry)
  if #others > 0 then rows[#rows + 1] = { "other names", concat(others, ", ") } end
  rows[#rows + 1] = { "manual", entry.page }
  if #near > 0 then rows[#rows + 1] = { "see also", concat(near, ", ") } end
  return rows
end

---An entry with all that the index says of it.
---@param entry cudalua.help.Entry
---@param width integer  columns
---@param near? string[]  names to look at, too
---@return string
function M.entry(entry, width, near)
  local text, out, rows = entries.text(entry), {}, {}
  add_words(out, "", M.heading(entry, text), width)
  if #text.lines > 0 then
    out[#out + 1] = ""
    add_lines(out, text.lines, width)
  end
  for _, kind in ipairs(text.type) do rows[#rows + 1] = { "type", kind } end
  for _, call in ipairs(text.call) do
    local arguments, about = match(call, "^fun(%b())%S*%s*(.*)$")
    if arguments then rows[#rows + 1] = { "call", match(entry.name, "[%w_]+$") .. arguments .. " " .. about } end
  end
  for _, param in ipairs(text.param) do rows[#rows + 1] = part_row(param) end
  for _, field in ipairs(entry.kind == "class" and text.field or {}) do
    local row = part_row(field)
    rows[#rows + 1] = { "." .. row[1], row[2] }
  end
  for _, kind in ipairs { "return", "raise" } do
    for _, line in ipairs(text[kind]) do rows[#rows + 1] = { kind .. "s", line } end
  end
  if #rows > 0 then
    out[#out + 1] = ""
    add_rows(out, rows, width)
  end
  local options = option_rows(entry, text)
  if #options > 0 then
    out[#out + 1] = ""
    out[#out + 1] = "options"
    add_rows(out, options, width)
  end
  if entry.kind == "class" or entry.kind == "module" then add_members(out, entry, width) end
  out[#out + 1] = ""
  add_rows(out, closing_rows(entry, text, near or {}), width)
  return concat(out, "\n")
end

---Entries with their first sentences.
---@param list cudalua.help.Entry[]
---@param most integer
---@param width integer
---@return string
function M.list(list, most, width)
  local out = {}
  for i = 1, min(#list, most) do
    local sentence = entries.sentence(list[i])
    local line = list[i].name .. (sentence ~= "" and "  " .. sentence or "")
    out[i] = #line <= width and line or sub(line, 1, max(width - 3, #list[i].name)) .. "..."
  end
  return concat(out, "\n")
end

---Sentences in lines.
---@param text string
---@param width integer
---@return string
function M.wrapped(text, width)
  local out = {}
  for line in gmatch(text .. "\n", "(.-)\n") do
    if find(line, "^%s") or line == "" then out[#out + 1] = line else add_words(out, "", line, width) end
  end
  return concat(out, "\n")
end

---Rows of a label and a text.
---@param rows {[1]: string, [2]: string}[]
---@param width integer
---@return string
function M.rows(rows, width)
  local out = {}
  add_rows(out, rows, width)
  return concat(out, "\n")
end

return M
