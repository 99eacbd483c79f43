-- Reductions of distributed arrays, as methods. Along axes that are not divided each rank reduces its block. Otherwise
-- the result is replicated: subtrees.lua combines what the ranks have, with the bits of one device.

local blocks = require "cudalua.distributed.array.blocks"
local call = require "cudalua.gpuarray.reduce.call"
local calls = require "cudalua.distributed.calls"
local element = require "cudalua.base.element"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local joint = require "cudalua.gpuarray.reduce.joint"
local layout = require "cudalua.base.layout"
local move = require "cudalua.distributed.array.move"
local ops = require "cudalua.gpuarray.kernel.ops"
local reduce = require "cudalua.gpuarray.reduce.run"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local sharded = require "cudalua.distributed.array.sharded"
local storage = require "cudalua.gpuarray.core.storage"
local subtrees = require "cudalua.distributed.array.subtrees"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

---@class cudalua.distributed.Array
local Array = sharded.Array

local M = {}

-- ---- arguments ------------------------------------------------------------------------------------------------------

local WITH_DTYPE, PLAIN = { axis = true, keepdims = true, dtype = true }, { axis = true, keepdims = true }

-- The axes as text, for ranks to compare.
local function axes_text(x, axes, keepdims, asked)
  local list = {}
  for k = 1, #x._shape do list[#list + 1] = axes[k] and k or nil end
  return ("over axes %s%s%s"):format(table.concat(list, " "), keepdims and ", kept" or "",
    asked and " as " .. asked.name or "")
end

-- Reads options, which must be the same on all ranks.
local function read(what, x, options, known)
  sharded.check_self(x, what)
  local axes, keepdims, asked, ddof = nil, nil, nil, 0
  calls.prepared(x._group, what, function()
    axes, keepdims, asked = call.read(what, x._block, options, known)
    if known.ddof and type(options) == "table" and #options == 0 and options.ddof ~= nil then ddof = options.ddof end
    if type(ddof) ~= "number" or ddof ~= ddof then
      refuse(what, "ddof must be a number, got %s", element.describe(ddof))
    end
  end)
  sharded.agree(what, x, axes_text(x, axes, keepdims, asked) .. (known.ddof and ", ddof " .. ddof or ""))
  return axes, keepdims, asked, ddof
end

