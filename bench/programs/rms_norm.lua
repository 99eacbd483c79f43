-- RMS norm of rows with weights.
local main = dofile "bench/programs/main.lua"
local M = { name = "rms_norm", title = "RMS norm of rows", small = { 5, 37 }, large = { 16384, 4096 },
  tolerance = 1e-5 }

function M.inputs(size, numbers) return numbers:normal(size) * 2, numbers:uniform { size[2] } + 0.5 end

function M.program(x, weight)
  return x / ((x ^ 2):mean { axis = 2, keepdims = true } + 1e-6):sqrt() * weight
end

function M.reference(x, weight)
  local out = {}
  for i, row in ipairs(x) do
    local mean = 0
    for _, v in ipairs(row) do mean = mean + v * v / #row end
    out[i] = {}
    for j, v in ipairs(row) do out[i][j] = v / math.sqrt(mean + 1e-6) * weight[j] end
  end
  return out
end

return main.run(M)
