/* Comparisons (setp, set), slct, and the instructions of the carry chain. */
#include "decode/decode.h"

#include <string.h>

/* The ten float comparisons in the order of ops.def; gt and ge are lt and le with operands swapped. */
static const struct {
  const char *name;
  uint8_t row;
  bool swap;
} floats[] = {{"eq", 0, false}, {"ne", 1, false},  {"lt", 2, false},  {"le", 3, false},  {"gt", 2, true},
              {"ge", 3, true},  {"equ", 4, false}, {"neu", 5, false}, {"ltu", 6, false}, {"leu", 7, false},
              {"gtu", 6, true}, {"geu", 7, true},  {"num", 8, false}, {"nan", 9, false}};

static bool integer_row(const char *cmp, PtxType t, enum Op *op, bool *swap) {
  const uint32_t i = (uint32_t)__builtin_ctz((unsigned)ptx_type_size(t)) - 1;
  const bool sign = t == PTX_S16 || t == PTX_S32 || t == PTX_S64;
  const bool bits = t == PTX_B16 || t == PTX_B32 || t == PTX_B64;
  *swap = false;
  if (strcmp(cmp, "eq") == 0) {
    *op = OP_eq_h + i;
    return true;
  }
  if (strcmp(cmp, "ne") == 0) {
    *op = OP_ne_h + i;
    return true;
  }
  if (bits) return false;
  const bool unsigned_name =
      strcmp(cmp, "lo") == 0 || strcmp(cmp, "ls") == 0 || strcmp(cmp, "hi") == 0 || strcmp(cmp, "hs") == 0;
  if (unsigned_name && sign) return false;
  const bool lt = strcmp(cmp, "lt") == 0 || strcmp(cmp, "lo") == 0,
             le = strcmp(cmp, "le") == 0 || strcmp(cmp, "ls") == 0;
  const bool gt = strcmp(cmp, "gt") == 0 || strcmp(cmp, "hi") == 0,
             ge = strcmp(cmp, "ge") == 0 || strcmp(cmp, "hs") == 0;
  if (!lt && !le && !gt && !ge) return false;
  *swap = gt || ge;
  *op = (enum Op)((lt || gt ? OP_lt_uh : OP_le_uh) + (sign ? 3u : 0u) + i);
  return true;
}

static uint32_t half_to_single(Decoder *d, uint32_t v, PtxType t, bool flush) {
  if (flush) {
    const uint32_t h = dec_temp(d, 2);
    dec_calc(d, OP_ftz_H, h, v, NO_ROW, NO_ROW);
    v = h;
  }
  const uint32_t x = dec_temp(d, 4);
  dec_calc(d, t == PTX_F16 ? OP_cvt_f_H : OP_cvt_f_B, x, v, NO_ROW, NO_ROW);
  return x;
}

static bool is_pair(PtxType t) { return t == PTX_F16X2 || t == PTX_BF16X2; }

/* The predicate of a comparison of a and b. */
static uint32_t compare_values(Decoder *d, const char *cmp, PtxType t, bool flush, uint32_t a, uint32_t b) {
  enum Op op = OP_COUNT;
  bool swap = false;
  const uint32_t out = dec_temp(d, 1);
  const bool is_half = t == PTX_F16 || t == PTX_BF16;
  if (t == PTX_F32 || t == PTX_F64 || is_half) {
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++) {
      if (strcmp(floats[k].name, cmp) != 0) continue;
      op = (t == PTX_F64 ? OP_eq_d : flush && !is_half ? OP_eq_ff : OP_eq_f) + floats[k].row;
      swap = floats[k].swap;
    }
  } else {
    integer_row(cmp, t, &op, &swap);
  }
  if (op == OP_COUNT || (flush && t != PTX_F32 && t != PTX_F16)) dec_unsupported(d, NULL);
  if (is_half) {
    a = half_to_single(d, a, t, flush);
    b = half_to_single(d, b, t, flush);
  }
  dec_calc(d, op, out, swap ? b : a, swap ? a : b, NO_ROW);
  return out;
}

