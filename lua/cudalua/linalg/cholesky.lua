-- linalg.cholesky: factors of positive definite matrices.

local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local gpuarray = require "cudalua.gpuarray"
local layout = require "cudalua.base.layout"
local matrices = require "cudalua.linalg.matrices"
local solver = require "cudalua.linalg.solver"
local storage = require "cudalua.gpuarray.core.storage"
local triangular = require "cudalua.linalg.triangular"
local vendor = require "cudalua.linalg.vendor"

local ceil, min = math.ceil, math.min
local adjoint = matrices.adjoint

---@class cudalua.linalg
local M = {}

local known = { upper = true, check = true, out = true, stream = true, allocator = true }

local function factorise(steps, x, before, alone, info)
  local list = { x.batches, x.m, before, alone and 1 or 0 }
  matrices.pointer(list, x)
  list[#list + 1], list[#list + 2], list[#list + 3], list[#list + 4] = x.batch, x.row, info.buf, info.off
  matrices.step(steps, matrices.kernel("cholesky", { "small" }, "linalg_cholesky_small", x.leaf.dtype), x.batches,
    matrices.threads(x.m * x.m), list)
end

-- The columns below a diagonal block, conjugated if they are complex, in memory of their own.
local function conjugate(steps, below)
  local dt = below.leaf.dtype
  if dt.kind ~= "complex" then return below end
  local copy = matrices.empty(dt, { below.batches, below.m, below.n })
  matrices.use(steps, copy)
  local to = matrices.of(copy)
  local list = { copy._size, below.m, below.n }
  matrices.pointer(list, below)
  list[#list + 1], list[#list + 2], list[#list + 3] = below.batch, below.row, below.column
  matrices.pointer(list, to)
  matrices.step(steps, matrices.kernel("triangular", { "conjugate" }, "linalg_conjugate", dt), ceil(copy._size / 256),
    256, list)
  return to
end

local function add_panels(steps, x, info)
  local n = x.m
  for first = 0, n - 1, matrices.BLOCK do
    local width = min(matrices.BLOCK, n - first)
    local rest = n - first - width
    local diagonal = matrices.part(x, first, first, width, width)
    factorise(steps, diagonal, first, false, info)
    if rest > 0 then -- below l' = the columns below: conj(l) times their transpose
      local below = matrices.part(x, first + width, first, rest, width)
      triangular.steps(steps, diagonal, matrices.transposed(below), false, false, true)
      matrices.multiply(steps, matrices.part(x, first + width, first + width, rest, rest), below,
        matrices.transposed(conjugate(steps, below)), -1, 1)
    end
  end
end

---@type cudalua.linalg.Failure
local INDEFINITE = { is = "is not positive definite", why = "its leading minor of order %d is not positive" }

local function cholesky(what, a, upper, check)
  local dt, n, lead = matrices.field(what, a), a._shape[a._ndim], matrices.lead(a)
  if solver.chosen(what, a, dt) then
    local x, reported = vendor.cholesky(what, a, dt, upper)
    if check then matrices.report(what, reported, lead, INDEFINITE) end
    return x
  end
  local x = matrices.copy(what, upper and adjoint(a) or a, dt)
  if x._size == 0 then return x end
  local info, steps, to = matrices.empty(dtypes.int32, lead), matrices.steps(), matrices.of(x)
  matrices.use(steps, x)
  matrices.use(steps, info)
  local is_small = n <= matrices.side(dt)
  if is_small then
    factorise(steps, to, 0, true, storage.leaf_of(info))
  else
    add_panels(steps, to, storage.leaf_of(info))
  end
  matrices.launch(steps)
  if check then matrices.report(what, info, lead, INDEFINITE) end
  if upper then x = adjoint(x) end
  if not is_small then x = upper and gpuarray.triu(x) or gpuarray.tril(x) end
  return check and x or gpuarray.where(info:reshape(matrices.shape(lead, 1, 1)):ne(0), 0 / 0, x):astype(dt)
end

---Cholesky factorization of positive definite matrices: a = l l', where l is lower triangular and l' is its adjoint.
---Only the lower triangle of a is read; its diagonal is taken as real.
---@param a cudalua.gpuarray.Array  the matrices, (..., n, n)
---@param options? {upper: boolean, check: boolean, out: any, stream: cudalua.Stream, allocator: function}  upper:
---  compute a = u' u from the upper triangle. check: wait and raise an error if a matrix is not positive definite;
---  default true; false: return NaN
---@return cudalua.gpuarray.Array
---@raise LinAlgError if a matrix is not positive definite; its fields are `matrix`, `matrices` and `pivot`, the order
---  of the first leading minor that is not positive
---@raise LogicError for matrices that are not square, 16-bit floats, inside a capture without check = false, and if out
---  has another shape
function M.cholesky(a, options)
  local what = "linalg.cholesky"
  matrices.check_square(what, a)
  local o = errors.options(what, options, known)
  for _, name in ipairs { "upper", "check" } do
    if o[name] ~= nil and type(o[name]) ~= "boolean" then
      layout.refuse(what, "%s must be true or false, got %s", name, errors.text(o[name]))
    end
  end
  return matrices.result(what, a, o.out, cholesky, a, o.upper == true, o.check ~= false)
end

return M
