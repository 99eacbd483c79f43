-- cudalua: CUDA for LuaJIT. `cuda` in all documents is this module.
-- Nothing of CUDA is opened here: the driver comes with cuda.init(), NVRTC with the first compilation.

if type(jit) ~= "table" then error("cudalua needs LuaJIT 2.1; this is " .. _VERSION, 2) end

local core = require "cudalua.core"
local ABI = 1
if core.ABI ~= ABI then
  error(("cudalua: the C module has interface %s, the Lua files need %d: they are of different versions"):format(
    tostring(core.ABI), ABI), 2)
end

core.set_library_root((debug.getinfo(1, "S").source:match "^@(.*)init%.lua$") or "=none")

local errors = require "cudalua.errors"
local host = require "cudalua.ffi"
local launch = require "cudalua.launch"

---@class cudalua
local cuda = { _VERSION = "cudalua 0.1.0", VERSION_TEXT = "0.1.0" }

---The driver's codes by name, CUDA_ERROR_ left out: `err.code == cuda.result.OUT_OF_MEMORY`.
---@type table<string, integer>
cuda.result = core.result

for name, value in pairs(errors) do
  if type(value) == "table" then cuda[name] = value end
end
cuda.is_error = errors.is_error
for _, name in ipairs { "DeviceAllocation", "DevicePointer", "Module", "Function", "Context" } do
  cuda[name] = core.classes[name] -- tables of methods; Context.synchronize() and its like act on the current one
end

---Called with one line of text when something deserves to be known that is no error. Replace it at will.
---@param text string
function cuda.on_notice(text) io.stderr:write("cudalua: ", text, "\n") end

local init_options = { driver = true, flags = true }

---Opens the driver; every call after the first does nothing. Must precede everything but get_version().
---@param options? integer|{driver?: string, flags?: integer}  flags must be 0; driver: "auto" (default, or
---  CUDALUA_DRIVER), "cuda", "soft" (the software CUDA device), or the path of a driver library
---@raise RuntimeError where there is no driver or no device (100), LogicError for bad options. "auto" falls
--- back to the software device, with a notice, where there is no GPU.
function cuda.init(options)
  if type(options) == "number" then options = { flags = options } end
  if options ~= nil and type(options) ~= "table" then
    errors.raise("LogicError", "init: expected flags or a table of options, got " .. type(options))
  end
  options = options or {}
  errors.check_options("init", options, init_options)
  if options.flags ~= nil and options.flags ~= 0 then
    errors.raise("LogicError", "init: flags must be 0, got " .. tostring(options.flags))
  end
  if options.driver ~= nil and type(options.driver) ~= "string" then
    errors.raise("LogicError", "init: driver must be a string, got " .. type(options.driver))
  end
  local notice = core.init(options.driver)
  if notice and cuda.on_notice then cuda.on_notice(notice) end
end

---CUDA version of the headers that this library was built with.
---@return integer major, integer minor, integer patch
function cuda.get_version() return core.get_version() end

---@return integer  CUDA version of the driver: 13000 for 13.0
---@raise LogicError before cuda.init().
function cuda.get_driver_version() return core.get_driver_version() end

---Which driver is in use.
---@return {open: boolean, soft: boolean?, version: integer?, path: string?}
function cuda.driver_info() return core.driver_info() end

---Devices: `cuda.Device(0)`, `cuda.Device.count()`.
---@class cudalua.DeviceClass
---@overload fun(ordinal: integer): cudalua.Device
cuda.Device = setmetatable({}, {
  __index = core.classes.Device,
  __call = function(_, ordinal) return core.Device(ordinal) end,
})

---@return integer  number of devices
---@raise LogicError (3) before cuda.init().
function cuda.Device.count() return core.device_count() end

---@param ordinal integer  0 to Device.count() - 1
---@return cudalua.Device
---@raise LogicError (101).
function cuda.Device.get_device(ordinal) return core.Device(ordinal) end

---Makes the context current, calls f(...) and takes it off again, also when f raises.
---@param f function
---@param ... any  arguments of f
---@return any ...  what f returns
---@raise what f raises, and LogicError if f left another context on top of the stack.
function cuda.Context:with(f, ...)
  local depth = core.context_depth()
  cuda.Context.push(self)
  local function finish(ok, ...)
    local left = core.context_depth() - depth
    local balanced = left == 1 and cuda.Context.get_current() == self
    while core.context_depth() > depth do cuda.Context.pop() end
    if not ok then error((...), 0) end
    if not balanced then
      errors.raise("LogicError", left > 1 and "Context.with: the function left another context on top of the stack"
        or "Context.with: the function took off a context that it had not pushed")
    end
    return ...
  end
  return finish(pcall(f, ...))
end

---Allocates device memory in the current context. Freed by :free(), or when it is collected.
---@param bytes integer  at least 1
---@return cudalua.DeviceAllocation
---@raise MemoryError (requested, free, total), LogicError (201) without a current context.
function cuda.mem_alloc(bytes) return core.mem_alloc(host.plain_number(bytes)) end

---Runs Lua's garbage collector and gives everything that it finds back to the driver. Finalizers themselves never
---wait, so what would wait for running kernels is otherwise done by the next allocation or synchronisation.
function cuda.collect()
  collectgarbage()
  collectgarbage() -- what a finalized object held goes in the second pass
  core.drain()
end

---@return integer free, integer total  bytes on the current device
function cuda.mem_get_info() return core.mem_get_info() end

