/* Loads and stores. sg_resolve() has checked every active lane before a handler touches memory; what is left
 * is to move the data in the shape that the addresses have: a row, one address for all, or offsets. */
#include "machine/simd.h"

#define ALL8 0x0101010101010101u
static inline uint64_t mask8(const uint8_t *m) {
  uint64_t v;
  __builtin_memcpy(&v, m, 8);
  return v;
}

/* Eight lanes at a time. */
typedef uint8_t v8u8 __attribute__((vector_size(8), aligned(1)));
typedef int8_t v8s8 __attribute__((vector_size(8), aligned(1)));
typedef uint16_t v8u16 __attribute__((vector_size(16), aligned(2)));
typedef int16_t v8s16 __attribute__((vector_size(16), aligned(2)));
typedef uint32_t v8u32 __attribute__((vector_size(32), aligned(4)));
typedef int32_t v8s32 __attribute__((vector_size(32), aligned(4)));
typedef uint64_t v8u64 __attribute__((vector_size(64), aligned(8)));
#define AT(T, p) (*(const T *)(const void *)(p))

/* Blocks and rounds of a loop step evenly through global memory; where they go next is no secret, though the
 * processor does not guess steps that leave the page. */
static inline void fetch_ahead(Gang *g, const Ins *in, const uint8_t *p, uint32_t bytes) {
  if (in->sub != SP_GLOBAL && in->sub != SP_GENERIC) return;
  AllocCache *c = &g->caches[in->cache];
  const uint64_t at = (uintptr_t)p, step = at - c->last;
  c->last = at;
  if (step == c->step && step != 0)
    for (uint32_t k = 0; k < bytes; k += 64) __builtin_prefetch((const void *)(uintptr_t)(at + step + k));
  c->step = step;
}

/* Two threads of a kernel may meet at one address, in a race of the kernel's own (race.c is about those) or
 * in the order of fences, which ThreadSanitizer does not know. So it does not watch what kernels load and
 * store. */
#ifdef UNDER_TSAN
#define OF_KERNEL __attribute__((no_sanitize("thread")))
#else
#define OF_KERNEL
#endif

