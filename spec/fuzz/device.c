/* The device under the targets: a context, and what is done with a module that was loaded. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CUresult cuSoftgpuControl(const char *command, char *reply, size_t size, size_t *needed);

enum { BUFFER = 16 << 10, MAX_PARAMS = 4096, MAX_KERNELS = 16 };

static unsigned contexts; /* how many were made: the driver gives an address again */
static CUdeviceptr buffer;

uint64_t fuzz_hash(const uint8_t *data, size_t size) {
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) h = (h ^ data[i]) * 1099511628211u;
  return h ^ h >> 29;
}

void fuzz_bug(const char *promise) {
  fprintf(stderr, "fuzz: not so: %s\n", promise);
  abort();
}

char *fuzz_text(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) abort();
  if (size) memcpy(text, data, size);
  text[size] = 0;
  return text;
}

void fuzz_start(void) {
  /* Kernels print, assertions complain, faults are reported: nobody reads that here. */
  setenv("CUDALUA_SOFT_REPORT", "off", 1);
  setenv("CUDALUA_SOFT_MEMORY", "32M", 1);
  setenv("CUDALUA_SOFT_TIMEOUT", "0.02", 1);
  PROMISED(freopen("/dev/null", "w", stdout) != NULL);
  PROMISED(cuInit(0) == CUDA_SUCCESS);
  fuzz_context();
}

void fuzz_context(void) {
  CUcontext context;
  if (contexts && cuCtxSynchronize() == CUDA_SUCCESS) return;
  if (contexts) PROMISED(cuSoftgpuControl("reset", NULL, 0, NULL) == CUDA_SUCCESS);
  PROMISED(cuInit(0) == CUDA_SUCCESS);
  PROMISED(cuCtxCreate(&context, NULL, 0, 0) == CUDA_SUCCESS);
  contexts++;
  PROMISED(cuMemAlloc(&buffer, BUFFER) == CUDA_SUCCESS);
  cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20);
}

static void control(const char *command) {
  PROMISED(cuSoftgpuControl(command, NULL, 0, NULL) == CUDA_SUCCESS);
}

/* How launches run: with the checks or without, by how many threads, in which order. */
static void settings(uint64_t seed) {
  static const char *const schedule[] = {"threads 1", "threads 2"},
                           *const order[] = {"order forward", "order reverse", "order random:1",
                                             "order random:2"},
                           *const gang[] = {"gang 32", "gang 64", "gang 256", "gang 1024"};
  char text[64];
  control(seed >> 8 & 1 ? "check races,uninitialised,barriers,shuffles" : "check off");
  const char *const chosen[] = {schedule[seed >> 9 & 1], order[seed >> 10 & 3], gang[seed >> 12 & 3]};
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
    snprintf(text, sizeof text, "schedule %s", chosen[i]);
    control(text);
  }
}

/* Eight bytes are an address in the buffer, four a small number, anything else zero. */
static void launch(CUfunction f, uint64_t seed) {
  static const unsigned threads[] = {1, 32, 33, 64};
  static unsigned char bytes[MAX_PARAMS * 16];
  static void *params[MAX_PARAMS];
  size_t n = 0, offset, size;
  memset(bytes, 0, sizeof bytes);
  for (; n < MAX_PARAMS && cuFuncGetParamInfo(f, n, &offset, &size) == CUDA_SUCCESS; n++) {
    if (offset > sizeof bytes || size > sizeof bytes - offset) return;
    const uint64_t at = buffer + (seed >> 40 & 1) * 64, number = seed >> 41 & 127;
    if (size == 8) memcpy(bytes + offset, &at, size);
    if (size == 4) memcpy(bytes + offset, &number, size);
    params[n] = bytes + offset;
  }
  const unsigned x = threads[seed & 3], y = 1 + (seed >> 2 & 1), blocks = 1 + (unsigned)(seed >> 3 & 3);
  const unsigned dynamic = (unsigned)(seed >> 5 & 3) * 100;
  settings(seed);
  if (seed >> 7 & 1)
    cuLaunchCooperativeKernel(f, blocks, 1, 1, x, y, 1, dynamic, NULL, params);
  else
    cuLaunchKernel(f, blocks, 1, 1, x, y, 1, dynamic, NULL, params, NULL);
  fuzz_context();
}

static void ask(CUfunction f) {
  int value, blocks, threads;
  const char *name = NULL;
  for (int a = 0; a < CU_FUNC_ATTRIBUTE_MAX; a++) cuFuncGetAttribute(&value, (CUfunction_attribute)a, f);
  PROMISED(cuFuncGetName(&name, f) == CUDA_SUCCESS && name && strlen(name) < 1 << 24);
  cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 64, 0);
  cuOccupancyMaxPotentialBlockSize(&blocks, &threads, f, NULL, 0, 0);
}

/* A launch that fails takes modules and libraries with it: false. */
static bool launch_all(const CUfunction *f, unsigned n, uint64_t seed) {
  const unsigned before = contexts;
  for (unsigned i = 0; i < n; i++) {
    launch(f[i], seed >> i);
    if (contexts != before) return false;
  }
  return true;
}

void fuzz_module(CUmodule m, uint64_t seed) {
  unsigned n = 0;
  CUfunction f[MAX_KERNELS], again;
  CUdeviceptr at;
  size_t size;
  PROMISED(cuModuleGetFunctionCount(&n, m) == CUDA_SUCCESS);
  cuModuleGetGlobal(&at, &size, m, "g");
  if (n > MAX_KERNELS) n = MAX_KERNELS;
  memset(f, 0, sizeof f);
  if (n && cuModuleEnumerateFunctions(f, n, m) != CUDA_SUCCESS) n = 0;
  for (unsigned i = 0; i < n; i++) {
    const char *name = NULL;
    PROMISED(f[i] != NULL);
    ask(f[i]);
    if (cuFuncGetName(&name, f[i]) == CUDA_SUCCESS && cuModuleGetFunction(&again, m, name) == CUDA_SUCCESS)
      PROMISED(again == f[i]);
  }
  if (launch_all(f, n, seed)) PROMISED(cuModuleUnload(m) == CUDA_SUCCESS);
}

void fuzz_library(CUlibrary l, uint64_t seed) {
  unsigned n = 0, functions = 0;
  int value;
  size_t offset;
  CUkernel k[MAX_KERNELS];
  CUfunction f[MAX_KERNELS];
  const char *name = NULL;
  PROMISED(cuLibraryGetKernelCount(&n, l) == CUDA_SUCCESS);
  if (n > MAX_KERNELS) n = MAX_KERNELS;
  if (n) PROMISED(cuLibraryEnumerateKernels(k, n, l) == CUDA_SUCCESS);
  for (unsigned i = 0; i < n; i++) {
    PROMISED(cuKernelGetName(&name, k[i]) == CUDA_SUCCESS && name);
    for (int a = 0; a < CU_FUNC_ATTRIBUTE_MAX; a++)
      cuKernelGetAttribute(&value, (CUfunction_attribute)a, k[i], 0);
    cuKernelGetParamInfo(k[i], 0, &offset, NULL);
    CUkernel again;
    if (cuLibraryGetKernel(&again, l, name) != CUDA_SUCCESS) continue;
    PROMISED(again == k[i]);
    if (cuKernelGetFunction(&f[functions], k[i]) != CUDA_SUCCESS) continue;
    if (i & 1) f[functions] = (CUfunction)k[i];
    functions++;
  }
  if (launch_all(f, functions, seed)) PROMISED(cuLibraryUnload(l) == CUDA_SUCCESS);
}
