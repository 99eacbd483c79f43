-- Singular values and eigenvalues by Jacobi's rotations.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local linalg = require "cudalua.linalg"
local own_kernels = require "spec.support.own_kernels"
local residuals = require "spec.support.residuals"
local turn = require "spec.support.turn"
local cuda = gpu.cuda

setup(own_kernels.choose)
teardown(own_kernels.restore)

local random, ratio, norm, adjoint, eye = residuals.random, residuals.ratio, residuals.norm, residuals.adjoint,
  residuals.eye
local NAN, INF = 0 / 0, math.huge

local function ordered(s, descending)
  for i = 2, s.size do
    if descending and s[i] > s[i - 1] or not descending and s[i] < s[i - 1] then return false end
  end
  return true
end

local function check_svd(a, case)
  local m, n = a.shape[1], a.shape[2]
  local k = math.min(m, n)
  local u, s, vh = linalg.svd(a, { full_matrices = false })
  assert.same({ m, k, k, n }, { u.shape[1], u.shape[2], vh.shape[1], vh.shape[2] }, case)
  assert.is_true(ratio((u * s):matmul(vh), a, norm(a)) < 30, case)
  assert.is_true(ratio(adjoint(u):matmul(u), eye(k, a), 1) < 30, case)
  assert.is_true(ratio(vh:matmul(adjoint(vh)), eye(k, a), 1) < 30, case)
  assert.is_true(ordered(s, true) and s[k] >= 0, case)
  assert.is_true(ratio(s, linalg.svdvals(a), s[1]) < 30, case)
  u, s, vh = linalg.svd(a)
  assert.same({ m, m, k, n, n }, { u.shape[1], u.shape[2], s.shape[1], vh.shape[1], vh.shape[2] }, case)
  assert.is_true(ratio(adjoint(u):matmul(u), eye(m, a), 1) < 30, case)
  assert.is_true(ratio((u[{ {}, { 1, k } }] * s):matmul(vh[{ { 1, k }, {} }]), a, norm(a)) < 30, case)
  assert.is_true(ratio(vh:matmul(adjoint(vh)), eye(n, a), 1) < 30, case)
end

describe("linalg.svd and linalg.svdvals", function()
  local it = turn.tests(it) -- luacheck: ignore 431
  setup(gpu.context)

  it("take matrices of all sizes apart", function()
    for _, t in ipairs(residuals.types) do
      for _, n in ipairs(residuals.sizes) do check_svd(random({ n, n }, t, n), ("%s, %d"):format(t, n)) end
      check_svd(random({ 40, 5 }, t), t .. ", tall")
      check_svd(random({ 5, 40 }, t).T:copy().T, t .. ", wide")
      check_svd(gpuarray.zeros({ 4, 3 }, t), t .. ", zeros")
      check_svd(gpuarray.ones({ 6, 6 }, t), t .. ", of rank 1")
    end
    check_svd(random({ 4, 4 }, "float64") * 1e250, "large numbers")
    check_svd(random({ 4, 4 }, "float64") * 1e-250, "small numbers")
  end)

  it("converge for graded and nearly singular matrices", function()
    for _, t in ipairs { "float32", "float64" } do
      local i = gpuarray.arange(1, 41, nil, t)
      local graded = random({ 40, 40 }, t) * gpuarray.exp2(-i * 2)
      for case, a in pairs { hilbert = 1 / (i:reshape(40, 1) + i - 1), graded = graded, turned = graded.T } do
        check_svd(a, case .. " " .. t)
      end
    end
  end)

  it("find small values to all their digits", function()
    local q = linalg.qr(random({ 12, 12 }, "float64"))
    local d = gpuarray.from_function({ 12 }, function(i) return 10 ^ (1 - i) end, { dtype = "float64" })
    local s = linalg.svdvals(q * d)
    assert.is_true(((s - d) / d):abs():max():item() < 1e-13)
  end)

  it("take batches and empty matrices", function()
    local a = random({ 2, 3, 4, 6 }, "float32")
    local u, s, vh = linalg.svd(a)
    local one_u, one_s, one_vh = linalg.svd(a[{ 2, 3 }])
    assert.is_true(gpuarray.array_equal(u[{ 2, 3 }], one_u) and gpuarray.array_equal(s[{ 2, 3 }], one_s) and
      gpuarray.array_equal(vh[{ 2, 3 }], one_vh))
    u, s, vh = linalg.svd(gpuarray.zeros { 3, 0 })
    assert.same({ 3, 3, 0, 0, 0 }, { u.shape[1], u.shape[2], s.size, vh.shape[1], vh.shape[2] })
    u, s, vh = linalg.svd(gpuarray.zeros { 0, 3, 5 }, { full_matrices = false })
    assert.same({ 0, 3, 3, 0, 3, 0, 3, 5 }, { u.shape[1], u.shape[2], u.shape[3], s.shape[1], s.shape[2], vh.shape[1],
      vh.shape[2], vh.shape[3] })
    local out = gpuarray.zeros({ 2, 3, 4 }, "float32")
    assert.equal(out, linalg.svdvals(a, { out = out, stream = cuda.Stream() }))
    assert.is_true(ratio(out, linalg.svdvals(a), 1) < 30)
  end)

  it("are captured, with as many sweeps as it may take", function()
    for _, n in ipairs { 5, 50 } do
      local a = random({ n, n }, "float64")
      local f = function() return linalg.svdvals(a) end
      assert.is_true(gpuarray.array_equal(cuda.graph(f)(), linalg.svdvals(a)))
    end
  end)

  it("give NaN for NaN and infinities, and refuse other arrays", function()
    for _, bad in ipairs { NAN, INF } do
      for _, n in ipairs { 3, 65 } do
        local a = random({ n, n }, "float32"):copy()
        a[{ 2, 1 }] = bad
        local u, s, vh = linalg.svd(a)
        assert.is_true(u:isnan():all():item() and s:isnan():all():item() and vh:isnan():all():item())
      end
    end
    gpu.raises("LogicError", "linalg.svd: the array has the shape (3,); expected a matrix", linalg.svd,
      gpuarray.zeros(3))
    gpu.raises("LogicError", "full_matrices must be true or false", linalg.svd, gpuarray.eye(2), { full_matrices = 1 })
    gpu.raises("LogicError", "linalg.svdvals: float16 is not precise enough", linalg.svdvals,
      gpuarray.zeros({ 2, 2 }, "float16"))
  end)
end)

