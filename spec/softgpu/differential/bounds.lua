-- How far an approximate result may be from a GPU's. What the manuals bound is the distance from the exact result;
-- the software device rounds that to the nearest, so half a unit in the last place comes on top; two libraries built
-- on approximate operations may err in opposite directions, so a function's figure counts twice.
local ffi = require "ffi"

local M = {}

local pun = ffi.new "union { float f; double d; int32_t i; int64_t l; uint32_t w[2]; }"

-- value(words, type) and the unit in the last place there, of float, double and half.
local function half(h)
  local sign, e, m = h >= 0x8000 and -1 or 1, math.floor(h / 1024) % 32, h % 1024
  if e == 31 then return m > 0 and 0 / 0 or sign / 0 end
  return sign * (e == 0 and m * 2 ^ -24 or (m + 1024) * 2 ^ (e - 25))
end
local function brain(b)
  pun.w[0] = b * 65536
  return tonumber(pun.f)
end
local values = {
  f = function(w)
    pun.w[0] = w[0]
    return { tonumber(pun.f) }
  end,
  d = function(w)
    pun.w[0], pun.w[1] = w[0], w[1]
    return { pun.d }
  end,
  H = function(w) return { half(w[0] % 65536) } end,
  B = function(w) return { brain(w[0] % 65536) } end,
  J = function(w) return { half(w[0] % 65536), half(math.floor(w[0] / 65536)) } end,
  K = function(w) return { brain(w[0] % 65536), brain(math.floor(w[0] / 65536)) } end,
}
local precision = { f = { 24, -149 }, d = { 53, -1074 }, H = { 11, -24 }, J = { 11, -24 }, B = { 8, -133 }, K = { 8,
  -133 } }
local function ulp(x, type)
  local bits, least = unpack(precision[type])
  local _, e = math.frexp(x)
  return 2 ^ math.max(e - bits, least)
end

-- Distances: each function says how far `got` is from `want`, as a part of what is allowed.
local kinds = {}
function kinds.ulp(limit) return function(want, got, type) return math.abs(want - got) / (limit * ulp(want,
  type)) end end
function kinds.absolute(limit)
  return function(want, got, type) return math.abs(want - got) / (limit + 0.5 * ulp(want, type)) end
end
function kinds.relative(limit)
  return function(want, got, type) return math.abs(want - got) / (limit * math.abs(want) + 0.5 * ulp(want, type)) end
end
-- Of an angle: two ranges, nothing is promised outside.
function kinds.angle()
  return function(want, got, _, x)
    local limit = math.abs(x) <= 2 * math.pi and 2 ^ -20.5 or math.abs(x) <= 100 * math.pi and 2 ^ -14.7
    return limit and math.abs(want - got) / (limit + 2 ^ -25) or 0
  end
end
-- Of a tangent: as angles, since a cosine that is nearly zero makes any difference large.
function kinds.direction(limit)
  return function(want, got)
    local turn = math.abs(math.atan(want) - math.atan(got))
    return math.min(turn, math.pi - turn) / limit
  end
end
function kinds.logarithm()
  return function(want, got, type, x)
    local limit = x > 0.5 and x < 2 and 2 ^ -22 or 2 ^ -22 * math.abs(want)
    return math.abs(want - got) / (limit + 0.5 * ulp(want, type))
  end
end
-- No further than the limit, or than an absolute error where the result is nearly zero.
function kinds.either(limit, near)
  return function(want, got, type)
    local distance = math.abs(want - got)
    return math.min(distance / (limit * ulp(want, type)), distance / near)
  end
end

local PTX, GUIDE, MEASURED = "PTX ISA 9.0, ", "CUDA C++ Programming Guide, Mathematical Functions",
  "measured, no figure given"
local function bound(name, source, kind, ...) M[name] = { source = source, kind = kind, figure = { ... },
  part = kinds[kind](...) } end

