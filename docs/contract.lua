-- What this library promises, name by name. CI fails when a name here
--   is not there:    it does not resolve in its module, which tools/check_contract.lua requires;
--   is not described: no annotation (a `---` block with an @param for each parameter) stands before it in lua/ or,
--                    for functions written in C, in docs/meta/. Annotations call it by its module: cuda.Device:name
--                    is the function `Device:name` of a file that says `---@class cudalua.Device` above `Device`;
--   is not proven:   no passing test with an assertion has the full name in its own (describe and it, joined).
-- One table per module. `prefix` stands before every name: what the module is called in all documents.
-- The other keys are specs (device_spec = spec/driver/device_spec.lua), each with the names that it proves: a function
-- `Device.count`, a method `Device:name`, a class or a value. `later` holds specs and names of the same form
-- that are promised but not there yet; the check passes over them. A public function of the module, or of a class with
-- promised methods, that stands nowhere here fails it too, but for those in `internal`, which are the library's own.
-- Names of operations, and of functions that are methods, too, are those of the definitions (names.lua).
local names = dofile(debug.getinfo(1, "S").source:match "^@(.*)contract%.lua$" .. "names.lua")

-- Functions and methods of these names.
local function both(list) return list .. " " .. list:gsub("%S+", "Array:%0") end

