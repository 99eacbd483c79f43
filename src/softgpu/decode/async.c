/* Asynchronous copies into shared memory, and barriers in memory. A copy is made when its instruction is
 * executed: the groups that are waited for are complete at once. */
#include "decode/decode.h"

#include <string.h>

static bool is_mod(const Decoder *d, uint32_t i, const char *mod) {
  return i < d->at->nmods && strcmp(d->at->mods[i], mod) == 0;
}
static bool is_shared(const char *mod) {
  return strcmp(mod, "shared") == 0 || strcmp(mod, "shared::cta") == 0;
}

/* Bytes [from, to) of the copy, in pieces of `piece` bytes. */
static void move_bytes(Decoder *d, uint32_t dst, int64_t dst_at, uint32_t src, int64_t src_at, uint32_t bytes,
                       uint32_t piece, uint32_t whole) {
  const PtxType type = piece == 8 ? PTX_B64 : piece == 4 ? PTX_B32 : PTX_B8;
  uint32_t value[16];
  for (uint32_t i = 0; i < bytes; i += piece) {
    value[i / piece] = dec_temp(d, piece);
    dec_load(d, value[i / piece], src, src_at, SP_GLOBAL, type, false);
    d->ins[d->n - 1].bytes = (uint8_t)whole;
    d->ins[d->n - 1].part = (uint8_t)i;
  }
  for (uint32_t i = 0; i < bytes; i += piece) {
    dec_store(d, value[i / piece], dst, dst_at, SP_SHARED, piece, false);
    d->ins[d->n - 1].bytes = (uint8_t)whole;
    d->ins[d->n - 1].part = (uint8_t)i;
    d->ins[d->n - 1].traits |= TRAIT_ASYNC;
  }
}

/* Where fewer bytes are read than written, byte by byte; the rest is zero. */
static void copy_part(Decoder *d, uint32_t dst, int64_t dst_at, uint32_t src, int64_t src_at, uint32_t bytes,
                      uint32_t count) {
  for (uint32_t i = 0; i < bytes; i++) {
    const uint32_t v = dec_temp(d, 1), p = dec_temp(d, 1);
    dec_move(d, v, dec_const(d, 1, 0), false);
    dec_calc(d, OP_lt_uw, p, dec_const(d, 4, i), count, NO_ROW);
    dec_load(d, v, src, src_at + i, SP_GLOBAL, PTX_B8, false);
    d->ins[d->n - 1].pred = p;
    dec_store(d, v, dst, dst_at + i, SP_SHARED, 1, false);
    d->ins[d->n - 1].traits |= TRAIT_ASYNC;
  }
}

/* cp.async.ca|cg.shared.global [dst], [src], bytes{, bytes to read | predicate to read none}{, policy} */
static void copy(Decoder *d) {
  const PtxInst *in = d->at;
  if (in->nmods < 4 || !(is_mod(d, 1, "ca") || is_mod(d, 1, "cg")) || !is_shared(in->mods[2]) ||
      !is_mod(d, 3, "global"))
    dec_unsupported(d, NULL);
  bool policy = false;
  for (uint32_t i = 4; i < in->nmods; i++) {
    if (strncmp(in->mods[i], "L2::", 4) != 0) dec_unsupported(d, NULL);
    policy |= strcmp(in->mods[i], "L2::cache_hint") == 0;
  }
  dec_count(d, 3u + policy, 4u + policy);
  const PtxOpnd *size = dec_opnd(d, 2), *read = in->nopnd > 3u + policy ? dec_opnd(d, 3) : NULL;
  if (size->kind != PTX_O_INT || (size->imm != 4 && size->imm != 8 && size->imm != 16))
    dec_fail(d, "`%s` copies 4, 8 or 16 bytes", in->form);
  if (is_mod(d, 1, "cg") && size->imm != 16) dec_fail(d, "`%s` copies 16 bytes", in->form);
  if (policy) dec_src(d, dec_opnd(d, in->nopnd - 1), 'x');
  const uint32_t bytes = (uint32_t)size->imm, skip = dec_skip_begin(d);
  int64_t dst_at, src_at;
  const uint32_t dst = dec_address(d, dec_opnd(d, 0), PTX_SHARED, &dst_at);
  const uint32_t src = dec_address(d, dec_opnd(d, 1), PTX_GLOBAL, &src_at);
  const uint32_t piece = bytes == 4 ? 4 : 8;
  uint32_t count = NO_ROW;
  if (read && read->kind == PTX_O_SYM && read->sym && read->sym->type == PTX_PRED) {
    count = dec_temp(d, 4);
    dec_calc(d, OP_selp_w, count, dec_const(d, 4, 0), dec_const(d, 4, bytes), dec_src(d, read, 'p'));
  } else if (read && !(read->kind == PTX_O_INT && read->imm >= bytes)) {
    count = dec_src(d, read, 'w');
  }
  if (count == NO_ROW) {
    move_bytes(d, dst, dst_at, src, src_at, bytes, piece, bytes);
  } else {
    const uint32_t some = dec_temp(d, 1);
    dec_calc(d, OP_lt_uw, some, count, dec_const(d, 4, bytes), NO_ROW);
    dec_control(d, K_BRA)->pred = some;
    const uint32_t to_part = d->n - 1;
    move_bytes(d, dst, dst_at, src, src_at, bytes, piece, bytes);
    Ins *over = dec_control(d, K_BRA);
    over->pred = some;
    over->flags |= INS_NEG;
    const uint32_t to_end = d->n - 1;
    d->ins[to_part].target = d->n;
    dec_control(d, K_LEADER);
    copy_part(d, dst, dst_at, src, src_at, bytes, count);
    d->ins[to_end].target = d->n;
    dec_control(d, K_LEADER);
  }
  dec_skip_end(d, skip);
}

