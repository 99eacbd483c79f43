-- What singular values give: lstsq, pinv, matrix_rank.

local errors = require "cudalua.base.errors"
local element = require "cudalua.base.element"
local functions = require "cudalua.gpuarray.core.functions"
local gpuarray = require "cudalua.gpuarray"
local layout = require "cudalua.base.layout"
local matrices = require "cudalua.linalg.matrices"
local object = require "cudalua.gpuarray.core.object"
local product = require "cudalua.gpuarray.product.compute"

local decompose = require("cudalua.linalg.jacobi").decompose
local adjoint, refuse = matrices.adjoint, layout.refuse

---@class cudalua.linalg
local M = {}

local lstsq_options = { rcond = true, stream = true, allocator = true }
local single = { rcond = true, out = true, stream = true, allocator = true }

-- What is small beside the largest value.
local function check_rcond(what, a, dt, rcond)
  if rcond == nil then
    return gpuarray.finfo(matrices.real(dt)).eps * math.max(a._shape[a._ndim], a._shape[a._ndim - 1])
  end
  local x = element.scalar(rcond)
  if type(x) ~= "number" or x < 0 or x ~= x then
    refuse(what, "rcond must be a non-negative number, got %s", errors.text(rcond))
  end
  return x
end

-- Which values count as 0, beside s; none of NaN.
local function negligible(s, rcond)
  if s._size == 0 then return s:ne(s) end
  return s:le(s:max { axis = -1, keepdims = true } * rcond)
end

-- v / s u' times a matrix, or alone.
local function inverted(what, a, dt, rcond, b, out)
  local u, s, vh = decompose(what, a, dt, false, true)
  local small = negligible(s, rcond)
  local factors = gpuarray.where(small, 0, 1 / s):astype(matrices.real(dt)):expand_dims(-1)
  local left = adjoint(u)
  if b then left = product.of(what, left, b, dt) end
  return product.of(what, adjoint(vh), (left * factors):astype(dt), nil, nil, out), s, small
end

-- ---- lstsq ----------------------------------------------------------------------------------------------------------

local function rank_of(small) return (-(small:astype "int64" - 1)):sum(-1) end

local function lstsq(what, a, b, rcond)
  local dt = matrices.field(what, a, b)
  local is_vector = b._ndim == 1
  local right
  a, right = matrices.both_seen(what, a, is_vector and b:reshape(b._size, 1) or b, dt)
  local n = a._shape[a._ndim]
  local x, s, small = inverted(what, a, dt, check_rcond(what, a, dt, rcond), right)
  local rest = (right - product.of(what, a, x)):abs()
  local residuals = (rest * rest):sum(-2):eval()
  if is_vector then
    local lead = matrices.lead(x)
    x, residuals = x:reshape(matrices.shape(lead, n)), residuals:reshape(lead)
  end
  return x, residuals, rank_of(small):eval(), s
end

---Least-squares solution of a x = b: the x with the least |b - a x|, and of several the one with the least |x|, as
---NumPy's lstsq. It uses singular values.
---@param a cudalua.gpuarray.Array  the matrices, (..., m, n)
---@param b cudalua.gpuarray.Array  the right-hand sides, (m,), or (..., m, k): batches broadcast
---@param options? {rcond: any, stream: cudalua.Stream, allocator: function}  rcond: singular values count as 0 if they
---  are at most rcond times the largest one; default: eps * max(m, n)
---@return cudalua.gpuarray.Array x          (..., n), or (..., n, k)
---@return cudalua.gpuarray.Array residuals  (...), or (..., k): the sum of the squares of b - a x, for any rank
---@return cudalua.gpuarray.Array rank       (...): int64
---@return cudalua.gpuarray.Array s          (..., min(m, n)): the singular values of a
---@raise LogicError if the shapes do not fit, for 16-bit floats and other values of rcond; RuntimeError if the
---  iteration does not converge
function M.lstsq(a, b, options)
  local what = "linalg.lstsq"
  matrices.check(what, a, "a")
  object.check_array(what, b, "b")
  local o = errors.options(what, options, lstsq_options)
  local m = a._shape[a._ndim - 1]
  if b._ndim == 0 or b._shape[b._ndim == 1 and 1 or b._ndim - 1] ~= m then
    refuse(what, "shapes %s and %s do not match: a has %.0f rows, and b must have as many", layout.text(a._shape),
      layout.text(b._shape), m)
  end
  matrices.check_contexts(what, a, b)
  check_rcond(what, a, matrices.field(what, a, b), o.rcond)
  return matrices.inside(a, lstsq, what, a, b, o.rcond)
end

-- ---- pinv and matrix_rank -------------------------------------------------------------------------------------------

-- What f makes of the singular values of a that count: pinv and matrix_rank differ in that alone. f gets `out`, too.
local function of_values(what, f, a, options)
  matrices.check(what, a)
  local o = errors.options(what, options, single)
  local dt = matrices.field(what, a)
  return matrices.inside(a, f, what, a, dt, check_rcond(what, a, dt, o.rcond), o.out)
end

local function pinv(what, a, dt, rcond, out) return (inverted(what, a, dt, rcond, nil, out)) end

---The Moore-Penrose pseudoinverses of matrices.
---@param a cudalua.gpuarray.Array  the matrices, (..., m, n)
---@param options? {rcond: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  rcond: as for
---  linalg.lstsq
---@return cudalua.gpuarray.Array  (..., n, m)
---@raise LogicError for arrays with fewer than two axes, 16-bit floats, other values of rcond, and if out has another
---  shape; RuntimeError if the iteration does not converge
function M.pinv(a, options) return of_values("linalg.pinv", pinv, a, options) end

local function matrix_rank(what, a, dt, rcond, out)
  local _, s = decompose(what, a, dt, false, false)
  local rank = rank_of(negligible(s, rcond))
  return out ~= nil and functions.deliver(what, rank, out) or rank:eval()
end

---The ranks of matrices: the number of singular values that do not count as 0.
---@param a cudalua.gpuarray.Array  the matrices, (..., m, n)
---@param options? {rcond: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  rcond: as for
---  linalg.lstsq
---@return cudalua.gpuarray.Array  (...): int64
---@raise LogicError as linalg.pinv; RuntimeError if the iteration does not converge
function M.matrix_rank(a, options) return of_values("linalg.matrix_rank", matrix_rank, a, options) end

return M
