/* Which form an instruction is: one of a family that has a function of its own, or a row of ops.def. */
#include "decode/decode.h"

#include <stdlib.h>
#include <string.h>

/* Shifts by a constant, which most are, need no care for counts beyond the width. */
static enum Op constant_shift(const PtxInst *in, enum Op op) {
  static const enum Op pairs[][2] = {{OP_shl_w, OP_shli_w},   {OP_shl_x, OP_shli_x},
                                     {OP_shr_uw, OP_shri_uw}, {OP_shr_ux, OP_shri_ux},
                                     {OP_shr_sw, OP_shri_sw}, {OP_shr_sx, OP_shri_sx}};
  if (in->nopnd != 3 || in->opnd[2].kind != PTX_O_INT) return op;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] == op && in->opnd[2].imm < (sg_op_rows[op].sig[0] == 'x' ? 64 : 32)) return pairs[i][1];
  return op;
}

static void decode_row(Decoder *d, enum Op op) {
  const char *sig = sg_op_rows[op].sig;
  uint32_t at = 0, dst = NO_ROW, src[4] = {NO_ROW, NO_ROW, NO_ROW, NO_ROW}, nsrc = 0;
  int64_t imm = 0;
  if (*sig != ':') dst = dec_dst(d, dec_opnd(d, at++), *sig++);
  for (sig++; *sig; sig++) {
    const PtxOpnd *o = dec_opnd(d, at++);
    if (*sig == 'i') {
      if (o->kind != PTX_O_INT) dec_fail(d, "`%s` takes a constant as operand %u", d->at->form, at);
      imm = (int64_t)o->imm;
    } else {
      src[nsrc++] = dec_src(d, o, *sig);
    }
  }
  if (d->at->nopnd == 4 && (op == OP_min_f || op == OP_min_ff || op == OP_minn_f || op == OP_minn_ff ||
                            op == OP_max_f || op == OP_max_ff || op == OP_maxn_f || op == OP_maxn_ff)) {
    dec_three(d);
    return;
  }
  if (at != d->at->nopnd) dec_fail(d, "`%s` takes %u operands, not %u", d->at->form, at, d->at->nopnd);
  Ins *in = dec_emit(d, op, dst, src[0], src[1], src[2]);
  in->s[3] = src[3];
  in->imm = imm;
}

static const struct {
  const char *op;
  DecodeFn *fn;
} families[] = {
    {"mov", dec_mov},
    {"ld", dec_ld},
    {"ldu", dec_ld},
    {"st", dec_st},
    {"cvt", dec_cvt},
    {"cvta", dec_cvta},
    {"setp", dec_setp},
    {"set", dec_set},
    {"slct", dec_slct},
    {"isspacep", dec_isspacep},
    {"atom", dec_atom},
    {"red", dec_red},
    {"addc", dec_carry_op},
    {"subc", dec_carry_op},
    {"madc", dec_carry_op},
    {"bra", dec_bra},
    {"brx", dec_brx},
    {"call", dec_call},
    {"ret", dec_ret},
    {"exit", dec_exit},
    {"trap", dec_trap},
    {"bar", dec_bar},
    {"barrier", dec_bar},
    {"shfl", dec_shfl},
    {"vote", dec_vote},
    {"match", dec_match},
    {"redux", dec_redux},
    {"activemask", dec_activemask},
    {"elect", dec_elect},
    {"alloca", dec_alloca},
    {"stacksave", dec_stack},
    {"stackrestore", dec_stack},
    {"mapa", dec_mapa},
    {"getctarank", dec_getctarank},
    {"cp", dec_cp},
    {"mbarrier", dec_mbarrier},
    {"nanosleep", dec_nanosleep},
    {"membar", dec_fence},
    {"fence", dec_fence},
    {"createpolicy", dec_createpolicy},
    {"prefetch", dec_nop},
    {"vmad", dec_video_mad},
    {"vadd", dec_video_word},
    {"vsub", dec_video_word},
    {"vabsdiff", dec_video_word},
    {"vmin", dec_video_word},
    {"vmax", dec_video_word},
    {"vset", dec_video_word},
    {"vshl", dec_video_word},
    {"vshr", dec_video_word},
    {"prefetchu", dec_nop},
    {"pmevent", dec_nop},
    {"discard", dec_nop},
    {"applypriority", dec_nop},
    {"brkpt", dec_nop},
    {"griddepcontrol", dec_nop},
    {"setmaxnreg", dec_nop},
    {"tex", dec_tex},
    {"tld4", dec_tld4},
    {"txq", dec_txq},
    {"suld", dec_suld},
    {"sust", dec_sust},
    {"suq", dec_suq},
};

const char *dec_family(size_t i) { return i < sizeof families / sizeof *families ? families[i].op : NULL; }

