-- Hints for what programmers of shaders, C++, Python and Lua write in a kernel, and CUDA C has no name or operator for.

local pairs_of = require "cudalua.base.pairs_of"

-- Other names -> what CUDA C has.
local written = {}
for names, text in pairs_of {
  clamp = "fminf(fmaxf(x, low), high)",
  ["minf fmin_f"] = "fminf(x, y)",
  ["maxf fmax_f"] = "fmaxf(x, y)",
  absf = "fabsf(x)",
  ["powi ipow pow2 powr"] = "powf(x, y)",
  ["sqr square"] = "x * x",
  mod = "fmodf(x, y), or x % y for integers",
  ["lerp mix"] = "a + t * (b - a)",
  saturate = "__saturatef(x)",
  fract = "x - floorf(x)",
  sign = "(x > 0) - (x < 0)",
  math = "sqrtf(x), sinf(x) and so on",
  threadidx = "threadIdx",
  blockidx = "blockIdx",
  blockdim = "blockDim",
  griddim = "gridDim",
} do
  for name in names:gmatch "%S+" do written[name] = text end
end

---The hint for a name that the source does not declare.
---@param name string
---@return string?
local function hint_for_name(name)
  local text = written[name]
  return text and ("CUDA C does not have %s; write %s"):format(name, text)
end

-- Functions whose arguments choose among overloads -> those of floats alone.
local of_floats = { min = "fminf", max = "fmaxf", pow = "powf" }

---The hint for a call that several overloads fit equally well: min(x, 1) of a float and an integer.
---@param name string
---@return string?
local function hint_for_overload(name)
  local float = of_floats[name]
  return float and ("%s is ambiguous for arguments of these types; for floats, write %s, which converts all " ..
    "arguments"):format(name, float)
end

return { hint_for_name = hint_for_name, hint_for_overload = hint_for_overload }
