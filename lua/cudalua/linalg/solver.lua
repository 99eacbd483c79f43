-- Calls of cuSOLVER: when it computes, and its 64-bit functions for batches in private memory, which are loops of
-- calls. It sees matrices column by column: memory that holds X row by row is X' to it. linalg/vendor.lua has what
-- stands before and behind the calls.

local choice = require "cudalua.vendor.choice"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local handles = require "cudalua.vendor.handles"
local libraries = require "cudalua.vendor.library"
local matrices = require "cudalua.linalg.matrices"
local runs = require "cudalua.gpuarray.core.run"
local status = require "cudalua.vendor.status"
local storage = require "cudalua.gpuarray.core.storage"

local max, min = math.max, math.min

local M = {}

-- ---- constants, with the names of cusolver_common.h, cublas_api.h and library_types.h -------------------------------

local CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER = 0, 1
local CUBLAS_OP_N = 0
local CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR = 0, 1
-- By the type's name: its cudaDataType, and the function that forms q, which has no 64-bit form.
local types = {
  float32 = { 0, "DnSorgqr" }, float64 = { 1, "DnDorgqr" }, complex64 = { 4, "DnCungqr" },
  complex128 = { 5, "DnZungqr" },
}
local ALIGNMENT = 64 -- of memory on the host

-- ---- what it computes -----------------------------------------------------------------------------------------------

---Does cuSOLVER factorise these matrices? Small ones are own kernels' under "auto": one launch for a batch.
---@param what string
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@param waits? string  what it has to wait for the device to find: "singular values"
---@return boolean
---@raise LogicError under "vendor", if it cannot; RuntimeError if it is not there
function M.chosen(what, a, dt, waits)
  if a._size == 0 or choice.backend() == "own" then return false end
  local m, n, can = a._shape[a._ndim - 1], a._shape[a._ndim], true
  if max(m, n) >= 2 ^ 31 then
    can = "extents of 2^31 and more"
  elseif waits and core.current_stream():is_capturing() then
    can = waits .. " inside a capture, where it would have to wait for the device"
  end
  return choice.vendor(what, "cusolver", can, max(m, n) <= matrices.side(dt))
end

-- ---- calls ----------------------------------------------------------------------------------------------------------

