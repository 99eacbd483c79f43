-- cudalua: CUDA for LuaJIT. `cuda` in all documents is this module.
-- Nothing of CUDA is opened here: the driver comes with cuda.init(), NVRTC with the first compilation.

if type(jit) ~= "table" then error("cudalua needs LuaJIT 2.1; this is " .. _VERSION, 2) end

local core = require "cudalua.core"
local ABI = 1
if core.ABI ~= ABI then
  error(("cudalua: the C module has interface %s, but the Lua files need %d: their versions differ"):format(
    tostring(core.ABI), ABI), 2)
end

core.set_library_root((debug.getinfo(1, "S").source:match "^@(.*)init%.lua$") or "=none")

local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local launch = require "cudalua.driver.launch"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
require "cudalua.driver.function"
require "cudalua.driver.prepare"
require "cudalua.driver.params"

core.on_fault(function(err) return require("cudalua.fault.source").explain(err) end)

---CUDA for LuaJIT: devices, streams, memory and kernels, with arrays and more in its modules.
---@class cudalua
local cuda = { Context = require "cudalua.driver.context", Device = require "cudalua.driver.device",
  Event = require "cudalua.driver.event" }

---The driver's error codes by name, without CUDA_ERROR_: `err.code == cuda.result.OUT_OF_MEMORY`.
---@type table<string, integer>
cuda.result = core.result

for name, value in pairs_of(errors) do
  if type(value) == "table" then cuda[name] = value end
end
cuda.is_error = errors.is_error
for name, value in pairs_of(require "cudalua.driver.stream") do cuda[name] = value end
for name, value in pairs_of(require "cudalua.driver.module") do cuda[name] = value end
for name, value in pairs_of(require "cudalua.driver.memory") do cuda[name] = value end
for name, value in pairs_of(require "cudalua.driver.memcpy") do cuda[name] = value end
for name, value in pairs_of(require "cudalua.driver.debugging") do cuda[name] = value end
for name, value in pairs_of(require "cudalua.base.version") do cuda[name] = value end
cuda._VERSION = "cudalua " .. cuda.VERSION_TEXT
local ELEMENTS = "copy its elements to a host array with cuda.from_device(memory, shape, dtype)"
for name, methods in pairs_of(core.classes) do
  names.class(methods, name, nil, rawget(methods, "ptr") and ELEMENTS or nil)
end
for _, name in ipairs { "DeviceAllocation", "DevicePointer", "Module", "Function", "Graph", "GraphExec",
  "GraphNode" } do
  cuda[name] = core.classes[name] -- tables of methods
end

require "cudalua.driver.graph" -- behind names.class(): cuda.Graph can be called

hooks.elsewhere = function(owner, key) return require "cudalua.help.elsewhere"(owner, key) end

core.on_finalizer_error(function(err)
  if cuda.on_notice then cuda.on_notice("an error in a finalizer: " .. tostring(err)) end
end)

-- A kernel's fault that no call raised is no less of an error where notices are switched off: then C writes it.
core.on_unseen(function(text)
  local hook = cuda.on_notice
  if hook then hook(text) end
  return hook and true or false
end)

---Called with the text of a notice, such as a compiler's warnings; a notice is not an error. Assign another function,
---or nil to suppress notices.
---@param text string  the text of the notice
---@raise LogicError if a function is passed: assign it instead
function cuda.on_notice(text)
  if type(text) == "function" then
    errors.raise("LogicError", "on_notice: expected the text of a notice, got a function; write cuda.on_notice = f")
  end
  core.progress_erase()
  io.stderr:write("cudalua: ", type(text) == "string" and text or errors.text(text), "\n")
end

local init_options = { driver = true, flags = true }

---Opens the driver. Calls that need the driver open it automatically. Use init() to choose another driver, or to get
---errors at this point of the program. Later calls do nothing, but raise an error if they name another driver.
---@param options? integer|{driver?: string, flags?: integer}  flags: must be 0; driver: "auto" (default, or
---  CUDALUA_DRIVER), "cuda", "soft" (the software CUDA device), or the path of a driver library
---@raise RuntimeError if the driver or a device is missing (100), LogicError for invalid options, and if the process
---  uses another driver. If no GPU is found, "auto" falls back to the software device, with a notice.
function cuda.init(options)
  if type(options) == "number" then options = { flags = options } end
  options = errors.options("init", options, init_options)
  if options.flags ~= nil and options.flags ~= 0 then
    errors.raise("LogicError", "init: flags must be 0, got " .. errors.text(options.flags))
  end
  if options.driver ~= nil and type(options.driver) ~= "string" then
    errors.raise("LogicError", "init: driver must be a string, got " .. type(options.driver))
  end
  local notice = core.init(options.driver)
  hooks.trace_lines()
  local rank = os.getenv "CUDALUA_LOCAL_RANK" -- of cudalua run: the first process of a machine tells it for all
  if notice and cuda.on_notice and (not rank or rank == "0") then cuda.on_notice(notice) end
