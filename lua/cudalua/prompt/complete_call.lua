-- What can stand where the cursor is in a call: names of options between its braces, strings that an argument or an
-- option may be, methods of what a call returns. The help index knows them; no function of a program is called.

local find, gmatch, match, sub = string.find, string.gmatch, string.match, string.sub
local concat, insert, ipairs, pcall, require = table.concat, table.insert, ipairs, pcall, require

local lexer = require "cudalua.prompt.lexer"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

-- Loaded when a call is completed first.
local entries, values
local function load_index()
  if entries then return end
  entries, values = require "cudalua.help.entries", require "cudalua.help.values"
end

local opens = { ["("] = true, ["{"] = true, ["["] = true }
local closes = { [")"] = true, ["}"] = true, ["]"] = true }

-- The bracket that is open behind the last token, and how many commas stand behind it.
local function open_bracket(tokens, last)
  local depth, commas = 0, 0
  for i = last, 1, -1 do
    local word = tokens[i].kind == "operator" and tokens[i].word
    if closes[word] then
      depth = depth + 1
    elseif opens[word] then
      if depth == 0 then return i, commas end
      depth = depth - 1
    elseif word == "," and depth == 0 then
      commas = commas + 1
    end
  end
end

local function is(tokens, i, word) return tokens[i] and tokens[i].kind == "operator" and tokens[i].word == word end

-- ---- what is called -------------------------------------------------------------------------------------------------

-- The value of a dotted name that ends with token `last`.
local function dotted(tokens, last, resolve)
  if not tokens[last] or tokens[last].kind ~= "name" then return nil end
  local first, names = last, { tokens[last].word }
  while is(tokens, first - 1, ".") and tokens[first - 2] and tokens[first - 2].kind == "name" do
    first = first - 2
    insert(names, 1, tokens[first].word)
  end
  if is(tokens, first - 1, ".") or is(tokens, first - 1, ":") then return nil end
  return resolve(concat(names, "."))
end

local class_at

-- The entry of the function, method or object that ends with token `last`.
local function entry_at(tokens, last, resolve)
  local token = tokens[last]
  if not token or token.kind ~= "name" then return nil end
  if is(tokens, last - 1, ":") then
    local class = class_at(tokens, last - 2, resolve)
    local own = class and entries.by_name[class.name .. ":" .. token.word]
    return own or entries.named(token.word)[1]
  end
  local value = dotted(tokens, last, resolve)
  if value == nil then return entries.named(token.word)[1] end
  local ok, entry = pcall(values.find, value)
  return ok and entry or nil
end

-- Where the call begins that ends with token `last`: its last token before the arguments.
local function callee(tokens, last)
  if tokens[last] and tokens[last].kind == "string" then return last - 1 end
  if not (is(tokens, last, ")") or is(tokens, last, "}")) then return nil end
  local open = open_bracket(tokens, last - 1)
  return open and open - 1
end

local function class_in(text)
  for name in gmatch(text or "", "cuda[%w_.]*%.%u%w*") do
    local entry = entries.by_name[name]
    if entry and entry.kind == "class" then return entry end
  end
end

-- The entry of the class of the value that ends with token `last`.
function class_at(tokens, last, resolve)
  local before = callee(tokens, last)
  if not before then
    local value = dotted(tokens, last, resolve)
    local ok, class = pcall(values.class_of, value)
    return ok and class or nil
  end
  local entry = entry_at(tokens, before, resolve)
  if not entry then return nil end
  if entry.kind ~= "class" then return class_in(entries.text(entry)["return"][1]) end
  for _, call in ipairs(entries.text(entry).call) do
    local class = class_in(match(call, "^fun%b():?(.*)$"))
    if class then return class end
  end
  return entry
end

