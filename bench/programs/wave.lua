-- Eight steps of a wave on a string, each into the array that holds the step before the last.
local main = dofile "bench/programs/main.lua"
local M = { name = "wave", title = "8 wave steps", small = { 64 }, large = { 2 ^ 24 }, tolerance = 1e-5 }

function M.inputs(size, numbers)
  local u = numbers:uniform(size)
  return u, u:copy()
end

function M.program(now, before)
  now, before = now:copy(), before:copy()
  local all = { { 2, -2 } }
  for _ = 1, 8 do
    local inner = now[all]
    before[all] = 2 * inner - before[all] + 0.25 * (now[{ { 1, -3 } }] - 2 * inner + now[{ { 3, -1 } }])
    now, before = before, now
  end
  return now, before
end

function M.reference(now, before)
  for _ = 1, 8 do
    local after = { before[1], [#now] = before[#now] }
    for i = 2, #now - 1 do
      after[i] = 2 * now[i] - before[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1])
    end
    now, before = after, now
  end
  return now, before
end

return main.run(M)
