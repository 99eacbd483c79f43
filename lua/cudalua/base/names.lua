-- Modules and classes that raise for a name that they lack, where Lua gives nil. A known name costs nothing:
-- __index is asked after the table. What was meant is worked out when the error is made (suggest.lua).
--
-- Two kinds of keys stay nil: those that are not strings, and names that begin with "_". Lua, the FFI, printers and
-- comparisons ask any table for them. Numbers raise if an owner says how its elements are read.

local M = {}

---What has names.
---@class cudalua.Names
---@field text string             what messages call it: "gpuarray", "a Stream"
---@field kind? string            for help/elsewhere.lua: where else it looks
---@field find? fun(t: table, key: any): any  makes or loads what is made or loaded when first requested
---@field optional? table<string, boolean>    names that may be nil
---@field tables table[]          whose keys are the names; strict() adds its table
---@field more? fun(): string[]   names that find() knows
---@field elements? string        how to read elements of an object that has no index

local owners = setmetatable({}, { __mode = "k" }) -- table, or the __metatable of objects -> cudalua.Names

---For an __index function that does not know a key: nil if no library has that name, else an error.
---@param owner cudalua.Names
---@param key any
---@raise LogicError that says what may have been meant
function M.unknown(owner, key)
  local is_element = owner.elements and type(key) == "number"
  if not is_element and (type(key) ~= "string" or key:byte() == 95) then return nil end
  if owner.optional and owner.optional[key] then return nil end
  return require("cudalua.base.suggest").refuse(owner, key)
end
local unknown = M.unknown

---Lets a table raise for the names that it lacks.
---@generic T
---@param t T  with its metatable, which gets an __index
---@param owner cudalua.Names
---@return T
function M.strict(t, owner)
  local find, mt = owner.find, getmetatable(t)
  if not mt then
    mt = {}
    setmetatable(t, mt)
  end
  owner.tables = owner.tables or { t }
  owners[t] = owner
  mt.__index = find and function(self, key)
    local value = find(self, key)
    if value ~= nil then return value end
    return unknown(owner, key)
  end or function(_, key) return unknown(owner, key) end
  return t
end

---Says which names objects have whose __index is a function of their own.
---@param tag string  their metatable's __metatable
---@param owner cudalua.Names
---@return cudalua.Names owner
function M.of_objects(tag, owner)
  owners[tag] = owner
  return owner
end

---The names of a module, a class or an object, for completion; nil if it is none of the library's.
---@param value any
---@return cudalua.Names?
function M.owner_of(value)
  if type(value) ~= "table" then return nil end
  local mt = debug.getmetatable(value)
  return owners[value] or mt and owners[rawget(mt, "__metatable") or false]
end

---"a Stream", "an Event".
---@param class string
---@return string
function M.one(class) return (class:find "^[AEIO]" and "an " or "a ") .. class end

---Lets a table of methods raise for others, for the class and for its objects.
---@param methods table
---@param class string    "Stream"
---@param optional? table<string, boolean>  fields that an object may have
---@param elements? string  as in cudalua.Names
---@return table methods
function M.class(methods, class, optional, elements)
  return M.strict(methods, { text = M.one(class), optional = optional, elements = elements })
end

---The field of a table, or nil if it has none or is not a table; raises nothing.
---@param t any
---@param key string
---@return any
function M.get(t, key)
  if type(t) ~= "table" then return nil end
  local value, owner = rawget(t, key), owners[t]
  if value ~= nil then return value end
  if owner then return owner.find and owner.find(t, key) end
  local ok, found = pcall(function() return t[key] end)
  return ok and found or nil
end

---Is there such a name, "gpuarray.sort" or "Stream:use", from this table on?
---@param t table
---@param path string
---@return boolean
function M.has(t, path)
  for key in path:gmatch "[^.:]+" do
    t = M.get(t, key)
    if t == nil then return false end
  end
  return true
end

return M