/* The predicate of a comparison of operands i and i + 1; of pairs, those of the lower and the upper parts. */
static uint32_t compare(Decoder *d, const char *cmp, PtxType t, bool flush, uint32_t i, uint32_t *upper) {
  const char letter = dec_letter(t);
  if (!letter || letter == 'b' || letter == 'p') dec_unsupported(d, NULL);
  const uint32_t a = dec_src(d, dec_opnd(d, i), letter), b = dec_src(d, dec_opnd(d, i + 1), letter);
  if (!is_pair(t)) return compare_values(d, cmp, t, flush, a, b);
  uint32_t part[4];
  for (uint32_t k = 0; k < 4; k++) {
    part[k] = dec_temp(d, 2);
    dec_calc(d, k & 1 ? OP_high_h_w : OP_cut_h_w, part[k], k < 2 ? a : b, NO_ROW, NO_ROW);
  }
  const PtxType half = t == PTX_F16X2 ? PTX_F16 : PTX_BF16;
  const uint32_t low = compare_values(d, cmp, half, flush, part[0], part[2]);
  *upper = compare_values(d, cmp, half, flush, part[1], part[3]);
  return low;
}

static enum Op bool_op(const char *m) {
  return strcmp(m, "and") == 0   ? OP_and_p
         : strcmp(m, "or") == 0  ? OP_or_p
         : strcmp(m, "xor") == 0 ? OP_xor_p
                                 : OP_COUNT;
}

/* Modifiers after the comparison: a boolean operator and .ftz. */
static enum Op between(Decoder *d, uint32_t types, bool *flush) {
  enum Op op = OP_COUNT;
  *flush = false;
  if (d->at->nmods < types + 1) dec_unsupported(d, NULL);
  for (uint32_t i = 1; i + types < d->at->nmods; i++) {
    const char *m = d->at->mods[i];
    if (strcmp(m, "ftz") == 0 && !*flush)
      *flush = true;
    else if (op == OP_COUNT && bool_op(m) != OP_COUNT)
      op = bool_op(m);
    else
      dec_unsupported(d, NULL);
  }
  return op;
}

/* setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, {!}c} */
void dec_setp(Decoder *d) {
  bool flush;
  const enum Op op = between(d, 1, &flush);
  dec_count(d, op == OP_COUNT ? 3 : 4, op == OP_COUNT ? 3 : 4);
  const PtxOpnd *to = dec_opnd(d, 0);
  const PtxOpnd *second = to->kind == PTX_O_PAIR ? &to->sub[1] : NULL;
  const PtxOpnd *first = second ? &to->sub[0] : to;
  uint32_t upper = NO_ROW;
  if (second && (dec_type(d, 0) == PTX_F16 || dec_type(d, 0) == PTX_BF16))
    dec_fail(d, "`%s` gives one predicate", d->at->form);
  const uint32_t r = compare(d, d->at->mods[0], dec_type(d, 0), flush, 1, &upper);
  if (op == OP_COUNT && !second && upper == NO_ROW) {
    /* The common case: the comparison writes the predicate itself. */
    Ins *in = &d->ins[d->n - 1];
    in->d = dec_dst(d, first, 'p');
    in->pred = d->guard;
    if (d->guard != NO_ROW && d->guard_neg) in->flags |= INS_NEG;
    return;
  }
  uint32_t other = r, c = NO_ROW;
  if (upper != NO_ROW) {
    other = upper;
  } else if (second) {
    other = dec_temp(d, 1);
    dec_calc(d, OP_not_p, other, r, NO_ROW, NO_ROW);
  }
  if (op != OP_COUNT) c = dec_src(d, dec_opnd(d, 3), 'p');
  /* Both results are computed before either is written: c may be one of the destinations. */
  uint32_t p = r, q = other;
  if (op != OP_COUNT) {
    p = dec_temp(d, 1);
    dec_calc(d, op, p, r, c, NO_ROW);
    if (second) {
      q = dec_temp(d, 1);
      dec_calc(d, op, q, other, c, NO_ROW);
    }
  }
  if (first->kind != PTX_O_SINK) dec_move(d, dec_dst(d, first, 'p'), p, true);
  if (second && second->kind != PTX_O_SINK) dec_move(d, dec_dst(d, second, 'p'), q, true);
}

