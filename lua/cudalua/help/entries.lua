-- Reads the index of reference entries (help/index.lua), which ./dev generate writes from the annotations.
--
-- A line `# PAGE` names the manual's page of what follows. An entry begins with a line `= NAME(ARGUMENTS)`, or with
-- `= NAME KIND` if it is no function. Behind `= NAME(ARGUMENTS) = OTHER` stands nothing: the text is the other's. Lines
-- without a tag are sentences. Tags: `call` how an object is called, `param`, `return`, `raise`, `field` of a class,
-- `type` of a field, and `options`, the names that a table of options takes, with the strings that they may be:
-- `order="C"|"F"`.

local byte, find, gmatch, gsub, match, sub = string.byte, string.find, string.gmatch, string.gsub, string.match,
  string.sub
local insert, ipairs = table.insert, ipairs

local index = require "cudalua.help.index"

local M = {}

---@class cudalua.help.Entry
---@field name string         "cuda.gpuarray.sum"
---@field kind "function"|"class"|"module"|"field"
---@field arguments? string   of a function: "a, options"
---@field twin? string        the entry that has its text
---@field page string         of the manual
---@field from integer        where its text is in the index
---@field to integer

---All entries, in the index's order.
---@type cudalua.help.Entry[]
M.list = {}

---@type table<string, cudalua.help.Entry>
M.by_name = {}

