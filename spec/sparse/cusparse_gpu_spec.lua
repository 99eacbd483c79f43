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

-- A dense matrix of so many columns; default: 2, as cuSPARSE is not asked for products with one.
local function dense(n, dtype, columns) return ramp(n * (columns or 2), dtype):reshape(n, columns or 2):eval() end

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
    local m, x = matrix("float32", 1, 50, 40, 300), dense(40)
    assert.equal(0, gpu.kernels(function() m:matmul(x) end), "own kernels were launched")
    for _, y in ipairs { ramp(40), dense(40, "float32", 1) } do
      gpu.raises("LogicError", "cuSPARSE does not have reliable products with a single column", m.matmul, m, y)
    end
  end)

  for k, dtype in ipairs { "float32", "float64", "complex64", "complex128", "float16", "bfloat16" } do
    it("multiplies matrices of " .. dtype .. " by dense matrices as own kernels do", function()
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
    local x = (gpuarray.arange(n * 40, "float64") % 7 - 3):reshape(n, 40):eval()
    local own, other = both(function() return m:matmul(x) end)
    assert.is_true(own:eq(other):all():item())
    own, other = both(function() return m:matmul(m) end)
    assert.equal(own.nnz, other.nnz)
    assert.is_true(own.indices:eq(other.indices):all():item())
    assert.is_true(own.data:eq(other.data):all():item())
  end)

  -- Its kernel for a single column reads shared memory that it has not written (lua/cudalua/sparse/cusparse.lua).
  it("multiplies correctly behind a kernel that left the number of elements in shared memory", function()
    if lacks() then return end
    local bytes = 200000 -- so one block runs on a multiprocessor
    local leave = cuda.SourceModule([[
      extern "C" __global__ void leave(int value, int words, int *out) {
        extern __shared__ volatile int shared[];
        for (int i = threadIdx.x; i < words; i += blockDim.x) shared[i] = value;
        __syncthreads();
        if (shared[words - 1 - threadIdx.x] != value) *out = 1;
      }]]):get_function "leave"
    leave:set_attribute(cuda.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)
    local out, blocks = gpuarray.zeros(1, "int32"):eval(), 4 * cuda.Device(0).multiprocessor_count
    for _, rows in ipairs { 31, 32, 33, 64 } do
      for k = 1, 4 do
        local m = matrix("float32", k, rows, 40, rows + 30 * k)
        for _, columns in ipairs { 2, 3, 8 } do
          local x = dense(40, "float32", columns)
          local own, other = both(function()
            leave(m.nnz, bytes / 4, out, { grid = blocks, block = 512, shared = bytes })
            return m:matmul(x):eval()
          end)
          assert.is_true(own:eq(other):all():item(), ("%d rows, %d columns"):format(rows, columns))
        end
      end
    end
    assert.equal(0, out:item())
  end)

  it("gives equal bits for equal products with dense operands", function()
    if lacks() then return end
    linalg.backend "vendor"
    local rng = cuda.random.Generator(3)
    local e = host.elements(6, 5000, 5000, 100000)
    local m = sparse.csr { data = rng:normal({ 100000 }, 0, 1, "float32"), rows = e.rows, columns = e.columns,
      shape = e.shape }
    local x, y = rng:normal({ 5000, 2 }, 0, 1, "float32"):eval(), rng:normal({ 5000, 33 }, 0, 1, "float32"):eval()
    local first, second = m:matmul(x):eval(), m:matmul(y):eval()
    for _ = 1, 20 do
      assert.is_true(first:eq(m:matmul(x)):all():item())
      assert.is_true(second:eq(m:matmul(y)):all():item())
    end
  end)

  it("does not read what was in the memory of the result", function()
    if lacks() then return end
    linalg.backend "vendor"
    local m, x, y = matrix("float32", 7, 3000, 100, 5000), dense(100), gpuarray.ones({ 100, 8 }):eval()
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
    for _, f in ipairs { function() return m:matmul(dense(150, "float64")) end, function() return m:matmul(x) end } do
      local own, other = both(f)
      assert.is_true(own:eq(other):all():item())
    end
  end)

  it("is kept by a graph, which reads values and dense operands anew when it is launched", function()
    if lacks() then return end
    linalg.backend "vendor"
    local s, m, x = cuda.Stream(), matrix("float32", 9, 300, 200, 4000), dense(200)
    local y, out, product = gpuarray.ones({ 200, 6 }):eval(), gpuarray.zeros({ 300, 2 }):eval(),
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
      x:set(dense(200) * round + 1)
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
      local a = s:use(function() return gpuarray.full({ 100000, 2 }, round):eval() end)
      local c = t:use(function() return m:matmul(a) end)
      s:use(function() a:fill(0) end)
      local d = s:use(function() return (c + 1):eval() end)
      s:synchronize()
      assert.equal(round + 1, d[{ 77777, 2 }]:item())
    end
  end)

  it("works in a second context, and when the first is current again", function()
    if lacks() then return end
    linalg.backend "vendor"
    local m, x = matrix("float32", 10, 30, 20, 100), dense(20)
    local want = m:matmul(x):tolist()
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      local k, y = matrix("float32", 10, 30, 20, 100), dense(20)
      assert.same(want, k:matmul(y):tolist())
      assert.same(want, m:matmul(x):tolist())
    end)
    other:detach()
    assert(ok, tostring(err))
    assert.same(want, m:matmul(x):tolist())
  end)
end)
