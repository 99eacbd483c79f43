-- Defines a function and the method of the same name at once, as gpuarray.sum(a, options) and a:sum(options). The
-- annotation above the call of define() is the one of both; ./dev generate writes it to docs/meta/generated/.

local Array = require("cudalua.gpuarray.core.object").Array

local makers = {} -- by text of the function: what makes it

-- function(a, options) return _f(what, row, a, options) end. Arguments are checked by the names of the parameters
-- (base/surplus.lua), so that each function has those of its own; a method's first one is `self`.
local function make(parameters, arguments, what, f, row)
  local text = ("local what, _f, row = ... return function(%s) return _f(%s) end"):format(
    table.concat(parameters, ", "), table.concat(arguments, ", "))
  makers[text] = makers[text] or assert(loadstring(text, "=cudalua.define"))
  return makers[text](what, f, row)
end

-- The lists behind one another.
local function joined(...)
  local all = {}
  for _, list in ipairs { ... } do
    for _, x in ipairs(list) do all[#all + 1] = x end
  end
  return all
end

---What defines functions of a file.
---@param M table  gets the functions
---@return fun(name: string, f: function, row?: table, object?: string)  f: called as f(what, row, a, ...), without
---  `row` as f(what, a, ...); `what` is "gpuarray.sum" or "gpuarray:sum", for messages. If f's first parameter is not
---  `what`, f itself is the function, and the method calls it. object: the parameter that is the method's array;
---  default: the first one behind these
return function(M)
  return function(name, f, row, object)
    local parameters, given = {}, {}
    for k = 1, debug.getinfo(f, "u").nparams do parameters[k] = debug.getlocal(f, k) end
    if parameters[1] == "what" then
      for k = 1, row and 2 or 1 do given[k] = table.remove(parameters, 1) and (k == 1 and "what" or "row") end
      M[name] = make(parameters, joined(given, parameters), "gpuarray." .. name, f, row)
    else
      M[name] = f
    end
    local at = 1
    for k, parameter in ipairs(parameters) do at = parameter == object and k or at end
    local arguments = joined(given, parameters)
    arguments[#given + at] = "self"
    table.remove(parameters, at)
    Array[name] = make(joined({ "self" }, parameters), arguments, "gpuarray:" .. name, f, row)
  end
end
