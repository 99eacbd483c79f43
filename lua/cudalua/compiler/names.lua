-- Names that nvcc's users need not include anything for: uint, int32_t, M_PI, INFINITY, INT_MAX ... A source that
-- mentions some of them gets the headers of kernels/libc that declare them, in a header that stands before its first
-- line (--pre-include), so that its lines keep their numbers. What a source defines itself stays the source's: a macro
-- is undefined after those headers, and if anything else collides, only names that the compiler misses are supplied.

local core = require "cudalua.core"
local devicecode = require "cudalua.base.devicecode"

local M = {}

-- Of the folder kernels/libc, each before those that include it.
local headers = { "stddef.h", "time.h", "limits.h", "stdint.h", "float.h", "math.h", "sys/types.h" }

local NAME = "cudalua/names.h" -- what the header is called

local declared, is_macro -- by name: header; true

local function declare(name, header) declared[name] = declared[name] or header end

local function read(header)
  local text = devicecode.file("libc", header):gsub("//[^\n]*", "")
  for name in text:gmatch "#define ([%a_][%w_]*)" do
    declare(name, header)
    is_macro[name] = true
  end
  for list in text:gmatch "%f[%w]typedef ([^;]+);" do
    for one in list:gmatch "[^,]+" do declare(one:match "([%a_][%w_]*)%s*$", header) end
  end
  for name in text:gmatch "constexpr %a+ ([%a_][%w_]*) =" do declare(name, header) end
end

-- The headers are read when a source is compiled, once in a process. An installation without them has no names.
local function load_names()
  if declared then return end
  declared, is_macro = {}, {}
  if not devicecode.folder "libc" then return end
  for _, header in ipairs(headers) do read(header) end
end

---The header that declares a name.
---@param name string
---@return string?
function M.header_of(name)
  load_names()
  return declared[name]
end

---The files whose texts decide what a compilation gets.
---@return string[] paths
function M.files()
  local folder, list = devicecode.folder "libc", {}
  for i, header in ipairs(folder and headers or {}) do list[i] = folder .. "/" .. header end
  return list
end

---@class cudalua.SuppliedNames
---@field headers table<string, boolean>  those that are needed
---@field own string[]                    macros that the source defines
---@field seen table<string, boolean>     names that are supplied

---No names yet: what is undefined is added.
---@return cudalua.SuppliedNames
function M.none() return { headers = {}, own = {}, seen = {} } end

---What a source mentions and does not define as a macro.
---@param source string
---@return cudalua.SuppliedNames
function M.mentioned(source)
  load_names()
  local names, defines = M.none(), {}
  for name in source:gmatch "#[ \t]*define[ \t]+([%a_][%w_]*)" do
    if is_macro[name] and not defines[name] then
      defines[name] = true
      names.own[#names.own + 1] = name
    end
  end
  for word in source:gmatch "[%a_][%w_]*" do
    local header = declared[word]
    if header and not defines[word] then
      names.seen[word] = true
      names.headers[header] = true
    end
  end
  for header in source:gmatch "#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]" do names.headers[header] = nil end
  return names
end

---Adds what a log says is undefined: names in the user's headers and options.
---@param names cudalua.SuppliedNames
---@param log string
---@return boolean more  has it more than before?
function M.add_undefined(names, log)
  local more = false
  for name in log:gmatch 'identifier "([%w_]+)" is undefined' do
    local header = M.header_of(name)
    if header and not names.seen[name] then
      names.seen[name], names.headers[header], more = true, true, true
    end
  end
  return more
end

---The job and the options for a compilation with these names.
---@param job cudalua.CompileJob
---@param options string[]
---@param names cudalua.SuppliedNames
---@return cudalua.CompileJob job      the same one if nothing is needed
---@return string[] options
function M.supply(job, options, names)
  if core.next(names.headers) == nil then return job, options end
  local text = {}
  for _, header in ipairs(headers) do
    if names.headers[header] then text[#text + 1] = "#include <" .. header .. ">\n" end
  end
  for _, name in ipairs(names.own) do text[#text + 1] = "#undef " .. name .. "\n" end
  local header_names, header_sources = { NAME, unpack(job.header_names) }, { table.concat(text) }
  for i, source in ipairs(job.header_sources) do header_sources[i + 1] = source end
  return setmetatable({ header_names = header_names, header_sources = header_sources }, { __index = job }),
    { "--pre-include=" .. NAME, unpack(options) }
end

return M
