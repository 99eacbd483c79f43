-- Sparse matrices in other formats, as dense arrays, with values of another type.

local build = require "cudalua.sparse.build"
local calls = require "cudalua.gpuarray.core.calls"
local code = require "cudalua.sparse.code"
local construct = require "cudalua.gpuarray.make.construct"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local mask = require "cudalua.gpuarray.index.mask"
local matrix = require "cudalua.sparse.matrix"
local structures = require "cudalua.sparse.structure"
local surplus = require "cudalua.base.surplus"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

---@class cudalua.sparse.Matrix
local Matrix = matrix.Matrix

local M = {}

local formats = { csr = true, csc = true, coo = true, packed = true }

---@param what string
---@param format any
---@return string
function M.format(what, format)
  if not formats[format] then
    refuse(what, "format must be 'csr', 'csc', 'coo' or 'packed', got " .. errors.text(format))
  end
  return format
end

---The values of a matrix in the order of a structure, as matrix.oriented() gives it.
---@param m cudalua.sparse.Matrix
---@param s table
---@param order cudalua.gpuarray.Array|false
---@return cudalua.gpuarray.Array
function M.in_order(m, s, order)
  if not order then return m._data end
  local out = structures.list(m._data._dtype, s.count)
  code.launch({ { kernel = code.kernel("build/sums", "sparse_sums", s.place, { data = m._data._dtype }), n = s.count,
    arguments = { s.count, s.count, m._data, 0, order, 1, m._data, out } } }, { out })
  return out
end

-- A structure without what it says of another one.
local function own(s)
  local copy = structures.new(s.place, s.lines, s.extent, s.indptr, s.indices)
  copy.line_list = s.line_list
  return copy
end

---Returns the matrix in another format. If both formats have the elements in the same order, such as csr and coo, both
---matrices share the memory of the values.
---@param format "csr"|"csc"|"coo"|"packed"  the new format
---@return cudalua.sparse.Matrix  the matrix itself if it already has that format
---@raise LogicError for other formats
function Matrix:to(format)
  local what = "sparse.Matrix:to"
  matrix.check(what, self)
  M.format(what, format)
  if format == self._format then return self end
  local m = matrix.elements(what, self)
  return matrix.inside(m, function()
    local s, order = matrix.oriented(m, format == "csc", what)
    local make = format == "packed" and require("cudalua.sparse.packed").of
    if make then return make(order and own(s) or s, M.in_order(m, s, order), m._base) end
    return matrix.new(format, order and own(s) or s, M.in_order(m, s, order), m._base)
  end)
end

local dense_options = { out = true, stream = true, allocator = true }

---Returns the matrix as a dense array.
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  out: an array that
---  receives the result
---@return cudalua.gpuarray.Array
---@raise LogicError if out has another shape, MemoryError
function Matrix:todense(options)
  local what = "sparse.Matrix:todense"
  self = matrix.elements(what, self)
  local o = errors.options(what, options, dense_options)
  return matrix.inside(self, function()
    local s, data = self._structure, self._data
    local out = construct.zeros({ self._rows, self._columns }, data._dtype)
    local along, across = self._columns, 1
    if self._format == "csc" then along, across = 1, self._columns end
    code.launch({ { kernel = code.kernel("build/dense", "sparse_dense", s.place, { data = data._dtype }), n = s.count,
      arguments = { s.count, s.lines, s.indptr, s.indices, data, along, across, out } } }, { out })
    return o.out ~= nil and functions.deliver(what, out, o.out) or out
  end)
end

---Returns the transposed matrix. For a csr matrix it is a csc matrix and vice versa, which shares the memory of the
---values. A coo matrix is copied.
---@return cudalua.sparse.Matrix
function Matrix:transpose()
  local what = "sparse.Matrix:transpose"
  self = matrix.elements(what, self)
  local format = self._format
  if format == "csr" then return matrix.new("csc", self._structure, self._data, self._base) end
  if format == "csc" then return matrix.new("csr", self._structure, self._data, self._base) end
  return matrix.inside(self, function()
    local s = structures.flipped(self._structure, what)
    return matrix.new("coo", own(s), M.in_order(self, s, s.order), self._base)
  end)
end