-- Those that these files of lua/cudalua/gpuarray/ define.
local function defined(...)
  local list = {}
  for _, file in ipairs { ... } do
    for name in next, names.defined[file] do list[#list + 1] = name end
  end
  return both(table.concat(list, " "))
end

return {
  {
    module = "cudalua", prefix = "cuda",
    names_spec = "has",
    embedding_spec = "text_errors",
    interrupt_spec = "interrupts interrupt",
    progress_spec = "progress show_progress",
    profile_spec = "profile range",
    devices_spec = "devices",
    init_spec = [[init on_notice get_version get_driver_version driver_info VERSION VERSION_STATUS VERSION_TEXT
      version_at_least]],
    constants_spec = [[ctx_flags event_flags event_record_flags event_wait_flags stream_flags stream_capture_mode
      stream_capture_status stream_wait_value_flags stream_write_value_flags device_attribute p2p_attribute compute_mode
      limit func_cache shared_config shared_carveout function_attribute occupancy_flags memory_type pointer_attribute
      host_alloc_flags mem_host_register_flags mem_attach_flags ipc_mem_flags mem_advise mem_range_attribute
      mem_location_type mem_allocation_type mem_handle_type mem_access_flags mempool_attribute graph_node_type
      graph_instantiate_flags graph_exec_update_result graph_debug_dot_flags array_format array3d_flags
      array_cubemap_face address_mode filter_mode resource_view_format graphics_register_flags graphics_map_flags
      jit_option jit_target jit_fallback jit_cache_mode jit_input_type profiler_output_mode TRSA_OVERRIDE_FORMAT
      TRSF_READ_AS_INTEGER TRSF_NORMALIZED_COORDINATES TRSF_SRGB TRSF_DISABLE_TRILINEAR_OPTIMIZATION
      TRSF_SEAMLESS_CUBEMAP TR_DEFAULT]],
    device_spec = [[Device Device.count Device.get_device Device:name Device:ordinal Device:total_memory
      Device:compute_capability Device:compute_cabability Device:get_attribute Device:get_attributes Device:pci_bus_id
      Device:uuid Device:can_access_peer Device:p2p_attribute]],
    context_spec = [[Device:make_context Device:retain_primary_context Context Context:push Context.pop Context:detach
      Context:synchronize Context.get_current Context:get_device Context:handle Context:with Context:attach
      Context:get_flags Context:get_api_version Context:is_poisoned Context:get_limit Context:set_limit
      Context:get_cache_config Context:set_cache_config Context:get_shared_config Context:set_shared_config
      Context:enable_peer_access Context:disable_peer_access device_error wrap_context]],
    stream_spec = [[Stream Stream:synchronize Stream:is_done Stream:wait_for_event Stream:use Stream:on_complete
      Stream:flags Stream:priority Stream:context Stream:handle Stream:close Stream.priority_range legacy_stream
      per_thread_stream current_stream wrap_stream poll completion_fd]],
    event_spec = [[Event Event:record Event:synchronize Event:query Event:time_since Event:time_till Event:ipc_handle
      Event.from_ipc_handle Event:context Event:handle Event:close]],
    graph_spec = [[Stream:capture Graph Graph:nodes Graph:dot Graph:instantiate Graph:handle Graph:close GraphExec
      GraphExec:launch GraphExec:upload GraphExec:update GraphExec:handle GraphExec:close]],
    capture_spec = "Stream:begin_capture Stream:end_capture Stream:is_capturing",
    graph_nodes_spec = [[Graph:add_kernel Graph:add_memcpy Graph:add_memset Graph:add_empty Graph:add_host
      Graph:add_event_record Graph:add_event_wait Graph:add_child Graph:node_list GraphNode GraphNode:handle
      GraphExec:set_kernel GraphExec:set_memcpy GraphExec:set_memset GraphExec:set_host GraphExec:set_event
      GraphExec:set_child GraphExec:enable]],
    graph_conditional_spec = "Graph:condition Graph:add_conditional",
    graph_call_spec = "graph GraphCall GraphCall:info GraphCall:close",
    memory_spec = [[mem_alloc mem_get_info DeviceAllocation:free DeviceAllocation:close DeviceAllocation:ptr
      DevicePointer:ptr pointer to_device memcpy_htod memcpy_dtoh memcpy_dtod]],
    pressure_spec = "mem_stats collect gc_budget mem_alloc_like",
    mem_async_spec = [[mem_alloc_async DeviceAllocation:free_async MemoryPool MemoryPool:alloc MemoryPool:trim_to
      MemoryPool:get_attribute MemoryPool:set_attribute MemoryPool:make_current MemoryPool:set_access
      MemoryPool:get_device MemoryPool:handle MemoryPool:close default_mempool]],
    mempool_spec = [[MemoryPool:export MemoryPool:export_pointer MemoryPool:import_pointer import_mempool]],
    pool_spec = [[DeviceMemoryPool DeviceMemoryPool:allocate DeviceMemoryPool:bin_number DeviceMemoryPool:alloc_size
      DeviceMemoryPool:free_held DeviceMemoryPool:stop_holding DeviceMemoryPool:close PooledDeviceAllocation
      PooledDeviceAllocation:free PooledDeviceAllocation:close PooledDeviceAllocation:ptr PageLockedMemoryPool
      PageLockedMemoryPool:allocate PageLockedMemoryPool:bin_number PageLockedMemoryPool:alloc_size
      PageLockedMemoryPool:free_held PageLockedMemoryPool:stop_holding PageLockedMemoryPool:close PageLockedAllocator
      PooledHostAllocation PooledHostAllocation:free PooledHostAllocation:close PooledHostAllocation:ptr
      PooledHostAllocation:get_device_pointer DebugMemoryPool DebugMemoryPool:allocate DebugMemoryPool:histogram
      DebugMemoryPool:report]],
    memcpy_spec = [[from_device from_device_like memcpy_htod_async memcpy_dtoh_async memcpy_dtod_async memcpy_peer
      memcpy_peer_async memset_d8 memset_d16 memset_d32 memset_d8_async memset_d16_async memset_d32_async memset_d2d8
      memset_d2d16 memset_d2d32 memset_d2d8_async memset_d2d16_async memset_d2d32_async]],
    memcpy_box_spec = [[Memcpy2D Memcpy2D:set_src_host Memcpy2D:set_dst_host Memcpy2D:set_src_device
      Memcpy2D:set_dst_device Memcpy2D:set_src_array Memcpy2D:set_dst_array Memcpy2D:set_src_unified
      Memcpy2D:set_dst_unified Memcpy3D Memcpy3DPeer Memcpy3DPeer:set_src_context Memcpy3DPeer:set_dst_context]],
    linear_spec = "mem_alloc_pitch mem_get_address_range DeviceAllocation:as_buffer DevicePointer:as_buffer",
    hostmem_spec = [[pagelocked_empty pagelocked_zeros pagelocked_empty_like pagelocked_zeros_like aligned_empty
      aligned_zeros aligned_empty_like aligned_zeros_like managed_empty managed_zeros managed_empty_like
      managed_zeros_like register_host_memory HostAllocation HostAllocation:free HostAllocation:close HostAllocation:ptr
      HostAllocation:get_device_pointer HostAllocation:get_flags HostAllocation:as_buffer PagelockedHostAllocation
      AlignedHostAllocation AlignedHostAllocation:free AlignedHostAllocation:close RegisteredHostMemory
      RegisteredHostMemory:unregister RegisteredHostMemory:close RegisteredHostMemory:ptr
      RegisteredHostMemory:get_device_pointer RegisteredHostMemory:as_buffer ManagedAllocation ManagedAllocation:free
      ManagedAllocation:close ManagedAllocation:ptr ManagedAllocation:get_device_pointer ManagedAllocation:attach
      ManagedAllocation:as_buffer]],
    ipc_spec = "mem_get_ipc_handle IPCMemoryHandle IPCMemoryHandle:close IPCMemoryHandle:ptr",
    array_spec = [[ArrayDescriptor ArrayDescriptor3D Array Array:free Array:close Array:handle Array:get_descriptor
      Array:get_descriptor_3d Array:get memcpy_dtoa memcpy_atod memcpy_htoa memcpy_atoh memcpy_atoa
      dtype_to_array_format
      matrix_to_array make_multichannel_2d_array np_to_array]],
    texture_spec = "TextureObject TextureObject:close TextureObject:handle gpuarray_to_array",
    surface_spec = "SurfaceObject SurfaceObject:close SurfaceObject:handle",
    mipmap_spec = [[MipmappedArray MipmappedArray:level MipmappedArray:levels MipmappedArray:get_descriptor_3d
      MipmappedArray:handle MipmappedArray:free MipmappedArray:close]],
    texref_spec = [[TextureReference TextureReference:set_array TextureReference:get_array TextureReference:set_address
      TextureReference:set_address_2d TextureReference:get_address TextureReference:set_format
      TextureReference:get_format TextureReference:set_address_mode TextureReference:get_address_mode
      TextureReference:set_filter_mode TextureReference:get_filter_mode TextureReference:set_flags
      TextureReference:get_flags SurfaceReference SurfaceReference:set_array SurfaceReference:get_array
      Module:get_texref Module:get_surfref SourceModule:get_texref SourceModule:get_surfref DynamicModule:get_texref
      DynamicModule:get_surfref Function:param_set_texref bind_array_to_texref matrix_to_texref]],
    module_spec = "module_from_buffer module_from_file Module:get_function Module:get_global Module:close",
    compiler_spec = "SourceModule SourceModule:get_function SourceModule:get_global compile",
    pycuda_spec = "kernel",
    compiler_options_spec = "is_debugging",
    cache_spec = "cache_info clear_cache",
    launch_spec = [[In Out InOut null Function:name bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16
      bfloat16 float32 float64]],
    signature_spec = "Function:signature",
    function_spec = [[Function:get_attribute Function:set_attribute Function:set_cache_config
      Function:set_shared_config Function:max_active_blocks Function:suggest_block Function:available_shared
      Function:max_active_clusters Function:max_cluster_size start_profiler stop_profiler initialize_profiler]],
    prepare_spec = [[Function:prepare Function:prepared_call Function:prepared_timed_call Function:prepared_async_call
      Function:param_set Function:param_set_size Function:param_seti Function:param_setf Function:param_setv
      Function:set_block_shape Function:set_shared_size Function:launch Function:launch_grid
      Function:launch_grid_async]],
    errors_spec = "is_error Error:is result set_debugging",
    show_spec = "show", plot_spec = "plot",
    linker_spec = "Linker Linker:add_data Linker:add_file Linker:link_module Linker:close",
    lto_spec = "link",
    dynamic_spec = [[DynamicModule DynamicModule:add_source DynamicModule:add_data DynamicModule:add_file
      DynamicModule:add_stdlib DynamicModule:link DynamicModule:get_function DynamicModule:get_global
      DynamicSourceModule]],
    later = {
      virtual_memory_spec = "VirtualRange mem_prefetch memcpy_batch",
      library_spec = "library_from_buffer",
      partition_spec = "Device:partition",
      stream_values_spec = "Stream:write_value32 Stream:wait_value32",
      external_spec = "ExternalMemory coredump logs checkpoint",
    },
  },
  {
    module = "cudalua.compiler", prefix = "compiler",
    internal = "build",
    compiler_options_spec = "compile SourceModule DEFAULT_NVRTC_FLAGS nvrtc",
    pycuda_spec = "kernel",
  },
  {
    module = "cudalua.softgpu", prefix = "softgpu",
    softgpu_spec = "control active log calls fail fail_clear stats leaks set_device_count",
    check_spec = "check report", streams_order_spec = "streams runs",
    schedule_spec = "schedule",
  },
  {
    module = "cudalua.dtype", prefix = "dtype",
    struct_dtype_spec = "struct",
    typeinfo_spec = "finfo iinfo can_cast result_type",
    dtype_spec = [[of is_dtype list default_float promote promote_value pack_float16 unpack_float16 pack_bfloat16
      unpack_bfloat16 bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64
      complex128]],
  },
  {
    module = "cudalua.ndarray", prefix = "ndarray",
    ndarray_spec = [[empty zeros ones full array from_buffer wrap is_array equal allclose newaxis Array Array:len
      Array:data Array:buffer Array:get Array:set Array:tolist Array:slice Array:transpose Array:reshape Array:copy
      Array:astype Array:fill Array:assign Array:equal Array:allclose]],
    ndarray_make_spec = [[from_function arange linspace eye empty_like zeros_like ones_like full_like Array:item
      Array:squeeze Array:expand_dims Array:flip Array:broadcast_to]],
    npy_spec = "load loads save dumps savez dumpsz Npz Npz:names Npz:get Npz:close",
    hostmem_spec = "Array:get_pointer",
    struct_dtype_spec = "Array:field",
  },
  {
    module = "cudalua.cache", prefix = "cache",
    exported_spec = "export use info clear",
  },
  {
    module = "cudalua.fft", prefix = "fft",
    fft_spec = "fft ifft",
    fft_real_spec = "rfft irfft",
    fft_axes_spec = "fft2 ifft2 fftn ifftn fftshift ifftshift fftfreq rfftfreq",
    fft_plan_spec = "plan_limit clear_plans",
  },
  {
    module = "cudalua.image", prefix = "image",
    convolve2d_spec = "convolve2d separable",
    resize_spec = "resize",
    rotate_spec = "rotate",
  },
  {
    module = "cudalua.io", prefix = "io",
    image_spec = "save_image load_image",
    table_spec = "savetxt loadtxt",
    safetensors_spec = "load_safetensors save_safetensors",
  },
  {
    module = "cudalua.interop", prefix = "interop",
    dlpack_spec = "from_dlpack to_dlpack", python_arrays_spec = "from_python to_python",
  },
  {
    module = "cudalua.debug", prefix = "cuda.debug",
    replay_spec = "record replay save",
  },
  {
    module = "cudalua.tools", prefix = "tools",
    occupancy_spec = [[DeviceData DeviceData:align_bytes DeviceData:align DeviceData:align_words
      DeviceData:align_dtype DeviceData:coalesce DeviceData.make_valid_tex_channel_count OccupancyRecord]],
    tools_spec = [[bitlog2 get_default_device make_default_context context_dependent_memoize clear_context_caches]],
    arguments_spec = [[register_dtype get_or_register_dtype dtype_to_ctype parse_c_arg parse_arguments VectorArg
      ScalarArg is_arg Arg Arg:declarator match_dtype_to_c_struct c_declarations]],
  },
  {
    module = "cudalua.characterize", prefix = "characterize",
    characterize_spec = "platform_bits has_stack has_double_support sizeof",
  },
  {
    module = "cudalua.vec", prefix = "vec",
    vec_spec = [[char1 char2 char3 char4 uchar1 uchar2 uchar3 uchar4 short1 short2 short3 short4 ushort1 ushort2
      ushort3 ushort4 int1 int2 int3 int4 uint1 uint2 uint3 uint4 long1 long2 long3 long4 long4_16a long4_32a ulong1
      ulong2 ulong3 ulong4 ulong4_16a ulong4_32a longlong1 longlong2 longlong3 longlong4 longlong4_16a longlong4_32a
      ulonglong1 ulonglong2 ulonglong3 ulonglong4 ulonglong4_16a ulonglong4_32a float1 float2 float3 float4 double1
      double2 double3 double4 double4_16a double4_32a make_char1 make_char2 make_char3 make_char4 make_uchar1
      make_uchar2 make_uchar3 make_uchar4 make_short1 make_short2 make_short3 make_short4 make_ushort1 make_ushort2
      make_ushort3 make_ushort4 make_int1 make_int2 make_int3 make_int4 make_uint1 make_uint2 make_uint3 make_uint4
      make_long1 make_long2 make_long3 make_long4 make_long4_16a make_long4_32a make_ulong1 make_ulong2 make_ulong3
      make_ulong4 make_ulong4_16a make_ulong4_32a make_longlong1 make_longlong2 make_longlong3 make_longlong4
      make_longlong4_16a make_longlong4_32a make_ulonglong1 make_ulonglong2 make_ulonglong3 make_ulonglong4
      make_ulonglong4_16a make_ulonglong4_32a make_float1 make_float2 make_float3 make_float4 make_double1
      make_double2 make_double3 make_double4 make_double4_16a make_double4_32a]],
  },
  {
    module = "cudalua.gpuarray", prefix = "gpuarray",
    names_spec = "is",
    gpuarray_construct_spec = [[empty zeros ones full scalar empty_like zeros_like ones_like full_like to_gpu
      to_gpu_async from_function wrap load save arange linspace logspace eye identity tri diag meshgrid
      is_array newaxis
      Array Array:len Array:tolist Array:fill Array:get Array:set Array:get_async Array:set_async]],
    gpuarray_shape_spec = [[Array:reshape Array:ravel Array:flatten Array:squeeze Array:expand_dims Array:transpose
      Array:swapaxes Array:moveaxis Array:flip Array:fliplr Array:flipud Array:rot90 Array:reverse Array:broadcast_to
      Array:diagonal Array:view Array:split Array:array_split Array:tile Array:repeat_ Array:roll Array:pad Array:item
      Array:copy Array:astype broadcast_arrays atleast_1d atleast_2d atleast_3d concatenate stack hstack vstack dstack
      reshape ravel squeeze expand_dims transpose swapaxes moveaxis flip fliplr flipud rot90 broadcast_to diagonal copy
      split array_split tile repeat_ roll pad reverse]],
    gpuarray_functions_spec = both(names.operations) .. [[ vec splay fast_math Array:iadd Array:isub Array:imul
      Array:idiv Array:imod Array:ipow Array:ifloordiv Array:cuda_array_interface]],
    typeinfo_spec = "finfo iinfo can_cast result_type",
    texref_spec = "Array:bind_to_texref Array:bind_to_texref_ext",
    gpuarray_numpy_functions_spec = defined("derived.average", "derived.closeness", "derived.diff", "derived.replace",
      "derived.sets") .. [[ interp intersect1d union1d setdiff1d setxor1d unravel_index ravel_multi_index]] ..
      both " unstack",
    gpuarray_spec = "eager eval scope Array:eval Array:release",
    gpuarray_sort_spec = defined("order.sort", "order.quantile", "order.nanquantile"),
    matmul_spec = defined("product.matmul"),
    contractions_spec = defined("product.shapes") .. " einsum " .. both "tril triu",
    convolve_spec = defined "derived.convolve", covariance_spec = defined "derived.covariance",
    gradient_spec = defined("derived.gradient", "derived.unwrap"),
    gpuarray_count_spec = "bincount histogram histogram_bin_edges digitize",
    gpuarray_fuse_spec = "fuse Fused Fused:source source", explain_spec = "explain",
    gpuarray_reduce_spec = defined("reduce.reduce", "reduce.nan_and_norms") .. [[ subset_sum subset_min subset_max
      subset_dot]],
    gpuarray_scan_spec = defined "reduce.scan",
    gpuarray_index_spec = defined("index.choose", "index.take", "index.where") .. [[ Array:slice take_along_axis
      put_along_axis argwhere flatnonzero extract place putmask select multi_take multi_put multi_take_put]],
  },
  {
    module = "cudalua.linalg", prefix = "linalg",
    chains_spec = "multi_dot matrix_power", linear_layer_spec = "linear", vendor_spec = "backend libraries",
    tensor_spec = "precision",
    elimination_spec = "lu solve inv det slogdet cholesky solve_triangular", reflections_spec = "qr",
    rotations_spec = "svd svdvals eigh eigvalsh",
    functions_of_matrices_spec = "lstsq pinv matrix_rank norm cond expm",
  },
  {
    module = "cudalua.math", prefix = "math",
    math_spec = names.math,
  },
  {
    module = "cudalua.elementwise", prefix = "elementwise",
    elementwise_spec = "ElementwiseKernel ElementwiseKernel:source",
  },
  {
    module = "cudalua.reduction", prefix = "reduction",
    reduction_spec = "ReductionKernel ReductionKernel:source",
  },
  {
    module = "cudalua.scan", prefix = "scan",
    scan_spec = [[InclusiveScanKernel ExclusiveScanKernel GenericScanKernel InclusiveScanKernel:source
      ExclusiveScanKernel:source GenericScanKernel:source]],
  },
  {
    module = "cudalua.random", prefix = "random",
    random_spec = [[Generator Generator:seed Generator:get_state Generator:set_state Generator:skip_ahead
      Generator:spawn Generator:uniform Generator:normal Generator:log_normal Generator:exponential Generator:gamma
      Generator:beta Generator:poisson Generator:binomial Generator:integers Generator:permutation Generator:choice
      Generator:gen_uniform Generator:gen_normal Generator:gen_log_normal Generator:gen_poisson
      Generator:fill_uniform Generator:fill_normal Generator:fill_log_normal Generator:fill_poisson
      seed default uniform normal log_normal exponential gamma beta poisson binomial integers permutation choice rand
      seed_getter_uniform seed_getter_unique]],
    random_states_spec = [[XORWOWRandomNumberGenerator MRG32k3aRandomNumberGenerator StateGenerator
      StateGenerator:gen_uniform StateGenerator:gen_normal StateGenerator:gen_log_normal StateGenerator:gen_poisson
      StateGenerator:fill_uniform StateGenerator:fill_normal StateGenerator:fill_log_normal
      StateGenerator:fill_poisson StateGenerator:call_skip_ahead StateGenerator:call_skip_ahead_array
      StateGenerator:call_skip_ahead_sequence StateGenerator:call_skip_ahead_sequence_array
      StateGenerator:call_skip_ahead_subsequence StateGenerator:call_skip_ahead_subsequence_array
      StateGenerator:get_state StateGenerator:set_state
      generate_direction_vectors generate_scramble_constants32 generate_scramble_constants64 direction_vector_set
      Sobol32RandomNumberGenerator Sobol64RandomNumberGenerator ScrambledSobol32RandomNumberGenerator
      ScrambledSobol64RandomNumberGenerator SobolGenerator SobolGenerator:gen_uniform SobolGenerator:gen_normal
      SobolGenerator:gen_log_normal SobolGenerator:gen_poisson SobolGenerator:fill_uniform SobolGenerator:fill_normal
      SobolGenerator:fill_log_normal SobolGenerator:fill_poisson SobolGenerator:call_skip_ahead
      SobolGenerator:call_skip_ahead_array
      SobolGenerator:get_state SobolGenerator:set_state]],
  },
  {
    module = "cudalua.sparse", prefix = "sparse",
    sparse_build_spec = [[csr csc coo from_dense diags eye Matrix Matrix:to Matrix:todense Matrix:transpose
      Matrix:diagonal Matrix:astype Matrix:eliminate_zeros]],
    sparse_product_spec = "Matrix:matmul Matrix:sum",
    sparse_packed_spec = "packed",
    sparse_solve_spec = "cg bicgstab gmres jacobi",
  },
  {
    module = "cudalua.distributed", prefix = "cuda.distributed",
    distributed_spec = [[init Group Group:barrier Group:all_reduce Group:reduce Group:broadcast Group:all_gather
      Group:gather Group:scatter Group:reduce_scatter Group:all_to_all Group:send Group:recv Group:broadcast_object
      Group:split Group:group Group:close Handle Handle:wait Handle:is_done]],
    sharded_arrays_spec = [[shard replicate halo zeros ones full arange linspace random Array Array:gather
      Array:redistribute Array:halo Array:item Array:astype Array:transpose Array:copy Array:reshape Array:with_block
      Array:eval]],
    sharded_reductions_spec = [[Array:sum Array:prod Array:mean Array:min Array:max Array:any Array:all
      Array:count_nonzero Array:argmin Array:argmax Array:var Array:std Array:norm Array:dot]],
    checkpoint_spec = "save load checkpoint restore",
    sharded_products_spec = "Array:matmul Array:cumsum", sharded_sorts_spec = "Array:sort Array:argsort",
    sharded_take_spec = "Array:take",
  },
  {
    module = "cudalua.gl", prefix = "gl",
    gl_spec = [[graphics_register_flags graphics_map_flags RegisteredBuffer RegisteredBuffer:gl_handle
      RegisteredBuffer:set_map_flags RegisteredBuffer:map RegisteredBuffer:unregister RegisteredBuffer:close
      RegisteredImage RegisteredImage:gl_handle RegisteredImage:set_map_flags RegisteredImage:map
      RegisteredImage:unregister RegisteredImage:close RegisteredMapping RegisteredMapping:device_ptr_and_size
      RegisteredMapping:array RegisteredMapping:unmap RegisteredMapping:close BufferObject BufferObject:handle
      BufferObject:map BufferObject:unregister BufferObjectMapping BufferObjectMapping:unmap
      BufferObjectMapping:device_ptr BufferObjectMapping:size make_context devices init have_gl_ext headless Headless
      Headless:make_current Headless:release Headless:close Headless:buffer Headless:texture Headless:program
      Headless:read_pixels]],
  },
  { module = "cudalua.autoinit", prefix = "autoinit", autoinit_spec = "context device" },
  { module = "cudalua.repl", prefix = "repl", repl_spec = "run" },
  { module = "cudalua.luassert", prefix = "luassert", luassert_spec = "text" },
  { module = "cudalua.autoprimaryctx", prefix = "autoprimaryctx", autoinit_spec = "context device" },
}
