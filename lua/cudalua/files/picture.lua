-- Pictures: save_image and load_image. Which format a file has, and what arrays of other types become.

local arrays = require "cudalua.ndarray.array"
local colormaps = require "cudalua.files.colormaps"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local notice = require "cudalua.base.notice"
local pace = require "cudalua.base.pace"
local whole = require "cudalua.files.whole"

local refuse = layout.refuse

---@class cudalua.io
local M = {}

local MOST_PIXELS = 2 ^ 28 -- of a file, by default
local MOST_BYTES = 2 ^ 30  -- of the samples of a picture that is written
local AT_ONCE = 65536      -- elements between two looks at Ctrl-C

-- ---- reading --------------------------------------------------------------------------------------------------------

---Reads an image: a PNG file of any kind, or a PGM or PPM file (P2, P3, P5, P6). The first bytes determine the format.
---Samples with less than 8 bits are scaled to 0 to 255, palette indices are replaced with their colours, and
---transparency becomes an alpha channel. Gamma and colour profiles are not applied.
---@param path string  the file
---@param options? {max_pixels: integer}  max_pixels: the maximum number of pixels; a larger image is an error; default:
---  2^28
---@return cudalua.ndarray.Array  uint8, or uint16 for files with 16 bits; (h, w) gray, (h, w, 2) gray and alpha, (h, w,
---  3) RGB, (h, w, 4) RGBA; the first row is the top one
---@raise RuntimeError if the file cannot be opened; LogicError that names the file if it is damaged or has another
---  format; MemoryError
function M.load_image(path, options)
  local what = "io.load_image"
  local most = errors.options(what, options, { max_pixels = true }).max_pixels
  most = most == nil and MOST_PIXELS or layout.whole(most)
  if not most or most < 1 then
    refuse(what, "max_pixels must be a positive integer, got " .. element.describe(options.max_pixels))
  end
  local bytes = whole.read(what, path)
  local netpbm = require "cudalua.files.netpbm"
  if netpbm.is(bytes) then return (netpbm.decode(what, path, bytes, most)) end
  local png = require "cudalua.files.png"
  if bytes:sub(1, #png.SIGNATURE) ~= png.SIGNATURE then
    refuse(what, path .. " is not a PNG, PGM or PPM file")
  end
  return (png.decode(what, path, bytes, most))
end

-- ---- writing --------------------------------------------------------------------------------------------------------

---The array in host memory: itself, or what an array on the device holds.
---@param what string
---@param a any
---@return cudalua.ndarray.Array
---@raise LogicError if it is not an array
function M._host(what, a)
  if arrays.is_array(a) then
    arrays.check_self(a, what)
    return a
  end
  if type(a) == "table" and getmetatable(a) == "cudalua.gpuarray" then return a:get() end
  refuse(what, "expected an array, got " .. element.describe(a))
end

-- Says that values are clipped, unless rounding to a level would have moved them as far.
local function note_clipped(what, a, low, high, most)
  if low * most > -0.5 and high * most < most + 0.5 then return end
  local limits = ""
  if #a.shape == 2 and high - low < math.huge then
    limits = ("pass {vmin = %.4g, vmax = %.4g}, or "):format(low, high)
  end
  notice(("%s: floats from %.4g to %.4g are clipped to 0 to 1; %sdivide levels of 0 to 255 by 255"):format(what, low,
    high, limits))
end

-- Floats and booleans, where 0 to 1 is the whole range, as integers. NaN is 0.
local function scaled(what, a, bits)
  local floats = a:astype("float64", "C")
  local out = arrays.allocated(what, a.shape, bits == 16 and dtypes.uint16 or dtypes.uint8, "C")
  local p, q, most = floats:data(), out:data(), 2 ^ bits - 1
  local low, high = math.huge, -math.huge
  for i = 0, a.size - 1 do
    local x = p[i]
    if x < low then low = x end
    if x > high then high = x end
    q[i] = x >= 1 and most or x > 0 and math.floor(x * most + 0.5) or 0 -- false for NaN
    if i % AT_ONCE == 0 then pace(AT_ONCE) end
  end
  note_clipped(what, a, low, high, most)
  return out, floats -- whose memory has to be there until now
end

local function samples(what, a, bits)
  local dt = a.dtype
  if dt == dtypes.uint8 or dt == dtypes.uint16 then
    if bits ~= nil and bits ~= 8 * dt.itemsize then
      refuse(what, ("bits is %d, but the array has elements of %s; bits needs floats or " ..
        "booleans"):format(bits, dt.name))
    end
    return a:copy "C"
  end
  if dt.kind ~= "float" and dt.kind ~= "bool" then
    refuse(what, ("elements must be uint8, uint16, bool, or floats from 0 to 1, got %s; convert with " ..
      "astype('uint8')"):format(dt.name))
  end
  return (scaled(what, a, bits or 8))
end

-- Values between limits through a colour map, or (nil) as shades of gray; NaN is magenta, or black.
local function mapped(what, a, o)
  local dt, n, bits = a.dtype, a.size, o.bits or 8
  if dt.kind == "complex" or dt.kind == "struct" then
    refuse(what, ("map, vmin and vmax need real numbers, but the elements are %s"):format(dt.name))
  end
  if o.map ~= nil and o.bits ~= nil then refuse(what, "pictures with a map cannot have bits: their colours have 8") end
  local map = o.map ~= nil and colormaps.get(what, o.map)
  local shape = a.shape
  if map then shape[3] = 3 end
  local floats = a:astype("float64", "C")
  local out = arrays.allocated(what, shape, bits == 16 and dtypes.uint16 or dtypes.uint8, "C")
  local p, q, most = floats:data(), out:data(), 2 ^ bits - 1
  local low, high = colormaps.limits(p, n, o, dt)
  for i = 0, n - 1 do
    local level = colormaps.level(p[i], low, high)
    if not map then
      q[i] = level == level and math.floor(level * most + 0.5) or 0
    else
      local c = level == level and map[math.floor(255 * level + 0.5)]
      for k = 0, 2 do q[3 * i + k] = c and c[k] or colormaps.NAN[k + 1] end
    end
    if i % AT_ONCE == 0 then pace(AT_ONCE) end
  end
  return out, floats -- whose memory has to be there until now
end

local channels_of = { png = { [1] = true, [2] = true, [3] = true, [4] = true }, pgm = { [1] = true },
  ppm = { [3] = true }, pnm = { [1] = true, [3] = true } }

---Writes an image. The file's extension determines the format: .png, .pgm (gray), .ppm (RGB), .pnm (either).
---@param path string  the file
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  (h, w) or (h, w, 1) gray, (h, w, 2) gray and alpha, (h, w, 3)
---  RGB, (h, w, 4) RGBA; uint8 and uint16 are written unchanged. Floats from 0 to 1 cover the whole range; others are
---  clipped with a notice (cuda.on_notice), and NaN is 0. bool is black and white
---@param options? {bits: 8|16, map: string, vmin: number, vmax: number}  bits: for floats and booleans; default: 8.
---  map: a colour map of cuda.show, for (h, w) of real numbers; NaN is magenta. vmin: the value of its first colour,
---  without a map of black; default, if one of the three is set: the least value. vmax: the value of its last colour,
---  without a map of white; default: the greatest value
---@raise LogicError for another extension, shape or dtype; RuntimeError if the file cannot be written: it may then be
---  incomplete
function M.save_image(path, a, options)
  local what = "io.save_image"
  whole.check_path(what, path)
  local o = errors.options(what, options, { bits = true, map = true, vmin = true, vmax = true })
  local bits = o.bits
  if bits ~= nil and bits ~= 8 and bits ~= 16 then
    refuse(what, "bits must be 8 or 16, got " .. element.describe(bits))
  end
  colormaps.check_limits(what, o)
  local is_mapped = o.map ~= nil or o.vmin ~= nil or o.vmax ~= nil
  local ending = path:match "%.(%a+)$"
  local format = (ending or ""):lower()
  if not channels_of[format] then
    refuse(what, ("the name must end in .png, .pgm, .ppm or .pnm, got %s"):format(errors.text(path)))
  end
  a = M._host(what, a)
  local shape = a.shape
  local channels = #shape == 2 and 1 or shape[3]
  if #shape < 2 or #shape > 3 or channels < 1 or channels > 4 then
    refuse(what, ("the shape must be (h, w) or (h, w, 1 to 4), got %s"):format(layout.text(shape)))
  end
  if is_mapped and #shape ~= 2 then
    refuse(what, ("map, vmin and vmax need the shape (h, w), got %s"):format(layout.text(shape)))
  end
  if o.map ~= nil then channels = 3 end
  if a.size == 0 then refuse(what, ("the picture has no pixels: its shape is %s"):format(layout.text(shape))) end
  if not channels_of[format][channels] then
    refuse(what, (".%s files cannot hold %d channels%s"):format(format, channels,
      format == "pgm" and channels == 3 and "; use .ppm" or "; use .png"))
  end
  if a.size * (o.map ~= nil and 3 or 2) > MOST_BYTES then
    refuse(what, ("the picture is too large: %s"):format(layout.text(shape)))
  end
  local picture = is_mapped and mapped(what, a, o) or samples(what, a, bits)
  local encode = require("cudalua.files." .. (format == "png" and "png_write" or "netpbm")).encode
  local bytes = encode(picture)
  whole.write(what, path, function(write) write(bytes) end)
end

return M
