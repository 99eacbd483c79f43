-- For each public function a call that makes sense, as words: names of values that spec/support/values.lua makes,
-- numbers, 'strings, true, false and nil. spec/whole/nonsense_spec.lua puts nonsense in the place of each; a function
-- of docs/contract.lua that has no row here fails it. A class that cannot be called is "-".
local samples = {}
local names_file = debug.getinfo(1, "S").source:match "^@(.*)spec/support/samples%.lua$" .. "docs/names.lua"

local function rows(prefix, text)
  for name, words in text:gmatch "(%S+) *= *([^\n;]*)[\n;]" do
    samples[prefix .. name] = words:gsub("%s+$", "")
  end
end

rows("cuda.", [[
init = options; has = 'gpuarray.sort; text_errors = fn options; get_version =; get_driver_version =; driver_info =
version_at_least = 0 1; on_notice = 'text
device_error = dev; wrap_context = number; pointer = number; is_error = error; Error:is = error 'LogicError
Device = 0; Device.count =; Device.get_device = 0
Device:name = dev; Device:ordinal = dev; Device:total_memory = dev; Device:compute_capability = dev
Device:compute_cabability = dev; Device:get_attribute = dev 'warp_size; Device:get_attributes = dev options
Device:pci_bus_id = dev; Device:uuid = dev; Device:can_access_peer = dev dev
Device:p2p_attribute = dev dev 'performance_rank; Device:make_context = dev 0; Device:retain_primary_context = dev
Context = dev 0; Context:push = context; Context.pop =; Context:detach = loose_context; Context:synchronize = context
Context.get_current =; Context:get_device = context; Context:handle = context; Context:with = context fn 1
Context:attach = loose_context 0; Context:get_flags = context; Context:get_api_version = context
Context:is_poisoned = context; Context:get_limit = context 'stack_size
Context:set_limit = context 'stack_size 2048; Context:get_cache_config = context
Context:set_cache_config = context 'prefer_l1; Context:get_shared_config = context
Context:set_shared_config = context 'default_bank_size; Context:enable_peer_access = context other_context 0
Context:disable_peer_access = context other_context
Stream = options; Stream:synchronize = stream; Stream:is_done = stream; Stream:wait_for_event = stream event
Stream:use = stream fn 1; Stream:on_complete = stream fn; Stream:capture = stream fn options; Stream:flags = stream
Stream:begin_capture = stream options; Stream:end_capture = captured_stream; Stream:is_capturing = stream
Stream:priority = stream; Stream:context = stream; Stream:handle = stream; Stream:close = stream
Stream.priority_range =; current_stream =; wrap_stream = 0; poll =; completion_fd =
Event = 0; Event:record = event stream; Event:synchronize = event; Event:query = event
Event:time_since = event event; Event:time_till = event event; Event:ipc_handle = ipc_event
Event.from_ipc_handle = handle64; Event:context = event; Event:handle = event; Event:close = event
Graph =; Graph:nodes = graph; Graph:dot = graph dot 0; Graph:instantiate = graph; Graph:handle = graph
Graph:close = graph; GraphExec = -; GraphExec:launch = exec stream; GraphExec:upload = exec stream
GraphExec:update = exec graph; GraphExec:handle = exec; GraphExec:close = exec
Graph:add_kernel = hand_graph kernel_record; Graph:add_memcpy = hand_graph memcpy_record
Graph:add_memset = hand_graph memset_record; Graph:add_empty = hand_graph empty_record
Graph:add_host = hand_graph host_record; Graph:add_event_record = hand_graph event_record
Graph:add_event_wait = hand_graph event_record; Graph:add_child = hand_graph child_record
Graph:condition = hand_graph options; Graph:add_conditional = hand_graph conditional_record
Graph:node_list = filled_graph; GraphNode = -; GraphNode:handle = kernel_node
GraphExec:set_kernel = filled_exec kernel_node kernel_record
GraphExec:set_memcpy = filled_exec memcpy_node memcpy_record
GraphExec:set_memset = filled_exec memset_node memset_record; GraphExec:set_host = filled_exec host_node host_record
GraphExec:set_event = filled_exec event_node event; GraphExec:set_child = filled_exec child_node graph
GraphExec:enable = filled_exec kernel_node true
graph = fn options; GraphCall = -; GraphCall:info = graph_call; GraphCall:close = loose_graph_call
mem_alloc = 64; mem_alloc_async = 64 stream; mem_alloc_like = floats; mem_get_info =; mem_stats =; collect =
gc_budget = 'auto; mem_alloc_pitch = 64 4 4; mem_get_address_range = memory; mem_get_ipc_handle = memory
DeviceAllocation:free = memory; DeviceAllocation:close = memory; DeviceAllocation:free_async = async_memory stream
DeviceAllocation:ptr = memory; DeviceAllocation:as_buffer = memory 16 0; DevicePointer:ptr = view
DevicePointer:as_buffer = managed_view 16 0
MemoryPool = options; MemoryPool:alloc = mempool 64 stream; MemoryPool:trim_to = mempool 0
MemoryPool:get_attribute = mempool 'used_mem_current; MemoryPool:set_attribute = mempool 'release_threshold 0
MemoryPool:make_current = mempool; MemoryPool:set_access = mempool dev 'read_write; MemoryPool:get_device = mempool
MemoryPool:handle = mempool; MemoryPool:close = mempool; default_mempool = dev
MemoryPool:export = mempool; MemoryPool:export_pointer = mempool memory; MemoryPool:import_pointer = mempool 'nothing
import_mempool = 9999
DeviceMemoryPool =; DeviceMemoryPool:allocate = device_pool 64 stream; DeviceMemoryPool:bin_number = device_pool 64
DeviceMemoryPool:alloc_size = device_pool 64; DeviceMemoryPool:free_held = device_pool
DeviceMemoryPool:stop_holding = device_pool; DeviceMemoryPool:close = device_pool
PooledDeviceAllocation = -; PooledDeviceAllocation:free = pooled; PooledDeviceAllocation:close = pooled
PooledDeviceAllocation:ptr = pooled
PageLockedMemoryPool = allocator; PageLockedMemoryPool:allocate = host_pool 16 'float32 'C
PageLockedMemoryPool:bin_number = host_pool 64; PageLockedMemoryPool:alloc_size = host_pool 64
PageLockedMemoryPool:free_held = host_pool; PageLockedMemoryPool:stop_holding = host_pool
PageLockedMemoryPool:close = host_pool; PageLockedAllocator = 0; PooledHostAllocation = -
PooledHostAllocation:free = pooled_host; PooledHostAllocation:close = pooled_host
PooledHostAllocation:ptr = pooled_host; PooledHostAllocation:get_device_pointer = pooled_host
DebugMemoryPool = options; DebugMemoryPool:allocate = debug_pool 64 stream; DebugMemoryPool:histogram = debug_pool
DebugMemoryPool:report = debug_pool
to_device = floats; from_device = memory 16 'float32 'C; from_device_like = memory ndarray
memcpy_htod = memory floats options; memcpy_dtoh = floats memory options; memcpy_dtod = memory memory 8
memcpy_htod_async = memory floats stream options; memcpy_dtoh_async = floats memory stream options
memcpy_dtod_async = memory memory 8 stream; memcpy_peer = memory memory 8 options
memcpy_peer_async = memory memory 8 options
memset_d8 = memory 1 8; memset_d16 = memory 1 8; memset_d32 = memory 1 8; memset_d8_async = memory 1 8 stream
memset_d16_async = memory 1 8 stream; memset_d32_async = memory 1 8 stream; memset_d2d8 = memory 8 1 8 2
memset_d2d16 = memory 8 1 4 2; memset_d2d32 = memory 8 1 2 2; memset_d2d8_async = memory 8 1 8 2 stream
memset_d2d16_async = memory 8 1 4 2 stream; memset_d2d32_async = memory 8 1 2 2 stream
Memcpy2D =; Memcpy2D:set_src_host = copy2d floats; Memcpy2D:set_dst_host = copy2d floats
Memcpy2D:set_src_device = copy2d memory; Memcpy2D:set_dst_device = copy2d memory
Memcpy2D:set_src_array = copy2d array; Memcpy2D:set_dst_array = copy2d array
Memcpy2D:set_src_unified = copy2d managed; Memcpy2D:set_dst_unified = copy2d managed; Memcpy3D =; Memcpy3DPeer =
Memcpy3DPeer:set_src_context = peer_copy context; Memcpy3DPeer:set_dst_context = peer_copy context
pagelocked_empty = 16 'float32 options; pagelocked_zeros = 16 'float32 options
pagelocked_empty_like = ndarray options; pagelocked_zeros_like = ndarray options
aligned_empty = 16 'float32 options; aligned_zeros = 16 'float32 options; aligned_empty_like = ndarray options
aligned_zeros_like = ndarray options; managed_empty = 16 'float32 options; managed_zeros = 16 'float32 options
managed_empty_like = ndarray options; managed_zeros_like = ndarray options; register_host_memory = page 0
HostAllocation = -; HostAllocation:free = pinned; HostAllocation:close = pinned; HostAllocation:ptr = pinned
HostAllocation:get_device_pointer = pinned; HostAllocation:get_flags = pinned
HostAllocation:as_buffer = pinned 16 0; PagelockedHostAllocation = -; AlignedHostAllocation = -
AlignedHostAllocation:free = aligned; AlignedHostAllocation:close = aligned; RegisteredHostMemory = -
RegisteredHostMemory:unregister = registered; RegisteredHostMemory:close = registered
RegisteredHostMemory:ptr = registered; RegisteredHostMemory:get_device_pointer = registered
RegisteredHostMemory:as_buffer = registered 16 0; ManagedAllocation = -; ManagedAllocation:free = managed
ManagedAllocation:close = managed; ManagedAllocation:ptr = managed
ManagedAllocation:get_device_pointer = managed; ManagedAllocation:attach = managed 'global stream
ManagedAllocation:as_buffer = managed 16 0
IPCMemoryHandle = handle64 0; IPCMemoryHandle:close = memory; IPCMemoryHandle:ptr = memory
ArrayDescriptor = options; ArrayDescriptor3D = options; Array = descriptor; Array:free = array; Array:close = array
Array:handle = array; Array:get_descriptor = array; Array:get_descriptor_3d = array
Array:get = array
memcpy_dtoa = array 0 memory 8; memcpy_atod = memory array 0 8; memcpy_htoa = array 0 floats
memcpy_atoh = floats array 0; memcpy_atoa = array 0 array 8 8; dtype_to_array_format = 'float32
matrix_to_array = matrix 'C options; make_multichannel_2d_array = cube 'C; np_to_array = matrix 'C options
gpuarray_to_array = gmatrix 'C options; MipmappedArray = descriptor 2; MipmappedArray:level = mipmap 1
MipmappedArray:levels = mipmap; MipmappedArray:get_descriptor_3d = mipmap; MipmappedArray:handle = mipmap
MipmappedArray:free = mipmap; MipmappedArray:close = mipmap; TextureObject = texture_options
TextureObject:handle = texture; TextureObject:close = texture; SurfaceObject = surface_options
SurfaceObject:handle = surface; SurfaceObject:close = surface; TextureReference =; SurfaceReference =
Module:get_texref = referring 'list; Module:get_surfref = referring 'canvas
SourceModule:get_texref = referring_source 'list; SourceModule:get_surfref = referring_source 'canvas
DynamicModule:get_texref = referring_linked 'list; DynamicModule:get_surfref = referring_linked 'canvas
TextureReference:set_array = texref array; TextureReference:get_array = texref
TextureReference:set_address = texref_list memory 64 false; TextureReference:get_address = texref_list
TextureReference:set_address_2d = texref texture_rows descriptor 64; TextureReference:set_format = texref_list 'float 1
TextureReference:get_format = texref_list; TextureReference:set_address_mode = texref 0 'clamp
TextureReference:get_address_mode = texref 0; TextureReference:set_filter_mode = texref 'linear
TextureReference:get_filter_mode = texref; TextureReference:set_flags = texref 0
TextureReference:get_flags = texref; SurfaceReference:set_array = surfref surface_array 0
SurfaceReference:get_array = surfref; Function:param_set_texref = referring_kernel texref
bind_array_to_texref = array texref; matrix_to_texref = matrix texref 'C
module_from_buffer = image options; module_from_file = path options; Module:get_function = module 'add options
Module:get_global = module 'variable; Module:close = module
SourceModule = source options; SourceModule:get_function = source_module 'add options
SourceModule:get_global = source_module 'variable; compile = source arch; kernel = source 'add options
cache_info =; clear_cache =; link = images arch
DynamicModule = options; DynamicSourceModule = source options; DynamicModule:add_source = dynamic source options
DynamicModule:add_data = dynamic image 'ptx 'name; DynamicModule:add_file = dynamic path 'ptx
DynamicModule:add_stdlib = dynamic 'cudadevrt; DynamicModule:link = dynamic
DynamicModule:get_function = dynamic_linked 'add options; DynamicModule:get_global = dynamic_linked 'variable
Linker = options; Linker:add_data = linker image 'ptx 'name; Linker:add_file = linker path 'ptx
Linker:link_module = linker; Linker:close = linker
In = floats 8; Out = floats 8; InOut = floats 8; Function:name = add; Function:get_attribute = add 'num_regs
Function:prepare = idle 'Pii options; Function:prepared_call = idle 1 memory 0 1
Function:prepared_timed_call = idle 1 memory 0 1; Function:prepared_async_call = idle 1 stream memory 0 1
Function:param_set = idle memory 0 1; Function:param_set_size = idle 16; Function:param_seti = idle 8 1
Function:param_setf = idle 8 1; Function:param_setv = idle 8 'word; Function:set_block_shape = idle 32 1 1
Function:set_shared_size = idle 0; Function:launch = idle; Function:launch_grid = idle 1 1
Function:launch_grid_async = idle 1 1 stream
Function:signature = add; Function:set_attribute = idle 'preferred_shared_memory_carveout 50
Function:set_cache_config = idle 'prefer_l1; Function:set_shared_config = idle 'default_bank_size
Function:max_active_blocks = idle 32 0 'default; Function:suggest_block = idle options
Function:available_shared = idle 1 32; Function:max_active_clusters = idle shape; Function:max_cluster_size = idle shape
start_profiler =; stop_profiler =; initialize_profiler = 'in 'out 'csv
bool = true; int8 = 1; uint8 = 1; int16 = 1; uint16 = 1; int32 = 1; uint32 = 1; int64 = 1; uint64 = 1
float16 = 1; bfloat16 = 1; float32 = 1; float64 = 1; set_debugging = false; is_debugging =
]])

