-- Giving memory back without waiting for the collector: of one array, or of all that a function made.

local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local object = require "cudalua.gpuarray.core.object"
local results = require "cudalua.gpuarray.core.results"
local storage = require "cudalua.gpuarray.core.storage"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua.gpuarray.Array
local Array = object.Array

---@class cudalua.gpuarray
local M = {}

---Returns the memory to the pool now. Views of the array and pending expressions that use it lose the memory, too.
---Using any of them afterwards is an error.
function Array:release()
  object.check_self(self, "gpuarray:release")
  if self._sig and storage.before_drop then storage.before_drop(self) end
  if self._sig then
    storage.drop(self)
  else
    storage.release_array(self)
  end
end

-- Adds an array that is returned to the list, or the arrays in a table, and in tables in there.
local function collect(list, x, seen)
  if type(x) ~= "table" or seen[x] then return end
  seen[x] = true
  if object.is_array(x) then
    list[#list + 1] = x
  else
    for key, value in pairs_of(x) do
      collect(list, key, seen)
      collect(list, value, seen)
    end
  end
end

-- Computes the arrays that are returned.
local function keep(scope, returned)
  local list = {}
  collect(list, returned, {})
  results.together(list)
  for i = 1, #list do storage.keep(scope, evaluate.evaluate(list[i]).store) end
end

local function finish(scope, ok, ...)
  if not ok then
    storage.leave(scope)
    error((...), 0)
  end
  local kept, failure = pcall(keep, scope, { ... })
  storage.leave(scope)
  if not kept then error(failure, 0) end
  return ...
end

---Calls fn(...) and frees the memory of the arrays made inside, except for those that it returns. Returned arrays, and
---arrays in returned tables, are computed and stay valid. Using another array of the scope afterwards is an error. An
---array belongs to the scope where its expression is written, even if it is computed elsewhere; arrays made outside
---stay valid. A coroutine that fn resumes has its own scopes.
---@param fn function  the function to call
---@param ... any  the arguments of fn
---@return any ...  the results of fn
---@raise errors of fn, and of the kernels that compute its results; the arrays that it made are then freed, too
function M.scope(fn, ...)
  errors.check_callable("gpuarray.scope", fn)
  return finish(storage.enter(), pcall(fn, ...))
end

return M
