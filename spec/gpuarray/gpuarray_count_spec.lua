-- Counting by bins, against loops in plain Lua: each element type, kind of bins and kernel.
local gpu = require "spec.support.gpu"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local cuda = gpu.cuda

local soft = gpu.soft and require "cudalua.softgpu"
local nan, inf = 0 / 0, 1 / 0

-- On a GPU, and with CUDALUA_ALL, all types; elsewhere a few: each has kernels of its own.
local REAL = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
  "float32", "float64" }
if soft and not os.getenv "CUDALUA_ALL" then REAL = { "bool", "int16", "uint64", "float16", "float32" } end

local function made(shape, t, value)
  local h = ndarray.empty(shape, dtype(t))
  local all = h:reshape(-1)
  for i = 1, h.size do all[i] = value(i) end
  return gpuarray.to_gpu(h)
end

local function list(values, t) return gpuarray.to_gpu(values, t) end

local function flat(a)
  local out = {}
  local h = a:get({ array = true }):copy()
  for i, x in ipairs(h:reshape { h.size }:tolist()) do
    if type(x) == "boolean" then x = x and 1 or 0 end
    out[i] = tonumber(x)
  end
  return out
end

local function sum_of(values)
  local sum = 0
  for _, x in ipairs(values) do sum = sum + x end
  return sum
end

-- By the definition: a bin includes its lower edge, the last bin both.
local function counted(values, edges, weights)
  local n, out = #edges - 1, {}
  for bin = 1, n do out[bin] = 0 end
  for i, x in ipairs(values) do
    for bin = 1, n do
      if x >= edges[bin] and (x < edges[bin + 1] or bin == n and x <= edges[n + 1]) then
        out[bin] = out[bin] + (weights and weights[i] or 1)
        break
      end
    end
  end
  return out
end

local function random_value(t)
  if t.kind == "bool" then return math.random() < 0.3 end
  if t.kind == "uint" then return math.random(0, 120) end
  if t.kind == "int" then return math.random(-60, 60) end
  local special = math.random(50)
  return special == 1 and nan or special == 2 and inf or special == 3 and -inf or special == 4 and -0.0
    or math.random(-480, 480) / 8
end

local cell = ffi.new "union { float f; int32_t i; }"
local function next_float(x, by)
  if x == 0 then return by * 2 ^ -149 end
  cell.f = x
  cell.i = cell.i + (x > 0 and by or -by)
  return cell.f
end