-- The shape of the result, and how many elements each output has.
local function outputs_of(x, axes, keepdims)
  local shape, n, outputs = {}, 1, 1
  for k, extent in ipairs(x._shape) do
    if axes[k] then n = n * extent else outputs = outputs * extent end
    if not axes[k] then shape[#shape + 1] = extent elseif keepdims then shape[#shape + 1] = 1 end
  end
  return { shape = shape, outputs = outputs, count = n }
end

-- The number of the divided axis in the result. The divided axis itself is not reduced.
local function axis_behind(x, axes, keepdims)
  local axis = x._axis
  for k = 1, axis and not keepdims and x._axis or 0 do
    if axes[k] then axis = axis - 1 end
  end
  return axis
end

-- Does each rank reduce its block alone?
local function is_local(x, axes) return not x._axis or not axes[x._axis] end

-- The first one of the reduced axes: if the array is divided along it, a rank has one range of the elements of each
-- output.
local function first_reduced(x, axes)
  for k = 1, x._axis do
    if axes[k] and (x._shape[k] > 1 or k == x._axis) then return k end
  end
end

-- The array with one value for each `unit` neighbours on the divided axis, which are a subtree each, and the kind of
-- what is left to do: so that fewer elements move if the array has to be divided along another axis.
local function with_subtrees(kind, x, axes)
  local axis, shape, own = x._axis, { unpack(x._shape) }, { unpack(x._block._shape) }
  local unit = blocks.unit(shape[axis], x._group.size)
  while shape[axis] % unit > 0 do unit = unit / 2 end
  for k = axis + 1, #shape do unit = axes[k] and 1 or unit end -- neighbours in the order of the reduction
  if unit == 1 then return kind, x end
  local first, second = reduce.stages(kind)
  shape[axis], own[axis] = shape[axis] / unit, own[axis] / unit
  local parts, strides, gone = { unpack(own) }, storage.dense_strides(own, 1), {}
  for k = 1, #own do gone[k] = false end
  table.insert(parts, axis + 1, unit)
  table.insert(strides, axis + 1, 0)
  table.insert(gone, axis + 1, true)
  local size = graph.size_of(own)
  local block = size == 0 and gpuarray.empty(own, kind.acc) or reduce.compute(first, view.reshape(x._block, parts, "C"),
    { axes = gone, shape = own, strides = strides, outputs = size })
  return second, sharded.new(x._group, block, shape, axis)
end

-- By rank, the number of its first element of an output.
local function bounds_of(x, axes)
  local each, bounds = 1, {}
  for k = x._axis + 1, #x._shape do each = axes[k] and each * x._shape[k] or each end
  for r, first in ipairs(blocks.bounds(x._shape[x._axis], x._group.size)) do bounds[r] = first * each end
  return bounds
end

-- ---- one value of many ----------------------------------------------------------------------------------------------

-- Reduces an array whose axes are divided among ranks: `to` has the shape of the result.
local function across(what, kind, x, axes, to)
  local group = x._group
  local block
  if kind.ordered then
    if first_reduced(x, axes) ~= x._axis then kind, x = with_subtrees(kind, x, axes) end
    x = move.redistributed(what, x, first_reduced(x, axes))
    block = subtrees.reduce(what, group, kind, x._block, axes, bounds_of(x, axes), to)
  else
    block = subtrees.reduce_freely(what, group, kind, x._block, axes, bounds_of(x, axes), to)
  end
  return sharded.new(group, block, to.shape, nil)
end

local function refuse_kind(what, dtype, asked)
  refuse(what, "not defined for %s%s", dtype.name, asked and " as " .. asked.name or "")
end

-- A reduction along axes whose elements one rank has, or of no elements at all: f(block).
local function each_for_itself(x, axes, keepdims, f)
  local to = outputs_of(x, axes, keepdims)
  if is_local(x, axes) then return sharded.new(x._group, f(x._block), to.shape, axis_behind(x, axes, keepdims)) end
  if to.count == 0 or to.outputs == 0 then
    return sharded.new(x._group, f(gpuarray.empty(x._shape, x._block._dtype)), to.shape, nil)
  end
end

local function reduced(what, row, x, axes, keepdims, asked)
  local t = x._block._dtype
  local kind = t.kind ~= "struct" and reductions.kind(row, t, asked)
  if not kind then refuse_kind(what, t, asked) end
  return each_for_itself(x, axes, keepdims, function(block)
    return call.reduce(what, row, block, axes, keepdims, asked, true)
  end) or across(what, kind, x, axes, outputs_of(x, axes, keepdims))
end

local function apply(what, name, x, options)
  local row = reductions[name]
  local axes, keepdims, asked = read(what, x, options, row.dtype and WITH_DTYPE or PLAIN)
  return reduced(what, row, x, axes, keepdims, asked)
end

---Returns the sum of the elements, in the types of gpuarray.sum. The order of additions is that of one device, so the
---result has the same bits for any number of ranks.
---@param options? any  {axis, keepdims, dtype}, or the axis, as for gpuarray.sum
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError as gpuarray.sum, or if the calls of the ranks differ; RuntimeError if a rank ends, fails or does
---  not come in time
function Array:sum(options) return apply("sum", "sum", self, options) end

---Returns the product of the elements, with the bits of one device.
---@param options? any  {axis, keepdims, dtype}, or the axis, as for gpuarray.prod
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as sum
function Array:prod(options) return apply("prod", "prod", self, options) end

---Returns the mean of the elements, with the bits of one device.
---@param options? any  {axis, keepdims, dtype}, or the axis, as for gpuarray.mean
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as sum
function Array:mean(options) return apply("mean", "mean", self, options) end

---Returns the smallest element; NaN if an element is NaN.
---@param options? any  {axis, keepdims}, or the axis, as for gpuarray.min
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError as gpuarray.min, or if the calls of the ranks differ; RuntimeError as sum
function Array:min(options) return apply("min", "min", self, options) end

---Returns the largest element; NaN if an element is NaN.
---@param options? any  {axis, keepdims}, or the axis, as for gpuarray.max
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as min
function Array:max(options) return apply("max", "max", self, options) end

---Tests whether any element is not 0.
---@param options? any  {axis, keepdims}, or the axis, as for gpuarray.any
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as min
function Array:any(options) return apply("any", "any", self, options) end

---Tests whether all elements are not 0.
---@param options? any  {axis, keepdims}, or the axis, as for gpuarray.all
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as min
function Array:all(options) return apply("all", "all", self, options) end

---Returns the number of elements that are not 0, as int64.
---@param options? any  {axis, keepdims}, or the axis, as for gpuarray.count_nonzero
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as min
function Array:count_nonzero(options) return apply("count_nonzero", "count_nonzero", self, options) end

-- ---- positions ------------------------------------------------------------------------------------------------------

-- Positions in the whole array of positions in a block, both from 1 and of the reduced axes in C order.
local function global_positions(x, axes, positions)
  local axis, behind, before = x._axis, 1, 1
  for k = 1, #x._shape do
    if axes[k] then
      if k < axis then before = before * x._shape[k] elseif k > axis then behind = behind * x._shape[k] end
    end
  end
  local offset, own, all = x._first * behind, (x._past - x._first) * behind, x._shape[axis] * behind
  if before == 1 then return positions + offset end
  local at = positions - 1
  return at:floordiv(own) * all + at % own + (offset + 1)
end

-- Of the ranks that have the best value, or a NaN, the first position.
local function position(what, name, extreme, x, options)
  local axes, keepdims = read(what, x, options, PLAIN)
  local row, t = reductions[name], x._block._dtype
  if t.kind == "struct" or not reductions.kind(row, t) then refuse_kind(what, t) end
  local result = each_for_itself(x, axes, keepdims, function(block)
    return call.reduce(what, row, block, axes, keepdims, nil, true)
  end)
  if result then return result end
  local to, block, group = outputs_of(x, axes, keepdims), x._block, x._group
  local bounds = bounds_of(x, axes)
  local values, positions = gpuarray.zeros({ to.outputs }, t), gpuarray.zeros({ to.outputs }, "int64")
  if block._size > 0 then
    values = call.reduce(what, reductions[extreme], block, axes, false, nil, true):reshape(to.outputs)
    positions = global_positions(x, axes, call.reduce(what, row, block, axes, false, nil, true)):reshape(to.outputs)
  end
  values, positions = subtrees.of_ranks(what, group, values, bounds), subtrees.of_ranks(what, group, positions, bounds)
  local best = values:eq(gpuarray[extreme](values, 1))
  if t.kind == "float" then best = best:logical_or(values:ne(values)) end
  local found = gpuarray.where(best, positions, 2 ^ 53):min(1)
  return sharded.new(group, found:reshape(to.shape), to.shape, nil)
end

---Returns the position of the smallest element, from 1, or of the first NaN. Of several equal elements, the first one
---counts. Without an axis, positions count all elements in C order.
---@param options? any  {axis, keepdims}, or the axis, as for gpuarray.argmin
---@return cudalua.distributed.Array  int64, replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as min
function Array:argmin(options) return position("argmin", "argmin", "min", self, options) end

---Returns the position of the largest element, as argmin.
---@param options? any  {axis, keepdims}, or the axis, as for gpuarray.argmax
---@return cudalua.distributed.Array  int64, replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as min
function Array:argmax(options) return position("argmax", "argmax", "max", self, options) end

-- ---- sums of squares ------------------------------------------------------------------------------------------------

local function with_block(x, block) return sharded.new(x._group, block, x._shape, x._axis) end

-- The sum of the squared absolute values.
local function squares_of(block)
  if block._dtype.kind ~= "complex" then return block * block end
  local re, im = block:real(), block:imag()
  return re * re + im * im
end

---Returns the norm of the elements as a vector: the square root of the sum of their squared absolute values, with the
---bits of one device.
---@param options? any  {axis, keepdims}, or the axis, as for gpuarray.norm
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as sum
function Array:norm(options)
  local what = "norm"
  local axes, keepdims = read(what, self, options, PLAIN)
  local t, result = call.types_of(what, self._block, nil)
  local sum = reduced(what, reductions.sum, with_block(self, squares_of(graph.as_type(self._block, t))), axes, keepdims)
  if result.kind == "complex" then result = sum._block._dtype end
  return with_block(sum, graph.as_type(sum._block:sqrt(), result))
end

local SPREAD = { axis = true, keepdims = true, dtype = true, ddof = true }

-- The mean first, then the mean of the squared distances from it.
local function spread(what, x, options, root)
  local axes, keepdims, asked, ddof = read(what, x, options, SPREAD)
  local t, result = call.types_of(what, x._block, asked)
  local own = each_for_itself(x, axes, keepdims, function(block) return gpuarray[what](block, options) end)
  if own then return own end
  local to = outputs_of(x, axes, keepdims)
  local values = with_block(x, graph.as_type(x._block, t))
  local mean = reduced(what, reductions.mean, values, axes, true, nil)
  local square = with_block(x, squares_of(values._block - mean._block))
  to.count = math.max(to.count - ddof, 0)
  if t.kind ~= "complex" then
    return across(what, joint.spread(what, x._block._dtype, t, result, 1).spread, square, axes, to)
  end
  local sum = across(what, reductions.kind(reductions.sum, square._block._dtype), square, axes, to)
  local y = sum._block / to.count
  return with_block(sum, root and y:sqrt() or y)
end

---Returns the variance: the mean of the squared distances from the mean. It takes two passes over the elements, so it
---has the bits of one device for up to 16,384 elements of each result. For more elements, the bits are the same for any
---number of ranks, but one device computes other ones.
---@param options? any  {axis, keepdims, dtype, ddof}, or the axis, as for gpuarray.var. ddof: what is subtracted from
---  the number of elements to get the divisor; default 0
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as sum
function Array:var(options) return spread("var", self, options, false) end

---Returns the standard deviation: the square root of the variance, in the same way as var.
---@param options? any  {axis, keepdims, dtype, ddof}, or the axis, as for gpuarray.std. ddof: as for var
---@return cudalua.distributed.Array  replicated if the divided axis is reduced
---@raise LogicError, RuntimeError as sum
function Array:std(options) return spread("std", self, options, true) end

-- ---- products of vectors --------------------------------------------------------------------------------------------

---Returns the sum of the products of two vectors' elements, with the bits of one device.
---@param b cudalua.distributed.Array  a vector of the same length, divided as this one
---@return cudalua.distributed.Array  0-d, replicated
---@raise LogicError if the arrays are not vectors of one length, or are divided differently; RuntimeError as sum
function Array:dot(b)
  local what = "dot"
  sharded.check_self(self, what)
  local kind = calls.prepared(self._group, what, function()
    if not sharded.is(b) then refuse(what, "expected a distributed array, got %s", element.describe(b)) end
    if #self._shape ~= 1 or not layout.same(self._shape, b._shape) then
      refuse(what, "expected two vectors of the same length, got the shapes %s and %s", layout.text(self._shape),
        layout.text(b._shape))
    end
    if self._group ~= b._group or self._axis ~= b._axis then
      refuse(what, "the vectors are divided differently: %s and %s; call redistribute(1) on the second one",
        sharded.describe(self), sharded.describe(b))
    end
    local s, t = self._block._dtype, b._block._dtype
    local common = s.kind ~= "struct" and t.kind ~= "struct" and gpuarray.result_type(s, t)
    local found = common and reductions.kind(reductions.sum, common)
    if not found then refuse(what, "not defined for %s and %s", s.name, t.name) end
    return found
  end)
  sharded.agree(what, self)
  local function converted(block)
    for _, t in ipairs(kind.through) do block = graph.as_type(block, t) end
    return block
  end
  if not self._axis or self._shape[1] == 0 then
    return sharded.new(self._group, gpuarray.dot(self._block, b._block), {}, nil)
  end
  local product = graph.binary(ops.mul, converted(self._block), converted(b._block))
  return across(what, kind, with_block(self, product), { true }, { shape = {}, outputs = 1, count = self._shape[1] })
end

return M
