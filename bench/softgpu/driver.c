/* Opens the driver that bench.c measures. */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct Driver cu;

_Noreturn void die(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(1);
}

void must(CUresult r, const char *call) {
  const char *name = NULL;
  if (r == CUDA_SUCCESS) return;
  if (cu.cuGetErrorName(r, &name) != CUDA_SUCCESS || !name) name = "unknown error";
  die(call, name);
}

void open_driver(const char *path) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!lib) die("the library", dlerror());
#define X(name)                                                                                              \
  *(void **)&cu.name = dlsym(lib, TEXT(name));                                                               \
  if (!cu.name) die(path, "has no " TEXT(name));
  ENTRIES(X)
#undef X
  *(void **)&cu.control = dlsym(lib, "cuSoftgpuControl");
}
