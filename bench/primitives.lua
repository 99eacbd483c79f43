-- Reductions, scans, random numbers, sorting and counting, all in one run beside CUB, cuRAND, CuPy and PyTorch, where
-- nvcc and python3 have them. Every result is compared with plain loops over the same elements, CUB's too: a wrong one
-- makes the benchmark fail.
--   ./dev bench primitives [ROUNDS]
--   ./dev bench primitives smoke [brief]    small arrays, without peers: the results alone, as on the software device;
--                                           brief: only the more important rows
-- Rounds take turns, and what is compared was measured side by side: ratios are medians of each round's. Times are
-- between events; two arrays take turns, so that the cache does not hold what is read next. Results are released. The
-- table at the end is for bench/RESULTS.md.
--   primitives/rows   what is done with a row     primitives/check    what results have to be     primitives/peers.py
--   primitives/cub    CUB (*.cu) and cuRAND       primitives/hand.cu  kernels by hand
local ffi = require "ffi"

local clock = dofile "bench/common/clock.lua"
local function now() return clock() * 1e3 end -- microseconds
local begin = now()

local common = dofile "bench/common/start.lua"(7)
local cuda, dev, device, tiny, rounds = common.cuda, common.dev, common.device, common.tiny, common.rounds
local gpuarray, random, scan = cuda.gpuarray, cuda.random, cuda.scan
local check = dofile "bench/primitives/check.lua"
local process = dofile "bench/common/process.lua"
local report = dofile "bench/common/report.lua"
local rows = assert(loadfile "bench/primitives/rows.lua")(report)

local brief = arg[2] == "brief"
local MiB = 2 ^ 20
local side = tiny and 256 or 16384
local size = side * side
local ordered = tiny and 2 ^ 13 or 64 * MiB -- of what is sorted
local one = tiny and 2 ^ 12 or MiB
local reads = tiny and 1 or 200

-- ---- peers ----------------------------------------------------------------------------------------------------------

local peers, cub, curand = {}, nil, nil
if not tiny then
  local home, folder = os.getenv "CUDA_HOME" or "/usr/local/cuda", os.getenv "CUDALUA_BUILD" or "build"
  local libraries = dofile "bench/primitives/cub.lua"
  libraries.start(home, folder, ("sm_%d%d"):format(dev:compute_capability()))
  local started = {}
  for _, name in ipairs { "cupy", "torch" } do
    started[name] = process.start(("python3 bench/primitives/peers.py %s %d %d %d %d"):format(name, size, ordered, side,
      one))
  end
  for name, p in pairs(started) do
    if process.connect(p) then peers[name] = p else process.stop(p) end
  end
  cub, curand = libraries.connect(folder), libraries.curand(home)
end

local function peer(name, ...) return peers[name] and process.ask(peers[name], ...) or nil end
local function version(name) return peers[name] and peers[name].greeting or "-" end
local function driver()
  local file = io.open "/proc/driver/nvidia/version"
  local text = file and file:read "*l" or ""
  if file then file:close() end
  return ("%s (%d)"):format(text:match " (%d[%d.]+) " or "-", cuda.get_driver_version())
end
print(("%s, driver %s, %s, CUB %s, cuRAND %s, CuPy %s, PyTorch %s"):format(dev:name(), driver(), jit.version,
  cub and cub.version or "-", curand and curand.version or "-", version "cupy", version "torch"))
print(tiny and "small arrays: results are compared, nothing is timed" or
  ("%d rounds; the peers were ready after %.0f s"):format(rounds, (now() - begin) / 1e6))
report.head "CUB ..."

local row = rows.new { device = device, peer = peer, rounds = rounds, timed = not tiny, after = cuda.collect }

-- What CUB does, and what it has written.
local function by_cub(run, results)
  return cub and { whose = "CUB", run = run, results = results } or nil
end

-- ---- inputs ---------------------------------------------------------------------------------------------------------

local A, B = random.Generator(1):uniform(size):eval(), random.Generator(2):uniform(size):eval()
local on_host = { A:get(), B:get() }
local a, b = on_host[1]:data(), on_host[2]:data()
local facts = check.facts(a, size)

-- f(A), or f(B) where i is odd.
local function either(f)
  local made = { [0] = f(A), f(B) }
  return function(i) return made[i % 2] end
end
local x_of = either(function(x) return x end)
local m_of = either(function(x) return x:reshape(side, side) end)
local odd_of = either(function(x) return x[{ { 2, -1 } }] end)
local keys_of = either(function(x) return x[{ { 1, ordered } }] end)
local lines_of = either(function(x) return x[{ { 1, ordered } }]:reshape(-1, 64) end)
local first = A[{ { 1, one } }]

