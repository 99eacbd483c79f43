-- The sparse matrix as programs see it: an object of a structure (structure.lua), an array of values, a shape and the
-- name of its format. Its methods are in the other files of this folder.

local computing = require "cudalua.gpuarray.core.evaluate"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local functions = require("cudalua.gpuarray.core.functions").functions
local layout = require "cudalua.base.layout"
local move = require "cudalua.gpuarray.index.move"
local names = require "cudalua.base.names"
local structures = require "cudalua.sparse.structure"

local refuse = layout.refuse

---A sparse matrix, created by sparse.csr(), csc(), coo() and others. The positions of its elements do not change; you
---can write to their values, `m.data:fill(0)`.
---@class cudalua.sparse.Matrix
---@operator add(cudalua.sparse.Matrix): cudalua.sparse.Matrix
---@operator sub(cudalua.sparse.Matrix): cudalua.sparse.Matrix
---@operator mul(cudalua.sparse.Matrix|cudalua.gpuarray.Array|cudalua.ndarray.Array|number): cudalua.sparse.Matrix
---@operator div(number|ffi.cdata*): cudalua.sparse.Matrix
---@operator unm: cudalua.sparse.Matrix
---@field shape integer[]  the numbers of rows and columns; a new list, which prints as (2, 3)
---@field dtype cudalua.dtype.DType  the dtype of the values
---@field nnz integer  the number of stored elements
---@field format "csr"|"csc"|"coo"|"packed"  the storage format
---@field base 0|1  the first position in the arrays of positions that the matrix returns
---@field data cudalua.gpuarray.Array  the values, as a 1-D array; writing to it changes the matrix. For packed: in its
---  own order, with gaps that are not read
---@field indices cudalua.gpuarray.Array  csr: the columns of the elements, csc: the rows; a new array
---@field indptr cudalua.gpuarray.Array  csr: the start of each row in indices and data, csc: of each column; and the
---  end
---@field rows cudalua.gpuarray.Array  coo: the rows of the elements, ascending; a new array
---@field columns cudalua.gpuarray.Array  coo: the columns of the elements; a new array
---@field T cudalua.sparse.Matrix         the transposed matrix
local Matrix = {}

local TAG = "cudalua.sparse.Matrix"
local M = { Matrix = Matrix, TAG = TAG, mt = { __metatable = TAG, __name = TAG } }

---@param x any
---@return boolean
function M.is(x) return type(x) == "table" and getmetatable(x) == TAG end

---@param what string
---@param x any
---@return cudalua.sparse.Matrix x
---@raise LogicError if it is not a sparse matrix
function M.check(what, x)
  if M.is(x) then return x end
  local name = what:match ":([%w_]+)$"
  return refuse(what, ("expected a sparse matrix%s, got %s"):format(
    name and (" (call the method with a colon: m:%s(...))"):format(name) or "", element.describe(x)))
end

---The same; a packed matrix as a csr one.
---@param what string
---@param x any
---@return cudalua.sparse.Matrix
function M.elements(what, x)
  M.check(what, x)
  if x._format ~= "packed" then return x end
  return M.inside(x, function()
    return M.new("csr", x._structure, require("cudalua.sparse.packed").values(x), x._base)
  end)
end

-- Types of values.
local known = { float16 = true, bfloat16 = true, float32 = true, float64 = true, complex64 = true, complex128 = true,
  int32 = true, int64 = true }

---The dtype of values of a sparse matrix.
---@param what string
---@param dtype any
---@return cudalua.dtype.DType
---@raise LogicError for types that sparse matrices do not have
function M.dtype(what, dtype)
  local t = dtypes.of(dtype)
  if not known[t.name] then
    refuse(what, ("sparse matrices have no values of %s; convert them with astype() to one of bfloat16, complex64, " ..
      "complex128, float16, float32, float64, int32, int64"):format(t.name))
  end
  return t
end

