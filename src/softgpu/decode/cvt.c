/* cvt: strung together from handlers that each do one thing. Integers are first brought to the width of their
 * type (a register may be wider), converted, saturated, and at last widened to the destination register. */
#include "decode/decode.h"

#include <string.h>

typedef struct Cvt {
  PtxType to, from;
  int rnd;      /* RND_*, or -1 */
  int integral; /* rounding to an integral value: RND_*, or -1 */
  bool ftz, sat, relu, finite;
} Cvt;

static bool is_float(PtxType t) { return t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64; }
static bool is_int(PtxType t) { return dec_is_signed(t) || (t >= PTX_U8 && t <= PTX_U64); }
static uint32_t size_of(PtxType t) { return (uint32_t)ptx_type_size(t); }

static Cvt parse(Decoder *d) {
  static const char *const rounds[] = {"rn", "rz", "rm", "rp"}, *const integrals[] = {"rni", "rzi", "rmi",
                                                                                      "rpi"};
  Cvt c = {.rnd = -1, .integral = -1};
  const uint32_t n = d->at->nmods;
  if (n < 2) dec_unsupported(d, NULL);
  c.from = dec_type(d, 0);
  c.to = dec_type(d, 1);
  for (uint32_t i = 0; i + 2 < n; i++) {
    const char *m = d->at->mods[i];
    bool known = false;
    for (int r = 0; r < 4; r++) {
      if (strcmp(m, rounds[r]) == 0) c.rnd = r, known = true;
      if (strcmp(m, integrals[r]) == 0) c.integral = r, known = true;
    }
    if (strcmp(m, "ftz") == 0) c.ftz = known = true;
    if (strcmp(m, "sat") == 0) c.sat = known = true;
    if (strcmp(m, "relu") == 0) c.relu = known = true;
    if (strcmp(m, "satfinite") == 0) c.finite = known = true;
    if (!known) dec_unsupported(d, NULL);
  }
  return c;
}

static uint32_t one(Decoder *d, enum Op op, uint32_t width, uint32_t a) {
  const uint32_t t = dec_temp(d, width);
  dec_calc(d, op, t, a, NO_ROW, NO_ROW)->sub = 0;
  return t;
}

/* --- integers --- */

static uint32_t widen(Decoder *d, uint32_t v, uint32_t want, bool sign) {
  static const enum Op ops[2][4][4] = {{{OP_mov_b, OP_ext_h_ub, OP_ext_w_ub, OP_ext_x_ub},
                                        {OP_cut_b_h, OP_mov_h, OP_ext_w_uh, OP_ext_x_uh},
                                        {OP_cut_b_w, OP_cut_h_w, OP_mov_w, OP_ext_x_uw},
                                        {OP_cut_b_x, OP_cut_h_x, OP_cut_w_x, OP_mov_x}},
                                       {{OP_mov_b, OP_ext_h_sb, OP_ext_w_sb, OP_ext_x_sb},
                                        {OP_cut_b_h, OP_mov_h, OP_ext_w_sh, OP_ext_x_sh},
                                        {OP_cut_b_w, OP_cut_h_w, OP_mov_w, OP_ext_x_sw},
                                        {OP_cut_b_x, OP_cut_h_x, OP_cut_w_x, OP_mov_x}}};
  const uint32_t have = d->width[v];
  if (have == want) return v;
  return one(d, ops[sign][__builtin_ctz(have)][__builtin_ctz(want)], want, v);
}

