/* How far the software device is from plain C on one core:  bench LIBRARY FILE.ptx ...
 * Opens a CUDA driver library, links nothing of CUDA, and times the kernels of kernels.cu against the
 * loops of loops.c, results compared. A time is that of a launch and the wait for it. */
#include <cuda.h>

#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loops.h"

enum { RUNS = 20, N = 1 << 20, SIDE = 256, BLOCK = 256, TILE = 16, MAX_MODULES = 16 };

/* ---- the driver -------------------------------------------------------------------------------- */

#define ENTRIES(X)                                                                                           \
  X(cuInit)                                                                                                  \
  X(cuGetErrorName)                                                                                          \
  X(cuDeviceGet)                                                                                             \
  X(cuDeviceGetName)                                                                                         \
  X(cuDevicePrimaryCtxRetain)                                                                                \
  X(cuDevicePrimaryCtxRelease)                                                                               \
  X(cuCtxSetCurrent)                                                                                         \
  X(cuCtxSynchronize)                                                                                        \
  X(cuModuleLoadData)                                                                                        \
  X(cuModuleUnload)                                                                                          \
  X(cuModuleGetFunction)                                                                                     \
  X(cuMemAlloc)                                                                                              \
  X(cuMemFree)                                                                                               \
  X(cuMemcpyHtoD)                                                                                            \
  X(cuMemcpyDtoH)                                                                                            \
  X(cuLaunchKernel)

/* cuda.h renames entries (cuMemAlloc is cuMemAlloc_v2); one step through a macro takes the new name. */
static struct {
#define X(name) __typeof__(&name) name;
  ENTRIES(X)
#undef X
} cu;

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static _Noreturn void die(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(1);
}

static void open_driver(const char *path) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!lib) die("the library", dlerror());
#define X(name)                                                                                              \
  *(void **)&cu.name = dlsym(lib, TEXT(name));                                                               \
  if (!cu.name) die(path, "has no " TEXT(name));
  ENTRIES(X)
#undef X
}

static void must(CUresult r, const char *call) {
  const char *name = NULL;
  if (r == CUDA_SUCCESS) return;
  if (cu.cuGetErrorName(r, &name) != CUDA_SUCCESS || !name) name = "unknown error";
  die(call, name);
}
#define MUST(entry, ...) must(cu.entry(__VA_ARGS__), TEXT(entry))

static CUmodule modules[MAX_MODULES];
static int nmodules;

static void load(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END) != 0) die(path, "cannot be read");
  long size = ftell(f);
  char *text = size >= 0 ? calloc(1, (size_t)size + 1) : NULL;
  rewind(f);
  if (!text || fread(text, 1, (size_t)size, f) != (size_t)size) die(path, "cannot be read");
  fclose(f);
  if (nmodules == MAX_MODULES) die(path, "is one file too many");
  MUST(cuModuleLoadData, &modules[nmodules++], text);
  free(text);
}

static CUfunction kernel(const char *name) {
  CUfunction f;
  for (int i = 0; i < nmodules; i++)
    if (cu.cuModuleGetFunction(&f, modules[i], name) == CUDA_SUCCESS) return f;
  die(name, "is in none of the files");
}

static CUdeviceptr to_device(const float *from, size_t n) {
  CUdeviceptr p;
  MUST(cuMemAlloc, &p, n * sizeof *from);
  MUST(cuMemcpyHtoD, p, from, n * sizeof *from);
  return p;
}

/* ---- measuring ---------------------------------------------------------------------------------- */

static double now(void) { /* milliseconds */
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint64_t seed = 0x9e3779b97f4a7c15u;

static float *numbers(size_t n) { /* from -1 to 1 */
  float *x = malloc(n * sizeof *x);
  if (!x) die("malloc", "out of memory");
  for (size_t i = 0; i < n; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = (float)(int32_t)(seed >> 32) * 0x1p-31f;
  }
  return x;
}

/* One comparison. The kernel writes `nout` floats to `out`; `loop` writes the same to `expected`. */
typedef struct Case {
  const char *name;
  double target; /* the ratio that the design aims at */
  unsigned grid[2], block[2];
  void *params[4];
  CUdeviceptr out;
  float *expected;
  size_t nout;
  double tolerance; /* relative: 0 where both sides do the same operations */
  void (*loop)(void);
} Case;

static void launch(const Case *c, CUfunction f) {
  void *params[4];
  memcpy(params, c->params, sizeof params);
  MUST(cuLaunchKernel, f, c->grid[0], c->grid[1], 1, c->block[0], c->block[1], 1, 0, NULL, params, NULL);
  MUST(cuCtxSynchronize);
}

static bool agrees(const Case *c) {
  float *got = malloc(c->nout * sizeof *got);
  if (!got) die("malloc", "out of memory");
  MUST(cuMemcpyDtoH, got, c->out, c->nout * sizeof *got);
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < c->nout; i++) {
    double want = c->expected[i], off = fabs((double)got[i] - want);
    if (off <= c->tolerance * fmax(1, fabs(want))) continue; /* false for a NaN */
    if (!wrong++) first = i;
  }
  if (wrong)
    printf("%-14s WRONG in %zu of %zu places; at %zu %g, not %g\n", c->name, wrong, c->nout, first,
           (double)got[first], (double)c->expected[first]);
  free(got);
  return !wrong;
}

