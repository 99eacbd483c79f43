/* Function bodies: statements, instructions and their operands. */
#include "ptx/lex.h"

#include <stdio.h>
#include <string.h>

/* ---- operands --------------------------------------------------------------------------------- */

static uint8_t component(const PtxAtom *a) { /* ".y" or ".g" is 2; 0: none of the eight */
  static const char xyzw[] = "xyzw", rgba[] = "rgba";
  if (a->len != 1) return 0;
  const char *at = strchr(xyzw, a->text[0]);
  if (at) return (uint8_t)(at - xyzw + 1);
  at = strchr(rgba, a->text[0]);
  return at ? (uint8_t)(at - rgba + 1) : 0;
}

static uint8_t take_component(PtxParser *p, const char *of) {
  if (p->lex.tok.kind != PTX_TOK_DOT) return 0;
  uint8_t c = component(p->lex.tok.atom);
  if (!c)
    ptx_fail(p, "'.%.60s' is not a component of '%.200s'; components are .x .y .z and .w.",
             p->lex.tok.atom->text, of);
  ptx_next(p);
  return c;
}

/* ".b1", ".h10", ".b3210": bytes or halves of a register, as video instructions select them. */
static const char *take_part(PtxParser *p) {
  if (p->lex.tok.kind != PTX_TOK_DOT) return NULL;
  const char *text = p->lex.tok.atom->text;
  const size_t digits = strspn(text + 1, "01234567");
  if ((text[0] != 'b' && text[0] != 'h') || digits == 0 || digits > 4 || text[1 + digits]) return NULL;
  ptx_next(p);
  return text;
}

/* "+ 4", "- 8", "+ -16" behind a base; the sum of all of them. */
static uint64_t offsets(PtxParser *p) {
  uint64_t sum = 0;
  while (ptx_at(p, '+') || ptx_at(p, '-')) {
    bool minus = ptx_at(p, '-');
    ptx_next(p);
    PtxTok t = p->lex.tok;
    PtxValue v = ptx_const_term(p);
    if (v.kind != PTX_V_INT) ptx_fail_at(p, t.line, t.col, "An offset must be an integer.");
    sum += minus ? -v.bits : v.bits;
  }
  return sum;
}

static bool is_sreg(PtxAtom *a) {
  if (a->sreg == PTX_SREG_UNKNOWN) {
    bool vector;
    a->sreg = !ptx_is_sreg(a->text, &vector) ? PTX_SREG_NO : vector ? PTX_SREG_VECTOR : PTX_SREG_SCALAR;
  }
  return a->sreg != PTX_SREG_NO;
}

/* The name of a special register with its component in one: "%tid.x". */
static const char *sreg_name(PtxParser *p, const PtxAtom *a) {
  uint8_t c = a->sreg == PTX_SREG_VECTOR ? take_component(p, a->text) : 0;
  char name[64];
  if (!c) return a->text;
  memcpy(name, a->text, a->len);
  name[a->len] = '.';
  name[a->len + 1] = "xyzw"[c - 1];
  return ptx_intern(p, name, a->len + 2u)->text;
}

/* a[3] outside of brackets: element 3 of an array, as an address or (in mov) as its value. */
static void element_of(PtxParser *p, PtxOpnd *o, bool address_of) {
  PtxTok t = p->lex.tok;
  ptx_next(p);
  if (p->lex.tok.kind == PTX_TOK_WORD && strcmp(p->lex.tok.atom->text, "WARP_SZ") != 0)
    ptx_fail(p, "An array can be indexed only by a constant; put the address in a register instead.");
  PtxValue v = ptx_const(p, false);
  if (v.kind != PTX_V_INT) ptx_fail_at(p, t.line, t.col, "An index must be an integer.");
  ptx_expect(p, ']', "after the index");
  o->imm = v.bits * ptx_type_size(o->sym->type) * o->sym->vec;
  if (!address_of) o->kind = PTX_O_ADDR;
}

