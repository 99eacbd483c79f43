-- Every public name of PyCUDA's documentation and of its modules, and where it is here. pycuda_names_spec.lua walks the
-- list.
--
-- A section is about a module or a class of PyCUDA:
--   names   those that are spelled as in PyCUDA. `at` is the Lua expression that has them, with %s for the name.
--   others  name -> the expression that has it here
--   raises  name -> the expression as a program for PyCUDA would have it here, which raises, and what the error says to
--           do instead (base/pycuda_names.lua has the sentences)
-- `is` says what they are: "call" (functions, methods, classes), "number", "string",
-- "value" (default: anything but nil).
-- The objects in the expressions, `dev`, `stream`, `a` ..., are made by the spec.
--

local generators = "fill_uniform gen_uniform fill_normal gen_normal fill_log_normal gen_log_normal fill_poisson " ..
  "gen_poisson call_skip_ahead call_skip_ahead_array"
local pool = "held_blocks active_blocks managed_bytes active_bytes"

local rows = {
  -- ---- pycuda, pycuda.driver: versions, errors, constants ----
  { module = "pycuda", at = "cuda.%s", names = "VERSION VERSION_STATUS VERSION_TEXT" },
  { module = "pycuda.driver", at = "cuda.%s", is = "call", names = "get_version get_driver_version init set_debugging",
    raises = { CUDA_DEBUGGING = { "cuda.CUDA_DEBUGGING", "use cuda.is_debugging()" } } },
  { module = "pycuda.driver", at = "cuda.%s",
    names = "Error CompileError MemoryError LogicError LaunchError RuntimeError" },
  { module = "pycuda.driver.CompileError", at = "compile_error.%s", names = "msg stdout stderr command_line" },
  { module = "pycuda.driver.ctx_flags", at = "cuda.ctx_flags.%s", is = "number", names = [[SCHED_AUTO SCHED_SPIN
      SCHED_YIELD SCHED_MASK BLOCKING_SYNC SCHED_BLOCKING_SYNC MAP_HOST LMEM_RESIZE_TO_MAX FLAGS_MASK]] },
  { module = "pycuda.driver.event_flags", at = "cuda.event_flags.%s", is = "number",
    names = "DEFAULT BLOCKING_SYNC DISABLE_TIMING INTERPROCESS" },
  { module = "pycuda.driver.device_attribute", at = "cuda.device_attribute.%s", is = "number",
    names = [[MAX_THREADS_PER_BLOCK MAX_BLOCK_DIM_X MAX_BLOCK_DIM_Y MAX_BLOCK_DIM_Z MAX_GRID_DIM_X MAX_GRID_DIM_Y
      MAX_GRID_DIM_Z TOTAL_CONSTANT_MEMORY WARP_SIZE MAX_PITCH CLOCK_RATE TEXTURE_ALIGNMENT GPU_OVERLAP
      MULTIPROCESSOR_COUNT SHARED_MEMORY_PER_BLOCK MAX_SHARED_MEMORY_PER_BLOCK REGISTERS_PER_BLOCK
      MAX_REGISTERS_PER_BLOCK KERNEL_EXEC_TIMEOUT INTEGRATED CAN_MAP_HOST_MEMORY COMPUTE_MODE MAXIMUM_TEXTURE1D_WIDTH
      MAXIMUM_TEXTURE2D_WIDTH MAXIMUM_TEXTURE2D_HEIGHT MAXIMUM_TEXTURE3D_WIDTH MAXIMUM_TEXTURE3D_HEIGHT
      MAXIMUM_TEXTURE3D_DEPTH MAXIMUM_TEXTURE2D_ARRAY_WIDTH MAXIMUM_TEXTURE2D_ARRAY_HEIGHT
      MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES MAXIMUM_TEXTURE2D_LAYERED_WIDTH MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
      MAXIMUM_TEXTURE2D_LAYERED_LAYERS MAXIMUM_TEXTURE1D_LAYERED_WIDTH MAXIMUM_TEXTURE1D_LAYERED_LAYERS
      SURFACE_ALIGNMENT CONCURRENT_KERNELS ECC_ENABLED PCI_BUS_ID PCI_DEVICE_ID TCC_DRIVER MEMORY_CLOCK_RATE
      GLOBAL_MEMORY_BUS_WIDTH L2_CACHE_SIZE MAX_THREADS_PER_MULTIPROCESSOR ASYNC_ENGINE_COUNT UNIFIED_ADDRESSING
      MAXIMUM_TEXTURE2D_GATHER_WIDTH MAXIMUM_TEXTURE2D_GATHER_HEIGHT MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE
      MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE PCI_DOMAIN_ID TEXTURE_PITCH_ALIGNMENT
      MAXIMUM_TEXTURECUBEMAP_WIDTH MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS
      MAXIMUM_SURFACE1D_WIDTH MAXIMUM_SURFACE2D_WIDTH MAXIMUM_SURFACE2D_HEIGHT MAXIMUM_SURFACE3D_WIDTH
      MAXIMUM_SURFACE3D_HEIGHT MAXIMUM_SURFACE3D_DEPTH MAXIMUM_SURFACE1D_LAYERED_WIDTH
      MAXIMUM_SURFACE1D_LAYERED_LAYERS MAXIMUM_SURFACE2D_LAYERED_WIDTH MAXIMUM_SURFACE2D_LAYERED_HEIGHT
      MAXIMUM_SURFACE2D_LAYERED_LAYERS MAXIMUM_SURFACECUBEMAP_WIDTH MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH
      MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS MAXIMUM_TEXTURE1D_LINEAR_WIDTH MAXIMUM_TEXTURE2D_LINEAR_WIDTH
      MAXIMUM_TEXTURE2D_LINEAR_HEIGHT MAXIMUM_TEXTURE2D_LINEAR_PITCH MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH
      MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT COMPUTE_CAPABILITY_MAJOR COMPUTE_CAPABILITY_MINOR
      MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH STREAM_PRIORITIES_SUPPORTED GLOBAL_L1_CACHE_SUPPORTED
      LOCAL_L1_CACHE_SUPPORTED MAX_SHARED_MEMORY_PER_MULTIPROCESSOR MAX_REGISTERS_PER_MULTIPROCESSOR MANAGED_MEMORY
      MULTI_GPU_BOARD MULTI_GPU_BOARD_GROUP_ID HOST_NATIVE_ATOMIC_SUPPORTED SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
      PAGEABLE_MEMORY_ACCESS CONCURRENT_MANAGED_ACCESS COMPUTE_PREEMPTION_SUPPORTED
      CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
      PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES DIRECT_MANAGED_MEM_ACCESS_FROM_HOST
      HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED HANDLE_TYPE_WIN32_HANDLE_SUPPORTED
      HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED MAX_PERSISTING_L2_CACHE_SIZE MAX_BLOCKS_PER_MULTIPROCESSOR
      GENERIC_COMPRESSION_SUPPORTED RESERVED_SHARED_MEMORY_PER_BLOCK READ_ONLY_HOST_REGISTER_SUPPORTED
      MEMORY_POOLS_SUPPORTED]] },
  { module = "pycuda.driver.function_attribute", at = "cuda.function_attribute.%s", is = "number",
    names = [[MAX_THREADS_PER_BLOCK SHARED_SIZE_BYTES CONST_SIZE_BYTES LOCAL_SIZE_BYTES NUM_REGS PTX_VERSION
      BINARY_VERSION CACHE_MODE_CA MAX_DYNAMIC_SHARED_SIZE_BYTES PREFERRED_SHARED_MEMORY_CARVEOUT MAX]] },
  { module = "pycuda.driver.pointer_attribute", at = "cuda.pointer_attribute.%s", is = "number",
    names = "CONTEXT MEMORY_TYPE DEVICE_POINTER HOST_POINTER" },
  { module = "pycuda.driver.profiler_output_mode", at = "cuda.profiler_output_mode.%s", is = "number",
    names = "KEY_VALUE_PAIR CSV" },
  { module = "pycuda.driver.func_cache", at = "cuda.func_cache.%s", is = "number",
    names = "PREFER_NONE PREFER_SHARED PREFER_L1 PREFER_EQUAL" },
  { module = "pycuda.driver.shared_config", at = "cuda.shared_config.%s", is = "number",
    names = "DEFAULT_BANK_SIZE FOUR_BYTE_BANK_SIZE EIGHT_BYTE_BANK_SIZE" },
  { module = "pycuda.driver.array_format", at = "cuda.array_format.%s", is = "number",
    names = "UNSIGNED_INT8 UNSIGNED_INT16 UNSIGNED_INT32 SIGNED_INT8 SIGNED_INT16 SIGNED_INT32 HALF FLOAT" },
  { module = "pycuda.driver.array3d_flags", at = "cuda.array3d_flags.%s", is = "number",
    names = "ARRAY3D_2DARRAY ARRAY3D_LAYERED LAYERED SURFACE_LDST CUBEMAP TEXTURE_GATHER",
    others = { ["2DARRAY"] = 'cuda.array3d_flags["2DARRAY"]' } },
  { module = "pycuda.driver.address_mode", at = "cuda.address_mode.%s", is = "number",
    names = "WRAP CLAMP MIRROR BORDER" },
  { module = "pycuda.driver.filter_mode", at = "cuda.filter_mode.%s", is = "number", names = "POINT LINEAR" },
  { module = "pycuda.driver.memory_type", at = "cuda.memory_type.%s", is = "number",
    names = "HOST DEVICE ARRAY UNIFIED" },
  { module = "pycuda.driver.compute_mode", at = "cuda.compute_mode.%s", is = "number",
    names = "DEFAULT EXCLUSIVE PROHIBITED EXCLUSIVE_PROCESS" },
  { module = "pycuda.driver.jit_option", at = "cuda.jit_option.%s", is = "number",
    names = [[MAX_REGISTERS THREADS_PER_BLOCK WALL_TIME INFO_LOG_BUFFER INFO_LOG_BUFFER_SIZE_BYTES ERROR_LOG_BUFFER
      ERROR_LOG_BUFFER_SIZE_BYTES OPTIMIZATION_LEVEL TARGET_FROM_CUCONTEXT TARGET FALLBACK_STRATEGY]] },
  { module = "pycuda.driver.jit_target", at = "cuda.jit_target.%s", is = "number",
    names = [[COMPUTE_10 COMPUTE_11 COMPUTE_12 COMPUTE_13 COMPUTE_20 COMPUTE_21 COMPUTE_30 COMPUTE_32 COMPUTE_35
      COMPUTE_37 COMPUTE_50 COMPUTE_52 COMPUTE_53 COMPUTE_60 COMPUTE_61 COMPUTE_62 COMPUTE_70 COMPUTE_72 COMPUTE_75
      COMPUTE_80 COMPUTE_86 COMPUTE_87 COMPUTE_89 COMPUTE_90 COMPUTE_90A]] },
  { module = "pycuda.driver.jit_fallback", at = "cuda.jit_fallback.%s", is = "number",
    names = "PREFER_PTX PREFER_BINARY" },
  { module = "pycuda.driver.jit_input_type", at = "cuda.jit_input_type.%s", is = "number",
    names = "CUBIN PTX FATBINARY OBJECT LIBRARY" },
  { module = "pycuda.driver.host_alloc_flags", at = "cuda.host_alloc_flags.%s", is = "number",
    names = "PORTABLE DEVICEMAP WRITECOMBINED" },
  { module = "pycuda.driver.mem_host_register_flags", at = "cuda.mem_host_register_flags.%s", is = "number",
    names = "PORTABLE DEVICEMAP" },
  { module = "pycuda.driver.mem_attach_flags", at = "cuda.mem_attach_flags.%s", is = "number",
    names = "GLOBAL HOST SINGLE" },
  { module = "pycuda.driver.limit", at = "cuda.limit.%s", is = "number",
    names = [[STACK_SIZE PRINTF_FIFO_SIZE MALLOC_HEAP_SIZE DEV_RUNTIME_SYNC_DEPTH DEV_RUNTIME_PENDING_LAUNCH_COUNT]] },
  { module = "pycuda.driver.ipc_mem_flags", at = "cuda.ipc_mem_flags.%s", is = "number",
    names = "LAZY_ENABLE_PEER_ACCESS" },
  { module = "pycuda.driver.graphics_register_flags", at = "cuda.graphics_register_flags.%s", is = "number",
    names = "NONE READ_ONLY WRITE_DISCARD SURFACE_LDST TEXTURE_GATHER" },
  { module = "pycuda.driver.array_cubemap_face", at = "cuda.array_cubemap_face.%s", is = "number",
    names = "POSITIVE_X NEGATIVE_X POSITIVE_Y NEGATIVE_Y POSITIVE_Z NEGATIVE_Z" },
  { module = "pycuda.driver", at = "cuda.%s", is = "number",
    names = "TRSA_OVERRIDE_FORMAT TRSF_READ_AS_INTEGER TRSF_NORMALIZED_COORDINATES TR_DEFAULT" },

  -- ---- devices, contexts, streams, events ----
  { module = "pycuda.driver", at = "cuda.%s", is = "call", names = "Device Context Stream Event" },
  { module = "pycuda.driver.Device", at = "dev.%s", is = "call", names = [[count get_device name pci_bus_id
      compute_capability compute_cabability total_memory get_attribute get_attributes make_context
      retain_primary_context can_access_peer]] },
  { module = "pycuda.driver.Device", others = { __eq__ = "dev == cuda.Device(0)",
    __ne__ = "not (dev ~= cuda.Device(0))",
    __hash__ = "({ [cuda.Device(0)] = true })[dev]", warp_size = "dev.warp_size", clock_rate = "dev.clock_rate" } },
  { module = "pycuda.driver.Context", at = "ctx.%s", is = "call", names = [[attach detach push pop get_device
      synchronize get_current set_limit get_limit set_cache_config get_cache_config set_shared_config
      get_shared_config get_api_version enable_peer_access disable_peer_access handle]] },
  { module = "pycuda.driver.Context", others = { __eq__ = "ctx == cuda.Context.get_current()",
    __hash__ = "({ [ctx] = true })[ctx]" } },
  { module = "pycuda.driver.Stream", at = "stream.%s", is = "call",
    names = "synchronize is_done wait_for_event handle begin_capture end_capture is_capturing" },
  { module = "pycuda.driver.Event", at = "event.%s", is = "call",
    names = "record synchronize query time_since time_till ipc_handle from_ipc_handle" },

  -- ---- memory ----
  { module = "pycuda.driver", at = "cuda.%s", is = "call", names = [[mem_get_info mem_alloc mem_alloc_like to_device
      from_device from_device_like mem_alloc_pitch mem_get_address_range mem_get_ipc_handle IPCMemoryHandle
      pagelocked_empty pagelocked_zeros pagelocked_empty_like pagelocked_zeros_like aligned_empty aligned_zeros
      aligned_empty_like aligned_zeros_like register_host_memory managed_empty managed_zeros managed_empty_like
      managed_zeros_like memset_d8 memset_d16 memset_d32 memset_d2d8 memset_d2d16 memset_d2d32 memset_d8_async
      memset_d16_async memset_d32_async memset_d2d8_async memset_d2d16_async memset_d2d32_async memcpy_htod
      memcpy_htod_async memcpy_dtoh memcpy_dtoh_async memcpy_dtod memcpy_dtod_async memcpy_peer memcpy_peer_async
      memcpy_dtoa memcpy_atod memcpy_htoa memcpy_atoh memcpy_atoa Memcpy2D Memcpy3D Memcpy3DPeer]] },
  { module = "pycuda.driver", at = "cuda.%s", names = [[DeviceAllocation HostAllocation PagelockedHostAllocation
      AlignedHostAllocation RegisteredHostMemory ManagedAllocation]], raises = {
    PointerHolderBase = { "cuda.PointerHolderBase",
      "a table with a method get_pointer(self) is accepted wherever device memory is" },
    HostPointer = { "cuda.HostPointer",
      "cuda.RegisteredHostMemory and cuda.ManagedAllocation have get_device_pointer()" },
  } },
  { module = "pycuda.driver.DeviceAllocation", at = "mem.%s", is = "call", names = "free as_buffer" },
  { module = "pycuda.driver.DeviceAllocation", is = "number", others = { __int__ = "mem:ptr()", __len__ = "#mem" } },
  { module = "pycuda.driver.PointerHolderBase", others = {
    get_pointer = "cuda.from_device({ get_pointer = function() return mem:ptr() end }, 1, 'uint8')",
    as_buffer = "managed.base:as_buffer(4)" } },
  { module = "pycuda.driver.IPCMemoryHandle", at = "cuda.IPCMemoryHandle.%s", is = "call", names = "close" },
  { module = "pycuda.driver.PagelockedHostAllocation", at = "pinned.base.%s", is = "call",
    names = "free get_device_pointer get_flags" },
  { module = "pycuda.driver.AlignedHostAllocation", at = "cuda.AlignedHostAllocation.%s", is = "call", names = "free" },
  { module = "pycuda.driver.RegisteredHostMemory", at = "cuda.RegisteredHostMemory.%s", is = "call",
    names = "unregister get_device_pointer" },
  { module = "pycuda.driver.RegisteredHostMemory", at = "registered.base.%s", names = "base" },
  { module = "pycuda.driver.ManagedAllocation", at = "managed.base.%s", is = "call",
    names = "free get_device_pointer attach" },
  { module = "pycuda.driver.Memcpy2D", at = "copy2d.%s", is = "call",
    names = [[set_src_host set_src_array set_src_device set_src_unified set_dst_host set_dst_array set_dst_device
      set_dst_unified]] },
  { module = "pycuda.driver.Memcpy2D", at = "copy2d.%s", is = "number", names = [[src_x_in_bytes src_y src_pitch
      dst_x_in_bytes dst_y dst_pitch width_in_bytes height]] },
  { module = "pycuda.driver.Memcpy3D", at = "copy3d.%s", is = "number",
    names = "src_height src_z dst_height dst_z depth" },
  { module = "pycuda.driver.Memcpy3DPeer", at = "copypeer.%s", is = "call", names = "set_src_context set_dst_context" },

  -- ---- arrays of the device ----
  { module = "pycuda.driver", at = "cuda.%s", is = "call", names = [[ArrayDescriptor ArrayDescriptor3D Array
      matrix_to_array np_to_array make_multichannel_2d_array dtype_to_array_format]] },
  { module = "pycuda.driver.ArrayDescriptor", at = "descriptor.%s", names = "width height format num_channels" },
  { module = "pycuda.driver.ArrayDescriptor3D", at = "descriptor3d.%s",
    names = "width height depth format num_channels flags" },
  { module = "pycuda.driver.Array", at = "array.%s", is = "call",
    names = "free get_descriptor get_descriptor_3d handle" },

  -- ---- modules and functions ----
  { module = "pycuda.driver", at = "cuda.%s", is = "call", names = [[module_from_file module_from_buffer In Out InOut
      Linker initialize_profiler start_profiler stop_profiler SourceModule]], raises = {
    ArgumentHandler = { "cuda.ArgumentHandler", "get_device_alloc(), pre_call(stream) and post_call(stream)" } } },
  { module = "pycuda.driver", at = "cuda.%s", names = "Module Function" },
  { module = "pycuda.driver.Module", at = "mod.module.%s", is = "call", names = "get_function get_global" },
  { module = "pycuda.driver.Linker", at = "linker.%s", is = "call", names = "add_data add_file link_module" },
  { module = "pycuda.driver.Function", at = "fn.%s", is = "call", names = [[param_set param_set_size param_seti
      param_setf param_setv prepare prepared_call prepared_timed_call prepared_async_call get_attribute set_attribute
      set_cache_config set_shared_config set_block_shape set_shared_size launch launch_grid launch_grid_async]] },
  { module = "pycuda.driver.Function", at = "fn.%s", is = "number",
    names = "local_size_bytes shared_size_bytes num_regs lmem smem registers" },

  -- ---- pycuda.compiler ----
  { module = "pycuda.compiler", at = "cuda.compiler.%s", is = "call",
    names = "SourceModule compile DynamicModule DynamicSourceModule", raises = {
      DEFAULT_NVCC_FLAGS = { "cuda.compiler.DEFAULT_NVCC_FLAGS", "use cuda.compiler.DEFAULT_NVRTC_FLAGS" },
      compile_plain = { "cuda.compiler.compile_plain", "use cuda.compile(source, options)" },
      get_nvcc_version = { "cuda.compiler.get_nvcc_version", "use cuda.compiler.nvrtc()" },
      preprocess_source = { "cuda.compiler.preprocess_source", "use nvcc -E" },
      CudaModule = { "cuda.compiler.CudaModule", "use cuda.SourceModule or cuda.Module" },
    } },
  { module = "pycuda.compiler.SourceModule", at = "mod.%s", is = "call", names = "get_function get_global" },
  { module = "pycuda.compiler.DynamicModule", at = "cuda.DynamicModule().%s", is = "call",
    names = "add_source add_data add_file add_stdlib link get_function get_global" },

  -- ---- pycuda.gpuarray ----
  { module = "pycuda.gpuarray", at = "gpuarray.%s", is = "call", names = [[splay to_gpu to_gpu_async empty zeros ones
      empty_like zeros_like ones_like arange take multi_take multi_take_put multi_put concatenate stack transpose
      reshape if_positive where minimum maximum sum any all min max dot subset_sum subset_dot subset_min subset_max
      logical_and logical_or logical_not]], raises = {
    GPUArray = { "gpuarray.GPUArray", "use gpuarray.empty(shape, dtype)" } } },
  { module = "pycuda.gpuarray.GPUArray", at = "a.%s",
    names = [[gpudata shape dtype size mem_size nbytes strides flags ptr itemsize ndim T __cuda_array_interface__]],
    raises = { base = { "a.base", "views keep their memory alive" },
      allocator = { "a.allocator", "an allocator is an option of the functions that make arrays" } } },
  { module = "pycuda.gpuarray.GPUArray.flags", at = "a.flags.%s", names = "c_contiguous f_contiguous forc" },
  { module = "pycuda.gpuarray.GPUArray", at = "a.%s", is = "call", names = [[reshape ravel view squeeze transpose set
      set_async get get_async copy mul_add fill astype reverse any all real imag conj conjugate]] },
  { module = "pycuda.gpuarray.GPUArray", others = { __len__ = "#a", __add__ = "a + a", __radd__ = "1 + a",
    __sub__ = "a - a", __rsub__ = "1 - a", __iadd__ = "a.iadd", __isub__ = "a.isub", __imul__ = "a.imul",
    __itruediv__ = "a.idiv", __ipow__ = "a.ipow", __neg__ = "-a", __pos__ = "a.pos", __mul__ = "a * a",
    __rmul__ = "2 * a", __truediv__ = "a / a", __rtruediv__ = "1 / a", __pow__ = "a ^ 2", __rpow__ = "2 ^ a",
    __abs__ = "a:abs()", __getitem__ = "a[1]", __setitem__ = "a.set", __eq__ = "a:eq(a)", __ne__ = "a:ne(a)",
    __lt__ = "a:lt(a)", __le__ = "a:le(a)", __gt__ = "a:gt(a)", __ge__ = "a:ge(a)", __bool__ = "a:any()",
    __str__ = "tostring(a)", __repr__ = "tostring(a)" } },
  { module = "pycuda.gpuarray.vec", at = "gpuarray.vec.%s", names = [[char1 char2 char3 char4 uchar1 uchar2 uchar3
      uchar4 short1 short2 short3 short4 ushort1 ushort2 ushort3 ushort4 int1 int2 int3 int4 uint1 uint2 uint3 uint4
      long1 long2 long3 long4 ulong1 ulong2 ulong3 ulong4 longlong1 longlong2 ulonglong1 ulonglong2 float1 float2
      float3 float4 double1 double2]] },
  { module = "pycuda.gpuarray.vec", at = "gpuarray.vec.make_%s", is = "call", names = [[char1 char2 char3 char4
      uchar1 uchar2 uchar3 uchar4 short1 short2 short3 short4 ushort1 ushort2 ushort3 ushort4 int1 int2 int3 int4
      uint1 uint2 uint3 uint4 long1 long2 long3 long4 ulong1 ulong2 ulong3 ulong4 longlong1 longlong2 ulonglong1
      ulonglong2 float1 float2 float3 float4 double1 double2]] },

  -- ---- pycuda.cumath, pycuda.curandom ----
  { module = "pycuda.cumath", at = "cuda.cumath.%s", is = "call", names = [[fabs ceil floor exp log log10 sqrt sin
      cos tan asin acos atan sinh cosh tanh fmod frexp ldexp modf]] },
  { module = "pycuda.curandom", at = "cuda.curandom.%s", is = "call", names = [[rand seed_getter_uniform
      seed_getter_unique generate_direction_vectors generate_scramble_constants32 generate_scramble_constants64
      XORWOWRandomNumberGenerator MRG32k3aRandomNumberGenerator Sobol32RandomNumberGenerator
      ScrambledSobol32RandomNumberGenerator Sobol64RandomNumberGenerator ScrambledSobol64RandomNumberGenerator]],
    raises = { get_curand_version = { "cuda.curandom.get_curand_version", "use cuda.VERSION" } } },
  { module = "pycuda.curandom.direction_vector_set", at = "cuda.curandom.direction_vector_set.%s",
    names = "VECTOR_32 SCRAMBLED_VECTOR_32 VECTOR_64 SCRAMBLED_VECTOR_64" },
  { module = "pycuda.curandom.XORWOWRandomNumberGenerator", at = "xorwow.%s", is = "call", names = generators ..
    " call_skip_ahead_sequence call_skip_ahead_sequence_array", raises = {
      generators_per_block = { "xorwow.generators_per_block", "use rng.generators" },
      block_count = { "xorwow.block_count", "use rng.generators" } } },
  { module = "pycuda.curandom.XORWOWRandomNumberGenerator", at = "xorwow.%s", names = "state" },
  { module = "pycuda.curandom.MRG32k3aRandomNumberGenerator", at = "mrg.%s", is = "call", names = generators ..
    " call_skip_ahead_sequence call_skip_ahead_sequence_array", raises = {
      generators_per_block = { "mrg.generators_per_block", "use rng.generators" },
      block_count = { "mrg.block_count", "use rng.generators" } } },
  { module = "pycuda.curandom.MRG32k3aRandomNumberGenerator", at = "mrg.%s", names = "state" },
  { module = "pycuda.curandom.Sobol32RandomNumberGenerator", at = "sobol32.%s", is = "call", names = generators },
  { module = "pycuda.curandom.Sobol64RandomNumberGenerator", at = "sobol64.%s", is = "call", names = generators },
  { module = "pycuda.curandom.ScrambledSobol32RandomNumberGenerator", at = "scrambled32.%s", is = "call",
    names = generators },
  { module = "pycuda.curandom.ScrambledSobol64RandomNumberGenerator", at = "scrambled64.%s", is = "call",
    names = generators },

  -- ---- pycuda.elementwise, reduction, scan ----
  { module = "pycuda.elementwise", at = "cuda.elementwise.%s", is = "call", names = "ElementwiseKernel" },
  { module = "pycuda.reduction", at = "cuda.reduction.%s", is = "call", names = "ReductionKernel" },
  { module = "pycuda.scan", at = "cuda.scan.%s", is = "call", names = "InclusiveScanKernel ExclusiveScanKernel" },

  -- ---- pycuda.tools, characterize, debug, autoinit ----
  { module = "pycuda.tools", at = "cuda.tools.%s", is = "call", names = [[make_default_context get_default_device
      context_dependent_memoize clear_context_caches DeviceData OccupancyRecord DeviceMemoryPool PageLockedMemoryPool
      PageLockedAllocator DebugMemoryPool bitlog2 dtype_to_ctype register_dtype get_or_register_dtype VectorArg
      ScalarArg parse_c_arg]], raises = {
    Argument = { "cuda.tools.Argument", "use cuda.tools.Arg" },
    get_arg_type = { "cuda.tools.get_arg_type", "use cuda.tools.parse_c_arg(text).dtype" },
    context_dependent_memoized_functions = { "cuda.tools.context_dependent_memoized_functions",
      "use cuda.tools.clear_context_caches()" },
    mark_cuda_test = { "cuda.tools.mark_cuda_test", "use cuda.tools.make_default_context() in before_each()" },
    init_cuda_context_fixture = { "cuda.tools.init_cuda_context_fixture",
      "use cuda.tools.make_default_context() in before_each()" },
  } },
  { module = "pycuda.tools", at = "cuda.tools.%s", names = "PooledDeviceAllocation PooledHostAllocation" },
  { module = "pycuda.tools.DeviceData", at = "data.%s", names = [[max_threads warp_size warps_per_mp
      thread_blocks_per_mp registers shared_memory smem_granularity smem_alloc_granularity register_allocation_unit]] },
  { module = "pycuda.tools.DeviceData", at = "data.%s", is = "call",
    names = "align_bytes align align_words align_dtype coalesce make_valid_tex_channel_count" },
  { module = "pycuda.tools.OccupancyRecord", at = "occupancy.%s",
    names = "tb_per_mp limited_by warps_per_mp occupancy" },
  { module = "pycuda.tools.Argument", at = "arg.%s", names = "name dtype declarator", raises = {
    struct_char = { "arg.struct_char", "use arg.dtype" } } },
  { module = "pycuda.tools.DeviceMemoryPool", at = "pool.%s", is = "number", names = pool },
  { module = "pycuda.tools.DeviceMemoryPool", at = "pool.%s", is = "call",
    names = "allocate bin_number alloc_size free_held stop_holding" },
  { module = "pycuda.tools.PooledDeviceAllocation", at = "pooled.%s", is = "call", names = "free" },
  { module = "pycuda.tools.PooledDeviceAllocation", is = "number", others = { __len__ = "#pooled",
    __int__ = "pooled:ptr()" } },
  { module = "pycuda.tools.PageLockedMemoryPool", at = "hostpool.%s", is = "number", names = pool },
  { module = "pycuda.tools.PageLockedMemoryPool", at = "hostpool.%s", is = "call",
    names = "allocate free_held stop_holding" },
  { module = "pycuda.tools.PooledHostAllocation", at = 'hostpool:allocate(4, "uint8").base.%s', is = "call",
    names = "free" },
  { module = "pycuda.tools.PooledHostAllocation", is = "number", others = {
    __len__ = '#hostpool:allocate(4, "uint8").base' } },
  { module = "pycuda.characterize", at = "cuda.characterize.%s", is = "call",
    names = "platform_bits has_stack has_double_support sizeof" },
  { module = "pycuda", is = "call", others = { debug = "cuda.set_debugging" } },
  { module = "pycuda", is = "string", others = { autoinit = 'file_of "cudalua.autoinit"',
    autoprimaryctx = 'file_of "cudalua.autoprimaryctx"' } },
}

