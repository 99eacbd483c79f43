-- Looking at arrays: the waves of two sources as a picture in the terminal, a cut through them as a plot, their heights
-- as a histogram; the picture as a PNG file and the cut as text, which are read again and compared.
--   luajit examples/20_looking.lua [FOLDER]
-- FOLDER gets waves.png, cut.txt, cut.svg and heights.svg; without one the files are removed at the end.
local cuda = require "cudalua"
local gpuarray, ndarray, files = cuda.gpuarray, cuda.ndarray, cuda.io

local H, W = 300, 480
local LENGTH = 60 -- of a wave, in pixels

local folder = arg[1]
local made = {}
local function path(name)
  local where = (folder or os.tmpname() .. "_") .. (folder and "/" or "") .. name
  made[#made + 1] = where
  return where
end

-- Heights at each pixel: sin(distance) of both sources.
local y, x = gpuarray.arange(H, "float32"):reshape { H, 1 }, gpuarray.arange(W, "float32"):reshape { 1, W }
local function source(at_y, at_x) return gpuarray.sin(gpuarray.hypot(y - at_y, x - at_x) * (2 * math.pi / LENGTH)) end
local waves = (source(H / 2, W / 3) + source(H / 2, 2 * W / 3)):eval()

cuda.show(waves, { map = "coolwarm", vmin = -2, vmax = 2 })
local cut = waves[1]
cuda.plot { cut, title = "the first row", xlabel = "pixel", height = 16 }
cuda.plot { waves, kind = "hist", bins = 40, title = "heights", height = 14 }
cuda.plot { cut, title = "the first row", xlabel = "pixel", ylabel = "height", file = path "cut.svg" }
cuda.plot { waves, kind = "hist", bins = 40, title = "heights", file = path "heights.svg" }

-- From -2 .. 2 to 0 .. 1, which is black to white.
local png, txt = path "waves.png", path "cut.txt"
files.save_image(png, (waves + 2) / 4)
files.savetxt(txt, cut:astype "float64", { header = "height in the first row" })

local picture = files.load_image(png)
for i = 1, H, 7 do
  for j = 1, W, 7 do
    local function wave(at_x)
      return math.sin(math.sqrt((i - 1 - H / 2) ^ 2 + (j - 1 - at_x) ^ 2) * 2 * math.pi / LENGTH)
    end
    local want = (wave(W / 3) + wave(2 * W / 3) + 2) / 4 * 255
    if math.abs(picture:get(i, j) - want) > 0.51 then
      error(("pixel %d, %d is %d, not %.2f"):format(i, j, picture:get(i, j), want))
    end
  end
end
assert(ndarray.equal(cut:get():astype "float64", files.loadtxt(txt)))
for _, name in ipairs { made[1], made[2] } do
  local text = assert(io.open(name)):read "*a"
  assert(text:find "^<svg " and text:find "</svg>\n$", name)
end
if not folder then
  for _, name in ipairs(made) do
    os.remove(name)
    os.remove((name:gsub("_[%w.]+$", "")))
  end
end
print(("%d x %d pixels shown, plotted and written to %d files, all as expected"):format(W, H, #made))