static int64_t least_of(PtxType t) { return dec_is_signed(t) ? INT64_MIN >> (64 - 8 * size_of(t)) : 0; }
static uint64_t most_of(PtxType t) {
  const uint32_t bits = 8 * size_of(t) - dec_is_signed(t);
  return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* Clamps v, of type `from`, to the values of `to`, as far as these are narrower. */
static uint32_t clamp(Decoder *d, uint32_t v, PtxType from, PtxType to) {
  static const enum Op mins[2][3] = {{OP_min_uh, OP_min_uw, OP_min_ux}, {OP_min_sh, OP_min_sw, OP_min_sx}};
  static const enum Op maxs[2][3] = {{OP_max_uh, OP_max_uw, OP_max_ux}, {OP_max_sh, OP_max_sw, OP_max_sx}};
  uint32_t w = d->width[v];
  const bool sign = dec_is_signed(from);
  if (w == 1) v = widen(d, v, w = 2, sign);
  const int i = __builtin_ctz(w) - 1;
  if (sign && least_of(from) < least_of(to)) {
    const uint32_t t = dec_temp(d, w);
    dec_calc(d, maxs[1][i], t, v, dec_const(d, w, (uint64_t)least_of(to)), NO_ROW);
    v = t;
  }
  if (most_of(from) > most_of(to)) {
    const uint32_t t = dec_temp(d, w);
    dec_calc(d, mins[sign][i], t, v, dec_const(d, w, most_of(to)), NO_ROW);
    v = t;
  }
  return v;
}

/* --- between floats and integers --- */

static uint32_t to_integral(Decoder *d, uint32_t v, PtxType t, int mode) {
  static const enum Op f[] = {OP_rint_f, OP_rintz_f, OP_rintm_f, OP_rintp_f};
  static const enum Op x[] = {OP_rint_d, OP_rintz_d, OP_rintm_d, OP_rintp_d};
  return one(d, t == PTX_F64 ? x[mode] : f[mode], size_of(t), v);
}

/* half and bfloat16 to float: exact. */
static uint32_t to_single(Decoder *d, uint32_t v, PtxType *t) {
  if (*t == PTX_F16)
    v = one(d, OP_cvt_f_H, 4, v);
  else if (*t == PTX_BF16)
    v = one(d, OP_cvt_f_B, 4, v);
  else
    return v;
  *t = PTX_F32;
  return v;
}

static uint32_t float_to_int(Decoder *d, const Cvt *c, uint32_t v) {
  PtxType from = c->from;
  v = to_single(d, v, &from);
  if (c->ftz && from == PTX_F32) v = one(d, OP_ftz_f, 4, v);
  if (c->integral >= 0 && c->integral != RND_Z) v = to_integral(d, v, from, c->integral);
  const uint32_t w = size_of(c->to);
  const bool sign = dec_is_signed(c->to), dbl = from == PTX_F64;
  if (w == 8)
    return one(d, sign ? (dbl ? OP_cvt_sx_d : OP_cvt_sx_f) : (dbl ? OP_cvt_ux_d : OP_cvt_ux_f), 8, v);
  if (w == 4)
    return one(d, sign ? (dbl ? OP_cvt_sw_d : OP_cvt_sw_f) : (dbl ? OP_cvt_uw_d : OP_cvt_uw_f), 4, v);
  uint32_t r = one(d, dbl ? OP_cvt_sw_d : OP_cvt_sw_f, 4, v);
  r = widen(d, clamp(d, r, PTX_S32, c->to), w, sign);
  if (!dbl) return r;
  /* NaN of a double gives the type's top bit. */
  const uint32_t nan = dec_temp(d, 1), wide = dec_temp(d, 2),
                 top = dec_const(d, 2, (uint64_t)1 << (8 * w - 1));
  dec_calc(d, OP_nan_d, nan, v, v, NO_ROW);
  dec_calc(d, OP_selp_h, wide, top, widen(d, r, 2, sign), nan);
  return widen(d, wide, w, sign);
}

static uint32_t int_to_float(Decoder *d, const Cvt *c, uint32_t v) {
  const bool sign = dec_is_signed(c->from);
  const bool narrow = size_of(c->from) <= 4;
  const int rnd = c->rnd < 0 ? RND_N : c->rnd;
  if (size_of(c->from) < 4) v = widen(d, v, 4, sign);
  if (c->to == PTX_F64 || c->to == PTX_F16 || c->to == PTX_BF16) {
    enum Op op = narrow ? (sign ? OP_cvt_d_sw : OP_cvt_d_uw) : (sign ? OP_cvt_d_sx : OP_cvt_d_ux);
    if (!narrow && c->to == PTX_F64 && rnd != RND_N) op = sign ? OP_rcvt_d_sx : OP_rcvt_d_ux;
    if (!narrow && c->to == PTX_BF16) {
      const uint32_t b = dec_temp(d, 2);
      dec_calc(d, sign ? OP_cvt_B_sx : OP_cvt_B_ux, b, v, NO_ROW, NO_ROW)->sub = (uint8_t)rnd;
      return b;
    }
    Ins *in;
    const uint32_t x = dec_temp(d, 8);
    in = dec_calc(d, op, x, v, NO_ROW, NO_ROW);
    in->sub = (uint8_t)rnd;
    if (c->to == PTX_F64) return x;
    const uint32_t h = dec_temp(d, 2);
    in = dec_calc(d,
                  rnd == RND_N ? (c->to == PTX_F16 ? OP_cvt_H_d : OP_cvt_B_d)
                               : (c->to == PTX_F16 ? OP_rcvt_H_d : OP_rcvt_B_d),
                  h, x, NO_ROW, NO_ROW);
    in->sub = (uint8_t)rnd;
    return h;
  }
  static const enum Op near[] = {OP_cvt_f_uw, OP_cvt_f_sw, OP_cvt_f_ux, OP_cvt_f_sx};
  static const enum Op directed[] = {OP_rcvt_f_uw, OP_rcvt_f_sw, OP_rcvt_f_ux, OP_rcvt_f_sx};
  const int i = (narrow ? 0 : 2) + sign;
  const uint32_t t = dec_temp(d, 4);
  dec_calc(d, rnd == RND_N ? near[i] : directed[i], t, v, NO_ROW, NO_ROW)->sub = (uint8_t)rnd;
  return t;
}

/* --- between floats --- */

/* .satfinite of a float: what would become an infinity of the target becomes its largest number. */
static uint32_t to_finite(Decoder *d, uint32_t v, PtxType to) {
  const uint32_t most = to == PTX_F16 ? 0x477fe000 : 0x7f7f0000, low = dec_temp(d, 4), both = dec_temp(d, 4);
  dec_calc(d, OP_minn_f, low, v, dec_const(d, 4, most), NO_ROW);
  dec_calc(d, OP_maxn_f, both, low, dec_const(d, 4, most | 0x80000000), NO_ROW);
  return both;
}

static uint32_t float_to_float(Decoder *d, const Cvt *c, uint32_t v) {
  PtxType from = c->from;
  const int rnd = c->rnd < 0 ? RND_N : c->rnd;
  if (c->finite) {
    if (from != PTX_F32 || (c->to != PTX_F16 && c->to != PTX_BF16)) dec_unsupported(d, NULL);
    v = to_finite(d, v, c->to);
  }
  if (c->ftz && from == PTX_F32) v = one(d, OP_ftz_f, 4, v);
  if (c->from == c->to) {
    if (c->integral >= 0) {
      if (from == PTX_F16 || from == PTX_BF16) {
        v = to_integral(d, to_single(d, v, &from), PTX_F32, c->integral);
        v = one(d, c->to == PTX_F16 ? OP_cvt_H_f : OP_cvt_B_f, 2, v);
      } else {
        v = to_integral(d, v, from, c->integral);
      }
    }
    return v;
  }
  if (c->integral >= 0) {
    v = to_single(d, v, &from);
    v = to_integral(d, v, from, c->integral);
  }
  if (c->from == PTX_F16 && c->to == PTX_F64) return one(d, OP_cvt_d_H, 8, v);
  v = to_single(d, v, &from);
  if (c->to == from) return c->ftz ? one(d, OP_flush_f, 4, v) : v; /* bfloat16 has subnormals of float */
  if (c->to == PTX_F64) return one(d, OP_cvt_d_f, 8, v);
  /* rounding, source, target */
  static const enum Op ops[2][2][3] = {
      {{OP_COUNT, OP_cvt_H_f, OP_cvt_B_f}, {OP_cvt_f_d, OP_cvt_H_d, OP_cvt_B_d}},
      {{OP_COUNT, OP_rcvt_H_f, OP_rcvt_B_f}, {OP_rcvt_f_d, OP_rcvt_H_d, OP_rcvt_B_d}}};
  const enum Op op = ops[rnd != RND_N][from == PTX_F64][c->to == PTX_F32 ? 0 : c->to == PTX_F16 ? 1 : 2];
  const uint32_t t = dec_temp(d, size_of(c->to));
  dec_calc(d, op, t, v, NO_ROW, NO_ROW)->sub = (uint8_t)rnd;
  return c->ftz && c->to == PTX_F32 ? one(d, OP_flush_f, 4, t) : t;
}

static uint32_t saturate(Decoder *d, uint32_t v, PtxType t) {
  if (t == PTX_F16) return one(d, OP_sat_H, 2, v);
  if (t == PTX_F32) return one(d, OP_sat_f, 4, v);
  if (t == PTX_F64) return one(d, OP_sat_d, 8, v);
  dec_unsupported(d, NULL);
}

/* Two floats to a pair of halves: the first operand is the upper one. */
static void to_pair(Decoder *d, const Cvt *c) {
  if (c->from != PTX_F32 || c->sat) dec_unsupported(d, NULL);
  dec_count(d, 3, 3);
  const bool half = c->to == PTX_F16X2;
  const uint32_t dst = dec_dst(d, dec_opnd(d, 0), 'w');
  uint32_t part[2];
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t v = dec_src(d, dec_opnd(d, i + 1), 'f');
    if (c->ftz) v = one(d, OP_ftz_f, 4, v);
    if (c->relu) {
      const uint32_t t = dec_temp(d, 4);
      dec_calc(d, OP_maxn_f, t, v, dec_const(d, 4, 0), NO_ROW);
      v = t;
    }
    const Cvt s = {
        .to = half ? PTX_F16 : PTX_BF16, .from = PTX_F32, .rnd = c->rnd, .integral = -1, .finite = c->finite};
    part[i] = float_to_float(d, &s, v);
  }
  dec_emit(d, OP_pack_w, dst, part[1], part[0], NO_ROW);
}