/* Copies are in groups that are waited for: only the checks take notice. */
static void group(Decoder *d, uint8_t what, uint32_t left) {
  Ins *in = dec_emit(d, OP_fence, NO_ROW, NO_ROW, NO_ROW, NO_ROW);
  in->kind = K_MEM;
  in->sub = what;
  in->imm = left;
}

static Ins *barrier(Decoder *d, enum Op op, uint32_t dst, const PtxOpnd *o, uint8_t space, uint32_t value) {
  int64_t imm;
  const uint32_t base = dec_address(d, o, space == SP_SHARED ? PTX_SHARED : PTX_GENERIC, &imm);
  Ins *in = dec_emit(d, op, dst, base, value, NO_ROW);
  in->kind = K_MEM;
  if (base != NO_ROW && d->width[base] == 4) in->flags |= INS_NARROW;
  in->imm = imm;
  in->sub = space;
  in->bytes = in->unit = 8;
  in->flags |= INS_ATOM | INS_SPIN;
  in->traits = TRAIT_STRONG | TRAIT_RELEASE | TRAIT_ACQUIRE;
  if (op != OP_mbar_test && op != OP_mbar_parity) in->flags |= INS_STORE;
  return in;
}

void dec_complete(Decoder *d, const PtxOpnd *o, uint8_t space, uint32_t bytes) {
  barrier(d, OP_mbar_complete, NO_ROW, o, space, bytes);
}

/* cp.async...  cp.async.bulk...  cp.reduce.async.bulk... */
void dec_cp(Decoder *d) {
  if (is_mod(d, 0, "reduce")) {
    dec_bulk_reduce(d);
    return;
  }
  if (!is_mod(d, 0, "async")) dec_unsupported(d, NULL);
  if (is_mod(d, 1, "bulk")) {
    dec_bulk(d);
    return;
  }
  if (is_mod(d, 1, "commit_group") || is_mod(d, 1, "wait_all")) {
    if (d->at->nmods != 2) dec_unsupported(d, NULL);
    dec_count(d, 0, 0);
    group(d, is_mod(d, 1, "wait_all") ? FENCE_WAIT : FENCE_COMMIT, NO_ROW);
  } else if (is_mod(d, 1, "wait_group")) {
    if (d->at->nmods != 2) dec_unsupported(d, NULL);
    dec_count(d, 1, 1);
    const PtxOpnd *left = dec_opnd(d, 0);
    group(d, FENCE_WAIT, left->kind == PTX_O_INT && left->imm < NO_ROW ? (uint32_t)left->imm : 0);
  } else if (is_mod(d, 1, "mbarrier") && is_mod(d, 2, "arrive")) {
    /* Without .noinc the arrival is one more than the barrier waits for: nothing changes. */
    uint32_t i = 3;
    const bool noinc = is_mod(d, i, "noinc");
    i += noinc;
    const bool shared = i < d->at->nmods && is_shared(d->at->mods[i]);
    i += shared;
    if (i + 1 != d->at->nmods || !is_mod(d, i, "b64")) dec_unsupported(d, NULL);
    dec_count(d, 1, 1);
    group(d, FENCE_WAIT, NO_ROW); /* it arrives when the copies are done */
    if (noinc)
      barrier(d, OP_mbar_arrive, NO_ROW, dec_opnd(d, 0), shared ? SP_SHARED : SP_GENERIC, dec_const(d, 4, 1));
  } else {
    copy(d);
  }
}

