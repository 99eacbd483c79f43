-- Exchanges between pairs of ranks, by send() and recv(), in an order in which no ranks wait for each other.

local M = {}

-- All pairs of ranks. Each rank goes through its own pairs in this order, so the first pair that is not done is the
-- next one for both of its ranks. Neighbours come first. Every other pair of one distance can exchange at the same
-- time, also among the ranks of a row or a column of a grid.
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

---Exchanges with each other rank in turn. Where nothing goes from one rank to another, both of them must leave it out.
---@param group cudalua.distributed.Group
---@param send fun(to: integer)       sends what that rank gets, if anything
---@param receive fun(from: integer)  receives what that rank gives, if anything
function M.exchange(group, send, receive)
  local rank = group.rank
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

return M
