-- What PyCUDA's characterize tells of a device and of its compiler.

local ffi = require "ffi"
local cuda = require "cudalua"
local errors = require "cudalua.base.errors"
local names = require "cudalua.base.names"
local tools = require "cudalua.tools"

---@class cudalua.characterize
local M = {}

---Returns the number of bits of the program's pointers.
---@return integer  64: CUDA does not support others
function M.platform_bits() return ffi.abi "64bit" and 64 or 32 end

---Returns true if device functions can call each other and themselves. Current devices support this.
---@return boolean
---@raise LogicError (201) without a current context
function M.has_stack() return cuda.Context.get_device():compute_capability() >= 2 end

---Returns true if kernels can compute with doubles. Current devices support this.
---@return boolean
---@raise LogicError (201) without a current context
function M.has_double_support()
  local major, minor = cuda.Context.get_device():compute_capability()
  return major > 1 or minor >= 3
end

local source = [[
%s
extern "C" __global__ void write_size(unsigned long long *to) { *to = sizeof(%s); }
]]

local measured = tools.context_dependent_memoize(function(type_name, preamble)
  local mod = cuda.SourceModule(source:format(preamble, type_name), { no_extern_c = true, name = "sizeof.cu" })
  local to = cuda.mem_alloc(8)
  mod:get_function "write_size"(to, { block = 1 })
  local size = cuda.from_device(to, 1, "uint64"):item()
  to:free()
  return tonumber(size)
end)

local function check_text(name, value)
  if type(value) ~= "string" then
    errors.raise("LogicError", ("sizeof: %s must be a string, got %s"):format(name, errors.text(value)))
  end
end

---Returns the size of a type in kernels in bytes, which a kernel determines.
---@param type_name string  "float3", "long", "struct node"
---@param preamble? string  CUDA C that declares the type: includes, structs
---@return integer
---@raise CompileError if the type does not exist; LogicError if an argument is not a string, (201) without a current
---  context, and while a stream is being captured
function M.sizeof(type_name, preamble)
  check_text("type_name", type_name)
  if preamble == nil then preamble = "" end
  check_text("preamble", preamble)
  return measured(type_name, preamble)
end

names.strict(M, { text = "characterize", kind = "module" })

return M
