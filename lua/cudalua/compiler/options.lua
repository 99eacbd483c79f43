-- The options of cuda.SourceModule and cuda.compile: checked, and made into what NVRTC is given.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

---@class cudalua.CompileOptions
---@field options string[]?  further compiler options, one in each element; default compiler.DEFAULT_NVRTC_FLAGS
---@field arch string|integer[]?  "sm_90", "sm_90a", "compute_80" (PTX) or {9, 0}; default: that of the current device
---@field code string|integer[]?    as nvcc's -code: the real architecture, if `arch` is the virtual one
---@field no_extern_c boolean?  true: do not wrap the source in extern "C" (required for templates)
---@field include_dirs string[]?  folders that are searched for headers before CUDA's own
---@field headers table<string, string>?  headers by name that are not files; they take precedence over all others
---@field name string?  the source's file name in messages; default "kernel.cu". `#include "x.h"` searches its folder
---  first
---@field name_expressions string[]?  names that you can pass to get_function(expression): "tk<float, 3>"
---@field default_device boolean?  false: functions without __device__ are an error, as in NVRTC; default true
---@field std string?               "c++17" (default), "c++20" ...
---@field lineinfo boolean?  true: generate line numbers for profilers (-lineinfo)
---@field debug boolean?  true: generate code for cuda-gdb (-G -lineinfo); not cached
---@field minimal boolean?  true: omit vector, texture and surface types, which compiles faster
---@field pch boolean?  true: keep compiled headers for the rest of the process; not cached
---@field time boolean?  true: report the duration of the compiler's phases as `timing`; not cached
---@field keep boolean?  true: keep source, PTX, cubin, options and log in a folder, `keep_dir`; not cached
---@field cache_dir string|false?  the folder of the cache of compiled kernels; false: do not cache; default: the user's
---  cache
---@field target string?  "cubin", "ptx" or "ltoir"; default: the format that the device loads
---@field backend string?           "nvrtc" (default) or "nvcc"
---@field nvcc string?  the path of nvcc, if backend is "nvcc"

local kinds = {
  options = "list", arch = "arch", code = "arch", no_extern_c = "boolean", include_dirs = "list", headers = "headers",
  name = "string", name_expressions = "list", default_device = "boolean", std = "string", lineinfo = "boolean",
  debug = "boolean", minimal = "boolean", pch = "boolean", time = "boolean", keep = "boolean", cache_dir = "folder",
  target = "string", backend = "string", nvcc = "string",
}

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

local function check_string(where, what, value, shape)
  if type(value) ~= "string" then
    refuse(where, "%s must be %s, got %s", what, shape or "a string", errors.text(value))
  end
  if value:find("\0", 1, true) then refuse(where, "%s contains a zero byte", what) end
  return value
end

local checks = { string = check_string }

function checks.boolean(where, what, value)
  if type(value) ~= "boolean" then refuse(where, "%s must be true or false, got %s", what, errors.text(value)) end
end

function checks.folder(where, what, value)
  if value ~= false then check_string(where, what, value, "a folder's path or false") end
end

function checks.list(where, what, list)
  what = what:match "^option (.*)$"
  if type(list) ~= "table" then
    refuse(where, "%s must be a list of strings, got %s%s", what, errors.text(list),
      type(list) == "string" and ("; write %s = {...}"):format(what) or "")
  end
  for i, value in ipairs(list) do check_string(where, ("%s[%d]"):format(what, i), value) end
  for key in pairs_of(list) do
    if type(key) ~= "number" or key > #list or list[key - 1] == nil and key ~= 1 then
      refuse(where, "%s must be a list of strings without holes; it has the key %s", what, errors.text(key))
    end
  end
end

function checks.headers(where, _, headers)
  if type(headers) ~= "table" then
    refuse(where, "headers must be a table of sources by name, got %s", errors.text(headers))
  end
  for name, text in pairs_of(headers) do
    if type(name) ~= "string" or type(text) ~= "string" then
      refuse(where, "headers must be a table of sources by name: it has %s for %s", errors.text(text),
        errors.text(name))
    end
    check_string(where, "a header's name", name)
    check_string(where, "the header " .. errors.text(name), text)
    if name == "" then refuse(where, "a header has an empty name") end
  end
end

