-- TextureObject: what a texture reads and how, checked here, because the driver takes combinations without a word that
-- then read something else. src/cudalua/memory/texture.c makes it.

local core = require "cudalua.core"
local constants = require "cudalua.base.constants"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local notice = require "cudalua.base.notice"
local pairs_of = require "cudalua.base.pairs_of"
local texel = require "cudalua.driver.texel"

local M = {}

local WHERE = "TextureObject"
local floor = math.floor

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

local LAYERED, SURFACE, CUBEMAP = 1, 2, 4 -- of array3d_flags

-- ---- what is read ---------------------------------------------------------------------------------------------------

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

local function of_array(where, array)
  if core.kind(array) ~= "Array" then refuse(where, "array: expected an Array, got %s", errors.text(array)) end
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

local function whole(where, name, x, low)
  x = host.plain_number(x)
  if type(x) ~= "number" or x ~= floor(x) or x < low or x > 2 ^ 53 then
    refuse(where, "%s must be an integer from %d on, got %s", name, low, errors.text(x))
  end
  return x
end

-- The format of memory: as the options say, else as the dtype of its elements.
local function format_of(where, key, options, dtype)
  local format, channels
  if dtype then format, channels = texel.of_dtype(dtype) end
  local given = options.format
  if given ~= nil then
    format, channels = texel.read(where .. ": format", given), 1
  elseif not format then
    refuse(where, dtype and "%s: textures do not read elements of the dtype %s; format and num_channels say what to " ..
      "read them as" or "%s: nothing says what the memory has in it: give format = \"float\" or another one",
      key, dtype and dtype.name)
  end
  if options.num_channels ~= nil then channels = texel.read_channels(where, host.plain_number(options.num_channels)) end
  if texel.bytes(format, channels) == 0 then
    refuse(where, "%s: memory has no texels of the format %s; only arrays have", key, texel.of(format).name)
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
    refuse(where, "%s: the size of a bare address is not known: {ptr =, bytes =} says it", key)
  end
  return memory, #memory
end

local function check_alignment(where, key, memory)
  local alignment, address = attribute "texture_alignment", memory:ptr()
  if address % alignment == 0 then return end
  refuse(where, "%s: the address 0x%x is %d bytes behind a multiple of %d, which textures need (texture_alignment); " ..
    "copy() an array, or let TextureReference:set_address() give the offset", key, address, address % alignment,
    alignment)
end

local function of_linear(where, options)
  local memory, bytes, array = memory_of(where, "linear", options.linear)
  if array and not array.dense then
    refuse(where, "linear: the elements of the array do not lie one behind the other in memory: copy() it")
  end
  local format, channels = format_of(where, "linear", options, array and array.dtype)
  if array then
    bytes = array.dtype.itemsize
    for _, n in ipairs(array.shape) do bytes = bytes * n end
  end
  local size = texel.bytes(format, channels)
  local texels, most = floor(bytes / size), attribute "maximum_texture1d_linear_width"
  if texels == 0 then refuse(where, "linear: %d bytes have no texel of %d", bytes, size) end
  if texels > most then
    refuse(where, "linear: %d texels are more than the %d that the device reads (maximum_texture1d_linear_width)",
      texels, most)
  end
  check_alignment(where, "linear", memory)
  return { kind = "linear", object = memory, format = format, num_channels = channels, width = texels, height = 0,
    depth = 0, flags = 0, levels = 1, bytes = texels * size }
end

