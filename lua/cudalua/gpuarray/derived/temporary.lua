-- Expressions that only a function of the library knows. It forgets them when it has used them: a later write to their
-- operands would have to compute them first.

local graph = require "cudalua.gpuarray.core.graph"
local storage = require "cudalua.gpuarray.core.storage"

---@class cudalua.gpuarray.Temporary
---@field [integer] cudalua.gpuarray.Array
local Temporary = {}
Temporary.__index = Temporary

local function kept(self, x)
  self[#self + 1] = x
  return x
end

function Temporary:unary(op, a) return kept(self, graph.unary(op, a)) end

function Temporary:binary(op, a, b) return kept(self, graph.binary(op, a, b)) end

function Temporary:ternary(op, a, b, c) return kept(self, graph.ternary(op, a, b, c)) end

---The array itself if it has that type.
function Temporary:as_type(a, dtype) return a._dtype == dtype and a or kept(self, graph.convert(a, dtype)) end

---Forgets what is still pending.
function Temporary:forget()
  for i = 1, #self do
    if self[i]._sig then storage.drop(self[i]) end
  end
end

---A list of such expressions, whose methods make them.
---@return cudalua.gpuarray.Temporary
return function() return setmetatable({}, Temporary) end