static PtxOpnd named(PtxParser *p, bool labels, bool address_of) {
  PtxTok t = p->lex.tok;
  PtxOpnd o = {.kind = PTX_O_SYM, .col = t.col};
  ptx_next(p);
  if (t.atom->len == 1 && t.atom->text[0] == '_') {
    o.kind = PTX_O_SINK;
    return o;
  }
  PtxSym *s = ptx_lookup(p, t.atom);
  if (labels && (!s || s->kind != PTX_SYM_REG)) { /* found again when its place is known */
    o.name = t.atom->text;
    return o;
  }
  if (s) {
    o.sym = s;
    if (s->kind == PTX_SYM_REG && s->vec > 1)
      o.comp = take_component(p, s->name);
    else if (s->kind == PTX_SYM_REG)
      o.part = take_part(p);
    else if (s->kind == PTX_SYM_VAR && ptx_at(p, '['))
      element_of(p, &o, address_of);
    else if (s->kind == PTX_SYM_VAR)
      o.imm = offsets(p);
    return o;
  }
  if (!is_sreg(t.atom)) ptx_fail_unknown(p, t.atom, t.line, t.col);
  o.kind = PTX_O_SREG;
  o.name = sreg_name(p, t.atom);
  return o;
}

static PtxOpnd constant(PtxParser *p) {
  PtxOpnd o = {.col = p->lex.tok.col};
  PtxValue v = ptx_const(p, false);
  o.kind = v.kind == PTX_V_INT ? PTX_O_INT : v.single ? PTX_O_F32 : PTX_O_F64;
  o.imm = v.bits;
  return o;
}

/* Operands up to `close`, as an array in the pool. */
static PtxOpnd *operands(PtxParser *p, char close, bool labels, uint32_t *n, const char *where) {
  size_t first = p->opnds.n;
  if (!ptx_at(p, (uint32_t)close)) {
    do {
      PtxOpnd o = ptx_operand(p, labels, false), *slot = ptx_list_add(p, &p->opnds, sizeof *slot);
      *slot = o;
    } while (ptx_accept(p, ','));
  }
  ptx_expect(p, close, where);
  *n = (uint32_t)(p->opnds.n - first);
  return ptx_list_take(p, &p->opnds, first, sizeof(PtxOpnd));
}

static PtxOpnd vector(PtxParser *p) {
  PtxOpnd o = {.kind = PTX_O_VEC, .col = p->lex.tok.col};
  ptx_next(p);
  o.sub = operands(p, '}', false, &o.nsub, "to close the vector");
  if (!o.nsub) ptx_fail(p, "A vector has at least one element.");
  return o;
}

/* [base + offset, further operands] */
static PtxOpnd address(PtxParser *p) {
  PtxOpnd o = {.kind = PTX_O_ADDR, .col = p->lex.tok.col};
  ptx_next(p);
  PtxTok t = p->lex.tok;
  if (t.kind == PTX_TOK_WORD && strcmp(t.atom->text, "WARP_SZ") != 0) {
    ptx_next(p);
    o.sym = ptx_lookup(p, t.atom);
    if (!o.sym) ptx_fail_unknown(p, t.atom, t.line, t.col);
    if (o.sym->kind != PTX_SYM_REG && o.sym->kind != PTX_SYM_VAR)
      ptx_fail_at(p, t.line, t.col, "'%.200s' cannot be the base of an address.", t.atom->text);
    if (o.sym->kind == PTX_SYM_REG && o.sym->vec > 1) o.comp = take_component(p, o.sym->name);
    o.imm = offsets(p);
  } else {
    PtxValue v = ptx_const(p, false);
    if (v.kind != PTX_V_INT) ptx_fail_at(p, t.line, t.col, "An address must be an integer.");
    o.imm = v.bits;
  }
  if (ptx_accept(p, ','))
    o.sub = operands(p, ']', false, &o.nsub, "to close the address");
  else
    ptx_expect(p, ']', "to close the address");
  return o;
}

