/* Calls: expanded in place, or made, to a routine, through a pointer, or to a function of the device.
 *
 * A real call passes its arguments through one area of local memory, its results through another; routines
 * that call others copy what they were given. The pc to return to is in the register d->link. */
#include "decode/decode.h"

#include "decode/builtin.h"

static uintptr_t taken_bit = 1;

/* A function's symbol remembers its number in the module, and whether its address is used as a value. */
uint32_t dec_function_number(const PtxSym *s) { return (uint32_t)((uintptr_t)s->user >> 1); }
bool dec_function_taken(const PtxSym *s) { return (uintptr_t)s->user & taken_bit; }

static void take(PtxSym *s) {
  if (s && s->kind == PTX_SYM_FUNC) s->user = (void *)((uintptr_t)s->user | taken_bit);
}

static void take_operand(const PtxOpnd *o) {
  take(o->sym);
  for (uint32_t i = 0; i < o->nsub; i++) take_operand(&o->sub[i]);
}

void dec_number_functions(const PtxModule *px) {
  for (uint32_t i = 0; i < px->nfuncs; i++) px->funcs[i]->sym->user = (void *)((uintptr_t)i << 1);
  for (uint32_t i = 0; i < px->nvars; i++)
    for (size_t k = 0; k < px->vars[i]->ninit; k++) take(px->vars[i]->init[k].sym);
  for (uint32_t i = 0; i < px->nfuncs; i++) {
    const PtxFunc *f = px->funcs[i];
    for (uint32_t k = 0; k < f->nsyms; k++)
      for (size_t e = 0; e < f->syms[k]->ninit; e++) take(f->syms[k]->init[e].sym);
    for (uint32_t k = 0; k < f->ninst; k++) {
      for (uint32_t j = 0; j < f->inst[k].nopnd; j++) take_operand(&f->inst[k].opnd[j]);
      for (uint32_t j = 0; f->inst[k].call && j < f->inst[k].call->nargs; j++)
        take_operand(&f->inst[k].call->args[j]);
    }
  }
}

const PtxFunc *dec_call_type(const PtxCall *c) {
  const PtxSym *t = c->target.sym, *p = c->proto;
  if (!t) return NULL;
  if (t->kind == PTX_SYM_FUNC) return t->def;
  if (!p) return NULL;
  if (p->kind == PTX_SYM_PROTO) return p->def;
  return p->nbranch_targets && p->branch_targets[0]->kind == PTX_SYM_FUNC ? p->branch_targets[0]->def : NULL;
}

uint32_t dec_layout(PtxSym *const *params, uint32_t n, uint32_t *offsets) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t align = params[i]->align ? params[i]->align : 1;
    at = (at + align - 1) & ~(align - 1);
    if (offsets) offsets[i] = (uint32_t)at;
    at += params[i]->size;
    if (at > UINT32_MAX / 2) return UINT32_MAX / 2; /* more than local memory: refused where room is taken */
  }
  return (uint32_t)at;
}

/* --- values between registers and local memory --- */

typedef struct Place {
  uint32_t base;
  uint32_t at;
  uint8_t space;
} Place;

static Place place_of(Decoder *d, const PtxOpnd *o) {
  if (o->sym->space != PTX_PARAM && o->sym->space != PTX_LOCAL)
    dec_fail(d, "%s cannot be passed to a parameter", o->sym->name);
  const bool local = dec_is_local(d, o->sym);
  return (Place){local ? dec_local_base(d) : NO_ROW, (uint32_t)(dec_var_address(d, o->sym) + o->imm),
                 local ? SP_LOCAL : SP_PARAM};
}

static bool is_var(const PtxOpnd *o) { return o->kind == PTX_O_SYM && o->sym && o->sym->kind == PTX_SYM_VAR; }
static bool is_reg(const PtxOpnd *o) { return o->kind == PTX_O_SYM && o->sym && o->sym->kind == PTX_SYM_REG; }

