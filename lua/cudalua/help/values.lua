-- Which entry a value has: a function, a class or a module by identity, an object by its class. Nothing is loaded, and
-- no function of a program is called.

local find, gmatch, gsub, match = string.find, string.gmatch, string.gsub, string.match
local getmetatable, ipairs, loaded, rawget, type = debug.getmetatable, ipairs, package.loaded, rawget, type

local entries = require "cudalua.help.entries"
local library = require "cudalua.base.names"

local M = {}

-- A name in a table, or in the tables behind its __index.
local function field(t, name)
  for _ = 1, 4 do
    if type(t) ~= "table" then return nil end
    local value = rawget(t, name)
    if value ~= nil then return value end
    local mt = getmetatable(t)
    t = type(mt) == "table" and rawget(mt, "__index")
  end
end

-- What a name of the index stands for now; nil if it is not loaded.
local function resolve(name)
  local value = { cuda = loaded.cudalua, cudalua = loaded }
  for part in gmatch(name, "[^.:]+") do
    local found
    if value == loaded then found = loaded["cudalua." .. part] else found = field(value, part) end
    if found == nil and value == loaded.cudalua then found = loaded["cudalua." .. part] end
    if found == nil then return nil end
    value = found
  end
  return value
end

local by_value = setmetatable({}, { __mode = "k" })

local kinds = { ["function"] = true, table = true }

-- A method that is a function, too, has the function's entry.
local function read()
  by_value = setmetatable({}, { __mode = "k" })
  for _, mark in ipairs { "", ":" } do
    for _, entry in ipairs(entries.list) do
      local value = (find(entry.name, ":", 1, true) and ":" or "") == mark and resolve(entry.name)
      if kinds[type(value)] and not by_value[value] then by_value[value] = entry end
    end
  end
end

---The entry of a function, a class or a module.
---@param value any
---@return cudalua.help.Entry?
function M.entry_of(value)
  if not kinds[type(value)] or not loaded.cudalua then return nil end
  if not by_value[value] then read() end -- the library loads its parts when they are asked for
  return by_value[value]
end

-- The class with such a name: of the module, else any.
local function class_named(name)
  local own = entries.by_name["cuda." .. name]
  if own then return own.kind == "class" and own or nil end
  for _, entry in ipairs(entries.named(name)) do
    if entry.kind == "class" then return entry end
  end
end

local tags = { ["cudalua.gpuarray"] = "cuda.gpuarray.Array", ["cudalua.ndarray"] = "cuda.ndarray.Array",
  ["cudalua.dtype"] = "cuda.dtype.DType" }

---The entry of an object's class.
---@param value any
---@return cudalua.help.Entry?
function M.class_of(value)
  local core, mt = loaded["cudalua.core"], getmetatable(value)
  if not core or type(mt) ~= "table" or value == loaded.cudalua then return nil end
  local kind = core.kind(value)
  if kind then return class_named(kind) end
  local tag = rawget(mt, "__metatable")
  if type(tag) ~= "string" then tag = rawget(mt, "__name") end
  if type(tag) == "string" then
    local name = tags[tag] or gsub(tag, "^cudalua%.", "cuda.")
    if entries.by_name[name] then return entries.by_name[name] end
  end
  local owner = library.owner_of(value)
  local class = owner and match(owner.text, "^an? (%u%w+)$")
  if class then return class_named(class) end
  local index = rawget(mt, "__index")
  local of = M.entry_of(index) or M.entry_of(mt)
  return of and of.kind == "class" and of or nil
end

---The entry of any value: of an element type its own, of another object its class.
---@param value any
---@return cudalua.help.Entry?
function M.find(value)
  local entry = M.entry_of(value) or M.class_of(value)
  if entry and entry.name == "cuda.dtype.DType" then
    return entries.by_name["cuda.dtype." .. tostring(type(value) == "table" and rawget(value, "name"))] or entry
  end
  return entry
end

---A function of the library as text: "function cuda.gpuarray.sum(a, options)"; nil for others.
---@param f function
---@return string?
function M.function_text(f)
  local entry = M.entry_of(f)
  return entry and "function " .. entry.name .. "(" .. (entry.arguments or "...") .. ")"
end

return M