/* "!%p1" and "-%r1"; constants with such a sign belong to the expression. */
static bool signed_register(PtxParser *p, PtxOpnd *o) {
  if (!ptx_at(p, '!') && !ptx_at(p, '-')) return false;
  PtxLexer saved = p->lex;
  ptx_next(p);
  PtxTok t = p->lex.tok;
  if (t.kind != PTX_TOK_WORD || strcmp(t.atom->text, "WARP_SZ") == 0) {
    p->lex = saved;
    return false;
  }
  *o = named(p, false, false);
  if (o->kind != PTX_O_SYM || o->sym->kind != PTX_SYM_REG)
    ptx_fail_at(p, t.line, t.col, "Only a register can be negated, not '%.200s'.", t.atom->text);
  o->neg = true;
  o->col = saved.tok.col;
  return true;
}

static PtxOpnd simple(PtxParser *p, bool labels, bool address_of) {
  PtxTok t = p->lex.tok;
  PtxOpnd o;
  if (t.kind == PTX_TOK_WORD && strcmp(t.atom->text, "WARP_SZ") != 0) return named(p, labels, address_of);
  if (ptx_at(p, '{')) return vector(p);
  if (ptx_at(p, '[')) return address(p);
  if (signed_register(p, &o)) return o;
  if (t.kind == PTX_TOK_STRING || t.kind == PTX_TOK_END) ptx_expected(p, "an operand");
  if (t.kind == PTX_TOK_PUNCT && !strchr("(+-!~", (int)(t.punct & 0xff))) ptx_expected(p, "an operand");
  return constant(p);
}

PtxOpnd ptx_operand(PtxParser *p, bool labels, bool address_of) {
  if (++p->opnd_depth > PTX_MAX_NESTING)
    ptx_fail(p, "Operands are nested more than %d deep.", PTX_MAX_NESTING);
  PtxOpnd o = simple(p, labels, address_of);
  if (ptx_accept(p, '|')) {
    PtxOpnd *both = ptx_alloc(p, 2 * sizeof *both);
    both[0] = o;
    both[1] = simple(p, labels, false);
    o = (PtxOpnd){.kind = PTX_O_PAIR, .sub = both, .nsub = 2, .col = both[0].col};
  }
  p->opnd_depth--;
  return o;
}

/* ---- instructions ----------------------------------------------------------------------------- */

static PtxForm *split_form(PtxParser *p, PtxAtom *atom) {
  PtxForm *f = ptx_alloc(p, sizeof *f);
  const char *at = atom->text + strcspn(atom->text, ".");
  f->op = *at ? ptx_intern(p, atom->text, (size_t)(at - atom->text))->text : atom->text;
  for (const char *dot = strchr(at, '.'); dot; dot = strchr(dot + 1, '.')) f->nmods++;
  f->mods = ptx_alloc(p, f->nmods * sizeof *f->mods);
  for (uint32_t i = 0; i < f->nmods; i++) {
    size_t len = strcspn(at + 1, ".");
    f->mods[i] = ptx_intern(p, at + 1, len)->text;
    at += 1 + len;
  }
  return atom->form = f;
}

static PtxAtom *atom_of(const char *text) { /* of an interned name */
  union {
    const char *text;
    char *atom;
  } u = {text};
  return (PtxAtom *)(void *)(u.atom - offsetof(PtxAtom, text));
}

/* Operands that are names of labels get their symbol here, or when their scope ends. */
static void refer_all(PtxParser *p, PtxOpnd *o, uint32_t n, uint32_t line) {
  for (uint32_t i = 0; i < n; i++) {
    if (o[i].kind == PTX_O_SYM && !o[i].sym) {
      ptx_refer(p, &o[i].sym, atom_of(o[i].name), line, o[i].col);
      o[i].name = NULL;
    }
    refer_all(p, o[i].sub, o[i].nsub, line);
  }
}

