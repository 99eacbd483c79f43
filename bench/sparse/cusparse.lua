-- cuSPARSE's generic functions through the FFI, for bench/sparse.lua alone.
local ffi = require "ffi"

ffi.cdef [[
typedef int bench_status;
bench_status cusparseCreate(void **handle);
bench_status cusparseSetStream(void *handle, void *stream);
bench_status cusparseGetVersion(void *handle, int *version);
bench_status cusparseCreateCsr(void **matrix, int64_t rows, int64_t columns, int64_t count, void *offsets,
  void *indices, void *values, int offsets_type, int indices_type, int base, int type);
bench_status cusparseDestroySpMat(void *matrix);
bench_status cusparseCreateDnVec(void **vector, int64_t size, void *values, int type);
bench_status cusparseDestroyDnVec(void *vector);
bench_status cusparseCreateDnMat(void **matrix, int64_t rows, int64_t columns, int64_t ld, void *values, int type,
  int order);
bench_status cusparseDestroyDnMat(void *matrix);
bench_status cusparseSpMV_bufferSize(void *handle, int op, const void *alpha, void *a, void *x, const void *beta,
  void *y, int type, int algorithm, size_t *bytes);
bench_status cusparseSpMV_preprocess(void *handle, int op, const void *alpha, void *a, void *x, const void *beta,
  void *y, int type, int algorithm, void *buffer);
bench_status cusparseSpMV(void *handle, int op, const void *alpha, void *a, void *x, const void *beta, void *y,
  int type, int algorithm, void *buffer);
bench_status cusparseSpMM_bufferSize(void *handle, int op_a, int op_b, const void *alpha, void *a, void *b,
  const void *beta, void *c, int type, int algorithm, size_t *bytes);
bench_status cusparseSpMM(void *handle, int op_a, int op_b, const void *alpha, void *a, void *b, const void *beta,
  void *c, int type, int algorithm, void *buffer);
]]

local INDEX_32I, BASE_ZERO, NON_TRANSPOSE, TRANSPOSE, DEFAULT, ORDER_ROW = 2, 0, 0, 1, 0, 2
local types = { float16 = 2, float32 = 0, float64 = 1, complex64 = 4, complex128 = 5 } -- CUDA_R_16F, R_32F ...

