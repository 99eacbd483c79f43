/* Loads, stores and atomic operations: spaces, modifiers, vectors, and the register that an address is in. */
#include "decode/decode.h"

#include <string.h>

typedef struct Access {
  PtxSpace space;
  bool param_entry; /* .param of the kernel, read from an entry */
  bool strong;      /* may be waiting for another thread: volatile, relaxed, acquire, .cv, .cg */
  uint8_t traits;
  uint32_t vec;
  PtxType type;
  bool wide;      /* .b128: two words of 64 bits, the type says */
  const char *op; /* atom: add, min, ... */
} Access;

static bool one_of(const char *s, const char *list) {
  const size_t n = strlen(s);
  for (const char *p = list; *p;) {
    const size_t m = strcspn(p, " ");
    if (m == n && memcmp(p, s, n) == 0) return true;
    p += m + (p[m] == ' ');
  }
  return false;
}

static bool parse_space(const char *m, PtxSpace *space) {
  if (strcmp(m, "global") == 0)
    *space = PTX_GLOBAL;
  else if (one_of(m, "shared shared::cta shared::cluster"))
    *space = PTX_SHARED;
  else if (strcmp(m, "local") == 0)
    *space = PTX_LOCAL;
  else if (one_of(m, "param param::entry param::func"))
    *space = PTX_PARAM;
  else if (strcmp(m, "const") == 0)
    *space = PTX_CONST;
  else
    return false;
  return true;
}

/* Modifiers of ld, st, atom and red; what only concerns caches or the order of memory is accepted and
 * ignored, for lanes see each other's stores at once. */
static Access parse_access(Decoder *d) {
  Access a = {.space = PTX_GENERIC, .vec = 1};
  const bool atom = d->at->op[0] == 'a' || d->at->op[0] == 'r';
  for (uint32_t i = 0; i < d->at->nmods; i++) {
    const char *m = d->at->mods[i];
    const PtxType t = ptx_type_by_name(m);
    if (t != PTX_T_NONE) {
      if (i + 1 != d->at->nmods) dec_unsupported(d, NULL);
      a.type = t;
    } else if (parse_space(m, &a.space)) {
    } else if (one_of(m, "volatile relaxed acquire mmio cv cg")) {
      a.strong = true;
      a.traits |= strcmp(m, "acquire") == 0 ? TRAIT_STRONG | TRAIT_ACQUIRE : TRAIT_STRONG;
    } else if (one_of(m, "release acq_rel sc")) {
      a.traits |= TRAIT_STRONG | TRAIT_RELEASE;
    } else if (strcmp(m, "wt") == 0) {
      a.traits |= TRAIT_STRONG;
    } else if (one_of(m, "weak cta gpu sys cluster ca cs lu nc wb unified noftz") ||
               strncmp(m, "L1::", 4) == 0 || strncmp(m, "L2::", 4) == 0) {
    } else if (one_of(m, "v2 v4 v8")) {
      a.vec = (uint32_t)(m[1] - '0');
    } else if (atom && one_of(m, "add min max and or xor exch cas inc dec")) {
      a.op = m;
    } else {
      dec_unsupported(d, NULL);
    }
  }
  if (a.type == PTX_B128 && a.vec == 1) {
    a.wide = true;
    if (!atom) a.vec = 2, a.type = PTX_B64;
    return a;
  }
  const size_t bytes = ptx_type_size(a.type);
  if (bytes == 0 || bytes > 8 || a.type == PTX_PRED) dec_unsupported(d, NULL);
  a.param_entry = a.space == PTX_PARAM && d->frame->f->entry;
  return a;
}

