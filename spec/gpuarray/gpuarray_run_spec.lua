-- The one launch (lua/cudalua/gpuarray/core/run.lua): a finalizer of the user may write to what a kernel reads, at any
-- line of a call. The result is that of before the write or that of after it, for each kind of kernel.
local gpu = require "spec.support.gpu"
local mask = require "cudalua.gpuarray.index.mask"
local reentry = require "spec.support.reentry"
local runs = require "cudalua.gpuarray.core.run"
local sort_run = require "cudalua.gpuarray.order.sort_run"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

-- Random places that are tried of each kind. Each run of CI has others.
local MOST = gpu.sanitized and 8 or turn.partial and 20 or 60

local function text(x)
  if type(x) == "table" and getmetatable(x) == nil then
    local list = {}
    for k = 1, #x do list[k] = text(x[k]) end
    return table.concat(list, " | ")
  end
  local list = x:ravel():tolist()
  for k = 1, #list do list[k] = tostring(list[k]) end
  return table.concat(list, " ")
end

-- Two fillings of an array of n numbers from 1 to 9, that differ in how often each number is there.
local function old_of(n, dtype) return (gpuarray.arange(n, "int32") % 9 + 1):astype(dtype):eval() end
local function new_of(n, dtype)
  return (gpuarray.arange(n, "int32") * 7 % 31):lt(15):astype(dtype):add(gpuarray.full(n, 4, dtype)):eval()
end

-- kind = {elements, dtype, f(x)}: f uses the array that is written to.
local kinds = {}
local y, m, source

