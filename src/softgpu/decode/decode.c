/* From the tree of a kernel to instructions over virtual registers: operands, constants,
 * bodies of functions. */
#include "decode/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INSTRUCTIONS = 4000000, MAX_DEPTH = 64 };

/* --- memory and failure --- */

void dec_no_memory(Decoder *d) {
  d->code = SG_OUT_OF_MEMORY;
  snprintf(d->diag->text, sizeof d->diag->text, "no host memory to decode the module");
  longjmp(d->fail, 1);
}

void *dec_alloc(Decoder *d, size_t bytes) {
  if (d->nblocks == d->blocks_room) {
    const size_t room = d->blocks_room ? d->blocks_room * 2 : 64;
    void **b = realloc(d->blocks, room * sizeof *b);
    if (!b) dec_no_memory(d);
    d->blocks = b;
    d->blocks_room = room;
  }
  void *p = calloc(1, bytes ? bytes : 1);
  if (!p) dec_no_memory(d);
  d->blocks[d->nblocks++] = p;
  return p;
}

void dec_grow(Decoder *d, void *array, uint32_t *room, uint32_t need, size_t size) {
  void **a = array;
  if (need <= *room) return;
  uint32_t more = *room ? *room * 2 : 64;
  while (more < need) more *= 2;
  void *p = realloc(*a, more * size);
  if (!p) dec_no_memory(d);
  *a = p;
  *room = more;
}

void dec_fail(Decoder *d, const char *format, ...) {
  va_list ap;
  if (!d->code) d->code = SG_INVALID_PTX;
  d->diag->line = d->at ? d->at->line : d->frame ? d->frame->f->line : 0;
  d->diag->col = d->at ? d->at->col : 0;
  size_t n = (size_t)snprintf(d->diag->text, sizeof d->diag->text, "line %u: ", d->diag->line);
  va_start(ap, format);
  vsnprintf(d->diag->text + n, sizeof d->diag->text - n, format, ap);
  va_end(ap);
  longjmp(d->fail, 1);
}

/* --- virtual registers, constants, special registers --- */

uint32_t dec_temp(Decoder *d, uint32_t width) {
  dec_grow(d, &d->width, &d->width_room, d->nv + 1, sizeof *d->width);
  d->width[d->nv] = (uint8_t)width;
  return d->nv++;
}

static uint32_t fill(Decoder *d, FillKind kind, uint32_t width, uint64_t bits) {
  const uint64_t key = (bits + (uint64_t)kind * 31 + width) * 0x9e3779b97f4a7c15u;
  if (d->nfills * 2 >= d->fill_buckets) {
    const uint32_t n = d->fill_buckets ? d->fill_buckets * 4 : 256;
    d->fill_hash = dec_alloc(d, n * sizeof *d->fill_hash);
    d->fill_buckets = n;
    for (uint32_t i = 0; i < d->nfills; i++) {
      const uint64_t k =
          (d->fills[i].bits + (uint64_t)d->fills[i].kind * 31 + d->fills[i].width) * 0x9e3779b97f4a7c15u;
      uint32_t at = (uint32_t)(k >> 32) & (n - 1);
      while (d->fill_hash[at]) at = (at + 1) & (n - 1);
      d->fill_hash[at] = i + 1;
    }
  }
  uint32_t at = (uint32_t)(key >> 32) & (d->fill_buckets - 1);
  for (; d->fill_hash[at]; at = (at + 1) & (d->fill_buckets - 1)) {
    const uint32_t i = d->fill_hash[at] - 1;
    if (d->fills[i].kind == kind && d->fills[i].width == width && d->fills[i].bits == bits)
      return d->fills[i].v;
  }
  const uint32_t v = dec_temp(d, width);
  dec_grow(d, &d->fills, &d->fills_room, d->nfills + 1, sizeof *d->fills);
  d->fills[d->nfills].kind = kind;
  d->fills[d->nfills].width = (uint8_t)width;
  d->fills[d->nfills].bits = bits;
  d->fills[d->nfills].v = v;
  d->fill_hash[at] = ++d->nfills;
  return v;
}

uint32_t dec_const(Decoder *d, uint32_t width, uint64_t bits) {
  return fill(d, FILL_CONST, width, width == 8 ? bits : bits & (((uint64_t)1 << (8 * width)) - 1));
}

