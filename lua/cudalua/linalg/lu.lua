-- Elimination with pivots: lu, solve, inv, det, slogdet.

local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local gpuarray = require "cudalua.gpuarray"
local layout = require "cudalua.base.layout"
local matrices = require "cudalua.linalg.matrices"
local solver = require "cudalua.linalg.solver"
local storage = require "cudalua.gpuarray.core.storage"
local triangular = require "cudalua.linalg.triangular"
local vendor = require "cudalua.linalg.vendor"

local ceil, min, max = math.ceil, math.min, math.max

---@class cudalua.linalg
local M = {}

local placed = { stream = true, allocator = true }
local single = { out = true, stream = true, allocator = true }
---@type cudalua.linalg.Failure
local SINGULAR = { is = "is singular", why = "pivot %d is 0" }
local checked = { check = true, out = true, stream = true, allocator = true }

---What own elimination gives: l and u in one array, and for each matrix its permutation, the number of the first pivot
---that is 0, and the permutation's sign.
---@class cudalua.linalg.Elimination
---@field x cudalua.gpuarray.Array
---@field p cudalua.gpuarray.Array     int64, from 1
---@field info cudalua.gpuarray.Array  int32
---@field sign cudalua.gpuarray.Array  int32

local function arguments(f, ...)
  local list = { ... }
  for _, name in ipairs { "x", "p", "info", "sign" } do
    local leaf = storage.leaf_of(f[name])
    list[#list + 1], list[#list + 2] = leaf.buf, leaf.off
  end
  return list
end

local function add_panels(steps, f, x)
  local m, n, dt = x.m, x.n, x.leaf.dtype
  local k = min(m, n)
  for first = 0, k - 1, matrices.BLOCK do
    local width = min(matrices.BLOCK, k - first)
    local next = first + width
    matrices.step(steps, matrices.kernel("lu", { "lu", "panel" }, "linalg_lu_panel", dt), x.batches, 256,
      arguments(f, x.batches, m, n, first, next))
    if next < n then
      local right = matrices.part(x, first, next, width, n - next)
      triangular.steps(steps, matrices.part(x, first, first, width, width), right, false, true)
      if next < m then
        matrices.multiply(steps, matrices.part(x, next, next, m - next, n - next),
          matrices.part(x, next, first, m - next, width), right, -1, 1)
      end
    end
  end
end

---@return cudalua.linalg.Elimination|cudalua.linalg.Factors
local function eliminated(what, a, dt)
  if solver.chosen(what, a, dt) then return vendor.eliminated(what, a, dt) end
  local lead, m, n = matrices.lead(a), a._shape[a._ndim - 1], a._shape[a._ndim]
  local f = { x = matrices.copy(what, a, dt), p = matrices.empty(dtypes.int64, matrices.shape(lead, m)),
    info = gpuarray.zeros(lead, "int32"):eval(), sign = gpuarray.ones(lead, "int32"):eval() }
  if a._size == 0 then -- no pivots
    if f.p._size > 0 then
      f.p = (gpuarray.arange(1, m + 1, nil, "int64")):broadcast_to(matrices.shape(lead, m)):copy "C"
    end
    return f
  end
  local steps, x = matrices.steps(), matrices.of(f.x)
  for _, name in ipairs { "x", "p", "info", "sign" } do matrices.use(steps, f[name]) end
  if max(m, n) <= matrices.side(dt) then
    matrices.step(steps, matrices.kernel("lu", { "lu", "small" }, "linalg_lu_small", dt), x.batches,
      matrices.threads(m * n), arguments(f, x.batches, m, n))
  else
    add_panels(steps, f, x)
  end
  matrices.launch(steps)
  return f
end

-- What is the vendor's is computed where it is asked for.
local function permutation_of(f, m) return f.pivots and vendor.permutation(f, m) or f.p end
local function sign_of(f) return f.pivots and vendor.sign(f) or f.sign end

local function check_option(what, o)
  if o.check ~= nil and type(o.check) ~= "boolean" then
    layout.refuse(what, "check must be true or false, got %s", errors.text(o.check))
  end
end

-- ---- lu -------------------------------------------------------------------------------------------------------------

local function lu(what, a)
  local dt = matrices.field(what, a)
  local f = eliminated(what, a, dt)
  local m, n = a._shape[a._ndim - 1], a._shape[a._ndim]
  local k, lead = min(m, n), matrices.lead(a)
  local whole = {}
  for axis = 1, #lead do whole[axis] = {} end
  local left, upper = { unpack(whole) }, { unpack(whole) }
  left[#left + 1], left[#left + 2] = {}, { 1, k }
  upper[#upper + 1], upper[#upper + 2] = { 1, k }, {}
  if k == 0 then
    return f.p, gpuarray.zeros(matrices.shape(lead, m, 0), dt), gpuarray.zeros(matrices.shape(lead, 0, n), dt)
  end
  local l = gpuarray.tril(f.x[left], -1) + gpuarray.eye(m, k, nil, dt)
  return permutation_of(f, m), l:eval(), gpuarray.triu(f.x[upper]):eval()
end

---LU factorization of matrices with partial pivoting: a[p] = l u.
---@param a cudalua.gpuarray.Array  the matrices, (..., m, n)
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array p  (..., m), int64: the row of a at each position, from 1
---@return cudalua.gpuarray.Array l  (..., m, k), where k is the smaller of m and n, with ones on its diagonal
---@return cudalua.gpuarray.Array u  (..., k, n)
---@raise LogicError for arrays with fewer than two axes and for 16-bit floats
function M.lu(a, options)
  local what = "linalg.lu"
  matrices.check(what, a)
  errors.options(what, options, placed)
  return matrices.inside(a, lu, what, a)
end

-- ---- solve ----------------------------------------------------------------------------------------------------------

-- Solves with matrices `right` of the batch's shape.
local function solved(what, a, right, batch, dt, check)
  local n, k = a._shape[a._ndim], right._shape[right._ndim]
  local f = eliminated(what, triangular.beside(a, batch), dt)
  if check then
    matrices.report(what, f.info, matrices.lead(f.x), SINGULAR)
  end
  local x = matrices.empty(dt, matrices.shape(batch, n, k))
  if x._size == 0 then return x end
  if f.pivots then return vendor.solved(what, f, right, dt) end
  local b = matrices.copy(what, right, dt)
  local steps, to = matrices.steps(), matrices.of(x)
  for _, used in ipairs { f.x, f.p, f.info, b, x } do matrices.use(steps, used) end
  local from, places, out = storage.leaf_of(b), storage.leaf_of(f.p), storage.leaf_of(x)
  matrices.step(steps, matrices.kernel("triangular", { "rows" }, "linalg_rows", dt), ceil(x._size / 256), 256,
    { x._size, n, k, from.buf, from.off, places.buf, places.off, f.info._size == 1 and 0 or n, out.buf, out.off })
  local factors = triangular.spread(matrices.of(f.x), to.batches)
  triangular.steps(steps, factors, to, false, true)
  triangular.steps(steps, factors, to, true, false)
  if not check then matrices.spoil(steps, x, n * k, f.info) end
  matrices.launch(steps)
  return x
end

local function solve(what, a, b, check)
  local batch, right, is_vector = triangular.sides(what, a, b)
  local n, k, dt = right._shape[right._ndim - 1], right._shape[right._ndim], matrices.field(what, a, b)
  a, right = matrices.both_seen(what, triangular.beside(a, batch), right:broadcast_to(matrices.shape(batch, n, k)), dt)
  local x = solved(what, a, right, batch, dt, check)
  return is_vector and x:reshape(matrices.shape(batch, n)) or x
end

---Solves systems of linear equations a x = b by elimination with partial pivoting, as NumPy's solve.
---@param a cudalua.gpuarray.Array  the matrices, (..., n, n)
---@param b cudalua.gpuarray.Array  the right-hand sides, (n,), or (..., n, k): batches broadcast
---@param options? {check: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  check:
---  wait and raise an error for a singular matrix; default true; false: return NaN
---@return cudalua.gpuarray.Array x
---@raise LinAlgError if a matrix is singular; its fields are `matrix`, `pivot` and `matrices`
---@raise LogicError for matrices that are not square, shapes that do not fit, 16-bit floats, inside a capture without
---  check = false, and if out has another shape
function M.solve(a, b, options)
  local what = "linalg.solve"
  matrices.check_square(what, a, "a")
  local o = errors.options(what, options, checked)
  check_option(what, o)
  triangular.sides(what, a, b)
  matrices.field(what, a, b)
  return matrices.result(what, a, o.out, solve, a, b, o.check ~= false)
end

local function inverse(what, a, check)
  local dt, n, lead = matrices.field(what, a), a._shape[a._ndim], matrices.lead(a)
  local unit = gpuarray.eye(n, nil, nil, dt):broadcast_to(matrices.shape(lead, n, n))
  return solved(what, a, unit, lead, dt, check)
end

---The inverses of square matrices. linalg.solve() is faster and more accurate than a product with an inverse.
---@param a cudalua.gpuarray.Array  the matrices, (..., n, n)
---@param options? {check: boolean, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  check: as
---  for linalg.solve
---@return cudalua.gpuarray.Array
---@raise LinAlgError if a matrix is singular; its fields are `matrix`, `pivot` and `matrices`
---@raise LogicError for matrices that are not square, 16-bit floats, inside a capture without check = false, and if out
---  has another shape
function M.inv(a, options)
  local what = "linalg.inv"
  matrices.check_square(what, a)
  local o = errors.options(what, options, checked)
  check_option(what, o)
  return matrices.result(what, a, o.out, inverse, a, o.check ~= false)
end

-- ---- det and slogdet ------------------------------------------------------------------------------------------------

local function pivots(what, a)
  local dt = matrices.field(what, a)
  local f = eliminated(what, a, dt)
  if a._shape[a._ndim] == 0 then return gpuarray.ones(matrices.shape(matrices.lead(a), 0), dt), f.sign:astype(dt) end
  return f.pivots and vendor.diagonal(f) or f.x:diagonal(0, -2, -1), sign_of(f):astype(dt)
end

local function det(what, a)
  local d, sign = pivots(what, a)
  return d:prod(-1) * sign
end

---The determinants of square matrices; 0 for singular matrices. slogdet() does not overflow.
---@param a cudalua.gpuarray.Array  the matrices, (..., n, n)
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  (...)
---@raise LogicError for matrices that are not square, 16-bit floats, and if out has another shape
function M.det(a, options)
  local what = "linalg.det"
  matrices.check_square(what, a)
  local o = errors.options(what, options, single)
  return matrices.result(what, a, o.out, det, a)
end

local function slogdet(what, a)
  local d, sign = pivots(what, a)
  local size = d:abs()
  local direction = gpuarray.where(size:eq(0), 0, d / size)
  if d.dtype.kind ~= "complex" then direction = d:sign() end
  return (direction:prod(-1) * sign):eval(), size:log():sum(-1):eval()
end

---The determinants of square matrices as a sign and a logarithm: det = sign * exp(logabs).
---@param a cudalua.gpuarray.Array  the matrices, (..., n, n)
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array sign    (...): 1, -1, or 0 for a singular matrix; for complex matrices a number of
---  magnitude 1
---@return cudalua.gpuarray.Array logabs  (...): real; -inf for a singular matrix
---@raise LogicError for matrices that are not square, and 16-bit floats
function M.slogdet(a, options)
  local what = "linalg.slogdet"
  matrices.check_square(what, a)
  errors.options(what, options, placed)
  return matrices.inside(a, slogdet, what, a)
end

---For functions.lua: solves without checks of arguments, of matrices of one batch.
---@param what string
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
local function quotient(what, a, b)
  return solved(what, a, b, matrices.lead(a), a._dtype, false):eval()
end

---For chains.lua: the inverses, without checks of arguments.
---@param what string
---@param a cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
local function inverted(what, a) return inverse(what, a, true):eval() end

return { functions = M, quotient = quotient, inverse = inverted }
