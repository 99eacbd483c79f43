-- Products of sparse matrices beside cuSPARSE, where its library is there: with a vector, with the transposed matrix,
-- with a dense matrix. Results are compared with cuSPARSE's, or with sums on the host of a few rows.
--   ./dev bench sparse [ROUNDS]
--   ./dev bench sparse smoke        small matrices: the results alone, as on the software device
-- Rounds take turns; ratios are medians of each round's. Times are between events, of many calls one after the other.
-- The goal is 0.9 of cuSPARSE's speed in products with a vector.
--   sparse/cusparse   cuSPARSE through the FFI        sparse/matrices   what is multiplied
local start = dofile "bench/common/start.lua"(7)
local cuda, device, tiny = start.cuda, start.device, start.tiny
local report = dofile "bench/common/report.lua"
cuda.linalg.backend "own"
local gpuarray, sparse = cuda.gpuarray, cuda.sparse

local rounds = tiny and 1 or start.rounds
local launches = tiny and 1 or 50
local GOAL = 0.9

local matrices = dofile "bench/sparse/matrices.lua"(cuda, tiny)
local vendor, why
if not tiny then
  vendor, why = dofile "bench/sparse/cusparse.lua"(cuda)
  if not vendor then print("no cuSPARSE: " .. why) end
end

-- A few rows of m x, on the host in float64.
local function check_rows(name, m, x, y)
  local rows = m.shape[1]
  local indptr, at, xs, ys = m.indptr - m.base + 1, m.indices - m.base + 1, x:get(), y:get()
  for _, row in ipairs { 1, math.floor(rows / 2), math.floor(rows / 3) + 1, rows } do
    local first, last = tonumber(indptr:item(row)), tonumber(indptr:item(row + 1)) - 1
    if last - first < 100000 then
      local sum, size = 0, 0
      if last >= first then
        local columns, data = at[{ { first, last } }]:get(), m.data[{ { first, last } }]:get()
        for k = 1, last - first + 1 do
          local term = tonumber(data:get(k)) * tonumber(xs:get(tonumber(columns:get(k))))
          sum, size = sum + term, size + math.abs(term)
        end
      end
      local off = math.abs(tonumber(ys:get(row)) - sum)
      assert(off <= 1e-3 * size + 1e-30, ("%s: row %d is off by %g"):format(name, row, off))
    end
  end
end

local function close(name, a, b)
  a, b = a:reshape(-1), b:reshape(-1)
  local half = a.dtype.itemsize == 2
  if half then a, b = a:astype "float32", b:astype "float32" end
  local off = gpuarray.norm(a - b):item() / (gpuarray.norm(b):item() + 1e-30)
  assert(off < (half and 1e-3 or 1e-4), ("%s: off by %g"):format(name, off))
end

local missed, met, rows = 0, 0, 0
print(("%-38s %-8s %11s %11s %9s %7s %s"):format("product", "dtype", "cuSPARSE us", "cudalua us", "GB/s", "ratio", ""))

-- bytes: what has to be read and written. f gives a new array; other(i) is the vendor's, or nil.
local function row(work, dtype, bytes, f, other, goal)
  local forms = { { "ours", function() return device(function() f():release() end, launches) end } }
  if other then table.insert(forms, 1, { "vendor", function() return device(other, launches) end }) end
  local times = report.turns(rounds, forms)
  local ours = report.median(times.ours)
  local ratio = other and report.ratio(times.vendor, times.ours)
  local verdict = ""
  if ratio and goal then
    verdict = ratio >= goal and "met" or "MISSED"
    if ratio >= goal then met = met + 1 else missed = missed + 1 end
  end
  rows = rows + 1
  print(("%-38s %-8s %11s %11.1f %9.0f %7s %s"):format(work, dtype, other and ("%.1f"):format(
    (report.median(times.vendor))) or "-", ours, bytes / ours / 1e3, ratio and ("%.2f"):format(ratio) or "-", verdict))
end

local COLUMNS = 32

for _, kind in ipairs(matrices) do
  for _, dtype in ipairs(kind.dtypes) do
    local m = kind.make(dtype)
    local n, size = m.nnz, m.dtype.itemsize
    local x = gpuarray.linspace(-1, 1, m.shape[2]):astype(dtype):eval()
    local bytes = n * (size + 4) + (m.shape[1] + 1) * 4 + (m.shape[1] + m.shape[2]) * size
    local y = m:matmul(x)
    if m.dtype.kind == "float" then check_rows(kind.name, m, x, y) end
    local peer = vendor and vendor.vector(m, x)
    if peer then close(kind.name, y, peer.y) end
    row(kind.name .. (" %.1fM"):format(n / 1e6), dtype, bytes, function() return m:matmul(x) end,
      peer and peer.run, GOAL)
    if peer then peer.close() end

    if dtype == "float32" then
      local t = m:transpose()
      local tx = gpuarray.linspace(-1, 1, t.shape[2]):astype(dtype):eval()
      local ty = t:matmul(tx)
      peer = vendor and vendor.vector(m, tx, true)
      if peer then close(kind.name .. " transposed", ty, peer.y) end
      row("  transposed", dtype, bytes + n * 4, function() return t:matmul(tx) end, peer and peer.run)
      if peer then peer.close() end

      if kind.packed then
        local p = m:to "packed"
        close("packed", p:matmul(x), y)
        row("  packed", dtype, n * (size + 2) + (m.shape[1] * 3 + m.shape[2]) * size, function() return p:matmul(x) end)
      end

      local X = gpuarray.linspace(-1, 1, m.shape[2] * COLUMNS):astype(dtype):reshape(m.shape[2], COLUMNS):eval()
      local Y = m:matmul(X)
      peer = vendor and vendor.matrix(m, X)
      if peer then close(kind.name .. " dense", Y, peer.y) end
      row(("  times %d columns"):format(COLUMNS), dtype, n * (size + 4) + (m.shape[1] + m.shape[2]) * COLUMNS * size,
        function() return m:matmul(X) end, peer and peer.run)
      if peer then peer.close() end
    end
    cuda.collect()
  end
end

if not tiny then -- building: sorting and adding 16M elements in random order
  local parts = matrices.random_parts(16e6, 2 ^ 20)
  row("csr of 16M elements in random order", "float32", 16e6 * 20, function() return sparse.csr(parts).data end)
end
print(("sparse: %d s; %d rows, %d of %d goals met"):format(start.seconds(), rows, met, met + missed))
os.exit(missed == 0 and 0 or 1)