uint32_t dec_symbol(Decoder *d, uint32_t width, uint64_t bits) { return fill(d, FILL_SHARED, width, bits); }

uint32_t dec_special(Decoder *d, FillKind kind, uint32_t width) { return fill(d, kind, width, 0); }

uint32_t dec_carry(Decoder *d) {
  if (d->carry == NO_ROW) d->carry = dec_temp(d, 1);
  return d->carry;
}

/* --- emission --- */

static Ins *append(Decoder *d, Kind kind) {
  if (d->n >= MAX_INSTRUCTIONS) dec_fail(d, "the kernel is too large once its calls are expanded");
  if (d->n == d->room) {
    uint32_t room = d->room;
    dec_grow(d, &d->ins, &room, d->n + 1, sizeof *d->ins);
    dec_grow(d, &d->locs, &d->room, d->n + 1, sizeof *d->locs);
  }
  Ins *in = &d->ins[d->n];
  memset(in, 0, sizeof *in);
  in->kind = (uint8_t)kind;
  in->d = in->e = in->pred = NO_ROW;
  in->s[0] = in->s[1] = in->s[2] = in->s[3] = NO_ROW;
  in->op = OP_COUNT;
  const PtxInst *at = d->at;
  d->locs[d->n] = at ? (Loc){at->line, at->file, at->src_line, at->outer_file, at->outer_line, 0}
                     : (Loc){d->frame ? d->frame->f->line : 0, 0, 0, 0, 0, 0};
  d->n++;
  return in;
}

Ins *dec_calc(Decoder *d, enum Op op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c) {
  Ins *in = append(d, K_ALU);
  in->op = (uint16_t)op;
  in->fn[0] = d->isa->fn[op][0];
  in->fn[1] = d->isa->fn[op][1];
  in->d = dst;
  in->s[0] = a;
  in->s[1] = b;
  in->s[2] = c;
  in->sub = (uint8_t)dec_sub(d);
  in->flags = sg_op_rows[op].flags;
  return in;
}

Ins *dec_emit(Decoder *d, enum Op op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c) {
  Ins *in = dec_calc(d, op, dst, a, b, c);
  in->pred = d->guard;
  if (d->guard != NO_ROW && d->guard_neg) in->flags |= INS_NEG;
  return in;
}

Ins *dec_control(Decoder *d, Kind kind) { return append(d, kind); }

/* --- operands --- */

uint32_t dec_letter_width(char letter) {
  switch (letter) {
  case 'p':
  case 'b': return 1;
  case 'h':
  case 'H':
  case 'B': return 2;
  case 'x':
  case 'd': return 8;
  default: return 4;
  }
}

char dec_letter(PtxType t) {
  switch (t) {
  case PTX_PRED: return 'p';
  case PTX_B8:
  case PTX_U8:
  case PTX_S8: return 'b';
  case PTX_B16:
  case PTX_U16:
  case PTX_S16: return 'h';
  case PTX_F16: return 'H';
  case PTX_BF16: return 'B';
  case PTX_B32:
  case PTX_U32:
  case PTX_S32:
  case PTX_F16X2:
  case PTX_BF16X2: return 'w';
  case PTX_B64:
  case PTX_U64:
  case PTX_S64: return 'x';
  case PTX_F32: return 'f';
  case PTX_F64: return 'd';
  default: return 0;
  }
}

const PtxOpnd *dec_opnd(Decoder *d, uint32_t i) {
  if (i >= d->at->nopnd) dec_fail(d, "`%s` needs more than %u operands", d->at->form, d->at->nopnd);
  return &d->at->opnd[i];
}

void dec_count(Decoder *d, uint32_t least, uint32_t most) {
  if (d->at->nopnd < least || d->at->nopnd > most)
    dec_fail(d, "`%s` takes %u operands, not %u", d->at->form, d->at->nopnd < least ? least : most,
             d->at->nopnd);
}

bool dec_mod(const Decoder *d, const char *mod) {
  for (uint32_t i = 0; i < d->at->nmods; i++)
    if (strcmp(d->at->mods[i], mod) == 0) return true;
  return false;
}

