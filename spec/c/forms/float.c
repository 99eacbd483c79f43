/* Floating-point arithmetic: the exact result, rounded once. */
#include "float.h"

#include <string.h>

const Format *format_of(Type t) {
  if (t.kind == 'n') return &BRAIN;
  if (t.kind != 'f') return NULL;
  return t.bits == 16 ? &HALF : t.bits == 32 ? &SINGLE : &DOUBLE;
}

bool is_nan(const Format *f, uint64_t bits) { return exact_of(f, bits).kind == NOT_A_NUMBER; }
uint64_t plain_nan(const Format *f) { return ((uint64_t)1 << (f->bits - 1)) - 1; }

uint64_t double_nan(const uint64_t *operands, int n) {
  for (int k = 0; k < n; k++)
    if (is_nan(&DOUBLE, operands[k])) return operands[k] | (uint64_t)1 << 51;
  return 0xfff8000000000000;
}

static int least_normal(const Format *f) { return f->last + f->digits - 1; }

uint64_t flushed(const Format *f, uint64_t bits) {
  const uint64_t sign = (uint64_t)1 << (f->bits - 1);
  return is_below(exact_of(f, bits), least_normal(f)) ? bits & sign : bits;
}

uint64_t finished(const Form *form, const Format *f, Exact x, Rounding mode) {
  if (has(form, "ftz") && is_below(to_digits(x, f->digits, mode), least_normal(f))) x.m = 0;
  return limited(form, f, x, mode);
}

uint64_t limited(const Form *form, const Format *f, Exact x, Rounding mode) {
  const bool sat = has(form, "sat"), relu = has(form, "relu");
  if ((sat || relu) && (x.negative || is_zero(x))) return 0;
  if (sat && compare(x, exact_integer(1)) > 0) x = exact_integer(1);
  return round_to(f, x, mode);
}

Rounding rounding_of(const Form *form) {
  return has(form, "rz") ? ZERO : has(form, "rm") ? DOWN : has(form, "rp") ? UP : NEAREST;
}

/* ---- arithmetic --------------------------------------------------------------------------------- */

static Exact computed(const char *op, const Exact *x, Rounding mode) {
  const Exact minus = {x[1].kind, !x[1].negative, x[1].m, x[1].e};
  if (strcmp(op, "add") == 0) return exact_add(x[0], x[1], mode);
  if (strcmp(op, "sub") == 0) return exact_add(x[0], minus, mode);
  if (strcmp(op, "mul") == 0) return exact_multiply(x[0], x[1]);
  if (strcmp(op, "div") == 0) return exact_divide(x[0], x[1]);
  if (strcmp(op, "rcp") == 0) return exact_divide(exact_integer(1), x[0]);
  if (strcmp(op, "sqrt") == 0) return exact_root(x[0]);
  return exact_fma(x[0], x[1], x[2], mode);
}

static uint64_t arithmetic(const Case *c, const Format *f, const uint64_t *v) {
  const Form *form = &c->form;
  const Rounding mode = rounding_of(form);
  const int n = (int)strlen(c->operands);
  Exact x[3] = {{NUMBER, false, 0, 0}};
  for (int k = 0; k < n; k++) x[k] = exact_of(f, has(form, "ftz") ? flushed(f, v[k]) : v[k]);
  const Exact r = computed(form->op, x, mode);
  if (r.kind != NOT_A_NUMBER) return finished(form, f, r, mode);
  if (has(form, "sat")) return 0;
  if (f != &DOUBLE) return plain_nan(f);
  /* Which operand's NaN a double passes on: the second of two, but a quotient's first; of a product and a sum
   * b, c, a (measured). */
  if (n == 3) return double_nan((uint64_t[]){v[1], v[2], v[0]}, 3);
  if (n == 2 && form->op[0] != 'd') return double_nan((uint64_t[]){v[1], v[0]}, 2);
  return double_nan(v, n);
}

static void each_part(const Case *c, const uint64_t *v, uint64_t *r,
                      uint64_t (*of)(const Case *, const Format *, const uint64_t *)) {
  const Format *f = format_of(c->from);
  const uint64_t mask = f->bits == 64 ? UINT64_MAX : ((uint64_t)1 << f->bits) - 1;
  r[0] = 0;
  for (int part = 0; part < c->from.parts; part++) {
    uint64_t of_part[MAX_OPERANDS] = {0};
    for (int k = 0; c->operands[k]; k++) of_part[k] = v[k] >> f->bits * part & mask;
    r[0] |= of(c, f, of_part) << f->bits * part;
  }
}

static void arithmetic_case(const Case *c, const uint64_t *v, uint64_t *r) { each_part(c, v, r, arithmetic); }

static bool add_case_of(const Form *f, int operands, Reference *reference) {
  const Type t = type_of(f, 0);
  if (!format_of(t) || type_of(f, 1).kind) return false;
  char letters[4] = "";
  memset(letters, letter_of(t), (size_t)operands);
  Case c = case_of(f, (char[]){letter_of(t), 0}, letters, reference);
  c.from = t;
  case_add(&c);
  return true;
}

