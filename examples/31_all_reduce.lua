-- Several processes compute pi together: each sums its part of a series on its own device, and all_reduce adds up the
-- parts. Start it with:  cudalua run -n 4 examples/31_all_reduce.lua [TERMS]
-- Started without `cudalua run`, it computes all parts in one process.
local cuda = require "cudalua"
local gpuarray = cuda.gpuarray

local world = cuda.distributed.init()
local terms = tonumber(arg[1]) or 4e6

-- Terms first to last - 1 of 4 / (2 k + 1) with alternating signs, in one kernel.
local function part(first, last)
  local k = gpuarray.arange(first, last, "float64")
  return ((1 - 2 * (k % 2)) * 4 / (2 * k + 1)):sum()
end

-- The same bounds on all ranks, so that each term belongs to exactly one of them.
local function bound(rank) return math.floor(terms * rank / world.size) end

local mine = part(bound(world.rank), bound(world.rank + 1))
local pi = world:all_reduce(mine):item()

-- Each rank has the result; one of them prints it.
local shares = world:gather(mine)
if world.rank == 0 then
  print("parts", shares)
  print(("pi is about %.6f"):format(pi))
  assert(math.abs(pi - math.pi) < 2 / terms, "the error of the series is below 2 / terms")
  assert(math.abs(shares:sum():item() - pi) < 1e-12)
  print(("%d ranks, %d terms, all as expected"):format(world.size, terms))
end
