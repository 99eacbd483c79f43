-- Linear algebra. Each file of linalg/ defines some functions of the module:
--   backends   which kernels compute
--   linear     a product with a bias and an activation

local calls = require "cudalua.gpuarray.core.calls"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
require "cudalua.gpuarray"

---@class cudalua.linalg
local M = {}

for _, part in ipairs { "backends", "linear" } do
  for name, f in pairs_of(require("cudalua.linalg." .. part)) do M[name] = calls.wrap("linalg." .. name, f) end
end

names.strict(M, { text = "linalg", kind = "module" })

return M
