-- NVIDIA's libraries: a row for each, where they are looked for, and their functions. A library is opened when it is
-- first asked for, and stays until the process ends.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local pairs_of = require "cudalua.base.pairs_of"
local prototypes = require "cudalua.base.prototypes"
local toolchain = require "cudalua.compiler.toolchain"

local M = {}

-- ---- rows -----------------------------------------------------------------------------------------------------------

---@class cudalua.vendor.Row
---@field name string         as NVIDIA writes it
---@field variable string     of the environment: a path, or "off"
---@field sonames string[]    newest first
---@field majors table<string, integer>  soname -> major version of CUDA, if it tells
---@field wheel string        the folder of the wheel before CUDA 13, below nvidia/
---@field packages string     what to install
---@field prefix string       of its functions
---@field beside? string[][]  what it needs, opened before it: {wheel, names...}
---@field probe? string       a function that only this library has; default "GetProperty"
---@field version? fun(functions: table<string, function>): string  default: by GetProperty
---@field prototypes string   streams, handles and device memory are numbers: uintptr_t takes one without a cdata

local JITLINK = { "nvjitlink", "libnvJitLink.so.13", "libnvJitLink.so.12" }

---@type table<string, cudalua.vendor.Row>
M.rows = {
  cublaslt = {
    name = "cuBLASLt", variable = "CUDALUA_CUBLASLT", wheel = "cublas", prefix = "cublasLt",
    sonames = { "libcublasLt.so.13", "libcublasLt.so.12" },
    majors = { ["libcublasLt.so.13"] = 13, ["libcublasLt.so.12"] = 12 },
    packages = "pip install nvidia-cublas-cu12; for CUDA 13: nvidia-cublas",
    prototypes = [[
      int cublasLtGetProperty(int type, int *value)
      int cublasLtCreate(uintptr_t *handle)
      int cublasLtDestroy(uintptr_t handle)
      int cublasLtMatmulDescCreate(uintptr_t *desc, int compute, int scale)
      int cublasLtMatmulDescDestroy(void *desc)
      int cublasLtMatmulDescSetAttribute(uintptr_t desc, int attribute, const void *value, size_t bytes)
      int cublasLtMatrixLayoutCreate(uintptr_t *layout, int type, uint64_t rows, uint64_t columns, int64_t ld)
      int cublasLtMatrixLayoutDestroy(void *layout)
      int cublasLtMatrixLayoutSetAttribute(uintptr_t layout, int attribute, const void *value, size_t bytes)
      int cublasLtMatmulPreferenceCreate(uintptr_t *preference)
      int cublasLtMatmulPreferenceDestroy(void *preference)
      int cublasLtMatmulPreferenceSetAttribute(uintptr_t preference, int attribute, const void *value, size_t bytes)
      int cublasLtMatmulAlgoGetHeuristic(uintptr_t handle, uintptr_t desc, uintptr_t a, uintptr_t b, uintptr_t c,
        uintptr_t d, uintptr_t preference, int asked, void *results, int *found)
      int cublasLtMatmul(uintptr_t handle, uintptr_t desc, const void *alpha, uintptr_t a, uintptr_t a_layout,
        uintptr_t b, uintptr_t b_layout, const void *beta, uintptr_t c, uintptr_t c_layout, uintptr_t d,
        uintptr_t d_layout, const void *algorithm, uintptr_t workspace, size_t bytes, uintptr_t stream)
    ]],
  },
  cusolver = {
    name = "cuSOLVER", variable = "CUDALUA_CUSOLVER", wheel = "cusolver", prefix = "cusolver",
    sonames = { "libcusolver.so.12", "libcusolver.so.11" },
    majors = { ["libcusolver.so.12"] = 13, ["libcusolver.so.11"] = 12 },
    packages = "pip install nvidia-cusolver-cu12; for CUDA 13: nvidia-cusolver",
    beside = { JITLINK, { "cublas", "libcublasLt.so.13", "libcublasLt.so.12" },
      { "cublas", "libcublas.so.13", "libcublas.so.12" }, { "cusparse", "libcusparse.so.12" } },
    prototypes = [[
      int cusolverGetProperty(int type, int *value)
      int cusolverDnCreate(uintptr_t *handle)
      int cusolverDnDestroy(uintptr_t handle)
      int cusolverDnSetStream(uintptr_t handle, uintptr_t stream)
      int cusolverDnCreateParams(uintptr_t *params)
      int cusolverDnDestroyParams(void *params)
      int cusolverDnXpotrf_bufferSize(uintptr_t handle, uintptr_t params, int uplo, int64_t n, int type, uintptr_t a,
        int64_t lda, int compute, size_t *device, size_t *host)
      int cusolverDnXpotrf(uintptr_t handle, uintptr_t params, int uplo, int64_t n, int type, uintptr_t a, int64_t lda,
        int compute, uintptr_t work, size_t bytes, void *host, size_t host_bytes, uintptr_t info)
      int cusolverDnXgetrf_bufferSize(uintptr_t handle, uintptr_t params, int64_t m, int64_t n, int type, uintptr_t a,
        int64_t lda, int compute, size_t *device, size_t *host)
      int cusolverDnXgetrf(uintptr_t handle, uintptr_t params, int64_t m, int64_t n, int type, uintptr_t a,
        int64_t lda, uintptr_t pivots, int compute, uintptr_t work, size_t bytes, void *host, size_t host_bytes,
        uintptr_t info)
      int cusolverDnXgetrs(uintptr_t handle, uintptr_t params, int trans, int64_t n, int64_t sides, int type,
        uintptr_t a, int64_t lda, uintptr_t pivots, int type_b, uintptr_t b, int64_t ldb, uintptr_t info)
      int cusolverDnXgeqrf_bufferSize(uintptr_t handle, uintptr_t params, int64_t m, int64_t n, int type, uintptr_t a,
        int64_t lda, int type_tau, uintptr_t tau, int compute, size_t *device, size_t *host)
      int cusolverDnXgeqrf(uintptr_t handle, uintptr_t params, int64_t m, int64_t n, int type, uintptr_t a,
        int64_t lda, int type_tau, uintptr_t tau, int compute, uintptr_t work, size_t bytes, void *host,
        size_t host_bytes, uintptr_t info)
      int cusolverDnXsyevd_bufferSize(uintptr_t handle, uintptr_t params, int mode, int uplo, int64_t n, int type,
        uintptr_t a, int64_t lda, int type_w, uintptr_t w, int compute, size_t *device, size_t *host)
      int cusolverDnXsyevd(uintptr_t handle, uintptr_t params, int mode, int uplo, int64_t n, int type, uintptr_t a,
        int64_t lda, int type_w, uintptr_t w, int compute, uintptr_t work, size_t bytes, void *host,
        size_t host_bytes, uintptr_t info)
      int cusolverDnXgesvd_bufferSize(uintptr_t handle, uintptr_t params, signed char left, signed char right,
        int64_t m, int64_t n, int type, uintptr_t a, int64_t lda, int type_s, uintptr_t s, int type_u, uintptr_t u,
        int64_t ldu, int type_vh, uintptr_t vh, int64_t ldvh, int compute, size_t *device, size_t *host)
      int cusolverDnXgesvd(uintptr_t handle, uintptr_t params, signed char left, signed char right, int64_t m,
        int64_t n, int type, uintptr_t a, int64_t lda, int type_s, uintptr_t s, int type_u, uintptr_t u, int64_t ldu,
        int type_vh, uintptr_t vh, int64_t ldvh, int compute, uintptr_t work, size_t bytes, void *host,
        size_t host_bytes, uintptr_t info)
      int cusolverDnSorgqr_bufferSize(uintptr_t handle, int m, int n, int k, uintptr_t a, int lda, uintptr_t tau,
        int *elements)
      int cusolverDnSorgqr(uintptr_t handle, int m, int n, int k, uintptr_t a, int lda, uintptr_t tau, uintptr_t work,
        int elements, uintptr_t info)
      int cusolverDnDorgqr_bufferSize(uintptr_t handle, int m, int n, int k, uintptr_t a, int lda, uintptr_t tau,
        int *elements)
      int cusolverDnDorgqr(uintptr_t handle, int m, int n, int k, uintptr_t a, int lda, uintptr_t tau, uintptr_t work,
        int elements, uintptr_t info)
      int cusolverDnCungqr_bufferSize(uintptr_t handle, int m, int n, int k, uintptr_t a, int lda, uintptr_t tau,
        int *elements)
      int cusolverDnCungqr(uintptr_t handle, int m, int n, int k, uintptr_t a, int lda, uintptr_t tau, uintptr_t work,
        int elements, uintptr_t info)
      int cusolverDnZungqr_bufferSize(uintptr_t handle, int m, int n, int k, uintptr_t a, int lda, uintptr_t tau,
        int *elements)
      int cusolverDnZungqr(uintptr_t handle, int m, int n, int k, uintptr_t a, int lda, uintptr_t tau, uintptr_t work,
        int elements, uintptr_t info)
    ]],
  },
  cusparse = {
    name = "cuSPARSE", variable = "CUDALUA_CUSPARSE", wheel = "cusparse", prefix = "cusparse",
    sonames = { "libcusparse.so.12" }, majors = {}, -- the same for CUDA 12 and 13
    packages = "pip install nvidia-cusparse-cu12; for CUDA 13: nvidia-cusparse",
    beside = { JITLINK },
    prototypes = [[
      int cusparseGetProperty(int type, int *value)
      int cusparseCreate(uintptr_t *handle)
      int cusparseDestroy(uintptr_t handle)
      int cusparseSetStream(uintptr_t handle, uintptr_t stream)
      int cusparseCreateCsr(uintptr_t *desc, int64_t rows, int64_t columns, int64_t count, uintptr_t offsets,
        uintptr_t indices, uintptr_t values, int offsets_type, int indices_type, int base, int type)
      int cusparseCreateDnMat(uintptr_t *desc, int64_t rows, int64_t columns, int64_t ld, uintptr_t values, int type,
        int order)
      int cusparseDestroySpMat(void *desc)
      int cusparseDestroyDnMat(void *desc)
      int cusparseSpMatGetSize(uintptr_t desc, int64_t *rows, int64_t *columns, int64_t *count)
      int cusparseCsrSetPointers(uintptr_t desc, uintptr_t offsets, uintptr_t indices, uintptr_t values)
      int cusparseSpMM_bufferSize(uintptr_t handle, int op_a, int op_b, const void *alpha, uintptr_t a, uintptr_t b,
        const void *beta, uintptr_t c, int compute, int algorithm, size_t *bytes)
      int cusparseSpMM(uintptr_t handle, int op_a, int op_b, const void *alpha, uintptr_t a, uintptr_t b,
        const void *beta, uintptr_t c, int compute, int algorithm, uintptr_t buffer)
      int cusparseSpGEMM_createDescr(uintptr_t *desc)
      int cusparseSpGEMM_destroyDescr(void *desc)
      int cusparseSpGEMM_workEstimation(uintptr_t handle, int op_a, int op_b, const void *alpha, uintptr_t a,
        uintptr_t b, const void *beta, uintptr_t c, int compute, int algorithm, uintptr_t desc, size_t *bytes,
        uintptr_t buffer)
      int cusparseSpGEMM_compute(uintptr_t handle, int op_a, int op_b, const void *alpha, uintptr_t a, uintptr_t b,
        const void *beta, uintptr_t c, int compute, int algorithm, uintptr_t desc, size_t *bytes, uintptr_t buffer)
      int cusparseSpGEMM_copy(uintptr_t handle, int op_a, int op_b, const void *alpha, uintptr_t a, uintptr_t b,
        const void *beta, uintptr_t c, int compute, int algorithm, uintptr_t desc)
    ]],
  },
  cufft = {
    name = "cuFFT", variable = "CUDALUA_CUFFT", wheel = "cufft", prefix = "cufft",
    sonames = { "libcufft.so.12", "libcufft.so.11" },
    majors = { ["libcufft.so.12"] = 13, ["libcufft.so.11"] = 12 },
    packages = "pip install nvidia-cufft-cu12; for CUDA 13: nvidia-cufft",
    beside = { JITLINK }, -- opened by name when a plan is made
    prototypes = [[
      int cufftGetProperty(int type, int *value)
      int cufftCreate(int *plan)
      int cufftDestroy(int plan)
      int cufftSetStream(int plan, uintptr_t stream)
      int cufftSetAutoAllocation(int plan, int allocate)
      int cufftSetWorkArea(int plan, uintptr_t area)
      int cufftMakePlanMany64(int plan, int rank, int64_t *n, int64_t *inembed, int64_t istride, int64_t idist,
        int64_t *onembed, int64_t ostride, int64_t odist, int type, int64_t batch, size_t *bytes)
      int cufftExecC2C(int plan, uintptr_t from, uintptr_t to, int direction)
      int cufftExecZ2Z(int plan, uintptr_t from, uintptr_t to, int direction)
      int cufftExecR2C(int plan, uintptr_t from, uintptr_t to)
      int cufftExecC2R(int plan, uintptr_t from, uintptr_t to)
      int cufftExecD2Z(int plan, uintptr_t from, uintptr_t to)
      int cufftExecZ2D(int plan, uintptr_t from, uintptr_t to)
    ]],
  },
}

