-- The old way to launch, where Lua has a part in it: src/cudalua/launch/params.c has the rest.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local launch = require "cudalua.driver.launch"

---@class cudalua.Function
local Function = core.classes.Function

---Writes bytes into the parameters, whatever their types are: memory whose address is in them is not kept alive.
---@param offset integer  bytes, from 0
---@param bytes any       string, FFI array or struct, {ptr =, nbytes =}, object with :buffer()
---@raise LogicError if they reach behind the last parameter
function Function:param_setv(offset, bytes) core.param_setv(self, offset, host.as_string("bytes", bytes)) end

local kept = setmetatable({}, { __mode = "k" }) -- by function: arguments with handlers or arrays among them

local function has_arrays(...)
  for i = 1, select("#", ...) do
    if launch.is_array((select(i, ...))) then return true end
  end
  return false
end

local function set(fn, ...)
  if not has_arrays(...) then
    local args, n, handled = launch.take_apart(fn, nil, ...)
    if not handled then return fn:param_set(unpack(args, 1, n)) end
  end
  kept[fn] = { n = select("#", ...), ... }
  core.param_set_in_lua(fn)
end

local function launch_kept(fn, options)
  local args = kept[fn]
  if not args then
    errors.raise("LogicError", fn:name() .. ": its In, Out and InOut parameters are no longer set; set them again " ..
      "with param_set()", { kernel = fn:name() })
  end
  args[args.n + 1] = options
  fn(unpack(args, 1, args.n + 1))
end

core.on_params(Function, set, launch_kept)
