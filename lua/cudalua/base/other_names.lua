-- Names of NumPy, PyTorch, Torch7, CuPy, the array API and CUDA's runtime that are spelled differently here, and what
-- to write.
-- The error for such a name loads them. names_spec.lua checks that the texts name what exists, and that these names do
-- not exist here.

local M = {}

-- Rows of other names and what to write for them -> a text for each name.
local function spelled(rows)
  local texts = {}
  for _, row in ipairs(rows) do
    for name in row[1]:gmatch "%S+" do texts[name] = row[2] end
  end
  return texts
end

---Functions of gpuarray, and methods and fields of arrays. `a:x()`, `a.x` and `gpuarray.x` in the texts exist.
M.arrays = spelled {
  -- making arrays
  { "array asarray asanyarray tensor as_tensor from_numpy fromiter Tensor", "gpuarray.to_gpu(values)" },
  { "from_table fromtable from_list from_array", "gpuarray.to_gpu(values)" },
  { "FloatTensor CudaTensor", "gpuarray.to_gpu(values, 'float32'), or gpuarray.empty(shape, 'float32')" },
  { "DoubleTensor", "gpuarray.to_gpu(values, 'float64')" },
  { "HalfTensor", "gpuarray.to_gpu(values, 'float16')" },
  { "LongTensor", "gpuarray.to_gpu(values, 'int64')" },
  { "IntTensor", "gpuarray.to_gpu(values, 'int32')" },
  { "ByteTensor", "gpuarray.to_gpu(values, 'uint8')" },
  { "BoolTensor", "gpuarray.to_gpu(values, 'bool')" },
  { "matrix mat", "gpuarray.to_gpu(rows), and a:matmul(b) for products" },
  { "frombuffer fromfile", "gpuarray.to_gpu(bytes, dtype); gpuarray.load(path) reads .npy files" },
  { "new_tensor", "gpuarray.to_gpu(values, a.dtype)" },
  { "mgrid ogrid", "gpuarray.meshgrid(x, y, { indexing = 'ij' })" },
  { "geomspace", "gpuarray.logspace(start, stop, n), which takes exponents" },
  { "vander", "x:reshape(-1, 1) ^ gpuarray.arange(n)" },
  { "one_hot", "gpuarray.eye(classes)[labels]" },
  { "hanning", "0.5 - 0.5 * (gpuarray.arange(n) * (2 * math.pi / (n - 1))):cos()" },
  { "hamming", "0.54 - 0.46 * (gpuarray.arange(n) * (2 * math.pi / (n - 1))):cos()" },
  { "fromfunction", "gpuarray.from_function(shape, fn)" },
  { "new_zeros", "gpuarray.zeros(shape, a.dtype)" },
  { "new_ones", "gpuarray.ones(shape, a.dtype)" },
  { "new_full", "gpuarray.full(shape, value, a.dtype)" },
  { "new_empty", "gpuarray.empty(shape, a.dtype)" },
  { "range", "gpuarray.arange(start, stop, step)" },
  -- to the host
  { "numpy cpu asnumpy to_numpy toarray", "a:get()" },
  { "detach", "a:get(), or a itself" },
  { "cuda", "the names of cuda itself, such as cuda.Stream(); gpuarray.to_gpu(values) copies to the device" },
  { "to_device", "a itself, which is on the device; cuda.memcpy_peer copies to another one" },
  { "is_cuda", "gpuarray.is(a): arrays are on the device of their context" },
  { "pin_memory", "cuda.pagelocked_empty(shape, dtype), and gpuarray.to_gpu_async(buffer) for the copy" },
  { "tofile tostring dump serialize", "gpuarray.save(path, a)" },
  { "tobytes", "a:get():buffer(), the address and the number of bytes" },
  { "toDlpack", "cuda.interop.to_dlpack(a)" },
  { "deserialize", "gpuarray.load(path)" },
  { "array_str array_repr array2string", "tostring(a)" },
  { "ndenumerate ndindex nditer", "ipairs(a:tolist()), after one copy" },
  -- what an array is
  { "numel nelement nElement", "a.size" },
  { "dim rank nDimension", "a.ndim" },
  { "stride layout", "a.strides, in bytes" },
  { "data_ptr ctypes get_pointer", "a.ptr" },
  { "is_tensor isTensor get_array_module", "gpuarray.is(a)" },
  { "typename", "a.dtype.name" },
  { "isreal", "a:imag():eq(0)" },
  { "iscomplexobj", "a.dtype.kind == 'complex'" },
  { "isscalar", "type(x) == 'number'" },
  { "flat", "a:ravel()" },
  { "storage Storage FloatStorage data", "a.gpudata, or a.ptr for the address" },
  { "element_size", "a.itemsize" },
  { "is_contiguous", "a.flags.c_contiguous" },
  { "free close", "a:release()" },
  { "delete", "a:release() for its memory, a[mask] for the elements to keep" },
  -- arithmetic
  { "subtract", "a - b, or gpuarray.sub(a, b)" },
  { "multiply", "a * b, or gpuarray.mul(a, b)" },
  { "divide true_divide", "a / b, or gpuarray.div(a, b)" },
  { "floor_divide", "a:floordiv(b)" },
  { "remainder", "a % b, or gpuarray.mod(a, b)" },
  { "power float_power", "a ^ b, or gpuarray.pow(a, b)" },
  { "negative", "-a, or gpuarray.neg(a)" },
  { "positive", "a:pos()" },
  { "absolute", "a:abs()" },
  { "invert bitwise_invert", "a:bitwise_not()" },
  { "bitwise_left_shift", "a:left_shift(b)" },
  { "bitwise_right_shift", "a:right_shift(b)" },
  { "fix", "a:trunc()" },
  { "rad2deg", "a:degrees()" },
  { "deg2rad", "a:radians()" },
  { "arcsin", "a:asin()" },
  { "arccos", "a:acos()" },
  { "arctan", "a:atan()" },
  { "arctan2", "a:atan2(b)" },
  { "arcsinh", "a:asinh()" },
  { "arccosh", "a:acosh()" },
  { "arctanh", "a:atanh()" },
  { "sigmoid", "1 / (1 + (-a):exp())" },
  { "relu", "a:maximum(0)" },
  { "clamp", "a:clip(low, high)" },
  { "addcmul", "gpuarray.fma(a, b, c)" },
  { "addcdiv", "a + b / c" },
  { "lerp", "a + weight * (b - a)" },
  { "cmul", "a:imul(b), or a * b for a new array" },
  { "cdiv", "a:idiv(b), or a / b for a new array" },
  { "cadd", "a:iadd(b), or a + b for a new array" },
  { "csub", "a:isub(b), or a - b for a new array" },
  { "cpow", "a:ipow(b), or a ^ b for a new array" },
  { "softmax", "(a - a:logsumexp { axis = -1, keepdims = true }):exp()" },
  { "log_softmax", "a - a:logsumexp { axis = -1, keepdims = true }" },
  { "layer_norm", "(a - a:mean { axis = -1, keepdims = true }) / " ..
    "(a:var { axis = -1, keepdims = true } + 1e-5):sqrt()" },
  { "around", "a:round(decimals)" },
  { "i0", "a:cyl_bessel_i0()" },
  { "polyval poly1d", "Horner's rule, which is one kernel: (c1 * x + c2) * x + c3" },
  { "polyfit", "cuda.linalg.lstsq(a, y), where the columns of a are the powers of x" },
  { "vectorize map apply", "gpuarray.fuse(fn), or operators and functions of arrays" },
  { "apply_along_axis", "functions with an axis, such as a:sum(axis)" },
  { "piecewise", "gpuarray.select(conditions, choices)" },
  { "ln", "a:log()" },
  -- comparisons
  { "equal", "a:eq(b)" },
  { "not_equal", "a:ne(b)" },
  { "less", "a:lt(b)" },
  { "less_equal", "a:le(b)" },
  { "greater", "a:gt(b)" },
  { "greater_equal", "a:ge(b)" },
  -- reductions, scans, order
  { "amax", "a:max()" },
  { "amin", "a:min()" },
  { "var_mean", "a:var(axis), a:mean(axis)" },
  { "std_mean", "a:std(axis), a:mean(axis)" },
  { "cumulative_sum", "a:cumsum()" },
  { "cumulative_prod", "a:cumprod()" },
  { "msort", "a:sort(1)" },
  { "product", "a:prod()" },
  { "histc", "gpuarray.histogram(a, bins, { range = { low, high } })" },
  { "in1d", "a:isin(b)" },
  { "ediff1d", "a:ravel():diff()" },
  { "dist", "(a - b):norm()" },
  { "cdist", "(a:expand_dims(2) - b):norm(-1)" },
  { "cosine_similarity", "a:vecdot(b) / (a:norm(-1) * b:norm(-1))" },
  -- shapes
  { "concat cat", "gpuarray.concatenate(arrays, axis)" },
  { "permute permute_dims", "a:transpose { 2, 1 }" },
  { "matrix_transpose mT", "a:swapaxes(-2, -1)" },
  { "t", "a.T" },
  { "unsqueeze newdim", "a:expand_dims(axis)" },
  { "expand", "a:broadcast_to(shape)" },
  { "expand_as expandAs", "a:broadcast_to(b.shape)" },
  { "resize_", "a:reshape(shape), or cuda.image.resize(a, { height, width }) for a picture" },
  { "resizeAs resize_as_", "a:reshape(b.shape)" },
  { "column col", "a[{ {}, i }]" },
  { "row", "a[i]" },
  { "columns cols", "a[{ {}, { first, last } }], or a.shape[2] for their number" },
  { "rows", "a[{ { first, last } }], or a.shape[1] for their number" },
  { "narrow", "a[{ { first, last } }]" },
  { "unbind", "a:unstack()" },
  { "view_as", "a:reshape(b.shape), or a:view(dtype)" },
  { "reshape_as", "a:reshape(b.shape)" },
  { "swapdims", "a:swapaxes(1, 2)" },
  { "movedim", "a:moveaxis(from, to)" },
  { "clone", "a:copy()" },
  { "contiguous ascontiguousarray", "a:copy 'C'" },
  { "asfortranarray", "a.T:copy('C').T" },
  { "append insert r_", "gpuarray.concatenate(arrays, axis)" },
  { "column_stack c_", "gpuarray.stack(arrays, 2)" },
  { "repeat repeat_interleave", "a:repeat_(times)" },
  { "chunk", "a:split(parts)" },
  { "vsplit", "a:split(parts, 1)" },
  { "hsplit", "a:split(parts, 2)" },
  { "resize", "a:reshape(shape) for the same number of elements; for more, " ..
    "a:ravel():tile(times)[{ { 1, n } }]:reshape(shape) repeats them as NumPy's resize does; " ..
    "cuda.image.resize(a, size) interpolates pictures" },
  { "tril_indices", "gpuarray.tril(a):nonzero()" },
  { "triu_indices", "gpuarray.triu(a):nonzero()" },
  -- pictures
  { "filter2D filter2d", "cuda.image.convolve2d(a, kernel:flip(), { mode = 'same', boundary = 'reflect' })" },
  { "correlate2d conv2d", "cuda.image.convolve2d(a, kernel:flip(), { mode = 'valid' })" },
  { "sepFilter2D sep_filter2d GaussianBlur gaussian_filter gaussian_blur", "cuda.image.separable(a, column, row, " ..
    "{ mode = 'same', boundary = 'reflect' })" },
  { "uniform_filter box_filter boxFilter", "cuda.image.separable(a, column, row) with equal weights" },
  { "zoom imresize interpolate upsample", "cuda.image.resize(a, { height, width })" },
  { "imrotate", "cuda.image.rotate(a, degrees)" },
  -- statistics and signals
  { "trapz", "a:trapezoid { dx = 1 }" },
  { "cumulative_trapezoid cumtrapz", "(a[{ { 2, -1 } }] + a[{ { 1, -2 } }]):cumsum(), times half the distance; " ..
    "a:trapezoid() is the last one" },
  { "conv1d", "a:correlate(v), or a:convolve(v, { mode = 'valid' }), which turns v round" },
  { "fftconvolve oaconvolve", "a:convolve(v), or products of cuda.fft.rfft(a, { n = n }), which round otherwise" },
  { "correlate1d", "a:correlate(v, { mode = 'same' })" },
  { "fft", "the module cuda.fft: cuda.fft.fft(a)" },
  -- products
  { "mm bmm mv", "gpuarray.matmul(a, b)" },
  { "ger", "gpuarray.outer(a, b)" },
  { "baddbmm", "c:addmm(a, b)" },
  { "chain_matmul multi_dot", "cuda.linalg.multi_dot(arrays)" },
  { "matrix_power", "cuda.linalg.matrix_power(a, n)" },
  { "solve", "cuda.linalg.solve(a, b)" },
  { "solve_triangular", "cuda.linalg.solve_triangular(a, b)" },
  { "inv inverse", "cuda.linalg.inv(a)" },
  { "pinv pinverse", "cuda.linalg.pinv(a)" },
  { "det", "cuda.linalg.det(a)" },
  { "slogdet logdet", "cuda.linalg.slogdet(a)" },
  { "lu", "cuda.linalg.lu(a)" },
  { "cholesky", "cuda.linalg.cholesky(a)" },
  { "qr", "cuda.linalg.qr(a)" },
  { "svd", "cuda.linalg.svd(a)" },
  { "svdvals", "cuda.linalg.svdvals(a)" },
  { "pca", "cuda.linalg.svd(a - a:mean(1), { full_matrices = false })" },
  { "eigh symeig", "cuda.linalg.eigh(a)" },
  { "eigvalsh", "cuda.linalg.eigvalsh(a)" },
  { "lstsq", "cuda.linalg.lstsq(a, b)" },
  { "matrix_rank", "cuda.linalg.matrix_rank(a)" },
  { "matrix_norm", "cuda.linalg.norm(a, { ord = 'fro' })" },
  { "cond", "cuda.linalg.cond(a)" },
  { "expm matrix_exp", "cuda.linalg.expm(a)" },
  -- types
  { "to", "a:astype(dtype)" },
  { "type_as typeAs", "a:astype(b.dtype)" },
  { "type", "a.dtype, or a:astype(dtype)" },
  { "float", "a:astype 'float32'" },
  { "double", "a:astype 'float64'" },
  { "half", "a:astype 'float16'" },
  { "int", "a:astype 'int32'" },
  { "long", "a:astype 'int64'" },
  { "bfloat16", "a:astype 'bfloat16'" },
  { "bool_", "the name of the dtype, 'bool'" },
  { "int_", "the name of the dtype, 'int64'" },
  { "float_", "the name of the dtype, 'float64'" },
  { "set_default_dtype set_default_tensor_type", "cuda.dtype.default_float(name)" },
  { "bool", "a:astype 'bool', a:any() or a:all()" },
  -- elements
  { "gather", "gpuarray.take_along_axis(a, places, axis)" },
  { "scatter scatter_", "gpuarray.put_along_axis(a, places, values, axis)" },
  { "index_select", "a:take(places, axis)" },
  { "masked_select", "a[mask]" },
  { "index_put_ index_copy_ indexCopy masked_scatter_", "a[positions] = values" },
  { "index_fill_ indexFill masked_fill_", "a[positions] = value" },
  { "ix_", "a[{ rows:reshape(-1, 1), columns }]" },
  { "s_ index_exp", "lists: a[{ { first, last } }]" },
  { "fill_diagonal fill_diagonal_", "a:diagonal():fill(value)" },
  { "fill_", "a:fill(value)" },
  { "zero_", "a:fill(0)" },
  { "copy_ copyto set_", "a:set(b)" },
  { "clamp_", "a:set(a:clip(low, high))" },
  { "relu_", "a:set(a:maximum(0))" },
  { "uniform_", "cuda.random.default():fill_uniform(a)" },
  { "normal_", "cuda.random.default():fill_normal(a)" },
  { "random_", "a:set(cuda.random.integers(a.shape, low, high))" },
  { "add_", "a:iadd(b)" },
  { "sub_", "a:isub(b)" },
  { "mul_", "a:imul(b)" },
  { "div_", "a:idiv(b)" },
  { "pow_", "a:ipow(b)" },
  { "itemset", "a[i] = value" },
  -- numbers
  { "pi", "math.pi" },
  { "e", "math.exp(1)" },
  { "inf", "math.huge" },
  { "nan", "0 / 0" },
}