uint32_t dec_address(Decoder *d, const PtxOpnd *o, PtxSpace space, int64_t *imm) {
  if (o->kind == PTX_O_ADDR && o->nsub) dec_unsupported(d, NULL);
  if (o->kind != PTX_O_ADDR) dec_fail(d, "`%s` needs an address in brackets", d->at->form);
  *imm = (int64_t)o->imm;
  if (!o->sym) return NO_ROW;
  if (o->sym->kind == PTX_SYM_REG) {
    PtxOpnd r = *o;
    r.kind = PTX_O_SYM;
    r.imm = 0;
    const uint32_t v = dec_reg(d, &r);
    if (d->width[v] != 8 && d->width[v] != 4) dec_fail(d, "%s is not an address register", o->sym->name);
    return v;
  }
  uint64_t at = dec_var_address(d, o->sym);
  if (space == PTX_GENERIC && o->sym->kind == PTX_SYM_VAR) {
    if (o->sym->space == PTX_SHARED) at += sg_arena_shared_window();
    if (o->sym->space == PTX_LOCAL) at += sg_arena_local_window();
  }
  *imm = (int64_t)((uint64_t)*imm + at);
  return o->sym->kind == PTX_SYM_VAR && dec_is_local(d, o->sym) ? dec_local_base(d) : NO_ROW;
}

/* Parameters: those of the entry, or those of a call, which lie in local memory. */
static uint8_t space_code(Decoder *d, const Access *a, const PtxOpnd *o) {
  switch (a->space) {
  case PTX_SHARED: return SP_SHARED;
  case PTX_LOCAL: return SP_LOCAL;
  case PTX_PARAM:
    if (o->sym && o->sym->kind == PTX_SYM_VAR) {
      const PtxFunc *f = o->sym->func;
      bool is_param = false;
      for (uint32_t i = 0; f && f->entry && i < f->nparams; i++) is_param |= f->params[i] == o->sym;
      return is_param ? SP_PARAM : SP_LOCAL;
    }
    return d->frame->f->entry ? SP_PARAM : SP_LOCAL;
  case PTX_GENERIC: return SP_GENERIC;
  default: return SP_GLOBAL;
  }
}

/* Handler that loads memory of `bytes` into a register of `width`; the ldp handlers have the same order. */
static enum Op load_op(uint32_t width, uint32_t bytes, bool sign) {
  if (bytes == 1)
    return width == 1   ? OP_ld_b_b
           : width == 2 ? (sign ? OP_ld_h_sb : OP_ld_h_ub)
           : width == 4 ? (sign ? OP_ld_w_sb : OP_ld_w_ub)
                        : (sign ? OP_ld_x_sb : OP_ld_x_ub);
  if (bytes == 2)
    return width == 2   ? OP_ld_h_h
           : width == 4 ? (sign ? OP_ld_w_sh : OP_ld_w_uh)
                        : (sign ? OP_ld_x_sh : OP_ld_x_uh);
  if (bytes == 4) return width == 4 ? OP_ld_w_w : sign ? OP_ld_x_sw : OP_ld_x_uw;
  return OP_ld_x_x;
}

static enum Op store_op(uint32_t width, uint32_t bytes) {
  if (bytes == 1) return width == 1 ? OP_st_b_b : width == 2 ? OP_st_b_h : width == 4 ? OP_st_b_w : OP_st_b_x;
  if (bytes == 2) return width == 2 ? OP_st_h_h : width == 4 ? OP_st_h_w : OP_st_h_x;
  if (bytes == 4) return width == 4 ? OP_st_w_w : OP_st_w_x;
  return OP_st_x_x;
}

Ins *dec_access(Decoder *d, enum Op op, uint32_t dst, uint32_t base, uint32_t src, bool guarded) {
  Ins *in = guarded ? dec_emit(d, op, dst, base, src, NO_ROW) : dec_calc(d, op, dst, base, src, NO_ROW);
  in->kind = K_MEM;
  if (base != NO_ROW && d->width[base] == 4) in->flags |= INS_NARROW;
  return in;
}

void dec_load(Decoder *d, uint32_t dst, uint32_t base, int64_t imm, uint8_t space, PtxType t, bool guarded) {
  const uint32_t bytes = (uint32_t)ptx_type_size(t);
  Ins *in = dec_access(d, load_op(d->width[dst], bytes, dec_is_signed(t)), dst, base, NO_ROW, guarded);
  in->imm = imm;
  in->sub = space;
  in->bytes = in->unit = (uint8_t)bytes;
}

