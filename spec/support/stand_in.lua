-- Stand-ins for vendor's libraries on the software device: what the specs share of them. cuBLASLt's is named, too, as
-- linalg.backend "vendor" asks for it.
local built = require "spec.support.built"
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local libraries = require "cudalua.vendor.library"
local prototypes = require "cudalua.base.prototypes"
local shim = require "spec.support.shim" -- which declares setenv

---A stand-in.
---@param library string   what the library is called in here: "cufft"
---@param file string      the stand-in's file, without "lib" and ".so"
---@param prefix string    of the functions that it has for specs
---@param count string     the one that counts what was made and not destroyed
---@return table  path, functions; name(value), with(backend, f), log(f), fail(status), count()
return function(library, file, prefix, count)
  local M = { path = built(file) }
  local variable = libraries.rows[library].variable
  local opened = assert(prototypes.open(M.path))
  M.functions = prototypes.functions {
    where = "stand-in", owner = "the specs", library = "stand-in", prefix = prefix,
    find = function(name) return prototypes.symbol(opened, name) end,
    prototypes = ([[
      int @driver(const char *path)
      const char *@log(void)
      void @clear(void)
      void @fail(int status)
      int @]] .. count .. "(void)"):gsub("@", prefix),
  }
  assert(M.functions.driver(gpu.cuda.driver_info().path) == 0)

  ---The library's variable says that from here on; nil: nothing.
  function M.name(value)
    if value then ffi.C.setenv(variable, value, 1) else ffi.C.unsetenv(variable) end
    libraries.forget()
  end

  ---Calls f() with the stand-in as the library and this backend, and gives what f gave.
  function M.with(backend, f, ...)
    M.name(M.path)
    local ok, a, b = pcall(shim.with, backend, f, ...)
    M.name(nil)
    if not ok then error(a, 0) end
    return a, b
  end

  ---The calls for f(), a line each.
  function M.log(f)
    M.functions.clear()
    f()
    local lines = {}
    for line in ffi.string(M.functions.log()):gmatch "[^\n]+" do lines[#lines + 1] = line end
    return lines
  end

  ---The next call that can be told to ends with that status.
  function M.fail(status) M.functions.fail(status) end

  ---What was made and not destroyed.
  function M.count() return M.functions[count]() end

  return M
end
