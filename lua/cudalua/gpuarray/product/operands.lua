-- The operands of a product: two arrays become one record, with the extents, the types, and for each operand its memory
-- with its strides.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

local M = {}

---An operand of a product.
---@class cudalua.gpuarray.ProductOperand
---@field leaf table
---@field row integer      elements from a row to the next
---@field column integer   from a column to the next
---@field batch integer[]  strides along the axes of the batch, 0 where the operand is repeated

---A product of matrices: m x k times k x n.
---@class cudalua.gpuarray.ProductRecord
---@field what string       the function, for messages
---@field m integer
---@field n integer
---@field k integer
---@field batch integer[]   extents
---@field batches integer   the product of these
---@field dtype cudalua.dtype.DType        of the operands
---@field accumulator cudalua.dtype.DType  of sums
---@field result cudalua.dtype.DType
---@field a cudalua.gpuarray.ProductOperand
---@field b cudalua.gpuarray.ProductOperand
---@field shape integer[]   of the result
---@field row? integer      the result's axis of rows; nil if a is a vector
---@field column? integer   the result's axis of columns; nil if b is a vector
---@field whole? {m: integer, n: integer}  the extents of the product that this is a block of

-- What sums of a type are added up in.
local function accumulator_of(dt)
  if dt.kind == "complex" then return dt end
  if dt.kind == "float" then return dt.itemsize == 2 and dtypes.float32 or dt end
  if dt == dtypes.int8 then return dtypes.int32 end
  return dt.kind == "uint" and dtypes.uint64 or dtypes.int64
end

---The types of a product.
---@param what string
---@param a cudalua.dtype.DType
---@param b cudalua.dtype.DType
---@param asked? cudalua.dtype.DType  for the result
---@return cudalua.dtype.DType operands
---@return cudalua.dtype.DType accumulator
---@return cudalua.dtype.DType result
function M.types(what, a, b, asked)
  for _, dt in ipairs { a, b, asked } do
    if dt.kind == "struct" then refuse(what, "%s is a struct, not a number", dt.name) end
  end
  local dt = dtypes.promote(a, b)
  local acc = accumulator_of(dt)
  local result = dt == dtypes.int8 and acc or reductions.kind(reductions.sum, dt).result
  if not asked or asked == result then return dt, acc, result end
  if asked == acc then return dt, acc, acc end
  local why = asked == dtypes.bool and "a sum of products is not a bool" or dtypes._unstorable(dt, asked)
  if why then refuse(what, "dtype %s: %s", asked.name, why) end
  return asked, accumulator_of(asked), asked
end

-- Why two shapes do not fit.
local function misfit(what, a, b, why)
  refuse(what, "shapes %s and %s do not match: %s", layout.text(a._shape), layout.text(b._shape), why)
end

---An array's value as elements of a type, with strides that are whole elements. Its own memory if it has that type.
---@param x cudalua.gpuarray.Array
---@param dtype cudalua.dtype.DType
---@param what string  the function, for messages
---@return table leaf
local function leaf_of(x, dtype, what)
  local leaf = evaluate.evaluate(graph.as_type(x, dtype, what))
  for _, stride in ipairs(leaf.strides) do
    if stride % dtype.itemsize ~= 0 then return view.copy(graph.as_type(x, dtype, what), "C")._leaf end
  end
  return leaf
end

M.leaf_of = leaf_of

