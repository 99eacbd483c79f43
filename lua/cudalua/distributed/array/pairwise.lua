-- Exchanges arrays between ranks that all know what they receive. NCCL moves all arrays at the same time. With other
-- transports, pairs of ranks call send() and recv() in an order that cannot deadlock.

local calls = require "cudalua.distributed.calls"

local M = {}

-- All pairs of ranks. Each rank goes through its own pairs in this order, so the first pair that is not done is the
-- next one for both of its ranks. Neighbours come first. Every other pair of one distance can exchange at the same
-- time. This is also true within a row or a column of a grid.
local function in_order(size)
  local list = {}
  for distance = 1, size - 1 do
    for turn = 0, 1 do
      for i = 0, size - 1 - distance do
        if math.floor(i / distance) % 2 == turn then list[#list + 1] = { i, i + distance } end
      end
    end
  end
  return list
end

local function by_rank(transfers)
  local lists = {}
  for _, transfer in ipairs(transfers) do
    local list = lists[transfer.rank] or {}
    lists[transfer.rank], list[#list + 1] = list, transfer.array
  end
  return lists
end

local function by_pairs(group, where, sends, receives)
  local rank, to, from = group.rank, by_rank(sends), by_rank(receives)
  local function send(other)
    for _, x in ipairs(to[other] or {}) do calls.send(group, x, { to = other }, where) end
  end
  local function receive(other)
    for _, x in ipairs(from[other] or {}) do calls.recv(group, x, { from = other, out = x }, where) end
  end
  for _, pair in ipairs(in_order(group.size)) do
    if pair[1] == rank then
      send(pair[2])
      receive(pair[2])
    elseif pair[2] == rank then
      receive(pair[1])
      send(pair[1])
    end
  end
end

---Sends arrays to other ranks and receives arrays of theirs. What one rank sends to another one, that one receives, in
---the same order, with the same dtypes and shapes. No array is empty.
---@param group cudalua.distributed.Group
---@param where string  for messages
---@param sends cudalua.distributed.Transfer[]
---@param receives cudalua.distributed.Transfer[]  they are written, and share no memory with others
function M.exchange(group, where, sends, receives)
  if group._side.exchange then return group._side.exchange(group, where, sends, receives) end
  by_pairs(group, where, sends, receives)
end

return M
