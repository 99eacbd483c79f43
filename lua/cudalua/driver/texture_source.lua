-- What a texture reads: an array, a mipmapped array, linear memory or rows in memory, with its format and extents.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local pairs_of = require "cudalua.base.pairs_of"
local texel = require "cudalua.driver.texel"

local M = {}

local floor = math.floor

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

---What a texture reads.
---@class cudalua.TextureSource
---@field kind "array"|"mipmap"|"linear"|"pitch2d"
---@field object userdata           Array, MipmappedArray, or memory
---@field format integer            of cuda.array_format
---@field num_channels integer
---@field width integer?            texels
---@field height integer?
---@field depth integer?
---@field flags integer             of an array
---@field levels integer            1, but of mipmapped arrays
---@field pitch integer?            bytes from row to row, of pitch2d
---@field bytes integer?            of linear

local function attribute(name) return core.classes.Context.get_device():get_attribute(name) end

---@param where string  the function, for messages
---@param array any
---@return cudalua.TextureSource
---@raise LogicError if it is not an array
function M.of_array(where, array)
  if hooks.array_memory and type(array) == "table" and not core.kind(array) and hooks.array_memory(where, array) then
    refuse(where, "array: expected a cuda.Array, got an array of the device: convert it with gpuarray_to_array(a), " ..
      "or read it in place with linear = a or pitch2d = a")
  end
  if core.kind(array) ~= "Array" then refuse(where, "array: expected a cuda.Array, got %s", errors.text(array)) end
  local d = array:get_descriptor_3d()
  return { kind = "array", object = array, format = d.format, num_channels = d.num_channels, width = d.width,
    height = d.height, depth = d.depth, flags = d.flags, levels = 1 }
end

local function of_mipmap(where, mipmap)
  if core.kind(mipmap) ~= "MipmappedArray" then
    refuse(where, "mipmap: expected a MipmappedArray, got %s", errors.text(mipmap))
  end
  local d = mipmap:get_descriptor_3d()
  return { kind = "mipmap", object = mipmap, format = d.format, num_channels = d.num_channels, width = d.width,
    height = d.height, depth = d.depth, flags = d.flags, levels = mipmap:levels() }
end

---An integer from `low` on.
---@param where string
---@param name string  what the option is called
---@param x any
---@param low integer
---@return integer
local function whole(where, name, x, low)
  x = host.plain_number(x)
  if type(x) ~= "number" or x ~= floor(x) or x < low or x > 2 ^ 53 then
    refuse(where, "%s must be an integer of at least %d, got %s", name, low, errors.text(x))
  end
  return x
end

M.whole = whole

-- The format of memory: as the options say, else as the dtype of its elements.
local function format_of(where, key, options, dtype)
  local format, channels
  if dtype then format, channels = texel.of_dtype(dtype) end
  local given = options.format
  if given ~= nil then
    format, channels = texel.read(where .. ": format", given), 1
  elseif not format then
    refuse(where, dtype and "%s: textures cannot read elements of the dtype %s; set format and num_channels to read " ..
      "them as others" or "%s: the format of the memory is not known; pass format = \"float\" or another one",
      key, dtype and dtype.name)
  end
  if options.num_channels ~= nil then channels = texel.read_channels(where, host.plain_number(options.num_channels)) end
  if texel.bytes(format, channels) == 0 then
    refuse(where, "%s: memory cannot have the format %s; use an array", key, texel.of(format).name)
  end
  return format, channels
end

local function is_memory(x)
  local kind = type(x) == "userdata" and core.kind(x)
  return kind and rawget(core.classes[kind], "ptr") ~= nil
end

