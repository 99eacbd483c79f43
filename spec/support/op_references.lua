-- What the array operations compute, written once more: in doubles and in 64-bit integers, with the C library's
-- functions.
--
-- reals[name] = { f, b32, b64, absolute }: f(a, b, c, t) gives the result for floats. t.R rounds to the type that is
-- computed in, t.P to the dtype. Without bounds the result is to be the same number, also the sign of a 0. With them it
-- may be that many units in the last place off for float32 and float64, or absolute[1] and absolute[2] where that is
-- more; a 16-bit float may be the neighbour of the result then. "any" stands for any number.
-- same(name, f) writes such a row without bounds, near(name, b32, b64, f, absolute) one with them.
-- exact[name]: values for which an operation with bounds has to be exact, too.
-- integers[name](a, b, c, t): a, b, c are int64_t, or uint64_t for uint64; the result is wrapped by the caller.
-- bools[name](a, b, c), complexes[name](a, b, c, t): the same for those.
-- LuaJIT 2.1.0-beta3 has compiled divisions of 64-bit integers here to wrong quotients; the interpreter has not.
if jit then jit.off(true, true) end

local ffi = require "ffi"

ffi.cdef [[
double acosh(double); double asinh(double); double atanh(double); double cbrt(double); double erf(double);
double erfc(double); double exp10(double); double exp2(double); double expm1(double); double j0(double);
double j1(double); double jn(int, double); double yn(int, double); double y0(double); double y1(double);
double lgamma(double);
double log1p(double); double log2(double); double tgamma(double); double hypot(double, double);
double remainder(double, double); double fmod(double, double); double logb(double); int ilogb(double);
double ceil(double); double floor(double); double rint(double); double trunc(double); double round(double);
double copysign(double, double);
double nextafter(double, double); float nextafterf(float, float); double fma(double, double, double);
float fmaf(float, float, float); double ldexp(double, int); double frexp(double, int *); double pow(double, double);
double atan2(double, double); double log10(double);
]]

local C = ffi.C
local pi, huge, abs, floor, exp, log, sqrt = math.pi, math.huge, math.abs, math.floor, math.exp, math.log, math.sqrt
local nan = 0 / 0

local function isnan(x) return x ~= x end
local function isinf(x) return x == huge or x == -huge end
local function negative(x) return x < 0 or x == 0 and 1 / x < 0 end
local function sign(x) return negative(x) and -1 or 1 end

local M = {}

-- ---- functions that the C library does not have ---------------------------------------------------------------------

local function erfcx(x)
  if x > 26 then
    local q = 1 / (2 * x * x)
    return 1 / (x * sqrt(pi)) * (1 - q * (1 - 3 * q * (1 - 5 * q * (1 - 7 * q))))
  end
  if x < -27 then return huge end
  local square = x * x
  return exp(square) * (1 + C.fma(x, x, -square)) * C.erfc(x)
end

-- Newton's method: on erf where it is accurate, on the logarithm of erfc elsewhere.
local function erfinv_near_0(x)
  local y = x * sqrt(pi) / 2
  for _ = 1, 20 do y = y - (C.erf(y) - x) * sqrt(pi) / 2 * exp(y * y) end
  return y
end
local function erfcinv(p)
  if isnan(p) or p < 0 or p > 2 then return nan end
  if p == 0 then return huge elseif p == 2 then return -huge end
  if p > 1 then return -erfcinv(2 - p) end
  if p > 0.5 then return erfinv_near_0(1 - p) end
  local y = sqrt(-log(p))
  for _ = 1, 60 do
    local logarithm = y < 5 and log(C.erfc(y)) or log(erfcx(y)) - y * y
    local step = (logarithm - log(p)) * sqrt(pi) / 2 * erfcx(y)
    y = y + step
    if abs(step) <= 1e-16 * abs(y) then break end
  end
  return y
end
local function erfinv(x)
  if isnan(x) or abs(x) > 1 then return nan end
  if abs(x) > 0.5 then return sign(x) * erfcinv(1 - abs(x)) end
  return erfinv_near_0(x)
end

-- The sum of the power series of I0 and I1.
local function bessel_i(order, x)
  if isnan(x) then return x end
  if abs(x) > 714 then return order == 0 and huge or sign(x) * huge end
  local q, term, total = x * x / 4, order == 0 and 1 or x / 2, 0
  for k = 1, 2000 do
    total = total + term
    term = term / (k * (k + order)) * q
    if abs(term) < abs(total) * 1e-18 then break end
  end
  return total
