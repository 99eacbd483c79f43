-- Values for calls of the library: what the words of spec/support/samples.lua stand for, and what no function takes.
local cuda = require "cudalua"
local core = require "cudalua.core"
local pairs_of = require "cudalua.base.pairs_of"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"

local M = { dev = cuda.Device(0) }

local source = [[
__device__ int variable;
__global__ void add(int *a, int n, int k)
{
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] += k;
}
__global__ void idle(int *a, int n, int k) {}
]]
local references = [[
texture<float, 1> list;
texture<float, 2> picture;
surface<void, 2> canvas;
__global__ void referring(float *out)
{
  *out = tex1Dfetch(list, 0) + tex2D(picture, 0, 0) + surf2Dread<float>(canvas, 0, 0, cudaBoundaryModeZero);
}
]]
local image, images

M.base = M.dev:retain_primary_context():push()

local other
function M.other_context()
  if not other or core.why_dead(other) then
    other = M.dev:make_context()
    cuda.Context.pop()
  end
  return other
end

-- Fresh ones, in the current context.
local make = {}
M.make = make

function make.dev() return M.dev end
function make.context() return cuda.Context.get_current() end
make.other_context = M.other_context
function make.loose_context() return cuda.Context.attach() end
function make.stream() return cuda.Stream "non_blocking" end
function make.captured_stream() return make.stream():begin_capture() end
function make.device_data() return cuda.tools.DeviceData(M.dev) end
function make.event() return cuda.Event():record(cuda.legacy_stream) end
function make.ipc_event() return cuda.Event { "interprocess", "disable_timing" } end
function make.memory() return cuda.mem_alloc(64) end
function make.async_memory() return cuda.mem_alloc_async(64) end
function make.view() return cuda.mem_alloc(64) + 16 end
function make.device_pool() return cuda.DeviceMemoryPool() end
function make.pooled() return cuda.DeviceMemoryPool():allocate(64) end
function make.host_pool() return cuda.PageLockedMemoryPool() end
function make.pooled_host() return cuda.PageLockedMemoryPool():allocate(16, "float32").base end
function make.debug_pool() return cuda.DebugMemoryPool { logfile = io.tmpfile() } end
function make.allocator() return cuda.PageLockedAllocator() end
function make.mempool() return cuda.MemoryPool() end
function make.pinned() return cuda.pagelocked_empty(16, "float32").base end
function make.aligned() return cuda.aligned_empty(16, "float32").base end
function make.managed() return cuda.managed_empty(16, "float32").base end
function make.managed_view() return make.managed():get_device_pointer() end
function make.page() return cuda.aligned_empty(1024, "float32") end
function make.registered() return cuda.register_host_memory(make.page()).base end
function make.descriptor()
  return cuda.ArrayDescriptor { width = 16, height = 4, format = "float", num_channels = 1 }
end
function make.array() return cuda.Array(make.descriptor()) end
-- Of OpenGL, where there is one that works without a window. Elsewhere something else, which their methods refuse.
local gl, window = require "cudalua.gl", nil
function make.window()
  if window == nil then
    local ok, made = pcall(gl.headless, { width = 16, height = 16 })
    window = ok and made
  end
  if window and not window.made then window = gl.headless { width = 16, height = 16 } end
  return window and window:make_current()
end
function make.gl_options() return { width = 4, height = 4, format = "r8", data = "0123456789abcdef" } end
function make.shaders()
  local text = "#version 330\nvoid main() {}"
  return { vertex = text, fragment = text }
