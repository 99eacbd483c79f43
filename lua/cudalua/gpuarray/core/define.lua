-- Defines a function and the method of the same name at once, as gpuarray.sum(a, options) and a:sum(options). The
-- annotation above the call of define() is the one of both; ./dev generate writes it to docs/meta/generated/.

local Array = require("cudalua.gpuarray.core.object").Array

local makers = {} -- by text of the function: what makes it

-- function(a, options) return f(what, row, a, options) end. Arguments are checked by the names of the parameters
-- (base/surplus.lua), so that each function has those of its own; a method's first one is `self`.
local function make(parameters, given, what, f, row)
  local text = ("local what, f, row = ... return function(%s) return f(%s%s) end"):format(parameters, given, parameters)
  makers[text] = makers[text] or assert(loadstring(text, "=cudalua.define"))
  return makers[text](what, f, row)
end

---What defines functions of a file.
---@param M table  gets the functions
---@return fun(name: string, f: function, row?: table)  f: called as f(what, row, a, ...), without `row` as f(what, a,
---  ...); `what` is "gpuarray.sum" or "gpuarray:sum", for messages. If f's first parameter is not `what`, f itself is
---  the function, and the method calls it
return function(M)
  return function(name, f, row)
    local parameters = {}
    for k = 1, debug.getinfo(f, "u").nparams do parameters[k] = debug.getlocal(f, k) end
    local given = ""
    if parameters[1] == "what" then
      given = row and "what, row, " or "what, "
      for _ = 1, row and 2 or 1 do table.remove(parameters, 1) end
      M[name] = make(table.concat(parameters, ", "), given, "gpuarray." .. name, f, row)
    else
      M[name] = f
    end
    parameters[1] = "self"
    Array[name] = make(table.concat(parameters, ", "), given, "gpuarray:" .. name, f, row)
  end
end
