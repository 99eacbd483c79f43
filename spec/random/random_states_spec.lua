-- cudalua.random: PyCUDA's generators. XORWOW against Marsaglia's program, MRG32k3a against L'Ecuyer's published
-- numbers, Sobol's sequences against SciPy's points and Joe and Kuo's property A; skipping; states; arguments.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local bit = require "bit"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local random = require "cudalua.random"

local function list(x) return x:reshape(-1):get():tolist() end

local function equal(a, b)
  assert.same(a.shape, b.shape)
  assert.equal(a.dtype, b.dtype)
  assert.is_true(a:eq(b):all():item())
end

local function xorwow(seed, count, offset)
  return random.XORWOWRandomNumberGenerator(seed, offset, { generators = count or 4 })
end
local function mrg(seed, count, offset)
  return random.MRG32k3aRandomNumberGenerator(seed, offset, { generators = count or 4 })
end

-- Marsaglia's program: s is x, y, z, w, v and the counter.
local function step(s)
  local t = bit.bxor(s[1], bit.rshift(s[1], 2))
  s[1], s[2], s[3], s[4] = s[2], s[3], s[4], s[5]
  s[5] = bit.bxor(s[5], bit.lshift(s[5], 4), t, bit.lshift(t, 1))
  s[6] = (s[6] + 362437) % 2 ^ 32
  return (s[5] + s[6]) % 2 ^ 32
end

local function states_of(g)
  local host, out = g.state:get(), {}
  for k = 1, g.generators do
    out[k] = {}
    for i = 1, 6 do out[k][i] = i < 6 and bit.tobit(host:get(i, k)) or host:get(i, k) end
  end
  return out
end

describe("random.XORWOWRandomNumberGenerator", function()
  setup(function() gpu.context() end)

  it("gives Marsaglia's numbers, four of each generator in turn", function()
    local g = xorwow(5)
    g.state[{ {}, 1 }] = gpuarray.to_gpu({ 123456789, 362436069, 521288629, 88675123, 5783321, 6615241 }, "uint32")
    local states = states_of(g)
    local numbers = list(g:gen_uniform(40, "uint32"))
    -- The first numbers from the seeds that stand in the paper's program, as the unit tests of D's std.random have them
    -- (Xorshift192); a generator's second four come behind those of all others.
    assert.same({ 246875399, 3690007200, 1264581005, 3906711041 }, { unpack(numbers, 1, 4) })
    assert.same({ 1866187943, 2481925219, 2464530826, 1604040631 }, { unpack(numbers, 17, 20) })
    for i = 0, 39 do
      assert.equal(step(states[math.floor(i / 4) % 4 + 1]), numbers[i + 1])
    end
    assert.same(states[1], states_of(g)[1]) -- the first two went on by twelve, the others by eight
    assert.same(states[4], states_of(g)[4])
  end)

  it("takes a function of seeds, an array or a number", function()
    local asked
    local g = xorwow(function(n)
      asked = n
      return gpuarray.full(n, 7, "int32")
    end)
    assert.equal(4, asked)
    equal(xorwow(7):gen_uniform(8), g:gen_uniform(8))
    equal(xorwow(7):gen_uniform(8), xorwow(gpuarray.full(4, 7, "uint32")):gen_uniform(8))
    local different = xorwow(gpuarray.to_gpu({ 7, 8, 7, 7 }, "int32")):gen_uniform(8)
    assert.is_true(different[1] == xorwow(7):gen_uniform(8)[1] and different[5] ~= xorwow(7):gen_uniform(8)[5])
    assert.equal(65536, random.XORWOWRandomNumberGenerator().generators)
    assert.is_false(xorwow():gen_uniform(1)[1] == xorwow():gen_uniform(1)[1])
    assert.equal(4, xorwow(random.seed_getter_unique).generators)
    gpu.raises("LogicError", "expected 4 seeds of int32", xorwow, gpuarray.zeros(3, "int32"))
    gpu.raises("LogicError", "expected a function that returns", xorwow, 2 ^ 32)
    gpu.raises("LogicError", "generators must be", random.XORWOWRandomNumberGenerator, 1, 0, { generators = 0 })
    gpu.refuses_nonsense(function(x) return xorwow(x) end, { ["nil"] = true, number = true })
    gpu.refuses_nonsense(function(x) return xorwow(1, 4, x) end, { ["nil"] = true })
    gpu.error_of("LogicError", function() xorwow(1).seed = 5 end)
    assert.truthy(tostring(xorwow(1)):find "XORWOWRandomNumberGenerator%(4%)")
  end)
end)

