/* Operations with directed rounding: the mode of the host's floating point unit is set around the loop. This
 * file is compiled with -frounding-math, once; these forms are rare. */
#include "machine/simd.h"

#include <fenv.h>
#include <math.h>

#include "machine/float.h"

static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static inline float in_f(float x, unsigned sub) { return sub & SUB_FTZ ? ftz(x) : x; }
static inline float out_f(float x, float a, float b, float c, unsigned sub) {
  (void)a;
  (void)b;
  (void)c;
  if (sub & SUB_FTZ) x = ftz(x);
  return sub & SUB_SAT ? sat_to_1(x) : nan_f(x);
}
/* What .ftz flushes (see flush_tiny() in float.h) where a result was rounded up to the least normal number:
 * all that has no more than 24 digits. */
#define MOST_TINY 0x1.fffffep-127
#define ROUNDED_UP_f(r, sub) (((sub)&SUB_FTZ) && is_least_normal(r))
#define ROUNDED_UP_d(r, sub) 0
static inline double in_d(double x, unsigned sub) {
  (void)sub;
  return x;
}
static inline double out_d(double x, double a, double b, double c, unsigned sub) {
  (void)sub;
  return nan_d3(x, a, b, c);
}

/* n1, n2 and n3 say in which order operands are looked at for a NaN; `exact` is what expr is before rounding,
 * where that is tiny, of doubles X, Y and Z, which come out of memory: a compiler would not see that the mode
 * has changed. */
#define DIRECTED(name, R, A, nsrc, t, expr, exact, n1, n2, n3)                                               \
  static void name##_body(Gang *g, const Ins *in, const uint8_t *m) {                                        \
    R *d = ROW(R, in->d);                                                                                    \
    const A *a = ROW(const A, in->s[0]);                                                                     \
    const A *b = nsrc > 1 ? ROW(const A, in->s[1]) : a;                                                      \
    const A *c = nsrc > 2 ? ROW(const A, in->s[2]) : a;                                                      \
    fesetround(modes[in->sub & RND_MASK]);                                                                   \
    for (uint32_t i = 0; i < g->n; i++) {                                                                    \
      if (m && !m[i]) continue;                                                                              \
      A x = in_##t(a[i], in->sub), y = in_##t(b[i], in->sub), z = in_##t(c[i], in->sub);                     \
      (void)y;                                                                                               \
      (void)z;                                                                                               \
      R r = (R)(expr);                                                                                       \
      if (ROUNDED_UP_##t(r, in->sub)) {                                                                      \
        fesetround(FE_TONEAREST);                                                                            \
        volatile double again[3] = {(double)x, (double)y, (double)z};                                        \
        const double X = again[0], Y = again[1], Z = again[2];                                               \
        (void)X, (void)Y, (void)Z;                                                                           \
        volatile double was = exact;                                                                         \
        if (fabs(was) <= MOST_TINY) r *= 0;                                                                  \
        fesetround(modes[in->sub & RND_MASK]);                                                               \
      }                                                                                                      \
      d[i] = out_##t(r, n1, n2, n3, in->sub);                                                                \
    }                                                                                                        \
    fesetround(FE_TONEAREST);                                                                                \
  }                                                                                                          \
  void FN(name##_d)(Gang * g, const Ins *in) { name##_body(g, in, NULL); }                                   \
  void FN(name##_m)(Gang * g, const Ins *in) { name##_body(g, in, MASK()); }

DIRECTED(radd_f, float, float, 2, f, x + y, X + Y, y, x, x)
DIRECTED(rsub_f, float, float, 2, f, x - y, X - Y, y, x, x)
DIRECTED(rmul_f, float, float, 2, f, x *y, X *Y, y, x, x)
DIRECTED(rfma_f, float, float, 3, f, fmaf(x, y, z), odd_sum(X *Y, Z), y, z, x)
DIRECTED(rdiv_f, float, float, 2, f, x / y, X / Y, x, y, y)
DIRECTED(rrcp_f, float, float, 1, f, 1.0f / x, 1 / X, x, x, x)
DIRECTED(rsqr_f, float, float, 1, f, sqrtf(x), X, x, x, x)
DIRECTED(radd_d, double, double, 2, d, x + y, 0, y, x, x)
DIRECTED(rsub_d, double, double, 2, d, x - y, 0, y, x, x)
DIRECTED(rmul_d, double, double, 2, d, x *y, 0, y, x, x)
DIRECTED(rfma_d, double, double, 3, d, fma(x, y, z), 0, y, z, x)
DIRECTED(rdiv_d, double, double, 2, d, x / y, 0, x, y, y)
DIRECTED(rrcp_d, double, double, 1, d, 1.0 / x, 0, x, x, x)
DIRECTED(rsqr_d, double, double, 1, d, sqrt(x), 0, x, x, x)

/* NaN passes as in exec_cvt.c. */
#define CONVERT(name, R, A)                                                                                  \
  static void name##_body(Gang *g, const Ins *in, const uint8_t *m) {                                        \
    R *d = ROW(R, in->d);                                                                                    \
    const A *a = ROW(const A, in->s[0]);                                                                     \
    fesetround(modes[in->sub & RND_MASK]);                                                                   \
    for (uint32_t i = 0; i < g->n; i++) {                                                                    \
      if (m && !m[i]) continue;                                                                              \
      d[i] = (R)a[i];                                                                                        \
    }                                                                                                        \
    fesetround(FE_TONEAREST);                                                                                \
  }                                                                                                          \
  void FN(name##_d)(Gang * g, const Ins *in) { name##_body(g, in, NULL); }                                   \
  void FN(name##_m)(Gang * g, const Ins *in) { name##_body(g, in, MASK()); }
CONVERT(rcvt_f_d, float, double)
CONVERT(rcvt_f_uw, float, uint32_t)
CONVERT(rcvt_f_sw, float, int32_t)
CONVERT(rcvt_f_ux, float, uint64_t)
CONVERT(rcvt_f_sx, float, int64_t)
CONVERT(rcvt_d_ux, double, uint64_t)
CONVERT(rcvt_d_sx, double, int64_t)

/* Integer arithmetic does these; the host's mode stays. */
OP1(rcvt_H_d, uint16_t, double,
    x == x ? float_to_half_mode(odd_float(x), in->sub &RND_MASK) : double_nan_to_half(x))
OP1(rcvt_B_d, uint16_t, double,
    x == x ? float_to_bf16_mode(odd_float(x), in->sub &RND_MASK) : double_nan_to_bf16(x))
OP1(rcvt_H_f, uint16_t, float, float_to_half_mode(x, in->sub &RND_MASK))
OP1(rcvt_B_f, uint16_t, float, float_to_bf16_mode(x, in->sub &RND_MASK))
