/* Half precision and bfloat16 arithmetic, scalar and in pairs.
 *
 * Sums, differences and products are done in float: it has more than twice the digits of a half, so that
 * rounding twice gives the same as rounding once. fma needs double, and for bfloat16, whose exponents reach
 * further than a double's digits, the error term of the sum too. */
#include "machine/simd.h"

#include <math.h>

#include "machine/float.h"

static inline float half_in(uint16_t h, unsigned sub) {
  if ((sub & SUB_FTZ) && (h & 0x7c00) == 0) h &= 0x8000;
  return half_to_float(h);
}
/* r is not rounded yet. What .ftz flushes: as flush_tiny() in float.h, with 11 digits. */
static inline uint16_t half_out(double r, unsigned sub) {
  if (sub & SUB_RELU) r = r > 0 ? r : r != r ? r : 0.0;
  if (sub & SUB_SAT) r = sat_to_1d(r);
  uint16_t h = float_to_half(odd_float(r));
  return (sub & SUB_FTZ) && __builtin_fabs(r) < 0x1.ffep-15 ? h & 0x8000 : h;
}
static inline float brain_in(uint16_t b, unsigned sub) {
  if ((sub & SUB_FTZ) && (b & 0x7f80) == 0) b &= 0x8000;
  return bf16_to_float(b);
}
static inline uint16_t brain_out(double r, unsigned sub) {
  if (sub & SUB_RELU) r = r > 0 ? r : r != r ? r : 0.0;
  uint16_t b = double_to_bf16(r);
  return (sub & SUB_FTZ) && __builtin_fabs(r) < 0x1p-126 ? b & 0x8000 : b;
}

static inline float min_of(float x, float y, unsigned sub) {
  if (x != x || y != y) return (sub & SUB_NAN) || (x != x && y != y) ? NAN : x != x ? y : x;
  return x < y ? x : y < x ? y : float_of(bits_f(x) | bits_f(y));
}
static inline float max_of(float x, float y, unsigned sub) {
  if (x != x || y != y) return (sub & SUB_NAN) || (x != x && y != y) ? NAN : x != x ? y : x;
  return x > y ? x : y > x ? y : float_of(bits_f(x) & bits_f(y));
}

/* .xorsign.abs: of the magnitudes; the sign is that of the product. */
static inline float signed_by(float r, float x, float y) {
  return r == r ? float_of((bits_f(r) & 0x7fffffffu) | ((bits_f(x) ^ bits_f(y)) & 0x80000000u)) : r;
}
static inline float least(float x, float y, unsigned sub) {
  if (!(sub & SUB_XOR)) return min_of(x, y, sub);
  return signed_by(min_of(__builtin_fabsf(x), __builtin_fabsf(y), sub), x, y);
}
static inline float most(float x, float y, unsigned sub) {
  if (!(sub & SUB_XOR)) return max_of(x, y, sub);
  return signed_by(max_of(__builtin_fabsf(x), __builtin_fabsf(y), sub), x, y);
}

