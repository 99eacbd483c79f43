-- Modules from images, and the driver's linker.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local constants = require "cudalua.base.constants"
local remember_image = require("cudalua.driver.function").remember_image
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua
local M = {}

-- What the driver writes to, or reads through a pointer, is this library's business.
local own = { info_log_buffer = true, info_log_buffer_size_bytes = true, error_log_buffer = true,
  error_log_buffer_size_bytes = true, global_symbol_names = true, global_symbol_addresses = true,
  global_symbol_count = true, referenced_kernel_names = true, referenced_kernel_count = true,
  referenced_variable_names = true, referenced_variable_count = true }

-- The argument of options that take the name of an enumerator.
local enumerations = { target = "jit_target", fallback_strategy = "jit_fallback" }

local function add(where, list, option, value)
  if type(option) ~= "number" and type(option) ~= "string" then
    errors.raise("LogicError", where .. ": an option must be a name or a number, got " .. type(option))
  end
  local id = constants.enum(where .. ": option", option, "jit_option")
  for name in pairs_of(own) do
    if constants.enum(where, name, "jit_option") == id then
      errors.raise("LogicError", where .. ": option " .. name .. " is reserved for the library; mod.jit has the logs")
    end
  end
  for name, group in pairs_of(enumerations) do
    if type(value) == "string" and constants.enum(where, name, "jit_option") == id then
      value = constants.enum(where .. ": " .. name, value, group)
    end
  end
  if type(value) == "boolean" then value = value and 1 or 0 end
  if type(value) ~= "number" then
    errors.raise("LogicError", ("%s: option %s: expected a number, got %s"):format(where, errors.text(option),
      errors.text(value)))
  end
  list[#list + 1], list[#list + 2] = id, value
end

-- {max_registers = 32, wall_time = true} or {{"max_registers", 32}, ...} as the flat list of numbers that C takes.
local function jit_options(where, options)
  if options == nil then return nil end
  if type(options) ~= "table" then
    errors.raise("LogicError", where .. ": options must be a table, got " .. type(options))
  end
  local list = {}
  for key, value in pairs_of(options) do
    if type(key) == "number" then
      if type(value) ~= "table" then
        errors.raise("LogicError", where .. ": an entry of the list of options must be {option, value}")
      end
      add(where, list, value[1], value[2])
    else
      add(where, list, key, value)
    end
  end
  return list
end

local function check_handler(where, handler)
  if handler ~= nil and type(handler) ~= "function" then
    errors.raise("LogicError", where .. ": message_handler must be a function, got " .. type(handler))
  end
end

-- Calls f(...); the handler hears of it in any case: handler(ok, info_log, error_log).
local function with_handler(handler, results_of, f, ...)
  if not handler then return f(...) end
  local ok, result, more = pcall(f, ...)
  if ok then
    local jit = results_of(result, more)
    handler(true, jit.info_log, jit.error_log)
    return result, more
  end
  handler(false, type(result) == "table" and result.info_log or "", type(result) == "table" and result.log or "")
  error(result, 0)
end

local load_options = { options = true, message_handler = true }

---@class cudalua.ModuleOptions
---@field options table?  options of the driver's JIT: {max_registers = 32, wall_time = true} or {{option, value}, ...};
---  names as in cuda.jit_option, in lower case; values are numbers, booleans, or names for target and fallback_strategy
---@field message_handler function?  called as f(ok, info_log, error_log) after loading, even if it failed

---Loads a module from an image: cubin, PTX or fatbin. With options, `mod.jit` holds the JIT's report: info_log,
---error_log, and wall_time (ms) or threads_per_block if requested. The driver caches compiled code, so an image that it
---has seen before takes no time and has an empty info_log.
---@param image string  the bytes of the image
---@param opts? cudalua.ModuleOptions  options of the JIT and a message handler
---@return cudalua.Module
---@raise CompileError (218, 222 ...; log, info_log) for invalid PTX, RuntimeError (209) for code of another
---  architecture, LogicError if it is not an image and for invalid options.
function M.module_from_buffer(image, opts)
  if opts == nil then return remember_image(core.module_load(image), image) end
  opts = errors.options("module_from_buffer", opts, load_options)
  check_handler("module_from_buffer", opts.message_handler)
  local list = jit_options("module_from_buffer", opts.options or {})
  local mod = with_handler(opts.message_handler, function(loaded) return loaded.jit end, core.module_load, image, list)
  return remember_image(mod, image)
end

-- The bytes of a file that the user named.
local function read_file(where, path)
  if type(path) ~= "string" then errors.raise("LogicError", where .. ": expected a path, got " .. type(path)) end
  local file, why = io.open(path, "rb")
  local data = file and file:read "*a"
  if file then file:close() end
  if data then return data end
  errors.raise("RuntimeError", where .. ": " .. (why or path .. " cannot be read"),
    { code = core.result.FILE_NOT_FOUND, name = "CUDA_ERROR_FILE_NOT_FOUND" })
end

---Loads a module from a file.
---@param path string  a file with a cubin, PTX or a fatbin
---@param opts? cudalua.ModuleOptions  as for module_from_buffer
---@return cudalua.Module
---@raise RuntimeError (301) if the file cannot be read, otherwise as module_from_buffer.
function M.module_from_file(path, opts)
  return M.module_from_buffer(read_file("module_from_file", path), opts)
end

---@class cudalua.Module
local Module = core.classes.Module

---Returns a texture that the module's kernels access by name: `texture<float, 2> t;` in the source, or a `__device__
---cudaTextureObject_t t`.
---@param name string  the name of the variable
---@return cudalua.TextureReference  the same object each time
---@raise LogicError (500) if the module does not have this texture
function Module:get_texref(name) return require("cudalua.driver.texref").texref_of("get_texref", self, name) end

---Returns a surface that the module's kernels access by name: `surface<void, 2> s;` in the source, or a `__device__
---cudaSurfaceObject_t s`.
---@param name string  the name of the variable
---@return cudalua.SurfaceReference  the same object each time
---@raise LogicError (500) if the module does not have this surface
function Module:get_surfref(name) return require("cudalua.driver.texref").surfref_of("get_surfref", self, name) end

---The driver's linker, which combines several images into one module: `cuda.Linker{message_handler =, options =,
---log_verbose =}`.
---@class cudalua.Linker
local Linker = core.classes.Linker
local add_input, complete = Linker.add, Linker.complete
Linker.add, Linker.complete = nil, nil

local handlers = setmetatable({}, { __mode = "k" })
local linker_options = { message_handler = true, options = true, log_verbose = true }

local function new_linker(opts)
  opts = errors.options("Linker", opts, linker_options)
  check_handler("Linker", opts.message_handler)
  local list = jit_options("Linker", opts.options or {})
  if opts.log_verbose then add("Linker", list, "log_verbose", 1) end
  local linker = core.linker(list)
  handlers[linker] = opts.message_handler
  return linker
end

-- A step of linking that fails ends it: the handler hears the logs.
local function step(linker, f, ...)
  local ok, err = pcall(f, linker, ...)
  if ok then return linker end
  local handler = handlers[linker]
  if handler and type(err) == "table" and err.code then handler(false, err.info_log or "", err.log or "") end
  error(err, 0)
end

---Adds an image.
---@param data string  the bytes of the image
---@param input_type integer|string  a value of cuda.jit_input_type: "cubin", "ptx", "fatbinary", "object", "library"
---@param name? string  its name in messages; default "unknown"
---@return cudalua.Linker self
---@raise CompileError (218, 300 ...; log) if the linker rejects it, LogicError for invalid arguments or after
---  link_module()
function Linker:add_data(data, input_type, name)
  return step(self, add_input, data, constants.enum("Linker:add_data: input_type", input_type, "jit_input_type"),
    name == nil and "unknown" or name)
end

---Adds an image from a file.
---@param path string  the file
---@param input_type integer|string  as for add_data
---@return cudalua.Linker self
---@raise RuntimeError (301) if the file cannot be read, otherwise as add_data
function Linker:add_file(path, input_type)
  return Linker.add_data(self, read_file("Linker:add_file", path), input_type, path)
end

---Links the added images, loads the module into the current context, and closes the linker.
---@return cudalua.Module  its `jit` holds the linker's report
---@raise CompileError (log) if symbols are missing or defined twice
function Linker:link_module()
  local image, jit = with_handler(handlers[self], function(_, results) return results end, complete, self)
  self:close()
  local mod = remember_image(core.module_load(image, {}), image)
  for key, value in pairs_of(jit) do mod.jit[key] = value end
  return mod
end

M.Linker = setmetatable({}, { __index = Linker, __call = function(_, opts) return new_linker(opts) end })

return M