rows("cuda.", [[
show = gmatrix options; plot = plot_table
interrupts = false; interrupt =; progress = 3 options; show_progress = false
profile = fn options; devices = fn options; range = 'part; debug.record = false options; debug.replay = recording
debug.save = recording_to
]])

rows("compiler.", [[
compile = source arch; kernel = source 'add options; SourceModule = source options; nvrtc =
]])

rows("softgpu.", [[
control = 'stats; active =; log = 'off; calls =; fail = 'cuMemAlloc_v2 1 2; fail_clear =; stats =; leaks =
set_device_count = 1; check = 'off; report = 'text; streams = 'deferred; runs =; schedule = nil
]])

rows("dtype.", [[
of = 'float32; is_dtype = 1; default_float = nil; promote = 'int8 'uint8; promote_value = 'int8 1
finfo = 'float32; iinfo = 'int8; can_cast = 'int8 'int16; result_type = 'int8 garray 1
pack_float16 = 1; unpack_float16 = 1; pack_bfloat16 = 1; unpack_bfloat16 = 1; struct = fields options
]])

rows("ndarray.", [[
empty = 16 'float32 options; zeros = 16 'float32 options; ones = 16 'float32 options
full = 16 1 'float32 options; array = list 'float32 options; from_buffer = floats 16 'float32 options
wrap = floats 16 'float32 options; is_array = ndarray; equal = ndarray ndarray; allclose = ndarray ndarray options
Array = -; Array:len = ndarray; Array:data = ndarray; Array:buffer = ndarray; Array:get = ndarray 1
Array:set = ndarray 1 1; Array:tolist = ndarray; Array:slice = ndarray list; Array:transpose = ndarray 1
Array:reshape = ndarray 16; Array:copy = ndarray 'C; Array:astype = ndarray 'float64 'C; Array:fill = ndarray 1
Array:assign = ndarray ndarray; Array:equal = ndarray ndarray; Array:allclose = ndarray ndarray options
Array:field = records 'x
Array:get_pointer = ndarray; Array:item = one; Array:squeeze = matrix; Array:expand_dims = ndarray 1
Array:flip = ndarray 1; Array:broadcast_to = ndarray 2 16
from_function = 16 yes 'bool options; arange = 1 9 2 'float32 options; linspace = 0 1 9 'float32 options
eye = 3 3 0 'float32 options; empty_like = ndarray 'float32 options; zeros_like = ndarray 'float32 options
ones_like = ndarray 'float32 options; full_like = ndarray 1 'float32 options
load = npz options; loads = npy options; save = 'a.npy ndarray options; dumps = ndarray options
savez = 'a.npz members options; dumpsz = members options; Npz = -; Npz:names = npz_file
Npz:get = npz_file 'a options; Npz:close = closed_npz
]])

