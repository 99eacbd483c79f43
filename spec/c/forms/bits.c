/* Bits: logic, shifts, fields, bytes, selection by a predicate. Bit by bit, where that says it plainest. */
#include "form.h"

#include <string.h>

static uint64_t low(int bits, uint64_t v) { return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1); }
static bool bit(uint64_t v, uint64_t at) { return at < 64 && (v >> at & 1); }

/* ---- logic -------------------------------------------------------------------------------------- */

static void logic(const Case *c, const uint64_t *v, uint64_t *r) {
  const char *op = c->form.op;
  const int bits = c->from.bits;
  r[0] = 0;
  for (int i = 0; i < bits; i++) {
    const bool a = bit(v[0], (uint64_t)i), b = c->operands[1] && bit(v[1], (uint64_t)i);
    const bool one = *op == 'a' ? a && b : *op == 'o' ? a || b : *op == 'x' ? a != b : !a;
    r[0] |= (uint64_t)one << i;
  }
  if (*op == 'c') r[0] = v[0] == 0;
}

static void table(const Case *c, const uint64_t *v, uint64_t *r) {
  r[0] = 0;
  for (uint64_t i = 0; i < 32; i++) {
    const unsigned row = (unsigned)(bit(v[0], i) << 2 | bit(v[1], i) << 1 | (int)bit(v[2], i));
    r[0] |= (c->constant >> row & 1) << i;
  }
  if (!c->results[1]) return;
  const bool some = r[0] != 0, q = v[3] != 0;
  r[1] = has(&c->form, "and") ? some && q : some || q;
}

static bool lookup(const Form *f) {
  static const uint8_t tables[] = {0x00, 0x01, 0x17, 0x2d, 0x3c, 0x80, 0x96,
                                   0xca, 0xd8, 0xe8, 0xfe, 0xff, 0xaa, 0xf0};
  const bool predicate = has(f, "and") || has(f, "or");
  for (size_t i = 0; i < sizeof tables; i++) {
    Case c = case_of(f, predicate ? "wp" : "w", predicate ? "wwwp" : "www", table);
    c.constant = tables[i];
    if (predicate)
      case_code(&c, "@%s %%d0|%%d1,%%a0,%%a1,%%a2,%d,%%a3;", f->text, tables[i]);
    else
      case_code(&c, "@%s %%d0,%%a0,%%a1,%%a2,%d;", f->text, tables[i]);
    case_add(&c);
  }
  return true;
}

bool int_logic(const Form *f) {
  if (strcmp(f->op, "lop3") == 0) return lookup(f);
  const Type t = type_of(f, 0);
  const char l = letter_of(t);
  if (t.kind != 'b' && t.kind != 'p') return false;
  Case c = case_of(f, (char[]){l, 0}, (char[]){l, strstr(f->op, "not") ? 0 : l, 0}, logic);
  c.from = t;
  case_add(&c);
  return true;
}

/* ---- shifts: by any count, and by constants ----------------------------------------------------- */

static void shift(const Case *c, const uint64_t *v, uint64_t *r) {
  const int bits = c->from.bits;
  const uint64_t by = c->operands[1] ? (uint32_t)v[1] : c->constant;
  const bool fill = c->from.kind == 's' && bit(v[0], (uint64_t)bits - 1);
  r[0] = 0;
  for (int i = 0; i < bits; i++) {
    const uint64_t from = c->form.op[2] == 'l' ? (uint64_t)i - by : (uint64_t)i + by;
    const bool inside = from < (uint64_t)bits;
    r[0] |= (uint64_t)(inside ? bit(v[0], from) : c->form.op[2] == 'r' && fill) << i;
  }
}

static void funnel(const Case *c, const uint64_t *v, uint64_t *r) {
  const uint32_t count = (uint32_t)v[2], by = has(&c->form, "wrap") ? count % 32 : count > 32 ? 32 : count;
  const uint64_t both = v[1] << 32 | v[0];
  r[0] = has(&c->form, "l") ? low(32, by ? both >> (32 - by) : v[1]) : low(32, both >> by);
}

