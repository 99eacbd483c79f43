/* Video instructions: on numbers that may be parts of words, and on all bytes or halves of words at once. */
#include <stdio.h>
#include <string.h>

#include "form.h"

/* Parts as ".b2" or ".h1"; the whole word without. */
typedef struct Part {
  int bits, at;
} Part;
enum { PART_D, PART_A, PART_B };
static const struct {
  const char *name;
  Part part;
} parts[] = {{"", {32, 0}},    {".b0", {8, 0}},  {".b1", {8, 8}},  {".b2", {8, 16}},
             {".b3", {8, 24}}, {".h0", {16, 0}}, {".h1", {16, 16}}};
enum { NPARTS = sizeof parts / sizeof *parts };

static int64_t number(bool sign, uint64_t v, Part p) {
  v = v >> p.at & (((uint64_t)1 << p.bits) - 1);
  return sign && v >> (p.bits - 1) ? (int64_t)v - ((int64_t)1 << p.bits) : (int64_t)v;
}
static int64_t cut(int64_t v, int64_t least, int64_t most) { return v < least ? least : v > most ? most : v; }
static int64_t least_of(bool sign, int bits) { return sign ? -((int64_t)1 << (bits - 1)) : 0; }
static int64_t most_of(bool sign, int bits) { return ((int64_t)1 << (bits - sign)) - 1; }

static int64_t compared(const Form *f, int64_t a, int64_t b) {
  return has(f, "eq")   ? a == b
         : has(f, "ne") ? a != b
         : has(f, "lt") ? a < b
         : has(f, "le") ? a <= b
         : has(f, "gt") ? a > b
                        : a >= b;
}

/* Half of the sum, away from zero. */
static int64_t average(int64_t a, int64_t b) { return a + b < 0 ? -((1 - a - b) / 2) : (a + b + 1) / 2; }

static int64_t computed(const Form *f, const char *name, int64_t a, int64_t b) {
  if (strcmp(name, "vadd") == 0) return a + b;
  if (strcmp(name, "vsub") == 0) return a - b;
  if (strcmp(name, "vabsdiff") == 0) return a < b ? b - a : a - b;
  if (strcmp(name, "vmin") == 0) return a < b ? a : b;
  if (strcmp(name, "vmax") == 0) return a > b ? a : b;
  if (strcmp(name, "vavrg") == 0) return average(a, b);
  return compared(f, a, b);
}

static bool sign_at(const Form *f, int k) { return f->mod[k][0] == 's'; }

/* ---- one number ----------------------------------------------------------------------------------- */

static void word(const Case *c, const uint64_t *v, uint64_t *r) {
  const Form *f = &c->form;
  const bool sets = strcmp(f->op, "vset") == 0, shifts = f->op[1] == 's' && f->op[2] == 'h';
  const bool sign_d = !sets && sign_at(f, 0), sign_a = sign_at(f, sets ? 0 : 1),
             sign_b = sign_at(f, sets ? 1 : 2);
  const Part d = parts[c->constant & 15].part, pa = parts[c->constant >> 4 & 15].part,
             pb = parts[c->constant >> 8].part;
  const int64_t a = number(sign_a, v[0], pa), b = number(sign_b, v[1], pb);
  __int128 x;
  if (shifts) {
    const int64_t by = has(f, "wrap") ? b & 31 : cut(b, 0, 32);
    x = f->op[3] == 'l' ? (__int128)a * ((__int128)1 << by) : (__int128)a >> by;
  } else {
    x = computed(f, f->op, a, b);
  }
  if (has(f, "sat")) {
    const int64_t least = least_of(sign_d, d.bits), most = most_of(sign_d, d.bits);
    /* What is too large for 32 bits without sign wraps (measured). */
    const bool wraps = d.bits == 32 && !sign_d && !shifts;
    x = x < least ? least : x > most && !wraps ? most : x;
  }
  uint64_t low = (uint32_t)x;
  if (d.bits < 32) {
    const uint64_t field = ((uint64_t)1 << d.bits) - 1;
    r[0] = (v[2] & ~(field << d.at) & UINT32_MAX) | (low & field) << d.at;
    return;
  }
  const Part whole = parts[0].part;
  const int64_t e = number(sign_d, low, whole), z = c->operands[2] ? number(sign_d, v[2], whole) : 0;
  if (has(f, "add")) low = (uint32_t)(low + v[2]);
  if (has(f, "min")) low = (uint32_t)(e < z ? e : z);
  if (has(f, "max")) low = (uint32_t)(e > z ? e : z);
  r[0] = low;
}

