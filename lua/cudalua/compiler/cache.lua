-- The disk cache of compilations. compiler.lua describes one as a request; here that becomes a key, and the key finds
-- what came of it last time. cachedir.c looks after the files, and believes none of them.
--
-- A key is a list of fields, each with a length, so that no two lists look the same: what the library adds to sources,
-- the toolchain, the options, the source, every file of the user's that it may include. Long fields stand as their
-- SHA-256. The SHA-256 of the whole is the entry's name, and the whole is in the entry.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local includes = require "cudalua.compiler.includes"
local notice = require "cudalua.base.notice"
local payloads = require "cudalua.compiler.payload"
local toolchain = require "cudalua.compiler.toolchain"
local version = require "cudalua.base.version"

local M = {}

local FORMAT = "1" -- of the payload; the file's own is in cachedir.c
local LONG = 256 -- bytes from which a field is stored as its hash

local counts = { hits = 0, misses = 0, stores = 0 }

local level = os.getenv "CUDALUA_DEBUG" or ""

---Lines about each lookup and compilation go to cuda.on_notice: CUDALUA_DEBUG=1. 2: launches too (launch/trace.c).
M.debug = level ~= "" and level ~= "0"
---Sources that are compiled, too: CUDALUA_DEBUG=3.
M.debug_sources = (tonumber(level) or 0) >= 3

local warned = {}
local function warn_once(kind, text)
  if warned[kind] then return end
  warned[kind] = true
  notice(text)
end

