-- Filters on a picture, with array operations alone: a blur and Sobel's operator from shifted views, and an equalised
-- histogram. Each result is compared, pixel by pixel, with a loop in Lua, and Sobel's operator with cuda.image, which
-- has kernels for convolutions (docs/filters.md).
--   luajit examples/14_image_filters.lua [IN.ppm [OUT.ppm]]
-- Without a picture make_image.lua makes one. OUT.ppm gets the results: blurred, edges, equalised, side by side.
local cuda = require "cudalua"
local ffi = require "ffi"
local gpuarray = cuda.gpuarray

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local here = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$" or "."

local bytes, width, height = dofile(here .. "/make_image.lua").read(arg[1], soft and 160 or 1280, soft and 107 or 853)

local start, stop = cuda.Event(), cuda.Event()
start:record()

-- The bytes as they are in the file; integers wide enough for sums; and the luminance.
local picture = gpuarray.to_gpu(bytes, "uint8", { shape = { height, width, 3 } })
local rgb = picture:astype "int32"
local gray = (77 * rgb[{ {}, {}, 1 }] + 150 * rgb[{ {}, {}, 2 }] + 29 * rgb[{ {}, {}, 3 }]):floordiv(256)

-- The picture moved by so many pixels along an axis, seen through a window in a larger one whose edges are repeated.
local function window(padded, margin, axis, by)
  local index = { {}, {} }
  index[axis] = { 1 + margin + by, by - margin - 1 }
  return padded[index]
end
local function pad(a, axis, margin)
  local widths = {}
  for k = 1, a.ndim do widths[k] = k == axis and { margin, margin } or { 0, 0 } end
  return a:pad(widths, "edge")
end

-- 1 4 6 4 1 along one axis, then along the other.
local function weighted(a, axis)
  local padded, sum = pad(a, axis, 2), 0
  for k, weight in ipairs { 1, 4, 6, 4, 1 } do sum = sum + weight * window(padded, 2, axis, k - 3) end
  return sum
end
local blurred = (weighted(weighted(gray, 1), 2) + 128):floordiv(256)

-- The length of the gradient.
local function slope(a, axis, across)
  local padded = pad(pad(a, 1, 1), 2, 1)
  local smooth = 0
  for k, weight in ipairs { 1, 2, 1 } do smooth = smooth + weight * window(padded, 1, across, k - 2) end
  return window(smooth, 1, axis, 1) - window(smooth, 1, axis, -1)
end
local gx, gy = slope(blurred, 2, 1), slope(blurred, 1, 2)
local edges = (gx ^ 2 + gy ^ 2):sqrt():floor():minimum(255)

-- How many pixels have each of the 256 levels or a lower one: comparisons with all levels at once, which are summed up
-- as they are made. The new level of each pixel is looked up.
local levels = gpuarray.arange(256, "int32"):reshape(256, 1)
local below = gray:reshape(1, -1):le(levels):sum(2)
local table_of_levels = (below * 255):floordiv(width * height)
local equalised = table_of_levels[gray + 1]

local results = gpuarray.empty({ height, 3, width }, "uint8")
for k, a in ipairs { blurred, edges, equalised } do results[{ {}, k, {} }] = a:astype "uint8" end
stop:record()
local got = results:get()

-- Sobel's slopes as convolutions with a column and a row. All numbers are whole, so that nothing is rounded.
local function convolved(column, row)
  return cuda.image.separable(blurred, column, row, { mode = "same", boundary = "edge" })
end
assert(gpuarray.array_equal(gx, convolved({ 1, 2, 1 }, { 1, 0, -1 })), "slopes to the right differ")
assert(gpuarray.array_equal(gy, convolved({ 1, 0, -1 }, { 1, 2, 1 })), "slopes downwards differ")

-- The same, one pixel at a time.
local function loop(value)
  local out = ffi.new("int32_t[?]", width * height)
  for y = 0, height - 1 do
    for x = 0, width - 1 do out[y * width + x] = value(x, y) end
  end
  return function(x, y)
    x, y = math.max(0, math.min(x, width - 1)), math.max(0, math.min(y, height - 1))
    return out[y * width + x]
  end
end
local function check(what, k, value)
  local pixel = loop(value)
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local a, b = got:get(y + 1, k, x + 1), pixel(x, y)
      if a ~= b then error(("%s: pixel (%d, %d) is %d, the loop says %d"):format(what, x, y, a, b)) end
    end
  end
  return pixel
end

local light = loop(function(x, y)
  local r, g, b = bytes:byte(3 * (y * width + x) + 1, 3 * (y * width + x) + 3)
  return math.floor((77 * r + 150 * g + 29 * b) / 256)
end)
local weights = { [-2] = 1, [-1] = 4, [0] = 6, [1] = 4, [2] = 1 }
local smooth = check("blur", 1, function(x, y)
  local sum = 128
  for j = -2, 2 do
    for i = -2, 2 do sum = sum + weights[j] * weights[i] * light(x + i, y + j) end
  end
  return math.floor(sum / 256)
end)
check("Sobel", 2, function(x, y)
  local sx, sy = 0, 0
  for k = -1, 1 do
    sx = sx + (2 - math.abs(k)) * (smooth(x + 1, y + k) - smooth(x - 1, y + k))
    sy = sy + (2 - math.abs(k)) * (smooth(x + k, y + 1) - smooth(x + k, y - 1))
  end
  return math.min(255, math.floor(math.sqrt(sx * sx + sy * sy)))
end)
local count = {}
for level = 0, 255 do count[level] = 0 end
for y = 0, height - 1 do
  for x = 0, width - 1 do count[light(x, y)] = count[light(x, y)] + 1 end
end
for level = 1, 255 do count[level] = count[level] + count[level - 1] end
check("equalise", 3, function(x, y) return math.floor(count[light(x, y)] * 255 / (width * height)) end)

if arg[2] then
  local file = assert(io.open(arg[2], "wb"))
  file:write(("P5\n%d %d\n255\n"):format(3 * width, height), ffi.string(got:data(), got.nbytes))
  file:close()
end
print(("%d x %d pixels on %s: blurred, edges and equalised in %.2f %s, all as in the Lua loops"):format(width, height,
  ctx:get_device():name(), stop:time_since(start), soft and "simulated ms" or "ms"))