PtxType dec_type(const Decoder *d, uint32_t from_end) {
  const uint32_t n = d->at->nmods;
  return from_end < n ? ptx_type_by_name(d->at->mods[n - 1 - from_end]) : PTX_T_NONE;
}

uint32_t dec_sub(const Decoder *d) {
  static const struct {
    char mod[8];
    uint32_t bit;
  } bits[] = {{"rz", RND_Z},    {"rm", RND_M},    {"rp", RND_P},      {"ftz", SUB_FTZ},
              {"sat", SUB_SAT}, {"NaN", SUB_NAN}, {"relu", SUB_RELU}, {"xorsign", SUB_XOR}};
  uint32_t sub = 0;
  if (!d->at) return 0;
  if (d->at->form == d->sub_form) return d->sub;
  for (uint32_t i = 0; i < d->at->nmods; i++) {
    const char *m = d->at->mods[i];
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
      if (strcmp(m, bits[k].mod) == 0) sub |= bits[k].bit;
  }
  return sub;
}

static bool is_register(const PtxOpnd *o) {
  return o->kind == PTX_O_SYM && o->sym && o->sym->kind == PTX_SYM_REG && !o->imm;
}

uint32_t dec_wide(Decoder *d, const PtxOpnd *o) {
  if (!is_register(o) || o->sym->type != PTX_B128 || o->part || o->comp)
    dec_fail(d, "`%s` needs a register of 128 bits", d->at->form);
  return d->frame->reg[o->sym->id];
}

static uint32_t reg_of(Decoder *d, const PtxOpnd *o) {
  if (!is_register(o)) dec_fail(d, "`%s` needs a register as operand", d->at->form);
  if (o->sym->type == PTX_B128)
    dec_fail(d, "%s has 128 bits, which `%s` does not take", o->sym->name, d->at->form);
  if (o->part) dec_fail(d, "`%s` takes no part of a register", d->at->form);
  const uint32_t v = d->frame->reg[o->sym->id];
  if (o->comp == 0) {
    if (o->sym->vec > 1) dec_fail(d, "vector register %s is used whole", o->sym->name);
    return v;
  }
  if (o->comp > o->sym->vec) dec_fail(d, "%s has %u components", o->sym->name, o->sym->vec);
  return v + o->comp - 1;
}

uint32_t dec_reg(Decoder *d, const PtxOpnd *o) { return reg_of(d, o); }

static uint32_t typed_reg(Decoder *d, const PtxOpnd *o, char letter) {
  const uint32_t v = reg_of(d, o), want = dec_letter_width(letter);
  const bool is_pred = o->sym->type == PTX_PRED;
  if (d->width[v] != want || is_pred != (letter == 'p'))
    dec_fail(d, "%s does not fit `%s`: the form takes %s%u bits here", o->sym->name, d->at->form,
             letter == 'p' ? "a predicate, " : "", letter == 'p' ? 1 : want * 8);
  return v;
}

uint32_t dec_dst(Decoder *d, const PtxOpnd *o, char letter) {
  if (o->kind == PTX_O_SINK) return dec_temp(d, dec_letter_width(letter));
  return typed_reg(d, o, letter);
}

/* Brings a row to a width, without sign. */
static uint32_t fit(Decoder *d, uint32_t v, uint32_t want) {
  const uint32_t have = d->width[v];
  if (have == want) return v;
  enum Op op = OP_COUNT;
  if (have == 2 && want == 4) op = OP_ext_w_uh;
  if (have == 2 && want == 8) op = OP_ext_x_uh;
  if (have == 4 && want == 8) op = OP_ext_x_uw;
  if (have == 4 && want == 2) op = OP_cut_h_w;
  if (have == 8 && want == 4) op = OP_cut_w_x;
  if (have == 8 && want == 2) op = OP_cut_h_x;
  if (op == OP_COUNT) dec_fail(d, "`%s` cannot take an operand of %u bits here", d->at->form, have * 8);
  const uint32_t t = dec_temp(d, want);
  dec_calc(d, op, t, v, NO_ROW, NO_ROW);
  return t;
}

