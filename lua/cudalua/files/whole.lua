-- Files that are read and written as one string.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"

local refuse = layout.refuse

local M = {}

local MOST = 2 ^ 31 - 2 ^ 20 -- bytes of a Lua string

---Raises a LogicError unless it is a path.
---@param what string  function, for messages
---@param path any
function M.check_path(what, path)
  if type(path) ~= "string" then refuse(what, "expected a path, got " .. errors.text(path)) end
  if path:find "%z" then refuse(what, "the path contains a zero byte") end
end

---Opens a file for reading.
---@param what string
---@param path string
---@return file*
---@raise LogicError if it is not a regular file, RuntimeError if it cannot be opened
function M.open(what, path)
  M.check_path(what, path)
  local kind = core.stat(path)
  if kind and kind ~= "file" then refuse(what, path .. " is not a regular file") end
  local file, why = io.open(path, "rb")
  if not file then errors.raise("RuntimeError", what .. ": " .. why) end
  return file
end

---@param what string
---@param path string
---@return string
---@raise LogicError, RuntimeError as open; LogicError for 2 GiB and more
function M.read(what, path)
  local file = M.open(what, path)
  local size = file:seek "end"
  if not size or size > MOST then
    file:close()
    refuse(what, ("%s has %.0f bytes; at most %.0f are read"):format(path, size or 0, MOST))
  end
  file:seek "set"
  local text = file:read "*a"
  file:close()
  return text
end

---Writes a file; if that fails, it may be there in part.
---@param what string
---@param path string
---@param parts fun(write: fun(text: string))  calls write with one piece after another
---@raise RuntimeError if the file cannot be written; what parts raises
function M.write(what, path, parts)
  M.check_path(what, path)
  local file, why = io.open(path, "wb")
  if not file then errors.raise("RuntimeError", what .. ": " .. errors.why_not_written(path, why)) end
  local function failed(reason)
    errors.raise("RuntimeError", ("%s: %s cannot be written: %s"):format(what, path, tostring(reason)))
  end
  local ok, err = pcall(parts, function(text)
    local written, reason = file:write(text)
    if not written then failed(reason) end
  end)
  local closed, reason = file:close()
  if not ok then error(err, 0) end
  if not closed then failed(reason) end
end

return M
