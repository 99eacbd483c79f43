/* The parser's outside: ptx_parse() and ptx_free(), a module's directives, functions' heads. */
#include "ptx/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ----------------------------------------------------------------------------------- */

static _Noreturn void fail_va(PtxParser *p, uint32_t line, uint32_t col, const char *format, va_list args) {
  p->err->line = line;
  p->err->col = col;
  vsnprintf(p->err->text, sizeof p->err->text, format, args);
  longjmp(p->fail, 1);
}

void ptx_fail_at(PtxParser *p, uint32_t line, uint32_t col, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_va(p, line, col, format, args);
}

void ptx_fail(PtxParser *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_va(p, p->lex.tok.line, p->lex.tok.col, format, args);
}

void ptx_fail_memory(PtxParser *p) { ptx_fail(p, "There is not enough memory to read this module."); }

void ptx_expected(PtxParser *p, const char *what) {
  const PtxTok *t = &p->lex.tok;
  const char *stop = p->lex.at;
  char found[80];
  int n = (int)(stop - p->lex.line_start) - (int)t->col + 1; /* a token never spans lines */
  if (t->kind == PTX_TOK_END)
    snprintf(found, sizeof found, "the end of the text");
  else
    snprintf(found, sizeof found, "'%.*s'", n > 60 ? 60 : n, stop - n);
  ptx_fail(p, "Expected %s, found %s.", what, found);
}

void ptx_expect(PtxParser *p, char punct, const char *where) {
  if (ptx_accept(p, (uint32_t)punct)) return;
  char what[200];
  snprintf(what, sizeof what, "'%c' %s", punct, where);
  ptx_expected(p, what);
}

PtxAtom *ptx_expect_name(PtxParser *p, const char *what) {
  if (p->lex.tok.kind != PTX_TOK_WORD) ptx_expected(p, what);
  PtxAtom *a = p->lex.tok.atom;
  ptx_next(p);
  return a;
}

/* ---- memory ----------------------------------------------------------------------------------- */

void *ptx_alloc(PtxParser *p, size_t bytes) {
  void *at = ptx_pool_alloc(p->pool, bytes);
  if (!at) ptx_fail_memory(p);
  return at;
}

PtxAtom *ptx_intern(PtxParser *p, const char *text, size_t len) {
  PtxAtom *a = ptx_pool_intern(p->pool, text, len);
  if (!a) ptx_fail_memory(p);
  return a;
}

void *ptx_list_add(PtxParser *p, PtxList *list, size_t item_size) {
  if (list->n == list->room) {
    size_t room = list->room ? list->room * 2 : 64;
    void *items = room > UINT32_MAX ? NULL : realloc(list->items, room * item_size);
    if (!items) ptx_fail_memory(p);
    list->items = items;
    list->room = room;
  }
  return memset((char *)list->items + list->n++ * item_size, 0, item_size);
}

void *ptx_list_take(PtxParser *p, PtxList *list, size_t from, size_t item_size) {
  size_t n = list->n - from;
  if (!n) return NULL;
  void *at = ptx_alloc(p, n * item_size);
  memcpy(at, (char *)list->items + from * item_size, n * item_size);
  list->n = from;
  return at;
}

void ptx_expand(PtxParser *p, uint64_t n) {
  if (n > PTX_MAX_EXPANSION - p->expansion)
    ptx_fail(p, "Shorthands in this module stand for more than %d items.", PTX_MAX_EXPANSION);
  p->expansion += (uint32_t)n;
}

/* ---- directives of a module ------------------------------------------------------------------- */

/* A place is inlined at another one, which may itself be inlined: that was said by a .loc shortly before. */
static void inlined_at(PtxParser *p) {
  uint32_t at[3];
  for (int i = 0; i < 3; i++) at[i] = (uint32_t)ptx_const_uint(p, UINT32_MAX, "A number after 'inlined_at'");
  p->outer_file = at[0];
  p->outer_line = at[1];
  const uint32_t room = sizeof p->inlined / sizeof p->inlined[0];
  for (uint32_t i = 1; i <= room && i <= p->ninlined; i++) {
    const uint32_t k = (p->ninlined - i) % room;
    if (p->inlined[k].file != at[0] || p->inlined[k].line != at[1] || p->inlined[k].col != at[2]) continue;
    p->outer_file = p->inlined[k].outer_file;
    p->outer_line = p->inlined[k].outer_line;
    break;
  }
  const uint32_t to = p->ninlined++ % room;
  p->inlined[to].file = p->file;
  p->inlined[to].line = p->src_line;
  p->inlined[to].col = p->src_col;
  p->inlined[to].outer_file = p->outer_file;
  p->inlined[to].outer_line = p->outer_line;
}

