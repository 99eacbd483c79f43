/* Atomic operations: lanes take their turns in lane order. One worker runs a grid, so that plain reads and
 * writes are atomic. */
#include "simd.h"

#include "float.h"

/* p: memory, v: old value, x and y: operands; the expression is the new value. */
#define ATOM(name, T, expr)                                                                                  \
  void FN(atom_##name)(Gang * g, const Ins *in) {                                                            \
    if (!sg_resolve_lanes(g, in)) return;                                                                    \
    T *d = in->d == NO_ROW ? NULL : ROW0(T, in->d);                                                          \
    const T *b = ROW0(const T, in->s[1]);                                                                    \
    const T *c = in->s[2] == NO_ROW ? b : ROW0(const T, in->s[2]);                                           \
    for (uint32_t i = g->lo; i < g->lo + g->n; i++) {                                                        \
      if (!g->m[i]) continue;                                                                                \
      T *p = (T *)(void *)g->ptrs[i];                                                                        \
      const T v = *p, x = b[i], y = c[i];                                                                    \
      (void)y;                                                                                               \
      *p = (T)(expr);                                                                                        \
      if (d) d[i] = v;                                                                                       \
    }                                                                                                        \
  }

ATOM(add_w, uint32_t, v + x)
ATOM(add_x, uint64_t, v + x)
ATOM(add_f, float, nan_f(ftz(ftz(v) + ftz(x))))
ATOM(add_d, double, nan_d2(v + x, v, x))
ATOM(min_uw, uint32_t, v < x ? v : x)
ATOM(min_sw, int32_t, v < x ? v : x)
ATOM(min_ux, uint64_t, v < x ? v : x)
ATOM(min_sx, int64_t, v < x ? v : x)
ATOM(max_uw, uint32_t, v > x ? v : x)
ATOM(max_sw, int32_t, v > x ? v : x)
ATOM(max_ux, uint64_t, v > x ? v : x)
ATOM(max_sx, int64_t, v > x ? v : x)
ATOM(and_w, uint32_t, v &x)
ATOM(and_x, uint64_t, v &x)
ATOM(or_w, uint32_t, v | x)
ATOM(or_x, uint64_t, v | x)
ATOM(xor_w, uint32_t, v ^ x)
ATOM(xor_x, uint64_t, v ^ x)
ATOM(exch_w, uint32_t, x)
ATOM(exch_x, uint64_t, x)
ATOM(inc_uw, uint32_t, v >= x ? 0 : v + 1)
ATOM(dec_uw, uint32_t, v == 0 || v > x ? x : v - 1)
ATOM(cas_h, uint16_t, v == x ? y : v)
ATOM(cas_w, uint32_t, v == x ? y : v)
ATOM(cas_x, uint64_t, v == x ? y : v)
