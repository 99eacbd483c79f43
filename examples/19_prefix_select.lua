-- Stream compaction: of many numbers those that pass a test, in their order. A running count says where each one goes,
-- so that one kernel, which reads everything once, does it all; the same from operations on arrays, for comparison.
--   luajit examples/19_prefix_select.lua [millions of numbers]      default: 64, on the software device 0.02
local cuda = require "cudalua"
local gpuarray, scan = cuda.gpuarray, cuda.scan

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local n = math.ceil((tonumber(arg and arg[1]) or (soft and 0.02 or 64)) * 1e6)

-- What is scanned: 1 for an element that is wanted, else 0. Its running total, item, says how many there are so far;
-- prev_item is the total before, which is where the element goes. The last total is how many there are.
local select = scan.GenericScanKernel("uint32", "const float *x, float limit, float *out, unsigned int *count",
  "x[i] > limit", "a + b", 0, [[
  if (item > prev_item) out[prev_item] = x[i];
  if (i + 1 == N) *count = item;
]], { name_prefix = "select_above" })

local x = ((gpuarray.arange(n) * 1103515245 + 12345) % 65536):astype "float32" / 65536
x:eval()
local out, count = gpuarray.empty(n), gpuarray.zeros(1, "uint32")

local function time(f)
  f() -- compiles the kernels
  local start, stop = cuda.Event(), cuda.Event()
  start:record()
  local result = f()
  stop:record()
  stop:synchronize()
  return stop:time_since(start), result
end

for _, limit in ipairs { 0.25, 0.5, 0.999, 2 } do
  local ms = time(function() select(x, limit, out, count) end)
  local found = count[1]
  local chosen = out[{ { 1, found } }]
  -- Other ways to the same: counting, a mask, and places from an array's own running total.
  assert(found == x:gt(limit):count_nonzero():item(), "the number of elements")
  local by_mask_ms, by_mask = time(function() return x[x:gt(limit)] end)
  assert(chosen:eq(by_mask):all():item(), "the elements, or their order")
  if found > 0 then
    local places = x:gt(limit):cumsum()
    assert(places[n] == found and places:cummax():eq(places):all():item(), "the running total")
    assert(x:item(places:searchsorted(found):item()) == chosen[found], "the last one")
    assert(chosen:min():item() > limit, "one that does not pass")
  end
  local unit = soft and "simulated ms" or "ms"
  local rate = soft and "" or (", %.0f GB/s"):format((n + found) * 4 / ms / 1e6)
  print(("above %g: %d of %d numbers in %.3f %s%s; by a mask in %.3f %s"):format(limit, found, n, ms, unit, rate,
    by_mask_ms, unit))
end

-- Lists of many lengths, end to end: the sum of each so far, which begins anew at each head.
local heads = gpuarray.arange(n) % 1000
heads = heads:eq(0):logical_or(heads:eq(300))
local sums = scan.InclusiveScanKernel("int64", "a + b")(gpuarray.arange(n), "new", { flags = heads })
local function expected(i) -- of the whole numbers from the head before i, both from 0
  local head = i - i % 1000
  if i - head >= 300 then head = head + 300 end
  return (head + i) * (i - head + 1) / 2
end
for i = 0, n - 1, math.max(math.floor(n / 1000), 1) do
  assert(sums[i + 1] == expected(i), "a sum within a list")
end
print(("%d lists summed up on %s, all as expected"):format(heads:count_nonzero():item(), ctx:get_device():name()))
