-- A step of the Adam optimiser.
local main = dofile "bench/programs/main.lua"
local gpuarray = require "cudalua.gpuarray"
local M = { name = "adam", title = "Adam, eval(m, v, p)", small = { 101 }, large = { 2 ^ 24 }, tolerance = 1e-6 }

function M.inputs(size, numbers)
  return numbers:normal(size), numbers:normal(size), numbers:normal(size) * 0.1, numbers:uniform(size) * 0.01, 3
end

function M.program(p, gradient, m, v, step)
  local rate, beta1, beta2 = 1e-3, 0.9, 0.999
  m = beta1 * m + (1 - beta1) * gradient
  v = beta2 * v + (1 - beta2) * gradient ^ 2
  local mean, square = m / (1 - beta1 ^ step), v / (1 - beta2 ^ step)
  p = p - rate * mean / (square:sqrt() + 1e-8)
  gpuarray.eval(m, v, p)
  return m, v, p
end

function M.reference(p, gradient, m, v, step)
  local ms, vs, ps = {}, {}, {}
  for i = 1, #p do
    ms[i] = 0.9 * m[i] + 0.1 * gradient[i]
    vs[i] = 0.999 * v[i] + 0.001 * gradient[i] ^ 2
    ps[i] = p[i] - 1e-3 * ms[i] / (1 - 0.9 ^ step) / (math.sqrt(vs[i] / (1 - 0.999 ^ step)) + 1e-8)
  end
  return ms, vs, ps
end

return main.run(M)
