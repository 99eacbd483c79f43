-- Arrays in device memory, whose operators write expressions down that run as one kernel.
--   gpuarray/object    what an array is made of          array      the array as programs see it
--   graph              an operation, written down        ops        the operations, as data; ctype, prelude
--   plan               from an expression to its kernel  codegen    from that to CUDA C; template
--   evaluate           computing                         write      writing where others still have to read
--   storage            memory                            view, transfer
--   reduce             one value of many; reductions as data, reduce_run, reduce_code
--   make, construct    fresh arrays                      generate   those that are computed from places
--   shape              other shapes                      join       from several arrays, or again and again
--   index              parts, by numbers, ranges, arrays, masks; take, where and their kin

require "cudalua.gpuarray.array"
local functions = require "cudalua.gpuarray.functions"
local graph = require "cudalua.gpuarray.graph"
local layout = require "cudalua.layout"
local object = require "cudalua.gpuarray.object"
local storage = require "cudalua.gpuarray.storage"

---Arrays in device memory.
---@class cudalua.gpuarray
---@field newaxis any  in an index: a new axis of extent 1
---@field Array cudalua.gpuarray.Array  the methods of arrays
local M = { newaxis = layout.newaxis, Array = object.Array }

---Is it an array of this module?
---@param x any
---@return boolean
function M.is_array(x) return object.is_array(x) end

for _, part in ipairs { "construct", "generate", "shape", "join" } do
  for name, f in pairs(require("cudalua.gpuarray." .. part)) do M[name] = f end
end
for name, f in pairs(functions.functions) do M[name] = M[name] or f end
for name, f in pairs(require "cudalua.gpuarray.reduce") do M[name] = f end
for name, f in pairs(require "cudalua.gpuarray.index.functions") do M[name] = f end
M.apply = functions.apply
M.scope = require("cudalua.gpuarray.scope").scope
local fuse = require "cudalua.gpuarray.fuse"
M.fuse, M.Fused, M.source = fuse.fuse, fuse.Fused, fuse.source

graph.trace_lines()

---Computes each operation at once, instead of whole expressions: for finding out which one fails.
---@param on? boolean  sets it
---@return boolean    how it is
function M.eager(on)
  if on ~= nil then
    graph.set_eager(on)
    if on then M.eval() end
  end
  return graph.is_eager()
end

---Computes everything that was written down and not computed, or the given arrays.
---@param ... cudalua.gpuarray.Array
function M.eval(...)
  local list = select("#", ...) > 0 and { ... } or storage.all_pending()
  for _, x in ipairs(list) do x:eval() end
end

return M
