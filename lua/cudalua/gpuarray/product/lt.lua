-- Products by cuBLASLt. It sees matrices column by column: memory that holds X row by row is X' to it, so that a
-- product a b is passed as the product b' a'. An operand is passed as it lies in memory, or transposed, and is copied
-- only if neither of its axes goes on without gaps.

local bit = require "bit"
local choice = require "cudalua.vendor.choice"
local core = require "cudalua.core"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local factor = require "cudalua.vendor.factor"
local ffi = require "ffi"
local graph = require "cudalua.gpuarray.core.graph"
local handles = require "cudalua.vendor.handles"
local layout = require "cudalua.base.layout"
local libraries = require "cudalua.vendor.library"
local operands = require "cudalua.gpuarray.product.operands"
local runs = require "cudalua.gpuarray.core.run"
local status = require "cudalua.vendor.status"
local storage = require "cudalua.gpuarray.core.storage"

local max = math.max

local M = {}

-- ---- constants, with the names of cublasLt.h, cublas_api.h and library_types.h --------------------------------------

local CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_8I, CUDA_R_16BF, CUDA_R_32I = 0, 1, 2, 3, 14, 10
local CUDA_C_32F, CUDA_C_64F = 4, 5
local CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32F_FAST_TF32 = 68, 70, 72, 77
local CUBLAS_OP_N, CUBLAS_OP_T = 0, 1
local CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB = 3, 4
local CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_MATMUL_DESC_BIAS_POINTER = 7, 8
local CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 5, 6
local CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 1, 3
local CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5
local CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2
local CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_GELU = 1, 2, 4, 32
-- cublasLtMatmulHeuristicResult_t: the algorithm comes first.
local HEURISTIC_BYTES, WORKSPACE_AT, STATE_AT = 96, 64, 72

local WRITTEN = -1 -- no status of the library's: arrays were written to before the call
local MOST_SLICES = 16 -- calls for one product
local MOST_PLANS = 256
local MiB = 2 ^ 20

-- ---- what it can do -------------------------------------------------------------------------------------------------

local types = { float16 = CUDA_R_16F, bfloat16 = CUDA_R_16BF, float32 = CUDA_R_32F, float64 = CUDA_R_64F,
  complex64 = CUDA_C_32F, complex128 = CUDA_C_64F, int8 = CUDA_R_8I, int32 = CUDA_R_32I }

-- By the operands' type: how it is computed, and the results' types.
local computes = {
  float16 = { CUBLAS_COMPUTE_32F, "float16 float32" }, bfloat16 = { CUBLAS_COMPUTE_32F, "bfloat16 float32" },
  float32 = { CUBLAS_COMPUTE_32F, "float32" }, float64 = { CUBLAS_COMPUTE_64F, "float64" },
  complex64 = { CUBLAS_COMPUTE_32F, "complex64" }, complex128 = { CUBLAS_COMPUTE_64F, "complex128" },
  int8 = { CUBLAS_COMPUTE_32I, "int32" },
}

---Can cuBLASLt compute this product?
---@param record cudalua.gpuarray.ProductRecord
---@param alpha? any
---@param beta? any
---@return true|string can  text: what it does not have
function M.can(record, alpha, beta)
  local row, result = computes[record.dtype.name], record.result.name
  if not row or not (" " .. row[2] .. " "):find(" " .. result .. " ", 1, true) then
    return ("products of %s that give %s"):format(record.dtype.name, result)
  end
  if result == "int32" and not ((alpha or 1) == 1 and ((beta or 0) == 0 or beta == 1)) then
    return "factors of int8 products other than 1"
  end
  if max(record.m, record.n, record.k) >= 2 ^ 31 then return "extents of 2^31 and more" end
  return true
end

local function compute_type(record)
  local name = record.dtype.name
  if choice.precision() == "tensor" and (name == "float32" or name == "complex64") then
    return CUBLAS_COMPUTE_32F_FAST_TF32
  end
  return computes[name][1]
end

