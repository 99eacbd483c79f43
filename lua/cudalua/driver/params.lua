-- The old way to launch: parameters are set first, all at once or some bytes of them, and launch_grid() starts the
-- kernel with them. They are kept until they are set again.

local ffi = require "ffi"
local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local launch = require "cudalua.driver.launch"

---@class cudalua.Function
local Function = core.classes.Function

local module_table, param_set, launch_grid, floor = core.module_table, core.param_set, core.launch_grid, math.floor

---The parameters that are set of a kernel. Finalizers may set them, too: args, bytes and written are read and replaced
---together.
---@class cudalua.SetParameters
---@field layout {offset: integer, size: integer}[]
---@field nbytes integer  the end of the last parameter
---@field size integer    as param_set_size() said
---@field args any[]      one for each parameter, as calls of the kernel take them
---@field bytes string?   what the device gets; nil: handlers or arrays are among the arguments, converted at a launch
---@field written boolean some of the bytes replaced arguments: of these, only memory counts now

-- The table of the kernels of fn's module: it has their parameters while the module or one of the kernels is there.
local function kernels(fn, method)
  local list = module_table(fn)
  if not list then
    errors.raise("LogicError", ("%s: self: expected Function, got %s; call the method with a colon: " ..
      "object:%s()"):format(method, errors.text(fn), method))
  end
  return list
end

local function refuse(fn, text, ...)
  errors.raise("LogicError", ("%s: " .. text):format(fn:name(), ...), { kernel = fn:name() })
end

