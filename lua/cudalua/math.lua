-- Mathematical functions of arrays: those operations of gpuarray that take floats, by their names alone. What PyCUDA
-- calls cumath. Which these are, the rows say (`math` in kernel/ops.lua).

local functions = require "cudalua.gpuarray.core.functions"
local names = require "cudalua.base.names"
local ops = require "cudalua.gpuarray.kernel.ops"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua.math
local M = {}

for name, f in pairs_of(functions.functions) do
  local op = ops[name] or functions.pairs[name]
  if op and op.math then M[name] = f end
end

names.strict(M, { text = "math", kind = "module" })

return M
