-- convolve and correlate: NumPy's results (spec/data/golden/signals.lua), the order of sums against a reference in Lua,
-- the same bits whatever the tile, and what is refused.
local gpu = require "spec.support.gpu"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local knob = require "spec.support.knob"
local own_kernels = require "spec.support.own_kernels"
local products = require "spec.support.products"
local run = require "cudalua.gpuarray.derived.convolve_run"
local signals = require "spec.support.signals"
local cuda = gpu.cuda

setup(own_kernels.choose)
teardown(own_kernels.restore)

local bytes = products.bytes

local function random(n, t, seed) return products.random({ n }, t, products.numbers(seed)) end

-- The sums in their order, each step fused: element i of the longer vector is beside element t of the shorter one where
-- i + t = k (or i - t = k, for correlations of a longer a).
local function reference(x, y, is_correlation)
  local a, v = x:tolist(), y:tolist()
  local swapped = #v > #a
  local long, short = a, v
  if swapped then long, short = v, a end
  local t_name = x.dtype.name
  local fma = (t_name == "float64" or t_name == "complex128") and ffi.C.fma or ffi.C.fmaf
  local complex = x.dtype.kind == "complex" and ffi.typeof(t_name == "complex64" and "complex float" or "complex")
  local out, n, m = {}, #long, #short
  local function step(p, q, sum)
    if not complex then return fma(p, q, sum) end
    if is_correlation and not swapped then q = complex(q.re, -q.im) end
    if is_correlation and swapped then p = complex(p.re, -p.im) end
    return complex(fma(-p.im, q.im, fma(p.re, q.re, sum.re)), fma(p.im, q.re, fma(p.re, q.im, sum.im)))
  end
  for k = 0, n + m - 2 do
    local sum = complex and complex(0, 0) or 0
    for t = 0, m - 1 do
      local i = is_correlation and (swapped and t + n - 1 - k or k - (m - 1) + t) or k - t
      if i >= 0 and i < n then sum = step(long[i + 1], short[t + 1], sum) end
    end
    out[k + 1] = sum
  end
  return gpuarray.to_gpu(out, x.dtype)
end

describe("Convolutions as NumPy has them:", function()
  setup(gpu.context)
  before_each(function() dtype.default_float "float64" end)
  after_each(function() dtype.default_float "float32" end)

  it("gpuarray.convolve and gpuarray.Array:convolve", function()
    assert.is_true(signals.check("convolve", 0) > 100)
  end)

  it("gpuarray.correlate and gpuarray.Array:correlate", function()
    assert.is_true(signals.check("correlate", 0) > 100)
  end)
end)

