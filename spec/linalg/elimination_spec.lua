-- Elimination, Cholesky factors and triangular systems.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local linalg = require "cudalua.linalg"
local own_kernels = require "spec.support.own_kernels"
local residuals = require "spec.support.residuals"
local cuda = gpu.cuda

setup(own_kernels.choose)
teardown(own_kernels.restore)

local random, ratio, norm, adjoint, eye = residuals.random, residuals.ratio, residuals.norm, residuals.adjoint,
  residuals.eye

local function each(f)
  for _, t in ipairs(residuals.types) do
    for _, n in ipairs(residuals.sizes) do f(n, t, ("%s, %d"):format(t, n)) end
  end
end

local function list(x) return x:get() end

local NAN, INF = 0 / 0, math.huge

describe("linalg.lu", function()
  setup(gpu.context)

  it("gives factors whose product has the rows of the matrix", function()
    each(function(n, t, case)
      local a = random({ n, n + 2 }, t, n)
      for _, x in ipairs { a, a.T, a[{ {}, { 1, n } }] } do
        local p, l, u = linalg.lu(x)
        assert.is_true(ratio(l:matmul(u), x:take(p, { axis = 1 }), norm(x)) < 30, case)
        assert.is_true(l:abs():max():item() <= (x.dtype.kind == "complex" and 1.5 or 1), case)
        assert.equal(0, gpuarray.tril(u, -1):abs():max():item(), case)
      end
    end)
  end)

  it("takes batches, and the first of equal pivots", function()
    local a = random({ 2, 3, 5, 5 }, "float64")
    local p, l, u = linalg.lu(a)
    assert.same({ 2, 3, 5 }, { unpack(p.shape) })
    for i = 1, 2 do
      for j = 1, 3 do
        local _, one_l, one_u = linalg.lu(a[{ i, j }])
        assert.is_true(gpuarray.array_equal(l[{ i, j }], one_l) and gpuarray.array_equal(u[{ i, j }], one_u))
      end
    end
    local q = linalg.lu(gpuarray.to_gpu({ { 1, 2 }, { -1, 3 } }, "float32"))
    assert.same({ 1, 2 }, { tonumber(q[1]), tonumber(q[2]) })
  end)

  it("gives empty factors, and the same bits in a block and in panels", function()
    local p, l, u = linalg.lu(gpuarray.zeros { 0, 3 })
    assert.same({ 0 }, { unpack(p.shape) })
    assert.same({ 0, 0, 0, 3 }, { l.shape[1], l.shape[2], u.shape[1], u.shape[2] })
    local q = linalg.lu(gpuarray.zeros { 3, 0 })
    assert.equal(3, tonumber(q[3]))
    local wide = random({ 40, 70 }, "float32") -- panels
    local _, l1, u1 = linalg.lu(wide)
    local _, l2, u2 = linalg.lu(wide[{ {}, { 1, 40 } }]:copy()) -- one block
    assert.is_true(ratio(l1, l2, 1) < 30 and ratio(u1[{ {}, { 1, 40 } }], u2, norm(u2)) < 30)
  end)

  it("refuses what is no matrix of numbers with enough digits", function()
    gpu.raises("LogicError", "linalg.lu: the array has the shape (3,); expected a matrix", linalg.lu, gpuarray.zeros(3))
    gpu.raises("LogicError", "linalg.lu: float16 is not precise enough; convert the array with astype('float32')",
      linalg.lu, gpuarray.zeros({ 2, 2 }, "float16"))
    gpu.raises("LogicError", "unknown option 'out'", linalg.lu, gpuarray.zeros { 2, 2 }, { out = 1 })
  end)
end)