void dec_store(Decoder *d, uint32_t src, uint32_t base, int64_t imm, uint8_t space, uint32_t bytes,
               bool guarded) {
  Ins *in = dec_access(d, store_op(d->width[src], bytes), NO_ROW, base, src, guarded);
  in->imm = imm;
  in->sub = space;
  in->bytes = in->unit = (uint8_t)bytes;
  in->flags |= INS_STORE;
}

/* Registers of the operand: one, or those of a vector. */
static const PtxOpnd *elements(Decoder *d, const PtxOpnd *o, uint32_t vec) {
  if (vec == 1) return o;
  if (o->kind != PTX_O_VEC || o->nsub != vec)
    dec_fail(d, "`%s` needs a vector of %u registers", d->at->form, vec);
  return o->sub;
}

static uint32_t load_dst(Decoder *d, const PtxOpnd *o, PtxType t) {
  const uint32_t bytes = (uint32_t)ptx_type_size(t);
  if (o->kind == PTX_O_SINK) return dec_temp(d, bytes);
  const uint32_t v = dec_reg(d, o);
  if (d->width[v] < bytes || o->sym->type == PTX_PRED)
    dec_fail(d, "%s does not fit `%s`", o->sym->name, d->at->form);
  return v;
}

/* A cache policy is one operand more, of 64 bits; it changes nothing here. */
static uint32_t policy(Decoder *d) {
  if (!dec_mod(d, "L2::cache_hint")) return 0;
  dec_src(d, dec_opnd(d, d->at->nopnd - 1), 'x');
  return 1;
}

/* At a known place of the launch parameters: the same for all lanes, and checked here. */
static bool is_known(const DecLoad *l) { return l->space == SP_PARAM && l->base == NO_ROW; }

static void known_parameter(Decoder *d, const DecLoad *l, uint32_t dst, PtxType t, uint32_t at) {
  const uint32_t bytes = (uint32_t)ptx_type_size(t), whole = (uint32_t)ptx_type_size(l->type) * l->n;
  const int64_t imm = l->imm + at;
  if (imm < 0 || (uint64_t)imm + bytes > d->k->info.param_bytes || l->imm % whole)
    dec_fail(d, "`%s` reads beyond the kernel's %u bytes of parameters, or is misaligned", d->at->form,
             d->k->info.param_bytes);
  const enum Op op = load_op(d->width[dst], bytes, dec_is_signed(t)) - OP_ld_h_ub + OP_ldp_h_ub;
  dec_emit(d, op, dst, NO_ROW, NO_ROW, NO_ROW)->imm = imm;
}

void dec_load_part(Decoder *d, const DecLoad *l, uint32_t dst, PtxType t, uint32_t at, bool alone) {
  if (is_known(l)) {
    known_parameter(d, l, dst, t, at);
    return;
  }
  dec_load(d, dst, l->base, alone ? l->imm + at : l->imm, l->space, t, true);
  Ins *in = &d->ins[d->n - 1];
  if (!alone) in->bytes = (uint8_t)(ptx_type_size(l->type) * l->n);
  in->part = alone ? 0 : (uint8_t)at;
  in->traits = l->traits;
  if (l->spins) in->flags |= INS_SPIN;
}

void dec_ld(Decoder *d) {
  const uint32_t hint = policy(d);
  dec_count(d, 2 + hint, 2 + hint);
  const Access a = parse_access(d);
  const PtxOpnd *to = elements(d, dec_opnd(d, 0), a.wide ? 1 : a.vec), *from = dec_opnd(d, 1);
  const uint32_t bytes = (uint32_t)ptx_type_size(a.type), whole = bytes * a.vec;
  DecLoad l = {
      .type = a.type, .n = a.vec, .space = space_code(d, &a, from), .traits = a.traits, .spins = a.strong};
  l.base = dec_address(d, from, a.space, &l.imm);
  if (whole == 0 || whole > 32) dec_unsupported(d, NULL);
  for (uint32_t i = 0; i < a.vec; i++) l.dst[i] = a.wide ? dec_wide(d, to) + i : load_dst(d, &to[i], a.type);
  /* The first elements must not overwrite the address of the others. */
  for (uint32_t i = 0; i + 1 < a.vec && l.base != NO_ROW; i++) {
    if (l.dst[i] != l.base) continue;
    const uint32_t copy = dec_temp(d, d->width[l.base]);
    dec_move(d, copy, l.base, false);
    l.base = copy;
  }
  const uint32_t all = whole == 32 ? UINT32_MAX : ((uint32_t)1 << whole) - 1, used = d->at->used & all;
  if (used && used != all) {
    dec_load_masked(d, &l, used);
    return;
  }
  for (uint32_t i = 0; i < a.vec; i++) dec_load_part(d, &l, l.dst[i], a.type, bytes * i, false);
}

