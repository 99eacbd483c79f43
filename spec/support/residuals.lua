-- How well factors of matrices fit, in units of n eps ||a||, as LAPACK's tests count: good solvers stay below 30.
local dtype = require "cudalua.dtype"
local gpuarray = require "cudalua.gpuarray"
local products = require "spec.support.products"

local M = {}

---Sizes around those of blocks; the largest ones under CUDALUA_ALL=1.
M.sizes = { 1, 2, 31, 33, 65 }
M.types = { "float32", "complex128" }
if os.getenv "CUDALUA_ALL" == "1" then
  M.sizes = { 1, 2, 3, 31, 32, 33, 63, 64, 65, 129, 200 }
  M.types = { "float32", "float64", "complex64", "complex128" }
end

---Random elements.
---@param shape integer[]
---@param t string
---@param seed? integer
---@return cudalua.gpuarray.Array
function M.random(shape, t, seed) return products.random(shape, t, products.numbers(seed or 1)) end

---@param a cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.adjoint(a)
  a = a:swapaxes(-1, -2)
  return a.dtype.kind == "complex" and a:conj() or a
end

---The greatest sum of a row's absolute values.
---@param a cudalua.gpuarray.Array
---@return number
function M.norm(a)
  if a.size == 0 then return 0 end
  return a:abs():sum(-1):max():item()
end

---The difference of two arrays, in units of n eps `scale`.
---@param x cudalua.gpuarray.Array
---@param y cudalua.gpuarray.Array
---@param scale number
---@return number
function M.ratio(x, y, scale)
  if x.size == 0 then return 0 end
  local eps = gpuarray.finfo(x.dtype).eps
  local n = math.max(unpack(x.shape))
  return M.norm(x - y) / (n * eps * (scale > 0 and scale or 1e-30))
end

---The unit matrix beside an array.
---@param n integer
---@param a cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.eye(n, a) return gpuarray.eye(n, nil, nil, dtype(a.dtype.name)) end

return M
