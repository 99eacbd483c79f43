/* Float and double arithmetic with rounding to nearest, approximate functions, comparisons.
 *
 * mul and add are never fused. An approximate function is computed in double and rounded once, which lies
 * within the bounds that the PTX manual gives for it. */
#include "machine/simd.h"

#include <math.h>

#include "machine/float.h"

/* The four variants of a float operation: plain, .ftz, .sat, both. */
#define F2_2S(name, expr)                                                                                    \
  OP2(name##_f, float, float, float, nan_f(expr))                                                            \
  OP2(name##_fs, float, float, float, sat_to_1(expr))
#define F4_2(name, expr)                                                                                     \
  F2_2S(name, expr)                                                                                          \
  static inline float name##_flushed(float x, float y) {                                                     \
    x = ftz(x);                                                                                              \
    y = ftz(y);                                                                                              \
    return ftz(expr);                                                                                        \
  }                                                                                                          \
  OP2(name##_ff, float, float, float, nan_f(name##_flushed(x, y)))                                           \
  OP2(name##_ffs, float, float, float, sat_to_1(name##_flushed(x, y)))
F4_2(add, x + y)
F4_2(sub, x - y)
F2_2S(mul, x *y)

/* Products with .ftz. Sums that are tiny are exact, but a product may have been rounded up to the least
 * normal number; lanes where that is what came out are rare, and looked at once more, for which a source that
 * is the destination too is kept. */
#define FLUSHED_LANES(masked, last, expr, exact, end)                                                        \
  {                                                                                                          \
    float *d = ROW(float, in->d), was[MAX_LANES];                                                            \
    const float *a = ROW(const float, in->s[0]), *b = ROW(const float, in->s[1]);                            \
    const float *c = ROW(const float, in->s[last]);                                                          \
    const uint8_t *m = MASK();                                                                               \
    const uint32_t n = masked ? g->n & ~7u : g->n;                                                           \
    uint32_t least = 0;                                                                                      \
    (void)m;                                                                                                 \
    if (a == d || b == d || c == d) memcpy(was, d, n * sizeof *d);                                           \
    LANES(n) {                                                                                               \
      const float x = ftz(a[i]), y = ftz(b[i]), z = ftz(c[i]);                                               \
      (void)z;                                                                                               \
      const float r = ftz(expr);                                                                             \
      least |= is_least_normal(r);                                                                           \
      d[i] = masked && !m[i] ? d[i] : end(r);                                                                \
    }                                                                                                        \
    if (least) {                                                                                             \
      a = a == d ? was : a;                                                                                  \
      b = b == d ? was : b;                                                                                  \
      c = c == d ? was : c;                                                                                  \
      for (uint32_t i = 0; i < n; i++) {                                                                     \
        const double x = ftz(a[i]), y = ftz(b[i]), z = ftz(c[i]);                                            \
        (void)z;                                                                                             \
        if (is_least_normal(d[i]) && (!masked || m[i])) d[i] = flush_tiny(d[i], exact);                      \
      }                                                                                                      \
    }                                                                                                        \
  }
#define FLUSHED(name, last, expr, exact)                                                                     \
  void FN(name##_ff_d)(Gang * g, const Ins *in) FLUSHED_LANES(0, last, expr, exact, nan_f) void FN(          \
      name##_ff_m)(Gang * g, const Ins *in) FLUSHED_LANES(1, last, expr, exact, nan_f) void                  \
  FN(name##_ffs_d)(Gang * g, const Ins *in) FLUSHED_LANES(0, last, expr, exact, sat_to_1) void               \
  FN(name##_ffs_m)(Gang * g, const Ins *in) FLUSHED_LANES(1, last, expr, exact, sat_to_1)
FLUSHED(mul, 1, x *y, x *y)
FLUSHED(fma, 2, __builtin_fmaf(x, y, z), odd_sum(x *y, z))
OP3(fma_f, float, float, float, float, nan_f(__builtin_fmaf(x, y, z)))
OP3(fma_fs, float, float, float, float, sat_to_1(__builtin_fmaf(x, y, z)))
OP2(add_d, double, double, double, nan_d2(x + y, y, x))
OP2(sub_d, double, double, double, nan_d2(x - y, y, x))
OP2(mul_d, double, double, double, nan_d2(x *y, y, x))
OP3(fma_d, double, double, double, double, nan_d3(__builtin_fma(x, y, z), y, z, x))

/* Plain and .ftz of one- and two-operand functions. */
#define F2_1(name, expr)                                                                                     \
  static inline float name##_of(float x) { return nan_f(expr); }                                             \
  OP1(name##_f, float, float, name##_of(x))                                                                  \
  OP1(name##_ff, float, float, ftz(name##_of(ftz(x))))
#define F2_2(name, expr)                                                                                     \
  static inline float name##_of(float x, float y) { return nan_f(expr); }                                    \
  OP2(name##_f, float, float, float, name##_of(x, y))                                                        \
  OP2(name##_ff, float, float, float, ftz(name##_of(ftz(x), ftz(y))))
static inline float div_of(float x, float y) { return nan_f(x / y); }
OP2(div_f, float, float, float, div_of(x, y))
/* A quotient that is less than the least normal number is so by 2^-24 of it or more, and flushed. A divisor
 * that leads there is not less than 1, so that the product is exact. */
static inline float div_flushed(float x, float y) {
  const float r = ftz(div_of(x, y)), least = __builtin_fabsf(y) * 0x1p-126f;
  return is_least_normal(r) && __builtin_fabsf(x) < least ? float_of(bits_f(r) & 0x80000000u) : r;
}
OP2(div_ff, float, float, float, div_flushed(ftz(x), ftz(y)))
F2_1(rcp, 1.0f / x)
F2_1(sqrt, __builtin_sqrtf(x))
OP2(div_d, double, double, double, nan_d2(x / y, x, y))
OP1(rcp_d, double, double, nan_d1(1.0 / x, x))
OP1(sqrt_d, double, double, nan_d1(__builtin_sqrt(x), x))

/* div.approx: x times the reciprocal of y, and that reciprocal is 0 for |y| above 2^126. */
static inline float div_approx(float x, float y) {
  float a = __builtin_fabsf(y), q = x / y;
  float zero = x * float_of((bits_f(y) & 0x80000000u));
  return a > 0x1p126f && a < INFINITY ? zero : q;
}
F2_2(diva, div_approx(x, y))
F2_1(rsqrt, (float)(1.0 / __builtin_sqrt((double)x)))
F2_1(sin, (float)sin((double)x))
F2_1(cos, (float)cos((double)x))

/* 2^x for |x| < 2^10: integral part into the exponent, Taylor series of the rest, |t| <= ln 2 / 2; relative
 * error below 2^-49, so that the result is the nearest float but for one in millions. */
static inline double exp2_of(double x) {
  x = x < -200.0 ? -200.0 : x > 200.0 ? 200.0 : x;
  double shifted = x + 0x1.8p52, whole = shifted - 0x1.8p52;
  double t = (x - whole) * 0x1.62e42fefa39efp-1;
  double p = 1.0 / 479001600;
  p = p * t + 1.0 / 39916800;
  p = p * t + 1.0 / 3628800;
  p = p * t + 1.0 / 362880;
  p = p * t + 1.0 / 40320;
  p = p * t + 1.0 / 5040;
  p = p * t + 1.0 / 720;
  p = p * t + 1.0 / 120;
  p = p * t + 1.0 / 24;
  p = p * t + 1.0 / 6;
  p = p * t + 0.5;
  p = p * t + 1.0;
  p = p * t + 1.0;
  return p * double_of((bits_d(shifted) + 1023) << 52);
}
static inline float ex2(float x) { return x == x ? (float)exp2_of((double)x) : x; }
F2_1(ex2, ex2(x))

/* log2: mantissa in [sqrt(1/2), sqrt(2)), series of artanh. Exact at powers of two. */
static inline float lg2(float x) {
  uint64_t u = bits_d((double)x);
  uint64_t shifted = u - 0x3fe6a09e667f3bcdu; /* sqrt(1/2) */
  int32_t e = (int32_t)(shifted >> 32) >> 20;
  double m = double_of(u - ((uint64_t)(int64_t)e << 52));
  double s = (m - 1.0) / (m + 1.0), q = s * s;
  double p = 1.0 / 21;
  p = p * q + 1.0 / 19;
  p = p * q + 1.0 / 17;
  p = p * q + 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  p = p * q + 1.0;
  double r = (double)e + s * p * (2 * 0x1.71547652b82fep+0);
  return x > 0.0f ? (x < INFINITY ? (float)r : x) : x == 0.0f ? -INFINITY : NAN;
}
F2_1(lg2, lg2(x))
OP1(tanh_f, float, float, nan_f((float)tanh((double)x)))

/* The double seeds see and give only the upper word. */
#define HIGH_WORD 0xffffffff00000000u
static inline double flush_d(double x) {
  uint64_t u = bits_d(x);
  return double_of((u & 0x7ff0000000000000u) == 0 ? u & 0x8000000000000000u : u);
}
static inline double high(double x) { return double_of(bits_d(x) & HIGH_WORD); }
static inline double seed_d(double x) { return x == x ? high(flush_d(x)) : double_of(0x7fffffff00000000u); }
OP1(rcpa_d, double, double, seed_d(1.0 / high(flush_d(x))))
OP1(rsqrta_d, double, double, seed_d(1.0 / __builtin_sqrt(high(flush_d(x)))))
OP1(rsqrt_d, double, double, nan_d1(1.0 / __builtin_sqrt(x), x))

/* --- minimum and maximum: a NaN loses, -0 is less than +0 --- */
static inline float min_of(float x, float y) {
  float r = x < y ? x : y < x ? y : float_of(bits_f(x) | bits_f(y));
  return nan_f(x != x ? y : y != y ? x : r);
}
static inline float max_of(float x, float y) {
  float r = x > y ? x : y > x ? y : float_of(bits_f(x) & bits_f(y));
  return nan_f(x != x ? y : y != y ? x : r);
}
static inline float min_nan(float x, float y) { return x != x || y != y ? nan_f(NAN) : min_of(x, y); }
static inline float max_nan(float x, float y) { return x != x || y != y ? nan_f(NAN) : max_of(x, y); }
static inline float with_sign(float r, float x, float y) {
  uint32_t sign = (bits_f(x) ^ bits_f(y)) & 0x80000000u;
  return r == r ? float_of((bits_f(r) & 0x7fffffffu) | sign) : r;
}
static inline float min_xor(float x, float y, unsigned sub) {
  float a = __builtin_fabsf(sub & SUB_FTZ ? ftz(x) : x), b = __builtin_fabsf(sub & SUB_FTZ ? ftz(y) : y);
  return with_sign(sub & SUB_NAN ? min_nan(a, b) : min_of(a, b), x, y);
}
static inline float max_xor(float x, float y, unsigned sub) {
  float a = __builtin_fabsf(sub & SUB_FTZ ? ftz(x) : x), b = __builtin_fabsf(sub & SUB_FTZ ? ftz(y) : y);
  return with_sign(sub & SUB_NAN ? max_nan(a, b) : max_of(a, b), x, y);
}
OP2(min_f, float, float, float, min_of(x, y))
OP2(max_f, float, float, float, max_of(x, y))
OP2(min_ff, float, float, float, min_of(ftz(x), ftz(y)))
OP2(max_ff, float, float, float, max_of(ftz(x), ftz(y)))
OP2(minn_f, float, float, float, min_nan(x, y))
OP2(maxn_f, float, float, float, max_nan(x, y))
OP2(minn_ff, float, float, float, min_nan(ftz(x), ftz(y)))
OP2(maxn_ff, float, float, float, max_nan(ftz(x), ftz(y)))
OP2(minx_f, float, float, float, min_xor(x, y, in->sub))
OP2(maxx_f, float, float, float, max_xor(x, y, in->sub))
/* Of doubles: of two NaNs the second is passed on. */
static inline double either_d(double x, double y, uint64_t equal) {
  const uint64_t xn = is_nan(x), yn = is_nan(y);
  return double_of(blend(xn, bits_d(y), blend(yn, bits_d(x), equal)) | (xn & yn & QUIET_D));
}
static inline double min_of_d(double x, double y) {
  const uint64_t less = x < y ? UINT64_MAX : 0, more = x > y ? UINT64_MAX : 0;
  return either_d(x, y, blend(less, bits_d(x), blend(more, bits_d(y), bits_d(x) | bits_d(y))));
}
static inline double max_of_d(double x, double y) {
  const uint64_t less = x < y ? UINT64_MAX : 0, more = x > y ? UINT64_MAX : 0;
  return either_d(x, y, blend(more, bits_d(x), blend(less, bits_d(y), bits_d(x) & bits_d(y))));
}
OP2(min_d, double, double, double, min_of_d(x, y))
OP2(max_d, double, double, double, max_of_d(x, y))

/* --- bits of floats --- */
#define SIGN_F 0x80000000u
#define SIGN_D 0x8000000000000000u
static inline uint32_t clear_sign(float x) { return x == x ? bits_f(x) & ~SIGN_F : 0x7fffffffu; }
static inline uint32_t flip_sign(float x) { return x == x ? bits_f(x) ^ SIGN_F : 0x7fffffffu; }
OP1(abs_f, uint32_t, float, clear_sign(x))
OP1(abs_ff, uint32_t, float, clear_sign(ftz(x)))
OP1(neg_f, uint32_t, float, flip_sign(x))
OP1(neg_ff, uint32_t, float, flip_sign(ftz(x)))
/* The sign of a NaN stays. */
OP1(abs_d, uint64_t, double, x == x ? bits_d(x) & ~SIGN_D : bits_d(x) | QUIET_D)
OP1(neg_d, uint64_t, double, x == x ? bits_d(x) ^ SIGN_D : bits_d(x) | QUIET_D)
OP2(copysign_f, uint32_t, uint32_t, uint32_t, (x & SIGN_F) | (y & ~SIGN_F))
OP2(copysign_d, uint64_t, uint64_t, uint64_t, (x & SIGN_D) | (y & ~SIGN_D))
OP1(ftz_f, float, float, nan_f(ftz(x)))
OP1(flush_f, float, float, ftz(x))
OP1(sat_f, float, float, sat_to_1(x))
OP1(sat_d, double, double, sat_to_1d(x))

#define TESTP(t, U, inf, least)                                                                              \
  OP1(finite_##t, uint8_t, U, (x & ~(U)0 >> 1) < (inf))                                                      \
  OP1(infinite_##t, uint8_t, U, (x & ~(U)0 >> 1) == (inf))                                                   \
  OP1(number_##t, uint8_t, U, (x & ~(U)0 >> 1) <= (inf))                                                     \
  OP1(notanumber_##t, uint8_t, U, (x & ~(U)0 >> 1) > (inf))                                                  \
  OP1(normal_##t, uint8_t, U, /* zero too */                                                                 \
      (x & ~(U)0 >> 1) < (inf) && ((x & ~(U)0 >> 1) >= (least) || (x & ~(U)0 >> 1) == 0))                    \
  OP1(subnormal_##t, uint8_t, U, (x & ~(U)0 >> 1) < (least) && (x & ~(U)0 >> 1) != 0)
TESTP(f, uint32_t, 0x7f800000u, 0x00800000u)
TESTP(d, uint64_t, 0x7ff0000000000000u, 0x0010000000000000u)

/* --- comparisons --- */
/* | and &, not || and &&: no branches in the loop. */
#define COMPARE(t, T, X, Y)                                                                                  \
  OP2(eq_##t, uint8_t, T, T, (X) == (Y))                                                                     \
  OP2(ne_##t, uint8_t, T, T, (int)((X) < (Y)) | (int)((X) > (Y)))                                            \
  OP2(lt_##t, uint8_t, T, T, (X) < (Y))                                                                      \
  OP2(le_##t, uint8_t, T, T, (X) <= (Y))                                                                     \
  OP2(equ_##t, uint8_t, T, T, ((int)((X) < (Y)) | (int)((X) > (Y))) ^ 1)                                     \
  OP2(neu_##t, uint8_t, T, T, (X) != (Y))                                                                    \
  OP2(ltu_##t, uint8_t, T, T, !((X) >= (Y)))                                                                 \
  OP2(leu_##t, uint8_t, T, T, !((X) > (Y)))                                                                  \
  OP2(num_##t, uint8_t, T, T, (int)(x == x) & (int)(y == y))                                                 \
  OP2(nan_##t, uint8_t, T, T, (int)(x != x) | (int)(y != y))
COMPARE(f, float, x, y)
COMPARE(ff, float, ftz(x), ftz(y))
COMPARE(d, double, x, y)
