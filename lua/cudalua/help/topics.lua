-- What help() says of everyday questions before what the search finds.

local find, gmatch, gsub, ipairs, upper = string.find, string.gmatch, string.gsub, ipairs, string.upper

local entries = require "cudalua.help.entries"
local words = require "cudalua.help.words"

local M = {}

---@class cudalua.help.Topic
---@field [1] string    what asks for it: a word, all words of "a+b", "a-b" in this order, "=a" without other words,
---                     "?a" without a function's name, so not "mean of each row"
---@field [2]? string   sentences
---@field [3]? string   entries that come first, without "cuda."

---The topics. Of several that fit, the one with most words counts, then the first.
---@type cudalua.help.Topic[]
M.list = {
  { "debug wrong+kernel wrong+memory wrong+result error+kernel bound+out out+range outside overrun invalid+access " ..
    "access+violation illegal+access invalid+memory illegal+memory illegal+address segfault memcheck sanitizer " ..
    "race uninitialised uninitialized timeout deadlock hang stuck segmentation doesn+finish not+finish " ..
    "never+finish misaligned+address past+end beyond barrier syncthreads result+zero __syncthreads", "To find a " ..
    "kernel's mistake, run the program on the software device: CUDALUA_DRIVER=soft CUDALUA_SOFT_CHECK=all luajit " ..
    "program.lua names the line of a wrong access or a race. See docs/debugging.md." },
  { "own+operator own+reduction reduce+own reduction+function reduction+kernel", nil, "reduction.ReductionKernel " ..
    "scan.GenericScanKernel elementwise.ElementwiseKernel" },
  { "create+kernel kernel+language c+function call+c run+kernel run+c run+code", 'k = cuda.kernel "__global__ ' ..
    'void k(float *x) { x[threadIdx.x] += 1; }" compiles a kernel, and k(a, { block = 32, grid = 1 }) runs it. ' ..
    "See docs/kernels.md.", "kernel SourceModule" },
  { "grid 2d+kernel 3d+kernel two+dimension dimension+kernel thread+block thread+many launch+option " ..
    "launch+configuration set+thread number+thread number+block invalid+configuration block+size 2d+block 3d+block",
    "The last argument of a call has the launch options: k(a, n, { grid = { 4, 2 }, block = { 16, 16 } }) starts " ..
    "4 x 2 blocks of 16 x 16 threads. See docs/kernels.md, section Executing a kernel.", "LaunchOptions kernel" },
  { "=shared+memory shared+dynamic shared+kernel shared+block shared+extern __shared__", "A kernel declares " ..
    "__shared__ float x[256]; or extern __shared__ float x[]; whose size is a launch option: k(a, { block = 256, " ..
    "shared = 1024 }), in bytes." },
  { "constant+memory constant+variable constant+kernel __constant__ global+variable",
    'cuda.memcpy_htod(module:get_global "weight", data) writes to __constant__ float weight[3]; see ' ..
    "docs/kernels.md, section Module variables." },
  { "print+kernel message+gpu message+kernel print+gpu =print printf printf+inside", "Kernels can print: " ..
    [[printf("x[%d] is %g\n", i, x[i]); The output appears when the program next waits. See docs/debugging.md, ]] ..
    "section Print from a kernel." },
  { "struct struct+kernel", "Structs are described in docs/kernels.md, section Structs." },
  { "argument+kernel pass+kernel scalar+kernel", "Arguments of kernels are arrays, numbers and structs: k(a, 3, " ..
    "0.5, { block = 32 }). See docs/kernels.md, section Passing arguments." },
  { "atomic atomicadd", "Kernels can call atomicAdd(&x[i], 1) and CUDA's other atomic functions. Without a " ..
    "kernel, a:bincount() counts.", "gpuarray.bincount" },
  { "header include template compile+option compile+time compile+long compile+fast", "Headers, " ..
    "templates and options of the compiler are described in docs/compiling.md." },
  { "wait+kernel wait+gpu wait+work wait+result until+gpu wait+until wait+stream =wait",
    "cuda.Context.synchronize() waits for all work, stream:synchronize() for a stream's. a:get() and print(a) " ..
    "wait themselves.", "Context:synchronize Stream:synchronize Event:synchronize" },
  { "own+function own+elementwise elementwise", nil, "elementwise.ElementwiseKernel gpuarray.fuse" },
  { "broadcast", "Broadcasting is described in docs/arrays.md, section Operators and functions." },
  { "backend vendor cublas cusolver cusparse cufft", "cudalua's kernels and NVIDIA's libraries are described in " ..
    "docs/backends.md: who computes what, and how to see which one ran a call." },
  { "layer", "Layers of networks are described in docs/backends.md, section Linear layers." },
  { "lowpass highpass bandpass low+pass high+pass band+pass filtering+signal smooth denoise", "Filters are " ..
    "described in docs/signals.md: a:convolve(weights) and cuda.image.separable smooth, and " ..
    "examples/29_fft_filter.lua keeps the low frequencies of cuda.fft.rfft." },
  { "blur sharpen sobel edges gaussian+filter", "Filters of pictures are described in docs/filters.md: " ..
    "cuda.image.separable blurs, and cuda.image.convolve2d finds edges." },
  { "time timeit timer benchmark measure clock long+take", "To time one kernel, pass { time_kernel = true } to its " ..
    "call. For a whole program, use cuda.profile(f). See docs/performance.md and docs/profiling.md." },
  { "streams concurrent concurrently overlap several+kernel at+same+time", "Streams are described in " ..
    "docs/streams.md: stream:use(f) runs the work of f in a stream." },
  { "ship deploy deployment distribute package executable", "To run a program on a machine without a compiler, " ..
    "use cudalua build, which is described in docs/shipping.md." },
  { "=gpu name+gpu which+gpu =what+gpu", "The name of a GPU is cuda.Device(0):name(), and its free memory is the " ..
    "first result of cuda.mem_get_info(). See docs/devices.md and docs/memory.md." },
  { "moving+average rolling+average rolling+mean", "A moving average of n elements is a:convolve(gpuarray.full(n, " ..
    '1 / n), { mode = "valid" }), see docs/signals.md.' },
  { "least+squares regression fit polyfit", "Least squares are cuda.linalg.lstsq(a, y), where the columns of a " ..
    "are the functions that are fitted. See docs/matrices.md, section Solvers." },
  { "eigenvalue eigenvector eigen", "Eigenvalues of symmetric and Hermitian matrices are cuda.linalg.eigh(a), see " ..
    "docs/matrices.md, section Solvers." },
  { "cov covariance corrcoef correlation", "Statistics are described in docs/signals.md." },
  { "=numpy =np =cupy =cp =scipy", "Functions of NumPy and CuPy, and what to write here, are listed in " ..
    "docs/from-numpy.md." },
  { "=pytorch =torch =tensorflow =jax", "Functions of PyTorch, and what to write here, are listed in " ..
    "docs/from-torch.md." },
  { "=pycuda", "What PyCUDA's programs need here is described in docs/from-pycuda.md." },
  { "safetensors save_safetensors load_safetensors pytorch python dlpack share+memory share+array", "Files for " ..
    "other programs, and DLPack for other libraries, are described in docs/sharing.md." },
  { "=singular singular+matrix linalgerror", "Errors of singular matrices are described in docs/matrices.md, " ..
    "section Singular matrices: catch them with pcall, and read err.matrix, err.pivot and err.matrices." },
  { "preconditioner precondition", "Preconditioners are the option M of the solvers, see docs/sparse.md, section " ..
    "Solvers: cuda.sparse.cg(A, b, { M = 'jacobi' })." },
  { "pca principal+component dimension+reduction dimensionality", "Principal components are cuda.linalg.svd(x - " ..
    "x:mean { axis = 1, keepdims = true }, { full_matrices = false }): the rows of vh. See " ..
    "examples/30_principal_components.lua, and docs/matrices.md, section Solvers." },
  { "spsolve", "Solvers of sparse systems are described in docs/sparse.md, section Solvers." },
  { "contraction einstein", nil, "gpuarray.einsum gpuarray.tensordot" },
  { "multiply+scalar multiply+array multiply+elementwise multiply+wise", nil, "gpuarray.mul gpuarray.matmul" },
  { "reproducible reproducible+random random+seed same+random", nil, "random.seed" },
  { "single+number one+number single+value", nil, "gpuarray.Array:item" },
  { "=reduce reduce+axis =reduction", "Reductions such as a:sum(), a:mean(1) and a:max { axis = 2 } are described " ..
    "in docs/reductions.md." },
  { "integrate integral", nil, "gpuarray.trapezoid" },
  { "gpu+support", nil, "Device:compute_capability characterize.has_double_support" },
  { "kernel+file module+file", nil, "module_from_file SourceModule" },
  { "count+true count+mask", nil, "gpuarray.count_nonzero" },
  { "occurrence count+value", nil, "gpuarray.bincount gpuarray.unique" },
  { "limit+value", nil, "gpuarray.clip" },
  { "save+image save+picture save+png", nil, "io.save_image" },
  { "normalize+vector unit+vector", "A vector of length 1 is x / x:norm().", "gpuarray.norm" },
  { "join+vertical join+vertically", nil, "gpuarray.vstack" },
  { "join+horizontal join+horizontally", nil, "gpuarray.hstack" },
  { "fourier", nil, "fft.fft fft.rfft" },
  { "any+true any+element", nil, "gpuarray.any" },
  { "logical+mask", nil, "gpuarray.logical_and gpuarray.logical_or gpuarray.logical_not" },
  { "spectrum frequency", nil, "fft.rfft fft.fft fft.rfftfreq" },
  { "memory+leak memory+grow garbage+collector collector", "When memory is freed is described in docs/memory.md.",
    "collect mem_stats" },
  { "multiply+sparse+matrix", nil, "sparse.Matrix:matmul" },
  { "multiply+matrix product+matrix @ times+matrix multiply+vector", nil, "gpuarray.matmul linalg.multi_dot" },
  { "=t array.t a.t transpose+matrix transpose+array transpose+view swap+row swap+column", "a.T is the transposed " ..
    "array, a view.", "gpuarray.transpose gpuarray.swapaxes" },
  { "transpose+sparse+matrix", nil, "sparse.Matrix:transpose" },
  { "index+max where+max", nil, "gpuarray.argmax gpuarray.max" },
  { "index+min where+min", nil, "gpuarray.argmin gpuarray.min" },
  { "default+float float+everywhere why+float float+instead default+dtype", nil, "dtype.default_float" },
  { "convert+integer convert+float convert+type convert+dtype =convert =cast", nil, "gpuarray.Array:astype" },
  { "=host+copy host+get host+read to-host from-gpu download result+back data+back get+result =array+convert", nil,
    "gpuarray.Array:get gpuarray.Array:tolist memcpy_dtoh" },
  { "to-table to-list array+lua", nil, "gpuarray.Array:tolist" },
  { "to-gpu from-host from-table from-list numpy+gpu table+gpu array+gpu numpy+array copy+gpu upload send+gpu " ..
    "create+array", nil, "gpuarray.to_gpu memcpy_htod" },
  { "free+memory free+array", nil, "gpuarray.Array:release collect mem_get_info" },
  { "memory+array memory+usage left+memory much+memory available+memory", nil, "mem_get_info mem_stats" },
  { "out+of+memory", "Running out of memory is described in docs/memory.md, section Out of memory." },
  { "several+gpu select+gpu list+gpu all+gpu", "Several GPUs are described in docs/devices.md: each has its own " ..
    "context, cuda.Device(1):make_context()." },
  { "loop+array loop+element loop+matrix loop+row =each+element", "Operators and functions compute all elements " ..
    "at once: (2 * a):exp(). To read elements in Lua, copy them once: for i, x in ipairs(a:tolist()) do ... end. " ..
    "See docs/performance.md." },
  { "random+select random+element sample =shuffle", nil, "random.choice random.permutation" },
  { "mask boolean select+element filter+element element+condition select+condition replace+value set+negative " ..
    "set+zero negative+zero", "Comparisons are masks: mask = a:lt(0). a[mask] has the elements where it is true, " ..
    "a[mask] = 0 replaces them, mask:where(x, y) chooses. See docs/arrays.md, section Positions.",
    "gpuarray.where gpuarray.masked_fill" },
  { "normalize standardize center zscore z+score unit+variance zero+mean subtract+mean", "(x - x:mean { axis = 1, " ..
    "keepdims = true }) / x:std { axis = 1, keepdims = true } standardizes each column of x; axis = 2 each row.",
    "gpuarray.mean gpuarray.std" },
  { "compare less greater equal", "To compare elements, write a:lt(b), a:le(b), a:gt(b), a:ge(b), a:eq(b), " ..
    "a:ne(b): Lua does not support a < b and a == b for arrays. See docs/arrays.md.", "gpuarray.allclose" },
  { "join+array join+to", nil, "gpuarray.concatenate gpuarray.stack" },
  { "nan", nil, "gpuarray.isnan gpuarray.nan_to_num gpuarray.nanmean" },
  { "triangle", nil, "gpuarray.triu gpuarray.tril" },
  { "distance vector+length magnitude", nil, "gpuarray.norm" },
  { "normal+random gaussian+random noise", nil, "random.normal" },
  { "how+many+gpu number+gpu", nil, "Device.count" },
  { "generated+kernel source+expression fusion", nil, "gpuarray.explain gpuarray.fuse" },
  { "singular+value", nil, "linalg.svd linalg.svdvals" },
  { "standard+deviation", nil, "gpuarray.std" },
  { "run+total prefix+sum", nil, "gpuarray.cumsum" },
  { "inverse+matrix invert+matrix", nil, "linalg.inv linalg.solve" },
  { "linear+equation linear+system", nil, "linalg.solve linalg.lstsq sparse.cg" },
  { "number+element shape size+array", "a.shape has the extents, a.size is the number of elements, a:len() that " ..
    "of rows, a.ndim that of axes.", "gpuarray.reshape" },
  { "csv text+file", nil, "io.loadtxt io.savetxt" },
  { "fast performance", "What costs time is described in docs/performance.md; cuda.profile(f) measures it.",
    "profile" },
  { "install", "The installation is described in docs/installation.md." },
  { "exit quit", "The prompt ends with :quit or Ctrl-D." },
  { "without+gpu no+gpu found+gpu software+gpu soft run+cpu", "Without a GPU, programs run on the software device: " ..
    "set CUDALUA_DRIVER=soft. See docs/softgpu.md." },
  { "error catch pcall 700 719 resource+launch", "Classes of errors, their fields and causes are described in " ..
    'docs/errors.md. Catch errors with pcall, and test them with cuda.is_error(err, "MemoryError").' },
  { "?index subscript slice+assign slicing read+element last+element first+element one+element", "Indices are " ..
    "described in docs/arrays.md, section Positions: a[2] and a[{ 2, 3 }] are elements, a[{ {}, 1 }] is the first " ..
    "column. They start at 1." },
  { "=range index+range", "Ranges of an index are described in docs/arrays.md, section Positions: a[{ { 1, 3 } }] " ..
    "has the elements 1 to 3. Ranges of numbers are gpuarray.arange(start, stop, step)." },
  { "?row ?column row+select column+select sum+row sum+column", "Rows are a[i], columns a[{ {}, i }], see " ..
    "docs/arrays.md, section Positions. a:sum(2) adds each row, a:sum(1) each column, see docs/reductions.md." },
  { "generate+random random+number random+array random+value", "Arrays of random numbers are cuda.random.normal(" ..
    "shape), cuda.random.uniform(shape) and cuda.random.integers(shape, low, high). See docs/random.md." },
  { "remove-axis drop-axis", nil, "gpuarray.squeeze" },
  { "add-axis new-axis insert-axis extra-axis", nil, "gpuarray.expand_dims gpuarray.newaxis" },
  { "kernel+image+available invalid+device+function invalid+function", "A cubin or fatbin does not run on a device " ..
    "of another architecture. Compile the source on this machine with cuda.kernel or cuda.SourceModule, or load PTX." },
  { "version+insufficient driver+old driver+insufficient", "The driver is older than the CUDA version that the " ..
    "program needs. Update it, or run cudalua setup to install the compiler that matches it. See " ..
    "docs/installation.md.", "get_driver_version" },
  { "assert+trigger gpu+assert kernel+assert", "If an assert() in a kernel fails, standard error has its line for " ..
    "each thread. See docs/errors.md, section Problems of running." },
  { "timed+out time+limit launch+timeout", "The software device ends a kernel that runs too long, and reports where " ..
    "its threads are. See docs/debugging.md, section Kernels that do not end." },
  { "print+all print+whole print+full print+every", "print(a) shortens large arrays. To print all values, write for " ..
    "_, x in ipairs(a:tolist()) do print(x) end." },
  { "compile+error not+compile", "A CompileError shows the line of the source, and err.log has the compiler's whole " ..
    "output. See docs/compiling.md.", "compile" },
  { "async+copy asynchronous+copy", nil, "memcpy_htod_async memcpy_dtoh_async gpuarray.to_gpu_async" },
  { "=documentation =manual =docs =tutorial =example =guide where+documentation getting+started",
    "The manual begins with docs/start.md, and docs/first-steps.md is a first session. docs/gallery.md lists " ..
    "example programs." },
  { "threadidx blockidx blockdim griddim", "Kernels are CUDA C: int i = blockIdx.x * blockDim.x + threadIdx.x; " ..
    "is the number of a thread. See docs/kernels.md, section Executing a kernel." },
  { "=texture =textures", "Textures are described in docs/textures.md." },
  { "neural+network train+model train+network backpropagation", "cudalua does not differentiate. " ..
    "examples/26_digits.lua trains a network with gradients that are written by hand." },
  { "pending+array lazy+evaluation kernel+fusion", "An expression is computed when its value is needed. See " ..
    "docs/fusion.md. gpuarray.explain(x) shows its kernels.", "gpuarray.explain gpuarray.eval gpuarray.fuse" },
  { "=plan show+plan execution+plan kernel+plan kernel+expression", "gpuarray.explain(x) returns a text about the " ..
    "kernels that would compute x. See docs/fusion.md, section See the plan.", "gpuarray.explain gpuarray.source" },
  { "=kernels", "cuda.kernel(source) compiles a kernel of your own, see docs/kernels.md. gpuarray.explain(x) shows " ..
    "the kernels that would compute an expression, see docs/fusion.md.", "kernel gpuarray.explain" },
  { "pairwise pairwise+distance distance+matrix euclidean+distance", "The distances between all rows of two " ..
    "matrices are (a:expand_dims(2) - b):norm(-1). See docs/from-numpy.md.", "gpuarray.norm gpuarray.expand_dims" },
  { "game+life stencil neighbour neighbor cellular+automaton", "a:roll(1, axis) has the neighbour of each " ..
    "element. One kernel computes an expression of several rolls. See docs/fusion.md, section Rearranged arrays, " ..
    "and docs/from-numpy.md.", "gpuarray.roll" },
  { "=restart reset+gpu", "At the prompt, :restart starts a new process. After a fault, a process cannot use the " ..
    "device again. See docs/errors.md." },
  { "environment+variable", "Environment variables are described in docs/environment.md." },
  { "nginx openresty embed embedding", "Programs that embed cudalua are described in docs/embedding.md." },
  { "fork", "Fork a process before its first use of the device. See docs/devices.md." },
  { "=help", 'help() says how to start, help(x) describes a value, and help "words" searches. See docs/prompt.md.' },
  { "=lua =luajit", "Lua is described in https://www.lua.org/manual/5.1, and LuaJIT in " ..
    "https://luajit.org/extensions.html." },
  { "=version which+version", nil, "VERSION_TEXT get_driver_version" },
}

