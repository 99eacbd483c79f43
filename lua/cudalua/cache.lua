-- Compiled kernels that outlive the process: cuda.cache. The disk cache saves compilations on this machine; an exported
-- folder lets a program run where NVRTC is not.

local disk = require "cudalua.compiler.cache"
local errors = require "cudalua.base.errors"
local exported = require "cudalua.compiler.exported"
local names = require "cudalua.base.names"

---Compiled kernels that outlive the process.
---@class cudalua.cache
local M = {}

---Writes the kernels that this process has asked for so far into a folder, compiled for named devices. A program that
---uses the folder runs without NVRTC. Another export into the same folder adds to it.
---@param dir string       made if it does not exist
---@param archs? string[]  "sm_90": machine code for compute capability 9.0; "compute_90": PTX, which newer devices
---  compile. PTX for the oldest one is always written. Default: the current device's; on the software device compute_80
---@return cudalua.ExportReport report  what was written and what could not be
---@raise LogicError for architectures that NVRTC does not know; RuntimeError if NVRTC is not found, or if the folder
---  cannot be written or has something else in it
function M.export(dir, archs) return require "cudalua.ship.export"(dir, archs) end

---Takes kernels from an exported folder from now on, before the disk cache and NVRTC. Kernels that are loaded stay as
---they are. The folder that was named last is looked at first; CUDALUA_KERNELS names others, with colons between them.
---@param dir string
---@raise RuntimeError if the folder does not exist, was not exported, or is of another version of this library
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
---@field folders string[]  exported folders in use, the first one first
---@field exported integer  kernels that this process took from them

---The disk cache of compiled kernels, exported folders in use, and what this process had of both.
---@return cudalua.CacheState
function M.info()
  local info = disk.cache_info()
  info.folders, info.exported = exported.folders(), exported.taken
  return info
end

---Removes every entry of the disk cache, as cuda.clear_cache. Exported folders stay as they are.
---@return integer entries  how many there were
function M.clear() return disk.clear_cache() end

require("cudalua.base.surplus").install("cache.", M)
names.strict(M, { text = "cache", kind = "module" })

return M
