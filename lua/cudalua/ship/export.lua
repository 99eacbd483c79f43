-- Writes the kernels that this process asked the compiler for into a folder, for the devices that are named. A file has
-- one request with its images and is replaced as a whole; another export into the same folder adds to it.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local exported = require "cudalua.compiler.exported"
local files = require "cudalua.ship.files"
local nvrtc = require "cudalua.compiler.nvrtc"
local pairs_of = require "cudalua.base.pairs_of"
local requests = require "cudalua.compiler.requests"
local toolchain = require "cudalua.compiler.toolchain"
local version = require "cudalua.base.version"

local WHERE = "cache.export"

local function refuse(text, ...) errors.raise("LogicError", WHERE .. ": " .. text:format(...)) end

-- ---- arguments ------------------------------------------------------------------------------------------------------

local function number_of(arch) return tonumber(arch:match "%d+") end

-- That of the current device. The software device runs PTX of compute_80.
local function default_archs()
  core.want_context()
  if core.driver_info().soft then return { "compute_80" } end
  local major, minor = core.classes.Context.get_device():compute_capability()
  return { ("sm_%d%d"):format(major, minor) }
end

-- The architectures to compile for, each once, the oldest first, and PTX of the oldest.
local function read_archs(archs, info)
  if archs == nil then archs = default_archs() end
  if type(archs) == "string" then archs = { archs } end
  if type(archs) ~= "table" or #archs == 0 then
    refuse("archs must be a list such as {'sm_80', 'sm_90'}, got %s", errors.text(archs))
  end
  local list, known, oldest = {}, {}, nil
  for i, arch in ipairs(archs) do
    if type(arch) ~= "string" or not (arch:find "^sm_%d+%l?$" or arch:find "^compute_%d+%l?$") then
      refuse("archs[%d] must be 'sm_90' (machine code) or 'compute_90' (PTX), got %s", i, errors.text(arch))
    end
    local supported = #info.archs == 0
    for _, number in ipairs(info.archs) do supported = supported or number == number_of(arch) end
    if not supported then
      refuse("NVRTC %d.%d does not compile for %s; it compiles for %s", info.major, info.minor, arch,
        table.concat(info.archs, ", "))
    end
    if not known[arch] then known[arch], list[#list + 1] = true, arch end
    if not oldest or number_of(arch) < number_of(oldest) then oldest = arch end
  end
  local ptx = oldest:gsub("^sm_", "compute_"):gsub("%l$", "")
  if not known[ptx] then list[#list + 1] = ptx end
  table.sort(list, function(a, b)
    if number_of(a) ~= number_of(b) then return number_of(a) < number_of(b) end
    return a > b
  end)
  return list
end

-- ---- files ----------------------------------------------------------------------------------------------------------

local function make_folders(path)
  files.make_parents(path .. "/")
  if core.stat(path) ~= "directory" then
    errors.raise("RuntimeError", ("%s: the folder %s cannot be made"):format(WHERE, path))
  end
end

-- As a whole: a reader sees the old file or the new one.
local function write(path, text)
  local temporary = ("%s.%s"):format(path, core.sha256(text .. tostring {}):sub(1, 12))
  local why, moved = files.write(temporary, text), nil
  if not why then moved, why = os.rename(temporary, path) end
  if not moved then
    os.remove(temporary)
    errors.raise("RuntimeError", ("%s: %s cannot be written: %s"):format(WHERE, path, why))
  end
end

-- ---- images ---------------------------------------------------------------------------------------------------------

-- The kernels of PTX with their parameters: what a program sees of it.
local function entries_of(ptx)
  local list = {}
  for text in ptx:gmatch "%.entry%s+[%w_$]+%s*%b()" do list[#list + 1] = text end
  return table.concat(list)
end

-- Which driver runs what is exported. PTX comes along with machine code.
local function needed_driver(archs, info)
  local ptx = ("a driver for CUDA %d.%d for PTX"):format(info.major, info.minor)
  for _, arch in ipairs(archs) do
    if arch:find "^sm_" then return ("a driver for CUDA %d for machine code, for CUDA %d.%d for PTX"):format(info.major,
      info.major, info.minor) end
  end
  return ptx
end

-- For one architecture a compilation gives machine code and PTX. The latter is kept if it is asked for, or if it has
-- other kernels than that of the oldest, from which a program takes the types of parameters.
local function images_of(result, arch, wanted, kernels_of_ptx)
  local function image(name) return { arch = name, lowered = result.lowered, params = result.params } end
  local list = {}
  if result.cubin then
    local one = image(arch)
    one.cubin = result.cubin
    if result.ptx and entries_of(result.ptx) ~= kernels_of_ptx then one.ptx = result.ptx end
    list[1] = one
  end
  local ptx_arch = arch:gsub("^sm_", "compute_")
  if result.ptx and (wanted[ptx_arch] or not result.cubin) then
    local one = image(ptx_arch)
    one.ptx = result.ptx
    list[#list + 1] = one
  end
  return list
end

local function variation(job, arch)
  return setmetatable({ arch = arch }, { __index = job })
end

-- The architectures for a request: those that the program gave it, or the export's.
local function archs_of(job, archs)
  if job.arch then
    local ptx = job.arch:gsub("^sm_", "compute_")
    return { job.arch, ptx ~= job.arch and not job.target and ptx or nil }
  end
  for _, text in ipairs(job.options) do
    if text:find "^%-%-?arch" or text:find "^%-%-?gpu%-architecture" then return { "given" } end
  end
  local list = {}
  for _, arch in ipairs(archs) do
    local is_ptx = arch:find "^compute" ~= nil
    if not job.target or is_ptx == (job.target == "ptx") then list[#list + 1] = arch end
  end
  return list
end

-- All images of a request, and what failed.
local function compile(job, archs)
  local wanted, images, failures, oldest = {}, {}, {}, nil
  local list = archs_of(job, archs)
  for _, arch in ipairs(list) do wanted[arch] = true end
  for _, arch in ipairs(list) do
    -- Machine code of this architecture brings its PTX along.
    local with_code = arch:find "^compute" and wanted[arch:gsub("^compute", "sm")] and not job.target
    if not with_code then
      local ok, result = pcall(nvrtc.make, arch == "given" and job or variation(job, arch))
      if ok then
        if result.ptx then oldest = oldest or entries_of(result.ptx) end
        for _, image in ipairs(images_of(result, arch, wanted, oldest)) do images[#images + 1] = image end
      elseif errors.is_error(result, "CompileError") then
        failures[#failures + 1] = { arch = arch, err = result }
      else
        error(result, 0)
      end
    end
  end
  return images, failures
end

local error_fields = { "log", "hint", "excerpt", "msg", "stdout", "stderr" }

-- A source that the compiler refused is refused by a shipped program, too, which may have another one for the case.
local function refusal(err)
  local fields = {}
  for _, name in ipairs(error_fields) do fields[name] = err[name] end
  return { message = err.message, fields = fields }
end

local function merge(entry, old)
  if not old or old.key ~= entry.key or entry.refused then return entry end
  local known = {}
  for _, image in ipairs(entry.images) do known[image.arch] = true end
  for _, image in ipairs(old.images) do
    if not known[image.arch] then entry.images[#entry.images + 1] = image end
  end
  return entry
end

-- ---- the report -----------------------------------------------------------------------------------------------------

---The report of cuda.cache.export. tostring() returns it as text.
---@class cudalua.ExportReport
---@field dir string  the folder
---@field archs string[]   "sm_80": machine code, "compute_80": PTX
---@field nvrtc string  the version of the compiler
---@field driver string  the driver that the images require
---@field kernels {name: string, file: string, archs: string[], bytes: integer}[]  the exported kernels
---@field bytes integer  the size of all images
---@field refused string[]  sources that the compiler rejected, in the run and in the export
---@field failed {name: string, arch: string, message: string}[]  images that could not be created
---@field left {name: string, why: string}[]  compilations that cannot be exported
---@field notes string[]  other remarks
local Report = {}
Report.__index = Report
Report.__name = "cudalua.ExportReport"

function Report:__tostring()
  local lines = { ("%d kernels in %s for %s, %.1f KB"):format(#self.kernels, self.dir, table.concat(self.archs, ", "),
    self.bytes / 1024) }
  local function add(text, ...) lines[#lines + 1] = "  " .. text:format(...) end
  add("they need %s", self.driver)
  for _, one in ipairs(self.failed) do add("not for %s: %s: %s", one.arch, one.name, one.message) end
  for _, one in ipairs(self.left) do add("not exported: %s: %s", one.name, one.why) end
  for _, name in ipairs(self.refused) do add("the compiler refuses %s, and so will the program", name) end
  for _, text in ipairs(self.notes) do add("%s", text) end
  return table.concat(lines, "\n")
end

-- Rows of kernels that an earlier export wrote.
local function old_rows(manifest)
  local rows = {}
  for file, rest in (manifest and manifest.text or ""):gmatch "\nkernel (%S+) ([^\n]*)" do rows[file] = rest end
  return rows
end

local function union(a, b)
  local list, known = {}, {}
  for _, names in ipairs { a, b } do
    for _, name in ipairs(names) do
      if not known[name] then known[name], list[#list + 1] = true, name end
    end
  end
  return list
end

local function words(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return list
end

local function write_manifest(report, rows, old, sealed)
  local lines = { exported.MANIFEST, "library " .. version.VERSION_TEXT, "nvrtc " .. report.nvrtc,
    "archs " .. table.concat(union(old and words(old.archs) or {}, report.archs), " "), "needs " .. report.driver }
  if sealed or old and old.sealed then lines[#lines + 1] = "sealed" end
  for _, one in ipairs(report.kernels) do
    rows[one.file] = ("%s: %s"):format(one.name:gsub("%c", " "), table.concat(one.archs, " "))
  end
  local names = {}
  for file in pairs_of(rows) do names[#names + 1] = file end
  table.sort(names)
  for _, file in ipairs(names) do lines[#lines + 1] = ("kernel %s %s"):format(file, rows[file]) end
  write(report.dir .. "/manifest", table.concat(lines, "\n") .. "\n")
end

-- ---- the whole ------------------------------------------------------------------------------------------------------

-- Writes the entry of a request, if there is any image.
local function export_one(report, job, archs, variants)
  local title = exported.title(job)
  local images, failures = compile(job, archs)
  local entry = { images = images, files = nvrtc.files_of(job) }
  for _, failure in ipairs(failures) do
    if images[1] or not job.refused then
      report.failed[#report.failed + 1] = { name = title, arch = failure.arch, message = failure.err.message }
    end
  end
  if not images[1] then
    if not (failures[1] and job.refused) then return end
    entry.refused = refusal(failures[#failures].err)
    report.refused[#report.refused + 1] = title
  end
  if not entry.files then
    report.notes[#report.notes + 1] = ("%s: the files that it includes are not known; changes to them go unnoticed")
      :format(title)
  end
  local digest
  entry.key, digest = requests.key(job)
  local file = exported.file_name(digest, entry.files)
  local path = report.dir .. "/" .. file
  entry = merge(entry, exported.read(path))
  local bytes = exported.encode(entry)
  write(path, bytes)
  if variants[digest] and variants[digest] ~= file then
    report.notes[#report.notes + 1] = title .. ": exported with several versions of its headers, which must be " ..
      "beside the program to tell which one it is"
  end
  variants[digest] = file
  local names = {}
  for i, image in ipairs(entry.images) do names[i] = image.arch end
  report.bytes = report.bytes + #bytes
  table.insert(report.kernels, { name = title, file = file, archs = names, bytes = #bytes })
end

---@param dir string
---@param archs? string[]
---@param sealed? boolean  files on the machine where the program runs say nothing about its sources
---@return cudalua.ExportReport
return function(dir, archs, sealed)
  if type(dir) ~= "string" or dir == "" or dir:find "%z" then
    refuse("expected a folder's path, got %s", errors.text(dir))
  end
  local info, why = toolchain.open()
  if not info then
    errors.raise("RuntimeError", WHERE .. ": NVRTC, which compiles for the architectures, was not found", {
      detail = why, hint = "export on a machine that has it; the folder then runs without it",
    })
  end
  archs = read_archs(archs, info)
  make_folders(dir)
  local old, problem = exported.manifest(dir)
  if not old and (core.list_folder(dir) or {})[1] then
    errors.raise("RuntimeError", ("%s: %s is in use for something else: %s"):format(WHERE, dir, problem), {
      hint = "choose a new folder",
    })
  end
  if old and old.library ~= version.VERSION_TEXT then
    errors.raise("RuntimeError", ("%s: cudalua %s exported to %s, this is cudalua %s"):format(WHERE, old.library, dir,
      version.VERSION_TEXT), { hint = "remove the folder, or choose a new one" })
  end
  local report = setmetatable({
    dir = core.realpath(dir) or dir, archs = archs, nvrtc = info.major .. "." .. info.minor,
    driver = needed_driver(archs, info),
    kernels = {}, bytes = 0, refused = {}, failed = {}, left = {}, notes = {},
  }, Report)
  local jobs, left, dropped = requests.all()
  for i, one in ipairs(left) do report.left[i] = { name = one.name, why = one.why } end
  if (os.getenv "NVRTC_APPEND_FLAGS" or "") ~= "" then
    report.notes[1] = "NVRTC_APPEND_FLAGS was set: its options are in the images"
  end
  if dropped > 0 then
    report.notes[#report.notes + 1] = ("%d compilations were too many to be remembered: they are missing")
      :format(dropped)
  end
  local variants, rows = {}, old_rows(old)
  write_manifest(report, rows, old, sealed) -- so that a folder that is cut short is one of ours
  local ok, err = pcall(function()
    for i = 1, #jobs do
      core.progress_part(i, #jobs)
      export_one(report, jobs[i], archs, variants)
    end
  end)
  core.progress_part()
  if not ok then error(err, 0) end
  write_manifest(report, rows, old, sealed)
  return report
end
