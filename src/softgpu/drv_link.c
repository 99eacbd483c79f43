/* The linker: cuLink* over PTX texts. Its result is one PTX text, which any loading call takes.
 *
 * Every input is parsed when it is added. Completion decides, name by name, which input's definition the
 * others mean, and writes the inputs one behind the other: local names that would collide are renamed, weak
 * and common definitions that lost become declarations, files are renumbered, and lines are kept in number,
 * so that a line of the result belongs to a known line of an input. */
#include "jit.h"
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the text of an input, cut up --- */

typedef enum TokKind { SPACE, WORD, DOT, NUMBER, STRING, PUNCT } TokKind;

typedef struct Tok {
  TokKind kind;
  const char *at;
  size_t len;
} Tok;

typedef enum StmtKind { HEADER, FILE_NAME, SKIPPED, FUNCTION, VARIABLE, OTHER } StmtKind;

typedef struct Stmt {
  StmtKind kind;
  uint32_t first, end; /* tokens */
  Tok name;            /* FUNCTION, VARIABLE: the first name that it declares */
  bool defines;        /* it has a body or a value */
} Stmt;

/* A name that another input has too: what becomes of it in this one. */
typedef struct Fate {
  const char *name;
  char *renamed; /* NULL: it is declared only, another input's definition is meant */
} Fate;

typedef struct Input {
  struct Input *next;
  char *name, *text;
  PtxModule *tree;
  Tok *tok;
  uint32_t ntok, tok_room;
  Stmt *stmt;
  uint32_t nstmt, stmt_room;
  Fate *fate;
  uint32_t nfate;
  uint32_t number, first_file, first_line; /* in the result */
} Input;

typedef struct Link {
  SgObject o;
  SgJit jit;
  Input *inputs;
  uint32_t ninputs;
  char *image;
  size_t image_size;
} Link;

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Space and comments are tokens too: the tokens together are the text. */
static Tok next_token(const char *s) {
  const char *p = s + 1;
  TokKind kind = PUNCT;
  if (*s == ' ' || (*s >= '\t' && *s <= '\r')) {
    kind = SPACE;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r')) p++;
  } else if (*s == '/' && (*p == '/' || *p == '*')) {
    kind = SPACE;
    const char *end = strstr(p + 1, *p == '/' ? "\n" : "*/");
    p = !end ? s + strlen(s) : *p == '/' ? end : end + 2;
  } else if (*s == '"') {
    kind = STRING;
    while (*p && *p != '"') p += *p == '\\' && p[1] ? 2 : 1;
    p += *p == '"';
  } else if (is_digit(*s)) {
    kind = NUMBER;
    while (is_word(*p) || (*p == '.' && is_digit(p[1]))) p++;
  } else if (is_word(*s) || (*s == '%' && is_word(*p))) {
    kind = WORD;
    while (is_word(*p)) p++;
  } else if (*s == '.' && is_word(*p) && !is_digit(*p)) { /* ::cta and the like belong to the modifier */
    kind = DOT;
    while (is_word(*p) || (*p == ':' && p[1] == ':' && is_word(p[2]))) p += *p == ':' ? 2 : 1;
  }
  return (Tok){kind, s, (size_t)(p - s)};
}

static bool tok_is(const Tok *t, const char *text) {
  return strlen(text) == t->len && memcmp(t->at, text, t->len) == 0;
}

static void *grow(void *array, uint32_t *room, uint32_t need, size_t size) {
  if (need <= *room) return array;
  uint32_t more = *room ? *room * 2 : 256;
  void *p = realloc(array, more * size);
  if (p) *room = more;
  return p;
}

static bool tokenize(Input *in) {
  for (const char *s = in->text; *s;) {
    Tok t = next_token(s);
    void *p = grow(in->tok, &in->tok_room, in->ntok + 1, sizeof *in->tok);
    if (!p) return false;
    in->tok = p;
    in->tok[in->ntok++] = t;
    s += t.len;
  }
  return true;
}

/* --- statements of a module; the text is known to parse --- */

static uint32_t skip_space(const Input *in, uint32_t i) {
  while (i < in->ntok && in->tok[i].kind == SPACE) i++;
  return i;
}

/* Past the last token of a directive that nothing closes: at the directive that comes next. */
static uint32_t to_next_directive(const Input *in, uint32_t i) {
  while (i < in->ntok && in->tok[i].kind != DOT) i++;
  return i;
}

