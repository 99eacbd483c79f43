-- Operators of sparse matrices: sums, and products and quotients element by element.

local arguments = require "cudalua.gpuarray.index.arguments"
local build = require "cudalua.sparse.build"
local code = require "cudalua.sparse.code"
local convert = require "cudalua.sparse.convert"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local functions = require("cudalua.gpuarray.core.functions").functions
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local mask = require "cudalua.gpuarray.index.mask"
local matrix = require "cudalua.sparse.matrix"
local ndarray = require "cudalua.ndarray"
local structures = require "cudalua.sparse.structure"

local refuse, mt = layout.refuse, matrix.mt

local function same_shape(what, a, b)
  if a._rows ~= b._rows or a._columns ~= b._columns then
    refuse(what, ("the shapes %s and %s differ"):format(layout.text { a._rows, a._columns },
      layout.text { b._rows, b._columns }))
  end
end

-- The structure and the values of b in the direction of a.
local function alongside(what, a, b)
  local s, order = matrix.oriented(b, a._format == "csc", what)
  return s, convert.in_order(b, s, order)
end

-- a + b, or a - b.
local function add(what, a, b, negative)
  if not (matrix.is(a) and matrix.is(b)) then
    refuse(what, ("the sum of a sparse matrix and %s is not sparse; convert the matrix with m:todense()"):format(
      element.describe(matrix.is(a) and b or a)))
  end
  same_shape(what, a, b)
  a, b = matrix.elements(what, a), matrix.elements(what, b)
  return matrix.inside(a, function()
    local s, t = a._structure, dtypes.promote(a._data._dtype, b._data._dtype)
    local other, data = alongside(what, a, b)
    if negative then data = functions.neg(data) end
    local keys = gpuarray.concatenate { build.keys_of(s, what), build.keys_of(other, what) }
    local values = gpuarray.concatenate { graph.as_type(a._data, t), graph.as_type(data, t) }
    keys, values = build.summed(what, code.dense(keys), code.dense(values))
    return matrix.in_format(a, build.of_keys(s.lines, s.extent, keys), values)
  end)
end

function mt.__add(a, b) return add("sparse.Matrix +", a, b, false) end
function mt.__sub(a, b) return add("sparse.Matrix -", a, b, true) end

-- A matrix whose values are an expression of those of m.
local function of_values(what, m, f, ...)
  local x = errors.within(what, f, ...)
  matrix.dtype(what, x._dtype)
  return matrix.with_data(m, x:eval())
end

function mt.__unm(m)
  m = matrix.elements("sparse.Matrix -", m)
  return of_values("sparse.Matrix -", m, functions.neg, m._data)
end

local function times_dense(what, m, x)
  local rows, columns = m._rows, m._columns
  local function fits(i, n) return x._shape[i] == n or x._shape[i] == 1 end
  local first = x._ndim
  if not (first == 2 and fits(1, rows) and fits(2, columns) or first == 1 and fits(1, columns) or first == 0) then
    refuse(what, ("an array of the shape %s cannot be multiplied element by element with a matrix of %.0f x %.0f; " ..
      "m:matmul(x) is the matrix product"):format(layout.text(x._shape), rows, columns))
  end
  return matrix.inside(m, function()
    x = code.dense(x)
    local shape = x._shape
    local down = first == 2 and shape[1] > 1 and shape[2] or 0
    local right = first > 0 and shape[first] > 1 and 1 or 0
    if m._format == "csc" then down, right = right, down end
    local s, t = m._structure, matrix.dtype(what, dtypes.promote(m._data._dtype, x._dtype))
    local out = structures.list(t, s.count)
    code.launch({ { kernel = code.kernel("build/times_dense", "sparse_times_dense", s.place, { data = m._data._dtype,
      other = x._dtype, result = t }), n = s.count,
      arguments = { s.count, s.lines, s.indptr, s.indices, m._data, x, down, right, out } } }, { out })
    return matrix.with_data(m, out)
  end)
end

local function times_sparse(what, a, b)
  same_shape(what, a, b)
  a, b = matrix.elements(what, a), matrix.elements(what, b)
  return matrix.inside(a, function()
    local s, t = a._structure, dtypes.promote(a._data._dtype, b._data._dtype)
    local other, data = alongside(what, a, b)
    local there, out = structures.list(dtypes.bool, s.count), structures.list(t, s.count)
    code.launch({ { kernel = code.kernel("build/times_sparse", "sparse_times_sparse", s.place,
      { data = a._data._dtype, other = data._dtype, result = t }), n = s.count,
      arguments = { s.count, s.lines, s.indptr, s.indices, a._data, other.indptr, other.indices, data, there, out } } },
      { there, out })
    evaluate(there)
    return convert.selected(what, a, mask.places(there, what), out)
  end)
end

-- By numbers, and element by element by arrays and sparse matrices.
function mt.__mul(a, b)
  local what = "sparse.Matrix *"
  if not matrix.is(a) then a, b = b, a end
  if matrix.is(b) then return times_sparse(what, a, b) end
  a = matrix.elements(what, a)
  if graph.is_value(b) then return of_values(what, a, functions.mul, a._data, b) end
  if not (gpuarray.is(b) or ndarray.is_array(b)) then
    refuse(what, "expected a number, an array or a sparse matrix, got " .. element.describe(b))
  end
  return times_dense(what, a, arguments.any_array(what, "x", b))
end

function mt.__div(a, b)
  local what = "sparse.Matrix /"
  if not matrix.is(a) or not graph.is_value(b) then
    refuse(what, "a sparse matrix can be divided only by a number")
  end
  a = matrix.elements(what, a)
  return of_values(what, a, functions.div, a._data, b)
end