describe("Counting", function()
  setup(gpu.context)
  teardown(function()
    if soft then
      soft.schedule { threads = "auto", order = "forward" }
      soft.check "off"
    end
  end)

  it("gpuarray.histogram of every type, with numbers of bins and with edges", function()
    for _, name in ipairs(REAL) do
      local t = dtype(name)
      for _, n in ipairs { 1, 15, 16, 17, 900 } do
        local a = made({ n }, t, function() return random_value(t) end)
        local values = flat(a)
        local counts, edges = gpuarray.histogram(a, 7, { range = { -20, 30 } })
        assert.equal("int64", counts.dtype.name)
        assert.equal(t.kind == "float" and t.itemsize <= 4 and "float32" or "float64", edges.dtype.name)
        assert.same(counted(values, flat(edges)), flat(counts), name)
        local uneven = { -60, -3.5, 0, 0, 1, 17.25, 60 }
        local c, e = gpuarray.histogram(a, uneven)
        assert.same(uneven, flat(e))
        assert.same(counted(values, uneven), flat(c), name)
      end
    end
  end)

  it("gpuarray.histogram and gpuarray.histogram_bin_edges have NumPy's conventions", function()
    assert.same({ 0, 2, 1 }, flat((gpuarray.histogram(list { 1, 2, 1 }, { 0, 1, 2, 3 }))))
    assert.same({ 0.25, 0.25, 0.25, 0.25 }, flat((gpuarray.histogram(gpuarray.arange(4), gpuarray.arange(5),
      { density = true }))))
    assert.same({ 1, 4, 1 }, flat((gpuarray.histogram(list { { 1, 2, 1 }, { 1, 0, 1 } }, { 0, 1, 2, 3 }))))
    -- The range is that of the elements; the last bin has the greatest one.
    local counts, edges = gpuarray.histogram(list({ 1, 2, 3, 4 }, "float64"), 3)
    assert.same({ 1, 1, 2 }, flat(counts))
    assert.same({ 1, 2, 3, 4 }, flat(edges))
    counts, edges = gpuarray.histogram(list { 5, 5 })
    assert.same({ 0, 0, 0, 0, 0, 2, 0, 0, 0, 0 }, flat(counts))
    assert.equal(4.5, edges[1])
    assert.equal(5.5, edges[11])
    counts, edges = gpuarray.histogram(gpuarray.empty(0), 4)
    assert.same({ 0, 0, 0, 0 }, flat(counts))
    assert.same({ 0, 0.25, 0.5, 0.75, 1 }, flat(edges))
    assert.same({ 2, 1 }, flat((gpuarray.histogram(list { true, false, false }, 2))))
    assert.same({ 0, 0.5, 1 }, flat(gpuarray.histogram_bin_edges(list { 0, 1, 0.3 }, 2)))
    assert.same({ -1, 0, 1 }, flat(gpuarray.histogram_bin_edges(list({ 7 }, "int8"), 2, { range = { -1, 1 } })))
    local d = gpuarray.histogram(list { 0.5, 1.5, 1.6, 9 }, { 0, 1, 3 }, { density = true })
    assert.same({ 1 / 3, 1 / 3 }, flat(d))
  end)

  it("gpuarray.histogram decides by the edges, on them and beside them", function()
    for _, range in ipairs { { 0, 1 }, { -0.3, 0.7 }, { 1000, 1000.25 }, { 0, 1e-38 }, { -3e38, 3e38 } } do
      for _, bins in ipairs { 1, 3, 10, 300 } do
        local edges = flat(gpuarray.histogram_bin_edges(gpuarray.empty(0), bins, { range = range }))
        local values = {}
        for _, e in ipairs(edges) do
          for by = -2, 2 do values[#values + 1] = next_float(e, by) end
        end
        assert.same(counted(values, edges), flat((gpuarray.histogram(list(values, "float32"), bins,
          { range = range }))), ("%d bins from %g"):format(bins, range[1]))
      end
    end
    local a = made({ 3000 }, "float64", function() return math.random(-30, 30) / 10 end)
    local counts, edges = gpuarray.histogram(a, 60)
    assert.same(counted(flat(a), flat(edges)), flat(counts))
  end)

  it("gpuarray.histogram with few bins and with many, and where all elements are in one", function()
    local n = 30000
    local a = made({ n }, "float32", function(i) return i * 7919 % 10007 end)
    local same = gpuarray.full(n, 17)
    for _, bins in ipairs { 1, 2, 255, 256, 257, 500, 1000, 2000, 4000, 8192, 8193, 10007, 2 ^ 20 + 1 } do
      local counts = gpuarray.histogram(a, bins, { range = { 0, 10007 } })
      local want, width = {}, 10007 / bins
      local edges = bins <= 10007 and flat(gpuarray.histogram_bin_edges(a, bins, { range = { 0, 10007 } }))
      if edges then
        for k = 1, bins do want[k] = 0 end
        for i = 1, n do
          local x = i * 7919 % 10007
          local bin = math.min(math.floor(x / width) + 1, bins)
          while x < edges[bin] do bin = bin - 1 end
          while bin < bins and x >= edges[bin + 1] do bin = bin + 1 end
          want[bin] = want[bin] + 1
        end
        assert.same(want, flat(counts), bins .. " bins")
      else
        assert.equal(n, counts:sum():item())
        assert.equal(3, counts:max():item())
      end
      local one = gpuarray.histogram(same, bins, { range = { 0, 10007 } })
      assert.equal(n, one:max():item())
      assert.equal(1, one:count_nonzero():item())
    end
    local bytes = gpuarray.full(50001, 200, "uint8")
    local c = flat((gpuarray.histogram(bytes, 256, { range = { 0, 256 } })))
    assert.equal(50001, c[201])
    assert.equal(50001, sum_of(c))
  end)

  it("gpuarray.histogram of any layout and of expressions", function()
    local a = made({ 6, 10, 14 }, "float32", function() return math.random(0, 400) / 40 end)
    local b = made({ 11, 7 }, "uint8", function() return math.random(0, 255) end)
    for _, v in ipairs { a, a.T, a[{ { 2, 6, 2 }, {}, { 3, 14, 3 } }], a[{ {}, { -1, 1, -1 } }],
      a[{ 3, 4 }][{ { 2, 9 } }],
      a[{ {}, {}, { 1, 1 } }]:broadcast_to { 6, 10, 5 }, a * 2 - 3, (a - 5):abs(), b, b.T, b[{ { 2, 9 }, { 2, 5 } }],
      b:copy()[{ { 3, 9 } }] } do
      local counts, edges = gpuarray.histogram(v, 9)
      assert.same(counted(flat(v), flat(edges)), flat(counts))
    end
  end)

  it("gpuarray.histogram with weights adds them up, the same way each time", function()
    local n = 20000
    local a = made({ n }, "float32", function() return math.random(0, 99) / 100 end)
    for _, t in ipairs { "float32", "float64", "int16", "float16" } do
      local w = made({ n }, t, function() return math.random(-20, 20) / (t:find "int" and 1 or 4) end)
      local got, edges = gpuarray.histogram(a, 20, { weights = w, range = { 0.1, 0.9 } })
      assert.equal("float64", got.dtype.name)
      assert.same(counted(flat(a), flat(edges), flat(w)), flat(got), t) -- sums of quarters are exact
    end
    local w = made({ n }, "float64", function() return math.random() end)
    local want = counted(flat(a), flat(gpuarray.histogram_bin_edges(a, 5)), flat(w))
    local first = flat((gpuarray.histogram(a, 5, { weights = w })))
    for k = 1, 5 do assert.is_true(math.abs(want[k] - first[k]) < 1e-10 * want[k]) end
    for _ = 1, 3 do assert.same(first, flat((gpuarray.histogram(a, 5, { weights = w })))) end
    if soft then
      for _, order in ipairs { "reverse", "random:5" } do
        soft.schedule { order = order, threads = 2 }
        assert.same(first, flat((gpuarray.histogram(a, 5, { weights = w }))))
      end
      soft.schedule { threads = "auto", order = "forward" }
    end
    local density, edges = gpuarray.histogram(a, 5, { weights = w, density = true })
    local widths = {}
    for k, x in ipairs(flat(density)) do widths[k] = x * (flat(edges)[k + 1] - flat(edges)[k]) end
    assert.is_true(math.abs(sum_of(widths) - 1) < 1e-12)
    assert.same({ 0, 0 }, flat((gpuarray.histogram(gpuarray.empty(0), 2, { weights = gpuarray.empty(0) }))))
    assert.same({ 6 }, flat((gpuarray.histogram(list { { 1, 2 }, { 3, 9 } }, { 0, 5 },
      { weights = list({ { 1, 2 }, { 3, 4 } }, "int8") }))))
    assert.same({ 3, 3 }, flat((gpuarray.histogram(list { 1, 2, 3 }, { 0, 2.5, 5 }, { weights = { 1, 2, 3 } }))))
    assert.same({ 0, 30000 }, flat((gpuarray.histogram(gpuarray.ones(30000), { 0, 1, 2 },
      { weights = gpuarray.ones(30000) }))))
  end)

  it("gpuarray.histogram says what is wrong", function()
    local a = gpuarray.ones(4)
    local h = gpuarray.histogram
    gpu.raises("LogicError", "bins must be", h, a, 0)
    gpu.raises("LogicError", "bins must be", h, a, 2.5)
    gpu.raises("LogicError", "bins must be", h, a, cuda)
    gpu.raises("LogicError", "edges must not descend", h, a, { 1, 3, 2 })
    gpu.raises("LogicError", "an edge is NaN", h, a, { 1, nan })
    gpu.raises("LogicError", "least two numbers", h, a, { 1 })
    gpu.raises("LogicError", "least two numbers", h, a, { { 1, 2 } })
    gpu.raises("LogicError", "range needs a number of", h, a, { 1, 2 }, { range = { 0, 1 } })
    gpu.raises("LogicError", "is not below", h, a, 3, { range = { 1, 0 } })
    gpu.raises("LogicError", "not finite", h, a, 3, { range = { 0, inf } })
    gpu.raises("LogicError", "is not below", h, a, 3, { range = { 0, nan } })
    gpu.raises("LogicError", "{low, high}", h, a, 3, { range = 5 })
    gpu.raises("LogicError", "{low, high}", h, a, 3, { range = { "a", true } })
    gpu.raises("LogicError", "not finite", h, list { 1, nan }, 3)
    gpu.raises("LogicError", "weights", h, a, 3, { weights = gpuarray.ones(5) })
    gpu.raises("LogicError", "weights must be real", h, a, 3, { weights = gpuarray.ones(4, "complex64") })
    gpu.raises("LogicError", "density must be", h, a, 3, { density = 1 })
    gpu.raises("LogicError", "must be real numbers", h, gpuarray.ones(4, "complex64"))
    gpu.raises("LogicError", "host memory", h, ndarray.ones(3))
    gpu.refuses_nonsense(function(x) return h(x, 3) end)
  end)

  it("gpuarray.bincount", function()
    for _, name in ipairs(REAL) do
      local t = dtype(name)
      if t.kind == "int" or t.kind == "uint" then
        for _, n in ipairs { 1, 16, 33, 5000 } do
          local a = made({ n }, t, function() return math.random(1, 100) end)
          local want = {}
          for k = 1, a:max():item() do want[k] = 0 end
          for _, x in ipairs(flat(a)) do want[x] = want[x] + 1 end
          local got = gpuarray.bincount(a)
          assert.equal("int64", got.dtype.name)
          assert.same(want, flat(got), name)
        end
      end
    end
    local a = list({ 2, 1, 2, 5 }, "int16")
    assert.same({ 1, 2, 0, 0, 1, 0, 0 }, flat(gpuarray.bincount(a, { minlength = 7 })))
    assert.same({ 1, 2, 0, 0, 1 }, flat(gpuarray.bincount(a, { minlength = 2 })))
    assert.same({ 0.5, 3.25, 0, 0, -1 }, flat(gpuarray.bincount(a, { weights = { 3, 0.5, 0.25, -1 } })))
    assert.same({ 1, 2 }, flat(gpuarray.bincount(a[{ { 1, 3 } }])))
    assert.same({ 0, 1, 2, 0, 0, 1 }, flat(gpuarray.bincount(a + 1)))
    assert.same({}, flat(gpuarray.bincount(gpuarray.empty(0, "int32"))))
    assert.same({ 0, 0 }, flat(gpuarray.bincount(gpuarray.empty(0, "int32"), { minlength = 2 })))
    local wide = gpuarray.bincount(list({ 20000, 3, 20000 }, "uint64"))
    assert.equal(20000, wide.size)
    assert.equal(2, wide[20000])
    -- With what the others give.
    local u, inverse, counts = list({ 7, 7, 3 }, "int8"):unique { inverse = true, counts = true }
    assert.same(flat(counts), flat(gpuarray.bincount(inverse)))
    assert.same({ 3, 7 }, flat(u))
    local b = gpuarray.bincount
    gpu.raises("LogicError", "starts at 1", b, list({ 1, 0 }, "uint8"))
    gpu.raises("LogicError", "starts at 1", b, list({ -4 }, "int32"))
    gpu.raises("LogicError", "1099511627776, too large", b, list({ 2 ^ 40 }, "int64"))
    gpu.raises("LogicError", "must contain integers", b, gpuarray.ones(3))
    gpu.raises("LogicError", "one axis", b, gpuarray.ones({ 2, 2 }, "int8"))
    gpu.raises("LogicError", "minlength", b, a, { minlength = -1 })
    gpu.raises("LogicError", "weights", b, a, { weights = { 1 } })
    gpu.refuses_nonsense(function(x) return b(x) end)
    gpu.refuses_nonsense(function(x) return b(a, { minlength = x }) end, { ["nil"] = true })
  end)

  it("gpuarray.digitize", function()
    local x = list { 0.2, 6.4, 3, 1.6, 10, -1, 0, 11 }
    assert.same({ 2, 5, 4, 3, 6, 1, 2, 6 }, flat(gpuarray.digitize(x, { 0, 1, 2.5, 4, 10 })))
    assert.same({ 2, 5, 4, 3, 5, 1, 1, 6 }, flat(gpuarray.digitize(x, { 0, 1, 2.5, 4, 10 }, { right = true })))
    for _, right in ipairs { false, true } do
      for _, edges in ipairs { { 1, 2, 3 }, { 3, 2, 1 }, { 2, 2 }, { 5 }, {}, { 4, 1, 1, 0 } } do
        local got = flat(gpuarray.digitize(list { 0, 1, 1.5, 2, 3, 4, 9 }, list(edges), { right = right }))
        for k, v in ipairs { 0, 1, 1.5, 2, 3, 4, 9 } do
          local want = 1 -- how many edges are before
          local descending = edges[1] and edges[1] > edges[#edges]
          for _, e in ipairs(edges) do
            local before
            if descending then before = e > v or right and e == v else before = e < v or not right and e == v end
            if before then want = want + 1 end
          end
          assert.equal(want, got[k], ("%g among %s, right = %s"):format(v, table.concat(edges, " "), tostring(right)))
        end
      end
    end
    assert.same({ 2, 3 }, gpuarray.digitize(gpuarray.ones { 2, 3 }, { 0 }).shape)
    -- Numbers of a list are what they are, whatever the elements are.
    assert.same({ 2, 3, 3 }, flat(gpuarray.digitize(list({ 0.1, 0.2, 0.3 }, "float64"), { 0.1, 0.2 })))
    assert.same({ 2, 3, 3 }, flat(gpuarray.digitize(list({ 0.1, 0.2, 0.3 }, "float64"),
      ndarray.array({ 0.1, 0.2 }, "float64"))))
    assert.same({ 1, 2, 2 }, flat(gpuarray.digitize(list({ 2 ^ 24, 2 ^ 24 + 1, 2 ^ 24 + 2 }, "int32"), { 2 ^ 24 + 1 })))
    assert.same({ 1, 3 }, flat(gpuarray.digitize(list({ 1, 2 ^ 24 + 1 }, "int32"), list { 2, 2 ^ 24 })))
    assert.same({ 1, 3 }, flat(gpuarray.digitize(list({ 1ULL, -1ULL }, "uint64"), list({ 2ULL, -1ULL }, "uint64"))))
    assert.same({ 2, 1, 1 }, flat(gpuarray.digitize(list { 0, 1, 2 }, ndarray.array { true, false })))
    assert.same({ 2, 3 }, flat(gpuarray.digitize(list { false, true }, list { false, true })))
    assert.same({ 3 }, flat(gpuarray.digitize(list { nan }, { 1, 2 })))
    gpu.raises("LogicError", "not sorted", gpuarray.digitize, x, { 1, 3, 2 })
    gpu.raises("LogicError", "not sorted", gpuarray.digitize, x, list { 1, 3, 2 })
    gpu.raises("LogicError", "not sorted", gpuarray.digitize, x, { 0, nan })
    gpu.raises("LogicError", "array or a list, got 3", gpuarray.digitize, x, 3)
    gpu.raises("LogicError", "one axis", gpuarray.digitize, x, { { 1 } })
    gpu.raises("LogicError", "right must be", gpuarray.digitize, x, { 1 }, { right = 0 })
    gpu.raises("LogicError", "real numbers", gpuarray.digitize, x, gpuarray.ones(2, "complex64"))
    gpu.refuses_nonsense(function(v) return gpuarray.digitize(v, { 1 }) end)
  end)

  it("does not race", function()
    if not soft then return pending "the check is the software device's" end
    local a = made({ 40000 }, "float32", function() return math.random() end)
    local b = made({ 40000 }, "uint8", function() return math.random(1, 255) end)
    a:eval()
    soft.check "races,barriers,shuffles,uninitialised"
    local ok, err = pcall(function()
      for _, bins in ipairs { 3, 1000, 9000 } do gpuarray.histogram(a, bins):get() end
      gpuarray.histogram(b, 10):get()
      gpuarray.bincount(b, { weights = a }):get()
    end)
    soft.check "off"
    assert.is_true(ok, tostring(err))
  end)

  it("keeps what it needs beyond a scope, and gives edges that may be written to", function()
    local a, b = list { 0.5, 1.5, 2.5 }, list({ 1, 2, 7 }, "uint8")
    for _ = 1, 2 do
      local counts, edges = gpuarray.scope(function() return gpuarray.histogram(a, 3, { range = { 0, 3 } }) end)
      assert.same({ 1, 1, 1 }, flat(counts))
      assert.same({ 0, 1, 2, 3 }, flat(edges))
      edges:fill(100)
      local bytes = gpuarray.scope(function() return (gpuarray.histogram(b, 2, { range = { 0, 4 } })) end)
      assert.same({ 1, 1 }, flat(bytes))
    end
    gpuarray.scope(function() gpuarray.histogram(a, 5) end)
    a:release()
    gpu.raises("LogicError", "released", gpuarray.histogram, a, 5)
  end)

  it("works in streams and other contexts", function()
    local s = cuda.Stream()
    local a = gpuarray.full(1000, 3, "int32")
    assert.same({ 0, 0, 0, 1000 }, flat(s:use(function() return (gpuarray.histogram(a, { 0, 1, 2, 3, 4 })) end)))
    s:close()
    local other = cuda.Device(0):make_context()
    gpu.apart(function()
      local x = made({ 500 }, "int8", function() return math.random(1, 9) end)
      other.pop()
      assert.equal(500, gpuarray.bincount(x):sum():item())
      assert.equal(500, (gpuarray.histogram(x, 4)):sum():item())
      assert.equal(500, gpuarray.bincount(x[{ { -1, 1, -1 } }], { weights = x * 0 + 1 }):sum():item())
      assert.equal(500, gpuarray.bincount(gpuarray.digitize(x, { 9, 5, 1 })):sum():item())
    end)
    cuda.collect()
    other:detach()
  end)
end)
