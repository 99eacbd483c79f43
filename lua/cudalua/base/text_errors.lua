-- cuda.text_errors(fn): an entry point whose errors are text, for host programs that show nothing but strings.

local errors = require "cudalua.base.errors"

local known = { traceback = true }

-- What pcall gave. The text begins with the line that the error names, so no line is put in front (level 0).
local function passed(traceback, ok, ...)
  if ok then return ... end
  local err = ...
  if errors.is_error(err) then
    error(traceback and tostring(err) .. "\n" .. tostring(err.traceback) or tostring(err), 0)
  end
  error(err, 0)
end

---@param fn function
---@param options? {traceback: boolean}
---@return function
return function(fn, options)
  errors.check_callable("text_errors", fn)
  local traceback = errors.options("text_errors", options, known).traceback
  if traceback ~= nil and type(traceback) ~= "boolean" then
    errors.raise("LogicError", "text_errors: traceback must be true or false, got " .. errors.text(traceback))
  end
  return function(...) return passed(traceback, pcall(fn, ...)) end
end