struct FormSlot {
  const char *form;
  DecodeFn *fn;
  uint32_t sub; /* dec_sub */
  uint16_t op;
  bool mixed; /* the modifiers stand in another order than functions expect */
};

static bool is_video(const char *op) {
  static const char *const names[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"};
  const size_t len = strlen(op);
  if (len < 2 || (op[len - 1] != '2' && op[len - 1] != '4')) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == len - 1 && strncmp(names[i], op, len - 1) == 0) return true;
  return false;
}

static void no_form(Decoder *d) {
  d->code = SG_INVALID_PTX;
  dec_fail(d, "`%s` is not a form that PTX has", d->at->form);
}

static void match_form(Decoder *d, struct FormSlot *slot) {
  const PtxInst *in = d->at;
  slot->form = in->form;
  slot->op = OP_COUNT;
  slot->fn = NULL;
  slot->sub = dec_sub(d);
  for (uint32_t i = 0; i < in->nmods; i++)
    if (strcmp(in->mods[i], "cc") == 0) slot->fn = dec_carry_op;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strcmp(families[i].op, in->op) == 0) slot->fn = families[i].fn;
  if (strcmp(in->op, "lop3") == 0 && in->nmods > 1) slot->fn = dec_lop3;
  if (!slot->fn && is_video(in->op)) slot->fn = dec_video;
  if (!slot->fn) slot->fn = dec_float_family(in);
  uint8_t place[DEC_MODS];
  slot->mixed = false;
  if (slot->fn && !dec_is_form(in, place)) slot->fn = no_form;
  /* Of copies the order says from where to where. */
  const bool free_order = slot->fn && slot->fn != no_form && slot->fn != dec_cp;
  for (uint32_t i = 1; free_order && i < in->nmods; i++) slot->mixed |= place[i] < place[i - 1];
  if (!slot->fn) slot->op = (uint16_t)sg_op_find(in->op, in->mods, in->nmods);
}

/* The instruction with its modifiers in the order of the manual; those of one place keep theirs. */
static const PtxInst *in_order(Decoder *d, const PtxInst *in) {
  uint8_t place[DEC_MODS];
  PtxInst *out = dec_alloc(d, sizeof *out);
  const char **mods = dec_alloc(d, in->nmods * sizeof *mods);
  if (!dec_is_form(in, place)) return in;
  *out = *in;
  out->mods = mods;
  for (uint32_t i = 0; i < in->nmods; i++) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < in->nmods; k++) at += place[k] < place[i] || (place[k] == place[i] && k < i);
    mods[at] = in->mods[i];
  }
  return out;
}

static uint32_t slot_of(const Forms *f, const char *form) {
  uint32_t at = (uint32_t)(((uintptr_t)form * 0x9e3779b97f4a7c15u) >> 40) & (f->buckets - 1);
  while (f->slot[at].form && f->slot[at].form != form) at = (at + 1) & (f->buckets - 1);
  return at;
}

static void grow_forms(Decoder *d) {
  Forms *f = d->forms, old = *f;
  const uint32_t n = old.buckets ? old.buckets * 2 : 1024;
  struct FormSlot *slot = calloc(n, sizeof *slot);
  if (!slot) dec_no_memory(d);
  f->slot = slot;
  f->buckets = n;
  for (uint32_t i = 0; i < old.buckets; i++)
    if (old.slot[i].form) slot[slot_of(f, old.slot[i].form)] = old.slot[i];
  free(old.slot);
}

/* By address: forms are interned, and one that is not costs a second look-up only. */
static const struct FormSlot *find_form(Decoder *d) {
  Forms *f = d->forms;
  if (f->n * 2 >= f->buckets) grow_forms(d);
  struct FormSlot *slot = &f->slot[slot_of(f, d->at->form)];
  if (!slot->form) {
    struct FormSlot found;
    match_form(d, &found);
    *slot = found;
    f->n++;
  }
  return slot;
}

void dec_instruction(Decoder *d, const PtxInst *in) {
  d->at = in;
  d->guard = NO_ROW;
  d->guard_neg = in->pred_neg;
  if (in->pred) {
    if (in->pred->kind != PTX_SYM_REG || in->pred->type != PTX_PRED)
      dec_fail(d, "%s is not a predicate register", in->pred->name);
    d->guard = d->frame->reg[in->pred->id];
  }
  const struct FormSlot *slot = find_form(d);
  d->sub_form = in->form;
  d->sub = slot->sub;
  if (slot->mixed) d->at = in_order(d, in);
  if (slot->fn)
    slot->fn(d);
  else if (slot->op != OP_COUNT)
    decode_row(d, constant_shift(in, (enum Op)slot->op));
  else
    dec_unsupported(d, NULL);
}
