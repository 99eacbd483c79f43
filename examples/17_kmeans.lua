-- k-means: a cloud of points in 16 dimensions falls into clusters. Distances are one expression that a reduction takes
-- along, the new centres are sums by cluster. The points are made around known centres, which have to be found again.
--   luajit examples/17_kmeans.lua [points [clusters]]      default: 1000000 and 12, on the software device 3000 and 5
local cuda = require "cudalua"
local gpuarray = cuda.gpuarray

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local n = tonumber(arg and arg[1]) or (soft and 3000 or 1000000)
local k = tonumber(arg and arg[2]) or (soft and 5 or 12)
local dimensions = 16
assert(k >= 1 and n >= 50 * k, "at least 50 points for each cluster")

-- Points around centres, normally distributed: the seed makes them the same each time, on every device.
local rng = cuda.random.Generator(17)
local truth = rng:uniform({ k, dimensions }, 0, 20):eval()
local of = rng:integers(n, 1, k, "int32"):eval()
local points = (truth:take(of, { axis = 1 }) + rng:normal({ n, dimensions }, 0, 0.5)):eval()

-- The squares of the distances of all points from one centre, or from all of them: (n, 1) or (n, k).
local function distances(centres)
  local rows = centres.size / dimensions
  local apart = points:reshape(n, 1, dimensions) - centres:reshape(1, rows, dimensions)
  return (apart * apart):sum(3)
end

local start, stop = cuda.Event(), cuda.Event()
start:record()

-- To begin with, points that are far from each other: each time the one that is farthest from those taken so far.
local centres = gpuarray.empty { k, dimensions }
local chosen, nearest = 1, nil
for c = 1, k do
  centres[c] = points[chosen]
  local to_it = distances(centres[c]):ravel()
  nearest = nearest and nearest:minimum(to_it) or to_it
  chosen = nearest:argmax():item()
end

-- Each point goes to its nearest centre, each centre to the mean of its points, until nothing changes.
local labels, counts
local steps, spread = 0, math.huge
repeat
  local d = distances(centres)
  labels = d:argmin(2)
  local now = d:min(2):sum { dtype = "float64" }:item()
  assert(now <= spread * (1 + 1e-6), "a step made the clusters wider")
  local done = now >= spread * (1 - 1e-6)
  spread, steps = now, steps + 1
  counts = gpuarray.bincount(labels, { minlength = k })
  for axis = 1, dimensions do
    centres[{ {}, axis }] = gpuarray.bincount(labels, { weights = points[{ {}, axis }], minlength = k }) / counts
  end
until done or steps == 100
stop:record()
stop:synchronize()

-- The centres that were found, and where the points were made.
local found, wanted = centres:tolist(), truth:tolist()
local which = {}
for c = 1, k do
  for t = 1, k do
    local sum = 0
    for axis = 1, dimensions do sum = sum + (found[c][axis] - wanted[t][axis]) ^ 2 end
    if sum < 0.1 then which[c] = t end
  end
  assert(which[c], ("cluster %d is around no point that it was made around"):format(c))
end
local right = gpuarray.to_gpu(which, "int32"):take(labels):eq(of):count_nonzero():item()
assert(right >= 0.999 * n, ("%d points are in another cluster than they were made in"):format(n - right))
assert(counts:sum():item() == n, "each point is in a cluster")

-- The first points once more, in Lua.
local first, of_first = points[{ { 1, math.min(n, 300) } }]:tolist(), labels:get()
for i, p in ipairs(first) do
  local best, at = math.huge, nil
  for c = 1, k do
    local sum = 0
    for axis = 1, dimensions do sum = sum + (p[axis] - found[c][axis]) ^ 2 end
    if sum < best then best, at = sum, c end
  end
  assert(at == tonumber(of_first[i]), ("point %d: cluster %s, the loop says %d"):format(i, tostring(of_first[i]), at))
end

local sizes, order = counts:sort { descending = true }, counts:argsort { descending = true }
for c = 1, math.min(k, 5) do print(("cluster %2d: %7d points"):format(tonumber(order[c]), tonumber(sizes[c]))) end
print(("%d points, %d clusters, %d steps in %.1f %s on %s: %.2f%% where they were made, all as expected"):format(n, k,
  steps, stop:time_since(start), soft and "simulated ms" or "ms", ctx:get_device():name(), 100 * right / n))