end
local function of_gl(f) return function() return make.window() and f(window) or make.stream() end end
make.gl_name = of_gl(function(w) return w:buffer(64) end)
make.gl_buffer = of_gl(function(w) return gl.RegisteredBuffer(w:buffer(64)) end)
make.gl_image = of_gl(function(w) return gl.RegisteredImage(w:texture { width = 4, height = 4 }) end)
make.gl_texture = of_gl(function(w) return w:texture { width = 4, height = 4 } end)
make.gl_image_mapping = of_gl(function(w) return gl.RegisteredImage(w:texture { width = 4, height = 4 }):map() end)
make.gl_mapping = of_gl(function(w) return gl.RegisteredBuffer(w:buffer(64)):map() end)
make.gl_object = of_gl(function(w) return gl.BufferObject(w:buffer(64)) end)
make.gl_object_mapping = of_gl(function(w) return gl.BufferObject(w:buffer(64)):map() end)
function make.surface_array()
  return cuda.Array(cuda.ArrayDescriptor3D { width = 16, height = 4, format = "float", flags = "surface_ldst" })
end
function make.texture_rows() return cuda.mem_alloc(256) end
function make.texture_options() return { array = make.array(), filter = "linear", address = "clamp" } end
function make.texture() return cuda.TextureObject(make.texture_options()) end
function make.surface_options() return { array = make.surface_array() } end
function make.surface() return cuda.SurfaceObject(make.surface_options()) end
function make.mipmap() return cuda.MipmappedArray(make.descriptor(), 2) end
function make.referring() return cuda.SourceModule(references).module end
function make.referring_source() return cuda.SourceModule(references) end
function make.referring_linked() return cuda.DynamicModule():add_source(references):link() end
function make.referring_kernel() return M.value("referring"):get_function "referring" end
function make.texref_list() return M.value("referring"):get_texref "list" end
function make.texref() return M.value("referring"):get_texref "picture" end
function make.surfref() return M.value("referring"):get_surfref "canvas" end
function make.copy2d() return cuda.Memcpy2D() end
function make.peer_copy() return cuda.Memcpy3DPeer() end
function make.source() return source end
function make.arch() return { arch = "compute_75" } end
function make.image()
  image = image or cuda.compile(source, make.arch())
  return image
end
function make.images()
  images = images or { cuda.compile(source, { arch = "compute_75", target = "ltoir" }) }
  return images
end
function make.module() return cuda.module_from_buffer(make.image()) end
function make.add() return cuda.SourceModule(source):get_function "add" end
-- Whatever is written into its parameters, it can be launched.
function make.idle()
  local fn = cuda.SourceModule(source):get_function "idle":prepare("Pii", { block = 32 })
  fn:param_set(nil, 0, 1)
  return fn
end
function make.source_module() return cuda.SourceModule(source) end
function make.linker() return cuda.Linker() end
function make.dynamic() return cuda.DynamicModule() end
function make.dynamic_linked() return cuda.DynamicModule():add_source(source):link() end
function make.graph() return make.stream():capture(function() end) end
function make.exec() return make.graph():instantiate() end
-- A graph that is put together, what is added to it, and one that has a node of each kind, with its nodes.
function make.hand_graph() return cuda.Graph() end
function make.kernel_record() return { fn = M.value "idle", args = { M.value "memory", 0, 1 }, block = 32 } end
function make.memcpy_record() return { dst = M.value "memory", src = M.value "floats" } end
function make.memset_record() return { dst = M.value "memory", value = 1, count = 8 } end
function make.row_copy()
  local copy = cuda.Memcpy2D()
  copy:set_src_device(M.value "memory")
  copy:set_dst_device(M.value "memory" + 32)
  copy.width_in_bytes, copy.height = 16, 1
  return copy
end
function make.c_function() return ffi.C.abs end
function make.empty_record() return {} end
function make.host_record() return { fn = make.fn() } end
function make.event_record() return { event = M.value "event" } end
function make.child_record() return { graph = M.value "graph" } end
function make.conditional_record()
  return { kind = "switch", condition = M.value("hand_graph"):condition { default = 0 }, bodies = 2 }
end
local nodes = setmetatable({}, { __mode = "k" }) -- by filled graph
function make.filled_graph()
  local g = cuda.Graph()
  nodes[g] = { kernel = g:add_kernel(make.kernel_record()), memcpy = g:add_memcpy(make.memcpy_record()),
    memset = g:add_memset(make.memset_record()), host = g:add_host(make.host_record()),
    event = g:add_event_record(make.event_record()), child = g:add_child(make.child_record()) }
  return g
