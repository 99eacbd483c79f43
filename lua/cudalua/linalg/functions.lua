-- Norms, condition numbers and the exponential of matrices.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local functions = require "cudalua.gpuarray.core.functions"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local lu = require "cudalua.linalg.lu"
local matrices = require "cudalua.linalg.matrices"
local object = require "cudalua.gpuarray.core.object"
local product = require "cudalua.gpuarray.product.compute"

local decompose = require("cudalua.linalg.jacobi").decompose
local refuse = layout.refuse
local huge, max = math.huge, math.max

---@class cudalua.linalg
local M = {}

-- ---- norm -----------------------------------------------------------------------------------------------------------

local known = { ord = true, out = true, stream = true, allocator = true }

local orders = { fro = true, nuc = true, [1] = true, [-1] = true, [2] = true, [-2] = true, [huge] = true,
  [-huge] = true, inf = true }

local function check_order(what, ord)
  if ord ~= nil and not ((type(ord) == "string" or type(ord) == "number") and orders[ord]) then
    refuse(what, "ord of matrices must be 'fro', 'nuc', 1, -1, 2, -2, math.huge or -math.huge, got %s",
      errors.text(ord))
  end
  return ord == "inf" and huge or ord
end

-- Norms of the matrices on the last two axes.
local function matrix_norm(what, a, ord)
  local dt = matrices.field(what, a)
  if ord == "fro" then return graph.as_type(a, dt, what):norm { axis = { -2, -1 } } end
  if ord == "nuc" or ord == 2 or ord == -2 then
    local _, s = decompose(what, a, dt, false, false)
    if ord == "nuc" then return s:sum(-1) end
    return ord == 2 and s:max(-1) or s:min(-1)
  end
  local sums = graph.as_type(a, dt, what):abs():sum(math.abs(ord) == 1 and -2 or -1)
  return ord > 0 and sums:max(-1) or sums:min(-1)
end

local function norm(what, a, ord)
  local x = graph.as_type(a, matrices.field(what, a), what)
  if ord == nil then return x:norm():eval() end
  if a._ndim == 1 then return errors.within(what, x.norm, x, { ord = ord == "inf" and huge or ord }):eval() end
  return matrix_norm(what, a, ord):eval()
end

