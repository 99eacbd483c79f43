-- Products of sparse matrices with vectors, with dense matrices and with each other. Sums are of an order that depends
-- on the structure alone, so that they have the same bits on every device.

local arguments = require "cudalua.gpuarray.index.arguments"
local build = require "cudalua.sparse.build"
local calls = require "cudalua.gpuarray.core.calls"
local code = require "cudalua.sparse.code"
local construct = require "cudalua.gpuarray.make.construct"
local convert = require "cudalua.sparse.convert"
local core = require "cudalua.core"
local cusparse = require "cudalua.sparse.cusparse"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local functions = require "cudalua.gpuarray.core.functions"
local gpuarray = require "cudalua.gpuarray"
local layout = require "cudalua.base.layout"
local matrix = require "cudalua.sparse.matrix"
local packed = require "cudalua.sparse.packed"
local long_lines = require "cudalua.sparse.pieces"
local structures = require "cudalua.sparse.structure"
local write = require "cudalua.gpuarray.core.write"

local refuse = layout.refuse

---@class cudalua.sparse.Matrix
local Matrix = matrix.Matrix

local M = {}

---The dtype of a product: that of both, and int64 for integers, as dot() has it.
---@param a cudalua.dtype.DType
---@param b cudalua.dtype.DType
---@return cudalua.dtype.DType
local function result_type(a, b)
  local t = dtypes.promote(a, b)
  return t.kind == "int" and dtypes.int64 or t
end
M.result_type = result_type

local function misfit(what, m, shape)
  refuse(what, ("a matrix of %.0f x %.0f cannot be multiplied by an array of the shape %s, which must begin with %.0f")
    :format(m._rows, m._columns, layout.text(shape), m._columns))
end

-- ---- dense operands -------------------------------------------------------------------------------------------------

local STEPS_THREADS = 128 -- of a block: kernels/sparse/merge.cu

-- Where the result goes: `out`, if one kernel alone writes it and may do so at once, or a new array.
local function target(out, t, shape, x, data)
  local is_direct = write.dense_at_once(out, t, shape, { evaluate(x), evaluate(data) })
  return is_direct and out or gpuarray.empty(shape, t), is_direct and out or nil
end

-- y = s x, a vector.
local function times_vector(what, s, order, data, x, t, out)
  local types = { data = data._dtype, other = x._dtype, result = t }
  local starts, blocks = structures.partition(s, what)
  if not order then data = code.aligned(data) end -- the kernel loads words of 16 bytes
  local sum = code.sum_type(t)
  local y, into = target(blocks == 1 and out or nil, t, { s.lines }, x, data)
  local heads = code.scratch(blocks * sum.itemsize)
  local carries = code.scratch(blocks * sum.itemsize)
  local job = { { kernel = code.kernel("merge/product", "sparse_merge", s.place, types, order and true),
    blocks = blocks, threads = STEPS_THREADS,
    arguments = { s.lines, s.count, s.indptr, s.indices, order or s.indices, data, x, starts, y, heads, carries } } }
  if blocks > 1 then
    job[2] = { kernel = code.kernel("merge/carries", "sparse_carries", s.place, types), n = blocks,
      arguments = { blocks, s.lines, starts, heads, carries, y } }
  end
  code.launch(job, { y }, into)
  return y
end

local WARPS = 8 -- of a block: kernels/sparse/rows.cu

-- y = s x, a matrix.
local function times_matrix(what, s, order, data, x, t, out)
  local columns, p = x._shape[2], long_lines.of(s, what)
  local y, into = target(not p and out or nil, t, { s.lines, columns }, x, data)
  local strips, types = math.ceil(columns / 32), { data = data._dtype, other = x._dtype, result = t }
  local job = { { kernel = code.kernel("rows/product", "sparse_rows", s.place, types, order and true),
    blocks = math.ceil(s.lines * strips / WARPS),
    arguments = { s.lines, columns, strips, s.indptr, s.indices, order or s.indices, data, x, y } } }
  if p then
    local sums = code.scratch(p.count * columns * code.sum_type(t).itemsize)
    job[2] = { kernel = code.kernel("rows/pieces", "sparse_pieces", s.place, types, order and true),
      blocks = math.ceil(p.count * strips / WARPS),
      arguments = { p.count, columns, strips, s.indptr, s.indices, order or s.indices, data, x, p.lines, p.first,
        p.owner, sums } }
    job[3] = { kernel = code.kernel("rows/sums", "sparse_piece_sums", s.place, types), n = p.long * columns,
      arguments = { p.long, columns, p.lines, p.first, sums, y } }
  end
  code.launch(job, { y }, into)
  return y
