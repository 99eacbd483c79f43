/* The texts that the linker joins: cutting one into tokens and statements, and writing it again with other
 * names. */
#include "driver/link.h"

#include <stdlib.h>
#include <string.h>

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Space and comments are tokens too: the tokens together are the text. */
static LinkTok next_token(const char *s) {
  const char *p = s + 1;
  LinkTokKind kind = PUNCT;
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
  return (LinkTok){kind, s, (size_t)(p - s)};
}

static bool tok_is(const LinkTok *t, const char *text) {
  return strlen(text) == t->len && memcmp(t->at, text, t->len) == 0;
}

static void *grow(void *array, uint32_t *room, uint32_t need, size_t size) {
  if (need <= *room) return array;
  uint32_t more = *room ? *room * 2 : 256;
  void *p = realloc(array, more * size);
  if (p) *room = more;
  return p;
}

static bool tokenize(LinkInput *in) {
  for (const char *s = in->text; *s;) {
    LinkTok t = next_token(s);
    void *p = grow(in->tok, &in->tok_room, in->ntok + 1, sizeof *in->tok);
    if (!p) return false;
    in->tok = p;
    in->tok[in->ntok++] = t;
    s += t.len;
  }
  return true;
}

/* --- statements of a module; the text is known to parse --- */

static uint32_t skip_space(const LinkInput *in, uint32_t i) {
  while (i < in->ntok && in->tok[i].kind == SPACE) i++;
  return i;
}

/* Past the last token of a directive that nothing closes: at the directive that comes next. */
static uint32_t to_next_directive(const LinkInput *in, uint32_t i) {
  while (i < in->ntok && in->tok[i].kind != DOT) i++;
  return i;
}

static char punct(const LinkTok *t) { return t->kind == PUNCT ? *t->at : 0; }

static int depth_of(char c) { return strchr("([{", c) && c ? 1 : strchr(")]}", c) && c ? -1 : 0; }

/* A function ends with its body or ';', anything else with ';'. */
static uint32_t to_end(const LinkInput *in, uint32_t i, LinkStmt *s) {
  int depth = 0;
  for (; i < in->ntok; i++) {
    const LinkTok *t = &in->tok[i];
    const char c = punct(t);
    if (t->kind == WORD && depth == 0 && s->kind != OTHER && !s->name.at) s->name = *t;
    s->defines = s->defines || (c == '=' && depth == 0) || (c == '{' && s->kind == FUNCTION);
    depth += depth_of(c);
    if (depth == 0 && (c == ';' || (c == '}' && s->kind == FUNCTION))) return i + 1;
  }
  return i;
}

static LinkStmtKind kind_of(const LinkTok *t) {
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

static bool split(LinkInput *in) {
  for (uint32_t i = skip_space(in, 0); i < in->ntok; i = skip_space(in, i)) {
    LinkStmt s = {.kind = kind_of(&in->tok[i]), .first = i};
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

bool sg_link_cut(LinkInput *in) { return tokenize(in) && split(in); }

bool sg_link_uses(const LinkInput *in, const char *name) {
  for (uint32_t i = 0; i < in->nstmt; i++) {
    const LinkStmt *s = &in->stmt[i];
    if (!s->defines && s->kind != OTHER) continue;
    for (uint32_t k = s->first; k < s->end; k++)
      if (in->tok[k].kind == WORD && tok_is(&in->tok[k], name)) return true;
  }
  return false;
}

/* --- writing the result --- */

static int token_and_fate(const void *a, const void *b) {
  const LinkTok *t = a;
  const LinkFate *f = b;
  int order = strncmp(t->at, f->name, t->len);
  return order ? order : f->name[t->len] ? -1 : 0;
}

/* The list is in order of names, as they were settled. */
static const LinkFate *fate_of(const LinkInput *in, const LinkTok *t) {
  return in->nfate ? bsearch(t, in->fate, in->nfate, sizeof *in->fate, token_and_fate) : NULL;
}

static void put(FILE *f, const LinkTok *t) { fwrite(t->at, 1, t->len, f); }

static void put_newlines(FILE *f, const LinkInput *in, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++)
    for (size_t k = 0; k < in->tok[i].len; k++)
      if (in->tok[i].at[k] == '\n') fputc('\n', f);
}

/* A file number, which is the next one after i. Returns what follows it. */
static uint32_t put_file_number(FILE *f, const LinkInput *in, uint32_t i, uint32_t end) {
  while (i < end && in->tok[i].kind != NUMBER) put(f, &in->tok[i++]);
  if (i == end) return i;
  unsigned long n = strtoul(in->tok[i].at, NULL, 0);
  fprintf(f, "%lu", n ? n + in->first_file : 0);
  return i + 1;
}

static uint32_t put_numbers(FILE *f, const LinkInput *in, uint32_t i, uint32_t end, int count) {
  while (i < end && count > 0) {
    count -= in->tok[i].kind == NUMBER;
    put(f, &in->tok[i++]);
  }
  return i;
}

/* .loc file line column [, function_name label [+ n]] [, inlined_at file line column] */
static uint32_t put_loc(FILE *f, const LinkInput *in, uint32_t i, uint32_t end) {
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
static bool starts_instruction(const LinkInput *in, const LinkTok *last, bool guarded, uint32_t i,
                               bool body) {
  if (!body ||
      !(guarded || punct(last) == ';' || punct(last) == '{' || punct(last) == '}' || punct(last) == ':'))
    return false;
  uint32_t k = skip_space(in, i + 1);
  return k >= in->ntok || punct(&in->tok[k]) != ':'; /* a label is a name */
}

static void put_statement(FILE *f, const LinkInput *in, const LinkStmt *s) {
  static const LinkTok start = {PUNCT, ";", 1};
  const LinkTok *last = &start;
  bool at = false, guarded = false; /* after the '@', after the predicate behind it */
  for (uint32_t i = s->first; i < s->end;) {
    const LinkTok *t = &in->tok[i];
    if (t->kind == DOT && tok_is(t, ".loc")) {
      i = put_loc(f, in, i, s->end);
      last = &start;
      continue;
    }
    const LinkFate *fate = t->kind == WORD ? fate_of(in, t) : NULL;
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
static void put_declaration(FILE *f, const LinkInput *in, const LinkStmt *s) {
  uint32_t i = s->first;
  int depth = 0;
  for (; i < s->end; i++) {
    const LinkTok *t = &in->tok[i];
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

void sg_link_write(FILE *f, const LinkInput *in) {
  uint32_t done = 0;
  for (uint32_t i = 0; i < in->nstmt; i++) {
    const LinkStmt *s = &in->stmt[i];
    while (done < s->first) put(f, &in->tok[done++]);
    done = s->end;
    const LinkFate *fate = s->name.at ? fate_of(in, &s->name) : NULL;
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
