-- The error for an unknown name, with suggestions. Loaded when such an error is made.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local names = require "cudalua.base.names"
local other_names = require "cudalua.help.other_names"
local pairs_of = require "cudalua.base.pairs_of"

local MOST = 3 -- names that are suggested

local M = {}

-- All names of an owner, in order.
local function names_of(owner)
  local list, seen = {}, {}
  local function add(name)
    if type(name) == "string" and name:byte() ~= 95 and not seen[name] then
      seen[name] = true
      list[#list + 1] = name
    end
  end
  for _, t in ipairs(owner.tables) do
    for key in pairs_of(t) do add(key) end
  end
  for name in pairs_of(owner.optional or {}) do add(name) end
  for _, name in ipairs(owner.more and owner.more() or {}) do add(name) end
  table.sort(list)
  return list
end

-- ---- the same name elsewhere ----------------------------------------------------------------------------------------

local function module(name) return require("cudalua." .. name) end

local function has(t, key) return names.get(t, key) ~= nil end

local function is_member(key)
  local object = module "gpuarray" and module "gpuarray.core.object" -- which the first one fills
  return object.Array[key] and "method" or object.properties[key] and "field"
end

-- Where programs look first, if several have it.
local modules = { "gpuarray", "ndarray", "random", "dtype", "elementwise", "reduction", "scan", "tools", "vec",
  "softgpu" }

local function in_modules(key, except)
  for _, name in ipairs(modules) do
    if name ~= except and has(module(name), key) then return ("it is cuda.%s.%s"):format(name, key) end
  end
end

local function in_arrays(key)
  local member = is_member(key)
  if member then return ("it is a %s of arrays: a%s"):format(member, member == "method" and ":" .. key .. "()" or
    "." .. key) end
end

-- Host arrays compute nothing. Some of what is spelled otherwise is theirs, too: `a:transpose()`.
local function on_device(key, owner)
  if key == "set_printoptions" then return other_names.absent[key] end
  local text = other_names.arrays[key]
  local here = text and text:match "^a[:.]([%w_]+)"
  for _, t in ipairs(here and owner.tables or {}) do
    if rawget(t, here) ~= nil then return "use " .. text end
  end
  if text or is_member(key) or has(module "gpuarray", key) then
    return "computing is for arrays on the device: gpuarray.to_gpu(a)"
  end
end

local elsewhere = {
  cuda = function(key) return in_modules(key) or in_arrays(key) end,
  gpuarray = function(key)
    return in_arrays(key) or in_modules(key, "gpuarray") or has(require "cudalua", key) and "it is cuda." .. key
  end,
  array = function(key)
    if has(module "gpuarray", key) then return ("it is a function: gpuarray.%s(...)"):format(key) end
    if has(module("ndarray").Array, key) then return ("host arrays have it: a:get():%s()"):format(key) end
  end,
  ndarray = function(key, owner)
    if has(module("ndarray").Array, key) then return ("it is a method of host arrays: a:%s()"):format(key) end
    return on_device(key, owner) or in_modules(key, "ndarray")
  end,
  host_array = function(key, owner)
    if has(module "ndarray", key) then return ("it is a function: ndarray.%s(...)"):format(key) end
    return on_device(key, owner)
  end,
  module = function(key) return in_modules(key) end,
}

-- Which tables of other_names.lua count.
local spelled = { cuda = { "cuda", "random", "arrays" }, gpuarray = { "random", "arrays" }, array = { "arrays" },
  module = { "cuda", "random", "arrays" } }

local function renamed(kind, key)
  if not spelled[kind] or kind ~= "array" and has(module "dtype", key) then return nil end -- gpuarray.bool
  for _, name in ipairs(spelled[kind]) do
    local text = other_names[name][key]
    if text then return "use " .. text end
  end
  return other_names.absent[key]
end

-- ---- the error ------------------------------------------------------------------------------------------------------

local function quoted(list)
  local out = {}
  for i = 1, math.min(#list, MOST) do out[i] = ("'%s'"):format(list[i]) end
  local last = table.remove(out)
  return #out > 0 and table.concat(out, ", ") .. " or " .. last or last
end

local function remedy(owner, key)
  local kind = owner.kind
  if (kind == "array" or kind == "host_array") and key:find "^[%d%s:,-]+$" then
    return "an index is a number or a list, such as a[{ { 1, 3 } }] for the elements 1 to 3"
  end
  local own = other_names.objects[owner.text]
  if own and own[key] then return "use " .. own[key] end
  local text = kind and (renamed(kind, key) or elsewhere[kind](key, owner))
  if text then return text end
  local near = core.near(key, names_of(owner))
  if #near > 0 then return ("did you mean %s?"):format(quoted(near)) end
  return kind == "cuda" and "cuda.has(name) asks without an error" or nil
end

---Raises the error for a name that an owner does not have.
---@param owner cudalua.Names
---@param key string
---@raise LogicError
function M.refuse(owner, key)
  local text = remedy(owner, key)
  errors.raise("LogicError", ("%s has no field %s%s"):format(owner.text, errors.text(key), text and "; " .. text or ""))
end

return M
