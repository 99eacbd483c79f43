/* Atomic operations, those on barriers in memory included: lanes take their turns in lane order. One worker
 * runs a grid, so that plain reads and writes are atomic. */
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
static inline uint16_t add_half(uint16_t v, uint16_t x) {
  return float_to_half(half_to_float(v) + half_to_float(x));
}
static inline uint16_t add_brain(uint16_t v, uint16_t x) {
  return double_to_bf16((double)bf16_to_float(v) + (double)bf16_to_float(x));
}
#define PAIR(f)                                                                                              \
  (uint32_t) f((uint16_t)v, (uint16_t)x) | (uint32_t)f((uint16_t)(v >> 16), (uint16_t)(x >> 16)) << 16
ATOM(add_H, uint16_t, add_half(v, x))
ATOM(add_HH, uint32_t, PAIR(add_half))
ATOM(add_B, uint16_t, add_brain(v, x))
ATOM(add_BB, uint32_t, PAIR(add_brain))
ATOM(cas_h, uint16_t, v == x ? y : v)
ATOM(cas_w, uint32_t, v == x ? y : v)
ATOM(cas_x, uint64_t, v == x ? y : v)

/* A barrier in memory: bit 0 its phase, then 20 bits of arrivals that a phase takes, 20 of those still to
 * come, and 23 of transactions to come, as a signed number. */
#define PHASE ((uint64_t)1)
#define COUNT_MASK (((uint64_t)1 << 20) - 1)
typedef struct Mbar {
  uint64_t phase, expected, pending;
  int64_t tx;
} Mbar;

static inline Mbar unpack(uint64_t v) {
  return (Mbar){v & PHASE, v >> 1 & COUNT_MASK, v >> 21 & COUNT_MASK, (int64_t)v >> 41};
}
static inline uint64_t pack(Mbar b) {
  if (b.pending == 0 && b.tx == 0) {
    b.phase ^= 1;
    b.pending = b.expected;
  }
  return b.phase | (b.expected & COUNT_MASK) << 1 | (b.pending & COUNT_MASK) << 21 | (uint64_t)b.tx << 41;
}
static inline uint64_t begin(uint64_t n) { return (n & COUNT_MASK) << 1 | (n & COUNT_MASK) << 21; }
static inline uint64_t arrive(uint64_t v, uint32_t n, uint32_t drop, int64_t tx) {
  Mbar b = unpack(v);
  b.tx += tx;
  b.pending -= n;
  b.expected -= drop;
  return pack(b);
}

#define MBAR(name, R, B, store, result)                                                                      \
  void FN(mbar_##name)(Gang * g, const Ins *in) {                                                            \
    if (!sg_resolve_lanes(g, in)) return;                                                                    \
    R *d = in->d == NO_ROW ? NULL : ROW0(R, in->d);                                                          \
    const B *b = ROW0(const B, in->s[1]);                                                                    \
    for (uint32_t i = g->lo; i < g->lo + g->n; i++) {                                                        \
      if (!g->m[i]) continue;                                                                                \
      uint64_t *p = (uint64_t *)(void *)g->ptrs[i];                                                          \
      const uint64_t v = *p;                                                                                 \
      const B x = b[i];                                                                                      \
      (void)x;                                                                                               \
      *p = (store);                                                                                          \
      if (d) d[i] = (R)(result);                                                                             \
    }                                                                                                        \
  }
MBAR(init, uint64_t, uint32_t, begin(x), v)
MBAR(arrive, uint64_t, uint32_t, arrive(v, x, 0, 0), v)
MBAR(drop, uint64_t, uint32_t, arrive(v, x, x, 0), v)
MBAR(expect, uint64_t, uint32_t, arrive(v, 1, 0, x), v)
MBAR(tx, uint64_t, uint32_t, arrive(v, 0, 0, x), v)
MBAR(complete, uint64_t, uint32_t, arrive(v, 0, 0, -(int64_t)x), v)
MBAR(test, uint8_t, uint64_t, v, (v ^ x) & PHASE)
MBAR(parity, uint8_t, uint32_t, v, (v ^ x) & PHASE)
OP1(mbar_pending, uint32_t, uint64_t, x >> 21 & COUNT_MASK)
