/* Tests of how grids are run (src/softgpu/machine/sched.c): the same results for any number of threads, order
 * of blocks and size of gangs; blocks that wait for each other; which error is reported; time limits and
 * deadlocks; and the life of the threads. Prints one TAP line a case; exits non-zero when one fails.
 *
 * schedule_test [LIBRARY]: the software device as a library, to be loaded and unloaded. */
#include "base/config.h"
#include "decode/kernel.h"
#include "machine/block_order.h"
#include "machine/gang.h"
#include "machine/workers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

static int ncases, nfailed;
static bool case_ok;

static void check(bool ok, int line, const char *what) {
  if (ok) return;
  if (case_ok) printf("# line %d: %s\n", line, what);
  case_ok = false;
}
#define CHECK(c) check((c), __LINE__, #c)

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run(const char *name, void (*f)(void)) {
  case_ok = true;
  sg_config_schedule("threads", "1");
  sg_config_schedule("order", "forward");
  sg_config_schedule("gang", "1024");
  sg_config_schedule("timeout", "60");
  const double start = seconds();
  f();
  ncases++;
  nfailed += !case_ok;
  printf("%s %d - %s # %.1f s\n", case_ok ? "ok" : "not ok", ncases, name, seconds() - start);
  fflush(stdout);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

/* %t thread, %b block, %n blocks, %i both; %d1 and %d2 the parameters, %d4 where out[%i] is. */
#define BEGIN(name)                                                                                          \
  ".visible .entry " name "(.param .u64 a, .param .u64 out) {\n"                                             \
  ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b32 %t, %b, %n, %i; .reg .b64 %d<20>; .reg .f32 %f<8>;\n"       \
  "mov.u32 %t,%tid.x; mov.u32 %b,%ctaid.x; mov.u32 %n,%nctaid.x; mov.u32 %r1,%ntid.x;\n"                     \
  "mad.lo.s32 %i,%b,%r1,%t; ld.param.u64 %d1,[a]; ld.param.u64 %d2,[out];\n"                                 \
  "mul.wide.u32 %d3,%i,4; add.s64 %d4,%d2,%d3;\n"
#define END "ret; }\n"
#define TEN DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE DIVIDE
#define DIVIDE "or.b32 %r3,%r4,1; rem.u32 %r2,%r2,%r3; div.u32 %r5,%r2,%r3; add.u32 %r2,%r5,%r2;\n"

static const char source[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
    /* nothing ties these together: a loop that threads leave at different times, with divergence */
    BEGIN(
        "mix") "mov.u32 %r2,%i; mov.u32 %r3,0;\n"
               "L: and.b32 %r4,%r2,1; setp.eq.u32 %p1,%r4,0; @%p1 bra EVEN;\n"
               "mad.lo.u32 %r2,%r2,3,1; bra NEXT;\nEVEN: shr.u32 %r2,%r2,1;\n"
               "NEXT: add.u32 %r3,%r3,1; setp.gt.u32 %p2,%r2,1; setp.lt.u32 %p3,%r3,300; and.pred "
               "%p2,%p2,%p3; "
               "@%p2 bra L;\n"
               "mad.lo.u32 %r3,%r3,1000,%t; st.global.u32 [%d4],%r3;\n" END
                   /* sums that do not depend on the order, and a tree in shared memory */
                   BEGIN(
                       "sums") ".shared .align 4 .b32 s[256]; mul.wide.u32 %d5,%t,4; mov.u64 %d6,s; "
                               "add.s64 %d7,%d6,%d5;\n"
                               "mul.lo.u32 %r2,%i,%i; st.shared.u32 [%d7],%r2; mov.u32 %r3,128;\n"
                               "L: bar.sync 0; setp.ge.u32 %p1,%t,%r3; @%p1 bra SKIP; mul.wide.u32 "
                               "%d8,%r3,4; add.s64 "
                               "%d9,%d7,%d8; ld.shared.u32 %r4,[%d7]; ld.shared.u32 %r5,[%d9]; add.u32 "
                               "%r4,%r4,%r5; "
                               "st.shared.u32 [%d7],%r4;\n"
                               "SKIP: shr.u32 %r3,%r3,1; setp.ne.u32 %p2,%r3,0; @%p2 bra L;\n"
                               "bar.sync 0; ld.shared.u32 %r4,[s]; st.global.u32 [%d4],%r4; "
                               "red.global.add.u32 [%d1],%r4;\n" END
                                   /* the same with an atom whose result nobody reads */
                                   BEGIN(
                                       "dead") "atom.global.add.u32 %r2,[%d1],%i; st.global.u32 "
                                               "[%d4],%i;\n" END
                                                   /* what ties blocks together */
                                                   BEGIN(
                                                       "ticket") "atom.global.add.u32 %r2,[%d1],1; "
                                                                 "st.global.u32 [%d4],%r2;\n" END BEGIN(
                                                                     "floats") "mov.f32 "
                                                                               "%f1,0f3DCCCCCD; "
                                                                               "red.global.add.f32 "
                                                                               "[%d1],%f1; "
                                                                               "st.global.u32 "
                                                                               "[%d4],%i;\n" END BEGIN(
                                                                                   "swap") "atom.global.exch."
                                                                                           "b32 "
                                                                                           "%r2,[%d1],%i; "
                                                                                           "st.global.u32 "
                                                                                           "[%d4],%i;\n" END
                                                                                               BEGIN(
                                                                                                   "two") "re"
                                                                                                          "d."
                                                                                                          "gl"
                                                                                                          "ob"
                                                                                                          "al"
                                                                                                          "."
                                                                                                          "ad"
                                                                                                          "d."
                                                                                                          "u3"
                                                                                                          "2 "
                                                                                                          "[%"
                                                                                                          "d1"
                                                                                                          "],"
                                                                                                          "1;"
                                                                                                          " "
                                                                                                          "re"
                                                                                                          "d."
                                                                                                          "gl"
                                                                                                          "ob"
                                                                                                          "al"
                                                                                                          "."
                                                                                                          "ma"
                                                                                                          "x."
                                                                                                          "u3"
                                                                                                          "2 "
                                                                                                          "[%"
                                                                                                          "d1"
                                                                                                          "],"
                                                                                                          "%i"
                                                                                                          "; "
                                                                                                          "st"
                                                                                                          "."
                                                                                                          "gl"
                                                                                                          "ob"
                                                                                                          "al"
                                                                                                          "."
                                                                                                          "u3"
                                                                                                          "2 "
                                                                                                          "[%"
                                                                                                          "d4"
                                                                                                          "],"
                                                                                                          "%i"
                                                                                                          ";"
                                                                                                          "\n" END
                                                                                                              BEGIN(
                                                                                                                  "poll") "ld.volatile.global.u32 %r2,[%d1]; st.global.u32 [%d4],%r2;\n" END
                                                                                                                  BEGIN(
                                                                                                                      "tell") "st.release.gpu.global.u32 [%d1],%i; st.global.u32 [%d4],%i;\n" END
                                                                                                                      BEGIN(
                                                                                                                          "nap") "nanosleep.u32 20; st.global.u32 [%d4],%i;\n" END
                                                                                                                          BEGIN(
                                                                                                                              "time") "mov.u64 %d5,%clock64; st.global.u32 [%d4],%i;\n" END
                                                                                                                              /* not these: shared memory is a block's own */
                                                                                                                              BEGIN("own") ".shared .align 4 .b32 s; atom.shared.add.u32 %r2,[s],1; ld.volatile.shared.u32 %r3,[s]; "
                                                                                                                                           "st.global.u32 [%d4],%i;\n" END
                                                                                                                                           ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
                                                                                                                                           ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n" BEGIN("print") "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x],0; st.param.b64 [y],0; call (z), "
                                                                                                                                                                                                                                                                     "vprintf, (x, y); }\n" END
                                                                                                                                                                                                                                                                     /* blocks from number *a on fail, the lower ones at once, the higher ones after a while */
                                                                                                                                                                                                                                                                     ".global .align 1 .b8 what[6] = {119, 114, 111, 110, 103, 0};\n" BEGIN("assert") "ld.global.u32 %r2,[%d1]; setp.lt.u32 %p1,%b,%r2; @%p1 bra OK; sub.u32 %r3,%n,%b; mul.lo.u32 "
                                                                                                                                                                                                                                                                                                                                                      "%r3,%r3,40;\n"
                                                                                                                                                                                                                                                                                                                                                      "L: sub.u32 %r3,%r3,1; setp.gt.s32 %p2,%r3,0; @%p2 bra L;\nmov.u64 %d5,what;\n"
                                                                                                                                                                                                                                                                                                                                                      "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 c; st.param.b64 "
                                                                                                                                                                                                                                                                                                                                                      "[m],%d5; st.param.b64 [f],%d5; st.param.b32 [l],%b; st.param.b64 [n],%d5; st.param.b64 [c],1; "
                                                                                                                                                                                                                                                                                                                                                      "call __assertfail, (m, f, l, n, c); }\nOK: " END BEGIN(
                                                                                                                                                                                                                                                                                                                                                          "stray") "ld.global.u32 %r2,[%d1]; setp.lt.u32 %p1,%b,%r2; sub.u32 %r3,%n,%b; @%p1 mov.u32 %r3,%n; "
                                                                                                                                                                                                                                                                                                                                                                   "mul.lo.u32 %r3,%r3,40;\n"
                                                                                                                                                                                                                                                                                                                                                                   "L: sub.u32 %r3,%r3,1; setp.gt.s32 %p2,%r3,0; @%p2 bra L;\n"
                                                                                                                                                                                                                                                                                                                                                                   "@!%p1 st.global.u32 [8],%r3; st.global.u32 [%d4],%i;\n" END
                                                                                                                                                                                                                                                                                                                                                                       /* a chain: block b waits for the flag of block b - 1 */
                                                                                                                                                                                                                                                                                                                                                                       BEGIN(
                                                                                                                                                                                                                                                                                                                                                                           "chain") "setp.ne.u32 %p1,%t,0; @%p1 bra OUT; setp.eq.u32 %p2,%b,0; mov.u32 %r2,0; mul.wide.u32 %d5,%b,4; "
                                                                                                                                                                                                                                                                                                                                                                                    "add.s64 %d6,%d1,%d5; @%p2 bra GO;\n"
                                                                                                                                                                                                                                                                                                                                                                                    "WAIT: ld.acquire.gpu.global.u32 %r2,[%d6+-4]; setp.eq.u32 %p3,%r2,0; @%p3 bra WAIT;\n"
                                                                                                                                                                                                                                                                                                                                                                                    "GO: add.u32 %r2,%r2,%b; add.u32 %r2,%r2,1; st.release.gpu.global.u32 [%d6],%r2; mul.wide.u32 "
                                                                                                                                                                                                                                                                                                                                                                                    "%d7,%b,4; add.s64 %d8,%d2,%d7; st.global.u32 [%d8],%r2;\nOUT: " END
                                                                                                                                                                                                                                                                                                                                                                                        /* the other way: block b waits for that of block b + 1, within pairs */
                                                                                                                                                                                                                                                                                                                                                                                        BEGIN(
                                                                                                                                                                                                                                                                                                                                                                                            "pairs") "mul.wide.u32 %d5,%b,4; add.s64 %d6,%d1,%d5; and.b32 %r2,%b,1; setp.eq.u32 %p1,%r2,1; @%p1 bra "
                                                                                                                                                                                                                                                                                                                                                                                                     "PRODUCE;\n"
                                                                                                                                                                                                                                                                                                                                                                                                     "WAIT: ld.volatile.global.u32 %r3,[%d6+4]; setp.eq.u32 %p2,%r3,0; @%p2 bra WAIT;\n"
                                                                                                                                                                                                                                                                                                                                                                                                     "st.global.u32 [%d4],%r3; ret;\n"
                                                                                                                                                                                                                                                                                                                                                                                                     "PRODUCE: add.u32 %r4,%b,7; st.global.u32 [%d4],%r4; bar.sync 0; st.volatile.global.u32 "
                                                                                                                                                                                                                                                                                                                                                                                                     "[%d6],%r4;\n" END
                                                                                                                                                                                                                                                                                                                                                                                                         /* every thread takes a lock and counts */
                                                                                                                                                                                                                                                                                                                                                                                                         BEGIN(
                                                                                                                                                                                                                                                                                                                                                                                                             "lock") "TRY: atom.global.cas.b32 %r2,[%d1],0,1; setp.ne.s32 %p1,%r2,0; @%p1 bra TRY;\n"
                                                                                                                                                                                                                                                                                                                                                                                                                     "membar.gl; ld.volatile.global.u32 %r3,[%d1+4]; add.u32 %r3,%r3,1; st.volatile.global.u32 "
                                                                                                                                                                                                                                                                                                                                                                                                                     "[%d1+4],%r3; membar.gl; atom.global.exch.b32 %r4,[%d1],0; st.global.u32 [%d4],%i;\n" END
                                                                                                                                                                                                                                                                                                                                                                                                                         /* all blocks meet, three times */
                                                                                                                                                                                                                                                                                                                                                                                                                         BEGIN(
                                                                                                                                                                                                                                                                                                                                                                                                                             "meet") "mov.u32 %r6,0;\nROUND: bar.sync 0; setp.ne.u32 %p1,%t,0; @%p1 bra JOIN; add.u32 %r6,%r6,1; "
                                                                                                                                                                                                                                                                                                                                                                                                                                     "mul.lo.u32 %r5,%n,%r6; membar.gl; red.global.add.u32 [%d1],1;\n"
                                                                                                                                                                                                                                                                                                                                                                                                                                     "WAIT: ld.volatile.global.u32 %r2,[%d1]; setp.lt.u32 %p2,%r2,%r5; @%p2 bra WAIT;\n"
                                                                                                                                                                                                                                                                                                                                                                                                                                     "membar.gl; bra SEEN;\nJOIN: add.u32 %r6,%r6,1;\nSEEN: bar.sync 0; setp.lt.u32 %p3,%r6,3; @%p3 bra "
                                                                                                                                                                                                                                                                                                                                                                                                                                     "ROUND;\nld.volatile.global.u32 %r2,[%d1]; setp.ge.u32 %p4,%r2,%n; selp.u32 %r3,1,0,%p4; "
                                                                                                                                                                                                                                                                                                                                                                                                                                     "st.global.u32 [%d4],%r3;\n" END
                                                                                                                                                                                                                                                                                                                                                                                                                                         /* what never ends: with a state that never comes again, or always */
                                                                                                                                                                                                                                                                                                                                                                                                                                         BEGIN(
                                                                                                                                                                                                                                                                                                                                                                                                                                             "busy") "L: add.u32 %r2,%r2,1; mul.lo.u32 %r3,%r2,%r2; xor.b32 %r2,%r3,%r2; or.b32 %r2,%r2,1; add.u32 "
                                                                                                                                                                                                                                                                                                                                                                                                                                                     "%r4,%r4,1; bra L; }\n" /* few blocks, each with much to do */
    BEGIN("slow") "mov.u32 %r4,0; mov.u32 %r2,%i;\nL: " DIVIDE
                  "add.u32 %r4,%r4,1; setp.lt.u32 %p1,%r4,3000; @%p1 bra "
                  "L; st.global.u32 [%d4],%r2;\n" END /* ... with much in a round */
                      BEGIN("long") "mov.u32 %r2,%i; L: " TEN TEN TEN TEN "add.u32 %r4,%r4,1; bra L; }\n"
    /* not endless, though registers are in the same state again and again */
    BEGIN(
        "counting") "L: red.global.add.u32 [%d1],1; ld.volatile.global.u32 %r2,[%d1]; setp.lt.u32 "
                    "%p1,%r2,200000; mov.u32 %r2,0; @%p1 bra L; st.global.u32 [%d4],%i;\n" END BEGIN(
                        "flag") "L: ld.volatile.global.u32 %r2,[%d1]; setp.eq.u32 %p1,%r2,0; @%p1 bra "
                                "L;\nst.global.u32 "
                                "[%d4],%r2;\n" END BEGIN(
                                    "half") "setp.gt.u32 %p1,%b,0; @%p1 bra OUT; setp.lt.u32 %p2,%t,32; @%p2 "
                                            "bra L; bar.sync 0; bra OUT;\n"
                                            "L: add.u32 %r2,%r2,1; bra L;\nOUT: " END BEGIN(
                                                "mbar") ".shared .align 8 .b64 m; setp.ne.u32 %p1,%t,0; @%p1 "
                                                        "bra L; mbarrier.init.shared.b64 [m],5;\n"
                                                        "L: bar.sync 0; mbarrier.arrive.shared.b64 %d5,[m];\n"
                                                        "W: mbarrier.test_wait.shared.b64 %p2,[m],%d5; @!%p2 "
                                                        "bra W;\nst.global.u32 [%d4],%i;\n" END
                                                            /* two locks, taken in both orders */
                                                            BEGIN(
                                                                "cross") "and.b32 %r2,%b,1; mul.wide.u32 "
                                                                         "%d5,%r2,4; add.s64 %d6,%d1,%d5; "
                                                                         "xor.b32 %r2,%r2,1; mul.wide.u32 "
                                                                         "%d5,%r2,4; add.s64 %d7,%d1,%d5;\n"
                                                                         "A: atom.global.cas.b32 "
                                                                         "%r3,[%d6],0,1; setp.ne.u32 "
                                                                         "%p1,%r3,0; @%p1 bra A;\n"
                                                                         "red.global.add.u32 [%d1+8],1;\nM: "
                                                                         "ld.volatile.global.u32 "
                                                                         "%r4,[%d1+8]; setp.lt.u32 "
                                                                         "%p3,%r4,2; "
                                                                         "@%p3 bra M;\n"
                                                                         "B: atom.global.cas.b32 "
                                                                         "%r3,[%d7],0,1; setp.ne.u32 "
                                                                         "%p2,%r3,0; @%p2 bra B;\n"
                                                                         "st.global.u32 [%d4],%i;\n" END
                                                                             /* barriers */
                                                                             BEGIN("arms") "setp.lt.u32 "
                                                                                           "%p1,%t,8; @%p1 "
                                                                                           "bra A; bar.sync "
                                                                                           "0; ret; A: "
                                                                                           "bar.sync 1;\n" END BEGIN("many") "bar.sync 0,128;\n" END
                                                                                               BEGIN("gone") "setp.lt.u32 %p1,%t,32; @%p1 exit; bar.sync 2,64;\n" END
                                                                                                   BEGIN(
                                                                                                       "name"
                                                                                                       "d") "mov.u32 %r2,%t; shr.u32 %r2,%r2,5; bar.sync %r2,64;\n" END
                                                                                                       BEGIN(
                                                                                                           "a"
                                                                                                           "r"
                                                                                                           "r"
                                                                                                           "i"
                                                                                                           "v"
                                                                                                           "e") "setp.lt.u32 %p1,%t,32; @%p1 bra A; bar.sync 3,96; ret; A: bar.arrive 3,96;\n" END
                                                                                                           BEGIN(
                                                                                                               "warp") "setp.lt.u32 %p1,%t,8; @%p1 bra A; shfl.sync.bfly.b32 %r2,%t,1,31,-1; ret; A: bar.sync 0;\n" END
                                                                                                               BEGIN(
                                                                                                                   "left") "setp.lt.u32 %p1,%t,8; @%p1 exit; shfl.sync.bfly.b32 %r2,%t,1,31,-1; st.global.u32 [%d4],%r2;\n" END;

static SgModule *module;
static uint32_t *a, *out;
enum { OUT = 1 << 18 };

static void *device(size_t bytes, SgKind kind) {
  SgAlloc *m = sg_arena_alloc(0, bytes, 256, kind, 1, "");
  if (!m) exit(2);
  memset((void *)(uintptr_t)m->base, 0, bytes);
  return (void *)(uintptr_t)m->base;
}

static SgFault fault;
static char complaints[4096];
static void hear(void *user, const char *line) {
  (void)user;
  strncat(complaints, line, sizeof complaints - strlen(complaints) - 1);
}
static void ignore(void *user, const char *text, size_t bytes, size_t cost) {
  (void)user, (void)text, (void)bytes, (void)cost;
}

static int launch_with(const void *at, const char *name, uint32_t blocks, uint32_t threads,
                       bool cooperative) {
  const SgSystem system = {.print = ignore, .complain = hear};
  const struct {
    const void *a;
    void *out;
  } params = {at, out};
  SgLaunch l = {.kernel = sg_module_kernel(module, name),
                .grid = {blocks, 1, 1},
                .block = {threads, 1, 1},
                .params = (const uint8_t *)&params,
                .cooperative = cooperative,
                .system = &system};
  memset(&fault, 0, sizeof fault);
  complaints[0] = 0;
  if (!l.kernel) {
    printf("# no kernel %s\n", name);
    return -1;
  }
  return sg_machine_run(&l, &fault);
}
/* With *a = first, everything else 0. */
static int launch(const char *name, uint32_t blocks, uint32_t threads, uint32_t first) {
  memset(a, 0, OUT * 4);
  memset(out, 0, OUT * 4);
  a[0] = first;
  return launch_with(a, name, blocks, threads, false);
}

static bool says(const char *words) {
  if (strstr(fault.text, words)) return true;
  printf("# expected \"%s\" in \"%s\"\n", words, fault.text);
  return false;
}

/* Threads of the device that help, by their name. */
static int helpers_now(void) {
  int n = 0;
  DIR *d = opendir("/proc/self/task");
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
    FILE *f = e->d_name[0] != '.' ? fopen(path, "r") : NULL;
    if (!f) continue;
    n += fgets(name, sizeof name, f) && strcmp(name, "softgpu\n") == 0;
    fclose(f);
  }
  if (d) closedir(d);
  return n;
}

