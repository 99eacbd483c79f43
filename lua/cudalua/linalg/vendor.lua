-- Factors of matrices by cuSOLVER (linalg/solver.lua), in the forms that own kernels give. The library never sees NaN
-- and infinities: such matrices are computed as zeros, and their results are NaN.

local dtypes = require "cudalua.dtype"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local matrices = require "cudalua.linalg.matrices"
local solver = require "cudalua.linalg.solver"
local storage = require "cudalua.gpuarray.core.storage"

local min = math.min
local NAN = 0 / 0

local M = {}

-- Which matrices have elements that are not finite, beside each.
local function is_strange(a) return a:isfinite():all({ axis = { -2, -1 }, keepdims = true }):logical_not():eval() end

-- What the library reported; -1 for strange matrices, which are no error.
local function reported(info, strange)
  return gpuarray.where(strange:reshape(info.shape), -1, info):astype(dtypes.int32):eval()
end

-- Beside matrices of the batch's shape: was something reported?
local function is_spoiled(info, lead)
  return info:reshape(info._size == 1 and { 1, 1 } or matrices.shape(lead, 1, 1)):ne(0)
end

-- The lower triangle with what counts of it: the diagonal is real.
local function triangle(a)
  local lower = gpuarray.tril(a)
  if a._dtype.kind ~= "complex" then return lower end
  local strict = gpuarray.tril(a, -1)
  return strict + (lower - strict):real()
end

---Cholesky's factors from lower triangles, or with `upper` from upper ones.
---@param what string
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@param upper boolean
---@return cudalua.gpuarray.Array x     an expression: l, or with `upper` its adjoint; NaN where info is not 0
---@return cudalua.gpuarray.Array info  int32: the first minor that is not positive; -1: there were NaN
function M.cholesky(what, a, dt, upper)
  a = graph.as_type(a, dt, what)
  local lower, lead = triangle(upper and matrices.adjoint(a) or a), matrices.lead(a)
  local strange = is_strange(lower)
  local x = matrices.copy(what, gpuarray.where(strange, 0, lower):swapaxes(-1, -2), dt)
  local info = matrices.empty(dtypes.int32, lead)
  solver.potrf(what, x, info)
  info = reported(info, strange)
  local conjugate = dt.kind == "complex" and x:conj() or x
  local factor = upper and gpuarray.triu(conjugate) or gpuarray.tril(x:swapaxes(-1, -2))
  return gpuarray.where(is_spoiled(info, lead), NAN, factor):astype(dt), info
end

---What cuSOLVER's elimination gives: `factors` holds the transposes of l and u in one array, `pivots` what each row was
---exchanged with, `x` is l and u as an expression.
---@class cudalua.linalg.Factors
---@field x cudalua.gpuarray.Array
---@field info cudalua.gpuarray.Array     int32: the first pivot that is 0; -1: there were NaN
---@field factors cudalua.gpuarray.Array
---@field pivots cudalua.gpuarray.Array

---@param what string
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@return cudalua.linalg.Factors
function M.eliminated(what, a, dt)
  local lead, k = matrices.lead(a), min(a._shape[a._ndim - 1], a._shape[a._ndim])
  a = matrices.seen(what, a, dt)
  local strange = is_strange(a)
  local x = matrices.copy(what, gpuarray.where(strange, 0, a):swapaxes(-1, -2), dt)
  local pivots, info = matrices.empty(dtypes.int64, matrices.shape(lead, k)), matrices.empty(dtypes.int32, lead)
  solver.getrf(what, x, pivots, info)
  return { x = gpuarray.where(strange, NAN, x:swapaxes(-1, -2)):astype(dt), info = reported(info, strange), factors = x,
    pivots = pivots }
end

---The pivots on the diagonal, those of a matrix with NaN being NaN.
---@param f cudalua.linalg.Factors
---@return cudalua.gpuarray.Array
function M.diagonal(f)
  local strange = f.info:lt(0):expand_dims(-1)
  return gpuarray.where(strange, NAN, f.factors:diagonal(0, -2, -1)):astype(f.factors._dtype)
end

---The permutation of so many rows: which row of the matrix stands where, from 1.
---@param f cudalua.linalg.Factors
---@param m integer
---@return cudalua.gpuarray.Array
function M.permutation(f, m)
  local k, lead = f.pivots._shape[f.pivots._ndim], matrices.lead(f.pivots, 1)
  local p, steps = matrices.empty(dtypes.int64, matrices.shape(lead, m)), matrices.steps()
  local batches, from, to = graph.size_of(lead), storage.leaf_of(f.pivots), storage.leaf_of(p)
  matrices.use(steps, f.pivots)
  matrices.use(steps, p)
  matrices.step(steps, matrices.kernel("lu", { "interchanges" }, "linalg_interchanges", dtypes.int64), batches, 256,
    { batches, m, k, from.buf, from.off, to.buf, to.off })
  matrices.launch(steps)
  return p
