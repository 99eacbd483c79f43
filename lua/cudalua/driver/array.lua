-- CUDA arrays and their descriptors, and host arrays made into them. Copies of rectangles of arrays: memcpy_box.lua.

local core = require "cudalua.core"
local constants = require "cudalua.base.constants"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
local texel = require "cudalua.driver.texel"

---@class cudalua
local M = {}

local number = host.plain_number

local FIELDS = {} -- key of the table with the fields

local function descriptor_class(name, fields)
  local mt = { __name = "cudalua." .. name, __metatable = false }
  local owner = { text = name, tables = { fields } }

  function mt:__index(key)
    local value = rawget(self, FIELDS)[key]
    if value ~= nil then return value end
    if type(key) ~= "string" then errors.raise("LogicError", ("%s has no field %s"):format(name, errors.text(key))) end
    return names.unknown(owner, key)
  end

  function mt:__newindex(key, value)
    if fields[key] == nil then
      errors.raise("LogicError", ("%s has no field %s"):format(name, errors.text(key)))
    end
    if key == "format" then
      value = constants.enum(name .. ": format", value, "array_format")
    elseif key == "flags" then
      value = constants.flags(name .. ": flags", value, "array3d_flags")
    end
    value = number(value)
    if type(value) ~= "number" or value < 0 or value ~= math.floor(value) or value > 2 ^ 53 then
      errors.raise("LogicError", ("%s.%s: expected an integer from 0 to 2^53, got %s"):format(name, key,
        errors.text(value)))
    end
    rawget(self, FIELDS)[key] = value
  end

  function mt:__tostring()
    local f = rawget(self, FIELDS)
    return ("cudalua.%s(%d x %d%s)"):format(name, f.width, f.height, f.depth and " x " .. f.depth or "")
  end

  local function new(init)
    local values = {}
    for key, default in pairs_of(fields) do values[key] = default end
    local d = setmetatable({ [FIELDS] = values }, mt)
    if init == nil then return d end
    if type(init) ~= "table" then
      errors.raise("LogicError", name .. ": expected a table of fields, got " .. type(init))
    end
    for key, value in pairs_of(init) do d[key] = value end
    return d
  end
  return setmetatable({}, { __call = function(_, init) return new(init) end })
end

local fields_2d = { width = 0, height = 0, format = 0x20, num_channels = 1 } -- 0x20: FLOAT
local fields_3d = { width = 0, height = 0, depth = 0, format = 0x20, num_channels = 1, flags = 0 }

---Describes a 1D or 2D CUDA array: `cuda.ArrayDescriptor{width = 4, height = 4, format = "float", num_channels = 1}`. A
---height of 0 means 1D; width and height are in elements; format is a value of cuda.array_format; num_channels is 1, 2
---or 4. You can set fields later. Raises a LogicError for unknown fields and invalid values.
---@class cudalua.ArrayDescriptor
---@field width integer  the width in elements
---@field height integer  the height in elements; 0: 1D
---@field format integer|string  cuda.array_format, or its name: "float"
---@field num_channels integer  1, 2 or 4
---@overload fun(fields?: table): cudalua.ArrayDescriptor
M.ArrayDescriptor = descriptor_class("ArrayDescriptor", fields_2d)

---Describes a CUDA array of up to 3 dimensions: as ArrayDescriptor, with depth (0: not a 3D array; the number of layers
---of a layered array, six faces for a cubemap) and flags of cuda.array3d_flags.
---@class cudalua.ArrayDescriptor3D
---@field width integer  the width in elements
---@field height integer  the height in elements; 0: 1D
---@field depth integer  0: not a 3D array; otherwise the depth, or the number of layers or faces
---@field format integer|string  cuda.array_format, or its name: "float"
---@field num_channels integer  1, 2 or 4
---@field flags integer         cuda.array3d_flags
---@overload fun(fields?: table): cudalua.ArrayDescriptor3D
M.ArrayDescriptor3D = descriptor_class("ArrayDescriptor3D", fields_3d)

