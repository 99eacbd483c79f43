/* Copies in bulk and asynchronous stores: done when their instruction is executed, as loops of loads and
 * stores, so that they are checked as these are. What counts their bytes, a barrier in memory, is told at the
 * end; groups are complete at once. */
#include "decode/decode.h"

#include <string.h>

static bool is_mod(const Decoder *d, uint32_t i, const char *mod) {
  return i < d->at->nmods && strcmp(d->at->mods[i], mod) == 0;
}

static PtxSpace space_of(const char *mod) { return strncmp(mod, "shared", 6) == 0 ? PTX_SHARED : PTX_GLOBAL; }
static uint8_t code_of(PtxSpace space) {
  return space == PTX_SHARED ? SP_SHARED : space == PTX_GLOBAL ? SP_GLOBAL : SP_GENERIC;
}
/* Of the forms that need not name one. */
static PtxSpace any_space(const Decoder *d) {
  const bool shared = dec_mod(d, "shared::cluster") || dec_mod(d, "shared::cta");
  return shared ? PTX_SHARED : dec_mod(d, "global") ? PTX_GLOBAL : PTX_GENERIC;
}

static uint32_t calc(Decoder *d, enum Op op, uint32_t width, uint32_t a, uint32_t b) {
  const uint32_t t = dec_temp(d, width);
  dec_calc(d, op, t, a, b, NO_ROW)->sub = 0;
  return t;
}

/* A register of its own with the operand's address, for a loop to move. */
static uint32_t pointer(Decoder *d, const PtxOpnd *o, PtxSpace space) {
  int64_t imm;
  uint32_t base = dec_address(d, o, space, &imm);
  const uint32_t at = dec_const(d, 8, (uint64_t)imm), p = dec_temp(d, 8);
  if (base == NO_ROW) {
    dec_move(d, p, at, false);
    return p;
  }
  if (d->width[base] == 4) base = calc(d, OP_ext_x_uw, 8, base, NO_ROW);
  dec_calc(d, OP_add_x, p, base, at, NO_ROW)->sub = 0;
  return p;
}

/* A loop over bytes 0, step, 2 * step ... of `size` (a row of 64 bits): what is emitted between begin and
 * end. */
typedef struct Loop {
  uint32_t at, start, leave, step;
} Loop;

static Loop loop_begin(Decoder *d, uint32_t size, uint32_t step) {
  Loop l = {.at = dec_temp(d, 8), .step = step};
  dec_move(d, l.at, dec_const(d, 8, 0), false);
  l.start = d->n;
  dec_control(d, K_LEADER);
  const uint32_t more = calc(d, OP_lt_ux, 1, l.at, size);
  Ins *in = dec_control(d, K_BRA);
  in->pred = more;
  in->flags |= INS_NEG;
  l.leave = d->n - 1;
  return l;
}

static void advance(Decoder *d, uint32_t v, uint32_t by) {
  dec_calc(d, OP_add_x, v, v, dec_const(d, 8, by), NO_ROW)->sub = 0;
}

static void loop_end(Decoder *d, const Loop *l) {
  advance(d, l->at, l->step);
  dec_control(d, K_BRA)->target = l->start;
  d->ins[l->leave].target = d->n;
  dec_control(d, K_LEADER);
}

/* The size of a copy, in 64 bits; it has to be a multiple of `unit`. */
static uint32_t size_of(Decoder *d, const PtxOpnd *o, uint32_t unit, char letter) {
  const uint32_t size = dec_src(d, o, letter);
  Ins *in = dec_calc(d, OP_bulk_size, NO_ROW, letter == 'x' ? size : calc(d, OP_ext_x_uw, 8, size, NO_ROW),
                     NO_ROW, NO_ROW);
  const uint32_t v = in->s[0];
  in->kind = K_MEM;
  in->sub = SP_LOCAL;
  in->imm = unit;
  return v;
}

/* The access just made is checked as one of `whole` bytes, of which it is the part at `at`. */
static void be_part(Decoder *d, int64_t at, uint32_t whole) {
  Ins *in = &d->ins[d->n - 1];
  in->bytes = (uint8_t)whole;
  in->part = (uint8_t)at;
  in->imm = 0;
}

static void load(Decoder *d, uint32_t dst, uint32_t src, int64_t at, PtxSpace space, PtxType t,
                 uint32_t whole) {
  dec_load(d, dst, src, at, code_of(space), t, false);
  be_part(d, at, whole);
}
static void store(Decoder *d, uint32_t v, uint32_t dst, int64_t at, PtxSpace space, uint32_t bytes,
                  uint32_t whole) {
  dec_store(d, v, dst, at, code_of(space), bytes, false);
  be_part(d, at, whole);
}

