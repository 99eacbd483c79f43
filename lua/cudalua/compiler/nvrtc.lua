-- One compilation by NVRTC: from the arguments to an image with what is known of its kernels. What the disk cache has
-- comes from there, and NVRTC is not even opened.

local cache = require "cudalua.compiler.cache"
local conditional = require "cudalua.compiler.conditional"
local core = require "cudalua.core"
local debugging = require "cudalua.driver.debugging"
local devicecode = require "cudalua.base.devicecode"
local diagnostic = require "cudalua.compiler.diagnostic"
local errors = require "cudalua.base.errors"
local exported = require "cudalua.compiler.exported"
local includes = require "cudalua.compiler.includes"
local kernels = require "cudalua.compiler.kernels"
local keep = require "cudalua.compiler.keep"
local names = require "cudalua.compiler.names"
local notice = require "cudalua.base.notice"
local nvcc_options = require "cudalua.compiler.nvcc_options"
local option = require "cudalua.compiler.options"
local pairs_of = require "cudalua.base.pairs_of"
local references = require "cudalua.compiler.references"
local requests = require "cudalua.compiler.requests"
local signature = require "cudalua.types.signature"
local source_text = require "cudalua.types.source"
local toolchain = require "cudalua.compiler.toolchain"

local M = {}

-- `job`, `missed`: what was looked for in exported folders, and why it is not there.
local function open(job, missed)
  local info, why = toolchain.open()
  if not info then
    if job then exported.missing(job, missed, why) end
    errors.raise("RuntimeError", "NVRTC, CUDA's run-time compiler, was not found", {
      detail = why,
      hint = "run `cudalua setup`, which brings it without root; or install the CUDA toolkit, or set CUDA_HOME to a " ..
        "toolkit's root, or CUDALUA_NVRTC to the library itself",
    })
  end
  return info
end

-- Headers of C that NVRTC does not have and old sources include, beside this file's tree or in the source's.
local stubs

local function stub_folder()
  if stubs == nil then stubs = devicecode.folder "libc" or false end
  return stubs
end