/* The way of arguments and results is not the program's doing. */
static void own_load(Decoder *d, uint32_t dst, Place from, uint64_t offset, PtxType type) {
  dec_load(d, dst, from.base, (int64_t)(from.at + offset), from.space, type, false);
  d->ins[d->n - 1].traits |= TRAIT_OWN;
}

static void own_store(Decoder *d, uint32_t src, Place to, uint64_t offset, uint32_t bytes) {
  dec_store(d, src, to.base, (int64_t)(to.at + offset), SP_LOCAL, bytes, false);
  d->ins[d->n - 1].traits |= TRAIT_OWN;
}

static void copy(Decoder *d, Place to, Place from, uint64_t bytes) {
  static const PtxType types[] = {PTX_B8, PTX_B16, PTX_B32, PTX_B64};
  for (uint64_t i = 0; i < bytes;) {
    uint32_t k = 3;
    while (((to.at + i) | (from.at + i)) & ((1u << k) - 1) || i + (1u << k) > bytes) k--;
    const uint32_t t = dec_temp(d, 1u << k);
    own_load(d, t, from, i, types[k]);
    own_store(d, t, to, i, 1u << k);
    i += 1u << k;
  }
}

/* The argument's value, in a register. */
static uint32_t value_of(Decoder *d, const PtxOpnd *o, const PtxSym *param) {
  const char letter = dec_letter(param->type);
  return is_reg(o) ? dec_reg(d, o) : dec_src(d, o, letter && letter != 'b' ? letter : 'w');
}

static void put(Decoder *d, Place to, const PtxOpnd *arg, const PtxSym *param) {
  if (is_var(arg)) {
    const uint64_t left = arg->sym->size > arg->imm ? arg->sym->size - arg->imm : 0;
    copy(d, to, place_of(d, arg), left < param->size ? left : param->size);
    return;
  }
  const uint32_t v = value_of(d, arg, param);
  const uint32_t bytes = d->width[v] < param->size ? d->width[v] : (uint32_t)param->size;
  if (bytes) own_store(d, v, to, 0, bytes);
}

static void get(Decoder *d, const PtxOpnd *to, Place from, const PtxSym *ret) {
  if (is_var(to)) {
    const Place p = place_of(d, to);
    if (p.space != SP_LOCAL) dec_fail(d, "the kernel's parameter %s cannot take a result", to->sym->name);
    copy(d, p, from, to->sym->size < ret->size ? to->sym->size : ret->size);
  } else if (is_reg(to)) {
    own_load(d, dec_reg(d, to), from, 0, ret->type);
  }
}

/* --- expanded in place --- */

/* A parameter of the callee lies where the caller has its argument, if that is a variable. */
static uint32_t share_place(Decoder *d, const PtxOpnd *o, const PtxSym *param, bool argument) {
  if (is_var(o) && dec_is_local(d, o->sym)) return place_of(d, o).at;
  const uint32_t at = dec_local_room(d, param->size, param->align);
  if (argument) put(d, (Place){dec_local_base(d), at, SP_LOCAL}, o, param);
  return at;
}

static uint32_t share_register(Decoder *d, const PtxOpnd *o, const PtxSym *param, bool argument) {
  const uint32_t t = dec_temp(d, (uint32_t)ptx_type_size(param->type));
  if (!argument) return t;
  const uint32_t v = is_reg(o) ? dec_reg(d, o) : dec_src(d, o, dec_letter(param->type));
  if (d->width[v] != d->width[t]) dec_fail(d, "an argument does not fit parameter %s", param->name);
  dec_move(d, t, v, false);
  return t;
}

static void share(Decoder *d, Frame *callee, const PtxOpnd *o, const PtxSym *param, bool argument) {
  if (param->kind != PTX_SYM_REG)
    callee->place[param->id] = share_place(d, o, param, argument);
  else if (param->vec > 1 || ptx_type_size(param->type) > 8)
    dec_fail(d, "parameter %s: vectors in registers are not supported", param->name);
  else
    callee->reg[param->id] = share_register(d, o, param, argument);
}

