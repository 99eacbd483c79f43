-- Products on tensor cores, kernels/linalg/tensor.cu: what each type's instruction is, and the kernel's parts.

local template = require "cudalua.gpuarray.kernel.template"

local M = {}

-- TF32 is a float32 without its 13 lower bits. They are added up to half of the last one, but for infinity and NaN.
local to_tf32 = "(word & 0x7f800000u) == 0x7f800000u ? word : word + 0x1000u"

local types = {
  int8 = { mma = "m16n8k32.row.col.s32.s8.s8.s32", register = "r", element = "(signed char)(word >> 8 * i)" },
  float16 = { mma = "m16n8k16.row.col.f32.f16.f16.f32", register = "f",
    element = "widened((Element)(word >> 16 * i))" },
  bfloat16 = { mma = "m16n8k16.row.col.f32.bf16.bf16.f32", register = "f",
    element = "widened((Element)(word >> 16 * i))" },
  float32 = { mma = "m16n8k8.row.col.f32.tf32.tf32.f32", register = "f",
    element = "__uint_as_float(word & 0xffffe000u)",
    prepared = to_tf32 },
}

---CUDA C that stands before the kernel.
---@param dtype cudalua.dtype.DType  of the operands
---@param kind "native"|"emulated"   the instructions, or what they do without them
---@param tile cudalua.gpuarray.TensorTile
---@return string
function M.before(dtype, kind, tile)
  local t = types[dtype.name]
  return template.fill("linalg/tensor", kind, { mma = "mma.sync.aligned." .. t.mma, register = t.register,
    element_of = t.element }) .. template.fill("linalg/tensor", "tile", { side = tile.side, high = tile.high,
    wide = tile.wide, prepared = t.prepared or "word" })
end

return M
