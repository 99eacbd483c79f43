-- Products of sparse matrices by cuSPARSE: with dense matrices (SpMM) and with each other (SpGEMM). It gets the matrix
-- by rows, so that it needs no atomics; values of the other order are gathered first.

local build = require "cudalua.sparse.build"
local choice = require "cudalua.vendor.choice"
local code = require "cudalua.sparse.code"
local construct = require "cudalua.gpuarray.make.construct"
local core = require "cudalua.core"
local descriptors = require "cudalua.sparse.descriptors"
local dtypes = require "cudalua.dtype"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local factor = require "cudalua.vendor.factor"
local ffi = require "ffi"
local graph = require "cudalua.gpuarray.core.graph"
local handles = require "cudalua.vendor.handles"
local layout = require "cudalua.base.layout"
local libraries = require "cudalua.vendor.library"
local matrix = require "cudalua.sparse.matrix"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local structures = require "cudalua.sparse.structure"
local write = require "cudalua.gpuarray.core.write"

local check, descriptor, lacking = descriptors.check, descriptors.descriptor, descriptors.lacking

local M = {}

-- ---- constants, with the names of cusparse.h ------------------------------------------------------------------------

local CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_ORDER_ROW = 0, 2
-- The former returns equal bits for equal calls.
local CUSPARSE_SPMM_CSR_ALG3, CUSPARSE_SPGEMM_DEFAULT = 12, 0

local N = CUSPARSE_OPERATION_NON_TRANSPOSE
local WRITTEN = -1 -- no status of the library's: arrays were written to before the call

-- ---- dense operands -------------------------------------------------------------------------------------------------

-- What cuSPARSE does not have; true: it can compute the product. By a single column (SpMV, and SpMM with one column),
-- cuSPARSE 12.6.3 multiplies with a kernel that reads shared memory which it has not written. On an H200, the last
-- element of a result of 32 rows was 0 or a part of its sum if the kernel before had left the number of the matrix's
-- elements there, whatever the algorithm (2026-11-30).
local function can_dense(x, t)
  local can = descriptors.can(t)
  return can == true and (x._shape[2] or 1) == 1 and "reliable products with a single column" or can
end

local function dense_descriptor(what, made, leaf, rows, columns, t)
  return descriptor(what, made, "CreateDnMat", "DestroyDnMat", rows, columns, columns, runs.address(leaf),
    (descriptors.type_of(t)), CUSPARSE_ORDER_ROW)
end

local function joined(a, b)
  local list = { unpack(a) }
  for _, leaf in ipairs(b) do list[#list + 1] = leaf end
  return list
end

local function dense_attempt(since, made, what, m, x, t, y, is_new, about)
  local rows, leaf = descriptors.rows(what, made, m, t), descriptors.dense(x, t)
  local f, handle = libraries.functions "cusparse", handles.get "cusparse"
  local to = is_new and y._leaf or write.prepare(y)
  local _, compute, sum = descriptors.type_of(t)
  local a, b = rows.descriptor, dense_descriptor(what, made, leaf, x._shape[1], x._shape[2], t)
  local c = dense_descriptor(what, made, to, m._rows, x._shape[2], t)
  local one, zero, bytes = factor.new(sum, 1), factor.new(sum, 0), ffi.new "size_t[1]"
  local set_stream, multiply, algorithm = f.SetStream, f.SpMM, CUSPARSE_SPMM_CSR_ALG3
  local answer = f.SpMM_bufferSize(handle, N, N, one, a, b, zero, c, compute, algorithm, bytes)
  if lacking(answer) then return nil, lacking(answer) end
  check(what, "SpMM_bufferSize", answer, about)
  local work = bytes[0] > 0 and storage.buffer(tonumber(bytes[0]))
  local area = work and work:ptr() or 0
  if not is_new and write.is_moved(y, to) then return runs.AGAIN end
  local called
  called, _, answer = runs.library {
    name = "cusparseSpMM", since = since, leaves = joined(rows.leaves, { leaf }),
    writes = { to }, changes = not is_new, scratch = work and { work } or nil,
    -- The check and the calls, on one line: a finalizer that comes in between has come before the check.
    call = function(stream, expected)
      local r = expected ~= storage.writes and WRITTEN or set_stream(handle, stream); return r ~= 0 and r or multiply(handle, N, N, one, a, b, zero, c, compute, algorithm, area) -- luacheck: ignore 631
    end,
  }
  if not called or answer == WRITTEN then return runs.AGAIN end
  if lacking(answer) then return nil, lacking(answer) end
  check(what, "SpMM", answer, about)
  return true
end

---The product of a sparse matrix, which has elements, with a dense matrix of two or more columns, by cuSPARSE.
---@param what string
---@param m cudalua.sparse.Matrix
---@param x cudalua.gpuarray.Array   that has elements; a vector or a single column is for own kernels
---@param t cudalua.dtype.DType      of the product
---@param out? any  gets the product, if it can be written there at once
---@return cudalua.gpuarray.Array?  out, or a new one; nil: own kernels compute it, as always under "auto"
---@raise LogicError under "vendor", if cuSPARSE cannot; inside a capture, if it has no handle yet
function M.times_dense(what, m, x, t, out)
  -- cuSPARSE's algorithm that returns the same bits in each run is slower than own kernels.
  if not choice.vendor(what, "cusparse", can_dense(x, t), true) then return nil end
  local shape = { m._rows, x._shape[2] }
  local is_new = not write.dense_at_once(out, t, shape, { evaluate(x), evaluate(m._data) })
  local y = is_new and storage.empty(t, shape, graph.size_of(shape)) or out
  local about = descriptors.text(m, ("%.0f columns"):format(x._shape[2]), t)
  local done, why = runs.until_done(descriptors.attempt, dense_attempt, what, m, x, t, y, is_new, about)
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
  local a, b = descriptors.rows(what, made, left, t), descriptors.rows(what, made, right, t)
  local c = structures.new(dtypes.int32, a.lines, b.extent, structures.list(dtypes.int32, a.lines + 1),
    structures.list(dtypes.int32, 0))
  local offsets = evaluate(c.indptr)
  local f, n, _, compute, sum = libraries.functions "cusparse", ffi.new "int64_t[3]", descriptors.type_of(t)
  local from = descriptors.csr(what, made, c, runs.address(offsets), 0, 0, t)
  local p = { what = what, since = since, about = about, buffers = {}, leaves = joined(a.leaves, b.leaves),
    one = factor.new(sum, 1), zero = factor.new(sum, 0),
    a = a.descriptor, b = b.descriptor, c = from, compute = compute,
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
  return descriptors.can(t)
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
  local about = descriptors.text(left, ("one of %.0f x %.0f with %.0f elements"):format(right._rows, right._columns,
    right._structure.count), t)
  local s, data = runs.until_done(descriptors.attempt, product_attempt, what, left, right, t, about)
  if not s then
    choice.vendor(what, "cusparse", ("%s: %s"):format(about, data)) -- raises under "vendor"
    return nil
  end
  s, data = build.ordered(what, s, data)
  return matrix.new("csr", as_stored(s), data, left._base)
end

return M
