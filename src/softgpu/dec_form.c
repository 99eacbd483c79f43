/* Which form an instruction is: one of a family that has a function of its own, or a row of ops.def. */
#include "decode.h"

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
    {"mapa", dec_mapa},
    {"getctarank", dec_getctarank},
    {"cp", dec_cp},
    {"mbarrier", dec_mbarrier},
    {"nanosleep", dec_nanosleep},
    {"membar", dec_fence},
    {"fence", dec_fence},
    {"createpolicy", dec_createpolicy},
    {"prefetch", dec_nop},
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
};

struct FormSlot {
  const char *form;
  DecodeFn *fn;
  uint16_t op;
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
  d->code = 218;
  dec_fail(d, "`%s` is no form that PTX has", d->at->form);
}

static void match_form(Decoder *d, struct FormSlot *slot) {
  const PtxInst *in = d->at;
  slot->form = in->form;
  slot->op = OP_COUNT;
  slot->fn = NULL;
  for (uint32_t i = 0; i < in->nmods; i++)
    if (strcmp(in->mods[i], "cc") == 0) slot->fn = dec_carry_op;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strcmp(families[i].op, in->op) == 0) slot->fn = families[i].fn;
  if (strcmp(in->op, "lop3") == 0 && in->nmods > 1) slot->fn = dec_lop3;
  if (!slot->fn && is_video(in->op)) slot->fn = dec_video;
  if (slot->fn && !dec_is_form(in)) slot->fn = no_form;
  if (!slot->fn) slot->op = (uint16_t)sg_op_find(in->op, in->mods, in->nmods);
}

static struct FormSlot *find_form(Decoder *d) {
  if (d->nforms * 2 >= d->form_buckets) {
    const uint32_t n = d->form_buckets ? d->form_buckets * 2 : 1024;
    struct FormSlot *old = d->forms, *slots = dec_alloc(d, n * sizeof *slots);
    for (uint32_t i = 0; i < d->form_buckets; i++) {
      if (!old[i].form) continue;
      uint32_t at = (uint32_t)(((uintptr_t)old[i].form * 0x9e3779b97f4a7c15u) >> 40) & (n - 1);
      while (slots[at].form) at = (at + 1) & (n - 1);
      slots[at] = old[i];
    }
    d->forms = slots;
    d->form_buckets = n;
  }
  /* By address: forms are interned, and one that is not costs a second look-up only. */
  uint32_t at = (uint32_t)(((uintptr_t)d->at->form * 0x9e3779b97f4a7c15u) >> 40) & (d->form_buckets - 1);
  while (d->forms[at].form && d->forms[at].form != d->at->form) at = (at + 1) & (d->form_buckets - 1);
  if (!d->forms[at].form) {
    match_form(d, &d->forms[at]);
    d->nforms++;
  }
  return &d->forms[at];
}

void dec_instruction(Decoder *d, const PtxInst *in) {
  d->at = in;
  d->guard = NO_ROW;
  d->guard_neg = in->pred_neg;
  if (in->pred) {
    if (in->pred->kind != PTX_SYM_REG || in->pred->type != PTX_PRED)
      dec_fail(d, "%s is no predicate register", in->pred->name);
    d->guard = d->frame->reg[in->pred->id];
  }
  const struct FormSlot *slot = find_form(d);
  if (slot->fn)
    slot->fn(d);
  else if (slot->op != OP_COUNT)
    decode_row(d, constant_shift(in, (enum Op)slot->op));
  else
    dec_unsupported(d, NULL);
}
