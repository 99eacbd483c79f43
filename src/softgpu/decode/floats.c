/* Float instructions that are strung together from others: pairs of floats in 64 bits, halves in a sum or
 * product of floats, the least and the greatest of three. */
#include "decode/decode.h"

#include <string.h>

static uint32_t one(Decoder *d, enum Op op, uint32_t width, uint32_t a) {
  const uint32_t t = dec_temp(d, width);
  dec_calc(d, op, t, a, NO_ROW, NO_ROW)->sub = 0;
  return t;
}

/* The row of an operation on floats, with the rounding, .ftz and .sat of the form. */
static enum Op float_row(Decoder *d) {
  static const struct {
    const char *op;
    enum Op nearest[4], directed; /* plain, .ftz, .sat, both */
  } rows[] = {{"add", {OP_add_f, OP_add_ff, OP_add_fs, OP_add_ffs}, OP_radd_f},
              {"sub", {OP_sub_f, OP_sub_ff, OP_sub_fs, OP_sub_ffs}, OP_rsub_f},
              {"mul", {OP_mul_f, OP_mul_ff, OP_mul_fs, OP_mul_ffs}, OP_rmul_f},
              {"fma", {OP_fma_f, OP_fma_ff, OP_fma_fs, OP_fma_ffs}, OP_rfma_f}};
  const uint32_t sub = dec_sub(d);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].op, d->at->op) == 0)
      return sub & RND_MASK ? rows[i].directed
                            : rows[i].nearest[(sub & SUB_FTZ ? 1 : 0) + (sub & SUB_SAT ? 2 : 0)];
  dec_unsupported(d, NULL);
}

/* op{.rnd}{.ftz}.f32x2 d, a, b{, c} */
static void pairs(Decoder *d) {
  const enum Op op = float_row(d);
  const uint32_t n = d->at->op[0] == 'f' ? 3 : 2;
  dec_count(d, n + 1, n + 1);
  uint32_t part[2][3] = {{NO_ROW, NO_ROW, NO_ROW}, {NO_ROW, NO_ROW, NO_ROW}}, result[2];
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t v = dec_src(d, dec_opnd(d, i + 1), 'x');
    part[0][i] = one(d, OP_cut_w_x, 4, v);
    part[1][i] = one(d, OP_high_w_x, 4, v);
  }
  for (int k = 0; k < 2; k++) {
    result[k] = dec_temp(d, 4);
    dec_calc(d, op, result[k], part[k][0], part[k][1], part[k][2]);
  }
  dec_emit(d, OP_pack_x, dec_dst(d, dec_opnd(d, 0), 'x'), result[0], result[1], NO_ROW);
}

/* add|sub{.rnd}{.sat}.f32.half d, a, c   fma.rnd{.sat}.f32.half d, a, b, c: all but c are halves. */
static void halves(Decoder *d) {
  const enum Op op = float_row(d);
  const uint32_t n = d->at->op[0] == 'f' ? 3 : 2;
  const bool half = dec_type(d, 0) == PTX_F16;
  dec_count(d, n + 1, n + 1);
  uint32_t v[3] = {NO_ROW, NO_ROW, NO_ROW};
  for (uint32_t i = 0; i + 1 < n; i++)
    v[i] = one(d, half ? OP_cvt_f_H : OP_cvt_f_B, 4, dec_src(d, dec_opnd(d, i + 1), half ? 'H' : 'B'));
  v[n - 1] = dec_src(d, dec_opnd(d, n), 'f');
  dec_emit(d, op, dec_dst(d, dec_opnd(d, 0), 'f'), v[0], v[1], v[2]);
}

/* min|max{.ftz}{.NaN}{.abs}.f32 d, a, b, c */
void dec_three(Decoder *d) {
  static const enum Op rows[2][4] = {{OP_min_f, OP_min_ff, OP_minn_f, OP_minn_ff},
                                     {OP_max_f, OP_max_ff, OP_maxn_f, OP_maxn_ff}};
  const uint32_t sub = dec_sub(d);
  const enum Op op = rows[strcmp(d->at->op, "max") == 0][(sub & SUB_FTZ ? 1 : 0) + (sub & SUB_NAN ? 2 : 0)];
  uint32_t v[3], least = dec_temp(d, 4);
  dec_count(d, 4, 4);
  for (uint32_t i = 0; i < 3; i++) {
    v[i] = dec_src(d, dec_opnd(d, i + 1), 'f');
    if (dec_mod(d, "abs")) v[i] = one(d, OP_abs_f, 4, v[i]);
  }
  dec_calc(d, op, least, v[0], v[1], NO_ROW);
  dec_emit(d, op, dec_dst(d, dec_opnd(d, 0), 'f'), least, v[2], NO_ROW);
}

static bool ends_with(const PtxInst *in, uint32_t from_end, const char *mod) {
  return in->nmods > from_end && strcmp(in->mods[in->nmods - 1 - from_end], mod) == 0;
}
static bool has(const PtxInst *in, const char *mod) {
  for (uint32_t i = 0; i < in->nmods; i++)
    if (strcmp(in->mods[i], mod) == 0) return true;
  return false;
}

DecodeFn *dec_float_family(const PtxInst *in) {
  if (ends_with(in, 0, "f32x2")) return pairs;
  if (ends_with(in, 1, "f32") && (ends_with(in, 0, "f16") || ends_with(in, 0, "bf16")) &&
      strcmp(in->op, "cvt") != 0 && strcmp(in->op, "set") != 0)
    return halves;
  const bool least = strcmp(in->op, "min") == 0 || strcmp(in->op, "max") == 0;
  return least && ends_with(in, 0, "f32") && has(in, "abs") && !has(in, "xorsign") ? dec_three : NULL;
}
