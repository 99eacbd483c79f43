/* Declarations: variables and registers, parameter lists, prototypes, and the directives between a
 * function's head and its body. */
#include "ptx/lex.h"

#include <string.h>

static const uint64_t max_bytes = (uint64_t)1 << 40;

bool ptx_linkage(PtxParser *p, uint32_t *linkage) {
  switch (ptx_keyword(p)) {
  case PTX_K_EXTERN: *linkage |= PTX_EXTERN; break;
  case PTX_K_VISIBLE: *linkage |= PTX_VISIBLE; break;
  case PTX_K_WEAK: *linkage |= PTX_WEAK; break;
  case PTX_K_COMMON: *linkage |= PTX_COMMON; break;
  default: return false;
  }
  ptx_next(p);
  return true;
}

/* .attribute(.managed), .attribute(.unified(1, 2)) ... */
bool ptx_attribute(PtxParser *p, uint32_t *linkage) {
  if (ptx_keyword(p) != PTX_K_ATTRIBUTE) return false;
  ptx_next(p);
  ptx_expect(p, '(', "after '.attribute'");
  do {
    if (p->lex.tok.kind != PTX_TOK_DOT) ptx_expected(p, "an attribute such as '.managed'");
    if (strcmp(p->lex.tok.atom->text, "managed") == 0) *linkage |= PTX_MANAGED;
    ptx_next(p);
    if (ptx_accept(p, '(')) {
      do ptx_const(p, false);
      while (ptx_accept(p, ','));
      ptx_expect(p, ')', "to close the attribute's values");
    }
  } while (ptx_accept(p, ','));
  ptx_expect(p, ')', "to close '.attribute'");
  return true;
}

/* ---- what stands before a name: alignment, vector width, type --------------------------------- */

typedef struct Head {
  PtxSpace space;
  PtxType type;
  uint8_t vec;
  bool ptr;
  uint32_t align, linkage;
} Head;

static uint32_t alignment(PtxParser *p) {
  PtxTok t = p->lex.tok;
  uint64_t n = ptx_const_uint(p, 1 << 16, "An alignment");
  if (!n || (n & (n - 1))) ptx_fail_at(p, t.line, t.col, "An alignment must be a power of two.");
  return (uint32_t)n;
}

static bool space_of(PtxKeyword k, PtxSpace *space) {
  switch (k) {
  case PTX_K_REG: *space = PTX_REG; return true;
  case PTX_K_CONST: *space = PTX_CONST; return true;
  case PTX_K_TEX:
  case PTX_K_GLOBAL: *space = PTX_GLOBAL; return true;
  case PTX_K_LOCAL: *space = PTX_LOCAL; return true;
  case PTX_K_PARAM: *space = PTX_PARAM; return true;
  case PTX_K_SHARED: *space = PTX_SHARED; return true;
  default: return false;
  }
}

/* .ptr of a parameter may name the space that it points into and the alignment of what is there. */
static void pointer(PtxParser *p, Head *h) {
  PtxSpace pointee;
  h->ptr = true;
  ptx_next(p);
  if (space_of(ptx_keyword(p), &pointee)) ptx_next(p);
  if (ptx_keyword(p) == PTX_K_ALIGN) {
    ptx_next(p);
    alignment(p);
  }
}

static Head head(PtxParser *p, uint32_t linkage) {
  Head h = {.vec = 1, .linkage = linkage};
  PtxKeyword k = ptx_keyword(p);
  if (!space_of(k, &h.space)) ptx_expected(p, "a state space such as '.reg' or '.param'");
  ptx_next(p);
  if (k == PTX_K_CONST && ptx_accept(p, '[')) { /* a bank number of old PTX: there is one bank now */
    ptx_const_uint(p, 10, "A constant bank");
    ptx_expect(p, ']', "after the constant bank");
  }
  while (p->lex.tok.kind == PTX_TOK_DOT) {
    switch (ptx_keyword(p)) {
    case PTX_K_ALIGN:
      ptx_next(p);
      h.align = alignment(p);
      break;
    case PTX_K_ATTRIBUTE: ptx_attribute(p, &h.linkage); break;
    case PTX_K_PTR: pointer(p, &h); break;
    case PTX_K_V2:
    case PTX_K_V4:
      h.vec = ptx_keyword(p) == PTX_K_V2 ? 2 : 4;
      ptx_next(p);
      break;
    case PTX_K_TYPE:
      if (h.type) ptx_fail(p, "This declaration has a type already.");
      h.type = (PtxType)p->lex.tok.atom->type;
      ptx_next(p);
      break;
    default: ptx_expected(p, "a type such as '.u32'");
    }
  }
  if (!h.type) ptx_expected(p, "a type such as '.u32'");
  if (k == PTX_K_TEX) h.type = PTX_TEXREF;
  if (h.type == PTX_PRED && h.space != PTX_REG) ptx_fail(p, "Only a register can be a predicate.");
  return h;
}

