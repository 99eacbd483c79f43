-- `cudalua env`: the search paths of this installation as lines of a shell, so that any LuaJIT finds the library.

local core = require "cudalua.core"
local quoted = require("cudalua.setup.fetch").quoted

local M = {}

local function folder_of(name, path, tail)
  local file = package.searchpath(name, path)
  return file and (core.realpath(file) or file):sub(1, -#tail - 1)
end

---Prints the lines, for: eval "$(cudalua env)". What the shell's variables hold stays behind the library's folders.
---@return integer status
function M.run()
  local lua = folder_of("cudalua.dtype", package.path, "/cudalua/dtype.lua")
  local c = folder_of("cudalua.core", package.cpath, "/cudalua/core.so")
  if not (lua and c) then
    io.stderr:write("cudalua env: the library was not found on the search paths:\n", package.path, "\n", package.cpath,
      "\n")
    return 1
  end
  print(("export LUA_PATH=%s\"${LUA_PATH-;}\""):format(quoted(("%s/?.lua;%s/?/init.lua;"):format(lua, lua))))
  print(("export LUA_CPATH=%s\"${LUA_CPATH-;}\""):format(quoted(c .. "/?.so;")))
  -- A tarball has a command, and a LuaJIT with its modules, which are of use where there is no other.
  local root = lua:match "^(.*)/share/lua/[^/]*$"
  local own = root and root .. "/lib/cudalua"
  if own and core.stat(own .. "/luajit") == "file" then
    print(("export PATH=%s\"${PATH:+:$PATH}\""):format(quoted(root .. "/bin")))
    print(("command -v luajit >/dev/null || export PATH=\"$PATH\"%s LUA_PATH=\"$LUA_PATH\"%s"):format(
      quoted(":" .. own), quoted(";" .. own .. "/?.lua")))
  end
  return 0
end

return M