local parameters -- of the 64-bit functions: host memory, which is destroyed when it is collected
libraries.on_forget[#libraries.on_forget + 1] = function() parameters = nil end

-- The library's functions, its handle, and the number of the parameters.
local function opened(what)
  local f, handle = libraries.functions "cusolver", handles.get "cusolver"
  if not parameters then
    local out = ffi.new "uintptr_t[1]"
    status.check(what, "cusolver", "DnCreateParams", f.DnCreateParams(out))
    parameters = { number = tonumber(out[0]), owner = ffi.gc(ffi.cast("void *", out[0]), f.DnDestroyParams) }
  end
  return f, handle, parameters.number
end

---A call for each matrix of a batch. All memory is private.
---@class cudalua.linalg.SolverCall
---@field what string
---@field name string                      the library's function, without the prefix
---@field arrays cudalua.gpuarray.Array[]  what it reads and writes; the first holds the matrices
---@field query? fun(device: ffi.cdata*, host: ffi.cdata*): integer  asks for the sizes of its workspaces; returns the
---  status
---@field call fun(stream: integer, work: integer, bytes: integer, host: ffi.cdata*?, host_bytes: integer): integer
---  makes the calls on one line, so that no finalizer comes between them and sets another stream

local function text_of(c)
  local x = c.arrays[1]
  return ("matrices of %.0f x %.0f of %s"):format(x._shape[x._ndim], x._shape[x._ndim - 1], x._dtype.name)
end

-- How many bytes it works in: on the device, and on the host.
local function sizes_of(c)
  if not c.query then return 0, 0 end
  local device, host = ffi.new "size_t[1]", ffi.new "size_t[1]"
  status.check(c.what, "cusolver", c.name .. "_bufferSize", c.query(device, host), text_of(c))
  return tonumber(device[0]), tonumber(host[0])
end

local function attempt(since, c, leaves, bytes, host, host_bytes)
  local buffer, f = bytes > 0 and storage.buffer(bytes), c.call
  local work = buffer and buffer:ptr() or 0
  local called, _, code = runs.library {
    name = "cusolver" .. c.name, since = since, leaves = leaves, writes = leaves,
    scratch = buffer and { buffer } or nil,
    call = function(stream) return f(stream, work, bytes, host, host_bytes) end,
  }
  return called and code or runs.AGAIN
end

local function run(c)
  local bytes, host_bytes = sizes_of(c)
  local memory, host
  if host_bytes > 0 then
    if core.current_stream():is_capturing() then
      errors.raise("LogicError", ("%s: inside a capture, cusolver%s cannot work in the host's memory, which it would "
        .. "for %s"):format(c.what, c.name, text_of(c)), { hint = 'linalg.backend "own" computes it in a capture' })
    end
    memory = ffi.new("uint8_t[?]", host_bytes + ALIGNMENT)
    local at = tonumber(ffi.cast("uintptr_t", memory))
    host = ffi.cast("void *", memory + -at % ALIGNMENT)
  end
  local leaves = {}
  for i, x in ipairs(c.arrays) do leaves[i] = storage.leaf_of(x) end
  local code = runs.until_done(attempt, c, leaves, bytes, host, host_bytes)
  status.check(c.what, "cusolver", c.name, code, text_of(c))
  -- The host's memory stays until the device is done with it.
  if memory then core.current_stream():synchronize() end
end

local function address(x) return runs.address(storage.leaf_of(x)) end

-- How many matrices an array holds, and the bytes from one to the next.
local function batch_of(x)
  local size = x._shape[x._ndim] * x._shape[x._ndim - 1]
  return x._size / size, size * x._dtype.itemsize
end

---The transpose of Cholesky's factor l, in the upper triangles of matrices that hold the transposes of n x n matrices
---there. The lower triangles hold anything then. To the library both are lower ones, which it computes in half of the
---time that upper ones take (float32, n = 4096, an H200).
---@param what string
---@param x cudalua.gpuarray.Array     (..., n, n)
---@param info cudalua.gpuarray.Array  int32: the first minor that is not positive, or 0
function M.potrf(what, x, info)
  local f, handle, params = opened(what)
  local n, type, a, to = x._shape[x._ndim], types[x._dtype.name][1], address(x), address(info)
  local batches, step = batch_of(x)
  local set_stream, potrf = f.DnSetStream, f.DnXpotrf
  run {
    what = what, name = "DnXpotrf", arrays = { x, info },
    query = function(device, host)
      return f.DnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_LOWER, n, type, a, n, type, device, host)
    end,
    call = function(stream, work, bytes, host, host_bytes)
      local code = set_stream(handle, stream); for i = 0, batches - 1 do code = code == 0 and potrf(handle, params, CUBLAS_FILL_MODE_LOWER, n, type, a + i * step, n, type, work, bytes, host, host_bytes, to + 4 * i) or code end return code -- luacheck: ignore 631
    end,
  }
end

---Elimination in place of m x n matrices.
---@param what string
---@param x cudalua.gpuarray.Array       (..., n, m): the transposes
---@param pivots cudalua.gpuarray.Array  (..., min(m, n)), int64: with which row each is exchanged, from 1
---@param info cudalua.gpuarray.Array    int32: the first pivot that is 0, or 0
function M.getrf(what, x, pivots, info)
  local f, handle, params = opened(what)
  local m, n, type, a = x._shape[x._ndim], x._shape[x._ndim - 1], types[x._dtype.name][1], address(x)
  local batches, step = batch_of(x)
  local rows, to, length = address(pivots), address(info), 8 * min(m, n)
  local set_stream, getrf = f.DnSetStream, f.DnXgetrf
  run {
    what = what, name = "DnXgetrf", arrays = { x, pivots, info },
    query = function(device, host)
      return f.DnXgetrf_bufferSize(handle, params, m, n, type, a, m, type, device, host)
    end,
    call = function(stream, work, bytes, host, host_bytes)
      local code = set_stream(handle, stream); for i = 0, batches - 1 do code = code == 0 and getrf(handle, params, m, n, type, a + i * step, m, rows + i * length, type, work, bytes, host, host_bytes, to + 4 * i) or code end return code -- luacheck: ignore 631
    end,
  }