describe("linalg.solve", function()
  setup(gpu.context)

  it("solves systems of all sizes", function()
    each(function(n, t, case)
      local a, b = random({ n, n }, t, n), random({ n, 3 }, t, n + 1)
      for _, x in ipairs { a, a.T } do
        local s = linalg.solve(x, b)
        assert.is_true(ratio(x:matmul(s), b, norm(x) * norm(s)) < 30, case)
        local one = linalg.solve(x, b[{ {}, { 2, 2 } }])[{ {}, 1 }]
        assert.is_true(gpuarray.array_equal(linalg.solve(x, b[{ {}, 2 }]), one))
      end
    end)
  end)

  it("broadcasts batches, and takes a vector for all matrices", function()
    local a, b = random({ 3, 1, 4, 4 }, "float64"), random({ 2, 4, 2 }, "float64", 2)
    local x = linalg.solve(a, b)
    assert.same({ 3, 2, 4, 2 }, { unpack(x.shape) })
    assert.is_true(ratio(a:matmul(x), b:broadcast_to { 3, 2, 4, 2 }, norm(a) * norm(x)) < 30)
    local v = linalg.solve(a, b[{ 1, {}, 1 }])
    assert.same({ 3, 1, 4 }, { unpack(v.shape) })
    local one = linalg.solve(a[{ 1, 1 }], b)
    assert.is_true(gpuarray.array_equal(one[2], linalg.solve(a[{ 1, 1 }], b[2])))
    local out = gpuarray.zeros({ 3, 2, 4, 2 }, "float64")
    assert.equal(out, linalg.solve(a, b, { out = out, stream = cuda.Stream() }))
    assert.is_true(gpuarray.array_equal(out, x))
    assert.equal("float32", linalg.solve(gpuarray.eye(2, nil, nil, "int32"), gpuarray.ones(2, "float32")).dtype.name)
    assert.same({ 0, 2 }, { unpack(linalg.solve(gpuarray.zeros { 0, 0 }, gpuarray.zeros { 0, 2 }).shape) })
  end)

  it("says which pivot is 0, or leaves NaN with check = false", function()
    local singular = gpuarray.to_gpu({ { 1, 2, 3 }, { 2, 4, 6 }, { 1, 0, 1 } }, "float64")
    gpu.raises("LinAlgError", "linalg.solve: the matrix is singular: pivot 3 is 0", linalg.solve, singular,
      gpuarray.ones(3, "float64"))
    local batch = gpuarray.stack { gpuarray.eye(3, nil, nil, "float64"), singular }
    gpu.raises("LinAlgError", "linalg.solve: matrix {2} is singular: pivot 3 is 0", linalg.solve, batch,
      gpuarray.ones(3, "float64"))
    local x = linalg.solve(batch, gpuarray.ones(3, "float64"), { check = false })
    assert.same({ 1, 1, 1 }, list(x[1]))
    assert.is_true(x[2]:isnan():all():item())
  end)

  it("gives NaN for NaN and infinity", function()
    for _, bad in ipairs { NAN, INF } do
      for _, n in ipairs { 3, 65 } do
        local a = random({ n, n }, "float32"):copy()
        a[{ 2, 2 }] = bad
        local x = linalg.solve(a, gpuarray.ones(n, "float32"))
        assert.equal(bad ~= INF, x:isnan():any():item() and bad ~= INF)
        assert.equal(n, x.size)
      end
    end
  end)

  it("refuses what does not fit", function()
    local a = gpuarray.eye(3, nil, nil, "float64")
    gpu.raises("LogicError", "linalg.solve: a has the shape (2, 3); expected square matrices", linalg.solve,
      gpuarray.zeros { 2, 3 }, a)
    gpu.raises("LogicError", "linalg.solve: shapes (3, 3) and (2,) do not match: a has 3 rows, b has " ..
      "2", linalg.solve, a,
      gpuarray.zeros(2))
    gpu.raises("LogicError", "a batch of vectors is a batch of matrices of one column", linalg.solve, a,
      gpuarray.zeros { 2, 3 })
    gpu.raises("LogicError", "check must be true or false, got 1", linalg.solve, a, a, { check = 1 })
    gpu.raises("LogicError", "bfloat16 is not precise enough", linalg.solve, a, gpuarray.zeros(3, "bfloat16"))
  end)

  it("gives the same bits with gpuarray.fast_math", function()
    local a, b = random({ 70, 70 }, "float32"), random({ 70, 2 }, "float32", 2)
    local x = linalg.solve(a, b)
    gpuarray.fast_math(true)
    local ok, y = pcall(linalg.solve, a, b)
    gpuarray.fast_math(false)
    assert.is_true(ok and gpuarray.array_equal(x, y))
  end)

  it("is captured with check = false", function()
    local a, b = random({ 5, 5 }, "float64"), random({ 5 }, "float64", 2)
    local step = cuda.graph(function() return linalg.solve(a, b, { check = false }) end)
    local x = step()
    assert.is_true(gpuarray.array_equal(x, linalg.solve(a, b)))
    gpu.raises("LogicError", "linalg.solve: inside a capture, whether a matrix is singular cannot be read; use " ..
      "{check = false}", cuda.graph(function() return linalg.solve(a, b) end))
  end)
end)