end

-- What C asks for when a call finds no driver, or no context in a thread that never had one.
local init = cuda.init
core.on_start(function(what)
  if what == "driver" then return init() end
  require("cudalua.tools").make_default_context(function(device) return device:retain_primary_context():push() end)
end)

---Returns true if a name exists. Using an unknown name is an error.
---@param name string  a name relative to `cuda`, of a module, a class or a function: "gpuarray", "gpuarray.sort",
---  "Stream:use"
---@return boolean
---@raise LogicError if name is not a string
function cuda.has(name)
  if type(name) ~= "string" then errors.raise("LogicError", "has: expected a name, got " .. errors.text(name)) end
  return names.has(cuda, name)
end

---Returns a function that calls fn and converts errors of this library to strings: for host programs that show only
---strings, such as nginx, and C that calls lua_tostring().
---@param fn function  an entry point of the program
---@param options? {traceback: boolean}  traceback: append the stack of the error to the text; default false
---@return function  takes the arguments of fn and returns its results; errors of other code pass unchanged
---@raise LogicError if fn is not callable
function cuda.text_errors(fn, options) return require("cudalua.base.text_errors")(fn, options) end

---Returns the driver in use.
---@return {open: boolean, soft: boolean?, version: integer?, path: string?}  open: true if the driver is open; soft:
---  true for the software device; version: the driver's CUDA version; path: the driver's library
function cuda.driver_info() return core.driver_info() end

---Returns the device's sticky error. After such an error every call on the device fails in this process, which must
---restart.
---@param device? cudalua.Device  default: the device of the current context
---@return integer? code  nil without such an error
---@return string? name  "CUDA_ERROR_ILLEGAL_ADDRESS"
---@raise LogicError (201) if no context is current and you pass no device
function cuda.device_error(device) return core.device_error(device) end

---Returns a Context for a CUcontext that other code in this process owns. detach() releases it without destroying the
---CUcontext. An invalid handle may crash the driver.
---@param handle integer|ffi.cdata*  the CUcontext as a number
---@return cudalua.Context  the same object each time
---@raise LogicError for 0, and for the handle of a Context that was detached
function cuda.wrap_context(handle) return core.wrap_context(host.plain_number(handle)) end

---Returns a pointer to a device address that you guarantee to be valid. It has no owner and no bounds.
---@param address integer|ffi.cdata*  the device address
---@return cudalua.DevicePointer
function cuda.pointer(address) return core.pointer(host.plain_number(address)) end

---Compiles CUDA C and loads it into the current context: `cuda.SourceModule(source, options)`.
---@class cudalua.SourceModuleClass
---@overload fun(source: string, opts?: cudalua.CompileOptions): cudalua.SourceModule
cuda.SourceModule = setmetatable({}, {
  __index = function(_, name) return require("cudalua.compiler").SourceModuleClass[name] end,
  __call = function(_, source, opts) return require("cudalua.compiler").SourceModule(source, opts) end,
})

---Compiles CUDA C without loading it.
---@param source string  the CUDA C source
---@param opts? cudalua.CompileOptions  the compiler's options
---@return string image, string? log
function cuda.compile(source, opts) return require("cudalua.compiler").compile(source, opts) end

---Compiles CUDA C, loads it and returns one of its kernels: `cuda.kernel(source)(x, n, { block = 256 })`.
---@param source string  the CUDA C source
---@param name? string|cudalua.CompileOptions  the name of the kernel; optional if the source has one kernel. For an
---  instance of a template, "fill<float>", name_expressions and no_extern_c are set automatically
---@param opts? cudalua.CompileOptions  the compiler's options; you can pass them instead of the name
---@return cudalua.Function
---@raise LogicError (500) that lists the kernels if none has that name, LogicError if the name is missing and the
---  source has several kernels or none; errors of SourceModule
function cuda.kernel(source, name, opts) return require("cudalua.compiler").kernel(source, name, opts) end

