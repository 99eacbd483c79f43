/* Conversions from and to pairs of numbers of less than eight bits, and of exponents alone (ue8m0). */
#include "decode/decode.h"

#include <string.h>

/* A pair of the narrow type lies in `letter`; rows from two floats, from a pair of halves, and to one. */
static const struct {
  const char *name;
  char letter;
  enum Op from_floats, from_halves, to_halves;
} types[] = {{"e2m3x2", 'h', OP_cvt_e2m3_ff, OP_COUNT, OP_cvt_HH_e2m3},
             {"e3m2x2", 'h', OP_cvt_e3m2_ff, OP_COUNT, OP_cvt_HH_e3m2},
             {"e2m1x2", 'b', OP_cvt_e2m1_ff, OP_cvt_e2m1_HH, OP_cvt_HH_e2m1},
             {"ue8m0x2", 'h', OP_cvt_ue8m0_ff, OP_cvt_ue8m0_BB, OP_cvt_BB_ue8m0}};

/* cvt.rn.satfinite{.relu}.type.f32 d, a, b   .type.f16x2 d, a   cvt.rn{.relu}.f16x2.type d, a
 * cvt.rz|rp{.satfinite}.ue8m0x2.f32 d, a, b   .ue8m0x2.bf16x2 d, a   cvt.rn.bf16x2.ue8m0x2 d, a
 * False: the form is none of these. */
bool dec_narrow(Decoder *d) {
  const uint32_t n = d->at->nmods;
  if (n < 3) return false;
  const char *to = d->at->mods[n - 2], *from = d->at->mods[n - 1];
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (strcmp(types[i].name, from) == 0) {
      if (strcmp(d->at->mods[0], "rn") != 0) dec_unsupported(d, NULL);
      dec_count(d, 2, 2);
      const uint32_t v = dec_src(d, dec_opnd(d, 1), types[i].letter);
      dec_emit(d, types[i].to_halves, dec_dst(d, dec_opnd(d, 0), 'w'), v, NO_ROW, NO_ROW);
      return true;
    }
    if (strcmp(types[i].name, to) != 0) continue;
    const bool floats = strcmp(from, "f32") == 0;
    const enum Op op = floats ? types[i].from_floats : types[i].from_halves;
    if (op == OP_COUNT) dec_unsupported(d, NULL);
    dec_count(d, 2 + floats, 2 + floats);
    const uint32_t a = dec_src(d, dec_opnd(d, 1), floats ? 'f' : 'w');
    const uint32_t b = floats ? dec_src(d, dec_opnd(d, 2), 'f') : NO_ROW;
    dec_emit(d, op, dec_dst(d, dec_opnd(d, 0), types[i].letter), a, b, NO_ROW)->imm = dec_mod(d, "satfinite");
    return true;
  }
  return false;
}