bool int_shift(const Form *f) {
  static const int constants[] = {0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255};
  if (strcmp(f->op, "shf") == 0) {
    const Case c = case_of(f, "w", "wws", funnel);
    case_add(&c);
    return true;
  }
  const Type t = type_of(f, 0);
  const char l = letter_of(t);
  Case c = case_of(f, (char[]){l, 0}, (char[]){l, 's', 0}, shift);
  c.from = t;
  case_add(&c);
  c.operands[1] = 0;
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
    c.constant = (uint64_t)constants[i];
    case_code(&c, "@%s %%d0,%%a0,%d;", f->text, constants[i]);
    case_add(&c);
  }
  return true;
}

/* ---- bits and fields ---------------------------------------------------------------------------- */

static uint32_t find_set(uint32_t mask, uint32_t base, int32_t offset) {
  int64_t at = base, left = offset < 0 ? -(int64_t)offset : offset;
  if (base > 31) return UINT32_MAX;
  if (offset == 0) return bit(mask, base) ? base : UINT32_MAX;
  for (; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
    if (bit(mask, (uint64_t)at) && --left == 0) return (uint32_t)at;
  return UINT32_MAX;
}

static void bits(const Case *c, const uint64_t *v, uint64_t *r) {
  const char *op = c->form.op;
  const int n = c->from.bits;
  const bool sign = c->from.kind == 's' && bit(v[0], (uint64_t)n - 1);
  int highest = n - 1, ones = 0;
  r[0] = 0;
  if (strcmp(op, "fns") == 0) {
    r[0] = find_set((uint32_t)v[0], (uint32_t)v[1], (int32_t)(uint32_t)v[2]);
    return;
  }
  for (int i = 0; i < n; i++) {
    ones += bit(v[0], (uint64_t)i);
    if (*op == 'b') r[0] |= (uint64_t)bit(v[0], (uint64_t)i) << (n - 1 - i);
  }
  while (highest >= 0 && bit(v[0], (uint64_t)highest) == sign) highest--;
  if (*op == 'p') r[0] = (uint64_t)ones;
  if (*op == 'c') r[0] = (uint64_t)(n - 1 - highest);
  if (strcmp(op, "bfind") == 0)
    r[0] = highest < 0 ? UINT32_MAX : (uint64_t)(has(&c->form, "shiftamt") ? n - 1 - highest : highest);
}

/* Of the position and the length of a field, a byte counts; of 64 bits all of them do (measured). */
static void field(const Case *c, const uint64_t *v, uint64_t *r) {
  const uint64_t n = (uint64_t)c->from.bits, mask = n == 32 ? 255 : UINT32_MAX;
  if (strcmp(c->form.op, "bfi") == 0) {
    const uint64_t at = v[2] & mask, len = v[3] & mask;
    r[0] = 0;
    for (uint64_t i = 0; i < n; i++) {
      const bool inside = i >= at && i - at < len;
      r[0] |= (uint64_t)(inside ? bit(v[0], i - at) : bit(v[1], i)) << i;
    }
    return;
  }
  const uint64_t at = v[1] & mask, len = v[2] & mask, end = at + len - 1, top = end < n - 1 ? end : n - 1;
  const bool sign = c->from.kind == 's' && len && bit(v[0], top);
  r[0] = 0;
  for (uint64_t i = 0; i < n; i++) r[0] |= (uint64_t)(i < len && at + i < n ? bit(v[0], at + i) : sign) << i;
}

static void short_field(const Case *c, const uint64_t *v, uint64_t *r) {
  const bool clamp = has(&c->form, "clamp"), makes = strcmp(c->form.op, "bmsk") == 0;
  uint64_t at = makes ? v[0] : 0, len = v[1];
  if (clamp) {
    at = at > 32 ? 32 : at;
    len = len > 32 ? 32 : len;
  }
  at &= clamp ? 63 : 31;
  len &= clamp ? 63 : 31;
  r[0] = 0;
  const bool sign = c->from.kind == 's' && len && bit(v[0], len - 1);
  for (uint64_t i = 0; i < 32; i++) {
    const bool inside = i >= at && i - at < len;
    r[0] |= (uint64_t)(makes ? inside : inside ? bit(v[0], i) : sign) << i;
  }
}

bool int_bits(const Form *f) {
  const Type t = type_of(f, 0);
  const char l = letter_of(t);
  Case c = case_of(f, "w", (char[]){l, 0}, bits);
  if (strcmp(f->op, "brev") == 0) c.results[0] = l;
  if (strcmp(f->op, "fns") == 0) c = case_of(f, "w", "wsw", bits);
  if (strcmp(f->op, "bfe") == 0) c = case_of(f, (char[]){l, 0}, (char[]){l, 's', 's', 0}, field);
  if (strcmp(f->op, "bfi") == 0) c = case_of(f, (char[]){l, 0}, (char[]){l, l, 's', 's', 0}, field);
  if (strcmp(f->op, "bmsk") == 0) c = case_of(f, "w", "ss", short_field);
  if (strcmp(f->op, "szext") == 0) c = case_of(f, "w", "ws", short_field);
  c.from = t;
  case_add(&c);
  if (strcmp(f->op, "fns") == 0) {
    c = case_of(f, "w", "wss", bits);
    case_add(&c);
  }
  return true;
}

/* ---- bytes -------------------------------------------------------------------------------------- */

static uint8_t byte_of(uint64_t v, int k) { return (uint8_t)(v >> 8 * k); }

/* By the last two bits of the selector: which byte of eight is put where, the upper ones first. */
static const struct {
  const char *mode;
  const char *bytes[4];
} permutations[] = {{"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
                    {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
                    {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};

static void permute(const Case *c, const uint64_t *v, uint64_t *r) {
  const uint64_t both = v[1] << 32 | v[0];
  const char *mode = c->form.nmods > 1 ? c->form.mod[1] : "";
  r[0] = 0;
  for (int k = 0; k < 4; k++) {
    int from = (int)(v[2] >> 4 * k & 15);
    for (size_t i = 0; i < sizeof permutations / sizeof *permutations; i++)
      if (strcmp(permutations[i].mode, mode) == 0) from = permutations[i].bytes[v[2] & 3][3 - k] - '0';
    const uint8_t b = byte_of(both, from & 7);
    r[0] |= (uint64_t)(from & 8 ? b & 128 ? 255 : 0 : b) << 8 * k;
  }
}

static int64_t part(Type t, uint64_t v, int bits) {
  v &= ((uint64_t)1 << bits) - 1;
  return t.kind == 's' && v >> (bits - 1) ? (int64_t)v - ((int64_t)1 << bits) : (int64_t)v;
}

static void dot(const Case *c, const uint64_t *v, uint64_t *r) {
  const bool four = c->form.op[2] == '4';
  const int bits = four ? 8 : 16, first = has(&c->form, "hi") ? 2 : 0;
  int64_t sum = (int64_t)v[2];
  for (int k = 0; k < (four ? 4 : 2); k++)
    sum += part(c->to, v[0] >> bits * k, bits) * part(c->from, v[1] >> 8 * (k + first), 8);
  r[0] = low(32, (uint64_t)sum);
}

bool int_bytes(const Form *f) {
  Case c = case_of(f, "w", "www", f->op[0] == 'd' ? dot : permute);
  c.from = type_of(f, 0);
  c.to = type_of(f, 1);
  case_add(&c);
  return true;
}

/* ---- selection ---------------------------------------------------------------------------------- */

static void select(const Case *c, const uint64_t *v, uint64_t *r) {
  (void)c;
  r[0] = v[2] ? v[0] : v[1];
}

bool int_select(const Form *f) {
  const char l = letter_of(type_of(f, 0));
  const Case c = case_of(f, (char[]){l, 0}, (char[]){l, l, 'p', 0}, select);
  case_add(&c);
  return true;
}
