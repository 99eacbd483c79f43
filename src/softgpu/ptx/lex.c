/* The lexer: any bytes in, tokens or an error out. It works on a copy of the text that ends with
 * zero bytes, so that no scanning loop has to watch the end. */
#define _GNU_SOURCE
#include "ptx/lex.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { C_START = 1, C_FOLLOW = 2, C_DIGIT = 4, C_HEX = 8, C_BLANK = 16 };

static const uint8_t class_of[256] = {
    ['0' ... '9'] = C_FOLLOW | C_DIGIT | C_HEX,
    ['a' ... 'f'] = C_START | C_FOLLOW | C_HEX,
    ['g' ... 'z'] = C_START | C_FOLLOW,
    ['A' ... 'F'] = C_START | C_FOLLOW | C_HEX,
    ['G' ... 'Z'] = C_START | C_FOLLOW,
    ['_'] = C_START | C_FOLLOW,
    ['$'] = C_START | C_FOLLOW,
    ['%'] = C_START,
    [' '] = C_BLANK,
    ['\t'] = C_BLANK,
    ['\r'] = C_BLANK,
    ['\f'] = C_BLANK,
    ['\v'] = C_BLANK,
};

static inline bool is(char c, uint8_t classes) { return class_of[(uint8_t)c] & classes; }

static inline uint32_t column(const PtxLexer *lx, const char *at) {
  ptrdiff_t n = at - lx->line_start + 1;
  return n > (ptrdiff_t)UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void newline(PtxLexer *lx) { /* lx->at stands on it */
  lx->at++;
  lx->line++;
  lx->line_start = lx->at;
}

static void mark(PtxLexer *lx) {
  lx->tok.line = lx->line;
  lx->tok.col = column(lx, lx->at);
}

static void skip_comment(PtxParser *p) { /* at the '*' of an opening */
  PtxLexer *lx = &p->lex;
  uint32_t line = lx->line, col = column(lx, lx->at - 1);
  for (lx->at++; lx->at[0] != '*' || lx->at[1] != '/';) {
    if (lx->at >= lx->end) ptx_fail_at(p, line, col, "This comment is never closed.");
    if (*lx->at == '\n')
      newline(lx);
    else
      lx->at++;
  }
  lx->at += 2;
}

static void skip_line(PtxLexer *lx) {
  const char *stop = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));
  lx->at = stop ? stop : lx->end;
}

static void skip_blank(PtxParser *p) {
  PtxLexer *lx = &p->lex;
  for (;;) {
    if (is(*lx->at, C_BLANK)) {
      lx->at++;
    } else if (*lx->at == '\n') {
      newline(lx);
    } else if (lx->at[0] == '/' && lx->at[1] == '/') {
      skip_line(lx);
    } else if (lx->at[0] == '/' && lx->at[1] == '*') {
      lx->at++;
      skip_comment(p);
    } else if (lx->at[0] == '@' && lx->at[1] == '@') { /* debug data of old compilers, a line each */
      skip_line(lx);
    } else {
      return;
    }
  }
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* strtod follows the host program's locale; PTX does not. */
static locale_t c_locale;
static void make_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static double decimal(PtxParser *p, const char *text, char **stop) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_locale);
  if (!c_locale) ptx_fail_memory(p);
  return strtod_l(text, stop, c_locale);
}

static unsigned hex_digit(char c) {
  return is(c, C_DIGIT) ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
}

static void hex_float(PtxParser *p, PtxTokKind kind, unsigned digits) {
  PtxLexer *lx = &p->lex;
  lx->at += 2;
  uint64_t bits = 0;
  unsigned n = 0;
  for (; is(*lx->at, C_HEX) && n < digits; n++) bits = bits << 4 | hex_digit(*lx->at++);
  if (n < digits || is(*lx->at, C_FOLLOW))
    ptx_fail(p, "A floating point literal of this kind has exactly %u hexadecimal digits.", digits);
  lx->tok.kind = kind;
  lx->tok.bits = bits;
}

static bool looks_decimal(const char *at) { /* digits with a point or an exponent */
  while (is(*at, C_DIGIT)) at++;
  if (*at == '.') return true;
  if ((*at | 32) != 'e') return false;
  at++;
  if (*at == '+' || *at == '-') at++;
  return is(*at, C_DIGIT);
}

static void integer(PtxParser *p, unsigned base) {
  PtxLexer *lx = &p->lex;
  uint64_t bits = 0;
  const char *first = lx->at;
  for (; is(*lx->at, C_HEX); lx->at++) {
    unsigned digit = hex_digit(*lx->at);
    if (digit >= base) break;
    if (bits > (UINT64_MAX - digit) / base) ptx_fail(p, "This integer does not fit in 64 bits.");
    bits = bits * base + digit;
  }
  bool empty = lx->at == first;
  lx->tok.is_unsigned = bits >> 63;
  if (*lx->at == 'U') {
    lx->tok.is_unsigned = true;
    lx->at++;
  }
  if (empty || is(*lx->at, C_FOLLOW)) ptx_fail(p, "This is not a number in base %u.", base);
  lx->tok.kind = PTX_TOK_INT;
  lx->tok.bits = bits;
}

static void number(PtxParser *p) {
  PtxLexer *lx = &p->lex;
  const char *at = lx->at;
  char second = at[0] == '0' ? at[1] : 0;
  if (second == 'f' || second == 'F') {
    hex_float(p, PTX_TOK_F32, 8);
  } else if (second == 'd' || second == 'D') {
    hex_float(p, PTX_TOK_F64, 16);
  } else if (second == 'x' || second == 'X') {
    lx->at += 2;
    integer(p, 16);
  } else if (second == 'b' || second == 'B') {
    lx->at += 2;
    integer(p, 2);
  } else if (looks_decimal(at)) {
    char *stop;
    double value = decimal(p, at, &stop);
    lx->tok.kind = PTX_TOK_F64;
    memcpy(&lx->tok.bits, &value, sizeof value);
    lx->at = stop;
    if (is(*stop, C_FOLLOW)) ptx_fail(p, "This is not a decimal number.");
  } else {
    integer(p, second ? 8 : 10);
  }
}

