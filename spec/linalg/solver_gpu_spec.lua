-- cuSOLVER on a GPU: how well its factors fit, and what own kernels raise. Skipped without a GPU, and without the
-- library. Each sweep goes through all of its cases, and its failure lists those that failed.
local cases = require "spec.support.solver_cases"
local gpu = require "spec.support.gpu"
local libraries = require "cudalua.vendor.library"
local own_kernels = require "spec.support.own_kernels"
local residuals = require "spec.support.residuals"
local cuda, gpuarray, linalg = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.linalg

setup(own_kernels.choose)
teardown(own_kernels.restore)

-- Is there no GPU, or no library? Then the test is skipped.
local function lacks()
  gpu.context()
  if gpu.soft then return pending "needs a GPU" or true end
  for _, name in ipairs { "cublaslt", "cusolver" } do
    local found, why = libraries.open(name)
    if not found then return pending(("needs %s: %s"):format(name, why)) or true end
  end
  return false
end

local EXTENTS = { 0, 1, 2, 3, 5, 7, 16, 31, 32, 33, 64, 65, 100, 129, 257 }
local NAN, INF = 0 / 0, math.huge
local DTYPES = { "float32", "float64", "complex64", "complex128" }

local function random(shape, dtype, seed) return cases.numbers(cuda.random.Generator(seed or 1), shape, dtype) end

local function positive(n, dtype, seed)
  local a = random({ n, n }, dtype, seed)
  return (a:matmul(residuals.adjoint(a)) + residuals.eye(n, a)):eval()
end

-- What f(...) raises under a backend.
local function failure(backend, f, ...)
  local ok, err = pcall(cases.with, backend, f, ...)
  assert.is_false(ok, backend .. " raised nothing")
  return tostring(err)
end

local function assert_fits(list) assert.equal("", table.concat(list, "\n")) end

