-- Where long programs are cut (core/cut.lua): launches, different kernels, and how many arrays each kernel stores, for
-- the frozen programs and for loops that carry three arrays. Nothing is compiled or computed. For Q1 of
-- docs/programs.md.
--   ./dev run bench/programs/cuts.lua [LIMIT...]
local cuda = require "cudalua"
local cut = require "cudalua.gpuarray.core.cut"
local gpuarray = require "cudalua.gpuarray"
local main = dofile "bench/programs/main.lua"
local runs = require "cudalua.gpuarray.core.run"

cuda.init()
cuda.Device(0):retain_primary_context():push()

local function chain(x, y, n)
  for k = 1, n do x = k % 2 == 1 and x * (0.5 + k / 1000) or x + y end
  return x
end

-- 20 turns of so many operations on three arrays.
local function loop(n)
  local third = math.floor(n / 3)
  return function(a, b, c)
    for _ = 1, 20 do
      a = chain(a, b, third)
      b = chain(b, a, third)
      c = chain(c, b, n - 2 * third)
    end
    return a, b, c
  end
end

local function report(limit, name, f, given)
  local kernel, seen, different, stored = runs.kernel, {}, 0, {}
  runs.kernel = function(launch)
    if not seen[launch.kernel] then seen[launch.kernel], different = true, different + 1 end
    stored[#stored + 1] = launch.nwrites
    return kernel(launch)
  end
  local ok, err = pcall(function() gpuarray.eval(f(unpack(given, 1, given.n))) end)
  runs.kernel = kernel
  if not ok then error(err, 0) end
  print(("| %d | %s | %d | %d | %s |"):format(limit, name, #stored, different, table.concat(stored, " ")))
end

print "| LIMIT | program | launches | kernels | arrays that each stores |"
print "| --- | --- | --- | --- | --- |"
local states = { gpuarray.full(33, 1):eval(), gpuarray.full(33, 2):eval(), gpuarray.full(33, 3):eval(), n = 3 }
local programs = {}
for k, name in ipairs { "black_scholes", "mandelbrot", "leapfrog" } do
  local p = main.load(name)
  programs[k] = { p.title, p.program, main.arguments(p, p.small) }
end
local load = runs.load
runs.load = function() end
for _, limit in ipairs(arg[1] and arg or { 32, 64, 96, 128 }) do
  cut.LIMIT = assert(tonumber(limit), "a limit is a number of operations")
  for _, each in ipairs(programs) do report(cut.LIMIT, unpack(each)) end
  for _, n in ipairs { 5, 20, 56, 90, 150 } do
    report(cut.LIMIT, ("three arrays, %d operations a turn, 20 turns"):format(n), loop(n), states)
  end
end
runs.load = load
