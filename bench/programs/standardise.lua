-- Columns with mean 0 and deviation 1.
local main = dofile "bench/programs/main.lua"
local M = { name = "standardise", title = "standardise columns", small = { 53, 6 }, large = { 2 ^ 18, 256 },
  tolerance = 1e-5 }

function M.inputs(size, numbers) return numbers:normal(size) * 4 + 10 end

function M.program(x) return (x - x:mean(1)) / x:std(1) end

function M.reference(x)
  local out, n = {}, #x
  for i = 1, n do out[i] = {} end
  for j = 1, #x[1] do
    local mean, variance = 0, 0
    for i = 1, n do mean = mean + x[i][j] / n end
    for i = 1, n do variance = variance + (x[i][j] - mean) ^ 2 / n end
    for i = 1, n do out[i][j] = (x[i][j] - mean) / math.sqrt(variance) end
  end
  return out
end

return main.run(M)