local function prepare()
  y = gpuarray.arange(1, 41, "float32"):eval()
  m = gpuarray.arange(40, "float32"):eval()
  local fused = gpuarray.fuse(function(a, b) return a + b, a * b end)
  local parts = gpuarray.fuse(function(a) return a + 1, a[{ { 1, 20 } }] * 2 end)
  local scaled = cuda.elementwise.ElementwiseKernel("float *x, float *y", "y[i] = 2 * x[i]", "scaled")
  local dot = cuda.reduction.ReductionKernel("float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")
  local total = cuda.scan.InclusiveScanKernel("float32", "a + b")
  local generic = cuda.scan.GenericScanKernel("float32", "float *x, float *out", "x[i]", "a + b", "0",
    "out[i] = item + prev_item")
  local weights = function(x) return gpuarray.histogram(x, 3, { range = { 1, 9 }, weights = x }) end
  source = cuda.SourceModule [[
    extern "C" __global__ void twice(const float *x, float *out) { out[threadIdx.x] = 2 * x[threadIdx.x]; }
  ]]
  local twice = source:get_function "twice"
  kinds = {
    ["an expression"] = { 40, "float32", function(x) return (x * 2 + y):eval() end },
    ["an expression written to an array"] = { 40, "float32", function(x)
      local out = gpuarray.zeros(40)
      out:set(x * 2 + y)
      return out
    end },
    ["a fused function"] = { 40, "float32", function(x) return { fused(x, x) } end },
    ["a fused function of two kernels"] = { 40, "float32", function(x) return { parts(x) } end },
    ["a reduction"] = { 40, "float32", function(x) return (x * x + 1):sum():eval() end },
    ["a reduction along an axis"] = { 40, "float32", function(x) return x:reshape(4, 10):sum(1):eval() end },
    ["a scan"] = { 40, "float32", function(x) return (x * 2):cumsum() end },
    ["a scan to an array"] = { 40, "float32", function(x)
      local out = gpuarray.zeros(40)
      x:cumsum { out = out }
      return out
    end },
    ["a product of matrices"] = { 40, "float32", function(x) return x:reshape(8, 5):matmul(x:reshape(5, 8)) end },
    ["a product of a matrix and a vector"] = { 40, "float32", function(x) return x:reshape(1, 40):matmul(x) end },
    ["a product in chunks"] = { 1200, "float32", function(x) return x:reshape(2, 600):matmul(x:reshape(600, 2)) end },
    ["a power of a matrix"] = { 9, "float32", function(x) return cuda.linalg.matrix_power(x:reshape(3, 3), 3) end },
    ["a convolution with itself"] = { 40, "float32", function(x) return x:convolve(x) end },
    ["a correlation of an expression"] = { 40, "float32", function(x)
      return (x * 2):correlate(y[{ { 3, 9 } }], { mode = "same" })
    end },
    ["covariances"] = { 40, "float32", function(x) return x:reshape(4, 10):cov() end },
    ["correlations of variables"] = { 40, "float32", function(x)
      return x:reshape(4, 10):corrcoef { y = y[{ { 1, 10 } }] }
    end },
    ["slopes"] = { 40, "float32", function(x) return { x:reshape(4, 10):gradient { edge_order = 2 } } end },
    ["an area"] = { 40, "float32", function(x) return (x + 1):trapezoid() end },
    ["angles"] = { 40, "float32", function(x) return x:unwrap { period = 3 } end },
    ["whole angles"] = { 40, "int32", function(x) return x:unwrap { period = 5 } end },
    ["a short sort"] = { 40, "float32", function(x) return x:sort() end },
    ["a long sort"] = { 4100, "uint8", function(x) return x:sort() end },
    ["a long argsort"] = { 4100, "uint8", function(x) return x:argsort() end },
    ["a selection"] = { 4100, "uint8", function(x)
      local before = sort_run.SELECT
      sort_run.SELECT = 1000
      local ok, values, places = pcall(x.topk, x, 20)
      sort_run.SELECT = before
      assert(ok, values)
      return { values, places }
    end },
    ["a sort of complex numbers"] = { 40, "complex64", function(x) return x:sort() end },
    ["unique elements and their places"] = { 400, "float32", function(x)
      return { x:unique { index = true, inverse = true, counts = true } }
    end },
    ["unique elements, which are searched for"] = { 400, "float32", function(x)
      return { x:unique { inverse = true } }
    end },
    ["a count"] = { 400, "int32", function(x) return gpuarray.bincount(x, { minlength = 10 }) end },
    ["a weighted count"] = { 400, "float32", function(x) return { weights(x) } end },
    ["positions that are read"] = { 40, "int32", function(x) return y:take(x, { mode = "raise" }) end },
    ["positions that are written"] = { 40, "int32", function(x)
      local out = gpuarray.zeros(40)
      out:put(x, m, { mode = "wrap" })
      return out
    end },
    ["a mask"] = { 400, "bool", function(x) return gpuarray.arange(400, "float32")[x] end, function(n)
      return (gpuarray.arange(n, "int32") % 50):eq(0):eval(), (gpuarray.arange(n, "int32") % 3):ne(0):eval()
    end },
    ["where"] = { 40, "float32", function(x) return gpuarray.where(y:gt(20), x, y):eval() end },
    ["arrays side by side"] = { 40, "float32", function(x) return gpuarray.hstack { x, y, x, y } end },
    ["two arrays joined"] = { 40, "float32", function(x)
      return gpuarray.concatenate({ x, x, x:reshape(40) }):eval()
    end },
    ["arrays joined with another"] = { 40, "float32", function(x) return gpuarray.stack { x, y, x } + 1 end },
    ["a roll in an expression"] = { 40, "float32", function(x)
      return (x:roll(1):roll(3) * y + y:roll(-1)):eval()
    end },
    ["a border"] = { 40, "float32", function(x) return (x:pad(2):pad(1, "edge") + 1):eval() end },
    ["repetitions"] = { 40, "float32", function(x) return x:tile(2):repeat_(2) end },
    ["a roll that is written"] = { 40, "float32", function(x)
      local z = gpuarray.zeros(40)
      z:set(x:roll(1))
      return z
    end },
    ["a range"] = { 40, "float32", function(x) return { gpuarray.arange(0, 1, 0.25), gpuarray.eye(3), x:copy() } end },
    ["generators with states"] = { 40, "float32", function(x)
      local seeds = function(n) return gpuarray.arange(n, "int32") end
      local g = cuda.curandom.XORWOWRandomNumberGenerator(seeds, nil, { generators = 4 })
      return { g:gen_uniform(10, "float32"), g:call_skip_ahead(3):gen_uniform(4, "float32"), x:copy() }
    end },
    ["a Sobol sequence"] = { 40, "float32", function(x)
      return { cuda.curandom.Sobol32RandomNumberGenerator():gen_uniform(10, "float32"), x:copy() }
    end },
    ["an ElementwiseKernel, called first"] = { 40, "float32", function(x)
      local k = cuda.elementwise.ElementwiseKernel("float *x, float *y", "y[i] = 2 * x[i]", "scaled")
      local out = gpuarray.zeros(40)
      k(x, out)
      return out
    end },
    ["an ElementwiseKernel, called again"] = { 40, "float32", function(x)
      local out = gpuarray.zeros(40):eval()
      scaled(x, out)
      return out
    end },
    ["a ReductionKernel"] = { 40, "float32", function(x) return dot(x, y) end },
    ["a scan kernel"] = { 40, "float32", function(x) return total(x, "new") end },
    ["a scan kernel with a statement"] = { 40, "float32", function(x)
      local out = gpuarray.zeros(40):eval()
      generic(x, out)
      return out
    end },
    ["an argument of another kernel"] = { 40, "float32", function(x)
      local out = gpuarray.zeros(40):eval()
      twice(x * 3, out, { block = { 40, 1, 1 } })
      return out
    end },
  }
