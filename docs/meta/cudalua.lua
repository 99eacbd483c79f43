---@meta cudalua
-- Annotations of what is written in C, or made in a loop: for the language server, help() and the manual.
-- Semantics follow the CUDA driver API (the function named in each entry) and PyCUDA's driver module.

---@class cudalua
local cuda = {}

---Is `value` an error of this library, and of that class? Safe for anything that pcall returns.
---@param value any
---@param class? table|string  a class, such as cuda.MemoryError, or its name
---@return boolean
function cuda.is_error(value, class) end

---A GPU, by its ordinal (0-based, as CUDA numbers them). One object per ordinal: works as a table key.
---@class cudalua.Device
local Device = {}

---cuDeviceGetName.
---@return string
function Device:name() end

---@return integer  the 0-based number it was made with
--- cuDeviceGet's ordinal.
function Device:ordinal() end

---cuDeviceGetAttribute 75 and 76.
---@return integer major
---@return integer minor
function Device:compute_capability() end

---cuDeviceTotalMem.
---@return number  bytes
function Device:total_memory() end

---cuDeviceGetAttribute.
---@param attribute integer  CUdevice_attribute
---@return integer  in the driver's unit: bytes, kHz, 0 or 1 ...
---@raise LogicError for a number that the driver does not know
function Device:get_attribute(attribute) end

---cuCtxCreate: a context of its own, made current.
---@param flags? integer  CUctx_flags
---@return cudalua.Context
---@raise MemoryError, LogicError for bad flags
function Device:make_context(flags) end

---cuDevicePrimaryCtxRetain: the context that the CUDA runtime and other libraries share. Not made current.
---@return cudalua.Context  the same object each time, while it is alive
function Device:retain_primary_context() end

---A CUDA context. Collected only when nothing that lives in it is left; detach() ends it at once.
---@class cudalua.Context
local Context = {}

---cuCtxPushCurrent: makes it current on this thread.
---@return cudalua.Context self
---@raise LogicError for a detached context
function Context:push() end

---cuCtxPopCurrent: Context.pop() takes the current context off; destroyed ones under it are skipped.
---@return cudalua.Context
---@raise LogicError (201) where there is none
function Context.pop() end

---cuCtxDestroy or cuDevicePrimaryCtxRelease, when it was called as often as the context was made or retained.
---Everything in the context is dead from then on. A current context is taken off the stack.
---@raise LogicError for a detached context
function Context:detach() end

---cuCtxSynchronize: waits for all work of this context; Context.synchronize() of the current one.
---@raise what kernels failed with
function Context:synchronize() end

---cuCtxGetCurrent.
---@return cudalua.Context?
function Context.get_current() end

---cuCtxGetDevice: of this context; Context.get_device() of the current one.
---@return cudalua.Device
---@raise LogicError (201) where none is current
function Context:get_device() end

---@return number  the CUcontext as a number, for other libraries
--- The driver's handle.
function Context:handle() end

---Device memory that it owns. `#a` is its size in bytes, `a + bytes` a DevicePointer to what follows.
---@class cudalua.DeviceAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local DeviceAllocation = {}

---cuMemFree: gives the memory back now. Waits for kernels that run.
---@raise LogicError where it was freed before
function DeviceAllocation:free() end

---The same as free().
---@raise LogicError where it was freed before
function DeviceAllocation:close() end

---The device address.
---@return number
---@raise LogicError where it was freed
function DeviceAllocation:ptr() end

---A view into an allocation or a module's variable, which it holds; or a bare address.
---@class cudalua.DevicePointer
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local DevicePointer = {}

---The device address.
---@return number
---@raise LogicError where what it points into was freed
function DevicePointer:ptr() end

---Code on the device.
---@class cudalua.Module
local Module = {}

---cuModuleGetFunction.
---@param name string
---@return cudalua.Function  the same object each time
---@raise LogicError (500) that lists the kernels there are
function Module:get_function(name) end

---cuModuleGetGlobal.
---@param name string  a __device__ or __constant__ variable
---@return cudalua.DevicePointer pointer  holds the module
---@return number bytes
---@raise LogicError (500)
function Module:get_global(name) end

---cuModuleUnload. Its functions and pointers are dead from then on.
---@raise LogicError where it was closed before
function Module:close() end

---@class cudalua.LaunchOptions
---@field block integer|integer[]   threads of a block: up to 3 extents; required
---@field grid? integer|integer[]   blocks of the grid; default 1
---@field shared? integer           bytes of dynamic shared memory; default 0
---@field time_kernel? boolean      true: waits, and returns the seconds it took

---A kernel. Call it: `fn(a, b, n, {block = 256, grid = 10})`, or `fn{a, b, n, block = 256}`. Numbers and
---booleans are converted to the parameter's own type; memory is DeviceAllocation, DevicePointer, In, Out, InOut,
---or an object with get_pointer(); structs are FFI structs or strings of their bytes; nil is a null pointer.
---Also attributes as fields: `fn.num_regs`.
---@class cudalua.Function
---@overload fun(...): number?
local Function = {}

---@return string  as in the module: mangled for templates
--- The kernel's name.
function Function:name() end

---cuFuncGetAttribute.
---@param attribute string|integer  "num_regs", "shared_size_bytes", "local_size_bytes", "const_size_bytes",
---  "max_threads_per_block", "max_dynamic_shared_size_bytes", "ptx_version", "binary_version", or a number
---@return integer
---@raise LogicError for one that there is not
function Function:get_attribute(attribute) end

---A scalar with a type of its own, for a kernel whose parameter types are not known.
---@class cudalua.Scalar

---@param value number|boolean|ffi.cdata*
---@return cudalua.Scalar
--- One byte, 0 or 1.
function cuda.bool(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value is not whole or out of range
--- An 8-bit signed integer.
function cuda.int8(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value is not whole or out of range
--- An 8-bit unsigned integer.
function cuda.uint8(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value is not whole or out of range
--- A 16-bit signed integer.
function cuda.int16(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value is not whole or out of range
--- A 16-bit unsigned integer.
function cuda.uint16(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value is not whole or out of range
--- A 32-bit signed integer.
function cuda.int32(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value is not whole or out of range
--- A 32-bit unsigned integer.
function cuda.uint32(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value is not whole or out of range
--- A 64-bit signed integer; beyond 2^53 as cdata, 5LL.
function cuda.int64(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value is not whole or out of range
--- A 64-bit unsigned integer; beyond 2^53 as cdata, 5ULL.
function cuda.uint64(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value overflows
--- IEEE binary16.
function cuda.float16(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value overflows
--- The upper half of a binary32.
function cuda.bfloat16(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value overflows
--- IEEE binary32.
function cuda.float32(value) end

---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError where the value overflows
--- IEEE binary64.
function cuda.float64(value) end

return cuda