-- The operand; all its axes but the last `own` ones are a batch.
local function operand(leaf, batch, own, row, column)
  local n, itemsize = #leaf.shape, leaf.dtype.itemsize
  local lead, out = n - own, {}
  for axis = 1, #batch do
    local at = axis - (#batch - lead)
    out[axis] = at >= 1 and leaf.shape[at] ~= 1 and leaf.strides[at] / itemsize or 0
  end
  local function stride(axis) return axis and leaf.strides[n + axis] / itemsize or 0 end
  return { leaf = leaf, batch = out, row = stride(row), column = stride(column) }
end

local function leading(shape, own)
  local out = {}
  for axis = 1, #shape - own do out[axis] = shape[axis] end
  return out
end

---Refuses memory of another context.
---@param what string
---@param x table   leaf
---@param y table   leaf
function M.check_contexts(what, x, y)
  if x.buf and y.buf and x.store.context ~= y.store.context then
    errors.raise("LogicError", what .. ": the operands belong to different contexts; copy one to the other context: " ..
      "local h = a:get(), then gpuarray.to_gpu(h) with the other context current")
  end
end

---The record of a product; pending operands are computed.
---@param what string  the function, for messages
---@param a cudalua.gpuarray.Array  of one axis: a row
---@param b cudalua.gpuarray.Array  of one axis: a column
---@param asked? cudalua.dtype.DType  for the result
---@return cudalua.gpuarray.ProductRecord
function M.of(what, a, b, asked)
  if a._ndim == 0 or b._ndim == 0 then
    misfit(what, a, b, "both operands of a product need at least one axis; multiply by a 0-d array with *")
  end
  local dtype, accumulator, result = M.types(what, a._dtype, b._dtype, asked)
  local a_own, b_own = math.min(a._ndim, 2), math.min(b._ndim, 2)
  local k, other = a._shape[a._ndim], b._shape[b._ndim - b_own + 1]
  if k ~= other then
    misfit(what, a, b, ("the last axis of the first has %.0f element%s, %s of the second %.0f"):format(k,
      k == 1 and "" or "s", b_own == 1 and "that" or "the second to last", other))
  end
  local own_a, own_b = leading(a._shape, a_own), leading(b._shape, b_own)
  for axis = 1, math.min(#own_a, #own_b) do
    local x, y = own_a[#own_a + 1 - axis], own_b[#own_b + 1 - axis]
    if x ~= y and x ~= 1 and y ~= 1 then
      misfit(what, a, b, ("the leading axes %s and %s cannot be broadcast " ..
        "together"):format(layout.text(own_a), layout.text(own_b)))
    end
  end
  local batch = layout.broadcast(what, own_a, own_b)
  local record = { m = a_own == 2 and a._shape[a._ndim - 1] or 1, n = b_own == 2 and b._shape[b._ndim] or 1, k = k,
    batch = batch, batches = graph.size_of(batch), dtype = dtype, accumulator = accumulator, result = result,
    what = what }
  local shape = { unpack(batch) }
  if a_own == 2 then
    shape[#shape + 1] = record.m
    record.row = #shape
  end
  if b_own == 2 then
    shape[#shape + 1] = record.n
    record.column = #shape
  end
  layout.size(what, shape, math.max(result.itemsize, accumulator.itemsize))
  record.shape = shape
  local a_leaf = leaf_of(a, dtype, what)
  local b_leaf = a == b and a_leaf or leaf_of(b, dtype, what)
  M.check_contexts(what, a_leaf, b_leaf)
  record.a = operand(a_leaf, batch, a_own, a_own == 2 and -1 or nil, 0)
  record.b = operand(b_leaf, batch, b_own, b_own == 2 and -1 or 0, b_own == 2 and 0 or nil)
  return record
end

---How a leaf lies under the result: one of its shape, or that broadcasts to it.
---@param record cudalua.gpuarray.ProductRecord
---@param leaf table
---@return cudalua.gpuarray.ProductOperand
function M.under(record, leaf)
  local strides, itemsize = layout.broadcast_strides(leaf.shape, leaf.strides, record.shape), leaf.dtype.itemsize
  local batch = {}
  for axis = 1, #record.batch do batch[axis] = strides[axis] / itemsize end
  return { leaf = leaf, batch = batch, row = record.row and strides[record.row] / itemsize or 0,
    column = record.column and strides[record.column] / itemsize or 0 }
end

---Calls f(...) with the context of an operand as the current one.
---@param record cudalua.gpuarray.ProductRecord
---@param f function
---@return any ...
function M.inside(record, f, ...)
  local leaf = record.a.leaf.buf and record.a.leaf or record.b.leaf
  if not leaf.buf or leaf.store.context == core.context_id() then return f(...) end
  return core.memory_context(leaf.buf):with(f, ...)
end

return M