/* 16 bytes; where `mask` is a row, byte k only where its bit k is set. */
static void move16(Decoder *d, uint32_t dst, PtxSpace to, uint32_t src, PtxSpace from, uint32_t mask) {
  if (mask == NO_ROW) {
    const uint32_t low = dec_temp(d, 8), high = dec_temp(d, 8);
    load(d, low, src, 0, from, PTX_B64, 16);
    load(d, high, src, 8, from, PTX_B64, 16);
    store(d, low, dst, 0, to, 8, 16);
    store(d, high, dst, 8, to, 8, 16);
    return;
  }
  for (uint32_t k = 0; k < 16; k++) {
    const uint32_t bit = calc(d, OP_and_w, 4, mask, dec_const(d, 4, (uint64_t)1 << k));
    const uint32_t set = calc(d, OP_ne_w, 1, bit, dec_const(d, 4, 0)), v = dec_temp(d, 1);
    load(d, v, src, k, from, PTX_B8, 16);
    store(d, v, dst, k, to, 1, 16);
    d->ins[d->n - 1].pred = set;
  }
}

typedef struct Bulk {
  PtxSpace to, from;
  bool counts; /* a barrier is told of the bytes */
  bool mask;
  uint32_t operands; /* in front of a cache policy */
} Bulk;

/* .dst.src.completion and what may follow, from modifier `at` on. */
static Bulk parse(Decoder *d, uint32_t at) {
  const PtxInst *in = d->at;
  Bulk b = {0};
  if (in->nmods < at + 3) dec_unsupported(d, NULL);
  b.to = space_of(in->mods[at]);
  b.from = space_of(in->mods[at + 1]);
  b.counts = is_mod(d, at + 2, "mbarrier::complete_tx::bytes");
  if (b.counts != (b.to == PTX_SHARED) || is_mod(d, at + 1, "shared::cluster"))
    dec_fail(d, "`%s` is not a form that PTX has", in->form);
  b.mask = dec_mod(d, "cp_mask");
  b.operands = 3u + b.counts + dec_mod(d, "multicast::cluster");
  const uint32_t hint = dec_mod(d, "L2::cache_hint"), all = b.operands + hint + b.mask;
  dec_count(d, all, all);
  if (hint) dec_src(d, dec_opnd(d, b.operands), 'x');
  return b;
}

static void told(Decoder *d, const Bulk *b, const PtxOpnd *size) {
  if (b->counts) dec_complete(d, dec_opnd(d, 3), SP_SHARED, dec_src(d, size, 'w'));
}

/* cp.async.bulk.dst.src.completion{.multicast::cluster}{.cp_mask}{.L2::cache_hint} [dst], [src], size{,
 * [barrier]}{, blocks}{, policy}{, bytes}: a cluster is one block. */
static void copy(Decoder *d) {
  const Bulk b = parse(d, 2);
  if (b.operands == 5) dec_src(d, dec_opnd(d, 4), 'h');
  uint32_t mask = NO_ROW;
  if (b.mask) mask = calc(d, OP_ext_w_uh, 4, dec_src(d, dec_opnd(d, d->at->nopnd - 1), 'h'), NO_ROW);
  const uint32_t skip = dec_skip_begin(d), size = size_of(d, dec_opnd(d, 2), 16, 'w');
  const uint32_t dst = pointer(d, dec_opnd(d, 0), b.to), src = pointer(d, dec_opnd(d, 1), b.from);
  const Loop l = loop_begin(d, size, 16);
  move16(d, dst, b.to, src, b.from, mask);
  advance(d, dst, 16);
  advance(d, src, 16);
  loop_end(d, &l);
  told(d, &b, dec_opnd(d, 2));
  dec_skip_end(d, skip);
}

/* cp.async.bulk.... */
void dec_bulk(Decoder *d) {
  if (is_mod(d, 2, "tensor") || (is_mod(d, 2, "prefetch") && is_mod(d, 3, "tensor")))
    dec_unsupported(d, NULL);
  if (is_mod(d, 2, "commit_group")) {
    dec_count(d, 0, 0);
  } else if (is_mod(d, 2, "wait_group")) {
    dec_count(d, 1, 1);
  } else if (is_mod(d, 2, "prefetch")) {
    const uint32_t hint = dec_mod(d, "L2::cache_hint");
    int64_t imm;
    dec_count(d, 2 + hint, 2 + hint);
    dec_address(d, dec_opnd(d, 0), PTX_GLOBAL, &imm);
    dec_src(d, dec_opnd(d, 1), 'w');
  } else {
    copy(d);
  }
}

/* cp.reduce.async.bulk.dst.src.completion{.L2::cache_hint}.op{.noftz}.type [dst], [src], size{, [barrier]}{,
 * policy} */
