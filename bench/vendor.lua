-- What linalg.backend "vendor" calls, beside the same call of NVIDIA's library from C, CuPy and PyTorch: products,
-- solvers, Fourier transforms. And a sparse matrix times a vector, which own kernels always compute.
--   ./dev bench vendor [ROUNDS [WORK]]      all rows, or those of one work, such as cholesky
--   ./dev bench vendor smoke     small arrays by whichever backend there is: do the rows run, and are results right?
-- Rounds take turns, ratios are medians of each round's; the goal is 0.98 of the call from C. Times are between events.
-- C overwrites a matrix that it factorises, and its time does not count putting it back; all others leave it as it was.
-- The table at the end is for bench/RESULTS.md.
--   vendor/calls.c   the libraries from C       vendor/peers.py   CuPy and PyTorch
local GOAL = 0.98

local start = dofile "bench/common/start.lua"(5)
local cuda, dev, device, tiny, rounds = start.cuda, start.dev, start.device, start.tiny, start.rounds
local gpuarray, random, fft, linalg, sparse = cuda.gpuarray, cuda.random, cuda.fft, cuda.linalg, cuda.sparse
local process = dofile "bench/common/process.lua"
local report = dofile "bench/common/report.lua"

-- ---- peers ----------------------------------------------------------------------------------------------------------

local peers = {}
if not tiny then
  local program = (os.getenv "CUDALUA_BUILD" or "build") .. "/bench-calls"
  if os.execute(("cc -O2 -o %s bench/vendor/calls.c -ldl"):format(program)) == 0 then
    peers.C = process.start(program)
  end
  peers.CuPy, peers.PyTorch = process.start "python3 bench/vendor/peers.py cupy",
    process.start "python3 bench/vendor/peers.py torch"
  for name, p in pairs(peers) do
    if not process.connect(p) then
      process.stop(p)
      peers[name] = nil
    end
  end
end

local function version(name) return peers[name] and peers[name].greeting or "-" end
print(("%s, driver %d, C with %s, CuPy %s, PyTorch %s"):format(dev:name(), cuda.get_driver_version(), version "C",
  version "CuPy", version "PyTorch"))
for _, library in ipairs(linalg.libraries()) do print(library.name, library.version or "-") end

-- ---- works ----------------------------------------------------------------------------------------------------------

local function array(shape, t)
  return (random.uniform(shape, -0.5, 0.5, t == "float64" and "float64" or "float32")):astype(t):eval()
end

-- Each makes the call, and the check of its result: how far it is off, in units that may be up to 1.
local works = {}

local function product(shape, n, t)
  local dtype = t == "tf32" and "float32" or t
  local a, b = array(shape, dtype), array(shape, dtype)
  local wide = t == "float64" and "float64" or "float32"
  local bound = (t == "float64" and 1e-12 or t == "float32" and 1e-4 or 2e-2) * math.sqrt(n)
  return function() return a:matmul(b) end, function(c)
    -- Against the sum along rows, which a product with ones gives.
    local ones = gpuarray.ones({ n, 1 }, wide)
    local got, want = c:astype(wide):matmul(ones), a:astype(wide):matmul(b:astype(wide):matmul(ones))
    return (got - want):abs():max():item() / (bound * math.sqrt(n))
  end
end

function works.matmul(t, n) return product({ n, n }, n, t) end
function works.batch(t, n) return product({ 64, n, n }, n, t) end

local function residual(a, x, b)
  return (a:matmul(x) - b):abs():max():item() / (1e-3 * a.shape[1])
end

function works.solve(t, n)
  local a, b = array({ n, n }, t), array({ n }, t)
  return function() return linalg.solve(a, b) end, function(x)
    return residual(a, x, b) / math.max(1, x:abs():max():item())
  end
end

function works.cholesky(t, n)
  local r = array({ n, n }, t)
  local a = (r + r.T + 2 * n * gpuarray.eye(n, nil, nil, t)):eval()
  return function() return linalg.cholesky(a) end, function(l) return residual(l, l.T, a) end
end

function works.svd(t, n)
  local a = array({ n, n }, t)
  return function()
    local u, s, vh = linalg.svd(a)
    return u, s, vh
  end, function(u, s, vh) return residual((u * s):eval(), vh, a) end
end

local function transform(name, inverse)
  return function(t, n)
    local a = array(name == "fft" and { n } or { n, n }, t)
    return function() return fft[name](a) end, function(x) return (fft[inverse](x) - a):abs():max():item() / 1e-4 end
  end
