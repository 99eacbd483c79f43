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

/* The handlers of an operation, for all lanes and for those of the mask: `rows` are the rows of its operands,
 * `values` what the expression takes of them in lane i. */
#define HANDLERS(name, R, rows, values, expr)                                                                \
  void FN(name##_d)(Gang * g, const Ins *in) {                                                               \
    R *d = ROW(R, in->d);                                                                                    \
    rows;                                                                                                    \
    LANES(g->n) {                                                                                            \
      values;                                                                                                \
      d[i] = (R)(expr);                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  void FN(name##_m)(Gang * g, const Ins *in) {                                                               \
    R *d = ROW(R, in->d);                                                                                    \
    rows;                                                                                                    \
    const uint8_t *m = MASK();                                                                               \
    LANES(g->n & ~7u) {                                                                                      \
      values;                                                                                                \
      R r = (R)(expr);                                                                                       \
      d[i] = m[i] ? r : d[i];                                                                                \
    }                                                                                                        \
  }
#define SOURCE(T, p, k) const T *p = ROW(const T, in->s[k])
#define ROWS1(A) SOURCE(A, a, 0)
#define ROWS2(A, B)                                                                                          \
  ROWS1(A);                                                                                                  \
  SOURCE(B, b, 1)
#define ROWS3(A, B, C)                                                                                       \
  ROWS2(A, B);                                                                                               \
  SOURCE(C, c, 2)
#define VALUES1(A) A x = a[i]
#define VALUES2(A, B)                                                                                        \
  VALUES1(A);                                                                                                \
  B y = b[i]
#define VALUES3(A, B, C)                                                                                     \
  VALUES2(A, B);                                                                                             \
  C z = c[i]

/* Result type R, operand types A, B, C; operands are x, y, z, w in the expression. */
#define OP1(name, R, A, expr) HANDLERS(name, R, ROWS1(A), VALUES1(A), expr)
#define OP2(name, R, A, B, expr) HANDLERS(name, R, ROWS2(A, B), VALUES2(A, B), expr)
#define OP3(name, R, A, B, C, expr) HANDLERS(name, R, ROWS3(A, B, C), VALUES3(A, B, C), expr)

#define OP4(name, R, A, B, C, D, expr)                                                                       \
  static inline void FN(name##_body)(Gang * g, const Ins *in, const uint8_t *m) {                            \
    R *d = ROW(R, in->d);                                                                                    \
    ROWS3(A, B, C);                                                                                          \
    SOURCE(D, e, 3);                                                                                         \
    for (uint32_t i = 0; i < g->n; i++) {                                                                    \
      VALUES3(A, B, C);                                                                                      \
      D w = e[i];                                                                                            \
      if (!m || m[i]) d[i] = (R)(expr);                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  void FN(name##_d)(Gang * g, const Ins *in) { FN(name##_body)(g, in, NULL); }                               \
  void FN(name##_m)(Gang * g, const Ins *in) { FN(name##_body)(g, in, MASK()); }

#endif
