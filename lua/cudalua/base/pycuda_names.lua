-- Names of PyCUDA that are not here, and what to do instead, by what messages call their owner. The error for such a
-- name loads them. pycuda_names_spec.lua checks that the texts name what exists, and that these names do not exist.
-- spec/data/pycuda_names.lua has all names of PyCUDA.

local M = {}

-- Rows of names and a text -> a text for each name.
local function texts(rows)
  local all = {}
  for _, row in ipairs(rows) do
    for name in row[1]:gmatch "%S+" do all[name] = row[2] end
  end
  return all
end

local fixture = "it is for pytest; use cuda.tools.make_default_context() in before_each() of your specs"

M.cuda = texts {
  { "CUDA_DEBUGGING", "use cuda.is_debugging()" },
  { "PointerHolderBase", "a table with a method get_pointer(self) is accepted wherever device memory is" },
  { "HostPointer", "cuda.HostAllocation, cuda.RegisteredHostMemory and cuda.ManagedAllocation have " ..
    "get_device_pointer()" },
  { "ArgumentHandler", "use cuda.In, cuda.Out, cuda.InOut, or a table with the methods get_device_alloc(), " ..
    "pre_call(stream) and post_call(stream)" },
}

M.gpuarray = texts {
  { "GPUArray", "use gpuarray.empty(shape, dtype) for a new array, gpuarray.wrap(memory, shape, dtype) for existing " ..
    "memory, gpuarray.Array for the class" },
}

M["an array"] = texts {
  { "base", "views keep their memory alive; a.gpudata is the memory" },
  { "allocator", "an allocator is an option of the functions that make arrays: " ..
    "gpuarray.zeros(shape, { allocator = f })" },
}

M.compiler = texts {
  { "DEFAULT_NVCC_FLAGS", "use cuda.compiler.DEFAULT_NVRTC_FLAGS, which the environment variable " ..
    "CUDALUA_DEFAULT_FLAGS sets" },
  { "compile_plain", "use cuda.compile(source, options)" },
  { "get_nvcc_version", "use cuda.compiler.nvrtc(), which returns NVRTC's version" },
  { "preprocess_source", "use nvcc -E; the cache needs no preprocessed source" },
  { "CudaModule", "use cuda.SourceModule or cuda.Module" },
}

M.elementwise = texts {
  { "get_elwise_module get_elwise_range_module get_elwise_kernel_and_types get_elwise_kernel",
    "use cuda.elementwise.ElementwiseKernel, which compiles its kernels itself" },
  { "get_take_kernel get_take_put_kernel get_put_kernel get_copy_kernel get_linear_combination_kernel " ..
    "get_axpbyz_kernel get_axpbz_kernel get_binary_op_kernel get_rdivide_elwise_kernel get_binary_func_kernel " ..
    "get_binary_func_scalar_kernel get_binary_minmax_kernel get_fill_kernel get_reverse_kernel get_real_kernel " ..
    "get_imag_kernel get_conj_kernel get_arange_kernel get_pow_array_kernel get_fmod_kernel get_modf_kernel " ..
    "get_frexp_kernel get_ldexp_kernel get_unary_func_kernel get_if_positive_kernel get_where_kernel " ..
    "get_scalar_op_kernel get_logical_not_kernel",
    "use cuda.elementwise.ElementwiseKernel, or the function of cuda.gpuarray: arrays generate their own kernels" },
}

M["an ElementwiseKernel"] = texts {
  { "get_texref", "pass a cuda.TextureObject as an argument, declared as cudaTextureObject_t" },
}

M.reduction = texts {
  { "get_reduction_module get_reduction_kernel_and_types",
    "use cuda.reduction.ReductionKernel, which compiles its kernels itself" },
  { "get_sum_kernel get_any_kernel get_all_kernel get_subset_sum_kernel get_dot_kernel get_subset_dot_kernel " ..
    "get_minmax_neutral get_minmax_kernel get_subset_minmax_kernel",
    "use cuda.reduction.ReductionKernel, or the function of cuda.gpuarray, such as gpuarray.sum(a)" },
}

M.sparse = texts {
  { "CoordinateSpMV", "use cuda.sparse.coo{...} and its method matmul" },
  { "PacketedSpMV", "use cuda.sparse.packed(x), a matrix, and its method matmul" },
  { "solve_pkt_with_cg CGStateContainer", "use cuda.sparse.cg(A, b, options), which returns x and info" },
  { "ConvergenceError", "use the second result of cuda.sparse.cg: 0 if it converged" },
  { "OperatorBase IdentityOperator", "use a function that returns A v for a vector v; cuda.sparse.cg accepts it" },
  { "DiagonalPreconditioner", "use the option M = 'jacobi' of cuda.sparse.cg" },
  { "AsyncInnerProduct", "use cuda.gpuarray.vdot(a, b), whose result stays on the device" },
}

M.random = texts {
  { "get_curand_version", "use cuda.VERSION: the generators are the library's own, cuRAND is not used" },
}

local generator = texts {
  { "generators_per_block block_count", "use rng.generators, which is the same on every GPU" },
}
M["a XORWOWRandomNumberGenerator"] = generator
M["a MRG32k3aRandomNumberGenerator"] = generator

M.tools = texts {
  { "Argument", "use cuda.tools.Arg" },
  { "get_arg_type", "use cuda.tools.parse_c_arg(text).dtype" },
  { "context_dependent_memoized_functions", "use cuda.tools.clear_context_caches(), which empties all of them" },
  { "mark_cuda_test init_cuda_context_fixture", fixture },
}

M["an argument"] = texts {
  { "struct_char", "use arg.dtype; a signature takes dtypes" },
}

return M
