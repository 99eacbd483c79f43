-- Random matrices for solvers, and how well the factors that a vendor's library gives fit. All but those is computed by
-- own kernels. Failures are texts that say the case, so that one run tells everything.
local cuda = require "cudalua"
local linalg = require "cudalua.linalg"
local residuals = require "spec.support.residuals"
local gpuarray = cuda.gpuarray

local ratio, norm, adjoint, eye = residuals.ratio, residuals.norm, residuals.adjoint, residuals.eye
local max, min = math.max, math.min

local M = {}

-- ---- matrices -------------------------------------------------------------------------------------------------------

local function is_wide(dtype) return dtype == "float64" or dtype == "complex128" end

local function numbers(rng, shape, dtype)
  local wide = is_wide(dtype) and "float64" or "float32"
  local re = rng:normal(shape, 0, 1, wide)
  if not dtype:find "complex" then return re:eval() end
  return (re + rng:normal(shape, 0, 1, wide) * gpuarray.to_gpu({ -1 }, dtype):sqrt():reshape {}):astype(dtype):eval()
end

local function shape_of(batch, ...)
  local shape = { unpack(batch) }
  for _, n in ipairs { ... } do shape[#shape + 1] = n end
  return shape
end

-- A part of the last two axes.
local function part(batch, rows, columns)
  local index = {}
  for axis = 1, #batch do index[axis] = {} end
  index[#index + 1], index[#index + 2] = rows, columns
  return index
end

-- The same elements, otherwise in memory.
local forms = {
  rows = function(a) return a end,
  columns = function(a) return a:swapaxes(-1, -2):copy "C":swapaxes(-1, -2) end,
  apart = function(a, batch, m, n)
    if a.size == 0 then return a end
    local wide = gpuarray.zeros(shape_of(batch, m, 2 * n), a.dtype):eval()
    local index = part(batch, {}, { 1, 2 * n, 2 })
    wide[index] = a
    return wide[index]
  end,
  back = function(a) return gpuarray.flip(gpuarray.flip(a, -2):copy "C", -2) end,
}
local form_names = { "rows", "columns", "apart", "back" }

-- What the elements are.
local kinds = {
  random = function(rng, shape, t) return numbers(rng, shape, t) end,
  graded = function(rng, shape, t) -- to the last digit of the condition
    local k = shape[#shape]
    local digits, steps = is_wide(t) and 15 or 7, gpuarray.arange(k, is_wide(t) and "float64" or "float32")
    return (numbers(rng, shape, t) * gpuarray.exp2(steps * (-3.3 * digits / max(k, 1)))):astype(t):eval()
  end,
  deficient = function(rng, shape, t) -- rows are multiples of each other
    local batch = { unpack(shape, 1, #shape - 2) }
    return numbers(rng, shape_of(batch, shape[#shape - 1], 1), t):matmul(numbers(rng, shape_of(batch, 1, shape[#shape]),
      t)):eval()
  end,
  zeros = function(_, shape, t) return gpuarray.zeros(shape, t):eval() end,
  large = function(rng, shape, t) return (numbers(rng, shape, t) * (is_wide(t) and 1e150 or 1e18)):eval() end,
  small = function(rng, shape, t) return (numbers(rng, shape, t) * (is_wide(t) and 1e-150 or 1e-18)):eval() end,
}

local batches = { {}, {}, {}, { 3 }, { 2, 2 }, { 1 }, { 0 } }

-- ---- residuals ------------------------------------------------------------------------------------------------------

local MOST = 30 -- what LAPACK's tests allow, in units of n eps ||a||

-- Adds to the failures of a case what is larger than it may be, NaN too.
local function within(case, name, value, most)
  if value > (most or MOST) or value ~= value then case[#case + 1] = ("%s is off by %g"):format(name, value) end
end

local function same_shape(case, name, x, shape)
  if table.concat(x.shape, " ") ~= table.concat(shape, " ") then
    case[#case + 1] = ("%s has the shape (%s) in place of (%s)"):format(name, table.concat(x.shape, ", "),
      table.concat(shape, ", "))
  end
end

local function largest(x) return x.size == 0 and 0 or x:abs():max():item() end

-- How far the columns of x are from being orthonormal.
local function orthonormal(case, name, x)
  within(case, name, ratio(adjoint(x):matmul(x), eye(x.shape[x.ndim], x):broadcast_to(shape_of({ unpack(x.shape, 1,
    x.ndim - 2) }, x.shape[x.ndim], x.shape[x.ndim])), 1))
end

-- Are numbers in their order along the last axis?
local function ordered(case, name, s, descending)
  if s.size == 0 or s.shape[s.ndim] < 2 then return end
  local index, other = {}, {}
  for axis = 1, s.ndim - 1 do index[axis], other[axis] = {}, {} end
  index[s.ndim], other[s.ndim] = { 1, s.shape[s.ndim] - 1 }, { 2, s.shape[s.ndim] }
  local rises = s[other] - s[index]
  local worst = (descending and rises or -rises):max():item()
  if worst > 0 then case[#case + 1] = name .. " is not in order" end
end

-- Each checks what `v(f, ...)`, a call with the vendor's library, gives for a, and adds to the case.
local checks = {}

function checks.lu(case, v, a, batch, m, n)
  local p, l, u = v(linalg.lu, a)
  local k = min(m, n)
  same_shape(case, "p", p, shape_of(batch, m))
  same_shape(case, "l", l, shape_of(batch, m, k))
  same_shape(case, "u", u, shape_of(batch, k, n))
  if a.size == 0 then return end
  local rows = gpuarray.take_along_axis(a, p:expand_dims(-1):broadcast_to(a.shape), a.ndim - 1)
  within(case, "l u", ratio(l:matmul(u), rows, norm(a)))
  within(case, "the largest element of l", largest(l), a.dtype.kind == "complex" and 1.5 or 1.0001)
  within(case, "what is below the diagonal of u", largest(gpuarray.tril(u, -1)), 0)
end

function checks.qr(case, v, a, batch, m, n)
  for _, mode in ipairs { "reduced", "complete" } do
    local q, r = v(linalg.qr, a, { mode = mode })
    local k = mode == "complete" and m or min(m, n)
    same_shape(case, "q", q, shape_of(batch, m, k))
    same_shape(case, "r", r, shape_of(batch, k, n))
    if a.size > 0 then
      within(case, mode .. " q r", ratio(q:matmul(r), a, norm(a)))
      orthonormal(case, mode .. " q", q)
      within(case, "what is below the diagonal of r", largest(gpuarray.tril(r, -1)), 0)
      if mode == "reduced" then within(case, "r alone", ratio(v(linalg.qr, a, { mode = "r" }), r, norm(a))) end
    end
  end
end

function checks.svd(case, v, a, batch, m, n)
  local k = min(m, n)
  for _, full in ipairs { false, true } do
    local u, s, vh = v(linalg.svd, a, { full_matrices = full })
    same_shape(case, "u", u, shape_of(batch, m, full and m or k))
    same_shape(case, "s", s, shape_of(batch, k))
    same_shape(case, "vh", vh, shape_of(batch, full and n or k, n))
    if a.size > 0 then
      orthonormal(case, "u", u)
      orthonormal(case, "vh", adjoint(vh))
      local columns, rows = u[part(batch, {}, { 1, k })], vh[part(batch, { 1, k }, {})]
      within(case, "u s vh", ratio((columns * s:expand_dims(-2)):matmul(rows), a, norm(a)))
      ordered(case, "s", s, true)
      local own = linalg.svdvals(a)
      within(case, "s beside own values", ratio(s, own, norm(a)))
      within(case, "svdvals", ratio(v(linalg.svdvals, a), own, norm(a)))
    end
  end
end

local function square(f)
  return function(case, v, a, batch, m) return f(case, v, a, batch, m) end
end

checks.eigh = square(function(case, v, a, batch, n)
  local whole = (a + adjoint(a)):eval()
  for _, upper in ipairs { false, true } do
    local half = upper and gpuarray.triu(whole) or gpuarray.tril(whole)
    local w, x = v(linalg.eigh, half, { upper = upper })
    same_shape(case, "w", w, shape_of(batch, n))
    same_shape(case, "v", x, shape_of(batch, n, n))
    if a.size > 0 then
      within(case, "a v", ratio(whole:matmul(x), x * w:expand_dims(-2), norm(whole)))
      orthonormal(case, "v", x)
      ordered(case, "w", w)
      within(case, "eigvalsh", ratio(v(linalg.eigvalsh, half, { upper = upper }), w, norm(whole)))
    end
  end
end)

-- A matrix whose condition is known to be small beside the digits.
local function regular(a, n) return (a + eye(n, a) * (4 * math.sqrt(n))):eval() end

checks.solve = square(function(case, v, a, batch, n)
  a = regular(a, n)
  for _, b in ipairs { a[part(batch, {}, { 1, min(3, n) })], (a:real()):sum(-1):expand_dims(-1):astype(a.dtype) } do
    if b.size > 0 then
      local x = v(linalg.solve, a, b)
      same_shape(case, "x", x, b.shape)
      within(case, "a x", ratio(a:matmul(x), b, norm(a) * norm(x)))
    end
  end
  local x = v(linalg.inv, a)
  same_shape(case, "the inverse", x, a.shape)
  if a.size > 0 then
    within(case, "a times its inverse", ratio(a:matmul(x), eye(n, a):broadcast_to(a.shape), norm(a) * norm(x)))
    within(case, "the inverse without a check", ratio(v(linalg.inv, a, { check = false }), x, norm(x)))
    local one = v(linalg.solve, a[part(batch, {}, {})], gpuarray.ones(n, a.dtype))
    within(case, "a vector", ratio(a:matmul(one:expand_dims(-1)), gpuarray.ones(shape_of(batch, n, 1), a.dtype),
      norm(a) * norm(one)))
  end
end)

checks.det = square(function(case, v, a, batch, n)
  a = (regular(a, n) / (4 * math.sqrt(max(n, 1)))):eval()
  local sign, logs = v(linalg.slogdet, a)
  local own_sign, own_logs = linalg.slogdet(a)
  same_shape(case, "the sign", sign, batch)
  if a.size == 0 then return end
  local eps = gpuarray.finfo(a.dtype).eps
  within(case, "the sign", largest(sign - own_sign), 200 * n * eps)
  within(case, "the logarithm", largest(logs - own_logs), 200 * n * eps)
  within(case, "the determinant", largest(v(linalg.det, a) / linalg.det(a) - 1), 200 * n * eps)
end)

checks.cholesky = square(function(case, v, a, _, n)
  local whole = (a:matmul(adjoint(a)) + eye(n, a)):eval()
  local l = v(linalg.cholesky, gpuarray.tril(whole))
  local u = v(linalg.cholesky, gpuarray.triu(whole), { upper = true })
  same_shape(case, "l", l, a.shape)
  if a.size == 0 then return end
  within(case, "l l'", ratio(l:matmul(adjoint(l)), whole, norm(whole)))
  within(case, "u' u", ratio(adjoint(u):matmul(u), whole, norm(whole)))
  within(case, "what is above the diagonal of l", largest(gpuarray.triu(l, 1)), 0)
  within(case, "what is below the diagonal of u", largest(gpuarray.tril(u, -1)), 0)
end)

function checks.lstsq(case, v, a, _, m, n)
  if a.size == 0 then return end
  local b = a:sum(-1):expand_dims(-1):eval()
  local x, _, rank = v(linalg.lstsq, a, b)
  local rest = b - a:matmul(x)
  local scale = norm(adjoint(a)) * (norm(b) + norm(a) * norm(x))
  within(case, "a' (b - a x)", ratio(adjoint(a):matmul(rest), gpuarray.zeros(x.shape, a.dtype), scale))
  within(case, "the rank", math.abs(tonumber(rank:min():item()) - min(m, n)), 0)
  local inverse = v(linalg.pinv, a)
  within(case, "a a+ a", ratio(a:matmul(inverse):matmul(a), a, norm(a) ^ 2 * norm(inverse)))
  within(case, "the condition", largest(v(linalg.cond, a) / linalg.cond(a) - 1), 0.05)
end

-- By check: matrices that it is for.
local plan = {
  { "lu", { "random", "graded", "deficient", "zeros", "large", "small" }, false },
  { "qr", { "random", "graded", "deficient", "zeros", "large", "small" }, false },
  { "svd", { "random", "graded", "deficient", "zeros", "large", "small" }, false },
  { "eigh", { "random", "graded", "deficient", "zeros", "large", "small" }, true },
  { "solve", { "random" }, true }, { "det", { "random" }, true }, { "cholesky", { "random", "graded" }, true },
  { "lstsq", { "random" }, false },
}

-- ---- sweeps ---------------------------------------------------------------------------------------------------------

---Calls f(...) with a backend.
---@param backend string
---@param f function
---@return any ...  up to four results
function M.with(backend, f, ...)
  local before = linalg.backend()
  linalg.backend(backend)
  local ok, a, b, c, d = pcall(f, ...)
  linalg.backend(before)
  if not ok then error(a, 0) end
  return a, b, c, d
end

local function vendor(f, ...) return M.with("vendor", f, ...) end

local function text_of(row, kind, form, batch, m, n, dtype)
  return ("%s of %s %s matrices {%s} of %s, by %s"):format(row, kind, dtype, table.concat(shape_of(batch, m, n), ", "),
    dtype, form)
end

---Goes through all solvers with random matrices under "vendor", and raises an error that lists what does not fit.
---@param seed integer
---@param dtype string
---@param count integer
---@param extents integer[]  to choose from
function M.sweep(seed, dtype, count, extents)
  local rng, state, failures = cuda.random.Generator(seed), seed, {}
  local function pick(list) -- Park and Miller's generator: the same cases everywhere
    state = state * 16807 % 2147483647
    return list[state % #list + 1]
  end
  for k = 1, count do
    local row = plan[(k - 1) % #plan + 1]
    local kind, form, batch, m, n = pick(row[2]), pick(form_names), pick(batches), pick(extents), pick(extents)
    if row[3] then n = m end
    local a = forms[form](kinds[kind](rng, shape_of(batch, m, n), dtype), batch, m, n)
    local case = {}
    local ok, err = pcall(checks[row[1]], case, vendor, a, batch, m, n)
    if not ok then case[#case + 1] = "raised " .. tostring(err) end
    if #case > 0 then
      failures[#failures + 1] = ("case %d of seed %d, %s: %s"):format(k, seed, text_of(row[1], kind, form, batch, m, n,
        dtype), table.concat(case, "; "))
    end
  end
  if #failures > 0 then
    error(("%d of %d cases failed:\n%s"):format(#failures, count, table.concat(failures, "\n", 1, min(#failures, 15))),
      0)
  end
end

---One check of one matrix, as sweep() makes many.
---@param check string
---@param a cudalua.gpuarray.Array  without a batch
---@return string failures  "": none
function M.one(check, a)
  local case = {}
  checks[check](case, vendor, a, {}, a.shape[1], a.shape[2])
  return table.concat(case, "; ")
end

M.numbers = numbers

return M