---Random numbers.
M.random = spelled {
  { "randn standard_normal", "cuda.random.normal(shape)" },
  { "random_sample", "cuda.random.uniform(shape)" },
  { "randint", "cuda.random.integers(shape, low, high), which includes high" },
  { "randperm", "cuda.random.permutation(n)" },
  { "shuffle", "cuda.random.permutation(a)" },
  { "lognormal", "cuda.random.log_normal(shape)" },
  { "default_rng RandomState", "cuda.random.Generator(seed)" },
  { "manual_seed manual_seed_all manualSeed", "cuda.random.seed(n)" },
  { "multinomial", "cuda.random.choice(n, shape, { p = weights })" },
  { "bernoulli", "cuda.random.uniform(shape):lt(p)" },
}

---Sparse matrices: SciPy, CuPy.
M.sparse = spelled {
  { "csr_matrix csr_array", "cuda.sparse.csr(x), or cuda.sparse.csr {data =, indices =, indptr =, shape =, " ..
    "base = 0}" },
  { "csc_matrix csc_array", "cuda.sparse.csc(x), or cuda.sparse.csc {data =, indices =, indptr =, shape =, " ..
    "base = 0}" },
  { "coo_matrix coo_array", "cuda.sparse.coo(x), or cuda.sparse.coo {data =, rows =, columns =, shape =, base = 0}" },
  { "lil_matrix lil_array dok_matrix dok_array bsr_matrix bsr_array", "cuda.sparse.coo {data =, rows =, columns =, " ..
    "shape =}: the formats are csr, csc, coo and packed" },
  { "dia_matrix dia_array diags_array spdiags", "cuda.sparse.diags(diagonals, offsets)" },
  { "eye_array", "cuda.sparse.eye(n)" },
  { "spsolve_triangular", "cuda.linalg.solve_triangular(A:todense(), b)" },
  { "minres", "cuda.sparse.cg(A, b), or cuda.sparse.gmres(A, b) for matrices that are not positive definite" },
  { "bicg cgs qmr tfqmr lgmres gcrotmk", "cuda.sparse.bicgstab(A, b), or cuda.sparse.gmres(A, b)" },
  { "lsqr lsmr", "cuda.sparse.cg(A.T:matmul(A), A.T:matmul(b)), or cuda.linalg.lstsq(A:todense(), b)" },
  { "LinearOperator aslinearoperator", "a function that returns A v for a vector v: cuda.sparse.cg(f, b)" },
  { "eigsh lobpcg", "cuda.linalg.eigh(A:todense()), which gives all eigenvalues" },
  { "svds", "cuda.linalg.svd(A:todense()), which gives all singular values" },
  { "issparse isspmatrix isspmatrix_csr", "getmetatable(x) == 'cudalua.sparse.Matrix'" },
}

