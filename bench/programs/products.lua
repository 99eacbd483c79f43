-- Products that are reduced (docs/products.md) and stencils (docs/stencils.md), beside the other kernels.
--   ./dev run bench/programs/products.lua [ROWS [ROUNDS [products|stencils]]]
-- Milliseconds are medians of the rounds, the variants in turns. Tops: operations of the best variant, 1e12 a second.
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local now = dofile "bench/common/clock.lua"
local ends = require "cudalua.gpuarray.core.ends"
local outer = require "cudalua.gpuarray.reduce.outer"
local shifted = require "cudalua.gpuarray.core.shifted"

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

local BATCH, RESIDENT, ROWS = outer.BATCH, outer.RESIDENT, shifted.ROWS

local function set(v)
  outer.enabled, outer.tile, outer.BATCH = v.enabled ~= false, v.tile or false, v.batch or BATCH
  outer.RESIDENT = v.resident == nil and RESIDENT or v.resident
  shifted.enabled, shifted.ROWS = v.enabled ~= false, v.rows or ROWS
  ends.forget()
end

local function time(f, a, b)
  f(a, b):eval()
  context:synchronize()
  local start = now()
  for _ = 1, CALLS do f(a, b):eval() end
  context:synchronize()
  return (now() - start) / CALLS
end

-- Milliseconds of all variants, and the least of them.
local function measure(variants, f, a, b)
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
  return text, least
end

local function head(columns, variants, last)
  local text, line = "| " .. columns .. " |", "|" .. columns:gsub("[^|]+", " --- ") .. "|"
  for _, v in ipairs(variants) do text, line = text .. " " .. v[1] .. " |", line .. " --- |" end
  print(("%s %s |\n%s --- |"):format(text, last, line))
end

local part = arg[3]
print(("%d rows on %s"):format(rows, cuda.Device(0):name()))

-- ---- products -------------------------------------------------------------------------------------------------------

local tiles = { { "other kernels", enabled = false }, { "as chosen" },
  { "4x4", tile = { rows = 4, columns = 4 } }, { "4x2", tile = { rows = 4, columns = 2 } },
  { "2x2", tile = { rows = 2, columns = 2 } }, { "4x4, batch 8", tile = { rows = 4, columns = 4 }, batch = 8 },
  { "4x4, all registers", tile = { rows = 4, columns = 4 }, resident = false } }

local function product(title, terms, p, a, b)
  local text, least = measure(tiles, p[3], a, b)
  print(("| %s |%s %.1f |"):format(title, text, terms * p[2] / least / 1e9))
end

if part ~= "stencils" then
  head("program | dtype | n", tiles, "Tops")
  for _, dtype in ipairs { "float32", "float64", "float16" } do
    for _, n in ipairs { 4, 16, 64, 256 } do
      local x = (gpuarray.arange(2 * rows * n, "int32") * 7919 % 1021 / 1021):astype(dtype):reshape(2 * rows, n):eval()
      local a, b = x[{ { 1, rows } }], x[{ { rows + 1, 2 * rows } }]
      for _, p in ipairs(programs) do product(("%s | %s | %d"):format(p[1], dtype, n), rows * rows * n, p, a, b) end
    end
  end
  -- Distances of a step of k-means: many points, few centres, few numbers of each.
  local points = (gpuarray.arange(rows * 1024, "int32") % 1021 / 1021):astype("float32"):reshape(rows * 256, 4):eval()
  product("k-means distances | float32 | 4", rows * 256 * 16 * 4, programs[1], points, points[{ { 1, 16 } }]:copy())
end

-- ---- stencils -------------------------------------------------------------------------------------------------------

local function load_program(name) return dofile("bench/programs/" .. name .. ".lua").program end

-- Arrays that are moved, and the program.
local stencils = {
  { "3 x 3 box by views", "float32", 2, function(x)
    local sum
    for i = 1, 3 do
      for j = 1, 3 do
        local v = x[{ { i, i - 4 }, { j, j - 4 } }]
        sum = sum and sum + v or v
      end
    end
    return sum
  end },
  { "five points by views", "float32", 2, function(x)
    local all = { 2, -2 }
    return x[{ { 1, -3 }, all }] + x[{ { 3, -1 }, all }] + x[{ all, { 1, -3 } }] + x[{ all, { 3, -1 } }] -
      4 * x[{ all, all }]
  end },
  { "four rolls", "float32", 2, function(x)
    return x:roll(1, 1) + x:roll(-1, 1) + x:roll(1, 2) + x:roll(-1, 2)
  end },
  { "Life by rolls", "uint8", 2, load_program "life" },
  { "differences along rows", "float32", 2, function(x) return x:roll(-1, 2) - x end },
  { "8 steps of a wave", "float32", 31, function(x)
    local last, before = load_program "wave"(x:reshape(x.size), x:reshape(x.size))
    return last + before
  end },
}

local ways = { { "other kernels", enabled = false }, { "as chosen" }, { "4 rows", rows = 4 }, { "16 rows", rows = 16 } }

if part ~= "products" then
  shifted.LEAST = soft and 1 or shifted.LEAST
  ends.forget()
  head("program | dtype", ways, "GB/s")
  for _, s in ipairs(stencils) do
    local extent = s[3] > 2 and rows or 2 * rows
    local x = (gpuarray.arange(extent * extent, "int32") % 7):lt(3):astype(s[2]):reshape(extent, extent):eval()
    local text, least = measure(ways, s[4], x)
    print(("| %s | %s |%s %.0f |"):format(s[1], s[2], text, s[3] * extent * extent * x.dtype.itemsize / least / 1e6))
  end
end
