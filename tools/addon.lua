-- Writes the addon for editors with lua-language-server: definitions of everything that programs can use, from the
-- annotations in lua/ and docs/meta/.
--   luajit tools/addon.lua FOLDER CONSTANTS [DEPFILE]   FOLDER/config.json and FOLDER/library/; run from the project's
--                                             root. CONSTANTS: what tools/gen_constants.lua wrote; DEPFILE: gets the
--                                             names of the files that all is made of
-- The modules that load late are fields of `cuda` here, and each function's options are a class with what is said of
-- each option, also where the annotation refers to another function's.
package.path = "./?.lua;" .. package.path
local constants_list = require "tools.constants_list"
local help_options = require "tools.help_options"
local luals_types = require "tools.luals_types"
local public_api = require "tools.public_api"
local public_names = require "tools.public_names"

local M = {}

-- Modules that are another one under a second name.
local ALIASES = { ["cudalua.cumath"] = "cudalua.math", ["cudalua.curandom"] = "cudalua.random",
  ["cudalua.driver"] = "cudalua" }

-- weakNilCheck: ffi.sizeof() is `integer|nil` in the server's own definitions, so that cuda.mem_alloc(ffi.sizeof(a))
-- would be a warning.
local CONFIG = [[
{
  "name": "cudalua",
  "words": ["require[%s%(\"']+cudalua"],
  "settings": {
    "Lua.runtime.version": "LuaJIT",
    "Lua.type.weakNilCheck": true
  }
}
]]

