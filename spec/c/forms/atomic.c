/* atom and red: every operation and type, in global and shared memory, by their own and by generic addresses.
 * Each thread on its own place first, then all on a few: lanes take turns in their order. A place has one
 * element, or those of a vector, each of which is an atomic operation by itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atomic.h"
#include "device.h"
#include "float.h"
#include "operands.h"

enum { LANES = SANITIZED ? 250 : 990 };
enum { FEW = 7, WAYS = 3, PLACES = LANES * 2 + FEW, MOST_BYTES = 16 };

typedef struct Plan {
  Type type;
  char letter; /* q: 128 bits */
  int bytes, parts;
  const char *op, *space;
  bool is_generic, result, cas, hint;
  bool counted; /* a barrier in memory is told of the bytes */
} Plan;

/* Floats in global memory are flushed, in shared memory they are not. */
static uint64_t float_sum(Type t, bool flush, uint64_t a, uint64_t b) {
  const Format *f = format_of(t);
  const uint64_t mask = f->bits == 64 ? UINT64_MAX : (UINT64_C(1) << f->bits) - 1;
  uint64_t r = 0;
  flush = flush && f == &SINGLE;
  for (int k = 0; k < t.parts; k++) {
    uint64_t x = a >> f->bits * k & mask, y = b >> f->bits * k & mask;
    if (flush) {
      x = flushed(f, x);
      y = flushed(f, y);
    }
    const Exact sum = exact_add(exact_of(f, x), exact_of(f, y), NEAREST);
    uint64_t bits = sum.kind != NOT_A_NUMBER ? round_to(f, sum, NEAREST)
                    : f == &DOUBLE           ? double_nan((uint64_t[]){y, x}, 2)
                                             : plain_nan(f);
    if (flush) bits = flushed(f, bits);
    r |= bits << f->bits * k;
  }
  return r;
}

/* A number wins over NaN, -0 is less than +0. */
static uint64_t least_float(Type t, uint64_t a, uint64_t b, bool larger) {
  const Format *f = format_of(t);
  const uint64_t mask = (UINT64_C(1) << f->bits) - 1;
  uint64_t r = 0;
  for (int k = 0; k < t.parts; k++) {
    const uint64_t x = a >> f->bits * k & mask, y = b >> f->bits * k & mask;
    const Exact m = exact_of(f, x), n = exact_of(f, y);
    const int order = is_nan(f, x) || is_nan(f, y) ? 0 : compare(m, n);
    const bool first = order ? order < 0 : m.negative >= n.negative;
    const uint64_t of_numbers = first != larger ? x : y;
    r |= (is_nan(f, x) ? is_nan(f, y) ? plain_nan(f) : y : is_nan(f, y) ? x : of_numbers) << f->bits * k;
  }
  return r;
}

static bool is_less(Type t, u128 a, u128 b) {
  if (t.kind != 's') return a < b;
  return t.bits == 32 ? (int32_t)(uint32_t)a < (int32_t)(uint32_t)b : (int64_t)a < (int64_t)b;
}

const char *atomic_operation(const Form *f) {
  static const char *const operations[] = {"add", "min",  "max", "and", "or",
                                           "xor", "exch", "cas", "inc", "dec"};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (has(f, operations[i])) return operations[i];
  return NULL;
}

u128 atomic_update(const char *op, Type t, bool global, u128 old, u128 a, u128 b) {
  const bool real = format_of(t) != NULL;
  const int bits = t.bits * t.parts;
  const u128 sum = old + a;
  if (strcmp(op, "add") == 0)
    return real         ? float_sum(t, global, (uint64_t)old, (uint64_t)a)
           : bits < 128 ? sum & (((u128)1 << bits) - 1)
                        : sum;
  if (real && op[0] == 'm') return least_float(t, (uint64_t)old, (uint64_t)a, op[1] == 'a');
  if (strcmp(op, "min") == 0) return is_less(t, a, old) ? a : old;
  if (strcmp(op, "max") == 0) return is_less(t, old, a) ? a : old;
  if (strcmp(op, "and") == 0) return old & a;
  if (strcmp(op, "or") == 0) return old | a;
  if (strcmp(op, "xor") == 0) return old ^ a;
  if (strcmp(op, "exch") == 0) return a;
  if (strcmp(op, "inc") == 0) return old >= a ? 0 : old + 1;
  if (strcmp(op, "dec") == 0) return old == 0 || old > a ? a : old - 1;
  return old == a ? b : old; /* cas */
}