-- What is set of fn; zeros at first.
local function set_of(fn, method)
  local list = kernels(fn, method)
  if list[fn] then return list[fn] end
  local layout = core.function_params(fn)
  if not layout then
    errors.raise("RuntimeError", fn:name() .. ": this driver does not report parameter offsets (CUDA 12.4 and newer " ..
      "do)", { kernel = fn:name() })
  end
  local last = layout[#layout]
  local nbytes = last and last.offset + last.size or 0
  local set = { layout = layout, nbytes = nbytes, size = 0, args = {}, bytes = ("\0"):rep(nbytes), written = true }
  list[fn] = list[fn] or set
  return list[fn]
end

local function has_arrays(...)
  for i = 1, select("#", ...) do
    if launch.is_array((select(i, ...))) then return true end
  end
  return false
end

-- Arguments that C cannot convert.
local function set_in_lua(fn, ...)
  if not has_arrays(...) then
    local args, n, handlers = launch.take_apart(fn, nil, ...)
    if not handlers then return fn:param_set(unpack(args, 1, n)) end
  end
  local set = set_of(fn)
  set.args, set.bytes, set.written, set.size = { ... }, nil, false, set.nbytes
end

---Sets all parameters for later launches. Memory is kept alive until they are set again.
---@param ... any  the arguments, as in fn(...); In, Out and InOut copy at each launch
---@raise LogicError for arguments that do not fit; in this case nothing is changed
function Function:param_set(...)
  local list, bytes = param_set(self, ...)
  if not list then return set_in_lua(self, ...) end
  local set = list[self] or set_of(self)
  set.args, set.bytes, set.written, set.size = { ... }, bytes, false, set.nbytes
end

local function check_bytes(method, name, x)
  if type(x) ~= "number" or not (x >= 0 and x <= 2 ^ 53) or x ~= floor(x) then
    errors.raise("LogicError", ("%s: %s: expected an integer from 0 to 2^53, got %s"):format(method, name,
      errors.text(x)))
  end
end

---Sets the total size of the parameters. param_set() does this automatically.
---@param bytes integer  the end of the last parameter in bytes, or C's sizeof of all parameters. A launch raises an
---  error if this leaves one out
---@raise LogicError if it is not a number of bytes
function Function:param_set_size(bytes)
  local set = set_of(self, "param_set_size")
  check_bytes("param_set_size", "bytes", bytes)
  set.size = bytes
end

-- The arguments without those that the bytes from `first` to before `last` are a part of.
local function without(args, layout, first, last)
  local rest = args
  for i, p in ipairs(layout) do
    if p.offset < last and p.offset + p.size > first and args[i] ~= nil then
      if rest == args then rest = { unpack(args, 1, #layout) } end
      rest[i] = nil
    end
  end
  return rest
end

local function write(fn, method, set, offset, new)
  check_bytes(method, "offset", offset)
  local last = offset + #new
  if last > set.nbytes then
    refuse(fn, "%s: %d byte%s at offset %.0f, but the parameters end at byte %d", method, #new, #new == 1 and "" or "s",
      offset, set.nbytes)
  end
  while true do -- until no finalizer sets them in between
    local args, before = set.args, set.bytes
    if not before then
      refuse(fn, "%s: some parameters are In, Out or InOut; set all of them again with param_set()", method)
    end
    local bytes, rest = before:sub(1, offset) .. new .. before:sub(last + 1), without(args, set.layout, offset, last)
    -- The check and the assignment stand on one line: nothing comes in between.
    if set.args == args and set.bytes == before then set.args, set.bytes, set.written = rest, bytes, true return end
  end
end

local function check_number(fn, method, value)
  if type(value) ~= "number" then refuse(fn, "%s: expected a number, got %s", method, errors.text(value)) end
end

local uint32_t, float_t = ffi.typeof "uint32_t[1]", ffi.typeof "float[1]"

---Writes a 32-bit integer to the parameters, regardless of their types.
---@param offset integer  the position in bytes, from 0
---@param value integer  an integer from -2^31 to 2^32 - 1
---@raise LogicError if it is out of range, or extends beyond the last parameter
function Function:param_seti(offset, value)
  local set = set_of(self, "param_seti")
  check_number(self, "param_seti", value)
  if floor(value) ~= value or value == 1 / 0 or value == -1 / 0 then
    refuse(self, "param_seti: %.14g is not an integer", value)
  end
  if not (value >= -2 ^ 31 and value < 2 ^ 32) then
    refuse(self, "param_seti: %.17g is out of the range -2147483648 to 4294967295", value)
  end
  write(self, "param_seti", set, offset, ffi.string(uint32_t(value % 2 ^ 32), 4))
end

---Writes a float to the parameters, regardless of their types.
---@param offset integer  the position in bytes, from 0
---@param value number  the number
---@raise LogicError if it overflows, or extends beyond the last parameter
function Function:param_setf(offset, value)
  local set = set_of(self, "param_setf")
  check_number(self, "param_setf", value)
  local float = float_t(value)
  if float[0] - float[0] ~= 0 and value - value == 0 then
    refuse(self, "param_setf: %.9g overflows float", value)
  end
  write(self, "param_setf", set, offset, ffi.string(float, 4))
end

---Writes bytes to the parameters, regardless of their types. Memory whose address is among them is not kept alive.
---@param offset integer  the position in bytes, from 0
---@param bytes any  a string, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer()
---@raise LogicError if they extend beyond the last parameter
function Function:param_setv(offset, bytes)
  write(self, "param_setv", set_of(self, "param_setv"), offset, host.as_string("bytes", bytes))
end

---Makes later launches read a texture reference of the kernel's module. All launches of its kernels do so anyway, so
---this only checks that it is one.
---@param reference cudalua.TextureReference  a reference that mod:get_texref() returned
---@raise LogicError if it belongs to another module, or is not a texture reference
function Function:param_set_texref(reference)
  kernels(self, "param_set_texref")
  require("cudalua.driver.texref").param_set_texref(self, reference)
end

-- Raises unless the size is that of the parameters; C's sizeof counts padding.
local function check_size(fn, set)
  for i, p in ipairs(set.layout) do
    if p.offset + p.size > set.size then
      launch.refuse(fn, i, ("it ends at byte %d, but param_set_size() got %d"):format(p.offset + p.size, set.size))
    end
  end
  if set.size > math.ceil(set.nbytes / 16) * 16 then
    refuse(fn, "param_set_size() got %.0f bytes, but the parameters have %d", set.size, set.nbytes)
  end
end

local function start(fn, method, width, height, stream)
  local set = kernels(fn, method)[fn]
  if not set then return launch_grid(fn, width, height, stream, nil) end
  if set.size ~= set.nbytes then check_size(fn, set) end
  local args, bytes = set.args, set.written and set.bytes or nil
  launch_grid(fn, width, height, stream, bytes, unpack(args, 1, #set.layout))
end

---Launches one block with the current settings, in the current stream.
---@raise LogicError if the shape or parameters are missing, or if memory among them was freed; LaunchError if a limit
---  is exceeded
function Function:launch() start(self, "launch", 1, 1) end

---Launches a grid of blocks with the current settings, in the current stream.
---@param width integer  the first extent of the grid
---@param height integer  the second extent of the grid
---@raise LogicError, LaunchError as launch
function Function:launch_grid(width, height) start(self, "launch_grid", width, height) end

---As launch_grid, in a stream.
---@param width integer  the first extent of the grid
---@param height integer  the second extent of the grid
---@param stream? cudalua.Stream  nil: the current stream
---@raise LogicError, LaunchError as launch
function Function:launch_grid_async(width, height, stream) start(self, "launch_grid_async", width, height, stream) end
