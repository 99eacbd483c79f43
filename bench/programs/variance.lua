-- Variances in one pass over memory, beside two passes and other divisions of the work: V1 to V3 of docs/rows.md.
--   ./dev run bench/programs/variance.lua [ELEMENTS [ROUNDS]]
-- Milliseconds are medians of the rounds, the variants in turns. GB/s: of the first variant, an array read once.
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local joint = require "cudalua.gpuarray.reduce.joint"
local run = require "cudalua.gpuarray.reduce.run"
local now = dofile "bench/common/clock.lua"

cuda.init()
local soft = cuda.driver_info().soft
local context = cuda.Device(0):retain_primary_context()
context:push()
local elements, rounds = tonumber(arg[1]) or soft and 2 ^ 14 or 2 ^ 26, tonumber(arg[2]) or soft and 1 or 9
local CALLS = soft and 1 or 10
local keep = { keepdims = true }
local ONE, MOMENTS = 512, joint.moments -- the least number of elements for which one pass is possible

local function lines(columns) return { math.max(1, elements / columns), columns } end

-- What is timed: name, types, shape, and the program.
local ALL, FLOATS = { "float32", "float16", "float64" }, { "float32", "float16" }
local programs = {
  { "std of all", ALL, { elements }, function(x) return x:std() end },
  { "std of all, mean beside", ALL, { elements }, function(x)
    return gpuarray.eval(function() return x:mean(), x:std() end)
  end },
  { "var down columns", ALL, lines(soft and 16 or 256), function(x) return x:var(1) end },
  { "mean and var down columns", ALL, lines(soft and 16 or 256), function(x) return x:mean(1), x:var(1) end },
  { "mean and var down 16 columns", FLOATS, lines(16), function(x) return x:mean(1), x:var(1) end },
  { "mean and var down 3 columns", FLOATS, { math.floor(elements / 3), 3 }, function(x)
    return x:mean(1), x:var(1)
  end },
  { "standardise columns", FLOATS, lines(soft and 16 or 256), function(x)
    return (x - x:mean(1, keep)) / x:std(1, keep)
  end },
  { "mean and var down short columns", FLOATS, lines(elements / (soft and 1024 or 2048)), function(x)
    return x:mean(1), x:var(1)
  end },
  { "var along rows", ALL, lines(soft and 1024 or 65536), function(x) return x:var(2) end },
  { "mean and var along rows", ALL, lines(soft and 1024 or 65536), function(x) return x:mean(2), x:var(2) end },
}
for _, n in ipairs(soft and { 1024 } or { 1024, 4096, 8192, 16384 }) do
  programs[#programs + 1] = { "var along rows", FLOATS, lines(n), function(x) return x:var(2) end }
  programs[#programs + 1] = { "standardise rows", FLOATS, lines(n), function(x)
    return (x - x:mean(2, keep)) / x:std(2, keep)
  end }
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
local variants = { { "one pass", ONE, MOMENTS }, { "two passes", math.huge, MOMENTS },
  { "rows: shared chunks", ONE, with { together = 1 } }, { "rows: 64 bytes", ONE, with { bytes = 64 } },
  { "columns: one", ONE, with { most = 1, resident = 3 } }, { "columns: 4", ONE, with { most = 4 } },
  { "columns: shorter", ONE, with { longest = 6 } }, { "columns: 3 blocks", ONE, with { resident = 3 } },
  { "more blocks", ONE, MOMENTS, blocks = 4096 } }
local BLOCKS = run.blocks

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

local head, line = "| program | dtype | shape |", "| --- | --- | --- |"
for _, v in ipairs(variants) do head, line = head .. " " .. v[1] .. " |", line .. " --- |" end
print(("%.0f M elements on %s; ms, and GB/s of one pass"):format(elements / 2 ^ 20, cuda.Device(0):name()))
print(head .. " GB/s |")
print(line .. " --- |")
for _, p in ipairs(programs) do
  local name, types, shape, f = unpack(p)
  for _, dtype in ipairs(types) do
    local n = shape[1] * (shape[2] or 1)
    local x = (gpuarray.arange(n, "int32") % 1021 / 1021 + 3):astype(dtype):reshape(unpack(shape)):eval()
    local times, text = {}, ""
    for round = 0, rounds do -- one to compile
      for k, v in ipairs(variants) do
        joint.TWO_PASSES, joint.moments, run.blocks = v[2], v[3], v.blocks or BLOCKS
        times[k] = times[k] or {}
        times[k][round] = time(f, x)
      end
    end
    for k = 1, #variants do
      table.sort(times[k])
      text = ("%s %.3f |"):format(text, times[k][math.ceil(rounds / 2)])
    end
    local best = times[1][math.ceil(rounds / 2)]
    print(("| %s | %s | %s |%s %.0f |"):format(name, dtype, table.concat(shape, " x "), text,
      x.size * x.dtype.itemsize / best / 1e6))
  end
end