local hand = cuda.SourceModule((function()
  local file = assert(io.open "bench/primitives/hand.cu")
  local text = file:read "*a"
  file:close()
  return text
end)(), { no_extern_c = true })

-- Where an array is. To ask for x.ptr would be to say that others write to it.
local addresses = setmetatable({}, { __mode = "k" })
local function at(x, ctype)
  if not addresses[x] then
    local box = gpuarray.zeros(1, "uint64")
    hand:get_function "address"(box, x, { block = 1, grid = 1 })
    addresses[x] = ffi.cast("uintptr_t", box:item())
  end
  return ffi.cast(ctype or "float *", addresses[x])
end

-- What CUB and the kernels by hand write: as many float32 as the inputs have, and a few places.
local out, place = gpuarray.zeros(size), gpuarray.zeros(2, "int64")
local function target(ctype) return ffi.cast(ctype or "float *", ffi.cast("uintptr_t", out.ptr)) end
local function written(n, dtype) return function() return (dtype and out:view(dtype) or out)[{ { 1, n } }] end end

-- ---- reductions -----------------------------------------------------------------------------------------------------

local function number(expected, tolerance)
  return function(x) check.number(x, expected, tolerance) end
end
local function about(n) return ("%s float32"):format(n == size and "256M" or "64M") end

local function reduction(name, text, must, aim, inputs, expected, ours, run)
  row { work = ("`%s`, %s"):format(text, about(size)), amount = 4 * inputs * size, must = must, aim = aim, peer = name,
    ours = ours, check = expected, bases = { by_cub(run, written(1)) } }
end

reduction("sum", "a:sum()", 0.95, 1, 1, number(facts.sum, 1e-4), function(i) return x_of(i):sum() end,
  function(i) cub.sum(at(x_of(i)), target(), size) end)
reduction("max", "a:max()", 0.95, 1, 1, number(facts.high, 0), function(i) return x_of(i):max() end,
  function(i) cub.max(at(x_of(i)), target(), size) end)
reduction("dot", "a:dot(b)", 0.95, 1, 2, number(check.dot(a, b, size), 1e-4), function() return A:dot(B) end,
  function() cub.dot(at(A), at(B), target(), size) end)
reduction("distance", "((a - b)^2):sum()", 0.95, 1, 2, number(check.distance(a, b, size), 1e-4),
  function() return ((A - B) ^ 2):sum() end, function() cub.distance(at(A), at(B), target(), size) end)

row { work = "`a:argmax()`, 256M float32", amount = 4 * size, must = 0.92, aim = 0.98, peer = "argmax",
  ours = function(i) return x_of(i):argmax() end, check = number(facts.place),
  bases = { by_cub(function(i)
    local places = ffi.cast("long *", ffi.cast("uintptr_t", place.ptr))
    cub.argmax(at(x_of(i)), target(), places, size)
  end, function() return place[{ { 1, 1 } }] + 1 end) } }

do
  local of_rows, of_columns = check.margins(a, side, side)
  local function margin(expected)
    return function(x) check.numbers(x, expected, side, 1e-4) end
  end
  local rows_kernel, columns_kernel = hand:get_function "rows", hand:get_function "columns"
  local slices = tiny and 4 or 16
  row { work = "sum down the columns of 16384 x 16384", amount = 4 * size, must = 0.92, aim = 0.98, peer = "columns",
    ours = function(i) return m_of(i):sum(1) end, check = margin(of_columns),
    bases = { { whose = "by hand", results = written(side), run = function(i)
      cuda.memset_d32_async(out.ptr, 0, side)
      columns_kernel(out, m_of(i), side / 4, side / slices, { block = { 64, 4 }, grid = { side / 256, slices } })
    end } } }
  row { work = "sum along the rows of 16384 x 16384", amount = 4 * size, must = 0.92, aim = 0.98, peer = "rows",
    ours = function(i) return m_of(i):sum(2) end, check = margin(of_rows),
    bases = { { whose = "by hand", results = written(side), run = function(i)
      rows_kernel(out, m_of(i), side / 4, { block = 256, grid = side })
    end }, by_cub(function(i) cub.rows(at(m_of(i)), target(), side, side) end, written(side)) } }
end

