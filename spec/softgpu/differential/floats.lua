-- float and double: each operation in every rounding mode, with .ftz and .sat; comparisons; and CUDA C on top.
local forms = require "spec.softgpu.differential.forms"

return function(corpus)
  local function family(name, text, options) forms.add(corpus, name, text, options) end

  for _, op in ipairs { "add", "sub", "mul" } do
    family("f32_" .. op, op .. "{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32 T:TT", { most = 20 })
  end
  family("f32_fma", "fma.{rn,rz,rm,rp}{,.ftz}{,.sat}.f32 T:TTT", { most = 16 })
  family("f32_mad", "mad.{rn,rz,rm,rp}{,.ftz}{,.sat}.f32 T:TTT", { most = 16 })
  family("f32_div", "div.{rn,rz,rm,rp}{,.ftz}.f32 T:TT")
  family("f32_rcp", "rcp.{rn,rz,rm,rp}{,.ftz}.f32 T:T")
  family("f32_sqrt", "sqrt.{rn,rz,rm,rp}{,.ftz}.f32 T:T")
  family("f32_min", [[
    {min,max}{,.ftz}{,.NaN}.f32 T:TT
    {abs,neg}{,.ftz}.f32 T:T
    copysign.f32 T:TT
  ]])
  family("f32_min_90", "{min,max}{,.ftz}{,.NaN}.xorsign.abs.f32 T:TT", { arch = "compute_90" })
  family("f32_test", "testp.{finite,infinite,number,notanumber,normal,subnormal}.{f32,f64} p:T")
  for _, type in ipairs { "f32", "f64" } do
    family(type .. "_compare", "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}." .. type .. " p:TT",
      { most = 14 })
  end
  family("f32_compare_ftz", "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.ftz.f32 p:TT", { most = 14 })
  family("f32_set", [[
    set.{eq,lt,geu,num}{,.ftz}.u32.f32 w:ff
    set.{ne,gtu,nan}.f32.f32 f:ff
    set.{le,neu}.s32.f64 w:dd
    set.gt.f32.f64 f:dd
    setp.{lt,nan}.{and,or,xor}.f32 p:ffp
    setp.ge.{and,or,xor}.f64 p:ddp
  ]])
  for _, op in ipairs { "add", "sub", "mul", "div" } do
    family("f64_" .. op, op .. "{.rn,.rz,.rm,.rp}.f64 T:TT")
  end
  family("f64_plain", "{add,sub,mul}.f64 T:TT")
  family("f64_fma", "{fma,mad}.{rn,rz,rm,rp}.f64 T:TTT")
  family("f64_rcp", "{rcp,sqrt}.{rn,rz,rm,rp}.f64 T:T")
  family("f64_min", [[
    {min,max}.f64 T:TT
    {abs,neg}.f64 T:T
    copysign.f64 T:TT
  ]])

  local function C(name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
  C("f32_expressions", "sum:f product:f mixed:f quotient:f root:f square:f", [[
    float a = F(0), b = F(1), c = F(2);
    OUT(0, plain(a + b - c)); OUT(1, plain(a * b * c)); OUT(2, plain(a * b + c)); OUT(3, plain(a / b));
    OUT(4, plain(sqrtf(a)));
    OUT(5, plain((a - b) * (a + b)));]])
  C("f64_expressions", "sum:d product:d mixed:d quotient:d root:d square:d", [[
    double a = D(0), b = D(1), c = D(2);
    OUT(0, plain(a + b - c)); OUT(1, plain(a * b * c)); OUT(2, plain(a * b + c)); OUT(3, plain(a / b));
    OUT(4, plain(sqrt(a)));
    OUT(5, plain((a - b) * (a + b)));]])
  C("f32_ftz", "sum:f product:f quotient:f root:f compare:w minimum:f", [[
    float a = F(0), b = F(1), c = F(2);
    OUT(0, plain(a + b - c)); OUT(1, plain(a * b * c)); OUT(2, plain(a / b)); OUT(3, plain(sqrtf(a)));
    OUT(4, (a < b) + 2 * (a == b) + 4 * (a >= c)); OUT(5, plain(fminf(a,
    fabsf(b))));]], { options = { "--ftz=true" } })
  C("f32_two_sum", "sum:f error:f product:f product_error:f", [[
    float a = F(0), b = F(1), s = a + b, t = s - a, e = (a - (s - t)) + (b - t), p = a * b;
    OUT(0, plain(s)); OUT(1, plain(e)); OUT(2, plain(p)); OUT(3, plain(__fmaf_rn(a, b, -p)));]])
  C("f64_two_sum", "sum:d error:d product:d product_error:d", [[
    double a = D(0), b = D(1), s = a + b, t = s - a, e = (a - (s - t)) + (b - t), p = a * b;
    OUT(0, plain(s)); OUT(1, plain(e)); OUT(2, plain(p)); OUT(3, plain(__fma_rn(a, b, -p)));]])
  C("f32_intervals", "low:f high:f mul_low:f mul_high:f sqrt_low:f sqrt_high:f div_low:f div_high:f", [[
    float a = F(0), b = F(1);
    OUT(0, plain(__fadd_rd(a, b))); OUT(1, plain(__fadd_ru(a, b))); OUT(2, plain(__fmul_rd(a, b)));
    OUT(3, plain(__fmul_ru(a, b)));
    OUT(4, plain(__fsqrt_rd(a))); OUT(5, plain(__fsqrt_ru(a))); OUT(6, plain(__fdiv_rd(a, b)));
    OUT(7, plain(__fdiv_ru(a, b)));]])
  C("f64_intervals", "low:d high:d mul_low:d mul_high:d sqrt_low:d sqrt_high:d div_low:d div_high:d", [[
    double a = D(0), b = D(1);
    OUT(0, plain(__dadd_rd(a, b))); OUT(1, plain(__dadd_ru(a, b))); OUT(2, plain(__dmul_rd(a, b)));
    OUT(3, plain(__dmul_ru(a, b)));
    OUT(4, plain(__dsqrt_rd(a))); OUT(5, plain(__dsqrt_ru(a))); OUT(6, plain(__ddiv_rd(a, b)));
    OUT(7, plain(__ddiv_ru(a, b)));]])
  C("f32_compare_c", "ordered:w unordered:w class:w sign:w", [[
    float a = F(0), b = F(1);
    OUT(0, (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | !(a < b) << 6 |
      !(a >= b) << 7);
    OUT(1, !(a < b || a > b) | !(a != b) << 1 | !(a <= b && b <= a) << 2 | (a != a || b != b) << 3);
    OUT(2, isnan(a) | isinf(a) << 1 | isfinite(a) << 2); OUT(3, (u32)(signbit(a) != 0));]])
  C("f64_compare_c", "ordered:w unordered:w class:w sign:w", [[
    double a = D(0), b = D(1);
    OUT(0, (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | !(a < b) << 6 |
      !(a >= b) << 7);
    OUT(1, !(a < b || a > b) | !(a != b) << 1 | !(a <= b && b <= a) << 2 | (a != a || b != b) << 3);
    OUT(2, isnan(a) | isinf(a) << 1 | isfinite(a) << 2); OUT(3, (u32)(signbit(a) != 0));]])
  C("f32_horner", "horner:f estrin:f compensated:f", [[
    float x = F(0), c[8]; for (int k = 0; k < 8; k++) c[k] = (float)(k * k - 5) * 0.37f;
    float h = c[7]; for (int k = 6; k >= 0; k--) h = h * x + c[k];
    float x2 = x * x, x4 = x2 * x2,
    e = (c[0] + c[1] * x + (c[2] + c[3] * x) * x2) + (c[4] + c[5] * x + (c[6] + c[7] * x) * x2) * x4;
    float s = 0, lost = 0; for (int k = 0; k < 8; k++) { float y = c[k] * x - lost, t = s + y; lost = t - s - y;
    s = t; }
    OUT(0, plain(h)); OUT(1, plain(e)); OUT(2, plain(s));]])
  C("f64_newton", "cube:d logistic:d mandelbrot:w", [[
    double a = fabs(D(0)), x = 1; for (int k = 0; k < 20; k++) x = (2 * x + a / (x * x)) / 3;
    double l = 0.3 + (W(0) & 1023) * 1e-4; for (int k = 0; k < 40; k++) l = 3.7 * l * (1 - l);
    double cr = (i % 64) / 24.0 - 2, ci = (i / 64) / 12.0 - 1.3, zr = 0, zi = 0; int steps = 0;
    while (steps < 60 && zr * zr + zi * zi < 4) { double t = zr * zr - zi * zi + cr; zi = 2 * zr * zi + ci; zr = t;
    steps++; }
    OUT(0, plain(x)); OUT(1, plain(l)); OUT(2, steps);]])
  C("f32_bits", "exponent:w mantissa:w next:f scaled:f swapped:f", [[
    u32 b = __float_as_uint(F(0));
    OUT(0, b >> 23 & 255); OUT(1, b & 0x7fffff); OUT(2, plain(nextafterf(F(0), F(1))));
    OUT(3, plain(scalbnf(F(0), (int)(S(1) & 63) - 32)));
    OUT(4, plain(__int_as_float(__byte_perm(b, 0, 0x0123))));]])
end
