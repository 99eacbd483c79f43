-- Names of NumPy, PyTorch, CuPy, the array API and CUDA's runtime that are spelled differently here, and what to write.
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
  { "array asarray asanyarray ascontiguousarray tensor as_tensor from_numpy", "gpuarray.to_gpu(values)" },
  { "frombuffer", "gpuarray.to_gpu(buffer, dtype)" },
  { "fromfunction", "gpuarray.from_function(shape, fn)" },
  { "new_zeros", "gpuarray.zeros(shape, a.dtype)" },
  { "new_ones", "gpuarray.ones(shape, a.dtype)" },
  { "new_full", "gpuarray.full(shape, value, a.dtype)" },
  { "new_empty", "gpuarray.empty(shape, a.dtype)" },
  { "range", "gpuarray.arange(start, stop, step)" },
  -- to the host
  { "numpy cpu asnumpy to_numpy", "a:get()" },
  { "detach", "a:get(), or a itself" },
  -- what an array is
  { "numel nelement", "a.size" },
  { "dim rank", "a.ndim" },
  { "stride", "a.strides, in bytes" },
  { "data_ptr", "a.ptr" },
  { "data", "a.gpudata, or a.ptr for the address" },
  { "element_size", "a.itemsize" },
  { "is_contiguous", "a.flags.c_contiguous" },
  { "free close delete", "a:release()" },
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
  { "cumulative_sum", "a:cumsum()" },
  { "cumulative_prod", "a:cumprod()" },
  { "msort", "a:sort(1)" },
  -- shapes
  { "concat cat", "gpuarray.concatenate(arrays, axis)" },
  { "permute permute_dims", "a:transpose { 2, 1 }" },
  { "matrix_transpose mT", "a:swapaxes(-2, -1)" },
  { "t", "a.T" },
  { "unsqueeze newdim", "a:expand_dims(axis)" },
  { "expand", "a:broadcast_to(shape)" },
  { "view_as", "a:reshape(b.shape), or a:view(dtype)" },
  { "reshape_as", "a:reshape(b.shape)" },
  { "swapdims", "a:swapaxes(1, 2)" },
  { "movedim", "a:moveaxis(from, to)" },
  { "contiguous clone", "a:copy()" },
  { "column_stack", "gpuarray.stack(arrays, 2)" },
  { "repeat repeat_interleave", "a:repeat_(times)" },
  { "chunk", "a:split(parts)" },
  { "vsplit", "a:split(parts, 1)" },
  { "hsplit", "a:split(parts, 2)" },
  { "resize", "a:ravel():tile(times)[{ { 1, n } }]:reshape(shape), which repeats the elements as NumPy's resize; " ..
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
  { "fft ifft rfft irfft fft2 ifft2 fftn ifftn fftfreq rfftfreq fftshift ifftshift", "a function of cuda.fft: " ..
    "cuda.fft.fft(a)" },
  -- products
  { "mm bmm mv", "gpuarray.matmul(a, b)" },
  { "ger", "gpuarray.outer(a, b)" },
  { "baddbmm", "c:addmm(a, b)" },
  { "chain_matmul multi_dot", "cuda.linalg.multi_dot(arrays)" },
  { "matrix_power", "cuda.linalg.matrix_power(a, n)" },
  { "solve", "cuda.linalg.solve(a, b)" },
  { "solve_triangular", "cuda.linalg.solve_triangular(a, b)" },
  { "inv inverse", "cuda.linalg.inv(a)" },
  { "pinv", "cuda.linalg.pinv(a)" },
  { "det", "cuda.linalg.det(a)" },
  { "slogdet logdet", "cuda.linalg.slogdet(a)" },
  { "lu", "cuda.linalg.lu(a)" },
  { "cholesky", "cuda.linalg.cholesky(a)" },
  { "qr", "cuda.linalg.qr(a)" },
  { "svd", "cuda.linalg.svd(a)" },
  { "svdvals", "cuda.linalg.svdvals(a)" },
  { "eigh", "cuda.linalg.eigh(a)" },
  { "eigvalsh", "cuda.linalg.eigvalsh(a)" },
  { "lstsq", "cuda.linalg.lstsq(a, b)" },
  { "matrix_rank", "cuda.linalg.matrix_rank(a)" },
  { "matrix_norm", "cuda.linalg.norm(a, { ord = 'fro' })" },
  { "cond", "cuda.linalg.cond(a)" },
  { "expm matrix_exp", "cuda.linalg.expm(a)" },
  -- types
  { "to", "a:astype(dtype)" },
  { "type", "a.dtype, or a:astype(dtype)" },
  { "float", "a:astype 'float32'" },
  { "double", "a:astype 'float64'" },
  { "half", "a:astype 'float16'" },
  { "int", "a:astype 'int32'" },
  { "long", "a:astype 'int64'" },
  { "bool", "a:astype 'bool', a:any() or a:all()" },
  -- elements
  { "gather", "gpuarray.take_along_axis(a, places, axis)" },
  { "scatter", "gpuarray.put_along_axis(a, places, values, axis)" },
  { "index_select", "a:take(places, axis)" },
  { "masked_select", "a[mask]" },
  { "fill_", "a:fill(value)" },
  { "zero_", "a:fill(0)" },
  { "copy_", "a:set(b)" },
  { "add_", "a:iadd(b)" },
  { "sub_", "a:isub(b)" },
  { "mul_", "a:imul(b)" },
  { "div_", "a:idiv(b)" },
  { "pow_", "a:ipow(b)" },
  { "itemset", "a[i] = value" },
  -- numbers
  { "pi", "math.pi" },
  { "inf", "math.huge" },
  { "nan", "0 / 0" },
}

