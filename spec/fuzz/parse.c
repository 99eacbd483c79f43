/* PTX text to the parser: a tree whose parts hang together, or an error with a place and a sentence. */
#include "fuzz.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

static void operand(const PtxFunc *f, const PtxOpnd *o) {
  const PtxSym *s = o->sym;
  if (o->kind == PTX_O_SYM) PROMISED(s != NULL);
  if (o->kind == PTX_O_SREG) PROMISED(o->name && o->name[0] == '%');
  if (o->kind == PTX_O_PAIR) PROMISED(o->nsub == 2);
  if (o->kind == PTX_O_VEC) PROMISED(o->nsub > 0);
  if (s) {
    PROMISED(s->name && s->line > 0);
    if (s->kind == PTX_SYM_REG) PROMISED(s->func == f && s->id < f->nregs);
    if (s->kind == PTX_SYM_LABEL) PROMISED(s->func == f && s->target <= f->ninst);
    for (size_t i = 0; i < s->nbranch_targets; i++) PROMISED(s->branch_targets[i] != NULL);
  }
  for (uint32_t i = 0; i < o->nsub; i++) operand(f, &o->sub[i]);
}

static void function(const PtxFunc *f) {
  PROMISED(f->name && f->sym && f->sym->kind == PTX_SYM_FUNC);
  PROMISED(f->has_body || f->ninst == 0);
  for (uint32_t i = 0; i < f->nparams; i++) PROMISED(f->params[i] && f->params[i]->name);
  for (uint32_t i = 0; i < f->nrets; i++) PROMISED(f->rets[i] && f->rets[i]->name);
  for (uint32_t i = 0; i < f->nsyms; i++) PROMISED(f->syms[i] && f->syms[i]->func == f);
  for (uint32_t i = 0; i < f->ninst; i++) {
    const PtxInst *in = &f->inst[i];
    PROMISED(in->op && in->form && in->line > 0 && in->col > 0);
    PROMISED(strncmp(in->form, in->op, strlen(in->op)) == 0);
    for (uint32_t k = 0; k < in->nmods; k++) PROMISED(in->mods[k] && in->mods[k][0]);
    if (in->pred) PROMISED(in->pred->kind == PTX_SYM_REG && in->pred->type == PTX_PRED);
    for (uint32_t k = 0; k < in->nopnd; k++) operand(f, &in->opnd[k]);
    const PtxCall *c = in->call;
    if (c) operand(f, &c->target);
    for (uint32_t k = 0; c && k < c->nrets; k++) operand(f, &c->rets[k]);
    for (uint32_t k = 0; c && k < c->nargs; k++) operand(f, &c->args[k]);
  }
}

static void variable(const PtxModule *m, const PtxSym *s) {
  PROMISED(s->kind == PTX_SYM_VAR && s->func == NULL && s->id < m->nvars);
  PROMISED(ptx_find(m, s->name) == s);
  PROMISED(s->align > 0 && (s->align & (s->align - 1)) == 0);
  PROMISED(s->ninit == 0 || s->init != NULL);
  for (size_t i = 0; i < s->ninit; i++) PROMISED(s->init[i].kind != PTX_INIT_SYM || s->init[i].sym);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  PtxError e;
  PtxModule *m = ptx_parse((const char *)data, size, &e);
  if (!m) {
    PROMISED(e.line > 0 && e.col > 0 && e.text[0] && memchr(e.text, 0, sizeof e.text));
    return 0;
  }
  PROMISED(m->target && m->target_sm >= 10 && m->version >= 10);
  for (uint32_t i = 0; i < m->nvars; i++) variable(m, m->vars[i]);
  for (uint32_t i = 0; i < m->nfuncs; i++) function(m->funcs[i]);
  ptx_free(m);
  return 0;
}
