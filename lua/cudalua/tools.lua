-- Helpers after PyCUDA's tools: which device a program uses by default, results that are kept for each context, and
-- what generated kernels call types and arguments.
--   types/c_names           dtypes and their names in C
--   types/kernel_arguments  "const float *x" as an object
--   driver/occupancy        devices, and how many blocks an SM holds

local core = require "cudalua.core"
local cuda = require "cudalua"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
local start = require "cudalua.distributed.start"

---@class cudalua.tools
local M = {}

-- What the user asked for: a number and where it was said. The environment goes before the file.
local function chosen_device()
  local text, source = os.getenv "CUDA_DEVICE", "CUDA_DEVICE"
  if not text and os.getenv "HOME" then
    source = os.getenv "HOME" .. "/.cuda_device"
    local file = io.open(source)
    if file then
      text = file:read "*l"
      file:close()
    end
  end
  text = text and text:match "^%s*(.-)%s*$"
  if not text or text == "" then
    local rank = start.place() -- of cudalua run, mpirun and srun: one device for each process
    local count = rank and cuda.Device.count() or 0
    return count > 0 and rank % count or nil
  end
  if not text:find "^%d+$" then
    errors.raise("LogicError", ("%s is '%s': it must be the number of a device"):format(source, text))
  end
  return tonumber(text)
end

---Returns the device that the environment variable CUDA_DEVICE or the file ~/.cuda_device names.
---@param default? integer  the device's number if neither is set; default 0
---@return cudalua.Device
---@raise LogicError (101) if the device does not exist, and if a setting is not a number
function M.get_default_device(default)
  return cuda.Device(chosen_device() or default or 0)
end

---Creates a context on the device that CUDA_DEVICE or ~/.cuda_device names. If neither is set, uses the first device on
---which a context can be created.
---@param maker? fun(device: cudalua.Device): cudalua.Context  default: device:make_context()
---@return cudalua.Context  the result of maker
---@raise RuntimeError that lists the error of each device, if none works
function M.make_default_context(maker)
  if maker == nil then
    maker = function(device) return device:make_context() end
  else
    errors.check_callable("make_default_context", maker)
  end
  local chosen = chosen_device()
  if chosen then return maker(cuda.Device(chosen)) end
  local answers = {}
  for ordinal = 0, cuda.Device.count() - 1 do
    local ok, result = pcall(maker, cuda.Device(ordinal))
    if ok then return result end
    if not cuda.is_error(result) then error(result, 0) end -- a mistake in maker, not an answer of the device
    answers[#answers + 1] = ("device %d: %s"):format(ordinal, result.message)
  end
  errors.raise("RuntimeError", ("make_default_context: none of the %d devices gave a context (%s)"):format(#answers,
    table.concat(answers, "; ")))
end

local caches = setmetatable({}, { __mode = "k" }) -- of all memoized functions
local NIL, NAN, RESULTS = {}, {}, {} -- stand for arguments that are no keys, and for the end of the arguments

local function key_of(argument)
  if argument == nil then return NIL end
  if argument ~= argument then return NAN end
  return host.plain_number(argument)
end

local function pack(...) return { n = select("#", ...), ... } end

local function drop_dead(cache)
  for context in pairs_of(cache) do
    if not pcall(context.handle, context) then cache[context] = nil end
  end
end

---Returns a function that calls f once for each list of arguments and each context, and remembers the result: for
---example for compiled kernels. Arguments are the same if they are equal as table keys. Results keep their context
---alive until detach() or clear_context_caches().
---@param f function  the function to call
---@return function
---@raise LogicError if f is not callable; calls raise errors of f, and LogicError (201) without a context
function M.context_dependent_memoize(f)
  errors.check_callable("context_dependent_memoize", f)
  local cache = {}
  caches[cache] = true
  return function(...)
    local context = core.want_context() and cuda.Context.get_current()
    if not context then
      errors.raise("LogicError", "no context is current", { code = 201, name = "CUDA_ERROR_INVALID_CONTEXT" })
    end
    local node = cache[context]
    if not node then
      drop_dead(cache)
      node = {}
      cache[context] = node
    end
    for i = 1, select("#", ...) do
      local key = key_of((select(i, ...)))
      node[key] = node[key] or {}
      node = node[key]
    end
    local results = node[RESULTS]
    if not results then
      results = pack(f(...))
      node[RESULTS] = results
    end
    return unpack(results, 1, results.n)
  end
end

---Clears the results that functions of context_dependent_memoize() have remembered.
function M.clear_context_caches()
  for cache in pairs_of(caches) do
    for context in pairs_of(cache) do cache[context] = nil end
  end
end

---Returns the base-2 logarithm of an integer, rounded down, as PyCUDA's bitlog2.
---@param n integer  an integer from 1 to 2^53
---@return integer
---@raise LogicError for anything else
function M.bitlog2(n)
  local x = layout.whole(n)
  if not x or x < 1 then
    errors.raise("LogicError", "bitlog2: n must be a positive integer, got " .. element.describe(n))
  end
  local _, exponent = math.frexp(x)
  return exponent - 1
end

-- Where PyCUDA has its pools: tools.DeviceMemoryPool is cuda.DeviceMemoryPool, and so on.
local pools = { DeviceMemoryPool = true, PooledDeviceAllocation = true, PageLockedMemoryPool = true,
  PageLockedAllocator = true, PooledHostAllocation = true, DebugMemoryPool = true }

local parts = { "types.c_names", "types.kernel_arguments", "driver.occupancy" }

names.strict(M, {
  text = "tools", kind = "module",
  find = function(_, name)
    if pools[name] then return cuda[name] end
    for _, part in ipairs(parts) do
      local value = require("cudalua." .. part)[name]
      if value ~= nil then
        rawset(M, name, value)
        return value
      end
    end
  end,
  more = function()
    local list = {}
    for name in pairs_of(pools) do list[#list + 1] = name end
    for _, part in ipairs(parts) do
      for name in pairs_of(require("cudalua." .. part)) do list[#list + 1] = name end
    end
    return list
  end,
})

return M
