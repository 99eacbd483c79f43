-- Arguments by name: the last one is a table that names parameters of the function, as in NumPy:
-- stack(list, {axis = 2}). What else the table names are the function's options. Loaded when a call has such a table.

local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local pairs_of = require "cudalua.base.pairs_of"
local surplus = require "cudalua.base.surplus"

local refuse = layout.refuse

local M = {}

local known = {} -- what messages call a function -> parameter that a table may name -> its place

-- Where these parameters are; NumPy says axis for axes, too.
local function places_of(what, f, set)
  local places = known[what]
  if places then return places end
  places = {}
  for k, name in ipairs(surplus.parameters_of(f).names) do
    if k > 1 and set[name] then places[name == "axes" and "axis" or name] = k end
  end
  known[what] = places
  return places
end

---The parameters that a table may name beside a function's options.
---@param what string  its name, for messages
---@return table<string, any>
function M.beside(what) return known[what] or {} end

local function same(name, a, b)
  if rawequal(a, b) then return true end
  local x, y = name == "dtype" and hooks.dtype_of(a), name == "dtype" and hooks.dtype_of(b)
  return x and x == y or false
end

-- Puts each named argument in its place; the others are left, nil where there are none.
local function place(what, given, at, places)
  local table_of, rest = given[at], nil
  given[at] = nil
  for name, value in pairs_of(table_of) do
    local k = places[name]
    for before = 2, name == "dtype" and k and k - 1 or 1 do -- arange(10, "int8")
      if hooks.dtype_of(given[before]) then k = before end
    end
    if not k then
      rest = rest or {}
      rest[name] = value
    elseif given[k] == nil then
      given[k] = value
    elseif not same(name, given[k], value) then
      refuse(what, "%s is passed twice, as argument %d and as an option: %s and %s", name, k, errors.text(given[k]),
        errors.text(value))
    end
  end
  return rest
end

---The arguments of a function, those that a table names in their places.
---@param what string  the function's name, for messages
---@param f function   the function itself
---@param set table<string, boolean>  its parameters that a table may name, of those behind the first one
---@param ... any      its arguments
---@return any ...     as many as the function has parameters
---@raise LogicError for a parameter that is passed twice; without options for names that are not parameters
function M.arguments(what, f, set, ...)
  local parameters = surplus.parameters_of(f)
  local names, n = parameters.names, parameters.count
  local at = math.min(n, select("#", ...))
  while at > 1 and select(at, ...) == nil do at = at - 1 end
  local last = at > 1 and select(at, ...)
  if not surplus.is_named(last) then return ... end
  local places, has_options = places_of(what, f, set), names[n] == "options"
  local any = set == surplus.ALL and not has_options
  for name in pairs_of(places) do any = any or last[name] ~= nil end
  if not any then return ... end
  local given = { ... }
  local rest = place(what, given, at, places)
  if rest and has_options then
    given[n] = rest
  elseif rest then
    errors.options(what, rest, places)
  end
  return unpack(given, 1, n)
end

---How a function is called, for messages: "exponential(shape, scale, dtype)".
---@param what string  "Generator:exponential"
---@param f function
---@return string
function M.call_of(what, f)
  local names = surplus.parameters_of(surplus.behind(f)).names
  return ("%s(%s)"):format(what:match "[%w_]+$", table.concat(names, ", ", names[1] == "self" and 2 or 1))
end

return M