---The module: CUDA's runtime, CuPy, PyTorch, PyCUDA.
M.cuda = spelled {
  { "autoinit", "the module cudalua.autoinit, or nothing: the first call that needs a context makes one current" },
  { "autoprimaryctx", "the module cudalua.autoprimaryctx" },
  { "gl", "the module cudalua.gl" },
  -- memory
  { "malloc alloc cudaMalloc", "cuda.mem_alloc(bytes)" },
  { "mallocAsync malloc_async cudaMallocAsync", "cuda.mem_alloc_async(bytes, stream)" },
  { "mallocManaged malloc_managed ManagedMemory cudaMallocManaged", "cuda.managed_empty(shape, dtype)" },
  { "cudaMallocHost cudaHostAlloc hostAlloc pin_memory pinned_array alloc_pinned_memory empty_pinned zeros_pinned",
    "cuda.pagelocked_empty(shape, dtype)" },
  { "cudaFree", "memory:free()" },
  { "cudaMemcpy memcpy", "cuda.memcpy_htod, cuda.memcpy_dtoh or cuda.memcpy_dtod" },
  { "cudaMemcpyAsync memcpyAsync", "cuda.memcpy_htod_async, cuda.memcpy_dtoh_async or cuda.memcpy_dtod_async" },
  { "cudaMemset memset", "cuda.memset_d8(memory, value, count)" },
  { "cudaMemGetInfo memGetInfo mem_info memory_info", "cuda.mem_get_info(), or cuda.mem_stats() for this program's " ..
    "own memory" },
  { "memory_allocated max_memory_allocated memory_reserved memory_stats memory_summary getMemoryUsage " ..
    "get_default_memory_pool", "cuda.mem_stats(), and cuda.collect() to free memory" },
  { "empty_cache", "cuda.collect()" },
  { "using_allocator set_allocator", "the option allocator: cuda.gpuarray.zeros(shape, { allocator = f })" },
  { "UnownedMemory MemoryPointer", "cuda.gpuarray.wrap(memory, shape, dtype)" },
  { "MemoryAsyncPool", "cuda.MemoryPool()" },
  { "PinnedMemoryPool", "cuda.PageLockedMemoryPool()" },
  { "mem_host_register hostRegister cudaHostRegister", "cuda.register_host_memory(buffer)" },
  -- devices, streams, events
  { "cudaDeviceSynchronize deviceSynchronize synchronize synchronizeAll", "cuda.Context.synchronize()" },
  { "cudaGetDeviceCount getDeviceCount device_count", "cuda.Device.count()" },
  { "is_available", "cuda.Device.count() > 0; cuda.driver_info().soft tells whether it is the software device" },
  { "set_device setDevice cudaSetDevice", "cuda.Device(n):make_context(), or CUDA_DEVICE=n in the environment" },
  { "current_context", "cuda.Context.get_current()" },
  { "current_device getDevice cudaGetDevice", "cuda.Context.get_device()" },
  { "get_device_name", "cuda.Device(n):name()" },
  { "get_device_capability", "cuda.Device(n):compute_capability()" },
  { "get_device_properties getDeviceProperties cudaGetDeviceProperties",
    "cuda.Device(n):get_attributes { names = true }" },
  { "cudaStreamCreate streamCreate", "cuda.Stream()" },
  { "get_current_stream", "cuda.current_stream()" },
  { "ExternalStream", "cuda.wrap_stream(handle)" },
  { "cudaEventCreate eventCreate", "cuda.Event()" },
  { "get_elapsed_time", "stop:time_since(start)" },
  { "CUDAGraph make_graphed_callables", "cuda.graph(fn), or stream:capture(fn)" },
  { "nvtx", "cuda.range(name)" },
  { "profiler prof benchmark", "cuda.profile(fn)" },
  -- kernels and objects
  { "RawKernel", "cuda.SourceModule(source):get_function(name)" },
  { "RawModule module_from_source compile_with_cache", "cuda.SourceModule(source)" },
  { "jit", "cuda.kernel(source), in CUDA C, or cuda.gpuarray.fuse(fn)" },
  { "memoize clear_memo", "cuda.tools.context_dependent_memoize(fn)" },
  { "show_config", "cuda.driver_info()" },
  { "cublas cutensor cusolver get_cublas_handle", "cuda.linalg; cuda.linalg.backend(name) chooses the library" },
  { "ndarray_from_gpu", "a:get()" },
  { "GPUArray", "cuda.gpuarray.Array, and cuda.gpuarray.empty(shape, dtype) for a new one" },
  -- pictures and tables
  { "imshow matshow", "cuda.show(a)" },
  { "imread load_png read_png", "cuda.io.load_image(path)" },
  { "imsave imwrite save_png savepng write_png save_picture", "cuda.io.save_image(path, a)" },
  { "colormap colormaps cmap", "the option map: cuda.io.save_image(path, a, { map = 'viridis' })" },
  { "genfromtxt", "cuda.io.loadtxt(path)" },
  { "csv read_csv load_csv loadcsv", "cuda.io.loadtxt(path, { delimiter = ',' })" },
  { "to_csv save_csv savecsv", "cuda.io.savetxt(path, a, { delimiter = ',' })" },
}

