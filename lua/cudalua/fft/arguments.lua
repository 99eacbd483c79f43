-- What the functions of cuda.fft are given: arrays, lengths, axes, norms.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"

local refuse = layout.refuse

local M = {}

local LONGEST = 2 ^ 39 -- elements along an axis: twice as many are four passes of 1024

local complex_of = { float32 = dtypes.complex64, float64 = dtypes.complex128, complex64 = dtypes.complex64,
  complex128 = dtypes.complex128 }
local real_of = { complex64 = dtypes.float32, complex128 = dtypes.float64 }

---The complex type in which an array is transformed: of integers that of the default float type.
---@param what string
---@param dtype cudalua.dtype.DType
---@return cudalua.dtype.DType complex
---@return cudalua.dtype.DType real  of its parts
---@raise LogicError for types without a transform
function M.type_of(what, dtype)
  if dtype.kind == "int" or dtype.kind == "uint" or dtype.kind == "bool" then dtype = dtypes.default_float() end
  local complex = complex_of[dtype.name]
  if not complex then
    refuse(what, dtype.kind == "struct" and "Fourier transforms of struct types are not supported" or
      ("Fourier transforms of %s are not supported; convert the array with astype 'float32'"):format(dtype.name))
  end
  return complex, real_of[complex.name]
end

---The options of a transform. NumPy's users write the lengths in their place.
---@param what string
---@param options any
---@param known table<string, boolean>
---@return table
---@raise LogicError for lengths, and what is not an option
function M.options(what, options, known)
  local is_list = type(options) == "table" and not getmetatable(options) and rawget(options, 1) ~= nil
  if type(options) == "number" or is_list then
    refuse(what, ("expected a table of options, got %s; write { %s = %s }"):format(is_list and "a list" or
      errors.text(options), known.n and "n" or "s", is_list and "..." or known.n and errors.text(options) or
      ("{ %s }"):format(errors.text(options))))
  end
  return errors.options(what, options, known)
end

---An array with axes.
---@param what string
---@param a any
---@return cudalua.gpuarray.Array
---@raise LogicError if it is something else
function M.array(what, a)
  object.check_array(what, a, "a")
  if a._ndim == 0 then refuse(what, "a 0-d array has no axis to transform") end
  return a
end

---How many elements of an axis to transform.
---@param what string
---@param name string
---@param n any
---@return integer
---@raise LogicError unless it is a positive integer
function M.length(what, name, n)
  local x = layout.whole(n)
  if not x or x < 1 then
    refuse(what, ("%s must be a positive integer, got %s"):format(name, x and ("%.0f"):format(x)
      or element.describe(n)))
  end
  if x > LONGEST then
    refuse(what, ("%s is %.0f; transforms have at most 2^39 elements along an axis"):format(name, x))
  end
  return x
end

local norms = { backward = true, ortho = true, forward = true }

-- What NumPy's users and others write for one of these.
local function near(norm)
  local found = type(norm) == "string" and core.near(norm, { "backward", "ortho", "forward" })
  return found and found[1] and ("; did you mean '%s'?"):format(found[1]) or ""
end

---The factor of a transform.
---@param what string
---@param norm any         "backward" by default
---@param n number         elements that are transformed
---@param inverse boolean
---@return number
---@raise LogicError for other norms
function M.scale(what, norm, n, inverse)
  if norm == nil then norm = "backward" end
  if not norms[norm] then
    refuse(what, ("norm must be 'backward', 'ortho' or 'forward', got %s%s"):format(type(norm) == "string" and
      "'" .. norm .. "'" or errors.text(norm), near(norm)))
  end
  if norm == "ortho" then return 1 / math.sqrt(n) end
  return (norm == "forward") ~= inverse and 1 / n or 1
end

---The axis that a transform is made along.
---@param what string
---@param a cudalua.gpuarray.Array
---@param axis any  default: the last one
---@return integer
function M.axis(what, a, axis) return layout.axis(what, axis == nil and -1 or axis, a._ndim) end

---The axes of a transform along several, and how many elements of each to transform.
---@param what string
---@param a cudalua.gpuarray.Array
---@param axes any   default: the last ones, as many as s has or as `count` says
---@param s any      default: the extents
---@param count integer
---@return integer[] axes
---@return integer[] lengths
---@raise LogicError for axes that are not there or come twice, and unless s has a positive integer for each
function M.several(what, a, axes, s, count)
  local lengths = s ~= nil and layout.numbers(what, "s", s, 1) or nil
  if axes ~= nil then
    axes = layout.numbers(what, "axes", axes, -2 ^ 53)
  else
    local last = lengths and #lengths or count
    if last > a._ndim then
      refuse(what, lengths and ("s has %d extents; the array has %d axes"):format(last, a._ndim) or
        ("it transforms %d axes; the array has %d"):format(last, a._ndim))
    end
    axes = {}
    for k = 1, last do axes[k] = a._ndim - last + k end
  end
  if #axes == 0 then refuse(what, "axes is an empty list; name at least one axis") end
  if lengths and #lengths ~= #axes then
    refuse(what, ("s has %d extents for %d axes"):format(#lengths, #axes))
  end
  local seen, list, given = {}, {}, {}
  for k, axis in ipairs(axes) do
    local at = layout.axis(what, axis, a._ndim)
    if seen[at] then refuse(what, ("axis %.0f appears twice"):format(axis)) end
    seen[at], list[k] = true, at
    given[k] = lengths and M.length(what, "an extent of s", lengths[k])
      or M.length(what, ("without the option s, the extent of axis %d"):format(at), a._shape[at])
  end
  return list, given
end

return M
