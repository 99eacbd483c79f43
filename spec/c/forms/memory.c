/* ld and st: every type and vector in every space, by addresses with and without offsets, to and from
 * registers of any width; what a guard or a branch turns off, what is beside it; and what is misaligned or
 * out of bounds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "operands.h"

enum { WAYS = 3, MAX_PARTS = 8, SLOTS = THREADS };

static const char *const guards[WAYS] = {"", "@%g ", ""};
#define KEPT UINT64_C(0x5aa5c33c96690ff0)

/* Each thread its own bytes; of parameters, one of four. */
static int slot(const char *space, int n) {
  return strcmp(space, "local") == 0 ? n : strcmp(space, "param") == 0 ? n % 4 : n * 11 % THREADS;
}

/* Where a form without a space is tried: its address is generic. */
static const char *const generic[] = {"global", "shared", "local"};

typedef struct Plan {
  Access a;
  const char *space;
  bool is_generic, constant; /* constant: the address is known when the kernel is decoded */
  int offset[WAYS], width[WAYS];
} Plan;

static Plan plan_of(const Form *f, const char *space, unsigned turn) {
  Plan p = {.a = access_of(f), .space = space};
  const int whole = p.a.parts * p.a.bytes;
  p.is_generic = !p.a.space[0];
  p.constant = strcmp(p.a.space, "param") == 0 && f->op[0] == 'l' && turn % 2;
  for (unsigned w = 0; w < WAYS; w++) {
    p.offset[w] = ((int)((w + turn) % 3) - 1) * whole;
    if (p.offset[w] > REGION - MIDDLE - whole) p.offset[w] = 0;
    p.width[w] = p.a.bytes < 2 ? 2 : p.a.bytes;
    if (p.a.type.kind != 'f')
      for (unsigned wider = (w + turn / 3) % 3; wider && p.width[w] < 8; wider--) p.width[w] *= 2;
  }
  return p;
}

/* %a2: the middle of the thread's bytes in the space, in which the bytes at in lie. */
static void put_address(Text *t, const Plan *p) {
  const char *space = p->space;
  const int bytes = THREADS * REGION;
  put(t, "mul.lo.u32 %%r1,%%n,11; rem.u32 %%r1,%%r1,%d; ", THREADS);
  if (strcmp(space, "local") == 0) put(t, "mov.u32 %%r1,0; ");
  if (strcmp(space, "param") == 0) put(t, "and.b32 %%r1,%%n,3; ");
  put(t, "mul.wide.u32 %%a2,%%r1,%d;\n", REGION);
  if (strcmp(space, "global") == 0) put(t, "add.u64 %%a2,%%a2,%%x0;\n");
  if (strcmp(space, "const") == 0) put(t, "mov.u64 %%a3,c; add.u64 %%a2,%%a2,%%a3;\n");
  if (strcmp(space, "param") == 0) put(t, "mov.u64 %%a3,p; add.u64 %%a2,%%a2,%%a3;\n");
  if (strcmp(space, "shared") == 0)
    put(t,
        "mov.u64 %%a3,s; add.u64 %%a2,%%a2,%%a3; mov.u32 %%r2,%%n; F: mul.wide.u32 %%a4,%%r2,8; add.u64 "
        "%%a5,%%x0,%%a4; "
        "ld.global.b64 %%b0,[%%a5]; add.u64 %%a5,%%a3,%%a4; st.shared.b64 [%%a5],%%b0; add.u32 %%r2,%%r2,%d; "
        "setp.lt.u32 %%t0,%%r2,%d; @%%t0 bra F; bar.sync 0;\n",
        THREADS, bytes / 8);
  if (strcmp(space, "local") == 0) {
    put(t, "mov.u64 %%a3,l; add.u64 %%a2,%%a2,%%a3; mul.wide.u32 %%a4,%%n,%d; add.u64 %%a4,%%a4,%%x0;\n",
        REGION);
    for (int i = 0; i < REGION; i += 8)
      put(t, "ld.global.b64 %%b0,[%%a4+%d]; st.local.b64 [l+%d],%%b0;\n", i, i);
  }
  if (p->is_generic) put(t, "cvta.%s.u64 %%a2,%%a2;\n", space);
  put(t, "add.u64 %%a2,%%a2,%%m; add.u64 %%a2,%%a2,%d; mov.u64 %%a7,0;\n", MIDDLE);
}