local KRON = "cuda.sparse.csr(gpuarray.kron(m:todense(), other)), where other is a dense array and the product fits " ..
  "into memory"

-- Distributed arrays are not joined.
local JOINING = "cat concat concatenate stack vstack hstack"
local JOINED = "x:with_block(gpuarray.concatenate({ x.block, y.block }, axis)) along an axis that is not divided, " ..
  "where x and y are distributed arrays"

local IS_DISTRIBUTED = "getmetatable(x) == 'cudalua.distributed.Array'"

-- Calls between ranks, of PyTorch and mpi4py.
local CALLS = {
  { "get_rank Get_rank", "world.rank" },
  { "get_world_size world_size Get_size get_size", "world.size" },
  { "ReduceOp", "the option op, as in world:all_reduce(a, { op = 'max' })" },
  { "allreduce Allreduce", "world:all_reduce(a)" },
  { "Reduce", "world:reduce(a)" },
  { "bcast Bcast", "world:broadcast(a), or world:broadcast_object(value)" },
  { "broadcast_object_list", "world:broadcast_object(value)" },
  { "allgather Allgather all_gather_into_tensor", "world:all_gather(a)" },
  { "Gather", "world:gather(a)" },
  { "Scatter", "world:scatter(a)" },
  { "Reduce_scatter reduce_scatter_tensor", "world:reduce_scatter(a)" },
  { "alltoall Alltoall all_to_all_single", "world:all_to_all(a)" },
  { "Send", "world:send(a, {to = 1})" },
  { "isend Isend", "world:send(a, {to = 1, async = true})" },
  { "Recv", "world:recv(a, {from = 0, out = a})" },
  { "irecv Irecv", "world:recv(a, {from = 0, out = a, async = true})" },
  { "Barrier Wait", "world:barrier()" },
  { "monitored_barrier", "world:barrier(), which names a rank that does not come in time" },
  { "synchronize", "cuda.Context.synchronize() for the device, world:barrier() for the ranks" },
  { "wait", "world:barrier(); calls with async = true return a handle, which has the method wait" },
  { "members", "world.ranks" },
  { "new_group Create_group", "world:group(ranks)" },
  { "Split", "world:split {color = 0}" },
  { "Abort", "error(message): the other ranks raise it" },
  { "all_gather_object gather_object scatter_object_list", "world:broadcast_object(value) from each rank" },
}