describe("linalg.inv", function()
  setup(gpu.context)

  it("inverts", function()
    each(function(n, t, case)
      local a = random({ n, n }, t, n)
      local x = linalg.inv(a)
      assert.is_true(ratio(a:matmul(x), eye(n, a), norm(a) * norm(x)) < 30, case)
    end)
    local a = random({ 2, 4, 4 }, "float64")
    local x = linalg.inv(a)
    assert.is_true(gpuarray.array_equal(x[2], linalg.inv(a[2])))
    gpu.raises("LinAlgError", "linalg.inv: matrix {1, 2} is singular: pivot 1 is 0", linalg.inv,
      gpuarray.stack { gpuarray.stack { gpuarray.eye(2), gpuarray.zeros { 2, 2 } } })
    gpu.raises("LogicError", "expected square matrices", linalg.inv, gpuarray.zeros { 2, 3 })
  end)
end)

describe("linalg.det and linalg.slogdet", function()
  setup(gpu.context)

  it("agree with known determinants", function()
    local a = gpuarray.to_gpu({ { { 2, 1 }, { 1, 3 } }, { { 0, 1 }, { 1, 0 } }, { { 1, 2 }, { 2, 4 } } }, "float64")
    assert.same({ 5, -1, 0 }, list(linalg.det(a)))
    local sign, logabs = linalg.slogdet(a)
    assert.same({ 1, -1, 0 }, list(sign))
    local logs = list(logabs)
    assert.is_true(math.abs(logs[1] - math.log(5)) < 1e-12 and logs[2] == 0 and logs[3] == -INF)
    assert.equal(1, linalg.det(gpuarray.zeros { 0, 0 }):item())
    local unit, none = linalg.slogdet(gpuarray.zeros { 2, 0, 0 })
    assert.same({ 1, 1, 0, 0 }, { unit[1], unit[2], none[1], none[2] })
  end)

  it("agree with each other, also of complex matrices and in panels", function()
    each(function(n, t, case)
      local a = random({ n, n }, t, n) * 0.5
      local sign, logabs = linalg.slogdet(a)
      assert.is_true(math.abs(sign:abs():item() - 1) < 1e-4, case)
      local b = a:matmul(a)
      local _, twice = linalg.slogdet(b)
      assert.is_true(math.abs(twice:item() - 2 * logabs:item()) < 1e-1, case)
      if n <= 33 then
        local d = linalg.det(a)
        assert.is_true(((d / d:abs()) - sign):abs():item() < 1e-3, case)
      end
    end)
    gpu.raises("LogicError", "linalg.det: the array has the shape (3,)", linalg.det, gpuarray.zeros(3))
    gpu.raises("LogicError", "linalg.slogdet: the array has the shape (2, 3)", linalg.slogdet, gpuarray.zeros { 2, 3 })
  end)
end)