---A matrix.
---@param format string
---@param structure table
---@param data cudalua.gpuarray.Array  without gaps
---@param base integer
---@return cudalua.sparse.Matrix
function M.new(format, structure, data, base)
  local rows, columns = structure.lines, structure.extent
  if format == "csc" then rows, columns = columns, rows end
  return setmetatable({ _format = format, _structure = structure, _data = data, _rows = rows, _columns = columns,
    _base = base, _packed = false }, M.mt)
end

---A matrix of the same elements' places with other values.
---@param m cudalua.sparse.Matrix
---@param data cudalua.gpuarray.Array
---@return cudalua.sparse.Matrix
function M.with_data(m, data) return M.in_format(m, m._structure, data) end

---A matrix of the format and base of another one.
---@param m cudalua.sparse.Matrix
---@param structure table
---@param data cudalua.gpuarray.Array
---@return cudalua.sparse.Matrix
function M.in_format(m, structure, data)
  return M.new(m._format, structure, data, m._base)
end

---Calls f(...) in the context of a matrix.
---@param m cudalua.sparse.Matrix
---@param f function
---@return any ...
function M.inside(m, f, ...) return move.inside(computing.evaluate(m._structure.indptr), f, ...) end

---The structure of a matrix by rows, or of its transpose, which is by columns. If its `order` is not false and it is
---not the matrix's own, value i is at order[i].
---@param m cudalua.sparse.Matrix
---@param by_columns boolean
---@param what string  for messages
---@return table structure
---@return cudalua.gpuarray.Array|false order
function M.oriented(m, by_columns, what)
  local s = m._structure
  if (m._format == "csc") == by_columns then return s, false end
  s = structures.flipped(s, what)
  return s, s.order
end

-- Positions as users see them: never the array itself, since a program that writes there would have kernels read
-- elsewhere.
local function shown(self, x)
  return M.inside(self, function() return functions.add(x, self._base):eval() end)
end

local function needs(self, key, format, other)
  local f = self._format
  if f == format or f == other then return end
  refuse("sparse.Matrix", ("a %s matrix has no %s; convert it with m:to '%s'"):format(f, key, format))
end

local properties = {}
function properties.shape(self) return layout.shown { self._rows, self._columns } end
function properties.dtype(self) return self._data._dtype end
function properties.nnz(self) return self._structure.count end
function properties.format(self) return self._format end
function properties.base(self) return self._base end
function properties.data(self) return self._data end
function properties.indices(self)
  needs(self, "indices", "csr", "csc")
  return shown(self, self._structure.indices)
end
function properties.indptr(self)
  needs(self, "indptr", "csr", "csc")
  return shown(self, self._structure.indptr)
end
function properties.rows(self)
  needs(self, "rows", "coo")
  return M.inside(self, function() return shown(self, structures.lines(self._structure, "sparse.Matrix")) end)
end
function properties.columns(self)
  needs(self, "columns", "coo")
  return shown(self, self._structure.indices)
end
function properties.T(self) return self:transpose() end

local members = names.of_objects(TAG, { text = "a sparse matrix", tables = { Matrix, properties } })

function M.mt.__index(self, key)
  local property = properties[key]
  if property then return property(self) end
  local method = rawget(Matrix, key)
  if method ~= nil then return method end
  if type(key) == "number" or type(key) == "table" then
    refuse("sparse.Matrix", ("elements cannot be indexed, got %s; write m:todense()[i]"):format(element.describe(key)))
  end
  return names.unknown(members, key)
end

function M.mt.__newindex(_, key)
  if type(key) == "number" or type(key) == "table" then
    refuse("sparse.Matrix", ("elements cannot be set, got the index %s; m.data:set(values) writes all values"):format(
      element.describe(key)))
  end
  local how = key == "data" and "; m.data:set(values) writes the values" or ""
  refuse("sparse.Matrix", ("a sparse matrix has no field %s that can be set%s"):format(element.describe(key), how))
end

function M.mt.__tostring(self)
  local n = self._structure.count
  return ("sparse.%s matrix of %.0f x %.0f, %s, %.0f element%s stored"):format(self._format, self._rows, self._columns,
    self._data._dtype.name, n, n == 1 and "" or "s")
end

return M
