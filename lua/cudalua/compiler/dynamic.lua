-- Modules of several pieces: sources compiled each by itself, and images, linked into one. A __device__ function of one
-- is used in another; with CUDA's device runtime, kernels launch kernels.

local core = require "cudalua.core"
local compiler = require "cudalua.compiler"
local constants = require "cudalua.base.constants"
local errors = require "cudalua.base.errors"
local names = require "cudalua.base.names"
local option = require "cudalua.compiler.options"
local functions = require "cudalua.driver.function"
local nvjitlink = require "cudalua.compiler.nvjitlink"
local pairs_of = require "cudalua.base.pairs_of"
local toolchain = require "cudalua.compiler.toolchain"
local module = require "cudalua.driver.module"

---@class cudalua
local M = {}

---Options of cuda.DynamicModule. All others are those of cuda.SourceModule, for each source that you add.
---@class cudalua.DynamicOptions : cudalua.CompileOptions
---@field lto boolean?  true: optimise across the pieces with nvJitLink; default: the driver's linker
---@field link_options table?  options of the linker: as `options` of cuda.Linker, or of cuda.link with `lto`
---@field message_handler function?  called as f(ok, info_log, error_log) after linking, even if it failed
---@field log_verbose boolean?  true: the linker reports more details
---@field library_dirs string[]?  folders that add_stdlib searches first

---A module of several pieces, which you add one after another and then link.
---@class cudalua.DynamicModule
---@field module cudalua.Module?  the module after linking
---@field log string?             the compiler's warnings
---@field link_log string?  the linker's report
local DynamicModule = names.class({}, "DynamicModule", { module = true, log = true, link_log = true })
DynamicModule.__index = DynamicModule
DynamicModule.__name = "cudalua.DynamicModule"

function DynamicModule:__tostring()
  return "cudalua.DynamicModule: " .. (self.module and tostring(self.module) or "not linked yet")
end

local own_options = { lto = "boolean", link_options = "table", message_handler = "function", log_verbose = "boolean",
  library_dirs = "table" }

-- Splits what the constructor was given: its own options, and those of the compiler, who checks them.
local function split(where, opts)
  local mine, others = {}, {}
  if opts == nil then opts = {} end -- or a NULL pointer
  if type(opts) ~= "table" then
    errors.raise("LogicError", ("%s: expected a table of options, got %s"):format(where, errors.text(opts)))
  end
  for key, value in pairs_of(opts) do
    local wanted = own_options[key]
    if wanted and type(value) ~= wanted then
      errors.raise("LogicError", ("%s: option %s must be a %s, got %s"):format(where, key, wanted, errors.text(value)))
    end
    if wanted then mine[key] = value else others[key] = value end
  end
  for i, dir in ipairs(mine.library_dirs or {}) do
    if type(dir) ~= "string" then
      errors.raise("LogicError", ("%s: library_dirs[%d] must be a string, got %s"):format(where, i, errors.text(dir)))
    end
  end
  return mine, others
end

local function new(where, opts)
  local mine, others = split(where, opts)
  local self = { _own = mine, _compile = others, _params = {}, _lowered = {}, _sources = {} }
  if mine.lto then
    self._inputs = {}
    if mine.link_options then nvjitlink.check_options{ options = mine.link_options } end
  else
    self._linker = module.Linker{ options = mine.link_options, log_verbose = mine.log_verbose,
      message_handler = mine.message_handler }
  end
  return setmetatable(self, DynamicModule)
end

local function check_self(self, method)
  if getmetatable(self) ~= DynamicModule then
    errors.raise("LogicError", ("%s: call it as mod:%s(...)"):format(method, method))
  end
end

local function check_open(self, method)
  check_self(self, method)
  if self.module then
    errors.raise("LogicError", ("DynamicModule:%s: the module is already linked"):format(method))
  end
end

local function check_linked(self, method)
  check_self(self, method)
  if not self.module then
    errors.raise("LogicError", ("DynamicModule:%s: the module is not linked yet: call link()"):format(method))
  end
end

local function default_options(opts)
  local nvcc = opts.backend == "nvcc" or opts.backend == nil and opts.nvcc ~= nil
  return nvcc and require("cudalua.compiler.nvcc").DEFAULT_NVCC_FLAGS or compiler.DEFAULT_NVRTC_FLAGS
end

