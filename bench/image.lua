-- Filters of pictures beside a copy of as many bytes: convolutions with kernels of several sizes, two passes, other
-- sizes, rotations. Results are compared with other ways to the same numbers.
--   ./dev bench image [ROUNDS]
--   ./dev bench image smoke    small pictures, nothing is timed: are the results right?
-- Rounds take turns. GB/s are of the least traffic: each pixel read once and written once. A convolution with a large
-- kernel is bound by its sums; for these Gfma/s are counted.
local start = dofile "bench/common/start.lua"(5)
local cuda, dev, device, tiny, rounds = start.cuda, start.dev, start.device, start.tiny, start.rounds
local report = dofile "bench/common/report.lua"
local gpuarray, image = cuda.gpuarray, cuda.image

print(("%s, driver %d, %s"):format(dev:name(), cuda.get_driver_version(), jit.version))
print(tiny and "small pictures: results are compared, nothing is timed" or ("%d rounds"):format(rounds))
report.head "copy"

local HEIGHT, WIDTH = tiny and 48 or 4096, tiny and 70 or 6144
local launches = 20

local function noise(shape, dtype)
  local x = cuda.random.Generator(7):uniform(shape, 0, dtype == "uint8" and 255 or 1)
  return x:astype(dtype):copy()
end

---@param r {text: string, a: any, f: function, check: function, fmas: integer?}  fmas: for each pixel of the result
local function row(r)
  local y = r.f()
  r.check(y)
  local result = { work = r.text, unit = r.fmas and "Gfma/s" or "GB/s" }
  if not tiny then
    local bytes = r.a.nbytes + y.nbytes
    local from = gpuarray.zeros(math.floor(bytes / 8), "float32")
    local to = gpuarray.empty_like(from)
    local times = report.turns(rounds, {
      { "base", function()
        return device(function() cuda.memcpy_dtod_async(to.ptr, from.ptr, from.nbytes) end, launches)
      end },
      { "ours", function() return device(function() r.f():release() end, launches) end },
    })
    local per = r.fmas and r.fmas * y.size or bytes
    result.base = not r.fmas and per / report.median(times.base) * 1e-3 or nil
    result.ours = per / report.median(times.ours) * 1e-3
    result.ratio = not r.fmas and report.ratio(times.base, times.ours) or nil
  end
  report.row(result, false)
  y:release()
  cuda.collect()
end

local function near(text, far)
  return function(y, expected)
    local off = (y:astype "float32" - expected:astype "float32"):abs():max():item()
    if off ~= off or off > far then error(("%s: the results are %g apart"):format(text, off)) end
  end
end

-- The sum of shifted parts of the padded picture.
local function shifted(a, kernel)
  local h, w = kernel.shape[1], kernel.shape[2]
  local up, left = math.floor(h / 2), math.floor(w / 2)
  local padded = a:astype "float32":pad { { up, up }, { left, left } }
  local weights, sum = kernel:get(), 0
  for r = 1, h do
    for c = 1, w do
      sum = sum + padded[{ { h + 1 - r, -r }, { w + 1 - c, -c } }] * weights:get(r, c)
    end
  end
  return sum
end

local SAME = { mode = "same" }
for _, t in ipairs { "float32", "uint8", "float64" } do
  local a = noise({ HEIGHT, WIDTH }, t)
  for _, side in ipairs(t == "float32" and { 3, 5, 15, 31 } or { 3, 15 }) do
    local k = cuda.random.Generator(side):uniform({ side, side }, 0, 2 / side ^ 2):copy()
    local text = ("%s, kernel of %d x %d"):format(t, side, side)
    row { text = text, a = a, fmas = side > 5 and side * side or nil,
      f = function() return image.convolve2d(a, k, SAME) end,
      check = function(y)
        if side > 5 and not tiny then return end -- a kernel of hundreds of terms
        local expected = shifted(a, k)
        near(text, t == "uint8" and 0.51 or 1e-4)(y, t == "uint8" and expected:minimum(255) or expected)
      end }
  end
  local w = cuda.random.Generator(3):uniform(19, 0, 1 / 9):copy()
  row { text = t .. ", column and row of 19", a = a, f = function() return image.separable(a, w, w, SAME) end,
    check = function(y) near("separable", t == "uint8" and 1 or 1e-4)(y, image.convolve2d(a, w:outer(w), SAME)) end }
end

local photo = noise({ HEIGHT, WIDTH, 3 }, "uint8")
row { text = "uint8 x 3, kernel of 3 x 3", a = photo,
  f = function() return image.convolve2d(photo, gpuarray.full({ 3, 3 }, 1 / 9), { channels = true, mode = "same" }) end,
  check = function(y)
    local one = photo[{ {}, {}, 2 }]:copy()
    near("colours", 0)(y[{ {}, {}, 2 }], image.convolve2d(one, gpuarray.full({ 3, 3 }, 1 / 9), SAME))
  end }
for _, filter in ipairs { "nearest", "linear", "cubic", "area" } do
  for _, scale in ipairs { 0.5, 2 } do
    local o = { channels = true, filter = filter }
    row { text = ("uint8 x 3, resized by %g, %s"):format(scale, filter), a = photo,
      f = function() return image.resize(photo, { HEIGHT * scale, WIDTH * scale }, o) end,
      check = function(y)
        local back = image.resize(photo:flip { 1, 2 }:copy(), { HEIGHT * scale, WIDTH * scale }, o)
        local expected = filter == "area" and scale == 0.5 and photo:astype "float32":reshape(HEIGHT / 2, 2, WIDTH / 2,
          2, 3):mean { 2, 4 } or filter == "nearest" and scale == 0.5 and photo[{ { 2, -1, 2 }, { 2, -1, 2 }, {} }] or
          back:flip { 1, 2 }
        near(filter, 1)(y, expected)
      end }
  end
end
for _, filter in ipairs { "nearest", "linear", "cubic" } do
  row { text = "uint8 x 3, rotated by 30 degrees, " .. filter, a = photo,
    f = function() return image.rotate(photo, 30, { channels = true, filter = filter }) end,
    check = function(y)
      local turned = image.rotate(photo:flip { 1, 2 }, 30 - 180, { channels = true, filter = filter })
      near(filter, 1)(y, turned)
    end }
end

if not tiny then report.table "copy" end
report.summary(("image: %d s"):format(start.seconds()))
