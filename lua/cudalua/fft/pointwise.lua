-- Kernels of transforms that have a thread for each element.

local kernels = require "cudalua.gpuarray.index.kernels"
local passes = require "cudalua.fft.passes"
local template = require "cudalua.gpuarray.kernel.template"

local THREADS = 256

---A step of a sequence (core/run.lua).
---@param file string     of kernels/fft
---@param part string     of it: the kernel is array_fft_ and this name
---@param double boolean
---@param index string    C type of numbers of elements
---@param all integer     elements
---@param list any[]      arguments
---@return cudalua.gpuarray.Step
return function(file, part, double, index, all, list)
  local k = kernels.get(("fft %s %s %s"):format(part, double, index), function()
    return "array_fft_" .. part, template.fill("fft/stockham", "numbers", passes.types(double, index)) ..
      template.fill("fft/" .. file, part, {}), { radix = true }
  end, true)
  return { kernel = k, blocks = math.ceil(all / THREADS), threads = THREADS, arguments = list }
end