end

-- own: under every backend. out: gets the result, if that can be written there at once.
local function times_dense(what, m, x, own, out)
  local n = x._ndim
  if n ~= 1 then m = matrix.elements(what, m) end
  if n ~= 1 and n ~= 2 or x._shape[1] ~= m._columns then misfit(what, m, x._shape) end
  local t = result_type(m._data._dtype, x._dtype)
  if m._structure.count == 0 or x._size == 0 or m._rows == 0 then
    return construct.zeros(n == 1 and { m._rows } or { m._rows, x._shape[2] }, t)
  end
  local product = not own and not m._packed and cusparse.times_dense(what, m, x, t, out)
  if product then return product end
  x = code.dense(x)
  if m._packed then
    return packed.times_vector(m, x, t, function(s, order, data) return times_vector(what, s, order, data, x, t) end)
  end
  local s, order = matrix.oriented(m, false, what)
  if n == 1 then return times_vector(what, s, order, m._data, x, t, out) end
  return times_matrix(what, s, order, m._data, x, t, out)
end

-- ---- sparse times sparse --------------------------------------------------------------------------------------------

---Products that are made at once; false: as many as fit into a quarter of the free memory. Specs change it.
---@type integer|false
M.most = false

local PER_PRODUCT = 8 * 4 + 4 * 4 + 2 -- bytes, without the value and its copy: keys while they are sorted, places

local function most(sum)
  if M.most then return M.most end
  return math.max(core.mem_get_info() / 4 / (PER_PRODUCT + 2 * sum.itemsize), 1)
end

