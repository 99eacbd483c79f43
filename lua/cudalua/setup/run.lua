-- `cudalua setup`: makes a machine ready for programs, without root and without a compiler. If NVRTC and CUDA's headers
-- are missing, it brings NVIDIA's wheels, by pip or from a folder, into the installation or a folder of the user.

local check = require "cudalua.setup.check"
local core = require "cudalua.core"
local disk = require "cudalua.ship.files"
local fetch = require "cudalua.setup.fetch"
local folders = require "cudalua.compiler.setup_folders"
local toolchain = require "cudalua.compiler.toolchain"
local unpack_wheel = require "cudalua.setup.unpack"
local wheels = require "cudalua.setup.wheels"

local usage = [[
usage: cudalua setup [--user]             download NVIDIA's compiler with pip if it is missing; then check
       cudalua setup [--user] FOLDER      install the wheels in this folder, or the wheels named; then check
       cudalua setup --check              report what is installed and run a kernel; change nothing
       cudalua setup --list               which wheels to bring over if this machine has no network
       cudalua setup --remove             remove what setup has installed
--user installs into ~/.local/share/cudalua, even if the installation's own folder is writable.
]]

local MACHINE = jit.arch == "arm64" and "aarch64" or "x86_64"

-- Ends the run: caught in M.run.
local function fail(text, ...) error({ setup = select("#", ...) > 0 and text:format(...) or text }, 0) end

