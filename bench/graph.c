/* The C side of `./dev bench graph`: the same graph, made node by node and replayed in a plain loop, in the
 * same process and context. Built as a shared library when the benchmark runs; the driver is opened by the
 * path that cudalua uses. */
#include <cuda.h>
#include <dlfcn.h>
#include <stddef.h>

#include "common/clock.h"

static CUresult (*create)(CUgraph *, unsigned);
static CUresult (*add_kernel)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                              const CUDA_KERNEL_NODE_PARAMS *);
static CUresult (*instantiate)(CUgraphExec *, CUgraph, unsigned long long);
static CUresult (*launch)(CUgraphExec, CUstream);
static CUresult (*synchronize)(CUstream);
static CUresult (*load)(CUmodule *, const void *);
static CUresult (*get_function)(CUfunction *, CUmodule, const char *);

int bench_open(const char *driver);
void *bench_graph(const char *image, unsigned long long address, int n, int nodes);
double bench_replay(void *exec, unsigned long long stream, int launches, int waits);

/* 0: fine. The context that is current is used. */
int bench_open(const char *driver) {
  void *lib = dlopen(driver, RTLD_NOW);
  if (!lib) return -1;
  *(void **)&create = dlsym(lib, "cuGraphCreate");
  *(void **)&add_kernel = dlsym(lib, "cuGraphAddKernelNode_v2");
  *(void **)&instantiate = dlsym(lib, "cuGraphInstantiateWithFlags");
  *(void **)&launch = dlsym(lib, "cuGraphLaunch");
  *(void **)&synchronize = dlsym(lib, "cuStreamSynchronize");
  *(void **)&load = dlsym(lib, "cuModuleLoadData");
  *(void **)&get_function = dlsym(lib, "cuModuleGetFunction");
  return 0;
}

/* An executable graph of so many kernels, one after the other; NULL: that failed. */
void *bench_graph(const char *image, unsigned long long address, int n, int nodes) {
  CUmodule module;
  CUfunction f;
  CUgraph g;
  CUgraphNode before = NULL, node;
  CUgraphExec x;
  float k = 1.0f;
  void *params[] = {&address, &k, &n};
  CUDA_KERNEL_NODE_PARAMS p = {.gridDimX = 1,
                               .gridDimY = 1,
                               .gridDimZ = 1,
                               .blockDimX = 64,
                               .blockDimY = 1,
                               .blockDimZ = 1,
                               .kernelParams = params};
  if (load(&module, image) || get_function(&f, module, "step") || create(&g, 0)) return NULL;
  p.func = f;
  for (int i = 0; i < nodes; i++, before = node)
    if (add_kernel(&node, g, &before, i ? 1 : 0, &p)) return NULL;
  return instantiate(&x, g, 0) ? NULL : x;
}

/* Microseconds for so many replays; with `waits` each is waited for, else the wait at the end is not counted.
 */
double bench_replay(void *exec, unsigned long long stream, int launches, int waits) {
  CUstream s = (CUstream)stream;
  double start = bench_now();
  for (int i = 0; i < launches; i++)
    if (launch((CUgraphExec)exec, s) || (waits && synchronize(s))) return -1;
  double end = bench_now();
  return synchronize(s) ? -1 : end - start;
}
