-- Giving memory back without waiting for the collector: of one array, or of all that a function made.

local errors = require "cudalua.errors"
local evaluate = require "cudalua.gpuarray.evaluate"
local object = require "cudalua.gpuarray.object"
local storage = require "cudalua.gpuarray.storage"

---@class cudalua.gpuarray.Array
local Array = object.Array

---@class cudalua.gpuarray
local M = {}

---Gives the memory back to the pool now. Views of the array lose it as well, and so do expressions with it that were
---not computed yet: using any of them is an error from then on.
function Array:release()
  object.check_self(self, "gpuarray:release")
  if self._sig then
    storage.drop(self)
  else
    storage.release_array(self)
  end
end

local function finish(mark, ok, ...)
  if ok then
    local made, result = pcall(function(...)
      for i = 1, select("#", ...) do
        local x = select(i, ...)
        if object.is_array(x) then storage.keep(mark, evaluate.evaluate(x).store) end
      end
    end, ...)
    storage.leave(mark)
    if not made then error(result, 0) end
    return ...
  end
  storage.leave(mark)
  error((...), 0)
end

---Calls fn(...). The arrays that it returns are computed; the memory of all others that were made inside is given back,
---and using one of those later is an error.
---@param fn function
---@param ... any  arguments of fn
---@return any ...  what fn returns
---@raise what fn raises; the arrays that it made are gone then, too
function M.scope(fn, ...)
  errors.check_callable("gpuarray.scope", fn)
  return finish(storage.enter(), pcall(fn, ...))
end

return M
