-- cuda.show: an array as a picture in the terminal, a small one as a table, a long one as bars.

local ffi = require "ffi"
local arrays = require "cudalua.ndarray.array"
local blocks = require "cudalua.look.blocks"
local boxes = require "cudalua.look.boxes"
local colormaps = require "cudalua.files.colormaps"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local numbers = require "cudalua.look.numbers"
local terminal = require "cudalua.look.terminal"

local refuse = layout.refuse
local WHAT = "show"

---@class cudalua
local M = {}

local SMALL = 12    -- elements on an axis of a table
local READABLE = 32 -- pixels; a smaller picture is enlarged
local NARROW = 8    -- pixels; a picture of fewer on one axis, for more elements, is stretched
local BARS = 6      -- lines
local GRADIENT = 16 -- characters

-- ---- how large ------------------------------------------------------------------------------------------------------

-- Pixels for an axis of n elements that is stretched: up to so many, and the same number for each element.
local function stretched(n, most) return n < most and n * math.floor(most / n) or most end

-- Columns and half lines of a picture of w x h elements in width x height, of the same proportions.
local function in_proportion(w, h, width, height, is_sized)
  local scale = math.max(w / width, h / height)
  if scale < 1 then
    local k = 1
    local function small() return is_sized or k * math.max(w, h) < READABLE end
    while small() and (k + 1) * w <= width and (k + 1) * h <= height do k = k + 1 end
    scale = 1 / k
  end
  return math.max(1, math.min(width, math.floor(w / scale + 0.5))),
    math.max(1, math.min(height, math.floor(h / scale + 0.5)))
end

-- Columns and lines of pixels for a picture of w x h elements: as many as fit, of the same proportions unless the
-- aspect says otherwise, or nobody chose one and an axis would be too narrow to be seen. Without colours a pixel is a
-- character, which is twice as high as wide.
local function fit(w, h, to, aspect)
  local width, height = to.width, 2 * (to.height - 1) -- a line is the caption's; in halves of a line
  local columns, rows = in_proportion(w, h, width, height, to.sized)
  if aspect == "auto" then
    columns, rows = width, height
  elseif aspect == nil then
    if columns < math.min(w, NARROW) then columns = stretched(w, math.min(width, READABLE)) end
    if rows < math.min(h, NARROW) then rows = stretched(h, math.min(height, READABLE)) end
  end
  return columns, to.colour ~= 0 and rows or math.max(1, math.floor(rows / 2 + 0.5))
end

local function new_image(width, height)
  return { width = width, height = height, rgb = ffi.new("uint8_t[?]", 3 * width * height),
    level = ffi.new("double[?]", width * height) }
end

-- The pixels of a picture from the boxes that it was reduced to; set(i, box) gives pixel i the value of a box.
local function spread(image, rows, columns, set)
  for y = 0, image.height - 1 do
    local from = math.floor(y * rows / image.height) * columns
    for x = 0, image.width - 1 do
      set(y * image.width + x, from + math.floor(x * columns / image.width))
    end
  end
  return image
end

-- ---- values as colours ----------------------------------------------------------------------------------------------

local function colour(image, i, x, low, high, map)
  local level = colormaps.level(x, low, high)
  image.level[i] = level
  local c = level == level and map[math.floor(255 * level + 0.5)]
  for k = 0, 2 do image.rgb[3 * i + k] = c and c[k] or colormaps.NAN[k + 1] end
end

local function caption(a, to, map, low, high, has_nan, size)
  local text = ("%s%s  %s %s %s"):format(a.dtype.name, layout.text(a.shape), numbers.short(low),
    blocks.gradient(map, GRADIENT, to), numbers.short(high))
  if has_nan then
    local nan = colormaps.NAN
    text = text .. "  " .. (to.colour == 0 and "?" or
      terminal.code(to.colour, true, nan[1], nan[2], nan[3]) .. " " .. terminal.RESET) .. " nan"
  end
  return text .. (size and "  means of " .. size or "") .. "\n"
