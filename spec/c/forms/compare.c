/* Comparisons (setp, set), slct, testp. */
#include <string.h>

#include "float.h"

/* Name of a comparison, what it says of less, equal and greater, and of NaN. */
static const struct {
  const char *name;
  bool less, equal, greater, unordered;
} comparisons[] = {{"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},  {"le", 1, 1, 0, 0},
                   {"gt", 0, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"lo", 1, 0, 0, 0},  {"ls", 1, 1, 0, 0},
                   {"hi", 0, 0, 1, 0},  {"hs", 0, 1, 1, 0},  {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1},
                   {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
                   {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1}};

/* -1, 0, 1, or 2 where one of them is NaN. */
static int order(const Form *form, Type t, uint64_t a, uint64_t b) {
  const Format *f = format_of(t);
  if (f) {
    if (is_nan(f, a) || is_nan(f, b)) return 2;
    if (has(form, "ftz")) {
      a = flushed(f, a);
      b = flushed(f, b);
    }
    return compare(exact_of(f, a), exact_of(f, b));
  }
  if (t.kind == 's') {
    const int shift = 64 - t.bits;
    const int64_t x = (int64_t)(a << shift), y = (int64_t)(b << shift);
    return x < y ? -1 : x > y;
  }
  return a < b ? -1 : a > b;
}

static bool holds(const Form *form, Type t, uint64_t a, uint64_t b) {
  const int r = order(form, t, a, b);
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
    if (strcmp(comparisons[i].name, form->mod[0]) == 0)
      return r == 2   ? comparisons[i].unordered
             : r < 0  ? comparisons[i].less
             : r == 0 ? comparisons[i].equal
                      : comparisons[i].greater;
  return false;
}

static bool joined(const Form *f, bool r, bool p) {
  return has(f, "and") ? r && p : has(f, "or") ? r || p : has(f, "xor") ? r != p : r;
}
static bool joins(const Form *f) { return has(f, "and") || has(f, "or") || has(f, "xor"); }

/* One or two predicates: the second is that of the opposite, or of the upper part. */
static void predicates(const Case *c, const uint64_t *v, uint64_t *r) {
  const bool p = c->choice ? !v[2] : v[2] != 0,
             first = holds(&c->form, c->from, v[0] & (c->from.parts > 1 ? 0xffff : UINT64_MAX),
                           v[1] & (c->from.parts > 1 ? 0xffff : UINT64_MAX));
  const bool second = c->from.parts > 1 ? holds(&c->form, c->from, v[0] >> 16, v[1] >> 16) : !first;
  r[0] = joined(&c->form, first, p);
  r[1] = joined(&c->form, second, p);
}

static void mask(const Case *c, const uint64_t *v, uint64_t *r) {
  const bool pair = c->from.parts > 1, p = v[2] != 0;
  const int bits = pair ? 16 : c->to.bits;
  const uint64_t yes = c->to.kind == 'n'   ? 0x3f80
                       : c->to.kind == 'f' ? round_to(bits == 16 ? &HALF : &SINGLE, exact_integer(1), NEAREST)
                                           : ((uint64_t)1 << bits) - 1;
  r[0] = 0;
  for (int k = 0; k < (pair ? 2 : 1); k++)
    if (joined(&c->form,
               holds(&c->form, c->from, pair ? v[0] >> 16 * k & 0xffff : v[0],
                     pair ? v[1] >> 16 * k & 0xffff : v[1]),
               p))
      r[0] |= yes << 16 * k;
}

bool comparison(const Form *f) {
  const Type from = type_of(f, 0), to = type_of(f, 1);
  const bool pair = from.parts > 1, joint = joins(f), sets = strcmp(f->op, "set") == 0;
  const bool single = (from.kind == 'f' || from.kind == 'n') && from.bits == 16 && !pair;
  const char l = letter_of(from), operands[] = {l, l, joint ? 'p' : 0, 0};
  if (sets) {
    Case c = case_of(f, (char[]){letter_of(to), 0}, operands, mask);
    c.from = from;
    c.to = to;
    case_add(&c);
    return true;
  }
  Case c = case_of(f, "p", operands, predicates);
  c.from = from;
  case_add(&c);
  if (single) return true;
  c = case_of(f, "pp", operands, predicates);
  c.from = from;
  c.choice = joint; /* the third operand negated */
  case_code(&c, "@%s %%d0|%%d1,%%a0,%%a1%s;", f->text, joint ? ",!%a2" : "");
  case_add(&c);
  return true;
}

/* ---- selection by a sign ------------------------------------------------------------------------ */

static void by_sign(const Case *c, const uint64_t *v, uint64_t *r) {
  const int of = order(&c->form, c->from, v[2], 0);
  r[0] = of == 0 || of == 1 ? v[0] : v[1];
}

bool selection(const Form *f) {
  const Type from = type_of(f, 0);
  const char l = letter_of(type_of(f, 1));
  Case c = case_of(f, (char[]){l, 0}, (char[]){l, l, letter_of(from), 0}, by_sign);
  c.from = from;
  case_add(&c);
  return true;
}

/* ---- classes of numbers -------------------------------------------------------------------------- */

static void class_of(const Case *c, const uint64_t *v, uint64_t *r) {
  const Format *f = format_of(c->from);
  const Exact x = exact_of(f, v[0]);
  const char *what = c->form.mod[0];
  const bool subnormal = x.kind == NUMBER && x.m && flushed(f, v[0]) != v[0];
  r[0] = strcmp(what, "finite") == 0       ? x.kind == NUMBER
         : strcmp(what, "infinite") == 0   ? x.kind == INFINITE
         : strcmp(what, "number") == 0     ? x.kind != NOT_A_NUMBER
         : strcmp(what, "notanumber") == 0 ? x.kind == NOT_A_NUMBER
         : strcmp(what, "normal") == 0     ? x.kind == NUMBER && !subnormal /* zero too (measured) */
                                           : subnormal;
}

bool class_test(const Form *f) {
  Case c = case_of(f, "p", (char[]){letter_of(type_of(f, 0)), 0}, class_of);
  c.from = type_of(f, 0);
  case_add(&c);
  return true;
}