-- ---- operands -------------------------------------------------------------------------------------------------------

-- How X, of so many rows and columns, is passed for X': the transposition and the leading dimension. Nil: not as it is.
local function as_it_lies(x, rows, columns)
  if (columns == 1 or x.column == 1) and (rows == 1 or x.row >= columns) then
    return CUBLAS_OP_N, rows == 1 and columns or x.row
  end
  if (rows == 1 or x.row == 1) and (columns == 1 or x.column >= rows) then
    return CUBLAS_OP_T, columns == 1 and rows or x.column
  end
end

-- Memory of a leaf with another shape and other strides, in bytes.
local function shown(leaf, shape, strides)
  local l = storage.new_leaf(leaf.store, leaf.off, leaf.dtype, shape, strides)
  l.buf = leaf.buf
  return l
end

-- The operand in new memory, its last axis without gaps. full: also along the axes of the batch that repeat it;
-- turned: its columns lie without gaps in place of its rows.
local function copied(x, batch, rows, columns, full, turned)
  local item, shape, strides = x.leaf.dtype.itemsize, {}, {}
  for axis, extent in ipairs(batch) do
    shape[axis] = (full or x.batch[axis] ~= 0) and extent or 1
    strides[axis] = x.batch[axis] * item
  end
  local n = #batch
  shape[n + 1], strides[n + 1] = turned and columns or rows, (turned and x.column or x.row) * item
  shape[n + 2], strides[n + 2] = turned and rows or columns, (turned and x.row or x.column) * item
  local size = graph.size_of(shape)
  local to = storage.empty(x.leaf.dtype, shape, size)
  evaluate.store(shown(x.leaf, shape, strides), to._leaf, size)
  local dense, out = layout.dense_strides(shape, 1, "C"), {}
  for axis = 1, n do out[axis] = shape[axis] > 1 and dense[axis] or 0 end
  local inner = shape[n + 2]
  return { leaf = to._leaf, batch = out, row = turned and 1 or inner, column = turned and inner or 1, array = to }
end

local function goes_back(x)
  for _, stride in ipairs(x.batch) do
    if stride < 0 then return true end
  end
  return false
end

-- An operand as cuBLASLt can take it. turned: only with the memory column by column.
local function prepared(x, batch, rows, columns, turned)
  local trans, ld = as_it_lies(x, rows, columns)
  if trans and turned and trans ~= CUBLAS_OP_T then trans = nil end
  if not trans or goes_back(x) then
    x = copied(x, batch, rows, columns, false, turned)
    trans, ld = turned and CUBLAS_OP_T or CUBLAS_OP_N, turned and rows or columns
  end
  return { x = x, trans = trans, ld = ld }
end

-- The axes of the batch, joined where all operands go on along the next one as along one.
local function joined(batch, list)
  local extents, strides = {}, {}
  for i = 1, #list do strides[i] = {} end
  for axis, extent in ipairs(batch) do
    local n = #extents
    local same = n > 0
    for i, p in ipairs(list) do same = same and strides[i][n] == extent * p.x.batch[axis] end
    if extent ~= 1 then
      if not same then n = n + 1 end
      extents[n] = same and extents[n] * extent or extent
      for i, p in ipairs(list) do strides[i][n] = p.x.batch[axis] end
    end
  end
  return extents, strides
end

-- The operands a and b, the result as an operand, and the batch: the extents but the last are calls of their own.
local function arranged(record, out)
  local a = prepared(record.a, record.batch, record.m, record.k)
  -- Of int8 it multiplies only columns by columns.
  local b = prepared(record.b, record.batch, record.k, record.n, record.dtype.name == "int8")
  if record.dtype.name == "int8" and a.trans ~= CUBLAS_OP_N then
    a = { x = copied(record.a, record.batch, record.m, record.k), trans = CUBLAS_OP_N, ld = record.k }
  end
  local d = { x = operands.under(record, out), trans = CUBLAS_OP_N, ld = record.n }
  local extents, strides = joined(record.batch, { a, b, d })
  local slices = 1
  for i = 1, #extents - 1 do slices = slices * extents[i] end
  if slices > MOST_SLICES then
    a.x = copied(a.x, record.batch, record.m, record.k, true, a.trans == CUBLAS_OP_T)
    b.x = copied(b.x, record.batch, record.k, record.n, true, b.trans == CUBLAS_OP_T)
    a.ld = a.trans == CUBLAS_OP_T and record.m or record.k
    b.ld = b.trans == CUBLAS_OP_T and record.k or record.n
    extents, strides = joined(record.batch, { a, b, d })
  end
  return a, b, d, extents, strides