/* call (results), function, (arguments), prototype; */
static PtxCall *call(PtxParser *p) {
  PtxCall *c = ptx_alloc(p, sizeof *c);
  if (ptx_accept(p, '(')) {
    c->rets = operands(p, ')', false, &c->nrets, "to close the list of results");
    ptx_expect(p, ',', "between the results and the function");
  }
  PtxTok t = p->lex.tok;
  if (t.kind != PTX_TOK_WORD) ptx_expected(p, "the function to call");
  c->target = named(p, false, true);
  PtxSymKind kind = c->target.kind == PTX_O_SYM ? c->target.sym->kind : PTX_SYM_VAR;
  if (kind != PTX_SYM_FUNC && kind != PTX_SYM_REG)
    ptx_fail_at(p, t.line, t.col, "'%.200s' is neither a function nor a register.", t.atom->text);
  if (!ptx_accept(p, ',')) return c;
  if (ptx_accept(p, '(')) {
    c->args = operands(p, ')', false, &c->nargs, "to close the list of arguments");
    if (!ptx_accept(p, ',')) return c;
  }
  t = p->lex.tok;
  ptx_refer(p, &c->proto, ptx_expect_name(p, "a prototype"), t.line, t.col);
  return c;
}

static void guard(PtxParser *p, PtxInst *in) {
  ptx_next(p);
  in->pred_neg = ptx_accept(p, '!');
  PtxTok t = p->lex.tok;
  PtxAtom *a = ptx_expect_name(p, "a predicate register");
  in->pred = ptx_lookup(p, a);
  if (!in->pred) ptx_fail_unknown(p, a, t.line, t.col);
  if (in->pred->kind != PTX_SYM_REG || in->pred->type != PTX_PRED)
    ptx_fail_at(p, t.line, t.col, "'%.200s' is not a predicate register.", a->text);
}

static void instruction(PtxParser *p) {
  PtxInst in = {.file = p->file,
                .src_line = p->src_line,
                .src_col = p->src_col,
                .outer_file = p->outer_file,
                .outer_line = p->outer_line,
                .used = p->used};
  p->used = 0;
  if (ptx_at(p, '@')) guard(p, &in);
  if (p->lex.tok.kind != PTX_TOK_WORD) ptx_expected(p, "an instruction");
  in.line = p->lex.tok.line;
  in.col = p->lex.tok.col;
  PtxAtom *atom = ptx_lex_form(p);
  PtxForm *form = atom->form ? atom->form : split_form(p, atom);
  in.form = atom->text;
  in.op = form->op;
  in.mods = form->mods;
  in.nmods = form->nmods;
  if (strcmp(in.op, "call") == 0) {
    in.call = call(p);
  } else if (!ptx_at(p, ';')) {
    bool labels = strcmp(in.op, "bra") == 0 || strcmp(in.op, "brx") == 0;
    bool address_of = strcmp(in.op, "mov") == 0 || strcmp(in.op, "cvta") == 0;
    size_t first = p->opnds.n;
    do {
      PtxOpnd o = ptx_operand(p, labels, address_of), *slot = ptx_list_add(p, &p->opnds, sizeof *slot);
      *slot = o;
    } while (ptx_accept(p, ','));
    in.nopnd = (uint32_t)(p->opnds.n - first);
    in.opnd = ptx_list_take(p, &p->opnds, first, sizeof(PtxOpnd));
    if (labels) refer_all(p, in.opnd, in.nopnd, in.line);
  }
  if (!ptx_at(p, ';')) {
    char where[96];
    snprintf(where, sizeof where, "after the operands of '%.60s'", in.op);
    ptx_expect(p, ';', where);
  }
  ptx_next(p);
  PtxInst *slot = ptx_list_add(p, &p->insts, sizeof *slot);
  *slot = in;
}

/* ---- labels and directives -------------------------------------------------------------------- */

static void one_target(PtxParser *p, PtxAtom *atom) {
  PtxAtom **slot = ptx_list_add(p, &p->targets, sizeof *slot);
  *slot = atom;
}

/* "L<3>" in a list stands for L0, L1, L2. */
static void target_range(PtxParser *p, const PtxAtom *prefix) {
  char name[256];
  ptx_next(p);
  PtxTok t = p->lex.tok;
  if (t.kind != PTX_TOK_INT) ptx_expected(p, "the number of labels");
  ptx_expand(p, t.bits);
  if (prefix->len + 24 > sizeof name) ptx_fail(p, "This label is too long to be numbered.");
  for (uint64_t i = 0; i < t.bits; i++) {
    int n = snprintf(name, sizeof name, "%s%llu", prefix->text, (unsigned long long)i);
    one_target(p, ptx_intern(p, name, (size_t)n));
  }
  ptx_next(p);
  ptx_expect(p, '>', "after the number of labels");
}

