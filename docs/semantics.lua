-- Whose rules a function follows, where its annotation does not say so: the reference names them. `class` is the module
-- or class; `of` the name of the model, with %s for each of `names`; `renamed` has those that are called otherwise
-- there; `own` those without a model: what they do is this library's own. "CUDA x" is in CUDA's math API. What
-- PyCUDA has is in spec/data/pycuda_names.lua, and functions of the driver are named by their annotations.
return {
  { class = "cudalua.dtype", of = "numpy.%s",
    names = [[can_cast finfo iinfo result_type]] },
  { class = "cudalua.fft", of = "numpy.fft.%s",
    names = [[fft fft2 fftfreq fftn fftshift ifft ifft2 ifftn ifftshift irfft rfft rfftfreq]] },
  { class = "cudalua.gpuarray.Array", of = "numpy.%s",
    names = [[abs acos acosh add allclose angle array_equal array_split asin asinh atan atan2 atanh average
      bitwise_and bitwise_not bitwise_or bitwise_xor broadcast_to cbrt ceil copysign cos cosh count_nonzero cross
      degrees diff exp exp2 expand_dims expm1 fabs flip fliplr flipud floor fmax fmin fmod frexp gcd heaviside hypot
      inner isclose isfinite isin isinf isnan kron lcm ldexp left_shift log log10 log1p log2 logaddexp logaddexp2
      logical_and logical_not logical_or logical_xor matmul maximum median minimum mod modf moveaxis nan_to_num
      nanargmax nanargmin nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum
      nanvar nextafter outer pad percentile pow ptp quantile radians reciprocal right_shift rint roll rot90 sign
      signbit sin sinc sinh split sqrt square tan tanh tensordot tile tril triu trunc unique unstack vdot vecdot
      where]] },
  { class = "cudalua.gpuarray.Array", of = "numpy.ndarray.%s",
    names = [[all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy cumprod
      cumsum diagonal dot fill flatten imag item max mean min nonzero partition prod put ravel real reshape round
      searchsorted sort squeeze std sum swapaxes take tolist trace transpose var view]] },
  { class = "cudalua.gpuarray.Array", of = "scipy.special.%s",
    names = [[erf erfc erfcinv erfcx erfinv exp10 j0 j1 jn logsumexp y0 y1 yn]] },
  { class = "cudalua.gpuarray.Array", of = "numpy.linalg.%s",
    names = [[norm]] },
  { class = "cudalua.gpuarray", of = "numpy.%s",
    names = [[abs acos acosh add all allclose angle any arange argmax argmin argpartition argsort argwhere array_equal
      array_split asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d average bincount bitwise_and
      bitwise_not bitwise_or bitwise_xor broadcast_arrays broadcast_to can_cast cbrt ceil choose clip compress
      concatenate conj conjugate copy copysign cos cosh count_nonzero cross cumprod cumsum degrees diag diagonal diff
      digitize dot dstack einsum empty empty_like exp exp2 expand_dims expm1 extract eye fabs finfo flatnonzero flip
      fliplr flipud floor fmax fmin fmod frexp full full_like gcd heaviside histogram histogram_bin_edges hstack hypot
      identity iinfo imag inner interp intersect1d isclose isfinite isin isinf isnan kron lcm ldexp left_shift
      linspace load log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace
      matmul max maximum mean median meshgrid min minimum mod modf moveaxis nan_to_num nanargmax nanargmin nancumsum
      nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar nextafter nonzero ones
      ones_like outer pad partition percentile place pow prod ptp put put_along_axis putmask quantile radians ravel
      ravel_multi_index real reciprocal reshape result_type right_shift rint roll rot90 round save searchsorted select
      setdiff1d setxor1d sign signbit sin sinc sinh sort split sqrt square squeeze stack std sum swapaxes take
      take_along_axis tan tanh tensordot tile trace transpose tri tril triu trunc union1d unique unravel_index unstack
      var vdot vecdot vstack where zeros zeros_like]] },
  { class = "cudalua.gpuarray", of = "scipy.special.%s",
    names = [[erf erfc erfcinv erfcx erfinv exp10 j0 j1 jn logsumexp y0 y1 yn]] },
  { class = "cudalua.gpuarray", of = "numpy.linalg.%s",
    names = [[norm]] },
  { class = "cudalua.gpuarray.Array", of = "numpy.%s",
    names = [[convolve corrcoef correlate cov gradient trapezoid unwrap]] },
  { class = "cudalua.gpuarray", of = "numpy.%s",
    names = [[convolve corrcoef correlate cov gradient trapezoid unwrap]] },
  { class = "cudalua.image",
    renamed = { convolve2d = "scipy.signal.convolve2d", resize = "PIL.Image.Image.resize", rotate =
      "scipy.ndimage.rotate", separable = "scipy.signal.sepfir2d" } },
  { class = "cudalua.io", of = "numpy.%s",
    names = [[loadtxt savetxt]] },
  { class = "cudalua.linalg", of = "numpy.linalg.%s",
    names = [[cholesky cond det eigh eigvalsh inv lstsq matrix_power matrix_rank multi_dot norm pinv qr slogdet solve
      svd svdvals]] },
  { class = "cudalua.linalg", of = "scipy.linalg.%s",
    names = [[expm lu solve_triangular]] },
  { class = "cudalua.math", of = "numpy.%s",
    names = [[abs acos acosh angle asin asinh atan atan2 atanh cbrt ceil clip conj copysign cos cosh degrees exp exp2
      expm1 fabs floor fmax fmin fmod frexp heaviside hypot imag isfinite isinf isnan ldexp log log10 log1p log2
      logaddexp logaddexp2 maximum minimum mod modf nextafter pow radians real reciprocal rint round sign signbit sin
      sinc sinh sqrt square tan tanh trunc]] },
  { class = "cudalua.math", of = "scipy.special.%s",
    names = [[erf erfc erfcinv erfcx erfinv exp10 j0 j1 jn y0 y1 yn]] },
  { class = "cudalua.ndarray.Array", of = "numpy.%s",
    names = [[allclose broadcast_to equal expand_dims flip]] },
  { class = "cudalua.ndarray.Array", of = "numpy.ndarray.%s",
    names = [[astype copy data fill item reshape squeeze tolist transpose]] },
  { class = "cudalua.ndarray", of = "numpy.%s",
    names = [[allclose arange array empty empty_like equal eye full full_like linspace load ones ones_like save savez
      zeros zeros_like]] },
  { class = "cudalua.random.Generator", of = "numpy.random.Generator.%s",
    names = [[beta binomial choice exponential gamma integers normal permutation poisson spawn uniform]] },
  { class = "cudalua.random.Generator", of = "numpy.random.%s",
    names = [[get_state seed set_state]] },
  { class = "cudalua.random", of = "numpy.random.Generator.%s",
    names = [[beta binomial choice exponential gamma integers normal permutation poisson uniform]] },
  { class = "cudalua.random", of = "numpy.random.%s",
    names = [[rand seed]] },
  { class = "cudalua.sparse", of = "scipy.sparse.linalg.%s",
    names = [[bicgstab cg gmres]] },
  { class = "cudalua.sparse", of = "scipy.sparse.%s",
    names = [[coo csc csr diags eye]] },
  { class = "cudalua.gpuarray", of = "CUDA %s",
    names = [[cospi cyl_bessel_i0 cyl_bessel_i1 fdim fma ilogb lgamma logb normcdf normcdfinv rcbrt rhypot rsqrt sinpi
      tgamma]] },
  { class = "cudalua.gpuarray.Array", of = "CUDA %s",
    names = [[cospi cyl_bessel_i0 cyl_bessel_i1 fdim fma ilogb lgamma logb normcdf normcdfinv rcbrt rhypot rsqrt sinpi
      tgamma]] },
  { class = "cudalua.math", of = "CUDA %s",
    names = [[cospi cyl_bessel_i0 cyl_bessel_i1 fdim fma ilogb lgamma logb normcdf normcdfinv rcbrt rhypot rsqrt sinpi
      tgamma]] },
  { class = "cudalua.gpuarray",
    renamed = { addmm = "torch.addmm", complex = "torch.complex", cummax = "torch.cummax", cummin =
      "torch.cummin", div = "numpy.divide", eq = "numpy.equal", floordiv = "numpy.floor_divide", from_function =
      "numpy.fromfunction", fuse = "cupy.fuse", ge = "numpy.greater_equal", gt = "numpy.greater", ieee_remainder =
      "CUDA remainder", le = "numpy.less_equal", lt = "numpy.less", masked_fill = "torch.Tensor.masked_fill", mul
      = "numpy.multiply", ne = "numpy.not_equal", neg = "numpy.negative", pos = "numpy.positive", repeat_ =
      "numpy.repeat", round_away = "CUDA round", scope = "torch.cuda.stream", sub = "numpy.subtract", topk =
      "torch.topk" } },
  { class = "cudalua.gpuarray.Array",
    renamed = { addmm = "torch.addmm", complex = "torch.complex", cuda_array_interface =
      "numba: CUDA Array Interface, version 3", cummax = "torch.cummax", cummin = "torch.cummin", div =
      "numpy.divide", eq = "numpy.equal", floordiv = "numpy.floor_divide", ge = "numpy.greater_equal", gt =
      "numpy.greater", iadd = "numpy.ndarray.__iadd__", idiv = "numpy.ndarray.__itruediv__", ieee_remainder =
      "CUDA remainder", ifloordiv = "numpy.ndarray.__ifloordiv__", imod = "numpy.ndarray.__imod__", imul =
      "numpy.ndarray.__imul__", ipow = "numpy.ndarray.__ipow__", isub = "numpy.ndarray.__isub__", le =
      "numpy.less_equal", lt = "numpy.less", masked_fill = "torch.Tensor.masked_fill", mul = "numpy.multiply", ne
      = "numpy.not_equal", neg = "numpy.negative", pos = "numpy.positive", repeat_ = "numpy.repeat", round_away =
      "CUDA round", sub = "numpy.subtract", topk = "torch.topk" } },
  { class = "cudalua.math",
    renamed = { floordiv = "numpy.floor_divide", ieee_remainder = "CUDA remainder", round_away = "CUDA round" } },
  { class = "cudalua.linalg",
    renamed = { linear = "torch.nn.functional.linear", precision = "torch.set_float32_matmul_precision" } },
  { class = "cudalua.ndarray",
    renamed = { dumps = "numpy.save", dumpsz = "numpy.savez", from_buffer = "numpy.frombuffer", from_function =
      "numpy.fromfunction", loads = "numpy.load" } },
  { class = "cudalua.dtype",
    renamed = { promote = "numpy.promote_types" } },
  { class = "cudalua.io",
    renamed = { load_safetensors = "safetensors, format 1", save_safetensors = "safetensors, format 1" } },
  { class = "cudalua.interop",
    renamed = { from_dlpack = "DLPack", to_dlpack = "DLPack" } },
  { class = "cudalua.random",
    renamed = { log_normal = "numpy.random.Generator.lognormal" } },
  { class = "cudalua.random.Generator",
    renamed = { log_normal = "numpy.random.Generator.lognormal" } },
  { class = "cudalua.sparse.Matrix",
    renamed = { astype = "scipy.sparse.csr_array.astype", diagonal = "scipy.sparse.csr_array.diagonal",
      eliminate_zeros = "scipy.sparse.csr_array.eliminate_zeros", matmul = "scipy.sparse.csr_array.dot", sum =
      "scipy.sparse.csr_array.sum", to = "scipy.sparse.csr_array.asformat", todense =
      "scipy.sparse.csr_array.todense", transpose = "scipy.sparse.csr_array.transpose" } },
  { class = "cudalua.Graph",
    renamed = { add_child = "cuGraphAddChildGraphNode", add_conditional = "cuGraphAddNode", add_empty =
      "cuGraphAddEmptyNode", add_event_record = "cuGraphAddEventRecordNode", add_event_wait =
      "cuGraphAddEventWaitNode", add_host = "cuGraphAddHostNode", add_kernel = "cuGraphAddKernelNode", add_memcpy
      = "cuGraphAddMemcpyNode", add_memset = "cuGraphAddMemsetNode", condition = "cuGraphConditionalHandleCreate"
      } },
  { class = "cudalua.GraphExec",
    renamed = { enable = "cuGraphNodeSetEnabled", set_child = "cuGraphExecChildGraphNodeSetParams", set_event =
      "cuGraphExecEventRecordNodeSetEvent", set_host = "cuGraphExecHostNodeSetParams", set_kernel =
      "cuGraphExecKernelNodeSetParams", set_memcpy = "cuGraphExecMemcpyNodeSetParams", set_memset =
      "cuGraphExecMemsetNodeSetParams" } },
  { class = "cudalua.MipmappedArray",
    renamed = { close = "cuMipmappedArrayDestroy", get_descriptor_3d = "cuArray3DGetDescriptor", level =
      "cuMipmappedArrayGetLevel" } },
  { class = "cudalua.Array",
    renamed = { close = "cuArrayDestroy" } },
  { class = "cudalua.DeviceAllocation",
    renamed = { close = "cuMemFree" } },
  { class = "cudalua.ManagedAllocation",
    renamed = { close = "cuMemFree" } },
  { class = "cudalua.HostAllocation",
    renamed = { close = "cuMemFreeHost" } },
  { class = "cudalua.RegisteredHostMemory",
    renamed = { close = "cuMemHostUnregister" } },
  { class = "cudalua.Linker",
    renamed = { close = "cuLinkDestroy" } },
  { class = "cudalua.Function",
    renamed = { name = "cuFuncGetName" } },
  { class = "cudalua.Stream",
    renamed = { context = "cuStreamGetCtx", flags = "cuStreamGetFlags", use = "cupy.cuda.Stream.use" } },
  { class = "cudalua.gl.RegisteredBuffer",
    renamed = { close = "cuGraphicsUnregisterResource" } },
  { class = "cudalua.gl.RegisteredImage",
    renamed = { close = "cuGraphicsUnregisterResource" } },
  { class = "cudalua.gl.RegisteredMapping",
    renamed = { close = "cuGraphicsUnmapResources" } },
  { class = "cudalua", of = "numpy.%s",
    names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64" },
  { class = "cudalua",
    renamed = { bfloat16 = "CUDA __nv_bfloat16", compile = "nvrtcCompileProgram", current_stream =
      "cupy.cuda.get_current_stream", graph = "torch.cuda.make_graphed_callables", kernel = "cupy.RawKernel", link
      = "nvJitLinkComplete", range = "nvtxDomainRangePushEx" } },
  { class = "cudalua.compiler",
    renamed = { kernel = "cupy.RawKernel" } },
  { class = "cudalua.sparse",
    renamed = { from_dense = "scipy.sparse.csr_array" } },
  { class = "cudalua.gpuarray", of = "pycuda.gpuarray.GPUArray.%s", names = "mul_add reverse" },
  { class = "cudalua.gpuarray", of = "pycuda.gpuarray.%s", names = "if_positive" },
  { class = "cudalua.gpuarray.Array", of = "pycuda.gpuarray.GPUArray.%s", names = "mul_add reverse" },
  { class = "cudalua.gpuarray.Array", of = "pycuda.gpuarray.%s", names = "if_positive" },
  { class = "cudalua.ArgumentHandler", of = "pycuda.driver.ArgumentHandler.%s",
    names = [[get_device_alloc post_call pre_call]] },
  { class = "cudalua.random.FillGenerator", of = "pycuda.curandom.XORWOWRandomNumberGenerator.%s",
    names = [[fill_log_normal fill_normal fill_poisson fill_uniform gen_log_normal gen_normal gen_poisson
      gen_uniform]] },
  { class = "cudalua.random.Generator", of = "pycuda.curandom.XORWOWRandomNumberGenerator.%s",
    names = [[fill_log_normal fill_normal fill_poisson fill_uniform gen_log_normal gen_normal gen_poisson
      gen_uniform]] },
  -- Without a model.
  { class = "cudalua.Profile", own = [[text]] },
  { class = "cudalua.distributed", own = [[arange checkpoint full halo init linspace load ones random replicate restore
      save shard zeros]] },
  { class = "cudalua.distributed.Array", own = [[all any argmax argmin argsort astype copy count_nonzero cumsum dot
      eval gather halo item matmul max mean min norm prod redistribute reshape sort std sum take transpose var
      with_block]] },
  { class = "cudalua.distributed.Group", own = [[all_gather all_reduce all_to_all barrier broadcast broadcast_object
      close gather group recv reduce reduce_scatter scatter send split]] },
  { class = "cudalua.distributed.Handle", own = [[is_done wait]] },
  { class = "cudalua.Range", own = [[close]] },
  { class = "cudalua.AlignedHostAllocation", own = [[close]] },
  { class = "cudalua.Array", own = [[get]] },
  { class = "cudalua.Context", own = [[is_poisoned with]] },
  { class = "cudalua.DebugMemoryPool", own = [[allocate histogram report]] },
  { class = "cudalua.DeviceAllocation", own = [[ptr]] },
  { class = "cudalua.DeviceMemoryPool", own = [[close]] },
  { class = "cudalua.DevicePointer", own = [[as_buffer ptr]] },
  { class = "cudalua.Error", own = [[is]] },
  { class = "cudalua.Event", own = [[context handle]] },
  { class = "cudalua.Function", own = [[signature]] },
  { class = "cudalua.Graph", own = [[handle]] },
  { class = "cudalua.GraphCall", own = [[close info]] },
  { class = "cudalua.GraphExec", own = [[handle]] },
  { class = "cudalua.GraphNode", own = [[handle]] },
  { class = "cudalua.HostAllocation", own = [[as_buffer ptr]] },
  { class = "cudalua.IPCMemoryHandle", own = [[ptr]] },
  { class = "cudalua.ManagedAllocation", own = [[as_buffer ptr]] },
  { class = "cudalua.MemoryPool", own = [[get_device handle]] },
  { class = "cudalua.MipmappedArray", own = [[handle levels]] },
  { class = "cudalua", own = [[PageLockedAllocator cache_info clear_cache collect completion_fd device_error devices
      driver_info gc_budget
      has interrupt interrupts is_debugging is_error mem_stats on_notice plot pointer poll profile progress show
      show_progress text_errors version_at_least wrap_context]] },
  { class = "cudalua.PageLockedMemoryPool", own = [[alloc_size bin_number close]] },
  { class = "cudalua.PooledDeviceAllocation", own = [[close ptr]] },
  { class = "cudalua.PooledHostAllocation", own = [[close free]] },
  { class = "cudalua.RegisteredHostMemory", own = [[as_buffer ptr]] },
  { class = "cudalua.SurfaceObject", own = [[handle]] },
  { class = "cudalua.TextureObject", own = [[handle]] },
  { class = "cudalua.cache", own = [[clear export info use]] },
  { class = "cudalua.compiler", own = [[nvrtc]] },
  { class = "cudalua.debug", own = [[record replay save]] },
  { class = "cudalua.dtype", own = [[default_float is_dtype of pack_bfloat16 pack_float16 promote_value struct
      unpack_bfloat16 unpack_float16]] },
  { class = "cudalua.elementwise.ElementwiseKernel", own = [[source]] },
  { class = "cudalua.fft", own = [[clear_plans plan_limit]] },
  { class = "cudalua.gl.Headless", own = [[buffer close make_current program read_pixels release texture]] },
  { class = "cudalua.gl", own = [[devices headless]] },
  { class = "cudalua.gpuarray.Array", own = [[cube eval len release slice]] },
  { class = "cudalua.gpuarray.Fused", own = [[source]] },
  { class = "cudalua.gpuarray", own = [[cube eager eval explain fast_math is is_array scalar source wrap]] },
  { class = "cudalua.interop", own = [[from_python to_python]] },
  { class = "cudalua.io", own = [[load_image save_image]] },
  { class = "cudalua.linalg", own = [[backend libraries]] },
  { class = "cudalua.luassert", own = [[text]] },
  { class = "cudalua.math", own = [[cube]] },
  { class = "cudalua.ndarray.Array", own = [[assign buffer field get get_pointer len set slice]] },
  { class = "cudalua.ndarray.Npz", own = [[close get names]] },
  { class = "cudalua.ndarray", own = [[is_array wrap]] },
  { class = "cudalua.random.Generator", own = [[skip_ahead]] },
  { class = "cudalua.random.SobolGenerator", own = [[get_state set_state]] },
  { class = "cudalua.random.StateGenerator", own = [[call_skip_ahead_subsequence call_skip_ahead_subsequence_array
      get_state set_state]] },
  { class = "cudalua.random", own = [[default]] },
  { class = "cudalua.reduction.ReductionKernel", own = [[source]] },
  { class = "cudalua.repl", own = [[run]] },
  { class = "cudalua.scan.ExclusiveScanKernel", own = [[source]] },
  { class = "cudalua.scan.GenericScanKernel", own = [[source]] },
  { class = "cudalua.scan.InclusiveScanKernel", own = [[source]] },
  { class = "cudalua.softgpu", own = [[active calls check control fail fail_clear leaks log report runs schedule
      set_device_count stats streams]] },
  { class = "cudalua.sparse", own = [[jacobi packed]] },
  { class = "cudalua.tools", own = [[c_declarations is_arg match_dtype_to_c_struct parse_arguments]] },
}
