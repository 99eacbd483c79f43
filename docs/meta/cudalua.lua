---@meta cudalua
-- Annotations of what is written in C, or made in a loop: for the language server, help() and the manual.
-- Semantics follow the CUDA driver API (the function named in each entry) and PyCUDA's driver module.

-- The modules that load when they are first looked at.
---@class cudalua
---@field cache cudalua.cache  the cache of compiled code
---@field characterize cudalua.characterize  names of PyCUDA's pycuda.characterize: sizes of types on the device
---@field compiler cudalua.compiler  compiling CUDA C, and modules from source
---@field cumath cudalua.math  the module math under PyCUDA's name
---@field curandom cudalua.random  the module random under PyCUDA's name
---@field debug cudalua.debug  finding errors: recording and replaying launches
---@field driver cudalua  the module itself, under PyCUDA's name
---@field dtype cudalua.dtype  element types
---@field elementwise cudalua.elementwise  element-wise kernels of your own
---@field fft cudalua.fft  Fourier transforms
---@field gpuarray cudalua.gpuarray  arrays in device memory
---@field interop cudalua.interop  exchanging arrays with other libraries
---@field io cudalua.io  reading and writing files
---@field linalg cudalua.linalg  linear algebra
---@field math cudalua.math  mathematical functions of arrays
---@field ndarray cudalua.ndarray  arrays in host memory
---@field random cudalua.random  random numbers
---@field reduction cudalua.reduction  reduction kernels of your own
---@field scan cudalua.scan  scan kernels of your own
---@field softgpu cudalua.softgpu  the software device
---@field sparse cudalua.sparse  sparse matrices
---@field tools cudalua.tools  PyCUDA's tools
---@field vec cudalua.vec  CUDA's vector types
local cuda = {}

---Returns true if `value` is an error of this library, and of the given class. Accepts anything that pcall returns.
---@param value any  any value
---@param class? table|string  a class, such as cuda.MemoryError, or its name
---@return boolean
function cuda.is_error(value, class) end

---A GPU, identified by its ordinal (0-based, as in CUDA). Each ordinal has one object, which you can use as a table
---key.
---@class cudalua.Device
local Device = {}

---cuDeviceGetName.
---@return string
function Device:name() end

---cuDeviceGet's ordinal.
---@return integer  the 0-based number of the device
function Device:ordinal() end

---cuDeviceGetAttribute 75 and 76.
---@return integer major
---@return integer minor
function Device:compute_capability() end

---As compute_capability(), spelled as in PyCUDA's early documentation.
---@return integer major
---@return integer minor
function Device:compute_cabability() end

---cuDeviceTotalMem.
---@return number  bytes
function Device:total_memory() end

---cuDeviceGetAttribute. You can also read an attribute as a field: `dev.clock_rate`.
---@param attribute integer|string  cuda.device_attribute, or its name: "clock_rate"
---@return integer  the value in the driver's unit: bytes, kHz, 0 or 1 ...
---@raise LogicError for an unknown name, or a number that the driver does not know
function Device:get_attribute(attribute) end

---cuDeviceGetAttribute, for every attribute of cuda.h that this driver knows.
---@param options? {names: boolean}  names = true: use lower-case names as keys
---@return table<integer|string, integer>  keyed by number, or by name
---@raise LogicError for other options
function Device:get_attributes(options) end

---cuDeviceGetPCIBusId. (For the numeric attribute with this name, use get_attribute "pci_bus_id".)
---@return string  domain:bus:device.function, "0000:3b:00.0"; cuda.Device() takes it
function Device:pci_bus_id() end

---cuDeviceGetUuid: identifies this GPU on any machine. nvidia-smi prefixes it with GPU- (with MIG- for a part of a
---GPU).
---@return string  36 characters: "0a1b2c3d-..."
---@raise RuntimeError if the driver is older than 11.4
function Device:uuid() end

---cuDeviceCanAccessPeer: returns true if kernels on this device can use the memory of the other device. Enable it with
---Context:enable_peer_access().
---@param other cudalua.Device  the device whose memory is used
---@return boolean  false for the device itself
---@raise LogicError if other is not a Device
function Device:can_access_peer(other) end

