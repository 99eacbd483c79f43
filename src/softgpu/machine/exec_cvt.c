/* Conversions that round to nearest, and those to integers. decode.c strings longer ones together: integral
 * rounding first, then the change of type; saturation to narrow integers by min and max. */
#include "machine/simd.h"

#include <math.h>

#include "machine/float.h"

/* Between float and double a NaN keeps sign and payload and becomes quiet, as on the host. */
OP1(cvt_d_f, double, float, (double)x)
OP1(cvt_f_d, float, double, (float)x)
OP1(cvt_d_H, double, uint16_t,
    (x & 0x7fff) > 0x7c00
        ? double_of((uint64_t)(x & 0x8000) << 48 | 0x7ff8000000000000u | (uint64_t)(x & 0x3ff) << 42)
        : (double)half_to_float(x))
OP1(cvt_f_H, float, uint16_t, nan_f(half_to_float(x)))
OP1(cvt_H_f, uint16_t, float, float_to_half(x))
OP1(cvt_H_d, uint16_t, double, double_to_half(x))
OP1(cvt_f_B, uint32_t, uint16_t, (uint32_t)x << 16)
OP1(cvt_B_f, uint16_t, float, float_to_bf16(x))
OP1(cvt_B_d, uint16_t, double, x == x ? double_to_bf16(x) : double_nan_to_bf16(x))

/* What a double cannot hold of a 64-bit integer leaves a trace in its last digit: f16 needs no such care, it
 * is infinite long before. */
static inline double sticky(uint64_t v) {
  return (double)(v >> 53 ? (v & ~(uint64_t)0xfff) | (uint64_t)((v & 0xfff) != 0) << 12 : v);
}
static inline uint16_t long_to_bf16(uint64_t v, bool negative, unsigned mode) {
  const double x = sticky(negative ? 0 - v : v);
  return float_to_bf16_mode(odd_float(negative ? -x : x), mode);
}
OP1(cvt_B_ux, uint16_t, uint64_t, long_to_bf16(x, false, in->sub &RND_MASK))
OP1(cvt_B_sx, uint16_t, uint64_t, long_to_bf16(x, x >> 63, in->sub &RND_MASK))

OP1(rint_f, float, float, nan_f(__builtin_rintf(x)))
OP1(rintz_f, float, float, nan_f(__builtin_truncf(x)))
OP1(rintm_f, float, float, nan_f(__builtin_floorf(x)))
OP1(rintp_f, float, float, nan_f(__builtin_ceilf(x)))
OP1(rint_d, double, double, nan_d1(__builtin_rint(x), x))
OP1(rintz_d, double, double, nan_d1(__builtin_trunc(x), x))
OP1(rintm_d, double, double, nan_d1(__builtin_floor(x), x))
OP1(rintp_d, double, double, nan_d1(__builtin_ceil(x), x))

OP1(cvt_f_uw, float, uint32_t, (float)x)
OP1(cvt_f_sw, float, int32_t, (float)x)
OP1(cvt_f_ux, float, uint64_t, (float)x)
OP1(cvt_f_sx, float, int64_t, (float)x)
OP1(cvt_d_uw, double, uint32_t, (double)x)
OP1(cvt_d_sw, double, int32_t, (double)x)
OP1(cvt_d_ux, double, uint64_t, (double)x)
OP1(cvt_d_sx, double, int64_t, (double)x)

/* Out of range: the nearest number of the type. NaN: 0, but the type's top bit from double or to 64 bits. The
 * conversion proper only ever sees values that fit. */
#define TO_INT(name, R, A, least, limit, min, max, nan)                                                      \
  OP1(name, R, A,                                                                                            \
      x != x         ? (R)(nan)                                                                              \
      : x >= (limit) ? (R)(max)                                                                              \
      : x <= (least) ? (R)(min)                                                                              \
                     : (R)(FIT(A, x, least, limit)))
#define FIT(A, x, least, limit) ((x) > (least) && (x) < (limit) ? (x) : (A)0)
TO_INT(cvt_sw_f, int32_t, float, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX, 0)
TO_INT(cvt_uw_f, uint32_t, float, 0.0f, 0x1p32f, 0, UINT32_MAX, 0)
TO_INT(cvt_sx_f, int64_t, float, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX, INT64_MIN)
TO_INT(cvt_ux_f, uint64_t, float, 0.0f, 0x1p64f, 0, UINT64_MAX, (uint64_t)1 << 63)
TO_INT(cvt_sw_d, int32_t, double, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX, INT32_MIN)
TO_INT(cvt_uw_d, uint32_t, double, 0.0, 0x1p32, 0, UINT32_MAX, 0x80000000u)
TO_INT(cvt_sx_d, int64_t, double, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN)
TO_INT(cvt_ux_d, uint64_t, double, 0.0, 0x1p64, 0, UINT64_MAX, (uint64_t)1 << 63)