describe("linalg.cholesky", function()
  setup(gpu.context)

  local function positive(n, t)
    local a = random({ n, n }, t, n)
    return a:matmul(adjoint(a)) + eye(n, a)
  end

  it("gives triangular factors", function()
    each(function(n, t, case)
      local a = positive(n, t)
      local l = linalg.cholesky(a)
      assert.is_true(ratio(l:matmul(adjoint(l)), a, norm(a)) < 30, case)
      assert.equal(0, gpuarray.triu(l, 1):abs():max():item(), case)
      assert.is_true(gpuarray.array_equal(l, linalg.cholesky(gpuarray.tril(a))), case)
      local u = linalg.cholesky(gpuarray.triu(a), { upper = true })
      assert.is_true(ratio(adjoint(u):matmul(u), a, norm(a)) < 30, case)
    end)
  end)

  it("says which minor is not positive, or leaves NaN with check = false", function()
    for _, n in ipairs { 5, 70 } do
      local a = gpuarray.eye(n, nil, nil, "float64"):copy()
      a[{ 3, 3 }] = -1
      gpu.raises("LinAlgError", "linalg.cholesky: the matrix is not positive definite: its leading minor of order " ..
        "3 is not positive", linalg.cholesky, a)
      local both = gpuarray.stack { gpuarray.eye(n, nil, nil, "float64"), a }
      gpu.raises("LinAlgError", "linalg.cholesky: matrix {2} is not", linalg.cholesky, both)
      local x = linalg.cholesky(both, { check = false })
      assert.is_true(gpuarray.array_equal(x[1], gpuarray.eye(n, nil, nil, "float64")))
      assert.is_true(x[2]:isnan():all():item())
    end
    local odd = gpuarray.full({ 2, 2 }, NAN, "float32")
    assert.is_true(linalg.cholesky(odd):isnan():any():item())
    assert.same({ 0, 0 }, { unpack(linalg.cholesky(gpuarray.zeros { 0, 0 }).shape) })
    gpu.raises("LogicError", "upper must be true or false", linalg.cholesky, odd, { upper = 2 })
    gpu.raises("LogicError", "expected square matrices", linalg.cholesky, gpuarray.zeros { 2, 3 })
  end)
end)

describe("linalg.det, linalg.cholesky and linalg.pinv", function()
  setup(gpu.context)

  it("write to out at once, also if it is their operand", function()
    local a = random({ 70, 70 }, "float64")
    a = (a:matmul(a.T) + eye(70, a)):eval()
    for name, call in pairs {
      cholesky = { linalg.cholesky, a }, upper = { linalg.cholesky, a, { upper = true } },
      unchecked = { linalg.cholesky, a, { check = false } }, det = { linalg.det, a }, pinv = { linalg.pinv, a },
    } do
      local f, x, options = unpack(call)
      options = options or {}
      local want = f(x, options)
      local alone = gpu.kernels(function() f(x, options) end)
      options.out = gpuarray.zeros(want.shape, "float64"):eval()
      assert.equal(alone, gpu.kernels(function() assert.equal(options.out, f(x, options), name) end), name)
      assert.is_true(gpuarray.array_equal(want, options.out), name)
      options.out = gpuarray.zeros(want.shape, "complex128"):eval()
      assert.is_true(gpuarray.array_equal(want, f(x, options):real()), name)
      if want.ndim == 2 then
        options.out = a:copy()
        assert.is_true(gpuarray.array_equal(want, f(options.out, options)), name)
      end
      options.out = gpuarray.zeros { 3 }
      gpu.raises("LogicError", "linalg." .. (name == "det" and name or name == "pinv" and name or "cholesky"), f, x,
        options)
    end
  end)
end)

describe("linalg.solve_triangular", function()
  setup(gpu.context)

  it("solves with either triangle, the transpose and the conjugate", function()
    each(function(n, t, case)
      local a, b = random({ n, n }, t, n) + eye(n, random({ 1 }, t)) * (20 * n), random({ n, 2 }, t, n + 1)
      local lower, upper = gpuarray.tril(a), gpuarray.triu(a)
      local function check(x, m) assert.is_true(ratio(m:matmul(x), b, norm(m) * norm(x)) < 30, case) end
      check(linalg.solve_triangular(a, b, { lower = true }), lower)
      check(linalg.solve_triangular(a, b), upper)
      check(linalg.solve_triangular(a, b, { trans = "T" }), upper.T)
      check(linalg.solve_triangular(a, b, { trans = "C", lower = true }), adjoint(lower))
      local unit = gpuarray.tril(a / (20 * n), -1) + eye(n, a)
      check(linalg.solve_triangular(a / (20 * n), b, { lower = true, unit_diagonal = true }), unit)
    end)
  end)

  it("broadcasts, and refuses what does not fit", function()
    local a, b = gpuarray.eye(3, nil, nil, "float64") * 2, random({ 2, 3, 1 }, "float64")
    assert.is_true(gpuarray.array_equal(b / 2, linalg.solve_triangular(a, b)))
    assert.same({ 0.5, 0.5, 0.5 }, list(linalg.solve_triangular(a, gpuarray.ones(3))))
    gpu.raises("LogicError", "trans must be 'N', 'T' or 'C', got 5", linalg.solve_triangular, a, b, { trans = 5 })
    gpu.raises("LogicError", "lower must be true or false", linalg.solve_triangular, a, b, { lower = "yes" })
    gpu.raises("LogicError", "(4,) do not match", linalg.solve_triangular, a, gpuarray.ones(4))
  end)
end)

