-- What products by cuSPARSE have in common: types, the operands as it takes them, and descriptors. Descriptors are host
-- memory. They are made for each call, as they cost little beside it, and hold no state.

local convert = require "cudalua.sparse.convert"
local dtypes = require "cudalua.dtype"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local ffi = require "ffi"
local graph = require "cudalua.gpuarray.core.graph"
local libraries = require "cudalua.vendor.library"
local matrix = require "cudalua.sparse.matrix"
local runs = require "cudalua.gpuarray.core.run"
local status = require "cudalua.vendor.status"
local view = require "cudalua.gpuarray.core.view"

local M = {}

-- ---- constants, with the names of cusparse.h and library_types.h ----------------------------------------------------

local CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_C_32F, CUDA_C_64F, CUDA_R_16BF = 0, 1, 2, 4, 5, 14
local CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I = 0, 2, 3

local ALIGNMENT = 16 -- bytes, of all arrays

-- By the type of a product: that of values, what sums are computed in, and which type of ours that is.
local types = {
  float16 = { CUDA_R_16F, CUDA_R_32F, "float32" }, bfloat16 = { CUDA_R_16BF, CUDA_R_32F, "float32" },
  float32 = { CUDA_R_32F, CUDA_R_32F, "float32" }, float64 = { CUDA_R_64F, CUDA_R_64F, "float64" },
  complex64 = { CUDA_C_32F, CUDA_C_32F, "complex64" }, complex128 = { CUDA_C_64F, CUDA_C_64F, "complex128" },
}

---Is the type of a product one that it has?
---@param t cudalua.dtype.DType
---@return true|string can  text: what it does not have
function M.can(t) return types[t.name] and true or ("sparse products that are %s"):format(t.name) end

---The numbers of a product's type, which it has.
---@param t cudalua.dtype.DType
---@return integer values
---@return integer compute
---@return string sum  of the factors, too
function M.type_of(t)
  local row = types[t.name]
  return row[1], row[2], row[3]
end

-- ---- statuses -------------------------------------------------------------------------------------------------------

-- What it answers for a product that it does not have. The names are without "CUSPARSE_STATUS_".
local LACKING = { ARCH_MISMATCH = true, MATRIX_TYPE_NOT_SUPPORTED = true, NOT_SUPPORTED = true,
  INSUFFICIENT_RESOURCES = true }

---Raises for a status other than 0.
---@param what string
---@param call string
---@param status_code integer
---@param about? string
function M.check(what, call, status_code, about) status.check(what, "cusparse", call, status_code, about) end

---Does a status say that it cannot do this?
---@param status_code integer
---@return string? text  nil: it can, or failed otherwise
function M.lacking(status_code)
  local text = status.text("cusparse", status_code)
  return LACKING[text:match "STATUS_([%u_]+)"] and text or nil
end

---A product as text, for messages.
---@param m cudalua.sparse.Matrix
---@param other string
---@param t cudalua.dtype.DType
---@return string
function M.text(m, other, t)
  return ("a %s product of a sparse matrix of %.0f x %.0f with %.0f elements by %s"):format(t.name, m._rows, m._columns,
    m._structure.count, other)
end

-- ---- descriptors ----------------------------------------------------------------------------------------------------

---Makes a descriptor.
---@param what string
---@param made table[]     list that has it then
---@param create string    the library's function, without the prefix
---@param destroy string
---@param ... any          what `create` takes
---@return integer number
function M.descriptor(what, made, create, destroy, ...)
  local f, out = libraries.functions "cusparse", ffi.new "uintptr_t[1]"
  M.check(what, create, f[create](out, ...))
  made[#made + 1] = { owner = ffi.gc(ffi.cast("void *", out[0]), f[destroy]), destroy = f[destroy] }
  return tonumber(out[0])
end

---An attempt (run.until_done) with a list for descriptors, which are destroyed behind it; those of one that raises when
---they are collected.
---@param since integer
---@param attempt fun(since: integer, made: table[], ...): any, any
---@param ... any
---@return any first
---@return any second
function M.attempt(since, attempt, ...)
  local made = {}
  local first, second = attempt(since, made, ...)
  for _, d in ipairs(made) do
    ffi.gc(d.owner, nil)
    d.destroy(d.owner)
  end
  return first, second
end

---The descriptor of a matrix by rows.
---@param what string
---@param made table[]
---@param s table          structure
---@param offsets integer  addresses
---@param indices integer
---@param values integer
---@param t cudalua.dtype.DType
---@return integer number
function M.csr(what, made, s, offsets, indices, values, t)
  local index = s.place == dtypes.int32 and CUSPARSE_INDEX_32I or CUSPARSE_INDEX_64I
  return M.descriptor(what, made, "CreateCsr", "DestroySpMat", s.lines, s.extent, s.count, offsets, indices, values,
    index, index, CUSPARSE_INDEX_BASE_ZERO, types[t.name][1])
end

-- ---- operands -------------------------------------------------------------------------------------------------------

---The elements of an array as a type, without gaps, where cuSPARSE may read them.
---@param x cudalua.gpuarray.Array
---@param t cudalua.dtype.DType
---@return table leaf
function M.dense(x, t)
  if x._dtype ~= t then x = graph.convert(x, t) end
  local leaf = evaluate(x)
  if leaf.dense and runs.address(leaf) % ALIGNMENT == 0 then return leaf end
  return view.copy(x, "C")._leaf
end

---A matrix by rows.
---@class cudalua.sparse.Rows
---@field descriptor integer
---@field lines integer
---@field extent integer
---@field leaves table[]  that it is in

---The rows of a matrix, its values as a type.
---@param what string
---@param made table[]
---@param m cudalua.sparse.Matrix
---@param t cudalua.dtype.DType
---@return cudalua.sparse.Rows
function M.rows(what, made, m, t)
  local s, order = matrix.oriented(m, false, what)
  local offsets, indices = evaluate(s.indptr), evaluate(s.indices)
  local values = M.dense(convert.in_order(m, s, order), t)
  return { lines = s.lines, extent = s.extent, leaves = { offsets, indices, values }, descriptor = M.csr(what, made, s,
    runs.address(offsets), runs.address(indices), runs.address(values), t) }
end

return M