-- {ptr =, bytes =}
local function of_table(where, key, value)
  for name in pairs_of(value) do
    if name ~= "ptr" and name ~= "bytes" then
      refuse(where, "%s: memory is {ptr =, bytes =}, got the key %s", key, errors.text(name))
    end
  end
  local bytes, p = whole(where, key .. ".bytes", value.bytes, 1), host.device(value.ptr)
  if type(p) == "number" then p = core.pointer(whole(where, key .. ".ptr", p, 1)) end
  if not is_memory(p) then
    refuse(where, "%s.ptr: expected device memory or an address, got %s", key, errors.text(value.ptr))
  end
  if #p > 0 and bytes > #p then
    refuse(where, "%s.bytes: %d bytes do not fit in %d bytes of device memory", key, bytes, #p)
  end
  return p, bytes
end

-- The memory that an option names: an object for C, its bytes, and what an array knows of it.
local function memory_of(where, key, value)
  local array = hooks.array_memory(where, value)
  if array then
    if not array.buf then refuse(where, "%s: the array has no elements", key) end
    return array.buf, #array.buf, array
  end
  if type(value) == "table" and getmetatable(value) == nil then return of_table(where, key, value) end
  local memory = host.device(value)
  if not is_memory(memory) then
    refuse(where, "%s: expected a gpuarray, device memory or {ptr =, bytes =}, got %s", key, errors.text(value))
  end
  memory:ptr() -- raises if it was freed
  if #memory == 0 then
    refuse(where, "%s: the size of a bare address is not known; pass {ptr =, bytes =}", key)
  end
  return memory, #memory
end

local function check_alignment(where, key, memory)
  local alignment, address = attribute "texture_alignment", memory:ptr()
  if address % alignment == 0 then return end
  refuse(where, "%s: the address 0x%x is %d bytes past a multiple of %d, which textures need (texture_alignment); " ..
    "copy() the array, or use the offset that TextureReference:set_address() " ..
    "returns", key, address, address % alignment,
    alignment)
end

local function of_linear(where, options)
  local memory, bytes, array = memory_of(where, "linear", options.linear)
  if array and not array.dense then
    refuse(where, "linear: the array is not contiguous; copy it with copy()")
  end
  local format, channels = format_of(where, "linear", options, array and array.dtype)
  if array then
    bytes = array.dtype.itemsize
    for _, n in ipairs(array.shape) do bytes = bytes * n end
  end
  local size = texel.bytes(format, channels)
  local texels, most = floor(bytes / size), attribute "maximum_texture1d_linear_width"
  if texels == 0 then refuse(where, "linear: %d bytes are too few for a texel of %d", bytes, size) end
  if texels > most then
    refuse(where, "linear: %d texels are more than the %d that the device reads (maximum_texture1d_linear_width)",
      texels, most)
  end
  check_alignment(where, "linear", memory)
  return { kind = "linear", object = memory, format = format, num_channels = channels, width = texels, height = 0,
    depth = 0, flags = 0, levels = 1, bytes = texels * size }
end

-- The rows of an array of two axes, or of three axes with the channels last.
local function rows_of(where, array, options)
  local shape, strides, itemsize = array.shape, array.strides, array.dtype.itemsize
  local own = options.num_channels == nil and options.format == nil and #shape == 3
  if own and (shape[3] == 1 or shape[3] == 2 or shape[3] == 4) and strides[3] == itemsize and
    strides[2] == itemsize * shape[3] then
    local format, channels = texel.of_dtype(array.dtype)
    if format and channels == 1 then return shape[2], shape[1], strides[1], format, shape[3] end
  end
  if #shape ~= 2 then
    refuse(where, "pitch2d: expected an array of 2 axes, or of 3 axes with 1, 2 or 4 channels in the last, got %s",
      ("one of %d"):format(#shape))
  end
  if strides[2] ~= itemsize and shape[2] ~= 1 then
    refuse(where, "pitch2d: the elements of a row are not contiguous; copy() the array, or convert it to a CUDA " ..
      "array with gpuarray_to_array()")
  end
  local format, channels = format_of(where, "pitch2d", options, array.dtype)
  local size = texel.bytes(format, channels)
  local width = shape[2] * itemsize / size
  if width ~= floor(width) then
    refuse(where, "pitch2d: rows of %d bytes are not a whole number of texels of %d", shape[2] * itemsize, size)
  end
  return width, shape[1], strides[1], format, channels
end

local function of_pitch2d(where, options)
  local memory, bytes, array = memory_of(where, "pitch2d", options.pitch2d)
  local s = { kind = "pitch2d", object = memory, depth = 0, flags = 0, levels = 1 }
  if array then
    s.width, s.height, s.pitch, s.format, s.num_channels = rows_of(where, array, options)
    if s.height == 1 then s.pitch = nil end -- the stride of an axis of one element says nothing
  else
    s.format, s.num_channels = format_of(where, "pitch2d", options)
  end
  if options.width ~= nil then s.width = whole(where, "width", options.width, 1) end
  if options.height ~= nil then s.height = whole(where, "height", options.height, 1) end
  if options.pitch ~= nil then s.pitch = whole(where, "pitch", options.pitch, 1) end
  if not s.width or not s.height then
    refuse(where, "pitch2d: the number of rows and of texels in each is not known; pass width and height")
  end
  local row, step = s.width * texel.bytes(s.format, s.num_channels), attribute "texture_pitch_alignment"
  s.row = row
  s.pitch = s.pitch or s.height == 1 and math.ceil(row / step) * step or row
  local remedy = array and "; for any dtype use a CUDA array: " ..
    "gpuarray_to_array()" or "; allocate it with mem_alloc_pitch()"
  if s.pitch < row then
    refuse(where, "pitch2d: the pitch of %d bytes is less than a row of %d", s.pitch, row)
  end
  if s.pitch % step ~= 0 then
    refuse(where, "pitch2d: the pitch of %d bytes is not a multiple of %d (texture_pitch_alignment)%s", s.pitch, step,
      remedy)
  end
  if (s.height - 1) * s.pitch + row > bytes then
    refuse(where, "pitch2d: %d rows of %d bytes, %d bytes apart, do not fit in %d bytes", s.height, row, s.pitch, bytes)
  end
  for name, value in pairs_of({ width = s.width, height = s.height, pitch = s.pitch }) do
    local most = attribute("maximum_texture2d_linear_" .. name)
    if value > most then
      refuse(where, "pitch2d: the %s of %d is above the device's limit of %d (maximum_texture2d_linear_%s)", name,
        value, most, name)
    end
  end
  check_alignment(where, "pitch2d", memory)
  return s
end

local SOURCES = { "array", "mipmap", "linear", "pitch2d" }

---What the options of a texture say that it reads.
---@param where string
---@param options cudalua.TextureOptions
---@return cudalua.TextureSource
---@raise LogicError if nothing or several things are given, for memory that does not fit or is not aligned
function M.read(where, options)
  local found
  for _, key in ipairs(SOURCES) do
    if options[key] ~= nil and found then refuse(where, "a texture reads one source, got %s and %s", found, key) end
    if options[key] ~= nil then found = key end
  end
  if not found then refuse(where, "the source is missing: pass one of array, mipmap, linear and pitch2d") end
  local s
  if found == "array" then
    s = M.of_array(where, options.array)
  elseif found == "mipmap" then
    s = of_mipmap(where, options.mipmap)
  elseif found == "linear" then
    s = of_linear(where, options)
  else
    s = of_pitch2d(where, options)
  end
  local about = { format = "linear pitch2d", num_channels = "linear pitch2d", width = "pitch2d", height = "pitch2d",
    pitch = "pitch2d" }
  for key, kinds in pairs_of(about) do
    if options[key] ~= nil and not kinds:find(found, 1, true) then
      refuse(where, "option %s applies only to memory; %s", key, found == "linear" and "linear memory has no rows"
        or "an array has its own, and view = { format = } reads it as another")
    end
  end
  return s
end

local LAYERED, CUBEMAP = 1, 4 -- of array3d_flags

---@param s cudalua.TextureSource
---@return boolean
function M.is_layered(s) return s.flags % (2 * LAYERED) >= LAYERED end

---@param s cudalua.TextureSource
---@return boolean
function M.is_cube(s) return s.flags % (2 * CUBEMAP) >= CUBEMAP end

return M
