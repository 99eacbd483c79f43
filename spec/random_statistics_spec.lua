-- cudalua.random: how numbers are distributed. On a GPU 1e7 of each, on the software device fewer, of fixed seeds, so
-- that the outcome is the same each time. What an error of one part in a thousand would look like is far below the
-- bounds.
local gpu = require "spec.support.gpu"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local random = require "cudalua.random"
local statistics = require "spec.support.statistics"

local N = gpu.soft and 200000 or 1e7
local LEAST = 1e-4 -- p-value

local function values(x, dtype, c)
  local host = x:astype(dtype):get()
  return ffi.cast("const " .. c .. " *", host:data()), host
end

-- Numbers that should be uniform.
local function check_uniform(u)
  local p, host = values(u, "float64", "double")
  local probability, distance = statistics.kolmogorov_smirnov(u.size, function(i) return p[i] end)
  assert.is_true(host ~= nil and probability > LEAST, ("p = %g, D = %g"):format(probability, distance))
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
  local p, host = values(x, "int32", "int32_t")
  local n, seen = host.size, ffi.new("int32_t[?]", to - from + 1)
  for i = 0, n - 1 do
    local k = math.min(math.max(p[i], from), to) - from
    seen[k] = seen[k] + 1
  end
  local counts, expected = {}, {}
  for k = from, to do counts[k - from + 1], expected[k - from + 1] = seen[k - from], n * probability(k) end
  verdict(counts, expected)
end

-- Numbers of a distribution function, in intervals between low and high and beyond.
local function check_distribution(x, cdf, low, high)
  local p, host = values(x, "float64", "double")
  local n, bins = host.size, 200
  local seen = ffi.new("int32_t[?]", bins + 2)
  for i = 0, n - 1 do
    local k = math.min(math.max(math.floor((p[i] - low) / (high - low) * bins), -1), bins) + 1
    seen[k] = seen[k] + 1
  end
  local counts, expected, last = {}, {}, 0
  for k = 0, bins + 1 do
    local f = k > bins and 1 or cdf(low + (high - low) * k / bins)
    counts[k + 1], expected[k + 1] = seen[k], n * (f - last)
    last = f
  end
  verdict(counts, expected)
end

local function normcdf(x) return x:astype("float64"):normcdf() end

