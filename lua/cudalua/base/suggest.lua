-- The error for an unknown name, with suggestions. Loaded when such an error is made. What other modules have is looked
-- for by help/elsewhere.lua, if the whole library is loaded.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local other_names = require "cudalua.base.other_names"
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

-- ---- the error ------------------------------------------------------------------------------------------------------

local function quoted(list)
  local out = {}
  for i = 1, math.min(#list, MOST) do out[i] = ("'%s'"):format(list[i]) end
  local last = table.remove(out)
  return #out > 0 and table.concat(out, ", ") .. " or " .. last or last
end

local function remedy(owner, key)
  local kind = owner.kind
  if type(key) == "number" then return owner.elements end
  if (kind == "array" or kind == "host_array") and key:find "^[%d%s:,-]+$" then
    return "an index must be a number or a list, such as a[{ { 1, 3 } }] for elements 1 to 3"
  end
  local own = other_names.objects[owner.text]
  if own and own[key] then return "use " .. own[key] end
  own = require("cudalua.base.pycuda_names")[owner.text]
  if own and own[key] then return own[key] end
  local text = kind and hooks.elsewhere(owner, key)
  if text then return text end
  local near = core.near(key, names_of(owner))
  if #near > 0 then return ("did you mean %s?"):format(quoted(near)) end
  return kind == "cuda" and "cuda.has(name) checks for a name without an error" or nil
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
