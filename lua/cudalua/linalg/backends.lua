-- linalg.backend, linalg.precision, linalg.libraries: own kernels or NVIDIA's libraries.

local choice = require "cudalua.vendor.choice"
local libraries = require "cudalua.vendor.library"

---@class cudalua.linalg
local M = {}

---Which kernels compute products and factors of matrices, Fourier transforms and products of sparse matrices in this
---Lua state. "own", the default: the kernels of this library, which give the same bits on every device. "vendor":
---NVIDIA's libraries; a call raises where its library is missing or cannot compute it. "auto": these on a GPU where
---they are there and can compute the call; otherwise own kernels, with one notice for each library that is missing.
---@param name? "auto"|"own"|"vendor"  default: leaves it as it is
---@return "auto"|"own"|"vendor" name  as it is now
---@raise LogicError for another name
function M.backend(name) return choice.backend(name) end

---How exact products have to be. "full", the default: float32 operands are multiplied with all their digits. "tensor":
---tensor cores may round them to TF32 first, which has three digits, and own products of 16-bit floats use tensor
---cores.
---@param name? "full"|"tensor"  default: leaves it as it is
---@return "full"|"tensor" name  as it is now
---@raise LogicError for another name
function M.precision(name) return choice.precision(name) end

---NVIDIA's libraries as they were found: cuBLASLt, cuSOLVER, cuSPARSE and cuFFT. Opens those that are there.
---@return {name: string, path: string?, version: string?, why: string?}[] libraries  why: what was tried, where a
---  library is not there
function M.libraries() return libraries.list() end

return M
