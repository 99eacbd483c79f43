-- 200 operations on few elements, and their sum.
local main = dofile "bench/programs/main.lua"
local M = { name = "chain", title = "200 operations, then a sum", small = { 100 }, large = { 1000 }, tolerance = 1e-5 }

function M.inputs(size, numbers) return numbers:uniform(size), numbers:uniform(size) end

function M.program(x, y)
  for _ = 1, 100 do x = x * 0.99 + y end
  return x:sum()
end

function M.reference(x, y)
  local sum = 0
  for i = 1, #x do
    for _ = 1, 100 do x[i] = x[i] * 0.99 + y[i] end
    sum = sum + x[i]
  end
  return sum
end

return main.run(M)
