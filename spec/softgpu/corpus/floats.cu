// Floats: operations in every rounding, comparisons, selection, CUDA's mathematical functions.
#include "common.cuh"

KERNEL(rounding) // 128 x 2
{
  LANE;
  float a = l.f(0), b = l.f(1), c = l.f(2);
  double x = l.d(3), y = l.d(5), z = l.d(7);
  V(__float_as_uint(__fadd_rn(a, b)) ^ __float_as_uint(__fsub_rn(a, b)));
  V(__float_as_uint(__fadd_rz(a, b))), V(__float_as_uint(__fadd_ru(a, c))), V(__float_as_uint(__fadd_rd(b, c)));
  V(__float_as_uint(__fmul_rz(a, b))), V(__float_as_uint(__fmul_ru(a, c))), V(__float_as_uint(__fmul_rd(b, c)));
  V(__float_as_uint(__fmaf_rn(a, b, c))), V(__float_as_uint(__fmaf_rz(a, b, c)));
  V(__float_as_uint(__fmaf_ru(a, b, c))), V(__float_as_uint(__fmaf_rd(a, b, c)));
  V(__float_as_uint(__frcp_ru(b))), V(__float_as_uint(__fsqrt_rd(fabsf(b)))), V(__float_as_uint(__fdiv_rz(a, b)));
  V(__float_as_uint(__fdiv_rn(a, 3.25f))), V(__float_as_uint(__fsqrt_rn(fabsf(a))));
  CHECK(__fadd_rd(a, b) <= __fadd_ru(a, b) && __fmul_rd(a, b) <= __fmul_rn(a, b));
  V(__double_as_longlong(__dadd_rz(x, y))), V(__double_as_longlong(__dmul_ru(x, y)));
  V(__double_as_longlong(__fma_rd(x, y, z))), V(__double_as_longlong(__ddiv_rn(x, y)));
  V(__double_as_longlong(__ddiv_ru(x, y))), V(__double_as_longlong(__dsqrt_rz(fabs(x))));
  V(__double_as_longlong(__drcp_rd(y))), V(__double_as_longlong(__dsub_ru(x, z)));
  V(__float_as_uint(__double2float_rd(x))), V(__float_as_uint(__double2float_ru(y)));
  CHECK(__dsub_rd(x, y) <= __dsub_ru(x, y));
}

KERNEL(selection) // 128 x 2
{
  LANE;
  float a = l.f(0), b = l.f(1), c = l.f(2);
  double x = l.d(0), y = l.d(2);
  V(__float_as_uint(fminf(a, b))), V(__float_as_uint(fmaxf(a, fmaxf(b, c)))), V(__float_as_uint(fminf(fminf(a, b),
      c)));
  V(__float_as_uint(copysignf(a, b))), V(__float_as_uint(fabsf(a))), V(__float_as_uint(-b));
  V((a < b) | (a <= b) << 1 | (a == c) << 2 | (a != b) << 3 | (a > c) << 4 | (a >= b) << 5);
  V(isnan(a) | isinf(b) << 1 | isfinite(c) << 2 | signbit(a) << 3);
  V((x < y) | (x <= y) << 1 | isnan(x) << 2 | !(x > y) << 3);
  V(__double_as_longlong(fmin(x, y))), V(__double_as_longlong(fmax(x, y))), V(__double_as_longlong(copysign(x, -y)));
  V(__float_as_uint(a < b ? c : a)), V(__double_as_longlong(a < b ? x : y));
  V(__float_as_uint(__saturatef(a))), V(__float_as_uint(floorf(a) + ceilf(b) + truncf(c) + rintf(a)));
  V(__double_as_longlong(floor(x) + ceil(y) + trunc(x) + rint(y)));
  CHECK(fmaxf(a, b) >= fminf(a, b));
  CHECK(__saturatef(a) >= 0 && __saturatef(a) <= 1);
}

KERNEL(arithmetic) // 128 x 2
{
  LANE;
  float a = l.f(0), b = l.f(1), c = l.f(2);
  double x = l.d(3) * 1e-8, y = l.d(5) * 1e-8;
  R(a + b * c);
  R(a / (fabsf(b) + 1));
  R(a * b - c / 3.0f);
  R(1.0f / (1.0f + fabsf(c)));
  R(sqrtf(fabsf(a)));
  R(rsqrtf(fabsf(b) + 0.5f));
  R(x * y + x);
  R(x / (fabs(y) + 1));
  R(sqrt(fabs(x)) * rsqrt(fabs(y) + 1));
  R(fmodf(a, 3.5f));
  R(fma(x, y, 1.0));
  float s = 0;
  for (int k = 0; k < 20; k++) s += l.f(k) * l.f(k + 1);
  R(s * 1e-3f);
}

KERNEL(functions_float) // 64 x 1
{
  LANE;
  float a = l.f(0) * 0.0625f, b = l.f(1) * 0.0625f, p = fabsf(a) + 0.25f;
  R(sinf(a) + cosf(b)), R(tanf(a * 0.1f)), R(expf(-p) + exp2f(b * 0.25f)), R(logf(p) + log2f(p) + log10f(p));
  R(powf(p, 1.5f)), R(atan2f(a, b)), R(asinf(a * 0.19f) + acosf(b * 0.19f)), R(sinhf(a * 0.5f) * 0.1f);
  R(tanhf(a)), R(erff(a) + erfcf(b)), R(cbrtf(a)), R(hypotf(a, b)), R(log1pf(p) + expm1f(-p));
  R(lgammaf(p)), R(fmodf(b, p));
  float s, c;
  sincosf(b, &s, &c);
  R(s * s + c * c);
}

KERNEL(functions_double) // 64 x 1
{
  LANE;
  double a = l.f(0) * 0.0625, b = l.f(1) * 0.0625, p = fabs(a) + 0.25;
  R(sin(a) + cos(b)), R(exp(-p)), R(log(p)), R(pow(p, 1.5)), R(atan2(a, b)), R(tanh(a)), R(erf(a)), R(cbrt(b));
  R(fmod(b, p)), R(tgamma(p * 0.1 + 1));
}

KERNEL(functions_fast) // 64 x 1
{
  LANE;
  float a = l.f(0) * 0.03f, b = l.f(1) * 0.03f, p = fabsf(a) + 0.25f;
  R(__sinf(a)), R(__cosf(b)), R(__expf(-p)), R(__logf(p)), R(__log2f(p)), R(__powf(p, 1.25f)), R(__fdividef(a, p));
  R(__tanf(a * 0.3f)), R(__exp10f(a * 0.2f));
  float t;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(a));
  R(t);
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(t) : "f"(p));
  R(t);
}
