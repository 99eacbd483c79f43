-- Where the library's own CUDA C is: the folders of kernels/, beside the installed Lua files or in the source's tree.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"

local M = {}

local here = debug.getinfo(1, "S").source:match "^@(.*)base/devicecode%.lua$"

---@param name string  "libc", "array"
---@return string?  without a slash at its end; nil: this installation lacks it
function M.folder(name)
  for _, path in ipairs { here .. "kernels/" .. name, here .. "../../kernels/" .. name } do
    if core.stat(path) == "directory" then return core.realpath(path) end
  end
end

local LIMIT = 1024 * 1024 -- bytes of a file, far above the largest
local folders = {}

---The text of a file of a folder of kernels/.
---@param folder string  "array"
---@param name string    "elementwise.cu"
---@return string
---@raise RuntimeError if it is not there
function M.file(folder, name)
  folders[folder] = folders[folder] or M.folder(folder)
  local text = folders[folder] and core.read_file(folders[folder] .. "/" .. name, LIMIT)
  if text then return text end
  errors.raise("RuntimeError", ("the library's device code was not found: %skernels/%s/%s"):format(here, folder,
    name), {
    hint = "install the kernels folder next to the library's Lua files, as the build does",
  })
end

---The text of a file of kernels/array.
---@param name string  "elementwise.cu"
---@return string
---@raise RuntimeError if it is not there
function M.array_file(name) return M.file("array", name) end

return M
