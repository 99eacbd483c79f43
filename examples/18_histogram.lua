-- Histograms of a picture: how often each brightness comes, in all and by colour, and the picture with its contrast
-- stretched between two quantiles. Everything is compared with a loop in Lua.
--   luajit examples/18_histogram.lua [IN.ppm [OUT.pgm]]
-- IN.ppm is any photograph that an image program saved as PPM, as `magick photo.jpg photo.ppm` does; by default a cup
-- of coffee, by Rachel Michetti, who gave the photograph to the public domain (CC0). OUT.pgm gets the stretched one.
local cuda = require "cudalua"
local ffi = require "ffi"
local gpuarray = cuda.gpuarray

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local here = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$" or "."

local bytes, width, height = dofile(here .. "/make_image.lua").read(arg[1] or here .. "/photographs/coffee.ppm")
local n = width * height

local picture = gpuarray.to_gpu(bytes, "uint8", { shape = { n, 3 } })
local start, stop = cuda.Event(), cuda.Event()
start:record()

-- Each of the 256 levels is a bin: {0, 256} leaves the last one the values from 255 on.
local levels = { range = { 0, 256 } }
local colours = {}
for c = 1, 3 do colours[c] = gpuarray.histogram(picture[{ {}, c }], 256, levels) end
local rgb = picture:astype "int32"
local light = ((77 * rgb[{ {}, 1 }] + 150 * rgb[{ {}, 2 }] + 29 * rgb[{ {}, 3 }]):floordiv(256)):astype "uint8":eval()
local counts = gpuarray.histogram(light, 256, levels)

-- How red the pixels of a brightness are, on average: a histogram of brightness with red as weights.
local red = gpuarray.histogram(light, 8, { range = { 0, 256 }, weights = picture[{ {}, 1 }] })
  / gpuarray.histogram(light, 8, levels):maximum(1)

-- From the level that one of 50 pixels is below to the one that one of 50 is above: all there is from black to white.
local low, middle, high = unpack(light:percentile({ 2, 50, 98 }, { method = "nearest" }):tolist())
local stretched = ((light:astype "float32" - low) * (255 / math.max(high - low, 1))):clip(0, 255):round()
stretched = stretched:astype "uint8":eval()
stop:record()

-- The same in Lua.
local sums, reds, eighths, sorted = { {}, {}, {} }, {}, {}, {}
local lights = {}
for c = 1, 3 do
  for v = 0, 255 do sums[c][v] = 0 end
end
for v = 0, 255 do sorted[v] = 0 end
for b = 0, 7 do reds[b], eighths[b] = 0, 0 end
for i = 0, n - 1 do
  local r, g, b = bytes:byte(3 * i + 1, 3 * i + 3)
  sums[1][r], sums[2][g], sums[3][b] = sums[1][r] + 1, sums[2][g] + 1, sums[3][b] + 1
  local y = math.floor((77 * r + 150 * g + 29 * b) / 256)
  lights[i] = y
  sorted[y] = sorted[y] + 1
  local eighth = math.floor(y / 32)
  reds[eighth], eighths[eighth] = reds[eighth] + r, eighths[eighth] + 1
end

local function check(what, array, value)
  local got = array:get()
  for i = 0, got.size - 1 do
    local x, y = tonumber(got[i + 1]), value(i)
    if x ~= y then error(("%s: %s at %d, the loop says %s"):format(what, x, i, y)) end
  end
end
for c, name in ipairs { "red", "green", "blue" } do check(name, colours[c], function(v) return sums[c][v] end) end
check("brightness", counts, function(v) return sorted[v] end)
check("red by brightness", red, function(b) return reds[b] / math.max(eighths[b], 1) end)

-- The pixel with this number when they are sorted by brightness, counted from 0.
local function nth(k)
  for v = 0, 255 do
    k = k - sorted[v]
    if k < 0 then return v end
  end
end
local function nearest(x) -- half to even
  local floor = math.floor(x)
  return x - floor == 0.5 and floor + floor % 2 or math.floor(x + 0.5)
end
for q, got in pairs { [2] = low, [50] = middle, [98] = high } do
  local want = nth(nearest(q / 100 * (n - 1)))
  assert(got == want, ("%d%% of the pixels: %d, the loop says %d"):format(q, got, want))
end
local apart = 0
local got = stretched:get()
for i = 0, n - 1 do
  local x = math.max(0, math.min(255, (lights[i] - low) * 255 / math.max(high - low, 1)))
  apart = math.max(apart, math.abs(got[i + 1] - x))
end
assert(apart <= 0.5001, "the stretched picture")

-- 16 levels a line.
local most, lines = 0, {}
for line = 0, 15 do
  local sum = 0
  for v = 16 * line, 16 * line + 15 do sum = sum + sorted[v] end
  lines[line], most = sum, math.max(most, sum)
end
for line = 0, 15 do
  local bar = ("#"):rep(math.ceil(50 * lines[line] / most))
  print(("%3d-%3d %7d %s"):format(16 * line, 16 * line + 15, lines[line], bar))
end

if arg[2] then
  local file = assert(io.open(arg[2], "wb"))
  file:write(("P5\n%d %d\n255\n"):format(width, height), ffi.string(got:data(), got.nbytes))
  file:close()
end
-- The software device counts the work of its kernels, a GPU all time that passes, compiling included.
print(("%d x %d pixels on %s: %s in %.2f %s"):format(width, height, ctx:get_device():name(),
  soft and "counted" or "compiled and counted", stop:time_since(start), soft and "simulated ms" or "ms"))
print(("the middle is %d, between %d and %d are 96%%, all as in the Lua loops"):format(middle, low, high))
