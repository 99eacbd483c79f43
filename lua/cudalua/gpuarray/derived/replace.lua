-- masked_fill and nan_to_num: an array with some of its elements replaced.

local arguments = require "cudalua.gpuarray.index.arguments"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local index = require "cudalua.gpuarray.index.slice"
local layout = require "cudalua.base.layout"
local masks = require "cudalua.gpuarray.index.mask"
local make = require "cudalua.gpuarray.core.make"

local refuse = layout.refuse
local f = functions.functions

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

local fill_options = { out = true, stream = true, allocator = true }

-- What is filled in, by the rule of all writes.
local function filling(what, a, value)
  if type(value) ~= "table" then return make.stored_value(what, value, a._dtype) end
  local x = index.source(what, a, value)
  if x._ndim > 0 then refuse(what, "value must be a number or a 0-d array; choose between arrays with where()") end
  return x
end

---Returns an array with one value where a mask is true, as PyTorch's masked_fill, in the array's own dtype. `{ out = a
---}` writes to the array itself.
---@param a cudalua.gpuarray.Array  the array, of any shape
---@param mask any  an array of bool or of numbers, which are true unless they are 0; broadcasts to a's shape
---@param value any  a number, or a 0-d array on the device or the host. Integers from an array wrap around
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError if the mask does not broadcast to a's shape, for a number that the dtype cannot hold, and for an
---  array of a higher kind. Convert float to integer and complex to real with astype()
define("masked_fill", function(a, mask, value, options)
  local what = "gpuarray.masked_fill"
  arguments.check_array(what, "a", a)
  local out = errors.options(what, options, fill_options).out
  if a._dtype.kind == "struct" then refuse(what, "not defined for " .. a._dtype.name) end
  mask = errors.within(what, masks.of, arguments.any_mask(what, "mask", mask))
  if not layout.broadcasts(mask._shape, a._shape) then
    refuse(what, ("the mask's shape %s cannot be broadcast to %s"):format(layout.text(mask._shape),
      layout.text(a._shape)))
  end
  return arguments.delivered(what, f.where(mask, filling(what, a, value), a), out)
end)

local nan_options = { nan = true, posinf = true, neginf = true, out = true, stream = true, allocator = true }

local function finite(x, o, info)
  local y = f.where(f.isnan(x), o.nan or 0, x)
  y = f.where(f.eq(x, math.huge), o.posinf or info.max, y)
  return f.where(f.eq(x, -math.huge), o.neginf or info.min, y)
end

---Replaces NaN and infinities with finite numbers, as NumPy's nan_to_num; in complex numbers, replaces each part.
---@param a cudalua.gpuarray.Array  the array, of any shape
---@param options? {nan: number, posinf: number, neginf: number, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  nan: replaces NaN; default: 0. posinf: replaces infinity; default: the largest finite number
---  of the dtype. neginf: replaces negative infinity; default: the lowest finite number
---@return cudalua.gpuarray.Array  of a's dtype
---@raise LogicError if a replacement is not a number
define("nan_to_num", function(a, options)
  local what = "gpuarray.nan_to_num"
  arguments.check_array(what, "a", a)
  local o, dt = errors.options(what, options, nan_options), a._dtype
  for _, name in ipairs { "nan", "posinf", "neginf" } do
    if o[name] ~= nil and type(o[name]) ~= "number" then
      refuse(what, ("%s must be a number, got %s"):format(name, element.describe(o[name])))
    end
  end
  local x
  if dt.kind == "float" then
    x = finite(a, o, dtypes.finfo(dt))
  elseif dt.kind == "complex" then
    local info = dtypes.finfo(dt)
    x = f.complex(finite(f.real(a), o, info), finite(f.imag(a), o, info))
  else
    x = graph.convert(a, dt, what)
  end
  return arguments.delivered(what, x, o.out)
end)

return require("cudalua.gpuarray.core.calls").install(M)