/* A stored value: a register of at least that width, or a constant. */
static uint32_t store_src(Decoder *d, const PtxOpnd *o, PtxType t) {
  const uint32_t bytes = (uint32_t)ptx_type_size(t);
  if (o->kind == PTX_O_SYM && o->sym && o->sym->kind == PTX_SYM_REG) {
    const uint32_t v = dec_reg(d, o);
    if (d->width[v] < bytes || o->sym->type == PTX_PRED)
      dec_fail(d, "%s does not fit `%s`", o->sym->name, d->at->form);
    return v;
  }
  return dec_src(d, o, dec_letter(t));
}

void dec_st(Decoder *d) {
  const char *first = d->at->nmods ? d->at->mods[0] : "";
  if (strcmp(first, "async") == 0 || strcmp(first, "bulk") == 0) {
    if (*first == 'a')
      dec_store_async(d);
    else
      dec_store_bulk(d);
    return;
  }
  const Access a = parse_access(d);
  const uint32_t hint = policy(d);
  dec_count(d, 2 + hint, 2 + hint);
  const PtxOpnd *to = dec_opnd(d, 0), *from = elements(d, dec_opnd(d, 1), a.wide ? 1 : a.vec);
  const uint8_t space = space_code(d, &a, to);
  const uint32_t bytes = (uint32_t)ptx_type_size(a.type);
  int64_t imm;
  const uint32_t base = dec_address(d, to, a.space, &imm);
  if (bytes * a.vec > 32 || a.space == PTX_CONST) dec_unsupported(d, NULL);
  for (uint32_t i = 0; i < a.vec; i++) {
    dec_store(d, a.wide ? dec_wide(d, from) + i : store_src(d, &from[i], a.type), base, imm, space, bytes,
              true);
    Ins *in = &d->ins[d->n - 1];
    in->bytes = (uint8_t)(bytes * a.vec);
    in->part = (uint8_t)(bytes * i);
    in->traits = a.traits;
  }
}

/* --- atom and red --- */

