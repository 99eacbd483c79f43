/* Conversions. */
#include <stdio.h>
#include <string.h>

#include "float.h"

static bool is_integer(Type t) { return (t.kind == 'u' || t.kind == 's') && t.parts == 1; }
static u128 below(int bits) { return (u128)1 << bits; }
static s128 least_of(Type t) { return t.kind == 's' ? -(s128)below(t.bits - 1) : 0; }
static s128 most_of(Type t) { return (s128)(below(t.kind == 's' ? t.bits - 1 : t.bits) - 1); }

static Rounding integral_rounding(const Form *f, bool *integral) {
  *integral = has(f, "rni") || has(f, "rzi") || has(f, "rmi") || has(f, "rpi");
  return has(f, "rzi") ? ZERO : has(f, "rmi") ? DOWN : has(f, "rpi") ? UP : NEAREST;
}

/* A register wider than the type is filled with its sign, or with zeros. */
static uint64_t in_register(Type t, char letter, s128 v) {
  const int bits = 8 * letter_bytes(letter);
  (void)t;
  return (uint64_t)((u128)v & (below(bits) - 1));
}

static s128 integer(Type t, uint64_t v) {
  const u128 low = v & (below(t.bits) - 1);
  return t.kind == 's' && low >> (t.bits - 1) ? (s128)low - (s128)below(t.bits) : (s128)low;
}

static void integers(const Case *c, const uint64_t *v, uint64_t *r) {
  s128 x = integer(c->from, v[0]);
  if (has(&c->form, "sat"))
    x = x < least_of(c->to) ? least_of(c->to) : x > most_of(c->to) ? most_of(c->to) : x;
  else
    x = integer(c->to, (uint64_t)x);
  r[0] = in_register(c->to, c->results[0], x);
}

static void from_integer(const Case *c, const uint64_t *v, uint64_t *r) {
  r[0] = finished(&c->form, format_of(c->to), exact_integer(integer(c->from, v[0])), rounding_of(&c->form));
}

/* NaN gives 0; of a double, or as 64 bits, the highest bit alone (measured). */
static void to_integer(const Case *c, const uint64_t *v, uint64_t *r) {
  const Format *f = format_of(c->from);
  bool integral;
  const Rounding mode = integral_rounding(&c->form, &integral);
  const uint64_t bits = has(&c->form, "ftz") ? flushed(f, v[0]) : v[0];
  s128 x;
  if (is_nan(f, bits))
    x = f == &DOUBLE || c->to.bits == 64 ? integer(c->to, (uint64_t)1 << (c->to.bits - 1)) : 0;
  else
    x = integer_of(exact_integral(exact_of(f, bits), mode), least_of(c->to), most_of(c->to));
  r[0] = in_register(c->to, c->results[0], x);
}

/* ---- from float to float ------------------------------------------------------------------------ */

/* NaN keeps sign and payload from and to double, and from bfloat16 to float; else it is the one (measured).
 */
static uint64_t converted_nan(const Case *c, uint64_t bits) {
  const Format *from = format_of(c->from), *to = format_of(c->to);
  bool integral;
  integral_rounding(&c->form, &integral);
  const uint64_t sign = bits >> (from->bits - 1) << (to->bits - 1);
  const uint64_t payload = bits & (((uint64_t)1 << (from->digits - 1)) - 1);
  const uint64_t infinity = (((uint64_t)1 << (to->bits - to->digits)) - 1) << (to->digits - 1);
  const uint64_t quiet = (uint64_t)1 << (to->digits - 2);
  if (has(&c->form, "sat")) return 0;
  if (from == to && !integral && !has(&c->form, "ftz")) return bits;
  if (from == to) return from == &DOUBLE ? double_nan(&bits, 1) : plain_nan(to);
  if (integral && from != &DOUBLE) return plain_nan(to);
  if (from == &BRAIN && to == &SINGLE) return bits << 16;
  if (from != &DOUBLE && to != &DOUBLE) return plain_nan(to);
  if (c->from.bits == 32 && has(&c->form, "ftz"))
    return plain_nan(&SINGLE) << 29 | infinity; /* of the one NaN */
  const int shift = to->digits - from->digits;
  return sign | infinity | quiet | (shift > 0 ? payload << shift : payload >> -shift);
}

/* The exact value, before it is rounded to the target. */
static Exact unrounded(const Case *c, uint64_t bits) {
  const Format *from = format_of(c->from);
  bool integral;
  const Rounding rounding = integral_rounding(&c->form, &integral);
  if (has(&c->form, "ftz") && from == &SINGLE) bits = flushed(from, bits);
  const Exact x = exact_of(from, bits);
  return integral ? exact_integral(x, rounding) : x;
}

/* Only floats are flushed. */
static uint64_t converted(const Case *c, uint64_t bits) {
  const Form *form = &c->form;
  const Format *to = format_of(c->to);
  if (is_nan(format_of(c->from), bits)) return converted_nan(c, bits);
  const Exact x = unrounded(c, bits);
  const uint64_t r = (to == &SINGLE ? finished : limited)(form, to, x, rounding_of(form));
  if (has(form, "satfinite") && exact_of(to, r).kind == INFINITE) return r - 1;
  return r;
}

