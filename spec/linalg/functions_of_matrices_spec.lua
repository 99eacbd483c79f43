-- Least squares, pseudoinverses, ranks, norms, condition numbers, exponentials.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local linalg = require "cudalua.linalg"
local reentry = require "spec.support.reentry"
local own_kernels = require "spec.support.own_kernels"
local residuals = require "spec.support.residuals"

setup(own_kernels.choose)
teardown(own_kernels.restore)

local random, ratio, norm, adjoint, eye = residuals.random, residuals.ratio, residuals.norm, residuals.adjoint,
  residuals.eye
local NAN, INF = 0 / 0, math.huge

local function close(x, y, bound) return math.abs(x - y) <= (bound or 1e-12) * math.max(1, math.abs(y)) end

local deficient = { { 1, 2 }, { 2, 4 }, { 3, 6 } } -- of rank 1, with the singular value sqrt(70)

describe("linalg.lstsq", function()
  setup(gpu.context)

  it("finds an x whose residual is orthogonal to the columns", function()
    for _, t in ipairs(residuals.types) do
      for _, shape in ipairs { { 1, 1 }, { 5, 3 }, { 3, 5 }, { 33, 33 }, { 70, 20 } } do
        local a, b = random(shape, t), random({ shape[1], 2 }, t, 2)
        local x, squares, rank, s = linalg.lstsq(a, b)
        local rest = b - a:matmul(x)
        local case = ("%s, %d x %d"):format(t, shape[1], shape[2])
        assert.is_true(ratio(adjoint(a):matmul(rest), gpuarray.zeros({ shape[2], 2 }, t),
          norm(adjoint(a)) * (norm(b) + norm(a) * norm(x))) < 30, case)
        assert.equal(math.min(shape[1], shape[2]), tonumber(rank:item()), case)
        assert.is_true(gpuarray.array_equal(s, linalg.svd(a, { full_matrices = false }) and
          select(2, linalg.svd(a, { full_matrices = false }))), case)
        local want = (rest:abs() ^ 2):sum(1)
        assert.is_true(gpuarray.allclose(squares, want, { rtol = 1e-3, atol = 1e-9 }), case)
      end
    end
  end)

  it("takes the least x of a matrix of less rank, vectors and batches", function()
    local a = gpuarray.to_gpu(deficient, "float64")
    local x, squares, rank = linalg.lstsq(a, gpuarray.to_gpu({ 5, 10, 15 }, "float64"))
    assert.is_true(close(x[1], 1) and close(x[2], 2))
    assert.is_true(close(squares:item(), 0, 1e-20) and tonumber(rank:item()) == 1)
    local both = linalg.lstsq(gpuarray.stack { a, a * 2 }, gpuarray.ones({ 3, 1 }, "float64"))
    assert.same({ 2, 2, 1 }, { unpack(both.shape) })
    local _, _, none = linalg.lstsq(a, gpuarray.ones(3, "float64"), { rcond = 2 })
    assert.equal(0, tonumber(none:item()))
    local bad = linalg.lstsq(gpuarray.full({ 3, 2 }, NAN, "float64"), gpuarray.ones(3, "float64"))
    assert.is_true(bad:isnan():all():item())
  end)

  it("refuses what does not fit", function()
    local a = gpuarray.zeros { 3, 2 }
    gpu.raises("LogicError", "linalg.lstsq: shapes (3, 2) and (2,) do not match: a has 3 rows", linalg.lstsq, a,
      gpuarray.zeros(2))
    gpu.raises("LogicError", "rcond must be a non-negative number, got -1", linalg.lstsq, a, gpuarray.zeros(3),
      { rcond = -1 })
    gpu.raises("LogicError", "linalg.lstsq: a has the shape (3,)", linalg.lstsq, gpuarray.zeros(3), gpuarray.zeros(3))
  end)
end)

describe("linalg.pinv and linalg.matrix_rank", function()
  setup(gpu.context)

  it("fulfil Penrose's equations", function()
    for _, t in ipairs(residuals.types) do
      for _, shape in ipairs { { 4, 3 }, { 3, 40 }, { 33, 33 } } do
        local a = random(shape, t)
        local x = linalg.pinv(a)
        assert.is_true(ratio(a:matmul(x):matmul(a), a, norm(a) ^ 2 * norm(x)) < 30)
        local ax = a:matmul(x)
        assert.is_true(ratio(adjoint(ax), ax, norm(a) * norm(x)) < 30)
        assert.equal(math.min(shape[1], shape[2]), tonumber(linalg.matrix_rank(a):item()))
      end
    end
    local a = gpuarray.to_gpu(deficient, "float64")
    assert.is_true(ratio(linalg.pinv(a), a.T / 70, 1) < 30)
    local batch = gpuarray.stack { a, a * 0, gpuarray.to_gpu({ { 1, 0 }, { 0, 1 }, { 0, 0 } }, "float64") }
    local ranks = linalg.matrix_rank(batch)
    assert.same({ 1, 0, 2 }, { tonumber(ranks[1]), tonumber(ranks[2]), tonumber(ranks[3]) })
    assert.same({ 0, 3 }, { unpack(linalg.pinv(gpuarray.zeros { 3, 0 }).shape) })
    gpu.raises("LogicError", "linalg.pinv: the array has the shape (3,)", linalg.pinv, gpuarray.zeros(3))
    gpu.raises("LogicError", "linalg.matrix_rank: rcond must be", linalg.matrix_rank, a, { rcond = "x" })
  end)
end)

