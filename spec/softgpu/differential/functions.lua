-- CUDA's mathematical functions. Where the compiler's library uses no approximate instruction the results are the
-- same bit for bit; the others are within the Programming Guide's bounds.

-- function, and its bound where it is not exact
local single = [[
sinf cosf sinpif cospif logf log2f log10f log1pf sqrtf
floorf ceilf rintf truncf roundf nearbyintf fabsf logbf
tanf~ulp4 expf~ulp2 exp2f~ulp2 exp10f~ulp2 expm1f~ulp1 rsqrtf~ulp2 cbrtf~ulp1 rcbrtf~ulp1
asinf~ulp2 acosf~ulp2 atanf~ulp2 sinhf~ulp3 coshf~ulp2 tanhf~ulp2 asinhf~ulp3 acoshf~ulp4 atanhf~ulp3
erff~ulp2 erfcf~ulp4 erfinvf~ulp2 erfcinvf~ulp4 erfcxf~ulp4 normcdff~ulp5 normcdfinvf~ulp5
tgammaf~ulp5 lgammaf~gamma j0f~bessel j1f~bessel y0f~bessel y1f~bessel cyl_bessel_i0f~ulp6 cyl_bessel_i1f~ulp6]]
local double = [[
sin cos sinpi cospi exp exp2 expm1 sinh sqrt
floor ceil rint trunc round nearbyint fabs logb
tan~ulp2 exp10~ulp1 log~ulp1 log2~ulp1 log10~ulp1 log1p~ulp1 rsqrt~ulp1 cbrt~ulp1 rcbrt~ulp1
asin~ulp2 acos~ulp2 atan~ulp2 cosh~ulp1 tanh~ulp1 asinh~ulp3 acosh~ulp3 atanh~ulp2
erf~ulp2 erfc~ulp5 erfinv~ulp5 erfcinv~ulp6 erfcx~ulp4 normcdf~ulp5 normcdfinv~ulp8
tgamma~ulp10 lgamma~gamma_double j0~bessel_double j1~bessel_double y0~bessel_double y1~bessel_double
cyl_bessel_i0~ulp6 cyl_bessel_i1~ulp6]]

return function(corpus)
  local function each(list, type, load)
    local names, at = {}, 0
    for name, bound in list:gmatch "([%w_]+)~?([%w_]*)" do names[#names + 1] = { name, bound ~= "" and bound
      or nil } end
    -- Exact ones apart from the others: those are stored in full.
    while at < #names do
      local exact, rows, code = names[at + 1][2] == nil, {}, {}
      while names[at + 1] and #rows < 6 and (names[at + 1][2] == nil) == exact do
        at = at + 1
        code[#code + 1] = ("  OUT(%d, plain(%s(%s(0))));"):format(#rows, names[at][1], load)
        rows[#rows + 1] = { label = names[at][1], type = type, bound = names[at][2], operands = { load .. "0" } }
      end
      corpus:add { name = "math_" .. rows[1].label .. "_to_" .. rows[#rows].label, rows = rows,
        code = table.concat(code, "\n") }
    end
  end
  each(single, "f", "M")
  each(double, "d", "E")

  local function C(name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
  C("math2_exact_single", "atan2f:f hypotf:f fmaxf:f fminf:f fdimf:f copysignf:f nextafterf:f fmaf:f", [[
    float a = M(0), b = M(1);
    OUT(0, plain(atan2f(a, b))); OUT(1, plain(hypotf(a, b))); OUT(2, plain(fmaxf(a, b))); OUT(3, plain(fminf(a, b)));
    OUT(4, plain(fdimf(a, b))); OUT(5, plain(copysignf(a, b))); OUT(6, plain(nextafterf(a, b)));
    OUT(7, plain(fmaf(a, b, 1.5f)));]])
  C("math2_exact_double", "atan2:d fmod:d fmax:d fmin:d fdim:d copysign:d nextafter:d fma:d", [[
    double a = E(0), b = E(1);
    b = fabs(b) > fabs(a) * 1e-30 ? b : a * 0.37; // fmod takes a step for every bit between them
    OUT(0, plain(atan2(a, b))); OUT(1, plain(fmod(a, b))); OUT(2, plain(fmax(a, b))); OUT(3, plain(fmin(a, b)));
    OUT(4, plain(fdim(a, b))); OUT(5, plain(copysign(a, b))); OUT(6, plain(nextafter(a, b)));
    OUT(7, plain(fma(a, b, 1.5)));]])
  C("math2_single", "powf:f~ulp4 fmodf:f~ulp1 remainderf:f~ulp1 rhypotf:f~ulp2 norm3df:f~ulp3 ldexpf:f", [[
    float a = M(0), b = M(1); float c = fabsf(b) > fabsf(a) * 1e-20f ? b : a * 0.37f;
    OUT(0, plain(powf(a, b))); OUT(1, plain(fmodf(a, c))); OUT(2, plain(remainderf(a, c)));
    OUT(3, plain(rhypotf(a, b)));
    OUT(4, plain(norm3df(a, b, 1.25f))); OUT(5, plain(ldexpf(a, (int)(S(0) & 255) - 128)));]])
  C("math2_double", "pow:d~ulp2 hypot:d~ulp2 remainder:d rhypot:d~ulp2 norm3d:d~ulp2 ldexp:d", [[
    double a = E(0), b = E(1), c = fabs(b) > fabs(a) * 1e-30 ? b : a * 0.37;
    OUT(0, plain(pow(a, b))); OUT(1, plain(hypot(a, b))); OUT(2, plain(remainder(a, c))); OUT(3, plain(rhypot(a, b)));
    OUT(4, plain(norm3d(a, b, 1.25))); OUT(5, plain(ldexp(a, (int)(S(0) & 255) - 128)));]])
  C("math_parts_single", "frexp:f exponent:w modf:f whole:f sincos_s:f sincos_c:f", [[
    float a = M(0), whole, s, c; int e = 0; float m = frexpf(a, &e), part = modff(a, &whole); sincosf(a, &s, &c);
    if (!isfinite(a)) e = 0;
    OUT(0, plain(m)); OUT(1, e); OUT(2, plain(part)); OUT(3, plain(whole)); OUT(4, plain(s)); OUT(5, plain(c));]])
  C("math_parts_double", "frexp:d exponent:w modf:d whole:d sincos_s:d sincos_c:d", [[
    double a = E(0), whole, s, c; int e = 0; double m = frexp(a, &e), part = modf(a, &whole); sincos(a, &s, &c);
    if (!isfinite(a)) e = 0;
    OUT(0, plain(m)); OUT(1, e); OUT(2, plain(part)); OUT(3, plain(whole)); OUT(4, plain(s)); OUT(5, plain(c));]])
  C("math_remquo", "remquof:f~ulp1 quotient:w jn:d~bessel_double yn:d~bessel_double jnf:f~bessel", [[
    float a = M(0), b = M(1); int q; a = fabsf(a) < 1e4f ? a : 17.5f;
    b = fabsf(b) > 0.01f && fabsf(b) < 1e4f ? b : 2.25f;
    OUT(0, plain(remquof(a, b, &q))); OUT(1, q & 7);
    double x = E(0); x = x > 0.1 && x < 100 ? x : 4.5; OUT(2, plain(jn(3, x))); OUT(3, plain(yn(2, x)));
    OUT(4, plain(jnf(3, (float)x)));]])
end