/* Calls f for many ways to run a grid, with so many sizes of gangs. */
static void each_way(int sizes, void (*f)(void)) {
  static const char *const threads[] = {"1", "2", "4"}, *const orders[] = {"forward", "reverse", "random:5"},
                           *const gangs[] = {"1024", "32", "256", "64"};
  for (int t = 0; t < 3; t++)
    for (int o = 0; o < 3; o++)
      for (int g = 0; g < sizes; g++) {
        sg_config_schedule("threads", threads[t]);
        sg_config_schedule("order", orders[o]);
        sg_config_schedule("gang", gangs[g]);
        const bool before = case_ok;
        f();
        if (before && !case_ok)
          printf("# with %s threads, order %s, gangs of %s\n", threads[t], orders[o], gangs[g]);
      }
}

/* ---- which blocks are independent ---------------------------------------------------------------- */

static void ties(void) {
  static const struct {
    const char *kernel;
    unsigned ties;
  } table[] = {{"mix", 0},
               {"sums", 0},
               {"dead", 0},
               {"own", 0},
               {"stray", 0},
               {"assert", 0},
               {"mbar", 0},
               {"ticket", TIE_ORDER},
               {"floats", TIE_ORDER},
               {"swap", TIE_ORDER},
               {"two", TIE_ORDER},
               {"poll", TIE_ORDER},
               {"tell", TIE_ORDER},
               {"nap", TIE_ORDER},
               {"time", TIE_CLOCK},
               {"print", TIE_SINGLE},
               {"chain", TIE_ORDER},
               {"lock", TIE_ORDER}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const SgKernel *k = sg_module_kernel(module, table[i].kernel);
    if (!k || k->ties != table[i].ties)
      printf("# %s: ties %u, expected %u\n", table[i].kernel, k ? k->ties : 0, table[i].ties);
    CHECK(k && k->ties == table[i].ties);
  }
}