end
function make.filled_exec() return M.value("filled_graph"):instantiate() end
for word in ("kernel memcpy memset host event child"):gmatch "%S+" do
  make[word .. "_node"] = function() return nodes[M.value "filled_graph"][word] end
end
function make.graph_call() return cuda.graph(function(x, k) return gpuarray.add(x, k) end) end
make.loose_graph_call = make.graph_call
function make.fn() return function() end end
function make.yes() return function() return true end end
function make.maker() return function() return M.base end end
function make.options() return {} end
function make.launch() return { block = 32 } end
function make.shape() return { block = 32, cluster = 1 } end
function make.floats() return ffi.new("float[16]") end
function make.list() return { 1, 2 } end
function make.ndarray() return cuda.ndarray.zeros(16) end
function make.fields() return { { "x", "float32" }, { "n", "int32", 3 } } end
function make.particle() return cuda.dtype.struct(make.fields(), { name = "nonsense_particle" }) end
function make.records() return cuda.ndarray.zeros(16, make.particle()) end
function make.dtypes() return { "float32", make.particle() } end
function make.declaration() return "const float *x" end
function make.declarations() return "const float *x, unsigned int n" end
function make.argument() return cuda.tools.parse_c_arg "const float *x" end
function make.matrix() return cuda.ndarray.zeros { 4, 4 } end
function make.one() return cuda.ndarray.zeros(1) end
function make.members() return { a = { 1, 2 } } end
function make.npy() return cuda.ndarray.dumps { 1, 2 } end
function make.npy_file()
  cuda.ndarray.save("ranks.npy", { 1, 2 })
  return "ranks.npy"
end
function make.prompt() return { input = function() end, output = function() end } end
function make.plot_table() return { { 1, 2, 3 }, kind = "line" } end
function make.picture()
  cuda.io.save_image("sample.png", cuda.ndarray.zeros({ 2, 3 }, "uint8"))
  return "sample.png"
end
function make.table_text()
  cuda.io.savetxt("sample.txt", { { 1, 2 }, { 3, 4 } })
  return "sample.txt"
end
function make.members_of() return { a = make.ndarray() } end
function make.tensors()
  cuda.io.save_safetensors("sample.safetensors", make.members_of())
  return "sample.safetensors"
end
function make.managed_tensor()
  M.lent_tensor = cuda.interop.to_dlpack(make.ndarray())
  return M.lent_tensor
end
-- A path that a recorded launch can be saved to; recording is on.
function make.recording_to()
  cuda.debug.record(true)
  make.idle():launch()
  return "sample.rec"
end
function make.recording()
  cuda.debug.save(make.recording_to())
  cuda.debug.record(false)
  return "sample.rec"
end
function make.npz()
  cuda.ndarray.savez("sample.npz", make.members())
  return "sample.npz"
