-- Functions that are made of others, in whose names they would speak: errors name them, and not what they call.

local calls = require "cudalua.gpuarray.core.calls"
local errors = require "cudalua.base.errors"
local surplus = require "cudalua.base.surplus"
local Array = require("cudalua.gpuarray.core.object").Array

---@param M table        functions of the module gpuarray
---@param names string   of those functions, and of the methods of the same names where there are some
---@return table M
return function(M, names)
  calls.install(M)
  for name in names:gmatch "%S+" do
    local f, method = M[name], rawget(Array, name)
    M[name] = surplus.shown(function(...) return errors.within("gpuarray." .. name, f, ...) end, f)
    if method then
      Array[name] = surplus.shown(function(...) return errors.within("gpuarray:" .. name, method, ...) end, method)
    end
  end
  return M
end
