-- The software CUDA device's switches, at run time: its log of driver calls, failures made to order, the
-- number of devices. Every function raises LogicError where another driver is in use.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"

---Settings of the software CUDA device at run time: a log of driver calls, injected failures, the number of devices.
---Every function raises a LogicError if another driver is in use.
---@class cudalua.softgpu
local M = {}

local UNKNOWN = 999 -- CUDA_ERROR_UNKNOWN

---Sends a command of the device's text protocol (docs/architecture.md lists them).
---@param command string  the command
---@return string reply
function M.control(command)
  if type(command) ~= "string" then errors.raise("LogicError", "softgpu.control: expected a string") end
  return core.softgpu_control(command)
end

---Returns true if the software device is the driver in use.
---@return boolean
function M.active() return core.driver_info().soft == true end

---Starts, stops or clears the log of driver calls.
---@param what "on"|"off"|"clear"  "on" starts the log, "off" stops it, "clear" empties it
function M.log(what)
  if what ~= "on" and what ~= "off" and what ~= "clear" then
    errors.raise("LogicError", "softgpu.log: expected 'on', 'off' or 'clear', got " .. errors.text(what))
  end
  core.softgpu_control("log " .. what)
end

---@class cudalua.softgpu.Call
---@field serial integer  the number of the call
---@field symbol string   "cuMemAlloc_v2"
---@field result integer  the CUresult
---@field text string  the context and the arguments

