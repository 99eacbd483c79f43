-- cuda.profile: runs a function, and tells what the device did meanwhile.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local summary = require "cudalua.profile.summary"
local terminal = require "cudalua.look.terminal"

---@class cudalua
local M = {}

local option_names = { trace = true, print = true, counters = true, clock = true }

local function read(recorder, info, counters)
  local list = {}
  for i = 1, info.n do
    local a = core.profile_record(recorder, i, counters)
    if a.gpu_ns then a.gpu_begin, a.gpu_time, a.gpu_ns = a.gpu_begin * 1e-9, a.gpu_ns * 1e-9, nil end
    a.begin, a.host_time, a.host_ns = a.begin * 1e-9, a.host_ns * 1e-9, nil
    if a.ran_ns then a.host_time, a.ran_ns = math.max(0, a.host_time - a.ran_ns * 1e-9), nil end
    a.captured, a.failed, a.open = a.captured and true, a.failed and true, a.open and true
    a.number, list[i] = i, a
  end
  return list
end

---Measures what the device and the host do while a function runs: a table of kernels, copies, fills and graphs by GPU
---time, with the lines of the program that started them. The table is printed, and returned as data; `tostring()`
---returns the text.
---
---On a GPU the device measures the times, with CUPTI if its library can be opened. Otherwise they are the times between
---two events around each activity. These include up to a few microseconds for an empty pair of events; the last line
---shows how much. On the software device they are measured on this machine. The results of the function are dropped. If
---it raises an error, the error is raised again without a table.
---@param f fun()  the function, which is called once; the profile waits for its work
---@param options? {trace?: string, print?: boolean, counters?: boolean, clock?: "cupti"|"events"}  trace: a file for
---  Perfetto; print: write the table to standard output, default true; counters: count instructions, bytes and branches
---  of kernels on the software device, default true; clock: the source of a GPU's times, default CUPTI if it can be
---  opened, else events
---@return cudalua.Profile
---@raise LogicError inside another profile, during a capture, or for invalid options; errors of f; RuntimeError if the
---  trace cannot be written
function M.profile(f, options)
  options = errors.options("profile", options, option_names)
  if type(f) ~= "function" then errors.raise("LogicError", "profile: f must be a function, got " .. errors.text(f)) end
  if options.trace ~= nil and type(options.trace) ~= "string" then
    errors.raise("LogicError", "profile: trace must be a file name, got " .. errors.text(options.trace))
  end
  local clock = options.clock
  if clock ~= nil and clock ~= "cupti" and clock ~= "events" then
    errors.raise("LogicError", 'profile: clock must be "cupti" or "events", got ' .. errors.text(clock))
  end
  local counters = options.counters ~= false
  hooks.start_waiting()
  local recorder = core.profile_begin(counters, clock ~= "events")
  hooks.profiling = true
  local ok, err = pcall(function()
    f()
    hooks.start_waiting()
  end)
  hooks.profiling = false
  local info = core.profile_end(recorder, ok)
  if not ok then
    core.profile_close(recorder)
    error(err, 0)
  end
  local list = read(recorder, info, counters and info.soft)
  core.profile_close(recorder)
  local profile = summary.make(list, info)
  if options.trace then require("cudalua.profile.trace").write(options.trace, profile) end
  if options.print ~= false then
    io.stdout:write(profile:text(terminal.columns(io.stdout)), "\n")
    profile.shown = true
  end
  return profile
end

return M