-- The same names on the module, with those of groups.
local function with_world(rows)
  local all = {
    { "init_process_group COMM_WORLD MPI is_initialized", "world = cuda.distributed.init()" },
    { "destroy_process_group finalize Finalize", "nothing: the ranks end with the program" },
    { "is_available", "cuda.distributed.init(), which always works: without cudalua run, there is a single rank" },
    { "is_nccl_available", "world.transport == 'nccl', where world = cuda.distributed.init()" },
    { "transport backend get_backend", "world.transport, where world = cuda.distributed.init()" },
    { "is is_array is_tensor", IS_DISTRIBUTED },
    { "is_distributed", IS_DISTRIBUTED .. " for an array, world.size > 1 for the program" },
    { "matmul mm", "x:matmul(y), where x and y are distributed arrays" },
    { "rank", "world.rank, where world = cuda.distributed.init()" },
    { "size", "world.size, where world = cuda.distributed.init()" },
    { "local_rank", "world.local_rank, where world = cuda.distributed.init()" },
    { "distribute_tensor DTensor device_put array asarray to_gpu", "cuda.distributed.shard(a, axis)" },
    { "empty", "cuda.distributed.zeros(shape)" },
    { "rand", "cuda.distributed.random(shape)" },
    { "randn normal", "cuda.distributed.random(shape, { distribution = 'normal' })" },
    { "zeros_like empty_like", "x:with_block(gpuarray.zeros_like(x.block)) for a distributed array x" },
    { "ones_like", "x:with_block(gpuarray.ones_like(x.block)) for a distributed array x" },
    { "full_like", "x:with_block(gpuarray.full_like(x.block, value)) for a distributed array x" },
    { JOINING, JOINED },
  }
  for _, row in ipairs(rows) do all[#all + 1] = { row[1], row[2] .. ", where world = cuda.distributed.init()" } end
  for name in ("all_reduce reduce broadcast all_gather gather scatter reduce_scatter all_to_all send recv barrier " ..
    "broadcast_object split group"):gmatch "%S+" do
    all[#all + 1] = { name, ("world:%s(...), where world = cuda.distributed.init()"):format(name) }
  end
  return all
end

---Names of one object, by what messages call it. help() does not look for them, so these may be common words.
M.objects = {
  image = spelled {
    { "save imsave imwrite write", "cuda.io.save_image(path, a)" },
    { "load imread open read", "cuda.io.load_image(path)" },
    { "sobel laplace laplacian prewitt edges filter", "cuda.image.convolve2d(a, kernel)" },
    { "blur gaussian box", "cuda.image.separable(a, column, row)" },
    { "zoom scale", "cuda.image.resize(a, { height, width })" },
  },
  fft = spelled {
    { "rfft2 rfftn", "cuda.fft.fft(cuda.fft.rfft(a), { axis = -2 })" },
    { "irfft2 irfftn", "cuda.fft.irfft(cuda.fft.ifft(a, { axis = -2 }))" },
  },
  cuda = spelled {
    { "runtime", "the names of cuda itself, such as cuda.Device.count()" },
    { "device", "cuda.Device(n)" },
    { "stream", "stream:use(function() ... end), where cuda.Stream() makes a stream" },
    { "get_default_pinned_memory_pool", "cuda.PageLockedMemoryPool(), and cuda.mem_stats() for memory in use" },
    { "free_all_blocks", "cuda.collect()" },
  },
  gpuarray = spelled {
    { "device", "cuda.Device(n)" },
    { "setdefaulttensortype", "cuda.dtype.default_float(name)" },
    { "get_default_pinned_memory_pool", "cuda.PageLockedMemoryPool(), and cuda.mem_stats() for memory in use" },
  },
  ["an array"] = spelled {
    { "to_host copy_to_host", "a:get()" },
    { "cuda", "a itself: arrays are on the device; gpuarray.to_gpu(values) copies to it" },
    { "new", "gpuarray.empty_like(a)" },
    { "zero", "a:fill(0)" },
    { "short", "a:astype 'int16'" },
    { "char", "a:astype 'int8'" },
    { "byte", "a:astype 'uint8'" },
    { "device", "gpuarray.is(a): arrays are on the device of their context" },
    { "to", "a:astype(dtype); arrays are on the device already" },
  },
  ["a Generator"] = spelled {
    { "rand random random_sample sample ranf", "rng:uniform(shape)" },
    { "randn standard_normal", "rng:normal(shape)" },
    { "randint random_integers", "rng:integers(shape, low, high), which includes high" },
    { "randperm shuffle permuted", "rng:permutation(n), or rng:permutation(a) for the elements of an array" },
    { "lognormal", "rng:log_normal(shape)" },
    { "standard_exponential", "rng:exponential(shape)" },
    { "standard_gamma", "rng:gamma(shape, k)" },
    { "multinomial", "rng:choice(n, shape, { p = weights })" },
    { "bernoulli", "rng:uniform(shape):lt(p)" },
    { "manual_seed manualSeed", "rng:seed(n)" },
    { "advance jump jumped", "rng:skip_ahead(blocks)" },
  },
  sparse = spelled {
    { "linalg", "the functions of cuda.sparse itself: cg, bicgstab, gmres, jacobi" },
    { "identity", "cuda.sparse.eye(n)" },
    { "array matrix", "cuda.sparse.csr(x), cuda.sparse.csc(x) or cuda.sparse.coo(x)" },
    { "random rand", "cuda.sparse.from_dense(x), or cuda.sparse.coo {data =, rows =, columns =, shape =} with " ..
      "random positions: values of one position are added" },
    { "zeros", "cuda.sparse.csr {shape = {rows, columns}}" },
    { "mm spmm spmv matmul dot", "m:matmul(x)" },
    { "toarray", "m:todense()" },
    { "vstack hstack concatenate", "cuda.sparse.coo {data =, rows =, columns =, shape =}, with the data, rows and " ..
      "columns of m:to 'coo' joined by gpuarray.concatenate" },
    { "kron", KRON },
    { "find", "m:to 'coo', which has m.rows, m.columns and m.data" },
  },
  ["a sparse matrix"] = spelled {
    { "toarray to_dense A", "m:todense(), or m:todense():get() for a host array" },
    { "get numpy asnumpy", "m:todense():get()" },
    { "tocsr to_sparse_csr", "m:to 'csr'" },
    { "tocsc to_sparse_csc", "m:to 'csc'" },
    { "tocoo to_sparse to_sparse_coo", "m:to 'coo'" },
    { "tobsr todia todok tolil", "m:to(format): the formats are csr, csc, coo and packed" },
    { "asformat", "m:to(format)" },
    { "getnnz count_nonzero", "m.nnz" },
    { "getformat layout", "m.format" },
    { "size get_shape", "m.shape" },
    { "dot mm mv matvec spmm spmv", "m:matmul(x)" },
    { "multiply", "m * x" },
    { "kron", KRON },
    { "t", "m.T" },
    { "row", "m:to('coo').rows" },
    { "col", "m:to('coo').columns" },
    { "values", "m.data" },
    { "crow_indices", "m.indptr" },
    { "col_indices", "m.indices" },
    { "sum_duplicates coalesce sort_indices", "m itself: elements are sorted and added when a matrix is made" },
    { "getrow getcol", "m:todense()[i]" },
  },
  ["a Stream"] = spelled { { "with", "stream:use(function() ... end)" }, { "query", "stream:is_done()" } },
  ["a Group"] = spelled(CALLS),
  ["a Handle"] = spelled {
    { "is_completed done query test Test", "handle:is_done()" },
    { "result get Wait synchronize", "handle:wait()" },
  },
  ["a distributed array"] = spelled {
    { "get numpy cpu asnumpy tolist", "x:gather():get(), or x.block:get() for the block of this rank" },
    { "full_tensor", "x:gather()" },
    { "fill fill_", "x.block:fill(value)" },
    { "zero_", "x.block:fill(0)" },
    { "set set_async copy_", "x.block:set(values)" },
    { "put", "x.block:put(positions, values), with positions in the block" },
    { "release", "x.block:release()" },
    { "rank", "x.group.rank, or x.ndim for the number of axes" },
    { "len", "x.shape[1]" },
    { "device", "x.group.device" },
    { "mm", "x:matmul(y)" },
    { "einsum", "x:matmul(y), x:dot(y), or x * y and sums along axes" },
    { "softmax", "e / e:sum { axis = 2, keepdims = true }, where e = " ..
      "(x - x:max { axis = 2, keepdims = true }):exp()" },
    { "to_local local_tensor addressable_shards", "x.block" },
    { "placements sharding", "x.axis" },
    { "clone", "x:copy()" },
    { "dim", "x.ndim" },
    { "numel", "x.size" },
    { "to type", "x:astype(dtype)" },
    { "float", "x:astype 'float32'" },
    { "double", "x:astype 'float64'" },
    { "half", "x:astype 'float16'" },
    { "long", "x:astype 'int64'" },
    { "mT t", "x.T" },
    { "index_select gather_rows", "x:take(positions, { axis = 1 })" },
    { "permute swapaxes", "x:transpose(), which reverses all axes" },
    { "expand_dims unsqueeze", "x[{ gpuarray.newaxis }]" },
    { "squeeze", "x:reshape(shape), or x[{ 1 }] for an axis that is not divided" },
    { "flatten ravel", "x:redistribute():reshape(-1)" },
    { JOINING, JOINED },
  },
  distributed = spelled(with_world(CALLS)),
}

---What cudalua lacks, and what to do meanwhile.
M.absent = spelled {
  { "spsolve splu spilu factorized", "sparse matrices have no direct solver; use cuda.sparse.gmres(A, b), or " ..
    "cuda.sparse.cg(A, b) if A is symmetric and positive definite, or cuda.linalg.solve(A:todense(), b) if A is " ..
    "small" },
  { "eig eigvals", "eigenvalues of nonsymmetric matrices are not supported; for symmetric and Hermitian matrices " ..
    "use cuda.linalg.eigh(a)" },
  { "sliding_window_view as_strided unfold", "arrays have no overlapping windows: sum shifted slices, or take a[i] " ..
    "with an array of positions" },
  { "lu_factor lu_solve", "factorizations cannot be kept for later systems: cuda.linalg.solve(a, b) solves for all " ..
    "columns of b at once" },
  { "cho_factor cho_solve", "use l = cuda.linalg.cholesky(a), and cuda.linalg.solve_triangular twice: with l, then " ..
    "with l.T and the option upper" },
  { "sqrtm logm funm signm", "functions of matrices other than cuda.linalg.expm are missing; for a symmetric matrix " ..
    "use w, v = cuda.linalg.eigh(a), then (v * w:sqrt()):matmul(v.T) is the square root" },
  { "dct idct dst idst dctn idctn", "cosine and sine transforms are missing: use cuda.fft.rfft of the signal and " ..
    "its mirror image" },
  { "hfft ihfft fht", "this transform is missing: use cuda.fft.irfft or cuda.fft.fft" },
  { "bmat block_array block_diag", "blocks are not joined: for dense ones use gpuarray.concatenate; for sparse ones " ..
    "join rows, columns and data of m:to 'coo' by gpuarray.concatenate, with the block's first position added" },
  { "stft", "short-time transforms are missing: take frames with a[i], an array of positions, and use cuda.fft.rfft" },
  { "set_printoptions", 'printing has no options; format each number v of a:tolist() with ("%.2f"):format(v)' },
  { "backward grad requires_grad requires_grad_ no_grad autograd retain_grad register_hook",
    "cudalua has no automatic differentiation" },
  { "nn optim Module Parameter", "layers and optimizers are missing; cuda.linalg.linear(x, w) is the product of a " ..
    "layer" },
  { "amp autocast GradScaler", "precision is never chosen automatically; a:astype 'float16' or 'bfloat16' converts" },
  { "record_stream", "it is not needed: memory waits for the streams that use it" },
  { "scatter_add scatter_add_ index_add_ index_add add_at", "sums by position are " ..
    "gpuarray.bincount(places, { weights = values }), or atomicAdd in a kernel of your own" },
  { "lexsort", "a:argsort() is stable: sort by the last key first" },
  { "seterr errstate geterr", "operations never warn: check with a:isfinite()" },
  { "testing", "compare with a:allclose(b) or a:array_equal(b), which return booleans" },
  { "datetime64 timedelta64 str_ object_", "dtypes are bool, integers, floats, complex numbers and structs" },
}

return M