end

describe("a finalizer that writes to an operand", function()
  setup(function()
    gpu.context()
    math.randomseed(os.time())
    prepare()
  end)

  -- The results without a finalizer; and with one before the k-th line, for so many k.
  local function sweep(kind, most)
    local n, dtype, f = kind[1], kind[2], kind[3]
    local before, after
    if kind[4] then before, after = kind[4](n) else before, after = old_of(n, dtype), new_of(n, dtype) end
    for _ = 1, 2 do f(before:copy():eval()) end -- what is made once is there
    local first, second = text(f(before:copy():eval())), text(f(after:copy():eval()))
    assert.not_equal(first, second)
    local function call(k)
      local x = before:copy():eval()
      local result, lines, place = reentry.call(function() return f(x) end, function() x:set(after) end, k)
      return text(result), lines, place
    end
    local _, lines = call(math.huge)
    local step = math.max(lines / most, 1)
    local k, seen = math.random() * (step - 1) + 1, {}
    local at = 1 -- where the whole call sees what is written
    while at <= lines do
      local got, _, place = call(at)
      seen[got] = true
      assert(got == first or got == second, ("%s: %s, not %s or %s"):format(place, got:sub(1, 200), first:sub(1, 200),
        second:sub(1, 200)))
      at, k = math.max(math.floor(k), 2), k + step
    end
    return seen[first] ~= nil, seen[second] ~= nil
  end

  for _, name in ipairs { "an expression", "an expression written to an array", "a fused function",
    "a fused function of two kernels", "a reduction", "a reduction along an axis", "a scan", "a scan to an array",
    "a product of matrices", "a product of a matrix and a vector", "a product in chunks", "a power of a matrix",
    "a convolution with itself", "a correlation of an expression", "covariances", "correlations of variables",
    "slopes", "an area", "angles", "whole angles", "a short sort", "a long sort", "a long argsort",
    "a sort of complex numbers", "unique elements and their places", "unique elements, which are searched for",
    "a selection", "a count", "a weighted count", "positions that are read", "positions that are written", "a mask",
    "where", "arrays side by side", "two arrays joined", "arrays joined with another", "a roll in an expression",
    "a border", "repetitions", "a roll that is written", "a range", "generators with states", "a Sobol sequence",
    "an ElementwiseKernel, called first", "an ElementwiseKernel, called again", "a ReductionKernel", "a scan kernel",
    "a scan kernel with a statement", "an argument of another kernel" } do
    it("gives the result of before or of after: " .. name, function()
      local _, after = sweep(kinds[name], MOST)
      assert.is_true(after)
    end)
  end
end)

