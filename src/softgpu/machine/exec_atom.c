/* Atomic operations, those on barriers in memory included: lanes take their turns in lane order. Where one
 * thread runs a grid plain reads and writes are atomic, else the host's atomic operations are used. Barriers
 * are in memory that one block has. */
#include "machine/simd.h"

#include "machine/float.h"

/* p: memory, v: old value, x and y: operands; the expression is the new value. */
#define ATOM(name, T, expr)                                                                                  \
  void FN(atom_##name)(Gang * g, const Ins *in) {                                                            \
    if (!sg_resolve_lanes(g, in)) return;                                                                    \
    T *d = in->d == NO_ROW ? NULL : ROW0(T, in->d);                                                          \
    const T *b = ROW0(const T, in->s[1]);                                                                    \
    const T *c = in->s[2] == NO_ROW ? b : ROW0(const T, in->s[2]);                                           \
    const bool parallel = g->run->parallel;                                                                  \
    for (uint32_t i = g->lo; i < g->lo + g->n; i++) {                                                        \
      if (!g->m[i]) continue;                                                                                \
      T *p = (T *)(void *)g->ptrs[i];                                                                        \
      const T x = b[i], y = c[i];                                                                            \
      T v;                                                                                                   \
      (void)y;                                                                                               \
      if (!parallel) {                                                                                       \
        v = *p;                                                                                              \
        *p = (T)(expr);                                                                                      \
      } else {                                                                                               \
        __atomic_load(p, &v, __ATOMIC_RELAXED);                                                              \
        for (;;) {                                                                                           \
          T to = (T)(expr);                                                                                  \
          if (__atomic_compare_exchange(p, &v, &to, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) break;        \
        }                                                                                                    \
      }                                                                                                      \
      if (d) d[i] = v;                                                                                       \
    }                                                                                                        \
  }

ATOM(add_w, uint32_t, v + x)
ATOM(add_x, uint64_t, v + x)
/* In global memory subnormals are flushed, in shared memory they are not. */
static inline float add_float(const Gang *g, const float *p, float v, float x) {
  if ((uintptr_t)p - (uintptr_t)g->shared < g->shared_bytes) return nan_f(v + x);
  return nan_f(ftz(ftz(v) + ftz(x)));
}
ATOM(add_f, float, add_float(g, p, v, x))
ATOM(add_d, double, nan_d2(v + x, x, v))
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
/* A NaN loses, -0 is less than +0. */
static inline float least_of(float x, float y) {
  return x != x ? y : y != y ? x : x < y ? x : y < x ? y : float_of(bits_f(x) | bits_f(y));
}
static inline float most_of(float x, float y) {
  return x != x ? y : y != y ? x : x > y ? x : y > x ? y : float_of(bits_f(x) & bits_f(y));
}
static inline uint16_t least_half(uint16_t v, uint16_t x) {
  return float_to_half(least_of(half_to_float(v), half_to_float(x)));
}
static inline uint16_t most_half(uint16_t v, uint16_t x) {
  return float_to_half(most_of(half_to_float(v), half_to_float(x)));
}
static inline uint16_t least_brain(uint16_t v, uint16_t x) {
  return float_to_bf16(least_of(bf16_to_float(v), bf16_to_float(x)));
}
static inline uint16_t most_brain(uint16_t v, uint16_t x) {
  return float_to_bf16(most_of(bf16_to_float(v), bf16_to_float(x)));
}
ATOM(min_H, uint16_t, least_half(v, x))
ATOM(min_HH, uint32_t, PAIR(least_half))
ATOM(min_B, uint16_t, least_brain(v, x))
ATOM(min_BB, uint32_t, PAIR(least_brain))
ATOM(max_H, uint16_t, most_half(v, x))
ATOM(max_HH, uint32_t, PAIR(most_half))
ATOM(max_B, uint16_t, most_brain(v, x))
ATOM(max_BB, uint32_t, PAIR(most_brain))
ATOM(cas_h, uint16_t, v == x ? y : v)
ATOM(cas_w, uint32_t, v == x ? y : v)
ATOM(cas_x, uint64_t, v == x ? y : v)

/* Words of 128 bits. */
void FN(atom_exch_q)(Gang *g, const Ins *in) {
  if (!sg_resolve_lanes(g, in)) return;
  uint64_t *d = in->d == NO_ROW ? NULL : ROW0(uint64_t, in->d),
           *e = in->e == NO_ROW ? NULL : ROW0(uint64_t, in->e);
  const uint64_t *b = ROW0(const uint64_t, in->s[1]), *c = ROW0(const uint64_t, in->s[2]);
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    if (!g->m[i]) continue;
    uint64_t *p = (uint64_t *)(void *)g->ptrs[i];
    const uint64_t low = p[0], high = p[1];
    p[0] = b[i];
    p[1] = c[i];
    if (d) d[i] = low;
    if (e) e[i] = high;
  }
}

void FN(atom_cas_q)(Gang *g, const Ins *in) {
  if (!sg_resolve_lanes(g, in)) return;
  uint64_t *d = in->d == NO_ROW ? NULL : ROW0(uint64_t, in->d),
           *e = in->e == NO_ROW ? NULL : ROW0(uint64_t, in->e);
  const uint64_t *b = ROW0(const uint64_t, in->s[1]), *c = ROW0(const uint64_t, in->s[2]);
  const uint64_t *base = in->s[3] == NO_ROW ? NULL : ROW0(const uint64_t, in->s[3]);
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    if (!g->m[i]) continue;
    uint64_t *p = (uint64_t *)(void *)g->ptrs[i];
    const uint64_t low = p[0], high = p[1], at = (base ? base[i] : 0) + in->target;
    if (low == b[i] && high == c[i]) __builtin_memcpy(p, g->local + (size_t)i * g->local_stride + at, 16);
    if (d) d[i] = low;
    if (e) e[i] = high;
  }
}

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
