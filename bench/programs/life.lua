-- A step of Conway's Game of Life on a torus, its neighbours by eight rolls.
local main = dofile "bench/programs/main.lua"
local M = { name = "life", title = "Game of Life by rolls", small = { 12, 15 }, large = { 8192, 8192 }, tolerance = 0 }

function M.inputs(size, numbers) return numbers:uniform(size):lt(0.4):astype "uint8" end

function M.program(alive)
  local up, down = alive:roll(-1, 1), alive:roll(1, 1)
  local neighbours = up + down
  for _, row in ipairs { up, alive, down } do neighbours = neighbours + row:roll(-1, 2) + row:roll(1, 2) end
  return (neighbours:eq(3) + neighbours:eq(2) * alive):astype "uint8"
end

function M.reference(alive)
  local out, rows, columns = {}, #alive, #alive[1]
  for i = 1, rows do
    out[i] = {}
    for j = 1, columns do
      local n = 0
      for di = -1, 1 do
        for dj = -1, 1 do
          if di ~= 0 or dj ~= 0 then n = n + alive[(i + di - 1) % rows + 1][(j + dj - 1) % columns + 1] end
        end
      end
      out[i][j] = (n == 3 or n == 2 and alive[i][j] == 1) and 1 or 0
    end
  end
  return out
end

return main.run(M)