describe("gpuarray.convolve and gpuarray.correlate", function()
  setup(gpu.context)
  after_each(function() run.forced = false end)

  it("add up in ascending order over the shorter vector, one fused step a term", function()
    for _, t in ipairs { "float32", "float64", "complex64", "complex128" } do
      for _, sizes in ipairs { { 1, 1 }, { 300, 7 }, { 6, 290 }, { 280, 280 }, { 600, 257 } } do
        local a, v = random(sizes[1], t, 1), random(sizes[2], t, 2)
        local name = t .. " " .. table.concat(sizes, " ")
        assert.is_true(bytes(reference(a, v)) == bytes(a:convolve(v)), name)
        assert.is_true(bytes(reference(a, v, true)) == bytes(a:correlate(v, { mode = "full" })), name)
      end
    end
  end)

  it("have the same bits however many sums a thread has", function()
    for _, t in ipairs { "float32", "complex64", "float64", "complex128", "float16", "int8" } do
      for _, sizes in ipairs { { 5000, 300 }, { 263, 517 }, { 2303, 256 } } do
        local a, v, want = random(sizes[1], t, 3), random(sizes[2], t, 4), nil
        for _, count in ipairs { 1, 2, 4, 8 } do
          local restore = knob(run, "forced", count)
          local got = bytes(a:convolve(v)) .. bytes(a:correlate(v, { mode = "same" }))
          restore()
          want = want or got
          assert.is_true(want == got, ("%s %d %d %d"):format(t, sizes[1], sizes[2], count))
        end
      end
    end
  end)

  it("have in 'same' and 'valid' parts of 'full'", function()
    local a, v = random(400, "float32", 5), random(21, "float32", 6)
    local full = a:convolve(v)
    assert.is_true(bytes(full[{ { 11, 410 } }]) == bytes(a:convolve(v, { mode = "same" })))
    assert.is_true(bytes(full[{ { 21, 400 } }]) == bytes(a:convolve(v, { mode = "valid" })))
    local turned = a:convolve(v[{ { -1, 1, -1 } }], { mode = "valid" }) -- whose sums have the other order
    assert.is_true(a:correlate(v):allclose(turned, { rtol = 1e-5, atol = 1e-5 }))
  end)

  it("commute, and shift by an impulse", function()
    for _, t in ipairs(dtype.list) do
      if t.kind ~= "struct" then
        local a = gpuarray.arange(1, 9):astype(t)
        local v = gpuarray.to_gpu({ 0, 0, 1, 0 }):astype(t)
        local x = a:convolve(v)
        assert.equal(a.size + 3, x.size)
        assert.is_true(x[{ { 3, a.size + 2 } }]:array_equal(a), t.name)
        assert.is_true(x:array_equal(v:convolve(a)), t.name)
      end
    end
  end)

  it("take no terms that are not there", function()
    -- A padding 0 would make NaN beside the infinity, and +0 of the -0 that an underflow leaves.
    local a = gpuarray.to_gpu({ 1, 2, 3 }, "float32")
    assert.same({ math.huge, math.huge, math.huge, 3 }, a:convolve({ math.huge, 1 }):tolist())
    local tiny = gpuarray.to_gpu({ -1e-30 }, "float32"):convolve(gpuarray.to_gpu({ 1e-30, 1e-30, 1e-30 }, "float32"))
    assert.is_true(tiny:signbit():all():item())
  end)

  it("add integers exactly, float16 as float32", function()
    local big = gpuarray.full({ 3 }, 2 ^ 31 - 1, "int32")
    local x = big:convolve(big, { mode = "valid" })
    assert.equal("int64", x.dtype.name)
    assert.equal(3LL * (2 ^ 31 - 1) * (2 ^ 31 - 1), x[1])
    assert.equal("int32", big:astype "int8":convolve(big:astype "int8").dtype.name)
    local h = gpuarray.full({ 3000 }, 0.1, "float16")
    local sum = h:convolve(h, { mode = "valid" })
    assert.equal("float16", sum.dtype.name)
    assert.is_true(math.abs(sum[1] - 3000 * h[1] ^ 2) <= 3000 * h[1] ^ 2 * 2 ^ -11)
    assert.equal("float32", h:convolve(h, { dtype = "float32", mode = "valid" }).dtype.name)
    assert.equal("complex64", h:convolve(gpuarray.ones({ 2 }, "complex64")).dtype.name)
  end)

  it("have out, stream and allocator, and may write to an operand", function()
    local a, v = random(50, "float32", 7), random(5, "float32", 8)
    local want = bytes(a:convolve(v, { mode = "same" }))
    local out = gpuarray.zeros({ 100 }, "float64")[{ { 1, 100, 2 } }]
    assert.equal(out, a:convolve(v, { mode = "same", out = out }))
    assert.is_true(bytes(out:astype "float32") == want)
    local s, asked = cuda.Stream "non_blocking", nil
    local x = gpuarray.convolve(a, v, { mode = "same", stream = s, allocator = function(n)
      asked = n
      return cuda.mem_alloc(n)
    end })
    assert.equal(200, asked)
    s:synchronize()
    assert.is_true(bytes(x) == want)
    s:close()
    local pending = (a + 1) - 1
    assert.is_true(bytes(pending:convolve(v * 1)) == bytes(((a + 1) - 1):eval():convolve(v)))
    assert.equal(a, a:convolve(v, { mode = "same", out = a }))
    assert.is_true(bytes(a) == want)
  end)

  it("are part of graphs that are captured", function()
    local a, v = random(300, "float32", 9), random(31, "complex64", 10)
    local f = cuda.graph(function(x, y) return x:convolve(x), x:correlate(y, { mode = "same" }) end)
    f(a, v)
    a:imul(2)
    local x, y = f(a, v)
    assert.is_true(bytes(a:convolve(a)) == bytes(x))
    assert.is_true(bytes(a:correlate(v, { mode = "same" })) == bytes(y))
  end)

  it("take the second vector from the host", function()
    local a = gpuarray.to_gpu({ 1, 2, 3 }, "int32")
    assert.same({ 1, 3, 5, 3 }, a:convolve({ 1, 1 }):astype "float32":tolist())
    assert.equal("int64", a:convolve({ 1, 1 }).dtype.name)
    assert.equal("float64", a:convolve({ 0.5, 1 }).dtype.name)
    assert.same({ 2, 4, 6 }, gpuarray.to_gpu({ 1, 2, 3 }, "float32"):convolve(2):tolist())
  end)

  it("say what does not fit", function()
    local a = gpuarray.zeros(3)
    for _, name in ipairs { "convolve", "correlate" } do
      local what = "gpuarray." .. name .. ": "
      local function says(text, ...) gpu.raises("LogicError", what .. text, gpuarray[name], ...) end
      says("a has the shape (2, 3); expected one axis", gpuarray.zeros { 2, 3 }, a)
      says("v has the shape (2, 2); expected one axis", a, { { 1, 2 }, { 3, 4 } })
      says("a has no elements", gpuarray.zeros(0), a)
      says("v has no elements", a, gpuarray.zeros(0))
      says("mode must be 'full', 'same' or 'valid', got 'ful'", a, a, { mode = "ful" })
      says("mode must be 'full', 'same' or 'valid', got true", a, a, { mode = true })
      says("expected a table of options, got 'same'; write {mode = \"same\"}", a, a, "same")
      says("unknown option 'axis'", a, a, { axis = 1 })
      says("the result has the shape", a, a, { out = gpuarray.zeros(7) })
      says("dtype float32: complex64 cannot be stored in float32", a:astype "complex64", a, { dtype = "float32" })
      says("a must be a gpuarray, got 3", 3, a)
      says("v must be an array, a list or a number", a, "x")
    end
    local pair = dtype.struct({ { "x", "float32" } }, { name = "spec_convolve_pair" })
    gpu.raises("LogicError", "spec_convolve_pair is a struct", gpuarray.convolve, gpuarray.empty({ 3 }, pair), a)
  end)
end)
