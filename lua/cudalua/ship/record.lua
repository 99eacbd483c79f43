-- Runs a program for `cudalua build`, in a process of its own: exports its kernels when it ends, and writes down which
-- files it used.
--   luajit record.lua RECORD IMAGES ARCHS SCRIPT [arguments]    ARCHS: with commas between them, or empty

-- Taken now: the program may put anything in their place.
local exit, find_file, open, realpath = os.exit, package.searchpath, io.open, require("cudalua.core").realpath
local ffi = require "ffi"
local load_file = loadfile
local insert, remove_file, write_error = table.insert, os.remove, io.stderr
local export, frames, loaded = require "cudalua.ship.export", require "cudalua.text.frames", package.loaded
local record, images, script = arg[1], arg[2], arg[4]

local archs
for arch in arg[3]:gmatch "[^,]+" do
  archs = archs or {}
  insert(archs, arch)
end

-- ---- what is used ---------------------------------------------------------------------------------------------------

local lines, seen = {}, {}

local function note(kind, name, path)
  path = path and (realpath(path) or path) or ""
  local line = ("%s\t%s\t%s"):format(kind, name, path)
  if seen[line] or line:find "\n" then return end
  seen[line] = true
  insert(lines, line)
end

local loaders = package.loaders
local function watch(i, kind, path_of)
  local loader = loaders[i]
  loaders[i] = function(name)
    local chunk = loader(name)
    if type(chunk) == "function" and name ~= "cudalua" and not name:find "^cudalua%." then
      note(kind, name, path_of(name))
    end
    return chunk
  end
end
watch(2, "module", function(name) return find_file(name, package.path) end)
watch(3, "C module", function(name) return find_file(name, package.cpath) end)
watch(4, "C module", function(name) return find_file(name:match "^[^.]*", package.cpath) end)
for i = 5, #loaders do watch(i, "foreign", function() return nil end) end

for _, key in ipairs { "dofile", "loadfile" } do
  local f = _G[key]
  _G[key] = function(path, ...) -- luacheck: ignore 122
    if type(path) == "string" then note("file", key, path) end
    return f(path, ...)
  end
end

local lines_of, load_library = io.lines, ffi.load
function io.open(path, mode, ...) -- luacheck: ignore 122
  local file, why, code = open(path, mode, ...)
  if file and not (mode or "r"):find "[wa+]" then note("read", "io.open", path) end
  return file, why, code
end
function io.lines(path, ...) -- luacheck: ignore 122
  if path then note("read", "io.lines", path) end
  return lines_of(path, ...)
end
function ffi.load(name, ...)
  note("library", name)
  return load_library(name, ...)
end

-- ---- the end --------------------------------------------------------------------------------------------------------

local function write(report)
  local file = open(record, "wb")
  local text = table.concat(lines, "\n") .. "\n"
  if not (file and file:write(tostring(report), "\n\n", text) and file:close()) then
    remove_file(record)
    error("the record cannot be written: " .. record, 0)
  end
end

-- The exit status: the program's, or 1 if its kernels cannot be exported.
local function finish(status)
  if status ~= 0 then return status end
  local ok, failure = frames.call(function()
    require "cudalua" -- if the program did not: the device's architecture is asked for
    write(export(images, archs, true))
  end)
  if ok then return 0 end
  write_error:write("cudalua build: ", frames.text(failure), "\n")
  return 1
end

function os.exit(code, close) -- luacheck: ignore 122
  local status = (code == nil or code == true) and 0 or code == false and 1 or code
  exit(finish(status), close)
end

local arguments = { [-1] = arg[-1], [0] = script }
for i = 5, #arg do arguments[i - 4] = arg[i] end
_G.arg = arguments -- luacheck: ignore 122
local chunk, err = load_file(script)
if not chunk then
  write_error:write("cudalua build: ", err, "\n")
  exit(1, false)
end
local ok, failure = frames.call(chunk, unpack(arguments))
if not ok then
  io.stdout:flush()
  write_error:write("cudalua build: ", frames.text(failure), "\n")
end
local status = finish(ok and 0 or 1)
exit(status, not loaded["cudalua.core"].still_running())
