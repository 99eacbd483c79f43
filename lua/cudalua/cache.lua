-- Compiled kernels that outlive the process: cuda.cache. The disk cache saves compilations on this machine; an exported
-- folder lets a program run where NVRTC is not.

local disk = require "cudalua.compiler.cache"
local errors = require "cudalua.base.errors"
local exported = require "cudalua.compiler.exported"
local names = require "cudalua.base.names"

---Compiled kernels that outlive the process.
---@class cudalua.cache
local M = {}

---Writes the kernels that this process has used so far to a folder, compiled for the given devices. A program that uses
---the folder runs without NVRTC. Another export to the same folder adds to it.
---@param dir string  the folder; it is created if it does not exist
---@param archs? string[]  "sm_90": machine code for compute capability 9.0; "compute_90": PTX, which newer devices
---  compile. PTX for the oldest architecture is always written. Default: the architecture of the current device;
---  compute_80 on the software device
---@return cudalua.ExportReport report  the kernels that were written, and those that could not be
---@raise LogicError for architectures that NVRTC does not know; RuntimeError if NVRTC is not found, or if the folder
---  cannot be written or contains other files
function M.export(dir, archs) return require "cudalua.ship.export"(dir, archs) end

---Loads kernels from an exported folder from now on, in preference to the disk cache and NVRTC. Kernels that are
---already loaded are not affected. The folder that was named last is searched first. CUDALUA_KERNELS names more
---folders, separated by colons.
---@param dir string  the exported folder
---@raise RuntimeError if the folder does not exist, was not exported, or belongs to another version of this library
function M.use(dir)
  if type(dir) ~= "string" or dir == "" or dir:find "%z" then
    errors.raise("LogicError", "cache.use: expected a folder's path, got " .. errors.text(dir))
  end
  local folder, why = exported.use(dir)
  if not folder then
    errors.raise("RuntimeError", ("cache.use: the kernels in %s cannot be used: %s"):format(dir, why), {
      hint = "cuda.cache.export(dir, archs) writes such a folder, with the version of cudalua that will use it",
    })
  end
end

---@class cudalua.CacheState: cudalua.CacheInfo
---@field folders string[]  exported folders in use, in the order of the search
---@field exported integer  kernels that this process loaded from them

---Returns information about the disk cache of compiled kernels, exported folders in use, and this process's use of
---both.
---@return cudalua.CacheState
function M.info()
  local info = disk.cache_info()
  info.folders, info.exported = exported.folders(), exported.taken
  return info
end

---Removes every entry of the disk cache, as cuda.clear_cache. Exported folders are not changed.
---@return integer entries  the number of removed entries
function M.clear() return disk.clear_cache() end

require("cudalua.base.surplus").install("cache.", M)
names.strict(M, { text = "cache", kind = "module" })

return M