-- The rows of an array of two axes, or of three, the last of which are the channels.
local function rows_of(where, array, options)
  local shape, strides, itemsize = array.shape, array.strides, array.dtype.itemsize
  local own = options.num_channels == nil and options.format == nil and #shape == 3
  if own and (shape[3] == 1 or shape[3] == 2 or shape[3] == 4) and strides[3] == itemsize and
    strides[2] == itemsize * shape[3] then
    local format, channels = texel.of_dtype(array.dtype)
    if format and channels == 1 then return shape[2], shape[1], strides[1], format, shape[3] end
  end
  if #shape ~= 2 then
    refuse(where, "pitch2d: expected an array of 2 axes, or of 3 of which the last has 1, 2 or 4 channels, got %s",
      ("one of %d"):format(#shape))
  end
  if strides[2] ~= itemsize and shape[2] ~= 1 then
    refuse(where, "pitch2d: the elements of a row do not lie one behind the other in memory: copy() the array, or " ..
      "make a CUDA array of it with gpuarray_to_array()")
  end
  local format, channels = format_of(where, "pitch2d", options, array.dtype)
  local size = texel.bytes(format, channels)
  local width = shape[2] * itemsize / size
  if width ~= floor(width) then
    refuse(where, "pitch2d: rows of %d bytes have no whole number of texels of %d", shape[2] * itemsize, size)
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
    refuse(where, "pitch2d: nothing says how many rows the memory has, and of how many texels: give width and height")
  end
  local row, step = s.width * texel.bytes(s.format, s.num_channels), attribute "texture_pitch_alignment"
  s.row = row
  s.pitch = s.pitch or s.height == 1 and math.ceil(row / step) * step or row
  local remedy = array and "; a CUDA array takes any: gpuarray_to_array()" or "; mem_alloc_pitch() gives such memory"
  if s.pitch < row then
    refuse(where, "pitch2d: the pitch of %d bytes is less than a row of %d", s.pitch, row)
  end
  if s.pitch % step ~= 0 then
    refuse(where, "pitch2d: the pitch of %d bytes is no multiple of %d (texture_pitch_alignment)%s", s.pitch, step,
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

local function read_source(where, options)
  local found
  for _, key in ipairs(SOURCES) do
    if options[key] ~= nil and found then refuse(where, "it reads one thing: %s and %s are given", found, key) end
    if options[key] ~= nil then found = key end
  end
  if not found then refuse(where, "nothing to read is given: one of array, mipmap, linear and pitch2d") end
  local s
  if found == "array" then
    s = of_array(where, options.array)
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
      refuse(where, "option %s is about memory; %s", key, found == "linear" and "linear memory has no rows"
        or "an array has its own, and view = { format = } reads it as another")
    end
  end
  return s
end

-- ---- views ----------------------------------------------------------------------------------------------------------

local view_keys = { format = true, width = true, height = true, depth = true, first_level = true, last_level = true,
  first_layer = true, last_layer = true }

local function is_layered(s) return s.flags % 2 >= LAYERED end
local function is_cube(s) return s.flags % 8 >= CUBEMAP end

-- The view as C takes it, and the format that the texture then reads.
local function read_view(where, s, view)
  if view == nil then return nil end
  where = where .. ": view"
  if s.kind == "linear" or s.kind == "pitch2d" then
    refuse(where, "memory has no views; format and num_channels say how it is read")
  end
  view = errors.options(where, view, view_keys)
  local last_layer = is_layered(s) and math.max(s.depth, 1) - 1 or 0
  local v = { format = 0, width = s.width, height = s.height, depth = s.depth, first_level = 0,
    last_level = s.levels - 1, first_layer = 0, last_layer = last_layer }
  local format
  if view.format ~= nil then
    v.format = constants.enum(where .. ": format", view.format, "resource_view_format")
    format = texel.of_view(v.format)
  end
  local blocks = format and format.kind == "block"
  if format and not blocks then
    local mine, own = format.bits / 8 * format.channels, texel.bytes(s.format, s.num_channels)
    if mine ~= own then
      refuse(where, "texels of the format %s have %d bytes, those of the array %d", format.name, mine, own)
    end
  end
  if blocks then v.width, v.height = 4 * s.width, 4 * s.height end
  for key in pairs_of(view_keys) do
    if view[key] ~= nil and key ~= "format" then v[key] = whole(where, key, view[key], 0) end
  end
  for _, key in ipairs { "width", "height", "depth" } do
    local must = (blocks and key ~= "depth" and 4 or 1) * s[key]
    if v[key] ~= must then
      refuse(where, "%s must be the array's, %d%s, got %d", key, must, blocks and key ~= "depth" and " in texels" or "",
        v[key])
    end
  end
  for what, last in pairs_of({ level = s.levels - 1, layer = last_layer }) do
    local from, to = v["first_" .. what], v["last_" .. what]
    if from > to or to > last then
      refuse(where, "%ss %d to %d are not among those of the array, 0 to %d", what, from, to, last)
    end
  end
  return v, format
end

-- ---- how it is read -------------------------------------------------------------------------------------------------

local function bool(where, options, key)
  local value = options[key]
  if value ~= nil and type(value) ~= "boolean" then
    refuse(where, "%s must be true or false, got %s", key, errors.text(value))
  end
  return value
end

-- "clamp", or a list of one for each axis; axes that are left out are clamped.
local function read_address(where, address)
  local CLAMP = constants.lookup("address_mode").CLAMP
  if address == nil then return { CLAMP, CLAMP, CLAMP } end
  if type(address) ~= "table" then
    local mode = constants.enum(where .. ": address", address, "address_mode")
    return { mode, mode, mode }
  end
  local list = {}
  for key in pairs_of(address) do
    if type(key) ~= "number" or key < 1 or key > 3 or key ~= floor(key) then
      refuse(where, "address must be a mode or a list of up to 3, got the key %s", errors.text(key))
    end
  end
  for i = 1, 3 do
    list[i] = address[i] == nil and CLAMP or constants.enum(("%s: address[%d]"):format(where, i), address[i],
      "address_mode")
  end
  return list
end

local function number(where, name, x)
  x = host.plain_number(x)
  if type(x) ~= "number" or x ~= x then refuse(where, "%s must be a number, got %s", name, errors.text(x)) end
  return x
end

local function read_border(where, border)
  if border == nil then return { 0, 0, 0, 0 } end
  if type(border) ~= "table" then
    border = number(where, "border", border)
    return { border, border, border, border }
  end
  local list = {}
  for key in pairs_of(border) do
    if type(key) ~= "number" or key < 1 or key > 4 or key ~= floor(key) then
      refuse(where, "border must be a number or a list of up to 4, one for each channel, got the key %s",
        errors.text(key))
    end
  end
  for i = 1, 4 do list[i] = border[i] == nil and 0 or number(where, ("border[%d]"):format(i), border[i]) end
  return list
end

-- Does a read give floats? Sets the flag of the driver.
local function read_mode(where, format, options)
  local read, srgb = options.read, bool(where, options, "srgb")
  if read ~= nil and read ~= "element" and read ~= "normalized" then
    refuse(where, "read must be \"element\" or \"normalized\", got %s", errors.text(read))
  end
  local small = (format.kind == "unsigned" or format.kind == "signed") and format.bits < 32
  local always = format.kind == "norm" or format.kind == "block"
  if srgb and not (format.kind == "unsigned" and format.bits == 8) then
    refuse(where, "srgb: only texels of unsigned_int8 are in sRGB, these are of %s", format.name)
  end
  if srgb and read == "element" then
    refuse(where, "srgb decodes to floats, which read = \"element\" does not give: leave it out")
  end
  if srgb then read = "normalized" end
  if read == "normalized" and not small and not always then
    refuse(where, "read = \"normalized\" is for integers of 8 and 16 bits, the texels are of %s", format.name)
  end
  if read == "element" and always then
    refuse(where, "read = \"element\": texels of %s are always read as floats", format.name)
  end
  local integers = (format.kind == "unsigned" or format.kind == "signed") and read ~= "normalized"
  return integers, srgb
end

-- Linear memory is read with tex1Dfetch, which takes a whole number, and nothing is between its texels.
local no_use = { "filter", "address", "normalized", "border", "max_anisotropy", "mip_filter", "mip_bias", "mip_clamp",
  "seamless", "trilinear" }

local function check_linear(where, options)
  for _, key in ipairs(no_use) do
    if options[key] ~= nil then
      refuse(where, "option %s has no effect on linear memory, which tex1Dfetch() reads by number; a CUDA array " ..
        "takes it", key)
    end
  end
end

local warned = false

-- The driver clamps then, without a word.
local function check_address(where, address, normalized)
  local modes = constants.lookup "address_mode"
  for i = 1, 3 do
    local mode = address[i]
    if not normalized and not warned and (mode == modes.WRAP or mode == modes.MIRROR) then
      warned = true
      notice(("%s: address = \"%s\" works with normalized coordinates only, and is clamp without them: " ..
        "normalized = true"):format(where, mode == modes.WRAP and "wrap" or "mirror"))
    end
  end
end

local function read_filter(where, key, value)
  return value == nil and 0 or constants.enum(("%s: %s"):format(where, key), value, "filter_mode")
end

local function read_clamp(where, clamp, levels)
  if clamp == nil then return { 0, levels - 1 } end
  if type(clamp) ~= "table" or #clamp ~= 2 then
    refuse(where, "mip_clamp must be a list of two levels, {lowest, highest}, got %s", errors.text(clamp))
  end
  local low, high = number(where, "mip_clamp[1]", clamp[1]), number(where, "mip_clamp[2]", clamp[2])
  if low > high then refuse(where, "mip_clamp: the lowest level, %g, is above the highest, %g", low, high) end
  return { low, high }
end

local function read_sampling(where, s, options)
  local view, viewed = read_view(where, s, options.view)
  local format = viewed or texel.of(s.format)
  local integers, srgb = read_mode(where, format, options)
  if s.kind == "linear" then check_linear(where, options) end
  local filter = read_filter(where, "filter", options.filter)
  if filter == 1 and integers then
    refuse(where, "filter = \"linear\" needs texels that are read as floats, these are integers of %s%s", format.name,
      format.bits < 32 and ": read = \"normalized\"" or "")
  end
  local normalized = bool(where, options, "normalized")
  if s.kind == "mipmap" and not normalized then
    refuse(where, "mipmaps are read with normalized coordinates: normalized = true")
  end
  local seamless, trilinear = bool(where, options, "seamless"), bool(where, options, "trilinear")
  if seamless and not is_cube(s) then
    refuse(where, "seamless: only cube maps have seams; the array is made without the flag \"cubemap\"")
  end
  for _, key in ipairs { "mip_filter", "mip_bias", "mip_clamp" } do
    if options[key] ~= nil and s.kind ~= "mipmap" then refuse(where, "option %s is about mipmaps", key) end
  end
  local anisotropy = options.max_anisotropy == nil and 0 or whole(where, "max_anisotropy", options.max_anisotropy, 1)
  if anisotropy > 16 then
    refuse(where, "max_anisotropy must be an integer from 1 to 16, got %d", anisotropy)
  end
  local address = read_address(where, options.address)
  if options.address ~= nil then check_address(where, address, normalized) end
  local bits = 0
  local function flag(name, wanted) bits = bits + (wanted and constants.lookup("TRSF_" .. name) or 0) end
  flag("READ_AS_INTEGER", integers)
  flag("NORMALIZED_COORDINATES", normalized)
  flag("SRGB", srgb)
  flag("SEAMLESS_CUBEMAP", seamless)
  flag("DISABLE_TRILINEAR_OPTIMIZATION", trilinear == false)
  return {
    address = address, border = read_border(where, options.border), filter = filter, flags = bits,
    max_anisotropy = anisotropy, mip_filter = read_filter(where, "mip_filter", options.mip_filter),
    mip_bias = options.mip_bias == nil and 0 or number(where, "mip_bias", options.mip_bias),
    mip_clamp = s.kind == "mipmap" and read_clamp(where, options.mip_clamp, s.levels) or { 0, 0 }, view = view,
    format = s.format, num_channels = s.num_channels, bytes = s.bytes, width = s.kind == "pitch2d" and s.width or nil,
    height = s.kind == "pitch2d" and s.height or nil, pitch = s.pitch, row = s.row,
  }
end

local known = { array = true, mipmap = true, linear = true, pitch2d = true, format = true, num_channels = true,
  width = true, height = true, pitch = true, view = true, filter = true, address = true, border = true,
  normalized = true, read = true, srgb = true, max_anisotropy = true, mip_filter = true, mip_bias = true,
  mip_clamp = true, seamless = true, trilinear = true }

---@class cudalua.TextureView
---@field format? integer|string          of cuda.resource_view_format
---@field width? integer                  as the array's; of block formats four times that
---@field height? integer
---@field depth? integer
---@field first_level? integer            default 0
---@field last_level? integer             default: the last one
---@field first_layer? integer            default 0
---@field last_layer? integer             default: the last one

---@class cudalua.TextureOptions
---@field array? cudalua.Array            what it reads: a CUDA array,
---@field mipmap? cudalua.MipmappedArray  or a mipmapped one,
---@field linear? any                     or linear memory, by number: a gpuarray, device memory, {ptr =, bytes =}
---@field pitch2d? any                    or rows in memory: a gpuarray of two axes (or three, the last one the
---  channels), device memory, {ptr =, bytes =}
---@field format? integer|string          of memory, as in cuda.array_format: "float"; a gpuarray brings its own
---@field num_channels? integer           of memory: 1, 2 or 4; default 1
---@field width? integer                  of pitch2d: texels of a row
---@field height? integer                 of pitch2d: rows
---@field pitch? integer                  of pitch2d: bytes from row to row; default: no gaps
---@field filter? "point"|"linear"        default "point"
---@field address? string|string[]        outside of the array: "clamp" (default), "border", and with normalized
---  coordinates "wrap" and "mirror"; one for all axes, or a list {x, y, z}
---@field border? number|number[]         what "border" gives, one for all channels or a list; default 0
---@field normalized? boolean             true: coordinates from 0 to 1; default: in texels
---@field read? "element"|"normalized"    normalized: integers of 8 and 16 bits as floats from 0 or -1 to 1
---@field srgb? boolean                   true: decodes sRGB of 8-bit channels, alpha left out
---@field max_anisotropy? integer         1 to 16
---@field mip_filter? "point"|"linear"    between levels
---@field mip_bias? number                added to the level
---@field mip_clamp? number[]             {lowest, highest} level that is read
---@field seamless? boolean               true: filters over the edges of a cube map's faces
---@field trilinear? boolean              false: no optimisation of trilinear filtering
---@field view? cudalua.TextureView      the array in another format, or a part of its levels and layers

---A texture that kernels take as a cudaTextureObject_t: `cuda.TextureObject{ array = a, filter = "linear" }`. It keeps
---what it reads. Raises a LogicError for options that do not go together, for unaligned memory, and for what has been
---freed.
---@class cudalua.TextureObject
---@overload fun(options: cudalua.TextureOptions): cudalua.TextureObject
local TextureObject = core.classes.TextureObject

---Makes a texture for a function of another name.
---@param where string  the function, for messages
---@param options cudalua.TextureOptions
---@return cudalua.TextureObject
function M.make(where, options)
  options = errors.options(where, options, known)
  local s = read_source(where, options)
  return core.texture(s.object, read_sampling(where, s, options))
end

---What an option `linear`, `pitch2d`, `array` or `mipmap` means.
---@param where string
---@param options cudalua.TextureOptions
---@return cudalua.TextureSource
function M.source(where, options) return read_source(where, options) end

M.TextureObject = setmetatable({}, { __index = TextureObject,
  __call = function(_, options) return M.make(WHERE, options) end })

-- ---- surfaces -------------------------------------------------------------------------------------------------------

---A surface that kernels take as a cudaSurfaceObject_t, to read and write the texels of an array made with the flag
---"surface_ldst": `cuda.SurfaceObject{ array = a }`. It keeps the array. Raises a LogicError for other arrays.
---@class cudalua.SurfaceObject
---@overload fun(options: {array: cudalua.Array}): cudalua.SurfaceObject
local SurfaceObject = core.classes.SurfaceObject

---Makes a surface for a function of another name.
---@param where string
---@param array any
---@return cudalua.SurfaceObject
function M.surface(where, array)
  local s = of_array(where, array)
  if s.flags % 4 < SURFACE then
    refuse(where, "surfaces need an array that is made with the flag \"surface_ldst\"; np_to_array() and " ..
      "gpuarray_to_array() take allow_surface_bind = true")
  end
  return core.surface(s.object)
end

M.SurfaceObject = setmetatable({}, { __index = SurfaceObject,
  __call = function(_, options)
    options = errors.options("SurfaceObject", options, { array = true })
    if options.array == nil then refuse("SurfaceObject", "no array is given: cuda.SurfaceObject{ array = a }") end
    return M.surface("SurfaceObject", options.array)
  end })

return M
