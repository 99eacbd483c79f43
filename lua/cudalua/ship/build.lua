-- `cudalua build`: runs a program, then puts it into a folder with its modules, the library and its kernels. What the
-- run used is what record.lua wrote down; start.lua starts the program from there.

local core = require "cudalua.core"
local devicecode = require "cudalua.base.devicecode"
local disk = require "cudalua.ship.files"
local ffi = require "ffi"
local version = require "cudalua.base.version"

ffi.cdef "int chmod(const char *path, unsigned mode); unsigned umask(unsigned mask);"

local FIRST_LINE = "Written by cudalua build, format 1"
local HERE = debug.getinfo(1, "S").source:match "^@(.*)ship/build%.lua$" -- .../cudalua/

local usage = [[
usage: cudalua build PROGRAM.lua -o FOLDER [options] [-- arguments]
  -o FOLDER      what is written: FOLDER/PROGRAM starts the program; a folder that build wrote is replaced
  --arch LIST    devices to compile for, such as sm_80,sm_90; PTX for the lowest is added;
                 default: the current device's, or compute_80 of the software device
  --add PATH     a file or folder below the program's own: data, or modules that the run does not load
  --also "ARGS"  run the program once more with these arguments; may be given several times
Runs the program once with the arguments and ships the kernels and modules that its runs used.
]]

-- Ends the build: caught in M.run.
local function fail(text, ...) error({ build = text:format(...) }, 0) end

-- ---- arguments ------------------------------------------------------------------------------------------------------

