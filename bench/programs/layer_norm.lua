-- Layer norm of rows with weights and offsets.
local main = dofile "bench/programs/main.lua"
local M = { name = "layer_norm", title = "layer norm of rows", small = { 5, 37 }, large = { 16384, 4096 },
  tolerance = 1e-5 }

function M.inputs(size, numbers)
  return numbers:normal(size) * 2 + 1, numbers:uniform { size[2] } + 0.5, numbers:uniform { size[2] } - 0.5
end

function M.program(x, weight, bias)
  local mean = x:mean { axis = 2, keepdims = true }
  local variance = x:var { axis = 2, keepdims = true }
  return (x - mean) / (variance + 1e-5):sqrt() * weight + bias
end

function M.reference(x, weight, bias)
  local out = {}
  for i, row in ipairs(x) do
    local mean, variance = 0, 0
    for _, v in ipairs(row) do mean = mean + v / #row end
    for _, v in ipairs(row) do variance = variance + (v - mean) ^ 2 / #row end
    out[i] = {}
    for j, v in ipairs(row) do out[i][j] = (v - mean) / math.sqrt(variance + 1e-5) * weight[j] + bias[j] end
  end
  return out
end

return main.run(M)
