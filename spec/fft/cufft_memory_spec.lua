-- What cuFFT's plans take of a GPU's memory. It counts free memory, so it runs alone (tools/test.sh). Skipped without a
-- GPU, and without the library.
local gpu = require "spec.support.gpu"
local libraries = require "cudalua.vendor.library"
local plan = require "cudalua.fft.plan"
local cuda, fft, gpuarray, linalg = gpu.cuda, gpu.cuda.fft, gpu.cuda.gpuarray, gpu.cuda.linalg

describe("cuFFT on a GPU", function()
  it("gives its plans back: memory does not grow with their number", function()
    gpu.context()
    if gpu.soft then return pending "needs a GPU" end
    local found, why = libraries.open "cufft"
    if not found then return pending("needs cuFFT: " .. why) end
    linalg.backend "vendor"
    local function many()
      for n = 1500, 1599 do
        local got = fft.fft(gpuarray.ones({ 2, n }, "complex64")):real()[{ 2, 1 }]:item()
        assert.is_true(math.abs(got - n) < 1e-3 * n, ("n = %d: %s"):format(n, tostring(got)))
      end
      assert.equal(16, plan.count())
      fft.clear_plans()
      cuda.collect()
    end
    many() -- which loads the kernels
    local free = cuda.mem_get_info()
    for _ = 1, 5 do many() end
    local lost = free - cuda.mem_get_info()
    assert.is_true(lost < 64 * 2 ^ 20, ("%.0f bytes are gone"):format(lost))
  end)
end)
