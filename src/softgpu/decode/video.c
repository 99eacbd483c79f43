/* Video instructions: operations on the bytes or the 16-bit halves of a word (vadd2, vabsdiff4, vset4 and
 * their kin), and those on one number, which may be a part of a word (vadd, vshl ...). */
#include "decode/decode.h"

#include <string.h>

static const struct {
  const char *name;
  int op;
} ops[] = {{"vadd", VIDEO_ADD},         {"vsub", VIDEO_SUB}, {"vavrg", VIDEO_AVRG},
           {"vabsdiff", VIDEO_ABSDIFF}, {"vmin", VIDEO_MIN}, {"vmax", VIDEO_MAX}};

/* Comparisons; gt and ge are lt and le with the operands exchanged. */
static const struct {
  const char *name;
  int op;
  bool swap;
} comparisons[] = {{"eq", VIDEO_EQ, false}, {"ne", VIDEO_NE, false}, {"lt", VIDEO_LT, false},
                   {"le", VIDEO_LE, false}, {"gt", VIDEO_LT, true},  {"ge", VIDEO_LE, true}};

/* .u32 and .s32, the next modifier. */
static int64_t sign(Decoder *d, uint32_t *at, int64_t flag) {
  if (*at >= d->at->nmods) dec_unsupported(d, NULL);
  const char *m = d->at->mods[(*at)++];
  if (strcmp(m, "u32") != 0 && strcmp(m, "s32") != 0) dec_unsupported(d, NULL);
  return *m == 's' ? flag : 0;
}

static bool next_is(const Decoder *d, uint32_t *at, const char *mod) {
  if (*at >= d->at->nmods || strcmp(d->at->mods[*at], mod) != 0) return false;
  (*at)++;
  return true;
}

static bool sign_of(Decoder *d, uint32_t *at) { return sign(d, at, 1) != 0; }

/* A source register without regard to what is taken of it. */
static uint32_t whole(Decoder *d, const PtxOpnd *o) {
  PtxOpnd all = *o;
  all.part = NULL;
  return dec_src(d, &all, 'w');
}

static uint32_t result(Decoder *d) {
  PtxOpnd all = *dec_opnd(d, 0);
  all.part = NULL;
  return dec_dst(d, &all, 'w');
}

/* ".h30", ".b7654": halves or bytes of the first two operands one behind the other. */
static uint32_t select(Decoder *d, const PtxOpnd *o, bool bytes, uint32_t first, uint32_t second,
                       uint32_t plain) {
  const char *p = o->kind == PTX_O_SYM ? o->part : NULL;
  uint64_t order = 0;
  if (!p) return plain;
  if (*p != (bytes ? 'b' : 'h') || strlen(p) != (bytes ? 5 : 3))
    dec_fail(d, "`%s` has no parts .%s", d->at->form, p);
  for (const char *digit = p + 1; *digit; digit++) {
    const uint64_t n = (uint64_t)(*digit - '0');
    if (!bytes && n > 3) dec_fail(d, "`%s` has no parts .%s", d->at->form, p);
    order = bytes ? order << 4 | n : order << 8 | (2 * n + 1) << 4 | 2 * n;
  }
  const uint32_t t = dec_temp(d, 4);
  dec_calc(d, OP_prmt, t, first, second, dec_const(d, 4, order))->sub = 0;
  return t;
}

/* Bits of the result that come from the last operand: those of parts that ".h0", ".b31" does not name. */
static uint32_t masked(Decoder *d, const PtxOpnd *o, bool bytes) {
  const char *p = o->kind == PTX_O_SYM ? o->part : NULL;
  const uint32_t bits = bytes ? 8 : 16;
  uint32_t written = 0;
  if (!p) return 0;
  for (const char *digit = p + 1; *digit; digit++) {
    const uint32_t at = (uint32_t)(*digit - '0') * bits;
    if (at >= 32 || (digit > p + 1 && digit[-1] <= *digit))
      dec_fail(d, "`%s` has no parts .%s", d->at->form, p);
    written |= ((1u << bits) - 1) << at;
  }
  if (*p != (bytes ? 'b' : 'h')) dec_fail(d, "`%s` has no parts .%s", d->at->form, p);
  return ~written;
}

