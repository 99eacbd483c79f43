-- The Mandelbrot set: z = z^2 + c for every point of a picture, written as Lua writes it for one number.
--   luajit examples/11_mandelbrot.lua [WIDTH [OUT.ppm]]      default: 3000 pixels, on the software device 150
local cuda = require "cudalua"
local ffi = require "ffi"
local gpuarray = cuda.gpuarray

cuda.init()
local ctx = cuda.Device(0):make_context()
local width = math.floor(tonumber(arg and arg[1]) or (cuda.driver_info().soft and 150 or 3000))
local height = math.ceil(width * 5 / 6)
local steps, together, radius = 200, 25, 16

-- The plane: a row of real parts and a column of imaginary ones give a matrix of complex numbers.
local i = ffi.new("complex", 0, 1)
local x = gpuarray.linspace(-2.25, 0.75, width, "float64")
local y = gpuarray.linspace(1.25, -1.25, height, "float64")
local c = x + y:reshape(height, 1) * i

-- 25 steps are one kernel, with two results: where the points are now, and after how many steps they left.
local iterate = gpuarray.fuse(function(z, count)
  for _ = 1, together do
    local near = (z:real() ^ 2 + z:imag() ^ 2):le(radius ^ 2)
    z = gpuarray.where(near, z * z + c, z)
    count = count + near
  end
  return z, count
end)

local start, stop = cuda.Event(), cuda.Event()
start:record()
local z, count = gpuarray.zeros_like(c), gpuarray.zeros({ height, width }, "int32")
for _ = 1, steps / together do z, count = iterate(z, count) end
stop:record()

-- A count without steps, from how far outside a point came, and of it colours. What never left stays black.
local inside = count:eq(steps)
local t = ((count + 1 - z:abs():maximum(radius):log2():log2()) / steps):clip(0, 1)
t = gpuarray.where(inside, 1, t) ^ 0.5
local picture = gpuarray.empty({ height, width, 3 }, "uint8")
picture[{ {}, {}, 1 }] = (255 * 9 * (1 - t) * t ^ 3):astype "uint8"
picture[{ {}, {}, 2 }] = (255 * 15 * (1 - t) ^ 2 * t ^ 2):astype "uint8"
picture[{ {}, {}, 3 }] = (255 * 8.5 * (1 - t) ^ 3 * t):astype "uint8"

-- The same for some points, one number after the other. Complex products are not joined with sums, so that doubles give
-- the same bits here and there.
local function leaves_after(cx, cy)
  local zx, zy = 0, 0
  for n = 0, steps - 1 do
    if zx * zx + zy * zy > radius ^ 2 then return n end
    zx, zy = zx * zx - zy * zy + cx, zx * zy + zy * zx + cy
  end
  return steps
end
local counts, xs, ys = count:get(), x:get(), y:get()
local checked = 0
for k = 0, width * height - 1, 7 do
  local row, column = math.floor(k / width) + 1, k % width + 1
  local want, got = leaves_after(xs[column], ys[row]), counts:get(row, column)
  assert(got == want, ("pixel (%d, %d) leaves after %d steps, not %d"):format(row, column, want, got))
  checked = checked + 1
end
local area = inside:mean():item() * 3 * 2.5
assert(width < 100 or math.abs(area - 1.51) < 0.05, ("the set's area is 1.507, not %.3f"):format(area))

if arg and arg[2] then
  local file = assert(io.open(arg[2], "wb"))
  file:write(("P6\n%d %d\n255\n"):format(width, height), ffi.string(picture:get():data(), picture.nbytes))
  file:close()
end
local unit = cuda.driver_info().soft and "simulated ms" or "ms"
print(("%d x %d points, %d steps in %.1f %s on %s"):format(width, height, steps, stop:time_since(start), unit,
  ctx:get_device():name()))
print(("the set's area is about %.3f; %d points checked, all as expected"):format(area, checked))
