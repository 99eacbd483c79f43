/* Operations among the lanes of a warp. gang.c has seen to it that all lanes of the member mask are here. A
 * row may be source and destination, so results go to scratch memory first where lanes read each other. */
#include "machine/simd.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <math.h>

#include "machine/float.h"
#include "decode/kernel.h"
#include "machine/gang.h"

enum { WARP = 32 };

static inline uint32_t active_bits(const Gang *g, uint32_t warp) { return low_bits(g->m + warp); }
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

/* Where each lane of a warp reads, and whether that is inside of its segment. */
typedef struct Pattern {
  uint32_t from[WARP];
  uint8_t inside[WARP];
} Pattern;
typedef void Shuffle(Pattern *p, const uint32_t *bs, const uint32_t *cs);

/* The 32 words of a warp, each from another one. */
#ifdef __AVX2__
static inline __m256i load8(const uint32_t *p) {
  return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
static inline __m256 take8(__m256i of, __m256i from) {
  return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(of, from));
}
/* From each quarter of the warp; bits 3 and 4 of `from` choose among the quarters. */
static inline void permute(uint32_t *to, const uint32_t *a, const uint32_t *from) {
  const __m256i q0 = load8(a), q1 = load8(a + 8), q2 = load8(a + 16), q3 = load8(a + 24);
  for (int k = 0; k < WARP; k += 8) {
    const __m256i f = load8(from + k);
    const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(f, 28));
    const __m256 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(f, 27));
    const __m256 low = _mm256_blendv_ps(take8(q0, f), take8(q1, f), bit3);
    const __m256 high = _mm256_blendv_ps(take8(q2, f), take8(q3, f), bit3);
    _mm256_storeu_ps((float *)(void *)(to + k), _mm256_blendv_ps(low, high, bit4));
  }
}
#else
static inline void permute(uint32_t *to, const uint32_t *a, const uint32_t *from) {
  uint32_t read[WARP]; /* `to` may be `a` */
  for (uint32_t k = 0; k < WARP; k++) read[k] = a[from[k]];
  __builtin_memcpy(to, read, sizeof read);
}
#endif

static inline __attribute__((always_inline)) void shuffle(Gang *g, const Ins *in, Shuffle *pattern) {
  uint32_t *d = ROW0(uint32_t, in->d);
  uint8_t *e = in->e == NO_ROW ? NULL : ROW0(uint8_t, in->e);
  const uint32_t *a = ROW0(const uint32_t, in->s[0]), *bs = ROW0(const uint32_t, in->s[1]);
  const uint32_t *cs = ROW0(const uint32_t, in->s[2]);
  Pattern p;
  bool known = false;
  WARPS(w) {
    const uint8_t *m = g->m + w;
    uint32_t *to = d + w;
    if (!known) pattern(&p, bs + w, cs + w);
    known = in->unit;
    if (active_bits(g, w) == UINT32_MAX) {
      permute(to, a + w, p.from);
    } else {
      uint32_t got[WARP];
      permute(got, a + w, p.from);
      LANES(WARP) to[i] = m[i] ? got[i] : to[i];
    }
    if (!e) continue;
    uint8_t *ok = e + w;
    LANES(WARP) ok[i] = m[i] ? p.inside[i] : ok[i];
  }
}

/* Source lane by mode; out of the segment's range: the lane itself, and the predicate is false. */
#define SHFL(name, source, within)                                                                           \
  static inline void name##_pattern(Pattern *p, const uint32_t *bs, const uint32_t *cs) {                    \
    for (int32_t l = 0; l < WARP; l++) {                                                                     \
      const int32_t b = bs[l] & 31, clamp = cs[l] & 31, seg = cs[l] >> 8 & 31;                               \
      const int32_t most = (l & seg) | (clamp & ~seg), least = l & seg;                                      \
      (void)least;                                                                                           \
      const int32_t j = source;                                                                              \
      p->from[l] = (uint32_t)(within ? j & 31 : l);                                                          \
      p->inside[l] = within;                                                                                 \
    }                                                                                                        \
  }                                                                                                          \
  void FN(shfl_##name)(Gang * g, const Ins *in) { shuffle(g, in, name##_pattern); }
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
      const uint32_t active = active_bits(g, w), true_bits = low_bits(p + w) & active;                       \
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

/* Of floats; SUB_NAN: a NaN wins, SUB_XOR: of the magnitudes. */
#define REDUX_FLOAT(name, before, bits)                                                                      \
  void FN(redux_##name)(Gang * g, const Ins *in) {                                                           \
    float *d = ROW0(float, in->d), *out = (float *)(void *)g->scratch;                                       \
    const float *a = ROW0(const float, in->s[0]);                                                            \
    const uint32_t *ms = ROW0(const uint32_t, in->s[1]);                                                     \
    const unsigned sub = in->sub;                                                                            \
    WARPS(w) {                                                                                               \
      ACTIVE(i, w) {                                                                                         \
        float r = sub & SUB_XOR ? __builtin_fabsf(a[i]) : a[i];                                              \
        for (uint32_t k = w; k < w + WARP; k++) {                                                            \
          if (k == i || !g->m[k] || !(ms[i] >> (k - w) & 1)) continue;                                       \
          const float v = sub & SUB_XOR ? __builtin_fabsf(a[k]) : a[k];                                      \
          if (v != v || r != r)                                                                              \
            r = (sub & SUB_NAN) || (v != v && r != r) ? NAN : v != v ? r : v;                                \
          else                                                                                               \
            r = v before r ? v : r before v ? r : float_of(bits);                                            \
        }                                                                                                    \
        out[i - w] = nan_f(r);                                                                               \
      }                                                                                                      \
      ACTIVE(i, w) d[i] = out[i - w];                                                                        \
    }                                                                                                        \
  }
REDUX_FLOAT(fmin, <, bits_f(v) | bits_f(r))
REDUX_FLOAT(fmax, >, bits_f(v) & bits_f(r))

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
