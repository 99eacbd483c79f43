-- cuSPARSE on a GPU against own kernels. Skipped without a GPU, and without the library. Each sweep goes through all of
-- its cases, and its failure lists those that failed.
local cases = require "spec.support.sparse_cases"
local gpu = require "spec.support.gpu"
local host = require "spec.support.sparse_host"
local libraries = require "cudalua.vendor.library"
local vendor = require "spec.support.vendor_cases"
local cuda, gpuarray, linalg, sparse = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.linalg, gpu.cuda.sparse

-- Is there no GPU, or no library? Then the test is skipped.
local function lacks()
  gpu.context()
  if gpu.soft then return pending "needs a GPU" or true end
  for _, name in ipairs { "cublaslt", "cusparse" } do
    local found, why = libraries.open(name)
    if not found then return pending(("needs %s: %s"):format(libraries.rows[name].name, why)) or true end
  end
  return false
end

local function matrix(dtype, seed, rows, columns, n)
  local e = host.elements(seed, rows, columns, n)
  return sparse.csr { data = e.data, rows = e.rows, columns = e.columns, shape = e.shape, dtype = dtype }
end

local function ramp(n, dtype) return (gpuarray.arange(n, "float32") % 5 - 2):astype(dtype or "float32"):eval() end

local function both(f) return vendor.with("own", f), vendor.with("vendor", f) end

local SMALL = { 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100 }
local LARGE = { 1, 33, 129, 500, 1000, 3000 }

