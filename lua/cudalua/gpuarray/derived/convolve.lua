-- convolve and correlate: shift one vector along the other and add up the products.

local arguments = require "cudalua.gpuarray.index.arguments"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local operands = require "cudalua.gpuarray.product.operands"
local ops = require "cudalua.gpuarray.kernel.ops"
local run = require "cudalua.gpuarray.derived.convolve_run"

local refuse, floor = layout.refuse, math.floor

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

local known = { mode = true, dtype = true, out = true, stream = true, allocator = true }
local modes = { full = true, same = true, valid = true }

local function check_vector(what, name, x)
  if x._ndim > 1 then
    refuse(what, "%s has the shape %s; expected one axis: take a row, a[1], or ravel()", name, layout.text(x._shape))
  end
  if x._size == 0 then refuse(what, "%s has no elements", name) end
end

local function read(what, a, v, options, mode)
  arguments.check_array(what, "a", a)
  v = arguments.values_of(what, "v", v, a._dtype)
  local o = errors.options(what, options, known)
  if o.mode ~= nil then mode = o.mode end
  if not modes[mode] then refuse(what, "mode must be 'full', 'same' or 'valid', got %s", errors.text(mode)) end
  check_vector(what, "a", a)
  check_vector(what, "v", v)
  local dtype, accumulator, result = operands.types(what, a._dtype, v._dtype, o.dtype ~= nil and
    dtypes._of(what, o.dtype) or nil)
  return v, mode, { what = what, dtype = dtype, accumulator = accumulator, result = result }, o.out
end

-- Which of all the places where the vectors have an element beside each other: how many, and the number of the first
-- one, from 0. `before`: so many of the places of "full" that are not in "same" come first.
local function places(mode, long, short, before)
  if mode == "full" then return long + short - 1, 0 end
  if mode == "same" then return long, before end
  return long - short + 1, short - 1
end

-- The sums of the places from number `from` on; from the last place on with `backwards`.
local function computed(s, from, count, backwards, out)
  local all, short = s.long._size + s.short._size - 1, s.short._size
  s.count, s.reverse_out = count, backwards
  s.first = (backwards and all - from - count or from) - (short - 1)
  return arguments.delivered(s.what, run.compute(s), out)
end

---The convolution of two vectors, as NumPy's convolve: element k is the sum of a[i] * v[j] over all i + j = k + 1. The
---sum runs over the elements of the shorter vector in ascending order, with one fused multiply-add each, and is rounded
---as in matmul(). The result therefore has the same bits on every device. Integers and bool are summed in 64 bits, int8
---in 32.
---@param a cudalua.gpuarray.Array  a 1-D array
---@param v any  a 1-D array, a list, a host array or a number
---@param options? {mode: string, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  mode: "full" (default): all n + m - 1 positions where the vectors overlap; "same": as many elements as the longer
---  vector has, from the middle; "valid": the positions where the shorter vector overlaps completely. dtype: as for
---  matmul
---@return cudalua.gpuarray.Array  a 1-D array
---@raise LogicError for arrays with more axes or without elements, for an unknown mode, if the dtypes are not
---  supported, or if out has another shape
define("convolve", function(what, a, v, options)
  local b, mode, s, out = read(what, a, v, options, "full")
  s.long, s.short = a, b
  if b._size > a._size then s.long, s.short = b, a end
  s.reverse_long = true
  local n, m = s.long._size, s.short._size
  local count, from = places(mode, n, m, m - 1 - floor(m / 2))
  return computed(s, from, count, true, out)
end)

---The cross-correlation of two vectors, as NumPy's correlate: element k of "full" is the sum of a[k + j - m] times the
---conjugate of v[j], where m is the size of v. The sums are computed as in convolve().
---@param a cudalua.gpuarray.Array  a 1-D array
---@param v any  as for convolve
---@param options? any  as for convolve; mode: default "valid"
---@return cudalua.gpuarray.Array  a 1-D array
---@raise LogicError as gpuarray.convolve
define("correlate", function(what, a, v, options)
  local b, mode, s, out = read(what, a, v, options, "valid")
  if b._dtype.kind == "complex" then b = graph.unary(ops.conj, b) end
  local swapped = b._size > a._size
  s.long, s.short = a, b
  if swapped then s.long, s.short = b, a end
  local n, m = s.long._size, s.short._size
  local count, from = places(mode, n, m, swapped and floor(m / 2) or m - 1 - floor(m / 2))
  return computed(s, from, count, swapped, out)
end)

return require("cudalua.gpuarray.core.calls").install(M)
