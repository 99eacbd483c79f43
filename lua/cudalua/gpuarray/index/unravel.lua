-- unravel_index and ravel_multi_index: positions among all elements of a shape, and on each of its axes.

local arguments = require "cudalua.gpuarray.index.arguments"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local move = require "cudalua.gpuarray.index.move"

local refuse = layout.refuse
local f = functions.functions

---@class cudalua.gpuarray
local M = {}

local function order_of(what, o)
  if o.order ~= nil and o.order ~= "C" and o.order ~= "F" then
    refuse(what, "order must be 'C' or 'F', got " .. errors.text(o.order))
  end
  return o.order or "C"
end

-- Positions from 1 as int64 from 0, those that are not there by the mode; with "raise" the program waits.
local function from_zero(what, name, list, extent, where, mode)
  if mode == "raise" then
    local leaf = evaluate.evaluate(list)
    move.inside(leaf, move.check, { what = what, groups = { { leaf = leaf, extent = extent, name = name,
      where = where } } }, mode)
  end
  -- Of uint64 what is beyond int64 is beyond every extent.
  local x = list
  if list._dtype == dtypes.uint64 then x = f.minimum(list, 2 ^ 53) end
  x = graph.as_type(x, dtypes.int64)
  if mode == "clip" then return f.clip(x, 1, extent) - 1 end
  x = f.where(f.lt(x, 0), x + extent, x - 1)
  return mode == "wrap" and x % extent or x
end

-- How far apart neighbours on each axis are among all elements.
local function steps(shape, order)
  local out, step = {}, 1
  for i = 1, #shape do
    local k = order == "C" and #shape + 1 - i or i
    out[k], step = step, step * shape[k]
  end
  return out, step
end

-- A shape without elements has no positions to check against, and only no positions are in it.
local function check_empty(what, list, shape)
  if list._size > 0 then
    refuse(what, ("got %.0f positions for the shape %s, which has no elements"):format(list._size,
      layout.text(shape)))
  end
end

local unravel_options = { order = true, stream = true, allocator = true }

---Converts positions among all elements of a shape to positions on each axis, as NumPy's unravel_index. Use it with the
---result of argmin of a whole array. The program waits for the check of the positions.
---@param indices any  an array of integers on the device or the host, nested lists, or a number; from 1, negative ones
---  from the end
---@param shape integer|integer[]  the shape that the positions refer to
---@param options? {order: "C"|"F", stream: cudalua.Stream, allocator: function}  order: "C" (default): the last axis
---  changes fastest; "F": the first axis does
---@return cudalua.gpuarray.Array ...  one for each axis: int64, from 1, with the shape of indices
---@raise LogicError for positions out of range, and for an invalid shape
function M.unravel_index(indices, shape, options)
  local what = "gpuarray.unravel_index"
  local order = order_of(what, errors.options(what, options, unravel_options))
  shape = layout.numbers(what, "shape", shape, 0)
  local list = arguments.positions_of(what, indices)
  local step, size = steps(shape, order)
  if size == 0 then check_empty(what, list, shape) end
  local x = from_zero(what, "indices", list, size, "the shape " .. layout.text(shape), "raise")
  local out = {}
  for k = 1, #shape do
    local at = step[k] > 1 and f.floordiv(x, step[k]) or x
    if step[k] * shape[k] < size then at = at % shape[k] end
    out[k] = at + 1
  end
  return unpack(out)
end

local ravel_options = { mode = true, order = true, stream = true, allocator = true }

---Converts positions on each axis of a shape to positions among all its elements, as NumPy's ravel_multi_index.
---@param indices any[]  for each axis, an array of integers, nested lists or a number, as for unravel_index; they
---  broadcast
---@param shape integer|integer[]  the shape that the positions refer to
---@param options? {mode: "raise"|"wrap"|"clip", order: "C"|"F", stream: cudalua.Stream, allocator: function}  mode: as
---  for take; "raise" (default) waits for the check. order: as for unravel_index
---@return cudalua.gpuarray.Array  int64, from 1
---@raise LogicError if positions are out of range, or an axis has no positions
function M.ravel_multi_index(indices, shape, options)
  local what = "gpuarray.ravel_multi_index"
  local o = errors.options(what, options, ravel_options)
  local order, mode = order_of(what, o), arguments.mode_of(what, o.mode)
  shape = layout.numbers(what, "shape", shape, 0)
  local _, n = arguments.list_of(what, "indices", indices)
  if n ~= #shape or n == 0 then
    refuse(what, ("%d arrays of positions for the %d axes of the shape %s"):format(n, #shape, layout.text(shape)))
  end
  local step, size = steps(shape, order)
  local sum
  for k = 1, n do
    if type(indices[k]) ~= "table" and element.scalar(indices[k]) == nil then
      refuse(what, ("indices[%d] must be an array, a list or a number, got %s"):format(k, element.describe(indices[k])))
    end
    local list = arguments.positions_of(what, indices[k])
    if size == 0 then check_empty(what, list, shape) end
    local x = from_zero(what, ("indices[%d]"):format(k), list, shape[k], ("axis %d of the shape %s"):format(k,
      layout.text(shape)), mode) * step[k]
    sum = sum and errors.within(what, f.add, sum, x) or x
  end
  return sum + 1
end

return require("cudalua.gpuarray.core.calls").install(M)
