-- Arguments that a function has no parameters for, which Lua drops. Here they are an error, which names the option that
-- was meant: a:sum(1, true) is a:sum {axis = 1, keepdims = true}.

local core = require "cudalua.core"
local errors = require "cudalua.errors"
local pairs_of = require "cudalua.pairs_of"

local M = {}

local behind = setmetatable({}, { __mode = "k" }) -- a function as programs call it -> the function itself

local taken = setmetatable({}, { __mode = "k" }) -- a function -> its parameters, once somebody asked for them

---@class cudalua.Parameters
---@field names string[]
---@field count integer

---What a function takes.
---@param f function
---@return cudalua.Parameters parameters
function M.parameters_of(f)
  local found = taken[f]
  if found then return found end
  found = { names = {}, count = debug.getinfo(f, "u").nparams }
  for k = 1, found.count do found.names[k] = debug.getlocal(f, k) or "?" end
  taken[f] = found
  return found
end

---Raises the error about the first argument behind the n-th that is there.
---@param what string  the function's name
---@param f function
---@param ... any      all arguments
function M.refuse(what, f, ...)
  local parameters = M.parameters_of(f)
  local names, n = parameters.names, parameters.count
  local at = n + 1
  while select(at, ...) == nil do at = at + 1 end
  local value, last = select(at, ...), n > 0 and select(n, ...) or nil
  local option_names = require "cudalua.option_names"
  local hint
  if names[n] == "options" then
    local known, before = option_names.of(f, n, ...), ""
    local all = option_names.list(known)
    if type(last) == "number" and known.axis then -- which came in the place of the options
      known, before = option_names.without(known, "axis"), "axis = " .. last .. ", "
    end
    local guessed = option_names.guess(known, value)
    hint = guessed and ("write it as an option: {%s%s}"):format(before, guessed)
      or all ~= "" and "options are fields of one table: " .. all
  end
  if not hint and core.kind(value) == "Stream" then hint = "stream:use(function() ... end) computes in a stream" end
  if not hint then
    local own = { unpack(names, names[1] == "self" and 2 or 1, n) }
    hint = #own > 0 and "it takes " .. table.concat(own, ", ") or "it takes none"
  end
  core.raise("LogicError", ("%s: %s is an argument too many; %s"):format(what, errors.text(value), hint))
end

local LOOKED_AT = 3 -- so many arguments behind the last parameter

-- Makes the functions that are called, which costs these calls nothing. Some hundred functions of arrays are wrapped,
-- and every collection visits what belongs to them: so that is one closure each, and what the slow way needs to know is
-- found out there.
local makers = {} -- by the slow way, and the number of parameters

local function maker(n, from, other)
  local of = makers[other]
  if not of then
    of = {}
    makers[other] = of
  end
  local key = n * 64 + from
  if of[key] then return of[key] end
  local parameters, asked = {}, {}
  for k = 1, n + LOOKED_AT do parameters[k] = "a" .. k end
  for k = from, n + LOOKED_AT do asked[#asked + 1] = ("a%d == nil"):format(k) end
  local all, own = table.concat(parameters, ", "), table.concat(parameters, ", ", 1, n)
  of[key] = assert(loadstring(([[
    local other = ...
    return function(what, f)
      return function(%s)
        if %s then return f(%s) end
        return other(what, f, %s)
      end
    end]]):format(all, table.concat(asked, " and "), own, all), "=cudalua.surplus"))(other)
  return of[key]
end

---A function as programs call it, which calls another one if it gets more arguments than f takes.
---@param what string     its name, for messages
---@param f function
---@param n integer       how many parameters f has
---@param from integer    the first argument that has to be nil, so that f itself is called: n + 1, or n
---@param other function  is called else: other(what, f, ...) with all arguments
---@return function
function M.guarded(what, f, n, from, other) return M.shown(maker(n, from, other)(what, f), f) end

---Takes a function as what programs call in place of another one.
---@param shown function
---@param f function
---@return function shown
function M.shown(shown, f)
  behind[shown] = behind[f] or f
  return shown
end

---The function itself behind one that programs call.
---@param f function
---@return function
function M.behind(f) return behind[f] or f end

---A function as programs call it. What takes any number of arguments stays as it is.
---@param what string  its name, for messages: "ndarray.zeros"
---@param f function
---@return function
function M.wrap(what, f)
  local info = debug.getinfo(f, "u")
  if info.isvararg or behind[f] then return f end
  return M.guarded(what, f, info.nparams, info.nparams + 1, M.refuse)
end

---Wraps the functions of a module or the methods of a class; the names of methods follow a colon.
---@param prefix string  "ndarray." or "Generator:"
---@param functions table<string, any>
---@return table functions
function M.install(prefix, functions)
  for name, f in pairs_of(functions) do
    if type(f) == "function" then functions[name] = M.wrap(prefix .. name, f) end
  end
  return functions
end

return M