/* R: register, M: memory, with the vector types of eight of each; M's sign says how it is widened. */
#define LD(name, R, M, VR, VM)                                                                               \
  OF_KERNEL void FN(ld_##name)(Gang * g, const Ins *in) {                                                    \
    Spot s;                                                                                                  \
    if (!sg_resolve(g, in, &s)) return;                                                                      \
    R *d = ROW0(R, in->d);                                                                                   \
    const uint8_t *m = g->m;                                                                                 \
    const uint32_t lo = g->lo, end = lo + g->n;                                                              \
    if (s.shape == SPOT_FLAT) {                                                                              \
      const int64_t stride = s.stride;                                                                       \
      const uint32_t from = g->masked ? g->cur.first : lo, to = g->masked ? g->cur.end : end;                \
      const uint8_t *p = s.p + (int64_t)from * stride;                                                       \
      R *t = d + from;                                                                                       \
      const uint8_t *k = m + from;                                                                           \
      if (stride == sizeof(M)) {                                                                             \
        const M *q = (const M *)(const void *)p;                                                             \
        fetch_ahead(g, in, p, (to - from) * (uint32_t)sizeof(M));                                            \
        if (!g->masked)                                                                                      \
          LANES(to - from) t[i] = (R)q[i];                                                                   \
        else                                                                                                 \
          LANES(to - from) t[i] = k[i] ? (R)q[i] : t[i];                                                     \
      } else if (stride == 0) {                                                                              \
        const R v = (R)AT(M, p);                                                                             \
        if (!g->masked)                                                                                      \
          LANES(to - from) t[i] = v;                                                                         \
        else                                                                                                 \
          LANES(to - from) t[i] = k[i] ? v : t[i];                                                           \
      } else if (!g->masked) {                                                                               \
        for (uint32_t i = 0; i < to - from; i++, p += stride) t[i] = (R)AT(M, p);                            \
      } else {                                                                                               \
        for (uint32_t i = 0; i < to - from; i++, p += stride)                                                \
          if (k[i]) t[i] = (R)AT(M, p);                                                                      \
      }                                                                                                      \
    } else if (s.shape == SPOT_OFFSETS) {                                                                    \
      const uint8_t *p = s.p;                                                                                \
      const bool rows = s.row_bytes == sizeof(M), even = !g->masked && ((lo | end) & 7) == 0;                \
      for (uint32_t b = lo; b < end && even && s.all == CLASS_BROADCAST; b += 8)                             \
        *(VR *)(void *)(d + b) = (VR){0} + (R)AT(M, p + s.off[b]);                                           \
      for (uint32_t b = lo; b < end && even && s.all == CLASS_ROW && rows; b += 8)                           \
        *(VR *)(void *)(d + b) = __builtin_convertvector(AT(VM, p + s.off[b]), VR);                          \
      if (even && (s.all == CLASS_BROADCAST || (s.all == CLASS_ROW && rows))) return;                        \
      for (uint32_t b = lo & ~7u; b < end; b += 8) {                                                         \
        const uint64_t k = mask8(m + b);                                                                     \
        const int32_t *off = s.off + b;                                                                      \
        if (k == ALL8) {                                                                                     \
          const uint8_t cls = s.cls[b / 8];                                                                  \
          if (cls == CLASS_BROADCAST) {                                                                      \
            const R v = (R)AT(M, p + off[0]);                                                                \
            *(VR *)(void *)(d + b) = (VR){0} + v;                                                            \
          } else if (cls == CLASS_ROW && rows) {                                                             \
            *(VR *)(void *)(d + b) = __builtin_convertvector(AT(VM, p + off[0]), VR);                        \
          } else {                                                                                           \
            R *t = d + b;                                                                                    \
            t[0] = (R)AT(M, p + off[0]), t[1] = (R)AT(M, p + off[1]), t[2] = (R)AT(M, p + off[2]);           \
            t[3] = (R)AT(M, p + off[3]), t[4] = (R)AT(M, p + off[4]), t[5] = (R)AT(M, p + off[5]);           \
            t[6] = (R)AT(M, p + off[6]), t[7] = (R)AT(M, p + off[7]);                                        \
          }                                                                                                  \
        } else if (k != 0) {                                                                                 \
          for (uint32_t i = 0; i < 8; i++)                                                                   \
            if (m[b + i]) d[b + i] = (R)AT(M, p + off[i]);                                                   \
        }                                                                                                    \
      }                                                                                                      \
    } else {                                                                                                 \
      for (uint32_t i = lo; i < end; i++)                                                                    \
        if (m[i]) d[i] = (R)AT(M, g->ptrs[i]);                                                               \
    }                                                                                                        \
  }                                                                                                          \
  void FN(ldp_##name)(Gang * g, const Ins *in) {                                                             \
    M v;                                                                                                     \
    __builtin_memcpy(&v, g->params + in->imm, sizeof v);                                                     \
    const R r = (R)v;                                                                                        \
    R *t = ROW(R, in->d);                                                                                    \
    const uint8_t *k = MASK();                                                                               \
    if (!g->masked)                                                                                          \
      LANES(g->n) t[i] = r;                                                                                  \
    else                                                                                                     \
      LANES(g->n) t[i] = k[i] ? r : t[i];                                                                    \
  }

LD(b_b, uint8_t, uint8_t, v8u8, v8u8)
LD(h_ub, uint16_t, uint8_t, v8u16, v8u8)
LD(h_sb, uint16_t, int8_t, v8u16, v8s8)
LD(w_ub, uint32_t, uint8_t, v8u32, v8u8)
LD(w_sb, uint32_t, int8_t, v8u32, v8s8)
LD(x_ub, uint64_t, uint8_t, v8u64, v8u8)
LD(x_sb, uint64_t, int8_t, v8u64, v8s8)
LD(h_h, uint16_t, uint16_t, v8u16, v8u16)
LD(w_uh, uint32_t, uint16_t, v8u32, v8u16)
LD(w_sh, uint32_t, int16_t, v8u32, v8s16)
LD(x_uh, uint64_t, uint16_t, v8u64, v8u16)
LD(x_sh, uint64_t, int16_t, v8u64, v8s16)
LD(w_w, uint32_t, uint32_t, v8u32, v8u32)
LD(x_uw, uint64_t, uint32_t, v8u64, v8u32)
LD(x_sw, uint64_t, int32_t, v8u64, v8s32)
LD(x_x, uint64_t, uint64_t, v8u64, v8u64)

