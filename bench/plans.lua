-- What planning costs the host: programs that write to parts, read arrays at shifted places, have several results, or
-- reduce. Nothing is launched: see bench/common/host_time.lua. Arrays have 1024 elements, so that hardly any collection
-- is for their memory. Kernels at shifted places are those of large arrays.
--   ./dev bench plans [PROCESSES [OTHER]]
-- Arguments and columns are those of ./dev bench expressions.
local host_time = dofile "bench/common/host_time.lua"

local names = { "wave step, a part written", "wave step of nine views", "Life by eight rolls", "leapfrog, 10 steps",
  "k-means step", "standardise columns", "3 x 3 box by nine views", "y:set(e)", "y[part]:set(e)",
  "eval of three results",
  "layer norm", "roll and add", "mean and variance, columns" }

local N = 32

local function programs(gpuarray)
  require("cudalua.gpuarray.core.shifted").LEAST = 1
  local main = dofile "bench/programs/main.lua"
  local function frozen(name, size)
    local p = main.load(name)
    local given = main.arguments(p, size)
    return p.program, unpack(given, 1, given.n)
  end
  local function several(name, size)
    local program, a, b, c, d = frozen(name, size)
    return function() gpuarray.eval(program(a, b, c, d)) end
  end
  local function full(value) return gpuarray.full({ N, N }, value, "float32"):eval() end
  local x, y, u, v = full(0.5), full(0.25), full(0.5), full(0.25)
  local alive = full(1):astype("uint8"):eval()
  local life = main.load("life").program
  local now, before = gpuarray.full(N * N, 0.5, "float32"):eval(), gpuarray.full(N * N, 0.25, "float32"):eval()
  local all, left, right = { 2, -2 }, { 1, -3 }, { 3, -1 }
  local inside = { all }
  return {
    function()
      local inner = now[inside]
      before[inside] = 2 * inner - before[inside] + 0.25 * (now[{ left }] - 2 * inner + now[{ right }])
      now, before = before, now
    end,
    function()
      local sum
      for i = 1, 3 do
        for j = 1, 3 do
          local w = u[{ { i, i - 4 }, { j, j - 4 } }]
          sum = sum and sum + w or w
        end
      end
      v[{ all, all }]:set(2 * u[{ all, all }] - v[{ all, all }] + 0.1 * (sum - 9 * u[{ all, all }]))
      u, v = v, u
    end,
    function() life(alive):eval() end,
    several("leapfrog", { N * N }),
    several("k_means", { N * N, 16, 4 }),
    several("standardise", { N, N }),
    function()
      local sum
      for i = 1, 3 do
        for j = 1, 3 do
          local w = x[{ { i, i - 4 }, { j, j - 4 } }]
          sum = sum and sum + w or w
        end
      end
      sum:eval()
    end,
    function() y:set(x * 0.5 + 1) end,
    function() y[{ all, all }]:set(x[{ all, all }] * 0.5 + 1) end,
    function() gpuarray.eval(x + 1, x * 2, x - 3) end,
    several("layer_norm", { N, N }),
    function() (x:roll(1, 2) + x):eval() end,
    several("mean_and_variance", { N, N }),
  }
end

host_time.run("program, 1024 elements", "bench/plans.lua", names, programs)