static void put_vector(Text *t, const Plan *p, int way) {
  if (p->a.wide) {
    put(t, "%%q%d", way);
    return;
  }
  if (p->a.parts > 1) put(t, "{");
  for (int i = 0; i < p->a.parts; i++)
    put(t, "%s%s", i ? "," : "", access_register(p->width[way], 8 + way * MAX_PARTS + i));
  if (p->a.parts > 1) put(t, "}");
}

/* Between a register of 128 bits and those of its halves. */
static void put_halves(Text *t, const Plan *p, int way, bool join) {
  char both[40];
  snprintf(both, sizeof both, "{%s,%s}", access_register(8, 8 + way * MAX_PARTS),
           access_register(8, 9 + way * MAX_PARTS));
  (void)p;
  if (join)
    put(t, "mov.b128 %%q%d,%s;\n", way, both);
  else
    put(t, "mov.b128 %s,%%q%d;\n", both, way);
}

static void put_place(Text *t, const Plan *p, int way) {
  if (p->constant)
    put(t, "[p+%d]", MIDDLE + p->offset[way]);
  else if (p->offset[way])
    put(t, "[%%a2+%d]", p->offset[way]);
  else
    put(t, "[%%a2]");
}

static const char variables[] =
    ".shared .align 32 .b8 s[4480]; .local .align 32 .b8 l[64]; .param .align 32 .b8 q[64];";

/* Constant memory: the same bytes as at in. */
static void put_constants(Text *t, const uint8_t *in) {
  put(t, ".const .align 32 .u64 c[%d] = {", THREADS * REGION / 8);
  for (int i = 0; i < THREADS * REGION / 8; i++) {
    uint64_t v;
    memcpy(&v, in + 8 * i, 8);
    put(t, "%s0x%" PRIx64, i ? "," : "", v);
  }
  put(t, "};\n");
}

static void put_loads(Text *t, const Form *f, const Plan *p) {
  access_entry(t, variables);
  put_address(t, p);
  for (int w = 0; w < WAYS; w++) {
    for (int i = 0; i < p->a.parts; i++)
      put(t, "mov.b%d %s,0x%" PRIx64 ";\n", p->width[w] * 8,
          access_register(p->width[w], 8 + w * MAX_PARTS + i),
          p->width[w] == 8 ? KEPT : KEPT & ((UINT64_C(1) << 8 * p->width[w]) - 1));
    if (p->a.wide) put_halves(t, p, w, true);
    if (w == 2) put(t, "@!%%g bra END;\n");
    put(t, "%s%s ", guards[w], f->text);
    put_vector(t, p, w);
    put(t, ",");
    put_place(t, p, w);
    put(t, "%s;\n", p->a.hint ? ",%a7" : "");
  }
  put(t, "END:\n");
  for (int w = 0; p->a.wide && w < WAYS; w++) put_halves(t, p, w, false);
  put(t, "mul.wide.u32 %%a6,%%n,%d; add.u64 %%a6,%%a6,%%x1;\n", WAYS * MAX_PARTS * 8);
  for (int w = 0; w < WAYS; w++)
    for (int i = 0; i < p->a.parts; i++)
      put(t, "st.global.b%d [%%a6+%d],%s;\n", p->width[w] * 8, (w * MAX_PARTS + i) * 8,
          access_register(p->width[w], 8 + w * MAX_PARTS + i));
  put(t, "ret; }\n");
}

/* What a register of `width` bytes has after a load. */
static uint64_t loaded(const Access *a, const uint8_t *from, int width) {
  uint64_t v = 0;
  memcpy(&v, from, (size_t)a->bytes);
  const int unused = 64 - 8 * a->bytes;
  if (a->type.kind == 's') v = (uint64_t)((int64_t)(v << unused) >> unused);
  return width == 8 ? v : v & ((UINT64_C(1) << 8 * width) - 1);
}