end

local function pi_times(x, quarter)
  if isinf(x) or isnan(x) then return nan end
  local y = C.fmod(abs(x), 2)
  local n = floor(2 * y + 0.5)
  y = y - n / 2
  n = (n + quarter) % 4
  local r = n % 2 == 0 and math.sin(pi * y) or math.cos(pi * y)
  if n >= 2 then r = -r end
  return quarter == 0 and x < 0 and -r or r
end

local function logaddexp(e, l)
  return function(a, b)
    if a == b then return a + l(2) end
    if isnan(a) or isnan(b) then return nan end
    local larger = math.max(a, b)
    return larger + C.log1p(e(-abs(a - b))) / math.log(2) * l(2)
  end
end

-- ---- floats ---------------------------------------------------------------------------------------------------------

local reals = {}
M.reals = reals

local function same(name, f) reals[name] = { f } end

same("add", function(a, b, _, t) return t.R(a + b) end)
same("sub", function(a, b, _, t) return t.R(a - b) end)
same("mul", function(a, b, _, t) return t.R(a * b) end)
same("div", function(a, b, _, t) return t.R(a / b) end)
same("mod", function(a, b, _, t)
  if b == 0 or isnan(a) or isnan(b) or isinf(a) then return nan end
  local rest = C.fmod(a, b)
  if rest == 0 then return C.copysign(0, b) end
  return (rest < 0) == (b < 0) and rest or t.R(rest + b)
end)
same("floordiv", function(a, b, _, t)
  if b == 0 then return a / b end
  local rest = C.fmod(a, b)
  local q = t.R(t.R(a - rest) / b)
  if rest ~= 0 and (rest < 0) ~= (b < 0) then q = t.R(q - 1) end
  if q == 0 then return C.copysign(0, a / b) end
  if isnan(q) then return q end
  local whole = floor(q)
  return q - whole > 0.5 and whole + 1 or whole
end)
same("fmod", function(a, b) return C.fmod(a, b) end)
same("pos", function(a) return a end)
same("neg", function(a) return -a end)
same("abs", function(a) return C.copysign(a, 1) end)
same("fabs", reals.abs[1])
same("sign", function(a) return isnan(a) and a or a > 0 and 1 or a < 0 and -1 or 0 end)
same("square", function(a, _, _, t) return t.R(a * a) end)
same("cube", function(a, _, _, t) return t.R(t.R(a * a) * a) end)
same("reciprocal", function(a, _, _, t) return t.R(1 / a) end)
same("sqrt", function(a, _, _, t) return t.R(sqrt(a)) end)
same("mul_add", function(a, b, c, t) return t.R(t.P(t.R(a * b)) + c) end)
same("fma", function(a, b, c, t) return t.wide and C.fma(a, b, c) or C.fmaf(a, b, c) end)

-- Zeros have an order, too: -0 is before 0.
local function before(a, b) return a < b or a == b and negative(a) and not negative(b) end
local function lesser(a, b) return before(b, a) and b or a end
local function greater(a, b) return before(a, b) and b or a end
local function either(f)
  return function(a, b)
    if isnan(a) then return b end
    return isnan(b) and a or f(a, b)
  end
end
local function both(f) return function(a, b) return (isnan(a) or isnan(b)) and nan or f(a, b) end end
same("minimum", both(lesser))
same("maximum", both(greater))
same("fmin", either(lesser))
same("fmax", either(greater))
same("clip", function(a, b, c)
  if isnan(a) or isnan(b) or isnan(c) then return nan end
  return lesser(greater(a, b), c)
end)