describe("linalg.norm and linalg.cond", function()
  setup(gpu.context)

  it("measure matrices", function()
    local a = gpuarray.to_gpu({ { 3, -4 }, { 0, 5 } }, "float64")
    assert.is_true(close(linalg.norm(a):item(), math.sqrt(50)))
    local want = { fro = math.sqrt(50), nuc = math.sqrt(50 + 2 * 15), [1] = 9, [-1] = 3, [INF] = 7, inf = 7,
      [-INF] = 5, [2] = math.sqrt(45), [-2] = math.sqrt(5) }
    for ord, value in pairs(want) do
      assert.is_true(close(linalg.norm(a, { ord = ord }):item(), value), tostring(ord))
      local both = linalg.norm(gpuarray.stack { a, a * 2 }, { ord = ord })
      assert.is_true(close(both[2], 2 * value), tostring(ord))
    end
    assert.equal(7, linalg.norm(gpuarray.to_gpu({ 3, -4 }, "float64"), { ord = 1 }):item())
    assert.is_true(close(linalg.cond(a):item(), 3) and close(linalg.cond(a, { ord = -2 }):item(), 1 / 3))
    assert.is_true(close(linalg.cond(a, { ord = 1 }):item(), 9 * 7 / 15))
    assert.equal(INF, linalg.cond(gpuarray.zeros({ 2, 2 }, "float64")):item())
    assert.equal(INF, linalg.cond(gpuarray.ones({ 2, 2 }, "float64"), { ord = INF }):item())
    assert.is_true(linalg.cond(gpuarray.full({ 2, 2 }, NAN, "float64")):isnan():item())
  end)

  it("refuse other orders and shapes", function()
    local a = gpuarray.zeros { 2, 3 }
    gpu.raises("LogicError", "linalg.norm: ord of matrices must be 'fro', 'nuc', 1, -1, 2, -2", linalg.norm, a,
      { ord = 3 })
    gpu.raises("LogicError", "linalg.norm: ord of a vector must be a number", linalg.norm, gpuarray.zeros(2),
      { ord = "fro" })
    gpu.raises("LogicError", "linalg.cond: the array has the shape (2, 3); expected square", linalg.cond, a,
      { ord = 1 })
    gpu.raises("LogicError", "empty matrices have no condition number", linalg.cond, gpuarray.zeros { 0, 2 })
  end)
end)

describe("linalg.solve, linalg.solve_triangular, linalg.lstsq, linalg.cond and linalg.svd", function()
  setup(gpu.context)

  it("are of the values before or after a finalizer that writes to all operands, wherever that comes", function()
    local function operands(seed)
      local a = random({ 4, 4 }, "float64", seed)
      return { (a:matmul(a.T) + eye(4, a) * seed):eval(), random({ 4, 2 }, "float64", seed + 5):copy() }
    end
    local first, second, flips = operands(1), operands(3), 0
    local a, b = first[1]:copy(), first[2]:copy()
    local function write()
      flips = flips + 1
      local from = flips % 2 == 0 and first or second
      a:set(from[1])
      b:set(from[2])
    end
    for name, f in pairs {
      solve = function() return linalg.solve(a, b) end, lstsq = function() return (linalg.lstsq(a, b)) end,
      solve_triangular = function() return linalg.solve_triangular(a, b) end, svdvals = function()
        return linalg.svdvals(a)
      end, cond = function() return linalg.cond(a) end, cond_1 = function() return linalg.cond(a, { ord = 1 }) end,
    } do
      local wants = {}
      for _ = 1, 2 do
        write()
        wants[tostring(f())] = true
      end
      local wrong = reentry.sweep(f, write, gpu.sanitized and 6 or 60, function(x)
        assert.is_true(wants[tostring(x)], name .. ": " .. tostring(x))
        return ""
      end)
      assert.is_nil(wrong)
    end
  end)
end)

describe("linalg.expm", function()
  setup(gpu.context)

  it("agrees with known exponentials of all degrees", function()
    for _, t in ipairs { "float32", "float64" } do
      local bound = t == "float32" and 1e-5 or 1e-13
      for _, angle in ipairs { 0.01, 0.2, 0.7, 1.5, 4, 20 } do
        local x = linalg.expm(gpuarray.to_gpu({ { 0, -angle }, { angle, 0 } }, t))
        local want = gpuarray.to_gpu({ { math.cos(angle), -math.sin(angle) }, { math.sin(angle), math.cos(angle) } }, t)
        assert.is_true((x - want):abs():max():item() < bound * math.max(1, angle), ("%s %g"):format(t, angle))
      end
    end
    local nilpotent = linalg.expm(gpuarray.to_gpu({ { 0, 6 }, { 0, 0 } }, "float64"))
    assert.is_true(ratio(nilpotent, gpuarray.to_gpu({ { 1, 6 }, { 0, 1 } }, "float64"), 6) < 30)
  end)

  it("turns sums of one matrix into products, in batches of different sizes", function()
    local a = random({ 3, 35, 35 }, "complex128") * 0.2
    local x = linalg.expm(gpuarray.stack { a[1], a[1] * 2, a[2] * 0, a[3] * NAN })
    assert.is_true(ratio(x[1]:matmul(x[1]), x[2], norm(x[1]) ^ 2) < 300)
    assert.is_true(ratio(x[3], eye(35, x), 1) < 1)
    assert.is_true(x[4]:isnan():all():item())
    assert.same({ 0, 0 }, { unpack(linalg.expm(gpuarray.zeros { 0, 0 }).shape) })
    gpu.raises("LogicError", "linalg.expm: the array has the shape (2, 3); expected square", linalg.expm,
      gpuarray.zeros { 2, 3 })
  end)
end)
