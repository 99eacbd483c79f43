-- linalg.backend, linalg.precision, linalg.libraries: own kernels or NVIDIA's libraries.

local choice = require "cudalua.vendor.choice"
local libraries = require "cudalua.vendor.library"

---@class cudalua.linalg
local M = {}

---Which kernels compute products and factors of matrices, Fourier transforms and products of sparse matrices in this
---Lua state. "own", the default: the kernels of this library, which give the same bits on every device unless
---linalg.precision is "tensor". "vendor": NVIDIA's libraries; a call raises where its library is missing or cannot
---compute it. "auto": these on a GPU where they are there and can compute the call; otherwise own kernels, with one
---notice for each library that is missing.
---@param name? "auto"|"own"|"vendor"  default: leaves it as it is
---@return "auto"|"own"|"vendor" name  as it is now
---@raise LogicError for another name; RuntimeError for "vendor" if cuBLASLt is not there, or on the software device
function M.backend(name) return choice.backend(name) end

---How exact products of matrices have to be. "full", the default: operands are multiplied with all their digits, and
---own kernels give the same bits on every device. "tensor": products of float16, bfloat16 and float32 are computed on
---tensor cores, by own kernels from compute capability 8.0 on. float32 is rounded to TF32, which has three digits. Sums
---are float32; their last bits depend on the generation of the GPU. Products of int8 use tensor cores under both, with
---the same bits. Matrices times vectors, and factorisations by own kernels, are "full" under both.
---@param name? "full"|"tensor"  default: leaves it as it is
---@return "full"|"tensor" name  as it is now
---@raise LogicError for another name
function M.precision(name) return choice.precision(name) end

---NVIDIA's libraries as they were found: cuBLASLt, cuSOLVER, cuSPARSE and cuFFT. Opens those that are there.
---@return {name: string, path: string?, version: string?, why: string?}[] libraries  why: what was tried, where a
---  library is not there
function M.libraries() return libraries.list() end

return M
