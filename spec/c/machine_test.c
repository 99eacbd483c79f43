/* Tests of the machine (src/softgpu/machine/machine.h) by whole kernels: memory, divergence, barriers, warps,
 * calls, faults; forms_test.c tries the instructions one by one. Prints one TAP line a case; exits non-zero
 * when one fails. */
#include "machine/machine.h"
#include "base/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a harness of a few lines ----------------------------------------------------------------- */

static int ncases, nfailed;
static bool case_ok;

static void check(bool ok, const char *what, int line) {
  if (ok) return;
  if (case_ok) printf("# line %d: %s\n", line, what);
  case_ok = false;
}
#define CHECK(c) check((c), #c, __LINE__)

static void report(const char *name) {
  ncases++;
  if (!case_ok) nfailed++;
  printf("%s %d - %s\n", case_ok ? "ok" : "not ok", ncases, name);
}

static void run(const char *name, void (*f)(void)) {
  case_ok = true;
  f();
  report(name);
}

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"

static SgModule *load(const char *text) {
  SgDiag diag;
  int code;
  SgModule *m = sg_module_load(0, 1, text, strlen(text), &diag, &code);
  if (!m) {
    printf("# code %d: %s\n", code, diag.text);
    check(false, "this module should load", 0);
  }
  return m;
}

static int launch3(SgModule *m, const char *name, const uint32_t grid[3], const uint32_t block[3],
                   uint32_t dynamic, const void *params, SgFault *fault) {
  SgLaunch l = {.kernel = sg_module_kernel(m, name), .dynamic_shared = dynamic, .params = params};
  memcpy(l.grid, grid, sizeof l.grid);
  memcpy(l.block, block, sizeof l.block);
  memset(fault, 0, sizeof *fault);
  if (!l.kernel) {
    check(false, "the kernel exists", 0);
    return -1;
  }
  return sg_machine_run(&l, fault);
}
static int launch(SgModule *m, const char *name, uint32_t blocks, uint32_t threads, const void *params,
                  SgFault *fault) {
  return launch3(m, name, (uint32_t[]){blocks, 1, 1}, (uint32_t[]){threads, 1, 1}, 0, params, fault);
}
/* A launch that must succeed. */
static void go(SgModule *m, const char *name, uint32_t blocks, uint32_t threads, const void *params) {
  SgFault fault;
  if (!m) return;
  const int code = launch(m, name, blocks, threads, params, &fault);
  if (code) {
    printf("# %s: %d: %s\n", name, code, fault.text);
    case_ok = false;
  }
}

static void *device(size_t bytes) {
  SgAlloc *a = sg_arena_alloc(0, bytes, 256, SG_DEVICE, 1, "");
  if (!a) exit(2);
  memset((void *)(uintptr_t)a->base, 0, bytes);
  return (void *)(uintptr_t)a->base;
}
static void release(void *p) { sg_arena_free(sg_arena_find((uint64_t)(uintptr_t)p)); }

/* ---- values ------------------------------------------------------------------------------------- */

