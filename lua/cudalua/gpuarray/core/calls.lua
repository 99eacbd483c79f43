-- What the functions and methods of arrays have in common when they are called. Surplus arguments are errors
-- (surplus.lua).
--
-- `stream` and `allocator` are carried out here, for all functions that have them among their options: the call is made
-- with the stream as the current one, which computes the result, and the result goes to memory of the allocator. A
-- stream may stand in the place of the options.

local core = require "cudalua.core"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local object = require "cudalua.gpuarray.core.object"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"
local pairs_of = require "cudalua.base.pairs_of"
local surplus = require "cudalua.base.surplus"

local Array, is_array = object.Array, object.is_array

---The options of functions that have no others: of those that make arrays, and of those that only write or read.
---@type table<string, boolean>
local M = { PLACED = { stream = true, allocator = true }, STREAM = { stream = true } }

-- Constructors: their results are in the allocator's memory from the beginning, and options may come before all
-- other arguments are given, as in arange(10, "int8", {stream = s}).
local allocating, early = {}, {}
for name in ([[ arange empty empty_like eye from_function full full_like identity linspace ones ones_like to_gpu zeros
  zeros_like ]]):gmatch "%S+" do
  allocating["gpuarray." .. name], early["gpuarray." .. name] = true, true
end
early["gpuarray.logspace"], early["gpuarray.tri"] = true, true
allocating["gpuarray.to_gpu_async"] = true -- whose stream stands before the options

early.round = true -- before the decimals

-- ---- stream and allocator -------------------------------------------------------------------------------------------

local function index(t, key) return t[key] end

-- An option, before the function has looked at them.
local function field(options, name)
  if not debug.getmetatable(options) then return options[name] end
  local ok, value = pcall(index, options, name)
  return ok and value or nil
end

-- Copies a result, which only this call refers to, into memory of the allocator.
local function moved(what, allocator, x)
  local strides = layout.kept_strides(x._shape, x._sig and layout.dense_strides(x._shape, 1, "C") or view.strides(x),
    x._dtype.itemsize)
  local to = make.fresh(what, x.shape, x._dtype, nil, allocator, strides)
  make.place(x, to._leaf, x._size, what)
  if x._sig and x._used < 0 then storage.drop(x) end
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

-- Results in memory that does not remember who uses it: the caller's stream waits for the stream that computes them. A
-- graph that is being captured has an order of its own.
local function ordered(stream, ...)
  local outer, open = core.current_stream(), false
  for i = 1, select("#", ...) do
    local x = select(i, ...)
    local leaf = is_array(x) and x._leaf
    open = open or leaf and leaf.store.unordered
  end
  if open and outer:handle() ~= stream:handle() and not (outer:is_capturing() or stream:is_capturing()) then
    outer:wait_for_event(core.event("disable_timing"):record(stream))
  end
  return ...
end

-- ---- wrapping -------------------------------------------------------------------------------------------------------

-- Options that are carried out: for functions that call others with them.
local done = setmetatable({}, { __mode = "k" })

-- Calls f with options among its arguments: the stream and the allocator are taken out and honoured here.
local function carry_out(what, f, at, n, ...)
  local options = select(at, ...)
  if core.kind(options) == "Stream" then options = { stream = options } end
  if type(options) ~= "table" or type(getmetatable(options)) == "string" or done[options] then return f(...) end
  local stream, allocator = field(options, "stream"), nil
  if not allocating[what] and field(options, "out") == nil then allocator = field(options, "allocator") end
  if stream == nil and allocator == nil then return f(...) end
  if allocator ~= nil then make.check_allocator(what, allocator) end
  local given, own = { ... }, options
  if not debug.getmetatable(options) then
    own = {}
    for name, value in pairs_of(options) do own[name] = value end
    done[own] = true
  end
  given[at] = own
  if stream == nil then return call(what, f, allocator, given, n) end
  stream = make.stream(what, stream)
  return ordered(stream, stream:use(call, what, f, allocator, given, n))
end

-- What is to be done where there are options, or surplus arguments.
local function with_settled(what, f, n, ...)
  local at = n
  while early[what] and at > 1 and select(at, ...) == nil do at = at - 1 end
  return carry_out(what, f, at, n, ...)
end

local function optioned(what, f, ...)
  local n = surplus.parameters_of(f).count
  local set = early[what] and surplus.ALL or surplus.NAMED
  for k = 2, n do
    if surplus.is_named(select(k, ...)) then
      return with_settled(what, f, n, require("cudalua.base.named").arguments(what, f, set, ...))
    end
  end
  return with_settled(what, f, n, ...)
end

local function with_options(what, f, ...) return optioned(what, f, surplus.settled(what, f, ...)) end

---A function of arrays as programs call it. What takes any number of arguments stays as it is.
---@param what string  its name, for messages: "gpuarray:sum"
---@param f function
---@return function
function M.wrap(what, f)
  local info = debug.getinfo(f, "u")
  local n = info.nparams
  if info.isvararg or surplus.behind(f) ~= f or n == 0 or debug.getlocal(f, n) ~= "options" then
    return surplus.wrap(what, f)
  end
  if early[what] then return surplus.shown(function(...) return with_options(what, f, ...) end, f) end
  return surplus.guarded(what, f, n, n, with_options)
end

---A function that takes any number of arguments and then options, as programs call it.
---@param what string
---@param f function
---@return function
function M.variadic(what, f)
  return surplus.shown(function(...)
    local n = select("#", ...)
    if n == 0 then return f() end
    return carry_out(what, f, n, n, ...)
  end, f)
end

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