/* ---- one name --------------------------------------------------------------------------------- */

static uint32_t dimensions(PtxParser *p, uint64_t *dims) {
  uint32_t n = 0;
  while (ptx_at(p, '[')) {
    if (n == PTX_MAX_DIMS) ptx_fail(p, "An array has at most %d dimensions.", PTX_MAX_DIMS);
    ptx_next(p);
    if (ptx_at(p, ']')) {
      if (n) ptx_fail(p, "Only the first dimension of an array may be left open.");
      dims[n++] = 0;
    } else {
      PtxTok t = p->lex.tok;
      dims[n] = ptx_const_uint(p, max_bytes, "The size of an array");
      if (!dims[n++] && n > 1) ptx_fail_at(p, t.line, t.col, "Only the first dimension may be zero.");
    }
    ptx_expect(p, ']', "after the size of the array");
  }
  return n;
}

static void set_size(PtxParser *p, PtxSym *s, const uint64_t *dims, uint32_t ndims) {
  uint64_t unit = ptx_type_size(s->type) * s->vec, n = 1;
  for (uint32_t i = 0; i < ndims; i++) {
    uint64_t d = i == 0 && !dims[0] ? 1 : dims[i]; /* the rest of an open array is checked as well */
    if (n > max_bytes / unit / d)
      ptx_fail_at(p, s->line, s->col, "'%.200s' is larger than 2^40 bytes.", s->name);
    n *= d;
  }
  s->count = ndims && !dims[0] ? 0 : n;
  s->size = s->count * unit;
}

/* `.u32 a[] = {1, 2, 3}`: the values say how many elements there are. */
static void close_size(PtxSym *s, const uint64_t *dims, uint32_t ndims) {
  uint64_t row = 1;
  for (uint32_t i = 1; i < ndims; i++) row *= dims[i];
  uint64_t elements = (s->ninit + s->vec - 1) / s->vec;
  s->count = (elements + row - 1) / row * row;
  s->size = s->count * s->vec * ptx_type_size(s->type);
}

static void fill_head(PtxSym *s, const Head *h) {
  s->space = h->space;
  s->type = h->type;
  s->vec = h->vec;
  s->linkage = h->linkage;
  s->ptr = h->ptr;
  s->align = h->align ? h->align : (uint32_t)(ptx_type_size(h->type) * h->vec);
}

/* A second declaration of a module's variable is legal when one of the two is .extern; the symbol
 * stays the same, as initialisers may refer to it already. NULL: this is the first. */
static PtxSym *redeclared(PtxParser *p, const PtxAtom *atom, const Head *h, PtxTok at, bool *keep) {
  if (p->func || !atom->bind) return NULL;
  PtxSym *old = atom->bind->sym;
  if (old->kind != PTX_SYM_VAR || !((old->linkage | h->linkage) & PTX_EXTERN)) return NULL;
  if (old->space != h->space || old->type != h->type || old->vec != h->vec)
    ptx_fail_at(p, at.line, at.col, "'%.200s' is declared differently at line %u.", atom->text, old->line);
  *keep = !(old->linkage & PTX_EXTERN);
  return old;
}

static void registers(PtxParser *p, const Head *h, PtxAtom *atom, PtxTok at) {
  PtxSym like = {.type = h->type, .vec = h->vec, .line = at.line, .col = at.col};
  if (!ptx_accept(p, '<')) {
    PtxSym *s = ptx_declare(p, PTX_SYM_REG, atom, at.line, at.col);
    fill_head(s, h);
    s->size = ptx_type_size(h->type) * h->vec;
    return;
  }
  /* one primary at most: a '>' after it ends the count */
  if (p->lex.tok.kind != PTX_TOK_INT || p->lex.tok.bits > UINT32_MAX)
    ptx_expected(p, "the number of registers");
  uint64_t count = p->lex.tok.bits;
  ptx_next(p);
  ptx_expect(p, '>', "after the number of registers");
  ptx_declare_range(p, atom, &like, count);
}