same("round", function(a) return C.rint(a) end)
same("rint", function(a) return C.rint(a) end)
same("trunc", function(a) return C.trunc(a) end)
same("ceil", function(a) return C.ceil(a) end)
same("floor", function(a) return C.floor(a) end)
same("round_away", function(a) return C.round(a) end)
same("modf_fraction", function(a) return C.copysign(isinf(a) and 0 or a - C.trunc(a), a) end)
same("modf_integer", function(a) return C.trunc(a) end)
same("frexp_mantissa", function(a) return (isinf(a) or isnan(a) or a == 0) and a or (math.frexp(a)) end)
same("frexp_exponent", function(a) return (isinf(a) or isnan(a) or a == 0) and 0 or select(2, math.frexp(a)) end)
same("ldexp", function(a, b) return C.ldexp(a, math.max(-5000, math.min(5000, tonumber(b)))) end)
same("logb", function(a) return C.logb(a) end)
same("ilogb", function(a) return C.ilogb(a) end)
same("copysign", function(a, b) return isnan(b) and "any" or C.copysign(a, b) end)
same("nextafter", function(a, b, _, t)
  if isnan(a) or isnan(b) or a == b then return isnan(a) and a or b end
  if t.wide then return C.nextafter(a, b) end
  if not t.short then return C.nextafterf(a, b) end
  -- The neighbours are a little more and less than half a step away.
  if a == 0 then return sign(b) * t.least end
  local towards = isinf(a) and sign(a) * t.most or nil
  if towards then return towards end
  local up = (a < b) == (a > 0)
  local _, e = math.frexp(a)
  local step = math.max(2 ^ (e - t.digits), t.least)
  if not up and abs(a) == 2 ^ (e - 1) then step = math.max(step / 2, t.least) end
  local r = a + (up and 1 or -1) * sign(a) * step
  if r == 0 then return sign(a) * 0 end
  return abs(r) > t.most and sign(a) * huge or r
end)
same("heaviside", function(a, b) return isnan(a) and a or a > 0 and 1 or a < 0 and 0 or b end)
same("fdim", function(a, b, _, t) return (isnan(a) or isnan(b)) and nan or a > b and t.R(a - b) or 0 end)
same("ieee_remainder", function(a, b) return C.remainder(a, b) end)
same("real", function(a) return a end)
same("imag", function() return 0 end)
same("conj", function(a) return a end)
same("complex", function(a, b) return ffi.new("complex", a, b) end)

same("isnan", isnan)
same("isinf", isinf)
same("isfinite", function(a) return not isnan(a) and not isinf(a) end)
same("signbit", function(a) return isnan(a) and "any" or negative(a) end)
same("lt", function(a, b) return a < b end)
same("le", function(a, b) return a <= b end)
same("gt", function(a, b) return a > b end)
same("ge", function(a, b) return a >= b end)
same("eq", function(a, b) return a == b end)
same("ne", function(a, b) return a ~= b end)
same("logical_and", function(a, b) return a ~= 0 and b ~= 0 end)
same("logical_or", function(a, b) return a ~= 0 or b ~= 0 end)
same("logical_xor", function(a, b) return (a ~= 0) ~= (b ~= 0) end)
same("logical_not", function(a) return a == 0 end)
same("where", function(a, b, c) return a ~= 0 and b or c end)
same("if_positive", function(a, b, c) return a > 0 and b or c end)

-- Bounds of CUDA's math library; one more for the C library's own.
local function near(name, b32, b64, f, absolute) reals[name] = { f, b32, b64 + 1, absolute } end
local function same_name(list)
  for name, bounds in pairs(list) do
    local f = math[name] or C[name]
    near(name, bounds[1], bounds[2], function(a) return f(a) end, bounds[3])
  end