/* .loc file line column [, function_name label [+ offset], inlined_at file line column] */
void ptx_loc(PtxParser *p) {
  ptx_next(p);
  p->outer_file = p->outer_line = 0;
  p->file = (uint32_t)ptx_const_uint(p, UINT32_MAX, "A file number");
  p->src_line = (uint32_t)ptx_const_uint(p, UINT32_MAX, "A line");
  p->src_col = (uint32_t)ptx_const_uint(p, UINT32_MAX, "A column");
  while (ptx_accept(p, ',')) {
    PtxTok t = p->lex.tok;
    PtxAtom *what = ptx_expect_name(p, "'function_name' or 'inlined_at'");
    if (strcmp(what->text, "function_name") == 0) {
      ptx_expect_name(p, "a label");
      if (ptx_accept(p, '+')) ptx_const_uint(p, UINT32_MAX, "An offset");
    } else if (strcmp(what->text, "inlined_at") == 0) {
      inlined_at(p);
    } else {
      ptx_fail_at(p, t.line, t.col, "'%.60s' is not known after '.loc'.", what->text);
    }
  }
}

/* .file 1 "name" [, timestamp, size] */
void ptx_file(PtxParser *p) {
  ptx_next(p);
  uint64_t n = ptx_const_uint(p, PTX_MAX_FILES, "A file number");
  if (p->lex.tok.kind != PTX_TOK_STRING) ptx_expected(p, "the name of a file");
  const char *name = ptx_intern(p, p->lex.tok.text, p->lex.tok.len)->text;
  ptx_next(p);
  while (ptx_accept(p, ',')) ptx_const(p, false);
  while (p->files.n <= n) ptx_list_add(p, &p->files, sizeof(const char *));
  if (n) ((const char **)p->files.items)[n] = name;
}

/* Debug data: it has no part in how a module runs. */
void ptx_section(PtxParser *p) {
  ptx_next(p);
  if (p->lex.tok.kind != PTX_TOK_DOT && p->lex.tok.kind != PTX_TOK_WORD)
    ptx_expected(p, "the name of a section");
  ptx_next(p);
  while (p->lex.tok.kind == PTX_TOK_DOT) ptx_next(p);
  if (!ptx_at(p, '{')) ptx_expected(p, "'{'");
  ptx_skip_block(p);
}

/* .alias name, function; */
static void alias(PtxParser *p) {
  ptx_next(p);
  for (int i = 0; i < 2; i++) {
    PtxTok t = p->lex.tok;
    PtxAtom *a = ptx_expect_name(p, "the name of a function");
    PtxSym *s = ptx_lookup(p, a), **slot;
    if (!s) ptx_fail_unknown(p, a, t.line, t.col);
    if (s->kind != PTX_SYM_FUNC || s->def->entry)
      ptx_fail_at(p, t.line, t.col, "'%.200s' is not a device function.", a->text);
    slot = ptx_list_add(p, &p->aliases, sizeof *slot);
    *slot = s;
    if (i == 0) ptx_expect(p, ',', "after the alias");
  }
  ptx_expect(p, ';', "after '.alias'");
}

static void header(PtxParser *p) {
  if (ptx_keyword(p) != PTX_K_VERSION) ptx_expected(p, "'.version', which opens every module");
  ptx_next(p);
  PtxTok t = p->lex.tok;
  double version;
  memcpy(&version, &t.bits, sizeof version);
  if (t.kind != PTX_TOK_F64 || !(version >= 1 && version < 100)) ptx_expected(p, "a version such as 8.0");
  p->m->version = (int)(version * 10 + 0.5);
  ptx_next(p);
  if (ptx_keyword(p) != PTX_K_TARGET) ptx_expected(p, "'.target', which follows the version");
  do {
    ptx_next(p); /* the directive, or the comma */
    t = p->lex.tok;
    PtxAtom *a = ptx_expect_name(p, "a target such as 'sm_80'");
    p->m->debug |= strcmp(a->text, "debug") == 0;
    if (strncmp(a->text, "sm_", 3) != 0) continue;
    if (p->m->target) ptx_fail_at(p, t.line, t.col, "A module has only one target.");
    p->m->target = a->text;
    int sm = 0;
    for (const char *d = a->text + 3; *d >= '0' && *d <= '9' && sm < 10000; d++) sm = sm * 10 + (*d - '0');
    if (sm < 10 || sm > 9999)
      ptx_fail_at(p, t.line, t.col, "'%.60s' is not a target such as 'sm_80'.", a->text);
    p->m->target_sm = sm;
  } while (ptx_at(p, ','));
  if (!p->m->target) ptx_fail_at(p, t.line, t.col, "The target names no architecture such as 'sm_80'.");
  p->m->address_size = 32;
  if (ptx_keyword(p) != PTX_K_ADDRESS_SIZE) return;
  ptx_next(p);
  t = p->lex.tok;
  uint64_t size = ptx_const_uint(p, 64, "The address size");
  if (size != 32 && size != 64) ptx_fail_at(p, t.line, t.col, "The address size must be 32 or 64.");
  p->m->address_size = (int)size;
}