/* cvt.rn.satfinite{.relu}.fp8x2.f32 d, a, b   .fp8x2.f16x2 d, a   cvt.rn{.relu}.f16x2.fp8x2 d, a; where fp8
 * is e4m3 or e5m2. False: the form is none of these. */
static bool eight_bits(Decoder *d) {
  const uint32_t n = d->at->nmods;
  if (n < 3 || strcmp(d->at->mods[0], "rn") != 0) return false;
  const char *to = d->at->mods[n - 2], *from = d->at->mods[n - 1];
  const bool e4_to = strcmp(to, "e4m3x2") == 0, e4_from = strcmp(from, "e4m3x2") == 0;
  const bool narrows = e4_to || strcmp(to, "e5m2x2") == 0, widens = e4_from || strcmp(from, "e5m2x2") == 0;
  if (!narrows && !widens) return false;
  for (uint32_t i = 1; i + 2 < n; i++)
    if (strcmp(d->at->mods[i], "relu") != 0 && !(narrows && strcmp(d->at->mods[i], "satfinite") == 0))
      dec_unsupported(d, NULL);
  if (narrows && strcmp(from, "f32") == 0) {
    dec_count(d, 3, 3);
    const uint32_t a = dec_src(d, dec_opnd(d, 1), 'f'), b = dec_src(d, dec_opnd(d, 2), 'f');
    dec_emit(d, e4_to ? OP_cvt_e4m3_ff : OP_cvt_e5m2_ff, dec_dst(d, dec_opnd(d, 0), 'h'), a, b, NO_ROW);
  } else if (narrows && strcmp(from, "f16x2") == 0) {
    dec_count(d, 2, 2);
    const uint32_t a = dec_src(d, dec_opnd(d, 1), 'w');
    dec_emit(d, e4_to ? OP_cvt_e4m3_HH : OP_cvt_e5m2_HH, dec_dst(d, dec_opnd(d, 0), 'h'), a, NO_ROW, NO_ROW);
  } else if (widens && strcmp(to, "f16x2") == 0) {
    dec_count(d, 2, 2);
    const uint32_t a = dec_src(d, dec_opnd(d, 1), 'h');
    dec_emit(d, e4_from ? OP_cvt_HH_e4m3 : OP_cvt_HH_e5m2, dec_dst(d, dec_opnd(d, 0), 'w'), a, NO_ROW,
             NO_ROW);
  } else {
    dec_unsupported(d, NULL);
  }
  return true;
}