static void variable(PtxParser *p, const Head *h, PtxAtom *atom, PtxTok at) {
  uint64_t dims[PTX_MAX_DIMS];
  bool keep = false;
  PtxSym *s = redeclared(p, atom, h, at, &keep), scratch = {.count = 1};
  if (keep) {
    scratch.name = s->name;
    s = &scratch;
  } else if (!s) {
    s = ptx_declare(p, PTX_SYM_VAR, atom, at.line, at.col);
  }
  s->line = at.line;
  s->col = at.col;
  fill_head(s, h);
  uint32_t ndims = dimensions(p, dims);
  s->is_array = ndims > 0;
  set_size(p, s, dims, ndims);
  if (!ptx_at(p, '=')) return;
  if (h->space == PTX_SHARED || h->space == PTX_LOCAL || h->space == PTX_PARAM)
    ptx_fail(p, "Only .global and .const variables can have an initial value.");
  ptx_next(p);
  ptx_initialiser(p, s, dims, ndims);
  if (ndims && !dims[0]) close_size(s, dims, ndims);
}

void ptx_var_decl(PtxParser *p, uint32_t linkage) {
  Head h = head(p, linkage);
  do {
    PtxTok at = p->lex.tok;
    PtxAtom *atom = ptx_expect_name(p, "the name to declare");
    if (h.space == PTX_REG)
      registers(p, &h, atom, at);
    else
      variable(p, &h, atom, at);
  } while (ptx_accept(p, ','));
  ptx_expect(p, ';', "after this declaration");
}

/* ---- parameters ------------------------------------------------------------------------------- */

/* The names in a prototype declare nothing, and are often just '_'. */
static PtxSym *nameless(PtxParser *p, PtxAtom *atom, PtxTok at) {
  PtxSym *s = ptx_alloc(p, sizeof *s);
  s->kind = PTX_SYM_VAR;
  s->name = atom->text;
  s->count = 1;
  s->line = at.line;
  s->col = at.col;
  return s;
}

static PtxSym *parameter(PtxParser *p, bool binds) {
  Head h = head(p, 0);
  if (h.space != PTX_PARAM && h.space != PTX_REG) ptx_fail(p, "A parameter must be declared .param or .reg.");
  PtxTok at = p->lex.tok;
  PtxAtom *atom = ptx_expect_name(p, "the parameter's name");
  PtxSymKind kind = h.space == PTX_REG ? PTX_SYM_REG : PTX_SYM_VAR;
  bool unnamed = !binds || strcmp(atom->text, "_") == 0;
  PtxSym *s = unnamed ? nameless(p, atom, at) : ptx_declare(p, kind, atom, at.line, at.col);
  uint64_t dims[PTX_MAX_DIMS];
  s->kind = kind;
  fill_head(s, &h);
  uint32_t ndims = dimensions(p, dims);
  s->is_array = ndims > 0;
  set_size(p, s, dims, ndims);
  return s;
}

void ptx_param_list(PtxParser *p, PtxSym ***list, uint32_t *n, bool binds) {
  size_t first = p->targets.n;
  ptx_expect(p, '(', "");
  if (!ptx_at(p, ')')) {
    do {
      PtxSym *s = parameter(p, binds), **slot = ptx_list_add(p, &p->targets, sizeof *slot);
      *slot = s;
    } while (ptx_accept(p, ','));
  }
  ptx_expect(p, ')', "to close the list of parameters");
  *n = (uint32_t)(p->targets.n - first);
  *list = ptx_list_take(p, &p->targets, first, sizeof **list);
}

/* label: .callprototype (.param .b32 _) _ (.param .b64 _, ...); */
void ptx_prototype(PtxParser *p, PtxAtom *atom, uint32_t line, uint32_t col) {
  PtxSym *s = ptx_declare(p, PTX_SYM_PROTO, atom, line, col);
  PtxFunc *f = ptx_alloc(p, sizeof *f);
  s->def = f;
  f->sym = s;
  f->name = s->name;
  f->line = line;
  ptx_next(p);
  if (ptx_at(p, '(')) ptx_param_list(p, &f->rets, &f->nrets, false);
  ptx_expect_name(p, "'_'");
  if (ptx_at(p, '(')) ptx_param_list(p, &f->params, &f->nparams, false);
  ptx_perf_directives(p, f);
  ptx_expect(p, ';', "after the prototype");
}

/* ---- directives of functions ------------------------------------------------------------------ */

