/* Control flow: branches, exits, barriers, operations of a warp. */
#include "decode/decode.h"

#include <string.h>

static void fixup(Decoder *d, uint32_t ins, uint32_t inst, bool list) {
  dec_grow(d, &d->fix, &d->fix_room, d->nfix + 1, sizeof *d->fix);
  d->fix[d->nfix++] = (Fixup){ins, inst, list};
}

static void guard(Decoder *d, Ins *in) {
  in->pred = d->guard;
  if (d->guard != NO_ROW && d->guard_neg) in->flags |= INS_NEG;
}

static const PtxSym *label(Decoder *d, const PtxOpnd *o) {
  if (o->kind != PTX_O_SYM || !o->sym || o->sym->kind != PTX_SYM_LABEL || o->sym->func != d->frame->f)
    dec_fail(d, "`%s` needs a label", d->at->form);
  return o->sym;
}

void dec_bra(Decoder *d) {
  dec_count(d, 1, 1);
  if (d->at->nmods > 1 || (d->at->nmods == 1 && strcmp(d->at->mods[0], "uni") != 0)) dec_unsupported(d, NULL);
  const PtxSym *to = label(d, dec_opnd(d, 0));
  guard(d, dec_control(d, K_BRA));
  fixup(d, d->n - 1, to->target, false);
}

uint32_t dec_skip_begin(Decoder *d) {
  if (d->guard == NO_ROW) return NO_ROW;
  Ins *in = dec_control(d, K_BRA);
  in->pred = d->guard;
  if (!d->guard_neg) in->flags |= INS_NEG;
  d->guard = NO_ROW;
  return d->n - 1;
}
void dec_skip_end(Decoder *d, uint32_t branch) {
  if (branch == NO_ROW) return;
  d->ins[branch].target = d->n;
  dec_control(d, K_LEADER);
}

void dec_brx(Decoder *d) {
  dec_count(d, 2, 2);
  if (d->at->nmods == 0 || strcmp(d->at->mods[0], "idx") != 0) dec_unsupported(d, NULL);
  const uint32_t index = dec_src(d, dec_opnd(d, 0), 'w'), skip = dec_skip_begin(d);
  const PtxSym *list = label(d, dec_opnd(d, 1));
  if (list->nbranch_targets == 0) dec_fail(d, "%s is not a list of .branchtargets", list->name);
  const uint32_t at = d->ntargets, n = (uint32_t)list->nbranch_targets;
  dec_grow(d, &d->targets, &d->targets_room, at + n + 1, sizeof *d->targets);
  d->targets[at] = n;
  d->ntargets += n + 1;
  for (uint32_t i = 0; i < n; i++) fixup(d, at + 1 + i, list->branch_targets[i]->target, true);
  Ins *in = dec_control(d, K_BRX);
  in->s[0] = index;
  in->target = at;
  dec_skip_end(d, skip);
}

void dec_nop(Decoder *d) { (void)d; }

/* A policy for caches: a value that changes nothing. */
void dec_createpolicy(Decoder *d) {
  dec_count(d, 1, 4);
  dec_move(d, dec_dst(d, dec_opnd(d, 0), 'x'), dec_const(d, 8, 0), true);
}

void dec_nanosleep(Decoder *d) {
  dec_count(d, 1, 1);
  if (d->at->nmods != 1 || strcmp(d->at->mods[0], "u32") != 0) dec_unsupported(d, NULL);
  /* A loop around it waits for somebody; the label is where such a loop is noticed. */
  dec_control(d, K_LEADER)->flags |= INS_SPIN;
}

/* Lanes see each other's stores at once: only the checks take notice. */
void dec_fence(Decoder *d) {
  if (d->at->nopnd && dec_mod(d, "proxy")) dec_unsupported(d, "tensor maps");
  dec_count(d, 0, 0);
  Ins *in = dec_emit(d, OP_fence, NO_ROW, NO_ROW, NO_ROW, NO_ROW);
  in->kind = K_MEM;
  in->sub = FENCE_MEMORY;
  in->traits = TRAIT_RELEASE | TRAIT_ACQUIRE;
  for (uint32_t i = 0; i < d->at->nmods; i++)
    if (strcmp(d->at->mods[i], "cta") == 0) in->traits |= TRAIT_BLOCK;
}

void dec_exit(Decoder *d) {
  dec_count(d, 0, 0);
  if (d->at->nmods) dec_unsupported(d, NULL);
  guard(d, dec_control(d, K_EXIT));
}

