-- How far sums of floats are from the exact ones: no further than the bound of pairwise summation,
--
--     d u / (1 - d u) * (|x1| + |x2| + ...),    d = ceil(log2 n), u = 2^-24 for float32 and so on,
--
-- and half a unit of the result's type where that is narrower than the sums; for random, ill-conditioned and
-- adversarial inputs. The exact sums are pairs of doubles here, of 106 bits.
local gpu = require "spec.support.gpu"
local batch = require "spec.support.batch"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local scan_code = require "cudalua.gpuarray.reduce.scan_code"

local soft = gpu.soft
local all = os.getenv "CUDALUA_ALL" ~= nil

local abs, ceil, log, max = math.abs, math.ceil, math.log, math.max

local UNITS = { float16 = 2 ^ -11, bfloat16 = 2 ^ -8, float32 = 2 ^ -24, float64 = 2 ^ -53 }
local LEAST = { float16 = 2 ^ -25, bfloat16 = 2 ^ -134, float32 = 2 ^ -150, float64 = 0 } -- half a denormal number

-- What element i (from 0) of n is; at most about 1.
local INPUTS = {
  { "random", function() return math.random() * 2 - 1 end },
  { "positive", function() return math.random() end },
  { "equal", function() return 0.1 end },
  { "one large, many small", function(i) return i == 0 and 1 or 2 ^ -24 * 0.99 end },
  { "of many magnitudes", function(i) return (math.random() - 0.5) * 2 ^ -(i * 7 % 40) end },
  { "growing", function(i, n) return (i + 1) / n end },
  { "falling as 1 / i", function(i) return 1 / (i + 1) end },
  { "alternating", function(i) return (i % 2 == 0 and 1 or -1) * (1 - 2 ^ -12 * math.random()) end },
  -- The second half takes the first one away again, but for a few last bits.
  { "ill-conditioned", function(i, n, at)
    local m = math.floor(n / 2)
    if i < m or n == 1 then return (math.random() * 2 - 1) * 2 ^ -math.random(0, 20) end
    return i < 2 * m and -at(i - m) * (1 + 2 ^ -22 * (i % 3)) or 2 ^ -30
  end },
  -- Every sum of two is half way between two floats, or almost.
  { "rounded at each step", function(i) return i % 2 == 0 and 1 - 2 ^ -24 or 2 ^ -25 * (1 + 2 ^ -20) end },
}
local SHORT = { ["random"] = true, ["one large, many small"] = true, ["ill-conditioned"] = true }

-- Elements on the host as the type has them, as a function of their place from 0 on; and the array on the device.
local function input(f, n, t)
  jit.flush() -- or loops with so many functions would not be compiled any more
  local h = ndarray.empty(n, t)
  local pack, unpack_of = rawget(dtype, "pack_" .. t.name), rawget(dtype, "unpack_" .. t.name)
  local p, owner = h:data(), h
  if pack then p = ffi.cast("uint16_t *", p) end
  local function at(i) return owner and (pack and unpack_of(p[i]) or p[i]) end -- which keeps the memory
  for i = 0, n - 1 do
    local x = f(i, n, at)
    p[i] = pack and pack(x) or x
  end
  return at, gpuarray.to_gpu(h)
end

-- (high, low) + x
local function add(high, low, x)
  local s = high + x
  local b = s - high
  low = low + ((high - (s - b)) + (x - b))
  return s, low
end

local function gamma(depth, u) return depth * u / (1 - depth * u) end

-- The type that sums of t are computed in, where the result is of type `result`.
local function accumulator(t, result)
  if result.itemsize == 8 or t.itemsize == 8 then return "float64" end
  return "float32"
end

