-- What the functions of cuda.image are given: pictures, kernels, boundaries, filters, sizes.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local inputs = require "cudalua.gpuarray.index.arguments"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local object = require "cudalua.gpuarray.core.object"
local storage = require "cudalua.gpuarray.core.storage"

local refuse = layout.refuse

local M = {}

-- ---- pictures -------------------------------------------------------------------------------------------------------

---A batch of pictures.
---@class cudalua.image.Picture
---@field outer integer   pictures
---@field height integer
---@field width integer
---@field inner integer   channels of a pixel, side by side in memory
---@field row integer     the axis of rows; columns are on the next one

---An array as pictures.
---@param what string
---@param a any
---@param options table  channels
---@return cudalua.image.Picture
---@raise LogicError if it is not an array, or has too few axes
function M.picture(what, a, options)
  local channels = layout.flag(what, options, "channels")
  object.check_array(what, a, "a")
  local n, shape = a._ndim, a._shape
  local row = n - (channels and 2 or 1)
  if row < 1 then
    refuse(what, ("a picture has %s, the array has %d ax%s"):format(channels and
      "rows, columns and channels with the option channels" or "rows and columns", n, n == 1 and "is" or "es"))
  end
  local p = { outer = 1, height = shape[row], width = shape[row + 1], inner = channels and shape[n] or 1, row = row }
  for k = 1, row - 1 do p.outer = p.outer * shape[k] end
  return p
end

---The shape of an array with other rows and columns.
---@param what string
---@param a cudalua.gpuarray.Array
---@param p cudalua.image.Picture
---@param height integer
---@param width integer
---@return integer[] shape
---@return integer size
function M.resized(what, a, p, height, width)
  local shape = { unpack(a._shape, 1, a._ndim) }
  shape[p.row], shape[p.row + 1] = height, width
  return shape, layout.size(what, shape, a._dtype.itemsize)
end

-- ---- choices --------------------------------------------------------------------------------------------------------

local function listed(names)
  return ("'%s' or '%s'"):format(table.concat(names, "', '", 1, #names - 1), names[#names])
end

local function one_of(what, name, x, names)
  for _, known in ipairs(names) do
    if x == known then return x end
  end
  local near = type(x) == "string" and core.near(x, names)
  refuse(what, ("%s must be %s, got %s%s"):format(name, listed(names), type(x) == "string" and "'" .. x .. "'" or
    errors.text(x), near and near[1] and ("; did you mean '%s'?"):format(near[1]) or ""))
end

local MODES = { "full", "same", "valid" }
local BOUNDARIES = { "constant", "edge", "reflect", "symmetric", "wrap" }

---Which part of a convolution is wanted.
---@param what string
---@param mode any
---@return string
function M.mode(what, mode) return mode == nil and "full" or one_of(what, "mode", mode, MODES) end

---The value outside an image.
---@param what string
---@param boundary any
---@return string
function M.boundary(what, boundary)
  return boundary == nil and "constant" or one_of(what, "boundary", boundary, BOUNDARIES)
end

---How a value between pixels is made.
---@param what string
---@param filter any
---@param names string[]
---@return string
function M.filter(what, filter, names) return filter == nil and "linear" or one_of(what, "filter", filter, names) end

---The element outside an image, as an array of one element.
---@param what string
---@param dtype cudalua.dtype.DType
---@param fill any
---@return cudalua.gpuarray.Array? fill  nil: none is given, it is 0
---@raise LogicError if it is not an element of that type
function M.fill(what, dtype, fill)
  if fill == nil then return nil end
  local _, why = dtype._check(fill)
  if why then refuse(what, "fill: " .. why) end
  return make.fill(what, storage.empty(dtype, { 1 }, 1), fill)
end

-- ---- kernels --------------------------------------------------------------------------------------------------------

---A kernel of a filter.
---@param what string
---@param name string
---@param kernel any      an array, or host data
---@param ndim integer    axes that it must have
---@param value cudalua.dtype.DType  the type of host data
---@return cudalua.gpuarray.Array
---@raise LogicError for other shapes, and if it is empty
function M.kernel(what, name, kernel, ndim, value)
  local k = inputs.any_array(what, name, kernel, value)
  if k._ndim ~= ndim then
    refuse(what, ("%s must have %s, got an array with %d"):format(name, ndim == 1 and "1 axis" or "2 axes, its rows " ..
      "and columns", k._ndim))
  end
  if k._size == 0 then refuse(what, name .. " has no elements") end
  if k._dtype.kind == "struct" then refuse(what, ("%s must have numbers, not %s"):format(name, k._dtype.name)) end
  return k
end

---The type that pictures are computed in: their own one, or float32 of integers and 16-bit floats.
---@param what string
---@param dtype cudalua.dtype.DType
---@param hint? string  what else to do with truth values and structs
---@return cudalua.dtype.DType
---@raise LogicError for truth values and structs
function M.value_of(what, dtype, hint)
  if dtype.kind == "bool" or dtype.kind == "struct" then
    refuse(what, ("pictures of %s cannot be filtered%s"):format(dtype.name, hint or
      dtype.kind == "bool" and "; convert the picture with astype 'uint8' or 'float32'" or ""))
  end
  local wide = dtype.kind == "complex" or dtype.kind == "float" and dtype.itemsize >= 4
  return wide and dtype or dtypes.float32
end

-- ---- numbers --------------------------------------------------------------------------------------------------------

---The size of a result.
---@param what string
---@param size any
---@return integer height
---@return integer width
---@raise LogicError unless it is a list of two non-negative integers
function M.size(what, size)
  if type(size) ~= "table" then
    refuse(what, "size must be a list { height, width }, got " .. element.describe(size))
  end
  local list = layout.integers(what, "size", size, 0)
  if #list ~= 2 then refuse(what, ("size must be a list { height, width }, got %d numbers"):format(#list)) end
  return list[1], list[2]
end

---An angle.
---@param what string
---@param degrees any
---@return number cosine
---@return number sine  both exact for multiples of 90
---@raise LogicError unless it is a finite number
function M.angle(what, degrees)
  local x = element.scalar(degrees)
  if type(x) ~= "number" or x ~= x or math.abs(x) == math.huge then
    refuse(what, "degrees must be a finite number, got " .. element.describe(degrees))
  end
  local turns = math.floor(x % 360 / 90 + 0.5)
  local rest = math.rad(x % 360 - 90 * turns)
  local c, s = math.cos(rest), math.sin(rest)
  turns = turns % 4
  if turns == 1 then return -s, c end
  if turns == 2 then return -c, -s end
  if turns == 3 then return s, -c end
  return c, s
end

return M