end
function make.npz_file() return cuda.ndarray.loads(cuda.ndarray.dumpsz(make.members())) end
make.closed_npz = make.npz_file
function make.cube() return cuda.ndarray.zeros { 4, 4, 2 } end
function make.gmatrix() return gpuarray.zeros { 4, 4 } end
function make.gregular() return gpuarray.eye(4) end
function make.gone_axis() return gpuarray.zeros { 1, 4 } end
function make.list16() return make.ndarray():tolist() end
function make.axes() return { 1, 2 } end
function make.garray() return gpuarray.to_gpu(cuda.ndarray.zeros(16)) end
function make.gpositions() return gpuarray.to_gpu({ 1, 2, 2, -1 }, "int64") end
function make.gplaces() return { make.gpositions() } end
function make.gmask() return gpuarray.to_gpu(cuda.ndarray.ones(16, "bool")) end
function make.gcounted() return gpuarray.to_gpu({ 1, 2, 2 }, "int64") end
function make.gmatrices() return { make.gmatrix(), make.gmatrix() } end
function make.gthrees() return gpuarray.zeros { 4, 3 } end
function make.garrays() return { make.garray(), make.garray() } end
function make.gmasks() return { make.gmask(), make.gmask() } end
function make.gfours() return { gpuarray.to_gpu { 1, 2, 3, 4 }, gpuarray.to_gpu { 5, 6, 7, 8 } } end
function make.gpending() return make.garray() + 1 end
make.gfresh = make.garray
function make.fused() return gpuarray.fuse(function(x, y) return gpuarray.add(x, y) end) end
function make.gints() return gpuarray.to_gpu(cuda.ndarray.zeros(16, "int32")) end
function make.gsteps() return gpuarray.to_gpu({ 3 }, "int32") end
function make.statement_args() return "float *x, float a" end
function make.statement() return cuda.elementwise.ElementwiseKernel(make.statement_args(), "x[i] *= a") end
function make.inclusive() return cuda.scan.InclusiveScanKernel("float32", "a + b") end
function make.exclusive() return cuda.scan.ExclusiveScanKernel("float32", "a + b", 0) end
function make.generic() return cuda.scan.GenericScanKernel("float32", "float *x", "x[i]", "a + b", 0, "x[i] = item") end
function make.reduction()
  return cuda.reduction.ReductionKernel("float32", "0", "a + b", "x[i]", "const float *x")
end
function make.gplace() return { dest_shape = 16 } end
function make.sparse_parts()
  return { data = { 1, 2, 3 }, indices = { 1, 3, 2 }, indptr = { 1, 3, 3, 4 }, shape = { 3, 3 } }
end
function make.sparse_coordinates() return { data = { 1, 2 }, rows = { 1, 3 }, columns = { 2, 1 }, shape = { 3, 3 } } end
function make.sparse_diagonals() return { { 1, 2, 3 }, { 4, 5 } } end
function make.offsets() return { 0, 1 } end
function make.list_of_rows() return { { 1, 0 }, { 0, 2 } } end
function make.sparse() return cuda.sparse.csr(make.sparse_parts()) end
function make.sparse_square() return cuda.sparse.eye(3) end
function make.world() return cuda.distributed.init() end
function make.call_handle() return make.world():all_reduce(make.gthree(), { async = true }) end
function make.sharded() return cuda.distributed.shard(make.gthree(), 1) end
function make.sharded_matrix() return cuda.distributed.ones({ 2, 2 }, { axis = false }) end
function make.whole_scalar() return cuda.distributed.replicate(gpuarray.scalar(7)) end
function make.loose_group() return make.world():group { 0 } end
function make.growing() return gpuarray.zeros { 1, 3 } end
function make.receiver() return { to = 1 } end
function make.sender() return { from = 1 } end
function make.color() return { color = 0 } end
function make.one_rank() return { 0 } end
function make.gthree() return gpuarray.to_gpu { 1, 2, 3 } end
function make.rng() return cuda.random.Generator(1) end
function make.few_generators() return { generators = 8 } end
function make.xorwow() return cuda.random.XORWOWRandomNumberGenerator(1, 0, make.few_generators()) end
function make.mrg() return cuda.random.MRG32k3aRandomNumberGenerator(1, 0, make.few_generators()) end
function make.sobol() return cuda.random.Sobol32RandomNumberGenerator() end
for word in ("rng xorwow sobol"):gmatch "%S+" do
  make[word .. "_state"] = function() return make[word]():get_state() end
end
function make.handle64() return ("x"):rep(64) end
function make.number() return M.base:handle() end
function make.path()
  local file = assert(io.open("image.ptx", "w"))
  file:write(make.image())
  file:close()
  return "image.ptx"
end
function make.dot() return "graph.dot" end
function make.error() return select(2, pcall(cuda.mem_alloc, -1)) end

local kept = setmetatable({}, { __mode = "k" }) -- by context, and word

---From here on value() makes new ones.
function M.renew() kept = setmetatable({}, { __mode = "k" }) end

