-- Folders of exported kernels, as cuda.cache.export writes them: looked at before the cache and NVRTC. Nothing is
-- written or removed here. A file has all images of one request; the manifest says which library wrote the folder.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local kernels = require "cudalua.compiler.kernels"
local notice = require "cudalua.base.notice"
local pairs_of = require "cudalua.base.pairs_of"
local payloads = require "cudalua.compiler.payload"
local requests = require "cudalua.compiler.requests"
local toolchain = require "cudalua.compiler.toolchain"
local version = require "cudalua.base.version"

ffi.cdef "unsigned getuid(void); unsigned geteuid(void);"

local M = {}

local MAGIC = "cudalua exported kernel 1\n"
---First line of a manifest; another number is another format.
M.MANIFEST = "cudalua exported kernels 1"
local LIMIT = 2 ^ 29 -- bytes of a file

---An exported request.
---@class cudalua.exported.Entry
---@field key string
---@field files? string[]     SHA-256 of the files that it includes; nil: that could not be said
---@field images cudalua.exported.Image[]
---@field refused? table      the fields of the compiler's error, if it refused the source

---@class cudalua.exported.Image
---@field arch string         "sm_90", or "compute_80" for PTX
---@field cubin? string
---@field ptx? string         beside a cubin only if its kernels are not those of the entry's PTX
---@field lowered table
---@field params table

-- ---- files ----------------------------------------------------------------------------------------------------------

---@param digest string  of the key
---@param files? string[]
---@return string  name of the file
function M.file_name(digest, files)
  local variant = files and files[1] and "-" .. core.sha256(table.concat(files)):sub(1, 16) or ""
  return digest .. variant .. ".kernel"
end

---@param entry cudalua.exported.Entry
---@return string
function M.encode(entry)
  local bytes = payloads.encode(entry)
  return MAGIC .. core.sha256(bytes) .. "\n" .. bytes
end