---The norm of all elements as one vector, or with ord the norms of the matrices on the last two axes. "fro" is the root
---of the sum of squares, "nuc" the sum of the singular values, 2 and -2 are the largest and smallest singular value. 1
---and -1 are the largest and smallest sum of the absolute values in a column; math.huge (or "inf") and -math.huge those
---in a row. For a 1-D array, ord is that of gpuarray.norm().
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? {ord: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  ord: the kind
---  of norm, see above
---@return cudalua.gpuarray.Array  real
---@raise LogicError for other values of ord, 16-bit floats, and if out has another shape
function M.norm(a, options)
  local what = "linalg.norm"
  object.check_array(what, a)
  if type(options) == "table" and rawget(options, "axis") ~= nil then
    refuse(what, "axis is not supported; for the norms of vectors along an axis write a:norm { axis = ... }")
  end
  local o = errors.options(what, options, known)
  local ord = o.ord
  if a._ndim == 0 and ord ~= nil then refuse(what, "the array has no axes; leave ord out") end
  if a._ndim > 1 then
    ord = check_order(what, ord)
  elseif ord ~= nil and ord ~= "inf" and type(ord) ~= "number" then
    refuse(what, "ord of a vector must be a number, got %s", errors.text(ord))
  end
  local x = matrices.inside(a, norm, what, a, ord)
  return o.out ~= nil and functions.deliver(what, x, o.out) or x
end

-- ---- cond -----------------------------------------------------------------------------------------------------------

local function cond(what, a, ord)
  local dt = matrices.field(what, a)
  if ord == nil or ord == 2 or ord == -2 then
    local _, s = decompose(what, a, dt, false, false)
    local large, small = s:max(-1), s:min(-1)
    if ord == -2 then return (small / large):eval() end
    return gpuarray.where(small:eq(0), huge, large / small):astype(matrices.real(dt)):eval()
  end
  local x = matrices.seen(what, a, dt)
  local n, lead = a._shape[a._ndim], matrices.lead(a)
  local unit = gpuarray.eye(n, nil, nil, dt):broadcast_to(matrices.shape(lead, n, n))
  local own, other = matrix_norm(what, x, ord), matrix_norm(what, lu.quotient(what, x, unit), ord)
  local value = own * other
  return gpuarray.where(value:isnan():logical_and(own:isfinite()), huge, value):astype(matrices.real(dt)):eval()
end

---The condition numbers of matrices; infinity for singular matrices.
---@param a cudalua.gpuarray.Array  the matrices, (..., m, n); they must be square for norms other than 2 and -2
---@param options? {ord: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  ord: as for
---  linalg.norm; default: 2, the largest singular value divided by the smallest one
---@return cudalua.gpuarray.Array  (...): real
---@raise LogicError for empty matrices, for matrices that have to be square and are not, other values of ord, 16-bit
---  floats, and if out has another shape
function M.cond(a, options)
  local what = "linalg.cond"
  matrices.check(what, a)
  local o = errors.options(what, options, known)
  local ord = check_order(what, o.ord)
  if ord ~= nil and ord ~= 2 and ord ~= -2 then matrices.check_square(what, a) end
  if a._shape[a._ndim] == 0 or a._shape[a._ndim - 1] == 0 then
    refuse(what, "the array has the shape %s; empty matrices have no condition number", layout.text(a._shape))
  end
  local x = matrices.inside(a, cond, what, a, ord)
  return o.out ~= nil and functions.deliver(what, x, o.out) or x
end

-- ---- expm -----------------------------------------------------------------------------------------------------------

local single = { out = true, stream = true, allocator = true }

-- Up to which norm Padé's approximation of a degree is exact to the last digit, after Higham.
local bounds = {
  [4] = { { 3, 0.4258730016922831 }, { 5, 1.880152677804762 }, { 7, 3.92572478313866 } },
  [8] = { { 3, 0.01495585217958292 }, { 5, 0.253939833006323 }, { 7, 0.9504178996162932 }, { 9, 2.097847961257068 },
    { 13, 5.371920351148152 } },
}

-- The coefficients of the numerator; the first is 1.
local function coefficients(degree)
  local b = { [0] = 1 }
  for j = 1, degree do b[j] = b[j - 1] * (degree - j + 1) / ((2 * degree - j + 1) * j) end
  return b
end

local function total(list, b, from, unit)
  local sum = unit * b[from]
  for i, power in ipairs(list) do
    if b[from + 2 * i] then sum = sum + power * b[from + 2 * i] end
  end
  return sum
end

local function pade(what, a, degree, dt)
  local n, b = a._shape[a._ndim], coefficients(degree)
  local unit = gpuarray.eye(n, nil, nil, dt)
  local square = product.of(what, a, a)
  local powers = { square }
  for i = 2, degree == 13 and 3 or (degree - 1) / 2 do powers[i] = product.of(what, powers[i - 1], square) end
  local even, odd = total(powers, b, 0, unit), total(powers, b, 1, unit)
  if degree == 13 then -- the higher powers are products of the sixth
    local function high(from)
      return powers[1] * b[from + 2] + powers[2] * b[from + 4] + powers[3] * b[from + 6]
    end
    even = even + product.of(what, powers[3], high(6):astype(dt))
    odd = odd + product.of(what, powers[3], high(7):astype(dt))
  end
  odd = product.of(what, a, odd:astype(dt))
  even = even:astype(dt):eval()
  return lu.quotient(what, even - odd, even + odd)
end

local function expm(what, a)
  local dt, lead, n = matrices.field(what, a), matrices.lead(a), a._shape[a._ndim]
  local x = matrices.copy(what, a, dt)
  if x._size == 0 then return x end
  if core.array_ready(evaluate.evaluate(x).buf) then
    errors.raise("LogicError", what .. ": inside a capture, the matrix's norm cannot be read; compute it before")
  end
  local norms = x:abs():sum(-2):max(-1)
  norms = gpuarray.where(norms:isfinite(), norms, 0):eval()
  local largest = norms:max():item()
  local rows = bounds[matrices.real(dt).itemsize]
  for _, row in ipairs(rows) do
    if largest <= row[2] then return pade(what, x, row[1], dt) end
  end
  local degree, bound = unpack(rows[#rows])
  local times = (norms / bound):maximum(1):log2():ceil():eval() -- how often each is halved
  local factor = gpuarray.exp2(-times):astype(matrices.real(dt)):reshape(matrices.shape(lead, 1, 1))
  local result = pade(what, (x * factor):astype(dt), degree, dt)
  local squarings = times:reshape(matrices.shape(lead, 1, 1))
  for i = 1, max(times:max():item(), 0) do
    local square = product.of(what, result, result)
    result = gpuarray.where(squarings:ge(i), square, result):eval()
  end
  return result:reshape(matrices.shape(lead, n, n))
end

---The exponentials of square matrices, by scaling and squaring with Padé approximations. A batch is computed with the
---degree that its largest matrix needs. The program waits for the norms.
---@param a cudalua.gpuarray.Array  the matrices, (..., n, n)
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for matrices that are not square, 16-bit floats, inside a capture, and if out has another shape
function M.expm(a, options)
  local what = "linalg.expm"
  matrices.check_square(what, a)
  local o = errors.options(what, options, single)
  local x = matrices.inside(a, expm, what, a)
  return o.out ~= nil and functions.deliver(what, x, o.out) or x
end

return M
