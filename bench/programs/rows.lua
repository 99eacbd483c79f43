-- Rows and columns on chip, beside kernels one after the other, with more or fewer packs before a row gets more warps:
-- R1 and R3 of docs/rows.md.
--   ./dev run bench/programs/rows.lua [BYTES [ROUNDS]]
-- Milliseconds are medians of the rounds, the variants in turns. GB/s: an array of this size, read and written once.
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local now = dofile "bench/common/clock.lua"
local row = require "cudalua.gpuarray.reduce.row"
local row_code = require "cudalua.gpuarray.reduce.row_code"

cuda.init()
local soft = cuda.driver_info().soft
local context = cuda.Device(0):retain_primary_context()
context:push()
local bytes, rounds = tonumber(arg[1]) or soft and 2 ^ 14 or 2 ^ 28, tonumber(arg[2]) or soft and 1 or 9
local CALLS = soft and 1 or 10
local keep = { keepdims = true }

-- Along the rows of a matrix, or down its columns.
local programs = {
  { "softmax", function(x, axis)
    local e = (x - x:max(axis, keep)):exp()
    return e / e:sum(axis, keep)
  end },
  { "layer norm", function(x, axis) return (x - x:mean(axis, keep)) / (x:var(axis, keep) + 1e-5):sqrt() end },
  { "by norm", function(x, axis) return x / x:norm(axis, keep) end },
}

-- What is tried: the variant's name, and the settings.
local variants = { { "one after the other", enabled = false }, { "packs 1", packs = 1 }, { "2", packs = 2 },
  { "4", packs = 4 }, { "8", packs = 8 }, { "16", packs = 16 }, { "nothing kept", packs = 4, keep = math.huge } }
local KEEP = row_code.KEEP

local function set(v)
  row.enabled, row.PACKS, row_code.KEEP = v.enabled ~= false, v.packs or 4, v.keep or KEEP
end

local function time(f, x, axis)
  context:synchronize()
  local start = now()
  for _ = 1, CALLS do f(x, axis):eval() end
  context:synchronize()
  return (now() - start) / CALLS
end

local function table_of(axis, dtype, lengths)
  for _, n in ipairs(lengths) do
    local size = bytes / (dtype == "float32" and 4 or 2)
    local others = math.max(1, math.floor(size / n))
    local shape = axis == 2 and { others, n } or { n, others }
    local x = (gpuarray.arange(others * n, "int32") % 1021 / 1021):astype(dtype):reshape(shape):eval()
    for _, p in ipairs(programs) do
      local times, text, least = {}, "", math.huge
      for round = 0, rounds do -- one to compile
        for k, v in ipairs(variants) do
          set(v)
          -- What is kept is decided when a program is first seen: another operation makes it another program.
          local f = v.keep and function(a, along) return p[2](a:abs(), along) end or p[2]
          times[k] = times[k] or {}
          times[k][round] = time(f, x, axis)
        end
      end
      for k = 1, #variants do
        table.sort(times[k])
        local t = times[k][math.ceil(rounds / 2)]
        text, least = ("%s %.3f |"):format(text, t), math.min(least, t)
      end
      print(("| %s | %s | %d |%s %.0f |"):format(p[1], dtype, n, text, 2 * bytes / least / 1e6))
    end
  end
end

for axis = 2, 1, -1 do
  local head = ("| program | dtype | elements of a %s |"):format(axis == 2 and "row" or "column")
  local line = "| --- | --- | --- |"
  for _, v in ipairs(variants) do head, line = head .. " " .. v[1] .. " |", line .. " --- |" end
  print(("%.0f MiB on %s; ms, and GB/s of the best"):format(bytes / 2 ^ 20, cuda.Device(0):name()))
  print(head .. " GB/s |")
  print(line .. " --- |")
  for _, dtype in ipairs { "float32", "float16" } do
    table_of(axis, dtype, axis == 2 and { 32, 128, 256, 512, 1000, 1024, 1280, 2048, 4096, 8192, 16384 } or
      { 4, 16, 64, 128, 256, 512, 1024 })
  end
end
