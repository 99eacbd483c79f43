-- The software CUDA device's switches, at run time: its log of driver calls, failures made to order, the
-- number of devices. Every function raises LogicError where another driver is in use.

local core = require "cudalua.core"
local errors = require "cudalua.errors"

local M = {}

---Sends one command of the device's text protocol (docs/architecture.md lists them).
---@param command string
---@return string reply
function M.control(command)
  if type(command) ~= "string" then errors.raise("LogicError", "softgpu.control: expected a string") end
  return core.softgpu_control(command)
end

---Is the software device the driver in use?
---@return boolean
function M.active() return core.driver_info().soft == true end

---Starts, stops or clears the log of driver calls.
---@param what "on"|"off"|"clear"
function M.log(what)
  if what ~= "on" and what ~= "off" and what ~= "clear" then
    errors.raise("LogicError", "softgpu.log: expected 'on', 'off' or 'clear', got " .. errors.text(what))
  end
  core.softgpu_control("log " .. what)
end

---@class cudalua.softgpu.Call
---@field serial integer
---@field symbol string   "cuMemAlloc_v2"
---@field result integer  CUresult
---@field text string     context and arguments

---The calls logged since log("on") or log("clear"), oldest first.
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

---Makes the nth next call of a driver function fail, once.
---@param symbol string    "cuMemAlloc_v2"
---@param nth? integer     default 1
---@param code? integer|string  CUresult or its name without CUDA_ERROR_; default 999
function M.fail(symbol, nth, code)
  if type(symbol) ~= "string" or not symbol:find "^[%w_]+$" then
    errors.raise("LogicError", "softgpu.fail: expected the name of a driver function")
  end
  if nth == nil then nth = 1 end
  if code == nil then code = 999 end
  if type(nth) ~= "number" or nth ~= math.floor(nth) or nth < 1 or nth >= 2 ^ 31 then
    errors.raise("LogicError", "softgpu.fail: nth must be a whole number from 1, got " .. errors.text(nth))
  end
  if type(code) ~= "number" and type(code) ~= "string" then
    errors.raise("LogicError", "softgpu.fail: expected a code or its name, got " .. errors.text(code))
  end
  core.softgpu_control(("fail %s %d %s"):format(symbol, nth, code))
end

---Takes back every failure that has not happened yet.
function M.fail_clear() core.softgpu_control "fail clear" end

---@return table<string, number>  live_allocs, live_bytes, live_contexts, live_modules, stale, calls ...
function M.stats()
  local t = {}
  for key, value in core.softgpu_control("stats"):gmatch "(%S+) (%d+)" do t[key] = tonumber(value) end
  return t
end

local checks = { "races", "uninitialised", "barriers", "shuffles", "leaks" }
local check_names = { all = true, off = true, uninitialized = true }
for _, name in ipairs(checks) do check_names[name] = true end

---What kernels are checked for from now on, beside the bounds of their accesses; and what was set, where nothing is
---given. Memory that is there already counts as written. A kernel in which something is found ends with a LaunchError
---whose detail names kernel, source line, block, thread and memory.
---
---    races          accesses of shared and global memory that nothing orders
---    uninitialised  loads of memory that nobody has written
---    barriers       __syncthreads() that not all threads come to at one place
---    shuffles       values of lanes that do not take part
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
    for name, on in pairs(what) do
      if not check_names[name] or type(on) ~= "boolean" then
        errors.raise("LogicError", ("softgpu.check: unknown check %s = %s (there are %s)"):format(errors.text(name),
          errors.text(on), table.concat(checks, ", ")))
      end
      if on then list[#list + 1] = name end
    end
    list = #list == 0 and "off" or table.concat(list, ",")
  elseif what then
    for name in (what .. ","):gmatch "([^,]*)," do
      if not check_names[name] then
        errors.raise("LogicError", ("softgpu.check: unknown check %s (there are %s)"):format(errors.text(name),
          table.concat(checks, ", ")))
      end
    end
  end
  local reply = core.softgpu_control(list and "check " .. list or "check")
  local set = {}
  for _, name in ipairs(checks) do set[name] = ("," .. reply .. ","):find("," .. name .. ",", 1, true) ~= nil end
  return set
end

---The report of the last fault, "" where there was none.
---@param form? "text"|"json"  json: an object on one line, for tools; "" for what is no kernel's fault
---@return string
function M.report(form)
  if form ~= nil and form ~= "text" and form ~= "json" then
    errors.raise("LogicError", "softgpu.report: expected 'text' or 'json', got " .. errors.text(form))
  end
  return core.softgpu_control(form == "json" and "report json" or "report")
end

---@return string[]  one line per object that is still alive
function M.leaks()
  local list = {}
  for line in core.softgpu_control("leaks"):gmatch "[^\n]+" do list[#list + 1] = line end
  return list
end

---Sets the number of devices. Everything on the device is dropped first; objects that are still held answer
---as those of a destroyed context do.
---@param n integer  1 to 8
function M.set_device_count(n)
  if type(n) ~= "number" or n ~= math.floor(n) or n < 1 or n > 8 then
    errors.raise("LogicError", "softgpu.set_device_count: expected 1 to 8, got " .. errors.text(n))
  end
  core.softgpu_restart("devices " .. n)
end

return M
