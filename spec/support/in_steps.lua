-- in_steps() lets every evaluation go through run.kernel(), as a spec sees nothing of those that one call of C does.
-- Returns the function that ends this.
local pairs_of = require "cudalua.base.pairs_of"
local storage = require "cudalua.gpuarray.core.storage"

---@return fun() restore
return function()
  local pools, saved = storage.pools, {}
  for id, pool in pairs_of(pools) do saved[id] = pool end
  for id in pairs_of(saved) do pools[id] = nil end
  return function()
    for id, pool in pairs_of(saved) do pools[id] = pool end
  end
end