describe("random.MRG32k3aRandomNumberGenerator", function()
  setup(function() gpu.context() end)

  it("gives L'Ecuyer's numbers", function()
    local g = mrg(1, 1)
    g.state:fill(12345) -- the seeds of his programs
    local want = { 0.1270111, 0.3185276, 0.3091861, 0.8258469, 0.2216299, 0.5333953, 0.4807742, 0.3555598 }
    for i, x in ipairs(list(g:gen_uniform(8))) do assert.is_true(math.abs(x - want[i]) < 2e-7) end
    assert.is_false(mrg(1):gen_uniform(1)[1] == mrg(2):gen_uniform(1)[1])
    gpu.refuses_nonsense(function(x) return mrg(x) end, { ["nil"] = true, number = true })
  end)

  -- What follows stands in test2RngStream.res, the results that L'Ecuyer's RngStreams comes with: its streams g1, g2
  -- and g3 are 2^127 numbers apart, substreams 2^76.
  local second = { 3692455944, 1366884236, 2968912127, 335948734, 4161675175, 475798818 }
  local third = { 1015873554, 1310354410, 2249465273, 994084013, 2912484720, 3876682925 }

  it("comes to the states that RngStreams publishes for its next streams", function()
    local g = mrg(1, 1)
    g.state:fill(12345)
    g:call_skip_ahead_sequence(1)
    assert.same(second, list(g.state))
    g:call_skip_ahead_sequence(1)
    assert.same(third, list(g.state))
    g.state:fill(12345)
    g:call_skip_ahead_sequence(2)
    assert.same(third, list(g.state))
    g.state:fill(1)
    g:call_skip_ahead_sequence(3)
    assert.same({ 3276123839, 3170955788, 1470482105, 884064067, 1017894425, 16401881 }, list(g.state))
    g.state:fill(12345)
    g:call_skip_ahead(35)
    assert.same({ 1040577685, 3747037609, 277208355, 1712706441, 627445683, 2408037141 }, list(g.state))
    assert.is_true(math.abs(g:gen_uniform(1)[1] - 0.07941673614985) < 2e-7)
  end)

  it("gives the numbers of RngStreams' third stream, and of its fourth substream", function()
    local g = mrg(1, 1)
    local function at_third()
      for k, x in ipairs(third) do g.state[{ { k }, 1 }] = gpuarray.to_gpu({ x }, "uint32") end
    end
    at_third()
    local sum = g:gen_uniform(101)[{ { 2, -1 } }]:sum({ dtype = "float64" }):item() -- one was taken before
    assert.is_true(math.abs(sum - 53.98590159232) < 1e-5)
    at_third()
    for _, substreams in ipairs { 0, 4 } do
      g:call_skip_ahead_subsequence(substreams)
      local want = substreams == 0 and { 0.7285097861965, 0.9655872822837, 0.9961841304801, 0.1149884161813,
        0.9731454191297 } or { 0.1734545396358, 0.03286351608942, 0.2643169129682, 0.3059403602117, 0.5476303035177 }
      for i, x in ipairs(list(g:gen_uniform(5))) do assert.is_true(math.abs(x - want[i]) < 2e-7) end
      at_third()
    end
  end)
end)

