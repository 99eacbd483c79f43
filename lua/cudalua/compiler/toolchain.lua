-- Where NVRTC and CUDA's headers are, found without opening anything: loading NVRTC takes a hundred times as long as
-- a compilation that is in the disk cache, which needs no more than to know which compiler it would have been. Other
-- libraries of a toolkit are looked for in the same places.

local core = require "cudalua.core"
local setup_folders = require "cudalua.compiler.setup_folders"

local M = {}

-- Newest first; the last is what development packages install.
local nvrtc_names = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so" }

local NVRTC_WHEEL = "cuda_nvrtc"

local function env(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

local function is_file(path) return core.stat(path) == "file" end

-- Toolkits, CUDA's packages for conda, and wheels differ in where a root keeps its libraries.
local library_folders = { "/lib64", "/lib", "/targets/x86_64-linux/lib", "/lib/x86_64-linux-gnu" }

-- Calls visit(path) for the libraries that are there, best first, and returns true once visit does.
local function in_root(root, names, visit)
  for _, folder in ipairs(library_folders) do
    for _, name in ipairs(names) do
      local path = root .. folder .. "/" .. name
      if is_file(path) and visit(path) then return true end
    end
  end
end

local linker_folders = { "/lib64", "/usr/lib64", "/lib", "/usr/lib" }

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
  for _, dir in ipairs(linker_folders) do
    if is_file(dir .. "/" .. name) then return dir .. "/" .. name end
  end
end

-- Folders of Python's packages: of the active environment, of the `python3` on PATH, of the user, of the system. Found
-- by their names, since starting Python would take longer than a compilation.
local function python_sites()
  local sites, seen = {}, {}
  local function add(site)
    if not seen[site] and core.stat(site) == "directory" then
      seen[site], sites[#sites + 1] = true, site
    end
  end
  local function add_prefix(prefix)
    for _, lib in ipairs { prefix .. "/lib", prefix .. "/lib64" } do
      local minors = {}
      for _, name in ipairs(core.list_folder(lib) or {}) do
        minors[#minors + 1] = tonumber(name:match "^python3%.(%d+)$")
      end
      table.sort(minors, function(a, b) return a > b end)
      for _, minor in ipairs(minors) do
        add(("%s/python3.%d/site-packages"):format(lib, minor))
        add(("%s/python3.%d/dist-packages"):format(lib, minor)) -- Debian's name of it
      end
      add(lib .. "/python3/dist-packages")
    end
  end
  if env "VIRTUAL_ENV" then add_prefix(env "VIRTUAL_ENV") end
  for dir in (env "PATH" or ""):gmatch "[^:]+" do
    if is_file(dir .. "/python3") then
      local prefix = dir:match "^(/.*)/bin/*$"
      if prefix and prefix ~= "/usr" and prefix ~= "/usr/local" then add_prefix(prefix) end
      break
    end
  end
  local user = env "PYTHONUSERBASE" or env "HOME" and env "HOME" .. "/.local"
  if user then add_prefix(user) end
  add_prefix "/usr/local"
  add_prefix "/usr"
  return sites
end

-- The folders of NVIDIA's wheels: one for all of CUDA 13; before that, one for each wheel, here the named one.
local function wheel_roots(wheel)
  local roots = {}
  for _, site in ipairs(python_sites()) do
    roots[#roots + 1] = site .. "/nvidia/cu13"
    roots[#roots + 1] = site .. "/nvidia/" .. wheel
  end
  return roots
end

local function variable(name)
  return {
    name = name,
    roots = function() return { env(name) } end,
    looked = function() return env(name) or "not set" end,
  }
end

local function root(name, path)
  return {
    name = name,
    roots = function() return { path } end,
    looked = function() return path or "none" end,
  }
end

-- Where a toolkit may be, best first: what the user names, what the system or the active environment has, what
-- `cudalua setup` brought, what the library was built with, what else is installed. roots(wheel) gives roots of
-- toolkits, libraries(names) single files, and looked(wheel) says for an error what was searched.
local places = {
  variable "CUDA_HOME",
  variable "CUDA_PATH",
  {
    name = "the dynamic linker",
    roots = function() return {} end,
    libraries = function(names)
      local paths, cache = {}, core.read_file("/etc/ld.so.cache", 2 ^ 26) or ""
      for _, name in ipairs(names) do paths[#paths + 1] = as_linker(name, cache) end
      return paths
    end,
    looked = function()
      return ("LD_LIBRARY_PATH (%s), /etc/ld.so.cache, %s"):format(env "LD_LIBRARY_PATH" or "not set",
        table.concat(linker_folders, ", "))
    end,
  },
  variable "CONDA_PREFIX",
  {
    name = "cudalua setup",
    roots = function() return setup_folders.list(env) end,
    looked = function() return table.concat(setup_folders.list(env), ", ") end,
  },
  root("the toolkit of the build", core.toolkit),
  {
    name = "Python's packages",
    roots = wheel_roots,
    looked = function(wheel)
      local sites = python_sites()
      return #sites == 0 and "no site-packages or dist-packages found"
        or ("nvidia/cu13 and nvidia/%s in %s"):format(wheel, table.concat(sites, ", "))
    end,
  },
  root("usual folder", "/usr/local/cuda"),
  root("usual folder", "/opt/cuda"),
}

-- Calls visit(path) for each library with one of the names, best first, until it returns true. A later place is looked
-- at only where the ones before it had nothing, or, with `all`, in any case. wheel: the folder of NVIDIA's wheel.
local function search(names, wheel, visit, all)
  for _, place in ipairs(places) do
    local any = false
    local function note(path)
      any = true
      return visit(path)
    end
    for _, path in ipairs(place.libraries and place.libraries(names) or {}) do
      if note(path) then return end
    end
    for _, dir in ipairs(place.roots(wheel)) do
      if in_root(dir, names, note) then return end
    end
    if any and not all then return end
  end
end

-- The places for an error, a line each.
local function looked(names, wheel)
  local lines = { "looked for " .. table.concat(names, ", ") .. " in" }
  for _, place in ipairs(places) do lines[#lines + 1] = ("  %s: %s"):format(place.name, place.looked(wheel)) end
  return table.concat(lines, "\n")
end

---Files with one of these names in the places where toolkits are, best first: those of all places, each once.
---@param names string[]  "libcublasLt.so.13", ...
---@param wheel string    the folder of NVIDIA's wheel before CUDA 13: "cublas"
---@return string[] paths
---@return string looked  which names were looked for, and in which places, a line each
function M.libraries(names, wheel)
  local paths, seen = {}, {}
  search(names, wheel, function(path)
    local real = core.realpath(path) or path
    if not seen[real] then seen[real], paths[#paths + 1] = true, path end
  end, true)
  return paths, looked(names, wheel)
end

local candidates

---Libraries to try, best first; bare names, which go through the dynamic linker, come last.
---@return string[] paths
function M.candidates()
  if candidates then return candidates end
  candidates = { env "CUDALUA_NVRTC" }
  if candidates[1] then return candidates end
  search(nvrtc_names, NVRTC_WHEEL, function(path) candidates[#candidates + 1] = path end)
  for _, name in ipairs(nvrtc_names) do candidates[#candidates + 1] = name end
  return candidates
end

local function first_candidate()
  local first = env "CUDALUA_NVRTC"
  if first then return first:find("/", 1, true) and is_file(first) and first end
  search(nvrtc_names, NVRTC_WHEEL, function(path)
    first = path
    return true
  end)
  return first
end

-- The folder of headers: of the toolkit that the user names, of the one that the library is part of, of any other.
local function include_of(nvrtc)
  local folder = nvrtc:match "^(.*)/[^/]*$" or "."
  local function try(dir) return is_file(dir .. "/cuda_runtime.h") and core.realpath(dir) end
  for _, name in ipairs { "CUDA_HOME", "CUDA_PATH" } do
    local dir = env(name) and try(env(name) .. "/include")
    if dir then return dir end
  end
  for _, up in ipairs { "/..", "/../..", "/../../..", "/../../cuda_runtime" } do
    local dir = try(folder .. up .. "/include")
    if dir then return dir end
  end
  for _, place in ipairs(places) do
    for _, dir in ipairs(place.roots "cuda_runtime") do
      local found_dir = try(dir .. "/include") or try(dir .. "/targets/x86_64-linux/include")
      if found_dir then return found_dir end
    end
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
---@return {path: string, major: integer, minor: integer, archs: integer[]}? info  nil: none loads
---@return string? why  what was tried, and every place that was looked at, one line each
function M.open()
  if opened then return opened end
  local why
  opened, why = core.nvrtc_open(M.candidates())
  if not opened and not env "CUDALUA_NVRTC" then why = why .. looked(nvrtc_names, NVRTC_WHEEL) end
  -- The first candidate need not be the one that loaded.
  if opened and M.find().nvrtc ~= opened.path then take(opened.path) end
  return opened, why
end

return M
