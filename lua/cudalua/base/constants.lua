-- The constants of cuda.h, in tables by what they are for: cuda.ctx_flags.SCHED_SPIN. They are made when they are
-- first looked at. A name that is not there raises a LogicError that says which is near.
-- Arguments take the same names in lower case: dev:make_context "sched_spin".

local core = require "cudalua.core"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

local singles -- those that are no member of a table: TRSF_SRGB

---The constants of that name: for the module's __index.
---@param name any
---@return table<string, integer>|integer|nil
function M.lookup(name)
  if type(name) ~= "string" or name == "cuda" then return nil end
  local group = core.constants(name)
  if group then return group end
  singles = singles or core.constants "cuda"
  return rawget(singles, name)
end

---The names of all tables.
---@return string[]
function M.tables()
  local list = {}
  for _, name in ipairs(core.constant_tables()) do
    if name ~= "cuda" then list[#list + 1] = name end
  end
  return list
end

---Every name that lookup() knows.
---@return string[]
function M.names()
  local list = M.tables()
  for name in pairs_of(core.constants "cuda") do list[#list + 1] = name end
  return list
end

---Reads flags from an argument: a number, a name, or a list of both, or'ed; nil is 0.
---@param where string       beginning of the message: "Stream: flags"
---@param value any
---@param group string       table of the names: "stream_flags"
---@param mask? integer      bits that are allowed; default: those of the table
---@return integer
---@raise LogicError that names what is near
function M.flags(where, value, group, mask) return core.check_flags(value, where, group, mask) end

---Reads an enumerator from an argument: a number or a name, one of the table.
---@param where string       beginning of the message: "set_limit: limit"
---@param value any
---@param group string       table of the names: "limit"
---@return integer
---@raise LogicError that names what is near
function M.enum(where, value, group) return core.check_enum(value, where, group) end

return M