describe("random.StateGenerator", function()
  setup(function() gpu.context() end)

  it("random.StateGenerator:gen_uniform and random.StateGenerator:fill_uniform", function()
    for _, make in ipairs { xorwow, mrg } do
      for _, name in ipairs { "float32", "float64", "int32", "uint32", "int64", "uint64" } do
        for _, n in ipairs { 1, 3, 17, 1000 } do
          local x = make(3):gen_uniform(n, name, cuda.Stream())
          assert.equal(name, x.dtype.name)
          local y = gpuarray.zeros({ n, 2 }, name)
          local view = y[{ {}, 1 }]
          local g = make(3)
          assert.equal(view, g:fill_uniform(view))
          equal(x, view)
          assert.is_true(y[{ {}, 2 }]:eq(0):all():item())
        end
      end
      local u = make(3):gen_uniform { 30, 30 }
      assert.is_true(u:gt(0):all():item() and u:le(1):all():item())
      local g = make(1)
      assert.equal(0, g:gen_uniform(0).size)
      gpu.raises("LogicError", "not int16", g.gen_uniform, g, 3, "int16")
      gpu.raises("LogicError", "the shape is missing", g.gen_uniform, g)
      gpu.raises("LogicError", "with a colon", g.gen_uniform, 3)
      gpu.refuses_nonsense(function(x) return g:fill_uniform(x) end)
    end
  end)

  it("gives as many numbers a generator however they are asked for", function()
    local g = xorwow(9, 8)
    local a, b = g:gen_uniform(32), g:gen_uniform(32)
    equal(gpuarray.concatenate { a, b }, xorwow(9, 8):gen_uniform(64))
  end)

  it("random.StateGenerator:gen_normal and random.StateGenerator:fill_normal", function()
    for _, name in ipairs { "float16", "float32", "float64" } do
      local x = mrg(3):gen_normal({ 3, 5 }, name)
      assert.equal(name, x.dtype.name)
      equal(x, mrg(3):fill_normal(gpuarray.zeros({ 3, 5 }, name), cuda.Stream()))
    end
    local g = mrg(1)
    gpu.raises("LogicError", "is not a floating-point type", g.gen_normal, g, 3, "int32")
    gpu.refuses_nonsense(function(x) return g:fill_normal(x) end)
  end)

  it("random.StateGenerator:gen_log_normal and random.StateGenerator:fill_log_normal", function()
    local x = xorwow(3):gen_log_normal(100, "float64", 1, 0.5)
    assert.is_true((x:log() - (xorwow(3):gen_normal(100, "float64") * 0.5 + 1)):abs():max():item() < 1e-14)
    equal(x, xorwow(3):fill_log_normal(gpuarray.zeros(100, "float64"), 1, 0.5))
    local g = xorwow(1)
    gpu.raises("LogicError", "sigma must be a number", g.gen_log_normal, g, 3, "float32", 0, {})
    gpu.raises("LogicError", "sigma must be at least 0, got -1", g.gen_log_normal, g, 3, "float32", 0, -1)
    gpu.refuses_nonsense(function(y) return g:fill_log_normal(y) end)
  end)

  it("random.StateGenerator:gen_poisson and random.StateGenerator:fill_poisson", function()
    local x = xorwow(3):gen_poisson(100, nil, 6)
    assert.equal("uint32", x.dtype.name)
    equal(x, xorwow(3):fill_poisson(gpuarray.zeros(100, "uint32"), 6))
    local means = gpuarray.full(100, 6, "float32")
    equal(x:astype "float32", xorwow(3):fill_poisson(means))
    local counts = gpuarray.full(100, 6, "int32")
    equal(x:astype "int32", xorwow(3):fill_poisson(counts))
    equal(x:astype "int32", xorwow(3):gen_poisson({ 100 }, "int32", gpuarray.full(100, 6)))
    local g = xorwow(1)
    gpu.raises("LogicError", "mean must be a number from 0 to 2^60", g.gen_poisson, g, 3, "int32", -1)
    gpu.raises("LogicError", "mean must be a number from 0 to 2^60", g.gen_poisson, g, 3, "int64", 2 ^ 61)
    gpu.raises("LogicError", "the means have the shape", g.gen_poisson, g, 3, "int32", gpuarray.ones(2))
    gpu.raises("LogicError", "is not an integer type", g.gen_poisson, g, 3, "float32", 1)
    gpu.refuses_nonsense(function(y) return g:fill_poisson(y, 1) end)
  end)

  it("random.StateGenerator:call_skip_ahead and random.StateGenerator:call_skip_ahead_array", function()
    for _, make in ipairs { xorwow, mrg } do
      local all = list(make(5, 2):gen_uniform(64, "uint32"))  -- generator 1 has 1-4, 9-12 ..., 2 has 5-8, 13-16 ...
      local g = make(5, 2)
      assert.equal(g, g:call_skip_ahead(8))
      assert.same({ unpack(all, 17, 24) }, list(g:gen_uniform(8, "uint32")))
      assert.same({ unpack(all, 17, 24) }, list(make(5, 2, 8):gen_uniform(8, "uint32")))
      g = make(5, 2):call_skip_ahead_array(gpuarray.to_gpu({ 4, 12 }, "uint8"))
      local x = list(g:gen_uniform(8, "uint32"))
      assert.same({ unpack(all, 9, 12) }, { unpack(x, 1, 4) })
      assert.same({ unpack(all, 29, 32) }, { unpack(x, 5, 8) })
      g = make(5, 2):call_skip_ahead(2 ^ 40 + 3):call_skip_ahead(0)
      equal(make(5, 2):call_skip_ahead(2 ^ 40):call_skip_ahead(3):gen_uniform(8), g:gen_uniform(8))
      gpu.raises("LogicError", "one for each generator", g.call_skip_ahead, g, gpuarray.zeros(3, "int32"))
      gpu.refuses_nonsense(function(y) return g:call_skip_ahead(y) end)
    end
  end)

  local name = "random.StateGenerator:call_skip_ahead_sequence and random.StateGenerator:call_skip_ahead_sequence_array"
  it(name, function()
    -- Generators begin whole sequences apart: the first is where the second is, after one.
    local g = xorwow(5, 3)
    local all = list(g:gen_uniform(12, "uint32"))
    local moved = list(xorwow(5, 3):call_skip_ahead_sequence(1):gen_uniform(12, "uint32"))
    assert.same({ unpack(all, 5, 12) }, { unpack(moved, 1, 8) })
    moved = list(xorwow(5, 3):call_skip_ahead_sequence_array(gpuarray.to_gpu({ 2, 0, 0 }, "int32"))
      :gen_uniform(12, "uint32"))
    assert.same({ unpack(all, 9, 12) }, { unpack(moved, 1, 4) })
    assert.same({ unpack(all, 5, 12) }, { unpack(moved, 5, 12) })
    gpu.refuses_nonsense(function(y) return g:call_skip_ahead_sequence(y) end)
  end)

  it("random.StateGenerator:call_skip_ahead_subsequence and random.StateGenerator:call_skip_ahead_subsequence_array",
    function()
      local g = mrg(5, 3)
      local all = list(g:gen_uniform(12, "uint32"))
      local moved = list(mrg(5, 3):call_skip_ahead_subsequence(1):gen_uniform(12, "uint32"))
      assert.same({ unpack(all, 5, 12) }, { unpack(moved, 1, 8) })
      moved = list(mrg(5, 3):call_skip_ahead_subsequence_array(gpuarray.to_gpu({ 2, 1, 0 }, "int64"))
        :gen_uniform(12, "uint32"))
      assert.same({ unpack(all, 9, 12) }, { unpack(moved, 1, 4) })
      local x = xorwow(1)
      gpu.raises("LogicError", "no subsequences", x.call_skip_ahead_subsequence, x, 1)
      gpu.refuses_nonsense(function(y) return g:call_skip_ahead_subsequence(y) end)
    end)

  it("random.StateGenerator:get_state and random.StateGenerator:set_state", function()
    local g = mrg(5)
    g:gen_normal(99)
    local state = g:get_state()
    local want = g:gen_uniform(9)
    equal(want, mrg(1):set_state(state):gen_uniform(9))
    gpu.raises("LogicError", "of such a generator", g.set_state, g, xorwow(5):get_state())
    gpu.raises("LogicError", "of such a generator", g.set_state, g, mrg(5, 3):get_state())
    gpu.refuses_nonsense(function(x) return g:set_state(x) end)
  end)

  it("belongs to a context, and works in streams and graphs", function()
    local g = xorwow(5)
    local other = cuda.Device(0):make_context()
    gpu.raises("LogicError", "belongs to another context", g.gen_uniform, g, 3)
    cuda.Context.pop()
    other:detach()
    local out, stream = gpuarray.zeros(16), cuda.Stream()
    xorwow(5):fill_uniform(out)
    local first = out:copy()
    local graph = stream:capture(function() g:fill_uniform(out) end):instantiate()
    graph:launch(stream)
    stream:synchronize()
    equal(first, out)
    graph:launch(stream)
    stream:synchronize()
    assert.is_false(first:eq(out):any():item()) -- the states moved on
  end)
end)

