/* mov with its vector forms, and the operations on address spaces. */
#include "decode/decode.h"

#include <string.h>

/* Pieces of half the width, low one first. */
static void split(Decoder *d, uint32_t v, uint32_t *low, uint32_t *high) {
  static const enum Op lows[] = {OP_cut_b_h, OP_cut_h_w, OP_cut_w_x};
  static const enum Op highs[] = {OP_high_b_h, OP_high_h_w, OP_high_w_x};
  const uint32_t w = d->width[v], i = w == 2 ? 0 : w == 4 ? 1 : 2;
  *low = dec_temp(d, w / 2);
  *high = dec_temp(d, w / 2);
  dec_calc(d, lows[i], *low, v, NO_ROW, NO_ROW);
  dec_calc(d, highs[i], *high, v, NO_ROW, NO_ROW);
}

static uint32_t join(Decoder *d, uint32_t low, uint32_t high) {
  static const enum Op packs[] = {OP_pack_h, OP_pack_w, OP_pack_x};
  const uint32_t w = d->width[low], t = dec_temp(d, w * 2);
  dec_calc(d, packs[w == 1 ? 0 : w == 2 ? 1 : 2], t, low, high, NO_ROW);
  return t;
}

static char piece_letter(Decoder *d, uint32_t width, uint32_t n) {
  if (n == 2) return width == 8 ? 'w' : width == 4 ? 'h' : width == 2 ? 'b' : 0;
  if (n == 4) return width == 8 ? 'h' : width == 4 ? 'b' : 0;
  dec_fail(d, "a vector of %u elements in `%s`", n, d->at->form);
}

/* A source element, whatever the type of its register. */
static uint32_t element(Decoder *d, const PtxOpnd *o, char letter) {
  if (o->kind != PTX_O_SYM || !o->sym || o->sym->kind != PTX_SYM_REG) return dec_src(d, o, letter);
  const uint32_t v = dec_reg(d, o);
  if (d->width[v] != dec_letter_width(letter)) dec_fail(d, "%s does not fit `%s`", o->sym->name, d->at->form);
  return v;
}

static void unpack(Decoder *d, const PtxOpnd *to, uint32_t v) {
  uint32_t part[4];
  const char letter = piece_letter(d, d->width[v], to->nsub);
  if (!letter) dec_unsupported(d, NULL);
  split(d, v, &part[0], &part[1]);
  if (to->nsub == 4) {
    const uint32_t high = part[1];
    split(d, part[0], &part[0], &part[1]);
    split(d, high, &part[2], &part[3]);
  }
  for (uint32_t i = 0; i < to->nsub; i++)
    if (to->sub[i].kind != PTX_O_SINK) dec_move(d, dec_dst(d, &to->sub[i], letter), part[i], true);
}

static uint32_t pack(Decoder *d, const PtxOpnd *from, uint32_t width) {
  uint32_t part[4];
  const char letter = piece_letter(d, width, from->nsub);
  if (!letter) dec_unsupported(d, NULL);
  for (uint32_t i = 0; i < from->nsub; i++) part[i] = element(d, &from->sub[i], letter);
  if (from->nsub == 2) return join(d, part[0], part[1]);
  const uint32_t low = join(d, part[0], part[1]);
  return join(d, low, join(d, part[2], part[3]));
}

/* mov.b128: registers of two rows. */
static void move_wide(Decoder *d, const PtxOpnd *to, const PtxOpnd *from) {
  uint32_t part[2];
  if (from->kind == PTX_O_VEC) {
    if (from->nsub != 2 && from->nsub != 4) dec_unsupported(d, NULL);
    for (uint32_t i = 0, n = from->nsub / 2; i < 2; i++)
      part[i] = n == 1 ? element(d, &from->sub[i], 'x')
                       : join(d, element(d, &from->sub[2 * i], 'w'), element(d, &from->sub[2 * i + 1], 'w'));
  } else if (from->kind == PTX_O_INT) {
    part[0] = dec_const(d, 8, from->imm);
    part[1] = dec_const(d, 8, (int64_t)from->imm < 0 ? UINT64_MAX : 0);
  } else if (from->kind == PTX_O_SYM && from->sym && from->sym->kind != PTX_SYM_REG) {
    part[0] = dec_src(d, from, 'x');
    part[1] = dec_const(d, 8, 0);
  } else {
    part[0] = dec_wide(d, from);
    part[1] = part[0] + 1;
  }
  if (to->kind != PTX_O_VEC) {
    const uint32_t dst = dec_wide(d, to);
    for (uint32_t i = 0; i < 2; i++) dec_move(d, dst + i, part[i], true);
    return;
  }
  if (to->nsub == 4) {
    for (uint32_t i = 0; i < 2; i++) {
      uint32_t half[2];
      split(d, part[i], &half[0], &half[1]);
      for (uint32_t k = 0; k < 2; k++)
        if (to->sub[2 * i + k].kind != PTX_O_SINK)
          dec_move(d, dec_dst(d, &to->sub[2 * i + k], 'w'), half[k], true);
    }
    return;
  }
  if (to->nsub != 2) dec_unsupported(d, NULL);
  /* Where a half is both, it is read before it is written. */
  const uint32_t high = dec_temp(d, 8);
  dec_move(d, high, part[1], false);
  part[1] = high;
  for (uint32_t i = 0; i < 2; i++)
    if (to->sub[i].kind != PTX_O_SINK) dec_move(d, dec_dst(d, &to->sub[i], 'x'), part[i], true);
}