static const struct {
  const char *op;
  PtxType types[4];
  enum Op row;
} atoms[] = {
    {"add", {PTX_U32, PTX_S32}, OP_atom_add_w},
    {"add", {PTX_U64, PTX_S64}, OP_atom_add_x},
    {"add", {PTX_F32}, OP_atom_add_f},
    {"add", {PTX_F64}, OP_atom_add_d},
    {"add", {PTX_F16}, OP_atom_add_H},
    {"add", {PTX_F16X2}, OP_atom_add_HH},
    {"add", {PTX_BF16}, OP_atom_add_B},
    {"add", {PTX_BF16X2}, OP_atom_add_BB},
    {"min", {PTX_U32}, OP_atom_min_uw},
    {"min", {PTX_S32}, OP_atom_min_sw},
    {"min", {PTX_U64}, OP_atom_min_ux},
    {"min", {PTX_S64}, OP_atom_min_sx},
    {"max", {PTX_U32}, OP_atom_max_uw},
    {"max", {PTX_S32}, OP_atom_max_sw},
    {"max", {PTX_U64}, OP_atom_max_ux},
    {"max", {PTX_S64}, OP_atom_max_sx},
    {"min", {PTX_F16}, OP_atom_min_H},
    {"min", {PTX_F16X2}, OP_atom_min_HH},
    {"min", {PTX_BF16}, OP_atom_min_B},
    {"min", {PTX_BF16X2}, OP_atom_min_BB},
    {"max", {PTX_F16}, OP_atom_max_H},
    {"max", {PTX_F16X2}, OP_atom_max_HH},
    {"max", {PTX_BF16}, OP_atom_max_B},
    {"max", {PTX_BF16X2}, OP_atom_max_BB},
    {"and", {PTX_B32}, OP_atom_and_w},
    {"and", {PTX_B64}, OP_atom_and_x},
    {"or", {PTX_B32}, OP_atom_or_w},
    {"or", {PTX_B64}, OP_atom_or_x},
    {"xor", {PTX_B32}, OP_atom_xor_w},
    {"xor", {PTX_B64}, OP_atom_xor_x},
    {"exch", {PTX_B32, PTX_U32, PTX_S32, PTX_F32}, OP_atom_exch_w},
    {"exch", {PTX_B64, PTX_U64, PTX_S64, PTX_F64}, OP_atom_exch_x},
    {"inc", {PTX_U32}, OP_atom_inc_uw},
    {"dec", {PTX_U32}, OP_atom_dec_uw},
    {"cas", {PTX_B16, PTX_U16, PTX_S16}, OP_atom_cas_h},
    {"cas", {PTX_B32, PTX_U32, PTX_S32}, OP_atom_cas_w},
    {"cas", {PTX_B64, PTX_U64, PTX_S64}, OP_atom_cas_x},
    {"exch", {PTX_B128}, OP_atom_exch_q},
    {"cas", {PTX_B128}, OP_atom_cas_q},
};

enum Op dec_atom_row(const char *op, PtxType type) {
  for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++)
    for (int t = 0; t < 4 && atoms[i].types[t] != PTX_T_NONE; t++)
      if (strcmp(atoms[i].op, op) == 0 && atoms[i].types[t] == type) return atoms[i].row;
  return OP_COUNT;
}

Ins *dec_atomic(Decoder *d, enum Op op, uint32_t dst, uint32_t base, uint32_t value, uint8_t space,
                uint32_t bytes) {
  Ins *in = dec_access(d, op, dst, base, value, false);
  in->sub = space;
  in->bytes = in->unit = (uint8_t)bytes;
  in->flags |= INS_STORE | INS_ATOM;
  in->traits = TRAIT_STRONG;
  return in;
}

/* .v2, .v4, .v8: each element is an atomic operation of its own. */
static void atomic_vector(Decoder *d, const Access *a, enum Op op, bool result) {
  const uint32_t r = result ? 1 : 0, hint = policy(d), bytes = (uint32_t)ptx_type_size(a->type);
  const char letter = dec_letter(a->type);
  dec_count(d, r + 2 + hint, r + 2 + hint);
  const PtxOpnd *to =
      result && dec_opnd(d, 0)->kind != PTX_O_SINK ? elements(d, dec_opnd(d, 0), a->vec) : NULL;
  const PtxOpnd *from = elements(d, dec_opnd(d, r + 1), a->vec);
  uint32_t dst[8], value[8];
  int64_t imm;
  uint32_t base = dec_address(d, dec_opnd(d, r), a->space, &imm);
  if (bytes * a->vec > 16) dec_unsupported(d, NULL);
  for (uint32_t i = 0; i < a->vec; i++) {
    value[i] = dec_src(d, &from[i], letter);
    dst[i] = to && to[i].kind != PTX_O_SINK ? dec_temp(d, bytes) : NO_ROW;
  }
  for (uint32_t i = 0; i < a->vec; i++) {
    Ins *in = dec_access(d, op, dst[i], base, value[i], true);
    in->imm = imm;
    in->sub = space_code(d, a, dec_opnd(d, r));
    in->bytes = (uint8_t)(bytes * a->vec);
    in->part = (uint8_t)(bytes * i);
    in->unit = (uint8_t)bytes;
    in->flags |= INS_STORE | INS_ATOM;
    in->traits = a->traits | TRAIT_STRONG;
    if (dst[i] != NO_ROW) in->flags |= INS_SPIN;
  }
  for (uint32_t i = 0; i < a->vec; i++)
    if (dst[i] != NO_ROW) dec_move(d, dec_dst(d, &to[i], letter), dst[i], true);
}

