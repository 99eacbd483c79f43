/* Integer arithmetic, in 128 bits. */
#include "exact.h"
#include "form.h"

#include <string.h>

static s128 number(Type t, uint64_t v) {
  if (t.bits < 64) v &= ((uint64_t)1 << t.bits) - 1;
  if (t.kind != 's') return v;
  return t.bits == 64 ? (int64_t)v : v >> (t.bits - 1) & 1 ? (s128)v - ((s128)1 << t.bits) : (s128)v;
}
static uint64_t low(int bits, s128 v) {
  return (uint64_t)v & (bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1);
}
static s128 cut(s128 v, s128 least, s128 most) { return v < least ? least : v > most ? most : v; }
static s128 magnitude(s128 v) { return v < 0 ? -v : v; }
/* Towards minus infinity by a power of two. */
static s128 upper(s128 v, int bits) { return v >> bits; }

/* The operation on one part. */
static uint64_t compute(const Case *c, Type t, uint64_t x, uint64_t y, uint64_t z) {
  const char *op = c->form.op;
  const s128 a = number(t, x), b = number(t, y), s32_most = INT32_MAX, s32_least = INT32_MIN;
  const bool sat = has(&c->form, "sat"), hi = has(&c->form, "hi"), wide = has(&c->form, "wide");
  s128 r = 0;
  if (strcmp(op, "add") == 0) r = a + b;
  if (strcmp(op, "sub") == 0) r = a - b;
  if (strcmp(op, "min") == 0) r = a < b ? a : b;
  if (strcmp(op, "max") == 0) r = a > b ? a : b;
  if (strcmp(op, "abs") == 0) r = magnitude(a);
  if (strcmp(op, "neg") == 0) r = -a;
  if (strcmp(op, "sad") == 0) r = magnitude(a - b) + number(t, z);
  /* Nothing is said of a divisor of zero: an H200 gives all ones. */
  if (strcmp(op, "div") == 0) r = b == 0 ? -1 : a / b;
  if (strcmp(op, "rem") == 0) r = b == 0 ? -1 : a % b;
  if (strcmp(op, "mul") == 0 || strcmp(op, "mad") == 0) {
    const s128 product = (s128)((u128)a * (u128)b);
    r = hi ? upper(product, t.bits) : product;
    if (op[1] == 'a') r = (s128)((u128)r + (u128)number((Type){t.kind, wide ? t.bits * 2 : t.bits, 1}, z));
  }
  if (strcmp(op, "mul24") == 0 || strcmp(op, "mad24") == 0) {
    const Type narrow = {t.kind, 24, 1};
    const s128 product = number(narrow, x) * number(narrow, y);
    r = hi ? low(32, upper(product, 16)) : low(32, product);
    if (sat) r = number((Type){'s', 32, 1}, (uint64_t)r);
    if (op[1] == 'a') r += number(t, z);
  }
  if (sat) r = cut(r, s32_least, s32_most);
  if (has(&c->form, "relu") && r < 0) r = 0;
  return low(wide ? t.bits * 2 : t.bits, r);
}

static void reference(const Case *c, const uint64_t *v, uint64_t *r) {
  const Type t = c->from;
  r[0] = 0;
  for (int k = 0; k < t.parts; k++) {
    const int shift = t.bits * k;
    r[0] |=
        compute(c, t, v[0] >> shift, c->operands[1] ? v[1] >> shift : 0, c->operands[2] ? v[2] >> shift : 0)
        << (t.parts > 1 ? shift : 0);
  }
}

bool int_arithmetic(const Form *f) {
  const Type t = type_of(f, 0);
  if ((t.kind != 'u' && t.kind != 's') || has(f, "cc")) return false;
  const bool wide = has(f, "wide"), one = strcmp(f->op, "abs") == 0 || strcmp(f->op, "neg") == 0;
  const bool three = strncmp(f->op, "mad", 3) == 0 || strcmp(f->op, "sad") == 0;
  const char letter = letter_of(t), twice = wide ? letter == 'h' ? 'w' : 'x' : letter;
  const char results[] = {twice, 0}, operands[] = {letter, one ? 0 : letter, three ? twice : 0, 0};
  Case c = case_of(f, results, operands, reference);
  c.from = t;
  case_add(&c);
  return true;
}

/* ---- the carry chain: after an instruction that sets the flag, one that uses it ------------------ */

/* A difference is a sum with the complement: the flag is set where nothing was borrowed, which shows where an
 * addition uses it. */
static uint64_t step(const char *op, bool sets, int bits, uint64_t a, uint64_t b, bool uses, bool *flag) {
  const uint64_t all = low(bits, -1), other = strncmp(op, "sub", 3) == 0 ? ~b & all : b;
  const u128 sum = (u128)a + other + (uses ? *flag : strncmp(op, "sub", 3) == 0);
  if (sets) *flag = sum >> bits & 1;
  return (uint64_t)sum & all;
}

static uint64_t multiplied(const Form *f, Type t, uint64_t a, uint64_t b) {
  if (strncmp(f->op, "mad", 3) != 0) return a;
  if (has(f, "lo")) return low(t.bits, (s128)((u128)a * b));
  if (t.kind == 's') return low(t.bits, upper(number(t, a) * number(t, b), t.bits));
  return (uint64_t)((u128)a * b >> t.bits);
}

/* Flag by an addition, the form, the flag again. */
static void chain(const Case *c, const uint64_t *v, uint64_t *r) {
  const Form *f = &c->form;
  const Type t = c->from;
  const bool mad = strncmp(f->op, "mad", 3) == 0, uses = f->op[3] == 'c';
  bool flag = false;
  r[0] = step("add", true, t.bits, v[3], v[4], false, &flag);
  r[1] = step(f->op, has(f, "cc"), t.bits, multiplied(f, t, v[0], v[1]), mad ? v[2] : v[1], uses, &flag);
  r[2] = step("add", false, t.bits, v[0], v[4], true, &flag);
  r[3] = step("sub", false, t.bits, v[1], v[3], true, &flag);
}

bool int_carry(const Form *f) {
  const Type t = type_of(f, 0);
  const bool mad = strncmp(f->op, "mad", 3) == 0;
  if ((t.kind != 'u' && t.kind != 's') || (t.bits != 32 && t.bits != 64)) return false;
  if (f->op[3] != 'c' && !has(f, "cc")) return false;
  const char l = letter_of(t);
  Case c = case_of(f, (char[]){l, l, l, l, 0}, (char[]){l, l, l, l, l, 0}, chain);
  case_code(
      &c,
      "@add.cc.u%d %%d0,%%a3,%%a4; @%s %%d1,%%a0,%%a1%s; @addc.u%d %%d2,%%a0,%%a4; @subc.u%d %%d3,%%a1,%%a3;",
      t.bits, f->text, mad ? ",%a2" : "", t.bits, t.bits);
  c.from = t;
  case_add(&c);
  return true;
}
