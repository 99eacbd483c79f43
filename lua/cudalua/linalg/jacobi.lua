-- Jacobi's rotations: svd, svdvals, eigh, eigvalsh.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local functions = require "cudalua.gpuarray.core.functions"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local matrices = require "cudalua.linalg.matrices"
local product = require "cudalua.gpuarray.product.compute"
local qr = require "cudalua.linalg.qr"
local solver = require "cudalua.linalg.solver"
local storage = require "cudalua.gpuarray.core.storage"
local vendor = require "cudalua.linalg.vendor"

local adjoint, ceil = matrices.adjoint, math.ceil

---@class cudalua.linalg
local M = {}

local SWEEPS, UNSEEN = 30, 15 -- at most; inside a capture, where no result can be read

local SHORT = { [4] = 1e-12, [8] = 1e-138 } -- by bytes: the root of the least number, divided by eps

-- ---- sweeps ---------------------------------------------------------------------------------------------------------

local function append(list, ...)
  for _, x in ipairs { ... } do
    local leaf = storage.leaf_of(x)
    list[#list + 1], list[#list + 2] = leaf.buf, leaf.off
  end
  return list
end

local parts = {
  sides_small = { "pairs", "sides", "frame", "sides_small" }, sides_round = { "pairs", "sides", "sides_round" },
  both_small = { "pairs", "angles", "frame", "both_small" }, both_angles = { "pairs", "angles", "both_angles" },
  both_round = { "pairs", "angles", "both_round" },
}

local DIVERGED = matrices.divergence(("%d sweeps were not enough"):format(SWEEPS))

local function kernel(name, dt)
  return matrices.kernel("jacobi", parts[name], "linalg_jacobi_" .. name, dt)
end

local function any(info)
  local host = info:get { array = true }
  local p = ffi.cast("const int32_t *", host:data())
  for i = 0, info._size - 1 do
    if p[i] ~= 0 then return true end
  end
  return false
end

local function add_round(steps, kind, round, n, batches, x, v, info, angles)
  local dt, pairs = x._dtype, ceil(n / 2)
  if kind == "sides" then
    matrices.step(steps, kernel("sides_round", dt), ceil(batches * pairs / 8), 256,
      append({ batches * pairs, n, round }, x, v, info))
    return
  end
  matrices.step(steps, kernel("both_angles", dt), ceil(batches * pairs / 256), 256,
    append({ batches * pairs, n, round }, x, angles, info))
  local all = batches * pairs * (pairs + n)
  matrices.step(steps, kernel("both_round", dt), ceil(all / 256), 256, append({ all, n, round }, x, v, angles))
end

-- Turns the rows of x (`sides`: until they are orthogonal) or both its sides, and those of v, which becomes the turns.
local function turn(what, kind, x)
  local dt, n, lead = x._dtype, x._shape[x._ndim], matrices.lead(x)
  local batches = graph.size_of(lead)
  local info = matrices.empty(dtypes.int32, lead)
  local captured = core.array_ready(storage.leaf_of(x).buf)
  local sweeps = captured and UNSEEN or SWEEPS
  local v, goes_on
  if n <= matrices.side(dt) then
    v = matrices.empty(dt, x._shape)
    local steps = matrices.steps()
    for _, used in ipairs { x, v, info } do matrices.use(steps, used) end
    matrices.step(steps, kernel(kind .. "_small", dt), batches, matrices.threads(n * n),
      append({ batches, n, sweeps }, x, v, info))
    matrices.launch(steps)
    goes_on = not captured and any(info)
  else
    v = gpuarray.eye(n, nil, nil, dt):broadcast_to(x.shape):copy "C"
    local angles = kind == "both" and matrices.empty(dt, { batches, ceil(n / 2), 8 }) or nil
    goes_on = true
    for _ = 1, sweeps do
      info = gpuarray.zeros({ batches }, "int32"):eval()
      local steps = matrices.steps()
      for _, used in ipairs { x, v, info, angles } do matrices.use(steps, used) end
      for round = 0, 2 * ceil(n / 2) - 2 do add_round(steps, kind, round, n, batches, x, v, info, angles) end
      matrices.launch(steps)
      goes_on = not captured and any(info)
      if not captured and not goes_on then break end
    end
  end
  if goes_on then
    matrices.report(what, info, lead, DIVERGED)
  end
  return v
end

-- The largest element of each matrix, for scaling; NaN if one is not finite, so that all become NaN; 1 of zeros.
local function scale_of(x)
  local size = x:abs():max { axis = { -2, -1 }, keepdims = true }
  size = gpuarray.where(size:eq(0), 1, size)
  return gpuarray.where(size:isfinite(), size, 0 / 0):eval()
end

-- Takes columns in an order, which is beside each matrix.
local function in_order(x, order)
  return matrices.along(x, order:expand_dims(-2), x._ndim)
end

-- By what to multiply columns so that the largest component of each is real and positive.
local function phases(x)
  local at = x:abs():argmax(-2):expand_dims(-2)
  local largest = matrices.along(x, at, x._ndim - 1)
  local size = largest:abs()
  local phase = gpuarray.where(size:eq(0), 1, largest / size)
  return phase.dtype.kind == "complex" and phase:conj() or phase
end

-- ---- singular values ------------------------------------------------------------------------------------------------

local function empty_svd(lead, m, n, dt, full, vectors)
  local k = math.min(m, n) -- not 0 in an empty batch
  local s = gpuarray.zeros(matrices.shape(lead, k), matrices.real(dt))
  if not vectors then return nil, s end
  local function unit(rows, columns)
    return gpuarray.eye(rows, columns, nil, dt):broadcast_to(matrices.shape(lead, rows, columns)):copy "C"
  end
  return unit(m, full and m or k), s, unit(full and n or k, n)
end

-- By cuSOLVER, with so many columns of u, m >= n; 0: the values alone.
local function by_vendor(what, a, scale, dt, columns)
  local lead, m, n = matrices.lead(a), a._shape[a._ndim - 1], a._shape[a._ndim]
  local strange = scale:isnan()
  local s, u, v = vendor.singular(what, a / scale, strange, dt, columns)
  s = (s * scale:reshape(matrices.shape(lead, 1))):astype(matrices.real(dt)):eval()
  if not u then return nil, s end
  local phase = phases(v)
  v = gpuarray.where(strange, 0 / 0, v * phase)
  if columns > n then phase = gpuarray.concatenate({ phase, gpuarray.ones(matrices.shape(lead, 1, m - n), dt) }, -1) end
  u = gpuarray.where(strange, 0 / 0, u * phase)
  return matrices.copy(what, u, dt), s, matrices.copy(what, adjoint(v), dt)
end

---u, s, vh of matrices, without checks of arguments.
---@param what string
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@param full boolean     all columns of u and rows of vh
---@param vectors boolean  otherwise s alone
---@return cudalua.gpuarray.Array? u
---@return cudalua.gpuarray.Array s
---@return cudalua.gpuarray.Array? vh
local function decompose(what, a, dt, full, vectors)
  local lead, m, n = matrices.lead(a), a._shape[a._ndim - 1], a._shape[a._ndim]
  if a._size == 0 then return empty_svd(lead, m, n, dt, full, vectors) end
  if m < n then
    local u, s, vh = decompose(what, adjoint(graph.as_type(a, dt, what)), dt, full, vectors)
    if not vectors then return nil, s end
    return matrices.copy(what, adjoint(vh), dt), s, matrices.copy(what, adjoint(u), dt)
  end
  a = matrices.seen(what, a, dt)
  local scale = scale_of(a)
  if solver.chosen(what, a, dt, "singular values") then
    return by_vendor(what, a, scale, dt, not vectors and 0 or full and m or n)
  end
  local q, r = qr.factors(what, a / scale, dt, full and vectors and "complete" or vectors and "reduced" or "r",
    true)
  if full and vectors and m > n then
    local part = {}
    for axis = 1, #lead do part[axis] = {} end
    part[#part + 1], part[#part + 2] = { 1, n }, {}
    r = r[part]
  end
  local w = matrices.copy(what, r:swapaxes(-1, -2), dt) -- its rows are the columns of r
  local v = turn(what, "sides", w)
  local s = w:norm { axis = -1 }
  local order = s:argsort { axis = -1, descending = true }
  local sorted = (matrices.along(s, order, s._ndim) * scale:reshape(matrices.shape(lead, 1))):eval()
  if not vectors then return nil, sorted end
  local sizes = matrices.along(s, order, s._ndim):expand_dims(-2)
  local left, right = in_order(w:swapaxes(-1, -2), order), in_order(v:swapaxes(-1, -2), order)
  local phase = phases(right)
  right = gpuarray.where(scale:isnan(), 0 / 0, right * phase)
  -- The squares of shorter columns have too few digits, so that those need not be orthogonal; the largest one is 1.
  local none = sizes:le(SHORT[matrices.real(dt).itemsize]):eval()
  left = gpuarray.where(none, 0, left * phase / sizes):astype(dt):eval()
  local completed = qr.factors(what, left, dt, "reduced", true) -- the columns for values that are 0
  left = gpuarray.where(none, completed, left):astype(dt):eval()
  if full and m > n then
    local whole = matrices.copy(what, gpuarray.eye(m, nil, nil, dt):broadcast_to(matrices.shape(lead, m, m)), dt)
    local corner = {}
    for axis = 1, #lead do corner[axis] = {} end
    corner[#corner + 1], corner[#corner + 2] = { 1, n }, { 1, n }
    whole[corner] = left
    left = whole
  end
  return product.of(what, q, left), sorted, matrices.copy(what, adjoint(right), dt)
end

local svd_options = { full_matrices = true, stream = true, allocator = true }
local single = { out = true, stream = true, allocator = true }

local function check_boolean(what, o, name)
  if o[name] ~= nil and type(o[name]) ~= "boolean" then
    layout.refuse(what, "%s must be true or false, got %s", name, errors.text(o[name]))
  end
end

---Singular value decomposition: a = u diag(s) vh, as NumPy's svd. The largest component of each row of vh is real and
---positive. NaN and infinities give NaN.
---@param a cudalua.gpuarray.Array  the matrices, (..., m, n)
---@param options? {full_matrices: boolean, stream: cudalua.Stream, allocator: function}  full_matrices = false: u is
---  (..., m, k) and vh (..., k, n), where k is the smaller of m and n; default: (..., m, m) and (..., n, n)
---@return cudalua.gpuarray.Array u
---@return cudalua.gpuarray.Array s   (..., k): real, in descending order
---@return cudalua.gpuarray.Array vh
---@raise LogicError for arrays with fewer than two axes and 16-bit floats; LinAlgError if the iteration does not
---  converge
function M.svd(a, options)
  local what = "linalg.svd"
  matrices.check(what, a)
  local o = errors.options(what, options, svd_options)
  check_boolean(what, o, "full_matrices")
  local u, s, vh = matrices.inside(a, decompose, what, a, matrices.field(what, a), o.full_matrices ~= false, true)
  return u, s, vh
end

---The singular values of matrices.
---@param a cudalua.gpuarray.Array  the matrices, (..., m, n)
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  (..., k), where k is the smaller of m and n: real, in descending order
---@raise LogicError as linalg.svd, and if out has another shape; LinAlgError if the iteration does not converge
function M.svdvals(a, options)
  local what = "linalg.svdvals"
  matrices.check(what, a)
  local o = errors.options(what, options, single)
  local _, s = matrices.inside(a, decompose, what, a, matrices.field(what, a), false, false)
  return o.out ~= nil and functions.deliver(what, s, o.out) or s
end

-- ---- eigenvalues ----------------------------------------------------------------------------------------------------

local eigh_options = { upper = true, stream = true, allocator = true }
local eigvalsh_options = { upper = true, out = true, stream = true, allocator = true }

local function eigen(what, a, upper, vectors)
  local dt, lead, n = matrices.field(what, a), matrices.lead(a), a._shape[a._ndim]
  if a._size == 0 then
    return gpuarray.zeros(matrices.shape(lead, n), matrices.real(dt)), vectors and matrices.copy(what, a, dt) or nil
  end
  a = graph.as_type(a, dt, what)
  local lower = upper and adjoint(gpuarray.triu(a)) or gpuarray.tril(a)
  local strict = gpuarray.tril(lower, -1)
  local scale = scale_of(lower)
  local diagonal = lower - strict
  if dt.kind == "complex" then diagonal = diagonal:real() end
  if solver.chosen(what, a, dt, "eigenvalues") then
    local w, v = vendor.eigen(what, (strict + diagonal) / scale, scale:isnan(), dt, vectors)
    w = (w * scale:reshape(matrices.shape(lead, 1))):astype(matrices.real(dt)):eval()
    if not v then return w end
    return w, matrices.copy(what, gpuarray.where(scale:isnan(), 0 / 0, v * phases(v)), dt)
  end
  local x = matrices.copy(what, (strict + adjoint(strict:eval()) + diagonal) / scale, dt)
  local v = turn(what, "both", x)
  local values = x:diagonal(0, -2, -1)
  if dt.kind == "complex" then values = values:real() end
  local order = values:argsort { axis = -1 }
  local sorted = matrices.along(values, order, values._ndim) * scale:reshape(matrices.shape(lead, 1))
  sorted = sorted:astype(matrices.real(dt)):eval()
  if not vectors then return sorted end
  local columns = in_order(v:swapaxes(-1, -2), order)
  columns = gpuarray.where(scale:isnan(), 0 / 0, columns * phases(columns))
  return sorted, matrices.copy(what, columns, dt)
end

---Eigenvalues and eigenvectors of symmetric or Hermitian matrices: a v = v diag(w). The lower triangle is
---read, or with `upper` the upper one.
---The largest component of each vector is real and positive. NaN and infinities give NaN.
---@param a cudalua.gpuarray.Array  the matrices, (..., n, n)
---@param options? {upper: boolean, stream: cudalua.Stream, allocator: function}  upper: read the upper triangle
---@return cudalua.gpuarray.Array w  (..., n): real, in ascending order
---@return cudalua.gpuarray.Array v  (..., n, n): orthonormal columns
---@raise LogicError for matrices that are not square and 16-bit floats; LinAlgError if the iteration does not converge
function M.eigh(a, options)
  local what = "linalg.eigh"
  matrices.check_square(what, a)
  local o = errors.options(what, options, eigh_options)
  check_boolean(what, o, "upper")
  return matrices.inside(a, eigen, what, a, o.upper == true, true)
end

---The eigenvalues of symmetric or Hermitian matrices. The lower triangle is read, or with `upper` the upper one.
---@param a cudalua.gpuarray.Array  the matrices, (..., n, n)
---@param options? {upper: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  upper:
---  read the upper triangle
---@return cudalua.gpuarray.Array  (..., n): real, in ascending order
---@raise LogicError as linalg.eigh, and if out has another shape; LinAlgError if the iteration does not converge
function M.eigvalsh(a, options)
  local what = "linalg.eigvalsh"
  matrices.check_square(what, a)
  local o = errors.options(what, options, eigvalsh_options)
  check_boolean(what, o, "upper")
  local w = matrices.inside(a, eigen, what, a, o.upper == true, false)
  return o.out ~= nil and functions.deliver(what, w, o.out) or w
end

return { functions = M, decompose = decompose }