void dec_bulk_reduce(Decoder *d) {
  const PtxType t = dec_type(d, 0);
  const bool noftz = dec_mod(d, "noftz");
  if (is_mod(d, 3, "tensor") || d->at->nmods < 8u + noftz) dec_unsupported(d, NULL);
  const enum Op op = dec_atom_row(d->at->mods[d->at->nmods - 2 - noftz], t);
  if (op == OP_COUNT) dec_unsupported(d, NULL);
  const Bulk b = parse(d, 3);
  const uint32_t bytes = (uint32_t)ptx_type_size(t), skip = dec_skip_begin(d);
  const uint32_t size = size_of(d, dec_opnd(d, 2), 16, 'w');
  const uint32_t dst = pointer(d, dec_opnd(d, 0), b.to), src = pointer(d, dec_opnd(d, 1), b.from),
                 v = dec_temp(d, bytes);
  const Loop l = loop_begin(d, size, bytes);
  dec_load(d, v, src, 0, code_of(b.from), t, false);
  dec_atomic(d, op, NO_ROW, dst, v, code_of(b.to), bytes);
  advance(d, dst, bytes);
  advance(d, src, bytes);
  loop_end(d, &l);
  told(d, &b, dec_opnd(d, 2));
  dec_skip_end(d, skip);
}

/* st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2|.v4}.type [a], b, [barrier]
 * st.async{.mmio}{.release.scope}{.global}.type [a], b */
void dec_store_async(Decoder *d) {
  const PtxType t = dec_type(d, 0);
  const uint32_t vec = dec_mod(d, "v2") ? 2 : dec_mod(d, "v4") ? 4 : 1, bytes = (uint32_t)ptx_type_size(t);
  const bool counts = dec_mod(d, "mbarrier::complete_tx::bytes");
  const PtxSpace space = any_space(d);
  dec_count(d, 2 + counts, 2 + counts);
  const PtxOpnd *from = dec_opnd(d, 1);
  if (vec > 1 && (from->kind != PTX_O_VEC || from->nsub != vec))
    dec_fail(d, "`%s` needs a vector of %u registers", d->at->form, vec);
  uint32_t v[4];
  for (uint32_t i = 0; i < vec; i++) v[i] = dec_src(d, vec > 1 ? &from->sub[i] : from, dec_letter(t));
  const uint32_t skip = dec_skip_begin(d), p = pointer(d, dec_opnd(d, 0), space);
  for (uint32_t i = 0; i < vec; i++) {
    store(d, v[i], p, (int64_t)i * bytes, space, bytes, bytes * vec);
    if (!counts) d->ins[d->n - 1].traits |= TRAIT_STRONG | TRAIT_RELEASE;
  }
  if (counts) dec_complete(d, dec_opnd(d, 2), code_of(space), dec_const(d, 4, bytes * vec));
  dec_skip_end(d, skip);
}

/* red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type [a], b, [barrier]
 * red.async{.mmio}.release.scope{.global}.op.type [a], b */
void dec_red_async(Decoder *d) {
  const PtxType t = dec_type(d, 0);
  const bool counts = dec_mod(d, "mbarrier::complete_tx::bytes");
  const enum Op op = dec_atom_row(d->at->mods[d->at->nmods - 2], t);
  const PtxSpace space = any_space(d);
  if (op == OP_COUNT) dec_unsupported(d, NULL);
  dec_count(d, 2 + counts, 2 + counts);
  const uint32_t v = dec_src(d, dec_opnd(d, 1), dec_letter(t)), bytes = (uint32_t)ptx_type_size(t);
  const uint32_t skip = dec_skip_begin(d), p = pointer(d, dec_opnd(d, 0), space);
  dec_atomic(d, op, NO_ROW, p, v, code_of(space), bytes);
  if (counts) dec_complete(d, dec_opnd(d, 2), code_of(space), dec_const(d, 4, bytes));
  dec_skip_end(d, skip);
}

/* st.bulk{.weak}{.shared::cta} [a], size, 0 */
void dec_store_bulk(Decoder *d) {
  dec_count(d, 3, 3);
  const PtxOpnd *zero = dec_opnd(d, 2);
  if (zero->kind != PTX_O_INT || zero->imm) dec_fail(d, "`%s` stores zeros only", d->at->form);
  const PtxSpace space = any_space(d);
  const uint32_t skip = dec_skip_begin(d), size = size_of(d, dec_opnd(d, 1), 8, 'x');
  const uint32_t p = pointer(d, dec_opnd(d, 0), space), v = dec_const(d, 8, 0);
  const Loop l = loop_begin(d, size, 8);
  dec_store(d, v, p, 0, code_of(space), 8, false);
  advance(d, p, 8);
  loop_end(d, &l);
  dec_skip_end(d, skip);
}
