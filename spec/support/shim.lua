-- cuBLASLt's stand-in for the software device, spec/support/vendor_shim.c: it is what CUDALUA_CUBLASLT names in here.
local built = require "spec.support.built"
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local libraries = require "cudalua.vendor.library"
local linalg = require "cudalua.linalg"
local prototypes = require "cudalua.base.prototypes"

ffi.cdef "int setenv(const char *name, const char *value, int overwrite); int unsetenv(const char *name);"

local M = { path = built "cudalua-vendor-shim" }

local library = assert(prototypes.open(M.path))
local shim = prototypes.functions {
  where = "shim", owner = "the specs", library = "shim", prefix = "shim_",
  find = function(name) return prototypes.symbol(library, name) end,
  prototypes = [[
    int shim_driver(const char *path)
    const char *shim_log(void)
    void shim_clear(void)
    void shim_fail(int status)
    int shim_handles(void)
  ]],
}
assert(shim.driver(gpu.cuda.driver_info().path) == 0)

---The variable of cuBLASLt says that from here on; nil: nothing.
function M.name(value)
  if value then ffi.C.setenv("CUDALUA_CUBLASLT", value, 1) else ffi.C.unsetenv "CUDALUA_CUBLASLT" end
  libraries.forget()
end

---Calls f() with the shim as cuBLASLt and this backend, and gives what f gave.
function M.with(backend, f, ...)
  local before = linalg.backend()
  M.name(M.path)
  linalg.backend(backend)
  local ok, a, b, c = pcall(f, ...)
  linalg.backend(before)
  linalg.precision "full"
  M.name(nil)
  if not ok then error(a, 0) end
  return a, b, c
end

---The products that f() has the shim compute, a line each.
function M.log(f)
  shim.clear()
  f()
  local lines = {}
  for line in ffi.string(shim.log()):gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

---The next product ends with that status.
function M.fail(status) shim.fail(status) end

---Handles that were made and not destroyed.
function M.handles() return shim.handles() end

return M