---cuDeviceGetP2PAttribute: an attribute of the link from this device to the other.
---@param other cudalua.Device  the device at the other end of the link
---@param attribute integer|string  cuda.p2p_attribute, or its name: "performance_rank"
---@return integer
---@raise LogicError if other is the same device
function Device:p2p_attribute(other, attribute) end

---cuCtxCreate: creates a context and makes it current. `cuda.Context(dev, flags)` does the same.
---@param flags? integer|string|(integer|string)[]  cuda.ctx_flags: "sched_spin", or several in a list
---@return cudalua.Context
---@raise MemoryError, LogicError for invalid flags
function Device:make_context(flags) end

---cuDevicePrimaryCtxRetain: returns the context that the CUDA runtime and other libraries share. Does not make it
---current.
---@return cudalua.Context  the same object each time, while it is alive; the host program's object, if it is known
function Device:retain_primary_context() end

---A CUDA context. It is collected only after everything that lives in it; detach() ends it at once.
---@class cudalua.Context
local Context = {}

---cuCtxPushCurrent: makes the context current on this thread.
---@return cudalua.Context self
---@raise LogicError for a detached context
function Context:push() end

---cuCtxPopCurrent: Context.pop() removes the current context from the stack and skips destroyed contexts below it.
---@return cudalua.Context
---@raise LogicError (201) if no context is current
function Context.pop() end

---cuCtxDestroy or cuDevicePrimaryCtxRelease, once it is called as often as the context was created or retained. You can
---no longer use objects of the context; if other code keeps the context in use, they are freed first. If the context is
---current, it is removed from the stack.
---@raise LogicError for a detached context
function Context:detach() end

---cuCtxSynchronize: waits for all work of this context; Context.synchronize() waits for the current one.
---@overload fun()
---@raise errors of kernels
function Context:synchronize() end

---cuCtxGetCurrent.
---@return cudalua.Context?
function Context.get_current() end

---cuCtxGetDevice: returns the device of this context; Context.get_device() that of the current one.
---@overload fun(): cudalua.Device
---@return cudalua.Device
---@raise LogicError (201) if no context is current
function Context:get_device() end

---The driver's handle.
---@return number  the CUcontext as a number, for other libraries
function Context:handle() end

---Counts one more use of this context, so that one more detach() is needed to end it; Context.attach() uses the current
---one.
---@param flags? integer  must be 0
---@return cudalua.Context
---@raise LogicError (201) if no context is current, and for other flags
function Context:attach(flags) end

---cuCtxGetFlags: returns the flags of this context; Context.get_flags() those of the current one.
---@return integer  bits of cuda.ctx_flags
---@raise LogicError (201) if no context is current
function Context:get_flags() end

---cuCtxGetApiVersion: returns the version of this context; Context.get_api_version() that of the current one.
---@return integer  3020 with all drivers so far
---@raise LogicError (201) if no context is current
function Context:get_api_version() end

---Returns true if a sticky error (an illegal address ...) made this context's device unusable for the process.
---Context.is_poisoned() tests the current context. See also cuda.device_error().
---@return boolean
---@raise LogicError (201) if no context is current
function Context:is_poisoned() end

---cuCtxGetLimit: returns a limit of this context; Context.get_limit(limit) of the current one.
---@param limit integer|string  cuda.limit, or its name: "stack_size"
---@return number  bytes, or a count
---@raise LogicError (215) if the device does not have this limit
function Context:get_limit(limit) end

---cuCtxSetLimit: sets a limit of this context; Context.set_limit(limit, value) of the current one. The driver may round
---the value.
---@param limit integer|string  cuda.limit, or its name: "stack_size"
---@param value integer  the new limit: bytes, or a count
---@raise LogicError (215) if the device does not have this limit, and for a value out of range
function Context:set_limit(limit, value) end

