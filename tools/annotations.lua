-- Reads LuaLS annotations: which names of the library are described in a source file, and how.
-- Names start with the module: `cudalua.Device:name`, `cudalua.softgpu.log`. A variable stands for what the @class
-- line above it says (after `---@class cudalua.Device` and `local Device = {}`, the function `Device:name` is
-- `cudalua.Device:name`); the variable that a file returns stands for the file's module.
local M = {}

---@class annotations.Entry
---@field name string  full name, `cudalua.Device:name`
---@field kind string  "function", "class" or "field"
---@field text string[]  the sentences, in order
---@field params table[]  { name=, type= } from @param, with the text behind
---@field overloads string[]  what stands behind @overload: how a class is called
---@field returns string[]  what stands behind @return
---@field raises string[]  what stands behind @raise
---@field arguments string[]  the parameters of the function itself, `...` included
---@field optional? boolean  a field of a class that may be left out
---@field place? integer  of a field among those of its class
---@field operators string[]  what stands behind @operator
---@field type? string  what stands behind @type
---@field class? string  of a name that holds something of another class, cuda.SourceModule: which one
---@field instance? annotations.Entry  of such a name that is a class, too: what is said of its instances
---@field file string
---@field line integer

local function new_block()
  return { text = {}, params = {}, overloads = {}, returns = {}, raises = {}, fields = {}, operators = {}, types = {} }
end

-- Tags whose list of the block holds one text for each, and those that hold { name=, type= }.
local plain = { overload = "overloads", ["return"] = "returns", raise = "raises", operator = "operators",
  type = "types" }
local named = { param = "params", field = "fields" }