static char punct(const Tok *t) { return t->kind == PUNCT ? *t->at : 0; }

static int depth_of(char c) { return strchr("([{", c) && c ? 1 : strchr(")]}", c) && c ? -1 : 0; }

/* A function ends with its body or ';', anything else with ';'. */
static uint32_t to_end(const Input *in, uint32_t i, Stmt *s) {
  int depth = 0;
  for (; i < in->ntok; i++) {
    const Tok *t = &in->tok[i];
    const char c = punct(t);
    if (t->kind == WORD && depth == 0 && s->kind != OTHER && !s->name.at) s->name = *t;
    s->defines = s->defines || (c == '=' && depth == 0) || (c == '{' && s->kind == FUNCTION);
    depth += depth_of(c);
    if (depth == 0 && (c == ';' || (c == '}' && s->kind == FUNCTION))) return i + 1;
  }
  return i;
}

static StmtKind kind_of(const Tok *t) {
  static const char *const headers[] = {".version", ".target", ".address_size"};
  static const char *const variables[] = {".const", ".global", ".shared", ".local", ".param", ".tex"};
  for (int i = 0; i < 3; i++)
    if (tok_is(t, headers[i])) return HEADER;
  for (int i = 0; i < 6; i++)
    if (tok_is(t, variables[i])) return VARIABLE;
  if (tok_is(t, ".entry") || tok_is(t, ".func")) return FUNCTION;
  if (tok_is(t, ".file")) return FILE_NAME;
  return tok_is(t, ".section") || tok_is(t, ".loc") ? SKIPPED : OTHER;
}

static bool split(Input *in) {
  for (uint32_t i = skip_space(in, 0); i < in->ntok; i = skip_space(in, i)) {
    Stmt s = {.kind = kind_of(&in->tok[i]), .first = i};
    uint32_t j = i;
    while (s.kind == OTHER && j < in->ntok && in->tok[j].kind == DOT && !tok_is(&in->tok[j], ".pragma") &&
           !tok_is(&in->tok[j], ".alias")) { /* after .visible and the like */
      s.kind = kind_of(&in->tok[j]);
      j = skip_space(in, j + 1);
    }
    if (tok_is(&in->tok[i], ".section")) {
      while (j < in->ntok && punct(&in->tok[j]) != '}') j++;
      s.end = j < in->ntok ? j + 1 : j;
    } else if (s.kind == HEADER || s.kind == FILE_NAME || s.kind == SKIPPED) {
      s.end = to_next_directive(in, i + 1);
    } else {
      s.end = to_end(in, i, &s);
    }
    void *p = grow(in->stmt, &in->stmt_room, in->nstmt + 1, sizeof *in->stmt);
    if (!p) return false;
    in->stmt = p;
    in->stmt[in->nstmt++] = s;
    i = s.end;
  }
  return true;
}

/* --- names --- */

typedef enum Class { LOCAL_NAME, STRONG, WEAK, COMMON, UNDEFINED } Class;

typedef struct Name {
  const char *text;
  Input *in;
  const PtxSym *sym;
  Class class;
} Name;

typedef struct Names {
  Name *list;
  uint32_t n, room;
} Names;

static Class class_of(const PtxSym *s) {
  bool function = s->kind == PTX_SYM_FUNC;
  /* Dynamic shared memory has no definition; each declaration means the same place. */
  if (!function && s->space == PTX_SHARED && s->count == 0) return LOCAL_NAME;
  if (function ? !s->def->has_body : (s->linkage & PTX_EXTERN) != 0) return UNDEFINED;
  if (s->linkage & PTX_WEAK) return WEAK;
  if (s->linkage & PTX_COMMON) return COMMON;
  return (s->linkage & PTX_VISIBLE) || (function && s->def->entry) ? STRONG : LOCAL_NAME;
}

static bool add_name(Names *names, Input *in, const PtxSym *s) {
  void *p = grow(names->list, &names->room, names->n + 1, sizeof *names->list);
  if (!p) return false;
  names->list = p;
  names->list[names->n++] = (Name){s->name, in, s, class_of(s)};
  return true;
}

static int by_name_and_input(const void *a, const void *b) {
  const Name *x = a, *y = b;
  int order = strcmp(x->text, y->text);
  return order ? order : x->in->number < y->in->number ? -1 : x->in->number > y->in->number;
}