/* dst = v, but for the bits of `kept`, which are c's. */
static void merge(Decoder *d, uint32_t dst, uint32_t v, uint32_t c, uint32_t kept) {
  const uint32_t mine = dec_temp(d, 4), theirs = dec_temp(d, 4);
  dec_calc(d, OP_and_w, mine, v, dec_const(d, 4, ~kept), NO_ROW)->sub = 0;
  dec_calc(d, OP_and_w, theirs, c, dec_const(d, 4, kept), NO_ROW)->sub = 0;
  dec_emit(d, OP_or_w, dst, mine, theirs, NO_ROW)->sub = 0;
}

/* vop2|4.dtype.atype.btype{.sat}{.add} d, a, b, c   vset2|4.atype.btype.cmp{.add} d, a, b, c */
void dec_video(Decoder *d) {
  const char *op = d->at->op;
  const size_t len = strlen(op) - 1;
  const bool compares = strncmp(op, "vset", 4) == 0;
  int64_t shape = op[len] == '4' ? VIDEO_BYTES : 0;
  uint32_t at = 0;
  bool swap = false, known = false;
  if (!compares) shape |= sign(d, &at, VIDEO_SIGNED_D);
  shape |= sign(d, &at, VIDEO_SIGNED_A);
  shape |= sign(d, &at, VIDEO_SIGNED_B);
  for (size_t i = 0; compares && i < sizeof comparisons / sizeof *comparisons && !known; i++) {
    if (!next_is(d, &at, comparisons[i].name)) continue;
    known = true;
    shape |= comparisons[i].op;
    swap = comparisons[i].swap;
  }
  for (size_t i = 0; !compares && i < sizeof ops / sizeof *ops; i++) {
    if (strlen(ops[i].name) != len || strncmp(ops[i].name, op, len) != 0) continue;
    known = true;
    shape |= ops[i].op;
  }
  if (!compares && next_is(d, &at, "sat"))
    shape |= VIDEO_SAT;
  else if (next_is(d, &at, "add"))
    shape |= VIDEO_SUM;
  if (!known || at != d->at->nmods) dec_unsupported(d, NULL);
  dec_count(d, 4, 4);
  if (swap) {
    const int64_t signs = shape & (VIDEO_SIGNED_A | VIDEO_SIGNED_B);
    shape &= ~signs;
    if (signs & VIDEO_SIGNED_A) shape |= VIDEO_SIGNED_B;
    if (signs & VIDEO_SIGNED_B) shape |= VIDEO_SIGNED_A;
  }
  const bool bytes = (shape & VIDEO_BYTES) != 0;
  const uint32_t first = whole(d, dec_opnd(d, 1)), second = whole(d, dec_opnd(d, 2));
  const uint32_t a = select(d, dec_opnd(d, 1), bytes, first, second, first);
  const uint32_t b = select(d, dec_opnd(d, 2), bytes, first, second, second);
  const uint32_t c = dec_src(d, dec_opnd(d, 3), 'w'), dst = result(d);
  const uint32_t kept = masked(d, dec_opnd(d, 0), bytes);
  if (!kept) {
    dec_emit(d, OP_video, dst, swap ? b : a, swap ? a : b, c)->imm = shape;
    return;
  }
  if (shape & VIDEO_SUM) dec_unsupported(d, "a sum of some parts");
  const uint32_t all = dec_temp(d, 4);
  dec_calc(d, OP_video, all, swap ? b : a, swap ? a : b, c)->imm = shape;
  merge(d, dst, all, c, kept);
}

/* --- on one number: vop.dtype.atype.btype{.sat}{.op2} d, a, b{, c}, where a byte or a half may be taken of a
 * and b, and put into c. Computed in 64 bits, which none of these leaves. */

static uint32_t calc(Decoder *d, enum Op op, uint32_t width, uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t t = dec_temp(d, width);
  dec_calc(d, op, t, a, b, c)->sub = 0;
  return t;
}

static uint32_t shift(Decoder *d, enum Op op, uint32_t v, uint32_t by) {
  if (!by) return v;
  const uint32_t t = dec_temp(d, 4);
  dec_calc(d, op, t, v, NO_ROW, NO_ROW)->imm = by;
  return t;
}

/* "b2": 8 bits from 16 on. */
static void part_of(Decoder *d, const PtxOpnd *o, uint32_t *at, uint32_t *bits) {
  const char *p = o->kind == PTX_O_SYM ? o->part : NULL;
  *at = 0;
  *bits = 32;
  if (!p) return;
  *bits = *p == 'b' ? 8 : 16;
  *at = (uint32_t)(p[1] - '0') * *bits;
  if (p[2] || *at >= 32) dec_fail(d, "`%s` has no part .%s", d->at->form, p);
}

