-- Where NVRTC and CUDA's headers are, found without opening anything: loading NVRTC takes a hundred times as long as
-- a compilation that is in the disk cache, which needs no more than to know which compiler it would have been.

local core = require "cudalua.core"

local M = {}

-- Newest first; the last is what development packages install.
local names = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so" }

local function env(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

local function is_file(path) return core.stat(path) == "file" end

-- Toolkits, CUDA's packages for conda, and wheels differ in where a root keeps its libraries.
local library_folders = { "/lib64", "/lib", "/targets/x86_64-linux/lib", "/lib/x86_64-linux-gnu" }

-- Each search calls visit(path) for the libraries that are there, best first, and returns true once visit does.
local function in_root(root, visit)
  for _, folder in ipairs(library_folders) do
    for _, name in ipairs(names) do
      local path = root .. folder .. "/" .. name
      if is_file(path) and visit(path) then return true end
    end
  end
end

-- What the dynamic linker would find for a bare name: LD_LIBRARY_PATH, its cache, the folders that it always searches.
local function as_linker(name, cache)
  for dir in (env "LD_LIBRARY_PATH" or ""):gmatch "[^:;]+" do
    local path = dir .. "/" .. name
    if is_file(path) then return path end
  end
  -- The cache's strings end in a zero byte; a file's name is the tail of its path there, so that each is found once.
  local at, past = cache:find(name .. "\0", 1, true)
  while at do
    local first = at
    while first > 1 and cache:byte(first - 1) ~= 0 do first = first - 1 end
    local path = cache:sub(first, past - 1)
    if path:sub(1, 1) == "/" and path:sub(-#name - 1) == "/" .. name and is_file(path) then return path end
    at, past = cache:find(name .. "\0", past, true)
  end
  for _, dir in ipairs { "/lib64", "/usr/lib64", "/lib", "/usr/lib" } do
    if is_file(dir .. "/" .. name) then return dir .. "/" .. name end
  end
end

-- The wheels of NVIDIA, in the Python environment that is active and in the user's own.
local function in_wheels(visit)
  for _, base in ipairs { env "VIRTUAL_ENV" or false, env "HOME" and env "HOME" .. "/.local" or false } do
    for minor = 14, 8, -1 do
      local site = base and base .. "/lib/python3." .. minor .. "/site-packages/nvidia"
      if site and core.stat(site) == "directory" then
        if in_root(site .. "/cu13", visit) or in_root(site .. "/cuda_nvrtc", visit) then return true end
      end
    end
  end
end

-- A later place is looked at only where the ones before it had nothing.
local function search(visit)
  local any
  local function note(path)
    any = true
    return visit(path)
  end
  for _, variable in ipairs { "CUDA_HOME", "CUDA_PATH" } do
    if env(variable) and in_root(env(variable), note) then return end
  end
  if any then return end
  local cache = core.read_file("/etc/ld.so.cache", 2 ^ 26) or ""
  for _, name in ipairs(names) do
    local path = as_linker(name, cache)
    if path and note(path) then return end
  end
  if any then return end
  if env "CONDA_PREFIX" then in_root(env "CONDA_PREFIX", note) end
  if not any then in_wheels(note) end
  if not any then in_root("/usr/local/cuda", note) end
  if not any then in_root("/opt/cuda", note) end
end

local candidates

---Libraries to try, best first; bare names, which go through the dynamic linker, come last.
---@return string[] paths
function M.candidates()
  if candidates then return candidates end
  candidates = { env "CUDALUA_NVRTC" }
  if candidates[1] then return candidates end
  search(function(path) candidates[#candidates + 1] = path end)
  for _, name in ipairs(names) do candidates[#candidates + 1] = name end
  return candidates
end

local function first_candidate()
  local first = env "CUDALUA_NVRTC"
  if first then return first:find("/", 1, true) and is_file(first) and first end
  search(function(path)
    first = path
    return true
  end)
  return first
end

-- A root of headers: the one the user names, the one that came with the library, the usual one.
local function include_of(nvrtc)
  local folder = nvrtc:match "^(.*)/[^/]*$" or "."
  local tries = {}
  for _, variable in ipairs { "CUDA_HOME", "CUDA_PATH" } do
    if env(variable) then tries[#tries + 1] = env(variable) .. "/include" end
  end
  for _, up in ipairs { "/..", "/../..", "/../../..", "/../../cuda_runtime" } do
    tries[#tries + 1] = folder .. up .. "/include"
  end
  tries[#tries + 1] = "/usr/local/cuda/include"
  for _, dir in ipairs(tries) do
    if is_file(dir .. "/cuda_runtime.h") then return core.realpath(dir) end
  end
end

-- From toolkit 13 on, libcu++, CUB and Thrust have a folder of their own.
local function cccl_of(include)
  for _, dir in ipairs { include .. "/cccl", include .. "/../../cuda_cccl/include" } do
    if is_file(dir .. "/cuda/std/version") then return dir end
  end
end

local function describe(path)
  local kind, bytes, changed = core.stat(path)
  return kind and ("%s %d %s"):format(path, bytes, changed) or path .. " none"
end

-- The library's second half is opened by it and named after its version, which its own name may not tell.
local function builtins_of(nvrtc)
  local folder, major, minor = nvrtc:match "^(.*)/[^/]-%.so%.?(%d*)%.?(%d*)[^/]*$"
  if not folder then return nil end
  local base = folder .. "/libnvrtc-builtins.so"
  if minor ~= "" then return base .. "." .. major .. "." .. minor end
  for i = 0, major ~= "" and 20 or -1 do
    local path = ("%s.%s.%d"):format(base, major, i)
    if is_file(path) then return path end
  end
  return base
end

-- Headers that change with every release of what they are part of.
local function stamp_of(t)
  local lines = { describe(t.nvrtc), describe(builtins_of(t.nvrtc) or t.nvrtc) }
  if t.include then
    for _, name in ipairs { "/cuda.h", "/cuda_runtime_api.h", "/../version.json" } do
      lines[#lines + 1] = describe(t.include .. name)
    end
  end
  if t.cccl then
    for _, name in ipairs { "/cub/version.cuh", "/cuda/std/__cccl/version.h" } do
      lines[#lines + 1] = describe(t.cccl .. name)
    end
  end
  return table.concat(lines, "\n")
end

local found, opened

local function take(nvrtc)
  nvrtc = core.realpath(nvrtc) or nvrtc
  local include = include_of(nvrtc)
  found = { nvrtc = nvrtc, include = include, cccl = include and cccl_of(include) }
  found.stamp = stamp_of(found)
  return found
end

---The compiler and its headers. `nvrtc` is nil, and with it `stamp`, where only the dynamic linker may know: then
---M.open() settles it.
---@return {nvrtc: string?, include: string?, cccl: string?, stamp: string?}
function M.find()
  if not found then
    local first = first_candidate()
    found = first and take(first) or {}
  end
  return found
end

---Opens NVRTC, once.
---@return {path: string, major: integer, minor: integer, archs: integer[]}? info  nil: there is none that loads
---@return string? why  what was tried, one line each
function M.open()
  if opened then return opened end
  local why
  opened, why = core.nvrtc_open(M.candidates())
  -- The first candidate need not be the one that loaded.
  if opened and M.find().nvrtc ~= opened.path then take(opened.path) end
  return opened, why
end

return M