-- What one source is compiled with: the module's options, its own in their place, and relocatable code.
local function compile_options(self, opts)
  if opts == nil then opts = {} end -- or a NULL pointer
  if type(opts) ~= "table" then
    errors.raise("LogicError", "DynamicModule:add_source: expected a table of options, got " .. errors.text(opts))
  end
  local all = {}
  for key, value in pairs_of(self._compile) do all[key] = value end
  for key, value in pairs_of(opts) do all[key] = value end
  if all.target ~= nil then
    errors.raise("LogicError", "DynamicModule:add_source: option target is not supported; the linker chooses it")
  end
  if all.options == nil then all.options = default_options(all) end
  if type(all.options) == "table" then -- of another type: the compiler refuses it
    local list = {}
    for i, option_text in ipairs(all.options) do list[i] = option_text end
    list[#list + 1] = "-rdc=true"
    all.options = list
  end
  if self._inputs then all.target = "ltoir" end
  local n = #self._sources + 1
  if all.name == nil then all.name = n == 1 and "kernel.cu" or ("kernel%d.cu"):format(n) end
  return all
end

---Compiles a source and adds it.
---@param source string  the CUDA C source
---@param opts? cudalua.CompileOptions  instead of the module's own options
---@return cudalua.DynamicModule self
---@raise errors of cuda.compile, CompileError (218, 300 ...; log) if the linker rejects it, LogicError after link()
function DynamicModule:add_source(source, opts)
  check_open(self, "add_source")
  opts = compile_options(self, opts)
  core.want_context() -- whose device it is compiled for
  local result = compiler.build("DynamicModule:add_source", source, opts)
  if self._inputs then
    table.insert(self._inputs, { data = result.ltoir, type = "ltoir", name = opts.name })
  else
    self._linker:add_data(result.cubin or result.ptx, result.cubin and "cubin" or "ptx", opts.name)
  end
  self._sources[#self._sources + 1] = source
  if result.log then self.log = (self.log or "") .. result.log end
  for kernel, params in pairs_of(result.params) do self._params[kernel] = params end
  for expression, symbol in pairs_of(result.lowered) do self._lowered[expression] = symbol end
  return self
end

-- The driver's kinds of images as nvJitLink calls them; NVVM is what LTO-IR was called.
local kinds = { [0] = "cubin", "ptx", "fatbinary", "object", "library", "ltoir" }

-- Adds an image to what nvJitLink will link: data or file, name.
local function add_input(self, method, input_type, input)
  local where = "DynamicModule:" .. method
  if type(input_type) == "string" and input_type:lower() == "ltoir" then
    input.type = "ltoir"
  else
    input.type = kinds[constants.enum(where .. ": input_type", input_type, "jit_input_type")]
  end
  table.insert(self._inputs, nvjitlink.check_input(where, "the image", input))
  return self
end

---Adds an image.
---@param data string  the bytes of the image
---@param input_type integer|string  a value of cuda.jit_input_type: "cubin", "ptx", "fatbinary", "object", "library";
---  with `lto` also "ltoir"
---@param name? string  its name in messages; default "unknown"
---@return cudalua.DynamicModule self
---@raise CompileError (218, 300 ...; log) if the linker rejects it, LogicError for invalid arguments or after link()
function DynamicModule:add_data(data, input_type, name)
  check_open(self, "add_data")
  if self._linker then
    self._linker:add_data(data, input_type, name)
    return self
  end
  if type(data) ~= "string" then
    errors.raise("LogicError", "DynamicModule:add_data: expected an image, a string, got " .. errors.text(data))
  end
  return add_input(self, "add_data", input_type, { data = data, name = name == nil and "unknown" or name })
end

---Adds an image from a file.
---@param path string  the file
---@param input_type integer|string  as for add_data
---@return cudalua.DynamicModule self
---@raise RuntimeError (301) if the file cannot be read, otherwise as add_data
function DynamicModule:add_file(path, input_type)
  check_open(self, "add_file")
  if self._linker then
    self._linker:add_file(path, input_type)
    return self
  end
  if type(path) ~= "string" then
    errors.raise("LogicError", "DynamicModule:add_file: expected a path, got " .. errors.text(path))
  end
  return add_input(self, "add_file", input_type, { file = path })
end

-- The toolkit's library of device code, or nil and where it was looked for.
function M.find_stdlib(name, more)
  local found = toolchain.find()
  local folder = found.nvrtc and found.nvrtc:match "^(.*)/[^/]*$"
  local dirs, tried = { unpack(more or {}) }, {}
  if folder then
    dirs[#dirs + 1] = folder
    dirs[#dirs + 1] = folder .. "/../../cuda_runtime/lib"
  end
  for _, lib in ipairs(found.include and { "lib64", "lib" } or {}) do
    dirs[#dirs + 1] = found.include .. "/../" .. lib
  end
  for _, dir in ipairs(dirs) do
    local path = ("%s/lib%s.a"):format(dir, name)
    if core.stat(path) == "file" then return path end
    tried[#tried + 1] = path
  end
  return nil, table.concat(tried, "\n")
end

---Adds a library of the CUDA toolkit: "cudadevrt", which lets kernels launch kernels. The software device does not
---support this, and "cudadevrt" adds nothing there.
---@param name string  finds lib<name>.a in library_dirs, or next to the toolkit's other libraries
---@return cudalua.DynamicModule self
---@raise RuntimeError if the library is not found, otherwise as add_file
function DynamicModule:add_stdlib(name)
  check_open(self, "add_stdlib")
  if type(name) ~= "string" or not name:find "^[%w_%-%.]+$" then
    errors.raise("LogicError", "DynamicModule:add_stdlib: expected the name of a library, got " .. errors.text(name))
  end
  if name == "cudadevrt" and core.driver_info().soft then return self end
  local path, tried = M.find_stdlib(name, self._own.library_dirs)
  if not path then
    errors.raise("RuntimeError", ("DynamicModule:add_stdlib: lib%s.a was not found"):format(name), {
      detail = tried, hint = "it is part of the CUDA toolkit: set CUDA_HOME, or pass option library_dirs",
    })
  end
  return self:add_file(path, "library")
end

-- As PTX, which is for the software device, an image may still miss what its loading then asks for.
local function link_and_load(self, options)
  core.want_context()
  local arch = self._compile.code or self._compile.arch
  if type(arch) == "table" then arch = ("sm_%s%s"):format(tostring(arch[1]), tostring(arch[2])) end
  local image, log = nvjitlink.link(self._inputs, {
    arch = arch, lto = true, options = options,
    target = core.driver_info().soft and "ptx" or nil,
  })
  return module.module_from_buffer(image), log
end

local function link_lto(self)
  local own = self._own
  local options = { unpack(own.link_options or {}) }
  if own.log_verbose then options[#options + 1] = "-verbose" end
  local ok, mod, log = pcall(link_and_load, self, options)
  if own.message_handler and (ok or errors.is_error(mod, "CompileError")) then
    local err = not ok and mod or {}
    own.message_handler(ok, ok and log or err.info_log or "", err.log or "")
  end
  if not ok then error(mod, 0) end
  return mod, log
end

local function link_by_driver(self)
  local mod = self._linker:link_module()
  local log = mod.jit.info_log
  return mod, log ~= "" and log or nil
end

---Links the added pieces and loads the module into the current context.
---@return cudalua.DynamicModule self
---@raise CompileError (log) if symbols are missing or defined twice, LogicError if it is already linked
function DynamicModule:link()
  check_open(self, "link")
  local ok, mod, log = pcall(self._inputs and link_lto or link_by_driver, self)
  if not ok then
    if errors.is_error(mod, "CompileError") and (mod.log or ""):find "__cudaCDP2" then
      mod.hint = core.driver_info().soft and "the software device does not support kernels that launch kernels"
        or "kernels that launch kernels need add_stdlib \"cudadevrt\""
    end
    error(mod, 0)
  end
  if #self._sources > 0 then functions.remember_source(mod, self._sources) end
  self.module, self.link_log, self._linker, self._inputs = mod, log, nil, nil
  return self
end

-- The symbol of a name expression, and the name as the compiler was given it.
local function symbol_of(self, name)
  if type(name) ~= "string" then return name, false end
  local normal = option.normal_name(name)
  return self._lowered[normal] or self._lowered["&" .. normal] or name, normal
end

---@param name string  the kernel's name, or one of name_expressions
---@param opts? {args: any[]}  args: as for Module:get_function
---@return cudalua.Function  the same object each time
---@raise LogicError (500) that lists the module's kernels, and before link().
function DynamicModule:get_function(name, opts)
  check_linked(self, "get_function")
  local symbol, normal = symbol_of(self, name)
  return functions.find(self.module, symbol, opts, self._params[normal])
end

---@param name string  the name of a __device__ or __constant__ variable
---@return cudalua.DevicePointer pointer  it keeps the module alive
---@return integer bytes
---@raise LogicError (500) if the module does not have this variable, and before link().
function DynamicModule:get_global(name)
  check_linked(self, "get_global")
  return self.module:get_global((symbol_of(self, name)))
end

---Returns a texture reference of one of the sources.
---@param name string  the name of the variable
---@return cudalua.TextureReference  the same object each time
---@raise LogicError (500) if the module does not have this texture, and before link().
function DynamicModule:get_texref(name)
  check_linked(self, "get_texref")
  return self.module:get_texref(name)
end

---Returns a surface reference of one of the sources.
---@param name string  the name of the variable
---@return cudalua.SurfaceReference  the same object each time
---@raise LogicError (500) if the module does not have this surface, and before link().
function DynamicModule:get_surfref(name)
  check_linked(self, "get_surfref")
  return self.module:get_surfref(name)
end

---Creates a module of several pieces: `cuda.DynamicModule{...}:add_source(a):add_source(b):link()`.
---@class cudalua.DynamicModuleClass
---@overload fun(opts?: cudalua.DynamicOptions): cudalua.DynamicModule
M.DynamicModule = setmetatable({}, {
  __index = DynamicModule,
  __call = function(_, opts) return new("DynamicModule", opts) end,
})

---Compiles a source as relocatable code, links it with CUDA's device runtime if that is installed, and loads it:
---`cuda.DynamicSourceModule(source, opts)`, for kernels that launch kernels.
---@class cudalua.DynamicSourceModuleClass
---@overload fun(source: string, opts?: cudalua.DynamicOptions): cudalua.DynamicModule
M.DynamicSourceModule = setmetatable({}, {
  __index = DynamicModule,
  __call = function(_, source, opts)
    local self = new("DynamicSourceModule", opts):add_source(source)
    if M.find_stdlib("cudadevrt", self._own.library_dirs) then self:add_stdlib "cudadevrt" end
    return self:link()
  end,
})

return M