/* set.cmp{.bool}{.ftz}.dtype.stype d, a, b{, {!}c} */
void dec_set(Decoder *d) {
  bool flush;
  const enum Op op = between(d, 2, &flush);
  dec_count(d, op == OP_COUNT ? 3 : 4, op == OP_COUNT ? 3 : 4);
  const PtxType to = dec_type(d, 1), from = dec_type(d, 0);
  const bool pair = is_pair(from);
  uint64_t yes; /* of pairs: one part of it */
  if (is_pair(to) && to != from) dec_unsupported(d, NULL);
  switch (to) {
  case PTX_U32:
  case PTX_S32: yes = pair ? 0xffff : UINT32_MAX; break;
  case PTX_F32: yes = 0x3f800000u; break;
  case PTX_U16:
  case PTX_S16: yes = 0xffff; break;
  case PTX_F16:
  case PTX_F16X2: yes = 0x3c00; break;
  case PTX_BF16:
  case PTX_BF16X2: yes = 0x3f80; break;
  default: dec_unsupported(d, NULL);
  }
  uint32_t r[2];
  r[0] = compare(d, d->at->mods[0], from, flush, 1, &r[1]);
  const uint32_t w = pair ? 2 : (uint32_t)ptx_type_size(to);
  const uint32_t dst = dec_dst(d, dec_opnd(d, 0), dec_letter(to)), one = dec_const(d, w, yes),
                 zero = dec_const(d, w, 0);
  const uint32_t c = op == OP_COUNT ? NO_ROW : dec_src(d, dec_opnd(d, 3), 'p');
  uint32_t part[2];
  for (uint32_t i = 0; i < 1u + pair; i++) {
    if (op != OP_COUNT) {
      const uint32_t t = dec_temp(d, 1);
      dec_calc(d, op, t, r[i], c, NO_ROW);
      r[i] = t;
    }
    if (!pair) break;
    part[i] = dec_temp(d, 2);
    dec_calc(d, OP_selp_h, part[i], one, zero, r[i]);
  }
  if (pair && d->width[dst] == 4)
    dec_emit(d, OP_pack_w, dst, part[0], part[1], NO_ROW);
  else if (!pair)
    dec_emit(d, w == 4 ? OP_selp_w : OP_selp_h, dst, one, zero, r[0]);
  else
    dec_unsupported(d, NULL);
}

/* slct{.ftz}.dtype.ctype d, a, b, c: a where c >= 0, else b, also where c is NaN. */
void dec_slct(Decoder *d) {
  dec_count(d, 4, 4);
  const bool flush = d->at->nmods == 3 && strcmp(d->at->mods[0], "ftz") == 0;
  const char letter = dec_letter(dec_type(d, 1));
  const PtxType t = dec_type(d, 0);
  if (d->at->nmods != 2u + flush || !letter || letter == 'b' || letter == 'p' ||
      (t != PTX_S32 && t != PTX_F32) || (flush && t != PTX_F32))
    dec_unsupported(d, NULL);
  const uint32_t c = dec_src(d, dec_opnd(d, 3), t == PTX_F32 ? 'f' : 'w'), r = dec_temp(d, 1);
  const uint32_t zero = dec_const(d, 4, 0);
  dec_calc(d, t == PTX_S32 ? OP_le_sw : flush ? OP_le_ff : OP_le_f, r, zero, c, NO_ROW);
  const uint32_t a = dec_src(d, dec_opnd(d, 1), letter), b = dec_src(d, dec_opnd(d, 2), letter);
  const uint32_t w = dec_letter_width(letter), dst = dec_dst(d, dec_opnd(d, 0), letter);
  dec_emit(d, w == 2 ? OP_selp_h : w == 4 ? OP_selp_w : OP_selp_x, dst, a, b, r);
}

