-- cuda.devices: one process, a rank for each device.

local core = require "cudalua.core"
local device_class = core.classes.Device
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local groups = require "cudalua.distributed.group"
local layout = require "cudalua.base.layout"
local members = require "cudalua.distributed.process.members"
local peer_memory = require "cudalua.distributed.process.peer_memory"
local start = require "cudalua.distributed.start"
local together = require "cudalua.distributed.process.together"

---@class cudalua
local M = {}

local ALREADY_ENABLED = 704

local OPTIONS = { devices = true }

-- The numbers of the devices to use.
local function numbers(o)
  local count = device_class.count()
  local list = {}
  if o.devices == nil then
    for k = 1, count do list[k] = k - 1 end
    return list
  end
  if type(o.devices) ~= "table" or getmetatable(o.devices) ~= nil or #o.devices == 0 then
    layout.refuse("devices", "devices must be a list of device numbers, such as { 0, 1 }, got %s",
      element.describe(o.devices))
  end
  local seen = {}
  for k, x in ipairs(o.devices) do
    local n = layout.whole(x)
    if not n or n < 0 or n >= count then
      layout.refuse("devices", "element %d of devices must be a device number from 0 to %d, got %s", k, count - 1,
        element.describe(x))
    end
    if seen[n] then layout.refuse("devices", "device %d appears twice", n) end
    seen[n], list[k] = true, n
  end
  return list
end

local function worlds_of(list)
  local room, sides, ranks = { members = {} }, together.world(#list), {}
  for k = 1, #list do ranks[k] = k - 1 end
  for k, number in ipairs(list) do
    local device = device_class(number)
    local world = groups.new { rank = k - 1, size = #list, ranks = ranks, local_rank = k - 1, local_size = #list,
      device = device, transport = together.name, _control = together, _data = together, _handle = sides[k],
      _data_handle = sides[k], _side = peer_memory, _checks = true }
    room.members[k] = { rank = k - 1, room = room, world = world, contexts = { device:retain_primary_context() } }
  end
  return room
end

-- Without access to each other's memory, the driver copies through the host, and the host waits. Access that was
-- enabled before stays.
local function enable(a, b)
  local ok, err = pcall(a.contexts[1].enable_peer_access, a.contexts[1], b.contexts[1])
  if not ok and not (errors.is_error(err) and err.code == ALREADY_ENABLED) then error(err, 0) end
  core.default_mempool(b.world.device):set_access(a.world.device, "read_write")
end

local function open_ways(room)
  for _, a in ipairs(room.members) do
    for _, b in ipairs(room.members) do
      if a ~= b and a.world.device:can_access_peer(b.world.device) then enable(a, b) end
    end
  end
end

local function raise_first(m)
  local err = m.error
  if errors.is_error(err) then
    err.rank = err.rank or m.rank
  elseif type(err) == "string" then
    err = ("rank %d: %s"):format(m.rank, err)
  end
  error(err, 0)
end

---Runs a function once for each device of this process, with the device's primary context current. The calls take
---turns: one runs until it waits for the others in a call between ranks, such as all_reduce(), or until it returns.
---Kernels of all devices run at the same time, because launches do not wait.
---@param f fun(world: cudalua.distributed.Group): any  gets the group of all devices, which cuda.distributed.init()
---  returns, too; world.rank counts them from 0
---@param options? {devices: integer[]}  devices: the numbers of the devices to use; default all
---@return any[] results  the first result of each call, at position rank + 1
---@raise LogicError for invalid options, inside another call of devices(), and in one of several processes of
---  cudalua run. The error of the first call that fails, with its rank; the others raise it in their next call between
---  ranks
function M.devices(f, options)
  errors.check_callable("devices", f)
  local o = errors.options("devices", options, OPTIONS)
  if members.current() then
    errors.raise("LogicError", "devices: this function already runs once for each device; use the group that it gets")
  end
  local size = start.joined or start.read().size
  if size > 1 then
    errors.raise("LogicError", ("devices: this process is one of %d ranks, which have a device each; use "
      .. "cuda.distributed.init()"):format(size))
  end
  core.want_context()
  local room = worlds_of(numbers(o))
  open_ways(room)
  local failed = members.run(room, f)
  if failed then raise_first(failed) end
  local results = {}
  for k, m in ipairs(room.members) do results[k] = m.results[1] end
  return results
end

return M
