-- Heat spreads on a plate that several devices compute together: each of them has a block of rows, and gets the rows
-- beside its block from its neighbours. Start it with:  cudalua run -n 4 examples/32_heat_equation.lua [SIZE] [STEPS]
-- Started without `cudalua run`, one device computes the whole plate.
local cuda = require "cudalua"
local gpuarray, dist = cuda.gpuarray, cuda.distributed

local world = dist.init()
local size, steps = tonumber(arg[1]) or 1000, tonumber(arg[2]) or 200
local RATE = 0.2

local function is_near(x) return (x - size / 2):abs():le(size / 8) end

-- A cold plate with a hot square in it. The edges stay at 0 degrees.
local function plate(group)
  local u = dist.zeros({ size, size }, "float32", { group = group })
  local row, column = dist.arange(size, "float32", { group = group }).block, gpuarray.arange(size, "float32")
  local hot = is_near(row):reshape(-1, 1):logical_and(is_near(column))
  return u:with_block(hot:where(100, u.block)):eval()
end

-- One step: each point comes closer to the mean of its four neighbours.
local function step(u)
  local h = u:halo(1, { fill = 0 })
  local inside = { 2, -2 }
  local own = h[{ inside, inside }]
  local around = h[{ { 1, -3 }, inside }] + h[{ { 3, -1 }, inside }] + h[{ inside, { 1, -3 } }] +
    h[{ inside, { 3, -1 } }]
  u.block[{ {}, inside }]:set(own + RATE * (around - 4 * own))
  h:release() -- the next step gets the memory, without waiting for the garbage collector
end

local function spread(u)
  for _ = 1, steps do step(u) end
  return u
end

local trial, u = plate(world), plate(world)
local heat = u:sum():item()
for _ = 1, 30 do step(trial) end -- compiles the kernels, and lets LuaJIT compile this loop
world:barrier()
local begin = cuda.Event():record()
spread(u)
local milliseconds = cuda.Event():record():synchronize():time_since(begin) / steps

-- The sums have the same bits for any number of ranks, and all ranks have them.
local left, most = u:sum():item(), u:max():item()
if world.rank == 0 then
  print(("%d x %d points, %d steps of %.3f ms"):format(size, size, steps, milliseconds))
  print(("heat %.6g of %.6g, hottest point %.2f degrees"):format(left, heat, most))
end
assert(left <= heat * 1.0001 and most > 0 and most <= 100, "heat flows away at the edges, and nothing becomes hotter")

-- Each rank computes the whole plate by itself, too, if it is small.
if size <= 1000 then
  local alone = world:split { color = world.rank }
  assert(gpuarray.array_equal(u:gather(), spread(plate(alone)):gather()), "one device computes the same")
  alone:close()
end
world:barrier()
if world.rank == 0 then print(("%d ranks, all as expected"):format(world.size)) end