static const char *type_of_register(const Plan *p) {
  return p->letter == 'q' ? "b128" : register_type(p->letter);
}

/* "%a0", or "{%a0,%a1}" */
static void put_value(Text *t, const Plan *p, char name, int first) {
  for (int e = 0; e < p->parts; e++) put(t, "%s%%%c%d", e ? "," : p->parts > 1 ? "{" : "", name, first + e);
  if (p->parts > 1) put(t, "}");
}

/* A barrier that waits for the bytes of all: the threads find it through its phase at the end. */
static void put_barrier(Text *t, bool begins) {
  put(t, "%s",
      begins
          ? "setp.ne.u32 %t0,%r0,0; mov.u64 %x12,bar; @%t0 bra INIT; mbarrier.init.shared.b64 [%x12],1; "
            "ld.param.u32 %r5,[bytes]; mbarrier.arrive.expect_tx.shared.b64 _,[%x12],%r5; INIT: bar.sync 0;\n"
          : "bar.sync 0; mbarrier.test_wait.parity.shared.b64 %t0,[%x12],0; @!%t0 trap;\n");
}

/* k(memory, values, flags, results, bytes); places, values and results are one behind the other. */
static void put_kernel(Text *t, const Form *f, const Plan *p) {
  const char *type = type_of_register(p);
  const int place = p->bytes * p->parts, row = LANES * MOST_BYTES;
  put(t,
      ".visible .entry k(.param .u64 memory, .param .u64 values, .param .u64 flags, .param .u64 results, "
      ".param "
      ".u32 bytes) {\n.shared .align 8 .b64 bar; .reg .pred %%g, %%t0; .reg .b32 %%r<8>; .reg .b64 %%x<16>; "
      ".reg .%s %%d<24>, %%a<8>, %%b<8>; .shared .align 16 .b8 "
      "s[%d];\n"
      "ld.param.u64 %%x0,[memory]; ld.param.u64 %%x1,[values]; ld.param.u64 %%x2,[flags]; ld.param.u64 "
      "%%x3,[results];\n"
      "mov.u32 %%r0,%%tid.x; cvt.u64.u32 %%x4,%%r0; add.u64 %%x5,%%x2,%%x4; ld.global.u8 %%r1,[%%x5]; "
      "setp.ne.u32 "
      "%%g,%%r1,0; mul.lo.u64 %%x4,%%x4,%d; add.u64 %%x5,%%x1,%%x4;\n",
      type, p->space[0] == 's' ? PLACES * place : 8, place);
  for (int e = 0; e < p->parts; e++) {
    put(t, "ld.global.%s %%a%d,[%%x5+%d]; ld.global.%s %%b%d,[%%x5+%d];\n", type, e, e * p->bytes, type, e,
        row + e * p->bytes);
    for (int w = 0; w < WAYS; w++)
      put(t, "ld.global.%s %%d%d,[%%x5+%d];\n", type, w * p->parts + e, row + e * p->bytes);
  }
  if (p->space[0] == 's')
    put(t,
        "mov.u64 %%x6,s; mov.u32 %%r2,%%r0; mov.u32 %%r4,%%ntid.x; FILL: mul.wide.u32 %%x7,%%r2,%d; add.u64 "
        "%%x8,%%x0,%%x7; "
        "add.u64 %%x9,%%x6,%%x7;\n{ .reg .%s %%v; ld.global.%s %%v,[%%x8]; st.shared.%s [%%x9],%%v; } "
        "add.u32 "
        "%%r2,%%r2,%%r4; setp.lt.u32 %%t0,%%r2,%d; @%%t0 bra FILL; bar.sync 0;\n",
        p->bytes, type, type, type, PLACES * p->parts);
  else
    put(t, "mov.u64 %%x6,%%x0;\n");
  if (p->is_generic) put(t, "cvta.%s.u64 %%x6,%%x6;\n", p->space);
  put(t,
      "add.u64 %%x7,%%x6,%%x4; rem.u32 %%r3,%%r0,%d; mul.wide.u32 %%x8,%%r3,%d; add.u64 %%x8,%%x6,%%x8; "
      "mov.u64 %%x10,0;\n",
      FEW, place);
  if (p->counted) put_barrier(t, true);
  if (p->counted && p->is_generic) put(t, "cvta.shared.u64 %%x13,%%x12;\n");
  for (int w = 0; w < WAYS; w++) {
    if (w == 2) put(t, "@!%%g bra END;\n");
    put(t, "%s%s ", w == 1 ? "@%g " : "", f->text);
    if (p->result) {
      put_value(t, p, 'd', w * p->parts);
      put(t, ",");
    }
    /* Own places, those that are shared by all, own ones again. */
    put(t, "[%%x%d+%d],", w == 1 ? 8 : 7, (w == 1 ? LANES * 2 : w == 2 ? LANES : 0) * place);
    put_value(t, p, 'a', 0);
    put(t, "%s%s%s;\n", p->cas ? ",%b0" : "", p->hint ? ",%x10" : "",
        !p->counted     ? ""
        : p->is_generic ? ",[%x13]"
                        : ",[%x12]");
  }
  put(t, "END:\n");
  if (p->counted) put_barrier(t, false);
  put(t, "add.u64 %%x11,%%x3,%%x4;\n");
  for (int w = 0; w < WAYS; w++)
    for (int e = 0; e < p->parts; e++)
      put(t, "st.global.%s [%%x11+%d],%%d%d;\n", type, w * row + e * p->bytes, w * p->parts + e);
  if (p->space[0] == 's')
    put(t,
        "bar.sync 0; mov.u64 %%x6,s; mov.u32 %%r2,%%r0; BACK: mul.wide.u32 %%x7,%%r2,%d; add.u64 "
        "%%x8,%%x0,%%x7; add.u64 "
        "%%x9,%%x6,%%x7;\n{ .reg .%s %%v; ld.shared.%s %%v,[%%x9]; st.global.%s [%%x8],%%v; } add.u32 "
        "%%r2,%%r2,%%r4; "
        "setp.lt.u32 %%t0,%%r2,%d; @%%t0 bra BACK;\n",
        p->bytes, type, type, type, PLACES * p->parts);
  put(t, "ret; }\n");
}

