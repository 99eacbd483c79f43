/* The C side of `./dev bench memory`: the same copies and allocations in plain loops, in the same process and
 * context. Built as a shared library when the benchmark runs; the driver is opened by the path that cudalua
 * uses. */
#include <cuda.h>
#include <dlfcn.h>
#include <stddef.h>

#include "common/clock.h"

static CUresult (*synchronize)(void);
static CUresult (*htod)(CUdeviceptr, const void *, size_t);
static CUresult (*dtoh)(void *, CUdeviceptr, size_t);
static CUresult (*dtod)(CUdeviceptr, CUdeviceptr, size_t);
static CUresult (*alloc)(CUdeviceptr *, size_t);
static CUresult (*release)(CUdeviceptr);
static CUresult (*alloc_async)(CUdeviceptr *, size_t, CUstream);
static CUresult (*free_async)(CUdeviceptr, CUstream);

int bench_open(const char *driver);
double bench_copy(int direction, void *host, unsigned long long a, unsigned long long b, size_t bytes,
                  int times);
double bench_pairs(int ordered, size_t bytes, int times);

/* 0: fine. The context that is current is used. */
int bench_open(const char *driver) {
  void *lib = dlopen(driver, RTLD_NOW);
  if (!lib) return -1;
  *(void **)&synchronize = dlsym(lib, "cuCtxSynchronize");
  *(void **)&htod = dlsym(lib, "cuMemcpyHtoD_v2");
  *(void **)&dtoh = dlsym(lib, "cuMemcpyDtoH_v2");
  *(void **)&dtod = dlsym(lib, "cuMemcpyDtoD_v2");
  *(void **)&alloc = dlsym(lib, "cuMemAlloc_v2");
  *(void **)&release = dlsym(lib, "cuMemFree_v2");
  *(void **)&alloc_async = dlsym(lib, "cuMemAllocAsync");
  *(void **)&free_async = dlsym(lib, "cuMemFreeAsync");
  return 0;
}

/* Microseconds for `times` copies and a wait. direction 0: host to device, 1: device to host, 2: a to b. */
double bench_copy(int direction, void *host, unsigned long long a, unsigned long long b, size_t bytes,
                  int times) {
  double start = bench_now();
  for (int i = 0; i < times; i++) {
    CUresult code = direction == 0   ? htod(a, host, bytes)
                    : direction == 1 ? dtoh(host, a, bytes)
                                     : dtod(b, a, bytes);
    if (code) return -1;
  }
  if (synchronize()) return -1;
  return bench_now() - start;
}

/* Microseconds for `times` allocations, each freed at once; the wait at the end is not counted. */
double bench_pairs(int ordered, size_t bytes, int times) {
  double start = bench_now();
  for (int i = 0; i < times; i++) {
    CUdeviceptr p;
    if (ordered ? alloc_async(&p, bytes, NULL) || free_async(p, NULL) : alloc(&p, bytes) || release(p))
      return -1;
  }
  double end = bench_now();
  return synchronize() ? -1 : end - start;
}
