-- What lazy expressions cost the host: programs on arrays of 1000 elements, with cuLaunchKernel replaced by a function
-- that does nothing. In microseconds of CPU time a call: with the collector, and without it; and bytes of garbage.
-- Needs no GPU, but Linux on a processor of type x86-64.
--   ./dev bench expressions [PROCESSES [OTHER]]
-- OTHER is the folder lua/ of another version. Its processes and those of this version run at the same time on one
-- core, so that both see the same load. The table has the means of the processes.
local host_time = dofile "bench/common/host_time.lua"

local names = { "200 operations and a sum", "30 operations", "Black-Scholes, eval of both", "Adam, eval(m, v, p)",
  "eval(x * y, x + y)", "two operations", "one operation" }

local function programs(gpuarray)
  local main = dofile "bench/programs/main.lua"
  local function frozen(name)
    local p = main.load(name)
    local given = main.arguments(p, { 1000 })
    return p.program, unpack(given, 1, given.n)
  end
  local x, y = gpuarray.full(1000, 0.5, "float32"):eval(), gpuarray.full(1000, 0.25, "float32"):eval()
  local chain, u, v = frozen "chain"
  local prices, a, b, c, d, e = frozen "black_scholes"
  local adam, p, gradient, m, s, step = frozen "adam"
  return {
    function() chain(u, v):eval() end,
    function()
      local z = x
      for _ = 1, 15 do z = z * 0.99 + y end
      z:eval()
    end,
    function() gpuarray.eval(prices(a, b, c, d, e)) end,
    function() adam(p, gradient, m, s, step) end,
    function() gpuarray.eval(x * y, x + y) end,
    function() (x * y + x):eval() end,
    function() (x + y):eval() end,
  }
end

host_time.run("program, 1000 elements", "bench/expressions.lua", names, programs)