rows("cache.", [[
export = 'kernels nil; use = 'kernels; info =; clear =
]])

rows("fft.", [[
fft = garray options; ifft = garray options; rfft = garray options; irfft = garray options
fft2 = gmatrix options; ifft2 = gmatrix options; fftn = gmatrix options; ifftn = gmatrix options
fftshift = gmatrix options; ifftshift = gmatrix options; fftfreq = 8 1 options; rfftfreq = 8 1 options
plan_limit = 16; clear_plans =
]])

rows("image.", [[
convolve2d = gmatrix gmatrix options; separable = gmatrix list list options; resize = gmatrix list options
rotate = gmatrix 30 options
]])

rows("io.", [[
save_image = 'a.png gmatrix options; load_image = picture options; savetxt = 'a.txt gmatrix options
loadtxt = table_text options; save_safetensors = 'a.safetensors members_of options
load_safetensors = tensors options
]])

rows("interop.", [[
from_dlpack = managed_tensor options; to_dlpack = ndarray options; to_python = ndarray; from_python = ndarray
]])

rows("gpuarray.", [[
empty = 16 'float32 options; zeros = 16 'float32 options; ones = 16 'float32 options; full = 16 1 'float32 options
scalar = 1 'float32; empty_like = garray 'float32 options; zeros_like = garray 'float32 options
ones_like = garray 'float32 options; full_like = garray 1 'float32 options; to_gpu = list 'float32 options
to_gpu_async = list stream options; from_function = 16 yes 'bool options; wrap = memory 16 'float32 options
load = npz 'a; save = 'a.npy garray; arange = 1 9 2 'float32 options; linspace = 0 1 9 'float32 options
logspace = 0 1 9 'float32 options; eye = 3 3 0 'float32 options; identity = 3 'float32 options; tri = 3 3 0 'float32
tril = gmatrix 0; triu = gmatrix 0; diag = garray 0; meshgrid = garray garray options; is_array = garray
is = garray; Array = -
Array:len = garray; Array:tolist = garray; Array:fill = garray 1 options; Array:get = garray ndarray
Array:set = garray list16 options
Array:get_async = garray stream; Array:set_async = garray list16 stream; Array:reshape = garray 16
Array:ravel = garray 'C; Array:flatten = garray 'C; Array:squeeze = gone_axis 1; Array:expand_dims = garray 1
Array:transpose = garray 1; Array:swapaxes = gmatrix 1 2; Array:moveaxis = gmatrix 1 2; Array:flip = garray 1
Array:fliplr = gmatrix; Array:flipud = garray; Array:rot90 = gmatrix 1 axes; Array:reverse = garray options
Array:broadcast_to = garray 2 16; Array:diagonal = gmatrix 0 1 2; Array:view = garray 'int32; Array:split = garray 2 1
Array:array_split = garray 3 1; Array:tile = garray 2; Array:repeat_ = garray 2 1; Array:roll = garray 1 1
Array:pad = garray 1 'constant options; Array:item = garray 1; Array:copy = garray 'C
Array:astype = garray 'float64 options; broadcast_arrays = garray garray; atleast_1d = garray; atleast_2d = garray
atleast_3d = garray; concatenate = garrays 1 options; stack = garrays 1 options; hstack = garrays options
vstack = garrays options; dstack = garrays options; reshape = garray 16; ravel = garray 'C; squeeze = gone_axis 1
expand_dims = garray 1; transpose = garray 1; swapaxes = gmatrix 1 2; moveaxis = gmatrix 1 2; flip = garray 1
fliplr = gmatrix; flipud = garray; rot90 = gmatrix 1 axes; broadcast_to = garray 2 16; diagonal = gmatrix 0 1 2
copy = garray 'C; split = garray 2 1; array_split = garray 3 1; tile = garray 2; repeat_ = garray 2 1
roll = garray 1 1; pad = garray 1 'constant options
Array:slice = garray gpositions; Array:take = garray gpositions options; Array:put = garray gpositions 1 options
Array:nonzero = garray; Array:compress = garray gmask options; Array:choose = gpositions gfours options
Array:searchsorted = garray 1 options; take = garray gpositions options; put = garray gpositions 1 options
take_along_axis = garray gpositions 1; put_along_axis = garray gpositions 1 1; where = gmask garray 1 options
nonzero = garray; argwhere = garray; flatnonzero = garray; compress = gmask garray options; extract = gmask garray
place = garray gmask 1; putmask = garray gmask 1; select = gmasks garrays 0; choose = gpositions gfours options
multi_take = garrays gpositions options; multi_put = gfours gpositions gplace
multi_take_put = garrays gpositions gpositions gplace; searchsorted = garray 1 options
bincount = gcounted options; histogram = garray 2 options
histogram_bin_edges = garray 2 options; digitize = garray garray options
finfo = 'float32; iinfo = 'int8; can_cast = 'int8 'int16; result_type = 'int8 garray 1
isclose = garray garray options; allclose = garray garray options; array_equal = garray garray options
nan_to_num = garray options; masked_fill = garray gmask 1 options; diff = garray 1 options
interp = garray garray garray options; isin = garray garray options; intersect1d = garray garray options
union1d = garray garray; setdiff1d = garray garray options; setxor1d = garray garray options
unravel_index = gpositions 16 options; ravel_multi_index = gplaces 16 options; average = garray options
unstack = garray 1
Array:isclose = garray garray options; Array:allclose = garray garray options
Array:array_equal = garray garray options; Array:nan_to_num = garray options
Array:masked_fill = garray gmask 1 options; Array:diff = garray 1 options; Array:isin = garray garray options
Array:average = garray options; Array:unstack = garray 1
convolve = garray garray options; Array:convolve = garray garray options; correlate = garray garray options
Array:correlate = garray garray options; cov = gmatrix options; Array:cov = gmatrix options
corrcoef = gmatrix options; Array:corrcoef = gmatrix options; gradient = gmatrix options
Array:gradient = gmatrix options; trapezoid = garray options; Array:trapezoid = garray options
unwrap = garray options; Array:unwrap = garray options
]])

