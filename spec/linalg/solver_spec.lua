-- Solvers by cuSOLVER: what it is given, in which form, and what comes of its answers. The library is
-- spec/support/solver_shim.c, which computes on the host and therefore needs the software device.
local cases = require "spec.support.solver_cases"
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local handles = require "cudalua.vendor.handles"
local libraries = require "cudalua.vendor.library"
local reentry = require "spec.support.reentry"
local own_kernels = require "spec.support.own_kernels"
local residuals = require "spec.support.residuals"
local solver_shim = require "spec.support.solver_shim"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431
local cuda, gpuarray, linalg = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.linalg

setup(own_kernels.choose)
teardown(own_kernels.restore)

local COUNT = os.getenv "CUDALUA_ALL" == "1" and 160 or 8
local EXTENTS = { 0, 1, 2, 3, 5, 8, 13 }
local NAN, INF = 0 / 0, math.huge
local calls, adjoint = solver_shim.calls, residuals.adjoint

local function lacks()
  gpu.context()
  return not gpu.soft and (pending "the shim computes on the host" or true)
end

local function random(shape, dtype, seed)
  return cases.numbers(cuda.random.Generator(seed or 1), shape, dtype or "float64")
end

local function positive(n, dtype)
  local a = random({ n, n }, dtype)
  return (a:matmul(adjoint(a)) + residuals.eye(n, a)):eval()
end

-- What f(...) raises under a backend.
local function failure(backend, f, ...)
  local ok, err = pcall(solver_shim.with, backend, f, ...)
  assert.is_false(ok)
  return { text = tostring(err), class = err.class, matrix = err.matrix, pivot = err.pivot, matrices = err.matrices }
end

-- Calls f() under "auto" as if the driver were a GPU's: so it seems to the switch alone, as kernels have to be compiled
-- for the software device.
local function as_on_gpu(f)
  local before = core.driver_info
  core.driver_info = function()
    local info = before()
    if debug.getinfo(2, "S").source:find("vendor/choice.lua", 1, true) then info.soft = false end
    return info
  end
  local ok, err = pcall(f)
  core.driver_info = before
  if not ok then error(err, 0) end
end

