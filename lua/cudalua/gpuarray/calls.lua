-- What the functions and methods of arrays have in common when they are called.
--
-- Lua drops arguments that a function has no parameters for. Here they are an error, which names the option that was
-- meant: a:sum(1, true) is a:sum {axis = 1, keepdims = true}.
--
-- `stream` and `allocator` are carried out here, for all functions that have them among their options: the call is made
-- with the stream as the current one, which computes the result, and the result goes to memory of the allocator. A
-- stream may stand in the place of the options.

local core = require "cudalua.core"
local errors = require "cudalua.errors"
local layout = require "cudalua.layout"
local make = require "cudalua.gpuarray.make"
local object = require "cudalua.gpuarray.object"
local storage = require "cudalua.gpuarray.storage"
local view = require "cudalua.gpuarray.view"
local pairs_of = require "cudalua.pairs_of"

local Array, is_array = object.Array, object.is_array

local M = {}

-- Constructors: their results are in the allocator's memory from the beginning, and options may come before all
-- other arguments are given, as in arange(10, "int8", {stream = s}).
local allocating, early = {}, {}
for name in ([[ arange empty empty_like eye from_function full full_like identity linspace logspace ones ones_like
  to_gpu zeros zeros_like ]]):gmatch "%S+" do
  allocating["gpuarray." .. name], early["gpuarray." .. name] = true, true
end
allocating["gpuarray.to_gpu_async"] = true -- whose stream stands before the options

early.round = true -- before the decimals

local behind = setmetatable({}, { __mode = "k" }) -- what wrap() made -> the function itself

-- ---- more arguments than parameters ---------------------------------------------------------------------------------

local function parameters_of(f)
  local info = debug.getinfo(f, "u")
  local names = {}
  for k = 1, info.nparams do names[k] = debug.getlocal(f, k) or "?" end
  return names, info.nparams, info.isvararg
end

local function refuse_surplus(what, f, names, n, ...)
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
  layout.refuse(what, ("%s is an argument too many; %s"):format(errors.text(value), hint))
end

-- ---- stream and allocator -------------------------------------------------------------------------------------------

local function index(t, key) return t[key] end

-- An option, before the function has looked at them.
local function field(options, name)
  if not debug.getmetatable(options) then return options[name] end
  local ok, value = pcall(index, options, name)
  return ok and value or nil
end

-- A result that nobody else has, in memory of an allocator.
local function moved(what, allocator, x)
  local strides = layout.kept_strides(x._shape, x._sig and layout.dense_strides(x._shape, 1, "C") or view.strides(x),
    x._dtype.itemsize)
  local to = make.fresh(what, x.shape, x._dtype, nil, allocator, strides)
  make.place(x, to._leaf, x._size, what)
  if x._sig and not x._store then storage.drop(x) end
  return to
end

local function deliver(what, allocator, given, n, ...)
  local results, count = { ... }, select("#", ...)
  for i = 1, count do
    local x, own = results[i], false
    for k = 1, n do own = own or rawequal(given[k], x) end
    if is_array(x) and not own then results[i] = moved(what, allocator, x) end
  end
  return unpack(results, 1, count)
end

local function call(what, f, allocator, given, n)
  if allocator == nil then return f(unpack(given, 1, n)) end
  return deliver(what, allocator, given, n, f(unpack(given, 1, n)))
end

-- ---- wrapping -------------------------------------------------------------------------------------------------------

-- Options that are carried out: for functions that call others with them.
local done = setmetatable({}, { __mode = "k" })

-- What is to be done where there are options, or surplus arguments.
local function with_options(what, f, names, n)
  local is_early, allocates = early[what], allocating[what]
  return function(...)
    for k = n + 1, select("#", ...) do
      if select(k, ...) ~= nil then return refuse_surplus(what, f, names, n, ...) end
    end
    local at = n
    while is_early and at > 1 and select(at, ...) == nil do at = at - 1 end
    local options = select(at, ...)
    if core.kind(options) == "Stream" then options = { stream = options } end
    if type(options) ~= "table" or type(getmetatable(options)) == "string" or done[options] then return f(...) end
    local stream, allocator = field(options, "stream"), nil
    if not allocates and field(options, "out") == nil then allocator = field(options, "allocator") end
    if stream == nil and allocator == nil then return f(...) end
    if allocator ~= nil then errors.check_callable(what, allocator) end
    local given, own = { ... }, options
    if not debug.getmetatable(options) then
      own = {}
      for name, value in pairs_of(options) do own[name] = value end
      done[own] = true
    end
    given[at] = own
    if stream == nil then return call(what, f, allocator, given, n) end
    return make.stream(what, stream):use(call, what, f, allocator, given, n)
  end
end

local function without_options(what, f, names, n)
  return function(...) return refuse_surplus(what, f, names, n, ...) end
end

local LOOKED_AT = 3 -- so many arguments behind the last parameter

-- By the number of parameters: makes the function that is called, which costs others nothing.
local makers = {}

local function maker(n, has_options)
  local key = has_options and -n or n
  local found = makers[key]
  if found then return found end
  local parameters, asked = {}, {}
  for k = 1, n + LOOKED_AT do parameters[k] = "a" .. k end
  for k = has_options and n or n + 1, n + LOOKED_AT do asked[#asked + 1] = ("a%d == nil"):format(k) end
  local all, own = table.concat(parameters, ", "), table.concat(parameters, ", ", 1, n)
  found = assert(loadstring(([[
    local f, other = ...
    return function(%s)
      if %s then return f(%s) end
      return other(%s)
    end]]):format(all, table.concat(asked, " and "), own, all), "=cudalua.gpuarray.calls"))
  makers[key] = found
  return found
end

---A function of arrays as programs call it. What takes any number of arguments stays as it is.
---@param what string  its name, for messages: "gpuarray:sum"
---@param f function
---@return function
function M.wrap(what, f)
  local names, n, any_number = parameters_of(f)
  if any_number or behind[f] then return f end
  local has_options = names[n] == "options"
  local other = (has_options and with_options or without_options)(what, f, names, n)
  local wrapped = has_options and early[what] and other or maker(n, has_options)(f, other)
  behind[wrapped] = f
  return wrapped
end

---The function that wrap() was given.
---@param f function
---@return function
function M.behind(f) return behind[f] or f end

---Wraps the functions of a file, and the methods of the same names.
---@param functions table<string, function>
---@return table functions
function M.install(functions)
  for name, f in pairs_of(functions) do
    if type(f) == "function" then functions[name] = M.wrap("gpuarray." .. name, f) end
    local method = rawget(Array, name)
    if method then Array[name] = M.wrap("gpuarray:" .. name, method) end
  end
  return functions
end

---Wraps the methods that arrays have so far.
function M.install_methods()
  for name, f in pairs_of(Array) do Array[name] = M.wrap("gpuarray:" .. name, f) end
end

return M