/* cvt.rn|rz|rna{.relu}{.satfinite}.tf32.f32: a float with 13 bits of its mantissa gone. */
static void to_tf32(Decoder *d) {
  const PtxInst *in = d->at;
  if (in->nmods < 3 || strcmp(in->mods[in->nmods - 2], "tf32") != 0 || dec_type(d, 0) != PTX_F32)
    dec_unsupported(d, NULL);
  dec_count(d, 2, 2);
  const uint32_t dst = dec_dst(d, dec_opnd(d, 0), 'w'), nan = dec_temp(d, 1);
  uint32_t v = dec_src(d, dec_opnd(d, 1), 'f'), r = v;
  dec_calc(d, OP_nan_f, nan, v, v, NO_ROW);
  if (dec_mod(d, "relu")) {
    r = dec_temp(d, 4);
    dec_calc(d, OP_maxn_f, r, v, dec_const(d, 4, 0), NO_ROW);
  }
  if (!dec_mod(d, "rz")) { /* half of the last bit that stays, to even: a little less where that bit is 0 */
    uint32_t more = dec_const(d, 4, 0x1000);
    const uint32_t sum = dec_temp(d, 4);
    if (dec_mod(d, "rn")) {
      const uint32_t bit = dec_temp(d, 4), odd = dec_temp(d, 4);
      dec_calc(d, OP_shri_uw, bit, r, NO_ROW, NO_ROW)->imm = 13;
      dec_calc(d, OP_and_w, odd, bit, dec_const(d, 4, 1), NO_ROW)->sub = 0;
      more = dec_temp(d, 4);
      dec_calc(d, OP_add_w, more, odd, dec_const(d, 4, 0xfff), NO_ROW)->sub = 0;
    }
    dec_calc(d, OP_add_w, sum, r, more, NO_ROW)->sub = 0;
    r = sum;
  }
  const uint32_t cut = dec_temp(d, 4);
  dec_calc(d, OP_and_w, cut, r, dec_const(d, 4, 0xffffe000), NO_ROW)->sub = 0;
  r = cut;
  if (dec_mod(d, "satfinite")) { /* compared as integers, without the sign */
    const uint32_t sign = dec_temp(d, 4), size = dec_temp(d, 4), small = dec_temp(d, 4);
    dec_calc(d, OP_and_w, sign, r, dec_const(d, 4, 0x80000000), NO_ROW)->sub = 0;
    dec_calc(d, OP_and_w, size, r, dec_const(d, 4, 0x7fffffff), NO_ROW)->sub = 0;
    dec_calc(d, OP_min_uw, small, size, dec_const(d, 4, 0x7f7fe000), NO_ROW)->sub = 0;
    r = dec_temp(d, 4);
    dec_calc(d, OP_or_w, r, sign, small, NO_ROW)->sub = 0;
  }
  uint32_t none = dec_const(d, 4, 0x7fffe000); /* of an H200; .rna passes NaN on */
  if (dec_mod(d, "rna")) {
    none = dec_temp(d, 4);
    dec_calc(d, OP_and_w, none, v, dec_const(d, 4, 0xffffe000), NO_ROW)->sub = 0;
  }
  dec_emit(d, OP_selp_w, dst, none, r, nan)->sub = 0;
}

