/* The C side of `./dev bench arrays`: the same work by the driver API alone, in plain loops, in the same
 * process and context. Built as a shared library when the benchmark runs; the driver is opened by the path
 * that cudalua uses. Times are microseconds; negative: a call failed. */
#include <cuda.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/clock.h"

#define DRIVER(X)                                                                                            \
  X(cuCtxSynchronize)                                                                                        \
  X(cuDeviceGetDefaultMemPool)                                                                               \
  X(cuFuncLoad)                                                                                              \
  X(cuLaunchKernel)                                                                                          \
  X(cuMemAlloc)                                                                                              \
  X(cuMemAllocAsync)                                                                                         \
  X(cuMemAllocHost)                                                                                          \
  X(cuMemFree)                                                                                               \
  X(cuMemFreeAsync)                                                                                          \
  X(cuMemPoolSetAttribute)                                                                                   \
  X(cuMemcpyDtoH)                                                                                            \
  X(cuMemcpyDtoHAsync)                                                                                       \
  X(cuModuleGetFunction)                                                                                     \
  X(cuModuleLoadData)                                                                                        \
  X(cuStreamSynchronize)

#include "../common/driver.h"

int bench_open(const char *driver);
void *bench_function(const char *image, const char *name);
double bench_load(const char *image, const char *name);
double bench_small(void *add, unsigned long long x, unsigned long long y, int n, int times);
double bench_loop(void *scale, void *step, unsigned long long x, unsigned long long y, int n, int times);
double bench_read(int pinned, unsigned long long address, int times);
double bench_plain(float *z, const float *a, const float *b, const float *c, int n);

/* 0: fine. The context that is current is used. Freed memory stays in the driver's pool. */
int bench_open(const char *driver) {
  const int failed = open_driver(driver);
  if (failed) return failed;
  CUmemoryPool pool;
  cuuint64_t most = UINT64_MAX;
  if (cu.cuDeviceGetDefaultMemPool_(&pool, 0)) return 3;
  return cu.cuMemPoolSetAttribute_(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &most) ? 4 : 0;
}

void *bench_function(const char *image, const char *name) {
  CUmodule module;
  CUfunction f;
  return cu.cuModuleLoadData_(&module, image) || cu.cuModuleGetFunction_(&f, module, name) ? NULL : f;
}

/* From an image in memory to a function that is loaded. */
double bench_load(const char *image, const char *name) {
  double start = bench_now();
  void *f = bench_function(image, name);
  if (!f || cu.cuFuncLoad_((CUfunction)f)) return -1;
  return bench_now() - start;
}

static int launch(void *f, int n, void **args) {
  unsigned blocks = ((unsigned)n + 255) / 256;
  return cu.cuLaunchKernel_((CUfunction)f, blocks, 1, 1, 256, 1, 1, 0, NULL, args, NULL) != CUDA_SUCCESS;
}

/* c = a + b of n float32, c allocated and freed each time; the wait at the end is not counted. */
double bench_small(void *add, unsigned long long x, unsigned long long y, int n, int times) {
  CUdeviceptr z;
  int packs = n / 4;
  void *args[] = {&z, &x, &y, &packs};
  double start = bench_now();
  for (int i = 0; i < times; i++) {
    if (cu.cuMemAllocAsync_(&z, (size_t)n * 4, NULL) || launch(add, packs, args) ||
        cu.cuMemFreeAsync_(z, NULL))
      return -1;
  }
  double end = bench_now();
  return cu.cuCtxSynchronize_() ? -1 : end - start;
}

/* x = x * 1.0001 + y by two kernels, or by one where scale is NULL, between buffers that are there, until an
 * element of the last x is here. */
double bench_loop(void *scale, void *step, unsigned long long x, unsigned long long y, int n, int times) {
  CUdeviceptr buffers[2], between, from = x, to;
  int packs = n / 4;
  size_t bytes = (size_t)n * 4;
  float factor = 1.0001f, element;
  void *first[] = {&between, &from, &factor, &packs}, *second[] = {&to, scale ? &between : &from, &y, &packs};
  if (cu.cuMemAlloc_(&buffers[0], bytes) || cu.cuMemAlloc_(&buffers[1], bytes) ||
      cu.cuMemAlloc_(&between, bytes))
    return -1;
  double start = bench_now();
  for (int i = 0; i < times; i++) {
    to = buffers[i & 1];
    if ((scale && launch(scale, packs, first)) || launch(step, packs, second)) return -1;
    from = to;
  }
  if (cu.cuMemcpyDtoH_(&element, from, sizeof element)) return -1;
  double end = bench_now();
  if (cu.cuMemFree_(buffers[0]) || cu.cuMemFree_(buffers[1]) || cu.cuMemFree_(between)) return -1;
  return end - start;
}

/* One float32 to the host, `times` times: by the copy that waits, or into page-locked memory and a wait. */
double bench_read(int pinned, unsigned long long address, int times) {
  static float *host;
  float element;
  if (!host && cu.cuMemAllocHost_((void **)&host, 64)) return -1;
  double start = bench_now();
  for (int i = 0; i < times; i++) {
    if (pinned ? cu.cuMemcpyDtoHAsync_(host, address, sizeof element, NULL) || cu.cuStreamSynchronize_(NULL)
               : cu.cuMemcpyDtoH_(&element, address, sizeof element))
      return -1;
  }
  return bench_now() - start;
}

/* On the processor, as most people write it. */
double bench_plain(float *z, const float *a, const float *b, const float *c, int n) {
  double start = bench_now();
  for (int i = 0; i < n; i++) z[i] = a[i] * b[i] + c[i];
  return bench_now() - start;
}