static uint32_t part(Decoder *d, const PtxOpnd *o, bool sign) {
  uint32_t at, bits, v = whole(d, o);
  part_of(d, o, &at, &bits);
  v = shift(d, OP_shli_w, v, 32 - at - bits);
  return shift(d, sign ? OP_shri_sw : OP_shri_uw, v, 32 - bits);
}

static uint32_t number(Decoder *d, const PtxOpnd *o, bool sign) {
  return calc(d, sign ? OP_ext_x_sw : OP_ext_x_uw, 8, part(d, o, sign), NO_ROW, NO_ROW);
}

/* To the values that `bits` bits have; a number without sign may be as large as 64 bits are. A GPU lets what
 * is too large for 32 bits without sign wrap (measured on an H200; shifts were not). */
static uint32_t saturate(Decoder *d, uint32_t v, bool sign, bool has_sign, uint32_t bits, bool shifts) {
  const uint64_t most = ((uint64_t)1 << (bits - sign)) - 1, least = sign ? ~most : 0;
  if (!has_sign) return calc(d, OP_min_ux, 8, v, dec_const(d, 8, most), NO_ROW);
  v = calc(d, OP_max_sx, 8, v, dec_const(d, 8, least), NO_ROW);
  if (bits == 32 && !sign && !shifts) return v;
  return calc(d, OP_min_sx, 8, v, dec_const(d, 8, most), NO_ROW);
}

static uint32_t compared(Decoder *d, const char *name, uint32_t a, uint32_t b) {
  static const enum Op rows[] = {OP_eq_x, OP_ne_x, OP_lt_sx, OP_le_sx};
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
    if (strcmp(comparisons[i].name, name) != 0) continue;
    const bool swap = comparisons[i].swap;
    const uint32_t p = calc(d, rows[comparisons[i].op - VIDEO_EQ], 1, swap ? b : a, swap ? a : b, NO_ROW);
    return calc(d, OP_selp_x, 8, dec_const(d, 8, 1), dec_const(d, 8, 0), p);
  }
  dec_unsupported(d, NULL);
}

/* The result, and whether it has a sign. */
static uint32_t computed(Decoder *d, const char *op, uint32_t a, uint32_t b, bool sign_a, bool wraps,
                         bool *has_sign) {
  *has_sign = true;
  if (strcmp(op, "vadd") == 0) return calc(d, OP_add_x, 8, a, b, NO_ROW);
  if (strcmp(op, "vsub") == 0) return calc(d, OP_sub_x, 8, a, b, NO_ROW);
  if (strcmp(op, "vmin") == 0) return calc(d, OP_min_sx, 8, a, b, NO_ROW);
  if (strcmp(op, "vmax") == 0) return calc(d, OP_max_sx, 8, a, b, NO_ROW);
  if (strcmp(op, "vabsdiff") == 0)
    return calc(d, OP_abs_x, 8, calc(d, OP_sub_x, 8, a, b, NO_ROW), NO_ROW, NO_ROW);
  /* vshl, vshr */
  uint32_t by = calc(d, OP_cut_w_x, 4, b, NO_ROW, NO_ROW);
  by = calc(d, wraps ? OP_and_w : OP_min_uw, 4, by, dec_const(d, 4, wraps ? 31 : 32), NO_ROW);
  *has_sign = sign_a;
  return calc(d, op[3] == 'l' ? OP_shl_x : sign_a ? OP_shr_sx : OP_shr_ux, 8, a, by, NO_ROW);
}

/* vmad.dtype.atype.btype{.po}{.sat}{.shr7|.shr15} d, {-}a, {-}b, {-}c: a * b + c, and 1 more for .po.
 * As an H200 does it, which is not all of what the manual says: all three are taken for numbers with signs of
 * 32 bits; where none of the types has one, the sum is only shifted as one without. */
