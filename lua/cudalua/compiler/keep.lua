-- What went into a compilation and what came out of it, in a folder for people to look at.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local notice = require "cudalua.base.notice"

local M = {}

-- A header's name as that of a file in the folder.
local function plain(name) return (name:gsub("[^%w_.-]", "_"):gsub("^%.+", "_")) end

local function write(path, text)
  local file, why = io.open(path, "wb")
  local ok = file and file:write(text)
  ok = file and file:close() and ok
  if not ok then
    errors.raise("RuntimeError", ("%s cannot be written: %s"):format(path, tostring(why or "no space?")))
  end
end

---Writes the files of a compilation, which may have failed.
---@param job cudalua.CompileJob
---@param text string       the source as the compiler got it
---@param options string[]
---@param result table      ptx, cubin, ltoir, log: what there is of it
---@return string folder    which other users cannot read
---@raise RuntimeError if it cannot be written.
function M.write(job, text, options, result)
  local temporary = os.getenv "TMPDIR"
  local prefix = (temporary and temporary ~= "" and temporary or "/tmp") .. "/cudalua-"
  local folder, why = core.make_folder(prefix)
  if not folder then
    errors.raise("RuntimeError", ("%s: keep: cannot make a folder %s...: %s"):format(job.where, prefix, why))
  end
  local base = plain(job.name:match "[^/]*$")
  local stem = base:gsub("%.%w+$", "")
  write(folder .. "/" .. (base ~= "" and base or "kernel.cu"), text)
  write(folder .. "/options.txt", table.concat(options, "\n") .. "\n")
  write(folder .. "/log.txt", result.log or "")
  for i, name in ipairs(job.header_names) do write(folder .. "/header-" .. plain(name), job.header_sources[i]) end
  for _, kind in ipairs { "ptx", "cubin", "ltoir" } do
    if result[kind] then write(("%s/%s.%s"):format(folder, stem ~= "" and stem or "kernel", kind), result[kind]) end
  end
  notice(("what was compiled from %s is kept in %s"):format(job.name, folder))
  return folder
end

return M
