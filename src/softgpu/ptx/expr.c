/* Constant expressions, as in C on 64-bit integers and doubles, and the initialisers of variables. */
#include "ptx/lex.h"

#include <string.h>

static PtxValue conditional(PtxParser *p, bool symbols);

static PtxValue of_int(uint64_t bits, bool is_unsigned) {
  return (PtxValue){.kind = PTX_V_INT, .bits = bits, .is_unsigned = is_unsigned};
}

static PtxValue of_double(double d) {
  PtxValue v = {.kind = PTX_V_FLOAT};
  memcpy(&v.bits, &d, sizeof d);
  return v;
}

/* The bits of the double with the value of a float, without an operation that could change a NaN. */
static uint64_t widen(uint32_t f) {
  uint64_t sign = (uint64_t)(f >> 31) << 63, mantissa = f & 0x7fffff;
  uint32_t exponent = f >> 23 & 0xff;
  if (exponent == 0xff) return sign | 0x7ffull << 52 | mantissa << 29;
  float value;
  double d;
  memcpy(&value, &f, sizeof value);
  d = value;
  memcpy(&mantissa, &d, sizeof d);
  return mantissa;
}

static double as_double(PtxValue v) {
  if (v.kind == PTX_V_INT) return v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
  uint64_t bits = v.single ? widen((uint32_t)v.bits) : v.bits;
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static bool truth(PtxParser *p, PtxValue v) {
  if (v.kind == PTX_V_SYM) ptx_fail(p, "The address of '%.200s' has no value yet.", v.sym->name);
  return v.kind == PTX_V_INT ? v.bits != 0 : as_double(v) != 0;
}

/* ---- primaries ------------------------------------------------------------------------------- */

static void enter(PtxParser *p) {
  if (++p->expr_depth > PTX_MAX_EXPR_DEPTH)
    ptx_fail(p, "This expression is nested more than %d deep.", PTX_MAX_EXPR_DEPTH);
}

static PtxValue parenthesised(PtxParser *p, bool symbols) {
  ptx_expect(p, '(', "");
  PtxValue v = conditional(p, symbols);
  ptx_expect(p, ')', "to close the parenthesis");
  return v;
}

static PtxValue symbol(PtxParser *p) {
  PtxTok t = p->lex.tok;
  ptx_next(p);
  if (strcmp(t.atom->text, "generic") == 0 && ptx_at(p, '(')) {
    PtxValue v = parenthesised(p, true);
    if (v.kind != PTX_V_SYM) ptx_fail_at(p, t.line, t.col, "generic() takes the name of a variable.");
    v.generic = true;
    return v;
  }
  PtxSym *s = ptx_lookup(p, t.atom);
  if (!s) ptx_fail_unknown(p, t.atom, t.line, t.col);
  if (s->kind != PTX_SYM_VAR && s->kind != PTX_SYM_FUNC)
    ptx_fail_at(p, t.line, t.col, "'%.200s' has no address that is known before the kernel runs.", s->name);
  return (PtxValue){.kind = PTX_V_SYM, .sym = s};
}

/* 0xFF00(address): one byte of an address. */
static PtxValue masked(PtxParser *p, PtxTok mask) {
  unsigned shift = 0;
  while (shift < 56 && mask.bits != (uint64_t)0xff << shift) shift += 8;
  if (mask.bits != (uint64_t)0xff << shift)
    ptx_fail_at(p, mask.line, mask.col, "The mask of an address must select one whole byte.");
  PtxValue v = parenthesised(p, true);
  if (v.kind != PTX_V_SYM || v.masked)
    ptx_fail_at(p, mask.line, mask.col, "A mask is applied to the address of a variable or function.");
  v.masked = true;
  v.mask_shift = (uint8_t)shift;
  return v;
}

static PtxValue primary(PtxParser *p, bool symbols) {
  PtxTok t = p->lex.tok;
  switch (t.kind) {
  case PTX_TOK_INT:
    ptx_next(p);
    if (symbols && ptx_at(p, '(')) return masked(p, t);
    return of_int(t.bits, t.is_unsigned);
  case PTX_TOK_F32:
  case PTX_TOK_F64:
    ptx_next(p);
    return (PtxValue){.kind = PTX_V_FLOAT, .bits = t.bits, .single = t.kind == PTX_TOK_F32};
  case PTX_TOK_DOT: /* a decimal without a digit before its point */
    if (ptx_point_number(p)) {
      PtxValue v = {.kind = PTX_V_FLOAT, .bits = p->lex.tok.bits};
      ptx_next(p);
      return v;
    }
    break;
  case PTX_TOK_WORD:
    if (strcmp(t.atom->text, "WARP_SZ") == 0) {
      ptx_next(p);
      return of_int(32, false);
    }
    if (symbols) return symbol(p);
    break;
  case PTX_TOK_PUNCT:
    if (t.punct == '(') return parenthesised(p, symbols);
    break;
  default: break;
  }
  ptx_expected(p, symbols ? "a constant or the name of a variable or function" : "a constant");
}

/* ---- operators ------------------------------------------------------------------------------- */

static PtxValue negate(PtxValue v) {
  if (v.kind == PTX_V_INT) return of_int(-v.bits, v.is_unsigned && v.bits != (uint64_t)1 << 63);
  v.bits ^= v.single ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
  return v;
}

/* "(.s64)" and "(.u64)"; false, with nothing taken, when a plain parenthesis stands here. */
static bool cast(PtxParser *p, bool *is_unsigned) {
  if (!ptx_at(p, '(') || ptx_peek(p) != PTX_TOK_DOT) return false;
  PtxLexer saved = p->lex;
  ptx_next(p);
  uint8_t type = p->lex.tok.atom->type;
  if (type != PTX_S64 && type != PTX_U64) {
    p->lex = saved;
    return false;
  }
  *is_unsigned = type == PTX_U64;
  ptx_next(p);
  ptx_expect(p, ')', "to close the cast");
  return true;
}

static PtxValue unary(PtxParser *p, bool symbols) {
  PtxTok t = p->lex.tok;
  bool is_unsigned;
  uint32_t op = t.kind == PTX_TOK_PUNCT ? t.punct : 0;
  PtxValue v;
  enter(p);
  if (op == '-' || op == '+' || op == '~' || op == '!') {
    ptx_next(p);
    v = unary(p, symbols);
    if (v.kind == PTX_V_SYM || (op == '~' && v.kind != PTX_V_INT))
      ptx_fail_at(p, t.line, t.col, "The operator '%c' cannot be applied to this.", (int)op);
    if (op == '-') v = negate(v);
    if (op == '~') v = of_int(~v.bits, v.is_unsigned);
    if (op == '!') v = of_int(!truth(p, v), false);
  } else if (cast(p, &is_unsigned)) {
    v = unary(p, symbols);
    if (v.kind != PTX_V_INT) ptx_fail_at(p, t.line, t.col, "Only integers can be cast.");
    v.is_unsigned = is_unsigned;
  } else {
    v = primary(p, symbols);
  }
  p->expr_depth--;
  return v;
}

enum { LOOSEST = 1, FACTOR = 10 };

static int precedence(const PtxTok *t) {
  if (t->kind != PTX_TOK_PUNCT) return 0;
  switch (t->punct) {
  case '*':
  case '/':
  case '%': return FACTOR;
  case '+':
  case '-': return 9;
  case PTX_P2('<', '<'):
  case PTX_P2('>', '>'): return 8;
  case '<':
  case '>':
  case PTX_P2('<', '='):
  case PTX_P2('>', '='): return 7;
  case PTX_P2('=', '='):
  case PTX_P2('!', '='): return 6;
  case '&': return 5;
  case '^': return 4;
  case '|': return 3;
  case PTX_P2('&', '&'): return 2;
  case PTX_P2('|', '|'): return LOOSEST;
  default: return 0;
  }
}

static uint64_t divide(PtxParser *p, const PtxTok *op, PtxValue a, PtxValue b, bool uns) {
  bool rest = op->punct == '%';
  if (!b.bits) ptx_fail_at(p, op->line, op->col, "This expression divides by zero.");
  if (uns) return rest ? a.bits % b.bits : a.bits / b.bits;
  if (b.bits == UINT64_MAX) return rest ? 0 : -a.bits; /* INT64_MIN / -1 would trap */
  int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
  return (uint64_t)(rest ? x % y : x / y);
}

static uint64_t shift_right(PtxValue a, uint64_t by) {
  uint64_t fill = !a.is_unsigned && a.bits >> 63 ? UINT64_MAX : 0;
  if (by > 63) return fill;
  return by ? a.bits >> by | fill << (64 - by) : a.bits;
}

static PtxValue integers(PtxParser *p, const PtxTok *op, PtxValue a, PtxValue b) {
  bool uns = a.is_unsigned || b.is_unsigned;
  uint64_t flip = uns ? 0 : (uint64_t)1 << 63; /* makes a signed order an unsigned one */
  uint64_t x = a.bits ^ flip, y = b.bits ^ flip;
  switch (op->punct) {
  case '*': return of_int(a.bits * b.bits, uns);
  case '/':
  case '%': return of_int(divide(p, op, a, b, uns), uns);
  case '+': return of_int(a.bits + b.bits, uns);
  case '-': return of_int(a.bits - b.bits, uns);
  case PTX_P2('<', '<'): return of_int(b.bits > 63 ? 0 : a.bits << b.bits, a.is_unsigned);
  case PTX_P2('>', '>'): return of_int(shift_right(a, b.bits), a.is_unsigned);
  case '<': return of_int(x < y, false);
  case '>': return of_int(x > y, false);
  case PTX_P2('<', '='): return of_int(x <= y, false);
  case PTX_P2('>', '='): return of_int(x >= y, false);
  case PTX_P2('=', '='): return of_int(x == y, false);
  case PTX_P2('!', '='): return of_int(x != y, false);
  case '&': return of_int(a.bits & b.bits, uns);
  case '^': return of_int(a.bits ^ b.bits, uns);
  default: return of_int(a.bits | b.bits, uns);
  }
}

static PtxValue floats(PtxParser *p, const PtxTok *op, double a, double b) {
  switch (op->punct) {
  case '*': return of_double(a * b);
  case '/': return of_double(a / b);
  case '+': return of_double(a + b);
  case '-': return of_double(a - b);
  case '<': return of_int(a < b, false);
  case '>': return of_int(a > b, false);
  case PTX_P2('<', '='): return of_int(a <= b, false);
  case PTX_P2('>', '='): return of_int(a >= b, false);
  case PTX_P2('=', '='): return of_int(a == b, false);
  case PTX_P2('!', '='): return of_int(a != b, false);
  default: ptx_fail_at(p, op->line, op->col, "This operator does not take floating point numbers.");
  }
}

static PtxValue apply(PtxParser *p, const PtxTok *op, PtxValue a, PtxValue b) {
  if (op->punct == PTX_P2('&', '&')) return of_int(truth(p, a) && truth(p, b), false);
  if (op->punct == PTX_P2('|', '|')) return of_int(truth(p, a) || truth(p, b), false);
  if (a.kind == PTX_V_SYM || b.kind == PTX_V_SYM) {
    if (op->punct == '+' && a.kind == PTX_V_INT && !b.masked) {
      b.bits += a.bits;
      return b;
    }
    if ((op->punct != '+' && op->punct != '-') || b.kind != PTX_V_INT || a.masked)
      ptx_fail_at(p, op->line, op->col, "Only an integer can be added to an address.");
    a.bits += op->punct == '+' ? b.bits : -b.bits;
    return a;
  }
  if (a.kind == PTX_V_INT && b.kind == PTX_V_INT) return integers(p, op, a, b);
  return floats(p, op, as_double(a), as_double(b));
}

static PtxValue binary(PtxParser *p, bool symbols, int loosest) {
  PtxValue v = unary(p, symbols);
  for (;;) {
    PtxTok op = p->lex.tok;
    int level = precedence(&op);
    if (!level || level < loosest) return v;
    ptx_next(p);
    v = apply(p, &op, v, binary(p, symbols, level + 1));
  }
}

static PtxValue conditional(PtxParser *p, bool symbols) {
  enter(p);
  PtxValue v = binary(p, symbols, LOOSEST);
  if (ptx_accept(p, '?')) {
    bool chosen = truth(p, v);
    PtxValue yes = conditional(p, symbols);
    ptx_expect(p, ':', "between the two values of '?'");
    PtxValue no = conditional(p, symbols);
    v = chosen ? yes : no;
  }
  p->expr_depth--;
  return v;
}

PtxValue ptx_const(PtxParser *p, bool symbols) { return conditional(p, symbols); }
PtxValue ptx_const_term(PtxParser *p) { return binary(p, false, FACTOR); }

uint64_t ptx_const_uint(PtxParser *p, uint64_t max, const char *what) {
  PtxTok t = p->lex.tok;
  PtxValue v = conditional(p, false);
  if (v.kind != PTX_V_INT || (!v.is_unsigned && v.bits >> 63) || v.bits > max)
    ptx_fail_at(p, t.line, t.col, "%s must be an integer from 0 to %llu.", what, (unsigned long long)max);
  return v.bits;
}

/* ---- initialisers ---------------------------------------------------------------------------- */

typedef struct Shape {
  const uint64_t *dims; /* outermost first; the vector's width last; the first 0 when open */
  uint32_t ndims;
} Shape;

static bool is_float_type(PtxType t) { return t == PTX_F32 || t == PTX_F64; }

/* The element as its type wants it: floats for float types, raw bits for the others. */
static void element(PtxParser *p, const PtxSym *s) {
  PtxTok t = p->lex.tok;
  PtxValue v = ptx_const(p, true);
  PtxInit *e = ptx_list_add(p, &p->inits, sizeof *e);
  if (v.kind == PTX_V_SYM) {
    if (is_float_type(s->type))
      ptx_fail_at(p, t.line, t.col, "An address cannot be a floating point number.");
    *e = (PtxInit){PTX_INIT_SYM, v.generic, v.bits, v.sym, v.mask_shift, v.masked};
  } else if (is_float_type(s->type)) {
    double d = as_double(v);
    e->kind = PTX_INIT_FLOAT;
    if (v.kind == PTX_V_FLOAT)
      e->bits = v.single ? widen((uint32_t)v.bits) : v.bits;
    else
      memcpy(&e->bits, &d, sizeof d);
  } else if (v.kind == PTX_V_INT || v.single) {
    e->bits = v.bits;
  } else if (ptx_type_size(s->type) == 8) {
    e->bits = v.bits;
  } else {
    ptx_fail_at(p, t.line, t.col, "A floating point number cannot initialise '%.200s'.", s->name);
  }
}

static uint64_t elements_below(Shape shape, uint32_t level) {
  uint64_t n = 1;
  for (uint32_t i = level; i < shape.ndims; i++) n *= shape.dims[i];
  return n;
}

/* Zero elements up to `end`, so that what follows a short inner list stands in its right place. */
static void pad(PtxParser *p, const PtxSym *s, uint64_t end) {
  if (end <= p->inits.n) return;
  ptx_expand(p, end - p->inits.n);
  while (p->inits.n < end) {
    PtxInit *e = ptx_list_add(p, &p->inits, sizeof *e);
    if (is_float_type(s->type)) e->kind = PTX_INIT_FLOAT;
  }
}

static void braces(PtxParser *p, const PtxSym *s, Shape shape, uint32_t level) {
  uint64_t first = p->inits.n;
  uint64_t below = elements_below(shape, level + 1);
  bool open = level == 0 && shape.dims[0] == 0;
  uint64_t room = open ? UINT64_MAX : shape.dims[level] * below;
  PtxTok t = p->lex.tok;
  ptx_expect(p, '{', "");
  while (!ptx_at(p, '}')) {
    if (ptx_at(p, '{')) {
      if (level + 1 >= shape.ndims) ptx_fail(p, "These braces are nested deeper than '%.200s' is.", s->name);
      uint64_t used = p->inits.n - first;
      if (below && used % below) pad(p, s, first + (used / below + 1) * below);
      uint64_t start = p->inits.n;
      braces(p, s, shape, level + 1);
      if (!ptx_at(p, ',') && !ptx_at(p, '}')) ptx_expected(p, "',' or '}'");
      if (ptx_at(p, ',')) pad(p, s, start + below);
    } else {
      element(p, s);
    }
    if (p->inits.n - first > room)
      ptx_fail_at(p, t.line, t.col, "There are more values here than '%.200s' has room for.", s->name);
    if (!ptx_accept(p, ',')) break;
  }
  ptx_expect(p, '}', "to close the list of values");
}

/* {name = value, ...} of samplers and textures: settings of the host's old reference API, unused here. */
static void reference_settings(PtxParser *p) {
  ptx_expect(p, '{', "");
  while (!ptx_at(p, '}')) {
    ptx_expect_name(p, "the name of a setting");
    ptx_expect(p, '=', "after the name of a setting");
    if (p->lex.tok.kind != PTX_TOK_WORD && p->lex.tok.kind != PTX_TOK_INT) ptx_expected(p, "a setting");
    ptx_next(p);
    if (!ptx_accept(p, ',')) break;
  }
  ptx_expect(p, '}', "to close the list of settings");
}

void ptx_initialiser(PtxParser *p, PtxSym *s, const uint64_t *dims, uint32_t ndims) {
  uint64_t all[PTX_MAX_DIMS + 1];
  Shape shape = {all, 0};
  for (uint32_t i = 0; i < ndims; i++) all[shape.ndims++] = dims[i];
  if (s->vec > 1) all[shape.ndims++] = s->vec;
  p->inits.n = 0;
  if (s->type == PTX_TEXREF || s->type == PTX_SAMPLERREF || s->type == PTX_SURFREF)
    reference_settings(p);
  else if (shape.ndims)
    braces(p, s, shape, 0);
  else if (ptx_accept(p, '{')) {
    element(p, s);
    ptx_expect(p, '}', "after the value");
  } else {
    element(p, s);
  }
  s->ninit = p->inits.n;
  s->init = ptx_list_take(p, &p->inits, 0, sizeof *s->init);
}
