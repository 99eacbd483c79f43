-- The functions on arrays that select: of NumPy's and of PyCUDA's. Their annotations are where they are written.

local M = {}

for _, file in ipairs { "take", "where", "choose" } do
  for name, f in pairs(require("cudalua.gpuarray.index." .. file)) do M[name] = f end
end

return M