---Memory in the driver's own layout, for textures and surfaces. `cuda.Array(descriptor)` allocates an array with
---undefined contents. Copy with Memcpy2D or Memcpy3D, or copy bytes of its first row with memcpy_htoa and related
---functions. Raises a LogicError for extents that do not fit together or exceed the device's limits.
---@class cudalua.Array
---@overload fun(descriptor: cudalua.ArrayDescriptor|cudalua.ArrayDescriptor3D): cudalua.Array
local Array = core.classes.Array
local describe = Array.describe
Array.describe = nil

---cuArrayGetDescriptor.
---@return cudalua.ArrayDescriptor  the description by the driver
---@raise LogicError after free()
function Array:get_descriptor()
  local width, height, _, format, channels = describe(self)
  return M.ArrayDescriptor{ width = width, height = height, format = format, num_channels = channels }
end

---cuArray3DGetDescriptor.
---@return cudalua.ArrayDescriptor3D  the description by the driver
---@raise LogicError after free()
function Array:get_descriptor_3d()
  local width, height, depth, format, channels, flags = describe(self)
  return M.ArrayDescriptor3D{ width = width, height = height, depth = depth, format = format, num_channels = channels,
    flags = flags }
end

---Returns its texels as a new host array, after all work of the legacy stream. The last axis is x, preceded by y and z
---or layers if the array has them. For several channels there is one more axis after x.
---@return cudalua.ndarray.Array  of the format's dtype
---@raise LogicError after free(), and for formats without a dtype, such as unorm_int8
function Array:get()
  local width, height, depth, format, channels = describe(self)
  local dtype = texel.dtype_of(format)
  if not dtype then
    errors.raise("LogicError", ("Array:get: no dtype matches texels of %s; copy their bytes with Memcpy3D"):format(
      texel.of(format).name))
  end
  local rows, planes, shape = math.max(height, 1), math.max(depth, 1), {}
  for _, n in ipairs { depth, height, width, channels > 1 and channels or 0 } do
    if n > 0 then shape[#shape + 1] = n end
  end
  local out = require("cudalua.ndarray").empty(shape, dtype)
  local copy, row = require("cudalua.driver.memcpy_box").Memcpy3D(), texel.bytes(format, channels) * width
  copy:set_src_array(self)
  copy:set_dst_host(out)
  copy.dst_pitch, copy.dst_height = row, rows
  copy.width_in_bytes, copy.height, copy.depth = row, rows, planes
  copy()
  return out
end

local function plain(where, descriptor)
  local fields = type(descriptor) == "table" and rawget(descriptor, FIELDS)
  if not fields then
    errors.raise("LogicError", ("%s: expected an ArrayDescriptor or an ArrayDescriptor3D, got %s"):format(where,
      type(descriptor)))
  end
  return { width = fields.width, height = fields.height, depth = fields.depth or 0, format = fields.format,
    num_channels = fields.num_channels, flags = fields.flags or 0, plain = fields.depth == nil }
end

-- Extents and flags that go together; the driver says only that something is wrong.
local function check_extents(where, d)
  local function refuse(text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end
  local layered, cube, gather = d.flags % 2 >= 1, d.flags % 8 >= 4, d.flags % 16 >= 8
  if cube and d.width ~= d.height then
    refuse("a cube map has square faces, got a width of %d and a height of %d", d.width, d.height)
  elseif cube and layered and (d.depth == 0 or d.depth % 6 ~= 0) then
    refuse("a layered cube map has 6 faces for each layer: depth must be a multiple of 6, got %d", d.depth)
  elseif cube and not layered and d.depth ~= 6 then
    refuse("a cube map has 6 faces: depth must be 6, got %d", d.depth)
  elseif layered and d.depth == 0 then
    refuse "a layered array has depth layers, got a depth of 0"
  elseif d.depth > 0 and d.height == 0 and not layered then
    refuse("an array with a depth of %d needs a height, too; layers of one dimension need the flag " ..
      "\"layered\"", d.depth)
  elseif gather and (d.height == 0 or d.depth > 0 or layered) then
    refuse "tex2Dgather reads 2D arrays: the flag \"texture_gather\" needs a height and no depth"
  end
  return d
end

local function make(descriptor) return core.array(check_extents("Array", plain("Array", descriptor))) end

M.Array = setmetatable({}, { __index = Array, __call = function(_, descriptor) return make(descriptor) end })

---An array with smaller arrays, its levels, each with half the extents of the previous one, for textures that are read
---at several sizes. `cuda.MipmappedArray(descriptor, levels)` allocates one with undefined contents. `levels` is
---limited to what the extents allow, down to one texel; default: all levels. Raises a LogicError as Array does.
---@class cudalua.MipmappedArray
---@overload fun(descriptor: cudalua.ArrayDescriptor3D, levels?: integer): cudalua.MipmappedArray
local MipmappedArray = core.classes.MipmappedArray
local describe_mipmap = MipmappedArray.describe
MipmappedArray.describe = nil

---Returns the descriptor that it was created from.
---@return cudalua.ArrayDescriptor3D  of level 0
---@raise LogicError after free()
function MipmappedArray:get_descriptor_3d()
  local width, height, depth, format, channels, flags = describe_mipmap(self)
  return M.ArrayDescriptor3D{ width = width, height = height, depth = depth, format = format, num_channels = channels,
    flags = flags }
end

M.MipmappedArray = setmetatable({}, { __index = MipmappedArray, __call = function(_, descriptor, levels)
  if levels == nil then levels = 64 end -- more than there can be
  return core.mipmap(check_extents("MipmappedArray", plain("MipmappedArray", descriptor)), number(levels))
end })

---Copies device memory into an array.
---@param ary cudalua.Array  the destination array
---@param index integer  byte offset in its first row
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the source
---@param len integer  the number of bytes
---@raise LogicError if the range exceeds the memory
function M.memcpy_dtoa(ary, index, src, len) core.memcpy_dtoa(ary, number(index), host.device(src), number(len)) end

---Copies from an array into device memory.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the destination
---@param ary cudalua.Array  the source array
---@param index integer  byte offset in its first row
---@param len integer  the number of bytes
---@raise LogicError if the range exceeds the memory
function M.memcpy_atod(dest, ary, index, len) core.memcpy_atod(host.device(dest), ary, number(index), number(len)) end

---Copies a host buffer into an array.
---@param ary cudalua.Array  the destination array
---@param index integer  byte offset in its first row
---@param src any        as for memcpy_htod
---@raise LogicError if the range exceeds the memory
function M.memcpy_htoa(ary, index, src)
  local slot, n, owner = host.host_buffer("memcpy_htoa: src", src)
  core.memcpy_htoa(ary, number(index), slot, n, owner)
end

---Fills a host buffer from a CUDA array.
---@param dest any       as for memcpy_dtoh
---@param ary cudalua.Array  the source array
---@param index integer  byte offset in its first row
---@raise LogicError if the range exceeds the memory
function M.memcpy_atoh(dest, ary, index)
  local slot, n, owner = host.host_buffer("memcpy_atoh: dest", dest, nil, true)
  core.memcpy_atoh(slot, ary, number(index), n, owner)
end

---Copies between arrays.
---@param dest cudalua.Array  the destination array
---@param dest_index integer  byte offset in its first row
---@param src cudalua.Array  the source array
---@param src_index integer   byte offset in its first row
---@param len integer  the number of bytes
---@raise LogicError if the range exceeds the memory
function M.memcpy_atoa(dest, dest_index, src, src_index, len)
  core.memcpy_atoa(dest, number(dest_index), src, number(src_index), number(len))
end

---Returns the array format for elements of a dtype.
---@param dtype any  as for dtype.of
---@return integer  a value of cuda.array_format
---@raise LogicError if no format has such elements
function M.dtype_to_array_format(dtype)
  local d = require("cudalua.dtype").of(dtype)
  local format, channels = texel.of_dtype(d)
  if not format or channels > 1 then
    errors.raise("LogicError", "dtype_to_array_format: CUDA arrays do not support the dtype " .. d.name)
  end
  return format
end

-- Dtypes that an array holds as several channels of 32 bits.
local split = { complex64 = { "FLOAT", 2 }, float64 = { "SIGNED_INT32", 2 }, complex128 = { "SIGNED_INT32", 4 } }

local function format_of(where, dtype, allow_double_hack)
  local parts = split[dtype.name]
  if parts and (dtype.name == "complex64" or allow_double_hack) then
    return constants.enum(where, parts[1], "array_format"), parts[2]
  end
  if parts then
    errors.raise("LogicError", ("%s: textures cannot read %s; with allow_double_hack its words become int32 channels")
      :format(where, dtype.name))
  end
  local format, channels = texel.of_dtype(dtype)
  if format then return format, channels end
  errors.raise("LogicError", ("%s: CUDA arrays do not support the dtype %s"):format(where, dtype.name))
end

local is_device = require("cudalua.driver.launch").is_array

local function check_array(where, ary)
  if not is_device(ary) and not require("cudalua.ndarray").is_array(ary) then
    errors.raise("LogicError", where .. ": expected a host array or a gpuarray, got " .. errors.text(ary))
  end
end

-- The elements of ary with x as their dense axis, and the extents x, y, z. C: the last axis is x; F: the first is.
local function oriented(where, ary, order, axes)
  if order ~= "C" and order ~= "F" then
    local given = type(order) == "table" and "; order is an argument of its own and comes before the options" or ""
    errors.raise("LogicError", where .. ": order must be 'C' or 'F', got " .. errors.text(order) .. given)
  end
  local shape, extents = ary.shape, {}
  for i = 1, axes do extents[i] = order == "C" and shape[#shape + 1 - i] or shape[#shape - axes + i] end
  local dense = ary.flags[order == "C" and "c_contiguous" or "f_contiguous"]
  return dense and ary or ary:copy(order), extents[1], extents[2], extents[3]
end

-- A copy from the device goes into the current stream, where the array was computed.
local function fill(where, array, source, row_bytes, height, depth)
  if row_bytes == 0 or height == 0 or depth == 0 then return array end
  local copy = require("cudalua.driver.memcpy_box").Memcpy3D()
  if is_device(source) then
    copy:set_src_device(hooks.array_memory(where, source).buf)
  else
    copy:set_src_host(source)
  end
  copy:set_dst_array(array)
  copy.src_pitch, copy.src_height = row_bytes, height
  copy.width_in_bytes, copy.height, copy.depth = row_bytes, height, depth
  if is_device(source) then copy(core.current_stream()) else copy() end
  return array
end

---matrix_to_array() for another function, whose name error messages show: see texref.lua.
---@param where string
---@param matrix cudalua.ndarray.Array|cudalua.gpuarray.Array
---@param order "C"|"F"
---@param allow_double_hack? boolean
---@return cudalua.Array
function M._of_matrix(where, matrix, order, allow_double_hack)
  check_array(where, matrix)
  if matrix.ndim ~= 2 then
    errors.raise("LogicError", ("%s: expected 2 axes, got %d"):format(where, matrix.ndim))
  end
  local format, channels = format_of(where, matrix.dtype, allow_double_hack)
  local source, width, height = oriented(where, matrix, order, 2)
  local array = make(M.ArrayDescriptor{ width = width, height = height, format = format, num_channels = channels })
  return fill(where, array, source, width * matrix.dtype.itemsize, height, 1)
end

---Returns a 2D CUDA array with the elements of an array with two axes.
---@param matrix cudalua.ndarray.Array|cudalua.gpuarray.Array  an array with two axes
---@param order "C"|"F"  C: tex2D(x, y) is matrix[y][x]; F: it is matrix[x][y] (0-based)
---@param opts? {allow_double_hack: boolean?}  allow_double_hack: store float64 and complex128 as int32 channels, two
---  for each double
---@return cudalua.Array
---@raise LogicError for another rank or dtype
function M.matrix_to_array(matrix, order, opts)
  opts = errors.options("matrix_to_array", opts, { allow_double_hack = true })
  return M._of_matrix("matrix_to_array", matrix, order, opts.allow_double_hack)
end

---Returns a 2D CUDA array with several channels and the elements of an array with three axes.
---@param ary cudalua.ndarray.Array|cudalua.gpuarray.Array  an array with three axes
---@param order "C"|"F"  C: shape {height, width, channels}; F: shape {channels, width, height}
---@return cudalua.Array
---@raise LogicError for another rank or dtype, or if there are not 1, 2 or 4 channels
function M.make_multichannel_2d_array(ary, order)
  local where = "make_multichannel_2d_array"
  check_array(where, ary)
  if ary.ndim ~= 3 then errors.raise("LogicError", ("%s: expected 3 axes, got %d"):format(where, ary.ndim)) end
  local source, channels, width, height = oriented(where, ary, order, 3)
  local format, of_element = format_of(where, ary.dtype)
  if of_element > 1 then
    errors.raise("LogicError", ("%s: the elements of %s are several channels already"):format(where, ary.dtype.name))
  end
  local array = make(M.ArrayDescriptor{ width = width, height = height, num_channels = channels, format = format })
  return fill(where, array, source, width * channels * ary.dtype.itemsize, height, 1)
end

local function to_array(where, ary, order, opts)
  opts = errors.options(where, opts, { allow_surface_bind = true, allow_double_hack = true })
  local rank = ary.ndim
  if rank < 1 or rank > 3 then
    errors.raise("LogicError", ("%s: expected 1 to 3 axes, got %d"):format(where, rank))
  end
  local format, channels = format_of(where, ary.dtype, opts.allow_double_hack == nil or opts.allow_double_hack)
  local source, width, height, depth = oriented(where, ary, order, rank)
  local array = make(M.ArrayDescriptor3D{ width = width, height = height or 0, depth = depth or 0, format = format,
    num_channels = channels, flags = opts.allow_surface_bind and "SURFACE_LDST" or 0 })
  return fill(where, array, source, width * ary.dtype.itemsize, height or 1, depth or 1)
end

---Returns a 1D, 2D or 3D CUDA array with the elements of an array.
---@param ary cudalua.ndarray.Array|cudalua.gpuarray.Array  an array with 1 to 3 axes
---@param order "C"|"F"  C: the last axis is x; F: the first axis is x
---@param opts? {allow_surface_bind: boolean?, allow_double_hack: boolean?}  allow_surface_bind: as for
---  gpuarray_to_array; allow_double_hack: as for gpuarray_to_array
---@return cudalua.Array
---@raise LogicError for another rank or dtype
function M.np_to_array(ary, order, opts)
  check_array("np_to_array", ary)
  return to_array("np_to_array", ary, order, opts)
end

---Returns a 1D, 2D or 3D CUDA array with the elements of an array on the device, copied in the current stream. The
---device array is computed and keeps its memory, as with `gpudata`.
---@param ary cudalua.gpuarray.Array  an array with 1 to 3 axes
---@param order? "C"|"F"  C (default): the last axis is x; F: the first axis is x
---@param opts? {allow_surface_bind: boolean?, allow_double_hack: boolean?}  allow_surface_bind: make the array usable
---  for surfaces, too; allow_double_hack: store float64 and complex128 as int32 channels, two for each double; default
---  true
---@return cudalua.Array
---@raise LogicError for another rank or dtype, and if the memory was released
function M.gpuarray_to_array(ary, order, opts)
  if not is_device(ary) then
    errors.raise("LogicError", "gpuarray_to_array: expected a gpuarray, got " .. errors.text(ary))
  end
  return to_array("gpuarray_to_array", ary, order == nil and "C" or order, opts)
end

return M
