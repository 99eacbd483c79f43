/* Approximate functions: within the bounds of the PTX manual, which the host's long double functions are
 * exact enough to judge by. Signs, zeros, infinities and NaN are exact. */
#include <math.h>
#include <string.h>

#include "float.h"

/* Where the manual gives no figure, for the double forms, docs/softgpu.md does. */
typedef struct Bound {
  const char *op;
  char kind; /* of the type */
  int bits;
  long double relative, absolute, ulps;
} Bound;
static const Bound bounds[] = {
    {"rcp", 'f', 32, 0, 0, 1},
    {"sqrt", 'f', 32, 0x1p-23L, 0, 0},
    {"rsqrt", 'f', 32, 0x1.125fbee25066p-23L, 0, 0}, /* 2^-22.9 */
    {"sin", 'f', 32, 0, 0x1.6a09e667f3bcdp-21L, 0},  /* 2^-20.5 */
    {"cos", 'f', 32, 0, 0x1.6a09e667f3bcdp-21L, 0},
    {"lg2", 'f', 32, 0x1p-22L, 0x1p-22L, 0},
    {"ex2", 'f', 32, 0, 0, 2},
    {"tanh", 'f', 32, 0x1p-11L, 0, 0},
    {"div", 'f', 32, 0, 0, 2},
    {"rcp", 'f', 64, 0x1p-19L, 0, 0},
    {"rsqrt", 'f', 64, 0x1p-19L, 0, 0},
    {"ex2", 'f', 16, 0x1.125fbee25066p-10L, 0, 0},  /* 2^-9.9 */
    {"tanh", 'f', 16, 0, 0x1.0254b1d9d0b6p-11L, 0}, /* 2^-10.987 */
    {"ex2", 'n', 16, 0x1p-7L, 0, 0},
    {"tanh", 'n', 16, 0, 0x1p-8L, 0},
};

static const Bound *bound_of(const Form *f, Type t) {
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
    if (strcmp(bounds[i].op, f->op) == 0 && bounds[i].kind == t.kind && bounds[i].bits == t.bits)
      return &bounds[i];
  return NULL;
}

/* Of zeros, infinities and NaN the host's functions say the same as the manual. */
static long double value(const char *op, long double x, long double y) {
  if (strcmp(op, "rcp") == 0) return 1 / x;
  if (strcmp(op, "sqrt") == 0) return sqrtl(x);
  if (strcmp(op, "rsqrt") == 0) return 1 / sqrtl(x);
  if (strcmp(op, "sin") == 0) return sinl(x);
  if (strcmp(op, "cos") == 0) return cosl(x);
  if (strcmp(op, "lg2") == 0) return log2l(x);
  if (strcmp(op, "ex2") == 0) return exp2l(x);
  if (strcmp(op, "tanh") == 0) return tanhl(x);
  return x / y;
}

static long double ulp(const Format *f, long double x) {
  int e;
  frexpl(x, &e);
  return ldexpl(1, e - f->digits > f->last ? e - f->digits : f->last);
}

static bool near_enough(const Form *form, Type t, const uint64_t *v, uint64_t got) {
  const Format *f = format_of(t);
  const Bound *bound = bound_of(form, t);
  const bool ftz = has(form, "ftz") || f == &DOUBLE;
  /* The seeds see the upper half of a double, and give the upper half. */
  const bool seed = f == &DOUBLE && has(form, "ftz");
  const uint64_t sees = seed ? 0xffffffff00000000 : UINT64_MAX;
  uint64_t a = v[0] & sees, b = v[1];
  if (ftz && (f != &DOUBLE || seed)) {
    a = flushed(f, a);
    b = flushed(f, b);
  }
  if (is_nan(f, v[0]) || (form->op[0] == 'd' && is_nan(f, b)))
    return seed ? got == 0x7fffffff00000000 : f == &DOUBLE ? got == double_nan(v, 1) : got == plain_nan(f);
  const long double x = near_value(exact_of(f, a)), y = form->op[0] == 'd' ? near_value(exact_of(f, b)) : 0;
  long double want = value(form->op, x, y);
  const long double least = ldexpl(1, f->last + f->digits - 1),
                    most = ldexpl(2 - ldexpl(1, 1 - f->digits), f->top);
  /* Beyond 2^126 the reciprocal of the divisor is nothing. */
  if (form->op[0] == 'd' && has(form, "approx") && fabsl(y) > 0x1p126L && !isinf(y))
    want = isinf(x) ? NAN : copysignl(0, x) * copysignl(1, y);
  if (isnan(want))
    return seed ? is_nan(f, got) : f == &DOUBLE ? got == 0xfff8000000000000 : got == plain_nan(f);
  if (is_nan(f, got) || (got & ~sees)) return false;
  const long double r = near_value(exact_of(f, got));
  if (ftz && (f != &DOUBLE || seed) && flushed(f, got) != got) return false;
  /* Flushed, or one step beyond the largest number. */
  if (ftz && fabsl(want) < least) return fabsl(r) <= least && (r == 0 || signbit(r) == signbit(want));
  if (isinf(r) && !isinf(want)) return fabsl(want) >= most - ulp(f, most) && signbit(r) == signbit(want);
  if (isinf(want) || want == 0) return r == want && (want != 0 || signbit(r) == signbit(want));
  long double allowed = bound->relative * fabsl(want) + bound->ulps * ulp(f, want);
  if (strcmp(form->op, "lg2") == 0)
    allowed = x > 0.5L && x < 2 ? bound->absolute : bound->relative * fabsl(want);
  else
    allowed += bound->absolute;
  if ((strcmp(form->op, "sin") == 0 || strcmp(form->op, "cos") == 0) && fabsl(x) > 6.2831853L)
    allowed =
        fabsl(x) <= 314.159265L ? 0x1.3afb7e91p-15L : 2; /* 2^-14.7 up to 100 pi, then nothing is promised */
  if (strcmp(form->op, "rsqrt") == 0 && f == &DOUBLE && !seed) allowed = 2 * ulp(f, want);
  /* The nearest number that there is may be half a unit off; pairs of powers are rounded towards zero. */
  return fabsl(r - want) <= allowed + (t.parts > 1 ? 1 : 0.5L) * ulp(f, want);
}

static bool near_parts(const Case *c, const uint64_t *v, uint64_t got) {
  const Format *f = format_of(c->from);
  const uint64_t mask = f->bits == 64 ? UINT64_MAX : ((uint64_t)1 << f->bits) - 1;
  for (int part = 0; part < c->from.parts; part++) {
    const uint64_t of_part[2] = {v[0] >> f->bits * part & mask,
                                 c->operands[1] ? v[1] >> f->bits * part & mask : 0};
    if (!near_enough(&c->form, c->from, of_part, got >> f->bits * part & mask)) return false;
  }
  return true;
}

bool float_approximate(const Form *f) {
  const Type t = type_of(f, 0);
  const char l = letter_of(t);
  if (!format_of(t) || !bound_of(f, t)) return false;
  Case c = case_of(f, (char[]){l, 0}, (char[]){l, strcmp(f->op, "div") == 0 ? l : 0, 0}, NULL);
  c.from = t;
  c.near = near_parts;
  case_add(&c);
  return true;
}