---A kernel argument: device memory for the duration of the call, filled from a host buffer before it. The call raises a
---LogicError if the elements of the buffer are known and differ from those of the parameter.
---@param buf any  a host array, a string, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer()
---@param nbytes? integer  the number of bytes to copy; default: all
---@return cudalua.ArgumentHandler
---@raise LogicError if buf is not a host buffer
function cuda.In(buf, nbytes) return launch.handler("In", buf, nbytes, true, false) end

---A kernel argument: device memory for the duration of the call, copied to a host buffer after it. Elements that the
---kernel does not write are undefined.
---@param buf any  a host array, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer()
---@param nbytes? integer  the number of bytes to copy; default: all
---@return cudalua.ArgumentHandler
---@raise LogicError if buf is not a host buffer, or is a Lua string
function cuda.Out(buf, nbytes) return launch.handler("Out", buf, nbytes, false, true) end

---A kernel argument that combines In and Out.
---@param buf any  a host array, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer()
---@param nbytes? integer  the number of bytes to copy; default: all
---@return cudalua.ArgumentHandler
---@raise LogicError if buf is not a host buffer, or is a Lua string
function cuda.InOut(buf, nbytes) return launch.handler("InOut", buf, nbytes, true, true) end

---A null pointer for the list of arguments in fn{a, cuda.null, b, block = ...}, where nil would end the list.
---@type cudalua.DevicePointer
cuda.null = core.pointer(0)

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

-- What few programs need is loaded when one of its names is first asked for.
local later = {}
for room, files in pairs_of {
  compiler = {
    cache = "cache_info clear_cache",
    dynamic = "DynamicModule DynamicSourceModule",
    nvjitlink = "link",
  },
  ["distributed.process"] = { devices = "devices" },
  driver = {
    array = "Array ArrayDescriptor ArrayDescriptor3D memcpy_dtoa memcpy_atod memcpy_htoa memcpy_atoh memcpy_atoa " ..
      "dtype_to_array_format matrix_to_array make_multichannel_2d_array np_to_array gpuarray_to_array MipmappedArray",
    hostmem = "pagelocked_empty pagelocked_zeros pagelocked_empty_like pagelocked_zeros_like aligned_empty " ..
      "aligned_zeros aligned_empty_like aligned_zeros_like managed_empty managed_zeros managed_empty_like " ..
      "managed_zeros_like register_host_memory HostAllocation PagelockedHostAllocation AlignedHostAllocation " ..
      "RegisteredHostMemory ManagedAllocation",
    interrupts = "interrupts interrupt",
    ipc = "mem_get_ipc_handle IPCMemoryHandle",
    linear = "mem_alloc_pitch mem_get_address_range",
    memcpy_box = "Memcpy2D Memcpy3D Memcpy3DPeer",
    mempool = "MemoryPool default_mempool import_mempool",
    pool = "DeviceMemoryPool PooledDeviceAllocation PageLockedMemoryPool PageLockedAllocator PooledHostAllocation " ..
      "DebugMemoryPool",
    profiler = "start_profiler stop_profiler initialize_profiler",
    progress = "progress show_progress",
    texref = "TextureReference SurfaceReference bind_array_to_texref matrix_to_texref",
    surface = "SurfaceObject",
    texture = "TextureObject",
  },
  gpuarray = { graph_call = "graph GraphCall" },
  look = { plot = "plot", show = "show" },
  profile = { profile = "profile", range = "range" },
} do
  for file, list in pairs_of(files) do
    for name in list:gmatch "%S+" do later[name] = room .. "." .. file end
  end
end
-- As fields: cuda.ndarray.zeros.
local modules = { cache = true, characterize = true, compiler = true, cumath = true, curandom = true, debug = true,
  distributed = true, driver = true, dtype = true, elementwise = true, fft = true, gpuarray = true, image = true,
  interop = true, io = true, linalg = true, math = true, ndarray = true, random = true, reduction = true, scan = true,
  softgpu = true, sparse = true, tools = true, vec = true }

-- Fields that a program may set to nil.
local optional = { on_notice = true }

-- cuda.ctx_flags and the other constants are made when they are first looked at.
local constants = require "cudalua.base.constants"
names.strict(cuda, {
  text = "cuda", kind = "cuda", optional = optional,
  find = function(self, name)
    local value
    if later[name] then
      value = require("cudalua." .. later[name])[name]
    elseif modules[name] then
      value = require("cudalua." .. name)
    else
      value = constants.lookup(name)
    end
    if value ~= nil then rawset(self, name, value) end
    return value
  end,
  more = function()
    local list = constants.names()
    for name in pairs_of(later) do list[#list + 1] = name end
    for name in pairs_of(modules) do list[#list + 1] = name end
    return list
  end,
})

return cuda
