-- linalg.backend, linalg.precision, linalg.libraries: own kernels or NVIDIA's libraries.

local choice = require "cudalua.vendor.choice"
local libraries = require "cudalua.vendor.library"

---@class cudalua.linalg
local M = {}

---Selects the kernels for products and factorizations of matrices, Fourier transforms and products of sparse matrices
---in this Lua state. "auto", the default: NVIDIA's libraries on a GPU if they are installed and support the call,
---otherwise own kernels, with one notice for each missing library. "own": kernels of this library, with the same bits
---on every device. "vendor": NVIDIA's libraries; a call raises an error if its library is missing or does not support
---it.
---@param name? "auto"|"own"|"vendor"  the new setting; default: leave it unchanged
---@return "auto"|"own"|"vendor" name  the setting now
---@raise LogicError for another name; RuntimeError for "vendor" if cuBLASLt is missing, or on the software device
function M.backend(name) return choice.backend(name) end

---Selects the precision of products. "full", the default: float32 operands are multiplied with all their digits.
---"tensor": tensor cores may first round them to TF32, which has three digits, and own products of 16-bit floats use
---tensor cores.
---@param name? "full"|"tensor"  the new setting; default: leave it unchanged
---@return "full"|"tensor" name  the setting now
---@raise LogicError for another name
function M.precision(name) return choice.precision(name) end

---Returns which of NVIDIA's libraries were found: cuBLASLt, cuSOLVER, cuSPARSE and cuFFT. Opens them.
---@return {name: string, path: string?, version: string?, why: string?}[] libraries  why: what was tried, for a missing
---  library
function M.libraries() return libraries.list() end

return M