-- Some inputs come in all lengths, up to 2^24; others, where there is time, up to 2^16, else in one.
local MOST = { ["random"] = 2 ^ 24, ["one large, many small"] = 2 ^ 24, ["ill-conditioned"] = 2 ^ 20 }
local function lengths_for(what, lengths)
  local list = {}
  if not all then list[1] = not SHORT[what] and math.min(lengths[#lengths], 2 ^ 16) or nil end
  if list[1] then return list end
  for _, n in ipairs(lengths) do list[#list + 1] = n <= (MOST[what] or 2 ^ 16) and n or nil end
  return list
end

-- Whole sums of all inputs of one type and of these lengths.
local function check_sums(name, lengths, results)
  local t, made, checking, checked = dtype(name), {}, false, 0
  for _, row in ipairs(INPUTS) do
    for _, n in ipairs(lengths_for(row[1], lengths)) do
      local at, a = input(row[2], n, t)
      local high, low, size = 0, 0, 0
      for i = 0, n - 1 do
        local x = at(i)
        high, low = add(high, low, x)
        size = size + abs(x)
      end
      made[#made + 1] = { row[1], n, a, high, low, size * (1 + 2 ^ -30) }
    end
  end
  local function sums()
    for _, m in ipairs(made) do
      local what, n, a, high, low, size = unpack(m)
      for _, result in ipairs(results) do
        local sum = a:sum { dtype = result }
        if checking then
          local acc = accumulator(t, dtype(result))
          local s = sum:item()
          local bound = gamma(ceil(log(n) / log(2)), UNITS[acc]) * size
          if result ~= acc then bound = bound + UNITS[result] * abs(s) + LEAST[result] end
          local err = abs((high - s) + low)
          assert.is_true(err <= bound * (1 + 2 ^ -30), ("%d %s %s: error %g of the sum %g as %s, bound %g"):format(n,
            name, what, err, high, result, bound))
          checked = checked + 1
        end
      end
    end
    checking = true
  end
  if soft then batch.run(sums) else sums() end
  if checked == 0 then sums() end
  assert.is_true(checked >= #INPUTS * #results)
end

describe("The error of", function()
  setup(gpu.context)

  local many = soft and 2 ^ 16 or 2 ^ 24
  local lengths = { 1, 2, 3, 100, 1025, many }
  if all then lengths = { 1, 2, 3, 5, 17, 100, 257, 1025, 4097, 30000, 2 ^ 16, many } end
  local fewer = all and { 1, 7, 1000, 2 ^ 16, soft and 2 ^ 17 or 2 ^ 20 } or { 1000, 2 ^ 16 }

  it("sums of float32, in float32 and in float64", function()
    check_sums("float32", lengths, { "float32", "float64" })
  end)
  it("sums of float64", function() check_sums("float64", fewer, { "float64" }) end)
  it("sums of float16, in float32, rounded to float16 or not", function()
    check_sums("float16", fewer, { "float16", "float32" })
  end)
  it("sums of bfloat16, in float32, rounded to bfloat16 or not", function()
    check_sums("bfloat16", fewer, { "bfloat16", "float32" })
  end)

  it("a loop is another one", function()
    local n, s = 2 ^ 16, ffi.new "float[1]"
    for i = 0, n - 1 do s[0] = s[0] + INPUTS[4][2](i) end
    local exact = 1 + (n - 1) * 2 ^ -24 * 0.99
    assert.is_true(exact - s[0] > 100 * gamma(16, UNITS.float32) * exact)
    assert.equal(1, s[0])
  end)

  it("sums along either axis, and dot products, whose factors are rounded once", function()
    local n, side = 2 ^ 12, 2 ^ 6
    local at, a = input(INPUTS[1][2], n, dtype.float32)
    local bt, b = input(INPUTS[5][2], n, dtype.float32)
    local m = a:reshape(side, side)
    local down, across = m:sum(1):get(), m:sum(2):get()
    for k = 0, side - 1 do
      local column, row, column_size, row_size = 0, 0, 0, 0
      for i = 0, side - 1 do
        column, row = column + at(i * side + k), row + at(k * side + i)
        column_size, row_size = column_size + abs(at(i * side + k)), row_size + abs(at(k * side + i))
      end
      assert.is_true(abs(down[k + 1] - column) <= gamma(6, UNITS.float32) * column_size)
      assert.is_true(abs(across[k + 1] - row) <= gamma(6, UNITS.float32) * row_size)
    end
    local dot, size = 0, 0
    for i = 0, n - 1 do dot, size = dot + at(i) * bt(i), size + abs(at(i) * bt(i)) end
    assert.is_true(abs(a:dot(b):item() - dot) <= gamma(12 + 1, UNITS.float32) * size)
  end)

  -- As kernels/array/scan.cu puts prefixes together: an element of a run meets at most RUN - 1 others there; runs are
  -- joined to rows and rows to tiles by trees; 32 tiles make a group, 32 groups a larger one, and so on; and the parts
  -- before an element meet once each.
  local function depth_of_prefixes(n, t, result)
    local kind = reductions.kind(reductions.sum, t, result)
    local run, rows = scan_code.sizes(kind.result.itemsize, kind.acc.itemsize)
    local tiles, levels = ceil(n / (run * 32 * 8 * rows)), 0
    while tiles > 1 do tiles, levels = ceil(tiles / 32), levels + 1 end
    return run - 1 + 5 + log(8 * rows) / log(2) + 5 * levels + (levels + 2)
  end

  it("cumulative sums is that of a tree with short runs: it grows with the logarithm", function()
    local rows = {}
    for _, case in ipairs { { "float32", many }, { "float64", 2 ^ 15 }, { "float16", 2 ^ 15 }, { "bfloat16", 5000 } } do
      for k, of in ipairs(INPUTS) do
        if all or SHORT[of[1]] and (case[1] == "float32" or k == 1) then
          rows[#rows + 1] = { case[1], math.min(case[2], MOST[of[1]] or 2 ^ 16), of }
        end
      end
    end
    for _, row in ipairs(rows) do
      local name, n, of = unpack(row)
      local t = dtype(name)
      local at, a = input(of[2], n, t)
      local h = a:cumsum():get()
      local got, convert = h:data(), rawget(dtype, "unpack_" .. name)
      if convert then got = ffi.cast("uint16_t *", got) end
      local high, low, size, worst = 0, 0, 0, -1
      local acc = accumulator(t, t)
      local factor = gamma(depth_of_prefixes(n, t), UNITS[acc]) * (1 + 2 ^ -20)
      local unit, least = name ~= acc and UNITS[name] or 0, name ~= acc and LEAST[name] or 0
      for i = 0, n - 1 do
        local x = at(i)
        high, low = add(high, low, x)
        size = size + abs(x)
        local s = convert and convert(got[i]) or got[i]
        worst = max(worst, abs((high - s) + low) - (factor * size + unit * abs(s) + least))
      end
      assert.is_true(worst <= 0, ("%d %s %s: %g beyond the bound"):format(n, name, of[1], worst))
      assert.equal(n, h.size)
    end
  end)
end)