/* label: .branchtargets L1, L2;   label: .calltargets f, g; */
static void target_list(PtxParser *p, PtxSym *list) {
  PtxTok start = p->lex.tok;
  size_t first = p->targets.n;
  do {
    ptx_next(p); /* the directive, or the comma */
    PtxAtom *a = ptx_expect_name(p, "the name of a target");
    if (ptx_at(p, '<'))
      target_range(p, a);
    else
      one_target(p, a);
  } while (ptx_at(p, ','));
  ptx_expect(p, ';', "after the list of targets");
  size_t n = p->targets.n - first;
  PtxAtom **names = ptx_list_take(p, &p->targets, first, sizeof *names);
  list->branch_targets = ptx_alloc(p, n * sizeof *list->branch_targets);
  list->nbranch_targets = n;
  for (size_t i = 0; i < n; i++) ptx_refer(p, &list->branch_targets[i], names[i], start.line, start.col);
}

static void label(PtxParser *p, PtxTok name) {
  PtxKeyword k = ptx_keyword(p);
  if (k == PTX_K_CALLPROTOTYPE) {
    ptx_prototype(p, name.atom, name.line, name.col);
    return;
  }
  PtxSym *s = ptx_declare(p, PTX_SYM_LABEL, name.atom, name.line, name.col);
  s->target = (uint32_t)p->insts.n;
  if (k == PTX_K_BRANCHTARGETS || k == PTX_K_CALLTARGETS) target_list(p, s);
}

static bool directive(PtxParser *p) {
  PtxFunc ignored = {0};
  switch (ptx_keyword(p)) {
  case PTX_K_LOC: ptx_loc(p); return true;
  case PTX_K_FILE: ptx_file(p); return true;
  case PTX_K_SECTION: ptx_section(p); return true;
  case PTX_K_PRAGMA: ptx_pragma(p); return true;
  case PTX_K_REG:
  case PTX_K_CONST:
  case PTX_K_GLOBAL:
  case PTX_K_LOCAL:
  case PTX_K_PARAM:
  case PTX_K_SHARED: ptx_var_decl(p, 0); return true;
  default: break;
  }
  uint32_t linkage = 0;
  if (ptx_linkage(p, &linkage)) {
    while (ptx_linkage(p, &linkage)) {}
    ptx_var_decl(p, linkage);
    return true;
  }
  ptx_perf_directives(p, &ignored);
  return false;
}

static void statement(PtxParser *p) {
  PtxTok t = p->lex.tok;
  if (t.kind == PTX_TOK_DOT) {
    if (!directive(p) && p->lex.tok.kind == PTX_TOK_DOT && p->lex.tok.col == t.col &&
        p->lex.tok.line == t.line)
      ptx_fail(p, "The directive '.%.60s' is not known inside a function.", t.atom->text);
    return;
  }
  if (t.kind == PTX_TOK_WORD && p->lex.at[0] != '.') {
    PtxLexer saved = p->lex;
    ptx_next(p);
    if (ptx_accept(p, ':')) {
      label(p, t);
      return;
    }
    p->lex = saved;
  }
  instruction(p);
}

void ptx_body(PtxParser *p) {
  p->used = 0;
  uint32_t outside = p->depth;
  PtxTok open = p->lex.tok;
  ptx_next(p);
  for (;;) {
    if (p->lex.tok.kind == PTX_TOK_END)
      ptx_fail(p, "The text ends inside '%.200s', whose body opens at line %u.", p->func->name, open.line);
    if (ptx_accept(p, '{')) {
      ptx_scope_push(p);
    } else if (ptx_at(p, '}')) {
      if (p->depth == outside) break;
      ptx_scope_pop(p);
      ptx_next(p);
    } else {
      statement(p);
    }
  }
}
