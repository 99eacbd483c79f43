-- Sources whose kernels set the value of a graph's conditional node: NVRTC knows the type of the handle, and not the
-- function, which is in CUDA's device runtime. A source that has its name in code gets its declaration; on a GPU its
-- module is linked with that library. The software device has the function itself.

local core = require "cudalua.core"
local source_text = require "cudalua.types.source"

local M = {}

local NAME = "cudaGraphSetConditional"
local DECLARATION = ('extern "C" __device__ void %s(cudaGraphConditionalHandle, unsigned int);'):format(NAME)

---Does the source have the function's name, outside comments and strings?
---@param source any
---@return boolean
function M.named(source)
  return type(source) == "string" and source:find(NAME, 1, true) ~= nil and
    source_text.code(source):find("%f[%w_]" .. NAME .. "%f[^%w_]") ~= nil
end

---The text that is compiled for a source, with what that needs. Lines keep their numbers.
---@param source string
---@param text string    what it was made into
---@param in_line boolean  no #line may come early
---@return string
function M.declare(source, text, in_line)
  if not M.named(source) then return text end
  return DECLARATION .. (in_line and " " or "\n#line 1\n") .. text
end

---A module of the source that is linked with the device runtime; nil: there is no need of that.
---@param source string
---@param opts cudalua.CompileOptions
---@return cudalua.DynamicModule?
---@raise what cuda.DynamicModule raises, RuntimeError if the library is not found
function M.linked(source, opts)
  if not M.named(source) then return nil end
  core.want_context() -- which opens the driver
  if core.driver_info().soft then return nil end
  local mod = require("cudalua.compiler.dynamic").DynamicModule(opts)
  return mod:add_source(source):add_stdlib("cudadevrt"):link()
end

return M