/* Lanes that store to one address do so in lane order: the last one wins. */
#define ST(name, M, R, VM, VR)                                                                               \
  OF_KERNEL void FN(st_##name)(Gang * g, const Ins *in) {                                                    \
    Spot s;                                                                                                  \
    if (!sg_resolve(g, in, &s)) return;                                                                      \
    const R *a = ROW0(const R, in->s[1]);                                                                    \
    const uint8_t *m = g->m;                                                                                 \
    const uint32_t lo = g->lo, end = lo + g->n;                                                              \
    if (s.shape == SPOT_FLAT) {                                                                              \
      const int64_t stride = s.stride;                                                                       \
      uint8_t *p = s.p + (int64_t)lo * stride;                                                               \
      if (!g->masked && stride == sizeof(M)) {                                                               \
        M *q = (M *)(void *)p;                                                                               \
        const R *t = a + lo;                                                                                 \
        LANES(end - lo) q[i] = (M)t[i];                                                                      \
      } else if (!g->masked) {                                                                               \
        for (uint32_t i = lo; i < end; i++, p += stride) *(M *)(void *)p = (M)a[i];                          \
      } else {                                                                                               \
        for (uint32_t i = lo; i < end; i++, p += stride)                                                     \
          if (m[i]) *(M *)(void *)p = (M)a[i];                                                               \
      }                                                                                                      \
    } else if (s.shape == SPOT_OFFSETS) {                                                                    \
      uint8_t *p = s.p;                                                                                      \
      const bool rows = s.row_bytes == sizeof(M);                                                            \
      for (uint32_t b = lo & ~7u; b < end; b += 8) {                                                         \
        const uint64_t k = mask8(m + b);                                                                     \
        const int32_t *off = s.off + b;                                                                      \
        if (k == ALL8 && rows && s.cls[b / 8] == CLASS_ROW) {                                                \
          *(VM *)(void *)(p + off[0]) = __builtin_convertvector(AT(VR, a + b), VM);                          \
        } else if (k == ALL8) {                                                                              \
          for (uint32_t i = 0; i < 8; i++) *(M *)(void *)(p + off[i]) = (M)a[b + i];                         \
        } else if (k != 0) {                                                                                 \
          for (uint32_t i = 0; i < 8; i++)                                                                   \
            if (m[b + i]) *(M *)(void *)(p + off[i]) = (M)a[b + i];                                          \
        }                                                                                                    \
      }                                                                                                      \
    } else {                                                                                                 \
      for (uint32_t i = lo; i < end; i++)                                                                    \
        if (m[i]) *(M *)(void *)g->ptrs[i] = (M)a[i];                                                        \
    }                                                                                                        \
  }

ST(b_b, uint8_t, uint8_t, v8u8, v8u8)
ST(b_h, uint8_t, uint16_t, v8u8, v8u16)
ST(b_w, uint8_t, uint32_t, v8u8, v8u32)
ST(b_x, uint8_t, uint64_t, v8u8, v8u64)
ST(h_h, uint16_t, uint16_t, v8u16, v8u16)
ST(h_w, uint16_t, uint32_t, v8u16, v8u32)
ST(h_x, uint16_t, uint64_t, v8u16, v8u64)
ST(w_w, uint32_t, uint32_t, v8u32, v8u32)
ST(w_x, uint32_t, uint64_t, v8u32, v8u64)
ST(x_x, uint64_t, uint64_t, v8u64, v8u64)

/* One pass over the base register: are the addresses evenly spaced? If not, their offsets from the first. */
static inline bool any(const v8u32 *v) {
  typedef uint64_t v4u64 __attribute__((vector_size(32)));
  const v4u64 w = (v4u64)*v;
  return ((w[0] | w[1]) | (w[2] | w[3])) != 0;
}

static void classify(Plan *pl, uint32_t first, uint32_t end) {
  const uint32_t w = pl->row_bytes;
  const v8u32 row = {0, w, 2 * w, 3 * w, 4 * w, 5 * w, 6 * w, 7 * w};
  for (uint32_t b = first & ~7u; b < end; b += 8) {
    const v8u32 off = AT(v8u32, pl->off + b), from0 = off - off[0], bent = from0 ^ row;
    const uint8_t cls = !any(&from0) ? CLASS_BROADCAST : !any(&bent) ? CLASS_ROW : CLASS_GATHER;
    pl->all = b == (first & ~7u) || pl->all == cls ? cls : CLASS_MIXED;
    pl->cls[b / 8] = cls;
  }
}

/* U: type of the register. Offsets that leave 32 bits make the plan useless, and the access goes lane by
 * lane. */
