/* bar and barrier: threads wait for each other, all or those of some warps; what they vote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "form.h"
#include "operands.h"

enum { MOST_THREADS = 256 };

/* Before the barrier each thread stores; behind it, it reads what another one stored. %g: the thread's vote.
 */
static const char begins[] = PTX_HEAD
    ".visible .entry k(.param .u64 in, .param .u64 out) { .shared .align 4 .b8 s[1024]; .reg .pred %g, %d, "
    "%w, %v; .reg .b32 "
    "%r<12>; .reg .b64 %x<8>;\n"
    "ld.param.u64 %x0,[in]; ld.param.u64 %x1,[out]; mov.u32 %r0,%tid.x; cvt.u64.u32 %x2,%r0; add.u64 "
    "%x3,%x0,%x2; "
    "ld.global.u8 %r1,[%x3]; setp.ne.u32 %g,%r1,0; mul.wide.u32 %x4,%r0,4; add.u64 %x1,%x1,%x4; mov.u32 "
    "%r2,s; "
    "cvt.u32.u64 %r3,%x4; add.u32 %r2,%r2,%r3; mul.lo.u32 %r4,%r0,3; shr.u32 %r5,%r0,5; and.b32 %r6,%r5,1; "
    "setp.eq.u32 %w,%r6,1; mov.u32 %r7,0; mov.u32 %r9,%ntid.x;\n";
/* The thread that lies opposite in the block. */
static const char ends[] = "mov.u32 %r10,s; sub.u32 %r8,%r9,%r0; sub.u32 %r8,%r8,1; mad.lo.u32 "
                           "%r10,%r8,4,%r10; ld.shared.u32 %r11,[%r10]; "
                           "mad.lo.u32 %r7,%r7,100000,%r11; st.global.u32 [%x1],%r7; ret; }\n";

typedef struct Votes {
  uint8_t *in;
  uint32_t *out;
} Votes;

static void run(const Form *f, const char *code, uint32_t threads,
                uint32_t (*want)(const Form *f, const uint8_t *votes, uint32_t n, uint32_t threads)) {
  Votes v = {device_memory(MOST_THREADS), device_memory(MOST_THREADS * 4)};
  Text t = {0};
  put(&t, "%s%s%s", begins, code, ends);
  SgModule *m = module_load(t.p, true);
  for (int kind = 0; m && kind < 4; kind++) {
    for (uint32_t n = 0; n < threads; n++)
      v.in[n] = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? n == 40 : any_bits() >> 63 != 0;
    memset(v.out, 0, MOST_THREADS * 4);
    if (!run_kernel(m, "k", 1, threads, &v)) break;
    for (uint32_t n = 0; n < threads; n++) {
      const uint32_t expected = want(f, v.in, n, threads);
      if (v.out[n] != expected)
        wrong("%s, %u threads, thread %u: %u, not %u", f->text, threads, n, v.out[n], expected);
    }
  }
  sg_module_unload(m);
  free(t.p);
  device_free(v.in);
  device_free(v.out);
}

static uint32_t opposite(uint32_t n, uint32_t threads) { return (threads - 1 - n) * 3; }

static uint32_t waited(const Form *f, const uint8_t *votes, uint32_t n, uint32_t threads) {
  (void)f;
  (void)votes;
  return opposite(n, threads);
}

static uint32_t counted(const Form *f, const uint8_t *votes, uint32_t threads, bool negated) {
  uint32_t yes = 0;
  for (uint32_t i = 0; i < threads; i++) yes += (votes[i] != 0) != negated;
  return has(f, "popc") ? yes : has(f, "and") ? yes == threads : yes != 0;
}
static uint32_t voted(const Form *f, const uint8_t *votes, uint32_t n, uint32_t threads) {
  return counted(f, votes, threads, false) * 100000 + opposite(n, threads);
}
static uint32_t voted_negated(const Form *f, const uint8_t *votes, uint32_t n, uint32_t threads) {
  return counted(f, votes, threads, true) * 100000 + opposite(n, threads);
}