static void expand(Decoder *d, const PtxCall *c, const PtxFunc *f) {
  const PtxInst *at = d->at;
  Frame *callee = dec_frame(d, f);
  for (uint32_t i = 0; i < c->nargs; i++) share(d, callee, &c->args[i], f->params[i], true);
  for (uint32_t i = 0; i < c->nrets; i++) share(d, callee, &c->rets[i], f->rets[i], false);
  dec_function(d, callee);
  /* Returns branch to here. */
  d->at = at;
  dec_control(d, K_LEADER);
  for (uint32_t i = 0; i < c->nrets; i++) {
    const PtxOpnd *o = &c->rets[i];
    const PtxSym *r = f->rets[i];
    if (is_var(o) || o->kind != PTX_O_SYM) continue;
    if (r->kind == PTX_SYM_REG) {
      if (d->width[dec_reg(d, o)] != d->width[callee->reg[r->id]])
        dec_fail(d, "%s does not fit the result of %s", o->sym->name, f->name);
      dec_move(d, dec_reg(d, o), callee->reg[r->id], false);
    } else {
      get(d, o, (Place){dec_local_base(d), callee->place[r->id], SP_LOCAL}, r);
    }
  }
}

/* --- really made --- */

static void note_call(Decoder *d, uint32_t to) {
  const uint32_t from = d->routine ? (uint32_t)(d->routine - d->routines) : d->nroutines;
  if (d->ncalls && d->calls[d->ncalls - 1][0] == from && d->calls[d->ncalls - 1][1] == to) return;
  dec_grow(d, &d->calls, &d->calls_room, d->ncalls + 1, sizeof *d->calls);
  d->calls[d->ncalls][0] = from;
  d->calls[d->ncalls++][1] = to;
}

/* May this call come back to the routine that makes it? */
static bool comes_back(const Decoder *d, uint32_t to) {
  const Routine *r = d->routine;
  if (!r || !r->cyclic) return false;
  return r->component == (to == NO_ROW ? d->pointer_component : d->routines[to].component);
}

/* Around a call of a cyclic routine: the stack pointer is moved, registers are saved where the call may come
 * back. finish.c knows which, and how large the frame is. */
static void stack(Decoder *d, enum Op op, bool saves) {
  Ins *in = dec_calc(d, op, d->sp, d->sp, NO_ROW, NO_ROW);
  in->flags |= INS_IMPURE;
  in->target = (uint32_t)(d->routine - d->routines);
  in->imm = saves;
}

static void make_call(Decoder *d, const PtxCall *c) {
  const bool direct = c->target.sym->kind == PTX_SYM_FUNC;
  const uint32_t to = direct ? d->routine_of[dec_function_number(c->target.sym)] : NO_ROW;
  const bool moves = dec_local_base(d) != NO_ROW, saves = comes_back(d, to);
  const uint32_t pointer = direct ? NO_ROW : dec_src(d, &c->target, 'x');
  if (moves) stack(d, OP_save, saves);
  Ins *in = dec_control(d, direct ? K_CALL : K_CALLX);
  in->d = d->link;
  in->s[0] = pointer;
  in->target = to;
  dec_control(d, K_LEADER);
  if (moves) stack(d, OP_restore, saves);
  note_call(d, to);
}

static void call_builtin(Decoder *d, const PtxFunc *f) {
  uint32_t number;
  const SgBuiltin *b = sg_builtin_find(f->name, &number);
  if (!b)
    dec_fail(d, "unsupported instruction `%s`: function %s has no definition in the module", d->at->form,
             f->name);
  const bool fits = !f->nrets || dec_layout(f->rets, f->nrets, NULL) == b->result_bytes;
  if (!fits || dec_layout(f->params, f->nparams, NULL) != b->arg_bytes)
    dec_fail(d, "%s is declared with other parameters or results than the device's function has", f->name);
  d->k->info.prints |= b->does == SG_PRINTS;
  d->k->info.allocates |= b->does == SG_ALLOCATES;
  Ins *in = dec_calc(d, OP_builtin, NO_ROW, NO_ROW, NO_ROW, NO_ROW);
  in->kind = K_MEM;
  in->sub = SP_LOCAL;
  in->target = number;
  in->imm = (int64_t)((uint64_t)d->ret_area << 32 | d->arg_area);
}