bool video_word(const Form *f) {
  const bool second = has(f, "add") || has(f, "min") || has(f, "max");
  Case c = case_of(f, "w", second ? "www" : "ww", word);
  case_add(&c);
  static unsigned turn;
  for (unsigned i = 0; i < 3; i++, turn++) {
    const unsigned d = second ? 0 : turn % NPARTS, a = turn / 2 % NPARTS, b = turn / 3 % NPARTS;
    const bool three = second || d;
    snprintf(c.operands, sizeof c.operands, "%s", three ? "www" : "ww");
    c.constant = d | a << 4 | b << 8;
    case_code(&c, "@%s %%d0%s,%%a0%s,%%a1%s%s;", f->text, parts[d].name, parts[a].name, parts[b].name,
              three ? ",%a2" : "");
    case_add(&c);
  }
  return true;
}

/* vmad: a * b + c, and 1 more for .po, of numbers that all have signs once they are of 32 bits (measured);
 * where no type has one, the sum of 64 bits is shifted as a number without, and cut off as one with a sign.
 */
static void product(const Case *c, const uint64_t *v, uint64_t *r) {
  const Form *f = &c->form;
  const bool sign_a = sign_at(f, 1), sign_b = sign_at(f, 2), sign = sign_a || sign_b;
  const Part pa = parts[c->constant & 15].part, pb = parts[c->constant >> 4].part;
  const int64_t a = (int32_t)number(sign_a, v[0], pa), b = (int32_t)number(sign_b, v[1], pb);
  const __int128 sum = (__int128)a * b + (int32_t)v[2] + has(f, "po");
  const int by = has(f, "shr7") ? 7 : has(f, "shr15") ? 15 : 0;
  const int64_t x = sign ? (int64_t)sum >> by : (int64_t)((uint64_t)sum >> by);
  r[0] = (uint32_t)(has(f, "sat") ? cut(x, least_of(sign, 32), most_of(sign, 32)) : x);
}

bool video_sum(const Form *f) {
  static unsigned turn;
  Case c = case_of(f, "w", "www", product);
  case_add(&c);
  const unsigned a = ++turn % NPARTS, b = turn / 2 % NPARTS;
  c.constant = a | b << 4;
  case_code(&c, "@%s %%d0,%%a0%s,%%a1%s,%%a2;", f->text, parts[a].name, parts[b].name);
  case_add(&c);
  return true;
}

/* ---- all parts of words ----------------------------------------------------------------------------- */

static void each(const Case *c, const uint64_t *v, uint64_t *r) {
  const Form *f = &c->form;
  char name[12];
  const size_t len = strlen(f->op) - 1;
  snprintf(name, sizeof name, "%.*s", (int)len, f->op);
  const bool sets = strcmp(name, "vset") == 0;
  const bool sign_d = !sets && sign_at(f, 0), sign_a = sign_at(f, sets ? 0 : 1),
             sign_b = sign_at(f, sets ? 1 : 2);
  const int bits = f->op[len] == '4' ? 8 : 16;
  const uint64_t field = ((uint64_t)1 << bits) - 1;
  uint64_t out = 0;
  int64_t sum = (int64_t)v[2];
  for (int at = 0; at < 32; at += bits) {
    int64_t x =
        computed(f, name, number(sign_a, v[0], (Part){bits, at}), number(sign_b, v[1], (Part){bits, at}));
    if (has(f, "sat")) x = cut(x, least_of(sign_d, bits), most_of(sign_d, bits));
    sum += x;
    out |= ((uint64_t)x & field) << at;
  }
  r[0] = has(f, "add") ? (uint32_t)sum : out;
  if (c->choice && !has(f, "add")) { /* the lowest part of the result only */
    r[0] = (v[2] & ~field & UINT32_MAX) | (out & field);
  }
}

bool video_parts(const Form *f) {
  Case c = case_of(f, "w", "www", each);
  case_add(&c);
  if (has(f, "add")) return true;
  c.choice = 1;
  case_code(&c, "@%s %%d0.%s,%%a0,%%a1,%%a2;", f->text, f->op[strlen(f->op) - 1] == '4' ? "b0" : "h0");
  case_add(&c);
  return true;
}
