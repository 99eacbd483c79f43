-- Products that are reduced (docs/products.md): tiles beside the other kernels.
--   ./dev run bench/programs/products.lua [ROWS [ROUNDS]]
-- Milliseconds are medians of the rounds, the variants in turns. Tops: operations of the best variant, 1e12 a second.
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local now = dofile "bench/common/clock.lua"
local outer = require "cudalua.gpuarray.reduce.outer"

cuda.init()
local soft = cuda.driver_info().soft
local context = cuda.Device(0):retain_primary_context()
context:push()
local rows, rounds = tonumber(arg[1]) or soft and 32 or 4096, tonumber(arg[2]) or soft and 1 or 9
local CALLS = soft and 1 or 10
local new = gpuarray.newaxis

-- Operations of a term, and the program.
local programs = {
  { "squared distances", 3, function(a, b) return ((a[{ {}, new }] - b[{ new }]) ^ 2):sum(3) end },
  { "L1 distances", 3, function(a, b) return gpuarray.abs(a[{ {}, new }] - b[{ new }]):sum(3) end },
  { "largest difference", 2, function(a, b) return (a[{ {}, new }] - b[{ new }]):max(3) end },
  { "argmin of squares", 3, function(a, b) return ((a[{ {}, new }] - b[{ new }]) ^ 2):argmin(3) end },
}

local BATCH, RESIDENT = outer.BATCH, outer.RESIDENT
local variants = { { "other kernels", enabled = false }, { "as chosen" },
  { "4x4", tile = { rows = 4, columns = 4 } }, { "4x2", tile = { rows = 4, columns = 2 } },
  { "2x2", tile = { rows = 2, columns = 2 } }, { "4x4, batch 8", tile = { rows = 4, columns = 4 }, batch = 8 },
  { "4x4, all registers", tile = { rows = 4, columns = 4 }, resident = false } }

local function set(v)
  outer.enabled, outer.tile, outer.BATCH = v.enabled ~= false, v.tile or false, v.batch or BATCH
  outer.RESIDENT = v.resident == nil and RESIDENT or v.resident
end

local function time(f, a, b)
  f(a, b):eval()
  context:synchronize()
  local start = now()
  for _ = 1, CALLS do f(a, b):eval() end
  context:synchronize()
  return (now() - start) / CALLS
end

local function row(title, terms, operations, a, b, f)
  local times, text, least = {}, "", math.huge
  for round = 0, rounds do -- one to compile
    for k, v in ipairs(variants) do
      set(v)
      times[k] = times[k] or {}
      times[k][round] = time(f, a, b)
    end
  end
  for k = 1, #variants do
    table.sort(times[k])
    local t = times[k][math.ceil(rounds / 2)]
    text, least = ("%s %.3f |"):format(text, t), math.min(least, t)
  end
  print(("| %s |%s %.1f |"):format(title, text, terms * operations / least / 1e9))
end

local head, line = "| program | dtype | n |", "| --- | --- | --- |"
for _, v in ipairs(variants) do head, line = head .. " " .. v[1] .. " |", line .. " --- |" end
print(("%d x %d outputs on %s; ms, and Tops of the best"):format(rows, rows, cuda.Device(0):name()))
print(head .. " Tops |")
print(line .. " --- |")
for _, dtype in ipairs { "float32", "float64", "float16" } do
  for _, n in ipairs { 4, 16, 64, 256 } do
    local x = (gpuarray.arange(2 * rows * n, "int32") * 7919 % 1021 / 1021):astype(dtype):reshape(2 * rows, n):eval()
    local a, b = x[{ { 1, rows } }], x[{ { rows + 1, 2 * rows } }]
    for _, p in ipairs(programs) do
      row(("%s | %s | %d"):format(p[1], dtype, n), rows * rows * n, p[2], a, b, p[3])
    end
  end
end
-- Distances of a step of k-means: many points, few centres, few numbers of each.
local points = (gpuarray.arange(rows * 256 * 4, "int32") % 1021 / 1021):astype("float32"):reshape(rows * 256, 4):eval()
local centres = points[{ { 1, 16 } }]:copy()
row("k-means distances | float32 | 4", rows * 256 * 16 * 4, 3, points, centres, programs[1][3])
