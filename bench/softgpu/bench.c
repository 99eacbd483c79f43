/* How far the software device is from plain C on one core:  bench LIBRARY KERNELS.ptx [OTHER.ptx ...]
 * Times the kernels of kernels.cu against the loops of loops.c, results compared; then the same kernels with
 * checks, an empty launch, how long the other files take to load, and what a second thread brings. A time is
 * that of a launch and the wait for it, the best of several. */
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver.h"
#include "loops.h"

enum {
  RUNS = 20,
  SPENT = 300,
  LAUNCHES = 1000,
  N = 1 << 20,
  SIDE = 256,
  BLOCK = 256,
  TILE = 16,
  POINTS = 512,
  STEPS = 256
};

/* ---- measuring ---------------------------------------------------------------------------------- */

static double milliseconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Processor time, so that others on the machine matter little; and time as it passes. */
static double now(void) { return milliseconds(CLOCK_PROCESS_CPUTIME_ID); }
static double passed(void) { return milliseconds(CLOCK_MONOTONIC); }

static int missed; /* goals */

/* Is another run wanted? At least RUNS, and more of what is short: SPENT milliseconds. */
static bool again(int run, double spent) { return run < RUNS || spent < SPENT; }

static const char *verdict(double value, double goal) {
  if (value <= goal) return "met";
  missed++;
  return "MISSED";
}

static uint64_t seed = 0x9e3779b97f4a7c15u;

static void *memory(size_t bytes) {
  void *p = calloc(1, bytes);
  if (!p) die("calloc", "out of memory");
  return p;
}

static float *numbers(size_t n) { /* from -1 to 1 */
  float *x = memory(n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = (float)(int32_t)(seed >> 32) * 0x1p-31f;
  }
  return x;
}

/* ---- the cases ---------------------------------------------------------------------------------- */

/* Host memory of the loops, made once. x is read as floats and as integers. */
static float *x, *y, *sums, *a, *b, *product, total;
static int *counts;
static unsigned *prefixes;
static const float factor = 0.5f;

static void run_saxpy(void) { loop_saxpy(N, factor, x, y); }
static void run_reduce(void) { loop_block_reduce(N / REDUCE_BLOCK, x, sums); }
static void run_matmul(void) { loop_matmul(SIDE, a, b, product); }
static void run_mandelbrot(void) { loop_mandelbrot(POINTS, STEPS, counts); }
static void run_sum(void) { loop_sum(N, x, &total); }
static void run_scan(void) { loop_scan(N, (const unsigned *)(const void *)x, prefixes); }

/* One comparison. The kernel writes `nout` words to `out`; `loop` writes the same to `expected`. */
typedef struct Case {
  const char *name;
  double goal; /* the ratio that the design aims at */
  unsigned grid[2], block[2];
  void *params[4];
  CUdeviceptr out;
  void *expected;
  size_t nout;
  double tolerance; /* of floats, relative; 0: both sides do the same operations */
  void (*loop)(void);
  CUdeviceptr zeroed; /* memory that is to be zero before a launch, or 0 */
  size_t zeroed_bytes;
  double plain, device, checked; /* best times */
} Case;

/* Device memory of the cases: made anew for each way of checking, since what checks know of memory begins
 * with its allocation. */
typedef struct Buffers {
  CUdeviceptr x, y, sums, a, b, product, counts, total, prefixes, ticket, state;
} Buffers;

static CUdeviceptr to_device(const void *from, size_t bytes) {
  CUdeviceptr p;
  MUST(cuMemAlloc, &p, bytes);
  if (from) MUST(cuMemcpyHtoD, p, from, bytes);
  return p;
}

static void make(Buffers *d) {
  const size_t row = N * sizeof(float), square = SIDE * SIDE * sizeof(float);
  d->x = to_device(x, row);
  d->y = to_device(y, row);
  d->sums = to_device(NULL, N / REDUCE_BLOCK * sizeof(float));
  d->a = to_device(a, square);
  d->b = to_device(b, square);
  d->product = to_device(NULL, square);
  d->counts = to_device(NULL, POINTS * POINTS * sizeof(int));
  d->total = to_device(NULL, sizeof(float));
  d->prefixes = to_device(NULL, row);
  d->state = to_device(NULL, N / BLOCK * sizeof(uint64_t) + sizeof(unsigned));
  d->ticket = d->state + N / BLOCK * sizeof(uint64_t);
}