typedef struct Memory {
  uint8_t *memory, *values, *flags, *results;
  uint32_t bytes; /* that are counted */
} Memory;

static u128 get(const Plan *p, const uint8_t *at, int i) {
  u128 v = 0;
  memcpy(&v, at + i * p->bytes, (size_t)p->bytes);
  return v;
}
static void set(const Plan *p, uint8_t *at, int i, u128 v) {
  memcpy(at + i * p->bytes, &v, (size_t)p->bytes);
}

static void judge(const Form *f, const Plan *p, const Memory *d, const uint8_t *before) {
  static uint8_t want[PLACES * MOST_BYTES];
  const int row = LANES * MOST_BYTES;
  memcpy(want, before, sizeof want);
  for (int w = 0; w < WAYS; w++)
    for (int i = 0; i < LANES * p->parts; i++) {
      const int n = i / p->parts, e = i % p->parts;
      const u128 a = get(p, d->values, i), b = get(p, d->values + row, i),
                 got = get(p, d->results + w * row, i);
      const int at = (w == 0 ? n : w == 1 ? LANES * 2 + n % FEW : LANES + n) * p->parts + e;
      const u128 old = get(p, want, at);
      const bool on = w == 0 || d->flags[n];
      if (on) set(p, want, at, atomic_update(p->op, p->type, p->space[0] == 'g', old, a, b));
      const u128 expected = on && p->result ? old : b; /* off, or none: what it was */
      if (got != expected)
        wrong("%s (%s), thread %d, element %d, way %d: %" PRIx64 ", not %" PRIx64, f->text, p->space, n, e, w,
              (uint64_t)got, (uint64_t)expected);
    }
  for (int i = 0; i < PLACES * p->parts; i++) {
    const u128 got = get(p, d->memory, i), expected = get(p, want, i);
    if (got != expected)
      wrong("%s (%s): element %d, which was %" PRIx64 ", becomes %" PRIx64 ", not %" PRIx64, f->text,
            p->space, i, (uint64_t)get(p, before, i), (uint64_t)got, (uint64_t)expected);
  }
}

