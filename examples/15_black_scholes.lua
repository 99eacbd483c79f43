-- What options are worth, by Black and Scholes, in single and in double precision: the formulas as they stand in books,
-- as one kernel.
--   luajit examples/15_black_scholes.lua [millions of options]      default: 16, on the software device 0.01
local cuda = require "cudalua"
local gpuarray = cuda.gpuarray

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local n = math.ceil((tonumber(arg and arg[1]) or (soft and 0.01 or 16)) * 1e6)

-- Prices of a call and of a put: of a share at `spot`, with `years` to go, at an interest `rate`.
---@param spot cudalua.gpuarray.Array
---@param strike cudalua.gpuarray.Array
---@param years cudalua.gpuarray.Array
---@param rate number
---@param volatility number
local function prices(spot, strike, years, rate, volatility)
  local spread = volatility * years:sqrt()
  local d1 = ((spot / strike):log() + (rate + volatility ^ 2 / 2) * years) / spread
  local d2 = d1 - spread
  local discounted = strike * (-rate * years):exp()
  return spot * d1:normcdf() - discounted * d2:normcdf(), discounted * (-d2):normcdf() - spot * (-d1):normcdf()
end
local both = gpuarray.fuse(prices) -- both results from one kernel, which reads its input once

-- The same, with another formula for the normal distribution, erf.
local function call_by_erf(spot, strike, years, rate, volatility)
  local function phi(x) return 0.5 * (1 + (x / math.sqrt(2)):erf()) end
  local d1 = ((spot / strike):log() + (rate + volatility ^ 2 / 2) * years) / (volatility * years:sqrt())
  return spot * phi(d1) - strike * (-rate * years):exp() * phi(d1 - volatility * years:sqrt())
end

-- A value from the literature: Hull, Options, Futures and Other Derivatives: 4.76 and 0.81.
local one = function(x) return gpuarray.to_gpu({ x }, "float64") end
local call, put = prices(one(42), one(40), one(0.5), 0.1, 0.2)
assert(math.abs(call[1] - 4.759422392871) < 1e-11 and math.abs(put[1] - 0.808599372900) < 1e-11, "the known example")

local rate, volatility = 0.02, 0.3
local function market(dtype)
  local k = gpuarray.arange(n)
  local function mixed(times, n_values) return (k * times % n_values):astype(dtype) end
  return 5 + mixed(7, 1000) * 0.025, 1 + mixed(13, 997) * 0.1, 0.25 + mixed(3, 991) * 0.01
end

local double
for _, dtype in ipairs { "float64", "float32" } do
  local spot, strike, years = market(dtype)
  gpuarray.eval(spot, strike, years)
  both(spot, strike, years, rate, volatility) -- compiles the kernel
  local start, stop = cuda.Event(), cuda.Event()
  start:record()
  call, put = both(spot, strike, years, rate, volatility)
  stop:record()
  stop:synchronize()

  local scale = strike:maximum(spot)
  local tolerance = dtype == "float64" and 1e-14 or 3e-6
  -- A call bought and a put sold are a share to come at the strike price.
  local parity = ((call - put - (spot - strike * (-rate * years):exp())) / scale):abs():max():item()
  assert(parity < tolerance, ("%s: put-call parity is off by %g"):format(dtype, parity))
  local apart = ((call - call_by_erf(spot, strike, years, rate, volatility)) / scale):abs():max():item()
  assert(apart < tolerance, ("%s: the two formulas are %g apart"):format(dtype, apart))
  assert(call:min():item() > -tolerance * 100 and put:min():item() > -tolerance * 100, "a price below nothing")
  if double then
    local off = ((call:astype "float64" - double) / scale):abs():max():item()
    assert(off < tolerance, ("float32 differs from float64 by %g"):format(off))
  end
  double = double or call
  local ms = stop:time_since(start)
  local speed = soft and "simulated ms" or ("ms, %.0f million a second"):format(n / ms / 1e3)
  print(("%s: %d options in %.3f %s; parity holds to %.0e"):format(dtype, n, ms, speed, tolerance))
end
print(("calls and puts on %s, all as expected"):format(ctx:get_device():name()))