static void judge_loads(const Form *f, const Plan *p, const uint8_t *in, const uint64_t *out,
                        const uint8_t *on) {
  for (int n = 0; n < THREADS && all_right(); n++)
    for (int w = 0; w < WAYS; w++)
      for (int i = 0; i < p->a.parts; i++) {
        const int at =
            (p->constant ? 0 : slot(p->space, n)) * REGION + MIDDLE + p->offset[w] + i * p->a.bytes;
        const uint64_t kept = p->width[w] == 8 ? KEPT : KEPT & ((UINT64_C(1) << 8 * p->width[w]) - 1);
        const uint64_t want = w == 0 || on[n] ? loaded(&p->a, in + at, p->width[w]) : kept;
        const uint64_t got = out[(n * WAYS + w) * MAX_PARTS + i];
        if (got != want)
          wrong("%s (%s), thread %d, way %d, element %d: %" PRIx64 ", not %" PRIx64, f->text, p->space, n, w,
                i, got, want);
      }
}

static void fail_in(SgModule *m, AccessParams *params, const Form *f, const Plan *p, int bytes_of_space) {
  const int whole = p->a.parts * p->a.bytes;
  if (p->constant) return;
  if (whole > 1) access_fails(m, params, f, 1, 716, (uint32_t)whole);
  /* At the very end; what lies behind a thread's local variables is not said. */
  const bool local = strcmp(p->space, "local") == 0;
  const int to_end = bytes_of_space - slot(p->space, 5) * REGION - MIDDLE - p->offset[0];
  access_fails(m, params, f, local ? 1 << 20 : to_end, 700, (uint32_t)whole);
}

static void try_load(const Form *f, const char *space, unsigned turn) {
  const Plan p = plan_of(f, space, turn);
  Text t = {0};
  uint8_t on[THREADS], *in = device_memory(THREADS * REGION);
  uint64_t *out = device_memory(THREADS * WAYS * MAX_PARTS * 8);
  for (int i = 0; i < THREADS * REGION; i++)
    in[i] = (uint8_t)(any_bits() % 3 ? any_bits() : any_bits() % 2 * 255);
  begin(f->text);
  put(&t, PTX_HEAD);
  if (strcmp(space, "const") == 0) put_constants(&t, in);
  put_loads(&t, f, &p);
  AccessParams params = {.in = in, .out = out};
  memcpy(params.p, in, sizeof params.p);
  SgModule *m = module_load(t.p, true);
  for (int one = 0; m && one < 2; one++) {
    memset(out, 0, THREADS * WAYS * MAX_PARTS * 8);
    if (access_run(m, &params, one, on)) judge_loads(f, &p, in, out, on);
  }
  if (m && access_is_plain(f))
    fail_in(m, &params, f, &p, strcmp(space, "param") == 0 ? 256 : THREADS * REGION);
  finish();
  sg_module_unload(m);
  free(t.p);
  device_free(in);
  device_free(out);
}

static bool each_space(const Form *f, void (*try)(const Form *f, const char *space, unsigned turn)) {
  static unsigned turn;
  const Access a = access_of(f);
  if (a.bytes > 8) return false;
  if (a.space[0]) {
    try(f, a.space, turn++);
    return true;
  }
  const bool all = access_is_plain(f);
  for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
    if (all || i == turn % 3) try(f, generic[i], turn);
  turn++;
  return true;
}

bool load(const Form *f) { return each_space(f, try_load); }

/* ---- stores ------------------------------------------------------------------------------------- */

