-- Arrays of other libraries in this process: cuda.interop. Each file of share/ defines some of its functions.

local calls = require "cudalua.gpuarray.core.calls"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"

---Exchanging arrays with other libraries of this process, without a copy.
---@class cudalua.interop
local M = {}

for _, part in ipairs { "dlpack", "python" } do
  for name, f in pairs_of(require("cudalua.share." .. part)) do M[name] = calls.wrap("interop." .. name, f) end
end

names.strict(M, { text = "interop", kind = "module" })

return M