---Device memory with a copy of a host buffer.
---@param buf any  string, FFI array or struct, {ptr =, nbytes =}, object with :buffer()
---@return cudalua.DeviceAllocation
function cuda.to_device(buf)
  local src, n = host.host_buffer("to_device", buf)
  local mem = core.mem_alloc(n)
  core.memcpy_htod(mem, src, n)
  return mem
end

local copy_options = { nbytes = true }

local function nbytes_of(where, opts)
  if opts == nil then return nil end
  if type(opts) ~= "table" then
    errors.raise("LogicError", where .. ": the options must be a table, {nbytes = n}, got " .. type(opts))
  end
  errors.check_options(where, opts, copy_options)
  return host.plain_number(opts.nbytes)
end

---Copies host memory to the device; returns when the host buffer may be reused.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param src any  string, FFI array or struct, {ptr =, nbytes =}, object with :buffer()
---@param opts? {nbytes: integer}  default: the whole host buffer
---@raise LogicError where it does not fit.
function cuda.memcpy_htod(dest, src, opts)
  local ptr, n = host.host_buffer("memcpy_htod: src", src, nbytes_of("memcpy_htod", opts))
  core.memcpy_htod(host.plain_number(dest), ptr, n)
end

---Copies device memory to the host; returns when the data is there.
---@param dest any  FFI array or struct, {ptr =, nbytes =}, object with :buffer()
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param opts? {nbytes: integer}  default: the whole host buffer
---@raise LogicError where it does not fit; errors of kernels that ran before show here too.
function cuda.memcpy_dtoh(dest, src, opts)
  local ptr, n = host.host_buffer("memcpy_dtoh: dest", dest, nbytes_of("memcpy_dtoh", opts), true)
  core.memcpy_dtoh(ptr, host.plain_number(src), n)
end

---Copies within device memory. May return before the copy is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param nbytes integer
function cuda.memcpy_dtod(dest, src, nbytes)
  core.memcpy_dtod(host.plain_number(dest), host.plain_number(src), host.plain_number(nbytes))
end

---A device address that the caller vouches for: no owner, no bounds.
---@param address integer|ffi.cdata*
---@return cudalua.DevicePointer
function cuda.pointer(address) return core.pointer(host.plain_number(address)) end

---Loads a module from an image: cubin, PTX or fatbin.
---@param image string
---@return cudalua.Module
---@raise CompileError (218, 222 ...; log) for bad PTX, RuntimeError (209) for another architecture's code.
function cuda.module_from_buffer(image) return core.module_load(image) end

---@param path string  file that holds a cubin, PTX or a fatbin
---@return cudalua.Module
---@raise RuntimeError (301) where it cannot be read, else as module_from_buffer.
function cuda.module_from_file(path)
  if type(path) ~= "string" then
    errors.raise("LogicError", "module_from_file: expected a path, got " .. type(path))
  end
  local file, why = io.open(path, "rb")
  local image = file and file:read "*a"
  if file then file:close() end
  if not image then
    errors.raise("RuntimeError", "module_from_file: " .. (why or path .. " cannot be read"),
      { code = core.result.FILE_NOT_FOUND, name = "CUDA_ERROR_FILE_NOT_FOUND" })
  end
  return core.module_load(image)
end

---Compiles CUDA C and loads it into the current context: `cuda.SourceModule(source, options)`.
---@class cudalua.SourceModuleClass
---@overload fun(source: string, opts?: cudalua.CompileOptions): cudalua.SourceModule
cuda.SourceModule = setmetatable({}, {
  __index = function(_, name) return require("cudalua.compiler").SourceModuleClass[name] end,
  __call = function(_, source, opts) return require("cudalua.compiler").SourceModule(source, opts) end,
})

---Compiles CUDA C without loading it.
---@param source string
---@param opts? cudalua.CompileOptions
---@return string image, string? log
function cuda.compile(source, opts) return require("cudalua.compiler").compile(source, opts) end

---Kernel argument: device memory for the time of the call, filled from a host buffer before it.
---@param buf any           string, FFI array or struct, {ptr =, nbytes =}, object with :buffer()
---@param nbytes? integer   how much of it; default: all
---@return cudalua.ArgumentHandler
---@raise LogicError where it is no host buffer
function cuda.In(buf, nbytes) return launch.handler("In", buf, nbytes, true, false) end

---Kernel argument: device memory for the time of the call, copied to a host buffer after it. What the kernel
---leaves unwritten is undefined.
---@param buf any           FFI array or struct, {ptr =, nbytes =}, object with :buffer()
---@param nbytes? integer   how much of it; default: all
---@return cudalua.ArgumentHandler
---@raise LogicError where it is no host buffer, or a Lua string
function cuda.Out(buf, nbytes) return launch.handler("Out", buf, nbytes, false, true) end

---Kernel argument: as In and Out together.
---@param buf any           FFI array or struct, {ptr =, nbytes =}, object with :buffer()
---@param nbytes? integer   how much of it; default: all
---@return cudalua.ArgumentHandler
---@raise LogicError where it is no host buffer, or a Lua string
function cuda.InOut(buf, nbytes) return launch.handler("InOut", buf, nbytes, true, true) end

-- Scalars with a type of their own, for kernels whose parameter types are not known.
for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
  "bfloat16", "float32", "float64" } do
  cuda[dtype] = function(value)
    if type(value) == "cdata" then
      local bytes, own = host.value_bytes(value)
      if own == dtype then return core.scalar(dtype, bytes, true) end
      value = host.plain_number(value)
    end
    return core.scalar(dtype, value)
  end
end

return cuda