local function sorted(set)
  local list = {}
  for key in pairs(set) do list[#list + 1] = key end
  table.sort(list)
  return list
end

---What is written, while it is gathered.
---@class addon.Work: public_api.Api
---@field option_classes table<string, help_options.Option[]>  by the class's name
---@field constants table<string, constants_list.Constant[]>  by the table: ctx_flags
local Work = setmetatable({}, { __index = public_api.Api })
Work.__index = Work

local function new_work(constants)
  local work = public_api.load()
  work.option_classes, work.constants = {}, constants
  return setmetatable(work, Work)
end

-- ---- one declaration ------------------------------------------------------------------------------------------------

local function add_text(out, lines)
  for _, line in ipairs(lines) do out[#out + 1] = "---" .. line end
end

-- The class of a function's options: that of the function which a method is, too, if they are the same.
function Work:class_of_options(full)
  local name = full:gsub(":", ".")
  local list = self.options(full)
  local twin = name:match "^cudalua%.gpuarray%.Array%.([%w_]+)$"
  if twin then
    local others = self.options("cudalua.gpuarray." .. twin)
    local same = #others == #list
    for i, option in ipairs(list) do same = same and others[i].name == option.name end
    if same then name, list = "cudalua.gpuarray." .. twin, others end
  end
  name = name .. ".Options"
  self.option_classes[name] = list
  return name
end

-- `{axis: integer, stream: cudalua.Stream}|cudalua.Stream` with the class of the options instead of the braces; of
-- `any  {axis, out}, or the axis: a number or a list` what the words say.
function Work:type_of_options(full, type)
  local read = luals_types.read(type)
  if #self.options(full) == 0 or not type:find "[{]" and not read.rest:find "as for" then return type end
  if read.text:find "^cudalua[%w_%.]*ptions$" then return type end
  local others, depth = {}, 0
  for part in (read.text .. "|"):gmatch "([^|]*)|" do -- the types that are no braces
    local opened = select(2, part:gsub("[{(<]", ""))
    local closed = select(2, part:gsub("[})>]", ""))
    if depth == 0 and opened == 0 and part ~= "any" and part ~= "table" then others[#others + 1] = part end
    depth = depth + opened - closed
  end
  if read.text == "any" then
    if read.rest:find "axis: a number or a list" then
      others[#others + 1] = "integer|integer[]"
    else
      others[#others + 1] = "any"
    end
  end
  table.insert(others, 1, self:class_of_options(full))
  local said = read.rest:gsub("^%b{},?%s*", "") -- the class says what the braces do
  return table.concat(others, "|") .. (said ~= "" and "  " .. said or "")
end

-- One result. A union gets `any`: which of the types it is, the program knows, and the language server would warn. What
-- is said of a result without a name needs a mark, or its first word would be the name.
local function result(text)
  local read = luals_types.read(text)
  local rest = text:sub(#read.text + 1)
  if rest:find "^ [%a_][%w_]*, %a" then return text end -- `string image, string? log`: two in one line
  local type, mark = read.text, read.name and " " or "  # "
  local outer = type:gsub("%b<>", ""):gsub("%b()", ""):gsub("%b{}", "")
  if outer:find("|", 1, true) and not outer:find '"' and not outer:find "^fun" then type = type .. "|any" end
  type = type:gsub("(, [^<>,]*|[^<>,]*)>", "%1|any>") -- table<string, A|B>
  return type .. (read.rest ~= "" and mark .. read.rest or "")
end

local function is_options(name) return name == "options" or name == "opts" end

-- `fun(source: string, options?: {name: string}): X` as an overload, with a class for the options.
function Work:overload(full, text)
  return (text:gsub("(%f[%w_]opt[ion]*s%??: )(%b{})", function(before, braces)
    return before .. self:type_of_options(full, braces)
  end))
end

-- A parameter that the table of options may name, too, may be that table: linspace(0, 1, { num = 3 }).
function Work:type_of(full, param)
  local named = full:find "^cudalua%.gpuarray[%.:]" and help_options.NAMED[param.name]
  local read = named and luals_types.read(param.type)
  if not named or read.text == "any" then return param.type end
  for _, other in ipairs(self.entries[full].params) do
    if is_options(other.name) and self:type_of_options(full, other.type) ~= other.type then
      return ("%s|%s  %s"):format(read.text, self:class_of_options(full), read.rest)
    end
  end
  return param.type
end

function Work:add_function(out, variable, full)
  local entry = self.entries[full]
  add_text(out, entry.text)
  for _, text in ipairs(entry.raises) do add_text(out, { "", "Raises " .. text }) end
  for _, param in ipairs(entry.params) do
    local type = is_options(param.name) and self:type_of_options(full, param.type) or self:type_of(full, param)
    out[#out + 1] = ("---@param %s%s %s"):format(param.name, param.optional and "?" or "", type)
  end
  for _, text in ipairs(entry.overloads) do out[#out + 1] = "---@overload " .. self:overload(full, text) end
  for _, text in ipairs(entry.returns) do out[#out + 1] = "---@return " .. result(text) end
  local arguments = {}
  for _, name in ipairs(entry.arguments) do
    if name ~= "self" or not full:find ":" then arguments[#arguments + 1] = name end
  end
  out[#out + 1] = ("function %s%s(%s) end"):format(variable, full:match "[%.:][%w_]+$", table.concat(arguments, ", "))
  out[#out + 1] = ""
end

-- Objects whose attributes are fields: the tables of constants with their names.
local ATTRIBUTES = { ["cudalua.Device"] = "device_attribute", ["cudalua.Function"] = "function_attribute" }

-- Every table of constants as a class: cudalua.constants.ctx_flags.
function Work:add_constants(out)
  for _, name in ipairs(sorted(self.constants)) do
    out[#out + 1] = ("---@class cudalua.constants.%s: {[string]: integer}"):format(name)
    for _, constant in ipairs(self.constants[name]) do
      if constant.name:find "^[%a_]" then
        out[#out + 1] = ("---@field %s integer  %s"):format(constant.name, constant.cuda)
      end
    end
    out[#out + 1] = ""
  end
end

function Work:add_fields(out, class)
  local list = {}
  for _, constant in ipairs(self.constants[ATTRIBUTES[class]] or {}) do
    local name = constant.name:lower()
    if not self.entries[class .. ":" .. name] then
      list[#list + 1] = { name = name, type = "integer", place = 1000 }
    end
  end
  for _, full in ipairs(self.members[class] or {}) do
    local entry = self.entries[full]
    local name = full:match "[%w_]+$"
    if self:is_public(class, full) and entry.kind ~= "function" then
      local type
      if entry.kind == "class" then
        type = entry.class or full
      elseif entry.place then
        type = entry.text[1]
      else
        local constants = class == "cudalua" and self.constants[name] and "cudalua.constants." .. name
        type = (constants or entry.type or "any") .. "  " .. table.concat(entry.text, " ")
      end
      list[#list + 1] = { name = name, optional = entry.optional, type = type, place = entry.place or 0 }
    end
  end
  if class == "cudalua" then
    for module in pairs(self.modules) do
      local name = module:match "^cudalua%.([%w_]+)$"
      if name and not public_names.APART[name] and name ~= "gl" then
        list[#list + 1] = { name = name, type = module, place = -1 }
      end
    end
  end
  table.sort(list, function(a, b)
    if a.place ~= b.place then return a.place < b.place end
    return a.name < b.name
  end)
  for _, field in ipairs(list) do
    out[#out + 1] = ("---@field %s%s %s"):format(field.name, field.optional and "?" or "", field.type)
  end
end

-- Classes that are indexed with numbers and tables, or have any name of OpenGL.
local INDEXED = { ["cudalua.gpuarray.Array"] = { "integer", "table" },
  ["cudalua.ndarray.Array"] = { "integer", "table" }, ["cudalua.gl.functions"] = { "string" } }

function Work:add_class(out, class)
  local entry = self.entries[class] or { text = {}, overloads = {}, operators = {} }
  entry = entry.instance or entry
  local functions = {}
  for _, full in ipairs(self.members[class] or {}) do
    if self.entries[full].kind == "function" and self:is_public(class, full) then functions[#functions + 1] = full end
  end
  local text = entry.text
  if #text == 0 and self.found[class] then text = self.found[class].entry.text end
  add_text(out, text)
  local parent = self.parents[class] or entry.overloads[1] and "function" -- pcall(cuda.SourceModule, source)
  out[#out + 1] = ("---@class %s%s"):format(class, parent and ": " .. parent or "")
  for _, operator in ipairs(entry.operators) do out[#out + 1] = "---@operator " .. operator end
  for _, call in ipairs(entry.overloads) do out[#out + 1] = "---@overload " .. self:overload(class, call) end
  for _, key in ipairs(INDEXED[class] or {}) do out[#out + 1] = ("---@field [%s] any"):format(key) end
  self:add_fields(out, class)
  local variable = class:match "[%w_]+$"
  if self.modules[class] or functions[1] then out[#out + 1] = ("local %s = {}"):format(variable) end
  out[#out + 1] = ""
  for _, full in ipairs(functions) do self:add_function(out, variable, full) end
end

function Work:add_option_class(out, class)
  local of = public_names.shown(class:gsub("%.Options$", ""))
  out[#out + 1] = ("---Options of %s."):format(of)
  out[#out + 1] = "---@class " .. class
  for _, option in ipairs(self.option_classes[class]) do
    out[#out + 1] = ("---@field %s? %s%s"):format(option.name, option.type:gsub("%?$", ""),
      option.text ~= "" and "  " .. option.text or "")
  end
  out[#out + 1] = ""
end

-- ---- files ----------------------------------------------------------------------------------------------------------

---The files of the addon's library: path -> lines.
---@param constants string  the file that tools/gen_constants.lua wrote
---@return table<string, string[]>
function M.files(constants)
  local work = new_work(constants_list.read(constants))
  local homes, files = {}, {}
  for class in pairs(work.classes) do
    local home = work:home_of(class)
    homes[home] = homes[home] or {}
    if class ~= home then table.insert(homes[home], class) end
  end
  local texts = {}
  for home, classes in pairs(homes) do
    table.sort(classes)
    local out = {}
    if home == "cudalua" then work:add_constants(out) end
    for _, class in ipairs(classes) do work:add_class(out, class) end
    work:add_class(out, home)
    texts[home] = out
  end
  local options = {} -- behind all functions, which name them
  for _, class in ipairs(sorted(work.option_classes)) do
    local home = work:home_of(class)
    options[home] = options[home] or {}
    work:add_option_class(options[home], class)
  end
  for home, body in pairs(texts) do
    local out = { "---@meta " .. home, "-- Written by tools/addon.lua from cudalua's annotations.", "" }
    for _, part in ipairs { options[home] or {}, body } do
      for _, line in ipairs(part) do out[#out + 1] = line end
    end
    out[#out + 1] = "return " .. home:match "[%w_]+$"
    files[home:gsub("%.", "/") .. ".lua"] = out
  end
  for alias, module in pairs(ALIASES) do
    files[alias:gsub("%.", "/") .. ".lua"] = { "---@meta " .. alias, ("return require %q"):format(module) }
  end
  return files
end

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

---Writes the addon.
---@param folder string
---@param constants string  as for files()
function M.write(folder, constants)
  os.execute(("rm -rf '%s' && mkdir -p '%s/library/cudalua'"):format(folder, folder))
  write(folder .. "/config.json", CONFIG)
  for path, lines in pairs(M.files(constants)) do
    write(folder .. "/library/" .. path, table.concat(lines, "\n") .. "\n")
  end
end

-- For ninja: the target depends on all Lua files that are read.
local function write_depfile(path, folder)
  local list = assert(io.popen "find lua docs tools -name '*.lua' | LC_ALL=C sort | sed \"s|^|$PWD/|\"")
  local names = list:read("*a"):gsub(" ", "\\ "):gsub("\n", " ")
  list:close()
  write(path, ("%s: %s\n"):format(folder, names))
end

if arg and arg[0] and arg[0]:match "addon%.lua$" then
  if not arg[2] then error("usage: luajit tools/addon.lua FOLDER CONSTANTS [DEPFILE]", 0) end
  M.write(arg[1], arg[2])
  if arg[3] then write_depfile(arg[3], arg[1]) end
end

return M