rows("gpuarray.", [[
einsum = 'i,i garray garray options; cross = gthrees gthrees options; Array:cross = gthrees gthrees options
vecdot = garray garray options; trace = gmatrix 0 options; Array:trace = gmatrix 0 options
addmm = gmatrix gmatrix gmatrix options; Array:addmm = gmatrix gmatrix gmatrix options
tensordot = gmatrix gmatrix options; Array:tensordot = gmatrix gmatrix options
matmul = gmatrix gmatrix options; Array:matmul = gmatrix gmatrix options; tril = gmatrix 0 options
triu = gmatrix 0 options; Array:tril = gmatrix 0 options; Array:triu = gmatrix 0 options
]])

rows("linalg.", [[
multi_dot = gmatrices options; matrix_power = gmatrix 2 options; linear = gmatrix gmatrix options; libraries =
lu = gmatrix options; solve = gregular gmatrix options; inv = gregular options; det = gmatrix options
slogdet = gmatrix options; cholesky = gregular options; qr = gmatrix options; svd = gmatrix options
lstsq = gmatrix gmatrix options; pinv = gmatrix options; matrix_rank = gmatrix options; norm = gmatrix options
cond = gregular options; expm = gmatrix options
svdvals = gmatrix options; eigh = gmatrix options; eigvalsh = gmatrix options
solve_triangular = gregular gmatrix options
backend = 'auto; precision = 'full
]])

