-- The layers of the source tree, the lowest first. tools/check_layers.lua fails where a file uses a higher layer than
-- its own. A layer is {name, places...}: folders, which end with a slash, and files. The longest place that a path
-- begins with decides, so a file may stand in another layer than its folder.
return {
  {
    root = "lua/cudalua/",
    layers = {
      { "base", "base/" },
      { "types", "types/", "dtype.lua", "vec.lua" },
      { "ndarray", "ndarray/", "ndarray.lua" },
      { "driver", "driver/", "softgpu.lua" },
      { "compiler", "compiler/", "compiler.lua" },
      { "kernel", "gpuarray/kernel/" },
      { "core", "gpuarray/core/" },
      { "make", "gpuarray/make/" },
      { "index", "gpuarray/index/" },
      { "reduce", "gpuarray/reduce/" },
      { "order", "gpuarray/order/" },
      { "derived", "gpuarray/derived/" },
      { "gpuarray", "gpuarray/", "gpuarray.lua", "math.lua", "cumath.lua" },
      { "userkernel", "userkernel/", "elementwise.lua", "reduction.lua", "scan.lua" },
      { "random", "random/", "random.lua", "curandom.lua" },
      { "top", "help/", "prompt/", "init.lua", "driver.lua", "tools.lua", "autoinit.lua", "autoprimaryctx.lua",
        "luassert.lua" },
    },
    -- {from, to, reason}: paths below the root.
    exceptions = {
      { "base/names.lua", "help/suggest.lua", "when a name is unknown: what was meant may be anywhere in the library" },
      { "ndarray/array.lua", "driver/hostmem.lua", "when zeros() is asked for page-locked or managed memory" },
    },
  },
  {
    root = "src/cudalua/",
    layers = {
      { "base", "base/" },
      { "streams", "streams/" },
      { "memory", "memory/" },
      { "code", "code/" },
      { "launch", "launch/" },
      { "host", "host/" },
      { "core", "core/" },
    },
    exceptions = {},
  },
}
