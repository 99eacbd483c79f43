-- The layers of the source tree, the lowest first. tools/check_layers.lua fails where a file uses a higher layer than
-- its own. A layer is {name, places...}: folders, which end with a slash, and files. The longest place that a path
-- begins with decides, so a file may stand in another layer than its folder. `about` is for docs/map.md.
-- `only`: names that one file alone may use.
-- `budget`: lines of code, without blank ones and comments, that the tree may have; those in `generated` do not count.
return {
  {
    root = "lua/cudalua/",
    -- 300 lines: what to write instead of other languages' code at the prompt, and topics of help().
    -- 150: arrays of eight fields (docs/programs.md), which save a fifth of the host's time in long programs.
    -- 850: reductions with what uses them as one kernel (docs/rows.md): softmax takes one launch instead of three.
    -- 100: topk of many rows by selection.
    -- 200: trails (docs/programs.md), which save a tenth of the host's time in long programs, and columns on chip.
    -- 400: products that are reduced go through tiles (docs/products.md): squared distances read each element once.
    -- 350: stencils without maps inside (docs/stencils.md).
    -- 200: masks that are expressions are computed in the pass that counts them, and bits of them are kept.
    -- 100: variances in one pass over memory (docs/rows.md), also in row kernels.
    -- 4800: programs of several processes with a device each: transports, arrays that ranks have together, checkpoints.
    budget = 62000,
    layers = {
      { "base", "base/",
        about = "What everything uses: errors and messages, checks of arguments, FFI, shapes, 16-bit floats." },
      { "text", "text/",
        about = "Values, functions and errors as text." },
      { "types", "types/", "dtype.lua", "vec.lua",
        about = "Element types, structs, C's names of types, signatures of kernels, PTX, values as text." },
      { "ndarray", "ndarray/", "ndarray.lua",
        about = "Host arrays, `.npy` and `.npz` files." },
      { "driver", "driver/", "softgpu.lua",
        about = "The driver API, a file for each family: devices, contexts, streams, memory, pools, launches." },
      { "compiler", "compiler/", "compiler.lua",
        about = "CUDA C to modules: NVRTC, nvcc, options, headers, linking, the disk cache." },
      { "vendor", "vendor/",
        about = "NVIDIA's libraries: finding, opening and calling them; which one computes." },
      { "kernel", "gpuarray/kernel/",
        about = "CUDA C of generated kernels: operations as rows, types, loops, tiles, templates." },
      { "core", "gpuarray/core/",
        about = "What an array is; expressions, plans, launches, reading and writing." },
      { "make", "gpuarray/make/",
        about = "New arrays: from data, from places, from other arrays; other shapes." },
      { "index", "gpuarray/index/",
        about = "Parts of arrays by numbers, ranges, positions and masks." },
      { "reduce", "gpuarray/reduce/",
        about = "Reductions and scans: rows, plans, CUDA C, functions." },
      { "order", "gpuarray/order/",
        about = "Sorting, quantiles, counting." },
      { "product", "gpuarray/product/",
        about = "Products of arrays: operands, kernels, contractions." },
      { "derived", "gpuarray/derived/",
        about = "Functions that are made of the others." },
      { "gpuarray", "gpuarray/", "gpuarray.lua", "math.lua", "cumath.lua",
        about = "The array as programs see it, and fused functions." },
      { "userkernel", "userkernel/", "elementwise.lua", "reduction.lua", "scan.lua",
        about = "Kernels from a user's expressions." },
      { "random", "random/", "random.lua", "curandom.lua",
        about = "Random numbers: as expressions, generators with a state, Sobol sequences." },
      { "linalg", "linalg/", "linalg.lua",
        about = "Linear algebra: functions of matrices." },
      { "fft", "fft/", "fft.lua",
        about = "Fourier transforms: lengths in passes, tables, kernels, plans." },
      { "sparse", "sparse/", "sparse.lua",
        about = "Sparse matrices: formats, products, iterative solvers." },
      { "image", "image/", "image.lua",
        about = "Filters of pictures: convolutions, other sizes, rotations." },
      { "files", "files/", "io.lua",
        about = "Files of others: PNG, PGM and PPM pictures, columns of text." },
      { "share", "share/", "interop.lua",
        about = "Arrays of other libraries in this process: DLPack, Python through lupa." },
      { "look", "look/",
        about = "Arrays as pictures and plots: in a terminal, in SVG files." },
      { "ship", "ship/", "cache.lua",
        about = "Programs that run without a compiler: exported kernels, built folders." },
      { "fault", "fault/", "debug.lua",
        about = "After a kernel's fault: the recorded launch, and its replay on the software device." },
      { "profile", "profile/",
        about = "What the device did: records, tables, traces, ranges." },
      { "distributed", "distributed/", "distributed.lua",
        about = "Several processes with a device each: groups, calls between them, the launcher." },
      { "gl", "gl/", "gl.lua",
        about = "OpenGL: shared buffers and images, contexts without a window." },
      { "top", "gl/autoinit.lua", "fault/child.lua", "help/", "prompt/", "setup/", "ship/record.lua", "init.lua",
        "driver.lua", "repl.lua", "tools.lua", "characterize.lua", "autoinit.lua", "autoprimaryctx.lua", "luassert.lua",
        about = "The whole library; what an unknown name may have meant; help(); the command, its prompt and set-up." },
    },
    -- {from, to, reason}: paths below the root.
    exceptions = {},
    generated = { ["help/index.lua"] = true },
    -- Names that one file alone may use: kernels of arrays are launched in one place.
    only = { array_run = "gpuarray/core/run.lua", array_compute = "gpuarray/core/run.lua",
      library_begin = "gpuarray/core/run.lua", library_end = "gpuarray/core/run.lua" },
  },
  {
    root = "src/cudalua/",
    budget = 19200,
    layers = {
      { "base", "base/",
        about = "Errors, objects and their lifetimes, Lua states, counted bytes, the driver's table." },
      { "streams", "streams/",
        about = "Contexts, devices, streams, events, captures, graphs. The files know each other." },
      { "memory", "memory/",
        about = "Memory of every kind, pools, copies and fills, and the collector's pace." },
      { "code", "code/",
        about = "From source to function: NVRTC, the cache's folder, modules, linkers, signatures." },
      { "launch", "launch/",
        about = "Launching: arguments, options, limits, prepared calls, kernels of arrays." },
      { "host", "host/", about = "Files and processes." },
      { "distributed", "distributed/",
        about = "Processes that work together: the memory that they share, calls between them, their launcher." },
      { "core", "core/", about = "The module that Lua opens, and the table of all that it sees." },
    },
    exceptions = {},
  },
  {
    root = "src/softgpu/",
    budget = 34000,
    layers = {
      { "base", "base/", about = "Memory of objects, switches, texts, places in the program." },
      { "ptx", "ptx/", about = "PTX text to a tree: lexer, parser, scopes." },
      { "decode", "decode/", about = "The tree to instructions for the machine: forms, registers, calls." },
      { "machine", "machine/", about = "Runs grids: blocks, lanes, handlers, checks, reports." },
      { "driver", "driver/", about = "The driver API: contexts, streams, memory, modules, graphs, launches." },
    },
    exceptions = {},
  },
}