static void real_call(Decoder *d, const PtxCall *c, const PtxFunc *type) {
  const uint32_t most = type->nparams > type->nrets ? type->nparams : type->nrets;
  uint32_t *at = dec_alloc(d, most * sizeof *at);
  dec_layout(type->params, type->nparams, at);
  for (uint32_t i = 0; i < c->nargs; i++)
    put(d, (Place){NO_ROW, d->arg_area + at[i], SP_LOCAL}, &c->args[i], type->params[i]);
  if (c->target.sym->kind == PTX_SYM_FUNC && !type->has_body)
    call_builtin(d, type);
  else
    make_call(d, c);
  dec_layout(type->rets, type->nrets, at);
  for (uint32_t i = 0; i < c->nrets; i++)
    get(d, &c->rets[i], (Place){NO_ROW, d->ret_area + at[i], SP_LOCAL}, type->rets[i]);
}

void dec_call(Decoder *d) {
  const PtxCall *c = d->at->call;
  if (!c || !c->target.sym) dec_unsupported(d, NULL);
  const PtxFunc *f = dec_call_type(c);
  if (!f) dec_fail(d, "a call through a pointer needs a prototype");
  if (f->entry) dec_fail(d, "a kernel cannot be called");
  if (c->nargs != f->nparams || c->nrets != f->nrets)
    dec_fail(d, "%s takes %u parameters and gives %u results", f->name, f->nparams, f->nrets);
  const uint32_t skip = dec_skip_begin(d);
  if (c->target.sym->kind == PTX_SYM_FUNC && d->in_place[dec_function_number(c->target.sym)])
    expand(d, c, f);
  else
    real_call(d, c, f);
  dec_skip_end(d, skip);
}

/* --- the called side --- */

void dec_routine(Decoder *d, Routine *r) {
  const PtxFunc *f = r->f;
  Frame *fr = dec_frame(d, f);
  uint32_t *args = dec_alloc(d, f->nparams * sizeof *args), *rets = dec_alloc(d, f->nrets * sizeof *rets);
  dec_layout(f->params, f->nparams, args);
  dec_layout(f->rets, f->nrets, rets);
  d->routine = r;
  d->at = f->ninst ? &f->inst[0] : NULL; /* for the places of what is added in front */
  d->guard = NO_ROW;
  r->start = d->n;
  const uint32_t base = dec_local_base(d);
  dec_control(d, K_LEADER);
  if (r->cyclic) {
    Ins *in = dec_calc(d, OP_enter, NO_ROW, d->sp, d->taken, NO_ROW);
    in->kind = K_MEM;
    in->sub = SP_LOCAL;
    in->target = (uint32_t)(r - d->routines);
  }
  r->link = d->link;
  if (!r->leaf) dec_move(d, r->link = dec_temp(d, d->width[d->link]), d->link, false);
  for (uint32_t i = 0; i < f->nparams; i++) {
    const PtxSym *s = f->params[i];
    const Place from = {NO_ROW, d->arg_area + args[i], SP_LOCAL};
    fr->place[s->id] = r->leaf ? from.at : dec_local_room(d, s->size, s->align);
    if (!r->leaf) copy(d, (Place){base, fr->place[s->id], SP_LOCAL}, from, s->size);
  }
  for (uint32_t i = 0; i < f->nrets; i++) {
    const PtxSym *s = f->rets[i];
    fr->place[s->id] = r->leaf ? d->ret_area + rets[i] : dec_local_room(d, s->size, s->align);
  }
  dec_function(d, fr);
  dec_control(d, K_LEADER);
  for (uint32_t i = 0; i < f->nrets && !r->leaf; i++) {
    const PtxSym *s = f->rets[i];
    copy(d, (Place){NO_ROW, d->ret_area + rets[i], SP_LOCAL}, (Place){base, fr->place[s->id], SP_LOCAL},
         s->size);
  }
  dec_control(d, K_RET)->s[0] = r->link;
  r->end = d->n;
  d->routine = NULL;
  d->at = NULL;
}
