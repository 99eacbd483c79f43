-- Giving memory back without waiting for the collector: of one array, or of all that a function made.

local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local object = require "cudalua.gpuarray.core.object"
local storage = require "cudalua.gpuarray.core.storage"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua.gpuarray.Array
local Array = object.Array

---@class cudalua.gpuarray
local M = {}

---Gives the memory back to the pool now. Views of the array lose it as well, and so do expressions that use the
---array and are not computed yet. Using any of them afterwards is an error.
function Array:release()
  object.check_self(self, "gpuarray:release")
  if self._sig then
    storage.drop(self)
  else
    storage.release_array(self)
  end
end

-- Computes an array that is returned, or the arrays in a table, and in tables in there.
local function keep(scope, x, seen)
  if type(x) ~= "table" or seen[x] then return end
  seen[x] = true
  if object.is_array(x) then
    storage.keep(scope, evaluate.evaluate(x).store)
  else
    for key, value in pairs_of(x) do
      keep(scope, key, seen)
      keep(scope, value, seen)
    end
  end
end

local function finish(scope, ok, ...)
  if not ok then
    storage.leave(scope)
    error((...), 0)
  end
  local kept, failure = pcall(keep, scope, { ... }, {})
  storage.leave(scope)
  if not kept then error(failure, 0) end
  return ...
end

---Calls fn(...). What it returns is computed and stays: arrays, and arrays in tables. The memory of all other arrays
---that were made inside is freed, and using one of those later is an error. An array is made where it is written,
---whoever computes it; one that was made outside stays. A coroutine that fn resumes has scopes of its own.
---@param fn function
---@param ... any  arguments of fn
---@return any ...  what fn returns
---@raise what fn raises, and what the kernels raise that compute what it returns; the arrays that it made are gone then
function M.scope(fn, ...)
  errors.check_callable("gpuarray.scope", fn)
  return finish(storage.enter(), pcall(fn, ...))
end

return M
