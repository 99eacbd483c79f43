-- Prices of European options by Black and Scholes, both the call and the put.
local main = dofile "bench/programs/main.lua"
local M = { name = "black_scholes", title = "Black-Scholes, call and put", small = { 101 }, large = { 2 ^ 24 },
  tolerance = 2e-4 }

function M.inputs(size, numbers)
  return numbers:uniform(size) * 90 + 10, numbers:uniform(size) * 90 + 10, numbers:uniform(size) * 2 + 0.1, 0.02, 0.3
end

local function cdf(x) return 0.5 * (1 + (x / math.sqrt(2)):erf()) end

function M.program(price, strike, years, rate, volatility)
  local spread = volatility * years:sqrt()
  local d1 = ((price / strike):log() + (rate + 0.5 * volatility ^ 2) * years) / spread
  local d2 = d1 - spread
  local discounted = strike * (-rate * years):exp()
  local call = price * cdf(d1) - discounted * cdf(d2)
  local put = discounted * cdf(-d2) - price * cdf(-d1)
  return call, put
end

-- The normal distribution's integral by Simpson's rule.
local function integral(x)
  local n, sum = 400, 0
  local h = x / n
  for k = 0, n do
    local weight = (k == 0 or k == n) and 1 or k % 2 == 1 and 4 or 2
    sum = sum + weight * math.exp(-(k * h) ^ 2 / 2)
  end
  return 0.5 + sum * h / 3 / math.sqrt(2 * math.pi)
end

function M.reference(price, strike, years, rate, volatility)
  local call, put = {}, {}
  for i = 1, #price do
    local spread = volatility * math.sqrt(years[i])
    local d1 = (math.log(price[i] / strike[i]) + (rate + volatility ^ 2 / 2) * years[i]) / spread
    local d2, discounted = d1 - spread, strike[i] * math.exp(-rate * years[i])
    call[i] = price[i] * integral(d1) - discounted * integral(d2)
    put[i] = discounted * integral(-d2) - price[i] * integral(-d1)
  end
  return call, put
end

return main.run(M)