void dec_ret(Decoder *d) {
  dec_count(d, 0, 0);
  if (d->at->nmods > 1 || (d->at->nmods == 1 && strcmp(d->at->mods[0], "uni") != 0)) dec_unsupported(d, NULL);
  if (d->frame->f->entry) {
    guard(d, dec_control(d, K_EXIT));
    return;
  }
  /* The end of a function: behind the call where it is expanded in place, else dec_routine's return. */
  guard(d, dec_control(d, K_BRA));
  fixup(d, d->n - 1, d->frame->f->ninst, false);
}

void dec_trap(Decoder *d) {
  dec_count(d, 0, 0);
  const uint32_t skip = dec_skip_begin(d);
  dec_control(d, K_TRAP);
  dec_skip_end(d, skip);
}

/* --- barriers --- */

static void warp_sync(Decoder *d) {
  dec_count(d, 1, 1);
  const uint32_t mask = dec_src(d, dec_opnd(d, 0), 'w'), skip = dec_skip_begin(d);
  Ins *in = dec_calc(d, OP_warpsync, NO_ROW, mask, NO_ROW, NO_ROW);
  in->kind = K_WARP;
  in->imm = 0;
  dec_skip_end(d, skip);
}

/* barrier.cluster.arrive and .wait: a cluster is one block, where those that come to the wait have arrived.
 */
static void cluster_barrier(Decoder *d) {
  const PtxInst *in = d->at;
  bool wait = false;
  for (uint32_t i = 1; i < in->nmods; i++) {
    const char *m = in->mods[i];
    if (i == 1 && strcmp(m, "wait") == 0)
      wait = true;
    else if (!(i == 1 && strcmp(m, "arrive") == 0) && strcmp(m, "acquire") != 0 &&
             strcmp(m, "release") != 0 && strcmp(m, "relaxed") != 0 && strcmp(m, "aligned") != 0)
      dec_unsupported(d, NULL);
  }
  if (in->nmods < 2) dec_unsupported(d, NULL);
  dec_count(d, 0, 0);
  if (!wait) return;
  const uint32_t skip = dec_skip_begin(d);
  Ins *b = dec_control(d, K_BAR);
  b->sub = BAR_SYNC;
  b->imm = BARRIERS;
  dec_skip_end(d, skip);
}

/* bar{.cta}.sync a{, b}  .arrive a, b  .red.popc.u32 d, a{, b}, {!}p  .red.and|or.pred q, a{, b}, {!}p */
void dec_bar(Decoder *d) {
  uint32_t i = 0, at = 0, kind;
  const PtxInst *inst = d->at;
#define NEXT(text) (i < inst->nmods && strcmp(inst->mods[i], text) == 0 ? (i++, true) : false)
  if (strcmp(inst->op, "bar") == 0 && inst->nmods == 2 && strcmp(inst->mods[0], "warp") == 0 &&
      strcmp(inst->mods[1], "sync") == 0) {
    warp_sync(d);
    return;
  }
  if (inst->nmods && strcmp(inst->mods[0], "cluster") == 0) {
    cluster_barrier(d);
    return;
  }
  NEXT("cta");
  if (NEXT("sync"))
    kind = BAR_SYNC;
  else if (NEXT("arrive"))
    kind = BAR_ARRIVE;
  else if (NEXT("red"))
    kind = NEXT("popc") ? BAR_POPC : NEXT("and") ? BAR_AND : NEXT("or") ? BAR_OR : 99;
  else
    dec_unsupported(d, NULL);
  const bool aligned = NEXT("aligned") || strcmp(inst->op, "bar") == 0;
  if (kind >= BAR_AND && !(kind == BAR_POPC ? NEXT("u32") : NEXT("pred"))) dec_unsupported(d, NULL);
  if (i != inst->nmods || kind == 99) dec_unsupported(d, NULL);
#undef NEXT
  const bool red = kind >= BAR_AND;
  dec_count(d, red ? 3 : kind == BAR_ARRIVE ? 2 : 1, red ? 4 : 2);
  uint32_t dst = NO_ROW, id = NO_ROW, count = NO_ROW, pred = NO_ROW;
  int64_t imm = 0;
  if (red) dst = dec_dst(d, dec_opnd(d, at++), kind == BAR_POPC ? 'w' : 'p');
  const PtxOpnd *a = dec_opnd(d, at++);
  if (a->kind == PTX_O_INT)
    imm = (int64_t)a->imm;
  else
    id = dec_src(d, a, 'w');
  if (imm < 0 || imm >= BARRIERS) dec_fail(d, "barriers are numbered 0 to %d", BARRIERS - 1);
  if (at + red < inst->nopnd) {
    const PtxOpnd *n = dec_opnd(d, at++);
    if (n->kind == PTX_O_INT && (n->imm % SG_WARP || (kind == BAR_ARRIVE && !n->imm)))
      dec_fail(d, "`%s` waits for whole warps, not for %llu threads", inst->form, (unsigned long long)n->imm);
    count = dec_src(d, n, 'w');
  }
  if (red) pred = dec_src(d, dec_opnd(d, at++), 'p');
  const uint32_t skip = dec_skip_begin(d);
  Ins *in = dec_control(d, K_BAR);
  in->traits = aligned ? TRAIT_ALIGNED : 0;
  in->sub = (uint8_t)kind;
  in->d = dst;
  in->s[0] = id;
  in->s[1] = count;
  in->s[2] = pred;
  in->imm = imm;
  dec_skip_end(d, skip);
}

