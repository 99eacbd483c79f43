-- What a compiler's log says, put so that it helps: the first error, the lines around it, what to do about it.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local excerpt_of = require "cudalua.compiler.excerpt"
local pairs_of = require "cudalua.base.pairs_of"
local toolchain = require "cudalua.compiler.toolchain"
local undefined = require "cudalua.compiler.undefined"

local M = {}

local MAX_HEADER = 2 ^ 24 -- bytes of a header that is shown
local LAST_LINE = 400     -- the last bytes of a source, in which its last line is searched for

-- The file's name in `kernel.cu(3): error: ...`, which may hold brackets itself.
local function location(line)
  local file, number, rest = line:match "^(.+)%((%d+)%): (.*)$"
  local kind, text = (rest or line):match "^(%l+ ?%l*): (.*)$"
  if kind ~= "error" and kind ~= "catastrophic error" and kind ~= "fatal error" then return nil end
  return file, tonumber(number), text
end

---@class cudalua.Diagnostic
---@field file string?    nil: the diagnostic names no place
---@field line integer?
---@field column integer? as the line of the log with the ^ has it
---@field text string

---The errors of a log, in order.
---@param log string
---@return cudalua.Diagnostic[]
function M.errors(log)
  local list = {}
  for line in (log .. "\n"):gmatch "(.-)\n" do
    local file, number, text = location(line)
    if text then
      list[#list + 1] = { file = file, line = number, text = text }
    elseif line:match "^nvrtc: error: " then
      list[#list + 1] = { text = line:match "^nvrtc: error: (.*)$" }
    elseif line:match "^At end of source: error: " then
      list[#list + 1] = { text = "at the end of the source: " .. line:match "error: (.*)$" }
    elseif #list > 0 and not list[#list].column then
      local blanks = line:match "^  ([ \t]*)%^%s*$"
      list[#list].column = blanks and #blanks + 1
    end
  end
  return list
end

-- The text of the file that a diagnostic is in: the source, a header of the program's, or one on disk.
local function text_of(job, file)
  if file == job.name then return job.source end
  for i, name in ipairs(job.header_names) do
    if file == name then return job.header_sources[i] end
  end
  return core.read_file(file, MAX_HEADER)
end

local function excerpt(job, diagnostic)
  if not diagnostic.line or diagnostic.file:find "%z" then return nil end
  local text = text_of(job, diagnostic.file)
  local lines = text and excerpt_of(text, diagnostic.line, diagnostic.column)
  if not lines or diagnostic.file == job.name then return lines end
  return "in " .. diagnostic.file .. "\n" .. lines
end

-- ---- hints --------------------------------------------------------------------------------------------------

local host_headers = {}
for name in ([[iostream fstream sstream iomanip ostream istream string vector map set list deque queue stack memory
  unordered_map unordered_set thread mutex chrono random stdexcept exception cstdarg stdarg.h errno.h signal.h unistd.h
  pthread.h iterator numeric functional sys/time.h]]):gmatch "%S+" do
  host_headers[name] = true
end

local function missing_header(job, name, folders)
  if host_headers[name] then
    return ("<%s> is a host header, but only GPU code is compiled here; remove it and the code that needs it. Much " ..
      "of the C++ library is available as <cuda/std/...>"):format(name)
  end
  local places = {}
  if #job.header_names > 0 then places[1] = "the headers given: " .. table.concat(job.header_names, ", ") end
  places[#places + 1] = (job.name:match "^(.*)/" or "the working directory") .. ' (for #include "...")'
  for _, dir in ipairs(folders) do places[#places + 1] = dir end
  local hint = ("%s was not found in\n  %s\nadd folders with include_dirs = {...}, or a text with headers = " ..
    "{[\"%s\"] = ...}")
  hint = hint:format(name, table.concat(places, "\n  "), name)
  if not toolchain.find().include then
    hint = hint .. "\nCUDA's own headers were not found: run `cudalua setup`, or set CUDA_HOME"
  end
  return hint
end

-- What declares names that need an #include, as with nvcc.
local declared_in = {}
for header, names in pairs_of {
  ["cuda_fp16.h"] = "half half2 __half __half2 __float2half __half2float",
  ["cuda_bf16.h"] = "__nv_bfloat16 __nv_bfloat162",
  ["cuComplex.h"] = "cuComplex cuFloatComplex cuDoubleComplex make_cuFloatComplex make_cuDoubleComplex",
  ["curand_kernel.h"] = "curandState curandState_t curand_init curand_uniform curand_normal",
  ["cooperative_groups.h"] = "cooperative_groups",
  ["mma.h"] = "nvcuda wmma",
} do
  for name in names:gmatch "%S+" do declared_in[name] = header end
end

local function unknown_name(text)
  local name = text:match '^identifier "([%w_]+)" is undefined'
  local header = name and declared_in[name]
  if header then return ("%s needs #include <%s>"):format(name, header) end
  if name and (name:find "^cuda%u" or name:find "^std$") then
    return "only GPU code is compiled here; do the host's work in Lua: cuda.mem_alloc, cuda.memcpy_htod ..."
  end
  return name and undefined.hint_for_name(name)
end

-- A Lua string that began with [[ ends at the ]] of x[idx[i]].
local function is_cut(job)
  local tail = job.source:sub(-LAST_LINE):match "([^\n]*)%s*$"
  local opened, closed = select(2, tail:gsub("%[", "")), select(2, tail:gsub("%]", ""))
  return opened > closed and tail:find "%[[^;=]*$"
end

local launches = "kernels that launch kernels need cuda.DynamicSourceModule"

-- Texts of diagnostics, each with what helps. A function gets what the pattern matched; it may know nothing.
local hints = {
  { '^more than one instance of overloaded function "([%w_]+)" has "C" linkage', function(_, name)
    return ("%s is a function of CUDA's own; give yours another name"):format(name)
  end },
  { "linkage", function(job)
    return job.extern_c and 'templates cannot be in extern "C": pass no_extern_c = true and name the instances: ' ..
      'name_expressions = {"name<float>"}'
  end },
  { "open source file \"([^\"]+)\"", function(job, name, folders) return missing_header(job, name, folders) end },
  { "^texture is not a template", function()
    return "texture<...> declares a texture reference; omit option minimal, or pass the kernel a cudaTextureObject_t"
  end },
  { "marked as a __host__ function", function()
    return "only GPU code is compiled here; remove the host code"
  end },
  { "is considered a host", function(job)
    return job.opts.default_device == false and "write __device__, or omit default_device"
  end },
  { "separate compilation mode", function() return launches end },
  { "^device%-side kernel launch", function() return launches end },
  { '^more than one instance of overloaded function "([%w_]+)"', function(_, name)
    return undefined.hint_for_overload(name)
  end },
  { "^expression must have integral or unscoped enum type", function()
    return "the operators %, ^, & and << take integers only; for floats, write fmodf(x, y), and powf(x, y) for a power"
  end },
  { '^operand of "%*" must be a pointer', function()
    return "if you want a power, write powf(x, y): CUDA C does not have the operator **"
  end },
  { '^no operator "[^"]+" matches these operands', function()
    return "types such as float3 do not have operators; compute each member: make_float3(a.x + b.x, ...)"
  end },
  { '^namespace "std" has no member', function()
    return "write min, fminf or sqrtf without std::; more of the C++ library is available as <cuda/std/...>"
  end },
  { '^expected a "%]"', function(job)
    return is_cut(job) and "the source ends inside an index: ]] ends a Lua string that began with [[; write [=[ and " ..
      "]=] around the source"
  end },
  { '^at the end of the source: expected a "}"', function() return "the source has a { that is never closed" end },
  { "^unrecognized option", function()
    return 'docs/compiling.md lists the options; backend = "nvcc" compiles with nvcc'
  end },
  { "^invalid value for %-%-gpu%-architecture", function()
    return "write sm_90 for machine code, compute_90 for PTX"
  end },
}

local function hint_for(job, diagnostic, folders)
  local text = diagnostic.text
  for _, row in ipairs(hints) do
    local match = text:match(row[1])
    local hint = match and row[2](job, match, folders)
    if hint then return hint end
  end
  if diagnostic.file == job.name and text:find "expected a declaration" then
    local lines = select(2, job.source:gsub("\n", "")) + 1
    if diagnostic.line > lines then return "the source has one } too many" end
  end
  return unknown_name(text)
end

-- ---- the error ----------------------------------------------------------------------------------------------

-- What a message has room for: a name may be as long as its source.
local function short(text) return #text > 400 and text:sub(1, 400) .. "..." or text end

-- A name expression that the compiler refused: NVRTC compiles them in a file of its own.
local function of_expression(job, diagnostic)
  for _, expression in ipairs(job.expressions) do
    if #job.expressions == 1 then return expression end
    local asked = diagnostic.text:match 'Input name expression was: "(.-)"'
    if asked and asked:gsub("%s", "") == expression:gsub("%s", "") then return expression end
  end
end

local function expression_error(job, list)
  local named
  for _, diagnostic in ipairs(list) do named = named or of_expression(job, diagnostic) end
  return ("%s: the name expression '%s' does not name a kernel: %s"):format(job.name, short(named or "?"),
    short(list[1].text))
end

---Raises the CompileError of a compilation that failed.
---@param job cudalua.CompileJob
---@param result table      of the compiler: log, status, result (NVRTC's code)
---@param options string[]
---@param folders string[]  CUDA's headers, where they were looked for
---@param fields? table     further fields of the error
function M.raise(job, result, options, folders, fields)
  local log = result.log or ""
  local list = M.errors(log)
  local first = list[1]
  local message = ("%s does not compile: %s"):format(job.name, result.status)
  local hint, shown
  if first and first.file == "__nv_name_map" then
    message = expression_error(job, list)
    hint = "name_expressions are kernels as C++ writes them, such as \"fill<float>\" or \"&table\" for a variable"
  elseif first then
    local place = first.line and (first.file == job.name and "line " .. first.line
      or ("%s(%d)"):format(first.file, first.line)) .. ": " or ""
    message = ("%s does not compile: %s%s"):format(job.name, place, short(first.text))
    shown = excerpt(job, first)
    local all = {}
    for _, dir in ipairs(job.include_dirs) do all[#all + 1] = dir end
    for _, dir in ipairs(folders) do all[#all + 1] = dir end
    for _, diagnostic in ipairs(list) do hint = hint or hint_for(job, diagnostic, all) end
  end
  local memory = result.result == 1
  local all = {
    log = log, source = job.source, options = options, stdout = "", stderr = log, msg = result.status,
    command_line = { "nvrtc", unpack(options) }, hint = hint, excerpt = shown,
  }
  table.insert(all.command_line, job.name)
  for key, value in pairs_of(fields or {}) do all[key] = value end
  errors.raise(memory and "MemoryError" or "CompileError", message, all)
end

return M