/* ---- functions -------------------------------------------------------------------------------- */

static bool same_shape(PtxSym **a, uint32_t na, PtxSym **b, uint32_t nb) {
  if (na != nb) return false;
  for (uint32_t i = 0; i < na; i++)
    if (a[i]->size != b[i]->size) return false;
  return true;
}

/* The symbol of a function: that of an earlier declaration if there is one. Called inside the
 * function's own scope, since its results stand before its name. */
static PtxSym *function_symbol(PtxParser *p, PtxAtom *atom, PtxTok at) {
  PtxBind *b = atom->bind;
  if (b && b->sym->kind == PTX_SYM_FUNC) return b->sym;
  if (b)
    ptx_fail_at(p, at.line, at.col, "The name '%.200s' is already declared at line %u.", atom->text,
                b->sym->line);
  PtxFunc *f = p->func;
  uint32_t depth = p->depth;
  p->func = NULL;
  p->depth = 0;
  PtxSym *s = ptx_declare(p, PTX_SYM_FUNC, atom, at.line, at.col), **slot;
  p->func = f;
  p->depth = depth;
  slot = ptx_list_add(p, &p->funcs, sizeof(PtxSym *));
  return *slot = s;
}

static void check_redeclared(PtxParser *p, const PtxFunc *old, const PtxFunc *f, PtxTok at) {
  if (old->has_body && f->has_body)
    ptx_fail_at(p, at.line, at.col, "'%.200s' has a body already, at line %u.", old->name, old->line);
  if (old->entry != f->entry || !same_shape(old->params, old->nparams, f->params, f->nparams) ||
      !same_shape(old->rets, old->nrets, f->rets, f->nrets))
    ptx_fail_at(p, at.line, at.col, "'%.200s' is declared differently at line %u.", old->name, old->line);
}

/* [.func (results)] name (parameters) directives { body }, or ';' for a declaration. */
static void function(PtxParser *p, uint32_t linkage) {
  PtxFunc *f = ptx_alloc(p, sizeof *f);
  f->entry = ptx_keyword(p) == PTX_K_ENTRY;
  ptx_next(p);
  p->func = f;
  p->nregs = p->nvars = 0;
  p->file = p->src_line = p->src_col = p->outer_file = p->outer_line = p->ninlined = 0;
  p->insts.n = p->syms.n = 0;
  ptx_scope_push(p);
  while (ptx_attribute(p, &linkage)) {}
  ptx_perf_directives(p, f);
  if (!f->entry && ptx_at(p, '(')) ptx_param_list(p, &f->rets, &f->nrets, true);
  PtxTok at = p->lex.tok;
  PtxAtom *atom = ptx_expect_name(p, f->entry ? "the name of a kernel" : "the name of a function");
  f->name = atom->text;
  f->line = at.line;
  if (ptx_at(p, '(')) ptx_param_list(p, &f->params, &f->nparams, true);
  ptx_perf_directives(p, f);
  f->has_body = ptx_at(p, '{');
  if (!f->has_body && !ptx_at(p, ';')) ptx_expected(p, "'{' or ';' after the head of a function");
  f->sym = function_symbol(p, atom, at);
  f->sym->linkage |= linkage;
  PtxFunc *old = f->sym->def;
  if (old) check_redeclared(p, old, f, at);
  if (!old || f->has_body) f->sym->def = f;
  if (f->has_body) ptx_body(p);
  ptx_scope_pop(p);
  ptx_next(p); /* the '}' or ';' */
  f->nregs = p->nregs;
  f->ninst = (uint32_t)p->insts.n;
  f->nsyms = (uint32_t)p->syms.n;
  f->inst = ptx_list_take(p, &p->insts, 0, sizeof *f->inst);
  f->syms = ptx_list_take(p, &p->syms, 0, sizeof(PtxSym *));
  p->func = NULL;
}