/* Each thread stores once a launch, in one of the ways; then all bytes are looked at. */
static void put_stores(Text *t, const Form *f, const Plan *p, int way) {
  const bool argument = strcmp(p->space, "param") == 0, local = strcmp(p->space, "local") == 0;
  access_entry(t, variables);
  put(t, "mul.wide.u32 %%a3,%%n,%d; add.u64 %%a3,%%x0,%%a3; add.u64 %%a3,%%a3,%d;\n", MAX_PARTS * 8,
      THREADS * REGION);
  for (int i = 0; i < p->a.parts; i++)
    put(t, "ld.global.b%d %s,[%%a3+%d];\n", p->width[way] * 8,
        access_register(p->width[way], 8 + way * MAX_PARTS + i), 8 * i);
  if (argument) {
    put(t, "mul.wide.u32 %%a4,%%n,%d; add.u64 %%a4,%%a4,%%x0;\n", REGION);
    for (int i = 0; i < REGION; i += 8)
      put(t, "ld.global.b64 %%b0,[%%a4+%d]; st.param.b64 [q+%d],%%b0;\n", i, i);
  } else {
    put_address(t, p);
  }
  if (p->a.wide) put_halves(t, p, way, true);
  if (way == 2) put(t, "@!%%g bra END;\n");
  put(t, "%s%s ", guards[way], f->text);
  if (argument)
    put(t, "[q+%d]", MIDDLE + p->offset[way]);
  else
    put_place(t, p, way);
  put(t, ",");
  put_vector(t, p, way);
  put(t, "%s;\nEND:\n", p->a.hint ? ",%a7" : "");
  put(t, "mul.wide.u32 %%a6,%%n,%d; add.u64 %%a6,%%a6,%%x1;\n", REGION);
  if (local || argument)
    for (int i = 0; i < REGION; i += 8)
      put(t, "ld.%s.b64 %%b0,[%s+%d]; st.global.b64 [%%a6+%d],%%b0;\n", p->space, local ? "l" : "q", i, i);
  if (strcmp(p->space, "shared") == 0) {
    put(t, "bar.sync 0; mul.wide.u32 %%a4,%%n,%d; mov.u64 %%a5,s; add.u64 %%a5,%%a5,%%a4;\n", REGION);
    for (int i = 0; i < REGION; i += 8)
      put(t, "ld.shared.b64 %%b0,[%%a5+%d]; st.global.b64 [%%a6+%d],%%b0;\n", i, i);
  }
  put(t, "ret; }\n");
}

static void judge_stores(const Form *f, const Plan *p, int way, const uint8_t *before, const uint8_t *values,
                         const uint8_t *after, const uint8_t *on) {
  static uint8_t want[THREADS * REGION];
  const char *space = strcmp(p->space, "param") == 0 ? "local" : p->space;
  memcpy(want, before, sizeof want);
  for (int n = 0; n < THREADS; n++)
    for (int i = 0; i < p->a.parts && (way == 0 || on[n]); i++)
      memcpy(want + slot(space, n) * REGION + MIDDLE + p->offset[way] + i * p->a.bytes,
             values + (n * MAX_PARTS + i) * 8, (size_t)p->a.bytes);
  for (int i = 0; i < THREADS * REGION; i++)
    if (want[i] != after[i])
      wrong("%s (%s), way %d: byte %d of slot %d is %02x, not %02x", f->text, p->space, way, i % REGION,
            i / REGION, after[i], want[i]);
}

static void try_store(const Form *f, const char *space, unsigned turn) {
  enum { BYTES = THREADS * REGION, VALUES = THREADS * MAX_PARTS * 8 };
  static uint8_t before[BYTES + VALUES];
  const Plan p = plan_of(f, space, turn);
  const bool in_place = strcmp(space, "global") == 0;
  uint8_t on[THREADS], *in = device_memory(BYTES + VALUES), *out = device_memory(BYTES);
  AccessParams params = {.in = in, .out = out};
  for (size_t i = 0; i < sizeof before; i++) before[i] = (uint8_t)any_bits();
  begin(f->text);
  for (int way = 0; way < WAYS && all_right(); way++) {
    Text t = {0};
    put(&t, PTX_HEAD);
    put_stores(&t, f, &p, way);
    SgModule *m = module_load(t.p, true);
    memcpy(in, before, sizeof before);
    if (m && access_run(m, &params, turn % 2, on))
      judge_stores(f, &p, way, before, before + BYTES, in_place ? in : out, on);
    if (m && way == 0 && access_is_plain(f) && strcmp(space, "param") != 0) {
      Plan q = p;
      q.constant = false;
      if (in_place) { /* the values lie behind: the end of all */
        const int whole = p.a.parts * p.a.bytes;
        if (whole > 1) access_fails(m, &params, f, 1, 716, (uint32_t)whole);
        access_fails(m, &params, f, BYTES + VALUES - slot(space, 5) * REGION - MIDDLE - p.offset[0], 700,
                     (uint32_t)whole);
      } else {
        fail_in(m, &params, f, &q, BYTES);
      }
    }
    sg_module_unload(m);
    free(t.p);
  }
  finish();
  device_free(in);
  device_free(out);
}

bool store(const Form *f) { return !has(f, "async") && !has(f, "bulk") && each_space(f, try_store); }
