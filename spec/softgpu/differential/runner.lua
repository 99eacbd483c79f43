-- Compiles the corpus, and runs it on the driver of this process.
local cuda = require "cudalua"
local ffi = require "ffi"
local corpus = require "spec.softgpu.differential.corpus"
local inputs = require "spec.softgpu.differential.inputs"

local M = {}

---@param module table  of corpus.modules()
---@param arch? string  instead of its own
---@return string ptx
function M.compile(module, arch)
  return (cuda.compile(module.source, { arch = arch or module.arch, options = module.options, no_extern_c = true,
    default_device = false, name = module.name .. ".cu" }))
end

local device_input

---Runs the kernels of a module, in order, and calls each(kernel, words) with the results as a uint32_t array that the
---next call overwrites, or each(kernel, nil, error).
---@param ptx string
---@param kernels table[]
---@param each fun(kernel: table, words: ffi.cdata*?, why: any)
function M.run(ptx, kernels, each)
  if not device_input or device_input.gone then
    device_input = { memory = cuda.mem_alloc(inputs.bytes) }
    cuda.memcpy_htod(device_input.memory, inputs.words())
  end
  local largest = 0
  for _, kernel in ipairs(kernels) do largest = math.max(largest, kernel.words) end
  local words = ffi.new("uint32_t[?]", largest)
  local ok, module = pcall(cuda.module_from_buffer, ptx)
  if not ok then
    for _, kernel in ipairs(kernels) do each(kernel, nil, module) end
    return
  end
  local out = cuda.mem_alloc(largest * 4)
  for _, kernel in ipairs(kernels) do
    local ran, why = pcall(function()
      cuda.memset_d32(out, kernel.fill, kernel.words)
      local fn = module:get_function(kernel.name, { args = { "const unsigned *", "unsigned *", "int" } })
      fn(device_input.memory, out, kernel.lanes, { block = kernel.block, grid = kernel.lanes / kernel.block })
      cuda.memcpy_dtoh(words, out, { nbytes = kernel.words * 4 })
    end)
    if ran then each(kernel, words) else each(kernel, nil, why) end
  end
  out:free()
end

---As run, of the whole corpus.
---@param modules table[]
---@param each fun(kernel: table, words: ffi.cdata*?, why: any)
function M.run_all(modules, each)
  for _, module in ipairs(modules) do M.run(module.ptx or M.compile(module), module.kernels, each) end
end

M.corpus = corpus
return M
