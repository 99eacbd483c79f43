-- Maps in the kernel that reads them, beside maps that are stored first: Q8 of docs/programs.md.
--   ./dev run bench/programs/maps.lua [ROWS [COLUMNS [ROUNDS]]]
-- Milliseconds are medians of the rounds. GB/s: the bytes of the arrays that are read and of the result, by the time.
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local now = dofile "bench/common/clock.lua"

cuda.init()
local soft = cuda.driver_info().soft
local context = cuda.Device(0):retain_primary_context()
context:push()
local rows, columns = tonumber(arg[1]) or soft and 64 or 8192, tonumber(arg[2]) or soft and 96 or 8192
local rounds = tonumber(arg[3]) or soft and 1 or 9
local CALLS = soft and 1 or 20

local stored = false

-- The map itself, or its value.
local function map(x)
  if stored then x:eval() end
  return x
end

-- The program of life.lua.
local function life(alive)
  local up, down = map(alive:roll(-1, 1)), map(alive:roll(1, 1))
  local neighbours = up + down
  for _, row in ipairs { up, alive, down } do
    neighbours = neighbours + map(row:roll(-1, 2)) + map(row:roll(1, 2))
  end
  return (neighbours:eq(3) + neighbours:eq(2) * alive):astype "uint8"
end

local cases = {
  { "Life, uint8", "uint8", 2, life },
  { "sum of four rolls, float32", "float32", 2, function(x)
    return map(x:roll(1, 1)) + map(x:roll(-1, 1)) + map(x:roll(1, 2)) + map(x:roll(-1, 2))
  end },
  { "border, then times 2, float32", "float32", 2, function(x) return map(x:pad(1, "edge")) * 2 end },
  { "joined rows, then times 2, float32", "float32", 4, function(x) return map(gpuarray.concatenate { x, x }) * 2 end },
  { "joined columns, then times 2, float32", "float32", 4, function(x)
    return map(gpuarray.concatenate({ x, x }, 2)) * 2
  end },
  { "roll of rows alone, float32", "float32", 2, function(x) return x:roll(1, 1) end },
  { "roll of columns alone, float32", "float32", 2, function(x) return x:roll(1, 2) end },
  { "roll of columns alone, uint8", "uint8", 2, function(x) return x:roll(1, 2) end },
  { "roll of columns alone, float64", "float64", 2, function(x) return x:roll(1, 2) end },
  { "copy, float32", "float32", 2, function(x) return x:copy() end },
}

local function median(f, x)
  local times = {}
  for k = 0, rounds do -- one to compile
    context:synchronize()
    local start = now()
    for _ = 1, CALLS do f(x):eval() end
    context:synchronize()
    times[k] = (now() - start) / CALLS
  end
  table.sort(times)
  return times[math.ceil(rounds / 2)]
end

print(("%d x %d on %s"):format(rows, columns, cuda.Device(0):name()))
print "| program | in the kernel, ms | GB/s | stored first, ms | GB/s |"
print "| --- | --- | --- | --- | --- |"
for _, case in ipairs(cases) do
  local title, dtype, moves, f = unpack(case)
  local x = (gpuarray.arange(rows * columns, "int32") % 7):lt(3):astype(dtype):reshape(rows, columns):eval()
  local cells, values = {}, {}
  for k = 1, 2 do
    stored = k == 2
    values[k] = f(x):eval()
    local ms = median(f, x)
    cells[k] = ("%.3f | %.0f"):format(ms, moves * rows * columns * x.dtype.itemsize / ms / 1e6)
  end
  assert(values[1]:array_equal(values[2]), title)
  print(("| %s | %s | %s |"):format(title, cells[1], cells[2]))
end