rows("gl.", [[
init =; devices = 'all; have_gl_ext =; make_context = dev 0; headless = options
RegisteredBuffer = gl_name 0; RegisteredBuffer:gl_handle = gl_buffer; RegisteredBuffer:set_map_flags = gl_buffer 'none
RegisteredBuffer:map = gl_buffer stream; RegisteredBuffer:unregister = gl_buffer
RegisteredBuffer:close = gl_buffer
RegisteredImage = gl_texture 'texture_2d 0; RegisteredImage:gl_handle = gl_image
RegisteredImage:set_map_flags = gl_image 'none; RegisteredImage:map = gl_image stream
RegisteredImage:unregister = gl_image; RegisteredImage:close = gl_image
RegisteredMapping = -; RegisteredMapping:device_ptr_and_size = gl_mapping
RegisteredMapping:array = gl_image_mapping 0 0
RegisteredMapping:unmap = gl_mapping stream; RegisteredMapping:close = gl_mapping stream
BufferObject = gl_name; BufferObject:handle = gl_object; BufferObject:map = gl_object
BufferObject:unregister = gl_object; BufferObjectMapping = -; BufferObjectMapping:unmap = gl_object_mapping
BufferObjectMapping:device_ptr = gl_object_mapping; BufferObjectMapping:size = gl_object_mapping
Headless = -; Headless:make_current = window; Headless:release = window; Headless:close = window
Headless:buffer = window 64; Headless:texture = window gl_options; Headless:program = window shaders
Headless:read_pixels = window
]])