static void drop(const Buffers *d) {
  const CUdeviceptr all[] = {d->x,       d->y,      d->sums,  d->a,        d->b,
                             d->product, d->counts, d->total, d->prefixes, d->state};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) MUST(cuMemFree, all[i]);
}

static int n = N, side = SIDE, points = POINTS, steps = STEPS;
static float alpha = factor;

enum { CASES = 6 };

static void describe(Case *c, Buffers *d) {
  const unsigned rows = N / BLOCK;
  const Case all[CASES] = {
      /* the kernel may fuse a multiplication with the addition that follows, the loops do not */
      {.name = "saxpy",
       .goal = 6,
       .grid = {rows, 1},
       .block = {BLOCK, 1},
       .params = {&n, &alpha, &d->x, &d->y},
       .out = d->y,
       .expected = y,
       .nout = N,
       .tolerance = 1e-6,
       .loop = run_saxpy},
      {.name = "block_reduce",
       .goal = 20,
       .grid = {N / REDUCE_BLOCK, 1},
       .block = {REDUCE_BLOCK, 1},
       .params = {&d->x, &d->sums},
       .out = d->sums,
       .expected = sums,
       .nout = N / REDUCE_BLOCK,
       .loop = run_reduce},
      {.name = "matmul",
       .goal = 1,
       .grid = {SIDE / TILE, SIDE / TILE},
       .block = {TILE, TILE},
       .params = {&side, &d->a, &d->b, &d->product},
       .out = d->product,
       .expected = product,
       .nout = SIDE * SIDE,
       .tolerance = 1e-4,
       .loop = run_matmul},
      {.name = "mandelbrot",
       .goal = 1.3,
       .grid = {POINTS * POINTS / 128, 1},
       .block = {128, 1},
       .params = {&points, &steps, &d->counts},
       .out = d->counts,
       .expected = counts,
       .nout = POINTS * POINTS,
       .loop = run_mandelbrot},
      {.name = "sum",
       .goal = 2,
       .grid = {64, 1},
       .block = {BLOCK, 1},
       .params = {&n, &d->x, &d->total},
       .out = d->total,
       .expected = &total,
       .nout = 1,
       .tolerance = 1e-3,
       .loop = run_sum,
       .zeroed = d->total,
       .zeroed_bytes = sizeof total},
      {.name = "scan",
       .goal = 60,
       .grid = {rows, 1},
       .block = {BLOCK, 1},
       .params = {&d->x, &d->prefixes, &d->ticket, &d->state},
       .out = d->prefixes,
       .expected = prefixes,
       .nout = N,
       .loop = run_scan,
       .zeroed = d->state,
       .zeroed_bytes = rows * sizeof(uint64_t) + sizeof(unsigned)},
  };
  memcpy(c, all, sizeof all);
}

static void prepare(const Case *c) {
  if (c->zeroed) MUST(cuMemsetD8, c->zeroed, 0, c->zeroed_bytes);
  MUST(cuCtxSynchronize);
}

static void launch(const Case *c, CUfunction f) {
  void *params[4];
  memcpy(params, c->params, sizeof params);
  MUST(cuLaunchKernel, f, c->grid[0], c->grid[1], 1, c->block[0], c->block[1], 1, 0, NULL, params, NULL);
  MUST(cuCtxSynchronize);
}

static bool same(const Case *c, uint32_t got, uint32_t want) {
  float g, w;
  if (got == want || c->tolerance == 0) return got == want;
  memcpy(&g, &got, sizeof g);
  memcpy(&w, &want, sizeof w);
  return fabs((double)g - (double)w) <= c->tolerance * fmax(1, fabs((double)w)); /* false for a NaN */
}

static bool agrees(const Case *c) {
  uint32_t *got = memory(c->nout * sizeof *got), *want = c->expected;
  MUST(cuMemcpyDtoH, got, c->out, c->nout * sizeof *got);
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < c->nout; i++)
    if (!same(c, got[i], want[i]) && !wrong++) first = i;
  if (wrong)
    printf("%-14s WRONG in %zu of %zu places; at %zu 0x%08x, not 0x%08x\n", c->name, wrong, c->nout, first,
           (unsigned)got[first], (unsigned)want[first]);
  free(got);
  return !wrong;
}

