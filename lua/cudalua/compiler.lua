-- CUDA C -> image -> module, at run time: SourceModule and compile. The work is done in compiler/:
--   options     what may be given, and what NVRTC is told       nvrtc   one compilation, from the cache or by NVRTC
--   kernels     which kernels a source has, and their types     keep    the folder that `keep` leaves
--   diagnostic  the error that helps                            includes  the user's headers, for the cache

local conditional = require "cudalua.compiler.conditional"
local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local load = require("cudalua.compiler.load").load
local names = require "cudalua.base.names"
local nvrtc = require "cudalua.compiler.nvrtc"
local option = require "cudalua.compiler.options"
local functions = require "cudalua.driver.function"
local pairs_of = require "cudalua.base.pairs_of"
local toolchain = require "cudalua.compiler.toolchain"

---Compiles CUDA C at run time: CUDA C -> image -> module.
---@class cudalua.compiler
local M = {}

---The options that are used if you do not pass `options`. CUDALUA_DEFAULT_FLAGS (separated by blanks) sets them.
M.DEFAULT_NVRTC_FLAGS = {}
for flag in (os.getenv "CUDALUA_DEFAULT_FLAGS" or ""):gmatch "%S+" do
  M.DEFAULT_NVRTC_FLAGS[#M.DEFAULT_NVRTC_FLAGS + 1] = flag
end

---Returns information about NVRTC's library, which the first call opens.
---@return {path: string, major: integer, minor: integer, archs: integer[]}? info  nil if it was not found
---@return string? why  the places that were tried, one on each line
function M.nvrtc() return toolchain.open() end

---All that comes of a compilation.
---@param where string  function, for messages
---@param source string
---@param opts? cudalua.CompileOptions
---@return cudalua.CompileResult
---@raise as M.compile
function M.build(where, source, opts)
  opts = option.read(where, opts)
  if opts.backend == "nvcc" or opts.backend == nil and opts.nvcc ~= nil then
    require("cudalua.compiler.requests").leave(opts.name or "kernel.cu", "nvcc compiled it")
    return require("cudalua.compiler.nvcc").build(where, source, opts)
  end
  return nvrtc.build(where, source, opts, M.DEFAULT_NVRTC_FLAGS)
end

---Compiles CUDA C without loading it. If you pass `arch`, it does not need a device. Warnings also go to
---cuda.on_notice.
---@param source string  the CUDA C source
---@param opts? cudalua.CompileOptions  the compiler's options
---@return string image  a cubin, or PTX for "compute_NN" and the software device; option `target` changes this
---@return string? log   warnings
---@raise CompileError (log, source, options, command_line, stdout, stderr, msg; excerpt: the lines around the first
---  error; keep_dir), LogicError for invalid arguments, RuntimeError if NVRTC is not found.
function M.compile(source, opts)
  local result = M.build("compile", source, opts)
  return result.image, result.log
end

---A compiled and loaded source.
---@class cudalua.SourceModule
---@field module cudalua.Module  the loaded module
---@field log string?       the compiler's warnings
---@field timing {phase: string, ms: number}[]?  the duration of each phase of the compiler; with `time = true`
---@field keep_dir string?  the folder with the compiler's files; with `keep = true`
local SourceModule = {}
SourceModule.__index = SourceModule
SourceModule.__name = "cudalua.SourceModule"
M.SourceModuleClass = names.class(SourceModule, "SourceModule", { log = true, timing = true, keep_dir = true })

function SourceModule:__tostring() return "cudalua.SourceModule: " .. tostring(self.module) end

local function loaded(where, source, opts)
  opts = option.read(where, opts)
  if opts.target == "ltoir" then
    errors.raise("LogicError", where .. ": LTO-IR cannot be loaded; link it with cuda.DynamicModule{lto = true}")
  end
  core.want_context() -- whose device it is compiled for
  local linked = conditional.linked(source, opts)
  if linked then
    return setmetatable({ module = linked.module, log = linked.log, _params = linked._params,
      _lowered = linked._lowered }, SourceModule)
  end
  local result = M.build(where, source, opts)
  local mod
  mod, result = load(result)
  if result.ptx then functions.remember_image(mod, result.ptx) end
  functions.remember_source(mod, source, opts)
  return setmetatable({
    module = mod,
    log = result.log,
    timing = result.timing,
    keep_dir = result.keep_dir,
    _params = result.params,
    _lowered = result.lowered,
  }, SourceModule)
end

---@param source string  the CUDA C source
---@param opts? cudalua.CompileOptions  the compiler's options
---@return cudalua.SourceModule
---@raise CompileError, and errors of module_from_buffer
function M.SourceModule(source, opts) return loaded("SourceModule", source, opts) end

local function check_self(self, method)
  if getmetatable(self) ~= SourceModule then
    errors.raise("LogicError", ("%s: call it as mod:%s(name)"):format(method, method))
  end
end

-- The symbol of a name expression, and the name as the compiler was given it.
local function symbol(self, method, name)
  check_self(self, method)
  if type(name) ~= "string" then return name, name end
  local normal = option.normal_name(name)
  local lowered = self._lowered[normal] or self._lowered["&" .. normal]
  if not lowered and normal:find "[<:]" then
    local known = {}
    for expression in pairs_of(self._lowered) do known[#known + 1] = "'" .. expression .. "'" end
    table.sort(known)
    errors.raise("LogicError", ("%s: '%s' is not one of name_expressions, which %s"):format(method, name,
      #known == 0 and "were not given" or "are " .. table.concat(known, ", ")), {
      hint = ("SourceModule(source, {no_extern_c = true, name_expressions = {\"%s\"}})"):format(normal),
    })
  end
  return lowered or name, normal
end

---@param name string  the kernel's name, or one of name_expressions
---@param opts? {args: any[]}  args: as for Module:get_function
---@return cudalua.Function  the same object each time
---@raise LogicError (500) that lists the module's kernels.
function SourceModule:get_function(name, opts)
  local lowered, normal = symbol(self, "get_function", name)
  local params = normal ~= nil and self._params[normal] or nil
  return functions.find(self.module, lowered, opts, params)
end

---@param name string  the name of a __device__ or __constant__ variable, or one of name_expressions
---@return cudalua.DevicePointer pointer  it keeps the module alive
---@return integer bytes
---@raise LogicError (500) if the module does not have this variable.
function SourceModule:get_global(name)
  local lowered = symbol(self, "get_global", name)
  return self.module:get_global(lowered)
end

---Returns a texture reference of the source, `texture<float, 2> t;`.
---@param name string  the name of the variable
---@return cudalua.TextureReference  the same object each time
---@raise LogicError (500) if the module does not have this texture
function SourceModule:get_texref(name)
  check_self(self, "get_texref")
  return self.module:get_texref(name)
end

---Returns a surface reference of the source, `surface<void, 2> s;`.
---@param name string  the name of the variable
---@return cudalua.SurfaceReference  the same object each time
---@raise LogicError (500) if the module does not have this surface
function SourceModule:get_surfref(name)
  check_self(self, "get_surfref")
  return self.module:get_surfref(name)
end

-- The name of the only kernel in a source that was compiled.
local function only_kernel(mod, source)
  local kernels = {}
  for name in pairs_of(mod._params) do kernels[#kernels + 1] = name end
  if #kernels == 1 then return kernels[1] end
  table.sort(kernels)
  if #kernels == 0 and not source:find("__global__", 1, true) then
    errors.raise("LogicError", "kernel: the source has no __global__ function", {
      hint = 'declare kernels with __global__: __global__ void fill(float *x)',
    })
  end
  errors.raise("LogicError", #kernels == 0 and "kernel: the source has no kernel that can be found without its name" or
    ("kernel: the source has %d kernels: %s"):format(#kernels, table.concat(kernels, ", ")), {
    hint = #kernels == 0 and 'cuda.kernel(source, "fill<float>") instantiates a template' or
      ('name the one you want: cuda.kernel(source, "%s")'):format(kernels[1]),
  })
end

---As cuda.kernel.
---@param source string  the CUDA C source
---@param name? string|cudalua.CompileOptions  as for cuda.kernel
---@param opts? cudalua.CompileOptions  as for cuda.kernel
---@return cudalua.Function
---@raise as cuda.kernel
function M.kernel(source, name, opts)
  if type(name) == "table" and opts == nil then name, opts = nil, name end
  if name == nil then name = nil end -- or a NULL pointer
  if name ~= nil and type(name) ~= "string" then
    errors.raise("LogicError", "kernel: the kernel's name must be a string, got " .. errors.text(name))
  end
  opts = option.read("kernel", opts)
  if name and name:find "<" and opts.name_expressions == nil then
    local own = { name_expressions = { name } }
    for key, value in pairs_of(opts) do own[key] = value end
    if own.no_extern_c == nil then own.no_extern_c = true end
    opts = own
  end
  local mod = loaded("kernel", source, opts)
  return mod:get_function(name or only_kernel(mod, source))
end

-- PyCUDA has these in the same module.
local later = { DynamicModule = true, DynamicSourceModule = true }
names.strict(M, {
  text = "compiler", kind = "module",
  find = function(_, name) return later[name] and require("cudalua.compiler.dynamic")[name] or nil end,
  more = function() return { "DynamicModule", "DynamicSourceModule" } end,
})

return M