describe("cuSPARSE on a GPU", function()
  local before
  before_each(function() before = linalg.backend() end)
  after_each(function() linalg.backend(before) end)

  it("is found, opened and chosen", function()
    if lacks() then return end
    local row = linalg.libraries()[3]
    assert.equal("cuSPARSE", row.name)
    assert.is_truthy(row.version:find "^%d+%.%d+%.%d+$", row.version)
    assert.is_truthy(row.path:find "cusparse", row.path)
    linalg.backend "vendor"
    local m, x = matrix("float32", 1, 50, 40, 300), ramp(40)
    assert.equal(0, gpu.kernels(function() m:matmul(x) end), "own kernels were launched")
    local y = gpuarray.ones({ 40, 3 }):eval()
    assert.equal(0, gpu.kernels(function() m:matmul(y) end), "own kernels were launched")
  end)

  for k, dtype in ipairs { "float32", "float64", "complex64", "complex128", "float16", "bfloat16" } do
    it("multiplies matrices of " .. dtype .. " by vectors and dense matrices as own kernels do", function()
      if lacks() then return end
      linalg.backend "vendor"
      cases.sweep(1000 + k, cases.dense, { dtype }, 120, SMALL, "vendor")
      cases.sweep(1100 + k, cases.dense, { dtype }, 30, LARGE, "vendor")
    end)
  end

  it("multiplies operands of two types as own kernels do", function()
    if lacks() then return end
    linalg.backend "vendor"
    cases.sweep(2000, cases.dense, { "float16", "float32", "float64", "complex64", "complex128" }, 120, SMALL, "vendor")
  end)

  for k, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
    it("multiplies two sparse matrices of " .. dtype .. " as own kernels do, with their elements in order", function()
      if lacks() then return end
      linalg.backend "vendor"
      cases.sweep(3000 + k, cases.sparse, { dtype }, 100, SMALL, "vendor")
      cases.sweep(3100 + k, cases.sparse, { dtype }, 20, LARGE, "vendor")
    end)
  end

  it("multiplies large matrices with long rows and empty ones", function()
    if lacks() then return end
    local n = 20000
    local e = host.elements(5, n, n, 200000, nil, function(f)
      return f(4) == 0 and 77 or f(n / 2) + 1 -- one row has a quarter of the elements, and the last half none
    end)
    local m = sparse.csr { data = e.data, rows = e.rows, columns = e.columns, shape = e.shape, dtype = "float64" }
    local own, other = both(function() return m:matmul(ramp(n, "float64")) end)
    assert.is_true(own:eq(other):all():item())
    local x = (gpuarray.arange(n * 40, "float64") % 7 - 3):reshape(n, 40):eval()
    own, other = both(function() return m:matmul(x) end)
    assert.is_true(own:eq(other):all():item())
    own, other = both(function() return m:matmul(m) end)
    assert.equal(own.nnz, other.nnz)
    assert.is_true(own.indices:eq(other.indices):all():item())
    assert.is_true(own.data:eq(other.data):all():item())
  end)

  it("has the whole last element while the stream still has work to do", function()
    if lacks() then return end
    local large, x, wrong = gpuarray.zeros(2 ^ 26):eval(), ramp(40), 0
    for k = 1, 200 do
      local m = matrix("float32", k, 32, 40, 60 + k)
      local own, other = both(function()
        large:fill(-k)
        return m:matmul(x):eval()
      end)
      if not own:eq(other):all():item() then wrong = wrong + 1 end
    end
    assert.equal(0, wrong)
  end)

  it("gives equal bits for equal products with dense operands", function()
    if lacks() then return end
    linalg.backend "vendor"
    local rng = cuda.random.Generator(3)
    local e = host.elements(6, 5000, 5000, 100000)
    local m = sparse.csr { data = rng:normal({ 100000 }, 0, 1, "float32"), rows = e.rows, columns = e.columns,
      shape = e.shape }
    local x, y = rng:normal({ 5000 }, 0, 1, "float32"):eval(), rng:normal({ 5000, 33 }, 0, 1, "float32"):eval()
    local first, second = m:matmul(x):eval(), m:matmul(y):eval()
    for _ = 1, 20 do
      assert.is_true(first:eq(m:matmul(x)):all():item())
      assert.is_true(second:eq(m:matmul(y)):all():item())
    end
  end)

  it("does not read what was in the memory of the result", function()
    if lacks() then return end
    linalg.backend "vendor"
    local m, x, y = matrix("float32", 7, 3000, 100, 5000), ramp(100), gpuarray.ones({ 100, 8 }):eval()
    for _, f in ipairs { function() return m:matmul(x) end, function() return m:matmul(y) end } do
      local want = vendor.with("own", f)
      for _ = 1, 5 do
        local poison = gpuarray.full(want.shape, 0 / 0, "float32"):eval()
        poison:release() -- the next array of that size is in its memory
        assert.is_true(want:eq(f()):all():item())
      end
    end
  end)

  it("takes positions of 64 bits with dense operands", function()
    if lacks() then return end
    local structures, knob = require "cudalua.sparse.structure", require "spec.support.knob"
    local restore = knob(structures, "SHORT", 4)
    local ok, m = pcall(matrix, "float64", 8, 200, 150, 2000)
    restore()
    assert(ok, m)
    assert.equal(cuda.dtype.int64, m._structure.place)
    local x = gpuarray.ones({ 150, 5 }, "float64"):eval()
    for _, f in ipairs { function() return m:matmul(ramp(150, "float64")) end, function() return m:matmul(x) end } do
      local own, other = both(f)
      assert.is_true(own:eq(other):all():item())
    end
  end)

  it("is kept by a graph, which reads values and vectors anew when it is launched", function()
    if lacks() then return end
    linalg.backend "vendor"
    local s, m, x = cuda.Stream(), matrix("float32", 9, 300, 200, 4000), ramp(200)
    local y, out, product = gpuarray.ones({ 200, 6 }):eval(), gpuarray.zeros(300):eval(),
      gpuarray.zeros({ 300, 6 }):eval()
    local function multiply()
      m:matmul(x, { out = out })
      m:matmul(y, { out = product })
    end
    s:use(multiply)
    s:synchronize()
    local exec = s:capture(multiply):instantiate()
    collectgarbage()
    for round = 1, 3 do
      x:set(ramp(200) * round + 1)
      y:set(gpuarray.full({ 200, 6 }, round))
      m.data:set(m.data + 1)
      cuda.Context.synchronize()
      exec:launch(s)
      s:synchronize()
      for _, pair in ipairs { { x, out }, { y, product } } do
        local want = vendor.with("own", function() return m:matmul(pair[1]) end)
        assert.is_true(want:eq(pair[2]):all():item(), ("launch %d"):format(round))
      end
    end
  end)

  it("goes in the order of streams", function()
    if lacks() then return end
    local s, t = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local m = sparse.eye(100000, { dtype = "float32" })
    linalg.backend "vendor"
    for round = 1, 20 do
      local a = s:use(function() return gpuarray.full(100000, round):eval() end)
      local c = t:use(function() return m:matmul(a) end)
      s:use(function() a:fill(0) end)
      local d = s:use(function() return (c + 1):eval() end)
      s:synchronize()
      assert.equal(round + 1, d[77777])
    end
  end)

  it("solves by iterations, as own kernels do", function()
    if lacks() then return end
    linalg.backend "vendor"
    local n = 500
    local m = sparse.diags({ 4, -1, -1 }, { 0, 1, -1 }, { shape = { n, n }, dtype = "float64" })
    local want = ramp(n, "float64")
    local x, info = sparse.cg(m, m:matmul(want), { rtol = 1e-12 })
    assert.equal(0, info)
    assert.is_true((x - want):abs():max():item() < 1e-9)
  end)

  it("works in a second context, and when the first is current again", function()
    if lacks() then return end
    linalg.backend "vendor"
    local m, x = matrix("float32", 10, 30, 20, 100), ramp(20)
    local want = m:matmul(x):tolist()
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      local k, y = matrix("float32", 10, 30, 20, 100), ramp(20)
      assert.same(want, k:matmul(y):tolist())
      assert.same(want, m:matmul(x):tolist())
    end)
    other:detach()
    assert(ok, tostring(err))
    assert.same(want, m:matmul(x):tolist())
  end)
end)
