-- Several devices train a network together: each of them has a part of the samples, and all_reduce adds up their
-- gradients. Start it with:  cudalua run -n 4 examples/33_data_parallel.lua [SAMPLES] [STEPS] [HIDDEN]
-- Started without `cudalua run`, one device has all samples.
local cuda = require "cudalua"
local gpuarray, dist = cuda.gpuarray, cuda.distributed

local world = dist.init()
local samples, steps, hidden = tonumber(arg[1]) or 20000, tonumber(arg[2]) or 100, tonumber(arg[3]) or 32
local RATE = math.min(0.1, 3.2 / hidden) -- wide networks need smaller steps

-- Points of a square, and what the network has to find for them. Any number of ranks gets the same samples.
local points = dist.random({ samples, 2 }, "float32", { generator = cuda.random.Generator(1) }) * 2 - 1
local x = points:eval().block
local wanted = ((x[{ {}, 1 }] * 3):sin() * x[{ {}, 2 }]):reshape(-1, 1):eval()

-- The same weights on all ranks: their generators have the same seed.
local rng = cuda.random.Generator(2)
local weights = {
  w1 = rng:normal({ 2, hidden }, 0, 1, "float32"):eval(), b1 = rng:normal({ hidden }, 0, 1, "float32"):eval(),
  w2 = rng:normal({ hidden, 1 }, 0, 1 / math.sqrt(hidden), "float32"):eval(), b2 = gpuarray.zeros({ 1 }, "float32"),
}

-- The loss and the gradients of this rank's samples, each divided by the number of all samples.
local function gradients(w)
  local h = (x:matmul(w.w1) + w.b1):tanh():eval()
  local difference = (h:matmul(w.w2) + w.b2 - wanted):eval()
  local dy = (difference * (2 / samples)):eval()
  local dh = (dy:matmul(w.w2.T) * (1 - h * h)):eval()
  return { w1 = x.T:matmul(dh), b1 = dh:sum(1), w2 = h.T:matmul(dy), b2 = dy:sum(1) },
    (difference * difference):sum() / samples
end

local NAMES = { "w1", "b1", "w2", "b2" } -- pairs() would visit them in another order on each rank

local function step()
  local g, loss = gradients(weights)
  for _, name in ipairs(NAMES) do
    world:all_reduce(g[name], { out = g[name] })
    weights[name]:isub(RATE * g[name]):eval()
  end
  return loss
end

local first = world:all_reduce(step()):item()
cuda.Context.synchronize()
local begin = cuda.Event():record()
for _ = 2, steps do gpuarray.scope(step) end -- frees the arrays of a step at its end
local milliseconds = cuda.Event():record():synchronize():time_since(begin) / math.max(steps - 1, 1)
local _, loss = gradients(weights)
local last = world:all_reduce(loss):item()
if world.rank == 0 then
  print(("%d samples, %d hidden, %d steps of %.3f ms"):format(samples, hidden, steps, milliseconds))
  print(("loss %.4f, then %.4f"):format(first, last))
end
assert(last < first, "training lowers the loss")

-- All ranks have the same weights, bit for bit: they added the same numbers to the same numbers.
for _, name in ipairs(NAMES) do
  local all = world:all_gather(weights[name])
  for r = 1, world.size do assert(gpuarray.array_equal(all[r], weights[name]), "equal weights") end
end
world:barrier()
if world.rank == 0 then print(("%d ranks, all as expected"):format(world.size)) end