bound("sin", PTX .. "sin, cos: 2^-20.5 in [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi]", "angle")
bound("lg2", PTX .. "lg2: 2^-22, absolute in (0.5, 2), else relative", "logarithm")
bound("ex2", PTX .. "ex2: 2 ulp", "ulp", 2.5)
bound("rcp", PTX .. "rcp.approx: 1 ulp", "ulp", 1.5)
bound("rsqrt", PTX .. "rsqrt.approx.f32: 2^-22.9", "relative", 2 ^ -22.9)
bound("sqrt", PTX .. "sqrt.approx.f32: 2^-23", "relative", 2 ^ -23)
bound("div", PTX .. "div.approx, div.full: 2 ulp", "ulp", 2.5)
bound("tanh", PTX .. "tanh.approx.f32: 2^-11", "relative", 2 ^ -11)
bound("tanh_half", PTX .. "tanh.approx.f16: 2^-10.987", "absolute", 2 ^ -10.987)
bound("tanh_bf", PTX .. "tanh.approx.bf16: 2^-8", "absolute", 2 ^ -8)
bound("ex2_half", PTX .. "ex2.approx.f16: 2^-9.9", "relative", 2 ^ -9.9)
bound("ex2_bf", PTX .. "ex2.approx.bf16: 2^-7", "relative", 2 ^ -7)
bound("seed", MEASURED .. ": the 20 upper bits of the mantissa of rcp and rsqrt.approx.ftz.f64", "relative", 2 ^ -19)
bound("rsqrt_double", MEASURED .. ": rsqrt.approx.f64", "ulp", 2.5)
for k = 1, 12 do bound("ulp" .. k, ("%s: %d ulp, twice"):format(GUIDE, k), "ulp", 2 * k) end
bound("gamma", GUIDE .. ": 6 ulp, more around the zeros of the logarithm", "either", 12, 1e-5)
bound("gamma_double", GUIDE .. ": 4 ulp, more around the zeros of the logarithm", "either", 8, 1e-14)
bound("bessel", GUIDE .. ": 9 ulp near zero, else 2.2e-6 absolute", "either", 18, 4.4e-6)
bound("bessel_double", GUIDE .. ": 7 ulp near zero, else 5e-12 absolute", "either", 14, 1e-11)
bound("fast", GUIDE .. ", intrinsic functions: 2^-20, relative or absolute", "either", 2 ^ 4, 2 ^ -20)
bound("fast_log2", GUIDE .. ", intrinsic functions: 2 ulp, or 2^-22 absolute around 1", "either", 2.5, 2 ^ -22)
bound("fast_tan", GUIDE .. ", intrinsic functions: as sin over cos, 2^-21 each", "direction", 2 ^ -20)
bound("wild", GUIDE .. ", intrinsic functions: no figure over the whole range", "either", 2 ^ 10, 2 ^ -13)
bound("half2", "cuda_fp16.h: 2 ulp", "ulp", 2)

---How far one result is from the other as a part of what the bound allows: 1 or less is right.
---@param name string  bound
---@param type string  the row's
---@param want ffi.cdata*  words of the GPU's result
---@param got ffi.cdata*  words of the other
---@param argument number?  the first operand
---@return number
function M.part_of(name, type, want, got, argument)
  local a, b, worst = values[type](want), values[type](got), 0
  for k = 1, #a do
    local x, y = a[k], b[k]
    if x ~= x or y ~= y then
      if x == x or y == y then return math.huge end
    elseif x ~= y then
      local largest = type == "d" and 1.7976931348623157e308 or type:find "[HJ]" and 65504 or type == "f"
        and 2 ^ 128 - 2 ^ 104
        or 2 ^ 128 - 2 ^ 120
      -- One step beyond the largest number is an infinity.
      if math.abs(x) == math.huge then x = x > 0 and largest or -largest end
      if math.abs(y) == math.huge then y = y > 0 and largest or -largest end
      worst = math.max(worst, M[name].part(x, y, type, argument))
    end
  end
  return worst
end

---The number that words hold.
function M.value(type, words) return values[type](words)[1] end

return M