local function env(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

-- ---- the folder ---------------------------------------------------------------------------------------------

local function default_path()
  local given = env "CUDALUA_CACHE_DIR"
  if given then return given end
  local xdg, home = env "XDG_CACHE_HOME", env "HOME"
  if xdg and xdg:sub(1, 1) == "/" then return xdg .. "/cudalua" end -- a relative one counts as none
  return home and home .. "/.cache/cudalua"
end

local size_limit
local function limit()
  if size_limit then return size_limit end
  size_limit = 512 * 2 ^ 20
  local given = env "CUDALUA_CACHE_SIZE"
  if given then
    local digits, unit = given:match "^%s*(%d+)%s*([kKmMgG]?)[iI]?[bB]?%s*$"
    if digits then
      size_limit = tonumber(digits) * (({ k = 2 ^ 10, m = 2 ^ 20, g = 2 ^ 30 })[unit:lower()] or 1)
    else
      notice(("CUDALUA_CACHE_SIZE is %q; expected bytes, or a number with K, M or G"):format(given))
    end
    size_limit = math.min(size_limit, 2 ^ 52)
  end
  return size_limit
end

local folders = {} -- path -> open folder, or false

-- The folder to use, or nil and why there is none.
local function folder(cache_dir)
  if cache_dir == false then return nil, "cache_dir is false" end
  if env "CUDALUA_DISABLE_CACHE" then return nil, "CUDALUA_DISABLE_CACHE is set" end
  if limit() == 0 then return nil, "CUDALUA_CACHE_SIZE is 0" end
  local path = cache_dir or default_path()
  if not path then return nil, "HOME is not set" end
  local dir = folders[path]
  if dir == nil then
    local why
    dir, why = core.cache_open(path)
    folders[path] = dir or false
    if not dir then warn_once("folder " .. path, ("compiled kernels are not cached in %s: %s"):format(path, why)) end
  end
  if not dir then return nil, path .. " is not used" end
  return dir, nil, path
end

-- ---- keys ---------------------------------------------------------------------------------------------------

-- What the library itself puts around a source decides about the result as well: its own files, by size and time.
local own
local function own_stamp()
  if own then return own end
  local base = debug.getinfo(1, "S").source:match "^@(.*)compiler/cache%.lua$"
  local lines = { version.VERSION_TEXT }
  local function add(path)
    local _, bytes, changed = core.stat(path)
    if not bytes then errors.raise("RuntimeError", "the library's own file was not found: " .. path) end
    lines[#lines + 1] = ("%s %s"):format(tostring(bytes), tostring(changed))
  end
  local others = { "compiler.lua", "types/source.lua", "types/signature.lua", "types/typename.lua" }
  for _, file in ipairs(others) do add(base .. file) end
  local more = core.list_folder(base .. "compiler") or {}
  table.sort(more)
  for _, file in ipairs(more) do add(base .. "compiler/" .. file) end
  for _, path in ipairs(require("cudalua.compiler.names").files()) do add(path) end
  for _, path in ipairs(require("cudalua.compiler.references").files()) do add(path) end
  own = table.concat(lines, "\n")
  return own
end

-- "label text" as a field: long ones become "label sha256 digits bytes".
local function add_field(fields, text)
  if #text > LONG then
    text = ("%s sha256 %s %d"):format(text:sub(1, 40):match "^[%w_.-]+" or "field", core.sha256(text), #text)
  end
  fields[#fields + 1] = ("%d:%s\n"):format(#text, text)
end

local function fields_of(key)
  local fields, at = {}, 1
  while at <= #key do
    local length, first = key:match("^(%d+):()", at)
    if not length then return nil end
    fields[#fields + 1] = key:sub(first, first + tonumber(length) - 1)
    at = first + tonumber(length) + 1
  end
  return fields
end

-- The request's key, and how many files of the user's are in it; nil and why it must not be cached.
local function key_of(request)
  local files, why = includes.collect(request)
  if not files then return nil, why end
  if not toolchain.find().stamp then toolchain.open() end
  local stamp = toolchain.find().stamp
  if not stamp then return nil, "NVRTC was not found" end
  local fields = {}
  add_field(fields, "name " .. request.name)
  add_field(fields, "format " .. FORMAT)
  add_field(fields, "library " .. own_stamp())
  add_field(fields, "toolchain " .. stamp)
  add_field(fields, "target " .. request.target)
  add_field(fields, "append_flags " .. (os.getenv "NVRTC_APPEND_FLAGS" or ""))
  add_field(fields, request.extern_c and "extern_c yes" or "extern_c no")
  local lines, machine_code = false, request.target == "ltoir"
  for _, text in ipairs(request.fields or {}) do
    add_field(fields, text)
    lines = lines or text:find("lineinfo", 1, true)
    machine_code = machine_code or text:find("arch[^=]*=sm_")
  end
  -- Line information holds the source's full path; compiler.lua puts that right in PTX alone.
  if lines and machine_code and request.name:sub(1, 1) ~= "/" then
    add_field(fields, "cwd " .. tostring(core.realpath "."))
  end
  add_field(fields, "source " .. request.source)
  for _, line in ipairs(files) do add_field(fields, "file " .. line) end
  return table.concat(fields), #files, stamp
end

-- ---- lookups ------------------------------------------------------------------------------------------------

local function explain(text, ...) notice("cache: " .. text:format(...)) end

-- What keeps the nearest entry of the same program from being the one: CUDALUA_DEBUG asks, nobody else.
local function explain_miss(slot)
  local mine, nearest, least = fields_of(slot.key), nil, math.huge
  local entries = core.cache_list(slot.dir)
  local looked = 0
  for i = #entries - 1, 1, -2 do -- the newest are last
    local key = core.cache_key(slot.dir, entries[i])
    local fields = key and fields_of(key)
    looked = looked + 1
    if looked > 500 then break end
    if fields and fields[1] == mine[1] then
      local differing = {}
      for k = 1, math.max(#fields, #mine) do
        if fields[k] ~= mine[k] then differing[#differing + 1] = k end
      end
      if #differing < least then nearest, least = { fields = fields, differing = differing }, #differing end
    end
  end
  if not nearest then return explain("%s: miss, no entry of that name", slot.what) end
  local lines = {}
  for i = 1, math.min(3, #nearest.differing) do
    local k = nearest.differing[i]
    lines[i] = ("now [%s], then [%s]"):format(mine[k] or "none", nearest.fields[k] or "none")
  end
  explain("%s: miss, the nearest entry differs in %d field%s: %s", slot.what, #nearest.differing,
    #nearest.differing == 1 and "" or "s", (table.concat(lines, "; "):gsub("\n", " ")))
end

---A place in the cache for what comes of a request.
---@param request table  what compiler.lua makes of its arguments
---@param opts? {cache_dir: string|false|nil}
---@return table? slot   nil: this one is not cached
---@return string? why   why not
function M.open(request, opts)
  local dir, why, path = folder((opts or {}).cache_dir)
  local key, files, stamp
  if dir then
    key, files, stamp = key_of(request)
    if not key then why = files end
  end
  if not key then
    M.why = why
    if M.debug then explain("%s: not cached: %s", request.name, why) end
    return nil, why
  end
  return {
    dir = dir, path = path, key = key, name = core.sha256(key), what = request.name, files = files, stamp = stamp,
    request = request,
  }
end

---@param slot table
---@return table? payload  nil: a miss
function M.get(slot)
  local bytes, why = core.cache_read(slot.dir, slot.name, slot.key)
  local payload = bytes and payloads.decode(bytes)
  if payload then
    counts.hits = counts.hits + 1
    if M.debug then explain("%s: hit, %s/%s", slot.what, slot.path, slot.name) end
    return payload
  end
  counts.misses = counts.misses + 1
  if M.debug then
    if why then
      explain("%s: miss, the entry %s was removed: %s", slot.what, slot.name, why)
    else
      explain_miss(slot)
    end
  end
  return nil
end

local put_bytes = 0 -- since this process last looked at the size of the cache

-- Looking at every entry's size takes longer than writing one, so it is done for one in 64, by chance (the key's
-- digits), and by those who write much.
local function evict_sometimes(slot, bytes)
  put_bytes = put_bytes + bytes
  if put_bytes < limit() / 64 and tonumber(slot.name:sub(1, 2), 16) % 64 ~= 0 then return end
  put_bytes = 0
  core.cache_evict(slot.dir, limit())
end

---Stores what came of a request.
---@param slot table
---@param payload table  of strings, numbers, booleans and such tables
---@return boolean stored
function M.put(slot, payload)
  -- A header that was edited meanwhile may have been compiled either way, and the NVRTC that loaded may be another
  -- than the one that was found first: such a result belongs to no key.
  if (slot.files > 0 or toolchain.find().stamp ~= slot.stamp) and key_of(slot.request) ~= slot.key then
    if M.debug then explain("%s: not stored: a header or the compiler changed meanwhile", slot.what) end
    return false
  end
  local bytes = payloads.encode(payload)
  local size = #bytes + #slot.key
  local ok, why
  if size > limit() / 4 then
    why = "it is too large for CUDALUA_CACHE_SIZE"
  else
    ok, why = core.cache_write(slot.dir, slot.name, slot.key, bytes)
    if not ok then
      warn_once("write " .. slot.path, ("compiled kernels cannot be written to %s: %s"):format(slot.path, why))
    end
  end
  if ok then
    counts.stores = counts.stores + 1
    evict_sometimes(slot, size)
  end
  if M.debug then explain("%s: %s", slot.what, ok and "stored, " .. size .. " bytes" or "not stored: " .. why) end
  return ok or false
end

---@class cudalua.CacheInfo
---@field dir string?  the folder; nil: caching is off
---@field why string?  the reason if caching is off
---@field entries integer  the number of cached kernels
---@field bytes integer  the size of all entries
---@field limit integer  the maximum size in bytes; if it is exceeded, the least recently used entries are removed
---@field hits integer  kernels that this process found in the cache
---@field misses integer  kernels that this process did not find in the cache
---@field stores integer  kernels that this process added to the cache

---@class cudalua
local cuda = {}

---Returns information about the disk cache of compiled kernels, and this process's use of it.
---@return cudalua.CacheInfo info
function cuda.cache_info()
  local dir, why, path = folder()
  local list = dir and core.cache_list(dir) or {}
  local bytes = 0
  for i = 2, #list, 2 do bytes = bytes + list[i] end
  return { dir = path, why = why, entries = #list / 2, bytes = bytes, limit = limit(), hits = counts.hits,
    misses = counts.misses, stores = counts.stores }
end

---Removes every entry of the disk cache. Running programs continue, and compile again.
---@return integer entries  the number of removed entries
function cuda.clear_cache()
  local dir = folder()
  if not dir then return 0 end
  local entries = #core.cache_list(dir) / 2
  core.cache_evict(dir, 0)
  return entries
end

M.cache_info, M.clear_cache = cuda.cache_info, cuda.clear_cache

return M
