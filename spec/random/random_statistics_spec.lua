-- cudalua.random: how numbers are distributed. On a GPU, and with CUDALUA_ALL, 1e7 of each, elsewhere fewer, of fixed
-- seeds, so that the outcome is the same each time. They are counted on the device. What an error of one part in a
-- thousand would look like is far below the bounds.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local random = require "cudalua.random"
local statistics = require "spec.support.statistics"

local N = gpu.soft and not os.getenv "CUDALUA_ALL" and 100000 or 1e7
local LEAST = 1e-4 -- p-value
local BINS = 65536 -- in which the distribution functions of uniform numbers are compared

local function counts_of(x, bins, low, high)
  local host = gpuarray.histogram(x, bins, { range = { low, high } }):get()
  return host:data(), host
end

local function kolmogorov_smirnov(u)
  local counts, host = counts_of(u, BINS, 0, 1)
  local p, distance = statistics.kolmogorov_smirnov(counts, BINS, u.size)
  return p, distance, host
end

-- Numbers that should be uniform.
local function check_uniform(u)
  local p, distance = kolmogorov_smirnov(u)
  assert.is_true(p > LEAST, ("p = %g, D = %g"):format(p, distance))
end

-- Mean and variance, of a distribution with these and this fourth central moment.
local function check_moments(x, mean, variance, fourth)
  x = x:astype "float64"
  local n, m = x.size, x:mean():item()
  local v = ((x - mean) ^ 2):mean():item()
  assert.is_true(math.abs(statistics.deviations(m, mean, variance, n)) < 4.5, ("mean %g"):format(m))
  local z = statistics.deviations(v, variance, fourth - variance ^ 2, n)
  assert.is_true(math.abs(z) < 4.5, ("variance %g"):format(v))
end

local function verdict(counts, expected)
  local p, x, freedom = statistics.chi_square(counts, expected)
  assert.is_true(p > LEAST, ("p = %g, chi-square %g of %d"):format(p, x, freedom))
end

-- Integers: those beyond the ends count as these.
local function check_counts(x, from, to, probability)
  local host = gpuarray.bincount(x:maximum(from):minimum(to) - (from - 1), { minlength = to - from + 1 }):get()
  local seen, counts, expected = host:data(), {}, {}
  for k = from, to do
    counts[k - from + 1], expected[k - from + 1] = tonumber(seen[k - from]), x.size * probability(k)
  end
  verdict(counts, expected)
end

-- Numbers of a distribution function, in intervals between low and high and beyond.
local function check_distribution(x, cdf, low, high)
  local bins, n = 200, x.size
  x = x:astype "float64"
  local seen, host = counts_of(x, bins, low, high)
  local counts, expected = { x:lt(low):count_nonzero():item() }, { n * cdf(low) }
  local total, last = counts[1], cdf(low)
  for k = 0, bins - 1 do
    local f = cdf(low + (high - low) * (k + 1) / bins)
    counts[k + 2], expected[k + 2] = tonumber(seen[k]), n * (f - last)
    total, last = total + counts[k + 2], f
  end
  counts[bins + 2], expected[bins + 2] = n - total, n * (1 - last)
  assert.is_true(host ~= nil)
  verdict(counts, expected)
end

local function normcdf(x) return x:astype("float64"):normcdf() end

-- The moments of a log-normal distribution whose logarithm has the mean 0.
local function check_log_normal(x, sigma)
  local w = math.exp(sigma ^ 2)
  local variance = (w - 1) * w
  check_moments(x, math.sqrt(w), variance, variance ^ 2 * (w ^ 4 + 2 * w ^ 3 + 3 * w ^ 2 - 3))
  check_uniform(normcdf(x:astype "float64":log() / sigma))
end

local function check_poisson(x, mean, low, high)
  check_counts(x, low, high, function(k) return statistics.poisson(mean, k) end)
  check_moments(x, mean, mean, mean + 3 * mean ^ 2)
end