describe("cuSOLVER on a GPU", function()
  local before
  before_each(function() before = linalg.backend() end)
  after_each(function() linalg.backend(before) end)

  it("is found, opened and chosen, with linalg.backend and linalg.libraries", function()
    if lacks() then return end
    local row = linalg.libraries()[2]
    assert.equal("cuSOLVER", row.name)
    assert.is_truthy(row.version:find "^%d+%.%d+%.%d+$", row.version)
    assert.is_truthy(row.path:find "cusolver", row.path)
    assert.equal("vendor", linalg.backend "vendor")
    assert.equal(8, math.floor(linalg.det(gpuarray.eye(100, nil, nil, "float64") * 8 ^ (1 / 100)):item() + 0.5))
  end)

  for k, dtype in ipairs(DTYPES) do
    it("gives factors of " .. dtype .. " that fit, however matrices lie in memory", function()
      if lacks() then return end
      cases.sweep(5000 + k, dtype, 32, EXTENTS)
    end)
  end

  it("gives factors of large matrices that fit", function()
    if lacks() then return end
    local failures = {}
    for _, dtype in ipairs { "float32", "complex128" } do
      for _, case in ipairs { { "lu", 1000, 1000 }, { "qr", 1500, 400 }, { "qr", 300, 900 }, { "svd", 700, 300 },
        { "eigh", 500, 500 }, { "solve", 1000, 1000 }, { "cholesky", 1000, 1000 } } do
        local what, m, n = unpack(case)
        local ok, text = pcall(cases.one, what, random({ m, n }, dtype))
        if not ok or text ~= "" then
          failures[#failures + 1] = ("%s of %d x %d of %s: %s"):format(what, m, n, dtype, tostring(text))
        end
      end
    end
    assert_fits(failures)
  end)

  it("gives factors of Hilbert's matrices, and inverses as good as their condition allows", function()
    if lacks() then return end
    local failures = {}
    for _, dtype in ipairs { "float32", "float64" } do
      for _, n in ipairs { 3, 8, 40 } do
        local i = gpuarray.arange(1, n + 1, nil, dtype)
        local a = (1 / (i:reshape(n, 1) + i - 1)):eval()
        for _, what in ipairs { "lu", "qr", "svd", "eigh" } do
          local text = cases.one(what, a)
          if text ~= "" then failures[#failures + 1] = ("%s of %d of %s: %s"):format(what, n, dtype, text) end
        end
        local b = a:sum(-1):expand_dims(-1):eval()
        local x = cases.with("vendor", linalg.solve, a, b)
        local off = residuals.ratio(a:matmul(x), b, residuals.norm(a) * residuals.norm(x))
        if off >= 30 or off ~= off then
          failures[#failures + 1] = ("solve of %d of %s: off by %g"):format(n, dtype, off)
        end
      end
    end
    assert_fits(failures)
  end)

  it("gives factors of matrices whose squares overflow or vanish", function()
    if lacks() then return end
    local failures = {}
    for _, factor in ipairs { 1e200, 1e-200 } do
      for _, shape in ipairs { { 4, 3 }, { 100, 70 } } do
        for _, what in ipairs { "lu", "qr", "svd" } do
          local text = cases.one(what, (random(shape, "float64") * factor):eval())
          if text ~= "" then
            failures[#failures + 1] = ("%s of %d x %d times %g: %s"):format(what, shape[1], shape[2], factor, text)
          end
        end
      end
    end
    assert_fits(failures)
  end)

  it("raises what own kernels raise of singular and indefinite matrices", function()
    if lacks() then return end
    for _, dtype in ipairs(DTYPES) do
      local singular = gpuarray.to_gpu({ { 1, 2, 3 }, { 2, 4, 6 }, { 1, 0, 1 } }, dtype)
      local batch = gpuarray.stack { gpuarray.eye(3, nil, nil, dtype), singular }
      local ones, indefinite = gpuarray.ones(3, dtype), gpuarray.eye(70, nil, nil, dtype):copy()
      indefinite[{ 40, 40 }] = -1
      for _, call in ipairs { { linalg.solve, singular, ones }, { linalg.solve, batch, ones }, { linalg.inv, batch },
        { linalg.inv, gpuarray.zeros({ 80, 80 }, dtype) }, { linalg.cholesky, indefinite },
        { linalg.cholesky, gpuarray.stack { gpuarray.eye(70, nil, nil, dtype), indefinite } } } do
        assert.equal(failure("own", unpack(call)), failure("vendor", unpack(call)))
      end
      local x = cases.with("vendor", linalg.solve, batch, ones, { check = false })
      assert.is_true(x[1]:isfinite():all():item() and x[2]:isnan():all():item())
      assert.equal(0, cases.with("vendor", linalg.det, batch)[{ { 2, 2 } }]:abs():item())
      assert.equal(INF, cases.with("vendor", linalg.cond, gpuarray.zeros({ 3, 3 }, dtype)):item())
    end
  end)

  it("gives NaN for NaN and infinities, and leaves other matrices of the batch alone", function()
    if lacks() then return end
    for _, n in ipairs { 4, 70 } do
      for _, bad in ipairs { NAN, INF } do
        local a = gpuarray.stack { positive(n, "float64"), positive(n, "float64") }
        a[{ 1, 3, 2 }] = bad
        for name, f in pairs { cholesky = linalg.cholesky, lu = linalg.lu, inv = linalg.inv, eigh = linalg.eigh,
          svd = linalg.svd } do
          local results = { cases.with("vendor", f, a) }
          local x = results[#results]
          assert.is_true(x[1]:isnan():any():item(), name)
          assert.is_true(x[2]:isfinite():all():item(), name)
        end
      end
    end
  end)

  it("is kept by a graph, where it need not wait, and refused where it has to", function()
    if lacks() then return end
    for _, n in ipairs { 5, 100 } do
      local a, b, s = positive(n, "float64"), random({ n, 2 }, "float64", 2), cuda.Stream()
      for name, f in pairs { solve = function() return linalg.solve(a, b, { check = false }) end,
        cholesky = function() return linalg.cholesky(a, { check = false }) end,
        qr = function() return (linalg.qr(a)) end } do
        linalg.backend "vendor"
        local out = gpuarray.zeros(f().shape, "float64"):eval()
        local function call() out:set(f()) end
        s:use(call)
        s:synchronize()
        local exec = s:capture(call):instantiate()
        for round = 1, 2 do
          a:set(positive(n, "float64", round + 2))
          cuda.Context.synchronize()
          exec:launch(s)
          s:synchronize()
          local want = cases.with("own", f)
          local apart = (want - out):abs():max():item() / want:abs():max():item()
          assert.is_true(apart < 1e-9, ("%s of %d, launch %d: apart by %g"):format(name, n, round, apart))
        end
      end
      for _, f in ipairs { linalg.svdvals, linalg.eigvalsh } do
        gpu.raises("LogicError", "inside a capture, where it would have to wait for the device", s.capture, s,
          function() return f(a) end)
      end
    end
  end)

  it("goes in the order of streams", function()
    if lacks() then return end
    local s, t = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    linalg.backend "vendor"
    for round = 1, 20 do
      local a = s:use(function() return (gpuarray.eye(300, nil, nil, "float64") * round):eval() end)
      local x = t:use(function() return linalg.inv(a, { check = false }) end)
      s:use(function() a:fill(0) end)
      local y = s:use(function() return (x + 1):eval() end)
      s:synchronize()
      local got = y[{ 299, 299 }]:item()
      assert.is_true(math.abs(got - 1 / round - 1) < 1e-12, ("round %d: %s"):format(round, tostring(got)))
    end
  end)

  it("works in a second context, and when the first is current again", function()
    if lacks() then return end
    linalg.backend "vendor"
    local a = positive(40, "float64")
    assert.is_true(gpuarray.allclose(a:matmul(linalg.inv(a)), gpuarray.eye(40)))
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      local b = positive(40, "float64")
      assert.is_true(gpuarray.allclose(b:matmul(linalg.inv(b)), gpuarray.eye(40)))
      assert.equal(40, linalg.svdvals(a).size)
      b:release()
    end)
    other:detach()
    assert(ok, tostring(err))
    assert.equal(40, linalg.eigvalsh(a).size)
  end)
end)