/* ---- orders ---------------------------------------------------------------------------------------- */

static void orders(void) {
  enum { MOST = 5000 };
  static uint8_t seen[MOST];
  static const uint64_t sizes[] = {1, 2, 3, 7, 64, 100, 1000, 4097, MOST};
  for (int kind = SG_FORWARD; kind <= SG_SHUFFLED; kind++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (uint64_t window = 1; window <= sizes[s]; window = window * 3 + 1) {
        const Order o = {(SgBlockOrder)kind, sizes[s], window, 42};
        uint64_t moved = 0;
        memset(seen, 0, sizeof seen);
        for (uint64_t i = 0; i < sizes[s]; i++) {
          const uint64_t b = sg_order_at(&o, i);
          CHECK(b < sizes[s]);
          if (b >= sizes[s]) return;
          seen[b]++;
          moved += b != i;
          if (kind != SG_FORWARD) CHECK(b / window == i / window);
        }
        for (uint64_t i = 0; i < sizes[s]; i++) CHECK(seen[i] == 1);
        if (kind != SG_FORWARD && window >= 100) CHECK(moved > sizes[s] / 2);
      }
}

/* ---- results --------------------------------------------------------------------------------------- */

static uint32_t expected[OUT], expected_a[4];

static void same_as_expected(const char *kernel, uint32_t blocks, uint32_t threads) {
  CHECK(launch(kernel, blocks, threads, 0) == 0);
  CHECK(memcmp(out, expected, (size_t)blocks * threads * 4) == 0);
  CHECK(memcmp(a, expected_a, sizeof expected_a) == 0);
}

#define SAME(kernel, blocks, threads)                                                                        \
  static void same_##kernel(void) { same_as_expected(#kernel, blocks, threads); }                            \
  static void kernel##_in_all_ways(void) {                                                                   \
    CHECK(launch(#kernel, blocks, threads, 0) == 0);                                                         \
    memcpy(expected, out, sizeof expected);                                                                  \
    memcpy(expected_a, a, sizeof expected_a);                                                                \
    CHECK(expected[1] != 0);                                                                                 \
    each_way(4, same_##kernel);                                                                              \
  }
SAME(mix, 300, 128)
SAME(sums, 300, 256)
SAME(dead, 500, 64)

/* More blocks than a device holds at a time. */
static void chain(void) {
  CHECK(launch("chain", 600, 32, 0) == 0);
  for (uint32_t b = 0; b < 600; b++) CHECK(out[b] == (b + 1) * (b + 2) / 2);
}
static void pairs(void) {
  CHECK(launch("pairs", 1000, 64, 0) == 0);
  for (uint32_t i = 0; i < 64000; i++) CHECK(out[i] == (i / 64 | 1) + 7);
}
static void lock(void) {
  CHECK(launch("lock", 40, 32, 0) == 0);
  CHECK(a[0] == 0 && a[1] == 1280 && out[1279] == 1279);
}
static void meet(void) {
  CHECK(launch("meet", 100, 64, 0) == 0);
  CHECK(a[0] == 300);
  for (uint32_t i = 0; i < 6400; i++) CHECK(out[i] == 1);
}
static void tickets(void) {
  static uint8_t seen[6400];
  memset(seen, 0, sizeof seen);
  CHECK(launch("ticket", 100, 64, 0) == 0);
  CHECK(a[0] == 6400);
  for (uint32_t i = 0; i < 6400; i++) CHECK(out[i] < 6400 && seen[out[i]]++ == 0);
}
static void cooperative(void) {
  memset(a, 0, 8);
  CHECK(launch_with(a, "meet", 400, 64, true) == 0);
  CHECK(a[0] == 1200);
}

static void waiting(void) {
  each_way(1, chain);
  each_way(2, pairs);
  each_way(4, lock);
  each_way(2, meet);
  each_way(2, tickets);
  each_way(1, cooperative);
}

/* ---- errors ---------------------------------------------------------------------------------------- */

static void lowest(void) {
  CHECK(launch("stray", 60, 64, 7) == 700);
  CHECK(fault.block[0] == 7 && fault.thread[0] == 0 && fault.address == 8);
  for (uint32_t i = 0; i < 7 * 64; i++) CHECK(out[i] == i);
  CHECK(launch("assert", 60, 33, 9) == 710);
  CHECK(fault.block[0] == 9 && fault.thread[0] == 0);
  int lines = 0;
  for (const char *p = complaints; *p; p++) lines += *p == '\n';
  CHECK(lines >= 32 && strstr(complaints, "block: [9,0,0]") && !strstr(complaints, "block: [10,0,0]"));
  /* the machine is as it was */
  CHECK(launch("mix", 20, 64, 0) == 0);
}

static void lowest_error(void) {
  each_way(2, lowest);
  sg_config_schedule("threads", "4");
  sg_config_schedule("order", "reverse");
  for (int i = 0; i < 50; i++) lowest();
}

/* ---- time limits ----------------------------------------------------------------------------------- */

static double limited(const char *kernel, uint32_t blocks, uint32_t threads, const char *limit) {
  sg_config_schedule("timeout", limit);
  const double start = seconds();
  CHECK(launch(kernel, blocks, threads, 0) == 702);
  CHECK(says("CUDALUA_SOFT_TIMEOUT") && says(limit));
  return seconds() - start;
}

static void time_limit(void) {
  static const double LATE =
      3; /* mostly it is some milliseconds, but the machine may have other things to do */
  static const char *const threads[] = {"1", "2", "4"};
  for (int t = 0; t < 3; t++) {
    sg_config_schedule("threads", threads[t]);
    double took = limited("busy", 1, 1024, "0.5");
    CHECK(took >= 0.5 && took < 0.5 + LATE);
    CHECK(says("threads 0-1023 are at PTX line"));
    took = limited("long", 2, 1024, "0.5");
    CHECK(took >= 0.5 && took < 0.5 + LATE);
    took = limited("busy", 50, 32, "0.3");
    CHECK(took >= 0.3 && took < 0.3 + LATE);
    took = limited("half", 3, 64, "0.3");
    CHECK(took >= 0.3 && took < 0.3 + LATE);
    CHECK(says("threads 0-31 are at PTX line") && says("threads 32-63 wait at barrier 0 in PTX line") &&
          says("(32 of 64 came, not threads 0-31)") && fault.block[0] == 0);
  }
  /* Many blocks none of which takes long. */
  sg_config_schedule("threads", "1");
  sg_config_schedule("timeout", "120");
  CHECK(launch("mix", 1000, 256, 0) == 0);
  CHECK(launch_with(a, "chain", 1, 32, false) == 0);
  sg_config_schedule("timeout", "0.002");
  CHECK(launch("mix", 1000, 256, 0) == 702);
  CHECK(says("of its 1000 blocks") && !strstr(fault.text, " 0 are done"));
  sg_config_schedule("timeout", "off");
  CHECK(launch("mix", 1000, 256, 0) == 0);
}

/* ---- deadlocks ------------------------------------------------------------------------------------- */

static void deadlocks(void) {
  CHECK(launch("arms", 2, 64, 0) == 719);
  CHECK(says("deadlock: threads 0-7 wait at barrier 1 in PTX line") &&
        says("(8 of 64 came, not threads 8-63)"));
  CHECK(says("threads 8-63 wait at barrier 0 in PTX line") && says("(56 of 64 came, not threads 0-7)"));
  CHECK(launch("many", 1, 64, 0) == 719);
  CHECK(says("threads 0-63 wait at barrier 0") &&
        says("(64 of 128 came, and the block has no more than 64)"));
  CHECK(launch("gone", 1, 64, 0) == 719);
  CHECK(says("threads 32-63 wait at barrier 2") && says("(32 of 64 came, and 32 ended)"));
  CHECK(launch("named", 1, 96, 0) == 719);
  CHECK(says("threads 0-31 wait at barrier 0") && says("threads 32-63 wait at barrier 1") &&
        says("threads 64-95 wait at barrier 2") && says("(32 of 64 came, not threads 0-31, 64-95)"));
  CHECK(launch("arrive", 1, 64, 0) == 719);
  CHECK(says("threads 32-63 wait at barrier 3") &&
        says("(64 of 96 came, and the block has no more than 64)"));
  CHECK(launch("arrive", 1, 96, 0) == 0);
  CHECK(launch("warp", 1, 32, 0) == 719);
  CHECK(says("threads 0-7 wait at barrier 0 in PTX line") && says("threads 8-31 wait in PTX line") &&
        says("for lanes of their warp that never come: threads 0-7"));
  CHECK(launch("left", 1, 32, 0) == 0); /* lanes that ended are not waited for */
}

/* Blocks that spin for what nobody will do. */
static void hopeless(void) {
  static const char *const gangs[] = {"1024", "32"};
  sg_config_schedule("timeout", "20");
  for (int g = 0; g < 2; g++) {
    sg_config_schedule("gang", gangs[g]);
    const double start = seconds();
    CHECK(launch("flag", 1, 64, 0) == 702 && says("deadlock") && says("threads 0-") && says("at PTX line"));
    CHECK(launch("flag", 5, 64, 0) == 702 && says("deadlock"));
    CHECK(launch("mbar", 2, 3, 0) == 702 && says("deadlock") && fault.block[0] == 0);
    CHECK(launch("cross", 2, 1, 0) == 702 && says("deadlock"));
    /* a barrier of the grid that more blocks come to than are there at a time, and fewer than it waits for */
    CHECK(launch("meet", 1000, 64, 0) == 702 && says("deadlock") && says("have not started"));
    memset(a, 0, 8);
    a[0] = (uint32_t)-5;
    CHECK(launch_with(a, "meet", 20, 32, true) == 702 && says("deadlock"));
    CHECK(seconds() - start < 20); /* at once, not after the time limits, which would take 120 s */
    CHECK(launch("counting", 2, 32, 0) == 0 && a[0] >= 200000);
  }
  /* The host may set a flag that lies in its memory, so that nothing is proven. */
  uint32_t *flag = device(4, SG_HOST);
  sg_config_schedule("timeout", "0.4");
  CHECK(launch_with(flag, "flag", 2, 32, false) == 702 && says("CUDALUA_SOFT_TIMEOUT"));
}

static void *set_later(void *flag) {
  nanosleep(&(struct timespec){0, 300000000}, NULL);
  __atomic_store_n((uint32_t *)flag, 77, __ATOMIC_RELEASE);
  return NULL;
}

static void host_flag(void) {
  uint32_t *flag = device(4, SG_HOST);
  pthread_t t;
  if (pthread_create(&t, NULL, set_later, flag) != 0) exit(2);
  CHECK(launch_with(flag, "flag", 4, 32, false) == 0);
  pthread_join(t, NULL);
  CHECK(out[127] == 77);
}

/* ---- threads --------------------------------------------------------------------------------------- */

static volatile sig_atomic_t signals;
static void on_signal(int s) {
  (void)s;
  signals = signals + 1;
}

/* In a process of its own: how many threads there are is counted. */
static void alone(void) {
  sg_config_schedule("threads", "auto");
  CHECK(helpers_now() == 0);
  CHECK(launch("mix", 2, 32, 0) == 0);
  CHECK(launch("mix", 1, 1024, 0) == 0);
  CHECK(helpers_now() == 0); /* not worth the while */
  CHECK(launch("ticket", 1000, 256, 0) == 0);
  CHECK(helpers_now() == 0); /* tied together */
  const int usable = (int)sg_workers_usable();
  CHECK(launch("slow", 2, 512, 0) == 0);
  CHECK(helpers_now() == (usable > 1));
  CHECK(launch("mix", 1000, 256, 0) == 0);
  CHECK(helpers_now() == usable - 1);
  sg_config_schedule("threads", "auto:1");
  CHECK(launch("mix", 1000, 256, 0) == 0);
  CHECK(helpers_now() == usable - 1);
  sg_config_schedule("threads", "3");
  CHECK(launch("ticket", 4, 32, 0) == 0);
  CHECK(helpers_now() == (usable > 3 ? usable : 3) - 1);
  /* Signals to the process are not for them. */
  sigset_t one, pending;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  signal(SIGUSR1, on_signal);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  kill(getpid(), SIGUSR1);
  CHECK(launch("mix", 300, 256, 0) == 0);
  nanosleep(&(struct timespec){0, 20000000}, NULL);
  CHECK(signals == 0 && sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  CHECK(signals == 1);
}

/* A child of a process that has such threads, and the parent after that. */
static void forks(void) {
  sg_config_schedule("threads", "4");
  for (int round = 0; round < 3; round++) {
    CHECK(launch("mix", 300, 128, 0) == 0);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const bool good = helpers_now() == 0 && launch("mix", 300, 128, 0) == 0 && helpers_now() == 3;
      exit(good ? 0 : 1); /* with all that is done at an end */
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(launch("mix", 300, 128, 0) == 0);
    CHECK(helpers_now() == 3);
  }
}

static void in_child(void (*f)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    f();
    fflush(stdout);
    _exit(case_ok ? 0 : 1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
static void threads(void) { in_child(alone); }
static void children(void) { in_child(forks); }

/* Rounding and the like that the program has set do not reach kernels, and are there again. */
static void float_modes(void) {
#ifdef __SSE__
  static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n" BEGIN(
      "k") "mov.f32 %f1,0f00000005; mov.f32 %f2,0f3F000000; mul.rn.f32 %f3,%f1,%f2; st.global.f32 "
           "[%d4],%f3;\n" END;
  SgDiag diag;
  int code;
  SgModule *all = module;
  module = sg_module_load(0, 1, text, sizeof text - 1, &diag, &code);
  const unsigned mode = _mm_getcsr();
  for (int t = 1; t <= 4; t += 3) {
    sg_config_schedule("threads", t == 1 ? "1" : "4");
    _mm_setcsr(mode | 0x8040 | 0x6000); /* flushes denormals, rounds towards zero */
    CHECK(module && launch("k", 100, 32, 0) == 0);
    CHECK(_mm_getcsr() == (mode | 0x8040 | 0x6000));
    _mm_setcsr(mode);
    for (int i = 0; i < 3200; i++) CHECK(out[i] == 2);
  }
  sg_module_unload(module);
  module = all;
#endif
}

/* ---- the library comes and goes ---------------------------------------------------------------------- */

static const char *library;

static void unloading(void) {
  if (!library) return;
  static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .b32 "
                             "%r<3>; .reg .pred %p; mov.u32 "
                             "%r1,0; L: add.u32 %r1,%r1,1; setp.lt.u32 %p,%r1,2000; @%p bra L; ret; }\n";
  for (int i = 0; i < 5; i++) {
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    CHECK(lib != NULL);
    if (!lib) {
      printf("# %s\n", dlerror());
      return;
    }
    int (*init)(unsigned) = (int (*)(unsigned))(uintptr_t)dlsym(lib, "cuInit");
    int (*retain)(void **, int) = (int (*)(void **, int))(uintptr_t)dlsym(lib, "cuDevicePrimaryCtxRetain");
    int (*current)(void *) = (int (*)(void *))(uintptr_t)dlsym(lib, "cuCtxSetCurrent");
    int (*load)(void **, const void *) =
        (int (*)(void **, const void *))(uintptr_t)dlsym(lib, "cuModuleLoadData");
    int (*get)(void **, void *, const char *) =
        (int (*)(void **, void *, const char *))(uintptr_t)dlsym(lib, "cuModuleGetFunction");
    int (*start)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                 void **, void **) =
        (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                 void **, void **))(uintptr_t)dlsym(lib, "cuLaunchKernel");
    int (*synchronize)(void) = (int (*)(void))(uintptr_t)dlsym(lib, "cuCtxSynchronize");
    int (*control)(const char *, char *, size_t, size_t *) =
        (int (*)(const char *, char *, size_t, size_t *))(uintptr_t)dlsym(lib, "cuSoftgpuControl");
    void *ctx = NULL, *m = NULL, *k = NULL;
    CHECK(init(0) == 0 && retain(&ctx, 0) == 0 && current(ctx) == 0);
    CHECK(control("schedule threads 3", NULL, 0, NULL) == 0);
    CHECK(load(&m, text) == 0 && get(&k, m, "k") == 0);
    CHECK(start(k, 50, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL) == 0 && synchronize() == 0);
    CHECK(helpers_now() == 2);
    if (i == 3) { /* a child in which the library goes, too */
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        _exit(dlclose(lib) == 0 && helpers_now() == 0 ? 0 : 1);
      }
      int status = 0;
      CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    dlclose(lib);
    CHECK(helpers_now() == 0);
  }
}
static void unloaded(void) { in_child(unloading); }

int main(int argc, char **argv) {
  SgDiag diag;
  int code;
  library = argc > 1 ? argv[1] : NULL;
  if (!sg_arena_open(1, (uint64_t)1 << 30)) return 2;
  module = sg_module_load(0, 1, source, sizeof source - 1, &diag, &code);
  if (!module) {
    printf("not ok 1 - the kernels: %d, line %u: %s\n", code, diag.line, diag.text);
    return 1;
  }
  a = device(OUT * 4, SG_DEVICE);
  out = device(OUT * 4, SG_DEVICE);
  run("which blocks are independent", ties);
  run("orders are permutations", orders);
  run("threads come when they are needed", threads);
  run("forked children", children);
  run("the library goes", unloaded);
  run("independent blocks in all ways", mix_in_all_ways);
  run("sums in all ways", sums_in_all_ways);
  run("atomics without a result in all ways", dead_in_all_ways);
  run("blocks that wait for each other in all ways", waiting);
  run("the lowest block's error", lowest_error);
  run("time limits", time_limit);
  run("deadlocks", deadlocks);
  run("spinning for what never comes", hopeless);
  run("a flag that the host sets", host_flag);
  run("float modes", float_modes);
  sg_module_unload(module);
  printf("1..%d\n", ncases);
  return nfailed != 0;
}