static bool approximate(const Form *f) { return has(f, "approx") || has(f, "full"); }

bool float_arithmetic(const Form *f) {
  if (approximate(f) || has(f, "oob")) return false;
  const bool one = strcmp(f->op, "rcp") == 0 || strcmp(f->op, "sqrt") == 0;
  const bool three = strcmp(f->op, "fma") == 0 || strcmp(f->op, "mad") == 0;
  return add_case_of(f, one ? 1 : three ? 3 : 2, arithmetic_case);
}

/* ---- minimum and maximum: a number wins over NaN, unless .NaN says otherwise; -0 is less than +0 ---- */

static uint64_t smaller(const Format *f, uint64_t a, uint64_t b, bool larger) {
  const Exact x = exact_of(f, a), y = exact_of(f, b);
  const int order = compare(x, y);
  const bool first = order ? order < 0 : x.negative >= y.negative;
  return first != larger ? a : b;
}

static uint64_t least(const Case *c, const Format *f, const uint64_t *v) {
  const Form *form = &c->form;
  const uint64_t sign = (uint64_t)1 << (f->bits - 1), of_product = (v[0] ^ v[1]) & sign;
  uint64_t a = v[0], b = v[1];
  const bool first = is_nan(f, a), second = is_nan(f, b);
  if ((first && second) || (has(form, "NaN") && (first || second)))
    return f == &DOUBLE ? double_nan((uint64_t[]){b, a}, 2) : plain_nan(f);
  if (has(form, "ftz")) {
    a = flushed(f, a);
    b = flushed(f, b);
  }
  if (has(form, "abs")) {
    a &= ~sign;
    b &= ~sign;
  }
  const uint64_t r = first ? b : second ? a : smaller(f, a, b, form->op[1] == 'a');
  return has(form, "xorsign") ? (r & ~sign) | of_product : r;
}

static void least_case(const Case *c, const uint64_t *v, uint64_t *r) { each_part(c, v, r, least); }
bool float_least(const Form *f) {
  if (has(f, "abs") && !has(f, "xorsign")) return false; /* of three */
  if (type_of(f, 0).bits == 32 && type_of(f, 0).kind == 'f' && !has(f, "xorsign")) float_least_of_three(f);
  return add_case_of(f, 2, least_case);
}

/* The least or greatest of three: of two first. */
static void least_of_three(const Case *c, const uint64_t *v, uint64_t *r) {
  const uint64_t a = least(c, &SINGLE, v), second[] = {a, v[2]};
  r[0] = least(c, &SINGLE, second);
}

bool float_least_of_three(const Form *f) {
  const Type t = type_of(f, 0);
  if (t.kind != 'f' || t.bits != 32 || has(f, "xorsign")) return false;
  return add_case_of(f, 3, least_of_three);
}

/* Halves in a sum or a product of floats: all operands but the last. */
static void mixed(const Case *c, const uint64_t *v, uint64_t *r) {
  const Form *form = &c->form;
  const Format *f = format_of(c->from);
  const Rounding mode = rounding_of(form);
  const int n = (int)strlen(c->operands);
  Exact x[3] = {{NUMBER, false, 0, 0}};
  for (int k = 0; k < n; k++) x[k] = exact_of(k == n - 1 ? &SINGLE : f, v[k]);
  const Exact result = computed(form->op, x, mode);
  r[0] = result.kind != NOT_A_NUMBER ? finished(form, &SINGLE, result, mode)
         : has(form, "sat")          ? 0
                                     : plain_nan(&SINGLE);
}

bool float_mixed(const Form *f) {
  const Type half = type_of(f, 0), whole = type_of(f, 1);
  if (half.bits != 16 || !format_of(half) || whole.kind != 'f' || whole.bits != 32) return false;
  const char l = letter_of(half);
  Case c = case_of(f, "f", strcmp(f->op, "fma") == 0 ? (char[]){l, l, 'f', 0} : (char[]){l, 'f', 0}, mixed);
  c.from = half;
  case_add(&c);
  return true;
}

/* ---- signs -------------------------------------------------------------------------------------- */

static uint64_t with_sign(const Case *c, const Format *f, const uint64_t *v) {
  const uint64_t sign = (uint64_t)1 << (f->bits - 1);
  const uint64_t a = has(&c->form, "ftz") ? flushed(f, v[0]) : v[0];
  if (c->form.op[0] == 'c') return (v[0] & sign) | (v[1] & ~sign);
  if (is_nan(f, a)) return f == &DOUBLE ? double_nan(v, 1) : plain_nan(f);
  return c->form.op[0] == 'a' ? a & ~sign : a ^ sign;
}

static void sign_case(const Case *c, const uint64_t *v, uint64_t *r) { each_part(c, v, r, with_sign); }
bool float_sign(const Form *f) { return add_case_of(f, f->op[0] == 'c' ? 2 : 1, sign_case); }