static u128 drawn(const Plan *p, int k, uint32_t number) {
  const char letters[] = {p->letter, p->letter, p->letter, 0};
  if (p->letter != 'q') return operand(letters, k, number);
  return (u128)operand("xxx", k, number) << 64 | operand("xxx", 2, number);
}

static void draw(const Plan *p, Memory *d, int one) {
  for (int i = 0; i < LANES * p->parts; i++) {
    const uint32_t number = (uint32_t)(i + one * LANES);
    const u128 a = drawn(p, 0, number);
    set(p, d->memory, i, a);
    /* One in three compares equal. */
    set(p, d->values, i, p->cas && any_bits() % 3 == 0 ? a : drawn(p, 1, number));
    set(p, d->values + LANES * MOST_BYTES, i, drawn(p, 2, number));
    set(p, d->memory, LANES * p->parts + i,
        p->cas && any_bits() % 3 == 0 ? get(p, d->values, i) : drawn(p, 2, number));
  }
  for (int i = 0; i < FEW * p->parts; i++)
    set(p, d->memory, LANES * 2 * p->parts + i, drawn(p, 2, UINT32_MAX));
  d->bytes = 0;
  for (int n = 0; n < LANES; n++) {
    d->flags[n] = one ? n == 123 : any_bits() >> 63 != 0;
    d->bytes += (uint32_t)p->bytes * (1 + 2 * (uint32_t)d->flags[n]);
  }
}

static void try_atomic(const Form *f, const Plan *p) {
  static uint8_t before[PLACES * MOST_BYTES];
  Memory d = {device_memory(PLACES * MOST_BYTES), device_memory(LANES * MOST_BYTES * 2), device_memory(LANES),
              device_memory(LANES * MOST_BYTES * WAYS), 0};
  Text t = {0};
  put(&t, PTX_HEAD);
  put_kernel(&t, f, p);
  begin(f->text);
  SgModule *m = module_load(t.p, true);
  for (int one = 0; m && one < 2; one++) {
    draw(p, &d, one);
    memcpy(before, d.memory, sizeof before);
    if (run_kernel(m, "k", 1, LANES, &d)) judge(f, p, &d, before);
  }
  finish();
  sg_module_unload(m);
  free(t.p);
  device_free(d.memory);
  device_free(d.values);
  device_free(d.flags);
  device_free(d.results);
}

bool atomic(const Form *f) {
  Plan p = {.type = type_of(f, 0),
            .space = "",
            .parts = 1,
            .result = f->op[0] == 'a',
            .hint = has(f, "L2::cache_hint")};
  p.letter = p.type.bits == 128 ? 'q' : letter_of(p.type);
  p.bytes = p.letter == 'q' ? 16 : letter_bytes(p.letter);
  p.op = atomic_operation(f);
  if (!p.op) return false;
  p.counted = has(f, "mbarrier::complete_tx::bytes");
  p.cas = strcmp(p.op, "cas") == 0;
  p.parts = has(f, "v2") ? 2 : has(f, "v4") ? 4 : has(f, "v8") ? 8 : 1;
  for (int i = 0; i < f->nmods; i++)
    if (strcmp(f->mod[i], "global") == 0 || strncmp(f->mod[i], "shared", 6) == 0)
      p.space = f->mod[i][0] == 'g' ? "global" : "shared";
  p.is_generic = !p.space[0];
  if (p.is_generic) {
    p.space = "global";
    if (!p.counted) try_atomic(f, &p);
    /* Vectors are for global memory. */
    if (p.parts > 1) return true;
    p.space = "shared";
  }
  try_atomic(f, &p);
  return true;
}
