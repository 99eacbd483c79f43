-- CUDA C -> image, by NVRTC, at run time. A cubin for the current device; PTX where the device is the
-- software one, or is newer than NVRTC.

local core = require "cudalua.core"
local errors = require "cudalua.errors"
local signature = require "cudalua.signature"
local source_text = require "cudalua.source"

local M = {}

---@class cudalua.CompileOptions
---@field arch string?              "sm_90", "compute_80"; default: the current device's
---@field options string[]?         further NVRTC options; default M.DEFAULT_NVRTC_FLAGS
---@field no_extern_c boolean?      true: the source is not wrapped in extern "C" (templates need that)
---@field include_dirs string[]?    searched before CUDA's own headers
---@field headers table<string, string>?  in-memory headers by name
---@field name string?              file name in messages; default "kernel.cu"
---@field name_expressions string[]?  names to be found as get_function(expression): "tk<float, 3>"

---Options used when `options` is not given; CUDALUA_DEFAULT_FLAGS (blank separated) sets them.
M.DEFAULT_NVRTC_FLAGS = {}
for flag in (os.getenv "CUDALUA_DEFAULT_FLAGS" or ""):gmatch "%S+" do
  M.DEFAULT_NVRTC_FLAGS[#M.DEFAULT_NVRTC_FLAGS + 1] = flag
end

local known_options = {
  arch = true, options = true, no_extern_c = true, include_dirs = true, headers = true, name = true,
  name_expressions = true,
}

local function exists(path)
  local f = io.open(path, "rb")
  if f then f:close() end
  return f ~= nil
end

-- Where libnvrtc may be, best first. Bare names go through the dynamic linker's own search.
local function candidates()
  local paths, names = {}, { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so" }
  local function add_root(root)
    if not root or root == "" then return end
    for _, lib in ipairs { "lib64", "lib", "targets/x86_64-linux/lib" } do
      for _, name in ipairs(names) do
        local path = root .. "/" .. lib .. "/" .. name
        if exists(path) then paths[#paths + 1] = path end
      end
    end
  end
  local given = os.getenv "CUDALUA_NVRTC"
  if given and given ~= "" then return { given } end
  add_root(os.getenv "CUDA_HOME")
  add_root(os.getenv "CUDA_PATH")
  for _, name in ipairs(names) do paths[#paths + 1] = name end
  add_root "/usr/local/cuda"
  return paths
end

local nvrtc

---NVRTC's library, opened at the first call.
---@return {path: string, major: integer, minor: integer, archs: integer[]}? info  nil: not found
---@return string? why  what was tried, one line each
function M.nvrtc()
  if nvrtc then return nvrtc end
  local why
  nvrtc, why = core.nvrtc_open(candidates())
  return nvrtc, why
end

local function need_nvrtc()
  local info, why = M.nvrtc()
  if not info then
    errors.raise("RuntimeError", "NVRTC, CUDA's run-time compiler, was not found", {
      detail = why,
      hint = "install the CUDA toolkit (or the wheel nvidia-cuda-nvrtc) and set CUDA_HOME, " ..
        "or CUDALUA_NVRTC to the library itself",
    })
  end
  return info
end

-- CUDA's own headers, looked for beside the library that was opened.
local function toolkit_include(info)
  local dir = info.path:match "^(.*)/[^/]*$" or "."
  for _, up in ipairs { "/../include", "/../../include", "/../../../include" } do
    if exists(dir .. up .. "/cuda_runtime.h") then return dir .. up end
  end
  local home = os.getenv "CUDA_HOME" or os.getenv "CUDA_PATH"
  if home and exists(home .. "/include/cuda_runtime.h") then return home .. "/include" end
end

-- The current device decides: its own machine code where NVRTC can make it, else the newest PTX.
local function default_arch(info)
  local driver = core.driver_info()
  local device = driver.open and core.classes.Context.get_current()
  if not device then return nil end
  local major, minor = core.classes.Context.get_device():compute_capability()
  local cc, best = major * 10 + minor, nil
  for _, arch in ipairs(info.archs) do
    if arch == cc then return (driver.soft and "compute_" or "sm_") .. cc end
    if not best or arch > best then best = arch end
  end
  if best and cc > best then return "compute_" .. best end
  errors.raise("CompileError", ("this device has compute capability %d.%d; NVRTC %d.%d compiles for %s"):format(
    major, minor, info.major, info.minor, table.concat(info.archs, ", ")))
end

local function check_list(what, list)
  if type(list) ~= "table" then
    errors.raise("LogicError", ("%s must be a list of strings, got %s"):format(what, type(list)))
  end
  for i, v in ipairs(list) do
    if type(v) ~= "string" then
      errors.raise("LogicError", ("%s[%d] must be a string, got %s"):format(what, i, type(v)))
    end
    if v:find("\0", 1, true) then errors.raise("LogicError", ("%s[%d] has a zero byte in it"):format(what, i)) end
  end
  return list
end

local function check(where, source, opts)
  if type(source) ~= "string" then
    errors.raise("LogicError", ("%s: the source must be a string, got %s"):format(where, type(source)))
  end
  if source:find("\0", 1, true) then errors.raise("LogicError", where .. ": the source has a zero byte in it") end
  opts = errors.options(where, opts, known_options)
  for _, key in ipairs { "arch", "name" } do
    if opts[key] ~= nil and type(opts[key]) ~= "string" then
      errors.raise("LogicError", ("%s: option %s must be a string, got %s"):format(where, key, type(opts[key])))
    end
    if (opts[key] or ""):find("\0", 1, true) then
      errors.raise("LogicError", ("%s: option %s has a zero byte in it"):format(where, key))
    end
  end
  return opts
end

local function option_list(info, opts)
  local list = {}
  local arch = opts.arch or default_arch(info)
  if arch then
    if core.driver_info().soft then arch = arch:gsub("^sm_(%d+)%a?$", "compute_%1") end
    list[#list + 1] = "--gpu-architecture=" .. arch
  end
  list[#list + 1] = "--std=c++17"
  list[#list + 1] = "-default-device"
  if core.driver_info().soft then list[#list + 1] = "-lineinfo" end -- its reports name source lines
  for _, option in ipairs(check_list("options", opts.options or M.DEFAULT_NVRTC_FLAGS)) do
    list[#list + 1] = option
  end
  for _, dir in ipairs(check_list("include_dirs", opts.include_dirs or {})) do list[#list + 1] = "-I" .. dir end
  local include = toolkit_include(info)
  if include then
    list[#list + 1] = "-I" .. include
    if exists(include .. "/cccl/cuda/std/version") then list[#list + 1] = "-I" .. include .. "/cccl" end
  end
  return list
end

local function check_headers(opts)
  if opts.headers ~= nil and type(opts.headers) ~= "table" then
    errors.raise("LogicError", "headers must be a table of sources by name")
  end
  for name, text in pairs(opts.headers or {}) do
    if type(name) ~= "string" or type(text) ~= "string" then
      errors.raise("LogicError", "headers must be a table of sources by name")
    end
  end
end

-- One NVRTC run; also asks for the kernels' types. Returns NVRTC's result with `params` added.
local function run(where, source, opts)
  opts = check(where, source, opts)
  local info = need_nvrtc()
  local name = opts.name or "kernel.cu"
  local options = option_list(info, opts)
  local wanted = check_list("name_expressions", opts.name_expressions or {})
  check_headers(opts)
  source = source:gsub("^\239\187\191", "") -- an editor's byte order mark
  local text = opts.no_extern_c and source or source_text.wrap(source)
  local header_names, header_sources = {}, {}
  for header, body in pairs(opts.headers or {}) do
    header_names[#header_names + 1], header_sources[#header_sources + 1] = header, body
  end

  local kernels = signature.kernels(source)
  local result
  local dropped
  repeat
    dropped = false
    local expressions = { unpack(wanted) }
    for kernel in pairs(kernels) do expressions[#expressions + 1] = signature.expression(kernel) end
    if #expressions == #wanted then break end
    result = core.nvrtc_compile(text .. "\n" .. signature.variable .. "\n", name, options, header_names, header_sources,
      expressions)
    if result.ok then break end
    -- A kernel that is overloaded, in a namespace or not compiled at all has no such type: without it, then.
    for kernel in (result.log or ""):gmatch "decltype%(&([%w_]+)%)" do
      dropped = dropped or kernels[kernel] ~= nil
      kernels[kernel] = nil
    end
  until not dropped
  if not (result and result.ok) then
    kernels = {}
    result = core.nvrtc_compile(text, name, options, header_names, header_sources, wanted)
  end
  if not result.ok then
    local memory = result.result == 1
    errors.raise(memory and "MemoryError" or "CompileError", ("%s does not compile: %s"):format(name, result.status), {
      log = result.log, source = source, options = options, stdout = "", stderr = result.log or "",
      msg = result.status, command_line = { "nvrtc", unpack(options) },
      hint = (result.log or ""):find("linkage", 1, true) and not opts.no_extern_c
        and "templates cannot be in extern \"C\": give no_extern_c = true" or nil,
    })
  end
  result.params = {}
  for kernel, names in pairs(kernels) do
    local lowered = result.lowered[signature.expression(kernel)]
    local params = lowered and signature.of_expression(lowered)
    if params and #names == #params then
      for i, p in ipairs(params) do -- a copy: parameters of the same type may share one table
        params[i] = { type = p.type, text = p.text .. (p.text:find "[%*&]$" and "" or " ") .. names[i] }
      end
    end
    result.params[kernel] = params
  end
  return result
end

---Compiles CUDA C without loading it. Needs no device if `arch` is given.
---@param source string
---@param opts? cudalua.CompileOptions
---@return string image  a cubin, or PTX for "compute_NN" and the software device
---@return string? log   warnings
---@raise CompileError (log, source, options), LogicError, RuntimeError where NVRTC is not found.
function M.compile(source, opts)
  local result = run("compile", source, opts)
  return result.cubin or result.ptx, result.log
end

---Sets a function's signature once, from whatever is known.
---@param fn cudalua.Function
---@param params cudalua.Param[]?
---@return cudalua.Function
function M.apply_signature(fn, params)
  if not params then return fn end
  local types, texts = {}, {}
  for i, p in ipairs(params) do types[i], texts[i] = p.type, p.text end
  core.function_set_signature(fn, types, texts) -- false where the driver contradicts: sizes only, then
  return fn
end

---A compiled and loaded source.
---@class cudalua.SourceModule
---@field module cudalua.Module
---@field log string?  the compiler's warnings
local SourceModule = {}
SourceModule.__index = SourceModule
SourceModule.__name = "cudalua.SourceModule"
M.SourceModuleClass = SourceModule

function SourceModule:__tostring() return "cudalua.SourceModule: " .. tostring(self.module) end

---@param source string  CUDA C
---@param opts? cudalua.CompileOptions
---@return cudalua.SourceModule
---@raise CompileError, and what module_from_buffer raises. Needs a current context.
function M.SourceModule(source, opts)
  local result = run("SourceModule", source, opts)
  return setmetatable({
    module = core.module_load(result.cubin or result.ptx),
    log = result.log,
    _params = result.params,
    _lowered = result.lowered,
  }, SourceModule)
end

local function check_self(self, method)
  if getmetatable(self) ~= SourceModule then
    errors.raise("LogicError", ("%s: call it as mod:%s(name)"):format(method, method))
  end
end

---@param name string  kernel's name, or one of name_expressions
---@return cudalua.Function  the same one each time
---@raise LogicError (500) that lists the kernels there are.
function SourceModule:get_function(name)
  check_self(self, "get_function")
  local fn = self.module:get_function(self._lowered[name] or name)
  return M.apply_signature(fn, self._params[name])
end

---@param name string  a __device__ or __constant__ variable
---@return cudalua.DevicePointer pointer  holds the module
---@return integer bytes
---@raise LogicError (500).
function SourceModule:get_global(name)
  check_self(self, "get_global")
  return self.module:get_global(self._lowered[name] or name)
end

return M
