-- Kernel arguments that C cannot convert by itself: In/Out/InOut of host buffers, user-made handlers, and
-- cdata. src/cudalua/launch/launch.c calls here with the whole call and is called back with plain values.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local pairs_of = require "cudalua.base.pairs_of"

local legacy = core.default_streams()

local M = {}

---A kernel argument that is a host buffer: allocates device memory for the call, and copies. Your own handlers are
---objects with get_device_alloc(stream), pre_call(stream) and post_call(stream). If the call did not pass a stream, it
---is nil, and all work must be done when the method returns.
---@class cudalua.ArgumentHandler
local Handler = {}
Handler.__index = Handler
Handler.__name = "cudalua.ArgumentHandler"

local pointee -- read with the first handler: in a call, finalizers that raise would end the reading

---@param name string     "In", "Out" or "InOut"
---@param buf any         host buffer
---@param nbytes? integer
---@param copies_in boolean
---@param copies_out boolean
---@return cudalua.ArgumentHandler
function M.handler(name, buf, nbytes, copies_in, copies_out)
  pointee = pointee or require "cudalua.driver.pointee"
  local slot, n, anchor = host.host_buffer(name, buf, nbytes, copies_out)
  return setmetatable({ name = name, slot = slot, nbytes = n, anchor = anchor, buf = buf, copies_in = copies_in,
    copies_out = copies_out }, Handler)
end

function Handler:__tostring() return ("cudalua.%s(%d bytes)"):format(self.name, self.nbytes) end

-- Device memory for the time of the call: of the pool, whose blocks come and go in the order of the stream without
-- waiting, where the device has one.
local pooled = {} -- by device: whether it has a pool

local function temporary(nbytes, stream)
  local device = core.classes.Context.get_device()
  if pooled[device] == nil then pooled[device] = device:get_attribute "memory_pools_supported" == 1 end
  if pooled[device] then return core.mem_alloc_async(nbytes, stream) end
  return core.mem_alloc(nbytes)
end

---@param stream? cudalua.Stream  the stream of the launch, or nil
---@return cudalua.DeviceAllocation
function Handler:get_device_alloc(stream)
  if not self.alloc then self.alloc = temporary(math.max(self.nbytes, 1), stream) end
  return self.alloc
end

---Called before the launch. Copies to the device in stream order.
---@param stream? cudalua.Stream  nil: the copy is done when the method returns
function Handler:pre_call(stream)
  local alloc = self:get_device_alloc(stream)
  if not self.copies_in then return end
  if stream then
    core.memcpy_htod_async(alloc, self.slot, self.nbytes, stream, self.anchor)
  else
    core.memcpy_htod(alloc, self.slot, self.nbytes, self.anchor)
  end
end

---Called after the launch. Copies to the host in stream order.
---@param stream? cudalua.Stream  nil: the copy is done when the method returns
function Handler:post_call(stream)
  if not self.copies_out then return end
  if stream then
    core.memcpy_dtoh_async(self.slot, self:get_device_alloc(stream), self.nbytes, stream, self.anchor)
  else
    core.memcpy_dtoh(self.slot, self:get_device_alloc(), self.nbytes, self.anchor)
  end
end

function Handler:release()
  if self.alloc then self.alloc:free() end
  self.alloc = nil
end

---Raises a LogicError for an argument, with its number and type.
---@param fn cudalua.Function
---@param i integer   1 for the first argument
---@param why string
function M.refuse(fn, i, why)
  local params = core.function_params(fn)
  local text = params and params[i] and params[i].text
  errors.raise("LogicError", ("%s: argument %d%s: %s"):format(fn:name(), i, text and " (" .. text .. ")" or "", why),
    { kernel = fn:name(), arg = i, param = text })
end
local refuse = M.refuse

local function from_cdata(fn, i, x)
  local params = core.function_params(fn)
  local wanted = params and params[i]
  if host.is_pointer(x) then
    refuse(fn, i, "a host pointer is not valid on the device; In/Out/InOut({ptr =, nbytes =}) copies host " ..
      "memory, cuda.pointer(address) passes a device address")
  end
  local bytes, dtype = host.value_bytes(x)
  if not bytes then refuse(fn, i, "cannot pass " .. errors.text(x)) end
  if wanted and wanted.type == "pointer" then
    refuse(fn, i, ("expected device memory, got %s; In/Out/InOut(buffer) copies host memory there and back"):format(
      errors.text(x)))
  end
  return dtype and core.scalar(dtype, bytes, true) or bytes
end

local function plain(x)
  local t = type(x)
  return t == "number" or t == "nil" or t == "boolean" or t == "string" or core.kind(x) ~= nil
