-- The way from two arrays to their product, for all that multiply matrices.

local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local operands = require "cudalua.gpuarray.product.operands"
local own = require "cudalua.gpuarray.product.own"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"

local M = {}

---What is added to a product, and how both are scaled: alpha * product + beta * c.
---@class cudalua.gpuarray.ProductEnds
---@field alpha any  number of the accumulator's type
---@field beta any   likewise
---@field c cudalua.gpuarray.Array  broadcasts to the product's shape

-- The memory of c, as the result's type; nil if it is not read.
local function added(what, record, ends)
  local c = ends.c
  if not layout.broadcasts(c._shape, record.shape) then
    layout.refuse(what, "the array has the shape %s, which does not broadcast to that of the product, %s",
      layout.text(c._shape), layout.text(record.shape))
  end
  if ends.beta == 0 then return nil end
  local leaf = evaluate.evaluate(graph.as_type(c, record.result, what))
  operands.check_contexts(what, leaf, record.a.leaf.buf and record.a.leaf or record.b.leaf)
  return leaf
end

local function attempt(since, what, a, b, dtype, ends)
  local record = operands.of(what, a, b, dtype)
  if not ends then return operands.inside(record, own.attempt, since, record) end
  local leaf = added(what, record, ends)
  return operands.inside(record, own.attempt, since, record, ends.alpha, ends.beta, leaf)
end

---The product of two arrays.
---@param what string  the function, for messages
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param dtype? cudalua.dtype.DType  for the result
---@param ends? cudalua.gpuarray.ProductEnds
---@return cudalua.gpuarray.Array
function M.of(what, a, b, dtype, ends) return (runs.until_done(attempt, what, a, b, dtype, ends)) end

local function once(since, f, ...)
  local x = f(...)
  return since == storage.writes and x or runs.AGAIN
end

---What f(...) makes of arrays that it reads several times: it is called again if a finalizer wrote to arrays meanwhile.
---@param list cudalua.gpuarray.Array[]  the arrays; without elements there is nothing that a finalizer could change
---@param f function  gives an array, and writes to none that was there before
---@return cudalua.gpuarray.Array
function M.of_one_moment(list, f, ...)
  for _, x in ipairs(list) do
    if x._size == 0 then return f(...) end -- sums of nothing are made by writing to new arrays
  end
  return (runs.until_done(once, f, ...))
end

return M
