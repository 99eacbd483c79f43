-- Sparse matrices: cuda.sparse.
--   sparse/structure  where elements are          matrix   the object          build    from positions and values
--   sparse/convert    other formats, dense        code     kernels, launches
--   sparse/product    products with vectors and matrices   arithmetic   operators
--   sparse/cusparse   these by NVIDIA's cuSPARSE  descriptors   what it is given
--   sparse/packed     packets of rows
--   sparse/solve      iterative solvers            hessenberg   the small problem of GMRES

local build = require "cudalua.sparse.build"
local convert = require "cudalua.sparse.convert"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local gpuarray = require "cudalua.gpuarray"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local matrix = require "cudalua.sparse.matrix"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
local surplus = require "cudalua.base.surplus"
require "cudalua.sparse.product"
require "cudalua.sparse.arithmetic"

local refuse = layout.refuse

---Sparse matrices: compressed rows and columns, products, iterative solvers.
---@class cudalua.sparse
---@field Matrix cudalua.sparse.Matrix  the class of sparse matrices, with their methods
local M = { Matrix = matrix.Matrix }

local made_options = { dtype = true, stream = true }

-- Carries out `stream` of a function that makes a matrix.
local function in_stream(what, options, known, f, ...)
  local o = errors.options(what, options, known)
  if o.stream == nil then return f(o, ...) end
  return make.stream(what, o.stream):use(f, o, ...)
end

local function any(o, what, format, x) return convert.any(what, format, x, o.dtype) end

---Creates a matrix in compressed sparse row format. Duplicate elements are summed, in their order.
---@param x any  {data =, indices =, indptr =, shape =}, with the columns of the elements row by row and the start of
---  each row; {data =, rows =, columns =, shape =}; or {shape =} for a matrix without elements. Each may also have
---  `base` (0 or 1, default 1: the first position) and `dtype`. Or a dense array, also a host array or nested lists; or
---  a sparse matrix
---@param options? {dtype: any, stream: cudalua.Stream}  dtype: the dtype of the values if x is dense or sparse
---@return cudalua.sparse.Matrix  with new values, unless x is a sparse matrix with its elements in this order
---@raise LogicError for positions out of range, lengths that do not match, and inside a capture
function M.csr(x, options) return in_stream("sparse.csr", options, made_options, any, "sparse.csr", "csr", x) end

---Creates a matrix in compressed sparse column format.
---@param x any  as for csr; indices are the rows of the elements column by column, indptr is the start of each column
---@param options? {dtype: any, stream: cudalua.Stream}  dtype: as for csr
---@return cudalua.sparse.Matrix
---@raise LogicError as csr
function M.csc(x, options) return in_stream("sparse.csc", options, made_options, any, "sparse.csc", "csc", x) end

---Creates a matrix that stores the row and the column of each element, in the order of rows. It computes as a csr
---matrix does.
---@param x any  {data =, rows =, columns =, shape =}, which may also have `base` (0 or 1, default 1: the first
---  position) and `dtype`; or {shape =}, an array, nested lists or a sparse matrix, as for csr
---@param options? {dtype: any, stream: cudalua.Stream}  dtype: as for csr
---@return cudalua.sparse.Matrix
---@raise LogicError as csr
function M.coo(x, options) return in_stream("sparse.coo", options, made_options, any, "sparse.coo", "coo", x) end

---Creates a matrix in packets of rows that read their part of a vector through shared memory: PyCUDA's PacketedSpMV.
---Use it for many products with vectors, if neighbouring rows share columns, as in matrices of grids. Creating the
---packets on the host takes some time. For operations other than products with a vector it is converted to csr each
---time.
---@param x any  as for csr
---@param options? {dtype: any, stream: cudalua.Stream}  dtype: as for csr
---@return cudalua.sparse.Matrix
---@raise LogicError as csr
function M.packed(x, options)
  return in_stream("sparse.packed", options, made_options, any, "sparse.packed", "packed", x)
end

local dense_options = { dtype = true, format = true, stream = true }

local function from_dense(o, what, x)
  if matrix.is(x) then refuse(what, "expected a dense array, got a sparse matrix; convert it with m:to 'csr'") end
  if surplus.is_named(x) then
    refuse(what, "expected a dense array, got a table with names; sparse.csr takes the parts of a matrix")
  end
  return convert.any(what, convert.format(what, o.format == nil and "csr" or o.format), x, o.dtype)
end

---Creates a sparse matrix of the elements of a dense array that are not 0. The program waits for their number.
---@param x any  an array with two axes, also a host array or nested lists
---@param options? {dtype: any, format: "csr"|"csc"|"coo"|"packed", stream: cudalua.Stream}  dtype: as for csr; format:
---  default csr
---@return cudalua.sparse.Matrix
---@raise LogicError if x does not have two axes, and inside a capture
function M.from_dense(x, options)
  return in_stream("sparse.from_dense", options, dense_options, from_dense, "sparse.from_dense", x)
end

-- ---- diagonals ------------------------------------------------------------------------------------------------------

local diagonal_options = { shape = true, dtype = true, format = true, stream = true }

-- Where a diagonal begins, and how many elements it has.
local function extent(rows, columns, k)
  local down, right = math.max(-k, 0), math.max(k, 0)
  return down, right, math.max(math.min(rows - down, columns - right), 0)
end

local function joined(list, dtype)
  if #list == 1 then return list[1] end
  return gpuarray.concatenate(list, 1, { dtype = dtype })
end