end

---The sign of the permutation.
---@param f cudalua.linalg.Factors
---@return cudalua.gpuarray.Array
function M.sign(f)
  local k = f.pivots._shape[f.pivots._ndim]
  local exchanges = f.pivots:ne(gpuarray.arange(1, k + 1, nil, "int64")):astype(dtypes.int32):sum(-1)
  return 1 - exchanges % 2 * 2
end

---Solves with eliminated matrices.
---@param what string
---@param f cudalua.linalg.Factors
---@param right cudalua.gpuarray.Array  (..., n, k)
---@param dt cudalua.dtype.DType
---@return cudalua.gpuarray.Array x  an expression; NaN where something was reported
function M.solved(what, f, right, dt)
  local b = matrices.copy(what, right:swapaxes(-1, -2), dt)
  solver.getrs(what, f.factors, f.pivots, b)
  local spoiled = is_spoiled(f.info, matrices.lead(right))
  return gpuarray.where(spoiled, NAN, b:swapaxes(-1, -2)):astype(dt)
end

---Reflects matrices onto a triangle.
---@param what string
---@param x cudalua.gpuarray.Array  (..., n, m): the transposes; becomes r, with other things below its diagonal
---@param columns integer           of q; 0: none
---@return cudalua.gpuarray.Array? q  (..., columns, m): its transpose
function M.reflected(what, x, columns)
  local dt, lead, n, m = x._dtype, matrices.lead(x), x._shape[x._ndim - 1], x._shape[x._ndim]
  local tau = matrices.empty(dt, matrices.shape(lead, min(m, n)))
  solver.geqrf(what, x, tau)
  if columns == 0 then return nil end
  local part, there = {}, min(columns, n)
  for axis = 1, #lead do part[axis] = {} end
  part[#part + 1], part[#part + 2] = { 1, there }, {}
  local q
  if there == columns then
    q = matrices.copy(what, x[part], dt)
  else
    q = matrices.copy(what, gpuarray.zeros(matrices.shape(lead, columns, m), dt), dt)
    q[part] = x
  end
  solver.orgqr(what, q, tau)
  return q
end

local DIVERGED = matrices.divergence "cuSOLVER's info is %d"

---Eigenvalues, ascending, and vectors from lower triangles.
---@param what string
---@param lower cudalua.gpuarray.Array  scaled; its diagonal is real
---@param strange cudalua.gpuarray.Array  bool, beside each: computed as zeros
---@param dt cudalua.dtype.DType
---@param vectors boolean
---@return cudalua.gpuarray.Array w
---@return cudalua.gpuarray.Array? v  its columns are the vectors: an expression
function M.eigen(what, lower, strange, dt, vectors)
  local lead, n = matrices.lead(lower), lower._shape[lower._ndim]
  local x = matrices.copy(what, gpuarray.where(strange, 0, lower), dt)
  local w, info = matrices.empty(matrices.real(dt), matrices.shape(lead, n)), matrices.empty(dtypes.int32, lead)
  solver.syevd(what, x, w, info, vectors)
  matrices.report(what, info, lead, DIVERGED)
  -- The library saw the conjugate of the matrix, and its vectors are rows in memory.
  return w, vectors and matrices.adjoint(x) or nil
end

---Singular values, descending, and vectors of matrices with as many rows as columns or more.
---@param what string
---@param a cudalua.gpuarray.Array        scaled
---@param strange cudalua.gpuarray.Array  bool, beside each: computed as zeros
---@param dt cudalua.dtype.DType
---@param columns integer  of u; 0: no vectors
---@return cudalua.gpuarray.Array s
---@return cudalua.gpuarray.Array? u
---@return cudalua.gpuarray.Array? v  a = u diag(s) v'
function M.singular(what, a, strange, dt, columns)
  local lead, m, n = matrices.lead(a), a._shape[a._ndim - 1], a._shape[a._ndim]
  local x = matrices.copy(what, gpuarray.where(strange, 0, a):swapaxes(-1, -2), dt)
  local s, info = matrices.empty(matrices.real(dt), matrices.shape(lead, n)), matrices.empty(dtypes.int32, lead)
  local u = columns > 0 and matrices.empty(dt, matrices.shape(lead, columns, m)) or nil
  local vh = columns > 0 and matrices.empty(dt, matrices.shape(lead, n, n)) or nil
  solver.gesvd(what, x, s, info, u, vh)
  matrices.report(what, info, lead, DIVERGED)
  if not u then return s end
  return s, u:swapaxes(-1, -2), dt.kind == "complex" and vh:conj() or vh
end

return M
