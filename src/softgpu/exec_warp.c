/* Operations among the lanes of a warp. gang.c has seen to it that all lanes of the member mask are here. A
 * row may be source and destination, so results go to scratch memory first where lanes read each other. */
#include "simd.h"

#include "kernel.h"

enum { WARP = 32 };

static inline uint32_t active_bits(const Gang *g, uint32_t warp) {
  uint32_t bits = 0;
  for (uint32_t k = 0; k < WARP; k++) bits |= (uint32_t)g->m[warp + k] << k;
  return bits;
}
/* Warps of [lo, lo + n), and the active lanes of one. */
#define WARPS(w) for (uint32_t w = g->lo & ~(WARP - 1u); w < g->lo + g->n; w += WARP)
#define ACTIVE(i, w)                                                                                         \
  for (uint32_t i = w; i < w + WARP; i++)                                                                    \
    if (g->m[i])

void FN(activemask)(Gang *g, const Ins *in) {
  uint32_t *d = ROW0(uint32_t, in->d);
  WARPS(w) {
    const uint32_t bits = active_bits(g, w);
    ACTIVE(i, w) d[i] = bits;
  }
}

/* The first of those that are here. */
void FN(elect)(Gang *g, const Ins *in) {
  uint32_t *d = ROW0(uint32_t, in->d);
  uint8_t *e = in->e == NO_ROW ? NULL : ROW0(uint8_t, in->e);
  const uint32_t *ms = ROW0(const uint32_t, in->s[0]);
  WARPS(w) {
    const uint32_t active = active_bits(g, w);
    ACTIVE(i, w) {
      const uint32_t first = (uint32_t)__builtin_ctz((ms[i] & active) | (uint32_t)1 << (i - w));
      if (e) e[i] = first == i - w;
      d[i] = first;
    }
  }
}

void FN(warpsync)(Gang *g, const Ins *in) {
  (void)g;
  (void)in;
}

/* Source lane by mode; out of the segment's range: the lane itself, and the predicate is false. */
#define SHFL(name, source, within)                                                                           \
  void FN(shfl_##name)(Gang * g, const Ins *in) {                                                            \
    uint32_t *d = ROW0(uint32_t, in->d), *t = (uint32_t *)(void *)g->scratch;                                \
    uint8_t *e = in->e == NO_ROW ? NULL : ROW0(uint8_t, in->e);                                              \
    const uint32_t *a = ROW0(const uint32_t, in->s[0]), *bs = ROW0(const uint32_t, in->s[1]);                \
    const uint32_t *cs = ROW0(const uint32_t, in->s[2]);                                                     \
    WARPS(w) {                                                                                               \
      __builtin_memcpy(t, a + w, WARP * sizeof *t);                                                          \
      for (uint32_t lane = 0; lane < WARP; lane++) {                                                         \
        if (!g->m[w + lane]) continue;                                                                       \
        const int32_t b = bs[w + lane] & 31, clamp = cs[w + lane] & 31, seg = cs[w + lane] >> 8 & 31;        \
        const int32_t l = (int32_t)lane, most = (l & seg) | (clamp & ~seg), least = l & seg;                 \
        (void)least;                                                                                         \
        const int32_t j = source;                                                                            \
        const bool ok = within;                                                                              \
        d[w + lane] = t[ok ? (j & 31) : l];                                                                  \
        if (e) e[w + lane] = ok;                                                                             \
      }                                                                                                      \
    }                                                                                                        \
  }
SHFL(up, l - b, j >= most)
SHFL(down, l + b, j <= most)
SHFL(bfly, l ^ b, j <= most)
SHFL(idx, least | (b & ~seg), j <= most)

/* member: the active lanes that the voting lane names; yes: those of them whose predicate is true. */
#define VOTE(name, T, result)                                                                                \
  void FN(vote_##name)(Gang * g, const Ins *in) {                                                            \
    T *d = ROW0(T, in->d);                                                                                   \
    const uint8_t *p = ROW0(const uint8_t, in->s[0]);                                                        \
    const uint32_t *ms = ROW0(const uint32_t, in->s[1]);                                                     \
    WARPS(w) {                                                                                               \
      uint32_t true_bits = 0;                                                                                \
      const uint32_t active = active_bits(g, w);                                                             \
      for (uint32_t k = 0; k < WARP; k++) true_bits |= (uint32_t)(p[w + k] & g->m[w + k]) << k;              \
      ACTIVE(i, w) {                                                                                         \
        const uint32_t member = ms[i] & active, yes = true_bits & member;                                    \
        (void)member;                                                                                        \
        d[i] = (T)(result);                                                                                  \
      }                                                                                                      \
    }                                                                                                        \
  }
