-- Factors of products as NVIDIA's libraries read them from the host. They load a complex128 at once, in one instruction
-- that ends the process if its address is no multiple of 16; memory of ffi.new is aligned to 8 bytes only.

local ffi = require "ffi"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

local aligned = {}
for dtype, name in pairs_of { float32 = "float", float64 = "double", complex64 = "complex float",
  complex128 = "complex double", int32 = "int32_t" } do
  aligned[dtype] = ffi.typeof(("struct { __attribute__((aligned(16))) %s value; }"):format(name))
end

---A factor in memory aligned to 16 bytes, which is passed as its address.
---@param dtype "float32"|"float64"|"complex64"|"complex128"|"int32"
---@param value any  a number, or a complex one
---@return ffi.cdata* factor
function M.new(dtype, value) return aligned[dtype](value) end

return M
