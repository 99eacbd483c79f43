-- Runs a recorded launch in a child process with the software device: two drivers in one process would need two cores.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local recording = require "cudalua.fault.recording"

local M = {}

local SIGINT = 2

---The result of a replay. It prints as its text.
---@class cudalua.debug.Replay
---@field fault boolean  true if the kernel failed, or a check found something
---@field text string  a report for people
---@field kernel string  the name of the kernel
---@field kind string?  as in softgpu.report "json": "out_of_bounds", "race" ...; nil without a fault
---@field file string?  the source file
---@field line integer?  the line in the source
---@field block integer[]?  the block of the fault, {x, y, z}
---@field thread integer[]?  the thread of the fault, {x, y, z}
---@field output string  the output that the kernel printed
local Replay = {}
Replay.__index = Replay
Replay.__name = "cudalua.debug.Replay"
function Replay:__tostring() return self.text end

-- luajit: this process's own program, if it is that, else the one that is named or on the path.
local function find_luajit(where)
  local own = core.realpath "/proc/self/exe"
  if own and own:match "[^/]*$":find("luajit", 1, true) then return own end
  local given = os.getenv "CUDALUA_LUAJIT" or "luajit"
  if given:find("/", 1, true) then return given end
  for folder in (os.getenv "PATH" or ""):gmatch "[^:]+" do
    if core.stat(folder .. "/" .. given) == "file" then return folder .. "/" .. given end
  end
  errors.raise("RuntimeError", where .. ": luajit, which runs the software device in a child process, was not found",
    { hint = "set CUDALUA_LUAJIT to its path" })
end

local function environment(bytes)
  return {
    "CUDALUA_DRIVER=soft", "LUA_PATH=" .. package.path, "LUA_CPATH=" .. package.cpath, "LUA_INIT=",
    "CUDALUA_LAUNCH_BLOCKING=0", "CUDALUA_SOFT_REPORT=", "CUDALUA_SOFT_CHECK=off", "CUDALUA_SOFT_STREAMS=eager",
    ("CUDALUA_SOFT_MEMORY=%.0fM"):format(math.max(16384, bytes * 1.25 / 2 ^ 20 + 1024)),
  }
end

-- The numbers of "name":[1,2,3].
local function three(json, name)
  local x, y, z = json:match('"' .. name .. '":%[(%d+),(%d+),(%d+)%]')
  return x and { tonumber(x), tonumber(y), tonumber(z) } or nil
end

local function read(path) return core.read_file(path, 2 ^ 26) or "" end

-- What the child left: whether there was a fault, the report for programs, and the text.
local function result_of(where, folder, status)
  local what, kernel, json, text = read(folder .. "/result"):match "^(%l+) (%S*)\n([^\n]*)\n(.*)$"
  local output = read(folder .. "/out") .. read(folder .. "/err")
  if status == -SIGINT then -- the terminal sent it to both
    core.interrupt_take()
    errors.raise("InterruptError", where .. ": interrupted")
  end
  if what == "wrong" then errors.raise("LogicError", ("%s: %s"):format(where, text)) end
  if what ~= "fault" and what ~= "good" then
    errors.raise("RuntimeError", where .. ": the software device did not run the launch", {
      detail = what == "refused" and text or output ~= "" and output or ("the process ended with status %s"):format(
        tostring(status)),
    })
  end
  return setmetatable({
    fault = what == "fault", text = text, kernel = kernel, output = output,
    kind = json:match '"kind":"([^"]*)"', file = json:match '"file":"([^"]*)"',
    line = tonumber(json:match '"line":(%d+)'), block = three(json, "block"), thread = three(json, "thread"),
  }, Replay)
end

local function run(where, path, folder)
  local bytes = 0
  if path then
    local file = io.open(path, "rb")
    local fields = file and recording.read(file)
    if file then file:close() end
    if not fields then
      errors.raise("LogicError", ("%s: %s is not a recording of cuda.debug.save()"):format(where, path))
    end
    for _, piece in ipairs(fields.piece) do bytes = bytes + (tonumber(piece:match "^%d+ (%d+)") or 0) end
  else
    path = folder .. "/recording"
    bytes = recording.write(where, path)
  end
  local child = package.searchpath("cudalua.fault.child", package.path)
  local status, why = core.spawn({ find_luajit(where), child, path, folder .. "/result" }, environment(bytes),
    folder .. "/out", folder .. "/err")
  if status == nil then errors.raise("RuntimeError", ("%s: luajit cannot be started: %s"):format(where, why)) end
  return result_of(where, folder, status)
end

---@param where string  function, for messages
---@param path? string  a recording's file; nil: the last launch
---@return cudalua.debug.Replay
function M.run(where, path)
  local folder, why = core.make_folder((os.getenv "TMPDIR" or "/tmp") .. "/cudalua-replay-")
  if not folder then errors.raise("RuntimeError", ("%s: no folder for its files: %s"):format(where, why)) end
  local ok, result = pcall(run, where, path, folder)
  core.remove_folder(folder)
  if not ok then error(result, 0) end
  return result
end

return M