describe("distributions of random numbers", function()
  setup(function() gpu.context() end)
  local rng
  before_each(function() rng = random.Generator(1) end)

  it("tests tell what is wrong from what is right", function()
    local p, host = values(rng:uniform(N, 0, 1, "float64"), "float64", "double")
    assert.is_true(statistics.kolmogorov_smirnov(N, function(i) return p[i] end) > 0.01)
    assert.is_true(statistics.kolmogorov_smirnov(N, function(i) return p[i] ^ 1.03 end) < LEAST)
    assert.equal(0, (statistics.kolmogorov_smirnov(10, function() return 1.5 end)))
    assert.is_true(host.size == N and statistics.chi_square({ 5000, 5300 }, { 5150, 5150 }) < 0.01)
    assert.is_true(math.abs(statistics.gamma_cdf(2, 3) - 0.8008517265) < 1e-9)
    assert.is_true(math.abs(statistics.beta_cdf(2, 3, 0.4) - 0.5248) < 1e-9)
    assert.is_true(math.abs(statistics.normal_cdf(1.96) - 0.9750021049) < 1e-9)
  end)

  for _, dtype in ipairs { "float32", "float64" } do
    it("uniform and normal, " .. dtype, function()
      local u = rng:uniform(N, 0, 1, dtype):eval()
      check_uniform(u)
      check_moments(u, 1 / 2, 1 / 12, 1 / 80)
      -- Neighbours have nothing to do with each other, nor have those that are four apart.
      for _, k in ipairs { 1, 2, 3, 4 } do
        local a, b = u[{ { 1, -1 - k } }]:astype "float64" - 0.5, u[{ { 1 + k, -1 } }] - 0.5
        assert.is_true(math.abs((a * b):mean():item() * 12 * math.sqrt(N)) < 4.5)
      end
      local z = rng:normal(N, 0, 1, dtype):eval()
      check_uniform(normcdf(z))
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
    local x = rng:exponential(N):eval()
    check_uniform(1 - (-x:astype "float64"):exp())
    check_moments(x, 1, 1, 9)
    check_uniform(1 - (-rng:exponential(N, 1, "float64")):exp())
    check_uniform(normcdf(rng:log_normal(N):astype("float64"):log()))
    check_uniform(normcdf((rng:log_normal(N, 1, 2, "float64"):log() - 1) / 2))
  end)

  it("gamma and beta", function()
    for k, high in pairs { [0.3] = 6, [1] = 10, [2.5] = 15, [100] = 150 } do
      check_distribution(rng:gamma(N, k, 1, "float64"), function(t) return statistics.gamma_cdf(k, t) end,
        k == 100 and 60 or 0, high)
    end
    check_distribution(rng:beta(N, 2, 3), function(t) return statistics.beta_cdf(2, 3, t) end, 0, 1)
    check_distribution(rng:beta(N, 0.5, 0.5, "float64"), function(t) return statistics.beta_cdf(0.5, 0.5, t) end, 0, 1)
  end)

  it("poisson and binomial", function()
    for mean, high in pairs { [0.5] = 12, [4] = 25, [9.99] = 40, [12] = 50, [400] = 550 } do
      check_counts(rng:poisson(N, mean, "int32"), mean == 400 and 250 or 0, high,
        function(k) return statistics.poisson(mean, k) end)
    end
    for _, row in ipairs { { 20, 0.3 }, { 40, 0.5 }, { 1000, 0.9 }, { 5, 0.7 } } do
      check_counts(rng:binomial(N, row[1], row[2], "int32"), row[1] == 1000 and 800 or 0, row[1],
        function(k) return statistics.binomial(row[1], row[2], k) end)
    end
  end)

  it("integers", function()
    check_counts(rng:integers(N, 1, 6, "int32"), 1, 6, function() return 1 / 6 end)
    -- A bound for which rounding down without more would favour every third.
    local third = 3 * 2 ^ 30
    check_counts((rng:integers(N, 0, third - 1) % 3):astype "int32", 0, 2, function() return 1 / 3 end)
    check_uniform(rng:integers(N, 0, third - 1):astype "float64" / third)
    check_uniform((rng:integers(N, -3LL * 2LL ^ 61, 3LL * 2LL ^ 61):astype "float64" / 3 / 2 ^ 61 + 1) / 2)
  end)

  it("permutations of many", function()
    local n = gpu.soft and 50000 or 1e6
    local p = rng:permutation(n):astype "float64"
    local place = gpuarray.arange(n):astype "float64"
    local correlation = ((p - n / 2) * (place - n / 2)):mean():item() * 12 / n ^ 2
    assert.is_true(math.abs(correlation * math.sqrt(n)) < 4.5)
    check_uniform((p[{ { 1, n / 2 } }] - 0.5) / n)
    -- Distances of neighbours: those of independent numbers.
    local d = (p[{ { 1, -2 } }] - p[{ { 2, -1 } }]):abs() / n
    check_uniform(1 - (1 - d) ^ 2)
  end)

  local function check_generator(g)
    local u = g:gen_uniform(N)
    check_uniform(u)
    check_moments(u, 1 / 2, 1 / 12, 1 / 80)
    check_uniform(g:gen_uniform(N, "float64"))
    local z = g:gen_normal(N)
    check_uniform(normcdf(z))
    check_moments(z, 0, 1, 3)
    check_uniform(normcdf(g:gen_normal(N, "float64")))
    check_counts(g:gen_poisson(N, "int32", 4), 0, 25, function(k) return statistics.poisson(4, k) end)
  end

  it("XORWOW", function() check_generator(random.XORWOWRandomNumberGenerator(3)) end)
  it("MRG32k3a", function() check_generator(random.MRG32k3aRandomNumberGenerator(3)) end)

  it("Sobol sequences are more even than random numbers", function()
    local n = 2 ^ 16
    for _, name in ipairs { "Sobol32", "ScrambledSobol32", "Sobol64", "ScrambledSobol64" } do
      local class = random[name .. "RandomNumberGenerator"]
      local function make()
        if name:find "Scrambled" then return class(nil, nil, 0, { dimensions = 3, seed = 5 }) end
        return class(nil, 0, { dimensions = 3 })
      end
      -- Every interval of 1 / 2^12 has its 16 points, in each of the dimensions.
      local bits = tonumber(name:match "%d+")
      local cells = make():gen_uniform(n, "uint" .. bits):right_shift(bits - 12):astype "int32"
      local g = make()
      local u = g:gen_uniform(n, "float64")
      for d = 1, 3 do
        local c, host = values(cells[{ {}, d }]:copy(), "int32", "int32_t")
        local seen = ffi.new "int32_t[4096]"
        for i = 0, host.size - 1 do seen[c[i]] = seen[c[i]] + 1 end
        for k = 0, 4095 do assert(seen[k] == 16, ("%s, dimension %d: %d in %d"):format(name, d, seen[k], k)) end
      end
      -- The integral of a product.
      assert.is_true(math.abs(u:prod(2):mean():item() - 1 / 8) < 2e-5)
      local z = g:gen_normal(n, "float64")
      assert.is_true(math.abs(z:mean():item()) < 1e-4 and math.abs((z ^ 2):mean():item() - 1) < 1e-3)
      local k = g:gen_poisson(n, "int32", 30)
      assert.is_true(math.abs(k:astype("float64"):mean():item() - 30) < 0.01)
    end
  end)
end)