/* exch and cas of 128 bits: registers are two rows, and the new value of cas goes by way of local memory, for
 * an instruction has but four sources. */
static void atomic_wide(Decoder *d, const Access *a, enum Op op) {
  const bool cas = op == OP_atom_cas_q;
  const uint32_t hint = policy(d);
  dec_count(d, 3 + cas + hint, 3 + cas + hint);
  const PtxOpnd *to = dec_opnd(d, 0);
  const uint32_t dst = to->kind == PTX_O_SINK ? NO_ROW : dec_wide(d, to);
  int64_t imm;
  const uint32_t base = dec_address(d, dec_opnd(d, 1), a->space, &imm), v = dec_wide(d, dec_opnd(d, 2));
  uint32_t at = 0;
  if (cas) {
    const uint32_t value = dec_wide(d, dec_opnd(d, 3));
    at = dec_local_room(d, 16, 16);
    for (uint32_t i = 0; i < 2; i++) {
      dec_store(d, value + i, dec_local_base(d), at + 8 * i, SP_LOCAL, 8, false);
      d->ins[d->n - 1].traits |= TRAIT_OWN;
    }
  }
  Ins *in = dec_access(d, op, dst, base, v, true);
  in->e = dst == NO_ROW ? NO_ROW : dst + 1;
  in->s[2] = v + 1;
  in->s[3] = cas ? dec_local_base(d) : NO_ROW;
  in->target = at;
  in->imm = imm;
  in->sub = space_code(d, a, dec_opnd(d, 1));
  in->bytes = in->unit = 16;
  in->flags |= INS_STORE | INS_ATOM;
  in->traits = a->traits | TRAIT_STRONG;
  if (dst != NO_ROW) in->flags |= INS_SPIN;
}

static void atomic(Decoder *d, bool result) {
  const Access a = parse_access(d);
  const enum Op op = a.op ? dec_atom_row(a.op, a.type) : OP_COUNT;
  if (op == OP_COUNT || a.space == PTX_PARAM || a.space == PTX_CONST || a.space == PTX_LOCAL)
    dec_unsupported(d, NULL);
  if (a.vec > 1) {
    atomic_vector(d, &a, op, result);
    return;
  }
  if (a.wide) {
    atomic_wide(d, &a, op);
    return;
  }
  const bool cas = strcmp(a.op, "cas") == 0;
  const char letter = dec_letter(a.type);
  const uint32_t r = result ? 1 : 0, hint = policy(d);
  dec_count(d, r + 2 + cas + hint, r + 2 + cas + hint);
  const PtxOpnd *to = dec_opnd(d, 0);
  const bool wanted = result && to->kind != PTX_O_SINK;
  const uint32_t dst = wanted ? dec_dst(d, to, letter) : NO_ROW;
  int64_t imm;
  const uint32_t base = dec_address(d, dec_opnd(d, r), a.space, &imm);
  const uint32_t b = dec_src(d, dec_opnd(d, r + 1), letter);
  const uint32_t c = cas ? dec_src(d, dec_opnd(d, r + 2), letter) : NO_ROW;
  Ins *in = dec_access(d, op, dst, base, b, true);
  in->s[2] = c;
  in->imm = imm;
  in->sub = space_code(d, &a, dec_opnd(d, r));
  in->bytes = in->unit = (uint8_t)ptx_type_size(a.type);
  in->flags |= INS_STORE | INS_ATOM;
  in->traits = a.traits | TRAIT_STRONG;
  if (wanted) in->flags |= INS_SPIN;
}

void dec_atom(Decoder *d) { atomic(d, true); }
void dec_red(Decoder *d) {
  if (d->at->nmods && strcmp(d->at->mods[0], "async") == 0)
    dec_red_async(d);
  else
    atomic(d, false);
}