do
  local expected = check.facts(a, one).sum
  local bases = { by_cub(function() cub.sum(at(A), target(), one) end, written(1)) }
  row { work = "sum of 1M, on the device", unit = "us", peer = "sum_one", ours = function() return first:sum() end,
    check = number(expected, 1e-5), bases = bases, launches = 100 }
  local read = bases[1] and { whose = "CUB", run = bases[1].run, results = bases[1].results,
    time = function() return cub.sum_read(at(A), target(), one, reads) end }
  row { work = "sum of 1M read back, host and device", unit = "us", must = 20, aim = 15, of = "us", peer = "sum_one",
    ours = function() return first:sum() end, check = number(expected, 1e-5), bases = { read },
    time = function()
      local start, sum = now(), 0
      for _ = 1, reads do sum = sum + first:sum():item() end
      assert(math.abs(sum / reads - expected) < 1e-4 * expected)
      return (now() - start) / reads
    end, peer_time = function(name) return peer(name, "read", reads) end }
end

if not brief then
  local ends = cuda.reduction.ReductionKernel({ "float32", "float32" }, { math.huge, -math.huge },
    { "fminf(a, b)", "fmaxf(a, b)" }, { "x[i]", "x[i]" }, "const float *x")
  row { work = "least and greatest by a `ReductionKernel`, 256M", amount = 4 * size, peer = "ends",
    ours = function(i) return ends(x_of(i)) end,
    check = function(low, high)
      check.number(low, facts.low)
      check.number(high, facts.high)
    end, bases = { by_cub(function(i) cub.ends(at(x_of(i)), target(), size) end, function()
      return out[{ { 1, 1 } }], out[{ { 2, 2 } }]
    end) } }
end

-- ---- scans ----------------------------------------------------------------------------------------------------------

-- CUB's sums follow the order of the blocks, and are less exact.
local function sums(n, options)
  options = options or {}
  return function(y)
    check.sums(y, options.from or a, n, 1e-3, options.exclusive, options.length)
  end
end

row { work = "`a:cumsum()`, 256M float32", amount = 8 * size, must = 2500, aim = 3000, of = "speed", peer = "cumsum",
  ours = function(i) return x_of(i):cumsum() end, check = sums(size),
  bases = { by_cub(function(i) cub.cumsum(at(x_of(i)), target(), size) end, written(size)) } }
if not brief then
  row { work = "... from the second element on", amount = 8 * (size - 1),
    ours = function(i) return odd_of(i):cumsum() end, check = sums(size - 1, { from = a + 1 }),
    bases = { by_cub(function(i) cub.cumsum(at(x_of(i)) + 1, target(), size - 1) end, written(size - 1)) } }

  local exclusive = scan.ExclusiveScanKernel("float32", "a + b", 0)
  row { work = "`ExclusiveScanKernel` of sums, 256M float32", amount = 8 * size,
    ours = function(i) return exclusive(x_of(i), "new") end, check = sums(size, { exclusive = true }),
    bases = { by_cub(function(i) cub.exclusive(at(x_of(i)), target(), size) end, written(size)) } }

  local whole = { [0] = (A * 100):astype("int32"):eval(), (B * 100):astype("int32"):eval() }
  local copy = whole[0]:get()
  row { work = "cumsum of 256M int32", amount = 8 * size, peer = "cumsum_int",
    ours = function(i) return whole[i % 2]:cumsum { dtype = "int32" } end,
    check = function(y) check.whole_sums(y, copy:data(), size) end,
    bases = { by_cub(function(i) cub.cumsum_int(at(whole[i % 2], "int *"), target "int *", size) end,
      written(size, "int32")) } }

  row { work = "cumsum down the columns of 1M x 64", amount = 8 * ordered, peer = "cumsum_lines",
    ours = function(i) return lines_of(i):cumsum(1) end,
    check = function(y) check.column_sums(y, a, ordered / 64, 64, 1e-3) end }

  local length = 1000
  local flags = (gpuarray.arange(size) % length):eq(0):eval()
  local segmented = scan.InclusiveScanKernel("float32", "a + b")
  row { work = "segmented sums, 256M float32 in segments of 1000", amount = 8 * size,
    ours = function(i) return segmented(x_of(i), "new", { flags = flags }) end, check = sums(size, { length = length }),
    note = "CUB computes where segments begin, cudalua reads flags",
    bases = { by_cub(function(i) cub.segments(at(x_of(i)), target(), size, length) end, written(size)) } }

  local line = cuda.dtype.struct({ { "slope", "float32" }, { "offset", "float32" } }, { name = "line" })
  local both = scan.InclusiveScanKernel(line, "line{ a.slope * b.slope, a.offset * b.slope + b.offset }")
  local function float(y) return y:view "float32" end
  row { work = "`InclusiveScanKernel` of structs, 128M of 8 bytes", amount = 8 * size,
    ours = function(i) return both(x_of(i):view(line), "new") end,
    check = function(y) check.lines(float(y), a, size / 2) end,
    bases = { by_cub(function(i) cub.lines(at(x_of(i)), target(), size / 2) end, written(size)) } }