/* ---- everything else ------------------------------------------------------------------------- */

static void string(PtxParser *p) {
  PtxLexer *lx = &p->lex;
  const char *at = ++lx->at;
  while (*at != '"') {
    if (*at == '\\' && at[1] != '\n') at++;
    if (at >= lx->end || *at == '\n') ptx_fail(p, "This string is never closed.");
    at++;
  }
  lx->tok.kind = PTX_TOK_STRING;
  lx->tok.text = lx->at;
  lx->tok.len = (size_t)(at - lx->at);
  lx->at = at + 1;
}

/* The end of a modifier that starts at `at`: letters and digits, with :: inside ("shared::cta"). */
static const char *modifier_end(const char *at) {
  for (;;) {
    while (is(*at, C_FOLLOW)) at++;
    if (at[0] != ':' || at[1] != ':' || !is(at[2], C_FOLLOW)) return at;
    at += 2;
  }
}

static void word(PtxParser *p, PtxTokKind kind, const char *stop) {
  PtxLexer *lx = &p->lex;
  lx->tok.kind = kind;
  lx->tok.text = lx->at;
  lx->tok.len = (size_t)(stop - lx->at);
  lx->tok.atom = ptx_intern(p, lx->at, lx->tok.len);
  lx->at = stop;
}

static void punctuation(PtxParser *p) {
  static const char pairs[][2] = {{'<', '<'}, {'>', '>'}, {'<', '='}, {'>', '='},
                                  {'=', '='}, {'!', '='}, {'&', '&'}, {'|', '|'}};
  PtxLexer *lx = &p->lex;
  char c = *lx->at;
  if (!c || !strchr("(){}[]<>,;:+-*/%!~&|^=@?", c)) {
    if (c > ' ' && c < 127) ptx_fail(p, "A stray '%c' does not belong here.", c);
    ptx_fail(p, "A stray byte 0x%02x does not belong here.", (unsigned)(uint8_t)c);
  }
  lx->tok.kind = PTX_TOK_PUNCT;
  lx->tok.punct = (uint32_t)c;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] == c && pairs[i][1] == lx->at[1]) lx->tok.punct = PTX_P2(c, lx->at[1]);
  lx->at += lx->tok.punct > 255 ? 2 : 1;
}

void ptx_next(PtxParser *p) {
  PtxLexer *lx = &p->lex;
  skip_blank(p);
  mark(lx);
  char c = *lx->at;
  if (is(c, C_START) && (c != '%' || is(lx->at[1], C_FOLLOW))) {
    const char *stop = lx->at + 1;
    while (is(*stop, C_FOLLOW)) stop++;
    word(p, PTX_TOK_WORD, stop);
  } else if (is(c, C_DIGIT)) {
    number(p);
  } else if (c == '.' && is(lx->at[1], C_FOLLOW)) {
    lx->at++;
    word(p, PTX_TOK_DOT, modifier_end(lx->at));
  } else if (c == '"') {
    string(p);
  } else if (lx->at >= lx->end) {
    lx->tok.kind = PTX_TOK_END;
  } else {
    punctuation(p);
  }
}

bool ptx_point_number(PtxParser *p) {
  PtxLexer *lx = &p->lex;
  if (!is(*lx->tok.text, C_DIGIT)) return false;
  char *stop;
  double value = decimal(p, lx->tok.text - 1, &stop);
  if (is(*stop, C_FOLLOW)) return false;
  memcpy(&lx->tok.bits, &value, sizeof value);
  lx->at = stop;
  return true;
}

PtxTokKind ptx_peek(PtxParser *p) {
  PtxLexer saved = p->lex;
  ptx_next(p);
  PtxTokKind kind = p->lex.tok.kind;
  p->lex = saved;
  return kind;
}

/* Modifiers follow their opcode at once nearly always; a form written with blanks is put together. */
PtxAtom *ptx_lex_form(PtxParser *p) {
  PtxLexer *lx = &p->lex;
  PtxTok form = lx->tok;
  const char *stop = lx->at;
  while (*stop == '.' && is(stop[1], C_FOLLOW)) stop = modifier_end(stop + 1);
  if (stop != lx->at) {
    lx->at = form.text;
    word(p, PTX_TOK_WORD, stop);
    form = lx->tok;
  }
  ptx_next(p);
  while (lx->tok.kind == PTX_TOK_DOT) {
    char joined[256];
    size_t len = form.atom->len, more = lx->tok.atom->len;
    if (len + 1 + more > sizeof joined) ptx_fail(p, "This instruction has too many modifiers.");
    memcpy(joined, form.atom->text, len);
    joined[len] = '.';
    memcpy(joined + len + 1, lx->tok.atom->text, more);
    form.atom = ptx_intern(p, joined, len + 1 + more);
    ptx_next(p);
  }
  return form.atom;
}

void ptx_skip_block(PtxParser *p) {
  PtxLexer *lx = &p->lex;
  uint32_t line = lx->tok.line, col = lx->tok.col;
  uint64_t open = 1;
  while (open) {
    skip_blank(p);
    if (lx->at >= lx->end) ptx_fail_at(p, line, col, "This block is never closed.");
    if (*lx->at == '"') {
      mark(lx);
      string(p);
      continue;
    }
    if (*lx->at == '{') open++;
    if (*lx->at == '}') open--;
    lx->at++;
  }
  ptx_next(p);
}
