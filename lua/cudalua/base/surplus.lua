-- Arguments that a function has no parameters for. Lua would drop them; here they raise an error that names the
-- intended option: for a:sum(1, true) it suggests a:sum {axis = 1, keepdims = true}. Only options after an axis are
-- accepted: a:sum(1, {keepdims = true}). A table can also name parameters, either among the options or in place of
-- the remaining arguments: stack(list, {axis = 2}) is stack(list, 2) (named.lua).

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"

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

-- What SciPy's and PyCUDA's functions of that name take one after the other.
local fields = { ["sparse.csr"] = "{data =, indices =, indptr =, shape =}",
  ["sparse.csc"] = "{data =, indices =, indptr =, shape =}", ["sparse.coo"] = "{data =, rows =, columns =, shape =}" }

-- What other functions do for which the arguments were meant, such as other libraries' functions of that name.
local elsewhere = { ["gpuarray:view"] = "a:reshape(shape) changes the shape",
  ["gpuarray:eval"] = "gpuarray.eval(a, b) computes several arrays",
  ["distributed.Array:transpose"] = "x:with_block(x.block:transpose { 1, 3, 2 }) is for orders that leave the divided "
    .. "axis in its place" }

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
  local text = errors.text(value)
  local option_names = require "cudalua.base.option_names"
  local hint
  if fields[what] then
    hint = "name the parts of a matrix in one table: " .. fields[what]
  elseif names[n] == "options" then
    local known, before = option_names.of(f, n, ...), ""
    local all = option_names.list(known)
    if type(last) == "number" and known.axis then -- which came in the place of the options
      known, before = option_names.without(known, "axis"), "axis = " .. last .. ", "
    end
    local guessed = option_names.guess(known, value)
    hint = guessed and ("pass it as an option: {%s%s}"):format(before, guessed)
      or all ~= "" and "pass options as fields of one table: " .. all
  end
  if not hint and core.kind(value) == "Stream" then hint = "compute in a stream with stream:use(function() ... end)" end
  if not hint then
    local own = { unpack(names, names[1] == "self" and 2 or 1, n) }
    hint = #own > 0 and "it takes " .. table.concat(own, ", ") or "it takes no arguments"
    if elsewhere[what] then hint = hint .. "; " .. elsewhere[what] end
  end
  core.raise("LogicError", ("%s: unexpected argument %s; %s"):format(what, text, hint))
end

local LOOKED_AT = 3 -- so many arguments behind the last parameter

---The parameters of arrays' functions that a table may name, besides those that constructors have.
---@type table<string, boolean>
M.NAMED = { axis = true, axes = true, bins = true, dtype = true, k = true, num = true, step = true }

---Stands for all parameters behind the first one.
M.ALL = setmetatable({}, { __index = function(_, name) return name ~= "self" and name ~= "options" end })

---May it be a table that names things, no list and no object?
---@param x any
---@return boolean
function M.is_named(x)
  return type(x) == "table" and not getmetatable(x) and rawget(x, 1) == nil and type(core.next(x)) == "string"
end

local FIRST = 2 -- argument that may be such a table: the one before it is the object or the data

-- Whether a table may name a parameter of f.
local function has_named(f, set)
  for k = FIRST, debug.getinfo(f, "u").nparams do
    if set[debug.getlocal(f, k) or ""] then return true end
  end
  return false
end

-- Makes the functions that are called, which costs these calls nothing but looking at the types of arguments that may
-- name others. Some hundred functions of arrays are wrapped, and every collection visits what belongs to them: so that
-- is one closure each, and what the slow way needs to know is found out there.
local makers = {} -- by the slow way, the number of parameters, and what is looked at