---cuCtxGetCacheConfig: returns the setting of this context; Context.get_cache_config() that of the current one.
---@return integer  one of cuda.func_cache
---@raise LogicError (201) if no context is current
function Context:get_cache_config() end

---cuCtxSetCacheConfig: the preference of kernels that do not set their own, a hint. Sets it for this context;
---Context.set_cache_config(config) for the current one.
---@param config integer|string  cuda.func_cache, or its name: "prefer_l1"
---@raise LogicError for any other value
function Context:set_cache_config(config) end

---cuCtxGetSharedMemConfig: returns the setting of this context; Context.get_shared_config() that of the current one.
---@return integer  one of cuda.shared_config
---@raise LogicError (201) if no context is current
function Context:get_shared_config() end

---cuCtxSetSharedMemConfig: has no effect on current GPUs. Sets it for this context; Context.set_shared_config(config)
---for the current one.
---@param config integer|string  cuda.shared_config, or its name: "four_byte_bank_size"
---@raise LogicError for any other value
function Context:set_shared_config(config) end

---cuCtxEnablePeerAccess: lets kernels of this context use memory that the peer allocated with mem_alloc().
---Context.enable_peer_access(peer) does so for the current context. It enables one direction only; call it on the peer
---for the other one.
---@param peer cudalua.Context  a context on another device
---@param flags? integer  must be 0
---@raise LogicError if the devices do not support it (217), and if it is already enabled (704)
function Context:enable_peer_access(peer, flags) end

---cuCtxDisablePeerAccess: undoes enable_peer_access().
---@param peer cudalua.Context  the context that was passed to enable_peer_access()
---@raise LogicError (705) if it was not enabled
function Context:disable_peer_access(peer) end

---Device memory that belongs to this object. `#a` is its size in bytes, `a + bytes` a DevicePointer with that offset.
---@class cudalua.DeviceAllocation
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local DeviceAllocation = {}

---cuMemFree: frees the memory now, after running kernels. Memory of mem_alloc_async() and of a MemoryPool is freed by
---cuMemFreeAsync in the order of its stream, after the work of other streams, and the call does not wait.
---@raise LogicError if it was already freed, and in a stream that is being captured
function DeviceAllocation:free() end

---cuMemFreeAsync: frees memory of mem_alloc_async() or of a MemoryPool in stream order. The stream first waits for the
---work of all other streams with this memory.
---@param stream? cudalua.Stream  default: the stream of the allocation
---@raise LogicError if it was already freed, for other memory, and in a stream that is being captured
function DeviceAllocation:free_async(stream) end

---As free().
---@raise LogicError if it was already freed
function DeviceAllocation:close() end

---The device address.
---@return number
---@raise LogicError if it was freed
function DeviceAllocation:ptr() end

---A position in an allocation or in a module's variable, which it keeps alive; or a bare address.
---@class cudalua.DevicePointer
---@operator add(integer): cudalua.DevicePointer
---@operator len: integer
local DevicePointer = {}

---The device address.
---@return number
---@raise LogicError if the memory that it points to was freed
function DevicePointer:ptr() end

---Compiled code on the device.
---@class cudalua.Module
local Module = {}

---cuModuleGetGlobal.
---@param name string  the name of a __device__ or __constant__ variable
---@return cudalua.DevicePointer pointer  it keeps the module alive
---@return number bytes
---@raise LogicError (500) if the module does not have this variable
function Module:get_global(name) end

---cuModuleUnload. You can no longer use its functions and pointers.
---@raise LogicError if it was already closed
function Module:close() end

