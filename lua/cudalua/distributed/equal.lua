-- Do the ranks have equal arrays? They compare checksums. If these differ, the error says where, and what two ranks
-- have there.

local calls = require "cudalua.distributed.calls"
local element = require "cudalua.base.element"
local ffi = require "ffi"
local layout = require "cudalua.base.layout"
local operands = require "cudalua.distributed.operands"

local M = {}

---@param texts string[]
---@return integer?  the first rank whose text is not that of rank 0
function M.other(texts)
  for k, text in ipairs(texts) do
    if text ~= texts[1] then return k - 1 end
  end
end

-- The number of the first element that is not the same in both, from 0.
local function first_difference(where, a, b)
  local size = a.dtype.itemsize
  local p, q = ffi.cast("const uint8_t *", operands.memory(where, a)[0]),
    ffi.cast("const uint8_t *", operands.memory(where, b)[0])
  for i = 0, a.nbytes - 1 do
    if p[i] ~= q[i] then return math.floor(i / size) end
  end
end

local function value_at(a, i) return element.describe(a:reshape(a.size)[i + 1]) end

-- All ranks compare their array with that of rank 0, and raise where the first of them has another element.
local function explain(group, where, name, a, remedy)
  local first = calls.from_root(group, "broadcast", a, { root = 0 }, where)
  local i = group.rank > 0 and first_difference(where, first, a) or nil
  local texts = calls.exchange(group, where, i and ("%.0f %s"):format(i, value_at(a, i)) or "-")
  for k, text in ipairs(texts) do
    local number, value = text:match "^(%d+) (.*)$"
    if number then
      local place, at = tonumber(number), ""
      for _, x in ipairs(layout.unravel(a.shape, place)) do at = ("%s[%.0f]"):format(at, x) end
      at = at ~= "" and ("at %s "):format(at) or ""
      layout.refuse(where, "%s differs between ranks: %sit is %s on rank 0 and %s on rank %d; %s", name, at,
        value_at(first, place), value, k - 1, remedy)
    end
  end
end

---Raises on all ranks unless all have the same array. All ranks call it.
---@param group cudalua.distributed.Group
---@param where string
---@param name string    what messages call the array
---@param about string   what has to be the same besides
---@param a cudalua.ndarray.Array  in C order
---@param remedy string
---@raise LogicError
function M.check(group, where, name, about, a, remedy)
  local sum = ("%s, checksum %08x"):format(about, operands.checksum(where, a))
  local texts, abouts = calls.exchange(group, where, sum), {}
  if not M.other(texts) then return end
  for k, text in ipairs(texts) do abouts[k] = text:gsub(", checksum %x+$", "") end
  calls.check_same(where, abouts)
  explain(group, where, name, a, remedy)
end

return M