end

-- ---- random numbers -------------------------------------------------------------------------------------------------

do
  local generator = random.Generator(3)
  local fields = { uniform = { 800, 950, { 1 / 2, 1 / 12, 1 / 80, 1 / 2304 }, 0, 1 },
    normal = { 440, 500, { 0, 1, 3, 105 }, -8, 8 } }
  for _, name in ipairs { "uniform", "normal" } do
    local must, aim, moments, low, high = unpack(fields[name])
    local bases = {}
    for _, kind in ipairs(curand and { "Philox", "XORWOW" } or {}) do
      bases[#bases + 1] = { whose = "cuRAND, " .. kind, run = function() curand[kind][name](target(), size) end,
        results = written(size) }
    end
    row { work = ("%s numbers, 256M float32"):format(name), unit = "G/s", amount = size, must = must, aim = aim,
      of = "speed", peer = name, ours = function() return generator[name](generator, size):eval() end,
      check = function(x) check.random(x, size, moments, low, high) end, bases = bases }
  end
end

-- Means of expressions of random numbers, beside making the numbers, and then the mean of what is in memory.
do
  local means = { -- name, text, draws, the expression, mean and standard deviation
    { "mean_uniform", "u", { "uniform" }, function(u) return u end, 1 / 2, math.sqrt(1 / 12) },
    { "mean_square", "u*u", { "uniform" }, function(u) return u * u end, 1 / 3, math.sqrt(4 / 45) },
    { "mean_bell", "(-u*u):exp()", { "uniform" }, function(u) return (-u * u):exp() end, 0.7468241328, 0.20099184 },
    { "mean_circle", "(u*u + v*v):lt(1)", { "uniform", "uniform" },
      function(u, v) return (u * u + v * v):lt(1) end, math.pi / 4, math.sqrt(math.pi / 4 * (1 - math.pi / 4)) },
    { "mean_normal", "z", { "normal" }, function(z) return z end, 0, 1 },
    { "mean_option", "(100*(z*0.2 + 0.05):exp() - 105):maximum(0)", { "normal" },
      function(z) return ((z * 0.2 + 0.05):exp() * 100 - 105):maximum(0) end, 9.6262310882, 14.83853948 },
  }
  for _, r in ipairs(brief and { means[4], means[6] } or means) do
    local name, text, draws, f, mean, deviation = unpack(r)
    local generator = random.Generator(4)
    local stored, seen
    local function drawn(g)
      local list = {}
      for k, kind in ipairs(draws) do list[k] = g[kind](g, size) end
      return unpack(list)
    end
    local function fused(g) return f(drawn(g)):mean() end
    local function in_memory(g)
      local u, v = drawn(g)
      u:eval()
      if v then v:eval() end
      local result = f(u, v):mean()
      u:release()
      if v then v:release() end
      return result
    end
    local function again(i) return i == 0 and random.Generator(4) or generator end
    row { work = ("mean of `%s`, 256M"):format(text), unit = "G/s", amount = size, must = 1.5, peer = name,
      ours = function(i) return fused(again(i)) end,
      check = function(x)
        local found, error_of = tonumber(x:item()), 5 * deviation / math.sqrt(size) + 1e-5 * mean
        assert(math.abs(found - mean) <= error_of, ("it is %.9g, not %.9g"):format(found, mean))
        assert(not seen or seen == found, "it is not that of numbers made where they are needed")
        seen = found
      end,
      bases = { { whose = "stored, then the mean", results = function() return stored end, run = function(i)
        if stored then stored:release() end
        stored = in_memory(again(i))
      end } } }
  end
end

-- ---- sorting --------------------------------------------------------------------------------------------------------

