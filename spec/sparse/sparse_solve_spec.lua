-- Iterative solvers: against known solutions, with preconditioners, functions in place of matrices, breakdowns.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = require "cudalua.gpuarray"
local sparse = require "cudalua.sparse"

local raises = gpu.raises
local N = 30

-- -u'' with a weight that differs from row to row, symmetric and positive definite.
local function symmetric(t)
  local main, side = {}, {}
  for i = 1, N do main[i], side[i] = 2 + i % 3 + i / N, -1 end
  side[N] = nil
  return sparse.diags({ main, side, side }, { 0, 1, -1 }, { dtype = t })
end

local function general(t)
  return sparse.diags({ 3, -1.5, -0.5, 0.25 }, { 0, 1, -1, 7 }, { shape = { N, N }, dtype = t })
end

-- A known solution, and A times it.
local function problem(A)
  local x = gpuarray.linspace(-1, 2, N):astype(A.dtype)
  if A.dtype.kind == "complex" then
    x = gpuarray.complex(gpuarray.linspace(-1, 2, N), gpuarray.linspace(3, 0, N)):astype(A.dtype)
  end
  return x, A:matmul(x)
end

local function solves(name, A, tolerance, options)
  local x, b = problem(A)
  local y, info = sparse[name](A, b, options)
  assert.equal(0, info)
  assert.equal(A.dtype, y.dtype)
  local off = gpuarray.norm(y - x):item() / gpuarray.norm(x):item()
  assert(off <= tolerance, ("%s: off by %g"):format(name, off))
end

local complex_matrix = function(A)
  return A * gpuarray.complex(gpuarray.ones(N, "float64"), gpuarray.linspace(0, 1, N, "float64"))
end

