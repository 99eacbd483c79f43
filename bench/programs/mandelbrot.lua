-- The Mandelbrot set as a loop that carries z and the number of steps.
local ffi = require "ffi"
local main = dofile "bench/programs/main.lua"
local gpuarray = require "cudalua.gpuarray"
local M = { name = "mandelbrot", title = "Mandelbrot, 50 steps", small = { 9, 12 }, large = { 2048, 2048 },
  tolerance = { 1e-3, 0 } }

function M.inputs(size)
  local y, x = gpuarray.linspace(-1.2, 1.2, size[1]), gpuarray.linspace(-2.1, 0.6, size[2])
  return gpuarray.complex(x, y[{ {}, gpuarray.newaxis }])
end

function M.program(c)
  local z = gpuarray.zeros(c.shape, "complex64")
  local count = gpuarray.zeros(c.shape, "int32")
  for _ = 1, 50 do
    local inside = z:abs():le(2)
    z = gpuarray.where(inside, z * z + c, z)
    count = count + inside
  end
  return z, count
end

-- Rounded to float32: points that stay inside would lose every digit otherwise.
local cell = ffi.new "float[1]"
local function f(x)
  cell[0] = x
  return cell[0]
end

function M.reference(c)
  local zs, counts = {}, {}
  for i, row in ipairs(c) do
    zs[i], counts[i] = {}, {}
    for j, at in ipairs(row) do
      local re, im, count = 0, 0, 0
      for _ = 1, 50 do
        if math.sqrt(re * re + im * im) <= 2 then
          re, im = f(f(f(re * re) - f(im * im)) + at.re), f(f(2 * f(re * im)) + at.im)
          count = count + 1
        end
      end
      zs[i][j], counts[i][j] = { re = re, im = im }, count
    end
  end
  return zs, counts
end

return main.run(M)