rows("tools.", [[
bitlog2 = 5
get_default_device = 0; make_default_context = maker; context_dependent_memoize = fn; clear_context_caches =
register_dtype = particle 'nonsense_particle; get_or_register_dtype = 'nonsense_particle particle
dtype_to_ctype = 'float32; parse_c_arg = declaration; parse_arguments = declarations; VectorArg = 'float32 'x options
ScalarArg = 'float32 'x options; is_arg = argument; Arg = -; Arg:declarator = argument
match_dtype_to_c_struct = 'nonsense_particle particle; c_declarations = dtypes 'text
DeviceData = dev; DeviceData:align_bytes = device_data 4; DeviceData:align = device_data 100 4
DeviceData:align_words = device_data 4; DeviceData:align_dtype = device_data 100 4
DeviceData:coalesce = device_data 100; DeviceData.make_valid_tex_channel_count = 3
OccupancyRecord = device_data 64 1024 32
]])

rows("characterize.", [[
platform_bits =; has_stack =; has_double_support =; sizeof = 'float3 '//
]])

-- Functions that are methods, too, by their parameters.
local by_parameter = { k = "1", kth = "1", q = "0.5", options = "options" }
for _, functions in pairs(dofile(names_file).defined) do
  for name, parameters in pairs(functions) do
    local words = parameters:gsub("%w+", function(parameter) return by_parameter[parameter] or "garray" end)
    for _, full in ipairs { "gpuarray." .. name, "gpuarray.Array:" .. name } do
      samples[full] = samples[full] or words -- a row above says more than the parameters' names
    end
  end