/* ---- module ----------------------------------------------------------------------------------- */

static void top_level(PtxParser *p) {
  uint32_t linkage = 0;
  while (ptx_linkage(p, &linkage)) {}
  switch (ptx_keyword(p)) {
  case PTX_K_ENTRY:
  case PTX_K_FUNC: function(p, linkage); return;
  case PTX_K_CONST:
  case PTX_K_GLOBAL:
  case PTX_K_SHARED:
  case PTX_K_LOCAL:
  case PTX_K_PARAM:
  case PTX_K_TEX: ptx_var_decl(p, linkage); return;
  case PTX_K_FILE: ptx_file(p); return;
  case PTX_K_SECTION: ptx_section(p); return;
  case PTX_K_LOC: ptx_loc(p); return;
  case PTX_K_PRAGMA: ptx_pragma(p); return;
  case PTX_K_ALIAS: alias(p); return;
  case PTX_K_REG: ptx_fail(p, "Registers must be declared inside functions.");
  default: ptx_expected(p, "a variable, a function or a directive");
  }
}

static void finish(PtxParser *p) {
  PtxModule *m = p->m;
  PtxSym **alias_pair = p->aliases.items;
  m->nfuncs = 0;
  m->funcs = ptx_alloc(p, p->funcs.n * sizeof(PtxFunc *));
  for (size_t i = 0; i < p->funcs.n; i++) m->funcs[m->nfuncs++] = ((PtxSym **)p->funcs.items)[i]->def;
  for (size_t i = 0; i + 1 < p->aliases.n; i += 2) alias_pair[i]->def = alias_pair[i + 1]->def;
  m->nvars = (uint32_t)p->vars.n;
  m->vars = ptx_list_take(p, &p->vars, 0, sizeof(PtxSym *));
  m->nfiles = (uint32_t)p->files.n;
  m->files = ptx_list_take(p, &p->files, 0, sizeof(const char *));
}

static PtxModule *parse(PtxParser *p, size_t len) {
  if (setjmp(p->fail)) {
    ptx_pool_free(p->pool);
    return NULL;
  }
  p->lex.tok.line = p->lex.tok.col = 1;
  if (len > PTX_MAX_TEXT) ptx_fail(p, "This text is larger than %d bytes.", PTX_MAX_TEXT);
  p->pool = ptx_pool_new(len * 4);
  if (!p->text || !p->pool || !ptx_pool_keywords(p->pool)) ptx_fail_memory(p);
  p->lex.at = p->lex.line_start = p->text;
  p->lex.end = p->text + len;
  p->lex.line = 1;
  p->m = ptx_alloc(p, sizeof *p->m);
  p->m->arena = p->pool;
  ptx_next(p);
  header(p);
  while (p->lex.tok.kind != PTX_TOK_END) top_level(p);
  finish(p);
  return p->m;
}

PtxModule *ptx_parse(const char *text, size_t len, PtxError *err) {
  PtxError scratch;
  if (!err) err = &scratch;
  memset(err, 0, sizeof *err);
  PtxParser *p = calloc(1, sizeof *p);
  if (!p) {
    snprintf(err->text, sizeof err->text, "There is not enough memory to read this module.");
    return NULL;
  }
  p->err = err;
  while (len && !text[len - 1]) len--; /* a terminator that was counted */
  if (len <= PTX_MAX_TEXT) p->text = calloc(1, len + PTX_TEXT_PAD);
  if (p->text && len) memcpy(p->text, text, len);
  PtxModule *m = parse(p, len);
  PtxList *lists[] = {&p->insts, &p->syms,  &p->opnds, &p->pending, &p->inits,
                      &p->vars,  &p->funcs, &p->files, &p->targets, &p->aliases};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]->items);
  free(p->text);
  free(p);
  return m;
}

void ptx_free(PtxModule *m) {
  if (m) ptx_pool_free(m->arena);
}

PtxSym *ptx_find(const PtxModule *m, const char *name) {
  PtxAtom *a = ptx_pool_find(m->arena, name, strlen(name));
  return a && a->bind ? a->bind->sym : NULL;
}