/* Is the name used, beside being declared? */
static bool used(const Input *in, const char *name) {
  for (uint32_t i = 0; i < in->nstmt; i++) {
    const Stmt *s = &in->stmt[i];
    if (!s->defines && s->kind != OTHER) continue;
    for (uint32_t k = s->first; k < s->end; k++)
      if (in->tok[k].kind == WORD && tok_is(&in->tok[k], name)) return true;
  }
  return false;
}

/* What the driver itself supplies. */
static bool supplied(const char *name) {
  static const char *const list[] = {"vprintf", "malloc", "free", "__assertfail"};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

static bool add_fate(Input *in, const char *name, char *renamed) {
  Fate *f = realloc(in->fate, (in->nfate + 1) * sizeof *f);
  if (!f) {
    free(renamed);
    return false;
  }
  in->fate = f;
  in->fate[in->nfate++] = (Fate){name, renamed};
  return true;
}

/* A name that no module-level symbol of any input has. */
static bool rename_local(const Link *l, Input *in, const char *name) {
  size_t room = strlen(name) + 24;
  char *text = malloc(room);
  if (!text) return false;
  for (unsigned n = 0;; n++) {
    snprintf(text, room, "%s$l%u_%u", name, in->number, n);
    const Input *i = l->inputs;
    while (i && !ptx_find(i->tree, text)) i = i->next;
    if (!i) return add_fate(in, name, text);
  }
}

static const Name *better(const Name *a, const Name *b) {
  if (!a) return b;
  if (b->class == STRONG) return a->class == STRONG ? a : b;
  if (a->class == COMMON && b->class == COMMON) return b->sym->size > a->sym->size ? b : a;
  return a;
}

/* All that has one name: which definition it means, and who has to give way. */
static CUresult settle(Link *l, SgJit *j, const Name *n, uint32_t count) {
  const Name *chosen = NULL;
  uint32_t locals = 0;
  CUresult r = CUDA_SUCCESS;
  for (uint32_t i = 0; i < count; i++) {
    if (n[i].class == LOCAL_NAME) locals++;
    if (n[i].class == LOCAL_NAME || n[i].class == UNDEFINED) continue;
    if (chosen && chosen->class == STRONG && n[i].class == STRONG)
      r = sg_jit_fail(j, CUDA_ERROR_INVALID_PTX,
                      "error   : Multiple definition of '%s' in '%s', first defined in '%s'", n->text,
                      n[i].in->name, chosen->in->name);
    chosen = better(chosen, &n[i]);
  }
  bool local_only = locals == count;
  for (uint32_t i = 0; i < count; i++) {
    bool good = true;
    switch (n[i].class) {
    case LOCAL_NAME:
      if (count > 1 && !(local_only && i == 0)) good = rename_local(l, n[i].in, n->text);
      break;
    case UNDEFINED:
      if (!chosen && !supplied(n->text) && used(n[i].in, n->text))
        r = sg_jit_fail(j, CUDA_ERROR_INVALID_PTX, "error   : Undefined reference to '%s' in '%s'", n->text,
                        n[i].in->name);
      break;
    default:
      if (&n[i] != chosen && n[i].class != STRONG) good = add_fate(n[i].in, n->text, NULL);
    }
    if (!good) return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return r;
}

static CUresult resolve(Link *l, SgJit *j) {
  Names names = {0};
  CUresult r = CUDA_SUCCESS;
  bool room = true;
  for (Input *in = l->inputs; in && room; in = in->next) {
    for (uint32_t i = 0; i < in->tree->nvars && room; i++) room = add_name(&names, in, in->tree->vars[i]);
    for (uint32_t i = 0; i < in->tree->nfuncs && room; i++)
      room = add_name(&names, in, in->tree->funcs[i]->sym);
  }
  if (room && names.n) qsort(names.list, names.n, sizeof *names.list, by_name_and_input);
  for (uint32_t i = 0, k; i < names.n && room; i = k) {
    for (k = i + 1; k < names.n && strcmp(names.list[k].text, names.list[i].text) == 0;) k++;
    CUresult one = settle(l, j, &names.list[i], k - i);
    if (one) r = one;
    room = one != CUDA_ERROR_OUT_OF_MEMORY;
  }
  free(names.list);
  return room ? r : CUDA_ERROR_OUT_OF_MEMORY;
}

/* --- writing the result --- */

static int token_and_fate(const void *a, const void *b) {
  const Tok *t = a;
  const Fate *f = b;
  int order = strncmp(t->at, f->name, t->len);
  return order ? order : f->name[t->len] ? -1 : 0;
}

/* The list is in order of names, as they were settled. */
static const Fate *fate_of(const Input *in, const Tok *t) {
  return in->nfate ? bsearch(t, in->fate, in->nfate, sizeof *in->fate, token_and_fate) : NULL;
}

static void put(FILE *f, const Tok *t) { fwrite(t->at, 1, t->len, f); }

static void put_newlines(FILE *f, const Input *in, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++)
    for (size_t k = 0; k < in->tok[i].len; k++)
      if (in->tok[i].at[k] == '\n') fputc('\n', f);
}

/* A file number, which is the next one after i. Returns what follows it. */
static uint32_t put_file_number(FILE *f, const Input *in, uint32_t i, uint32_t end) {
  while (i < end && in->tok[i].kind != NUMBER) put(f, &in->tok[i++]);
  if (i == end) return i;
  unsigned long n = strtoul(in->tok[i].at, NULL, 0);
  fprintf(f, "%lu", n ? n + in->first_file : 0);
  return i + 1;
}

static uint32_t put_numbers(FILE *f, const Input *in, uint32_t i, uint32_t end, int count) {
  while (i < end && count > 0) {
    count -= in->tok[i].kind == NUMBER;
    put(f, &in->tok[i++]);
  }
  return i;
}

/* .loc file line column [, function_name label [+ n]] [, inlined_at file line column] */
static uint32_t put_loc(FILE *f, const Input *in, uint32_t i, uint32_t end) {
  i = put_file_number(f, in, i, end);
  i = put_numbers(f, in, i, end, 2);
  for (;;) {
    uint32_t k = skip_space(in, i);
    if (k >= end || punct(&in->tok[k]) != ',') return i;
    while (i < end && in->tok[i].kind != WORD) put(f, &in->tok[i++]);
    bool inlined = i < end && tok_is(&in->tok[i], "inlined_at");
    if (i < end) put(f, &in->tok[i++]);
    if (inlined) {
      i = put_file_number(f, in, i, end);
      i = put_numbers(f, in, i, end, 2);
      continue;
    }
    while (i < end && in->tok[i].kind != WORD) put(f, &in->tok[i++]);
    if (i < end) put(f, &in->tok[i++]); /* the label */
    k = skip_space(in, i);
    if (k < end && punct(&in->tok[k]) == '+') i = put_numbers(f, in, i, end, 1);
  }
}

/* Where an opcode stands: a word of the same spelling is no use of a name. */
static bool starts_instruction(const Input *in, const Tok *last, bool guarded, uint32_t i, bool body) {
  if (!body ||
      !(guarded || punct(last) == ';' || punct(last) == '{' || punct(last) == '}' || punct(last) == ':'))
    return false;
  uint32_t k = skip_space(in, i + 1);
  return k >= in->ntok || punct(&in->tok[k]) != ':'; /* a label is a name */
}

static void put_statement(FILE *f, const Input *in, const Stmt *s) {
  static const Tok start = {PUNCT, ";", 1};
  const Tok *last = &start;
  bool at = false, guarded = false; /* after the '@', after the predicate behind it */
  for (uint32_t i = s->first; i < s->end;) {
    const Tok *t = &in->tok[i];
    if (t->kind == DOT && tok_is(t, ".loc")) {
      i = put_loc(f, in, i, s->end);
      last = &start;
      continue;
    }
    const Fate *fate = t->kind == WORD ? fate_of(in, t) : NULL;
    if (fate && fate->renamed && !starts_instruction(in, last, guarded, i, s->kind == FUNCTION))
      fputs(fate->renamed, f);
    else
      put(f, t);
    i++;
    if (t->kind == SPACE) continue;
    guarded = at && t->kind == WORD;
    at = punct(t) == '@' || (at && punct(t) == '!');
    last = t;
  }
}

/* A definition that lost becomes a declaration. */
static void put_declaration(FILE *f, const Input *in, const Stmt *s) {
  uint32_t i = s->first;
  int depth = 0;
  for (; i < s->end; i++) {
    const Tok *t = &in->tok[i];
    const char c = punct(t);
    if (depth == 0 && (c == '{' || c == '=' || c == ';')) break;
    depth += depth_of(c);
    if (t->kind == DOT && depth == 0 && (tok_is(t, ".weak") || tok_is(t, ".common")))
      fputs(".extern", f);
    else
      put(f, t);
  }
  fputc(';', f);
  put_newlines(f, in, i, s->end);
}

static uint32_t lines_of(const char *text, size_t len) {
  uint32_t n = 0;
  for (size_t i = 0; i < len; i++) n += text[i] == '\n';
  return n;
}

static void put_input(FILE *f, const Input *in) {
  uint32_t done = 0;
  for (uint32_t i = 0; i < in->nstmt; i++) {
    const Stmt *s = &in->stmt[i];
    while (done < s->first) put(f, &in->tok[done++]);
    done = s->end;
    const Fate *fate = s->name.at ? fate_of(in, &s->name) : NULL;
    if (s->kind == HEADER || s->kind == SKIPPED) {
      put_newlines(f, in, s->first, s->end);
    } else if (s->kind == FILE_NAME) {
      uint32_t k = put_file_number(f, in, s->first, s->end);
      while (k < s->end) put(f, &in->tok[k++]);
    } else if (fate && !fate->renamed) {
      put_declaration(f, in, s);
    } else {
      put_statement(f, in, s);
    }
  }
  while (done < in->ntok) put(f, &in->tok[done++]);
  fputc('\n', f);
}

static bool write_image(Link *l) {
  char head[160];
  int version = 60, sm = 30;
  FILE *f = open_memstream(&l->image, &l->image_size);
  if (!f) return false;
  for (const Input *in = l->inputs; in; in = in->next) {
    if (in->tree->version > version) version = in->tree->version;
    if (in->tree->target_sm > sm) sm = in->tree->target_sm;
  }
  sg_image_options(&l->jit, head, sizeof head);
  fprintf(f, "%s.version %d.%d\n.target sm_%d\n.address_size 64\n", head, version / 10, version % 10, sm);
  uint32_t files = 0;
  for (Input *in = l->inputs; in; in = in->next) {
    in->first_file = files;
    if (in->tree->nfiles) files += in->tree->nfiles - 1;
    fflush(f);
    in->first_line = lines_of(l->image, l->image_size) + 1;
    put_input(f, in);
  }
  bool good = !ferror(f);
  return fclose(f) == 0 && good && l->image;
}

/* --- inputs --- */

static void input_free(Input *in) {
  if (!in) return;
  for (uint32_t i = 0; i < in->nfate; i++) free(in->fate[i].renamed);
  ptx_free(in->tree);
  free(in->fate);
  free(in->stmt);
  free(in->tok);
  free(in->text);
  free(in->name);
  free(in);
}

static bool has_open_names(const Input *in) {
  for (uint32_t i = 0; i < in->tree->nfuncs; i++)
    if (class_of(in->tree->funcs[i]->sym) == UNDEFINED) return true;
  for (uint32_t i = 0; i < in->tree->nvars; i++)
    if (class_of(in->tree->vars[i]) == UNDEFINED) return true;
  return false;
}

/* An input that is complete by itself is compiled for trial, so that its errors come with it; the others are
 * when the whole is linked. */
static CUresult input_check(SgJit *j, Input *in) {
  PtxError err;
  in->tree = ptx_parse(in->text, strlen(in->text), &err);
  if (!in->tree)
    return sg_jit_fail(j, CUDA_ERROR_INVALID_PTX, "%s, error: line %u: %s", in->name, err.line, err.text);
  if (in->tree->address_size != 64)
    return sg_jit_fail(j, CUDA_ERROR_INVALID_PTX, "%s, error: only 64-bit addresses are supported", in->name);
  if (has_open_names(in)) return CUDA_SUCCESS;
  SgModule *trial;
  SgDiag diag;
  SgJit quiet = {0}; /* what the options ask to be told is told of the whole */
  CUresult r = sg_jit_compile(&quiet, sg_ctx(), in->text, &diag, &trial);
  if (r) return sg_jit_fail(j, r, "%s, error: %s", in->name, diag.text);
  sg_module_unload(trial);
  return CUDA_SUCCESS;
}

static CUresult add_text(Link *l, SgJit *j, const char *text, size_t size, const char *name) {
  Input *in = calloc(1, sizeof *in), **at = &l->inputs;
  char unnamed[32];
  snprintf(unnamed, sizeof unnamed, "input %u", l->ninputs + 1);
  if (in) {
    in->number = l->ninputs + 1;
    in->name = strdup(name && *name ? name : unnamed);
    in->text = strndup(text, size);
  }
  bool room = in && in->name && in->text;
  CUresult r = room ? input_check(j, in) : CUDA_ERROR_OUT_OF_MEMORY;
  if (!r && !(tokenize(in) && split(in))) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    input_free(in);
    return r;
  }
  while (*at) at = &(*at)->next;
  *at = in;
  l->ninputs++;
  return CUDA_SUCCESS;
}

