-- The C sides of benchmarks, compiled when these run.
local build = os.getenv "CUDALUA_BUILD" or "build"
local home = os.getenv "CUDA_HOME" or "/usr/local/cuda"
local cc = os.getenv "CC" or "cc"

local M = { cc = cc }

---Compiles bench/NAME.c.
---@param name string    "launch", "arrays/side"
---@param flags? string  of the compiler, besides -O2; default: a shared library
---@param ending? string  of the file; default: ".so"
---@return string path
function M.path(name, flags, ending)
  local out = ("%s/bench_%s%s"):format(build, name:gsub("%W", "_"), ending or ".so")
  assert(os.execute(("%s -O2 %s -I%s/include bench/%s.c -o %s -ldl"):format(cc, flags or "-shared -fPIC", home, name,
    out)) == 0, ("bench/%s.c does not compile"):format(name))
  return out
end

return M
