-- Factors by Householder's reflections.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local linalg = require "cudalua.linalg"
local own_kernels = require "spec.support.own_kernels"
local residuals = require "spec.support.residuals"

setup(own_kernels.choose)
teardown(own_kernels.restore)

local random, ratio, norm, adjoint, eye = residuals.random, residuals.ratio, residuals.norm, residuals.adjoint,
  residuals.eye

local function check(a, case)
  local m, n = a.shape[1], a.shape[2]
  for _, mode in ipairs { "reduced", "complete" } do
    local q, r = linalg.qr(a, { mode = mode })
    local k = mode == "complete" and m or math.min(m, n)
    assert.same({ m, k, k, n }, { q.shape[1], q.shape[2], r.shape[1], r.shape[2] }, case)
    assert.is_true(ratio(q:matmul(r), a, norm(a)) < 30, case)
    assert.is_true(ratio(adjoint(q):matmul(q), eye(k, a), 1) < 30, case)
    assert.equal(0, gpuarray.tril(r, -1):abs():max():item(), case)
    if mode == "reduced" then assert.is_true(gpuarray.array_equal(r, linalg.qr(a, { mode = "r" })), case) end
  end
end

describe("linalg.qr", function()
  setup(gpu.context)

  it("gives orthonormal columns and a triangle", function()
    for _, t in ipairs(residuals.types) do
      for _, n in ipairs(residuals.sizes) do
        check(random({ n, n }, t, n), ("%s, %d"):format(t, n))
      end
      check(random({ 70, 3 }, t), t .. ", tall")
      check(random({ 3, 70 }, t), t .. ", wide")
      check(random({ 5, 3 }, t).T, t .. ", small and wide")
      check(gpuarray.zeros({ 4, 3 }, t), t .. ", zeros")
      check(gpuarray.zeros({ 70, 3 }, t), t .. ", long zeros")
    end
    check(random({ 4, 3 }, "float64") * 1e200, "large numbers")
    check(random({ 4, 3 }, "float64") * 1e-200, "small numbers")
  end)

  it("takes batches and empty matrices", function()
    for _, shape in ipairs { { 2, 3, 5, 4 }, { 2, 1, 66, 34 } } do
      local a = random(shape, "float32")
      local q, r = linalg.qr(a)
      local one_q, one_r = linalg.qr(a[{ 2, 1 }])
      assert.is_true(gpuarray.array_equal(q[{ 2, 1 }], one_q) and gpuarray.array_equal(r[{ 2, 1 }], one_r))
    end
    local q, r = linalg.qr(gpuarray.zeros { 3, 0 })
    assert.same({ 3, 0, 0, 0 }, { q.shape[1], q.shape[2], r.shape[1], r.shape[2] })
    q = linalg.qr(gpuarray.zeros { 3, 0 }, { mode = "complete" })
    assert.is_true(gpuarray.array_equal(q, gpuarray.eye(3)))
  end)

  it("gives NaN for NaN, and refuses what it cannot factorise", function()
    local _, r = linalg.qr(gpuarray.full({ 3, 3 }, 0 / 0, "float32"))
    assert.is_true(r[{ 1, 1 }]:isnan():item())
    gpu.raises("LogicError", "mode must be 'reduced', 'complete' or 'r', got 'full'", linalg.qr, gpuarray.eye(2),
      { mode = "full" })
    gpu.raises("LogicError", "expected a matrix", linalg.qr, gpuarray.zeros(3))
    gpu.raises("LogicError", "bfloat16 is not precise enough", linalg.qr, gpuarray.zeros({ 2, 2 }, "bfloat16"))
  end)
end)