---@param path string
---@return cudalua.exported.Entry? entry
---@return string? why
function M.read(path)
  local text = core.read_file(path, LIMIT)
  if not text then return nil, "it cannot be read" end
  if text:sub(1, #MAGIC) ~= MAGIC then return nil, "it is not a file of an exported kernel in this library's format" end
  local digest, bytes = text:sub(#MAGIC + 1, #MAGIC + 64), text:sub(#MAGIC + 66)
  if core.sha256(bytes) ~= digest then return nil, "it is damaged or truncated" end
  local entry = payloads.decode(bytes)
  if type(entry) ~= "table" then return nil, "it is damaged" end
  return entry
end

-- ---- folders --------------------------------------------------------------------------------------------------------

---@class cudalua.exported.Folder
---@field path string
---@field archs string
---@field sealed boolean  part of a built program: files on this machine say nothing about its sources
---@field files table<string, string[]>  names by the digest of the key

local folders ---@type cudalua.exported.Folder[]?
local unusable = {} -- what CUDALUA_KERNELS names in vain, and why
M.taken = 0 -- results that came from a folder, in this process

---What the manifest says.
---@param path string  of the folder
---@return {library: string, archs: string, sealed: boolean, text: string}? manifest
---@return string? why
function M.manifest(path)
  local text = core.read_file(path .. "/manifest", LIMIT)
  if not text then
    return nil, core.stat(path) and "it has no manifest: it is not a folder of exported kernels" or "it does not exist"
  end
  local first = text:match "^[^\n]*"
  if first ~= M.MANIFEST then
    return nil, ("its manifest begins with '%s', but this library reads '%s'"):format(first:sub(1, 80), M.MANIFEST)
  end
  return {
    library = text:match "\nlibrary ([^\n]+)" or "?", archs = text:match "\narchs ([^\n]+)" or "none",
    sealed = text:find("\nsealed", 1, true) ~= nil, text = text,
  }
end

local function open(path)
  local real = core.realpath(path) or path
  local manifest, why = M.manifest(real)
  if manifest and manifest.library ~= version.VERSION_TEXT then
    manifest, why = nil, ("cudalua %s exported it, but this is cudalua " ..
      "%s"):format(manifest.library, version.VERSION_TEXT)
  end
  if not manifest then return nil, why end
  local files = {}
  for _, name in ipairs(core.list_folder(real) or {}) do
    local digest = name:match "^(%x+)[-%x]*%.kernel$"
    if digest and #digest == 64 then
      files[digest] = files[digest] or {}
      table.insert(files[digest], name)
    end
  end
  for _, names in pairs_of(files) do table.sort(names) end
  return { path = real, archs = manifest.archs, sealed = manifest.sealed, files = files }
end

-- The folders in use. CUDALUA_KERNELS is a list with colons; a program with another user's rights does not look at it.
local function in_use()
  if folders then return folders end
  folders = {}
  local named = ffi.C.getuid() == ffi.C.geteuid() and os.getenv "CUDALUA_KERNELS" or ""
  for path in named:gmatch "[^:]+" do
    local folder, why = open(path)
    folders[#folders + 1] = folder
    if not folder then
      unusable[#unusable + 1] = path .. ": " .. why
      notice(("kernels in %s are not used: %s"):format(path, why))
    end
  end
  return folders
end

---Looks into a folder from now on, before those that are in use.
---@param path string
---@return cudalua.exported.Folder? folder
---@return string? why
function M.use(path)
  local folder, why = open(path)
  if not folder then return nil, why end
  local list = in_use()
  for i = #list, 1, -1 do
    if list[i].path == folder.path then table.remove(list, i) end
  end
  table.insert(list, 1, folder)
  return folder
end

---Is any folder in use?
---@return boolean
function M.any() return in_use()[1] ~= nil end

---@return string[] paths
function M.folders()
  local paths = {}
  for i, folder in ipairs(in_use()) do paths[i] = folder.path end
  return paths
end

-- ---- images ---------------------------------------------------------------------------------------------------------

-- Chips whose code no other chip of their generation runs.
local apart = { [53] = true, [62] = true, [72] = true, [87] = true, [101] = true, [110] = true }

---How well an image of this architecture suits a device: the higher the better; nil: it does not run there.
---@param arch string  "sm_80", "compute_90a"
---@param cc integer   the device's compute capability: 90
---@return integer?
function M.suits(arch, cc)
  local kind, digits, suffix = arch:match "^(%l+)_(%d+)(%l?)$"
  local number = tonumber(digits)
  if not number or number > cc then return nil end
  local family = math.floor(number / 10) == math.floor(cc / 10)
  if suffix == "a" and number ~= cc or suffix == "f" and not family then return nil end
  if kind ~= "sm" then return number end -- PTX
  if number ~= cc and (not family or apart[number] or apart[cc]) then return nil end
  return 1000 + number
end

-- The images of an entry that suit, best first. With an architecture in the request, the one for it.
local function ordered(entry, job)
  local driver, cc = core.driver_info(), 80 -- the software device runs PTX up to this
  local context = driver.open and core.classes.Context.get_current()
  if context and not driver.soft then
    local major, minor = core.classes.Context.get_device():compute_capability()
    cc = 10 * major + minor
  elseif not context then
    cc = 999 -- for a device that is not known, any PTX
  end
  local list, rank = {}, {}
  for _, image in ipairs(entry.images) do
    local suits
    if job.arch or image.arch == "given" then
      suits = image.arch:find "^sm" and 1000 or 1
    else
      suits = M.suits(image.arch, cc)
    end
    if job.target and not image[job.target] or driver.soft and not job.target and image.cubin then suits = nil end
    if suits then list[#list + 1], rank[image] = image, suits end
  end
  table.sort(list, function(a, b) return rank[a] > rank[b] end)
  return list
end

local function result_of(entry, image, job)
  local ptx = image.ptx
  for _, other in ipairs(entry.images) do ptx = ptx or other.ptx end
  return {
    ok = true, cubin = image.cubin, ptx = ptx, lowered = image.lowered, params = image.params, arch = image.arch,
    image = job.target and image[job.target] or not job.target and (image.cubin or image.ptx) or nil,
  }
end

-- ---- lookups --------------------------------------------------------------------------------------------------------

-- The entry among several of the same request: the one whose included files are those on this machine. Nil and why.
local function variant(folder, entries, files_of)
  if #entries == 1 and (folder.sealed or not (entries[1].files and entries[1].files[1])) then return entries[1] end
  local present, fitting = files_of() or {}, {}
  for _, entry in ipairs(entries) do
    local has, fits = {}, true
    for _, digest in ipairs(entry.files or {}) do has[digest] = true end
    for _, digest in ipairs(present) do fits = fits and has[digest] end
    if fits then fitting[#fitting + 1] = entry end
  end
  if #fitting == 1 then return fitting[1] end
  if #fitting > 1 then return nil, "it was exported with several versions of its headers; they are not available to " ..
    "tell which" end
  return nil, "the files that it includes have changed since the export", #entries == 1 and entries[1] or nil
end

---What was exported for a job.
---@param job cudalua.CompileJob
---@param files_of fun(): string[]?  SHA-256 of the files on this machine that the source includes
---@return table? result  as of a compilation, with `others`, further images that may load if this one does not
---@return string[]? why  a line for each folder
---@raise CompileError if the compiler refused the source before the export; RuntimeError for a damaged file
function M.find(job, files_of)
  local list = in_use()
  if not list[1] then return nil end
  local key, digest = requests.key(job)
  local why = {}
  for _, folder in ipairs(list) do
    local function miss(text) why[#why + 1] = ("%s (%s): %s"):format(folder.path, folder.archs, text) end
    local entries = {}
    for _, name in ipairs(folder.files[digest] or {}) do
      local path = folder.path .. "/" .. name
      local entry, problem = M.read(path)
      if entry and entry.key ~= key then entry, problem = nil, "it belongs to another kernel" end
      if not entry then
        errors.raise("RuntimeError", ("%s: the exported kernel %s cannot be used: %s"):format(job.where, path,
          problem), { hint = "export the kernels again, or copy the folder again" })
      end
      entries[#entries + 1] = entry
    end
    if not entries[1] then
      miss "not in it"
    else
      local entry, problem, stale = variant(folder, entries, files_of)
      if stale and not toolchain.open() then
        notice(("%s: %s; using the exported kernel"):format(job.name, problem))
        entry = stale
      end
      if entry and entry.refused then
        errors.raise("CompileError", entry.refused.message, entry.refused.fields)
      end
      local images = entry and ordered(entry, job) or {}
      if images[1] then
        local result = result_of(entry, images[1], job)
        result.others, result.folder = {}, folder.path
        for i = 2, #images do result.others[i - 1] = result_of(entry, images[i], job) end
        M.taken = M.taken + 1
        return result
      end
      miss(problem or "none of its images is for this device")
    end
  end
  return nil, why
end

---What an error calls the source of a job: "kernel.cu (saxpy)".
---@param job cudalua.CompileJob
---@return string
function M.title(job)
  local names = {}
  for name in pairs_of(kernels.find(job.source)) do names[#names + 1] = name end
  table.sort(names)
  for _, expression in ipairs(job.expressions) do names[#names + 1] = expression end
  if #names > 4 then names = { names[1], names[2], names[3], "..." } end
  return job.name .. (names[1] and " (" .. table.concat(names, ", ") .. ")" or "")
end

---Raises the error of a job that no folder has, where NVRTC is not found; returns if no folder is in use.
---@param job cudalua.CompileJob
---@param why string[]?     of find()
---@param nvrtc string      where NVRTC was looked for
function M.missing(job, why, nvrtc)
  local lines = {}
  for _, text in ipairs(why or {}) do lines[#lines + 1] = text end
  for _, text in ipairs(unusable) do lines[#lines + 1] = text end
  if not lines[1] then return end
  local hint = "before cuda.cache.export, run the part of the program that needs this kernel; name this device's " ..
    "architecture; or install NVRTC"
  if job.opts.debug or job.target == "ltoir" then
    hint = "LTO-IR and code with debug = true are not exported: they need NVRTC"
  end
  errors.raise("RuntimeError", ("%s: %s is not among the exported kernels, and NVRTC is not available to compile it")
    :format(job.where, M.title(job)), {
    detail = table.concat(lines, "\n") .. "\n" .. nvrtc,
    hint = hint,
  })
end

return M