---@class cudalua.LaunchOptions
---@field block integer|integer[]  threads in each block: up to 3 extents; required
---@field grid? integer|integer[]  blocks in the grid: up to 3 extents; default 1
---@field shared? integer  dynamic shared memory of each block in bytes; default 0. The function attribute that more
---  than 48 KiB needs is set automatically
---@field stream? cudalua.Stream    default: the current stream
---@field cooperative? boolean  true: all blocks run at the same time and can wait for each other
---@field cluster? integer|integer[]  blocks in a thread block cluster (compute capability 9.0); the grid must be a
---  multiple of it
---@field priority? integer  within Stream.priority_range(); a lower number means a higher priority
---@field pdl? boolean  true: the kernel may start before the preceding kernel in the stream has ended, and then has to
---  wait with cudaGridDependencySynchronize() (compute capability 9.0)
---@field carveout? integer|string  the preferred share of an SM's memory for shared memory in percent, or
---  cuda.shared_carveout (the default is the function's attribute)
---@field time_kernel? boolean  true: wait for the context before and after the launch, and return its duration in
---  seconds; the stream option is then not allowed

---A kernel. Call it: `fn(a, b, n, {block = 256, grid = 10})`, or `fn{a, b, n, block = 256}`. Numbers and booleans are
---converted to the type of the parameter. Memory is a DeviceAllocation, DevicePointer, In, Out, InOut, or an object
---with get_pointer(). Structs are FFI structs or strings with their bytes; nil is a null pointer. You can also read
---attributes as fields: `fn.num_regs`.
---@class cudalua.Function: function
---@overload fun(..., options: cudalua.LaunchOptions): number?  returns the seconds with time_kernel
local Function = {}

---The kernel's name.
---@return string  as in the module; mangled for templates
function Function:name() end

---cuFuncGetAttribute. You can also read an attribute as a field: `fn.num_regs`. PyCUDA's early names are registers,
---smem and lmem.
---@param attribute string|integer  cuda.function_attribute, or its name: "num_regs", "local_size_bytes" ...
---@return integer
---@raise LogicError if it is unknown
function Function:get_attribute(attribute) end

---cuFuncSetAttribute.
---@param attribute string|integer  "max_dynamic_shared_size_bytes", "preferred_shared_memory_carveout" (percent),
---  "non_portable_cluster_size_allowed" ...; most attributes are read-only
---@param value integer  the new value
---@raise LogicError if the attribute is read-only, or does not accept this value
function Function:set_attribute(attribute, value) end

---cuFuncSetCacheConfig, a hint: how to divide the memory that L1 cache and shared memory have in common.
---@param config integer|string  cuda.func_cache: "prefer_none", "prefer_shared", "prefer_l1", "prefer_equal"
---@raise LogicError if config is not a cache configuration
function Function:set_cache_config(config) end

---cuFuncSetSharedMemConfig: sets the width of the shared memory banks. Has no effect on current GPUs.
---@param config integer|string  cuda.shared_config: "default_bank_size", "four_byte_bank_size", ...
---@raise LogicError if config is not a bank size
function Function:set_shared_config(config) end

---cuOccupancyMaxActiveBlocksPerMultiprocessor: returns how many blocks of this kernel fit on an SM at the same time.
---@param block integer|integer[]  threads in a block: up to 3 extents
---@param shared? integer  dynamic shared memory of a block in bytes; default 0
---@param flags? integer|string       cuda.occupancy_flags
---@return integer blocks             0 if the block does not fit
---@raise LogicError if its context is not current
function Function:max_active_blocks(block, shared, flags) end

---cuOccupancyAvailableDynamicSMemPerBlock: returns the dynamic shared memory available to each block if the given
---number of blocks runs on an SM.
---@param blocks integer  the number of blocks on an SM
---@param block integer|integer[]  threads in a block: up to 3 extents
---@return integer bytes
---@raise LaunchError if that many blocks do not fit even without shared memory, LogicError if its context is not
---  current
function Function:available_shared(blocks, block) end

---cuOccupancyMaxActiveClusters: returns how many clusters of this kernel fit on the device at the same time.
---@param options cudalua.LaunchOptions  block and cluster, and shared
---@return integer clusters              0 if none fits, or if the device does not support clusters
---@raise LogicError if its context is not current
function Function:max_active_clusters(options) end

---cuOccupancyMaxPotentialClusterSize: returns the largest cluster that fits.
---@param options cudalua.LaunchOptions  block, and shared
---@return integer blocks                blocks in the cluster; 1 if the device does not support clusters, 0 if no block
---  fits
---@raise LogicError if its context is not current
function Function:max_cluster_size(options) end

---Launches the kernel in the current stream with the settings of prepare(). The fastest way to launch, with the same
---checks as fn(...).
---@param grid integer|integer[]  blocks in the grid: up to 3 extents
---@param ... any  a list with the block's extents, required if prepare() did not receive a block; then the arguments,
---  as in fn(...); then optionally {shared_size = bytes}
---@raise LogicError for arguments that do not fit, and if prepare() was not called; LaunchError for a grid or a
--- block beyond the limits
function Function:prepared_call(grid, ...) end

---As prepared_call(), in a stream.
---@param grid integer|integer[]  blocks in the grid: up to 3 extents
---@param ... any  the block, if required, as for prepared_call(); a Stream, or nil for the current one; the arguments
---@raise LogicError, LaunchError as prepared_call
function Function:prepared_async_call(grid, ...) end

---Sets the threads of a block for launch() and related methods, and for prepared_call().
---@param x integer  the first extent
---@param y? integer  the second extent; default 1
---@param z? integer  the third extent; default 1
---@raise LogicError for values that are not positive integers
function Function:set_block_shape(x, y, z) end

---Sets the dynamic shared memory of a block for launch() and related methods, and for prepared_call().
---@param bytes integer  the size in bytes
---@raise LogicError if it is not a number of bytes
function Function:set_shared_size(bytes) end

---A typed scalar, for a kernel with unknown parameter types.
---@class cudalua.Scalar

---One byte, 0 or 1.
---@param value number|boolean|ffi.cdata*  true, false, 1 or 0
---@return cudalua.Scalar
function cuda.bool(value) end

---An 8-bit signed integer.
---@param value number|ffi.cdata*  an integer from -128 to 127
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.int8(value) end

---An 8-bit unsigned integer.
---@param value number|ffi.cdata*  an integer from 0 to 255
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.uint8(value) end

---A 16-bit signed integer.
---@param value number|ffi.cdata*  an integer from -32768 to 32767
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.int16(value) end

---A 16-bit unsigned integer.
---@param value number|ffi.cdata*  an integer from 0 to 65535
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.uint16(value) end

---A 32-bit signed integer.
---@param value number|ffi.cdata*  an integer from -2^31 to 2^31 - 1
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.int32(value) end

---A 32-bit unsigned integer.
---@param value number|ffi.cdata*  an integer from 0 to 2^32 - 1
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.uint32(value) end

---A 64-bit signed integer. Pass integers beyond 2^53 as cdata: 5LL.
---@param value number|ffi.cdata*  an integer from -2^63 to 2^63 - 1
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.int64(value) end

---A 64-bit unsigned integer. Pass integers beyond 2^53 as cdata: 5ULL.
---@param value number|ffi.cdata*  an integer from 0 to 2^64 - 1
---@return cudalua.Scalar
---@raise LogicError if the value is not an integer or is out of range
function cuda.uint64(value) end

---A 16-bit float, IEEE binary16.
---@param value number|ffi.cdata*  the number; it is rounded to the nearest float16
---@return cudalua.Scalar
---@raise LogicError if the value overflows
function cuda.float16(value) end

---A 16-bit float with the range of float32: the upper half of a binary32.
---@param value number|ffi.cdata*  the number; it is rounded to the nearest bfloat16
---@return cudalua.Scalar
---@raise LogicError if the value overflows
function cuda.bfloat16(value) end

---A 32-bit float, IEEE binary32.
---@param value number|ffi.cdata*  the number; it is rounded to the nearest float32
---@return cudalua.Scalar
---@raise LogicError if the value overflows
function cuda.float32(value) end

---A 64-bit float, IEEE binary64.
---@param value number|ffi.cdata*  the number
---@return cudalua.Scalar
---@raise LogicError if the value overflows
function cuda.float64(value) end

---@class cudalua.Linker
local Linker = {}

---Closes the linker without linking.
---@raise LogicError if it was already closed, also by link_module()
function Linker:close() end

return cuda