end
works.fft, works.fft2 = transform("fft", "ifft"), transform("fft2", "ifft2")

function works.spmv(t, n)
  local side = gpuarray.arange(1, n * n):mod(n):ne(0):astype(t)
  local m = sparse.diags({ 1, side, side, 1, 1 }, { 0, 1, -1, n, -n }, { shape = { n * n, n * n }, dtype = t })
    :eliminate_zeros()
  local x = array({ n * n }, t)
  return function() return m:matmul(x) end, function(y)
    local grid = gpuarray.pad(x:reshape(n, n), 1)
    local want = grid[{ { 2, -2 }, { 2, -2 } }] + grid[{ { 1, -3 }, { 2, -2 } }] + grid[{ { 3, -1 }, { 2, -2 } }] +
      grid[{ { 2, -2 }, { 1, -3 } }] + grid[{ { 2, -2 }, { 3, -1 } }]
    return (y:reshape(n, n) - want):abs():max():item() / 1e-4
  end
end

-- ---- rows -----------------------------------------------------------------------------------------------------------

-- Work, type, extent, extent in a small run (none: not in it), launches.
local ROWS = {
  { "matmul", "float16", 4096, 64, 50 }, { "matmul", "float16", 8192, nil, 10 },
  { "matmul", "tf32", 4096, 64, 30 }, { "matmul", "tf32", 8192, nil, 5 },
  { "matmul", "float32", 4096, 64, 10 }, { "matmul", "float32", 8192, nil, 3 },
  { "matmul", "float64", 4096, 64, 10 }, { "matmul", "float64", 8192, nil, 3 },
  { "batch", "float16", 512, 16, 50 }, { "batch", "float32", 512, nil, 20 },
  { "solve", "float32", 4096, 33, 3 }, { "solve", "float64", 4096, nil, 3 },
  { "cholesky", "float32", 4096, 33, 3 }, { "cholesky", "float64", 4096, nil, 3 },
  { "svd", "float32", 1024, 20, 1 },
  { "fft", "complex64", 2 ^ 24, 1024, 50 }, { "fft2", "complex64", 4096, 32, 50 },
  { "spmv", "float32", 2048, 16, 100 },
}
local NAMES = { batch = "64 products", spmv = "5-point grid of n x n times a vector", matmul = "product" }

local function released(first, ...)
  if not first then return end
  first:release()
  return released(...)
end

report.head "C"
local wrong = {}
local function run(work, t, n, launches)
  linalg.precision(t == "tf32" and "tensor" or "full")
  linalg.backend(tiny and "auto" or work == "spmv" and "own" or "vendor")
  local text = ("%s, %s, n = %d"):format(NAMES[work] or work, t, n)
  local call, check = works[work](t, n)
  local off = check(call())
  if off > 1 or off ~= off then wrong[#wrong + 1] = ("%s: off by %g"):format(text, off) end
  local r = { work = text, unit = "us", goal = ">= " .. GOAL }
  if not tiny then
    local function ask(name)
      return { name, function() return peers[name] and process.ask(peers[name], name == "C" and work or "run",
        name == "C" and t or work, name == "C" and n or t, name == "C" and launches or n,
        name ~= "C" and launches or nil) end }
    end
    local times = report.turns(rounds, { { "ours", function()
      return device(function() released(call()) end, launches)
    end }, ask "C", ask "CuPy", ask "PyTorch" })
    r.ours, r.base = report.median(times.ours), report.median(times.C)
    r.cupy, r.torch = report.median(times.CuPy), report.median(times.PyTorch)
    if r.base then
      r.ratio = report.ratio(times.C, times.ours)
      r.ok = r.ratio >= GOAL
    end
  end
  report.row(r, not tiny)
end

for _, row in ipairs(ROWS) do
  local work, t, large, small, launches = unpack(row, 1, 5)
  if (small or not tiny) and (work == arg[2] or not arg[2]) then run(work, t, tiny and small or large, launches) end
  collectgarbage()
  cuda.Context.synchronize()
end
linalg.precision "full"
for _, p in pairs(peers) do process.stop(p) end
report.table "C"
report.summary(("vendor: %d s"):format(start.seconds()))
if #wrong > 0 then
  io.stderr:write("bench: results are not what they have to be\n", table.concat(wrong, "\n"), "\n")
  os.exit(1)
end
