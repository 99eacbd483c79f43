/* Bits of floats: flushing, saturation, the one NaN that arithmetic gives, half and bfloat16. */
#ifndef SOFTGPU_FLOAT_H
#define SOFTGPU_FLOAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "decode/ins.h"

static inline uint32_t bits_f(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static inline float float_of(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}
static inline uint64_t bits_d(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static inline double double_of(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}

/* NaN results, as an H200 gives them: of float operations there is but one. A double operation passes on
 * payload and sign of a NaN operand, made quiet: of the last one, division of the first. One that is invalid
 * by itself gives NAN_D. The operands are given in the order in which they are looked at. */
#define NAN_D 0xfff8000000000000u
#define QUIET_D 0x0008000000000000u
static inline float nan_f(float x) { return x == x ? x : float_of(0x7fffffffu); }
/* In masks, for loops with many a selection are no vector code otherwise. */
static inline uint64_t blend(uint64_t mask, uint64_t a, uint64_t b) { return (a & mask) | (b & ~mask); }
static inline uint64_t is_nan(double x) { return x != x ? UINT64_MAX : 0; }
static inline uint64_t quiet_or(double x, uint64_t other) {
  return blend(is_nan(x), bits_d(x) | QUIET_D, other);
}
static inline double nan_d1(double r, double x) {
  return double_of(blend(is_nan(r), quiet_or(x, NAN_D), bits_d(r)));
}
static inline double nan_d2(double r, double x, double y) {
  return double_of(blend(is_nan(r), quiet_or(x, quiet_or(y, NAN_D)), bits_d(r)));
}
static inline double nan_d3(double r, double x, double y, double z) {
  return double_of(blend(is_nan(r), quiet_or(x, quiet_or(y, quiet_or(z, NAN_D))), bits_d(r)));
}

/* Subnormals to zero, the sign stays. */
static inline float ftz(float x) {
  uint32_t u = bits_f(x);
  return float_of((u & 0x7f800000u) == 0 ? u & 0x80000000u : u);
}
/* What .ftz flushes is what has less than the least normal number's magnitude when it is rounded to 24 digits
 * whatever its exponent is (an H200): 2^-126 (1 - 2^-46) is not flushed, 2^-126 (1 - 2^-24) is. */
static inline uint32_t is_least_normal(float x) { return (bits_f(x) & 0x7fffffffu) == 0x00800000u ? ~0u : 0; }
static inline float zero_like(float x) { return float_of(bits_f(x) & 0x80000000u); }
/* x was rounded to nearest, `exact` before that. */
static inline float flush_tiny(float x, double exact) {
  return __builtin_fabs(exact) < 0x1.ffffffp-127 ? zero_like(x) : x;
}

/* Sum rounded to odd: the digits that do not fit leave a trace in the last one. */
static inline double odd_sum(double p, double c) {
  double s = p + c;
  if (!(__builtin_fabs(s) < __builtin_inf())) return s;
  double q = s - p, err = (p - (s - q)) + (c - q);
  if (err == 0) return s;
  uint64_t u = bits_d(s);
  if (s != 0 && (err > 0) != (s > 0)) u -= 1;
  return double_of(u | 1);
}

/* To [0, 1]; NaN and -0 to +0. */
static inline float sat_to_1(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline double sat_to_1d(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

static inline float half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, u = (uint32_t)(h & 0x7fff) << 13;
  uint32_t finite = bits_f(float_of(u) * float_of(0x77800000u)); /* times 2^112 */
  return float_of(sign | ((h & 0x7c00) == 0x7c00 ? u | 0x7f800000u : finite));
}

/* Nearest even. */
static inline uint16_t float_to_half(float x) {
  uint32_t u = bits_f(x), a = u & 0x7fffffffu;
  uint32_t r = a - 0x38000000u;
  uint32_t normal = (r + 0xfff + (r >> 13 & 1)) >> 13;
  uint32_t small = bits_f(float_of(a < 0x38800000u ? a : 0) + 0.5f) - 0x3f000000u;
  uint32_t h = a > 0x7f800000u ? 0x7fff : a >= 0x47800000u ? 0x7c00 : a >= 0x38800000u ? normal : small;
  return (uint16_t)(h | (a > 0x7f800000u ? 0 : u >> 16 & 0x8000));
}

/* Double to float with round to odd: a second rounding to a narrower type is then exact. */
static inline float odd_float(double x) {
  float f = (float)x;
  uint32_t u = bits_f(f);
  double back = (double)f;
  u -= (back < 0 ? -back : back) > (x < 0 ? -x : x) ? 1 : 0;
  return float_of(back != x && x == x ? u | 1 : u);
}
static inline uint16_t double_nan_to_half(double x) { /* keeps sign and upper payload */
  return (uint16_t)((bits_d(x) >> 48 & 0x8000) | 0x7e00 | (bits_d(x) >> 42 & 0x1ff));
}
static inline uint16_t double_to_half(double x) {
  return x == x ? float_to_half(odd_float(x)) : double_nan_to_half(x);
}

static inline float bf16_to_float(uint16_t b) { return float_of((uint32_t)b << 16); }
static inline uint16_t float_to_bf16(float x) {
  uint32_t u = bits_f(x);
  return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}
static inline uint16_t double_to_bf16(double x) { return float_to_bf16(odd_float(x)); }
static inline uint16_t double_nan_to_bf16(double x) { /* keeps sign and upper payload */
  return (uint16_t)((bits_d(x) >> 48 & 0x8000) | 0x7fc0 | (bits_d(x) >> 45 & 0x3f));
}

/* The same with a rounding mode. */
static inline bool rounds_up(uint32_t sign, unsigned mode) { return mode == (sign ? RND_M : RND_P); }
static inline uint16_t float_to_half_mode(float x, unsigned mode) {
  if (mode == RND_N) return float_to_half(x);
  uint32_t u = bits_f(x), a = u & 0x7fffffffu, sign = u >> 16 & 0x8000;
  if (a > 0x7f800000u) return 0x7fff;
  if (a == 0x7f800000u) return (uint16_t)(sign | 0x7c00);
  uint32_t r;
  bool inexact;
  if (a >= 0x47800000u) {
    r = 0x7bff;
    inexact = true;
  } else if (a >= 0x38800000u) {
    r = (a - 0x38000000u) >> 13;
    inexact = (a & 0x1fff) != 0;
  } else {
    float scaled = float_of(a) * 0x1p24f;
    r = (uint32_t)scaled;
    inexact = (float)r != scaled;
  }
  return (uint16_t)(sign | (r + (inexact && rounds_up(sign, mode))));
}
static inline uint16_t float_to_bf16_mode(float x, unsigned mode) {
  if (mode == RND_N) return float_to_bf16(x);
  uint32_t u = bits_f(x), sign = u >> 31;
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (uint16_t)((u >> 16) + ((u & 0xffff) && rounds_up(sign, mode)));
}

#endif
