-- Options of functions as the annotations describe them: which names the table of options takes, with their types,
-- which strings they may be, and what is said of them.
local luals_types = require "tools.luals_types"

local M = {}

-- Types of options that a list of names alone gives: {axis, out}.
local USUAL = {
  allocator = "fun(bytes: integer): any", axis = "integer|integer[]", ddof = "number", keepdims = "boolean",
  method = "string", out = "cudalua.gpuarray.Array", returned = "boolean", stream = "cudalua.Stream",
}

-- Parameters of arrays' functions that a table may name, too, from the second one on (base/surplus.lua).
local NAMED = { axis = "axis", axes = "axis", bins = "bins", dtype = "dtype", k = "k", num = "num", step = "step" }

M.NAMED = NAMED

---The parts of a text between commas that stand in no bracket.
---@param text string
---@return string[]
function M.parts(text)
  local list, depth, from = {}, 0, 1
  for at, c in text:gmatch "()([,%(%){}%[%]<>])" do
    if c == "," then
      if depth == 0 then
        list[#list + 1] = text:sub(from, at - 1)
        from = at + 1
      end
    else
      depth = depth + (c:find "[%({%[<]" and 1 or -1)
    end
  end
  list[#list + 1] = text:sub(from)
  return list
end

-- The strings that a type allows: "C"|"F" of `"C"|"F"`; nil if there are none.
local function strings_of(type)
  local list = {}
  for text in (type or ""):gmatch '"[^"%s]*"' do list[#list + 1] = text end
  return #list > 0 and table.concat(list, "|") or nil
end

-- What is said of options that need no words of their own.
local USUAL_TEXTS = {
  allocator = "a function that allocates the result: it takes a number of bytes and returns device memory",
  out = "an array that receives the result, instead of a new one", dtype = "the dtype of the result, as for dtype.of",
  stream = "the stream to run in; default: the current stream",
  axis = "an axis, from 1; negative numbers count from the last axis",
  keepdims = "keep each reduced axis, with an extent of 1",
  pinned = "allocate page-locked memory, as cuda.pagelocked_empty does",
  managed = "allocate managed memory, as cuda.managed_empty does", equal_nan = "count two NaNs as equal",
  rtol = "the relative tolerance", atol = "the absolute tolerance",
}
local ORDER = 'C (default): the last axis changes fastest; F: the first axis does' -- of the type "C"|"F"

---An option.
---@class help_options.Option
---@field name string
---@field type string     of LuaLS, "any" if nothing tells
---@field strings? string  those that it may be, as "a"|"b"
---@field text string     what is said of it, or nothing

-- What a function takes, in order and by name. The first one to say something of an option decides.
local function new_found() return { list = {}, by_name = {} } end

local function add(found, name, type, text, strings)
  strings = strings or strings_of(type)
  local known = found.by_name[name]
  if known then
    known.strings = known.strings or strings
    if known.type == "any" and type ~= "" then known.type = type end
    if known.text == "" then known.text = text or "" end
    return
  end
  if type == "" then type = USUAL[name] or "any" end
  local option = { name = name, type = type, strings = strings, text = text or "" }
  found.by_name[name] = option
  found.list[#found.list + 1] = option
end

-- What a text says of an option, `axis: from 1, or -1`: up to the next option, or the end of the sentences.
local function said_of(name, text, names)
  local from = text:match("%f[%w_]" .. name .. ": ()") or text:match("%f[%w_]" .. name .. " (=) ")
  if not from then return "" end
  if from == "=" then from = text:match("()%f[%w_]" .. name .. " = ") end
  local to = #text
  for _, other in ipairs(names) do
    local at = text:find("[,;%.]? %f[%w_]" .. other .. "%f[^%w_]:? ?=? ", from)
    while at and not text:find("^[,;%.]? " .. other .. ":", at) and not text:find("^[;%.] " .. other .. " ", at) do
      at = text:find("[,;%.]? %f[%w_]" .. other .. "%f[^%w_]:? ?=? ", at + 1)
    end
    if at and at - 1 < to then to = at - 1 end
  end
  return (text:sub(from, to):gsub("[,;%.%s]+$", ""))
end

-- Adds the names of `{axis: integer, out}`. With `assigned`, only if each has a value: `{order = "F"}`. Returns true if
-- the braces are a table of options.
local function add_braced(found, braces, assigned, text)
  local options, names = {}, {}
  for _, part in ipairs(M.parts(braces:sub(2, -2))) do
    local name, mark, type = part:match "^%s*([%a_][%w_]*)%??%s*([:=]?)%s*(.-)%s*$"
    if not name or mark == "" and type ~= "" or mark == "=" and type == "" or assigned and mark ~= "=" then return end
    options[#options + 1] = { name, mark == "=" and (strings_of(type) or "any") or type }
    names[#names + 1] = name
  end
  for _, option in ipairs(options) do add(found, option[1], option[2], said_of(option[1], text, names)) end
  return true
end

local function add_class(found, fields)
  for _, field in ipairs(fields) do
    local type = luals_types.read(field.type)
    add(found, field.name, type.text, type.rest, strings_of(field.type))
  end
end

local function is_options(name) return name == "options" or name == "opts" end

-- Those of one type with its text. `of(name)` has the options of another function.
local function add_type(found, text, whole, classes, of)
  for class in text:gmatch "cudalua%.[%w_%.]*ptions" do add_class(found, classes[class] or {}) end
  local has_braces = false
  for braces, after in text:gmatch "(%b{})()" do -- those after the options are values: range: {low, high}
    has_braces = add_braced(found, braces, not whole and not text:find "^{", text:sub(after))
    if has_braces then break end
  end
  local other = whole and text:match "%sas for ([%w_%.]+)"
  if other then -- with options of its own, the others' words alone
    for _, option in ipairs(of(other:gsub("%.$", "")).list) do
      if found.by_name[option.name] or not has_braces and not text:find("without " .. option.name, 1, true) then
        add(found, option.name, option.type, option.text, option.strings)
      end
    end
  end
end

---The options of functions and of classes that can be called, by full name, in the order of the annotations.
---@param entries table<string, annotations.Entry>
---@param fields table<string, {name: string, type: string}[]>  of classes, in their order
---@return fun(name: string): help_options.Option[]
function M.records(entries, fields)
  local known = {}
  local function of(full)
    if known[full] then return known[full] end
    local entry, found = entries[full], new_found()
    known[full] = found
    if not entry then return found end
    local function other(name)
      local owner = full:match "^(.*[%.:])[%w_]+$"
      local short = name:match "[%w_]+$"
      return of(entries[owner .. short] and owner .. short or "cudalua." .. name)
    end
    local of_arrays = full:find "^cudalua%.gpuarray[%.:]"
    local is_method = full:find ":" ~= nil
    local short = full:match "^cudalua%.random%.Generator:([%w_]+)$" or full:match "^cudalua%.random%.([%w_]+)$"
    local of_generators = short and entries["cudalua.random.Generator:" .. short] ~= nil -- which take all by name
    for i, param in ipairs(entry.params) do
      add_type(found, param.type, is_options(param.name), fields, other)
      local named = of_arrays and (i > 1 or is_method) and NAMED[param.name] or
        of_generators and not is_options(param.name) and param.name
      if named then
        local type = luals_types.read(param.type)
        add(found, named, type.text, type.rest, strings_of(param.type))
      end
    end
    for _, call in ipairs(entry.overloads) do
      for _, part in ipairs(M.parts((call:match "%b()" or "()"):sub(2, -2))) do
        local name, type = part:match "^%s*([%a_][%w_]*)%??:%s*(.*)$"
        if name then add_type(found, type, is_options(name), fields, other) end
      end
    end
    return found
  end
  return function(name)
    local list = of(name).list
    for _, option in ipairs(list) do
      if option.text == "" then
        option.text = option.type == '"C"|"F"' and ORDER or USUAL_TEXTS[option.name] or ""
      end
    end
    return list
  end
end

---As records(), as help() wants it.
---@param entries table<string, annotations.Entry>
---@param fields table<string, {name: string, type: string}[]>
---@return fun(name: string): table<string, string|true>  option -> the strings that it may be, as "a"|"b"
function M.reader(entries, fields)
  local records = M.records(entries, fields)
  return function(name)
    local set = {}
    for _, option in ipairs(records(name)) do set[option.name] = option.strings or true end
    return set
  end
end

return M
