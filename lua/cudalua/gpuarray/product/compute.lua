-- The way from two arrays to their product, for all that multiply matrices.

local evaluate = require "cudalua.gpuarray.core.evaluate"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local lt = require "cudalua.gpuarray.product.lt"
local operands = require "cudalua.gpuarray.product.operands"
local own = require "cudalua.gpuarray.product.own"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local write = require "cudalua.gpuarray.core.write"

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
    layout.refuse(what, "the array has the shape %s, which cannot be broadcast to the product's shape, %s",
      layout.text(c._shape), layout.text(record.shape))
  end
  if ends.beta == 0 then return nil end
  local leaf = evaluate.evaluate(graph.as_type(c, record.result, what))
  operands.check_contexts(what, leaf, record.a.leaf.buf and record.a.leaf or record.b.leaf)
  return leaf
end

-- The array if the result can be written to it at once.
local function written_at_once(record, out, c)
  local leaf = write.at_once(out, record.result, record.shape, { record.a.leaf, record.b.leaf })
  if not leaf or not c then return leaf and out end
  local same = c.store == leaf.store and c.off == leaf.off and layout.same(c.shape, leaf.shape) and
    layout.same(c.strides, leaf.strides)
  return (same or write.is_apart(leaf, c)) and out or nil
end

-- By cuBLASLt, or by own kernels.
local function computed(since, record, alpha, beta, c, to)
  return lt.attempt(since, record, alpha, beta, c) or own.attempt(since, record, alpha, beta, c, to)
end

local function attempt(since, what, a, b, dtype, ends, out, whole)
  local record = operands.of(what, a, b, dtype)
  record.whole = whole
  local c = ends and added(what, record, ends) or nil
  local to = out ~= nil and written_at_once(record, out, c) or nil
  return operands.inside(record, computed, since, record, ends and ends.alpha, ends and ends.beta, c, to)
end

---The product of two arrays.
---@param what string  the function, for messages
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param dtype? cudalua.dtype.DType  for the result
---@param ends? cudalua.gpuarray.ProductEnds
---@param out? any  gets the result
---@param whole? {m: integer, n: integer}  the extents of the product that this is a block of; the order of sums is that
---  of the whole one
---@return cudalua.gpuarray.Array
---@raise LogicError if the shapes do not fit, or out does not fit
function M.of(what, a, b, dtype, ends, out, whole)
  local x = runs.until_done(attempt, what, a, b, dtype, ends, out, whole)
  return (out == nil or rawequal(x, out)) and x or functions.deliver(what, x, out)
end

local function once(since, f, ...)
  local x = f(...)
  return since == storage.writes and x or runs.AGAIN
end

---What f(...) makes of arrays that it reads several times: it is called again if a finalizer wrote to arrays meanwhile.
---@param list cudalua.gpuarray.Array[]  the arrays; without elements there is nothing that a finalizer could change
---@param f function  gives an array or a list of them, and writes to none that was there before
---@return any  what f gives
function M.of_one_moment(list, f, ...)
  for _, x in ipairs(list) do
    if x._size == 0 then return f(...) end -- sums of nothing are made by writing to new arrays
  end
  return (runs.until_done(once, f, ...))
end

return M
