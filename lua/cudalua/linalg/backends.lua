-- linalg.backend, linalg.precision, linalg.libraries: own kernels or NVIDIA's libraries.

local choice = require "cudalua.vendor.choice"
local libraries = require "cudalua.vendor.library"

---@class cudalua.linalg
local M = {}

---Selects the kernels for products and factorizations of matrices, Fourier transforms and products of sparse matrices
---in this Lua state. "auto", the default: NVIDIA's libraries on a GPU if they are installed and support the call,
---otherwise own kernels, with one notice for each missing library. "own": kernels of this library, with the same bits
---on every device unless linalg.precision is "tensor". "vendor": NVIDIA's libraries; a call raises an error if its
---library is missing or does not support it.
---@param name? "auto"|"own"|"vendor"  the new setting; default: leave it unchanged
---@return "auto"|"own"|"vendor" name  the setting now
---@raise LogicError for another name
function M.backend(name) return choice.backend(name) end

---Selects the precision of matrix products. "full", the default: operands are multiplied with all their digits, and own
---kernels give the same bits on every device. "tensor": products of float16, bfloat16 and float32 are computed on
---tensor cores, by own kernels from compute capability 8.0 on. float32 is rounded to TF32, which has three digits. Sums
---are float32, and their last bits depend on the generation of the GPU. Products of int8 use tensor cores under both,
---with the same bits. Products of a matrix and a vector, and factorizations by own kernels, are "full" under both.
---@param name? "full"|"tensor"  the new setting; default: leave it unchanged
---@return "full"|"tensor" name  the setting now
---@raise LogicError for another name
function M.precision(name) return choice.precision(name) end

---Returns which of NVIDIA's libraries were found: cuBLASLt, cuSOLVER, cuSPARSE and cuFFT. Opens them.
---@return {name: string, path: string?, version: string?, why: string?}[] libraries  why: what was tried, for a missing
---  library
function M.libraries() return libraries.list() end

return M
