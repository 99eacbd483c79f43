-- Linear algebra beyond the products that arrays have: cuda.linalg. Each file of linalg/ defines some of its functions:
--   backends   which kernels compute
--   chains     products of several matrices
--   linear     a product with a bias and an activation
--   lu         elimination: lu, solve, inv, det, slogdet
--   cholesky, triangular, qr
--   jacobi     singular values and eigenvalues
--   lstsq      what singular values give: lstsq, pinv, matrix_rank
--   functions  norm, cond, expm
--   matrices   what solvers have in common
--   solver     calls of cuSOLVER
--   vendor     factors by cuSOLVER, as own kernels give them

local calls = require "cudalua.gpuarray.core.calls"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
require "cudalua.gpuarray" -- before the files of functions that it reads later (gpuarray/lazy.lua)

---Linear algebra: functions of matrices.
---@class cudalua.linalg
local M = {}

for _, part in ipairs { "backends", "chains", "linear", "lu", "cholesky", "triangular", "qr", "jacobi", "lstsq",
  "functions" } do
  local room = require("cudalua.linalg." .. part)
  for name, f in pairs_of(room.functions or room) do M[name] = calls.wrap("linalg." .. name, f) end
end

names.strict(M, { text = "linalg", kind = "module" })

return M
