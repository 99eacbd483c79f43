-- Products of many matrices: multi_dot and matrix_power.

local arguments = require "cudalua.gpuarray.index.arguments"
local compute = require "cudalua.gpuarray.product.compute"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local generate = require "cudalua.gpuarray.make.generate"
local inverse = require("cudalua.linalg.lu").inverse
local layout = require "cudalua.base.layout"
local matrices = require "cudalua.linalg.matrices"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.gpuarray.product.operands"
local view = require "cudalua.gpuarray.core.view"

local refuse, delivered = layout.refuse, arguments.delivered

---@class cudalua.linalg
local M = {}

local known = { out = true, stream = true, allocator = true }

-- ---- multi_dot ------------------------------------------------------------------------------------------------------

-- Where to divide each run of matrices, so that there are the fewest multiplications; the first of equal places. The
-- i-th matrix is extents[i] x extents[i + 1].
local function divisions(extents)
  local n = #extents - 1
  local costs, at = {}, {}
  for i = 1, n do costs[i], at[i] = { [i] = 0 }, {} end
  for length = 2, n do
    for i = 1, n - length + 1 do
      local j = i + length - 1
      for k = i, j - 1 do
        local cost = costs[i][k] + costs[k + 1][j] + extents[i] * extents[k + 1] * extents[j + 1]
        if not costs[i][j] or cost < costs[i][j] then costs[i][j], at[i][j] = cost, k end
      end
    end
  end
  return at
end

local function product(what, list, at, i, j, result)
  if i == j then return list[i] end
  local k = at[i][j]
  return compute.of(what, product(what, list, at, i, k, result), product(what, list, at, k + 1, j, result), result)
end

local function check_chain(what, list, n)
  for i = 1, n do
    local x = object.check_array(what, list[i], "array " .. i)
    local is_end = i == 1 or i == n
    if x._ndim ~= 2 and not (is_end and x._ndim == 1) then
      refuse(what, "array %d has the shape %s; expected a matrix%s", i, layout.text(x._shape),
        is_end and " or a vector" or "")
    end
    if i > 1 and list[i - 1]._shape[list[i - 1]._ndim] ~= x._shape[1] then
      refuse(what, "shapes %s and %s of the arrays %d and %d do not fit", layout.text(list[i - 1]._shape),
        layout.text(x._shape), i - 1, i)
    end
  end
end

---The product of several matrices, in the order that needs the fewest multiplications, as NumPy's multi_dot. The first
---and the last array may be vectors.
---@param arrays cudalua.gpuarray.Array[]  a list of two or more arrays
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  of the dtype that matmul() computes for all of them
---@raise LogicError if arrays is not such a list, if the shapes do not fit, or if out has another shape
function M.multi_dot(arrays, options)
  local what = "linalg.multi_dot"
  local o = errors.options(what, options, known)
  local list, n = arguments.list_of(what, "arrays", arrays)
  if n < 2 then refuse(what, "expected two or more arrays, got %d", n) end
  check_chain(what, list, n)
  local common, extents = list[1]._dtype, {}
  for i = 1, n do
    if list[i]._dtype.kind == "struct" then refuse(what, "%s is a struct, not a number", list[i]._dtype.name) end
    common = dtypes.promote(common, list[i]._dtype)
    extents[i] = i == 1 and list[i]._ndim == 1 and 1 or list[i]._shape[1]
  end
  extents[n + 1] = list[n]._ndim == 1 and 1 or list[n]._shape[2]
  local _, _, result = operands.types(what, common, common)
  return delivered(what, compute.of_one_moment(list, product, what, list, divisions(extents), 1, n, result), o.out)
end

-- ---- matrix_power ---------------------------------------------------------------------------------------------------

local function unit(a, result)
  local x = generate.eye(a._shape[a._ndim], nil, nil, result)
  return view.copy(x:broadcast_to(a.shape), "C")
end

local function power(what, a, n, result)
  local square, x = nil, nil -- a ^ 2 ^ i, and the product of those in the exponent
  while n > 0 do
    square = square and compute.of(what, square, square, result) or a
    if n % 2 == 1 then x = x and compute.of(what, x, square, result) or square end
    n = math.floor(n / 2)
  end
  return x
end

---Raises a square matrix to a power by repeated squaring, as NumPy's matrix_power. For more than two axes, this applies
---to each matrix on the last two axes.
---@param a cudalua.gpuarray.Array  an array of square matrices, (..., n, n)
---@param n integer  0 gives the identity matrix; negative exponents give powers of linalg.inv()
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  of the dtype that matmul() computes
---@raise LinAlgError for a singular matrix and a negative exponent
---@raise LogicError for matrices that are not square, other exponents, and if out has another shape
function M.matrix_power(a, n, options)
  local what = "linalg.matrix_power"
  object.check_array(what, a)
  local o = errors.options(what, options, known)
  local shape = a._shape
  if a._ndim < 2 or shape[a._ndim] ~= shape[a._ndim - 1] then
    refuse(what, "the array has the shape %s; expected square matrices", layout.text(shape))
  end
  local exponent = layout.whole(n)
  if not exponent then refuse(what, "n must be an integer, got %s", element.describe(n)) end
  if exponent < 0 then
    a, exponent = matrices.inside(a, inverse, what, a), -exponent
    if exponent == 1 then return delivered(what, a, o.out) end
  end
  local _, _, result = operands.types(what, a._dtype, a._dtype)
  if exponent == 0 then return delivered(what, unit(a, result), o.out) end
  if exponent == 1 then return delivered(what, view.copy(graph.as_type(a, result, what), "C"), o.out) end
  return delivered(what, compute.of_one_moment({ a }, power, what, a, exponent, result), o.out)
end

return M
