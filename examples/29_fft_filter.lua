-- Stripes that a scanner left on a picture: in the picture's Fourier transform they are a few bright points, which are
-- found, put out, and transformed back. Two are found as a pair, as the picture is real.
--   luajit examples/29_fft_filter.lua [IN.ppm [OUT.png]]
-- Without a picture make_image.lua makes one. OUT.png gets the striped picture, its spectrum and the cleaned picture,
-- side by side.
local cuda = require "cudalua"
local gpuarray, fft = cuda.gpuarray, cuda.fft

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local here = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$" or "."
local bytes, width, height = dofile(here .. "/make_image.lua").read(arg[1], soft and 96 or 1280, soft and 64 or 853)

-- Luminance from 0 to 1, and two waves across it. rows and columns broadcast to the picture.
local rgb = gpuarray.to_gpu(bytes, "uint8", { shape = { height, width, 3 } }):astype "float32" / 255
local picture = (0.3 * rgb[{ {}, {}, 1 }] + 0.59 * rgb[{ {}, {}, 2 }] + 0.11 * rgb[{ {}, {}, 3 }]):eval()
local rows, columns = gpuarray.arange(height, "float32"):reshape(height, 1), gpuarray.arange(width, "float32")
local function wave(down, right, phase)
  return (2 * math.pi * (rows * (down / height) + columns * (right / width)) + phase):sin()
end
local DOWN, RIGHT = math.floor(height / 5), math.floor(width / 7)
local striped = (picture + 0.15 * wave(DOWN, RIGHT, 1) + 0.1 * wave(0, math.floor(width / 3), 2)):eval()

local start, stop = cuda.Event(), cuda.Event()
start:record()
local spectrum = fft.fft2(striped)
local size = spectrum:abs()

-- A point that belongs to a stripe is far brighter than the points around it. Frequencies near 0 are the picture's.
local down = fft.fftfreq(height, 1 / height):reshape(height, 1)
local right = fft.fftfreq(width, 1 / width)
local low = (down ^ 2 + right ^ 2):lt((math.min(width, height) / 10) ^ 2)
local around = gpuarray.zeros_like(size)
for _, by in ipairs { { 2, 0 }, { -2, 0 }, { 0, 2 }, { 0, -2 }, { 2, 2 }, { -2, -2 }, { 2, -2 }, { -2, 2 } } do
  around = gpuarray.maximum(around, gpuarray.roll(size, by, { 1, 2 }))
end
local bright = size:gt(gpuarray.maximum(around * 4, 0.01 * width * height)):logical_and(low:logical_not())
local cleaned = fft.ifft2(gpuarray.where(bright, 0, spectrum)):real():eval()
stop:record()
stop:synchronize()

local found = {}
for _, place in ipairs(gpuarray.argwhere(bright):tolist()) do
  found[#found + 1] = ("(%d, %d)"):format(down[{ place[1], 1 }]:item(), right[place[2]])
end
print("stripes: " .. table.concat(found, " "))

local function off(x) return ((x - picture) ^ 2):mean():item() ^ 0.5 end
local before, after = off(striped), off(cleaned)
if arg[2] then
  local shown = fft.fftshift((1 + size):log())
  local sheet = gpuarray.concatenate({ striped, shown / shown:max(), cleaned }, 2)
  cuda.io.save_image(arg[2], (sheet:clip(0, 1) * 255):round():astype "uint8")
end
assert(#found == 4, "two waves are two pairs of points")
assert(after < before / 10, ("the error fell from %.4f to %.4f only"):format(before, after))
print(("%d x %d pixels on %s in %.3f %s: error %.4f before, %.4f after; all as expected"):format(width, height,
  ctx:get_device():name(), stop:time_since(start), soft and "simulated ms" or "ms", before, after))
