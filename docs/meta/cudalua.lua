---@meta cudalua
-- Annotations of what is written in C, or made in a loop: for the language server, help() and the manual.
-- Semantics follow the CUDA driver API (the function named in each entry) and PyCUDA's driver module.

-- The modules that load when they are first looked at.
---@class cudalua
---@field cache cudalua.cache
---@field characterize cudalua.characterize
---@field compiler cudalua.compiler
---@field cumath cudalua.math
---@field curandom cudalua.random
---@field debug cudalua.debug
---@field driver cudalua
---@field dtype cudalua.dtype
---@field elementwise cudalua.elementwise
---@field fft cudalua.fft
---@field gpuarray cudalua.gpuarray
---@field interop cudalua.interop
---@field io cudalua.io
---@field linalg cudalua.linalg
---@field math cudalua.math
---@field ndarray cudalua.ndarray
---@field random cudalua.random
---@field reduction cudalua.reduction
---@field scan cudalua.scan
---@field softgpu cudalua.softgpu
---@field sparse cudalua.sparse
---@field tools cudalua.tools
---@field vec cudalua.vec
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

---cuDeviceGet's ordinal.
---@return integer  the 0-based number it was made with
function Device:ordinal() end

---cuDeviceGetAttribute 75 and 76.
---@return integer major
---@return integer minor
function Device:compute_capability() end

---The same, as PyCUDA's first documents spell it.
---@return integer major
---@return integer minor
function Device:compute_cabability() end

---cuDeviceTotalMem.
---@return number  bytes
function Device:total_memory() end

---cuDeviceGetAttribute. An attribute can also be read as a field: `dev.clock_rate`.
---@param attribute integer|string  cuda.device_attribute, or its name: "clock_rate"
---@return integer  in the driver's unit: bytes, kHz, 0 or 1 ...
---@raise LogicError if the name is unknown, or a number that the driver does not know
function Device:get_attribute(attribute) end

---cuDeviceGetAttribute, for every attribute of cuda.h. Left out are those that this driver does not know.
---@param options? {names: boolean}  names = true: keyed by lower-case name
---@return table<integer|string, integer>  keyed by number
---@raise LogicError for other options
function Device:get_attributes(options) end

---cuDeviceGetPCIBusId. (The numeric attribute of that name: get_attribute "pci_bus_id".)
---@return string  domain:bus:device.function, "0000:3b:00.0"; cuda.Device() takes it
function Device:pci_bus_id() end

---cuDeviceGetUuid: names this GPU on any machine. nvidia-smi writes GPU- (of a part of a GPU MIG-) before it.
---@return string  36 characters: "0a1b2c3d-..."
---@raise RuntimeError if the driver is older than 11.4
function Device:uuid() end

---cuDeviceCanAccessPeer: can kernels on this device use memory of the other? To be switched on by
---Context:enable_peer_access().
---@param other cudalua.Device
---@return boolean  false for the device itself
---@raise LogicError unless other is a Device
function Device:can_access_peer(other) end

---cuDeviceGetP2PAttribute: what the way from this device to the other is like.
---@param other cudalua.Device
---@param attribute integer|string  cuda.p2p_attribute, or its name: "performance_rank"
---@return integer
---@raise LogicError if other is the same device
function Device:p2p_attribute(other, attribute) end

---cuCtxCreate: a new context, made current. `cuda.Context(dev, flags)` does the same.
---@param flags? integer|string|(integer|string)[]  cuda.ctx_flags: "sched_spin", or several in a list
---@return cudalua.Context
---@raise MemoryError, LogicError for bad flags
function Device:make_context(flags) end

---cuDevicePrimaryCtxRetain: the context that the CUDA runtime and other libraries share. Not made current.
---@return cudalua.Context  the same object each time, while it is alive; that of the host program, if it is known
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
---@raise LogicError (201) if no context is current
function Context.pop() end

---cuCtxDestroy or cuDevicePrimaryCtxRelease, when it was called as often as the context was made or retained.
---You can no longer use what belongs to the context; if other code keeps the context in use, these objects are freed
---first. A current context is taken off the stack.
---@raise LogicError for a detached context
function Context:detach() end

