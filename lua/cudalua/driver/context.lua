-- Contexts: cuda.Context, which is the table of a context's methods as well. Context.synchronize() and its like act
-- on the current context.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"

---@class cudalua.Context
---@overload fun(device: cudalua.Device, flags?: integer|string|(integer|string)[]): cudalua.Context
local Context = core.classes.Context

setmetatable(Context, {
  __call = function(_, device, flags) return core.classes.Device.make_context(device, flags) end,
})

local synchronize = Context.synchronize

-- Reductions that were written before belong to the work that is waited for.
function Context.synchronize(...)
  hooks.start_waiting()
  synchronize(...)
end

---Makes the context current, calls f(...) and removes the context from the stack again, even if f raises an error.
---@param f function  the function to call
---@param ... any  the arguments of f
---@return any ...  the results of f
---@raise errors of f, and LogicError if f left another context on top of the stack.
function Context:with(f, ...)
  errors.check_callable("Context.with", f)
  local depth = core.context_depth()
  local function finish(ok, ...) -- made before the push: an error of somebody's finalizer may come with anything new
    local left = core.context_depth() - depth
    local balanced = left == 1 and Context.get_current() == self
    while core.context_depth() > depth do Context.pop() end
    if not ok then error((...), 0) end
    if not balanced then
      errors.raise("LogicError", left > 1 and "Context.with: the function left another context on top of the stack"
        or "Context.with: the function popped a context that it had not pushed")
    end
    return ...
  end
  Context.push(self)
  return finish(pcall(f, ...))
end

return Context
