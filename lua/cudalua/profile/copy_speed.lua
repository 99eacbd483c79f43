-- How fast the current device copies from itself to itself: what kernels that only move bytes are compared with.

local core = require "cudalua.core"
local Event = require "cudalua.driver.event"
local Context = require "cudalua.driver.context"

local MOST, PART, TRIES = 256 * 2 ^ 20, 10, 5

local known = {} -- by number of the device

local function measure()
  local free = core.mem_get_info()
  local bytes = math.floor(math.min(MOST, free / PART))
  local from, to = core.mem_alloc(bytes), core.mem_alloc(bytes)
  local begin, stop = Event(), Event()
  local best = math.huge
  core.memcpy_dtod(to, from, bytes)
  for _ = 1, TRIES do
    begin:record()
    core.memcpy_dtod(to, from, bytes)
    stop:record():synchronize()
    best = math.min(best, stop:time_since(begin) * 1e-3)
  end
  from:free()
  to:free()
  return 2 * bytes / best
end

---Bytes a second, those that are read and those that are written; nil: it cannot be measured now. Measured once for a
---process and device.
---@return number?
return function()
  local ok, number = pcall(function() return Context.get_device():ordinal() end)
  if not ok then return end
  if known[number] == nil then
    local measured, speed = pcall(measure)
    known[number] = measured and speed or false
  end
  return known[number] or nil
end
