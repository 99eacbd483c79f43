-- What an option is worth, by trying: prices at the end are drawn, and what the option pays then is averaged. The
-- random numbers, the prices and the sums are one kernel; no number is stored. Against Black and Scholes's formula.
--   luajit examples/16_monte_carlo.lua [millions of prices]      default: 256, on the software device 0.2
local cuda = require "cudalua"
local gpuarray, random = cuda.gpuarray, cuda.random

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local n = math.ceil((tonumber(arg and arg[1]) or (soft and 0.2 or 256)) * 1e6)

local spot, strike, years, rate, volatility = 100, 105, 1, 0.05, 0.2
local drift, spread = (rate - volatility ^ 2 / 2) * years, volatility * math.sqrt(years)
local discount = math.exp(-rate * years)

-- The formula. phi() is the normal distribution function; one number, so the device's erf does for it.
local function phi(x) return (gpuarray.scalar(x, "float64") / math.sqrt(2)):erf():add(1):mul(0.5):item() end
local d1 = (math.log(spot / strike) + (rate + volatility ^ 2 / 2) * years) / spread
local exact = spot * phi(d1) - strike * discount * phi(d1 - spread)
assert(math.abs(exact - 8.0213522351432) < 1e-9, "the formula")

-- What it pays, discounted, where the standard normal numbers z say how the share moves.
local function paid(z) return discount * (spot * (drift + spread * z):exp() - strike):maximum(0) end

-- A mean with its standard error: the mean and the mean square of the same numbers, since a seed means the same numbers
-- each time. The sums are float64.
local function estimate(seed, payoff)
  local function draw() return payoff(random.Generator(seed):normal(n)):astype "float64" end
  local mean = draw():mean():item()
  local square = (draw() ^ 2):mean():item()
  return mean, math.sqrt((square - mean ^ 2) / n)
end

local function show(what, value, standard_error)
  local off = value - exact
  print(("%-28s %.6f  +- %.6f   off by %+.6f, %.1f standard errors"):format(what, value, standard_error, off,
    math.abs(off) / standard_error))
  assert(math.abs(off) < 4 * standard_error, what .. ": too far from the formula")
  return standard_error
end

print(("the formula                  %.6f"):format(exact))
estimate(1, paid) -- compiles the kernels
local start, stop = cuda.Event(), cuda.Event()
start:record()
local mean, standard_error = estimate(2024, paid)
stop:record()
stop:synchronize()
local plain = show(("%.1f million prices"):format(n / 1e6), mean, standard_error)
local again = estimate(2024, paid)
assert(again == mean, "a seed means the same numbers, and a sum has one order")

-- Prices in pairs, z and -z: what one draws too high the other draws too low, so that their mean varies less.
local both = show("in pairs of opposites", estimate(7, function(z) return (paid(z) + paid(-z)) / 2 end))
assert(both < 0.8 * plain, "pairs of opposites vary less")

-- Points that fill the interval evenly instead of at random. Their error is no matter of chance, and far smaller; how
-- large it is, several sequences with scrambled digits tell.
local points, sum, squares, tries = 2 ^ 14, 0, 0, 8
for seed = 1, tries do
  local sobol = random.ScrambledSobol32RandomNumberGenerator(nil, nil, 0, { seed = seed })
  local value = paid(sobol:gen_normal(points, "float64")):mean():item()
  sum, squares = sum + value, squares + value ^ 2
end
local spread_of_tries = math.sqrt(math.max(squares / tries - (sum / tries) ^ 2, 0) / (tries - 1))
print(("%-28s %.6f  +- %.6f   off by %+.6f"):format(("%d x %d even points"):format(tries, points), sum / tries,
  spread_of_tries, sum / tries - exact))
assert(math.abs(sum / tries - exact) < 2e-3 and spread_of_tries < plain * math.sqrt(n / points / tries) / 20,
  "even points do better than random ones")

print(("%.1f million random prices twice in %.2f %s, all as expected"):format(n / 1e6, stop:time_since(start),
  soft and "simulated ms" or "ms"))
ctx:detach()