---Random numbers.
M.random = spelled {
  { "randn standard_normal", "cuda.random.normal(shape)" },
  { "random_sample", "cuda.random.uniform(shape)" },
  { "randint", "cuda.random.integers(shape, low, high)" },
  { "randperm", "cuda.random.permutation(n)" },
  { "shuffle", "cuda.random.permutation(a)" },
  { "lognormal", "cuda.random.log_normal(shape)" },
  { "default_rng RandomState", "cuda.random.Generator(seed)" },
  { "manual_seed", "cuda.random.seed(n)" },
}

---The module: CUDA's runtime, CuPy, PyCUDA.
M.cuda = spelled {
  { "malloc cudaMalloc", "cuda.mem_alloc(bytes)" },
  { "cudaMallocAsync", "cuda.mem_alloc_async(bytes, stream)" },
  { "cudaMallocManaged", "cuda.managed_empty(shape, dtype)" },
  { "cudaMallocHost cudaHostAlloc pin_memory pinned_array alloc_pinned_memory empty_pinned",
    "cuda.pagelocked_empty(shape, dtype)" },
  { "cudaMemcpy memcpy", "cuda.memcpy_htod, cuda.memcpy_dtoh or cuda.memcpy_dtod" },
  { "cudaMemcpyAsync", "cuda.memcpy_htod_async, cuda.memcpy_dtoh_async or cuda.memcpy_dtod_async" },
  { "cudaMemset memset", "cuda.memset_d8(memory, value, count)" },
  { "cudaDeviceSynchronize synchronize", "cuda.Context.synchronize()" },
  { "cudaGetDeviceCount device_count", "cuda.Device.count()" },
  { "cudaStreamCreate", "cuda.Stream()" },
  { "cudaEventCreate", "cuda.Event()" },
  { "cudaMemGetInfo mem_info memory_info", "cuda.mem_get_info(), or cuda.mem_stats() for this program's own memory" },
  { "current_context", "cuda.Context.get_current()" },
  { "current_device", "cuda.Context.get_device()" },
  { "RawKernel", "cuda.SourceModule(source):get_function(name)" },
  { "RawModule module_from_source", "cuda.SourceModule(source)" },
  { "ndarray_from_gpu", "a:get()" },
  { "GPUArray", "cuda.gpuarray.Array, and cuda.gpuarray.empty(shape, dtype) for a new one" },
  { "mem_host_register", "cuda.register_host_memory(buffer)" },
  { "imshow matshow", "cuda.show(a)" },
  { "imread", "cuda.io.load_image(path)" },
  { "imsave imwrite", "cuda.io.save_image(path, a)" },
  { "genfromtxt", "cuda.io.loadtxt(path)" },
  { "csv read_csv load_csv loadcsv", "cuda.io.loadtxt(path, { delimiter = ',' })" },
  { "to_csv save_csv savecsv", "cuda.io.savetxt(path, a, { delimiter = ',' })" },
}

---Methods of objects, by what messages call the object.
M.objects = {
  ["a Stream"] = spelled { { "with", "stream:use(function() ... end)" }, { "query", "stream:is_done()" } },
}

---What cudalua lacks, and what to do meanwhile.
M.absent = spelled {
  { "eig eigvals", "eigenvalues of nonsymmetric matrices are not supported; for symmetric and Hermitian matrices " ..
    "use cuda.linalg.eigh(a)" },
  { "sliding_window_view as_strided", "arrays have no overlapping windows: sum shifted slices, or take a[i] with an " ..
    "array of positions" },
  { "set_printoptions", 'printing has no options; format each number v of a:tolist() with ("%.2f"):format(v)' },
  { "backward grad requires_grad", "cudalua has no automatic differentiation" },
}

return M