-- NCCL computes nothing for a single process, so it is not among NAMES: cuda.distributed opens it, and C calls it
-- (src/cudalua/distributed/nccl.h).
M.rows.nccl = {
  name = "NCCL", variable = "CUDALUA_NCCL", wheel = "nccl", prefix = "nccl", probe = "CommInitRankConfig",
  sonames = { "libnccl.so.2" }, majors = {},
  packages = "pip install nvidia-nccl-cu12; for CUDA 13: nvidia-nccl-cu13",
  prototypes = "int ncclGetVersion(int *version)",
  version = function(functions)
    local box = ffi.new "int[1]"
    if functions.GetVersion(box) ~= 0 then return "unknown" end
    local n = box[0]
    return ("%d.%d.%d"):format(math.floor(n / 10000), math.floor(n / 100) % 100, n % 100)
  end,
}

---In the order in which they are listed.
M.NAMES = { "cublaslt", "cusolver", "cusparse", "cufft" }

-- ---- where it is ----------------------------------------------------------------------------------------------------

local function env(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

local function is_file(path) return core.stat(path) == "file" end

-- The major version of CUDA that a library belongs to, by its file's name or its folder; nil: nothing tells.
local function major_of(row, path)
  local name = path:match "[^/]+$"
  for soname, major in pairs_of(row.majors) do
    if name:sub(1, #soname) == soname then return major end
  end
  return tonumber(path:match "/cu(1%d)/lib" or path:match "/cuda%-(1%d)")
end

-- The driver's major version of CUDA; nil: it is not open yet.
local function driver_major()
  local info = core.driver_info()
  return info.open and not info.soft and math.floor(info.version / 1000) or nil
end

-- Opens what a library needs from the folders where it is itself: the dynamic linker may not find it there.
local function open_beside(row, path)
  local folder = (core.realpath(path) or path):match "^(.*)/[^/]*$"
  if not folder then return end
  for _, needed in ipairs(row.beside or {}) do
    for k = 2, #needed do
      for _, at in ipairs { folder .. "/" .. needed[k],
        ("%s/../../%s/lib/%s"):format(folder, needed[1], needed[k]) } do
        if is_file(at) and prototypes.open(at) then break end
      end
    end
  end
end

local function version_of(functions)
  local part, numbers = ffi.new "int[1]", {}
  for type = 0, 2 do
    if functions.GetProperty(type, part) ~= 0 then return "unknown" end
    numbers[type + 1] = part[0]
  end
  return table.concat(numbers, ".")
end

---An open library.
---@class cudalua.vendor.Library
---@field row cudalua.vendor.Row
---@field path string
---@field version string             "13.1.0"
---@field named boolean              the variable names it: the software device uses it, too
---@field functions table<string, function>  by name without the prefix
---@field address fun(name: string): integer  of a function, by its whole name

local function made(row, handle, path, named)
  local library = { row = row, named = named }
  library.functions = prototypes.functions {
    where = row.name, owner = "cudalua.vendor", library = row.name, prefix = row.prefix, prototypes = row.prototypes,
    find = function(name) return prototypes.symbol(handle, name) end,
  }
  function library.address(name) return tonumber(ffi.cast("uintptr_t", prototypes.symbol(handle, name))) end
  library.path = prototypes.file(prototypes.symbol(handle, row.prefix .. (row.probe or "GetProperty"))) or path
  library.version = (row.version or version_of)(library.functions)
  return library
end

-- Is it a library of this name? Another file may have the name.
local function take(row, handle, path, named, why)
  local probe = row.prefix .. (row.probe or "GetProperty")
  if prototypes.symbol(handle, probe) == nil then
    why[#why + 1] = ("%s: it has no %s"):format(path, probe)
    return nil
  end
  return made(row, handle, path, named)
end

local function try(row, path, named, why)
  open_beside(row, path)
  local handle, problem = prototypes.open(path)
  if not handle then
    why[#why + 1] = problem:find(path, 1, true) and problem or path .. ": " .. problem
    return nil
  end
  return take(row, handle, path, named, why)
end

-- Those of the row's names that the driver can use; what it cannot use goes to why.
local function usable(row, paths, why)
  local list, most = {}, driver_major()
  for _, path in ipairs(paths) do
    local major = most and major_of(row, path)
    if major and major > most then
      why[#why + 1] = ("%s: it is for CUDA %d, but the driver is for CUDA %d"):format(path, major, most)
    else
      list[#list + 1] = path
    end
  end
  return list
end

local function find(row, why)
  local named = env(row.variable)
  if named == "off" then
    why[1] = row.variable .. " is off"
    return nil
  end
  if named then return try(row, named, true, why) end
  local sonames = usable(row, row.sonames, {})
  for _, soname in ipairs(sonames) do
    local handle = prototypes.open(soname, true)
    local library = handle and take(row, handle, soname, false, why)
    if library then return library end
  end
  local paths, looked = toolchain.libraries(row.sonames, row.wheel)
  for _, path in ipairs(usable(row, paths, why)) do
    local library = try(row, path, false, why)
    if library then return library end
  end
  for _, soname in ipairs(sonames) do
    local library = try(row, soname, false, {})
    if library then return library end
  end
  why[#why + 1] = looked
  return nil
end

-- ---- opening --------------------------------------------------------------------------------------------------------

local results = {} -- name -> the library, or { why = text }

local function result_of(name)
  local result = results[name]
  if not result then
    local why = {}
    result = find(M.rows[name], why) or { why = table.concat(why, "\n") }
    results[name] = result
  end
  return result
end

---Called by forget(): whoever keeps something of a library's lets go of it.
---@type function[]
M.on_forget = {}

---Forgets what was found, for specs that name another library.
function M.forget()
  results = {}
  for _, f in ipairs(M.on_forget) do f() end
end

---The library of that name, opened at the first call.
---@param name string  "cublaslt", "cusolver", "cusparse" or "cufft"
---@return cudalua.vendor.Library? library  nil: it is not there
---@return string? why                      what was tried, a line each
function M.open(name)
  local result = result_of(name)
  if result.why then return nil, result.why end
  return result
end

---What the variable of a library says: does it name one?
---@param name string
---@return boolean
function M.is_named(name)
  local value = env(M.rows[name].variable)
  return value ~= nil and value ~= "off"
end

---The functions of a library.
---@param name string
---@return table<string, function> functions  by name, without the library's prefix
---@raise RuntimeError if it is not there
function M.functions(name)
  local library, why = M.open(name)
  if library then return library.functions end
  local row = M.rows[name]
  errors.raise("RuntimeError", ("%s cannot be opened: %s"):format(row.name, why),
    { hint = ("%s, or name the library in %s"):format(row.packages, row.variable) })
end

---All four, with what was found.
---@return {name: string, path: string?, version: string?, why: string?}[]
function M.list()
  local list = {}
  for k, name in ipairs(M.NAMES) do
    local library, why = M.open(name)
    list[k] = { name = M.rows[name].name, path = library and library.path, version = library and library.version,
      why = why }
  end
  return list
end

return M