---cuCtxSynchronize: waits for all work of this context; Context.synchronize() of the current one.
---@overload fun()
---@raise what kernels failed with
function Context:synchronize() end

---cuCtxGetCurrent.
---@return cudalua.Context?
function Context.get_current() end

---cuCtxGetDevice: of this context; Context.get_device() of the current one.
---@overload fun(): cudalua.Device
---@return cudalua.Device
---@raise LogicError (201) if no context is current
function Context:get_device() end

---The driver's handle.
---@return number  the CUcontext as a number, for other libraries
function Context:handle() end

---Counts one more use of this context; Context.attach() of the current one. It then takes one more detach() to end it.
---@param flags? integer  0
---@return cudalua.Context
---@raise LogicError (201) if no context is current, and for other flags
function Context:attach(flags) end

---cuCtxGetFlags: of this context; Context.get_flags() of the current one.
---@return integer  bits of cuda.ctx_flags
---@raise LogicError (201) if no context is current
function Context:get_flags() end

---cuCtxGetApiVersion: of this context; Context.get_api_version() of the current one.
---@return integer  3020 with all drivers so far
---@raise LogicError (201) if no context is current
function Context:get_api_version() end

---Has a sticky error (an illegal address ...) ended this context's device for the process? Context.is_poisoned() asks
---for the current one. See also cuda.device_error().
---@return boolean
---@raise LogicError (201) if no context is current
function Context:is_poisoned() end

---cuCtxGetLimit: of this context; Context.get_limit(limit) of the current one.
---@param limit integer|string  cuda.limit, or its name: "stack_size"
---@return number  bytes, or a count
---@raise LogicError (215) for a limit that the device does not have
function Context:get_limit(limit) end

---cuCtxSetLimit: of this context; Context.set_limit(limit, value) of the current one. The driver may round.
---@param limit integer|string  cuda.limit, or its name: "stack_size"
---@param value integer  bytes, or a count
---@raise LogicError for a limit that the device does not have (215), and for a value out of range
function Context:set_limit(limit, value) end

---cuCtxGetCacheConfig: of this context; Context.get_cache_config() of the current one.
---@return integer  one of cuda.func_cache
---@raise LogicError (201) if no context is current
function Context:get_cache_config() end

---cuCtxSetCacheConfig: what kernels prefer that say nothing themselves, a hint. Of this context;
---Context.set_cache_config(config) of the current one.
---@param config integer|string  cuda.func_cache, or its name: "prefer_l1"
---@raise LogicError for any other value
function Context:set_cache_config(config) end

---cuCtxGetSharedMemConfig: of this context; Context.get_shared_config() of the current one.
---@return integer  one of cuda.shared_config
---@raise LogicError (201) if no context is current
function Context:get_shared_config() end

---cuCtxSetSharedMemConfig: has no effect on today's GPUs. Of this context; Context.set_shared_config(config) of the
---current one.
---@param config integer|string  cuda.shared_config, or its name: "four_byte_bank_size"
---@raise LogicError for any other value
function Context:set_shared_config(config) end

---cuCtxEnablePeerAccess: kernels of this context may use the peer's memory of mem_alloc() from now on;
---Context.enable_peer_access(peer) is for the current one. One direction: the peer has to be asked for the other.
---@param peer cudalua.Context  a context on another device
---@param flags? integer  0
---@raise LogicError if that is not possible (217), and if it was already enabled (704)
function Context:enable_peer_access(peer, flags) end

---cuCtxDisablePeerAccess: takes enable_peer_access() back.
---@param peer cudalua.Context
---@raise LogicError (705) if it was not enabled
function Context:disable_peer_access(peer) end

---Device memory that it owns. `#a` is its size in bytes, `a + bytes` a DevicePointer to what follows.
---@class cudalua.DeviceAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local DeviceAllocation = {}

---cuMemFree: gives the memory back now. Waits for kernels that run. Memory of mem_alloc_async() and of a MemoryPool:
---cuMemFreeAsync in the order of its stream, after the work of other streams; that waits for nothing.
---@raise LogicError if it was already freed, and in a stream that is being captured
function DeviceAllocation:free() end

