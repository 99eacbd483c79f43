/* The C side of `./dev bench launch`: the same launches in a plain loop, in the same process and context.
 * Built as a shared library when the benchmark runs; the driver is opened by the path that cudalua uses. */
#include <cuda.h>
#include <dlfcn.h>
#include <stddef.h>

#include "common/clock.h"

static CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          CUstream, void **, void **);
static CUresult (*synchronize)(void);
static CUresult (*load)(CUmodule *, const void *);
static CUresult (*get_function)(CUfunction *, CUmodule, const char *);
static CUmodule module;

int bench_open(const char *driver, const char *image);
void *bench_function(const char *name);
double bench_loop(void *function, int nargs, unsigned long long address, int launches);

/* 0: fine. The context that is current is used. */
int bench_open(const char *driver, const char *image) {
  void *lib = dlopen(driver, RTLD_NOW);
  if (!lib) return -1;
  *(void **)&launch = dlsym(lib, "cuLaunchKernel");
  *(void **)&synchronize = dlsym(lib, "cuCtxSynchronize");
  *(void **)&load = dlsym(lib, "cuModuleLoadData");
  *(void **)&get_function = dlsym(lib, "cuModuleGetFunction");
  return load(&module, image);
}

void *bench_function(const char *name) {
  CUfunction f = NULL;
  return get_function(&f, module, name) ? NULL : f;
}

/* Microseconds for `launches` launches of one 32-thread block; the wait at the end is not counted. */
double bench_loop(void *function, int nargs, unsigned long long address, int launches) {
  void *p = &address;
  float x = 2.0f, y = 3.0f;
  int n = 7, m = 9;
  void *three[] = {p, &x, &n};
  void *eight[] = {p, p, p, p, &n, &m, &x, &y};
  void *sixteen[] = {p, p, p, p, p, p, p, p, &n, &m, &n, &m, &x, &y, &x, &y};
  void **args = nargs == 0 ? NULL : nargs == 16 ? sixteen : nargs == 8 ? eight : three;
  double start = bench_now();
  for (int i = 0; i < launches; i++) {
    n = i;
    if (launch((CUfunction)function, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL)) return -1;
  }
  double end = bench_now();
  return synchronize() ? -1 : end - start;
}
