-- Host arrays of structs: fields as views, comparison field by field.

local arrays = require "cudalua.ndarray.array"
local compare = require "cudalua.ndarray.compare"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"

local M = {}

---@class cudalua.ndarray.Array
local Array = arrays.Array

local function field_view(self, what, f)
  local shape, strides = self.shape, self.strides
  local step = f.count * f.dtype.itemsize
  for _, n in ipairs(f.extents or {}) do
    step = step / n
    shape[#shape + 1], strides[#strides + 1] = n, step
  end
  if #shape > layout.MAX_AXES then layout.refuse(what, "an array has at most %d axes", layout.MAX_AXES) end
  return arrays.view(self, f.offset, shape, strides, self._size * f.count, f.dtype)
end

---Returns one field of all structs, as a view with the field's dtype. If the field is a fixed array, its axes come
---after those of the array.
---@param name string  the name of the field
---@return cudalua.ndarray.Array
---@raise LogicError if the elements are not structs, or do not have this field
function Array:field(name)
  local what = "ndarray:field"
  arrays.check_self(self, what)
  local dt = self._dtype
  if dt.kind ~= "struct" then layout.refuse(what, "the elements are not structs but " .. dt.name) end
  local f = type(name) == "string" and dt._by_name[name]
  if not f then
    local names = {}
    for i, each in ipairs(dt._fields) do names[i] = each.name end
    layout.refuse(what, "unknown field %s; valid fields: %s", errors.text(name), table.concat(names, ", "))
  end
  return field_view(self, what, f)
end

-- The first element in which two arrays of one struct differ: its number from 0, and how.
local function first_difference(a, b, tolerance)
  local first, text
  for k, f in ipairs(a._dtype._fields) do
    local x, y = field_view(a, "ndarray:equal", f), field_view(b, "ndarray:equal", b._dtype._fields[k])
    local i, why
    if f.dtype.kind == "struct" then
      i, why = first_difference(x, y, tolerance)
    else
      i, why = compare.first_difference(x, y, tolerance)
      if why then why = ": " .. why end
    end
    local at = i and math.floor(i / f.count)
    if at and (not first or at < first) then
      local place = ""
      for _, n in ipairs(f.extents and layout.unravel(f.extents, i % f.count) or {}) do
        place = ("%s[%d]"):format(place, n)
      end
      first, text = at, "." .. f.name .. place .. why
    end
  end
  return first, text
end

---Are two arrays of one shape equal, if one holds structs?
---@param a cudalua.ndarray.Array
---@param b cudalua.ndarray.Array
---@param tolerance? table  as for compare.first_difference
---@return boolean
---@return string? difference  the first one
function M.compared(a, b, tolerance)
  if a._dtype._layout ~= b._dtype._layout then
    return false, ("the types are %s and %s"):format(a._dtype.name, b._dtype.name)
  end
  local i, why = first_difference(a, b, tolerance)
  if not i then return true end
  local place = ""
  for _, at in ipairs(layout.unravel(a._shape, i)) do place = ("%s[%.0f]"):format(place, at) end
  return false, (place == "" and "the value" or place) .. why
end

return M
