-- CUDA C -> image by nvcc, for sources that NVRTC does not take: `backend = "nvcc"`. The compiler runs in a folder of
-- its own, which is removed again. It needs a C++ compiler beside it, and costs about a second a source.

local core = require "cudalua.core"
local cache = require "cudalua.compiler.cache"
local debugging = require "cudalua.driver.debugging"
local diagnostic = require "cudalua.compiler.diagnostic"
local errors = require "cudalua.base.errors"
local keep = require "cudalua.compiler.keep"
local kernels_of = require "cudalua.compiler.kernels"
local notice = require "cudalua.base.notice"
local option = require "cudalua.compiler.options"
local pairs_of = require "cudalua.base.pairs_of"
local signature = require "cudalua.types.signature"
local source_text = require "cudalua.types.source"
local references = require "cudalua.compiler.references"
local toolchain = require "cudalua.compiler.toolchain"

local M = {}

---Options used when `options` is not given; CUDALUA_DEFAULT_NVCC_FLAGS (blank separated) sets them.
M.DEFAULT_NVCC_FLAGS = {}
for flag in (os.getenv "CUDALUA_DEFAULT_NVCC_FLAGS" or ""):gmatch "%S+" do
  M.DEFAULT_NVCC_FLAGS[#M.DEFAULT_NVCC_FLAGS + 1] = flag
end

local function env(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

local function in_path(name)
  for dir in ((env "PATH" or "") .. ":"):gmatch "([^:]*):" do
    local path = (dir == "" and "." or dir) .. "/" .. name
    if core.stat(path) == "file" then return path end
  end
end

-- The compiler: what the user names, or the one of the toolkit that the headers are of.
local function find_nvcc(where, given)
  given = given or env "CUDALUA_NVCC" or "nvcc"
  local tried = {}
  local function try(path)
    tried[#tried + 1] = path
    return path and core.stat(path) == "file" and path
  end
  local found
  if given:find("/", 1, true) then
    found = try(given)
  else
    local include = toolchain.find().include
    for _, root in ipairs { env "CUDA_HOME" or false, env "CUDA_PATH" or false } do
      found = found or root and try(root .. "/bin/" .. given)
    end
    found = found or in_path(given) or include and try(include .. "/../bin/" .. given)
      or try("/usr/local/cuda/bin/" .. given)
  end
  if not found then
    errors.raise("RuntimeError", ("%s: nvcc, CUDA's compiler, was not found"):format(where), {
      detail = table.concat(tried, "\n") .. (given:find("/", 1, true) and "" or "\nno " .. given .. " in PATH"),
      hint = "install the CUDA toolkit, or set CUDALUA_NVCC to the compiler; without the options "
        .. "`backend` and `nvcc`, NVRTC compiles, which is faster and needs no other compiler",
    })
  end
  return core.realpath(found) or found
end

-- Options of cuda.SourceModule that only NVRTC has.
local others = { "name_expressions", "minimal", "pch", "time" }

local function read_job(where, source, opts)
  local given = {}
  for key, value in pairs_of(opts) do given[key] = value end
  given.backend = nil
  local job = option.job(where, source, given, M.DEFAULT_NVCC_FLAGS, debugging.is_debugging())
  for _, name in ipairs(others) do
    if job.opts[name] then
      errors.raise("LogicError", ("%s: option %s is for NVRTC; backend nvcc does not support it"):format(where, name))
    end
  end
  for _, name in ipairs(job.header_names) do
    if name:sub(1, 1) == "/" or ("/" .. name .. "/"):find("/../", 1, true) then
      errors.raise("LogicError", ("%s: header %s: with backend nvcc, its name must be that of a file below a folder")
        :format(where, errors.text(name)))
    end
  end
  return job
end

-- What to make, and the options for that: "cubin", {"--cubin", "-arch=sm_90"}.
local function output_of(job)
  local arch, kind = option.wanted_arch(job), job.target
  kind = kind or ((core.driver_info().soft or (arch or ""):find "^compute_") and "ptx" or "cubin")
  local list = { "--" .. kind }
  if kind == "ltoir" then
    list[2] = "-dlto"
    arch = arch and arch:gsub("^compute_", "sm_") -- for a virtual one it would write PTX
  end
  if arch then list[#list + 1] = "-arch=" .. arch end
  if job.opts.std then list[#list + 1] = "-std=" .. job.opts.std end
  if job.debug then
    list[#list + 1] = "-G"
  elseif job.opts.lineinfo or core.driver_info().soft then -- whose reports name source lines
    list[#list + 1] = "-lineinfo"
  end
  return kind, list
end

-- Variables whose names spell the types of kernels: NVRTC is asked for them, nvcc has to be made to write them down.
-- The number says which kernel it is. As in compiler/kernels.lua, each name is there for the case that the program
-- itself has nothing of that name.
local function with_signatures(text, kernels)
  if #kernels == 0 then return text end
  local lines = {
    text .. '\n#line 1 "<cudalua>"', "template<class F, int kernel> __device__ char __cudalua_sig;",
    "namespace __cudalua_none { extern char " .. table.concat(kernels, ", ") .. "; }",
    "using namespace __cudalua_none;",
  }
  for i, kernel in ipairs(kernels) do
    lines[#lines + 1] = ("template __device__ char __cudalua_sig<decltype(&::%s), %d>;"):format(kernel, i)
  end
  return table.concat(lines, "\n") .. "\n"
end

local function signatures_of(image, kernels, parameters)
  local found = {}
  for symbol in image:gmatch "_Z13__cudalua_sigI[%w_]+" do
    local kernel = kernels[tonumber(symbol:match "Li(%d+)EE$")]
    local params = kernel and signature.of_expression(symbol)
    if kernel then found[kernel] = params and signature.named(params, parameters[kernel]) end
  end
  return found
end

local function write(path, text)
  local file, why = io.open(path, "wb")
  local ok = file and file:write(text) and file:close()
  if not ok then
    errors.raise("RuntimeError", ("cannot write %s: %s"):format(path, tostring(why or "no space?")))
  end
end

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "*a"
  if file then file:close() end
  return text or ""
end

local function write_headers(folder, job)
  core.create_folder(folder)
  for i, name in ipairs(job.header_names) do
    local at = name:find("/", 1, true)
    while at do
      core.create_folder(folder .. "/" .. name:sub(1, at - 1)) -- it may be there; what matters is the file
      at = name:find("/", at + 1, true)
    end
    write(folder .. "/" .. name, job.header_sources[i])
  end
end

-- Messages name the user's files, not the copies in our folder.
local function without(folder, text)
  for _, prefix in ipairs { folder .. "/include/", folder .. "/" } do
    text = text:gsub((prefix:gsub("%p", "%%%0")), "")
  end
  return text
end

-- One run in a folder: nil if the compiler refused, else its output; and the log.
local function run_in(folder, job, text)
  local file, out = folder .. "/" .. job.file, folder .. "/out." .. job.kind
  local stdout, stderr = folder .. "/stdout.txt", folder .. "/stderr.txt"
  for _, path in ipairs { out, stdout, stderr } do os.remove(path) end
  write(file, text)
  write_headers(folder .. "/include", job)
  local argv = { job.nvcc }
  for _, text_of_option in ipairs(job.arguments) do argv[#argv + 1] = text_of_option end
  if job.header_names[1] then argv[#argv + 1] = "-I" .. folder .. "/include" end
  argv[#argv + 1], argv[#argv + 2], argv[#argv + 3] = "-o", out, file
  -- Its own temporary files go where they are removed with the rest, even if it is killed.
  local status, why = core.spawn(argv, { "TMPDIR=" .. folder }, stdout, stderr)
  if status == nil then
    errors.raise("RuntimeError", ("%s: %s cannot be started: %s"):format(job.where, job.nvcc, why))
  end
  local result = { command_line = argv, stdout = without(folder, read(stdout)), stderr = without(folder, read(stderr)) }
  result.log = result.stderr .. result.stdout
  result.status = status == true and "nvcc ended" or status < 0 and "nvcc was terminated by signal " .. -status
    or "nvcc ended with exit code " .. status
  if status == 0 or status == true then
    local image = read(out)
    if image ~= "" then
      result.image = image
    else
      result.status = result.status .. " and left no output"
    end
  end
  return result
end

-- With the types of the kernels, and without where that does not compile: the log is to be about the user's text.
local function run(folder, job)
  if #job.kernels > 0 then
    local result = run_in(folder, job, with_signatures(job.text, job.kernels))
    if result.image or not result.log:find("<cudalua>", 1, true) then return result end
    job.kernels = {}
  end
  return run_in(folder, job, job.text)
end

local function in_folder(job)
  local temporary = env "TMPDIR" or "/tmp"
  local folder, why = core.make_folder(temporary .. "/cudalua-nvcc-")
  if not folder then
    errors.raise("RuntimeError", ("%s: cannot make a folder in %s: %s"):format(job.where, temporary, why))
  end
  local ok, result = pcall(run, folder, job)
  core.remove_folder(folder)
  if not ok then error(result, 0) end
  return result
end

local function describe(path)
  local _, bytes, changed = core.stat(path)
  return ("%s %s %s"):format(path, tostring(bytes), tostring(changed))
end

-- What the cache has to know (compiler/nvrtc.lua makes the same for NVRTC). nvcc reads more of the environment, and
-- calls the host's compiler.
local function request_of(job)
  local fields = { "backend nvcc " .. describe(job.nvcc), "host compiler " .. describe(in_path "gcc" or "gcc") }
  for _, text in ipairs(job.arguments) do fields[#fields + 1] = "option " .. text end
  for _, name in ipairs { "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH" } do
    fields[#fields + 1] = name .. " " .. (os.getenv(name) or "")
  end
  local headers, found = {}, toolchain.find()
  for i, name in ipairs(job.header_names) do
    headers[name] = job.header_sources[i]
    fields[#fields + 1] = "header " .. name
    fields[#fields + 1] = "text " .. job.header_sources[i]
  end
  return { where = job.where, source = with_signatures(job.text, job.kernels), name = job.name, extern_c = false,
    target = job.kind, fields = fields, options = job.arguments, include_dirs = job.include_dirs,
    system_dirs = { found.include, found.cccl }, headers = headers, source_dir = job.name:match "^(.*)/[^/]*$" }
end

-- The job with all that nvcc is to be told: file (what the source is written to), text, kernels, arguments, kind.
local function complete(job)
  local which = references.used(job.source)
  if which then references.check(job.where, which, job.opts, "nvcc") end
  job.nvcc = find_nvcc(job.where, job.opts.nvcc)
  job.parameters, job.kernels = kernels_of.find(job.source), {}
  for kernel in pairs_of(job.parameters) do job.kernels[#job.kernels + 1] = kernel end
  table.sort(job.kernels)
  job.file = job.name:match "[^/]*$":gsub("[^%w_.-]", "_"):gsub("%.cu$", "") .. ".cu"
  job.text = '#line 1 "' .. job.name:gsub('[\\"%c]', "_") .. '"\n'
    .. (job.extern_c and source_text.wrap(job.source) or job.source)
  job.kind, job.arguments = output_of(job)
  local function add(text) table.insert(job.arguments, text) end
  for _, text in ipairs(job.options) do add(text) end
  local source_dir = job.name:match "^(.*)/[^/]*$"
  if source_dir then add("-I" .. source_dir) end -- for #include "...": the source's own folder is another
  for _, dir in ipairs(job.include_dirs) do add("-I" .. dir) end
  return job
end

---Compiles by nvcc. The options are those of cuda.SourceModule.
---@param where string   function, for messages
---@param source string
---@param opts cudalua.CompileOptions
---@return cudalua.CompileResult
---@raise CompileError (log, source, command_line, stdout, stderr), RuntimeError if nvcc is not found or cannot be
---  started, LogicError for bad arguments.
function M.build(where, source, opts)
  local job = complete(read_job(where, source, opts))
  local slot = not (job.keep or job.debug) and cache.open(request_of(job), { cache_dir = job.opts.cache_dir })
  local result = slot and cache.get(slot)
  if result then
    result.image = result[job.kind]
    return result
  end
  local run_result = in_folder(job)
  result = { [job.kind] = run_result.image, log = run_result.log ~= "" and run_result.log or nil }
  local keep_dir = job.keep and keep.write(job, job.text, job.arguments, result) or nil
  if not run_result.image then
    diagnostic.raise(job, run_result, job.arguments, {}, { keep_dir = keep_dir, stdout = run_result.stdout,
      stderr = run_result.stderr, command_line = run_result.command_line })
  end
  result.lowered, result.params = {}, signatures_of(run_result.image, job.kernels, job.parameters)
  if slot then cache.put(slot, result) end
  result.image, result.keep_dir = run_result.image, keep_dir
  if result.log then notice(("compiling %s: %s"):format(job.name, (result.log:gsub("%s+$", "")))) end
  return result
end

return M