do
  local function key_row(r)
    r.unit, r.amount, r.launches = "G/s", ordered, 5
    row(r)
  end
  key_row { work = "`a:sort()`, 64M float32", must = 37, aim = 45, of = "speed", peer = "sort",
    ours = function(i) return keys_of(i):sort() end, check = function(y) check.sorted(y, a, ordered) end,
    bases = { by_cub(function(i) cub.sort(at(keys_of(i)), target(), ordered) end, written(ordered)) } }

  if not brief then
    local counted = gpuarray.arange(ordered, "int32"):eval()
    key_row { work = "`a:argsort()`, 64M float32", peer = "argsort", ours = function(i) return keys_of(i):argsort() end,
      check = function(p) check.places(p, a, ordered) end, note = "int64 places; CUB: int32",
      bases = { by_cub(function(i)
        cub.argsort(at(keys_of(i)), target(), at(counted, "int *"), target "int *" + ordered, ordered)
      end, function() return out:view "int32"[{ { ordered + 1, 2 * ordered } }] + 1 end) } }
    counted:release()

    for _, dtype in ipairs { "int32", "int64" } do
      local function keys(seed)
        local words = dtype == "int64" and 2 * ordered or ordered
        return random.Generator(seed):integers(words, 0, 2 ^ 32 - 1, "uint32"):eval():view(dtype)
      end
      local list = { [0] = keys(5), keys(6) }
      local copy = list[0]:get()
      local words = dtype == "int64" and 2 or 1
      key_row { work = ("sort of 64M %s"):format(dtype), peer = "sort_" .. dtype,
        ours = function(i) return list[i % 2]:sort() end,
        check = function(y) check.sorted(y, copy:data(), ordered, words) end,
        bases = { by_cub(function(i)
          local ctype = dtype == "int64" and "long long *" or "int *"
          cub["sort_" .. dtype](at(list[i % 2], ctype), target(ctype), ordered)
        end, written(ordered, dtype)) } }
    end

    key_row { work = "the 100 greatest of 64M float32", peer = "topk",
      ours = function(i) return keys_of(i):topk(100) end,
      check = function(values, places) check.greatest(values, places, a, ordered, 100) end }

    local function few(x) return (x[{ { 1, ordered } }] * 1000):astype("int32"):eval() end
    local values = { [0] = few(A), few(B) }
    key_row { work = "what differs in 64M int32, 1000 values", peer = "unique",
      ours = function(i) return (values[i % 2]:unique()) end, check = function(x) check.counted(x, 1000) end,
      bases = { by_cub(function(i)
        local results = target "int *"
        cub.unique(at(values[i % 2], "int *"), results, results + ordered, results + 2 * ordered, ordered)
      end, function() return out:view "int32"[{ { ordered + 1, ordered + 1000 } }] end) } }
  end
end

-- ---- counting -------------------------------------------------------------------------------------------------------

-- A histogram is to be as fast as its elements are read: by a kernel that does nothing else, or by the driver's copy.
do
  local blocks = size / 4096
  local read_kernel = hand:get_function "read"
  local function histogram(x, high) return (gpuarray.histogram(x, 256, { range = { 0, high } })) end
  local other = cuda.mem_alloc(4 * size)
  local reading = { whose = "reading", unchecked = true, run = function(i)
    read_kernel(out, x_of(i), { block = 256, grid = blocks })
  end }
  local copying = { whose = "half of a copy", unchecked = true, run = function(i)
    cuda.memcpy_dtod_async(other, tonumber(ffi.cast("uintptr_t", at(x_of(i)))), 4 * size)
  end }
  copying.time = function() return device(copying.run, 10) / 2 end
  local function counts(from, bins, scale)
    return function(y) check.counts(y, from, size, bins, scale) end
  end
  row { work = "histogram of 256M float32, 256 bins", amount = 4 * size, must = 0.85, aim = 0.95, peer = "histogram",
    ours = function(i) return histogram(x_of(i), 1) end, check = counts(a, 256, 256), bases = { reading, copying } }
  if not brief then
    row { work = "... beside CUB", amount = 4 * size, ours = function(i) return histogram(x_of(i), 1) end,
      check = counts(a, 256, 256),
      bases = { by_cub(function(i) cub.histogram(at(x_of(i)), target "int *", 256, size) end, written(256, "int32")) } }

    local bytes = random.Generator(7):integers(size / 4, 0, 2 ^ 32 - 1, "uint32"):eval():view "uint8"
    local copy = bytes:get()
    row { work = "histogram of 256M uint8, 256 bins", amount = size, peer = "histogram_bytes",
      ours = function() return histogram(bytes, 256) end, check = counts(copy:data(), 256, 1),
      bases = { by_cub(function() cub.histogram_bytes(at(bytes, "unsigned char *"), target "int *", size) end,
        written(256, "int32")) } }
  end
end

-- ---- the end --------------------------------------------------------------------------------------------------------

for _, p in pairs(peers) do process.stop(p) end
assert(#on_host == 2)
if not tiny then report.table "CUB, or as said" end
report.summary(("primitives: %.0f s"):format((now() - begin) / 1e6))
local fine = rows.finish()
common.context:pop()
os.exit(fine and 0 or 1, true)