#define SCAN(name, U)                                                                                        \
  static inline __attribute__((always_inline)) void name(const Gang *g, const Ins *in, Plan *pl,             \
                                                         uint32_t first, uint32_t n, bool dense) {           \
    const U *a = ROW0(const U, in->s[0]) + first;                                                            \
    const uint8_t *m = g->fm + first;                                                                        \
    const U a0 = a[0];                                                                                       \
    uint32_t second = 1;                                                                                     \
    if (!dense)                                                                                              \
      while (second < n && !m[second]) second++;                                                             \
    const int64_t stride = second < n ? (int64_t)((uint64_t)a[second] - a0) / (int64_t)second : 0;           \
    U differ = 0, expect = a0;                                                                               \
    for (uint32_t from = 0; from < n && !differ; from += 64) {                                               \
      const uint32_t to = from + 64 < n ? from + 64 : n;                                                     \
      for (uint32_t i = from; dense && i < to; i++) {                                                        \
        differ |= a[i] ^ expect;                                                                             \
        expect += (U)stride;                                                                                 \
      }                                                                                                      \
      for (uint32_t i = from; !dense && i < to; i++) {                                                       \
        differ |= m[i] ? a[i] ^ expect : 0;                                                                  \
        expect += (U)stride;                                                                                 \
      }                                                                                                      \
    }                                                                                                        \
    pl->a0 = a0;                                                                                             \
    const bool near = stride >= INT32_MIN && stride <= INT32_MAX;                                            \
    const int64_t last = near ? stride * (int64_t)(n - 1) : 0;                                               \
    if (differ == 0 && near && (uint64_t)(U)(a0 + (U)last) == a0 + (uint64_t)last) {                         \
      pl->shape = PLAN_REGULAR;                                                                              \
      pl->stride = stride;                                                                                   \
      pl->lo = last < 0 ? last : 0;                                                                          \
      pl->hi = last > 0 ? last : 0;                                                                          \
      pl->low = (uint64_t)stride;                                                                            \
      return;                                                                                                \
    }                                                                                                        \
    uint64_t far = 0;                                                                                        \
    uint32_t low = 0;                                                                                        \
    int32_t least = 0, most = 0;                                                                             \
    int32_t *off = pl->off + first;                                                                          \
    LANES(n) {                                                                                               \
      const uint64_t o = dense || m[i] ? (uint64_t)a[i] - a0 : 0;                                            \
      const int32_t v = (int32_t)o;                                                                          \
      far |= (o + 0x80000000u) >> 32;                                                                        \
      low |= (uint32_t)v;                                                                                    \
      least = v < least ? v : least;                                                                         \
      most = v > most ? v : most;                                                                            \
      off[i] = v;                                                                                            \
    }                                                                                                        \
    pl->low = low;                                                                                           \
    pl->lo = least;                                                                                          \
    pl->hi = most;                                                                                           \
    pl->row_bytes = in->bytes;                                                                               \
    pl->shape = far ? PLAN_WIDE : PLAN_IRREGULAR;                                                            \
    if (!far) classify(pl, first, first + n);                                                                \
  }
SCAN(scan_w, uint32_t)
SCAN(scan_x, uint64_t)

void FN(scan)(Gang *g, const Ins *in) {
  Plan *pl = &g->plans[in->plan];
  const bool always = pl->invariant;
  const uint32_t first = always ? 0 : g->cur.first, end = always ? g->threads : g->cur.end;
  const bool dense = always || g->cur.count == end - first;
  pl->serial = always ? PLAN_ALWAYS : g->serial;
  pl->first = first;
  const uint32_t n = end - first;
  if (in->flags & INS_NARROW)
    dense ? scan_w(g, in, pl, first, n, true) : scan_w(g, in, pl, first, n, false);
  else
    dense ? scan_x(g, in, pl, first, n, true) : scan_x(g, in, pl, first, n, false);
}

void FN(aligned)(Gang *g, const Ins *in) { sg_aligned(g, in); }

void FN(image)(Gang *g, const Ins *in) { sg_image(g, in); }

void FN(peek)(Gang *g, const Ins *in) { sg_peek(g, in, ROW0(uint64_t, in->d)); }

/* Constant memory lies among the rest of the device's. */
void FN(within_const)(Gang *g, const Ins *in) {
  uint8_t *d = ROW0(uint8_t, in->d);
  const uint64_t *a = ROW0(const uint64_t, in->s[0]);
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    if (!g->m[i]) continue;
    const SgAlloc *at = sg_arena_reach(a[i]);
    d[i] = at && at->kind == SG_CONST;
  }
}