-- "sm_90a" or {9, 0} -> "sm_90a".
local function architecture(where, key, value)
  if type(value) == "table" then
    local major, minor = value[1], value[2]
    if #value ~= 2 or type(major) ~= "number" or type(minor) ~= "number" or major % 1 ~= 0 or minor % 1 ~= 0
      or major < 1 or major > 99 or minor < 0 or minor > 9 then
      refuse(where, "%s as a list must be {major, minor}, such as {9, 0}", key)
    end
    return ("sm_%d%d"):format(major, minor)
  end
  local text = check_string(where, "option " .. key, value, "a string such as 'sm_90', or {9, 0}")
  if not (text:find "^sm_%d+%l?$" or text:find "^compute_%d+%l?$") then
    refuse(where, "option %s must be 'sm_90' (machine code), 'compute_90' (PTX) or {9, 0}, got " ..
      "%s", key, errors.text(text))
  end
  return text
end

function checks.arch(where, what, value) architecture(where, what:match "^option (.*)$", value) end

local targets = { cubin = true, ptx = true, ltoir = true }

-- The architecture that is asked for: that of `code` where both are given, as nvcc has it.
local function asked_arch(where, opts)
  local arch = opts.arch and architecture(where, "arch", opts.arch)
  local code = opts.code and architecture(where, "code", opts.code)
  if arch and code and tonumber(code:match "%d+") < tonumber(arch:match "%d+") then
    refuse(where, "code %s is older than arch %s", code, arch)
  end
  return code or arch
end

---The name without the blanks that do not matter, so that "tk<float, 3>" is "tk<float,3>".
---@param name string
---@return string
function M.normal_name(name)
  return (name:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""):gsub(" ?([^%w_ ]) ?", "%1"))
end

---The options as a plain table, without unknown ones.
---@param where string
---@param opts any
---@return cudalua.CompileOptions
function M.read(where, opts) return errors.options(where, opts, kinds) end

---What is to be compiled, and how.
---@class cudalua.CompileJob
---@field where string              the function that was called, for messages
---@field source string             the user's text, without a byte order mark
---@field name string
---@field extern_c boolean          wrap it
---@field arch string?              nil: the current device's, or else NVRTC's default
---@field target string?            nil: the device's image
---@field options string[]          the user's own
---@field include_dirs string[]
---@field header_names string[]     sorted
---@field header_sources string[]
---@field expressions string[]      name expressions, each once
---@field debug boolean             -G, by the option or by cuda.set_debugging
---@field opts table                the options that have no field of their own here
---@field portable boolean?         for another device: nothing of this process's driver is asked
---@field refused boolean?          of a job that is remembered: the compiler refused it

-- Options whose value may be the option behind them: at the end of the user's own they would take one of ours.
local takes_value = {}
for name in ([[D U I define-macro undefine-macro include-path include pre-include arch gpu-architecture std
  maxrregcount Xptxas ptxas-options]]):gmatch "%S+" do
  takes_value[name] = true
end

-- A source of one line may be the name of a file, which source text never is.
local function check_no_path(where, source)
  if #source > 4096 or source:find "[\n;{}#]" or source:find "^%s*//" then return end
  local extension = source:match "%.(%w+)$"
  if not extension then return end
  local file = extension ~= "cu" and extension ~= "cuh" and io.open(source, "rb")
  if file then file:close() elseif file ~= false then return end
  refuse(where, "expected the text of a source, got %s, the name of a file; read it with io.open(%s):read \"*a\"",
    errors.text(source), errors.text(source))
end