void dec_video_mad(Decoder *d) {
  uint32_t at = 0;
  bool minus[3];
  PtxOpnd o[3];
  sign_of(d, &at);
  const bool sign_a = sign_of(d, &at), sign_b = sign_of(d, &at), more = next_is(d, &at, "po");
  const bool sat = next_is(d, &at, "sat");
  const uint32_t by = next_is(d, &at, "shr7") ? 7 : next_is(d, &at, "shr15") ? 15 : 0;
  if (at != d->at->nmods) dec_unsupported(d, NULL);
  dec_count(d, 4, 4);
  for (uint32_t i = 0; i < 3; i++) {
    o[i] = *dec_opnd(d, i + 1);
    minus[i] = o[i].kind == PTX_O_SYM && o[i].neg;
    o[i].neg = false;
  }
  const bool negative = minus[0] != minus[1], sign = sign_a || sign_b || negative || minus[2];
  if (more && (minus[0] || minus[1] || minus[2]))
    dec_fail(d, "`%s` takes no operand that is negated", d->at->form);
  const uint32_t x = calc(d, OP_ext_x_sw, 8, part(d, &o[0], sign_a), NO_ROW, NO_ROW);
  const uint32_t y = calc(d, OP_ext_x_sw, 8, part(d, &o[1], sign_b), NO_ROW, NO_ROW);
  uint32_t r = calc(d, OP_mul_x, 8, x, y, NO_ROW);
  uint32_t c = calc(d, OP_ext_x_sw, 8, whole(d, &o[2]), NO_ROW, NO_ROW);
  if (minus[2] && !negative) c = calc(d, OP_neg_x, 8, c, NO_ROW, NO_ROW);
  if (negative) r = calc(d, OP_neg_x, 8, r, NO_ROW, NO_ROW);
  r = calc(d, OP_add_x, 8, r, c, NO_ROW);
  if (more) r = calc(d, OP_add_x, 8, r, dec_const(d, 8, 1), NO_ROW);
  if (by) r = calc(d, sign ? OP_shr_sx : OP_shr_ux, 8, r, dec_const(d, 4, by), NO_ROW);
  if (sat) {
    r = calc(d, OP_max_sx, 8, r, dec_const(d, 8, sign ? (uint64_t)INT32_MIN : 0), NO_ROW);
    r = calc(d, OP_min_sx, 8, r, dec_const(d, 8, sign ? INT32_MAX : UINT32_MAX), NO_ROW);
  }
  dec_emit(d, OP_cut_w_x, result(d), r, NO_ROW, NO_ROW)->sub = 0;
}

void dec_video_word(Decoder *d) {
  const char *op = d->at->op;
  const bool compares = strcmp(op, "vset") == 0, shifts = op[1] == 's' && op[2] == 'h';
  uint32_t at = 0, to, bits;
  const bool sign = !compares && sign_of(d, &at), sign_a = sign_of(d, &at), sign_b = sign_of(d, &at);
  if (shifts && sign_b) dec_unsupported(d, NULL);
  const char *comparison = compares && at < d->at->nmods ? d->at->mods[at++] : "";
  const bool sat = !compares && next_is(d, &at, "sat");
  const bool clamps = shifts && next_is(d, &at, "clamp"),
             wraps = shifts && !clamps && next_is(d, &at, "wrap");
  const enum Op second = next_is(d, &at, "add")   ? OP_add_w
                         : next_is(d, &at, "min") ? (sign ? OP_min_sw : OP_min_uw)
                         : next_is(d, &at, "max") ? (sign ? OP_max_sw : OP_max_uw)
                                                  : OP_COUNT;
  if (at != d->at->nmods || (shifts && !clamps && !wraps)) dec_unsupported(d, NULL);
  part_of(d, dec_opnd(d, 0), &to, &bits);
  const bool puts = bits < 32;
  dec_count(d, puts || second != OP_COUNT ? 4 : 3, 4);
  if (puts && second != OP_COUNT) dec_fail(d, "`%s` puts its result into no part", d->at->form);
  const uint32_t a = number(d, dec_opnd(d, 1), sign_a), b = number(d, dec_opnd(d, 2), sign_b);
  const uint32_t c = d->at->nopnd > 3 ? dec_src(d, dec_opnd(d, 3), 'w') : NO_ROW;
  bool has_sign = true;
  uint32_t r = compares ? compared(d, comparison, a, b) : computed(d, op, a, b, sign_a, wraps, &has_sign);
  if (sat) r = saturate(d, r, sign, has_sign, bits, shifts);
  r = calc(d, OP_cut_w_x, 4, r, NO_ROW, NO_ROW);
  if (second != OP_COUNT)
    dec_emit(d, second, result(d), r, c, NO_ROW)->sub = 0;
  else if (puts)
    merge(d, result(d), shift(d, OP_shli_w, r, to), c, ~(((1u << bits) - 1) << to));
  else
    dec_move(d, result(d), r, true);
}