end

local function ratio(n, boxes_of_it)
  local x = n / boxes_of_it
  return x >= 100 and ("%.0f"):format(x) or numbers.short(x, 3)
end

local function show_map(a, o, to)
  local h, w = a.shape[1], a.shape[2]
  local width, height = fit(w, h, to, o.aspect)
  local rows, columns = math.min(h, height), math.min(w, width)
  local values = boxes.means(a, rows, columns)
  local low, high, has_nan = colormaps.limits(values, rows * columns, o, a.dtype)
  local map = colormaps.get(WHAT, o.map or a.dtype.kind == "bool" and "gray" or "viridis")
  local image = new_image(width, height)
  blocks.draw(spread(image, rows, columns, function(i, box) colour(image, i, values[box], low, high, map) end), to)
  local size = (rows < h or columns < w) and ("%s x %s"):format(ratio(h, rows), ratio(w, columns)) or nil
  to.write(caption(a, to, map, low, high, has_nan, size))
end

local function show_bars(a, o, to)
  local n = a.size
  local columns = math.min(n, to.width)
  local values = boxes.means(a:reshape { 1, n }, 1, columns)
  local low, high, has_nan = colormaps.limits(values, columns, o, a.dtype)
  local map = colormaps.get(WHAT, o.map or "viridis")
  local image = new_image(columns, 1)
  for i = 0, columns - 1 do colour(image, i, values[i], low, high, map) end
  blocks.bars(image, math.min(BARS, to.height - 1), to)
  to.write(caption(a, to, map, low, high, has_nan, columns < n and ratio(n, columns) or nil))
end

-- What 1 is in colours of a type.
local function full_scale(dtype)
  if dtype.kind == "float" or dtype.kind == "bool" then return 1 end
  return dtype.itemsize == 2 and dtype.kind == "uint" and 65535 or 255
end

-- Transparent pixels are dark: behind them is black.
local function show_colours(a, o, to)
  local h, w, channels = a.shape[1], a.shape[2], a.shape[3]
  local width, height = fit(w, h, to, o.aspect)
  local rows, columns = math.min(h, height), math.min(w, width)
  local values, full = boxes.means(a, rows, columns), full_scale(a.dtype)
  local image = new_image(width, height)
  local function part(box, k) return math.max(0, math.min(1, values[box * channels + k] / full)) end
  local function clipped(i, box)
    local alpha = channels == 4 and part(box, 3) or 1
    local r, g, b = part(box, 0) * alpha, part(box, 1) * alpha, part(box, 2) * alpha
    local known = true
    for k = 0, channels - 1 do known = known and values[box * channels + k] == values[box * channels + k] end
    image.level[i] = known and 0.2126 * r + 0.7152 * g + 0.0722 * b or 0 / 0
    for k, x in ipairs { r, g, b } do
      image.rgb[3 * i + k - 1] = known and math.floor(255 * x + 0.5) or colormaps.NAN[k]
    end
  end
  blocks.draw(spread(image, rows, columns, clipped), to)
  local size = (rows < h or columns < w) and ("  means of %s x %s"):format(ratio(h, rows), ratio(w, columns)) or ""
  to.write(("%s%s%s\n"):format(a.dtype.name, layout.text(a.shape), size))
end

-- ---- what is shown how ----------------------------------------------------------------------------------------------

-- A small array as a table, if it fits; whether it did.
local function show_table(a, to)
  local host = boxes.on_device(a) and a:get() or a
  local lines, width = numbers.table(host)
  if width > to.width then return false end
  to.write(("%s%s\n%s\n"):format(a.dtype.name, layout.text(a.shape), table.concat(lines, "\n")))
  return true
end

