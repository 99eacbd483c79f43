-- Folders and files that others will read: with the rights that the process's file mode mask leaves.

local ffi = require "ffi"

ffi.cdef "int mkdir(const char *path, unsigned mode);"

local M = {}

local ANYBODY = tonumber("777", 8)

---Makes the folders above a path, which may be there.
---@param path string
function M.make_parents(path)
  local at = path:find("/", 2, true)
  while at do
    ffi.C.mkdir(path:sub(1, at - 1), ANYBODY)
    at = path:find("/", at + 1, true)
  end
end

---@param path string
---@param text string
---@return string? why  nil: it is written
function M.write(path, text)
  local file, why = io.open(path, "wb")
  local ok = file and file:write(text)
  if file then ok = file:close() and ok end
  return not ok and (why or "no space?") or nil
end

return M
