-- Arguments that a function has no parameters for, which Lua drops. Here they are an error, which names the option that
-- was meant: a:sum(1, true) is a:sum {axis = 1, keepdims = true}.

local core = require "cudalua.core"
local errors = require "cudalua.errors"
local pairs_of = require "cudalua.pairs_of"

local M = {}

local behind = setmetatable({}, { __mode = "k" }) -- a function as programs call it -> the function itself

---What a function is given.
---@param f function
---@return string[] names
---@return integer count
---@return boolean any_number
function M.parameters_of(f)
  local info = debug.getinfo(f, "u")
  local names = {}
  for k = 1, info.nparams do names[k] = debug.getlocal(f, k) or "?" end
  return names, info.nparams, info.isvararg
end

---Raises the error about the first argument behind the n-th that is there.
---@param what string     the function's name
---@param f function
---@param names string[]  of its parameters
---@param n integer       how many these are
---@param ... any         all arguments
function M.refuse(what, f, names, n, ...)
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

-- By the number of parameters: makes the function that is called, which costs others nothing.
local makers = {}

local function maker(n, from)
  local key = n * 64 + from
  local found = makers[key]
  if found then return found end
  local parameters, asked = {}, {}
  for k = 1, n + LOOKED_AT do parameters[k] = "a" .. k end
  for k = from, n + LOOKED_AT do asked[#asked + 1] = ("a%d == nil"):format(k) end
  local all, own = table.concat(parameters, ", "), table.concat(parameters, ", ", 1, n)
  found = assert(loadstring(([[
    local f, other = ...
    return function(%s)
      if %s then return f(%s) end
      return other(%s)
    end]]):format(all, table.concat(asked, " and "), own, all), "=cudalua.surplus"))
  makers[key] = found
  return found
end

---A function as programs call it, which calls another one where it is given more than f takes.
---@param f function
---@param n integer       how many parameters f has
---@param from integer    the first argument that has to be nil, so that f itself is called: n + 1, or n
---@param other function  is called with all arguments, else
---@return function
function M.guarded(f, n, from, other) return M.shown(maker(n, from)(f, other), f) end

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
  local names, n, any_number = M.parameters_of(f)
  if any_number or behind[f] then return f end
  return M.guarded(f, n, n + 1, function(...) return M.refuse(what, f, names, n, ...) end)
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