---Checks the arguments.
---@param where string
---@param source any
---@param opts any
---@param default_options string[]
---@param debugging boolean         as if `debug` and `keep` were given
---@return cudalua.CompileJob
---@raise LogicError that names the option.
function M.job(where, source, opts, default_options, debugging)
  if type(source) ~= "string" then refuse(where, "the source must be a string, got %s", errors.text(source)) end
  if source:find("\0", 1, true) then refuse(where, "the source contains a zero byte") end
  check_no_path(where, source)
  opts = M.read(where, opts)
  for key, value in pairs_of(opts) do checks[kinds[key]](where, "option " .. key, value) end
  if opts.options == nil then checks.list(where, "option DEFAULT_NVRTC_FLAGS", default_options) end
  local list = opts.options or default_options
  local last = rawget(list, #list) or "" -- not what a metatable says of an empty list
  if takes_value[last:match "^%-%-?(.*)$"] then
    refuse(where, "options[%d], %s, has no value", #list, errors.text(last))
  end
  if opts.std and not opts.std:find "^c%+%+%d%d$" then
    refuse(where, "option std must be 'c++17', 'c++20' or similar, got %s", errors.text(opts.std))
  end
  if opts.name == "" then refuse(where, "option name is empty") end
  if opts.target and not targets[opts.target] then
    refuse(where, "option target must be 'cubin', 'ptx' or 'ltoir', got %s", errors.text(opts.target))
  end
  if opts.backend and opts.backend ~= "nvrtc" then
    refuse(where, "option backend must be 'nvrtc' or 'nvcc', got %s", errors.text(opts.backend))
  end
  local arch = asked_arch(where, opts)
  if opts.target == "cubin" and (arch or ""):find "^compute" then
    refuse(where, "target 'cubin' is machine code and needs a real architecture, such as arch = '%s'",
      (arch:gsub("^compute", "sm")))
  end
  local names, sources = {}, {}
  for name in pairs_of(opts.headers or {}) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do sources[i] = opts.headers[name] end
  local expressions, known = {}, {}
  for _, expression in ipairs(opts.name_expressions or {}) do
    local normal = M.normal_name(expression)
    if normal == "" then refuse(where, "a name expression is empty") end
    if not known[normal] then expressions[#expressions + 1] = normal end
    known[normal] = true
  end
  return {
    where = where, source = (source:gsub("^\239\187\191", "")), name = opts.name or "kernel.cu",
    extern_c = not opts.no_extern_c, arch = arch, target = opts.target, options = opts.options or default_options,
    include_dirs = opts.include_dirs or {}, header_names = names, header_sources = sources, expressions = expressions,
    debug = opts.debug or debugging, keep = opts.keep or debugging, opts = opts,
  }
end

local function given(options, ...)
  for _, option in ipairs(options) do
    local key = option:match "^%-%-?([^=]+)"
    for i = 1, select("#", ...) do
      if key == select(i, ...) then return true end
    end
  end
  return false
end

---Can the compiler report the types of kernels? Variable templates came with C++14.
---@param job cudalua.CompileJob
---@return boolean
function M.has_signatures(job)
  local std = job.opts.std or "c++17"
  for i, option in ipairs(job.options) do
    std = option:match "^%-%-?std=(.*)$" or option:find "^%-%-?std$" and job.options[i + 1] or std
  end
  return std ~= "c++11" and std ~= "c++03"
end

---The architecture for the current device: what is in the key of the cache, before NVRTC is asked what it can do.
---@param job cudalua.CompileJob
---@return string?  nil: NVRTC's default, or what the user's own options say
function M.wanted_arch(job)
  local driver = core.driver_info()
  local arch = job.arch
  if not arch then
    if given(job.options, "arch", "gpu-architecture") then return nil end
    if not (driver.open and core.classes.Context.get_current()) then return job.target == "cubin" and "sm_75" or nil end
    local major, minor = core.classes.Context.get_device():compute_capability()
    arch = ("%s_%d%d"):format(job.target == "ptx" and "compute" or "sm", major, minor)
  end
  -- The software device runs PTX.
  if driver.soft and job.target == nil and not job.portable then arch = arch:gsub("^sm_(%d+)%l?$", "compute_%1") end
  return arch
end

---The final list of options. What the user's own options decide is left out.
---@param job cudalua.CompileJob
---@param arch string?
---@param folders string[]  CUDA's headers
---@return string[]
function M.list(job, arch, folders)
  local opts, own = job.opts, job.options
  local list = {}
  local function add(option) list[#list + 1] = option end
  if arch then add("--gpu-architecture=" .. arch) end
  if opts.std or not given(own, "std") then add("--std=" .. (opts.std or "c++17")) end
  if opts.default_device ~= false then add "-default-device" end
  if job.debug then add "-G" end
  -- The software device's reports name source lines.
  if job.debug or opts.lineinfo or core.driver_info().soft and not job.portable then add "-lineinfo" end
  if opts.minimal then add "--minimal" end
  if opts.pch then add "--pch" end
  if opts.time then add "--time=-" end
  if job.target == "ltoir" and not given(own, "dlto", "dlink-time-opt") then add "-dlto" end
  if not given(own, "modify-stack-limit") then add "--modify-stack-limit=false" end -- it is the whole process's
  for _, option in ipairs(own) do add(option) end
  for _, dir in ipairs(job.include_dirs) do add("-I" .. dir) end
  for _, dir in ipairs(folders) do add("-I" .. dir) end
  return list
end

return M