end

---Solves with what getrf() gave; x replaces b.
---@param what string
---@param x cudalua.gpuarray.Array       (..., n, n); one matrix may be for all of b
---@param pivots cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array       (..., k, n): the transposes
function M.getrs(what, x, pivots, b)
  local f, handle, params = opened(what)
  local n, k, type, a = b._shape[b._ndim], b._shape[b._ndim - 1], types[x._dtype.name][1], address(x)
  local batches, step = batch_of(x)
  if batches == 1 then k = b._size / n end -- all right sides are one
  local rows, from = address(pivots), address(b)
  local length, far = 8 * n, k * n * b._dtype.itemsize
  local info = matrices.empty(dtypes.int32, {})
  local to = address(info)
  local set_stream, getrs = f.DnSetStream, f.DnXgetrs
  run {
    what = what, name = "DnXgetrs", arrays = { x, pivots, b, info },
    call = function(stream)
      local code = set_stream(handle, stream); for i = 0, batches - 1 do code = code == 0 and getrs(handle, params, CUBLAS_OP_N, n, k, type, a + i * step, n, rows + i * length, type, from + i * far, n, to) or code end return code -- luacheck: ignore 631
    end,
  }
end

---Householder's reflections in place of m x n matrices: r, and below it their vectors.
---@param what string
---@param x cudalua.gpuarray.Array    (..., n, m): the transposes
---@param tau cudalua.gpuarray.Array  (..., min(m, n))
function M.geqrf(what, x, tau)
  local f, handle, params = opened(what)
  local m, n, type, a = x._shape[x._ndim], x._shape[x._ndim - 1], types[x._dtype.name][1], address(x)
  local batches, step = batch_of(x)
  local factors, length = address(tau), min(m, n) * x._dtype.itemsize
  local info = matrices.empty(dtypes.int32, {})
  local to = address(info)
  local set_stream, geqrf = f.DnSetStream, f.DnXgeqrf
  run {
    what = what, name = "DnXgeqrf", arrays = { x, tau, info },
    query = function(device, host)
      return f.DnXgeqrf_bufferSize(handle, params, m, n, type, a, m, type, factors, type, device, host)
    end,
    call = function(stream, work, bytes, host, host_bytes)
      local code = set_stream(handle, stream); for i = 0, batches - 1 do code = code == 0 and geqrf(handle, params, m, n, type, a + i * step, m, type, factors + i * length, type, work, bytes, host, host_bytes, to) or code end return code -- luacheck: ignore 631
    end,
  }
end

---The columns of q in place of the vectors that geqrf() left in the first columns.
---@param what string
---@param q cudalua.gpuarray.Array    (..., columns, m), columns up to m
---@param tau cudalua.gpuarray.Array  (..., k), k up to columns
function M.orgqr(what, q, tau)
  local f, handle = opened(what)
  local m, columns, k, item = q._shape[q._ndim], q._shape[q._ndim - 1], tau._shape[tau._ndim], q._dtype.itemsize
  local batches, step = batch_of(q)
  local name = types[q._dtype.name][2]
  local a, factors, length = address(q), address(tau), k * item
  local info = matrices.empty(dtypes.int32, {})
  local to = address(info)
  local set_stream, orgqr = f.DnSetStream, f[name]
  run {
    what = what, name = name, arrays = { q, tau, info },
    query = function(device)
      local elements = ffi.new "int[1]"
      local code = f[name .. "_bufferSize"](handle, m, columns, k, a, m, factors, elements)
      device[0] = elements[0] * item
      return code
    end,
    call = function(stream, work, bytes)
      local code = set_stream(handle, stream); for i = 0, batches - 1 do code = code == 0 and orgqr(handle, m, columns, k, a + i * step, m, factors + i * length, work, bytes / item, to) or code end return code -- luacheck: ignore 631
    end,
  }
