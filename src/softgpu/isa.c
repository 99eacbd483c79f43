/* The table of handlers of one build, and the helpers that gang.c wants vectorised. */
#include "simd.h"

#define OP(name, sig, flags, forms)
#define MOP OP
#define ROP(name, sig, flags, forms)                                                                         \
  SgFn sg_round_##name##_d;                                                                                  \
  SgFn sg_round_##name##_m;
#include "ops.def"
#undef OP
#undef MOP
#undef ROP

#define OP(name, sig, flags, forms) {FN(name##_d), FN(name##_m)},
#define MOP(name, sig, flags, forms) {FN(name), FN(name)},
#define ROP(name, sig, flags, forms) {sg_round_##name##_d, sg_round_##name##_m},
static SgFn *const handlers[OP_COUNT][2] = {
#include "ops.def"
};
#undef OP
#undef MOP
#undef ROP

uint32_t FN(guard)(uint8_t *pm, const uint8_t *m, const uint8_t *p, uint32_t neg, uint32_t n) {
  uint8_t flip = (uint8_t)neg;
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i += 8) {
    uint64_t a, b, f = flip * 0x0101010101010101u;
    __builtin_memcpy(&a, m + i, 8);
    __builtin_memcpy(&b, p + i, 8);
    a &= b ^ f;
    __builtin_memcpy(pm + i, &a, 8);
    count += (uint32_t)((a * 0x0101010101010101u) >> 56);
  }
  return count;
}

#define SG_STR2(x) #x
#define SG_STR(x) SG_STR2(x)
const Isa SG_ISA = {SG_STR(SG_ISA), handlers, FN(guard), FN(scan)};
