-- What random numbers are judged by: distribution functions, and tests whose p-values say how likely it is that numbers
-- of the distribution are as far from it as these, or further.

local abs, exp, log, max, sqrt = math.abs, math.exp, math.log, math.max, math.sqrt

local M = {}

-- log(gamma(x)), by Lanczos's approximation.
local lanczos = { 76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2,
  -0.5395239384953e-5 }
function M.log_gamma(x)
  local sum, y = 1.000000000190015, x
  for _, c in ipairs(lanczos) do
    y = y + 1
    sum = sum + c / y
  end
  local t = x + 5.5
  return (x + 0.5) * log(t) - t + log(2.5066282746310005 * sum / x)
end

-- The incomplete gamma function P(a, x): the distribution function of a gamma distribution.
function M.gamma_cdf(a, x)
  if x <= 0 then return 0 end
  local front = exp(-x + a * log(x) - M.log_gamma(a))
  if x < a + 1 then
    local term, sum, n = 1 / a, 1 / a, a
    repeat
      n = n + 1
      term = term * x / n
      sum = sum + term
    until term < sum * 1e-16
    return sum * front
  end
  local b, c, d = x + 1 - a, 1e300, 1 / (x + 1 - a)
  local h = d
  for i = 1, 10000 do
    local an = -i * (i - a)
    b = b + 2
    d = 1 / (an * d + b)
    c = b + an / c
    h = h * d * c
    if abs(d * c - 1) < 1e-15 then break end
  end
  return 1 - front * h
end

-- The incomplete beta function I(x; a, b): the distribution function of a beta distribution.
function M.beta_cdf(a, b, x)
  if x <= 0 then return 0 end
  if x >= 1 then return 1 end
  if x > (a + 1) / (a + b + 2) then return 1 - M.beta_cdf(b, a, 1 - x) end
  local front = exp(M.log_gamma(a + b) - M.log_gamma(a) - M.log_gamma(b) + a * log(x) + b * log(1 - x)) / a
  local c, d = 1, 1 / (1 - (a + b) * x / (a + 1))
  local h = d
  for m = 1, 10000 do
    local an = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / (1 + an * d)
    c = 1 + an / c
    h = h * d * c
    an = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / (1 + an * d)
    c = 1 + an / c
    h = h * d * c
    if abs(d * c - 1) < 1e-15 then break end
  end
  return front * h
end

function M.normal_cdf(x)
  local p = 0.5 * M.gamma_cdf(0.5, x * x / 2)
  return x < 0 and 0.5 - p or 0.5 + p
end

-- How likely are `n` events, of which `mean` are expected?
function M.poisson(mean, n) return exp(n * log(mean) - mean - M.log_gamma(n + 1)) end

-- How likely is it that n of `tries` succeed?
function M.binomial(tries, p, n)
  return exp(M.log_gamma(tries + 1) - M.log_gamma(n + 1) - M.log_gamma(tries - n + 1) + n * log(p) +
    (tries - n) * log(1 - p))
end

-- ---- tests ----------------------------------------------------------------------------------------------------------

-- The p-value of a sum of squares that is expected to be about its number of degrees of freedom.
function M.chi_square_p(x, freedom) return 1 - M.gamma_cdf(freedom / 2, x / 2) end

-- Pearson's test of counts against what is expected, from 1 on; neighbours of which few are expected count as one.
function M.chi_square(counts, expected)
  local x, freedom, seen, due = 0, -1, 0, 0
  for i = 1, #expected do
    seen, due = seen + (counts[i] or 0), due + expected[i]
    if due >= 10 or i == #expected and due > 0 then
      x, freedom = x + (seen - due) ^ 2 / due, freedom + 1
      seen, due = 0, 0
    end
  end
  return M.chi_square_p(x, freedom), x, freedom
end

-- Kolmogorov and Smirnov's test of numbers that should be uniform in [0, 1]: counts[0] ... are how many of the n lie in
-- each of so many intervals of one width, at whose ends the distributions are compared.
function M.kolmogorov_smirnov(counts, bins, n)
  local sum, distance = 0, 0
  for k = 0, bins - 1 do
    sum = sum + tonumber(counts[k])
    distance = max(distance, abs(sum / n - (k + 1) / bins))
  end
  if sum ~= n then return 0, 1 end -- some lie outside
  local t, p = distance * (sqrt(n) + 0.12 + 0.11 / sqrt(n)), 0
  if t < 0.3 then return 1, distance end
  for k = 1, 100 do p = p + (k % 2 == 1 and 2 or -2) * exp(-2 * k * k * t * t) end
  return p, distance
end

-- How many standard errors a mean is away from what is expected.
function M.deviations(mean, expected, variance, n) return (mean - expected) / sqrt(variance / n) end

return M