end

---Eigenvalues, ascending, from the upper triangle of n x n matrices: the lower one, row by row. The vectors replace x,
---a row each, or it holds anything then.
---@param what string
---@param x cudalua.gpuarray.Array     (..., n, n)
---@param w cudalua.gpuarray.Array     (..., n): real
---@param info cudalua.gpuarray.Array  int32: not 0 without convergence
---@param vectors boolean
function M.syevd(what, x, w, info, vectors)
  local f, handle, params = opened(what)
  local n, type, real, a = x._shape[x._ndim], types[x._dtype.name][1], types[w._dtype.name][1], address(x)
  local batches, step = batch_of(x)
  local values, length, to = address(w), n * w._dtype.itemsize, address(info)
  local mode = vectors and CUSOLVER_EIG_MODE_VECTOR or CUSOLVER_EIG_MODE_NOVECTOR
  local set_stream, syevd = f.DnSetStream, f.DnXsyevd
  run {
    what = what, name = "DnXsyevd", arrays = { x, w, info },
    query = function(device, host)
      return f.DnXsyevd_bufferSize(handle, params, mode, CUBLAS_FILL_MODE_UPPER, n, type, a, n, real, values, type,
        device, host)
    end,
    call = function(stream, work, bytes, host, host_bytes)
      local code = set_stream(handle, stream); for i = 0, batches - 1 do code = code == 0 and syevd(handle, params, mode, CUBLAS_FILL_MODE_UPPER, n, type, a + i * step, n, real, values + i * length, type, work, bytes, host, host_bytes, to + 4 * i) or code end return code -- luacheck: ignore 631
    end,
  }
end

---Singular values, descending, of m x n matrices, m >= n, which hold anything then.
---@param what string
---@param x cudalua.gpuarray.Array     (..., n, m): the transposes
---@param s cudalua.gpuarray.Array     (..., n): real
---@param info cudalua.gpuarray.Array  int32: not 0 without convergence
---@param u? cudalua.gpuarray.Array    (..., m or n, m): the transpose of u; nil: no vectors
---@param vh? cudalua.gpuarray.Array   (..., n, n): the transpose of vh
function M.gesvd(what, x, s, info, u, vh)
  local f, handle, params = opened(what)
  local m, n, type, real = x._shape[x._ndim], x._shape[x._ndim - 1], types[x._dtype.name][1], types[s._dtype.name][1]
  local batches, step = batch_of(x)
  local columns = u and u._shape[u._ndim - 1] or 0
  local job, item = (not u and "N" or columns == n and "S" or "A"):byte(), x._dtype.itemsize -- the same for both
  local a, values, length, to = address(x), address(s), n * s._dtype.itemsize, address(info)
  local us, far = u and address(u) or 0, columns * m * item
  local vs, wide = vh and address(vh) or 0, vh and n * n * item or 0
  local set_stream, gesvd = f.DnSetStream, f.DnXgesvd
  run {
    what = what, name = "DnXgesvd", arrays = { x, s, info, u, vh },
    query = function(device, host)
      return f.DnXgesvd_bufferSize(handle, params, job, job, m, n, type, a, m, real, values, type, us, m, type, vs,
        n, type, device, host)
    end,
    call = function(stream, work, bytes, host, host_bytes)
      local code = set_stream(handle, stream); for i = 0, batches - 1 do code = code == 0 and gesvd(handle, params, job, job, m, n, type, a + i * step, m, real, values + i * length, type, us + i * far, m, type, vs + i * wide, n, type, work, bytes, host, host_bytes, to + 4 * i) or code end return code -- luacheck: ignore 631
    end,
  }
end

return M