/* Doubles that are rounded to the least normal float whatever its exponent is stay. Of those that are only
 * because subnormals have fewer digits, nothing is known: both will do. */
static bool either_flush(const Case *c, const uint64_t *v, uint64_t got) {
  if (got == converted(c, v[0])) return true;
  return !is_nan(&DOUBLE, v[0]) &&
         got == flushed(&SINGLE, limited(&c->form, &SINGLE, unrounded(c, v[0]), rounding_of(&c->form)));
}

static void floats(const Case *c, const uint64_t *v, uint64_t *r) { r[0] = converted(c, v[0]); }
/* The first operand is the upper part. */
static void pair(const Case *c, const uint64_t *v, uint64_t *r) {
  r[0] = converted(c, v[0]) << 16 | converted(c, v[1]);
}

/* ---- formats of eight bits or less: sign, exponent, digits ------------------------------------------ */

typedef struct Small {
  const char *name;
  int bits, digits, bias;          /* digits without the leading one */
  uint32_t largest, infinity, nan; /* of magnitudes: infinity 0, there is none; nan: what NaN becomes */
} Small;
static const Small smalls[] = {{"e4m3x2", 8, 3, 7, 0x7e, 0, 0x7f},
                               {"e5m2x2", 8, 2, 15, 0x7b, 0x7c, 0x7f},
                               {"e2m3x2", 6, 3, 1, 0x1f, 0, 0x1f},
                               {"e3m2x2", 6, 2, 3, 0x1f, 0, 0x1f},
                               {"e2m1x2", 4, 1, 1, 0x07, 0, 0x07}};

static const Small *small_named(const char *name) {
  for (size_t i = 0; i < sizeof smalls / sizeof *smalls; i++)
    if (strcmp(smalls[i].name, name) == 0) return &smalls[i];
  return NULL;
}
static uint32_t small_sign(const Small *s) { return (uint32_t)1 << (s->bits - 1); }
static int small_step(const Small *s) { return s->bits == 4 ? 4 : 8; } /* from one of a pair to the other */

static Exact small_value(const Small *s, uint32_t bits) {
  const uint32_t size = bits & (small_sign(s) - 1);
  const bool negative = (bits & small_sign(s)) != 0;
  const int e = (int)size >> s->digits;
  const u128 m = size & ((1u << s->digits) - 1);
  if (s->infinity && size == s->infinity) return (Exact){INFINITE, negative, 0, 0};
  if (size > s->largest) return (Exact){.kind = NOT_A_NUMBER};
  return (Exact){NUMBER, negative, e ? m + below(s->digits) : m, (e ? e : 1) - s->bias - s->digits};
}

/* The nearest of all the numbers that there are; of two, the even one; what is larger is the largest. */
static uint32_t to_small(const Small *s, Exact x, bool relu) {
  uint32_t best = 0;
  if (x.kind == NOT_A_NUMBER) return s->nan;
  if (relu && x.negative) return 0;
  const uint32_t sign = x.negative ? small_sign(s) : 0;
  x.negative = false;
  if (compare(x, small_value(s, s->largest)) >= 0) return sign | s->largest;
  while (compare(small_value(s, best + 1), x) <= 0) best++;
  const Exact low = small_value(s, best), high = small_value(s, best + 1);
  const Exact twice = exact_add(low, high, NEAREST);
  const int side = compare((Exact){NUMBER, false, x.m, x.e + 1}, twice);
  return sign | (side > 0 || (side == 0 && (best & 1)) ? best + 1 : best);
}

/* ue8m0: the power of two that is not larger, or not smaller, than the magnitude. */
static uint32_t to_power(const Form *f, Exact x) {
  if (x.kind == NOT_A_NUMBER) return 255;
  x.negative = false;
  int e = -127;
  while (e < 128 && compare((Exact){NUMBER, false, 1, e}, x) < 0) e++;
  if (has(f, "rz") && e > -127 && compare((Exact){NUMBER, false, 1, e}, x) > 0) e--;
  if (x.kind == INFINITE) e = 128;
  return e == 128 && has(f, "satfinite") ? 254 : (uint32_t)(e + 127);
}

static void narrowed(const Case *c, const uint64_t *v, uint64_t *r) {
  const Small *s = small_named(c->form.mod[c->form.nmods - 2]);
  const bool relu = has(&c->form, "relu");
  const Format *pair = c->from.kind == 'n' ? &BRAIN : &HALF;
  const Exact high = c->operands[1] ? exact_of(&SINGLE, v[0]) : exact_of(pair, v[0] >> 16);
  const Exact low = c->operands[1] ? exact_of(&SINGLE, v[1]) : exact_of(pair, v[0] & 0xffff);
  if (s)
    r[0] = to_small(s, high, relu) << small_step(s) | to_small(s, low, relu);
  else
    r[0] = to_power(&c->form, high) << 8 | to_power(&c->form, low);
}