-- Functions that build the kernels of PyCUDA's own arrays.
local function builders(module, owner, names, instead)
  local raises = {}
  for name in names:gmatch "%S+" do raises[name] = { owner .. "." .. name, instead } end
  rows[#rows + 1] = { module = module, raises = raises }
end
builders("pycuda.elementwise", "cuda.elementwise", [[get_elwise_module get_elwise_range_module
      get_elwise_kernel_and_types get_elwise_kernel get_take_kernel get_take_put_kernel get_put_kernel
      get_copy_kernel get_linear_combination_kernel get_axpbyz_kernel get_axpbz_kernel get_binary_op_kernel
      get_rdivide_elwise_kernel get_binary_func_kernel get_binary_func_scalar_kernel get_binary_minmax_kernel
      get_fill_kernel get_reverse_kernel get_real_kernel get_imag_kernel get_conj_kernel get_arange_kernel
      get_pow_array_kernel get_fmod_kernel get_modf_kernel get_frexp_kernel get_ldexp_kernel get_unary_func_kernel
      get_if_positive_kernel get_where_kernel get_scalar_op_kernel get_logical_not_kernel]],
  "use cuda.elementwise.ElementwiseKernel")
builders("pycuda.reduction", "cuda.reduction", [[get_reduction_module get_reduction_kernel_and_types get_sum_kernel
      get_any_kernel get_all_kernel get_subset_sum_kernel get_dot_kernel get_subset_dot_kernel get_minmax_neutral
      get_minmax_kernel get_subset_minmax_kernel]], "use cuda.reduction.ReductionKernel")

for name, instead in pairs { ["coordinate.CoordinateSpMV"] = "cuda.sparse.coo",
  ["packeted.PacketedSpMV"] = "cuda.sparse.packed", ["cg.CGStateContainer"] = "cuda.sparse.cg",
  ["cg.solve_pkt_with_cg"] = "cuda.sparse.cg", ["cg.ConvergenceError"] = "cuda.sparse.cg",
  ["operator.OperatorBase"] = "a function", ["operator.IdentityOperator"] = "a function",
  ["operator.DiagonalPreconditioner"] = "M = 'jacobi'", ["inner.AsyncInnerProduct"] = "cuda.gpuarray.vdot" } do
  rows[#rows + 1] = { module = "pycuda.sparse", raises = { [name] = { "cuda.sparse." .. name:match "%w+%.(.*)",
    instead } } }