local function maker(n, from, named, other)
  local of = makers[other]
  if not of then
    of = {}
    makers[other] = of
  end
  local key = (n * 64 + from) * 2 + (named and 1 or 0)
  if of[key] then return of[key] end
  local parameters, asked = {}, {}
  for k = 1, n + LOOKED_AT do parameters[k] = "a" .. k end
  for k = from, n + LOOKED_AT do asked[#asked + 1] = ("a%d == nil"):format(k) end
  for k = FIRST, named and from - 1 or 0 do
    asked[#asked + 1] = ('(type(a%d) ~= "table" or getmetatable(a%d) or a%d[1] ~= nil)'):format(k, k, k)
  end
  local all, own = table.concat(parameters, ", "), table.concat(parameters, ", ", 1, n)
  of[key] = assert(loadstring(([[
    local other = ...
    local type, getmetatable = type, getmetatable
    return function(what, f)
      return function(%s)
        if %s then return f(%s) end
        return other(what, f, %s)
      end
    end]]):format(all, table.concat(asked, " and "), own, all), "=cudalua.surplus"))(other)
  return of[key]
end

---A function as programs call it, which calls another one if it gets more arguments than f takes, or a table that may
---name parameters.
---@param what string     its name, for messages
---@param f function
---@param n integer       how many parameters f has
---@param from integer    the first argument that has to be nil, so that f itself is called: n + 1, or n
---@param other function  is called else: other(what, f, ...) with all arguments
---@param set? table<string, boolean>  parameters that a table may name; default: NAMED
---@return function
function M.guarded(what, f, n, from, other, set)
  return M.shown(maker(n, from, has_named(f, set or M.NAMED), other)(what, f), f)
end

local has_axis = setmetatable({}, { __mode = "k" }) -- functions that are known to have the option `axis`

-- Is an argument behind the last one a table of options that follows an axis, as in sum(1, {keepdims = true})?
local function follows_axis(f, n, ...)
  local axis, options = select(n, ...)
  if type(options) ~= "table" or getmetatable(options) or rawget(options, 1) ~= nil then return false end
  if M.parameters_of(f).names[n] ~= "options" or M.is_named(axis) or select("#", ...) > n + 1 and
    select(n + 2, ...) ~= nil then return false end
  if not has_axis[f] then has_axis[f] = require("cudalua.base.option_names").of(f, n, ...).axis end
  return has_axis[f] or false
end

---The arguments of a function without those behind the last parameter: an axis and options that follow it are one
---table. Raises if another argument is there.
---@param what string
---@param f function
---@param ... any  all arguments
---@return any ...
function M.settled(what, f, ...)
  local n = M.parameters_of(f).count
  for k = n + 1, select("#", ...) do
    if select(k, ...) ~= nil then
      if k > n + 1 or n == 0 or not follows_axis(f, n, ...) then return M.refuse(what, f, ...) end
      local given, options = { ... }, {}
      for name, value in pairs_of(given[k]) do options[name] = value end
      if options.axis ~= nil and given[n] ~= nil then
        core.raise("LogicError", ("%s: axis is passed twice, as an argument and as an option: %s and %s"):format(what,
          errors.text(given[n]), errors.text(options.axis)))
      end
      if options.axis == nil then options.axis = given[n] end
      given[n] = options
      return unpack(given, 1, n)
    end
  end
  return ...
end

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

-- The slow ways: some arguments are surplus, or a table may name parameters.
local function call(set)
  return function(what, f, ...)
    return f(require("cudalua.base.named").arguments(what, f, set, M.settled(what, f, ...)))
  end
end
local slow = { [M.NAMED] = call(M.NAMED), [M.ALL] = call(M.ALL) }

---A function as programs call it. What takes any number of arguments stays as it is.
---@param what string  its name, for messages: "ndarray.zeros"
---@param f function
---@param set? table<string, boolean>  NAMED (default) or ALL: parameters that a table may name
---@return function
function M.wrap(what, f, set)
  local info = debug.getinfo(f, "u")
  if info.isvararg or behind[f] then return f end
  set = set or M.NAMED
  return M.guarded(what, f, info.nparams, info.nparams + 1, slow[set], set)
end

---Wraps the functions of a module or the methods of a class; the names of methods follow a colon.
---@param prefix string  "ndarray." or "Generator:"
---@param functions table<string, any>
---@param set? table<string, boolean>  as for wrap
---@return table functions
function M.install(prefix, functions, set)
  for name, f in pairs_of(functions) do
    if type(f) == "function" then functions[name] = M.wrap(prefix .. name, f, set) end
  end
  return functions
end

return M
