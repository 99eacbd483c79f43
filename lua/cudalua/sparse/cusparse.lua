-- Products of sparse matrices by cuSPARSE: with vectors (SpMV), with dense matrices (SpMM) and with each other
-- (SpGEMM). It gets the matrix by rows, so that it needs no atomics; values of the other order are gathered first.
-- Descriptors are host memory. They are made for each call, as they cost little beside it, and hold no state.

local build = require "cudalua.sparse.build"
local choice = require "cudalua.vendor.choice"
local code = require "cudalua.sparse.code"
local construct = require "cudalua.gpuarray.make.construct"
local convert = require "cudalua.sparse.convert"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local ffi = require "ffi"
local graph = require "cudalua.gpuarray.core.graph"
local handles = require "cudalua.vendor.handles"
local layout = require "cudalua.base.layout"
local libraries = require "cudalua.vendor.library"
local matrix = require "cudalua.sparse.matrix"
local runs = require "cudalua.gpuarray.core.run"
local status = require "cudalua.vendor.status"
local storage = require "cudalua.gpuarray.core.storage"
local structures = require "cudalua.sparse.structure"
local view = require "cudalua.gpuarray.core.view"

local M = {}

-- ---- constants, with the names of cusparse.h and library_types.h ----------------------------------------------------

local CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_C_32F, CUDA_C_64F, CUDA_R_16BF = 0, 1, 2, 4, 5, 14
local CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_ORDER_ROW = 0, 0, 2
local CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I = 2, 3
-- Those of equal bits for equal calls.
local CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3 = 3, 12
local CUSPARSE_SPGEMM_DEFAULT = 0

local N = CUSPARSE_OPERATION_NON_TRANSPOSE
local WRITTEN = -1 -- no status of the library's: arrays were written to before the call
local ALIGNMENT = 16 -- bytes, of all arrays

-- What it answers for a product that it does not have. The names are without "CUSPARSE_STATUS_".
local LACKING = { ARCH_MISMATCH = true, MATRIX_TYPE_NOT_SUPPORTED = true, NOT_SUPPORTED = true,
  INSUFFICIENT_RESOURCES = true }

-- By the type of a product: that of values, what sums are computed in, and C's type of a factor.
local types = {
  float16 = { CUDA_R_16F, CUDA_R_32F, "float[1]" }, bfloat16 = { CUDA_R_16BF, CUDA_R_32F, "float[1]" },
  float32 = { CUDA_R_32F, CUDA_R_32F, "float[1]" }, float64 = { CUDA_R_64F, CUDA_R_64F, "double[1]" },
  complex64 = { CUDA_C_32F, CUDA_C_32F, "complex float[1]" }, complex128 = { CUDA_C_64F, CUDA_C_64F, "complex[1]" },
}

local function check(what, call, status_code, about) status.check(what, "cusparse", call, status_code, about) end

-- Text for a status that says that it cannot do this; nil: it can, or failed otherwise.
local function lacking(status_code)
  local text = status.text("cusparse", status_code)
  return LACKING[text:match "STATUS_([%u_]+)"] and text or nil
end

-- ---- descriptors ----------------------------------------------------------------------------------------------------