end

-- Where each slice begins: addresses of a, b and the result.
local function slices_of(list, extents, strides)
  local starts = {}
  for i, p in ipairs(list) do
    local item, places = p.x.leaf.dtype.itemsize, { runs.address(p.x.leaf) }
    for axis = 1, #extents - 1 do
      local more = {}
      for _, place in ipairs(places) do
        for at = 0, extents[axis] - 1 do more[#more + 1] = place + at * strides[i][axis] * item end
      end
      places = more
    end
    starts[i] = places
  end
  return starts
end

-- ---- plans ----------------------------------------------------------------------------------------------------------

local plans, count = {}, 0
libraries.on_forget[#libraries.on_forget + 1] = function() plans, count = {}, 0 end

local function check(what, call, code, about) status.check(what, "cublaslt", call, code, about) end

-- A descriptor, which is host memory: destroyed when it is collected.
local function descriptor(what, kind, ...)
  local f, out = libraries.functions "cublaslt", ffi.new "uintptr_t[1]"
  check(what, kind .. "Create", f[kind .. "Create"](out, ...))
  return { number = tonumber(out[0]), owner = ffi.gc(ffi.cast("void *", out[0]), f[kind .. "Destroy"]), kind = kind }
end

local function set(what, d, attribute, ctype, value)
  local cell, call = ffi.new(ctype .. "[1]", value), d.kind .. "SetAttribute"
  check(what, call, libraries.functions "cublaslt"[call](d.number, attribute, cell, ffi.sizeof(cell)))
end

local function matrix(what, dtype, rows, columns, ld, batches, stride)
  local d = descriptor(what, "MatrixLayout", types[dtype.name], rows, columns, ld)
  if batches > 1 then
    set(what, d, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, "int32_t", batches)
    set(what, d, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, "int64_t", stride)
  end
  return d
end

-- As an operand lies in memory, column by column: X' or X.
local function matrix_of(what, p, rows, columns, batches, stride)
  local turned = p.trans == CUBLAS_OP_T
  return matrix(what, p.x.leaf.dtype, turned and rows or columns, turned and columns or rows, p.ld, batches, stride)
end

-- The largest power of 2 to 256 that divides addresses.
local function alignment(addresses)
  local bits = 256
  for _, address in ipairs(addresses) do bits = bit.bor(bits, address % 256) end
  return bit.band(bits, -bits)
end

local workspaces = {} -- by context

local function most_workspace()
  local id = core.context_id()
  if not workspaces[id] then
    local major = core.classes.Context.get_device():compute_capability()
    workspaces[id] = (major >= 9 and 32 or 8) * MiB
  end
  return workspaces[id]
end

local function epilogue_of(e)
  if not e then return CUBLASLT_EPILOGUE_DEFAULT end
  local code = (e.activation == "relu" and CUBLASLT_EPILOGUE_RELU or e.activation == "gelu" and CUBLASLT_EPILOGUE_GELU
    or 0) + (e.bias and CUBLASLT_EPILOGUE_BIAS or 0)
  return code == 0 and CUBLASLT_EPILOGUE_DEFAULT or code
end

-- What the heuristic answers where it has no algorithm.
local LACKING = { NOT_SUPPORTED = true, INVALID_VALUE = true }

-- Descriptors and the first algorithm of the heuristic, or `why` there is none.
local function make(what, c)
  local r, a, b = c.record, c.a, c.b
  local plan = { desc = descriptor(what, "MatmulDesc", c.compute, types[r.accumulator.name]) }
  -- Column by column, b' comes first.
  set(what, plan.desc, CUBLASLT_MATMUL_DESC_TRANSA, "int32_t", b.trans)
  set(what, plan.desc, CUBLASLT_MATMUL_DESC_TRANSB, "int32_t", a.trans)
  set(what, plan.desc, CUBLASLT_MATMUL_DESC_EPILOGUE, "uint32_t", c.epilogue)
  if c.bias then set(what, plan.desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, "uint64_t", c.bias) end
  plan.a = matrix_of(what, a, r.m, r.k, c.batches, c.strides[1])
  plan.b = matrix_of(what, b, r.k, r.n, c.batches, c.strides[2])
  plan.d = matrix(what, r.result, r.n, r.m, c.d.ld, c.batches, c.strides[3])
  local preference = descriptor(what, "MatmulPreference")
  set(what, preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, "uint64_t", most_workspace())
  -- Parts of a sum are added up before they are rounded.
  set(what, preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, "uint32_t", CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)
  local aligned = { c.aligned[2], c.aligned[1], c.aligned[3], c.aligned[3] } -- of b', a', c, d
  for i = 1, 4 do
    set(what, preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES + i - 1, "uint32_t", aligned[i])
  end
  local result, found = ffi.new("uint8_t[?]", HEURISTIC_BYTES), ffi.new "int[1]"
  local code = libraries.functions "cublaslt".MatmulAlgoGetHeuristic(handles.get "cublaslt", plan.desc.number,
    plan.b.number, plan.a.number, plan.d.number, plan.d.number, preference.number, 1, result, found)
  local state = found[0] > 0 and ffi.cast("int *", result + STATE_AT)[0] or code
  if found[0] == 0 or state ~= 0 then
    local text = status.text("cublaslt", state)
    if not LACKING[text:match "STATUS_([%u_]+)"] then check(what, "MatmulAlgoGetHeuristic", code, c.about) end
    return { why = text }
  end
  plan.algorithm, plan.workspace = result, tonumber(ffi.cast("uint64_t *", result + WORKSPACE_AT)[0])
  return plan
end

local function plan_of(what, c)
  local r = c.record
  local key = table.concat({ core.context_id(), r.dtype.name, r.result.name, c.compute, r.m, r.n, r.k, c.batches,
    c.a.trans, c.a.ld, c.b.trans, c.b.ld, c.strides[1], c.strides[2], c.strides[3], c.aligned[1], c.aligned[2],
    c.aligned[3], c.epilogue, c.bias and alignment { c.bias } or 0 }, " ")
  local plan = plans[key]
  if plan == nil then
    plan = make(what, c)
    if count >= MOST_PLANS then plans, count = {}, 0 end
    if plans[key] == nil then plans[key], count = plan, count + 1 end
  end
  return plan
end

-- ---- the call -------------------------------------------------------------------------------------------------------

local function text_of(r)
  local batch = #r.batch > 0 and (" in a batch of %s"):format(layout.text(r.batch)) or ""
  return ("a product of %.0f x %.0f by %.0f x %.0f of %s%s"):format(r.m, r.k, r.k, r.n, r.dtype.name, batch)
end

-- c, which broadcasts, as the result's memory: the product is added to it there.
local function started(record, out, c)
  local under = operands.under(record, c)
  local strides = {}
  for axis in ipairs(record.batch) do strides[axis] = under.batch[axis] * c.dtype.itemsize end
  if record.row then strides[record.row] = under.row * c.dtype.itemsize end
  if record.column then strides[record.column] = under.column * c.dtype.itemsize end
  evaluate.store(shown(c, record.shape, strides), storage.leaf_of(out), out._size)
end

-- What is passed in an attempt.
local function call_of(what, record, out, epilogue)
  local leaf = storage.leaf_of(out)
  local a, b, d, extents, strides = arranged(record, leaf)
  local starts = slices_of({ a, b, d }, extents, strides)
  local bias = epilogue and epilogue.bias and storage.leaf_of(epilogue.bias)
  local n = #extents
  local c = { record = record, a = a, b = b, d = d, starts = starts, out = leaf, batches = extents[n] or 1,
    strides = { strides[1][n] or 0, strides[2][n] or 0, strides[3][n] or 0 },
    aligned = { alignment(starts[1]), alignment(starts[2]), alignment(starts[3]) }, compute = compute_type(record),
    epilogue = epilogue_of(epilogue), bias = bias and runs.address(bias), bias_leaf = bias or nil,
    about = text_of(record) }
  c.plan = plan_of(what, c)
  return c
end

local function attempt(since, what, record, out, alpha, beta, c_leaf, epilogue)
  if c_leaf then started(record, out, c_leaf) end
  local c = call_of(what, record, out, epilogue)
  if c.plan.why then return false, c.plan.why end
  local plan, f, handle = c.plan, libraries.functions "cublaslt", handles.get "cublaslt"
  local workspace = plan.workspace > 0 and storage.buffer(plan.workspace)
  local matmul, set_attribute, place = f.Matmul, f.MatmulDescSetAttribute, workspace and workspace:ptr() or 0
  local sum = record.accumulator.name
  local one, other = factor.new(sum, alpha or 1), factor.new(sum, beta or 0)
  local bias = c.bias and ffi.new("uint64_t[1]", c.bias)
  local a, b, d, desc = plan.a.number, plan.b.number, plan.d.number, plan.desc.number
  local from_a, from_b, to, bytes, algorithm = c.starts[1], c.starts[2], c.starts[3], plan.workspace, plan.algorithm
  local called, _, code = runs.library {
    name = "cublasLtMatmul", since = since, leaves = { c.a.x.leaf, c.b.x.leaf, c.bias_leaf }, writes = { c.out },
    scratch = workspace and { workspace } or nil,
    -- The check and the calls, on one line: a finalizer that comes in between has come before the check.
    call = function(stream)
      local code = since ~= storage.writes and WRITTEN or bias and set_attribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias, 8) or 0; for i = 1, #to do code = code == 0 and matmul(handle, desc, one, from_b[i], b, from_a[i], a, other, to[i], d, to[i], d, algorithm, place, bytes, stream) or code end return code -- luacheck: ignore 631
    end,
  }
  if not called or code == WRITTEN then return runs.AGAIN end
  check(what, "Matmul", code, c.about)
  return true
end

-- Small products of a batch have little to do for each call.
local SMALL = 32

---An attempt of a product by cuBLASLt, as a new array.
---@param since integer  storage.writes when the caller looked at the operands
---@param record cudalua.gpuarray.ProductRecord
---@param alpha? any
---@param beta? any
---@param c? table         leaf
---@param epilogue? {bias: cudalua.gpuarray.Array?, activation: "relu"|"gelu"|nil}  bias: n elements of the result's
---  type without gaps
---@return any product  an array, or run.AGAIN; nil: own kernels compute it; or, with an epilogue, it has no algorithm
---  for that
---@raise LogicError under "vendor", if it cannot compute this
function M.attempt(since, record, alpha, beta, c, epilogue)
  local what, size = record.what, record.m * record.n * record.batches
  if size == 0 or record.k == 0 then return nil end
  local small = record.batches > 1 and max(record.m, record.n, record.k) <= SMALL
  if not choice.vendor(what, "cublaslt", M.can(record, alpha, beta), small) then return nil end
  local out = storage.empty(record.result, record.shape, size)
  if beta == nil or beta == 0 then c = nil end
  local done, why = attempt(since, what, record, out, alpha, c and beta or nil, c, epilogue)
  if done then return done == runs.AGAIN and done or out end
  if epilogue then return nil end
  -- Raises under "vendor".
  choice.vendor(what, "cublaslt", ("an algorithm for %s: it answers %s"):format(text_of(record), why))
  return nil
end

return M
