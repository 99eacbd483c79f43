-- What the functions of NVIDIA's libraries answer, and the errors that become of it.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local libraries = require "cudalua.vendor.library"

local M = {}

-- Names by code, in the order of the headers.
local function numbered(prefix, list)
  local names = {}
  for word in list:gmatch "%S+" do
    local name, code = word:match "^(.*)=(%d+)$"
    names[tonumber(code)] = prefix .. name
  end
  return names
end

local names = {
  cublaslt = numbered("CUBLAS_STATUS_", [[ NOT_INITIALIZED=1 ALLOC_FAILED=3 INVALID_VALUE=7 ARCH_MISMATCH=8
    MAPPING_ERROR=11 EXECUTION_FAILED=13 INTERNAL_ERROR=14 NOT_SUPPORTED=15 LICENSE_ERROR=16 ]]),
  cusolver = numbered("CUSOLVER_STATUS_", [[ NOT_INITIALIZED=1 ALLOC_FAILED=2 INVALID_VALUE=3 ARCH_MISMATCH=4
    MAPPING_ERROR=5 EXECUTION_FAILED=6 INTERNAL_ERROR=7 MATRIX_TYPE_NOT_SUPPORTED=8 NOT_SUPPORTED=9 ZERO_PIVOT=10
    INVALID_LICENSE=11 INVALID_WORKSPACE=31 ]]),
  cusparse = numbered("CUSPARSE_STATUS_", [[ NOT_INITIALIZED=1 ALLOC_FAILED=2 INVALID_VALUE=3 ARCH_MISMATCH=4
    MAPPING_ERROR=5 EXECUTION_FAILED=6 INTERNAL_ERROR=7 MATRIX_TYPE_NOT_SUPPORTED=8 ZERO_PIVOT=9 NOT_SUPPORTED=10
    INSUFFICIENT_RESOURCES=11 ]]),
  cufft = numbered("CUFFT_", [[ INVALID_PLAN=1 ALLOC_FAILED=2 INVALID_TYPE=3 INVALID_VALUE=4 INTERNAL_ERROR=5
    EXEC_FAILED=6 SETUP_FAILED=7 INVALID_SIZE=8 UNALIGNED_DATA=9 INCOMPLETE_PARAMETER_LIST=10 INVALID_DEVICE=11
    PARSE_ERROR=12 NO_WORKSPACE=13 NOT_IMPLEMENTED=14 LICENSE_ERROR=15 NOT_SUPPORTED=16 MISSING_DEPENDENCY=17
    NVRTC_FAILURE=18 NVJITLINK_FAILURE=19 NVSHMEM_FAILURE=20 ]]),
}

---The header's name of a status, and its number.
---@param library string
---@param code integer
---@return string  "CUBLAS_STATUS_NOT_SUPPORTED (15)"
function M.text(library, code)
  local name = names[library][code]
  return name and ("%s (%d)"):format(name, code) or ("status %d"):format(code)
end

-- A fault of an earlier kernel makes every call fail, and is the better answer.
local function raise_sticky()
  local ok, err = pcall(core.mem_get_info)
  if not ok and errors.is_error(err) and err.sticky then error(err, 0) end
end

---Raises for a status other than 0.
---@param what string      the function of this library: "gpuarray.matmul"
---@param library string   "cublaslt", ...
---@param call string      the vendor's function, without the prefix: "Matmul"
---@param code integer     what it returned
---@param about? string    shapes and dtypes of the operands
---@raise MemoryError for ALLOC_FAILED; LaunchError after a fault of the device; RuntimeError otherwise
function M.check(what, library, call, code, about)
  if code == 0 then return end
  raise_sticky()
  local text = M.text(library, code)
  local class = text:find("ALLOC_FAILED", 1, true) and "MemoryError" or "RuntimeError"
  errors.raise(class, ("%s: %s%s failed: %s%s"):format(what, libraries.rows[library].prefix, call, text,
    about and ", for " .. about or ""),
    { hint = 'linalg.backend "own" computes it with the library\'s own kernels' })
end

return M