static void triple(PtxParser *p, uint32_t out[3]) {
  out[0] = out[1] = out[2] = 1;
  for (int i = 0; i < 3; i++) {
    out[i] = (uint32_t)ptx_const_uint(p, INT32_MAX, "A dimension");
    if (!ptx_accept(p, ',')) break;
  }
}

/* An integer constant, decimal, hexadecimal or octal; its low 32 bits, all of them if it has more than 64. */
static bool mask_value(const char *at, const char *end, uint32_t *mask) {
  while (at < end && *at == ' ') at++;
  const bool minus = at < end && *at == '-';
  at += minus;
  uint32_t base = 10;
  if (end - at > 1 && at[0] == '0') {
    base = at[1] == 'x' || at[1] == 'X' ? 16 : 8;
    at += base == 16 ? 2 : 1;
  }
  if (at == end) return false;
  uint64_t v = 0;
  bool over = false;
  for (; at < end; at++) {
    const char *digits = "0123456789abcdef",
               *digit = strchr(digits, *at | ('A' <= *at && *at <= 'F' ? 32 : 0));
    if (!*at || !digit || (uint32_t)(digit - digits) >= base) return false;
    over |= v > (UINT64_MAX - 15) / base;
    v = v * base + (uint64_t)(digit - digits);
  }
  *mask = over ? UINT32_MAX : (uint32_t)(minus ? -v : v);
  return true;
}

/* "used_bytes_mask 4095": which bytes of the next instruction, if it is a load, are used. One character
 * separates name and mask, and the last pragma counts: as in NVIDIA's assembler. All other pragmas are
 * advice. */
static void pragma(PtxParser *p, const PtxTok *t) {
  static const char name[] = "used_bytes_mask";
  const size_t n = sizeof name - 1;
  if (t->len < n || memcmp(t->text, name, n) != 0) return;
  if (t->len <= n + 1) ptx_fail_at(p, t->line, t->col, "The pragma '%s' needs a mask.", name);
  const char *end = t->text + t->len;
  if (!mask_value(t->text + n + 1, end, &p->used))
    ptx_fail_at(p, t->line, t->col, "The mask of the pragma '%s' must be an integer constant, not '%.*s'.",
                name, t->len > n + 61 ? 60 : (int)(t->len - n - 1), t->text + n + 1);
}

void ptx_pragma(PtxParser *p) {
  ptx_next(p);
  do {
    if (p->lex.tok.kind != PTX_TOK_STRING) ptx_expected(p, "a string");
    pragma(p, &p->lex.tok);
    ptx_next(p);
  } while (ptx_accept(p, ','));
  ptx_expect(p, ';', "after '.pragma'");
}

void ptx_perf_directives(PtxParser *p, PtxFunc *f) {
  uint32_t ignored[3] = {0};
  for (;;) {
    PtxKeyword k = ptx_keyword(p);
    switch (k) {
    case PTX_K_PRAGMA: ptx_pragma(p); continue;
    case PTX_K_ATTRIBUTE: ptx_attribute(p, ignored); continue;
    case PTX_K_NORETURN: f->noreturn = true; /* fall through */
    case PTX_K_BLOCKSARECLUSTERS: ptx_next(p); continue;
    case PTX_K_EXPLICITCLUSTER:
      f->explicit_cluster = true;
      ptx_next(p);
      continue;
    case PTX_K_MAXNTID:
    case PTX_K_REQNTID:
    case PTX_K_REQNCTAPERCLUSTER:
    case PTX_K_MINNCTAPERSM:
    case PTX_K_MAXNCTAPERSM:
    case PTX_K_MAXNREG:
    case PTX_K_MAXCLUSTERRANK:
    case PTX_K_ABI_PRESERVE:
    case PTX_K_ABI_PRESERVE_CONTROL: break;
    default: return;
    }
    ptx_next(p);
    if (k == PTX_K_MAXNTID || k == PTX_K_REQNTID || k == PTX_K_REQNCTAPERCLUSTER) {
      triple(p, k == PTX_K_MAXNTID ? f->maxntid : k == PTX_K_REQNTID ? f->reqntid : f->cluster);
      continue;
    }
    uint32_t n = (uint32_t)ptx_const_uint(p, INT32_MAX, "This value");
    if (k == PTX_K_MINNCTAPERSM) f->minnctapersm = n;
    if (k == PTX_K_MAXNREG) f->maxnreg = n;
  }
}