---Returns the matrix with its values converted to another dtype.
---@param dtype any  the new dtype, as for dtype.of
---@return cudalua.sparse.Matrix  a new matrix with its own values
---@raise LogicError for dtypes that sparse matrices do not support
function Matrix:astype(dtype)
  local what = "sparse.Matrix:astype"
  local t = matrix.dtype(what, dtype)
  self = matrix.elements(what, self)
  return matrix.inside(self, function()
    local data = view.copy(graph.as_type(self._data, t), "C")
    return matrix.with_data(self, data)
  end)
end

---Returns the matrix without stored elements with the value 0. The program waits for their number.
---@return cudalua.sparse.Matrix  a new matrix with its own values
---@raise LogicError inside a capture
function Matrix:eliminate_zeros()
  local what = "sparse.Matrix:eliminate_zeros"
  self = matrix.elements(what, self)
  return matrix.inside(self, function()
    local data = view.copy(self._data, "C")
    local places = mask.places(data:ne(0), what)
    return M.selected(what, self, places, data)
  end)
end

---The matrix of some elements of another one.
---@param what string
---@param m cudalua.sparse.Matrix
---@param places table  of a mask (index/mask.lua), which is not used any more
---@param data cudalua.gpuarray.Array  the values, as many as the mask has elements
---@return cudalua.sparse.Matrix
function M.selected(what, m, places, data)
  local s = m._structure
  local lines = mask.selected(places, evaluate(structures.lines(s, what)))
  local indices = mask.selected(places, evaluate(s.indices))
  local new = structures.new(s.place, s.lines, s.extent, structures.pointers(s.place, s.lines, lines), indices)
  new.line_list = lines
  data = mask.selected(places, evaluate(data))
  mask.free(places)
  return matrix.in_format(m, new, data)
end

local diagonal_options = { out = true, stream = true, allocator = true }

---Returns the elements of a diagonal, with 0 for elements that are not stored.
---@param k? integer  the diagonal: 0 (default) is the main diagonal, 1 above it, -1 below it
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array  1-D
---@raise LogicError if k is not an integer, and if out has another shape
function Matrix:diagonal(k, options)
  local what = "sparse.Matrix:diagonal"
  self = matrix.elements(what, self)
  local d = layout.whole(k == nil and 0 or k)
  if not d then refuse(what, "k must be an integer, got " .. errors.text(k)) end
  local o = errors.options(what, options, diagonal_options)
  return matrix.inside(self, function()
    local s, dtype = self._structure, self._data._dtype
    local down, right = math.max(-d, 0), math.max(d, 0)
    local n = math.max(math.min(self._rows - down, self._columns - right), 0)
    if self._format == "csc" then down, right = right, down end
    local out = structures.list(dtype, n)
    if n > 0 and s.count == 0 then
      out = construct.zeros(n, dtype)
    else
      code.launch({ { kernel = code.kernel("build/diagonal", "sparse_diagonal", s.place, { data = dtype }), n = n,
        arguments = { n, down, right, s.indptr, s.indices, self._data, out } } }, { out })
    end
    return o.out ~= nil and functions.deliver(what, out, o.out) or out
  end)
end

for _, name in ipairs { "todense", "diagonal" } do Matrix[name] = calls.wrap("sparse.Matrix:" .. name, Matrix[name]) end

-- ---- from elsewhere -------------------------------------------------------------------------------------------------

---A matrix of what a user gives to sparse.csr() and its siblings.
---@param what string
---@param format string
---@param x any
---@param dtype any
---@return cudalua.sparse.Matrix
function M.any(what, format, x, dtype)
  local m
  if matrix.is(x) then
    m = dtype ~= nil and x:astype(dtype) or x
    return errors.within(what, m.to, m, format)
  end
  if surplus.is_named(x) then
    local given = errors.options(what, x, build.PARTS)
    if dtype ~= nil then refuse(what, "pass dtype among the parts: {data = ..., dtype = ...}") end
    local from = format == "packed" and "csr" or format
    m = build.of_parts(what, from, given)
  else
    local a = require("cudalua.gpuarray.index.arguments").any_array(what, "the matrix", x, dtype)
    if dtype ~= nil then a = graph.as_type(a, matrix.dtype(what, dtype)) end
    m = build.from_dense(what, format == "packed" and "csr" or format, a)
  end
  return format == "packed" and m:to "packed" or m
end

return M
