-- Sources with texture and surface references, texture<float, 2> t; which CUDA 12 took out of the language. They are
-- compiled with kernels/compat/texture.cuh before their first line (--pre-include), so that their lines keep their
-- numbers, and with -default-device, which makes the references variables of the device.

local core = require "cudalua.core"
local devicecode = require "cudalua.base.devicecode"
local errors = require "cudalua.base.errors"
local source_text = require "cudalua.types.source"

local M = {}

local NAME = "cudalua/texture.cuh" -- what the header is called

---Does a source use references? What stands in comments and strings does not count.
---@param source string
---@return "texture"|"surface"|nil which
function M.used(source)
  if not source:find "texture%s*<" and not source:find "surface%s*<" then return nil end
  local code = source_text.code(source)
  return code:find "%f[%w_]texture%s*<" and "texture" or code:find "%f[%w_]surface%s*<" and "surface" or nil
end

---Does a log say that references are missing? They may be in a header that the source includes.
---@param log string?
---@return "texture"|"surface"|nil which
function M.missing(log) return log and log:match "error: (%l+) is not a template" or nil end

---Raises if a source with references cannot be compiled as the options say.
---@param where string
---@param which string    "texture" or "surface"
---@param opts cudalua.CompileOptions
---@param backend string  "nvrtc" or "nvcc"
function M.check(where, which, opts, backend)
  local why = backend == "nvcc" and "nvcc has not supported them since CUDA 12; omit option backend to compile with " ..
    "NVRTC"
    or opts.minimal and "option minimal leaves out their definitions; omit it"
  if why then
    errors.raise("LogicError", ("%s: the source has a reference, %s<...>, and %s"):format(where, which, why))
  end
end

---The job and the options for a compilation with references.
---@param job cudalua.CompileJob
---@param options string[]
---@return cudalua.CompileJob job
---@return string[] options
function M.supply(job, options)
  local header_names, header_sources = { NAME, unpack(job.header_names) }, { devicecode.file("compat", "texture.cuh") }
  for i, source in ipairs(job.header_sources) do header_sources[i + 1] = source end
  local list = { "--pre-include=" .. NAME }
  if job.opts.default_device == false then list[2] = "-default-device" end
  for _, option in ipairs(options) do list[#list + 1] = option end
  return setmetatable({ header_names = header_names, header_sources = header_sources }, { __index = job }), list
end

---The files whose texts decide what a compilation gets.
---@return string[] paths
function M.files()
  local folder = devicecode.folder "compat"
  return folder and core.stat(folder .. "/texture.cuh") and { folder .. "/texture.cuh" } or {}
end

return M