-- Where headers are looked for after the user's own folders. The real ones come before ours.
local function header_folders()
  local found, list = toolchain.find(), {}
  if found.include then list[#list + 1] = found.include end
  if found.cccl then list[#list + 1] = found.cccl end
  if stub_folder() then list[#list + 1] = stub_folder() end
  return list
end

local function unsupported(info, arch)
  errors.raise("CompileError", ("NVRTC %d.%d does not compile for %s"):format(info.major, info.minor, arch), {
    hint = "it compiles for " .. table.concat(info.archs, ", "), log = "", options = { "--gpu-architecture=" .. arch },
    msg = "unsupported architecture", stdout = "", stderr = "", command_line = { "nvrtc" },
  })
end

-- The architecture to compile for, now that NVRTC can be asked. A device that is newer than NVRTC gets the newest PTX.
local function final_arch(info, job, arch)
  local cc = arch and tonumber(arch:match "%d+")
  if not cc or #info.archs == 0 then return arch end
  local best = 0
  for _, known in ipairs(info.archs) do
    if known == cc then return arch end
    best = math.max(best, known)
  end
  if not job.arch and cc > best and job.target ~= "cubin" then return "compute_" .. best end
  unsupported(info, job.arch or arch)
end

-- ---- kernels' types -----------------------------------------------------------------------------------------

-- Kernels that the compiler cannot be asked about, as its log says: overloaded ones, or what only looks like one.
-- Nil if the errors are (also) others'.
local function refused(log, asked)
  local kernel_names, found = {}, false
  local list = diagnostic.errors(log)
  for _, one in ipairs(list) do
    if one.file ~= "__nv_name_map" then return nil end
  end
  for name in log:gmatch "pragma nv_mangled_name [^\n]-&::([%a_][%w_]*)" do
    if asked[name] then kernel_names[name], found = true, true end
  end
  return found and kernel_names or nil
end

local function sorted(set)
  local list = {}
  for name in pairs_of(set) do list[#list + 1] = name end
  table.sort(list)
  return list
end

local function nvrtc(job, text, options, expressions)
  if cache.debug_sources then notice(("compiler: %s:\n%s"):format(job.name, text)) end
  local result = core.nvrtc_compile(text, job.name, options, job.header_names, job.header_sources, expressions)
  if cache.debug then
    local how = result.ok and "compiled" or "failed"
    notice(("compiler: %s: %s after %.0f ms"):format(job.name, how, result.time_ms or 0))
  end
  return result
end

-- Compiles, and asks for the kernels' types on the way. Where that is what fails, it is asked less, and in the end
-- nothing: the log is to be about the user's text.
local function compile(job, text, options)
  local found = option.has_signatures(job) and kernels.find(job.source) or {}
  local types = {} -- what was asked for
  for name, parameters in pairs_of(found) do types[name] = parameters end
  for _ = 1, 2 do
    if core.next(types) == nil then break end
    local kernel_names, expressions = sorted(types), { unpack(job.expressions) }
    for _, name in ipairs(kernel_names) do expressions[#expressions + 1] = kernels.type_expression(name) end
    local declarations = kernels.declarations(kernel_names, job.expressions, job.opts.pch)
    local result = nvrtc(job, text .. declarations, options, expressions)
    if result.ok then return result, types end
    local log = result.log or ""
    if not (log:find("__nv_name_map", 1, true) or log:find("cudalua", 1, true)) then return result, {} end
    local without = refused(log, types)
    if not without then break end
    for name in pairs_of(without) do types[name] = nil end
  end
  return nvrtc(job, text, options, job.expressions), {}
end

---@class cudalua.Compilation
---@field result table
---@field types table<string, string[]>  kernels whose types were requested
---@field job cudalua.CompileJob         with the supplied names
---@field options string[]

-- Compiles with these names, and with those that turn out to be undefined. `referring`: with texture references.
local function compile_with(supplied, job, text, options, referring)
  local c = {}
  repeat
    c.job, c.options = names.supply(job, options, supplied)
    if referring then c.job, c.options = references.supply(c.job, c.options) end
    c.result, c.types = compile(c.job, text, c.options)
  until c.result.ok or not names.add_undefined(supplied, c.result.log or "")
  return c
end

-- Compiles with the names that nvcc's users include nothing for. If a program has things of its own by such a name, it
-- gets those alone that it lacks.
local function compile_with_names(job, text, options, referring)
  local supplied = names.mentioned(job.source)
  local c = compile_with(supplied, job, text, options, referring)
  if c.result.ok or core.next(supplied.headers) == nil then return c end
  return compile_with(names.none(), job, text, options, referring)
end

-- Compiles with texture and surface references if the source has any, or an included header does.
local function compile_with_references(job, text, options)
  local which = references.used(job.source)
  if which then references.check(job.where, which, job.opts, "nvrtc") end
  local c = compile_with_names(job, text, options, which)
  if c.result.ok then return c end
  if which then -- it may have a template of its own by that name
    local without = compile_with_names(job, text, options)
    return without.result.ok and without or c
  end
  local missing = references.missing(c.result.log)
  if not missing then return c end
  references.check(job.where, missing, job.opts, "nvrtc")
  return compile_with_names(job, text, options, missing)
end

-- What the lowered names and the PTX tell: symbols of the user's expressions and of kernels that are not extern "C",
-- types of the kernels' parameters.
local function learn(job, result, types)
  local lowered, params = {}, {}
  local symbols = not job.extern_c and result.ptx and kernels.symbols(result.ptx) or {}
  for name, symbol in pairs_of(symbols) do lowered[name] = symbol end
  for _, expression in ipairs(job.expressions) do lowered[expression] = result.lowered[expression] end
  for name, parameter_names in pairs_of(types) do
    local list = kernels.parameters(result.lowered[kernels.type_expression(name)])
    if list then
      list = signature.named(list, parameter_names)
      if result.ptx then signature.refine(list, result.ptx, symbols[name] or name) end
    end
    params[name] = list
  end
  result.lowered, result.params = lowered, params
end

-- PTX as it is handed out: without what was added for the types, and with the source's name as it was given, where
-- NVRTC puts the working directory before it.
local function tidy(job, ptx)
  ptx = kernels.without_variables(ptx)
  if job.name:sub(1, 1) == "/" or not ptx:find(".file", 1, true) then return ptx end
  local path = (core.realpath "." or "") .. "/" .. job.name
  return (ptx:gsub('(%.file%s+%d+ ")' .. path:gsub("%p", "%%%0") .. '"', "%1" .. job.name:gsub("%%", "%%%%") .. '"'))
end

-- ---- what is said besides -----------------------------------------------------------------------------------

-- `kernel.cu, NVVM Optimizer, 10, ms` lines of the log as a list, and the log without them.
local function split_timing(log)
  local timing, rest = {}, {}
  for line in (log .. "\n"):gmatch "(.-)\n" do
    local phase, value = line:match "^.+, ([^,]+), ([%d.]+), ms$"
    if phase then
      timing[#timing + 1] = { phase = phase, ms = tonumber(value) }
    elseif not line:find "^File name, phase name" then
      rest[#rest + 1] = line
    end
  end
  local text = table.concat(rest, "\n")
  return timing, text:find "%S" and text or nil
end

-- What the compiler said of a program that compiled. How headers were kept compiled is not a warning, and how to turn
-- warnings off is not said each time.
local function tell(job, log)
  local lines = {}
  for line in (log or ""):gmatch "[^\n]+" do
    if not (line:find("precompiled header", 1, true) or line:find "^Remark: The warnings can be suppressed") then
      lines[#lines + 1] = line
    end
  end
  if #lines > 0 then notice(("compiling %s: %s"):format(job.name, table.concat(lines, "\n"))) end
end

-- ---- the whole ----------------------------------------------------------------------------------------------

local function request_of(job, options)
  local fields = {}
  for i, text in ipairs(options) do fields[i] = "option " .. text end
  for _, expression in ipairs(job.expressions) do fields[#fields + 1] = "expression " .. expression end
  local headers = {}
  for i, name in ipairs(job.header_names) do
    headers[name] = job.header_sources[i]
    fields[#fields + 1] = "header " .. name
    fields[#fields + 1] = "text " .. job.header_sources[i]
  end
  local found, folders = toolchain.find(), {}
  for i, dir in ipairs(job.include_dirs) do folders[i] = dir end
  if stub_folder() then folders[#folders + 1] = stub_folder() end
  return {
    where = job.where, source = job.source, name = job.name, extern_c = job.extern_c, target = job.target or "image",
    fields = fields, options = options, include_dirs = folders, system_dirs = { found.include, found.cccl },
    headers = headers, source_dir = job.name:match "^(.*)/[^/]*$",
  }
end

local function image_of(job, result)
  if job.target then return result[job.target] end
  return result.cubin or result.ptx or result.ltoir
end

---@class cudalua.CompileResult
---@field image string           of the kind that was requested
---@field cubin string?
---@field ptx string?
---@field ltoir string?
---@field log string?            warnings
---@field lowered table<string, string>  symbols by name expression
---@field params table<string, cudalua.Param[]>  types by kernel
---@field timing table?
---@field keep_dir string?

local VECTORS = {}
for scalar in ("char uchar short ushort int uint long ulong longlong ulonglong float double"):gmatch "%S+" do
  VECTORS[scalar] = true
end

-- Can NVRTC omit CUDA's vector types? It is a fifth faster for small kernels then, and writes the same PTX. This is for
-- kernels of arrays, which include nothing and have no textures. NVRTC 12 may not have the option.
local function is_minimal(job, info)
  if job.where ~= "gpuarray" or info.major < 13 then return false end
  for scalar in job.source:gmatch "%f[%w_](%l+)[1-4]%f[^%w_]" do
    if VECTORS[scalar] then return false end
  end
  return not job.source:find("#include", 1, true)
end

-- Compiles, or takes from the cache what came of it last time. Returns the result, and whether it was compiled now.
local function make(job, missed)
  local uncached = job.debug or job.keep or job.opts.pch or job.opts.time
  if not toolchain.find().nvrtc then open(job, missed) end -- only the dynamic linker knows which one it will be
  local arch = option.wanted_arch(job)
  local folders = header_folders()
  local slot = not uncached and
    cache.open(request_of(job, option.list(job, arch, folders)), { cache_dir = job.opts.cache_dir })
  local result = slot and cache.get(slot)
  if result then
    result.image = image_of(job, result)
    if result.image then return result, false end
  end

  local info = open(job, missed)
  folders = header_folders()
  local options = option.list(job, final_arch(info, job, arch), folders)
  if is_minimal(job, info) then options[#options + 1] = "--minimal" end
  local text = job.extern_c and source_text.wrap(job.source, job.opts.pch) or job.source
  text = conditional.declare(job.source, text, job.opts.pch)
  local done = compile_with_references(job, text, options)
  result, options = done.result, done.options
  local keep_dir = job.keep and keep.write(done.job, text, options, result) or nil
  if not result.ok then diagnostic.raise(done.job, result, options, folders, { keep_dir = keep_dir }) end
  learn(job, result, done.types)
  if result.ptx then result.ptx = tidy(job, result.ptx) end
  local timing
  if job.opts.time then timing, result.log = split_timing(result.log or "") end
  if slot then
    cache.put(slot, { cubin = result.cubin, ptx = result.ptx, ltoir = result.ltoir, log = result.log,
      lowered = result.lowered, params = result.params })
  end
  result.timing, result.keep_dir, result.image = timing, keep_dir, image_of(job, result)
  if not result.image then
    errors.raise("CompileError", ("%s: the compiler produced no %s; the options request other output"):format(job.name,
      job.target or "image"), { log = result.log or "", source = job.source, options = options, stdout = "",
      stderr = result.log or "", msg = result.status, command_line = { "nvrtc", unpack(options) } })
  end
  return result, true
end

---Compiles a job that was remembered (requests.lua), as it stands: for another device than the current one.
---@param job cudalua.CompileJob
---@return cudalua.CompileResult
---@raise as M.build
function M.make(job) return (make(job)) end

---The contents of the files that a job's source includes, CUDA's own left out.
---@param job cudalua.CompileJob
---@return string[]? digests  SHA-256, sorted; nil: that cannot be said
function M.files_of(job)
  local lines = includes.collect(request_of(job, job.options))
  if not lines then return nil end
  local digests, known = {}, {}
  for _, line in ipairs(lines) do
    local digest = line:match "^(%x+) "
    if digest and #digest == 64 and not known[digest] then
      digests[#digests + 1], known[digest] = digest, true
    end
  end
  table.sort(digests)
  return digests
end

-- What was exported for a job. Files for people to look at, and code for a debugger, are made by a compiler only.
local function find_exported(job)
  local looks = job.debug or job.keep or job.opts.time
  if looks and exported.any() and toolchain.open() then return nil end
  local result, missed = exported.find(job, function() return M.files_of(job) end)
  if not result then return nil, missed end
  if looks then notice(("%s: NVRTC is not available; using the exported kernel as it is"):format(job.name)) end
  if cache.debug then
    notice(("kernels: %s: %s of %s"):format(exported.title(job), result.arch, result.folder))
  end
  result.again = function() return toolchain.open() and make(job) or nil end
  return result
end

---@param where string           function, for messages
---@param source string
---@param opts? cudalua.CompileOptions
---@param default_options string[]
---@return cudalua.CompileResult
---@raise CompileError, LogicError, RuntimeError if NVRTC is not found.
function M.build(where, source, opts, default_options)
  local job = option.job(where, source, opts, default_options, debugging.is_debugging())
  job.options = nvcc_options.translate(where, job.options)
  local noted = requests.note(job)
  local result, missed = find_exported(job)
  if result then return result end
  if noted then noted.refused = true end
  local compiled
  result, compiled = make(job, missed)
  if noted then noted.refused = nil end
  if compiled then tell(job, result.log) end
  return result
end

return M
