-- How reductions are called: an array with options; the shape of what comes of it; and the call of reduce/run.lua.

local compute = require("cudalua.gpuarray.reduce.run").compute
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local pairs_of = require "cudalua.base.pairs_of"
local pending = require "cudalua.gpuarray.reduce.pending"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local storage = require "cudalua.gpuarray.core.storage"
local waiting = require "cudalua.gpuarray.core.waiting"

local refuse = layout.refuse

local M = {}

-- What is to become of an array of this shape: along its own axes the result steps in C order.
function M.reduced_along(shape, axes, keepdims)
  local extents, strides, outputs = {}, {}, 1
  for k = 1, #shape do
    if not axes[k] then extents[#extents + 1] = shape[k] elseif keepdims then extents[#extents + 1] = 1 end
  end
  for k = #shape, 1, -1 do
    strides[k] = axes[k] and 0 or outputs
    if not axes[k] then outputs = outputs * shape[k] end
  end
  return { axes = axes, shape = extents, strides = strides, outputs = outputs }
end

-- Reduces an array along a set of axes. `later`: the result may be pending.
-- `drops`: see pending.written().
function M.reduce(what, row, a, axes, keepdims, asked, later, drops)
  local shape = a._shape
  if graph.limits_lifted() then pending.note(a) end
  local kind = a._dtype.kind ~= "struct" and reductions.kind(row, a._dtype, asked)
  if not kind then
    refuse(what, ("not defined for %s%s"):format(a._dtype.name, asked and " as " .. asked.name or ""))
  end
  local to = M.reduced_along(shape, axes, keepdims)
  if to.outputs == 0 then return storage.empty(kind.result, to.shape, 0) end
  if a._size == 0 then
    if row.empty == nil then
      refuse(what, ("the array has no elements; its shape is %s"):format(layout.text(shape)))
    end
    local out = storage.empty(kind.result, to.shape, to.outputs)
    out:fill(row.empty)
    return out
  end
  return later and (to.outputs > 1 or waiting.whole) and pending.written(kind, a, to, drops) or compute(kind, a, to)
end

-- Reduces the last one of a list of expressions. Only the caller may hold them: they are forgotten when the result has
-- its value.
function M.reduced(what, row, temporary, axes, keepdims, asked, later)
  local x = M.reduce(what, row, temporary[#temporary], axes, keepdims, asked, later, temporary)
  for i = 1, x._sig and 0 or #temporary do
    if temporary[i]._sig then storage.drop(temporary[i]) end
  end
  return x
end

-- The type in which what is made with means is computed, and that of the result: short floats are float32 on the way,
-- integers that float32 does not hold float64.
function M.types_of(what, a, asked)
  local t = a._dtype
  local kind = t.kind ~= "struct" and reductions.kind(reductions.mean, t, asked)
  if not kind then refuse(what, ("not defined for %s%s"):format(t.name, asked and " as " .. asked.name or "")) end
  local result = kind.result
  if asked == nil and (t.kind == "int" or t.kind == "uint") and t.itemsize >= 4 then return dtypes.float64, result end
  return result.itemsize == 2 and dtypes.float32 or result, result
end

-- A list for new expressions with a as a type, if it is another one; and a as that.
function M.converted(a, t)
  if a._dtype == t then return {}, a end
  local x = graph.convert(a, t)
  return { x }, x
end

-- The squares of absolute values, as the last one of a list of expressions.
function M.squares(list, x)
  if x._dtype.kind ~= "complex" then
    list[#list + 1] = x * x
    return list
  end
  local re, im = x:real(), x:imag()
  local a, b = re * re, im * im
  for _, t in ipairs { re, im, a, b, a + b } do list[#list + 1] = t end
  return list
end

function M.has_nan(t) return t.kind == "float" or t.kind == "complex" end

-- x with a value where a, which may be x, is NaN, as the last one of a list of new expressions.
function M.without_nan(list, x, value, a)
  if not M.has_nan(a._dtype) then return list end
  list[#list + 1] = graph.unary(ops.isnan, a)
  list[#list + 1] = graph.ternary(ops.where, list[#list], value, x)
  return list
end

M.known_options = { axis = true, keepdims = true, dtype = true, out = true, stream = true, allocator = true }
M.plain_options = { axis = true, keepdims = true, out = true, stream = true, allocator = true }

-- The axes as a set; axis: nil for all, a number, or a list.
function M.axes_of(what, a, axis)
  if axis ~= nil then return layout.axes(what, a._ndim, axis) end
  local set = {}
  for k = 1, a._ndim do set[k] = true end
  return set
end

-- a:max { 2, keepdims = true }: options among which the axis has no name.
local function refuse_unnamed(what, options)
  local named, axes, count = {}, {}, 0
  for key, value in pairs_of(options) do
    if type(key) == "string" then named[key], count = value, count + 1 end
  end
  if count == 0 then return end
  for k, axis in ipairs(options) do axes[k] = errors.text(axis) end
  local axis = table.concat(axes, ", ")
  refuse(what, ("the axis among other options needs its name; write { axis = %s, %s }"):format(
    #axes == 1 and axis or "{ " .. axis .. " }", require("cudalua.base.option_names").fields(named)))
end

-- Options of a reduction: a table of them, an axis, or a list of axes.
function M.read(what, a, options, known)
  object.check_array(what, a)
  if options == nil then return M.axes_of(what, a, nil), false end
  if object.is_array(options) then
    local of_two = what:match "%f[%a]m[ai][xn]$"
    refuse(what, "expected an axis or options after the array, got an array" ..
      (of_two and ("; compare two arrays with gpuarray.%simum(a, b)"):format(of_two) or ""))
  end
  if type(options) == "table" and #options > 0 and not getmetatable(options) then refuse_unnamed(what, options) end
  if type(options) ~= "table" or #options > 0 then options = { axis = options } end
  options = errors.options(what, options, known)
  local keepdims = layout.flag(what, options, "keepdims")
  local dtype = options.dtype ~= nil and dtypes._of(what, options.dtype) or nil
  return M.axes_of(what, a, options.axis), keepdims, dtype, options.out
end

local spread_options = { axis = true, keepdims = true, dtype = true, ddof = true, out = true, stream = true,
  allocator = true }

-- Options of a variance, likewise; the last value is ddof.
function M.read_spread(what, a, options)
  local axes, keepdims, dtype, out = M.read(what, a, options, spread_options)
  local ddof = type(options) == "table" and #options == 0 and options.ddof or 0
  if type(ddof) ~= "number" or ddof ~= ddof then
    refuse(what, "ddof must be a number, got " .. element.describe(ddof))
  end
  return axes, keepdims, dtype, out, ddof
end

local NO_AXES = {} -- the shape of all single values
-- By number of axes: all of them go.
---@type table<integer, cudalua.gpuarray.Reduced>
local every = setmetatable({}, { __index = function(list, n)
  local axes, strides = {}, {}
  for k = 1, n do axes[k], strides[k] = true, 0 end
  list[n] = { axes = axes, shape = NO_AXES, strides = strides, outputs = 1 }
  return list[n]
end })

-- Reduces all elements, of which there are some, to one value.
function M.whole(kind, a) return compute(kind, a, every[a._ndim]) end

function M.apply(what, row, a, options)
  if options == nil and object.is_array(a) and a._size > 0 and a._dtype.kind ~= "struct" then -- as is common
    local kind = reductions.kind(row, a._dtype)
    if kind then return waiting.whole and pending.written(kind, a, every[a._ndim]) or M.whole(kind, a) end
  end
  local axes, keepdims, asked, out = M.read(what, a, options, row.dtype and M.known_options or M.plain_options)
  local x = M.reduce(what, row, a, axes, keepdims, asked, out == nil)
  return out ~= nil and functions.deliver(what, x, out) or x
end

return M