describe("distributions of random numbers", function()
  setup(function() gpu.context() end)
  local rng
  before_each(function() rng = random.Generator(1) end)

  it("tests tell what is wrong from what is right", function()
    local u = rng:uniform(N, 0, 1, "float64"):eval()
    assert.is_true(kolmogorov_smirnov(u) > 0.01)
    assert.is_true(kolmogorov_smirnov(u ^ 1.03) < LEAST)
    assert.equal(0, (kolmogorov_smirnov(gpuarray.full(10, 1.5))))
    assert.equal(0, (kolmogorov_smirnov(gpuarray.full(10, 0 / 0))))
    assert.is_true(statistics.chi_square({ 5000, 5300 }, { 5150, 5150 }) < 0.01)
    assert.has_error(function() check_moments(u, 0.51, 1 / 12, 1 / 80) end)
    assert.has_error(function() check_moments(u, 0.5, 1 / 11, 1 / 80) end)
    assert.has_error(function() check_distribution(u, function(x) return x ^ 1.03 end, 0, 1) end)
    assert.has_error(function() check_counts((u * 7):astype "int32", 0, 5, function() return 1 / 6 end) end)
    assert.is_true(math.abs(statistics.gamma_cdf(2, 3) - 0.8008517265) < 1e-9)
    assert.is_true(math.abs(statistics.beta_cdf(2, 3, 0.4) - 0.5248) < 1e-9)
    assert.is_true(math.abs(statistics.normal_cdf(1.96) - 0.9750021049) < 1e-9)
  end)

  for _, dtype in ipairs { "float32", "float64" } do
    it("uniform and normal, " .. dtype, function()
      local u = rng:uniform(N, 0, 1, dtype):eval()
      check_uniform(u)
      check_distribution(u, function(x) return x end, 0, 1)
      check_moments(u, 1 / 2, 1 / 12, 1 / 80)
      -- Neighbours have nothing to do with each other, nor have those that are four apart.
      for _, k in ipairs { 1, 2, 3, 4 } do
        local a, b = u[{ { 1, -1 - k } }]:astype "float64" - 0.5, u[{ { 1 + k, -1 } }] - 0.5
        assert.is_true(math.abs((a * b):mean():item() * 12 * math.sqrt(N)) < 4.5)
      end
      local z = rng:normal(N, 0, 1, dtype):eval()
      check_uniform(normcdf(z))
      check_distribution(z, statistics.normal_cdf, -4, 4)
      check_moments(z, 0, 1, 3)
      local pairs_of = z:reshape(-1, 2):astype "float64"
      local x, y = pairs_of[{ {}, 1 }], pairs_of[{ {}, 2 }]
      assert.is_true(math.abs((x * y):mean():item() * math.sqrt(N / 2)) < 4.5)
      check_uniform(1 - (-(x ^ 2 + y ^ 2) / 2):exp())     -- the distance of a pair
      check_uniform((y:atan2(x) / math.pi + 1) / 2)       -- and its direction
      if dtype == "float32" then check_moments(z:abs():gt(4), 6.334e-5, 6.334e-5, 6.334e-5) end -- beyond four sigma
    end)
  end

  it("exponential and log-normal", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x = rng:exponential(N, 1, dtype):eval()
      check_uniform(1 - (-x:astype "float64"):exp())
      check_distribution(x, function(t) return 1 - math.exp(-t) end, 0, 10)
      check_moments(x, 1, 1, 9)
      check_log_normal(rng:log_normal(N, 0, 0.5, dtype):eval(), 0.5)
    end
    check_uniform(normcdf((rng:log_normal(N, 1, 2, "float64"):log() - 1) / 2))
  end)

  it("gamma and beta", function()
    for k, high in pairs { [0.3] = 6, [1] = 10, [2.5] = 15, [100] = 150 } do
      local x = rng:gamma(N, k, 1, "float64"):eval()
      check_distribution(x, function(t) return statistics.gamma_cdf(k, t) end, k == 100 and 60 or 0, high)
      check_moments(x, k, k, 3 * k ^ 2 + 6 * k)
      if k == 1 then check_uniform(1 - (-x):exp()) end
    end
    for _, row in ipairs { { 2, 3, "float32" }, { 0.5, 0.5, "float64" } } do
      local a, b = row[1], row[2]
      local x, sum = rng:beta(N, a, b, row[3]):eval(), a + b
      check_distribution(x, function(t) return statistics.beta_cdf(a, b, t) end, 0, 1)
      local variance = a * b / (sum ^ 2 * (sum + 1))
      check_moments(x, a / sum, variance, variance ^ 2 *
        (3 + 6 * ((a - b) ^ 2 * (sum + 1) - a * b * (sum + 2)) / (a * b * (sum + 2) * (sum + 3))))
      if a == 0.5 then check_uniform((x:sqrt():asin() * (2 / math.pi)):minimum(1)) end -- the arc sine's distribution
    end
  end)

  it("poisson and binomial", function()
    for mean, high in pairs { [0.5] = 12, [4] = 25, [9.99] = 40, [12] = 50, [400] = 550 } do
      check_poisson(rng:poisson(N, mean, "int32"):eval(), mean, mean == 400 and 250 or 0, high)
    end
    for _, row in ipairs { { 20, 0.3 }, { 40, 0.5 }, { 1000, 0.9 }, { 5, 0.7 } } do
      local n, p = row[1], row[2]
      local x, variance = rng:binomial(N, n, p, "int32"):eval(), n * p * (1 - p)
      check_counts(x, n == 1000 and 800 or 0, n, function(k) return statistics.binomial(n, p, k) end)
      check_moments(x, n * p, variance, variance * (1 + 3 * (n - 2) * p * (1 - p)))
    end
    -- Numbers so large that their factorials' logarithms would have too few digits.
    local n, p = 1e15, 0.25
    check_uniform(normcdf((rng:poisson(N, n):astype "float64" - n) / math.sqrt(n)))
    check_uniform(normcdf((rng:binomial(N, n, p):astype "float64" - n * p) / math.sqrt(n * p * (1 - p))))
    check_poisson(rng:binomial(N, n, 12e-15, "int32"):eval(), 12, 0, 50)
  end)

  it("integers", function()
    local x = rng:integers(N, 1, 6, "int32"):eval()
    check_counts(x, 1, 6, function() return 1 / 6 end)
    check_moments(x, 3.5, 35 / 12, 35 * 101 / 240)
    -- A bound for which rounding down without more would favour every third.
    local third = 3 * 2 ^ 30
    check_counts((rng:integers(N, 0, third - 1) % 3):astype "int32", 0, 2, function() return 1 / 3 end)
    check_uniform(rng:integers(N, 0, third - 1):astype "float64" / third)
    check_uniform((rng:integers(N, -3LL * 2LL ^ 61, 3LL * 2LL ^ 61):astype "float64" / 3 / 2 ^ 61 + 1) / 2)
  end)

  it("permutations of many", function()
    local n = gpu.soft and N / 2 or N
    local order = rng:permutation(n):eval()
    assert.is_true(gpuarray.bincount(order):eq(1):all():item() and order:max():item() == n)
    local p = order:astype "float64"
    local place = gpuarray.arange(n):astype "float64"
    local correlation = ((p - n / 2) * (place - n / 2)):mean():item() * 12 / n ^ 2
    assert.is_true(math.abs(correlation * math.sqrt(n)) < 4.5)
    check_uniform((p[{ { 1, n / 2 } }] - 0.5) / n)
    -- Distances of neighbours: those of independent numbers.
    local d = (p[{ { 1, -2 } }] - p[{ { 2, -1 } }]):abs() / n
    check_uniform(1 - (1 - d) ^ 2)
    check_moments(d, 1 / 3, 1 / 18, 1 / 135)
  end)

  it("choices", function()
    local x = rng:choice(100, N):eval()
    check_counts(x, 1, 100, function() return 1 / 100 end)
    check_moments(x, 50.5, 9999 / 12, 9999 * 29993 / 240)
    local p = { 0.5, 0.25, 0, 0.2, 0.05 }
    check_counts(rng:choice(5, N, { p = p }), 1, 5, function(k) return p[k] end)
    local few = rng:choice(2 * N, N / 2, { replace = false }):eval()
    assert.equal(1, gpuarray.bincount(few):max():item())
    check_uniform((few:astype "float64" - 0.5) / (2 * N))
  end)

  local function check_generator(g)
    for _, dtype in ipairs { "float32", "float64" } do
      local u = g:gen_uniform(N, dtype)
      check_uniform(u)
      check_moments(u, 1 / 2, 1 / 12, 1 / 80)
      local z = g:gen_normal(N, dtype)
      check_uniform(normcdf(z))
      check_distribution(z, statistics.normal_cdf, -4, 4)
      check_moments(z, 0, 1, 3)
      check_log_normal(g:gen_log_normal(N, dtype, 0, 0.5), 0.5)
    end
    check_uniform(g:gen_uniform(N, "uint32"):astype "float64" / 2 ^ 32)
    check_poisson(g:gen_poisson(N, "int32", 4), 4, 0, 25)
    check_poisson(g:gen_poisson(N, "int32", 40), 40, 0, 90)
  end

  it("XORWOW", function() check_generator(random.XORWOWRandomNumberGenerator(3)) end)
  it("MRG32k3a", function() check_generator(random.MRG32k3aRandomNumberGenerator(3)) end)

  it("Sobol sequences are more even than random numbers", function()
    local n = N < 1e7 and 2 ^ 16 or 2 ^ 24
    local cells = n / 16
    for _, name in ipairs { "Sobol32", "ScrambledSobol32", "Sobol64", "ScrambledSobol64" } do
      local class = random[name .. "RandomNumberGenerator"]
      local function make()
        if name:find "Scrambled" then return class(nil, nil, 0, { dimensions = 3, seed = 5 }) end
        return class(nil, 0, { dimensions = 3 })
      end
      -- Every interval of 16 / n has its 16 points, in each of the dimensions.
      local bits = tonumber(name:match "%d+")
      local cell = make():gen_uniform(n, "uint" .. bits):floordiv(2 ^ bits / cells)
      local g = make()
      local u = g:gen_uniform(n, "float64")
      for d = 1, 3 do
        local seen = gpuarray.bincount(cell[{ {}, d }]:astype "int32" + 1)
        assert.is_true(seen.size == cells and seen:eq(16):all():item(), ("%s, dimension %d"):format(name, d))
        local p, distance = kolmogorov_smirnov(u[{ {}, d }])
        assert.is_true(p == 1 and distance <= 16 / n)
      end
      -- The integral of a product.
      assert.is_true(math.abs(u:prod(2):mean():item() - 1 / 8) < 2e-5)
      local z = g:gen_normal(n, "float64")
      assert.is_true(math.abs(z:mean():item()) < 1e-4 and math.abs((z ^ 2):mean():item() - 1) < 1e-3)
      local x = g:gen_log_normal(n, "float64", 0, 0.5)
      assert.is_true(math.abs(x:mean():item() - math.exp(0.125)) < 1e-3)
      local k = g:gen_poisson(n, "int32", 30)
      assert.is_true(math.abs(k:astype("float64"):mean():item() - 30) < 0.01)
    end
  end)
end)
