-- Streams as Python's array protocols number them: 1 and 2 are the default ones, others have their handle.

local core = require "cudalua.core"

local legacy, per_thread = core.default_streams()

local M = {}

---@param stream cudalua.Stream
---@return integer
function M.number_of(stream)
  if stream == legacy then return 1 end
  return stream == per_thread and 2 or stream:handle()
end

---@param number integer  positive
---@return cudalua.Stream
function M.stream_of(number)
  if number == 1 then return legacy end
  return number == 2 and per_thread or core.wrap_stream(number)
end

return M