describe("sparse.cg", function()
  setup(function() gpu.context() end)

  it("solves symmetric systems, with every kind of operand", function()
    local A = symmetric "float64"
    solves("cg", A, 1e-4)
    solves("cg", A, 1e-9, { rtol = 1e-11, M = "jacobi" })
    solves("cg", symmetric "float32", 1e-4)
    solves("cg", A:to "csc", 1e-4, { M = sparse.diags({ 1 / A:diagonal() }) })
    local x, b = problem(A)
    for _, a in ipairs { A:todense(), function(v) return A:matmul(v) end } do
      local y, info = sparse.cg(a, b, { M = function(v) return v * 0.5 end, stream = cuda.Stream() })
      assert.equal(0, info)
      assert.is_true(gpuarray.allclose(x, y, { rtol = 1e-3, atol = 1e-3 }))
    end
  end)

  it("begins where x0 is, calls back, and looks every `check` steps", function()
    local A = symmetric "float64"
    local x, b = problem(A)
    local y, info = sparse.cg(A, b, { x0 = x, callback = function() error "it had to step" end })
    assert.equal(0, info)
    assert.is_true(gpuarray.array_equal(x, y))
    local steps = {}
    local function callback(v, k)
      assert.is_true(gpuarray.is(v))
      steps[#steps + 1] = k
    end
    assert.equal(0, select(2, sparse.cg(A, b, { callback = callback, check = 4 })))
    assert.equal(0, #steps % 4)
    assert.equal(#steps, steps[#steps])
    -- x0 is not written to, and host arrays will do.
    local x0 = gpuarray.zeros(N, "float64")
    sparse.cg(A, b:get(), { x0 = x0, maxiter = 3 })
    assert.equal(0, x0:abs():max():item())
  end)

  it("changes nothing in steps behind the solution", function()
    local A = sparse.eye(5, { dtype = "float64" })
    local y, info = sparse.cg(A, { 1, 2, 3, 4, 5 }, { rtol = 0, check = 7 })
    assert.equal(0, info)
    assert.same({ 1, 2, 3, 4, 5 }, y:get():tolist())
  end)

  it("tells how many steps were not enough, and that it broke down", function()
    local A = symmetric "float64"
    local _, b = problem(A)
    assert.equal(2, select(2, sparse.cg(A, b, { maxiter = 2 })))
    assert.equal(-3, select(2, sparse.cg(sparse.csr({ shape = { 2, 2 } }, nil), { 1, 2 }, { check = 3 })))
    local nan = sparse.csr({ { 1, 0 }, { 0, 0 / 0 } })
    assert.equal(-10, select(2, sparse.cg(nan, { 1, 1 })))
    local x, info = sparse.cg(A, gpuarray.zeros(N, "float64"))
    assert.equal(0, info)
    assert.equal(0, x:abs():max():item())
    assert.equal(0, select(2, sparse.cg(sparse.csr { shape = { 0, 0 } }, gpuarray.zeros(0))))
  end)

  it("raises for what is no system", function()
    local A = sparse.eye(3)
    raises("LogicError", "A must be a square matrix of 2 rows", sparse.cg, A, { 1, 2 })
    raises("LogicError", "A must be a sparse matrix, an array of two axes or a function", sparse.cg, 3, { 1, 2 })
    raises("LogicError", "b must have one axis", sparse.cg, A, gpuarray.ones { 3, 1 })
    raises("LogicError", "systems of float16 are not solved", sparse.cg, A:astype "float16",
      gpuarray.ones(3, "float16"))
    raises("LogicError", "x0 must have the shape (3,)", sparse.cg, A, { 1, 2, 3 }, { x0 = { 1 } })
    raises("LogicError", "rtol must be a non-negative number", sparse.cg, A, { 1, 2, 3 }, { rtol = -1 })
    raises("LogicError", "maxiter must be a positive integer", sparse.cg, A, { 1, 2, 3 }, { maxiter = 0 })
    raises("LogicError", "the function A must return an array of 3 elements, got one of the shape (2,)", sparse.cg,
      function() return gpuarray.ones(2) end, { 1, 2, 3 })
    raises("LogicError", "M must be 'jacobi', a matrix or a function, got 'ilu'", sparse.cg, A, { 1, 2, 3 },
      { M = "ilu" })
    raises("LogicError", "'jacobi' needs the diagonal", sparse.cg, function(v) return v end, { 1, 2, 3 },
      { M = "jacobi" })
    for _, solver in ipairs { sparse.cg, sparse.bicgstab, sparse.gmres } do
      local err = raises("LinAlgError", "the diagonal has a 0 in row 2", solver, sparse.csr { { 1, 2 }, { 2, 0 } },
        { 1, 2 }, { M = "jacobi" })
      assert.equal(2, err.pivot)
      assert.same({ { pivot = 2 } }, err.matrices)
    end
    raises("LogicError", "unknown option", sparse.cg, A, { 1, 2, 3 }, { restart = 3 })
  end)
end)

describe("sparse.cg, sparse.bicgstab, sparse.gmres and sparse.jacobi", function()
  setup(function() gpu.context() end)

  it("return the number of steps and the residual", function()
    local A = general "float64"
    A = (A + A.T)
    local _, b = problem(A)
    local size = gpuarray.norm(b):item()
    for _, name in ipairs { "cg", "bicgstab", "gmres", "jacobi" } do
      local called, last = 0, 0
      local x, info, steps, residual = sparse[name](A, b, { rtol = 1e-8, callback = function(_, k)
        called, last = called + 1, k
      end })
      assert.equal(0, info, name)
      assert(called > 0 and steps == last, name)
      assert(residual <= 1e-8 * size, name)
      local actual = gpuarray.norm(b - A:matmul(x)):item()
      assert(math.abs(actual - residual) < 1e-12 * size, ("%s: %g, but it is %g"):format(name, residual, actual))
      -- not enough steps
      _, info, steps, residual = sparse[name](A, b, { rtol = 0, maxiter = 3 })
      assert.same({ 3, 3 }, { info, steps }, name)
      assert(residual > 0 and residual < 10 * size, name)
      -- no steps
      _, info, steps, residual = sparse[name](A, b, { x0 = x, rtol = 1e-7 })
      assert.same({ 0, 0 }, { info, steps }, name)
      assert(math.abs(actual - residual) < 1e-12 * size, name)
      assert.same({ 0, 0, 0 }, { select(2, sparse[name](sparse.csr { shape = { 0, 0 } }, gpuarray.zeros(0))) }, name)
    end
    for _, name in ipairs { "cg", "gmres" } do
      local info, steps, residual = select(2, sparse[name](sparse.csr { shape = { 2, 2 } }, { 3, 4 }))
      assert(info < 0 and (steps == -info or steps == 0), name)
      assert.equal(5, residual)
    end
  end)
end)

describe("sparse.bicgstab", function()
  it("solves general systems, real and complex", function()
    solves("bicgstab", general "float64", 1e-4)
    solves("bicgstab", general "float32", 1e-4, { M = "jacobi", check = 3 })
    solves("bicgstab", complex_matrix(general "float64"), 1e-4, { M = "jacobi" })
  end)
end)

describe("sparse.gmres", function()
  it("solves general systems, real and complex, with few vectors and many", function()
    solves("gmres", general "float64", 1e-4)
    solves("gmres", general "float32", 1e-3, { restart = 4, M = "jacobi" })
    solves("gmres", complex_matrix(general "complex64"), 1e-3, { restart = 8, M = "jacobi" })
  end)

  it("calls back behind restarts, counts steps, and breaks down for a matrix of zeros", function()
    local A = general "float64"
    local _, b = problem(A)
    local steps = {}
    assert.equal(5, select(2, sparse.gmres(A, b, { restart = 3, maxiter = 5, rtol = 1e-12,
      callback = function(_, k) steps[#steps + 1] = k end })))
    assert.same({ 3, 5 }, steps)
    assert.equal(-1, select(2, sparse.gmres(sparse.csr { shape = { 2, 2 } }, { 1, 2 })))
    local x, info = sparse.gmres(sparse.eye(2), { 4, 5 })
    assert.equal(0, info)
    assert.is_true(gpuarray.allclose(x, gpuarray.to_gpu { 4, 5 }))
    raises("LogicError", "restart must be a positive integer", sparse.gmres, A, b, { restart = 0 })
  end)
end)

describe("sparse.jacobi", function()
  it("solves systems whose diagonal dominates, with a weight", function()
    solves("jacobi", general "float64", 1e-4)
    solves("jacobi", general "float32", 1e-3, { omega = 0.9 })
    assert.equal(4, select(2, sparse.jacobi(general "float64", gpuarray.ones(N), { maxiter = 4, rtol = 1e-12 })))
    raises("LogicError", "omega must be a finite number", sparse.jacobi, sparse.eye(2), { 1, 2 }, { omega = "x" })
    raises("LogicError", "'jacobi' needs the diagonal", sparse.jacobi, function(v) return v end, { 1, 2 })
    raises("LogicError", "unknown option 'M'", sparse.jacobi, sparse.eye(2), { 1, 2 }, { M = "jacobi" })
  end)
end)
