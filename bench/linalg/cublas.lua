-- cuBLAS through the FFI, for what the benchmark of products stands beside. Nil if it does not open: CUBLAS has a path,
-- or else the loader, CUDA_HOME and the wheels of python3 are searched.
local ffi = require "ffi"

ffi.cdef [[
int cublasCreate_v2(void **handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasGetVersion_v2(void *handle, int *version);
int cublasGemmEx(void *handle, int transa, int transb, int m, int n, int k, const void *alpha,
  const void *a, int atype, int lda, const void *b, int btype, int ldb, const void *beta, void *c, int ctype, int ldc,
  int compute, int algorithm);
]]

-- By dtype: cudaDataType, cublasComputeType_t (float32 without TF32), how alpha and beta are given, and the result's
-- cudaDataType if it is another one.
local types = {
  float16 = { 2, 68, "float[1]" }, bfloat16 = { 14, 68, "float[1]" }, float32 = { 0, 68, "float[1]" },
  float64 = { 1, 70, "double[1]" }, complex64 = { 4, 68, "float[2]" }, complex128 = { 5, 70, "double[2]" },
  int8 = { 3, 72, "int32_t[1]", 10 },
}
local COMPUTE_32F_FAST_TF32 = 77
local OP_N, DEFAULT_ALGORITHM, NOT_SUPPORTED = 0, -1, 15

local function candidates()
  local list = { os.getenv "CUBLAS" }
  for _, version in ipairs { 13, 12 } do list[#list + 1] = "libcublas.so." .. version end
  local home = os.getenv "CUDA_HOME" or "/usr/local/cuda"
  for _, folder in ipairs { "lib64", "lib", "targets/x86_64-linux/lib" } do
    list[#list + 1] = ("%s/%s/libcublas.so"):format(home, folder)
  end
  local found = io.popen([[python3 -c 'import glob, site, sys
for d in site.getsitepackages() + [site.getusersitepackages()]:
    for path in sorted(glob.glob(d + "/nvidia/*/lib/libcublas.so.*"), reverse=True): print(path)' 2>/dev/null]])
  for path in found:lines() do
    -- cublasLt is opened first, as the wheel's cuBLAS looks for it where the loader does not.
    list[#list + 1] = path
  end
  found:close()
  return list
end

local function open()
  for _, path in ipairs(candidates()) do
    local lt = path:gsub("libcublas%.so", "libcublasLt.so")
    if path:find "/" then pcall(ffi.load, lt, true) end
    local ok, library = pcall(ffi.load, path)
    if ok then return library, path end
  end
end

local library, path = open()
if not library then return nil end

local handle = ffi.new "void *[1]"
local function check(status)
  if status ~= 0 then error("cuBLAS: status " .. status) end
end

local M = { path = path }

---In the current context, with its default stream.
function M.start()
  check(library.cublasCreate_v2(handle))
  local version = ffi.new "int[1]"
  check(library.cublasGetVersion_v2(handle[0], version))
  M.version = ("%d"):format(version[0])
end

---C = A B of square matrices in C order: cuBLAS has columns, so that it computes C' = B' A'.
---@param t string  dtype
---@param n integer
---@param a integer  address
---@param b integer  address
---@param c integer  address
---@param tf32? boolean  float32 operands may be rounded to TF32
---@return fun()?  nil: it does not compute this product
function M.product(t, n, a, b, c, tf32)
  local kind, compute, factor, result = unpack(types[t])
  if tf32 then compute = COMPUTE_32F_FAST_TF32 end
  local one, zero = ffi.new(factor), ffi.new(factor)
  one[0] = 1
  local pa, pb, pc = ffi.cast("void *", a), ffi.cast("void *", b), ffi.cast("void *", c)
  local function compute_once()
    return library.cublasGemmEx(handle[0], OP_N, OP_N, n, n, n, one, pb, kind, n, pa, kind, n, zero, pc,
      result or kind, n, compute, DEFAULT_ALGORITHM)
  end
  if compute_once() == NOT_SUPPORTED then return nil end
  return function() check(compute_once()) end
end

return M