end
local bessel = { 3e-6, 1e-11 }
same_name {
  acos = { 2, 2 }, acosh = { 4, 3 }, asin = { 2, 2 }, asinh = { 3, 3 }, atan = { 2, 2 }, atanh = { 3, 2 },
  cbrt = { 1, 1 }, cos = { 2, 2 }, cosh = { 2, 1 }, erf = { 2, 2 }, erfc = { 4, 5 }, exp = { 2, 1 }, exp10 = { 2, 1 },
  exp2 = { 2, 1 }, expm1 = { 1, 1 }, log = { 1, 1 }, log10 = { 2, 1 }, log1p = { 1, 1 }, log2 = { 1, 1 },
  sin = { 2, 2 }, sinh = { 3, 2 }, tan = { 4, 2 }, tanh = { 2, 1 }, tgamma = { 5, 10 },
  lgamma = { 6, 4, { 1e-5, 1e-14 } },
  j0 = { 9, 7, bessel }, j1 = { 9, 7, bessel }, y0 = { 9, 7, bessel }, y1 = { 9, 7, bessel },
}
near("atan2", 3, 2, function(a, b) return C.atan2(a, b) end)
near("angle", 3, 2, function(a) return C.atan2(0, a) end)
near("hypot", 3, 2, function(a, b) return C.hypot(a, b) end)
near("rhypot", 2, 2, function(a, b) return 1 / C.hypot(a, b) end)
near("pow", 4, 2, function(a, b) return C.pow(a, b) end)
near("rsqrt", 2, 2, function(a) return 1 / sqrt(a) end)
near("rcbrt", 1, 2, function(a) return 1 / C.cbrt(a) end)
near("sinpi", 1, 2, function(a) return pi_times(a, 0) end)
near("cospi", 1, 2, function(a) return pi_times(a, 1) end)
near("sinc", 4, 5, function(a) return a == 0 and 1 or pi_times(a, 0) / (pi * a) end)
near("erfcx", 4, 8, erfcx)
near("erfinv", 3, 8, erfinv)
near("erfcinv", 4, 8, erfcinv)
near("normcdf", 6, 4000, function(a) return C.erfc(-a / sqrt(2)) / 2 end)
near("normcdfinv", 5, 10, function(a) return -sqrt(2) * erfcinv(2 * a) end, { 4e-7, 1e-15 })
near("cyl_bessel_i0", 6, 200, function(a) return bessel_i(0, a) end)
near("cyl_bessel_i1", 6, 200, function(a) return bessel_i(1, a) end)
-- The library's recurrence does not hold near 0.
near("jn", 9, 7, function(a, b) return abs(b) < 2 and "any" or C.jn(a, b) end, { 1e-4, 1e-11 })
near("yn", 9, 7, function(a, b) return abs(b) < 1e-30 and "any" or C.yn(a, b) end, { 1e-4, 1e-11 })
near("degrees", 1, 1, function(a) return a * (180 / pi) end)
near("radians", 1, 1, function(a) return a * (pi / 180) end)
near("logaddexp", 3, 3, logaddexp(exp, log), { 4e-7, 1e-15 })
near("logaddexp2", 3, 3, logaddexp(C.exp2, C.log2), { 4e-7, 1e-15 })

-- Results that are exact for float32 and float64: operands, result. For operations whose other values have bounds.
M.exact = {
  sinpi = { { 1, 0 }, { -7, 0 }, { 2.5, 1 }, { -0.5, -1 } },
  cospi = { { 0.5, 0 }, { 7, -1 }, { -2, 1 } },
  sinc = { { 0, 1 }, { 2 ^ -40, 1 }, { -2 ^ -140, 1 }, { 1, 0 }, { -7, 0 }, { 1e10, 0 } },
  hypot = { { 3, 4, 5 }, { 2 ^ 100, 0, 2 ^ 100 } },
}

-- ---- integers -------------------------------------------------------------------------------------------------------

local integers = {}
M.integers = integers

function integers.add(a, b) return a + b end
function integers.sub(a, b) return a - b end
function integers.mul(a, b) return a * b end
function integers.mul_add(a, b, c) return a * b + c end
function integers.square(a) return a * a end
function integers.cube(a) return a * a * a end
function integers.pos(a) return a end
for _, name in ipairs { "real", "conj", "round", "rint", "trunc", "ceil", "floor", "round_away" } do
  integers[name] = integers.pos
end
function integers.imag(a) return a - a end
function integers.neg(a) return -a end
function integers.abs(a) return a < 0 and -a or a end
function integers.sign(a) return a > 0 and 1 or a < 0 and -1 or 0 end

function integers.fmod(a, b)
  if b == 0 then return 0 end
  return a - a / b * b
end
function integers.mod(a, b)
  local rest = integers.fmod(a, b)
  return rest ~= 0 and (rest < 0) ~= (b < 0) and rest + b or rest
end
function integers.floordiv(a, b)
  if b == 0 then return 0 end
  local q = a / b
  return q * b ~= a and (a < 0) ~= (b < 0) and q - 1 or q
end
function integers.pow(a, b)
  if b < 0 then return a == 1 and 1 or a == -1 and (b % 2 == 0 and 1 or -1) or 0 end
  local result = a - a + 1
  while b > 0 do
    if b % 2 == 1 then result = result * a end
    a, b = a * a, b / 2
  end
  return result
end
local function gcd(a, b)
  a, b = ffi.cast("uint64_t", a < 0 and -a or a), ffi.cast("uint64_t", b < 0 and -b or b)
  while b ~= 0 do a, b = b, a % b end
  return a
end
integers.gcd = gcd
function integers.lcm(a, b)
  if a == 0 or b == 0 then return 0 end
  return ffi.cast("uint64_t", a < 0 and -a or a) / gcd(a, b) * ffi.cast("uint64_t", b < 0 and -b or b)