end
rows("gpuarray.", [[
subset_sum = gpositions garray options; subset_min = gpositions garray options; subset_max = gpositions garray options
subset_dot = gpositions garray garray options
]])

rows("gpuarray.", [[
fuse = fn; Fused = -; Fused:source = fused garray garray; source = gpending; explain = gpending garray
]])

rows("repl.", [[
run = prompt
]])

rows("luassert.", [[
text = garray
]])

rows("elementwise.", [[
ElementwiseKernel = statement_args 'x[i]*=a 'scale options; ElementwiseKernel:source = statement
]])

rows("reduction.", [[
ReductionKernel = 'float32 '0 'a+b 'x[i]*a statement_args 'total options; ReductionKernel:source = reduction
]])

rows("scan.", [[
InclusiveScanKernel = 'float32 'a+b options; InclusiveScanKernel:source = inclusive
ExclusiveScanKernel = 'float32 'a+b 0 options; ExclusiveScanKernel:source = exclusive
GenericScanKernel = 'float32 statement_args 'x[i] 'a+b 0 'x[i]=item options; GenericScanKernel:source = generic
]])

-- The module's functions are the methods of its generator.
local draws = [[uniform = 4 0 1 'float32; normal = 4 0 1 'float32; log_normal = 4 0 1 'float32
exponential = 4 1 'float32; gamma = 4 2 1 'float32; beta = 4 2 3 'float32; poisson = 4 3 'int32
binomial = 4 5 0.5 'int32; integers = 4 1 6 'int32; permutation = 8; choice = 8 2 options
]]
rows("random.", draws)
rows("random.Generator:", draws:gsub("= ", "= rng "))
for class, word in pairs { Generator = "rng", StateGenerator = "xorwow", SobolGenerator = "sobol" } do
  rows("random." .. class .. ":", ([[
gen_uniform = rng 4 'float32 stream; gen_normal = rng 4 'float32 stream
gen_log_normal = rng 4 'float32 0 1 stream; gen_poisson = rng 4 'uint32 3 stream; fill_uniform = rng garray stream
fill_normal = rng garray stream; fill_log_normal = rng garray 0 1 stream; fill_poisson = rng gints 3 stream
get_state = rng; set_state = rng rng_state
]]):gsub("rng", word))
end
rows("sparse.", [[
csr = sparse_parts options; csc = list_of_rows options; packed = list_of_rows options; coo = sparse_coordinates options
from_dense = gmatrix options; diags = sparse_diagonals offsets options; eye = 3 3 0 options
Matrix = -; Matrix:to = sparse 'csc; Matrix:todense = sparse options; Matrix:transpose = sparse
Matrix:diagonal = sparse 0 options; Matrix:astype = sparse 'float64; Matrix:eliminate_zeros = sparse
Matrix:matmul = sparse gthree options; Matrix:sum = sparse options
cg = sparse_square gthree options; bicgstab = sparse_square gthree options; gmres = sparse_square gthree options
jacobi = sparse_square gthree options
]])