-- The call that is open behind the tokens: its entry, which argument comes next, and whether that is in a table.
local function open_call(tokens, resolve)
  local bracket, commas = open_bracket(tokens, #tokens)
  if not bracket or is(tokens, bracket, "[") then return nil end
  local entry = entry_at(tokens, bracket - 1, resolve)
  if is(tokens, bracket, "(") then return entry, commas + 1, false end
  if is(tokens, bracket - 1, "(") or is(tokens, bracket - 1, ",") then
    local outer, before = open_bracket(tokens, bracket - 1)
    if not outer or not is(tokens, outer, "(") then return nil end
    return entry_at(tokens, outer - 1, resolve), before + 1, true
  end
  return entry, 1, true
end

-- ---- names and strings ----------------------------------------------------------------------------------------------

---Names of options, if the cursor is where one may begin between the braces of a call.
---@param before string  the text up to the word
---@param resolve fun(path: string): any  the value of a dotted name
---@return string[]
function M.options(before, resolve)
  local tokens = lexer.tokens(before)
  if not (is(tokens, #tokens, "{") or is(tokens, #tokens, ",")) then return {} end
  load_index()
  local entry, _, in_table = open_call(tokens, resolve)
  local list = {}
  if entry and in_table then
    for name in pairs_of(entries.text(entry).options) do list[#list + 1] = name end
  end
  return list
end

local dtypes = {}
for name in gmatch("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 " ..
  "complex64 complex128", "%S+") do
  dtypes[#dtypes + 1] = name
end

-- The strings that a parameter's annotation allows.
local function strings_of(part)
  if find(part.name, "dtype") or find(part.text, "as for dtype.of", 1, true) then return dtypes end
  local list = {}
  for text in gmatch(part.type, '"([^"]*)"') do list[#list + 1] = text end
  return list
end

---What a string may be that begins behind the text: `dtype = "|`, `astype "|`, `{ order = "|`.
---@param before string  the text up to the quote
---@param resolve fun(path: string): any
---@return string[]
function M.strings(before, resolve)
  local tokens = lexer.tokens(before)
  local last = #tokens
  local option = is(tokens, last, "=") and tokens[last - 1] and tokens[last - 1].kind == "name" and
    tokens[last - 1].word
  if option == "dtype" then return dtypes end
  load_index()
  local entry, place, in_table
  if tokens[last] and tokens[last].kind == "name" then
    entry, place = entry_at(tokens, last, resolve), 1
  else
    entry, place, in_table = open_call(tokens, resolve)
  end
  if not entry then return {} end
  if entry.name == "cuda.dtype" or entry.name == "cuda.dtype.of" then return dtypes end
  local text = entries.text(entry)
  if option then
    local known = in_table and text.options[option]
    return known and known ~= true and known or {}
  end
  local part = not in_table and text.param[place]
  return part and strings_of(part) or {}
end

---The names that help takes: last parts, and behind a point or a colon whole names.
---@param typed string
---@return string[]
function M.topics(typed)
  load_index()
  local list, whole = {}, find(typed, "[.:]") ~= nil
  for _, entry in ipairs(entries.list) do
    list[#list + 1] = whole and entry.name or match(entry.name, "[%w_]+$")
    if whole then list[#list + 1] = match(entry.name, "^cuda%.(.*)$") end
  end
  return list
end

---The entry of the class of what stands before a dot or a colon, if that is a call: `f(x):`, `f { x }.`.
---@param before string  the text up to the dot or colon
---@param resolve fun(path: string): any
---@return cudalua.help.Entry?
function M.class(before, resolve)
  local tokens = lexer.tokens(before)
  if not callee(tokens, #tokens) then return nil end
  load_index()
  return class_at(tokens, #tokens, resolve)
end

---Names of a class: methods, or fields.
---@param class cudalua.help.Entry
---@param separator string  ":" or "."
---@return string[]
function M.members(class, separator)
  local list = {}
  if separator == "." then
    for _, field in ipairs(entries.text(class).field) do list[#list + 1] = field.name end
  end
  for _, entry in ipairs(entries.list) do
    if sub(entry.name, 1, #class.name + 1) == class.name .. ":" then
      list[#list + 1] = sub(entry.name, #class.name + 2)
    end
  end
  return list
end

return M
