/* How handlers are written: one expression per lane, in a loop that the compiler turns into vector code.
 * Files that include this are compiled once for the baseline and once for AVX2, with SG_ISA set. */
#ifndef SOFTGPU_SIMD_H
#define SOFTGPU_SIMD_H

#include "machine/gang.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define SG_CAT3(a, b, c) a##b##c
#define SG_NAME2(isa, name) SG_CAT3(isa, _, name)
#define FN(name) SG_NAME2(SG_ISA, name)

#define OP(name, sig, flags, forms)                                                                          \
  SgFn FN(name##_d);                                                                                         \
  SgFn FN(name##_m);
#define ROP OP
#define MOP(name, sig, flags, forms) SgFn FN(name);
#include "decode/ops.def"
#undef OP
#undef MOP
#undef ROP

/* A destination may be one of the sources, but rows never overlap in part. */
#if defined(__clang__)
#define LANES(n)                                                                                             \
  _Pragma("clang loop vectorize(assume_safety)") for (uint32_t i = 0, lanes = (n); i < lanes; i++)
#else
#define LANES(n) _Pragma("GCC ivdep") for (uint32_t i = 0, lanes = (n); i < lanes; i++)
#endif

void FN(scan)(Gang *g, const Ins *in);
void FN(spread)(uint8_t *bytes, const uint64_t *bits, uint32_t lanes);
void FN(measure)(Front *f, uint32_t lanes);
void FN(fill)(uint32_t *row, uint32_t value, uint32_t n);
bool FN(read_row)(const struct TrackRow *r);
bool FN(store_row)(const struct TrackRow *r);
bool FN(note_row)(const struct TrackRow *r);
uint32_t FN(test)(uint64_t *bits, const Front *f, const uint8_t *p, uint32_t neg, uint32_t lanes);

#define ROW(T, row) ((T *)(void *)(g->regs + (size_t)(row)*g->nl) + g->lo)
#define ROW0(T, row) ((T *)(void *)(g->regs + (size_t)(row)*g->nl))
#define MASK() (g->m + g->lo)

/* The low bits of 32 bytes. */
static inline uint32_t low_bits(const uint8_t *bytes) {
#ifdef __AVX2__
  const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
  return (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(v, 7));
#else
  uint32_t word = 0;
  for (uint32_t k = 0; k < 32; k += 8) {
    uint64_t v; /* the multiplication gathers the low bits of eight bytes in the top one */
    __builtin_memcpy(&v, bytes + k, 8);
    word |= (uint32_t)((v & 0x0101010101010101u) * 0x0102040810204080u >> 56) << k;
  }
  return word;
#endif
}

/* Result type R, operand types A, B, C; operands are x, y, z, w in the expression. */
#define OP1(name, R, A, expr)                                                                                \
  void FN(name##_d)(Gang * g, const Ins *in) {                                                               \
    R *d = ROW(R, in->d);                                                                                    \
    const A *a = ROW(const A, in->s[0]);                                                                     \
    LANES(g->n) {                                                                                            \
      A x = a[i];                                                                                            \
      d[i] = (R)(expr);                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  void FN(name##_m)(Gang * g, const Ins *in) {                                                               \
    R *d = ROW(R, in->d);                                                                                    \
    const A *a = ROW(const A, in->s[0]);                                                                     \
    const uint8_t *m = MASK();                                                                               \
    LANES(g->n & ~7u) {                                                                                      \
      A x = a[i];                                                                                            \
      R r = (R)(expr);                                                                                       \
      d[i] = m[i] ? r : d[i];                                                                                \
    }                                                                                                        \
  }

#define OP2(name, R, A, B, expr)                                                                             \
  void FN(name##_d)(Gang * g, const Ins *in) {                                                               \
    R *d = ROW(R, in->d);                                                                                    \
    const A *a = ROW(const A, in->s[0]);                                                                     \
    const B *b = ROW(const B, in->s[1]);                                                                     \
    LANES(g->n) {                                                                                            \
      A x = a[i];                                                                                            \
      B y = b[i];                                                                                            \
      d[i] = (R)(expr);                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  void FN(name##_m)(Gang * g, const Ins *in) {                                                               \
    R *d = ROW(R, in->d);                                                                                    \
    const A *a = ROW(const A, in->s[0]);                                                                     \
    const B *b = ROW(const B, in->s[1]);                                                                     \
    const uint8_t *m = MASK();                                                                               \
    LANES(g->n & ~7u) {                                                                                      \
      A x = a[i];                                                                                            \
      B y = b[i];                                                                                            \
      R r = (R)(expr);                                                                                       \
      d[i] = m[i] ? r : d[i];                                                                                \
    }                                                                                                        \
  }

#define OP3(name, R, A, B, C, expr)                                                                          \
  void FN(name##_d)(Gang * g, const Ins *in) {                                                               \
    R *d = ROW(R, in->d);                                                                                    \
    const A *a = ROW(const A, in->s[0]);                                                                     \
    const B *b = ROW(const B, in->s[1]);                                                                     \
    const C *c = ROW(const C, in->s[2]);                                                                     \
    LANES(g->n) {                                                                                            \
      A x = a[i];                                                                                            \
      B y = b[i];                                                                                            \
      C z = c[i];                                                                                            \
      d[i] = (R)(expr);                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  void FN(name##_m)(Gang * g, const Ins *in) {                                                               \
    R *d = ROW(R, in->d);                                                                                    \
    const A *a = ROW(const A, in->s[0]);                                                                     \
    const B *b = ROW(const B, in->s[1]);                                                                     \
    const C *c = ROW(const C, in->s[2]);                                                                     \
    const uint8_t *m = MASK();                                                                               \
    LANES(g->n & ~7u) {                                                                                      \
      A x = a[i];                                                                                            \
      B y = b[i];                                                                                            \
      C z = c[i];                                                                                            \
      R r = (R)(expr);                                                                                       \
      d[i] = m[i] ? r : d[i];                                                                                \
    }                                                                                                        \
  }

#define OP4(name, R, A, B, C, D, expr)                                                                       \
  static inline void FN(name##_body)(Gang * g, const Ins *in, const uint8_t *m) {                            \
    R *d = ROW(R, in->d);                                                                                    \
    const A *a = ROW(const A, in->s[0]);                                                                     \
    const B *b = ROW(const B, in->s[1]);                                                                     \
    const C *c = ROW(const C, in->s[2]);                                                                     \
    const D *e = ROW(const D, in->s[3]);                                                                     \
    for (uint32_t i = 0; i < g->n; i++) {                                                                    \
      A x = a[i];                                                                                            \
      B y = b[i];                                                                                            \
      C z = c[i];                                                                                            \
      D w = e[i];                                                                                            \
      if (!m || m[i]) d[i] = (R)(expr);                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  void FN(name##_d)(Gang * g, const Ins *in) { FN(name##_body)(g, in, NULL); }                               \
  void FN(name##_m)(Gang * g, const Ins *in) { FN(name##_body)(g, in, MASK()); }

#endif