static uint32_t state(Decoder *d, const PtxOpnd *o) {
  return o->kind == PTX_O_SINK ? NO_ROW : dec_dst(d, o, 'x');
}

/* mbarrier.op{.mods}{.space}.b64 */
void dec_mbarrier(Decoder *d) {
  const PtxInst *in = d->at;
  uint8_t space = SP_GENERIC;
  bool expect = false, parity = false;
  if (in->nmods < 2 || !is_mod(d, in->nmods - 1, "b64")) dec_unsupported(d, NULL);
  for (uint32_t i = 1; i + 1 < in->nmods; i++) {
    const char *m = in->mods[i];
    if (is_shared(m) || strcmp(m, "shared::cluster") == 0)
      space = SP_SHARED;
    else if (strcmp(m, "expect_tx") == 0)
      expect = true;
    else if (strcmp(m, "parity") == 0)
      parity = true;
    else if (strcmp(m, "noComplete") != 0 && strcmp(m, "release") != 0 && strcmp(m, "acquire") != 0 &&
             strcmp(m, "relaxed") != 0 && strcmp(m, "cta") != 0 && strcmp(m, "cluster") != 0)
      dec_unsupported(d, NULL);
  }
  const char *op = in->mods[0];
  if (strcmp(op, "init") == 0) {
    dec_count(d, 2, 2);
    barrier(d, OP_mbar_init, NO_ROW, dec_opnd(d, 0), space, dec_src(d, dec_opnd(d, 1), 'w'));
  } else if (strcmp(op, "inval") == 0) {
    dec_count(d, 1, 1);
  } else if (strcmp(op, "expect_tx") == 0 || strcmp(op, "complete_tx") == 0) {
    dec_count(d, 2, 2);
    barrier(d, op[0] == 'e' ? OP_mbar_tx : OP_mbar_complete, NO_ROW, dec_opnd(d, 0), space,
            dec_src(d, dec_opnd(d, 1), 'w'));
  } else if (strcmp(op, "arrive") == 0 || strcmp(op, "arrive_drop") == 0) {
    const bool drop = op[6] != 0;
    dec_count(d, expect || dec_mod(d, "noComplete") ? 3 : 2, 3);
    if (dec_mod(d, "shared::cluster") && dec_opnd(d, 0)->kind != PTX_O_SINK)
      dec_fail(d, "`%s` gives no state: its place is for _", in->form);
    uint32_t n = in->nopnd == 3 ? dec_src(d, dec_opnd(d, 2), 'w') : dec_const(d, 4, 1);
    if (expect && drop) {
      barrier(d, OP_mbar_tx, NO_ROW, dec_opnd(d, 1), space, n);
      n = dec_const(d, 4, 1);
    }
    barrier(d,
            drop     ? OP_mbar_drop
            : expect ? OP_mbar_expect
                     : OP_mbar_arrive,
            state(d, dec_opnd(d, 0)), dec_opnd(d, 1), space, n);
  } else if (strcmp(op, "test_wait") == 0 || strcmp(op, "try_wait") == 0) {
    dec_count(d, 3, op[1] == 'r' ? 4 : 3);
    const uint32_t was = dec_src(d, dec_opnd(d, 2), parity ? 'w' : 'x');
    barrier(d, parity ? OP_mbar_parity : OP_mbar_test, dec_dst(d, dec_opnd(d, 0), 'p'), dec_opnd(d, 1), space,
            was);
  } else if (strcmp(op, "pending_count") == 0) {
    dec_count(d, 2, 2);
    const uint32_t was = dec_src(d, dec_opnd(d, 1), 'x');
    dec_emit(d, OP_mbar_pending, dec_dst(d, dec_opnd(d, 0), 'w'), was, NO_ROW, NO_ROW);
  } else {
    dec_unsupported(d, NULL);
  }
}