local ways -- { topic, text, stems, words, alone, vague }

local function read()
  ways = {}
  for _, topic in ipairs(M.list) do
    for text in gmatch(topic[1], "%S+") do
      local way = { topic = topic, stems = {}, words = #words.of(text), alone = find(text, "=", 1, true),
        vague = find(text, "?", 1, true), text = gsub(text, "[=?]", "") }
      for part in gmatch(way.text, "[^+]+") do
        local pair = words.of(part)
        way.stems[#way.stems + 1] = pair[1].same .. (pair[2] and "-" .. pair[2].same or "")
      end
      ways[#ways + 1] = way
    end
  end
end

local function fits(way, asked, list)
  local used = {}
  for _, stem in ipairs(way.stems) do
    if not asked[stem] then return false end
    used[stem] = true
  end
  for _, word in ipairs(list) do
    local other = not (used[word.same] or word.empty or word.weak)
    if other and (way.alone or way.vague and entries.by_name["cuda.gpuarray." .. word.text]) then return false end
  end
  return true
end

-- A name is no question: other words for it do not count, and other forms only if no entry has it.
local function is_name(way, word, name)
  if #way.stems > 1 then return false end
  if way.text == word.text or word.error and way.text == "error" then return true end
  return words.stem(way.text) == word.stem and not (entries.named(name)[1] or
    entries.named(gsub(name, "^%l", upper))[1])
end

-- The stems, what stands for them, and the pairs of words such as "to-host" in "to the host".
local function stems_of(list)
  local asked, before = {}, nil
  for _, word in ipairs(list) do
    asked[word.same], asked[word.stem] = true, true
    if word.error then asked.error = true end
    if before then asked[before .. "-" .. word.same] = true end
    if not word.empty or word.text == "to" or word.text == "from" then before = word.same end
  end
  return asked
end

---The topic of a question.
---@param question string
---@return cudalua.help.Topic?
function M.find(question)
  if find(question, "^[%w_]+[.:][%w_.:]+$") and entries.named(question)[1] then return nil end -- "distributed.init"
  if not ways then read() end
  local best, most, list = nil, 0, words.of(question)
  local name, asked = #list == 1 and not find(question, "%s"), stems_of(list)
  for _, way in ipairs(ways) do
    if way.words > most then
      local hit
      if name then hit = is_name(way, list[1], question) else hit = fits(way, asked, list) end
      if hit then best, most = way.topic, way.words end
    end
  end
  return best
end

return M