return function(cuda)
  local gpuarray = cuda.gpuarray
  local lib, err
  local places, home = { os.getenv "CUDALUA_CUSPARSE" or "libcusparse.so.12" }, os.getenv "CUDA_HOME"
  for _, folder in ipairs { home or "/usr/local/cuda", "/usr/local/cuda", "/usr/local/cuda-13.0", ".cuda" } do
    places[#places + 1] = folder .. "/lib64/libcusparse.so.12"
    places[#places + 1] = folder .. "/lib/libcusparse.so.12"
  end
  for _, name in ipairs(places) do
    local ok, opened = pcall(ffi.load, name)
    if ok then
      lib = opened
      break
    end
    err = opened
  end
  if not lib then return nil, tostring(err) end

  local function check(what, status)
    if status ~= 0 then error(("%s failed: status %d"):format(what, status), 2) end
  end
  local function made(what, create, ...)
    local out = ffi.new "void *[1]"
    check(what, create(out, ...))
    return out[0]
  end
  local function address(x) return ffi.cast("void *", x.ptr) end

  local handle = made("cusparseCreate", lib.cusparseCreate)
  check("cusparseSetStream", lib.cusparseSetStream(handle, ffi.cast("void *", cuda.current_stream():handle())))
  local version = ffi.new "int[1]"
  lib.cusparseGetVersion(handle, version)
  print(("cuSPARSE %d"):format(version[0]))

  -- Scalars of the type that is computed in.
  local function scalars(dtype)
    if dtype == "float64" then return ffi.new("double[1]", 1), ffi.new("double[1]", 0), types.float64 end
    if dtype == "complex64" then return ffi.new("float[2]", 1, 0), ffi.new("float[2]", 0, 0), types.complex64 end
    return ffi.new("float[1]", 1), ffi.new("float[1]", 0), types.float32
  end

  local function csr(m)
    local function from_zero(x) return (x - m.base):astype("int32"):eval() end
    local zero = { indptr = from_zero(m.indptr), indices = from_zero(m.indices) }
    local a = made("cusparseCreateCsr", lib.cusparseCreateCsr, m.shape[1], m.shape[2], m.nnz, address(zero.indptr),
      address(zero.indices), address(m.data), INDEX_32I, INDEX_32I, BASE_ZERO, types[m.dtype.name])
    return a, zero
  end

  local function buffer_of(bytes)
    return bytes > 0 and gpuarray.empty(tonumber(bytes), "uint8") or nil
  end

  local M = {}

  function M.vector(m, x, transposed)
    local dtype = m.dtype.name
    local alpha, beta, compute = scalars(dtype)
    local a, kept = csr(m)
    local y = gpuarray.zeros(m.shape[transposed and 2 or 1], dtype)
    local vx = made("cusparseCreateDnVec", lib.cusparseCreateDnVec, x.size, address(x), types[dtype])
    local vy = made("cusparseCreateDnVec", lib.cusparseCreateDnVec, y.size, address(y), types[dtype])
    local op = transposed and TRANSPOSE or NON_TRANSPOSE
    local bytes = ffi.new "size_t[1]"
    check("cusparseSpMV_bufferSize", lib.cusparseSpMV_bufferSize(handle, op, alpha, a, vx, beta, vy, compute, DEFAULT,
      bytes))
    local buffer = buffer_of(bytes[0])
    local at = buffer and address(buffer) or nil
    -- What cuSPARSE learns of the structure once, as we keep the partition.
    local ok, preprocess = pcall(function() return lib.cusparseSpMV_preprocess end)
    if ok then
      check("cusparseSpMV_preprocess", preprocess(handle, op, alpha, a, vx, beta, vy, compute, DEFAULT, at))
    end
    local function run()
      check("cusparseSpMV", lib.cusparseSpMV(handle, op, alpha, a, vx, beta, vy, compute, DEFAULT, at))
    end
    run()
    return { y = y, run = run, kept = { kept, buffer, x }, close = function()
      cuda.Context.synchronize()
      lib.cusparseDestroySpMat(a)
      lib.cusparseDestroyDnVec(vx)
      lib.cusparseDestroyDnVec(vy)
    end }
  end

  function M.matrix(m, x)
    local dtype = m.dtype.name
    local alpha, beta, compute = scalars(dtype)
    local a, kept = csr(m)
    local columns = x.shape[2]
    local y = gpuarray.zeros({ m.shape[1], columns }, dtype)
    local function dense(d)
      return made("cusparseCreateDnMat", lib.cusparseCreateDnMat, d.shape[1], columns, columns, address(d),
        types[dtype], ORDER_ROW)
    end
    local mx, my = dense(x), dense(y)
    local bytes = ffi.new "size_t[1]"
    check("cusparseSpMM_bufferSize", lib.cusparseSpMM_bufferSize(handle, NON_TRANSPOSE, NON_TRANSPOSE, alpha, a, mx,
      beta, my, compute, DEFAULT, bytes))
    local buffer = buffer_of(bytes[0])
    local at = buffer and address(buffer) or nil
    local function run()
      check("cusparseSpMM", lib.cusparseSpMM(handle, NON_TRANSPOSE, NON_TRANSPOSE, alpha, a, mx, beta, my, compute,
        DEFAULT, at))
    end
    run()
    return { y = y, run = run, kept = { kept, buffer, x }, close = function()
      cuda.Context.synchronize()
      lib.cusparseDestroySpMat(a)
      lib.cusparseDestroyDnMat(mx)
      lib.cusparseDestroyDnMat(my)
    end }
  end

  return M
end