end
rows[#rows + 1] = { module = "pycuda", others = { sparse = "cuda.sparse" } }

for _, row in ipairs {
  { module = "pycuda.driver", at = "cuda.%s", is = "call", names = [[TextureReference SurfaceReference
      gpuarray_to_array bind_array_to_texref matrix_to_texref]] },
  { module = "pycuda.driver.TextureReference", at = "cuda.TextureReference.%s", is = "call", names = [[set_array
      set_address set_address_2d set_format set_address_mode set_filter_mode set_flags get_array get_address
      get_address_mode get_filter_mode get_format get_flags]] },
  { module = "pycuda.driver.SurfaceReference", at = "cuda.SurfaceReference.%s", is = "call",
    names = "set_array get_array" },
  { module = "pycuda.driver.Module", at = "mod.module.%s", is = "call", names = "get_texref get_surfref" },
  { module = "pycuda.compiler.SourceModule", at = "mod.%s", is = "call", names = "get_texref get_surfref" },
  { module = "pycuda.compiler.DynamicModule", at = "cuda.DynamicModule().%s", is = "call",
    names = "get_texref get_surfref" },
  { module = "pycuda.driver.Function", at = "fn.%s", is = "call", names = "param_set_texref" },
  { module = "pycuda.gpuarray.GPUArray", at = "a.%s", is = "call", names = "bind_to_texref bind_to_texref_ext" },
  { module = "pycuda.elementwise.ElementwiseKernel", raises = {
    get_texref = { "cuda.elementwise.ElementwiseKernel.get_texref", "pass a cuda.TextureObject as an argument" } } },
  { module = "pycuda.driver.Memcpy3D", at = "copy3d.%s", is = "number", names = "src_lod dst_lod" },
  -- cudalua.gl
  { module = "pycuda.driver", others = { have_gl_ext = "gl.have_gl_ext" } },
  { module = "pycuda.gl", at = "gl.%s", is = "call", names = [[init make_context RegisteredBuffer RegisteredImage
      BufferObject]] },
  { module = "pycuda.gl", at = "gl.%s", names = "graphics_map_flags RegisteredMapping BufferObjectMapping" },
  { module = "pycuda.gl.graphics_map_flags", at = "gl.graphics_map_flags.%s", is = "number",
    names = "NONE READ_ONLY WRITE_DISCARD" },
  { module = "pycuda.gl.RegisteredBuffer", at = "gl.RegisteredBuffer.%s", is = "call",
    names = "gl_handle unregister map" },
  { module = "pycuda.gl.RegisteredImage", at = "gl.RegisteredImage.%s", is = "call",
    names = "gl_handle unregister map" },
  { module = "pycuda.gl.RegisteredMapping", at = "gl.RegisteredMapping.%s", is = "call",
    names = "unmap device_ptr_and_size array" },
  { module = "pycuda.gl.BufferObject", at = "gl.BufferObject.%s", is = "call", names = "unregister handle map" },
  { module = "pycuda.gl.BufferObjectMapping", at = "gl.BufferObjectMapping.%s", is = "call",
    names = "unmap device_ptr size" },
  { module = "pycuda.gl", is = "string", others = { autoinit = 'file_of "cudalua.gl.autoinit"' } },
} do rows[#rows + 1] = row end

return { rows = rows }
