-- What has a page of the manual rather than an entry: help "index" names the page, besides entries of that name.

local ipairs, gmatch = ipairs, string.gmatch

local topics = {}
for _, row in ipairs {
  { "index indexes indices indexing subscript slicing slices", "Indices are described in docs/arrays.md, section " ..
    "Positions: a[2] and a[{ 2, 3 }] are elements, a[{ {}, 1 }] is the first column. They start at 1." },
  { "range ranges", "Ranges of an index are described in docs/arrays.md, section Positions: a[{ { 1, 3 } }] has the " ..
    "elements 1 to 3. Ranges of numbers are gpuarray.arange(start, stop, step)." },
  { "row rows column columns", "Rows are a[i], columns a[{ {}, i }], see docs/arrays.md, section Positions. " ..
    "a:sum(2) adds each row, a:sum(1) each column, see docs/reductions.md." },
  { "broadcast broadcasting", "Broadcasting is described in docs/arrays.md, section Operators and functions." },
  { "backend backends vendor cublas cusolver cusparse cufft", "Own kernels and NVIDIA's libraries are described in " ..
    "docs/backends.md: who computes what, and how to see which one ran a call." },
  { "layer layers", "Layers of networks are described in docs/backends.md, section Linear layers." },
  { "lowpass highpass bandpass pass filtering smooth smoothing denoise", "Filters are described in " ..
    "docs/signals.md: a:convolve(weights) and cuda.image.separable smooth, and examples/29_fft_filter.lua keeps the " ..
    "low frequencies of cuda.fft.rfft." },
  { "blur blurring sharpen sobel edges gaussian", "Filters of pictures are described in docs/filters.md: " ..
    "cuda.image.separable blurs, and cuda.image.convolve2d finds edges." },
  { "time timing timeit timer benchmark measure clock", "To time one kernel, pass { time_kernel = true } to its " ..
    "call. For a whole program, use cuda.profile(f). See docs/performance.md and docs/profiling.md." },
  { "streams concurrent concurrently overlap", "Streams are described in docs/streams.md: stream:use(f) runs the " ..
    "work of f in a stream." },
  { "ship shipping deploy deployment distribute package", "To run a program on a machine without a compiler, use " ..
    "cudalua build, which is described in docs/shipping.md." },
  { "gpu gpus", "The name of a GPU is cuda.Device(0):name(), and its free memory is the first result of " ..
    "cuda.mem_get_info(). See docs/devices.md and docs/memory.md." },
  { "moving rolling", 'A moving average of n elements is a:convolve(gpuarray.full(n, 1 / n), { mode = "valid" }), ' ..
    "see docs/signals.md." },
  { "squares regression fit fitting polyfit", "Least squares are cuda.linalg.lstsq(a, y), where the columns of a " ..
    "are the functions that are fitted. See docs/matrices.md, section Solvers." },
  { "eigenvalue eigenvalues eigenvector eigenvectors eigen", "Eigenvalues of symmetric and Hermitian matrices are " ..
    "cuda.linalg.eigh(a), see docs/matrices.md, section Solvers." },
  { "cov covariance corrcoef correlation", "Statistics are described in docs/signals.md." },
  { "safetensors save_safetensors load_safetensors", "Files for other programs are described in docs/sharing.md." },
  { "singular LinAlgError", "Errors of singular matrices are described in docs/matrices.md, section Singular " ..
    "matrices: catch them with pcall, and read err.matrix, err.pivot and err.matrices." },
  { "preconditioner preconditioners precondition", "Preconditioners are the option M of the solvers, see " ..
    "docs/sparse.md, section Solvers: cuda.sparse.cg(A, b, { M = 'jacobi' })." },
  { "pca", "Principal components are cuda.linalg.svd(x - x:mean { axis = 1, keepdims = true }, { full_matrices = " ..
    "false }): the rows of vh. See examples/30_principal_components.lua, and docs/matrices.md, section Solvers." },
  { "spsolve", "Solvers of sparse systems are described in docs/sparse.md, section Solvers." },
} do
  for word in gmatch(row[1], "%S+") do topics[word] = row[2] end
end

---@type table<string, string>  word -> sentences
return topics
