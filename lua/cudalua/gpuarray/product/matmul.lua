-- matmul and addmm: products of vectors, matrices and batches of matrices.

local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.gpuarray.product.operands"
local product = require("cudalua.gpuarray.product.compute").of
local reduce = require "cudalua.gpuarray.reduce.reduce"

local check_array, refuse = object.check_array, layout.refuse

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

local known = { dtype = true, out = true, stream = true, allocator = true }

local function read(what, a, b, options)
  check_array(what, a, "a")
  check_array(what, b, "b")
  local o = errors.options(what, options, known)
  return o, o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
end

local function matmul(what, a, b, options)
  local o, asked = read(what, a, b, options)
  if a._ndim ~= 1 or b._ndim ~= 1 then return product(what, a, b, asked, nil, o.out) end
  if a._size ~= b._size then operands.of(what, a, b, asked) end -- which raises
  local _, _, result = operands.types(what, a._dtype, b._dtype, asked)
  return errors.within(what, reduce.dot, a, b, { dtype = result, out = o.out })
end

---The matrix product of the last two axes, as NumPy's matmul. The leading axes are a batch and broadcast. A 1-D array
---is a row as the first operand and a column as the second, and the result lacks that axis. For two 1-D arrays, matmul
---is dot(). Operands may have any layout, for example transposed or sliced. Pending operands are computed first, and
---the product is computed at once. The order of each sum depends only on the extents. Elements of float16 and bfloat16
---are summed as float32 and rounded once, int8 as int32, other integers and bool in 64 bits; integers wrap around.
---@param a cudalua.gpuarray.Array  the first operand, with the shape (..., m, k)
---@param b cudalua.gpuarray.Array  the second operand, with the shape (..., k, n)
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: the
---  dtype of the result: float32 for 16-bit floats returns the unrounded sums; for other dtypes the operands are
---  converted first
---@return cudalua.gpuarray.Array  with the shape (..., m, n)
---@raise LogicError if the shapes do not fit, an operand is 0-d, the dtype is not supported, or out has another shape
define("matmul", matmul)

-- ---- addmm ----------------------------------------------------------------------------------------------------------

local addmm_options = { alpha = true, beta = true, out = true, stream = true, allocator = true }

-- A factor as a value of the type that sums have.
local function factor(what, name, x, dtype)
  if x == nil then return 1 end
  local v = element.scalar(x)
  if v == nil or type(v) == "boolean" then refuse(what, "%s must be a number, got %s", name, element.describe(x)) end
  local checked, why = dtype._check(v)
  if why then refuse(what, "%s: %s", name, why) end
  return checked
end

local function addmm(what, c, a, b, options)
  check_array(what, c)
  check_array(what, a, "a")
  check_array(what, b, "b")
  local o = errors.options(what, options, addmm_options)
  if c._dtype.kind == "struct" then refuse(what, "%s is a struct, not a number", c._dtype.name) end
  local _, _, natural = operands.types(what, a._dtype, b._dtype)
  local common = dtypes.promote(natural, c._dtype)
  local asked = common ~= natural and common or nil
  local _, accumulator = operands.types(what, a._dtype, b._dtype, asked)
  return product(what, a, b, asked, { alpha = factor(what, "alpha", o.alpha, accumulator),
    beta = factor(what, "beta", o.beta, accumulator), c = c }, o.out)
end

---Computes beta * c + alpha * (a b), where a b is the product of matmul(), rounded once: alpha times the sum, to which
---beta times c is added with one rounding. With beta = 0, c is not read.
---@param c cudalua.gpuarray.Array  an array that broadcasts to the product's shape
---@param a cudalua.gpuarray.Array  as for matmul
---@param b cudalua.gpuarray.Array  as for matmul
---@param options? {alpha: any, beta: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---  alpha: the factor of the product, a number, default 1; beta: the factor of c, a number, default 1. Both must be
---  integers if the product has integers. out: may be c
---@return cudalua.gpuarray.Array  of the promoted dtype of c and the product
---@raise LogicError as gpuarray.matmul, if c does not broadcast to the product's shape, and for other factors
define("addmm", addmm)

return require("cudalua.gpuarray.core.calls").install(M)
