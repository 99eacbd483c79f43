-- Running totals and their kin: of each element and all before it one value. They are computed at once, in one kernel
-- that computes the expression as well; scan_run.lua runs them. In which types, reductions.lua says: those of the
-- reduction to the last of these values.

local compute = require("cudalua.gpuarray.reduce.scan_run").compute
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local storage = require "cudalua.gpuarray.core.storage"

local refuse = layout.refuse

local sum_options = { axis = true, dtype = true, out = true, stream = true, allocator = true }
local plain_options = { axis = true, out = true, stream = true, allocator = true }

local function check_array(what, a)
  if object.is_array(a) then return end
  if type(a) == "table" and getmetatable(a) == "cudalua.ndarray" then
    refuse(what, "the array is in host memory; gpuarray.to_gpu() copies it to the device")
  end
  refuse(what, "expected a gpuarray, got " .. element.describe(a) .. object.colon(what, a))
end

local function apply(what, row, a, options)
  check_array(what, a)
  if options ~= nil and (type(options) ~= "table" or #options > 0) then options = { axis = options } end
  local o = errors.options(what, options, row.dtype and sum_options or plain_options)
  local axis = o.axis
  if axis ~= nil then axis = layout.axis(what, axis, a._ndim) end
  local asked = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
  local kind = a._dtype.kind ~= "struct" and reductions.kind(row, a._dtype, asked)
  if not kind then
    refuse(what, ("not defined for %s%s"):format(a._dtype.name, asked and " as " .. asked.name or ""))
  end
  local shape, out = axis and a._shape or { a._size }, o.out
  if a._size == 0 then
    local x = storage.empty(kind.result, shape, 0)
    return out ~= nil and functions.deliver(what, x, out) or x
  end
  local direct = object.is_array(out) and out._dtype == kind.result and layout.same(out._shape, shape)
  return direct and compute(kind, a, axis, out) or
    out ~= nil and functions.deliver(what, compute(kind, a, axis), out) or compute(kind, a, axis)
end

---@class cudalua.gpuarray
local M = {}

---@class cudalua.gpuarray.Array
local Array = object.Array

---The sums of the elements up to each one: integers in 64 bits, float16 and bfloat16 as float32, each sum rounded once.
---The order of the additions follows from the shape, the axis and the dtype alone.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the
---  last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to
---  it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
function M.cumsum(a, options) return apply("gpuarray.cumsum", reductions.sum, a, options) end

---The sums of the elements up to each one.
---@param options? any  as for gpuarray.cumsum
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.cumsum
function Array:cumsum(options) return apply("gpuarray:cumsum", reductions.sum, self, options) end

---The products of the elements up to each one, in the types of cumsum().
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, dtype, out, stream, allocator}, or the axis: a number from 1, negative ones from the
---  last; default: all elements in C order, to an array of one axis. dtype: of the result; elements are converted to
---  it first. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is not supported, the axis is out of range, or out does not fit
function M.cumprod(a, options) return apply("gpuarray.cumprod", reductions.prod, a, options) end

---The products of the elements up to each one.
---@param options? any  as for gpuarray.cumprod
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.cumprod
function Array:cumprod(options) return apply("gpuarray:cumprod", reductions.prod, self, options) end

---The greatest of the elements up to each one; from the first NaN on, NaN.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, out, stream, allocator}, or the axis: a number from 1, negative ones from the last;
---  default: all elements in C order, to an array of one axis. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out does not fit
function M.cummax(a, options) return apply("gpuarray.cummax", reductions.max, a, options) end

---The greatest of the elements up to each one; from the first NaN on, NaN.
---@param options? any  as for gpuarray.cummax
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.cummax
function Array:cummax(options) return apply("gpuarray:cummax", reductions.max, self, options) end

---The least of the elements up to each one; from the first NaN on, NaN.
---@param a cudalua.gpuarray.Array
---@param options? any  {axis, out, stream, allocator}, or the axis: a number from 1, negative ones from the last;
---  default: all elements in C order, to an array of one axis. out: an array that gets the result
---@return cudalua.gpuarray.Array
---@raise LogicError if the elements are complex, the axis is out of range, or out does not fit
function M.cummin(a, options) return apply("gpuarray.cummin", reductions.min, a, options) end

---The least of the elements up to each one; from the first NaN on, NaN.
---@param options? any  as for gpuarray.cummin
---@return cudalua.gpuarray.Array
---@raise LogicError as gpuarray.cummin
function Array:cummin(options) return apply("gpuarray:cummin", reductions.min, self, options) end

return require("cudalua.gpuarray.core.calls").install(M)