-- By a world of one rank, which has no other rank to send to.
rows("cuda.distributed.", [[
init = options; Group = -; Group:barrier = world; Group:all_reduce = world garray options
Group:reduce = world garray options; Group:broadcast = world garray options; Group:all_gather = world garray options
Group:gather = world garray options; Group:scatter = world growing options
Group:reduce_scatter = world growing options; Group:all_to_all = world growing options
Group:send = world garray receiver; Group:recv = world garray sender; Group:broadcast_object = world 'text options
Group:split = world color; Group:group = world one_rank; Group:close = loose_group
Handle = -; Handle:wait = call_handle; Handle:is_done = call_handle
shard = garray 1 options; halo = sharded 1 options; replicate = garray options; zeros = 4 'float32 options
ones = 4 'float32 options; full = 4 1 'float32 options; arange = 0 4 1 'float32 options
linspace = 0 1 4 'float32 options; random = 4 'float32 options
Array = -; Array:gather = sharded; Array:redistribute = sharded 1
Array:halo = sharded 1 options; Array:item = whole_scalar; Array:astype = sharded 'float64; Array:transpose = sharded
Array:with_block = sharded gthree; Array:reshape = sharded 3; Array:copy = sharded; Array:eval = sharded
Array:sum = sharded options; Array:prod = sharded options; Array:mean = sharded options; Array:min = sharded options
Array:max = sharded options; Array:any = sharded options; Array:all = sharded options
Array:count_nonzero = sharded options; Array:argmin = sharded options; Array:argmax = sharded options
Array:var = sharded options; Array:std = sharded options; Array:norm = sharded options; Array:dot = sharded sharded
save = 'ranks.npy garray options; load = npy_file options; checkpoint = 'ranks options options
restore = 'ranks options
Array:matmul = sharded_matrix sharded_matrix options; Array:sort = sharded options; Array:argsort = sharded options
Array:cumsum = sharded options; Array:take = sharded 1 options
]])

rows("random.", [[
Generator = 1; Generator:seed = rng 1; Generator:skip_ahead = rng 1; Generator:spawn = rng 1; seed = 1; default =
rand = 4 'float32 stream; seed_getter_uniform = 4; seed_getter_unique = 4
XORWOWRandomNumberGenerator = 1 0 few_generators; MRG32k3aRandomNumberGenerator = 1 0 few_generators
StateGenerator = -; SobolGenerator = -
StateGenerator:call_skip_ahead = xorwow 1 stream; StateGenerator:call_skip_ahead_array = xorwow 1 stream
StateGenerator:call_skip_ahead_sequence = xorwow 1 stream
StateGenerator:call_skip_ahead_sequence_array = xorwow 1 stream
StateGenerator:call_skip_ahead_subsequence = mrg 1 stream
StateGenerator:call_skip_ahead_subsequence_array = mrg 1 stream
generate_direction_vectors = 2 'VECTOR_32 0; generate_scramble_constants32 = 2 0; generate_scramble_constants64 = 2 0
Sobol32RandomNumberGenerator = nil 0 options; Sobol64RandomNumberGenerator = nil 0 options
ScrambledSobol32RandomNumberGenerator = nil nil 0 options; ScrambledSobol64RandomNumberGenerator = nil nil 0 options
SobolGenerator:call_skip_ahead = sobol 1 stream; SobolGenerator:call_skip_ahead_array = sobol gsteps stream
]])

-- By the number of their operands; functions with several results have one.
local ops = require "cudalua.gpuarray.kernel.ops"
local operands = { "garray options", "garray garray options", "garray garray garray options" }
for name in pairs(require("cudalua.gpuarray.core.functions").functions) do
  local op = ops[name]
  local words = not op and "garray" or op.weak[1] and "1 garray options" or op.weak[2] and "garray 1 options"
    or operands[op.arity]
  if op and not op.row.code.real and not op.row.code.any and not op.row.code.float then
    words = words:gsub("garray", "gints")
  end
  if name == "if_positive" or name == "where" then words = "garray garray garray options" end
  if name == "round" then words = "garray 1 options" end
  if name == "mul_add" then words = "garray 2 garray 3 options" end
  samples["gpuarray." .. name], samples["gpuarray.Array:" .. name] = words, words
  samples["math." .. name] = words
end
rows("gpuarray.", [[
Array:iadd = garray garray; Array:isub = garray garray; Array:imul = garray garray; Array:idiv = garray garray
Array:imod = garray garray; Array:ipow = garray garray; Array:ifloordiv = garray garray; Array:eval = gpending
Array:bind_to_texref = garray texref_list options; Array:bind_to_texref_ext = garray texref_list options
Array:cuda_array_interface = garray; Array:release = gfresh; eager = false; fast_math = false; eval = gpending
scope = fn; splay = 16 dev; reverse = garray; Array:where = gmask garray 1 options
]])

local vectors = "char uchar short ushort int uint long ulong longlong ulonglong float double"
for base in vectors:gmatch "%S+" do
  for n = 1, 4 do samples["vec.make_" .. base .. n] = ("1 "):rep(n) end
  if base:find "long" or base == "double" then
    samples["vec.make_" .. base .. "4_16a"], samples["vec.make_" .. base .. "4_32a"] = "1 1 1 1", "1 1 1 1"
  end
end

return samples