describe("cuda.LinAlgError", function()
  local names = { "solve", "inv", "cholesky" }

  -- n x n matrices that are the unit matrix, but for those at positions of the batch: one number on the diagonal is
  -- changed.
  local function units(n, lead, dtype, bad)
    local shape = { unpack(lead) }
    shape[#shape + 1], shape[#shape + 2] = n, n
    local a = gpuarray.eye(n, nil, nil, dtype):broadcast_to(shape):copy()
    for _, x in ipairs(bad) do
      local at = { unpack(x.matrix or {}) }
      at[#at + 1], at[#at + 2] = x.pivot, x.pivot
      a[at] = 0
    end
    return a
  end

  local function failed(name, a)
    local ok, err
    if name == "solve" then
      ok, err = pcall(linalg.solve, a, gpuarray.ones(a.shape[a.ndim], a.dtype))
    else
      ok, err = pcall(linalg[name], a)
    end
    assert.is_false(ok, name)
    assert.equal("LinAlgError", err.class)
    assert.is_true(cuda.is_error(err, cuda.RuntimeError))
    return err
  end

  it("has the pivot of a single matrix", function()
    for _, dtype in ipairs { "float32", "complex128" } do
      for _, n in ipairs { 3, 70 } do -- in one block, in panels
        for _, name in ipairs(names) do
          local err = failed(name, units(n, {}, dtype, { { pivot = 2 } }))
          assert.equal(2, err.pivot)
          assert.is_nil(err.matrix)
          assert.same({ { pivot = 2 } }, err.matrices)
          assert.is_nil(err.message:find("so are", 1, true))
        end
      end
    end
  end)

  it("has all matrices of a batch, of any number of axes", function()
    local bad = { { matrix = { 2 }, pivot = 3 }, { matrix = { 5 }, pivot = 1 } }
    for _, n in ipairs { 3, 70 } do
      for _, name in ipairs(names) do
        local err = failed(name, units(n, { 5 }, "float64", bad))
        assert.same({ 2 }, err.matrix)
        assert.equal(3, err.pivot)
        assert.same(bad, err.matrices)
        assert.truthy(err.message:find("matrix {2} is .* of order 3 is not positive; so are {5}$")
          or err.message:find("matrix {2} is singular: pivot 3 is 0; so are {5}", 1, true), err.message)
      end
    end
    bad = {}
    for i = 1, 3 do
      for j = 1, 2 do bad[#bad + 1] = { matrix = { i, j }, pivot = 1 + (i + j) % 2 } end
    end
    for _, name in ipairs(names) do
      local err = failed(name, units(2, { 3, 2 }, "float32", bad))
      assert.same(bad, err.matrices)
      assert.truthy(err.message:find("; so are {1, 2}, {2, 1}, {2, 2} and 2 more", 1, true), err.message)
    end
  end)

  it("is raised by linalg.matrix_power, too", function()
    local err = gpu.error_of("LinAlgError", linalg.matrix_power, units(2, { 2 }, "float32", { { matrix = { 2 },
      pivot = 1 } }), -1)
    assert.same({ { matrix = { 2 }, pivot = 1 } }, err.matrices)
  end)
end)