/* --- operations of a warp --- */

static void two_dst(Decoder *d, const PtxOpnd *o, char first, char second, uint32_t *dst, uint32_t *other) {
  *other = NO_ROW;
  if (o->kind == PTX_O_PAIR) {
    *dst = dec_dst(d, &o->sub[0], first);
    *other = o->sub[1].kind == PTX_O_SINK ? NO_ROW : dec_dst(d, &o->sub[1], second);
  } else {
    *dst = dec_dst(d, o, first);
  }
}

/* Returns where the instruction is. */
static uint32_t warp_ins(Decoder *d, enum Op op, uint32_t dst, uint32_t other, const uint32_t *src,
                         uint32_t n) {
  const uint32_t skip = dec_skip_begin(d);
  const uint32_t at = d->n;
  Ins *in = dec_calc(d, op, dst, src[0], n > 1 ? src[1] : NO_ROW, n > 2 ? src[2] : NO_ROW);
  in->kind = K_WARP;
  in->e = other;
  in->s[3] = n > 3 ? src[3] : NO_ROW;
  in->imm = n - 1; /* the member mask comes last */
  dec_skip_end(d, skip);
  return at;
}

/* shfl.sync.mode.b32 d{|p}, a, b, c, membermask */
void dec_shfl(Decoder *d) {
  static const char *const names[] = {"up", "down", "bfly", "idx"};
  static const enum Op ops[] = {OP_shfl_up, OP_shfl_down, OP_shfl_bfly, OP_shfl_idx};
  const PtxInst *in = d->at;
  if (in->nmods != 3 || strcmp(in->mods[0], "sync") != 0 || dec_type(d, 0) != PTX_B32)
    dec_unsupported(d, NULL);
  dec_count(d, 5, 5);
  for (int k = 0; k < 4; k++) {
    if (strcmp(in->mods[1], names[k]) != 0) continue;
    uint32_t dst, other, src[4];
    for (uint32_t i = 0; i < 4; i++) src[i] = dec_src(d, dec_opnd(d, i + 1), 'w');
    two_dst(d, dec_opnd(d, 0), 'w', 'p', &dst, &other);
    warp_ins(d, ops[k], dst, other, src, 4);
    return;
  }
  dec_unsupported(d, NULL);
}

/* vote.sync.mode.pred|b32 d, {!}a, membermask */
void dec_vote(Decoder *d) {
  static const char *const names[] = {"all", "any", "uni", "ballot"};
  static const enum Op ops[] = {OP_vote_all, OP_vote_any, OP_vote_uni, OP_vote_ballot};
  const PtxInst *in = d->at;
  if (in->nmods != 3 || strcmp(in->mods[0], "sync") != 0) dec_unsupported(d, NULL);
  dec_count(d, 3, 3);
  for (int k = 0; k < 4; k++) {
    if (strcmp(in->mods[1], names[k]) != 0 || dec_type(d, 0) != (k == 3 ? PTX_B32 : PTX_PRED)) continue;
    const uint32_t src[2] = {dec_src(d, dec_opnd(d, 1), 'p'), dec_src(d, dec_opnd(d, 2), 'w')};
    warp_ins(d, ops[k], dec_dst(d, dec_opnd(d, 0), k == 3 ? 'w' : 'p'), NO_ROW, src, 2);
    return;
  }
  dec_unsupported(d, NULL);
}

