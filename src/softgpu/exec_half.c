/* Half precision and bfloat16 arithmetic, scalar and in pairs.
 *
 * Sums, differences and products are done in float: it has more than twice the digits of a half, so that
 * rounding twice gives the same as rounding once. fma needs double, and for bfloat16, whose exponents reach
 * further than a double's digits, the error term of the sum too. */
#include "simd.h"

#include <math.h>

#include "float.h"

static inline float half_in(uint16_t h, unsigned sub) {
  if ((sub & SUB_FTZ) && (h & 0x7c00) == 0) h &= 0x8000;
  return half_to_float(h);
}
static inline uint16_t half_out(double r, unsigned sub) {
  if (sub & SUB_RELU) r = r > 0 ? r : r != r ? r : 0.0;
  if (sub & SUB_SAT) r = sat_to_1d(r);
  uint16_t h = float_to_half(odd_float(r));
  if ((sub & SUB_FTZ) && (h & 0x7c00) == 0) h &= 0x8000;
  return h;
}
static inline float brain_in(uint16_t b, unsigned sub) {
  (void)sub;
  return bf16_to_float(b);
}
static inline uint16_t brain_out(double r, unsigned sub) {
  if (sub & SUB_RELU) r = r > 0 ? r : r != r ? r : 0.0;
  return double_to_bf16(r);
}

/* Sum rounded to odd: the digits that do not fit leave a trace in the last one. */
static inline double odd_sum(double p, double c) {
  double s = p + c;
  if (!(__builtin_fabs(s) < INFINITY)) return s;
  double q = s - p, err = (p - (s - q)) + (c - q);
  if (err == 0) return s;
  uint64_t u = bits_d(s);
  if (s != 0 && (err > 0) != (s > 0)) u -= 1;
  return double_of(u | 1);
}

static inline float min_of(float x, float y, unsigned sub) {
  if (x != x || y != y) return (sub & SUB_NAN) || (x != x && y != y) ? NAN : x != x ? y : x;
  return x < y ? x : y < x ? y : float_of(bits_f(x) | bits_f(y));
}
static inline float max_of(float x, float y, unsigned sub) {
  if (x != x || y != y) return (sub & SUB_NAN) || (x != x && y != y) ? NAN : x != x ? y : x;
  return x > y ? x : y > x ? y : float_of(bits_f(x) & bits_f(y));
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
BOTH(min, min_of(x, y, sub))
BOTH(max, max_of(x, y, sub))

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