-- Selections have several operands. A finalizer writes to all of them: to one in new memory, as something still has to
-- read the old values, to the others in place. What is selected is of before or of after, and not of both.
-- kind = {arrays, what is written to them or a function that writes to them, f(arrays)}; see `values` below
local function write_part(x, which)
  x[{ { 1, 20 } }] = 100
  which:set((gpuarray.arange(40, "int32") % 5):eq(1))
end

local function rows(x) return x:reshape(8, 5) end
local function head(x) return x[{ { 1, 8 } }] end

local selections = {
  ["positions in the whole array"] = { "x p", "y q", function(x, p) return x:take(p, { mode = "clip" }) end },
  ["positions that are checked"] = { "x p", "y q", function(x, p) return x:take(p) end },
  ["positions on an axis"] = { "x p", "y q", function(x, p) return x:take(p, { axis = 1, mode = "wrap" }) end },
  ["positions in an index"] = { "x p", "y q", function(x, p) return x[p] end },
  ["positions on two axes"] = { "x c d", "y d c", function(x, c, d) return rows(x)[{ c, d }] end },
  ["a mask in an index"] = { "x m", "y n", function(x, which) return x[which] end },
  ["a mask beside a range"] = { "x m", "y n", function(x, which) return rows(x)[{ head(which), { 2, 4 } }] end },
  ["a mask of an array with gaps"] = { "x m", "y n", function(x, which) return rows(x).T[rows(which).T] end },
  ["compress"] = { "x m", "y n", function(x, which) return x:compress(which) end },
  ["compress by numbers"] = { "x o", "y z", function(x, numbers) return gpuarray.compress(numbers, x) end },
  ["compress along an axis"] = { "x m", "y n", function(x, which)
    return rows(x):compress(head(which), { axis = 1 })
  end },
  ["extract"] = { "x m", "y n", function(x, which) return gpuarray.extract(which, x) end },
  ["take_along_axis"] = { "x p", "y q", function(x, p) return gpuarray.take_along_axis(x, p) end },
  ["multi_take"] = { "x y p", "y x q", function(a, b, p) return gpuarray.multi_take({ a, b }, p) end },
  ["searchsorted"] = { "x y", "y x", function(a, b) return a:searchsorted(b) end },
  ["searchsorted as another type"] = { "x p", "y q", function(x, p) return x:searchsorted(p) end },
  ["matmul"] = { "x y", "y x", function(a, b) return rows(a):matmul(rows(b).T) end },
  ["matmul of another type"] = { "x p", "y q", function(a, p) return rows(a):matmul(rows(p).T) end },
  ["matmul to an array"] = { "x y", "y x", function(a, b)
    local out = gpuarray.zeros { 8, 8 }
    return rows(a):matmul(rows(b).T, { out = out })
  end },
  ["addmm"] = { "x y p", "y x q", function(a, b, p) return rows(p)[{ 1 }]:addmm(rows(a).T, rows(b)) end },
  ["tensordot of what has to be copied"] = { "x y", "y x", function(a, b)
    return a:reshape(2, 4, 5):tensordot(b:reshape(5, 2, 4), { axes = { { 1, 3 }, { 2, 1 } } })
  end },
  ["einsum"] = { "x y", "y x", function(a, b) return gpuarray.einsum("ij,kj,kl->l", rows(a), rows(b), rows(a)) end },
  ["cross"] = { "x y", "y x", function(a, b) return a[{ { 1, 3 } }]:cross(b[{ { 4, 6 } }]) end },
  ["kron"] = { "x y", "y x", function(a, b) return head(a):kron(head(b)) end },
  ["convolve"] = { "x y", "y x", function(a, b) return a:convolve(b[{ { 1, 39, 2 } }]) end },
  ["convolve with another type"] = { "x p", "y q", function(a, p) return p[{ { 1, 5 } }]:convolve(a) end },
  ["correlate to an array"] = { "x y", "y x", function(a, b)
    return a:correlate(b, { mode = "same", out = gpuarray.zeros(40) })
  end },
  ["cov"] = { "x y p m", "y x q n", function(a, b, p, which)
    return rows(a):cov { y = rows(b), fweights = p[{ { 1, 5 } }], aweights = which[{ { 1, 5 } }] }
  end },
  ["gradient"] = { "x y", "y x", function(a, b) return rows(a):gradient { axis = 1, spacing = head(b) } end },
  ["trapezoid"] = { "x y", "y x", function(a, b) return a:trapezoid { x = b } end },
  ["choose"] = { "c x y", "d y x", function(c, a, b) return c:choose { a, b } end },
  ["choose as another type"] = { "c x o", "d y z", function(c, x, o) return c:choose({ x, o }, { mode = "wrap" }) end },
  ["put"] = { "p x", "q y", function(p, x) return gpuarray.zeros(40):put(p, x) end },
  ["put of another type"] = { "p o", "q z", function(p, o) return gpuarray.zeros(40):put(p, o) end },
  ["put of fewer values"] = { "p x", "q y", function(p, x) return gpuarray.zeros(40):put(p, x[{ { 1, 7 } }]) end },
  ["positions to write at"] = { "p x", "q y", function(p, x)
    local out = gpuarray.zeros(40)
    out[p] = x
    return out
  end },
  ["put_along_axis"] = { "p x", "q y", function(p, x) return gpuarray.put_along_axis(gpuarray.zeros(40), p, x) end },
  ["multi_put"] = { "p x", "q y", function(p, x) return gpuarray.multi_put({ x }, p, { dest_shape = 40 }) end },
  ["place"] = { "m x", "n y", function(which, x) return gpuarray.place(gpuarray.zeros(40), which, x) end },
  ["putmask"] = { "x m", write_part, function(x, which) return gpuarray.putmask(x, which, { 1, 2, 3 }) end },
  ["a mask to write at"] = { "x m", write_part, function(x, which)
    x[which] = 5
    return x
  end },
  ["a mask to write an array at"] = { "x m y", function(x, which, y_)
    write_part(x, which)
    y_:fill(7)
  end, function(x, which, y_)
    rows(x)[{ head(which), { 1, 5 } }] = y_[{ { 1, 5 } }]
    return x
  end },
}

