-- A step of k-means: the nearest centre of each point, and the means of the points of each centre.
local main = dofile "bench/programs/main.lua"
local gpuarray = require "cudalua.gpuarray"
local M = { name = "k_means", title = "k-means step", small = { 61, 4, 3 }, large = { 2 ^ 20, 16, 4 },
  tolerance = 1e-5 }

function M.inputs(size, numbers)
  local n, k, axes = unpack(size)
  return numbers:uniform { n, axes }, numbers:uniform { k, axes }
end

function M.program(points, centres)
  local new = gpuarray.newaxis
  local distances = ((points[{ {}, new, {} }] - centres[{ new, {}, {} }]) ^ 2):sum(3)
  local nearest = distances:argmin(2)
  local members = nearest[{ {}, new }]:eq(gpuarray.arange(1, centres.shape[1] + 1)):astype(points.dtype)
  local sums = members.T:matmul(points)
  local counts = members:sum(1)
  return sums / counts[{ {}, new }], nearest
end

function M.reference(points, centres)
  local nearest, sums, counts = {}, {}, {}
  for c = 1, #centres do
    sums[c], counts[c] = {}, 0
    for a = 1, #centres[1] do sums[c][a] = 0 end
  end
  for i, point in ipairs(points) do
    local least
    for c, centre in ipairs(centres) do
      local distance = 0
      for a = 1, #point do distance = distance + (point[a] - centre[a]) ^ 2 end
      if not least or distance < least then least, nearest[i] = distance, c end
    end
    local c = nearest[i]
    counts[c] = counts[c] + 1
    for a = 1, #point do sums[c][a] = sums[c][a] + point[a] end
  end
  for c = 1, #centres do
    for a = 1, #centres[1] do sums[c][a] = sums[c][a] / counts[c] end
  end
  return sums, nearest
end

return main.run(M)