/* --- exported --- */

static Link *link_get(CUlinkState h, CUresult *code) { return sg_handle_get(SG_H_LINK, h, code); }

static CUresult link_create(unsigned n, const CUjit_option *options, void **values, CUlinkState *out) {
  Link *l = calloc(1, sizeof *l);
  CUresult r = !l     ? CUDA_ERROR_OUT_OF_MEMORY
               : !out ? CUDA_ERROR_INVALID_VALUE
                      : sg_jit_read(&l->jit, n, options, values);
  if (!r && l->jit.fallback) r = CUDA_ERROR_INVALID_VALUE; /* the linker wants exact matches */
  if (!r && !sg_handle_new(SG_H_LINK, &l->o, NULL)) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    free(l);
    return r;
  }
  *out = l->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                                CUlinkState *stateOut) {
  SG_CALL(SG_NEED_CONTEXT, link_create(numOptions, options, optionValues, stateOut),
          "state=0x%llx options=%u", SG_OUT(stateOut), numOptions);
}

SG_API CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                             CUlinkState *stateOut) {
  SG_CALL(SG_NEED_CONTEXT, link_create(numOptions, options, optionValues, stateOut),
          "state=0x%llx options=%u", SG_OUT(stateOut), numOptions);
}

/* Options that come with an input are for it alone; logs that it lacks are the linker's. */
static CUresult input_options(Link *l, SgJit *j, unsigned n, const CUjit_option *options, void **values) {
  *j = l->jit;
  if (!n) return CUDA_SUCCESS;
  CUresult r = sg_jit_read(j, n, options, values);
  if (!j->info.text) j->info = l->jit.info;
  if (!j->error.text) j->error = l->jit.error;
  return r;
}

