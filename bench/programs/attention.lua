-- Attention's weights: scores of queries and keys, masked, and their softmax.
local main = dofile "bench/programs/main.lua"
local gpuarray = require "cudalua.gpuarray"
local M = { name = "attention", title = "attention scores with a mask", small = { 2, 7, 5 }, large = { 32, 2048, 64 },
  tolerance = 1e-5 }

function M.inputs(size, numbers)
  local places = gpuarray.arange(1, size[2] + 1)
  return numbers:normal(size), numbers:normal(size), places:le(places[{ {}, gpuarray.newaxis }])
end

function M.program(queries, keys, mask)
  local scores = queries:matmul(keys:swapaxes(2, 3)) / math.sqrt(keys.shape[3])
  scores = gpuarray.where(mask, scores, -math.huge)
  local e = (scores - scores:max { axis = 3, keepdims = true }):exp()
  return e / e:sum { axis = 3, keepdims = true }
end

function M.reference(queries, keys, mask)
  local out = {}
  for h = 1, #queries do
    out[h] = {}
    for i, query in ipairs(queries[h]) do
      local row, most, sum = {}, -math.huge, 0
      for j, key in ipairs(keys[h]) do
        local product = 0
        for a = 1, #key do product = product + query[a] * key[a] end
        row[j] = mask[i][j] and product / math.sqrt(#key) or -math.huge
        most = math.max(most, row[j])
      end
      for j = 1, #row do
        row[j] = math.exp(row[j] - most)
        sum = sum + row[j]
      end
      for j = 1, #row do row[j] = row[j] / sum end
      out[h][i] = row
    end
  end
  return out
end

return main.run(M)