local function env(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

local function say(text, ...)
  io.stdout:flush()
  io.stderr:write("cudalua setup: ", text:format(...), "\n")
end

-- ---- arguments ------------------------------------------------------------------------------------------------------

local switches = { ["--user"] = true, ["--check"] = true, ["--list"] = true, ["--remove"] = true }

local function read_arguments(argv)
  local found = { paths = {} }
  for _, text in ipairs(argv) do
    if switches[text] then
      found[text:sub(3)] = true
    elseif text:find "^%-" then
      fail("unknown option %s\n%s", text, usage)
    else
      found.paths[#found.paths + 1] = text
    end
  end
  local alone = found.check or found.list or found.remove
  if alone and #argv > 1 then fail("--check, --list and --remove stand alone\n%s", usage) end
  return found
end

-- ---- where it goes --------------------------------------------------------------------------------------------------

local function is_writable(folder)
  local trial = folder .. "/.trial"
  disk.make_parents(trial)
  local file = io.open(trial, "w")
  if not file then return false end
  file:close()
  os.remove(trial)
  return true
end

local function choose_folder(user_only)
  local list = { not user_only and folders.of_installation() or nil }
  list[#list + 1] = folders.of_user(env)
  for _, folder in ipairs(list) do
    if is_writable(folder) then return folder end
  end
  if #list == 0 then fail "HOME is not set: set it, or XDG_DATA_HOME to a folder that you can write" end
  fail("%s cannot be written: set XDG_DATA_HOME to a folder that you can write", table.concat(list, " and "))
end

-- ---- which wheels ---------------------------------------------------------------------------------------------------

local function add_wheel(list, path)
  local wheel = wheels.read_name(path)
  if not wheel then fail("%s is not one of NVIDIA's wheels: their names begin with nvidia_ and end in .whl", path) end
  if wheel.machine ~= MACHINE and wheel.machine ~= "any" then
    fail("%s is for %s, and this machine is %s: bring the file whose name has linux and %s", path, wheel.machine,
      MACHINE, MACHINE)
  end
  for _, other in ipairs(list) do
    if other.name == wheel.name then
      fail("%s and %s are two versions of one wheel: keep one of them", other.path, path)
    end
  end
  list[#list + 1] = wheel
end

-- The wheels that the arguments name: files, and folders of them.
local function named_wheels(paths)
  local list = {}
  for _, path in ipairs(paths) do
    local kind = core.stat(path)
    if kind == "directory" then
      local names = core.list_folder(path) or fail("%s cannot be read", path)
      table.sort(names)
      local before = #list
      for _, name in ipairs(names) do
        if wheels.read_name(name) then add_wheel(list, path:gsub("(.)/+$", "%1") .. "/" .. name) end
      end
      if #list == before then
        fail("%s holds none of NVIDIA's wheels (nvidia_*.whl)\n%s", path, fetch.by_hand(wheels.choose(check.driver()),
          MACHINE))
      end
    elseif kind == "file" then
      add_wheel(list, path)
    else
      fail("%s: there is no such file or folder", path)
    end
  end
  return list
end

local function named(list, pattern)
  for _, wheel in ipairs(list) do
    if wheel.name:find(pattern) then return wheel end
  end
end

local NVRTC = "^nvidia%-cuda%-nvrtc"

-- "13.0" of "13.0.88": parts of one toolkit agree in it.
local function release(wheel) return wheel.version:match "^%d+%.%d+" end

-- ---- installing -----------------------------------------------------------------------------------------------------

-- Drops what a toolkit of another release left: headers of two would mix.
local function prepare(root, list)
  local there = unpack_wheel.listed(root)
  local old, new = named(there, NVRTC), named(list, NVRTC)
  if old and new and release(old) ~= release(new) then
    say("removing CUDA %s from %s", release(old), root)
    local removed, why = core.remove_folder(root)
    if not removed then fail("%s cannot be removed: %s", root, tostring(why)) end
    there = {}
  end
  return there
end

-- NVRTC comes last: with it the toolkit is there.
local function install(list, root)
  table.sort(list, function(a, b)
    local a_last, b_last = a.name:find(NVRTC) ~= nil, b.name:find(NVRTC) ~= nil
    if a_last ~= b_last then return b_last end
    return a.name < b.name
  end)
  local all, bytes = prepare(root, list), 0
  for _, wheel in ipairs(list) do
    say("unpacking %s", wheel.file)
    bytes = bytes + unpack_wheel.unpack(wheel, root)
    for i = #all, 1, -1 do
      if all[i].name == wheel.name then table.remove(all, i) end
    end
    all[#all + 1] = wheel
    unpack_wheel.write_list(root, all)
  end
  say("installed %d MB in %s", math.ceil(bytes / 1e6), root)
end

-- What is installed may stand behind another NVRTC, which the library takes.
local function tell_if_hidden(root)
  local first = toolchain.libraries({ "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so" }, "cuda_nvrtc")[1]
  first = env "CUDALUA_NVRTC" or first
  if not first or first:sub(1, #root + 1) == root .. "/" then return end
  local own
  for _, name in ipairs(core.list_folder(root .. "/lib") or {}) do
    if name:find "^libnvrtc%.so" then own = ("%s/lib/%s"):format(root, name) end
  end
  if own then say("%s comes first; to use the one installed, set CUDALUA_NVRTC=%s", first, own) end
end

local function download(user_only, lacking)
  local choice = wheels.choose(check.driver())
  if not fetch.has_pip() then
    fail("%s, and python3 with pip, which would download it, was not found either. Install pip (Debian's package is "
      .. "python3-pip) and run this again; or bring the files over.\n%s", lacking, fetch.by_hand(choice, MACHINE))
  end
  local root = choose_folder(user_only)
  local stage, why = core.make_folder(root .. "-wheels-")
  if not stage then fail("%s-wheels cannot be made: %s", root, why) end
  say("%s: downloading NVIDIA's wheels with pip (%d MB): %s", lacking, choice.megabytes,
    table.concat(choice.specs, " "))
  local ok, failure = pcall(function()
    if not fetch.fetch(choice, MACHINE, stage) then
      fail("pip could not download NVIDIA's wheels; its message is above. Without a network here, bring the files "
        .. "over.\n" .. fetch.by_hand(choice, MACHINE))
    end
    install(named_wheels { stage }, root)
    tell_if_hidden(root)
  end)
  core.remove_folder(stage)
  if not ok then error(failure, 0) end
end

-- What is there of setup's, in the folder or beside it: an interrupted download leaves its archives.
local function leavings(root)
  local list, parent = {}, root:match "^(.*)/"
  if core.stat(root .. "/wheels.txt") then list[1] = root end
  for _, name in ipairs(core.list_folder(parent) or {}) do
    if name:find "^cuda%-wheels%-......$" then list[#list + 1] = parent .. "/" .. name end
  end
  return list
end

local function remove()
  local count = 0
  for _, root in ipairs(folders.list(env)) do
    for _, path in ipairs(leavings(root)) do
      local removed, why = core.remove_folder(path)
      if not removed then fail("%s cannot be removed: %s", path, tostring(why)) end
      say("removed %s", path)
      count = count + 1
    end
  end
  if count == 0 then say("nothing is installed in %s", table.concat(folders.list(env), " and ")) end
end

-- In a process of its own: this one may have looked for NVRTC before it was there.
local function check_anew()
  local status = os.execute(("%s %s setup --check"):format(fetch.quoted(arg[-1]), fetch.quoted(arg[0])))
  return (status == 0 or status == true) and 0 or 1
end

local M = {}

local function run(argv)
  if argv[1] == "-h" or argv[1] == "--help" then
    io.write(usage)
    return 0
  end
  local asked = read_arguments(argv)
  if asked.list then
    io.write(fetch.by_hand(wheels.choose(check.driver()), MACHINE), "\n")
    return 0
  elseif asked.remove then
    remove()
    return 0
  end
  local lacking = check.lacking(check.driver())
  if asked.check then
    local status = check.run()
    if status == 0 then print "ready" end
    return status
  end
  if #asked.paths > 0 then
    local list = named_wheels(asked.paths)
    if lacking and not named(list, NVRTC) then
      fail("%s, and %s has no wheel of it\n%s", lacking, table.concat(asked.paths, ", "),
        fetch.by_hand(wheels.choose(check.driver()), MACHINE))
    end
    local root = choose_folder(asked.user)
    install(list, root)
    tell_if_hidden(root)
  elseif lacking then
    download(asked.user, lacking)
  end
  return check_anew()
end

---Runs `cudalua setup`.
---@param argv string[]  what stands behind the word setup
---@return integer status
function M.run(argv)
  local ok, result = pcall(run, argv)
  if ok then return result end
  say("%s", type(result) == "table" and result.setup or tostring(result))
  return 1
end

return M