describe("Jacobi's rotations", function()
  setup(gpu.context)

  -- Cosines that are rounded to 1 made each column some 100 units longer here.
  it("keep the lengths of columns, however many there are", function()
    local n, most = 96, { float32 = 12, float64 = 12, complex64 = 60, complex128 = 60 }
    for _, t in ipairs(residuals.types) do
      local a = random({ n, n }, t, 7)
      local _, s, vh = linalg.svd(a)
      local _, v = linalg.eigh(a + adjoint(a))
      for name, x in pairs { svd = vh, eigh = adjoint(v) } do
        local squares = (x:abs():astype "float64" ^ 2):sum(2)
        local off = (squares - 1):abs():max():item() / gpuarray.finfo(t).eps
        assert.is_true(off <= most[t], ("%s of %s: %.0f units"):format(name, t, off))
      end
      local size = (a:abs():astype "float64" ^ 2):sum():item()
      local off = math.abs((s:astype "float64" ^ 2):sum():item() / size - 1) / gpuarray.finfo(t).eps
      assert.is_true(off <= 12, ("values of %s: %.0f units"):format(t, off))
    end
  end)
end)

describe("linalg.eigh and linalg.eigvalsh", function()
  local it = turn.tests(it) -- luacheck: ignore 431
  setup(gpu.context)

  local function check(a, case)
    local n = a.shape[1]
    local w, v = linalg.eigh(gpuarray.tril(a))
    assert.is_true(ratio(a:matmul(v), v * w, norm(a)) < 30, case)
    assert.is_true(ratio(adjoint(v):matmul(v), eye(n, a), 1) < 30, case)
    assert.is_true(ordered(w), case)
    assert.is_true(ratio(w, linalg.eigvalsh(gpuarray.triu(a), { upper = true }), norm(a)) < 30, case)
  end

  it("find values and orthonormal vectors", function()
    for _, t in ipairs(residuals.types) do
      for _, n in ipairs(residuals.sizes) do
        local a = random({ n, n }, t, n)
        check(a + adjoint(a), ("%s, %d"):format(t, n))
      end
      check(gpuarray.zeros({ 3, 3 }, t), t .. ", zeros")
      check(gpuarray.ones({ 70, 70 }, t), t .. ", of rank 1")
      check(gpuarray.eye(65, nil, nil, t)[{ { -1, 1, -1 }, {} }], t .. ", pairs of equal values")
    end
    local w, v = linalg.eigh(gpuarray.to_gpu({ { 2, 1 }, { 1, 2 } }, "float64"))
    assert.is_true((w - gpuarray.to_gpu({ 1, 3 }, "float64")):abs():max():item() < 1e-15)
    assert.is_true(v[{ 1, 1 }]:item() > 0 and v[{ 2, 1 }]:item() < 0 and v[{ 1, 2 }]:item() > 0)
  end)

  it("are captured", function()
    local a = random({ 6, 6 }, "float64")
    local f = function() return (select(2, linalg.eigh(a))) end
    local _, v = linalg.eigh(a)
    assert.is_true(gpuarray.array_equal(cuda.graph(f)(), v))
  end)

  it("take batches and empty matrices, and give NaN for NaN", function()
    local a = random({ 3, 5, 5 }, "complex64")
    local w, v = linalg.eigh(a)
    local one_w, one_v = linalg.eigh(a[3])
    assert.is_true(gpuarray.array_equal(w[3], one_w) and gpuarray.array_equal(v[3], one_v))
    w, v = linalg.eigh(gpuarray.zeros { 0, 0 })
    assert.equal(0, w.size + v.size)
    for _, bad in ipairs { NAN, INF } do
      w, v = linalg.eigh(gpuarray.full({ 3, 3 }, bad, "float64"))
      assert.is_true(w:isnan():all():item() and v:isnan():all():item())
    end
    gpu.raises("LogicError", "linalg.eigh: the array has the shape (2, 3); expected square matrices", linalg.eigh,
      gpuarray.zeros { 2, 3 })
    gpu.raises("LogicError", "linalg.eigvalsh: upper must be true or false", linalg.eigvalsh, gpuarray.eye(2),
      { upper = "x" })
  end)
end)