uint64_t dec_var_address(Decoder *d, const PtxSym *s) {
  if (!s) dec_fail(d, "`%s` needs a name here", d->at->form);
  if (s->kind == PTX_SYM_FUNC) return CODE_WINDOW + (uint64_t)dec_function_number(s) * CODE_STEP;
  if (s->kind != PTX_SYM_VAR) dec_fail(d, "%s is not a variable", s->name);
  switch (s->space) {
  case PTX_GLOBAL:
  case PTX_CONST:
    if (!s->user) dec_fail(d, "variable %s is declared but nowhere defined", s->name);
    return ((const SgAlloc *)s->user)->base;
  case PTX_SHARED: return dec_shared_address(d, s);
  case PTX_LOCAL:
  case PTX_PARAM:
    if (!s->func)
      dec_fail(d, "variable %s: module-level .local and .param variables are not supported", s->name);
    for (const Frame *f = d->frame; f; f = f->up)
      if (f->f == s->func && f->place[s->id] != NO_ROW) return f->place[s->id];
    dec_fail(d, "%s is not visible here", s->name);
  default: dec_fail(d, "%s has no address", s->name);
  }
}

static uint64_t float_bits(Decoder *d, const PtxOpnd *o, char letter) {
  double v;
  if (o->kind == PTX_O_F32) {
    float f;
    const uint32_t u = (uint32_t)o->imm;
    if (letter != 'd') return u;
    memcpy(&f, &u, sizeof f);
    v = (double)f;
  } else if (o->kind == PTX_O_F64) {
    memcpy(&v, &o->imm, sizeof v);
  } else {
    v = (double)(int64_t)o->imm;
  }
  if (letter == 'd' || letter == 'x') {
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    return u;
  }
  if (letter != 'f' && letter != 'w') dec_fail(d, "`%s` cannot take a float constant here", d->at->form);
  const float f = (float)v;
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

/* Floating point constants are for floating point types, and for bits of their size; integers for all others.
 */
static void check_constant(Decoder *d, const PtxOpnd *o, char letter) {
  const PtxType t = dec_type(d, 0);
  const bool real = o->kind != PTX_O_INT;
  bool fits = real ? letter == 'f' || letter == 'd' : !strchr("fdHB", letter);
  if (real && letter == 'w') fits = t == PTX_T_NONE || t == PTX_F32 || (t == PTX_B32 && o->kind == PTX_O_F32);
  if (real && letter == 'x') fits = t == PTX_T_NONE || t == PTX_F64 || (t == PTX_B64 && o->kind == PTX_O_F64);
  if (!fits && !d->at->call) dec_fail(d, "`%s` takes no such constant", d->at->form);
}

uint32_t dec_src(Decoder *d, const PtxOpnd *o, char letter) {
  const uint32_t width = dec_letter_width(letter);
  switch (o->kind) {
  case PTX_O_SYM:
    if (o->sym && o->sym->kind == PTX_SYM_REG) {
      const uint32_t v = typed_reg(d, o, letter);
      if (!o->neg) return v;
      if (letter != 'p') dec_fail(d, "%s cannot be negated here", o->sym->name);
      const uint32_t t = dec_temp(d, 1);
      dec_calc(d, OP_not_p, t, v, NO_ROW, NO_ROW);
      return t;
    }
    if (letter == 'w' || letter == 'x') {
      const uint64_t at = dec_var_address(d, o->sym) + o->imm;
      const bool local = o->sym->kind == PTX_SYM_VAR && dec_is_local(d, o->sym);
      const uint32_t base = local ? dec_local_base(d) : NO_ROW;
      if (o->sym->kind == PTX_SYM_VAR && o->sym->space == PTX_SHARED)
        return dec_shared_symbol(d, width, at, o->sym);
      if (base == NO_ROW) return dec_const(d, width, at);
      const uint32_t t = dec_temp(d, 8);
      dec_calc(d, OP_add_x, t, base, dec_const(d, 8, at), NO_ROW);
      return fit(d, t, width);
    }
    break;
  case PTX_O_SREG: return fit(d, dec_special_register(d, o->name), width);
  case PTX_O_INT:
    check_constant(d, o, letter);
    if (letter == 'f' || letter == 'd') return dec_const(d, width, float_bits(d, o, letter));
    if (letter == 'p') return dec_const(d, 1, o->imm != 0);
    return dec_const(d, width, o->imm);
  case PTX_O_F32:
  case PTX_O_F64: check_constant(d, o, letter); return dec_const(d, width, float_bits(d, o, letter));
  default: break;
  }
  dec_fail(d, "`%s` cannot take this operand", d->at->form);
}

void dec_move(Decoder *d, uint32_t dst, uint32_t src, bool guarded) {
  const uint32_t w = d->width[dst];
  const enum Op op = w == 1 ? OP_mov_b : w == 2 ? OP_mov_h : w == 4 ? OP_mov_w : OP_mov_x;
  if (guarded)
    dec_emit(d, op, dst, src, NO_ROW, NO_ROW);
  else
    dec_calc(d, op, dst, src, NO_ROW, NO_ROW);
}

/* --- functions --- */

/* Marks what a branch leads to. */
static void mark_leaders(Frame *fr) {
  for (uint32_t i = 0; i < fr->f->ninst; i++) {
    const PtxInst *in = &fr->f->inst[i];
    for (uint32_t j = 0; j < in->nopnd; j++) {
      const PtxSym *s = in->opnd[j].kind == PTX_O_SYM ? in->opnd[j].sym : NULL;
      if (!s || s->kind != PTX_SYM_LABEL) continue;
      if (s->nbranch_targets == 0) fr->leader[s->target] = 1;
      for (size_t t = 0; t < s->nbranch_targets; t++) fr->leader[s->branch_targets[t]->target] = 1;
    }
  }
}

/* The body of fr->f; its parameters have their places already. */
void dec_function(Decoder *d, Frame *fr) {
  const PtxFunc *f = fr->f;
  Frame *caller = d->frame;
  const uint32_t first_fix = d->nfix;
  fr->up = caller;
  fr->depth = caller ? caller->depth + 1 : 0;
  if (fr->depth > MAX_DEPTH) dec_fail(d, "calls are nested too deeply");
  for (uint32_t i = 0; i < f->nsyms; i++) {
    const PtxSym *s = f->syms[i];
    if (s->kind == PTX_SYM_REG) {
      const bool wide = s->type == PTX_B128 && s->vec == 1; /* two of 64 bits */
      const size_t width = wide ? 8 : ptx_type_size(s->type);
      if (width == 0 || width > 8) dec_fail(d, "registers of %s's type are not supported", s->name);
      if (fr->reg[s->id] != NO_ROW) continue; /* a parameter that is passed in a register */
      fr->reg[s->id] = dec_temp(d, (uint32_t)width);
      for (int c = 1; c < s->vec + wide; c++) dec_temp(d, (uint32_t)width);
    } else if (s->kind == PTX_SYM_VAR && fr->place[s->id] == NO_ROW &&
               (s->space == PTX_LOCAL || s->space == PTX_PARAM)) {
      fr->place[s->id] = dec_local_room(d, s->size, s->align);
    }
  }
  d->frame = fr;
  mark_leaders(fr);
  const bool takes = !f->entry && dec_takes_stack(f);
  const uint32_t taken = takes ? dec_temp(d, 8) : NO_ROW;
  if (takes) dec_move(d, taken, d->taken, false);
  for (uint32_t i = 0; i < f->ninst; i++) {
    fr->pc[i] = d->n;
    d->at = &f->inst[i];
    if (fr->leader[i]) dec_control(d, K_LEADER);
    dec_instruction(d, &f->inst[i]);
  }
  d->guard = NO_ROW;
  fr->pc[f->ninst] = d->n;
  if (takes) dec_move(d, d->taken, taken, false);
  for (uint32_t i = first_fix; i < d->nfix; i++) {
    const Fixup *x = &d->fix[i];
    if (x->list)
      d->targets[x->ins] = fr->pc[x->inst];
    else
      d->ins[x->ins].target = fr->pc[x->inst];
  }
  d->nfix = first_fix;
  d->frame = caller;
}

Frame *dec_frame(Decoder *d, const PtxFunc *f) {
  Frame *fr = dec_alloc(d, sizeof *fr);
  fr->f = f;
  fr->reg = dec_alloc(d, f->nregs * sizeof *fr->reg);
  fr->place = dec_alloc(d, (f->nsyms + 1) * sizeof *fr->place);
  for (uint32_t i = 0; i < f->nregs; i++) fr->reg[i] = NO_ROW;
  for (uint32_t i = 0; i <= f->nsyms; i++) fr->place[i] = NO_ROW;
  fr->pc = dec_alloc(d, (f->ninst + 1) * sizeof *fr->pc);
  fr->leader = dec_alloc(d, f->ninst + 1);
  return fr;
}

/* Kernel parameters lie one after the other, each at a multiple of its alignment. */
static void place_params(Decoder *d, const PtxFunc *f, Frame *fr) {
  SgKernel *k = d->k;
  SgParam *params = calloc(f->nparams + 1, sizeof *params);
  if (!params) dec_no_memory(d);
  k->info.params = params;
  k->info.nparams = f->nparams;
  uint32_t at = 0;
  for (uint32_t i = 0; i < f->nparams; i++) {
    const PtxSym *s = f->params[i];
    const uint32_t align = s->align ? s->align : 1;
    at = (at + align - 1) & ~(align - 1);
    if (s->kind != PTX_SYM_VAR || s->size > 32764 || at > 32764)
      dec_fail(d, "parameter %s of an entry must be a .param variable of at most 32764 bytes", s->name);
    params[i] = (SgParam){at, (uint32_t)s->size, align};
    fr->place[s->id] = at;
    at += (uint32_t)s->size;
  }
  k->info.param_bytes = at;
}

static void decode_entry(Decoder *d, const PtxFunc *f) {
  Frame *fr = dec_frame(d, f);
  place_params(d, f, fr);
  dec_plan_calls(d, f);
  dec_place_shared(d);
  for (uint32_t i = 0; i < d->nroutines; i++) dec_routine(d, &d->routines[i]);
  d->entry_start = d->n;
  Ins *stack = d->stacks ? dec_calc(d, OP_mov_x, d->sp, NO_ROW, NO_ROW, NO_ROW) : NULL;
  const uint32_t stack_at = d->n - 1;
  if (d->taken != NO_ROW) dec_move(d, d->taken, dec_special(d, FILL_STACK_END, 8), false);
  dec_function(d, fr);
  d->at = NULL;
  dec_control(d, K_EXIT);
  if (stack) {
    dec_local_room(d, 0, STACK_ALIGN);
    d->ins[stack_at].s[0] = dec_const(d, 8, d->local_bytes);
  }
  SgKernelInfo *info = &d->k->info;
  info->shared_bytes = d->shared_bytes;
  info->local_bytes = d->local_bytes;
  info->max_threads = MAX_LANES;
  const uint64_t maxntid =
      (uint64_t)f->maxntid[0] * (f->maxntid[1] ? f->maxntid[1] : 1) * (f->maxntid[2] ? f->maxntid[2] : 1);
  uint64_t reqntid = f->reqntid[0];
  info->explicit_cluster = f->explicit_cluster;
  for (int i = 0; i < 3; i++) info->cluster[i] = f->cluster[0] && !f->cluster[i] ? 1 : f->cluster[i];
  for (int i = 0; i < 3; i++) info->reqntid[i] = f->reqntid[0] && !f->reqntid[i] ? 1 : f->reqntid[i];
  if (reqntid) reqntid = (uint64_t)info->reqntid[0] * info->reqntid[1] * info->reqntid[2];
  if (maxntid && maxntid < info->max_threads) info->max_threads = (uint32_t)maxntid;
  if (reqntid && reqntid < info->max_threads) info->max_threads = (uint32_t)reqntid;
  dec_finish(d);
}

bool dec_kernel(SgModule *m, const PtxModule *px, const PtxFunc *f, SgKernel *k, Forms *forms, const Isa *isa,
                SgDiag *diag, int *code) {
  Decoder *d = calloc(1, sizeof *d);
  if (!d) {
    *code = SG_OUT_OF_MEMORY;
    return false;
  }
  d->module = m;
  d->px = px;
  d->k = k;
  d->isa = isa;
  d->forms = forms;
  d->diag = diag;
  d->carry = NO_ROW;
  d->guard = NO_ROW;
  if (setjmp(d->fail) == 0) decode_entry(d, f);
  *code = d->code;
  for (size_t i = 0; i < d->nblocks; i++) free(d->blocks[i]);
  free(d->blocks);
  free(d->ins);
  free(d->locs);
  free(d->targets);
  free(d->fix);
  free(d->calls);
  free(d->width);
  free(d->shared);
  free(d->fills);
  free(d);
  return *code == 0;
}
