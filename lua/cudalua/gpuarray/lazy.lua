-- The families of functions that are read when one of their functions is called first: half of what the library would
-- hold of Lua's memory otherwise, which each collection has to walk through.

local object = require "cudalua.gpuarray.core.object"

local Array = object.Array

local parts = require "cudalua.gpuarray.lazy_names" -- file, functions of the module, methods of arrays

local M = { list = parts }

-- Its functions come into the places of those that asked for it.
local function read(part, module)
  local functions = require("cudalua.gpuarray." .. part[1])
  functions = functions.functions or functions
  for name in part[2]:gmatch "%S+" do module[name] = functions[name] end
end

---Gives the module and the arrays their functions.
---@param module cudalua.gpuarray
function M.install(module)
  for _, part in ipairs(parts) do
    local function first(owner, name)
      return function(...)
        read(part, module)
        return owner[name](...)
      end
    end
    for name in part[2]:gmatch "%S+" do module[name] = first(module, name) end
    for name in part[3]:gmatch "%S+" do Array[name] = first(Array, name) end
  end
  function Array.slice(...)
    require "cudalua.gpuarray.index.slice"
    return Array.slice(...)
  end
  for _, name in ipairs { "get_index", "set_index" } do
    object[name] = function(...)
      require "cudalua.gpuarray.index.slice"
      return object[name](...)
    end
  end
end

return M
