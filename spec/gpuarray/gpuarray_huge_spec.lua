-- More than 2^31 elements: positions and counts of 64 bits, on GPUs with room for them.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = require "cudalua.gpuarray"
local random = require "cudalua.random"

local GIB = 2 ^ 30
local N = 2 ^ 31 + 12345

-- What is missing for so many bytes; nil where they are there.
local function lacking(bytes)
  if gpu.soft then return ("takes %d GiB of device memory"):format(bytes / GIB) end
  if cuda.mem_get_info() + cuda.mem_stats().held.bytes < bytes then
    return ("%d GiB of device memory are not free"):format(bytes / GIB)
  end
end

describe("More than 2^31 elements", function()
  setup(gpu.context)
  after_each(function() cuda.collect() end)

  it("of int8: sums, extremes and their positions, counts, views", function()
    local why = lacking(9 * GIB)
    if why then return pending(why) end
    local a = gpuarray.full(N, 1, "int8")
    assert.equal(N, a:sum():item())
    a[N], a[N - 7], a[1] = 5, 5, -3
    assert.equal(N - 7, a:argmax():item())
    assert.equal(5, a:max():item())
    assert.equal(1, a:argmin():item())
    assert.equal(-3, a:min():item())
    assert.equal(N, a:count_nonzero():item())
    assert.equal(1, a[{ { -1, 1, -1 } }]:argmax():item())
    assert.equal(N, a[{ { -1, 1, -1 } }]:argmin():item())
    assert.equal(1, (a + 1):eq(6)[{ { 2 ^ 31, N - 1 } }]:count_nonzero():item())
    assert.is_true(a:eq(-3):any():item())
    assert.is_false(a:gt(5):any():item())
    a:release()
  end)

  it("of float32: sums, means, positions, both axes", function()
    local why = lacking(10 * GIB)
    if why then return pending(why) end
    local rows, columns = 65537, 32769 -- rows * columns is 2^31 + 98305
    local a = gpuarray.full(rows * columns, 0.5)
    assert.equal(0.5, a:mean():item())
    assert.equal(rows * columns / 2, a:sum { dtype = "float64" }:item())
    assert.is_true(math.abs(a:sum():item() / (rows * columns / 2) - 1) <= 32 * 2 ^ -24)
    a[rows * columns - 1] = 7
    assert.equal(rows * columns - 1, a:argmax():item())
    assert.equal(7, a:max():item())
    local m = a:reshape(rows, columns)
    local across, down = m:sum(2), m:sum(1)
    assert.equal(columns / 2, across[1])
    assert.equal(columns / 2 + 6.5, across[rows])
    assert.equal(rows / 2, down[1])
    assert.equal(rows / 2 + 6.5, down[columns - 1])
    assert.equal(rows, m:argmax(1)[columns - 1])
    assert.equal(columns - 1, m:argmax(2)[rows])
    assert.equal(rows * columns / 2 + 6.5, m.T:sum { dtype = "float64" }:item())
    a:release()
  end)

  it("cumulative sums of float32 along an axis, in place", function()
    local why = lacking(10 * GIB)
    if why then return pending(why) end
    local rows, columns = 32769, 65537
    local m = gpuarray.full({ rows, columns }, 0.5)
    m:cumsum { axis = 2, out = m }
    assert.equal(0.5, m[{ rows, 1 }]:item())
    assert.equal(columns / 2, m[{ rows, columns }]:item())
    assert.equal(columns / 2, m[{ {}, columns }]:min():item())
    assert.equal(columns / 2, m[{ {}, columns }]:max():item())
    m:fill(0.5)
    m:cumsum { axis = 1, out = m }
    assert.equal(rows / 2, m[{ rows }]:min():item())
    assert.equal(rows / 2, m[{ rows }]:max():item())
    assert.equal(1, m[{ 2, columns }]:item())
    m:release()
  end)

  it("random numbers, by their places", function()
    local why = lacking(10 * GIB)
    if why then return pending(why) end
    local a = random.Generator(7):uniform(N):eval()
    local mean = a:mean { dtype = "float64" }:item()
    assert.is_true(math.abs(mean - 0.5) < 5 / math.sqrt(12 * N), tostring(mean))
    -- The same sequence from a later block on; a block has four numbers.
    local later = random.Generator(7)
    later:skip_ahead(2 ^ 29)
    assert.is_true(later:uniform(12345):eq(a[{ { 2 ^ 31 + 1, N } }]):all():item())
    assert.is_false(a[{ { 1, 12345 } }]:eq(a[{ { 2 ^ 31 + 1, N } }]):all():item())
    a:release()
  end)

  it("sorted, counted by bins, and unique", function()
    local why = lacking(20 * GIB)
    if why then return pending(why) end
    local words = random.Generator(11):gen_uniform(math.ceil(N / 4), "uint32"):eval()
    local a = words:view "uint8"[{ { 1, N } }]
    local range = { range = { 0, 256 } }
    local counts = gpuarray.histogram(a, 256, range)
    assert.equal(N, counts:sum():item())
    assert.is_true(counts:min():item() > N / 256 - 20000 and counts:max():item() < N / 256 + 20000)
    local sorted = a:sort()
    assert.is_true(sorted[{ { 2, N } }]:ge(sorted[{ { 1, N - 1 } }]):all():item())
    assert.is_true(gpuarray.histogram(sorted, 256, range):eq(counts):all():item())
    sorted:release()
    local bytes = gpuarray.full(N, 3, "uint8")
    bytes[N], bytes[5] = 200, 100
    local values, each = bytes:unique { counts = true }
    assert.same({ 3, 100, 200 }, values:tolist())
    assert.same({ N - 2, 1, 1 }, each:tolist())
    assert.same({ N }, gpuarray.nonzero(bytes:eq(200)):tolist())
  end)

  it("where sorted bytes were: argsort", function()
    local why = lacking(60 * GIB)
    if why then return pending(why) end
    local a = gpuarray.full(N, 1, "uint8")
    a[N], a[7], a[2 ^ 31] = 0, 0, 2
    local at = a:argsort()
    assert.equal(7, at[1])
    assert.equal(N, at[2])
    assert.equal(1, at[3])
    assert.equal(2 ^ 31, at[N])
    assert.equal(N - 1, at[N - 1])
    assert.equal(N * (N + 1) / 2, tonumber(at:sum():item()))
  end)
end)