end
function integers.minimum(a, b) return a < b and a or b end
function integers.maximum(a, b) return a > b and a or b end
integers.fmin, integers.fmax = integers.minimum, integers.maximum
function integers.clip(a, b, c) return integers.minimum(integers.maximum(a, b), c) end
for _, name in ipairs { "lt", "le", "gt", "ge", "eq", "ne", "logical_and", "logical_or", "logical_xor", "logical_not",
  "where", "if_positive" } do
  integers[name] = reals[name][1]
end
function integers.isnan() return false end
integers.isinf = integers.isnan
function integers.isfinite() return true end
function integers.signbit(a) return a < 0 end
function integers.bitwise_and(a, b) return bit.band(a, b) end
function integers.bitwise_or(a, b) return bit.bor(a, b) end
function integers.bitwise_xor(a, b) return bit.bxor(a, b) end
function integers.bitwise_not(a) return -a - 1 end
function integers.left_shift(a, b, _, t) return (b < 0 or b >= t.bits) and 0 or a * 2LL ^ tonumber(b) end
function integers.right_shift(a, b, _, t)
  local last = a < 0 and -1 or 0
  if b < 0 or b >= t.bits then return last end
  if a >= 0 then return a / 2ULL ^ tonumber(b) end
  return -((-a - 1) / 2LL ^ tonumber(b)) - 1
end

-- ---- bool -----------------------------------------------------------------------------------------------------------

local bools = {}
M.bools = bools

function bools.add(a, b) return a or b end
function bools.mul(a, b) return a and b end
function bools.mul_add(a, b, c) return a and b or c end
bools.bitwise_and, bools.bitwise_or = bools.mul, bools.add
bools.minimum, bools.maximum, bools.fmin, bools.fmax = bools.mul, bools.add, bools.mul, bools.add
function bools.bitwise_xor(a, b) return a ~= b end
function bools.bitwise_not(a) return not a end
function bools.clip(a, b, c) return (a or b) and c end
bools.logical_and, bools.logical_or, bools.logical_xor = bools.mul, bools.add, bools.bitwise_xor
bools.logical_not = bools.bitwise_not
for _, name in ipairs { "abs", "real", "conj", "round", "rint", "trunc", "ceil", "floor", "round_away" } do
  bools[name] = function(a) return a end
end
for _, name in ipairs { "imag", "isnan", "isinf", "signbit" } do bools[name] = function() return false end end
function bools.isfinite() return true end
function bools.lt(a, b) return not a and b end
function bools.le(a, b) return not a or b end
function bools.gt(a, b) return a and not b end
function bools.ge(a, b) return a or not b end
function bools.eq(a, b) return a == b end
function bools.ne(a, b) return a ~= b end
function bools.where(a, b, c)
  if a then return b end
  return c
end
bools.if_positive = bools.where

-- ---- complex numbers ------------------------------------------------------------------------------------------------

local complexes = {}
M.complexes = complexes

local complex = ffi.typeof "complex double"

function complexes.pos(a) return a end
function complexes.neg(a) return complex(-a.re, -a.im) end
function complexes.conj(a) return complex(a.re, -a.im) end
function complexes.real(a) return a.re end
function complexes.imag(a) return a.im end
function complexes.add(a, b, _, t) return complex(t.R(a.re + b.re), t.R(a.im + b.im)) end
function complexes.sub(a, b, _, t) return complex(t.R(a.re - b.re), t.R(a.im - b.im)) end
function complexes.mul(a, b, _, t)
  return complex(t.R(t.R(a.re * b.re) - t.R(a.im * b.im)), t.R(t.R(a.re * b.im) + t.R(a.im * b.re)))
end
function complexes.square(a, _, _, t) return complexes.mul(a, a, nil, t) end
function complexes.cube(a, _, _, t) return complexes.mul(complexes.mul(a, a, nil, t), a, nil, t) end
function complexes.mul_add(a, b, c, t) return complexes.add(complexes.mul(a, b, nil, t), c, nil, t) end
function complexes.round(a) return complex(C.rint(a.re), C.rint(a.im)) end
complexes.rint = complexes.round
function complexes.eq(a, b) return a.re == b.re and a.im == b.im end
function complexes.ne(a, b) return not complexes.eq(a, b) end
function complexes.isnan(a) return isnan(a.re) or isnan(a.im) end
function complexes.isinf(a) return isinf(a.re) or isinf(a.im) end
function complexes.isfinite(a) return not complexes.isnan(a) and not complexes.isinf(a) end
local function is_true(a) return a.re ~= 0 or a.im ~= 0 end
function complexes.logical_and(a, b) return is_true(a) and is_true(b) end
function complexes.logical_or(a, b) return is_true(a) or is_true(b) end
function complexes.logical_xor(a, b) return is_true(a) ~= is_true(b) end
function complexes.logical_not(a) return not is_true(a) end
function complexes.where(a, b, c) return is_true(a) and b or c end