-- The pieces of lines that are multiplied at once: lists of { first element, the last one's end, first product, end }.
local function pieces(a, ends, total, sum)
  local limit = most(sum)
  if total <= limit then return { { 0, a.count, 0, total } } end
  local all = gpuarray.concatenate { gpuarray.zeros(1, "int64"), ends }
  local products, elements = gpuarray.take(all, a.indptr + 1):get(), a.indptr:get()
  local list, from = {}, 1
  local function at(x, i) return tonumber(x:get(i)) end
  for line = 2, a.lines + 1 do
    if line == a.lines + 1 or at(products, line + 1) - at(products, from) > limit then
      list[#list + 1] = { at(elements, from), at(elements, line), at(products, from), at(products, line) }
      from = line
    end
  end
  return list
end

local function times_sparse(what, left, right)
  if left._format == "csc" and right._format == "csc" then
    return times_sparse(what, right:transpose(), left:transpose()):transpose()
  end
  local t = result_type(left._data._dtype, right._data._dtype)
  local product = cusparse.times_sparse(what, left, right, t)
  if product then return product end
  local sum = code.sum_type(t)
  local a, order = matrix.oriented(left, false, what)
  local a_data = convert.in_order(left, a, order)
  local b
  b, order = matrix.oriented(right, false, what)
  local b_data = convert.in_order(right, b, order)
  build.shape(what, { a.lines, b.extent })
  local all_keys, all_data = {}, {}
  if a.count > 0 and b.count > 0 then
    if a.place ~= b.place then refuse(what, "one of the matrices is too large to be multiplied by the other") end
    local lengths = structures.list(dtypes.int64, a.count)
    code.launch({ { kernel = code.kernel("build/lengths", "sparse_lengths", a.place), n = a.count,
      arguments = { a.count, a.indices, b.indptr, lengths } } }, { lengths })
    local ends = gpuarray.cumsum(lengths):eval()
    code.release(lengths)
    local lines = structures.lines(a, what)
    local kernel = code.kernel("build/expand", "sparse_expand", a.place, { data = a_data._dtype,
      other = b_data._dtype, result = sum })
    for _, piece in ipairs(pieces(a, ends, tonumber(ends:item(a.count)), sum)) do
      local n = piece[4] - piece[3]
      local keys, data = structures.list(dtypes.int64, n), structures.list(sum, n)
      if n > 0 then
        code.launch({ { kernel = kernel, n = n, arguments = { n, piece[3], piece[1], piece[2], ends, lines, a.indices,
          a_data, b.indptr, b.indices, b_data, b.extent, keys, data } } }, { keys, data })
        all_keys[#all_keys + 1], all_data[#all_data + 1] = build.summed(what, keys, data, t)
        code.release(keys, data)
      end
    end
  end
  if #all_keys == 0 then
    all_keys[1], all_data[1] = structures.list(dtypes.int64, 0), structures.list(t, 0)
  end
  local keys = #all_keys == 1 and all_keys[1] or gpuarray.concatenate(all_keys)
  local data = #all_data == 1 and all_data[1] or gpuarray.concatenate(all_data)
  return matrix.new("csr", build.of_keys(a.lines, b.extent, keys), data, left._base)
end

-- ---- the method -----------------------------------------------------------------------------------------------------

-- What was not written to out at once is copied there.
local function delivered(what, y, out)
  return (out == nil or rawequal(y, out)) and y or functions.deliver(what, y, out)
end

local options_of_matmul = { out = true, stream = true, allocator = true }

---The product with a vector, a dense matrix or a sparse matrix. Every sum has the same order on every device, unless
---linalg.backend selects cuSPARSE. float16 and bfloat16 are summed as float32, integers as int64.
---@param x any  a 1-D or 2-D array, also a host array or a list; or a sparse matrix
---@param options? {out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  out: an array that
---  receives a dense result
---@return any  an array; for two sparse matrices a sparse matrix: csr, or csc if both are csc
---@raise LogicError if the shapes do not fit, if out has another shape, and for two sparse matrices inside a capture
function Matrix:matmul(x, options)
  local what = "sparse.Matrix:matmul"
  matrix.check(what, self)
  local o = errors.options(what, options, options_of_matmul)
  if matrix.is(x) then
    if o.out ~= nil then refuse(what, "the product of two sparse matrices is a new matrix; omit out") end
    self, x = matrix.elements(what, self), matrix.elements(what, x)
    if self._columns ~= x._rows then misfit(what, self, { x._rows, x._columns }) end
    return matrix.inside(self, times_sparse, what, self, x)
  end
  x = arguments.any_array(what, "x", x)
  return matrix.inside(self, function()
    return delivered(what, times_dense(what, self, x, false, o.out), o.out)
  end)
end

local options_of_sum = { axis = true, out = true, stream = true, allocator = true }

---The sum of all elements, or of each column or row. Integers are summed as int64.
---@param options? any  {axis: integer, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}. The
---  axis can also come before this table. axis: 1: one sum for each column, 2: one for each row; default: the sum of
---  all elements
---@overload fun(self: any, axis: integer?, options: table): cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array  0-d, or 1-D
---@raise LogicError for another axis, and if out has another shape
function Matrix:sum(options)
  local what = "sparse.Matrix:sum"
  self = matrix.elements(what, self)
  if type(options) == "number" then options = { axis = options } end
  local o = errors.options(what, options, options_of_sum)
  if o.axis == nil then
    return gpuarray.sum(self._data, { out = o.out })
  end
  local axis = layout.axis(what, o.axis, 2)
  return matrix.inside(self, function()
    local m = axis == 2 and self or self:transpose()
    return delivered(what, times_dense(what, m, construct.ones(m._columns, self._data._dtype), true, o.out), o.out)
  end)
end

for _, name in ipairs { "matmul", "sum" } do Matrix[name] = calls.wrap("sparse.Matrix:" .. name, Matrix[name]) end

return M