/* match.any.sync.type d, a, membermask   match.all.sync.type d{|p}, a, membermask */
void dec_match(Decoder *d) {
  const PtxInst *in = d->at;
  const PtxType t = dec_type(d, 0);
  const bool all = in->nmods == 3 && strcmp(in->mods[0], "all") == 0;
  if (in->nmods != 3 || strcmp(in->mods[1], "sync") != 0 || (t != PTX_B32 && t != PTX_B64) ||
      (!all && strcmp(in->mods[0], "any") != 0))
    dec_unsupported(d, NULL);
  dec_count(d, 3, 3);
  if (!all && dec_opnd(d, 0)->kind == PTX_O_PAIR) dec_fail(d, "`%s` gives no predicate", in->form);
  const bool wide = t == PTX_B64;
  const uint32_t src[2] = {dec_src(d, dec_opnd(d, 1), wide ? 'x' : 'w'), dec_src(d, dec_opnd(d, 2), 'w')};
  uint32_t dst, other;
  two_dst(d, dec_opnd(d, 0), 'w', 'p', &dst, &other);
  warp_ins(d, all ? (wide ? OP_match_all_x : OP_match_all_w) : (wide ? OP_match_any_x : OP_match_any_w), dst,
           other, src, 2);
}

/* redux.sync.op.type d, a, membermask   redux.sync.min|max{.abs}{.NaN}.f32 d, a, membermask */
void dec_redux(Decoder *d) {
  static const struct {
    const char *op, *types;
    enum Op row;
  } rows[] = {{"add", "u32 s32", OP_redux_add}, {"min", "u32", OP_redux_umin}, {"max", "u32", OP_redux_umax},
              {"min", "s32", OP_redux_smin},    {"max", "s32", OP_redux_smax}, {"and", "b32", OP_redux_and},
              {"or", "b32", OP_redux_or},       {"xor", "b32", OP_redux_xor}};
  const PtxInst *in = d->at;
  if (in->nmods >= 3 && dec_type(d, 0) == PTX_F32) {
    dec_count(d, 3, 3);
    const uint32_t src[2] = {dec_src(d, dec_opnd(d, 1), 'f'), dec_src(d, dec_opnd(d, 2), 'w')};
    const uint32_t at = warp_ins(d, dec_mod(d, "min") ? OP_redux_fmin : OP_redux_fmax,
                                 dec_dst(d, dec_opnd(d, 0), 'f'), NO_ROW, src, 2);
    if (dec_mod(d, "abs")) d->ins[at].sub |= SUB_XOR;
    return;
  }
  if (in->nmods != 3 || strcmp(in->mods[0], "sync") != 0) dec_unsupported(d, NULL);
  dec_count(d, 3, 3);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].op, in->mods[1]) != 0 || !strstr(rows[i].types, in->mods[2])) continue;
    const uint32_t src[2] = {dec_src(d, dec_opnd(d, 1), 'w'), dec_src(d, dec_opnd(d, 2), 'w')};
    warp_ins(d, rows[i].row, dec_dst(d, dec_opnd(d, 0), 'w'), NO_ROW, src, 2);
    return;
  }
  dec_unsupported(d, NULL);
}

/* elect.sync d|p, membermask */
void dec_elect(Decoder *d) {
  dec_count(d, 2, 2);
  if (d->at->nmods != 1 || strcmp(d->at->mods[0], "sync") != 0 || dec_opnd(d, 0)->kind != PTX_O_PAIR)
    dec_unsupported(d, NULL);
  const uint32_t mask = dec_src(d, dec_opnd(d, 1), 'w');
  uint32_t dst, other;
  two_dst(d, dec_opnd(d, 0), 'w', 'p', &dst, &other);
  warp_ins(d, OP_elect, dst, other, &mask, 1);
}

/* A cluster is one block: its shared memory is this block's, its rank 0. */
void dec_mapa(Decoder *d) {
  dec_count(d, 3, 3);
  const PtxType t = dec_type(d, 0);
  if (t != PTX_U32 && t != PTX_U64) dec_unsupported(d, NULL);
  const char letter = t == PTX_U32 ? 'w' : 'x';
  const uint32_t v = dec_src(d, dec_opnd(d, 1), letter);
  dec_move(d, dec_dst(d, dec_opnd(d, 0), letter), v, true);
}

void dec_getctarank(Decoder *d) {
  dec_count(d, 2, 2);
  dec_move(d, dec_dst(d, dec_opnd(d, 0), 'w'), dec_const(d, 4, 0), true);
}

void dec_activemask(Decoder *d) {
  dec_count(d, 1, 1);
  if (d->at->nmods != 1 || dec_type(d, 0) != PTX_B32) dec_unsupported(d, NULL);
  dec_emit(d, OP_activemask, dec_dst(d, dec_opnd(d, 0), 'w'), NO_ROW, NO_ROW, NO_ROW)->flags |= INS_IMPURE;
}