-- A descriptor, which is destroyed by closed(), or when it is collected.
local function descriptor(what, made, create, destroy, ...)
  local f, out = libraries.functions "cusparse", ffi.new "uintptr_t[1]"
  check(what, create, f[create](out, ...))
  made[#made + 1] = { owner = ffi.gc(ffi.cast("void *", out[0]), f[destroy]), destroy = f[destroy] }
  return tonumber(out[0])
end

local function closed(made)
  for _, d in ipairs(made) do
    ffi.gc(d.owner, nil)
    d.destroy(d.owner)
  end
end

local function index_of(place) return place == dtypes.int32 and CUSPARSE_INDEX_32I or CUSPARSE_INDEX_64I end

local function csr(what, made, s, offsets, indices, values, t)
  local index = index_of(s.place)
  return descriptor(what, made, "CreateCsr", "DestroySpMat", s.lines, s.extent, s.count, offsets, indices, values,
    index, index, CUSPARSE_INDEX_BASE_ZERO, types[t.name][1])
end

-- ---- operands -------------------------------------------------------------------------------------------------------

-- The elements as a type, without gaps, where cuSPARSE may read them.
local function as_type(x, t)
  if x._dtype ~= t then x = graph.convert(x, t) end
  local leaf = evaluate(x)
  if leaf.dense and runs.address(leaf) % ALIGNMENT == 0 then return leaf end
  return view.copy(x, "C")._leaf
end

-- The rows of a matrix: the structure, and the values as a type in its order.
local function rows_of(what, m, t)
  local s, order = matrix.oriented(m, false, what)
  return { s = s, offsets = evaluate(s.indptr), indices = evaluate(s.indices),
    values = as_type(convert.in_order(m, s, order), t) }
end

local function csr_of(what, made, rows, t)
  return csr(what, made, rows.s, runs.address(rows.offsets), runs.address(rows.indices), runs.address(rows.values), t)
end

local function text_of(m, other, t)
  return ("a %s product of a sparse matrix of %.0f x %.0f with %.0f elements by %s"):format(t.name, m._rows, m._columns,
    m._structure.count, other)
end

-- ---- dense operands -------------------------------------------------------------------------------------------------

-- Of x with one axis SpMV, with two SpMM: their names, operations, and algorithm.
local function product_of(what, made, x, leaf, y, t)
  local type_of, from, to = types[t.name][1], runs.address(leaf), runs.address(y._leaf)
  if x._ndim == 1 then
    return { name = "SpMV", algorithm = CUSPARSE_SPMV_CSR_ALG2,
      x = descriptor(what, made, "CreateDnVec", "DestroyDnVec", x._size, from, type_of),
      y = descriptor(what, made, "CreateDnVec", "DestroyDnVec", y._size, to, type_of) }
  end
  local columns = x._shape[2]
  return { name = "SpMM", algorithm = CUSPARSE_SPMM_CSR_ALG3, matrix = true,
    x = descriptor(what, made, "CreateDnMat", "DestroyDnMat", x._shape[1], columns, columns, from, type_of,
      CUSPARSE_ORDER_ROW),
    y = descriptor(what, made, "CreateDnMat", "DestroyDnMat", y._shape[1], columns, columns, to, type_of,
      CUSPARSE_ORDER_ROW) }
end

local function dense_attempt(since, made, what, m, x, t, y, about)
  local rows, leaf = rows_of(what, m, t), as_type(x, t)
  local f, handle = libraries.functions "cusparse", handles.get "cusparse"
  local a, p = csr_of(what, made, rows, t), product_of(what, made, x, leaf, y, t)
  local factor = ffi.typeof(types[t.name][3])
  local one, zero, bytes, compute = factor(1), factor(0), ffi.new "size_t[1]", types[t.name][2]
  local size, set_stream, multiply = f[p.name .. "_bufferSize"], f.SetStream, f[p.name]
  local b, c, algorithm, is_matrix = p.x, p.y, p.algorithm, p.matrix
  local answer, called, _
  if is_matrix then
    answer = size(handle, N, N, one, a, b, zero, c, compute, algorithm, bytes)
  else
    answer = size(handle, N, one, a, b, zero, c, compute, algorithm, bytes)
  end
  if lacking(answer) then return nil, lacking(answer) end
  check(what, p.name .. "_bufferSize", answer, about)
  local work = bytes[0] > 0 and storage.buffer(tonumber(bytes[0]))
  local area = work and work:ptr() or 0
  called, _, answer = runs.library {
    name = "cusparse" .. p.name, since = since, leaves = { rows.offsets, rows.indices, rows.values, leaf },
    writes = { y._leaf }, scratch = work and { work } or nil,
    -- The check and the calls, on one line: a finalizer that comes in between has come before the check.
    call = function(stream)
      local r = since ~= storage.writes and WRITTEN or set_stream(handle, stream); return r ~= 0 and r or is_matrix and multiply(handle, N, N, one, a, b, zero, c, compute, algorithm, area) or not is_matrix and multiply(handle, N, one, a, b, zero, c, compute, algorithm, area) -- luacheck: ignore 631
    end,
  }
  if not called or answer == WRITTEN then return runs.AGAIN end
  if lacking(answer) then return nil, lacking(answer) end
  check(what, p.name, answer, about)
  return true
end

-- An attempt, behind which its descriptors are destroyed; in one that raises, when they are collected.
local function described(since, attempt, ...)
  local made = {}
  local first, second = attempt(since, made, ...)
  closed(made)
  return first, second
end

-- Is the type of a product one that it has? Text: what it does not have.
local function can(t) return types[t.name] and true or ("sparse products that are %s"):format(t.name) end

---The product of a sparse matrix, which has elements, with a vector or a dense matrix, by cuSPARSE.
---@param what string
---@param m cudalua.sparse.Matrix
---@param x cudalua.gpuarray.Array   that has elements
---@param t cudalua.dtype.DType      of the product
---@return cudalua.gpuarray.Array?  nil: own kernels compute it
---@raise LogicError under "vendor", if cuSPARSE cannot; inside a capture, if it has no handle yet
function M.times_dense(what, m, x, t)
  if not choice.vendor(what, "cusparse", can(t)) then return nil end
  local shape = x._ndim == 1 and { m._rows } or { m._rows, x._shape[2] }
  local y = storage.empty(t, shape, graph.size_of(shape))
  local about = text_of(m, x._ndim == 1 and "a vector" or ("%.0f columns"):format(x._shape[2]), t)
  local done, why = runs.until_done(described, dense_attempt, what, m, x, t, y, about)
  if done then return y end
  choice.vendor(what, "cusparse", ("%s: it answers %s"):format(about, why)) -- raises under "vendor"
  return nil
end

-- ---- sparse times sparse --------------------------------------------------------------------------------------------

---A product of two sparse matrices under way.
---@class cudalua.sparse.Product
---@field what string
---@field since integer
---@field leaves table[]     what the calls read
---@field one ffi.cdata*     factors
---@field zero ffi.cdata*
---@field a integer          descriptors of the matrices, and of the product
---@field b integer
---@field c integer
---@field descriptor integer
---@field compute integer
---@field buffers userdata[]
---@field about string

-- One call, with memory of its own if `buffer` is there. Nil: arrays were written to.
local function called(p, name, writes, bytes, buffer, last)
  local f = libraries.functions "cusparse"
  local set_stream, g, handle, since = f.SetStream, f["SpGEMM_" .. name], handles.get "cusparse", p.since
  local one, a, b, zero, c, compute, desc = p.one, p.a, p.b, p.zero, p.c, p.compute, p.descriptor
  local area = buffer and buffer:ptr() or 0
  if buffer then p.buffers[#p.buffers + 1] = buffer end
  local leaves = { unpack(p.leaves) }
  for _, buf in ipairs(p.buffers) do leaves[#leaves + 1] = { buf = buf } end
  local done, _, answer = runs.library {
    name = "cusparseSpGEMM_" .. name, since = since, leaves = leaves, writes = writes,
    scratch = last and p.buffers or nil,
    call = function(stream)
      local r = since ~= storage.writes and WRITTEN or set_stream(handle, stream); return r ~= 0 and r or bytes and g(handle, N, N, one, a, b, zero, c, compute, CUSPARSE_SPGEMM_DEFAULT, desc, bytes, area) or not bytes and g(handle, N, N, one, a, b, zero, c, compute, CUSPARSE_SPGEMM_DEFAULT, desc) -- luacheck: ignore 631
    end,
  }
  if not done or answer == WRITTEN then return nil end
  return answer
end

-- A step with memory of a size that it tells first. True; runs.AGAIN; or nil and why it cannot.
local function with_buffer(p, name, writes)
  local bytes = ffi.new "size_t[1]"
  for k = 1, 2 do
    local buffer
    if k == 2 then
      -- Own kernels multiply in pieces that fit.
      if choice.backend() == "auto" and tonumber(bytes[0]) > core.mem_get_info() / 2 then
        return nil, ("it wants %.0f bytes"):format(tonumber(bytes[0]))
      end
      buffer = storage.buffer(math.max(tonumber(bytes[0]), 1)) -- without memory it would tell the size again
    end
    local answer = called(p, name, writes, bytes, buffer)
    if not answer then return runs.AGAIN end
    if lacking(answer) then return nil, "it answers " .. lacking(answer) end
    check(p.what, "SpGEMM_" .. name, answer, p.about)
  end
  return true
end

local function product_attempt(since, made, what, left, right, t, about)
  local a, b = rows_of(what, left, t), rows_of(what, right, t)
  local c = structures.new(dtypes.int32, a.s.lines, b.s.extent, structures.list(dtypes.int32, a.s.lines + 1),
    structures.list(dtypes.int32, 0))
  local offsets = evaluate(c.indptr)
  local f, factor, n = libraries.functions "cusparse", ffi.typeof(types[t.name][3]), ffi.new "int64_t[3]"
  local from = csr(what, made, c, runs.address(offsets), 0, 0, t)
  local p = { what = what, since = since, about = about, buffers = {}, leaves = { a.offsets, a.indices, a.values,
    b.offsets, b.indices, b.values }, one = factor(1), zero = factor(0), a = csr_of(what, made, a, t),
    b = csr_of(what, made, b, t), c = from, compute = types[t.name][2],
    descriptor = descriptor(what, made, "SpGEMM_createDescr", "SpGEMM_destroyDescr") }
  for _, name in ipairs { "workEstimation", "compute" } do
    local done, why = with_buffer(p, name, { offsets })
    if done ~= true then return done, why end
  end
  check(what, "SpMatGetSize", f.SpMatGetSize(from, n, n + 1, n + 2))
  local count = tonumber(n[2])
  local indices, data = structures.list(dtypes.int32, count), structures.list(t, count)
  if count == 0 then
    return structures.new(dtypes.int32, c.lines, c.extent, construct.zeros(c.lines + 1, dtypes.int32):eval(), indices),
      data
  end
  check(what, "CsrSetPointers", f.CsrSetPointers(from, runs.address(offsets), runs.address(indices._leaf),
    runs.address(data._leaf)))
  local answer = called(p, "copy", { offsets, indices._leaf, data._leaf }, nil, nil, true)
  if not answer then return runs.AGAIN end
  check(what, "SpGEMM_copy", answer, about)
  return structures.new(dtypes.int32, c.lines, c.extent, c.indptr, indices), data
end

-- Positions of the type that a matrix of that size has.
local function as_stored(s)
  local place = structures.place_of(s.lines, s.extent, s.count)
  if place == s.place then return s end
  return structures.new(place, s.lines, s.extent, graph.as_type(s.indptr, place):eval(),
    graph.as_type(s.indices, place):eval())
end

local function can_both(left, right, t)
  if code.sum_type(t) ~= t then return ("products of two sparse matrices of %s"):format(t.name) end
  if left._structure.place ~= dtypes.int32 or right._structure.place ~= dtypes.int32 then
    return "products of two sparse matrices with positions of 64 bits"
  end
  return can(t)
end

---The product of two sparse matrices, by cuSPARSE.
---@param what string
---@param left cudalua.sparse.Matrix
---@param right cudalua.sparse.Matrix
---@param t cudalua.dtype.DType  of the product
---@return cudalua.sparse.Matrix?  csr; nil: own kernels compute it
---@raise LogicError as times_dense(), and inside a capture
function M.times_sparse(what, left, right, t)
  if left._structure.count == 0 or right._structure.count == 0 then return nil end
  if not choice.vendor(what, "cusparse", can_both(left, right, t)) then return nil end
  if core.current_stream():is_capturing() then
    layout.refuse(what, "inside a capture, two sparse matrices cannot be multiplied, as the size of the result is read")
  end
  build.shape(what, { left._rows, right._columns })
  local about = text_of(left, ("one of %.0f x %.0f with %.0f elements"):format(right._rows, right._columns,
    right._structure.count), t)
  local s, data = runs.until_done(described, product_attempt, what, left, right, t, about)
  if not s then
    choice.vendor(what, "cusparse", ("%s: %s"):format(about, data)) -- raises under "vendor"
    return nil
  end
  s, data = build.ordered(what, s, data)
  return matrix.new("csr", as_stored(s), data, left._base)
end

return M