/* The first run of both sides is the one that is compared. */
static bool compare(Case *c, CUfunction f) {
  total = 0;
  prepare(c);
  launch(c, f);
  c->loop();
  return agrees(c);
}

static double time_launch(const Case *c, CUfunction f, double best) {
  prepare(c);
  const double start = now();
  launch(c, f);
  return fmin(best, now() - start);
}

static bool measure_kernels(CUmodule m, Case *c, Buffers *d) {
  bool ok = true;
  make(d);
  describe(c, d);
  printf("%-14s %9s %11s %8s %8s\n", "kernel", "C ms", "device ms", "ratio", "goal");
  for (int i = 0; i < CASES; i++, c++) {
    CUfunction f;
    MUST(cuModuleGetFunction, &f, m, c->name);
    c->plain = c->device = INFINITY;
    if (!compare(c, f)) {
      ok = false;
      continue;
    }
    const double begin = now();
    for (int r = 0; again(r, now() - begin); r++) {
      const double start = now();
      c->loop();
      c->plain = fmin(c->plain, now() - start);
      c->device = time_launch(c, f, c->device);
    }
    const double ratio = c->device / c->plain;
    printf("%-14s %9.3f %11.3f %8.2f %8.1f %s\n", c->name, c->plain, c->device, ratio, c->goal,
           verdict(ratio, c->goal));
  }
  drop(d);
  return ok;
}

/* Device time with a check over that without, each the best of runs that take turns. */
static void measure_check(CUmodule m, const char *check, double goal) {
  Case plain[CASES], checked[CASES];
  Buffers without, with;
  char command[64];
  snprintf(command, sizeof command, "check %s", check);
  make(&without);
  describe(plain, &without);
  must(cu.control(command, NULL, 0, NULL), "cuSoftgpuControl");
  make(&with);
  describe(checked, &with);
  printf("\n%-14s %9s %11s %8s %8s\n", check, "off ms", "on ms", "ratio", "goal");
  for (int i = 0; i < CASES; i++) {
    CUfunction f;
    MUST(cuModuleGetFunction, &f, m, plain[i].name);
    double off = INFINITY, on = INFINITY, begin = now();
    for (int r = 0; again(r, now() - begin); r++) {
      must(cu.control("check off", NULL, 0, NULL), "cuSoftgpuControl");
      off = time_launch(&plain[i], f, off);
      must(cu.control(command, NULL, 0, NULL), "cuSoftgpuControl");
      on = time_launch(&checked[i], f, on);
    }
    printf("%-14s %9.3f %11.3f %8.2f %8.1f %s\n", plain[i].name, off, on, on / off, goal,
           verdict(on / off, goal));
  }
  drop(&with);
  must(cu.control("check off", NULL, 0, NULL), "cuSoftgpuControl");
  drop(&without);
}

static void measure_launch(CUmodule m) {
  CUfunction f;
  double best = INFINITY;
  MUST(cuModuleGetFunction, &f, m, "empty");
  for (int r = 0; r < RUNS; r++) {
    const double start = now();
    for (int i = 0; i < LAUNCHES; i++) {
      MUST(cuLaunchKernel, f, 1, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, NULL);
      MUST(cuCtxSynchronize);
    }
    best = fmin(best, (now() - start) / LAUNCHES);
  }
  printf("\nempty launch of %d threads, and the wait for it: %.2f us, goal 5: %s\n", BLOCK, best * 1e3,
         verdict(best * 1e3, 5));
}

/* ---- modules ------------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END) != 0) die(path, "cannot be read");
  const long end = ftell(f);
  char *text = end >= 0 ? memory((size_t)end + 1) : NULL;
  rewind(f);
  if (!text || fread(text, 1, (size_t)end, f) != (size_t)end) die(path, "cannot be read");
  fclose(f);
  *size = (size_t)end;
  return text;
}

static void measure_load(const char *path) {
  size_t size;
  char *text = read_file(path, &size);
  double best = INFINITY;
  for (int r = 0; r < RUNS; r++) {
    CUmodule m;
    const double start = now();
    MUST(cuModuleLoadData, &m, text);
    best = fmin(best, now() - start);
    MUST(cuModuleUnload, m);
  }
  const char *name = strrchr(path, '/');
  const double kilobytes = (double)size / 1024, scaled = best * 200 / kilobytes;
  printf("loading %s: %.0f KB in %.2f ms, %.2f ms per 200 KB, goal 10: %s\n", name ? name + 1 : path,
         kilobytes, best, scaled, verdict(scaled, 10));
  free(text);
}

/* ---- two threads --------------------------------------------------------------------------------- */