VOTE(all, uint8_t, yes == member)
VOTE(any, uint8_t, yes != 0)
VOTE(uni, uint8_t, yes == 0 || yes == member)
VOTE(ballot, uint32_t, yes)

#define MATCH(t, T)                                                                                          \
  void FN(match_any_##t)(Gang * g, const Ins *in) {                                                          \
    uint32_t *d = ROW0(uint32_t, in->d), *out = (uint32_t *)(void *)g->scratch;                              \
    const T *a = ROW0(const T, in->s[0]);                                                                    \
    const uint32_t *ms = ROW0(const uint32_t, in->s[1]);                                                     \
    WARPS(w) {                                                                                               \
      ACTIVE(i, w) {                                                                                         \
        uint32_t same = 0;                                                                                   \
        for (uint32_t k = 0; k < WARP; k++)                                                                  \
          same |= (uint32_t)(g->m[w + k] && (ms[i] >> k & 1) && a[w + k] == a[i]) << k;                      \
        out[i - w] = same;                                                                                   \
      }                                                                                                      \
      ACTIVE(i, w) d[i] = out[i - w];                                                                        \
    }                                                                                                        \
  }                                                                                                          \
  void FN(match_all_##t)(Gang * g, const Ins *in) {                                                          \
    uint32_t *d = ROW0(uint32_t, in->d), *out = (uint32_t *)(void *)g->scratch;                              \
    uint8_t *e = in->e == NO_ROW ? NULL : ROW0(uint8_t, in->e);                                              \
    const T *a = ROW0(const T, in->s[0]);                                                                    \
    const uint32_t *ms = ROW0(const uint32_t, in->s[1]);                                                     \
    WARPS(w) {                                                                                               \
      const uint32_t active = active_bits(g, w);                                                             \
      ACTIVE(i, w) {                                                                                         \
        const uint32_t member = ms[i] & active;                                                              \
        bool all = true;                                                                                     \
        for (uint32_t k = 0; k < WARP; k++) all &= !(member >> k & 1) || a[w + k] == a[i];                   \
        out[i - w] = all ? member : 0;                                                                       \
      }                                                                                                      \
      ACTIVE(i, w) {                                                                                         \
        d[i] = out[i - w];                                                                                   \
        if (e) e[i] = out[i - w] != 0;                                                                       \
      }                                                                                                      \
    }                                                                                                        \
  }
MATCH(w, uint32_t)
MATCH(x, uint64_t)

#define REDUX(name, T, expr)                                                                                 \
  void FN(redux_##name)(Gang * g, const Ins *in) {                                                           \
    T *d = ROW0(T, in->d), *out = (T *)(void *)g->scratch;                                                   \
    const T *a = ROW0(const T, in->s[0]);                                                                    \
    const uint32_t *ms = ROW0(const uint32_t, in->s[1]);                                                     \
    WARPS(w) {                                                                                               \
      ACTIVE(i, w) {                                                                                         \
        T r = a[i];                                                                                          \
        for (uint32_t k = w; k < w + WARP; k++) {                                                            \
          if (k == i || !g->m[k] || !(ms[i] >> (k - w) & 1)) continue;                                       \
          const T v = a[k];                                                                                  \
          r = (T)(expr);                                                                                     \
        }                                                                                                    \
        out[i - w] = r;                                                                                      \
      }                                                                                                      \
      ACTIVE(i, w) d[i] = out[i - w];                                                                        \
    }                                                                                                        \
  }
REDUX(add, uint32_t, r + v)
REDUX(umin, uint32_t, r < v ? r : v)
REDUX(umax, uint32_t, r > v ? r : v)
REDUX(smin, int32_t, r < v ? r : v)
REDUX(smax, int32_t, r > v ? r : v)
REDUX(and, uint32_t, r &v)
REDUX(or, uint32_t, r | v)
REDUX(xor, uint32_t, r ^ v)

/* Clocks count executed instructions of the block: deterministic, and never still. */
#define CLOCK(name, T, value)                                                                                \
  void FN(name)(Gang * g, const Ins *in) {                                                                   \
    T *d = ROW0(T, in->d);                                                                                   \
    const T v = (T)(value);                                                                                  \
    for (uint32_t i = g->lo; i < g->lo + g->n; i++)                                                          \
      if (g->m[i]) d[i] = v;                                                                                 \
  }
CLOCK(clock_w, uint32_t, g->icount)
CLOCK(clock_x, uint64_t, g->icount)
CLOCK(clockhi, uint32_t, g->icount >> 32)
CLOCK(timer_x, uint64_t, sg_nanoseconds())
CLOCK(timerlo, uint32_t, sg_nanoseconds())
CLOCK(timerhi, uint32_t, sg_nanoseconds() >> 32)
