-- Triangular systems: solve_triangular, and the steps that other solvers add.

local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local matrices = require "cudalua.linalg.matrices"
local object = require "cudalua.gpuarray.core.object"

local refuse = layout.refuse
local ceil, min = math.ceil, math.min

local M = {}

local UNIT, CONJUGATED = 1, 2 -- of triangular.cu

local function substitute(steps, t, b, unit, conjugated)
  local threads = b.n > 64 and 128 or b.n > 32 and 64 or 32
  local parts = ceil(b.n / threads)
  local list = { b.batches * parts, parts, b.n, t.m, (unit and UNIT or 0) + (conjugated and CONJUGATED or 0) }
  matrices.pointer(list, t)
  list[#list + 1], list[#list + 2], list[#list + 3] = t.batch, t.row, t.column
  matrices.pointer(list, b)
  list[#list + 1], list[#list + 2], list[#list + 3] = b.batch, b.row, b.column
  matrices.step(steps, matrices.kernel("triangular", { "substitute" }, "linalg_substitute", t.leaf.dtype),
    b.batches * parts, threads, list)
end

---Adds the launches that solve t x = b; x replaces b. Up to 64 rows (of 4 bytes; 48, 32) are one launch.
---@param steps table
---@param t cudalua.linalg.Matrix
---@param b cudalua.linalg.Matrix  of as many batches; those of t may have the step 0
---@param upper boolean            the triangle
---@param unit boolean             its diagonal counts as 1
---@param conjugated? boolean      up to matrices.side() rows: t is conjugated
function M.steps(steps, t, b, upper, unit, conjugated)
  if b.m == 0 or b.n == 0 or b.batches == 0 then return end
  if upper then t, b = matrices.reversed(t, true), matrices.reversed(b) end
  local n = t.m
  if n <= matrices.side(t.leaf.dtype) then return substitute(steps, t, b, unit, conjugated) end
  for first = 0, n - 1, matrices.BLOCK do
    local width = min(matrices.BLOCK, n - first)
    local rest = n - first - width
    local x = matrices.part(b, first, 0, width, b.n)
    substitute(steps, matrices.part(t, first, first, width, width), x, unit)
    if rest > 0 then
      matrices.multiply(steps, matrices.part(b, first + width, 0, rest, b.n),
        matrices.part(t, first + width, first, rest, width), x, -1, 1)
    end
  end
end

---The shapes of a system: NumPy's rule says that b is a vector if it has one axis.
---@param what string
---@param a cudalua.gpuarray.Array  square matrices
---@param b any
---@return integer[] batch
---@return cudalua.gpuarray.Array b  as matrices
---@return boolean is_vector
function M.sides(what, a, b)
  object.check_array(what, b, "b")
  local n, is_vector = a._shape[a._ndim], b._ndim == 1
  if b._ndim == 0 then refuse(what, "b has no axes; expected a vector or matrices") end
  local rows = is_vector and b._shape[1] or b._shape[b._ndim - 1]
  if rows ~= n then
    refuse(what, "shapes %s and %s do not match: a has %.0f rows, b has %.0f%s", layout.text(a._shape),
      layout.text(b._shape), n, rows, not is_vector and b._shape[b._ndim] == n and
      "; a batch of vectors is a batch of matrices of one column, b:expand_dims(-1)" or "")
  end
  matrices.check_contexts(what, a, b)
  if is_vector then b = b:reshape(n, 1) end
  return layout.broadcast(what, matrices.lead(a), matrices.lead(b)), b, is_vector
end

---The matrices of one array beside those of a batch: its own batch if that is the whole batch or one matrix.
---@param a cudalua.gpuarray.Array
---@param batch integer[]
---@return cudalua.gpuarray.Array
function M.beside(a, batch)
  local lead = matrices.lead(a)
  local size, all = graph.size_of(lead), graph.size_of(batch)
  if size == all or size == 1 then return a end
  return a:broadcast_to(matrices.shape(batch, a._shape[a._ndim - 1], a._shape[a._ndim]))
end

---A matrix for each of so many; one for all of them has the step 0.
---@param x cudalua.linalg.Matrix
---@param batches integer
---@return cudalua.linalg.Matrix
function M.spread(x, batches)
  if x.batches ~= batches then x.batch, x.batches = 0, batches end
  return x
end

---@class cudalua.linalg
local L = {}
M.functions = L

local known = { lower = true, unit_diagonal = true, trans = true, out = true, stream = true, allocator = true }
local transposes = { N = true, T = true, C = true }

local function solve(what, a, b, o, dt)
  local batch, right, is_vector = M.sides(what, a, b)
  local lower = o.lower == true
  if o.trans and o.trans ~= "N" then
    a, lower = a:swapaxes(-1, -2), not lower
    if o.trans == "C" and dt.kind == "complex" then a = a:conj() end
  end
  local shape = matrices.shape(batch, right._shape[right._ndim - 1], right._shape[right._ndim])
  a, right = matrices.both_seen(what, M.beside(a, batch), right:broadcast_to(shape), dt)
  local t, x = matrices.copy(what, a, dt), matrices.copy(what, right, dt)
  local steps, to = matrices.steps(), matrices.of(x)
  if x._size > 0 then
    matrices.use(steps, t)
    matrices.use(steps, x)
    M.steps(steps, M.spread(matrices.of(t), to.batches), to, not lower, o.unit_diagonal == true)
    matrices.launch(steps)
  end
  if is_vector then return x:reshape(matrices.shape(batch, shape[#shape - 1])) end
  return x
end

---Solves systems of linear equations with triangular matrices: a x = b. Only one triangle of a is read. A 0 on the
---diagonal gives infinities and NaN.
---@param a cudalua.gpuarray.Array  the matrices, (..., n, n)
---@param b cudalua.gpuarray.Array  the right-hand sides, (n,), or (..., n, k): batches broadcast
---@param options? {lower: boolean, unit_diagonal: boolean, trans: any, out: any, stream: any, allocator: any}  lower:
---  use the lower triangle, default the upper one. unit_diagonal: take the diagonal as 1 without reading it. trans: "T"
---  solves with the transpose of a, "C" with its conjugate transpose
---@return cudalua.gpuarray.Array x
---@raise LogicError for matrices that are not square, shapes that do not fit, 16-bit floats, and if out has another
---  shape
function L.solve_triangular(a, b, options)
  local what = "linalg.solve_triangular"
  matrices.check_square(what, a, "a")
  object.check_array(what, b, "b")
  local o = errors.options(what, options, known)
  if o.trans ~= nil and not (type(o.trans) == "string" and transposes[o.trans]) then
    refuse(what, "trans must be 'N', 'T' or 'C', got %s", errors.text(o.trans))
  end
  for _, name in ipairs { "lower", "unit_diagonal" } do
    if o[name] ~= nil and type(o[name]) ~= "boolean" then
      refuse(what, "%s must be true or false, got %s", name, errors.text(o[name]))
    end
  end
  local x = matrices.inside(a, solve, what, a, b, o, matrices.field(what, a, b))
  return o.out ~= nil and functions.deliver(what, x, o.out) or x
end

return M