-- ---- Sobol's sequences ----------------------------------------------------------------------------------------------

local makers = {
  Sobol32 = function(o, offset) return random.Sobol32RandomNumberGenerator(nil, offset, o) end,
  Sobol64 = function(o, offset) return random.Sobol64RandomNumberGenerator(nil, offset, o) end,
  ScrambledSobol32 = function(o, offset) return random.ScrambledSobol32RandomNumberGenerator(nil, nil, offset, o) end,
  ScrambledSobol64 = function(o, offset) return random.ScrambledSobol64RandomNumberGenerator(nil, nil, offset, o) end,
}

describe("Sobol's sequences", function()
  setup(function() gpu.context() end)

  it("random.generate_direction_vectors: numbers of Joe and Kuo, with property A in all 1111 dimensions", function()
    local v = random.generate_direction_vectors(10)
    assert.same({ 10, 32 }, v.shape)
    assert.equal("uint32", v.dtype.name)
    -- The first lines of their table: dimension 2 is of x + 1, with 1; 10 has 1, 1, 7, 11, 19.
    for k, m in ipairs { 1, 1, 7, 11, 19 } do assert.equal(m * 2 ^ (32 - k), v:get(10, k)) end
    for k = 1, 32 do assert.equal(2 ^ (32 - k), v:get(1, k)) end
    local all = random.generate_direction_vectors(1111, random.direction_vector_set.VECTOR_64)
    assert.equal("uint64", all.dtype.name)
    for k, m in ipairs { 1, 3, 5, 15, 17, 51, 85, 255 } do
      assert.equal(bit.lshift(ffi.cast("uint64_t", m), 64 - k), ffi.cast("uint64_t", all:get(2, k)))
    end
    -- Each number is odd where it begins: the matrix of 64 bits has no zeros on the other side of its diagonal.
    for d = 1, 1111, 37 do
      for k = 1, 64 do
        local x = ffi.cast("uint64_t", all:get(d, k))
        assert(x % bit.lshift(1ULL, 64 - k) == 0ULL and bit.band(bit.rshift(x, 64 - k), 1) == 1ULL)
      end
    end
    -- Property A (Sobol): the first bits of as many direction numbers as there are dimensions are independent. They
    -- obey the recurrence of the polynomial alone.
    local words = 35
    local rows, d = {}, 2
    for i = 1, 1111 do rows[i] = ffi.new("int32_t[?]", words) end
    rows[1][0] = 1
    for row in require("cudalua.random.directions"):gmatch "[^;\n]+" do
      local coefficients = tonumber(row:match "^%d+")
      local degree = select(2, row:gsub(" ", ""))
      local first = {}
      for k = 1, 1111 do
        if k <= degree then
          first[k] = tonumber(bit.rshift(ffi.cast("uint64_t", all:get(d, k)), 63))
        else
          first[k] = first[k - degree]
          for i = 1, degree - 1 do
            local taken = bit.band(bit.rshift(coefficients, degree - 1 - i), 1) == 1
            if taken then first[k] = bit.bxor(first[k], first[k - i]) end
          end
        end
        local word = math.floor((k - 1) / 32)
        rows[d][word] = bit.bor(rows[d][word], bit.lshift(first[k], (k - 1) % 32))
      end
      d = d + 1
    end
    assert.equal(1112, d)
    for k = 0, 1110 do
      local word, mask, found = math.floor(k / 32), bit.lshift(1, k % 32), nil
      for i = k + 1, 1111 do
        if bit.band(rows[i][word], mask) ~= 0 then found = i break end
      end
      assert(found, "property A does not hold")
      rows[k + 1], rows[found] = rows[found], rows[k + 1]
      for i = k + 2, 1111 do
        if bit.band(rows[i][word], mask) ~= 0 then
          for j = word, words - 1 do rows[i][j] = bit.bxor(rows[i][j], rows[k + 1][j]) end
        end
      end
    end
    gpu.raises("LogicError", "from 1 to 1111", random.generate_direction_vectors, 1112)
    gpu.raises("LogicError", "random.direction_vector_set", random.generate_direction_vectors, 1, "x")
    gpu.refuses_nonsense(random.generate_direction_vectors)
  end)

  it("random.direction_vector_set and scrambled vectors", function()
    for name in pairs(random.direction_vector_set) do
      local v = random.generate_direction_vectors(3, name, 7)
      assert.same({ 3, name:find "64" and 64 or 32 }, v.shape)
      equal(gpuarray.to_gpu(v), gpuarray.to_gpu(random.generate_direction_vectors(3, name, 7)))
      local other = random.generate_direction_vectors(3, name, 8)
      assert.equal(name:find "SCRAMBLED" == nil, gpuarray.to_gpu(v):eq(gpuarray.to_gpu(other)):all():item())
    end
    -- A triangular matrix with ones on the diagonal: the first bit is as it was.
    local plain, scrambled = random.generate_direction_vectors(20), random.generate_direction_vectors(20,
      "SCRAMBLED_VECTOR_32", 3)
    for d = 1, 20 do
      for k = 1, 32 do assert.equal(plain:get(d, k) >= 2 ^ 31, scrambled:get(d, k) >= 2 ^ 31) end
    end
  end)

  it("random.generate_scramble_constants32 and random.generate_scramble_constants64", function()
    for bits = 32, 64, 32 do
      local make = random["generate_scramble_constants" .. bits]
      local a = gpuarray.to_gpu(make(5, 1))
      assert.same({ 5 }, a.shape)
      assert.equal("uint" .. bits, a.dtype.name)
      equal(a, gpuarray.to_gpu(make(5, 1)))
      assert.is_false(a:eq(gpuarray.to_gpu(make(5, 2))):any():item())
      gpu.refuses_nonsense(make)
    end
  end)

  it("random.Sobol32RandomNumberGenerator: points of 1111 dimensions are SciPy's", function()
    -- qmc.Sobol(1111, scramble=False, bits=32) of SciPy 1.17.1, times 2^32: points 1000 and 2047.
    local dimensions = { 1, 2, 3, 4, 10, 100, 500, 1000, 1111 }
    local points = { [1000] = { 943718400, 415236096, 2227175424, 2906652672, 297795584, 801112064, 1094713344,
      859832320, 1589641216 }, [2047] = { 2097152, 2694840320, 3999268864, 1507852288, 1914699776, 3697278976,
      3646947328, 1927282688, 845152256 } }
    for point, want in pairs(points) do
      local x = makers.Sobol32({ dimensions = 1111 }, point):gen_uniform({ 1, 1111 }, "uint32"):get()
      for k, d in ipairs(dimensions) do assert.equal(want[k], x:get(1, d)) end
    end
  end)

  -- The first eight points of five dimensions.
  local first = { { 0, 0, 0, 0, 0 }, { 0.5, 0.5, 0.5, 0.5, 0.5 }, { 0.75, 0.25, 0.25, 0.25, 0.75 },
    { 0.25, 0.75, 0.75, 0.75, 0.25 }, { 0.375, 0.375, 0.625, 0.875, 0.375 }, { 0.875, 0.875, 0.125, 0.375, 0.875 },
    { 0.625, 0.125, 0.875, 0.625, 0.625 }, { 0.125, 0.625, 0.375, 0.125, 0.125 } }

  for _, bits in ipairs { 32, 64 } do
    it(("random.Sobol%dRandomNumberGenerator gives the sequence's points"):format(bits), function()
      local make = makers["Sobol" .. bits]
      local want = gpuarray.to_gpu(first, "float64")
      local x = make { dimensions = 5 }:gen_uniform(8, "float64")
      assert.is_true((x - want):abs():max():item() < 1e-9 and x:gt(0):all():item())
      equal(want, make { dimensions = 5 }:gen_uniform({ 8, 5 }, "uint" .. bits):astype "float64" / 2 ^ bits)
      -- Any part of it, from wherever.
      local all = make { dimensions = 3 }:gen_uniform { 9000, 3 }
      for _, offset in ipairs { 1, 5, 255, 4096, 4097, 8999 } do
        local g = make({ dimensions = 3 }, offset)
        assert.equal(offset, g.position)
        equal(all[{ { offset + 1, 9000 } }], g:gen_uniform(9000 - offset))
        assert.equal(9000, g.position)
      end
      local one = make()
      assert.equal(1, one.dimensions)
      equal(all[{ {}, 1 }], one:gen_uniform(9000))
      local v = random.generate_direction_vectors(3, "VECTOR_" .. bits)
      local g = random[("Sobol%dRandomNumberGenerator"):format(bits)](v)
      equal(all[{ { 1, 10 } }], g:gen_uniform(10))
      -- Integers of 32 bits are the upper halves of 64, so that both kinds have the same ones.
      local words = make({ dimensions = 3 }, 7)
      equal(makers.Sobol32({ dimensions = 3 }, 7):gen_uniform(500, "uint32"), words:gen_uniform(500, "uint32"))
      assert.equal(507, words.position)
      equal(make({ dimensions = 3 }, 7):gen_uniform(500, "uint32"):view "int32",
        make({ dimensions = 3 }, 7):gen_uniform(500, "int32"))
      gpu.raises("LogicError", "not a multiple of the 3 dimensions", g.gen_uniform, g, { 4, 4 })
      gpu.raises("LogicError", "set the dimensions; omit option dimensions", random.Sobol32RandomNumberGenerator, v, 0,
        { dimensions = 3 })
      gpu.raises("LogicError", "must be an array of uint32", random.Sobol32RandomNumberGenerator,
        gpuarray.zeros { 2, 32 })
      gpu.raises("LogicError", "from 1 to 1111", random.Sobol32RandomNumberGenerator, nil, 0, { dimensions = 2000 })
    end)

    it(("random.ScrambledSobol%dRandomNumberGenerator gives other points for each seed"):format(bits), function()
      local make = makers["ScrambledSobol" .. bits]
      local a, b = make { dimensions = 3, seed = 1 }, make { dimensions = 3, seed = 2 }
      local x = a:gen_uniform(512, "float64")
      assert.is_false(x:eq(b:gen_uniform(512, "float64")):any():item())
      equal(x, make { dimensions = 3, seed = 1 }:gen_uniform(512, "float64"))
      local sorted = x[{ {}, 2 }]:copy():get():tolist()
      table.sort(sorted)
      for i = 1, 512 do assert(math.floor(sorted[i] * 512) == i - 1) end -- one in each interval
      local c = random["generate_scramble_constants" .. bits](3, 1)
      local v = random.generate_direction_vectors(3, "SCRAMBLED_VECTOR_" .. bits, 1)
      local class = random[("ScrambledSobol%dRandomNumberGenerator"):format(bits)]
      equal(x, class(v, c):gen_uniform(512, "float64"))
      local wide = make { dimensions = 3, seed = 1 }:gen_uniform(512, "float64")
      local high = make { dimensions = 3, seed = 1 }:gen_uniform(512, "uint32"):astype "float64"
      assert.is_true((wide - high / 2 ^ 32):abs():max():item() <= 2 ^ -32)
      gpu.raises("LogicError", "2 scramble constants for 3 dimensions", class, v,
        random["generate_scramble_constants" .. bits](2))
    end)
  end
end)