-- A matrix of diagonals: `values`, arrays of one axis, one for each offset.
local function diagonals(what, values, offsets, rows, columns, dtype, format)
  local row_list, column_list, data = {}, {}, {}
  for i, k in ipairs(offsets) do
    local down, right, n = extent(rows, columns, k)
    row_list[i] = gpuarray.arange(down, down + n, 1, "int64")
    column_list[i] = gpuarray.arange(right, right + n, 1, "int64")
    data[i] = values[i]
  end
  local given = { shape = { rows, columns }, base = 0, dtype = dtype, rows = joined(row_list, "int64"),
    columns = joined(column_list, "int64"), data = joined(data, dtype) }
  local from = format == "packed" and "csr" or format
  local m = build.of_parts(what, from, given)
  rawset(m, "_base", 1)
  return from == format and m or m:to(format)
end

-- The arrays and the offsets of diags().
local function read_diagonals(what, list, offsets, dtype)
  if type(list) ~= "table" or getmetatable(list) then
    refuse(what, "the diagonals must be a list of lists, arrays and numbers, got " .. element.describe(list))
  end
  if #list == 0 then refuse(what, "got no diagonals") end
  local at
  if offsets == nil and #list == 1 then
    at = { 0 }
  else
    at = layout.integers(what, "offsets", offsets, -2 ^ 53)
  end
  if #at ~= #list then
    refuse(what, ("got %d diagonal%s and %d offset%s"):format(#list, #list == 1 and "" or "s", #at,
      #at == 1 and "" or "s"))
  end
  local seen, values = {}, {}
  for i, k in ipairs(at) do
    if seen[k] then refuse(what, ("the offset %d appears twice"):format(k)) end
    seen[k] = true
    local x = list[i]
    if element.scalar(x) == nil then
      x = build.values(what, ("diagonal %d"):format(i), x, dtype)
    end
    values[i] = x
  end
  return values, at
end

local function diags(o, what, list, offsets)
  local values, at = read_diagonals(what, list, offsets, o.dtype)
  local rows, columns
  if o.shape ~= nil then
    rows, columns = build.shape(what, o.shape)
  else
    local first = values[1]
    if not gpuarray.is(first) then
      refuse(what, "numbers as diagonals need a shape: {shape = {rows, columns}}")
    end
    rows = first.size + math.abs(at[1])
    columns = rows
  end
  for i, k in ipairs(at) do
    local _, _, n = extent(rows, columns, k)
    local x = values[i]
    if not gpuarray.is(x) then
      values[i] = gpuarray.full(n, x, o.dtype)
    elseif x.size ~= n then
      refuse(what, ("diagonal %d has %d elements; at the offset %d a matrix of %d x %d has %d"):format(i, x.size, k,
        rows, columns, n))
    end
  end
  return diagonals(what, values, at, rows, columns, o.dtype, convert.format(what, o.format or "csr"))
end

---Creates a matrix with the given diagonals: `sparse.diags({{1, 2}, {4, 5, 6}}, {1, 0})`.
---@param diagonals any[]  lists, 1-D arrays, or numbers for diagonals with a single value
---@param offsets? integer[]  the position of each diagonal: 0 is the main diagonal, 1 above it, -1 below it; default
---  for one diagonal: 0
---@param options? {shape: integer[], dtype: any, format: "csr"|"csc"|"coo"|"packed", stream: cudalua.Stream}  shape:
---  default: the square matrix that the first diagonal fits; dtype: as for csr; format: default csr
---@return cudalua.sparse.Matrix
---@raise LogicError for lengths that do not fit the shape, and if an offset appears twice
function M.diags(diagonals, offsets, options) -- luacheck: ignore 431
  return in_stream("sparse.diags", options, diagonal_options, diags, "sparse.diags", diagonals, offsets)
end

local eye_options = { dtype = true, format = true, stream = true }

local function count(what, name, x)
  if hooks.dtype_of(x) then
    refuse(what, ("%s must be an integer, got %s; pass the dtype as an option: {dtype = ...}"):format(name,
      errors.text(x)))
  end
  local n = layout.whole(x)
  if not n or n < 0 then
    refuse(what, ("%s must be a non-negative integer, got %s"):format(name, element.describe(x)))
  end
  return n
end

local function eye(o, what, n, m, k)
  local rows = count(what, "n", n)
  local columns = m == nil and rows or count(what, "m", m)
  build.shape(what, { rows, columns })
  local offset = layout.whole(k == nil and 0 or k)
  if not offset then refuse(what, "k must be an integer, got " .. element.describe(k)) end
  local dtype = matrix.dtype(what, o.dtype == nil and dtypes.default_float() or o.dtype)
  local _, _, size = extent(rows, columns, offset)
  return diagonals(what, { gpuarray.ones(size, dtype) }, { offset }, rows, columns, dtype,
    convert.format(what, o.format or "csr"))
end

---Creates a matrix with ones on a diagonal.
---@param n integer  the number of rows
---@param m? integer  the number of columns; default: n
---@param k? integer  the diagonal: 0 (default) is the main diagonal, 1 above it, -1 below it
---@param options? {dtype: any, format: "csr"|"csc"|"coo"|"packed", stream: cudalua.Stream}  dtype: as for csr; format:
---  default csr
---@return cudalua.sparse.Matrix
---@raise LogicError for other numbers
function M.eye(n, m, k, options)
  if type(m) == "table" and k == nil and options == nil then m, options = nil, m end
  return in_stream("sparse.eye", options, eye_options, eye, "sparse.eye", n, m, k)
end

surplus.install("sparse.", M)
for name, f in pairs_of(require "cudalua.sparse.solve") do M[name] = f end
names.class(matrix.Matrix, "sparse.Matrix")
names.strict(M, { text = "sparse", kind = "module" })

return M
