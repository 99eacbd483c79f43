-- Pictures, tables of text and safetensors as files: cuda.io. Arrays' own files, .npy and .npz, are ndarray's and
-- gpuarray's.

local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"

---Reading and writing files: images, text tables and safetensors.
---@class cudalua.io
local M = {}

for _, part in ipairs { "picture", "savetxt", "loadtxt", "safetensors" } do
  for name, f in pairs_of(require("cudalua.files." .. part)) do
    if name:byte() ~= 95 then M[name] = f end
  end
end

require("cudalua.base.surplus").install("io.", M)
names.strict(M, { text = "io", kind = "module" })

return M