local fresh = { captured_stream = true, gfresh = true, gpending = true, loose_context = true, options = true,
  managed_tensor = true, loose_group = true,
  launch = true, shape = true, linker = true, dynamic = true, path = true, window = true, gl_name = true,
  gl_texture = true, gl_buffer = true, gl_image = true, gl_mapping = true, gl_image_mapping = true, gl_object = true,
  gl_object_mapping = true, kernel_record = true, memcpy_record = true, memset_record = true, empty_record = true,
  host_record = true, event_record = true, child_record = true, conditional_record = true, loose_graph_call = true }

---A value for the word, in the current context: the same each time, while it can be used.
function M.value(word)
  if word == "true" then return true elseif word == "false" then return false elseif word == "nil" then return nil end
  if tonumber(word) then return tonumber(word) end
  if word:sub(1, 1) == "'" then return word:sub(2) end
  if not make[word] then error("spec/support/values.lua makes no " .. word, 0) end
  local ctx = cuda.Context.get_current()
  kept[ctx] = kept[ctx] or {}
  local v = kept[ctx][word]
  if v == nil or fresh[word] or core.kind(v) and core.why_dead(v) then
    v = make[word]()
    kept[ctx][word] = v
  end
  return v
end

-- What belongs to a context, and the method that closes it.
M.owned = {
  stream = "close", event = "close", ipc_event = "close", memory = "free", async_memory = "free", device_pool = "close",
  pooled = "free", host_pool = "close", pooled_host = "free", mempool = "close", pinned = "free", aligned = "free",
  managed = "free", registered = "unregister", array = "free", module = "close", linker = "close", graph = "close",
  exec = "close", hand_graph = "close", filled_graph = "close", filled_exec = "close", kernel_node = false,
  memcpy_node = false, host_node = false, texture = "close", surface = "close", mipmap = "free", referring = "close",
  view = false, add = false, idle = false, managed_view = false,
}

---Like value(), for one that was closed; nil for words that cannot be.
function M.closed(word)
  local close = M.owned[word]
  if not close then return nil end
  local v = make[word]()
  v[close](v)
  return v
end

local gone
---Like value(), for one whose context is gone; nil for words that belong to none.
function M.gone(word)
  if M.owned[word] == nil or word == "aligned" or word == "mempool" then return nil end
  if not gone then
    gone = {}
    local ctx = M.dev:make_context()
    for name in pairs_of(M.owned) do gone[name] = make[name]() end
    gone.context, gone.loose_context = ctx, ctx
    ctx:detach()
  end
  return gone[word]
end

---Like value(), in another context.
function M.foreign(word)
  if M.owned[word] == nil then return nil end
  return M.other_context():with(M.value, word)
end

-- Raised by hostile values.
M.HOSTILE = setmetatable({}, { __tostring = function() return "the hostile error" end })
local function hostile() error(M.HOSTILE, 0) end

local everything_raises = { __index = hostile, __newindex = hostile, __call = hostile, __tostring = hostile,
  __len = hostile, __concat = hostile, __unm = hostile, __add = hostile, __eq = hostile,
  __lt = hostile, __le = hostile }
local evil_proxy = newproxy(true)
for name, f in pairs_of(everything_raises) do getmetatable(evil_proxy)[name] = f end
local loop = {}
loop.buffer = function() return loop, 8 end
loop.get_pointer = function() return loop end
loop[1] = loop

ffi.cdef "int abs(int); struct nonsense_spec { int a; float b[4]; }; enum nonsense_spec_enum { NONSENSE_A = 7 };"
local numbers = ffi.new "int[4]"