-- A line without a tag continues the tag above it. The sentences of a block stand before its tags.
local function add_text(block, text)
  local list = block[plain[block.tag] or named[block.tag] or "text"]
  local last = list[#list]
  if list == block.text then
    list[#list + 1] = text
  elseif type(last) == "table" then
    last.type = last.type .. " " .. text:match "^%s*(.*)$"
  elseif last then
    list[#list] = last .. " " .. text:match "^%s*(.*)$"
  end
end

-- One `---` line into the block before a declaration.
local function add_line(block, line)
  local tag, rest = line:match "^%-%-%-%s*@([%a_]+)%s*(.*)$"
  if not tag then return add_text(block, (line:match "^%-%-%-%-*%s?(.*)$")) end
  block.tag = tag
  if tag == "class" then
    rest = rest:gsub("^%b()%s*", "")
    block.class, block.parent = rest:match "^([%a_][%w_%.]*)", rest:match "^[%a_][%w_%.]*%s*:%s*([%w_%.]*)" or ""
  elseif tag == "param" then
    local name, what = rest:match "^(%S+)%s*(.*)$"
    if name then
      block.params[#block.params + 1] = { name = name:gsub("%?$", ""), optional = name:match "%?$" ~= nil, type = what }
    end
  elseif plain[tag] then
    local list = block[plain[tag]]
    list[#list + 1] = rest
  elseif tag == "field" then
    local name, what = rest:gsub("^public%s+", ""):match "^(%S+)%s+(.*)$"
    if name then
      block.fields[#block.fields + 1] = { name = name:gsub("%?$", ""), optional = name:match "%?$" ~= nil, type = what }
    end
  end
end

-- `Device:name(a, b)` as the declaration of a function: its path and its parameters.
local function declared_function(line)
  local path, list = line:match "^%s*function%s+([%a_][%w_%.:]*)%s*(%b())"
  if not path then path, list = line:match "^%s*([%a_][%w_%.]*)%s*=%s*function%s*(%b())" end
  if not path then return end
  local arguments = {}
  for name in list:sub(2, -2):gmatch "[%w_%.]+" do arguments[#arguments + 1] = name end
  return path, arguments
end

-- `cuda.Device` with the public names of the file: the longest prefix that has one decides.
local function public_name(public, path)
  local owner, rest = path, ""
  while not public[owner] do
    local shorter, member = owner:match "^(.*)([%.:][%a_][%w_]*)$"
    if not shorter then return end
    owner, rest = shorter, member .. rest
  end
  return public[owner] .. rest
end

--- Adds the entries of one file.
---@param source string  the text
---@param file string  its path in the tree
---@param entries table<string, annotations.Entry>
---@param parents table<string, string>  class -> the class that it has the functions of, too
function M.parse(source, file, entries, parents)
  local public = {} -- variable of the file -> public name
  local module = file:match "^lua/(.*)%.lua$"
  local returned = source:match "\nreturn ([%a_][%w_]*)%s*$"
  if module and returned then public[returned] = module:gsub("/init$", ""):gsub("/", ".") end
  local block, number = new_block(), 0

  local function add(kind, name, arguments)
    local known = entries[name]
    if known and known.kind == "class" and (kind == "field" or #block.text == 0) then -- goes on with a class
      for _, list in ipairs { "overloads", "operators" } do
        for _, text in ipairs(block[list]) do table.insert(known[list], text) end
      end
      return
    end
    if known and known.kind == "class" then
      for i, text in ipairs(known.operators) do table.insert(block.operators, i, text) end
    end
    entries[name] = { name = name, kind = kind, text = block.text, params = block.params,
      overloads = block.overloads, returns = block.returns, raises = block.raises, arguments = arguments or {},
      operators = block.operators, type = block.types[1], file = file, line = number }
  end

  for line in (source .. "\n"):gmatch "(.-)\r?\n" do
    number = number + 1
    if line:match "^%s*%-%-%-" then
      add_line(block, (line:gsub("^%s+", "")))
    else
      local path, arguments = declared_function(line)
      local variable = line:match "^%s*local%s+([%a_][%w_]*)" or line:match "^([%a_][%w_%.]*)%s*=[^=]"
      if block.class then
        add("class", block.class)
        if block.parent ~= "" then parents[block.class] = block.parent end
        for place, field in ipairs(block.fields) do
          local name = block.class .. "." .. field.name
          if not entries[name] or entries[name].kind ~= "class" then -- a module has an entry of its own
            entries[name] = { name = name, kind = "field", text = { field.type }, params = {}, overloads = {},
              returns = {}, raises = {}, arguments = {}, operators = {}, optional = field.optional, place = place,
              file = file, line = number }
          end
        end
        -- `cuda.Device = ...` keeps its place in the module, whatever its class is called.
        local name = variable and variable:match "%." and public_name(public, variable)
        if name then
          local instance = entries[name]
          add("class", name)
          if name ~= block.class then
            entries[name].class = block.class
            if instance ~= entries[name] then entries[name].instance = instance end
          end
        elseif variable then
          public[variable] = block.class
        end
      elseif #block.text + #block.params + #block.returns > 0 and (path or variable) then
        local name = public_name(public, path or variable)
        if name then add(path and "function" or "field", name, arguments) end
      end
      block = new_block()
    end
  end
end

--- All entries of the tree: the Lua sources, and docs/meta for what is written in C.
---@return table<string, annotations.Entry>  also found by the names that a class has from its parent
---@return table<string, string> parents  class -> the class that it has the functions of, too
function M.load()
  local entries, parents = {}, {}
  local list = assert(io.popen("find lua docs/meta -name '*.lua' 2>/dev/null | LC_ALL=C sort"))
  for file in list:lines() do
    local source = assert(io.open(file))
    M.parse(source:read "*a", file, entries, parents)
    source:close()
  end
  list:close()
  return setmetatable(entries, { __index = function(_, name)
    local owner, member = tostring(name):match "^(.*)[%.:]([%a_][%w_]*)$"
    local parent = owner and parents[owner]
    return parent and (entries[parent .. "." .. member] or entries[parent .. ":" .. member])
  end }), parents
end

return M