static void widened(const Case *c, const uint64_t *v, uint64_t *r) {
  const Small *s = small_named(c->form.mod[c->form.nmods - 1]);
  const Format *f = s ? &HALF : &BRAIN;
  r[0] = 0;
  for (int k = 0; k < 2; k++) {
    const uint32_t bits = (uint32_t)(v[0] >> (s ? small_step(s) : 8) * k) & (s && s->bits == 4 ? 15 : 255);
    const Exact x = s            ? small_value(s, bits & (small_sign(s) * 2 - 1))
                    : bits < 255 ? (Exact){NUMBER, false, 1, (int)bits - 127}
                                 : (Exact){.kind = NOT_A_NUMBER};
    r[0] |= (x.kind == NOT_A_NUMBER ? plain_nan(f) : finished(&c->form, f, x, NEAREST)) << 16 * k;
  }
}

/* ---- tf32: a float whose last 13 digits are zeros ------------------------------------------------- */

static void tensor(const Case *c, const uint64_t *v, uint64_t *r) {
  static const Format tf32 = {19, 11, -136, 127};
  const Form *f = &c->form;
  const Exact x = exact_of(&SINGLE, v[0]);
  if (x.kind == NOT_A_NUMBER) {
    r[0] = has(f, "rna") ? v[0] & ~(uint64_t)0x1fff : 0x7fffe000; /* measured */
    return;
  }
  r[0] = finished(f, &tf32, x, has(f, "rna") ? NEAREST_AWAY : has(f, "rz") ? ZERO : NEAREST) << 13;
  if (has(f, "satfinite") && exact_of(&SINGLE, r[0]).kind == INFINITE) r[0] -= 1 << 13;
}

/* ---- integers side by side ------------------------------------------------------------------------ */

static void packed(const Case *c, const uint64_t *v, uint64_t *r) {
  const Type s32 = {'s', 32, 1}, t = c->to;
  r[0] = c->operands[2] ? v[2] : 0;
  for (int k = 0; k < 2; k++) {
    s128 x = integer(s32, v[k]);
    x = x < least_of(t) ? least_of(t) : x > most_of(t) ? most_of(t) : x;
    r[0] = (uint32_t)(r[0] << t.bits | (uint64_t)((u128)x & (below(t.bits) - 1)));
  }
}

/* ---- which it is ---------------------------------------------------------------------------------- */

static char register_of(Type t) { return t.bits == 8 ? 'h' : letter_of(t); }

static void add_conversion(const Form *f, Type to, Type from, Reference *reference, char d, char s) {
  Case c = case_of(f, (char[]){d, 0}, (char[]){s, 0}, reference);
  c.to = to;
  c.from = from;
  if (has(f, "ftz") && format_of(to) == &SINGLE && format_of(from) == &DOUBLE) c.near = either_flush;
  case_add(&c);
}

bool conversion(const Form *f) {
  const Type to = type_of(f, 1), from = type_of(f, 0);
  Case c;
  if (has(f, "pack")) {
    const bool upper = from.kind == 'b';
    c = case_of(f, "w", upper ? "www" : "ww", packed);
    c.to = type_of(f, upper ? 2 : 1);
    case_add(&c);
    return true;
  }
  if (has(f, "rs")) return false;
  if (to.kind == 't') {
    add_conversion(f, to, from, tensor, 'w', 'f');
    return true;
  }
  if (to.kind == 'e' && to.parts == 2) {
    const char letter = to.bits == 4 ? 'b' : 'h';
    c = case_of(f, (char[]){letter, 0}, from.parts == 1 ? "ff" : (char[]){letter_of(from), 0}, narrowed);
    c.from = from;
    case_add(&c);
    return true;
  }
  if (from.kind == 'e' && from.parts == 2) {
    c = case_of(f, "w", from.bits == 4 ? "b" : "h", widened);
    case_add(&c);
    return true;
  }
  if (to.parts == 2 && from.parts == 1 && from.bits == 32 && format_of(to) && format_of(from)) {
    c = case_of(f, letter_of(to) == 'J' ? "J" : "K", "ff", pair);
    c.to = to;
    c.from = from;
    case_add(&c);
    return true;
  }
  if (to.parts != 1 || from.parts != 1) return false;
  if (!is_integer(to) && !format_of(to)) return false;
  if (!is_integer(from) && !format_of(from)) return false;
  Reference *reference = is_integer(to)     ? is_integer(from) ? integers : to_integer
                         : is_integer(from) ? from_integer
                                            : floats;
  /* Between bytes and bfloat16 only registers of a byte will do. */
  const bool bytes = (to.kind == 'n' && from.bits == 8) || (from.kind == 'n' && to.bits == 8);
  const char d = bytes && to.bits == 8 ? 'b' : register_of(to),
             s = bytes && from.bits == 8 ? 'b' : register_of(from);
  add_conversion(f, to, from, reference, d, s);
  if (bytes) return true;
  /* Registers may be wider than integers are. */
  if (is_integer(to) && d != 'x') add_conversion(f, to, from, reference, 'x', s);
  if (is_integer(to) && d == 'h') add_conversion(f, to, from, reference, 'w', s);
  if (is_integer(from) && s != 'x') add_conversion(f, to, from, reference, d, 'x');
  return true;
}
