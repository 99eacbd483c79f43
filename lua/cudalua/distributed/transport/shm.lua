-- The transport through host memory, between the processes of one machine (src/cudalua/distributed/segment.h).

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"

---@type cudalua.distributed.Transport
local M = { name = "shm", memory = "host", takes = core.shared_takes }

function M.open(start, timeout)
  local handle = core.shared_world(start.segment, start.size, start.rank)
  handle:set_limit(timeout)
  return handle
end

-- The first member takes a row of the shared memory and tells the others which, or why it has none.
local function row_text(handle)
  local ok, row, step = pcall(handle.take_row, handle)
  return ok and ("%d %.0f"):format(row, step) or row.message
end

function M.split(handle, where, members)
  local messages = handle:exchange(where, members and members.leads and row_text(handle) or "-")
  if not members then return nil end
  local row, step = messages[members.leader]:match "^(%d+) (%-?%d+)$"
  if not row then errors.raise("LogicError", messages[members.leader]) end
  return handle:open(tonumber(row), tonumber(step), members.ranks)
end

function M.watched(handle) return handle end

function M.close(handle) handle:close() end

function M.exchange(handle, where, text) return handle:exchange(where, text) end

function M.refuse(handle, where, text) handle:refuse(where, text) end

function M.run(handle, call) return handle:run(call) end

return M
