-- Names that users of other libraries try first: 60 or more of each. `at` is where a port of their program reads them:
-- g is cuda.gpuarray, n is cuda.ndarray, c is cuda, a is an array, s is cuda.sparse, m is a sparse matrix, l is
-- cuda.linalg, r is a generator, d is cuda.distributed, w is a group, x is a distributed array. `here` has those that
-- exist; `leads` has the others, with a part of what the error must say.
return {
  PyTorch = {
    { at = "g", here = [[zeros zeros_like ones ones_like empty full eye arange linspace stack where matmul sum mean std
        var max min argmax topk sort median quantile unique einsum cumsum logsumexp tril triu flip roll allclose outer
        isnan addmm bincount]], leads = {
      tensor = "gpuarray.to_gpu(values)", from_numpy = "gpuarray.to_gpu(values)", cat = "gpuarray.concatenate(",
      randn = "cuda.random.normal(shape)", rand = "cuda.random.rand", randint = "cuda.random.integers(",
      randperm = "cuda.random.permutation(n)", manual_seed = "cuda.random.seed(n)", mm = "gpuarray.matmul(a, b)",
      bmm = "gpuarray.matmul(a, b)", clamp = "a:clip(low, high)", sigmoid = "1 / (1 + (-a):exp())",
      softmax = "a:logsumexp { axis = -1, keepdims = true }", relu = "a:maximum(0)", float32 = "cuda.dtype.float32",
      nn = "cuda.linalg.linear(x, w)", optim = "layers and optimizers are missing", linalg = "it is cuda.linalg",
      no_grad = "no automatic differentiation", autograd = "no automatic differentiation",
      set_default_dtype = "cuda.dtype.default_float(name)", is_tensor = "gpuarray.is(a)", cuda = "cuda.Stream()",
      one_hot = "gpuarray.eye(classes)[labels]", multinomial = "cuda.random.choice(", cdist = "(a:expand_dims(2) - b)",
      histc = "gpuarray.histogram(a, bins,", var_mean = "a:var(axis), a:mean(axis)",
      std_mean = "a:std(axis), a:mean(axis)", gather = "gpuarray.take_along_axis(", inverse = "cuda.linalg.inv(a)",
      scatter_add = "gpuarray.bincount(places,", from_dlpack = "cuda.interop.from_dlpack", fft = "cuda.fft.fft(a)",
      device = "cuda.Device(n)", narrow = "a[{ { first, last } }]" } },
    { at = "d", here = "Group zeros ones full arange", leads = {
      init_process_group = "cuda.distributed.init()", is_available = "cuda.distributed.init(), which always works",
      is_nccl_available = "world.transport == 'nccl'", transport = "world.transport", get_rank = "world.rank",
      monitored_barrier = "world:barrier(), which names a rank", ones_like = "gpuarray.ones_like(x.block)",
      full_like = "gpuarray.full_like(x.block, value)", zeros_like = "gpuarray.zeros_like(x.block)",
      sort = "it is a method of distributed arrays: x:sort()", exp = "x:exp()", redistribute = "x:redistribute()",
      is_tensor = "getmetatable(x) == 'cudalua.distributed.Array'", finalize = "the ranks end with the program",
      is_distributed = "world.size > 1 for the program" } },
    { at = "w", here = "rank size barrier", leads = { wait = "a handle, which has the method wait",
      synchronize = "cuda.Context.synchronize()", members = "world.ranks", get_world_size = "world.size" } },
    { at = "x", here = "sum exp matmul astype", leads = { fill_ = "x.block:fill(value)", fill = "x.block:fill(value)",
      set = "x.block:set(values)", put = "x.block:put(positions, values)", release = "x.block:release()",
      rank = "x.group.rank", len = "x.shape[1]", mm = "x:matmul(y)", device = "x.group.device", einsum = "x:dot(y)",
      softmax = "e / e:sum { axis = 2, keepdims = true }" } },
    { at = "a", here = "shape dtype item size view reshape transpose squeeze masked_fill T clip tolist nbytes",
      leads = {
      cuda = "a itself: arrays are on the device", cpu = "a:get()", numpy = "a:get()",
      to = "a:astype(dtype); arrays are on the device already",
      float = "a:astype 'float32'", half = "a:astype 'float16'", long = "a:astype 'int64'", dim = "a.ndim",
      numel = "a.size", permute = "a:transpose { 2, 1 }", t = "a.T", contiguous = "a:copy 'C'", clone = "a:copy()",
      unsqueeze = "a:expand_dims(axis)", expand = "a:broadcast_to(shape)", add_ = "a:iadd(b)", mul_ = "a:imul(b)",
      zero_ = "a:fill(0)", copy_ = "a:set(b)", exp_ = "a:set(a:exp())", sqrt_ = "a:set(a:sqrt())",
      clamp_ = "a:set(a:clip(low, high))", normal_ = "cuda.random.default():fill_normal(a)", data_ptr = "a.ptr",
      masked_fill_ = "a[positions] = value", detach = "a:get(), or a itself", unbind = "a:unstack()",
      backward = "no automatic differentiation", requires_grad_ = "no automatic differentiation",
      device = "arrays are on the device of their context", type_as = "a:astype(b.dtype)", stride = "a.strides" } },
    { at = "c", here = "Stream Event current_stream mem_get_info graph", leads = {
      is_available = "cuda.Device.count() > 0", synchronize = "cuda.Context.synchronize()",
      device_count = "cuda.Device.count()", set_device = "cuda.Device(n):make_context()",
      empty_cache = "cuda.collect()", memory_allocated = "cuda.mem_stats()", stream = "stream:use(function()",
      get_device_name = "cuda.Device(n):name()", CUDAGraph = "cuda.graph(fn)", amp = "precision is never chosen",
      manual_seed_all = "cuda.random.seed(n)", nvtx = "cuda.range(name)" } },
  },
  Torch7 = {
    { at = "g", here = [[zeros ones eye linspace logspace diag reshape sum mean std var max min sort median norm dot
        cumsum cumprod abs exp log pow sqrt floor ceil round sign sin cos trace tril triu cross save load gt ge lt le eq
        ne]], leads = {
      Tensor = "gpuarray.to_gpu(values)", FloatTensor = "gpuarray.empty(shape, 'float32')",
      DoubleTensor = "'float64'", CudaTensor = "'float32'", LongTensor = "'int64'", ByteTensor = "'uint8'",
      range = "gpuarray.arange(start, stop, step)", randn = "cuda.random.normal(shape)", rand = "cuda.random.rand",
      randperm = "cuda.random.permutation(n)", manualSeed = "cuda.random.seed(n)", cat = "gpuarray.concatenate(",
      mm = "gpuarray.matmul(a, b)", mv = "gpuarray.matmul(a, b)", ger = "gpuarray.outer(a, b)",
      cmul = "a * b for a new array", cdiv = "a / b for a new array", typename = "a.dtype.name",
      isTensor = "gpuarray.is(a)", setdefaulttensortype = "cuda.dtype.default_float(name)",
      symeig = "cuda.linalg.eigh(a)", inverse = "cuda.linalg.inv(a)", serialize = "gpuarray.save(path, a)" } },
    { at = "a", here = "size add mul div copy fill view sub squeeze transpose", leads = {
      nElement = "a.size", nDimension = "a.ndim", dim = "a.ndim", resize = "a:reshape(shape)", zero = "a:fill(0)",
      resizeAs = "a:reshape(b.shape)", clone = "a:copy()", cadd = "a:iadd(b)", csub = "a:isub(b)",
      apply = "gpuarray.fuse(fn)", map = "gpuarray.fuse(fn)", narrow = "a[{ { first, last } }]",
      cuda = "gpuarray.to_gpu", float = "a:astype 'float32'", double = "a:astype 'float64'",
      typeAs = "a:astype(b.dtype)",
      t = "a.T", storage = "a.gpudata", indexCopy = "a[positions] = values", expandAs = "a:broadcast_to(b.shape)" } },
    { at = "c", here = "", leads = { getDeviceCount = "cuda.Device.count()", setDevice = "cuda.Device(n)",
      getMemoryUsage = "cuda.mem_stats()", synchronizeAll = "cuda.Context.synchronize()" } },
  },
  NumPy = {
    { at = "g", here = [[zeros ones empty full arange linspace eye where concatenate stack vstack split reshape ravel
        transpose newaxis expand_dims sum mean std var argmax argsort sort unique cumsum dot matmul einsum tensordot sin
        exp sqrt clip maximum isnan allclose any all take searchsorted digitize histogram interp meshgrid tile roll pad
        diff gradient convolve percentile save load kron isin]], leads = {
      array = "gpuarray.to_gpu(values)", asarray = "gpuarray.to_gpu(values)", multiply = "a * b", power = "a ^ b",
      arcsin = "a:asin()", arctan2 = "a:atan2(b)", absolute = "a:abs()", around = "a:round(decimals)",
      amax = "a:max()", linalg = "it is cuda.linalg", random = "it is cuda.random", fft = "cuda.fft.fft(a)",
      column_stack = "gpuarray.stack(arrays, 2)", ["repeat"] = "a:repeat_(times)", append = "gpuarray.concatenate(",
      delete = "a[mask] for the elements to keep", in1d = "a:isin(b)", trapz = "a:trapezoid", product = "a:prod()",
      polyfit = "cuda.linalg.lstsq(a, y)", mgrid = "gpuarray.meshgrid(", geomspace = "gpuarray.logspace(",
      vectorize = "gpuarray.fuse(fn)", piecewise = "gpuarray.select(", nditer = "ipairs(a:tolist())",
      float32 = "cuda.dtype.float32", bool_ = "'bool'", pi = "math.pi", inf = "math.huge", nan = "0 / 0",
      copyto = "a:set(b)", asfortranarray = "a.T:copy('C').T", fill_diagonal = "a:diagonal():fill(value)",
      set_printoptions = "printing has no options",
      pca = "cuda.linalg.svd(a - a:mean(1)", seterr = "a:isfinite()", savetxt = "cuda.io.savetxt",
      genfromtxt = "cuda.io.loadtxt(path)", savez = "cuda.ndarray.savez", lexsort = "a:argsort() is stable",
      sliding_window_view = "no overlapping windows", eig = "cuda.linalg.eigh(a)", ix_ = "rows:reshape(-1, 1)",
      floor_divide = "a:floordiv(b)", array2string = "tostring(a)", testing = "a:allclose(b)" } },
    { at = "a", here = "astype copy T reshape tolist item dtype shape ndim size strides fill view", leads = {
      tofile = "gpuarray.save(path, a)", tobytes = "a:get():buffer()", flat = "a:ravel()", ctypes = "a.ptr",
      mT = "a:swapaxes(-2, -1)", itemset = "a[i] = value", base = "views keep their memory alive" } },
    { at = "r", here = "uniform normal exponential gamma beta poisson binomial integers permutation choice spawn",
      leads = { rand = "rng:uniform(shape)", random = "rng:uniform(shape)", randn = "rng:normal(shape)",
      standard_normal = "rng:normal(shape)", randint = "rng:integers(shape, low, high)",
      shuffle = "rng:permutation(a)", lognormal = "rng:log_normal(shape)", standard_gamma = "rng:gamma(shape, k)",
      multinomial = "rng:choice(n, shape,", advance = "rng:skip_ahead(blocks)" } },
    { at = "n", here = "zeros array arange linspace save load allclose", leads = { random = "it is cuda.random",
      linalg = "it is cuda.linalg", float32 = "cuda.dtype.float32", dtype = "it is cuda.dtype",
      sum = "computing is for arrays on the device", pi = "use math.pi", inf = "use math.huge" } },
  },
  CuPy = {
    { at = "g", here = [[zeros ones zeros_like arange linspace sum mean max argmax sort concatenate where fuse matmul
        dot einsum unique histogram take clip exp sqrt eye full save load bincount percentile]], leads = {
      array = "gpuarray.to_gpu(values)", asarray = "gpuarray.to_gpu(values)", asnumpy = "a:get()",
      ElementwiseKernel = "cuda.elementwise.ElementwiseKernel", ReductionKernel = "cuda.reduction.ReductionKernel",
      RawKernel = "cuda.SourceModule(source):get_function(name)", RawModule = "cuda.SourceModule(source)",
      get_array_module = "gpuarray.is(a)", get_default_memory_pool = "cuda.mem_stats()", random = "it is cuda.random",
      linalg = "it is cuda.linalg", sparse = "it is cuda.sparse", fft = "cuda.fft.fft(a)", cuda = "cuda.Stream()",
      ndarray = "it is cuda.ndarray", scatter_add = "gpuarray.bincount(places,", vectorize = "gpuarray.fuse(fn)",
      from_dlpack = "cuda.interop.from_dlpack", is_available = "cuda.Device.count() > 0", memoize = "cuda.tools.",
      empty_pinned = "cuda.pagelocked_empty(shape, dtype)", show_config = "cuda.driver_info()",
      get_default_pinned_memory_pool = "cuda.PageLockedMemoryPool()", jit = "cuda.kernel(source)" } },
    { at = "c", here = "Device Stream Event MemoryPool profile Module mem_alloc Function", leads = {
      RawKernel = "cuda.SourceModule(source)", alloc = "cuda.mem_alloc(bytes)", runtime = "cuda.Device.count()",
      alloc_pinned_memory = "cuda.pagelocked_empty(", get_current_stream = "cuda.current_stream()",
      get_elapsed_time = "stop:time_since(start)", using_allocator = "the option allocator",
      malloc_managed = "cuda.managed_empty(shape, dtype)", UnownedMemory = "cuda.gpuarray.wrap(memory, shape, dtype)",
      ExternalStream = "cuda.wrap_stream(handle)", MemoryAsyncPool = "cuda.MemoryPool()",
      PinnedMemoryPool = "cuda.PageLockedMemoryPool()", deviceSynchronize = "cuda.Context.synchronize()",
      getDeviceCount = "cuda.Device.count()", memGetInfo = "cuda.mem_get_info()", cublas = "cuda.linalg",
      memcpyAsync = "cuda.memcpy_htod_async", compile_with_cache = "cuda.SourceModule(source)",
      getDeviceProperties = "cuda.Device(n):get_attributes", profiler = "cuda.profile(fn)", nvtx = "cuda.range(name)",
      set_allocator = "the option allocator", free_all_blocks = "cuda.collect()" } },
    { at = "a", here = "get set astype copy nbytes T item flags", leads = { device = "gpuarray.is(a)",
      toDlpack = "cuda.interop.to_dlpack(a)", data = "a.gpudata", asnumpy = "a:get()", to_device = "cuda.memcpy_peer",
      scatter_add = "gpuarray.bincount(places," } },
  },
  PyCUDA = {
    { at = "c", here = [[mem_alloc memcpy_htod memcpy_dtoh In Out InOut Context Device Stream Event SourceModule init
        pagelocked_empty managed_empty to_device from_device from_device_like matrix_to_texref memset_d32 mem_get_info
        module_from_file module_from_buffer LogicError MemoryError CompileError TextureReference Array Memcpy2D
        func_cache device_attribute gpuarray curandom cumath elementwise reduction scan tools compiler driver
        characterize sparse register_host_memory get_driver_version VERSION start_profiler Linker
        DynamicSourceModule]], leads = {
      autoinit = "the module cudalua.autoinit", autoprimaryctx = "the module cudalua.autoprimaryctx",
      gl = "the module cudalua.gl", ElementwiseKernel = "cuda.elementwise.ElementwiseKernel", rand = "cuda.random.rand",
      ReductionKernel = "cuda.reduction.ReductionKernel", InclusiveScanKernel = "cuda.scan.InclusiveScanKernel",
      to_gpu = "cuda.gpuarray.to_gpu", make_default_context = "cuda.tools.make_default_context",
      dtype_to_ctype = "cuda.tools.dtype_to_ctype", PointerHolderBase = "a table with a method get_pointer(self)" } },
    { at = "g", here = [[to_gpu to_gpu_async empty zeros empty_like arange take sum dot subset_dot max if_positive
        minimum vec splay where concatenate]], leads = { GPUArray = "gpuarray.empty(shape, dtype)",
      rand = "cuda.random.rand", get = "it is a method of arrays: a:get()", array = "gpuarray.to_gpu(values)" } },
    { at = "a", here = "get set get_async fill ptr gpudata nbytes mem_size reverse astype mul_add real bind_to_texref",
      leads = { base = "views keep their memory alive", allocator = "an option of the functions", free = "a:release()",
      get_pointer = "a.ptr" } },
    { at = "n", here = "zeros zeros_like array arange", leads = { random = "it is cuda.random",
      int32 = "cuda.dtype.int32" } },
  },
  SciPy = {
    { at = "s", here = "csr csc coo diags eye cg bicgstab gmres", leads = {
      csr_matrix = "cuda.sparse.csr(x)", csr_array = "cuda.sparse.csr(x)", csc_matrix = "cuda.sparse.csc(x)",
      csc_array = "cuda.sparse.csc(x)", coo_matrix = "cuda.sparse.coo(x)", coo_array = "rows =, columns =",
      lil_matrix = "cuda.sparse.coo {", dok_matrix = "cuda.sparse.coo {", bsr_matrix = "cuda.sparse.coo {",
      dia_matrix = "cuda.sparse.diags(", diags_array = "cuda.sparse.diags(", eye_array = "cuda.sparse.eye(n)",
      spdiags = "cuda.sparse.diags(", identity = "cuda.sparse.eye(n)", linalg = "the functions of cuda.sparse itself",
      spsolve = "cuda.sparse.gmres(A, b)", splu = "no direct solver", spilu = "no direct solver",
      factorized = "cuda.linalg.solve(A:todense(), b)", minres = "cuda.sparse.gmres(A, b)",
      lsqr = "cuda.linalg.lstsq(", LinearOperator = "a function that returns A v", eigsh = "cuda.linalg.eigh(",
      svds = "cuda.linalg.svd(", issparse = "'cudalua.sparse.Matrix'", random = "with random positions",
      toarray = "m:todense()", norm = "it is cuda." } },
    { at = "m", here = [[shape dtype nnz data indices indptr format T todense transpose astype diagonal sum matmul
        eliminate_zeros]], leads = {
      toarray = "m:todense():get()", tocsr = "m:to 'csr'", tocsc = "m:to 'csc'", tocoo = "m:to 'coo'",
      asformat = "m:to(format)", todok = "m:to(format)", getnnz = "m.nnz", getformat = "m.format", dot = "m:matmul(x)",
      multiply = "m * x", kron = "gpuarray.kron(m:todense(), other)",
      get = "m:todense():get()", row = "m:to('coo').rows", col = "m:to('coo').columns",
      get_shape = "m.shape", sum_duplicates = "elements are sorted and added", sort_indices = "elements are sorted",
      getrow = "m:todense()[i]", coalesce = "elements are sorted", crow_indices = "m.indptr", values = "m.data" } },
    { at = "l", here = "solve inv det svd eigh qr lu cholesky lstsq pinv norm expm", leads = {
      spsolve = "cuda.sparse.gmres(A, b)", csr_matrix = "cuda.sparse.csr(x)", cg = "it is cuda.sparse.cg" } },
  },
}