describe("a finalizer that writes to all operands", function()
  local values

  setup(function()
    gpu.context()
    math.randomseed(os.time())
    local i = gpuarray.arange(40, "int32")
    values = { x = (i * 2):astype "float32":eval(), y = (i * 3 + 100):astype "float32":eval(),
      p = (i % 10 * 4 + 1):astype "int64":eval(), q = (i % 8 * 3 + 2):astype "int64":eval(),
      c = (i % 2 + 1):eval(), d = (i / 3):floor():astype("int32"):mod(2):add(1):eval(),
      m = (i % 3):eq(0):eval(), n = (i % 5):eq(1):eval(), o = (i % 3):eval(), z = (i % 4 * 5):eval() }
  end)

  local names = {}
  for name in pairs(selections) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    it("gives the result of before or of after: " .. name, function()
      local kind = selections[name]
      local function arrays(list)
        local copies = {}
        for word in list:gmatch "%S+" do copies[#copies + 1] = values[word]:copy() end
        for _, x in ipairs(copies) do x:eval() end
        return copies
      end
      -- With the finalizer before the k-th line, or behind the call; 0: before the call.
      local function call(k, replaced)
        local list = arrays(kind[1])
        local waiting = list[replaced] and list[replaced] + 1 -- which reads the old values
        local function write()
          if type(kind[2]) == "function" then return kind[2](unpack(list)) end
          for i, x in ipairs(arrays(kind[2])) do list[i]:set(x) end
        end
        if k == 0 then write() end
        local result, lines, place = reentry.call(function() return kind[3](unpack(list)) end, write,
          k > 0 and k or math.huge)
        if k > 0 and not place then write() end
        return text(result), lines, place, waiting
      end
      for _ = 1, 2 do call(math.huge, 1) end -- what is made once is there
      local before, after = call(math.huge, 0), call(0, 0)
      assert.not_equal(before, after)
      for replaced = 0, 2 do -- none has to get new memory, or one of them
        local _, lines = call(math.huge, replaced)
        local step = math.max(lines / (MOST / 2), 1)
        local k = math.random() * (step - 1) + 1
        while k <= lines do
          local got, _, place = call(math.floor(k), replaced)
          assert(got == before or got == after, ("%s, array %d in new memory: %s, not %s or %s"):format(place, replaced,
            got, before, after))
          k = k + step
        end
      end
    end)
  end
end)

describe("an attempt that is made again", function()
  setup(function() gpu.context() end)

  it("calls a ReductionKernel's allocator once, also if that writes to an array", function()
    local x, other, calls = gpuarray.ones(8):eval(), gpuarray.zeros(4):eval(), 0
    local k = cuda.reduction.ReductionKernel("float32", "0", "a + b", "x[i]", "const float *x")
    local result = k(x, { allocator = function(bytes)
      calls = calls + 1
      other:fill(calls)
      return cuda.mem_alloc(bytes)
    end })
    assert.equal(8, result:item())
    assert.equal(1, calls)
    local fresh = {}
    local function call(place)
      calls = 0
      x:fill(1)
      return reentry.call(function()
        return k(x, { allocator = function(bytes)
          calls = calls + 1
          return cuda.mem_alloc(bytes)
        end })
      end, function() x:fill(3) end, place)
    end
    local _, lines = call(math.huge)
    for place = 1, lines, 3 do
      local got = call(place)
      assert.equal(1, calls)
      fresh[got:item()] = true
    end
    assert.same({ [8] = true, [24] = true }, fresh)
  end)

  it("copies the arguments of a ReductionKernel anew, so that all are of one time", function()
    -- The kernel gets w whole, as a copy, since it is not contiguous; v is read where it lies.
    local k = cuda.reduction.ReductionKernel("float32", "0", "a + b", "v[i] + 100 * w[(int)i + 0]",
      "const float *v, const float *w")
    local base = gpuarray.ones(64):eval()
    local v, w = base[{ { 1, 8 } }], base:reshape(8, 8).T
    local results = {}
    local function call(place)
      base:fill(1)
      return reentry.call(function() return k(v, w) end, function() base:fill(2) end, place)
    end
    local _, lines = call(math.huge)
    for place = 1, lines, 3 do
      local got = call(place)
      results[got:item()] = true
    end
    assert.same({ [808] = true, [1616] = true }, results)
  end)

  it("says for which function a mask cannot be counted again, inside a capture", function()
    local values, other = gpuarray.arange(400, "int32"):eval(), gpuarray.zeros(4):eval()
    local places = mask.places((values % 3):eq(0), "gpuarray.flatnonzero")
    assert.equal(134, places.count)
    for _, f in ipairs { mask.listed, function(p) return mask.selected(p, values._leaf) end } do
      assert.equal(134, f(places)._size)
      other:fill(1) -- what the mask reads might be another one now
      gpu.raises("LogicError", "gpuarray.flatnonzero: inside a capture, the number of elements", function()
        cuda.Stream():capture(function() f(places) end)
      end)
      assert.equal(134, f(places)._size)
    end
  end)

  it("repeats for AGAIN alone, and gives what the attempt returns, nil too", function()
    local calls = 0
    local function attempt(since, value)
      assert.equal("number", type(since))
      calls = calls + 1
      if calls % 2 == 1 then return runs.AGAIN end
      return value, "second"
    end
    assert.same({ 5, "second" }, { runs.until_done(attempt, 5) })
    local first, second = runs.until_done(attempt, nil)
    assert.is_nil(first)
    assert.equal("second", second)
    assert.equal(4, calls)
  end)
end)
