-- cudalua.random: the generator and its arrays. That its numbers are those of Philox4x32-10, by the published vectors;
-- that they are the same however they are computed; its state; arguments. How numbers are distributed is
-- random_statistics_spec's, generators with a state random_states_spec's.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local philox = require "cudalua.random.philox"
local prelude = require "cudalua.base.prelude"
local random = require "cudalua.random"

local function list(x) return x:reshape(-1):get():tolist() end

local function equal(a, b)
  assert.same(a.shape, b.shape)
  assert.equal(a.dtype, b.dtype)
  assert.is_true(a.size == 0 or a:eq(b):all():item())
end

-- Words of a block, as the host computes them.
local function block(seed, n)
  return philox.block(n % 2 ^ 32, math.floor(n / 2 ^ 32), 0, 0, seed % 2 ^ 32, math.floor(seed / 2 ^ 32))
end

-- Counter, key, words: the lines "philox4x32 10" of tests/kat_vectors in Random123, the authors' library.
local known = {
  { 0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
  { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
    0x6d5451fd },
  { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
    0x24126ea1 },
}

describe("random.Generator", function()
  setup(function() gpu.context() end)

  it("computes the published vectors of Philox4x32-10, on the host and on the device", function()
    local kernel = cuda.SourceModule(prelude.text { philox = true } .. [[
      extern "C" __global__ void words(const uint4 *counters, const uint2 *keys, uint4 *out) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = cl_philox(counters[i], keys[i].x, keys[i].y);
      }]], { no_extern_c = true }):get_function "words"
    local counters, keys = {}, {}
    for i, row in ipairs(known) do
      counters[i], keys[i] = { row[1], row[2], row[3], row[4] }, { row[5], row[6] }
      assert.same({ row[7], row[8], row[9], row[10] }, { philox.block(unpack(row, 1, 6)) })
    end
    local out = gpuarray.zeros({ 3, 4 }, "uint32")
    kernel(gpuarray.to_gpu(counters, "uint32"), gpuarray.to_gpu(keys, "uint32"), out, { block = 3 })
    for i, row in ipairs(known) do assert.same({ row[7], row[8], row[9], row[10] }, list(out[i])) end
    -- Random counters and keys, many of whose words are 0 or all ones.
    local n = 1024
    local bits = random.Generator(9):gen_uniform({ n, 6 }, "uint32")
    local choice = random.Generator(10):uniform { n, 6 }
    local all = gpuarray.where(choice:lt(0.25), 0, gpuarray.where(choice:lt(0.5), 2 ^ 32 - 1, bits))
    all = all:astype "uint32":eval()
    out = gpuarray.zeros({ n, 4 }, "uint32")
    kernel(all[{ {}, { 1, 4 } }]:copy "C", all[{ {}, { 5, 6 } }]:copy "C", out, { block = 256, grid = n / 256 })
    local host, words = all:get():tolist(), out:get():tolist()
    for i = 1, n do assert.same({ philox.block(unpack(host[i])) }, words[i]) end
  end)

  it("gives an element the words of its place: a seed is the key, a position the counter", function()
    for _, seed in ipairs { 0, 42, 2 ^ 53, 0x7ff4000000000001ULL, 0xffffffffffffffffULL } do
      local rng = random.Generator(seed)
      local key = ffi.cast("uint64_t", seed)
      local k0, k1 = tonumber(key % 2 ^ 32ULL), tonumber(key / 2 ^ 32ULL)
      local words = list(rng:gen_uniform(10, "uint32"))
      for i = 1, 10 do
        assert.equal(select((i - 1) % 4 + 1, philox.block(math.floor((i - 1) / 4), 0, 0, 0, k0, k1)), words[i])
      end
      local long = rng:gen_uniform(3, "uint64"):get() -- from block 3 on
      for i = 0, 2 do
        local w = { philox.block(3 + math.floor(i / 2), 0, 0, 0, k0, k1) }
        local want = ffi.cast("uint64_t", w[i % 2 * 2 + 2]) * 2 ^ 32ULL + w[i % 2 * 2 + 1]
        assert.equal(want, ffi.cast("uint64_t", long:data()[i]))
      end
      assert.truthy(rng:get_state():find " 5$")
    end
    -- A counter beyond 32 bits.
    local rng = random.Generator(7):skip_ahead(2 ^ 40 + 2 ^ 32 - 1)
    local words = list(rng:gen_uniform(8, "uint32"))
    assert.same({ block(7, 2 ^ 40 + 2 ^ 32 - 1) }, { unpack(words, 1, 4) })
    assert.same({ block(7, 2 ^ 40 + 2 ^ 32) }, { unpack(words, 5, 8) })
    rng = random.Generator(7):skip_ahead(2 ^ 40 + 2 ^ 32 - 1)
    assert.same(words, list(rng:gen_uniform(2000, "uint32")[{ { 1, 8 } }]))
  end)

  it("gives the same numbers where a draw's counters agree in their high words, and where they do not", function()
    local draws = { function(rng, n) return rng:integers(n, 1, 3 * 2 ^ 30, "uint32") end,
      function(rng, n) return rng:integers(n, 1, 3 * 2 ^ 40) end }
    local function of(types, draw)
      for name in types:gmatch "%S+" do draws[#draws + 1] = function(rng, n) return draw(rng, n, name) end end
    end
    of("float16 bfloat16 float32 float64", function(rng, n, name) return rng:uniform(n, 0, 1, name) end)
    of("float32 float64 uint32 uint64", function(rng, n, name) return rng:gen_uniform(n, name) end)
    of("float32 float64", function(rng, n, name) return rng:normal(n, 0, 1, name) end)
    of("float32 float64", function(rng, n, name) return rng:exponential(n, 1, name) end)
    for _, high in ipairs { 2 ^ 32, 2 ^ 44 } do
      for _, draw in ipairs(draws) do
        -- Blocks from high - 16 to high + 15, and those before and behind high alone.
        local across = draw(random.Generator(3):skip_ahead(high - 16), 64)
        local each = draw(random.Generator(3):skip_ahead(high - 16), 4)
        local per_block = across.dtype.itemsize == 8 and 2 or 4
        equal(across[{ { 1, 4 } }], each)
        equal(across[{ { 16 * per_block + 1, 64 } }], draw(random.Generator(3):skip_ahead(high), 64 - 16 * per_block))
      end
    end
  end)

  it("makes of them numbers of 24, 53, 11 and 8 bits, from 0 to below 1", function()
    local words = list(random.Generator(1):gen_uniform(1000, "uint32"))
    local host = random.Generator(1):gen_uniform(1000, "uint64"):get()
    local long = host:data()
    for name, bits in pairs { float32 = 24, float16 = 11, bfloat16 = 8 } do
      local x = list(random.Generator(1):uniform(1000, 0, 1, name))
      for i = 1, 1000 do assert.equal(math.floor(words[i] / 2 ^ (32 - bits)) / 2 ^ bits, x[i]) end
    end
    local x = list(random.Generator(1):uniform(1000, 0, 1, "float64"))
    for i = 1, 1000 do assert.equal(tonumber(ffi.cast("uint64_t", long[i - 1]) / 2048ULL) / 2 ^ 53, x[i]) end
    local positive = list(random.Generator(1):gen_uniform(1000))
    for i = 1, 1000 do assert.equal((math.floor(words[i] / 256) + 1) / 2 ^ 24, positive[i]) end
  end)

  it("makes of them normal numbers by Box and Muller's formula", function()
    local words = list(random.Generator(2):gen_uniform(4000, "uint32"))
    local x = list(random.Generator(2):normal(4000))
    local e = list(random.Generator(2):exponential(4000))
    for i = 1, 4000, 2 do
      local r = math.sqrt(-2 * math.log((words[i] + 0.5) / 2 ^ 32))
      local w = words[i + 1]
      local turn = (w % 2 ^ 30 < 2 ^ 29 and w % 2 ^ 30 or w % 2 ^ 30 - 2 ^ 30) / 2 ^ 30 * math.pi / 2
      local c, s = math.cos(turn) * (w >= 2 ^ 31 and -1 or 1), math.sin(turn)
      if w % 2 ^ 31 >= 2 ^ 30 then c, s = s, c end
      assert.is_true(math.abs(x[i] - r * c) < 1e-5 and math.abs(x[i + 1] - r * s) < 1e-5)
      local want = -math.log((words[i] + 0.5) / 2 ^ 32)
      assert.is_true(math.abs(e[i] - want) < 2e-7 * (1 + want))
    end
  end)

  it("gives the same numbers, stored or made inside of what uses them, in any layout", function()
    local function draw(shape) return random.Generator(3):normal(shape, 1, 2) end
    local shapes = gpu.soft and { { 4099 }, { 33, 65 } } or { { 1 }, { 4099 }, { 33, 65 }, { 5, 1, 6 } }
    for _, shape in ipairs(shapes) do
      local whole, pending = draw(shape):eval(), draw(shape)
      equal(whole + whole, pending + whole)                          -- fused
      equal(whole, pending)                                          -- and once more
      equal(whole:sum(), draw(shape):sum())                          -- in reductions
      equal(whole:max(1), draw(shape):max(1))
      equal(whole:sum(-1), draw(shape):sum(-1))
      equal(whole.T, draw(shape).T)
      local base = gpuarray.ones { shape[1], 2 * whole.size / shape[1] }
      local strided = base[{ {}, { 1, whole.size / shape[1] } }]:reshape(shape)
      equal(strided + whole, strided + draw(shape))                  -- beside a strided array
      local out = gpuarray.zeros(2 * whole.size + 1)[{ { 2, 1 + whole.size } }]:reshape(shape)
      out:set(draw(shape))                                           -- into one that is not aligned
      equal(whole, out)
      local wide = gpuarray.zeros { 2, unpack(shape) }
      wide:set(draw(shape))                                          -- into a larger shape
      equal(whole, wide[1])
      equal(whole, wide[2])
    end
  end)

  it("gives the same numbers inside of kernels that take two, one and four of a block, in packs of 2 and 16", function()
    for _, draw in ipairs {
      function(rng) return rng:uniform({ 33, 64 }, -1, 1, "float64") end,
      function(rng) return rng:poisson({ 33, 64 }, 20) end,
      function(rng) return rng:integers({ 33, 64 }, -5, 5, "int8") end,
    } do
      local whole = draw(random.Generator(3)):eval()
      equal(whole + 1, draw(random.Generator(3)) + 1)
      equal(whole:sum(), draw(random.Generator(3)):sum())
      equal(whole:sum(2), draw(random.Generator(3)):sum(2))
    end
  end)

  it("is an array like others for whatever takes arrays", function()
    local kernel = cuda.elementwise.ElementwiseKernel("const float *x, float *y", "y[i] = 2 * x[i]")
    for name, f in pairs {
      cumsum = function(x) return (x * 2):cumsum(2) end,
      sort = function(x) return gpuarray.argsort(x) end,
      mask = function(x) return x[x:gt(0.5)] end,
      take = function(x) return gpuarray.take(x, gpuarray.to_gpu({ 3, 1 }, "int64"), { axis = 1 }) end,
      argmax = function(x) return x:argmax(1) end,
      norm = function(x) return (x + 1):norm() end,
      roll = function(x) return x:roll(3, 1) end,
      order = function(x) return gpuarray.ones({ 40, 50 }, "float32", { order = "F" }) * x end,
      part = function(x)
        local y = gpuarray.ones { 80, 50 }
        y[{ { 1, 80, 2 }, {} }] = x
        return y
      end,
      kernel = function(x)
        local y = gpuarray.empty { 40, 50 }
        kernel(x, y)
        return y
      end,
      host = function(x) return gpuarray.to_gpu((x + 0):get()) end,
    } do
      local stored = f(random.Generator(3):uniform({ 40, 50 }):eval())
      assert.is_true(stored:eq(f(random.Generator(3):uniform { 40, 50 })):all():item(), name)
    end
  end)

  it("gives the same numbers in eager mode, and where fusion stops", function()
    local want = (random.Generator(4):normal(1000) * 2 + random.Generator(5):uniform(1000)):eval()
    gpuarray.eager(true)
    local eager = random.Generator(4):normal(1000) * 2 + random.Generator(5):uniform(1000)
    gpuarray.eager(false)
    equal(want, eager)
    local x = random.Generator(4):uniform(100)
    local sum = x
    for _ = 1, 200 do sum = sum + x end -- more than one kernel does
    equal(x * 0 + 1, ((sum - 201 * x):abs():lt(1e-2)):astype "float32")
  end)

  it("is part of one kernel with what uses it, and stores nothing", function()
    if not gpu.soft then
      assert.truthy(gpuarray.source(random.Generator(1):normal(10) * 2):find "cl_random_normal")
      return
    end
    local soft = cuda.softgpu
    local function launches() return tonumber((soft.control("calls cuLaunchKernel"):match "%d+")) end
    local warm = (random.Generator(1):normal(5000) * 0.2):exp():mean()
    assert.is_true(warm:item() > 0)
    local before = launches()
    local mean = (random.Generator(2):normal(5000) * 0.2):exp():mean()
    assert.equal(before + 1, launches())
    assert.is_true(math.abs(mean:item() - math.exp(0.02)) < 0.02)
  end)

  it("takes seeds that are whole numbers from 0, and by default one that nobody knows", function()
    for _, bad in ipairs { -1, 0.5, 2 ^ 60, 0 / 0, "1", {}, true } do
      gpu.raises("LogicError", "the seed must be a non-negative integer", random.Generator, bad)
    end
    assert.is_false(random.Generator():get_state() == random.Generator():get_state())
    equal(random.Generator(5):uniform(3), random.Generator(5LL):uniform(3))
  end)

  it("is refused in fused functions, whose numbers would be the same in each call", function()
    local rng = random.Generator(1)
    local f = gpuarray.fuse(function(x) return x + rng:uniform(4) end)
    gpu.raises("LogicError", "draw them outside", f, gpuarray.ones(4))
    local g = gpuarray.fuse(function(x, y) return x + y end)
    local y = rng:uniform(4)
    equal(gpuarray.ones(4) + y, g(gpuarray.ones(4), y))
  end)

  it("belongs to a scope, a stream and a graph like other arrays", function()
    local kept = gpuarray.scope(function() return random.Generator(6):uniform(100) * 2 end)
    equal(random.Generator(6):uniform(100) * 2, kept)
    local stream = cuda.Stream()
    local x = stream:use(function() return random.Generator(6):uniform(100):eval() end)
    equal(random.Generator(6):uniform(100), x)
    local out = gpuarray.zeros(100)
    random.Generator(6):uniform(100):eval() -- the kernel is there
    local rng = random.Generator(6)
    local graph = stream:capture(function() out:set(rng:uniform(100)) end):instantiate()
    for _ = 1, 2 do
      out:fill(0)
      cuda.Context.synchronize(cuda.Context.get_current())
      graph:launch(stream)
      stream:synchronize()
      equal(x, out) -- the numbers that were drawn while it was recorded
    end
  end)

  it("makes arrays in the context where they are computed", function()
    local other = cuda.Device(0):make_context()
    local y = random.Generator(8):uniform(10):eval()
    local pending = random.Generator(8):uniform(10)
    local here = list(y + pending)
    cuda.Context.pop()
    assert.same(here, list(random.Generator(8):uniform(10) * 2))
    assert.same(list(y + y), list(y + random.Generator(8):uniform(10)))
    other:detach()
  end)
end)

describe("random.Generator's state", function()
  setup(function() gpu.context() end)

  it("random.Generator:seed begins a sequence", function()
    local rng = random.Generator(1)
    local first = rng:uniform(5):eval()
    assert.equal(rng, rng:seed(1))
    equal(first, rng:uniform(5))
    rng:seed()
    assert.is_false(first:eq(rng:uniform(5)):all():item())
    gpu.raises("LogicError", "the seed must be", rng.seed, rng, -1)
    gpu.raises("LogicError", "expected a Generator", rng.seed, 5)
  end)

  it("random.Generator:get_state and random.Generator:set_state keep it", function()
    local rng = random.Generator(0xfedcba9876543210ULL)
    assert.equal("philox4x32-10 fedcba9876543210 0", rng:get_state())
    rng:normal(1001)
    local state = rng:get_state()
    assert.equal("philox4x32-10 fedcba9876543210 251", state)
    local want = rng:normal(9):eval()
    equal(want, random.Generator():set_state(state):normal(9))
    for _, bad in ipairs { "", "philox4x32-10", "philox4x32-10 fedcba9876543210 -1", state .. " ", 5, {},
      "philox4x32-10 fedcba9876543210 99999999999999999999" } do
      gpu.raises("LogicError", "expected a string that get_state()", rng.set_state, rng, bad)
    end
    gpu.refuses_nonsense(function(x) return rng:set_state(x) end)
    gpu.raises("LogicError", "expected a Generator", rng.get_state, {})
  end)

  it("random.Generator:skip_ahead leaves numbers out", function()
    local all = random.Generator(3):uniform(40):eval()
    equal(all[{ { 21, 40 } }], random.Generator(3):skip_ahead(5):uniform(20))
    local rng = random.Generator(3)
    rng:uniform(5)
    equal(all[{ { 9, 12 } }], rng:uniform(4))
    gpu.refuses_nonsense(function(x) return rng:skip_ahead(x) end)
    rng:skip_ahead(2 ^ 53 - 4)
    gpu.raises("LogicError", "seed is exhausted", rng.uniform, rng, 5)
    assert.equal(4, rng:uniform(4).size)
  end)

  it("random.Generator:spawn makes others", function()
    local rng = random.Generator(3)
    local a, b = rng:spawn(2)
    local c = rng:spawn()
    local seen = {}
    for _, g in ipairs { rng, a, b, c, random.Generator(3) } do seen[g:uniform(1)[1]] = true end
    local n = 0
    for _ in pairs(seen) do n = n + 1 end
    assert.equal(5, n)
    local again = random.Generator(3)
    equal(a:seed(1):uniform(3), random.Generator(1):uniform(3))
    local d = again:spawn(2)
    assert.equal(select(2, random.Generator(3):spawn(2)):get_state(), b:get_state():gsub(" %d+$", " 0"))
    assert.is_true(d:uniform(2).size == 2)
    gpu.refuses_nonsense(function(x) return rng:spawn(x) end, { ["nil"] = true })
  end)
end)

describe("random.Generator's distributions", function()
  setup(function() gpu.context() end)
  local rng
  before_each(function() rng = random.Generator(11) end)

  local function check(x, dtype, shape, low, high)
    x:eval() -- so that few kernels have to be compiled
    assert.equal(dtype, x.dtype.name)
    assert.same(shape, x.shape)
    assert.is_true(x:min():item() >= low and x:max():item() <= high)
  end

  it("random.Generator:uniform", function()
    check(rng:uniform { 20, 30 }, "float32", { 20, 30 }, 0, 1)
    check(rng:uniform(600, -3, -2, "float64"), "float64", { 600 }, -3, -2)
    check(rng:uniform(600, 1, 2, "bfloat16"), "bfloat16", { 600 }, 1, 2)
    check(rng:uniform(), "float32", {}, 0, 1)
    assert.equal(0, rng:uniform(0).size)
    assert.same({ 3, 0 }, rng:uniform { 3, 0 }:eval().shape)
    local low = gpuarray.to_gpu { { 0 }, { 10 } }
    local x = rng:uniform({ 2, 50 }, low, low + 1)
    assert.is_true(x[1]:max():item() < 1 and x[2]:min():item() >= 10)
    assert.same({ 2, 1 }, rng:uniform(nil, low).shape)
    assert.same({ 2, 4 }, rng:uniform(nil, low, gpuarray.arange(4)).shape)
    local state = rng:get_state()
    gpu.raises("LogicError", "Generator:uniform: an array of parameters has the shape (2, 1), which cannot",
      rng.uniform, rng, 2, low)
    gpu.raises("LogicError", "Generator:gamma: an array of parameters has", rng.gamma, rng, { 3, 1 }, low)
    gpu.raises("LogicError", "high - low is not finite", rng.uniform, rng, 2, -1e308, 1e308)
    assert.equal(state, rng:get_state()) -- nothing was drawn
    assert.equal("random.Generator(7)", tostring(random.Generator(7)))
    gpu.raises("LogicError", "is not a floating-point type", rng.uniform, rng, 3, 0, 1, "int32")
    gpu.raises("LogicError", "low must be a number or an array", rng.uniform, rng, 3, "x")
    gpu.raises("LogicError", "high must be a number or an array", rng.uniform, rng, 3, 0, 0 / 0)
    gpu.refuses_nonsense(function(x_) return rng:uniform(x_) end, { ["nil"] = true, table = true, cdata = true })
    gpu.raises("LogicError", "expected a Generator", rng.uniform, 3)
  end)

  it("random.Generator:normal", function()
    check(rng:normal(1000, 100, 1), "float32", { 1000 }, 90, 110)
    check(rng:normal({ 10, 10 }, 0, 1, "float64"), "float64", { 10, 10 }, -6, 6)
    check(rng:normal(100, 0, 1, "float16"), "float16", { 100 }, -6, 6)
    assert.is_true(rng:normal(100, 5, 0):eq(5):all():item())
    local sigma = gpuarray.to_gpu { 0, 1 }
    assert.equal(3, rng:normal(nil, 3, sigma)[1])
    gpu.raises("LogicError", "sigma must be at least 0", rng.normal, rng, 3, 0, -1)
    gpu.raises("LogicError", "array of complex64", rng.normal, rng, 3, gpuarray.ones(3, "complex64"))
  end)

  it("random.Generator:log_normal", function()
    local x = rng:log_normal(1000, 2, 0.5)
    check(x, "float32", { 1000 }, 0, 1000)
    equal(random.Generator(11):normal(1000, 2, 0.5):sub(x:log()):abs():lt(1e-5), gpuarray.ones(1000, "bool"))
    gpu.raises("LogicError", "sigma must be at least 0", rng.log_normal, rng, 3, 0, -1)
    -- As far as the types go.
    assert.equal(math.huge, rng:log_normal(1, 200, 0)[1])
    assert.equal(0, rng:log_normal(1, -200, 0)[1])
    assert.is_true(math.abs(rng:log_normal(1, -95, 0)[1] / math.exp(-95) - 1) < 1e-2) -- subnormal
    assert.is_true(math.abs(rng:log_normal(1, 700, 0, "float64")[1] / math.exp(700) - 1) < 1e-13)
    assert.is_true(math.abs(rng:log_normal(1, -740, 0, "float64")[1] / math.exp(-740) - 1) < 0.1)
  end)

  it("random.Generator:exponential", function()
    check(rng:exponential(1000, 2), "float32", { 1000 }, 0, 50)
    check(rng:exponential(1000, 2, "float64"), "float64", { 1000 }, 0, 100)
    check(rng:exponential(nil, gpuarray.ones(7)), "float32", { 7 }, 0, 30)
    gpu.raises("LogicError", "scale must be at least 0", rng.exponential, rng, 3, -1)
  end)

  it("random.Generator:gamma", function()
    check(rng:gamma(1000, 3, 2), "float32", { 1000 }, 0, 100)
    check(rng:gamma(100, 1e-3, 1, "float64"), "float64", { 100 }, 0, 20)
    local k = gpuarray.to_gpu({ 0, -1, 0 / 0, 1e6 }, "float64")
    local x = list(rng:gamma(nil, k, 1, "float64"))
    assert.equal(0, x[1])
    assert.is_true(x[2] ~= x[2] and x[3] ~= x[3] and math.abs(x[4] / 1e6 - 1) < 0.01)
    gpu.raises("LogicError", "k must be above 0", rng.gamma, rng, 3, 0)
    gpu.raises("LogicError", "k must be a number or an array", rng.gamma, rng, 3)
  end)

  it("random.Generator:beta", function()
    check(rng:beta(1000, 2, 3), "float32", { 1000 }, 0, 1)
    local x = rng:beta(1000, 1e-3, 1e-3, "float64") -- nearly all 0 or 1, and never 0 / 0
    assert.is_true(x:isnan():any():item() == false and x:mul(1 - x):lt(1e-6):sum():item() > 950)
    local mean = x:mean():item()
    assert.is_true(math.abs(mean - 0.5) < 0.1)
    gpu.raises("LogicError", "b must be above 0", rng.beta, rng, 3, 1, 0)
  end)

  it("random.Generator:poisson", function()
    check(rng:poisson(1000, 3), "int64", { 1000 }, 0, 30)
    check(rng:poisson(1000, 300, "uint16"), "uint16", { 1000 }, 200, 400)
    local means = gpuarray.to_gpu({ 0, -1, 0 / 0, 1e12, 1 / 0 }, "float64")
    local x = list(rng:poisson(nil, means))
    assert.same({ 0, 0, 0 }, { x[1], x[2], x[3] })
    assert.is_true(math.abs(x[4] - 1e12) < 1e7 and tonumber(x[5]) > 2 ^ 59)
    gpu.raises("LogicError", "mean must be from 0 to 2^60", rng.poisson, rng, 3, -1)
    gpu.raises("LogicError", "mean must be from 0 to 2^60", rng.poisson, rng, 3, 1e19)
    gpu.raises("LogicError", "is not an integer type", rng.poisson, rng, 3, 1, "float32")
  end)

  it("random.Generator:binomial", function()
    check(rng:binomial(1000, 10, 0.5), "int64", { 1000 }, 0, 10)
    check(rng:binomial(1000, 1e6, 0.25, "int32"), "int32", { 1000 }, 247000, 253000)
    assert.is_true(rng:binomial(100, 7, 1):eq(7):all():item() and rng:binomial(100, 7, 0):eq(0):all():item())
    local n = gpuarray.to_gpu({ { 5 }, { 1000 } }, "int32")
    local x = rng:binomial({ 2, 3 }, n, gpuarray.to_gpu({ 0, 1, 2 }, "float32"))
    assert.same({ { 0, 5, 0 }, { 0, 1000, 0 } }, x:get():tolist())
    check(rng:binomial(100, 1e15, 1e-15), "int64", { 100 }, 0, 10) -- as Poisson's
    gpu.raises("LogicError", "p must be from 0 to 1", rng.binomial, rng, 3, 5, 1.5)
    gpu.raises("LogicError", "n must be an integer from 0", rng.binomial, rng, 3, 1.5, 0.5)
    gpu.raises("LogicError", "to below 2^63, got 1e+19", rng.binomial, rng, 3, 1e19, 0.5)
  end)

  it("random.Generator:integers", function()
    local x = rng:integers(1000, 1, 6)
    check(x, "int64", { 1000 }, 1, 6)
    for face = 1, 6 do assert.is_true(x:eq(face):any():item()) end
    check(rng:integers({ 4, 5 }, -128, 127, "int8"), "int8", { 4, 5 }, -128, 127)
    check(rng:integers(1000, 0, 2 ^ 32 - 1, "uint32"), "uint32", { 1000 }, 0, 2 ^ 32 - 1)
    assert.is_true(rng:integers(50, 7, 7):eq(7):all():item())
    local wide = rng:integers(1000, -0x8000000000000000LL, 0x7fffffffffffffffLL)
    assert.is_true(wide:lt(0):any():item() and wide:gt(0):any():item() and wide:abs():gt(2LL ^ 62):any():item())
    local top = rng:integers(100, 0xffffffffffffff00ULL, 0xffffffffffffffffULL, "uint64")
    assert.is_true(top:ge(0xffffffffffffff00ULL):all():item() and top:ne(top[1]):any():item())
    -- A bound for which nearly half of the words are thrown away.
    check(rng:integers(2000, 0, 2 ^ 31, "int64"), "int64", { 2000 }, 0, 2 ^ 31)
    check(rng:integers(2000, 0, 2 ^ 53), "int64", { 2000 }, 0, 2 ^ 53)
    -- Arrays as bounds.
    local to = gpuarray.to_gpu({ 1, 6, 100, -5 }, "int32")
    local y = rng:integers({ 500, 4 }, 1, to)
    check(y, "int64", { 500, 4 }, 1, 100)
    assert.same({ 1, 1, 1, 1 }, y:min(1):minimum(1):tolist())
    local most = list(y:max(1))
    assert.is_true(most[1] == 1 and most[2] == 6 and most[3] > 95 and most[3] <= 100 and most[4] == 1)
    check(rng:integers(nil, to, to + 2, "int16"), "int16", { 4 }, -5, 102)
    check(rng:integers(nil, to:reshape(4, 1), gpuarray.full(3, 200, "uint8")), "int64", { 4, 3 }, -5, 200)
    local all = rng:integers(200, gpuarray.full({}, -0x8000000000000000LL, "int64"), 0x7fffffffffffffffLL)
    assert.is_true(all:lt(0):any():item() and all:gt(0):any():item() and all:abs():gt(2LL ^ 62):any():item())
    gpu.raises("LogicError", "low is an array of float32", rng.integers, rng, 3, gpuarray.ones(3), 5)
    gpu.raises("LogicError", "which cannot be broadcast to (3,)", rng.integers, rng, 3, 1, to)
    gpu.raises("LogicError", "high: 300 is out of the range", rng.integers, rng, 4, to, 300, "uint8")
    gpu.raises("LogicError", "high is below low", rng.integers, rng, 3, 2, 1)
    gpu.raises("LogicError", "out of the range of int8", rng.integers, rng, 3, 0, 128, "int8")
    gpu.raises("LogicError", "low: ", rng.integers, rng, 3)
    gpu.raises("LogicError", "is not an integer type", rng.integers, rng, 3, 0, 1, "bool")
  end)

  it("arguments in the order of other libraries", function()
    local normal, integers = "the shape comes first: normal(shape, mean, sigma, dtype)",
      "the shape comes first: integers(shape, low, high, dtype)"
    gpu.raises("LogicError", normal, rng.normal, rng, 0, 1, { 2, 3 })
    gpu.raises("LogicError", "got 0.5; " .. normal, rng.normal, rng, 0.5, 1, 10)
    gpu.raises("LogicError", "uniform(shape, low, high, dtype)", rng.uniform, rng, -1, 1, 10)
    gpu.raises("LogicError", integers, rng.integers, rng, 0, 10, 5)
    gpu.raises("LogicError", integers, rng.integers, rng, 0, 10)
    gpu.raises("LogicError", "poisson(shape, mean, dtype)", rng.poisson, rng, 3.5, 10)
    for _, x in ipairs { rng:normal(0, 1, 10), rng:uniform(0), rng:integers({ 0 }, 1, 6) } do
      assert.equal(0, x.size)
    end
  end)

  it("random.Generator:permutation", function()
    for _, n in ipairs { 1, 2, 3, 1000, 2 ^ 14, 2 ^ 14 + 1, 50000 } do
      local p = rng:permutation(n)
      assert.equal("int64", p.dtype.name)
      local seen = gpuarray.zeros(n, "int32")
      seen[p] = 1
      assert.equal(n, seen:sum():item())
    end
    assert.equal(0, rng:permutation(0).size)
    -- Each of the orders of three as often as the others.
    local counts = {}
    for _ = 1, 600 do
      local key = table.concat(list(rng:permutation(3)))
      counts[key] = (counts[key] or 0) + 1
    end
    local orders = 0
    for _, count in pairs(counts) do
      orders = orders + 1
      assert.is_true(count > 60 and count < 145)
    end
    assert.equal(6, orders)
    local rows = gpuarray.arange(20):reshape(10, 2)
    local mixed = rng:permutation(rows)
    assert.same({ 10, 2 }, mixed.shape)
    equal(mixed[{ {}, 1 }] + 1, mixed[{ {}, 2 }])
    assert.equal(190, mixed:sum():item())
    gpu.raises("LogicError", "a 0-d array has no order", rng.permutation, rng, gpuarray.scalar(1))
    gpu.refuses_nonsense(function(x) return rng:permutation(x) end)
  end)

  it("random.Generator:choice", function()
    check(rng:choice(10, { 5, 20 }), "int64", { 5, 20 }, 1, 10)
    assert.same({}, rng:choice(10).shape)
    local names = gpuarray.to_gpu { { 1, 10 }, { 2, 20 }, { 3, 30 } }
    local x = rng:choice(names, 100)
    assert.same({ 100, 2 }, x.shape)
    equal(x[{ {}, 1 }] * 10, x[{ {}, 2 }])
    local sample = rng:choice(100, 100, { replace = false })
    assert.equal(5050, sample:sum():item())
    assert.same({ 2, 3 }, rng:choice(50, { 2, 3 }, { replace = false }).shape)
    local weighted = rng:choice(4, 4000, { p = { 0, 1, 3, 0 } })
    local twos, threes = weighted:eq(2):sum():item(), weighted:eq(3):sum():item()
    assert.equal(4000, twos + threes)
    assert.is_true(math.abs(twos - 1000) < 150)
    gpu.raises("LogicError", "cannot choose 5 different elements of 4", rng.choice, rng, 4, 5, { replace = false })
    -- Without replacement: each time one of those that are left, by what their probabilities are beside each other.
    local p, pairs_of, n = { 1, 3, 0, 4 }, {}, 600
    for _ = 1, n do
      local key = table.concat(list(rng:choice(4, 2, { replace = false, p = p })), " ")
      pairs_of[key] = (pairs_of[key] or 0) + 1
    end
    for a = 1, 4 do
      for b = 1, 4 do
        local want = a ~= b and n * p[a] / 8 * p[b] / (8 - p[a]) or 0
        local far = math.abs((pairs_of[a .. " " .. b] or 0) - want)
        assert.is_true(far <= 4 * math.sqrt(want), ("%d %d: off by %g of %g"):format(a, b, far, want))
      end
    end
    equal(rng:choice(names, 3, { replace = false, p = { 1, 2, 3 } })[{ {}, 2 }]:sort(), names[{ {}, 2 }])
    assert.equal(0, rng:choice(2, 0, { replace = false, p = { 1, 1 } }).size)
    gpu.raises("LogicError", "2 different elements of 1 with a probability", rng.choice, rng, 2, 2,
      { replace = false, p = { 0, 1 } })
    gpu.raises("LogicError", "a number, got a string", rng.choice, rng, 2, 1, { p = "x" })
    gpu.raises("LogicError", "p must have a probability for each of 3", rng.choice, rng, 3, 1, { p = { 1, 1 } })
    gpu.raises("LogicError", "p[2] must be a non-negative finite number", rng.choice, rng, 2, 1, { p = { 1, -1 } })
    gpu.raises("LogicError", "no probability above 0", rng.choice, rng, 2, 1, { p = { 0, 0 } })
    gpu.raises("LogicError", "with elements", rng.choice, rng, 0, 1)
    gpu.raises("LogicError", "replace must be", rng.choice, rng, 2, 1, { replace = 1 })
  end)
end)

describe("random.Generator as PyCUDA's", function()
  setup(function() gpu.context() end)
  local rng
  before_each(function() rng = random.Generator(21) end)

  it("random.Generator:gen_uniform and random.Generator:fill_uniform", function()
    for _, name in ipairs { "float32", "float64", "int32", "uint32", "int64", "uint64" } do
      local x = rng:seed(1):gen_uniform({ 3, 7 }, name, cuda.Stream())
      assert.equal(name, x.dtype.name)
      local y = gpuarray.zeros({ 3, 7 }, name)
      assert.equal(y, rng:seed(1):fill_uniform(y, cuda.Stream()))
      equal(x, y)
    end
    assert.is_true(rng:gen_uniform(10000):gt(0):all():item())
    local strided = gpuarray.zeros { 7, 6 }
    rng:seed(1):fill_uniform(strided[{ {}, { 1, 6, 2 } }])
    equal(rng:seed(1):gen_uniform { 7, 3 }, strided[{ {}, { 1, 6, 2 } }])
    gpu.raises("LogicError", "not int8", rng.gen_uniform, rng, 3, "int8")
    gpu.raises("LogicError", "the shape is missing", rng.gen_uniform, rng)
    gpu.raises("LogicError", "expected a Stream", rng.gen_uniform, rng, 3, "float32", 5)
    gpu.refuses_nonsense(function(x) return rng:fill_uniform(x) end)
  end)

  it("random.Generator:gen_normal and random.Generator:fill_normal", function()
    local y = gpuarray.zeros(100, "float64")
    equal(rng:seed(1):gen_normal(100, "float64"), rng:seed(1):fill_normal(y))
    gpu.raises("LogicError", "is not a floating-point type", rng.fill_normal, rng, gpuarray.zeros(3, "int32"))
    gpu.refuses_nonsense(function(x) return rng:fill_normal(x) end)
  end)

  it("random.Generator:gen_log_normal and random.Generator:fill_log_normal", function()
    local y = gpuarray.zeros(100)
    equal(rng:seed(1):gen_log_normal(100, "float32", 1, 2), rng:seed(1):fill_log_normal(y, 1, 2))
    gpu.refuses_nonsense(function(x) return rng:fill_log_normal(x) end)
  end)

  it("random.Generator:gen_poisson and random.Generator:fill_poisson", function()
    local y = gpuarray.zeros(100, "uint32")
    equal(rng:seed(1):gen_poisson(100, nil, 6), rng:seed(1):fill_poisson(y, 6))
    local means = gpuarray.to_gpu { 0, 1e6 }
    rng:fill_poisson(means)
    assert.is_true(means[1] == 0 and math.abs(means[2] - 1e6) < 1e4)
    gpu.refuses_nonsense(function(x) return rng:fill_poisson(x, 1) end)
  end)
end)

describe("random's own generator", function()
  setup(function() gpu.context() end)

  it("random.seed begins it, random.default is it", function()
    random.seed(5)
    local x = random.uniform(4):eval()
    equal(random.Generator(5):uniform(4), x)
    assert.equal("philox4x32-10 0000000000000005 1", random.default():get_state())
    random.seed()
    assert.is_false(x:eq(random.uniform(4)):all():item())
    gpu.raises("LogicError", "the seed must be", random.seed, "x")
  end)

  local calls = { uniform = { 5, 1, 2 }, normal = { 5, 1, 2 }, log_normal = { 5, 1, 2 }, exponential = { 5, 2 },
    gamma = { 5, 2 }, beta = { 5, 2, 3 }, poisson = { 5, 2 }, binomial = { 5, 9, 0.5 }, integers = { 5, 1, 6 },
    permutation = { 5 }, choice = { 5, 3 } }
  for _, name in ipairs { "uniform", "normal", "log_normal", "exponential", "gamma", "beta", "poisson", "binomial",
    "integers", "permutation", "choice" } do
    it("random." .. name, function()
      random.seed(9)
      local rng = random.Generator(9)
      equal(rng[name](rng, unpack(calls[name])), random[name](unpack(calls[name])))
    end)
  end

  it("random.rand", function()
    random.seed(9)
    equal(random.Generator(9):uniform { 2, 3 }, random.rand { 2, 3 })
    random.seed(9)
    equal(random.Generator(9):gen_uniform(9, "int32"), random.rand(9, "int32", cuda.Stream()))
    assert.equal("float64", random.rand(3, "float64", cuda.Stream()).dtype.name)
    gpu.raises("LogicError", "the shape is missing", random.rand)
    gpu.raises("LogicError", "not bool", random.rand, 3, "bool")
    assert.equal(random, cuda.curandom)
    assert.equal(random, cuda.random)
  end)

  it("random.seed_getter_uniform and random.seed_getter_unique", function()
    random.seed(1)
    local same = random.seed_getter_uniform(1000)
    assert.equal("int32", same.dtype.name)
    assert.is_true(same:eq(same[1]):all():item())
    assert.is_false(random.seed_getter_uniform(1)[1] == same[1])
    local seeds, seen = list(random.seed_getter_unique(1000)), {}
    for _, x in ipairs(seeds) do
      assert.is_nil(seen[x])
      seen[x] = true
    end
    assert.equal(1000, #seeds)
    gpu.refuses_nonsense(random.seed_getter_uniform)
    gpu.refuses_nonsense(random.seed_getter_unique)
  end)
end)
