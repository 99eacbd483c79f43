-- TextureObject: how a texture reads, checked here, because the driver takes combinations without a word that then read
-- something else. src/cudalua/memory/texture.c makes it.

local core = require "cudalua.core"
local constants = require "cudalua.base.constants"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local notice = require "cudalua.base.notice"
local pairs_of = require "cudalua.base.pairs_of"
local source = require "cudalua.driver.texture_source"
local texel = require "cudalua.driver.texel"

local M = {}

local WHERE = "TextureObject"
local floor = math.floor
local is_cube, is_layered, whole = source.is_cube, source.is_layered, source.whole

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

-- ---- views ----------------------------------------------------------------------------------------------------------

local view_keys = { format = true, width = true, height = true, depth = true, first_level = true, last_level = true,
  first_layer = true, last_layer = true }

-- The view as C takes it, and the format that the texture then reads.
local function read_view(where, s, view)
  if view == nil then return nil end
  where = where .. ": view"
  if s.kind == "linear" or s.kind == "pitch2d" then
    refuse(where, "memory has no views; set format and num_channels instead")
  end
  view = errors.options(where, view, view_keys)
  local last_layer = is_layered(s) and math.max(s.depth, 1) - 1 or 0
  local v = { width = s.width, height = s.height, depth = s.depth, first_level = 0,
    last_level = s.levels - 1, first_layer = 0, last_layer = last_layer }
  -- The driver takes no view without a format, so that one that is left out is the array's.
  local none = constants.lookup("resource_view_format").NONE
  local given = view.format ~= nil and constants.enum(where .. ": format", view.format, "resource_view_format") or none
  v.format = given ~= none and given or texel.view_of(s.format, s.num_channels)
  if not v.format then
    refuse(where, "format: no view reads texels of %s unchanged; choose another format", texel.of(s.format).name)
  end
  local format = given ~= none and texel.of_view(given) or nil
  local blocks = format and format.kind == "block"
  if format and not blocks then
    local mine, own = format.bits / 8 * format.channels, texel.bytes(s.format, s.num_channels)
    if mine ~= own then
      refuse(where, "texels of the format %s have %d bytes, but the array's have %d", format.name, mine, own)
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

-- Axes that the array does not have are clamped. A GPU reads a 1D texture as a 2D one of height 1, at the edge of its
-- row: with a linear filter and a border on that axis, half of every texel would be the border.
local function clamp_missing(s, list)
  local CLAMP = constants.lookup("address_mode").CLAMP
  if s.kind == "linear" then return list end
  if s.height == 0 then list[2] = CLAMP end
  if s.height == 0 or s.kind == "pitch2d" or s.depth == 0 or is_layered(s) or is_cube(s) then list[3] = CLAMP end
  return list
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