/* One body for the scalar form and for the pair. */
#define TWO(name, t, in_, out_, expr)                                                                        \
  static inline uint16_t name##_##t(uint16_t a, uint16_t b, unsigned sub) {                                  \
    float x = in_(a, sub), y = in_(b, sub);                                                                  \
    return out_(expr, sub);                                                                                  \
  }                                                                                                          \
  OP2(name##_##t, uint16_t, uint16_t, uint16_t, name##_##t(x, y, in->sub))                                   \
  OP2(name##_##t##t, uint32_t, uint32_t, uint32_t,                                                           \
      name##_##t((uint16_t)x, (uint16_t)y, in->sub) |                                                        \
          (uint32_t)name##_##t((uint16_t)(x >> 16), (uint16_t)(y >> 16), in->sub) << 16)
#define BOTH(name, expr)                                                                                     \
  TWO(name, H, half_in, half_out, expr)                                                                      \
  TWO(name, B, brain_in, brain_out, expr)
BOTH(add, (double)x + y)
BOTH(sub, (double)x - y)
BOTH(mul, (double)x *y)
BOTH(min, least(x, y, sub))
BOTH(max, most(x, y, sub))

#define THREE(name, t, in_, out_, expr)                                                                      \
  static inline uint16_t name##_##t(uint16_t a, uint16_t b, uint16_t c, unsigned sub) {                      \
    double x = in_(a, sub), y = in_(b, sub), z = in_(c, sub);                                                \
    return out_(expr, sub);                                                                                  \
  }                                                                                                          \
  OP3(name##_##t, uint16_t, uint16_t, uint16_t, uint16_t, name##_##t(x, y, z, in->sub))                      \
  OP3(name##_##t##t, uint32_t, uint32_t, uint32_t, uint32_t,                                                 \
      name##_##t((uint16_t)x, (uint16_t)y, (uint16_t)z, in->sub) |                                           \
          (uint32_t)name##_##t((uint16_t)(x >> 16), (uint16_t)(y >> 16), (uint16_t)(z >> 16), in->sub)       \
              << 16)
THREE(fma, H, half_in, half_out, odd_sum(x *y, z))
THREE(fma, B, brain_in, brain_out, odd_sum(x *y, z))

/* Approximate functions: correctly rounded, but an H200 rounds pairs of powers towards zero, those that are
 * too large excepted. */
static inline uint16_t half_cut(double r, unsigned sub) {
  (void)sub;
  return r >= 65536 ? 0x7c00 : float_to_half_mode(odd_float(r), RND_Z);
}
#define APPROX(name, t, in_, out_, pair_)                                                                    \
  static inline uint16_t name##p_##t(uint16_t a, unsigned sub) {                                             \
    return pair_(name((double)in_(a, sub)), sub);                                                            \
  }                                                                                                          \
  static inline uint16_t name##a_##t(uint16_t a, unsigned sub) {                                             \
    const double x = (double)in_(a, sub);                                                                    \
    return out_(name(x), sub);                                                                               \
  }                                                                                                          \
  OP1(name##_##t, uint16_t, uint16_t, name##a_##t(x, in->sub))                                               \
  OP1(name##_##t##t, uint32_t, uint32_t,                                                                     \
      name##p_##t((uint16_t)x, in->sub) | (uint32_t)name##p_##t((uint16_t)(x >> 16), in->sub) << 16)
static inline double ex2(double x) { return exp2(x); }
APPROX(ex2, H, half_in, half_out, half_cut)
APPROX(ex2, B, brain_in, brain_out, brain_out)
APPROX(tanh, H, half_in, half_out, half_out)
APPROX(tanh, B, brain_in, brain_out, brain_out)
OP1(ftz_H, uint16_t, uint16_t, (x & 0x7c00) ? x : x & 0x8000)

/* Eight bits: sign, exponent, `m` bits of mantissa. Nearest even; what is too large becomes the largest. */
static inline uint8_t to_fp8(float x, int m, int bias, uint8_t largest, unsigned sub) {
  if (x != x) return 0x7f;
  if ((sub & SUB_RELU) && !(x > 0)) x = 0;
  const uint8_t sign = (uint8_t)(bits_f(x) >> 24 & 0x80);
  const double a = __builtin_fabs((double)x);
  /* The least unit of its binade, not less than that of the subnormals. */
  int e = (int)(bits_f((float)a) >> 23) - 127;
  if (e < 1 - bias) e = 1 - bias;
  const double units = rint(ldexp(a, m - e));
  const double bits = units + ldexp((double)(e + bias - 1), m);
  return (uint8_t)(sign | (bits > largest ? largest : (uint8_t)bits));
}
static inline float from_fp8(uint8_t b, int m, int bias) {
  const int e = (b & 0x7f) >> m, f = b & ((1 << m) - 1);
  const double v = e ? ldexp((double)(f + (1 << m)), e - bias - m) : ldexp((double)f, 1 - bias - m);
  return (float)(b & 0x80 ? -v : v);
}
static inline uint8_t to_e4m3(float x, unsigned sub) { return to_fp8(x, 3, 7, 0x7e, sub); }
static inline uint8_t to_e5m2(float x, unsigned sub) { return to_fp8(x, 2, 15, 0x7b, sub); }
static inline uint16_t e4m3_to_half(uint8_t b, unsigned sub) {
  if ((b & 0x7f) == 0x7f) return 0x7fff;
  return half_out((double)from_fp8(b, 3, 7), sub & SUB_RELU);
}
static inline uint16_t e5m2_to_half(uint8_t b, unsigned sub) {
  if ((b & 0x7f) > 0x7c) return 0x7fff;
  return (uint16_t)((sub & SUB_RELU) && (b & 0x80) ? 0 : b << 8);
}
#define FP8(t)                                                                                               \
  OP2(cvt_##t##_ff, uint16_t, float, float, to_##t(x, in->sub) << 8 | to_##t(y, in->sub))                    \
  OP1(cvt_##t##_HH, uint16_t, uint32_t,                                                                      \
      to_##t(half_to_float((uint16_t)(x >> 16)), in->sub) << 8 |                                             \
          to_##t(half_to_float((uint16_t)x), in->sub))                                                       \
  OP1(cvt_HH_##t, uint32_t, uint16_t,                                                                        \
      (uint32_t)t##_to_half((uint8_t)(x >> 8), in->sub) << 16 | t##_to_half((uint8_t)x, in->sub))
FP8(e4m3)
FP8(e5m2)

/* Less than eight bits, each number in a byte or half a byte: without infinity and NaN, which become the
 * largest. */
static inline uint8_t to_small(float x, int m, int bias, uint8_t largest, uint8_t sign, unsigned sub) {
  if (x != x) return largest;
  const uint8_t v = to_fp8(x, m, bias, largest, sub);
  return (uint8_t)((v & 0x7f) | (v & 0x80 ? sign : 0));
}
static inline uint16_t from_small(uint8_t v, int m, int bias, uint8_t sign, unsigned sub) {
  const uint8_t size = v & (uint8_t)(sign - 1);
  if ((sub & SUB_RELU) && (v & sign)) return 0;
  return float_to_half(from_fp8((uint8_t)(size | (v & sign ? 0x80 : 0)), m, bias));
}
static inline uint8_t to_e2m3(float x, unsigned sub) { return to_small(x, 3, 1, 0x1f, 0x20, sub); }
static inline uint8_t to_e3m2(float x, unsigned sub) { return to_small(x, 2, 3, 0x1f, 0x20, sub); }
static inline uint8_t to_e2m1(float x, unsigned sub) { return to_small(x, 1, 1, 7, 8, sub); }
#define FP6(t, m, bias)                                                                                      \
  OP2(cvt_##t##_ff, uint16_t, float, float, to_##t(x, in->sub) << 8 | to_##t(y, in->sub))                    \
  OP1(cvt_HH_##t, uint32_t, uint16_t,                                                                        \
      (uint32_t)from_small((uint8_t)(x >> 8), m, bias, 0x20, in->sub) << 16 |                                \
          from_small((uint8_t)x, m, bias, 0x20, in->sub))
FP6(e2m3, 3, 1)
FP6(e3m2, 2, 3)
OP2(cvt_e2m1_ff, uint8_t, float, float, to_e2m1(x, in->sub) << 4 | to_e2m1(y, in->sub))
OP1(cvt_e2m1_HH, uint8_t, uint32_t,
    to_e2m1(half_to_float((uint16_t)(x >> 16)), in->sub) << 4 | to_e2m1(half_to_float((uint16_t)x), in->sub))
OP1(cvt_HH_e2m1, uint32_t, uint8_t,
    (uint32_t)from_small(x >> 4, 1, 1, 8, in->sub) << 16 | from_small(x & 15, 1, 1, 8, in->sub))

/* An exponent alone: of the magnitude, cut or rounded up; 0 is 2^-127, 255 NaN. */
static inline uint8_t to_exponent(uint32_t u, unsigned mode, int64_t finite) {
  u &= 0x7fffffffu;
  uint32_t e = u >> 23;
  if (mode == RND_P && (u & 0x7fffffu) && u > 0x00400000u && u < 0x7f800000u) e++;
  return (uint8_t)(finite && u <= 0x7f800000u && e == 255 ? 254 : e);
}
static inline uint16_t from_exponent(uint8_t e) {
  return (uint16_t)(e == 255 ? 0x7fff : e == 0 ? 0x40 : e << 7);
}
OP2(cvt_ue8m0_ff, uint16_t, uint32_t, uint32_t,
    to_exponent(x, in->sub &RND_MASK, in->imm) << 8 | to_exponent(y, in->sub &RND_MASK, in->imm))
OP1(cvt_ue8m0_BB, uint16_t, uint32_t,
    to_exponent(x & 0xffff0000u, in->sub &RND_MASK, in->imm) << 8 |
        to_exponent(x << 16, in->sub &RND_MASK, in->imm))
OP1(cvt_BB_ue8m0, uint32_t, uint16_t,
    (uint32_t)from_exponent((uint8_t)(x >> 8)) << 16 | from_exponent((uint8_t)x))

/* Sign operations: a NaN becomes the one NaN. */
static inline uint16_t sign_half(uint16_t x, unsigned sub, uint16_t keep, uint16_t flip, uint16_t inf) {
  if ((sub & SUB_FTZ) && (x & inf) == 0) x &= 0x8000;
  return (uint16_t)((x & 0x7fff) > inf ? 0x7fff : (x & keep) ^ flip);
}
#define ONE(name, t, keep, flip, inf)                                                                        \
  OP1(name##_##t, uint16_t, uint16_t, sign_half(x, in->sub, keep, flip, inf))                                \
  OP1(name##_##t##t, uint32_t, uint32_t,                                                                     \
      sign_half((uint16_t)x, in->sub, keep, flip, inf) |                                                     \
          (uint32_t)sign_half((uint16_t)(x >> 16), in->sub, keep, flip, inf) << 16)
ONE(abs, H, 0x7fff, 0, 0x7c00)
ONE(neg, H, 0xffff, 0x8000, 0x7c00)
ONE(abs, B, 0x7fff, 0, 0x7f80)
ONE(neg, B, 0xffff, 0x8000, 0x7f80)
OP1(sat_H, uint16_t, uint16_t, float_to_half(sat_to_1(half_to_float(x))))
