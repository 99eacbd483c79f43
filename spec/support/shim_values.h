/* Elements of arrays, for libraries that stand for a vendor's in specs: as double values, by the numbers of
 * library_types.h. */
#ifndef CUDALUA_SHIM_VALUES_H
#define CUDALUA_SHIM_VALUES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, C_32F = 4, C_64F = 5, R_32I = 10, R_16BF = 14 };

static inline size_t size_of(int type) {
  switch (type) {
  case R_8I: return 1;
  case R_16F:
  case R_16BF: return 2;
  case R_32F:
  case R_32I: return 4;
  case R_64F:
  case C_32F: return 8;
  default: return 16;
  }
}

static inline double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
  return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static inline uint16_t half_bits(double v) {
  if (v != v) return 0x7e00;
  const uint16_t sign = signbit(v) ? 0x8000 : 0;
  v = fabs(v);
  if (v >= 65520) return (uint16_t)(sign | 0x7c00);
  if (v < ldexp(1, -14)) return (uint16_t)(sign | (int)nearbyint(ldexp(v, 24)));
  int exponent;
  const double fraction = frexp(v, &exponent); /* v = fraction * 2^exponent, from 0.5 */
  const int bits = (int)nearbyint(ldexp(fraction, 11)) - 1024 + ((exponent + 14) << 10);
  return (uint16_t)(sign | bits);
}

static inline double bfloat_value(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float f;
  memcpy(&f, &word, 4);
  return (double)f;
}

static inline uint16_t bfloat_bits(double v) {
  const float f = (float)v;
  uint32_t word;
  memcpy(&word, &f, 4);
  if (f != f) return 0x7fc0;
  return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

typedef struct Value {
  double re, im;
} Value;

static inline Value load(int type, const void *base, int64_t i) {
  switch (type) {
  case R_8I: return (Value){((const int8_t *)base)[i], 0};
  case R_16F: return (Value){half_value(((const uint16_t *)base)[i]), 0};
  case R_16BF: return (Value){bfloat_value(((const uint16_t *)base)[i]), 0};
  case R_32F: return (Value){(double)((const float *)base)[i], 0};
  case R_32I: return (Value){((const int32_t *)base)[i], 0};
  case R_64F: return (Value){((const double *)base)[i], 0};
  case C_32F: return (Value){(double)((const float *)base)[2 * i], (double)((const float *)base)[2 * i + 1]};
  default: return (Value){((const double *)base)[2 * i], ((const double *)base)[2 * i + 1]};
  }
}

static inline void store(int type, void *base, int64_t i, Value v) {
  switch (type) {
  case R_16F: ((uint16_t *)base)[i] = half_bits(v.re); break;
  case R_16BF: ((uint16_t *)base)[i] = bfloat_bits(v.re); break;
  case R_32F: ((float *)base)[i] = (float)v.re; break;
  case R_32I: ((int32_t *)base)[i] = (int32_t)(uint32_t)(int64_t)v.re; break;
  case R_64F: ((double *)base)[i] = v.re; break;
  case C_32F:
    ((float *)base)[2 * i] = (float)v.re;
    ((float *)base)[2 * i + 1] = (float)v.im;
    break;
  default: ((double *)base)[2 * i] = v.re; ((double *)base)[2 * i + 1] = v.im;
  }
}

static inline Value times(Value a, Value b) {
  return (Value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Libraries load a complex128 factor in one instruction, which faults at other addresses. */
static inline bool is_aligned(const void *factor) { return factor && (uintptr_t)factor % 16 == 0; }

#endif