-- A border of texels that are read as integers has to be one of them.
local function check_integers(where, border, format)
  local low = format.kind == "signed" and -2 ^ (format.bits - 1) or 0
  for _, x in ipairs(border) do
    if x ~= floor(x) or x < low or x >= low + 2 ^ format.bits then
      refuse(where, "border must be an integer from %.0f to %.0f, as the texels of %s, got %.17g", low,
        low + 2 ^ format.bits - 1, format.name, x)
    end
  end
  return border
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
    refuse(where, "srgb needs texels of unsigned_int8, got %s", format.name)
  end
  if srgb and read == "element" then
    refuse(where, "srgb decodes to floats, which read = \"element\" does not return; omit it")
  end
  if srgb then read = "normalized" end
  if read == "normalized" and not small and not always then
    refuse(where, "read = \"normalized\" needs integers of 8 or 16 bits, but the texels are of %s", format.name)
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
      refuse(where, "option %s has no effect on linear memory, which tex1Dfetch() reads by index; use a CUDA " ..
        "array", key)
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
      notice(("%s: address = \"%s\" works only with normalized coordinates and acts as clamp without them; set " ..
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
    refuse(where, "filter = \"linear\" needs texels that are read as floats, but these are integers of " ..
      "%s%s", format.name,
      format.bits < 32 and ": read = \"normalized\"" or "")
  end
  local normalized = bool(where, options, "normalized")
  if s.kind == "mipmap" and not normalized then
    refuse(where, "mipmaps need normalized coordinates; set normalized = true")
  end
  local seamless, trilinear = bool(where, options, "seamless"), bool(where, options, "trilinear")
  if seamless and not is_cube(s) then
    refuse(where, "seamless: only cube maps have seams; the array was made without the flag \"cubemap\"")
  end
  for _, key in ipairs { "mip_filter", "mip_bias", "mip_clamp" } do
    if options[key] ~= nil and s.kind ~= "mipmap" then refuse(where, "option %s applies only to mipmaps", key) end
  end
  local anisotropy = options.max_anisotropy == nil and 0 or whole(where, "max_anisotropy", options.max_anisotropy, 1)
  if anisotropy > 16 then
    refuse(where, "max_anisotropy must be an integer from 1 to 16, got %d", anisotropy)
  end
  local address = read_address(where, options.address)
  if options.address ~= nil then check_address(where, address, normalized) end
  local border = read_border(where, options.border)
  local BORDER = constants.lookup("address_mode").BORDER
  if options.border ~= nil and address[1] ~= BORDER and address[2] ~= BORDER and address[3] ~= BORDER then
    refuse(where, "border has no effect without address = \"border\"")
  end
  if type(options.border) == "table" and #options.border > math.max(s.num_channels, 1) then
    refuse(where, "border has %d values, but the texels have %d channel%s", #options.border, s.num_channels,
      s.num_channels == 1 and "" or "s")
  end
  if integers then check_integers(where, border, format) end
  local bits = 0
  local function flag(name, wanted) bits = bits + (wanted and constants.lookup("TRSF_" .. name) or 0) end
  flag("READ_AS_INTEGER", integers)
  flag("NORMALIZED_COORDINATES", normalized)
  flag("SRGB", srgb)
  flag("SEAMLESS_CUBEMAP", seamless)
  flag("DISABLE_TRILINEAR_OPTIMIZATION", trilinear == false)
  return {
    address = clamp_missing(s, address), border = border, integers = integers, filter = filter, flags = bits,
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
---@field format? integer|string  a value of cuda.resource_view_format; default: the format of the array
---@field width? integer  the width of the array; for block formats four times that
---@field height? integer  the height of the array; for block formats four times that
---@field depth? integer  the depth of the array
---@field first_level? integer  the first level; default 0
---@field last_level? integer  the last level; default: the last one of the array
---@field first_layer? integer  the first layer; default 0
---@field last_layer? integer  the last layer; default: the last one of the array

---@class cudalua.TextureOptions
---@field array? cudalua.Array  what it reads: a CUDA array
---@field mipmap? cudalua.MipmappedArray  or a mipmapped array
---@field linear? any  or linear memory, indexed by element: a gpuarray, device memory, {ptr =, bytes =}
---@field pitch2d? any  or rows in memory: a gpuarray with two axes (or three, the last one for channels), device
---  memory, {ptr =, bytes =}
---@field format? integer|string  for memory: a value of cuda.array_format, "float"; a gpuarray has its own format
---@field num_channels? integer  for memory: the number of channels, 1, 2 or 4; default 1
---@field width? integer  for pitch2d: texels in each row
---@field height? integer  for pitch2d: the number of rows
---@field pitch? integer  for pitch2d: bytes from one row to the next; default: contiguous rows
---@field filter? "point"|"linear"  the result between texels; default "point"
---@field address? string|string[]  reads outside the array: "clamp" (default), "border", and with normalized
---  coordinates "wrap" and "mirror"; one for all axes, or a list {x, y, z}
---@field border? number|number[]  the value of "border", a number for all channels or a list; default 0
---@field normalized? boolean  true: coordinates from 0 to 1; default: coordinates in texels
---@field read? "element"|"normalized"  "normalized": read 8-bit and 16-bit integers as floats from 0 to 1, or -1 to 1
---  if signed
---@field srgb? boolean  true: decode sRGB values of 8-bit channels, except alpha
---@field max_anisotropy? integer  the maximum anisotropy, from 1 to 16
---@field mip_filter? "point"|"linear"  the filter between levels
---@field mip_bias? number  a number that is added to the level
---@field mip_clamp? number[]  {lowest, highest}, the range of levels that are read
---@field seamless? boolean  true: filter across the edges of a cube map's faces
---@field trilinear? boolean  false: do not optimise trilinear filtering
---@field view? cudalua.TextureView  a view of the array with another format, or with a part of its levels and layers

---A texture, which kernels receive as a cudaTextureObject_t: `cuda.TextureObject{ array = a, filter = "linear" }`. It
---keeps its memory alive. Raises a LogicError for options that contradict each other, for unaligned memory, and for
---freed memory.
---@class cudalua.TextureObject
---@overload fun(options: cudalua.TextureOptions): cudalua.TextureObject
local TextureObject = core.classes.TextureObject

---Makes a texture for a function of another name.
---@param where string  the function, for messages
---@param options cudalua.TextureOptions
---@return cudalua.TextureObject
function M.make(where, options)
  options = errors.options(where, options, known)
  local s = source.read(where, options)
  return core.texture(s.object, read_sampling(where, s, options))
end

M.TextureObject = setmetatable({}, { __index = TextureObject,
  __call = function(_, options) return M.make(WHERE, options) end })

return M
