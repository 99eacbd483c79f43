-- The way from the record of a product to its array, for all that multiply matrices.

local lt = require "cudalua.gpuarray.product.lt"
local operands = require "cudalua.gpuarray.product.operands"
local own = require "cudalua.gpuarray.product.own"

local M = {}

local function compute(record, alpha, beta, c)
  return lt.product(record, alpha, beta, c) or own.product(record, alpha, beta, c)
end

---Computes alpha times a product plus beta times c; nothing is checked.
---@param record cudalua.gpuarray.ProductRecord
---@param alpha? any  a number of the accumulator's type; default: 1
---@param beta? any   likewise; default: 0
---@param c? table    leaf of the result's type, which broadcasts to its shape
---@return cudalua.gpuarray.Array
function M.product(record, alpha, beta, c) return operands.inside(record, compute, record, alpha, beta, c) end

---The product of two arrays.
---@param what string  the function, for messages
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param dtype? cudalua.dtype.DType  for the result
---@return cudalua.gpuarray.Array
function M.of(what, a, b, dtype) return M.product(operands.of(what, a, b, dtype)) end

return M
