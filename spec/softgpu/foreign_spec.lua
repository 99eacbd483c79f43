-- The software device in the place of the driver's library, where programs of other people find it.
local gpu = require "spec.support.gpu"

local core = assert(package.searchpath("cudalua.core", package.cpath))
local place = core:gsub("cudalua/core%.so$", "softgpu/as-libcuda")

describe("the software device as libcuda.so.1", function()
  -- NVRTC looks into the driver that its process has, for a function that only few programs call.
  it("stays out of the way of NVRTC, and runs what cuda.SourceModule compiled", function()
    local text, ok = gpu.child([[
      local cuda, ffi = require "cudalua", require "ffi"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local mod = cuda.SourceModule("__global__ void twice(int *x) { x[threadIdx.x] *= 2; }", { cache_dir = false })
      local x = ffi.new("int[2]", 3, 4)
      mod:get_function "twice"(cuda.InOut(x), { block = 2 })
      print(x[0], x[1], cuda.Device(0):name())
    ]], ("CUDALUA_DRIVER=cuda LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH"):format(place))
    assert.is_true(ok, text)
    assert.equal("6\t8\tcudalua software device\n", text)
  end)
end)