---Returns the calls logged since log("on") or log("clear"), oldest first.
---@return cudalua.softgpu.Call[]
function M.calls()
  local list = {}
  for line in core.softgpu_control("log"):gmatch "[^\n]+" do
    local serial, symbol, result, text = line:match "^(%d+) (%S+) (%d+)%s*(.*)$"
    if serial then
      list[#list + 1] = { serial = tonumber(serial), symbol = symbol, result = tonumber(result), text = text }
    end
  end
  return list
end

---@class cudalua.softgpu.Run
---@field number integer  the position in the order of submission; the same for all nodes of a launched graph
---@field name string     "launch", "copy", "fill", "host", "record", "wait", "free" ...
---@field stream number  as returned by Stream:handle(); 1 and 2 are the default streams
---@field node? integer  for a graph: the number of the node, from 0, in the order of adding

---Returns the operations that have run since log("on") or log("clear"), in their order. calls() returns
---the calls that submitted them.
---@return cudalua.softgpu.Run[]
function M.runs()
  local list = {}
  for line in core.softgpu_control("runs"):gmatch "[^\n]+" do
    local number, name, stream, node = line:match "^(%d+) (.-) stream=(%S+)(.*)$"
    list[#list + 1] = { number = tonumber(number), name = name, stream = tonumber(stream),
      node = tonumber(node:match "node=(%d+)") }
  end
  return list
end

---Sets when work in streams runs from now on; without an argument, returns the setting.
---
---    deferred     when the program waits for it, with what that depends on: what a program forgets to wait for
---                 is never done in time
---    eager        in the call that submits it
---    random:SEED  in any order that the streams, events and default streams of the program allow, some of it before
---                 anybody waits; each seed, 0 to 2147483647, stands for one order, which comes again with it
---    background   on a thread of the device, in the order of submission, while the program does something else
---@param mode? string  "deferred", "eager", "random:7", "background"
---@return string mode
---@raise LogicError for other modes
function M.streams(mode)
  if mode == nil then mode = nil end -- or a NULL pointer
  if mode ~= nil then
    local seed = type(mode) == "string" and mode:match "^random:(%d+)$"
    local known = mode == "deferred" or mode == "eager" or mode == "background"
      or (seed and #seed <= 10 and tonumber(seed) < 2 ^ 31)
    if not known then
      errors.raise("LogicError", "softgpu.streams: expected 'deferred', 'eager', 'random:SEED' or 'background', got "
        .. errors.text(mode))
    end
  end
  return core.softgpu_control(mode and "streams " .. mode or "streams")
end

---Makes the nth next call of a driver function fail, once.
---@param symbol string    "cuMemAlloc_v2"
---@param nth? integer  counted from the next call; default 1
---@param code? integer|string  a CUresult or its name without CUDA_ERROR_; default 999
function M.fail(symbol, nth, code)
  if type(symbol) ~= "string" or not symbol:find "^[%w_]+$" then
    errors.raise("LogicError", "softgpu.fail: expected the name of a driver function")
  end
  if nth == nil then nth = 1 end
  if code == nil then code = UNKNOWN end
  if type(nth) ~= "number" or nth ~= math.floor(nth) or nth < 1 or nth >= 2 ^ 31 then
    errors.raise("LogicError", "softgpu.fail: nth must be a positive integer, got " .. errors.text(nth))
  end
  if type(code) ~= "number" and type(code) ~= "string" then
    errors.raise("LogicError", "softgpu.fail: expected a code or its name, got " .. errors.text(code))
  end
  core.softgpu_control(("fail %s %d %s"):format(symbol, nth, code))
end

---Cancels every failure that has not happened yet.
function M.fail_clear() core.softgpu_control "fail clear" end

---@return table<string, number>  live_allocs, live_bytes, live_contexts, live_modules, stale, calls ...; spare_bytes:
---  host memory that kernels keep for later launches
function M.stats()
  local t = {}
  for key, value in core.softgpu_control("stats"):gmatch "(%S+) (%d+)" do t[key] = tonumber(value) end
  return t
end

local checks = { "races", "uninitialised", "barriers", "shuffles", "arrays", "leaks" }
local check_names = { all = true, off = true, uninitialized = true }
for _, name in ipairs(checks) do check_names[name] = true end

---Sets which checks kernels run from now on, in addition to the bounds of their accesses; without an argument, returns
---the setting. Existing memory counts as written. If a check finds something in a kernel, it ends with a LaunchError
---whose detail names the kernel, source line, block, thread and memory.
---
---    races          accesses of shared and global memory that nothing orders
---    uninitialised  loads of memory that was never written
---    barriers       __syncthreads() that not all threads come to at one place
---    shuffles       values of lanes that do not take part, where they are used
---    arrays         accesses of shared memory beyond the variable whose address they are made from
---    leaks          memory of kernels' malloc and of the program that is there at the end, on stderr
---@param what? table<string, boolean>|string  {races = true, leaks = true}: these and no others; or "all", "off",
---  "races,leaks"
---@return table<string, boolean> checks  by name
---@raise LogicError for other names
function M.check(what)
  if what == nil then what = nil end -- or a NULL pointer
  if what ~= nil and type(what) ~= "table" and type(what) ~= "string" then
    errors.raise("LogicError", "softgpu.check: expected a table such as {races = true} or text, got "
      .. errors.text(what))
  end
  local list = what
  if type(what) == "table" then
    list = {}
    for name, on in pairs_of(what) do
      if not check_names[name] or type(on) ~= "boolean" then
        errors.raise("LogicError", ("softgpu.check: unknown check %s = %s; valid checks: %s"):format(errors.text(name),
          errors.text(on), table.concat(checks, ", ")))
      end
      if on then list[#list + 1] = name end
    end
    list = #list == 0 and "off" or table.concat(list, ",")
  elseif what then
    for name in (what .. ","):gmatch "([^,]*)," do
      if not check_names[name] then
        errors.raise("LogicError", ("softgpu.check: unknown check %s; valid checks: %s"):format(errors.text(name),
          table.concat(checks, ", ")))
      end
    end
  end
  local reply = core.softgpu_control(list and "check " .. list or "check")
  local set = {}
  for _, name in ipairs(checks) do set[name] = ("," .. reply .. ","):find("," .. name .. ",", 1, true) ~= nil end
  return set
end

local schedule_keys = { threads = true, order = true, gang = true, timeout = true }

---Sets how kernels run from now on. Keys that you omit keep their values.
---
---    threads  how many run a kernel. "auto": as many as there are processors, where the blocks of the kernel are
---             independent and there is enough to do; "auto:2": no more than two. A number: so many for every kernel,
---             also where blocks depend on each other, so that results may come out in another order each time
---    order    in which blocks begin: "forward", "reverse", "random:SEED"
---    gang     threads of a block that execute together, 32 to 1024
---    timeout  seconds until a kernel is stopped with LAUNCH_TIMEOUT; 0 or "off": none is
---@param what? {threads?: integer|string, order?: string, gang?: integer, timeout?: number|string}  the settings to
---  change
---@return {threads: integer|string, order: string, gang: integer, timeout: number} schedule  the settings now
---@raise LogicError for other keys and values
function M.schedule(what)
  if what == nil then what = {} end -- or a NULL pointer
  if type(what) ~= "table" then
    errors.raise("LogicError", "softgpu.schedule: expected a table such as {threads = 1}, got " .. errors.text(what))
  end
  local before, changed = {}, {}
  for key, value in core.softgpu_control("schedule"):gmatch "(%l+)=(%S+)" do before[key] = value end
  for key, value in pairs_of(what) do
    if not schedule_keys[key] then
      errors.raise("LogicError", ("softgpu.schedule: unknown key %s; valid keys: threads, order, gang, timeout"):format(
        errors.text(key)))
    end
    local good = type(value) == "number" or (type(value) == "string" and value:find "^[%w:.]+$")
    if good then good = pcall(core.softgpu_control, ("schedule %s %s"):format(key, value)) end
    if not good then
      -- All of it or nothing.
      for name in pairs_of(changed) do core.softgpu_control(("schedule %s %s"):format(name, before[name])) end
      errors.raise("LogicError", ("softgpu.schedule: %s = %s is not valid"):format(key, errors.text(value)))
    end
    changed[key] = true
  end
  local now = {}
  for key, value in core.softgpu_control("schedule"):gmatch "(%l+)=(%S+)" do now[key] = tonumber(value) or value end
  return now
end

---Returns the report of the last fault, or "".
---@param form? "text"|"json"  json: an object on one line, for tools; "" if the fault was not in a kernel
---@return string
function M.report(form)
  if form ~= nil and form ~= "text" and form ~= "json" then
    errors.raise("LogicError", "softgpu.report: expected 'text' or 'json', got " .. errors.text(form))
  end
  return core.softgpu_control(form == "json" and "report json" or "report")
end

---@return string[]  one line for each object that is still alive
function M.leaks()
  local list = {}
  for line in core.softgpu_control("leaks"):gmatch "[^\n]+" do list[#list + 1] = line end
  return list
end

---Sets the number of devices. Everything on the devices is dropped first; objects that you still hold behave as those
---of a destroyed context.
---@param n integer  from 1 to 8
function M.set_device_count(n)
  if type(n) ~= "number" or n ~= math.floor(n) or n < 1 or n > 8 then
    errors.raise("LogicError", "softgpu.set_device_count: expected 1 to 8, got " .. errors.text(n))
  end
  core.softgpu_restart("devices " .. n)
end

names.strict(M, { text = "softgpu", kind = "module" })

return M
