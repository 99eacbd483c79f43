-- What programs of ranks need of distributed arrays, if the library has none yet: a block of each rank.
if package.searchpath("cudalua.distributed.sharded", package.path) then return end

package.preload["cudalua.distributed.blocks"] = function()
  return { of = function(n, ranks, rank) return math.floor(n * rank / ranks), math.floor(n * (rank + 1) / ranks) end }
end

package.preload["cudalua.distributed.sharded"] = function()
  local blocks = require "cudalua.distributed.blocks"
  local mt = { __metatable = "cudalua.distributed.Array" }
  return { new = function(group, block, shape, axis)
    local first, past = 0, shape[1] -- without an axis all ranks have all of it
    if axis then first, past = blocks.of(shape[axis], group.size, group.rank) end
    local fields = { group = group, block = block, shape = shape, axis = axis, first = first + 1, last = past }
    return setmetatable(fields, mt)
  end }
end
