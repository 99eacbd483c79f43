-- Running drawdown: how far each day's wealth is below its peak so far, and the worst of it.
local main = dofile "bench/programs/main.lua"
local M = { name = "drawdown", title = "running drawdown", small = { 4, 60 }, large = { 4096, 4096 },
  tolerance = 1e-5 }

function M.inputs(size, numbers) return numbers:normal(size) * 0.01 end

function M.program(returns)
  local wealth = (1 + returns):cumprod(2)
  local drawdown = wealth / wealth:cummax(2) - 1
  return drawdown, drawdown:min(2)
end

function M.reference(returns)
  local out, worst = {}, {}
  for i, row in ipairs(returns) do
    local wealth, peak = 1, 0
    out[i], worst[i] = {}, 0
    for j, r in ipairs(row) do
      wealth = wealth * (1 + r)
      peak = math.max(peak, wealth)
      out[i][j] = wealth / peak - 1
      worst[i] = math.min(worst[i], out[i][j])
    end
  end
  return out, worst
end

return main.run(M)