describe("random.SobolGenerator", function()
  setup(function() gpu.context() end)

  it("random.SobolGenerator:gen_uniform and random.SobolGenerator:fill_uniform", function()
    for _, make in pairs(makers) do
      local x = make { dimensions = 2 }:gen_uniform(10, "float32", cuda.Stream())
      local y = gpuarray.zeros { 10, 2 }
      local g = make { dimensions = 2 }
      assert.equal(y, g:fill_uniform(y))
      equal(x, y)
      assert.equal(0, g:gen_uniform(0).size)
      gpu.raises("LogicError", "not int16", g.gen_uniform, g, 3, "int16")
      for _, t in ipairs { "int32", "uint32" } do -- as PyCUDA's tests draw them
        assert.equal(t, g:gen_uniform(4, t).dtype.name)
        assert.same({ 4, 2 }, g:fill_uniform(gpuarray.zeros({ 4, 2 }, t)).shape)
      end
      gpu.raises("LogicError", "the shape is missing", g.gen_uniform, g)
      gpu.refuses_nonsense(function(z) return g:fill_uniform(z) end)
      gpu.error_of("LogicError", function() g.dimensions = 5 end)
      gpu.raises("LogicError", "with a colon", g.gen_uniform, 3)
    end
  end)

  it("random.SobolGenerator:gen_normal and random.SobolGenerator:fill_normal: the distribution's inverse", function()
    for _, make in pairs(makers) do
      local u = make { dimensions = 2 }:gen_uniform(1000, "float64")
      local z = make { dimensions = 2 }:gen_normal(1000, "float64")
      local far = (z:normcdf() - u):abs() / u:minimum(1 - u):maximum(1e-300)
      assert.is_true(far[{ { 2, 1000 } }]:max():item() < 1e-8)
      equal(z, make { dimensions = 2 }:fill_normal(gpuarray.zeros({ 1000, 2 }, "float64")))
      equal(z:astype "float32", make { dimensions = 2 }:gen_normal(1000))
    end
    local g = makers.Sobol32()
    gpu.refuses_nonsense(function(x) return g:fill_normal(x) end)
  end)

  it("random.SobolGenerator:gen_log_normal and random.SobolGenerator:fill_log_normal", function()
    local x = makers.Sobol32():gen_log_normal(100, "float64", 1, 2)
    assert.is_true(((x:log() - 1) / 2 - makers.Sobol32():gen_normal(100, "float64")):abs():max():item() < 1e-14)
    equal(x, makers.Sobol32():fill_log_normal(gpuarray.zeros(100, "float64"), 1, 2))
    local g = makers.Sobol32()
    gpu.refuses_nonsense(function(y) return g:fill_log_normal(y) end)
  end)

  it("random.SobolGenerator:gen_poisson and random.SobolGenerator:fill_poisson: the distribution's inverse", function()
    local statistics = require "spec.support.statistics"
    for _, mean in ipairs { 0.1, 3, 50 } do
      local u = list(makers.Sobol32():gen_uniform(500, "float64"))
      for i, k in ipairs(list(makers.Sobol32():gen_poisson(500, nil, mean))) do
        local below = k == 0 and 0 or 1 - statistics.gamma_cdf(k, mean)
        local upto = 1 - statistics.gamma_cdf(k + 1, mean)
        assert(u[i] > below - 1e-9 and u[i] < upto + 1e-9, ("%g: %d for %g"):format(mean, k, u[i]))
      end
    end
    local means = gpuarray.full(100, 3, "float64")
    equal(makers.Sobol32():gen_poisson(100, "int32", 3):astype "float64", makers.Sobol32():fill_poisson(means))
    local g = makers.Sobol32()
    gpu.refuses_nonsense(function(y) return g:fill_poisson(y, 1) end)
    gpu.raises("LogicError", "mean must be", g.gen_poisson, g, 3)
    gpu.raises("LogicError", "mean must be a number from 0 to 2^30", g.gen_poisson, g, 3, "int64", 2 ^ 31)
  end)

  it("random.SobolGenerator:call_skip_ahead leaves points out, until there are no more", function()
    for _, make in pairs(makers) do
      local all = make { dimensions = 2 }:gen_uniform(20)
      equal(all[{ { 8, 20 } }], make { dimensions = 2 }:call_skip_ahead(7):gen_uniform(13))
      gpu.refuses_nonsense(function(x) return make():call_skip_ahead(x) end)
    end
    local g = makers.Sobol32():call_skip_ahead(2 ^ 32 - 3)
    gpu.raises("LogicError", "the numbers go beyond the 2^32 points", g.gen_uniform, g, 4)
    assert.equal(3, g:gen_uniform(3).size)
  end)

  it("random.SobolGenerator:call_skip_ahead_array leaves points out, in each dimension by itself", function()
    for _, make in pairs(makers) do
      local all = make { dimensions = 3 }:gen_uniform { 9000, 3 }
      local g = make { dimensions = 3 }
      assert.equal(g, g:call_skip_ahead_array(gpuarray.to_gpu({ 0, 5, 4000 }, "int32")))
      g:call_skip_ahead_array(gpuarray.to_gpu({ 1, 0, 96 }, "uint64"), cuda.Stream())
      g:gen_uniform(3)
      local state = g:get_state()
      for k = 1, 2 do
        local x = g:gen_uniform(4500)
        for d, first in ipairs { 4, 8, 4099 } do
          equal(all[{ { first + 1, first + 4500 }, d }], x[{ {}, d }])
        end
        if k == 1 then g = make { dimensions = 3 }:set_state(state) end
      end
      g:set_state((g:get_state():gsub(" %d+ %d+ %d+ %d+$", " 2")))
      equal(all[{ { 3, 12 } }], g:gen_uniform(10))
      gpu.raises("LogicError", "one for each dimension", g.call_skip_ahead_array, g, gpuarray.zeros(2, "int32"))
      gpu.raises("LogicError", "one for each dimension", g.call_skip_ahead_array, g, gpuarray.zeros(3))
      local back = gpuarray.to_gpu({ 0, -1, 0 }, "int8")
      gpu.raises("LogicError", "[2]: expected a number of points that are left", g.call_skip_ahead_array, g, back)
      gpu.refuses_nonsense(function(x) return g:call_skip_ahead_array(x) end)
      gpu.refuses_nonsense(function(x) return g:call_skip_ahead(1, x) end, { ["nil"] = true })
    end
    local g = makers.Sobol32():call_skip_ahead_array(gpuarray.full(1, 2 ^ 32 - 3, "int64"))
    gpu.raises("LogicError", "the numbers go beyond the 2^32 points", g.gen_uniform, g, 4)
    assert.equal(3, g:gen_uniform(3).size)
  end)

  it("random.SobolGenerator:get_state and random.SobolGenerator:set_state", function()
    local g = makers.Sobol32 { dimensions = 2 }
    g:gen_uniform(5)
    assert.equal("Sobol32 2 5", g:get_state())
    equal(g:gen_uniform(5), makers.Sobol32 { dimensions = 2 }:set_state("Sobol32 2 5"):gen_uniform(5))
    gpu.raises("LogicError", "of such a generator", g.set_state, g, "Sobol64 2 5")
    gpu.raises("LogicError", "of such a generator", g.set_state, g, "Sobol32 2 5000000000000")
    gpu.raises("LogicError", "of such a generator", g.set_state, g, "Sobol32 2 5 1")
    gpu.raises("LogicError", "of such a generator", g.set_state, g, "Sobol32 2 5 1 5000000000000")
    gpu.refuses_nonsense(function(x) return g:set_state(x) end)
  end)
end)