-- Those that are numbers in some way are apart: as raw addresses and handles they are the caller's to vouch for.
M.numeric = {
  { "NaN", 0 / 0 }, { "-1", -1 }, { "0.5", 0.5 }, { "1e308", 1e308 }, { "inf", 1 / 0 }, { "-inf", -1 / 0 },
  { "2^48", 2 ^ 48 }, { "2^53", 2 ^ 53 }, { "2^53 + 2", 2 ^ 53 + 2 }, { "2^63", 2 ^ 63 }, { "-2^63", -2 ^ 63 },
  { "-1LL", -1LL }, { "2^63 ULL", ffi.new("uint64_t", 2 ^ 63) }, { "0.5 as float", ffi.new("float", 0.5) },
  { "an enum", ffi.new "enum nonsense_spec_enum" }, { "a complex number", ffi.new("complex", 1, 2) },
  { "'12'", "12" }, { "'1e5'", "1e5" },
}
M.nonsense = {
  { "true", true }, { "false", false }, { "''", "" }, { "'nonsense'", "nonsense" },
  { "'a\\0b'", "a\0b" }, { "'\\0'", "\0" }, { "a long string", ("x"):rep(1e5) }, { "'%s%n'", "%s%n%s%s%s" },
  { "{}", {} }, { "{{}}", { {} } }, { "{1, 'x', {}}", { 1, "x", {} } }, { "{x = 1}", { x = 1 } },
  { "{NaN}", { 0 / 0 } }, { "{-1, 2^60}", { -1, 2 ^ 60 } }, { "{false}", { false } },
  { "{'nonsense'}", { "nonsense" } },
  { "a hostile table", setmetatable({}, everything_raises) },
  { "a full hostile table", setmetatable({ 1, 2, 3 }, everything_raises) },
  { "a hostile proxy", evil_proxy }, { "a plain proxy", newproxy(false) }, { "a table of itself", loop },
  { "a liar", setmetatable({}, { __index = function() return 7 end, __tostring = function() return 7 end }) },
  { "a locked table", setmetatable({}, { __metatable = "locked", __index = function(_, k) return k end }) },
  { "bad get_pointer", { get_pointer = function() return {} end } },
  { "raising get_pointer", { get_pointer = hostile } }, { "dead get_pointer", { get_pointer = function() end } },
  { "bad buffer", { buffer = function() return 5, "x" end } }, { "raising buffer", { buffer = hostile } },
  { "huge buffer", { buffer = function() return numbers, 2 ^ 60 end } },
  { "NaN buffer", { buffer = function() return numbers, 0 / 0 end } },
  { "{ptr = NULL}", { ptr = ffi.cast("void *", nil), nbytes = 8 } }, { "{ptr = 5}", { ptr = 5, nbytes = 8 } },
  { "{ptr, -1}", { ptr = ffi.cast("void *", numbers), nbytes = -1 } },
  { "{ptr, NaN}", { ptr = ffi.cast("void *", numbers), nbytes = 0 / 0 } },
  { "{ptr, nil}", { ptr = ffi.cast("void *", numbers) } },
  { "a raising function", hostile }, { "error", error }, { "a coroutine", coroutine.create(hostile) },
  { "coroutine.yield", coroutine.yield },
  { "io.stdout", io.stdout }, { "a closed file", (function() local f = io.tmpfile() f:close() return f end)() },
  { "ffi.C", ffi.C }, { "NULL", ffi.cast("void *", nil) }, { "an int *", ffi.cast("int *", numbers) },
  { "a const int *", ffi.cast("const int *", numbers) }, { "an int[4]", numbers }, { "an int[0]", ffi.new "int[0]" },
  { "a struct", ffi.new "struct nonsense_spec" }, { "a struct *", ffi.cast("struct nonsense_spec *", nil) },
  { "a ctype", ffi.typeof "int" }, { "a struct ctype", ffi.typeof "struct nonsense_spec" },
  { "a function pointer", ffi.C.abs }, { "a char[3][2]", ffi.new "char[3][2]" },
  { "cdata bool", ffi.new("bool", true) },
  { "cdata nil", ffi.new "void *" }, { "the library", cuda }, { "a class", cuda.Stream },
  { "an error", make.error() }, { "a scalar", cuda.int32(5) }, { "a dtype", cuda.dtype.float32 },
  { "a device", M.dev }, { "the legacy stream", cuda.legacy_stream },
}

return M