/* The same launches by two threads, in time as it passes. */
static void measure_threads(CUmodule m) {
  static const char *const setting[] = {"schedule threads 1", "schedule threads auto:2"};
  Case cases[CASES];
  Buffers d;
  make(&d);
  describe(cases, &d);
  printf("\n%-14s %9s %11s %8s %8s\n", "threads", "one ms", "two ms", "faster", "goal");
  for (int i = 0; i < CASES; i++) {
    CUfunction f;
    double best[2] = {INFINITY, INFINITY};
    if (strcmp(cases[i].name, "matmul") != 0 && strcmp(cases[i].name, "mandelbrot") != 0) continue;
    MUST(cuModuleGetFunction, &f, m, cases[i].name);
    for (int r = 0; r < 2 * RUNS; r++) {
      must(cu.control(setting[r % 2], NULL, 0, NULL), "cuSoftgpuControl");
      const double start = passed();
      launch(&cases[i], f);
      best[r % 2] = fmin(best[r % 2], passed() - start);
    }
    const double faster = best[0] / best[1];
    printf("%-14s %9.3f %11.3f %8.2f %8.1f %s\n", cases[i].name, best[0], best[1], faster, 1.6,
           verdict(1.6, faster));
  }
  must(cu.control(setting[0], NULL, 0, NULL), "cuSoftgpuControl");
  drop(&d);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

/* Both sides get the one processor that this thread is on now; `all` are those that it had. */
static void stay_on_one_core(cpu_set_t *all) {
  cpu_set_t one;
  int here = sched_getcpu();
  CPU_ZERO(&one);
  if (here >= 0) CPU_SET((size_t)here, &one);
  if (here < 0 || sched_getaffinity(0, sizeof *all, all) != 0 || sched_setaffinity(0, sizeof one, &one) != 0)
    die("sched_setaffinity", "this thread cannot be bound to one core");
  if (setenv("CUDALUA_SOFT_THREADS", "1", 1) != 0) die("setenv", "out of memory");
}

static void fill_host_memory(void) {
  x = numbers(N);
  y = numbers(N);
  sums = numbers(N / REDUCE_BLOCK);
  a = numbers(SIDE * SIDE);
  b = numbers(SIDE * SIDE);
  product = numbers(SIDE * SIDE);
  counts = memory(POINTS * POINTS * sizeof *counts);
  prefixes = memory(N * sizeof *prefixes);
}

int main(int argc, char **argv) {
  CUdevice device;
  CUcontext context;
  CUmodule m;
  char name[256];
  Case cases[CASES];
  Buffers buffers;
  cpu_set_t all_cores;
  size_t size;
  if (argc < 3) die("usage", "bench LIBRARY KERNELS.ptx [OTHER.ptx ...]");
  stay_on_one_core(&all_cores);
  open_driver(argv[1]);
  MUST(cuInit, 0);
  MUST(cuDeviceGet, &device, 0);
  MUST(cuDeviceGetName, name, sizeof name, device);
  MUST(cuDevicePrimaryCtxRetain, &context, device);
  MUST(cuCtxSetCurrent, context);
  char *text = read_file(argv[2], &size);
  MUST(cuModuleLoadData, &m, text);
  free(text);
  fill_host_memory();
  printf("%s, one core, processor time, best of %d or more runs\n", name, RUNS);
  const bool ok = measure_kernels(m, cases, &buffers);
  if (cu.control) {
    measure_check(m, "uninitialised", 1.2);
    measure_check(m, "races", 4);
  }
  measure_launch(m);
  for (int i = 3; i < argc; i++) measure_load(argv[i]);
  if (cu.control && CPU_COUNT(&all_cores) > 1 && sched_setaffinity(0, sizeof all_cores, &all_cores) == 0)
    measure_threads(m);
  if (ok) printf(missed ? "\n%d goals missed\n" : "\nall goals met\n", missed);
  MUST(cuModuleUnload, m);
  MUST(cuDevicePrimaryCtxRelease, device);
  void *host[] = {x, y, sums, a, b, product, counts, prefixes};
  for (size_t i = 0; i < sizeof host / sizeof *host; i++) free(host[i]);
  return !ok;
}