---@class cudalua.ship.Build
---@field script string
---@field name string        of the launcher
---@field dir string         what is written
---@field archs string
---@field add string[]
---@field runs string[]      arguments of each run, for the shell

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function read_arguments(argv)
  local b = { add = {}, also = {}, archs = "" }
  local own, i = {}, 1
  local function value()
    i = i + 1
    return argv[i] or fail("%s needs a value after it\n%s", argv[i - 1], usage)
  end
  while argv[i] do
    local text = argv[i]
    if text == "--" then
      for k = i + 1, #argv do own[#own + 1] = quoted(argv[k]) end
      break
    elseif text == "-o" then
      b.dir = value():gsub("(.)/+$", "%1")
    elseif text == "--arch" then
      b.archs = value()
    elseif text == "--add" then
      b.add[#b.add + 1] = value()
    elseif text == "--also" then
      b.also[#b.also + 1] = value()
    elseif text:sub(1, 1) == "-" or b.script then
      fail("unknown argument %s; put the program's own after --\n%s", text, usage)
    else
      b.script = text
    end
    i = i + 1
  end
  if not (b.script and b.dir) then fail("a program and -o FOLDER are needed\n%s", usage) end
  if core.stat(b.script) ~= "file" then fail("%s is not a file", b.script) end
  b.name = b.script:match "([^/]*)$":gsub("%.lua$", "")
  if not b.name:find "^[%w_][%w_.+-]*$" then
    fail("the program's name, '%s', must be the name of a command: letters, digits, _ . + -", b.name)
  end
  b.runs = { table.concat(own, " "), unpack(b.also) }
  return b
end

-- A folder that is there is replaced if build wrote it.
local function check_target(dir)
  if not core.stat(dir) then return end
  local text = core.read_file(dir .. "/build.txt", 2 ^ 26)
  local empty = core.stat(dir) == "directory" and not (core.list_folder(dir) or { "?" })[1]
  if not empty and not (text and text:sub(1, #FIRST_LINE) == FIRST_LINE) then
    fail("%s exists, but cudalua build did not write it; choose another folder", dir)
  end
end

-- ---- files ----------------------------------------------------------------------------------------------------------

local function write(path, text)
  disk.make_parents(path)
  local why = disk.write(path, text)
  if why then fail("%s cannot be written: %s", path, why) end
end

local function copy(from, to)
  local text = core.read_file(from, 2 ^ 31)
  if not text then fail("%s cannot be read", from) end
  write(to, text)
end

local function copy_folder(from, to)
  for _, name in ipairs(core.list_folder(from) or fail("%s cannot be read", from)) do
    local kind = core.stat(from .. "/" .. name)
    if kind == "directory" then
      copy_folder(from .. "/" .. name, to .. "/" .. name)
    elseif kind == "file" then
      copy(from .. "/" .. name, to .. "/" .. name)
    end
  end
end

-- A path relative to a folder, or nil.
local function below(folder, path)
  if path:sub(1, #folder + 1) == folder .. "/" then return path:sub(#folder + 2) end
end

-- ---- what goes in ---------------------------------------------------------------------------------------------------

-- The library: all of it, as its parts are loaded when they are first used.
local function copy_library(files)
  copy_folder((HERE:gsub("/$", "")), files .. "/lua/cudalua")
  if core.stat(HERE .. "kernels") ~= "directory" then
    copy_folder(devicecode.folder "array":match "^(.*)/", files .. "/lua/cudalua/kernels")
  end
  local module = package.searchpath("cudalua.core", package.cpath) or fail "the library's C module was not found"
  copy(module, files .. "/cmod/cudalua/core.so")
  local folder, device = module:match "^(.*)/[^/]*$", "libcudalua-softgpu.so"
  for _, path in ipairs { folder .. "/" .. device, folder .. "/../softgpu/" .. device } do
    if core.stat(path) == "file" then return copy(path, files .. "/cmod/cudalua/" .. device) end
  end
end

-- Where a module's file goes: to its place beside the program, and where require() looks, if that is elsewhere.
local function copy_module(b, files, name, path)
  local inside = below(b.folder, path)
  local named = name:gsub("%.", "/") .. (path:find "/init%.lua$" and not name:find "init$" and "/init.lua" or ".lua")
  if inside then copy(path, files .. "/app/" .. inside) end
  if inside ~= named then copy(path, files .. "/lua/" .. named) end
end

local function add_files(b, files)
  for _, given in ipairs(b.add) do
    local path = core.realpath(given)
    local inside = path and below(b.folder, path)
    if not path then fail("--add %s: there is no such file", given) end
    if not inside then
      fail("--add %s: it is not below the program's folder, %s, so it cannot be placed beside it", given, b.folder)
    end
    if core.stat(path) == "directory" then
      copy_folder(path, files .. "/app/" .. inside)
    else
      copy(path, files .. "/app/" .. inside)
    end
  end
end

-- What no program ships, and what the library reads for itself.
local function is_systems(path) return path:find "^/proc/" or path:find "^/sys/" or path:find "^/dev/" end

-- Copies what the runs used, and returns what stays outside.
local function copy_used(b, files, records)
  local outside = {}
  for _, record in ipairs(records) do
    for kind, name, path in record:gmatch "([^\t\n]+)\t([^\t\n]*)\t([^\t\n]*)" do
      local inside = path ~= "" and below(b.folder, path)
      if kind == "module" and path ~= "" then
        if not name:find "^jit%." then copy_module(b, files, name, path) end
      elseif kind == "file" and inside then
        copy(path, files .. "/app/" .. inside)
      elseif not (is_systems(path) or inside and core.stat(files .. "/app/" .. inside))
        and (path == "" or core.stat(path)) then
        local what = kind == "read" and (inside and "file that was read (--add ships it)" or "file that was read")
          or kind == "file" and "file of Lua outside the program's folder"
          or kind == "library" and "library of ffi.load" or kind
        outside[#outside + 1] = ("  %s: %s"):format(what, path ~= "" and path or name)
      end
    end
  end
  table.sort(outside)
  local list = {}
  for i, line in ipairs(outside) do
    if line ~= outside[i - 1] then list[#list + 1] = line end
  end
  return list
end

local launcher = [[
#!/bin/sh
# %s, written by cudalua build of cudalua %s: starts LuaJIT on the program in %s.files.
file=$(readlink -f "$0")
files=${file%%/*}/%s.files
luajit=${CUDALUA_LUAJIT:-luajit}
if ! command -v "$luajit" >/dev/null; then
  echo "%s: LuaJIT 2.1 was not found: install it (Debian's package is luajit), or name it in CUDALUA_LUAJIT" >&2
  exit 127
fi
CUDALUA_DEFAULT_FLAGS=%s
export CUDALUA_DEFAULT_FLAGS
exec "$luajit" -E "$files/lua/cudalua/ship/start.lua" "$files" %s "$@"
]]

-- ---- the whole ------------------------------------------------------------------------------------------------------

-- Runs the program with each list of arguments, and returns what record.lua wrote.
local function run_all(b, stage)
  local records = {}
  for i, arguments in ipairs(b.runs) do
    local record = ("%s/record%d"):format(stage, i)
    local status = os.execute(("%s %s %s %s %s %s %s"):format(quoted(arg and arg[-1] or "luajit"),
      quoted(HERE .. "ship/record.lua"), quoted(record), quoted(stage .. "/images"), quoted(b.archs), quoted(b.script),
      arguments))
    local text = core.read_file(record, 2 ^ 26)
    if not ((status == 0 or status == true) and text) then
      fail("the program failed%s: nothing is written", #b.runs > 1 and " with the arguments " .. arguments or "")
    end
    records[i] = text
    os.remove(record)
  end
  return records
end

-- What the exports of all runs wrote, and what they could not.
local function summary(files, records)
  local manifest = core.read_file(files .. "/images/manifest", 2 ^ 26)
  local _, count = manifest:gsub("\nkernel ", "")
  local lines, seen = { ("%d kernels for %s"):format(count, manifest:match "\narchs ([^\n]*)") }, {}
  for _, record in ipairs(records) do
    for line in record:match "^[^\n]*\n(.-)\n\n":gmatch "[^\n]+" do
      if not seen[line] then seen[line], lines[#lines + 1] = true, line end
    end
  end
  return lines
end

-- Builds in `stage`, a new folder beside the target.
local function build(b, stage)
  local records = run_all(b, stage)
  local files = ("%s/%s.files"):format(stage, b.name)
  local real = core.realpath(b.script)
  b.folder = real:match "^(.*)/"
  local program = below(b.folder, real)
  copy_library(files)
  copy(real, files .. "/app/" .. program)
  add_files(b, files)
  local outside = copy_used(b, files, records)
  os.rename(stage .. "/images", files .. "/images")
  local path = stage .. "/" .. b.name
  write(path, launcher:format(b.name, version.VERSION_TEXT, b.name, b.name, b.name,
    quoted(os.getenv "CUDALUA_DEFAULT_FLAGS" or ""), quoted(program)))
  local mask = ffi.C.umask(0)
  ffi.C.umask(mask)
  local modes = tonumber("777", 8) - mask
  ffi.C.chmod(path, modes)
  ffi.C.chmod(stage, modes)
  local lines = summary(files, records)
  lines[#lines + 1] = "not in it: LuaJIT, the driver"
  for _, line in ipairs(outside) do lines[#lines + 1] = line end
  local text = table.concat(lines, "\n") .. "\n"
  write(stage .. "/build.txt", ("%s\n%s, cudalua %s\n%s"):format(FIRST_LINE, b.name, version.VERSION_TEXT, text))
  return text
end

local M = {}

---Runs `cudalua build`.
---@param argv string[]  what stands behind the word build
---@return integer status
function M.run(argv)
  local stage
  local ok, result = pcall(function()
    if argv[1] == "-h" or argv[1] == "--help" then return usage end
    local b = read_arguments(argv)
    check_target(b.dir)
    disk.make_parents(b.dir)
    local why
    stage, why = core.make_folder(b.dir .. "-")
    if not stage then fail("%s cannot be made: %s", b.dir, why) end
    local text = build(b, stage)
    if core.stat(b.dir) then core.remove_folder(b.dir) end
    local moved
    moved, why = os.rename(stage, b.dir)
    if not moved then fail("%s cannot be written: %s", b.dir, why) end
    return ("%s/%s starts the program\n%s"):format(b.dir, b.name, text)
  end)
  if ok then
    io.write(result)
    return 0
  end
  if stage then core.remove_folder(stage) end
  io.stdout:flush()
  io.stderr:write("cudalua build: ", type(result) == "table" and result.build or tostring(result), "\n")
  return 1
end

return M
