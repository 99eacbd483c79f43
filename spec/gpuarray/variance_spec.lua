-- Variances of many elements, which are computed in one pass over memory: kernels/array/moments.cu.
local gpu = require "spec.support.gpu"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray
local batch = require "spec.support.batch"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local joint = require "cudalua.gpuarray.reduce.joint"
local knob = require "spec.support.knob"
local ndarray = require "cudalua.ndarray"
local plan = require "cudalua.gpuarray.core.plan"
local row = require "cudalua.gpuarray.reduce.row"
local run = require "cudalua.gpuarray.reduce.run"

local soft = gpu.soft
local keep = { keepdims = true }
local max, sqrt = math.max, math.sqrt

local function bits(x)
  local host = x:get({ array = true }):copy "C"
  return x.dtype.name .. ffi.string(host:data(), host.nbytes)
end

local function launches(f)
  f()
  return gpu.kernels(f)
end

-- Elements on the host, and the array on the device. f(i, normal): element i, from 0 on.
local function made(n, t, f)
  local h, state = ndarray.empty({ n }, t), 1
  local function uniform()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
  local function normal() return sqrt(-2 * math.log(uniform())) * math.cos(2 * math.pi * uniform()) end
  local p = h:data()
  for i = 0, n - 1 do p[i] = f(i, normal) end
  return h, gpuarray.to_gpu(h)
end

-- ---- the definition, on the host ------------------------------------------------------------------------------------

local cell = ffi.new "float[1]"
local function single(x)
  cell[0] = x
  return cell[0]
end
local function double(x) return x end

local word = ffi.new "union { double x; int64_t word; }"
local function inverse(x)
  word.x = x
  word.word = 0x7fde623822fc16e6LL - word.word
  local y = word.x
  for _ = 1, 5 do y = y * (2 - x * y) end
  return y
end

-- A chunk's sum in the order of the tree.
local function tree(round, v, first, size)
  if size == 1 then return v[first] end
  return round(tree(round, v, first, size / 2) + tree(round, v, first + size / 2, size / 2))
end

local function chunk(round, p, first, n, size)
  local v, rests, squares = {}, {}, {}
  for e = 0, size - 1 do v[e] = e < n and p[first + e] or 0 end
  local mean = round(tree(round, v, 0, size) / n)
  for e = 0, size - 1 do
    rests[e] = e < n and round(p[first + e] - mean) or 0
    squares[e] = round(rests[e] * rests[e])
  end
  local rest = tree(round, rests, 0, size)
  local more = round(rest / n)
  local sum = round(tree(round, squares, 0, size) - round(rest * more))
  if sum < 0 then sum = 0 end
  if round == single then return { mean = mean + more, low = 0, squares = sum, n = n } end
  local s = mean + more
  local part = s - mean
  return { mean = s, low = (mean - (s - part)) + (more - part), squares = sum, n = n }
end

local function combine(round, a, b)
  local by = (b.mean - a.mean) + (b.low - a.low)
  local part = a.n == b.n and 0.5 or b.n * inverse(a.n + b.n)
  local d, step = round(by), by * part
  local mean, low = a.mean + step, 0
  if round == double then
    local t = mean - a.mean
    low = a.low + ((a.mean - (mean - t)) + (step - t))
  end
  local squares = round(round(a.squares + b.squares) + round(round(d * d) * round(round(a.n) * round(part))))
  return { mean = mean, low = low, squares = squares, n = a.n + b.n }
end

-- Chunks [first, first + count), where count is a power of two; nil: there are no elements.
local function moments(round, p, n, size, first, count)
  if first * size >= n then return nil end
  if count == 1 then return chunk(round, p, first * size, math.min(size, n - first * size), size) end
  local a, b = moments(round, p, n, size, first, count / 2), moments(round, p, n, size, first + count / 2, count / 2)
  return b and combine(round, a, b) or a
end

local function defined(h, ddof)
  local round, count = h.dtype.name == "float32" and single or double, 1
  local size = round == single and 16 or 8
  while count * size < h.size do count = count * 2 end
  return round(moments(round, h:data(), h.size, size, 0, count).squares / round(h.size - ddof))
