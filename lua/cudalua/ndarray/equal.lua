-- Comparing host arrays as wholes: equal, close.

local arrays = require "cudalua.ndarray.array"
local compare = require "cudalua.ndarray.compare"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"

local check_self, from_values, view, refuse = arrays.check_self, arrays.from_values, arrays.view, layout.refuse

---@class cudalua.ndarray.Array
local Array = arrays.Array

-- The other side as an array; numbers are read in this side's type where it holds fractions.
local function operand(self, what, x)
  if arrays.is_array(x) then
    check_self(x, what)
    return x
  end
  local kind = self._dtype.kind
  local own = kind == "float" or kind == "complex" or kind == "struct"
  return from_values(what, x, own and self._dtype or nil, dtypes.float64)
end

local function different_shapes(a, b)
  return ("the shapes are %s and %s"):format(layout.text(a._shape), layout.text(b._shape))
end

local function compared(a, b, tolerance)
  if a._dtype.kind == "struct" or b._dtype.kind == "struct" then
    return require("cudalua.ndarray.struct").compared(a, b, tolerance)
  end
  local i, why = compare.first_difference(a, b, tolerance)
  if not i then return true end
  return false, ("%s: %s"):format(arrays.place(a._shape, i), why)
end

---Returns true if another array has the same shape and equal elements. Elements of different dtypes are compared by
---value; NaN does not equal anything.
---@param other any  an array, nested tables or a value
---@return boolean
---@return string? difference  the first difference, or the two shapes
function Array:equal(other)
  local what = "ndarray:equal"
  check_self(self, what)
  other = operand(self, what, other)
  if not layout.same(self._shape, other._shape) then return false, different_shapes(self, other) end
  return compared(self, other)
end

local tolerances = { rtol = true, atol = true, equal_nan = true }

---Returns true if all elements are close to those of another array, |a - b| <= atol + rtol * |b|, as NumPy's allclose.
---An infinity is close only to itself.
---@param other any  an array, nested tables or a value, of the same shape or 0-d
---@param options? {rtol: number, atol: number, equal_nan: boolean}  rtol: the relative tolerance, default 1e-5; atol:
---  the absolute tolerance, default 1e-8; equal_nan: count two NaNs as close, default false
---@return boolean
---@return string? difference  the first difference
---@raise LogicError if the shapes differ
function Array:allclose(other, options)
  local what = "ndarray:allclose"
  check_self(self, what)
  options = errors.options(what, options, tolerances)
  local t = { rtol = options.rtol or 1e-5, atol = options.atol or 1e-8, equal_nan = options.equal_nan or false }
  for _, name in ipairs { "rtol", "atol" } do
    local x = t[name]
    if type(x) ~= "number" or x < 0 or x ~= x then
      refuse(what, name .. " must be a non-negative number, got " .. element.describe(x))
    end
  end
  other = operand(self, what, other)
  if other._ndim == 0 and self._ndim > 0 then
    other = view(other, 0, self._shape, layout.broadcast_strides({}, {}, self._shape), self._size)
  end
  if not layout.same(self._shape, other._shape) then refuse(what, different_shapes(self, other)) end
  return compared(self, other, t)
end

return Array