local function entry_of(head, page, from)
  local open = find(head, "(", 1, true)
  if not open then
    local name, kind = match(head, "^(%S+) (%l+)$")
    return { name = name, kind = kind, page = page, from = from }
  end
  local close = find(head, ")", open, true)
  return { name = sub(head, 1, open - 1), kind = "function", arguments = sub(head, open + 1, close - 1),
    twin = close < #head and sub(head, close + #") = ") or nil, page = page, from = from }
end

local EQUALS, NUMBER_SIGN = 61, 35

local function read()
  local page, last
  local from = 1
  while from <= #index do
    local stop = find(index, "\n", from, true) or #index
    local mark = byte(index, from)
    if mark == EQUALS or mark == NUMBER_SIGN then
      local head = sub(index, from + 2, stop - 1)
      if last then last.to = from - 1 end
      last = mark == EQUALS and entry_of(head, page, stop + 1) or nil
      if last then M.list[#M.list + 1], M.by_name[last.name] = last, last else page = head end
    end
    from = stop + 1
  end
  last.to = #index
end
read()

local by_end -- "Array:sum" and "sum" -> entries

-- All entries under each of their names' ends.
local function ends()
  if by_end then return by_end end
  by_end = {}
  for _, entry in ipairs(M.list) do
    local at = 1
    while at do
      local name = sub(entry.name, at)
      by_end[name] = by_end[name] or {}
      insert(by_end[name], entry)
      at = match(entry.name, "[.:]()", at)
    end
  end
  return by_end
end

-- ---- by name --------------------------------------------------------------------------------------------------------

-- Of names with the same end: modules, then arrays of the device, then the module `cuda`, then its SourceModule.
local function rank(entry)
  if entry.kind == "module" then return 0 end
  local method = find(entry.name, ":", 1, true) and 1 or 0
  if find(entry.name, "^cuda%.gpuarray%.") then return 1 + method end
  if find(entry.name, "^cuda%.[%w_]+$") or find(entry.name, "^cuda%.SourceModule:") then return 3 end
  return 4 + method
end
M.rank = rank

---Does another entry have the same name for ordinary arrays?
---@param entry cudalua.help.Entry
---@param among table<string, any>  by the names of entries
---@return string? short  the name, without those it is in, of functions and methods of distributed arrays
---@return boolean counterpart
function M.counterpart(entry, among)
  local short = match(entry.name, "^cuda%.distributed%.Array:([%w_]+)$") or
    match(entry.name, "^cuda%.distributed%.(%l[%w_]*)$")
  return short, short and (among["cuda.gpuarray." .. short] or among["cuda.gpuarray.Array:" .. short]) and true or false
end

---The entries that a name may mean, the likeliest first. A method whose function is among them is left out.
---@param name string  "cuda.gpuarray.sum", "gpuarray.sum", "Array:sum", "sum"
---@return cudalua.help.Entry[]
function M.named(name)
  name = gsub(name, "^cudalua%.", "cuda.")
  local all, list, there = ends()[name] or {}, {}, {}
  for _, entry in ipairs(all) do there[entry.name] = true end
  for _, entry in ipairs(all) do
    local _, is_counterpart = M.counterpart(entry, there)
    if not (entry.twin and there[entry.twin]) and not is_counterpart then
      local at = 1
      while list[at] and rank(list[at]) <= rank(entry) do at = at + 1 end
      insert(list, at, entry)
    end
  end
  return list
end

-- ---- an entry's text ------------------------------------------------------------------------------------------------

---A parameter or a field.
---@class cudalua.help.Part
---@field name string
---@field optional boolean
---@field type string   "" if it may be anything
---@field text string

---@class cudalua.help.Text
---@field lines string[]
---@field call string[]    how an object is called
---@field param cudalua.help.Part[]
---@field field cudalua.help.Part[]
---@field ["return"] string[]
---@field raise string[]
---@field ["type"] string[]  of a field
---@field options table<string, string[]|true>  name -> the strings that it may be

-- The first word of a text with its brackets: a type.
local function type_of(text)
  local at = 1
  while at <= #text do
    local behind = match(text, "^%b()()", at) or match(text, "^%b{}()", at) or match(text, "^%b<>()", at) or
      match(text, "^:%s()", at)
    if not behind and find(text, "^%s", at) then break end
    at = behind or at + 1
  end
  return sub(text, 1, at - 1), (match(text, "^%s*(.*)$", at))
end

local function part_of(text)
  local name, mark, rest = match(text, "^([^%s?]+)(%??)%s*(.*)$")
  local kind, about = type_of(rest)
  if kind == "any" then kind = "" end
  return { name = name, optional = mark ~= "" or find(kind, "?$") ~= nil, type = kind, text = about }
end

local function options_of(text)
  local options = {}
  for name, strings in gmatch(text, "([%w_]+)=?(%S*)") do
    local list = {}
    for one in gmatch(strings, '"([^"]*)"') do list[#list + 1] = one end
    options[name] = list[1] and list or true
  end
  return options
end

---What the index says of an entry; of a twin what it says of the other one, with the parameters of this one.
---@param entry cudalua.help.Entry
---@return cudalua.help.Text
function M.text(entry)
  local of = entry.twin and M.by_name[entry.twin] or entry
  local text = { lines = {}, call = {}, param = {}, field = {}, ["return"] = {}, raise = {}, type = {}, options = {} }
  for line in gmatch(sub(index, of.from, of.to), "([^\n]*)\n") do
    local tag, rest = match(line, "^@(%l+) (.*)$")
    if tag == "options" then
      text.options = options_of(rest)
    elseif tag == "param" or tag == "field" then
      insert(text[tag], part_of(rest))
    else
      insert(text[tag] or text.lines, rest or line)
    end
  end
  if entry.twin then
    local own, params = {}, {}
    for name in gmatch(entry.arguments, "[^,%s]+") do own[name] = true end
    for _, param in ipairs(text.param) do
      if own[param.name] then insert(params, param) end
    end
    text.param = params
  end
  return text
end

---The first sentence of an entry.
---@param entry cudalua.help.Entry
---@return string
function M.sentence(entry)
  local of = entry.twin and M.by_name[entry.twin] or entry
  local text = match(gsub(sub(index, of.from, of.to), "^@type [^\n]*\n", ""), "^[^@]*")
  text = gsub(text, "%s+", " ")
  local stop = find(text, "[.?!:;] %u") or find(text, "%. ?$")
  return (gsub(sub(text, 1, stop or -1), "[%s:;]+$", ""))
end

return M
