-- Pieces of device code for generated kernels: files of kernels/, beside the installed library or in the source
-- tree. A kernel's source holds those that it needs and no others; each file is read once.

local devicecode = require "cudalua.base.devicecode"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

-- In the order in which they stand in a source: name, the functions that others use (without cl_), and, where there are
-- any, the earlier pieces that it needs, and the folder where it is, if not array.
local rows = {
  { "half", "float16_load float16_store float16_round" },
  { "bfloat16", "bfloat16_load bfloat16_store bfloat16_round" },
  { "constant", "zero false" },
  { "compare", "lt le gt ge eq ne" },
  { "extremes", "max_nan min_nan" },
  { "integer_divide", "floordiv mod fmod" },
  { "integer_power", "pow" },
  { "gcd", "gcd lcm" },
  { "float_divide", "floordiv_real mod_real" },
  { "float_parts", "modf_fraction frexp_mantissa frexp_exponent ldexp" },
  { "next", "float16_next bfloat16_next", { "half", "bfloat16" } },
  { "logaddexp", "logaddexp logaddexp2" },
  { "complex", "make add sub mul neg conj rint abs angle" },
  { "complex_divide", "div reciprocal sign", { "complex" } },
  { "complex_exp", "exp", { "complex" } },
  { "complex_hyperbolic", "sinh cosh tanh sin cos tan", { "complex_exp" } },
  { "complex_log", "log log2 log10", { "complex" } },
  { "complex_sqrt", "sqrt", { "complex" } },
  { "complex_inverse", "asin acos asinh acosh atan atanh", { "complex" } },
  { "complex_near_one", "expm1 log1p", { "complex_exp", "complex_log" } },
  { "complex_power", "cpow", { "complex_divide", "complex_exp", "complex_log" } },
  { "complex_class", "", { "complex_power", "complex_hyperbolic", "complex_sqrt" } },
  { "philox", "philox random_block random_bits_uint32 random_bits_uint64", {}, "random" },
  { "functions", "random_log random_exp random_radius random_circle", {}, "random" },
  { "uniform", "random_uniform_float16 random_uniform_bfloat16 random_uniform_float32 random_uniform_float64 " ..
    "random_positive_float32 random_positive_float64 random_bounded_uint32 random_bounded_uint64", { "philox" },
    "random" },
  { "normal", "random_normal_float32 random_normal_float64 random_exponential_float32 random_exponential_float64",
    { "philox", "functions" }, "random" },
  { "gamma", "random_gamma random_log_gamma random_ratio", { "normal" }, "random" },
  { "counts", "random_poisson random_binomial random_pair", { "philox", "functions" }, "random" },
  { "quantile", "random_normal_quantile random_poisson_quantile", { "counts" }, "random" },
  { "bijection", "random_bijection", { "philox" }, "random" },
  { "radix", "", {}, "fft" },
  { "scalar", "fma norm2", { "complex" }, "linalg" },
  { "field", "real scaled size length2 length across warp_sum", { "scalar", "complex_divide" }, "linalg" },
}

local pieces = {} -- by name
local owners = {} -- function -> name of the piece
for _, row in ipairs(rows) do
  pieces[row[1]] = { needs = row[3] or {}, folder = row[4] or "array" }
  for name in row[2]:gmatch "%S+" do owners["cl_" .. name] = row[1] end
end

local function text_of(name)
  local piece = pieces[name]
  piece.text = piece.text or devicecode.file(piece.folder, name .. ".cuh")
  return piece.text
end

local function add(wanted, name)
  if wanted[name] then return end
  wanted[name] = true
  for _, other in ipairs(pieces[name].needs) do add(wanted, other) end
end

---The text of these pieces and of those that they need, in the order in which they belong.
---@param set table<string, any>  names of pieces as keys
---@return string
function M.text(set)
  local wanted, list = {}, {}
  for name in pairs_of(set) do add(wanted, name) end
  for _, row in ipairs(rows) do
    if wanted[row[1]] then list[#list + 1] = text_of(row[1]) end
  end
  return table.concat(list)
end

---The pieces with the functions cl_... that a text uses.
---@param text string
---@param set? table<string, boolean>  added to
---@return table<string, boolean> set
function M.needed(text, set)
  set = set or {}
  for name in text:gmatch "%f[%w_]cl_[%w_]+" do
    if owners[name] then set[owners[name]] = true end
  end
  return set
end

---Names of all the pieces, in order.
---@return string[]
function M.names()
  local names = {}
  for i, row in ipairs(rows) do names[i] = row[1] end
  return names
end

return M
