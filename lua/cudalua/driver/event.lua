-- Events: cuda.Event, which is the table of an event's methods as well.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"

---A mark in a stream: to wait for, to ask whether it was passed, and to measure the time between two of them.
---@class cudalua.Event
---@overload fun(flags?: integer|string|(integer|string)[]|{flags: any}): cudalua.Event  of cuda.event_flags:
--- "blocking_sync", "disable_timing" (cheaper), "interprocess" (needs "disable_timing")
local Event = core.classes.Event

local options_of_event = { flags = true }

setmetatable(Event, {
  __call = function(_, options)
    if type(options) ~= "table" or #options > 0 then return core.event(options) end
    options = errors.options("Event", options, options_of_event)
    return core.event(options.flags)
  end,
})

---cuIpcOpenEventHandle: an event that another process made with {"interprocess", "disable_timing"}, in the current
---context, which is to be one of the same device. Streams of other devices can wait for it.
---@param handle string  the 64 bytes that Event:ipc_handle() gave there
---@return cudalua.Event  closing it leaves the other process's event alone
---@raise LogicError for another length, and in the process that made it
function Event.from_ipc_handle(handle) return core.event_from_ipc_handle(handle) end

return Event