/* cvt.pack.sat.type.s32{.b32} d, a, b{, c}: a and b, cut to the values of the type, side by side below c. */
static void side_by_side(Decoder *d) {
  static const struct {
    const char *name;
    uint32_t bits;
  } types[] = {{"u16", 16}, {"s16", 16}, {"u8", 8}, {"s8", 8}, {"u4", 4}, {"s4", 4}, {"u2", 2}, {"s2", 2}};
  const PtxInst *in = d->at;
  uint32_t bits = 0;
  for (size_t i = 0; in->nmods > 3 && i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, in->mods[2]) == 0) bits = types[i].bits;
  const bool upper = in->nmods == 5, sign = bits && in->mods[2][0] == 's';
  if (!bits || upper != (bits < 16) || strcmp(in->mods[3], "s32") != 0) dec_unsupported(d, NULL);
  dec_count(d, 3 + upper, 3 + upper);
  const uint32_t mask = (1u << bits) - 1, most = sign ? mask >> 1 : mask, least = sign ? ~most : 0;
  uint32_t out = upper ? dec_src(d, dec_opnd(d, 3), 'w') : dec_const(d, 4, 0);
  for (uint32_t i = 1; i <= 2; i++) {
    const uint32_t over = dec_temp(d, 4), value = dec_temp(d, 4), part = dec_temp(d, 4),
                   shifted = dec_temp(d, 4);
    dec_calc(d, OP_max_sw, over, dec_src(d, dec_opnd(d, i), 'w'), dec_const(d, 4, least), NO_ROW)->sub = 0;
    dec_calc(d, OP_min_sw, value, over, dec_const(d, 4, most), NO_ROW)->sub = 0;
    dec_calc(d, OP_and_w, part, value, dec_const(d, 4, mask), NO_ROW)->sub = 0;
    dec_calc(d, OP_shli_w, shifted, out, NO_ROW, NO_ROW)->imm = bits;
    out = i == 2 ? dec_dst(d, dec_opnd(d, 0), 'w') : dec_temp(d, 4);
    if (i == 2)
      dec_emit(d, OP_or_w, out, shifted, part, NO_ROW);
    else
      dec_calc(d, OP_or_w, out, shifted, part, NO_ROW);
  }
}