/* The first run of both sides is the one that is compared. */
static bool measure(const Case *c) {
  CUfunction f = kernel(c->name);
  double device = INFINITY, plain = INFINITY;
  launch(c, f);
  c->loop();
  if (!agrees(c)) return false;
  for (int i = 0; i < RUNS; i++) {
    double start = now();
    c->loop();
    double between = now();
    launch(c, f);
    plain = fmin(plain, between - start);
    device = fmin(device, now() - between);
  }
  printf("%-14s %9.3f %11.3f %8.2f %8.1f\n", c->name, plain, device, device / plain, c->target);
  return true;
}

/* ---- the three cases ------------------------------------------------------------------------------ */

static float *x, *y, *sums, *a, *b, *product;
static const float factor = 0.5f;

static void run_saxpy(void) { loop_saxpy(N, factor, x, y); }
static void run_reduce(void) { loop_block_reduce(N / REDUCE_BLOCK, x, sums); }
static void run_matmul(void) { loop_matmul(SIDE, a, b, product); }

static bool measure_all(void) {
  const size_t square = SIDE * SIDE, blocks = N / REDUCE_BLOCK;
  x = numbers(N);
  y = numbers(N);
  sums = numbers(blocks);
  a = numbers(square);
  b = numbers(square);
  product = numbers(square);
  CUdeviceptr dx = to_device(x, N), dy = to_device(y, N), dsums = to_device(sums, blocks);
  CUdeviceptr da = to_device(a, square), db = to_device(b, square), dproduct = to_device(product, square);
  int n = N, side = SIDE;
  float alpha = factor;
  const Case cases[] = {
      /* the kernel may fuse a multiplication with the addition that follows, the loops do not */
      {"saxpy", 6, {N / BLOCK, 1}, {BLOCK, 1}, {&n, &alpha, &dx, &dy}, dy, y, N, 1e-6, run_saxpy},
      {"block_reduce",
       20,
       {N / REDUCE_BLOCK, 1},
       {REDUCE_BLOCK, 1},
       {&dx, &dsums},
       dsums,
       sums,
       blocks,
       0,
       run_reduce},
      {"matmul",
       1,
       {SIDE / TILE, SIDE / TILE},
       {TILE, TILE},
       {&side, &da, &db, &dproduct},
       dproduct,
       product,
       square,
       1e-4,
       run_matmul},
  };
  bool ok = true;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) ok = measure(&cases[i]) && ok;
  CUdeviceptr all[] = {dx, dy, dsums, da, db, dproduct};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) MUST(cuMemFree, all[i]);
  float *host[] = {x, y, sums, a, b, product};
  for (size_t i = 0; i < sizeof host / sizeof *host; i++) free(host[i]);
  return ok;
}

/* Both sides get the one processor that this thread is on now. */
static void stay_on_one_core(void) {
  cpu_set_t one;
  int here = sched_getcpu();
  CPU_ZERO(&one);
  if (here >= 0) CPU_SET((size_t)here, &one);
  if (here < 0 || sched_setaffinity(0, sizeof one, &one) != 0)
    fprintf(stderr, "bench: this thread cannot be bound to one core\n");
}

int main(int argc, char **argv) {
  CUdevice device;
  CUcontext context;
  char name[256];
  if (argc < 3) die("usage", "bench LIBRARY FILE.ptx ...");
  stay_on_one_core();
  open_driver(argv[1]);
  MUST(cuInit, 0);
  MUST(cuDeviceGet, &device, 0);
  MUST(cuDeviceGetName, name, sizeof name, device);
  MUST(cuDevicePrimaryCtxRetain, &context, device);
  MUST(cuCtxSetCurrent, context);
  for (int i = 2; i < argc; i++) load(argv[i]);
  printf("%s, one core, best of %d runs\n", name, RUNS);
  printf("%-14s %9s %11s %8s %8s\n", "kernel", "C ms", "device ms", "ratio", "target");
  bool ok = measure_all();
  while (nmodules) MUST(cuModuleUnload, modules[--nmodules]);
  MUST(cuDevicePrimaryCtxRelease, device);
  return !ok;
}
