-- What computing a picture from another one takes: elements without gaps, memory for the result, an attempt.

local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local graph = require "cudalua.gpuarray.core.graph"
local make = require "cudalua.gpuarray.core.make"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"

local M = {}

---The elements of an array without gaps, in C order.
---@param x cudalua.gpuarray.Array
---@return table leaf
function M.dense(x)
  local leaf = evaluate(x)
  return leaf.dense and leaf or view.copy(x, "C")._leaf
end

---The same, of numbers that are converted without losing their kind.
---@param what string
---@param x cudalua.gpuarray.Array
---@param dtype cudalua.dtype.DType
---@return table leaf
function M.stored(what, x, dtype) return M.dense(graph.stored(x, dtype, what)) end

---An array all of whose elements are the fill.
---@param what string
---@param dtype cudalua.dtype.DType
---@param shape integer[]
---@param size integer
---@param fill any  nil for 0
---@return cudalua.gpuarray.Array
function M.filled(what, dtype, shape, size, fill)
  local x = storage.empty(dtype, shape, size)
  if size > 0 then make.fill(what, x, fill == nil and 0 or fill) end
  return x
end

local function attempt(since, list_steps, leaves, out)
  local steps = { since = since, leaves = leaves, writes = { out }, scratch = {} }
  list_steps(steps)
  return runs.sequence(steps) or runs.AGAIN
end

---Runs kernels that write to a new array.
---@param out cudalua.gpuarray.Array
---@param leaves table[]                                         what they read
---@param list_steps fun(steps: cudalua.gpuarray.Sequence)  adds them
---@return cudalua.gpuarray.Array out
function M.run(out, leaves, list_steps)
  runs.until_done(attempt, list_steps, leaves, out._leaf)
  return out
end

---Memory of a sequence.
---@param steps cudalua.gpuarray.Sequence
---@param bytes integer
---@return table leaf
function M.scratch(steps, bytes)
  local buf = storage.buffer(bytes)
  steps.scratch[#steps.scratch + 1] = buf
  return { buf = buf, off = 0 }
end

return M
