-- What this process asked the compiler for: remembered for cuda.cache.export, and made into the keys by which
-- exported kernels are found again. A key has what the program asked for and nothing of the machine: no folders, no
-- toolchain, no device, no environment.

local core = require "cudalua.core"

local M = {}

local FORMAT = "1" -- goes up when the same request gives another image, signature or symbol

-- ---- keys -----------------------------------------------------------------------------------------------------------

local function base_name(path) return path:match "[^/]*$" end

local folder_options = { ["-I"] = true, ["--include-path"] = true, ["-include-path"] = true }
local file_options = { ["-include"] = true, ["--pre-include"] = true, ["-pre-include"] = true }

-- Options without the folders of this machine. The texts of files that they lead to are compared by themselves.
local function portable(options)
  local list, i = {}, 1
  while i <= #options do
    local text = options[i]
    local name, value = text:match "^([^=]*)=(.*)$"
    name = name or text
    if folder_options[name] or file_options[name] then
      if not value then i = i + 1 end
      if file_options[name] then list[#list + 1] = "--pre-include=" .. base_name(value or options[i]) end
    elseif text:sub(1, 2) ~= "-I" then
      list[#list + 1] = text
    end
    i = i + 1
  end
  return list
end

---The key of what a job asks for: fields, each with its length.
---@param job cudalua.CompileJob
---@return string key
---@return string digest  its SHA-256, which names the file
function M.key(job)
  local fields = {}
  local function add(label, text)
    text = #text > 256 and ("sha256 %s %d"):format(core.sha256(text), #text) or text
    fields[#fields + 1] = ("%d:%s %s\n"):format(#label + 1 + #text, label, text)
  end
  local opts = job.opts
  add("kernel", FORMAT)
  add("name", base_name(job.name))
  add("extern_c", tostring(job.extern_c))
  add("target", job.target or "image")
  add("arch", job.arch or "default")
  add("std", opts.std or "default")
  add("default_device", tostring(opts.default_device ~= false))
  add("lineinfo", tostring(opts.lineinfo or false))
  add("minimal", tostring(opts.minimal or false))
  for _, text in ipairs(portable(job.options)) do add("option", text) end
  for _, expression in ipairs(job.expressions) do add("expression", expression) end
  for i, name in ipairs(job.header_names) do
    add("header", name)
    add("text", job.header_sources[i])
  end
  add("source", job.source)
  local key = table.concat(fields)
  return key, core.sha256(key)
end

-- ---- what was asked for --------------------------------------------------------------------------------------------

local MOST, MOST_BYTES = 4096, 2 ^ 26

local noted, by_source, bytes = {}, {}, 0 ---@type cudalua.CompileJob[], table<string, cudalua.CompileJob[]>, integer
local dropped = 0
local left, left_out = {}, {} ---@type {name: string, why: string}[], table<string, true>

local own_fields = { "name", "extern_c", "target", "arch" }
local own_options = { "std", "default_device", "lineinfo", "minimal" }
local own_lists = { "options", "include_dirs", "expressions", "header_names", "header_sources" }

-- Strings of Lua are compared by their addresses, so this costs less than a hash of a source.
local function same(a, b)
  for _, field in ipairs(own_fields) do
    if a[field] ~= b[field] then return false end
  end
  for _, option in ipairs(own_options) do
    if a.opts[option] ~= b.opts[option] then return false end
  end
  for _, field in ipairs(own_lists) do
    if #a[field] ~= #b[field] then return false end
    for i, text in ipairs(a[field]) do
      if text ~= b[field][i] then return false end
    end
  end
  return true
end

-- A copy that the program cannot change, and without what does not change the image.
local function copy(job)
  local new = { where = job.where, source = job.source, debug = false, keep = false, portable = true,
    opts = { cache_dir = job.opts.cache_dir } }
  for _, field in ipairs(own_fields) do new[field] = job[field] end
  for _, option in ipairs(own_options) do new.opts[option] = job.opts[option] end
  for _, field in ipairs(own_lists) do new[field] = { unpack(job[field]) } end
  return new
end

---Remembers a compilation, or an answer from a cache or an exported folder.
---@param job cudalua.CompileJob
---@return cudalua.CompileJob? noted  the record, whose `refused` says whether the compiler refused it; nil: none
function M.note(job)
  if job.opts.debug then return M.leave(job.name, "it is compiled for a debugger") end
  if job.target == "ltoir" then return M.leave(job.name, "LTO-IR is linked by nvJitLink, which is not shipped") end
  local list = by_source[job.source] or {}
  for _, one in ipairs(list) do
    if same(one, job) then return one end
  end
  local size = #job.source
  for _, text in ipairs(job.header_sources) do size = size + #text end
  if #noted >= MOST or bytes + size > MOST_BYTES then
    dropped = dropped + 1
    return nil
  end
  local new = copy(job)
  bytes = bytes + size
  noted[#noted + 1], list[#list + 1], by_source[job.source] = new, new, list
  return new
end

---Remembers that a compilation cannot be exported.
---@param name string
---@param why string
function M.leave(name, why)
  local text = name .. "\n" .. why
  if left_out[text] or #left >= MOST then return end
  left_out[text], left[#left + 1] = true, { name = name, why = why }
end

---@return cudalua.CompileJob[] noted
---@return {name: string, why: string}[] left
---@return integer dropped  compilations beyond the limits
function M.all() return noted, left, dropped end

return M