describe("cuSOLVER's solvers", function()
  local backend
  before_each(function() backend = linalg.backend() end)
  after_each(function()
    solver_shim.host(0)
    linalg.backend(backend)
  end)

  for k, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
    it("give factors that fit, of " .. dtype, function()
      if lacks() then return end
      solver_shim.with("own", cases.sweep, 10 + k, dtype, COUNT, EXTENTS)
    end)
  end

  it("are passed as the other triangle by linalg.cholesky and linalg.eigh, in place", function()
    if lacks() then return end
    local a = positive(5, "complex64")
    assert.same({ "potrf uplo 0 n 5 type 4 lda 5 compute 4" }, calls(function() linalg.cholesky(a) end))
    assert.same({ "potrf uplo 0 n 5 type 4 lda 5 compute 4" },
      calls(function() linalg.cholesky(a, { upper = true }) end))
    assert.same({ "syevd mode 1 uplo 1 n 5 type 4 lda 5 w 0 compute 4" }, calls(function() linalg.eigh(a) end))
    assert.same({ "syevd mode 0 uplo 1 n 5 type 4 lda 5 w 0 compute 4" }, calls(function() linalg.eigvalsh(a) end))
  end)

  it("are given matrices column by column by linalg.lu, linalg.solve, linalg.qr and linalg.svd", function()
    if lacks() then return end
    local a, b = random { 4, 3 }, random { 4, 4 }
    assert.same({ "getrf m 4 n 3 type 1 lda 4 compute 1" }, calls(function() linalg.lu(a) end))
    assert.same({ "getrf m 4 n 4 type 1 lda 4 compute 1", "getrs trans 0 n 4 sides 3 type 1 lda 4 ldb 4" },
      calls(function() linalg.solve(b, a) end))
    assert.same({ "getrf m 4 n 4 type 1 lda 4 compute 1" }, calls(function() linalg.slogdet(b) end))
    assert.same({ "geqrf m 4 n 3 type 1 lda 4 tau 1 compute 1", "orgqr type 1 m 4 n 3 k 3 lda 4" },
      calls(function() linalg.qr(a) end))
    assert.same({ "geqrf m 4 n 3 type 1 lda 4 tau 1 compute 1", "orgqr type 1 m 4 n 4 k 3 lda 4" },
      calls(function() linalg.qr(a, { mode = "complete" }) end))
    assert.same({ "geqrf m 3 n 4 type 1 lda 3 tau 1 compute 1" }, calls(function() linalg.qr(a.T, { mode = "r" }) end))
    local types = "type 1 s 1 u 1 vh 1 compute 1 lda 4 ldu 4 ldvh 3"
    for options, jobs in pairs { [{ full_matrices = false }] = "u S vh S", [{ full_matrices = true }] = "u A vh A" } do
      for _, x in ipairs { a, a.T } do -- of a wide matrix the adjoint
        assert.same({ ("gesvd %s m 4 n 3 %s"):format(jobs, types) }, calls(function() linalg.svd(x, options) end))
      end
    end
    assert.same({ ("gesvd u N vh N m 4 n 3 %s"):format(types) }, calls(function() linalg.svdvals(a) end))
  end)

  it("are a call for each matrix of a batch, and one call for all right sides of one matrix", function()
    if lacks() then return end
    local a, b = random { 2, 3, 4, 4 }, random { 3, 4, 2 }
    local lines = calls(function() linalg.solve(a, b) end)
    assert.equal(12, #lines)
    lines = calls(function() linalg.solve(a[{ 1, 1 }], b) end)
    assert.same({ "getrf m 4 n 4 type 1 lda 4 compute 1", "getrs trans 0 n 4 sides 6 type 1 lda 4 ldb 4" }, lines)
    assert.equal(6, #calls(function() linalg.svdvals(a) end))
    assert.equal(6, #calls(function() linalg.eigvalsh(a) end))
    assert.equal(12, #calls(function() linalg.qr(a) end))
    assert.same({}, calls(function() linalg.svd(gpuarray.zeros { 0, 4, 4 }) end))
  end)

  it("give the permutation, the determinant and the sign that own kernels give", function()
    if lacks() then return end
    for _, shape in ipairs { { 7, 7 }, { 9, 4 }, { 4, 9 }, { 2, 300, 3 } } do
      local a = random(shape)
      local own, theirs = linalg.lu(a), solver_shim.with("vendor", linalg.lu, a)
      assert.same(own:ravel():tolist(), theirs:ravel():tolist())
      assert.equal("int64", theirs.dtype.name)
    end
    local a = gpuarray.to_gpu({ { { 2, 1 }, { 1, 3 } }, { { 0, 1 }, { 1, 0 } }, { { 1, 2 }, { 2, 4 } } }, "float64")
    assert.same({ 5, -1, 0 }, solver_shim.with("vendor", linalg.det, a):tolist())
    local sign, logs = solver_shim.with("vendor", linalg.slogdet, a)
    assert.same({ 1, -1, 0 }, sign:tolist())
    assert.equal(-INF, logs[3])
    assert.equal(INF, solver_shim.with("vendor", linalg.cond, gpuarray.ones({ 2, 2 }, "float64"), { ord = 1 }):item())
    assert.equal(INF, solver_shim.with("vendor", linalg.cond, gpuarray.zeros({ 2, 2 }, "float64")):item())
  end)

  it("raise what own kernels raise of singular and indefinite matrices, and leave NaN with check = false", function()
    if lacks() then return end
    local singular = gpuarray.to_gpu({ { 1, 2, 3 }, { 2, 4, 6 }, { 1, 0, 1 } }, "float64")
    local batch = gpuarray.stack { gpuarray.eye(3, nil, nil, "float64"), singular }
    local ones = gpuarray.ones(3, "float64")
    local indefinite = (gpuarray.eye(5, nil, nil, "float64")):copy()
    indefinite[{ 3, 3 }] = -1
    for _, call in ipairs { { linalg.solve, singular, ones }, { linalg.solve, batch, ones }, { linalg.inv, batch },
      { linalg.cholesky, indefinite }, { linalg.cholesky, gpuarray.stack { indefinite * 0 + 1, indefinite } },
      { linalg.inv, gpuarray.stack { batch, batch } } } do
      local err = failure("vendor", unpack(call))
      assert.equal("LinAlgError", err.class)
      assert.is_true(err.pivot >= 2)
      assert.same(failure("own", unpack(call)), err)
    end
    local x = solver_shim.with("vendor", linalg.solve, batch, ones, { check = false })
    assert.same({ 1, 1, 1 }, x[1]:tolist())
    assert.is_true(x[2]:isnan():all():item())
    local both = gpuarray.stack { gpuarray.eye(5, nil, nil, "float64"), indefinite }
    local l = solver_shim.with("vendor", linalg.cholesky, both, { check = false })
    assert.is_true(gpuarray.array_equal(l[1], gpuarray.eye(5, nil, nil, "float64")))
    assert.is_true(l[2]:isnan():all():item())
  end)

  it("give NaN for NaN and infinities, without an error, and leave other matrices of the batch alone", function()
    if lacks() then return end
    for _, bad in ipairs { NAN, INF, -INF } do
      local a = gpuarray.stack { positive(4), positive(4) }
      a[{ 1, 3, 2 }] = bad
      local function check(f, ...)
        local results = { solver_shim.with("vendor", f, a, ...) }
        for i, x in ipairs(results) do
          local name = ("%d of %s"):format(i, tostring(bad))
          if x.dtype.kind ~= "int" then
            assert.is_true(x:reshape(2, -1)[1]:isnan():any():item(), name)
            assert.is_true(x:reshape(2, -1)[2]:isfinite():all():item(), name)
          end
        end
      end
      for _, f in ipairs { linalg.cholesky, linalg.lu, linalg.inv, linalg.det, linalg.eigh, linalg.eigvalsh,
        linalg.svd, linalg.svdvals } do check(f) end
      check(linalg.solve, gpuarray.ones(4, "float64"))
    end
    assert.equal(0, solver_shim.strange())
  end)

  it("raise without convergence, and when a call fails, with the shapes; the next one works", function()
    if lacks() then return end
    local a = positive(4)
    solver_shim.with("vendor", function()
      for _, f in ipairs { linalg.svd, linalg.eigh } do
        solver_shim.report(3)
        local err = gpu.raises("LinAlgError", "the matrix does not converge: cuSOLVER's info is 3", f, a)
        assert.is_nil(err.pivot)
        assert.same({ {} }, err.matrices)
      end
      solver_shim.fail(7)
      local err = gpu.raises("RuntimeError", "linalg.inv: cusolverDnXgetrf failed: CUSOLVER_STATUS_INTERNAL_ERROR (7), "
        .. "for matrices of 4 x 4 of float64", linalg.inv, a)
      assert.is_truthy(err.hint:find('linalg.backend "own"', 1, true))
      solver_shim.fail(2)
      gpu.raises("MemoryError", "CUSOLVER_STATUS_ALLOC_FAILED (2)", linalg.qr, a)
      assert.equal(16, linalg.inv(a).size)
    end)
  end)

  it("that small matrices do not need are own kernels' under auto, as all are without the library", function()
    if lacks() then return end
    local small, large, notices = random { 6, 6 }, random { 50, 50 }, {}
    local function compute()
      linalg.inv(small)
      linalg.det(large)
    end
    assert.same({ "getrf m 50 n 50 type 1 lda 50 compute 1" }, calls(function()
      linalg.backend "auto"
      as_on_gpu(compute)
    end))
    assert.same({}, calls(function()
      linalg.backend "auto"
      compute()
    end))
    local before = cuda.on_notice
    cuda.on_notice = function(text) notices[#notices + 1] = text end
    local ok, err = pcall(solver_shim.with, "auto", function()
      solver_shim.name "off"
      libraries.forget()
      as_on_gpu(compute)
      as_on_gpu(compute)
    end)
    cuda.on_notice = before
    assert(ok, err)
    assert.equal(1, #notices)
    assert.is_truthy(notices[1]:find("cuSOLVER was not found", 1, true), notices[1])
    assert.is_truthy(notices[1]:find("CUDALUA_CUSOLVER is off", 1, true), notices[1])
  end)

  it("are an error under vendor if the library is missing", function()
    if lacks() then return end
    solver_shim.with("vendor", function()
      solver_shim.name "off"
      libraries.forget()
      gpu.raises("RuntimeError", 'linalg.det: linalg.backend is "vendor", and cuSOLVER cannot be used', linalg.det,
        random { 3, 3 })
    end)
  end)

  it("go into graphs, if they need not wait: linalg.solve, linalg.cholesky, linalg.qr", function()
    if lacks() then return end
    local a, b = positive(4), random({ 4, 2 }, "float64", 2)
    local s, out = cuda.Stream(), gpuarray.zeros({ 3, 4, 4 }, "float64"):eval()
    local function compute()
      out[{ 1, {}, { 1, 2 } }] = linalg.solve(a, b, { check = false })
      out[2] = linalg.cholesky(a, { check = false })
      out[3] = linalg.qr(a)
    end
    local exec
    solver_shim.with("vendor", function()
      compute()
      exec = s:capture(compute):instantiate()
    end)
    for k = 1, 2 do
      a:set(positive(4) * k + residuals.eye(4, a))
      cuda.Context.synchronize()
      exec:launch(s)
      s:synchronize()
      assert.is_true(gpuarray.allclose(out[{ 1, {}, { 1, 2 } }], linalg.solve(a, b)))
      assert.is_true(gpuarray.allclose(out[2], linalg.cholesky(a)))
      assert.is_true(gpuarray.allclose(out[3], (linalg.qr(a))))
    end
  end)

  it("that wait are refused in captures under vendor, and own kernels' under auto", function()
    if lacks() then return end
    local a = random { 50, 50 }
    for what, f in pairs { ["singular values"] = linalg.svdvals, eigenvalues = linalg.eigvalsh } do
      local function call() return f(a) end
      solver_shim.with("vendor", function()
        call()
        gpu.raises("LogicError", ("cuSOLVER does not have %s inside a capture, where it would have to wait"):format(
          what), cuda.Stream().capture, cuda.Stream(), call)
      end)
      assert.same({}, calls(function()
        linalg.backend "auto"
        as_on_gpu(function() cuda.Stream():capture(call) end)
      end))
    end
    solver_shim.with("vendor", function()
      linalg.inv(a)
      gpu.raises("LogicError", "use {check = false}", cuda.Stream().capture, cuda.Stream(),
        function() return linalg.inv(a) end)
      libraries.forget()
      gpu.raises("LogicError", "cuSOLVER has no handle in this context yet", cuda.Stream().capture, cuda.Stream(),
        function() return linalg.inv(a, { check = false }) end)
    end)
  end)

  it("get memory of the host, if they ask for it, but not in a capture", function()
    if lacks() then return end
    local a = positive(4)
    solver_shim.host(1000)
    solver_shim.with("vendor", function()
      assert.equal("", cases.one("qr", a))
      assert.equal("", cases.one("svd", a))
      gpu.raises("LogicError", "linalg.inv: inside a capture, cusolverDnXgetrf cannot work in the host's memory",
        cuda.Stream().capture, cuda.Stream(), function() return linalg.inv(a, { check = false }) end)
    end)
  end)

  it("are in the order of streams", function()
    if lacks() then return end
    local s, t = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    solver_shim.with("vendor", function()
      for round = 1, 4 do
        local a = s:use(function() return (gpuarray.eye(4, nil, nil, "float64") * round):eval() end)
        local x = t:use(function() return linalg.inv(a, { check = false }) end)
        s:use(function() a:fill(0) end)
        local y = s:use(function() return (x + 1):eval() end)
        s:synchronize()
        assert.equal(1 / round + 1, y[{ 2, 2 }]:item())
      end
    end)
  end)

  it("are of the values before or after a finalizer's write, wherever that comes, also one that solves", function()
    if lacks() then return end
    local a, first, second, flips = positive(3), positive(3), (positive(3) * 2):eval(), 0
    local other, t = positive(3), cuda.Stream()
    local function write()
      flips = flips + 1
      a:set(flips % 2 == 0 and first or second)
      t:use(linalg.inv, other) -- sets another stream for the same handle
    end
    local function f() return linalg.inv(a) end
    solver_shim.with("vendor", function()
      local wants = {}
      for _ = 1, 2 do
        write()
        wants[tostring(f())] = true
      end
      local wrong, places = reentry.sweep(f, write, gpu.sanitized and 6 or 150, function(x)
        assert.is_true(wants[tostring(x)], tostring(x))
        return ""
      end)
      assert.is_nil(wrong)
      assert.is_true(places > (gpu.sanitized and 3 or 20))
    end)
  end)

  it("have one handle for a context, and one set of parameters, both given back", function()
    if lacks() then return end
    solver_shim.with("own", libraries.forget)
    collectgarbage()
    collectgarbage()
    cuda.Context.synchronize()
    local made, alive = solver_shim.handles(), solver_shim.alive()
    solver_shim.with("vendor", function()
      for _ = 1, 3 do linalg.qr(random { 3, 3 }) end
      assert.equal(made + 1, solver_shim.handles())
      assert.equal(alive + 1, solver_shim.alive())
      assert.equal("number", type(handles.get "cusolver"))
    end)
    collectgarbage()
    collectgarbage()
    cuda.Context.synchronize()
    assert.equal(made, solver_shim.handles())
    assert.equal(alive, solver_shim.alive())
  end)
end)
