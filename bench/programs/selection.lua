-- Selecting: elements by a mask, positions, and the first few of many rows; each in its forms, in turns. Prints tables
-- in Markdown, in milliseconds: the best of all rounds, and in brackets the median. The program waits for a mask, so
-- the host's clock times it; topk is timed on the device.
--   ./dev run bench/programs/selection.lua [masks|topk|forms] [ROUNDS]
-- forms: the switches of the library beside each other. To compare with an older version, run this file there, too: it
-- does not mind switches that are missing. On the software device all arrays are tiny.
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local mask = require "cudalua.gpuarray.index.mask"
local sort_run = require "cudalua.gpuarray.order.sort_run"
local known, mask_code = pcall(require, "cudalua.gpuarray.index.mask_code")
if not known then mask_code = { BATCH = {} } end

cuda.init()
cuda.Device(0):retain_primary_context():push()
local report, now = dofile "bench/common/report.lua", dofile "bench/common/clock.lua"
local on_device = dofile "bench/common/device.lua"(cuda)

local soft = cuda.driver_info().soft
local part, rounds = arg[1], tonumber(arg[2]) or soft and 1 or 7
if tonumber(part) then part, rounds = nil, tonumber(part) end
local n = soft and 20000 or 2 ^ 26
local rows, columns = soft and 3 or 16384, soft and 1100 or 4096
local calls = soft and 1 or 10

local function cell(list)
  local median, best = report.median(list)
  return ("%.3f (%.3f)"):format(best, median)
end

-- Sets fields of a table until the function that is returned is called.
local function switched(t, fields)
  local before = {}
  for key, value in pairs(fields) do before[key], t[key] = t[key], value end
  return function()
    for key in pairs(fields) do t[key] = before[key] end
  end
end

local function form(name, t, fields) return { name = name, t = t, fields = fields } end
local usual = { form("now", {}, {}) }

-- A row of a table: milliseconds of f by forms. `time` measures it.
local function row(title, forms, time, f)
  local list = {}
  for k, x in ipairs(forms) do
    list[k] = { x.name, function()
      local back = switched(x.t, x.fields)
      local ok, ms = pcall(time, f)
      back()
      return ok and ms or error(ms, 0)
    end }
  end
  local times, cells = report.turns(rounds, list), {}
  for k, x in ipairs(forms) do cells[k] = cell(times[x.name]) end
  print(("| %s | %s |"):format(title, table.concat(cells, " | ")))
  io.stdout:flush()
end

local function head(title, forms)
  local names, lines = {}, {}
  for k, x in ipairs(forms) do names[k], lines[k] = x.name, "---" end
  print(("\n| %s | %s |\n| --- | %s |"):format(title, table.concat(names, " | "), table.concat(lines, " | ")))
end

-- ---- are the results right? -----------------------------------------------------------------------------------------

