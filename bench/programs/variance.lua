-- Variances in one pass over memory, beside two passes; and other divisions of the work: V1 to V3 of docs/rows.md.
--   ./dev run bench/programs/variance.lua [all|rows|columns [ELEMENTS [ROUNDS]]]
-- all: programs in one pass and in two. rows, columns: one pass of float32, by other divisions of the work.
-- Milliseconds are medians of the rounds, the variants in turns. GB/s: of the first variant, an array read once.
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local joint = require "cudalua.gpuarray.reduce.joint"
local run = require "cudalua.gpuarray.reduce.run"
local now = dofile "bench/common/clock.lua"

io.stdout:setvbuf "line"
cuda.init()
local soft = cuda.driver_info().soft
local context = cuda.Device(0):retain_primary_context()
context:push()
local which = arg[1] or "all"
local elements, rounds = tonumber(arg[2]) or soft and 2 ^ 14 or 2 ^ 26, tonumber(arg[3]) or soft and 1 or 3
local CALLS = soft and 1 or 10
local keep = { keepdims = true }
local ONE, MOMENTS, BLOCKS = 512, joint.moments, run.blocks -- 512: the least number that one pass is possible for

local function lines(columns) return { math.max(1, elements / columns), columns } end
local function standard(axis)
  return function(x) return (x - x:mean(axis, keep)) / x:std(axis, keep) end
end
local function both(axis)
  return function(x) return x:mean(axis), x:var(axis) end
end

-- What is timed: name, types, shape, the program, and whether other divisions of rows or columns are tried.
local ALL, FLOATS, FLOAT = { "float32", "float16", "float64" }, { "float32", "float16" }, { "float32" }
local columns, long, short = lines(soft and 16 or 256), lines(soft and 1024 or 65536), soft and 1024 or 2048
local programs = {
  { "std of all", ALL, { elements }, function(x) return x:std() end, "rows" },
  { "mean and var down columns", ALL, columns, both(1), "columns" },
  { "mean and var down many columns", FLOATS, lines(elements / short), both(1), "columns" },
  { "mean and var down 16 columns", FLOAT, lines(16), both(1), "columns" },
  { "mean and var down 3 columns", FLOAT, { math.floor(elements / 3), 3 }, both(1) },
  { "standardise columns", FLOAT, columns, standard(1) },
  { "var along rows", FLOATS, long, function(x) return x:var(2) end, "rows" },
  { "mean and var along rows", FLOAT, long, both(2), "rows" },
}
for _, n in ipairs(soft and { 1024 } or { 1024, 4096, 16384 }) do
  programs[#programs + 1] = { "var along rows", FLOAT, lines(n), function(x) return x:var(2) end }
  programs[#programs + 1] = { "standardise rows", FLOAT, lines(n), standard(2) }
end

-- The moments of both types with other fields.
local function with(changes)
  local all = {}
  for name, m in pairs(MOMENTS) do
    all[name] = {}
    for key, value in pairs(m) do all[name][key] = changes[key] or value end
  end
  return all
end
local one = { "one pass", moments = MOMENTS }
local variants = {
  all = { one, { "two passes", moments = MOMENTS, least = math.huge } },
  rows = { one, { "chunks of 32", moments = with { chunk = 32 } }, { "1 round", moments = with { rounds = 1 } },
    { "2 rounds", moments = with { rounds = 2 } }, { "more blocks", moments = MOMENTS, blocks = 4096 } },
  columns = { one, { "chunks of 32", moments = with { chunk = 32 } }, { "one column", moments = with { most = 1 } },
    { "3 levels", moments = with { levels = 3 } }, { "512 blocks", moments = with { share = 1 / 4 } },
    { "one, 3 blocks", moments = with { most = 1, levels = 3, resident = 3 } } },
}

local function time(f, x)
  local function call()
    local a, b = f(x)
    if b then gpuarray.eval(a, b) else a:eval() end
  end
  context:synchronize()
  local start = now()
  for _ = 1, CALLS do call() end
  context:synchronize()
  return (now() - start) / CALLS
end

local tried = variants[which]
local head, line = "| program | dtype | shape |", "| --- | --- | --- |"
for _, v in ipairs(tried) do head, line = head .. " " .. v[1] .. " |", line .. " --- |" end
print(("%.0f M elements on %s; ms, and GB/s of one pass"):format(elements / 2 ^ 20, cuda.Device(0):name()))
print(head .. " GB/s |")
print(line .. " --- |")
for _, p in ipairs(programs) do
  local name, types, shape, f, divisions = unpack(p)
  for _, dtype in ipairs((which == "all" or divisions == which) and (which == "all" and types or FLOAT) or {}) do
    local n = shape[1] * (shape[2] or 1)
    local x = (gpuarray.arange(n, "int32") % 1021 / 1021 + 3):astype(dtype):reshape(unpack(shape)):eval()
    local times, text = {}, ""
    for round = 0, rounds do -- one to compile
      for k, v in ipairs(tried) do
        joint.TWO_PASSES, joint.moments, run.blocks = v.least or ONE, v.moments, v.blocks or BLOCKS
        times[k] = times[k] or {}
        times[k][round] = time(f, x)
      end
    end
    for k = 1, #tried do
      table.sort(times[k])
      text = ("%s %.3f |"):format(text, times[k][math.ceil(rounds / 2)])
    end
    local best = times[1][math.ceil(rounds / 2)]
    print(("| %s | %s | %s |%s %.0f |"):format(name, dtype, table.concat(shape, " x "), text,
      x.size * x.dtype.itemsize / best / 1e6))
  end
end