/* What was written to the linker's own logs, and its time, are the linker's to remember. */
static CUresult input_done(Link *l, const SgJit *j, CUresult r) {
  if (j->info.text == l->jit.info.text) l->jit.info = j->info;
  if (j->error.text == l->jit.error.text) l->jit.error = j->error;
  if (j->wall_time == l->jit.wall_time) l->jit.ms = j->ms;
  return r;
}

static CUresult link_add(CUlinkState h, CUjitInputType type, const void *data, size_t size, const char *name,
                         unsigned n, const CUjit_option *options, void **values) {
  CUresult code;
  Link *l = link_get(h, &code);
  SgJit j;
  if (!l) return code;
  if (!data || !size || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES || l->image) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = input_options(l, &j, n, options, values);
  if (r) return r;
  char *text = strndup(data, size); /* at least four bytes of it are looked at */
  if (!text) return CUDA_ERROR_OUT_OF_MEMORY;
  SgImage kind = sg_image_kind(text);
  bool takes = type == CU_JIT_INPUT_PTX     ? kind == SG_IMAGE_PTX || kind == SG_IMAGE_LINKED
               : type == CU_JIT_INPUT_CUBIN ? kind == SG_IMAGE_LINKED
                                            : false;
  r = takes ? add_text(l, &j, text, size, name)
            : sg_jit_refuse(&j, kind == SG_IMAGE_BINARY ? kind : SG_IMAGE_UNKNOWN);
  free(text);
  return input_done(l, &j, r);
}