local function checked(a)
  if boxes.on_device(a) then return end
  if arrays.is_array(a) then return arrays.check_self(a, WHAT) end
  local is_list = type(a) == "table" and getmetatable(a) == nil
  refuse(WHAT, ("expected an array, got %s%s"):format(element.describe(a),
    is_list and "; convert a list with ndarray.array(list)" or ""))
end

local known = { map = true, vmin = true, vmax = true, to = true, colour = true, width = true, height = true,
  aspect = true }

---Shows an array. A 2-D array is an image, with two rows of pixels in each line of text. A 3-D array (h, w, 3) or (h,
---w, 4) is an image in its own colours, a 1-D array is shown as bars, and a 0-d array as its value. An array with up to
---12 or 12 x 12 elements is a table, unless options request an image. The image is as large as the terminal allows.
---Each pixel of a larger array is the mean of a box of elements, which the device computes, and NaN if an element is.
---Complex elements are shown by their magnitude. Below the image are the dtype, the shape, and the values of the first
---and last colour.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  the array, with up to 3 axes
---@param options? {map: string, vmin: number, vmax: number, to: file*|fun(text: string), colour: 24|8|0, width:
---  integer, height: integer, aspect: "equal"|"auto"}  map: "viridis" (default), "magma", "inferno", "plasma", "gray"
---  (default for bool), "coolwarm"; a name that ends with "_r" reverses it. vmin: the value of the first colour;
---  default: the least shown value. vmax: the value of the last colour; default: the greatest shown value. For images
---  in colours, floats are 0 to 1, uint16 0 to 65535, other integers 0 to 255. NaN is magenta. to: default io.stdout.
---  colour: bits; default: what the terminal supports, elsewhere 0, characters without escape codes. width: in
---  characters, default the terminal's, elsewhere 80. height: in lines, default the terminal's, elsewhere 22. aspect:
---  "equal" for square elements, "auto" for an image that fills width and height, as in matplotlib's imshow; default:
---  "equal", but an axis that would have fewer than 8 pixels for more elements gets up to 32
---@raise LogicError if a is not an array, for other shapes, and for invalid options
function M.show(a, options)
  local o = errors.options(WHAT, options, known)
  checked(a)
  colormaps.check_limits(WHAT, o)
  if o.map ~= nil then colormaps.get(WHAT, o.map) end
  if o.aspect ~= nil and o.aspect ~= "equal" and o.aspect ~= "auto" then
    refuse(WHAT, "aspect must be 'equal' or 'auto', got " .. errors.text(o.aspect))
  end
  local to = terminal.open(WHAT, o, 2) -- a line, and the caption
  local shape, dtype = a.shape, a.dtype
  local ndim = #shape
  local colours = ndim == 3 and (shape[3] == 3 or shape[3] == 4) and dtype.kind ~= "complex"
  if ndim > 3 or ndim == 3 and not colours and dtype.kind ~= "struct" then
    local first = ndim == 3 and (shape[1] == 3 or shape[1] == 4)
    refuse(WHAT, ("the shape must be (h, w), (h, w, 3) or (h, w, 4), or of one axis; it is %s%s; %s"):format(
      layout.text(shape), dtype.kind == "complex" and " of complex elements" or "",
      first and "a:transpose(2, 3, 1) moves the colours to the end" or "show a part, such as a[1]"))
  end
  if a.size == 0 or ndim == 0 or dtype.kind == "struct" then
    local text = a.size == 0 and ("%s%s, no elements"):format(dtype.name, layout.text(shape)) or tostring(a)
    to.write(text .. "\n")
  elseif colours then
    show_colours(a, o, to)
  else
    local asked = o.map or o.vmin or o.vmax or o.aspect or to.sized
    local small = not asked and shape[1] <= SMALL and (shape[2] or 1) <= SMALL
    if small and show_table(a, to) then return end
    local show = ndim == 1 and show_bars or show_map
    show(a, o, to)
  end
end

return require("cudalua.base.surplus").install("cuda.", M)