local function same(what, got, want)
  assert(#got == #want, what .. ": another number of elements")
  for i = 1, #want do assert(got[i] == want[i], ("%s: element %d is %s, not %s"):format(what, i, got[i], want[i])) end
end

local function check_masks()
  local size = 100003
  for _, dtype in ipairs { "int8", "int16", "float32", "float64" } do
    local x = (cuda.random.Generator(3):uniform { size } * 100):astype(dtype):eval()
    local list = x:tolist()
    for _, least in ipairs { 99, 95, 50, 1 } do
      local kept, places = {}, {}
      for i = 1, size do
        if list[i] >= least then kept[#kept + 1], places[#places + 1] = list[i], i end
      end
      same("x[x:ge(c)]", x[x:ge(least)]:tolist(), kept)
      same("x[m]", x[x:ge(least):eval()]:tolist(), kept)
      same("flatnonzero", gpuarray.flatnonzero(x:ge(least)):tolist(), places)
    end
  end
end

local function check_topk(name, x, count)
  local few = x[{ { 1, math.min(x.shape[1], 40) } }]:copy()
  local values, places = few:topk(count)
  local items, options = { {}, { 1, count } }, { descending = true }
  same(name, values:ravel():tolist(), few:sort(options)[items]:ravel():tolist())
  same(name .. ", places", places:ravel():tolist(), few:argsort(options)[items]:ravel():tolist())
end

-- ---- masks ----------------------------------------------------------------------------------------------------------

-- f returns arrays, whose memory is given back at once.
local function on_host(f)
  cuda.Context.synchronize()
  local start = now()
  for _ = 1, calls do
    for _, x in ipairs { f() } do x:release() end
  end
  cuda.Context.synchronize()
  return (now() - start) / calls
end

local function masks(forms, shares)
  head("masks, " .. n .. " elements", forms)
  local random = cuda.random.Generator(20261129)
  for _, dtype in ipairs { "float32", "int8" } do
    local x = random:uniform { n }
    if dtype == "int8" then x = (x * 100):astype "int8" end
    x:eval()
    local limit = dtype == "int8" and 100 or 1
    for _, share in ipairs(shares) do
      local least = (1 - share) * limit
      local title = ("%s, %d%% kept, "):format(dtype, share * 100)
      row(title .. "x[x:ge(c)]", forms, on_host, function() return x[x:ge(least)] end)
      local m = x:ge(least):eval()
      row(title .. "x[m]", forms, on_host, function() return x[m] end)
      m:release()
    end
    if dtype == "float32" then
      local y = random:uniform { n }:eval()
      row("float32, 50% kept, y[x:ge(c)]", forms, on_host, function() return y[x:ge(0.5)] end)
      y:release()
      local sparse = gpuarray.where(x:ge(0.99), x, 0):eval()
      row("float32, 1% kept, flatnonzero(x)", forms, on_host, function() return gpuarray.flatnonzero(sparse) end)
      local square = sparse:reshape(soft and 100 or 8192, -1)
      row("float32, 1% kept, nonzero of 2 axes", forms, on_host, function() return (gpuarray.nonzero(square)) end)
      row("float32, 1% kept, argwhere of 2 axes", forms, on_host, function() return gpuarray.argwhere(square) end)
    end
  end
  local a = random:uniform { 2 ^ 20 }:eval()
  row("float32, 1048576 elements, 50% kept, x[x:ge(c)]", forms, on_host, function() return a[a:ge(0.5)] end)
end

-- ---- topk -----------------------------------------------------------------------------------------------------------

local function timed(f) return on_device(f, calls) / 1e3 end

local function kinds()
  local random, places = cuda.random.Generator(20261129), gpuarray.arange(rows * columns, "int32")
  local shape = { rows, columns }
  local uniform = random:uniform { rows * columns }
  local column = (places % columns):astype "float32"
  return { { "uniform", uniform:reshape(shape):eval() }, { "normal", random:normal(shape):eval() },
    { "equal", gpuarray.ones(shape):eval() },
    { "ascending", column:reshape(shape):eval() }, { "descending", (-column):reshape(shape):eval() },
    { "integers 0 to 9", gpuarray.floor(uniform * 10):reshape(shape):eval() },
    { "period of 256", (places % 256):astype "float32":reshape(shape):eval() } }
end

local function topk(forms, counts)
  local names = {}
  for k, x in ipairs(forms) do names[k] = x end
  head(("topk of rows of %d x %d float32"):format(rows, columns), names)
  for _, kind in ipairs(kinds()) do
    for _, count in ipairs(counts) do
      if count <= columns then
        check_topk(kind[1], kind[2], count)
        row(("%s, k = %d"):format(kind[1], count), forms, timed, function() kind[2]:topk(count) end)
      end
    end
  end
end

local function lengths(forms)
  head("topk of rows of other lengths and types", forms)
  local random = cuda.random.Generator(7)
  for _, extent in ipairs(soft and { 300, 1024 } or { 256, 512, 1024, 2048, 8192, 16384, 65536 }) do
    local x = random:uniform { soft and 2 or 2 ^ 26 / extent, extent }:eval()
    local count = math.min(math.floor(extent / 8), 100)
    check_topk("rows of " .. extent, x, count)
    row(("float32, %d x %d, k = %d"):format(x.shape[1], extent, count), forms, timed, function() x:topk(count) end)
    x:release()
  end
  for _, dtype in ipairs { "float16", "float64", "int8", "int64" } do
    local x = (random:normal { rows, columns } * 20):astype(dtype):eval()
    check_topk(dtype, x, 100)
    row(("%s, %d x %d, k = 100"):format(dtype, rows, columns), forms, timed, function() x:topk(100) end)
    x:release()
  end
end

print(("%s, %d rounds"):format(cuda.Device(0):name(), rounds))
if part ~= "topk" then check_masks() end
if part ~= "topk" and part ~= "forms" then masks(usual, { 0.01, 0.5, 0.99 }) end
if part ~= "masks" and part ~= "forms" then
  topk(usual, soft and { 1, 100 } or { 1, 10, 100, 500, 1000, 2048 })
  lengths(usual)
end
if part == "forms" then
  masks({ usual[1], form("mask stored first", mask, { FUSED = false }),
    form("second pass forwards", mask_code, { BACKWARDS = false }),
    form("all words alike", mask_code, { FEW = 0 }), form("one by one", mask_code, { STAGED = false }),
    form("one by one, 16 at once", mask_code, { STAGED = false, BATCH = { [4] = 16, [8] = 16, [16] = 4 } }) },
    { 0.01, 0.5, 0.99 })
  local blocks = sort_run.TOP_BLOCKS or {}
  topk({ usual[1], form("without groups", sort_run, { TOP_GROUPS = false }),
    form("bitonic", sort_run, { TOP_RANKED = 0 }), form("counted to 256", sort_run, { TOP_RANKED = 256 }),
    form("256 threads", sort_run, { TOP_THREADS = 256 }), form("128", sort_run, { TOP_THREADS = 128 }),
    form("3 blocks", blocks, { [32] = 3 }), form("5 blocks", blocks, { [32] = 5 }),
    form("read twice", sort_run, { TOP_WORDS = 4 }) }, soft and { 1, 100 } or { 1, 100, 500, 1000 })
  lengths { usual[1], form("shorter ones sorted", sort_run, { TOP_LEAST = 1024 }),
    form("256 threads", sort_run, { TOP_THREADS = 256 }), form("128", sort_run, { TOP_THREADS = 128 }),
    form("read twice", sort_run, { TOP_WORDS = 4 }) }
end
