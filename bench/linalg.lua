-- Products of square matrices on the library's own kernels, beside cuBLAS in the same process where it opens
-- (bench/linalg/cublas.lua). Rounds take turns; a time is the median of them, between events. Results of both are
-- compared, those of a small run with products of wider types.
--   ./dev bench linalg [ROUNDS]
--   ./dev bench linalg smoke     small matrices: the results alone, as on the software device
--   CUDALUA_TILES=1 ./dev bench linalg    each tile, too
-- float16 of cuBLAS runs on tensor cores; own kernels add up in float32 by fmaf, or on tensor cores in the rows with
-- "tensor" (linalg.precision) and of int8. The last rows are a matrix times a vector, in GB/s of the matrix.
local start = dofile "bench/common/start.lua"(5)
local cuda, dev, device, tiny = start.cuda, start.dev, start.device, start.tiny
local report = dofile "bench/common/report.lua"
local gpuarray, random = cuda.gpuarray, cuda.random
cuda.linalg.backend "own"
local plan = require "cudalua.gpuarray.product.plan"

local rounds = tonumber(arg[1]) or tiny and 1 or 5
local tiles = os.getenv "CUDALUA_TILES" and { 1, 2, 4, 8 } or {}
local sizes = tiny and { 64, 100 } or { 256, 512, 1024, 2048, 4096, 8192 }
local TYPES = { "float32", "float64", "float16", "complex64", "int8", "float16 tensor", "bfloat16 tensor",
  "float32 tensor" }

local cublas = not cuda.driver_info().soft and dofile "bench/linalg/cublas.lua" or nil
if cublas then cublas.start() end
print(("%s, cuBLAS %s"):format(dev:name(), cublas and cublas.version .. " " .. cublas.path or
  "- (set CUBLAS to its path)"))

local function matrix(t, n)
  local x = random.uniform({ n, n }, -1, 1, t == "float64" and "float64" or "float32")
  if t == "int8" then x = x * 127 end
  if t == "complex64" then x = x:astype(t) * require("ffi").new("complex", 1, 0.5) end
  return x:astype(t):eval()
end

local function launches_of(n) return tiny and 1 or math.max(2, math.min(200, math.floor(4e10 / n ^ 3))) end

local WIDE = { complex64 = "complex128" } -- of all others: float64

-- Do they differ by no more than rounding does?
local function close(x, y, t, n, on_tensor)
  local eps = t == "float64" and 2 ^ -52 or t == "float32" and on_tensor and 2 ^ -13 or 2 ^ -23
  local bound = t == "int8" and 0 or t == "float16" and 2 ^ -8 * math.sqrt(n) or t == "bfloat16" and
    2 ^ -5 * math.sqrt(n) or 32 * eps * math.sqrt(n) * math.max(1, math.log(n))
  local wide = WIDE[t] or "float64"
  return (x:astype(wide) - y:astype(wide)):abs():max():item() <= bound
end

print(("%-15s %6s  %10s %10s  %6s"):format("dtype", "n", "own", "cuBLAS", "ratio"))
local wrong, rows = 0, 0
for _, name_of_row in ipairs(TYPES) do
  local t, precision = name_of_row:match "%S+", name_of_row:match " (%S+)" or "full"
  local on_tensor = precision == "tensor"
  cuda.linalg.precision(precision)
  for _, n in ipairs(sizes) do
    local a, b, c = matrix(t, n), matrix(t, n), gpuarray.zeros({ n, n }, t == "int8" and "int32" or t)
    local launches = launches_of(n)
    local flops = (t == "complex64" and 8 or 2) * n ^ 3
    local forms = { { "own", function()
      return device(function() a:matmul(b):release() end, launches)
    end } }
    for _, tile in ipairs(tiles) do
      forms[#forms + 1] = { "tile " .. 16 * tile, function()
        plan.forced = tile
        local time = device(function() a:matmul(b):release() end, launches)
        plan.forced = false
        return time
      end }
    end
    local peer = cublas and cublas.product(t, n, a.ptr, b.ptr, c.ptr, on_tensor and t == "float32")
    if peer then forms[#forms + 1] = { "cuBLAS", function() return device(peer, launches) end } end
    local times = report.turns(rounds, forms)
    local function speed(name) return times[name] and flops / report.median(times[name]) * 1e-6 end
    local own, theirs = speed "own", speed "cuBLAS"
    local line = ("%-15s %6d  %10.3f %10s  %6s"):format(name_of_row, n, own, theirs and ("%.3f"):format(theirs) or "-",
      theirs and ("%.2f"):format(own / theirs) or "-")
    for _, tile in ipairs(tiles) do
      local name = "tile " .. 16 * tile
      line = line .. ("  %s: %.3f"):format(name, speed(name))
    end
    if peer then peer() end
    local wide = WIDE[t] or "float64"
    local want = peer and c or tiny and a:astype(wide):matmul(b:astype(wide)) or nil
    if want and not close(a:matmul(b), want, t, n, on_tensor) then
      wrong = wrong + 1
      line = line .. "  DIFFERENT RESULTS"
    end
    rows = rows + 1
    print(line .. (own and not tiny and "  TFLOP/s" or ""))
    for _, x in ipairs { a, b, c } do x:release() end
  end
end

cuda.linalg.precision "full"
print(("%-20s %6s  %10s"):format("matrix and vector", "n", "GB/s"))
for _, t in ipairs { "float32", "float64" } do
  for _, n in ipairs(sizes) do
    local a = matrix(t, n)
    local x = a[1]:copy()
    local at = a.T
    for _, form in ipairs { { "a x", function() a:matmul(x):release() end },
      { "a' x", function() at:matmul(x):release() end } } do
      local times = {}
      for r = 1, rounds do times[r] = device(form[2], tiny and 1 or 50) end
      rows = rows + 1
      print(("%-20s %6d  %10.1f"):format(t .. " " .. form[1], n, a.nbytes / report.median(times) * 1e-3))
    end
    a:release()
  end
end

if wrong > 0 then
  io.stderr:write(("bench: %d products are not what they have to be\n"):format(wrong))
  os.exit(1)
end
print(("linalg: %d rows"):format(rows))
