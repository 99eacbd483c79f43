-- cuSOLVER's stand-in for the software device, spec/support/solver_shim.c: it is what CUDALUA_CUSOLVER names in here.
local built = require "spec.support.built"
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local prototypes = require "cudalua.base.prototypes"
local shim = require "spec.support.shim"

local M = { path = built "cudalua-solver-shim" }

local library = assert(prototypes.open(M.path))
local solver = prototypes.functions {
  where = "solver_shim", owner = "the specs", library = "solver_shim", prefix = "solver_",
  find = function(name) return prototypes.symbol(library, name) end,
  prototypes = [[
    int solver_driver(const char *path)
    const char *solver_log(void)
    void solver_clear(void)
    void solver_fail(int status)
    void solver_report(int info)
    void solver_host(size_t bytes)
    int solver_handles(void)
    int solver_alive(void)
    int solver_strange(void)
  ]],
}
assert(solver.driver(gpu.cuda.driver_info().path) == 0)

---The variable of cuSOLVER says that from here on; nil: nothing.
function M.name(value)
  if value then ffi.C.setenv("CUDALUA_CUSOLVER", value, 1) else ffi.C.unsetenv "CUDALUA_CUSOLVER" end
end

---Calls f() with both shims and this backend, and gives what f gave.
function M.with(backend, f, ...)
  M.name(M.path)
  local ok, a, b, c = pcall(shim.with, backend, f, ...)
  M.name(nil)
  shim.name(nil)
  if not ok then error(a, 0) end
  return a, b, c
end

---The calls that f() makes under "vendor", a line each.
function M.calls(f)
  solver.clear()
  M.with("vendor", f)
  local lines = {}
  for line in ffi.string(solver.log()):gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

---The next call ends with that status.
function M.fail(status) solver.fail(status) end

---The next eigenvalues or singular values report that.
function M.report(info) solver.report(info) end

---The 64-bit functions ask for so many bytes on the host.
function M.host(bytes) solver.host(bytes) end

---Handles, and parameters, that were made and not destroyed.
function M.handles() return solver.handles() end
function M.alive() return solver.alive() end

---Matrices with NaN and infinities that were to be factorised.
function M.strange() return solver.strange() end

return M