static float value(uint32_t bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

static uint64_t seed = 88172645463325252u;
static uint64_t rnd(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

typedef struct Text {
  char *p;
  size_t n, room;
} Text;
static void put(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Text *t, const char *format, ...) {
  va_list ap;
  if (t->room - t->n < 4096) t->p = realloc(t->p, t->room = t->room * 2 + 8192);
  va_start(ap, format);
  t->n += (size_t)vsnprintf(t->p + t->n, t->room - t->n, format, ap);
  va_end(ap);
}

/* ---- programs ---------------------------------------------------------------------------------- */

/* Kernels with (out) or (in, out) as parameters; %i is the thread's number in the grid. */
#define REGS                                                                                                 \
  ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %d<32>; .reg .f32 %f<8>; .reg .b32 %i, "   \
  "%t;\n"
#define INDEX "mov.u32 %r1,%ctaid.x; mov.u32 %r2,%ntid.x; mov.u32 %t,%tid.x; mad.lo.s32 %i,%r1,%r2,%t;\n"
#define ENTRY(name)                                                                                          \
  ".visible .entry " name "(.param .u64 a, .param .u64 b) {\n" REGS INDEX                                    \
  "ld.param.u64 %d1,[a]; ld.param.u64 %d2,[b];\n"
/* %d4: address of out[%i], 32-bit elements */
#define OUT "mul.wide.u32 %d3,%i,4; add.s64 %d4,%d2,%d3;\n"
#define STORE(reg) OUT "st.global.u32 [%d4]," reg "; ret; }\n"

typedef struct Two {
  const void *a;
  void *b;
} Two;

static uint32_t *results;
enum { RESULTS = 1 << 16 };
static void run_kernel(const char *text, const char *name, uint32_t blocks, uint32_t threads, const void *a) {
  SgModule *m = load(text);
  memset(results, 0, RESULTS * 4);
  go(m, name, blocks, threads, &(Two){a, results});
  sg_module_unload(m);
}

static void variables(void) {
  SgModule *m = load(
      HEAD
      ".global .align 4 .u32 counter = 7;\n.const .align 4 .f32 table[4] = {0f3F800000, 2.5};\n"
      ".global .align 8 .u64 link = counter;\n.global .align 1 .b8 bytes[6] = {1, 2, 3};\n"
      ".visible .global .align 4 .s32 negative[2] = {-1, 5};\n" ENTRY(
          "k") "ld.global.u64 %d5,[link]; ld.global.u32 %r5,[%d5]; mul.wide.u32 %d6,%i,4; mov.u64 "
               "%d7,table;\n"
               "add.s64 %d8,%d7,%d6; ld.const.f32 %f1,[%d8]; cvt.rzi.s32.f32 %r6,%f1; mad.lo.s32 "
               "%r7,%r6,10,%r5;\n"
               "mov.u64 %d9,bytes; cvt.u64.u32 %d10,%i; add.s64 %d11,%d9,%d10; ld.global.u8 %r8,[%d11];\n"
               "mad.lo.s32 %r7,%r8,100,%r7;\n" STORE("%r7"));
  if (!m) return;
  go(m, "k", 1, 4, &(Two){NULL, results});
  CHECK(results[0] == 117 && results[1] == 227 && results[2] == 307 && results[3] == 7);
  const SgAlloc *a = sg_module_global(m, "negative");
  CHECK(a && a->size == 8 && ((const int32_t *)(uintptr_t)a->base)[0] == -1);
  CHECK(!sg_module_global(m, "k") && !sg_module_kernel(m, "counter") && !sg_module_kernel(m, "nothing"));
  CHECK(sg_module_nkernels(m) == 1 && sg_module_kernel_at(m, 0) == sg_module_kernel(m, "k"));
  const SgKernelInfo *info = sg_kernel_info(sg_module_kernel(m, "k"));
  CHECK(info->nparams == 2 && info->param_bytes == 16 && info->const_bytes == 16 &&
        info->max_threads == 1024);
  CHECK(info->params[1].offset == 8 && info->params[1].size == 8 && info->ptx_version == 80);
  sg_module_unload(m);
}

static void parameters(void) {
  /* A struct by value, read by parts, by an address in a register and through a generic address. */
  SgModule *m =
      load(HEAD ".visible .entry k(.param .u8 c, .param .align 8 .b8 s[24], .param .u64 out) {\n" REGS INDEX
                "ld.param.u64 %d2,[out]; ld.param.s8 %r5,[c]; ld.param.v2.u32 {%r6,%r7},[s+8];\n"
                "mov.b64 %d5,s; mul.wide.u32 %d6,%t,4; add.s64 %d7,%d5,%d6; ld.param.u32 %r8,[%d7];\n"
                "cvta.param.u64 %d8,%d7; ld.u32 %r9,[%d8]; isspacep.param %p1,%d8; isspacep.local %p2,%d8;\n"
                "selp.u32 %r10,1000,0,%p1; selp.u32 %r11,5,%r10,%p2;\n"
                "add.s32 %r5,%r5,%r6; add.s32 %r5,%r5,%r7; add.s32 %r5,%r5,%r8; sub.s32 %r5,%r5,%r9; add.s32 "
                "%r5,%r5,%r11;\n"
                "add.s32 %r5,%r5,%r8;\n" STORE("%r5"));
  struct {
    int8_t c;
    char pad[7];
    uint32_t s[6];
    void *out;
  } p = {-3, "", {10, 20, 30, 40, 50, 60}, results};
  if (!m) return;
  CHECK(sg_kernel_info(sg_module_kernel(m, "k"))->param_bytes == 40);
  go(m, "k", 1, 6, &p);
  for (uint32_t i = 0; i < 6; i++) CHECK(results[i] == 1067 + 10 * (i + 1));
  sg_module_unload(m);
}

static void spaces(void) {
  /* Shared, local and global memory through one generic load and store. */
  run_kernel(HEAD ".extern .shared .align 16 .b8 dyn[];\n" ENTRY(
                 "k") ".local .align 4 .b8 loc[64]; .shared .align 4 .b8 sh[1024];\n"
                      "mul.wide.u32 %d5,%t,4; mov.u64 %d6,sh; cvta.shared.u64 %d7,%d6; add.s64 %d8,%d7,%d5;\n"
                      "mov.u64 %d9,loc; cvta.local.u64 %d10,%d9; and.b32 %r5,%t,15; mul.wide.u32 %d11,%r5,4; "
                      "add.s64 %d12,%d10,%d11;\n"
                      "cvta.global.u64 %d13,%d2; add.s64 %d14,%d13,%d5;\n"
                      "add.s32 %r6,%t,100; st.u32 [%d8],%r6; mul.lo.s32 %r7,%t,3; st.u32 [%d12],%r7;\n"
                      "isspacep.shared %p1,%d8; isspacep.local %p2,%d12; isspacep.global %p3,%d14; and.pred "
                      "%p1,%p1,%p2; and.pred %p1,%p1,%p3;\n"
                      "isspacep.global %p2,%d8; not.pred %p2,%p2; and.pred %p1,%p1,%p2;\n"
                      "bar.sync 0; rem.u32 %r8,%t,3; setp.eq.s32 %p2,%r8,0; setp.eq.s32 %p3,%r8,1;\n"
                      "st.global.u32 [%d14],7; selp.b64 %d15,%d8,%d12,%p2; selp.b64 %d15,%d14,%d15,%p3; "
                      "ld.u32 %r9,[%d15];\n"
                      "cvta.to.shared.u64 %d16,%d8; ld.shared.u32 %r10,[%d16]; sub.s32 %r10,%r10,%t; add.s32 "
                      "%r9,%r9,%r10;\n"
                      "selp.u32 %r11,0,50000,%p1; add.s32 %r9,%r9,%r11;\n" STORE("%r9"),
             "k", 1, 256, NULL);
  for (uint32_t i = 0; i < 256; i++)
    CHECK(results[i] == 100 + (i % 3 == 0 ? i + 100 : i % 3 == 1 ? 7 : 3 * i));
}

static void vectors(void) {
  uint32_t *in = device(4096);
  uint8_t *bytes = (uint8_t *)in;
  for (uint32_t i = 0; i < 4096; i++) bytes[i] = (uint8_t)rnd();
  run_kernel(
      HEAD ENTRY(
          "k") "mul.wide.u32 %d5,%t,16; add.s64 %d6,%d1,%d5; ld.global.v4.u32 {%r5,%r6,%r7,%r8},[%d6];\n"
               "ld.global.nc.v2.u64 {%d6,%d7},[%d6]; cvt.u32.u64 %r9,%d7; xor.b32 %r5,%r5,%r6; xor.b32 "
               "%r5,%r5,%r7; xor.b32 %r5,%r5,%r8;\n"
               "add.s32 %r5,%r5,%r9; add.s64 %d6,%d1,%d5; ld.global.v4.u8 {%h1,%h2,%h3,%h4},[%d6+4]; "
               "cvt.s32.s8 %r10,%h3;\n"
               "ld.global.s16 %r11,[%d6+2]; add.s32 %r5,%r5,%r10; add.s32 %r5,%r5,%r11; ld.global.u16 "
               "%h5,[%d6+6]; mov.b32 %r12,{%h5,%h1};\n"
               "mov.b64 {%r13,%r14},%d7; mov.b32 {%h6,%h7},%r14; cvt.u32.u16 %r15,%h7; add.s32 %r5,%r5,%r12; "
               "add.s32 %r5,%r5,%r15;\n"
               "ld.global.s8 %d8,[%d6+9]; cvt.u32.u64 %r16,%d8; add.s32 %r5,%r5,%r16;\n" STORE("%r5"),
      "k", 1, 200, in);
  for (uint32_t i = 0; i < 200; i++) {
    const uint32_t *w = in + 4 * i;
    const uint8_t *b = bytes + 16 * i;
    const int32_t byte = (b[6] ^ 0x80) - 0x80, word = (int16_t)(b[2] | b[3] << 8); /* sign-extended */
    uint32_t want = (w[0] ^ w[1] ^ w[2] ^ w[3]) + w[2] + (uint32_t)(byte + word);
    want += (uint32_t)(b[6] | b[7] << 8) + ((uint32_t)b[4] << 16) + (w[3] >> 16) + (uint32_t)(int8_t)b[9];
    CHECK(results[i] == want);
  }
  run_kernel(
      HEAD ENTRY("k") "mul.wide.u32 %d5,%i,16; add.s64 %d6,%d2,%d5; cvt.u16.u32 %h1,%i; shl.b32 %r5,%i,8;\n"
                      "st.global.v2.u32 [%d6],{%i,%r5}; st.global.v4.b8 [%d6+8],{%h1,%h1,%i,%r5}; "
                      "st.global.u16 [%d6+12],%r5; st.global.u8 [%d6+15],77; ret; }\n",
      "k", 2, 100, NULL);
  for (uint32_t i = 0; i < 200; i++) {
    const uint8_t b = (uint8_t)i;
    const uint32_t *w = results + 4 * i;
    CHECK(w[0] == i && w[1] == i << 8 && w[2] == (b | (uint32_t)b << 8 | (uint32_t)b << 16) &&
          w[3] == (uint32_t)(i << 8 & 0xffff) + (77u << 24));
  }
  release(in);
}

/* Accesses of every shape: a row, one address, even and uneven strides, backwards; also under a mask. */
static void shapes(void) {
  enum { N = 4096 };
  uint32_t *in = device(N * 4);
  for (uint32_t i = 0; i < N; i++) in[i] = (uint32_t)rnd();
  static const char *const index[] = {"mov.u32 %r5,%i;",
                                      "mov.u32 %r5,17;",
                                      "mul.lo.s32 %r5,%i,3;",
                                      "sub.s32 %r5,3000,%i;",
                                      "shr.u32 %r5,%i,4;",
                                      "and.b32 %r5,%i,15;",
                                      "mul.lo.s32 %r5,%i,%i; and.b32 %r5,%r5,4095;",
                                      "xor.b32 %r5,%i,5;"};
  for (size_t s = 0; s < sizeof index / sizeof *index; s++) {
    for (int masked = 0; masked < 3; masked++) {
      Text t = {0};
      put(&t, HEAD "%s%s", ENTRY("k"), index[s]);
      put(&t, "mov.u32 %%r6,12345; and.b32 %%r7,%%i,%d; setp.ne.s32 %%p1,%%r7,0;\n", masked == 1 ? 5 : 64);
      put(&t, "mul.wide.s32 %%d5,%%r5,4; add.s64 %%d6,%%d1,%%d5; %s ld.global.u32 %%r6,[%%d6]; %s",
          masked ? "@%p1" : "", STORE("%r6"));
      run_kernel(t.p, "k", 1, 1000, in);
      free(t.p);
      for (uint32_t i = 0; i < 1000; i++) {
        const uint32_t at[] = {i, 17, 3 * i, 3000 - i, i >> 4, i & 15, i * i & 4095, i ^ 5};
        const bool on = !masked || (i & (masked == 1 ? 5 : 64));
        CHECK(results[i] == (on ? in[at[s]] : 12345));
      }
    }
  }
  release(in);
}

static void divergence(void) {
  /* Collatz: each thread its own number of rounds, with branches inside. */
  run_kernel(
      HEAD ENTRY(
          "k") "add.s32 %r5,%i,1; mov.u32 %r6,0;\nTOP: setp.le.u32 %p1,%r5,1; @%p1 bra DONE;\n"
               "and.b32 %r7,%r5,1; setp.eq.s32 %p2,%r7,0; @%p2 bra EVEN; mad.lo.s32 %r5,%r5,3,1; bra NEXT;\n"
               "EVEN: shr.u32 %r5,%r5,1;\nNEXT: add.s32 %r6,%r6,1; bra TOP;\nDONE:\n" STORE("%r6"),
      "k", 3, 333, NULL);
  for (uint32_t i = 0; i < 999; i++) {
    uint32_t n = i + 1, steps = 0;
    for (; n > 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2;
    CHECK(results[i] == steps);
  }
  run_kernel(
      HEAD ENTRY(
          "k") "rem.u32 %r5,%i,5; mov.u32 %r6,1;\nts: .branchtargets A, B, C, B, E;\nbrx.idx %r5, ts;\n"
               "A: add.s32 %r6,%r6,10; bra X;\nB: add.s32 %r6,%r6,20;\nC: add.s32 %r6,%r6,30; bra X;\nE: "
               "mov.u32 %r6,0;\nX:\n" STORE("%r6"),
      "k", 1, 100, NULL);
  static const uint32_t want[] = {11, 51, 31, 51, 0};
  for (uint32_t i = 0; i < 100; i++) CHECK(results[i] == want[i % 5]);
}

static void exits(void) {
  /* Threads leave early; the barrier waits for the others only. */
  run_kernel(HEAD ENTRY("k") ".shared .align 4 .b8 s[1024]; setp.gt.u32 %p1,%t,99; @%p1 exit; and.b32 "
                             "%r5,%t,1; setp.eq.s32 %p2,%r5,0;\n"
                             "mul.wide.u32 %d5,%t,4; mov.u64 %d6,s; add.s64 %d7,%d6,%d5; st.shared.u32 "
                             "[%d7],%t; @%p2 bra W; nanosleep.u32 1; W: bar.sync 0;\n"
                             "sub.s32 %r6,99,%t; mul.wide.u32 %d8,%r6,4; add.s64 %d9,%d6,%d8; ld.shared.u32 "
                             "%r7,[%d9]; add.s32 %r7,%r7,1000;\n" STORE("%r7"),
             "k", 1, 256, NULL);
  for (uint32_t i = 0; i < 256; i++) CHECK(results[i] == (i < 100 ? 1099 - i : 0));
}

static void barriers(void) {
  /* Producers arrive at barrier 1, consumers wait there; then a vote of the block. */
  run_kernel(
      HEAD ENTRY(
          "k") ".shared .align 4 .b8 s[1024]; setp.lt.u32 %p1,%t,64; mov.u64 %d6,s; mul.wide.u32 %d5,%t,4; "
               "add.s64 %d7,%d6,%d5;\n"
               "@%p1 bra PRODUCE; bar.sync 1,128; ld.shared.u32 %r5,[%d7+-256]; bra JOIN;\n"
               "PRODUCE: mul.lo.s32 %r6,%t,7; st.shared.u32 [%d7],%r6; bar.arrive 1,128; mov.u32 %r5,5;\n"
               "JOIN: and.b32 %r7,%t,3; setp.eq.s32 %p2,%r7,0; bar.red.popc.u32 %r8,0,%p2; setp.lt.u32 "
               "%p3,%t,200; bar.red.and.pred %p4,0,%p3;\n"
               "setp.eq.u32 %p3,%t,3; bar.red.or.pred %p5,0,!%p3; selp.u32 %r9,1000,0,%p4; mad.lo.s32 "
               "%r5,%r8,10000,%r5; add.s32 %r5,%r5,%r9;\n"
               "selp.u32 %r9,2000,0,%p5; add.s32 %r5,%r5,%r9;\n" STORE("%r5"),
      "k", 2, 128, NULL);
  for (uint32_t i = 0; i < 256; i++)
    CHECK(results[i] == (i % 128 < 64 ? 5 : (i % 128 - 64) * 7) + 320000 + 3000);
  /* The number of the barrier differs from warp to warp. */
  run_kernel(HEAD ENTRY("k") "shr.u32 %r5,%t,5; and.b32 %r5,%r5,1; add.s32 %r5,%r5,3; bar.sync %r5,64; "
                             "bar.sync 0;\n" STORE("%r5"),
             "k", 1, 128, NULL);
  for (uint32_t i = 0; i < 128; i++) CHECK(results[i] == 3 + (i / 32) % 2);
}

static void warps(void) {
  run_kernel(HEAD ENTRY("k") "shfl.sync.down.b32 %r5|%p1,%t,3,31,-1; shfl.sync.up.b32 %r6|%p2,%t,5,0,-1; "
                             "shfl.sync.bfly.b32 %r7,%t,9,31,-1;\n"
                             "shfl.sync.idx.b32 %r8|%p3,%t,%t,0x181f,-1; selp.u32 %r9,1,0,%p1; selp.u32 "
                             "%r10,1,0,%p2; add.s32 %r5,%r5,%r9; add.s32 %r6,%r6,%r10;\n"
                             "mul.lo.s32 %r5,%r5,3; mad.lo.s32 %r5,%r6,5,%r5; mad.lo.s32 %r5,%r7,7,%r5; "
                             "mad.lo.s32 %r5,%r8,11,%r5;\n"
                             "and.b32 %r11,%t,3; setp.eq.s32 %p4,%r11,1; vote.sync.ballot.b32 %r12,%p4,-1; "
                             "vote.sync.any.pred %p5,%p4,-1; vote.sync.all.pred %p6,!%p4,-1;\n"
                             "xor.b32 %r5,%r5,%r12; selp.u32 %r13,4096,0,%p5; add.s32 %r5,%r5,%r13; selp.u32 "
                             "%r13,8192,0,%p6; add.s32 %r5,%r5,%r13;\n"
                             "match.any.sync.b32 %r14,%r11,-1; xor.b32 %r5,%r5,%r14; redux.sync.add.s32 "
                             "%r15,%t,-1; add.s32 %r5,%r5,%r15;\n"
                             "@%p4 bra ODD; activemask.b32 %r16; bra BACK; ODD: activemask.b32 %r16; BACK: "
                             "bar.warp.sync -1; add.s32 %r5,%r5,%r16;\n" STORE("%r5"),
             "k", 2, 96, NULL);
  for (uint32_t i = 0; i < 192; i++) {
    const uint32_t tid = i % 96, w = tid & ~31u, l = tid & 31;
    const uint32_t down = l + 3 < 32 ? tid + 3 + 1 : tid, up = l >= 5 ? tid - 5 + 1 : tid, x = w | (l ^ 9);
    const uint32_t idx = (l & 24) | (l & 7);
    uint32_t r = down * 3 + up * 5 + x * 7 + (w | idx) * 11;
    r = (r ^ 0x22222222u) + 4096;
    r = (r ^ (0x11111111u << (tid & 3))) + (w * 32 + 496);
    r += (tid & 3) == 1 ? 0x22222222u : ~0x22222222u;
    CHECK(results[i] == r);
  }
  /* Half of the warp arrives later: the shuffle waits for it. */
  run_kernel(
      HEAD ENTRY("k") "mov.u32 %r5,%t; setp.lt.u32 %p1,%t,16; @%p1 bra LOW; add.s32 %r5,%r5,100;\nbra MEET;\n"
                      "MEET: shfl.sync.bfly.b32 %r6,%r5,16,31,-1; bra END;\nLOW: add.s32 %r5,%r5,200; bra "
                      "MEET;\nEND:\n" STORE("%r6"),
      "k", 1, 32, NULL);
  for (uint32_t i = 0; i < 32; i++) CHECK(results[i] == (i ^ 16) + (i < 16 ? 100 : 200));
  /* Member masks of eight lanes, in different branches. */
  run_kernel(HEAD ENTRY("k") "and.b32 %r5,%t,24; mov.u32 %r6,255; shl.b32 %r6,%r6,%r5; and.b32 %r7,%t,8; "
                             "setp.eq.s32 %p1,%r7,0; @%p1 bra A;\n"
                             "shfl.sync.idx.b32 %r8,%t,%r5,31,%r6; bra END;\nA: redux.sync.max.u32 "
                             "%r8,%t,%r6;\nEND:\n" STORE("%r8"),
             "k", 1, 64, NULL);
  for (uint32_t i = 0; i < 64; i++) CHECK(results[i] == ((i & 8) ? (i & 56) : (i & 56) + 7));
}

static void carry(void) {
  uint64_t *in = device(512 * 32), *out = (uint64_t *)(void *)results;
  static const uint64_t edges[] = {0,         1, INT64_MAX, (uint64_t)1 << 63, UINT32_MAX, (uint64_t)1 << 32,
                                   UINT64_MAX};
  for (uint32_t i = 0; i < 2048; i++) in[i] = rnd() % 4 ? edges[rnd() % 7] : rnd();
  run_kernel(HEAD ENTRY("k") "mul.wide.u32 %d5,%i,32; add.s64 %d6,%d1,%d5; ld.global.v2.u64 {%d7,%d8},[%d6]; "
                             "ld.global.v2.u64 {%d9,%d10},[%d6+16];\n"
                             "add.cc.u64 %d11,%d7,%d9; addc.u64 %d12,%d8,%d10; sub.cc.u64 %d13,%d7,%d9; "
                             "subc.u64 %d14,%d8,%d10;\n"
                             "mov.b64 {%r5,%r6},%d7; mov.b64 {%r7,%r8},%d9; mul.lo.u32 %r9,%r5,%r7; "
                             "mul.hi.u32 %r10,%r5,%r7; mad.lo.cc.u32 %r10,%r5,%r8,%r10;\n"
                             "madc.hi.u32 %r11,%r5,%r8,0; mad.lo.cc.u32 %r10,%r6,%r7,%r10; madc.hi.cc.u32 "
                             "%r11,%r6,%r7,%r11; addc.u32 %r12,0,0;\n"
                             "mad.lo.cc.u32 %r11,%r6,%r8,%r11; madc.hi.u32 %r12,%r6,%r8,%r12; mov.b64 "
                             "%d15,{%r9,%r10}; mov.b64 %d16,{%r11,%r12};\n"
                             "mul.wide.u32 %d5,%i,48; add.s64 %d6,%d2,%d5; st.global.v2.u64 "
                             "[%d6],{%d11,%d12}; st.global.v2.u64 [%d6+16],{%d13,%d14};\n"
                             "st.global.v2.u64 [%d6+32],{%d15,%d16}; ret; }\n",
             "k", 1, 512, in);
  for (uint32_t i = 0; i < 512; i++) {
    unsigned __int128 a, b, sum, difference, product;
    memcpy(&a, in + 4 * i, 16);
    memcpy(&b, in + 4 * i + 2, 16);
    memcpy(&sum, out + 6 * i, 16);
    memcpy(&difference, out + 6 * i + 2, 16);
    memcpy(&product, out + 6 * i + 4, 16);
    CHECK(sum == a + b && difference == a - b);
    CHECK(product == (unsigned __int128)in[4 * i] * in[4 * i + 2]);
  }
  release(in);
}

static void predicates(void) {
  run_kernel(HEAD ENTRY("k") "setp.lt.u32 %p1|%p2,%t,10; setp.gt.and.u32 %p3|%p4,%t,5,%p1; setp.eq.or.u32 "
                             "%p5|_,%t,3,!%p2; setp.ne.u32 _|%p6,%t,50;\n"
                             "selp.u32 %r5,1,0,%p1; selp.u32 %r6,2,0,%p2; selp.u32 %r7,4,0,%p3; selp.u32 "
                             "%r8,8,0,%p4; selp.u32 %r9,16,0,%p5; selp.u32 %r10,32,0,%p6;\n"
                             "or.b32 %r5,%r5,%r6; or.b32 %r5,%r5,%r7; or.b32 %r5,%r5,%r8; or.b32 "
                             "%r5,%r5,%r9; or.b32 %r5,%r5,%r10;\n"
                             "@%p3 add.s32 %r5,%r5,100; @!%p3 add.s32 %r5,%r5,200;\n" STORE("%r5"),
             "k", 1, 64, NULL);
  for (uint32_t i = 0; i < 64; i++) {
    const bool p1 = i<10, p3 = i> 5 && p1, p4 = !(i > 5) && p1, p5 = i == 3 || p1;
    const uint32_t bits = (uint32_t)p1 | (uint32_t)!p1 << 1 | (uint32_t)p3 << 2 | (uint32_t)p4 << 3 |
                          (uint32_t)p5 << 4 | (uint32_t)(i == 50) << 5;
    CHECK(results[i] == bits + (p3 ? 100 : 200));
  }
}

static void parts_of_words(void) {
  run_kernel(
      HEAD ENTRY("k") "mov.u32 %r5,0x80ff7f01; mov.u32 %r6,0x12345678; add.u32 %r5,%r5,%t;\n"
                      "vadd.s32.s32.u32 %r7,%r5.b3,%r6.h1; vadd.u32.u32.u32.sat %r8.b1,%r5.b2,%r6.b0,%r6;\n"
                      "vsub.u32.u32.u32 %r9.h1,%r5.h0,%r6.h0,%r6; vadd2.u32.u32.u32 %r10.h0,%r5,%r6,%r6;\n"
                      "vabsdiff4.u32.u32.u32 %r11,%r5.b7654,%r6.b0123,%r6;\n"
                      "lop3.and.b32 %r12|%p1,%r5,%r6,%t,0x80,%p2; setp.lt.u32 %p2,%t,9;\n"
                      "lop3.or.b32 _|%p3,%r5,%r6,%t,0x80,%p2; selp.u32 %r13,1,0,%p3;\n"
                      "xor.b32 %r7,%r7,%r8; xor.b32 %r7,%r7,%r9; xor.b32 %r7,%r7,%r10; xor.b32 "
                      "%r7,%r7,%r11; xor.b32 %r7,%r7,%r12; xor.b32 %r7,%r7,%r13;\n" STORE("%r7"),
      "k", 1, 64, NULL);
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t a = 0x80ff7f01 + i, b = 0x12345678, both = a & b & i;
    uint32_t r = (uint32_t)((int32_t)(int8_t)(a >> 24) + 0x1234);
    r ^= 0x1234ff78; /* 0xff + 0x78 is too much for a byte */
    r ^= ((a & 0xffff) - 0x5678) << 16 | 0x5678;
    r ^= 0x12340000 | ((a + b) & 0xffff);
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t x = b >> 8 * k & 255, y = a >> 8 * (3 - k) & 255;
      r ^= (x > y ? x - y : y - x) << 8 * k;
    }
    CHECK(results[i] == (r ^ both ^ (both != 0 || i < 9)));
  }
}

static void local_memory(void) {
  /* Each thread reverses its own array with indices that differ. */
  run_kernel(
      HEAD ENTRY("k") ".local .align 8 .b8 loc[64]; mov.u64 %d6,loc; mov.u32 %r5,0;\n"
                      "FILL: mad.lo.s32 %r6,%r5,%i,%r5; mul.wide.u32 %d5,%r5,4; add.s64 %d7,%d6,%d5; "
                      "st.local.u32 [%d7],%r6; add.s32 %r5,%r5,1; setp.lt.u32 %p1,%r5,16; @%p1 bra FILL;\n"
                      "and.b32 %r7,%i,15; mul.wide.u32 %d8,%r7,4; add.s64 %d9,%d6,%d8; ld.local.u32 "
                      "%r8,[%d9]; ld.local.v2.u32 {%r9,%r10},[loc+8]; add.s32 %r8,%r8,%r10;\n" STORE("%r8"),
      "k", 2, 150, NULL);
  for (uint32_t i = 0; i < 300; i++) CHECK(results[i] == (i & 15) * (i + 1) + 3 * (i + 1));
}

static void calls(void) {
  run_kernel(HEAD ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %a<4>; .reg .pred %q; ld.param.b32 "
                  "%a1,[x]; setp.gt.u32 %q,%a1,50; @%q bra BIG;\n"
                  "add.s32 %a2,%a1,%a1; st.param.b32 [r],%a2; ret; BIG: st.param.b32 [r],7; ret; }\n"
                  ".func (.param .b32 r) four(.param .b32 x, .param .align 8 .b8 y[8]) { .reg .b32 %a<6>; "
                  "ld.param.b32 %a1,[x]; ld.param.b32 %a4,[y+4];\n"
                  "{ .param .b32 p0; st.param.b32 [p0],%a1; .param .b32 q0; call.uni (q0), twice, (p0); "
                  "ld.param.b32 %a2,[q0]; }\n"
                  "{ .param .b32 p0; st.param.b32 [p0],%a2; .param .b32 q0; call.uni (q0), twice, (p0); "
                  "ld.param.b32 %a3,[q0]; }\n"
                  "add.s32 %a3,%a3,%a4; st.param.b32 [r],%a3; ret; }\n" ENTRY(
                      "k") "and.b32 %r5,%i,1; setp.eq.s32 %p1,%r5,0; mov.u32 %r6,1; { .param .b32 p0; .param "
                           ".align 8 .b8 p1[8]; .param .b32 q0; st.param.b32 [p0],%i;\n"
                           "st.param.v2.b32 [p1],{%t,1000}; @%p1 call (q0), four, (p0, p1); @%p1 "
                           "ld.param.b32 %r6,[q0]; }\n" STORE("%r6"),
             "k", 1, 128, NULL);
  for (uint32_t i = 0; i < 128; i++) {
    const uint32_t once = i > 50 ? 7 : 2 * i;
    CHECK(results[i] == (i % 2 ? 1 : (once > 50 ? 7 : 2 * once) + 1000));
  }
}

/* Routines: recursion of each lane to a depth of its own, registers and local variables of every activation.
 */
#define FIB                                                                                                  \
  ".func (.param .b32 r) fib(.param .b32 n) { .reg .b32 %a<8>; .reg .b64 %q<4>; .reg .pred %p;\n"            \
  ".local .align 8 .b8 depot[8]; mov.u64 %q1,depot; cvta.local.u64 %q2,%q1; ld.param.b32 %a1,[n];\n"         \
  "setp.lt.u32 %p,%a1,2; @%p bra END; st.u32 [%q2+4],%a1; add.s32 %a2,%a1,-1;\n"                             \
  "{ .param .b32 p0; st.param.b32 [p0],%a2; .param .b32 q0; call.uni (q0), fib, (p0); ld.param.b32 "         \
  "%a3,[q0]; }\n"                                                                                            \
  "ld.local.u32 %a4,[depot+4]; add.s32 %a4,%a4,-2;\n"                                                        \
  "{ .param .b32 p0; st.param.b32 [p0],%a4; .param .b32 q0; call.uni (q0), fib, (p0); ld.param.b32 "         \
  "%a5,[q0]; }\n"                                                                                            \
  "add.s32 %a1,%a3,%a5; END: st.param.b32 [r],%a1; ret; }\n"

static void recursion(void) {
  run_kernel(
      HEAD ".func (.param .b32 r) fib(.param .b32 n);\n" FIB ENTRY(
          "k") "rem.u32 %r5,%t,15; mul.lo.s32 %r7,%i,3; setp.ne.s32 %p1,%r5,4; mov.u32 %r6,77; { .param "
               ".b32 p0; .param .b32 q0; st.param.b32 [p0],%r5; @%p1 call.uni (q0), fib, (p0); @%p1 "
               "ld.param.b32 %r6,[q0]; } add.s32 %r6,%r6,%r7;\n" STORE("%r6"),
      "k", 2, 200, NULL);
  for (uint32_t i = 0; i < 400; i++) {
    uint32_t a = 0, b = 1, n = i % 200 % 15;
    for (uint32_t k = 0; k < n; k++) {
      const uint32_t c = a + b;
      a = b;
      b = c;
    }
    CHECK(results[i] == (n == 4 ? 77 : a) + 3 * i);
  }
}

/* Pointers to functions in registers and tables, with a prototype and with a list of targets; lanes go
 * different ways, and one function calls on through another pointer. */
static void pointers(void) {
  static const char text[] = HEAD
      ".func (.param .b32 r) inc(.param .b32 x, .param .align 16 .b8 y[16]) { .reg .b32 %a<4>; ld.param.b32 "
      "%a1,[x]; ld.param.b32 %a2,[y+12]; add.s32 %a3,%a1,%a2; st.param.b32 [r],%a3; ret; }\n"
      ".func (.param .b32 r) neg(.param .b32 x, .param .align 16 .b8 y[16]) { .reg .b32 %a<4>; ld.param.b32 "
      "%a1,[x]; neg.s32 %a3,%a1; st.param.b32 [r],%a3; ret; }\n"
      ".func (.param .b32 r) both(.param .b32 x, .param .align 16 .b8 y[16]);\n"
      ".global .u64 table[3] = {inc, neg, both};\n"
      ".func (.param .b32 r) both(.param .b32 x, .param .align 16 .b8 y[16]) { .reg .b32 %a<8>; .reg .b64 "
      "%q<8>; "
      ".reg .pred %p; ld.param.b32 %a1,[x]; ld.param.v2.b64 {%q1,%q2},[y]; and.b32 %a2,%a1,1; mul.wide.u32 "
      "%q3,%a2,8; mov.u64 %q4,table; add.s64 %q4,%q4,%q3; ld.global.u64 %q5,[%q4];\n"
      "{ .param .b32 p0; .param .align 16 .b8 p1[16]; .param .b32 q0; st.param.b32 [p0],%a1; st.param.v2.b64 "
      "[p1],{%q1,%q2}; type: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 16 .b8 _[16]); "
      "call "
      "(q0), %q5, (p0, p1), type; ld.param.b32 %a3,[q0]; } mad.lo.s32 %a3,%a1,1000,%a3; st.param.b32 "
      "[r],%a3; "
      "ret; }\n" ENTRY(
          "k") "rem.u32 %r5,%t,3; mul.wide.u32 %d5,%r5,8; mov.u64 %d6,table; add.s64 %d6,%d6,%d5; "
               "ld.global.u64 "
               "%d7,[%d6]; mov.u64 %d8,neg; { .param .b32 p0; .param .align 16 .b8 p1[16]; .param .b32 q0; "
               "st.param.b32 [p0],%i; st.param.b32 [p1+12],500; type: .callprototype (.param .b32 _) _ "
               "(.param .b32 "
               "_, .param .align 16 .b8 _[16]); call (q0), %d7, (p0, p1), type; ld.param.b32 %r6,[q0]; }\n"
               "setp.eq.u64 %p1,%d7,%d8; @%p1 add.s32 %r6,%r6,7;\n" STORE("%r6");
  run_kernel(text, "k", 1, 96, NULL);
  for (int i = 0; i < 96; i++) {
    const int inner = i % 2 ? -i : i + 500;
    CHECK((int)results[i] == (i % 3 == 0 ? i + 500 : i % 3 == 1 ? 7 - i : i * 1000 + inner));
  }
}

/* A function that is called from many places, each of which would make a copy of it: the kernel stays small.
 */
static void many_calls(void) {
  Text t = {0};
  put(&t, HEAD);
  put(&t, ".func (.param .b32 r) f0(.param .b32 x) { .reg .b32 %%a<4>; ld.param.b32 %%a1,[x]; add.s32 "
          "%%a1,%%a1,1; "
          "st.param.b32 [r],%%a1; ret; }\n");
  for (int i = 1; i < 12; i++) {
    put(&t, ".func (.param .b32 r) f%d(.param .b32 x) { .reg .b32 %%a<4>; ld.param.b32 %%a1,[x];\n", i);
    for (int k = 0; k < 4; k++)
      put(&t,
          "{ .param .b32 p; .param .b32 q; st.param.b32 [p],%%a1; call (q), f%d, (p); ld.param.b32 %%a1,[q]; "
          "}\n",
          i - 1);
    put(&t, "st.param.b32 [r],%%a1; ret; }\n");
  }
  put(&t, "%s", ENTRY("k"));
  put(&t, "%s",
      "{ .param .b32 p; .param .b32 q; st.param.b32 [p],%i; call (q), f6, (p); ld.param.b32 %r5,[q]; }\n");
  put(&t, "%s",
      "setp.eq.s32 %p1,%i,999; @!%p1 bra S; { .param .b32 p; .param .b32 q; st.param.b32 [p],%i; call (q), "
      "f11, (p); ld.param.b32 %r5,[q]; } S:\n");
  put(&t, "%s", STORE("%r5"));
  run_kernel(t.p, "k", 1, 64, NULL);
  for (uint32_t i = 0; i < 64; i++) CHECK(results[i] == i + 4096);
  free(t.p);
}

static void special_registers(void) {
  SgModule *m =
      load(HEAD ".visible .entry k(.param .u64 b) {\n" REGS
                "ld.param.u64 %d2,[b]; mov.u32 %r1,%tid.x; mov.u32 %r2,%tid.y; mov.u32 %r3,%tid.z; mov.u32 "
                "%r4,%ntid.x; mov.u32 %r5,%ntid.y; mov.u32 %r6,%ntid.z;\n"
                "mov.u32 %r7,%ctaid.x; mov.u32 %r8,%ctaid.y; mov.u32 %r9,%ctaid.z; mov.u32 %r10,%nctaid.x; "
                "mov.u32 %r11,%nctaid.y;\n"
                "mad.lo.s32 %r12,%r3,%r5,%r2; mad.lo.s32 %r12,%r12,%r4,%r1; mad.lo.s32 %r13,%r9,%r11,%r8; "
                "mad.lo.s32 %r13,%r13,%r10,%r7;\n"
                "mul.lo.s32 %r14,%r4,%r5; mul.lo.s32 %r14,%r14,%r6; mad.lo.s32 %i,%r13,%r14,%r12; mov.u32 "
                "%r15,%laneid; mov.u32 %r16,%lanemask_lt; popc.b32 %r17,%r16;\n"
                "mov.u32 %r18,%warpid; shl.b32 %r18,%r18,5; add.s32 %r18,%r18,%r17; sub.s32 %r19,%r18,%r12; "
                "sub.s32 %r20,%r17,%r15; or.b32 %r19,%r19,%r20;\n"
                "mov.u64 %d5,%clock64; mov.u64 %d6,%clock64; setp.gt.u64 %p1,%d6,%d5; mov.u64 "
                "%d7,%globaltimer; setp.ne.u64 %p2,%d7,0; and.pred %p1,%p1,%p2;\n"
                "selp.u32 %r21,1,0,%p1; mad.lo.s32 %r21,%i,2,%r21; add.s32 %r21,%r21,%r19;\n" STORE("%r21"));
  SgFault fault;
  if (!m) return;
  memset(results, 0, RESULTS * 4);
  void *p = results;
  CHECK(launch3(m, "k", (uint32_t[]){3, 2, 2}, (uint32_t[]){5, 7, 3}, 0, &p, &fault) == 0);
  for (uint32_t i = 0; i < 12 * 105; i++) CHECK(results[i] == 2 * i + 1);
  sg_module_unload(m);
}

/* Copies into shared memory, whole, in part and not at all. */
static void copies(void) {
  uint32_t *a = device(64 * 16);
  for (uint32_t i = 0; i < 256; i++) a[i] = i + 1;
  run_kernel(
      HEAD ENTRY(
          "k") ".shared .align 16 .b8 s[1024]; mov.u64 %d5,s; mul.wide.u32 %d6,%t,16; add.s64 %d5,%d5,%d6; "
               "add.s64 "
               "%d7,%d1,%d6; mov.u32 %r5,-1; st.shared.v4.u32 [%d5],{%r5,%r5,%r5,%r5}; rem.u32 %r6,%t,17; "
               "setp.gt.u32 %p1,%t,39; setp.lt.u32 %p2,%t,20;\n"
               "@%p2 cp.async.cg.shared.global.L2::128B [%d5],[%d7],16,%r6; @%p2 bra NEXT; @!%p1 "
               "cp.async.ca.shared.global "
               "[%d5+8],[%d7+8],8; cp.async.ca.shared.global [%d5],[%d7],4,%p1;\n"
               "NEXT: cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; ld.shared.v4.u32 "
               "{%r7,%r8,%r9,%r10},[%d5]; add.s64 %d8,%d2,%d6; st.global.v4.u32 [%d8],{%r7,%r8,%r9,%r10}; "
               "ret; }\n",
      "k", 1, 64, a);
  for (uint32_t t = 0; t < 64; t++) {
    uint8_t want[16];
    memset(want, t < 20 ? 0 : 0xff, 16);
    if (t < 20)
      memcpy(want, &a[t * 4], t % 17);
    else if (t < 40)
      memcpy(want, &a[t * 4], 4), memcpy(want + 8, &a[t * 4 + 2], 8);
    else
      memset(want, 0, 4);
    CHECK(memcmp(&results[t * 4], want, 16) == 0);
  }
  SgFault fault;
  SgModule *m = load(HEAD ENTRY("k") ".shared .align 16 .b8 s[64]; mov.u64 %d5,s; cp.async.cg.shared.global "
                                     "[%d5],[%d1+1024],16; ret; }\n");
  CHECK(launch(m, "k", 1, 1, &(Two){a, results}, &fault) == 700 && strstr(fault.text, "global"));
  sg_module_unload(m);
  release(a);
}

/* A barrier in memory: half of the threads arrive and go on, the others wait for the phase, round after
 * round. */
static void memory_barriers(void) {
  run_kernel(
      HEAD ENTRY(
          "k") ".shared .align 8 .b64 bar0; .shared .align 4 .u32 sum; setp.ne.s32 %p1,%t,0; @%p1 bra READY; "
               "mbarrier.init.shared::cta.b64 [bar0],64; st.shared.u32 [sum],0; READY: bar.sync 0; mov.u32 "
               "%r5,0; mov.u32 "
               "%r8,0; setp.lt.u32 %p2,%t,32;\n"
               "ROUND: atom.shared.add.u32 %r6,[sum],%t; mbarrier.arrive.shared.b64 %d5,[bar0]; @!%p2 bra "
               "PARITY;\n"
               "STATE: mbarrier.test_wait.shared.b64 %p3,[bar0],%d5; @!%p3 bra STATE; bra GO;\n"
               "PARITY: and.b32 %r7,%r5,1; mbarrier.try_wait.parity.shared.b64 %p3,[bar0],%r7; @!%p3 bra "
               "PARITY;\n"
               "GO: ld.shared.u32 %r9,[sum]; add.s32 %r8,%r8,%r9; bar.sync 1; add.s32 %r5,%r5,1; setp.lt.s32 "
               "%p4,%r5,3; @%p4 bra ROUND;\n"
               "mbarrier.pending_count.b64 %r10,%d5; mad.lo.s32 %r8,%r8,1000,%r10;\n" STORE("%r8"),
      "k", 1, 64, NULL);
  uint64_t seen = 0;
  for (uint32_t t = 0; t < 64; t++) {
    CHECK(results[t] / 1000 == 2016 * 6);
    const uint32_t pending =
        results[t] % 1000; /* before this thread's arrival: 64 for the first, 1 for the last */
    CHECK(pending >= 1 && pending <= 64);
    seen |= pending ? (uint64_t)1 << ((pending - 1) & 63) : 0;
  }
  CHECK(seen == UINT64_MAX);
  /* Transactions hold a phase open; a thread that drops out is not waited for in the next one. */
  run_kernel(
      HEAD ENTRY("k") ".shared .align 8 .b64 bar0; mov.u32 %r5,0; mbarrier.init.shared.b64 [bar0],2; "
                      "mbarrier.arrive.expect_tx.shared.b64 "
                      "_,[bar0],16; mbarrier.arrive_drop.shared.b64 %d5,[bar0]; "
                      "mbarrier.test_wait.shared.b64 %p1,[bar0],%d5; "
                      "@%p1 add.s32 %r5,%r5,1; mbarrier.complete_tx.shared.b64 [bar0],16; "
                      "mbarrier.test_wait.shared.b64 "
                      "%p1,[bar0],%d5; @%p1 add.s32 %r5,%r5,10; mbarrier.arrive.shared.b64 %d6,[bar0]; "
                      "mbarrier.test_wait.shared.b64 %p1,[bar0],%d6; @%p1 add.s32 %r5,%r5,100; "
                      "mbarrier.inval.shared.b64 [bar0];\n" STORE("%r5"),
      "k", 1, 1, NULL);
  CHECK(results[0] == 110);
}

/* elect.sync, the barrier and the addresses of a cluster of one block, predicates of pairs, constant
 * addresses. */
static void newer_forms(void) {
  run_kernel(
      HEAD ".const .align 4 .u32 c[2] = {3, 4};\n" ENTRY(
          "k") ".shared .align 4 .b32 s[64]; mov.u32 %r5,0; setp.lt.u32 %p7,%t,5; @%p7 bra E; elect.sync "
               "%r6|%p1,0xffffffe0; "
               "@%p1 add.s32 %r5,%r5,1; mad.lo.s32 %r5,%r6,10,%r5; E: mov.u64 %d5,s; mul.wide.u32 %d6,%t,4; "
               "add.s64 %d7,%d5,%d6; "
               "mapa.shared::cluster.u64 %d8,%d7,0; st.shared::cluster.u32 [%d8],%t; "
               "barrier.cluster.arrive.release; "
               "barrier.cluster.wait.acquire; xor.b32 %r7,%t,1; mul.wide.u32 %d9,%r7,4; add.s64 %d9,%d5,%d9; "
               "ld.shared.u32 %r8,[%d9]; mad.lo.s32 %r5,%r8,1000,%r5; mov.u32 %r9,0x3c004000; mov.u32 "
               "%r10,0x3c003c00; "
               "setp.gt.f16x2 %p2|%p3,%r9,%r10; @%p2 add.s32 %r5,%r5,100000; @%p3 add.s32 %r5,%r5,200000;\n"
               "mov.u64 %d10,c; isspacep.const %p4,%d10; isspacep.const %p5,%d2; @%p4 add.s32 "
               "%r5,%r5,400000; @%p5 "
               "add.s32 %r5,%r5,800000;\n" STORE("%r5"),
      "k", 1, 32, NULL);
  for (uint32_t t = 0; t < 32; t++)
    CHECK(results[t] == (t < 5 ? 0 : t == 5 ? 51 : 50u) + (t ^ 1) * 1000 + 500000);
}

/* Threads of one warp and of several blocks fight for a lock: each must get it. */
static void spin_lock(void) {
  uint32_t *lock = device(8);
  run_kernel(HEAD ENTRY("k") "TRY: atom.global.cas.b32 %r5,[%d1],0,1; setp.ne.s32 %p1,%r5,0; @%p1 bra TRY;\n"
                             "ld.volatile.global.u32 %r6,[%d1+4]; add.s32 %r6,%r6,1; st.volatile.global.u32 "
                             "[%d1+4],%r6; membar.gl; atom.global.exch.b32 %r7,[%d1],0;\n" STORE("%r6"),
             "k", 4, 64, lock);
  CHECK(lock[0] == 0 && lock[1] == 256);
  release(lock);
}

/* Every block waits for all others: those not begun must be admitted. */
static void grid_barrier(void) {
  uint32_t *count = device(4);
  run_kernel(
      HEAD ENTRY(
          "k") "setp.ne.s32 %p1,%t,0; @%p1 bra JOIN; red.global.add.u32 [%d1],1; mov.u32 %r5,%nctaid.x;\n"
               "WAIT: ld.volatile.global.u32 %r6,[%d1]; setp.lt.u32 %p2,%r6,%r5; @%p2 bra WAIT;\nJOIN: "
               "bar.sync 0; ld.global.u32 %r7,[%d1];\n" STORE("%r7"),
      "k", 100, 64, count);
  for (uint32_t i = 0; i < 6400; i++) CHECK(results[i] == 100);
  /* A chain: block n waits for block n - 1, in the order that blocks draw tickets. */
  *count = 0;
  memset(results, 0, RESULTS * 4);
  run_kernel(HEAD ".global .u32 turn[1];\n" ENTRY(
                 "k") "atom.global.add.u32 %r5,[%d1],1; mov.u32 %r6,%nctaid.x; sub.s32 %r5,%r6,%r5; sub.s32 "
                      "%r5,%r5,1;\n"
                      "WAIT: ld.acquire.gpu.global.u32 %r7,[turn]; setp.ne.s32 %p2,%r7,%r5; @%p2 bra "
                      "WAIT;\nadd.s32 %r8,%r7,1; st.release.gpu.global.u32 [turn],%r8;\n" STORE("%r7"),
             "k", 60, 1, count);
  for (uint32_t i = 0; i < 60; i++) CHECK(results[i] == 59 - i);
  release(count);
}

static void atomics(void) {
  uint32_t *w = device(64);
  w[0] = 5, w[3] = UINT32_MAX, w[5] = 0, w[6] = 3;
  run_kernel(
      HEAD ENTRY("k") "atom.global.add.u32 %r5,[%d1],1; red.global.max.s32 [%d1+4],%t; red.global.or.b32 "
                      "[%d1+8],%t; red.global.and.b32 [%d1+12],%t;\n"
                      "atom.global.inc.u32 %r6,[%d1+20],9; atom.global.dec.u32 %r7,[%d1+24],5; mov.f32 "
                      "%f1,0f3F000000; red.global.add.f32 [%d1+28],%f1;\n"
                      "cvt.u64.u32 %d5,%t; atom.add.u64 %d6,[%d1+32],%d5; red.global.min.u64 [%d1+40],%d5; "
                      "mov.u64 %d7,0x3FF0000000000000; atom.global.add.f64 %d8,[%d1+48],%d7;\n" STORE("%r5"),
      "k", 2, 100, w);
  CHECK(w[0] == 205 && w[1] == 99 && w[2] == 127 && w[3] == 0 && w[5] == 0 && value(w[7]) == 100.0f);
  CHECK(w[6] == (3 + 600 - 200) % 6);
  uint64_t sum;
  double real;
  memcpy(&sum, w + 8, 8);
  memcpy(&real, w + 12, 8);
  CHECK(sum == 9900 && w[10] == 0 && real == 200.0);
  for (uint32_t i = 0; i < 200; i++) CHECK(results[i] == 5 + i);
  release(w);
}

/* A tree reduction and a product of matrices in dynamic shared memory, in gangs of all sizes. */
static void gangs(void) {
  static const char *const sizes[] = {"1024", "256", "64", "32"};
  for (size_t s = 0; s < 4; s++) {
    sg_config_schedule("gang", sizes[s]);
    SgModule *m = load(HEAD ".extern .shared .align 4 .b8 s[];\n" ENTRY(
        "k") "mul.wide.u32 %d5,%t,4; mov.u64 %d6,s; add.s64 %d7,%d6,%d5; mul.lo.s32 %r5,%i,%i; st.shared.u32 "
             "[%d7],%r5; bar.sync 0;\n"
             "mov.u32 %r6,256;\nTOP: setp.ge.u32 %p1,%t,%r6; @%p1 bra SKIP; mul.wide.u32 %d8,%r6,4; add.s64 "
             "%d9,%d7,%d8; ld.shared.u32 %r7,[%d7]; ld.shared.u32 %r8,[%d9];\n"
             "add.s32 %r7,%r7,%r8; st.shared.u32 [%d7],%r7;\nSKIP: bar.sync 0; shr.u32 %r6,%r6,1; "
             "setp.ne.s32 %p2,%r6,0; @%p2 bra TOP;\nld.shared.u32 %r9,[s];\n" STORE("%r9"));
    SgFault fault;
    memset(results, 0, RESULTS * 4);
    if (m)
      CHECK(launch3(m, "k", (uint32_t[]){4, 1, 1}, (uint32_t[]){512, 1, 1}, 2048, &(Two){NULL, results},
                    &fault) == 0);
    for (uint32_t b = 0; b < 4; b++) {
      uint32_t want = 0;
      for (uint32_t i = 0; i < 512; i++) want += (b * 512 + i) * (b * 512 + i);
      for (uint32_t i = 0; i < 512; i++) CHECK(results[b * 512 + i] == want);
    }
    sg_module_unload(m);
  }
  sg_config_schedule("gang", "1024");
  spin_lock();
  warps();
}

/* ---- faults ------------------------------------------------------------------------------------ */

static SgFault last;
static int fails(const char *text, uint32_t blocks, uint32_t threads, const void *a, void *b) {
  SgModule *m = load(text);
  const int code = m ? launch(m, "k", blocks, threads, &(Two){a, b}, &last) : -1;
  sg_module_unload(m);
  return code;
}
static bool says(const char *words) {
  if (strstr(last.text, words)) return true;
  printf("# expected \"%s\" in \"%s\"\n", words, last.text);
  return false;
}

static void bounds(void) {
  uint32_t *a = device(400);
  /* The first thread beyond the end is named, not one that is off. */
  CHECK(fails(HEAD ".file 1 \"some.cu\"\n" ENTRY("k") ".loc 1 12 3\n" OUT "st.global.u32 [%d4],%i; ret; }\n",
              2, 64, NULL, a) == 700);
  CHECK(last.block[0] == 1 && last.thread[0] == 36 && last.address == (uint64_t)(uintptr_t)a + 400 &&
        last.bytes == 4);
  CHECK(strcmp(last.file, "some.cu") == 0 && last.line == 12 && strcmp(last.kernel, "k") == 0 &&
        last.ptx_line > 4);
  CHECK(says("store of 4 bytes") && says("right after the end") && says("400 bytes at"));
  for (uint32_t i = 0; i < 64; i++) CHECK(a[i] == i);
  CHECK(fails(HEAD ENTRY("k") "setp.ne.u32 %p1,%i,70; " OUT
                              "add.s64 %d5,%d4,4000; @!%p1 ld.global.u32 %r5,[%d5]; ret; }\n",
              1, 128, NULL, a) == 700);
  CHECK(last.thread[0] == 70 && says("load of 4 bytes"));
  /* Lanes that are off may hold any address. */
  CHECK(fails(HEAD ENTRY("k") "setp.lt.u32 %p1,%i,100; " OUT
                              "mul.lo.u64 %d3,%d3,1; @%p1 st.global.u32 [%d4],%i; @!%p1 bra END; "
                              "ld.global.u32 %r5,[%d4]; END: ret; }\n",
              1, 1024, NULL, a) == 0);
  CHECK(fails(HEAD ENTRY(
                  "k") "setp.lt.u32 %p1,%i,100; " OUT
                       "@%p1 mul.lo.u64 %d5,%d3,1; add.s64 %d5,%d3,%d2; @!%p1 bra END; and.b32 %r5,%i,3; "
                       "setp.eq.s32 %p2,%r5,0; @%p2 bra END; st.global.u32 [%d5],%i; END: ret; }\n",
              1, 1000, NULL, a) == 0);
  CHECK(fails(HEAD ENTRY("k") OUT "st.global.v2.u32 [%d4],{%i,%i}; ret; }\n", 1, 32, NULL, a) == 716 &&
        last.thread[0] == 1 && last.bytes == 8 && says("misaligned"));
  CHECK(fails(HEAD ENTRY("k") OUT "add.s64 %d4,%d4,392; setp.eq.s32 %p1,%i,0; @%p1 ld.global.v4.u32 "
                                  "{%r5,%r6,%r7,%r8},[%d4]; ret; }\n",
              1, 32, NULL, a + 2) == 700 &&
        last.bytes == 16);
  CHECK(fails(HEAD ENTRY("k") "ld.global.u32 %r5,[%d1+8]; " STORE("%r5"), 1, 32, NULL, a) == 700 &&
        says("null pointer"));
  uint32_t *host = malloc(256);
  CHECK(fails(HEAD ENTRY("k") "ld.global.u32 %r5,[%d1]; " STORE("%r5"), 1, 32, host, a) == 700 &&
        says("host pointer"));
  free(host);
  uint32_t *gone = device(1024);
  release(gone);
  CHECK(fails(HEAD ENTRY("k") "ld.global.u32 %r5,[%d1+16]; " STORE("%r5"), 1, 32, gone, a) == 700 &&
        says("freed"));
  CHECK(fails(HEAD ".const .u32 c[4];\n" ENTRY(
                  "k") "mov.u64 %d5,c; cvta.const.u64 %d5,%d5; st.u32 [%d5],1; ret; }\n",
              1, 32, NULL, a) == 700 &&
        says("constant memory"));
  CHECK(fails(HEAD ENTRY("k") ".shared .b32 s[16]; mul.wide.u32 %d5,%t,4; mov.u64 %d6,s; add.s64 "
                              "%d7,%d6,%d5; st.shared.u32 [%d7],1; ret; }\n",
              1, 32, NULL, a) == 700);
  CHECK(last.thread[0] == 16 && says("shared address 0x40") && says("64 bytes of shared memory"));
  CHECK(fails(HEAD ENTRY("k") ".local .b32 s[4]; mul.wide.u32 %d5,%t,4; mov.u64 %d6,s; add.s64 %d7,%d6,%d5; "
                              "cvta.local.u64 %d7,%d7; st.u32 [%d7],1; ret; }\n",
              1, 32, NULL, a) == 700);
  CHECK(last.thread[0] == 4 && says("local memory"));
  CHECK(fails(HEAD ENTRY("k") "atom.global.add.u32 %r5,[%d2+2],1; ret; }\n", 1, 32, NULL, a) == 716 &&
        says("atomic"));
  /* Half of the addresses in one allocation, half in another: no fault. */
  uint32_t *b = device(400);
  CHECK(fails(HEAD ENTRY("k") "and.b32 %r5,%i,1; setp.eq.s32 %p1,%r5,0; selp.b64 %d5,%d1,%d2,%p1; "
                              "mul.wide.u32 %d3,%i,4; add.s64 %d6,%d5,%d3; st.global.u32 [%d6],%i; ret; }\n",
              1, 100, a, b) == 0);
  CHECK(a[98] == 98 && b[99] == 99);
  release(a);
  release(b);
}

static void stops(void) {
  uint32_t *a = device(400);
  CHECK(fails(HEAD ENTRY("k") "setp.eq.u32 %p1,%i,40; @%p1 trap; ret; }\n", 1, 64, NULL, a) == 719 &&
        last.thread[0] == 40 && says("trap"));
  CHECK(fails(HEAD ENTRY("k") "setp.lt.u32 %p1,%t,8; @%p1 bra A; bar.sync 0; ret; A: bar.sync 1; ret; }\n", 1,
              64, NULL, a) == 719);
  CHECK(says("deadlock") && says("barrier 0") && says("barrier 1") && says("56 of 64"));
  CHECK(fails(HEAD ENTRY("k") "setp.lt.u32 %p1,%t,8; @%p1 bra A; shfl.sync.bfly.b32 %r5,%t,1,31,-1; ret; A: "
                              "bar.sync 0; ret; }\n",
              1, 32, NULL, a) == 719 &&
        says("lanes of their warp"));
  sg_config.timeout = 0.2;
  CHECK(fails(HEAD ENTRY(
                  "k") "W: ld.volatile.global.u32 %r5,[%d2]; setp.eq.s32 %p1,%r5,0; @%p1 bra W; ret; }\n",
              2, 64, NULL, a) == 702 &&
        says("deadlock"));
  CHECK(fails(HEAD ENTRY("k") "W: add.s32 %r5,%r5,1; bra W; }\n", 1, 64, NULL, a) == 702 &&
        says("CUDALUA_SOFT_TIMEOUT"));
  sg_config.timeout = 0;
  CHECK(fails(HEAD ENTRY("k") "ts: .branchtargets A; brx.idx %t, ts; A: ret; }\n", 1, 64, NULL, a) == 719 &&
        last.thread[0] == 1 && says("brx.idx"));
  release(a);
}

static void bad_calls(void) {
  uint32_t *a = device(400);
  const char *forever =
      HEAD ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %a<4>; ld.param.b32 %a1,[n]; "
           "add.s32 %a2,%a1,1; { .param .b32 p; .param .b32 q; st.param.b32 [p],%a2; call (q), f, "
           "(p); ld.param.b32 %a3,[q]; } add.s32 %a3,%a3,%a1; st.param.b32 [r],%a3; ret; }\n" ENTRY(
               "k") "setp.ne.s32 %p1,%t,40; @%p1 bra E; { .param .b32 p; .param .b32 q; st.param.b32 "
                    "[p],%i; call (q), f, (p); ld.param.b32 %r5,[q]; } E: ret; }\n";
  CHECK(fails(forever, 1, 64, NULL, a) == 700 && last.thread[0] == 40 && says("stack overflow") &&
        says("CU_LIMIT_STACK_SIZE is 1024"));
  const char *through =
      HEAD ENTRY("k") "mul.wide.u32 %d5,%t,16; add.s64 %d5,%d5,%d1; type: .callprototype _ (); "
                      "setp.lt.u32 %p1,%t,8; @%p1 bra E; call %d5, type; E: ret; }\n";
  CHECK(fails(through, 1, 64, NULL, a) == 718 && last.thread[0] == 8 && says("0x80") && says("no function"));
  CHECK(
      fails(HEAD ENTRY("k") "shl.b32 %r6,1,%t; not.b32 %r6,%r6; shfl.sync.bfly.b32 %r5,%t,1,31,%r6; ret; }\n",
            1, 32, NULL, a) == 715 &&
      last.thread[0] == 0 && says("member mask 0xfffffffe"));
  CHECK(
      fails(HEAD ENTRY("k") "setp.lt.u32 %p1,%t,4; @%p1 bra E; mov.u32 %r6,0xffffffe0; vote.sync.ballot.b32 "
                            "%r5,%p1,%r6; E: ret; }\n",
            1, 32, NULL, a) == 715 &&
      last.thread[0] == 4);
  release(a);
}

/* A form that this machine has not: its kernel cannot run, the others of the module can. */
static void missing(void) {
  SgModule *m =
      load(HEAD ".visible .entry bad() { .reg .b32 %r<4>; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                "{%r1}, [0], 16;\n ret; }\n" ENTRY("k") STORE("%i"));
  SgFault fault;
  if (!m) return;
  CHECK(sg_module_nkernels(m) == 2 && !sg_kernel_missing(sg_module_kernel(m, "k")));
  const char *why = sg_kernel_missing(sg_module_kernel(m, "bad"));
  CHECK(why && strstr(why, "line 4") && strstr(why, "wmma.load.a"));
  CHECK(launch(m, "bad", 1, 1, NULL, &fault) == 801 && strstr(fault.text, "wmma.load.a"));
  CHECK(launch(m, "k", 1, 32, &(Two){NULL, results}, &fault) == 0);
  sg_module_unload(m);
}

/* A newer version of PTX may have instructions that this machine does not know. */
static void newer_version(void) {
#define NEWER_HEAD ".version 9.9\n.target sm_80\n.address_size 64\n"
  SgModule *m = load(
      NEWER_HEAD ".visible .entry bad() { .reg .b32 %r<4>;\n frobnicate.b32 %r1,%r2;\n ret; }\n" ENTRY("k")
          STORE("%i"));
  SgFault fault;
  if (!m) return;
  const char *why = sg_kernel_missing(sg_module_kernel(m, "bad"));
  CHECK(why && strstr(why, "line 5: unsupported instruction `frobnicate.b32`") &&
        strstr(why, "the module has PTX version 9.9, and this device knows PTX up to version 9.0"));
  CHECK(launch(m, "k", 1, 32, &(Two){NULL, results}, &fault) == 0);
  sg_module_unload(m);
}

static void rejected(void) {
  SgDiag diag;
  int code;
#define REJECTS(source, words)                                                                               \
  (diag.text[0] = 0, code = 0,                                                                               \
   !sg_module_load(0, 1, source, strlen(source), &diag, &code) && code == 218 && strstr(diag.text, words) && \
       diag.line > 0)
  CHECK(REJECTS(HEAD ENTRY("k") "frobnicate.b32 %r5,%r6;\n ret; }\n",
                "unsupported instruction `frobnicate.b32`"));
  CHECK(REJECTS(HEAD ENTRY("k") "add.quick.s32 %r5,%r6,1; ret; }\n",
                "unsupported instruction `add.quick.s32`"));
  CHECK(diag.line == 8);
  CHECK(REJECTS(HEAD ENTRY("k") "add.s32 %r5,%d6,1; ret; }\n", "does not fit"));
  CHECK(REJECTS(HEAD ENTRY("k") "add.s32 %r5,%r6; ret; }\n", "operands"));
  CHECK(REJECTS(HEAD ENTRY("k") "ld.param.u64 %d5,[a+12]; ret; }\n", "param"));
  CHECK(REJECTS(HEAD ".extern .func vanished();\n" ENTRY("k") "call vanished; ret; }\n", "vanished"));
  CHECK(REJECTS(HEAD "garbage\n", ""));
  /* What no kernel reaches may be anything. */
  SgModule *m =
      load(HEAD ".func odd() { .reg .b32 %r; frobnicate.b32 %r,%r; ret; }\n" ENTRY("k") STORE("%i"));
  CHECK(m != NULL);
  sg_module_unload(m);
}

/* Every prefix of a module, and the module with one byte changed, loads or fails, but never more than that.
 */
static void broken(const char *text) {
  SgDiag diag;
  int code;
  const size_t len = strlen(text);
  for (size_t n = 0; n <= len; n++) sg_module_unload(sg_module_load(0, 1, text, n, &diag, &code));
  char *copy = strdup(text);
  for (int i = 0; i < 4000; i++) {
    const size_t at = rnd() % len;
    copy[at] = rnd() % 3 ? text[rnd() % len] : (char)rnd();
    sg_module_unload(sg_module_load(0, 1, copy, len, &diag, &code));
    copy[at] = text[at];
  }
  free(copy);
}

static void broken_text(void) {
  broken(HEAD
         ".global .u32 v[2] = {1, 2};\n.func (.param .b32 r) f(.param .b32 x) { .reg .b32 %a; ld.param.b32 "
         "%a,[x]; st.param.b32 [r],%a; ret; }\n" ENTRY(
             "k") ".shared .b32 s[4]; { .param .b32 p; .param .b32 q; st.param.b32 [p],%i; call (q), f, "
                  "(p); ld.param.b32 %r5,[q]; } setp.eq.s32 %p1,%r5,1; @%p1 bra E; bar.sync 0; "
                  "ld.global.v2.u32 {%r6,%r7},[v]; cvt.rn.f32.s32 %f1,%r6; shfl.sync.up.b32 "
                  "%r8|%p2,%r7,1,0,-1; atom.shared.add.u32 %r9,[s],1; E: " STORE("%r5"));
  broken(HEAD ".func (.param .b32 r) fib(.param .b32 n);\n.global .u64 table[2] = {fib, fib};\n" FIB ENTRY(
      "k") ".shared .align 16 .b8 s[64]; ld.global.u64 %d5,[table]; { .param .b32 p0; .param .b32 q0; "
           "st.param.b32 "
           "[p0],%i; type: .callprototype (.param .b32 _) _ (.param .b32 _); call (q0), %d5, (p0), type; "
           "ld.param.b32 "
           "%r5,[q0]; } cp.async.ca.shared.global [s],[table],8,%r5; mbarrier.init.shared.b64 [s],1; "
           "mbarrier.arrive.shared.b64 %d6,[s]; set.lt.f16x2.f16x2 %r6,%r5,%r5; vadd4.u32.u32.u32 "
           "%r7,%r6,%r5,%r5; "
           "elect.sync %r8|%p1,-1;\n" STORE("%r5"));
}

int main(void) {
  sg_config_load();
  sg_config.timeout = 0;
  if (!sg_arena_open(1, (uint64_t)1 << 30)) return 2;
  results = device(RESULTS * 4);
  run("variables", variables);
  run("parameters", parameters);
  run("spaces", spaces);
  run("vectors", vectors);
  run("shapes of accesses", shapes);
  run("divergence", divergence);
  run("exits", exits);
  run("barriers", barriers);
  run("warps", warps);
  run("carry chain", carry);
  run("predicates", predicates);
  run("parts of words", parts_of_words);
  run("local memory", local_memory);
  run("calls", calls);
  run("recursion", recursion);
  run("calls through pointers", pointers);
  run("many calls", many_calls);
  run("copies into shared memory", copies);
  run("barriers in memory", memory_barriers);
  run("newer forms", newer_forms);
  run("special registers", special_registers);
  run("spin lock", spin_lock);
  run("grid barrier", grid_barrier);
  run("atomics", atomics);
  run("gang sizes", gangs);
  run("bounds", bounds);
  run("stops", stops);
  run("bad calls", bad_calls);
  run("missing forms", missing);
  run("a newer version of PTX", newer_version);
  run("rejected modules", rejected);
  run("broken text", broken_text);
  release(results);
  printf("1..%d\n", ncases);
  return nfailed != 0;
}