void dec_mov(Decoder *d) {
  dec_count(d, 2, 2);
  const PtxOpnd *to = dec_opnd(d, 0), *from = dec_opnd(d, 1);
  const PtxType t = dec_type(d, 0);
  const char letter = dec_letter(t);
  if (d->at->nmods == 1 && t == PTX_B128) {
    move_wide(d, to, from);
    return;
  }
  if (d->at->nmods != 1 || !letter || t == PTX_F16X2 || t == PTX_BF16X2 || letter == 'b')
    dec_unsupported(d, NULL);
  const uint32_t width = dec_letter_width(letter);
  if ((to->kind == PTX_O_VEC || from->kind == PTX_O_VEC) && d->at->mods[0][0] != 'b')
    dec_fail(d, "`%s` takes no vector: bits do", d->at->form);
  if (to->kind == PTX_O_VEC) {
    unpack(d, to, from->kind == PTX_O_VEC ? pack(d, from, width) : dec_src(d, from, letter));
    return;
  }
  const uint32_t dst = dec_dst(d, to, letter);
  dec_move(d, dst, from->kind == PTX_O_VEC ? pack(d, from, width) : dec_src(d, from, letter), true);
}

/* --- spaces --- */

static bool window(Decoder *d, const char *space, uint64_t *base, uint32_t *bytes) {
  const uint64_t half = PARAM_WINDOW;
  (void)d;
  if (strncmp(space, "shared", 6) == 0) {
    *base = sg_arena_shared_window();
    *bytes = (uint32_t)SG_WINDOW_BYTES;
  } else if (strcmp(space, "local") == 0) {
    *base = sg_arena_local_window();
    *bytes = (uint32_t)half;
  } else if (strncmp(space, "param", 5) == 0) {
    *base = sg_arena_local_window() + half;
    *bytes = (uint32_t)half;
  } else {
    return false;
  }
  return true;
}

static bool is_space(const char *s) {
  static const char *const all[] = {"global", "const",       "local",        "shared",
                                    "param",  "shared::cta", "param::entry", "shared::cluster"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i], s) == 0) return true;
  return false;
}

/* cvta{.to}.space.size: adds or takes away the base of the space's window. */
void dec_cvta(Decoder *d) {
  dec_count(d, 2, 2);
  const bool to = d->at->nmods > 0 && strcmp(d->at->mods[0], "to") == 0;
  if (d->at->nmods != 2u + to || !is_space(d->at->mods[to])) dec_unsupported(d, NULL);
  const char letter = dec_letter(dec_type(d, 0));
  if (letter != 'x') dec_unsupported(d, "addresses have 64 bits");
  const uint32_t dst = dec_dst(d, dec_opnd(d, 0), 'x'), src = dec_src(d, dec_opnd(d, 1), 'x');
  uint64_t base;
  uint32_t bytes;
  if (window(d, d->at->mods[to], &base, &bytes))
    dec_emit(d, to ? OP_sub_x : OP_add_x, dst, src, dec_const(d, 8, base), NO_ROW);
  else
    dec_move(d, dst, src, true);
}

void dec_isspacep(Decoder *d) {
  dec_count(d, 2, 2);
  if (d->at->nmods != 1 || !is_space(d->at->mods[0])) dec_unsupported(d, NULL);
  const char *space = d->at->mods[0];
  const uint32_t dst = dec_dst(d, dec_opnd(d, 0), 'p'), src = dec_src(d, dec_opnd(d, 1), 'x');
  uint64_t base;
  uint32_t bytes;
  if (window(d, space, &base, &bytes)) {
    Ins *in = dec_emit(d, OP_within, dst, src, NO_ROW, NO_ROW);
    in->imm = (int64_t)base;
    in->target = bytes;
    return;
  }
  if (strcmp(space, "const") == 0) {
    dec_emit(d, OP_within_const, dst, src, NO_ROW, NO_ROW);
    return;
  }
  const uint32_t shared = dec_temp(d, 1), local = dec_temp(d, 1), either = dec_temp(d, 1);
  Ins *in = dec_calc(d, OP_within, shared, src, NO_ROW, NO_ROW);
  in->imm = (int64_t)sg_arena_shared_window();
  in->target = (uint32_t)SG_WINDOW_BYTES;
  in = dec_calc(d, OP_within, local, src, NO_ROW, NO_ROW);
  in->imm = (int64_t)sg_arena_local_window();
  in->target = (uint32_t)SG_WINDOW_BYTES;
  dec_calc(d, OP_or_p, either, shared, local, NO_ROW);
  dec_emit(d, OP_not_p, dst, either, NO_ROW, NO_ROW);
}