#define LOG_ADD "state=0x%llx type=%d bytes=%zu name=%s options=%u"

SG_API CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                                 const char *name, unsigned int numOptions, CUjit_option *options,
                                 void **optionValues) {
  SG_CALL(SG_NEED_CONTEXT, link_add(state, type, data, size, name, numOptions, options, optionValues),
          LOG_ADD, SG_X(state), (int)type, size, SG_S(name), numOptions);
}

SG_API CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                              const char *name, unsigned int numOptions, CUjit_option *options,
                              void **optionValues) {
  SG_CALL(SG_NEED_CONTEXT, link_add(state, type, data, size, name, numOptions, options, optionValues),
          LOG_ADD, SG_X(state), (int)type, size, SG_S(name), numOptions);
}

static CUresult link_add_file(CUlinkState h, CUjitInputType type, const char *path, unsigned n,
                              const CUjit_option *options, void **values) {
  CUresult code;
  if (!link_get(h, &code)) return code;
  if (!path) return CUDA_ERROR_INVALID_VALUE;
  char *data = sg_read_file(path);
  if (!data) return CUDA_ERROR_FILE_NOT_FOUND;
  CUresult r = link_add(h, type, data, strlen(data) + 1, path, n, options, values);
  free(data);
  return r;
}

SG_API CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                                 unsigned int numOptions, CUjit_option *options, void **optionValues) {
  SG_CALL(SG_NEED_CONTEXT, link_add_file(state, type, path, numOptions, options, optionValues),
          "state=0x%llx type=%d file=%s options=%u", SG_X(state), (int)type, SG_S(path), numOptions);
}

