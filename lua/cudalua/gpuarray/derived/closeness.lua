-- isclose, allclose, array_equal: are the elements of two arrays the same, or nearly so?

local arguments = require "cudalua.gpuarray.index.arguments"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"

local refuse, is_array, flag = layout.refuse, object.is_array, layout.flag
local f = functions.functions

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

local function tolerance(what, o, name, default)
  local x = o[name]
  if x == nil then return default end
  if not is_array(x) and (type(x) ~= "number" or x ~= x) then
    refuse(what, ("%s must be a number or an array, got %s"):format(name, element.describe(x)))
  end
  return x
end

local function is_integer(x) return is_array(x) and (x._dtype.kind:find "int" or x._dtype.kind == "bool") end

-- The type in which differences are computed: float32 holds neither sums of 16-bit floats nor integers of 32 bits.
local function computed_in(a, b)
  local dt
  for _, x in ipairs { a, b } do
    if is_array(x) then dt = dt and dtypes.promote(dt, x._dtype) or x._dtype end
  end
  for _, x in ipairs { a, b } do
    if not is_array(x) and element.is_complex(x) then dt = dtypes.promote_value(dt, x) end
    if is_integer(x) and x._dtype.itemsize >= 4 then dt = dtypes.promote(dt, dtypes.float64) end
  end
  if dt.kind ~= "complex" then dt = dtypes.promote(dt.kind == "float" and dt or dtypes.float32, dtypes.float32) end
  return dt
end

-- Of a plain value: its length.
local function length(x)
  if element.is_complex(x) then
    local larger, smaller = math.max(math.abs(x.re), math.abs(x.im)), math.min(math.abs(x.re), math.abs(x.im))
    if larger == 0 or larger == math.huge then return larger end
    return larger * math.sqrt(1 + (smaller / larger) ^ 2)
  end
  return type(x) == "boolean" and (x and 1 or 0) or math.abs(tonumber(x))
end

local function is_nan(x)
  if is_array(x) then return f.isnan(x) end
  local size = length(element.scalar(x))
  return size ~= size
end

-- Both conditions; each an array or a boolean.
local function both(x, y)
  if type(x) == "boolean" then return x and y end
  if type(y) == "boolean" then return y and x end
  return f.logical_and(x, y)
end

local function isclose(what, a, b, o)
  local rtol, atol = tolerance(what, o, "rtol", 1e-5), tolerance(what, o, "atol", 1e-8)
  local function check(name, x)
    if not is_array(x) and not graph.is_value(x) then
      local hint = name == "a" and object.colon(what, x) or ""
      if ndarray.is_array(x) then hint = "; copy it to the device with gpuarray.to_gpu()" end
      refuse(what, ("%s must be a gpuarray or a number, got %s%s"):format(name, element.describe(x), hint))
    end
  end
  check("a", a)
  check("b", b)
  if not is_array(a) and not is_array(b) then refuse(what, "expected an array, got numbers only") end
  local dt = computed_in(a, b)
  local x = is_array(a) and graph.as_type(a, dt) or element.scalar(a)
  local y = is_array(b) and graph.as_type(b, dt) or element.scalar(b)
  local close = f.eq(a, b) -- equal infinities have no difference
  local size = is_array(y) and f.abs(y) or length(y)
  local bound = size * rtol + atol
  local near = f.le(f.abs(f.sub(x, y)), bound)
  local finite = is_array(y) and f.isfinite(y)
  if not is_array(y) then finite = size < math.huge end
  close = f.logical_or(close, both(finite, near) or false)
  if flag(what, o, "equal_nan") then
    local nans = both(is_nan(a), is_nan(b))
    if nans then close = f.logical_or(close, nans) end
  end
  return close
end

local close_options = { rtol = true, atol = true, equal_nan = true, out = true, stream = true, allocator = true }

---Tests element by element whether |a - b| <= atol + rtol * |b|, as NumPy's isclose. Equal infinities are close;
---nothing else is close to an infinite b. 32-bit and 64-bit integers are compared in float64, 16-bit floats in float32.
---@param a cudalua.gpuarray.Array|number  an array of any numeric dtype, or a number
---@param b cudalua.gpuarray.Array|number  the reference; its shape broadcasts with a's
---@param options? {rtol: any, atol: any, equal_nan: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  rtol, atol: numbers or arrays, default 1e-5 and 1e-8; equal_nan: count two NaNs as close
---@return cudalua.gpuarray.Array  of bool
---@raise LogicError if the shapes do not broadcast, or both are numbers
define("isclose", function(a, b, options)
  local what = "gpuarray.isclose"
  local o = errors.options(what, options, close_options)
  return arguments.delivered(what, errors.within(what, isclose, what, a, b, o), o.out)
end)

local all_options = { rtol = true, atol = true, equal_nan = true, stream = true }

---Returns true if all elements are close, as isclose() defines it. The program waits for the result. Returns true for
---empty arrays.
---@param a cudalua.gpuarray.Array|number  an array of any numeric dtype, or a number
---@param b cudalua.gpuarray.Array|number  the reference; its shape broadcasts with a's
---@param options? {rtol: any, atol: any, equal_nan: boolean, stream: cudalua.Stream}  as for isclose
---@return boolean
---@raise LogicError as isclose
define("allclose", function(a, b, options)
  local what = "gpuarray.allclose"
  local o = errors.options(what, options, all_options)
  return errors.within(what, isclose, what, a, b, o):all():item()
end)

local equal_options = { equal_nan = true, stream = true }

---Returns true if two arrays have the same shape and equal elements. Elements of different dtypes are compared by
---value. The program waits for the result.
---@param a any  an array on the device; or host data, if b is an array on the device
---@param b any  likewise
---@param options? {equal_nan: boolean, stream: cudalua.Stream}  equal_nan: count two NaNs as equal
---@return boolean
---@raise LogicError if neither is an array on the device, and for structs
define("array_equal", function(a, b, options)
  local what = "gpuarray.array_equal"
  local equal_nan = flag(what, errors.options(what, options, equal_options), "equal_nan")
  if not is_array(a) then a, b = b, a end
  arguments.check_array(what, "a", a)
  b = arguments.values_of(what, "b", b, a._dtype)
  if not layout.same(a._shape, b._shape) then return false end
  local equal = errors.within(what, f.eq, a, b)
  if equal_nan then equal = f.logical_or(equal, f.logical_and(f.isnan(a), f.isnan(b))) end
  return equal:all():item()
end)

return require("cudalua.gpuarray.core.calls").install(M)