-- By formulas that are good for numbers of ordinary size: results may be 64 units in the last place of the larger part
-- off.
local ordinary = {}
M.ordinary = ordinary

function ordinary.abs(z) return C.hypot(z.re, z.im) end
function ordinary.angle(z) return C.atan2(z.im, z.re) end
function ordinary.exp(z) return complex(exp(z.re) * math.cos(z.im), exp(z.re) * math.sin(z.im)) end
function ordinary.log(z) return complex(log(C.hypot(z.re, z.im)), C.atan2(z.im, z.re)) end
local function scaled(z, k) return complex(z.re * k, z.im * k) end
function ordinary.log10(z) return scaled(ordinary.log(z), 1 / log(10)) end
function ordinary.log2(z) return scaled(ordinary.log(z), 1 / log(2)) end
function ordinary.div(a, b)
  local n = b.re * b.re + b.im * b.im
  return complex((a.re * b.re + a.im * b.im) / n, (a.im * b.re - a.re * b.im) / n)
end
function ordinary.reciprocal(a) return ordinary.div(complex(1, 0), a) end
function ordinary.sign(z) return scaled(z, 1 / C.hypot(z.re, z.im)) end
function ordinary.pow(a, b)
  local w = ordinary.log(a)
  return ordinary.exp(complex(w.re * b.re - w.im * b.im, w.re * b.im + w.im * b.re))
end
function ordinary.sqrt(z) return ordinary.pow(z, complex(0.5, 0)) end
function ordinary.sinh(z) return complex(math.sinh(z.re) * math.cos(z.im), math.cosh(z.re) * math.sin(z.im)) end
function ordinary.cosh(z) return complex(math.cosh(z.re) * math.cos(z.im), math.sinh(z.re) * math.sin(z.im)) end
function ordinary.tanh(z) return ordinary.div(ordinary.sinh(z), ordinary.cosh(z)) end
function ordinary.sin(z) return complex(math.sin(z.re) * math.cosh(z.im), math.cos(z.re) * math.sinh(z.im)) end
function ordinary.cos(z) return complex(math.cos(z.re) * math.cosh(z.im), -math.sin(z.re) * math.sinh(z.im)) end
function ordinary.sinc(z)
  local x, y = z.re, pi * z.im
  return ordinary.div(complex(pi_times(x, 0) * math.cosh(y), pi_times(x, 1) * math.sinh(y)), complex(pi * x, y))
end
function ordinary.expm1(z)
  local w = ordinary.exp(z)
  return complex(w.re - 1, w.im)
end
function ordinary.log1p(z) return ordinary.log(complex(z.re + 1, z.im)) end
-- By logarithms: of i z + sqrt(1 - z^2), z + sqrt(z + 1) sqrt(z - 1), z + sqrt(z^2 + 1).
local function times(a, b) return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re) end
local function plus(a, x) return complex(a.re + x, a.im) end
local function sum(a, b) return complex(a.re + b.re, a.im + b.im) end
function ordinary.asinh(z) return ordinary.log(sum(z, ordinary.sqrt(plus(times(z, z), 1)))) end
function ordinary.asin(z)
  local w = ordinary.asinh(complex(-z.im, z.re))
  return complex(w.im, -w.re)
end
function ordinary.acos(z)
  local w = ordinary.asin(z)
  return complex(pi / 2 - w.re, -w.im)
end
function ordinary.acosh(z)
  return ordinary.log(sum(z, times(ordinary.sqrt(plus(z, 1)), ordinary.sqrt(plus(z, -1)))))
end
function ordinary.atanh(z)
  local a, b = ordinary.log(plus(z, 1)), ordinary.log(complex(1 - z.re, -z.im))
  return complex((a.re - b.re) / 2, (a.im - b.im) / 2)
end
function ordinary.atan(z)
  local w = ordinary.atanh(complex(-z.im, z.re))
  return complex(w.im, -w.re)
end
function ordinary.tan(z) return ordinary.div(ordinary.sin(z), ordinary.cos(z)) end

return M
