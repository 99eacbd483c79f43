-- Sums of products of two vectors at all places of one along the other: the kernel of kernels/array/convolve.cu, and
-- its launch.

local kernels = require "cudalua.gpuarray.index.kernels"
local operands = require "cudalua.gpuarray.product.operands"
local own = require "cudalua.gpuarray.product.own"
local plan = require "cudalua.gpuarray.product.plan"
local prelude = require "cudalua.base.prelude"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"

local M = {}

local THREADS = 256
local LARGEST = { [4] = 8, [8] = 4, [16] = 2 } -- by bytes of a value: the most sums of a thread

---How many sums a thread has in all kernels, in place of the chosen number: 1, 2, 4 or 8. For specs.
M.forced = false

-- How many sums a thread has: as many as leave each multiprocessor two blocks. No bit depends on it.
local function sums_of(count, itemsize)
  local r = LARGEST[itemsize]
  if M.forced then return math.min(M.forced, r) end
  local blocks = 2 * plan.multiprocessors_of_context()
  while r > 1 and math.ceil(count / (r * THREADS)) < blocks do r = r / 2 end
  return r
end

local function kernel(types, r)
  local name = "array_convolve"
  return kernels.get(("%s %s %s %s %d"):format(name, types.dtype.name, types.accumulator.name, types.result.name, r),
    function()
      local source = own.types_part(types) .. template.fill("convolve", "convolve", { r = r })
      return name, source, prelude.needed(source)
    end, true)
end

-- Memory, bytes to where a vector begins, elements from one to the next; backwards from the last one on.
local function append(list, leaf, size, backwards)
  local itemsize = leaf.dtype.itemsize
  local step, n = size > 1 and leaf.strides[1] / itemsize or 0, #list
  list[n + 1], list[n + 2] = leaf.buf, leaf.off + (backwards and (size - 1) * step * itemsize or 0)
  list[n + 3] = backwards and -step or step
end

---What is computed: sum i, of `count`, is that of short[t] * long[first + i + t] over all t for which long has such an
---element, in ascending order; t and the places count from 0.
---@class cudalua.gpuarray.Sliding
---@field what string   the function, for messages
---@field dtype cudalua.dtype.DType        of the operands
---@field accumulator cudalua.dtype.DType  of sums
---@field result cudalua.dtype.DType
---@field long cudalua.gpuarray.Array   of at most one axis, not empty
---@field short cudalua.gpuarray.Array  likewise
---@field first integer
---@field count integer
---@field reverse_long? boolean  long is taken from its last element on
---@field reverse_out? boolean   so is the result

local function launch(since, s, long, short)
  local out = storage.empty(s.result, { s.count }, s.count)
  local r, list = sums_of(s.count, s.accumulator.itemsize), { s.count }
  append(list, out._leaf, s.count, s.reverse_out)
  append(list, long, s.long._size, s.reverse_long)
  list[#list + 1] = s.long._size
  append(list, short, s.short._size)
  list[#list + 1], list[#list + 2] = s.short._size, s.first
  local launched = runs.kernel { kernel = kernel(s, r), blocks = math.ceil(s.count / (r * THREADS)), threads = THREADS,
    arguments = list, since = since, leaves = { long, short }, writes = { out._leaf } }
  return launched and out or runs.AGAIN
end

local function attempt(since, s)
  local long, short = operands.leaf_of(s.long, s.dtype, s.what), operands.leaf_of(s.short, s.dtype, s.what)
  operands.check_contexts(s.what, long, short)
  return operands.inside({ a = { leaf = long } }, launch, since, s, long, short)
end

---The sums.
---@param s cudalua.gpuarray.Sliding
---@return cudalua.gpuarray.Array
function M.compute(s) return (runs.until_done(attempt, s)) end

return M
