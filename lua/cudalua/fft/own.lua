-- Complex transforms along one axis, by this library's kernels.

local core = require "cudalua.core"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local plans = require "cudalua.fft.plan"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"
local write = require "cudalua.gpuarray.core.write"

local M = {}

---The elements of an array without gaps in C order, of a type.
---@param what string
---@param x cudalua.gpuarray.Array
---@param dtype cudalua.dtype.DType
---@return table leaf
function M.dense(what, x, dtype)
  if x._dtype ~= dtype then x = graph.convert(x, dtype, what) end
  local leaf = evaluate(x)
  return leaf.dense and leaf or view.copy(x, "C")._leaf
end

---The elements that a complex transform reads: real ones of its precision stay real.
---@param what string
---@param x cudalua.gpuarray.Array
---@param dtype cudalua.dtype.DType  complex64 or complex128
---@return table leaf
---@return boolean real
function M.source(what, x, dtype)
  local real = x._dtype.kind == "float" and 2 * x._dtype.itemsize == dtype.itemsize
  return M.dense(what, x, real and x._dtype or dtype), real
end

---How an array is seen along an axis: so many times so many elements, each of them so many side by side.
---@param shape integer[]
---@param axis integer
---@return integer outer
---@return integer inner
function M.around(shape, axis)
  local outer, inner = 1, 1
  for k = 1, axis - 1 do outer = outer * shape[k] end
  for k = axis + 1, #shape do inner = inner * shape[k] end
  return outer, inner
end

---A shape with another extent.
---@param what string
---@param shape integer[]
---@param axis integer
---@param n integer
---@param itemsize integer
---@return integer[] shape
---@return integer size
function M.resized(what, shape, axis, n, itemsize)
  local new = { unpack(shape) }
  new[axis] = n
  return new, layout.size(what, new, itemsize)
end

---Zeros.
---@param what string
---@param dtype cudalua.dtype.DType
---@param shape integer[]
---@param size integer
---@return cudalua.gpuarray.Array
function M.zeros(what, dtype, shape, size)
  local x = storage.empty(dtype, shape, size)
  if size > 0 then make.fill(what, x, 0) end
  return x
end

local function attempt(since, steps_of, plan, job, out, is_new)
  local to = is_new and out._leaf or write.prepare(out)
  job.to = to
  local steps = { since = since, leaves = { job.from }, writes = { to }, scratch = {}, changes = not is_new }
  for i, l in ipairs(plan.leaves) do steps.leaves[i + 1] = l end
  steps_of(steps, plan, job)
  if not is_new and write.is_moved(out, to) then return runs.AGAIN end
  return runs.sequence(steps) or runs.AGAIN
end

---Makes the launches of a transform whose last one alone writes the result.
---@param job cudalua.fft.Job        without `to`
---@param dtype cudalua.dtype.DType  of the result
---@param shape integer[]
---@param size integer
---@param plan table
---@param steps_of function          adds the launches: (steps, plan, job)
---@param out? any                   gets the result, if it can be written there at once
---@return cudalua.gpuarray.Array    out, or a new one
function M.launched(job, dtype, shape, size, plan, steps_of, out)
  local is_new = not write.dense_at_once(out, dtype, shape, { job.from })
  local x = is_new and storage.empty(dtype, shape, size) or out
  runs.until_done(attempt, steps_of, plan, job, x, is_new)
  return x
end

---A transform along one axis; the array's context is the current one.
---@param what string
---@param x cudalua.gpuarray.Array
---@param dtype cudalua.dtype.DType  complex64 or complex128
---@param axis integer
---@param n integer
---@param inverse boolean
---@param scale number  a factor
---@param out? any  gets the result, if it can be written there at once
---@return cudalua.gpuarray.Array  out, or a new one
function M.transform(what, x, dtype, axis, n, inverse, scale, out)
  local shape, size = M.resized(what, x._shape, axis, n, dtype.itemsize)
  if x._size == 0 or size == 0 then return M.zeros(what, dtype, shape, size) end
  local outer, inner = M.around(shape, axis)
  local leaf, real = M.source(what, x, dtype)
  local plan = plans.complex(what, n, dtype.itemsize == 16, inner == 1)
  local job = { outer = outer, inner = inner, extent = x._shape[axis], from = leaf, real = real, inverse = inverse,
    scale = scale }
  return M.launched(job, dtype, shape, size, plan, plans.add, out)
end

-- Gives back an array that was made on the way. A graph that is being captured has its memory.
local function release(x)
  local store = x._store
  if store.buf and not core.array_ready(store.buf) then storage.release(store) end
end

---A transform along several axes, one after the other, the last one first.
---@param what string
---@param x cudalua.gpuarray.Array
---@param dtype cudalua.dtype.DType
---@param axes integer[]
---@param lengths integer[]  for each of them
---@param inverse boolean
---@param scale number
---@param out? any  as of transform
---@return cudalua.gpuarray.Array  out, or a new one
function M.several(what, x, dtype, axes, lengths, inverse, scale, out)
  local before
  for i = #axes, 1, -1 do
    local last = i == 1
    local y = M.transform(what, x, dtype, axes[i], lengths[i], inverse, last and scale or 1, last and out or nil)
    if before then release(before) end
    x, before = y, y
  end
  return x
end

return M
