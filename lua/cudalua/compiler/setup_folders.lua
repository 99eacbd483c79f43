-- Where `cudalua setup` puts NVRTC and CUDA's headers: a folder of the installation, and one of the user. Both are
-- roots of a toolkit, with include/ and lib/.

local core = require "cudalua.core"

local M = {}

local here = debug.getinfo(1, "S").source:match "^@(.*)$" or ""

---The folder of this installation: share/cudalua/cuda below its prefix. nil: the library runs from its source tree, or
---its Lua files were installed elsewhere than in share/lua.
---@return string?
function M.of_installation()
  local prefix = (core.realpath(here) or here):match "^(.*)/share/lua/[^/]*/cudalua/"
  if prefix == "/usr" then prefix = "/usr/local" end -- below /usr all is the package manager's
  return prefix and prefix .. "/share/cudalua/cuda"
end

---The user's folder. nil: the environment names no home.
---@param env fun(name: string): string?
---@return string?
function M.of_user(env)
  local data = env "XDG_DATA_HOME" or env "HOME" and env "HOME" .. "/.local/share"
  return data and data .. "/cudalua/cuda"
end

---Both, the installation's first.
---@param env fun(name: string): string?
---@return string[]
function M.list(env)
  local list = { M.of_installation() }
  list[#list + 1] = M.of_user(env)
  return list
end

return M
