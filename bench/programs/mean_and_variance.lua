-- Mean and variance down the columns, both wanted.
local main = dofile "bench/programs/main.lua"
local M = { name = "mean_and_variance", title = "mean and variance down columns", small = { 53, 6 },
  large = { 2 ^ 18, 256 }, tolerance = 1e-5 }

function M.inputs(size, numbers) return numbers:normal(size) * 4 + 10 end

function M.program(x) return x:mean(1), x:var(1) end

function M.reference(x)
  local means, variances, n = {}, {}, #x
  for j = 1, #x[1] do
    means[j], variances[j] = 0, 0
    for i = 1, n do means[j] = means[j] + x[i][j] / n end
    for i = 1, n do variances[j] = variances[j] + (x[i][j] - means[j]) ^ 2 / n end
  end
  return means, variances
end

return main.run(M)
