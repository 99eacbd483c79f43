-- Softmax of rows, written from its formula.
local main = dofile "bench/programs/main.lua"
local M = { name = "softmax", title = "softmax of rows", small = { 5, 37 }, large = { 16384, 4096 }, tolerance = 1e-6 }

function M.inputs(size, numbers) return numbers:normal(size) * 3 end

function M.program(x)
  local e = (x - x:max { axis = 2, keepdims = true }):exp()
  return e / e:sum { axis = 2, keepdims = true }
end

function M.reference(x)
  local out = {}
  for i, row in ipairs(x) do
    local most, sum = -math.huge, 0
    for _, v in ipairs(row) do most = math.max(most, v) end
    for _, v in ipairs(row) do sum = sum + math.exp(v - most) end
    out[i] = {}
    for j, v in ipairs(row) do out[i][j] = math.exp(v - most) / sum end
  end
  return out
end

return main.run(M)