---cuMemFreeAsync: gives memory of mem_alloc_async() or of a MemoryPool back in the order of a stream, which waits for
---the
---work of all others with it.
---@param stream? cudalua.Stream  default: the one that it was allocated in
---@raise LogicError if it was already freed, for other memory, and in a stream that is being captured
function DeviceAllocation:free_async(stream) end

---The same as free().
---@raise LogicError if it was already freed
function DeviceAllocation:close() end

---The device address.
---@return number
---@raise LogicError if it was freed
function DeviceAllocation:ptr() end

---A view into an allocation or a module's variable, which it holds; or a bare address.
---@class cudalua.DevicePointer
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local DevicePointer = {}

---The device address.
---@return number
---@raise LogicError if what it points into was freed
function DevicePointer:ptr() end

---Code on the device.
---@class cudalua.Module
local Module = {}

---cuModuleGetGlobal.
---@param name string  a __device__ or __constant__ variable
---@return cudalua.DevicePointer pointer  holds the module
---@return number bytes
---@raise LogicError (500)
function Module:get_global(name) end

---cuModuleUnload. Its functions and pointers are dead from then on.
---@raise LogicError if it was already closed
function Module:close() end

---@class cudalua.LaunchOptions
---@field block integer|integer[]   threads of a block: up to 3 extents; required
---@field grid? integer|integer[]   blocks of the grid; default 1
---@field shared? integer           bytes of dynamic shared memory; default 0. More than 48 KiB is asked for by itself
---@field stream? cudalua.Stream    default: the current stream
---@field cooperative? boolean      true: all blocks are on the device at once, and can wait for each other
---@field cluster? integer|integer[] blocks of a thread block cluster (compute capability 9.0); the grid is a multiple
---@field priority? integer         within Stream.priority_range(): the smaller, the more urgent
---@field pdl? boolean              true: may begin before the kernel before it in the stream has ended, and then has to
---  wait by cudaGridDependencySynchronize() (compute capability 9.0)
---@field carveout? integer|string  percent of an SM's memory that should be shared memory, or cuda.shared_carveout
----  (the default is what the function's attribute says)
---@field time_kernel? boolean      true: waits for the context before and after, and returns the seconds it took; takes
---  no stream

---A kernel. Call it: `fn(a, b, n, {block = 256, grid = 10})`, or `fn{a, b, n, block = 256}`. Numbers and
---booleans are converted to the parameter's own type; memory is DeviceAllocation, DevicePointer, In, Out, InOut,
---or an object with get_pointer(); structs are FFI structs or strings of their bytes; nil is a null pointer.
---Also attributes as fields: `fn.num_regs`.
---@class cudalua.Function: function
---@overload fun(..., options: cudalua.LaunchOptions): number?  the seconds, with time_kernel
local Function = {}

---The kernel's name.
---@return string  as in the module: mangled for templates
function Function:name() end

---cuFuncGetAttribute. An attribute can also be read as a field: `fn.num_regs`; PyCUDA's first names are registers, smem
---and lmem.
---@param attribute string|integer  cuda.function_attribute, or its name: "num_regs", "local_size_bytes" ...
---@return integer
---@raise LogicError if it is unknown
function Function:get_attribute(attribute) end

---cuFuncSetAttribute.
---@param attribute string|integer  "max_dynamic_shared_size_bytes", "preferred_shared_memory_carveout" (percent),
---  "non_portable_cluster_size_allowed" ...; most are only for reading
---@param value integer
---@raise LogicError if the attribute cannot be set, or not to this value
function Function:set_attribute(attribute, value) end

---cuFuncSetCacheConfig, a hint: what the memory that L1 cache and shared memory have in common should rather be.
---@param config integer|string  cuda.func_cache: "prefer_none", "prefer_shared", "prefer_l1", "prefer_equal"
---@raise LogicError if it is not a cache configuration
function Function:set_cache_config(config) end

---cuFuncSetSharedMemConfig: the width of shared memory's banks. Does nothing on GPUs of today.
---@param config integer|string  cuda.shared_config: "default_bank_size", "four_byte_bank_size", ...
---@raise LogicError if it is not a bank size
function Function:set_shared_config(config) end

---cuOccupancyMaxActiveBlocksPerMultiprocessor: how many blocks of this kernel an SM has at a time.
---@param block integer|integer[]     threads of a block
---@param shared? integer             bytes of dynamic shared memory of a block; default 0
---@param flags? integer|string       cuda.occupancy_flags
---@return integer blocks             0: such a block does not fit
---@raise LogicError if its context is not current
function Function:max_active_blocks(block, shared, flags) end

---cuOccupancyAvailableDynamicSMemPerBlock: the dynamic shared memory that each of so many blocks on an SM can have.
---@param blocks integer            on an SM at a time
---@param block integer|integer[]   threads of a block
---@return integer bytes
---@raise LaunchError if so many do not fit even without, LogicError if its context is not current
function Function:available_shared(blocks, block) end

---cuOccupancyMaxActiveClusters: how many clusters of this kernel the device has at a time.
---@param options cudalua.LaunchOptions  block and cluster, and shared
---@return integer clusters              0: none fits, or the device has no clusters
---@raise LogicError if its context is not current
function Function:max_active_clusters(options) end

---cuOccupancyMaxPotentialClusterSize: the largest cluster that fits.
---@param options cudalua.LaunchOptions  block, and shared
---@return integer blocks                of the cluster; 1 if the device has none, 0 if no block fits
---@raise LogicError if its context is not current
function Function:max_cluster_size(options) end

---Launches what prepare() settled, in the current stream: the fastest way to launch, and checked as fn(...) is.
---@param grid integer|integer[]  blocks: up to 3 extents
---@param ... any  a list of the block's extents, needed if prepare() was given no block; then the arguments, as
---  fn(...) takes them; behind them, if need be, {shared_size = bytes}
---@raise LogicError for arguments that do not fit, and if prepare() was not called; LaunchError for a grid or a
--- block beyond the limits
function Function:prepared_call(grid, ...) end

---The same in a stream.
---@param grid integer|integer[]  blocks: up to 3 extents
---@param ... any  the block, if need be, as for prepared_call(); the Stream, nil for the current one; the arguments
---@raise LogicError, LaunchError as prepared_call
function Function:prepared_async_call(grid, ...) end

---The threads of a block, for launch() and its like, and for prepared_call().
---@param x integer
---@param y? integer  default 1
---@param z? integer  default 1
---@raise LogicError for values that are not positive integers
function Function:set_block_shape(x, y, z) end

---The dynamic shared memory of a block, for launch() and its like, and for prepared_call().
---@param bytes integer
---@raise LogicError if it is not a number of bytes
function Function:set_shared_size(bytes) end

---A scalar with a type of its own, for a kernel whose parameter types are not known.
---@class cudalua.Scalar

---One byte, 0 or 1.
---@param value number|boolean|ffi.cdata*
---@return cudalua.Scalar
function cuda.bool(value) end

---An 8-bit signed integer.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.int8(value) end

---An 8-bit unsigned integer.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.uint8(value) end

---A 16-bit signed integer.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.int16(value) end

---A 16-bit unsigned integer.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.uint16(value) end

---A 32-bit signed integer.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.int32(value) end

---A 32-bit unsigned integer.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.uint32(value) end

---A 64-bit signed integer; beyond 2^53 as cdata, 5LL.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.int64(value) end

---A 64-bit unsigned integer; beyond 2^53 as cdata, 5ULL.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.uint64(value) end

---IEEE binary16.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value overflows
function cuda.float16(value) end

---The upper half of a binary32.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value overflows
function cuda.bfloat16(value) end

---IEEE binary32.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value overflows
function cuda.float32(value) end

---IEEE binary64.
---@param value number|ffi.cdata*
---@return cudalua.Scalar
---@raise LogicError if the value overflows
function cuda.float64(value) end

---@class cudalua.Linker
local Linker = {}

---Gives the linker up without linking.
---@raise LogicError if it was closed already, also by link_module()
function Linker:close() end

return cuda
