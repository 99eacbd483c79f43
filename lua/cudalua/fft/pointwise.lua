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
---@param real? boolean    elements of the source are real
---@return cudalua.gpuarray.Step
return function(file, part, double, index, all, list, real)
  local k = kernels.get(("fft %s %s %s %s"):format(part, double, index, real or false), function()
    return "array_fft_" .. part, template.fill("fft/stockham", "numbers", passes.types(double, index, real)) ..
      template.fill("fft/" .. file, part, {}), { radix = true }
  end, true)
  return { kernel = k, blocks = math.ceil(all / THREADS), threads = THREADS, arguments = list }
end