/* Threads of the odd warps vote at a barrier of their own, of which %r7 tells; the others do not. */
static uint32_t some_voted(const Form *f, const uint8_t *votes, uint32_t n, uint32_t threads) {
  uint32_t yes = 0, all = 0;
  for (uint32_t i = 0; i < threads; i++)
    if (i / 32 % 2) {
      yes += votes[i] != 0;
      all++;
    }
  const uint32_t result = has(f, "popc") ? yes : has(f, "and") ? yes == all : yes != 0;
  return (n / 32 % 2 ? result : 0) * 100000 + opposite(n, threads);
}

static bool reduces(const Form *f) {
  static const uint32_t sizes[] = {128, 75};
  const bool counts = has(f, "popc");
  const char *d = counts ? "%r7" : "%d", *after = counts ? "" : "selp.u32 %r7,1,0,%d;";
  char code[400];
  for (size_t i = 0; i < 2; i++) {
    snprintf(code, sizeof code, "st.shared.u32 [%%r2],%%r4; %s %s,3,%%g; %s\n", f->text, d, after);
    run(f, code, sizes[i], voted);
    snprintf(code, sizeof code, "st.shared.u32 [%%r2],%%r4; mov.u32 %%r8,5; %s %s,%%r8,!%%g; %s\n", f->text,
             d, after);
    run(f, code, sizes[i], voted_negated);
  }
  snprintf(code, sizeof code,
           "st.shared.u32 [%%r2],%%r4; setp.ne.u32 %%d,0,0; @%%w %s %s,7,64,%%g; %s bar.sync 0;\n", f->text,
           d, after);
  run(f, code, 128, some_voted);
  return true;
}

static void waits(const Form *f) {
  static const uint32_t sizes[] = {128, 75, 1, 32};
  char code[500];
  for (size_t i = 0; i < 4; i++) {
    snprintf(code, sizeof code, "st.shared.u32 [%%r2],%%r4; %s 0;\n", f->text);
    run(f, code, sizes[i], waited);
    snprintf(code, sizeof code, "st.shared.u32 [%%r2],%%r4; mov.u32 %%r8,15; %s %%r8;\n", f->text);
    run(f, code, sizes[i], waited);
  }
  /* Pairs of warps wait for each other, and again; then all do. */
  snprintf(code, sizeof code,
           "shr.u32 %%r8,%%r5,1; add.u32 %%r8,%%r8,1; mov.u32 %%r6,64; %s %%r8,64; %s %%r8,%%r6; "
           "st.shared.u32 [%%r2],%%r4; %s 9,128;\n",
           f->text, f->text, f->text);
  run(f, code, 128, waited);
}

/* Threads of the odd warps arrive and go on, those of the even ones wait for them; then all do. */
static void arrives(const Form *f) {
  char code[300];
  snprintf(code, sizeof code, "st.shared.u32 [%%r2],%%r4; @%%w %s 2,128; @!%%w bar.sync 2,128; bar.sync 0;\n",
           f->text);
  run(f, code, 128, waited);
  snprintf(code, sizeof code,
           "st.shared.u32 [%%r2],%%r4; mov.u32 %%r8,4; mov.u32 %%r6,128; @%%w %s %%r8,%%r6; @!%%w bar.sync "
           "4,128; bar.sync 0;\n",
           f->text);
  run(f, code, 128, waited);
}

/* A cluster is a block here: the barrier is in its second half. */
static void of_cluster(const Form *f) {
  char code[300];
  if (has(f, "wait"))
    snprintf(code, sizeof code, "st.shared.u32 [%%r2],%%r4; barrier.cluster.arrive; %s;\n", f->text);
  else
    snprintf(code, sizeof code, "st.shared.u32 [%%r2],%%r4; %s; barrier.cluster.wait;\n", f->text);
  run(f, code, 75, waited);
}

static void of_warp(const Form *f) {
  char code[300];
  snprintf(code, sizeof code,
           "st.shared.u32 [%%r2],%%r4; @%%g add.u32 %%r7,%%r7,0; %s 0xffffffff; bar.sync 0;\n", f->text);
  run(f, code, 128, waited);
}

bool block_barrier(const Form *f) {
  begin(f->text);
  if (has(f, "warp"))
    of_warp(f);
  else if (has(f, "cluster"))
    of_cluster(f);
  else if (has(f, "red"))
    reduces(f);
  else if (has(f, "arrive"))
    arrives(f);
  else
    waits(f);
  finish();
  return true;
}
