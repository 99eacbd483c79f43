-- Events: cuda.Event, which is the table of an event's methods as well.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"

---An event marks a point in a stream. You can wait for it, query it, and measure the time between two events.
---@class cudalua.Event
---@overload fun(flags?: integer|string|(integer|string)[]|{flags: any}): cudalua.Event  flags of cuda.event_flags:
---  "blocking_sync", "disable_timing" (cheaper), "interprocess" (requires "disable_timing")
local Event = core.classes.Event

local options_of_event = { flags = true }

setmetatable(Event, {
  __call = function(_, options)
    if type(options) ~= "table" or #options > 0 then return core.event(options) end
    options = errors.options("Event", options, options_of_event)
    return core.event(options.flags)
  end,
})

local record = Event.record

-- Reductions that were written before belong to the work before the event.
function Event.record(...)
  local self = ...
  hooks.start_waiting()
  record(...)
  return self
end

---cuIpcOpenEventHandle: opens an event that another process created with {"interprocess", "disable_timing"}, in the
---current context, which must be on the same device. Streams of other devices can wait for it.
---@param handle string  the 64 bytes that Event:ipc_handle() returned in the other process
---@return cudalua.Event  closing it does not affect the other process's event
---@raise LogicError for another length, and in the process that created the event
function Event.from_ipc_handle(handle) return core.event_from_ipc_handle(handle) end

return Event