void dec_cvt(Decoder *d) {
  if (eight_bits(d) || dec_narrow(d)) return;
  if (dec_mod(d, "pack")) {
    side_by_side(d);
    return;
  }
  if (dec_mod(d, "tf32")) {
    to_tf32(d);
    return;
  }
  const Cvt c = parse(d);
  if (c.to == PTX_F16X2 || c.to == PTX_BF16X2) {
    to_pair(d, &c);
    return;
  }
  if (!(is_int(c.to) || is_float(c.to)) || !(is_int(c.from) || is_float(c.from))) dec_unsupported(d, NULL);
  dec_count(d, 2, 2);
  const PtxOpnd *to = dec_opnd(d, 0), *from = dec_opnd(d, 1);
  const uint32_t from_size = size_of(c.from), to_size = size_of(c.to);
  const bool is_reg = from->kind == PTX_O_SYM && from->sym && from->sym->kind == PTX_SYM_REG;
  uint32_t v = is_reg ? dec_reg(d, from) : dec_src(d, from, dec_letter(c.from));
  /* Between bytes and bfloat16 only registers of a byte will do. */
  const bool narrow = is_float(c.from) || (c.to == PTX_BF16 && from_size == 1);
  if (d->width[v] < from_size || (d->width[v] > from_size && narrow))
    dec_fail(d, "the source does not fit `%s`", d->at->form);
  v = widen(d, v, from_size, false);

  if (is_float(c.from))
    v = is_float(c.to) ? float_to_float(d, &c, v) : float_to_int(d, &c, v);
  else if (is_float(c.to))
    v = int_to_float(d, &c, v);
  else if (c.sat)
    v = clamp(d, v, c.from, c.to);
  if (is_float(c.to) && c.relu) {
    if (c.to != PTX_F16 && c.to != PTX_BF16) dec_unsupported(d, NULL);
    const uint32_t t = dec_temp(d, 2);
    dec_calc(d, c.to == PTX_F16 ? OP_max_H : OP_max_B, t, v, dec_const(d, 2, 0), NO_ROW)->sub = SUB_NAN;
    v = t;
  }
  if (is_float(c.to) && c.sat) v = saturate(d, v, c.to);
  /* From one integer type to another: the source's sign widens, then the target's fills the register. */
  if (is_int(c.to)) v = widen(d, v, to_size, dec_is_signed(c.from));
  if (to->kind == PTX_O_SINK) return;
  const uint32_t dst = dec_reg(d, to);
  const bool exact = is_float(c.to) || (c.from == PTX_BF16 && to_size == 1);
  if (d->width[dst] < to_size || (exact && d->width[dst] != to_size))
    dec_fail(d, "%s does not fit `%s`", to->sym->name, d->at->form);
  v = widen(d, v, d->width[dst], dec_is_signed(c.to));
  /* The last step writes to the register itself, where it made a fresh row. */
  Ins *last = d->n ? &d->ins[d->n - 1] : NULL;
  if (last && last->d == v && v >= d->nv - 1 && last->kind == K_ALU && last->pred == NO_ROW) {
    last->d = dst;
    last->pred = d->guard;
    if (d->guard != NO_ROW && d->guard_neg) last->flags |= INS_NEG;
  } else {
    dec_move(d, dst, v, true);
  }
}
