---@meta cudalua.constants
-- The constants of cuda.h, by table (src/cudalua/base/constants.c). Each is a table of numbers by name, made when it is
-- first looked at; reading a name that is not there raises a LogicError that says which is near. Arguments take
-- numbers and the same names in lower case; flags also a list of them.

---@class cudalua
local cuda = {}

---CUctx_flags: how a context waits (SCHED_*) and what it provides; for Device:make_context().
---@type table<string, integer>
cuda.ctx_flags = {}

---CUevent_flags: for cuda.Event().
---@type table<string, integer>
cuda.event_flags = {}

---CUevent_record_flags.
---@type table<string, integer>
cuda.event_record_flags = {}

---CUevent_wait_flags.
---@type table<string, integer>
cuda.event_wait_flags = {}

---CUstream_flags: for cuda.Stream().
---@type table<string, integer>
cuda.stream_flags = {}

---CUstreamCaptureMode: which calls may break a capture.
---@type table<string, integer>
cuda.stream_capture_mode = {}

---CUstreamCaptureStatus.
---@type table<string, integer>
cuda.stream_capture_status = {}

---CUstreamWaitValue_flags: how a wait compares.
---@type table<string, integer>
cuda.stream_wait_value_flags = {}

---CUstreamWriteValue_flags.
---@type table<string, integer>
cuda.stream_write_value_flags = {}

---CUdevice_attribute: for Device:get_attribute().
---@type table<string, integer>
cuda.device_attribute = {}

---CUdevice_P2PAttribute: for Device:p2p_attribute().
---@type table<string, integer>
cuda.p2p_attribute = {}

---CUcomputemode: which processes may use a device; dev.compute_mode is one. EXCLUSIVE is of old drivers; none gives it
---any more.
---@type table<string, integer>
cuda.compute_mode = {}

---CUlimit: for Context:get_limit() and Context:set_limit().
---@type table<string, integer>
cuda.limit = {}

---CUfunc_cache: for Context:set_cache_config(), and for kernels.
---@type table<string, integer>
cuda.func_cache = {}

---CUsharedconfig: for Context:set_shared_config().
---@type table<string, integer>
cuda.shared_config = {}

---CUshared_carveout: values of the function attribute PREFERRED_SHARED_MEMORY_CARVEOUT.
---@type table<string, integer>
cuda.shared_carveout = {}

---CUfunction_attribute: for Function:get_attribute(). MAX counts the others; no driver takes it.
---@type table<string, integer>
cuda.function_attribute = {}

---CUoccupancy_flags.
---@type table<string, integer>
cuda.occupancy_flags = {}

---CUmemorytype: what an address belongs to; the ends of a copy.
---@type table<string, integer>
cuda.memory_type = {}

---CUpointer_attribute: what the driver knows about an address.
---@type table<string, integer>
cuda.pointer_attribute = {}

---CU_MEMHOSTALLOC_*: for page-locked memory.
---@type table<string, integer>
cuda.host_alloc_flags = {}

---CU_MEMHOSTREGISTER_*: for memory that your program allocated and that is page-locked later.
---@type table<string, integer>
cuda.mem_host_register_flags = {}

---CUmemAttach_flags: which streams may use managed memory.
---@type table<string, integer>
cuda.mem_attach_flags = {}

---CUipcMem_flags: for memory of another process.
---@type table<string, integer>
cuda.ipc_mem_flags = {}

---CUmem_advise: advice about managed memory.
---@type table<string, integer>
cuda.mem_advise = {}

---CUmem_range_attribute: what the driver knows about a range of managed memory.
---@type table<string, integer>
cuda.mem_range_attribute = {}

---CUmemLocationType: where memory is.
---@type table<string, integer>
cuda.mem_location_type = {}

---CUmemAllocationType: kinds of memory that pools and virtual ranges take.
---@type table<string, integer>
cuda.mem_allocation_type = {}

---CUmemAllocationHandleType: how memory of pools and virtual ranges is given to other processes.
---@type table<string, integer>
cuda.mem_handle_type = {}

---CUmemAccess_flags: what a device may do with memory of a pool or a virtual range.
---@type table<string, integer>
cuda.mem_access_flags = {}

---CUmemPool_attribute: for memory pools.
---@type table<string, integer>
cuda.mempool_attribute = {}

---CUgraphNodeType.
---@type table<string, integer>
cuda.graph_node_type = {}

---CUgraphInstantiate_flags.
---@type table<string, integer>
cuda.graph_instantiate_flags = {}

---CUgraphExecUpdateResult: why a graph could not be updated.
---@type table<string, integer>
cuda.graph_exec_update_result = {}

---CUgraphDebugDot_flags: what a drawing of a graph shows.
---@type table<string, integer>
cuda.graph_debug_dot_flags = {}

---CUarray_format: element types of arrays and textures.
---@type table<string, integer>
cuda.array_format = {}

---CUDA_ARRAY3D_*: kinds of arrays. Each also with the prefix: ARRAY3D_LAYERED is LAYERED.
---@type table<string, integer>
cuda.array3d_flags = {}

---CUarray_cubemap_face.
---@type table<string, integer>
cuda.array_cubemap_face = {}

---CUaddress_mode: what a texture gives outside its bounds.
---@type table<string, integer>
cuda.address_mode = {}

---CUfilter_mode: what a texture gives between its elements.
---@type table<string, integer>
cuda.filter_mode = {}

---CUresourceViewFormat: what a view of an array reads its texels as.
---@type table<string, integer>
cuda.resource_view_format = {}

---CUgraphicsRegisterFlags: how a resource of OpenGL is used.
---@type table<string, integer>
cuda.graphics_register_flags = {}

---CUgraphicsMapResourceFlags: how a mapped resource of OpenGL is used.
---@type table<string, integer>
cuda.graphics_map_flags = {}

---CUjit_option: for cuda.module_from_buffer().
---@type table<string, integer>
cuda.jit_option = {}

---CUjit_target: values of the option TARGET. COMPUTE_10 to COMPUTE_21 are there by name only: using one raises.
---@type table<string, integer>
cuda.jit_target = {}

---CUjit_fallback: values of the option FALLBACK_STRATEGY.
---@type table<string, integer>
cuda.jit_fallback = {}

---CUjit_cacheMode: values of the option CACHE_MODE.
---@type table<string, integer>
cuda.jit_cache_mode = {}

---CUjitInputType: what a linker is given.
---@type table<string, integer>
cuda.jit_input_type = {}

---CUoutput_mode of cudaProfiler.h. Of interest to old profilers only.
---@type table<string, integer>
cuda.profiler_output_mode = {}

---Flag of texture references: overrides the array's format.
---@type integer
cuda.TRSA_OVERRIDE_FORMAT = 1

---Flag of texture references: integers are not turned into floats from 0 to 1.
---@type integer
cuda.TRSF_READ_AS_INTEGER = 1

---Flag of texture references: coordinates run from 0 to 1.
---@type integer
cuda.TRSF_NORMALIZED_COORDINATES = 2

---Flag of texture references: sRGB is made linear.
---@type integer
cuda.TRSF_SRGB = 16

---Flag of texture references: filtering between levels is not simplified.
---@type integer
cuda.TRSF_DISABLE_TRILINEAR_OPTIMIZATION = 32

---Flag of texture references: filtering goes across the edges of a cubemap's faces.
---@type integer
cuda.TRSF_SEAMLESS_CUBEMAP = 64

---A texture reference's unit, as the driver chooses it.
---@type integer
cuda.TR_DEFAULT = -1

return cuda