end

-- ---- errors ---------------------------------------------------------------------------------------------------------

-- The variance, from numbers without the large mean: high and low parts of sums.
local function exact(h, mean)
  local p, n = h:data(), h.size
  local sum, sum_low, squares, squares_low = 0, 0, 0, 0
  local function add(high, low, x)
    local s = high + x
    local b = s - high
    return s, low + ((high - (s - b)) + (x - b))
  end
  for i = 0, n - 1 do
    local x = p[i] - mean
    sum, sum_low = add(sum, sum_low, x)
    squares, squares_low = add(squares, squares_low, x * x)
  end
  local m = (sum + sum_low) / n
  return ((squares - n * m * m) + squares_low) / n
end

local INPUTS = {
  { "normal", function(_, normal) return normal() end },
  { "a slope", function(i, _, n) return i / n * 3.46 end },
  { "one far away", function(i, normal) return i == 0 and 1e4 or normal() end },
  { "falling as 1 / i", function(i) return 1 / (i + 1) end },
}

describe("Variances in one pass", function()
  setup(gpu.context)

  local restore_passes
  before_each(function() restore_passes = knob(joint, "TWO_PASSES", 4096) end) -- smaller arrays will do
  after_each(function() restore_passes() end)

  it("have at most four times the error of two passes, also with a mean far from 0", function()
    local n, checked = soft and 2 ^ 16 or 2 ^ 20, false
    local cases = {}
    for _, t in ipairs { "float32", "float64" } do
      for _, input in ipairs(INPUTS) do
        for k, mean in ipairs { 0, 1e2, 1e4, 1e5 } do
          local h, a = made(n - k + 1, t, function(i, normal) return input[2](i, normal, n) + mean end)
          cases[#cases + 1] = { t, input[1], mean, a, exact(h, mean) }
        end
      end
    end
    local function check()
      for _, case in ipairs(cases) do
        local t, name, mean, a, want = unpack(case)
        local function error_with(passes)
          local restore = knob(joint, "TWO_PASSES", passes)
          local got = a:var():item()
          restore()
          return math.abs(got / want - 1)
        end
        local one, two = error_with(4096), error_with(math.huge)
        local unit = t == "float32" and 2 ^ -24 or 2 ^ -53
        if checked then
          assert.is_true(one <= 4 * max(two, unit), ("%s of %s around %g: %g, and %g in two"):format(name, t, mean, one,
            two))
          -- Far better than two passes, whose mean has an error: not only in comparison.
          assert.is_true(one <= 8 * unit, ("%s of %s around %g: %g"):format(name, t, mean, one))
        end
      end
      checked = true
    end
    if soft then batch.run(check) else check() end
    check()
  end)

  -- ---- bits -----------------------------------------------------------------------------------------------------

  it("have the bits of their definition", function()
    for _, t in ipairs { "float32", "float64" } do
      for _, n in ipairs { 4097, 5003, 8192, 70001 } do
        local h, a = made(n, t, function(_, normal) return normal() + 1e5 end)
        assert.equal(defined(h, 0), a:var():item(), n .. " " .. t)
        assert.equal(defined(h, 2.5), a:var({ ddof = 2.5 }):item(), n .. " " .. t)
      end
    end
  end)

  local collecting = false -- kernels, which are compiled together; there are no results yet

  local function together(f)
    collecting = true
    batch.run(function()
      f()
      collecting = false
    end)
    assert.is_false(collecting)
  end

  local function same(want, got, what)
    want, got = bits(want), bits(got)
    if not collecting then assert.equal(want, got, what) end
  end

  -- The variance of rows, and the same computed otherwise: the first element of each is the name of the way.
  local function ways(a)
    local n = a.shape[2]
    local list = { { "rows", function() return a:var(2) end } }
    local function way(name, f) list[#list + 1] = { name, f } end
    local columns = a.T:copy "C"
    local wide = gpuarray.zeros({ n, 2 * a.shape[1] }, a.dtype)
    wide[{ {}, { 1, -1, 2 } }] = columns
    local gaps = gpuarray.zeros({ a.shape[1], 3 * n }, a.dtype)
    gaps[{ {}, { 1, -1, 3 } }] = a
    local padded = gpuarray.zeros({ a.shape[1], n + 3 }, a.dtype)
    padded[{ {}, { 1, n } }] = a
    way("columns", function() return columns:var(1) end)
    way("columns in wider memory", function() return wide[{ {}, { 1, -1, 2 } }]:var(1) end)
    way("rows with gaps", function() return gaps[{ {}, { 1, -1, 3 } }]:var(2) end)
    way("rows that begin anywhere", function() return padded[{ {}, { 1, n } }]:var(2) end)
    way("beside others", function()
      local mean, v, greatest = columns:mean(1), columns:var(1), columns:argmax(1)
      gpuarray.eval(mean, v, greatest)
      same(a:mean(2), mean, "means")
      same(a:argmax(2), greatest, "places")
      return v
    end)
    way("rows beside others", function()
      local mean, v = a:mean(2), a:var(2)
      gpuarray.eval(mean, v)
      same(columns:mean(1), mean, "means of rows")
      return v
    end)
    way("of what is stored", function()
      local x = a + a - a
      local v = x:var(2)
      gpuarray.eval(x, v)
      same(a, x, "what is stored")
      return v
    end)
    way("of an expression", function() return (a + a - a):var(2) end)
    way("of a long expression", function()
      local x = a
      for _ = 1, 5 do x = x + a - a end
      return x:var(2)
    end)
    way("of long columns", function()
      local x = columns
      for _ = 1, 5 do x = x + columns - columns end
      return x:var(1)
    end)
    if n % 64 == 0 then
      local crossed = a:reshape(a.shape[1], 64, n / 64):transpose(1, 3, 2):copy("C"):transpose(1, 3, 2)
      way("against the order of memory", function() return crossed:var { 2, 3 } end)
    end
    way("whole", function()
      local parts = {}
      for i = 1, a.shape[1] do parts[i] = a[i]:var():reshape(1) end
      return gpuarray.concatenate(parts)
    end)
    return list
  end

  -- Compares all ways with the first one, or `want`.
  local function check_ways(a, want)
    local list = ways(a)
    for _, way in ipairs(list) do
      local v = way[2]()
      want = want or v
      same(want, v, ("%s of %s, %d elements"):format(way[1], a.dtype.name, a.shape[2]))
    end
    return #list, want
  end

  local function numbers(shape, t) return (cuda.random.Generator(7):normal(shape) * 5 + 3):astype(t):eval() end

  it("are the same in all layouts, forms and types", function()
    local n = 0
    together(function()
      for k, t in ipairs { "float32", "float64", "float16", "int8", "int32" } do
        for _, shape in ipairs(k == 1 and { { 2, 5003 }, { 18, 4224 } } or { { 3, 4224 } }) do
          n = n + check_ways(numbers(shape, t))
        end
      end
    end)
    assert.is_true(n > 50)
  end)

  it("are the same for all grids, and however kernels divide the work", function()
    local a, usual = numbers({ 18, 9088 }, "float32"), joint.moments
    together(function()
      local _, want = check_ways(a)
      for _, blocks in ipairs { 1, 256 } do
        local restore = knob(run, "blocks", blocks)
        check_ways(a, want)
        restore()
      end
      local restore = knob(plan, "LIMIT", 1) -- elements are numbered with 64 bits
      check_ways(a, want)
      restore()
      for _, changes in ipairs { { most = 4 }, { most = 1, longest = 6, levels = 1 } } do
        local m = {}
        for key, value in pairs(usual.float32) do m[key] = changes[key] or value end
        restore = knob(joint, "moments", { float32 = m, float64 = usual.float64 })
        check_ways(a, want)
        restore()
      end
    end)
  end)

  it("are the same in row kernels", function()
    local function check(a, axis, name)
      local function standard() return (a - a:mean(axis, keep)) / a:std(axis, keep) end
      local restore = knob(row, "enabled", false)
      local want = bits(standard())
      restore()
      assert.equal(1, launches(function() standard():eval() end), name)
      assert.equal(want, bits(standard()), name)
    end
    for _, case in ipairs { { "float32", 8192 }, { "float32", 5003 }, { "float16", 5003 }, { "float64", 4104 } } do
      check(numbers({ 3, case[2] }, case[1]), 2, table.concat(case, " "))
    end
  end)

  -- ---- special values -------------------------------------------------------------------------------------------

  it("are 0 for equal elements, and propagate what is not finite", function()
    local inf, nan = math.huge, 0 / 0
    for _, t in ipairs { "float32", "float64", "float16" } do
      for _, n in ipairs { 4097, 5003, 70001 } do
        for _, x in ipairs { 0, 0.1, -1e4, t == "float64" and 2 ^ 600 or t == "float32" and 2 ^ 90 or 6e4 } do
          assert.equal(0, gpuarray.full({ n }, x, t):var():item(), ("%s %d %g"):format(t, n, x))
        end
      end
      local a = gpuarray.arange(5003):astype(t)
      for _, x in ipairs { inf, -inf, nan } do
        for _, at in ipairs { 1, 4096, 5003 } do
          local b = a:copy()
          b[at] = x
          local v, s = b:var():item(), b:std():item()
          assert.is_true(v ~= v and s ~= s, ("%s %g at %d: %g %g"):format(t, x, at, v, s))
        end
      end
    end
  end)

  it("are infinite if squares or sums are too large, and not NaN", function()
    for t, large in pairs { float32 = 3e38, float64 = 1.7e308 } do
      local signs = gpuarray.where((gpuarray.arange(5003) % 4):eq(0), -1, 1):astype(t)
      for _, a in ipairs { signs * large, signs * (large / 1e10), gpuarray.arange(5003):astype(t) * (large / 5003) } do
        assert.equal(math.huge, a:var():item())
        assert.equal(math.huge, a:reshape(5003, 1):std(1):item())
      end
    end
    assert.equal(math.huge, (gpuarray.arange(5003) % 3 * 3e4):astype("float16"):var():item())
    local a = gpuarray.arange(5003):astype "float32"
    assert.equal(math.huge, a:var({ ddof = 5003 }):item())
    assert.equal(math.huge, a:var({ ddof = 6000 }):item())
    local small = a * 1e-30 -- whose squares are 0
    assert.equal(0, small:var():item())
  end)

  it("of complex numbers and with a type of the caller's", function()
    local x = numbers({ 5003 }, "float32")
    local re, im = x:var():item(), (x * x):var():item()
    local v = gpuarray.complex(x, x * x):var()
    assert.equal("float32", v.dtype.name)
    assert.is_true(math.abs(v:item() / (re + im) - 1) < 1e-6)
    local wide = x:var { dtype = "float64" }
    assert.equal(bits(x:astype("float64"):var()), bits(wide))
    assert.is_true(math.abs(wide:item() / re - 1) < 1e-6)
    local bytes = x:astype "int8" -- of which a wide load has more than a chunk
    assert.equal(bits(bytes:astype("float64"):var()), bits(bytes:var { dtype = "float64" }))
    local short = x:astype "float16"
    assert.equal("float16", short:var().dtype.name)
    assert.equal(dtype.default_float().name, x:astype("int32"):std().dtype.name)
  end)

  -- ---- launches -------------------------------------------------------------------------------------------------

  it("take one launch, with the mean beside", function()
    local a = gpuarray.arange(70001 * 3):reshape(70001, 3):astype("float32"):eval()
    assert.equal(1, launches(function() return a:std():item() end))
    assert.equal(1, launches(function() gpuarray.eval(a:mean(1), a:var(1), a:std { axis = 1, ddof = 1 }, a:max(1)) end))
    assert.equal(1, launches(function() a:var(1):eval() end))
    assert.equal(2, launches(function() ((a - a:mean(1)) / a:std(1)):eval() end))
    local d = a:astype("float64"):eval()
    assert.equal(1, launches(function() gpuarray.eval(d:mean(1), d:var(1)) end))
    local restore = knob(joint, "TWO_PASSES", math.huge)
    assert.equal(2, launches(function() gpuarray.eval(a:mean(1), a:var(1)) end))
    restore()
  end)
end)
