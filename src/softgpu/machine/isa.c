/* The table of handlers of one build, and the helpers that gang.c wants vectorised. */
#include "machine/choose_isa.h"
#include "machine/simd.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define OP(name, sig, flags, forms)
#define MOP OP
#define ROP(name, sig, flags, forms)                                                                         \
  SgFn sg_round_##name##_d;                                                                                  \
  SgFn sg_round_##name##_m;
#include "decode/ops.def"
#undef OP
#undef MOP
#undef ROP

#define OP(name, sig, flags, forms) {FN(name##_d), FN(name##_m)},
#define MOP(name, sig, flags, forms) {FN(name), FN(name)},
#define ROP(name, sig, flags, forms) {sg_round_##name##_d, sg_round_##name##_m},
static SgFn *const handlers[OP_COUNT][2] = {
#include "decode/ops.def"
};
#undef OP
#undef MOP
#undef ROP

uint32_t FN(test)(uint64_t *bits, const Front *f, const uint8_t *p, uint32_t neg, uint32_t lanes) {
  const uint64_t flip = neg ? UINT64_MAX : 0;
  uint32_t count = 0;
  for (uint32_t w = 0; w * 64 < lanes; w++) {
    uint64_t v = f->mask[w];
    if (v) {
      const uint8_t *q = p + w * 64;
      const uint64_t high = w * 64 + 32 < lanes ? low_bits(q + 32) : 0;
      v &= (low_bits(q) | high << 32) ^ flip;
      count += (uint32_t)__builtin_popcountll(v);
    }
    bits[w] = v;
  }
  return count;
}

void FN(spread)(uint8_t *bytes, const uint64_t *bits, uint32_t lanes) {
  for (uint32_t i = 0; i < lanes; i += 32) {
    const uint32_t word = (uint32_t)(bits[i / 64] >> (i % 64));
#ifdef __AVX2__
    const __m256i select = _mm256_set1_epi64x((int64_t)0x8040201008040201u);
    const __m256i source = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    __m256i v = _mm256_shuffle_epi8(_mm256_set1_epi32((int)word), source);
    v = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(v, select), select), _mm256_set1_epi8(1));
    _mm256_storeu_si256((__m256i *)(void *)(bytes + i), v);
#else
    for (uint32_t k = 0; k < 32; k += 8) {
      /* Each byte gets a copy of the eight bits, keeps its own and turns it into 0 or 1. */
      uint64_t v = ((word >> k & 255) * 0x0101010101010101u) & 0x8040201008040201u;
      v = ((v + 0x7f7f7f7f7f7f7f7fu) | v) >> 7 & 0x0101010101010101u;
      __builtin_memcpy(bytes + i + k, &v, 8);
    }
#endif
  }
}

void FN(measure)(Front *f, uint32_t lanes) {
  const uint32_t words = (lanes + 63) / 64;
  uint32_t count = 0, w = 0;
  for (uint32_t k = 0; k < words; k++) count += (uint32_t)__builtin_popcountll(f->mask[k]);
  f->count = count;
  f->first = f->end = 0;
  if (count == 0) return;
  while (!f->mask[w]) w++;
  f->first = w * 64 + (uint32_t)__builtin_ctzll(f->mask[w]);
  for (w = words - 1; !f->mask[w];) w--;
  f->end = w * 64 + 64 - (uint32_t)__builtin_clzll(f->mask[w]);
}

void FN(fill)(uint32_t *row, uint32_t value, uint32_t n) { LANES(n) row[i] = value; }

#define SG_STR2(x) #x
#define SG_STR(x) SG_STR2(x)
const Isa SG_ISA = {SG_STR(SG_ISA), handlers, FN(test),     FN(scan),      FN(spread),
                    FN(measure),    FN(fill), FN(read_row), FN(store_row), FN(note_row)};