SG_API CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                              unsigned int numOptions, CUjit_option *options, void **optionValues) {
  SG_CALL(SG_NEED_CONTEXT, link_add_file(state, type, path, numOptions, options, optionValues),
          "state=0x%llx type=%d file=%s options=%u", SG_X(state), (int)type, SG_S(path), numOptions);
}

/* The whole has to compile; a message names the line of the input that it came from. */
static CUresult check_image(Link *l) {
  SgDiag diag;
  SgModule *trial;
  CUresult r = sg_jit_compile(&l->jit, sg_ctx(), l->image, &diag, &trial);
  if (!r) {
    sg_module_unload(trial);
    return CUDA_SUCCESS;
  }
  const Input *in = l->inputs;
  while (in && in->next && in->next->first_line <= diag.line) in = in->next;
  const char *colon = strchr(diag.text, ':'); /* behind the line of the image */
  if (!in || diag.line < in->first_line || !colon) return sg_jit_fail(&l->jit, r, "error   : %s", diag.text);
  return sg_jit_fail(&l->jit, r, "%s, error: line %u%s", in->name, diag.line - in->first_line + 1, colon);
}

static CUresult link_complete(CUlinkState h, void **out, size_t *size) {
  CUresult code;
  Link *l = link_get(h, &code);
  if (!l) return code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!l->image) {
    CUresult r = resolve(l, &l->jit);
    if (!r && !write_image(l)) r = CUDA_ERROR_OUT_OF_MEMORY;
    if (!r) r = check_image(l);
    if (r) { /* as it was: another input may complete it */
      free(l->image);
      l->image = NULL;
      for (Input *in = l->inputs; in; in = in->next) {
        for (uint32_t i = 0; i < in->nfate; i++) free(in->fate[i].renamed);
        in->nfate = 0;
      }
      return r;
    }
  }
  *out = l->image;
  if (size) *size = l->image_size + 1; /* the NUL belongs to it */
  return CUDA_SUCCESS;
}

SG_API CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
  SG_CALL(SG_NEED_CONTEXT, link_complete(state, cubinOut, sizeOut), "state=0x%llx bytes=%llu", SG_X(state),
          SG_OUT(sizeOut));
}

static void link_free(SgObject *o, void *arg) {
  (void)arg;
  Link *l = (Link *)o;
  for (Input *in = l->inputs, *next; in; in = next) {
    next = in->next;
    input_free(in);
  }
  free(l->image);
  sg_handle_free(o, false);
  free(l);
}

void sg_links_reset(void) { sg_handles_each(SG_H_LINK, NULL, link_free, NULL); }

static CUresult link_destroy(CUlinkState h) {
  CUresult code;
  Link *l = link_get(h, &code);
  if (!l) return code;
  link_free(&l->o, NULL);
  return CUDA_SUCCESS;
}

SG_API CUresult cuLinkDestroy(CUlinkState state) {
  SG_CALL(SG_NEED_HEALTH, link_destroy(state), "state=0x%llx", SG_X(state));
}