end

-- What an object of the user's gave for itself: something that C takes, or this would go on for ever.
local function given(fn, i, x)
  if not plain(x) then refuse(fn, i, "its object returned a " .. type(x) .. ", not device memory") end
  return x
end

local function method(x, name)
  local ok, f = pcall(function() return x[name] end)
  return ok and type(f) == "function"
end

-- The device's view of a host array, where it reaches that memory.
local function from_array(fn, i, x)
  local ok, p = pcall(x.get_pointer, x)
  if not ok then refuse(fn, i, p.message) end
  return p
end

-- The value to pass for argument i, and its handler if it is one.
local function convert(fn, i, x)
  local t = type(x)
  if t == "cdata" then return from_cdata(fn, i, x) end
  if t == "table" or t == "userdata" then
    if method(x, "get_device_alloc") then
      local why = getmetatable(x) == Handler and pointee.why_not(fn, i, x.buf, x.name)
      if why then refuse(fn, i, why) end
      return nil, x
    end
    if method(x, "get_pointer") then
      local p = getmetatable(x) == "cudalua.ndarray" and from_array(fn, i, x) or host.plain_number(x:get_pointer())
      return type(p) == "number" and core.pointer(p) or given(fn, i, p)
    end
  end
  if t == "table" and getmetatable(x) == "cudalua.distributed.Array" then
    refuse(fn, i, "a distributed array cannot be passed to a kernel; pass x.block, the block of this rank")
  end
  local hint = t == "table" and not getmetatable(x) and "; the table of options comes last; create structs with " ..
    "cuda.vec, such as cuda.vec.make_float3(x, y, z), or with the FFI" or ""
  refuse(fn, i, ("a %s cannot be passed to a kernel%s"):format(t, hint))
end

-- Handlers' memory is freed whatever happens; the first error is the one that is raised.
local function with_handlers(fn, args, n, handlers)
  local asked = args[n + 1].stream
  local stream = asked or core.current_stream()
  if stream == legacy and not asked then stream = nil end -- plain copies will do
  local ok, result = pcall(function()
    for i = 1, n do -- in the order of the arguments
      local h = handlers[i]
      if h then args[i] = given(fn, i, h:get_device_alloc(stream)) end
      if h and h.pre_call then h:pre_call(stream) end
    end
    local seconds = fn(unpack(args, 1, n + 1))
    for i = 1, n do
      local h = handlers[i]
      if h and h.post_call then h:post_call(stream) end
    end
    if stream and not asked then stream:synchronize() end -- nobody asked for it to be asynchronous
    return seconds
  end)
  for _, h in pairs_of(handlers) do
    if h.release then
      local freed, err = pcall(h.release, h)
      if ok and not freed then ok, result = false, err end
    end
  end
  if not ok then error(result, 0) end
  if result then return result end -- a call without time_kernel returns nothing, and the prompt prints no nil
end

---Is an argument an array, whose address is known when the kernel is launched and not before?
---@param x any
---@return boolean
function M.is_array(x) return type(x) == "table" and getmetatable(x) == "cudalua.gpuarray" end

---What C takes in place of a call's arguments.
---@param fn cudalua.Function
---@param stream? cudalua.Stream  of the call; nil: the current one
---@param ... any
---@return any[] args
---@return integer n
---@return table<integer, table>? handlers  by number of the argument, whose place is empty; nil: there are none
function M.take_apart(fn, stream, ...)
  local n = select("#", ...)
  local args, handlers, arrays = { ... }, {}, nil
  for i = 1, n do
    local x = args[i]
    if M.is_array(x) then
      arrays = arrays or {}
      arrays[#arrays + 1] = i
    elseif not plain(x) then
      args[i], handlers[i] = convert(fn, i, x)
    end
  end
  if arrays then
    hooks.take_arrays(fn, args, arrays, stream)
    for _, i in ipairs(arrays) do
      if type(args[i]) == "cdata" then args[i] = from_cdata(fn, i, args[i]) end
    end
  end
  return args, n, core.next(handlers) and handlers
end

core.on_launch(function(fn, options, listed, ...)
  local args, n, handlers = M.take_apart(fn, options.stream, ...)
  if listed then -- fn{a, b, block = ...}: the arguments are taken out of it
    local rest = {}
    for k, v in pairs_of(options) do
      if type(k) ~= "number" then rest[k] = v end
    end
    options = rest
  end
  args[n + 1] = options
  if handlers then return with_handlers(fn, args, n, handlers) end
  return fn(unpack(args, 1, n + 1))
end)

-- References are few programs' business.
core.on_references(function(...) return require("cudalua.driver.texref").asked(...) end)

return M
