-- Planets around one sun, by leapfrog: half a kick, a drift, half a kick.
local main = dofile "bench/programs/main.lua"
local M = { name = "leapfrog", title = "leapfrog, 10 steps", small = { 33 }, large = { 2 ^ 22 }, tolerance = 1e-5 }

function M.inputs(size, numbers)
  local x, y, vx, vy = numbers:uniform(size), numbers:uniform(size), numbers:uniform(size), numbers:uniform(size)
  return x + 1, y - 0.5, vx - 0.5, vy + 0.5
end

local function acceleration(x, y)
  local cube = (x ^ 2 + y ^ 2) ^ 1.5
  return -x / cube, -y / cube
end

function M.program(x, y, vx, vy)
  local dt = 0.01
  local ax, ay = acceleration(x, y)
  for _ = 1, 10 do
    vx, vy = vx + 0.5 * dt * ax, vy + 0.5 * dt * ay
    x, y = x + dt * vx, y + dt * vy
    ax, ay = acceleration(x, y)
    vx, vy = vx + 0.5 * dt * ax, vy + 0.5 * dt * ay
  end
  return x, y, vx, vy
end

function M.reference(xs, ys, vxs, vys)
  local dt = 0.01
  local function pull(x, y)
    local cube = math.sqrt(x * x + y * y) ^ 3
    return -x / cube, -y / cube
  end
  for i = 1, #xs do
    local x, y, vx, vy = xs[i], ys[i], vxs[i], vys[i]
    for _ = 1, 10 do
      local ax, ay = pull(x, y)
      vx, vy = vx + dt / 2 * ax, vy + dt / 2 * ay
      x, y = x + dt * vx, y + dt * vy
      ax, ay = pull(x, y)
      vx, vy = vx + dt / 2 * ax, vy + dt / 2 * ay
    end
    xs[i], ys[i], vxs[i], vys[i] = x, y, vx, vy
  end
  return xs, ys, vxs, vys
end

return main.run(M)