/* lop3.and|or.b32 d|p, a, b, c, table, q: p tells whether the result is not zero, and|or q. */
void dec_lop3(Decoder *d) {
  dec_count(d, 6, 6);
  const enum Op op = bool_op(d->at->mods[0]);
  const PtxOpnd *to = dec_opnd(d, 0), *table = dec_opnd(d, 4);
  if (d->at->nmods != 2 || (op != OP_and_p && op != OP_or_p) || dec_type(d, 0) != PTX_B32)
    dec_unsupported(d, NULL);
  if (to->kind != PTX_O_PAIR || table->kind != PTX_O_INT || table->imm > 255)
    dec_fail(d, "`%s` gives two results, by a table of 8 bits", d->at->form);
  const uint32_t a = dec_src(d, dec_opnd(d, 1), 'w'), b = dec_src(d, dec_opnd(d, 2), 'w');
  const uint32_t c = dec_src(d, dec_opnd(d, 3), 'w'), q = dec_src(d, dec_opnd(d, 5), 'p');
  const uint32_t result = dec_temp(d, 4), some = dec_temp(d, 1);
  dec_calc(d, OP_lop3, result, a, b, c)->imm = (int64_t)table->imm;
  dec_calc(d, OP_ne_w, some, result, dec_const(d, 4, 0), NO_ROW);
  if (to->sub[1].kind != PTX_O_SINK) dec_emit(d, op, dec_dst(d, &to->sub[1], 'p'), some, q, NO_ROW);
  if (to->sub[0].kind != PTX_O_SINK) dec_move(d, dec_dst(d, &to->sub[0], 'w'), result, true);
}

/* add.cc addc sub.cc subc mad.cc madc: the carry flag is a row like any other. */
void dec_carry_op(Decoder *d) {
  const char *op = d->at->op;
  const bool sub = strncmp(op, "sub", 3) == 0, mad = strncmp(op, "mad", 3) == 0;
  const bool takes = op[3] == 'c', gives = dec_mod(d, "cc"), high = dec_mod(d, "hi");
  const PtxType t = dec_type(d, 0);
  const bool wide = t == PTX_U64 || t == PTX_S64;
  const uint32_t parts = 1u + gives + mad;
  if (strncmp(op, "add", 3) != 0 && !sub && !mad) dec_unsupported(d, NULL);
  if (!wide && t != PTX_U32 && t != PTX_S32) dec_unsupported(d, NULL);
  if (d->at->nmods != parts || (mad && strcmp(d->at->mods[0], high ? "hi" : "lo") != 0))
    dec_unsupported(d, NULL);
  dec_count(d, mad ? 4 : 3, mad ? 4 : 3);
  const char letter = wide ? 'x' : 'w';
  uint32_t a = dec_src(d, dec_opnd(d, 1), letter), b = dec_src(d, dec_opnd(d, 2), letter);
  if (mad) {
    const bool sign = t == PTX_S32 || t == PTX_S64;
    const enum Op mul = high
                            ? (wide ? (sign ? OP_mulhi_sx : OP_mulhi_ux) : (sign ? OP_mulhi_sw : OP_mulhi_uw))
                            : (wide ? OP_mul_x : OP_mul_w);
    const uint32_t product = dec_temp(d, wide ? 8 : 4);
    dec_calc(d, mul, product, a, b, NO_ROW);
    a = product;
    b = dec_src(d, dec_opnd(d, 3), letter);
  }
  static const enum Op rows[2][2][2][2] = {/* sub, takes, gives, wide */
                                           {{{OP_add_w, OP_add_x}, {OP_addcc_w, OP_addcc_x}},
                                            {{OP_addc_w, OP_addc_x}, {OP_addccc_w, OP_addccc_x}}},
                                           {{{OP_sub_w, OP_sub_x}, {OP_subcc_w, OP_subcc_x}},
                                            {{OP_subc_w, OP_subc_x}, {OP_subccc_w, OP_subccc_x}}}};
  const uint32_t dst = dec_dst(d, dec_opnd(d, 0), letter);
  Ins *in = dec_emit(d, rows[sub][takes][gives][wide], dst, a, b, NO_ROW);
  if (takes) in->s[2] = dec_carry(d);
  if (gives) in->e = dec_carry(d);
}
